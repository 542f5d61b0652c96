/// What a new process makes of the files that others have left: which one it goes on from, what becomes of the rest,
/// and when it refuses and touches nothing.
#include <dirent.h>
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

#include "host/recordings/recording_hand_in.h"
#include "host_rig.h"
#include "isostep/games.h"

static host_rig *rig;
static host_rig_peer member;
static uint32_t allocations_left = UINT32_MAX;

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *block, size_t size);
int __real_posix_memalign(void **block, size_t alignment, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *block, size_t size);
int __wrap_posix_memalign(void **block, size_t alignment, size_t size);

static bool may_allocate(void) {
    if (allocations_left == UINT32_MAX) {
        return true;
    }
    return allocations_left > 0 && allocations_left-- > 0;
}

void *__wrap_malloc(size_t size) {
    return may_allocate() ? __real_malloc(size) : NULL;
}

void *__wrap_calloc(size_t count, size_t size) {
    return may_allocate() ? __real_calloc(count, size) : NULL;
}

void *__wrap_realloc(void *block, size_t size) {
    return may_allocate() ? __real_realloc(block, size) : NULL;
}

int __wrap_posix_memalign(void **block, size_t alignment, size_t size) {
    return may_allocate() ? __real_posix_memalign(block, alignment, size) : ENOMEM;
}

static int set_up(void **state) {
    (void)state;
    rig = host_rig_make();
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    host_rig_free(rig);
    return 0;
}

/// Another process on the same folder. @return whether it starts
static bool restart_with(const iso__options *options) {
    rig = host_rig_next(rig, HOST_RIG_SECOND, options);
    return host_rig_start(rig);
}

static bool restart(void) {
    return restart_with(NULL);
}

/// A session with a member that runs for a while.
static void play(uint64_t ns) {
    host_rig_run(rig, 100 * HOST_RIG_MS);
    host_rig_join(rig, 0);
    host_rig_run(rig, ns);
    assert_true(rig->peers[0].is_active);
    member = rig->peers[0];
}

static void rename_end(const char *end, const char *new_end) {
    char from[400], to[450];
    snprintf(from, sizeof from, "%s", host_rig_path_of(end));
    snprintf(to, sizeof to, "%.*s%s", (int)(strlen(from) - strlen(end)), from, new_end);
    assert_int_equal(rename(from, to), 0);
}

static void flip_byte(const char *path, off_t offset) {
    uint8_t byte;
    int file = open(path, O_RDWR);
    assert_int_equal(pread(file, &byte, 1, offset), 1);
    byte ^= 0x10;
    assert_int_equal(pwrite(file, &byte, 1, offset), 1);
    close(file);
}

static off_t size_of(const char *path) {
    struct stat info;
    assert_int_equal(stat(path, &info), 0);
    return info.st_size;
}

static uint64_t hash_file(const char *path) {
    uint64_t hash = 14695981039346656037u;
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    for (int byte = fgetc(file); byte != EOF; byte = fgetc(file)) {
        hash = (hash ^ (uint64_t)byte) * 1099511628211u;
    }
    fclose(file);
    return hash;
}

/// Of the folder: which files there are, and what is in them.
static uint64_t hash_folder(void) {
    uint64_t hash = 0;
    DIR *dir = opendir(the_disk.folder);
    for (struct dirent *entry = readdir(dir); entry != NULL; entry = readdir(dir)) {
        char path[400];
        struct stat info;
        snprintf(path, sizeof path, "%s/%s", the_disk.folder, entry->d_name);
        if (entry->d_name[0] == '.' || stat(path, &info) != 0 || !S_ISREG(info.st_mode)) {
            continue;
        }
        uint64_t one = hash_file(path);
        for (const char *at = entry->d_name; *at != '\0'; ++at) {
            one = (one ^ (uint64_t)*at) * 1099511628211u;
        }
        hash += one;
    }
    closedir(dir);
    return hash;
}

static uint32_t epoch(void) {
    return rig->hosted.recording.config.header.epoch;
}

static void expect_refused(const char *why) {
    const uint64_t before = hash_folder();
    assert_false(restart());
    if (!host_rig_has_logged(why)) {
        fail_msg("'%s' is not said: %s", why, host_rig_log);
    }
    assert_true(hash_folder() == before);
}

static void expect_anew(void) {
    assert_int_equal(epoch(), 1);
    assert_int_equal(host_rig_tick(rig), 0);
}

// ---- Which file -------------------------------------------------------------------------------------------

static void test_a_killed_session_goes_on_and_its_file_is_finished_when_it_is_safe(void **state) {
    (void)state;
    assert_true(host_rig_start(rig));
    play(HOST_RIG_SECOND);
    const uint64_t shown = rig->shown_tick;
    assert_true(restart());
    assert_int_equal(epoch(), 2);
    assert_true(host_rig_tick(rig) >= shown);
    // It keeps its name until its successor survives a power cut.
    host_rig_path_of("-1.isr.part");
    host_rig_run(rig, 200 * HOST_RIG_MS);
    host_rig_path_of("-1.isr.part");
    host_rig_run(rig, 200 * HOST_RIG_MS);
    host_rig_path_of("-1.isr");
    host_rig_path_of("-2.isr.part");
    host_rig_resume(rig, 1, &member.welcome, member.tick, member.root);
    host_rig_run(rig, 500 * HOST_RIG_MS);
    assert_true(rig->peers[1].is_active);
    assert_int_equal(rig->peers[1].welcome.slot, member.welcome.slot);
}

static void test_who_cannot_prove_a_place_is_refused_and_joins_anew(void **state) {
    (void)state;
    assert_true(host_rig_start(rig));
    play(HOST_RIG_SECOND);
    assert_true(restart());
    for (uint32_t how = 0; how < 4; ++how) {
        iso_message_welcome wrong = member.welcome;
        wrong.secret[0] ^= how == 0;
        wrong.slot = (uint8_t)(wrong.slot + (how == 1));
        wrong.slot_generation += how == 2;
        wrong.uid[5] ^= how == 3;
        host_rig_resume(rig, how, &wrong, member.tick, member.root);
        host_rig_run(rig, 100 * HOST_RIG_MS);
        assert_false(rig->peers[how].is_welcomed);
        assert_int_equal(rig->peers[how].ended, ISO_ERR_NO_RESUME);
    }
    host_rig_join(rig, 5);
    host_rig_run(rig, 500 * HOST_RIG_MS);
    assert_true(rig->peers[5].is_active);
    assert_int_not_equal(rig->peers[5].welcome.slot, member.welcome.slot); // that one is held
}

static void test_a_session_that_was_sealed_in_order_is_over(void **state) {
    (void)state;
    assert_true(host_rig_start(rig));
    play(HOST_RIG_SECOND);
    host_rig_shut_down(rig);
    const uint64_t before = hash_file(host_rig_path_of("-1.isr"));
    char old[400];
    strcpy(old, host_rig_path_of("-1.isr"));
    assert_true(restart());
    expect_anew();
    assert_true(hash_file(old) == before);
}

/// Whether its session is over is then unknown: nothing begins anew beside it.
static void test_a_sealed_file_with_a_damaged_end_is_refused(void **state) {
    (void)state;
    struct stat info;
    char path[400];
    assert_true(host_rig_start(rig));
    play(HOST_RIG_SECOND);
    host_rig_shut_down(rig);
    strcpy(path, host_rig_path_of("-1.isr"));
    assert_int_equal(stat(path, &info), 0);
    const off_t sizes[] = {info.st_size + 100, info.st_size + 1, info.st_size - 1, info.st_size / 2, 10, 0};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; ++i) {
        assert_int_equal(truncate(path, sizes[i]), 0);
        expect_refused("it cannot be continued from");
        assert_true(host_rig_has_logged("--recover anew begins a new session and leaves the file as it is"));
    }
}

static void test_a_file_that_could_not_be_renamed_does_not_bring_its_session_back(void **state) {
    (void)state;
    assert_true(host_rig_start(rig));
    play(HOST_RIG_SECOND);
    assert_true(restart());
    host_rig_run(rig, HOST_RIG_SECOND);
    host_rig_shut_down(rig);
    rename_end("-1.isr", "-1.isr.part");
    assert_true(restart());
    expect_anew();
    assert_int_equal(host_rig_count_files("-1.isr"), 1);
    assert_int_equal(host_rig_count_files("-2.isr"), 1);
    assert_int_equal(host_rig_count_files(".part"), 0);
}

static void test_a_sealed_file_without_ticks_does_not_end_what_it_went_on_from(void **state) {
    (void)state;
    assert_true(host_rig_start(rig));
    play(HOST_RIG_SECOND);
    assert_true(restart());
    const uint64_t tick = host_rig_tick(rig);
    host_rig_shut_down(rig);
    assert_int_equal(host_rig_tick(rig), tick);
    rename_end("-1.isr", "-1.isr.part");
    assert_true(restart());
    assert_int_equal(epoch(), 3);
    assert_int_equal(host_rig_tick(rig), tick);
}

static void test_a_later_file_that_cannot_be_read_is_a_reason_to_refuse(void **state) {
    (void)state;
    assert_true(host_rig_start(rig));
    play(HOST_RIG_SECOND);
    assert_true(restart());
    host_rig_run(rig, HOST_RIG_SECOND);
    host_rig_shut_down(rig);
    rename_end("-1.isr", "-1.isr.part");
    flip_byte(host_rig_path_of("-2.isr"), size_of(host_rig_path_of("-2.isr")) / 2);
    expect_refused("it cannot be continued from");
}

static void test_a_file_that_had_not_begun_is_removed(void **state) {
    (void)state;
    assert_true(host_rig_start(rig));
    play(HOST_RIG_SECOND);
    const uint64_t shown = rig->shown_tick;
    char path[450];
    snprintf(path, sizeof path, "%s", host_rig_path_of("-1.isr.part"));
    strcpy(path + strlen(path) - strlen("-1.isr.part"), "-1.2.isr.part");
    close(open(path, O_WRONLY | O_CREAT, 0600));
    assert_true(restart());
    assert_true(host_rig_tick(rig) >= shown);
    assert_int_equal(access(path, F_OK), -1);
    assert_true(host_rig_has_logged("had not begun"));
    assert_int_equal(host_rig_count_files(".damaged"), 0);
}

static void test_the_next_epoch_is_above_all_that_the_folder_has_seen(void **state) {
    (void)state;
    assert_true(host_rig_start(rig));
    play(HOST_RIG_SECOND);
    char path[450];
    snprintf(path, sizeof path, "%s", host_rig_path_of("-1.isr.part"));
    strcpy(path + strlen(path) - strlen("-1.isr.part"), "-41.isr.torn");
    close(open(path, O_WRONLY | O_CREAT, 0600));
    assert_true(restart());
    assert_int_equal(epoch(), 42);
}

/// The path of a file beside the one that ends in "-1.isr.part".
static void make_beside(const char *end, char path[450]) {
    snprintf(path, 450, "%s", host_rig_path_of("-1.isr.part"));
    snprintf(path + strlen(path) - strlen("-1.isr.part"), 50, "%s", end);
    close(open(path, O_WRONLY | O_CREAT, 0600));
}

static void test_the_file_with_the_last_epoch_is_named(void **state) {
    (void)state;
    assert_true(host_rig_start(rig));
    play(HOST_RIG_SECOND);
    char path[450], why[200];
    make_beside("-4294967295.isr.torn", path);
    snprintf(why, sizeof why, ": %s has the last possible epoch", strrchr(path, '/') + 1);
    expect_refused(why);
    assert_true(host_rig_has_logged("-1.isr.part: "));
    assert_int_equal(unlink(path), 0);
    assert_true(restart());
    assert_int_equal(epoch(), 2);
}

/// It would be read as a whole.
static void test_a_file_that_is_too_large_is_refused(void **state) {
    (void)state;
    assert_true(host_rig_start(rig));
    play(HOST_RIG_SECOND);
    char path[450];
    make_beside("-2.isr.part", path);
    assert_int_equal(truncate(path, (off_t)ISO__RECOVERY_SIZE_MAX + 1), 0);
    host_rig_end(rig);
    assert_false(restart());
    assert_true(host_rig_has_logged("-2.isr.part: it is larger than 2 GiB"));
    iso__options options = rig->options;
    options.sessions[0].resume = path;
    assert_false(restart_with(&options));
    assert_true(host_rig_has_logged("-2.isr.part' cannot be read: it is larger than 2 GiB"));
    assert_int_equal(unlink(path), 0);
    assert_true(restart());
}

/// A file whose first keyframe is not whole holds no tick if it ends there. A disk that kept what is behind, and not
/// that, leaves something that is not thrown away.
static void test_a_file_whose_beginning_is_torn_is_kept(void **state) {
    (void)state;
    assert_true(host_rig_start(rig));
    play(100 * HOST_RIG_MS); // nothing but the keyframe is durable, and no mark says so yet
    char path[450];
    snprintf(path, sizeof path, "%s", host_rig_path_of("-1.isr.part"));
    host_rig_end(rig);
    static const uint8_t zeros[512];
    assert_true(size_of(path) > 2 * (off_t)sizeof zeros);
    int file = open(path, O_WRONLY);
    assert_int_equal(pwrite(file, zeros, sizeof zeros, 0), sizeof zeros);
    close(file);
    const uint64_t before = hash_file(path);
    assert_true(restart());
    expect_anew();
    assert_true(host_rig_has_logged("the beginning of the recording"));
    assert_int_equal(host_rig_count_files(".part"), 0);
    assert_true(hash_file(host_rig_path_of("-1.isr.torn")) == before);
    // The session that has begun goes on, as if that one had never been there.
    host_rig_run(rig, HOST_RIG_SECOND);
    assert_true(restart());
    assert_int_equal(epoch(), 2);
    assert_true(hash_file(host_rig_path_of("-1.isr.torn")) == before);
}

static void test_a_torn_end_that_cannot_be_kept_is_not_cut_off(void **state) {
    (void)state;
    assert_true(host_rig_start(rig));
    play(HOST_RIG_SECOND);
    char path[450], copy[450];
    snprintf(path, sizeof path, "%s", host_rig_path_of("-1.isr.part"));
    for (unsigned i = 1; i <= ISO__RECOVERY_COPIES_MAX; ++i) {
        char end[40];
        snprintf(end, sizeof end, i == 1 ? "-1.isr.torn" : "-1.isr.torn-%u", i);
        make_beside(end, copy);
    }
    int file = open(path, O_WRONLY | O_APPEND);
    assert_int_equal(write(file, "\x04\x01 and then the power failed", 26), 26);
    close(file);
    const uint64_t before = hash_file(path);
    assert_true(restart());
    assert_int_equal(epoch(), 2);
    assert_true(host_rig_has_logged("there are 99 copies already, up to "));
    assert_true(host_rig_has_logged("move them to another folder"));
    // It is not sealed, and never looks as if it were.
    host_rig_run(rig, HOST_RIG_SECOND);
    assert_true(hash_file(path) == before);
    assert_int_equal(host_rig_count_files("-1.isr"), 0);
    // When there is room again the next start puts it in order.
    assert_int_equal(unlink(copy), 0);
    assert_true(restart());
    assert_int_equal(epoch(), 3);
    assert_int_equal(host_rig_count_files("-1.isr"), 1);
    assert_int_equal(size_of(copy), 26);
}

static void test_other_names_are_nobodys_files(void **state) {
    (void)state;
    static const char *const names[] = {"main-1111111-1.isr.part",
                                        "main-1111111g-1.isr.part",
                                        "main-11111111-.isr.part",
                                        "main-11111111-1.ist.part",
                                        "main-11111111-99999999999.isr.part",
                                        "other-11111111-1.isr.part",
                                        "mainx",
                                        "main-11111111-1.isr.partial",
                                        "main-11111111-1.x.isr.part"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i) {
        char path[300];
        snprintf(path, sizeof path, "%s/%s", the_disk.folder, names[i]);
        close(open(path, O_WRONLY | O_CREAT, 0600));
    }
    char path[300];
    snprintf(path, sizeof path, "%s/main-22222222-1.isr.part", the_disk.folder);
    assert_int_equal(mkdir(path, 0700), 0);
    host_disk_restart();
    assert_true(host_rig_start(rig));
    expect_anew();
    host_rig_run(rig, 100 * HOST_RIG_MS);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i) {
        snprintf(path, sizeof path, "%s/%s", the_disk.folder, names[i]);
        assert_int_equal(unlink(path), 0);
    }
    snprintf(path, sizeof path, "%s/main-22222222-1.isr.part", the_disk.folder);
    assert_int_equal(rmdir(path), 0);
}

// ---- What cannot be gone on from --------------------------------------------------------------------------

static void test_a_corrupt_file_is_put_aside(void **state) {
    (void)state;
    assert_true(host_rig_start(rig));
    play(HOST_RIG_SECOND);
    char path[450];
    snprintf(path, sizeof path, "%s", host_rig_path_of(".part"));
    host_rig_end(rig);
    flip_byte(path, size_of(path) / 2);
    const uint64_t before = hash_file(path);
    assert_true(restart());
    expect_anew();
    assert_true(host_rig_has_logged("CORRUPT at offset"));
    strcat(path, ".damaged");
    assert_true(hash_file(path) == before);
}

/// Its predecessor ends before what clients were told to be safe.
static void test_nothing_before_a_corrupt_file_is_gone_on_from(void **state) {
    (void)state;
    assert_true(host_rig_start(rig));
    play(HOST_RIG_SECOND);
    assert_true(restart());
    host_rig_run(rig, HOST_RIG_SECOND);
    assert_int_equal(epoch(), 2);
    host_rig_path_of("-1.isr");
    char path[450];
    snprintf(path, sizeof path, "%s", host_rig_path_of("-2.isr.part"));
    host_rig_end(rig);
    flip_byte(path, size_of(path) / 2);
    assert_true(restart());
    expect_anew();
    host_rig_run(rig, HOST_RIG_SECOND);
    const uint64_t shown = rig->shown_tick;
    // Nor is it found at the next start, beside the session that has begun.
    assert_true(restart());
    assert_int_equal(epoch(), 2);
    assert_true(host_rig_tick(rig) >= shown);
}

static void test_a_torn_end_is_cut_off(void **state) {
    (void)state;
    assert_true(host_rig_start(rig));
    play(HOST_RIG_SECOND);
    const uint64_t shown = rig->shown_tick;
    int file = open(host_rig_path_of(".part"), O_WRONLY | O_APPEND);
    assert_int_equal(write(file, "\x04\x01 and then the power failed", 26), 26);
    close(file);
    assert_true(restart());
    assert_true(host_rig_tick(rig) >= shown);
    host_rig_run(rig, 500 * HOST_RIG_MS);
    // Sealed at its last whole tick: it opens strictly.
    FILE *old = fopen(host_rig_path_of("-1.isr"), "rb");
    static uint8_t bytes[1 << 20];
    const size_t size = fread(bytes, 1, sizeof bytes, old);
    fclose(old);
    iso_recording recording;
    iso_recording_error error;
    assert_int_equal(iso_recording_open(&recording, bytes, size, ISO_RECORDING_STRICT, &error), ISO_OK);
    assert_true(recording.last_tick >= shown && !recording.is_degraded);
    assert_true(recording.has_root && recording.root_tick == recording.last_tick);
}

static void test_a_renamed_file_is_refused(void **state) {
    (void)state;
    assert_true(host_rig_start(rig));
    play(HOST_RIG_SECOND);
    host_rig_end(rig);
    rename_end("-1.isr.part", "-7.isr.part");
    expect_refused("of another session or epoch than its name says");
}

/// A folder with two sessions of the same name, both of which can be gone on from.
static void make_two(void) {
    assert_true(host_rig_start(rig));
    play(HOST_RIG_SECOND);
    char from[450], to[450];
    snprintf(from, sizeof from, "%s", host_rig_path_of(".part"));
    snprintf(to, sizeof to, "%s/aside", the_disk.folder);
    host_rig_end(rig);
    assert_int_equal(rename(from, to), 0);
    assert_true(restart());
    expect_anew();
    host_rig_run(rig, HOST_RIG_SECOND);
    host_rig_end(rig);
    assert_int_equal(rename(to, from), 0);
}

static void test_two_sessions_of_a_name_are_refused(void **state) {
    (void)state;
    make_two();
    expect_refused("two sessions of this name can be continued");
}

static void test_what_is_left_alone_is_not_found_again(void **state) {
    (void)state;
    make_two();
    iso__options options = rig->options;
    options.recover_policy = ISO__RECOVER_ANEW;
    assert_true(restart_with(&options));
    expect_anew();
    assert_int_equal(host_rig_count_files(".ignored"), 2);
    host_rig_run(rig, HOST_RIG_SECOND);
    const uint64_t tick = host_rig_tick(rig);
    assert_true(restart()); // the third one's
    assert_int_equal(epoch(), 2);
    assert_true(host_rig_tick(rig) >= tick);
}

static void test_a_recording_that_was_given_up_comes_back_and_stays_as_it_is(void **state) {
    (void)state;
    assert_true(host_rig_start(rig));
    play(HOST_RIG_SECOND);
    iso__recording_give_up(&rig->hosted.recording, ISO_ERR_IO);
    host_rig_run(rig, 100 * HOST_RIG_MS);
    const uint64_t before = hash_file(host_rig_path_of("-1.isr"));
    char old[400];
    strcpy(old, host_rig_path_of("-1.isr"));
    assert_true(restart());
    assert_int_equal(epoch(), 2);
    host_rig_run(rig, 500 * HOST_RIG_MS);
    assert_true(hash_file(old) == before);
}

// ---- A file that is named ---------------------------------------------------------------------------------

static void test_a_sealed_recording_is_resumed_by_its_path(void **state) {
    (void)state;
    assert_true(host_rig_start(rig));
    play(HOST_RIG_SECOND);
    const uint64_t last = host_rig_tick(rig);
    host_rig_shut_down(rig);
    iso__options options = rig->options;
    static char path[450];
    snprintf(path, sizeof path, "%s", host_rig_path_of("-1.isr"));
    const uint64_t before = hash_file(path);
    options.sessions[0].resume = path;
    assert_true(restart_with(&options));
    assert_int_equal(epoch(), 2);
    assert_int_equal(host_rig_tick(rig), last);
    host_rig_run(rig, 500 * HOST_RIG_MS);
    assert_true(hash_file(path) == before);
    host_rig_shut_down(rig);
    flip_byte(path, size_of(path) / 2);
    assert_false(restart_with(&options));
    assert_true(host_rig_has_logged("CORRUPT at offset"));
    unlink(path);
    assert_false(restart_with(&options));
    assert_true(host_rig_has_logged("cannot be read"));
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_false(restart_with(&options));
}

// ---- Rules ------------------------------------------------------------------------------------------------

/// A rule that was not there when the recording was made, in a game whose version is still the same.
static void step_otherwise(struct iso_world *world, void *state) {
    if (iso_game_sandbox.after_step != NULL) {
        iso_game_sandbox.after_step(world, state);
    }
    ((uint8_t *)state)[iso_game_sandbox.state_size - 1] ^= 1;
}

static void test_rules_that_changed_without_a_new_version_are_named(void **state) {
    (void)state;
    assert_true(host_rig_start(rig));
    play(HOST_RIG_SECOND);
    host_rig_end(rig);
    const uint64_t before = hash_folder();
    iso_game changed = iso_game_sandbox;
    const iso_game *games[] = {&changed};
    rig = host_rig_next(rig, HOST_RIG_SECOND, NULL);
    rig->config.games = games;
    rig->config.game_count = 1;
    changed.after_step = step_otherwise;
    assert_false(host_rig_start(rig));
    if (strstr(host_rig_log,
               " is another one than was recorded, although all versions are the same; probably the rules of "
               "the game 'sandbox' changed without a new version of it: start 'test_host_recovery ") == NULL) {
        fail_msg("the reason is not told: %s", host_rig_log);
    }
    // Parameters have no version of their own either.
    changed.after_step = iso_game_sandbox.after_step;
    changed.param_count -= 1;
    rig = host_rig_next(rig, HOST_RIG_SECOND, NULL);
    rig->config.games = games;
    rig->config.game_count = 1;
    assert_false(host_rig_start(rig));
    assert_true(host_rig_has_logged("the parameters of its game 'sandbox' are others here"));
    assert_true(hash_folder() == before);
    // With the old rules it goes on.
    assert_true(restart());
}

// ---- Memory -----------------------------------------------------------------------------------------------

static void test_a_start_that_runs_out_of_memory_changes_no_recording(void **state) {
    (void)state;
    assert_true(host_rig_start(rig));
    play(HOST_RIG_SECOND);
    const uint64_t shown = rig->shown_tick;
    host_rig_end(rig);
    const uint64_t before = hash_folder();
    bool started = false;
    for (uint32_t count = 0; !started && count < 200; ++count) {
        free(rig);
        rig = calloc(1, sizeof *rig);
        host_disk_restart();
        rig->fails_after = &allocations_left;
        rig->allocations = count;
        started = host_rig_start(rig);
        allocations_left = UINT32_MAX;
        if (!started) {
            host_rig_end(rig);
            assert_true(hash_folder() == before);
            assert_true(host_rig_log[0] != '\0');
        }
    }
    assert_true(started);
    assert_int_equal(epoch(), 2);
    assert_true(host_rig_tick(rig) >= shown);
}

int main(void) {
#define HOST_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        HOST_TEST(test_a_killed_session_goes_on_and_its_file_is_finished_when_it_is_safe),
        HOST_TEST(test_who_cannot_prove_a_place_is_refused_and_joins_anew),
        HOST_TEST(test_a_session_that_was_sealed_in_order_is_over),
        HOST_TEST(test_a_sealed_file_with_a_damaged_end_is_refused),
        HOST_TEST(test_a_file_that_could_not_be_renamed_does_not_bring_its_session_back),
        HOST_TEST(test_a_sealed_file_without_ticks_does_not_end_what_it_went_on_from),
        HOST_TEST(test_a_later_file_that_cannot_be_read_is_a_reason_to_refuse),
        HOST_TEST(test_a_file_that_had_not_begun_is_removed),
        HOST_TEST(test_the_next_epoch_is_above_all_that_the_folder_has_seen),
        HOST_TEST(test_the_file_with_the_last_epoch_is_named),
        HOST_TEST(test_a_file_that_is_too_large_is_refused),
        HOST_TEST(test_a_file_whose_beginning_is_torn_is_kept),
        HOST_TEST(test_a_torn_end_that_cannot_be_kept_is_not_cut_off),
        HOST_TEST(test_other_names_are_nobodys_files),
        HOST_TEST(test_a_corrupt_file_is_put_aside),
        HOST_TEST(test_nothing_before_a_corrupt_file_is_gone_on_from),
        HOST_TEST(test_a_torn_end_is_cut_off),
        HOST_TEST(test_a_renamed_file_is_refused),
        HOST_TEST(test_two_sessions_of_a_name_are_refused),
        HOST_TEST(test_what_is_left_alone_is_not_found_again),
        HOST_TEST(test_a_recording_that_was_given_up_comes_back_and_stays_as_it_is),
        HOST_TEST(test_a_sealed_recording_is_resumed_by_its_path),
        HOST_TEST(test_rules_that_changed_without_a_new_version_are_named),
        HOST_TEST(test_a_start_that_runs_out_of_memory_changes_no_recording),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
