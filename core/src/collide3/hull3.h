/// Convex hulls of 4 to 32 points in space: their faces, edges and normals.
///
/// All of it is derived from the points and takes part in no sum that depends on how they are ordered in memory.
#ifndef ISO_COLLIDE3_HULL3_H
#define ISO_COLLIDE3_HULL3_H

#include <stdint.h>

#define ISO__HULL3_VERTICES 32
#define ISO__HULL3_FACES    60
#define ISO__HULL3_EDGES    90

typedef struct iso__hull3 {
    int32_t vertices[ISO__HULL3_VERTICES][3]; // [m] Q7.24, in the order of the points; those on no edge are left out
    int32_t normals[ISO__HULL3_FACES][3];     // Q2.30, outwards
    int64_t offsets[ISO__HULL3_FACES];        // [m] Q.54: the largest normal . vertex, not rounded
    int32_t directions[ISO__HULL3_EDGES][3];  // Q2.30, of edges from the lower vertex to the higher one
    uint8_t edges[ISO__HULL3_EDGES][4];  // the lower vertex, the higher one, the face to the left, that to the right
    uint8_t first[ISO__HULL3_FACES + 1]; // where the ring of a face begins; it ends where the next one begins
    uint8_t ring[2 * ISO__HULL3_EDGES];  // vertices of a face from its lowest on, counterclockwise from outside
    uint8_t ring_edge[2 * ISO__HULL3_EDGES]; // the edge from this vertex of a ring to the next one
    uint8_t vertex_count, face_count, edge_count;
} iso__hull3;

#endif
