/// The scalar rows of joints against their derivation, in double precision: J against central differences of x, K
/// against J M^-1 J^T, one solve against the speed that it leaves.
#include "unit/world/physics_util.h"

#include "math/fixed_ops.h"
#include "plane/joint/axis.h"
#include "plane/joint/axis_update.h"
#include "plane/joint/joint_step.h"
#include "plane/joint/kind.h"
#include "plane/joint/work.h"
#include "plane/world/scratch.h"
#include "world/world.h"

typedef struct side {
    uint32_t index;
    double mass, inertia; // 0: infinite
    double rx, ry;        // lever of the anchor [m]
} side;

typedef struct rig {
    iso_world *world;
    iso__plane_step_scratch *scratch;
    iso__plane_joint_work *work;
    side sides[2];
    bool is_length;
    double direction[2]; // d
} rig;

typedef struct twist {
    double vx, vy, w;
} twist;

// ---- a joint in a random state -------------------------------------------------------------------

static iso_shape_def shape_random(rng *random) {
    const double size = 0.05 * pow(200, rng_range(random, 0, 1));
    iso_shape_def def =
        rng_below(random, 3) == 0 ? shape_circle(size) : shape_box(size, size * rng_range(random, 0.3, 1));
    // Masses from grams to tonnes.
    def.density = fix(fmin(fmax(pow(10, rng_range(random, -2, 4)) / (size * size), 0.01), 1e5 / (4 * size * size)));
    def.density = def.density > 32000 * ONE || def.density < 0 ? 32000 * ONE : def.density;
    def.filter.mask = 0;
    return def;
}

static double side_radius(const rig *is, int i) {
    return ldexp(1, iso__plane_of(is->world)->body_derived[is->sides[i].index].radius_exponent);
}

/// Brings the scratch of a step to where its bodies are, unmoved since the tick began.
static void rig_reset(rig *is) {
    iso__plane_joint_prepare(iso__plane_of(is->world), 0, &iso__plane_of(is->world)->scratch->joint_works[0],
                             iso__plane_of(is->world)->scratch->axes);
    is->scratch = iso__plane_of(is->world)->scratch;
    is->work = &is->scratch->joint_works[0];
    for (int i = 0; i < 2; ++i) {
        const uint32_t body = is->sides[i].index;
        is->scratch->motions[body] =
            (iso__plane_motion){.kind = iso__plane_of(is->world)->bodies[body].type == ISO_BODY_DYNAMIC};
        is->scratch->drifts[body] = (iso__plane_drift){0};
        is->scratch->rotations[body] = iso__plane_of(is->world)->body_derived[body].rotation;
    }
    memset(is->work->axes->base.impulse, 0, sizeof is->work->axes->base.impulse);
    iso__plane_joint_kind_of(is->work->kind)->update(is->scratch, is->work);
}

static void rig_read_sides(rig *is) {
    const int32_t *locals[2] = {is->work->local_a, is->work->local_b};
    for (int i = 0; i < 2; ++i) {
        side *at = &is->sides[i];
        const iso__plane_body_derived *derived = &iso__plane_of(is->world)->body_derived[at->index];
        const double c = derived->rotation.c / 1073741824.0, s = derived->rotation.s / 1073741824.0;
        const double x = locals[i][0] * QUANTUM_LENGTH, y = locals[i][1] * QUANTUM_LENGTH;
        at->mass = from_wide(derived->mass);
        at->inertia = derived->gyration > 0
                          ? at->mass * ldexp(1, 2 * derived->radius_exponent) / (derived->gyration / 4194304.0)
                          : 0;
        at->rx = c * x - s * y;
        at->ry = s * x + c * y;
    }
    is->direction[0] = is->work->direction[0] / 1073741824.0;
    is->direction[1] = is->work->direction[1] / 1073741824.0;
}

/// A rod, or a revolute with a motor of unlimited torque.
static rig rig_make(rng *random, bool is_length) {
    rig is = {.world = world_make_small(0), .is_length = is_length};
    const iso_body_type type_a = rng_below(random, 4) ? ISO_BODY_DYNAMIC : ISO_BODY_STATIC;
    const double x = rng_range(random, -29000, 29000), y = rng_range(random, -29000, 29000);
    const iso_shape_def shapes[2] = {shape_random(random), shape_random(random)};
    const double reach = rng_below(random, 5) ? 2 : 55;
    iso_joint_def def = iso_joint_def_default();
    def.kind = is_length ? ISO_JOINT_DISTANCE : ISO_JOINT_REVOLUTE;
    def.body_a = body_add_shape(is.world, type_a, x, y, rng_range(random, -3, 3), &shapes[0]);
    def.body_b = body_add_shape(is.world, ISO_BODY_DYNAMIC, x + rng_range(random, -5, 5), y, rng_range(random, -3, 3),
                                &shapes[1]);
    def.anchor_a = (iso_vec2){fix(rng_range(random, -reach, reach)), fix(rng_range(random, -reach, reach))};
    def.anchor_b = (iso_vec2){fix(rng_range(random, -reach, reach)), fix(rng_range(random, -reach, reach))};
    def.motor_enabled = !is_length;
    def.motor_max = INT64_MAX;
    iso_joint_id joint;
    EXPECT_STATUS(iso_joint_create(is.world, &def, &joint), ISO_OK);
    is.sides[0].index = def.body_a.index;
    is.sides[1].index = def.body_b.index;
    world_steps(is.world, 1); // sets the parameters of the step
    rig_reset(&is);
    rig_read_sides(&is);
    return is;
}

static void rig_set_motion(const rig *is, int i, twist to) {
    iso__plane_motion *motion = &is->scratch->motions[is->sides[i].index];
    motion->velocity[0] = (int32_t)lround(to.vx / QUANTUM_VELOCITY);
    motion->velocity[1] = (int32_t)lround(to.vy / QUANTUM_VELOCITY);
    motion->spin = (int32_t)lround(to.w * side_radius(is, i) / QUANTUM_VELOCITY);
}

static twist rig_get_motion(const rig *is, int i) {
    const iso__plane_motion *motion = &is->scratch->motions[is->sides[i].index];
    return (twist){motion->velocity[0] * QUANTUM_VELOCITY, motion->velocity[1] * QUANTUM_VELOCITY,
                   motion->spin * QUANTUM_VELOCITY / side_radius(is, i)};
}

static void rig_set_random_motion(const rig *is, rng *random) {
    for (int i = 0; i < 2; ++i) {
        const double reach = fmax(1, hypot(is->sides[i].rx, is->sides[i].ry)), w = rng_range(random, -2, 2) / reach;
        const twist moving = {rng_range(random, -5, 5), rng_range(random, -5, 5), w};
        if (is->sides[i].mass > 0) {
            rig_set_motion(is, i, moving);
        }
    }
}

/// J of body i: on vx, vy and w.
static void rig_jacobian(const rig *is, int i, double j[3]) {
    const double sign = i == 0 ? -1 : 1, dx = is->direction[0], dy = is->direction[1];
    j[0] = is->is_length ? sign * dx : 0;
    j[1] = is->is_length ? sign * dy : 0;
    j[2] = is->is_length ? sign * (is->sides[i].rx * dy - is->sides[i].ry * dx) : sign;
}

/// dx/dt = J v, and K = J M^-1 J^T / sigma.
static double rig_speed(const rig *is) {
    double speed = 0;
    for (int i = 0; i < 2; ++i) {
        double j[3];
        const twist moving = rig_get_motion(is, i);
        rig_jacobian(is, i, j);
        speed += j[0] * moving.vx + j[1] * moving.vy + j[2] * moving.w;
    }
    return speed;
}

static double rig_mass(const rig *is) {
    double sum = 0, sigma = 0;
    for (int i = 0; i < 2; ++i) {
        double j[3];
        const double m = is->sides[i].mass > 0 ? 1 / is->sides[i].mass : 0;
        const double turn = is->sides[i].inertia > 0 ? 1 / is->sides[i].inertia : 0;
        rig_jacobian(is, i, j);
        sum += m * (j[0] * j[0] + j[1] * j[1]) + turn * j[2] * j[2];
        sigma += is->is_length ? m : turn;
    }
    return sum / sigma;
}

/// What a quantum of each velocity is in dx/dt.
static double rig_quantum(const rig *is) {
    double sum = 0;
    for (int i = 0; i < 2; ++i) {
        double j[3];
        rig_jacobian(is, i, j);
        sum += fabs(j[0]) + fabs(j[1]) + fabs(j[2]) / side_radius(is, i);
    }
    return sum * QUANTUM_VELOCITY;
}

// ---- tests ---------------------------------------------------------------------------------------

/// Places both bodies where they would be after `time` and reads x.
static double rig_position_after(rig *is, double time) {
    for (int i = 0; i < 2; ++i) {
        const uint32_t body = is->sides[i].index;
        const twist moving = rig_get_motion(is, i);
        is->scratch->drifts[body].moved[0] = wide(moving.vx * time);
        is->scratch->drifts[body].moved[1] = wide(moving.vy * time);
        is->scratch->drifts[body].turned = wide(moving.w * time * side_radius(is, i));
        const int64_t angle = iso__plane_of(is->world)->bodies[body].angle + wide(moving.w * time / (2 * PI));
        is->scratch->rotations[body] = iso_rotation_make((uint32_t)(uint64_t)angle);
    }
    iso__plane_joint_kind_of(is->work->kind)->update(is->scratch, is->work);
    return from_wide(is->work->axes->base.position);
}

/// A relaxing solve of an isolated pair takes j = -(J v)/K.
static void test_jacobian_is_the_derivative_of_the_position(void **state) {
    (void)state;
    rng random = {1};
    double worst = 0;
    for (int i = 0; i < 400; ++i) {
        rig is = rig_make(&random, i % 2 == 0);
        rig_set_random_motion(&is, &random);
        const twist moving[2] = {rig_get_motion(&is, 0), rig_get_motion(&is, 1)};
        const double time = 1e-3,
                     reach = 1 + hypot(is.sides[0].rx, is.sides[0].ry) + hypot(is.sides[1].rx, is.sides[1].ry);
        const double length = is.is_length ? from_wide(is.work->axes->base.position) : 1;
        const double before = rig_position_after(&is, -time), after = rig_position_after(&is, time);
        rig_reset(&is);
        rig_set_motion(&is, 0, moving[0]);
        rig_set_motion(&is, 1, moving[1]);
        iso__plane_axis_solve(is.scratch, is.work->axes, true);
        const double j = from_wide(is.work->axes->base.impulse[is.is_length ? ISO__AXIS_HOLD : ISO__AXIS_MOTOR]);
        const double solver = -j * rig_mass(&is), difference = (after - before) / (2 * time);
        // The direction turns with a speed of 15 m/s across at most: the third derivative of the length.
        const double bound =
            2e-5 * reach + pow(15 / length, 2) * 15 * time * time + fabs(rig_mass(&is)) * 4 * QUANTUM_WIDE;
        EXPECT_NEAR(solver, difference, bound, "state %d, length %d at %g m", i, is.is_length, length);
        worst = fmax(worst, fabs(solver - difference) / bound);
        world_free(is.world);
    }
    print_message("solver's J v against differences: at most %.2f of the bound\n", worst);
}

static void test_effective_mass_is_that_of_the_derivation(void **state) {
    (void)state;
    rng random = {2};
    double worst = 0;
    for (int i = 0; i < 400; ++i) {
        rig is = rig_make(&random, i % 2 == 0);
        const double found = (double)is.work->axes->base.inverse / 4611686018427387904.0, expected = 1 / rig_mass(&is);
        // t is kept in Q9.22, so that K is off by half its quantum times u^2.
        double reach = 0;
        for (int s = 0; s < 2; ++s) {
            reach += pow(hypot(is.sides[s].rx, is.sides[s].ry) / side_radius(&is, s), 2);
        }
        const double bound = expected * (1e-7 + (is.is_length ? expected * reach / 4194304.0 : 0)) + 1e-9;
        EXPECT_NEAR(found, expected, bound, "state %d, length %d", i, is.is_length);
        worst = fmax(worst, fabs(found / expected - 1));
        world_free(is.world);
    }
    print_message("1/K: off by %.1e of itself at most\n", worst);
}

/// After one solve of an isolated pair dx/dt is what the row wants, but for the rounding of the velocities.
static void test_one_solve_leaves_no_speed_error(void **state) {
    (void)state;
    rng random = {3};
    double worst = 0;
    for (int i = 0; i < 400; ++i) {
        rig is = rig_make(&random, i % 2 == 0);
        const double wanted = is.is_length ? 0 : rng_range(&random, -3, 3);
        is.work->axes->base.speed = wide(wanted);
        rig_set_random_motion(&is, &random);
        const double before = rig_speed(&is);
        iso__plane_axis_solve(is.scratch, is.work->axes, true);
        const double bound =
            rig_quantum(&is) + 1e-8 * (1 + fabs(before)) + fabs(before - wanted) * 2e-6 * rig_mass(&is);
        EXPECT_NEAR(rig_speed(&is), wanted, bound, "state %d, length %d, from %g", i, is.is_length, before);
        worst = fmax(worst, fabs(rig_speed(&is) - wanted) / bound);
        world_free(is.world);
    }
    print_message("speed error after one solve: at most %.2f of the bound\n", worst);
}

/// A limit that is not reached does nothing; one that would be passed lets x reach it, no further; beyond it x may
/// leave but not go on.
static void test_limits_are_one_sided(void **state) {
    (void)state;
    rng random = {4};
    for (int i = 0; i < 400; ++i) {
        rig is = rig_make(&random, i % 2 == 0);
        iso__plane_axis *axis = is.work->axes;
        const bool is_upper = rng_below(&random, 2);
        const double sign = is_upper ? -1 : 1, h = world_substep(is.world), rooms[3] = {1, 0.002, -0.01};
        const int row = is_upper ? ISO__AXIS_UPPER : ISO__AXIS_LOWER;
        axis->base.rows = (uint8_t)(1u << row);
        for (int r = 0; r < 3; ++r) {
            rig_reset(&is);
            axis->base.rows = (uint8_t)(1u << row);
            const int64_t bound = axis->base.position - wide(sign * rooms[r]);
            axis->base.lower = is_upper ? axis->base.lower : bound;
            axis->base.upper = is_upper ? bound : axis->base.upper;
            rig_set_random_motion(&is, &random);
            const double before = sign * rig_speed(&is),
                         slack = rig_quantum(&is) + 1e-5 * (1 + fabs(before)) * rig_mass(&is);
            iso__plane_axis_solve(is.scratch, axis, true);
            const double after = sign * rig_speed(&is), least = rooms[r] > 0 ? -rooms[r] / h : 0;
            EXPECT_NEAR(after, fmax(before, least), slack, "state %d, room %g, from %g", i, rooms[r], before);
            EXPECT(sign * (double)axis->base.impulse[row] >= 0, "state %d: the impulse pulls", i);
        }
        world_free(is.world);
    }
}

/// The extremes of the format: nothing wraps, and what a rounding leaves stays small.
static void test_extreme_levers_and_mass_ratios_are_solved(void **state) {
    (void)state;
    const struct {
        double radius_a, density_a, radius_b, density_b, anchor;
    } cases[] = {{10, 300, 0.05, 1000, 0.04},
                 {0.05, 1000, 10, 300, 0.04},
                 {0.05, 1000, 0.05, 1000, 50},
                 {0.01, 1000, 0.01, 1000, 60},
                 {59, 11, 0.01, 10, 1}};
    for (size_t c = 0; c < 2 * sizeof cases / sizeof cases[0]; ++c) {
        rig is = {.world = world_make_small(0), .is_length = c % 2 == 0};
        iso_shape_def a = shape_circle(cases[c / 2].radius_a), b = shape_circle(cases[c / 2].radius_b);
        a.density = fix(cases[c / 2].density_a);
        b.density = fix(cases[c / 2].density_b);
        a.filter.mask = 0;
        iso_joint_def def = iso_joint_def_default();
        def.kind = is.is_length ? ISO_JOINT_DISTANCE : ISO_JOINT_REVOLUTE;
        def.body_a = body_add_shape(is.world, ISO_BODY_DYNAMIC, 0, 0, 0, &a);
        def.body_b = body_add_shape(is.world, ISO_BODY_DYNAMIC, 0, 0, 1, &b);
        def.anchor_a = (iso_vec2){fix(cases[c / 2].anchor), 0};
        def.anchor_b = (iso_vec2){0, fix(cases[c / 2].anchor)};
        def.motor_enabled = !is.is_length;
        def.motor_max = INT64_MAX;
        iso_joint_id joint;
        EXPECT_STATUS(iso_joint_create(is.world, &def, &joint), ISO_OK);
        is.sides[1].index = 1;
        world_steps(is.world, 1);
        rig_reset(&is);
        rig_read_sides(&is);
        rig_set_motion(&is, 1, (twist){1, -2, 0.1});
        const double before = rig_speed(&is);
        iso__plane_axis_solve(is.scratch, is.work->axes, true);
        print_message("case %zu: K %.2e, speed %.2e left of %.2e\n", c, rig_mass(&is), rig_speed(&is), before);
        EXPECT_NEAR(rig_speed(&is), 0, rig_quantum(&is) + 1e-6 * fabs(before), "case %zu", c);
        world_free(is.world);
    }
}

/// An axis between two bodies of one share and turn, with levers along x or y.
static iso__plane_axis axis_of(int64_t turn) {
    const iso__plane_axis_term term = {.share = ISO__UNIT_ONE / 2, .turn = turn};
    return (iso__plane_axis){
        .terms = {term, {.body = 1, .share = ISO__UNIT_ONE / 2, .turn = turn}}, .term_count = 2, .base.fraction = 62};
}

/// Anchors as far out as the world is wide: each body's part of K ends at a quarter of the range, so that K stays
/// positive.
static void test_levers_beyond_the_range_leave_a_row_that_rests(void **state) {
    (void)state;
    const int32_t direction[2] = {ISO__UNIT_ONE, 0};
    const int64_t turn = INT64_C(500) << ISO__GYRO_FRACTION;
    for (unsigned bits = 32; bits < 57; ++bits) {
        const int64_t arm[2] = {0, INT64_C(1) << bits}, none[2] = {0, 0};
        iso__plane_axis axis = axis_of(turn);
        iso__plane_axis_update_length(&axis, direction, ISO_WIDE_ONE, arm, arm);
        const int64_t both = axis.base.inverse;
        iso__plane_axis_update_length(&axis, direction, ISO_WIDE_ONE, arm, none);
        EXPECT(both > 0 && both <= axis.base.inverse && axis.base.inverse < INT64_C(1) << 62, "levers of 2^%u radii",
               bits - 32);
        const double k = fmin(500 * ldexp(1, 2 * ((int)bits - 32)), ldexp(1, 29)); // a quarter of 2^31
        EXPECT_NEAR(ldexp((double)axis.base.inverse, -62) * (1 + k), 1, 1e-6, "levers of 2^%u radii", bits - 32);
    }
}

/// A row whose parts nearly cancel has next to nothing to push with; below K = 2^-20 it does nothing.
static void test_rows_that_nearly_cancel_rest(void **state) {
    (void)state;
    for (int shift = 1; shift < 16; ++shift) {
        iso__plane_axis axis = axis_of(0);
        const iso__plane_axis_part parts[4] = {{.direction = {ISO_WIDE_ONE >> shift, 0}},
                                               {.direction = {0, ISO_WIDE_ONE >> shift}}};
        iso__plane_axis_update_terms(&axis, 0, parts);
        const double k = ldexp(1, -2 * shift); // both halves of it
        EXPECT((axis.base.inverse == 0) == (shift > 10), "K of %g", k);
        if (axis.base.inverse != 0) {
            EXPECT_NEAR(ldexp((double)axis.base.inverse, -axis.base.fraction) * k, 1, 1e-9, "K of %g", k);
        }
        EXPECT(iso__plane_axis_cuts(&axis) == (axis.base.inverse == 0), "what is cut is counted at K of %g", k);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_jacobian_is_the_derivative_of_the_position),
        cmocka_unit_test(test_effective_mass_is_that_of_the_derivation),
        cmocka_unit_test(test_one_solve_leaves_no_speed_error),
        cmocka_unit_test(test_limits_are_one_sided),
        cmocka_unit_test(test_extreme_levers_and_mass_ratios_are_solved),
        cmocka_unit_test(test_levers_beyond_the_range_leave_a_row_that_rests),
        cmocka_unit_test(test_rows_that_nearly_cancel_rest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
