/// See way_disc.h.
#include "plane/dynamics/way_disc.h"

#include "base/assert.h"
#include "math/fixed_ops.h"
#include "math/wide128.h"

#define NEAR_SHIFT 12 // Q31.32 to Q.20

iso__plane_box iso__plane_way_disc_box(const iso__plane_way_disc *disc) {
    ISO_ASSERT(disc->reach >= 0 && disc->limit >= 0);
    int64_t low[2], high[2];
    for (int axis = 0; axis < 2; ++axis) {
        const int64_t from = disc->begin[axis], to = from + iso__mul_shift(disc->moved[axis], disc->limit, 32);
        low[axis] = (iso__min64(from, to) - disc->reach) >> 16;
        high[axis] = ((iso__max64(from, to) + disc->reach) >> 16) + 1;
    }
    return (iso__plane_box){(int32_t)low[0], (int32_t)low[1], (int32_t)high[0], (int32_t)high[1]};
}

/// Whether the line from `from` along `along` comes within `reach` of the origin, all Q31.32.
///
/// |from x along| <= reach |along|. In Q.20 every number is up to one too small, so the product of the left side is off
/// by less than the sum of all four and 2; the length is at most max + min / 2 of its parts. Boxes that overlap are
/// within 2^12 m of each other: products are below 2^(32 + 28), reach times length below 2^(32 + 29).
static bool line_comes_within(const int64_t from[2], const int64_t along[2], int64_t reach) {
    const int64_t x = from[0] >> NEAR_SHIFT, y = from[1] >> NEAR_SHIFT;
    const int64_t dx = along[0] >> NEAR_SHIFT, dy = along[1] >> NEAR_SHIFT;
    const int64_t width = (int64_t)iso__abs_u64(dx), height = (int64_t)iso__abs_u64(dy);
    const int64_t error = (int64_t)(iso__abs_u64(x) + iso__abs_u64(y)) + width + height + 2;
    const int64_t length = iso__max64(width, height) + iso__min64(width, height) / 2 + 3;
    const uint64_t aside = iso__abs_u64(x * dy - y * dx);
    return aside <= (uint64_t)(((reach >> NEAR_SHIFT) + 1) * length + error);
}

bool iso__plane_way_discs_may_meet(const iso__plane_way_disc *a, const iso__plane_way_disc *b) {
    ISO_ASSERT(a->reach >= 0 && b->reach >= 0);
    // As A sees B: straight until one of them stops; then on along A's own way, when that was B.
    const int64_t reach = a->reach + b->reach;
    int64_t apart[2], along[2];
    for (int axis = 0; axis < 2; ++axis) {
        apart[axis] = b->begin[axis] - a->begin[axis];
        along[axis] = b->moved[axis] - a->moved[axis];
    }
    if (line_comes_within(apart, along, reach)) {
        return true;
    }
    if (b->limit >= a->limit) {
        return false;
    }
    for (int axis = 0; axis < 2; ++axis) {
        apart[axis] += iso__mul_shift(along[axis], b->limit, 32);
        along[axis] = -a->moved[axis];
    }
    return line_comes_within(apart, along, reach + 4);
}
