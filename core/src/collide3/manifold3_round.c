/// Spheres and capsules against each other: the nearest points of points and segments.
///
/// Two capsules that are parallel (sin^2 of their angle below 2^-12) touch at both ends of what they share, along the
/// normal at its middle.
#include "collide3/manifold3_round.h"

#include "collide3/round3.h"
#include "collide3/segment3.h"

/// A normal for two segments whose nearest points coincide: across both, or across one.
static void round_find_across(const int32_t u[3], const int32_t v[3], int32_t across[3]) {
    int32_t c[3];
    iso__ops3_cross(u, v, c);
    const int64_t wide[3] = {c[0], c[1], c[2]};
    if (iso__ops3_cosine(c, c) < ISO__SEGMENT3_PARALLEL || iso__ops3_normalize(wide, across) == 0) {
        iso__ops3_perpendicular(iso__ops3_cosine(u, u) != 0 ? u : v, across);
    }
}

/// Adds both ends of what two parallel segments share. False when that is too short to matter.
static bool round_add_parallel(const iso__manifold3_settings *settings, const iso__collider3 *a,
                               const iso__segment3 *sa, const iso__collider3 *b, const iso__segment3 *sb,
                               const int64_t offset[3], iso__manifold3 *manifold) {
    int64_t shared[2], p[3], q[3], d[3];
    iso__segment3_shared(sa, sb, &shared[0], &shared[1]);
    if (shared[1] - shared[0] <= settings->slop) {
        return false;
    }
    iso__segment3_point(sa, (shared[0] + shared[1]) >> 1, p);
    iso__segment3_point(sb, iso__segment3_nearest(sb, p), q);
    iso__ops3_sub(q, p, d);
    iso__ops3_advance(d, sa->unit, -iso__ops3_along(sa->unit, d), d);
    int32_t n[3];
    if (iso__ops3_normalize(d, n) == 0) {
        iso__ops3_perpendicular(sa->unit, n);
    }
    iso__manifold3_set_normal(n, manifold);
    for (int i = 0; i < 2; ++i) {
        iso__segment3_point(sa, shared[i], p);
        iso__segment3_point(sb, iso__segment3_nearest(sb, p), q);
        iso__ops3_sub(q, p, d);
        iso__round3_add_along(settings, n, iso__ops3_along(n, d), p, a->radius, b->radius, offset, manifold);
    }
    return true;
}

static void round_capsules(const iso__manifold3_settings *settings, const iso__collider3 *a, const iso__collider3 *b,
                           const int64_t offset[3], iso__manifold3 *manifold) {
    iso__segment3 sa, sb;
    iso__round3_make_segment(a, NULL, &sa);
    iso__round3_make_segment(b, offset, &sb);
    int64_t at[2], p[3], q[3];
    const bool is_parallel = iso__segment3_nearest_two(&sa, &sb, at);
    if (is_parallel && round_add_parallel(settings, a, &sa, b, &sb, offset, manifold)) {
        return;
    }
    int32_t across[3] = {0, 0, 0};
    round_find_across(sa.unit, sb.unit, across);
    iso__segment3_point(&sa, at[0], p);
    iso__segment3_point(&sb, at[1], q);
    iso__round3_add(settings, p, a->radius, q, b->radius, across, offset, manifold);
}

void iso__manifold3_round(const iso__manifold3_settings *settings, const iso__collider3 *a, const iso__collider3 *b,
                          const int64_t offset[3], iso__manifold3 *manifold) {
    if (a->kind == ISO__COLLIDER3_CAPSULE) {
        round_capsules(settings, a, b, offset, manifold);
        return;
    }
    int64_t p[3], q[3];
    int32_t across[3] = {0, ISO__UNIT_ONE, 0};
    iso__round3_make_centre(a, NULL, p);
    if (b->kind == ISO__COLLIDER3_SPHERE) {
        iso__round3_make_centre(b, offset, q);
    } else {
        iso__segment3 segment;
        iso__round3_make_segment(b, offset, &segment);
        iso__segment3_point(&segment, iso__segment3_nearest(&segment, p), q);
        iso__ops3_perpendicular(segment.unit, across);
    }
    iso__round3_add(settings, p, a->radius, q, b->radius, across, offset, manifold);
}
