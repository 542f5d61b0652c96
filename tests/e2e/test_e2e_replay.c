/// isostep-replay on recordings that are right, that lie, and that are damaged.
#include "e2e.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "isostep/proto/compression.h"
#include "isostep/proto/recording.h"
#include "isostep/proto/scene.h"
#include "isostep/scenes.h"

static char folder[64];
static char output[1 << 16];

static const char *path_of(const char *name) {
    static char paths[8][128];
    static int next;
    char *path = paths[next++ % 8];
    snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

static int replay(const char *a, const char *b, const char *c, const char *d, const char *e) {
    return e2e_run(E2E_REPLAY, (const char *const[]){a, b, c, d, e, NULL}, output, sizeof output);
}

static uint64_t number_after(const char *key) {
    const char *at = strstr(output, key);
    if (at == NULL) {
        fail_msg("no %s in: %s", key, output);
        return 0;
    }
    return strtoull(at + strlen(key), NULL, 10);
}

// ---- A recording with commands, made without a server ---------------------------------------------

typedef struct writer {
    uint8_t *bytes;
    size_t size;
    size_t capacity;
    iso_recording_index_entry index[16];
    uint32_t index_count;
    uint64_t lie_root_at;     // this tick's root is recorded wrong; 0: none
    uint64_t lie_keyframe_at; // this keyframe's state is recorded wrong; 0: none
    uint32_t root_lag;        // ticks between a tick and the root that its frame carries
    uint32_t root_every;
} writer;

static void *allocate(void *user, size_t size, size_t alignment) {
    (void)user;
    return aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}

static void release(void *user, void *memory, size_t size) {
    (void)user;
    (void)size;
    free(memory);
}

static void put_keyframe(writer *w, iso_world *world) {
    const size_t raw_size = iso_snapshot_size(world);
    uint8_t *raw = malloc(raw_size);
    uint8_t *stored = malloc(iso_compress_bound(raw_size));
    const uint64_t tick = iso_world_get_tick(world);
    const uint64_t root = iso_world_root(world);
    if (w->lie_keyframe_at == tick && tick != 0) {
        // Another state than the simulated one, but a sound one.
        assert_int_equal(iso_world_flip_bit(world), ISO_OK);
        assert_int_equal(iso_snapshot_encode(world, raw, raw_size), raw_size);
        assert_int_equal(iso_world_flip_bit(world), ISO_OK);
    } else {
        assert_int_equal(iso_snapshot_encode(world, raw, raw_size), raw_size);
    }
    const size_t stored_size = iso_compress(raw, raw_size, stored, iso_compress_bound(raw_size));
    const iso_recording_keyframe keyframe = {.tick = tick,
                                             .root = root,
                                             .raw_size = (uint32_t)raw_size,
                                             .stored_size = (uint32_t)stored_size,
                                             .ticks_offset = w->size};
    w->index[w->index_count++] = (iso_recording_index_entry){.tick = tick, .offset = w->size};
    w->size += iso_recording_encode_keyframe(&keyframe, stored, w->bytes + w->size, w->capacity - w->size);
    free(raw);
    free(stored);
}

/// The commands of a member that steers, builds and pushes.
static uint32_t make_commands(uint64_t tick, iso_sealed_command *commands) {
    uint32_t count = 0;
    memset(commands, 0, 2 * sizeof *commands);
    if (tick < 2) {
        return 0;
    }
    if (tick % 4 == 2) {
        iso_sealed_command *command = &commands[count++];
        command->sequence = 2 * tick;
        command->command.kind = ISO_COMMAND_SET_CONTROL;
        command->command.as.set_control.size = 8;
        command->command.as.set_control.bytes[1] = tick % 200 < 100 ? 0x40 : 0xC0;
        command->command.as.set_control.bytes[4] = tick % 64 == 2;
    }
    if (tick % 30 == 7) {
        iso_sealed_command *command = &commands[count++];
        command->sequence = 2 * tick + 1;
        command->command.kind = ISO_COMMAND_SPAWN_BODY;
        command->command.as.spawn_body.body = iso_body_def_default();
        command->command.as.spawn_body.body.position =
            (iso_vec2){(int32_t)(tick % 20) * ISO_FIX16_ONE, 8 * ISO_FIX16_ONE};
        command->command.as.spawn_body.shape = iso_shape_def_box(ISO_FIX16_ONE / 3, ISO_FIX16_ONE / 2);
    }
    return count;
}

static void put_tick(writer *w, iso_world *world, uint64_t *roots) {
    const uint64_t now = iso_world_get_tick(world) + 1;
    const iso_change join = {.kind = ISO_CHANGE_JOIN, .slot = 0, .slot_generation = 1};
    iso_sealed_command commands[2];
    iso_recording_tick tick = {
        .input = {.tick = now, .changes = &join, .change_count = now == 1, .commands = commands}};
    tick.input.command_count = make_commands(now, commands);
    assert_int_equal(iso_world_step(world, &tick.input), ISO_OK);
    roots[now] = iso_world_root(world);
    tick.has_root = now > w->root_lag && now % w->root_every == 0;
    tick.hashed_tick = tick.has_root ? now - w->root_lag : 0;
    tick.root = roots[tick.hashed_tick] + (tick.hashed_tick == w->lie_root_at && w->lie_root_at != 0);
    const size_t size = iso_recording_encode_tick(&tick, w->bytes + w->size, w->capacity - w->size);
    assert_true(size > 0);
    w->size += size;
    if (now % 300 == 0) {
        put_keyframe(w, world);
    }
}

/// Records `ticks` ticks of the sandbox with one member.
static void make_recording(writer *w, const char *path, uint64_t ticks) {
    const iso_builtin_scene *builtin = iso_builtin_scene_find("sandbox");
    const iso_allocator allocator = {.allocate = allocate, .release = release};
    iso_scene *scene = NULL;
    void *memory = NULL;
    iso_world *world = NULL;
    assert_int_equal(iso_scene_parse(builtin->text, builtin->size, NULL, 0, &scene, NULL), ISO_OK);
    assert_int_equal(iso_scene_create_world(scene, NULL, &allocator, &memory, &world, NULL), ISO_OK);
    w->capacity = 8 << 20;
    w->bytes = malloc(w->capacity);
    w->root_every = w->root_every == 0 ? 1 : w->root_every;
    iso_recording_header header;
    memset(&header, 0, sizeof header);
    strcpy(header.session, "main");
    strcpy(header.scene_name, "sandbox");
    header.def = *iso_world_get_def(world);
    iso_fingerprint_make(&header.def, iso_world_get_game(world), &header.fingerprint);
    header.scene = builtin->text;
    header.scene_size = (uint32_t)builtin->size;
    w->size = iso_recording_encode_head(&header, w->bytes, w->capacity);
    uint64_t *roots = calloc(ticks + 1, sizeof *roots);
    roots[0] = iso_world_root(world);
    put_keyframe(w, world);
    while (iso_world_get_tick(world) < ticks) {
        put_tick(w, world, roots);
    }
    const iso_recording_footer footer = {.last_tick = ticks,
                                         .has_root = true,
                                         .root_tick = ticks,
                                         .root = roots[ticks],
                                         .entries = w->index,
                                         .entry_count = w->index_count};
    const size_t size = iso_recording_encode_end(&footer, w->size, w->bytes + w->size, w->capacity - w->size);
    FILE *out = fopen(path, "wb");
    assert_non_null(out);
    assert_int_equal(fwrite(w->bytes, 1, w->size + size, out), w->size + size);
    assert_int_equal(fclose(out), 0);
    free(roots);
    free(w->bytes);
    free(memory);
    iso_scene_free(scene);
}

/// Copies a file, cut to `size` bytes (0: whole), with one bit flipped at `flip_at` unless that is -1.
static uint64_t copy_file(const char *from, const char *to, uint64_t size, int64_t flip_at) {
    FILE *in = fopen(from, "rb");
    assert_non_null(in);
    uint8_t *bytes = malloc(8 << 20);
    const size_t whole = fread(bytes, 1, 8 << 20, in);
    fclose(in);
    if (flip_at >= 0) {
        assert_true((uint64_t)flip_at < whole);
        bytes[flip_at] ^= 4;
    }
    FILE *out = fopen(to, "wb");
    assert_non_null(out);
    const size_t wanted = size == 0 || size > whole ? whole : (size_t)size;
    assert_int_equal(fwrite(bytes, 1, wanted, out), wanted);
    fclose(out);
    free(bytes);
    return whole;
}

// ---- Tests ----------------------------------------------------------------------------------------

static void test_verify_agrees_with_a_right_recording(void **state) {
    (void)state;
    writer w = {0};
    make_recording(&w, path_of("right.isr"), 700);
    assert_int_equal(replay("verify", path_of("right.isr"), "--json", NULL, NULL), 0);
    assert_non_null(strstr(output, "\"result\":\"ok\""));
    assert_int_equal(number_after("\"ticks\":"), 700);
    assert_int_equal(number_after("\"last_tick\":"), 700);
    assert_int_equal(number_after("\"roots\":"), 700);
    assert_int_equal(number_after("\"keyframes\":"), 3);
    assert_null(strstr(output, "first_bad_tick"));
}

static void test_verify_follows_roots_that_trail_and_are_rare(void **state) {
    (void)state;
    for (uint32_t lag = 1; lag <= 40; lag += 39) {
        writer w = {.root_lag = lag, .root_every = 3};
        make_recording(&w, path_of("trail.isr"), 330);
        assert_int_equal(replay("verify", path_of("trail.isr"), "--json", NULL, NULL), 0);
        // All multiples of 3 beyond the lag, and the footer's.
        assert_int_equal(number_after("\"roots\":"), 330 / 3 - lag / 3 + 1);
        writer lie = {.root_lag = lag, .root_every = 3, .lie_root_at = 300 - lag};
        make_recording(&lie, path_of("trail.isr"), 330);
        assert_int_equal(replay("verify", path_of("trail.isr"), "--json", NULL, NULL), 1);
        assert_int_equal(number_after("\"first_bad_tick\":"), 300 - lag);
    }
}

static void test_verify_finds_a_changed_command_where_it_stands(void **state) {
    (void)state;
    writer w = {0};
    make_recording(&w, path_of("right.isr"), 700);
    static const char *const ticks[] = {"1", "300", "437", "698"};
    for (size_t i = 0; i < sizeof ticks / sizeof ticks[0]; i++) {
        const char *const arguments[] = {path_of("right.isr"), path_of("lie.isr"), "--tick", ticks[i], NULL};
        assert_int_equal(e2e_run(E2E_ISR_EDIT, arguments, output, sizeof output), 0);
        const uint64_t changed = number_after("tick ");
        assert_in_range(changed, strtoull(ticks[i], NULL, 10), strtoull(ticks[i], NULL, 10) + 4);
        assert_int_equal(replay("verify", path_of("lie.isr"), "--json", NULL, NULL), 1);
        assert_non_null(strstr(output, "\"result\":\"mismatch\""));
        assert_int_equal(number_after("\"first_bad_tick\":"), changed);
        // The file itself is sound.
        assert_int_equal(replay("info", path_of("lie.isr"), NULL, NULL, NULL), 0);
    }
}

static void test_verify_finds_a_wrong_root_and_a_wrong_keyframe(void **state) {
    (void)state;
    writer root = {.lie_root_at = 123};
    make_recording(&root, path_of("lie.isr"), 310);
    assert_int_equal(replay("verify", path_of("lie.isr"), "--json", NULL, NULL), 1);
    assert_int_equal(number_after("\"first_bad_tick\":"), 123);
    writer keyframe = {.lie_keyframe_at = 300};
    make_recording(&keyframe, path_of("lie.isr"), 310);
    assert_int_equal(replay("verify", path_of("lie.isr"), "--json", NULL, NULL), 1);
    assert_int_equal(number_after("\"first_bad_tick\":"), 300);
    assert_int_equal(number_after("\"offset\":"), keyframe.index[1].offset);
    assert_non_null(strstr(output, "bodies["));
}

static void test_damaged_recordings_are_unreadable_with_offset_and_tick(void **state) {
    (void)state;
    writer w = {0};
    make_recording(&w, path_of("right.isr"), 320);
    const uint64_t size = copy_file(path_of("right.isr"), path_of("bad.isr"), 0, 12000);
    assert_int_equal(replay("verify", path_of("bad.isr"), "--json", NULL, NULL), 3);
    assert_non_null(strstr(output, "\"status\":\"CORRUPT\""));
    const uint64_t offset = number_after("\"offset\":");
    assert_in_range(offset, 11900, 12000);
    assert_int_equal(replay("info", path_of("bad.isr"), NULL, NULL, NULL), 3);
    assert_int_equal(replay("dump", path_of("bad.isr"), NULL, NULL, NULL), 3);
    // A torn end is accepted under the name of a file that is being written only.
    copy_file(path_of("right.isr"), path_of("torn.isr"), size - 200, -1);
    assert_int_equal(replay("verify", path_of("torn.isr"), "--json", NULL, NULL), 3);
    assert_non_null(strstr(output, "\"status\":\"TRUNCATED\""));
    copy_file(path_of("right.isr"), path_of("torn.isr.part"), size - 200, -1);
    assert_int_equal(replay("verify", path_of("torn.isr.part"), "--json", NULL, NULL), 0);
    assert_in_range(number_after("\"last_tick\":"), 305, 319);
    assert_int_equal(replay("verify", path_of("no-such.isr"), NULL, NULL, NULL), 3);
    assert_int_equal(replay("verify", folder, NULL, NULL, NULL), 3);
    copy_file("/dev/null", path_of("empty.isr"), 0, -1);
    assert_int_equal(replay("verify", path_of("empty.isr"), NULL, NULL, NULL), 3);
}

static void test_info_names_a_root_that_the_file_does_not_hold(void **state) {
    (void)state;
    writer all = {0};
    make_recording(&all, path_of("all.isr"), 320);
    writer rare = {.root_every = 50};
    make_recording(&rare, path_of("rare.isr"), 320);
    static const char *const ticks[] = {"0", "1", "149", "150", "300", "301", "320"};
    for (size_t i = 0; i < sizeof ticks / sizeof ticks[0]; i++) {
        char expected[32];
        assert_int_equal(replay("info", path_of("all.isr"), "--tick", ticks[i], "--json"), 0);
        assert_non_null(strstr(output, "\"source\":\"recorded\""));
        snprintf(expected, sizeof expected, "%.24s", strstr(output, "\"hash\":"));
        assert_int_equal(replay("info", path_of("rare.isr"), "--tick", ticks[i], "--json"), 0);
        assert_non_null(strstr(output, expected));
        const uint64_t tick = strtoull(ticks[i], NULL, 10);
        const bool recorded = tick % 50 == 0 || tick == 320;
        assert_non_null(strstr(output, recorded ? "\"source\":\"recorded\"" : "\"source\":\"simulated\""));
    }
    assert_int_equal(replay("info", path_of("all.isr"), "--tick", "321", NULL), 2);
}

static void test_dump_writes_commands_of_the_ticks_asked_for(void **state) {
    (void)state;
    writer w = {0};
    make_recording(&w, path_of("right.isr"), 320);
    const char *const arguments[] = {"dump", path_of("right.isr"), "--from", "1", "--to", "7", NULL};
    assert_int_equal(e2e_run(E2E_REPLAY, arguments, output, sizeof output), 0);
    assert_non_null(strstr(output, "JOIN slot 0 generation 1"));
    assert_non_null(strstr(output, "slot 0 sequence 4 SET_CONTROL 0040000001000000"));
    assert_non_null(strstr(output, "slot 0 sequence 15 SPAWN_BODY DYNAMIC position 7.00000 8.00000"));
    assert_non_null(strstr(output, "tick 7 root"));
    assert_null(strstr(output, "tick 8 root"));
}

static void test_simulate_is_repeatable_and_records_what_it_did(void **state) {
    (void)state;
    const char *const arguments[] = {"simulate", "stack",          "--ticks",       "700",
                                     "--trace",  path_of("a.csv"), "--trace-every", "350",
                                     "--record", path_of("a.isr"), "--json",        NULL};
    assert_int_equal(e2e_run(E2E_REPLAY, arguments, output, sizeof output), 0);
    assert_int_equal(number_after("\"last_tick\":"), 700);
    char hash[40];
    snprintf(hash, sizeof hash, "%.30s", strstr(output, "\"last_hash\":"));
    assert_int_equal(replay("verify", path_of("a.isr"), "--json", NULL, NULL), 0);
    assert_non_null(strstr(output, hash));
    assert_int_equal(number_after("\"roots\":"), 700);
    assert_int_equal(replay("simulate", "stack", "--ticks", "700", "--json"), 0);
    assert_non_null(strstr(output, hash));
    FILE *trace = fopen(path_of("a.csv"), "r");
    assert_non_null(trace);
    char line[256];
    uint32_t rows = 0;
    assert_non_null(fgets(line, sizeof line, trace));
    assert_string_equal(line, "tick,body,name,x,y,angle,vx,vy,w\n");
    while (fgets(line, sizeof line, trace) != NULL) {
        rows++;
    }
    fclose(trace);
    assert_int_equal(rows, 3 * 11); // ticks 0, 350, 700; ground and ten boxes
}

static void test_scene_that_is_wrong_leaves_no_recording(void **state) {
    (void)state;
    FILE *scene = fopen(path_of("bad.json"), "w");
    fputs("{\"format\": 1, \"name\": \"bad\", \"bodies\": 7}", scene);
    fclose(scene);
    const char *const arguments[] = {"simulate", path_of("bad.json"), "--ticks", "5",
                                     "--record", path_of("b.isr"),    NULL};
    assert_int_equal(e2e_run(E2E_REPLAY, arguments, output, sizeof output), 3);
    assert_non_null(strstr(output, "/bodies"));
    assert_int_equal(access(path_of("b.isr"), F_OK), -1);
    assert_int_equal(access(path_of("b.isr.part"), F_OK), -1);
}

static void test_wrong_usage_is_told(void **state) {
    (void)state;
    assert_int_equal(replay(NULL, NULL, NULL, NULL, NULL), 2);
    assert_int_equal(replay("nothing", NULL, NULL, NULL, NULL), 2);
    assert_int_equal(replay("verify", NULL, NULL, NULL, NULL), 2);
    assert_int_equal(replay("verify", "a", "b", NULL, NULL), 2);
    assert_int_equal(replay("verify", "--nothing", "a", NULL, NULL), 2);
    assert_int_equal(replay("info", "a", "--tick", "x", NULL), 2);
    assert_int_equal(replay("info", "a", "--tick", "-1", NULL), 2);
    assert_int_equal(replay("simulate", "stack", NULL, NULL, NULL), 2);
    assert_int_equal(replay("simulate", "stack", "--ticks", "1.5", NULL), 2);
    assert_int_equal(replay("simulate", "no-such-scene", "--ticks", "1", NULL), 3);
    static const char *const subcommands[] = {"verify", "info", "dump", "simulate", "--help"};
    for (size_t i = 0; i < sizeof subcommands / sizeof subcommands[0]; i++) {
        assert_int_equal(replay(subcommands[i], "--help", NULL, NULL, NULL), 0);
        assert_non_null(strstr(output, "Usage: isostep-replay"));
    }
}

static int set_up(void **state) {
    (void)state;
    e2e_limit_seconds(110);
    e2e_folder_make(folder);
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    e2e_folder_remove(folder);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_verify_agrees_with_a_right_recording),
        cmocka_unit_test(test_verify_follows_roots_that_trail_and_are_rare),
        cmocka_unit_test(test_verify_finds_a_changed_command_where_it_stands),
        cmocka_unit_test(test_verify_finds_a_wrong_root_and_a_wrong_keyframe),
        cmocka_unit_test(test_damaged_recordings_are_unreadable_with_offset_and_tick),
        cmocka_unit_test(test_info_names_a_root_that_the_file_does_not_hold),
        cmocka_unit_test(test_dump_writes_commands_of_the_ticks_asked_for),
        cmocka_unit_test(test_simulate_is_repeatable_and_records_what_it_did),
        cmocka_unit_test(test_scene_that_is_wrong_leaves_no_recording),
        cmocka_unit_test(test_wrong_usage_is_told),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
