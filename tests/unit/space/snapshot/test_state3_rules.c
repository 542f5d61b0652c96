/// Each rule that a snapshot of a world in space must satisfy, broken alone, is refused without a trace; bytes that
/// were changed at random give a valid world or none.
#include "unit/space/snapshot/random_calls.h"

#include "base/bytes.h"
#include "base/hash.h"
#include "solver/params.h"
#include "space/world/own_mass.h"
#include "state/snapshot_read.h"

typedef struct snapshot {
    uint8_t *bytes;
    size_t size;
} snapshot;

static snapshot snapshot_of(const iso_world *world) {
    snapshot is = {.size = iso_snapshot_size(world)};
    is.bytes = malloc(is.size);
    assert_int_equal(iso_snapshot_encode(world, is.bytes, is.size), is.size);
    return is;
}

/// From memory of just that size, so that a sanitizer sees what is read beyond.
static iso_status decode_exact(iso_world *world, const uint8_t *bytes, size_t size) {
    uint8_t *copy = malloc(size);
    memcpy(copy, bytes, size);
    const iso_status status = iso_snapshot_decode(world, copy, size);
    free(copy);
    return status;
}

static void seal(uint8_t *bytes, size_t size) {
    iso__write_u64(bytes + size - 8, iso__hash(bytes, size - 8));
}

static uint64_t fresh_root(iso_world *world) {
    iso_world_drop_caches(world);
    return iso_world_root(world);
}

enum { GROUND, BOX, BALL, DRIVEN, ROD, DEAD, LOCKED, HULL, BARE, TERRAIN };
enum { FIELD = BARE }; // the shape of the terrain, since the body before it has none

static iso__space *space_of(iso_world *world) {
    return (iso__space *)world;
}

/// A body of each sort with the shape of its index, a dead one, and two contacts.
static iso_world *scene_make(void) {
    const iso_world_def def = random_calls_def(0);
    iso_world *world = world_make(&def);
    const iso_vec3 corners[4] = {{0, 0, 0}, {ONE, 0, 0}, {0, ONE, 0}, {0, 0, ONE}};
    static const int16_t samples[7 * 10] = {[3] = 40, [69] = -7};
    const iso_heights_def heights = {samples, 7, 10, ONE, ONE / 64};
    uint32_t index;
    EXPECT_STATUS(iso_world_add_heights(world, &heights, &index), ISO_OK);
    EXPECT_STATUS(iso_world_add_heights(world, &heights, &index), ISO_OK);
    iso_shape3_def shapes[10] = {iso_shape3_def_plane(fix3(0.3, 1, 0.2), fix(-0.5)),
                                 box3(0.5, 1, 0.25),
                                 iso_shape3_def_sphere(ONE / 2),
                                 iso_shape3_def_sphere(ONE),
                                 iso_shape3_def_capsule(fix3(-1, 0, 0), fix3(1, 0, 0), fix(0.25)),
                                 iso_shape3_def_sphere(ONE),
                                 box3(1, 0.5, 0.75),
                                 iso_shape3_def_hull(corners, 4)};
    rng random = {77};
    shapes[BOX].rotation = rng_quat(&random);
    shapes[BOX].points[0] = fix3(0.25, 0, 0.5);
    shapes[TERRAIN] = iso_shape3_def_heights(1);
    static const uint8_t types[10] = {ISO_BODY_STATIC,  ISO_BODY_DYNAMIC, ISO_BODY_DYNAMIC, ISO_BODY_KINEMATIC,
                                      ISO_BODY_DYNAMIC, ISO_BODY_DYNAMIC, ISO_BODY_DYNAMIC, ISO_BODY_STATIC,
                                      ISO_BODY_DYNAMIC, ISO_BODY_STATIC};
    for (int i = 0; i < 10; ++i) {
        const iso_body_id body = body3_add(world, (iso_body_type)types[i], wide3(3 * i, i, -i), rng_quat(&random));
        if (i != BARE) {
            shape3_add(world, body, &shapes[i]);
        }
        if (types[i] != ISO_BODY_STATIC) {
            body3_set_velocity(world, body, (vector){{1, 2, 3}}, (vector){{0.5, -1, 2}});
        }
    }
    iso_body3_params params = iso_body3_params_default();
    params.lock_x = params.lock_turn_y = true;
    EXPECT_STATUS(iso_body3_set_params(world, iso_body_next(world, LOCKED), &params), ISO_OK);
    EXPECT_STATUS(iso_body_destroy(world, iso_body_next(world, DEAD)), ISO_OK);
    EXPECT_STATUS(iso_body3_set_mass(world, iso_body_next(world, BALL), wide(3), (iso_wide[3]){0, 0, 0}), ISO_OK);
    EXPECT_STATUS(iso_body3_set_mass(world, iso_body_next(world, HULL), 0, (iso_wide[3]){wide(3), wide(4), wide(5)}),
                  ISO_OK);
    world_steps(world, 3);
    const iso__space_contact contacts[3] = {
        {.shape_a = GROUND, .shape_b = BOX, .point_count = 2, .normal_impulse = {1, 2, 0, 0}, .place = {1, 2, 3, 4}},
        {.shape_a = BOX, .shape_b = BALL, .point_count = 1, .flags = 1},
        {.shape_a = BALL, .shape_b = FIELD, .point_count = 1, .flags = 1}};
    memcpy(space_of(world)->contacts, contacts, sizeof contacts);
    world->globals->contact_count = 3;
    return world;
}

static void own_moments(iso__space *s, uint32_t body, iso_wide moment) {
    iso__space_own_mass_set(s, &(iso__space_own_mass){.moments = {moment, moment, moment}, .body = body});
}

// ---- rules ---------------------------------------------------------------------------------------

// clang-format off
#define B(index) s->bodies[index]
#define S(index) s->shapes[index]
#define C(index) s->contacts[index]
#define O(index) s->own_masses[index] // of BALL and of HULL
#define G        s->world.globals
/// X(name, what breaks it), of a world `s`.
#define RULE_LIST(X) \
    X(tick, G->tick = UINT64_C(1) << 53) \
    X(gravity, G->gravity[1] = 1001 * ONE) \
    X(gravity_z, G->gravity_z = -1001 * ONE) \
    X(height_count, G->height_count = 1) \
    X(height_block_count, G->height_block_count = 1) \
    X(owned_count, s->world.slots[0].body_count = 1) \
    X(body_type, B(BALL).type = 4) \
    X(body_quiet_far, (B(BALL).quiet_ticks = 1, B(BALL).quiet_moved[5] = (1 << 26))) \
    X(body_quiet_begins, (B(BALL).quiet_ticks = 0, B(BALL).quiet_moved[0] = 1)) \
    X(body_quiet_gain, (B(BALL).quiet_ticks = 1, B(BALL).quiet_gain = 1)) \
    X(body_reserved, B(BALL).reserved[1] = 1) \
    X(body_flags, B(BALL).more_flags = 2) \
    X(body_asleep_moving, B(BALL).flags |= ISO__SPACE_BODY_ASLEEP) \
    X(body_asleep_static, B(HULL).flags |= ISO__SPACE_BODY_ASLEEP) \
    X(body_quiet_static, B(HULL).quiet_ticks = 1) \
    X(body_quiet_long, B(BALL).quiet_ticks = 2 * iso__sleep_ticks(&s->world.def)) \
    X(own_mass, O(0).mass = -1) \
    X(own_mass_low, O(0).mass = 1) \
    X(own_mass_high, O(0).mass = (INT64_C(1) << 49) + 1) \
    X(own_moments_order, O(0).moments[0] = O(0).moments[1] = wide(3); O(0).moments[2] = wide(2)) \
    X(own_moments_triangle, O(0).moments[0] = O(0).moments[1] = wide(2); O(0).moments[2] = wide(4) + 1) \
    X(own_moments_one, O(0).moments[2] = wide(2)) \
    X(own_moments_small, own_moments(s, ROD, 1)) \
    X(own_moments_large, own_moments(s, ROD, INT64_C(1) << 60)) \
    X(own_mass_of_nothing, O(0).mass = 0) \
    X(own_mass_reserved, O(1).reserved = 1) \
    X(own_mass_dead_body, O(0).body = DEAD) \
    X(own_mass_no_body, O(1).body = G->body_count) \
    X(own_mass_order, const iso__space_own_mass o = O(0); O(0) = O(1); O(1) = o) \
    X(own_mass_twice, O(1) = O(0)) \
    X(own_mass_count, G->own_mass_count = 3) \
    X(body_linear_damping, B(BALL).linear_damping = -1) \
    X(body_angular_damping, B(BALL).angular_damping = 1000 * ONE + 1) \
    X(body_gravity_scale, B(BALL).gravity_scale = 101 * ONE) \
    X(body_lock_x, B(LOCKED).velocity[0] = 1) \
    X(body_lock_turn, B(LOCKED).momentum[1] += INT64_C(1) << 32) \
    X(body_position, B(BALL).position[2] = ISO_POSITION_MAX_M * ISO_WIDE_ONE + 1) \
    X(body_position_low, B(BALL).position[0] = INT64_MIN) \
    X(body_velocity, B(BALL).velocity[1] = (400 << 19) + 1) \
    X(body_velocity_low, B(BALL).velocity[1] = INT32_MIN) \
    X(body_momentum, B(BALL).momentum[1] = INT64_MIN) \
    X(body_spin, B(BALL).momentum[0] = INT64_C(70) << 40) \
    X(body_spin_of_a_rod, for (int i = 0; i < 3; ++i) B(ROD).momentum[i] = INT64_C(200) << 40) \
    X(kinematic_spin, B(DRIVEN).momentum[2] = INT64_C(401) << 40) \
    X(kinematic_spin_bits, B(DRIVEN).momentum[2] += 1) \
    X(bare_spin_bits, B(BARE).momentum[0] ^= 1 << 20) \
    X(static_velocity, B(HULL).velocity[0] = 1) \
    X(static_momentum, B(GROUND).momentum[2] = 1) \
    X(rotation_length, B(BALL).rotation[3] += 64) \
    X(rotation_zero, for (int i = 0; i < 4; ++i) B(BALL).rotation[i] = 0) \
    X(rotation_wraps, for (int i = 0; i < 4; ++i) B(BALL).rotation[i] = INT32_MIN) \
    X(rotation_sign, for (int i = 0; i < 4; ++i) B(BALL).rotation[i] = -B(BALL).rotation[i]) \
    X(static_rotation_sign, for (int i = 0; i < 4; ++i) B(HULL).rotation[i] = -B(HULL).rotation[i]) \
    X(owner_slot, B(BALL).owner_slot = 32) \
    X(owner_generation, B(BALL).owner_generation = 1) \
    X(dead_body, B(DEAD).tag = 1) \
    X(dead_rotation, B(DEAD).rotation[3] = 1 << 30) \
    X(revived_body, s->world.body_generations[DEAD] += 1) \
    X(killed_body, s->world.body_generations[BALL] += 1) \
    X(unused_body, s->world.body_generations[DEAD] = 0) \
    X(last_generation, s->world.body_generations[BALL] = UINT32_MAX) \
    X(spawn_number, B(BALL).spawn_number = G->spawn_count + 1) \
    X(spawn_count, G->spawn_count = UINT64_C(1) << 53) \
    X(shape_body, S(HULL).body = G->body_count) \
    X(shape_dead_body, S(HULL).body = DEAD) \
    X(shape_kind, S(HULL).kind = 7) \
    X(shape_flags, S(HULL).flags = 2) \
    X(shape_density, S(BALL).density = -1) \
    X(shape_friction, S(BALL).friction = INT32_MAX & ~0xFFF) \
    X(shape_friction_bits, S(BALL).friction += 1) \
    X(shape_restitution, S(BALL).restitution = (1 << 28) + (1 << 12)) \
    X(shape_owner, S(BALL).owner_slot = 32) \
    X(shape_generation, s->world.shape_generations[DEAD] += 1) \
    X(dead_shape, S(DEAD).mask = 1) \
    X(sphere_radius, S(BALL).radius = 256) \
    X(sphere_radius_bits, S(BALL).radius += 1) \
    X(sphere_centre_bits, S(BALL).vertices[2] += 1) \
    X(sphere_points, S(BALL).vertex_count = 2) \
    X(sphere_far, S(BALL).vertices[0] = 60 << 24) \
    X(capsule_length, S(ROD).vertices[0] = S(ROD).vertices[3]) \
    X(capsule_points, S(ROD).vertex_count = 1) \
    X(box_half, S(BOX).vertices[4] = 0) \
    X(box_half_negative, S(BOX).vertices[4] = -(1 << 24)) \
    X(box_half_bits, S(BOX).vertices[4] += 1) \
    X(box_radius, S(BOX).radius = 1 << 24) \
    X(box_rotation, S(BOX).vertices[9] += 256) \
    X(box_rotation_sign, for (int i = 6; i < 10; ++i) S(BOX).vertices[i] = -S(BOX).vertices[i]) \
    X(box_rotation_zero, for (int i = 6; i < 10; ++i) S(BOX).vertices[i] = 0) \
    X(box_thin, S(BOX).vertices[3] = S(BOX).vertices[5] = 66 << 8; S(BOX).vertices[4] = 50 << 24) \
    X(box_heavy, for (int i = 3; i < 6; ++i) S(BOX).vertices[i] = 30 << 24) \
    X(hull_points, S(HULL).vertex_count = 3) \
    X(hull_many, S(HULL).vertex_count = 33) \
    X(hull_far, S(HULL).vertices[3] = 61 << 24) \
    X(plane_normal, S(GROUND).vertices[1] += 256) \
    X(plane_normal_zero, S(GROUND).vertices[0] = S(GROUND).vertices[1] = S(GROUND).vertices[2] = 0) \
    X(plane_normal_wraps, S(GROUND).vertices[0] = S(GROUND).vertices[1] = INT32_MIN; S(GROUND).vertices[2] = INT32_MIN) \
    X(plane_offset, S(GROUND).vertices[4] = 61) \
    X(plane_offset_bits, S(GROUND).vertices[3] += 1) \
    X(plane_that_moves, B(GROUND).type = ISO_BODY_KINEMATIC) \
    X(plane_radius, S(GROUND).radius = 1 << 24) \
    X(heights_number, S(FIELD).vertices[3] = 2) \
    X(heights_number_negative, S(FIELD).vertices[3] = -1) \
    X(heights_centre_bits, S(FIELD).vertices[1] += 1) \
    X(heights_that_move, B(TERRAIN).type = ISO_BODY_DYNAMIC) \
    X(heights_points, S(FIELD).vertex_count = 2) \
    X(heights_columns, s->heights[0].columns = 1) \
    X(heights_rows, s->heights[0].rows = 130) \
    X(heights_cell, s->heights[1].cell = 0) \
    X(heights_scale, s->heights[1].scale = -1) \
    X(heights_first, s->heights[1].first_block = 0) \
    X(heights_more_samples, s->heights[1].rows = 20) \
    X(heights_fewer_samples, s->heights[1].rows = 9) \
    X(heights_step, s->height_blocks[0].samples[8] = 32767) \
    X(heights_behind_the_last, s->height_blocks[1].samples[6] = 1) \
    X(contact_child_gap, C(2).child = 1; C(2).flags = 0) \
    X(contact_children, const iso__space_contact c = C(2); for (uint16_t i = 0; i < 5; ++i) { C(2 + i) = c; C(2 + i).child = i; \
      C(2 + i).flags = 0; } G->contact_count = 7) \
    X(contact_child_flags, C(3) = C(2); C(3).child = 1; G->contact_count = 4) \
    X(contact_order, const iso__space_contact c = C(0); C(0) = C(1); C(1) = c) \
    X(contact_twice, C(1) = C(0)) \
    X(contact_bodies, C(1).shape_a = BALL; C(1).shape_b = BOX) \
    X(contact_one_body, C(1).shape_a = BALL) \
    X(contact_shape, C(1).shape_b = G->shape_count) \
    X(contact_dead_shape, C(1).shape_b = DEAD) \
    X(contact_child, C(0).child = 1) \
    X(contact_flags, C(0).flags = 2) \
    X(contact_points, C(0).point_count = 5) \
    X(contact_no_points, C(0).point_count = 0) \
    X(contact_pull, C(0).normal_impulse[0] = -1) \
    X(contact_push, C(0).normal_impulse[0] = (400 << 19) + 1) \
    X(contact_friction, C(0).friction_impulse[2] = INT32_MIN) \
    X(contact_twist, C(0).twist_impulse = INT32_MIN) \
    X(contact_unused_impulse, C(1).normal_impulse[1] = 1) \
    X(contact_unused_place, C(1).place[11] = 1) \
    X(contact_of_statics, C(1).shape_a = GROUND; C(1).shape_b = HULL)
// clang-format on

#define RULE_FUNCTION(name, statement)        \
    static void break_##name(iso__space *s) { \
        (void)s;                              \
        statement;                            \
    }
RULE_LIST(RULE_FUNCTION)

static const struct rule {
    const char *name;
    void (*breaks)(iso__space *s);
} RULES[] = {
#define RULE_ENTRY(name, statement) {#name, break_##name},
    RULE_LIST(RULE_ENTRY)};

/// Another world, which has been somewhere else.
static iso_world *target_make(void) {
    const iso_world_def def = random_calls_def(0);
    rig r = {.world = world_make(&def), .random = {6}};
    fill_any(&r);
    for (int n = 0; n < 100; ++n) {
        call_of_body_set_mass(&r);
    }
    assert_true(r.world->globals->own_mass_count > 1);
    world_steps(r.world, 4);
    return r.world;
}

static void test_each_broken_rule_is_refused_without_a_trace(void **state) {
    (void)state;
    iso_world *world = scene_make(), *target = target_make();
    const uint64_t root = fresh_root(target);
    snapshot good = snapshot_of(world);
    for (size_t i = 0; i < sizeof RULES / sizeof RULES[0]; ++i) {
        assert_int_equal(decode_exact(world, good.bytes, good.size), ISO_OK);
        RULES[i].breaks(space_of(world));
        snapshot bad = snapshot_of(world);
        const iso_status status = decode_exact(target, bad.bytes, bad.size);
        EXPECT(status == ISO_ERR_CORRUPT, "rule %s: %s", RULES[i].name, iso_status_name(status));
        assert_true(fresh_root(target) == root);
        free(bad.bytes);
        memset(world->globals, 0, sizeof *world->globals); // whatever counts a rule has broken
    }
    iso_world *untouched = target_make();
    for (int t = 0; t < 30; ++t) {
        world_steps(target, 1);
        world_steps(untouched, 1);
        assert_true(iso_world_root(target) == iso_world_root(untouched));
    }
    assert_int_equal(decode_exact(target, good.bytes, good.size), ISO_OK);
    free(good.bytes);
    world_free(untouched);
    world_free(target);
    world_free(world);
}

/// Compounds, blueprints and programs are the plane's.
static void test_counts_of_what_space_does_not_have_are_refused(void **state) {
    (void)state;
    iso_world *world = scene_make(), *target = target_make();
    const uint64_t root = fresh_root(target);
    static const size_t counts[] = {offsetof(iso__globals, compound_count), offsetof(iso__globals, blueprint_count),
                                    offsetof(iso__globals, program_count), offsetof(iso__globals, custom_joint_count)};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; ++i) {
        snapshot bad = snapshot_of(world);
        bad.bytes[ISO__SNAPSHOT_HEAD_SIZE + world->kernel->sections[ISO_SECTION_DEF].record_size + counts[i]] ^= 1;
        seal(bad.bytes, bad.size);
        EXPECT_STATUS(decode_exact(target, bad.bytes, bad.size), ISO_ERR_CORRUPT);
        assert_true(fresh_root(target) == root);
        free(bad.bytes);
    }
    world_free(target);
    world_free(world);
}

// ---- bytes ---------------------------------------------------------------------------------------

static void test_every_flipped_byte_and_every_end_is_refused(void **state) {
    (void)state;
    iso_world *world = scene_make(), *target = target_make();
    const uint64_t root = fresh_root(target);
    snapshot good = snapshot_of(world);
    for (size_t i = 0; i < good.size; ++i) {
        good.bytes[i] ^= 0x40;
        assert_int_not_equal(decode_exact(target, good.bytes, good.size), ISO_OK);
        good.bytes[i] ^= 0x40;
        assert_int_not_equal(decode_exact(target, good.bytes, i), ISO_OK);
    }
    assert_true(fresh_root(target) == root);
    free(good.bytes);
    world_free(target);
    world_free(world);
}

/// Bytes with a right hash give a world that steps, and takes its own snapshot; or none, and nothing has changed.
static void test_hostile_bytes_give_a_valid_world_or_none(void **state) {
    (void)state;
    static const uint8_t extremes[4] = {0, 0xFF, 0x80, 0x7F};
    rng random = {99};
    iso_world *world = scene_make(), *target = target_make();
    snapshot good = snapshot_of(world);
    uint8_t *bad = malloc(good.size);
    uint32_t taken = 0, refused = 0;
    for (int run = 0; run < 8000; ++run) {
        memcpy(bad, good.bytes, good.size);
        // Single bits, bytes, and words; mostly in what comes after the definition.
        const size_t first = run % 50 == 0 ? 0 : 300;
        for (uint32_t changes = 1 + rng_below(&random, 3); changes > 0; --changes) {
            const size_t at = first + rng_below(&random, (uint32_t)(good.size - 16 - first));
            if (run % 3 == 0) {
                bad[at] ^= (uint8_t)(1u << rng_below(&random, 8));
            } else if (run % 3 == 1) {
                bad[at] = (uint8_t)rng_next(&random);
            } else {
                memset(bad + at, extremes[rng_below(&random, 4)], 1 + rng_below(&random, 8));
            }
        }
        seal(bad, good.size);
        const uint64_t before = iso_world_root(target);
        if (decode_exact(target, bad, good.size) != ISO_OK) {
            ++refused;
            assert_true(fresh_root(target) == before);
            continue;
        }
        ++taken;
        target->globals->contact_count = 0; // of made-up contacts
        iso__mark_section_dirty(target, ISO_SECTION_CONTACTS);
        world_steps(target, 3);
        snapshot own = snapshot_of(target);
        const iso_status status = decode_exact(target, own.bytes, own.size);
        EXPECT(status == ISO_OK, "run %d: its own snapshot is refused: %s", run, iso_status_name(status));
        free(own.bytes);
    }
    EXPECT(taken > 300 && refused > 300, "%u taken, %u refused", taken, refused);
    free(bad);
    free(good.bytes);
    world_free(target);
    world_free(world);
}

/// A snapshot of the plane is none of a world in space, and the reverse.
static void test_a_snapshot_of_the_other_kind_is_refused(void **state) {
    (void)state;
    iso_world_def def = random_calls_def(0);
    iso_world *space = world_make(&def);
    def.dimensions = 2;
    def.gravity_z = 0;
    def.integrator = 0;
    iso_world *plane = world_make(&def);
    iso_world *const worlds[2] = {space, plane};
    for (int i = 0; i < 2; ++i) {
        snapshot other = snapshot_of(worlds[1 - i]);
        const uint64_t root = fresh_root(worlds[i]);
        assert_int_equal(decode_exact(worlds[i], other.bytes, other.size), ISO_ERR_SCHEMA);
        size_t size = iso_world_image_size(worlds[1 - i]);
        void *image = malloc(size);
        assert_int_equal(iso_world_save(worlds[1 - i], image, size), size);
        assert_int_equal(iso_world_restore(worlds[i], image, size), ISO_ERR_SCHEMA);
        assert_true(fresh_root(worlds[i]) == root);
        free(image);
        free(other.bytes);
    }
    world_free(space);
    world_free(plane);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_broken_rule_is_refused_without_a_trace),
        cmocka_unit_test(test_counts_of_what_space_does_not_have_are_refused),
        cmocka_unit_test(test_every_flipped_byte_and_every_end_is_refused),
        cmocka_unit_test(test_hostile_bytes_give_a_valid_world_or_none),
        cmocka_unit_test(test_a_snapshot_of_the_other_kind_is_refused),
    };
    return cmocka_run_group_tests_name("state3_rules", tests, NULL, NULL);
}
