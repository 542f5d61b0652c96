/// Recordings: what is written comes back, and a sound file opens in the ways it should.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "recording_repair.h"
#include "recording_sample.h"

static void open_strictly(const sample *s, iso_recording *recording) {
    iso_recording_error error;
    assert_int_equal(iso_recording_open(recording, s->bytes, s->size, ISO_RECORDING_STRICT, &error), ISO_OK);
    assert_int_equal(error.status, ISO_OK);
}

static void test_header_comes_back(void **state) {
    (void)state;
    sample s;
    iso_recording recording;
    sample_make(&s);
    sample_seal(&s);
    open_strictly(&s, &recording);
    const iso_recording_header expected = sample_header();
    const iso_recording_header *header = &recording.header;
    assert_string_equal(header->build, expected.build);
    assert_string_equal(header->session, expected.session);
    assert_string_equal(header->scene_name, expected.scene_name);
    assert_memory_equal(header->uid, expected.uid, sizeof expected.uid);
    assert_int_equal(header->epoch, 3);
    assert_int_equal(header->run, SAMPLE_RUN);
    assert_int_equal(header->first_tick, 100);
    assert_int_equal(header->scene_size, sizeof SAMPLE_SCENE - 1);
    assert_memory_equal(header->scene, SAMPLE_SCENE, header->scene_size);
    assert_true(header->scene_hash == iso_recording_scene_hash(SAMPLE_SCENE, sizeof SAMPLE_SCENE - 1));
    assert_true(iso_fingerprint_equal(&header->fingerprint, &expected.fingerprint));
    assert_true(header->fingerprint.game_params == 5);
    assert_memory_equal(&header->def, &expected.def, sizeof expected.def);
    sample_free(&s);
}

// [bytes] of definition and run in the header.
#define DEF_SIZE   (offsetof(iso_world_def, dimensions) + 4)
#define LATER_SIZE 16 // [bytes] of the members that stand behind the run

/// Where their size stands.
static uint64_t find_def(const sample *s) {
    const uint8_t size_and_first[] = {DEF_SIZE, 0, 10, 0, 0, 0, 11};
    uint64_t def = s->frame_at[1];
    while (memcmp(s->bytes + def, size_and_first, sizeof size_and_first) != 0) {
        ++def;
    }
    return def;
}

/// Opens the sample with a definition and a run that are longer or shorter by so many bytes.
static void open_with_def_of(int more, iso_recording *recording, sample *s) {
    sample_make(s);
    const uint64_t start = s->frame_at[1], def = find_def(s);
    const uint64_t end = def + 2 + DEF_SIZE;
    memmove(s->bytes + end + more, s->bytes + end, s->size - end);
    for (int i = 0; i < more; ++i) {
        s->bytes[end + (uint64_t)i] = 0xEE;
    }
    s->bytes[def] = (uint8_t)((int)DEF_SIZE + more);
    const uint64_t payload = s->frame_at[2] - start - ISO_RECORDING_FRAME_EXTRA_SIZE + (uint64_t)more;
    s->bytes[start + 2] = (uint8_t)payload;
    s->bytes[start + 3] = (uint8_t)(payload >> 8);
    recording_repair(s->bytes, (size_t)(s->frame_at[2] + (uint64_t)more));
    iso_recording_error error;
    iso_recording_open(recording, s->bytes, s->frame_at[2] + (uint64_t)more, ISO_RECORDING_TORN, &error);
    assert_int_equal(error.status, ISO_ERR_TRUNCATED); // for want of a keyframe: the header was read
}

static void test_header_of_another_build_s_definition_is_read(void **state) {
    (void)state;
    for (int more = -LATER_SIZE - 8; more <= 12; more += 4) {
        sample s;
        iso_recording recording;
        open_with_def_of(more, &recording, &s);
        iso_world_def expected = sample_header().def;
        expected.iteration_count = more < -4 ? 0 : expected.iteration_count; // its upper half is 0
        expected.contact_keep_angle = more < -8 ? 0 : expected.contact_keep_angle;
        expected.contact_keep_distance = more < -12 ? 0 : expected.contact_keep_distance;
        expected.kept_body_capacity = more < -LATER_SIZE - 4 ? 0 : expected.kept_body_capacity;
        assert_memory_equal(&recording.header.def, &expected, sizeof expected);
        const uint32_t run = more < -LATER_SIZE ? 3 << 16 : SAMPLE_RUN; // builds before numbered by the epoch
        assert_int_equal(recording.header.run, run);
        assert_string_equal(recording.header.scene_name, "sample");
        sample_free(&s);
    }
}

static void test_header_with_a_run_out_of_range_is_refused(void **state) {
    (void)state;
    sample s;
    sample_make(&s);
    s.bytes[find_def(&s) + 2 + DEF_SIZE - LATER_SIZE - 1] |= 0x80;
    recording_repair(s.bytes, (size_t)s.size);
    iso_recording recording;
    iso_recording_error error;
    assert_int_equal(iso_recording_open(&recording, s.bytes, s.size, ISO_RECORDING_TORN, &error), ISO_ERR_CORRUPT);
    assert_int_equal(error.offset, s.frame_at[1]);
    sample_free(&s);
}

static void check_tick(const iso_recording_tick *tick, uint64_t number) {
    const uint64_t i = number - 101;
    assert_int_equal(tick->input.tick, number);
    assert_true(tick->has_root && tick->hashed_tick == number && tick->root == sample_root(number));
    assert_int_equal(tick->input.change_count, i == 4 ? 3 : 0);
    assert_int_equal(tick->input.command_count, i % 5 == 0 ? i / 5 : 0);
    for (uint32_t k = 0; k < tick->input.change_count; ++k) {
        assert_int_equal(tick->input.changes[k].kind, ISO_CHANGE_RESUME - k % 4);
        assert_int_equal(tick->input.changes[k].slot, k);
        assert_int_equal(tick->input.changes[k].slot_generation, 1000 + k);
    }
    for (uint32_t k = 0; k < tick->input.command_count; ++k) {
        const iso_sealed_command *command = &tick->input.commands[k];
        assert_int_equal(command->slot, 5);
        assert_true(command->sequence == number * 1000 + k);
        assert_int_equal(command->moved, k % 3);
        assert_int_equal(command->command.kind, ISO_COMMAND_SET_CONTROL);
        assert_int_equal(command->command.as.set_control.bytes[0], (uint8_t)number);
        assert_int_equal(command->command.as.set_control.bytes[7], k);
    }
}

static void test_ticks_and_events_come_back(void **state) {
    (void)state;
    sample s;
    iso_recording recording;
    sample_make(&s);
    sample_seal(&s);
    open_strictly(&s, &recording);
    iso_recording_tick_buffer *buffer = malloc(sizeof *buffer);
    uint64_t offset = recording.frames_offset;
    uint64_t ticks = 0, events = 0, keyframes = 0;
    iso_recording_frame frame;
    while (iso_recording_next(&recording, &offset, &frame)) {
        iso_recording_tick tick;
        iso_recording_event event;
        if (frame.type == ISO_RECORDING_TICK) {
            assert_int_equal(iso_recording_read_tick(&frame, buffer, &tick), ISO_OK);
            check_tick(&tick, 101 + ticks++);
        } else if (frame.type == ISO_RECORDING_EVENT) {
            assert_int_equal(iso_recording_read_event(&frame, &event), ISO_OK);
            const iso_recording_event expected = sample_event_value(events++ == 0 ? 103 : 130);
            assert_memory_equal(&event, &expected, sizeof event);
        } else {
            assert_int_equal(frame.type, ISO_RECORDING_KEYFRAME);
            ++keyframes;
        }
    }
    assert_int_equal(ticks, 40);
    assert_int_equal(recording.tick_count, 40);
    assert_int_equal(recording.last_tick, 140);
    assert_int_equal(events, 2);
    assert_int_equal(recording.event_count, 2);
    assert_int_equal(keyframes, 2);
    assert_int_equal(recording.keyframe_count, 2);
    assert_int_equal(recording.command_count, 0 + 1 + 2 + 3 + 4 + 5 + 6 + 7);
    assert_true(recording.is_sealed && !recording.is_degraded && recording.root == sample_root(140));
    free(buffer);
    sample_free(&s);
}

static void test_root_may_trail_its_tick(void **state) {
    (void)state;
    for (uint64_t lag = 0; lag < 6; ++lag) {
        uint8_t bytes[64];
        iso_recording_chain chain = {.version = ISO_RECORDING_VERSION};
        const iso_recording_tick tick = {
            .input = {.tick = 50}, .has_root = lag < 5, .hashed_tick = 50 - lag, .root = 9};
        const size_t size = iso_recording_encode_tick(&tick, &chain, bytes, sizeof bytes);
        const iso_recording_frame frame = {.type = bytes[0],
                                           .flags = bytes[1],
                                           .size = (uint32_t)(size - ISO_RECORDING_FRAME_EXTRA_SIZE),
                                           .payload = bytes + ISO_RECORDING_FRAME_HEAD_SIZE};
        iso_recording_tick back;
        assert_int_equal(iso_recording_read_root(&frame, &back), ISO_OK);
        assert_int_equal(back.has_root, lag < 5);
        assert_int_equal(back.input.tick, 50);
        assert_true(!back.has_root || (back.hashed_tick == 50 - lag && back.root == 9));
    }
}

/// Whether its changes and commands are structs or bytes: the frame is the same, and so is what does not fit.
static void test_sealed_tick_has_the_frame_of_its_input(void **state) {
    (void)state;
    const iso_change changes[2] = {{ISO_CHANGE_JOIN, 3, 300}, {ISO_CHANGE_DROP, 31, 1}};
    iso_sealed_command commands[2] = {{.slot = 1, .sequence = 1u << 20, .moved = 200}, {.slot = 7, .sequence = 1}};
    commands[0].command.kind = commands[1].command.kind = ISO_COMMAND_CUSTOM;
    commands[1].command.as.custom.size = 200;
    for (uint32_t i = 0; i < 16; ++i) {
        const iso_recording_tick tick = {.input = {.tick = 1000,
                                                   .changes = changes,
                                                   .change_count = i % 2 * 2,
                                                   .commands = commands,
                                                   .command_count = i / 2 % 2 * 2},
                                         .has_root = i / 4 % 2 == 0,
                                         .hashed_tick = 1000 - i / 8 * 3,
                                         .root = 77};
        uint8_t frames[2][512], sealed[512];
        iso_recording_chain chains[2] = {{ISO_RECORDING_VERSION, 9}, {ISO_RECORDING_VERSION, 9}};
        const size_t size = iso_recording_encode_tick(&tick, &chains[0], frames[0], sizeof frames[0]);
        const size_t sealed_size = sample_input_bytes(&tick.input, sealed, sizeof sealed);
        iso_recording_tick bare = tick;
        bare.input = (iso_tick_input){.tick = tick.input.tick};
        assert_int_equal(iso_recording_encode_sealed_tick(&bare, sealed, sealed_size, &chains[1], frames[1], size - 1),
                         0);
        assert_int_equal(chains[1].checksum, 9);
        assert_int_equal(iso_recording_encode_sealed_tick(&bare, sealed, sealed_size, &chains[1], frames[1], size),
                         size);
        assert_memory_equal(frames[0], frames[1], size);
        assert_int_equal(chains[0].checksum, chains[1].checksum);
        bare.input.tick = 0;
        assert_int_equal(iso_recording_encode_sealed_tick(&bare, sealed, sealed_size, &chains[1], frames[1], size), 0);
    }
}

static void test_idle_tick_costs_21_bytes(void **state) {
    (void)state;
    // An hour at 60 Hz.
    const iso_recording_tick tick = {
        .input = {.tick = 216000}, .has_root = true, .hashed_tick = 216000, .root = UINT64_MAX};
    uint8_t bytes[64];
    iso_recording_chain chain = {.version = ISO_RECORDING_VERSION};
    assert_int_equal(iso_recording_encode_tick(&tick, &chain, bytes, sizeof bytes), 21);
    assert_int_equal(iso_recording_encode_tick(&tick, &chain, bytes, 20), 0);
}

static void load_and_check(const iso_recording *recording, uint64_t tick, size_t raw_size) {
    iso_recording_keyframe keyframe;
    iso_recording_find_keyframe(recording, tick, &keyframe);
    assert_int_equal(keyframe.tick, tick);
    assert_int_equal(keyframe.raw_size, raw_size);
    assert_true(keyframe.root == sample_root(tick));
    uint8_t *raw = malloc(raw_size);
    assert_int_equal(iso_recording_load_keyframe(recording, &keyframe, raw), ISO_OK);
    for (size_t i = 0; i < raw_size; ++i) {
        assert_int_equal(raw[i], sample_state_byte(tick, i * i));
    }
    free(raw);
}

static void test_keyframe_comes_back_also_when_it_is_late(void **state) {
    (void)state;
    sample s;
    iso_recording recording;
    sample_make(&s);
    sample_seal(&s);
    open_strictly(&s, &recording);
    load_and_check(&recording, 100, 700);
    load_and_check(&recording, 120, 900);
    iso_recording_keyframe keyframe;
    iso_recording_find_keyframe(&recording, 119, &keyframe);
    assert_int_equal(keyframe.tick, 100);
    iso_recording_find_keyframe(&recording, 122, &keyframe);
    assert_int_equal(keyframe.tick, 120);
    // Reading goes on with the tick behind the keyframe's, which stands before it in the file.
    assert_true(keyframe.ticks_offset < keyframe.offset);
    iso_recording_frame frame;
    iso_recording_tick tick;
    uint64_t offset = keyframe.ticks_offset;
    assert_true(iso_recording_next(&recording, &offset, &frame));
    assert_int_equal(iso_recording_read_root(&frame, &tick), ISO_OK);
    assert_int_equal(tick.input.tick, 121);
    sample_free(&s);
}

static void test_large_keyframe_is_stored_in_chunks(void **state) {
    (void)state;
    enum { RAW_SIZE = 5 << 20 };
    // Bytes that cannot be compressed.
    uint8_t *raw = malloc(RAW_SIZE);
    uint64_t random = 1;
    for (size_t i = 0; i < RAW_SIZE; ++i) {
        random = random * UINT64_C(6364136223846793005) + 1442695040888963407;
        raw[i] = (uint8_t)(random >> 56);
    }
    uint8_t *stored = malloc(iso_compress_bound(RAW_SIZE));
    const size_t stored_size = iso_compress(raw, RAW_SIZE, stored, iso_compress_bound(RAW_SIZE));
    assert_true(stored_size > 4 * ISO_RECORDING_PAYLOAD_SIZE_MAX);
    sample s;
    sample_begin(&s, 0);
    const iso_recording_keyframe keyframe = {
        .raw_size = RAW_SIZE, .stored_size = (uint32_t)stored_size, .ticks_offset = s.size};
    const size_t bound = iso_recording_keyframe_bound(stored_size);
    const size_t size = iso_recording_encode_keyframe(&keyframe, stored, &s.chain, s.bytes + s.size, bound);
    assert_true(size > stored_size && size <= bound);
    s.index[s.index_count++] = (iso_recording_index_entry){.tick = 0, .offset = s.size};
    sample_took(&s, size);
    sample_tick(&s, 0, 0);
    sample_seal(&s);
    iso_recording recording;
    open_strictly(&s, &recording);
    assert_int_equal(recording.keyframe_count, 1);
    iso_recording_keyframe found;
    iso_recording_find_keyframe(&recording, 1, &found);
    memset(stored, 0, stored_size);
    assert_int_equal(iso_recording_load_keyframe(&recording, &found, stored), ISO_OK);
    assert_memory_equal(stored, raw, RAW_SIZE);
    free(raw);
    free(stored);
    sample_free(&s);
}

static void test_recording_without_ticks_opens(void **state) {
    (void)state;
    sample s;
    iso_recording recording;
    sample_begin(&s, 42);
    sample_keyframe(&s, 42, 100);
    s.frame_at[s.frame_count] = s.size;
    sample_seal(&s);
    open_strictly(&s, &recording);
    assert_int_equal(recording.tick_count, 0);
    assert_int_equal(recording.last_tick, 42);
    load_and_check(&recording, 42, 100);
    sample_free(&s);
}

static void test_unsealed_recording_opens_only_as_part(void **state) {
    (void)state;
    sample s;
    iso_recording recording;
    iso_recording_error error;
    sample_make(&s);
    assert_int_equal(iso_recording_open(&recording, s.bytes, s.size, ISO_RECORDING_STRICT, &error), ISO_ERR_TRUNCATED);
    assert_int_equal(error.offset, s.size);
    assert_int_equal(error.tick, 140);
    assert_int_equal(iso_recording_open(&recording, s.bytes, s.size, ISO_RECORDING_TORN, &error), ISO_OK);
    assert_false(recording.is_sealed);
    assert_int_equal(recording.size, s.size);
    assert_int_equal(recording.last_tick, 140);
    load_and_check(&recording, 120, 900);
    sample_free(&s);
}

static void test_events_behind_the_last_tick_need_a_footer(void **state) {
    (void)state;
    sample s;
    iso_recording recording;
    iso_recording_error error;
    sample_make(&s);
    const uint64_t committed = s.size;
    sample_event(&s);
    assert_int_equal(iso_recording_open(&recording, s.bytes, s.size, ISO_RECORDING_TORN, &error), ISO_OK);
    assert_int_equal(recording.event_count, 2);
    assert_int_equal(recording.size, committed);
    sample_seal(&s);
    open_strictly(&s, &recording);
    assert_int_equal(recording.event_count, 3);
    sample_free(&s);
}

static void test_writing_refuses_what_is_out_of_bounds(void **state) {
    (void)state;
    uint8_t *bytes = malloc(SAMPLE_CAPACITY);
    iso_recording_chain chain = {.version = ISO_RECORDING_VERSION};
    iso_recording_header header = sample_header();
    header.scene_size = ISO_RECORDING_SCENE_SIZE_MAX + 1;
    assert_int_equal(iso_recording_encode_head(&header, &chain, bytes, SAMPLE_CAPACITY), 0);
    header = sample_header();
    header.run = ISO_RECORDING_RUN_MAX + 1;
    assert_int_equal(iso_recording_encode_head(&header, &chain, bytes, SAMPLE_CAPACITY), 0);
    iso_recording_tick tick = {.input = {.tick = 5}, .has_root = true, .hashed_tick = 6};
    assert_int_equal(iso_recording_encode_tick(&tick, &chain, bytes, SAMPLE_CAPACITY), 0);
    tick.hashed_tick = 5;
    tick.input.command_count = ISO_TICK_COMMANDS_MAX + 1;
    assert_int_equal(iso_recording_encode_tick(&tick, &chain, bytes, SAMPLE_CAPACITY), 0);
    const iso_recording_keyframe keyframe = {.raw_size = ISO_RECORDING_SNAPSHOT_SIZE_MAX + 1, .stored_size = 1};
    assert_int_equal(iso_recording_encode_keyframe(&keyframe, bytes, &chain, bytes, SAMPLE_CAPACITY), 0);
    free(bytes);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_header_comes_back),
        cmocka_unit_test(test_header_of_another_build_s_definition_is_read),
        cmocka_unit_test(test_header_with_a_run_out_of_range_is_refused),
        cmocka_unit_test(test_ticks_and_events_come_back),
        cmocka_unit_test(test_root_may_trail_its_tick),
        cmocka_unit_test(test_sealed_tick_has_the_frame_of_its_input),
        cmocka_unit_test(test_idle_tick_costs_21_bytes),
        cmocka_unit_test(test_keyframe_comes_back_also_when_it_is_late),
        cmocka_unit_test(test_large_keyframe_is_stored_in_chunks),
        cmocka_unit_test(test_recording_without_ticks_opens),
        cmocka_unit_test(test_unsealed_recording_opens_only_as_part),
        cmocka_unit_test(test_events_behind_the_last_tick_need_a_footer),
        cmocka_unit_test(test_writing_refuses_what_is_out_of_bounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
