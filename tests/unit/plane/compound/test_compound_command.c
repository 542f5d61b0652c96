/// Compounds by commands: who may do what, quotas, and what becomes of them when their member is gone.
#include "test_compound_util.h"
#include "isostep/games.h"

static iso_command on_compound(iso_command_kind kind, iso_compound_id compound) {
    iso_command c;
    memset(&c, 0, sizeof c);
    c.kind = (uint8_t)kind;
    if (kind == ISO_COMMAND_DESTROY_COMPOUND) {
        c.as.destroy_compound.compound = compound;
    } else {
        c.as.set_compound_position.compound = compound;
        c.as.set_compound_position.position = (iso_vec2_wide){-3 * ISO_WIDE_ONE, 25 * ISO_WIDE_ONE};
    }
    return c;
}

static iso_compound_id spawned(iso_world *world, uint8_t slot, int32_t x) {
    const iso_command c = spawn_compound(0, x, 20);
    return iso_compound_id_unpack(must_give(world, slot, &c));
}

static void test_the_owner_commands_its_compound(void **state) {
    (void)state;
    iso_world *world = doll_world(&iso_game_sandbox);
    const iso_world_counts before = counts_of(world);
    const iso_compound_id compound = spawned(world, 0, 0);
    iso_compound_view view;
    assert_int_equal(iso_compound_get(world, compound, &view), ISO_OK);
    assert_true(view.owner.slot == 0 && view.owner.generation == 1 && view.tag == 55);
    assert_true(doll_part(world, compound, 2).owner.slot == 0 && doll_part(world, compound, 2).spawn_number > 0);
    const iso_command move = on_compound(ISO_COMMAND_SET_COMPOUND_POSITION, compound),
                      destroy = on_compound(ISO_COMMAND_DESTROY_COMPOUND, compound);
    assert_refused(world, 2, &move, ISO_ERR_NOT_OWNER);
    assert_refused(world, 2, &destroy, ISO_ERR_NOT_OWNER);
    assert_int_equal(give(world, 0, &move, NULL), ISO_OK);
    assert_int_equal(iso_compound_get(world, compound, &view), ISO_OK);
    assert_true(llabs(view.position.x + 3 * ISO_WIDE_ONE) < ISO_WIDE_ONE / 2); // a tick later
    assert_int_equal(give(world, 0, &destroy, NULL), ISO_OK);
    assert_refused(world, 0, &move, ISO_ERR_STALE);
    assert_refused(world, 0, &destroy, ISO_ERR_STALE);
    const iso_world_counts after = counts_of(world);
    assert_true(after.bodies == before.bodies && after.shapes == before.shapes && after.joints == before.joints);
    const iso_command unknown = spawn_compound(1, 0, 0);
    assert_refused(world, 0, &unknown, ISO_ERR_STALE);
    util_world_free(world);
}

static void test_a_compound_counts_with_all_its_parts(void **state) {
    (void)state;
    // Quotas of the sandbox by the order of its parameters; one part less than two dolls and the member's ball.
    const char *const names[] = {"bodies_per_slot", "shapes_per_slot", "joints_per_slot"};
    const int32_t quotas[] = {2 * DOLL_BODIES, 2 * DOLL_SHAPES, 2 * DOLL_JOINTS - 1};
    for (uint32_t i = 0; i < 3; ++i) {
        iso_world *world = doll_world(&iso_game_sandbox);
        for (uint32_t p = 0; p < iso_game_sandbox.param_count; ++p) {
            if (strcmp(iso_game_sandbox.params[p].name, names[i]) == 0) {
                world->def.game_params[p] = quotas[i] * ISO_WIDE_ONE;
            }
        }
        iso_world_drop_caches(world); // the definition is hashed
        const iso_compound_id first = spawned(world, 0, 0);
        const iso_command more = spawn_compound(0, 6, 20);
        assert_refused(world, 0, &more, ISO_ERR_QUOTA);
        assert_int_equal(give(world, 2, &more, NULL), ISO_OK); // the quota is a member's
        const iso_command destroy = on_compound(ISO_COMMAND_DESTROY_COMPOUND, first);
        assert_int_equal(give(world, 0, &destroy, NULL), ISO_OK);
        assert_int_equal(give(world, 0, &more, NULL), ISO_OK);
        util_world_free(world);
    }
}

/// The sandbox keeps room for each slot's ball; the compound takes no more than the rest.
static void test_a_compound_leaves_room_for_newcomers(void **state) {
    (void)state;
    iso_world *world = doll_world(&iso_game_sandbox);
    world->def.body_capacity = counts_of(world).bodies + 2 + DOLL_BODIES - 1; // slots 1 and 3 are free
    iso_world_drop_caches(world);
    const iso_command c = spawn_compound(0, 0, 20);
    assert_refused(world, 0, &c, ISO_ERR_CAPACITY);
    world->def.body_capacity += 1;
    iso_world_drop_caches(world);
    assert_int_equal(give(world, 0, &c, NULL), ISO_OK);
    util_world_free(world);
}

static void test_a_compound_goes_with_its_member(void **state) {
    (void)state;
    iso_world *world = doll_world(&iso_game_sandbox);
    const iso_compound_id mine = spawned(world, 0, 0), other = spawned(world, 2, 10);
    change(world, ISO_CHANGE_LEAVE, 0);
    assert_false(iso_compound_is_valid(world, mine));
    iso_compound_view view;
    assert_int_equal(iso_compound_get(world, other, &view), ISO_OK);
    assert_int_equal(view.body_count, DOLL_BODIES);
    assert_int_equal(iso_world_root(world), util_fresh_root(world));
    util_world_free(world);
}

static void test_kept_compounds_are_whole(void **state) {
    (void)state;
    iso_game game = iso_game_sandbox;
    game.keeps_spawned = true;
    iso_world *world = doll_world(&game);
    world->def.kept_body_capacity = 2 * DOLL_BODIES - 1;
    iso_world_drop_caches(world);
    const iso_command single = spawn(-30 * METRE, 20 * METRE);
    const iso_body_id body = iso_body_id_unpack(must_give(world, 0, &single)); // of a lower index than the compounds
    const iso_compound_id first = spawned(world, 0, 0), second = spawned(world, 0, 10);
    const iso_joint_id joint = iso_compound_next_joint(world, first, 0);
    change(world, ISO_CHANGE_LEAVE, 0);
    iso_compound_view view;
    assert_int_equal(iso_compound_get(world, first, &view), ISO_OK);
    assert_true(view.body_count == DOLL_BODIES && view.joint_count == DOLL_JOINTS);
    assert_int_equal(view.owner.slot, ISO_OWNER_NOBODY);
    assert_int_equal(doll_part(world, first, 3).owner.slot, ISO_OWNER_NOBODY);
    assert_true(iso_joint_is_valid(world, joint));
    assert_false(iso_compound_is_valid(world, second)); // there were three places left, which the single body takes
    assert_true(iso_body_is_valid(world, body));
    assert_int_equal(iso_world_root(world), util_fresh_root(world));
    util_world_free(world);
}

static void test_a_body_s_own_commands_work_on_parts(void **state) {
    (void)state;
    iso_world *world = doll_world(&iso_game_sandbox);
    const iso_compound_id compound = spawned(world, 0, 0);
    iso_command c;
    memset(&c, 0, sizeof c);
    c.kind = ISO_COMMAND_DESTROY_BODY;
    c.as.destroy_body.body = iso_compound_find_body(world, compound, 0);
    assert_refused(world, 2, &c, ISO_ERR_NOT_OWNER);
    assert_int_equal(give(world, 0, &c, NULL), ISO_OK);
    iso_compound_view view;
    assert_int_equal(iso_compound_get(world, compound, &view), ISO_OK);
    assert_true(view.body_count == DOLL_BODIES - 1 && view.joint_count == 1); // the target pulls the fourth
    util_world_free(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_owner_commands_its_compound),
        cmocka_unit_test(test_a_compound_counts_with_all_its_parts),
        cmocka_unit_test(test_a_compound_leaves_room_for_newcomers),
        cmocka_unit_test(test_a_compound_goes_with_its_member),
        cmocka_unit_test(test_kept_compounds_are_whole),
        cmocka_unit_test(test_a_body_s_own_commands_work_on_parts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
