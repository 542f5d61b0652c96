/// The point row of joints against its derivation, in double precision: the Jacobian against central differences of
/// the position error, the effective mass against J M^-1 J^T, one solve against the velocity error that it leaves.
#include "unit/world/physics_util.h"

#include "plane/joint/joint_step.h"
#include "plane/joint/kind.h"
#include "plane/joint/point.h"
#include "plane/joint/work.h"
#include "plane/world/scratch.h"
#include "world/world.h"

// ---- a joint in a random state -------------------------------------------------------------------

typedef struct side {
    uint32_t index; // of the body, def.body_capacity for the world
    double mass;    // 0: infinite
    double inertia; // 0: does not turn
    double length;  // L
    double rx, ry;  // lever of the anchor [m]
} side;

typedef struct rig {
    iso_world *world;
    iso__plane_step_scratch *scratch;
    iso__plane_joint_work *work;
    side a, b;
} rig;

static iso_shape_def shape_random(rng *random) {
    const double size = 0.05 * pow(200, rng_range(random, 0, 1));
    iso_shape_def def =
        rng_below(random, 3) == 0 ? shape_circle(size) : shape_box(size, size * rng_range(random, 0.3, 1));
    const iso_vec2 shift = {fix(rng_range(random, -size, size)), fix(rng_range(random, -size, size))};
    for (uint32_t i = 0; i < def.point_count; ++i) {
        def.points[i].x += shift.x;
        def.points[i].y += shift.y;
    }
    // Masses from grams to tonnes.
    def.density = fix(fmin(fmax(pow(10, rng_range(random, -2, 4)) / (size * size), 0.01), 1e5 / (4 * size * size)));
    def.density = def.density > 32000 * ONE || def.density < 0 ? 32000 * ONE : def.density;
    def.filter.mask = 0;
    return def;
}

static iso_vec2 anchor_random(rng *random, double reach) {
    return (iso_vec2){fix(rng_range(random, -reach, reach)), fix(rng_range(random, -reach, reach))};
}

static side side_of(const rig *is, uint32_t body) {
    side made = {.index = body, .length = 1};
    if (body < is->world->def.body_capacity) {
        const iso__plane_body_derived *derived = &iso__plane_of(is->world)->body_derived[body];
        made.length = ldexp(1, derived->radius_exponent);
        made.mass = from_wide(derived->mass);
        made.inertia =
            derived->gyration > 0 ? made.mass * made.length * made.length / (derived->gyration / 4194304.0) : 0;
    }
    return made;
}

/// Brings the scratch of a step to where its bodies are, unmoved since the tick began.
static void rig_reset(rig *is) {
    iso__plane_joint_prepare(iso__plane_of(is->world), 0, &iso__plane_of(is->world)->scratch->joint_works[0],
                             iso__plane_of(is->world)->scratch->axes);
    for (uint32_t i = 0; i < is->world->globals->body_count; ++i) {
        is->scratch->motions[i] =
            (iso__plane_motion){.kind = iso__plane_of(is->world)->bodies[i].type == ISO_BODY_DYNAMIC};
        is->scratch->drifts[i] = (iso__plane_drift){0};
        is->scratch->rotations[i] = iso__plane_of(is->world)->body_derived[i].rotation;
    }
    is->work = &is->scratch->joint_works[0];
    is->work->point.row.impulse[0] = is->work->point.row.impulse[1] = 0;
    iso__plane_point_update(is->scratch, is->work);
}

static void side_set_lever(const rig *is, side *at, const int32_t local[2]) {
    const iso_rotation q = is->scratch->rotations[at->index];
    const double c = q.c / 1073741824.0, s = q.s / 1073741824.0, x = local[0] * QUANTUM_LENGTH,
                 y = local[1] * QUANTUM_LENGTH;
    at->rx = c * x - s * y;
    at->ry = s * x + c * y;
}

static rig rig_make(rng *random, const iso_joint_def *settings) {
    rig is = {.world = world_make_small(0)};
    const iso_body_type type_a = rng_below(random, 4) ? ISO_BODY_DYNAMIC : ISO_BODY_STATIC;
    const double x = rng_range(random, -29000, 29000), y = rng_range(random, -29000, 29000);
    const iso_shape_def shapes[2] = {shape_random(random), shape_random(random)};
    iso_joint_def def = *settings;
    def.body_a = body_add_shape(is.world, type_a, x, y, rng_range(random, -3, 3), &shapes[0]);
    def.body_b = body_add_shape(is.world, ISO_BODY_DYNAMIC, x + rng_range(random, -5, 5), y, rng_range(random, -3, 3),
                                &shapes[1]);
    if (rng_below(random, 4) == 0) {
        def.kind = ISO_JOINT_TARGET;
        def.body_a = (iso_body_id){0, 0};
        def.target = iso_vec2_to_wide((iso_vec2){fix(x), fix(y)});
    }
    const double reach = rng_below(random, 5) ? 2 : 55;
    def.anchor_a = anchor_random(random, reach);
    def.anchor_b = anchor_random(random, reach);
    iso_joint_id joint;
    EXPECT_STATUS(iso_joint_create(is.world, &def, &joint), ISO_OK);
    world_steps(is.world, 1); // sets the parameters of the step
    is.scratch = iso__plane_of(is.world)->scratch;
    rig_reset(&is);
    is.a = side_of(&is, is.work->body_a);
    is.b = side_of(&is, is.work->body_b);
    side_set_lever(&is, &is.a, is.work->local_a);
    side_set_lever(&is, &is.b, is.work->local_b);
    return is;
}

static void rig_set_motion(const rig *is, const side *at, double vx, double vy, double w) {
    if (at->index == is->world->def.body_capacity) {
        return;
    }
    iso__plane_motion *motion = &is->scratch->motions[at->index];
    motion->velocity[0] = (int32_t)lround(vx / QUANTUM_VELOCITY);
    motion->velocity[1] = (int32_t)lround(vy / QUANTUM_VELOCITY);
    motion->spin = (int32_t)lround(w * at->length / QUANTUM_VELOCITY);
}

typedef struct twist {
    double vx, vy, w;
} twist;

static twist rig_get_motion(const rig *is, const side *at) {
    const iso__plane_motion *motion = &is->scratch->motions[at->index];
    return (twist){motion->velocity[0] * QUANTUM_VELOCITY, motion->velocity[1] * QUANTUM_VELOCITY,
                   motion->spin * QUANTUM_VELOCITY / at->length};
}

/// Velocities that neither a speed limit nor an impulse limit touches.
static void rig_set_random_motion(const rig *is, rng *random) {
    const double w = rng_range(random, -2, 2), ua = hypot(is->a.rx, is->a.ry), ub = hypot(is->b.rx, is->b.ry);
    if (is->a.mass > 0) {
        rig_set_motion(is, &is->a, rng_range(random, -5, 5), rng_range(random, -5, 5), w / fmax(1, ua));
    }
    rig_set_motion(is, &is->b, rng_range(random, -5, 5), rng_range(random, -5, 5),
                   rng_range(random, -2, 2) / fmax(1, ub));
}

/// Cdot = (vB + wB x rB) - (vA + wA x rA).
static void rig_velocity_error(const rig *is, double cdot[2]) {
    const twist a = rig_get_motion(is, &is->a), b = rig_get_motion(is, &is->b);
    cdot[0] = b.vx - b.w * is->b.ry - a.vx + a.w * is->a.ry;
    cdot[1] = b.vy + b.w * is->b.rx - a.vy - a.w * is->a.rx;
}

static double inverse_of(double value) {
    return value > 0 ? 1 / value : 0;
}

/// J M^-1 J^T / sigma, as {k11, k12, k22}; returns sigma.
static double rig_mass_matrix(const rig *is, double k[3]) {
    const double sigma = inverse_of(is->a.mass) + inverse_of(is->b.mass);
    const double ia = inverse_of(is->a.inertia) / sigma, ib = inverse_of(is->b.inertia) / sigma;
    k[0] = 1 + ia * is->a.ry * is->a.ry + ib * is->b.ry * is->b.ry;
    k[1] = -ia * is->a.rx * is->a.ry - ib * is->b.rx * is->b.ry;
    k[2] = 1 + ia * is->a.rx * is->a.rx + ib * is->b.rx * is->b.rx;
    return sigma;
}

// ---- tests ---------------------------------------------------------------------------------------

/// Places both bodies where they would be after `time` and reads the position error.
static void rig_error_after(rig *is, double time, double error[2]) {
    const side *sides[2] = {&is->a, &is->b};
    for (int i = 0; i < 2; ++i) {
        if (sides[i]->index == is->world->def.body_capacity) {
            continue;
        }
        const twist moving = rig_get_motion(is, sides[i]);
        is->scratch->drifts[sides[i]->index].moved[0] = wide(moving.vx * time);
        is->scratch->drifts[sides[i]->index].moved[1] = wide(moving.vy * time);
        const int64_t angle =
            iso__plane_of(is->world)->bodies[sides[i]->index].angle + wide(moving.w * time / (2 * PI));
        is->scratch->rotations[sides[i]->index] = iso_rotation_make((uint32_t)(uint64_t)angle);
    }
    iso__plane_point_update(is->scratch, is->work);
    error[0] = from_wide(is->work->point.row.error[0]);
    error[1] = from_wide(is->work->point.row.error[1]);
}

/// What the solver takes for J v is -K dj, with K from the derivation. The differences reach 1 ms to each side: their
/// own error is w^3 r t^2 / 6, and the rotations' rounding of 1e-9 r / t.
static void test_jacobian_is_the_derivative_of_the_position_error(void **state) {
    (void)state;
    rng random = {1};
    const iso_joint_def rigid = iso_joint_def_default();
    double worst = 0;
    for (int i = 0; i < 200; ++i) {
        rig is = rig_make(&random, &rigid);
        rig_set_random_motion(&is, &random);
        const double time = 1e-3;
        double before[2], after[2], k[3];
        rig_error_after(&is, -time, before);
        rig_error_after(&is, time, after);
        rig_mass_matrix(&is, k);
        // Back to the begin, keeping the velocities.
        const twist a = rig_get_motion(&is, &is.a), b = rig_get_motion(&is, &is.b);
        rig_reset(&is);
        rig_set_motion(&is, &is.a, a.vx, a.vy, a.w);
        rig_set_motion(&is, &is.b, b.vx, b.vy, b.w);
        iso__plane_point_solve(is.scratch, is.work, true);
        const double jx = from_wide(is.work->point.row.impulse[0]), jy = from_wide(is.work->point.row.impulse[1]);
        const double solver[2] = {-(k[0] * jx + k[1] * jy), -(k[1] * jx + k[2] * jy)};
        const double reach = 1 + hypot(is.a.rx, is.a.ry) + hypot(is.b.rx, is.b.ry);
        const double bound = 2e-5 * reach + (fabs(k[0]) + fabs(k[1]) + fabs(k[2])) * 4 * QUANTUM_WIDE;
        for (int axis = 0; axis < 2; ++axis) {
            const double difference = (after[axis] - before[axis]) / (2 * time);
            EXPECT_NEAR(solver[axis], difference, bound, "state %d, axis %d", i, axis);
            worst = fmax(worst, fabs(solver[axis] - difference) / reach);
        }
        world_free(is.world);
    }
    print_message("solver's J v against differences: off by %.1e m/s per metre of lever at most\n", worst);
}

static void test_effective_mass_is_that_of_the_derivation(void **state) {
    (void)state;
    rng random = {2};
    const iso_joint_def rigid = iso_joint_def_default();
    double worst = 0;
    for (int i = 0; i < 200; ++i) {
        rig is = rig_make(&random, &rigid);
        double k[3];
        rig_mass_matrix(&is, k);
        const double determinant = k[0] * k[2] - k[1] * k[1];
        // t is kept in Q9.22, so that K is off by its half quantum times u^2.
        const double ua = hypot(is.a.rx, is.a.ry) / is.a.length, ub = hypot(is.b.rx, is.b.ry) / is.b.length;
        const double bound = 1e-7 + (ua * ua + ub * ub) / 4194304.0;
        const double inverse[2][2] = {{k[2] / determinant, -k[1] / determinant},
                                      {-k[1] / determinant, k[0] / determinant}};
        for (int column = 0; column < 2; ++column) {
            rig_reset(&is);
            rig_set_motion(&is, &is.b, column == 0, column == 1, 0);
            iso__plane_point_solve(is.scratch, is.work, true);
            for (int row = 0; row < 2; ++row) {
                const double found = -from_wide(is.work->point.row.impulse[row]);
                EXPECT_NEAR(found, inverse[row][column], bound, "state %d: inverse of K at %d %d", i, row, column);
                worst = fmax(worst, fabs(found - inverse[row][column]) / bound);
            }
        }
        world_free(is.world);
    }
    print_message("inverse of K: at most %.2f of what rounding allows\n", worst);
}

/// What is left is what rounding leaves: half a quantum of each velocity, and of each spin times u; K times half a
/// quantum of the impulse.
static void test_one_solve_leaves_no_velocity_error(void **state) {
    (void)state;
    rng random = {3};
    const iso_joint_def rigid = iso_joint_def_default();
    double worst = 0;
    for (int i = 0; i < 400; ++i) {
        rig is = rig_make(&random, &rigid);
        rig_set_random_motion(&is, &random);
        double before[2], after[2], k[3];
        rig_mass_matrix(&is, k);
        rig_velocity_error(&is, before);
        iso__plane_point_solve(is.scratch, is.work, true);
        rig_velocity_error(&is, after);
        const double ua = hypot(is.a.rx, is.a.ry) / is.a.length, ub = hypot(is.b.rx, is.b.ry) / is.b.length;
        const double bound = QUANTUM_VELOCITY / 2 * (2 + ua + ub) * 1.05 +
                             (k[0] + 2 * fabs(k[1]) + k[2]) * QUANTUM_WIDE / 2 + 1e-8 * hypot(before[0], before[1]);
        EXPECT_NEAR(after[0], 0, bound, "state %d: velocity error x, from %g", i, before[0]);
        EXPECT_NEAR(after[1], 0, bound, "state %d: velocity error y, from %g", i, before[1]);
        worst = fmax(worst, fmax(fabs(after[0]), fabs(after[1])) / bound);
        world_free(is.world);
    }
    print_message("velocity error after one solve: at most %.2f of what rounding allows\n", worst);
}

static void test_solve_conserves_momentum_about_the_joint(void **state) {
    (void)state;
    rng random = {4};
    const iso_joint_def rigid = iso_joint_def_default();
    for (int i = 0; i < 200; ++i) {
        rig is = rig_make(&random, &rigid);
        if (is.a.mass == 0) {
            world_free(is.world);
            continue;
        }
        rig_set_random_motion(&is, &random);
        const twist a = rig_get_motion(&is, &is.a), b = rig_get_motion(&is, &is.b);
        iso__plane_point_solve(is.scratch, is.work, true);
        const twist a2 = rig_get_motion(&is, &is.a), b2 = rig_get_motion(&is, &is.b);
        const double bound = (is.a.mass + is.b.mass) * QUANTUM_VELOCITY + 1e-8 * fmin(is.a.mass, is.b.mass);
        EXPECT_NEAR(is.a.mass * (a2.vx - a.vx), -is.b.mass * (b2.vx - b.vx), bound, "state %d: momentum x", i);
        EXPECT_NEAR(is.a.mass * (a2.vy - a.vy), -is.b.mass * (b2.vy - b.vy), bound, "state %d: momentum y", i);
        // Each body's spin follows from the impulse at its own lever.
        const side *sides[2] = {&is.a, &is.b};
        const twist changes[2] = {{a2.vx - a.vx, a2.vy - a.vy, a2.w - a.w}, {b2.vx - b.vx, b2.vy - b.vy, b2.w - b.w}};
        for (int s = 0; s < 2; ++s) {
            const side *at = sides[s];
            const double expected = at->mass / at->inertia * (at->rx * changes[s].vy - at->ry * changes[s].vx);
            const double spin_bound =
                QUANTUM_VELOCITY / at->length + at->mass / at->inertia * hypot(at->rx, at->ry) * QUANTUM_VELOCITY;
            EXPECT_NEAR(changes[s].w, expected, spin_bound + 1e-6 * fabs(expected), "state %d: spin of body %d", i, s);
        }
        world_free(is.world);
    }
}

static void test_impulse_stays_within_the_maximum_force(void **state) {
    (void)state;
    rng random = {5};
    for (int i = 0; i < 200; ++i) {
        iso_joint_def def = iso_joint_def_default();
        def.force_max = wide(pow(10, rng_range(&random, -3, 3)));
        rig is = rig_make(&random, &def);
        double k[3];
        const double sigma = rig_mass_matrix(&is, k), most = sigma * from_wide(def.force_max) * world_substep(is.world);
        double reached = 0;
        for (int n = 0; n < 20; ++n) {
            rig_set_random_motion(&is, &random);
            iso__plane_point_solve(is.scratch, is.work, n % 2);
            reached = hypot(from_wide(is.work->point.row.impulse[0]), from_wide(is.work->point.row.impulse[1]));
            EXPECT(reached <= most * (1 + 1e-4) + 4 * QUANTUM_WIDE, "state %d: impulse %g of at most %g", i, reached,
                   most);
        }
        // What is cut off keeps its direction: a pull far beyond the maximum uses it up.
        rig_reset(&is);
        rig_set_motion(&is, &is.b, 300, 400, 0);
        if (most < 0.1 && k[0] + k[2] < 100) {
            iso__plane_point_solve(is.scratch, is.work, true);
            reached = hypot(from_wide(is.work->point.row.impulse[0]), from_wide(is.work->point.row.impulse[1]));
            EXPECT(reached >= most * (1 - 1e-3) - 4 * QUANTUM_WIDE, "state %d: impulse %g of %g", i, reached, most);
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
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; ++c) {
        rig is = {.world = world_make_small(0)};
        iso_shape_def a = shape_circle(cases[c].radius_a), b = shape_circle(cases[c].radius_b);
        a.density = fix(cases[c].density_a);
        b.density = fix(cases[c].density_b);
        a.filter.mask = 0;
        iso_joint_def def = iso_joint_def_default();
        def.body_a = body_add_shape(is.world, ISO_BODY_DYNAMIC, 0, 0, 0, &a);
        def.body_b = body_add_shape(is.world, ISO_BODY_DYNAMIC, 0, 0, 1, &b);
        def.anchor_a = (iso_vec2){fix(cases[c].anchor), 0};
        def.anchor_b = (iso_vec2){0, fix(cases[c].anchor)};
        iso_joint_id joint;
        EXPECT_STATUS(iso_joint_create(is.world, &def, &joint), ISO_OK);
        world_steps(is.world, 1);
        is.scratch = iso__plane_of(is.world)->scratch;
        rig_reset(&is);
        is.a = side_of(&is, is.work->body_a);
        is.b = side_of(&is, is.work->body_b);
        side_set_lever(&is, &is.a, is.work->local_a);
        side_set_lever(&is, &is.b, is.work->local_b);
        rig_set_motion(&is, &is.b, 1, -2, 0);
        iso__plane_point_solve(is.scratch, is.work, true);
        double after[2];
        rig_velocity_error(&is, after);
        const double ua = hypot(is.a.rx, is.a.ry) / is.a.length, ub = hypot(is.b.rx, is.b.ry) / is.b.length;
        const double bound = QUANTUM_VELOCITY * (2 + ua + ub);
        print_message("case %zu: levers %.0f and %.0f radii, velocity error %.1e of 2.2 m/s\n", c, ua, ub,
                      hypot(after[0], after[1]));
        EXPECT_NEAR(hypot(after[0], after[1]), 0, bound, "case %zu", c);
        world_free(is.world);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_jacobian_is_the_derivative_of_the_position_error),
        cmocka_unit_test(test_effective_mass_is_that_of_the_derivation),
        cmocka_unit_test(test_one_solve_leaves_no_velocity_error),
        cmocka_unit_test(test_solve_conserves_momentum_about_the_joint),
        cmocka_unit_test(test_impulse_stays_within_the_maximum_force),
        cmocka_unit_test(test_extreme_levers_and_mass_ratios_are_solved),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
