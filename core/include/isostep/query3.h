/// Questions about where shapes are in space: points, rays, overlaps, shapes on their way.
///
/// All that query.h says of worlds in the plane holds: when a game may ask and what it sees, threads, the order of
/// hits, filters (which are those of query.h). In the plane these functions return ISO_ERR_DIMENSION, as those of
/// query.h do here. On error the count is 0 and no hit is written.
///
/// A field of heights is solid from its surface down to its floor, with upright sides (heights.h). Rays meet its
/// surface from above alone. Its border is also the floor and the sides, for points as for shapes on their way. How
/// deep something is in it is what the ground below one triangle says, the deepest of them, and at most
/// ISO_HEIGHTS_DEPTH_M: no smaller displacement parts the two, though what is buried needs a larger one. Where a shape
/// on its way touches it is of one triangle. One that touches a field from the beginning, as near as rounding, may meet
/// an edge of it, with a normal of the surface. An overlap costs some microseconds for each triangle below what is
/// asked about; a way, for each that it passes over as near as its height.
///
/// Each is linear in the number of shapes; one that is too far away costs a comparison of its bounding sphere.
///
/// Errors. A corner is rounded to 2^-32 m after its rotation, whose matrix is within 1.9e-9, as are normals: a border
/// is within 1.2e-7 m of the true one at 60 m from the centre of mass, in proportion nearer. Distances and points add
/// 2^-30 of the distance from the shape, and for a ray 2^-32 m along it. A ray that passes a border within these bounds
/// may hit or miss it, the same way everywhere. Faces of a hull that are one because they lie within 2^-12 m of a plane
/// count as that plane, moved out to the farthest corner.
#ifndef ISOSTEP_QUERY3_H
#define ISOSTEP_QUERY3_H

#include "isostep/query.h"
#include "isostep/shape3.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct iso_point3_hit {
    iso_shape_id shape;
    iso_body_id body;
    iso_vec3_wide point; // [m] of the shape's border, nearest to the given point
    iso_unit3 normal;    // out of the shape at that point
    iso_wide distance;   // [m] from the border, negative inside
} iso_point3_hit;

typedef struct iso_ray3_hit {
    iso_shape_id shape;
    iso_body_id body;
    iso_vec3_wide point; // [m] where the ray enters the shape
    iso_unit3 normal;    // out of the shape; zero when the ray begins inside
    iso_wide fraction;   // of the ray, 0 to 1; 0 when it begins inside
} iso_ray3_hit;

typedef struct iso_overlap3_hit {
    iso_shape_id shape;
    iso_body_id body;
    iso_wide separation; // [m] 0 or less: minus the smallest displacement that separates the two
} iso_overlap3_hit;

typedef struct iso_cast3_hit {
    iso_shape_id shape;
    iso_body_id body;
    iso_vec3_wide
        point; // [m] where they touch, the middle of it when they touch along an edge or a face, within 1e-6; the
               // given position when they overlap from the beginning
    iso_unit3 normal;  // out of the shape that is hit; zero when they overlap from the beginning
    iso_wide fraction; // of the way, 0 to 1; 0 when they overlap from the beginning
} iso_cast3_hit;

struct iso_world;

/// @name Points
/// @{

/// The nearest point of one shape's border.
/// @param point  [m] each component within ±ISO_QUERY_PLACE_MAX_M
/// @return ISO_OK; ISO_ERR_STALE; ISO_ERR_RANGE (point); ISO_ERR_DIMENSION
iso_status iso_shape3_get_closest_point(const struct iso_world *world, iso_shape_id shape, iso_vec3_wide point,
                                        iso_point3_hit *hit);

/// All shapes within `reach` of a point, by shape index. A reach of 0 finds those that contain it.
/// @param reach     [m] 0 to ISO_QUERY_PLACE_MAX_M
/// @param hits      room for `capacity` hits; may be NULL when that is 0
/// @param count     the number of shapes found, above `capacity` when hits were left out
/// @return ISO_OK; ISO_ERR_RANGE (point, reach); ISO_ERR_DIMENSION
iso_status iso_query3_point_all(const struct iso_world *world, iso_vec3_wide point, iso_wide reach,
                                iso_query_filter filter, iso_point3_hit *hits, uint32_t capacity, uint32_t *count);

/// The nearest shape within `reach` of a point; of several the lowest index. *count is 0 or 1. Inside of several shapes
/// it is the one whose border is farthest.
iso_status iso_query3_point_closest(const struct iso_world *world, iso_vec3_wide point, iso_wide reach,
                                    iso_query_filter filter, iso_point3_hit *hit, uint32_t *count);

/// All shapes within `reach` of a point, by distance, then shape index: of an array that is too short the nearest ones.
iso_status iso_query3_nearest(const struct iso_world *world, iso_vec3_wide point, iso_wide reach,
                              iso_query_filter filter, iso_point3_hit *hits, uint32_t capacity, uint32_t *count);
/// @}

/// @name Rays
/// From `origin` to `origin + translation`. A shape is hit once, where the ray enters it.
/// @{

/// All shapes that a ray hits, by fraction, then shape index.
/// @param translation  [m] each component within ±2 ISO_QUERY_PLACE_MAX_M; zero hits what contains the origin
/// @return ISO_OK; ISO_ERR_RANGE (origin, translation); ISO_ERR_DIMENSION
iso_status iso_query3_ray_all(const struct iso_world *world, iso_vec3_wide origin, iso_vec3_wide translation,
                              iso_query_filter filter, iso_ray3_hit *hits, uint32_t capacity, uint32_t *count);

/// The first shape that a ray hits; of several at one fraction the lowest index. *count is 0 or 1.
iso_status iso_query3_ray_closest(const struct iso_world *world, iso_vec3_wide origin, iso_vec3_wide translation,
                                  iso_query_filter filter, iso_ray3_hit *hit, uint32_t *count);
/// @}

/// @name Overlaps
/// Shapes that touch count as overlapping. "All" is by shape index; "closest" is the deepest one, of several the lowest
/// index, and *count is 0 or 1.
/// @{

/// Shapes that overlap the box from `lower` to `upper` [m], which may be equal.
/// @return ISO_OK; ISO_ERR_RANGE (a corner out of range, or upper below lower); ISO_ERR_DIMENSION
iso_status iso_query3_box_all(const struct iso_world *world, iso_vec3_wide lower, iso_vec3_wide upper,
                              iso_query_filter filter, iso_overlap3_hit *hits, uint32_t capacity, uint32_t *count);
iso_status iso_query3_box_closest(const struct iso_world *world, iso_vec3_wide lower, iso_vec3_wide upper,
                                  iso_query_filter filter, iso_overlap3_hit *hit, uint32_t *count);

/// Shapes that overlap a sphere, capsule, box or hull.
/// @param shape     only its geometry is used; a hull costs some ten microseconds more
/// @param position  [m] of the frame that its points are in
/// @param rotation  of that frame; of any length, all zero: none
/// @return ISO_OK; ISO_ERR_RANGE (position); ISO_ERR_WRONG_TYPE (a plane, heights); what iso_shape3_def_check returns;
///         ISO_ERR_DIMENSION
iso_status iso_query3_shape_all(const struct iso_world *world, const iso_shape3_def *shape, iso_vec3_wide position,
                                iso_quat rotation, iso_query_filter filter, iso_overlap3_hit *hits, uint32_t capacity,
                                uint32_t *count);
iso_status iso_query3_shape_closest(const struct iso_world *world, const iso_shape3_def *shape, iso_vec3_wide position,
                                    iso_quat rotation, iso_query_filter filter, iso_overlap3_hit *hit, uint32_t *count);
/// @}

/// @name Shapes on their way
/// A sphere, capsule, box or hull goes from `position` to `position + translation` without turning. A shape is hit
/// where they first touch: they come within 1.5e-8 m, along the way this divided by the cosine between way and normal.
/// What they touch at the beginning and come no nearer to is not hit, unless they overlap.
/// @{

/// All shapes that it hits, by fraction, then shape index.
/// @param translation  [m] each component within ±2 ISO_QUERY_PLACE_MAX_M; zero hits what overlaps
/// @return as iso_query3_shape_all, and ISO_ERR_RANGE (translation)
iso_status iso_query3_cast_all(const struct iso_world *world, const iso_shape3_def *shape, iso_vec3_wide position,
                               iso_quat rotation, iso_vec3_wide translation, iso_query_filter filter,
                               iso_cast3_hit *hits, uint32_t capacity, uint32_t *count);

/// The first shape that it hits; of several at one fraction the lowest index. *count is 0 or 1.
iso_status iso_query3_cast_closest(const struct iso_world *world, const iso_shape3_def *shape, iso_vec3_wide position,
                                   iso_quat rotation, iso_vec3_wide translation, iso_query_filter filter,
                                   iso_cast3_hit *hit, uint32_t *count);
/// @}

#ifdef __cplusplus
}
#endif

#endif
