/// Commands and session changes in a tick: who may do what, what becomes of it, and what stays unchanged.
#include "test_command_util.h"
#include "isostep/games.h"

static iso_command on_body(iso_command_kind kind, iso_body_id body) {
    iso_command c;
    memset(&c, 0, sizeof c);
    c.kind = (uint8_t)kind;
    switch (kind) {
    case ISO_COMMAND_DESTROY_BODY:
        c.as.destroy_body.body = body;
        break;
    case ISO_COMMAND_CREATE_SHAPE:
        c.as.create_shape.body = body;
        c.as.create_shape.shape = iso_shape_def_circle(METRE / 8);
        break;
    case ISO_COMMAND_APPLY_FORCE:
        c.as.apply_force.body = body;
        c.as.apply_force.force.x = ISO_WIDE_ONE;
        break;
    case ISO_COMMAND_APPLY_IMPULSE:
        c.as.apply_impulse.body = body;
        c.as.apply_impulse.impulse.y = ISO_WIDE_ONE;
        break;
    case ISO_COMMAND_APPLY_TORQUE:
        c.as.apply_torque.body = body;
        c.as.apply_torque.torque = ISO_WIDE_ONE;
        break;
    case ISO_COMMAND_APPLY_ANGULAR_IMPULSE:
        c.as.apply_angular_impulse.body = body;
        c.as.apply_angular_impulse.impulse = ISO_WIDE_ONE;
        break;
    case ISO_COMMAND_SET_VELOCITY:
        c.as.set_velocity.body = body;
        c.as.set_velocity.velocity.x = iso_wide_from_fix16(METRE);
        break;
    case ISO_COMMAND_SET_BODY_POSITION:
        c.as.set_body_position.body = body;
        c.as.set_body_position.position = (iso_vec2_wide){-7 * ISO_WIDE_ONE - 1, 25 * ISO_WIDE_ONE + 1};
        c.as.set_body_position.angle = 3 * ISO_WIDE_ONE;
        break;
    case ISO_COMMAND_SET_BODY_TAG:
        c.as.set_body_tag.body = body;
        c.as.set_body_tag.tag = UINT32_MAX;
        break;
    default:
        fail();
    }
    return c;
}

static const iso_command_kind BODY_KINDS[] = {
    ISO_COMMAND_CREATE_SHAPE,      ISO_COMMAND_APPLY_FORCE,           ISO_COMMAND_APPLY_IMPULSE,
    ISO_COMMAND_APPLY_TORQUE,      ISO_COMMAND_APPLY_ANGULAR_IMPULSE, ISO_COMMAND_SET_VELOCITY,
    ISO_COMMAND_SET_BODY_POSITION, ISO_COMMAND_SET_BODY_TAG,          ISO_COMMAND_DESTROY_BODY};
#define BODY_KIND_COUNT (sizeof BODY_KINDS / sizeof BODY_KINDS[0])

static void test_owner_commands_its_body(void **state) {
    (void)state;
    iso_world *world = util_world_lively(3);
    uint64_t id;
    const iso_command c = spawn(0, 20 * METRE);
    assert_int_equal(give(world, 0, &c, &id), ISO_OK);
    const iso_body_id body = iso_body_id_unpack(id);
    iso_body_view view;
    assert_int_equal(iso_body_get(world, body, &view), ISO_OK);
    assert_int_equal(view.owner.slot, 0);
    assert_int_equal(view.owner.generation, 1);
    for (size_t i = 0; i < BODY_KIND_COUNT; ++i) {
        const iso_command command = on_body(BODY_KINDS[i], body);
        assert_refused(world, 2, &command, ISO_ERR_NOT_OWNER);
        assert_int_equal(give(world, 0, &command, &id), ISO_OK);
        assert_int_equal(id != 0, BODY_KINDS[i] == ISO_COMMAND_CREATE_SHAPE);
    }
    assert_false(iso_body_is_valid(world, body));
    for (size_t i = 0; i < BODY_KIND_COUNT; ++i) {
        const iso_command command = on_body(BODY_KINDS[i], body);
        assert_refused(world, 0, &command, ISO_ERR_STALE);
    }
    util_world_free(world);
}

static void test_everyones_and_nobodys_bodies(void **state) {
    (void)state;
    iso_world *world = util_world_lively(3);
    const iso_body_id body = iso_body_next(world, 2); // nobody's
    const iso_command push = on_body(ISO_COMMAND_APPLY_IMPULSE, body);
    assert_refused(world, 0, &push, ISO_ERR_NOT_OWNER);
    assert_int_equal(iso_body_set_owner(world, body, (iso_owner){0, ISO_OWNER_EVERYONE}), ISO_OK);
    assert_int_equal(give(world, 0, &push, NULL), ISO_OK);
    assert_int_equal(give(world, 2, &push, NULL), ISO_OK);
    // An owner of the same slot, but of a member before.
    assert_int_equal(iso_body_set_owner(world, body, (iso_owner){2, 0}), ISO_OK);
    assert_refused(world, 0, &push, ISO_ERR_NOT_OWNER);
    assert_int_equal(iso_body_set_owner(world, body, (iso_owner){0, 32}), ISO_ERR_RANGE);
    assert_int_equal(iso_body_set_owner(world, body, (iso_owner){1, ISO_OWNER_NOBODY}), ISO_ERR_RANGE);
    util_world_free(world);
}

static void test_static_and_kinematic_bodies_are_not_pushed(void **state) {
    (void)state;
    iso_world *world = util_world_lively(3);
    for (iso_body_id b = iso_body_next(world, 0); b.generation != 0; b = iso_body_next(world, b.index + 1)) {
        iso_body_view view;
        assert_int_equal(iso_body_get(world, b, &view), ISO_OK);
        if (view.type != ISO_BODY_DYNAMIC) {
            assert_int_equal(iso_body_set_owner(world, b, (iso_owner){1, 0}), ISO_OK);
            const iso_command push = on_body(ISO_COMMAND_APPLY_FORCE, b);
            assert_refused(world, 0, &push, ISO_ERR_WRONG_TYPE);
            const iso_command turn = on_body(ISO_COMMAND_APPLY_ANGULAR_IMPULSE, b);
            assert_refused(world, 0, &turn, ISO_ERR_WRONG_TYPE);
            const iso_command move = on_body(ISO_COMMAND_SET_VELOCITY, b);
            if (view.type == ISO_BODY_STATIC) {
                assert_refused(world, 0, &move, ISO_ERR_WRONG_TYPE);
            }
        }
    }
    util_world_free(world);
}

static void test_shapes_follow_their_bodys_owner(void **state) {
    (void)state;
    iso_world *world = util_world_lively(3);
    iso_command filter;
    memset(&filter, 0, sizeof filter);
    filter.kind = ISO_COMMAND_SET_FILTER;
    filter.as.set_filter.shape = (iso_shape_id){2, world->shape_generations[2]};
    filter.as.set_filter.filter = (iso_filter){2, 2, 2};
    iso_command destroy;
    memset(&destroy, 0, sizeof destroy);
    destroy.kind = ISO_COMMAND_DESTROY_SHAPE;
    destroy.as.destroy_shape.shape = filter.as.set_filter.shape;
    assert_refused(world, 0, &filter, ISO_ERR_NOT_OWNER);
    assert_refused(world, 0, &destroy, ISO_ERR_NOT_OWNER);
    assert_int_equal(
        iso_body_set_owner(world, iso_body_next(world, iso__plane_of(world)->shapes[2].body), (iso_owner){1, 0}),
        ISO_OK);
    assert_int_equal(give(world, 0, &filter, NULL), ISO_OK);
    assert_int_equal(iso__plane_of(world)->shapes[2].category, 2);
    assert_int_equal(give(world, 0, &destroy, NULL), ISO_OK);
    assert_refused(world, 0, &filter, ISO_ERR_STALE);
    assert_refused(world, 0, &destroy, ISO_ERR_STALE);
    util_world_free(world);
}

static void test_a_member_puts_its_body_elsewhere_and_changes_its_tag(void **state) {
    (void)state;
    iso_world *world = util_world_lively(3), *twin = util_world_lively(3);
    uint64_t id;
    const iso_command c = spawn(0, 20 * METRE);
    assert_int_equal(give(world, 0, &c, &id), ISO_OK);
    assert_int_equal(give(twin, 0, &c, NULL), ISO_OK);
    const iso_body_id body = iso_body_id_unpack(id);
    const iso_command tag = on_body(ISO_COMMAND_SET_BODY_TAG, body);
    iso_command move = on_body(ISO_COMMAND_SET_BODY_POSITION, body);
    assert_int_equal(give(world, 0, &tag, NULL), ISO_OK);
    assert_int_equal(give(world, 0, &move, NULL), ISO_OK);
    // The same by the functions, in a world that has only the steps.
    assert_int_equal(iso_body_set_tag(twin, body, UINT32_MAX), ISO_OK);
    util_step(twin, NULL, 0, NULL, 0);
    assert_int_equal(iso_body_set_position(twin, body, move.as.set_body_position.position, 3 * ISO_WIDE_ONE), ISO_OK);
    util_step(twin, NULL, 0, NULL, 0);
    iso_body_view view, of_twin;
    assert_int_equal(iso_body_get(world, body, &view), ISO_OK);
    assert_int_equal(iso_body_get(twin, body, &of_twin), ISO_OK);
    assert_int_equal(view.tag, UINT32_MAX);
    assert_true(view.position.x < -6 * ISO_WIDE_ONE && view.position.y > 24 * ISO_WIDE_ONE);
    assert_memory_equal(&view.centre, &of_twin.centre, sizeof view.centre);
    assert_int_equal(view.angle_turns, of_twin.angle_turns);
    // Within the world itself, but not its centre of mass.
    iso_command wide = spawn(0, 40 * METRE);
    wide.as.spawn_body.shape = iso_shape_def_circle(METRE);
    wide.as.spawn_body.shape.points[0].x = 30 * METRE;
    assert_int_equal(give(world, 0, &wide, &id), ISO_OK);
    move.as.set_body_position.body = iso_body_id_unpack(id);
    move.as.set_body_position.position.x = 30000 * ISO_WIDE_ONE;
    move.as.set_body_position.angle = 0;
    assert_refused(world, 0, &move, ISO_ERR_RANGE);
    util_world_free(twin);
    util_world_free(world);
}

static void test_a_member_changes_what_its_shapes_are_made_of(void **state) {
    (void)state;
    iso_world *world = util_world_lively(3);
    const iso_shape_id shape = {2, world->shape_generations[2]};
    const iso_body_id body = iso_body_next(world, iso__plane_of(world)->shapes[2].body);
    iso_command commands[5];
    memset(commands, 0, sizeof commands);
    commands[0].kind = ISO_COMMAND_SET_SHAPE_FRICTION;
    commands[0].as.set_shape_friction = (iso_command_set_shape_friction){shape, METRE / 4};
    commands[1].kind = ISO_COMMAND_SET_SHAPE_RESTITUTION;
    commands[1].as.set_shape_restitution = (iso_command_set_shape_restitution){shape, METRE / 8};
    commands[2].kind = ISO_COMMAND_SET_SHAPE_DENSITY;
    commands[2].as.set_shape_density = (iso_command_set_shape_density){shape, 5 * METRE};
    commands[3].kind = ISO_COMMAND_SET_SHAPE_TAG;
    commands[3].as.set_shape_tag = (iso_command_set_shape_tag){shape, UINT32_MAX};
    commands[4].kind = ISO_COMMAND_SET_SHAPE_SURFACE_SPEED;
    commands[4].as.set_shape_surface_speed = (iso_command_set_shape_surface_speed){shape, -40 * METRE};
    for (size_t i = 0; i < 5; ++i) {
        assert_refused(world, 0, &commands[i], ISO_ERR_NOT_OWNER);
    }
    assert_int_equal(iso_body_set_owner(world, body, (iso_owner){1, 0}), ISO_OK);
    iso_body_view before, after;
    assert_int_equal(iso_body_get(world, body, &before), ISO_OK);
    for (size_t i = 0; i < 5; ++i) {
        assert_int_equal(give(world, 0, &commands[i], NULL), ISO_OK);
    }
    iso_shape_def def;
    iso_body_id of;
    assert_int_equal(iso_shape_get(world, shape, &def, &of), ISO_OK);
    assert_int_equal(def.friction, METRE / 4);
    assert_int_equal(def.restitution, METRE / 8);
    assert_int_equal(def.density, 5 * METRE);
    assert_int_equal(def.tag, UINT32_MAX);
    assert_int_equal(def.surface_speed, -40 * METRE);
    assert_int_equal(iso_body_get(world, body, &after), ISO_OK);
    assert_true(after.mass > 4 * before.mass);
    uint64_t id;
    iso_command disc = spawn(0, 20 * METRE);
    disc.as.spawn_body.shape = iso_shape_def_circle(5 * METRE);
    assert_int_equal(give(world, 0, &disc, &id), ISO_OK);
    iso_command heavy = commands[2];
    heavy.as.set_shape_density.shape = iso_body_next_shape(world, iso_body_id_unpack(id), 0);
    heavy.as.set_shape_density.density = INT32_MAX;
    assert_refused(world, 0, &heavy, ISO_ERR_RANGE); // no body weighs that much
    assert_int_equal(iso_body_destroy(world, body), ISO_OK);
    for (size_t i = 0; i < 5; ++i) {
        assert_refused(world, 0, &commands[i], ISO_ERR_STALE);
    }
    util_world_free(world);
}

static void test_gravity_is_nobodys(void **state) {
    (void)state;
    iso_world *world = util_world_lively(3);
    iso_command c;
    memset(&c, 0, sizeof c);
    c.kind = ISO_COMMAND_SET_GRAVITY;
    assert_refused(world, 0, &c, ISO_ERR_REFUSED);
    util_world_free(world);
}

static void test_quota_counts_everything_a_member_owns(void **state) {
    (void)state;
    iso_world_def def = util_world_def();
    def.game_params[3] = 3 * ISO_WIDE_ONE; // bodies_per_slot, with the member's own ball
    iso_world *world = util_world_create(&def, &iso_game_sandbox);
    const iso_change join = {ISO_CHANGE_JOIN, 1, 1};
    util_step(world, &join, 1, NULL, 0);
    uint64_t ids[2];
    for (int i = 0; i < 2; ++i) {
        const iso_command c = spawn(i * 3 * METRE, 0);
        assert_int_equal(give(world, 1, &c, &ids[i]), ISO_OK);
    }
    iso_command more = spawn(-3 * METRE, 0);
    assert_refused(world, 1, &more, ISO_ERR_QUOTA);
    // What is destroyed or given away does not count any more; what is received does.
    assert_int_equal(iso_body_set_owner(world, iso_body_id_unpack(ids[0]), (iso_owner){0, ISO_OWNER_NOBODY}), ISO_OK);
    assert_int_equal(give(world, 1, &more, NULL), ISO_OK);
    assert_refused(world, 1, &more, ISO_ERR_QUOTA);
    const iso_command end = on_body(ISO_COMMAND_DESTROY_BODY, iso_body_id_unpack(ids[1]));
    assert_int_equal(give(world, 1, &end, NULL), ISO_OK);
    assert_int_equal(iso_body_set_owner(world, iso_body_id_unpack(ids[0]), (iso_owner){1, 1}), ISO_OK);
    assert_refused(world, 1, &more, ISO_ERR_QUOTA);
    assert_int_equal(world->slots[1].body_count, 3);
    util_world_free(world);
}

static void test_quotas_of_shapes_and_joints_end_at_their_number(void **state) {
    (void)state;
    iso_world_def def = util_world_def();
    def.game_params[4] = 4 * ISO_WIDE_ONE; // shapes_per_slot, with the member's own ball
    def.game_params[5] = 2 * ISO_WIDE_ONE; // joints_per_slot
    iso_world *world = util_world_create(&def, &iso_game_sandbox);
    const iso_change join = {ISO_CHANGE_JOIN, 1, 1};
    util_step(world, &join, 1, NULL, 0);
    uint64_t ids[2];
    for (int i = 0; i < 2; ++i) {
        const iso_command c = spawn(i * 3 * METRE, 0);
        assert_int_equal(give(world, 1, &c, &ids[i]), ISO_OK);
    }
    const iso_body_id a = iso_body_id_unpack(ids[0]), b = iso_body_id_unpack(ids[1]);
    iso_command shape = on_body(ISO_COMMAND_CREATE_SHAPE, a);
    shape.as.create_shape.body = a;
    shape.as.create_shape.shape = iso_shape_def_circle(METRE / 4);
    assert_int_equal(give(world, 1, &shape, NULL), ISO_OK);
    assert_refused(world, 1, &shape, ISO_ERR_QUOTA);
    const iso_command more = spawn(-3 * METRE, 0);
    assert_refused(world, 1, &more, ISO_ERR_QUOTA);
    iso_command joint;
    memset(&joint, 0, sizeof joint);
    joint.kind = ISO_COMMAND_CREATE_JOINT;
    joint.as.create_joint.joint = iso_joint_def_default();
    joint.as.create_joint.joint.body_a = a;
    joint.as.create_joint.joint.body_b = b;
    static const iso_owner others[] = {
        {0, ISO_OWNER_NOBODY}, {0, ISO_OWNER_EVERYONE}, {1, 2}, {2, 1}}; // of others, these do not count
    for (size_t i = 0; i < sizeof others / sizeof others[0]; ++i) {
        iso_joint_def other = joint.as.create_joint.joint;
        iso_joint_id id;
        other.owner = others[i];
        assert_int_equal(iso_joint_create(world, &other, &id), ISO_OK);
    }
    assert_int_equal(give(world, 1, &joint, NULL), ISO_OK);
    assert_int_equal(give(world, 1, &joint, NULL), ISO_OK);
    assert_refused(world, 1, &joint, ISO_ERR_QUOTA);
    // What goes makes room for exactly as much.
    const iso_command end = on_body(ISO_COMMAND_DESTROY_BODY, b);
    assert_int_equal(give(world, 1, &end, NULL), ISO_OK);
    assert_int_equal(give(world, 1, &shape, NULL), ISO_OK);
    assert_refused(world, 1, &shape, ISO_ERR_QUOTA);
    util_world_free(world);
}

static void test_full_world_refuses_without_a_trace(void **state) {
    (void)state;
    iso_world_def def = util_world_def();
    def.body_capacity = 7;
    def.shape_capacity = 5;
    def.slot_capacity = 2; // one of each is kept for the other member
    iso_world *world = util_world_create(&def, &iso_game_sandbox);
    const iso_change join = {ISO_CHANGE_JOIN, 1, 1};
    util_step(world, &join, 1, NULL, 0);
    iso_command c = spawn(0, 0);
    for (int i = 0; i < 3; ++i) {
        assert_int_equal(give(world, 1, &c, NULL), ISO_OK);
    }
    // There is a body left, but no shape: the body that was made for it goes as if it had never been.
    assert_refused(world, 1, &c, ISO_ERR_CAPACITY);
    const iso_command shape = on_body(ISO_COMMAND_CREATE_SHAPE, iso_world_get_player_body(world, 1));
    assert_refused(world, 1, &shape, ISO_ERR_CAPACITY);
    // The same when the slot was used before, and for a body that would weigh too little.
    const iso_command end = on_body(ISO_COMMAND_DESTROY_BODY, iso_body_next(world, 2));
    assert_int_equal(give(world, 1, &end, NULL), ISO_OK);
    c.as.spawn_body.shape = iso_shape_def_circle(METRE / 500);
    c.as.spawn_body.shape.density = 1;
    assert_refused(world, 1, &c, ISO_ERR_RANGE);
    c = spawn(0, 0);
    uint64_t id;
    assert_int_equal(give(world, 1, &c, &id), ISO_OK);
    assert_int_equal(id, iso_id_pack(2, 3));
    util_world_free(world);
}

static void test_game_without_custom_commands_refuses_them(void **state) {
    (void)state;
    iso_world_def def = util_world_def();
    memset(def.game, 0, sizeof def.game);
    iso_world *world = util_world_create(&def, NULL);
    const iso_change join = {ISO_CHANGE_JOIN, 1, 1};
    util_step(world, &join, 1, NULL, 0);
    assert_int_equal(iso_world_get_player_body(world, 1).generation, 0);
    iso_command c;
    memset(&c, 0, sizeof c);
    c.kind = ISO_COMMAND_CUSTOM;
    c.as.custom.size = 1;
    assert_refused(world, 1, &c, ISO_ERR_REFUSED);
    util_world_free(world);
}

/// A game, or none, that says nothing of who may do what: members have their control block and its own commands.
static void test_without_rules_members_only_control_and_send_custom_commands(void **state) {
    (void)state;
    iso_game game = iso_game_sandbox;
    game.authorize = NULL;
    const iso_game *const games[] = {&game, NULL};
    for (size_t i = 0; i < 2; ++i) {
        iso_world_def def = util_world_def();
        memset(def.game, 0, i == 0 ? 0 : sizeof def.game);
        iso_world *world = util_world_create(&def, games[i]);
        util_world_fill(world);
        const iso_change join = {ISO_CHANGE_JOIN, 1, 1};
        util_step(world, &join, 1, NULL, 0);
        const iso_body_id body = iso_body_next(world, 2);
        assert_int_equal(iso_body_set_owner(world, body, (iso_owner){0, ISO_OWNER_EVERYONE}), ISO_OK);
        const iso_command body_command = spawn(0, 0), joint = join_bodies(iso_body_next(world, 3), body);
        assert_refused(world, 1, &body_command, ISO_ERR_REFUSED);
        assert_refused(world, 1, &joint, ISO_ERR_REFUSED);
        for (size_t kind = 0; kind < BODY_KIND_COUNT; ++kind) {
            const iso_command command = on_body(BODY_KINDS[kind], body);
            assert_refused(world, 1, &command, ISO_ERR_REFUSED);
        }
        const iso_command control = util_control(1, 1, 5, 5, 0).command;
        assert_int_equal(give(world, 1, &control, NULL), ISO_OK);
        iso_command custom;
        memset(&custom, 0, sizeof custom);
        custom.kind = ISO_COMMAND_CUSTOM;
        custom.as.custom.size = 1;
        custom.as.custom.bytes[0] = 1;
        assert_int_equal(give(world, 1, &custom, NULL), i == 0 ? ISO_OK : ISO_ERR_REFUSED);
        util_world_free(world);
    }
}

// ---- control blocks ------------------------------------------------------------------------------

static void test_control_block_holds_and_times_out(void **state) {
    (void)state;
    iso_world_def def = util_world_def();
    def.game_params[2] = 4 * ISO_WIDE_ONE; // control_timeout
    iso_world *world = util_world_create(&def, &iso_game_sandbox);
    const iso_change join = {ISO_CHANGE_JOIN, 1, 1};
    const iso_sealed_command set = util_control(1, 1, 258, -2, 0x01020304);
    util_step(world, &join, 1, &set, 1);
    static const uint8_t expected[8] = {2, 1, 0xFE, 0xFF, 4, 3, 2, 1};
    static const uint8_t neutral[12] = {0};
    for (int age = 0; age <= 6; ++age) {
        uint8_t control[12];
        memset(control, 0xEE, sizeof control);
        iso_world_read_control(world, 1, control, sizeof control);
        assert_memory_equal(control, age <= 4 ? expected : neutral, 8);
        assert_memory_equal(control + 8, neutral, 4);
        memset(control, 0xEE, sizeof control);
        iso_world_read_control(world, 1, control, 3);
        assert_memory_equal(control, age <= 4 ? expected : neutral, 3);
        assert_int_equal(control[3], 0xEE);
        util_steps(world, 1);
    }
    iso_slot_view view;
    assert_true(iso_world_get_slot(world, 1, &view));
    assert_int_equal(view.control_tick, 1);
    assert_int_equal(view.control_size, 8);
    assert_memory_equal(view.control, expected, 8);
    // A shorter block leaves nothing of the longer one.
    iso_sealed_command shorter = util_control(1, 2, 7, 7, 7);
    shorter.command.as.set_control.size = 2;
    util_step(world, NULL, 0, &shorter, 1);
    uint8_t control[8];
    iso_world_read_control(world, 1, control, sizeof control);
    static const uint8_t rest[ISO_CONTROL_SIZE_MAX] = {7, 0};
    assert_memory_equal(control, rest, 8);
    assert_true(iso_world_get_slot(world, 1, &view));
    assert_memory_equal(view.control, rest, ISO_CONTROL_SIZE_MAX);
    iso_world_read_control(world, 3, control, sizeof control); // nobody there
    assert_memory_equal(control, neutral, 8);
    iso_world_read_control(world, 99, control, sizeof control);
    assert_memory_equal(control, neutral, 8);
    assert_false(iso_world_get_slot(world, 4, &view));
    util_world_free(world);
}

static void test_control_times_out_after_ten_ticks_by_default(void **state) {
    (void)state;
    iso_world_def def = util_world_def();
    memset(def.game, 0, sizeof def.game);
    iso_world *world = util_world_create(&def, NULL);
    const iso_change join = {ISO_CHANGE_JOIN, 0, 1};
    const iso_sealed_command set = util_control(0, 1, 1, 1, 1);
    util_step(world, &join, 1, &set, 1);
    util_steps(world, 10);
    uint8_t byte;
    iso_world_read_control(world, 0, &byte, 1);
    assert_int_equal(byte, 1);
    util_steps(world, 1);
    iso_world_read_control(world, 0, &byte, 1);
    assert_int_equal(byte, 0);
    util_world_free(world);
}

// ---- session changes -----------------------------------------------------------------------------

static void test_joining_and_leaving_clear_a_slot(void **state) {
    (void)state;
    iso_world *world = util_world_lively(3);
    const iso_change leave = {ISO_CHANGE_LEAVE, 2, 1};
    util_step(world, &leave, 1, NULL, 0);
    iso_slot_view view;
    assert_true(iso_world_get_slot(world, 2, &view));
    assert_false(view.is_occupied);
    assert_int_equal(view.generation, 1);
    assert_int_equal(view.last_sequence, 0);
    assert_int_equal(view.control_size, 0);
    assert_int_equal(iso_world_root(world), util_fresh_root(world));
    // The next member of the slot has the next generation and starts at sequence 1.
    const iso_change join = {ISO_CHANGE_JOIN, 2, 2};
    const iso_sealed_command first = util_control(2, 1, 0, 0, 0);
    util_step(world, &join, 1, &first, 1);
    assert_true(iso_world_get_slot(world, 2, &view));
    assert_true(view.is_occupied);
    assert_int_equal(view.generation, 2);
    util_world_free(world);
}

static void test_member_owns_what_the_scene_made_for_it(void **state) {
    (void)state;
    const iso_world_def def = util_world_def();
    iso_world *world = util_world_create(&def, &iso_game_sandbox);
    const iso_shape_def ball = iso_shape_def_circle(METRE);
    const iso_body_id body = util_add_body(world, ISO_BODY_DYNAMIC, 0, 0, &ball);
    assert_int_equal(iso_body_set_owner(world, body, (iso_owner){1, 3}), ISO_OK);
    assert_int_equal(world->slots[3].body_count, 0);
    const iso_change join = {ISO_CHANGE_JOIN, 3, 1};
    util_step(world, &join, 1, NULL, 0);
    assert_int_equal(world->slots[3].body_count, 2); // and its ball
    const iso_command push = on_body(ISO_COMMAND_APPLY_IMPULSE, body);
    assert_int_equal(give(world, 3, &push, NULL), ISO_OK);
    util_world_free(world);
}

static void assert_input_refused(iso_world *world, const iso_tick_input *input, iso_status expected) {
    const uint64_t root = iso_world_root(world);
    assert_int_equal(iso_world_step(world, input), expected);
    assert_int_equal(util_fresh_root(world), root);
}

static void test_changes_must_fit_their_slots(void **state) {
    (void)state;
    iso_world *world = util_world_lively(3); // slots 0 and 2 are taken, generation 1
    static const iso_change bad[][2] = {
        {{ISO_CHANGE_JOIN, 0, 2}, {0, 0, 0}}, // taken
        {{ISO_CHANGE_JOIN, 1, 2}, {0, 0, 0}}, // not the next generation
        {{ISO_CHANGE_JOIN, 1, 0}, {0, 0, 0}},
        {{ISO_CHANGE_JOIN, 4, 1}, {0, 0, 0}},  // no such slot
        {{ISO_CHANGE_LEAVE, 1, 0}, {0, 0, 0}}, // nobody there
        {{ISO_CHANGE_LEAVE, 0, 2}, {0, 0, 0}}, // another generation
        {{ISO_CHANGE_LEAVE, 255, 1}, {0, 0, 0}},
        {{5, 0, 1}, {0, 0, 0}}, // no such kind
        {{0, 0, 1}, {0, 0, 0}},
        {{ISO_CHANGE_DROP, 1, 0}, {0, 0, 0}},   // nobody there
        {{ISO_CHANGE_DROP, 0, 2}, {0, 0, 0}},   // another generation
        {{ISO_CHANGE_RESUME, 0, 1}, {0, 0, 0}}, // is not held
        {{ISO_CHANGE_DROP, 0, 1}, {ISO_CHANGE_DROP, 0, 1}},
        {{ISO_CHANGE_DROP, 0, 1}, {ISO_CHANGE_RESUME, 0, 2}},
        {{ISO_CHANGE_DROP, 0, 1}, {ISO_CHANGE_JOIN, 0, 2}},
        {{ISO_CHANGE_LEAVE, 0, 1}, {ISO_CHANGE_DROP, 0, 1}},
        {{ISO_CHANGE_LEAVE, 0, 1}, {ISO_CHANGE_LEAVE, 0, 1}},
        {{ISO_CHANGE_LEAVE, 0, 1}, {ISO_CHANGE_JOIN, 0, 1}},
        {{ISO_CHANGE_JOIN, 1, 1}, {ISO_CHANGE_JOIN, 1, 2}},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i) {
        const iso_tick_input input = {iso_world_get_tick(world) + 1, bad[i], bad[i][1].kind == 0 ? 1u : 2u, NULL, 0};
        assert_input_refused(world, &input, ISO_ERR_STATE);
    }
    const iso_change both[2] = {{ISO_CHANGE_LEAVE, 0, 1}, {ISO_CHANGE_JOIN, 0, 2}};
    const iso_sealed_command seventh = util_control(0, 7, 0, 0, 0);
    util_step(world, NULL, 0, &seventh, 1);
    const iso_sealed_command first = util_control(0, 1, 0, 0, 0); // of the new member
    util_step(world, both, 2, &first, 1);
    world->slots[1].generation = UINT32_MAX; // used up
    const iso_change over = {ISO_CHANGE_JOIN, 1, 0};
    const iso_tick_input input = {iso_world_get_tick(world) + 1, &over, 1, NULL, 0};
    assert_input_refused(world, &input, ISO_ERR_STATE);
    const iso_tick_input late = {iso_world_get_tick(world), NULL, 0, NULL, 0};
    assert_input_refused(world, &late, ISO_ERR_STATE);
    const iso_tick_input early = {iso_world_get_tick(world) + 2, NULL, 0, NULL, 0};
    assert_input_refused(world, &early, ISO_ERR_STATE);
    util_world_free(world);
}

/// All but the connection: bodies, sequence, control block; only the record's own word tells of it.
static void test_held_slot_keeps_what_its_member_has(void **state) {
    (void)state;
    iso_world *world = util_world_lively(3); // slot 2 has used sequence 1
    iso_world *other = util_world_lively(3);
    const iso_sealed_command control = util_control(2, 7, 100, 0, 0);
    const iso_change drop = {ISO_CHANGE_DROP, 2, 1};
    const iso_change resume = {ISO_CHANGE_RESUME, 2, 1};
    util_step(world, &drop, 1, &control, 1); // a command that was accepted before
    util_step(other, NULL, 0, &control, 1);
    iso_slot_view view;
    assert_true(iso_world_get_slot(world, 2, &view));
    assert_true(view.is_occupied && view.is_held);
    assert_int_equal(view.generation, 1);
    assert_int_equal(view.last_sequence, 7);
    assert_true(iso_world_root(world) != iso_world_root(other));
    util_step(world, &resume, 1, NULL, 0);
    util_step(other, NULL, 0, NULL, 0);
    assert_int_equal(iso_world_root(world), iso_world_root(other));
    util_step(world, &drop, 1, NULL, 0);
    const iso_change leave = {ISO_CHANGE_LEAVE, 2, 1};
    util_step(world, &leave, 1, NULL, 0); // a held slot is given back, too
    assert_true(iso_world_get_slot(world, 2, &view));
    assert_false(view.is_occupied || view.is_held);
    util_world_free(world);
    util_world_free(other);
}

static void test_commands_must_be_in_order(void **state) {
    (void)state;
    iso_world *world = util_world_lively(3); // slot 2 has used sequence 1
    iso_sealed_command bad[][2] = {
        {util_control(2, 2, 0, 0, 0), util_control(0, 1, 0, 0, 0)}, // slots fall
        {util_control(0, 2, 0, 0, 0), util_control(0, 2, 0, 0, 0)}, // a sequence twice
        {util_control(0, 2, 0, 0, 0), util_control(0, 1, 0, 0, 0)}, // sequences fall
        {util_control(0, 1, 0, 0, 0), util_control(2, 1, 0, 0, 0)}, // used in an earlier tick
        {util_control(0, 0, 0, 0, 0), util_control(2, 2, 0, 0, 0)}, // zero is none
        {util_control(0, 1, 0, 0, 0), util_control(1, 1, 0, 0, 0)}, // an empty slot
        {util_control(0, 1, 0, 0, 0), util_control(4, 1, 0, 0, 0)}, // no slot
        {util_control(0, 1, 0, 0, 0), util_control(2, UINT64_C(1) << 53, 0, 0, 0)},
        {util_control(0, 1, 0, 0, 0), util_control(2, 2, 0, 0, 0)}, // made bad below
    };
    const size_t count = sizeof bad / sizeof bad[0];
    bad[count - 1][1].command.as.set_control.size = 33;
    for (size_t i = 0; i < count; ++i) {
        const iso_tick_input input = {iso_world_get_tick(world) + 1, NULL, 0, bad[i], 2};
        assert_input_refused(world, &input, ISO_ERR_MALFORMED);
    }
    // The member who leaves in this tick gives no more commands.
    const iso_change leave = {ISO_CHANGE_LEAVE, 0, 1};
    const iso_sealed_command last = util_control(0, 5, 0, 0, 0);
    const iso_tick_input after = {iso_world_get_tick(world) + 1, &leave, 1, &last, 1};
    assert_input_refused(world, &after, ISO_ERR_MALFORMED);
    const iso_sealed_command good[3] = {util_control(0, 7, 0, 0, 0), util_control(2, 2, 0, 0, 0),
                                        util_control(2, 9, 0, 0, 0)};
    util_step(world, NULL, 0, good, 3);
    iso_slot_view view;
    assert_true(iso_world_get_slot(world, 0, &view));
    assert_int_equal(view.last_sequence, 7);
    assert_true(iso_world_get_slot(world, 2, &view));
    assert_int_equal(view.last_sequence, 9);
    util_world_free(world);
}

static void test_maxima_of_a_tick(void **state) {
    (void)state;
    iso_world *world = util_world_lively(3);
    iso_sealed_command *many = calloc(ISO_TICK_COMMANDS_MAX + 1, sizeof *many);
    for (uint32_t i = 0; i <= ISO_TICK_COMMANDS_MAX; ++i) {
        many[i] = util_control(0, i + 1, (int16_t)i, 0, 0);
    }
    const iso_tick_input over = {iso_world_get_tick(world) + 1, NULL, 0, many, ISO_TICK_COMMANDS_MAX + 1};
    assert_input_refused(world, &over, ISO_ERR_MALFORMED);
    util_step(world, NULL, 0, many, ISO_TICK_COMMANDS_MAX);
    uint32_t count;
    (void)iso_world_get_results(world, &count);
    assert_int_equal(count, ISO_TICK_COMMANDS_MAX);
    iso_change changes[ISO_TICK_CHANGES_MAX + 1];
    for (uint32_t i = 0; i <= ISO_TICK_CHANGES_MAX; ++i) {
        changes[i] = (iso_change){i % 2 == 0 ? ISO_CHANGE_JOIN : ISO_CHANGE_LEAVE, 1, 1 + i / 2};
    }
    const iso_tick_input too_many = {iso_world_get_tick(world) + 1, changes, ISO_TICK_CHANGES_MAX + 1, NULL, 0};
    assert_input_refused(world, &too_many, ISO_ERR_MALFORMED);
    util_step(world, changes, ISO_TICK_CHANGES_MAX, NULL, 0);
    iso_slot_view view;
    assert_true(iso_world_get_slot(world, 1, &view));
    assert_int_equal(view.generation, ISO_TICK_CHANGES_MAX / 2);
    assert_false(view.is_occupied);
    free(many);
    util_world_free(world);
}

static void test_results_and_counters_tell_what_became_of_commands(void **state) {
    (void)state;
    iso_world *world = util_world_lively(3);
    iso_world_counts before, after;
    iso_world_get_counts(world, &before);
    iso_sealed_command two[2] = {{.slot = 0, .sequence = 1}, {.slot = 2, .sequence = 2}};
    two[0].command = spawn(0, 30 * METRE);
    two[1].command = on_body(ISO_COMMAND_DESTROY_BODY, iso_body_next(world, 0));
    util_step(world, NULL, 0, two, 2);
    uint32_t count;
    const iso_command_result *results = iso_world_get_results(world, &count);
    assert_int_equal(count, 2);
    assert_int_equal(results[0].status, ISO_OK);
    assert_int_equal(results[0].id, iso_id_pack(UTIL_DEAD, 3)); // the lowest free index
    assert_int_equal(results[1].status, ISO_ERR_NOT_OWNER);
    assert_int_equal(results[1].id, 0);
    iso_world_get_counts(world, &after);
    assert_int_equal(after.commands_applied - before.commands_applied, 1);
    assert_int_equal(after.commands_refused - before.commands_refused, 1);
    assert_int_equal(after.bodies - before.bodies, 1);
    util_steps(world, 1);
    (void)iso_world_get_results(world, &count);
    assert_int_equal(count, 0);
    util_world_free(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_owner_commands_its_body),
        cmocka_unit_test(test_everyones_and_nobodys_bodies),
        cmocka_unit_test(test_static_and_kinematic_bodies_are_not_pushed),
        cmocka_unit_test(test_shapes_follow_their_bodys_owner),
        cmocka_unit_test(test_a_member_puts_its_body_elsewhere_and_changes_its_tag),
        cmocka_unit_test(test_a_member_changes_what_its_shapes_are_made_of),
        cmocka_unit_test(test_gravity_is_nobodys),
        cmocka_unit_test(test_quota_counts_everything_a_member_owns),
        cmocka_unit_test(test_quotas_of_shapes_and_joints_end_at_their_number),
        cmocka_unit_test(test_full_world_refuses_without_a_trace),
        cmocka_unit_test(test_game_without_custom_commands_refuses_them),
        cmocka_unit_test(test_without_rules_members_only_control_and_send_custom_commands),
        cmocka_unit_test(test_control_block_holds_and_times_out),
        cmocka_unit_test(test_control_times_out_after_ten_ticks_by_default),
        cmocka_unit_test(test_joining_and_leaving_clear_a_slot),
        cmocka_unit_test(test_member_owns_what_the_scene_made_for_it),
        cmocka_unit_test(test_changes_must_fit_their_slots),
        cmocka_unit_test(test_held_slot_keeps_what_its_member_has),
        cmocka_unit_test(test_commands_must_be_in_order),
        cmocka_unit_test(test_maxima_of_a_tick),
        cmocka_unit_test(test_results_and_counters_tell_what_became_of_commands),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
