/// Convex hulls of 4 to 32 points in space: their faces, edges and normals.
///
/// All of it is derived from the points and takes part in no sum that depends on how they are ordered in memory.
#ifndef ISO_SPACE_COLLIDE_HULL_H
#define ISO_SPACE_COLLIDE_HULL_H

#include <stdint.h>

#include "isostep/status.h"

#define ISO__SPACE_HULL_VERTICES 32
#define ISO__SPACE_HULL_FACES    60
#define ISO__SPACE_HULL_EDGES    90

typedef struct iso__space_hull {
    int32_t vertices[ISO__SPACE_HULL_VERTICES]
                    [3];                       // [m] Q7.24, in the order of the points; those on no edge are left out
    int32_t normals[ISO__SPACE_HULL_FACES][3]; // Q2.30, outwards
    int64_t offsets[ISO__SPACE_HULL_FACES];    // [m] Q.54: the largest normal . vertex, not rounded
    int32_t directions[ISO__SPACE_HULL_EDGES][3]; // Q2.30, of edges from the lower vertex to the higher one
    uint8_t edges[ISO__SPACE_HULL_EDGES]
                 [4]; // the lower vertex, the higher one, the face to the left, that to the right
    uint8_t first[ISO__SPACE_HULL_FACES + 1]; // where the ring of a face begins; it ends where the next one begins
    uint8_t ring[2 * ISO__SPACE_HULL_EDGES];  // vertices of a face from its lowest on, counterclockwise from outside
    uint8_t ring_edge[2 * ISO__SPACE_HULL_EDGES]; // the edge from this vertex of a ring to the next one
    uint8_t vertex_count, face_count, edge_count;
} iso__space_hull;

/// Builds the hull of points. Faces are in the order of their rings, edges in that of their vertices.
///
/// @param points  [m] Q7.24, 4 to 32; their extent along each axis is at most 120 m
/// @return ISO_OK; ISO_ERR_GEOMETRY: the number of points, an extent, less than 2^-30 m^3, an edge below 2^-12 m, or
///         that it is no solid, or a much smaller one, when faces within 2^-12 m of one plane are one. On error the
///         hull is undefined.
iso_status iso__space_hull_make(const int32_t (*points)[3], uint32_t count, iso__space_hull *hull);

/// The hull of a box about its centre, in its frame: what iso__space_hull_make gives for its corners.
///
/// @param half  [m] Q.24, each below 64 m
void iso__space_hull_make_box(const int64_t half[3], iso__space_hull *hull);

/// What all boxes have in common: rings, edges, and directions in the box's frame. The bits of a corner's number say on
/// which side of each axis it is; corners and offsets are zero.
const iso__space_hull *iso__space_hull_box(void);

/// The face at a vertex that is most against a direction, of equal ones the first. Another face of the hull may be more
/// against it, but it is not where the hull is nearest.
///
/// @param normals  the normals of the hull's faces in the frame of n, Q2.30
/// @param vertex   below vertex_count
/// @param n        Q2.30
uint32_t iso__space_hull_find_face(const iso__space_hull *hull, const int32_t (*normals)[3], uint32_t vertex,
                                   const int32_t n[3]);

/// Moves a hull, so that it is about another point; its points must stay below 128 m.
void iso__space_hull_move(iso__space_hull *hull, const int32_t by[3]);

#endif
