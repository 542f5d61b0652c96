/// The end of a file that was never sealed: what is a torn end, and what a mark proves to be a loss.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "recording_repair.h"
#include "recording_sample.h"

/// 40 ticks, of which marks have said that those up to 120 and 135 are durable.
static void make_marked(sample *s) {
    sample_begin(s, 100);
    sample_keyframe(s, 100, 700);
    for (uint32_t i = 0; i < 40; ++i) {
        sample_tick(s, i % 4, 0);
        if (s->tick == 122 || s->tick == 135) {
            sample_mark(s, s->tick == 122 ? 120 : 135);
        }
    }
}

static void test_bad_frame_below_a_mark_is_corruption_and_above_all_a_torn_end(void **state) {
    (void)state;
    sample s;
    make_marked(&s);
    const uint64_t durable = s.tick_end[135];
    for (uint64_t at = s.frame_at[1]; at < s.size; ++at) {
        s.bytes[at] ^= (uint8_t)(1u << at % 8);
        const uint64_t frame = frame_of(&s, at);
        iso_recording recording;
        iso_recording_error error;
        const iso_status status = open_copy(s.bytes, s.size, ISO_RECORDING_TORN, &recording, &error);
        assert_int_equal(error.offset, frame);
        if (frame < durable) {
            assert_int_equal(status, ISO_ERR_CORRUPT);
            assert_int_equal(error.durable_offset, durable);
            assert_int_equal(error.durable_tick, 135);
        } else {
            assert_int_equal(status, ISO_OK);
            assert_int_equal(error.status, ISO_ERR_TRUNCATED);
            assert_int_equal(error.durable_offset, 0);
            assert_int_equal(recording.last_tick, last_whole_tick(&s, frame));
            assert_int_equal(recording.size, s.tick_end[recording.last_tick]);
        }
        s.bytes[at] ^= (uint8_t)(1u << at % 8);
    }
    sample_free(&s);
}

/// Nothing between a bad frame and the last mark has to be whole.
static void test_mark_is_found_behind_any_gap(void **state) {
    (void)state;
    sample s;
    make_marked(&s);
    const uint64_t from = s.tick_end[128];
    const uint64_t mark = s.tick_end[135]; // where its frame begins
    memset(s.bytes + from, 0, mark - from);
    iso_recording recording;
    iso_recording_error error;
    assert_int_equal(open_copy(s.bytes, s.size, ISO_RECORDING_TORN, &recording, &error), ISO_ERR_CORRUPT);
    assert_int_equal(error.offset, from);
    assert_int_equal(error.tick, 128);
    assert_int_equal(error.durable_tick, 135);
    // With the mark gone as well there is only what the one before it says, which is kept.
    memset(s.bytes + mark, 0, 20);
    assert_int_equal(open_copy(s.bytes, s.size, ISO_RECORDING_TORN, &recording, &error), ISO_OK);
    assert_int_equal(recording.last_tick, 128);
    assert_int_equal(recording.durable_tick, 120);
    assert_int_equal(recording.mark_count, 1);
    sample_free(&s);
}

/// A member chooses the bytes of its commands. If they were taken for a frame, any torn tick behind which they stand
/// would be corruption.
static void test_frame_in_a_member_s_command_makes_no_torn_tick_corrupt(void **state) {
    (void)state;
    sample s;
    sample_make(&s);
    const uint64_t committed = s.size;
    iso_sealed_command command = {.slot = 5, .sequence = 1000000};
    command.command.kind = ISO_COMMAND_SET_CONTROL;
    command.command.as.set_control.size = 32;
    uint8_t *bytes = command.command.as.set_control.bytes;
    bytes[8] = ISO_RECORDING_EVENT; // without flags or payload; its checksum, and one that covers what stands before it
    iso__recording_writer writer = {.bytes = bytes + 14, .capacity = 4};
    iso__write_uint(&writer, iso_crc32c(0, bytes + 8, ISO_RECORDING_FRAME_HEAD_SIZE), 4);
    bytes[22] = ISO_RECORDING_EVENT;
    writer = (iso__recording_writer){.bytes = bytes + 28, .capacity = 4};
    iso__write_uint(&writer, iso_crc32c(0, bytes + 18, 4 + ISO_RECORDING_FRAME_HEAD_SIZE), 4);
    sample_command(&s, &command);
    iso_recording recording;
    iso_recording_error error;
    for (uint64_t size = committed + 50; size < s.size; ++size) {
        assert_int_equal(open_copy(s.bytes, size, ISO_RECORDING_TORN, &recording, &error), ISO_OK);
        assert_int_equal(recording.last_tick, 140);
        assert_int_equal(recording.size, committed);
    }
    sample_free(&s);
}

/// As many bytes as a member can have recorded, at the offset where they stand.
static void put_custom(sample *s, const uint8_t *bytes, size_t size) {
    iso_sealed_command command = {.slot = 5, .sequence = s->tick * 1000};
    command.command.kind = ISO_COMMAND_CUSTOM;
    command.command.as.custom.size = (uint16_t)size;
    memcpy(command.command.as.custom.bytes, bytes, size);
    sample_command(s, &command);
}

/// Even a member that knows the file to the byte cannot make a mark: it would have to know the salt.
static void test_mark_in_a_member_s_command_is_not_believed(void **state) {
    (void)state;
    const uint64_t salts[] = {SAMPLE_SALT + 1, 1, UINT64_MAX, SAMPLE_SALT};
    for (size_t i = 0; i < sizeof salts / sizeof salts[0]; ++i) {
        sample s;
        sample_make(&s);
        const uint64_t committed = s.size;
        sample_tick(&s, 1, 0); // which is torn
        uint8_t filler[40];
        memset(filler, 0xEE, sizeof filler);
        const uint64_t custom = s.size;
        put_custom(&s, filler, sizeof filler);
        // Where its bytes stand: behind the numbers of tick, root and command.
        uint64_t place = custom;
        while (memcmp(s.bytes + place, filler, sizeof filler) != 0) {
            ++place;
        }
        s.size = custom;
        --s.tick;
        uint8_t forged[ISO_RECORDING_MARK_FRAME_MAX];
        iso_recording_chain chain = {.version = ISO_RECORDING_VERSION};
        iso_recording_mark mark = {
            .salt = salts[i], .offset = place, .durable_offset = committed + 1, .durable_tick = 141};
        size_t size = iso_recording_encode_mark(&mark, &chain, forged, sizeof forged);
        assert_in_range(size, 20, sizeof filler);
        uint8_t bytes[sizeof filler] = {0};
        memcpy(bytes, forged, size);
        put_custom(&s, bytes, sizeof bytes);
        s.bytes[committed + 7] ^= 1;
        iso_recording recording;
        iso_recording_error error;
        const bool knows_salt = salts[i] == SAMPLE_SALT;
        assert_int_equal(open_copy(s.bytes, s.size, ISO_RECORDING_TORN, &recording, &error),
                         knows_salt ? ISO_ERR_CORRUPT : ISO_OK);
        assert_int_equal(error.offset, committed);
        // A mark counts only where it was written.
        memmove(s.bytes + place + 1, s.bytes + place, s.size - place);
        assert_int_equal(open_copy(s.bytes, s.size + 1, ISO_RECORDING_TORN, &recording, &error), ISO_OK);
        sample_free(&s);
    }
}

static void test_mark_must_fit_its_file(void **state) {
    (void)state;
    for (int wrong = 0; wrong < 9; ++wrong) {
        sample s;
        make_marked(&s);
        const uint64_t at = s.size;
        iso_recording_mark mark = {
            .salt = SAMPLE_SALT, .offset = at, .durable_offset = s.tick_end[138], .durable_tick = 138};
        mark.salt += wrong == 1;
        mark.offset += wrong == 2;
        mark.durable_offset -= wrong == 3;
        mark.durable_offset += wrong == 4;
        mark.durable_tick = wrong == 5 ? 141 : wrong == 6 ? 99 : wrong == 7 ? 137 : mark.durable_tick;
        if (wrong == 8) { // no more than the mark before says
            mark.durable_tick = 135;
            mark.durable_offset = s.tick_end[135];
        }
        sample_took(&s, iso_recording_encode_mark(&mark, &s.chain, s.bytes + s.size, 100));
        sample_tick(&s, 0, 0);
        iso_recording recording;
        iso_recording_error error;
        assert_int_equal(open_copy(s.bytes, s.size, ISO_RECORDING_TORN, &recording, &error),
                         wrong == 0 ? ISO_OK : ISO_ERR_CORRUPT);
        assert_int_equal(error.offset, wrong == 0 ? s.size : at);
        assert_int_equal(recording.durable_tick, wrong == 0 ? 138 : 135);
        sample_free(&s);
    }
}

/// A file without a salt has no marks.
static void test_mark_is_not_written_without_a_salt(void **state) {
    (void)state;
    uint8_t bytes[100];
    iso_recording_chain chain = {.version = ISO_RECORDING_VERSION, .checksum = 7};
    iso_recording_mark mark = {.offset = 100, .durable_offset = 90, .durable_tick = 5};
    assert_int_equal(iso_recording_encode_mark(&mark, &chain, bytes, sizeof bytes), 0);
    mark.salt = 1;
    assert_int_equal(iso_recording_encode_mark(&mark, &chain, bytes, 20), 0);
    mark.durable_offset = 101;
    assert_int_equal(iso_recording_encode_mark(&mark, &chain, bytes, sizeof bytes), 0);
    assert_int_equal(chain.checksum, 7);
}

/// A first page that was never written, or only in part, is a torn end, unless a mark says that more was durable.
static void test_first_page_may_be_missing(void **state) {
    (void)state;
    for (int marked = 0; marked < 2; ++marked) {
        sample s;
        make_marked(&s);
        const uint64_t size = marked ? s.size : s.tick_end[110];
        uint8_t *image = malloc(size);
        for (uint64_t kept = 0; kept < s.frame_at[2]; ++kept) {
            memcpy(image, s.bytes, size);
            memset(image + kept, 0, s.frame_at[2] - kept);
            iso_recording recording;
            iso_recording_error error;
            const iso_status status = iso_recording_open(&recording, image, size, ISO_RECORDING_TORN, &error);
            assert_int_equal(status, marked ? ISO_ERR_CORRUPT : ISO_ERR_TRUNCATED);
            assert_int_equal(error.durable_tick, marked ? 135 : 0);
        }
        for (uint64_t short_size = 0; short_size < ISO_RECORDING_FILE_HEAD_SIZE; ++short_size) {
            for (uint64_t kept = 0; kept <= short_size; ++kept) {
                memcpy(image, s.bytes, short_size);
                memset(image + kept, 0, short_size - kept);
                iso_recording recording;
                iso_recording_error error;
                assert_int_equal(open_copy(image, short_size, ISO_RECORDING_TORN, &recording, &error),
                                 ISO_ERR_TRUNCATED);
            }
        }
        free(image);
        sample_free(&s);
    }
}

/// The end that seals a file may be there before the pages in front of it, until it is synced and renamed.
static void test_trailer_of_a_part_proves_nothing(void **state) {
    (void)state;
    sample s;
    make_marked(&s);
    const uint64_t footer = s.size;
    sample_seal(&s);
    s.bytes[s.tick_end[137] + 3] ^= 1;
    iso_recording recording;
    iso_recording_error error;
    assert_int_equal(open_copy(s.bytes, s.size, ISO_RECORDING_STRICT, &recording, &error), ISO_ERR_CORRUPT);
    assert_int_equal(open_copy(s.bytes, s.size, ISO_RECORDING_TORN, &recording, &error), ISO_OK);
    assert_int_equal(recording.last_tick, 137);
    assert_false(recording.is_sealed);
    s.bytes[s.tick_end[137] + 3] ^= 1;
    // Zeros, or what a cut took away, behind FOOTER or trailer.
    for (uint64_t kept = footer; kept <= s.size; ++kept) {
        uint8_t tail[64];
        memcpy(tail, s.bytes + kept, s.size - kept);
        memset(s.bytes + kept, 0, s.size - kept + 100);
        assert_int_equal(open_copy(s.bytes, s.size + 100, ISO_RECORDING_TORN, &recording, &error), ISO_OK);
        assert_int_equal(recording.last_tick, 140);
        assert_int_equal(recording.size, footer);
        memcpy(s.bytes + kept, tail, s.size - kept);
    }
    sample_free(&s);
}

/// Frames of one file are nothing in another, and none can be moved, left out or repeated.
static void test_frames_are_chained(void **state) {
    (void)state;
    sample s;
    make_marked(&s);
    iso_recording recording;
    iso_recording_error error;
    const uint64_t start = s.tick_end[137], end = s.tick_end[138];
    uint8_t *other = malloc(s.size);
    memcpy(other, s.bytes, s.size);
    memmove(other + start, other + end, s.size - end); // tick 138 is left out
    assert_int_equal(open_copy(other, s.size - (end - start), ISO_RECORDING_TORN, &recording, &error), ISO_OK);
    assert_int_equal(error.offset, start);
    assert_int_equal(recording.last_tick, 137);
    // The same frame in a file that is otherwise the same, but has another salt.
    iso_recording_header header = sample_header();
    header.first_tick = 100;
    ++header.salt;
    iso_recording_chain chain;
    memcpy(other, s.bytes, s.size);
    iso_recording_encode_head(&header, &chain, other, s.size);
    assert_int_equal(open_copy(other, s.size, ISO_RECORDING_SALVAGE, &recording, &error), ISO_ERR_TRUNCATED);
    assert_int_equal(error.offset, s.frame_at[2]);
    free(other);
    sample_free(&s);
}

/// @return what came of opening it; *holds_no_tick counts if that is TRUNCATED
static iso_status ask(const uint8_t *bytes, size_t size, bool *holds_no_tick) {
    uint8_t *exact = malloc(size > 0 ? size : 1); // so that a sanitizer sees what is read beyond it
    memcpy(exact, bytes, size);
    iso_recording recording;
    iso_recording_error error;
    const iso_status status = iso_recording_open(&recording, exact, size, ISO_RECORDING_TORN, &error);
    *holds_no_tick = status == ISO_ERR_TRUNCATED && iso_recording_holds_no_tick(&recording, error.offset);
    free(exact);
    return status;
}

/// What a killed server leaves of a file that it had just begun holds no tick; what a disk leaves that has lost its
/// first pages, or bits of them, may.
static void test_file_without_a_first_keyframe_holds_no_tick_only_if_none_can_be_there(void **state) {
    (void)state;
    sample s;
    bool none;
    sample_begin(&s, 100);
    sample_keyframe(&s, 100, 3000);
    const size_t begin = s.size;
    for (size_t size = 0; size < begin; ++size) {
        assert_int_equal(ask(s.bytes, size, &none), ISO_ERR_TRUNCATED);
        assert_true(none);
    }
    sample_tick(&s, 3, 1);
    // Whatever is lost of what stands before the one tick.
    for (size_t lost = ISO_RECORDING_FILE_HEAD_SIZE; lost < begin; ++lost) {
        uint8_t *copy = malloc(s.size);
        memcpy(copy, s.bytes, s.size);
        memset(copy, 0, lost);
        assert_true(ask(copy, s.size, &none) == ISO_ERR_TRUNCATED && !none);
        memset(copy, 0, s.size);
        memcpy(copy, s.bytes, lost);
        assert_true(ask(copy, s.size, &none) == ISO_ERR_TRUNCATED && none);
        free(copy);
    }
    for (size_t bit = 8 * ISO_RECORDING_FILE_HEAD_SIZE; bit < 8 * begin; ++bit) {
        s.bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
        assert_true(ask(s.bytes, s.size, &none) == ISO_ERR_TRUNCATED && !none);
        s.bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
    sample_free(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bad_frame_below_a_mark_is_corruption_and_above_all_a_torn_end),
        cmocka_unit_test(test_mark_is_found_behind_any_gap),
        cmocka_unit_test(test_frame_in_a_member_s_command_makes_no_torn_tick_corrupt),
        cmocka_unit_test(test_mark_in_a_member_s_command_is_not_believed),
        cmocka_unit_test(test_mark_must_fit_its_file),
        cmocka_unit_test(test_mark_is_not_written_without_a_salt),
        cmocka_unit_test(test_first_page_may_be_missing),
        cmocka_unit_test(test_trailer_of_a_part_proves_nothing),
        cmocka_unit_test(test_frames_are_chained),
        cmocka_unit_test(test_file_without_a_first_keyframe_holds_no_tick_only_if_none_can_be_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
