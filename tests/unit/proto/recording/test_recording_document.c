/// RECORDING.md against the code: its examples are what is written, its tables are the lists that the code has.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "isostep/games.h"
#include "isostep/proto/recording.h"

#define DOCUMENT ISO_TEST_PROTO_DIR "/RECORDING.md"

static char *document;

static int set_up(void **state) {
    (void)state;
    FILE *in = fopen(DOCUMENT, "rb");
    if (in == NULL) {
        return -1;
    }
    document = calloc(1, 1 << 17);
    const size_t size = fread(document, 1, (1 << 17) - 1, in);
    fclose(in);
    return size > 1000 ? 0 : -1;
}

static int tear_down(void **state) {
    (void)state;
    free(document);
    return 0;
}

static const char *find(const char *from, const char *text) {
    const char *at = strstr(from, text);
    if (at == NULL) {
        fail_msg("RECORDING.md has no \"%s\"", text);
        return from;
    }
    return at;
}

/// The bytes of the indented block behind a text, in hexadecimal.
static size_t read_hex(const char *behind, uint8_t *bytes) {
    const char *at = find(find(find(document, "## Examples"), behind), "\n\n    ") + 2;
    size_t size = 0;
    while (strncmp(at, "    ", 4) == 0) {
        unsigned byte;
        int used;
        for (at += 4; *at != '\n'; at += used + (at[used] == ' ')) {
            assert_int_equal(sscanf(at, "%2x%n", &byte, &used), 1);
            bytes[size++] = (uint8_t)byte;
        }
        ++at;
    }
    return size;
}

static void check_example(const char *behind, const uint8_t *bytes, size_t size) {
    uint8_t written[256];
    assert_int_equal(read_hex(behind, written), size);
    assert_memory_equal(written, bytes, size);
}

static void test_examples_are_what_is_written(void **state) {
    (void)state;
    uint8_t bytes[256];
    iso_recording_chain chain = {.version = ISO_RECORDING_VERSION, .checksum = 0};
    iso_change change = {.kind = ISO_CHANGE_JOIN, .slot = 2, .slot_generation = 3};
    iso_sealed_command command = {.slot = 2, .sequence = 300, .moved = 1};
    command.command.kind = ISO_COMMAND_SET_CONTROL;
    command.command.as.set_control = (iso_command_set_control){.size = 2, .bytes = {0xAA, 0xBB}};
    iso_recording_tick tick = {
        .input = {.tick = 1000}, .has_root = true, .hashed_tick = 1000, .root = 0x0123456789abcdef};
    check_example("An idle tick", bytes, iso_recording_encode_tick(&tick, &chain, bytes, sizeof bytes));
    tick.hashed_tick = 995;
    tick.input =
        (iso_tick_input){.tick = 1000, .changes = &change, .change_count = 1, .commands = &command, .command_count = 1};
    check_example("Tick 1000 with", bytes, iso_recording_encode_tick(&tick, &chain, bytes, sizeof bytes));
    const iso_recording_event event = {
        .kind = ISO_RECORDING_EVENT_MEMBER, .slot = 2, .slot_generation = 3, .about_tick = 999, .name = "ada"};
    check_example("The event", bytes, iso_recording_encode_event(&event, &chain, bytes, sizeof bytes));
    const uint8_t stored[4] = {1, 2, 3, 4};
    const iso_recording_keyframe keyframe = {
        .tick = 600, .root = 0x1122334455667788, .raw_size = 1000, .stored_size = 4, .ticks_offset = 0x3ff0};
    check_example("A keyframe of", bytes,
                  iso_recording_encode_keyframe(&keyframe, stored, &chain, bytes, sizeof bytes));
    const iso_recording_mark mark = {
        .salt = 0x0011223344556677, .offset = 0x5f00, .durable_offset = 0x5e80, .durable_tick = 998};
    check_example("A mark at", bytes, iso_recording_encode_mark(&mark, &chain, bytes, sizeof bytes));
    const iso_recording_index_entry entries[2] = {{0, 0x200}, {600, 0x4000}};
    const iso_recording_footer footer = {.last_tick = 1000,
                                         .has_root = true,
                                         .root_tick = 1000,
                                         .root = 0x0123456789abcdef,
                                         .entries = entries,
                                         .entry_count = 2};
    check_example("FOOTER and trailer", bytes, iso_recording_encode_end(&footer, 0x6000, &chain, bytes, sizeof bytes));
}

/// Sections of a world in the plane or in space, and where RECORDING.md has them.
typedef struct world_kind {
    const iso_game *game;
    uint16_t dimensions;
    const char *chapter;
    const char *heading; // of a section: "%s" is its name
} world_kind;

static const world_kind PLANE = {&iso_game_sandbox, 2, "## Snapshots\n", "\n### %s: "};
static const world_kind SPACE = {&iso_game_sandbox3, 3, "## Snapshots in space\n", "\n### %s in space: "};

static iso_world *sandbox_world(const world_kind *kind, void **memory) {
    iso_world_def def = iso_world_def_default();
    def.dimensions = kind->dimensions;
    strcpy(def.game, kind->game->name);
    for (uint32_t i = 0; i < kind->game->param_count; ++i) {
        def.game_params[i] = kind->game->params[i].value;
    }
    const size_t size = iso_world_size(&def, kind->game);
    *memory = aligned_alloc(64, size);
    iso_world *world;
    assert_int_equal(iso_world_create(&def, kind->game, *memory, size, &world), ISO_OK);
    return world;
}

/// How many of the first fields of a section in space are those of the plane, if that is all that the plane has.
static uint32_t count_shared(const iso_field *fields, uint32_t count, iso_section section) {
    void *memory;
    uint32_t shared = 0, plane_count;
    const iso_field *plane = iso_section_fields(sandbox_world(&PLANE, &memory), section, &plane_count);
    while (shared < plane_count && shared < count && strcmp(fields[shared].name, plane[shared].name) == 0 &&
           strcmp(fields[shared].unit, plane[shared].unit) == 0 && fields[shared].count == plane[shared].count &&
           fields[shared].type == plane[shared].type) {
        ++shared;
    }
    free(memory);
    return shared == plane_count ? shared : 0;
}

/// The lines of a section's fields; in space those that the plane does not have, too. @return how many bytes
static size_t list_section(const world_kind *kind, iso_section section, char *text, size_t capacity) {
    static const char *const types[] = {"", "u8", "u16", "u32", "u64", "i8", "i16", "i32", "i64"};
    void *memory;
    uint32_t field_count;
    const iso_field *fields = iso_section_fields(sandbox_world(kind, &memory), section, &field_count);
    size_t size = 0;
    for (uint32_t i = kind == &SPACE ? count_shared(fields, field_count, section) : 0; i < field_count; ++i) {
        char type[32];
        snprintf(type, sizeof type, fields[i].count > 1 ? "%s[%u]" : "%s", types[fields[i].type], fields[i].count);
        size +=
            (size_t)snprintf(text + size, capacity - size, "    %-22s %-8s %s", fields[i].name, type, fields[i].unit);
        for (; text[size - 1] == ' '; --size) { // what has no unit
        }
        size += (size_t)snprintf(text + size, capacity - size, "\n");
        assert_true(size < capacity);
    }
    free(memory);
    return size;
}

static void name_section(const world_kind *kind, iso_section section, char heading[64]) {
    snprintf(heading, 64, kind->heading, iso_section_name(section));
}

/// The block of lines behind a section's heading. @return how many bytes
static size_t find_section(const world_kind *kind, iso_section section, const char **text) {
    char heading[64];
    name_section(kind, section, heading);
    *text = find(find(find(document, kind->chapter), heading), "\n    ") + 1;
    const char *end = *text;
    while (strncmp(end, "    ", 4) == 0) {
        end = find(end, "\n") + 1;
    }
    return (size_t)(end - *text);
}

/// In this order; a section without fields of its own has no heading.
static void check_sections(const world_kind *kind) {
    const char *before = find(document, kind->chapter);
    for (uint32_t section = 0; section < ISO_SECTION_COUNT; ++section) {
        char heading[64], expected[8192];
        const char *text;
        const size_t size = list_section(kind, (iso_section)section, expected, sizeof expected);
        name_section(kind, (iso_section)section, heading);
        if (size == 0) {
            assert_null(strstr(document, heading));
            continue;
        }
        if (find_section(kind, (iso_section)section, &text) != size || memcmp(text, expected, size) != 0) {
            fail_msg(
                "the fields of \"%s\" with %d dimensions in RECORDING.md are not those of the code; if the code is "
                "right: cmake --build build/release --target documents",
                iso_section_name((iso_section)section), kind->dimensions);
        }
        before = find(before, heading);
    }
}

static void test_snapshot_sections_are_the_field_lists(void **state) {
    (void)state;
    check_sections(&PLANE);
}

static void test_snapshot_sections_in_space_are_the_field_lists(void **state) {
    (void)state;
    check_sections(&SPACE);
}

static void test_tables_are_the_code_s_lists(void **state) {
    (void)state;
    char row[64];
#define CHECK_FRAME(name, number)                               \
    snprintf(row, sizeof row, "\n| %d | " #name " | ", number); \
    find(document, row);
    ISO_RECORDING_FRAME_LIST(CHECK_FRAME)
#define CHECK_EVENT(name, number)                        \
    snprintf(row, sizeof row, "%d " #name ": ", number); \
    find(find(document, "### EVENT"), row);
    ISO_RECORDING_EVENT_LIST(CHECK_EVENT)
    assert_int_equal(ISO_RECORDING_VERSION, 2);
    assert_int_equal(ISO_RECORDING_VERSION_SPACE, 3);
    find(document,
         "Sessions in the plane are written in format version **2**, sessions in space in format version **3**");
    assert_int_equal(ISO_RECORDING_PAYLOAD_SIZE_MAX, 1 << 20);
    assert_int_equal(ISO_RECORDING_HEADER_SIZE_MAX, (64 << 20) + 4096);
    assert_int_equal(ISO_RECORDING_SCENE_SIZE_MAX, 64 << 20);
    assert_int_equal(ISO_RECORDING_SNAPSHOT_SIZE_MAX, 256 << 20);
    assert_int_equal(ISO_RECORDING_INDEX_MAX, 16384);
    assert_int_equal(ISO_RECORDING_KEYFRAME_LAG_MAX, 255);
    const char *limits = find(document, "## Limits");
    find(limits, "| payload of a HEADER | 64 MiB + 4 KiB |");
    find(limits, "| payload of any other frame | 1 MiB |");
    find(limits, "| scene | 64 MiB; ");
    find(limits, "| snapshot, raw and stored | 256 MiB |");
    find(limits, "| entries of the index | 16,384 |");
    find(limits, "| ticks between a keyframe and its tick | 255 |");
}

/// A row of the table of canonical bytes, by the type's name.
static const char *find_row(const char *name) {
    char begin[40];
    snprintf(begin, sizeof begin, "\n| %s | ", name);
    return find(find(document, "## Commands"), begin) + 1;
}

/// Goes on in a row to behind a name.
static void take_name(const char **at, const char *name) {
    char quoted[40];
    snprintf(quoted, sizeof quoted, "`%s`", name);
    const char *found = find(*at, quoted);
    if (found > strchr(*at, '\n')) {
        fail_msg("a row of RECORDING.md has no %s where the list has it: %.60s", name, *at);
    }
    *at = found + strlen(quoted);
}

/// Definitions of joints in the canonical bytes: switches and numbers in the order of their lists.
static void test_joint_definitions_are_in_the_order_of_their_lists(void **state) {
    (void)state;
#define CHECK_SWITCH(name, bit)             take_name(&at, #name);
#define CHECK_NUMBER(type, name, low, high) take_name(&at, #name);
    const char *at = find_row("JointDef");
    ISO_JOINT_SWITCH_LIST(CHECK_SWITCH)
    ISO_JOINT_NUMBER_LIST(CHECK_NUMBER)
    take_name(&at, "params");
    at = find_row("Joint3Axis");
    ISO_JOINT3_AXIS_SWITCH_LIST(CHECK_SWITCH)
    ISO_JOINT3_AXIS_NUMBER_LIST(CHECK_NUMBER)
    at = find_row("Joint3Def");
    ISO_JOINT3_SWITCH_LIST(CHECK_SWITCH)
    ISO_JOINT3_NUMBER_LIST(CHECK_NUMBER)
    take_name(&at, "axis_2");
    take_name(&at, "params");
}

/// Replaces the fields of the sections.
static void write_sections(const world_kind *kind) {
    for (uint32_t section = 0; section < ISO_SECTION_COUNT; ++section) {
        static char whole[1 << 17];
        char lines[8192];
        const char *text;
        const size_t size = list_section(kind, (iso_section)section, lines, sizeof lines);
        if (size > 0) {
            const size_t old = find_section(kind, (iso_section)section, &text);
            snprintf(whole, sizeof whole, "%.*s%.*s%s", (int)(text - document), document, (int)size, lines, text + old);
            memcpy(document, whole, sizeof whole);
        }
    }
}

/// With --write. The target "documents".
static int write_document(void) {
    write_sections(&PLANE);
    write_sections(&SPACE);
    FILE *out = fopen(DOCUMENT, "wb");
    if (out == NULL) {
        return 1;
    }
    const bool is_written = fputs(document, out) >= 0;
    return fclose(out) == 0 && is_written ? 0 : 1;
}

int main(int argc, char **argv) {
    if (argc == 2 && strcmp(argv[1], "--write") == 0) {
        void *state = NULL;
        return set_up(&state) == 0 ? write_document() : 1;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_examples_are_what_is_written),
        cmocka_unit_test(test_snapshot_sections_are_the_field_lists),
        cmocka_unit_test(test_snapshot_sections_in_space_are_the_field_lists),
        cmocka_unit_test(test_tables_are_the_code_s_lists),
        cmocka_unit_test(test_joint_definitions_are_in_the_order_of_their_lists),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
