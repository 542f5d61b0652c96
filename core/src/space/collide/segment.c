#include "space/collide/segment.h"

#include "math/wide128.h"

/// sin^2 below which the crossing of two lines is lost to rounding: 2^-24, Q.60. There it is off by 8 mm per metre,
/// across which the lines come nearer by 2 um.
#define SEGMENT3_ALONG (INT64_C(1) << 36)
#define SEGMENT3_NOISE 8 // [m] Q.24: what rounding may do to a distance

void iso__space_segment_shared(const iso__space_segment *a, const iso__space_segment *b, int64_t *low, int64_t *high) {
    int64_t v[3], w[3];
    iso__space_ops_sub(b->ends[0], a->ends[0], v);
    iso__space_ops_sub(b->ends[1], a->ends[0], w);
    const int64_t first = iso__space_ops_along(a->unit, v), second = iso__space_ops_along(a->unit, w);
    *low = iso__max64(iso__min64(first, second), 0);
    *high = iso__min64(iso__max64(first, second), a->length);
}

/// Where the line of a is nearest to that of b: with d from a's beginning to b's and c = ua x ub, s ua - t ub + k c =
/// d, multiplied by ub x c, is s c.c = d . (ub x c).
static int64_t segment3_at_line(const iso__space_segment *a, const iso__space_segment *b, const int32_t c[3],
                                int64_t sine_squared) {
    int32_t w[3];
    iso__space_ops_cross(b->unit, c, w);
    int64_t d[3];
    iso__space_ops_sub(b->ends[0], a->ends[0], d);
    return iso__div_shift(iso__space_ops_dot(w, d), 60 - ISO__UNIT_FRACTION, sine_squared);
}

/// How far a point of `a` is from `b`.
static int64_t segment3_distance(const iso__space_segment *a, int64_t at, const iso__space_segment *b) {
    int64_t p[3], q[3], d[3];
    int32_t n[3];
    iso__space_segment_point(a, at, p);
    iso__space_segment_point(b, iso__space_segment_nearest(b, p), q);
    iso__space_ops_sub(q, p, d);
    return iso__space_ops_normalize(d, n);
}

/// Of segments that run along each other: the nearer end of what they share, or its middle.
static int64_t segment3_at_shared(const iso__space_segment *a, const iso__space_segment *b) {
    int64_t low, high;
    iso__space_segment_shared(a, b, &low, &high);
    if (low < high) {
        const int64_t at_low = segment3_distance(a, low, b), at_high = segment3_distance(a, high, b);
        if (iso__abs_u64(at_low - at_high) > SEGMENT3_NOISE) {
            return at_low < at_high ? low : high;
        }
    }
    return (low + high) >> 1;
}

bool iso__space_segment_nearest_two(const iso__space_segment *a, const iso__space_segment *b, int64_t at[2]) {
    int32_t c[3];
    iso__space_ops_cross(a->unit, b->unit, c);
    const int64_t sine_squared = iso__space_ops_cosine(c, c); // Q.60
    at[0] = sine_squared < SEGMENT3_ALONG ? segment3_at_shared(a, b) : segment3_at_line(a, b, c, sine_squared);
    at[0] = iso__clamp64(at[0], 0, a->length);
    int64_t p[3];
    iso__space_segment_point(a, at[0], p);
    at[1] = iso__space_segment_nearest(b, p);
    // What b's end cuts off moves the nearest point of a.
    iso__space_segment_point(b, at[1], p);
    at[0] = iso__space_segment_nearest(a, p);
    return sine_squared < ISO__SPACE_SEGMENT_PARALLEL;
}
