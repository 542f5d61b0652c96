/// See cast.h.
///
/// Conservative advancement: at s they are g apart along the axis n, along which they come together by n . d for each
/// metre, so they do not touch before s + g / (n . d); and never when n . d is not positive. How far they are apart is
/// a convex function of s, so this is Newton's method from the left: it never steps too far, and ends after the few
/// faces that solids have, or at twice the digits with each step between round pieces, half a digit when they graze.
/// What is far is taken as its bounding sphere. Source: B. Mirtich, Impulse-based Dynamic Simulation of Rigid Body
/// Systems, 1996.
#include "space/collide/cast.h"

#include "space/collide/separate.h"
#include "space/collide/vec_ops.h"

#define CAST3_ITERATIONS  64
#define CAST3_TOUCH       64                  // [m] Q31.32: as near counts as touching, 1.5e-8
#define CAST3_FAR         (64 * ISO_WIDE_ONE) // [m] Q31.32: beyond this, bounding spheres will do
#define CAST3_COSINE_SLOP 3                   // Q2.30, what rounding may do to n . d
#define CAST3_SPECULATIVE 16                  // [m] Q7.24: points as near to touching as this count as where it touches

/// How far they are apart at s.
static int64_t cast_gap(const iso__space_cast *cast, int64_t s, iso__space_piece *moving, int32_t axis[3]) {
    int64_t place[3];
    iso__space_ray_point(&cast->way, s, place);
    const int64_t reach = cast->moving_extent + cast->still_extent, distance = iso__length3(place);
    if (cast->piece->vertex_count > 0 && distance > reach + CAST3_FAR) {
        iso__normalize3((const int64_t[3]){-place[0], -place[1], -place[2]}, axis);
        return distance - reach - (distance >> 28); // what the axis may be off
    }
    iso__space_piece_make(cast->moving, place, moving);
    return iso__space_piece_separate(moving, cast->piece, axis);
}

/// Where they touch: the mean of the points of their manifold; of the rare ones whose manifold has none, the point of
/// the moving piece that is farthest along the axis.
static void cast_set_point(const iso__space_cast *cast, const iso__space_piece *moving, const int32_t axis[3],
                           iso__space_cast_hit *hit) {
    const iso__space_manifold_settings settings = {0, CAST3_SPECULATIVE};
    iso__space_manifold manifold;
    int64_t place[3], offset[3];
    iso__space_ray_point(&cast->way, hit->s, place);
    for (int i = 0; i < 3; ++i) {
        offset[i] = iso__round_shift(place[i], 8);
    }
    iso__space_manifold_make(&settings, cast->still, cast->moving, offset, &manifold);
    if (manifold.count > 0) {
        for (int i = 0; i < 3; ++i) {
            int64_t sum = 0;
            for (uint32_t p = 0; p < manifold.count; ++p) {
                // From the moving body: what is still may be a half-space whose body is far away.
                sum += manifold.points[p].anchor_b[i];
            }
            hit->point[i] = place[i] + iso__div_round64(iso__shl64(sum, 8), manifold.count);
        }
        return;
    }
    uint32_t farthest = 0;
    for (uint32_t i = 1; i < moving->vertex_count; ++i) {
        const bool is_farther = iso__space_piece_along(axis, moving->vertices[i]) >
                                iso__space_piece_along(axis, moving->vertices[farthest]);
        farthest = is_farther ? i : farthest;
    }
    for (int i = 0; i < 3; ++i) {
        hit->point[i] = moving->vertices[farthest][i] + iso__mul_shift(axis[i], moving->radius, ISO__UNIT_FRACTION);
    }
}

/// n . d, Q2.30.
static int64_t cast_cosine(const iso__space_cast *cast, const int32_t n[3]) {
    const int64_t along = iso__space_piece_along(n, cast->way.direction);
    return cast->way.length == 0 ? 0 : iso__mul_div(along, ISO__UNIT_ONE, cast->way.length);
}

bool iso__space_cast_find(const iso__space_cast *cast, iso__space_cast_hit *hit) {
    iso__space_piece moving;
    int32_t axis[3];
    *hit = (iso__space_cast_hit){.s = 0};
    for (int n = 0; n < CAST3_ITERATIONS; ++n) {
        const int64_t gap = cast_gap(cast, hit->s, &moving, axis), cosine = cast_cosine(cast, axis);
        if (n == 0 && gap <= 0) {
            iso__space_ray_point(&cast->way, 0, hit->point);
            return true;
        }
        if (gap <= CAST3_TOUCH && cosine > CAST3_COSINE_SLOP) {
            break;
        }
        if (cosine + CAST3_COSINE_SLOP <= 0) {
            return false;
        }
        const int64_t advance = iso__mul_div(gap, ISO__UNIT_ONE, cosine + CAST3_COSINE_SLOP);
        if (advance > cast->way.reach - hit->s || gap <= CAST3_TOUCH) {
            return false;
        }
        hit->s += iso__max64(advance, 0);
    }
    for (int i = 0; i < 3; ++i) {
        hit->normal[i] = -axis[i];
    }
    cast_set_point(cast, &moving, axis, hit);
    return true;
}
