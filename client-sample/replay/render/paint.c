/// The picture: panels side by side with captions, grid lines and a scale bar.
#include "render/picture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "isostep/proto/text.h"

#define BORDER          8.0  // [pixels] around the panels
#define GAP             10.0 // between them
#define CAPTION         20.0 // above them
#define SINGLE_WIDTH    800
#define PANEL_WIDTH     300
#define STRIP_WIDTH_MAX 1200
#define PANEL_SIZE_MIN  16 // [pixels]

#define PAPER      0xFFFFFFFFu
#define PANEL_FILL 0xFBFCFDFFu
#define PANEL_EDGE 0xCBD5E0FFu
#define GRID       0xE9EDF2FFu
#define GRID_ZERO  0xD3DBE4FFu
#define INK        0x5F6E82FFu

// ---- layout --------------------------------------------------------------------------------------

static uint32_t count_panels(const render_film *film, bool overlay) {
    return overlay ? 1 : film->count;
}

int iso__replay_render_width(const render_film *film, bool overlay) {
    const int panels = (int)count_panels(film, overlay);
    return panels == 1 ? SINGLE_WIDTH : panels * PANEL_WIDTH < STRIP_WIDTH_MAX ? panels * PANEL_WIDTH : STRIP_WIDTH_MAX;
}

// ---- what lies around the world ------------------------------------------------------------------

static void draw_line(render_canvas *canvas, double x0, double y0, double x1, double y1) {
    canvas->format->begin(canvas);
    canvas->format->line_to(canvas, x0, y0);
    canvas->format->line_to(canvas, x1, y1);
    canvas->format->end(canvas, false);
}

static void draw_box(render_canvas *canvas, double x, double y, double width, double height) {
    canvas->format->begin(canvas);
    canvas->format->line_to(canvas, x, y);
    canvas->format->line_to(canvas, x + width, y);
    canvas->format->line_to(canvas, x + width, y + height);
    canvas->format->line_to(canvas, x, y + height);
    canvas->format->end(canvas, true);
}

static void draw_grid(render_canvas *canvas, const render_panel *panel) {
    const render_view *view = &panel->view;
    const double step = iso__replay_render_view_round(fmax(view->width, view->height) / 5);
    const double first_x = ceil(view->x / step), first_y = ceil(view->y / step);
    for (double i = first_x; i * step <= view->x + view->width; ++i) {
        canvas->format->use(canvas, "grid", (canvas_pen){.stroke = i == 0 ? GRID_ZERO : GRID, .width = 1});
        const double x = render_panel_x(panel, i * step);
        draw_line(canvas, x, panel->y, x, panel->y + panel->height);
    }
    for (double i = first_y; i * step <= view->y + view->height; ++i) {
        canvas->format->use(canvas, "grid", (canvas_pen){.stroke = i == 0 ? GRID_ZERO : GRID, .width = 1});
        const double y = render_panel_y(panel, i * step);
        draw_line(canvas, panel->x, y, panel->x + panel->width, y);
    }
}

/// Above the panel, beside its caption, where it hides nothing.
static void draw_scale_bar(render_canvas *canvas, const render_panel *panel) {
    const double length = iso__replay_render_view_round(panel->view.width * 0.25);
    const double right = panel->x + panel->width - 1, left = right - length * panel->scale, y = panel->y - 7;
    char text[32];
    snprintf(text, sizeof text, "%.6g m", length);
    canvas->format->use(canvas, "scale", (canvas_pen){.stroke = INK, .width = 1.5});
    canvas->format->begin(canvas);
    canvas->format->line_to(canvas, left, y - 5);
    canvas->format->line_to(canvas, left, y);
    canvas->format->line_to(canvas, right, y);
    canvas->format->line_to(canvas, right, y - 5);
    canvas->format->end(canvas, false);
    canvas->format->text(canvas, left - 5, y + 1, 10, CANVAS_RIGHT, INK, text);
}

/// "tick 60 · 1.00 s", of several "ticks 0 to 60 · 0.00 s to 1.00 s".
static void draw_caption(render_canvas *canvas, const render_panel *panel, const render_film *film, uint32_t first,
                         uint32_t last) {
    const uint64_t from = film->frames[first].tick, to = film->frames[last].tick;
    const double rate = film->tick_rate_hz;
    char text[96];
    if (first == last) {
        snprintf(text, sizeof text, "tick %llu \u00B7 %.2f s", (unsigned long long)from, (double)from / rate);
    } else {
        snprintf(text, sizeof text, "ticks %llu to %llu \u00B7 %.2f s to %.2f s", (unsigned long long)from,
                 (unsigned long long)to, (double)from / rate, (double)to / rate);
    }
    canvas->format->text(canvas, panel->x + 1, panel->y - 6, 11.5, CANVAS_LEFT, INK, text);
}

/// One panel with the frames from `first` to `last`, the last one on top.
/// @return false: there is no memory
static bool draw_panel(render_canvas *canvas, const render_panel *panel, const render_film *film, uint32_t first,
                       uint32_t last, const render_picture *picture) {
    draw_caption(canvas, panel, film, first, last);
    if (first == 0) {
        draw_scale_bar(canvas, panel);
    }
    canvas->format->clip(canvas, panel->x, panel->y, panel->width, panel->height);
    canvas->format->use(canvas, "panel", (canvas_pen){.fill = PANEL_FILL});
    draw_box(canvas, panel->x, panel->y, panel->width, panel->height);
    if (!film->is_space && !picture->no_grid) {
        draw_grid(canvas, panel);
    }
    bool ok = true;
    for (uint32_t i = first; ok && i <= last; ++i) {
        const double age = last > first ? (double)(i - first) / (last - first) : 1;
        const double fade = i == last ? 1 : 0.15 + 0.3 * age;
        if (film->is_space) {
            ok = iso__replay_space_draw(canvas, panel, picture, &film->frames[i], fade);
        } else {
            iso__replay_render_items(canvas, panel, &film->frames[i], fade);
        }
    }
    if (film->is_space && first == 0) {
        iso__replay_space_compass(canvas, panel, &picture->camera);
    }
    canvas->format->unclip(canvas);
    canvas->format->use(canvas, "edge", (canvas_pen){.stroke = PANEL_EDGE, .width = 1});
    draw_box(canvas, panel->x, panel->y, panel->width, panel->height);
    return ok;
}

// ---- the picture ---------------------------------------------------------------------------------

static render_canvas *open_canvas(const render_film *film, render_picture *picture) {
    char title[128];
    const uint64_t from = film->frames[0].tick, to = film->frames[film->count - 1].tick;
    if (from == to) {
        snprintf(title, sizeof title, "%s at tick %llu", film->name, (unsigned long long)from);
    } else {
        snprintf(title, sizeof title, "%s from tick %llu to tick %llu", film->name, (unsigned long long)from,
                 (unsigned long long)to);
    }
    return picture->png ? iso__replay_canvas_open_png(picture->width, picture->height, title, &picture->fault)
                        : iso__replay_canvas_open_svg(picture->width, picture->height, title, &picture->fault);
}

render_result iso__replay_render_paint(const render_film *film, render_picture *picture) {
    const uint32_t panels = count_panels(film, picture->overlay);
    const int width = picture->width;
    render_panel panel = {.view = picture->view, .y = BORDER + CAPTION};
    panel.width = (width - 2 * BORDER - (panels - 1) * GAP) / panels;
    panel.scale = panel.width / panel.view.width;
    panel.height = panel.view.height * panel.scale;
    const double high = ceil(panel.y + panel.height + BORDER);
    if (panel.width < PANEL_SIZE_MIN || panel.height < PANEL_SIZE_MIN || high > RENDER_SIZE_MAX) {
        iso_print(
            stderr,
            "isostep-replay: a panel would have %.0f x %.0f pixels: expected at least %d, and a picture no higher "
            "than %d; choose another --width or --view\n",
            panel.width, panel.height, PANEL_SIZE_MIN, RENDER_SIZE_MAX);
        return RENDER_NO_ROOM;
    }
    picture->height = (int)high;
    render_canvas *canvas = open_canvas(film, picture);
    if (canvas == NULL) {
        return RENDER_NOT_DRAWN;
    }
    canvas->format->use(canvas, "paper", (canvas_pen){.fill = PAPER});
    draw_box(canvas, 0, 0, width, picture->height);
    bool ok = true;
    for (uint32_t i = 0; ok && i < panels; ++i) {
        panel.x = BORDER + i * (panel.width + GAP);
        ok = draw_panel(canvas, &panel, film, i, picture->overlay ? film->count - 1 : i, picture);
    }
    picture->fault = canvas->format->finish(canvas, &picture->bytes, &picture->size);
    if (!ok && picture->fault == NULL) {
        free(picture->bytes);
        picture->fault = iso_status_text(ISO_ERR_MEMORY);
    }
    return picture->fault == NULL ? RENDER_DONE : RENDER_NOT_DRAWN;
}
