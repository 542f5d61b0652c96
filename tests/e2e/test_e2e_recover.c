/// What a server does with a recording that it cannot go on from: it does not start, says why, names the file and
/// leaves it as it is; and what it does instead when it is told to.
#include "e2e.h"

#include <fcntl.h>
#include <glob.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "recorder.h"
#include "recording_repair.h"

#include "isostep/heap.h"

static char folder[64], path[512], output[1 << 16];
static e2e_server server;
static e2e_player *player;

/// Plays for a moment, then kills the server. The player may come back.
static void play_and_kill(void) {
    e2e_folder_make(folder);
    e2e_server_start(&server, (const char *const[]){"--record", folder, "--keyframes", "30", NULL});
    player = e2e_player_start_in(server.port, "main", 60000);
    player->build_every = 20;
    assert_true(e2e_players_run(&player, 1, e2e_all_joined, 30000));
    e2e_players_run_for(&player, 1, 1200);
    assert_int_equal(e2e_server_stop(&server, SIGKILL), -1);
    assert_true(e2e_folder_find(folder, "-1.isr.part", path, sizeof path));
}

static void clean(void) {
    e2e_player_destroy(player);
    e2e_folder_remove(folder);
}

// ---- Files of other builds ----------------------------------------------------------------------------

/// Carries out what the recorder wants, in the file that stands in for the one that it names.
static void write_out(iso_recorder *recorder, int file) {
    iso_recorder_action action;
    while (iso_recorder_next_action(recorder, &action)) {
        iso_recorder_event done = {.kind = ISO_RECORDER_DONE, .action = action.kind, .size = action.size};
        if (action.kind == ISO_RECORDER_APPEND) {
            assert_int_equal(pwrite(file, action.bytes, action.size, (off_t)action.offset), action.size);
        }
        assert_int_equal(iso_recorder_handle(recorder, 0, &done), ISO_OK);
    }
}

static iso_status hand_in_frame(iso_recorder *recorder, const iso_recording *recording,
                                const iso_recording_frame *frame) {
    static iso_recording_tick_buffer buffer;
    static uint8_t stored[1 << 20];
    iso_recording_tick tick;
    iso_recording_keyframe keyframe;
    iso_recording_event event;
    switch (frame->type) {
    case ISO_RECORDING_TICK:
        assert_int_equal(iso_recording_read_tick(frame, &buffer, &tick), ISO_OK);
        return iso_recorder_handle(recorder, 0, &(iso_recorder_event){.kind = ISO_RECORDER_TICK, .tick = &tick});
    case ISO_RECORDING_EVENT:
        assert_int_equal(iso_recording_read_event(frame, &event), ISO_OK);
        return iso_recorder_handle(recorder, 0, &(iso_recorder_event){.kind = ISO_RECORDER_NOTE, .note = &event});
    case ISO_RECORDING_KEYFRAME:
        assert_int_equal(iso_recording_read_keyframe(frame, &keyframe), ISO_OK);
        assert_in_range(keyframe.stored_size, 1, sizeof stored);
        assert_int_equal(iso_recording_read_stored(recording, &keyframe, stored), ISO_OK);
        return iso_recorder_handle(
            recorder, 0, &(iso_recorder_event){.kind = ISO_RECORDER_KEYFRAME, .keyframe = &keyframe, .stored = stored});
    default:
        return ISO_OK;
    }
}

/// Writes the recording at `path` anew, as another build would have: what its ticks say stays.
static void rewrite(void (*change)(iso_recording_header *header)) {
    static uint8_t bytes[1 << 22];
    int file = open(path, O_RDWR);
    ssize_t size = read(file, bytes, sizeof bytes);
    iso_recording recording;
    iso_recording_error error;
    assert_int_equal(iso_recording_open(&recording, bytes, (uint64_t)size, ISO_RECORDING_TORN, &error), ISO_OK);
    iso_recording_header header = recording.header;
    change(&header);
    iso_recorder *recorder = NULL;
    iso_recorder_config config = {.allocator = iso_heap_allocator(), .buffer_size = 8 << 20};
    assert_int_equal(iso_recorder_create(&config, &recorder), ISO_OK);
    assert_int_equal(ftruncate(file, 0), 0);
    assert_int_equal(
        iso_recorder_handle(recorder, 0, &(iso_recorder_event){.kind = ISO_RECORDER_OPEN, .header = &header}), ISO_OK);
    uint64_t offset = recording.frames_offset;
    iso_recording_frame frame;
    while (iso_recording_next(&recording, &offset, &frame)) {
        assert_int_equal(hand_in_frame(recorder, &recording, &frame), ISO_OK);
        write_out(recorder, file);
    }
    iso_recorder_destroy(recorder);
    close(file);
}

static void change_version(iso_recording_header *header) {
    header->fingerprint.simulation_version += 1;
    strcpy(header->build, "isostep-server 9.9");
}

static void change_schema(iso_recording_header *header) {
    header->fingerprint.schema ^= 1;
    change_version(header);
}

static void change_game(iso_recording_header *header) {
    strcpy(header->fingerprint.game, "no-such-game");
    strcpy(header->def.game, "no-such-game");
}

// ---- Starting -----------------------------------------------------------------------------------------

static int run_with(const char *option, const char *value) {
    return e2e_run(E2E_SERVER,
                   (const char *const[]){"--tcp", "127.0.0.1:0", "--scene", E2E_SCENE, "--for", "1", "--record", folder,
                                         option, value, NULL},
                   output, sizeof output);
}

/// The start ends with exit code 3, names the file and has touched nothing. @param text  what it says
static void expect_refused(const char *option, const char *value, const char *text) {
    e2e_image *before = e2e_folder_read(folder);
    int code = run_with(option, value);
    if (code != 3 || strstr(output, "ready") != NULL || strstr(output, strrchr(path, '/') + 1) == NULL ||
        strstr(output, text) == NULL) {
        fail_msg("exit code %d, expected 3, the file's name and '%s' in: %s", code, text, output);
    }
    e2e_folder_expect(folder, before);
}

/// Whether the session that began anew has a recording that can be gone on from.
static bool has_begun_anew(void) {
    char pattern[128];
    glob_t found;
    bool has_begun = false;
    snprintf(pattern, sizeof pattern, "%s/*-1.isr.part", folder);
    if (glob(pattern, 0, NULL, &found) != 0) {
        return false;
    }
    for (size_t i = 0; i < found.gl_pathc; ++i) {
        char ignored[600];
        snprintf(ignored, sizeof ignored, "%s.ignored", found.gl_pathv[i]);
        has_begun = has_begun || (access(ignored, F_OK) != 0 && e2e_recording_has_begun(found.gl_pathv[i], NULL));
    }
    globfree(&found);
    return has_begun;
}

/// The server that is told to begins anew and leaves the file alone; when that one is killed, the next goes on from the
/// new session, although the old file is still there.
static void expect_begins_anew(void) {
    struct stat before, after;
    char mark[600];
    assert_int_equal(stat(path, &before), 0);
    e2e_server_start(&server, (const char *const[]){"--record", folder, "--recover", "anew", NULL});
    E2E_WAIT(has_begun_anew(), e2e_sleep_ms(10));
    assert_int_equal(e2e_server_stop(&server, SIGKILL), -1);
    e2e_server_start(&server, (const char *const[]){"--record", folder, NULL});
    assert_true(e2e_server_has_logged(&server, "continued from its recording"));
    assert_int_equal(e2e_server_stop(&server, SIGTERM), 0);
    assert_int_equal(stat(path, &after), 0);
    assert_int_equal(before.st_size, after.st_size);
    assert_int_equal(before.st_mtim.tv_sec, after.st_mtim.tv_sec);
    assert_int_equal(before.st_mtim.tv_nsec, after.st_mtim.tv_nsec);
    snprintf(mark, sizeof mark, "%s.ignored", path);
    assert_int_equal(access(mark, F_OK), 0);
    assert_false(e2e_folder_find(folder, ".damaged", mark, sizeof mark));
}

/// Whether the server continued from a keyframe of an earlier tick. On a busy machine a player may be behind all of
/// them.
static bool keyframe_is_before(uint64_t tick) {
    bool is_before = false;
    for (uint64_t k = 0; k < tick && !is_before; ++k) {
        char text[80];
        snprintf(text, sizeof text, "continued from the keyframe of tick %llu,", (unsigned long long)k);
        is_before = e2e_server_has_logged(&server, text);
    }
    return is_before;
}

static void test_a_recording_of_another_simulation_goes_on_from_its_last_keyframe_by_choice(void **state) {
    (void)state;
    play_and_kill();
    rewrite(change_version);
    uint64_t seen = iso_client_tick(player->client);
    expect_refused("--recover", "refuse", "'isostep-server 9.9' computes differently");
    assert_non_null(strstr(output, "--recover keyframe"));
    char address[32];
    snprintf(address, sizeof address, "127.0.0.1:%u", server.port);
    e2e_server_start(&server,
                     (const char *const[]){"--tcp", address, "--record", folder, "--recover", "keyframe", NULL});
    assert_true(e2e_server_has_logged(&server, "continued from the keyframe of tick"));
    // Whoever is ahead goes back, and stays a member.
    player->has_joined = false;
    assert_true(e2e_players_run(&player, 1, e2e_all_joined, 30000));
    assert_int_equal(player->resumes, 1);
    assert_int_equal(player->rewinds, keyframe_is_before(seen));
    assert_int_equal(player->joins, 1);
    e2e_players_run_for(&player, 1, 300);
    assert_int_equal(e2e_player_stats(player).desyncs, 0);
    assert_int_equal(e2e_server_stop(&server, SIGTERM), 0);
    assert_true(e2e_folder_find(folder, "-2.isr", path, sizeof path));
    if (e2e_run(E2E_REPLAY, (const char *const[]){"verify", path, NULL}, output, sizeof output) != 0) {
        fail_msg("%s does not verify: %s", path, output);
    }
    clean();
}

static void test_a_recording_of_another_schema_is_refused_and_names_who_reads_it(void **state) {
    (void)state;
    play_and_kill();
    rewrite(change_schema);
    expect_refused("--recover", "refuse", "another schema, which 'isostep-server 9.9' can read");
    expect_refused("--recover", "keyframe", "another schema");
    expect_begins_anew();
    clean();
}

static void test_a_recording_of_a_game_that_is_missing_is_refused(void **state) {
    (void)state;
    play_and_kill();
    rewrite(change_game);
    expect_refused("--recover", "keyframe", "does not have its game 'no-such-game'");
    expect_begins_anew();
    clean();
}

static void test_a_recording_that_needs_more_memory_is_left_alone(void **state) {
    (void)state;
    play_and_kill();
    expect_refused("--memory", "1", "--memory");
    expect_refused("--memory", "12", "--memory");
    assert_int_equal(run_with("--memory", "64"), 0);
    assert_non_null(strstr(output, "continued from its recording"));
    clean();
}

static void test_a_recording_that_cannot_be_read_is_left_alone(void **state) {
    (void)state;
    char fault[80], shell[2000];
    play_and_kill();
    e2e_image *before = e2e_folder_read(folder);
    snprintf(fault, sizeof fault, "%s-fault", folder);
    int file = open(fault, O_WRONLY | O_CREAT, 0600);
    assert_int_equal(write(file, "r", 1), 1);
    close(file);
    snprintf(
        shell, sizeof shell,
        "LD_PRELOAD=%s E2E_DISK=%s ASAN_OPTIONS=verify_asan_link_order=0 exec %s --tcp 127.0.0.1:0 --record %s --for 1",
        E2E_FAULTY_DISK, fault, E2E_SERVER, folder);
    assert_int_equal(e2e_run("/bin/sh", (const char *const[]){"-c", shell, NULL}, output, sizeof output), 3);
    assert_non_null(strstr(output, strrchr(path, '/') + 1));
    assert_non_null(strstr(output, "Input/output error"));
    e2e_folder_expect(folder, before);
    unlink(fault);
    clean();
}

static void copy(const char *from, const char *to) {
    static uint8_t bytes[1 << 22];
    int in = open(from, O_RDONLY), out = open(to, O_WRONLY | O_CREAT | O_EXCL, 0600);
    ssize_t size = read(in, bytes, sizeof bytes);
    assert_true(size > 0);
    assert_int_equal(write(out, bytes, (size_t)size), size);
    close(in);
    close(out);
}

/// What somebody else has put where the mark of a file that is left alone belongs is neither followed nor waited for.
static void test_a_mark_that_cannot_be_made_is_told(void **state) {
    (void)state;
    char mark[600], target[80];
    play_and_kill();
    rewrite(change_schema);
    snprintf(mark, sizeof mark, "%s.ignored", path);
    snprintf(target, sizeof target, "%s-elsewhere", folder);
    for (unsigned i = 0; i < 2; ++i) {
        assert_int_equal(i == 0 ? symlink(target, mark) : mkfifo(mark, 0600), 0);
        assert_int_equal(run_with("--recover", "anew"), 0);
        assert_non_null(strstr(output, ".ignored cannot be created"));
        assert_int_equal(access(target, F_OK), -1);
        assert_int_equal(unlink(mark), 0);
    }
    clean();
}

static void change_uid(iso_recording_header *header) {
    memset(header->uid, 0xAB, sizeof header->uid);
}

static void test_which_of_two_sessions_goes_on_is_not_guessed(void **state) {
    (void)state;
    char first[512], second[600];
    play_and_kill();
    memcpy(first, path, sizeof first);
    snprintf(second, sizeof second, "%s/main-abababab-1.isr.part", folder);
    // A copy under another session's name is neither that one's nor proven to be damaged.
    copy(first, second);
    memcpy(path, second, sizeof path);
    expect_refused("--recover", "refuse", "than its name says");
    rewrite(change_uid);
    // Whichever was written last.
    for (unsigned i = 0; i < 2; ++i) {
        assert_int_equal(utimensat(AT_FDCWD, i == 0 ? first : second, NULL, 0), 0);
        expect_refused("--recover", "refuse", strrchr(first, '/') + 1);
    }
    expect_begins_anew();
    snprintf(second, sizeof second, "%s.ignored", first);
    assert_int_equal(access(second, F_OK), 0);
    clean();
}

/// Gives the recording another name of the same length, as an older server has written it.
static void rename_session(const char *from, const char *to) {
    static uint8_t bytes[1 << 20];
    FILE *file = fopen(path, "r+b");
    assert_non_null(file);
    const size_t size = fread(bytes, 1, sizeof bytes, file);
    assert_true(size < sizeof bytes);
    uint8_t *at = memmem(bytes, size, from, strlen(from));
    assert_non_null(at);
    memcpy(at, to, strlen(to));
    recording_repair(bytes, size);
    rewind(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
    char other[512];
    snprintf(other, sizeof other, "%s", path);
    memcpy(strstr(other, from), to, strlen(to));
    assert_int_equal(rename(path, other), 0);
}

/// Its recordings would look like options, so none begins under such a name; one that an older server has recorded goes
/// on.
static void test_a_name_with_a_hyphen_in_front_goes_on_but_does_not_begin(void **state) {
    (void)state;
    e2e_folder_make(folder);
    const char *const arguments[] = {"--record", folder, "--session", "-old-one", NULL};
    const char *const with_address[] = {"--tcp", "127.0.0.1:0", "--record", folder, "--session", "-old-one", NULL};
    assert_int_equal(e2e_run(E2E_SERVER, with_address, output, sizeof output), 2);
    assert_non_null(strstr(output, "session -old-one: the name of a new session begins with a letter or a digit"));
    e2e_server_start(&server, (const char *const[]){"--record", folder, "--session", "zold-one", NULL});
    assert_int_equal(e2e_server_stop(&server, SIGTERM), 0);
    assert_true(e2e_folder_find(folder, ".isr", path, sizeof path));
    rename_session("zold-one", "-old-one");
    e2e_server_start(&server, arguments);
    assert_true(e2e_server_has_logged(&server, "session -old-one: continued"));
    assert_int_equal(e2e_server_stop(&server, SIGTERM), 0);
    e2e_folder_remove(folder);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_recording_of_another_simulation_goes_on_from_its_last_keyframe_by_choice),
        cmocka_unit_test(test_a_recording_of_another_schema_is_refused_and_names_who_reads_it),
        cmocka_unit_test(test_a_recording_of_a_game_that_is_missing_is_refused),
        cmocka_unit_test(test_a_recording_that_needs_more_memory_is_left_alone),
        cmocka_unit_test(test_a_recording_that_cannot_be_read_is_left_alone),
        cmocka_unit_test(test_a_mark_that_cannot_be_made_is_told),
        cmocka_unit_test(test_a_name_with_a_hyphen_in_front_goes_on_but_does_not_begin),
        cmocka_unit_test(test_which_of_two_sessions_goes_on_is_not_guessed),
    };
    e2e_limit_seconds(110);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
