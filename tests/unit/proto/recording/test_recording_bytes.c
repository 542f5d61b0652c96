/// The bytes below recordings: checksum, variable-length numbers, texts, compression.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "isostep/proto/compression.h"
#include "recording/bytes.h"

/// The definition, one bit at a time.
static uint32_t crc_by_bits(const uint8_t *bytes, size_t size) {
    uint32_t crc = 0xFFFFFFFFu;
    for (size_t i = 0; i < size; ++i) {
        crc ^= bytes[i];
        for (int bit = 0; bit < 8; ++bit) {
            crc = (crc & 1) != 0 ? crc >> 1 ^ 0x82F63B78u : crc >> 1;
        }
    }
    return ~crc;
}

static void test_crc32c_gives_the_known_answers(void **state) {
    (void)state;
    uint8_t bytes[32];
    assert_int_equal(iso_crc32c(0, (const uint8_t *)"123456789", 9), 0xE3069283u);
    assert_int_equal(iso_crc32c(0, (const uint8_t *)"", 0), 0);
    // RFC 3720, appendix B.4.
    memset(bytes, 0, sizeof bytes);
    assert_int_equal(iso_crc32c(0, bytes, sizeof bytes), 0x8A9136AAu);
    memset(bytes, 0xFF, sizeof bytes);
    assert_int_equal(iso_crc32c(0, bytes, sizeof bytes), 0x62A8AB43u);
    for (uint8_t i = 0; i < 32; ++i) {
        bytes[i] = i;
    }
    assert_int_equal(iso_crc32c(0, bytes, sizeof bytes), 0x46DD794Eu);
}

static void test_crc32c_equals_its_definition_for_every_byte_at_every_place(void **state) {
    (void)state;
    uint8_t bytes[24];
    for (size_t at = 0; at < sizeof bytes; ++at) {
        for (uint32_t value = 0; value < 256; ++value) {
            for (size_t i = 0; i < sizeof bytes; ++i) {
                bytes[i] = (uint8_t)(i * 37 + value * 11);
            }
            bytes[at] = (uint8_t)value;
            const size_t size = at + 1 + value % (sizeof bytes - at);
            assert_int_equal(iso_crc32c(0, bytes, size), crc_by_bits(bytes, size));
        }
    }
}

static void test_crc32c_of_parts_is_that_of_the_whole(void **state) {
    (void)state;
    uint8_t bytes[100];
    for (uint8_t i = 0; i < 100; ++i) {
        bytes[i] = (uint8_t)(i * i);
    }
    const uint32_t whole = iso_crc32c(0, bytes, sizeof bytes);
    for (size_t cut = 0; cut <= sizeof bytes; ++cut) {
        assert_int_equal(iso_crc32c(iso_crc32c(0, bytes, cut), bytes + cut, sizeof bytes - cut), whole);
    }
}

static void test_varint_reads_what_it_wrote(void **state) {
    (void)state;
    for (uint32_t shift = 0; shift < 64; ++shift) {
        for (int64_t near = -2; near <= 2; ++near) {
            const uint64_t value = (UINT64_C(1) << shift) + (uint64_t)near;
            uint8_t bytes[16];
            iso__recording_writer writer = {.bytes = bytes, .capacity = sizeof bytes};
            iso__write_varint(&writer, value);
            iso__recording_reader reader = {.bytes = bytes, .size = writer.size};
            assert_true(iso__read_varint(&reader, UINT64_MAX) == value);
            assert_true(iso__reader_is_done(&reader));
            if (value > 0) {
                reader = (iso__recording_reader){.bytes = bytes, .size = writer.size};
                iso__read_varint(&reader, value - 1);
                assert_true(reader.has_failed);
            }
        }
    }
}

static void test_varint_has_one_form_only(void **state) {
    (void)state;
    static const struct {
        uint8_t bytes[11];
        size_t size;
    } cases[] = {
        {{0x80}, 1},                                                              // more should follow
        {{0x80, 0x00}, 2},                                                        // 0 in two bytes
        {{0xFF, 0x80, 0x00}, 3},                                                  // 127 in three
        {{0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x02}, 10},       // 65 bits
        {{0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x81, 0x01}, 11}, // 11 bytes
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        iso__recording_reader reader = {.bytes = cases[i].bytes, .size = cases[i].size};
        iso__read_varint(&reader, UINT64_MAX);
        assert_true(reader.has_failed);
    }
}

static void test_text_refuses_what_is_too_long_or_not_printable(void **state) {
    (void)state;
    uint8_t bytes[16];
    char text[5];
    iso__recording_writer writer = {.bytes = bytes, .capacity = sizeof bytes};
    iso__write_text(&writer, "abcd", 4);
    iso__recording_reader reader = {.bytes = bytes, .size = writer.size};
    iso__read_text(&reader, text, 4);
    assert_false(reader.has_failed);
    assert_string_equal(text, "abcd");
    reader = (iso__recording_reader){.bytes = bytes, .size = writer.size};
    iso__read_text(&reader, text, 3);
    assert_true(reader.has_failed);
    bytes[2] = '\n';
    reader = (iso__recording_reader){.bytes = bytes, .size = writer.size};
    iso__read_text(&reader, text, 4);
    assert_true(reader.has_failed);
    // What no message can carry: half a character, a control character of two bytes.
    static const char *const wrong[] = {"ab\xC3", "a\xC2\x85", "\xED\xA0\x80"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; ++i) {
        writer = (iso__recording_writer){.bytes = bytes, .capacity = sizeof bytes};
        iso__write_text(&writer, wrong[i], 4);
        reader = (iso__recording_reader){.bytes = bytes, .size = writer.size};
        iso__read_text(&reader, text, 4);
        assert_true(reader.has_failed);
    }
    writer = (iso__recording_writer){.bytes = bytes, .capacity = sizeof bytes};
    iso__write_text(&writer, "abcde", 4);
    assert_true(writer.has_failed);
}

static void test_writer_never_writes_beyond_its_capacity(void **state) {
    (void)state;
    for (size_t capacity = 0; capacity < 16; ++capacity) {
        uint8_t *bytes = malloc(capacity + 1);
        iso__recording_writer writer = {.bytes = bytes, .capacity = capacity};
        iso__write_uint(&writer, 1, 8);
        iso__write_varint(&writer, UINT64_MAX);
        assert_int_equal(writer.has_failed, capacity < 18);
        free(bytes);
    }
}

static void test_compression_gives_back_what_it_took(void **state) {
    (void)state;
    enum { SIZE = 100000 };
    uint8_t *bytes = malloc(SIZE);
    uint8_t *back = malloc(SIZE);
    uint8_t *stored = malloc(iso_compress_bound(SIZE));
    for (uint32_t i = 0; i < SIZE; ++i) {
        bytes[i] = (uint8_t)(i / 100);
    }
    const size_t size = iso_compress(bytes, SIZE, stored, iso_compress_bound(SIZE));
    assert_in_range(size, 1, SIZE / 10);
    assert_int_equal(iso_decompress(stored, size, back, SIZE), ISO_OK);
    assert_memory_equal(bytes, back, SIZE);
    assert_int_equal(iso_compress(bytes, SIZE, stored, size - 1), 0);
    free(bytes);
    free(back);
    free(stored);
}

static void test_decompression_refuses_other_sizes_and_damage(void **state) {
    (void)state;
    uint8_t bytes[1000];
    uint8_t stored[2048];
    uint8_t back[2000];
    for (uint32_t i = 0; i < sizeof bytes; ++i) {
        bytes[i] = (uint8_t)(i * i / 7);
    }
    const size_t size = iso_compress(bytes, sizeof bytes, stored, sizeof stored);
    assert_int_equal(iso_decompress(stored, size, back, sizeof bytes - 1), ISO_ERR_CORRUPT);
    assert_int_equal(iso_decompress(stored, size, back, sizeof bytes + 1), ISO_ERR_CORRUPT);
    assert_int_equal(iso_decompress(stored, 0, back, sizeof bytes), ISO_ERR_CORRUPT);
    for (size_t cut = 1; cut < size; ++cut) {
        assert_int_equal(iso_decompress(stored, cut, back, sizeof bytes), ISO_ERR_CORRUPT);
    }
    // Two frames in a row are not one.
    const size_t second = iso_compress(bytes, sizeof bytes, stored + size, sizeof stored - size);
    assert_true(second > 0);
    assert_int_equal(iso_decompress(stored, size + second, back, 2 * sizeof bytes), ISO_ERR_CORRUPT);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_crc32c_gives_the_known_answers),
        cmocka_unit_test(test_crc32c_equals_its_definition_for_every_byte_at_every_place),
        cmocka_unit_test(test_crc32c_of_parts_is_that_of_the_whole),
        cmocka_unit_test(test_varint_reads_what_it_wrote),
        cmocka_unit_test(test_varint_has_one_form_only),
        cmocka_unit_test(test_text_refuses_what_is_too_long_or_not_printable),
        cmocka_unit_test(test_writer_never_writes_beyond_its_capacity),
        cmocka_unit_test(test_compression_gives_back_what_it_took),
        cmocka_unit_test(test_decompression_refuses_other_sizes_and_damage),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
