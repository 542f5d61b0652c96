/// Checks of manifolds of two polytopes against all axes in double precision.
#ifndef TEST_POLYTOPE_UTIL_H
#define TEST_POLYTOPE_UTIL_H

#include "collide3_util.h"

#define SLOP 0.005

typedef struct tally {
    uint32_t faces, edges, apart, empty, instead;
    double gap_error, surface_error; // the largest ones seen
} tally;

/// Each point is half its separation from the surface of both, along the normal: on the reference face of one, and on
/// the face or edge of the other.
static inline void polytopes_check_surfaces(const pair *is, const iso__space_manifold *manifold, tally *seen) {
    const vec3 n = vec3_of(manifold->normal, 30);
    for (uint32_t i = 0; i < manifold->count; ++i) {
        const double half = ldexp(manifold->points[i].separation, -25);
        const vec3 p = vec3_of(manifold->points[i].anchor_a, 24);
        const double off_a = solid_core_distance(&is->sa, vec3_sub(p, vec3_scale(n, half)));
        const double off_b = solid_core_distance(&is->sb, vec3_add(p, vec3_scale(n, half)));
        seen->surface_error = fmax(seen->surface_error, fmax(fabs(off_a), fabs(off_b)));
        EXPECT_NEAR(off_a, 0, 4e-7, "point %u of %u on A", i, manifold->count);
        EXPECT_NEAR(off_b, 0, 4e-7, "point %u of %u on B", i, manifold->count);
    }
}

/// The largest gap along the normals of A's faces and along those of B's.
static inline void polytopes_find_faces(const pair *is, double *of_a, double *of_b) {
    *of_a = *of_b = -HUGE_VAL;
    for (uint32_t i = 0; i < is->sa.normal_count; ++i) {
        *of_a = fmax(*of_a, solid_gap(&is->sa, &is->sb, is->sa.normals[i]));
    }
    for (uint32_t i = 0; i < is->sb.normal_count; ++i) {
        *of_b = fmax(*of_b, solid_gap(&is->sa, &is->sb, vec3_scale(is->sb.normals[i], -1)));
    }
}

static inline void polytopes_check(const pair *is, tally *seen) {
    const iso__space_manifold manifold = manifold_of(&is->a, &is->b, is->offset);
    manifold_check(&manifold, is->offset);
    double of_a, of_b;
    polytopes_find_faces(is, &of_a, &of_b);
    const double faces = fmax(of_a, of_b), edges = solid_edge_gap(&is->sa, &is->sb);
    const double best = fmax(faces, edges);
    if (manifold.count == 0) {
        // Edges may hold them apart a little, where what lies over the face is nothing.
        EXPECT(best > 0.02 - NEAR || faces > -SLOP, "no points at %g, %g", faces, edges);
        seen->apart += best > 0.02 - NEAR;
        seen->empty += best <= 0.02 - NEAR;
        return;
    }
    EXPECT(best < 0.02 + NEAR, "points at %g", best);
    const double along = solid_gap(&is->sa, &is->sb, vec3_of(manifold.normal, 30)), least = least_separation(&manifold);
    // Edges that are better by less than the slop stand in for a face over which nothing lies.
    const bool is_instead = edges > faces && edges <= faces + SLOP && manifold.count == 1 &&
                            fabs(along - edges) < NEAR && fabs(along - faces) > NEAR;
    seen->instead += is_instead;
    if (edges > faces + SLOP + NEAR || is_instead) {
        seen->edges += 1;
        seen->gap_error = fmax(seen->gap_error, fabs(least - edges));
        assert_int_equal(manifold.count, 1);
        EXPECT_NEAR(least, edges, NEAR, "separation of edges");
        EXPECT_NEAR(along, edges, NEAR, "gap of edges");
    } else if (edges < faces + SLOP - SLOP / 10 - NEAR) {
        seen->faces += 1;
        const double off = fabs(along - (of_b > of_a + SLOP / 10 ? of_b : of_a));
        if (fabs(of_b - of_a - SLOP / 10) > NEAR) {
            seen->gap_error = fmax(seen->gap_error, off);
            EXPECT(off < NEAR, "gap of faces %g, %g, %g", along, of_a, of_b);
        }
        EXPECT(least > along - NEAR, "separation of faces %g, %g", least, along);
    }
    polytopes_check_surfaces(is, &manifold, seen);
}

/// In the other order: the mirrored manifold, where no two axes are nearly alike.
static inline uint32_t polytopes_check_mirror(const pair *is) {
    const iso__space_manifold manifold = manifold_of(&is->a, &is->b, is->offset);
    const int64_t back[3] = {-is->offset[0], -is->offset[1], -is->offset[2]};
    const iso__space_manifold mirror = manifold_of(&is->b, &is->a, back);
    double of_a, of_b;
    polytopes_find_faces(is, &of_a, &of_b);
    const double edges = solid_edge_gap(&is->sa, &is->sb) - fmax(of_a, of_b) - SLOP;
    if (manifold.count == 0 || fabs(of_a - of_b) < SLOP / 10 + NEAR || fabs(edges) < SLOP / 10 + NEAR) {
        return 0;
    }
    assert_int_equal(mirror.count, manifold.count);
    EXPECT_NEAR(manifold_mirror_difference(&manifold, &mirror), 0, 2e-6, "mirrored");
    return 1;
}

#endif
