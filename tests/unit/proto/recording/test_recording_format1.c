/// Recordings of format 1, as earlier builds have left them: they open by their own rules, and can be sealed.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "recording_repair.h"
#include "recording_sample.h"

typedef struct file {
    uint8_t bytes[8192];
    size_t size;
} file;

/// A file that a build of format 1 has made of the sample; the fuzzer begins with it, too.
static file read_file(const char *name) {
    file f;
    char path[512];
    snprintf(path, sizeof path, "%s/%s", ISO_TEST_RECORDINGS_DIR, name);
    FILE *in = fopen(path, "rb");
    assert_non_null(in);
    f.size = fread(f.bytes, 1, sizeof f.bytes, in);
    fclose(in);
    assert_in_range(f.size, 3000, 4000);
    return f;
}

static void test_sealed_file_opens_with_all_that_it_says(void **state) {
    (void)state;
    file f = read_file("format1_sealed");
    iso_recording recording;
    iso_recording_error error;
    assert_int_equal(iso_recording_open(&recording, f.bytes, f.size, ISO_RECORDING_STRICT, &error), ISO_OK);
    assert_int_equal(recording.version, 1);
    assert_true(recording.is_sealed);
    assert_int_equal(recording.last_tick, 140);
    assert_int_equal(recording.tick_count, 40);
    assert_int_equal(recording.event_count, 2);
    assert_int_equal(recording.keyframe_count, 2);
    assert_int_equal(recording.mark_count, 0);
    iso_recording_header expected = sample_header();
    expected.def.contact_point_limit = 0; // came later
    expected.def.kept_body_capacity = 0;
    expected.def.contact_keep_distance = 0;
    expected.def.contact_keep_angle = 0;
    expected.def.iteration_count = 0;
    const iso_recording_header *header = &recording.header;
    assert_string_equal(header->build, expected.build);
    assert_string_equal(header->session, expected.session);
    assert_int_equal(header->epoch, expected.epoch);
    assert_int_equal(header->first_tick, 100);
    assert_int_equal(header->salt, 0);
    assert_int_equal(header->run, expected.epoch << 16);
    assert_true(iso_fingerprint_equal(&header->fingerprint, &expected.fingerprint));
    assert_memory_equal(&header->def, &expected.def, sizeof expected.def);
    assert_int_equal(header->scene_size, sizeof SAMPLE_SCENE - 1);
    iso_recording_keyframe keyframe;
    iso_recording_find_keyframe(&recording, 130, &keyframe);
    assert_int_equal(keyframe.tick, 120);
    uint8_t state_bytes[900];
    assert_int_equal(iso_recording_load_keyframe(&recording, &keyframe, state_bytes), ISO_OK);
    assert_int_equal(state_bytes[30], sample_state_byte(120, 30 * 30));
}

static void test_torn_end_keeps_its_old_rules(void **state) {
    (void)state;
    file f = read_file("format1_open");
    iso_recording recording;
    iso_recording_error error;
    assert_int_equal(open_copy(f.bytes, f.size, ISO_RECORDING_TORN, &recording, &error), ISO_OK);
    assert_int_equal(recording.last_tick, 140);
    assert_int_equal(recording.version, 1);
    // A good frame behind a bad one is a loss; nothing behind it is a torn end.
    for (size_t at = f.size - 200; at < f.size; ++at) {
        f.bytes[at] ^= 16;
        const iso_status status = open_copy(f.bytes, f.size, ISO_RECORDING_TORN, &recording, &error);
        const bool is_last = error.tick == 139;
        assert_int_equal(status, is_last ? ISO_OK : ISO_ERR_CORRUPT);
        assert_true(is_last || error.tick < 139);
        f.bytes[at] ^= 16;
    }
}

static void test_part_is_sealed_in_its_own_format(void **state) {
    (void)state;
    file f = read_file("format1_open");
    iso_recording recording;
    iso_recording_error error;
    const size_t torn = f.size - 3;
    assert_int_equal(iso_recording_open(&recording, f.bytes, torn, ISO_RECORDING_TORN, &error), ISO_OK);
    assert_int_equal(recording.last_tick, 139);
    const iso_recording_footer footer = {
        .last_tick = 139, .has_root = true, .root_tick = 139, .root = sample_root(139)};
    iso_recording_chain chain = recording.chain;
    f.size = (size_t)recording.size;
    f.size += iso_recording_encode_end(&footer, f.size, &chain, f.bytes + f.size, sizeof f.bytes - f.size);
    assert_int_equal(iso_recording_open(&recording, f.bytes, f.size, ISO_RECORDING_STRICT, &error), ISO_OK);
    assert_int_equal(recording.version, 1);
    assert_int_equal(recording.last_tick, 139);
}

static void test_format_1_has_no_marks(void **state) {
    (void)state;
    file f = read_file("format1_open");
    iso_recording recording;
    iso_recording_error error;
    iso_recording_chain chain = {.version = 1};
    const iso_recording_mark mark = {
        .salt = SAMPLE_SALT, .offset = f.size, .durable_offset = f.size, .durable_tick = 140};
    const size_t size = iso_recording_encode_mark(&mark, &chain, f.bytes + f.size, 100);
    assert_true(size > 0);
    assert_int_equal(open_copy(f.bytes, f.size + size, ISO_RECORDING_TORN, &recording, &error), ISO_OK);
    assert_int_equal(error.offset, f.size);
    assert_int_equal(recording.mark_count, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sealed_file_opens_with_all_that_it_says),
        cmocka_unit_test(test_torn_end_keeps_its_old_rules),
        cmocka_unit_test(test_part_is_sealed_in_its_own_format),
        cmocka_unit_test(test_format_1_has_no_marks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
