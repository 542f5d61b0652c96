/// Which of the files that sessions have left are looked at, in which order, and what is found in them: names, uids,
/// epochs and numbers alone, with recordings that hold no world.
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
#include "host/start/recovery_files.h"
#include "host/start/recovery_resume.h"
#include "host_rig.h"
#include "unit/proto/recording/recording_sample.h"

typedef enum made { PART, GOES_ON, OVER, DEGRADED } made;

static iso__disk disk;
static iso__recovery recovery;

static int set_up(void **state) {
    (void)state;
    recovery = (iso__recovery){0};
    host_rig_clear_log();
    host_disk_begin();
    return iso__disk_open(&disk, the_disk.folder);
}

static int tear_down(void **state) {
    (void)state;
    iso__recovery_term(&recovery);
    iso__disk_close(&disk);
    host_disk_end();
    return 0;
}

static char made_name[ISO_RECORDER_NAME_SIZE];

/// A recording of these ticks, the slot `member` in it. Its name stands in made_name then.
static void make(const char *session, uint8_t uid, uint32_t epoch, uint32_t number, uint64_t first_tick,
                 uint64_t last_tick, made how, uint8_t member) {
    static uint8_t bytes[1 << 16];
    static const uint8_t state[1] = {7};
    uint8_t stored[64];
    iso_recording_header header = sample_header();
    snprintf(header.session, sizeof header.session, "%s", session);
    memset(header.uid, uid, sizeof header.uid);
    header.epoch = epoch;
    header.first_tick = first_tick;
    iso_recording_chain chain;
    size_t size = iso_recording_encode_head(&header, &chain, bytes, sizeof bytes);
    const iso_recording_index_entry entry = {.tick = first_tick, .offset = size};
    const iso_recording_keyframe keyframe = {.tick = first_tick,
                                             .root = sample_root(first_tick),
                                             .raw_size = 1,
                                             .stored_size =
                                                 (uint32_t)iso_compress(state, sizeof state, stored, sizeof stored),
                                             .ticks_offset = size};
    size += iso_recording_encode_keyframe(&keyframe, stored, &chain, bytes + size, sizeof bytes - size);
    iso_recording_event event = sample_event_value(first_tick);
    event.slot = member;
    event.status = ISO_OK;
    size += iso_recording_encode_event(&event, &chain, bytes + size, sizeof bytes - size);
    for (uint64_t tick = first_tick + 1; tick <= last_tick; ++tick) {
        const iso_recording_tick one = {
            .input.tick = tick, .has_root = true, .hashed_tick = tick, .root = sample_root(tick)};
        size += iso_recording_encode_tick(&one, &chain, bytes + size, sizeof bytes - size);
    }
    const iso_recording_footer footer = {.last_tick = last_tick,
                                         .is_degraded = how == DEGRADED,
                                         .goes_on = how == GOES_ON || how == DEGRADED,
                                         .has_root = true,
                                         .root_tick = last_tick,
                                         .root = sample_root(last_tick),
                                         .entries = &entry,
                                         .entry_count = 1};
    // All of it is on the disk, and a mark behind it says so.
    const iso_recording_mark synced = {
        .salt = SAMPLE_SALT, .offset = size, .durable_offset = size, .durable_tick = last_tick};
    if (last_tick > first_tick) {
        size += iso_recording_encode_mark(&synced, &chain, bytes + size, sizeof bytes - size);
    }
    if (how != PART) {
        size += iso_recording_encode_end(&footer, size, &chain, bytes + size, sizeof bytes - size);
    }
    iso_recorder_make_name(&header, number, how == PART, made_name);
    const int file = openat(disk.folder, made_name, O_WRONLY | O_CREAT | O_EXCL, 0600);
    assert_true(file >= 0);
    assert_int_equal(write(file, bytes, size), size);
    close(file);
}

/// An empty file beside the one that was made last.
static void mark(const char *end) {
    char name[ISO_RECORDER_NAME_SIZE + 20];
    snprintf(name, sizeof name, "%s%s", made_name, end);
    close(openat(disk.folder, name, O_WRONLY | O_CREAT, 0600));
}

static bool find(void) {
    iso__recovery_term(&recovery);
    host_rig_clear_log();
    return iso__recovery_find(&recovery, &disk, "main", false);
}

static void expect_found(const char *name, uint32_t next_epoch) {
    if (!find() || !recovery.is_found) {
        fail_msg("%s is not found: %s", name, host_rig_log);
    }
    assert_string_equal(recovery.name, name);
    assert_int_equal(recovery.next_epoch, next_epoch);
}

static void expect_nothing(void) {
    if (!find() || recovery.is_found) {
        fail_msg("%s is found: %s", recovery.name, host_rig_log);
    }
    assert_int_equal(recovery.change_count, 0);
}

static void expect_change(size_t index, iso__recovery_change_kind kind, const char *name) {
    assert_true(index < recovery.change_count);
    assert_int_equal(recovery.changes[index].kind, kind);
    assert_string_equal(recovery.changes[index].name, name);
}

// ---- What is found ----------------------------------------------------------------------------------------

static void test_the_last_file_is_gone_on_from(void **state) {
    (void)state;
    expect_nothing();
    char last[ISO_RECORDER_NAME_SIZE];
    make("main", 0x11, 9, 1, 0, 10, GOES_ON, 1);
    make("main", 0x11, 10, 2, 10, 20, GOES_ON, 1);
    make("main", 0x11, 10, 10, 20, 30, PART, 1);
    memcpy(last, made_name, sizeof last);
    make("main", 0x11, 10, 9, 15, 20, GOES_ON, 1);
    make("main-a", 0x11, 50, 1, 0, 90, PART, 1); // another session, whose name begins so
    expect_found(last, 11);
    assert_int_equal(recovery.recording.last_tick, 30);
    assert_string_equal(recovery.part_name, last);
    assert_int_equal(strlen(recovery.final_name), strlen(last) - strlen(".part"));
    assert_memory_equal(recovery.final_name, last, strlen(recovery.final_name));
    assert_int_equal(recovery.change_count, 1);
    expect_change(0, ISO__RECOVERY_SEAL, last);
    assert_false(recovery.is_over);
}

static void test_a_sealed_file_says_whether_its_session_goes_on(void **state) {
    (void)state;
    make("main", 0x11, 1, 1, 0, 10, GOES_ON, 1);
    expect_found(made_name, 2);
    assert_string_equal(recovery.part_name, "");
    assert_int_equal(recovery.change_count, 0);
    make("main", 0x11, 2, 1, 10, 20, OVER, 1);
    expect_nothing();
    make("main", 0x11, 3, 1, 20, 30, DEGRADED, 1);
    expect_found(made_name, 4);
    assert_true(host_rig_has_logged("ended at tick 30 because of a disk error"));
}

static void test_what_is_ignored_or_damaged_hides_all_that_is_older(void **state) {
    (void)state;
    static const char *const ends[] = {ISO__RECORDING_IGNORED, ISO__RECORDING_DAMAGED, ISO__RECORDING_DAMAGED "-2"};
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; ++i) {
        void *none = NULL;
        make("main", 0x11, 1, 1, 0, 10, PART, 1);
        make("main", 0x11, 2, 1, 10, 20, PART, 1);
        mark(ends[i]);
        if (i > 0) { // that is what it is called now
            assert_int_equal(unlinkat(disk.folder, made_name, 0), 0);
        }
        expect_nothing();
        // A torn end that was kept says nothing.
        make("main", 0x11, 3, 1, 20, 30, PART, 1);
        mark(".torn");
        expect_found(made_name, 4);
        assert_int_equal(tear_down(&none), 0);
        assert_int_equal(set_up(&none), 0);
    }
}

static void test_a_damaged_session_does_not_hide_another_one_of_its_name(void **state) {
    (void)state;
    char damaged[ISO_RECORDER_NAME_SIZE];
    make("main", 0x11, 1, 1, 0, 10, PART, 1); // older than the damaged one
    make("main", 0x11, 2, 1, 10, 20, PART, 1);
    memcpy(damaged, made_name, sizeof damaged);
    const int file = openat(disk.folder, damaged, O_RDWR);
    assert_int_equal(pwrite(file, "\xFF", 1, lseek(file, 0, SEEK_END) - 100), 1); // before the mark
    close(file);
    make("main", 0x22, 1, 1, 0, 5, PART, 1);
    expect_found(made_name, 2);
    assert_int_equal(recovery.change_count, 2);
    expect_change(0, ISO__RECOVERY_PUT_ASIDE, damaged);
    expect_change(1, ISO__RECOVERY_SEAL, made_name);
}

static void test_who_was_there_before_a_file_that_has_only_begun_is_known(void **state) {
    (void)state;
    char begun[ISO_RECORDER_NAME_SIZE];
    make("main", 0x11, 1, 1, 0, 10, PART, 5);
    char before[ISO_RECORDER_NAME_SIZE];
    memcpy(before, made_name, sizeof before);
    // Another branch than what the first one holds behind its tick.
    make("main", 0x11, 2, 1, 8, 8, PART, 6);
    memcpy(begun, made_name, sizeof begun);
    expect_found(begun, 3);
    assert_true(recovery.has_before);
    const iso__roster none = {0};
    assert_memory_not_equal(&recovery.before, &none, sizeof none);
    assert_int_equal(recovery.change_count, 2);
    expect_change(0, ISO__RECOVERY_FINISH, before);
    expect_change(1, ISO__RECOVERY_SEAL, begun);
    // One that has ticks has said it itself.
    assert_int_equal(unlinkat(disk.folder, begun, 0), 0);
    make("main", 0x11, 2, 1, 8, 9, PART, 6);
    expect_found(made_name, 3);
    assert_false(recovery.has_before);
    // One without ticks that has begun where the other ends has nothing that this one has not.
    assert_int_equal(unlinkat(disk.folder, made_name, 0), 0);
    make("main", 0x11, 2, 1, 10, 10, PART, 6);
    expect_found(before, 3);
    expect_change(0, ISO__RECOVERY_FINISH, made_name);
    expect_change(1, ISO__RECOVERY_SEAL, before);
}

static void test_within_an_epoch_the_file_that_leads_further_is_gone_on_from(void **state) {
    (void)state;
    char first[ISO_RECORDER_NAME_SIZE];
    make("main", 0x11, 1, 1, 0, 20, PART, 1);
    memcpy(first, made_name, sizeof first);
    make("main", 0x11, 1, 2, 15, 20, PART, 1);
    expect_found(first, 2);
    assert_int_equal(unlinkat(disk.folder, made_name, 0), 0);
    make("main", 0x11, 1, 2, 15, 21, PART, 1);
    expect_found(made_name, 2);
    expect_change(0, ISO__RECOVERY_FINISH, first);
}

static void test_two_sessions_of_a_name_are_told_apart_by_their_uids(void **state) {
    (void)state;
    make("main", 0x11, 7, 1, 0, 20, OVER, 1);
    make("main", 0x22, 1, 1, 0, 5, PART, 1);
    expect_found(made_name, 2); // the other one's epochs are its own
    make("main", 0x33, 1, 1, 0, 5, GOES_ON, 1);
    assert_false(find());
    assert_true(host_rig_has_logged("two sessions of this name can be continued: "));
    // Both are left alone, if that is asked for.
    iso__recovery_term(&recovery);
    assert_true(iso__recovery_find(&recovery, &disk, "main", true));
    assert_false(recovery.is_found);
    assert_int_equal(recovery.change_count, 2);
    assert_int_equal(recovery.changes[0].kind, ISO__RECOVERY_IGNORE);
    assert_int_equal(recovery.changes[1].kind, ISO__RECOVERY_IGNORE);
    assert_string_not_equal(recovery.changes[0].name, recovery.changes[1].name);
}

static void test_a_file_that_is_named_may_be_torn_if_its_name_says_so(void **state) {
    (void)state;
    char path[400], sealed[400];
    make("main", 0x11, 4, 1, 0, 10, PART, 1);
    snprintf(path, sizeof path, "%s/%s", the_disk.folder, made_name);
    assert_true(iso__recovery_open(&recovery, NULL, path, false, false));
    assert_true(recovery.is_found);
    assert_int_equal(recovery.next_epoch, 5);
    iso__recovery_term(&recovery);
    snprintf(sealed, sizeof sealed, "%.*s", (int)(strlen(path) - strlen(".part")), path);
    assert_int_equal(rename(path, sealed), 0);
    assert_false(iso__recovery_open(&recovery, NULL, sealed, false, false));
    assert_true(host_rig_has_logged("TRUNCATED at offset "));
    iso__recovery_term(&recovery);
    assert_false(iso__recovery_open(&recovery, NULL, "-", false, false));
    assert_true(host_rig_has_logged("--resume: '-' cannot be read: No such file or directory"));
    // The epochs that the folder has seen count, and another session of its name is in the way.
    assert_int_equal(rename(sealed, path), 0);
    make("main", 0x11, 8, 1, 10, 20, OVER, 1);
    assert_true(iso__recovery_open(&recovery, &disk, path, false, false));
    assert_int_equal(recovery.next_epoch, 9);
    iso__recovery_term(&recovery);
    make("main", 0x22, 1, 1, 0, 5, PART, 1);
    assert_false(iso__recovery_open(&recovery, &disk, path, false, false));
    assert_true(host_rig_has_logged("is of another session of this name, which can be continued"));
    iso__recovery_term(&recovery);
    assert_true(iso__recovery_open(&recovery, &disk, path, false, true));
    expect_change(recovery.change_count - 1, ISO__RECOVERY_IGNORE, made_name);
}

// ---- Sessions that are not hosted -------------------------------------------------------------------------

static bool is_hosted(const void *user, const char *session) {
    (void)user;
    return strcmp(session, "main") == 0;
}

static unsigned count_lines(void) {
    unsigned lines = 0;
    for (const char *at = host_rig_log; *at != '\0'; ++at) {
        lines += *at == '\n';
    }
    return lines;
}

static void warn(void) {
    host_rig_clear_log();
    iso__recovery_warn_of_unhosted(&disk, is_hosted, NULL);
}

static void expect_warned(const char *session, const char *name) {
    char text[300];
    snprintf(text, sizeof text,
             "session %s: it is not hosted by this start, and its recording %s could be continued: --session %s "
             "does so\n",
             session, name, session);
    if (!host_rig_has_logged(text)) {
        fail_msg("'%s' is not said: %s", text, host_rig_log);
    }
}

static void test_sessions_that_are_not_hosted_are_named(void **state) {
    (void)state;
    char lobby[ISO_RECORDER_NAME_SIZE], arena[ISO_RECORDER_NAME_SIZE], other[ISO_RECORDER_NAME_SIZE],
        odd[ISO_RECORDER_NAME_SIZE];
    warn();
    assert_int_equal(count_lines(), 0);
    make("main", 0x11, 1, 1, 0, 5, PART, 1);
    make("lobby", 0x11, 1, 1, 0, 5, PART, 1);
    make("lobby", 0x11, 2, 1, 5, 9, PART, 1);
    memcpy(lobby, made_name, sizeof lobby);
    make("arena", 0x22, 1, 1, 0, 5, GOES_ON, 1);
    memcpy(arena, made_name, sizeof arena);
    make("arena", 0x33, 1, 1, 0, 5, PART, 1);
    memcpy(other, made_name, sizeof other);
    make("two-part-name", 0x33, 1, 1, 0, 5, PART, 1);
    memcpy(odd, made_name, sizeof odd);
    make("over", 0x33, 1, 1, 0, 5, PART, 1);
    make("over", 0x33, 2, 1, 5, 9, OVER, 1);
    make("lost", 0x33, 1, 1, 0, 5, GOES_ON, 1);
    make("lost", 0x33, 2, 1, 5, 9, PART, 1);
    mark(ISO__RECORDING_DAMAGED);
    assert_int_equal(unlinkat(disk.folder, made_name, 0), 0);
    warn();
    assert_int_equal(count_lines(), 4);
    expect_warned("lobby", lobby);
    expect_warned("arena", arena);
    expect_warned("arena", other);
    expect_warned("two-part-name", odd);
}

static void test_sessions_that_are_ignored_are_not_named(void **state) {
    (void)state;
    for (unsigned i = 0; i < 20; ++i) { // in whatever order the folder has them
        char session[20];
        snprintf(session, sizeof session, "s%u", i);
        make(session, (uint8_t)i, 1, 1, 0, 5, i % 2 == 0 ? PART : GOES_ON, 1);
        mark(ISO__RECORDING_IGNORED);
    }
    warn();
    assert_int_equal(count_lines(), 0);
    make("s3", 3, 2, 1, 5, 9, PART, 1);
    warn();
    assert_int_equal(count_lines(), 1);
    expect_warned("s3", made_name);
}

int main(void) {
#define FILES_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        FILES_TEST(test_the_last_file_is_gone_on_from),
        FILES_TEST(test_a_sealed_file_says_whether_its_session_goes_on),
        FILES_TEST(test_what_is_ignored_or_damaged_hides_all_that_is_older),
        FILES_TEST(test_a_damaged_session_does_not_hide_another_one_of_its_name),
        FILES_TEST(test_who_was_there_before_a_file_that_has_only_begun_is_known),
        FILES_TEST(test_within_an_epoch_the_file_that_leads_further_is_gone_on_from),
        FILES_TEST(test_two_sessions_of_a_name_are_told_apart_by_their_uids),
        FILES_TEST(test_a_file_that_is_named_may_be_torn_if_its_name_says_so),
        FILES_TEST(test_sessions_that_are_not_hosted_are_named),
        FILES_TEST(test_sessions_that_are_ignored_are_not_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
