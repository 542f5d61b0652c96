/// Solids: the shapes of a frame as they are seen.
#include <math.h>
#include <stdlib.h>

#include "isostep/body.h"
#include "render/space.h"

/// Where the light comes from, as seen: above the eye, a little to its left.
static const render_vec light = {-0.35, 0.75, 0.56};

#define DARKEST 0.58 // of a colour where the light does not fall
#define LIGHT   0.47 // what it adds where it falls straight; beyond 1 a colour is as it is

uint32_t iso__replay_solid_shade(uint32_t colour, render_vec normal) {
    const double lit = 0.5 + 0.5 * render_dot(normal, light) / sqrt(render_dot(light, light));
    const double factor = fmin(DARKEST + LIGHT * lit, 1);
    uint32_t shaded = colour & 0xFF;
    for (unsigned shift = 8; shift < 32; shift += 8) {
        shaded |= (uint32_t)lround((colour >> shift & 0xFF) * factor) << shift;
    }
    return shaded;
}

uint32_t iso__replay_solid_points(const render_eye *eye, const iso_draw3_item *item, render_vec *points) {
    for (uint32_t i = 0; i < item->point_count; ++i) {
        points[i] = render_seen(eye, item->points[i]);
    }
    return item->point_count;
}

static void solid_add(const render_eye *eye, render_solid *solid, const iso_draw3_item *item) {
    render_vec points[ISO_HULL_VERTICES_MAX];
    const uint32_t count = iso__replay_solid_points(eye, item, points);
    const double radius = render_metres(item->radius);
    for (uint32_t i = 0; i < count; ++i) {
        solid->left = fmin(solid->left, points[i].x - radius);
        solid->right = fmax(solid->right, points[i].x + radius);
        solid->bottom = fmin(solid->bottom, points[i].y - radius);
        solid->top = fmax(solid->top, points[i].y + radius);
        solid->far = fmin(solid->far, points[i].z - radius);
        solid->near = fmax(solid->near, points[i].z + radius);
    }
}

bool iso__replay_solids_make(const render_eye *eye, const render_frame *frame, bool has_static, render_solids *solids) {
    solids->count = 0;
    solids->items = malloc((size_t)(frame->solid_count + 1) * sizeof *solids->items);
    if (solids->items == NULL) {
        return false;
    }
    const iso_draw3_item *item = render_item_first(frame);
    render_solid *last = NULL;
    for (uint32_t i = 0; i < frame->solid_count; ++i, item = render_item_after(item)) {
        const bool is_shape = item->part == ISO_DRAW_SHAPES && item->kind != ISO_DRAW3_PLANE;
        if (!is_shape || (item->body_type == ISO_BODY_STATIC && !has_static)) {
            continue;
        }
        const bool is_same = last != NULL && last->item->shape.index == item->shape.index;
        if (item->role == ISO_DRAW_HEADING && is_same) {
            last->heading = last->heading_count == 0 ? item : last->heading;
            ++last->heading_count;
        } else if (item->role == ISO_DRAW_OUTLINE) {
            if (!is_same) {
                last = &solids->items[solids->count++];
                *last = (render_solid){item, 0, NULL, 0, INFINITY, INFINITY, -INFINITY, -INFINITY, INFINITY, -INFINITY};
            }
            last->face_count += item->kind == ISO_DRAW3_FACE;
            solid_add(eye, last, item);
        }
    }
    return true;
}

/// Half of a great circle is in front of its sphere.
static uint32_t heading_of_sphere(const render_eye *eye, const iso_draw3_item *circle, render_vec *points) {
    const render_vec centre = render_seen(eye, circle->points[0]), n = render_seen_unit(eye, circle->normal);
    const render_vec side = render_seen_unit(eye, circle->side);
    const render_vec other = {n.y * side.z - n.z * side.y, n.z * side.x - n.x * side.z, n.x * side.y - n.y * side.x};
    const double radius = render_metres(circle->radius), nearest = atan2(other.z, side.z);
    if (hypot(other.z, side.z) < 1e-6) { // it is the border
        return 0;
    }
    for (int i = 0; i < RENDER_HEADING_POINTS; ++i) {
        const double angle = nearest + CANVAS_PI * ((double)i / (RENDER_HEADING_POINTS - 1) - 0.5);
        const double c = radius * cos(angle), s = radius * sin(angle);
        points[i] = (render_vec){centre.x + c * side.x + s * other.x, centre.y + c * side.y + s * other.y,
                                 centre.z + c * side.z + s * other.z};
    }
    return RENDER_HEADING_POINTS;
}

uint32_t iso__replay_solid_heading(const render_eye *eye, const render_solid *solid, const iso_draw3_item *heading,
                                   render_vec points[RENDER_HEADING_POINTS]) {
    if (heading->kind == ISO_DRAW3_ARC) {
        return heading_of_sphere(eye, heading, points);
    }
    points[0] = render_seen(eye, heading->points[0]);
    points[1] = render_seen(eye, heading->points[1]);
    return points[0].z > render_seen(eye, solid->item->points[0]).z ? 2 : 0;
}
