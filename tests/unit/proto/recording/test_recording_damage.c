/// Recordings that were torn, damaged or made to harm: every cut, every flipped bit, every hostile size.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "recording_repair.h"
#include "recording_sample.h"

static void test_end_cut_at_every_byte_keeps_the_whole_ticks(void **state) {
    (void)state;
    sample s;
    sample_make(&s);
    sample_keyframe(&s, 140, 3000);
    for (int i = 0; i < 60; ++i) {
        sample_tick(&s, 1, 0);
    }
    sample_seal(&s);
    const uint64_t end = s.size;
    assert_true(end > 4096 + 1000);
    for (uint64_t size = end - 1; size >= end - 4096; --size) {
        iso_recording recording;
        iso_recording_error error;
        assert_int_equal(open_copy(s.bytes, size, ISO_RECORDING_TORN, &recording, &error), ISO_OK);
        assert_int_equal(recording.last_tick, last_whole_tick(&s, size));
        assert_true(recording.size <= size && recording.size >= s.tick_end[recording.last_tick % 4096]);
        assert_int_equal(open_copy(s.bytes, size, ISO_RECORDING_STRICT, &recording, &error), ISO_ERR_TRUNCATED);
        assert_true(error.offset <= size);
    }
    sample_free(&s);
}

static void test_cut_before_the_first_keyframe_is_whole_leaves_nothing(void **state) {
    (void)state;
    sample s;
    sample_make(&s);
    const uint64_t first_end = s.frame_at[3];
    for (uint64_t size = 0; size < first_end; ++size) {
        for (int mode = ISO_RECORDING_STRICT; mode <= ISO_RECORDING_SALVAGE; ++mode) {
            iso_recording recording;
            iso_recording_error error;
            assert_int_equal(open_copy(s.bytes, size, (iso_recording_mode)mode, &recording, &error), ISO_ERR_TRUNCATED);
        }
    }
    sample_free(&s);
}

static void test_every_flipped_bit_is_corruption_where_it_stands(void **state) {
    (void)state;
    sample s;
    sample_make(&s);
    sample_seal(&s);
    for (uint64_t at = 0; at < s.size; ++at) {
        for (uint32_t bit = (uint32_t)at % 3; bit < 8; bit += 3) {
            s.bytes[at] ^= (uint8_t)(1u << bit);
            iso_recording recording;
            iso_recording_error error;
            const iso_status status = iso_recording_open(&recording, s.bytes, s.size, ISO_RECORDING_STRICT, &error);
            assert_int_equal(status, at < 8 ? ISO_ERR_VERSION : ISO_ERR_CORRUPT);
            assert_int_equal(error.offset, frame_of(&s, at));
            assert_int_equal(error.tick, at < s.frame_at[2] ? (at < s.frame_at[1] ? 0 : error.tick)
                                                            : last_whole_tick(&s, error.offset));
            // Nothing before the frame is lost, and nothing behind it is believed.
            const iso_status salvaged = iso_recording_open(&recording, s.bytes, s.size, ISO_RECORDING_SALVAGE, &error);
            if (at >= s.frame_at[3]) {
                assert_int_equal(salvaged, ISO_OK);
                assert_int_equal(error.status, ISO_ERR_CORRUPT);
                assert_int_equal(recording.last_tick, last_whole_tick(&s, error.offset));
            } else {
                assert_int_not_equal(salvaged, ISO_OK);
            }
            s.bytes[at] ^= (uint8_t)(1u << bit);
        }
    }
    sample_free(&s);
}

static void test_end_of_zeros_is_torn(void **state) {
    (void)state;
    // A file system may have given a file its size before its last blocks were written.
    sample s;
    sample_make(&s);
    memset(s.bytes + s.size, 0, 100000);
    iso_recording recording;
    iso_recording_error error;
    assert_int_equal(open_copy(s.bytes, s.size + 100000, ISO_RECORDING_TORN, &recording, &error), ISO_OK);
    assert_int_equal(recording.last_tick, 140);
    assert_int_equal(recording.size, s.size);
    memset(s.bytes + s.size - 10, 0, 10);
    assert_int_equal(open_copy(s.bytes, s.size + 100000, ISO_RECORDING_TORN, &recording, &error), ISO_OK);
    assert_int_equal(recording.last_tick, 139);
    sample_free(&s);
}

static void test_other_files_and_versions_are_told_apart(void **state) {
    (void)state;
    sample s;
    iso_recording recording;
    iso_recording_error error;
    sample_make(&s);
    sample_seal(&s);
    assert_int_equal(open_copy((const uint8_t *)"hello, this is text", 19, ISO_RECORDING_STRICT, &recording, &error),
                     ISO_ERR_VERSION);
    assert_int_equal(open_copy((const uint8_t *)"hello", 5, ISO_RECORDING_TORN, &recording, &error), ISO_ERR_VERSION);
    iso__recording_writer writer = {.bytes = s.bytes + 8, .capacity = 8};
    iso__write_uint(&writer, ISO_RECORDING_VERSION_MAX + 1, 4);
    iso__write_uint(&writer, iso_crc32c(0, s.bytes, 12), 4);
    for (int mode = ISO_RECORDING_STRICT; mode <= ISO_RECORDING_SALVAGE; ++mode) {
        assert_int_equal(open_copy(s.bytes, s.size, (iso_recording_mode)mode, &recording, &error), ISO_ERR_VERSION);
    }
    sample_free(&s);
}

/// Appends a frame with a right checksum, whatever it holds.
static void append_frame(sample *s, uint8_t type, uint8_t flags, const uint8_t *payload, size_t size) {
    iso__recording_writer writer = {.bytes = s->bytes + s->size, .capacity = SAMPLE_CAPACITY - s->size};
    const size_t start = iso__frame_begin(&writer, type, flags);
    iso__write_bytes(&writer, payload, size);
    iso__frame_end(&writer, start, SAMPLE_CAPACITY, &s->chain);
    sample_took(s, writer.size);
}

/// What stands in `payload` is corruption at its frame, with good ones or nothing behind it.
static void check_frame_is_refused(uint8_t type, uint8_t flags, const iso__recording_writer *payload) {
    assert_false(payload->has_failed);
    for (int ticks_behind = 0; ticks_behind < 2; ++ticks_behind) {
        sample s;
        sample_make(&s);
        const uint64_t at = s.size;
        append_frame(&s, type, flags, payload->bytes, payload->size);
        if (ticks_behind > 0) {
            sample_tick(&s, 0, 0);
        }
        iso_recording recording;
        iso_recording_error error;
        assert_int_equal(open_copy(s.bytes, s.size, ISO_RECORDING_STRICT, &recording, &error), ISO_ERR_CORRUPT);
        assert_int_equal(error.offset, at);
        assert_int_equal(error.tick, 140);
        assert_int_equal(open_copy(s.bytes, s.size, ISO_RECORDING_TORN, &recording, &error), ISO_ERR_CORRUPT);
        assert_int_equal(open_copy(s.bytes, s.size, ISO_RECORDING_SALVAGE, &recording, &error), ISO_OK);
        assert_int_equal(recording.last_tick, 140);
        sample_free(&s);
    }
}

static uint8_t payload_bytes[4096];

static iso__recording_writer payload_begin(void) {
    return (iso__recording_writer){.bytes = payload_bytes, .capacity = sizeof payload_bytes};
}

static void write_tick_head(iso__recording_writer *payload, uint64_t tick) {
    *payload = payload_begin();
    iso__write_varint(payload, tick);
}

static void test_ticks_out_of_order_or_form_are_refused(void **state) {
    (void)state;
    iso__recording_writer payload;
    const uint64_t wrong_ticks[] = {0, 1, 100, 139, 140, 142, UINT64_C(1) << 53, UINT64_MAX};
    for (size_t i = 0; i < sizeof wrong_ticks / sizeof wrong_ticks[0]; ++i) {
        write_tick_head(&payload, wrong_ticks[i]);
        check_frame_is_refused(ISO_RECORDING_TICK, 0, &payload);
    }
    write_tick_head(&payload, 141);
    iso__write_uint(&payload, 0, 1); // a byte too many
    check_frame_is_refused(ISO_RECORDING_TICK, 0, &payload);
    write_tick_head(&payload, 141); // a root is missing
    check_frame_is_refused(ISO_RECORDING_TICK, 1, &payload);
    const uint64_t wrong_lags[] = {0, 1, 2, 41, 42, 141, 142, UINT64_MAX}; // of 140 there is a root already
    for (size_t i = 0; i < sizeof wrong_lags / sizeof wrong_lags[0]; ++i) {
        write_tick_head(&payload, 141);
        iso__write_varint(&payload, wrong_lags[i]);
        iso__write_uint(&payload, 1, 8);
        check_frame_is_refused(ISO_RECORDING_TICK, 3, &payload);
    }
    const uint64_t wrong_counts[] = {0, ISO_TICK_CHANGES_MAX + 1, UINT32_MAX, UINT64_MAX};
    for (size_t i = 0; i < sizeof wrong_counts / sizeof wrong_counts[0]; ++i) {
        for (uint8_t flags = ISO__RECORDING_TICK_CHANGES; flags <= ISO__RECORDING_TICK_COMMANDS;
             flags = (uint8_t)(flags * 2)) {
            write_tick_head(&payload, 141);
            iso__write_varint(&payload, flags == ISO__RECORDING_TICK_COMMANDS && i == 1 ? ISO_TICK_COMMANDS_MAX + 1
                                                                                        : wrong_counts[i]);
            check_frame_is_refused(ISO_RECORDING_TICK, flags, &payload);
        }
    }
}

static void write_command(iso__recording_writer *payload, uint8_t slot, uint64_t sequence, size_t size) {
    iso__write_uint(payload, slot, 1);
    iso__write_varint(payload, sequence);
    iso__write_uint(payload, 0, 1);
    iso__write_varint(payload, size);
    const uint8_t set_control[3] = {ISO_COMMAND_SET_CONTROL, 1, 0};
    iso__write_bytes(payload, set_control, sizeof set_control);
}

static void test_changes_and_commands_out_of_order_or_form_are_refused(void **state) {
    (void)state;
    iso__recording_writer payload;
    static const struct {
        uint8_t slots[2];
        uint64_t sequences[2];
        size_t size;
    } commands[] = {
        {{3, 3}, {7, 7}, 3},                 // twice the same
        {{3, 3}, {7, 6}, 3},                 // falling
        {{3, 2}, {7, 8}, 3},                 // a lower slot behind a higher one
        {{3, 32}, {7, 8}, 3},                // no such slot
        {{3, 4}, {7, UINT64_C(1) << 53}, 3}, // beyond 2^53
        {{3, 4}, {7, 8}, 2},                 // shorter than it is
        {{3, 4}, {7, 8}, 4},                 // longer than it is
        {{3, 4}, {7, 8}, 0},                 // nothing
        {{3, 4}, {7, 8}, ISO_COMMAND_SIZE_MAX + 1},
        {{3, 4}, {7, 8}, SIZE_MAX},
    };
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; ++i) {
        write_tick_head(&payload, 141);
        iso__write_varint(&payload, 2);
        for (int k = 0; k < 2; ++k) {
            write_command(&payload, commands[i].slots[k], commands[i].sequences[k], commands[i].size);
        }
        check_frame_is_refused(ISO_RECORDING_TICK, ISO__RECORDING_TICK_COMMANDS, &payload);
    }
    static const uint8_t changes[][2] = {{0, 1}, {5, 1}, {255, 1}, {1, 32}, {2, 255}};
    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; ++i) {
        write_tick_head(&payload, 141);
        iso__write_varint(&payload, 1);
        iso__write_bytes(&payload, changes[i], 2);
        iso__write_varint(&payload, 1);
        check_frame_is_refused(ISO_RECORDING_TICK, ISO__RECORDING_TICK_CHANGES, &payload);
    }
}

static void write_keyframe(iso__recording_writer *payload, uint64_t tick, uint64_t raw_size, uint64_t stored_size,
                           uint64_t ticks_offset, size_t bytes) {
    *payload = payload_begin();
    iso__write_varint(payload, tick);
    iso__write_uint(payload, 1, 8);
    iso__write_varint(payload, raw_size);
    iso__write_varint(payload, stored_size);
    iso__write_varint(payload, ticks_offset);
    for (size_t i = 0; i < bytes; ++i) {
        iso__write_uint(payload, 7, 1);
    }
}

static void test_keyframes_with_wrong_sizes_or_places_are_refused(void **state) {
    (void)state;
    sample s;
    sample_make(&s);
    const uint64_t end_of_140 = s.tick_end[140];
    const uint64_t end_of_110 = s.tick_end[110];
    sample_free(&s);
    const uint64_t too_large = (uint64_t)ISO_RECORDING_SNAPSHOT_SIZE_MAX + 1;
    iso__recording_writer payload;
    write_keyframe(&payload, 140, 0, 10, end_of_140, 10);
    check_frame_is_refused(ISO_RECORDING_KEYFRAME, 0, &payload);
    write_keyframe(&payload, 140, too_large, 10, end_of_140, 10);
    check_frame_is_refused(ISO_RECORDING_KEYFRAME, 0, &payload);
    write_keyframe(&payload, 140, 10, too_large, end_of_140, 10);
    check_frame_is_refused(ISO_RECORDING_KEYFRAME, 0, &payload);
    write_keyframe(&payload, 140, 10, 9, end_of_140, 10);
    check_frame_is_refused(ISO_RECORDING_KEYFRAME, 0, &payload);
    write_keyframe(&payload, 140, 10, 10, end_of_140, 0);
    check_frame_is_refused(ISO_RECORDING_KEYFRAME, 0, &payload);
    write_keyframe(&payload, 141, 10, 10, end_of_140, 10); // of the future
    check_frame_is_refused(ISO_RECORDING_KEYFRAME, 0, &payload);
    write_keyframe(&payload, 141, 10, 10, 0, 10); // of the future, where no tick has ended yet
    check_frame_is_refused(ISO_RECORDING_KEYFRAME, 0, &payload);
    write_keyframe(&payload, 110, 10, 10, end_of_110, 10); // before the last one
    check_frame_is_refused(ISO_RECORDING_KEYFRAME, 0, &payload);
    write_keyframe(&payload, 140, 10, 10, end_of_140 - 1, 10);
    check_frame_is_refused(ISO_RECORDING_KEYFRAME, 0, &payload);
    write_keyframe(&payload, 140, 10, 10, UINT64_MAX, 10);
    check_frame_is_refused(ISO_RECORDING_KEYFRAME, 0, &payload);
    payload = payload_begin();
    iso__write_uint(&payload, 0, 8);
    check_frame_is_refused(ISO_RECORDING_CHUNK, 0, &payload); // of no keyframe
    check_frame_is_refused(ISO_RECORDING_HEADER, 0, &payload);
    check_frame_is_refused(ISO_RECORDING_EVENT, 0, &payload);
    check_frame_is_refused(ISO_RECORDING_FOOTER, 0, &payload);
    check_frame_is_refused(ISO_RECORDING_MARK, 0, &payload);
}

static void test_unfinished_keyframe_is_followed_by_nothing_but_chunks(void **state) {
    (void)state;
    sample s;
    sample_make(&s);
    iso__recording_writer payload;
    write_keyframe(&payload, 140, 100, 100, s.tick_end[140], 10);
    append_frame(&s, ISO_RECORDING_KEYFRAME, 0, payload.bytes, payload.size);
    iso_recording recording;
    iso_recording_error error;
    // At the end of a file it is torn off; before a tick it is corruption.
    assert_int_equal(open_copy(s.bytes, s.size, ISO_RECORDING_TORN, &recording, &error), ISO_OK);
    assert_int_equal(recording.size, s.tick_end[140]);
    const uint64_t at = s.size;
    const iso_recording_chain chain = s.chain;
    sample_tick(&s, 0, 0);
    assert_int_equal(open_copy(s.bytes, s.size, ISO_RECORDING_TORN, &recording, &error), ISO_ERR_CORRUPT);
    assert_int_equal(error.offset, at);
    s.size = at;
    s.chain = chain;
    append_frame(&s, ISO_RECORDING_CHUNK, 0, payload_bytes, 91); // one byte too many
    assert_int_equal(open_copy(s.bytes, s.size, ISO_RECORDING_TORN, &recording, &error), ISO_ERR_CORRUPT);
    s.size = at;
    s.chain = chain;
    append_frame(&s, ISO_RECORDING_CHUNK, 0, payload_bytes, 0);
    assert_int_equal(open_copy(s.bytes, s.size, ISO_RECORDING_TORN, &recording, &error), ISO_ERR_CORRUPT);
    sample_free(&s);
}

static void test_compressed_state_of_another_size_is_refused(void **state) {
    (void)state;
    // A small frame that unpacks to much: nothing beyond the stated size may be written.
    uint8_t *raw = calloc(1, 1 << 20);
    uint8_t stored[4096];
    const size_t stored_size = iso_compress(raw, 1 << 20, stored, sizeof stored);
    assert_true(stored_size > 0);
    const uint32_t wrong_sizes[] = {1, 1000, (1 << 20) - 1, (1 << 20) + 1};
    for (size_t i = 0; i <= sizeof wrong_sizes / sizeof wrong_sizes[0]; ++i) {
        const bool right = i == sizeof wrong_sizes / sizeof wrong_sizes[0];
        sample s;
        sample_begin(&s, 0);
        const iso_recording_keyframe keyframe = {
            .raw_size = right ? 1 << 20 : wrong_sizes[i], .stored_size = (uint32_t)stored_size, .ticks_offset = s.size};
        sample_took(&s, iso_recording_encode_keyframe(&keyframe, stored, &s.chain, s.bytes + s.size, 8192));
        iso_recording recording;
        iso_recording_error error;
        assert_int_equal(iso_recording_open(&recording, s.bytes, s.size, ISO_RECORDING_TORN, &error), ISO_OK);
        iso_recording_keyframe found;
        iso_recording_find_keyframe(&recording, 0, &found);
        uint8_t *out = malloc(found.raw_size);
        assert_int_equal(iso_recording_load_keyframe(&recording, &found, out), right ? ISO_OK : ISO_ERR_CORRUPT);
        free(out);
        sample_free(&s);
    }
    free(raw);
}

/// A bad head makes a bad frame, whatever its checksum says: a torn end, or corruption when it was durable.
static void check_head_is_refused(uint8_t type, uint8_t flags, const uint8_t *payload, size_t size) {
    sample s;
    sample_make(&s);
    const uint64_t at = s.size;
    append_frame(&s, type, flags, payload, size);
    sample_tick(&s, 0, 0);
    iso_recording recording;
    iso_recording_error error;
    assert_int_equal(open_copy(s.bytes, s.size, ISO_RECORDING_STRICT, &recording, &error), ISO_ERR_TRUNCATED);
    assert_int_equal(error.offset, at);
    sample_mark(&s, 141);
    assert_int_equal(open_copy(s.bytes, s.size, ISO_RECORDING_STRICT, &recording, &error), ISO_ERR_CORRUPT);
    assert_int_equal(error.offset, at);
    assert_int_equal(open_copy(s.bytes, s.size, ISO_RECORDING_TORN, &recording, &error), ISO_ERR_CORRUPT);
    sample_free(&s);
}

static void test_unknown_types_flags_and_sizes_are_refused(void **state) {
    (void)state;
    uint8_t *payload = calloc(1, ISO_RECORDING_PAYLOAD_SIZE_MAX + 1);
    iso__recording_writer tick;
    write_tick_head(&tick, 141);
    for (uint32_t bit = 4; bit < 8; ++bit) {
        check_head_is_refused(ISO_RECORDING_TICK, (uint8_t)(1u << bit), tick.bytes, tick.size);
    }
    check_head_is_refused(0, 0, tick.bytes, tick.size);
    check_head_is_refused(ISO_RECORDING_MARK + 1, 0, tick.bytes, tick.size);
    // The sample's keyframe of these bytes would be sound but for its size.
    iso__recording_writer keyframe;
    const size_t size = ISO_RECORDING_PAYLOAD_SIZE_MAX + 1;
    sample s;
    sample_make(&s);
    write_keyframe(&keyframe, 140, 10, size, s.tick_end[140], 0);
    write_keyframe(&keyframe, 140, 10, size - keyframe.size, s.tick_end[140], 0);
    sample_free(&s);
    memcpy(payload, keyframe.bytes, keyframe.size);
    check_head_is_refused(ISO_RECORDING_KEYFRAME, 0, payload, size);
    free(payload);
}

static void test_nothing_stands_before_the_first_keyframe(void **state) {
    (void)state;
    for (int kind = 0; kind < 3; ++kind) {
        sample s;
        sample_begin(&s, 100);
        const uint64_t at = s.size;
        if (kind == 0) {
            sample_tick(&s, 0, 0);
        } else if (kind == 1) {
            sample_event(&s);
        } else {
            sample_seal(&s);
        }
        sample_keyframe(&s, 100, 100);
        for (int mode = ISO_RECORDING_STRICT; mode <= ISO_RECORDING_SALVAGE; ++mode) {
            iso_recording recording;
            iso_recording_error error;
            assert_int_equal(open_copy(s.bytes, s.size, (iso_recording_mode)mode, &recording, &error), ISO_ERR_CORRUPT);
            assert_int_equal(error.offset, at);
        }
        sample_free(&s);
    }
}

static void test_first_root_is_not_of_a_tick_before_the_recording(void **state) {
    (void)state;
    for (uint64_t lag = 1; lag <= 2; ++lag) {
        sample s;
        sample_begin(&s, 100);
        sample_keyframe(&s, 100, 100);
        const iso_recording_tick tick = {.input = {.tick = 101}, .has_root = true, .hashed_tick = 101 - lag};
        sample_took(&s, iso_recording_encode_tick(&tick, &s.chain, s.bytes + s.size, 100));
        iso_recording recording;
        iso_recording_error error;
        assert_int_equal(open_copy(s.bytes, s.size, ISO_RECORDING_TORN, &recording, &error),
                         lag == 1 ? ISO_OK : ISO_ERR_CORRUPT);
        sample_free(&s);
    }
}

static void test_second_trailer_is_too_much(void **state) {
    (void)state;
    sample s;
    iso_recording recording;
    iso_recording_error error;
    sample_make(&s);
    sample_seal(&s);
    memcpy(s.bytes + s.size, s.bytes + s.size - ISO_RECORDING_TRAILER_SIZE, ISO_RECORDING_TRAILER_SIZE);
    s.size += ISO_RECORDING_TRAILER_SIZE;
    assert_int_equal(open_copy(s.bytes, s.size, ISO_RECORDING_STRICT, &recording, &error), ISO_ERR_CORRUPT);
    assert_int_equal(error.offset, s.size - 2 * ISO_RECORDING_TRAILER_SIZE);
    sample_free(&s);
}

static void test_footer_must_fit_its_file(void **state) {
    (void)state;
    for (int wrong = 0; wrong < 8; ++wrong) {
        sample s;
        sample_make(&s);
        iso_recording_index_entry entries[4] = {s.index[0], s.index[1]};
        iso_recording_footer footer = {.last_tick = 140,
                                       .has_root = true,
                                       .root_tick = 140,
                                       .root = sample_root(140),
                                       .entries = entries,
                                       .entry_count = 2};
        uint64_t offset = s.size;
        footer.last_tick += wrong == 1;
        footer.root_tick -= wrong == 2;
        footer.root += wrong == 3;
        entries[1].tick += wrong == 4;
        entries[1].offset += wrong == 5 ? 1 : 0;
        entries[1].offset = wrong == 6 ? UINT32_MAX : entries[1].offset;
        offset -= wrong == 7;
        s.size += iso_recording_encode_end(&footer, offset, &s.chain, s.bytes + s.size, 1000);
        iso_recording recording;
        iso_recording_error error;
        const iso_status expected = wrong == 0 ? ISO_OK : ISO_ERR_CORRUPT;
        assert_int_equal(open_copy(s.bytes, s.size, ISO_RECORDING_STRICT, &recording, &error), expected);
        assert_int_equal(open_copy(s.bytes, s.size, ISO_RECORDING_TORN, &recording, &error), expected);
        // A byte behind the trailer is too much.
        s.bytes[s.size] = 0;
        assert_int_equal(open_copy(s.bytes, s.size + 1, ISO_RECORDING_STRICT, &recording, &error), ISO_ERR_CORRUPT);
        sample_free(&s);
    }
}

static void test_header_with_wrong_contents_is_refused(void **state) {
    (void)state;
    sample s;
    sample_make(&s);
    sample_seal(&s);
    const uint64_t start = s.frame_at[1];
    const size_t covered = (size_t)(s.frame_at[2] - start - 4);
    // The scene's text and hash, and the size of the scene before the text.
    const size_t scene = covered - (sizeof SAMPLE_SCENE - 1);
    const size_t places[] = {ISO_RECORDING_FRAME_HEAD_SIZE, scene, scene - 4, scene - 2, scene - 1, scene - 12};
    for (size_t i = 0; i < sizeof places / sizeof places[0]; ++i) {
        uint8_t *at = s.bytes + start + places[i];
        *at ^= 0x40;
        recording_repair(s.bytes, (size_t)s.size);
        for (int mode = ISO_RECORDING_STRICT; mode <= ISO_RECORDING_SALVAGE; ++mode) {
            iso_recording recording;
            iso_recording_error error;
            assert_int_equal(open_copy(s.bytes, s.size, (iso_recording_mode)mode, &recording, &error), ISO_ERR_CORRUPT);
            assert_int_equal(error.offset, start);
        }
        *at ^= 0x40;
    }
    sample_free(&s);
}

/// Reads all that an open file gives.
static void read_everything(const iso_recording *recording) {
    static iso_recording_tick_buffer buffer;
    uint64_t offset = recording->frames_offset;
    iso_recording_frame frame;
    while (iso_recording_next(recording, &offset, &frame)) {
        iso_recording_tick tick;
        iso_recording_event event;
        iso_recording_keyframe keyframe;
        if (frame.type == ISO_RECORDING_TICK) {
            assert_int_equal(iso_recording_read_tick(&frame, &buffer, &tick), ISO_OK);
        } else if (frame.type == ISO_RECORDING_EVENT) {
            assert_int_equal(iso_recording_read_event(&frame, &event), ISO_OK);
        } else if (frame.type == ISO_RECORDING_KEYFRAME) {
            assert_int_equal(iso_recording_read_keyframe(&frame, &keyframe), ISO_OK);
            uint8_t *out = malloc(keyframe.raw_size);
            const iso_status status = iso_recording_load_keyframe(recording, &keyframe, out);
            assert_true(status == ISO_OK || status == ISO_ERR_CORRUPT);
            free(out);
        }
    }
}

static void test_damage_with_right_checksums_never_crashes(void **state) {
    (void)state;
    sample s;
    sample_make(&s);
    sample_seal(&s);
    uint8_t *whole = malloc((size_t)s.size);
    memcpy(whole, s.bytes, (size_t)s.size);
    uint64_t random = 12345;
    uint32_t opened = 0;
    for (uint32_t round = 0; round < 20000; ++round) {
        random = random * UINT64_C(6364136223846793005) + 1442695040888963407;
        const uint32_t frame = 1 + (uint32_t)(random >> 33) % (s.frame_count - 2);
        const uint64_t start = s.frame_at[frame];
        const uint64_t covered = s.frame_at[frame + 1] - start - 4;
        for (uint32_t k = 0; k <= (random >> 20) % 3; ++k) {
            random = random * UINT64_C(6364136223846793005) + 1442695040888963407;
            s.bytes[start + (random >> 33) % covered] = (uint8_t)(random >> 25);
        }
        recording_repair(s.bytes, (size_t)s.size);
        iso_recording recording;
        iso_recording_error error;
        if (iso_recording_open(&recording, s.bytes, s.size, ISO_RECORDING_SALVAGE, &error) == ISO_OK) {
            read_everything(&recording);
            ++opened;
        }
        memcpy(s.bytes, whole, (size_t)s.size);
    }
    assert_true(opened > 1000);
    free(whole);
    sample_free(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_end_cut_at_every_byte_keeps_the_whole_ticks),
        cmocka_unit_test(test_cut_before_the_first_keyframe_is_whole_leaves_nothing),
        cmocka_unit_test(test_every_flipped_bit_is_corruption_where_it_stands),
        cmocka_unit_test(test_end_of_zeros_is_torn),
        cmocka_unit_test(test_other_files_and_versions_are_told_apart),
        cmocka_unit_test(test_ticks_out_of_order_or_form_are_refused),
        cmocka_unit_test(test_changes_and_commands_out_of_order_or_form_are_refused),
        cmocka_unit_test(test_keyframes_with_wrong_sizes_or_places_are_refused),
        cmocka_unit_test(test_unfinished_keyframe_is_followed_by_nothing_but_chunks),
        cmocka_unit_test(test_compressed_state_of_another_size_is_refused),
        cmocka_unit_test(test_unknown_types_flags_and_sizes_are_refused),
        cmocka_unit_test(test_nothing_stands_before_the_first_keyframe),
        cmocka_unit_test(test_first_root_is_not_of_a_tick_before_the_recording),
        cmocka_unit_test(test_second_trailer_is_too_much),
        cmocka_unit_test(test_footer_must_fit_its_file),
        cmocka_unit_test(test_header_with_wrong_contents_is_refused),
        cmocka_unit_test(test_damage_with_right_checksums_never_crashes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
