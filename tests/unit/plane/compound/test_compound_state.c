/// Blueprints and compounds as state: images, snapshots, hashes, and snapshots that lie.
#include "test_compound_util.h"
#include "isostep/games.h"

static iso_world *world_with_compounds(void) {
    iso_world *world = doll_world(&iso_game_sandbox);
    const iso_command at[] = {spawn_compound(0, 0, 20), spawn_compound(0, 6, 20), spawn_compound(0, 12, 20)};
    uint64_t ids[3];
    for (int i = 0; i < 3; ++i) {
        ids[i] = must_give(world, 0, &at[i]);
    }
    assert_int_equal(iso_compound_destroy(world, iso_compound_id_unpack(ids[1])), ISO_OK); // a dead record between them
    util_steps(world, 10);
    return world;
}

static uint8_t *encoded(const iso_world *world, size_t *size) {
    *size = iso_snapshot_size(world);
    uint8_t *bytes = malloc(*size);
    assert_int_equal(iso_snapshot_encode(world, bytes, *size), *size);
    return bytes;
}

/// Both go on in the same way: with a spawn, a move and a loss.
static void check_goes_on_alike(iso_world *a, iso_world *b) {
    assert_int_equal(iso_world_root(a), iso_world_root(b));
    assert_int_equal(iso_world_root(a), util_fresh_root(a));
    const iso_command c = spawn_compound(0, -6, 20);
    iso_command move;
    memset(&move, 0, sizeof move);
    move.kind = ISO_COMMAND_SET_COMPOUND_POSITION;
    move.as.set_compound_position.compound = iso_compound_next(a, 2);
    move.as.set_compound_position.position.y = 30 * ISO_WIDE_ONE;
    move.as.set_compound_position.angle = ISO_WIDE_ONE;
    assert_int_equal(must_give(a, 0, &c), must_give(b, 0, &c));
    assert_int_equal(must_give(a, 0, &move), must_give(b, 0, &move));
    util_steps(a, 30);
    util_steps(b, 30);
    assert_int_equal(iso_world_root(a), iso_world_root(b));
}

static void test_snapshots_carry_blueprints_and_compounds(void **state) {
    (void)state;
    iso_world *world = world_with_compounds();
    size_t size;
    uint8_t *bytes = encoded(world, &size);
    const iso_world_def def = util_world_def();
    iso_world *joiner = util_world_create(&def, &iso_game_sandbox);
    assert_int_equal(iso_snapshot_decode(joiner, bytes, size), ISO_OK);
    assert_int_equal(iso_world_find_blueprint(joiner, "doll"), 0);
    check_goes_on_alike(world, joiner);
    free(bytes);
    util_world_free(joiner);
    util_world_free(world);
}

static void test_images_bring_back_what_was_there(void **state) {
    (void)state;
    iso_world *world = world_with_compounds(), *other = world_with_compounds();
    const size_t size = iso_world_image_size(world);
    assert_true(size <= iso_world_image_size_max(world));
    uint8_t *image = malloc(size);
    assert_int_equal(iso_world_save(world, image, size), size);
    const iso_command more = spawn_compound(0, 18, 20);
    must_give(world, 2, &more);
    change(world, ISO_CHANGE_LEAVE, 0);
    doll_add(world, "later"); // the world is not shared
    assert_int_equal(iso_world_restore(world, image, size), ISO_OK);
    assert_int_equal(iso_world_find_blueprint(world, "later"), UINT32_MAX);
    check_goes_on_alike(world, other);
    free(image);
    util_world_free(other);
    util_world_free(world);
}

/// Breaks the world's own memory, which is then encoded.
typedef void break_fn(iso_world *world);

// A line for each rule.
// clang-format off
static void break_name(iso_world *w) { iso__plane_of(w)->blueprints[0].name[0] = ' '; }
static void break_name_end(iso_world *w) { iso__plane_of(w)->blueprints[0].name[31] = 'a'; }
static void break_no_name(iso_world *w) { memset(iso__plane_of(w)->blueprints[0].name, 0, sizeof iso__plane_of(w)->blueprints[0].name); }
static void break_same_name(iso_world *w) { memcpy(iso__plane_of(w)->blueprints[1].name, iso__plane_of(w)->blueprints[0].name, sizeof iso__plane_of(w)->blueprints[0].name); }
static void break_first_body(iso_world *w) { iso__plane_of(w)->blueprints[0].body_first = 1; }
static void break_body_count(iso_world *w) { iso__plane_of(w)->blueprints[1].body_count -= 1; }
static void break_no_bodies(iso_world *w) { iso__plane_of(w)->blueprints[0].body_count = 0; }
static void break_many_bodies(iso_world *w) { iso__plane_of(w)->blueprints[1].body_count = UINT32_MAX; }
static void break_shape_count(iso_world *w) { iso__plane_of(w)->blueprints[0].shape_count += 1; }
static void break_joint_count(iso_world *w) { iso__plane_of(w)->blueprints[1].joint_count = 0; }
static void break_part_type(iso_world *w) { iso__plane_of(w)->blueprint_bodies[1].type = 0; }
static void break_part_owner(iso_world *w) { iso__plane_of(w)->blueprint_bodies[1].owner_slot = 0; }
static void break_part_place(iso_world *w) { iso__plane_of(w)->blueprint_bodies[1].position[0] = INT64_MAX; }
static void break_part_speed(iso_world *w) { iso__plane_of(w)->blueprint_bodies[1].velocity[0] = INT32_MIN; }
static void break_part_flags(iso_world *w) { iso__plane_of(w)->blueprint_bodies[1].flags = ISO__PLANE_BODY_ASLEEP; }
static void break_part_angle(iso_world *w) { iso__plane_of(w)->blueprint_bodies[1].angle = INT64_MIN; }
static void break_part_mass(iso_world *w) { iso__plane_of(w)->blueprint_bodies[1].mass = 1; }
static void break_part_compound(iso_world *w) { iso__plane_of(w)->blueprint_bodies[1].compound = 1; }
static void break_part_spawned(iso_world *w) { iso__plane_of(w)->blueprint_bodies[1].spawn_number = 1; }
static void break_shape_body(iso_world *w) { iso__plane_of(w)->blueprint_shapes[0].body = DOLL_BODIES; } // of the next blueprint
static void break_shape_vertices(iso_world *w) { iso__plane_of(w)->blueprint_shapes[0].vertex_count = 255; }
static void break_shape_bits(iso_world *w) { iso__plane_of(w)->blueprint_shapes[0].vertices[0] += 1; }
static void break_shape_kind(iso_world *w) { iso__plane_of(w)->blueprint_shapes[0].kind = 99; }
static void break_shape_owner(iso_world *w) { iso__plane_of(w)->blueprint_shapes[0].owner_slot = 1; }
static void break_joint_kind(iso_world *w) { iso__plane_of(w)->blueprint_joints[0].kind = 99; }
static void break_joint_none(iso_world *w) { iso__plane_of(w)->blueprint_joints[0].kind = 0; }
static void break_joint_body(iso_world *w) { iso__plane_of(w)->blueprint_joints[0].body_b = DOLL_BODIES + 1; }
static void break_joint_world(iso_world *w) { iso__plane_of(w)->blueprint_joints[0].body_a = UINT32_MAX; }
static void break_joint_same(iso_world *w) { iso__plane_of(w)->blueprint_joints[0].body_a = iso__plane_of(w)->blueprint_joints[0].body_b; }
static void break_joint_impulse(iso_world *w) { iso__plane_of(w)->blueprint_joints[0].impulse[0] = 1; }
static void break_joint_force(iso_world *w) { iso__plane_of(w)->blueprint_joints[0].force_max = -1; }
static void break_joint_latch(iso_world *w) { iso__plane_of(w)->blueprint_joints[0].latch = 1; }
static void break_joint_params(iso_world *w) { iso__plane_of(w)->blueprint_joints[0].scalars[0] = 1; }
static void break_joint_blueprint(iso_world *w) { iso__plane_of(w)->blueprint_joints[0].blueprint = 1; }
static void break_compound_blueprint(iso_world *w) { iso__plane_of(w)->compounds[0].blueprint = 3; }
static void break_compound_owner(iso_world *w) { iso__plane_of(w)->compounds[0].owner_slot = 0x10000; }
static void break_compound_owner_slot(iso_world *w) { iso__plane_of(w)->compounds[0].owner_slot = 32; }
static void break_compound_dead(iso_world *w) { iso__plane_of(w)->compounds[1].tag = 1; }
static void break_compound_revived(iso_world *w) { w->compound_generations[1] += 1; }
static void break_compound_killed(iso_world *w) { w->compound_generations[0] += 1; }
static void break_compound_unused(iso_world *w) { w->compound_generations[1] = 0; }
static void break_compound_empty(iso_world *w) {
    for (uint32_t i = 0; i < w->globals->body_count; ++i) { if (iso__plane_of(w)->bodies[i].compound == 1) { iso__plane_of(w)->bodies[i].compound = iso__plane_of(w)->bodies[i].part = 0; } }
    for (uint32_t i = 0; i < w->globals->joint_count; ++i) { if (iso__plane_of(w)->joints[i].compound == 1) { iso__plane_of(w)->joints[i].compound = iso__plane_of(w)->joints[i].part = 0; } }
}
static void break_member_none(iso_world *w) { iso__plane_of(w)->bodies[0].part = 1; }
static void break_member_dead(iso_world *w) { iso__plane_of(w)->bodies[0].compound = 2; }
static void break_member_far(iso_world *w) { iso__plane_of(w)->bodies[0].compound = UINT32_MAX; }
static void break_member_part(iso_world *w) { iso__plane_of(w)->bodies[0].compound = 1; iso__plane_of(w)->bodies[0].part = DOLL_BODIES; }
static void break_joint_member_dead(iso_world *w) { iso__plane_of(w)->joints[0].compound = 2; }
static void break_joint_member_part(iso_world *w) { iso__plane_of(w)->joints[0].compound = 1; iso__plane_of(w)->joints[0].part = DOLL_JOINTS; }
// clang-format on

#define RULE(name) \
    { #name, break_##name }
static const struct {
    const char *name;
    break_fn *break_it;
} RULES[] = {
    RULE(name),
    RULE(name_end),
    RULE(no_name),
    RULE(same_name),
    RULE(first_body),
    RULE(body_count),
    RULE(no_bodies),
    RULE(many_bodies),
    RULE(shape_count),
    RULE(joint_count),
    RULE(part_type),
    RULE(part_owner),
    RULE(part_place),
    RULE(part_speed),
    RULE(part_flags),
    RULE(part_angle),
    RULE(part_mass),
    RULE(part_compound),
    RULE(part_spawned),
    RULE(shape_body),
    RULE(shape_vertices),
    RULE(shape_bits),
    RULE(shape_kind),
    RULE(shape_owner),
    RULE(joint_kind),
    RULE(joint_none),
    RULE(joint_body),
    RULE(joint_world),
    RULE(joint_same),
    RULE(joint_impulse),
    RULE(joint_force),
    RULE(joint_latch),
    RULE(joint_params),
    RULE(joint_blueprint),
    RULE(compound_blueprint),
    RULE(compound_owner),
    RULE(compound_owner_slot),
    RULE(compound_dead),
    RULE(compound_revived),
    RULE(compound_killed),
    RULE(compound_unused),
    RULE(compound_empty),
    RULE(member_none),
    RULE(member_dead),
    RULE(member_far),
    RULE(member_part),
    RULE(joint_member_dead),
    RULE(joint_member_part),
};

static void test_snapshots_that_lie_are_refused(void **state) {
    (void)state;
    const iso_world_def def = util_world_def();
    for (size_t i = 0; i < sizeof RULES / sizeof RULES[0]; ++i) {
        iso_world *liar = world_with_compounds(), *victim = util_world_create(&def, &iso_game_sandbox);
        doll_add(liar, "second");
        size_t size;
        uint8_t *bytes = encoded(liar, &size);
        assert_int_equal(iso_snapshot_decode(victim, bytes, size), ISO_OK);
        const uint64_t root = util_fresh_root(victim);
        RULES[i].break_it(liar);
        assert_int_equal(iso_snapshot_encode(liar, bytes, size), size);
        if (iso_snapshot_decode(victim, bytes, size) != ISO_ERR_CORRUPT) {
            fail_msg("%s is taken", RULES[i].name);
        }
        assert_int_equal(util_fresh_root(victim), root);
        free(bytes);
        util_world_free(victim);
        util_world_free(liar);
    }
}

/// What only shows when it is made: the compound is refused, and nothing is left of it.
static void test_a_blueprint_that_cannot_be_made_harms_nothing(void **state) {
    (void)state;
    iso_world *liar = world_with_compounds();
    iso__plane_of(liar)->blueprint_shapes[3].density = 1;
    iso__plane_of(liar)->blueprint_shapes[2].density = 1;
    iso__plane_of(liar)->blueprint_bodies[2].mass = 0; // too light
    for (uint32_t v = 0; v < 8; ++v) {
        iso__plane_of(liar)->blueprint_shapes[3].vertices[v] =
            iso__plane_of(liar)->blueprint_shapes[3].vertices[v] / 32 / 256 * 256;
    }
    iso__plane_of(liar)->blueprint_shapes[2].radius = 66 * 256;
    size_t size;
    uint8_t *bytes = encoded(liar, &size);
    const iso_world_def def = util_world_def();
    iso_world *victim = util_world_create(&def, &iso_game_sandbox);
    assert_int_equal(iso_snapshot_decode(victim, bytes, size), ISO_OK);
    const iso_command c = spawn_compound(0, 0, 40);
    assert_refused(victim, 0, &c, ISO_ERR_RANGE);
    free(bytes);
    util_world_free(victim);
    util_world_free(liar);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_snapshots_carry_blueprints_and_compounds),
        cmocka_unit_test(test_images_bring_back_what_was_there),
        cmocka_unit_test(test_snapshots_that_lie_are_refused),
        cmocka_unit_test(test_a_blueprint_that_cannot_be_made_harms_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
