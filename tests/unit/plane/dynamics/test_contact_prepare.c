/// What contact rows are made of, against long double; and the same in lanes, bit for bit.
///
///   test_contact_prepare [--groups N]   random groups of each instruction set, 20,000 by default
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

// With its static parts.
#include "plane/dynamics/contact_prepare.c"
#include "plane/dynamics/contact_row.c"
#include "simd/portable.h"

#include "plane/dynamics/contact_prepare_kernel.h"

#define UNIT ISO__UNIT_ONE

/// Ratios beyond 1:10000 too; the masses' own range is 2^-16 to 2^17 kg.
static void test_shares_add_up_and_keep_mass_ratios(void **state) {
    (void)state;
    for (int64_t mass_a = INT64_C(1) << 16; mass_a <= INT64_C(1) << 49; mass_a = mass_a * 3 / 2) {
        for (int64_t mass_b = INT64_C(1) << 16; mass_b <= INT64_C(1) << 49; mass_b = mass_b * 7 / 4) {
            const iso__mass_shares share = iso__mass_shares_make(mass_a, mass_b);
            const long double exact = (long double)mass_b / ((long double)mass_a + (long double)mass_b) * UNIT;
            assert_int_equal((int64_t)share.lo + share.hi, UNIT);
            assert_true(share.lo >= exact - 0.75L && share.lo <= exact + 0.75L);
        }
    }
}

static void test_row_masses_are_exact_to_the_quantum(void **state) {
    (void)state;
    for (int64_t gain = 0; gain <= INT64_C(500) << 22; gain += INT64_C(49999999)) {
        for (int64_t arm = -UNIT; arm <= UNIT; arm += UNIT / 32) {
            const int32_t by = arm % (UNIT / 16) == 0 ? 1 : -1;
            const int64_t inner = arm < 1 - UNIT ? 1 - UNIT : arm > UNIT - 1 ? UNIT - 1 : arm;
            const iso__pair_lane a = contact_row_side((int32_t)inner, gain, by),
                                 b = contact_row_side((int32_t)-inner / 3, gain / 2, by);
            const long double k = 1 + ((long double)a.lo * a.hi + (long double)b.lo * b.hi) / (UNIT * 4194304.0L);
            const long double exact = UNIT / k;
            const int32_t mass = contact_row_mass(a, b);
            const long double g = (long double)gain * a.lo / UNIT;
            assert_true(a.lo >= arm - 1 && a.lo <= arm + 1);
            assert_true(a.hi >= g - 1.5L && a.hi <= g + 1.5L);
            assert_true(mass >= exact - 1 && mass <= exact + 1 && mass > 0);
        }
    }
}

// ---- in lanes ------------------------------------------------------------------------------------

static uint32_t group_count = 20000; // --groups
static uint32_t stood;               // groups of which all may stand
static uint64_t random_state = 1;

static uint64_t random_next(void) {
    random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return random_state >> 16;
}

static int64_t random_between(int64_t low, int64_t high) {
    return low + (int64_t)(random_next() % (uint64_t)(high - low + 1));
}

static void check_reciprocal(uint64_t k) {
    if (k >> 32 == 0 || k >> 36 != 0) {
        return;
    }
    int64_t found[ISO__LANES_COUNT];
    iso__lanes_store(found, kernel_recip(iso__lanes_set((int64_t)k)));
    for (uint32_t i = 0; i < ISO__LANES_COUNT; ++i) {
        if ((int32_t)found[i] != iso__recip_unit(k)) {
            fail_msg("1/%llx: %d instead of %d", (unsigned long long)k, (int32_t)found[i], iso__recip_unit(k));
        }
    }
}

/// Where the number of bits changes, around the places where the rounded quotient does, where the first guess is worst,
/// and anywhere.
static void test_reciprocals_in_lanes_are_exact(void **state) {
    (void)state;
    for (uint64_t k = 0; k < 100; ++k) {
        for (unsigned e = 32; e <= 36; ++e) {
            check_reciprocal((UINT64_C(1) << e) + k);
            check_reciprocal((UINT64_C(1) << e) - k);
            check_reciprocal((UINT64_C(3) << (e - 1)) + k);
            check_reciprocal((UINT64_C(3) << (e - 1)) - k);
        }
    }
    for (uint32_t n = 0; n < 20 * group_count; ++n) {
        const uint64_t twice = 2 * (uint64_t)random_between(INT64_C(1) << 26, INT64_C(1) << 30) + 1;
        const uint64_t k = (UINT64_C(1) << 63) / twice; // the quotient is half a quantum from two numbers
        for (uint64_t by = 0; by < 4; ++by) {
            check_reciprocal(k + by);
            check_reciprocal(k - by);
        }
        check_reciprocal((uint64_t)random_between(INT64_C(1) << 32, (INT64_C(1) << 36) - 1));
    }
}

/// A group, and all that its rows are made of.
typedef struct filling {
    iso__plane plane;
    iso__plane_step_scratch scratch;
    iso__plane_contact contacts[2 * ISO__LANES];
    iso__plane_manifold manifolds[ISO__LANES];
    iso__plane_contact_surface surfaces[ISO__LANES];
    uint32_t solved[ISO__LANES], order;
    iso__plane_motion motions[2 * ISO__LANES];
    iso__plane_contact_group group;
} filling;

static void filling_link(filling *on) {
    on->plane.scratch = &on->scratch;
    on->plane.contacts = on->contacts;
    on->scratch.manifolds = on->manifolds;
    on->scratch.surfaces = on->surfaces;
    on->scratch.solved = on->solved;
    on->scratch.motions = on->motions;
    on->scratch.groups = &on->group;
    on->scratch.group_order = &on->order;
}

/// Anchors within a body's radius, some beyond it, few far beyond; many that make ties, and the corners of the range.
static int32_t random_anchor(int32_t radius_exponent) {
    const int64_t radius = INT64_C(1) << (24 + radius_exponent);
    switch (random_next() % 16) {
    case 0:
        return (int32_t)iso__clamp64(random_between(-radius * 11 / 8, radius * 11 / 8), INT32_MIN, INT32_MAX);
    case 1:
        return (int32_t)(random_next() % 64 == 0 ? random_between(INT32_MIN, INT32_MAX) : radius - 1);
    case 2:
        return 0;
    case 3:
    case 4:
    case 5:
        return (int32_t)(random_between(-8, 8) * (radius / 8));
    default:
        return (int32_t)random_between(-radius, radius);
    }
}

static void filling_make_lane(filling *on, uint32_t lane) {
    static const int32_t normals[][2] = {{0, UNIT}, {UNIT, 0}, {0, -UNIT}, {-UNIT, 0}, {759250125, -759250125}};
    iso__plane_contact_group *group = &on->group;
    iso__plane_manifold *manifold = &on->manifolds[lane];
    const bool is_plain = random_next() % 4 != 0; // a gyration as boxes have it
    const int64_t most = random_next() % 64 == 0 ? INT64_C(500) << 22 : INT64_C(12) << 22;
    int32_t exponents[2];
    for (int i = 0; i < 2; ++i) {
        exponents[i] = (int32_t)random_between(-8, 6);
    }
    group->body_a[lane] = 2 * lane;
    group->body_b[lane] = 2 * lane + 1;
    group->contact[lane] = lane;
    on->solved[lane] = (uint32_t)(lane + random_next() % ISO__LANES);
    group->gain[lane] = (iso__pair_lane){is_plain ? 6 << 21 : (int32_t)random_between(0, most),
                                         is_plain ? 6 << 21 : (int32_t)random_between(0, most)};
    group->scale[lane] = (iso__pair_lane){ISO__PLANE_SCALE_MAX - exponents[0], ISO__PLANE_SCALE_MAX - exponents[1]};
    const int32_t *normal = normals[random_next() % 5];
    manifold->normal[0] = normal[0];
    manifold->normal[1] = normal[1];
    if (random_next() % 2 == 0) {
        iso__normalize(random_between(-1000, 1000), random_between(1, 1000), &manifold->normal[0],
                       &manifold->normal[1]);
    }
    manifold->count = (uint8_t)((uint32_t)random_between(1, 2));
    manifold->is_hidden = random_next() % 8 == 0;
    for (uint32_t p = 0; p < 2; ++p) {
        for (int axis = 0; axis < 2; ++axis) {
            manifold->points[p].anchor_a[axis] = random_anchor(exponents[0]);
            manifold->points[p].anchor_b[axis] = random_anchor(exponents[1]);
        }
        manifold->points[p].separation = (int32_t)random_next();
    }
    on->surfaces[lane] = (iso__plane_contact_surface){
        .friction = (int32_t)(random_next() >> 33),
        .restitution = random_next() % 4 == 0 ? INT32_C(1) << 27 : 0,
        .speed = (int32_t)random_next(),
        .tie_step = (int32_t)(random_next() % 2),
    };
}

static void filling_make(filling *on) {
    memset(on, 0, sizeof *on);
    on->group.count = (uint32_t)random_between(1, ISO__LANES);
    for (uint32_t n = 0; n < 2 * ISO__LANES; ++n) {
        iso__plane_contact *contact = &on->contacts[n];
        contact->flags = (uint8_t)(random_next() % 4 == 0 ? 0 : ISO__PLANE_CONTACT_TOUCHES);
        for (uint32_t p = 0; p < 2; ++p) {
            contact->normal_impulse[p] = (int32_t)random_next();
            contact->tangent_impulse[p] = (int32_t)random_next();
            on->motions[n].velocity[p] = (int32_t)random_between(-APPROACH_MAX, APPROACH_MAX);
        }
        on->motions[n].spin = (int32_t)random_between(-APPROACH_MAX, APPROACH_MAX);
    }
    for (uint32_t lane = 0; lane < on->group.count; ++lane) {
        filling_make_lane(on, lane);
    }
    contact_fill_rest(&on->group);
}

/// What the other lanes hold does not matter.
static void filling_clear_rest(iso__plane_contact_group *group) {
    for (uint32_t lane = group->count; lane < ISO__LANES; ++lane) {
        group->normal[lane] = group->surface[lane] = (iso__pair_lane){0, 0};
        group->drive[lane] = 0;
        contact_clear_point(&group->points[0], lane);
        contact_clear_point(&group->points[1], lane);
    }
}

/// The next tick: some contacts keep their manifold, others have another one. Everything else may change.
static void filling_go_on(filling *on) {
    const bool all_stand = random_next() % 2 == 0;
    on->scratch.has_same_rules = all_stand && random_next() % 2 == 0; // then nothing else changes, either
    on->group.touches = true;
    for (uint32_t lane = 0; lane < on->group.count; ++lane) {
        const iso__plane_manifold before = on->manifolds[lane];
        const iso__plane_contact_surface surface = on->surfaces[lane];
        const iso__pair_lane gain = on->group.gain[lane], scale = on->group.scale[lane];
        const uint32_t solved = on->solved[lane];
        filling_make_lane(on, lane);
        on->solved[lane] = solved;
        on->group.gain[lane] = gain;
        on->group.scale[lane] = scale;
        if (all_stand || random_next() % 2 == 0) {
            const iso__plane_manifold next = on->manifolds[lane];
            on->manifolds[lane] = before;
            on->manifolds[lane].is_standing = true;
            on->manifolds[lane].is_hidden = next.is_hidden;
            for (uint32_t p = 0; p < 2; ++p) {
                on->manifolds[lane].points[p].separation = next.points[p].separation;
            }
            on->surfaces[lane].tie_step = surface.tie_step;
        }
        on->surfaces[lane] = on->scratch.has_same_rules ? surface : on->surfaces[lane];
        on->group.touches = on->group.touches && (on->contacts[solved].flags & ISO__PLANE_CONTACT_TOUCHES) != 0;
    }
    for (uint32_t n = 0; n < 2 * ISO__LANES && !on->scratch.has_same_rules; ++n) {
        on->contacts[n].normal_impulse[n % 2] = (int32_t)random_next();
        on->contacts[n].tangent_impulse[n % 2] = (int32_t)random_next();
        on->contacts[n].flags ^= random_next() % 4 == 0 ? ISO__PLANE_CONTACT_TOUCHES : 0;
    }
    contact_fill_rest(&on->group);
}

/// Both fill the same: the scalar code all rows, the kernels, or the scalar code, those that do not stand there.
static void check_filling(const filling *start, const iso__plane_kernels *kernels, uint32_t number) {
    static filling scalar, vector;
    memcpy(&scalar, start, sizeof scalar);
    memcpy(&vector, start, sizeof vector);
    filling_link(&scalar);
    filling_link(&vector);
    scalar.group.filled = 0;
    stood += vector.group.filled != 0 && vector.scratch.has_same_rules && vector.group.touches;
    contact_fill_groups(&scalar.plane.world, NULL, 0, 1);
    contact_fill_groups(&vector.plane.world, (void *)(uintptr_t)kernels, 0, 1);
    filling_clear_rest(&scalar.group);
    filling_clear_rest(&vector.group);
    if (memcmp(&scalar.group, &vector.group, sizeof scalar.group) != 0) {
        fail_msg("group %u with %u contacts differs", number, scalar.group.count);
    }
}

static void check_kernels(const iso__plane_kernels *kernels) {
    static filling on;
    random_state = 1;
    stood = 0;
    for (uint32_t n = 0; n < group_count; ++n) {
        filling_make(&on);
        check_filling(&on, kernels, n);
        filling_link(&on);
        contact_fill_groups(&on.plane.world, (void *)(uintptr_t)kernels, 0, 1);
        filling_go_on(&on);
        check_filling(&on, kernels, n);
    }
    assert_true(stood > group_count / 256);
}

static void test_rows_that_stand_are_those_of_the_manifold(void **state) {
    (void)state;
    check_kernels(NULL);
}

static void test_portable_lanes_agree(void **state) {
    (void)state;
    static const iso__plane_kernels portable = {.contacts_prepare = kernel_contacts_prepare};
    check_kernels(&portable);
}

static void test_instruction_sets_agree(void **state) {
    (void)state;
    for (unsigned set = 0; set < ISO_SIMD_COUNT; ++set) {
        const iso__plane_kernels *kernels = iso__plane_kernels_of((iso_simd)set);
        if (kernels != NULL && iso_simd_is_supported((iso_simd)set)) {
            check_kernels(kernels);
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
        cmocka_unit_test(test_shares_add_up_and_keep_mass_ratios),
        cmocka_unit_test(test_row_masses_are_exact_to_the_quantum),
        cmocka_unit_test(test_reciprocals_in_lanes_are_exact),
        cmocka_unit_test(test_rows_that_stand_are_those_of_the_manifold),
        cmocka_unit_test(test_portable_lanes_agree),
        cmocka_unit_test(test_instruction_sets_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
