/// The faces of hulls and what is joined of them, beside the slow way to the same: every plane through three points is
/// tried, and before each join all faces are looked at again. Worlds depend on every bit, and on the order of the
/// faces.
#include "hull_util.h"

#include "space/collide/hull_faces.h"
#include "space/collide/hull_join.h"
#include "space/collide/hull_ring.h"
#include "space/collide/vec_ops.h"

// ---- the slow way --------------------------------------------------------------------------------

/// Adds the face through three points, if they have one. False when all points are on one plane.
static bool slow_try_plane(iso__space_hull_builder *builder, uint32_t a, uint32_t b, uint32_t c) {
    const int32_t(*points)[3] = builder->points;
    int64_t normal[3];
    iso__space_hull_cross(points[a], points[b], points[c], normal);
    uint32_t on_plane = 0, above = 0, below = 0;
    for (uint32_t i = 0; i < builder->count; ++i) {
        const int sign = iso__int128_sign(iso__space_hull_height(normal, points[a], points[i]));
        on_plane |= (uint32_t)(sign == 0) << i;
        above += sign > 0;
        below += sign < 0;
    }
    if ((normal[0] | normal[1] | normal[2]) == 0 || (above > 0 && below > 0)) {
        return true;
    }
    if (above + below == 0 || builder->face_count == ISO__SPACE_HULL_FACES) {
        return false;
    }
    for (int i = 0; i < 3 && above > 0; ++i) {
        normal[i] = -normal[i];
    }
    iso__space_hull_face *face = &builder->faces[builder->face_count++];
    face->on_plane = on_plane;
    iso__space_hull_make_ring(builder, normal, face);
    iso__space_hull_measure_face(builder, face);
    return true;
}

static bool slow_is_known(const iso__space_hull_builder *builder, uint32_t three) {
    bool is_known = false;
    for (uint32_t i = 0; i < builder->face_count; ++i) {
        is_known = is_known || (three & ~builder->faces[i].on_plane) == 0;
    }
    return is_known;
}

static bool slow_find_faces(iso__space_hull_builder *builder) {
    bool is_solid = true;
    for (uint32_t a = 0; a < builder->count && is_solid; ++a) {
        for (uint32_t b = a + 1; b < builder->count && is_solid; ++b) {
            for (uint32_t c = b + 1; c < builder->count && is_solid; ++c) {
                const uint32_t three = UINT32_C(1) << a | UINT32_C(1) << b | UINT32_C(1) << c;
                is_solid = slow_is_known(builder, three) || slow_try_plane(builder, a, b, c);
            }
        }
    }
    return is_solid && builder->face_count > 0;
}

static uint32_t slow_next(const iso__space_hull_face *face, uint32_t i) {
    return face->ring[(i + 1) % face->ring_count];
}

/// The other face at an edge; UINT32_MAX: none.
static uint32_t slow_neighbour(const iso__space_hull_builder *builder, uint32_t from, uint32_t to) {
    for (uint32_t f = 0; f < builder->face_count; ++f) {
        for (uint32_t i = 0; i < builder->faces[f].ring_count; ++i) {
            if (builder->faces[f].ring[i] == to && slow_next(&builder->faces[f], i) == from) {
                return f;
            }
        }
    }
    return UINT32_MAX;
}

static bool slow_is_part(const iso__space_hull_builder *builder, const iso__space_hull_face *large,
                         const iso__space_hull_face *small) {
    bool is_part = large->area >= small->area && iso__space_ops_cosine(large->normal, small->normal) > 0;
    for (uint32_t i = 0; i < small->ring_count; ++i) {
        const int32_t *p = builder->points[small->ring[i]];
        const int64_t off = iso__space_ops_dot(large->normal, (const int64_t[3]){p[0], p[1], p[2]}) - large->offset;
        is_part = is_part && off <= INT64_C(1) << 42 && off >= -(INT64_C(1) << 42);
    }
    return is_part;
}

static bool slow_find_parts(const iso__space_hull_builder *builder, uint32_t *large, uint32_t *small) {
    *large = UINT32_MAX;
    for (uint32_t f = 0; f < builder->face_count; ++f) {
        const iso__space_hull_face *face = &builder->faces[f];
        uint32_t best = UINT32_MAX;
        for (uint32_t i = 0; i < face->ring_count; ++i) {
            const uint32_t g = slow_neighbour(builder, face->ring[i], slow_next(face, i));
            if (g != UINT32_MAX && g != f && slow_is_part(builder, face, &builder->faces[g]) &&
                (best == UINT32_MAX || builder->faces[g].area > builder->faces[best].area)) {
                best = g;
            }
        }
        if (best != UINT32_MAX && (*large == UINT32_MAX || face->area > builder->faces[*large].area)) {
            *large = f;
            *small = best;
        }
    }
    return *large != UINT32_MAX;
}

/// False when what is left of both rings is not one ring.
static bool slow_join(iso__space_hull_builder *builder, uint32_t large, uint32_t small) {
    uint8_t next[ISO__SPACE_HULL_VERTICES] = {0}; // plus one
    uint32_t edge_count = 0, at = 0;
    const uint32_t both[2] = {large, small};
    for (uint32_t m = 0; m < 2; ++m) {
        const iso__space_hull_face *face = &builder->faces[both[m]];
        for (uint32_t i = 0; i < face->ring_count; ++i) {
            if (slow_neighbour(builder, face->ring[i], slow_next(face, i)) == both[1 - m]) {
                continue;
            }
            if (next[face->ring[i]] != 0) {
                return false;
            }
            next[face->ring[i]] = (uint8_t)(slow_next(face, i) + 1);
            at = face->ring[i];
            edge_count += 1;
        }
    }
    iso__space_hull_face *face = &builder->faces[large];
    face->area += builder->faces[small].area;
    face->ring_count = 0;
    for (const uint32_t start = at; face->ring_count == 0 || at != start; at = next[at] - 1u) {
        if (next[at] == 0 || face->ring_count == ISO__SPACE_HULL_VERTICES) {
            return false;
        }
        face->ring[face->ring_count++] = (uint8_t)at;
    }
    builder->faces[small] = builder->faces[--builder->face_count];
    return face->ring_count == edge_count && edge_count >= 3;
}

static bool slow_join_faces(iso__space_hull_builder *builder) {
    uint32_t large, small;
    while (slow_find_parts(builder, &large, &small)) {
        if (!slow_join(builder, large, small)) {
            return false;
        }
    }
    return true;
}

// ---- clouds --------------------------------------------------------------------------------------

enum {
    CLOUD_BALL,
    CLOUD_BLOCK,
    CLOUD_GRID,
    CLOUD_CAP,
    CLOUD_PRISM,
    CLOUD_SLICED,
    CLOUD_SEEDED,
    CLOUD_SLAB,
    CLOUD_KINDS
};

/// Points of one of several kinds: on a ball, within a block, on a grid, a nearly flat cap, the ends of a prism that
/// are nearly even, a ball that is cut off, points between earlier ones (on edges and faces), a slab of layers.
static uint32_t cloud_any(rng *random, uint32_t kind, int32_t points[ISO__SPACE_HULL_VERTICES][3]) {
    const uint32_t count = 4 + rng_below(random, 29), steps = 2 + rng_below(random, 3);
    const double size = pow(10, rng_range(random, -1.5, 1.4)), thin = pow(10, rng_range(random, -7, -1));
    for (uint32_t i = 0; i < count; ++i) {
        double v[3];
        for (int k = 0; k < 3; ++k) {
            v[k] = rng_range(random, -1, 1);
        }
        const double length = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]), angle = PI * (i / 2) / (count / 4 + 1);
        for (int k = 0; k < 3; ++k) {
            const double unit = v[k] / length;
            v[k] = kind == CLOUD_GRID                           ? rng_below(random, steps)
                   : kind == CLOUD_SLAB                         ? 0.25 * rng_below(random, 5) * (k < 2 ? 1 : thin)
                   : kind == CLOUD_SLICED                       ? fmin(unit, 0.3)
                   : kind == CLOUD_BALL || kind == CLOUD_SEEDED ? unit
                                                                : v[k];
        }
        if (kind == CLOUD_CAP) {
            v[2] = i < 4 ? -0.5 : -thin * (v[0] * v[0] + v[1] * v[1]);
        } else if (kind == CLOUD_PRISM) {
            v[0] = cos(angle);
            v[1] = sin(angle);
            v[2] = (i % 2 == 0 ? 0.5 : -0.5) + rng_range(random, 0, thin);
        }
        const uint32_t a = rng_below(random, i + 1), b = rng_below(random, i + 1), eighths = rng_below(random, 9);
        for (int k = 0; k < 3; ++k) {
            points[i][k] = length24(size * v[k]) & ~255;
            if (kind == CLOUD_SEEDED && i > 4 && i % 2 == 0) {
                points[i][k] = points[a][k] + (int32_t)(((int64_t)points[b][k] - points[a][k]) / 8 * eighths);
            }
        }
    }
    return count;
}

static uint32_t distinct_of(const int32_t (*points)[3], uint32_t count, int32_t distinct[ISO__SPACE_HULL_VERTICES][3]) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; ++i) {
        bool is_copy = false;
        for (uint32_t j = 0; j < kept; ++j) {
            is_copy = is_copy || memcmp(points[i], distinct[j], sizeof distinct[j]) == 0;
        }
        memcpy(distinct[kept], points[i], sizeof distinct[kept]);
        kept += is_copy ? 0 : 1;
    }
    return kept;
}

static void expect_same_faces(const iso__space_hull_builder *fast, const iso__space_hull_builder *slow,
                              const char *what) {
    EXPECT(fast->face_count == slow->face_count, "%s: %u faces, not %u", what, fast->face_count, slow->face_count);
    for (uint32_t f = 0; f < slow->face_count; ++f) {
        const iso__space_hull_face *a = &fast->faces[f], *b = &slow->faces[f];
        EXPECT(a->ring_count == b->ring_count && memcmp(a->ring, b->ring, b->ring_count) == 0 &&
                   a->on_plane == b->on_plane && memcmp(a->normal, b->normal, sizeof b->normal) == 0 &&
                   a->offset == b->offset && a->area == b->area,
               "%s: face %u of %u is another one", what, f, slow->face_count);
    }
}

static void test_faces_are_those_of_all_planes(void **state) {
    (void)state;
    rng random = {11};
    uint32_t solids = 0, joined = 0, largest = 0;
    for (uint32_t i = 0; i < 2400; ++i) {
        int32_t points[ISO__SPACE_HULL_VERTICES][3], distinct[ISO__SPACE_HULL_VERTICES][3];
        const uint32_t given = cloud_any(&random, i % CLOUD_KINDS, points);
        const uint32_t count = distinct_of((const int32_t(*)[3])points, given, distinct);
        iso__space_hull_builder fast = {.points = (const int32_t(*)[3])distinct, .count = count}, slow = fast;
        const bool is_solid = slow_find_faces(&slow);
        assert_int_equal(iso__space_hull_find_faces(&fast), is_solid);
        if (!is_solid) {
            continue;
        }
        expect_same_faces(&fast, &slow, "found");
        solids += 1;
        largest = slow.face_count > largest ? slow.face_count : largest;
        const uint32_t before = slow.face_count;
        // The fast way may refuse more: what has become another solid.
        if (slow_join_faces(&slow) && iso__space_hull_join_faces(&fast)) {
            expect_same_faces(&fast, &slow, "joined");
            joined += slow.face_count < before;
        }
    }
    EXPECT(solids > 1500 && joined > 300 && largest == ISO__SPACE_HULL_FACES,
           "%u solids, %u with joined faces, up to %u faces", solids, joined, largest);
}

static void test_points_on_one_plane_or_line_have_no_faces(void **state) {
    (void)state;
    rng random = {12};
    for (uint32_t i = 0; i < 200; ++i) {
        int32_t points[ISO__SPACE_HULL_VERTICES][3], distinct[ISO__SPACE_HULL_VERTICES][3];
        const uint32_t count = 1 + rng_below(&random, 32);
        for (uint32_t k = 0; k < count; ++k) {
            const int32_t a = (int32_t)rng_below(&random, 1000) - 500, b = (int32_t)rng_below(&random, 1000) - 500;
            points[k][0] = i % 4 == 0 ? 7 : 3 * a + (int32_t)(i % 2) * b;
            points[k][1] = a - (int32_t)(i % 3) * b;
            points[k][2] = i % 4 == 0 ? b : i % 2 == 0 && i % 3 == 0 ? 5 * a : 2 * points[k][0] + points[k][1];
        }
        iso__space_hull_builder builder = {.points = (const int32_t(*)[3])distinct};
        builder.count = distinct_of((const int32_t(*)[3])points, count, distinct);
        assert_false(iso__space_hull_find_faces(&builder));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_faces_are_those_of_all_planes),
        cmocka_unit_test(test_points_on_one_plane_or_line_have_no_faces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
