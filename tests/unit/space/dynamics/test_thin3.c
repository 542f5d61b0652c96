/// Thin and small solids that fall flat on planes, on flat fields of heights and on boxes: no corner ends up inside the
/// ground, and all fall asleep.
///
/// Each of the worlds has another size, density, place and turn, from a seed: bodies of a tenth to ten times of what
/// their kind is, as far as 20 km from the origin, on ground that is turned with gravity.
#include "unit/space/world/space_util.h"

#include "isostep/heights.h"

#define SIDE     33
#define BODIES   24
#define SEEDS    6
#define DEEPEST  1e-3 // [m]
#define SECONDS  15
#define CORNERS  24
#define ROUND_OF 12 // corners of a coin

/// A solid by its corners, about its middle.
typedef struct solid {
    vector corners[CORNERS];
    uint32_t count;
    iso_shape3_def shape;
} solid;

static void solid_make_box(solid *is, double x, double y, double z) {
    is->count = 8;
    is->shape = box3(x, y, z);
    const iso_vec3 half = fix3(x, y, z);
    for (int i = 0; i < 8; ++i) {
        const double side[3] = {i & 1 ? 1 : -1, i & 2 ? 1 : -1, i & 4 ? 1 : -1};
        is->corners[i] = (vector){{side[0] * from_fix(half.x), side[1] * from_fix(half.y), side[2] * from_fix(half.z)}};
    }
}

/// A prism of a regular polygon that lies flat.
static void solid_make_prism(solid *is, uint32_t sides, double radius, double half) {
    iso_vec3 points[CORNERS];
    is->count = 2 * sides;
    for (uint32_t i = 0; i < is->count; ++i) {
        const double angle = 6.283185307179586 * (i / 2) / sides;
        points[i] = fix3(radius * cos(angle), i % 2 == 0 ? half : -half, radius * sin(angle));
        is->corners[i] = (vector){{from_fix(points[i].x), from_fix(points[i].y), from_fix(points[i].z)}};
    }
    is->shape = iso_shape3_def_hull(points, is->count);
}

/// How high the lowest corner of a turned solid is over its middle. [m]
static double solid_lowest(const solid *is, iso_quat rotation) {
    const matrix R = matrix_of(rotation);
    double lowest = INFINITY;
    for (uint32_t c = 0; c < is->count; ++c) {
        lowest = fmin(lowest, turned(&R, is->corners[c]).x[1]);
    }
    return lowest;
}

typedef struct kind {
    const char *name;
    double half[3]; // [m] a prism: radius, half of its height
    uint32_t sides; // of a prism; 0: a box
    double least;   // the smallest scale
    double apart;   // from body to body, in their largest radius: with little some lean against others
} kind;

static const kind KINDS[] = {
    {"books", {0.1, 0.01, 0.15}, 0, 0.1, 2.2},      {"dice", {0.008, 0.008, 0.008}, 0, 0.5, 2.2},
    {"planks", {0.5, 0.01, 0.08}, 0, 0.1, 2.2},     {"sticks", {0.004, 0.004, 0.2}, 0, 0.5, 2.2},
    {"cards", {0.03, 0.00025, 0.045}, 0, 1, 2.2},   {"pennies", {0.01, 0.0005, 0}, ROUND_OF, 1, 4},
    {"coins", {0.05, 0.01, 0}, ROUND_OF, 0.7, 2.2}, {"wedges", {0.08, 0.012, 0}, 3, 0.7, 2.2},
};

#define KIND_COUNT (sizeof KINDS / sizeof *KINDS)

typedef enum ground { PLANE, HEIGHTS, BOX, GROUNDS } ground;

static const char *const GROUND_NAMES[] = {"a plane", "heights", "a box"};

static void ground_add(iso_world *world, ground which, iso_vec3_wide at, iso_quat turn) {
    static const int16_t flat[SIDE * SIDE];
    const iso_body_id body = body3_add(world, ISO_BODY_STATIC, at, turn);
    iso_shape3_def shape = iso_shape3_def_plane(fix3(0, 1, 0), 0);
    if (which == HEIGHTS) {
        const iso_heights_def def = {flat, SIDE, SIDE, fix(4), fix(0.01)};
        uint32_t index = 0;
        EXPECT_STATUS(iso_world_add_heights(world, &def, &index), ISO_OK);
        shape = iso_shape3_def_heights(index);
    } else if (which == BOX) {
        const iso_vec3_wide below = iso_quat_rotate(turn, wide3(0, -1, 0));
        EXPECT_STATUS(iso_body3_set_position(world, body, iso_vec3_wide_add(at, below), turn), ISO_OK);
        shape = box3(42, 1, 42);
    }
    shape3_add(world, body, &shape);
}

/// A world of one kind on one ground.
typedef struct scene {
    iso_world *world;
    iso_vec3_wide at; // the middle of the ground
    iso_quat turn;    // of the ground
    solid solid;
    iso_body_id bodies[BODIES];
} scene;

static void scene_make(const kind *of, ground which, uint64_t seed, scene *is) {
    rng random = {seed * 977 + (uint64_t)which};
    const double scale = of->least * pow(10 / of->least, (double)seed / (SEEDS - 1));
    const double away = pow(10, rng_range(&random, -1, 4.3));
    iso_world_def def = space_def();
    is->turn = rng_quat(&random);
    const vector down = vector_of(iso_quat_rotate(is->turn, wide3(0, -10, 0)));
    def.gravity = (iso_vec2){fix(down.x[0]), fix(down.x[1])};
    def.gravity_z = fix(down.x[2]);
    def.sleep_speed = fix(0.05);
    is->world = world_make(&def);
    is->at = wide3(away, -away / 3, away / 2);
    if (of->sides > 0) {
        solid_make_prism(&is->solid, of->sides, scale * of->half[0], scale * of->half[1]);
    } else {
        solid_make_box(&is->solid, scale * of->half[0], scale * of->half[1], scale * of->half[2]);
    }
    is->solid.shape.density = fix(pow(10, rng_range(&random, 2, 4)));
    ground_add(is->world, which, is->at, is->turn);
    double size = 0;
    for (uint32_t c = 0; c < is->solid.count; ++c) {
        size = fmax(size, length(is->solid.corners[c]));
    }
    for (int i = 0; i < BODIES; ++i) {
        const double apart = of->apart * size, above = 0.02 * (i % 4);
        const iso_quat yaw = iso_quat_from_axis_angle(fix3(0, 1, 0), wide(rng_range(&random, -3, 3)));
        const iso_quat tilt = iso_quat_from_axis_angle(fix3(1, 0, 0), wide(i % 3 == 0 ? 0 : rng_range(&random, -1, 1)));
        const iso_quat local = iso_quat_normalize(iso_quat_mul(yaw, tilt));
        const iso_vec3_wide over =
            wide3(apart * (i % 5 - 2), above - solid_lowest(&is->solid, local), apart * (i / 5 - 2));
        is->bodies[i] =
            body3_add(is->world, ISO_BODY_DYNAMIC, iso_vec3_wide_add(is->at, iso_quat_rotate(is->turn, over)),
                      iso_quat_normalize(iso_quat_mul(is->turn, local)));
        shape3_add(is->world, is->bodies[i], &is->solid.shape);
    }
}

/// How high a body's lowest corner is over the ground. [m]
static double body_lowest(const scene *is, iso_body_id body) {
    const iso_body3_view view = view3(is->world, body);
    const vector from = vector_of(iso_quat_rotate_inverse(is->turn, iso_vec3_wide_sub(view.position, is->at)));
    const matrix level = matrix_of(is->turn), rotation = matrix_of(view.rotation);
    double lowest = INFINITY;
    for (uint32_t i = 0; i < is->solid.count; ++i) {
        lowest = fmin(lowest, from.x[1] + turned_back(&level, turned(&rotation, is->solid.corners[i])).x[1]);
    }
    return lowest;
}

/// @return whether none is deep or awake
static bool kind_check(const kind *of, ground which) {
    double deepest = INFINITY;
    uint32_t awake = 0, deep = 0;
    for (uint64_t seed = 0; seed < SEEDS; ++seed) {
        scene is;
        scene_make(of, which, seed, &is);
        world_steps(is.world, SECONDS * 60);
        for (int i = 0; i < BODIES; ++i) {
            const double lowest = body_lowest(&is, is.bodies[i]);
            deepest = fmin(deepest, lowest);
            deep += lowest < -DEEPEST;
            awake += iso_body_is_awake(is.world, is.bodies[i]);
        }
        world_free(is.world);
    }
    const bool is_right = deep == 0 && awake == 0;
    if (!is_right) {
        print_message("%s on %s: %u of %u deeper than 1 mm, the deepest at %.2f mm; %u awake\n", of->name,
                      GROUND_NAMES[which], deep, SEEDS * BODIES, 1000 * deepest, awake);
    }
    return is_right;
}

static void test_thin_solids_lie_on_planes(void **state) {
    (void)state;
    uint32_t right = 0;
    for (uint32_t i = 0; i < KIND_COUNT; ++i) {
        right += kind_check(&KINDS[i], PLANE);
    }
    assert_int_equal(right, KIND_COUNT);
}

static void test_thin_solids_lie_on_heights(void **state) {
    (void)state;
    uint32_t right = 0;
    for (uint32_t i = 0; i < KIND_COUNT; ++i) {
        right += kind_check(&KINDS[i], HEIGHTS);
    }
    assert_int_equal(right, KIND_COUNT);
}

static void test_thin_solids_lie_on_boxes(void **state) {
    (void)state;
    uint32_t right = 0;
    for (uint32_t i = 0; i < KIND_COUNT; ++i) {
        right += kind_check(&KINDS[i], BOX);
    }
    assert_int_equal(right, KIND_COUNT);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_thin_solids_lie_on_planes),
        cmocka_unit_test(test_thin_solids_lie_on_heights),
        cmocka_unit_test(test_thin_solids_lie_on_boxes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
