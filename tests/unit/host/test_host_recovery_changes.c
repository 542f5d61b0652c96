/// What is done with the files that a killed server has left: what stands in them afterwards and how they are called,
/// in which order, and what becomes of them when the disk, the memory or the names are at their end.
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "host/start/recovery.h"
#include "host/start/recovery_changes.h"
#include "host/start/recovery_files.h"
#include "host/start/recovery_torn.h"
#include "host_rig.h"
#include "unit/proto/recording/recording_sample.h"

#define PART      "main-a0a1a2a3-3.isr.part"
#define FINAL     "main-a0a1a2a3-3.isr"
#define TAIL      "\x04\x01 and then the power failed"
#define TAIL_SIZE (sizeof TAIL - 1)

static iso__disk disk;
static iso__recovery recovery;
static sample the_sample;
static uint32_t allocations_left; // UINT32_MAX: any number
static int fsync_error;
static unsigned fsyncs;

void *__real_malloc(size_t size);
void *__wrap_malloc(size_t size);
void *__real_realloc(void *block, size_t size);
void *__wrap_realloc(void *block, size_t size);
int __real_fsync(int file);
int __wrap_fsync(int file);

static bool may_allocate(void) {
    return allocations_left == UINT32_MAX || (allocations_left > 0 && allocations_left-- > 0);
}

void *__wrap_malloc(size_t size) {
    return may_allocate() ? __real_malloc(size) : NULL;
}

void *__wrap_realloc(void *block, size_t size) {
    return may_allocate() ? __real_realloc(block, size) : NULL;
}

int __wrap_fsync(int file) {
    ++fsyncs;
    errno = fsync_error;
    return fsync_error != 0 ? -1 : __real_fsync(file);
}

static int set_up(void **state) {
    (void)state;
    allocations_left = UINT32_MAX;
    fsync_error = 0;
    fsyncs = 0;
    recovery = (iso__recovery){0};
    host_rig_clear_log();
    host_disk_begin();
    sample_make(&the_sample);
    return iso__disk_open(&disk, the_disk.folder);
}

static int tear_down(void **state) {
    (void)state;
    iso__recovery_term(&recovery);
    sample_free(&the_sample);
    iso__disk_close(&disk);
    host_disk_end();
    return 0;
}

// ---- Files ------------------------------------------------------------------------------------------------

static void make_file(const char *name, const void *bytes, size_t size, const void *more, size_t more_size) {
    const int file = openat(disk.folder, name, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    assert_true(file >= 0);
    assert_int_equal(write(file, bytes, size), size);
    assert_int_equal(write(file, more, more_size), more_size);
    close(file);
}

/// A recording that a kill has ended, with a torn end.
static void make_torn(const char *name) {
    make_file(name, the_sample.bytes, the_sample.size, TAIL, TAIL_SIZE);
}

static bool is_there(const char *name) {
    struct stat info;
    return fstatat(disk.folder, name, &info, AT_SYMLINK_NOFOLLOW) == 0;
}

static size_t read_whole(const char *name, uint8_t *bytes, size_t capacity) {
    const int file = openat(disk.folder, name, O_RDONLY);
    if (file < 0) {
        fail_msg("%s is not there: %s", name, host_rig_log);
    }
    const ssize_t size = read(file, bytes, capacity);
    close(file);
    assert_true(size >= 0 && (size_t)size < capacity);
    return (size_t)size;
}

static void expect_bytes(const char *name, const void *bytes, size_t size) {
    static uint8_t found[SAMPLE_CAPACITY];
    assert_int_equal(read_whole(name, found, sizeof found), size);
    assert_memory_equal(found, bytes, size);
}

static void expect_torn_as_it_was(const char *name) {
    static uint8_t bytes[SAMPLE_CAPACITY];
    memcpy(bytes, the_sample.bytes, the_sample.size);
    memcpy(bytes + the_sample.size, TAIL, TAIL_SIZE);
    expect_bytes(name, bytes, the_sample.size + TAIL_SIZE);
}

/// The sample with the end of a file that was sealed, and whose session goes on. @param stride  of the keyframes in the
/// index
static void expect_sealed(const char *name, const sample *s, const iso_recording_index_entry *index, uint32_t count,
                          uint32_t stride) {
    static iso_recording_index_entry entries[ISO_RECORDING_INDEX_MAX];
    static uint8_t bytes[SAMPLE_CAPACITY];
    iso_recording_footer footer = {.last_tick = s->tick,
                                   .goes_on = true,
                                   .has_root = true,
                                   .root_tick = s->tick,
                                   .root = sample_root(s->tick),
                                   .entries = entries};
    for (uint32_t i = 0; i < count; i += stride) {
        entries[footer.entry_count++] = index[i];
    }
    iso_recording_chain chain = s->chain;
    memcpy(bytes, s->bytes, s->size);
    const size_t end = iso_recording_encode_end(&footer, s->size, &chain, bytes + s->size, sizeof bytes - s->size);
    assert_true(end > 0);
    expect_bytes(name, bytes, s->size + end);
}

static void expect_sample_sealed(const char *name) {
    expect_sealed(name, &the_sample, the_sample.index, the_sample.index_count, 1);
}

static void note(iso__recovery_change_kind kind, const char *name, const char *why) {
    assert_true(iso__recovery_note(&recovery, kind, name, why));
}

static bool commit(void) {
    host_rig_clear_log();
    const bool is_safe = iso__recovery_commit(&recovery, &disk);
    assert_int_equal(recovery.change_count, 0);
    return is_safe;
}

static void expect_log(const char *text) {
    if (!host_rig_has_logged(text)) {
        fail_msg("'%s' is not said: %s", text, host_rig_log);
    }
}

/// Makes the copies that there may be of a file. @param last  receives the last one's name
static void make_all_copies(const char *stem, char last[60]) {
    for (unsigned i = 1; i <= ISO__RECOVERY_COPIES_MAX; ++i) {
        snprintf(last, 60, i == 1 ? "%s" : "%s-%u", stem, i);
        make_file(last, "", 0, "", 0);
    }
}

/// The lowest descriptor that is free: one that is left open has it.
static int free_descriptor(void) {
    const int file = dup(disk.folder);
    close(file);
    return file;
}

// ---- The file that is gone on from ------------------------------------------------------------------------

static void test_the_file_that_is_gone_on_from_is_sealed_and_keeps_its_name(void **state) {
    (void)state;
    const int free_before = free_descriptor();
    make_torn(PART);
    note(ISO__RECOVERY_SEAL, PART, "");
    assert_true(commit());
    expect_sample_sealed(PART);
    expect_bytes(FINAL ".torn", TAIL, TAIL_SIZE);
    assert_false(is_there(FINAL));
    assert_int_equal(the_disk.folder_syncs, 3); // of the copy, before others are done with, and at the end
    char text[200];
    snprintf(text, sizeof text, PART " has a torn end, after tick 140; its last %zu bytes are kept as " FINAL ".torn",
             TAIL_SIZE);
    expect_log(text);
    assert_int_equal(free_descriptor(), free_before);
}

/// Sealed by a process that died before its sync, perhaps.
static void test_a_file_that_has_its_end_is_only_synced(void **state) {
    (void)state;
    sample_seal(&the_sample);
    make_file(PART, the_sample.bytes, the_sample.size, "", 0);
    note(ISO__RECOVERY_SEAL, PART, "");
    assert_true(commit());
    expect_bytes(PART, the_sample.bytes, the_sample.size);
    assert_int_equal(the_disk.op_count, 3); // the file, the folder for it, the folder at the end
    assert_int_equal(host_rig_log[0], '\0');
    the_disk.syncs_fail = true;
    note(ISO__RECOVERY_SEAL, PART, "");
    assert_false(commit());
    expect_log("the recording " PART " cannot be sealed; it stays as it is");
    expect_bytes(PART, the_sample.bytes, the_sample.size);
}

static void test_pages_that_were_never_written_are_not_kept(void **state) {
    (void)state;
    static const uint8_t zeros[700];
    make_file(PART, the_sample.bytes, the_sample.size, zeros, sizeof zeros);
    note(ISO__RECOVERY_SEAL, PART, "");
    assert_true(commit());
    expect_sample_sealed(PART);
    assert_false(is_there(FINAL ".torn"));
    assert_int_equal(host_rig_log[0], '\0');
    // One byte that is not zero is kept with all that is around it.
    for (size_t at = 0; at < 3; ++at) {
        uint8_t tail[3] = {0};
        tail[at] = 4;
        make_file(PART, the_sample.bytes, the_sample.size, tail, sizeof tail);
        note(ISO__RECOVERY_SEAL, PART, "");
        assert_true(commit());
        expect_sample_sealed(PART);
        expect_bytes(FINAL ".torn", tail, sizeof tail);
        unlinkat(disk.folder, FINAL ".torn", 0);
    }
}

/// Whatever fails: nothing is lost, the next start finds a file with the same last tick, and no other file was touched.
static void test_every_fault_of_the_disk_leaves_all_that_was_recorded(void **state) {
    (void)state;
    bool is_safe = false;
    uint32_t faults = 0;
    for (uint32_t at = 1; !is_safe; ++at) {
        make_torn(PART);
        make_file("other.isr.part", "", 0, "", 0);
        unlinkat(disk.folder, FINAL ".torn", 0);
        host_disk_restart();
        the_disk.fault = HOST_DISK_FAILS;
        the_disk.fault_at = at;
        note(ISO__RECOVERY_REMOVE, "other.isr.part", "");
        note(ISO__RECOVERY_SEAL, PART, "");
        const int free_before = free_descriptor();
        is_safe = commit();
        assert_int_equal(free_descriptor(), free_before);
        if (is_safe) {
            break;
        }
        ++faults;
        assert_true(is_there("other.isr.part"));
        static uint8_t bytes[SAMPLE_CAPACITY];
        const size_t size = read_whole(PART, bytes, sizeof bytes);
        iso_recording recording;
        iso_recording_error error;
        assert_int_equal(iso_recording_open(&recording, bytes, size, ISO_RECORDING_TORN, &error), ISO_OK);
        assert_int_equal(recording.last_tick, 140);
        assert_memory_equal(bytes, the_sample.bytes, the_sample.size);
        // The torn end stands in the recording or, whole, beside it.
        if (is_there(FINAL ".torn")) {
            expect_bytes(FINAL ".torn", TAIL, TAIL_SIZE);
        } else {
            expect_torn_as_it_was(PART);
        }
    }
    // Of the copy: create, write, sync, the folder, close. Of the recording: truncate, write, sync, the folder.
    assert_int_equal(faults, 9);
    expect_sample_sealed(PART);
    assert_true(is_there("other.isr.part")); // its removal was the tenth
    unlinkat(disk.folder, "other.isr.part", 0);
}

static void test_a_file_is_not_sealed_without_memory(void **state) {
    (void)state;
    make_torn(PART);
    iso_recording_error error;
    assert_int_equal(iso__recovery_read(&recovery, disk.folder, PART, ISO_RECORDING_TORN, &error), ISO_OK);
    for (uint32_t count = 0; count < 2; ++count) {
        allocations_left = count;
        const iso_status status = iso__recovery_seal(&recovery, disk.folder, PART);
        allocations_left = UINT32_MAX;
        assert_int_equal(status, ISO_ERR_IO);
        expect_log("the recording " PART " cannot be sealed; it stays as it is");
        expect_torn_as_it_was(PART);
        assert_false(is_there(FINAL ".torn"));
    }
    assert_int_equal(iso__recovery_seal(&recovery, disk.folder, PART), ISO_OK);
    expect_sample_sealed(PART);
}

static void test_a_file_that_is_gone_cannot_be_sealed(void **state) {
    (void)state;
    make_torn(PART);
    iso_recording_error error;
    assert_int_equal(iso__recovery_read(&recovery, disk.folder, PART, ISO_RECORDING_TORN, &error), ISO_OK);
    assert_int_equal(unlinkat(disk.folder, PART, 0), 0);
    assert_int_equal(iso__recovery_seal(&recovery, disk.folder, PART), ISO_ERR_IO);
    expect_log("the recording " PART " cannot be sealed; it stays as it is");
    assert_int_equal(the_disk.op_count, 0);
    make_file("empty.isr.part", "", 0, "", 0);
    note(ISO__RECOVERY_REMOVE, "empty.isr.part", "");
    note(ISO__RECOVERY_SEAL, PART, "");
    assert_false(commit());
    expect_log("the recording " PART " cannot be sealed: No such file or directory");
    assert_true(is_there("empty.isr.part"));
}

/// A recording of many keyframes, one per tick.
static void make_many(sample *s, uint32_t count, iso_recording_index_entry *index) {
    static const uint8_t state[1] = {7};
    uint8_t stored[64];
    sample_begin(s, 0);
    const uint32_t stored_size = (uint32_t)iso_compress(state, sizeof state, stored, sizeof stored);
    for (uint32_t i = 0; i < count; ++i) {
        if (i > 0) {
            const iso_recording_tick tick = {
                .input = {.tick = ++s->tick}, .has_root = true, .hashed_tick = s->tick, .root = sample_root(s->tick)};
            s->size += iso_recording_encode_tick(&tick, &s->chain, s->bytes + s->size, SAMPLE_CAPACITY - s->size);
        }
        const iso_recording_keyframe keyframe = {.tick = s->tick,
                                                 .root = sample_root(s->tick),
                                                 .raw_size = 1,
                                                 .stored_size = stored_size,
                                                 .ticks_offset = s->size};
        index[i] = (iso_recording_index_entry){.tick = s->tick, .offset = s->size};
        const size_t size =
            iso_recording_encode_keyframe(&keyframe, stored, &s->chain, s->bytes + s->size, SAMPLE_CAPACITY - s->size);
        assert_true(size > 0);
        s->size += size;
    }
}

static void test_the_index_has_every_second_keyframe_when_there_are_too_many(void **state) {
    (void)state;
    static iso_recording_index_entry index[ISO_RECORDING_INDEX_MAX + 1];
    static const struct {
        uint32_t count, stride;
    } cases[] = {{ISO_RECORDING_INDEX_MAX - 1, 1}, {ISO_RECORDING_INDEX_MAX + 1, 2}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        sample many;
        make_many(&many, cases[i].count, index);
        make_file(PART, many.bytes, many.size, "", 0);
        note(ISO__RECOVERY_SEAL, PART, "");
        assert_true(commit());
        expect_sealed(PART, &many, index, cases[i].count, cases[i].stride);
        sample_free(&many);
    }
}

// ---- The others -------------------------------------------------------------------------------------------

static void test_a_file_that_nothing_goes_on_from_gets_its_final_name(void **state) {
    (void)state;
    make_torn(PART);
    const mode_t mask = umask(022);
    iso__disk_close(&disk);
    assert_int_equal(iso__disk_open(&disk, the_disk.folder), 0);
    note(ISO__RECOVERY_FINISH, PART, "");
    assert_true(commit());
    umask(mask);
    expect_sample_sealed(FINAL);
    assert_false(is_there(PART));
    expect_log("the recording " FINAL " is sealed, up to tick 140");
    struct stat info;
    assert_int_equal(fstatat(disk.folder, FINAL, &info, 0), 0);
    assert_int_equal(info.st_mode, S_IFREG | 0644); // others may read it
    assert_int_equal(the_disk.folder_syncs, 2);     // of the torn end's copy, and at the end
}

static void test_a_file_that_cannot_be_finished_keeps_its_name_and_the_others_are_done_with(void **state) {
    (void)state;
    make_torn(PART);
    make_file(FINAL, "mine", 4, "", 0);
    make_file("rubbish.isr.part", "rubbish", 7, "", 0);
    make_file("empty.isr.part", "", 0, "", 0);
    note(ISO__RECOVERY_FINISH, PART, "");
    note(ISO__RECOVERY_FINISH, "rubbish.isr.part", "");
    note(ISO__RECOVERY_REMOVE, "empty.isr.part", "");
    assert_true(commit());
    expect_sample_sealed(PART);
    expect_bytes(FINAL, "mine", 4);
    assert_false(host_rig_has_logged("is sealed"));
    expect_log("the recording rubbish.isr.part cannot be sealed: ");
    expect_bytes("rubbish.isr.part", "rubbish", 7);
    assert_false(is_there("empty.isr.part"));
    expect_log("the recording empty.isr.part had not begun and is removed");
}

static void test_a_file_is_put_aside_under_a_name_that_is_free(void **state) {
    (void)state;
    for (unsigned i = 1; i <= 3; ++i) {
        char aside[60], text[200];
        snprintf(aside, sizeof aside, i == 1 ? PART ".damaged" : PART ".damaged-%u", i);
        make_file(PART, &i, sizeof i, "", 0);
        note(ISO__RECOVERY_PUT_ASIDE, PART, "CORRUPT at offset 7");
        assert_true(commit());
        expect_bytes(aside, &i, sizeof i);
        assert_false(is_there(PART));
        snprintf(text, sizeof text,
                 "the recording " PART " cannot be continued: CORRUPT at offset 7; it is renamed to %s\n", aside);
        expect_log(text);
        assert_int_equal(the_disk.folder_syncs, i);
    }
    make_torn(PART);
    the_disk.fault = HOST_DISK_FAILS;
    the_disk.fault_at = the_disk.op_count + 1;
    note(ISO__RECOVERY_PUT_ASIDE, PART, "why");
    assert_true(commit());
    expect_torn_as_it_was(PART);
    expect_log("it could not be renamed to " PART ".damaged-4\n");
}

static void test_a_torn_beginning_is_kept_under_a_name_that_is_free(void **state) {
    (void)state;
    for (unsigned i = 1; i <= 2; ++i) {
        char aside[60], text[200];
        snprintf(aside, sizeof aside, i == 1 ? FINAL ".torn" : FINAL ".torn-%u", i);
        make_file(PART, &i, sizeof i, "", 0);
        note(ISO__RECOVERY_KEEP_TORN, PART, "");
        assert_true(commit());
        expect_bytes(aside, &i, sizeof i);
        assert_false(is_there(PART));
        snprintf(text, sizeof text,
                 "the beginning of the recording " PART
                 " is torn, and it cannot be continued; the rest of it is kept as %s\n",
                 aside);
        assert_string_equal(host_rig_log, text);
    }
    make_torn(PART);
    the_disk.fault = HOST_DISK_FAILS;
    the_disk.fault_at = the_disk.op_count + 1;
    note(ISO__RECOVERY_KEEP_TORN, PART, "");
    assert_true(commit());
    expect_torn_as_it_was(PART);
    assert_int_equal(host_rig_log[0], '\0'); // the disk has told it
}

static void test_a_file_stays_where_it_is_when_no_name_is_free(void **state) {
    (void)state;
    char last[60], text[200];
    make_torn(PART);
    make_all_copies(PART ".damaged", last);
    note(ISO__RECOVERY_PUT_ASIDE, PART, "why");
    assert_true(commit());
    expect_torn_as_it_was(PART);
    snprintf(
        text, sizeof text,
        "it keeps its name, since there are 99 damaged recordings already, up to %s: move them to another folder\n",
        last);
    expect_log(text);
    make_all_copies(FINAL ".torn", last);
    note(ISO__RECOVERY_KEEP_TORN, PART, "");
    assert_true(commit());
    expect_torn_as_it_was(PART);
    snprintf(text, sizeof text,
             "keeps its name: there are 99 copies of torn ends already, up to %s; move them to another folder\n", last);
    expect_log(text);
    note(ISO__RECOVERY_SEAL, PART, "");
    assert_false(commit());
    expect_torn_as_it_was(PART);
    // The last of them is given as well.
    assert_int_equal(unlinkat(disk.folder, last, 0), 0);
    note(ISO__RECOVERY_SEAL, PART, "");
    assert_true(commit());
    expect_bytes(last, TAIL, TAIL_SIZE);
}

/// Whatever has the name, a link to nowhere as well.
static void test_a_name_is_free_only_if_nothing_has_it(void **state) {
    (void)state;
    char name[60];
    assert_int_equal(symlinkat("nowhere", disk.folder, FINAL ".torn"), 0);
    assert_int_equal(mkdirat(disk.folder, FINAL ".torn-2", 0700), 0);
    assert_true(
        iso__recovery_find_free_name(disk.folder, FINAL, strlen(FINAL), ISO__RECORDING_TORN, name, sizeof name));
    assert_string_equal(name, FINAL ".torn-3");
    assert_int_equal(unlinkat(disk.folder, FINAL ".torn-2", AT_REMOVEDIR), 0);
    // A folder that cannot be asked has no free names.
    assert_false(iso__recovery_find_free_name(-1, FINAL, strlen(FINAL), ISO__RECORDING_TORN, name, sizeof name));
}

static void test_a_file_that_had_not_begun_and_cannot_be_removed_is_not_said_to_be(void **state) {
    (void)state;
    make_file(PART, "", 0, "", 0);
    the_disk.fault = HOST_DISK_FAILS;
    the_disk.fault_at = 1;
    note(ISO__RECOVERY_REMOVE, PART, "");
    assert_true(commit());
    assert_true(is_there(PART));
    assert_int_equal(host_rig_log[0], '\0');
}

static void test_a_recording_is_ignored_by_a_file_beside_it(void **state) {
    (void)state;
    const int free_before = free_descriptor();
    make_torn(PART);
    for (unsigned i = 1; i <= 2; ++i) {
        note(ISO__RECOVERY_IGNORE, PART, "");
        assert_true(commit());
        expect_bytes(PART ".ignored", "", 0);
        expect_torn_as_it_was(PART);
        assert_string_equal(host_rig_log,
                            "the recording " PART " is ignored; remove " PART ".ignored to continue from it\n");
        assert_int_equal(fsyncs, i); // a power cut must not bring it back
        assert_int_equal(the_disk.folder_syncs, i);
    }
    fsync_error = EIO;
    note(ISO__RECOVERY_IGNORE, PART, "");
    assert_true(commit());
    assert_string_equal(host_rig_log, PART
                        ".ignored cannot be created: Input/output error; the next start will find " PART " again\n");
    fsync_error = 0;
    assert_int_equal(free_descriptor(), free_before);
    // Nobody is waited for who reads a FIFO.
    assert_int_equal(unlinkat(disk.folder, PART ".ignored", 0), 0);
    assert_int_equal(mkfifoat(disk.folder, PART ".ignored", 0600), 0);
    note(ISO__RECOVERY_IGNORE, PART, "");
    assert_true(commit());
    assert_string_equal(host_rig_log,
                        PART ".ignored cannot be created: No such device or address; the next start will find " PART
                             " again\n");
    assert_int_equal(free_descriptor(), free_before);
}

// ---- What is noted ----------------------------------------------------------------------------------------

static void test_the_folder_is_left_alone_when_there_is_nothing_to_do(void **state) {
    (void)state;
    assert_true(commit());
    assert_int_equal(the_disk.op_count, 0);
    note(ISO__RECOVERY_FINISH, PART, ""); // it is not there
    assert_true(commit());
    assert_int_equal(the_disk.folder_syncs, 1);
}

static void test_any_number_of_changes_is_noted_and_none_without_memory(void **state) {
    (void)state;
    char name[40], why[40];
    uint32_t count = 0;
    for (; count < 8; ++count) {
        snprintf(name, sizeof name, "file-%u", count);
        snprintf(why, sizeof why, "reason %u", count);
        note(count % 2 == 0 ? ISO__RECOVERY_PUT_ASIDE : ISO__RECOVERY_IGNORE, name, why);
    }
    // The next one needs more memory.
    for (unsigned i = 0; i < 2; ++i) {
        allocations_left = 0;
        assert_false(iso__recovery_note(&recovery, ISO__RECOVERY_SEAL, "ninth", "why"));
        allocations_left = UINT32_MAX;
        expect_log("out of memory for the changes to ninth");
        assert_int_equal(recovery.change_count, 8);
    }
    for (; count < 40; ++count) {
        snprintf(name, sizeof name, "file-%u", count);
        snprintf(why, sizeof why, "reason %u", count);
        note(count % 2 == 0 ? ISO__RECOVERY_PUT_ASIDE : ISO__RECOVERY_IGNORE, name, why);
    }
    assert_int_equal(recovery.change_count, 40);
    for (uint32_t i = 0; i < count; ++i) {
        const iso__recovery_change *change = &recovery.changes[i];
        snprintf(name, sizeof name, "file-%u", i);
        snprintf(why, sizeof why, "reason %u", i);
        assert_int_equal(change->kind, i % 2 == 0 ? ISO__RECOVERY_PUT_ASIDE : ISO__RECOVERY_IGNORE);
        assert_string_equal(change->name, name);
        assert_string_equal(change->why, why);
    }
    iso__recovery_term(&recovery);
    assert_null(recovery.changes);
    assert_int_equal(recovery.change_count, 0);
    assert_int_equal(recovery.change_capacity, 0);
}

int main(void) {
#define CHANGES_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        CHANGES_TEST(test_the_file_that_is_gone_on_from_is_sealed_and_keeps_its_name),
        CHANGES_TEST(test_a_file_that_has_its_end_is_only_synced),
        CHANGES_TEST(test_pages_that_were_never_written_are_not_kept),
        CHANGES_TEST(test_every_fault_of_the_disk_leaves_all_that_was_recorded),
        CHANGES_TEST(test_a_file_is_not_sealed_without_memory),
        CHANGES_TEST(test_a_file_that_is_gone_cannot_be_sealed),
        CHANGES_TEST(test_the_index_has_every_second_keyframe_when_there_are_too_many),
        CHANGES_TEST(test_a_file_that_nothing_goes_on_from_gets_its_final_name),
        CHANGES_TEST(test_a_file_that_cannot_be_finished_keeps_its_name_and_the_others_are_done_with),
        CHANGES_TEST(test_a_file_is_put_aside_under_a_name_that_is_free),
        CHANGES_TEST(test_a_torn_beginning_is_kept_under_a_name_that_is_free),
        CHANGES_TEST(test_a_file_stays_where_it_is_when_no_name_is_free),
        CHANGES_TEST(test_a_name_is_free_only_if_nothing_has_it),
        CHANGES_TEST(test_a_file_that_had_not_begun_and_cannot_be_removed_is_not_said_to_be),
        CHANGES_TEST(test_a_recording_is_ignored_by_a_file_beside_it),
        CHANGES_TEST(test_the_folder_is_left_alone_when_there_is_nothing_to_do),
        CHANGES_TEST(test_any_number_of_changes_is_noted_and_none_without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
