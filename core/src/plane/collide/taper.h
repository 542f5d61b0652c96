/// Tapered capsules: the convex hull of two circles of different radii.
///
/// As a piece it is a capsule: two vertices, and the two flat sides as faces. Its second vertex has a radius that is
/// larger than the first one's by the taper, and its normals lean, so that both ends reach equally far along each: with
/// u the direction from vertex 0 to 1 at the distance d, and w to the right of it,
///
///   n.(p1 - p0) + r1 - r0 = 0   so   n = -t/d u +- sqrt(1 - t^2/d^2) w,   t = r1 - r0
///
/// Each side is sqrt(d^2 - t^2) long. Where nothing else is said, distances are those of the pieces with the first
/// vertex' radius taken off all around: what the second one has more goes into them where it is used.
#ifndef ISO_PLANE_COLLIDE_TAPER_H
#define ISO_PLANE_COLLIDE_TAPER_H

#include <stdbool.h>
#include <stdint.h>

/// Whether both sides have a length of at least 1 mm, so that neither circle holds the other.
/// @param way    [m] Q7.24 from the first vertex to the second, each component below 2^31
/// @param taper  [m] Q7.24 within 60 m
bool iso__plane_taper_has_sides(const int64_t way[2], int64_t taper);

/// The normals of the side to the right of the way, and of that to the left, within two quanta of Q2.30.
/// @param taper  one that has sides
void iso__plane_taper_normals(const int64_t way[2], int64_t taper, int32_t normals[2][2]);

/// What a vertex' radius is larger than the first one's. Pieces with more than two vertices have no taper.
static inline int64_t iso__plane_taper_at(int64_t taper, uint32_t vertex) {
    return (vertex & 1) != 0 ? taper : 0;
}

#endif
