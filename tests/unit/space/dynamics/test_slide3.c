/// Sliding friction opposes the velocity, whatever the shape of what slides, its size, mass and place, and how it is
/// turned. Without turning, way and direction are those of a point: s = v^2 / (2 mu g), straight on.
#include "unit/space/world/space_util.h"

#define GRAVITY 10.0
#define ASIDE   0.0035 // rad: 0.2 degrees

typedef struct slide {
    double half[3];
    double yaw, speed, friction, slope, density;
    iso_quat turn; // of all
    iso_vec3_wide at;
    int ground;    // 0: a plane, 1: a box
    double across; // of the speed, on a slope: to the side
    uint32_t ticks;
} slide;

/// The way in the frame of the ground: along, up, aside.
static vector slide_run(const slide *is) {
    iso_world_def def = space_def();
    const double down = GRAVITY * cos(is->slope), along = GRAVITY * sin(is->slope);
    const vector pull = vector_of(iso_quat_rotate(is->turn, wide3(along, -down, 0)));
    def.gravity = (iso_vec2){fix(pull.x[0]), fix(pull.x[1])};
    def.gravity_z = fix(pull.x[2]);
    iso_world *world = world_make(&def);
    const iso_vec3_wide below = iso_quat_rotate(is->turn, wide3(0, is->ground == 1 ? -1 : 0, 0));
    const iso_body_id ground = body3_add(world, ISO_BODY_STATIC, iso_vec3_wide_add(is->at, below), is->turn);
    iso_shape3_def floor = is->ground == 1 ? box3(40, 1, 40) : iso_shape3_def_plane(fix3(0, 1, 0), 0);
    floor.friction = fix(is->friction);
    shape3_add(world, ground, &floor);
    iso_shape3_def shape = box3(is->half[0], is->half[1], is->half[2]);
    shape.friction = fix(is->friction);
    shape.density = fix(is->density);
    const iso_quat yaw = iso_quat_from_axis_angle(fix3(0, 1, 0), wide(is->yaw));
    const iso_vec3_wide over = iso_quat_rotate(is->turn, wide3(0, is->half[1], 0));
    const iso_body_id body = body3_add(world, ISO_BODY_DYNAMIC, iso_vec3_wide_add(is->at, over),
                                       iso_quat_normalize(iso_quat_mul(is->turn, yaw)));
    shape3_add(world, body, &shape);
    world_steps(world, 20); // it rests, or begins to slide down
    const iso_vec3_wide way = iso_quat_rotate(is->turn, wide3(is->speed, 0, is->across));
    body3_set_velocity(world, body, vector_of(way), (vector){{0, 0, 0}});
    const iso_vec3_wide from = view3(world, body).centre;
    world_steps(world, is->ticks);
    const vector moved =
        vector_of(iso_quat_rotate_inverse(is->turn, iso_vec3_wide_sub(view3(world, body).centre, from)));
    world_free(world);
    return moved;
}

static slide slide_random(rng *random, int i) {
    const double scale = pow(10, rng_range(random, -1, 1)), away = pow(10, rng_range(random, -1, 4.3));
    slide is = {.half = {0.125 * scale, 0.05 * scale, scale},
                .yaw = i * 6.283185307179586 / 24,
                .friction = rng_range(random, 0.1, 0.6),
                .density = pow(10, rng_range(random, 2.5, 3.5)),
                .turn = i % 3 == 0 ? iso_quat_identity() : rng_quat(random),
                .ground = i % 2};
    is.at = i % 3 == 0 ? wide3(0, 0, 0) : wide3(away, away / 3, -away / 2);
    is.speed = sqrt(2 * is.friction * GRAVITY) * sqrt(fmin(3.6, 4 * scale));
    is.ticks = (uint32_t)(60 * is.speed / (is.friction * GRAVITY)) + 30;
    return is;
}

static void test_oblong_bodies_slide_straight_on(void **state) {
    (void)state;
    rng random = {11};
    double most = 0;
    for (int i = 0; i < 48; ++i) {
        const slide is = slide_random(&random, i);
        const vector way = slide_run(&is);
        const double angle = atan2(fabs(way.x[2]), way.x[0]);
        const double expected = is.speed * is.speed / (2 * is.friction * GRAVITY);
        most = fmax(most, angle);
        EXPECT(angle < ASIDE, "%d: yaw %.2f: %g m aside after %g m", i, is.yaw, way.x[2], way.x[0]);
        // The corners in front bear more, and what is high tips a little.
        EXPECT(fabs(way.x[0] - expected) < 0.03 * expected + 0.002, "%d: %g m of %g m", i, way.x[0], expected);
    }
    print_message("at most %.3f degrees aside\n", most * 57.29577951308232);
}

/// Across a slope: friction opposes the velocity, so that its angle obeys that of a point.
static void test_oblong_bodies_slide_across_slopes_as_points(void **state) {
    (void)state;
    rng random = {12};
    for (int i = 0; i < 24; ++i) {
        slide is = slide_random(&random, i);
        is.slope = rng_range(&random, 0.05, 0.3);
        is.friction = rng_range(&random, 0.4, 0.6);
        is.across = 3;
        is.speed = 0;
        is.ticks = 120;
        const vector way = slide_run(&is);
        // dv/dt = g sin a - mu g cos a v/|v|, by small steps.
        double v[2] = {0, 3}, x[2] = {0, 0};
        const double h = 1e-5, push = GRAVITY * sin(is.slope), rub = is.friction * GRAVITY * cos(is.slope);
        for (double t = 0; t < 2; t += h) {
            const double speed = hypot(v[0], v[1]);
            if (speed < 2 * rub * h) {
                break;
            }
            v[0] += h * (push - rub * v[0] / speed);
            v[1] -= h * rub * v[1] / speed;
            x[0] += h * v[0];
            x[1] += h * v[1];
        }
        const double off = hypot(way.x[0] - x[0], way.x[2] - x[1]), length = hypot(x[0], x[1]);
        EXPECT(off < 0.03 * length + 0.002, "%d: yaw %.2f, slope %.2f: (%g, %g) for (%g, %g)", i, is.yaw, is.slope,
               way.x[0], way.x[2], x[0], x[1]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_oblong_bodies_slide_straight_on),
        cmocka_unit_test(test_oblong_bodies_slide_across_slopes_as_points),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
