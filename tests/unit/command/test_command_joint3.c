/// Commands on joints in space: who may make, drag, change and end them, quotas, and what becomes of each.
#include "unit/command/test_command3_util.h"
#include "unit/command/test_command_util.h"
#include "unit/space/world/space_util.h"

#include "isostep/constraint.h"
#include "isostep/games.h"

#define JOINTS_PER_SLOT  3
#define CUSTOM_PER_WORLD 2

// ---- constraints, of a game and of a world's programs alike --------------------------------------------

enum { APART, LIFT, CONSTRAINTS };

static iso_status apart_check(const iso_program_params *params) {
    return params->scalars[0] >= 0 ? ISO_OK : ISO_ERR_RANGE;
}

static void apart_bounds(const iso_program_params *params, const iso_wide *state, iso_wide *low, iso_wide *high) {
    (void)state;
    low[0] = ISO_WIDE_MIN;
    high[0] = params->scalars[0];
}

static void apart_rows(const iso_constraint3_body *bodies, const iso_program_params *params, const iso_wide *state,
                       iso_constraint3_rows *rows) {
    (void)state;
    for (int d = 0; d < 3; ++d) {
        const iso_wide between = bodies[1].position[d] - bodies[0].position[d];
        rows->error[0] += iso_wide_mul(params->vectors3[0][d], between);
        rows->jacobian[0][0][d] = -params->vectors3[0][d];
        rows->jacobian[0][1][d] = params->vectors3[0][d];
    }
}

static void lift_bounds(const iso_program_params *params, const iso_wide *state, iso_wide *low, iso_wide *high) {
    (void)state;
    low[0] = params->scalars[0];
    high[0] = ISO_WIDE_MAX;
}

static void lift_rows(const iso_constraint3_body *bodies, const iso_program_params *params, const iso_wide *state,
                      iso_constraint3_rows *rows) {
    (void)params;
    (void)state;
    rows->error[0] = bodies[0].position[1];
    rows->jacobian[0][0][1] = ISO_WIDE_ONE;
}

static const char *const names[] = {"bound"}, *const ways[] = {"way"};
static const iso_constraint constraints[CONSTRAINTS] = {
    [APART] = {.name = "apart",
               .body_count = 2,
               .vector_count = 1,
               .scalar_count = 1,
               .row_count = 1,
               .vector_names = ways,
               .scalar_names = names,
               .check = apart_check,
               .bounds = apart_bounds,
               .rows3 = apart_rows},
    [LIFT] = {.name = "lift",
              .body_count = 1,
              .scalar_count = 1,
              .row_count = 1,
              .scalar_names = names,
              .bounds = lift_bounds,
              .rows3 = lift_rows},
};
static const char *const sources[CONSTRAINTS] = {
    [APART] = "body a, b vector way scalar most limit most 0 inf constraint way dot (b.position - a.position)"
              " limit constraint (-inf) most",
    [LIFT] = "body b scalar least constraint b.position.y limit constraint least inf",
};

// ---- worlds --------------------------------------------------------------------------------------------

/// Members 0 and 2 of a sandbox in space, each with a ball.
static iso_world *joint3_world_of(const iso_game *game) {
    iso_world_def def = space_def();
    def.custom_joint_capacity = CUSTOM_PER_WORLD;
    strcpy(def.game, "sandbox3");
    for (uint32_t i = 0; i < iso_game_sandbox3.param_count; ++i) {
        def.game_params[i] = iso_game_sandbox3.params[i].value;
    }
    def.game_params[5] = JOINTS_PER_SLOT * ISO_WIDE_ONE;
    def.slot_capacity = 4;
    iso_world *world = util_world_create(&def, game);
    for (uint32_t i = 0; i < CONSTRAINTS && game->constraint_count > 0; ++i) {
        static iso_program_scratch scratch;
        iso_program program;
        uint32_t index;
        EXPECT_STATUS(iso_program3_compile(sources[i], strlen(sources[i]), &scratch, &program, NULL), ISO_OK);
        EXPECT_STATUS(iso_world_add_program(world, &program, &index), ISO_OK);
        assert_int_equal(index, i);
    }
    iso_world_start(world);
    change(world, ISO_CHANGE_JOIN, 0);
    change(world, ISO_CHANGE_JOIN, 2);
    return world;
}

static iso_world *joint3_world(void) {
    return joint3_world_of(&iso_game_sandbox3);
}

static iso_command of_kind(iso_command_kind kind) {
    iso_command c;
    memset(&c, 0, sizeof c);
    c.kind = (uint8_t)kind;
    return c;
}

static iso_body_id spawned(iso_world *world, uint8_t slot, double x) {
    iso_command c = of_kind(ISO_COMMAND_SPAWN_BODY3);
    c.as.spawn_body3.body = iso_body3_def_default();
    c.as.spawn_body3.body.position = wide3(x, 20, 0);
    c.as.spawn_body3.shape = iso_shape3_def_box(METRE / 2, METRE / 2, METRE / 2);
    return iso_body_id_unpack(must_give(world, slot, &c));
}

static iso_command join3(uint8_t kind, iso_body_id a, iso_body_id b) {
    iso_command c = of_kind(ISO_COMMAND_CREATE_JOINT3);
    c.as.create_joint3.joint = iso_joint3_def_default(kind);
    c.as.create_joint3.joint.body_a = a;
    c.as.create_joint3.joint.body_b = b;
    return c;
}

static iso_joint3_def def_of(const iso_world *world, iso_joint_id joint) {
    iso_joint3_def def;
    memset(&def, 0, sizeof def);
    EXPECT_STATUS(iso_joint3_get(world, joint, &def), ISO_OK);
    return def;
}

/// Both as the canonical bytes of a command, which has all but the owner.
static void assert_def(const iso_joint3_def *def, const iso_joint3_def *expected) {
    uint8_t bytes[2][ISO_COMMAND_SIZE_MAX];
    iso_command c = of_kind(ISO_COMMAND_CREATE_JOINT3);
    c.as.create_joint3.joint = *def;
    const size_t size = iso_command_encode(&c, bytes[0], sizeof bytes[0]);
    assert_true(size > 0);
    c.as.create_joint3.joint = *expected;
    assert_int_equal(iso_command_encode(&c, bytes[1], sizeof bytes[1]), size);
    assert_memory_equal(bytes[0], bytes[1], size);
    assert_int_equal(def->owner.slot, expected->owner.slot);
    assert_int_equal(def->owner.generation, expected->owner.generation);
}

/// However many shapes a member may have, 64 of them are of one body.
static void test_a_body_gets_64_shapes(void **state) {
    (void)state;
    iso_world *world = joint3_world();
    iso_command c = of_kind(ISO_COMMAND_CREATE_SHAPE3);
    c.as.create_shape3.body = spawned(world, 0, 0);
    c.as.create_shape3.shape = iso_shape3_def_sphere(METRE / 2);
    for (int i = 1; i < ISO_COMMAND_BODY3_SHAPES_MAX; ++i) {
        must_give(world, 0, &c);
    }
    assert_refused(world, 0, &c, ISO_ERR_QUOTA);
    c.as.create_shape3.body = spawned(world, 0, 5);
    must_give(world, 0, &c);
    const iso_vec3 corners[4] = {{0, 0, 0}, {METRE, 0, 0}, {0, METRE, 0}, {0, 0, METRE}};
    c.as.create_shape3.shape = iso_shape3_def_hull(corners, 4);
    for (int i = 0; i < 7; ++i) {
        must_give(world, 0, &c); // 2 and 7 times 8
    }
    assert_refused(world, 0, &c, ISO_ERR_QUOTA);
    world_free(world);
}

static void test_joints_in_space_need_both_bodies_and_belong_to_their_maker(void **state) {
    (void)state;
    iso_world *world = joint3_world();
    const iso_body_id mine = spawned(world, 0, 0), theirs = spawned(world, 2, 5);
    iso_command join = join3(ISO_JOINT3_BALL, mine, theirs);
    assert_refused(world, 0, &join, ISO_ERR_NOT_OWNER);
    assert_refused(world, 2, &join, ISO_ERR_NOT_OWNER);
    EXPECT_STATUS(iso_body_set_owner(world, theirs, (iso_owner){0, ISO_OWNER_EVERYONE}), ISO_OK);
    join.as.create_joint3.joint.owner = (iso_owner){5, 3}; // ignored
    const iso_joint_id joint = iso_joint_id_unpack(must_give(world, 0, &join));
    assert_int_equal(def_of(world, joint).owner.slot, 0);
    assert_int_equal(def_of(world, joint).owner.generation, 1);
    join = join3(ISO_JOINT3_BALL, mine, mine);
    assert_refused(world, 0, &join, ISO_ERR_WRONG_TYPE);
    for (uint8_t kind = ISO_JOINT3_USER; kind <= ISO_JOINT3_SYMBOLIC; ++kind) {
        join = join3(kind, mine, theirs);
        assert_refused(world, 0, &join, ISO_ERR_UNKNOWN_NAME); // neither game nor world has constraints
    }
    join = join3(ISO_JOINT3_BALL, (iso_body_id){40, 1}, mine);
    assert_refused(world, 0, &join, ISO_ERR_STALE);
    iso_command end = of_kind(ISO_COMMAND_DESTROY_JOINT);
    end.as.destroy_joint.joint = joint;
    assert_refused(world, 2, &end, ISO_ERR_NOT_OWNER);
    EXPECT_STATUS(give(world, 0, &end, NULL), ISO_OK);
    assert_refused(world, 0, &end, ISO_ERR_STALE);
    world_free(world);
}

/// A member drags a body with a joint of its own, and moves the target.
static void test_a_member_drags_a_body_in_space(void **state) {
    (void)state;
    iso_world *world = joint3_world();
    const iso_body_id mine = spawned(world, 0, 0), theirs = spawned(world, 2, 5);
    iso_command drag = join3(ISO_JOINT3_TARGET, (iso_body_id){0, 0}, theirs);
    drag.as.create_joint3.joint.hertz = 2 * METRE;
    drag.as.create_joint3.joint.target = wide3(0, 20, 0);
    assert_refused(world, 0, &drag, ISO_ERR_NOT_OWNER);
    drag.as.create_joint3.joint.body_b = mine;
    const iso_joint_id joint = iso_joint_id_unpack(must_give(world, 0, &drag));
    iso_command aim = of_kind(ISO_COMMAND_SET_TARGET3);
    aim.as.set_target3.joint = joint;
    aim.as.set_target3.target = wide3(3, 21, -2);
    assert_refused(world, 2, &aim, ISO_ERR_NOT_OWNER);
    EXPECT_STATUS(give(world, 0, &aim, NULL), ISO_OK);
    util_steps(world, 120);
    const vector at = vector_of(view3(world, mine).position);
    EXPECT_NEAR(length(sum(at, -1, (vector){{3, 21, -2}})), 0, 1e-3, "dragged to the target");
    // Of another kind there is nothing to aim.
    iso_command ball = join3(ISO_JOINT3_BALL, mine, spawned(world, 0, 9));
    aim.as.set_target3.joint = iso_joint_id_unpack(must_give(world, 0, &ball));
    assert_refused(world, 0, &aim, ISO_ERR_WRONG_TYPE);
    world_free(world);
}

static void test_commands_change_joints_in_space(void **state) {
    (void)state;
    iso_world *world = joint3_world();
    const iso_body_id a = spawned(world, 0, 0), b = spawned(world, 0, 3);
    iso_command join = join3(ISO_JOINT3_HINGE, a, b);
    join.as.create_joint3.joint.frame_a.anchor = fix3(1.5, 0, 0);
    join.as.create_joint3.joint.frame_b.anchor = fix3(-1.5, 0, 0);
    const iso_joint_id joint = iso_joint_id_unpack(must_give(world, 0, &join));
    iso_joint3_def expected = join.as.create_joint3.joint;
    expected.owner = (iso_owner){1, 0};
    iso_joint3_def def = def_of(world, joint);
    assert_def(&def, &expected);
    // An axis.
    iso_command axis = of_kind(ISO_COMMAND_SET_JOINT_AXIS3);
    axis.as.set_joint_axis3 = (iso_command_set_joint_axis3){joint, 0, expected.axes[0]};
    iso_joint3_axis *row = &axis.as.set_joint_axis3.definition;
    row->limit_enabled = row->motor_enabled = row->spring_enabled = true;
    row->lower = -METRE, row->upper = 2 * METRE;
    row->motor_speed = 3 * METRE, row->motor_max = 4 * ISO_WIDE_ONE;
    row->spring_hertz = 5 * METRE, row->spring_damping_ratio = METRE / 2, row->spring_max = 6 * ISO_WIDE_ONE;
    row->rest = METRE / 8;
    EXPECT_STATUS(give(world, 0, &axis, NULL), ISO_OK);
    expected.axes[0] = *row;
    def = def_of(world, joint);
    assert_def(&def, &expected);
    iso_command bad = axis;
    bad.as.set_joint_axis3.axis = 1; // a hinge has one
    assert_refused(world, 0, &bad, ISO_ERR_WRONG_TYPE);
    assert_refused(world, 2, &axis, ISO_ERR_NOT_OWNER);
    // All of it.
    iso_command set = of_kind(ISO_COMMAND_SET_JOINT3);
    set.as.set_joint3 = (iso_command_set_joint3){joint, expected};
    iso_joint3_def *all = &set.as.set_joint3.definition;
    all->body_a = all->body_b = (iso_body_id){0, 0};
    all->frame_a.anchor.y = METRE / 4;
    all->frame_b.rotation = (iso_quat){0, 0, 759250125, 759250125}; // the square root of a half
    all->force_max = 500 * ISO_WIDE_ONE, all->torque_max = 50 * ISO_WIDE_ONE;
    all->tag = 9;
    all->owner = (iso_owner){0, ISO_OWNER_EVERYONE}; // ignored
    EXPECT_STATUS(give(world, 0, &set, NULL), ISO_OK);
    const iso_joint3_def before = expected;
    expected = *all;
    expected.body_a = before.body_a, expected.body_b = before.body_b, expected.owner = before.owner;
    def = def_of(world, joint);
    assert_def(&def, &expected);
    set.as.set_joint3.definition.kind = ISO_JOINT3_SLIDER;
    assert_refused(world, 0, &set, ISO_ERR_WRONG_TYPE);
    set.as.set_joint3.definition.kind = ISO_JOINT3_HINGE;
    set.as.set_joint3.definition.body_a = b;
    assert_refused(world, 0, &set, ISO_ERR_WRONG_TYPE);
    assert_refused(world, 2, &set, ISO_ERR_NOT_OWNER);
    world_free(world);
}

/// B's centre is at most so far from A's along x.
static iso_command join3_apart(uint8_t kind, iso_body_id a, iso_body_id b, iso_wide most) {
    iso_command c = join3(kind, a, b);
    c.as.create_joint3.joint.constraint = APART;
    c.as.create_joint3.joint.params.vectors3[0][0] = ISO_WIDE_ONE;
    c.as.create_joint3.joint.params.scalars[0] = most;
    return c;
}

static void assert_refused_params(iso_world *world, const iso_command *join, iso_wide *param, iso_wide wrong) {
    const iso_wide right = *param;
    *param = wrong;
    assert_refused(world, 0, join, ISO_ERR_RANGE);
    *param = right;
}

static iso_game sandbox3_with_constraints(void) {
    iso_game game = iso_game_sandbox3;
    game.constraints = constraints;
    game.constraint_count = CONSTRAINTS;
    return game;
}

/// Of a game and of a program the same: who may, what is refused, what becomes of the bodies.
static void test_commands_make_joints_of_constraints_in_space(void **state) {
    (void)state;
    const iso_game game = sandbox3_with_constraints();
    for (uint8_t kind = ISO_JOINT3_USER; kind <= ISO_JOINT3_SYMBOLIC; ++kind) {
        iso_world *world = joint3_world_of(&game);
        const iso_body_id a = spawned(world, 0, 0), b = spawned(world, 0, 3), theirs = spawned(world, 2, 9);
        iso_command join = join3_apart(kind, a, theirs, 2 * ISO_WIDE_ONE);
        iso_joint3_def *def = &join.as.create_joint3.joint;
        assert_refused(world, 0, &join, ISO_ERR_NOT_OWNER);
        assert_refused(world, 2, &join, ISO_ERR_NOT_OWNER);
        def->body_b = b;
        assert_refused(world, 2, &join, ISO_ERR_NOT_OWNER);
        def->constraint = CONSTRAINTS;
        assert_refused(world, 0, &join, ISO_ERR_UNKNOWN_NAME);
        def->constraint = LIFT; // which has one body
        assert_refused(world, 0, &join, ISO_ERR_WRONG_TYPE);
        def->constraint = APART;
        def->body_a = (iso_body_id){0, 0};
        assert_refused(world, 0, &join, ISO_ERR_WRONG_TYPE);
        def->body_a = a;
        assert_refused_params(world, &join, &def->params.scalars[0], -1);
        assert_refused_params(world, &join, &def->params.scalars[1], 1); // which it does not declare
        assert_refused_params(world, &join, &def->params.vectors3[1][2], 1);
        def->axes[0].limit_enabled = true;
        EXPECT_STATUS(iso_command_check(&join), ISO_ERR_RANGE);
        def->axes[0].limit_enabled = false;
        const iso_joint_id joint = iso_joint_id_unpack(must_give(world, 0, &join));
        const iso_joint3_def made = def_of(world, joint);
        def->owner = (iso_owner){1, 0};
        assert_def(&made, def);
        // Of one body.
        join = join3(kind, (iso_body_id){0, 0}, b);
        def->constraint = LIFT;
        def->params.scalars[0] = 21 * ISO_WIDE_ONE;
        assert_refused(world, 2, &join, ISO_ERR_NOT_OWNER);
        assert_true(must_give(world, 0, &join) != 0);
        assert_refused(world, 0, &join, ISO_ERR_CAPACITY);
        util_steps(world, 120);
        const vector at = vector_of(view3(world, b).position);
        EXPECT_NEAR(at.x[0] - vector_of(view3(world, a).position).x[0], 2, 2e-3, "apart");
        EXPECT_NEAR(at.x[1], 21, 2e-3, "lifted");
        world_free(world);
    }
}

static void test_commands_change_joints_of_constraints_in_space(void **state) {
    (void)state;
    const iso_game game = sandbox3_with_constraints();
    for (uint8_t kind = ISO_JOINT3_USER; kind <= ISO_JOINT3_SYMBOLIC; ++kind) {
        iso_world *world = joint3_world_of(&game);
        const iso_body_id a = spawned(world, 0, 0), b = spawned(world, 0, 3);
        const iso_command join = join3_apart(kind, a, b, 5 * ISO_WIDE_ONE);
        iso_command set = of_kind(ISO_COMMAND_SET_JOINT3);
        set.as.set_joint3.joint = iso_joint_id_unpack(must_give(world, 0, &join));
        iso_joint3_def *def = &set.as.set_joint3.definition;
        *def = join.as.create_joint3.joint;
        def->body_a = def->body_b = (iso_body_id){0, 0};
        def->params.scalars[0] = ISO_WIDE_ONE;
        assert_refused(world, 2, &set, ISO_ERR_NOT_OWNER);
        assert_refused_params(world, &set, &def->params.scalars[0], -1);
        assert_refused_params(world, &set, &def->params.vectors3[1][0], 1);
        def->constraint = LIFT;
        assert_refused(world, 0, &set, ISO_ERR_WRONG_TYPE);
        def->constraint = APART;
        def->kind = (uint8_t)(ISO_JOINT3_USER + ISO_JOINT3_SYMBOLIC - kind); // the other one
        assert_refused(world, 0, &set, ISO_ERR_WRONG_TYPE);
        def->kind = kind;
        EXPECT_STATUS(give(world, 0, &set, NULL), ISO_OK);
        const iso_joint3_def now = def_of(world, set.as.set_joint3.joint);
        def->body_a = a, def->body_b = b, def->owner = (iso_owner){1, 0};
        assert_def(&now, def);
        util_steps(world, 120);
        const double between = from_wide(view3(world, b).position.x) - from_wide(view3(world, a).position.x);
        EXPECT_NEAR(between, 1, 2e-3, "nearer than before");
        world_free(world);
    }
}

/// As in the plane: structures alone may not have it either.
static void test_what_the_bytes_do_not_have_is_refused_in_space(void **state) {
    (void)state;
    for (int set = 0; set < 2; ++set) {
        iso_command c = of_kind(set ? ISO_COMMAND_SET_JOINT3 : ISO_COMMAND_CREATE_JOINT3);
        iso_joint3_def *def = set ? &c.as.set_joint3.definition : &c.as.create_joint3.joint;
        iso_program_params *params = &def->params;
        iso_wide *const own[] = {&params->scalars[7], &params->vectors3[7][2], &params->vectors3[0][0]};
        for (size_t i = 0; i < sizeof own / sizeof own[0]; ++i) {
            *def = iso_joint3_def_default(ISO_JOINT3_BALL);
            EXPECT_STATUS(iso_command_check(&c), ISO_OK);
            *own[i] = -1;
            EXPECT_STATUS(iso_command_check(&c), ISO_ERR_RANGE);
            *def = iso_joint3_def_default(ISO_JOINT3_SYMBOLIC);
            *own[i] = -1;
            EXPECT_STATUS(iso_command_check(&c), ISO_OK);
        }
        params->vectors[7][1] = 1;
        EXPECT_STATUS(iso_command_check(&c), ISO_ERR_RANGE);
        *def = iso_joint3_def_default(ISO_JOINT3_BALL);
        def->constraint = 1;
        EXPECT_STATUS(iso_command_check(&c), ISO_ERR_RANGE);
    }
}

/// 60 Hz, four substeps: a body turns by at most an eighth of a turn in each, 188.5 rad/s.
static void test_a_motor_beyond_what_bodies_turn_is_refused(void **state) {
    (void)state;
    iso_world *world = joint3_world();
    const iso_body_id a = spawned(world, 0, 0), b = spawned(world, 0, 3);
    iso_command join = join3(ISO_JOINT3_HINGE, a, b);
    join.as.create_joint3.joint.axes[0].motor_enabled = true;
    join.as.create_joint3.joint.axes[0].motor_speed = 377 * METRE;
    assert_refused(world, 0, &join, ISO_ERR_RANGE);
    join.as.create_joint3.joint.axes[0].motor_speed = -376 * METRE;
    const iso_joint_id joint = iso_joint_id_unpack(must_give(world, 0, &join));
    iso_wide most = 0;
    EXPECT_STATUS(iso_joint3_get_axis_speed_max(world, joint, 0, &most), ISO_OK);
    EXPECT_NEAR(from_wide(most), 2 * 188.4956, 1e-3, "both together");
    EXPECT_STATUS(iso_joint3_get_axis_speed_max(world, joint, 1, &most), ISO_ERR_WRONG_TYPE);
    iso_command axis = of_kind(ISO_COMMAND_SET_JOINT_AXIS3);
    axis.as.set_joint_axis3 = (iso_command_set_joint_axis3){joint, 0, join.as.create_joint3.joint.axes[0]};
    axis.as.set_joint_axis3.definition.motor_speed = -377 * METRE;
    assert_refused(world, 0, &axis, ISO_ERR_RANGE);
    iso_command set = of_kind(ISO_COMMAND_SET_JOINT3);
    set.as.set_joint3 = (iso_command_set_joint3){joint, join.as.create_joint3.joint};
    set.as.set_joint3.definition.axes[0].motor_speed = 377 * METRE;
    assert_refused(world, 0, &set, ISO_ERR_RANGE);
    // One that stands still adds nothing; a length has no cap.
    EXPECT_STATUS(iso_body3_set_type(world, a, ISO_BODY_STATIC), ISO_OK);
    EXPECT_STATUS(iso_joint3_get_axis_speed_max(world, joint, 0, &most), ISO_OK);
    EXPECT_NEAR(from_wide(most), 188.4956, 1e-3, "one of them");
    join = join3(ISO_JOINT3_SLIDER, a, b);
    join.as.create_joint3.joint.axes[0].motor_enabled = true;
    join.as.create_joint3.joint.axes[0].motor_speed = 32767 * METRE;
    assert_true(must_give(world, 0, &join) != 0);
    world_free(world);
}

static void test_quotas_of_joints_hold_in_space(void **state) {
    (void)state;
    iso_world *world = joint3_world();
    const iso_body_id a = spawned(world, 0, 0), b = spawned(world, 0, 3);
    const iso_command join = join3(ISO_JOINT3_BALL, a, b);
    iso_joint_id joint = {0, 0};
    for (int i = 0; i < JOINTS_PER_SLOT; ++i) {
        joint = iso_joint_id_unpack(must_give(world, 0, &join));
    }
    assert_refused(world, 0, &join, ISO_ERR_QUOTA);
    iso_command end = of_kind(ISO_COMMAND_DESTROY_JOINT);
    end.as.destroy_joint.joint = joint;
    EXPECT_STATUS(give(world, 0, &end, NULL), ISO_OK);
    assert_true(must_give(world, 0, &join) != 0);
    world_free(world);
}

/// Between bodies that stay: those of the scene, which everyone owns.
static void test_joints_in_space_go_with_their_member(void **state) {
    (void)state;
    iso_world *world = joint3_world();
    const iso_body_id a = body3_add(world, ISO_BODY_DYNAMIC, wide3(0, 30, 0), iso_quat_identity());
    const iso_body_id b = body3_add(world, ISO_BODY_DYNAMIC, wide3(1, 30, 0), iso_quat_identity());
    EXPECT_STATUS(iso_body_set_owner(world, a, (iso_owner){0, ISO_OWNER_EVERYONE}), ISO_OK);
    EXPECT_STATUS(iso_body_set_owner(world, b, (iso_owner){0, ISO_OWNER_EVERYONE}), ISO_OK);
    const iso_command join = join3(ISO_JOINT3_BALL, a, b);
    const iso_joint_id mine = iso_joint_id_unpack(must_give(world, 0, &join));
    const iso_joint_id theirs = iso_joint_id_unpack(must_give(world, 2, &join));
    change(world, ISO_CHANGE_LEAVE, 0);
    assert_false(iso_joint_is_valid(world, mine));
    assert_true(iso_joint_is_valid(world, theirs));
    assert_true(iso_body_is_valid(world, a) && iso_body_is_valid(world, b));
    world_free(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_body_gets_64_shapes),
        cmocka_unit_test(test_joints_in_space_need_both_bodies_and_belong_to_their_maker),
        cmocka_unit_test(test_a_member_drags_a_body_in_space),
        cmocka_unit_test(test_commands_change_joints_in_space),
        cmocka_unit_test(test_commands_make_joints_of_constraints_in_space),
        cmocka_unit_test(test_commands_change_joints_of_constraints_in_space),
        cmocka_unit_test(test_a_motor_beyond_what_bodies_turn_is_refused),
        cmocka_unit_test(test_what_the_bytes_do_not_have_is_refused_in_space),
        cmocka_unit_test(test_quotas_of_joints_hold_in_space),
        cmocka_unit_test(test_joints_in_space_go_with_their_member),
    };
    return cmocka_run_group_tests_name("command_joint3", tests, NULL, NULL);
}
