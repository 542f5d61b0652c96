/// Drawing in space: where the parts of joints are drawn. Directions that an axis is measured from are found by turning
/// B there.
#include "draw3_util.h"

static picture is;

static iso_joint_id joint_make(const pair *bodies, const iso_joint3_def *def) {
    iso_joint_id joint = {0, 0};
    EXPECT_STATUS(iso_joint3_create(bodies->world, def, &joint), ISO_OK);
    return joint;
}

/// An axis of the joint's frame on a body.
static vec3 axis_of(const pair *bodies, int which, vec3 axis) {
    return quat_rotate(bodies->turns[which], quat_rotate(bodies->frames[which], axis));
}

/// Where an arc is at an angle.
static vec3 arc_direction(const iso_draw3_item *arc, double angle) {
    const vec3 n = from_unit3(arc->normal), side = from_unit3(arc->side);
    return vec3_add(vec3_scale(side, cos(angle)), vec3_scale(vec3_cross(n, side), sin(angle)));
}

static void turn_b(pair *bodies, vec3 turn) {
    bodies->turns[1] = quat_mul(quat_of(turn), bodies->turns[1]);
    EXPECT_STATUS(iso_body3_set_position(bodies->world, bodies->b, wide3(bodies->places[1]), quat_to(bodies->turns[1])),
                  ISO_OK);
}

// ---- all kinds -----------------------------------------------------------------------------------

static void expect_kind(uint8_t kind, uint32_t linear, const char *name) {
    const pair bodies = pair_make();
    const iso_joint3_def def = pair_def(&bodies, kind);
    const iso_joint_id joint = joint_make(&bodies, &def);
    picture_take(bodies.world, ISO_DRAW_JOINTS, &is);
    uint32_t axes = 0;
    for (uint32_t n = 0; n < ISO_JOINT3_AXES; ++n) {
        axes += iso_joint3_axis_of(kind, n) != ISO_JOINT3_AXIS_NONE;
    }
    EXPECT(picture_count(&is, ISO_DRAW_ANCHOR) == (kind == ISO_JOINT3_PARALLEL ? 1 : 2), "%s: %u anchors", name,
           picture_count(&is, ISO_DRAW_ANCHOR));
    const uint32_t links =
        picture_count(&is, ISO_DRAW_LINK) + picture_count(&is, ISO_DRAW_SPRING) + picture_count(&is, ISO_DRAW_AXIS);
    EXPECT(links > 0, "%s: no link", name);
    EXPECT((picture_count(&is, ISO_DRAW_LINK) == 1) == (linear == 3), "%s: %u links", name,
           picture_count(&is, ISO_DRAW_LINK));
    EXPECT(picture_count(&is, ISO_DRAW_LIMIT) >= axes, "%s: no limit", name);
    EXPECT(picture_count(&is, ISO_DRAW_MOTOR) == axes + (kind == ISO_JOINT3_MOTOR), "%s: no motor", name);
    EXPECT(picture_count(&is, ISO_DRAW_SPRING) == axes, "%s: no spring", name);
    for (uint32_t i = 0; i < is.count; ++i) {
        assert_int_equal(is.items[i].part, ISO_DRAW_JOINTS);
        assert_int_equal(is.items[i].joint_kind, kind);
        assert_true(iso_joint_id_equal(is.items[i].joint, joint));
        assert_true(is.items[i].is_active);
        if (is.items[i].kind == ISO_DRAW3_ARC) {
            EXPECT_NEAR(vec3_dot(from_unit3(is.items[i].normal), from_unit3(is.items[i].side)), 0, 1e-8, "%s", name);
            EXPECT(is.items[i].radius > 0, "%s: an arc of radius 0", name);
        }
    }
    EXPECT_STATUS(iso_joint_enable(bodies.world, joint, false), ISO_OK);
    picture_take(bodies.world, ISO_DRAW_JOINTS, &is);
    assert_false(is.items[0].is_active);
    EXPECT_STATUS(iso_joint_destroy(bodies.world, joint), ISO_OK);
    picture_take(bodies.world, ISO_DRAW_JOINTS, &is);
    assert_int_equal(is.count, 0);
    world_free(bodies.world);
}

static void test_every_kind_of_joint_is_drawn_with_all_that_it_has(void **state) {
    (void)state;
#define EXPECT_KIND(name, number, snake, linear, angular, axis0, axis1, axis2, has) expect_kind(number, linear, #snake);
    ISO_JOINT3_KIND_LIST(EXPECT_KIND)
#undef EXPECT_KIND
}

// Of rows of one's own it draws the bodies' places and what lies between.
static void test_a_joint_of_a_text_is_drawn_between_its_bodies(void **state) {
    (void)state;
    static const char *const sources[] = {"body b constraint b.position.y",
                                          "body a, b constraint |b.position - a.position|"};
    static iso_program_scratch scratch;
    for (uint32_t i = 0; i < 2; ++i) {
        pair bodies = pair_make();
        iso_program program;
        EXPECT_STATUS(iso_program3_compile(sources[i], strlen(sources[i]), &scratch, &program, NULL), ISO_OK);
        iso_joint3_def def = iso_joint3_def_default(ISO_JOINT3_SYMBOLIC);
        EXPECT_STATUS(iso_world_add_program(bodies.world, &program, &def.constraint), ISO_OK);
        def.body_a = i == 0 ? (iso_body_id){0, 0} : bodies.a;
        def.body_b = bodies.b;
        joint_make(&bodies, &def);
        picture_take(bodies.world, ISO_DRAW_JOINTS, &is);
        assert_int_equal(picture_count(&is, ISO_DRAW_ANCHOR), i + 1);
        assert_int_equal(picture_count(&is, ISO_DRAW_LINK), i);
        world_free(bodies.world);
    }
}

// ---- angles --------------------------------------------------------------------------------------

/// Axis n of a kind: its limit's arc ends where B is when its angle is the limit's, and begins likewise.
/// @param about  the axis of `body` that B turns about when this angle alone changes
static void expect_angle(uint8_t kind, uint32_t n, int body, const char *name) {
    pair bodies = pair_make();
    iso_joint3_def def = pair_def(&bodies, kind);
    if (kind != ISO_JOINT3_UNIVERSAL && kind != ISO_JOINT3_HINGE2) { // so that a_B is along a_A
        bodies.turns[1] =
            quat_mul(bodies.turns[0],
                     quat_mul(bodies.frames[0], quat_mul(quat_of((vec3){0.3, 0, 0}), quat_conj(bodies.frames[1]))));
        turn_b(&bodies, (vec3){0, 0, 0});
    }
    for (uint32_t k = 0; k < ISO_JOINT3_AXES; ++k) {
        def.axes[k].limit_enabled = def.axes[k].spring_enabled = def.axes[k].motor_enabled = k == n;
    }
    def.axes[n].motor_speed = fix(-3);
    const iso_joint_id joint = joint_make(&bodies, &def);
    picture_take(bodies.world, ISO_DRAW_JOINTS, &is);
    const iso_draw3_item limit = *picture_need(&is, ISO_DRAW_LIMIT), spring = *picture_need(&is, ISO_DRAW_SPRING);
    const iso_draw3_item motor = *picture_need(&is, ISO_DRAW_MOTOR), now = *picture_need(&is, ISO_DRAW_ANGLE);
    iso_wide value;
    EXPECT_STATUS(iso_joint3_get_axis(bodies.world, joint, n, &value), ISO_OK);
    assert_int_equal(limit.kind, ISO_DRAW3_ARC);
    expect_place(limit.points[0], bodies.places[1], ROUNDED, name);
    EXPECT_NEAR(from_wide(limit.angle_to) - from_wide(limit.angle_from), 1, 1e-4, "%s: the limit's range", name);
    EXPECT_NEAR(from_wide(spring.angle_to), 0, 0, "%s: a spring ends where B is", name);
    EXPECT_NEAR(from_wide(motor.angle_from), 0, 0, "%s: a motor begins where B is", name);
    EXPECT_NEAR(from_wide(motor.angle_to), -3.14159265358979 / 2, 1e-8, "%s: a motor's quarter turn", name);
    const vec3 tip = vec3_scale(from_unit3(limit.side), from_wide(limit.radius));
    expect_place(now.points[1], vec3_add(from_wide3(now.points[0]), tip), EXACT, "the present angle");
    const double angles[3] = {from_wide(limit.angle_from), from_wide(limit.angle_to), from_wide(spring.angle_from)};
    const double values[3] = {0.25, 1.25, 0.75};
    for (int i = 0; i < 3; ++i) {
        const vec3 wanted = arc_direction(&limit, angles[i]);
        pair turned = bodies;
        turn_b(&turned, vec3_scale(axis_of(&bodies, body, (vec3){1, 0, 0}), values[i] - from_wide(value)));
        iso_wide there;
        EXPECT_STATUS(iso_joint3_get_axis(bodies.world, joint, n, &there), ISO_OK);
        EXPECT_NEAR(from_wide(there), values[i], 1e-6, "%s: B is turned to the limit", name);
        picture_take(bodies.world, ISO_DRAW_JOINTS, &is);
        expect_near3(from_unit3(picture_need(&is, ISO_DRAW_LIMIT)->side), wanted, 2e-5, name);
        turn_b(&bodies, (vec3){0, 0, 0});
    }
    world_free(bodies.world);
}

static void test_arcs_of_angles_end_where_b_is_at_their_limits(void **state) {
    (void)state;
    expect_angle(ISO_JOINT3_HINGE, 0, 0, "a hinge");
    expect_angle(ISO_JOINT3_CYLINDRICAL, 1, 0, "a cylindrical joint's turn");
    expect_angle(ISO_JOINT3_PARALLEL, 0, 0, "a parallel joint");
    expect_angle(ISO_JOINT3_BALL, 1, 1, "a ball joint's twist");
    expect_angle(ISO_JOINT3_UNIVERSAL, 0, 0, "a universal joint about a_A");
    expect_angle(ISO_JOINT3_UNIVERSAL, 1, 1, "a universal joint about a_B");
    expect_angle(ISO_JOINT3_HINGE2, 1, 0, "a wheel's steering");
    expect_angle(ISO_JOINT3_HINGE2, 2, 1, "a wheel's rolling");
}

static void test_a_cone_is_drawn_around_the_axis_of_a(void **state) {
    (void)state;
    pair bodies = pair_make();
    iso_joint3_def def = pair_def(&bodies, ISO_JOINT3_BALL);
    def.axes[0].upper = fix(2); // beyond a right angle
    def.axes[1].limit_enabled = def.axes[1].motor_enabled = def.axes[1].spring_enabled = false;
    const iso_joint_id joint = joint_make(&bodies, &def);
    picture_take(bodies.world, ISO_DRAW_JOINTS, &is);
    const vec3 a = axis_of(&bodies, 0, (vec3){1, 0, 0}), b = axis_of(&bodies, 1, (vec3){1, 0, 0});
    const iso_draw3_item *circle = picture_nth(&is, ISO_DRAW_LIMIT, 0);
    assert_int_equal(picture_count(&is, ISO_DRAW_LIMIT), 5);
    assert_int_equal(circle->kind, ISO_DRAW3_ARC);
    const vec3 apex = bodies.places[1], middle = vec3_sub(from_wide3(circle->points[0]), apex);
    EXPECT_NEAR(atan2(from_wide(circle->radius), vec3_dot(middle, a)), 2, 1e-4, "the cone's angle");
    EXPECT_NEAR(vec3_length(vec3_cross(middle, a)), 0, 1e-4, "its circle is around a_A");
    for (uint32_t i = 1; i < 5; ++i) {
        const iso_draw3_item *line = picture_nth(&is, ISO_DRAW_LIMIT, i);
        expect_place(line->points[0], apex, ROUNDED, "the tip of the cone");
        const vec3 rim = vec3_sub(from_wide3(line->points[1]), apex);
        EXPECT_NEAR(acos(vec3_dot(vec3_unit(rim), a)), 2, 1e-4, "a line along the cone");
    }
    const iso_draw3_item *now = picture_need(&is, ISO_DRAW_ANGLE);
    expect_near3(vec3_unit(vec3_sub(from_wide3(now->points[1]), from_wide3(now->points[0]))), b, 1e-5, "a_B");
    // The spring's arc is in the plane of both axes, from where a_B would rest to where it is.
    const iso_draw3_item *spring = picture_need(&is, ISO_DRAW_SPRING);
    iso_wide value;
    EXPECT_STATUS(iso_joint3_get_axis(bodies.world, joint, 0, &value), ISO_OK);
    expect_near3(arc_direction(spring, 0), b, 1e-5, "the spring ends at a_B");
    EXPECT_NEAR(acos(vec3_dot(arc_direction(spring, from_wide(spring->angle_from)), a)), 0.75, 1e-4,
                "it rests at 0.75");
    expect_near3(arc_direction(spring, -from_wide(value)), a, 2e-4, "against its angle there is a_A");
    world_free(bodies.world);
}

// ---- lengths -------------------------------------------------------------------------------------

static void test_limits_of_lengths_lie_on_their_lines(void **state) {
    (void)state;
    pair bodies = pair_make();
    iso_joint3_def def = pair_def(&bodies, ISO_JOINT3_SLIDER);
    def.frame_a.anchor = fix3((vec3){0.5, -0.25, 1});
    def.axes[0].lower = fix(-2);
    def.axes[0].upper = fix(5);
    const iso_joint_id joint = joint_make(&bodies, &def);
    picture_take(bodies.world, ISO_DRAW_JOINTS, &is);
    const vec3 a = axis_of(&bodies, 0, (vec3){1, 0, 0});
    const vec3 from = vec3_add(bodies.places[0], quat_rotate(bodies.turns[0], (vec3){0.5, -0.25, 1}));
    const iso_draw3_item *limit = picture_need(&is, ISO_DRAW_LIMIT), *motor = picture_need(&is, ISO_DRAW_MOTOR);
    assert_int_equal(limit->kind, ISO_DRAW3_LINE);
    expect_place(limit->points[0], vec3_sub(from, vec3_scale(a, 2)), ROUNDED, "the lower end");
    expect_place(limit->points[1], vec3_add(from, vec3_scale(a, 5)), ROUNDED, "the upper end");
    assert_int_equal(motor->kind, ISO_DRAW3_ARROW);
    expect_place(motor->points[0], bodies.places[1], ROUNDED, "a motor is drawn at B's anchor");
    expect_near3(vec3_unit(vec3_sub(from_wide3(motor->points[1]), bodies.places[1])), a, 1e-4, "along the line");
    const iso_draw3_item *line = picture_need(&is, ISO_DRAW_AXIS);
    const double x = vec3_dot(vec3_sub(bodies.places[1], from), a);
    const double ends[2] = {vec3_dot(vec3_sub(from_wide3(line->points[0]), from), a),
                            vec3_dot(vec3_sub(from_wide3(line->points[1]), from), a)};
    EXPECT(ends[0] < fmin(0, x) && ends[1] > fmax(0, x), "the line goes from %g to %g, B is at %g", ends[0], ends[1],
           x);
    EXPECT_STATUS(iso_joint_destroy(bodies.world, joint), ISO_OK);

    def = pair_def(&bodies, ISO_JOINT3_DISTANCE);
    def.axes[0].lower = 0;
    joint_make(&bodies, &def);
    picture_take(bodies.world, ISO_DRAW_JOINTS, &is);
    const vec3 way = vec3_unit(vec3_sub(bodies.places[1], bodies.places[0]));
    limit = picture_need(&is, ISO_DRAW_LIMIT);
    expect_place(limit->points[0], bodies.places[0], ROUNDED, "the shortest length");
    expect_place(limit->points[1], vec3_add(bodies.places[0], vec3_scale(way, 1.25)), ROUNDED, "the longest length");
    const iso_draw3_item *spring = picture_need(&is, ISO_DRAW_SPRING);
    expect_place(spring->points[0], bodies.places[0], ROUNDED, "the spring's beginning");
    expect_place(spring->points[1], bodies.places[1], ROUNDED, "the spring's end");
    world_free(bodies.world);
}

static void test_a_target_is_drawn_at_its_place_in_the_world(void **state) {
    (void)state;
    const pair bodies = pair_make();
    iso_joint3_def def = pair_def(&bodies, ISO_JOINT3_TARGET);
    def.target = wide3((vec3){-7, 300, 2});
    def.frame_b.anchor = fix3((vec3){0, 0.25, 0});
    joint_make(&bodies, &def);
    picture_take(bodies.world, ISO_DRAW_JOINTS, &is);
    const iso_draw3_item *link = picture_need(&is, ISO_DRAW_LINK), *lever = picture_need(&is, ISO_DRAW_LEVER);
    const vec3 anchor = vec3_add(bodies.places[1], quat_rotate(bodies.turns[1], (vec3){0, 0.25, 0}));
    expect_place(link->points[0], (vec3){-7, 300, 2}, EXACT, "the target");
    expect_place(link->points[1], anchor, ROUNDED, "the body's anchor");
    expect_place(lever->points[0], bodies.places[1], ROUNDED, "the body's centre");
    expect_place(lever->points[1], anchor, ROUNDED, "the lever's end");
    assert_int_equal(picture_nth(&is, ISO_DRAW_ANCHOR, 0)->body.generation, 0); // the target's anchor is the world's
    world_free(bodies.world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_kind_of_joint_is_drawn_with_all_that_it_has),
        cmocka_unit_test(test_a_joint_of_a_text_is_drawn_between_its_bodies),
        cmocka_unit_test(test_arcs_of_angles_end_where_b_is_at_their_limits),
        cmocka_unit_test(test_a_cone_is_drawn_around_the_axis_of_a),
        cmocka_unit_test(test_limits_of_lengths_lie_on_their_lines),
        cmocka_unit_test(test_a_target_is_drawn_at_its_place_in_the_world),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
