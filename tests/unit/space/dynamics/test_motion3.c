/// How single bodies in space move: gravity, impulses, forces, damping, locks, and what bounds them.
#include "unit/space/world/space_util.h"

#include "space/world/space.h"

static const vector NONE = {{0, 0, 0}};

static double body_length(const iso_world *world, iso_body_id body) {
    return ldexp(1, ((const iso__space *)world)->body_derived[body.index].radius_exponent);
}

/// I v of a body, or its inverse, in the world's frame.
static vector tensor_times(const iso_body3_view *view, vector v, bool is_inverse) {
    const matrix R = matrix_of(view->rotation), F = matrix_of(view->principal), A = product(&R, &F);
    vector local = turned_back(&A, v);
    for (int k = 0; k < 3; ++k) {
        const double moment = from_wide(view->moments[k]);
        local.x[k] = is_inverse ? local.x[k] / moment : local.x[k] * moment;
    }
    return turned(&A, local);
}

/// A body of two shapes off its origin, of a size from 5 cm to 5 m, turned and on its way.
static iso_body_id random_body(iso_world *world, rng *random) {
    const double size = 0.05 * pow(100, rng_range(random, 0, 1));
    iso_shape3_def box = box3(size, size * rng_range(random, 0.2, 1), size * rng_range(random, 0.2, 1));
    iso_shape3_def ball = iso_shape3_def_sphere(fix(size * rng_range(random, 0.3, 1)));
    const vector at = rng_vector(random, size), to = rng_vector(random, size);
    box.points[0] = fix3(at.x[0], at.x[1], at.x[2]);
    ball.points[0] = fix3(to.x[0], to.x[1], to.x[2]);
    box.rotation = rng_quat(random);
    box.density = ball.density = fix(100 * rng_range(random, 1, 10) / fmax(1, pow(size, 5)));
    const vector place = rng_vector(random, 50);
    const iso_body_id body =
        body3_add(world, ISO_BODY_DYNAMIC, wide3(place.x[0], place.x[1], place.x[2]), rng_quat(random));
    shape3_add(world, body, &box);
    shape3_add(world, body, &ball);
    body3_set_velocity(world, body, rng_vector(random, 20), rng_vector(random, 5));
    return body;
}

// ---- free fall -----------------------------------------------------------------------------------

/// v += g h, x += v h: the velocity is the difference of rounded sums, each x one rounded product; along every axis.
static void test_free_fall_is_the_symplectic_sum_to_the_last_bit(void **state) {
    (void)state;
    static const double scales[3] = {1, -2.5, 0};
    for (int c = 0; c < 3; ++c) {
        iso_world_def def = space_def();
        def.gravity = (iso_vec2){fix(1.7), fix(-9.81)};
        def.gravity_z = fix(-0.3);
        def.substep_count = (uint8_t)(c == 1 ? 7 : 4);
        iso_world *world = world_make(&def);
        const iso_shape3_def box = box3(0.5, 0.25, 1);
        const iso_body_id body = body3_of(world, &box);
        iso_body3_params params = iso_body3_params_default();
        params.gravity_scale = fix(scales[c]);
        EXPECT_STATUS(iso_body3_set_params(world, body, &params), ISO_OK);
        const int64_t n = 60 * (int64_t)def.substep_count, h = ((INT64_C(1) << 36) + n / 2) / n;
        const double gravity[3] = {fix(1.7), fix(-9.81), fix(-0.3)};
        int64_t velocity[3] = {0, 0, 0}, place[3] = {0, 0, 0};
        for (uint32_t t = 0; t < 200; ++t) {
            world_steps(world, 1);
            for (uint32_t i = 0; i < 3u * def.substep_count; ++i) {
                const uint32_t axis = i % 3;
                const double k = (t + 1) % 60 * def.substep_count + i / 3,
                             a = floor(8 * gravity[axis] * scales[c] + 0.5);
                velocity[axis] += llround(a * (k + 1) / (double)n) - llround(a * k / (double)n);
                place[axis] += (int64_t)floor(ldexp((double)velocity[axis] * (double)h, -23) + 0.5);
            }
            const iso_body3_view view = view3(world, body);
            const int64_t v[3] = {view.velocity.x, view.velocity.y, view.velocity.z};
            const int64_t x[3] = {view.centre.x, view.centre.y, view.centre.z};
            for (int axis = 0; axis < 3; ++axis) {
                EXPECT(v[axis] == velocity[axis] * 8192, "case %d tick %u axis %d: velocity", c, t, axis);
                EXPECT(x[axis] == place[axis], "case %d tick %u axis %d: place off by %lld", c, t, axis,
                       (long long)(x[axis] - place[axis]));
            }
        }
        assert_int_equal(world_counts(world).clamped_velocities, 0);
        world_free(world);
    }
}

static void test_gravity_can_change_and_spares_what_is_not_dynamic(void **state) {
    (void)state;
    iso_world *world = space_make();
    const iso_shape3_def ball = iso_shape3_def_sphere(ONE);
    const iso_body_id dynamic = body3_of(world, &ball);
    const iso_body_id kinematic = body3_add(world, ISO_BODY_KINEMATIC, wide3(10, 0, 0), iso_quat_identity());
    const iso_body_id fixed = body3_add(world, ISO_BODY_STATIC, wide3(20, 0, 0), iso_quat_identity());
    const uint64_t before = iso_world_root(world);
    EXPECT_STATUS(iso_world_set_gravity3(world, fix3(0, 0, 6)), ISO_OK);
    assert_true(iso_world_root(world) != before);
    EXPECT_STATUS(iso_world_set_gravity3(world, fix3(0, 0, 1000.1)), ISO_ERR_RANGE);
    assert_int_equal(iso_world_get_gravity3(world).z, fix(6));
    world_steps(world, 60);
    EXPECT_NEAR(from_wide(view3(world, dynamic).velocity.z), 6, 240 * QUANTUM_VELOCITY, "speed");
    assert_int_equal(view3(world, kinematic).velocity.z, 0);
    assert_int_equal(view3(world, fixed).centre.z, 0);
    world_free(world);
}

// ---- impulses and forces -------------------------------------------------------------------------

/// The change of the momentum, exactly what was applied but for roundings; and of the spin, by the inverse tensor.
static void pushed_check(const iso_world *world, iso_body_id body, const iso_body3_view *before, vector push,
                         vector moment, double roundings) {
    const iso_body3_view after = view3(world, body);
    const double mass = from_wide(after.mass), L = body_length(world, body);
    const vector dv = sum(vector_of(after.velocity), -1, vector_of(before->velocity));
    const vector dl = sum(vector_of(after.angular_momentum), -1, vector_of(before->angular_momentum));
    for (int axis = 0; axis < 3; ++axis) {
        EXPECT_NEAR(dv.x[axis], push.x[axis] / mass,
                    roundings * (QUANTUM_VELOCITY + QUANTUM_WIDE / mass) + 1e-8 * fabs(push.x[axis] / mass),
                    "change of v %d", axis);
        EXPECT_NEAR(dl.x[axis], moment.x[axis],
                    roundings * (ldexp(mass * L, -40) + 4 * QUANTUM_WIDE) + 1e-8 * length(moment), "change of L %d",
                    axis);
    }
    if (roundings == 1) {
        const vector w = tensor_times(&after, vector_of(after.angular_momentum), true);
        const double bound = QUANTUM_VELOCITY / L + 2e-7 * length(w) + 4 * QUANTUM_WIDE / from_wide(after.moments[0]);
        EXPECT_NEAR(length(sum(w, -1, vector_of(after.angular_velocity))), 0, 2 * bound, "spin of the momentum");
    }
}

static void test_impulses_change_v_by_p_over_m_and_l_by_r_cross_p(void **state) {
    (void)state;
    rng random = {7};
    iso_world *world = space_make();
    for (int run = 0; run < 400; ++run) {
        const iso_body_id body = random_body(world, &random);
        const iso_body3_view before = view3(world, body);
        const double mass = from_wide(before.mass), L = body_length(world, body);
        const vector push = rng_vector(&random, mass * 2), arm = rng_vector(&random, L);
        const iso_vec3_wide p = wide3(push.x[0], push.x[1], push.x[2]);
        const iso_vec3_wide at = iso_vec3_wide_add(before.centre, wide3(arm.x[0], arm.x[1], arm.x[2]));
        if (run % 3 == 0) {
            const vector moment = rng_vector(&random, from_wide(before.moments[0]) * 3);
            EXPECT_STATUS(iso_body3_apply_angular_impulse(world, body, wide3(moment.x[0], moment.x[1], moment.x[2])),
                          ISO_OK);
            pushed_check(world, body, &before, NONE, moment, 1);
        } else {
            const double small = from_wide(before.moments[0]) / (mass * L * L);
            const vector less = sum(NONE, run % 3 == 1 ? small : 0, push);
            EXPECT_STATUS(iso_body3_apply_impulse(world, body, wide3(less.x[0], less.x[1], less.x[2]), at), ISO_OK);
            pushed_check(world, body, &before, less, cross(arm, less), 1);
            (void)p;
        }
        EXPECT_STATUS(iso_body_destroy(world, body), ISO_OK);
    }
    world_free(world);
}

static void test_forces_add_up_act_for_one_tick_and_are_gone(void **state) {
    (void)state;
    rng random = {8};
    iso_world *world = space_make();
    for (int run = 0; run < 200; ++run) {
        const iso_body_id body = random_body(world, &random);
        const iso_body3_view before = view3(world, body);
        const double mass = from_wide(before.mass), L = body_length(world, body);
        const double small = from_wide(before.moments[0]) / (mass * L);
        const vector f = rng_vector(&random, 60 * mass * small), central = rng_vector(&random, 60 * mass),
                     torque = rng_vector(&random, 60 * mass * L * small), arm = rng_vector(&random, L);
        const iso_vec3_wide at = iso_vec3_wide_add(before.centre, wide3(arm.x[0], arm.x[1], arm.x[2]));
        EXPECT_STATUS(iso_body3_apply_force(world, body, wide3(f.x[0], f.x[1], f.x[2]), at), ISO_OK);
        EXPECT_STATUS(iso_body3_apply_force_to_centre(world, body, wide3(central.x[0], central.x[1], central.x[2])),
                      ISO_OK);
        EXPECT_STATUS(iso_body3_apply_torque(world, body, wide3(torque.x[0], torque.x[1], torque.x[2])), ISO_OK);
        world_steps(world, 1);
        pushed_check(world, body, &before, sum(NONE, 1.0 / 60, sum(f, 1, central)),
                     sum(NONE, 1.0 / 60, sum(cross(arm, f), 1, torque)), 4);
        const iso_body3_view pushed = view3(world, body);
        world_steps(world, 1);
        EXPECT_STATUS(iso_body3_apply_force_to_centre(world, body, wide3(0, 0, 0)), ISO_OK);
        world_steps(world, 1);
        const iso_body3_view later = view3(world, body);
        assert_memory_equal(&later.velocity, &pushed.velocity, sizeof later.velocity);
        assert_memory_equal(&later.angular_momentum, &pushed.angular_momentum, sizeof later.angular_momentum);
        EXPECT_STATUS(iso_body_destroy(world, body), ISO_OK);
    }
    world_free(world);
}

static void test_damping_divides_by_one_plus_h_c_in_each_substep(void **state) {
    (void)state;
    iso_world *world = space_make();
    const iso_shape3_def box = box3(1, 0.6, 0.3);
    const iso_body_id body = body3_of(world, &box);
    iso_body3_params params = iso_body3_params_default();
    params.linear_damping = fix(0.5);
    params.angular_damping = fix(2);
    EXPECT_STATUS(iso_body3_set_params(world, body, &params), ISO_OK);
    body3_set_velocity(world, body, (vector){{3, -200, 0.5}}, (vector){{4, -1, 2}});
    const iso_body3_view before = view3(world, body);
    world_steps(world, 90);
    const iso_body3_view after = view3(world, body);
    const double v = pow(1 + 0.5 / 240, -360), l = pow(1 + 2.0 / 240, -360);
    for (int axis = 0; axis < 3; ++axis) {
        EXPECT_NEAR(vector_of(after.velocity).x[axis], vector_of(before.velocity).x[axis] * v,
                    240 * QUANTUM_VELOCITY + 1e-6, "v %d", axis);
        EXPECT_NEAR(vector_of(after.angular_momentum).x[axis], vector_of(before.angular_momentum).x[axis] * l, 1e-5,
                    "L %d", axis);
    }
    world_free(world);
}

// ---- locks ---------------------------------------------------------------------------------------

static iso_body3_params locked(unsigned bits) {
    iso_body3_params params = iso_body3_params_default();
    params.lock_x = bits & 1;
    params.lock_y = bits & 2;
    params.lock_z = bits & 4;
    params.lock_turn_x = bits & 8;
    params.lock_turn_y = bits & 16;
    params.lock_turn_z = bits & 32;
    return params;
}

static double component(iso_vec3_wide v, int axis) {
    return vector_of(v).x[axis];
}

/// Whatever pushes and turns it.
static void test_locked_components_stay_zero(void **state) {
    (void)state;
    rng random = {9};
    for (unsigned bits = 0; bits < 64; ++bits) {
        iso_world_def def = space_def();
        def.gravity = (iso_vec2){fix(3), fix(-10)};
        def.gravity_z = fix(5);
        iso_world *world = world_make(&def);
        const iso_body_id body = random_body(world, &random);
        const iso_body3_params params = locked(bits);
        EXPECT_STATUS(iso_body3_set_params(world, body, &params), ISO_OK);
        const iso_body3_view begin = view3(world, body);
        for (int t = 0; t < 60; ++t) {
            const vector f = rng_vector(&random, 20 * from_wide(begin.mass));
            EXPECT_STATUS(iso_body3_apply_force(world, body, wide3(f.x[0], f.x[1], f.x[2]), begin.position), ISO_OK);
            EXPECT_STATUS(
                iso_body3_apply_impulse(world, body, wide3(f.x[1] / 60, f.x[2] / 60, f.x[0] / 60), begin.position),
                ISO_OK);
            if (t % 20 == 0) {
                body3_set_velocity(world, body, rng_vector(&random, 10), rng_vector(&random, 3));
            }
            world_steps(world, 1);
            const iso_body3_view view = view3(world, body);
            for (int axis = 0; axis < 3; ++axis) {
                if (bits >> axis & 1) {
                    EXPECT(component(view.velocity, axis) == 0 &&
                               component(view.centre, axis) == component(begin.centre, axis),
                           "locks %u: moves along %d", bits, axis);
                }
                if (bits >> (3 + axis) & 1) {
                    EXPECT(component(view.angular_velocity, axis) == 0, "locks %u: turns about %d by %g", bits, axis,
                           component(view.angular_velocity, axis));
                }
            }
            if (bits >> 3 == 7) {
                assert_memory_equal(&view.rotation, &begin.rotation, sizeof view.rotation);
            }
        }
        world_free(world);
    }
}

/// A body with any principal axes that may turn about one axis of the world only: for ever as fast, and the axis stays.
static void test_a_body_on_one_axis_keeps_its_spin_and_the_axis(void **state) {
    (void)state;
    rng random = {10};
    for (int run = 0; run < 12; ++run) {
        const int axis = run % 3;
        iso_world *world = space_make();
        const iso_body_id body = random_body(world, &random);
        const iso_body3_params params = locked(56u & ~(8u << axis));
        vector w = NONE;
        w.x[axis] = run % 2 ? -7 : 12;
        EXPECT_STATUS(iso_body3_set_params(world, body, &params), ISO_OK);
        body3_set_velocity(world, body, NONE, w);
        const iso_body3_view begin = view3(world, body);
        const matrix from = matrix_of(begin.rotation);
        world_steps(world, 600);
        const iso_body3_view end = view3(world, body);
        const matrix to = matrix_of(end.rotation);
        EXPECT_NEAR(component(end.angular_velocity, axis), component(begin.angular_velocity, axis), 1e-4,
                    "run %d: spin", run);
        // What of the body pointed along the axis still does: R_to R_from^T e = e.
        vector e = NONE;
        e.x[axis] = 1;
        const vector local = turned_back(&from, e), now = turned(&to, local);
        EXPECT_NEAR(length(sum(now, -1, e)), 0, 1e-6, "run %d: the axis", run);
        // And it turned by w t about it.
        vector side = NONE;
        side.x[(axis + 1) % 3] = 1;
        const vector went = turned(&to, turned_back(&from, side));
        const double angle = component(begin.angular_velocity, axis) * 10;
        EXPECT_NEAR(went.x[(axis + 1) % 3], cos(angle), 1e-3, "run %d: cosine", run);
        EXPECT_NEAR(went.x[(axis + 2) % 3], sin(angle), 1e-3, "run %d: sine", run);
        world_free(world);
    }
}

/// T about that axis: its spin rises by T / I of the axis, not by what a free body's would.
static void test_a_body_on_one_axis_turns_by_its_moment_about_it(void **state) {
    (void)state;
    rng random = {11};
    for (int run = 0; run < 12; ++run) {
        const int axis = run % 3;
        iso_world *world = space_make();
        const iso_body_id body = random_body(world, &random);
        const iso_body3_params params = locked(56u & ~(8u << axis));
        EXPECT_STATUS(iso_body3_set_params(world, body, &params), ISO_OK);
        body3_set_velocity(world, body, NONE, NONE);
        const iso_body3_view begin = view3(world, body);
        vector e = NONE;
        e.x[axis] = 1;
        const double moment = tensor_times(&begin, e, false).x[axis], T = moment * 2;
        const double bound = 8 * QUANTUM_VELOCITY / body_length(world, body) + 1e-5;
        EXPECT_STATUS(iso_body3_apply_angular_impulse(world, body, wide3(T * e.x[0], T * e.x[1], T * e.x[2])), ISO_OK);
        EXPECT_NEAR(component(view3(world, body).angular_velocity, axis), 2, bound, "run %d: impulse", run);
        EXPECT_STATUS(iso_body3_apply_torque(world, body, wide3(60 * T * e.x[0], 60 * T * e.x[1], 60 * T * e.x[2])),
                      ISO_OK);
        world_steps(world, 1);
        EXPECT_NEAR(component(view3(world, body).angular_velocity, axis), 4, 2 * bound, "run %d: torque", run);
        world_free(world);
    }
}

/// Locked about one axis: what locks it does no work and turns nothing about the others.
static void test_a_body_on_two_axes_keeps_energy_and_momentum_about_them(void **state) {
    (void)state;
    rng random = {12};
    for (int run = 0; run < 12; ++run) {
        const int axis = run % 3;
        iso_world *world = space_make();
        const iso_body_id body = random_body(world, &random);
        const iso_body3_params params = locked(8u << axis);
        EXPECT_STATUS(iso_body3_set_params(world, body, &params), ISO_OK);
        body3_set_velocity(world, body, NONE, rng_vector(&random, 6));
        const iso_body3_view begin = view3(world, body);
        const double energy = body3_energy(world, body);
        double worst = 0;
        for (int t = 0; t < 600; ++t) {
            world_steps(world, 1);
            worst = fmax(worst, fabs(body3_energy(world, body) / energy - 1));
        }
        EXPECT(worst < 0.01, "run %d: energy off by %g", run, worst);
        const iso_body3_view end = view3(world, body);
        for (int other = 0; other < 3; ++other) {
            EXPECT(other == axis || component(end.angular_momentum, other) == component(begin.angular_momentum, other),
                   "run %d: momentum about %d", run, other);
        }
        world_free(world);
    }
}

// ---- bounds --------------------------------------------------------------------------------------

static void test_spin_is_capped_at_an_eighth_of_a_turn_per_substep(void **state) {
    (void)state;
    static const double sizes[][3] = {{0.1, 0.1, 0.1}, {1, 0.2, 0.1}, {2, 0.05, 0.02}, {0.02, 0.01, 0.005}};
    for (size_t c = 0; c < sizeof sizes / sizeof sizes[0]; ++c) {
        for (int way = 0; way < 2; ++way) {
            iso_world *world = space_make();
            const iso_shape3_def box = box3(sizes[c][0], sizes[c][1], sizes[c][2]);
            const iso_body_id body = body3_of(world, &box);
            const double limit = fmin(PI / 4 * 240, 400 / body_length(world, body));
            iso_vec3_wide hard = wide3(1000, -3e5, 999999);
            if (way == 0) {
                EXPECT_STATUS(iso_body3_apply_angular_impulse(world, body, hard), ISO_OK);
            } else {
                EXPECT_STATUS(iso_body3_apply_torque(world, body, hard), ISO_OK);
                world_steps(world, 1);
                assert_true(world_counts(world).clamped_velocities > 0);
            }
            for (int t = 0; t < 5; ++t) {
                const iso_body3_view view = view3(world, body);
                const double is = length(vector_of(view.angular_velocity));
                EXPECT(is < limit * 1.001 + 1e-3 && is > limit * 0.2, "case %zu, way %d: %g of %g", c, way, is, limit);
                const vector w = tensor_times(&view, vector_of(view.angular_momentum), true);
                EXPECT_NEAR(length(w), is, limit * 1e-3, "case %zu, way %d: momentum", c, way);
                world_steps(world, 1);
            }
            world_free(world);
        }
    }
}

/// What is thin and locked about one axis finds ever less inertia as it turns; its spin is capped there, too.
static void test_a_thin_body_on_two_axes_stays_within_the_cap(void **state) {
    (void)state;
    rng random = {14};
    for (int run = 0; run < 30; ++run) {
        iso_world *world = space_make();
        const iso_shape3_def plank = box3(1.9, 0.05, 0.03);
        const iso_body_id body = body3_add(world, ISO_BODY_DYNAMIC, wide3(0, 0, 0), rng_quat(&random));
        shape3_add(world, body, &plank);
        const iso_body3_params params = locked(8u << run % 3);
        EXPECT_STATUS(iso_body3_set_params(world, body, &params), ISO_OK);
        body3_set_velocity(world, body, NONE, rng_vector(&random, 100));
        const double limit = fmin(PI / 4 * 240, 400 / body_length(world, body));
        for (int t = 0; t < 120; ++t) {
            world_steps(world, 1);
            const double is = length(vector_of(view3(world, body).angular_velocity));
            EXPECT(is < limit * 1.001, "run %d, tick %d: %g of %g", run, t, is, limit);
        }
        world_free(world);
    }
}

static void test_a_body_that_leaves_the_world_stays_at_its_border(void **state) {
    (void)state;
    iso_world *world = space_make();
    const iso_shape3_def ball = iso_shape3_def_sphere(ONE);
    for (int axis = 0; axis < 3; ++axis) {
        vector place = {{1, 2, 3}}, v = {{0.5, 0.25, -0.5}};
        place.x[axis] = axis == 1 ? -29999 : 29999;
        v.x[axis] = axis == 1 ? -300 : 300;
        const iso_body_id body = body3_add(world, axis == 2 ? ISO_BODY_KINEMATIC : ISO_BODY_DYNAMIC,
                                           wide3(place.x[0], place.x[1], place.x[2]), iso_quat_identity());
        shape3_add(world, body, &ball);
        body3_set_velocity(world, body, v, (vector){{0, 1, 0}});
        world_steps(world, 1);
        const iso_body3_view view = view3(world, body);
        EXPECT_NEAR(component(view.centre, axis), axis == 1 ? -30000 : 30000, 0, "axis %d", axis);
        // The dynamic ones sleep there; the kinematic one goes on along the border.
        assert_true(component(view.velocity, axis) == 0);
        assert_true((component(view.velocity, (axis + 1) % 3) != 0) == (axis == 2));
        assert_true(iso_body_is_awake(world, body) == (axis == 2));
        iso_events events;
        iso_world_get_events(world, &events);
        assert_int_equal(events.left_world_count, 1);
        assert_true(iso_body_id_equal(events.left_world[0], body));
        world_steps(world, 1);
        iso_world_get_events(world, &events);
        assert_int_equal(events.left_world_count, 0);
    }
    world_free(world);
}

static void test_a_kinematic_body_turns_about_its_spin_whatever_its_shapes(void **state) {
    (void)state;
    iso_world *world = space_make();
    rng random = {13};
    const iso_quat rotation = rng_quat(&random);
    const iso_body_id body = body3_add(world, ISO_BODY_KINEMATIC, wide3(1, 2, 3), rotation);
    iso_shape3_def box = box3(2, 1, 0.3);
    box.points[0] = fix3(1, 1, 0);
    shape3_add(world, body, &box);
    iso_body3_params params = iso_body3_params_default();
    params.linear_damping = params.angular_damping = fix(10);
    params.lock_x = params.lock_turn_y = true; // of dynamic bodies
    EXPECT_STATUS(iso_body3_set_params(world, body, &params), ISO_OK);
    const vector w = {{3, -2, 6}};
    body3_set_velocity(world, body, (vector){{1, 0, -1}}, w);
    world_steps(world, 600);
    const iso_body3_view view = view3(world, body);
    EXPECT_NEAR(length(sum(vector_of(view.centre), -1, (vector){{11, 2, -7}})), 0, 1e-6, "place");
    EXPECT_NEAR(length(sum(vector_of(view.angular_velocity), -1, w)), 0, 2e-5, "spin");
    // exp(w t) times the first rotation.
    const double angle = length(vector_of(view.angular_velocity)) * 10, s = sin(angle / 2) / length(w);
    const matrix turn = matrix_of_doubles((double[4]){s * w.x[0], s * w.x[1], s * w.x[2], cos(angle / 2)});
    const matrix from = matrix_of(rotation), to = matrix_of(view.rotation), expected = product(&turn, &from);
    for (int i = 0; i < 9; ++i) {
        EXPECT_NEAR(to.m[i / 3][i % 3], expected.m[i / 3][i % 3], 3e-5, "entry %d", i);
    }
    world_free(world);
}

static void test_a_body_without_inertia_flies_and_does_not_turn(void **state) {
    (void)state;
    iso_world *world = space_make();
    const iso_body_id body = body3_add(world, ISO_BODY_DYNAMIC, wide3(0, 0, 0), iso_quat_identity());
    body3_set_velocity(world, body, (vector){{1, 2, 3}}, (vector){{0, 5, 0}});
    EXPECT_STATUS(iso_body3_apply_torque(world, body, wide3(1000, 0, 0)), ISO_OK);
    world_steps(world, 60);
    const iso_body3_view view = view3(world, body);
    EXPECT_NEAR(length(sum(vector_of(view.centre), -1, (vector){{1, 2, 3}})), 0, 1e-6, "place");
    const iso_quat identity = iso_quat_identity();
    assert_memory_equal(&view.rotation, &identity, sizeof identity);
    world_free(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_free_fall_is_the_symplectic_sum_to_the_last_bit),
        cmocka_unit_test(test_gravity_can_change_and_spares_what_is_not_dynamic),
        cmocka_unit_test(test_impulses_change_v_by_p_over_m_and_l_by_r_cross_p),
        cmocka_unit_test(test_forces_add_up_act_for_one_tick_and_are_gone),
        cmocka_unit_test(test_damping_divides_by_one_plus_h_c_in_each_substep),
        cmocka_unit_test(test_locked_components_stay_zero),
        cmocka_unit_test(test_a_body_on_one_axis_keeps_its_spin_and_the_axis),
        cmocka_unit_test(test_a_body_on_one_axis_turns_by_its_moment_about_it),
        cmocka_unit_test(test_a_body_on_two_axes_keeps_energy_and_momentum_about_them),
        cmocka_unit_test(test_spin_is_capped_at_an_eighth_of_a_turn_per_substep),
        cmocka_unit_test(test_a_thin_body_on_two_axes_stays_within_the_cap),
        cmocka_unit_test(test_a_body_that_leaves_the_world_stays_at_its_border),
        cmocka_unit_test(test_a_kinematic_body_turns_about_its_spin_whatever_its_shapes),
        cmocka_unit_test(test_a_body_without_inertia_flies_and_does_not_turn),
    };
    return cmocka_run_group_tests_name("motion3", tests, NULL, NULL);
}
