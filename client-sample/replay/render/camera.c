/// Cameras: where they look, and what the things of a frame take of their picture.
#include <math.h>
#include <stdlib.h>

#include "isostep/body.h"
#include "render/space.h"

render_camera iso__replay_camera_make(double yaw, double pitch) {
    const double turn = yaw * CANVAS_PI / 180, down = pitch * CANVAS_PI / 180;
    const double cy = cos(turn), sy = sin(turn), cp = cos(down), sp = sin(down);
    return (render_camera){{cy, 0, -sy}, {-sy * sp, cp, -cy * sp}, {sy * cp, sp, cy * cp}};
}

/// @return false: it takes no place
static bool is_wanted(const iso_draw3_item *item) {
    return (item->role == ISO_DRAW_OUTLINE && item->kind != ISO_DRAW3_PLANE) || item->role == ISO_DRAW_ANCHOR;
}

/// The faces of a shape follow each other.
static bool is_same_solid(const iso_draw3_item *a, const iso_draw3_item *b) {
    return a != NULL && a->kind == ISO_DRAW3_FACE && b->kind == ISO_DRAW3_FACE && a->shape.index == b->shape.index;
}

bool iso__replay_camera_extents(const render_camera *camera, const render_frame *frame, render_extents *extents) {
    const render_eye eye = {camera, frame->centre};
    extents->count = 0;
    extents->items = malloc((size_t)(frame->solid_count + 1) * sizeof *extents->items);
    if (extents->items == NULL) {
        return false;
    }
    const iso_draw3_item *item = render_item_first(frame), *last = NULL;
    for (uint32_t i = 0; i < frame->solid_count; ++i, item = render_item_after(item)) {
        if (!is_wanted(item)) {
            continue;
        }
        if (!is_same_solid(last, item)) {
            extents->items[extents->count++] = (render_extent){
                .left = INFINITY,
                .bottom = INFINITY,
                .right = -INFINITY,
                .top = -INFINITY,
                .is_shape = item->role == ISO_DRAW_OUTLINE,
                .is_static = item->body_type == ISO_BODY_STATIC,
                .is_sign = item->role == ISO_DRAW_ANCHOR,
            };
        }
        last = item;
        render_extent *is = &extents->items[extents->count - 1];
        const double radius = render_metres(item->radius);
        for (uint32_t k = 0; k < item->point_count; ++k) {
            const render_vec at = render_seen(&eye, item->points[k]);
            is->left = fmin(is->left, at.x - radius);
            is->right = fmax(is->right, at.x + radius);
            is->bottom = fmin(is->bottom, at.y - radius);
            is->top = fmax(is->top, at.y + radius);
        }
        is->x = (is->left + is->right) / 2;
        is->y = (is->bottom + is->top) / 2;
    }
    return true;
}

iso_vec3_wide iso__replay_camera_centre(const render_film *film) {
    iso_wide low[3] = {INT64_MAX, INT64_MAX, INT64_MAX}, high[3] = {INT64_MIN, INT64_MIN, INT64_MIN};
    bool is_empty = true;
    for (uint32_t f = 0; f < film->count; ++f) {
        const iso_draw3_item *item = render_item_first(&film->frames[f]);
        for (uint32_t i = 0; i < film->frames[f].solid_count; ++i, item = render_item_after(item)) {
            if (!is_wanted(item) || (item->role == ISO_DRAW_OUTLINE && item->body_type == ISO_BODY_STATIC)) {
                continue;
            }
            const iso_wide at[3] = {item->points[0].x, item->points[0].y, item->points[0].z};
            for (int axis = 0; axis < 3; ++axis) {
                low[axis] = at[axis] < low[axis] ? at[axis] : low[axis];
                high[axis] = at[axis] > high[axis] ? at[axis] : high[axis];
            }
            is_empty = false;
        }
    }
    if (is_empty) {
        return (iso_vec3_wide){0, 0, 0};
    }
    return (iso_vec3_wide){low[0] + (high[0] - low[0]) / 2, low[1] + (high[1] - low[1]) / 2,
                           low[2] + (high[2] - low[2]) / 2};
}
