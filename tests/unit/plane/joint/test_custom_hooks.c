/// What a game's constraint does besides its rows: it draws a joint, and makes the state of a copy.
#include "test_custom_util.h"

#define ANGLE                                                                \
    ", {'kind': 'user', 'constraint': 'angle', 'owner': 'everyone', " BODIES \
    "'scalars': {'ratio': 1, 'jointMin': -0.4, 'jointMax': 0.4}}"
#define PIVOT ", {'kind': 'user', 'constraint': 'pivot', " BODIES "'vectors': {" ANCHORS "}}"

#define BODY_B 2u // of the swing: the wall, a, b

/// The items of one joint.
static uint32_t drawn(iso_draw *draw, iso_joint_id joint, iso_draw_item *items) {
    uint32_t count = 0;
    for (const iso_draw_item *item; (item = iso_draw_next(draw)) != NULL;) {
        if (iso_joint_id_equal(item->joint, joint)) {
            items[count++] = *item;
        }
    }
    return count;
}

static void test_a_constraint_draws_its_joint(void **state) {
    (void)state;
    iso_world *world = swing_make(ANGLE PIVOT);
    swing_run(world, 20);
    const iso_joint_id joint = swing_joint(world, 1);
    iso_draw draw;
    iso_draw_item items[ISO_DRAW_ITEMS_MAX];
    iso_draw_begin(&draw, world, ISO_DRAW_ALL);
    assert_int_equal(drawn(&draw, joint, items), 1);
    assert_int_equal(items[0].kind, ISO_DRAW_ARC);
    assert_int_equal(items[0].role, ISO_DRAW_LIMIT);
    assert_int_equal(items[0].part, ISO_DRAW_JOINTS);
    assert_int_equal(items[0].joint_kind, ISO_JOINT_USER);
    assert_int_equal(items[0].owner.slot, ISO_OWNER_EVERYONE);
    assert_int_equal(items[0].body.index, BODY_B);
    assert_true(items[0].is_active && !items[0].is_asleep);
    assert_true(items[0].points[0].x == iso__plane_of(world)->bodies[BODY_B].position[0]);
    assert_true(items[0].angle_to == iso_radians_from_turns(iso__plane_of(world)->bodies[BODY_B].angle));
    assert_true(items[0].angle_to != 0);
    iso__plane_of(world)->custom_joints[0].state[1] = 2; // the state is shown; a role that is none is a mark
    assert_int_equal(iso_joint_enable(world, joint, false), ISO_OK);
    iso_draw_begin(&draw, world, ISO_DRAW_JOINTS);
    assert_int_equal(drawn(&draw, joint, items), 3);
    assert_int_equal(items[2].role, ISO_DRAW_MARK);
    assert_int_equal(items[2].joint_kind, ISO_JOINT_USER);
    assert_false(items[2].is_active);
    iso__plane_of(world)->custom_joints[0].state[1] = 50;
    iso_draw_begin(&draw, world, ISO_DRAW_JOINTS);
    assert_int_equal(drawn(&draw, joint, items), ISO_DRAW_ITEMS_MAX);
    iso_draw_begin(&draw, world, ISO_DRAW_JOINTS); // one that does not draw
    assert_int_equal(drawn(&draw, swing_joint(world, 2), items), 5);
    free(world);
}

static bool pose_of(const void *user, uint64_t time, iso_body_id body, iso_vec2_wide *position, iso_wide *turns) {
    (void)time;
    *position = *(const iso_vec2_wide *)user;
    *turns = ISO_WIDE_ONE / 4;
    return body.index == BODY_B;
}

static void test_bodies_are_where_they_are_shown(void **state) {
    (void)state;
    iso_world *world = swing_make(ANGLE);
    const iso_vec2_wide place = {7 * ISO_WIDE_ONE, -3 * ISO_WIDE_ONE};
    iso_draw draw;
    iso_draw_item items[ISO_DRAW_ITEMS_MAX];
    iso_draw_begin(&draw, world, ISO_DRAW_JOINTS);
    iso_draw_set_poses(&draw, pose_of, &place, 0);
    assert_int_equal(drawn(&draw, swing_joint(world, 1), items), 1);
    assert_true(items[0].points[0].x == place.x && items[0].points[0].y == place.y);
    assert_true(items[0].angle_to == iso_radians_from_turns(ISO_WIDE_ONE / 4));
    free(world);
}

static void test_a_copy_has_the_state_that_the_constraint_makes(void **state) {
    (void)state;
    iso_world *world = swing_make(ANGLE);
    const iso_joint_id joint = swing_joint(world, 1);
    swing_run(world, 20);
    iso__plane_of(world)->custom_joints[0].state[1] = 3;
    const iso_body_id bodies[4] = {iso_body_next(world, 0), iso_body_next(world, BODY_B)};
    iso_joint_id same, other;
    assert_int_equal(iso_joint_copy(world, joint, NULL, &same), ISO_OK);
    assert_int_equal(iso_joint_copy(world, joint, bodies, &other), ISO_OK);
    iso_joint_def of_joint, of_same, of_other;
    assert_int_equal(iso_joint_get(world, joint, &of_joint), ISO_OK);
    assert_int_equal(iso_joint_get(world, same, &of_same), ISO_OK);
    assert_int_equal(iso_joint_get(world, other, &of_other), ISO_OK);
    assert_memory_equal(&of_joint, &of_same, sizeof of_joint);
    assert_int_equal(of_other.body_a.index, 0);
    of_other.body_a = of_joint.body_a;
    assert_memory_equal(&of_joint, &of_other, sizeof of_joint);
    for (uint32_t i = 1; i < 3; ++i) {
        assert_int_equal(iso__plane_of(world)->custom_joints[i].state[0], 20);
        assert_int_equal(iso__plane_of(world)->custom_joints[i].state[1], 0);
        assert_int_equal(
            iso__plane_of(world)->joints[1 + i].impulse[0] | iso__plane_of(world)->joints[1 + i].impulse[1], 0);
    }
    const uint64_t root = iso_world_root(world);
    iso_world_drop_caches(world);
    assert_true(iso_world_root(world) == root);
    free(world);
}

static void test_what_cannot_be_copied_is_said(void **state) {
    (void)state;
    iso_world *world = swing_make(ANGLE);
    const iso_joint_id joint = swing_joint(world, 1);
    const iso_body_id one[4] = {{0, 0}, iso_body_next(world, BODY_B)};
    const iso_body_id stale[4] = {iso_body_next(world, 0), {BODY_B, 9}};
    iso_joint_id copy;
    const uint64_t root = iso_world_root(world);
    assert_int_equal(iso_joint_copy(world, (iso_joint_id){1, 9}, NULL, &copy), ISO_ERR_STALE);
    assert_int_equal(iso_joint_copy(world, joint, one, &copy), ISO_ERR_WRONG_TYPE);
    assert_int_equal(iso_joint_copy(world, joint, stale, &copy), ISO_ERR_STALE);
    assert_true(iso_world_root(world) == root);
    for (int i = 0; i < 3; ++i) {
        assert_int_equal(iso_joint_copy(world, joint, NULL, &copy), ISO_OK);
    }
    assert_int_equal(iso_joint_copy(world, joint, NULL, &copy), ISO_ERR_CAPACITY);
    free(world);
}

/// A ratchet's latch is state that the angle alone does not tell.
static void test_a_copied_ratchet_holds_at_the_same_tooth(void **state) {
    (void)state;
    iso_world *world = swing_make(", {'kind': 'ratchet', 'body_a': 'wall', 'body_b': 'b', 'ratchet': 0.5, 'rest': 0}");
    iso__plane_of(world)->joints[1].latch = 3 * ISO_WIDE_ONE;
    const iso_body_id bodies[4] = {iso_body_next(world, 0), iso_body_next(world, BODY_B)};
    iso_joint_id copy;
    assert_int_equal(iso_joint_copy(world, swing_joint(world, 1), NULL, &copy), ISO_OK);
    assert_true(iso__plane_of(world)->joints[copy.index].latch == 3 * ISO_WIDE_ONE);
    assert_int_equal(iso_joint_copy(world, swing_joint(world, 1), bodies, &copy), ISO_OK);
    assert_true(iso__plane_of(world)->joints[copy.index].latch == 0);
    free(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_constraint_draws_its_joint),
        cmocka_unit_test(test_bodies_are_where_they_are_shown),
        cmocka_unit_test(test_a_copy_has_the_state_that_the_constraint_makes),
        cmocka_unit_test(test_what_cannot_be_copied_is_said),
        cmocka_unit_test(test_a_copied_ratchet_holds_at_the_same_tooth),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
