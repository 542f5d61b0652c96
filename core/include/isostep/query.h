/// Questions about where shapes are: points, rays, overlaps, closest points.
///
/// A query takes the world as const: several threads may query at once (world.h).
///
/// A query reads only the state. It changes nothing and returns the same result on every processor, after a restore, a
/// decode or iso_world_drop_caches. A game may query at any time, also inside a step; the result is about the poses and
/// shapes at that moment.
///
/// What a game sees. In `join`, `command` and `before_step` bodies have the poses of the last tick. Bodies and shapes
/// that session changes, earlier commands or the game itself have created in this tick are included, those that they
/// have destroyed are not. Velocities, forces and kinematic targets that were set have no effect yet. In `after_step`
/// bodies have the poses of this tick.
///
/// The queries that find all shapes write the first `capacity` hits in canonical order and count all of them, so that
/// the caller can detect an array that is too short. Each is linear in the number of shapes; a shape that is too far
/// away costs a comparison of its bounding circle.
///
/// Errors. A shape's corners are rounded to 2^-32 m after its rotation, whose cosine and sine are within 9.3e-10:
/// its border is within 1.2e-7 m of the true one for a shape of 60 m, in proportion for smaller ones. Distances and
/// points add 2^-30 of the distance from the shape, and for a ray 2^-32 m along it. A ray that passes a border within
/// these bounds may hit or miss it, the same way everywhere.
#ifndef ISOSTEP_QUERY_H
#define ISOSTEP_QUERY_H

#include <stdbool.h>

#include "isostep/shape.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Maximum magnitude of each component of points, ray lengths and reaches in queries [m].
#define ISO_QUERY_PLACE_MAX_M 65536

/// Which shapes a query sees: its mask must contain a bit of the shape's category and the shape's mask a bit of the
/// query's category. Groups are ignored. A ray or shape that begins in a body hits that body first: to leave it out,
/// give its shapes a category of their own and the query a mask without it.
typedef struct iso_query_filter {
    uint32_t category;
    uint32_t mask;
} iso_query_filter;

/// Sees every shape that has a category and a mask.
iso_query_filter iso_query_filter_default(void);

typedef struct iso_point_hit {
    iso_shape_id shape;
    iso_body_id body;
    iso_vec2_wide point; // [m] of the shape's border, nearest to the given point
    iso_unit2 normal;    // out of the shape at that point
    iso_wide distance;   // [m] from the border, negative inside
} iso_point_hit;

typedef struct iso_ray_hit {
    iso_shape_id shape;
    iso_body_id body;
    iso_vec2_wide point; // [m] where the ray enters the shape
    iso_unit2 normal;    // out of the shape; (0, 0) when the ray begins inside
    iso_wide fraction;   // of the ray, 0 to 1; 0 when it begins inside
} iso_ray_hit;

typedef struct iso_overlap_hit {
    iso_shape_id shape;
    iso_body_id body;
    iso_wide separation; // [m] 0 or less: minus the smallest displacement that separates the two
} iso_overlap_hit;

struct iso_world;

/// @name Points
/// @{

/// The nearest point of one shape's border.
/// @param point  [m] each component within ±ISO_QUERY_PLACE_MAX_M
/// @return ISO_OK; ISO_ERR_STALE; ISO_ERR_RANGE (point)
iso_status iso_shape_get_closest_point(const struct iso_world *world, iso_shape_id shape, iso_vec2_wide point,
                                       iso_point_hit *hit);

/// All shapes within `reach` of a point, by shape index. A reach of 0 finds those that contain it.
/// @param reach     [m] 0 to ISO_QUERY_PLACE_MAX_M
/// @param hits      room for `capacity` hits; may be NULL when that is 0
/// @param count     the number of shapes found, above `capacity` when hits were left out
/// @return ISO_OK; ISO_ERR_RANGE (point, reach)
iso_status iso_query_point_all(const struct iso_world *world, iso_vec2_wide point, iso_wide reach,
                               iso_query_filter filter, iso_point_hit *hits, uint32_t capacity, uint32_t *count);

/// The nearest shape within `reach` of a point; of several the lowest index. *count is 0 or 1.
iso_status iso_query_point_closest(const struct iso_world *world, iso_vec2_wide point, iso_wide reach,
                                   iso_query_filter filter, iso_point_hit *hit, uint32_t *count);
/// @}

/// @name Rays
/// From `origin` to `origin + translation`. A shape is hit once, where the ray enters it.
/// @{

/// All shapes that a ray hits, by fraction, then shape index.
/// @param translation  [m] each component within ±2 ISO_QUERY_PLACE_MAX_M; zero hits what contains the origin
/// @return ISO_OK; ISO_ERR_RANGE (origin, translation)
iso_status iso_query_ray_all(const struct iso_world *world, iso_vec2_wide origin, iso_vec2_wide translation,
                             iso_query_filter filter, iso_ray_hit *hits, uint32_t capacity, uint32_t *count);

/// The first shape that a ray hits; of several at one fraction the lowest index. *count is 0 or 1.
iso_status iso_query_ray_closest(const struct iso_world *world, iso_vec2_wide origin, iso_vec2_wide translation,
                                 iso_query_filter filter, iso_ray_hit *hit, uint32_t *count);
/// @}

/// @name Overlaps
/// Shapes that touch count as overlapping. "All" is by shape index; "closest" is the deepest one, of several the lowest
/// index, and *count is 0 or 1.
/// @{

/// Shapes that overlap the box from `lower` to `upper` [m], which may be equal.
/// @return ISO_OK; ISO_ERR_RANGE (a corner out of range, or upper below lower)
iso_status iso_query_box_all(const struct iso_world *world, iso_vec2_wide lower, iso_vec2_wide upper,
                             iso_query_filter filter, iso_overlap_hit *hits, uint32_t capacity, uint32_t *count);
iso_status iso_query_box_closest(const struct iso_world *world, iso_vec2_wide lower, iso_vec2_wide upper,
                                 iso_query_filter filter, iso_overlap_hit *hit, uint32_t *count);

/// Shapes that overlap a circle, capsule or polygon.
/// @param shape     only its geometry is used
/// @param position  [m] of the frame that its points are in
/// @param angle     [rad] how that frame is turned
/// @return ISO_OK; ISO_ERR_RANGE (position); what iso_shape_def_check returns
iso_status iso_query_shape_all(const struct iso_world *world, const iso_shape_def *shape, iso_vec2_wide position,
                               iso_wide angle, iso_query_filter filter, iso_overlap_hit *hits, uint32_t capacity,
                               uint32_t *count);
iso_status iso_query_shape_closest(const struct iso_world *world, const iso_shape_def *shape, iso_vec2_wide position,
                                   iso_wide angle, iso_query_filter filter, iso_overlap_hit *hit, uint32_t *count);
/// @}

#ifdef __cplusplus
}
#endif

#endif
