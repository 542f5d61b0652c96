/// Members' commands in space: what they do, and that a refused one changes nothing.
#include "unit/command/test_command_util.h"
#include "unit/space/world/space_util.h"

#include "isostep/joint3.h"
#include "space/world/space.h"

/// A game for space, in which members command what they own.
static const iso_game ROOM = {.name = "room", .version = 1, .dimensions = 8, .authorize = iso_game_authorize_owner};

static iso_world *world_with_member(void) {
    iso_world_def def = space_def();
    strcpy(def.game, "room");
    def.slot_capacity = 2;
    def.body_capacity = 8;
    def.gravity = (iso_vec2){0, -10 * ONE};
    iso_world *world = util_world_create(&def, &ROOM);
    iso_world_start(world);
    change(world, ISO_CHANGE_JOIN, 1);
    return world;
}

static iso_command command_of(iso_command_kind kind) {
    iso_command c;
    memset(&c, 0, sizeof c);
    c.kind = (uint8_t)kind;
    return c;
}

static iso_command spawn3(void) {
    iso_command c = command_of(ISO_COMMAND_SPAWN_BODY3);
    c.as.spawn_body3.body = iso_body3_def_default();
    c.as.spawn_body3.body.position = wide3(1, 2, 3);
    c.as.spawn_body3.body.velocity = wide3(1, -2, 0.5);
    c.as.spawn_body3.body.angular_velocity = wide3(0.5, 3, -1);
    c.as.spawn_body3.shape = box3(0.5, 0.25, 1);
    c.as.spawn_body3.shape.points[0] = fix3(0.5, 0, 0);
    return c;
}

/// The centre of mass is off the origin; the velocities are those of the definition all the same, less one tick of
/// gravity.
static void test_a_spawned_body_moves_as_its_definition_says(void **state) {
    (void)state;
    iso_world *world = world_with_member();
    EXPECT_STATUS(iso_world_set_gravity3(world, (iso_vec3){0, 0, 0}), ISO_OK);
    const iso_command spawn = spawn3();
    uint64_t id = 0;
    EXPECT_STATUS(give(world, 1, &spawn, &id), ISO_OK);
    const iso_body_id body = iso_body_next(world, 0);
    assert_true(iso_id_pack(body.index, body.generation) == id);
    const iso_body3_view view = view3(world, body);
    EXPECT_NEAR(length(sum(vector_of(view.velocity), -1, (vector){{1, -2, 0.5}})), 0, 2 * QUANTUM_VELOCITY, "velocity");
    const vector l = vector_of(view.angular_momentum);
    assert_true(length(l) > 0 && view.owner.slot == 1 && view.spawn_number == 1);
    EXPECT_NEAR(length(sum(vector_of(view.angular_velocity), -1, (vector){{0.5, 3, -1}})), 0, 0.1,
                "spin, a tick later");
    world_free(world);
}

static void test_a_refused_command_changes_nothing(void **state) {
    (void)state;
    iso_world *world = world_with_member();
    const iso_command good = spawn3();
    uint64_t id = 0;
    EXPECT_STATUS(give(world, 1, &good, &id), ISO_OK);
    const iso_body_id own = iso_body_next(world, 0);
    body3_add(world, ISO_BODY_STATIC, wide3(0, -5, 0), iso_quat_identity());
    iso_command c = good;
    c.as.spawn_body3.shape = iso_shape3_def_sphere(ONE / 8);
    c.as.spawn_body3.shape.density = 1; // 1e-7 kg
    assert_refused(world, 1, &c, ISO_ERR_RANGE);
    c = good;
    c.as.spawn_body3.shape = iso_shape3_def_plane((iso_vec3){0, ONE, 0}, 0); // of what is dynamic
    assert_refused(world, 1, &c, ISO_ERR_WRONG_TYPE);
    c = good;
    c.as.spawn_body3.body.angular_velocity = wide3(0, 150, 0); // too fast for a radius of 8 m, not for one of 1 m
    c.as.spawn_body3.shape = box3(5, 5, 2);
    c.as.spawn_body3.shape.density = ONE;
    assert_refused(world, 1, &c, ISO_ERR_RANGE);
    c = command_of(ISO_COMMAND_CREATE_SHAPE3);
    c.as.create_shape3.body = own;
    c.as.create_shape3.shape = iso_shape3_def_sphere(30 * ONE);
    c.as.create_shape3.shape.density = 30000 * ONE;
    assert_refused(world, 1, &c, ISO_ERR_RANGE);
    c.as.create_shape3.body = (iso_body_id){5, 5};
    assert_refused(world, 1, &c, ISO_ERR_STALE);
    c = command_of(ISO_COMMAND_SET_VELOCITY3);
    c.as.set_velocity3.body = own;
    c.as.set_velocity3.angular_velocity = wide3(0, 399, 0);
    assert_refused(world, 1, &c, ISO_ERR_RANGE);
    c = command_of(ISO_COMMAND_SET_BODY_MASS3);
    c.as.set_body_mass3.body = own;
    c.as.set_body_mass3.mass = ISO_WIDE_ONE;
    c.as.set_body_mass3.moments = (iso_vec3_wide){1, 1, 1}; // too small
    assert_refused(world, 1, &c, ISO_ERR_RANGE);
    c = command_of(ISO_COMMAND_SET_BODY_POSITION3);
    c.as.set_body_position3.body = own;
    c.as.set_body_position3.position = wide3(30000, 0, 0); // the centre of mass would be beyond
    c.as.set_body_position3.rotation = iso_quat_identity();
    assert_refused(world, 1, &c, ISO_ERR_RANGE);
    // Eight bodies are room for six more, then for none.
    for (int n = 0; n < 6; ++n) {
        EXPECT_STATUS(give(world, 1, &good, &id), ISO_OK);
    }
    assert_refused(world, 1, &good, ISO_ERR_CAPACITY);
    world_free(world);
}

/// A joint belongs to whose command added it; one of a scene to nobody.
static void test_only_its_owner_commands_a_joint(void **state) {
    (void)state;
    iso_world *world = world_with_member();
    iso_joint3_def def = iso_joint3_def_default(ISO_JOINT3_BALL);
    def.body_a = body3_add(world, ISO_BODY_STATIC, wide3(0, 0, 0), iso_quat_identity());
    def.body_b = body3_add(world, ISO_BODY_DYNAMIC, wide3(0, -1, 0), iso_quat_identity());
    iso_joint_id joint;
    EXPECT_STATUS(iso_joint3_create(world, &def, &joint), ISO_OK);
    iso_command c = command_of(ISO_COMMAND_DESTROY_JOINT);
    c.as.destroy_joint.joint = joint;
    assert_refused(world, 1, &c, ISO_ERR_NOT_OWNER);
    assert_true(iso_joint_is_valid(world, joint));
    iso__space_of(world)->joints[joint.index].owner_slot = ISO_OWNER_EVERYONE;
    iso__mark_dirty(world, ISO_SECTION_JOINTS, joint.index);
    iso_command change = command_of(ISO_COMMAND_SET_JOINT_TAG);
    change.as.set_joint_tag.joint = joint;
    change.as.set_joint_tag.tag = 7;
    EXPECT_STATUS(give(world, 1, &change, NULL), ISO_OK);
    change = command_of(ISO_COMMAND_ENABLE_JOINT);
    change.as.enable_joint.joint = joint;
    EXPECT_STATUS(give(world, 1, &change, NULL), ISO_OK);
    EXPECT_STATUS(iso_joint3_get(world, joint, &def), ISO_OK);
    assert_true(def.tag == 7 && !def.enabled);
    change = command_of(ISO_COMMAND_SET_JOINT_BREAK);
    change.as.set_joint_break.joint = joint;
    change.as.set_joint_break.force = 5 * ISO_WIDE_ONE;
    EXPECT_STATUS(give(world, 1, &change, NULL), ISO_OK);
    EXPECT_STATUS(iso_joint3_get(world, joint, &def), ISO_OK);
    assert_true(def.break_force == 5 * ISO_WIDE_ONE);
    EXPECT_STATUS(give(world, 1, &c, NULL), ISO_OK);
    assert_false(iso_joint_is_valid(world, joint));
    assert_refused(world, 1, &c, ISO_ERR_STALE);
    world_free(world);
}

static void test_a_command_of_the_plane_is_no_input_in_space(void **state) {
    (void)state;
    iso_world *world = world_with_member();
    const iso_command c = spawn(0, 0);
    const iso_sealed_command sealed = {.slot = 1, .sequence = 1, .command = c};
    const iso_tick_input input = {.tick = iso_world_get_tick(world) + 1, .commands = &sealed, .command_count = 1};
    const uint64_t root = iso_world_root(world);
    EXPECT_STATUS(iso_world_step(world, &input), ISO_ERR_DIMENSION);
    assert_true(util_fresh_root(world) == root);
    world_free(world);
}

/// Who leaves takes along what it spawned.
static void test_a_member_that_leaves_takes_its_bodies_along(void **state) {
    (void)state;
    iso_world *world = world_with_member();
    const iso_command c = spawn3();
    for (int n = 0; n < 3; ++n) {
        EXPECT_STATUS(give(world, 1, &c, NULL), ISO_OK);
    }
    const iso_body_id scene = body3_add(world, ISO_BODY_STATIC, wide3(0, 0, 0), iso_quat_identity());
    change(world, ISO_CHANGE_LEAVE, 1);
    assert_int_equal(world_counts(world).bodies, 1);
    assert_int_equal(world_counts(world).shapes, 0);
    assert_true(iso_body_is_valid(world, scene));
    world_free(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_spawned_body_moves_as_its_definition_says),
        cmocka_unit_test(test_a_refused_command_changes_nothing),
        cmocka_unit_test(test_only_its_owner_commands_a_joint),
        cmocka_unit_test(test_a_command_of_the_plane_is_no_input_in_space),
        cmocka_unit_test(test_a_member_that_leaves_takes_its_bodies_along),
    };
    return cmocka_run_group_tests_name("command3", tests, NULL, NULL);
}
