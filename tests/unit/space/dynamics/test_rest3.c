/// Stacks in space at rest: the energy that is left, for a minute, and who falls asleep.
///
/// What trembles never rests, and rounding feeds each choice that flickers: which axis, which corners, which old point.
/// So the energy of a stack that has settled is bounded, far below what one flicker leaves: 1e-9 J/kg are 0.05 mm/s.
/// `--seconds 60` is the minute; a usual run is shorter.
#include "unit/space/world/space_util.h"

#define BODIES_MAX 256

typedef struct stack {
    iso_world *world;
    iso_body_id bodies[BODIES_MAX];
    uint32_t count;
} stack;

static stack stack_make(fix16_t sleep_speed) {
    iso_world_def def = space_def();
    def.body_capacity = BODIES_MAX + 1;
    def.shape_capacity = 2 * BODIES_MAX;
    def.contact_capacity = 2048;
    def.gravity = (iso_vec2){0, fix(-10)};
    def.sleep_speed = sleep_speed;
    stack is = {.world = world_make(&def)};
    const iso_body_id floor = body3_add(is.world, ISO_BODY_STATIC, wide3(0, -1, 0), iso_quat_identity());
    const iso_shape3_def ground = box3(30, 1, 30);
    shape3_add(is.world, floor, &ground);
    return is;
}

static void stack_add(stack *is, iso_shape3_def shape, double x, double y, double z, double turn) {
    const iso_quat rotation = iso_quat_from_axis_angle(fix3(0, 1, 0), wide(turn));
    assert_true(is->count < BODIES_MAX);
    const iso_body_id body = body3_add(is->world, ISO_BODY_DYNAMIC, wide3(x, y, z), rotation);
    shape3_add(is->world, body, &shape);
    is->bodies[is->count++] = body;
}

/// The energy of all that moves. [J]
static double stack_energy(const stack *is) {
    double sum = 0;
    for (uint32_t i = 0; i < is->count; ++i) {
        sum += body3_energy(is->world, is->bodies[i]);
    }
    return sum;
}

// ---- stacks --------------------------------------------------------------------------------------

static void build_cubes(stack *is) {
    for (int i = 0; i < 10; ++i) {
        stack_add(is, box3(0.5, 0.5, 0.5), 0, i + 0.5, 0, 0);
    }
}

static void build_offset(stack *is) {
    for (int i = 0; i < 5; ++i) {
        stack_add(is, box3(0.5, 0.5, 0.5), 0.1 * (i % 2), i + 0.5, 0.07 * (i % 3), 0.1 * i);
    }
}

/// To the nearest 2^-16 m.
static void build_small(stack *is) {
    for (int i = 0; i < 5; ++i) {
        stack_add(is, box3(0.05, 0.05, 0.05), 0, (2 * i + 1) * from_fix(fix(0.05)), 0, 0);
    }
}

/// Nine layers of two planks, each across the one below.
static void build_planks(stack *is) {
    for (int i = 0; i < 18; ++i) {
        const int layer = i / 2;
        const double aside = i % 2 == 0 ? -0.8 : 0.8;
        const bool is_across = layer % 2 == 1;
        stack_add(is, is_across ? box3(0.2, 0.125, 1) : box3(1, 0.125, 0.2), is_across ? aside : 0,
                  0.25 * layer + 0.125, is_across ? 0 : aside, 0);
    }
}

/// Four, three, two and one log between two walls: each lies in the hollow of two.
static void build_logs(stack *is) {
    const double r = 0.125;
    for (int side = -1; side <= 1; side += 2) {
        const iso_body_id wall = body3_add(is->world, ISO_BODY_STATIC, wide3(side * 0.75, 0.5, 0), iso_quat_identity());
        const iso_shape3_def board = box3(0.25, 0.5, 2);
        shape3_add(is->world, wall, &board);
    }
    for (int layer = 0; layer < 4; ++layer) {
        for (int i = 0; i < 4 - layer; ++i) {
            stack_add(is, iso_shape3_def_capsule(fix3(0, 0, -0.8), fix3(0, 0, 0.8), fix(r)), r * (2 * i + layer - 3),
                      r * (1 + sqrt(3) * layer), 0, 0);
        }
    }
}

static void build_wall(stack *is) {
    for (int row = 0; row < 20; ++row) {
        for (int i = 0; i < 20 - row; ++i) {
            stack_add(is, box3(0.5, 0.5, 0.5), i + 0.5 * row - 9.5, row + 0.5, 0, 0);
        }
    }
}

static void build_pyramid(stack *is) {
    for (int layer = 0; layer < 8; ++layer) {
        const int side = 8 - layer;
        for (int i = 0; i < side * side; ++i) {
            stack_add(is, box3(0.5, 0.5, 0.5), i % side + 0.5 * layer - 3.5, layer + 0.5, i / side + 0.5 * layer - 3.5,
                      0);
        }
    }
}

/// A prism of n sides.
static iso_shape3_def prism(uint32_t n, double r, double half_height) {
    iso_vec3 points[32];
    assert_true(2 * n <= 32);
    for (uint32_t i = 0; i < n; ++i) {
        const double angle = 2 * PI * (i + 0.5) / n, x = r * cos(angle), z = r * sin(angle);
        points[2 * i] = fix3(x, -half_height, z);
        points[2 * i + 1] = fix3(x, half_height, z);
    }
    return iso_shape3_def_hull(points, 2 * n);
}

static void build_prisms(stack *is, uint32_t n, uint32_t count, double turn) {
    for (uint32_t i = 0; i < count; ++i) {
        stack_add(is, prism(n, 0.5, 0.25), 0.02 * (i % 2), 0.5 * i + 0.25, 0, turn * i);
    }
}

static void build_hull_cubes(stack *is) {
    build_prisms(is, 4, 6, 0);
}

static void build_hexagons(stack *is) {
    build_prisms(is, 6, 6, 0.2);
}

static void build_columns(stack *is) {
    build_prisms(is, 16, 6, 0.05);
}

/// A pyramid of balls in a frame that holds the lowest ones.
static void build_balls(stack *is) {
    const double r = 0.25;
    for (int side = 0; side < 4; ++side) {
        const double x = side == 0 ? 1.25 : side == 1 ? -1.25 : 0, z = side == 2 ? 1.25 : side == 3 ? -1.25 : 0;
        const iso_body_id wall = body3_add(is->world, ISO_BODY_STATIC, wide3(x, 0.25, z), iso_quat_identity());
        const iso_shape3_def board = side < 2 ? box3(0.25, 0.25, 1.5) : box3(1.5, 0.25, 0.25);
        shape3_add(is->world, wall, &board);
    }
    for (int layer = 0; layer < 4; ++layer) {
        for (int i = 0; i < (4 - layer) * (4 - layer); ++i) {
            stack_add(is, iso_shape3_def_sphere(fix(r)), r * (2 * (i % (4 - layer)) + layer - 3),
                      r * (1 + sqrt(2) * layer), r * (2 * (i / (4 - layer)) + layer - 3), 0);
        }
    }
}

typedef struct scene {
    const char *name;
    void (*build)(stack *is);
    uint32_t settled, ticks; // ticks until it has settled; ticks in all, unless --seconds says otherwise
    double bound;            // [J/kg] from then on
    uint32_t asleep;         // ticks until it sleeps
} scene;

/// A high stack sways until its friction has stopped it, and the wall's rows rock on two boxes each.
static const scene SCENES[] = {
    {"ten cubes", build_cubes, 600, 1200, 1e-8, 120},
    {"five offset cubes", build_offset, 600, 1200, 1e-9, 120},
    {"five cubes of 10 cm", build_small, 600, 1200, 1e-9, 120},
    {"tower of 18 crossed planks", build_planks, 600, 1200, 1e-9, 120},
    {"six cubes as hulls", build_hull_cubes, 600, 1200, 1e-9, 120},
    {"six hexagonal prisms", build_hexagons, 600, 1200, 1e-9, 120},
    {"six prisms of 16 sides", build_columns, 600, 1200, 1e-9, 120},
    {"thirty balls in a frame", build_balls, 600, 1200, 1e-9, 120},
    {"ten capsules between walls", build_logs, 600, 1200, 1e-9, 120},
    {"wall of twenty rows", build_wall, 180, 240, 2e-6, 180},
    {"pyramid of 204", build_pyramid, 180, 240, 1e-9, 120},
};
#define SCENE_COUNT (sizeof SCENES / sizeof SCENES[0])

static uint32_t seconds = 0; // of each scene; 0: as its row says

static void test_a_stack_has_no_energy_left(void **state) {
    const scene *of = *state;
    stack is = stack_make(0);
    of->build(&is);
    const uint32_t ticks = seconds == 0 ? of->ticks : 60 * seconds;
    double most = 0, first = 0, mass = 0;
    for (uint32_t i = 0; i < is.count; ++i) {
        mass += from_wide(view3(is.world, is.bodies[i]).mass);
    }
    assert_true(of->settled <= ticks);
    for (uint32_t tick = 1; tick <= ticks; ++tick) {
        world_steps(is.world, 1);
        const double energy = stack_energy(&is) / mass;
        first = tick == of->settled ? energy : first;
        most = tick >= of->settled ? fmax(most, energy) : most;
    }
    print_message("%-28s %6.2f s: %.2g J/kg when settled, at most %.2g, at the end %.2g\n", of->name, ticks / 60.0,
                  first, most, stack_energy(&is) / mass);
    EXPECT(most < of->bound, "%g J/kg", most);
    world_free(is.world);
}

static void test_a_stack_falls_asleep(void **state) {
    const scene *of = *state;
    stack is = stack_make(iso_world_def_default().sleep_speed);
    of->build(&is);
    uint32_t awake = is.count, tick = 0;
    while (awake > 0 && tick < 600) {
        world_steps(is.world, 1);
        ++tick;
        awake = 0;
        for (uint32_t i = 0; i < is.count; ++i) {
            awake += iso_body_is_awake(is.world, is.bodies[i]);
        }
    }
    print_message("%-28s asleep after %.2f s\n", of->name, tick / 60.0);
    EXPECT(awake == 0 && tick <= of->asleep, "%u are awake after %.2f s", awake, tick / 60.0);
    world_free(is.world);
}

/// Sixty capsules of all sizes that fall into a bin. @return whether they are asleep within 30 s
static bool heap_sleeps(uint64_t seed) {
    stack is = stack_make(iso_world_def_default().sleep_speed);
    rng random = {seed};
    for (int i = 0; i < 4; ++i) {
        const double x = i == 0 ? -2.5 : i == 1 ? 2.5 : 0, z = i == 2 ? -2.5 : i == 3 ? 2.5 : 0;
        const iso_body_id wall = body3_add(is.world, ISO_BODY_STATIC, wide3(x, 3, z), iso_quat_identity());
        const iso_shape3_def board = i < 2 ? box3(0.5, 3, 3) : box3(3, 3, 0.5);
        shape3_add(is.world, wall, &board);
    }
    for (int i = 0; i < 60; ++i) {
        const double left = rng_range(&random, 0.1, 0.4), right = rng_range(&random, 0.1, 0.4);
        const double r = rng_range(&random, 0.1, 0.25), turn = rng_range(&random, 0, 3);
        stack_add(&is, iso_shape3_def_capsule(fix3(-left, 0, 0), fix3(right, 0, 0), fix(r)), 0.8 * (i % 4) - 1.2,
                  0.8 * (i / 16) + 0.6, 0.8 * (i / 4 % 4) - 1.2, turn);
    }
    uint32_t awake = is.count;
    for (uint32_t tick = 0; tick < 1800 && awake > 0; ++tick) {
        world_steps(is.world, 1);
        awake = 0;
        for (uint32_t i = 0; i < is.count; ++i) {
            awake += iso_body_is_awake(is.world, is.bodies[i]);
        }
    }
    world_free(is.world);
    return awake == 0;
}

/// In some heap one may roll to and fro between others, which nothing damps. Were capsules that lie along each other to
/// touch at one point, most heaps would tremble for ever.
static void test_heaps_of_capsules_fall_asleep(void **state) {
    (void)state;
    const uint32_t count = seconds == 0 ? 6 : 24;
    uint32_t asleep = 0;
    for (uint64_t seed = 1; seed <= count; ++seed) {
        asleep += heap_sleeps(seed);
    }
    print_message("%u of %u heaps of capsules fell asleep\n", asleep, count);
    EXPECT(4 * asleep > 3 * count, "%u of %u heaps fell asleep", asleep, count);
}

int main(int argc, char **argv) {
    struct CMUnitTest tests[2 * SCENE_COUNT + 1];
    if (argc == 3 && strcmp(argv[1], "--seconds") == 0) {
        seconds = (uint32_t)atoi(argv[2]);
    }
    for (size_t i = 0; i < SCENE_COUNT; ++i) {
        void *of = (void *)(uintptr_t)&SCENES[i];
        tests[2 * i] = (struct CMUnitTest){SCENES[i].name, test_a_stack_has_no_energy_left, NULL, NULL, of};
        tests[2 * i + 1] = (struct CMUnitTest){SCENES[i].name, test_a_stack_falls_asleep, NULL, NULL, of};
    }
    tests[2 * SCENE_COUNT] = (struct CMUnitTest)cmocka_unit_test(test_heaps_of_capsules_fall_asleep);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
