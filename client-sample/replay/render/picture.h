/// Pictures of worlds: what the files of this folder share, and what the subcommand calls.
///
/// What is to be drawn comes as a film of items (isostep/draw.h). Nothing here knows where the worlds come from, or
/// which file the picture goes to.
#ifndef ISO_REPLAY_RENDER_PICTURE_H
#define ISO_REPLAY_RENDER_PICTURE_H

#include "isostep/draw.h"
#include "isostep/draw3.h"
#include "render/canvas.h"

#define RENDER_FRAMES_MAX 32
#define RENDER_WIDTH_MIN  64    // [pixels]
#define RENDER_SIZE_MAX   16384 // [pixels] of a picture's width and height

/// A part of the world's plane, or of the picture's plane of a world in space [m].
typedef struct render_view {
    double x, y; // the lower left corner
    double width, height;
} render_view;

/// Where a world in space is looked at from: directions of the picture in the world, of length one and across each
/// other.
typedef struct render_camera {
    double right[3], up[3], towards[3]; // the eye
} render_camera;

/// How to draw a film, and what comes of it.
typedef struct render_picture {
    render_view view;
    render_camera camera; // of a world in space
    int width;            // [pixels]
    bool png, overlay, no_grid;
    /// @name Set by iso__replay_render_paint
    /// @{
    int height;        // [pixels]
    char *bytes;       // of the file, malloc'ed
    size_t size;       // of these
    const char *fault; // why it could not be drawn
    /// @}
} render_picture;

/// What a world looks like after one tick.
typedef struct render_frame {
    uint64_t tick;
    iso_draw_item *items;
    uint32_t count;
    /// @name Of a world in space, instead of these
    /// @{
    unsigned char *solid; // `solid_count` items one after another, each only as long as its points (space.h)
    size_t solid_size;
    uint32_t solid_count;
    iso_vec3_wide centre; // [m] of the world: the view is around it
    double radius;        // [m] of the body that the view follows, 0: none
    /// @}
} render_frame;

/// What is drawn, rising by ticks.
typedef struct render_film {
    char name[64]; // of the scene
    uint32_t tick_rate_hz;
    bool is_space;
    render_frame frames[RENDER_FRAMES_MAX];
    uint32_t count;
} render_film;

typedef enum render_result {
    RENDER_DONE,
    RENDER_NO_ROOM,   // a panel would be too small, or the picture too high; said on standard error
    RENDER_NOT_DRAWN, // see `fault`
} render_result;

/// Default width of a picture [pixels].
int iso__replay_render_width(const render_film *film, bool overlay);

/// Draws a film: panels with captions, grid and scale bar.
render_result iso__replay_render_paint(const render_film *film, render_picture *picture);

/// @name Where what is drawn (view.c)
/// @{

/// What a thing takes of the picture's plane.
typedef struct render_extent {
    double left, bottom, right, top; // [m]; left > right: nothing
    double x, y;                     // [m] where it is
    bool is_shape;
    bool is_static; // the shape's body
    bool is_sign;   // an anchor, or a game's mark
} render_extent;

typedef struct render_extents {
    render_extent *items; // malloc'ed
    uint32_t count;
} render_extents;

/// What holds everything that moves, in all frames, and the fixed shapes beside it that are no larger.
/// @param is_strip  panels side by side may be higher than they are wide
/// @return false when there is no shape and no joint
bool iso__replay_render_view_fit(const render_extents *frames, uint32_t count, bool is_strip, render_view *view);

/// What the items of a frame take. @return false: there is no memory
bool iso__replay_render_extents(const render_frame *frame, render_extents *extents);

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

/// Draws the items of a frame, from what lies below to what lies above. item.c
/// @param fade  1: as it is; less: fainter, for what was before
void iso__replay_render_items(render_canvas *canvas, const render_panel *panel, const render_frame *frame, double fade);

/// @name Worlds in space (space.c, camera.c)
/// @{

/// A camera that is turned by `yaw` about y, from z towards x, and then looks down by `pitch`. [degrees]
render_camera iso__replay_camera_make(double yaw, double pitch);

/// What the items of a frame take of the picture's plane, around the frame's centre. @return false: there is no memory
bool iso__replay_camera_extents(const render_camera *camera, const render_frame *frame, render_extents *extents);

/// The middle of what moves in all frames [m].
iso_vec3_wide iso__replay_camera_centre(const render_film *film);

/// Draws a frame of a world in space. @param fade  as above @return false: there is no memory
bool iso__replay_space_draw(render_canvas *canvas, const render_panel *panel, const render_picture *picture,
                            const render_frame *frame, double fade);

/// Shows in a corner of a panel where the axes of the world point.
void iso__replay_space_compass(render_canvas *canvas, const render_panel *panel, const render_camera *camera);
/// @}

#endif
