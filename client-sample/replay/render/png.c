/// Pictures as PNG, by cairo.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cairo.h>

#include "render/canvas.h"

typedef struct png {
    render_canvas base;
    cairo_surface_t *surface;
    cairo_t *cairo;
    canvas_pen pen;
} png;

static void png_colour(cairo_t *cairo, uint32_t colour) {
    cairo_set_source_rgba(cairo, (colour >> 24) / 255.0, (colour >> 16 & 0xFF) / 255.0, (colour >> 8 & 0xFF) / 255.0,
                          (colour & 0xFF) / 255.0);
}

static void png_use(render_canvas *canvas, const char *name, canvas_pen pen) {
    (void)name;
    png *is = (png *)canvas;
    is->pen = pen;
    cairo_set_line_width(is->cairo, pen.width);
    cairo_set_dash(is->cairo, &pen.dash, pen.dash > 0 ? 1 : 0, 0);
}

static void png_paint(png *is) {
    if ((is->pen.fill & 0xFF) != 0) {
        png_colour(is->cairo, is->pen.fill);
        cairo_fill_preserve(is->cairo);
    }
    if ((is->pen.stroke & 0xFF) != 0) {
        png_colour(is->cairo, is->pen.stroke);
        cairo_stroke_preserve(is->cairo);
    }
    cairo_new_path(is->cairo);
}

static void png_circle(render_canvas *canvas, double x, double y, double radius) {
    png *is = (png *)canvas;
    cairo_new_path(is->cairo);
    cairo_arc(is->cairo, x, y, radius, 0, 2 * CANVAS_PI);
    cairo_close_path(is->cairo);
    png_paint(is);
}

static void png_begin(render_canvas *canvas) {
    cairo_new_path(((png *)canvas)->cairo);
}

static void png_line_to(render_canvas *canvas, double x, double y) {
    cairo_line_to(((png *)canvas)->cairo, x, y);
}

static void png_arc(render_canvas *canvas, double x, double y, double radius, double from, double to) {
    cairo_t *cairo = ((png *)canvas)->cairo;
    if (to >= from) {
        cairo_arc(cairo, x, y, radius, from, to);
    } else {
        cairo_arc_negative(cairo, x, y, radius, from, to);
    }
}

static void png_end(render_canvas *canvas, bool closed) {
    png *is = (png *)canvas;
    if (closed) {
        cairo_close_path(is->cairo);
    }
    png_paint(is);
}

static void png_text(render_canvas *canvas, double x, double y, double size, canvas_align align, uint32_t colour,
                     const char *text) {
    cairo_t *cairo = ((png *)canvas)->cairo;
    cairo_text_extents_t extents;
    cairo_set_font_size(cairo, size);
    cairo_text_extents(cairo, text, &extents);
    png_colour(cairo, colour);
    cairo_move_to(cairo, x - extents.x_advance * (align == CANVAS_LEFT ? 0 : align == CANVAS_MIDDLE ? 0.5 : 1), y);
    cairo_show_text(cairo, text);
    cairo_new_path(cairo);
}

static bool png_image(render_canvas *canvas, double x, double y, int width, int height, uint32_t *pixels) {
    cairo_t *cairo = ((png *)canvas)->cairo;
    cairo_surface_t *image = cairo_image_surface_create_for_data((unsigned char *)pixels, CAIRO_FORMAT_ARGB32, width,
                                                                 height, width * (int)sizeof *pixels);
    const bool ok = cairo_surface_status(image) == CAIRO_STATUS_SUCCESS;
    if (ok) {
        cairo_set_source_surface(cairo, image, x, y);
        cairo_paint(cairo);
        cairo_set_source_rgb(cairo, 0, 0, 0); // lets go of the image
    }
    cairo_surface_destroy(image);
    return ok && cairo_status(cairo) == CAIRO_STATUS_SUCCESS;
}

static void png_clip(render_canvas *canvas, double x, double y, double width, double height) {
    cairo_t *cairo = ((png *)canvas)->cairo;
    cairo_save(cairo);
    cairo_new_path(cairo);
    cairo_rectangle(cairo, x, y, width, height);
    cairo_clip(cairo);
}

static void png_unclip(render_canvas *canvas) {
    cairo_restore(((png *)canvas)->cairo);
}

static void png_free(png *is) {
    cairo_destroy(is->cairo);
    cairo_surface_destroy(is->surface);
    free(is);
}

static cairo_status_t png_append(void *out, const unsigned char *bytes, unsigned size) {
    return fwrite(bytes, 1, size, out) == size ? CAIRO_STATUS_SUCCESS : CAIRO_STATUS_NO_MEMORY;
}

static const char *png_finish(render_canvas *canvas, char **bytes, size_t *size) {
    png *is = (png *)canvas;
    char *file = NULL;
    size_t file_size = 0;
    FILE *out = open_memstream(&file, &file_size);
    cairo_status_t status = out != NULL ? cairo_status(is->cairo) : CAIRO_STATUS_NO_MEMORY;
    if (status == CAIRO_STATUS_SUCCESS) {
        status = cairo_surface_write_to_png_stream(is->surface, png_append, out);
    }
    if (out != NULL && fclose(out) != 0 && status == CAIRO_STATUS_SUCCESS) {
        status = CAIRO_STATUS_NO_MEMORY;
    }
    png_free(is);
    if (status != CAIRO_STATUS_SUCCESS) {
        free(file);
        return cairo_status_to_string(status);
    }
    *bytes = file;
    *size = file_size;
    return NULL;
}

render_canvas *iso__replay_canvas_open_png(int width, int height, const char *title, const char **fault) {
    static const canvas_format format = {png_use,  png_circle, png_begin, png_line_to, png_arc,   png_end,
                                         png_text, png_image,  png_clip,  png_unclip,  png_finish};
    (void)title;
    png *is = calloc(1, sizeof *is);
    if (is == NULL) {
        *fault = cairo_status_to_string(CAIRO_STATUS_NO_MEMORY);
        return NULL;
    }
    is->base = (render_canvas){&format};
    is->surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, width, height);
    is->cairo = cairo_create(is->surface);
    if (cairo_status(is->cairo) != CAIRO_STATUS_SUCCESS) {
        *fault = cairo_status_to_string(cairo_status(is->cairo));
        png_free(is);
        return NULL;
    }
    cairo_set_line_join(is->cairo, CAIRO_LINE_JOIN_ROUND);
    cairo_set_line_cap(is->cairo, CAIRO_LINE_CAP_ROUND);
    cairo_select_font_face(is->cairo, "DejaVu Sans", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL);
    return &is->base;
}

bool iso__replay_canvas_has_png(void) {
    return true;
}
