/// What a member can do to a world for others: what becomes of its things when it is gone, and the places that are kept
/// for newcomers.
#include "test_command_util.h"
#include "isostep/games.h"

static iso_command drag(iso_body_id body) {
    iso_command c = join_bodies((iso_body_id){0, 0}, body);
    c.as.create_joint.joint.kind = ISO_JOINT_TARGET;
    return c;
}

/// Bodies of the scene: everyone's, nobody's, one for the first member of slot 2.
typedef struct heritage {
    iso_world *world;
    iso_body_id common, promised;          // of the scene
    uint64_t spawned, others;              // of slots 2 and 0
    uint64_t on_common, on_own, on_others; // joints of slot 2, 2 and 0
    uint64_t shape;                        // of slot 2 on the common body
} heritage;

static heritage heritage_make(const iso_game *game) {
    iso_world_def def = util_world_def();
    heritage h = {.world = util_world_create(&def, game)};
    util_world_fill(h.world);
    h.common = iso_body_next(h.world, 2);
    h.promised = iso_body_next(h.world, 3);
    assert_int_equal(iso_body_set_owner(h.world, h.common, (iso_owner){0, ISO_OWNER_EVERYONE}), ISO_OK);
    assert_int_equal(iso_body_set_owner(h.world, h.promised, (iso_owner){1, 2}), ISO_OK);
    iso_world_start(h.world);
    change(h.world, ISO_CHANGE_JOIN, 0);
    change(h.world, ISO_CHANGE_JOIN, 2);
    const iso_command first = spawn(0, 20 * METRE), second = spawn(4 * METRE, 20 * METRE);
    h.spawned = must_give(h.world, 2, &first);
    h.others = must_give(h.world, 0, &second);
    const iso_command drags[] = {drag(h.common), drag(iso_body_id_unpack(h.spawned)),
                                 drag(iso_body_id_unpack(h.others))};
    h.on_common = must_give(h.world, 2, &drags[0]);
    h.on_own = must_give(h.world, 2, &drags[1]);
    h.on_others = must_give(h.world, 0, &drags[2]);
    const iso_command shape = add_shape(h.common);
    h.shape = must_give(h.world, 2, &shape);
    return h;
}

static bool joint_lives(const iso_world *world, uint64_t id) {
    return iso_joint_is_valid(world, iso_joint_id_unpack(id));
}

static bool shape_lives(const iso_world *world, uint64_t id) {
    iso_shape_def def;
    iso_body_id body;
    return iso_shape_get(world, iso_shape_id_unpack(id), &def, &body) == ISO_OK;
}

static void test_what_a_member_spawned_goes_with_it(void **state) {
    (void)state;
    const heritage h = heritage_make(&iso_game_sandbox);
    // Held, everything is as it was; so it is when it comes back.
    const iso_world_counts before = counts_of(h.world);
    change(h.world, ISO_CHANGE_DROP, 2);
    change(h.world, ISO_CHANGE_RESUME, 2);
    change(h.world, ISO_CHANGE_DROP, 2);
    const iso_world_counts held = counts_of(h.world);
    assert_true(held.bodies == before.bodies && held.shapes == before.shapes && held.joints == before.joints);
    change(h.world, ISO_CHANGE_LEAVE, 2);
    assert_false(iso_body_is_valid(h.world, iso_body_id_unpack(h.spawned)));
    assert_false(joint_lives(h.world, h.on_common));
    assert_false(joint_lives(h.world, h.on_own));
    assert_false(shape_lives(h.world, h.shape));
    // What others have, and what the scene made, stays.
    assert_true(iso_body_is_valid(h.world, iso_body_id_unpack(h.others)));
    assert_true(joint_lives(h.world, h.on_others));
    assert_int_equal(owner_of(h.world, h.common).slot, ISO_OWNER_EVERYONE);
    assert_int_equal(owner_of(h.world, h.promised).slot, ISO_OWNER_NOBODY);
    assert_int_equal(owner_of(h.world, h.promised).generation, 0);
    assert_int_equal(iso_world_root(h.world), util_fresh_root(h.world));
    util_world_free(h.world);
}

/// The sandbox, with all that members spawned.
static iso_game keeper(void) {
    iso_game game = iso_game_sandbox;
    game.keeps_spawned = true;
    return game;
}

static void test_a_game_keeps_what_members_spawned_up_to_a_quota(void **state) {
    (void)state;
    const iso_game game = keeper();
    const heritage h = heritage_make(&game);
    h.world->def.kept_body_capacity = 2;
    iso_world_drop_caches(h.world); // the definition is hashed
    const iso_command more = spawn(-4 * METRE, 20 * METRE), last = spawn(-8 * METRE, 20 * METRE);
    const uint64_t second = must_give(h.world, 2, &more), third = must_give(h.world, 2, &last);
    change(h.world, ISO_CHANGE_LEAVE, 2);
    assert_int_equal(owner_of(h.world, iso_body_id_unpack(h.spawned)).slot, ISO_OWNER_NOBODY);
    assert_int_equal(owner_of(h.world, iso_body_id_unpack(second)).slot, ISO_OWNER_NOBODY);
    assert_false(iso_body_is_valid(h.world, iso_body_id_unpack(third)));
    assert_true(joint_lives(h.world, h.on_common) && joint_lives(h.world, h.on_own) && shape_lives(h.world, h.shape));
    assert_int_equal(iso__plane_of(h.world)->joints[(uint32_t)h.on_common].owner_slot, ISO_OWNER_NOBODY);
    assert_int_equal(iso__plane_of(h.world)->shapes[(uint32_t)h.shape].owner_slot, ISO_OWNER_NOBODY);
    // The quota is full: what the other one spawned goes, but not what the scene made.
    change(h.world, ISO_CHANGE_LEAVE, 0);
    assert_false(iso_body_is_valid(h.world, iso_body_id_unpack(h.others)));
    assert_int_equal(owner_of(h.world, h.promised).slot, ISO_OWNER_NOBODY);
    assert_int_equal(iso_world_root(h.world), util_fresh_root(h.world));
    util_world_free(h.world);
}

static void test_nobody_fills_the_world_by_joining_again_and_again(void **state) {
    (void)state;
    const heritage h = heritage_make(&iso_game_sandbox);
    iso_world *world = h.world;
    const iso_world_counts before = counts_of(world);
    for (uint32_t round = 0; round < 20; ++round) {
        change(world, ISO_CHANGE_JOIN, 1);
        const iso_command bodies = spawn((int32_t)round * METRE, 30 * METRE), shape = add_shape(h.common),
                          joint = drag(h.common);
        for (int i = 0; i < 12; ++i) {
            must_give(world, 1, &bodies);
            must_give(world, 1, &shape);
        }
        for (int i = 0; i < 12; ++i) {
            must_give(world, 1, &joint);
        }
        change(world, ISO_CHANGE_LEAVE, 1);
    }
    const iso_world_counts after = counts_of(world);
    assert_int_equal(after.bodies, before.bodies);
    assert_int_equal(after.shapes, before.shapes);
    assert_int_equal(after.joints, before.joints);
    util_world_free(world);
}

static void test_shapes_on_bodies_of_others_count(void **state) {
    (void)state;
    const heritage h = heritage_make(&iso_game_sandbox);
    h.world->def.game_params[4] =
        5 * ISO_WIDE_ONE; // shapes_per_slot: of the ball, the box, the promised body, on the common one
    const iso_command shape = add_shape(h.common), body = spawn(8 * METRE, 20 * METRE);
    must_give(h.world, 2, &shape);
    assert_refused(h.world, 2, &shape, ISO_ERR_QUOTA);
    assert_refused(h.world, 2, &body, ISO_ERR_QUOTA);
    must_give(h.world, 0, &shape); // another's count is its own
    util_world_free(h.world);
}

/// However much members spawn, and whatever they lost, each who comes or comes back gets a body.
static void test_places_are_kept_for_members_who_have_no_body(void **state) {
    (void)state;
    static const struct { uint32_t bodies, shapes; } capacities[] = {{12, 40}, {40, 12}};
    for (size_t i = 0; i < 2; ++i) {
        iso_world_def def = util_world_def();
        def.body_capacity = capacities[i].bodies;
        def.shape_capacity = capacities[i].shapes;
        iso_world *world = util_world_create(&def, &iso_game_sandbox);
        change(world, ISO_CHANGE_JOIN, 0);
        change(world, ISO_CHANGE_JOIN, 1);
        iso_command end;
        memset(&end, 0, sizeof end);
        end.kind = ISO_COMMAND_DESTROY_BODY;
        end.as.destroy_body.body = iso_world_get_player_body(world, 1);
        must_give(world, 1, &end); // its ball, which it may ask for again
        const iso_command more = spawn(0, 10 * METRE);
        for (uint32_t n = 0; n < 12 - 1 - 3; ++n) {
            must_give(world, 0, &more);
        }
        assert_refused(world, 0, &more, ISO_ERR_CAPACITY);
        assert_refused(world, 1, &more, ISO_ERR_CAPACITY);
        const iso_command shape = add_shape(iso_world_get_player_body(world, 0));
        assert_int_equal(give(world, 0, &shape, NULL), i == 0 ? ISO_OK : ISO_ERR_CAPACITY);
        change(world, ISO_CHANGE_JOIN, 2);
        change(world, ISO_CHANGE_JOIN, 3);
        iso_command again;
        memset(&again, 0, sizeof again);
        again.kind = ISO_COMMAND_CUSTOM;
        again.as.custom.size = 1;
        again.as.custom.bytes[0] = 1;
        must_give(world, 1, &again);
        for (uint32_t slot = 0; slot < 4; ++slot) {
            assert_true(iso_world_get_player_body(world, slot).generation != 0);
        }
        util_world_free(world);
    }
}

static void test_spawn_numbers_rise_with_each_body_that_a_step_makes(void **state) {
    (void)state;
    const heritage h = heritage_make(&iso_game_sandbox);
    iso_body_view view;
    for (iso_body_id b = iso_body_next(h.world, 0); b.generation != 0; b = iso_body_next(h.world, b.index + 1)) {
        assert_int_equal(iso_body_get(h.world, b, &view), ISO_OK);
        const bool is_members = view.owner.slot == 0 || (view.owner.slot == 2 && !iso_body_id_equal(b, h.promised));
        assert_int_equal(view.spawn_number != 0, is_members);
    }
    assert_int_equal(iso_body_get(h.world, iso_body_id_unpack(h.others), &view), ISO_OK);
    assert_int_equal(view.spawn_number, 4); // two balls, then the two boxes
    iso_command bad = spawn(0, 30 * METRE);
    bad.as.spawn_body.shape = iso_shape_def_circle(METRE / 500);
    bad.as.spawn_body.shape.density = 1;
    assert_refused(h.world, 0, &bad, ISO_ERR_RANGE);
    const iso_command more = spawn(0, 30 * METRE);
    assert_int_equal(iso_body_get(h.world, iso_body_id_unpack(must_give(h.world, 2, &more)), &view), ISO_OK);
    assert_int_equal(view.spawn_number, 5);
    util_world_free(h.world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_a_member_spawned_goes_with_it),
        cmocka_unit_test(test_a_game_keeps_what_members_spawned_up_to_a_quota),
        cmocka_unit_test(test_nobody_fills_the_world_by_joining_again_and_again),
        cmocka_unit_test(test_shapes_on_bodies_of_others_count),
        cmocka_unit_test(test_places_are_kept_for_members_who_have_no_body),
        cmocka_unit_test(test_spawn_numbers_rise_with_each_body_that_a_step_makes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
