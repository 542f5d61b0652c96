/// isostep-replay render: what its parts share.
#ifndef ISO_REPLAY_RENDER_H
#define ISO_REPLAY_RENDER_H

#include "isostep/draw.h"
#include "render_canvas.h"
#include "replay.h"

#define RENDER_FRAMES_MAX 32
#define RENDER_WIDTH_MIN 64   // [pixels]
#define RENDER_SIZE_MAX 16384 // [pixels] of a picture's width and height

/// A part of the world's plane [m].
typedef struct render_view {
    double x, y; // the lower left corner
    double width, height;
} render_view;

typedef struct render_options {
    const char *input;
    const char *out;
    uint64_t ticks[RENDER_FRAMES_MAX]; // rising, not strictly
    uint32_t tick_count;               // 0: the last tick of a recording, tick 0 of a scene
    uint32_t what;                     // ISO_DRAW_…
    render_view view;                  // a width of 0: what holds all that moves
    int width;                         // [pixels]; 0: iso__replay_render_width
    bool png, overlay, no_grid, json;
} render_options;

/// What a world looks like after one tick.
typedef struct render_frame {
    uint64_t tick;
    iso_draw_item *items;
    uint32_t count;
} render_frame;

/// The input with all that is to be drawn of it.
typedef struct render_film {
    char name[64]; // of the scene
    uint32_t tick_rate_hz;
    render_frame frames[RENDER_FRAMES_MAX];
    uint32_t count;
} render_film;

/// Simulates up to each of the ticks that are wanted and keeps what is there to draw.
/// Says on standard error what is wrong. @return the exit code. To be freed either way.
int iso__replay_render_film_make(render_film *film, const render_options *options);
void iso__replay_render_film_free(render_film *film);

/// @name Where what is drawn (render_view.c)
/// @{

/// What holds everything that moves, in all frames, and the fixed shapes beside it that are no larger.
/// @param is_strip  panels side by side may be higher than they are wide
/// @return false when there is no shape and no joint
bool iso__replay_render_view_fit(const render_film *film, bool is_strip, render_view *view);

/// The largest of 1, 2 and 5 times a power of ten that is not above `value`, which is above 0.
double iso__replay_render_view_round(double value);

/// A panel: a part of the world on a part of the picture.
typedef struct render_panel {
    render_view view;
    double x, y, width, height; // [pixels] of the picture
    double scale;               // [pixels/m]
} render_panel;

static inline double render_panel_x(const render_panel *panel, double x) {
    return panel->x + (x - panel->view.x) * panel->scale;
}

static inline double render_panel_y(const render_panel *panel, double y) {
    return panel->y + panel->height - (y - panel->view.y) * panel->scale;
}

static inline double render_metres(iso_wide value) {
    return (double)value / (double)ISO_WIDE_ONE;
}
/// @}

/// How wide a picture is when nobody says [pixels].
int iso__replay_render_width(const render_film *film, const render_options *options);

/// Draws a film: panels with captions, grid and scale bar. Says on standard error what is wrong.
/// @param height  [pixels] of the picture
/// @return the exit code
int iso__replay_render_paint(const render_film *film, const render_options *options, int *height);

/// Draws the items of a frame, from what lies below to what lies above. render_item.c
/// @param fade  1: as it is; less: fainter, for what was before
void iso__replay_render_items(render_canvas *canvas, const render_panel *panel, const render_frame *frame, double fade);

#endif
