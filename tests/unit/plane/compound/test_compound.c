/// Compounds by their functions: all of a blueprint or nothing, rigid moves, and what is left of a compound.
#include "test_compound_util.h"

/// Half a millionth of a millimetre: what a turn may cost.
#define NEAR (ISO_WIDE_ONE / 2000000)

static void assert_near(iso_wide a, iso_wide b, iso_wide most) {
    if (a - b > most || b - a > most) {
        fail_msg("%lld instead of %lld", (long long)a, (long long)b);
    }
}

static iso_world *small_world(uint32_t bodies, uint32_t shapes, uint32_t joints) {
    iso_world_def def = iso_world_def_default();
    def.body_capacity = bodies;
    def.shape_capacity = shapes;
    def.joint_capacity = joints;
    def.contact_capacity = 64;
    return util_world_create(&def, NULL);
}

static void test_a_compound_has_all_that_its_blueprint_has(void **state) {
    (void)state;
    iso_world *world = small_world(16, 16, 16);
    const uint32_t other = doll_add(world, "other"), index = doll_add(world, "doll");
    assert_true(other == 0 && index == 1 && iso_world_find_blueprint(world, "doll") == 1);
    assert_int_equal(iso_world_find_blueprint(world, "dol"), UINT32_MAX);
    iso_blueprint_view blueprint;
    assert_true(iso_world_get_blueprint(world, 1, &blueprint) && !iso_world_get_blueprint(world, 2, &blueprint));
    assert_string_equal(blueprint.name, "doll");
    assert_true(blueprint.body_count == DOLL_BODIES && blueprint.shape_count == DOLL_SHAPES &&
                blueprint.joint_count == DOLL_JOINTS);
    iso_compound_def def = doll_at(0, 0, 0);
    def.blueprint = 1;
    def.tag = 9;
    def.owner = (iso_owner){0, ISO_OWNER_EVERYONE};
    const iso_compound_id compound = doll_create(world, &def);
    doll d;
    doll_make(&d, "doll");
    for (uint32_t i = 0; i < DOLL_BODIES; ++i) {
        const iso_body_view view = doll_part(world, compound, i);
        const iso_body_def *given = &d.bodies[i].def;
        assert_true(view.compound.index == 0 && view.compound.generation == 1 && view.part == i);
        assert_true(view.tag == given->tag && view.owner.slot == ISO_OWNER_EVERYONE && view.type == given->type);
        assert_near(view.position.x, given->position.x, 1);
        assert_near(view.position.y, given->position.y, 1);
        assert_int_equal(view.angle_turns, iso_turns_from_radians(given->angle));
        const iso_body_id body = iso_compound_find_body(world, compound, i);
        iso_body_params params;
        assert_int_equal(iso_body_get_params(world, body, &params), ISO_OK);
        assert_int_equal(params.linear_damping, given->params.linear_damping);
    }
    assert_int_equal(doll_part(world, compound, 2).mass, 7 * ISO_WIDE_ONE);
    assert_int_equal(doll_part(world, compound, 1).velocity.y, ISO_WIDE_ONE);
    for (uint32_t i = 0; i < DOLL_JOINTS; ++i) {
        iso_joint_def joint;
        const iso_joint_id id = iso_joint_next(world, i);
        assert_int_equal(iso_joint_get(world, id, &joint), ISO_OK);
        assert_true(iso_compound_id_equal(iso_joint_get_compound(world, id), compound));
        assert_true(iso_body_id_equal(joint.body_b, iso_compound_find_body(world, compound, i + 1)));
        assert_int_equal(joint.kind, d.joints[i].kind);
    }
    iso_compound_view view;
    assert_int_equal(iso_compound_get(world, compound, &view), ISO_OK);
    assert_true(view.blueprint == 1 && view.tag == 9 && view.body_count == 4 && view.joint_count == 3);
    assert_near(view.position.x, 0, 2);
    assert_near(view.position.y, 0, 2);
    util_world_free(world);
}

static void test_a_turned_compound_is_turned_as_a_whole(void **state) {
    (void)state;
    iso_world *world = small_world(16, 16, 16);
    doll_add(world, "doll");
    iso_compound_def def = doll_at(100, -50, ISO_WIDE_TWO_PI / 4); // x to y, y to -x
    def.velocity = (iso_vec2_wide){3 * ISO_WIDE_ONE, 0};
    def.angular_velocity = 2 * ISO_WIDE_ONE;
    const iso_compound_id compound = doll_create(world, &def);
    doll d;
    doll_make(&d, "doll");
    for (uint32_t i = 0; i < DOLL_BODIES; ++i) {
        const iso_body_view view = doll_part(world, compound, i);
        const iso_vec2_wide at = d.bodies[i].def.position;
        assert_near(view.position.x, def.position.x - at.y, NEAR);
        assert_near(view.position.y, def.position.y + at.x, NEAR);
        assert_near(view.angle, d.bodies[i].def.angle + def.angle, 8);
        assert_near(view.angular_velocity, 2 * ISO_WIDE_ONE, ISO_WIDE_ONE >> 17);
        // v + w x r at the centre of mass, and the head's own velocity, turned.
        const iso_wide rx = view.centre.x - def.position.x, ry = view.centre.y - def.position.y;
        assert_near(view.velocity.x, 3 * ISO_WIDE_ONE - 2 * ry - (i == 1 ? ISO_WIDE_ONE : 0), ISO_WIDE_ONE >> 17);
        assert_near(view.velocity.y, 2 * rx, ISO_WIDE_ONE >> 17);
    }
    iso_joint_def target;
    assert_int_equal(iso_joint_get(world, iso_joint_next(world, 2), &target), ISO_OK);
    assert_near(target.target.x, 101 * ISO_WIDE_ONE, NEAR);
    assert_near(target.target.y, -46 * ISO_WIDE_ONE, NEAR);
    util_world_free(world);
}

/// What is beyond the room for one thing is not made at all, and leaves no trace in the state.
static void check_no_room(iso_world *world, const iso_compound_def *def, iso_status expected) {
    const uint64_t before = util_fresh_root(world);
    const size_t size = iso_snapshot_size(world);
    iso_compound_id compound = {77, 78};
    assert_int_equal(iso_compound_create(world, def, &compound), expected);
    assert_true(compound.index == 77 && compound.generation == 78);
    assert_int_equal(util_fresh_root(world), before);
    assert_int_equal(iso_snapshot_size(world), size);
}

static void test_all_or_nothing(void **state) {
    (void)state;
    // Room for two and a bit less than three, of bodies, shapes or joints.
    const uint32_t room[][3] = {{11, 40, 40}, {40, 11, 40}, {40, 40, 8}, {12, 12, 9}};
    for (uint32_t i = 0; i < 4; ++i) {
        iso_world *world = small_world(room[i][0], room[i][1], room[i][2]);
        doll_add(world, "doll");
        iso_compound_def def = doll_at(0, 10, 0);
        const iso_compound_id first = doll_create(world, &def);
        def.position.x = 20 * ISO_WIDE_ONE;
        doll_create(world, &def);
        util_steps(world, 3);
        def.position.x = -20 * ISO_WIDE_ONE;
        if (i < 3) {
            check_no_room(world, &def, ISO_ERR_CAPACITY);
            assert_int_equal(iso_compound_destroy(world, first), ISO_OK);
        }
        const iso_compound_id third = doll_create(world, &def);
        assert_int_equal(third.index, i < 3 ? 0 : 2);
        assert_int_equal(third.generation, i < 3 ? 3 : 1);
        if (i < 3) { // the next of each is the first in its slot, as if nothing had been tried
            const iso_shape_def ball = iso_shape_def_circle(METRE);
            const iso_body_id body = util_add_body(world, ISO_BODY_DYNAMIC, 0, 50 * METRE, &ball);
            iso_joint_def joint = iso_joint_def_default();
            iso_joint_id id;
            joint.body_a = iso_body_next(world, 0);
            joint.body_b = body;
            assert_int_equal(iso_joint_create(world, &joint, &id), ISO_OK);
            assert_true(body.index == 2 * DOLL_BODIES && body.generation == 1);
            assert_true(id.index == 2 * DOLL_JOINTS && id.generation == 1);
            assert_int_equal(iso_body_next_shape(world, body, 0).generation, 1);
        }
        util_world_free(world);
    }
}

static void test_a_part_outside_of_the_world_or_too_fast_is_refused(void **state) {
    (void)state;
    iso_world *world = small_world(16, 16, 16);
    doll_add(world, "doll");
    util_steps(world, 2);
    iso_compound_def def = doll_at(29998, 0, 0);
    check_no_room(world, &def, ISO_ERR_RANGE); // the last body is 3 m to the right
    def = doll_at(-29998, 0, ISO_WIDE_TWO_PI / 2);
    check_no_room(world, &def, ISO_ERR_RANGE);
    def = doll_at(0, 0, 0);
    def.velocity.y = 512 * ISO_WIDE_ONE; // the head is faster by 1 m/s
    check_no_room(world, &def, ISO_ERR_RANGE);
    def = doll_at(0, 0, 0);
    def.angular_velocity = 200 * ISO_WIDE_ONE; // 3 m from the origin
    check_no_room(world, &def, ISO_ERR_RANGE);
    def = doll_at(0, 0, 0);
    def.owner.slot = 99;
    check_no_room(world, &def, ISO_ERR_RANGE);
    def = doll_at(0, 0, 0);
    def.blueprint = 1;
    check_no_room(world, &def, ISO_ERR_STALE);
    util_world_free(world);
}

/// The cap on spin is that of the body with its shapes.
static void test_a_part_that_would_turn_too_fast_is_refused(void **state) {
    (void)state;
    iso_world *world = small_world(16, 16, 16);
    doll d;
    doll_make(&d, "spinner");
    d.shapes[0] = iso_shape_def_box(METRE, 2 * METRE);
    d.bodies[0].def.position = (iso_vec2_wide){0, 0};
    d.def.body_count = 1;
    d.def.shape_count = 1;
    d.def.joint_count = 0;
    uint32_t index;
    assert_int_equal(iso_world_add_blueprint(world, &d.def, &index), ISO_OK);
    util_steps(world, 2);
    iso_compound_def def = doll_at(0, 0, 0);
    def.angular_velocity = 150 * ISO_WIDE_ONE; // of a body within 1 m 188 rad/s, of this one 512 m/s / 4 m
    check_no_room(world, &def, ISO_ERR_RANGE);
    def.angular_velocity = -150 * ISO_WIDE_ONE;
    check_no_room(world, &def, ISO_ERR_RANGE);
    def.angular_velocity = 120 * ISO_WIDE_ONE;
    const iso_body_view view = doll_part(world, doll_create(world, &def), 0);
    assert_true(view.angular_velocity > 119 * ISO_WIDE_ONE);
    util_world_free(world);
}

/// 188.5 rad/s for each of the two bodies at 60 Hz and 4 substeps, as for a joint that a command makes.
static void test_a_motor_that_is_too_fast_for_its_bodies_is_refused(void **state) {
    (void)state;
    for (int is_off = 0; is_off < 2; ++is_off) {
        iso_world *world = small_world(16, 16, 16);
        doll d;
        doll_make(&d, "motor");
        d.joints[0].motor_enabled = is_off == 0;
        d.joints[0].motor_speed = -378 * METRE;
        d.joints[0].motor_max = ISO_WIDE_ONE;
        const uint64_t root = iso_world_root(world);
        uint32_t index;
        assert_int_equal(iso_world_add_blueprint(world, &d.def, &index), is_off ? ISO_OK : ISO_ERR_RANGE);
        assert_true(is_off || iso_world_root(world) == root);
        d.joints[0].motor_speed = -376 * METRE;
        d.def.name = "slower";
        assert_int_equal(iso_world_add_blueprint(world, &d.def, &index), ISO_OK);
        util_steps(world, 2);
        // One that came with a snapshot is found when a compound is made of it.
        iso_compound_def def = doll_at(0, 0, 0);
        def.blueprint = index;
        doll_create(world, &def);
        iso_world *foreign = small_world(16, 16, 16);
        assert_int_equal(iso_world_add_blueprint(foreign, &d.def, &index), ISO_OK);
        util_steps(foreign, 2);
        iso__plane_of(foreign)->blueprint_joints[0].motor_speed *= 2;
        def.blueprint = 0;
        if (!is_off) {
            check_no_room(foreign, &def, ISO_ERR_RANGE);
        }
        util_world_free(foreign);
        util_world_free(world);
    }
}

static void test_a_refused_compound_wakes_nobody(void **state) {
    (void)state;
    iso_world *world = small_world(16, 16, 3);
    const iso_shape_def ground = iso_shape_def_box(40 * METRE, METRE / 2),
                        box = iso_shape_def_box(METRE / 2, METRE / 2);
    doll d;
    uint32_t blueprint;
    doll_make(&d, "statue");
    d.bodies[0].def.type = ISO_BODY_STATIC; // what moves wakes others only in a step
    assert_int_equal(iso_world_add_blueprint(world, &d.def, &blueprint), ISO_OK);
    util_add_body(world, ISO_BODY_STATIC, 0, -METRE / 2, &ground);
    const iso_body_id sleeper = util_add_body(world, ISO_BODY_DYNAMIC, 0, METRE / 2, &box);
    iso_joint_def joint = iso_joint_def_default();
    iso_joint_id id;
    joint.kind = ISO_JOINT_FILTER;
    joint.body_a = util_add_body(world, ISO_BODY_DYNAMIC, 10 * METRE, METRE / 2, &box);
    joint.body_b = util_add_body(world, ISO_BODY_DYNAMIC, 20 * METRE, METRE / 2, &box);
    assert_int_equal(iso_joint_create(world, &joint, &id), ISO_OK);
    util_steps(world, 120);
    assert_false(iso_body_is_awake(world, sleeper));
    const iso_compound_def def = doll_at(0, 0, 0);
    check_no_room(world, &def, ISO_ERR_CAPACITY); // all bodies and shapes find room, the last joint does not
    assert_false(iso_body_is_awake(world, sleeper));
    assert_int_equal(iso_joint_destroy(world, id), ISO_OK);
    doll_create(world, &def);
    util_steps(world, 1);
    assert_true(iso_body_is_awake(world, sleeper));
    util_world_free(world);
}

static void test_moving_without_a_turn_is_exact(void **state) {
    (void)state;
    iso_world *world = small_world(16, 16, 16);
    doll_add(world, "doll");
    iso_compound_def def = doll_at(0, 30, ISO_WIDE_ONE / 7);
    def.angular_velocity = ISO_WIDE_ONE;
    const iso_compound_id compound = doll_create(world, &def);
    util_steps(world, 40); // parts have moved against each other
    iso_body_view before[DOLL_BODIES];
    for (uint32_t i = 0; i < DOLL_BODIES; ++i) {
        before[i] = doll_part(world, compound, i);
    }
    iso_compound_view view;
    assert_int_equal(iso_compound_get(world, compound, &view), ISO_OK);
    const iso_vec2_wide to = {view.position.x + 12345 * ISO_WIDE_ONE + 678, view.position.y - 999 * ISO_WIDE_ONE - 1};
    assert_int_equal(iso_compound_set_position(world, compound, to, view.angle), ISO_OK);
    for (uint32_t i = 0; i < DOLL_BODIES; ++i) {
        const iso_body_view after = doll_part(world, compound, i);
        assert_int_equal(after.centre.x - before[i].centre.x, 12345 * ISO_WIDE_ONE + 678);
        assert_int_equal(after.centre.y - before[i].centre.y, -999 * ISO_WIDE_ONE - 1);
        assert_int_equal(after.angle_turns, before[i].angle_turns);
        assert_true(after.velocity.x == before[i].velocity.x && after.velocity.y == before[i].velocity.y);
        assert_int_equal(after.angular_velocity, before[i].angular_velocity);
    }
    util_world_free(world);
}

static void test_a_turn_keeps_poses_and_velocities_to_each_other(void **state) {
    (void)state;
    iso_world *world = small_world(16, 16, 16);
    doll_add(world, "doll");
    iso_compound_def def = doll_at(0, 30, 0);
    def.velocity = (iso_vec2_wide){5 * ISO_WIDE_ONE, ISO_WIDE_ONE};
    const iso_compound_id compound = doll_create(world, &def);
    util_steps(world, 25);
    iso_body_view a[DOLL_BODIES], b[DOLL_BODIES];
    iso_compound_view view;
    assert_int_equal(iso_compound_get(world, compound, &view), ISO_OK);
    for (uint32_t i = 0; i < DOLL_BODIES; ++i) {
        a[i] = doll_part(world, compound, i);
    }
    const iso_wide turn = ISO_WIDE_TWO_PI / 4; // x to y, y to -x
    const iso_vec2_wide to = {-7 * ISO_WIDE_ONE, 300 * ISO_WIDE_ONE};
    assert_int_equal(iso_compound_set_position(world, compound, to, view.angle + turn), ISO_OK);
    for (uint32_t i = 0; i < DOLL_BODIES; ++i) {
        b[i] = doll_part(world, compound, i);
        assert_int_equal(b[i].angle_turns - b[0].angle_turns, a[i].angle_turns - a[0].angle_turns);
        assert_near(b[i].centre.x - b[0].centre.x, -(a[i].centre.y - a[0].centre.y), NEAR);
        assert_near(b[i].centre.y - b[0].centre.y, a[i].centre.x - a[0].centre.x, NEAR);
        assert_near(b[i].velocity.x, -a[i].velocity.y, ISO_WIDE_ONE >> 18);
        assert_near(b[i].velocity.y, a[i].velocity.x, ISO_WIDE_ONE >> 18);
        assert_int_equal(b[i].angular_velocity, a[i].angular_velocity);
    }
    iso_compound_view after;
    assert_int_equal(iso_compound_get(world, compound, &after), ISO_OK);
    assert_near(after.position.x, to.x, NEAR);
    assert_near(after.position.y, to.y, NEAR);
    assert_near(after.angle, view.angle + turn, 8);
    // Outside of the world: nothing moves.
    const uint64_t root = util_fresh_root(world);
    assert_int_equal(iso_compound_set_position(world, compound, (iso_vec2_wide){29998 * ISO_WIDE_ONE, 0}, 0),
                     ISO_ERR_RANGE);
    assert_int_equal(util_fresh_root(world), root);
    util_world_free(world);
}

static void test_the_first_body_that_is_left_says_where_it_is(void **state) {
    (void)state;
    iso_world *world = small_world(16, 16, 16);
    doll_add(world, "doll");
    const iso_compound_def def = doll_at(8, 9, ISO_WIDE_ONE);
    const iso_compound_id compound = doll_create(world, &def);
    for (uint32_t part = 0; part < DOLL_BODIES; ++part) {
        iso_compound_view view;
        assert_int_equal(iso_compound_get(world, compound, &view), ISO_OK);
        assert_near(view.position.x, def.position.x, NEAR);
        assert_near(view.position.y, def.position.y, NEAR);
        assert_near(view.angle, def.angle, 8);
        assert_int_equal(view.body_count, DOLL_BODIES - part);
        assert_int_equal(iso_body_destroy(world, iso_compound_find_body(world, compound, part)), ISO_OK);
    }
    assert_false(iso_compound_is_valid(world, compound)); // without a body it is no more
    util_world_free(world);
}

static void test_destroying_takes_everything_and_only_that(void **state) {
    (void)state;
    iso_world *world = small_world(32, 32, 32);
    doll_add(world, "doll");
    const iso_shape_def ball = iso_shape_def_circle(METRE / 4);
    const iso_body_id other = util_add_body(world, ISO_BODY_DYNAMIC, 0, 50 * METRE, &ball);
    const iso_compound_def at = doll_at(0, 10, 0), far = doll_at(30, 10, 0);
    const iso_compound_id first = doll_create(world, &at), second = doll_create(world, &far);
    iso_joint_def rope = iso_joint_def_default();
    rope.kind = ISO_JOINT_DISTANCE;
    rope.body_a = other;
    rope.body_b = iso_compound_find_body(world, first, 0);
    rope.rest = 40 * METRE;
    iso_joint_id tie;
    assert_int_equal(iso_joint_create(world, &rope, &tie), ISO_OK);
    assert_true(iso_compound_id_is_null(iso_joint_get_compound(world, tie)));
    util_steps(world, 5);
    assert_int_equal(iso_compound_destroy(world, first), ISO_OK);
    assert_int_equal(iso_compound_destroy(world, first), ISO_ERR_STALE);
    assert_int_equal(iso_compound_set_position(world, first, (iso_vec2_wide){0, 0}, 0), ISO_ERR_STALE);
    iso_compound_view view;
    assert_int_equal(iso_compound_get(world, first, &view), ISO_ERR_STALE);
    assert_true(iso_body_id_is_null(iso_compound_next_body(world, first, 0)));
    assert_true(iso_joint_id_is_null(iso_compound_next_joint(world, first, 0)));
    const iso_world_counts counts = counts_of(world);
    assert_true(counts.bodies == 1 + DOLL_BODIES && counts.joints == DOLL_JOINTS && counts.compounds == 1);
    assert_int_equal(counts.shapes, 1 + DOLL_SHAPES);
    assert_true(iso_compound_id_equal(iso_compound_next(world, 0), second));
    util_steps(world, 5);
    util_world_free(world);
}

static void test_blueprints_that_are_wrong_are_refused(void **state) {
    (void)state;
    iso_world *world = small_world(16, 16, 16);
    doll_add(world, "doll");
    const uint64_t root = util_fresh_root(world);
    for (int wrong = 0; wrong < 12; ++wrong) {
        doll d;
        doll_make(&d, "other");
        iso_status expected = ISO_ERR_RANGE;
        switch (wrong) {
        case 0:
            d.def.name = "doll";
            break;
        case 1:
            d.def.name = "";
            break;
        case 2:
            d.def.name = "a name";
            break;
        case 3:
            d.def.name = "abcdefghijklmnopqrstuvwxyz0123456";
            break;
        case 4:
            d.def.body_count = 0;
            break;
        case 5:
            d.bodies[2].shape_count = 3;
            break;
        case 6:
            d.bodies[1].def.position.x = 30001 * ISO_WIDE_ONE;
            break;
        case 7:
            d.joints[0].body_b.index = DOLL_BODIES;
            break;
        case 8:
            d.joints[0].body_b = d.joints[0].body_a;
            expected = ISO_ERR_WRONG_TYPE;
            break;
        case 9:
            d.shapes[1].radius = 0;
            expected = ISO_ERR_GEOMETRY;
            break;
        case 10:
            d.shapes[0].density = INT32_MAX;
            d.shapes[0].points[0].x -= 40 * METRE;
            break; // too heavy
        default:
            d.joints[2].kind = ISO_JOINT_SYMBOLIC;
            expected = ISO_ERR_UNKNOWN_NAME;
            break;
        }
        uint32_t index;
        const iso_status status = iso_world_add_blueprint(world, &d.def, &index);
        if (status != expected) {
            fail_msg("case %d: %s", wrong, iso_status_name(status));
        }
        assert_int_equal(util_fresh_root(world), root);
    }
    // Blueprints of a world of 16 bodies have 16 together, and one compound must find room.
    doll_add(world, "b");
    doll_add(world, "c");
    const iso_compound_def def = doll_at(0, 0, 0);
    for (int i = 0; i < 4; ++i) {
        doll_create(world, &def);
    }
    doll d;
    uint32_t index;
    doll_make(&d, "d");
    assert_int_equal(iso_world_add_blueprint(world, &d.def, &index), ISO_ERR_CAPACITY);
    assert_int_equal(iso_compound_destroy(world, iso_compound_next(world, 1)), ISO_OK);
    assert_int_equal(iso_world_add_blueprint(world, &d.def, &index), ISO_OK);
    d.def.name = "e";
    assert_int_equal(iso_world_add_blueprint(world, &d.def, &index), ISO_ERR_CAPACITY);
    util_world_free(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_compound_has_all_that_its_blueprint_has),
        cmocka_unit_test(test_a_turned_compound_is_turned_as_a_whole),
        cmocka_unit_test(test_all_or_nothing),
        cmocka_unit_test(test_a_part_outside_of_the_world_or_too_fast_is_refused),
        cmocka_unit_test(test_a_part_that_would_turn_too_fast_is_refused),
        cmocka_unit_test(test_a_motor_that_is_too_fast_for_its_bodies_is_refused),
        cmocka_unit_test(test_a_refused_compound_wakes_nobody),
        cmocka_unit_test(test_moving_without_a_turn_is_exact),
        cmocka_unit_test(test_a_turn_keeps_poses_and_velocities_to_each_other),
        cmocka_unit_test(test_the_first_body_that_is_left_says_where_it_is),
        cmocka_unit_test(test_destroying_takes_everything_and_only_that),
        cmocka_unit_test(test_blueprints_that_are_wrong_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
