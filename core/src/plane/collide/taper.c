/// See taper.h.
#include "plane/collide/taper.h"

#include "math/fixed_ops.h"

#define TAPER_SIDE_MIN UINT64_C(16896) // 1 mm in Q15.16, rounded up, in Q7.24

/// The squared length of a way, below 2^63.
static uint64_t taper_square(const int64_t way[2]) {
    return (uint64_t)(way[0] * way[0]) + (uint64_t)(way[1] * way[1]);
}

bool iso__plane_taper_has_sides(const int64_t way[2], int64_t taper) {
    const uint64_t squared = taper_square(way), off = (uint64_t)(taper * taper);
    return squared > off && squared - off >= TAPER_SIDE_MIN * TAPER_SIDE_MIN;
}

void iso__plane_taper_normals(const int64_t way[2], int64_t taper, int32_t normals[2][2]) {
    const uint64_t squared = taper_square(way);
    const unsigned spare = iso__clz64(squared), shift = spare < 2 ? 0 : (spare - 2) / 2;
    const int64_t side = iso__isqrt64((squared - (uint64_t)(taper * taper)) << (2 * shift)); // 2^-shift quanta
    const int64_t back = iso__shl64(-taper, shift);
    // Each vector is the way turned and stretched by its own length: below 2^63.
    iso__normalize(back * way[0] + side * way[1], back * way[1] - side * way[0], &normals[0][0], &normals[0][1]);
    iso__normalize(back * way[0] - side * way[1], back * way[1] + side * way[0], &normals[1][0], &normals[1][1]);
}
