/// The framing: any cut of a stream gives the same frames, and a bad size is found before it costs memory.
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "isostep/proto/framing.h"
#include "unit/random.h"

#define CAPACITY 4096

/// Frame i has this size and these bytes.
static uint32_t frame_size_of(uint32_t i) {
    static const uint32_t sizes[] = {1, 2, 126, 127, 128, 129, 300, 1000, CAPACITY - 1, CAPACITY};
    return sizes[i % 10];
}

static uint8_t frame_byte(uint32_t i, size_t at) {
    return (uint8_t)(i * 31 + at * 7);
}

static size_t stream_write(uint8_t *stream, uint32_t count) {
    size_t size = 0;
    for (uint32_t i = 0; i < count; ++i) {
        size += iso_frame_header_write(stream + size, frame_size_of(i));
        for (size_t k = 0; k < frame_size_of(i); ++k) {
            stream[size++] = frame_byte(i, k);
        }
    }
    return size;
}

/// Feeds one read into the framer and checks the frames that come out.
static void feed_all(iso_framer *framer, const uint8_t *bytes, size_t size, uint32_t *frames) {
    // A copy of exactly this size, so that a read beyond it is seen.
    uint8_t *copy = malloc(size > 0 ? size : 1);
    memcpy(copy, bytes, size);
    size_t at = 0;
    for (;;) {
        size_t consumed;
        const uint8_t *frame;
        size_t frame_size;
        assert_int_equal(iso_framer_feed(framer, copy + at, size - at, &consumed, &frame, &frame_size), ISO_OK);
        at += consumed;
        if (frame == NULL) {
            break;
        }
        assert_int_equal(frame_size, frame_size_of(*frames));
        for (size_t k = 0; k < frame_size; ++k) {
            assert_int_equal(frame[k], frame_byte(*frames, k));
        }
        ++*frames;
    }
    assert_int_equal(at, size);
    free(copy);
}

static void test_framing_gives_the_same_frames_for_every_cut(void **state) {
    (void)state;
    static uint8_t stream[64 * 1024];
    static uint8_t buffer[CAPACITY];
    size_t size = stream_write(stream, 40);
    const size_t steps[] = {1, 2, 3, 5, 127, 128, 1000, 4096, 5000, sizeof(stream)};
    for (size_t s = 0; s < sizeof(steps) / sizeof(steps[0]); ++s) {
        iso_framer framer;
        iso_framer_init(&framer, buffer, sizeof(buffer));
        uint32_t frames = 0;
        for (size_t at = 0; at < size; at += steps[s]) {
            feed_all(&framer, stream + at, size - at < steps[s] ? size - at : steps[s], &frames);
        }
        assert_int_equal(frames, 40);
        assert_false(iso_framer_is_inside(&framer));
    }
    uint64_t seed = 4;
    for (int round = 0; round < 200; ++round) {
        iso_framer framer;
        iso_framer_init(&framer, buffer, sizeof(buffer));
        uint32_t frames = 0;
        for (size_t at = 0; at < size;) {
            size_t step = (size_t)(random_u64(&seed) % 600);
            step = step < size - at ? step : size - at;
            feed_all(&framer, stream + at, step, &frames);
            at += step;
        }
        assert_int_equal(frames, 40);
    }
}

static void test_framing_knows_when_it_is_inside_a_frame(void **state) {
    (void)state;
    uint8_t buffer[8];
    iso_framer framer;
    iso_framer_init(&framer, buffer, sizeof(buffer));
    assert_false(iso_framer_is_inside(&framer));
    const uint8_t bytes[] = {2, 7, 8};
    size_t consumed, frame_size;
    const uint8_t *frame;
    for (size_t i = 0; i < 3; ++i) {
        assert_int_equal(iso_framer_feed(&framer, bytes + i, 1, &consumed, &frame, &frame_size), ISO_OK);
        assert_int_equal(iso_framer_is_inside(&framer), i < 2);
        assert_int_equal(frame != NULL, i == 2);
    }
}

/// Feeds bytes one by one. @return how many were taken before the first error, or all
static size_t feed_until_error(iso_framer *framer, const uint8_t *bytes, size_t size, iso_status *status) {
    *status = ISO_OK;
    for (size_t i = 0; i < size; ++i) {
        size_t consumed, frame_size;
        const uint8_t *frame;
        *status = iso_framer_feed(framer, bytes + i, 1, &consumed, &frame, &frame_size);
        if (*status != ISO_OK) {
            return i;
        }
    }
    return size;
}

static void test_framing_refuses_bad_sizes_at_once(void **state) {
    (void)state;
    static const struct {
        uint8_t bytes[8];
        size_t size;  // of what is fed
        size_t taken; // before the error
        iso_status status;
    } cases[] = {
        {{0x00}, 1, 0, ISO_ERR_MALFORMED},                               // empty
        {{0x81, 0x00}, 2, 1, ISO_ERR_MALFORMED},                         // 1, not in its shortest form
        {{0x80, 0x80, 0x00}, 3, 2, ISO_ERR_MALFORMED},                   // 0 in three bytes
        {{0x80, 0x80, 0x80, 0x80, 0x10}, 5, 4, ISO_ERR_FRAME_TOO_LARGE}, // 2^32
        {{0xFF, 0xFF, 0xFF, 0xFF, 0x7F}, 5, 4, ISO_ERR_FRAME_TOO_LARGE}, // 2^35 - 1
        {{0x80, 0x80, 0x80, 0x80, 0x00}, 5, 4, ISO_ERR_MALFORMED},       // 0 in five bytes
        {{0xFF, 0xFF, 0xFF, 0xFF, 0x8F, 0x01}, 6, 4, ISO_ERR_MALFORMED}, // six bytes
        {{0x80, 0x80, 0x80, 0x80, 0xFF}, 5, 4, ISO_ERR_MALFORMED},       // six bytes, the last of which has not come
        {{0xFF, 0xFF, 0xFF, 0xFF, 0x0F}, 5, 4, ISO_ERR_FRAME_TOO_LARGE}, // 2^32 - 1
        {{0x81, 0x20}, 2, 1, ISO_ERR_FRAME_TOO_LARGE},                   // 4097
        {{0x80, 0x20}, 2, 2, ISO_OK},                                    // 4096
        {{0xFF, 0x1F}, 2, 2, ISO_OK},                                    // 4095
    };
    static uint8_t buffer[CAPACITY];
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); ++i) {
        iso_framer framer;
        iso_framer_init(&framer, buffer, sizeof(buffer));
        iso_status status;
        size_t taken = feed_until_error(&framer, cases[i].bytes, cases[i].size, &status);
        assert_int_equal(status, cases[i].status);
        assert_int_equal(taken, cases[i].taken);
        // In one piece it is the same.
        iso_framer_init(&framer, buffer, sizeof(buffer));
        size_t consumed, frame_size;
        const uint8_t *frame;
        assert_int_equal(iso_framer_feed(&framer, cases[i].bytes, cases[i].size, &consumed, &frame, &frame_size),
                         cases[i].status);
        assert_null(frame);
    }
}

static void test_framing_stays_lost_after_an_error(void **state) {
    (void)state;
    uint8_t buffer[16];
    iso_framer framer;
    iso_framer_init(&framer, buffer, sizeof(buffer));
    const uint8_t bad[] = {17};
    const uint8_t good[] = {1, 42};
    size_t consumed, frame_size;
    const uint8_t *frame;
    assert_int_equal(iso_framer_feed(&framer, bad, 1, &consumed, &frame, &frame_size), ISO_ERR_FRAME_TOO_LARGE);
    assert_int_equal(iso_framer_feed(&framer, good, 2, &consumed, &frame, &frame_size), ISO_ERR_FRAME_TOO_LARGE);
    assert_int_equal(consumed, 0);
    assert_null(frame);
}

static void test_framing_allows_more_after_the_handshake(void **state) {
    (void)state;
    static uint8_t buffer[CAPACITY];
    const uint8_t header[] = {0x81, 0x0A}; // 1281
    size_t consumed, frame_size;
    const uint8_t *frame;
    iso_framer framer;
    iso_framer_init(&framer, buffer, sizeof(buffer));
    iso_framer_set_max(&framer, 1280);
    assert_int_equal(iso_framer_feed(&framer, header, 2, &consumed, &frame, &frame_size), ISO_ERR_FRAME_TOO_LARGE);
    iso_framer_init(&framer, buffer, sizeof(buffer));
    iso_framer_set_max(&framer, 1280);
    iso_framer_set_max(&framer, CAPACITY);
    assert_int_equal(iso_framer_feed(&framer, header, 2, &consumed, &frame, &frame_size), ISO_OK);
    iso_framer_set_max(&framer, UINT32_MAX);
    assert_int_equal(framer.frame_max, CAPACITY);
}

static void test_framing_reads_back_every_header_it_writes(void **state) {
    (void)state;
    uint64_t seed = 12;
    for (int i = 0; i < 2000; ++i) {
        uint32_t size = (uint32_t)(random_u64(&seed) >> (32 + random_u64(&seed) % 32));
        size = size == 0 ? 1 : size;
        uint8_t header[ISO_FRAME_HEADER_SIZE_MAX];
        size_t count = iso_frame_header_write(header, size);
        assert_in_range(count, 1, 5);
        // The capacity is only a promise here: no byte of the frame is fed.
        iso_framer framer;
        iso_framer_init(&framer, NULL, UINT32_MAX);
        size_t consumed, frame_size;
        const uint8_t *frame;
        assert_int_equal(iso_framer_feed(&framer, header, count, &consumed, &frame, &frame_size), ISO_OK);
        assert_int_equal(consumed, count);
        assert_int_equal(framer.frame_size, size);
        assert_true(framer.has_size);
    }
}

static void test_framing_survives_noise(void **state) {
    (void)state;
    uint64_t seed = 13;
    uint8_t *buffer = malloc(300);
    for (int i = 0; i < 100000; ++i) {
        iso_framer framer;
        iso_framer_init(&framer, buffer, 300);
        iso_status status = ISO_OK;
        for (int reads = 0; reads < 4 && status == ISO_OK; ++reads) {
            uint8_t bytes[200];
            size_t size = (size_t)(random_u64(&seed) % sizeof(bytes));
            for (size_t k = 0; k < size; ++k) {
                bytes[k] = (uint8_t)random_u64(&seed);
            }
            size_t at = 0;
            const uint8_t *frame = bytes;
            while (status == ISO_OK && frame != NULL) {
                size_t consumed, frame_size;
                status = iso_framer_feed(&framer, bytes + at, size - at, &consumed, &frame, &frame_size);
                at += consumed;
                assert_true(at <= size);
                assert_true(frame == NULL || (frame_size >= 1 && frame_size <= 300));
            }
        }
    }
    free(buffer);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_framing_gives_the_same_frames_for_every_cut),
        cmocka_unit_test(test_framing_knows_when_it_is_inside_a_frame),
        cmocka_unit_test(test_framing_refuses_bad_sizes_at_once),
        cmocka_unit_test(test_framing_stays_lost_after_an_error),
        cmocka_unit_test(test_framing_allows_more_after_the_handshake),
        cmocka_unit_test(test_framing_reads_back_every_header_it_writes),
        cmocka_unit_test(test_framing_survives_noise),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
