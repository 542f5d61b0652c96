/// Pictures of worlds in space: what the files that draw them share.
///
/// The projection is parallel. Places that are seen are metres of the picture: x to the right and y up from the frame's
/// centre, z towards the eye.
#ifndef ISO_REPLAY_RENDER_SPACE_H
#define ISO_REPLAY_RENDER_SPACE_H

#include <stddef.h>

#include "render/picture.h"

typedef struct render_vec {
    double x, y, z;
} render_vec;

static inline double render_dot(render_vec a, render_vec b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

/// A camera at its place.
typedef struct render_eye {
    const render_camera *camera;
    iso_vec3_wide centre; // [m] of the world, what is seen at the origin
} render_eye;

static inline render_vec render_seen_direction(const render_eye *eye, double x, double y, double z) {
    const render_camera *is = eye->camera;
    return (render_vec){
        is->right[0] * x + is->right[1] * y + is->right[2] * z,
        is->up[0] * x + is->up[1] * y + is->up[2] * z,
        is->towards[0] * x + is->towards[1] * y + is->towards[2] * z,
    };
}

/// Taken relative to the centre before it becomes a floating-point number.
static inline render_vec render_seen(const render_eye *eye, iso_vec3_wide at) {
    return render_seen_direction(eye, render_metres(iso_wide_sub(at.x, eye->centre.x)),
                                 render_metres(iso_wide_sub(at.y, eye->centre.y)),
                                 render_metres(iso_wide_sub(at.z, eye->centre.z)));
}

static inline render_vec render_seen_unit(const render_eye *eye, iso_unit3 n) {
    const double one = ISO_ROTATION_ONE;
    return render_seen_direction(eye, n.x / one, n.y / one, n.z / one);
}

// ---- items in a frame ----------------------------------------------------------------------------

/// Bytes of an item as a frame keeps it.
static inline size_t render_item_size(const iso_draw3_item *item) {
    return offsetof(iso_draw3_item, points) + item->point_count * sizeof item->points[0];
}

static inline const iso_draw3_item *render_item_first(const render_frame *frame) {
    return (const iso_draw3_item *)(const void *)frame->solid;
}

static inline const iso_draw3_item *render_item_after(const iso_draw3_item *item) {
    return (const iso_draw3_item *)(const void *)((const unsigned char *)item + render_item_size(item));
}

// ---- solids (solid.c) ----------------------------------------------------------------------------

/// A convex shape and where it is seen.
typedef struct render_solid {
    const iso_draw3_item *item;    // a sphere, a capsule, or the first of its faces
    uint32_t face_count;           // 0 of what is round
    const iso_draw3_item *heading; // the first of what shows how it is turned
    uint32_t heading_count;
    double left, bottom, right, top, far, near; // [m]
} render_solid;

typedef struct render_solids {
    render_solid *items; // malloc'ed
    uint32_t count;
} render_solids;

/// The solids of a frame, in the order of its items. @param has_static  with those of static bodies
/// @return false: there is no memory
bool iso__replay_solids_make(const render_eye *eye, const render_frame *frame, bool has_static, render_solids *solids);

/// Where a solid is seen. @return of a face the number of its corners, of what is round 1 or 2
uint32_t iso__replay_solid_points(const render_eye *eye, const iso_draw3_item *item, render_vec *points);

/// A colour of a surface with this normal, as the light falls on it.
uint32_t iso__replay_solid_shade(uint32_t colour, render_vec normal);

#define RENDER_HEADING_POINTS 33
/// The part of a heading that is seen on its solid, as a line through points. @return their number, 0: none
uint32_t iso__replay_solid_heading(const render_eye *eye, const render_solid *solid, const iso_draw3_item *heading,
                                   render_vec points[RENDER_HEADING_POINTS]);

/// Puts what hides another solid behind it in the list; where nothing else decides, by depth, then in the order that
/// they have. @return false: there is no memory (order.c)
bool iso__replay_solids_sort(const render_eye *eye, render_solids *solids);

// ---- pixels (raster.c) ---------------------------------------------------------------------------

typedef struct render_segment {
    render_vec from, to;
    uint32_t colour;
    double width; // [pixels]
} render_segment;

/// Draws solids, and lines that they may hide, on a canvas that takes images. @return false: there is no memory
bool iso__replay_raster_draw(render_canvas *canvas, const render_panel *panel, const render_eye *eye,
                             const render_solids *solids, const render_segment *lines, uint32_t line_count,
                             double stroke, double fade);

#endif
