/// Contacts in space beside closed forms: what slides, spins, rolls and bounces on a plane.
///
/// With n substeps of h, a friction that slows by a stops a speed v after v^2 / 2a - v h / 2 (and a h^2, as the first
/// substep has no impulse yet): places follow the velocities after each substep's change. What is driven by a is at
/// a t (t + h) / 2 for the same reason.
#include "unit/space/world/space_util.h"

#define GRAVITY 10.0
#define H       (1.0 / 240)

/// A world with gravity along -y and a plane through the origin. @param up  its normal
static iso_world *world_on_plane(vector up, double friction, double restitution) {
    iso_world_def def = space_def();
    def.gravity = (iso_vec2){0, fix(-GRAVITY)};
    iso_world *world = world_make(&def);
    const iso_body_id floor = body3_add(world, ISO_BODY_STATIC, wide3(0, 0, 0), iso_quat_identity());
    iso_shape3_def plane = iso_shape3_def_plane(fix3(up.x[0], up.x[1], up.x[2]), 0);
    plane.friction = fix(friction);
    plane.restitution = fix(restitution);
    shape3_add(world, floor, &plane);
    return world;
}

static iso_body_id body_on(iso_world *world, iso_shape3_def shape, double friction, vector at, iso_quat rotation) {
    shape.friction = fix(friction);
    const iso_body_id body = body3_add(world, ISO_BODY_DYNAMIC, wide3(at.x[0], at.x[1], at.x[2]), rotation);
    shape3_add(world, body, &shape);
    return body;
}

static vector centre_of(const iso_world *world, iso_body_id body) {
    return vector_of(view3(world, body).centre);
}

static vector velocity_of(const iso_world *world, iso_body_id body) {
    return vector_of(view3(world, body).velocity);
}

static vector spin_of(const iso_world *world, iso_body_id body) {
    return vector_of(view3(world, body).angular_velocity);
}

// ---- friction ------------------------------------------------------------------------------------

static void test_a_box_slides_as_far_as_friction_lets_it(void **state) {
    (void)state;
    const double v = 6, mu = 0.4, a = mu * GRAVITY, ways[3] = {0, 0.5, 2.2}; // of the slide in the plane
    for (int i = 0; i < 3; ++i) {
        iso_world *world = world_on_plane((vector){{0, 1, 0}}, mu, 0);
        const iso_body_id box = body_on(world, box3(0.5, 0.25, 0.5), mu, (vector){{0, 0.25, 0}}, iso_quat_identity());
        body3_set_velocity(world, box, (vector){{v * cos(ways[i]), 0, v * sin(ways[i])}}, (vector){{0, 0, 0}});
        world_steps(world, 120);
        const vector at = centre_of(world, box);
        const double way = hypot(at.x[0], at.x[2]), expected = v * v / (2 * a) - v * H / 2;
        print_message("slide at %.1f rad: %.2g m off, %.2g m aside\n", ways[i], way - expected,
                      at.x[2] * cos(ways[i]) - at.x[0] * sin(ways[i]));
        EXPECT_NEAR(way, expected, 4e-4, "way");
        EXPECT_NEAR(at.x[2] * cos(ways[i]) - at.x[0] * sin(ways[i]), 0, 4e-4, "to the side");
        EXPECT(length(velocity_of(world, box)) < 1e-4, "it still slides");
        world_free(world);
    }
}

/// Turns about the vertical until it stands. @return by how much
static double spin_down(iso_world *world, iso_body_id body, double spin, int ticks) {
    double turned = 0, before = 0;
    body3_set_velocity(world, body, (vector){{0, 0, 0}}, (vector){{0, spin, 0}});
    for (int t = 0; t < ticks; ++t) {
        world_steps(world, 1);
        const matrix R = matrix_of(view3(world, body).rotation);
        const double angle = atan2(R.m[0][2], R.m[0][0]);
        turned += remainder(angle - before, 2 * PI);
        before = angle;
    }
    return turned;
}

/// Four corners at a distance rho: M = mu m g rho, I = m rho^2 / 3.
static void test_a_spin_is_stopped_by_four_corners(void **state) {
    (void)state;
    const double spin = 10, mu = 0.4, rho = hypot(0.5, 0.5), a = 3 * mu * GRAVITY / rho;
    iso_world *world = world_on_plane((vector){{0, 1, 0}}, mu, 0);
    const iso_body_id box = body_on(world, box3(0.5, 0.25, 0.5), mu, (vector){{0, 0.25, 0}}, iso_quat_identity());
    const double turned = spin_down(world, box, spin, 90);
    const double expected = spin * spin / (2 * a) - spin * H / 2;
    print_message("spin: %.2g rad off of %.4g, place %.2g m off\n", turned - expected, expected,
                  hypot(centre_of(world, box).x[0], centre_of(world, box).x[2]));
    EXPECT_NEAR(turned, expected, 4e-4, "angle");
    EXPECT(length(spin_of(world, box)) < 1e-4, "it still spins");
    EXPECT(hypot(centre_of(world, box).x[0], centre_of(world, box).x[2]) < 4e-4, "it wandered");
    world_free(world);
}

/// A capsule has two ends at a distance rho, a ball a point: nothing there stops its spin.
static void test_a_spin_is_stopped_by_two_ends_and_not_by_a_point(void **state) {
    (void)state;
    const double spin = 10, mu = 0.4, r = 0.25, rho = 0.5;
    iso_world *world = world_on_plane((vector){{0, 1, 0}}, mu, 0);
    const iso_shape3_def lying = iso_shape3_def_capsule(fix3(-rho, 0, 0), fix3(rho, 0, 0), fix(r)),
                         ball = iso_shape3_def_sphere(fix(r));
    const iso_body_id capsule = body_on(world, lying, mu, (vector){{0, r, 0}}, iso_quat_identity());
    const iso_body_id sphere = body_on(world, ball, mu, (vector){{0, r, 3}}, iso_quat_identity());
    const iso_body3_view view = view3(world, capsule);
    const double inertia = from_wide(view.moments[2]) / from_wide(view.mass), a = mu * GRAVITY * rho / inertia;
    body3_set_velocity(world, sphere, (vector){{0, 0, 0}}, (vector){{0, spin, 0}});
    const double turned = spin_down(world, capsule, spin, 90), expected = spin * spin / (2 * a) - spin * H / 2;
    print_message("spin of a capsule: %.2g rad off of %.4g\n", turned - expected, expected);
    EXPECT_NEAR(turned, expected, 4e-4, "angle");
    EXPECT_NEAR(spin_of(world, capsule).x[1], 0, 1e-4, "it still spins");
    EXPECT(length(spin_of(world, capsule)) < 0.01, "it rolls at %g rad/s", length(spin_of(world, capsule)));
    EXPECT_NEAR(spin_of(world, sphere).x[1], spin, 1e-5, "spin of the ball");
    world_free(world);
}

// ---- rolling -------------------------------------------------------------------------------------

/// Runs down a plane that falls along x, for 2 s. @param inertia  I / (m r^2) about z
static void roll_down(const char *name, iso_shape3_def shape, iso_quat rotation, double r, double inertia, double slope,
                      double mu, double way_bound) {
    // As the plane has it: to the nearest 2^-16.
    const double sine = from_fix(fix(sin(slope))), cosine = from_fix(fix(cos(slope))), size = hypot(sine, cosine);
    const vector up = {{sine / size, cosine / size, 0}}, down = {{cosine / size, -sine / size, 0}};
    iso_world *world = world_on_plane(up, mu, 0);
    const iso_body_id body = body_on(world, shape, mu, (vector){{r * up.x[0], r * up.x[1], 0}}, rotation);
    const double t = 2, g = GRAVITY * up.x[0], held = g * inertia / (1 + inertia), most = mu * GRAVITY * up.x[1];
    const double friction = fmin(held, most), a = g - friction, w = friction / (inertia * r) * t;
    world_steps(world, 120);
    const double way = dot(centre_of(world, body), down), expected = a * t * (t + H) / 2;
    const vector spin = spin_of(world, body);
    print_message("%s: way %.2g m off of %.4g, speed %.2g m/s off, spin %.2g rad/s off, aside %.2g\n", name,
                  way - expected, expected, dot(velocity_of(world, body), down) - a * t, -spin.x[2] - w,
                  hypot(spin.x[0], spin.x[1]));
    EXPECT_NEAR(way, expected, way_bound, "%s: way", name);
    EXPECT_NEAR(dot(velocity_of(world, body), down), a * t, way_bound, "%s: speed", name);
    EXPECT_NEAR(-spin.x[2], w, way_bound / r, "%s: spin", name);
    // Both ends of a capsule bear alike, however fast it rolls.
    EXPECT(hypot(spin.x[0], spin.x[1]) < 3e-4, "%s: it turns aside", name);
    world_free(world);
}

static void test_what_is_round_rolls_down_a_slope(void **state) {
    (void)state;
    const double r = 0.25, l = 1; // [m] the capsule's radius, and the length of its cylinder
    const iso_quat lying = iso_quat_from_axis_angle(fix3(0, 1, 0), wide(PI / 2));
    const iso_shape3_def ball = iso_shape3_def_sphere(fix(r));
    const iso_shape3_def capsule = iso_shape3_def_capsule(fix3(-l / 2, 0, 0), fix3(l / 2, 0, 0), fix(r));
    const double round = 4 * r / 3; // the length of a cylinder as heavy as both ends
    const double of_capsule = (0.5 * l + 0.4 * round) / (l + round);
    roll_down("ball", ball, iso_quat_identity(), r, 0.4, 0.3, 0.6, 1e-3);
    roll_down("capsule", capsule, lying, r, of_capsule, 0.3, 0.6, 1e-3);
    // Beyond tan(slope) = mu (1 + m r^2 / I) the grip is lost.
    roll_down("ball that slips", ball, iso_quat_identity(), r, 0.4, 0.8, 0.2, 1e-3);
    roll_down("capsule that slips", capsule, lying, r, of_capsule, 0.8, 0.2, 1e-3);
}

// ---- bounces -------------------------------------------------------------------------------------

/// The height that a ball reaches after its first bounce from `height`, of the lowest point.
static double bounce(double height, double e, double *second) {
    const double r = 0.25;
    iso_world *world = world_on_plane((vector){{0, 1, 0}}, 0.5, e);
    const iso_shape3_def shape = iso_shape3_def_sphere(fix(r));
    const iso_body_id ball = body_on(world, shape, 0.5, (vector){{0, r + height, 0}}, iso_quat_identity());
    double tops[2] = {0, 0}, before = -1;
    int bounces = 0;
    for (int t = 0; t < 900 && bounces < 3; ++t) {
        world_steps(world, 1);
        const double v = velocity_of(world, ball).x[1];
        bounces += before < 0 && v > 0;
        if (bounces == 1 || bounces == 2) {
            tops[bounces - 1] = fmax(tops[bounces - 1], centre_of(world, ball).x[1] - r);
        }
        before = v;
    }
    world_free(world);
    *second = tops[1];
    return tops[0];
}

/// A bounce turns the velocity of the tick's begin, which is up to g T slower than that of the impact: a ball loses up
/// to e^2 of the height that this is. It gains none but for where the tick has taken it.
static void test_a_ball_bounces_to_the_height_of_its_restitution(void **state) {
    (void)state;
    const double es[3] = {0.5, 0.8, 1}, heights[3] = {1, 5, 20};
    for (int i = 0; i < 9; ++i) {
        const double e2 = es[i / 3] * es[i / 3], height = heights[i % 3];
        const double least = pow(1 - GRAVITY / 60 / sqrt(2 * GRAVITY * height), 2);
        double second;
        const double first = bounce(height, es[i / 3], &second);
        print_message("e %.1f from %2g m: %.4f of e^2 h (at least %.4f), then %.4f\n", es[i / 3], height,
                      first / (e2 * height), least, second / (e2 * first));
        EXPECT(first < e2 * height + 2e-3, "e %g from %g m: it rose to %g m", es[i / 3], height, first);
        EXPECT(first > e2 * height * least - 2e-3, "e %g from %g m: it rose to %g m", es[i / 3], height, first);
        EXPECT(second < e2 * first + 2e-3, "e %g from %g m: it rose to %g m again", es[i / 3], height, second);
    }
}

/// What falls flat comes back flat, as high as a ball. Gauss-Seidel over its corners leaves a little spin; a single
/// pass leaves up to 3.3 rad/s and half of the speed.
static void test_what_falls_flat_bounces_flat(void **state) {
    (void)state;
    double most = 0, mean = 0;
    for (int i = 0; i < 40; ++i) {
        const double height = 1 + i / 20.0, half = i % 2 ? 0.25 : 0.5;
        iso_world *world = world_on_plane((vector){{0, 1, 0}}, 0.5, 0.5);
        iso_shape3_def box = box3(0.5, half, 0.5);
        box.restitution = fix(0.5);
        const iso_body_id body = body_on(world, box, 0.5, (vector){{0, height + half, 0}}, iso_quat_identity());
        double before = 0, now = 0;
        while (now <= 0) {
            before = fmin(now, before);
            world_steps(world, 1);
            now = velocity_of(world, body).x[1];
        }
        const double spin = length(spin_of(world, body)), least = 0.5 * (sqrt(2 * GRAVITY * height) - GRAVITY / 30);
        EXPECT(now > least && now < 0.5 * (sqrt(2 * GRAVITY * height) + GRAVITY / 60), "from %g m: %g m/s", height,
               now);
        most = fmax(most, spin);
        mean += spin / 40;
        world_free(world);
    }
    print_message("flat falls: spin %.3f rad/s at most, %.3f in the mean\n", most, mean);
    EXPECT(most < 0.3 && mean < 0.02, "spin %g rad/s at most, %g in the mean", most, mean);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_box_slides_as_far_as_friction_lets_it),
        cmocka_unit_test(test_a_spin_is_stopped_by_four_corners),
        cmocka_unit_test(test_a_spin_is_stopped_by_two_ends_and_not_by_a_point),
        cmocka_unit_test(test_what_is_round_rolls_down_a_slope),
        cmocka_unit_test(test_a_ball_bounces_to_the_height_of_its_restitution),
        cmocka_unit_test(test_what_falls_flat_bounces_flat),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
