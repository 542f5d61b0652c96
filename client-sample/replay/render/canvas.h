/// What pictures are drawn on, whatever the format of the file.
///
/// Coordinates are pixels, x to the right and y down. SVG is written as text, without any library; PNG is drawn by
/// cairo, when the tool was built with it.
#ifndef ISO_REPLAY_RENDER_CANVAS_H
#define ISO_REPLAY_RENDER_CANVAS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CANVAS_PI 3.14159265358979323846

/// Colours are 0xRRGGBBAA. An alpha of 0 does not draw.
typedef struct canvas_pen {
    uint32_t fill, stroke;
    double width; // of the stroke
    double dash;  // length of its dashes; 0: none
} canvas_pen;

typedef enum canvas_align { CANVAS_LEFT, CANVAS_MIDDLE, CANVAS_RIGHT } canvas_align;

typedef struct render_canvas render_canvas;

/// What a format can do.
typedef struct canvas_format {
    /// What is drawn from now on has this pen and belongs to what `name` says.
    void (*use)(render_canvas *canvas, const char *name, canvas_pen pen);
    void (*circle)(render_canvas *canvas, double x, double y, double radius);
    /// @name A path: begin, then lines and arcs, then end, which paints it.
    /// @{
    void (*begin)(render_canvas *canvas);
    /// A line from where the path is; the first one only says where it begins.
    void (*line_to)(render_canvas *canvas, double x, double y);
    /// A line to the beginning of an arc, and the arc. Angles [rad] from the x axis towards the y axis.
    void (*arc)(render_canvas *canvas, double x, double y, double radius, double from, double to);
    void (*end)(render_canvas *canvas, bool closed);
    /// @}
    /// @param y  of the base line
    void (*text)(render_canvas *canvas, double x, double y, double size, canvas_align align, uint32_t colour,
                 const char *text);
    /// Draws an image of width x height pixels, rows from the top, each 0xAARRGGBB with the alpha multiplied in, over
    /// what is there. NULL where there are only lines. @return false: there is no memory
    bool (*image)(render_canvas *canvas, double x, double y, int width, int height, uint32_t *pixels);
    /// Until unclip, which comes before the next clip, only what is within the box is seen.
    void (*clip)(render_canvas *canvas, double x, double y, double width, double height);
    void (*unclip)(render_canvas *canvas);
    /// Makes the file's bytes and frees the canvas.
    /// @param bytes  malloc'ed; untouched on error
    /// @return NULL, or why it could not be drawn
    const char *(*finish)(render_canvas *canvas, char **bytes, size_t *size);
} canvas_format;

struct render_canvas {
    const canvas_format *format;
};

/// @param title  description of the picture, for screen readers
/// @param fault  why there is no canvas
/// @return NULL when it cannot be made
render_canvas *iso__replay_canvas_open_svg(int width, int height, const char *title, const char **fault);
/// Likewise; not to be called when the tool was built without cairo.
render_canvas *iso__replay_canvas_open_png(int width, int height, const char *title, const char **fault);

/// Whether PNG can be drawn; if not a line on standard error says so.
bool iso__replay_canvas_has_png(void);

#endif
