/// A world's shapes where they are, as plane/collide/ takes them.
#ifndef ISO_PLANE_WORLD_GEOMETRY_H
#define ISO_PLANE_WORLD_GEOMETRY_H

#include "plane/collide/box.h"
#include "plane/collide/hull.h"
#include "plane/collide/manifold.h"
#include "plane/world/plane.h"

/// The box of a shape, rounded outwards and grown by `growth` [m] Q15.16 on each side.
iso__plane_box iso__plane_shape_box(const iso__plane *plane, uint32_t shape, int32_t growth);

/// By how much the boxes of candidates are grown: half the speculative distance, rounded up.
static inline int32_t iso__plane_box_growth(const iso_world_def *def) {
    return (def->speculative_distance + 1) / 2;
}

/// See iso__plane_shape_origin, which calls it for segments.
iso_vec2_wide iso__plane_shape_turn_origin(const int64_t origin[2], iso_rotation q);

/// Where a shape's vertices count from: a segment's middle, else its body's centre of mass. [m] Q31.32 from the latter,
/// in the world's orientation.
/// @param q  of the body
static inline iso_vec2_wide iso__plane_shape_origin(const iso__plane *plane, uint32_t shape, iso_rotation q) {
    const int64_t *origin = plane->shape_derived[shape].origin;
    return (origin[0] | origin[1]) == 0 ? (iso_vec2_wide){0, 0} : iso__plane_shape_turn_origin(origin, q);
}

/// The vector of a one-way shape's solid side, turned with its body.
/// @param direction  receives x and y, Q.30, of any length up to sqrt(2)
/// @return false, and nothing is written, when the shape is solid from all sides
bool iso__plane_shape_one_way(const iso__plane *plane, uint32_t shape, int64_t direction[2]);

/// A shape as a piece for queries.
void iso__plane_shape_hull(const iso__plane *plane, uint32_t shape, iso__plane_hull *hull);
/// The same if its body had this rotation.
void iso__plane_shape_hull_turned(const iso__plane *plane, uint32_t shape, iso_rotation q, iso__plane_hull *hull);

/// A shape as a piece to collide.
iso__plane_collider iso__plane_shape_collider(const iso__plane *plane, uint32_t shape);

/// Where two bodies are against each other, in the world's orientation.
typedef struct iso__plane_relative_pose {
    iso_rotation rotation[2]; // of A and of B
    int64_t offset[2];        // [m] Q.24, of B's centre of mass from A's
} iso__plane_relative_pose;

/// Collides two shapes as if their bodies had this pose.
void iso__plane_shapes_collide_at(const iso__plane *plane, const iso__manifold_settings *settings, uint32_t shape_a,
                                  uint32_t shape_b, const iso__plane_relative_pose *pose,
                                  iso__plane_manifold *manifold);

/// Within 3.6 degrees of upright or of lying.
static inline bool iso__plane_rotation_is_upright(iso_rotation q) {
    const uint32_t c = iso__abs_u32(q.c), s = iso__abs_u32(q.s);
    return (c < s ? c : s) < ISO__UNIT_ONE / 16;
}

/// Whether two shapes are surely too far apart for a point of a manifold: cheaper than to collide them, so `false` says
/// nothing. Their bounding boxes overlap, which boxes that are upright fill: of those nobody should ask.
bool iso__plane_shapes_are_beyond(const iso__plane *plane, const iso__manifold_settings *settings, uint32_t shape_a,
                                  uint32_t shape_b);

/// Collides two shapes. The manifold has no points when they are farther apart than the speculative distance.
void iso__plane_shapes_collide(const iso__plane *plane, const iso__manifold_settings *settings, uint32_t shape_a,
                               uint32_t shape_b, iso__plane_manifold *manifold);

/// Collides the shapes of a contact at their present poses. The manifold has no points when they have come apart since
/// the contact was made.
void iso__plane_contact_collide(const iso__plane *plane, const iso__plane_contact *contact,
                                iso__plane_manifold *manifold);

#endif
