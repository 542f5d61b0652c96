/// Free bodies in space beside their exact motion: the bounds of the table of accuracy.
#include "unit/space/world/space_util.h"

#include "space/world/space.h"

/// The body's momentum in bits of the state.
static void momentum_of(const iso_world *world, iso_body_id body, int64_t bits[3]) {
    memcpy(bits, ((const iso__space *)world)->bodies[body.index].momentum, 3 * sizeof *bits);
}

/// The angle between a matrix and the state's rotation times the principal frame.
static double angle_off(const iso_body3_view *view, const matrix *exact) {
    const matrix R = matrix_of(view->rotation), F = matrix_of(view->principal), A = product(&R, &F);
    double squared = 0;
    for (int i = 0; i < 9; ++i) {
        const double d = A.m[i / 3][i % 3] - exact->m[i / 3][i % 3];
        squared += d * d;
    }
    return 2 * asin(fmin(1, sqrt(squared / 8))); // |A - B|^2 = 8 sin^2(angle / 2)
}

static matrix rotation_about(vector axis, double angle) {
    const double s = sin(angle / 2) / length(axis);
    return matrix_of_doubles((double[4]){s * axis.x[0], s * axis.x[1], s * axis.x[2], cos(angle / 2)});
}

/// The flight of a free body and what was the worst of it.
typedef struct flight {
    double angle_worst, energy_worst, energy_end;
    int flips; // of the middle axis against the momentum
} flight;

typedef matrix exact_motion(const void *data, double t);

/// 60 seconds, unless `exact` ends them; the momentum may not change by a bit.
static flight fly(iso_world *world, iso_body_id body, int ticks, exact_motion *exact, const void *data) {
    flight is = {0, 0, 0, 0};
    int64_t before[3], after[3];
    momentum_of(world, body, before);
    const double energy = body3_energy(world, body);
    double last_side = 0;
    for (int t = 1; t <= ticks; ++t) {
        world_steps(world, 1);
        momentum_of(world, body, after);
        EXPECT(memcmp(before, after, sizeof before) == 0, "the momentum changed in tick %d", t);
        const iso_body3_view view = view3(world, body);
        is.energy_end = body3_energy(world, body) / energy - 1;
        is.energy_worst = fmax(is.energy_worst, fabs(is.energy_end));
        if (exact != NULL) {
            const matrix at = exact(data, t / 60.0);
            is.angle_worst = fmax(is.angle_worst, angle_off(&view, &at));
        }
        const matrix R = matrix_of(view.rotation), F = matrix_of(view.principal), A = product(&R, &F);
        const double side = turned_back(&A, vector_of(view.angular_momentum)).x[1];
        is.flips += side * last_side < 0;
        last_side = side;
    }
    return is;
}

/// A body with two equal moments turns about its momentum at |L| / I and about its own axis at L_3 (1/I3 - 1/I), both
/// for ever.
typedef struct symmetric {
    matrix begin; // principal axes
    vector momentum;
    double own_rate, rate; // [rad/s]
    int own_axis;
} symmetric;

static matrix symmetric_motion(const void *data, double t) {
    const symmetric *is = data;
    vector own = {{0, 0, 0}};
    own.x[is->own_axis] = 1;
    const matrix turn = rotation_about(is->momentum, is->rate * t), spin = rotation_about(own, is->own_rate * t);
    const matrix first = product(&turn, &is->begin);
    return product(&first, &spin);
}

/// @param own_axis  the principal axis whose moment is another
static flight fly_symmetric(const double moments[3], int own_axis, vector w) {
    iso_world *world = space_make();
    const iso_body_id body = body3_with_moments(world, moments[0], moments[1], moments[2]);
    body3_set_velocity(world, body, (vector){{0, 0, 0}}, w);
    const iso_body3_view view = view3(world, body);
    const matrix R = matrix_of(view.rotation), F = matrix_of(view.principal);
    symmetric is = {.begin = product(&R, &F), .momentum = vector_of(view.angular_momentum), .own_axis = own_axis};
    const double across = moments[own_axis == 0 ? 1 : 0], own = turned_back(&is.begin, is.momentum).x[own_axis];
    is.rate = length(is.momentum) / across;
    is.own_rate = own * (1 / moments[own_axis] - 1 / across);
    const flight flown = fly(world, body, 3600, symmetric_motion, &is);
    world_free(world);
    return flown;
}

static void test_a_symmetric_top_follows_its_closed_form(void **state) {
    (void)state;
    const flight top = fly_symmetric((double[3]){2, 2, 3}, 2, (vector){{10, 5, 48.6}});
    EXPECT(top.angle_worst < 1e-4, "top: %g rad off", top.angle_worst);
    EXPECT(top.energy_worst < 1e-5, "top: energy %g", top.energy_worst);
    const flight rod = fly_symmetric((double[3]){0.25, 5, 5}, 0, (vector){{13, 5, -5.6}});
    EXPECT(rod.angle_worst < 3e-3, "rod: %g rad off", rod.angle_worst);
    EXPECT(rod.energy_worst < 1e-5, "rod: energy %g", rod.energy_worst);
    print_message("top %.2g rad, energy %.2g; rod %.2g rad, energy %.2g\n", top.angle_worst, top.energy_worst,
                  rod.angle_worst, rod.energy_worst);
}

/// Euler's equations in double by steps of a thousandth of a tick's fourth: far finer than what is compared.
typedef struct euler {
    matrix *at; // per tick
} euler;

static void euler_change(const double q[4], vector momentum, const double moments[3], double change[4]) {
    const double n = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
    const matrix R = matrix_of_doubles((double[4]){q[0] / sqrt(n), q[1] / sqrt(n), q[2] / sqrt(n), q[3] / sqrt(n)});
    vector w = turned_back(&R, momentum);
    for (int k = 0; k < 3; ++k) {
        w.x[k] /= 2 * moments[k];
    }
    change[0] = q[3] * w.x[0] + q[1] * w.x[2] - q[2] * w.x[1];
    change[1] = q[3] * w.x[1] + q[2] * w.x[0] - q[0] * w.x[2];
    change[2] = q[3] * w.x[2] + q[0] * w.x[1] - q[1] * w.x[0];
    change[3] = -q[0] * w.x[0] - q[1] * w.x[1] - q[2] * w.x[2];
}

static void euler_step(double q[4], vector momentum, const double moments[3], double h) {
    static const double weights[4] = {1, 2, 2, 1}, ways[4] = {0.5, 0.5, 1, 0};
    double at[4], k[4], total[4] = {0, 0, 0, 0}, n = 0;
    memcpy(at, q, sizeof at);
    for (int stage = 0; stage < 4; ++stage) {
        euler_change(at, momentum, moments, k);
        for (int i = 0; i < 4; ++i) {
            total[i] += weights[stage] * k[i];
            at[i] = q[i] + ways[stage] * h * k[i];
        }
    }
    for (int i = 0; i < 4; ++i) {
        q[i] += h * total[i] / 6;
        n += q[i] * q[i];
    }
    for (int i = 0; i < 4; ++i) {
        q[i] /= sqrt(n);
    }
}

static matrix euler_motion(const void *data, double t) {
    return ((const euler *)data)->at[(int)lround(t * 60)];
}

static void test_a_body_with_three_moments_flips_as_it_should(void **state) {
    (void)state;
    const double moments[3] = {1, 2, 3};
    iso_world *world = space_make();
    const iso_body_id body = body3_with_moments(world, moments[0], moments[1], moments[2]);
    body3_set_velocity(world, body, (vector){{0, 0, 0}}, (vector){{0.3, 6, 0.01}});
    const iso_body3_view view = view3(world, body);
    int64_t bits[3];
    momentum_of(world, body, bits);
    // The state's own momentum, mass 10 and L = 1: to start as it does, to the bit.
    vector momentum;
    for (int i = 0; i < 3; ++i) {
        momentum.x[i] = 10 * ldexp((double)bits[i], -40);
    }
    double q[4] = {view.principal.x * QUANTUM_UNIT, view.principal.y * QUANTUM_UNIT, view.principal.z * QUANTUM_UNIT,
                   view.principal.w * QUANTUM_UNIT};
    euler exact = {malloc(3601 * sizeof(matrix))};
    for (int t = 0; t <= 3600; ++t) {
        exact.at[t] = matrix_of_doubles(q);
        for (int n = 0; n < 40; ++n) {
            euler_step(q, momentum, moments, 1.0 / 2400);
        }
    }
    const flight is = fly(world, body, 3600, euler_motion, &exact);
    EXPECT(is.angle_worst < 0.03, "%g rad off", is.angle_worst);
    EXPECT(is.energy_worst < 5e-5, "energy off by %g", is.energy_worst);
    EXPECT(is.flips >= 5, "it flipped %d times", is.flips);
    print_message("Dzhanibekov: %.2g rad, energy %.2g, at the end %.2g, %d flips\n", is.angle_worst, is.energy_worst,
                  is.energy_end, is.flips);
    free(exact.at);
    world_free(world);
}

/// A handle and a bar, at 30 rad/s about the middle axis.
static iso_body_id add_t_handle(iso_world *world) {
    iso_shape3_def bar = iso_shape3_def_capsule(fix3(-0.5, 0, 0), fix3(0.5, 0, 0), fix(0.1));
    const iso_shape3_def handle = iso_shape3_def_capsule(fix3(0, 0, 0), fix3(0, -0.4, 0), fix(0.1));
    const iso_body_id body = body3_of(world, &bar);
    shape3_add(world, body, &handle);
    const iso_body3_view view = view3(world, body);
    const matrix F = matrix_of(view.principal);
    body3_set_velocity(world, body, (vector){{0, 0, 0}}, turned(&F, (vector){{0.05, 30, 0.02}}));
    return body;
}

static void test_a_t_handle_keeps_its_energy(void **state) {
    (void)state;
    iso_world *world = space_make();
    const iso_body_id body = add_t_handle(world);
    const flight is = fly(world, body, 3600, NULL, NULL);
    EXPECT(is.energy_worst < 1e-3, "energy off by %g", is.energy_worst);
    EXPECT(is.flips >= 10, "it flipped %d times", is.flips);
    print_message("T-handle: energy %.2g, at the end %.2g, %d flips\n", is.energy_worst, is.energy_end, is.flips);
    world_free(world);
}

/// One radian per second for 1e6 substeps: 16 of them in a tick.
static void test_a_slow_spin_keeps_its_angle_for_a_million_substeps(void **state) {
    (void)state;
    iso_world_def def = space_def();
    def.tick_rate_hz = 15;
    def.substep_count = 16;
    iso_world *world = world_make(&def);
    const iso_shape3_def ball = iso_shape3_def_sphere(fix(0.4)), box = box3(0.2, 0.3, 0.4);
    const iso_body_id bodies[2] = {body3_of(world, &ball), body3_of(world, &box)};
    body3_set_velocity(world, bodies[0], (vector){{0, 0, 0}}, (vector){{0.6, 0.48, 0.64}});
    body3_set_velocity(world, bodies[1], (vector){{0, 0, 0}}, (vector){{1, 0, 0}});
    iso_body3_view begin[2];
    for (int b = 0; b < 2; ++b) {
        begin[b] = view3(world, bodies[b]);
    }
    double worst_length = 0;
    const int ticks = 62500;
    for (int t = 0; t < ticks; ++t) {
        world_steps(world, 1);
        if (t % 16 == 0) {
            worst_length = fmax(worst_length, fabs(quat_length(view3(world, bodies[0]).rotation) - 1));
            worst_length = fmax(worst_length, fabs(quat_length(view3(world, bodies[1]).rotation) - 1));
        }
    }
    double off[2];
    for (int b = 0; b < 2; ++b) {
        const iso_body3_view end = view3(world, bodies[b]);
        assert_memory_equal(&end.angular_momentum, &begin[b].angular_momentum, sizeof end.angular_momentum);
        // The momentum has more bits than the view's velocity: w = L / I along a principal axis, of the box its third.
        int64_t bits[3];
        momentum_of(world, bodies[b], bits);
        const iso__space_body_derived *derived = &((const iso__space *)world)->body_derived[bodies[b].index];
        vector l;
        for (int i = 0; i < 3; ++i) {
            l.x[i] = ldexp((double)bits[i], -40 - derived->radius_exponent);
        }
        const double gyration = ldexp((double)derived->gyrations[b == 0 ? 0 : 2], -32);
        const double angle = length(l) * gyration * ticks / 15;
        const matrix R = matrix_of(begin[b].rotation), F = matrix_of(begin[b].principal), A = product(&R, &F),
                     turn = rotation_about(l, angle), exact = product(&turn, &A);
        off[b] = angle_off(&end, &exact);
        EXPECT(off[b] < 1e-3, "body %d: %g rad off", b, off[b]);
    }
    EXPECT(worst_length < 4e-9, "length off by %g", worst_length);
    print_message("1e6 substeps: ball %.2g rad, box %.2g rad, length %.2g\n", off[0], off[1], worst_length);
    world_free(world);
}

/// A momentum is what it is however a body is changed that does not turn otherwise.
static void test_parameters_leave_the_momentum_as_it_is(void **state) {
    (void)state;
    iso_world *world = space_make();
    const iso_body_id body = add_t_handle(world);
    world_steps(world, 7);
    int64_t before[3], after[3];
    momentum_of(world, body, before);
    iso_body3_params params = iso_body3_params_default();
    params.gravity_scale = fix(0.5);
    EXPECT_STATUS(iso_body3_set_params(world, body, &params), ISO_OK);
    EXPECT_STATUS(iso_body3_set_mass(world, body, wide(3), (iso_wide[3]){0, 0, 0}), ISO_OK);
    momentum_of(world, body, after);
    assert_memory_equal(before, after, sizeof before);
    world_free(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_symmetric_top_follows_its_closed_form),
        cmocka_unit_test(test_a_body_with_three_moments_flips_as_it_should),
        cmocka_unit_test(test_a_t_handle_keeps_its_energy),
        cmocka_unit_test(test_a_slow_spin_keeps_its_angle_for_a_million_substeps),
        cmocka_unit_test(test_parameters_leave_the_momentum_as_it_is),
    };
    return cmocka_run_group_tests_name("free_body3", tests, NULL, NULL);
}
