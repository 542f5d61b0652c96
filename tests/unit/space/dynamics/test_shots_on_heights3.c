/// What is fast does not pass through ridges of fields of heights, bullet or not.
#include "unit/space/world/space_util.h"

#include "isostep/heights.h"
#include "space/world/scratch.h"
#include "space/world/space.h"

#define SIDE  33
#define SHOTS 40
#define TICKS 40

static int16_t samples[SIDE * SIDE]; // [1/64 m], cells of a metre

static double height_at(double x, double z) {
    const double u = fmin(fmax(x + (SIDE - 1) / 2.0, 0), SIDE - 1), v = fmin(fmax(z + (SIDE - 1) / 2.0, 0), SIDE - 1);
    const int c = (int)fmin(u, SIDE - 2), r = (int)fmin(v, SIDE - 2);
    const int16_t *s = &samples[r * SIDE + c];
    const double a = u - c, b = v - r;
    return (a >= b ? s[0] + (s[1] - s[0]) * a + (s[SIDE + 1] - s[1]) * b
                   : s[0] + (s[SIDE] - s[0]) * b + (s[SIDE + 1] - s[SIDE]) * a) /
           64.0;
}

/// A spike of a ridge across, 2 m wide below and 4 m high; or hills of that size everywhere.
static void samples_make(rng *random, bool is_ridge) {
    for (int i = 0; i < SIDE * SIDE; ++i) {
        samples[i] = (int16_t)(is_ridge ? (i % SIDE == SIDE / 2 ? 256 : 0) : rng_range(random, 0, 256));
    }
}

static iso_shape3_def shot_shape(rng *random) {
    const double size = rng_range(random, 0.02, 0.2);
    iso_shape3_def shape = iso_shape3_def_sphere(fix(size));
    const uint32_t kind = rng_below(random, 4);
    if (kind == 1) {
        shape = box3(size, size * rng_range(random, 0.3, 1), size * rng_range(random, 0.3, 1));
    } else if (kind == 2) {
        shape = iso_shape3_def_capsule(fix3(-size, 0, 0), fix3(size, 0, 0), fix(size / 2));
    } else if (kind == 3) {
        const iso_vec3 points[4] = {fix3(size, 0, -size), fix3(-size, 0, -size), fix3(0, 0, size), fix3(0, size, 0)};
        shape = iso_shape3_def_hull(points, 4);
    }
    shape.filter.group = -1; // they do not meet each other
    shape.restitution = fix(rng_below(random, 2) ? rng_range(random, 0, 1) : 0);
    return shape;
}

/// How far the way from one place to another goes below the surface, at most.
static double way_depth(vector from, vector to) {
    double depth = 0;
    for (int i = 0; i <= 200; ++i) {
        const vector at = sum(from, i / 200.0, sum(to, -1, from));
        const bool is_over = fmax(fabs(at.x[0]), fabs(at.x[2])) < SIDE / 2;
        depth = is_over ? fmax(depth, height_at(at.x[0], at.x[2]) - at.x[1]) : depth;
    }
    return depth;
}

/// @return how many of the shots have gone below the surface by more than 10 cm
static uint32_t volley_run(uint64_t seed, bool is_ridge, bool is_bullet) {
    rng random = {seed};
    iso_world_def def = space_def();
    def.gravity = (iso_vec2){0, fix(-10)};
    iso_world *world = world_make(&def);
    uint32_t index, passed = 0;
    samples_make(&random, is_ridge);
    const iso_heights_def heights = {samples, SIDE, SIDE, fix(1), ISO_FIX16_ONE / 64};
    EXPECT_STATUS(iso_world_add_heights(world, &heights, &index), ISO_OK);
    const iso_shape3_def ground = iso_shape3_def_heights(index);
    shape3_add(world, body3_add(world, ISO_BODY_STATIC, wide3(0, 0, 0), iso_quat_identity()), &ground);
    iso_body_id shots[SHOTS];
    vector at[SHOTS];
    bool has_passed[SHOTS] = {false};
    int stays[SHOTS] = {0}; // ticks in which it was where it was before though it has a velocity
    for (int i = 0; i < SHOTS; ++i) {
        const iso_shape3_def shape = shot_shape(&random);
        const vector from = {{-12, is_ridge ? rng_range(&random, 0.5, 3.5) : 4.5, rng_range(&random, -10, 10)}};
        shots[i] = body3_add(world, ISO_BODY_DYNAMIC, wide3(from.x[0], from.x[1], from.x[2]), rng_quat(&random));
        shape3_add(world, shots[i], &shape);
        iso_body3_params params = iso_body3_params_default();
        params.bullet = is_bullet;
        EXPECT_STATUS(iso_body3_set_params(world, shots[i], &params), ISO_OK);
        const vector velocity = {
            {rng_range(&random, 60, 380), rng_range(&random, is_ridge ? -5 : -60, 5), rng_range(&random, -30, 30)}};
        body3_set_velocity(world, shots[i], velocity, rng_vector(&random, 20));
        at[i] = vector_of(view3(world, shots[i]).centre);
    }
    for (int t = 0; t < TICKS; ++t) {
        world_steps(world, 1);
        for (int i = 0; i < SHOTS; ++i) {
            const iso_body3_view view = view3(world, shots[i]);
            const vector to = vector_of(view.centre);
            const bool has_stayed = length(sum(to, -1, at[i])) < 1e-5 && length(vector_of(view.velocity)) > 0.5;
            stays[i] = has_stayed ? stays[i] + 1 : 0;
            EXPECT(stays[i] <= 2, "volley %d, shot %d, tick %d: its velocity moves it nowhere", (int)seed, i, t);
            has_passed[i] = has_passed[i] || way_depth(at[i], to) > 0.1;
            at[i] = to;
        }
    }
    for (int i = 0; i < SHOTS; ++i) {
        passed += has_passed[i];
    }
    world_free(world);
    return passed;
}

static void test_no_shot_passes_a_ridge(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 12; ++seed) {
        const uint32_t passed = volley_run(seed, seed % 2 == 0, seed % 4 < 2);
        EXPECT(passed == 0, "volley %d: %u of %d shots", (int)seed, passed, SHOTS);
    }
}

/// Plates that fall fast come near thousands of triangles at once: the sweeps of a tick end in time.
static void test_large_shapes_are_swept_within_bounds(void **state) {
    (void)state;
    rng random = {23};
    iso_world *world = space_make();
    uint32_t index;
    samples_make(&random, false);
    const iso_heights_def heights = {samples, SIDE, SIDE, fix(0.25), ISO_FIX16_ONE / 1024};
    EXPECT_STATUS(iso_world_add_heights(world, &heights, &index), ISO_OK);
    const iso_shape3_def ground = iso_shape3_def_heights(index);
    shape3_add(world, body3_add(world, ISO_BODY_STATIC, wide3(0, 0, 0), iso_quat_identity()), &ground);
    iso_shape3_def plate = box3(4, 0.4, 4), ball = iso_shape3_def_sphere(fix(0.2));
    plate.filter.group = ball.filter.group = -1;
    const iso__space_scratch *scratch = iso__space_of(world)->scratch;
    const iso_body_id shot = body3_add(world, ISO_BODY_DYNAMIC, wide3(0, 1.5, 0), iso_quat_identity());
    shape3_add(world, shot, &ball);
    body3_set_velocity(world, shot, (vector){{0, -100, 0}}, (vector){{0, 0, 0}});
    world_steps(world, 1);
    EXPECT(scratch->heights_work > 0 && scratch->heights_work < 1024, "a ball: %u", scratch->heights_work);
    for (int i = 0; i < 16; ++i) {
        const iso_body_id body = body3_add(world, ISO_BODY_DYNAMIC, wide3(i - 8, 0.6, 0), rng_quat(&random));
        shape3_add(world, body, &plate);
        body3_set_velocity(world, body, (vector){{0, -100, 0}}, (vector){{0, 0, 0}});
    }
    world_steps(world, 1);
    const uint32_t most = 8192 + 32; // the last cell may finish
    EXPECT(scratch->heights_work > 4096 && scratch->heights_work < most, "plates: %u", scratch->heights_work);
    world_free(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_shot_passes_a_ridge),
        cmocka_unit_test(test_large_shapes_are_swept_within_bounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
