/// The end that a power cut has torn: kept in a file of its own, then cut off.
#include <dirent.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "host/start/recovery_changes.h"
#include "unit/proto/recording/recording_sample.h"

#define PART "main-a0a1a2a3-3.isr.part"
#define TORN "main-a0a1a2a3-3.isr.torn"

typedef struct folder {
    char path[64];
    int descriptor;
} folder;

static folder make_folder(void) {
    folder f;
    strcpy(f.path, "/tmp/isostep-torn-XXXXXX");
    assert_non_null(mkdtemp(f.path));
    f.descriptor = open(f.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    assert_true(f.descriptor >= 0);
    return f;
}

static void remove_folder(const folder *f) {
    DIR *dir = opendir(f->path);
    for (struct dirent *entry = readdir(dir); entry != NULL; entry = readdir(dir)) {
        unlinkat(f->descriptor, entry->d_name, 0);
    }
    closedir(dir);
    close(f->descriptor);
    assert_int_equal(rmdir(f->path), 0);
}

static void put_file(const folder *f, const char *name, const uint8_t *bytes, size_t size) {
    const int file = openat(f->descriptor, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    assert_true(file >= 0);
    assert_int_equal(write(file, bytes, size), (ssize_t)size);
    close(file);
}

/// @return the size, -1 when there is no such file
static ssize_t get_file(const folder *f, const char *name, uint8_t *bytes, size_t capacity) {
    const int file = openat(f->descriptor, name, O_RDONLY | O_CLOEXEC);
    if (file < 0) {
        return -1;
    }
    const ssize_t size = read(file, bytes, capacity);
    close(file);
    return size;
}

/// Leaves these bytes as an unsealed recording, and seals it as a server does that comes back.
static iso_status seal(const folder *f, const uint8_t *bytes, size_t size) {
    put_file(f, PART, bytes, size);
    iso__recovery recovery;
    memset(&recovery, 0, sizeof recovery);
    iso_recording_error error;
    assert_int_equal(iso_recording_open(&recovery.recording, bytes, size, ISO_RECORDING_TORN, &error), ISO_OK);
    return iso__recovery_seal(&recovery, f->descriptor, PART);
}

/// A recording with a bad frame in its second last tick.
static uint64_t make_torn(sample *s) {
    sample_make(s);
    s->bytes[s->tick_end[138] + 8] ^= 1;
    return s->tick_end[138];
}

static void test_torn_end_is_kept_before_it_is_cut(void **state) {
    (void)state;
    sample s;
    static uint8_t bytes[65536];
    const uint64_t cut = make_torn(&s);
    const folder f = make_folder();
    assert_int_equal(seal(&f, s.bytes, (size_t)s.size), ISO_OK);
    assert_int_equal(get_file(&f, TORN, bytes, sizeof bytes), s.size - cut);
    assert_memory_equal(bytes, s.bytes + cut, s.size - cut);
    const ssize_t size = get_file(&f, PART, bytes, sizeof bytes);
    iso_recording recording;
    iso_recording_error error;
    assert_int_equal(iso_recording_open(&recording, bytes, (uint64_t)size, ISO_RECORDING_STRICT, &error), ISO_OK);
    assert_int_equal(recording.last_tick, 138);
    // The two together are what was there.
    assert_int_equal(recording.footer_offset, cut);
    assert_memory_equal(bytes, s.bytes, cut);
    remove_folder(&f);
    sample_free(&s);
}

static void test_no_copy_is_written_over(void **state) {
    (void)state;
    sample s;
    static uint8_t bytes[65536];
    const uint64_t cut = make_torn(&s);
    const folder f = make_folder();
    put_file(&f, TORN, (const uint8_t *)"first", 5);
    put_file(&f, TORN "-2", (const uint8_t *)"second", 6);
    assert_int_equal(seal(&f, s.bytes, (size_t)s.size), ISO_OK);
    assert_int_equal(get_file(&f, TORN, bytes, sizeof bytes), 5);
    assert_memory_equal(bytes, "first", 5);
    assert_int_equal(get_file(&f, TORN "-2", bytes, sizeof bytes), 6);
    assert_int_equal(get_file(&f, TORN "-3", bytes, sizeof bytes), s.size - cut);
    remove_folder(&f);
    sample_free(&s);
}

/// What cannot be kept is not cut off either.
static void test_nothing_is_cut_that_could_not_be_kept(void **state) {
    (void)state;
    sample s;
    static uint8_t bytes[65536];
    make_torn(&s);
    const folder f = make_folder();
    put_file(&f, TORN, (const uint8_t *)"", 0);
    for (unsigned i = 2; i < 100; ++i) {
        char name[64];
        snprintf(name, sizeof name, TORN "-%u", i);
        put_file(&f, name, (const uint8_t *)"", 0);
    }
    assert_int_equal(seal(&f, s.bytes, (size_t)s.size), ISO_ERR_IO);
    assert_int_equal(get_file(&f, PART, bytes, sizeof bytes), s.size);
    assert_memory_equal(bytes, s.bytes, s.size);
    remove_folder(&f);
    sample_free(&s);
}

/// A disk without room would otherwise be filled by one more piece at each start.
static void test_copy_that_could_not_be_written_does_not_stay(void **state) {
    (void)state;
    sample s;
    static uint8_t bytes[65536];
    make_torn(&s);
    const folder f = make_folder();
    put_file(&f, PART, s.bytes, (size_t)s.size);
    iso__recovery recovery;
    memset(&recovery, 0, sizeof recovery);
    iso_recording_error error;
    assert_int_equal(iso_recording_open(&recovery.recording, s.bytes, s.size, ISO_RECORDING_TORN, &error), ISO_OK);
    struct rlimit whole;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &whole), 0);
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &(struct rlimit){.rlim_cur = 16, .rlim_max = whole.rlim_max}), 0);
    const iso_status status = iso__recovery_seal(&recovery, f.descriptor, PART);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &whole), 0);
    assert_int_equal(status, ISO_ERR_IO);
    assert_int_equal(get_file(&f, TORN, bytes, sizeof bytes), -1);
    assert_int_equal(get_file(&f, PART, bytes, sizeof bytes), s.size);
    assert_memory_equal(bytes, s.bytes, s.size);
    remove_folder(&f);
    sample_free(&s);
}

/// A file that ends with whole frames, or with pages that were never written, has nothing to keep.
static void test_end_without_a_bad_frame_leaves_no_copy(void **state) {
    (void)state;
    for (int zeros = 0; zeros < 2; ++zeros) {
        sample s;
        static uint8_t bytes[65536];
        sample_make(&s);
        const uint64_t committed = s.size;
        sample_mark(&s, 140);
        sample_event(&s);
        memset(s.bytes + s.size, 0, 9000);
        const folder f = make_folder();
        assert_int_equal(seal(&f, s.bytes, (size_t)s.size + (zeros ? 9000 : 0)), ISO_OK);
        assert_int_equal(get_file(&f, TORN, bytes, sizeof bytes), -1);
        iso_recording recording;
        iso_recording_error error;
        const ssize_t size = get_file(&f, PART, bytes, sizeof bytes);
        assert_int_equal(iso_recording_open(&recording, bytes, (uint64_t)size, ISO_RECORDING_STRICT, &error), ISO_OK);
        assert_int_equal(recording.footer_offset, committed);
        remove_folder(&f);
        sample_free(&s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_torn_end_is_kept_before_it_is_cut),
        cmocka_unit_test(test_no_copy_is_written_over),
        cmocka_unit_test(test_nothing_is_cut_that_could_not_be_kept),
        cmocka_unit_test(test_copy_that_could_not_be_written_does_not_stay),
        cmocka_unit_test(test_end_without_a_bad_frame_leaves_no_copy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
