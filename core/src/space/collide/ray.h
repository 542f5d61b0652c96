/// Where rays enter pieces.
#ifndef ISO_SPACE_COLLIDE_RAY_H
#define ISO_SPACE_COLLIDE_RAY_H

#include "isostep/vec3.h"

#include "space/collide/piece.h"

/// A ray and its direction, scaled up so that short ones keep their bits: `direction` / `length` is the unit vector.
typedef struct iso__space_ray {
    int64_t origin[3];    // [m] Q31.32
    int64_t direction[3]; // below 2^61
    int64_t length;       // of `direction`, rounded down; 0 for a ray without length
    int64_t reach;        // [m] Q31.32, how long the ray is
} iso__space_ray;

/// All but the origin.
void iso__space_ray_init(iso__space_ray *ray, iso_vec3_wide translation);

/// The point `s` [m] Q31.32 along a ray.
void iso__space_ray_point(const iso__space_ray *ray, int64_t s, int64_t point[3]);

/// Narrows a part of the ray, [m] Q31.32, to where its coordinate is between two values; it is empty when its end is
/// before its begin.
void iso__space_ray_clip(const iso__space_ray *ray, int axis, int64_t low, int64_t high, int64_t part[2]);

/// Moves the origin along the ray to where it comes near: within `extent` [m] Q31.32 of the frame's origin, and a meter
/// more. @return how far it was moved; -1: the ray passes by
int64_t iso__space_ray_approach(iso__space_ray *ray, int64_t extent);

/// Where a ray that begins outside enters a piece.
/// @param ray     near the piece: iso__space_ray_approach, but of a half-space anywhere
/// @param s       [m] Q31.32 along the ray, 0 to its reach
/// @param normal  Q2.30, out of the piece
/// @return false when it does not
bool iso__space_ray_enter(const iso__space_ray *ray, const iso__space_piece *piece, int64_t *s, int32_t normal[3]);

#endif
