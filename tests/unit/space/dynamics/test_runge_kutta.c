/// Free bodies of a world with the integrator RK4: beside the same method in double, and their energy.
#include "unit/space/world/space_util.h"

#include "space/world/space.h"

static iso_world *world_rk4(double gravity_z) {
    iso_world_def def = space_def();
    def.integrator = ISO_INTEGRATOR_RK4;
    def.gravity_z = fix(gravity_z);
    return world_make(&def);
}

static const iso__space_body *record_of(const iso_world *world, iso_body_id body) {
    return &((const iso__space *)world)->bodies[body.index];
}

// ---- the twin ------------------------------------------------------------------------------------

typedef struct twin {
    double q[4];     // from the principal axes to the world
    vector momentum; // l, [m/s]
    double gyration[3];
    double L;
} twin;

static twin twin_of(const iso_world *world, iso_body_id body) {
    const iso__space_body_derived *derived = &((const iso__space *)world)->body_derived[body.index];
    const iso__space_body *record = record_of(world, body);
    twin is = {.L = ldexp(1, derived->radius_exponent)};
    const double a[4] = {record->rotation[0] * QUANTUM_UNIT, record->rotation[1] * QUANTUM_UNIT,
                         record->rotation[2] * QUANTUM_UNIT, record->rotation[3] * QUANTUM_UNIT};
    const double b[4] = {derived->frame[0] * QUANTUM_UNIT, derived->frame[1] * QUANTUM_UNIT,
                         derived->frame[2] * QUANTUM_UNIT, derived->frame[3] * QUANTUM_UNIT};
    is.q[0] = a[3] * b[0] + a[0] * b[3] + a[1] * b[2] - a[2] * b[1];
    is.q[1] = a[3] * b[1] - a[0] * b[2] + a[1] * b[3] + a[2] * b[0];
    is.q[2] = a[3] * b[2] + a[0] * b[1] - a[1] * b[0] + a[2] * b[3];
    is.q[3] = a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2];
    for (int i = 0; i < 3; ++i) {
        is.momentum.x[i] = ldexp((double)record->momentum[i], -40);
        is.gyration[i] = ldexp((double)derived->gyrations[i], -32);
    }
    return is;
}

static void twin_change(const twin *is, const double q[4], double change[4]) {
    const double n = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    const matrix R = matrix_of_doubles((double[4]){q[0] / n, q[1] / n, q[2] / n, q[3] / n});
    vector w = turned_back(&R, is->momentum);
    for (int k = 0; k < 3; ++k) {
        w.x[k] *= is->gyration[k] / is->L / 2;
    }
    change[0] = q[3] * w.x[0] + q[1] * w.x[2] - q[2] * w.x[1];
    change[1] = q[3] * w.x[1] + q[2] * w.x[0] - q[0] * w.x[2];
    change[2] = q[3] * w.x[2] + q[0] * w.x[1] - q[1] * w.x[0];
    change[3] = -q[0] * w.x[0] - q[1] * w.x[1] - q[2] * w.x[2];
}

static void twin_substep(twin *is) {
    static const double weights[4] = {1, 2, 2, 1}, ways[4] = {0.5, 0.5, 1, 0};
    const double h = 1.0 / 240;
    double at[4], k[4], total[4] = {0, 0, 0, 0}, n = 0;
    memcpy(at, is->q, sizeof at);
    for (int stage = 0; stage < 4; ++stage) {
        twin_change(is, at, k);
        for (int i = 0; i < 4; ++i) {
            total[i] += weights[stage] * k[i];
            at[i] = is->q[i] + ways[stage] * h * k[i];
        }
    }
    for (int i = 0; i < 4; ++i) {
        is->q[i] += h * total[i] / 6;
        n += is->q[i] * is->q[i];
    }
    for (int i = 0; i < 4; ++i) {
        is->q[i] /= sqrt(n);
    }
}

/// The rotations' difference as an angle.
static double twin_off(const twin *is, const twin *other) {
    double along = 0, a = 0, b = 0, apart = 0;
    for (int i = 0; i < 4; ++i) {
        along += is->q[i] * other->q[i];
        a += is->q[i] * is->q[i];
        b += other->q[i] * other->q[i];
    }
    for (int i = 0; i < 4; ++i) {
        const double d = is->q[i] / sqrt(a) - copysign(1, along) * other->q[i] / sqrt(b);
        apart += d * d;
    }
    return 2 * sqrt(apart);
}

/// l G l with l in the principal axes: twice the energy by mass.
static double twin_energy(const twin *is) {
    const matrix R = matrix_of_doubles(is->q);
    const vector l = turned_back(&R, is->momentum);
    return l.x[0] * l.x[0] * is->gyration[0] + l.x[1] * l.x[1] * is->gyration[1] + l.x[2] * l.x[2] * is->gyration[2];
}

// ---- tests ---------------------------------------------------------------------------------------

static iso_body_id add_box(iso_world *world, rng *random, double speed) {
    const double size = pow(10, rng_range(random, -1.5, 0.5));
    const iso_shape3_def box = box3(size, size * rng_range(random, 0.2, 0.9), size * rng_range(random, 0.1, 0.9));
    const iso_body_id body = body3_add(world, ISO_BODY_DYNAMIC, wide3(0, 0, 0), rng_quat(random));
    shape3_add(world, body, &box);
    body3_set_velocity(world, body, (vector){{1, -2, 3}}, rng_vector(random, speed));
    return body;
}

/// Bound: the method's own errors are the same in both, so only roundings are left: about a quantum a substep.
static void test_it_turns_as_the_same_method_in_double(void **state) {
    (void)state;
    rng random = {1};
    double worst = 0;
    for (int run = 0; run < 30; ++run) {
        iso_world *world = world_rk4(0);
        const iso_body_id body = add_box(world, &random, run < 15 ? 8 : 60);
        twin is = twin_of(world, body);
        world_steps(world, 120);
        for (int n = 0; n < 480; ++n) {
            twin_substep(&is);
        }
        const twin now = twin_of(world, body);
        const double off = twin_off(&is, &now);
        worst = fmax(worst, off);
        EXPECT(off < 3e-5, "run %d: %g rad off", run, off);
        assert_memory_equal(&is.momentum, &now.momentum, sizeof is.momentum);
        world_free(world);
    }
    print_message("twin: %.2g rad in 2 s\n", worst);
}

/// In one tick nothing has grown yet: it is the method itself that is compared, not the split, which is 1e-4 off.
static void test_one_tick_is_that_of_the_method(void **state) {
    (void)state;
    rng random = {2};
    int held = 0;
    for (int run = 0; run < 200; ++run) {
        iso_world *world = world_rk4(0);
        const iso_body_id body = add_box(world, &random, 60);
        twin is = twin_of(world, body);
        if ((is.gyration[0] - is.gyration[2]) * length(is.momentum) / is.L / 240 > 0.99) {
            world_free(world); // too thin for its spin
            continue;
        }
        ++held;
        world_steps(world, 1);
        for (int n = 0; n < 4; ++n) {
            twin_substep(&is);
        }
        const twin now = twin_of(world, body);
        EXPECT(twin_off(&is, &now) < 6e-8, "run %d: %g rad off", run, twin_off(&is, &now));
        world_free(world);
    }
    EXPECT(held > 100, "%d of 200", held);
}

static void test_a_t_handle_keeps_its_energy_within_1e_4(void **state) {
    (void)state;
    iso_world *world = world_rk4(0);
    iso_shape3_def bar = iso_shape3_def_capsule(fix3(-0.5, 0, 0), fix3(0.5, 0, 0), fix(0.1));
    const iso_shape3_def handle = iso_shape3_def_capsule(fix3(0, 0, 0), fix3(0, -0.4, 0), fix(0.1));
    const iso_body_id body = body3_of(world, &bar);
    shape3_add(world, body, &handle);
    const iso_body3_view view = view3(world, body);
    const matrix F = matrix_of(view.principal);
    body3_set_velocity(world, body, (vector){{0, 0, 0}}, turned(&F, (vector){{0.05, 30, 0.02}}));
    const iso__space_body begin = *record_of(world, body);
    const double energy = body3_energy(world, body);
    double worst = 0;
    twin is = twin_of(world, body);
    const double twin_begin = twin_energy(&is);
    for (int t = 0; t < 3600; ++t) {
        world_steps(world, 1);
        for (int n = 0; n < 4; ++n) {
            twin_substep(&is);
        }
        worst = fmax(worst, fabs(body3_energy(world, body) / energy - 1));
    }
    const double end = body3_energy(world, body) / energy - 1;
    EXPECT(fabs(end) < 1e-4 && worst < 1e-3, "energy off by %g, at worst %g", end, worst);
    assert_memory_equal(record_of(world, body)->momentum, begin.momentum, sizeof begin.momentum);
    const double twins = twin_energy(&is) / twin_begin - 1;
    EXPECT_NEAR(end, twins, 2e-6, "energy beside the twin's");
    print_message("T-handle: energy %.2g, at worst %.2g, in double %.2g\n", end, worst, twins);
    world_free(world);
}

/// x = v t + g t^2 / 2, which the other integrator is g t h / 2 beyond.
static void test_it_falls_along_the_exact_parabola(void **state) {
    (void)state;
    iso_world *world = world_rk4(-9.81);
    const iso_shape3_def ball = iso_shape3_def_sphere(ONE);
    const iso_body_id body = body3_of(world, &ball);
    body3_set_velocity(world, body, (vector){{3, 0, 20}}, (vector){{0, 0, 0}});
    world_steps(world, 180);
    const vector is = vector_of(view3(world, body).centre);
    const double g = from_fix(fix(-9.81));
    EXPECT_NEAR(is.x[0], 9, 1e-6, "x");
    EXPECT_NEAR(is.x[2], 60 + g * 4.5, 720 * QUANTUM_VELOCITY / 240, "z");
    world_free(world);
}

static void test_locked_and_kinematic_bodies_turn_as_with_the_split(void **state) {
    (void)state;
    rng first = {3}, second = {3};
    iso_world *world = world_rk4(0), *split = space_make();
    iso_body3_params params = iso_body3_params_default();
    params.lock_turn_x = true;
    iso_world *const worlds[2] = {world, split};
    for (int i = 0; i < 2; ++i) {
        const iso_body_id locked = add_box(worlds[i], i == 0 ? &first : &second, 8);
        EXPECT_STATUS(iso_body3_set_params(worlds[i], locked, &params), ISO_OK);
        const iso_body_id kinematic = add_box(worlds[i], i == 0 ? &first : &second, 8);
        EXPECT_STATUS(iso_body3_set_type(worlds[i], kinematic, ISO_BODY_KINEMATIC), ISO_OK);
        world_steps(worlds[i], 60);
    }
    assert_true(iso_world_section_hash(world, ISO_SECTION_BODIES) == iso_world_section_hash(split, ISO_SECTION_BODIES));
    world_free(world);
    world_free(split);
}

/// A plank's least axis wags as fast as that: by the method alone its quaternion would leave its length within a
/// second.
static void test_a_thin_body_that_spins_fast_stays_in_bounds(void **state) {
    (void)state;
    iso_world *world = world_rk4(0);
    const iso_shape3_def plank = box3(1.5, 0.05, 0.03);
    const iso_body_id body = body3_of(world, &plank);
    body3_set_velocity(world, body, (vector){{0, 0, 0}}, (vector){{3, 150, 20}});
    const double energy = body3_energy(world, body);
    for (int t = 0; t < 600; ++t) {
        world_steps(world, 1);
        EXPECT_NEAR(quat_length(view3(world, body).rotation), 1, 4e-9, "length in tick %d", t);
        EXPECT_NEAR(body3_energy(world, body), energy, 0.05 * energy, "energy in tick %d", t);
    }
    world_free(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_tick_is_that_of_the_method),
        cmocka_unit_test(test_it_turns_as_the_same_method_in_double),
        cmocka_unit_test(test_a_t_handle_keeps_its_energy_within_1e_4),
        cmocka_unit_test(test_it_falls_along_the_exact_parabola),
        cmocka_unit_test(test_a_thin_body_that_spins_fast_stays_in_bounds),
        cmocka_unit_test(test_locked_and_kinematic_bodies_turn_as_with_the_split),
    };
    return cmocka_run_group_tests_name("runge_kutta", tests, NULL, NULL);
}
