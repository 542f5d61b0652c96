/// Segments and chains: what slides over their joints, and over their ends where another piece continues them, does not
/// catch, what comes from behind passes, and they are where their points are however far that is from their body.
#include "isostep/query.h"
#include "isostep/snapshot.h"
#include "unit/world/physics_util.h"

#define GRAVITY 10.0
#define JOINTS  70
#define ACROSS  0.02 // [m] the surface is within this of where a body rests on it

static iso_vec2_wide at(double x, double y) {
    return (iso_vec2_wide){wide(x), wide(y)};
}

/// Adds the edges of a chain to a static body, which solid is from the right of its way.
static iso_body_id chain_add(iso_world *world, const iso_vec2_wide *points, uint32_t count, bool is_loop, double x,
                             double y, double angle, double friction) {
    iso_body_id body = {0, 0};
    for (uint32_t edge = 0; edge + (is_loop ? 0 : 1) < count; ++edge) {
        iso_shape_def def = iso_shape_def_chain(points, count, is_loop, edge);
        iso_shape_id shape;
        def.friction = fix(friction);
        if (edge == 0) {
            body = body_add_shape(world, ISO_BODY_STATIC, x, y, angle, &def);
        } else {
            EXPECT_STATUS(iso_shape_create(world, body, &def, &shape), ISO_OK);
        }
    }
    return body;
}

/// A floor that carries, from right to left, with joints at every `width`.
static iso_body_id floor_add(iso_world *world, double width, uint32_t edges, double x, double y, double friction) {
    iso_vec2_wide points[200];
    for (uint32_t i = 0; i <= edges; ++i) {
        points[i] = at((edges - i) * width - x, -y);
    }
    return chain_add(world, points, edges + 1, false, x - 3, y, 0, friction);
}

typedef struct slider {
    const char *name;
    iso_shape_def shape;
    double height;
} slider;

static void sliders_make(slider sliders[5]) {
    sliders[0] = (slider){"box", shape_box(0.5, 0.5), 0.5};
    sliders[1] = (slider){"plank", shape_box(0.6, 0.1), 0.1};
    sliders[2] = (slider){"capsule", shape_capsule(-0.5, 0, 0.5, 0, 0.25), 0.25};
    sliders[3] = (slider){"circle", shape_circle(0.5), 0.5};
    sliders[4] = (slider){"ball", shape_circle(0.1), 0.1};
}

static iso_body_id slider_add(iso_world *world, const slider *is, double x, double y, double speed, double friction) {
    iso_shape_def def = is->shape;
    def.friction = fix(friction);
    const iso_body_id body = body_add_shape(world, ISO_BODY_DYNAMIC, x, y + is->height, 0, &def);
    body_set_velocity(world, body, speed, 0, 0);
    return body;
}

// ---- nothing catches -----------------------------------------------------------------------------

/// @param edges  1: the same floor as one box
static double floor_way(const slider *is, double speed, double friction, double width, bool is_whole) {
    iso_world *world = world_make_small(-GRAVITY);
    if (is_whole) {
        iso_shape_def def = shape_box(55, 0.5);
        def.friction = fix(friction);
        body_add_shape(world, ISO_BODY_STATIC, 50, -0.5, 0, &def);
    } else {
        floor_add(world, width, JOINTS + (uint32_t)(6 / width), 0, 0, friction);
    }
    const iso_body_id body = slider_add(world, is, 0, 0, speed, friction);
    const bool stops = friction > 0 && is->shape.kind != ISO_SHAPE_CIRCLE;
    world_steps(world, (uint32_t)(60 * fmin(JOINTS * width / speed, stops ? speed / (friction * GRAVITY) + 0.1 : 1e3)));
    const pose end = body_pose(world, body);
    EXPECT_NEAR(end.y, is->height, ACROSS, "%s at %g m/s", is->name, speed);
    world_free(world);
    return end.x;
}

static void test_bodies_slide_over_a_chain_as_over_a_floor(void **state) {
    (void)state;
    const double speeds[] = {0.1, 0.3, 1, 2, 5, 10, 20};
    slider sliders[5];
    sliders_make(sliders);
    for (int s = 0; s < 5; ++s) {
        for (int i = 0; i < 7; ++i) {
            const double width = fmin(fmax(speeds[i], 0.2), 1), frictions[] = {0, 0.1, 0.4};
            for (int f = 0; f < 3; ++f) {
                const double whole = floor_way(&sliders[s], speeds[i], frictions[f], width, true);
                const double chain = floor_way(&sliders[s], speeds[i], frictions[f], width, false);
                EXPECT(chain >= 0.98 * whole - 0.002 && chain <= 1.02 * whole + 0.002,
                       "%s at %g m/s, friction %g: %g m of %g m", sliders[s].name, speeds[i], frictions[f], chain,
                       whole);
            }
        }
    }
}

/// Half a kilometre from the body's origin as beside it.
static void test_far_chains_carry(void **state) {
    (void)state;
    slider sliders[5];
    sliders_make(sliders);
    for (int s = 0; s < 5; ++s) {
        iso_world *world = world_make_small(-GRAVITY);
        floor_add(world, 1, 60, 600, -500, 0);
        const iso_body_id body = slider_add(world, &sliders[s], 0, 0, 5, 0);
        world_steps(world, 600);
        const pose end = body_pose(world, body);
        EXPECT_NEAR(end.x, 50, 0.1, "%s", sliders[s].name);
        EXPECT_NEAR(end.y, sliders[s].height, ACROSS, "%s", sliders[s].name);
        world_free(world);
    }
}

/// Down a valley of 40 chords and up again: without friction the height comes back.
static void test_hollows_and_hills_lose_nothing(void **state) {
    (void)state;
    iso_world *world = world_make_small(-GRAVITY);
    iso_vec2_wide points[81];
    for (int i = 0; i <= 80; ++i) {
        const double turn = (80 - i) * PI / 80;
        points[i] = at(-10 * cos(turn), 10 - 10 * sin(turn));
    }
    chain_add(world, points, 81, false, 0, 0, 0, 0);
    iso_shape_def ball = shape_circle(0.2);
    ball.friction = 0;
    const iso_body_id body = body_add_shape(world, ISO_BODY_DYNAMIC, -9.8 * cos(0.5), 10 - 9.8 * sin(0.5), 0, &ball);
    double right = -20;
    for (int t = 0; t < 300; ++t) {
        world_steps(world, 1);
        const pose p = body_pose(world, body);
        right = fmax(right, p.x);
        EXPECT(hypot(p.x, p.y - 10) < 9.83, "tick %d: %g m from the centre", t, hypot(p.x, p.y - 10));
    }
    EXPECT(right > 9.8 * cos(0.5) * 0.95, "came to %g of %g m", right, 9.8 * cos(0.5));
    world_free(world);
}

/// Around a loop's convex corner a body rolls as around a box's, and does not fall in.
static void test_corners_roll(void **state) {
    (void)state;
    const iso_vec2_wide square[] = {{wide(-2), wide(-2)}, {wide(2), wide(-2)}, {wide(2), wide(2)}, {wide(-2), wide(2)}};
    double reached[2][2];
    for (int is_box = 0; is_box < 2; ++is_box) {
        for (int kind = 0; kind < 2; ++kind) {
            iso_world *world = world_make_small(-GRAVITY);
            iso_shape_def def = shape_box(2, 2), body_shape = kind == 0 ? shape_circle(0.5) : shape_box(0.5, 0.5);
            if (is_box) {
                body_add_shape(world, ISO_BODY_STATIC, 0, 0, 0, &def);
            } else {
                chain_add(world, square, 4, true, 0, 0, 0, 0.6);
            }
            const iso_body_id body = body_add_shape(world, ISO_BODY_DYNAMIC, 1.2, 2.5, 0, &body_shape);
            body_set_velocity(world, body, kind == 0 ? 0.8 : 3, 0, kind == 0 ? -1.6 : 0);
            for (int t = 0; t < 120; ++t) {
                world_steps(world, 1);
                const pose p = body_pose(world, body);
                EXPECT(fabs(p.x) > 2.3 || fabs(p.y) > 2.3, "tick %d: a body is within the loop at %g, %g", t, p.x, p.y);
            }
            reached[is_box][kind] = body_pose(world, body).x;
            world_free(world);
        }
    }
    EXPECT_NEAR(reached[0][0], reached[1][0], 0.1, "a ball over the edge");
    EXPECT_NEAR(reached[0][1], reached[1][1], 0.3, "a box over the edge");
    EXPECT(reached[0][0] > 2 && reached[0][1] > 2, "they fell off at %g and %g m", reached[0][0], reached[0][1]);
}

// ---- segments that abut something else ----------------------------------------------------------

typedef enum abutting {
    ABUT_SEGMENTS, // without neighbours
    ABUT_CHAINS,   // of four edges, end to end
    ABUT_BOXES,    // alternating with segments without neighbours
    ABUT_KNOWN,    // alternating with segments that know where their neighbours are
    ABUT_LOOPS,    // squares side by side
    ABUT_COUNT,
} abutting;

static const char *const abutting_names[ABUT_COUNT] = {"segments", "chains", "boxes and segments",
                                                       "boxes and segments with neighbours", "loops"};

/// A piece of a floor from x to x + 1, of chains to x + 4. @param far  its body's origin is that far away
static void piece_add(iso_world *world, abutting kind, int number, double x, double far) {
    const iso_vec2_wide points[] = {at(4 + far, 0), at(3 + far, 0), at(2 + far, 0), at(1 + far, 0), at(far, 0)};
    const iso_vec2_wide square[] = {at(far, -1), at(1 + far, -1), at(1 + far, 0), at(far, 0)};
    iso_shape_def def = iso_shape_def_segment(points[3], points[4]);
    def.friction = 0;
    if (kind == ABUT_CHAINS) {
        chain_add(world, points, 5, false, x - far, 0, 0, 0);
    } else if (kind == ABUT_LOOPS) {
        chain_add(world, square, 4, true, x - far, 0, 0, 0);
    } else if (number % 2 != 0 && kind != ABUT_SEGMENTS) {
        def = shape_box(0.5, 0.5);
        def.friction = 0;
        body_add_shape(world, ISO_BODY_STATIC, x + 0.5, -0.5, 0, &def);
    } else {
        if (kind == ABUT_KNOWN) {
            def.segment[0] = points[2];
            def.segment[3] = at(far - 1, 0);
        }
        body_add_shape(world, ISO_BODY_STATIC, x - far, 0, 0, &def);
    }
}

static void abutting_check(const slider *is, abutting kind, double speed, double far) {
    iso_world *world = world_make_small(-GRAVITY);
    const int length = kind == ABUT_CHAINS ? 4 : 1;
    for (int x = -40; x < 40; x += length) {
        piece_add(world, kind, x + 40, x, far);
    }
    const iso_body_id body = slider_add(world, is, speed > 0 ? -35.7 : 35.7, 0, speed, 0);
    const double way = copysign(fmin(70, fabs(speed) * 12), speed), from = body_pose(world, body).x;
    world_steps(world, (uint32_t)(60 * way / speed));
    const pose end = body_pose(world, body);
    EXPECT(fabs((end.x - from) / way - 1) < 0.02, "%s over %s at %g m/s: %g m of %g m", is->name, abutting_names[kind],
           speed, end.x - from, way);
    EXPECT_NEAR(end.y, is->height, ACROSS, "%s over %s at %g m/s", is->name, abutting_names[kind], speed);
    world_free(world);
}

/// Other bodies' pieces that lie flush with a segment's end continue it: see plane/dynamics/seam.c.
static void test_bodies_slide_over_segments_that_abut(void **state) {
    (void)state;
    const double speeds[] = {0.3, 1, 5, 20};
    slider sliders[8];
    sliders_make(sliders);
    sliders[5] = (slider){"small ball", shape_circle(0.05), 0.05};
    sliders[6] = (slider){"small box", shape_box(0.25, 0.25), 0.25};
    sliders[7] = (slider){"rounded box", shape_box(0.2, 0.2), 0.25};
    sliders[7].shape.radius = fix(0.05);
    for (int s = 0; s < 8; ++s) {
        for (int kind = 0; kind < ABUT_COUNT; ++kind) {
            for (int i = 0; i < 4; ++i) {
                abutting_check(&sliders[s], (abutting)kind, speeds[i], i % 2 != 0 ? 500 : 0);
                abutting_check(&sliders[s], (abutting)kind, -speeds[i], 0);
            }
        }
    }
}

/// From a floor onto a ramp of five degrees, which is another body: the speed that is left is that of the height, less
/// what the turn takes.
static void test_bodies_slide_onto_ramps_that_abut(void **state) {
    (void)state;
    slider sliders[5];
    sliders_make(sliders);
    for (int s = 0; s < 5; ++s) {
        for (int is_down = 0; is_down < 2; ++is_down) {
            iso_world *world = world_make_small(-GRAVITY);
            const double slope = is_down ? -0.0875 : 0.0875;
            iso_shape_def floor = iso_shape_def_segment(at(0, 0), at(-8, 0));
            iso_shape_def ramp = iso_shape_def_segment(at(20, 20 * slope), at(0, 0));
            floor.friction = ramp.friction = 0;
            body_add_shape(world, ISO_BODY_STATIC, 0, 0, 0, &floor);
            body_add_shape(world, ISO_BODY_STATIC, 0, 0, 0, &ramp);
            const iso_body_id body = slider_add(world, &sliders[s], -3, 0, 4, 0);
            world_steps(world, 90);
            const pose end = body_pose(world, body);
            const double rise = end.y - sliders[s].height, wanted = sqrt(16 - 2 * GRAVITY * rise);
            EXPECT(hypot(end.vx, end.vy) > 0.98 * wanted && end.x > 2, "%s %s: %g m/s of %g m/s at %g m",
                   sliders[s].name, is_down ? "down" : "up", hypot(end.vx, end.vy), wanted, end.x);
            world_free(world);
        }
    }
}

/// What another segment's end sticks out by stops a box, as a step of a box does; so does a wall that stands there.
static void test_abutting_segments_that_rise_stop_a_body(void **state) {
    (void)state;
    const iso_vec2_wide ends[][2] = {
        {{wide(4), wide(0.015)}, {wide(0), wide(0.015)}}, // a step
        {{wide(4), wide(0.2)}, {wide(0), wide(0.2)}},
        {{wide(0), wide(2)}, {wide(0), wide(0)}}, // a wall
        {{wide(2), wide(2)}, {wide(0), wide(0)}}, // a ramp of 45 degrees
    };
    for (int i = 0; i < 4; ++i) {
        iso_world *world = world_make_small(-GRAVITY);
        iso_shape_def floor = iso_shape_def_segment(at(0, 0), at(-8, 0));
        iso_shape_def def = iso_shape_def_segment(ends[i][0], ends[i][1]);
        floor.friction = def.friction = 0;
        body_add_shape(world, ISO_BODY_STATIC, 0, 0, 0, &floor);
        body_add_shape(world, ISO_BODY_STATIC, 0, 0, 0, &def);
        const slider box = {"box", shape_box(0.25, 0.25), 0.25};
        const iso_body_id body = slider_add(world, &box, -3, 0, 1, 0);
        world_steps(world, 360);
        EXPECT(body_pose(world, body).x < 0, "end %d: the box is at %g m", i, body_pose(world, body).x);
        world_free(world);
    }
}

// ---- one side ------------------------------------------------------------------------------------

/// From below they pass, slow or fast; from above they rest on it or stop there.
static void test_bodies_pass_from_behind(void **state) {
    (void)state;
    const double speeds[] = {0.5, 30, 300}, seconds[] = {8, 1, 1};
    slider sliders[5];
    sliders_make(sliders);
    for (int s = 0; s < 5; ++s) {
        for (int i = 0; i < 3; ++i) {
            for (int is_above = 0; is_above < 2; ++is_above) {
                iso_world *world = world_make_small(0);
                floor_add(world, 0.7, 20, 0, 0, 0.5);
                const iso_body_id body = slider_add(world, &sliders[s], 3.1, is_above ? 0.3 : -2, 0, 0.5);
                body_set_velocity(world, body, 0, is_above ? -speeds[i] : speeds[i], 0);
                world_steps(world, (uint32_t)(60 * seconds[i]));
                const double y = body_pose(world, body).y;
                if (is_above) {
                    EXPECT(y > sliders[s].height - ACROSS, "%s from above at %g: %g m", sliders[s].name, -speeds[i], y);
                } else {
                    const double way = -2 + sliders[s].height + speeds[i] * seconds[i];
                    // A slow one is pushed out when its middle is through.
                    EXPECT(y > 0.99 * way && y < 1.01 * way + sliders[s].height, "%s from below at %g: %g m of %g m",
                           sliders[s].name, speeds[i], y, way);
                }
                world_free(world);
            }
        }
    }
}

/// What comes up from below until a part of it is through, but not its middle, falls back as if nothing were there.
static void test_what_is_not_through_falls_back(void **state) {
    (void)state;
    slider sliders[5];
    sliders_make(sliders);
    for (int s = 0; s < 5; ++s) {
        pose ends[2];
        for (int is_free = 0; is_free < 2; ++is_free) {
            iso_world *world = world_make_small(-GRAVITY);
            if (!is_free) {
                floor_add(world, 0.7, 20, 0, 0, 0.5);
            }
            // 0.45 m higher: the middle comes to a quarter of the height below the floor.
            const iso_body_id body = slider_add(world, &sliders[s], 3.1, -0.45 - 1.25 * sliders[s].height, 0, 0.5);
            body_set_velocity(world, body, 0, 3, 0);
            world_steps(world, 60);
            ends[is_free] = body_pose(world, body);
            world_free(world);
        }
        EXPECT_NEAR(ends[0].y, ends[1].y, 1e-6, "%s", sliders[s].name);
        EXPECT_NEAR(ends[0].x, ends[1].x, 1e-6, "%s", sliders[s].name);
    }
}

/// A kinematic platform of segments carries what stands on it, and turns with its body.
static void test_platforms_of_segments_move(void **state) {
    (void)state;
    slider sliders[5];
    sliders_make(sliders);
    for (int s = 0; s < 3; ++s) {
        iso_world *world = world_make_small(-GRAVITY);
        const iso_vec2_wide points[] = {at(12, 1), at(10, 1), at(9, 1), at(8, 1), at(6, 1)};
        iso_shape_def def = iso_shape_def_chain(points, 5, false, 0);
        // Upside down: its body is turned by half a turn, so the points lie beyond the origin.
        const iso_body_id platform = body_add_shape(world, ISO_BODY_KINEMATIC, 9, 1, PI, &def);
        for (uint32_t edge = 0; edge < 4; ++edge) {
            iso_shape_id shape;
            def = iso_shape_def_chain(points, 5, false, edge);
            for (int i = 0; i < 4; ++i) {
                def.segment[i].x = -def.segment[i].x;
                def.segment[i].y = -def.segment[i].y;
            }
            EXPECT_STATUS(iso_shape_create(world, platform, &def, &shape), ISO_OK);
        }
        const iso_body_id body = slider_add(world, &sliders[s], 18.2, 2, 1, 0.6);
        body_set_velocity(world, platform, 1, 0.5, 0);
        world_steps(world, 120);
        EXPECT_NEAR(body_pose(world, body).y, 3 + sliders[s].height, ACROSS, "%s", sliders[s].name);
        EXPECT_NEAR(body_pose(world, body).x, 20.2, 0.05, "%s", sliders[s].name);
        world_free(world);
    }
}

/// A lone segment ends where it ends: what slides on falls off.
static void test_a_lone_segment_ends(void **state) {
    (void)state;
    iso_world *world = world_make_small(-GRAVITY);
    const iso_shape_def def = iso_shape_def_segment(at(1, 0), at(-1, 0));
    body_add_shape(world, ISO_BODY_STATIC, 0, 0, 0, &def);
    slider sliders[5];
    sliders_make(sliders);
    const iso_body_id body = slider_add(world, &sliders[3], 0, 0, 2, 0);
    world_steps(world, 20);
    EXPECT_NEAR(body_pose(world, body).y, 0.5, ACROSS, "on it");
    world_steps(world, 100);
    EXPECT(body_pose(world, body).y < -1, "beyond its end: %g m", body_pose(world, body).y);
    world_free(world);
}

// ---- queries -------------------------------------------------------------------------------------

static void test_queries_see_segments(void **state) {
    (void)state;
    iso_world *world = world_make_small(0);
    const iso_query_filter all = iso_query_filter_default();
    floor_add(world, 1, 10, 600, -500, 0); // from -3 to 7 along y = 0
    iso_ray_hit ray;
    iso_point_hit point;
    iso_overlap_hit overlaps[16];
    uint32_t count;
    world_steps(world, 1);
    // Onto a joint and beside it, upright and slanting.
    for (int i = 0; i < 40; ++i) {
        const double x = -2 + 0.125 * i, from = x + (i % 3 - 1) * 1.37;
        EXPECT_STATUS(iso_query_ray_closest(world, at(from, 2), at(2 * (x - from), -4), all, &ray, &count), ISO_OK);
        EXPECT(count == 1, "a ray from above onto %g", x);
        EXPECT_NEAR(from_wide(ray.fraction), 0.5, 1e-6, "half of it");
        EXPECT_NEAR(ray.normal.y / 1073741824.0, 1, 1e-6, "normal");
        EXPECT_STATUS(iso_query_ray_closest(world, at(from, -2), at(2 * (x - from), 4), all, &ray, &count), ISO_OK);
        EXPECT(count == 0, "a ray from below onto %g", x);
    }
    EXPECT_STATUS(iso_query_ray_closest(world, at(7.5, 2), at(0, -4), all, &ray, &count), ISO_OK);
    assert_int_equal(count, 0);
    EXPECT_STATUS(iso_query_point_closest(world, at(1.5, 0.75), wide(1), all, &point, &count), ISO_OK);
    assert_int_equal(count, 1);
    EXPECT_NEAR(from_wide(point.distance), 0.75, 1e-6, "distance");
    EXPECT_STATUS(iso_query_point_closest(world, at(8, 0), wide(2), all, &point, &count), ISO_OK);
    EXPECT_NEAR(from_wide(point.distance), 1, 1e-6, "distance from the end");
    EXPECT_STATUS(iso_query_box_all(world, at(0.25, -1), at(2.75, 1), all, overlaps, 16, &count), ISO_OK);
    assert_int_equal(count, 3);
    EXPECT_STATUS(iso_query_box_all(world, at(0.25, 0.5), at(2.75, 1), all, overlaps, 16, &count), ISO_OK);
    assert_int_equal(count, 0);
    const iso_shape_def line = iso_shape_def_segment(at(300.5, 1), at(300.5, -1));
    EXPECT_STATUS(iso_query_shape_all(world, &line, at(-298, 0), 0, all, overlaps, 16, &count), ISO_OK);
    assert_int_equal(count, 1);
    world_free(world);
}

// ---- definitions ---------------------------------------------------------------------------------

static void test_definitions_are_checked(void **state) {
    (void)state;
    iso_world *world = world_make_small(-GRAVITY);
    const iso_shape_def good = iso_shape_def_segment(at(-1, 0), at(1, 0));
    iso_shape_def def = good, again;
    iso_shape_id shape;
    iso_body_id body;
    EXPECT_STATUS(iso_shape_def_check(&def), ISO_OK);
    def.radius = 1;
    EXPECT_STATUS(iso_shape_def_check(&def), ISO_ERR_GEOMETRY);
    def = iso_shape_def_segment(at(0, 0), at(0.0005, 0));
    EXPECT_STATUS(iso_shape_def_check(&def), ISO_ERR_GEOMETRY);
    for (int i = 0; i < 1000; ++i) { // 1 mm, wherever its ends are rounded
        const double turn = 0.37 * i, x = 0.731 * i - 365, y = 0.1 * i;
        def = iso_shape_def_segment(at(x, y), at(x + 0.001 * cos(turn), y + 0.001 * sin(turn)));
        EXPECT(iso_shape_def_check(&def) == ISO_OK, "1 mm at %g, %g is refused", x, y);
    }
    def = iso_shape_def_segment(at(0, 0), at(0.000999, 0));
    EXPECT_STATUS(iso_shape_def_check(&def), ISO_ERR_GEOMETRY);
    def = iso_shape_def_segment(at(-61, 0), at(60, 0));
    EXPECT_STATUS(iso_shape_def_check(&def), ISO_ERR_GEOMETRY);
    def = iso_shape_def_segment(at(1000.5, 0), at(999, 0));
    EXPECT_STATUS(iso_shape_def_check(&def), ISO_ERR_GEOMETRY);
    def = good;
    def.point_count = 2;
    EXPECT_STATUS(iso_shape_def_check(&def), ISO_ERR_GEOMETRY);
    def = iso_shape_def_segment((iso_vec2_wide){wide(700) + 3, -5}, (iso_vec2_wide){wide(710) + 1, 7});
    def.segment[0].x -= wide(3);
    body = body_add_shape(world, ISO_BODY_STATIC, 0, 0, 0.3, &def);
    shape = iso_body_next_shape(world, body, 0);
    EXPECT_STATUS(iso_shape_get(world, shape, &again, &body), ISO_OK);
    assert_int_equal(again.kind, ISO_SHAPE_SEGMENT);
    assert_int_equal(again.point_count, 0);
    assert_memory_equal(again.segment, def.segment, sizeof def.segment); // to the last bit
    // What moves has its segments within 60 m, and no mass of them.
    EXPECT_STATUS(iso_body_set_type(world, body, ISO_BODY_KINEMATIC), ISO_ERR_RANGE);
    body = body_add_shape(world, ISO_BODY_DYNAMIC, 0, 0, 0, &good);
    const iso_shape_def box = shape_box(0.5, 0.5);
    EXPECT_STATUS(iso_shape_create(world, body, &box, &shape), ISO_OK);
    EXPECT_NEAR(from_wide(body_view(world, body).mass), 1, 1e-6, "mass");
    EXPECT_STATUS(iso_shape_create(world, body, &def, &shape), ISO_ERR_GEOMETRY);
    world_free(world);
}

/// A world that is saved within the slide and restored goes on alike.
static void test_snapshots_keep_segments(void **state) {
    (void)state;
    iso_world *world = world_make_small(-GRAVITY), *other = world_make_small(-GRAVITY);
    slider sliders[5];
    sliders_make(sliders);
    floor_add(world, 0.7, 40, 600, -500, 0.1);
    for (int s = 0; s < 5; ++s) {
        slider_add(world, &sliders[s], s * 2.0, 0.5, 5, 0.1);
    }
    world_steps(world, 50);
    static uint8_t bytes[1 << 20], again[1 << 20];
    size_t size = iso_snapshot_encode(world, bytes, sizeof bytes);
    EXPECT_STATUS(iso_snapshot_decode(other, bytes, size), ISO_OK);
    world_steps(world, 100);
    world_steps(other, 100);
    size = iso_snapshot_encode(world, bytes, sizeof bytes);
    assert_int_equal(iso_snapshot_encode(other, again, sizeof again), size);
    assert_memory_equal(bytes, again, size);
    world_free(world);
    world_free(other);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bodies_slide_over_a_chain_as_over_a_floor),
        cmocka_unit_test(test_far_chains_carry),
        cmocka_unit_test(test_hollows_and_hills_lose_nothing),
        cmocka_unit_test(test_corners_roll),
        cmocka_unit_test(test_bodies_slide_over_segments_that_abut),
        cmocka_unit_test(test_bodies_slide_onto_ramps_that_abut),
        cmocka_unit_test(test_abutting_segments_that_rise_stop_a_body),
        cmocka_unit_test(test_bodies_pass_from_behind),
        cmocka_unit_test(test_what_is_not_through_falls_back),
        cmocka_unit_test(test_platforms_of_segments_move),
        cmocka_unit_test(test_a_lone_segment_ends),
        cmocka_unit_test(test_queries_see_segments),
        cmocka_unit_test(test_definitions_are_checked),
        cmocka_unit_test(test_snapshots_keep_segments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
