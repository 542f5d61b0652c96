/// Contacts that follow their poses in lanes, beside the scalar code, bit for bit.
///
///   test_contact_pose [--groups N]   random groups of each instruction set, 20,000 by default
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

// With its static parts.
#include "isostep/simd.h"
#include "plane/dynamics/contact_pose.c"
#include "plane/dynamics/kernels.h"
#include "simd/portable.h"

#include "plane/dynamics/contact_pose_kernel.h"

static uint32_t group_count = 20000; // --groups
static uint64_t random_state = 1;

static uint64_t random_next(void) {
    random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return random_state >> 16;
}

static int64_t random_between(int64_t low, int64_t high) {
    return low + (int64_t)(random_next() % (uint64_t)(high - low + 1));
}

static void test_rotations_in_lanes_are_exact(void **state) {
    (void)state;
    const int64_t most = (INT64_C(1) << 27) - 1;
    for (int64_t n = 0; n < 200000; ++n) {
        const int64_t turned = n < 1000 ? n - 500 : n == 1000 ? most : n == 1001 ? -most : random_between(-most, most);
        int64_t c[ISO__LANES_COUNT], s[ISO__LANES_COUNT];
        const kernel_vector q = kernel_rotation(iso__lanes_set(turned));
        iso__lanes_store(c, q.x);
        iso__lanes_store(s, q.y);
        const iso_rotation exact = iso_rotation_make((uint32_t)(uint64_t)turned);
        assert_int_equal((int32_t)c[0], exact.c);
        assert_int_equal((int32_t)s[0], exact.s);
    }
}

/// A group, and all that its contacts are followed from.
typedef struct following {
    iso__plane plane;
    iso__plane_step_scratch scratch;
    iso__globals globals;
    iso__plane_body bodies[2 * ISO__LANES];
    iso__plane_body_derived derived[2 * ISO__LANES];
    iso__plane_contact contacts[ISO__LANES];
    iso__plane_manifold manifolds[ISO__LANES];
    iso__plane_pose_group group;
} following;

static void following_link(following *on) {
    on->plane.scratch = &on->scratch;
    on->plane.world.globals = &on->globals;
    on->plane.bodies = on->bodies;
    on->plane.body_derived = on->derived;
    on->plane.contacts = on->contacts;
    on->scratch.manifolds_last = on->manifolds;
}

/// Of a size that is often none, about as large as `usual`, and seldom anything.
static int64_t random_about(int64_t usual, int64_t most) {
    if (random_next() % 64 == 0) {
        return random_between(-most, most);
    }
    switch (random_next() % 16) {
    case 0:
    case 1:
    case 2:
    case 3:
        return 0;
    case 4:
        return random_next() % 2 == 0 ? usual : -usual;
    default:
        return random_between(-usual, usual) / (INT64_C(1) << random_next() % 4);
    }
}

/// Two points of the same offset of the centres, within 60 m of both.
static void following_make_manifold(iso__plane_manifold *manifold) {
    const int64_t extents[] = {800, INT64_C(1) << 20, INT64_C(1) << 23, INT64_C(1) << 24, INT64_C(1) << 29};
    const int64_t extent = extents[random_next() % 5];
    const int64_t other = random_next() % 8 == 0 ? INT64_C(60) << 24 : 2 * extent;
    *manifold = (iso__plane_manifold){.extent = (int32_t)extent, .count = 2};
    manifold->is_a_smaller = random_next() % 2 == 0;
    manifold->is_short = manifold->is_plain = random_next() % 2 == 0;
    manifold->is_hidden = random_next() % 2 == 0;
    iso__normalize(random_between(-1000, 1000), random_between(1, 1000), &manifold->normal[0], &manifold->normal[1]);
    const int64_t reach_a = manifold->is_a_smaller ? extent : other, reach_b = manifold->is_a_smaller ? other : extent;
    for (int axis = 0; axis < 2; ++axis) {
        const int64_t from = random_between(-reach_a, reach_a) * 2 / 3,
                      offset = from + random_between(-reach_b, reach_b) * 2 / 3;
        for (uint32_t p = 0; p < 2; ++p) {
            const int64_t a = from + (p == 0 ? 0 : random_between(-extent / 4, extent / 4));
            manifold->points[p].anchor_a[axis] = (int32_t)a;
            manifold->points[p].anchor_b[axis] = (int32_t)(a - offset);
        }
    }
    for (uint32_t p = 0; p < 2; ++p) {
        const bool is_deep = random_next() % 64 == 0;
        manifold->points[p].separation = (int32_t)random_next();
        manifold->points[p].separation_made =
            is_deep ? INT32_MIN + (int32_t)random_between(0, 1000) : (int32_t)random_about(1 << 18, 1 << 28);
    }
}

/// Bodies near the pose at which the manifold was made, or not far from it.
static void following_make_lane(following *on, uint32_t n) {
    iso__plane_manifold *manifold = &on->manifolds[n];
    iso__plane_contact *contact = &on->contacts[n];
    following_make_manifold(manifold);
    contact->flags = (uint8_t)(random_next() % 4);
    contact->point_count = 2;
    contact->child = (uint16_t)random_next();
    const int64_t limit = on->scratch.params.keep_turn;
    const int64_t farthest = iso__min64(on->scratch.params.keep_distance, manifold->extent / 8);
    const int64_t bound = (contact->flags & ISO__PLANE_CONTACT_TOUCHES) != 0 ? farthest : farthest / 4;
    const int64_t near = random_next() % 4 == 0 ? bound : bound / 8, rate = on->plane.world.def.tick_rate_hz;
    iso_rotation frame = {ISO_ROTATION_ONE, 0};
    for (int i = 0; i < 2; ++i) {
        iso__plane_body *body = &on->bodies[2 * n + (uint32_t)i];
        iso__plane_body_derived *derived = &on->derived[2 * n + (uint32_t)i];
        const int64_t usual = random_next() % 4 == 0 ? limit + (int64_t)(random_next() % 2) : limit / 64;
        const int64_t turned = random_about(usual, INT32_MAX);
        contact->pose_angle[i] = (uint32_t)random_next();
        body->angle = (int64_t)(uint64_t)(contact->pose_angle[i] + (uint32_t)(uint64_t)turned) |
                      random_between(-9, 9) * ISO_WIDE_ONE;
        derived->radius_exponent = (int8_t)random_between(-8, 6);
        derived->gyration = (int32_t)random_next();
        body->linear_damping = (int32_t)random_next();
        body->spin = (int32_t)random_about(random_next() % 2 == 0 ? 1 << 10 : 1 << 17, INT32_MAX);
        body->velocity[0] = (int32_t)random_about(near * rate / 128, INT64_C(1) << 28);
        body->velocity[1] = (int32_t)random_about(near * rate / 128, INT64_C(1) << 28);
        body->position[0] = random_between(-(INT64_C(1) << 46), INT64_C(1) << 46);
        body->position[1] = random_between(-(INT64_C(1) << 46), INT64_C(1) << 46);
        frame = i == (manifold->is_a_smaller ? 1 : 0) ? iso_rotation_make((uint32_t)(uint64_t)turned) : frame;
    }
    const iso__plane_manifold_point *point = &manifold->points[0];
    const int64_t dx = (int64_t)point->anchor_a[0] - point->anchor_b[0] + random_about(near, bound + 4);
    const int64_t dy = (int64_t)point->anchor_a[1] - point->anchor_b[1] + random_about(near, bound + 4);
    const int64_t x = (frame.c * dx - frame.s * dy) >> 22, y = (frame.s * dx + frame.c * dy) >> 22;
    on->bodies[2 * n + 1].position[0] = on->bodies[2 * n].position[0] + x + random_between(-300, 300);
    on->bodies[2 * n + 1].position[1] = on->bodies[2 * n].position[1] + y + random_between(-300, 300);
    if (random_next() % 64 == 0) {
        on->bodies[2 * n + 1].position[random_next() % 2] += INT64_C(1) << 40; // what a lane would not see
    }
}

static void following_make(following *on) {
    memset(on, 0, sizeof *on);
    following_link(on);
    on->globals.body_count = 2 * ISO__LANES;
    on->plane.world.def.tick_rate_hz = (uint16_t)(random_next() % 4 == 0 ? 128 : random_between(10, 120));
    on->scratch.params.keep_distance = random_next() % 4 == 0 ? INT64_C(1) << 23 : random_between(1, INT64_C(1) << 20);
    on->scratch.params.keep_turn = (uint32_t)random_between(1, INT64_C(85445659)); // an eighth of a radian
    on->group.count = (uint32_t)random_between(1, ISO__LANES);
    for (uint32_t n = 0; n < ISO__LANES; ++n) {
        following_make_lane(on, n);
        const uint32_t of = n < on->group.count ? n : 0;
        on->group.body_a[n] = 2 * of;
        on->group.body_b[n] = 2 * of + 1;
        on->group.contact[n] = on->group.manifold[n] = of;
    }
}

/// How many contacts were followed, were not, and were left to the scalar code.
typedef struct followed_counts {
    uint32_t kept, far, left;
} followed_counts;

static void check_group(void (*follow)(const iso__plane *plane, iso__plane_pose_group *group), uint32_t number,
                        followed_counts *counts) {
    static following vector, scalar;
    following_make(&vector);
    memcpy(&scalar, &vector, sizeof scalar);
    following_link(&scalar);
    follow(&vector.plane, &vector.group);
    for (uint32_t n = 0; n < ISO__LANES; ++n) {
        const uint32_t bodies[2] = {2 * n, 2 * n + 1};
        const bool is_left = (vector.group.left >> n & 1) != 0, is_kept = (vector.group.followed >> n & 1) != 0;
        const bool is_scalar = n < scalar.group.count && !is_left &&
                               iso__plane_contact_follow_pose(&scalar.plane, &scalar.scratch.turns, bodies,
                                                              &scalar.contacts[n], &scalar.manifolds[n]);
        if (is_kept != is_scalar || (is_left && n >= scalar.group.count) ||
            memcmp(&vector.manifolds[n], &scalar.manifolds[n], sizeof vector.manifolds[n]) != 0) {
            fail_msg("contact %u of group %u differs", n, number);
        }
        counts->kept += is_kept;
        counts->left += is_left;
        counts->far += n < scalar.group.count && !is_left && !is_kept;
    }
}

/// Many of each outcome: else the test would show little.
static void check_kernel(void (*follow)(const iso__plane *plane, iso__plane_pose_group *group)) {
    followed_counts counts = {0};
    random_state = 1;
    for (uint32_t n = 0; n < group_count; ++n) {
        check_group(follow, n, &counts);
    }
    const uint32_t all = counts.kept + counts.far + counts.left;
    print_message("of %u contacts %u kept, %u far, %u left\n", all, counts.kept, counts.far, counts.left);
    assert_true(counts.kept > all / 8 && counts.far > all / 8 && counts.left > all / 256 && counts.left < all / 3);
}

static void test_portable_lanes_agree(void **state) {
    (void)state;
    check_kernel(kernel_contacts_follow);
}

static void test_instruction_sets_agree(void **state) {
    (void)state;
    for (unsigned set = 0; set < ISO_SIMD_COUNT; ++set) {
        const iso__plane_kernels *kernels = iso__plane_kernels_of((iso_simd)set);
        if (kernels != NULL && iso_simd_is_supported((iso_simd)set)) {
            check_kernel(kernels->contacts_follow);
        } else if ((iso_simd)set != ISO_SIMD_PORTABLE) {
            print_message("%s is not here: skipped\n", iso_simd_name((iso_simd)set));
        }
    }
}

int main(int argc, char **argv) {
    for (int i = 1; i + 1 < argc; i += 2) {
        if (strcmp(argv[i], "--groups") == 0) {
            group_count = (uint32_t)strtoul(argv[i + 1], NULL, 10);
        }
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rotations_in_lanes_are_exact),
        cmocka_unit_test(test_portable_lanes_agree),
        cmocka_unit_test(test_instruction_sets_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
