/// Plain joints against the wide row of point.c, on random states: the same within the narrow formats, and the same to
/// the bit where a solve leaves them.
#include "joint_rig.h"

#define STATES 2000

/// The wide row and the plain one of the same joint in the same state.
typedef struct twins {
    rig wide;
    rig narrow;
} twins;

/// Two bodies and a revolute joint whose anchors lie within a radius or so, as far as L.
static rig revolute_make(uint64_t seed) {
    rng random = {seed};
    rig is = {.world = rig_world(), .def = iso_joint_def_default()};
    const bool is_static = rng_below(&random, 5) == 0;
    iso_body_id bodies[2];
    double reach[2];
    for (int i = 0; i < 2; ++i) {
        const iso_shape_def shape = rig_shape(&random);
        const iso_body_type type = i == 0 && is_static ? ISO_BODY_STATIC : ISO_BODY_DYNAMIC;
        bodies[i] = body_add_shape(is.world, type, rng_range(&random, -3, 3), rng_range(&random, -3, 3),
                                   rng_range(&random, -3, 3), &shape);
        reach[i] = ldexp(1.0, iso__plane_of(is.world)->body_derived[bodies[i].index].radius_exponent);
    }
    is.def.kind = ISO_JOINT_REVOLUTE;
    is.def.body_a = bodies[0];
    is.def.body_b = bodies[1];
    is.def.anchor_a =
        (iso_vec2){fix(rng_range(&random, -reach[0], reach[0])), fix(rng_range(&random, -reach[0], reach[0]))};
    is.def.anchor_b =
        (iso_vec2){fix(rng_range(&random, -reach[1], reach[1])), fix(rng_range(&random, -reach[1], reach[1]))};
    joint_add(is.world, &is.def);
    world_steps(is.world, 1); // sets the parameters of the step
    return is;
}

static void motions_set(rig *is, uint64_t seed, double speed, double spin) {
    rng random = {seed};
    for (uint32_t i = 0; i < is->world->globals->body_count; ++i) {
        iso__plane_motion *motion = &is->scratch->motions[i];
        const bool moves = iso__plane_of(is->world)->bodies[i].type == ISO_BODY_DYNAMIC;
        *motion = (iso__plane_motion){.kind = moves};
        for (int n = 0; n < 3; ++n) {
            const double most = n < 2 ? speed : spin;
            const int32_t value = (int32_t)(rng_range(&random, -most, most) * ISO__VEL_ONE);
            *(n < 2 ? &motion->velocity[n] : &motion->spin) = moves ? value : 0;
        }
    }
}

/// @param j  [m/s] of the stored impulse
/// @return whether the joint is plain
static bool twins_make(twins *is, uint64_t seed, double speed, double j) {
    *is = (twins){revolute_make(seed), revolute_make(seed)};
    rig *const both[] = {&is->wide, &is->narrow};
    for (int i = 0; i < 2; ++i) {
        rng random = {seed + 1};
        iso__plane_joint *joint = &iso__plane_of(both[i]->world)->joints[0];
        joint->impulse[0] = wide(rng_range(&random, -j, j));
        joint->impulse[1] = wide(rng_range(&random, -j, j));
        rig_reset(both[i]);
        motions_set(both[i], seed + 2, speed, fmin(speed, 60));
    }
    iso__plane_joint *joint = &iso__plane_of(is->wide.world)->joints[0];
    is->wide.work->point.row.impulse[0] = joint->impulse[0];
    is->wide.work->point.row.impulse[1] = joint->impulse[1];
    if (!iso__plane_joint_is_plain(iso__plane_of(is->narrow.world), &iso__plane_of(is->narrow.world)->joints[0])) {
        return false;
    }
    iso__plane_plain_prepare(iso__plane_of(is->narrow.world), 0, 0);
    is->narrow.scratch->colours[0].plain_begin = 0;
    is->narrow.scratch->colours[0].plain_end = 1;
    return true;
}

static void twins_free(twins *is) {
    world_free(is->wide.world);
    world_free(is->narrow.world);
}

typedef enum pass { WARM_START, SOLVE, RELAX, PASSES } pass;

static void twins_run(twins *is, pass which) {
    const iso__plane_colour *colour = &is->narrow.scratch->colours[0];
    switch (which) {
    case WARM_START:
        iso__plane_point_warm_start(is->wide.scratch, is->wide.work);
        iso__plane_plain_warm_start(is->narrow.scratch, colour);
        break;
    case SOLVE:
        iso__plane_point_solve(is->wide.scratch, is->wide.work, false);
        iso__plane_plain_solve(is->narrow.scratch, colour);
        break;
    default:
        iso__plane_point_solve(is->wide.scratch, is->wide.work, true);
        iso__plane_plain_relax(is->narrow.scratch, colour);
        break;
    }
}

/// The largest difference of a speed, in quanta.
static double twins_apart(const twins *is) {
    double most = 0;
    for (uint32_t i = 0; i < 2; ++i) {
        const iso__plane_motion *a = &is->wide.scratch->motions[i], *b = &is->narrow.scratch->motions[i];
        const double x = abs(a->velocity[0] - b->velocity[0]), y = abs(a->velocity[1] - b->velocity[1]);
        most = fmax(most, fmax(fmax(x, y),
                               abs(a->spin - b->spin) / fmax(1, fabs(is->wide.work->point.row.turn_a / 4194304.0))));
    }
    return most;
}

// ---- tests ---------------------------------------------------------------------------------------

static void test_rows_are_those_of_the_wide_formats(void **state) {
    (void)state;
    int plain = 0;
    for (uint64_t seed = 1; seed <= STATES; ++seed) {
        twins is;
        if (twins_make(&is, seed, 5, 1)) {
            const iso__plane_point_row *row = &is.wide.work->point.row;
            const iso__plane_plain_row *narrow = &is.narrow.scratch->plain_rows[0];
            ++plain;
            for (int axis = 0; axis < 2; ++axis) {
                EXPECT(row->error[axis] == narrow->error[axis], "state %d: C", (int)seed);
                EXPECT_NEAR(ldexp(narrow->arm_a[axis], -28), from_wide(row->arm_a[axis]), 3e-9, "state %d: arm of A",
                            (int)seed);
                EXPECT_NEAR(ldexp(narrow->arm_b[axis], -28), from_wide(row->arm_b[axis]), 3e-9, "state %d: arm of B",
                            (int)seed);
            }
            const double inverse[] = {ldexp((double)row->inverse.i11, -62), ldexp((double)row->inverse.i12, -62),
                                      ldexp((double)row->inverse.i22, -62)};
            for (int n = 0; n < 3; ++n) {
                EXPECT_NEAR(ldexp(narrow->inverse[n], -29), inverse[n], 1e-7, "state %d: entry %d of the inverse of K",
                            (int)seed, n);
            }
        }
        twins_free(&is);
    }
    print_message("%d of %d joints are plain\n", plain, STATES);
    EXPECT(plain > STATES / 2, "only %d of %d joints are plain", plain, STATES);
}

static void test_passes_do_as_the_wide_rows_do(void **state) {
    (void)state;
    for (pass which = WARM_START; which < PASSES; ++which) {
        double worst = 0;
        for (uint64_t seed = 1; seed <= STATES; ++seed) {
            twins is;
            if (twins_make(&is, seed, 5, 1)) {
                is.narrow.scratch->plain_rows[0].error[0] %= ISO_WIDE_ONE;
                is.narrow.scratch->plain_rows[0].error[1] %= ISO_WIDE_ONE;
                is.wide.work->point.row.error[0] = is.narrow.scratch->plain_rows[0].error[0];
                is.wide.work->point.row.error[1] = is.narrow.scratch->plain_rows[0].error[1];
                twins_run(&is, which);
                const double apart = twins_apart(&is);
                EXPECT(apart <= 8, "state %d: pass %d is %.0f quanta apart", (int)seed, (int)which, apart);
                worst = fmax(worst, apart);
                for (int axis = 0; axis < 2; ++axis) {
                    EXPECT_NEAR(from_wide(is.narrow.scratch->plain_rows[0].impulse[axis]),
                                from_wide(is.wide.work->point.row.impulse[axis]), 1e-5,
                                "state %d: impulse after pass %d", (int)seed, (int)which);
                }
            }
            twins_free(&is);
        }
        print_message("pass %d: speeds at most %.0f quanta apart\n", (int)which, worst);
    }
}

/// Beyond 64 m/s, 2 m or 16 m/s of change: the wide row with the same arms and inverse, to the bit.
static void test_what_leaves_the_formats_is_solved_wide(void **state) {
    (void)state;
    const double speeds[] = {500, 5, 5}, impulses[] = {1, 1, 30000};
    for (int c = 0; c < 3; ++c) {
        int found = 0;
        for (uint64_t seed = 1; seed <= 400; ++seed) {
            twins is;
            if (twins_make(&is, seed, speeds[c], impulses[c])) {
                iso__plane_plain_row *narrow = &is.narrow.scratch->plain_rows[0];
                iso__plane_point_row *row = &is.wide.work->point.row;
                const int64_t far = c == 1 ? 1000 * ISO_WIDE_ONE : ISO_WIDE_ONE / 4;
                for (int axis = 0; axis < 2; ++axis) {
                    narrow->error[axis] = row->error[axis] = far;
                    row->arm_a[axis] = narrow->arm_a[axis] * INT64_C(16);
                    row->arm_b[axis] = narrow->arm_b[axis] * INT64_C(16);
                }
                row->is_short = false;
                row->inverse =
                    (iso__inverse2){narrow->inverse[0] * (INT64_C(1) << 33), narrow->inverse[1] * (INT64_C(1) << 33),
                                    narrow->inverse[2] * (INT64_C(1) << 33)};
                const iso__plane_motion *motions = is.wide.scratch->motions;
                const bool is_fast = abs(motions[1].velocity[0] - motions[0].velocity[0]) > 300 * ISO__VEL_ONE;
                twins_run(&is, c == 2 && seed % 2 ? WARM_START : SOLVE);
                if (c > 0 || is_fast) {
                    ++found;
                    EXPECT(twins_apart(&is) == 0, "case %d, state %d: %.0f quanta apart", c, (int)seed,
                           twins_apart(&is));
                    EXPECT(narrow->impulse[0] == row->impulse[0] && narrow->impulse[1] == row->impulse[1],
                           "case %d, state %d: impulse", c, (int)seed);
                }
            }
            twins_free(&is);
        }
        EXPECT(found > 20, "case %d was met %d times", c, found);
    }
}

static void test_joints_of_little_reach_are_plain(void **state) {
    (void)state;
    const struct {
        double x; // of the anchor on a disc of 1 m
        fix16_t hertz;
        bool is_plain;
    } cases[] = {{0, 0, true},    {1, 0, true},   {2.8, 0, true},
                 {2.9, 0, false}, {30, 0, false}, {1, 1, false}}; // m r^2 / I = 2 r^2
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        iso_world *world = world_make_small(0);
        const iso_shape_def disc = shape_circle(1);
        iso_joint_def def = iso_joint_def_default();
        def.kind = ISO_JOINT_REVOLUTE;
        def.body_a = body_add_shape(world, ISO_BODY_DYNAMIC, 0, 0, 0, &disc);
        def.body_b = body_add_shape(world, ISO_BODY_DYNAMIC, 3, 0, 0, &disc);
        def.anchor_a = (iso_vec2){fix(cases[i].x), 0};
        def.hertz = cases[i].hertz;
        joint_add(world, &def);
        EXPECT(iso__plane_joint_is_plain(iso__plane_of(world), &iso__plane_of(world)->joints[0]) == cases[i].is_plain,
               "an anchor at %g m", cases[i].x);
        world_free(world);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows_are_those_of_the_wide_formats),
        cmocka_unit_test(test_passes_do_as_the_wide_rows_do),
        cmocka_unit_test(test_what_leaves_the_formats_is_solved_wide),
        cmocka_unit_test(test_joints_of_little_reach_are_plain),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
