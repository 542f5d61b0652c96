/// Solids as pixels: each is drawn where nothing that has been drawn before is nearer. A pixel has several samples, so
/// that borders are smooth; a band of rows is drawn at a time, so that large pictures take no more memory than small
/// ones.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "render/sign.h"
#include "render/space.h"

#define SAMPLES   3  // of a pixel, in each direction
#define BAND_ROWS 32 // [pixels]

#define FACING      1e-6  // towards the eye: what is less is seen from its edge
#define SENSOR_FILL 0x48u // alpha
#define SENSOR_EDGE 0xA0u
#define LINE_LIFT   0.02 // of a round solid's radius, by which a line on it counts as nearer

/// The samples of a band.
typedef struct raster {
    int width, height; // [samples]
    double scale;      // [samples/m]
    double left, top;  // [m] of the picture, where the band begins
    double *depth;     // [m] towards the eye
    uint32_t *colour;  // 0xRRGGBBAA, the alpha multiplied in
    uint32_t *pixels;  // of a band
} raster;

/// How a solid or a line is drawn.
typedef struct brush {
    uint32_t fill, stroke;
    double width;   // [samples] of the stroke inside of the border of what is round
    double lift;    // [m] by which it counts as nearer
    bool is_glassy; // what is behind it stays visible
} brush;

// ---- samples -------------------------------------------------------------------------------------

static double sample_x(const raster *r, double x) {
    return (x - r->left) * r->scale;
}

static double sample_y(const raster *r, double y) {
    return (r->top - y) * r->scale;
}

/// A colour over one with its alpha multiplied in.
static uint32_t over(uint32_t above, uint32_t below) {
    const uint32_t alpha = above & 0xFF;
    uint32_t result = 0;
    for (unsigned shift = 0; shift < 32; shift += 8) {
        const uint32_t a = shift == 0 ? 255 : above >> shift & 0xFF, b = below >> shift & 0xFF;
        result |= (a * alpha + b * (255 - alpha) + 127) / 255 << shift;
    }
    return result;
}

static void put(raster *r, int x, int y, double z, const brush *with, bool is_border) {
    const size_t at = (size_t)y * (size_t)r->width + (size_t)x;
    if (z + with->lift <= r->depth[at]) {
        return;
    }
    const uint32_t colour = is_border ? with->stroke : with->fill;
    if (with->is_glassy) {
        r->colour[at] = over(render_with_alpha(colour, is_border ? SENSOR_EDGE : SENSOR_FILL), r->colour[at]);
    } else {
        r->colour[at] = colour;
        r->depth[at] = z;
    }
}

static int clamp_int(double value, int low, int high) {
    return value <= low ? low : value >= high ? high : (int)value;
}

// ---- polygons ------------------------------------------------------------------------------------

/// A convex polygon in the samples of a band: its edges as half-planes a x + b y + c >= 0, of unit length.
typedef struct polygon {
    uint32_t count;
    double a[ISO_HULL_VERTICES_MAX], b[ISO_HULL_VERTICES_MAX], c[ISO_HULL_VERTICES_MAX];
    double stroke[ISO_HULL_VERTICES_MAX]; // [samples] of the stroke along each edge, inside of it
    double top, bottom;                   // [samples]
    double z, zx, zy;                     // [m] z + zx x + zy y is how near it is
    double far, near;                     // [m] its corners
} polygon;

/// @param strokes  of the edge behind each corner, or NULL: none
/// @return false: it is seen from its edge or from behind
static bool polygon_make(const raster *r, const render_vec *points, uint32_t count, render_vec normal,
                         const double *strokes, polygon *is) {
    double x[ISO_HULL_VERTICES_MAX], y[ISO_HULL_VERTICES_MAX], area = 0;
    *is = (polygon){.top = INFINITY, .bottom = -INFINITY, .far = INFINITY, .near = -INFINITY};
    for (uint32_t i = 0; i < count; ++i) {
        x[i] = sample_x(r, points[i].x);
        y[i] = sample_y(r, points[i].y);
        is->top = fmin(is->top, y[i]);
        is->bottom = fmax(is->bottom, y[i]);
        is->far = fmin(is->far, points[i].z);
        is->near = fmax(is->near, points[i].z);
    }
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t next = (i + 1) % count;
        area += x[i] * y[next] - x[next] * y[i];
    }
    if (fabs(area) < 1e-6 || normal.z <= FACING) {
        return false;
    }
    const double side = area > 0 ? 1 : -1;
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t next = (i + 1) % count;
        const double dx = x[next] - x[i], dy = y[next] - y[i], length = hypot(dx, dy);
        if (length > 1e-9) {
            is->a[is->count] = -side * dy / length;
            is->b[is->count] = side * dx / length;
            is->c[is->count] = side * (dy * x[i] - dx * y[i]) / length;
            is->stroke[is->count] = strokes != NULL ? strokes[i] : 0;
            ++is->count;
        }
    }
    is->zx = -normal.x / (normal.z * r->scale);
    is->zy = normal.y / (normal.z * r->scale);
    is->z = points[0].z - is->zx * x[0] - is->zy * y[0];
    return true;
}

/// From where to where a row is inside of all edges; of all strokes along them.
static void polygon_row(const polygon *is, double y, bool has_strokes, double *low, double *high) {
    *low = -INFINITY;
    *high = INFINITY;
    for (uint32_t i = 0; i < is->count; ++i) {
        const double rest = is->b[i] * y + is->c[i] - (has_strokes ? is->stroke[i] : 0);
        if (fabs(is->a[i]) < 1e-12) {
            *high = rest < 0 ? -INFINITY : *high;
        } else if (is->a[i] > 0) {
            *low = fmax(*low, -rest / is->a[i]);
        } else {
            *high = fmin(*high, -rest / is->a[i]);
        }
    }
}

static void draw_polygon(raster *r, const polygon *is, const brush *with) {
    const int first = clamp_int(ceil(is->top - 0.5), 0, r->height);
    const int last = clamp_int(floor(is->bottom - 0.5) + 1, 0, r->height);
    for (int y = first; y < last; ++y) {
        double low, high, low_inside, high_inside;
        polygon_row(is, y + 0.5, false, &low, &high);
        polygon_row(is, y + 0.5, true, &low_inside, &high_inside);
        const int begin = clamp_int(ceil(low - 0.5), 0, r->width);
        const int end = clamp_int(floor(high - 0.5) + 1, 0, r->width);
        for (int x = begin; x < end; ++x) {
            const double z = is->z + is->zx * (x + 0.5) + is->zy * (y + 0.5);
            const bool is_border = x + 0.5 < low_inside || x + 0.5 > high_inside;
            put(r, x, y, fmin(fmax(z, is->far), is->near), with, is_border);
        }
    }
}

static void draw_line(raster *r, const render_segment *line, double lift) {
    const double dx = line->to.x - line->from.x, dy = line->to.y - line->from.y, length = hypot(dx, dy);
    const double half = line->width * SAMPLES / 2 / r->scale;
    if (length * r->scale < 1e-3) {
        return;
    }
    // A strip as wide as the line, which gets nearer along it alone.
    const double ex = dx / length * half, ey = dy / length * half, slope = (line->to.z - line->from.z) / length;
    const render_vec corners[4] = {{line->from.x - ey, line->from.y + ex, line->from.z},
                                   {line->to.x - ey, line->to.y + ex, line->to.z},
                                   {line->to.x + ey, line->to.y - ex, line->to.z},
                                   {line->from.x + ey, line->from.y - ex, line->from.z}};
    polygon strip;
    if (polygon_make(r, corners, 4, (render_vec){-slope * dx / length, -slope * dy / length, 1}, NULL, &strip)) {
        draw_polygon(r, &strip, &(brush){.fill = line->colour, .lift = lift});
    }
}

// ---- round solids --------------------------------------------------------------------------------

/// Where the line of sight through a place meets a sphere first. @return how near that is; -INFINITY: nowhere
static double meet_sphere(render_vec centre, double radius, double x, double y, render_vec *normal) {
    const double dx = x - centre.x, dy = y - centre.y, square = radius * radius - dx * dx - dy * dy;
    if (square < 0) {
        return -INFINITY;
    }
    const double dz = sqrt(square);
    *normal = (render_vec){dx / radius, dy / radius, dz / radius};
    return centre.z + dz;
}

/// The same of the side of a cylinder: |w - (w . u) u| = radius, with w the way from its one end and u the direction of
/// its axis, is an equation of the second degree for z.
static double meet_side(const render_vec ends[2], double radius, double x, double y, render_vec *normal) {
    const render_vec a = ends[0], d = {ends[1].x - a.x, ends[1].y - a.y, ends[1].z - a.z};
    const double length = sqrt(render_dot(d, d));
    const render_vec u = {d.x / length, d.y / length, d.z / length}, w = {x - a.x, y - a.y, -a.z};
    const double wu = render_dot(w, u), p = 1 - u.z * u.z, q = w.z - wu * u.z;
    const double square = q * q - p * (render_dot(w, w) - wu * wu - radius * radius);
    if (p < 1e-9 || square < 0) {
        return -INFINITY;
    }
    const double z = (sqrt(square) - q) / p, along = wu + z * u.z;
    if (along < 0 || along > length) {
        return -INFINITY;
    }
    *normal =
        (render_vec){(w.x - along * u.x) / radius, (w.y - along * u.y) / radius, (w.z + z - along * u.z) / radius};
    return z;
}

/// How far a place is from the line between two others, in the picture.
static double line_distance(const render_vec ends[2], double x, double y) {
    const double dx = ends[1].x - ends[0].x, dy = ends[1].y - ends[0].y, square = dx * dx + dy * dy;
    const double along = square > 0 ? ((x - ends[0].x) * dx + (y - ends[0].y) * dy) / square : 0;
    const double t = fmin(fmax(along, 0), 1);
    return hypot(x - ends[0].x - t * dx, y - ends[0].y - t * dy);
}

/// What is nearest of a capsule; a sphere has one end.
static double meet_round(const render_vec ends[2], uint32_t count, double radius, double x, double y,
                         render_vec *normal) {
    double nearest = count > 1 ? meet_side(ends, radius, x, y, normal) : -INFINITY;
    for (uint32_t i = 0; i < count; ++i) {
        render_vec there = {0, 0, 1};
        const double z = meet_sphere(ends[i], radius, x, y, &there);
        if (z > nearest) {
            nearest = z;
            *normal = there;
        }
    }
    return nearest;
}

static void draw_round(raster *r, const render_eye *eye, const render_solid *solid, brush with) {
    render_vec ends[ISO_HULL_VERTICES_MAX];
    const uint32_t count = iso__replay_solid_points(eye, solid->item, ends);
    ends[1] = count > 1 ? ends[1] : ends[0];
    const double radius = render_metres(solid->item->radius);
    const uint32_t fill = with.fill;
    const int first = clamp_int(floor(sample_y(r, solid->top)), 0, r->height);
    const int last = clamp_int(ceil(sample_y(r, solid->bottom)), 0, r->height);
    const int begin = clamp_int(floor(sample_x(r, solid->left)), 0, r->width);
    const int end = clamp_int(ceil(sample_x(r, solid->right)), 0, r->width);
    for (int row = first; row < last; ++row) {
        const double y = r->top - (row + 0.5) / r->scale;
        for (int column = begin; column < end; ++column) {
            const double x = r->left + (column + 0.5) / r->scale, apart = line_distance(ends, x, y);
            render_vec normal = {0, 0, 1};
            const double z = apart <= radius ? meet_round(ends, count, radius, x, y, &normal) : -INFINITY;
            if (z > -INFINITY) {
                with.fill = iso__replay_solid_shade(fill, normal);
                put(r, column, row, z, &with, apart > radius - with.width / r->scale);
            }
        }
    }
}

// ---- a frame -------------------------------------------------------------------------------------

static bool is_same_place(const iso_vec3_wide *a, const iso_vec3_wide *b) {
    return a->x == b->x && a->y == b->y && a->z == b->z;
}

/// Whether an edge is also that of another face that is seen: it goes there from its end to its begin.
static bool is_inner_edge(const render_eye *eye, const render_solid *solid, const iso_vec3_wide *from,
                          const iso_vec3_wide *to) {
    const iso_draw3_item *item = solid->item;
    for (uint32_t i = 0; i < solid->face_count; ++i, item = render_item_after(item)) {
        bool is_own = false;
        for (uint32_t k = 0; k < item->point_count; ++k) {
            is_own = is_own || (is_same_place(&item->points[k], to) &&
                                is_same_place(&item->points[(k + 1) % item->point_count], from));
        }
        if (is_own) {
            return render_seen_unit(eye, item->normal).z > FACING;
        }
    }
    return false;
}

/// Each of two faces that are seen has half of the stroke between them; what is an edge of the picture has all of it.
static void draw_face(raster *r, const render_eye *eye, const render_solid *solid, const iso_draw3_item *item,
                      const brush *with) {
    render_vec points[ISO_HULL_VERTICES_MAX];
    double strokes[ISO_HULL_VERTICES_MAX];
    const uint32_t count = iso__replay_solid_points(eye, item, points);
    for (uint32_t i = 0; i < count; ++i) {
        const bool is_inner = is_inner_edge(eye, solid, &item->points[i], &item->points[(i + 1) % count]);
        strokes[i] = is_inner ? with->width / 2 : with->width;
    }
    polygon face;
    if (polygon_make(r, points, count, render_seen_unit(eye, item->normal), strokes, &face)) {
        draw_polygon(r, &face, with);
    }
}

static void draw_solid(raster *r, const render_eye *eye, const render_solid *solid, double stroke) {
    const iso_draw3_item *item = solid->item;
    const render_colours is = iso__replay_sign_shape(item->body_type, item->owner, item->is_asleep);
    brush with = {is.fill, is.stroke, stroke * SAMPLES, 0, item->is_sensor};
    if (solid->face_count == 0) {
        draw_round(r, eye, solid, with);
        return;
    }
    for (uint32_t i = 0; i < solid->face_count; ++i, item = render_item_after(item)) {
        const render_vec normal = render_seen_unit(eye, item->normal);
        if (normal.z > FACING) {
            with.fill = iso__replay_solid_shade(is.fill, normal);
            draw_face(r, eye, solid, item, &with);
        }
    }
}

static void draw_headings(raster *r, const render_eye *eye, const render_solid *solid, double stroke) {
    const iso_draw3_item *heading = solid->heading;
    for (uint32_t i = 0; i < solid->heading_count; ++i, heading = render_item_after(heading)) {
        const render_colours is = iso__replay_sign_shape(heading->body_type, heading->owner, heading->is_asleep);
        render_vec points[RENDER_HEADING_POINTS];
        const uint32_t count = iso__replay_solid_heading(eye, solid, heading, points);
        for (uint32_t k = 1; k < count; ++k) {
            const render_segment line = {points[k - 1], points[k], is.stroke, stroke};
            draw_line(r, &line, LINE_LIFT * render_metres(solid->item->radius));
        }
    }
}

static bool is_in_band(const raster *r, const render_solid *solid) {
    return sample_y(r, solid->bottom) >= 0 && sample_y(r, solid->top) <= r->height;
}

/// What is solid, then the lines on it, then what can be looked through.
static void draw_band(raster *r, const render_eye *eye, const render_solids *solids, const render_segment *lines,
                      uint32_t line_count, double stroke) {
    for (uint32_t i = 0; i < solids->count; ++i) {
        if (!solids->items[i].item->is_sensor && is_in_band(r, &solids->items[i])) {
            draw_solid(r, eye, &solids->items[i], stroke);
        }
    }
    for (uint32_t i = 0; i < line_count; ++i) {
        draw_line(r, &lines[i], 0);
    }
    for (uint32_t i = 0; i < solids->count; ++i) {
        if (!solids->items[i].item->is_sensor && is_in_band(r, &solids->items[i])) {
            draw_headings(r, eye, &solids->items[i], stroke);
        }
    }
    for (uint32_t i = 0; i < solids->count; ++i) {
        if (solids->items[i].item->is_sensor && is_in_band(r, &solids->items[i])) {
            draw_solid(r, eye, &solids->items[i], stroke);
        }
    }
}

/// The mean of a pixel's samples, as an image has it.
static uint32_t pixel_of(const raster *r, int x, int y, double fade) {
    uint32_t sums[4] = {0}; // red, green, blue, alpha
    for (int i = 0; i < SAMPLES; ++i) {
        const uint32_t *samples = r->colour + (size_t)(y * SAMPLES + i) * (size_t)r->width + (size_t)(x * SAMPLES);
        for (int k = 0; k < SAMPLES; ++k) {
            for (unsigned channel = 0; channel < 4; ++channel) {
                sums[channel] += samples[k] >> (24 - 8 * channel) & 0xFF;
            }
        }
    }
    uint32_t pixel = 0;
    for (int channel = 0; channel < 4; ++channel) {
        const uint32_t mean = (uint32_t)lround(sums[channel] * fade / (SAMPLES * SAMPLES));
        pixel |= mean << (channel == 3 ? 24 : 16 - 8 * channel);
    }
    return pixel;
}

static bool raster_make(raster *r, const render_panel *panel) {
    r->scale = panel->scale * SAMPLES;
    r->width = (int)(ceil(panel->x + panel->width) - floor(panel->x)) * SAMPLES;
    r->height = BAND_ROWS * SAMPLES;
    const size_t samples = (size_t)r->width * (size_t)r->height;
    r->depth = malloc(samples * sizeof *r->depth);
    r->colour = malloc(samples * sizeof *r->colour);
    r->pixels = malloc(samples / (SAMPLES * SAMPLES) * sizeof *r->pixels);
    return r->depth != NULL && r->colour != NULL && r->pixels != NULL;
}

/// @param row  [pixels] of the picture, where the band begins
static void raster_begin(raster *r, const render_panel *panel, double row) {
    const size_t samples = (size_t)r->width * (size_t)r->height;
    r->left = panel->view.x + (floor(panel->x) - panel->x) / panel->scale;
    r->top = panel->view.y + (panel->y + panel->height - row) / panel->scale;
    for (size_t i = 0; i < samples; ++i) {
        r->depth[i] = -INFINITY;
    }
    memset(r->colour, 0, samples * sizeof *r->colour);
}

bool iso__replay_raster_draw(render_canvas *canvas, const render_panel *panel, const render_eye *eye,
                             const render_solids *solids, const render_segment *lines, uint32_t line_count,
                             double stroke, double fade) {
    raster r = {0};
    bool ok = raster_make(&r, panel);
    for (double row = floor(panel->y); ok && row < panel->y + panel->height; row += BAND_ROWS) {
        const int width = r.width / SAMPLES;
        raster_begin(&r, panel, row);
        draw_band(&r, eye, solids, lines, line_count, stroke);
        for (int y = 0; y < BAND_ROWS; ++y) {
            for (int x = 0; x < width; ++x) {
                r.pixels[(size_t)y * (size_t)width + (size_t)x] = pixel_of(&r, x, y, fade);
            }
        }
        ok = canvas->format->image(canvas, floor(panel->x), row, width, BAND_ROWS, r.pixels);
    }
    free(r.depth);
    free(r.colour);
    free(r.pixels);
    return ok;
}
