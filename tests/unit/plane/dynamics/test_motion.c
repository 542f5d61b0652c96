/// How single bodies move: gravity, spin, impulses, forces, and what bounds them.
#include "unit/world/physics_util.h"

#include "plane/world/plane.h"

static iso_world *world_make_rate(uint16_t tick_rate_hz, uint8_t substep_count, double gravity) {
    iso_world_def def = world_def_small(gravity);
    def.tick_rate_hz = tick_rate_hz;
    def.substep_count = substep_count;
    return world_make(&def);
}

// ---- free fall -----------------------------------------------------------------------------------

typedef struct fall {
    uint16_t tick_rate_hz;
    uint8_t substep_count;
    double gravity;
    uint32_t ticks;
} fall;

static const fall FALLS[] = {
    {60, 4, -10, 300},   {60, 4, 9.81, 300}, {60, 1, -10, 120},    {128, 15, -10, 384},
    {10, 16, -3.7, 100}, {50, 4, -1000, 20}, {60, 4, -0.001, 600},
};

/// The soft step integrates v += g h, x += v h; after N substeps x = g h^2 N (N + 1) / 2. In integers: the velocity
/// is exactly N times the rounded g h, and each x is one rounded product.
static void test_free_fall_is_the_symplectic_sum_to_the_last_bit(void **state) {
    (void)state;
    const iso_shape_def box = shape_box(0.5, 0.25);
    for (size_t c = 0; c < sizeof FALLS / sizeof FALLS[0]; ++c) {
        const fall *f = &FALLS[c];
        iso_world *world = world_make_rate(f->tick_rate_hz, f->substep_count, f->gravity);
        const iso_body_id body = body_add_shape(world, ISO_BODY_DYNAMIC, 7, 100, 0.3, &box);
        const int64_t n = (int64_t)f->tick_rate_hz * f->substep_count;
        const int64_t h = ((INT64_C(1) << 36) + n / 2) / n;
        const double a_second = 8.0 * fix(f->gravity); // in quanta of velocity
        int64_t velocity = 0, place = wide(100);
        for (uint32_t t = 0; t < f->ticks; ++t) {
            world_steps(world, 1);
            for (uint32_t i = 0; i < f->substep_count; ++i) {
                const double k = (t + 1) % f->tick_rate_hz * f->substep_count + i;
                velocity += llround(a_second * (k + 1) / (double)n) - llround(a_second * k / (double)n);
                place += (int64_t)floor(ldexp((double)velocity * (double)h, -23) + 0.5);
            }
            const iso_body_view view = body_view(world, body);
            EXPECT(view.velocity.y == velocity * 8192, "case %zu tick %u: velocity %.12g", c, t,
                   from_wide(view.velocity.y));
            EXPECT(view.centre.y == place, "case %zu tick %u: place off by %lld quanta", c, t,
                   (long long)(view.centre.y - place));
        }
        const iso_body_view end = body_view(world, body);
        assert_true(end.velocity.x == 0 && end.centre.x == wide(7));
        assert_true(end.angle_turns == iso_turns_from_radians(iso_wide_from_fix16(fix(0.3))));
        assert_int_equal(world_counts(world).clamped_velocities, 0);
        world_free(world);
    }
}

/// Bounds: s = g T^2 / 2 plus the half step of the symplectic rule, g T h / 2; the rounding of g h, half a quantum
/// of velocity in every substep; half a quantum of place in every substep.
static void test_free_fall_follows_g_t_squared_over_two(void **state) {
    (void)state;
    const iso_shape_def ball = shape_circle(0.5);
    for (size_t c = 0; c < sizeof FALLS / sizeof FALLS[0]; ++c) {
        const fall *f = &FALLS[c];
        iso_world *world = world_make_rate(f->tick_rate_hz, f->substep_count, f->gravity);
        const iso_body_id body = body_add_shape(world, ISO_BODY_DYNAMIC, 0, 0, 0, &ball);
        world_steps(world, f->ticks);
        const double h = world_substep(world), t = f->ticks * world_tick(world), g = from_fix(fix(f->gravity));
        const double substeps = (double)f->ticks * f->substep_count;
        const pose is = body_pose(world, body);
        const double rounding = substeps * (substeps + 1) / 2 * h * QUANTUM_VELOCITY / 2 + substeps * QUANTUM_WIDE;
        EXPECT_NEAR(is.y, g * t * t / 2 + g * t * h / 2, rounding + fabs(is.y) * 1e-8, "case %zu: fall", c);
        EXPECT_NEAR(is.vy, g * t, substeps * QUANTUM_VELOCITY / 2 + fabs(is.vy) * 1e-8, "case %zu: speed", c);
        world_free(world);
    }
}

static void test_gravity_can_change_and_spares_what_is_not_dynamic(void **state) {
    (void)state;
    iso_world *world = world_make_small(-10);
    const iso_shape_def ball = shape_circle(0.5);
    const iso_body_id dynamic = body_add_shape(world, ISO_BODY_DYNAMIC, 0, 0, 0, &ball);
    const iso_body_id kinematic = body_add_shape(world, ISO_BODY_KINEMATIC, 10, 0, 0, &ball);
    const iso_body_id still = body_add_shape(world, ISO_BODY_STATIC, 20, 0, 0, &ball);
    body_set_velocity(world, kinematic, 1, -2, 0.5);
    EXPECT_STATUS(iso_world_set_gravity(world, (iso_vec2){fix(6), 0}), ISO_OK);
    EXPECT_STATUS(iso_world_set_gravity(world, (iso_vec2){fix(1000.1), 0}), ISO_ERR_RANGE);
    world_steps(world, 60);
    EXPECT_NEAR(body_pose(world, dynamic).vx, 6, 240 * QUANTUM_VELOCITY, "speed along the new gravity");
    EXPECT_NEAR(body_pose(world, dynamic).vy, 0, 0, "speed along the old gravity");
    const pose driven = body_pose(world, kinematic);
    assert_true(driven.vx == 1 && driven.vy == -2 && driven.w == 0.5);
    EXPECT_NEAR(driven.x, 11, 240 * QUANTUM_WIDE + 1e-8, "driven x");
    EXPECT_NEAR(driven.y, -2, 240 * QUANTUM_WIDE + 2e-8, "driven y");
    EXPECT_NEAR(driven.angle, 0.5, 1e-6, "driven angle");
    const pose fixed = body_pose(world, still);
    assert_true(fixed.x == 20 && fixed.y == 0 && fixed.angle == 0 && fixed.vx == 0);
    world_free(world);
}

// ---- spin ----------------------------------------------------------------------------------------

/// Bounds: 1/(2 pi) in Q.32 is off by 7e-10 of itself; a substep rounds the turned length by half a quantum of
/// Q31.32, a tick the angle by another half.
static void test_spin_counts_turns_without_wrapping(void **state) {
    (void)state;
    const struct {
        double radius, w;
        uint32_t ticks;
    } cases[] = {{0.45, 20, 3600}, {0.45, -20, 3600},  {0.1, 180, 6000},   {0.003, -150, 600},
                 {40, 8, 3600},    {1.5, 0.001, 3600}, {0.45, -0.0001, 60}};
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; ++c) {
        iso_world *world = world_make_small(0);
        iso_shape_def ball = shape_circle(cases[c].radius);
        ball.density = cases[c].radius < 0.01 ? fix(1000) : ONE;
        const iso_body_id body = body_add_shape(world, ISO_BODY_DYNAMIC, 0, 0, 3, &ball);
        body_set_velocity(world, body, 0, 0, cases[c].w);
        const double w = body_pose(world, body).w; // as it was stored
        const double length = ldexp(1, iso__plane_of(world)->body_derived[body.index].radius_exponent);
        EXPECT_NEAR(w, from_fix(fix(cases[c].w)), QUANTUM_VELOCITY / length / 2, "case %zu: stored spin", c);
        world_steps(world, cases[c].ticks);
        const double turns = w * cases[c].ticks / 60.0 / (2 * PI);
        const double start = from_wide(iso_turns_from_radians(iso_wide_from_fix16(fix(3))));
        const double bound = fabs(turns) * 1e-9 + cases[c].ticks * QUANTUM_WIDE * (0.5 + 4 * 0.5 / (2 * PI * length));
        EXPECT_NEAR(body_pose(world, body).angle / (2 * PI) - start, turns, bound, "case %zu: turns", c);
        EXPECT_NEAR(body_pose(world, body).w, w, 0, "case %zu: spin after", c);
        world_free(world);
    }
}

static void test_rotation_is_that_of_the_angle(void **state) {
    (void)state;
    iso_world *world = world_make_small(0);
    const iso_shape_def box = shape_box(1, 0.5);
    const iso_body_id body = body_add_shape(world, ISO_BODY_DYNAMIC, 0, 0, -2, &box);
    body_set_velocity(world, body, 0, 0, 50);
    for (int i = 0; i < 600; ++i) {
        world_steps(world, 1);
        const iso_body_view view = body_view(world, body);
        const double angle = 2 * PI * from_wide(view.angle_turns);
        EXPECT_NEAR(view.rotation.c / 1073741824.0, cos(angle), 2e-9, "cosine in tick %d", i);
        EXPECT_NEAR(view.rotation.s / 1073741824.0, sin(angle), 2e-9, "sine in tick %d", i);
    }
    EXPECT(body_pose(world, body).angle > 400, "it did not turn");
    world_free(world);
}

static void test_spin_beyond_an_eighth_of_a_turn_per_substep_is_clamped_and_counted(void **state) {
    (void)state;
    const struct {
        uint16_t tick_rate_hz;
        uint8_t substep_count;
        double radius;
    } cases[] = {{60, 4, 0.1}, {60, 1, 0.3}, {128, 4, 0.02}, {10, 6, 0.9}};
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; ++c) {
        iso_world *world = world_make_rate(cases[c].tick_rate_hz, cases[c].substep_count, 0);
        const iso_shape_def ball = shape_circle(cases[c].radius);
        const iso_body_id body = body_add_shape(world, ISO_BODY_DYNAMIC, 0, 0, 0, &ball);
        const double limit = PI / 4 / world_substep(world);
        const double bound = limit * 1e-5;
        const int sign = c % 2 ? -1 : 1;
        // Just below the limit nothing happens.
        body_set_velocity(world, body, 0, 0, sign * limit * 0.9999);
        world_steps(world, 10);
        assert_int_equal(world_counts(world).clamped_velocities, 0);
        EXPECT_STATUS(
            iso_body_apply_angular_impulse(world, body, wide(sign * limit * from_wide(body_view(world, body).inertia))),
            ISO_OK);
        const double before = body_pose(world, body).angle;
        world_steps(world, 1);
        const pose after = body_pose(world, body);
        EXPECT_NEAR(after.w, sign * limit, bound, "case %zu: spin", c);
        EXPECT_NEAR(after.angle - before, sign * cases[c].substep_count * PI / 4, cases[c].substep_count * 1e-5,
                    "case %zu: turned in a tick", c);
        assert_int_equal(world_counts(world).clamped_velocities, 1);
        world_free(world);
    }
}

// ---- impulses and forces -------------------------------------------------------------------------

typedef struct pushed {
    iso_world *world;
    iso_body_id body;
    double mass, inertia, length;
} pushed;

/// A plank with its centre off the origin; sizes from 10 cm to 50 m.
static pushed pushed_make(rng *random) {
    const double half = 0.05 * pow(500, rng_range(random, 0, 1));
    iso_shape_def shape = shape_box(half, half * rng_range(random, 0.2, 1));
    shape.density = fix(half > 1 ? rng_range(random, 0.1, 5) : rng_range(random, 1, 2000));
    for (int i = 0; i < 4; ++i) {
        shape.points[i].x += fix(half);
    }
    pushed is = {.world = world_make_small(0)};
    is.body = body_add_shape(is.world, ISO_BODY_DYNAMIC, rng_range(random, -100, 100), rng_range(random, -100, 100),
                             rng_range(random, -3, 3), &shape);
    const double width = from_fix(shape.points[1].x - shape.points[0].x),
                 height = from_fix(shape.points[2].y - shape.points[1].y);
    is.mass = from_fix(shape.density) * width * height;
    is.inertia = is.mass * (width * width + height * height) / 12;
    is.length = ldexp(1, iso__plane_of(is.world)->body_derived[is.body.index].radius_exponent);
    body_set_velocity(is.world, is.body, rng_range(random, -20, 20), rng_range(random, -20, 20),
                      rng_range(random, -3, 3));
    return is;
}

/// A quantum of velocity, what the impulse's own format leaves out, and 1e-6 of the change for the mass's rounding.
static void pushed_check(const pushed *is, pose before, double px, double py, double moment, double substeps) {
    const pose after = body_pose(is->world, is->body);
    const double bound = substeps * (QUANTUM_VELOCITY + QUANTUM_WIDE / is->mass);
    EXPECT_NEAR(after.vx - before.vx, px / is->mass, bound + 1e-6 * fabs(px) / is->mass, "change of vx");
    EXPECT_NEAR(after.vy - before.vy, py / is->mass, bound + 1e-6 * fabs(py) / is->mass, "change of vy");
    EXPECT_NEAR(after.w - before.w, moment / is->inertia,
                substeps * (QUANTUM_VELOCITY / is->length + QUANTUM_WIDE / is->inertia) +
                    1e-6 * fabs(moment) / is->inertia,
                "change of w (L %g)", is->length);
}

static void test_impulses_change_velocities_by_p_over_m_and_r_cross_p_over_i(void **state) {
    (void)state;
    rng random = {7};
    for (int i = 0; i < 300; ++i) {
        const pushed is = pushed_make(&random);
        const pose before = body_pose(is.world, is.body);
        const double reach = is.length;
        const iso_vec2 point = {fix(before.x + rng_range(&random, -reach, reach)),
                                fix(before.y + rng_range(&random, -reach, reach))};
        const double size = is.mass * rng_range(&random, 0.001, 20);
        const double px = from_wide(wide(rng_range(&random, -size, size))),
                     py = from_wide(wide(rng_range(&random, -size, size)));
        if (i % 3 == 0) {
            const double moment = from_wide(wide(fmin(fmax(px * is.length, -1e6), 1e6)));
            EXPECT_STATUS(iso_body_apply_angular_impulse(is.world, is.body, wide(moment)), ISO_OK);
            pushed_check(&is, before, 0, 0, moment, 1);
        } else {
            EXPECT_STATUS(
                iso_body_apply_impulse(is.world, is.body, (iso_vec2_wide){wide(px), wide(py)}, iso_vec2_to_wide(point)),
                ISO_OK);
            const double rx = from_fix(point.x) - before.x, ry = from_fix(point.y) - before.y;
            pushed_check(&is, before, px, py, rx * py - ry * px, 1);
        }
        world_free(is.world);
    }
}

static void test_forces_add_up_act_for_one_tick_and_are_gone(void **state) {
    (void)state;
    rng random = {8};
    for (int i = 0; i < 200; ++i) {
        const pushed is = pushed_make(&random);
        const pose before = body_pose(is.world, is.body);
        const iso_vec2 point = {fix(before.x + rng_range(&random, -is.length, is.length)), fix(before.y)};
        const double size = is.mass * 30, rx = from_fix(point.x) - before.x, ry = from_fix(point.y) - before.y;
        const iso_vec2_wide f = {wide(rng_range(&random, -size, size)), wide(rng_range(&random, -size, size))};
        const iso_vec2_wide to_centre = {wide(rng_range(&random, -size, size)), wide(rng_range(&random, -size, size))};
        const iso_wide torque = wide(fmin(size * is.length * 0.1, 1e6) * rng_range(&random, -1, 1));
        EXPECT_STATUS(iso_body_apply_force(is.world, is.body, f, iso_vec2_to_wide(point)), ISO_OK);
        EXPECT_STATUS(iso_body_apply_force_to_centre(is.world, is.body, to_centre), ISO_OK);
        EXPECT_STATUS(iso_body_apply_torque(is.world, is.body, torque), ISO_OK);
        const double dt = world_tick(is.world);
        world_steps(is.world, 1);
        pushed_check(&is, before, (from_wide(f.x) + from_wide(to_centre.x)) * dt,
                     (from_wide(f.y) + from_wide(to_centre.y)) * dt,
                     (rx * from_wide(f.y) - ry * from_wide(f.x) + from_wide(torque)) * dt, 4);
        const iso_body_view pushed_view = body_view(is.world, is.body);
        // Neither the next tick nor the next force brings the old one back.
        world_steps(is.world, 1);
        EXPECT_STATUS(iso_body_apply_force_to_centre(is.world, is.body, (iso_vec2_wide){0, 0}), ISO_OK);
        world_steps(is.world, 1);
        const iso_body_view later = body_view(is.world, is.body);
        assert_true(later.velocity.x == pushed_view.velocity.x && later.velocity.y == pushed_view.velocity.y &&
                    later.angular_velocity == pushed_view.angular_velocity);
        world_free(is.world);
    }
}

/// A world is left as it was, forces of the coming tick included.
static void expect_untouched(iso_world *world, const char *name, uint64_t root, iso_status status,
                             iso_status expected) {
    EXPECT(status == expected, "%s: %s instead of %s", name, iso_status_name(status), iso_status_name(expected));
    iso_world_drop_caches(world);
    EXPECT(iso_world_root(world) == root, "%s changed the root", name);
    for (uint32_t word = 0; word < (world->def.body_capacity + 63) / 64; ++word) {
        EXPECT(world->forced[word] == 0, "%s left a force", name);
    }
}

static void test_pushes_out_of_range_and_on_other_types_are_refused(void **state) {
    (void)state;
    iso_world *world = world_make_small(0);
    const iso_shape_def ball = shape_circle(0.5);
    const iso_body_id dynamic = body_add_shape(world, ISO_BODY_DYNAMIC, 0, 0, 0, &ball);
    const iso_body_id kinematic = body_add_shape(world, ISO_BODY_KINEMATIC, 10, 0, 0, &ball);
    const iso_body_id still = body_add_shape(world, ISO_BODY_STATIC, 20, 0, 0, &ball);
    const iso_body_id gone = body_add_shape(world, ISO_BODY_DYNAMIC, 30, 0, 0, &ball);
    EXPECT_STATUS(iso_body_destroy(world, gone), ISO_OK);
    iso_world_drop_caches(world);
    const uint64_t root = iso_world_root(world);
    const iso_wide most = ISO_IMPULSE_MAX * ISO_WIDE_ONE;
    const struct {
        const char *name;
        iso_body_id body;
        iso_vec2_wide value;
        iso_status status;
    } cases[] = {
        {"static", still, {1, 1}, ISO_ERR_WRONG_TYPE},
        {"kinematic", kinematic, {1, 1}, ISO_ERR_WRONG_TYPE},
        {"stale", gone, {1, 1}, ISO_ERR_STALE},
        {"null", {0, 0}, {1, 1}, ISO_ERR_STALE},
        {"beyond", {999, 1}, {1, 1}, ISO_ERR_STALE},
        {"too much", dynamic, {most + 1, 0}, ISO_ERR_RANGE},
        {"too little", dynamic, {-most - 1, 0}, ISO_ERR_RANGE},
        {"least", dynamic, {INT64_MIN, INT64_MIN}, ISO_ERR_RANGE},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        const iso_vec2_wide v = cases[i].value, turned = {v.y, v.x};
        const iso_vec2 at = {0, 0};
        expect_untouched(world, cases[i].name, root,
                         iso_body_apply_impulse(world, cases[i].body, v, iso_vec2_to_wide(at)), cases[i].status);
        expect_untouched(world, cases[i].name, root,
                         iso_body_apply_impulse(world, cases[i].body, turned, iso_vec2_to_wide(at)), cases[i].status);
        expect_untouched(world, cases[i].name, root,
                         iso_body_apply_force(world, cases[i].body, v, iso_vec2_to_wide(at)), cases[i].status);
        expect_untouched(world, cases[i].name, root, iso_body_apply_force_to_centre(world, cases[i].body, v),
                         cases[i].status);
        expect_untouched(world, cases[i].name, root, iso_body_apply_torque(world, cases[i].body, v.x), cases[i].status);
        expect_untouched(world, cases[i].name, root, iso_body_apply_angular_impulse(world, cases[i].body, v.x),
                         cases[i].status);
    }
    world_free(world);
}

static void test_velocities_are_set_exactly_within_their_range(void **state) {
    (void)state;
    iso_world *world = world_make_small(0);
    const iso_shape_def ball = shape_circle(1.9); // L = 2 m
    const iso_body_id body = body_add_shape(world, ISO_BODY_DYNAMIC, 0, 0, 0, &ball);
    const iso_body_id driven = body_add_shape(world, ISO_BODY_KINEMATIC, 10, 0, 0, &ball);
    const iso_body_id still = body_add_shape(world, ISO_BODY_STATIC, 20, 0, 0, &ball);
    const iso_wide most = 512 * ISO_WIDE_ONE, most_turn = 188 * ISO_WIDE_ONE;
    EXPECT_STATUS(iso_body_set_velocity(world, body, (iso_vec2_wide){most, -most}, most_turn), ISO_OK);
    const iso_body_view view = body_view(world, body);
    assert_true(view.velocity.x == 512 * ISO_WIDE_ONE && view.velocity.y == -512 * ISO_WIDE_ONE);
    assert_true(view.angular_velocity == 188 * ISO_WIDE_ONE);
    EXPECT_STATUS(iso_body_set_velocity(world, driven, (iso_vec2_wide){-most, most}, -most_turn), ISO_OK);
    iso_world_drop_caches(world);
    const uint64_t root = iso_world_root(world);
    const struct {
        const char *name;
        iso_vec2_wide velocity;
        iso_wide turn;
    } cases[] = {{"vx", {most + 1, 0}, 0},
                 {"-vx", {-most - 1, 0}, 0},
                 {"vy", {0, most + 1}, 0},
                 {"-vy", {0, -most - 1}, 0},
                 {"w", {0, 0}, most_turn + ISO_WIDE_ONE},
                 {"-w", {0, 0}, -most_turn - ISO_WIDE_ONE},
                 {"least", {INT64_MIN, 0}, 0},
                 {"least w", {0, 0}, INT64_MIN}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        expect_untouched(world, cases[i].name, root,
                         iso_body_set_velocity(world, body, cases[i].velocity, cases[i].turn), ISO_ERR_RANGE);
        expect_untouched(world, cases[i].name, root,
                         iso_body_set_velocity(world, driven, cases[i].velocity, cases[i].turn), ISO_ERR_RANGE);
    }
    expect_untouched(world, "static", root, iso_body_set_velocity(world, still, (iso_vec2_wide){0, 0}, 0),
                     ISO_ERR_WRONG_TYPE);
    expect_untouched(world, "null", root, iso_body_set_velocity(world, (iso_body_id){0, 0}, (iso_vec2_wide){0, 0}, 0),
                     ISO_ERR_STALE);
    world_free(world);
}

static void test_impulses_beyond_the_speed_limit_are_clamped_and_counted(void **state) {
    (void)state;
    iso_world *world = world_make_small(0);
    const iso_shape_def ball = shape_circle(0.5);
    const iso_body_id body = body_add_shape(world, ISO_BODY_DYNAMIC, 0, 0, 0, &ball);
    const iso_wide most = ISO_IMPULSE_MAX * ISO_WIDE_ONE;
    EXPECT_STATUS(iso_body_apply_impulse(world, body, (iso_vec2_wide){most, -most}, (iso_vec2_wide){0, 0}), ISO_OK);
    pose is = body_pose(world, body);
    assert_true(is.vx == 512 && is.vy == -512);
    assert_int_equal(world_counts(world).clamped_velocities, 2);
    // And so is what a force adds, in each substep.
    EXPECT_STATUS(iso_body_apply_force_to_centre(world, body, (iso_vec2_wide){most, 0}), ISO_OK);
    world_steps(world, 1);
    is = body_pose(world, body);
    assert_true(is.vx == 512 && is.vy == -512);
    assert_int_equal(world_counts(world).clamped_velocities, 6);
    world_free(world);
}

// ---- the border ----------------------------------------------------------------------------------

static void test_bodies_stop_at_the_border_of_the_world(void **state) {
    (void)state;
    const iso_shape_def ball = shape_circle(0.5);
    const struct {
        double x, y, vx, vy, x_after, y_after, vx_after, vy_after;
        uint64_t counted;
    } cases[] = {
        {29995, 0, 400, 3, 30000, 0.05, 0, 0, 1},           {-29995, 0, -400, 3, -30000, 0.05, 0, 0, 1},
        {0, 29995, 3, 400, 0.05, 30000, 0, 0, 1},           {0, -29995, 3, -400, 0.05, -30000, 0, 0, 1},
        {29995, -29995, 400, -400, 30000, -30000, 0, 0, 2}, {30000, 0, -30, 0, 29999.5, 0, -30, 0, 0}, // back inside
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        iso_world *world = world_make_small(0);
        const iso_body_id body = body_add_shape(world, ISO_BODY_DYNAMIC, cases[i].x, cases[i].y, 0, &ball);
        body_set_velocity(world, body, cases[i].vx, cases[i].vy, 0);
        world_steps(world, 1);
        const pose is = body_pose(world, body);
        EXPECT_NEAR(is.x, cases[i].x_after, 1e-6, "case %zu: x", i);
        EXPECT_NEAR(is.y, cases[i].y_after, 1e-6, "case %zu: y", i);
        EXPECT_NEAR(is.vx, cases[i].vx_after, 0, "case %zu: vx", i);
        EXPECT_NEAR(is.vy, cases[i].vy_after, 0, "case %zu: vy", i);
        assert_int_equal(world_counts(world).clamped_velocities, cases[i].counted);
        // Who came to the border sleeps there, and is told once, also when it is pushed against it again.
        iso_events events;
        iso_world_get_events(world, &events);
        assert_int_equal(events.left_world_count, cases[i].counted > 0);
        assert_int_equal(iso_body_is_awake(world, body), cases[i].counted == 0);
        EXPECT(events.left_world_count == 0 || iso_body_id_equal(events.left_world[0], body), "case %zu: another body",
               i);
        if (cases[i].counted == 1) {
            body_set_velocity(world, body, cases[i].vx, cases[i].vy, 0);
            world_steps(world, 1);
            iso_world_get_events(world, &events);
            assert_int_equal(events.left_world_count, 0);
            assert_int_equal(events.sleep_count, 1);
        }
        world_steps(world, 60);
        const pose later = body_pose(world, body);
        EXPECT(fabs(later.x) <= 30000 && fabs(later.y) <= 30000, "case %zu left the world", i);
        world_free(world);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_free_fall_is_the_symplectic_sum_to_the_last_bit),
        cmocka_unit_test(test_free_fall_follows_g_t_squared_over_two),
        cmocka_unit_test(test_gravity_can_change_and_spares_what_is_not_dynamic),
        cmocka_unit_test(test_spin_counts_turns_without_wrapping),
        cmocka_unit_test(test_rotation_is_that_of_the_angle),
        cmocka_unit_test(test_spin_beyond_an_eighth_of_a_turn_per_substep_is_clamped_and_counted),
        cmocka_unit_test(test_impulses_change_velocities_by_p_over_m_and_r_cross_p_over_i),
        cmocka_unit_test(test_forces_add_up_act_for_one_tick_and_are_gone),
        cmocka_unit_test(test_pushes_out_of_range_and_on_other_types_are_refused),
        cmocka_unit_test(test_velocities_are_set_exactly_within_their_range),
        cmocka_unit_test(test_impulses_beyond_the_speed_limit_are_clamped_and_counted),
        cmocka_unit_test(test_bodies_stop_at_the_border_of_the_world),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
