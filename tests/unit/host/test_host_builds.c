/// Recordings of another build, another game or another world than this server's: what is refused, what can be gone on
/// from by choice, and that the folder stays as it was.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "host_rig.h"
#include "isostep/games.h"
#include "isostep/game.h"
#include "isostep/snapshot.h"

static host_rig *rig;
static uint32_t simulation_version_step, schema_step; // what the build of the moment differs by
static uint64_t last_keyframe;                        // of what was played

void __real_iso_fingerprint_make(const iso_world_def *def, const iso_game *game, iso_fingerprint *fingerprint);
void __wrap_iso_fingerprint_make(const iso_world_def *def, const iso_game *game, iso_fingerprint *fingerprint);

void __wrap_iso_fingerprint_make(const iso_world_def *def, const iso_game *game, iso_fingerprint *fingerprint) {
    __real_iso_fingerprint_make(def, game, fingerprint);
    fingerprint->simulation_version += simulation_version_step;
    fingerprint->schema += schema_step;
}

static int set_up(void **state) {
    (void)state;
    simulation_version_step = schema_step = 0;
    rig = host_rig_make();
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    host_rig_free(rig);
    return 0;
}

/// Another process on the same folder, with these games. @return whether it starts
static bool restart(uint32_t recover_policy, const iso_game *const *games, size_t game_count) {
    iso__options options = rig->options;
    options.recover_policy = recover_policy;
    rig = host_rig_next(rig, HOST_RIG_SECOND, &options);
    rig->config.games = games;
    rig->config.game_count = game_count;
    return host_rig_start(rig);
}

static uint64_t size_of_folder(void) {
    uint64_t size = 0;
    host_disk_restart();
    for (uint32_t i = 0; i < the_disk.file_count; ++i) {
        size += the_disk.files[i].size * (i + 1);
    }
    return size;
}

static void expect_refused(uint32_t policy, const char *why) {
    host_rig_end(rig);
    const uint64_t before = size_of_folder();
    assert_false(restart(policy, NULL, 0));
    const char *const texts[] = {why, "session main: it cannot be continued from main-", "not started, and main-",
                                 "is unchanged; it was recorded by 'test_host_builds "};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; ++i) {
        if (!host_rig_has_logged(texts[i])) {
            fail_msg("'%s' is not said: %s", texts[i], host_rig_log);
        }
    }
    assert_int_equal(size_of_folder(), before);
    assert_int_equal(host_rig_count_files(".part"), 1);
}

static void expect_anew(void) {
    assert_true(restart(ISO__RECOVER_ANEW, NULL, 0));
    assert_int_equal(host_rig_tick(rig), 0);
    assert_int_equal(rig->hosted.recording.config.header.epoch, 1);
    assert_int_equal(host_rig_count_files(".isr.part.ignored"), 1);
    host_rig_run(rig, 500 * HOST_RIG_MS);
    assert_int_equal(host_rig_count_files(".isr.part"), 2);
}

/// The last keyframe of the present recording. @return how many ticks stand behind it
static uint64_t find_keyframe(iso_recording_keyframe *keyframe) {
    static uint8_t bytes[1 << 20];
    char path[400];
    snprintf(path, sizeof path, "%s/%s", the_disk.folder, rig->hosted.report.name);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    const size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    iso_recording recording;
    iso_recording_error error;
    assert_int_equal(iso_recording_open(&recording, bytes, size, ISO_RECORDING_TORN, &error), ISO_OK);
    iso_recording_find_keyframe(&recording, recording.last_tick, keyframe);
    return recording.last_tick - keyframe->tick;
}

/// A session with a member that came before the recording's last keyframe, and one that came after it.
static void play(void) {
    iso_recording_keyframe keyframe = {0};
    assert_true(host_rig_start(rig));
    host_rig_run(rig, 100 * HOST_RIG_MS);
    host_rig_join(rig, 0);
    do {
        host_rig_run(rig, 10 * HOST_RIG_MS);
    } while (find_keyframe(&keyframe) > 2 || keyframe.tick < 40);
    host_rig_join(rig, 1);
    host_rig_run(rig, 200 * HOST_RIG_MS);
    assert_true(rig->peers[0].is_active && rig->peers[1].is_active);
    last_keyframe = keyframe.tick;
    assert_int_equal(find_keyframe(&keyframe), rig->shown_tick - last_keyframe);
    assert_true(rig->peers[0].join_tick < last_keyframe && rig->peers[1].join_tick > last_keyframe);
}

static void test_a_build_that_computes_differently_is_refused(void **state) {
    (void)state;
    char why[100];
    iso_fingerprint own;
    simulation_version_step = 1;
    play();
    simulation_version_step = 0;
    iso_fingerprint_make(&rig->hosted.recording.config.header.def, &iso_game_sandbox, &own);
    snprintf(why, sizeof why, "its simulation version is %u and its game's %u, here they are %u and %u",
             own.simulation_version + 1, own.game_version, own.simulation_version, own.game_version);
    expect_refused(ISO__RECOVER_REFUSE, why);
    expect_anew();
}

static void test_a_build_that_computes_differently_goes_on_from_the_last_keyframe_by_choice(void **state) {
    (void)state;
    simulation_version_step = 1;
    play();
    const host_rig_peer early = rig->peers[0];
    const uint64_t root = rig->roots[last_keyframe], shown = rig->shown_tick;
    assert_true(rig->is_known[last_keyframe]);
    simulation_version_step = 0;
    assert_true(restart(ISO__RECOVER_KEYFRAME, NULL, 0));
    assert_int_equal(host_rig_tick(rig), last_keyframe);
    assert_true(iso_world_root(rig->hosted.setup.world) == root);
    assert_int_equal(rig->hosted.recording.config.header.epoch, 2);
    assert_string_equal(rig->hosted.recording.config.header.scene_name, "floor");
    assert_int_equal(rig->hosted.recording.config.header.scene_size, rig->hosted.setup.scene_size);
    char text[160];
    snprintf(
        text, sizeof text,
        "continued from the keyframe of tick %u, in epoch 2; the %u ticks after it, up to tick %u, stay in the old "
        "recording",
        (unsigned)last_keyframe, (unsigned)(shown - last_keyframe), (unsigned)shown);
    if (!host_rig_has_logged(text)) {
        fail_msg("'%s' is not said: %s", text, host_rig_log);
    }
    // Who came after that tick never came.
    assert_int_equal(host_rig_stats(rig).held, 1);
    host_rig_resume(rig, 0, &early.welcome, early.tick, early.root);
    host_rig_run(rig, 500 * HOST_RIG_MS);
    assert_true(rig->peers[0].is_welcomed);
    assert_int_equal(rig->peers[0].welcome.slot, early.welcome.slot);
    assert_true(rig->peers[0].tick > last_keyframe);
}

/// Lets another file begin while the member of peer 0 is lost, after the tick of the keyframe that it begins with.
static void roll_while_it_is_lost(void) {
    const iso__recording *recording = &rig->hosted.recording;
    rig->hosted.recording.config.roll_size = 2000;
    rig->compression_takes_ns = 100 * HOST_RIG_MS;
    while (!recording->is_keeping) {
        host_rig_run(rig, 10 * HOST_RIG_MS);
    }
    while (rig->compressed.block != NULL) {
        host_rig_run(rig, 10 * HOST_RIG_MS);
    }
    while (rig->compressed.block == NULL) {
        host_rig_run(rig, 10 * HOST_RIG_MS);
    }
    host_rig_cut(rig, 0);
    while (recording->number < 2) {
        host_rig_run(rig, 10 * HOST_RIG_MS);
    }
    host_rig_run(rig, 50 * HOST_RIG_MS);
}

/// A file begins with the last event of each who is there, which may be of a later tick than its first keyframe.
static void test_a_member_comes_back_to_a_keyframe_whatever_is_told_of_it_since(void **state) {
    (void)state;
    simulation_version_step = 1;
    play();
    const host_rig_peer before = rig->peers[0];
    assert_true(restart(ISO__RECOVER_REFUSE, NULL, 0)); // it has joined in another run than the one that the file is of
    host_rig_resume(rig, 0, &before.welcome, before.tick, before.root);
    host_rig_run(rig, 500 * HOST_RIG_MS);
    assert_true(rig->peers[0].is_active);
    roll_while_it_is_lost();
    iso_recording_keyframe keyframe;
    find_keyframe(&keyframe);
    const host_rig_peer member = rig->peers[0];
    assert_true(rig->hosted.recording.roster.events[member.welcome.slot].about_tick > keyframe.tick);
    simulation_version_step = 0;
    assert_true(restart(ISO__RECOVER_KEYFRAME, NULL, 0));
    assert_int_equal(host_rig_tick(rig), keyframe.tick);
    host_rig_resume(rig, 0, &member.welcome, member.tick, member.root);
    host_rig_run(rig, 500 * HOST_RIG_MS);
    assert_true(rig->peers[0].is_active);
    assert_int_equal(rig->peers[0].welcome.slot, member.welcome.slot);
}

static void test_the_same_build_goes_on_from_the_last_tick_whatever_was_chosen(void **state) {
    (void)state;
    play();
    const uint64_t shown = rig->shown_tick;
    assert_true(restart(ISO__RECOVER_KEYFRAME, NULL, 0));
    assert_true(host_rig_tick(rig) >= shown);
    char text[100];
    snprintf(text, sizeof text, "continued from its recording at tick %u, in epoch 2, with its scene 'floor'",
             (unsigned)host_rig_tick(rig));
    assert_true(host_rig_has_logged(text));
    assert_int_equal(host_rig_stats(rig).held, 2);
}

static void test_states_of_another_schema_can_be_read_by_no_choice(void **state) {
    (void)state;
    schema_step = simulation_version_step = 1;
    play();
    schema_step = simulation_version_step = 0;
    expect_refused(ISO__RECOVER_REFUSE, "its states have another schema, which 'test_host_builds ");
    expect_refused(ISO__RECOVER_KEYFRAME, "start that, or one with its simulation version");
    expect_anew();
}

/// With the simulation's version as it was, it is the game whose state has other fields.
static void test_a_game_whose_state_has_other_fields_is_named(void **state) {
    (void)state;
    schema_step = 1;
    play();
    schema_step = 0;
    expect_refused(ISO__RECOVER_REFUSE, "the fields of the state of its game 'sandbox' are others here");
    expect_anew();
}

// ---- Games ------------------------------------------------------------------------------------------------

static char scene_path[200];

/// The scene of the rig, with a game of this name.
static void use_scene_with_game(const char *name) {
    static char text[1 << 14];
    const char *base = getenv("TMPDIR");
    assert_true(host_rig_start(rig)); // reads the options
    host_rig_end(rig);
    iso__options options = rig->options;
    FILE *file = fopen(options.sessions[0].scene, "rb");
    const size_t size = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[size] = '\0';
    const char *at = strstr(text, "{\"name\": \"sandbox\"}");
    assert_non_null(at);
    snprintf(scene_path, sizeof scene_path, "%s/isostep-scene-XXXXXX",
             base != NULL && strlen(base) < 100 ? base : "/tmp");
    const int descriptor = mkstemp(scene_path);
    assert_true(descriptor >= 0);
    file = fdopen(descriptor, "wb");
    fprintf(file, "%.*s{\"name\": \"%s\"}%s", (int)(at - text), text, name, strchr(at, '}') + 1);
    fclose(file);
    host_disk_end();
    host_disk_begin();
    options.sessions[0].scene = scene_path;
    rig = host_rig_next(rig, 0, &options);
}

static void test_a_game_of_ones_own_is_found_and_missed(void **state) {
    (void)state;
    iso_game own = iso_game_sandbox, other = iso_game_sandbox;
    own.name = "own";
    other.name = "other";
    const iso_game *const games[] = {&other, &own};
    use_scene_with_game("own");
    rig->config.games = games;
    rig->config.game_count = 2;
    play();
    assert_ptr_equal(iso_world_get_game(rig->hosted.setup.world), &own);
    assert_true(restart(ISO__RECOVER_REFUSE, games, 2));
    assert_ptr_equal(iso_world_get_game(rig->hosted.setup.world), &own);
    assert_int_equal(rig->hosted.recording.config.header.epoch, 2);
    expect_refused(ISO__RECOVER_REFUSE, "this server does not have its game 'own'");
    expect_refused(ISO__RECOVER_KEYFRAME, "this server does not have its game 'own'");
    unlink(scene_path);
}

static void test_another_version_of_the_game_computes_differently(void **state) {
    (void)state;
    iso_game newer = iso_game_sandbox;
    newer.version += 3;
    const iso_game *const games[] = {&newer};
    play();
    char why[60];
    snprintf(why, sizeof why, "and its game's %u, here they are", iso_game_sandbox.version);
    // A game that the program brings goes before one that the library has.
    assert_false(restart(ISO__RECOVER_REFUSE, games, 1));
    assert_true(host_rig_has_logged(why));
    assert_true(restart(ISO__RECOVER_REFUSE, NULL, 0));
    assert_int_equal(rig->hosted.recording.config.header.epoch, 2);
}

int main(void) {
#define HOST_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        HOST_TEST(test_a_build_that_computes_differently_is_refused),
        HOST_TEST(test_a_build_that_computes_differently_goes_on_from_the_last_keyframe_by_choice),
        HOST_TEST(test_a_member_comes_back_to_a_keyframe_whatever_is_told_of_it_since),
        HOST_TEST(test_the_same_build_goes_on_from_the_last_tick_whatever_was_chosen),
        HOST_TEST(test_states_of_another_schema_can_be_read_by_no_choice),
        HOST_TEST(test_a_game_whose_state_has_other_fields_is_named),
        HOST_TEST(test_a_game_of_ones_own_is_found_and_missed),
        HOST_TEST(test_another_version_of_the_game_computes_differently),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
