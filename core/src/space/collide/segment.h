/// Segments, the cores of capsules, and where two of them are nearest.
#ifndef ISO_SPACE_COLLIDE_SEGMENT_H
#define ISO_SPACE_COLLIDE_SEGMENT_H

#include "space/collide/vec_ops.h"

/// sin^2 of the angle below which two directions count as parallel: 2^-12, Q.60.
#define ISO__SPACE_SEGMENT_PARALLEL (INT64_C(1) << 48)

typedef struct iso__space_segment {
    int64_t ends[2][3]; // [m] Q.24
    int32_t unit[3];    // Q2.30, from the first to the second; zero when they are equal
    int64_t length;     // [m] Q.24
} iso__space_segment;

/// The rest of a segment whose ends are set.
static inline void iso__space_segment_complete(iso__space_segment *segment) {
    int64_t v[3];
    iso__space_ops_sub(segment->ends[1], segment->ends[0], v);
    segment->length = iso__space_ops_normalize(v, segment->unit);
}

/// The point at a distance `at` from the first end, 0 to length.
static inline void iso__space_segment_point(const iso__space_segment *segment, int64_t at, int64_t point[3]) {
    const int64_t *near = segment->ends[2 * at > segment->length];
    iso__space_ops_advance(near, segment->unit, 2 * at > segment->length ? at - segment->length : at, point);
}

/// Where on the segment it is nearest to a point.
static inline int64_t iso__space_segment_nearest(const iso__space_segment *segment, const int64_t point[3]) {
    int64_t v[3];
    iso__space_ops_sub(point, segment->ends[0], v);
    return iso__clamp64(iso__space_ops_along(segment->unit, v), 0, segment->length);
}

/// Where two segments are nearest to each other; when all of what they share is equally near, in its middle.
///
/// @param at  [m] Q.24: on a, on b
/// @return whether their directions are parallel
bool iso__space_segment_nearest_two(const iso__space_segment *a, const iso__space_segment *b, int64_t at[2]);

/// The part of `a` along which `b` lies, as distances from a's first end: empty when low > high.
void iso__space_segment_shared(const iso__space_segment *a, const iso__space_segment *b, int64_t *low, int64_t *high);

#endif
