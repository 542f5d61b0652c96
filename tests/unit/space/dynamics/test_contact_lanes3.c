/// The kernels of each instruction set against the scalar passes over contacts in space, bit for bit, on random groups
/// within and at the ends of their ranges. `--groups N`: how many groups of each set, 2,000 by default.
#include "unit/world/physics_util.h"

#include "isostep/body3.h"
#include "math/vec3.h"
#include "space/dynamics/contact_group.h"
#include "space/dynamics/contact_solve.h"
#include "space/dynamics/kernels.h"

#define GROUPS 4u
#define BODIES (GROUPS * 2u * ISO__LANES)

static uint32_t group_rounds = 2000 / GROUPS;

/// A world of nothing but the passes' data.
typedef struct bench {
    iso__space space;
    iso__space_scratch scratch;
    iso__space_motion motions[BODIES];
    _Alignas(64) iso__space_contact_group groups[GROUPS];
} bench;

static int32_t random_within(rng *random, int64_t most) {
    switch (rng_below(random, 8)) {
    case 0:
        return 0;
    case 1:
        return (int32_t)most;
    case 2:
        return (int32_t)-most;
    case 3: // small
        return (int32_t)(rng_next(random) % 2048) - 1024;
    default:
        return (int32_t)((int64_t)(rng_next(random) % (uint64_t)(2 * most + 1)) - most);
    }
}

static int32_t random_to(rng *random, int64_t most) {
    const int32_t value = random_within(random, most);
    return value < 0 ? -value : value;
}

/// A vector of a length of at most one.
static void random_arm(rng *random, int32_t arm[3]) {
    int64_t v[3];
    int32_t unit[3];
    for (int c = 0; c < 3; ++c) {
        v[c] = random_within(random, ISO__UNIT_ONE);
    }
    iso__normalize3(v, unit);
    const int32_t length = random_to(random, ISO__UNIT_ONE);
    for (int c = 0; c < 3; ++c) {
        arm[c] = (int32_t)iso__round_shift((int64_t)unit[c] * length, 30);
    }
}

static void random_turn(rng *random, uint32_t lane, iso__space_turn_lanes *turn) {
    int32_t arm_a[3], arm_b[3];
    random_arm(random, arm_a);
    random_arm(random, arm_b);
    for (int c = 0; c < 3; ++c) {
        turn->a[c][lane] =
            (iso__pair_lane){arm_a[c], random_within(random, INT64_C(1) << (20 + rng_below(random, 11)))};
        turn->b[c][lane] =
            (iso__pair_lane){arm_b[c], random_within(random, INT64_C(1) << (20 + rng_below(random, 11)))};
    }
}

static void random_contact(rng *random, uint32_t lane, uint32_t points, iso__space_contact_group *group) {
    int64_t v[3];
    int32_t n[3], t1[3], t2[3];
    do {
        for (int c = 0; c < 3; ++c) {
            v[c] = random_within(random, ISO__UNIT_ONE);
        }
    } while (iso__normalize3(v, n) == 0);
    iso__tangents3(n, t1, t2);
    const int32_t share = random_to(random, ISO__UNIT_ONE);
    group->normal[0][lane] = (iso__pair_lane){n[0], n[1]};
    group->normal[1][lane] = (iso__pair_lane){n[2], random_to(random, INT32_MAX)};
    group->tangents[0][lane] = (iso__pair_lane){t1[0], t1[1]};
    group->tangents[1][lane] = (iso__pair_lane){t1[2], t2[0]};
    group->tangents[2][lane] = (iso__pair_lane){t2[1], t2[2]};
    group->share[lane] = (iso__pair_lane){share, ISO__UNIT_ONE - share};
    group->restitution[lane] = rng_below(random, 2) == 0 ? 0 : random_to(random, INT64_C(1) << 28);
    group->bounces = group->bounces || group->restitution[lane] > 0;
    group->notes = group->notes || group->bounces;
    const int64_t most = ISO_SPEED3_MAX_M_S * ISO__VEL_ONE;
    for (uint32_t p = 0; p < points; ++p) {
        iso__space_point_lanes *point = &group->points[p];
        random_turn(random, lane, &point->turn);
        point->impulse[lane] = (iso__pair_lane){random_to(random, most), random_to(random, ISO__UNIT_ONE)};
        point->separation[lane] = random_within(random, INT64_C(1) << (16 + rng_below(random, 12)));
        point->separation_now[lane] = point->separation[lane];
        point->lever[lane] = random_to(random, ISO__UNIT_ONE);
        point->approach[lane] = random_within(random, most);
    }
    for (int i = 0; i < 2; ++i) {
        random_turn(random, lane, &group->friction[i]);
    }
    random_turn(random, lane, &group->twist_turn);
    for (int i = 0; i < 2; ++i) { // read where the group carries
        group->surface[i][lane] = random_within(random, 80 * ISO__VEL_ONE);
    }
    group->friction_impulse[lane] = (iso__pair_lane){random_within(random, most), random_within(random, most)};
    group->friction_mass[0][lane] = random_to(random, ISO__UNIT_ONE);
    group->friction_mass[1][lane] = random_within(random, ISO__UNIT_ONE / 2);
    group->friction_mass[2][lane] = random_to(random, ISO__UNIT_ONE);
    if (points > 1) {
        group->twist[lane] = (iso__pair_lane){random_within(random, most), random_to(random, INT32_MAX - 1) + 1};
    }
}

static void random_group(rng *random, uint32_t first, const iso__space_motion *motions,
                         iso__space_contact_group *group) {
    memset(group, 0, sizeof *group);
    group->count = 1 + rng_below(random, ISO__LANES);
    group->carries = rng_below(random, 2) == 0;
    group->notes = rng_below(random, 2) == 0;
    for (uint32_t lane = 0; lane < ISO__LANES; ++lane) {
        const bool is_used = lane < group->count;
        group->body_a[lane] = first + (is_used ? 2 * lane : 0);
        group->body_b[lane] = first + (is_used ? 2 * lane : 0) + 1;
        if (is_used) {
            const uint32_t points = 1 + rng_below(random, ISO__SPACE_MANIFOLD_POINTS);
            group->point_count = points > group->point_count ? points : group->point_count;
            group->moves_a = (uint8_t)(group->moves_a | motions[group->body_a[lane]].is_dynamic << lane);
            group->moves_b = (uint8_t)(group->moves_b | motions[group->body_b[lane]].is_dynamic << lane);
            random_contact(random, lane, points, group);
        }
    }
}

static void bench_make(rng *random, bench *made) {
    memset(made, 0, sizeof *made);
    const iso_world_def def = iso_world_def_default();
    iso__step_params_make(&def, &made->scratch.params);
    made->space.world.def = def;
    made->space.scratch = &made->scratch;
    made->scratch.motions = made->motions;
    made->scratch.groups = made->groups;
    const int64_t most = ISO_SPEED3_MAX_M_S * ISO__VEL_ONE;
    for (uint32_t i = 0; i < BODIES; ++i) {
        iso__space_motion *motion = &made->motions[i];
        const int64_t speed = most >> (rng_below(random, 2) * rng_below(random, 20));
        for (int c = 0; c < 3; ++c) {
            motion->velocity[c] = random_within(random, speed);
            motion->spin[c] = random_within(random, speed);
            motion->moved[c] = random_within(random, INT64_C(1) << 26);
            motion->turned[c] = random_within(random, INT64_C(1) << 26);
        }
        motion->is_dynamic = rng_below(random, 5) != 0;
    }
    for (uint32_t g = 0; g < GROUPS; ++g) {
        random_group(random, g * 2 * ISO__LANES, made->motions, &made->groups[g]);
    }
    made->scratch.group_count = GROUPS;
    for (uint32_t c = 0; c < ISO__COLOURS; ++c) {
        made->scratch.colour_groups[c] = (iso__group_range){c == 0 ? 0 : GROUPS, GROUPS};
    }
}

static void bench_copy(const bench *from, const iso__space_kernels *kernels, bench *to) {
    memcpy(to, from, sizeof *to);
    to->space.scratch = &to->scratch;
    to->scratch.motions = to->motions;
    to->scratch.groups = to->groups;
    to->scratch.kernels = kernels;
}

static void expect_equal(const bench *scalar, const bench *lanes, iso_simd set, uint32_t round, const char *pass) {
    for (uint32_t i = 0; i < BODIES; ++i) {
        EXPECT(memcmp(&scalar->motions[i], &lanes->motions[i], sizeof(iso__space_motion)) == 0,
               "%s, %s, round %u: body %u", iso_simd_name(set), pass, round, i);
    }
    for (uint32_t g = 0; g < GROUPS; ++g) {
        EXPECT(memcmp(&scalar->groups[g], &lanes->groups[g], sizeof(iso__space_contact_group)) == 0,
               "%s, %s, round %u: group %u", iso_simd_name(set), pass, round, g);
    }
}

static void test_passes_are_equal_in_every_bit(void **state) {
    (void)state;
    static bench made, scalar, lanes;
    for (int set = 0; set < ISO_SIMD_COUNT; ++set) {
        const iso__space_kernels *kernels =
            iso_simd_is_supported((iso_simd)set) ? iso__space_kernels_of((iso_simd)set) : NULL;
        rng random = {11};
        for (uint32_t round = 0; kernels != NULL && round < group_rounds; ++round) {
            bench_make(&random, &made);
            bench_copy(&made, NULL, &scalar);
            bench_copy(&made, kernels, &lanes);
            iso__space_contacts_warm_start(&scalar.space);
            iso__space_contacts_warm_start(&lanes.space);
            expect_equal(&scalar, &lanes, (iso_simd)set, round, "warm start");
            for (int substep = 0; substep < 2; ++substep) {
                iso__space_contacts_solve(&scalar.space);
                iso__space_contacts_solve(&lanes.space);
                expect_equal(&scalar, &lanes, (iso_simd)set, round, "solve");
                iso__space_contacts_relax(&scalar.space);
                iso__space_contacts_relax(&lanes.space);
                expect_equal(&scalar, &lanes, (iso_simd)set, round, "relax");
            }
            iso__space_contacts_restitute(&scalar.space);
            iso__space_contacts_restitute(&lanes.space);
            expect_equal(&scalar, &lanes, (iso_simd)set, round, "restitution");
        }
    }
}

// ---- arms and gains ------------------------------------------------------------------------------

static void random_stage_body(rng *random, bool is_thin, iso__space_stage_body *body) {
    for (uint32_t lane = 0; lane < ISO__LANES; ++lane) {
        for (int c = 0; c < 3; ++c) {
            for (uint32_t p = 0; p <= ISO__SPACE_MANIFOLD_POINTS; ++p) {
                body->anchor[p][c][lane] = random_within(random, INT64_C(2147483647) >> rng_below(random, 16));
            }
            body->twist[c][lane] = random_within(random, ISO__UNIT_ONE);
        }
        for (int e = 0; e < 6; ++e) {
            body->tensor[e][lane] = random_within(random, INT64_C(1) << (22 + rng_below(random, 9)));
        }
        body->extra[lane] = is_thin ? rng_below(random, 8) : 0;
        body->scale[lane] = rng_below(random, 8) == 0 ? 0 : INT32_C(2) << rng_below(random, 15);
    }
    body->has_extra = is_thin;
}

static void test_arms_and_gains_are_equal_in_every_bit(void **state) {
    (void)state;
    static iso__space_stage made, scalar, lanes;
    static bench from, a, b;
    for (int set = 0; set < ISO_SIMD_COUNT; ++set) {
        const iso__space_kernels *kernels =
            iso_simd_is_supported((iso_simd)set) ? iso__space_kernels_of((iso_simd)set) : NULL;
        rng random = {12};
        for (uint32_t round = 0; kernels != NULL && round < group_rounds; ++round) {
            bench_make(&random, &from);
            bench_copy(&from, NULL, &a);
            bench_copy(&from, NULL, &b);
            memset(&made, 0, sizeof made);
            random_stage_body(&random, round % 3 == 0, &made.a);
            random_stage_body(&random, round % 5 == 0, &made.b);
            for (uint32_t g = 0; g < GROUPS; ++g) {
                a.groups[g].count = b.groups[g].count = ISO__LANES;
                scalar = lanes = made;
                iso__space_stage_portable(&scalar, &a.groups[g]);
                kernels->stage(&lanes, &b.groups[g]);
                EXPECT(memcmp(&scalar, &lanes, sizeof scalar) == 0, "%s, round %u: the stage",
                       iso_simd_name((iso_simd)set), round);
            }
            expect_equal(&a, &b, (iso_simd)set, round, "arms and gains");
        }
    }
}

/// (r/L, clamped to ±2) x n, clamped to ±1.
static void expect_arm(const iso__space_stage_body *body, iso__pair_lane turn[3][ISO__LANES], uint32_t p, uint32_t lane,
                       const int32_t n[3]) {
    int32_t lever[3];
    int64_t moment[3];
    for (int c = 0; c < 3; ++c) {
        lever[c] = iso__saturate32((int64_t)body->anchor[p][c][lane] * (body->scale[lane] / 2));
    }
    iso__cross3(lever, n, moment);
    for (int c = 0; c < 3; ++c) {
        const int64_t arm = iso__clamp64(iso__round_shift(moment[c], 30), -ISO__UNIT_ONE, ISO__UNIT_ONE);
        EXPECT(turn[c][lane].lo == arm, "point %u, lane %u, axis %d: %d instead of %lld", p, lane, c, turn[c][lane].lo,
               (long long)arm);
    }
}

static void test_arms_are_those_of_anchors_within_twice_the_radius(void **state) {
    (void)state;
    static iso__space_stage stage;
    static bench made;
    rng random = {13};
    for (uint32_t round = 0; round < group_rounds; ++round) {
        bench_make(&random, &made);
        random_stage_body(&random, false, &stage.a);
        random_stage_body(&random, false, &stage.b);
        iso__space_contact_group *group = &made.groups[0];
        iso__space_stage_portable(&stage, group);
        for (uint32_t lane = 0; lane < group->count; ++lane) {
            const int32_t n[3] = {group->normal[0][lane].lo, group->normal[0][lane].hi, group->normal[1][lane].lo};
            for (uint32_t p = 0; p < group->point_count; ++p) {
                expect_arm(&stage.a, group->points[p].turn.a, p, lane, n);
                expect_arm(&stage.b, group->points[p].turn.b, p, lane, n);
            }
        }
    }
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_passes_are_equal_in_every_bit),
        cmocka_unit_test(test_arms_and_gains_are_equal_in_every_bit),
        cmocka_unit_test(test_arms_are_those_of_anchors_within_twice_the_radius),
    };
    if (argc == 3 && strcmp(argv[1], "--groups") == 0) {
        group_rounds = (uint32_t)(strtoul(argv[2], NULL, 10) / GROUPS);
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
