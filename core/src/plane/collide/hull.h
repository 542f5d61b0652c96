/// Rounded convex pieces for queries: a circle is one vertex, a capsule two, a polygon three and more.
///
/// Coordinates are Q31.32 metres from the centre of mass of the shape's body, in the world's orientation, so that the
/// place of a query relative to it is exact. They are within ±2^18 m: places are within 2^16 m, rays twice as long.
/// Products have 128 bits, so nothing here needs a proof of range but that no difference leaves 64.
#ifndef ISO_PLANE_COLLIDE_HULL_H
#define ISO_PLANE_COLLIDE_HULL_H

#include "isostep/fixed.h"
#include "isostep/shape.h"

typedef struct iso__plane_hull {
    int64_t vertices[ISO_POLYGON_VERTICES_MAX][2]; // [m] Q31.32, counter-clockwise
    int32_t normals[ISO_POLYGON_VERTICES_MAX][2];  // Q2.30, of the edge from vertex i to i + 1
    int64_t radius;                                // [m] Q31.32
    int64_t taper; // [m] Q31.32: what the second of two vertices has more; see plane/collide/taper.h
    uint32_t count;
    bool is_one_sided; // a segment: rays enter it against the first normal alone
} iso__plane_hull;

/// A definition that passed iso_shape_def_check, its frame at a place and turned.
void iso__plane_hull_of_def(const iso_shape_def *def, int64_t x, int64_t y, iso_rotation q, iso__plane_hull *hull);
/// An upright box; its sides may be zero.
void iso__plane_hull_of_box(const int64_t lower[2], const int64_t upper[2], iso__plane_hull *hull);

typedef struct iso__plane_hull_point {
    int64_t distance; // [m] Q31.32 from the border, negative inside
    int64_t point[2]; // of the border
    int32_t normal[2];
} iso__plane_hull_point;

/// The point of the border nearest to p.
void iso__plane_hull_closest(const iso__plane_hull *hull, const int64_t p[2], iso__plane_hull_point *closest);

/// How far two pieces are apart; negative: the least translation that parts them.
int64_t iso__plane_hull_separation(const iso__plane_hull *a, const iso__plane_hull *b);
/// The same. @param axis  Q2.30, the direction from a to b along which they are as far apart
int64_t iso__plane_hull_separate(const iso__plane_hull *a, const iso__plane_hull *b, int32_t axis[2]);

/// A ray and its direction, scaled up so that short ones keep their bits: `direction` / `length` is the unit vector.
typedef struct iso__plane_ray {
    int64_t origin[2];    // [m] Q31.32
    int64_t direction[2]; // below 2^61
    int64_t length;       // of `direction`, rounded down; 0 for a ray without length
    int64_t reach;        // [m] Q31.32, how long the ray is
} iso__plane_ray;

void iso__plane_ray_init(iso__plane_ray *ray, iso_vec2_wide translation);

/// Whether the ray's line comes as near to the frame's origin as `extent` [m] Q31.32, or nearly so.
bool iso__plane_ray_is_near(const iso__plane_ray *ray, int64_t extent);

/// The point `s` [m] Q31.32 along a ray.
void iso__plane_ray_point(const iso__plane_ray *ray, int64_t s, int64_t point[2]);

/// Where a ray that begins outside enters a piece.
/// @param s       [m] Q31.32 along the ray, 0 to its reach
/// @param normal  Q2.30
/// @return false when it does not
bool iso__plane_hull_cast(const iso__plane_hull *hull, const iso__plane_ray *ray, int64_t *s, int32_t normal[2]);

#endif
