/// Floors of many pieces in space: what slides and rolls over them goes as far as on one piece, at any speed, with and
/// without friction, and does not hop. And what is no seam still stops a body: steps, walls, kerbs.
///
///   test_seam3 [--whole]   all 768 ways; else every fifth
#include "unit/space/world/space_util.h"

#include "isostep/heights.h"
#include "unit/many.h"

#define WAYS      (ISO_TEST_STEP == 1 ? 5u : 55u) // both without a factor of the twelve of a speed
#define GRAVITY   10.0
#define SEAMS     40
#define SIDE      5    // samples of a field of heights
#define HOP       1e-3 // [m]
#define TICKS_MAX 900u
#define SLOP      0.005 // [m] as iso_world_def_default

typedef enum pieces { ONE_BOX, TILES, HULLS, COMPOUND, FIELDS, BRICKS, VOXELS, PIECES } pieces;

static const char *const PIECES_NAMES[] = {"one box", "tiles", "hulls", "a compound", "fields", "bricks", "voxels"};

typedef struct slider {
    const char *name;
    iso_shape3_def shape;
    double height; // of its centre above the floor [m]
} slider;

typedef struct track {
    pieces of;
    double speed, friction;
    double width, step; // of a piece; by how much pieces differ in height [m]
    double yaw;         // of the way, against the pieces [rad]
    iso_quat turn;      // of all
    iso_vec3_wide at;
} track;

static iso_shape3_def hull_box(double x, double y, double z) {
    iso_vec3 corners[8];
    for (int i = 0; i < 8; ++i) {
        corners[i] = fix3((i & 1) != 0 ? x : -x, (i & 2) != 0 ? y : -y, (i & 4) != 0 ? z : -z);
    }
    return iso_shape3_def_hull(corners, 8);
}

static iso_body_id body_add_at(iso_world *world, const track *on, iso_body_type type, double x, double y, double z,
                               iso_quat rotation) {
    const iso_vec3_wide place = iso_vec3_wide_add(on->at, iso_quat_rotate(on->turn, wide3(x, y, z)));
    return body3_add(world, type, place, iso_quat_normalize(iso_quat_mul(on->turn, rotation)));
}

static void piece_add(iso_world *world, const track *on, iso_shape3_def shape, double x, double y, double z) {
    shape.friction = fix(on->friction);
    shape3_add(world, body_add_at(world, on, ISO_BODY_STATIC, x, y, z, iso_quat_identity()), &shape);
}

/// Heights of piece number i. [m]
static double track_top(const track *on, int i) {
    return ((i % 3 + 3) % 3) * on->step;
}

static void floor_add_fields(iso_world *world, const track *on) {
    static const int16_t flat[SIDE * SIDE];
    const iso_heights_def def = {flat, SIDE, SIDE, fix(on->width / (SIDE - 1)), fix(0.01)};
    const double width = from_fix(def.cell) * (SIDE - 1);
    uint32_t index = 0;
    EXPECT_STATUS(iso_world_add_heights(world, &def, &index), ISO_OK);
    for (int i = -3; i < SEAMS + 3; ++i) {
        for (int row = -3; row <= 3; ++row) {
            piece_add(world, on, iso_shape3_def_heights(index), i * width, track_top(on, i), row * width);
        }
    }
}

/// A floor about y = 0 along x, wide enough for a way that is turned a little.
static void floor_add(iso_world *world, const track *on) {
    const double half = from_fix(fix(on->width / 2)), width = 2 * half;
    if (on->of == ONE_BOX) {
        piece_add(world, on, box3(50, 0.5, 20), 45, -0.5, 0);
        return;
    }
    if (on->of == FIELDS) {
        floor_add_fields(world, on);
        return;
    }
    const iso_body_id body = body_add_at(world, on, ISO_BODY_STATIC, 0, 0, 0, iso_quat_identity());
    for (int i = -3; i < SEAMS + 3; ++i) {
        for (int row = -3; row <= 3; ++row) {
            const double x = i * width + (on->of == BRICKS && row % 2 != 0 ? half : 0), z = row * width;
            const double thick = on->of == VOXELS ? half : 0.5, y = track_top(on, i + row) - thick;
            if (on->of == COMPOUND) {
                iso_shape3_def shape = box3(half, thick, half);
                shape.points[0] = fix3(x, y, z);
                shape.friction = fix(on->friction);
                shape3_add(world, body, &shape);
            } else {
                piece_add(world, on, on->of == HULLS ? hull_box(half, thick, half) : box3(half, thick, half), x, y, z);
            }
        }
    }
}

static iso_world *track_world(const track *on) {
    iso_world_def def = space_def();
    const vector down = vector_of(iso_quat_rotate(on->turn, wide3(0, -GRAVITY, 0)));
    def.body_capacity = def.shape_capacity = 512;
    def.gravity = (iso_vec2){fix(down.x[0]), fix(down.x[1])};
    def.gravity_z = fix(down.x[2]);
    return world_make(&def);
}

/// Where a body is in the frame of the track. [m]
static vector track_place(const iso_world *world, const track *on, iso_body_id body) {
    return vector_of(iso_quat_rotate_inverse(on->turn, iso_vec3_wide_sub(view3(world, body).centre, on->at)));
}

static uint32_t track_ticks(const track *on) {
    return (uint32_t)fmin(60 * (SEAMS - 2) * on->width / on->speed, TICKS_MAX);
}

/// How far a slider comes along the way, and how high.
static double track_way(const slider *is, const track *on, double *highest) {
    iso_world *world = track_world(on);
    floor_add(world, on);
    iso_shape3_def shape = is->shape;
    shape.friction = fix(on->friction);
    const iso_body_id body = body_add_at(world, on, ISO_BODY_DYNAMIC, 0.3 * on->width, is->height, 0.21 * on->width,
                                         iso_quat_from_axis_angle(fix3(0, 1, 0), wide(on->yaw)));
    shape3_add(world, body, &shape);
    world_steps(world, 30);
    const iso_vec3_wide way = iso_quat_rotate(on->turn, wide3(cos(on->yaw), 0, -sin(on->yaw)));
    body3_set_velocity(world, body, sum((vector){{0, 0, 0}}, on->speed, vector_of(way)), (vector){{0, 0, 0}});
    const vector begin = track_place(world, on, body);
    const uint32_t ticks = track_ticks(on);
    *highest = -INFINITY;
    for (uint32_t t = 0; t < ticks; ++t) {
        world_steps(world, 1);
        *highest = fmax(*highest, track_place(world, on, body).x[1] - begin.x[1]);
    }
    const vector end = track_place(world, on, body);
    world_free(world);
    return (end.x[0] - begin.x[0]) * cos(on->yaw) - (end.x[2] - begin.x[2]) * sin(on->yaw);
}

/// @return whether it went as on one piece
static bool track_check(const slider *is, track on) {
    const pieces of = on.of;
    double level, highest;
    on.of = ONE_BOX;
    const double whole = track_way(is, &on, &level);
    on.of = of;
    const double way = track_way(is, &on, &highest);
    // Where the ground is turned, gravity and normals are rounded: without friction a body gains or loses 1 mm/s.
    const double seconds = track_ticks(&on) / 60.0;
    const bool is_as_far = fabs(way - whole) <= 0.02 * whole + 0.001 * seconds;
    const bool hops = highest > level + HOP + 2 * on.step;
    if (!is_as_far || hops) {
        print_message("%s at %g m/s on %s of %g m, friction %g, yaw %.2f, steps %g: %.3f m of %.3f m, hop %.2f mm\n",
                      is->name, on.speed, PIECES_NAMES[of], on.width, on.friction, on.yaw, on.step, way, whole,
                      1000 * (highest - level));
    }
    return is_as_far && !hops;
}

static track track_make(pieces of, double speed, rng *random) {
    const double away = pow(10, rng_range(random, -1, 4.3));
    track on = {.of = of, .speed = speed, .width = fmin(fmax(speed, 0.4), 1), .yaw = rng_range(random, -0.06, 0.06)};
    on.turn = of == TILES ? iso_quat_identity() : rng_quat(random);
    on.at = of == TILES ? wide3(0, 0, 0) : wide3(away, away / 2, -away / 3);
    return on;
}

static bool is_whole = false;

static void test_bodies_move_over_seams_as_over_one_piece(void **state) {
    (void)state;
    const slider sliders[] = {
        {"box", box3(0.5, 0.5, 0.5), 0.5},
        {"plank", box3(0.6, 0.1, 0.3), 0.1},
        {"small box", box3(0.1, 0.1, 0.1), from_fix(fix(0.1))},
        {"hull", hull_box(0.4, 0.3, 0.5), from_fix(fix(0.3))},
        {"capsule along", iso_shape3_def_capsule(fix3(-0.5, 0, 0), fix3(0.5, 0, 0), fix(0.25)), 0.25},
        {"capsule across", iso_shape3_def_capsule(fix3(0, 0, -0.4), fix3(0, 0, 0.4), fix(0.25)), 0.25},
        {"large ball", iso_shape3_def_sphere(fix(0.5)), 0.5},
        {"ball", iso_shape3_def_sphere(fix(0.1)), from_fix(fix(0.1))},
    };
    const double speeds[] = {0.1, 0.3, 1, 2, 5, 10, 15, 20};
    rng random = {7};
    uint32_t wrong = 0, count = 0;
    for (size_t s = 0; s < sizeof sliders / sizeof sliders[0]; ++s) {
        for (size_t v = 0; v < sizeof speeds / sizeof speeds[0]; ++v) {
            for (int of = TILES; of < PIECES; ++of) {
                track on = track_make((pieces)of, speeds[v], &random);
                const double friction = rng_range(&random, 0.02, 0.6);
                for (int rubs = 0; rubs < 2; ++rubs, ++count) {
                    on.friction = rubs * friction;
                    if (is_whole || count % WAYS == 0) {
                        wrong += !track_check(&sliders[s], on);
                    }
                }
            }
        }
    }
    EXPECT(wrong == 0, "%u of %u ways", wrong, count);
}

/// Pieces that differ by up to half a millimetre are flush.
static void test_steps_of_half_a_millimetre_hold_nothing(void **state) {
    (void)state;
    const slider sliders[] = {
        {"box", box3(0.5, 0.5, 0.5), 0.5},
        {"capsule", iso_shape3_def_capsule(fix3(-0.5, 0, 0), fix3(0.5, 0, 0), fix(0.25)), 0.25},
        {"large ball", iso_shape3_def_sphere(fix(0.5)), 0.5},
    };
    rng random = {8};
    uint32_t wrong = 0;
    for (int s = 0; s < 3; ++s) {
        for (double speed = 2; speed < 20; speed *= 3) {
            for (int of = TILES; of < PIECES; ++of) {
                track on = track_make((pieces)of, speed, &random);
                on.step = 0.00025;
                wrong += !track_check(&sliders[s], on);
            }
        }
    }
    assert_int_equal(wrong, 0);
}

// ---- what is no seam -----------------------------------------------------------------------------

/// A floor, and at x = 0 a block that is `top` [m] higher.
static double kerb_way(const slider *is, double top, double speed) {
    const track on = {.turn = iso_quat_identity()};
    iso_world *world = track_world(&on);
    piece_add(world, &on, box3(10, 0.5, 10), -10, -0.5, 0);
    piece_add(world, &on, box3(10, 0.5, 10), 10, top - 0.5, 0);
    iso_shape3_def shape = is->shape;
    shape.friction = 0;
    const iso_body_id body = body_add_at(world, &on, ISO_BODY_DYNAMIC, -3, is->height, 0, iso_quat_identity());
    shape3_add(world, body, &shape);
    body3_set_velocity(world, body, (vector){{speed, 0, 0}}, (vector){{0, 0, 0}});
    world_steps(world, (uint32_t)(60 * 6 / speed));
    const vector end = track_place(world, &on, body);
    world_free(world);
    return end.x[0] + 3;
}

static void test_steps_and_walls_stop_a_body(void **state) {
    (void)state;
    const slider box = {"box", box3(0.5, 0.5, 0.5), 0.5}, ball = {"ball", iso_shape3_def_sphere(fix(0.5)), 0.5};
    const double tops[] = {3 * SLOP, 0.05, 0.3, 0.9};
    for (int i = 0; i < 4; ++i) {
        for (double speed = 0.5; speed < 3; speed *= 2) {
            const double way = kerb_way(&box, tops[i], speed);
            EXPECT(way < 2.51, "a box passed a step of %g m at %g m/s: %g m", tops[i], speed, way);
        }
    }
    EXPECT(kerb_way(&box, 0.5 * SLOP, 1) > 5.9, "a box stopped at half of the slop");
    EXPECT(kerb_way(&ball, 0.3, 1) < 2.6, "a ball passed a kerb");
    EXPECT(kerb_way(&ball, -0.3, 1) > 5.5, "a ball stopped at a step down");
}

/// A ball over the gap between two pieces touches the edge of each; neither may hide the other.
static void test_gaps_do_not_swallow_bodies(void **state) {
    (void)state;
    const double gaps[] = {0, 0.0001, 0.001, 0.004, 0.02, 0.1};
    for (int i = 0; i < 6; ++i) {
        const track on = {.turn = iso_quat_identity(), .friction = 0.6};
        iso_world *world = track_world(&on);
        const double gap = 2 * from_fix(fix(gaps[i] / 2));
        piece_add(world, &on, box3(1, 0.5, 1), -1 - gap / 2, -0.5, 0);
        piece_add(world, &on, box3(1, 0.5, 1), 1 + gap / 2, -0.5, 0);
        const iso_shape3_def shape = iso_shape3_def_sphere(fix(0.2));
        const iso_body_id ball = body_add_at(world, &on, ISO_BODY_DYNAMIC, 0, 0.2, 0, iso_quat_identity());
        shape3_add(world, ball, &shape);
        world_steps(world, 300);
        const double deep = 0.2 - sqrt(0.04 - gap * gap / 4);
        const vector rest = track_place(world, &on, ball);
        EXPECT_NEAR(rest.x[1], 0.2 - deep, 0.0002, "height of a ball over a gap of %g", gap);
        EXPECT_NEAR(rest.x[0], 0, 0.06, "place of a ball over a gap of %g", gap);
        world_free(world);
    }
}

/// A card that lies on the floor is no piece of it, as thin as it may be: another one pushes it.
static void test_thin_bodies_on_a_floor_do_not_pass_each_other(void **state) {
    (void)state;
    const double half = 0.03;
    for (double thick = 0.002; thick < 0.005; thick += 0.002) {
        const track on = {.turn = iso_quat_identity(), .friction = 0.05};
        iso_world *world = track_world(&on);
        piece_add(world, &on, box3(10, 0.5, 10), 0, -0.5, 0);
        iso_shape3_def card = box3(half, thick / 2, half);
        card.friction = fix(0.05);
        iso_body_id bodies[2];
        for (int i = 0; i < 2; ++i) {
            bodies[i] = body_add_at(world, &on, ISO_BODY_DYNAMIC, i == 0 ? -0.15 : 0, thick / 2, 0.005 * i,
                                    iso_quat_identity());
            shape3_add(world, bodies[i], &card);
        }
        world_steps(world, 30);
        body3_set_velocity(world, bodies[0], (vector){{0.8, 0, 0}}, (vector){{0, 0, 0}});
        for (int t = 0; t < 120; ++t) {
            world_steps(world, 1);
            const double apart = track_place(world, &on, bodies[1]).x[0] - track_place(world, &on, bodies[0]).x[0];
            EXPECT(apart > 2 * half - 0.015, "cards of %g m are %g m apart", thick, apart);
        }
        assert_true(track_place(world, &on, bodies[1]).x[0] > 0.05);
        world_free(world);
    }
}

/// A field that ends in a cliff of 800 m below what the body comes to: lengths are within their formats.
static void test_a_wall_beyond_a_cliff_stops_a_body(void **state) {
    (void)state;
    enum { CLIFF = 65 };
    static int16_t samples[CLIFF * CLIFF];
    for (int i = 0; i < CLIFF * CLIFF; ++i) {
        const int column = i % CLIFF, down = column < 32 ? 0 : column < 48 ? column - 31 : 16;
        samples[i] = (int16_t)(-down * 50 * 16);
    }
    const track on = {.turn = iso_quat_identity()};
    iso_world *world = track_world(&on);
    const iso_heights_def def = {samples, CLIFF, CLIFF, fix(0.0625), fix(0.0625)};
    uint32_t index = 0;
    EXPECT_STATUS(iso_world_add_heights(world, &def, &index), ISO_OK);
    piece_add(world, &on, iso_shape3_def_heights((uint8_t)index), 0, 0, 0);
    piece_add(world, &on, box3(0.2, 1, 1), 1.5, 0, 0);
    iso_shape3_def plank = box3(1.2, 0.1, 0.3);
    const iso_body_id body = body_add_at(world, &on, ISO_BODY_DYNAMIC, 0.09, 0.1, 0, iso_quat_identity());
    shape3_add(world, body, &plank);
    body3_set_velocity(world, body, (vector){{0.5, 0, 0}}, (vector){{0, 0, 0}});
    world_steps(world, 30);
    EXPECT(track_place(world, &on, body).x[0] < 0.2, "it came to %g m", track_place(world, &on, body).x[0]);
    world_free(world);
}

int main(int argc, char **argv) {
    is_whole = argc == 2 && strcmp(argv[1], "--whole") == 0;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bodies_move_over_seams_as_over_one_piece),
        cmocka_unit_test(test_steps_of_half_a_millimetre_hold_nothing),
        cmocka_unit_test(test_steps_and_walls_stop_a_body),
        cmocka_unit_test(test_gaps_do_not_swallow_bodies),
        cmocka_unit_test(test_thin_bodies_on_a_floor_do_not_pass_each_other),
        cmocka_unit_test(test_a_wall_beyond_a_cliff_stops_a_body),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
