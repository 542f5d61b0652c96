/// Spheres and capsules against each other: the nearest points of points and segments.
///
/// Two capsules that lie along each other touch at both ends of what they share, along the normal at its middle. They do if
/// what they share, at their angle, gapes by no more than half the slop at its ends. At one point, which runs to and fro
/// between their ends when they rock, heaps of capsules would tremble for ever.
#include "collide3/manifold3_round.h"

#include "collide3/round3.h"
#include "collide3/segment3.h"

/// sin^2 of the angle beyond which two capsules cross, however short they are: 1/16, Q.60.
#define ROUND_ALONG (INT64_C(1) << 56)

/// A normal for two segments whose nearest points coincide: across both, or across one.
static void round_find_across(const int32_t u[3], const int32_t v[3], int32_t across[3]) {
    int32_t c[3];
    iso__ops3_cross(u, v, c);
    const int64_t wide[3] = {c[0], c[1], c[2]};
    if (iso__ops3_cosine(c, c) < ISO__SEGMENT3_PARALLEL || iso__ops3_normalize(wide, across) == 0) {
        iso__ops3_perpendicular(iso__ops3_cosine(u, u) != 0 ? u : v, across);
    }
}

/// Whether two capsules lie along each other. With w the way from end to end of what they share, across, and D the distance
/// of their cores, the gap at the ends is sqrt(D^2 + w^2/4) - D, about w^2 / 8D.
static bool round_is_along(const iso__manifold3_settings *settings, const iso__segment3 *a, const iso__segment3 *b,
                           int64_t distance) {
    int32_t c[3];
    int64_t low, high;
    iso__ops3_cross(a->unit, b->unit, c);
    const int64_t sine_squared = iso__ops3_cosine(c, c);
    if (sine_squared > ROUND_ALONG) {
        return false;
    }
    iso__segment3_shared(a, b, &low, &high);
    const int64_t sine = iso__isqrt64((uint64_t)sine_squared);
    const int64_t across = iso__round_shift(iso__max64(high - low, 0) * sine, ISO__UNIT_FRACTION); // below 2^31
    return across * across <= 4 * distance * settings->slop;
}

/// Whether the points of a manifold are as deep as a separation, within half the slop.
static bool round_is_as_deep(const iso__manifold3_settings *settings, const iso__manifold3 *manifold,
                             int64_t separation) {
    int64_t deeper = INT32_MAX;
    for (uint32_t i = 0; i < manifold->count; ++i) {
        deeper = iso__min64(deeper, manifold->points[i].separation);
    }
    return manifold->count > 0 && (int64_t)iso__abs_u64(deeper - separation) <= settings->slop / 2;
}

/// Adds both ends of what two segments share that lie along each other. False when that is too short to matter.
static bool round_add_along(const iso__manifold3_settings *settings, const iso__collider3 *a, const iso__segment3 *sa,
                            const iso__collider3 *b, const iso__segment3 *sb, const int64_t offset[3],
                            iso__manifold3 *manifold) {
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
    int64_t at[2], p[3], q[3], d[3];
    int32_t n[3];
    iso__segment3_nearest_two(&sa, &sb, at);
    iso__segment3_point(&sa, at[0], p);
    iso__segment3_point(&sb, at[1], q);
    iso__ops3_sub(q, p, d);
    const int64_t distance = iso__ops3_normalize(d, n);
    if (round_is_along(settings, &sa, &sb, distance) && round_add_along(settings, a, &sa, b, &sb, offset, manifold) &&
        round_is_as_deep(settings, manifold, distance - a->radius - b->radius)) {
        return;
    }
    manifold->count = 0;
    int32_t across[3] = {0, 0, 0};
    round_find_across(sa.unit, sb.unit, across);
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
