/// Debug drawing: where shapes, contacts and the parts of joints are drawn, against doubles, and what they are told to
/// belong to.
#include "isostep/particles.h"
#include "test_draw_util.h"

#include "world/world.h"
#include "isostep/games.h"

/// Cosine and sine are within 9.3e-10, places rounded to 2^-32 m, definitions to 2^-16 m.
#define EXACT 1e-7
/// What a corner's definition and its body's place lose by rounding.
#define ROUNDED (4 * QUANTUM_FIX16)

/// The only item of a role, or NULL.
static const iso_draw_item *picture_find(const picture *is, iso_draw_role role) {
    const iso_draw_item *found = NULL;
    for (uint32_t i = 0; i < is->count; ++i) {
        if (is->items[i].role == role) {
            EXPECT(found == NULL, "role %d stands twice in the picture", (int)role);
            found = &is->items[i];
        }
    }
    return found;
}

static const iso_draw_item *picture_need(const picture *is, iso_draw_role role) {
    const iso_draw_item *found = picture_find(is, role);
    EXPECT(found != NULL, "role %d is not in the picture", (int)role);
    return found;
}

static uint32_t picture_count(const picture *is, iso_draw_role role) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < is->count; ++i) {
        count += is->items[i].role == role;
    }
    return count;
}

static void expect_place(iso_vec2_wide at, double x, double y, double bound, const char *what) {
    EXPECT_NEAR(from_wide(at.x), x, bound, "%s, x", what);
    EXPECT_NEAR(from_wide(at.y), y, bound, "%s, y", what);
}

// ---- shapes --------------------------------------------------------------------------------------

static void test_a_rotated_box_is_drawn_at_its_corners(void **state) {
    (void)state;
    rng random = {5};
    for (int round = 0; round < 200; ++round) {
        iso_world *world = world_make_small(0);
        const double x = rng_range(&random, -900, 900), y = rng_range(&random, -900, 900);
        const double angle = rng_range(&random, -20, 20);
        const double width = rng_range(&random, 0.1, 20), height = rng_range(&random, 0.1, 20);
        const iso_shape_def box = shape_box(width, height);
        const iso_body_id body = body_add_shape(world, ISO_BODY_DYNAMIC, x, y, angle, &box);
        const picture is = picture_take(world, ISO_DRAW_SHAPES);
        assert_int_equal(is.count, 1);
        const iso_draw_item *item = &is.items[0];
        assert_int_equal(item->kind, ISO_DRAW_POLYGON);
        assert_int_equal(item->role, ISO_DRAW_OUTLINE);
        assert_int_equal(item->part, ISO_DRAW_SHAPES);
        assert_int_equal(item->body_type, ISO_BODY_DYNAMIC);
        assert_true(iso_body_id_equal(item->body, body));
        assert_int_equal(item->point_count, 4);
        assert_true(item->radius == 0);
        const pose at = body_pose(world, body);
        for (uint32_t i = 0; i < 4; ++i) {
            const double px = from_fix(box.points[i].x), py = from_fix(box.points[i].y);
            expect_place(item->points[i], at.x + px * cos(at.angle) - py * sin(at.angle),
                         at.y + px * sin(at.angle) + py * cos(at.angle), EXACT, "corner");
        }
        world_free(world);
    }
}

static void test_circles_capsules_and_rounded_polygons_have_their_radius(void **state) {
    (void)state;
    iso_world *world = world_make_small(0);
    const double angle = 0.7;
    const iso_shape_def circle = shape_circle(0.5), capsule = shape_capsule(-1, 0, 1, 0.5, 0.25);
    iso_shape_def rounded = shape_box(1, 2);
    rounded.radius = fix(0.125);
    body_add_shape(world, ISO_BODY_DYNAMIC, 3, 4, angle, &circle);
    body_add_shape(world, ISO_BODY_KINEMATIC, -3, 4, angle, &capsule);
    body_add_shape(world, ISO_BODY_STATIC, 0, 0, angle, &rounded);
    iso_shape_def tapered = capsule;
    tapered.radius_b = fix(0.5);
    body_add_shape(world, ISO_BODY_STATIC, 0, 0, angle, &tapered);
    const picture is = picture_take(world, ISO_DRAW_SHAPES);
    assert_int_equal(is.count, 5);
    assert_int_equal(is.items[0].kind, ISO_DRAW_CIRCLE);
    expect_place(is.items[0].points[0], 3, 4, EXACT, "a circle's centre");
    EXPECT_NEAR(from_wide(is.items[0].radius), 0.5, 0, "its radius");
    assert_int_equal(is.items[1].role, ISO_DRAW_HEADING);
    expect_place(is.items[1].points[0], 3, 4, EXACT, "the beginning of its heading");
    expect_place(is.items[1].points[1], 3 + 0.5 * cos(angle), 4 + 0.5 * sin(angle), ROUNDED, "the end of its heading");
    assert_int_equal(is.items[2].kind, ISO_DRAW_CAPSULE);
    assert_int_equal(is.items[2].body_type, ISO_BODY_KINEMATIC);
    assert_int_equal(is.items[2].point_count, 2);
    EXPECT_NEAR(from_wide(is.items[2].radius), 0.25, 0, "a capsule's radius");
    EXPECT_NEAR(from_wide(is.items[2].radius_b), 0.25, 0, "its radius at the second end");
    EXPECT_NEAR(from_wide(is.items[0].radius_b) + from_wide(is.items[3].radius_b), 0, 0, "no second radius");
    assert_int_equal(is.items[4].kind, ISO_DRAW_CAPSULE);
    EXPECT_NEAR(from_wide(is.items[4].radius), 0.25, 0, "a tapered capsule's radius");
    EXPECT_NEAR(from_wide(is.items[4].radius_b), 0.5, 0, "and that of its second end");
    expect_place(is.items[2].points[1], -3 + cos(angle) - 0.5 * sin(angle), 4 + sin(angle) + 0.5 * cos(angle), ROUNDED,
                 "a capsule's end");
    assert_int_equal(is.items[3].kind, ISO_DRAW_POLYGON);
    assert_int_equal(is.items[3].body_type, ISO_BODY_STATIC);
    EXPECT_NEAR(from_wide(is.items[3].radius), 0.125, 0, "the rounding of a polygon");
    world_free(world);
}

static void test_items_say_whose_they_are_and_who_sleeps(void **state) {
    (void)state;
    iso_world_def def = world_def_small(-10);
    def.sleep_speed = fix(0.05);
    iso_world *world = world_make(&def);
    const iso_shape_def ground = shape_box(10, 1), box = shape_box(0.5, 0.5);
    body_add_shape(world, ISO_BODY_STATIC, 0, -1, 0, &ground);
    const iso_body_id gone = body_add_shape(world, ISO_BODY_DYNAMIC, -5, 0.5, 0, &box);
    const iso_body_id body = body_add_shape(world, ISO_BODY_DYNAMIC, 0, 0.5, 0, &box);
    EXPECT_STATUS(iso_body_set_owner(world, body, (iso_owner){0, ISO_OWNER_EVERYONE}), ISO_OK);
    EXPECT_STATUS(iso_body_destroy(world, gone), ISO_OK);
    picture is = picture_take(world, ISO_DRAW_SHAPES | ISO_DRAW_BODIES);
    assert_int_equal(is.count, 4); // two shapes, then two bodies; nothing of the one that is gone
    assert_int_equal(is.items[0].owner.slot, ISO_OWNER_NOBODY);
    assert_int_equal(is.items[1].owner.slot, ISO_OWNER_EVERYONE);
    assert_int_equal(is.items[3].part, ISO_DRAW_BODIES);
    assert_int_equal(is.items[3].role, ISO_DRAW_CENTRE);
    assert_true(iso_body_id_equal(is.items[3].body, body));
    assert_int_equal(is.items[3].shape.generation, 0);
    expect_place(is.items[3].points[0], 0, 0.5, EXACT, "a body's centre");
    assert_false(is.items[1].is_asleep);
    world_steps(world, 90);
    is = picture_take(world, ISO_DRAW_ALL);
    assert_false(is.items[0].is_asleep);
    assert_true(is.items[1].is_asleep);
    EXPECT(picture_count(&is, ISO_DRAW_TOUCH) == 2, "%u contact points", picture_count(&is, ISO_DRAW_TOUCH));
    world_free(world);
}

static void test_contacts_are_drawn_where_shapes_touch(void **state) {
    (void)state;
    iso_world *world = world_make_small(-10);
    const iso_shape_def ground = shape_box(10, 1), box = shape_box(0.5, 0.25);
    body_add_shape(world, ISO_BODY_STATIC, 0, -1, 0, &ground);
    const iso_body_id body = body_add_shape(world, ISO_BODY_DYNAMIC, 2, 0.25, 0, &box);
    assert_int_equal(picture_take(world, ISO_DRAW_CONTACTS).count, 0);
    world_steps(world, 30);
    const picture is = picture_take(world, ISO_DRAW_CONTACTS);
    assert_int_equal(is.count, 4);
    double left = 0, right = 0;
    for (uint32_t i = 0; i < 4; i += 2) {
        const iso_draw_item *point = &is.items[i], *normal = &is.items[i + 1];
        assert_int_equal(point->role, ISO_DRAW_TOUCH);
        assert_int_equal(normal->role, ISO_DRAW_NORMAL);
        assert_int_equal(normal->kind, ISO_DRAW_ARROW);
        assert_true(iso_body_id_equal(point->body, body));
        assert_true(point->is_active);
        const double x = from_wide(point->points[0].x), y = from_wide(point->points[0].y);
        EXPECT_NEAR(y, 0, 0.01, "a contact point's height");
        left = x < 2 ? x : left;
        right = x > 2 ? x : right;
        EXPECT_NEAR(from_wide(normal->points[1].x), x, EXACT, "a normal points up from the ground");
        EXPECT(from_wide(normal->points[1].y) > y + 0.05, "a normal to y = %g", from_wide(normal->points[1].y));
    }
    EXPECT_NEAR(left, 1.5, 0.01, "the left contact point");
    EXPECT_NEAR(right, 2.5, 0.01, "the right contact point");
    world_free(world);
}

// ---- joints --------------------------------------------------------------------------------------

/// The anchors are the points 0 and 1 of the list, wherever they are.
static void expect_kind(uint8_t kind, const char *name) {
    const pair world = pair_make();
    const iso_joint_def def = pair_def(&world, kind);
    iso_joint_id joint;
    EXPECT_STATUS(iso_joint_create(world.world, &def, &joint), ISO_OK);
    const picture is = picture_take(world.world, ISO_DRAW_JOINTS);
    EXPECT(picture_count(&is, ISO_DRAW_ANCHOR) >= 2, "%s: %u anchors", name, picture_count(&is, ISO_DRAW_ANCHOR));
    const uint32_t links = picture_count(&is, ISO_DRAW_LINK) + picture_count(&is, ISO_DRAW_SPRING);
    EXPECT(links + picture_count(&is, ISO_DRAW_AXIS) > 0, "%s: no link", name);
    EXPECT(picture_count(&is, ISO_DRAW_LIMIT) >= def.limit_enabled, "%s: no limit", name);
    EXPECT(picture_count(&is, ISO_DRAW_MOTOR) >= def.motor_enabled, "%s: no motor", name);
    EXPECT(picture_count(&is, ISO_DRAW_SPRING) >= def.spring_enabled, "%s: no spring", name);
    for (uint32_t i = 0; i < is.count; ++i) {
        assert_int_equal(is.items[i].part, ISO_DRAW_JOINTS);
        assert_int_equal(is.items[i].joint_kind, kind);
        assert_int_equal(is.items[i].joint.index, joint.index);
        assert_int_equal(is.items[i].joint.generation, joint.generation);
        assert_true(is.items[i].is_active);
    }
    EXPECT_STATUS(iso_joint_enable(world.world, joint, false), ISO_OK);
    assert_false(picture_take(world.world, ISO_DRAW_JOINTS).items[0].is_active);
    EXPECT_STATUS(iso_joint_destroy(world.world, joint), ISO_OK);
    assert_int_equal(picture_take(world.world, ISO_DRAW_JOINTS).count, 0);
    world_free(world.world);
}

static void test_every_kind_of_joint_is_drawn_with_all_that_it_has(void **state) {
    (void)state;
#define EXPECT_KIND(name, number, snake, has)           \
    if (((has)&ISO_JOINT_IS_CUSTOM) == 0) { /* below */ \
        expect_kind(number, #snake);                    \
    }
    ISO_JOINT_KIND_LIST(EXPECT_KIND)
#undef EXPECT_KIND
}

static void test_an_angular_limit_is_an_arc_in_the_frame_of_body_a(void **state) {
    (void)state;
    const pair world = pair_make();
    iso_joint_def def = pair_def(&world, ISO_JOINT_REVOLUTE);
    def.anchor_a = (iso_vec2){fix(2), fix(0.5)};
    def.anchor_b = (iso_vec2){fix(-0.5), fix(0.25)};
    def.lower = fix(-0.5);
    def.upper = fix(0.75);
    def.rest = fix(0.125);
    def.motor_speed = fix(-3);
    iso_joint_id joint;
    EXPECT_STATUS(iso_joint_create(world.world, &def, &joint), ISO_OK);
    const picture is = picture_take(world.world, ISO_DRAW_JOINTS);
    const double ax = 1 + 2 * cos(0.3) - 0.5 * sin(0.3), ay = 2 + 2 * sin(0.3) + 0.5 * cos(0.3);
    const double bx = 4 - 0.5 * cos(0.5) - 0.25 * sin(0.5), by = 2 - 0.5 * sin(0.5) + 0.25 * cos(0.5);
    const iso_draw_item *link = picture_need(&is, ISO_DRAW_LINK);
    expect_place(link->points[0], ax, ay, ROUNDED, "A's anchor");
    expect_place(link->points[1], bx, by, ROUNDED, "B's anchor");
    const iso_draw_item *lever = picture_need(&is, ISO_DRAW_LEVER); // a static body has none
    expect_place(lever->points[0], 4, 2, ROUNDED, "B's centre");
    expect_place(lever->points[1], bx, by, ROUNDED, "the end of B's lever");
    const iso_draw_item *limit = picture_need(&is, ISO_DRAW_LIMIT);
    assert_int_equal(limit->kind, ISO_DRAW_ARC);
    expect_place(limit->points[0], bx, by, ROUNDED, "the middle of the arc");
    EXPECT(limit->radius > 0, "an arc of radius 0");
    EXPECT_NEAR(from_wide(limit->angle_from), 0.3 - 0.5, 1e-4, "the lower limit");
    EXPECT_NEAR(from_wide(limit->angle_to), 0.3 + 0.75, 1e-4, "the upper limit");
    const iso_draw_item *now = picture_need(&is, ISO_DRAW_ANGLE);
    expect_place(now->points[1], bx + from_wide(limit->radius) * cos(0.5), by + from_wide(limit->radius) * sin(0.5),
                 ROUNDED, "the present angle");
    const iso_draw_item *spring = picture_need(&is, ISO_DRAW_SPRING);
    EXPECT_NEAR(from_wide(spring->angle_from), 0.3 + 0.125, 1e-4, "the spring's rest");
    EXPECT_NEAR(from_wide(spring->angle_to), 0.5, 1e-4, "the spring's angle");
    const iso_draw_item *motor = picture_need(&is, ISO_DRAW_MOTOR);
    EXPECT(motor->angle_to < motor->angle_from, "a motor with negative speed turns clockwise");
    world_free(world.world);
}

static void test_a_limit_of_a_length_lies_on_its_line(void **state) {
    (void)state;
    const pair world = pair_make();
    iso_joint_def def = pair_def(&world, ISO_JOINT_DISTANCE);
    def.lower = fix(1);
    def.upper = fix(5);
    iso_joint_id joint;
    EXPECT_STATUS(iso_joint_create(world.world, &def, &joint), ISO_OK);
    const picture is = picture_take(world.world, ISO_DRAW_JOINTS);
    const iso_draw_item *limit = picture_need(&is, ISO_DRAW_LIMIT);
    assert_int_equal(limit->kind, ISO_DRAW_LINE);
    expect_place(limit->points[0], 2, 2, ROUNDED, "the shortest length");
    expect_place(limit->points[1], 6, 2, ROUNDED, "the longest length");
    const iso_draw_item *spring = picture_need(&is, ISO_DRAW_SPRING);
    expect_place(spring->points[0], 1, 2, ROUNDED, "the spring's beginning");
    expect_place(spring->points[1], 4, 2, ROUNDED, "the spring's end");
    assert_null(picture_find(&is, ISO_DRAW_LINK));
    world_free(world.world);
}

static void test_a_target_is_drawn_at_its_place_in_the_world(void **state) {
    (void)state;
    const pair world = pair_make();
    iso_joint_def def = pair_def(&world, ISO_JOINT_TARGET);
    def.target = iso_vec2_to_wide((iso_vec2){fix(-7), fix(300)});
    iso_joint_id joint;
    EXPECT_STATUS(iso_joint_create(world.world, &def, &joint), ISO_OK);
    const picture is = picture_take(world.world, ISO_DRAW_JOINTS);
    const iso_draw_item *link = picture_need(&is, ISO_DRAW_LINK);
    expect_place(link->points[0], -7, 300, EXACT, "the target");
    expect_place(link->points[1], 4, 2, ROUNDED, "the body's anchor");
    assert_int_equal(is.items[0].body.generation, 0); // the target's anchor is the world's
    world_free(world.world);
}

static void test_a_line_that_a_body_carries_is_drawn_with_its_range(void **state) {
    (void)state;
    const pair world = pair_make();
    iso_joint_def def = pair_def(&world, ISO_JOINT_LINE);
    def.anchor_a = (iso_vec2){fix(0.5), 0};
    def.axis = (iso_vec2){0, fix(-3)}; // of any length
    def.spring_enabled = false;
    def.lower = fix(-1);
    def.upper = fix(2);
    iso_joint_id joint;
    EXPECT_STATUS(iso_joint_create(world.world, &def, &joint), ISO_OK);
    const picture is = picture_take(world.world, ISO_DRAW_JOINTS);
    const double ax = 1 + 0.5 * cos(0.3), ay = 2 + 0.5 * sin(0.3), dx = sin(0.3), dy = -cos(0.3);
    const iso_draw_item *limit = picture_need(&is, ISO_DRAW_LIMIT), *line = picture_need(&is, ISO_DRAW_AXIS);
    expect_place(limit->points[0], ax - dx, ay - dy, ROUNDED, "the lower end of the range");
    expect_place(limit->points[1], ax + 2 * dx, ay + 2 * dy, ROUNDED, "the upper end of the range");
    const double begin = (from_wide(line->points[0].x) - ax) * dx + (from_wide(line->points[0].y) - ay) * dy;
    const double end = (from_wide(line->points[1].x) - ax) * dx + (from_wide(line->points[1].y) - ay) * dy;
    const double now = (4 - ax) * dx + (2 - ay) * dy;
    EXPECT(begin < 0 && end > now && now > 0, "a line from %g to %g with the body at %g", begin, end, now);
    const iso_draw_item *motor = picture_need(&is, ISO_DRAW_MOTOR);
    const double moved = (from_wide(motor->points[1].x) - 4) * dx + (from_wide(motor->points[1].y) - 2) * dy;
    EXPECT(motor->kind == ISO_DRAW_ARROW && moved > 0.05, "a motor that drives along the line, by %g", moved);
    assert_null(picture_find(&is, ISO_DRAW_LINK));
    world_free(world.world);
}

static void test_the_motor_of_a_wheel_turns(void **state) {
    (void)state;
    const pair world = pair_make();
    const iso_joint_def def = pair_def(&world, ISO_JOINT_WHEEL);
    iso_joint_id joint;
    EXPECT_STATUS(iso_joint_create(world.world, &def, &joint), ISO_OK);
    const picture is = picture_take(world.world, ISO_DRAW_JOINTS);
    assert_int_equal(picture_need(&is, ISO_DRAW_MOTOR)->kind, ISO_DRAW_ARC);
    assert_int_equal(picture_need(&is, ISO_DRAW_SPRING)->kind, ISO_DRAW_LINE);
    world_free(world.world);
}

static void test_a_ratio_turns_limits_into_angles_of_body_b(void **state) {
    (void)state;
    const pair world = pair_make();
    iso_joint_def def = pair_def(&world, ISO_JOINT_ANGLE);
    def.ratio = fix(-2);
    def.lower = fix(-0.5);
    def.upper = fix(0.75);
    iso_joint_id joint;
    EXPECT_STATUS(iso_joint_create(world.world, &def, &joint), ISO_OK);
    const picture is = picture_take(world.world, ISO_DRAW_JOINTS);
    const iso_draw_item *limit = picture_need(&is, ISO_DRAW_LIMIT);
    // ratio phiB - phiA = x
    EXPECT_NEAR(from_wide(limit->angle_from), (0.3 - 0.5) / -2, 1e-4, "the lower limit");
    EXPECT_NEAR(from_wide(limit->angle_to), (0.3 + 0.75) / -2, 1e-4, "the upper limit");
    expect_place(limit->points[0], 4, 2, ROUNDED, "it has no anchor, so the body's centre");
    world_free(world.world);
}

static void test_a_ratchet_shows_the_step_that_holds(void **state) {
    (void)state;
    const pair world = pair_make();
    iso_joint_def def = pair_def(&world, ISO_JOINT_RATCHET);
    def.rest = fix(-0.25);
    def.ratchet = fix(0.125);
    iso_joint_id joint;
    EXPECT_STATUS(iso_joint_create(world.world, &def, &joint), ISO_OK);
    const picture is = picture_take(world.world, ISO_DRAW_JOINTS);
    const iso_draw_item *limit = picture_need(&is, ISO_DRAW_LIMIT);
    // 0.5 - 0.3 has passed rest + 3 steps = 0.125
    EXPECT_NEAR(from_wide(limit->angle_from), 0.3 + 0.125, 1e-4, "the step that holds");
    EXPECT_NEAR(from_wide(limit->angle_to), 0.3 + 0.25, 1e-4, "the next step");
    world_free(world.world);
}

static void test_a_pulley_has_two_ropes(void **state) {
    (void)state;
    const pair world = pair_make();
    const iso_shape_def box = shape_box(0.5, 0.5);
    const iso_body_id d = body_add_shape(world.world, ISO_BODY_DYNAMIC, 1, -2, 0, &box);
    iso_joint_def def = pair_def(&world, ISO_JOINT_PULLEY);
    def.body_d = d;
    def.spring_enabled = false;
    def.ratio = fix(0.5);
    def.lower = fix(0.5);
    def.upper = fix(6);
    iso_joint_id joint;
    EXPECT_STATUS(iso_joint_create(world.world, &def, &joint), ISO_OK);
    const picture is = picture_take(world.world, ISO_DRAW_JOINTS);
    assert_int_equal(picture_count(&is, ISO_DRAW_LINK), 2);
    assert_int_equal(picture_count(&is, ISO_DRAW_ANCHOR), 4);
    // The other rope is 4 m long and takes 2 m of the limits.
    const iso_draw_item *limit = picture_need(&is, ISO_DRAW_LIMIT);
    expect_place(limit->points[0], 1, 2, ROUNDED, "nothing is left of the lower limit");
    expect_place(limit->points[1], 1 + 4, 2, ROUNDED, "what is left of the upper limit");
    world_free(world.world);
}

static void test_a_motor_joint_shows_where_it_drives_to(void **state) {
    (void)state;
    const pair world = pair_make();
    iso_joint_def def = pair_def(&world, ISO_JOINT_MOTOR);
    def.anchor_a = (iso_vec2){fix(1), 0};
    def.rest = fix(-0.5);
    iso_joint_id joint;
    EXPECT_STATUS(iso_joint_create(world.world, &def, &joint), ISO_OK);
    const picture is = picture_take(world.world, ISO_DRAW_JOINTS);
    assert_int_equal(picture_count(&is, ISO_DRAW_MOTOR), 2);
    for (uint32_t i = 0; i < is.count; ++i) {
        if (is.items[i].role == ISO_DRAW_MOTOR && is.items[i].kind == ISO_DRAW_ARROW) {
            expect_place(is.items[i].points[0], 4, 2, ROUNDED, "where it is");
            expect_place(is.items[i].points[1], 1 + cos(0.3), 2 + sin(0.3), ROUNDED, "where it goes");
        } else if (is.items[i].role == ISO_DRAW_MOTOR) {
            EXPECT_NEAR(from_wide(is.items[i].angle_from), 0.5, 1e-4, "how it is turned");
            EXPECT_NEAR(from_wide(is.items[i].angle_to), 0.3 - 0.5, 1e-4, "how it will be turned");
        }
    }
    world_free(world.world);
}

/// A symbolic joint of `count` bodies in a row of `count` + 1, the first of them static: the last one is not its.
static void expect_custom(uint32_t count) {
    static const char *const sources[] = {
        "body a constraint a.rotation", "body a, b constraint b.rotation - a.rotation",
        "body a, b, c constraint a.rotation + b.rotation + c.rotation",
        "body a, b, c, d constraint a.rotation + b.rotation + c.rotation + d.rotation"};
    static iso_program_scratch scratch;
    iso_program program;
    const char *source = sources[count - 1];
    EXPECT_STATUS(iso_program_compile(source, strlen(source), &scratch, &program, NULL), ISO_OK);
    iso_world *world = world_make_small(0);
    const iso_shape_def box = shape_box(0.5, 0.5);
    iso_body_id bodies[5];
    for (uint32_t i = 0; i <= count; ++i) {
        bodies[i] = body_add_shape(world, i == 0 ? ISO_BODY_STATIC : ISO_BODY_DYNAMIC, 3 * (int)i, i, 0.5, &box);
    }
    iso_joint_def def = iso_joint_def_default();
    def.kind = ISO_JOINT_SYMBOLIC;
    EXPECT_STATUS(iso_world_add_program(world, &program, &def.constraint), ISO_OK);
    iso_body_id *const places[] = {&def.body_a, &def.body_b, &def.body_c, &def.body_d};
    const uint32_t first = count == 1; // one body is B
    for (uint32_t i = 0; i < count; ++i) {
        *places[first + i] = bodies[first + i];
    }
    iso_joint_id joint;
    EXPECT_STATUS(iso_joint_create(world, &def, &joint), ISO_OK);
    const picture is = picture_take(world, ISO_DRAW_JOINTS);
    uint32_t anchors = 0, links = 0;
    for (uint32_t i = 0; i < is.count; ++i) {
        const iso_draw_item *item = &is.items[i];
        assert_int_equal(item->joint_kind, ISO_JOINT_SYMBOLIC);
        if (item->role == ISO_DRAW_ANCHOR) {
            const double at = first + anchors;
            expect_place(item->points[0], 3 * at, at, ROUNDED, "a body of the joint");
            assert_true(iso_body_id_equal(item->body, bodies[first + anchors]));
            assert_int_equal(item->body_type, at == 0 ? ISO_BODY_STATIC : ISO_BODY_DYNAMIC);
            ++anchors;
        } else if (item->role == ISO_DRAW_LINK) {
            expect_place(item->points[0], 3 * links, links, ROUNDED, "from one body");
            expect_place(item->points[1], 3 * (links + 1), links + 1, ROUNDED, "to the next");
            ++links;
        }
    }
    EXPECT(anchors == count && links == count - 1, "%u bodies: %u anchors, %u links", count, anchors, links);
    world_free(world);
}

static void test_a_custom_joint_links_all_bodies_that_it_has(void **state) {
    (void)state;
    for (uint32_t count = 1; count <= ISO_PROGRAM_BODIES_MAX; ++count) {
        expect_custom(count);
    }
}

// ---- games ---------------------------------------------------------------------------------------

/// Shows two numbers: a line that may not be and one that may, then more points than there is room for.
static bool game_draw(const iso_world *world, const void *state, uint32_t index, iso_draw *draw) {
    (void)world, (void)state;
    if (index == 0) {
        iso_draw_add(draw, &(iso_draw_item){.kind = ISO_DRAW_LINE, .point_count = 1});
        iso_draw_add(draw, &(iso_draw_item){.kind = 99, .point_count = 1});
        iso_draw_add(draw, &(iso_draw_item){.kind = ISO_DRAW_POLYGON, .point_count = 9});
        iso_draw_add(draw, &(iso_draw_item){.kind = ISO_DRAW_LINE,
                                            .point_count = 2,
                                            .owner = {.generation = 1, .slot = 3},
                                            .points = {{wide(1), wide(2)}, {wide(3), wide(4)}}});
    }
    for (int i = 0; index == 1 && i < 40; ++i) {
        iso_draw_add(draw, &(iso_draw_item){.kind = ISO_DRAW_POINT, .point_count = 1, .points = {{wide(i), 0}}});
    }
    return index < 2;
}

static void test_a_game_shows_what_it_has(void **state) {
    (void)state;
    const iso_game game = {.name = "marks", .version = 1, .control_layout = "none", .draw = game_draw};
    iso_world_def def = world_def_small(0);
    strcpy(def.game, "marks");
    const size_t size = iso_world_size(&def, &game);
    void *memory = aligned_alloc(64, size);
    iso_world *world = NULL;
    EXPECT_STATUS(iso_world_create(&def, &game, memory, size, &world), ISO_OK);
    const picture is = picture_take(world, ISO_DRAW_ALL);
    assert_int_equal(is.count, 1 + ISO_DRAW_ITEMS_MAX);
    assert_int_equal(is.items[0].kind, ISO_DRAW_LINE);
    assert_int_equal(is.items[0].part, ISO_DRAW_GAME);
    assert_int_equal(is.items[0].role, ISO_DRAW_MARK);
    assert_int_equal(is.items[0].owner.slot, 3);
    assert_int_equal(is.items[1].owner.slot, ISO_OWNER_NOBODY);
    expect_place(is.items[0].points[1], 3, 4, EXACT, "the end of the line");
    expect_place(is.items[ISO_DRAW_ITEMS_MAX].points[0], ISO_DRAW_ITEMS_MAX - 1, 0, EXACT, "the last point");
    assert_int_equal(picture_take(world, ISO_DRAW_ALL - ISO_DRAW_GAME).count, 0);
    free(memory);
}

static void test_cloth_is_drawn_by_its_links(void **state) {
    (void)state;
    static iso_draw_item items[4096];
    iso_world_def def = world_def_small(-10);
    strcpy(def.game, "cloth");
    for (uint32_t i = 0; i < iso_game_cloth.param_count; ++i) {
        def.game_params[i] = iso_game_cloth.params[i].value;
    }
    const size_t size = iso_world_size(&def, &iso_game_cloth);
    void *memory = aligned_alloc(64, size);
    iso_world *world = NULL;
    EXPECT_STATUS(iso_world_create(&def, &iso_game_cloth, memory, size, &world), ISO_OK);
    iso_world_start(world);
    world_steps(world, 20);
    const iso_particles *particles = (const void *)world->game_state;
    uint32_t count, lines = 0;
    iso_draw_fill(world, ISO_DRAW_GAME, items, 4096, &count);
    assert_true(particles->link_count > 100 && particles->links_torn == 0);
    assert_int_equal(count, particles->link_count);
    for (uint32_t i = 0; i < particles->link_count; ++i) {
        lines += items[i].kind == ISO_DRAW_LINE && items[i].points[0].x == particles->x[particles->link_a[i]] &&
                 items[i].points[1].y == particles->y[particles->link_b[i]];
    }
    assert_int_equal(lines, particles->link_count);
    free(memory);
}

// ---- the array -----------------------------------------------------------------------------------

static void test_a_short_array_is_filled_and_the_count_shows_it(void **state) {
    (void)state;
    iso_world *world = world_make_small(0);
    uint32_t count = 77;
    iso_draw_fill(world, ISO_DRAW_ALL, NULL, 0, &count);
    assert_int_equal(count, 0); // an empty world
    const iso_shape_def circle = shape_circle(0.5);
    for (int i = 0; i < 10; ++i) {
        body_add_shape(world, ISO_BODY_DYNAMIC, 3 * i, 0, 0, &circle);
    }
    iso_draw_item items[6];
    memset(items, 0x5A, sizeof items);
    const iso_draw_item untouched = items[5];
    iso_draw_fill(world, ISO_DRAW_ALL, items, 5, &count);
    assert_int_equal(count, 30); // circle, heading and centre of each
    assert_int_equal(items[4].body.index, 2);
    assert_memory_equal(&items[5], &untouched, sizeof untouched);
    iso_draw_fill(world, 0, items, 5, &count);
    assert_int_equal(count, 0);
    world_free(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_rotated_box_is_drawn_at_its_corners),
        cmocka_unit_test(test_circles_capsules_and_rounded_polygons_have_their_radius),
        cmocka_unit_test(test_items_say_whose_they_are_and_who_sleeps),
        cmocka_unit_test(test_contacts_are_drawn_where_shapes_touch),
        cmocka_unit_test(test_every_kind_of_joint_is_drawn_with_all_that_it_has),
        cmocka_unit_test(test_an_angular_limit_is_an_arc_in_the_frame_of_body_a),
        cmocka_unit_test(test_a_limit_of_a_length_lies_on_its_line),
        cmocka_unit_test(test_a_line_that_a_body_carries_is_drawn_with_its_range),
        cmocka_unit_test(test_the_motor_of_a_wheel_turns),
        cmocka_unit_test(test_a_ratio_turns_limits_into_angles_of_body_b),
        cmocka_unit_test(test_a_ratchet_shows_the_step_that_holds),
        cmocka_unit_test(test_a_pulley_has_two_ropes),
        cmocka_unit_test(test_a_motor_joint_shows_where_it_drives_to),
        cmocka_unit_test(test_a_custom_joint_links_all_bodies_that_it_has),
        cmocka_unit_test(test_a_target_is_drawn_at_its_place_in_the_world),
        cmocka_unit_test(test_a_game_shows_what_it_has),
        cmocka_unit_test(test_cloth_is_drawn_by_its_links),
        cmocka_unit_test(test_a_short_array_is_filled_and_the_count_shows_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
