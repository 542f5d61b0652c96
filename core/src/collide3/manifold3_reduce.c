/// At most four points of a patch, and the same ones while it trembles.
///
/// In the order of the points, ties and near ties to the first: (1) the largest -0.453 x + 0.891 y - z, a later one only
/// if it is better by the slop; (2) the farthest from it, a later one only if it is 5 % farther; (3), (4) the one that
/// makes the largest triangle with these on either side, a later one only if it is 5 % larger. Nothing is chosen for
/// being deepest: rounding decides which of four equally deep corners that is, and half of the time picks the middle of
/// an edge. The direction of (1) is along no edge of usual shapes, so two corners of a box are never alike in it.
#include "collide3/manifold3_reduce.h"

#include "math/fixed_ops.h"

/// The direction of the first choice, Q.10.
#define REDUCE_X -464
#define REDUCE_Y 912
#define REDUCE_Z -1024

/// Coordinates are compared in Q.16, so that squared lengths fit: below 2^25, their squares' sums below 2^51.
#define REDUCE_SHIFT 8

static uint32_t reduce_find_first(const int64_t (*points)[3], uint32_t count, int64_t slop) {
    uint32_t first = 0;
    int64_t best = INT64_MIN;
    for (uint32_t i = 0; i < count; ++i) {
        const int64_t score = REDUCE_X * points[i][0] + REDUCE_Y * points[i][1] + REDUCE_Z * points[i][2];
        if (i == 0 || score > best + slop * 1024) {
            best = score;
            first = i;
        }
    }
    return first;
}

static uint32_t reduce_find_farthest(const int64_t (*points)[3], uint32_t count, uint32_t first, int64_t *squared) {
    uint32_t farthest = first;
    *squared = -1;
    for (uint32_t i = 0; i < count; ++i) {
        const int64_t dx = (points[i][0] - points[first][0]) >> REDUCE_SHIFT;
        const int64_t dy = (points[i][1] - points[first][1]) >> REDUCE_SHIFT;
        const int64_t d = dx * dx + dy * dy;
        // 1.05^2 = 441 / 400.
        if (i != first && (*squared < 0 || d * 400 > *squared * 441)) {
            *squared = d;
            farthest = i;
        }
    }
    return farthest;
}

/// The largest triangle on one side of the line through two points; UINT32_MAX when there is none larger than `least`.
static uint32_t reduce_find_side(const int64_t (*points)[3], uint32_t count, uint32_t first, uint32_t second,
                                 int64_t sign, int64_t least) {
    const int64_t *p = points[first], *q = points[second];
    const int64_t ex = (q[0] - p[0]) >> REDUCE_SHIFT, ey = (q[1] - p[1]) >> REDUCE_SHIFT;
    uint32_t found = UINT32_MAX;
    int64_t best = 0;
    for (uint32_t i = 0; i < count; ++i) {
        const int64_t dx = (points[i][0] - p[0]) >> REDUCE_SHIFT, dy = (points[i][1] - p[1]) >> REDUCE_SHIFT;
        const int64_t area = sign * (ex * dy - ey * dx);
        if (i != first && i != second && area > least && area * 20 > best * 21) {
            best = area;
            found = i;
        }
    }
    return found;
}

uint32_t iso__manifold3_reduce(const int64_t (*points)[3], uint32_t count, int64_t slop,
                               uint8_t kept[ISO__MANIFOLD3_POINTS]) {
    if (count <= ISO__MANIFOLD3_POINTS) {
        for (uint32_t i = 0; i < count; ++i) {
            kept[i] = (uint8_t)i;
        }
        return count;
    }
    int64_t squared;
    const uint32_t first = reduce_find_first(points, count, slop);
    const uint32_t second = reduce_find_farthest(points, count, first, &squared);
    // A point within a tenth of the slop of the line holds nothing that its ends do not hold, and only noise says where it is.
    const int64_t least = (slop / 10 >> REDUCE_SHIFT) * (int64_t)iso__isqrt64((uint64_t)squared);
    const uint32_t chosen[4] = {first, second, reduce_find_side(points, count, first, second, 1, least),
                                reduce_find_side(points, count, first, second, -1, least)};
    uint32_t kept_count = 0;
    for (uint32_t i = 0; i < count; ++i) {
        if (i == chosen[0] || i == chosen[1] || i == chosen[2] || i == chosen[3]) {
            kept[kept_count++] = (uint8_t)i;
        }
    }
    return kept_count;
}
