/// Random hulls.
#ifndef TEST_HULL_UTIL_H
#define TEST_HULL_UTIL_H

#include "collide3_util.h"

/// Points on an ellipsoid of at most `size`, a few of them inside.
static inline uint32_t cloud_random(rng *random, uint32_t count, double size,
                                    int32_t points[ISO__SPACE_HULL_VERTICES][3]) {
    double radii[3];
    for (int k = 0; k < 3; ++k) {
        radii[k] = size * rng_range(random, 0.3, 1);
    }
    for (uint32_t i = 0; i < count; ++i) {
        double v[3], length;
        do {
            for (int k = 0; k < 3; ++k) {
                v[k] = rng_range(random, -1, 1);
            }
            length = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
        } while (length > 1 || length < 0.1);
        const double inside = rng_below(random, 8) == 0 ? 0.7 : 1;
        for (int k = 0; k < 3; ++k) {
            points[i][k] = length24(inside * radii[k] * v[k] / length);
        }
    }
    return count;
}

/// The largest distance of a face's vertex from its plane.
static inline double hull_unevenness(const iso__space_hull *hull) {
    double largest = 0;
    for (uint32_t f = 0; f < hull->face_count; ++f) {
        const vec3 n = vec3_of(hull->normals[f], 30);
        for (uint32_t i = hull->first[f]; i < hull->first[f + 1]; ++i) {
            const double height = vec3_dot(n, vec3_of(hull->vertices[hull->ring[i]], 24));
            largest = fmax(largest, fabs(ldexp((double)hull->offsets[f], -54) - height));
        }
    }
    return largest;
}

/// A hull of a random cloud, none of whose faces was joined.
static inline void hull_random(rng *random, uint32_t count, double size, iso__space_hull *hull) {
    int32_t points[ISO__SPACE_HULL_VERTICES][3];
    do {
        cloud_random(random, count, size, points);
    } while (iso__space_hull_make((const int32_t(*)[3])points, count, hull) != ISO_OK || hull_unevenness(hull) > 1e-7);
}

#endif
