/// Hinges against the rows of a joint of any kind, on random states: the same to the bit, in each pass and in whole
/// steps.
#include "joint_rig.h"

#include "plane/dynamics/impact_held.h"
#include "plane/joint/drive.h"
#include "plane/joint/axis_make.h"
#include "plane/joint/hinge.h"

#define STATES 500
#define WORLDS 12
#define SPOKES 22 // each in a colour of its own

// ---- one joint -----------------------------------------------------------------------------------

static void def_set_switches(iso_joint_def *def, rng *random) {
    const uint32_t on = 1 + rng_below(random, 7);
    def->kind = ISO_JOINT_REVOLUTE;
    def->limit_enabled = (on & 1) != 0;
    def->motor_enabled = (on & 2) != 0;
    def->spring_enabled = (on & 4) != 0;
}

/// Numbers as they are given and far beyond.
static void def_set_numbers(iso_joint_def *def, rng *random) {
    def->upper = iso__add32(def->lower, fix(rng_below(random, 3) ? rng_range(random, 0, 2) : 0));
    def->motor_max = wide(pow(10, rng_range(random, -4, 8)));
    def->torque_max = rng_below(random, 2) ? wide(pow(10, rng_range(random, -4, 8))) : 0;
    def->spring_max = rng_below(random, 2) ? wide(pow(10, rng_range(random, -4, 8))) : 0;
    if (rng_below(random, 3) == 0) {
        def->spring_stiffness = wide(pow(10, rng_range(random, -2, 6)));
        def->spring_damping = wide(pow(10, rng_range(random, -2, 4)));
        def->spring_hertz = def->spring_damping_ratio = 0;
    }
}

static rig hinge_make(uint64_t seed) {
    rng random = {seed};
    rig is = {.world = world_make_small(0), .def = iso_joint_def_default()};
    rig_set_numbers(&is, &random);
    def_set_switches(&is.def, &random);
    def_set_numbers(&is.def, &random);
    rig_add_bodies(&is, &random);
    is.def.body_c = is.def.body_d = (iso_body_id){0, 0};
    joint_add(is.world, &is.def);
    world_steps(is.world, 1); // sets the parameters of the step
    return is;
}

/// Speeds, ways and impulses of any size up to the ends of their formats.
static void state_set(rig *is, uint64_t seed) {
    rng random = {seed};
    const double speed = pow(2, rng_range(&random, -8, 9)), j = pow(2, rng_range(&random, -8, 20));
    const double way = pow(2, rng_range(&random, -12, 3));
    iso__plane_joint *joint = &iso__plane_of(is->world)->joints[0];
    for (int n = 0; n < ISO__PLANE_JOINT_IMPULSES; ++n) {
        const int64_t most = n < 2 ? ISO__JOINT_IMPULSE_MAX : ISO__AXIS_IMPULSE_MAX;
        joint->impulse[n] = iso__clamp64(wide(rng_range(&random, -j, j)), -most, most);
    }
    const uint32_t rows = iso__plane_axis_rows(joint);
    for (uint32_t row = 0; row < ISO__AXIS_ROWS; ++row) {
        int64_t *impulse = &joint->impulse[ISO__PLANE_JOINT_AXIS_IMPULSE + row];
        *impulse *= rows >> row & 1u;
        *impulse *= row < ISO__AXIS_LOWER || rng_below(&random, 2);
        *impulse *= row == ISO__AXIS_LOWER && *impulse < 0 ? -1 : row == ISO__AXIS_UPPER && *impulse > 0 ? -1 : 1;
    }
    for (uint32_t i = 0; i < is->world->globals->body_count; ++i) {
        const bool moves = iso__plane_of(is->world)->bodies[i].type == ISO_BODY_DYNAMIC;
        iso__plane_motion *motion = &is->scratch->motions[i];
        *motion = (iso__plane_motion){.kind = moves};
        is->scratch->drifts[i] = (iso__plane_drift){0};
        is->scratch->rotations[i] = iso__plane_of(is->world)->body_derived[i].rotation;
        for (int n = 0; n < 3 && moves; ++n) {
            *(n < 2 ? &motion->velocity[n] : &motion->spin) =
                (int32_t)(rng_range(&random, -speed, speed) * ISO__VEL_ONE);
            *(n < 2 ? &is->scratch->drifts[i].moved[n] : &is->scratch->drifts[i].turned) =
                wide(rng_range(&random, -way, way));
        }
    }
}

typedef struct twins {
    rig wide;   // solved as a joint of any kind
    rig narrow; // solved as a hinge
} twins;

static void twins_make(twins *is, uint64_t seed) {
    *is = (twins){hinge_make(seed), hinge_make(seed)};
    is->wide.scratch = iso__plane_of(is->wide.world)->scratch;
    is->narrow.scratch = iso__plane_of(is->narrow.world)->scratch;
}

static void twins_set(twins *is, uint64_t seed) {
    state_set(&is->wide, seed + 1);
    state_set(&is->narrow, seed + 1);
    EXPECT(iso__plane_joint_is_hinge(iso__plane_of(is->narrow.world), &iso__plane_of(is->narrow.world)->joints[0]),
           "seed %d is no hinge", (int)seed);
    is->wide.work = &is->wide.scratch->joint_works[0];
    is->narrow.scratch->hinge_count = 1;
    is->narrow.scratch->has_same_joints = false;
    is->narrow.scratch->colours[0].hinge_begin = 0;
    is->narrow.scratch->colours[0].hinge_end = 1;
    is->wide.scratch->has_same_joints = false;
    // Through the stage itself, so that the arrival and the softness are its own.
    is->wide.scratch->joints[0].form = ISO__PLANE_JOINT_WORK;
    is->wide.scratch->joint_work_count = 1;
    is->wide.scratch->hinge_count = is->wide.scratch->plain_count = 0;
    is->narrow.scratch->joints[0].form = ISO__PLANE_JOINT_HINGE;
    is->narrow.scratch->joint_work_count = is->narrow.scratch->plain_count = 0;
    is->wide.scratch->joint_clamps = is->narrow.scratch->joint_clamps = 0;
    iso__plane_joints_prepare(iso__plane_of(is->wide.world));
    iso__plane_joints_prepare(iso__plane_of(is->narrow.world));
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
        iso__plane_joint_warm_start(is->wide.scratch, is->wide.work);
        iso__plane_hinge_warm_start(is->narrow.scratch, colour);
        break;
    case SOLVE:
        iso__plane_joint_solve(is->wide.scratch, is->wide.work, false);
        iso__plane_hinge_solve(is->narrow.scratch, colour);
        break;
    default:
        iso__plane_joint_solve(is->wide.scratch, is->wide.work, true);
        iso__plane_hinge_relax(is->narrow.scratch, colour);
        break;
    }
}

static void twins_move(twins *is, uint64_t seed) {
    rng random = {seed};
    for (uint32_t i = 0; i < is->wide.world->globals->body_count; ++i) {
        iso__plane_drift *const drifts[] = {&is->wide.scratch->drifts[i], &is->narrow.scratch->drifts[i]};
        const iso_rotation rotation = iso_rotation_make(rng_below(&random, UINT32_MAX));
        const int64_t x = wide(rng_range(&random, -1, 1)), turned = wide(rng_range(&random, -1, 1));
        for (int n = 0; n < 2 && is->wide.scratch->motions[i].kind; ++n) {
            drifts[n]->moved[0] += x;
            drifts[n]->turned += turned;
            (n == 0 ? is->wide.scratch : is->narrow.scratch)->rotations[i] = rotation;
        }
    }
}

/// The bodies that a joint brings to somewhere else, and the islands that it keeps awake.
static uint64_t drives_of(const rig *is) {
    is->scratch->pulled_bits[0] = is->scratch->woken_sets[0] = 0;
    iso__plane_joints_mark_drives(iso__plane_of(is->world));
    return is->scratch->pulled_bits[0] | is->scratch->woken_sets[0] << 32;
}

static void twins_compare(const twins *is, uint64_t seed, pass which) {
    const iso__plane_hinge_row *row = &is->narrow.scratch->hinge_rows[0];
    const iso__plane_joint_work *work = is->wide.work;
    const iso__plane_axis *axis = &work->axes[0];
    const uint32_t bodies = is->wide.world->globals->body_count;
    EXPECT(memcmp(is->wide.scratch->motions, is->narrow.scratch->motions, bodies * sizeof(iso__plane_motion)) == 0,
           "seed %d, pass %d: other motions", (int)seed, which);
    EXPECT(memcmp(axis->base.impulse, row->impulse, sizeof axis->base.impulse) == 0 &&
               memcmp(work->point.row.impulse, row->point.impulse, sizeof row->point.impulse) == 0,
           "seed %d, pass %d: other impulses", (int)seed, which);
    EXPECT(axis->base.position == row->position && work->arrived[0] == row->arrived, "seed %d, pass %d: another angle",
           (int)seed, which);
    EXPECT(drives_of(&is->wide) == drives_of(&is->narrow), "seed %d, pass %d: other drives", (int)seed, which);
    EXPECT(is->wide.scratch->joint_clamps == is->narrow.scratch->joint_clamps, "seed %d, pass %d: other counts",
           (int)seed, which);
}

static void test_passes_are_those_of_any_joint(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= STATES; ++seed) {
        twins is;
        twins_make(&is, seed * 3);
        for (int substep = 0; substep < 12; ++substep) {
            if (substep % 2 == 0) {
                twins_set(&is, seed * 3 + 7 * (uint64_t)substep);
            }
            for (pass which = WARM_START; which < PASSES; ++which) {
                twins_run(&is, which);
                twins_compare(&is, seed * 3, which);
                if (which == SOLVE) {
                    twins_move(&is, seed * 3 + 2);
                }
            }
        }
        twins_free(&is);
    }
}

// ---- whole steps ---------------------------------------------------------------------------------

/// A chain of boxes that hangs, is driven and sprung. @param is_hinge  else the limits would be soft if there were any
static iso_world *chain_make(uint64_t seed, bool is_hinge) {
    rng random = {seed};
    iso_world *world = world_make_small(-10);
    iso_body_id last = body_add(world, ISO_BODY_STATIC, 0, 0, 0);
    for (int i = 0; i < 8; ++i) {
        const iso_shape_def shape = shape_box(0.5, 0.1);
        const iso_body_id next = body_add_shape(world, ISO_BODY_DYNAMIC, i + 0.5, 0, 0, &shape);
        iso_joint_def def = revolute_def(last, i == 0 ? 0 : 0.5, 0, next, -0.5, 0);
        def_set_switches(&def, &random);
        def.limit_enabled = false;
        def.limit_hertz = is_hinge ? 0 : ISO_FIX16_ONE;
        def.motor_speed = fix(rng_below(&random, 2) ? rng_range(&random, -2, 2) : 0);
        def.motor_max = wide(rng_range(&random, 0, 20));
        // Several stiff springs on a body share what is explicit of them.
        def.spring_hertz = fix(rng_range(&random, 1, 9));
        def.spring_damping_ratio = fix(rng_range(&random, 0, 0.3));
        joint_add(world, &def);
        last = rng_below(&random, 3) ? next : last;
    }
    return world;
}

/// Two light hubs with heavy spokes on springs, which together are too stiff for a force.
static iso_world *hubs_make(bool is_hinge) {
    iso_world *world = world_make_small(-10);
    iso_shape_def light = shape_circle(0.1), heavy = shape_box(0.5, 0.5);
    light.filter.mask = heavy.filter.mask = 0;
    iso_body_id hubs[2];
    for (int h = 0; h < 2; ++h) {
        hubs[h] = body_add_shape(world, ISO_BODY_DYNAMIC, 0, 0, 0, &light);
        for (int i = 0; i < SPOKES; ++i) {
            const iso_body_id spoke = body_add_shape(world, ISO_BODY_DYNAMIC, 0, 0, 0.02 * i, &heavy);
            iso_joint_def def = revolute_def(hubs[h], 0, 0, spoke, 0, 0);
            def.limit_hertz = is_hinge ? 0 : ISO_FIX16_ONE;
            def.spring_enabled = true;
            def.spring_hertz = fix(6.7);
            def.spring_damping_ratio = 0;
            joint_add(world, &def);
        }
    }
    iso_joint_def def = revolute_def(hubs[0], 0, 0, hubs[1], 0, 0);
    def.limit_hertz = is_hinge ? 0 : ISO_FIX16_ONE;
    def.spring_enabled = true;
    def.spring_hertz = fix(6.7);
    def.spring_damping_ratio = 0;
    joint_add(world, &def);
    return world;
}

static void test_steps_are_those_of_any_joint(void **state) {
    (void)state;
    uint32_t hinges = 0, works = 0, softened = 0;
    for (uint64_t seed = 1; seed <= WORLDS; ++seed) {
        iso_world *a = seed == 1 ? hubs_make(true) : chain_make(seed, true);
        iso_world *b = seed == 1 ? hubs_make(false) : chain_make(seed, false);
        for (int tick = 0; tick < 300; ++tick) {
            world_steps(a, 1);
            world_steps(b, 1);
            hinges += iso__plane_of(a)->scratch->hinge_count;
            works += iso__plane_of(b)->scratch->hinge_count;
            for (uint32_t i = 0; i < iso__plane_of(a)->scratch->hinge_count; ++i) {
                const iso__plane_hinge_row *row = &iso__plane_of(a)->scratch->hinge_rows[i];
                softened += memcmp(&row->soft, &row->spring, sizeof row->soft) != 0;
            }
            EXPECT(memcmp(iso__plane_of(a)->bodies, iso__plane_of(b)->bodies,
                          a->globals->body_count * sizeof *iso__plane_of(a)->bodies) == 0,
                   "seed %d: bodies differ at tick %d", (int)seed, tick);
            EXPECT(memcmp(a->awake, b->awake, sizeof *a->awake) == 0, "seed %d: sleep differs at tick %d", (int)seed,
                   tick);
            if (tick % 50 == 30) {
                const iso_joint_id joint = iso_joint_next(a, (uint32_t)tick % 8);
                EXPECT_STATUS(iso_joint_set_motor(a, joint, true, fix(tick * 0.01), wide(5)), ISO_OK);
                EXPECT_STATUS(iso_joint_set_motor(b, joint, true, fix(tick * 0.01), wide(5)), ISO_OK);
            }
        }
        world_free(a);
        world_free(b);
    }
    assert_true(hinges > WORLDS * 300 && works == 0 && softened > 0);
}

/// The joints' maxima, softness and shares follow from what is changed between two ticks.
static void test_rows_follow_changes(void **state) {
    (void)state;
    iso_world *world = chain_make(5, true);
    world_steps(world, 3);
    const iso_joint_id joint = iso_joint_next(world, 0);
    EXPECT_STATUS(iso_joint_set_motor(world, joint, true, fix(3), wide(7)), ISO_OK);
    world_steps(world, 1);
    assert_int_equal(iso__plane_of(world)->scratch->hinge_rows[0].speed, wide(3));
    const int32_t share = iso__plane_of(world)->scratch->hinge_rows[1].point.share_b;
    iso_shape_def heavy = shape_box(2, 2);
    heavy.density = fix(100);
    const iso_body_id body = iso_body_next(world, iso__plane_of(world)->scratch->hinge_rows[1].point.body_b);
    shape_add(world, body, &heavy);
    world_steps(world, 1);
    assert_int_not_equal(iso__plane_of(world)->scratch->hinge_rows[1].point.share_b, share);
    world_free(world);
}

/// Whether bars are held against balls, that lie against the limits of their hinges or do not: asked of the hinges, and
/// of the same joints as works.
static void test_impacts_are_held_alike(void **state) {
    (void)state;
    int held = 0, free = 0;
    for (uint64_t seed = 1; seed <= 40; ++seed) {
        rng random = {seed};
        iso_world *world = world_make_small(0);
        const iso_body_id pole = body_add(world, ISO_BODY_STATIC, 0, 0, 0);
        const iso_shape_def bar = shape_box(0.5, 0.1);
        iso_shape_def ball = shape_circle(0.1);
        ball.restitution = ONE;
        const double at = rng_range(&random, 0.2, 0.5);
        iso_joint_def def = revolute_def(pole, 0, 0, body_add_shape(world, ISO_BODY_DYNAMIC, -at, 0, 0, &bar), at, 0);
        def.limit_enabled = true;
        def.lower = fix(-3);
        def.upper = seed % 2 ? 0 : fix(3);
        def.motor_enabled = seed % 2;
        def.motor_speed = ONE;
        def.motor_max = wide(10);
        joint_add(world, &def);
        const iso_body_id other =
            body_add_shape(world, ISO_BODY_DYNAMIC, rng_range(&random, -0.4, 0) - at, 0.4, 0, &ball);
        body_set_velocity(world, other, 0, -3, 0);
        iso__plane_step_scratch *scratch = iso__plane_of(world)->scratch;
        for (int tick = 0; tick < 60 && scratch->bouncing_count == 0; ++tick) {
            world_steps(world, 1);
        }
        if (scratch->bouncing_count != 0 && scratch->hinge_count == 1) {
            iso__plane_impact_find_held(iso__plane_of(world));
            const uint8_t is_held = scratch->is_held[1];
            iso__plane_joint_work *work = &scratch->joint_works[0];
            const iso__plane_hinge_row *row = &scratch->hinge_rows[0];
            iso__plane_joint_prepare(iso__plane_of(world), 0, work, scratch->axes);
            work->point.row = row->point;
            memcpy(work->axes[0].base.impulse, row->impulse, sizeof row->impulse);
            scratch->hinge_count = 0;
            scratch->joint_work_count = 1;
            iso__plane_impact_find_held(iso__plane_of(world));
            EXPECT(scratch->is_held[1] == is_held, "seed %d: held as a hinge %d", (int)seed, is_held);
            held += is_held;
            free += !is_held;
        }
        world_free(world);
    }
    assert_true(held > 4 && free > 4);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_passes_are_those_of_any_joint),
        cmocka_unit_test(test_steps_are_those_of_any_joint),
        cmocka_unit_test(test_rows_follow_changes),
        cmocka_unit_test(test_impacts_are_held_alike),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
