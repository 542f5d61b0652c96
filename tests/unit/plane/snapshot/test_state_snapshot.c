/// Portable snapshots: round trips, sizes, and hostile bytes.
#include "test_snapshot_util.h"
#include "isostep/games.h"
#include "unit/many.h"
#include "plane/world/sections.h"

static void test_decoded_world_is_the_same_and_goes_on_the_same(void **state) {
    (void)state;
    iso_world *world = util_world_lively(60);
    snapshot s = snapshot_of(world);
    iso_world_def def;
    uint64_t tick = 0;
    assert_int_equal(iso_snapshot_read_def(s.bytes, s.size, &def, &tick), ISO_OK);
    assert_int_equal(tick, 61);
    const iso_game *game = iso_game_find(def.game);
    assert_ptr_equal(game, &iso_game_sandbox);
    iso_world *other = util_world_create(&def, game);
    assert_int_equal(iso_snapshot_decode(other, s.bytes, s.size), ISO_OK);
    assert_int_equal(iso_world_root(other), iso_world_root(world));
    iso_diff diff;
    assert_int_equal(iso_world_diff(world, other, &diff, 1), 0);
    // Derived data are computed, not sent; they are the same all the same.
    assert_memory_equal(iso__plane_of(world)->shape_derived[3].normals, iso__plane_of(other)->shape_derived[3].normals,
                        sizeof iso__plane_of(other)->shape_derived[3].normals);
    assert_int_equal(iso__plane_of(world)->body_derived[3].inertia, iso__plane_of(other)->body_derived[3].inertia);
    snapshot again = snapshot_of(other);
    assert_int_equal(again.size, s.size);
    assert_memory_equal(again.bytes, s.bytes, s.size);
    const iso_sealed_command drive = util_control(0, 1, -32768, 32767, 3);
    for (int i = 0; i < 120; ++i) {
        util_step(world, NULL, 0, &drive, i == 30);
        util_step(other, NULL, 0, &drive, i == 30);
        assert_int_equal(iso_world_root(other), iso_world_root(world));
    }
    free(again.bytes);
    free(s.bytes);
    util_world_free(other);
    util_world_free(world);
}

static void test_decode_replaces_a_fuller_world(void **state) {
    (void)state;
    iso_world *world = util_world_lively(10);
    const iso_world_def def = util_world_def();
    iso_world *empty = util_world_create(&def, &iso_game_sandbox);
    snapshot s = snapshot_of(empty);
    snapshot full = snapshot_of(world);
    const uint64_t full_root = iso_world_root(world);
    assert_int_equal(iso_snapshot_decode(world, s.bytes, s.size), ISO_OK);
    assert_int_equal(iso_world_root(world), iso_world_root(empty));
    iso_world_counts counts;
    iso_world_get_counts(world, &counts);
    assert_int_equal(counts.bodies + counts.shapes + counts.joints + counts.contacts, 0);
    const iso_shape_def ball = iso_shape_def_circle(METRE);
    assert_int_equal(util_add_body(world, ISO_BODY_DYNAMIC, 0, 0, &ball).index, 0);
    assert_int_equal(iso_snapshot_decode(world, full.bytes, full.size), ISO_OK);
    assert_int_equal(iso_world_root(world), full_root);
    free(full.bytes);
    free(s.bytes);
    util_world_free(empty);
    util_world_free(world);
}

static void test_a_snapshot_grows_by_its_records_alone(void **state) {
    (void)state;
    const iso_world_def def = util_world_def();
    iso_world *world = util_world_create(&def, &iso_game_sandbox);
    const size_t empty = iso_snapshot_size(world), generation = 4;
    const size_t body =
        sizeof(iso__plane_body) + generation + ISO__PLANE_SHAPE_FIXED_SIZE + 4 * 8 + generation; // a box has 4 vertices
    const size_t joined = sizeof(iso__plane_joint) + generation;
    const iso_shape_def box = iso_shape_def_box(METRE, METRE);
    util_add_body(world, ISO_BODY_STATIC, 0, 0, &box);
    assert_int_equal(iso_snapshot_size(world) - empty, body);
    util_add_body(world, ISO_BODY_DYNAMIC, 0, 2 * METRE, &box);
    assert_int_equal(iso_snapshot_size(world) - empty, 2 * body);
    iso_joint_def joint = iso_joint_def_default();
    joint.body_a = iso_body_next(world, 0);
    joint.body_b = iso_body_next(world, 1);
    joint.collide_connected = true;
    iso_joint_id id;
    assert_int_equal(iso_joint_create(world, &joint, &id), ISO_OK);
    assert_int_equal(iso_snapshot_size(world) - empty, 2 * body + joined);
    util_steps(world, 1);
    assert_int_equal(world->globals->contact_count, 1);
    assert_int_equal(iso_snapshot_size(world) - empty, 2 * body + joined + sizeof(iso__plane_contact));
    util_world_free(world);
}

/// A tapered capsule takes one word more than one with a single radius, and comes back as it was.
static void test_a_second_radius_is_kept(void **state) {
    (void)state;
    const iso_world_def def = util_world_def();
    iso_world *world = util_world_create(&def, &iso_game_sandbox), *other = util_world_create(&def, &iso_game_sandbox);
    const size_t empty = iso_snapshot_size(world);
    const iso_shape_def plain = iso_shape_def_capsule((iso_vec2){0, 0}, (iso_vec2){METRE, 0}, METRE / 2);
    iso_shape_def tapered = plain;
    tapered.radius_b = METRE / 4;
    util_add_body(world, ISO_BODY_DYNAMIC, 0, 2 * METRE, &plain);
    const size_t one = iso_snapshot_size(world) - empty;
    const iso_body_id body = util_add_body(world, ISO_BODY_DYNAMIC, METRE / 4, 4 * METRE, &tapered);
    assert_int_equal(iso_snapshot_size(world) - empty, 2 * one + 4);
    util_steps(world, 3);
    snapshot s = snapshot_of(world);
    assert_int_equal(iso_snapshot_decode(other, s.bytes, s.size), ISO_OK);
    assert_int_equal(iso_world_root(other), iso_world_root(world));
    iso_shape_def read;
    iso_body_id of;
    assert_int_equal(iso_shape_get(other, iso_body_next_shape(other, body, 0), &read, &of), ISO_OK);
    assert_int_equal(read.radius_b, METRE / 4);
    util_steps(world, 60);
    util_steps(other, 60);
    assert_int_equal(iso_world_root(other), iso_world_root(world));
    free(s.bytes);
    util_world_free(other);
    util_world_free(world);
}

static void test_every_truncation_is_refused(void **state) {
    (void)state;
    iso_world *world = util_world_lively(30);
    snapshot s = snapshot_of(world);
    const uint64_t root = iso_world_root(world);
    for (size_t size = 0; size < s.size; ++size) {
        const iso_status status = decode_exact(world, s.bytes, size);
        assert_int_equal(status, ISO_ERR_TRUNCATED);
    }
    uint8_t *longer = calloc(1, s.size + 1);
    memcpy(longer, s.bytes, s.size);
    assert_int_equal(iso_snapshot_decode(world, longer, s.size + 1), ISO_ERR_CORRUPT);
    assert_int_equal(util_fresh_root(world), root);
    assert_int_equal(iso_snapshot_encode(world, longer, s.size - 1), 0);
    free(longer);
    free(s.bytes);
    util_world_free(world);
}

static void test_every_flipped_byte_is_refused(void **state) {
    (void)state;
    iso_world *world = util_world_lively(30);
    snapshot s = snapshot_of(world);
    for (size_t i = 0; i < s.size; ++i) {
        s.bytes[i] ^= (uint8_t)(1u << (i % 8));
        assert_int_not_equal(decode_exact(world, s.bytes, s.size), ISO_OK);
        s.bytes[i] ^= (uint8_t)(1u << (i % 8));
    }
    assert_int_equal(iso_snapshot_decode(world, s.bytes, s.size), ISO_OK);
    free(s.bytes);
    util_world_free(world);
}

/// With the right checksum an attacker's bytes get as far as the checks. Whatever is accepted must be a state
/// that a world can be in: it encodes to the same bytes and can be stepped. Whatever is not leaves no trace.
static void test_hostile_bytes_give_a_valid_world_or_none(void **state) {
    (void)state;
    iso_world *world = util_world_lively(30);
    const uint64_t root = iso_world_root(world);
    snapshot s = snapshot_of(world);
    uint8_t *copy = malloc(s.size);
    memcpy(copy, s.bytes, s.size);
    uint64_t random[2] = {1, 3};
    uint32_t accepted = 0, refused = 0;
    for (size_t i = 0; i < 2 * s.size; i += ISO_TEST_STEP) {
        random[0] = random[0] * UINT64_C(6364136223846793005) + 1442695040888963407u;
        const size_t at = i % s.size;
        s.bytes[at] = (uint8_t)(i < s.size ? s.bytes[at] ^ 1u << (random[0] >> 61) : random[0] >> 56);
        snapshot_seal(&s);
        if (decode_exact(world, s.bytes, s.size) == ISO_OK) {
            ++accepted;
            snapshot again = snapshot_of(world);
            assert_int_equal(again.size, s.size);
            assert_memory_equal(again.bytes, s.bytes, s.size);
            free(again.bytes);
            util_steps(world, 2);
            memcpy(s.bytes, copy, s.size);
            assert_int_equal(iso_snapshot_decode(world, copy, s.size), ISO_OK);
        } else {
            ++refused;
            memcpy(s.bytes, copy, s.size);
            if (refused % 16 == 0) {
                assert_int_equal(util_fresh_root(world), root);
            }
        }
    }
    assert_int_equal(util_fresh_root(world), root);
    assert_true(accepted > ISO_TEST_MANY(s.size / 4));
    assert_true(refused > ISO_TEST_MANY(s.size / 4));
    free(copy);
    free(s.bytes);
    util_world_free(world);
}

/// The checks must not be stricter than the solver: no state that a world reaches may be refused. Everything
/// here is at its limits, so that clamps and borders are met.
static void test_whatever_a_world_reaches_is_accepted(void **state) {
    (void)state;
    iso_world *world = util_world_lively(1);
    iso_world *other = util_world_lively(1);
    uint64_t random[2] = {7, 9};
    for (int i = 0; i < 300; ++i) {
        for (int n = 0; n < 6; ++n) {
            random[0] = random[0] * UINT64_C(6364136223846793005) + random[1];
            const uint32_t r = (uint32_t)(random[0] >> 33);
            const iso_body_id body = iso_body_next(world, r % world->globals->body_count);
            const iso_wide push = (int32_t)(r % 2000001 - 1000000) * ISO_WIDE_ONE;
            const fix16_t far = (r & 1 ? 1 : -1) * 30000 * METRE;
            switch (r >> 8 & 7) {
            case 0:
                (void)iso_body_apply_impulse(world, body, (iso_vec2_wide){push, -push},
                                             iso_vec2_to_wide((iso_vec2){far, far}));
                break;
            case 1:
                (void)iso_body_apply_torque(world, body, push);
                break;
            case 2:
                (void)iso_body_set_velocity(world, body, iso_vec2_to_wide((iso_vec2){far / 60, -far / 60}),
                                            iso_wide_from_fix16(METRE * 8));
                break;
            case 3: {
                const iso_shape_def box = iso_shape_def_box(METRE / 50 + (int32_t)(r % (20 * METRE)), METRE / 50);
                iso_body_def def = iso_body_def_default();
                def.position = iso_vec2_to_wide((iso_vec2){far, r & 2 ? far : 0});
                def.velocity = iso_vec2_to_wide((iso_vec2){far / 60, far / 60});
                def.angular_velocity = iso_wide_from_fix16(512 * METRE);
                def.type = (uint8_t)(1 + r % 3);
                iso_body_id made;
                iso_shape_id shape;
                if (iso_body_create(world, &def, &made) == ISO_OK) {
                    (void)iso_shape_create(world, made, &box, &shape);
                    (void)iso_body_set_owner(world, made, (iso_owner){1, (uint16_t)(r & 2)});
                }
                break;
            }
            case 4:
                (void)iso_body_destroy(world, iso_body_next(world, r % world->globals->body_count));
                break;
            case 5:
                (void)iso_world_set_gravity(world, (iso_vec2){far / 30, -far / 30});
                break;
            case 6: {
                iso_joint_def joint = iso_joint_def_default();
                joint.body_a = body;
                joint.body_b = iso_body_next(world, r % 7);
                joint.anchor_a = (iso_vec2){60 * METRE, -60 * METRE};
                iso_joint_id made;
                (void)iso_joint_create(world, &joint, &made);
                break;
            }
            default:
                (void)iso_joint_destroy(world, iso_joint_next(world, r % 32));
                break;
            }
        }
        util_steps(world, 1);
        snapshot s = snapshot_of(world);
        assert_int_equal(iso_snapshot_decode(other, s.bytes, s.size), ISO_OK);
        assert_int_equal(iso_world_root(other), iso_world_root(world));
        free(s.bytes);
    }
    iso_world_counts counts;
    iso_world_get_counts(world, &counts);
    assert_true(counts.clamped_velocities > 100);
    util_world_free(other);
    util_world_free(world);
}

static void test_angles_may_wrap(void **state) {
    (void)state;
    iso_world *world = util_world_lively(3);
    iso_world *other = util_world_lively(1);
    for (uint32_t i = 0; i < world->globals->body_count; ++i) {
        if (iso__plane_of(world)->bodies[i].type == ISO_BODY_DYNAMIC) {
            iso__plane_of(world)->bodies[i].angle = i % 2 == 0 ? INT64_MAX : INT64_MIN;
            iso__plane_of(world)->bodies[i].spin = i % 2 == 0 ? 5 << 19 : -(5 << 19);
        }
    }
    snapshot s = snapshot_of(world);
    assert_int_equal(iso_snapshot_decode(other, s.bytes, s.size), ISO_OK);
    util_steps(other, 3);
    assert_true(iso__plane_of(other)->bodies[38].angle > 0); // of the chain: was the lowest, turned below it
    free(s.bytes);
    util_world_free(other);
    util_world_free(world);
}

/// A game whose list has another order than its struct: its state goes field by field on every machine.
typedef struct odd_state {
    uint8_t small[4];
    int16_t middle[2];
    uint64_t large;
} odd_state;

static void odd_before_step(iso_world *world, void *memory) {
    odd_state *odd = memory;
    odd->small[iso_world_get_tick(world) % 4] += 7;
    odd->middle[0] = (int16_t)(odd->middle[0] - 3);
    odd->large += iso_world_random(world);
}

static void test_state_of_any_game_travels(void **state) {
    (void)state;
    static const iso_field fields[] = {
        {"large", "", offsetof(odd_state, large), 1, ISO_FIELD_U64},
        {"small", "", offsetof(odd_state, small), 4, ISO_FIELD_U8},
        {"middle", "", offsetof(odd_state, middle), 2, ISO_FIELD_I16},
    };
    const iso_game game = {.name = "odd",
                           .version = 1,
                           .state_size = sizeof(odd_state),
                           .fields = fields,
                           .field_count = 3,
                           .before_step = odd_before_step};
    iso_world_def def = util_world_def();
    memset(def.game, 0, sizeof def.game);
    strcpy(def.game, "odd");
    iso_world *world = util_world_create(&def, &game);
    iso_world *other = util_world_create(&def, &game);
    util_steps(world, 9);
    snapshot s = snapshot_of(world);
    assert_int_equal(iso_snapshot_decode(other, s.bytes, s.size), ISO_OK);
    assert_memory_equal(world->game_state, other->game_state, sizeof(odd_state));
    assert_int_equal(iso_world_root(world), iso_world_root(other));
    const odd_state *odd = (const odd_state *)(const void *)world->game_state;
    assert_int_equal(odd->middle[0], -27);
    assert_memory_equal(s.bytes + s.size - 8 - 4, "\xE5\xFF\0\0", 4); // middle stands last
    util_steps(world, 1);
    util_steps(other, 1);
    assert_int_equal(iso_world_root(world), iso_world_root(other));
    iso_diff diff;
    other->game_state[2] ^= 4;
    assert_int_equal(iso_world_diff(world, other, &diff, 1), 1);
    assert_int_equal(diff.section, ISO_SECTION_GAME);
    assert_string_equal(diff.field->name, "small");
    assert_int_equal(diff.element, 2);
    free(s.bytes);
    util_world_free(other);
    util_world_free(world);
}

/// A list that leaves out, doubles or goes beyond a byte makes no world, and the text names the byte.
static void test_game_lists_each_byte_of_its_state_once(void **state) {
    (void)state;
    iso_world_def def = util_world_def();
    memset(def.game, 0, sizeof def.game);
    strcpy(def.game, "odd");
    enum { U8 = ISO_FIELD_U8, U16 = ISO_FIELD_U16, U64 = ISO_FIELD_U64 };
    static const struct {
        iso_field fields[3];
        uint32_t field_count, control_size;
        const char *text;
    } cases[] = {
        {{{"a", "", 0, 4, U8}, {"b", "", 4, 2, U16}, {"c", "", 8, 1, U64}}, 3, 32, NULL},
        {{{"c", "", 8, 1, U64}, {"a", "", 0, 4, U8}, {"b", "", 4, 2, U16}}, 3, 0, NULL}, // in any order
        {{{"a", "", 0, 4, U8}, {"b", "", 4, 2, U16}, {"c", "", 8, 1, U64}},
         3,
         33,
         "the game odd: control_size is 33; expected at most 32"},
        {{{0}}, 0, 0, "the game odd: byte 0 of its state is in no field; expected each of the 16 bytes in exactly one"},
        {{{"a", "", 1, 3, U8}, {"b", "", 4, 2, U16}, {"c", "", 8, 1, U64}}, 3, 0, "byte 0 of its state is in no field"},
        {{{"a", "", 0, 4, U8}, {"b", "", 4, 1, U16}, {"c", "", 8, 1, U64}}, 3, 0, "byte 6 of its state is in no field"},
        {{{"a", "", 0, 4, U8}, {"b", "", 4, 2, U16}, {"c", "", 8, 3, U16}},
         3,
         0,
         "byte 14 of its state is in no field"},
        {{{"a", "", 0, 5, U8}, {"b", "", 4, 2, U16}, {"c", "", 8, 1, U64}},
         3,
         0,
         "byte 4 of its state is in the fields a and b;"},
        {{{"a", "", 0, 8, U8}, {"b", "", 2, 1, U16}, {"c", "", 8, 1, U64}},
         3,
         0,
         "byte 2 of its state is in the fields a and b;"},
        {{{"a", "", 0, 4, U8}, {"b", "", 4, 2, U16}, {"c", "", 8, 5, U16}},
         3,
         0,
         "the field c goes beyond its state: its end is 18; expected at most 16"},
        {{{"a", "", 0, 4, U8}, {"b", "", 4, 2, 0}, {"c", "", 8, 1, U64}}, 3, 0, "the field b has no type"},
        {{{"a", "", 0, 4, U8}, {"b", "", 4, 0, U16}, {"c", "", 8, 1, U64}}, 3, 0, "the field b has no elements"},
    };
    void *memory = aligned_alloc(64, 1 << 24);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        const iso_game game = {.name = "odd",
                               .state_size = 16,
                               .fields = cases[i].fields,
                               .field_count = cases[i].field_count,
                               .control_size = cases[i].control_size};
        iso_world *world = NULL;
        char text[128] = "";
        assert_true(iso_world_size(&def, &game) <= 1 << 24);
        assert_int_equal(iso_world_create(&def, &game, memory, 1 << 24, &world),
                         cases[i].text == NULL ? ISO_OK : ISO_ERR_RANGE);
        assert_int_equal(iso_game_check(&game, text, sizeof text), cases[i].text == NULL ? ISO_OK : ISO_ERR_RANGE);
        if (cases[i].text != NULL && strstr(text, cases[i].text) == NULL) {
            fail_msg("case %zu: %s", i, text);
        }
        char few[8] = "1234567";
        iso_game_check(&game, few, 4);
        assert_string_equal(few, cases[i].text == NULL ? "" : "the");
        assert_memory_equal(few + 4, "567", 4);
    }
    for (uint32_t i = 0; i < ISO_GAME_COUNT; ++i) {
        assert_int_equal(iso_game_check(iso_games[i], NULL, 0), ISO_OK);
    }
    free(memory);
}

static void test_counts_beyond_capacity_are_refused(void **state) {
    (void)state;
    iso_world *world = util_world_lively(3);
    snapshot s = snapshot_of(world);
    uint8_t *counts =
        s.bytes + ISO__SNAPSHOT_HEAD_SIZE + offsetof(iso_world_def, dimensions) + offsetof(iso__globals, body_count);
    const uint32_t hostile[] = {0, 1, 127, 128, 129, 161, 0x7FFFFFFF, 512, 0x80000000, 0xFFFFFFFF, 0x05555556};
    for (uint32_t field = 0; field < 4; ++field) {
        const uint32_t right = iso__read_u32(counts + 4 * field);
        for (size_t i = 0; i < sizeof hostile / sizeof hostile[0]; ++i) {
            iso__write_u32(counts + 4 * field, hostile[i]);
            snapshot_seal(&s);
            assert_int_equal(decode_exact(world, s.bytes, s.size), hostile[i] == right ? ISO_OK : ISO_ERR_CORRUPT);
        }
        iso__write_u32(counts + 4 * field, right);
    }
    free(s.bytes);
    util_world_free(world);
}

/// A snapshot of a larger world that claims to be of a smaller one: all bytes are there, and right.
static void test_more_records_than_capacity_are_refused(void **state) {
    (void)state;
    iso_world *world = util_world_lively(30);
    const uint32_t counts[4] = {world->globals->body_count, world->globals->shape_count, world->globals->joint_count,
                                world->globals->contact_count};
    for (uint32_t which = 0; which < 4; ++which) {
        for (uint32_t less = 0; less < 2; ++less) {
            iso_world_def small = util_world_def();
            uint32_t *const capacities[4] = {&small.body_capacity, &small.shape_capacity, &small.joint_capacity,
                                             &small.contact_capacity};
            *capacities[which] = counts[which] - less;
            snapshot s = snapshot_of(world);
            iso__write_u32(s.bytes + ISO__SNAPSHOT_HEAD_SIZE + 4 * which, counts[which] - less);
            snapshot_seal(&s);
            iso_world *target = util_world_create(&small, &iso_game_sandbox);
            assert_int_equal(decode_exact(target, s.bytes, s.size), less == 0 ? ISO_OK : ISO_ERR_CORRUPT);
            util_world_free(target);
            free(s.bytes);
        }
    }
    util_world_free(world);
}

/// One body with one circle, nothing else: the smallest snapshot, beyond whose end all else would be read.
static iso_world *minimal_world(void) {
    iso_world_def def = util_world_def();
    memset(def.game, 0, sizeof def.game);
    def.slot_capacity = 0;
    iso_world *world = util_world_create(&def, NULL);
    const iso_shape_def ball = iso_shape_def_circle(METRE);
    util_add_body(world, ISO_BODY_STATIC, 0, 0, &ball);
    return world;
}

static void test_nothing_is_read_beyond_the_end(void **state) {
    (void)state;
    iso_world *world = minimal_world();
    snapshot s = snapshot_of(world);
    uint8_t *vertex_count = s.bytes + s.size - 8 - 8 - 8 - 1; // before one vertex, two generations and the tail
    assert_int_equal(*vertex_count, 1);
    for (uint32_t vertices = 0; vertices < 256; ++vertices) {
        *vertex_count = (uint8_t)vertices;
        snapshot_seal(&s);
        assert_int_equal(decode_exact(world, s.bytes, s.size), vertices == 1 ? ISO_OK : ISO_ERR_CORRUPT);
    }
    *vertex_count = 1;
    uint8_t *counts =
        s.bytes + ISO__SNAPSHOT_HEAD_SIZE + offsetof(iso_world_def, dimensions) + offsetof(iso__globals, body_count);
    const uint32_t capacities[4] = {world->def.body_capacity, world->def.shape_capacity, world->def.joint_capacity,
                                    world->def.contact_capacity};
    for (uint32_t which = 0; which < 4; ++which) {
        const uint32_t right = iso__read_u32(counts + 4 * which);
        for (uint32_t count = 0; count <= capacities[which]; ++count) {
            iso__write_u32(counts + 4 * which, count);
            snapshot_seal(&s);
            assert_int_equal(decode_exact(world, s.bytes, s.size), count == right ? ISO_OK : ISO_ERR_CORRUPT);
        }
        iso__write_u32(counts + 4 * which, right);
    }
    free(s.bytes);
    util_world_free(world);
}

static void test_no_bytes_between_sections(void **state) {
    (void)state;
    iso_world *world = minimal_world();
    snapshot s = snapshot_of(world);
    const size_t shapes_end = s.size - 8 - 8;
    snapshot longer = {.bytes = calloc(1, s.size + 8), .size = s.size + 8};
    memcpy(longer.bytes, s.bytes, shapes_end);
    memcpy(longer.bytes + shapes_end + 8, s.bytes + shapes_end, 8);
    iso__write_u64(longer.bytes + 32, longer.size);
    snapshot_seal(&longer);
    assert_int_equal(decode_exact(world, longer.bytes, longer.size), ISO_ERR_CORRUPT);
    free(longer.bytes);
    free(s.bytes);
    util_world_free(world);
}

static void test_head_is_checked(void **state) {
    (void)state;
    iso_world *world = util_world_lively(3);
    snapshot s = snapshot_of(world);
    iso_world_def def;
    uint64_t tick;
    s.bytes[8] = 2;
    assert_int_equal(iso_snapshot_decode(world, s.bytes, s.size), ISO_ERR_VERSION);
    assert_int_equal(iso_snapshot_read_def(s.bytes, s.size, &def, &tick), ISO_ERR_VERSION);
    s.bytes[8] = 1;
    s.bytes[16] ^= 1;
    assert_int_equal(iso_snapshot_decode(world, s.bytes, s.size), ISO_ERR_SCHEMA);
    s.bytes[16] ^= 1;
    s.bytes[24] ^= 1; // the game's schema
    snapshot_seal(&s);
    assert_int_equal(iso_snapshot_decode(world, s.bytes, s.size), ISO_ERR_SCHEMA);
    s.bytes[24] ^= 1;
    s.bytes[0] = 'X';
    assert_int_equal(iso_snapshot_decode(world, s.bytes, s.size), ISO_ERR_CORRUPT);
    s.bytes[0] = 'I';
    // A definition that is no definition.
    iso__write_u32(s.bytes + ISO__SNAPSHOT_HEAD_SIZE, 0);
    snapshot_seal(&s);
    assert_int_equal(iso_snapshot_read_def(s.bytes, s.size, &def, &tick), ISO_ERR_RANGE);
    // A definition of another world.
    iso__write_u32(s.bytes + ISO__SNAPSHOT_HEAD_SIZE, 127);
    snapshot_seal(&s);
    assert_int_equal(iso_snapshot_read_def(s.bytes, s.size, &def, &tick), ISO_OK);
    assert_int_equal(def.body_capacity, 127);
    assert_int_equal(iso_snapshot_decode(world, s.bytes, s.size), ISO_ERR_SCHEMA);
    free(s.bytes);
    util_world_free(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_decoded_world_is_the_same_and_goes_on_the_same),
        cmocka_unit_test(test_decode_replaces_a_fuller_world),
        cmocka_unit_test(test_a_snapshot_grows_by_its_records_alone),
        cmocka_unit_test(test_a_second_radius_is_kept),
        cmocka_unit_test(test_every_truncation_is_refused),
        cmocka_unit_test(test_every_flipped_byte_is_refused),
        cmocka_unit_test(test_hostile_bytes_give_a_valid_world_or_none),
        cmocka_unit_test(test_whatever_a_world_reaches_is_accepted),
        cmocka_unit_test(test_angles_may_wrap),
        cmocka_unit_test(test_state_of_any_game_travels),
        cmocka_unit_test(test_game_lists_each_byte_of_its_state_once),
        cmocka_unit_test(test_counts_beyond_capacity_are_refused),
        cmocka_unit_test(test_more_records_than_capacity_are_refused),
        cmocka_unit_test(test_nothing_is_read_beyond_the_end),
        cmocka_unit_test(test_no_bytes_between_sections),
        cmocka_unit_test(test_head_is_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
