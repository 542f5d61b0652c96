/// Commands on joints: who may make, change and end them, and what becomes of each.
#include "test_command_util.h"

static void test_joints_need_both_bodies_and_belong_to_their_maker(void **state) {
    (void)state;
    iso_world *world = util_world_lively(3);
    uint64_t ids[2];
    const iso_command make[2] = {spawn(0, 20 * METRE), spawn(2 * METRE, 20 * METRE)};
    assert_int_equal(give(world, 0, &make[0], &ids[0]), ISO_OK);
    assert_int_equal(give(world, 2, &make[1], &ids[1]), ISO_OK);
    const iso_body_id mine = iso_body_id_unpack(ids[0]);
    const iso_body_id theirs = iso_body_id_unpack(ids[1]);
    iso_command join = join_bodies(mine, theirs);
    assert_refused(world, 0, &join, ISO_ERR_NOT_OWNER);
    assert_refused(world, 2, &join, ISO_ERR_NOT_OWNER);
    assert_int_equal(iso_body_set_owner(world, theirs, (iso_owner){0, ISO_OWNER_EVERYONE}), ISO_OK);
    join.as.create_joint.joint.owner = (iso_owner){5, 3}; // ignored
    uint64_t id;
    assert_int_equal(give(world, 0, &join, &id), ISO_OK);
    const iso_joint_id joint = iso_joint_id_unpack(id);
    iso_joint_def def;
    assert_int_equal(iso_joint_get(world, joint, &def), ISO_OK);
    assert_int_equal(def.owner.slot, 0);
    assert_int_equal(def.owner.generation, 1);
    iso_command end;
    memset(&end, 0, sizeof end);
    end.kind = ISO_COMMAND_DESTROY_JOINT;
    end.as.destroy_joint.joint = joint;
    iso_command aim;
    memset(&aim, 0, sizeof aim);
    aim.kind = ISO_COMMAND_SET_TARGET;
    aim.as.set_target.joint = joint;
    assert_refused(world, 2, &end, ISO_ERR_NOT_OWNER);
    assert_refused(world, 0, &aim, ISO_ERR_WRONG_TYPE); // no TARGET joint
    assert_int_equal(give(world, 0, &end, NULL), ISO_OK);
    assert_refused(world, 0, &end, ISO_ERR_STALE);
    assert_refused(world, 0, &aim, ISO_ERR_STALE);
    iso_command drag = join_bodies((iso_body_id){0, 0}, mine);
    drag.as.create_joint.joint.kind = ISO_JOINT_TARGET;
    assert_int_equal(give(world, 0, &drag, &id), ISO_OK);
    aim.as.set_target.joint = iso_joint_id_unpack(id);
    aim.as.set_target.target = iso_vec2_to_wide((iso_vec2){3 * METRE, 4 * METRE});
    assert_int_equal(give(world, 0, &aim, NULL), ISO_OK);
    join = join_bodies(mine, mine);
    assert_refused(world, 0, &join, ISO_ERR_WRONG_TYPE);
    util_world_free(world);
}

/// A command that changes a joint, and what the joint is after it.
static iso_command on_joint(iso_command_kind kind, iso_joint_id joint, iso_joint_def *def) {
    iso_command c;
    memset(&c, 0, sizeof c);
    c.kind = (uint8_t)kind;
    switch (kind) {
    case ISO_COMMAND_SET_JOINT_MOTOR:
        c.as.set_joint_motor = (iso_command_set_joint_motor){joint, true, METRE, 2 * ISO_WIDE_ONE};
        def->motor_enabled = true, def->motor_speed = METRE, def->motor_max = 2 * ISO_WIDE_ONE;
        break;
    case ISO_COMMAND_SET_JOINT_LIMITS:
        c.as.set_joint_limits = (iso_command_set_joint_limits){joint, true, -METRE, 2 * METRE};
        def->limit_enabled = true, def->lower = -METRE, def->upper = 2 * METRE;
        break;
    case ISO_COMMAND_SET_JOINT_SPRING:
        c.as.set_joint_spring = (iso_command_set_joint_spring){joint, true, 4 * METRE, METRE / 2, METRE / 8};
        def->spring_enabled = true, def->spring_hertz = 4 * METRE, def->spring_damping_ratio = METRE / 2,
        def->rest = METRE / 8;
        break;
    case ISO_COMMAND_SET_JOINT_STIFFNESS:
        c.as.set_joint_stiffness =
            (iso_command_set_joint_stiffness){joint, false, 90 * ISO_WIDE_ONE, 5 * ISO_WIDE_ONE, METRE / 3};
        def->spring_enabled = false, def->spring_stiffness = 90 * ISO_WIDE_ONE, def->spring_damping = 5 * ISO_WIDE_ONE,
        def->rest = METRE / 3;
        break;
    case ISO_COMMAND_SET_JOINT_BODIES: // turned round
        c.as.set_joint_bodies.joint = joint;
        c.as.set_joint_bodies.body_a = def->body_b;
        c.as.set_joint_bodies.body_b = def->body_a;
        def->body_a = c.as.set_joint_bodies.body_a;
        def->body_b = c.as.set_joint_bodies.body_b;
        break;
    case ISO_COMMAND_SET_JOINT_BREAK:
        c.as.set_joint_break =
            (iso_command_set_joint_break){joint, INT64_MAX / 2, INT64_MAX / 3, INT64_MAX / 4, INT64_MAX / 5, true};
        def->break_force = INT64_MAX / 2, def->break_torque = INT64_MAX / 3, def->break_error = INT64_MAX / 4;
        def->break_angle = INT64_MAX / 5;
        def->remove_on_break = true;
        break;
    case ISO_COMMAND_ENABLE_JOINT:
        c.as.enable_joint.joint = joint;
        def->enabled = false;
        break;
    case ISO_COMMAND_SET_JOINT_TAG:
        c.as.set_joint_tag = (iso_command_set_joint_tag){joint, 0xCAFEBABE};
        def->tag = 0xCAFEBABE;
        break;
    case ISO_COMMAND_DESTROY_JOINT:
        c.as.destroy_joint.joint = joint;
        break;
    case ISO_COMMAND_SET_JOINT:
        def->anchor_a.x = METRE / 2;
        def->force_max = 500 * ISO_WIDE_ONE;
        def->tag = 9;
        c.as.set_joint = (iso_command_set_joint){joint, *def};
        c.as.set_joint.definition.owner = (iso_owner){0, ISO_OWNER_EVERYONE}; // ignored
        break;
    default:
        fail();
    }
    return c;
}

static void assert_joint(const iso_world *world, iso_joint_id joint, const iso_joint_def *expected) {
    iso_joint_def def;
    assert_int_equal(iso_joint_get(world, joint, &def), ISO_OK);
#define JOINT_EQUAL(name, bit) assert_int_equal(def.name, expected->name);
    ISO_JOINT_SWITCH_LIST(JOINT_EQUAL)
#undef JOINT_EQUAL
#define JOINT_EQUAL(type, name, low, high) assert_int_equal(def.name, expected->name);
    ISO_JOINT_NUMBER_LIST(JOINT_EQUAL)
#undef JOINT_EQUAL
    assert_int_equal(def.kind, expected->kind);
    assert_int_equal(def.tag, expected->tag);
    assert_int_equal(def.anchor_a.x, expected->anchor_a.x);
    assert_true(iso_body_id_equal(def.body_a, expected->body_a) && iso_body_id_equal(def.body_b, expected->body_b));
    assert_int_equal(def.owner.slot, expected->owner.slot);
    assert_int_equal(def.owner.generation, expected->owner.generation);
}

static const iso_command_kind JOINT_KINDS[] = {ISO_COMMAND_SET_JOINT,        ISO_COMMAND_SET_JOINT_MOTOR,
                                               ISO_COMMAND_SET_JOINT_LIMITS, ISO_COMMAND_SET_JOINT_SPRING,
                                               ISO_COMMAND_SET_JOINT_BREAK,  ISO_COMMAND_ENABLE_JOINT,
                                               ISO_COMMAND_SET_JOINT_TAG,    ISO_COMMAND_SET_JOINT_STIFFNESS,
                                               ISO_COMMAND_SET_JOINT_BODIES, ISO_COMMAND_DESTROY_JOINT};
#define JOINT_KIND_COUNT (sizeof JOINT_KINDS / sizeof JOINT_KINDS[0])

/// A revolute joint between two bodies that all may push, made by the member of slot 0 or, with an owner, by the scene.
static iso_joint_id joint_in(iso_world *world, const iso_owner *owner) {
    iso_body_id bodies[2];
    for (int i = 0; i < 2; ++i) {
        const iso_shape_def ball = iso_shape_def_circle(METRE / 4);
        bodies[i] = util_add_body(world, ISO_BODY_DYNAMIC, i * METRE, 20 * METRE, &ball);
        assert_int_equal(iso_body_set_owner(world, bodies[i], (iso_owner){0, ISO_OWNER_EVERYONE}), ISO_OK);
    }
    iso_command join = join_bodies(bodies[0], bodies[1]);
    iso_joint_id joint;
    if (owner != NULL) {
        join.as.create_joint.joint.owner = *owner;
        assert_int_equal(iso_joint_create(world, &join.as.create_joint.joint, &joint), ISO_OK);
        return joint;
    }
    uint64_t id;
    assert_int_equal(give(world, 0, &join, &id), ISO_OK);
    return iso_joint_id_unpack(id);
}

/// That everyone may push both bodies opens no joint between them.
static void test_owner_commands_its_joint(void **state) {
    (void)state;
    iso_world *world = util_world_lively(3);
    const iso_joint_id joint = joint_in(world, NULL);
    iso_joint_def own;
    assert_int_equal(iso_joint_get(world, joint, &own), ISO_OK);
    for (size_t i = 0; i < JOINT_KIND_COUNT; ++i) {
        const iso_command command = on_joint(JOINT_KINDS[i], joint, &own);
        assert_refused(world, 2, &command, ISO_ERR_NOT_OWNER);
        assert_int_equal(give(world, 0, &command, NULL), ISO_OK);
        if (JOINT_KINDS[i] != ISO_COMMAND_DESTROY_JOINT) {
            assert_joint(world, joint, &own);
        }
    }
    assert_false(iso_joint_is_valid(world, joint));
    for (size_t i = 0; i < JOINT_KIND_COUNT; ++i) {
        const iso_command command = on_joint(JOINT_KINDS[i], joint, &own);
        assert_refused(world, 0, &command, ISO_ERR_STALE);
    }
    util_world_free(world);
}

static void test_everyones_and_nobodys_joints(void **state) {
    (void)state;
    static const iso_owner owners[] = {
        {0, ISO_OWNER_EVERYONE}, {0, ISO_OWNER_NOBODY}, {2, 0}}; // the last: of a member to come
    for (size_t k = 0; k < sizeof owners / sizeof owners[0]; ++k) {
        iso_world *world = util_world_lively(3);
        const iso_joint_id joint = joint_in(world, &owners[k]);
        iso_joint_def own;
        assert_int_equal(iso_joint_get(world, joint, &own), ISO_OK);
        for (size_t i = 0; i < JOINT_KIND_COUNT; ++i) {
            const iso_command command = on_joint(JOINT_KINDS[i], joint, &own);
            if (k == 0) {
                assert_int_equal(give(world, i % 2 == 0 ? 0 : 2, &command, NULL), ISO_OK);
            } else {
                assert_refused(world, 0, &command, ISO_ERR_NOT_OWNER);
            }
        }
        util_world_free(world);
    }
}

/// A joint of one's own is no way to get at bodies of others: SET_JOINT takes the joint's bodies, or none.
static void test_setting_a_joint_keeps_its_kind_and_bodies(void **state) {
    (void)state;
    iso_world *world = util_world_lively(3);
    const iso_joint_id joint = joint_in(world, NULL);
    iso_joint_def own;
    assert_int_equal(iso_joint_get(world, joint, &own), ISO_OK);
    iso_command set = on_joint(ISO_COMMAND_SET_JOINT, joint, &own);
    set.as.set_joint.definition.body_a = iso_body_next(world, 0);
    assert_refused(world, 0, &set, ISO_ERR_WRONG_TYPE);
    set.as.set_joint.definition.body_a = own.body_a;
    set.as.set_joint.definition.body_b = iso_body_next(world, 0);
    assert_refused(world, 0, &set, ISO_ERR_WRONG_TYPE);
    set.as.set_joint.definition.body_b = (iso_body_id){own.body_b.index, own.body_b.generation + 2};
    assert_refused(world, 0, &set, ISO_ERR_WRONG_TYPE);
    set.as.set_joint.definition.body_b = own.body_b;
    set.as.set_joint.definition.kind = ISO_JOINT_WELD;
    assert_refused(world, 0, &set, ISO_ERR_WRONG_TYPE);
    set.as.set_joint.definition.kind = ISO_JOINT_REVOLUTE;
    set.as.set_joint.definition.body_a = set.as.set_joint.definition.body_b = (iso_body_id){0, 0};
    assert_int_equal(give(world, 0, &set, NULL), ISO_OK);
    assert_joint(world, joint, &own);
    util_world_free(world);
}

/// SET_JOINT_BODIES: whose joint it is may give it bodies that are its own, or everyone's.
static void test_other_bodies_of_a_joint_must_be_the_members(void **state) {
    (void)state;
    iso_world *world = util_world_lively(3);
    const iso_joint_id joint = joint_in(world, NULL);
    iso_joint_def own, now;
    uint64_t ids[2];
    const iso_command make[2] = {spawn(4 * METRE, 20 * METRE), spawn(6 * METRE, 20 * METRE)};
    assert_int_equal(iso_joint_get(world, joint, &own), ISO_OK);
    assert_int_equal(give(world, 0, &make[0], &ids[0]), ISO_OK);
    assert_int_equal(give(world, 2, &make[1], &ids[1]), ISO_OK);
    const iso_body_id mine = iso_body_id_unpack(ids[0]), theirs = iso_body_id_unpack(ids[1]);
    iso_command set;
    memset(&set, 0, sizeof set);
    set.kind = ISO_COMMAND_SET_JOINT_BODIES;
    set.as.set_joint_bodies = (iso_command_set_joint_bodies){.joint = joint, .body_a = own.body_a, .body_b = theirs};
    assert_refused(world, 0, &set, ISO_ERR_NOT_OWNER);
    assert_refused(world, 2, &set, ISO_ERR_NOT_OWNER); // the body, not the joint
    set.as.set_joint_bodies.body_a = theirs;
    set.as.set_joint_bodies.body_b = mine;
    assert_refused(world, 0, &set, ISO_ERR_NOT_OWNER);
    set.as.set_joint_bodies.body_a = mine;
    assert_refused(world, 0, &set, ISO_ERR_WRONG_TYPE); // one body
    set.as.set_joint_bodies.body_a = (iso_body_id){mine.index, mine.generation + 2};
    assert_refused(world, 0, &set, ISO_ERR_STALE);
    set.as.set_joint_bodies.body_a = own.body_b;
    assert_int_equal(give(world, 0, &set, NULL), ISO_OK);
    assert_int_equal(iso_joint_get(world, joint, &now), ISO_OK);
    assert_true(iso_body_id_equal(now.body_a, own.body_b) && iso_body_id_equal(now.body_b, mine));
    // A wide body does not turn as fast as the joint's motor does between those that it has.
    const iso_shape_def wide = iso_shape_def_box(40 * METRE, METRE);
    const iso_body_id plank = util_add_body(world, ISO_BODY_DYNAMIC, 0, 90 * METRE, &wide);
    assert_int_equal(iso_body_set_owner(world, plank, (iso_owner){0, ISO_OWNER_EVERYONE}), ISO_OK);
    iso_command motor = on_joint(ISO_COMMAND_SET_JOINT_MOTOR, joint, &now);
    motor.as.set_joint_motor.speed = 376 * METRE;
    assert_int_equal(give(world, 0, &motor, NULL), ISO_OK);
    set.as.set_joint_bodies.body_a = plank;
    assert_refused(world, 0, &set, ISO_ERR_RANGE);
    motor.as.set_joint_motor.speed = 150 * METRE;
    assert_int_equal(give(world, 0, &motor, NULL), ISO_OK);
    assert_int_equal(give(world, 0, &set, NULL), ISO_OK);
    util_world_free(world);
}

/// Whoever joins bodies commands each of them, of a pulley and of a joint with a constraint as well.
static void test_joints_of_four_need_all_of_them(void **state) {
    (void)state;
    for (int custom = 0; custom < 2; ++custom) {
        iso_world *world = util_world_lively(3);
        iso_command join;
        memset(&join, 0, sizeof join);
        join.kind = ISO_COMMAND_CREATE_JOINT;
        iso_joint_def *def = &join.as.create_joint.joint;
        *def = iso_joint_def_default();
        def->kind = custom ? ISO_JOINT_SYMBOLIC : ISO_JOINT_PULLEY;
        iso_body_id *const bodies[4] = {&def->body_a, &def->body_b, &def->body_c, &def->body_d};
        for (int i = 0; i < 4; ++i) {
            uint64_t id;
            const iso_command make = spawn(i * 2 * METRE, 20 * METRE);
            assert_int_equal(give(world, 0, &make, &id), ISO_OK);
            *bodies[i] = iso_body_id_unpack(id);
        }
        for (int i = 0; i < 4; ++i) {
            assert_int_equal(iso_body_set_owner(world, *bodies[i], (iso_owner){0, ISO_OWNER_NOBODY}), ISO_OK);
            assert_refused(world, 0, &join, ISO_ERR_NOT_OWNER);
            assert_refused(world, 2, &join, ISO_ERR_NOT_OWNER);
            assert_int_equal(iso_body_set_owner(world, *bodies[i], (iso_owner){0, ISO_OWNER_EVERYONE}), ISO_OK);
        }
        if (custom) {
            assert_refused(world, 2, &join, ISO_ERR_UNKNOWN_NAME); // it may; the world has no constraints
        } else {
            assert_int_equal(give(world, 2, &join, NULL), ISO_OK);
        }
        util_world_free(world);
    }
}

/// 188.5 rad/s for each of the two bodies at 60 Hz and 4 substeps.
static void test_commands_for_more_spin_than_there_is_are_refused(void **state) {
    (void)state;
    iso_world *world = util_world_lively(3);
    const iso_joint_id joint = joint_in(world, NULL);
    iso_joint_def def;
    assert_int_equal(iso_joint_get(world, joint, &def), ISO_OK);
    iso_command motor = on_joint(ISO_COMMAND_SET_JOINT_MOTOR, joint, &def);
    motor.as.set_joint_motor.speed = -378 * METRE;
    assert_refused(world, 0, &motor, ISO_ERR_RANGE);
    motor.as.set_joint_motor.speed = -376 * METRE;
    assert_int_equal(give(world, 0, &motor, NULL), ISO_OK);
    assert_int_equal(iso_joint_get(world, joint, &def), ISO_OK);
    iso_command set = on_joint(ISO_COMMAND_SET_JOINT, joint, &def);
    set.as.set_joint.definition.motor_enabled = true;
    set.as.set_joint.definition.motor_speed = 378 * METRE;
    assert_refused(world, 0, &set, ISO_ERR_RANGE);
    iso_command join = join_bodies(def.body_a, def.body_b);
    join.as.create_joint.joint.motor_enabled = true;
    join.as.create_joint.joint.motor_speed = 378 * METRE;
    assert_refused(world, 0, &join, ISO_ERR_RANGE);
    iso_command turn;
    memset(&turn, 0, sizeof turn);
    turn.kind = ISO_COMMAND_SET_VELOCITY;
    turn.as.set_velocity.body = def.body_a;
    turn.as.set_velocity.angular_velocity = 189 * ISO_WIDE_ONE;
    assert_refused(world, 0, &turn, ISO_ERR_RANGE);
    turn.as.set_velocity.angular_velocity = 188 * ISO_WIDE_ONE;
    assert_int_equal(give(world, 0, &turn, NULL), ISO_OK);
    util_world_free(world);
}

/// What the canonical bytes of a kind do not have would be gone in a recording: the structure alone may not have it
/// either.
static void test_what_the_bytes_do_not_have_is_refused(void **state) {
    (void)state;
    for (int set = 0; set < 2; ++set) {
        iso_command c;
        memset(&c, 0, sizeof c);
        c.kind = set ? ISO_COMMAND_SET_JOINT : ISO_COMMAND_CREATE_JOINT;
        iso_joint_def *def = set ? &c.as.set_joint.definition : &c.as.create_joint.joint;
        *def = iso_joint_def_default();
        assert_int_equal(iso_command_check(&c), ISO_OK);
        iso_wide *const foreign = &def->params.vectors3[7][2];
        iso_wide *const own[] = {&def->params.scalars[7], &def->params.vectors[7][1], &def->params.vectors[0][0]};
        def->constraint = 1;
        assert_int_equal(iso_command_check(&c), ISO_ERR_RANGE);
        def->kind = ISO_JOINT_USER;
        assert_int_equal(iso_command_check(&c), ISO_OK);
        for (size_t i = 0; i < sizeof own / sizeof own[0]; ++i) {
            *def = iso_joint_def_default();
            *own[i] = -1;
            assert_int_equal(iso_command_check(&c), ISO_ERR_RANGE);
            def->kind = ISO_JOINT_SYMBOLIC;
            assert_int_equal(iso_command_check(&c), ISO_OK);
        }
        *foreign = 1;
        assert_int_equal(iso_command_check(&c), ISO_ERR_RANGE);
        def->kind = ISO_JOINT_REVOLUTE;
        assert_int_equal(iso_command_check(&c), ISO_ERR_RANGE);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_joints_need_both_bodies_and_belong_to_their_maker),
        cmocka_unit_test(test_joints_of_four_need_all_of_them),
        cmocka_unit_test(test_owner_commands_its_joint),
        cmocka_unit_test(test_everyones_and_nobodys_joints),
        cmocka_unit_test(test_setting_a_joint_keeps_its_kind_and_bodies),
        cmocka_unit_test(test_other_bodies_of_a_joint_must_be_the_members),
        cmocka_unit_test(test_commands_for_more_spin_than_there_is_are_refused),
        cmocka_unit_test(test_what_the_bytes_do_not_have_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
