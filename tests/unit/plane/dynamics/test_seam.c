/// Floors of many pieces: what slides over them goes as far as on one piece, at any speed, with and without friction.
/// And what is no seam still stops a body: steps, walls, kerbs.
#include "unit/world/physics_util.h"

#define GRAVITY 10.0
#define SEAMS   70
#define SLOP    0.005 // [m] as iso_world_def_default

typedef struct slider {
    const char *name;
    iso_shape_def shape;
    double height; // of its centre above the floor [m]
} slider;

static iso_shape_def shape_rounded_box(double half_width, double half_height, double radius) {
    iso_shape_def def = shape_box(half_width - radius, half_height - radius);
    def.radius = fix(radius);
    return def;
}

/// A tapered capsule whose lower side is level, 0.2 m below its origin.
static iso_shape_def shape_wedge(double radius_a, double radius_b) {
    return iso_shape_def_tapered_capsule((iso_vec2){fix(-0.4), fix(radius_a - 0.2)},
                                         (iso_vec2){fix(0.4), fix(radius_b - 0.2)}, fix(radius_a), fix(radius_b));
}

static void floor_add(iso_world *world, double x, double half_width, double top, double tilt, double friction) {
    iso_shape_def def = shape_box(half_width, 0.5);
    def.friction = fix(friction);
    const double y = top - 0.5;
    body_add_shape(world, ISO_BODY_STATIC, x * cos(tilt) - y * sin(tilt), x * sin(tilt) + y * cos(tilt), tilt, &def);
}

static iso_body_id slider_add(iso_world *world, const slider *is, double x, double tilt, double speed,
                              double friction) {
    iso_shape_def def = is->shape;
    def.friction = fix(friction);
    const iso_body_id body = body_add_shape(world, ISO_BODY_DYNAMIC, x * cos(tilt) - is->height * sin(tilt),
                                            x * sin(tilt) + is->height * cos(tilt), tilt, &def);
    body_set_velocity(world, body, speed * cos(tilt), speed * sin(tilt), 0);
    return body;
}

// ---- as far as on one piece ----------------------------------------------------------------------

typedef struct track {
    double speed, friction, tilt;
    double width, step; // of a piece; by how much pieces differ in height [m]
    bool is_whole;      // one piece
} track;

/// How far a slider comes along the track, until it rests or for as long as the seams last.
static double track_way(const slider *is, const track *on) {
    iso_world_def def = world_def_small(0);
    def.gravity = (iso_vec2){fix(GRAVITY * sin(on->tilt)), fix(-GRAVITY * cos(on->tilt))};
    iso_world *world = world_make(&def);
    const double length = (SEAMS - 1) * on->width;
    if (on->is_whole) {
        floor_add(world, length / 2, length / 2 + 4, 0, on->tilt, on->friction);
    }
    for (int i = (int)(-2 / on->width); i < SEAMS + 2 / on->width && !on->is_whole; ++i) {
        floor_add(world, (i + 0.3) * on->width, on->width / 2, i * 7 % 3 * on->step, on->tilt, on->friction);
    }
    const iso_body_id body = slider_add(world, is, 0, on->tilt, on->speed, on->friction);
    const pose begin = body_pose(world, body);
    const double rest =
        on->friction > 0 && is->shape.kind != ISO_SHAPE_CIRCLE ? on->speed / (on->friction * GRAVITY) : HUGE_VAL;
    world_steps(world, (uint32_t)(60 * fmin(length / on->speed, rest + 0.1)));
    const pose end = body_pose(world, body);
    world_free(world);
    return (end.x - begin.x) * cos(on->tilt) + (end.y - begin.y) * sin(on->tilt);
}

static void track_check(const slider *is, track on) {
    on.is_whole = true;
    const double whole = track_way(is, &on);
    on.is_whole = false;
    const double pieces = track_way(is, &on);
    // Ways of millimetres depend on how the body settles in its first ticks.
    EXPECT(pieces >= 0.98 * whole - 0.002 && pieces <= 1.02 * whole + 0.002,
           "%s at %g m/s, friction %g, pieces of %g m turned by %g: %g m of %g m", is->name, on.speed, on.friction,
           on.width, on.tilt, pieces, whole);
}

static void test_bodies_slide_over_seams_as_over_one_piece(void **state) {
    (void)state;
    const slider sliders[] = {
        {"box", shape_box(0.5, 0.5), 0.5},
        {"plank", shape_box(0.6, 0.1), 0.1},
        {"rounded box", shape_rounded_box(0.5, 0.4, 0.1), 0.4},
        {"capsule", shape_capsule(-0.5, 0, 0.5, 0, 0.25), 0.25},
        {"tapered capsule", shape_wedge(0.3, 0.15), 0.2},
        {"circle", shape_circle(0.5), 0.5},
        {"ball", shape_circle(0.1), 0.1},
    };
    const double speeds[] = {0.1, 0.3, 1, 2, 5, 10, 20};
    for (size_t s = 0; s < sizeof sliders / sizeof sliders[0]; ++s) {
        for (size_t v = 0; v < sizeof speeds / sizeof speeds[0]; ++v) {
            const double speed = speeds[v], width = fmin(fmax(speed, 0.2), 1);
            // Without friction; with what stops a body at the last seam, but enough to be exact; and with much.
            const double frictions[] = {0, fmax(speed * speed / (2 * GRAVITY * SEAMS * width), 0.02), 0.4};
            for (int f = 0; f < 3; ++f) {
                track_check(&sliders[s], (track){.speed = speed, .friction = frictions[f], .width = width});
            }
        }
    }
}

/// The poses of turned pieces are rounded, so their faces differ a little.
static void test_seams_of_turned_floors_hold_nothing_either(void **state) {
    (void)state;
    const slider sliders[] = {{"box", shape_box(0.5, 0.5), 0.5}, {"circle", shape_circle(0.5), 0.5}};
    const double speeds[] = {1, 5, 20}, tilts[] = {-0.7, 0.3, 1.9};
    for (int s = 0; s < 2; ++s) {
        for (int i = 0; i < 9; ++i) {
            track_check(&sliders[s], (track){.speed = speeds[i % 3], .width = 1, .tilt = tilts[i / 3]});
            track_check(&sliders[s],
                        (track){.speed = speeds[i % 3], .friction = 0.05, .width = 0.7, .tilt = tilts[i / 3]});
        }
    }
}

/// Pieces that differ by less than the slop are level.
static void test_steps_below_the_slop_hold_nothing(void **state) {
    (void)state;
    const slider sliders[] = {{"box", shape_box(0.5, 0.5), 0.5},
                              {"capsule", shape_capsule(-0.5, 0, 0.5, 0, 0.25), 0.25},
                              {"circle", shape_circle(0.5), 0.5}};
    for (int s = 0; s < 3; ++s) {
        for (double speed = 2; speed < 20; speed *= 3) {
            track_check(&sliders[s], (track){.speed = speed, .width = 1, .step = 0.1 * SLOP});
        }
    }
}

/// Crates side by side, each of which sinks in as it will.
static void test_rows_of_dynamic_boxes_are_floors(void **state) {
    (void)state;
    const slider sliders[] = {{"box", shape_box(0.5, 0.5), 1.5}, {"circle", shape_circle(0.25), 1.25}};
    for (int s = 0; s < 2; ++s) {
        iso_world *world = world_make_small(-GRAVITY);
        floor_add(world, 10, 30, 0, 0, 0.6);
        const iso_shape_def crate = shape_box(0.5, 0.5);
        for (int i = -2; i < 24; ++i) {
            body_add_shape(world, ISO_BODY_DYNAMIC, i, 0.5, 0, &crate);
        }
        const iso_body_id body = slider_add(world, &sliders[s], 0, 0, 2, 0);
        world_steps(world, 600);
        const pose end = body_pose(world, body);
        EXPECT_NEAR(end.x, 20, 0.2, "%s: way", sliders[s].name);
        EXPECT_NEAR(end.vx, 2, 0.02, "%s: speed", sliders[s].name);
        world_free(world);
    }
}

/// The pieces of a floor may be shapes of one body; and each is touched once, without flicker.
static void test_each_piece_is_touched_once(void **state) {
    (void)state;
    iso_world *world = world_make_small(-GRAVITY);
    const iso_body_id ground = body_add(world, ISO_BODY_STATIC, 0, 0, 0);
    for (int i = -1; i < 20; ++i) {
        iso_shape_def piece = shape_box(0.5, 0.5);
        for (uint32_t p = 0; p < 4; ++p) {
            piece.points[p].x += fix(i);
            piece.points[p].y -= fix(0.5);
        }
        piece.friction = 0;
        shape_add(world, ground, &piece);
    }
    const slider box = {"box", shape_box(0.4, 0.4), 0.4};
    const iso_body_id body = slider_add(world, &box, 0, 0, 1.5, 0);
    uint32_t begins = 0, ends = 0;
    for (int t = 0; t < 600; ++t) {
        world_steps(world, 1);
        iso_events events;
        iso_world_get_events(world, &events);
        begins += events.contact_begin_count;
        ends += events.contact_end_count;
    }
    EXPECT_NEAR(body_pose(world, body).x, 15, 0.1, "way");
    EXPECT(begins == 16 && ends == 15, "%u contacts began and %u ended on 16 pieces", begins, ends);
    world_free(world);
}

// ---- what is no seam -----------------------------------------------------------------------------

/// A floor, and at x = 0 a block that is `top` [m] higher.
static double kerb_way(const slider *is, double top, double speed) {
    iso_world *world = world_make_small(-GRAVITY);
    floor_add(world, -10, 10, 0, 0, 0);
    floor_add(world, 10, 10, top, 0, 0);
    const iso_body_id body = slider_add(world, is, -3, 0, speed, 0);
    world_steps(world, (uint32_t)(60 * 6 / speed));
    const pose end = body_pose(world, body);
    world_free(world);
    return end.x + 3;
}

static void test_steps_and_walls_stop_a_body(void **state) {
    (void)state;
    const slider box = {"box", shape_box(0.5, 0.5), 0.5}, circle = {"circle", shape_circle(0.5), 0.5};
    const double tops[] = {3 * SLOP, 0.05, 0.3, 0.9};
    for (int i = 0; i < 4; ++i) {
        for (double speed = 0.5; speed < 3; speed *= 2) {
            const double way = kerb_way(&box, tops[i], speed);
            EXPECT(way < 2.51, "a box passed a step of %g m at %g m/s: %g m", tops[i], speed, way);
        }
    }
    EXPECT(kerb_way(&box, 0.5 * SLOP, 1) > 5.9, "a box stopped at half of the slop");
    EXPECT(kerb_way(&circle, 0.3, 1) < 2.6, "a circle passed a kerb");
    EXPECT(kerb_way(&circle, -0.3, 1) > 5.5, "a circle stopped at a step down");
}

/// A body over the gap between two pieces touches the corner of each; neither may hide the other.
static void test_gaps_do_not_swallow_bodies(void **state) {
    (void)state;
    const double gaps[] = {0, 0.0001, 0.001, 0.004, 0.02, 0.1};
    for (int i = 0; i < 6; ++i) {
        iso_world *world = world_make_small(-GRAVITY);
        floor_add(world, -1 - gaps[i] / 2, 1, 0, 0, 0.6);
        floor_add(world, 1 + gaps[i] / 2, 1, 0, 0, 0.6);
        const iso_shape_def circle = shape_circle(0.2), upright = shape_capsule(0, -0.2, 0, 0.2, 0.2);
        const iso_body_id ball = body_add_shape(world, ISO_BODY_DYNAMIC, 0, 0.2, 0, &circle);
        world_steps(world, 300);
        const double deep = 0.2 - sqrt(0.04 - gaps[i] * gaps[i] / 4);
        const pose rest = body_pose(world, ball);
        EXPECT_NEAR(rest.y, 0.2 - deep, 0.0002, "height of a circle over a gap of %g", gaps[i]);
        EXPECT_NEAR(rest.x, 0, 0.06, "place of a circle over a gap of %g", gaps[i]);
        EXPECT_STATUS(iso_body_destroy(world, ball), ISO_OK);
        iso_body_id standing = body_add_shape(world, ISO_BODY_DYNAMIC, 0, 0.4, 0, &upright);
        world_steps(world, 20);
        EXPECT_NEAR(body_pose(world, standing).y, 0.4 - deep, 0.0005, "capsule over a gap of %g", gaps[i]);
        world_free(world);
    }
}

/// A carriage: a box slides on a shelf, a circle hangs below it. The shelf under the box hides nothing of the circle,
/// which a block at the shelf's end stops.
static void test_floor_of_one_shape_hides_nothing_of_another(void **state) {
    (void)state;
    iso_world *world = world_make_small(-10);
    iso_shape_def shelf = shape_box(2, 0.05), block = shape_box(0.5, 1), top = shape_box(0.5, 0.2);
    iso_shape_def low = shape_circle(0.2);
    shelf.friction = block.friction = top.friction = low.friction = 0;
    for (int i = 0; i < 4; ++i) {
        top.points[i].y += fix(0.2);
    }
    low.points[0].y = -ONE;
    body_add_shape(world, ISO_BODY_STATIC, -2, -0.05, 0, &shelf);
    body_add_shape(world, ISO_BODY_STATIC, 0.5, -1, 0, &block);
    const iso_body_id carriage = body_add_shape(world, ISO_BODY_DYNAMIC, -2, 0, 0, &top);
    iso_shape_id shape;
    EXPECT_STATUS(iso_shape_create(world, carriage, &low, &shape), ISO_OK);
    iso_body_params params = iso_body_params_default();
    params.fixed_rotation = true;
    EXPECT_STATUS(iso_body_set_params(world, carriage, &params), ISO_OK);
    body_set_velocity(world, carriage, 2, 0, 0);
    world_steps(world, 120);
    EXPECT_NEAR(body_pose(world, carriage).x, -0.2, 0.03, "stopped by the block");
    world_free(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bodies_slide_over_seams_as_over_one_piece),
        cmocka_unit_test(test_seams_of_turned_floors_hold_nothing_either),
        cmocka_unit_test(test_steps_below_the_slop_hold_nothing),
        cmocka_unit_test(test_rows_of_dynamic_boxes_are_floors),
        cmocka_unit_test(test_each_piece_is_touched_once),
        cmocka_unit_test(test_steps_and_walls_stop_a_body),
        cmocka_unit_test(test_gaps_do_not_swallow_bodies),
        cmocka_unit_test(test_floor_of_one_shape_hides_nothing_of_another),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
