/// At most four points of a patch, and the same ones while it trembles.
///
/// First what is between its neighbours goes. Two boxes on each other, a little turned, touch in eight points: four
/// near corners, and four where edges cross somewhere in the middle, which noise moves along the edge.
///
/// Then, in the order of the points, ties and near ties to the first: (1) of those within a tenth of the slop of the
/// deepest the largest -0.453 x + 0.891 y - z, a later one only if it is better by the slop (where the points are no
/// patch all count as deep); (2) the farthest from it, a later one only if it is farther by the slop; (3), (4) the one
/// that is farthest from the line through these on either side, a later one only if by the slop. So whatever noise
/// chooses among is within about the slop of the same place. Were it a share of the length, say 5 %, then the middle of
/// an edge could stand for its end, and that a tick later: of ten cubes on one another, each of 1 t, such jumps keep
/// 0.6 J alive. Nothing is chosen for being the deepest by less than rounding and rest leave: of four equally deep
/// corners that would be any, and half of the time the middle of an edge. But what is deeper than all others must be
/// kept: a coin of twelve corners that leans against another one would sink in with its lowest one. The direction of
/// (1) is along no edge of usual shapes, so two corners of a box are never alike in it.
#include "space/collide/manifold_reduce.h"

#include <string.h>

#include "base/assert.h"
#include "math/fixed_ops.h"

/// The direction of the first choice, Q.10.
#define REDUCE_X -464
#define REDUCE_Y 912
#define REDUCE_Z -1024

/// Coordinates are compared in Q.16, so that squared lengths fit: below 2^25, their squares' sums below 2^51.
#define REDUCE_SHIFT 8

#define REDUCE_POINTS 64 // a hull's vertices, and one more for each side that cuts

static uint32_t reduce_find_first(const int64_t (*points)[3], uint32_t count, int64_t slop, bool is_patch) {
    uint32_t first = UINT32_MAX;
    int64_t best = INT64_MIN, deepest = is_patch ? INT64_MAX : INT64_MAX - slop;
    for (uint32_t i = 0; i < count && is_patch; ++i) {
        deepest = iso__min64(deepest, points[i][2]);
    }
    for (uint32_t i = 0; i < count; ++i) {
        const int64_t score = REDUCE_X * points[i][0] + REDUCE_Y * points[i][1] + REDUCE_Z * points[i][2];
        if (points[i][2] <= deepest + slop / 10 && (first == UINT32_MAX || score > best + slop * 1024)) {
            best = score;
            first = i;
        }
    }
    return first;
}

/// @param square  out: of the distance
static uint32_t reduce_find_farthest(const int64_t (*points)[3], uint32_t count, uint32_t first, int64_t slop,
                                     int64_t *square) {
    const int64_t better = slop >> REDUCE_SHIFT;
    uint32_t farthest = first;
    *square = -1;
    for (uint32_t i = 0; i < count; ++i) {
        const int64_t dx = (points[i][0] - points[first][0]) >> REDUCE_SHIFT;
        const int64_t dy = (points[i][1] - points[first][1]) >> REDUCE_SHIFT;
        const int64_t d = dx * dx + dy * dy;
        // What is not farther at all takes no root: where `better` is at least one, it exceeds what the root is rounded
        // by.
        if (i == first || (better > 0 && d <= *square)) {
            continue;
        }
        const int64_t least = *square < 0 ? -1 : (int64_t)iso__isqrt64((uint64_t)*square) + better;
        if (least < 0 || d > least * least) {
            *square = d;
            farthest = i;
        }
    }
    return farthest;
}

/// The largest triangle on one side of the line through two points; UINT32_MAX when there is none larger than `least`.
///
/// @param better  how much larger a later one has to be
static uint32_t reduce_find_side(const int64_t (*points)[3], uint32_t count, uint32_t first, uint32_t second,
                                 int64_t sign, int64_t least, int64_t better) {
    const int64_t *p = points[first], *q = points[second];
    const int64_t ex = (q[0] - p[0]) >> REDUCE_SHIFT, ey = (q[1] - p[1]) >> REDUCE_SHIFT;
    uint32_t found = UINT32_MAX;
    int64_t best = 0;
    for (uint32_t i = 0; i < count; ++i) {
        const int64_t dx = (points[i][0] - p[0]) >> REDUCE_SHIFT, dy = (points[i][1] - p[1]) >> REDUCE_SHIFT;
        const int64_t area = sign * (ex * dy - ey * dx);
        if (i != first && i != second && area > least && (found == UINT32_MAX || area > best + better)) {
            best = area;
            found = i;
        }
    }
    return found;
}

/// All four, each pair of opposite ones together.
static uint32_t reduce_order_four(uint32_t first, uint32_t second, uint8_t kept[ISO__SPACE_MANIFOLD_POINTS]) {
    uint32_t count = 0;
    kept[count++] = (uint8_t)first;
    kept[count++] = (uint8_t)second;
    for (uint32_t i = 0; i < ISO__SPACE_MANIFOLD_POINTS; ++i) {
        if (i != first && i != second) {
            kept[count++] = (uint8_t)i;
        }
    }
    return count;
}

/// Of four or more points. @param kept  out: their numbers
static uint32_t reduce_choose(const int64_t (*points)[3], uint32_t count, int64_t slop, bool is_patch,
                              uint8_t kept[ISO__SPACE_MANIFOLD_POINTS]) {
    int64_t square;
    const uint32_t first = reduce_find_first(points, count, slop, is_patch);
    const uint32_t second = reduce_find_farthest(points, count, first, slop, &square);
    if (count == ISO__SPACE_MANIFOLD_POINTS && first != second) {
        return reduce_order_four(first, second, kept);
    }
    const int64_t length = square < 0 ? 0 : iso__isqrt64((uint64_t)square);
    // A point within a tenth of the slop of the line holds nothing that its ends do not hold, and only noise says where
    // it is.
    const int64_t least = (slop / 10 >> REDUCE_SHIFT) * length, better = (slop >> REDUCE_SHIFT) * length;
    const uint32_t chosen[4] = {first, second, reduce_find_side(points, count, first, second, 1, least, better),
                                reduce_find_side(points, count, first, second, -1, least, better)};
    uint32_t kept_count = 0;
    for (uint32_t i = 0; i < ISO__SPACE_MANIFOLD_POINTS; ++i) {
        bool is_new = chosen[i] < count;
        for (uint32_t k = 0; k < kept_count; ++k) {
            is_new = is_new && kept[k] != chosen[i];
        }
        if (is_new) {
            kept[kept_count++] = (uint8_t)chosen[i];
        }
    }
    return kept_count;
}

/// Whether p is between a and b, within a tenth of the slop of the line: such a point holds nothing that they do not
/// hold.
static bool reduce_is_between(const int64_t a[3], const int64_t p[3], const int64_t b[3], int64_t slop) {
    const int64_t ex = (b[0] - a[0]) >> REDUCE_SHIFT, ey = (b[1] - a[1]) >> REDUCE_SHIFT;
    const int64_t dx = (p[0] - a[0]) >> REDUCE_SHIFT, dy = (p[1] - a[1]) >> REDUCE_SHIFT;
    const int64_t along = ex * dx + ey * dy;
    const uint64_t aside = iso__abs_u64(ex * dy - ey * dx);
    const int64_t size = iso__max64((int64_t)iso__abs_u64(ex), (int64_t)iso__abs_u64(ey)); // at least 0.7 of the length
    return along > 0 && along < ex * ex + ey * ey && aside <= (uint64_t)((slop / 10 >> REDUCE_SHIFT) * size);
}

/// Leaves out the points that are between those before and after them.
/// @return how many are left
static uint32_t reduce_straighten(const int64_t (*points)[3], uint32_t count, int64_t slop,
                                  uint8_t left[REDUCE_POINTS]) {
    uint32_t left_count = 0;
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t before = left_count == 0 ? count - 1 : left[left_count - 1];
        const uint32_t after = i + 1 < count ? i + 1 : left_count == 0 ? 0 : left[0];
        if (!reduce_is_between(points[before], points[i], points[after], slop)) {
            left[left_count++] = (uint8_t)i;
        }
    }
    return left_count;
}

/// Of more than four points.
static uint32_t reduce_many(const int64_t (*points)[3], uint32_t count, int64_t slop, bool is_patch,
                            uint8_t kept[ISO__SPACE_MANIFOLD_POINTS], bool *leaves) {
    uint8_t left[REDUCE_POINTS], chosen[ISO__SPACE_MANIFOLD_POINTS] = {0, 1, 2};
    int64_t corners[REDUCE_POINTS][3];
    const uint32_t left_count = reduce_straighten(points, count, slop, left);
    uint32_t kept_count = left_count;
    if (left_count >= ISO__SPACE_MANIFOLD_POINTS) {
        for (uint32_t i = 0; i < left_count; ++i) {
            memcpy(corners[i], points[left[i]], sizeof corners[i]);
        }
        kept_count = reduce_choose((const int64_t(*)[3])corners, left_count, slop, is_patch, chosen);
    }
    *leaves = left_count > kept_count;
    for (uint32_t i = 0; i < kept_count && i < ISO__SPACE_MANIFOLD_POINTS; ++i) {
        kept[i] = left[chosen[i]];
    }
    return kept_count;
}

uint32_t iso__space_manifold_reduce(const int64_t (*points)[3], uint32_t count, int64_t slop, bool is_patch,
                                    uint8_t kept[ISO__SPACE_MANIFOLD_POINTS], bool *leaves) {
    ISO_VALIDATE_ASSERT(count <= REDUCE_POINTS);
    *leaves = false;
    if (count > ISO__SPACE_MANIFOLD_POINTS) {
        return reduce_many(points, count, slop, is_patch, kept, leaves);
    }
    if (count == ISO__SPACE_MANIFOLD_POINTS) {
        return reduce_choose(points, count, slop, is_patch, kept);
    }
    for (uint32_t i = 0; i < count; ++i) {
        kept[i] = (uint8_t)i;
    }
    return count;
}
