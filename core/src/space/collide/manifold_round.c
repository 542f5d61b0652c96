/// Spheres and capsules against each other: the nearest points of points and segments.
///
/// Two capsules that lie along each other touch at both ends of what they share, along the normal at its middle. They
/// do if what they share, at their angle, gapes by no more than half the slop at its ends. At one point, which runs to
/// and fro between their ends when they rock, heaps of capsules would tremble for ever.
#include "space/collide/manifold_round.h"

#include "space/collide/round.h"
#include "space/collide/segment.h"

/// sin^2 of the angle beyond which two capsules cross, however short they are: 1/16, Q.60.
#define ROUND_ALONG (INT64_C(1) << 56)

/// A normal for two segments whose nearest points coincide: across both, or across one.
static void round_find_across(const int32_t u[3], const int32_t v[3], int32_t across[3]) {
    int32_t c[3];
    iso__space_ops_cross(u, v, c);
    const int64_t wide[3] = {c[0], c[1], c[2]};
    if (iso__space_ops_cosine(c, c) < ISO__SPACE_SEGMENT_PARALLEL || iso__space_ops_normalize(wide, across) == 0) {
        iso__space_ops_perpendicular(iso__space_ops_cosine(u, u) != 0 ? u : v, across);
    }
}

/// Whether two capsules lie along each other. With w the way from end to end of what they share, across, and D the
/// distance of their cores, the gap at the ends is sqrt(D^2 + w^2/4) - D, about w^2 / 8D.
static bool round_is_along(const iso__space_manifold_settings *settings, const iso__space_segment *a,
                           const iso__space_segment *b, int64_t distance) {
    int32_t c[3];
    int64_t low, high;
    iso__space_ops_cross(a->unit, b->unit, c);
    const int64_t sine_squared = iso__space_ops_cosine(c, c);
    if (sine_squared > ROUND_ALONG) {
        return false;
    }
    iso__space_segment_shared(a, b, &low, &high);
    const int64_t sine = iso__isqrt64((uint64_t)sine_squared);
    const int64_t across = iso__round_shift(iso__max64(high - low, 0) * sine, ISO__UNIT_FRACTION); // below 2^31
    return across * across <= 4 * distance * settings->slop;
}

/// Whether the points of a manifold are as deep as a separation, within half the slop.
static bool round_is_as_deep(const iso__space_manifold_settings *settings, const iso__space_manifold *manifold,
                             int64_t separation) {
    int64_t deeper = INT32_MAX;
    for (uint32_t i = 0; i < manifold->count; ++i) {
        deeper = iso__min64(deeper, manifold->points[i].separation);
    }
    return manifold->count > 0 && (int64_t)iso__abs_u64(deeper - separation) <= settings->slop / 2;
}

/// Adds both ends of what two segments share that lie along each other. False when that is too short to matter.
static bool round_add_along(const iso__space_manifold_settings *settings, const iso__space_collider *a,
                            const iso__space_segment *sa, const iso__space_collider *b, const iso__space_segment *sb,
                            const int64_t offset[3], iso__space_manifold *manifold) {
    int64_t shared[2], p[3], q[3], d[3];
    iso__space_segment_shared(sa, sb, &shared[0], &shared[1]);
    if (shared[1] - shared[0] <= settings->slop) {
        return false;
    }
    iso__space_segment_point(sa, (shared[0] + shared[1]) >> 1, p);
    iso__space_segment_point(sb, iso__space_segment_nearest(sb, p), q);
    iso__space_ops_sub(q, p, d);
    iso__space_ops_advance(d, sa->unit, -iso__space_ops_along(sa->unit, d), d);
    int32_t n[3];
    if (iso__space_ops_normalize(d, n) == 0) {
        iso__space_ops_perpendicular(sa->unit, n);
    }
    iso__space_manifold_set_normal(n, manifold);
    for (int i = 0; i < 2; ++i) {
        iso__space_segment_point(sa, shared[i], p);
        iso__space_segment_point(sb, iso__space_segment_nearest(sb, p), q);
        iso__space_ops_sub(q, p, d);
        iso__space_round_add_along(settings, n, iso__space_ops_along(n, d), p, a->radius, b->radius, offset, manifold);
    }
    return true;
}

static void round_capsules(const iso__space_manifold_settings *settings, const iso__space_collider *a,
                           const iso__space_collider *b, const int64_t offset[3], iso__space_manifold *manifold) {
    iso__space_segment sa, sb;
    iso__space_round_make_segment(a, NULL, &sa);
    iso__space_round_make_segment(b, offset, &sb);
    int64_t at[2], p[3], q[3], d[3];
    int32_t n[3];
    iso__space_segment_nearest_two(&sa, &sb, at);
    iso__space_segment_point(&sa, at[0], p);
    iso__space_segment_point(&sb, at[1], q);
    iso__space_ops_sub(q, p, d);
    const int64_t distance = iso__space_ops_normalize(d, n);
    if (round_is_along(settings, &sa, &sb, distance) && round_add_along(settings, a, &sa, b, &sb, offset, manifold) &&
        round_is_as_deep(settings, manifold, distance - a->radius - b->radius)) {
        return;
    }
    manifold->count = 0;
    int32_t across[3] = {0, 0, 0};
    round_find_across(sa.unit, sb.unit, across);
    iso__space_round_add(settings, p, a->radius, q, b->radius, across, offset, manifold);
}

void iso__space_manifold_round(const iso__space_manifold_settings *settings, const iso__space_collider *a,
                               const iso__space_collider *b, const int64_t offset[3], iso__space_manifold *manifold) {
    if (a->kind == ISO__SPACE_COLLIDER_CAPSULE) {
        round_capsules(settings, a, b, offset, manifold);
        return;
    }
    int64_t p[3], q[3];
    int32_t across[3] = {0, ISO__UNIT_ONE, 0};
    iso__space_round_make_centre(a, NULL, p);
    if (b->kind == ISO__SPACE_COLLIDER_SPHERE) {
        iso__space_round_make_centre(b, offset, q);
    } else {
        iso__space_segment segment;
        iso__space_round_make_segment(b, offset, &segment);
        iso__space_segment_point(&segment, iso__space_segment_nearest(&segment, p), q);
        iso__space_ops_perpendicular(segment.unit, across);
    }
    iso__space_round_add(settings, p, a->radius, q, b->radius, across, offset, manifold);
}
