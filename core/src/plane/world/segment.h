/// Segments: one-sided pieces of a line, whose points are Q31.32.
///
/// A segment may lie far from its body, so it has a place of its own: the middle between its ends. Its derived vertices
/// are about that place, and all that is done with Q7.24 works there.
#ifndef ISO_PLANE_WORLD_SEGMENT_H
#define ISO_PLANE_WORLD_SEGMENT_H

#include "isostep/shape.h"
#include "plane/world/plane.h"

#define ISO__PLANE_SEGMENT_POINTS 4 // the neighbour before, the two ends, the neighbour behind
/// Where the derived normals of the neighbours are, behind those of the two sides; (0, 0) where there is none.
#define ISO__PLANE_SEGMENT_BEFORE 2
#define ISO__PLANE_SEGMENT_BEHIND 3

/// Checks the points of a definition. @return ISO_OK; ISO_ERR_GEOMETRY
iso_status iso__plane_segment_check(const iso_shape_def *def);

/// The record keeps each coordinate as two words, the low one first: the canonical bytes are those of 64-bit numbers.
void iso__plane_segment_write(iso__plane_shape *record, const iso_vec2_wide points[ISO__PLANE_SEGMENT_POINTS]);
iso_vec2_wide iso__plane_segment_point(const iso__plane_shape *record, uint32_t i);

/// [m] Q7.24, rounded up: how far its ends are from its middle.
int32_t iso__plane_segment_extent(const iso__plane_shape *record);
/// The same from a point of the body's frame, Q7.24; at most INT32_MAX.
int32_t iso__plane_segment_extent_from(const iso__plane_shape *record, int32_t x, int32_t y);

/// Sets origin, vertices, normals and extent.
/// @param centre  [m] Q7.24, the body's centre of mass in its frame
void iso__plane_segment_derive(const iso__plane_shape *record, const int32_t centre[2],
                               iso__plane_shape_derived *derived);

#endif
