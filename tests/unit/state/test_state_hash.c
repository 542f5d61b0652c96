/// The hash tree, the differences and the fingerprint.
#include <stdio.h>

#include "unit/plane/compound/test_compound_util.h"

#include "base/hash.h"
#include "world/world.h"
#include "state/section.h"
#include "plane/plane.h"
#include "plane/world/sections.h"
#include "world/slots.h"
#include "state/hash.h"
#include "isostep/games.h"

/// The record's memory, to be changed behind the library's back.
static uint8_t *record_at(const iso_world *world, iso_section section, uint32_t index) {
    return (uint8_t *)(uintptr_t)iso_section_record(world, section, index);
}

/// A program and a joint of it, a blueprint and a compound of it, so that no section is empty.
static void add_rare_things(iso_world *world) {
    static const char source[] = "body b constraint b.rotation";
    iso_program program;
    iso_program_scratch *scratch = malloc(sizeof *scratch);
    assert_int_equal(iso_program_compile(source, sizeof source - 1, scratch, &program, NULL), ISO_OK);
    free(scratch);
    iso_joint_def def = iso_joint_def_default();
    iso_joint_id joint;
    def.kind = ISO_JOINT_SYMBOLIC;
    def.body_b = iso_body_next(world, 0);
    assert_int_equal(iso_world_add_program(world, &program, &def.constraint), ISO_OK);
    assert_int_equal(iso_joint_create(world, &def, &joint), ISO_OK);
    doll_add(world, "doll");
    const iso_compound_def compound = doll_at(0, 30, 0);
    doll_create(world, &compound);
}

static void test_every_field_of_every_record_counts(void **state) {
    (void)state;
    iso_world *world = util_world_lively(30);
    iso_world *same = util_world_lively(30);
    add_rare_things(world);
    add_rare_things(same);
    const uint64_t root = iso_world_root(world);
    uint32_t changed = 0;
    for (uint32_t s = 0; s < ISO_SECTION_COUNT; ++s) {
        const iso_section section = (iso_section)s;
        uint32_t field_count;
        const iso_field *fields = iso_section_fields(world, section, &field_count);
        const uint32_t record_count = iso_section_record_count(world, section);
        // What only worlds in space have: tests/unit/space/snapshot/test_state3_save.c.
        const bool is_of_space = section == ISO_SECTION_HEIGHTS || section == ISO_SECTION_HEIGHT_SAMPLES ||
                                 section == ISO_SECTION_OWN_MASSES;
        assert_true(is_of_space ? record_count == 0 && field_count == 0 : record_count > 0 && field_count > 0);
        for (uint32_t record = 0; record < record_count; ++record) {
            uint8_t *memory = record_at(world, section, record);
            for (uint32_t f = 0; f < field_count; ++f) {
                // Counts decide how much there is of other sections; a wrong one is no state at all.
                const bool is_count = (section == ISO_SECTION_GLOBALS && strstr(fields[f].name, "_count") != NULL) ||
                                      (section == ISO_SECTION_DEF && strcmp(fields[f].name, "slot_capacity") == 0);
                const bool is_extent = section == ISO_SECTION_SHAPES && strcmp(fields[f].name, "vertex_count") == 0;
                const uint32_t used = iso_field_used_count(world, section, memory, &fields[f]);
                for (uint32_t element = 0; element < used && !is_count && !is_extent; ++element) {
                    const uint32_t bit = (record + f + 5 * element) % (8 * iso_field_width(fields[f].type));
                    const uint64_t before = iso__field_read(&fields[f], element, memory);
                    iso__field_write(&fields[f], element, memory, before ^ UINT64_C(1) << bit);
                    iso__mark_dirty(world, section, record);
                    assert_int_not_equal(iso_world_root(world), root);
                    iso_diff diffs[2];
                    assert_int_equal(iso_world_diff(world, same, diffs, 2), 1);
                    assert_int_equal(diffs[0].section, section);
                    assert_int_equal(diffs[0].record, record);
                    assert_ptr_equal(diffs[0].field, &fields[f]);
                    assert_int_equal(diffs[0].element, element);
                    assert_true(diffs[0].value_a != diffs[0].value_b);
                    assert_true((uint64_t)(diffs[0].value_a ^ diffs[0].value_b) >> bit & 1);
                    iso__field_write(&fields[f], element, memory, before);
                    iso__mark_dirty(world, section, record);
                    ++changed;
                }
            }
        }
    }
    assert_int_equal(iso_world_root(world), root);
    assert_true(changed > 2000);
    util_world_free(same);
    util_world_free(world);
}

static void test_a_difference_has_the_fields_sign(void **state) {
    (void)state;
    iso_world *a = util_world_lively(3);
    iso_world *b = util_world_lively(3);
    iso__plane_of(a)->bodies[3].velocity[0] = -5;
    iso__plane_of(b)->bodies[3].velocity[0] = 7;
    iso__plane_of(a)->bodies[3].tag = 0xFFFFFFFF;
    iso__mark_dirty(a, ISO_SECTION_BODIES, 3);
    iso__mark_dirty(b, ISO_SECTION_BODIES, 3);
    iso_diff diffs[4];
    assert_int_equal(iso_world_diff(a, b, diffs, 4), 2);
    assert_string_equal(diffs[0].field->name, "velocity");
    assert_int_equal(diffs[0].value_a, -5);
    assert_int_equal(diffs[0].value_b, 7);
    assert_string_equal(diffs[1].field->name, "tag");
    assert_int_equal(diffs[1].value_a, 0xFFFFFFFF);
    assert_int_equal(iso_world_diff(a, b, diffs, 1), 1);
    util_world_free(b);
    util_world_free(a);
}

static void test_a_difference_names_other_counts(void **state) {
    (void)state;
    iso_world *a = util_world_lively(3);
    iso_world *b = util_world_lively(3);
    const iso_shape_def ball = iso_shape_def_circle(METRE);
    for (int i = 0; i < 5; ++i) { // more than there are dead slots
        util_add_body(b, ISO_BODY_DYNAMIC, 0, (50 + 3 * i) * METRE, &ball);
    }
    iso_diff diffs[64];
    const uint32_t count = iso_world_diff(a, b, diffs, 64);
    bool has_bodies = false;
    for (uint32_t i = 0; i < count; ++i) {
        has_bodies = has_bodies || (diffs[i].section == ISO_SECTION_BODIES && diffs[i].field == NULL &&
                                    diffs[i].value_a < diffs[i].value_b && diffs[i].record == diffs[i].value_a);
    }
    assert_true(has_bodies);
    util_world_free(b);
    util_world_free(a);
}

static void test_unused_vertices_do_not_count(void **state) {
    (void)state;
    iso_world *world = util_world_lively(3);
    const uint64_t root = iso_world_root(world);
    assert_int_equal(iso__plane_of(world)->shapes[3].vertex_count, 4);
    iso__plane_of(world)->shapes[3].vertices[8] = 1;
    assert_int_equal(util_fresh_root(world), root);
    iso__plane_of(world)->shapes[3].vertices[7] ^= 256;
    assert_int_not_equal(util_fresh_root(world), root);
    util_world_free(world);
}

static void test_both_ways_to_hash_agree(void **state) {
    (void)state;
    iso_world *world = util_world_lively(30);
    for (uint32_t s = 0; s < ISO_SECTION_COUNT; ++s) {
        const iso_section section = (iso_section)s;
        const uint32_t count = iso_section_record_count(world, section);
        uint64_t hashes[16];
        uint32_t shards = 0;
        for (uint32_t first = 0; first < count; first += 64) {
            assert_true(shards < 16);
            hashes[shards++] =
                iso__hash_records_by_field(world, section, first, count - first < 64 ? count - first : 64);
        }
        iso__hasher hasher;
        iso__hasher_init(&hasher);
        for (uint32_t i = 0; i < shards; ++i) {
            iso__hasher_add_number(&hasher, hashes[i], 8);
        }
        assert_int_equal(iso_world_section_hash(world, section), iso__hasher_get(&hasher));
    }
    util_world_free(world);
}

static void test_cached_shards_are_those_of_a_fresh_hash(void **state) {
    (void)state;
    iso_world *world = util_world_lively(3);
    iso_world *other = util_world_lively(3);
    const iso_shape_def ball = iso_shape_def_circle(METRE / 3);
    iso_sealed_command drive = util_control(2, 2, -9000, 500, 0);
    for (int i = 0; i < 80; ++i) {
        const iso_body_id next = iso_body_next(world, (uint32_t)(i * 13) % 45);
        switch (i % 5) {
        case 0:
            util_add_body(world, ISO_BODY_DYNAMIC, (i - 40) * METRE, 30 * METRE, &ball);
            util_add_body(other, ISO_BODY_DYNAMIC, (i - 40) * METRE, 30 * METRE, &ball);
            break;
        case 1:
            assert_int_equal(iso_body_destroy(world, next), iso_body_destroy(other, next));
            break;
        case 2:
            iso_body_set_owner(world, next, (iso_owner){1, 2});
            iso_body_set_owner(other, next, (iso_owner){1, 2});
            break;
        case 3:
            assert_int_equal(iso_joint_set_target(world, iso_joint_next(world, 5), iso_vec2_to_wide((iso_vec2){i, i})),
                             iso_joint_set_target(other, iso_joint_next(other, 5), iso_vec2_to_wide((iso_vec2){i, i})));
            break;
        default:
            drive.sequence += 1;
            util_step(world, NULL, 0, &drive, 1);
            util_step(other, NULL, 0, &drive, 1);
            break;
        }
        assert_int_equal(iso_world_root(world), util_fresh_root(other));
    }
    util_world_free(other);
    util_world_free(world);
}

static void test_dropping_caches_changes_no_later_state(void **state) {
    (void)state;
    iso_world *world = util_world_lively(3);
    iso_world *other = util_world_lively(3);
    for (int i = 0; i < 100; ++i) {
        util_steps(world, 1);
        util_steps(other, 1);
        if (i % 7 == 3) {
            iso_world_drop_caches(other);
        }
        assert_int_equal(iso_world_root(world), iso_world_root(other));
    }
    util_world_free(other);
    util_world_free(world);
}

static void test_flipped_bit_is_found(void **state) {
    (void)state;
    iso_world *world = util_world_lively(3);
    iso_world *other = util_world_lively(3);
    assert_int_equal(iso_world_flip_bit(world), ISO_OK);
    iso_diff diff;
    assert_int_equal(iso_world_diff(world, other, &diff, 1), 1);
    assert_int_equal(diff.section, ISO_SECTION_BODIES);
    assert_int_equal(diff.record, 1); // 0 is static
    assert_string_equal(diff.field->name, "position");
    assert_int_equal(diff.value_a ^ diff.value_b, 1);
    assert_int_equal(iso_world_flip_bit(world), ISO_OK);
    assert_int_equal(iso_world_root(world), iso_world_root(other));
    const iso_world_def def = util_world_def();
    iso_world *empty = util_world_create(&def, &iso_game_sandbox);
    assert_int_equal(iso_world_flip_bit(empty), ISO_ERR_STALE);
    util_world_free(empty);
    util_world_free(other);
    util_world_free(world);
}

static const iso_field *plane_fields(iso_section section, uint32_t *count) {
    *count = iso__plane_sections[section].field_count;
    return iso__plane_sections[section].fields;
}

static void test_tables_describe_their_structs(void **state) {
    (void)state;
    const size_t sizes[ISO_SECTION_COUNT] = {0,
                                             offsetof(iso__globals, gravity_z), // what follows is of space
                                             sizeof(iso__slot),
                                             sizeof(iso__plane_body),
                                             sizeof(iso__plane_shape),
                                             sizeof(iso__plane_joint),
                                             sizeof(iso__plane_contact),
                                             sizeof(iso_program),
                                             sizeof(iso__plane_custom_joint),
                                             sizeof(iso__plane_compound),
                                             sizeof(iso__plane_blueprint),
                                             sizeof(iso__plane_body),
                                             sizeof(iso__plane_shape),
                                             sizeof(iso__plane_blueprint_joint),
                                             sizeof(uint32_t)};
    for (uint32_t s = 1; s < ISO_SECTION_GAME; ++s) {
        uint32_t field_count;
        const iso_field *fields = plane_fields((iso_section)s, &field_count);
        assert_true(iso__fields_are_dense(fields, field_count, sizes[s]));
        assert_false(iso__fields_are_dense(fields, field_count, sizes[s] + 1));
        uint8_t bytes[ISO__CANONICAL_SIZE_MAX], record[ISO__CANONICAL_SIZE_MAX], back[ISO__CANONICAL_SIZE_MAX] = {0};
        for (uint32_t i = 0; i < sizes[s]; ++i) {
            record[i] = (uint8_t)(i * 7 + 1);
        }
        if (s == ISO_SECTION_SHAPES) {
            record[offsetof(iso__plane_shape, vertex_count)] = 8;
        }
        assert_int_equal(iso__record_encode(&iso__plane_kernel, (iso_section)s, fields, field_count, record, bytes),
                         sizes[s]);
        iso__record_decode(fields, field_count, bytes, back);
        assert_memory_equal(record, back, sizes[s]);
    }
    assert_true(
        iso__fields_are_dense(iso_game_sandbox.fields, iso_game_sandbox.field_count, iso_game_sandbox.state_size));
    // A list in another order than the struct, or with a gap, is no memory image.
    iso_field swapped[3] = {iso_game_sandbox.fields[1], iso_game_sandbox.fields[0], iso_game_sandbox.fields[2]};
    assert_false(iso__fields_are_dense(swapped, 3, iso_game_sandbox.state_size));
    uint32_t none;
    assert_null(plane_fields(ISO_SECTION_GAME, &none));
    assert_int_equal(none, 0);
}

/// The table of DETERMINISM.md: a row per section, in their order. Sizes follow from the fields in RECORDING.md.
static void test_document_has_the_sections(void **state) {
    (void)state;
    FILE *file = fopen(ISO_TEST_CORE_DIR "/DETERMINISM.md", "r");
    assert_non_null(file);
    char line[512], name[32];
    uint32_t found = 0;
    while (found < ISO_SECTION_COUNT && fgets(line, sizeof line, file) != NULL) {
        const bool is_row = sscanf(line, "| `%31[a-z_]` | ", name) == 1;
        found += is_row && strcmp(name, iso_section_name((iso_section)found)) == 0;
    }
    fclose(file);
    assert_int_equal(found, ISO_SECTION_COUNT);
}

static void test_canonical_bytes_are_little_endian_in_the_lists_order(void **state) {
    (void)state;
    uint32_t field_count;
    const iso_field *fields = plane_fields(ISO_SECTION_CONTACTS, &field_count);
    const iso__plane_contact contact = {.shape_a = 0x01020304,
                                        .shape_b = 5,
                                        .normal_impulse = {-1, 6},
                                        .tangent_impulse = {-2, 7},
                                        .feature = {0xFFFFFFFE, 9},
                                        .pose_offset = {-3, 8},
                                        .pose_angle = {0xFFFFFFFC, 10},
                                        .child = 0x0A0B,
                                        .point_count = 2,
                                        .flags = 3};
    static const uint8_t expected[52] = {4,    3,    2,    1,    5,    0,    0,    0,    0xFF, 0xFF, 0xFF, 0xFF, 6,
                                         0,    0,    0,    0xFE, 0xFF, 0xFF, 0xFF, 7,    0,    0,    0,    0xFE, 0xFF,
                                         0xFF, 0xFF, 9,    0,    0,    0,    0xFD, 0xFF, 0xFF, 0xFF, 8,    0,    0,
                                         0,    0xFC, 0xFF, 0xFF, 0xFF, 10,   0,    0,    0,    0x0B, 0x0A, 2,    3};
    uint8_t bytes[52];
    assert_int_equal(iso__record_encode(&iso__plane_kernel, ISO_SECTION_CONTACTS, fields, field_count, &contact, bytes),
                     52);
    assert_memory_equal(bytes, expected, 52);
}

static void test_hash_in_parts_is_the_hash_at_once(void **state) {
    (void)state;
    uint8_t bytes[1000];
    for (uint32_t i = 0; i < sizeof bytes; ++i) {
        bytes[i] = (uint8_t)(i * i + 3 * i);
    }
    // XXH3-64 of nothing, from its documentation; the product's hashes stand on it.
    assert_int_equal(iso__hash(bytes, 0), UINT64_C(0x2D06800538D394C2));
    for (size_t size = 0; size <= sizeof bytes; size += 37) {
        iso__hasher hasher;
        iso__hasher_init(&hasher);
        for (size_t at = 0; at < size; at += 11) {
            iso__hasher_add(&hasher, bytes + at, size - at < 11 ? size - at : 11);
        }
        assert_int_equal(iso__hasher_get(&hasher), iso__hash(bytes, size));
    }
}

static void test_fingerprint_tells_games_and_parameters_apart(void **state) {
    (void)state;
    iso_world_def def = util_world_def();
    iso_fingerprint a, b;
    iso_fingerprint_make(&def, &iso_game_sandbox, &a);
    iso_fingerprint_make(&def, &iso_game_sandbox, &b);
    assert_true(iso_fingerprint_equal(&a, &b));
    assert_string_equal(a.game, "sandbox");
    assert_true(a.simulation_version > 0);
    def.game_params[0] += 1;
    iso_fingerprint_make(&def, &iso_game_sandbox, &b);
    assert_false(iso_fingerprint_equal(&a, &b));
    assert_int_equal(a.schema, b.schema);
    def.game_params[0] -= 1;
    def.seed += 1; // travels with the scene, not with the build
    iso_fingerprint_make(&def, &iso_game_sandbox, &b);
    assert_true(iso_fingerprint_equal(&a, &b));
    iso_game newer = iso_game_sandbox;
    newer.version += 1;
    iso_fingerprint_make(&def, &newer, &b);
    assert_false(iso_fingerprint_equal(&a, &b));
    iso_field fields[3];
    memcpy(fields, iso_game_sandbox.fields, sizeof fields);
    fields[2].name = "keys";
    newer.version -= 1;
    newer.fields = fields;
    iso_fingerprint_make(&def, &newer, &b);
    assert_false(iso_fingerprint_equal(&a, &b));
    assert_true(a.schema != b.schema);
    memset(def.game, 0, sizeof def.game);
    iso_fingerprint_make(&def, NULL, &b);
    assert_false(iso_fingerprint_equal(&a, &b));
    assert_int_equal(a.arithmetic, b.arithmetic);
    b = a;
    b.arithmetic ^= 1;
    assert_false(iso_fingerprint_equal(&a, &b));
    b = a;
    b.simulation_version += 1;
    assert_false(iso_fingerprint_equal(&a, &b));
    b = a;
    b.game[0] = 'S';
    assert_false(iso_fingerprint_equal(&a, &b));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_field_of_every_record_counts),
        cmocka_unit_test(test_a_difference_has_the_fields_sign),
        cmocka_unit_test(test_a_difference_names_other_counts),
        cmocka_unit_test(test_unused_vertices_do_not_count),
        cmocka_unit_test(test_both_ways_to_hash_agree),
        cmocka_unit_test(test_cached_shards_are_those_of_a_fresh_hash),
        cmocka_unit_test(test_dropping_caches_changes_no_later_state),
        cmocka_unit_test(test_flipped_bit_is_found),
        cmocka_unit_test(test_tables_describe_their_structs),
        cmocka_unit_test(test_document_has_the_sections),
        cmocka_unit_test(test_canonical_bytes_are_little_endian_in_the_lists_order),
        cmocka_unit_test(test_hash_in_parts_is_the_hash_at_once),
        cmocka_unit_test(test_fingerprint_tells_games_and_parameters_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
