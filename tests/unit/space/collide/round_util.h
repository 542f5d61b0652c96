/// Checks of manifolds of a round shape against the distance of the cores in double precision.
#ifndef TEST_ROUND_UTIL_H
#define TEST_ROUND_UTIL_H

#include "collide3_util.h"

/// The cosine of the angle below which directions are parallel, off 1: the normal of a face may stand for one that
/// leans so.
#define LEAN 1.3e-4
/// [m] Half the slop, and what is left out when the gap is computed.
#define ALONG 3e-3

/// The shapes in the other order make the mirrored manifold, bit for bit.
static inline void manifold_check_mirror(const iso__space_manifold *manifold, const pair *is) {
    const int64_t back[3] = {-is->offset[0], -is->offset[1], -is->offset[2]};
    const iso__space_manifold mirror = manifold_of(&is->b, &is->a, back);
    assert_int_equal(mirror.count, manifold->count);
    for (uint32_t i = 0; i < manifold->count; ++i) {
        assert_int_equal(mirror.points[i].separation, manifold->points[i].separation);
        for (int k = 0; k < 3; ++k) {
            assert_int_equal(mirror.normal[k], -manifold->normal[k]);
            assert_int_equal(mirror.points[i].anchor_a[k], manifold->points[i].anchor_b[k]);
            assert_int_equal(mirror.points[i].anchor_b[k], manifold->points[i].anchor_a[k]);
        }
    }
}

/// The deepest point is half its separation from the surface of either shape, along the normal.
static inline void manifold_check_surfaces(const iso__space_manifold *manifold, const pair *is, double bound) {
    const vec3 n = vec3_of(manifold->normal, 30);
    for (uint32_t i = 0; i < manifold->count; ++i) {
        const double half = ldexp(manifold->points[i].separation, -25);
        if (2 * half > least_separation(manifold)) {
            continue; // a capsule that stands askew on a face is rounder there
        }
        const vec3 p = vec3_of(manifold->points[i].anchor_a, 24);
        const vec3 on_a = vec3_sub(p, vec3_scale(n, half)), on_b = vec3_add(p, vec3_scale(n, half));
        EXPECT_NEAR(solid_core_distance(&is->sa, on_a), is->sa.radius, bound, "point %u on A", i);
        EXPECT_NEAR(solid_core_distance(&is->sb, on_b), is->sb.radius, bound, "point %u on B", i);
    }
}

/// Two shapes, of which A is round, whose cores are apart: separation, points and normal are those of the nearest
/// points.
static inline uint32_t check_apart(const pair *is) {
    const iso__space_manifold manifold = manifold_of(&is->a, &is->b, is->offset);
    manifold_check(&manifold, is->offset);
    if (is->a.kind != is->b.kind) {
        manifold_check_mirror(&manifold, is);
    }
    const double core = solid_round_distance(&is->sa, &is->sb), separation = core - is->sa.radius - is->sb.radius;
    if (manifold.count == 0) {
        EXPECT(separation > 0.02 - NEAR - LEAN * core, "no point at a separation of %g", separation);
        return 0;
    }
    if (core < 2e-3) {
        return 0; // the other test's
    }
    // Of two points the normal is that of a face or of the middle of what is shared, give or take a lean; capsules that
    // lie along each other may gape by half the slop.
    const bool is_along = is->a.kind == ISO__SPACE_COLLIDER_CAPSULE && is->b.kind == ISO__SPACE_COLLIDER_CAPSULE;
    const double lean = manifold.count > 1 ? LEAN * (core + is->sa.radius) + 1e-6 / core + (is_along ? ALONG : 0) : 0;
    EXPECT_NEAR(least_separation(&manifold), separation, NEAR + lean, "separation of %u at %g, kinds %d %d",
                manifold.count, core, is->a.kind, is->b.kind);
    // An error of the normal's direction is one of rounding, over the distance. Beside a thinner capsule a gap is
    // larger.
    const double thinner = is_along && manifold.count > 1 ? ALONG * core / fmin(is->sa.radius, is->sb.radius) : 0;
    manifold_check_surfaces(&manifold, is, NEAR * (2 + 2 / core) + lean + thinner);
    return manifold.count;
}

/// A core in a polytope is pushed out along the best axis, edges only when they are better by the slop. Of pairs that
/// overlap, 1 for faces and 2 for edges.
static inline uint32_t check_inside(const pair *is) {
    const double faces = solid_face_gap(&is->sb, &is->sa), best = fmax(faces, solid_edge_gap(&is->sb, &is->sa));
    if (best > -1e-6) {
        return 0;
    }
    const iso__space_manifold manifold = manifold_of(&is->a, &is->b, is->offset);
    manifold_check(&manifold, is->offset);
    manifold_check_mirror(&manifold, is);
    assert_true(manifold.count > 0);
    const double along = solid_gap(&is->sa, &is->sb, vec3_of(manifold.normal, 30));
    const bool is_edge = best > faces + 0.005 || (best > faces && fabs(along - best) < NEAR);
    EXPECT_NEAR(along, is_edge ? best : faces, NEAR, "gap along the normal");
    // What is deepest may be beside the face.
    const double least = least_separation(&manifold), expected = along - is->sa.radius;
    EXPECT(least > expected - NEAR, "deeper than the gap: %g, %g", least, expected);
    if (is_edge || is->sa.count == 1) {
        EXPECT_NEAR(least, expected, NEAR, "separation");
    }
    return is_edge ? 2 : 1;
}

#endif
