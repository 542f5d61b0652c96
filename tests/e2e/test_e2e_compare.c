/// isostep-replay compare, perturb and trim: what was changed on purpose must be found, in exactly that place.
#include "e2e.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "e2e_recording.h"
#include "e2e_tool.h"

/// right.isr: 700 ticks with the root of each.
static void make_right(void) {
    e2e_recording w = {0};
    e2e_recording_make(&w, path_of("right.isr"), 700);
}

/// Changes right.isr into other.isr.
static void perturb(const char *tick, const char *option, const char *change, bool keep_roots) {
    assert_int_equal(replay("perturb", path_of("right.isr"), "--tick", tick, option, change, "-o", path_of("other.isr"),
                            "--force", keep_roots ? "--keep-roots" : "--force"),
                     0);
}

static int compare(void) {
    return replay("compare", path_of("right.isr"), path_of("other.isr"), "--json");
}

static void test_compare_finds_a_flipped_bit_in_its_tick_and_field(void **state) {
    (void)state;
    static const struct {
        const char *tick, *flip, *section, *field;
        uint64_t record, element;
    } cases[] = {
        {"437", "bodies[3].position[1]:12", "bodies", "position", 3, 1},
        {"1", "bodies[9].angle:30", "bodies", "angle", 9, 0},
        {"300", "globals.commands_applied:0", "globals", "commands_applied", 0, 0}, // a keyframe is there already
        {"599", "game.buttons[5]:7", "game", "buttons", 0, 5},
        {"700", "slots[0].control[2]:3", "slots", "control", 0, 2},
        {"0", "bodies[4].velocity[0]:9", "bodies", "velocity", 4, 0},
        {"200", "shapes[7].friction:14", "shapes", "friction", 7, 0}, // behind polygons with few vertices
        {"650", "joints[5].impulse[1]:9", "joints", "impulse", 5, 1},
        {"333", "contacts[4].normal_impulse[0]:2", "contacts", "normal_impulse", 4, 0},
    };
    make_right();
    for (size_t i = 0; i < 2 * sizeof cases / sizeof cases[0]; ++i) {
        const size_t at = i / 2;
        const uint64_t tick = strtoull(cases[at].tick, NULL, 10);
        perturb(cases[at].tick, "--flip", cases[at].flip, i % 2 == 1);
        assert_int_equal(compare(), 1);
        assert_says("\"result\":\"different\"");
        assert_int_equal(number_after("\"first_bad_tick\":"), tick);
        assert_int_equal(number_after("\"state_tick\":"), tick);
        char place[96];
        snprintf(place, sizeof place, "\"section\":\"%s\",\"record\":%u,\"field\":\"%s\",\"element\":%u",
                 cases[at].section, (unsigned)cases[at].record, cases[at].field, (unsigned)cases[at].element);
        assert_says(place);
        assert_int_equal(number_after("\"difference_count\":"), 1);
        assert_says("\"inputs\":[]");
        // No input explains the flip, unless it is the first state.
        const int code = replay("verify", path_of("other.isr"), "--json");
        assert_int_equal(code, tick > 0 || i % 2 == 1);
        if (code == 1) {
            assert_int_equal(number_after("\"first_bad_tick\":"), tick);
        }
    }
}

static void test_compare_finds_a_changed_or_dropped_command(void **state) {
    (void)state;
    make_right();
    static const struct {
        const char *change, *in, *kind;
    } cases[] = {
        {"drop:0", "\"in\":\"a\"", "\"kind\":\"SET_CONTROL\",\"slot\":0,\"sequence\":1004"},
        {"change", "\"in\":\"both\"", "\"kind\":\"SET_CONTROL\",\"slot\":0,\"sequence\":1004"},
        {"flip:0:25", "\"in\":\"both\"", "\"kind\":\"SET_CONTROL\",\"slot\":0,\"sequence\":1004"},
    };
    for (size_t i = 0; i < 2 * sizeof cases / sizeof cases[0]; ++i) {
        const bool keep_roots = i % 2 == 1;
        perturb("502", "--command", cases[i / 2].change, keep_roots);
        assert_int_equal(compare(), 1);
        assert_int_equal(number_after("\"first_bad_tick\":"), 502);
        assert_int_equal(number_after("\"ticks\":"), 501);
        assert_says(cases[i / 2].in);
        assert_says(cases[i / 2].kind);
        assert_true(number_after("\"difference_count\":") > 0);
        // With new roots it is a right recording of something else, with the old ones it lies from there on.
        assert_int_equal(replay("verify", path_of("other.isr"), "--json"), keep_roots);
        if (keep_roots) {
            assert_int_equal(number_after("\"first_bad_tick\":"), 502);
        }
    }
    // The other way round it is B that has a command more.
    perturb("502", "--command", "drop", false);
    assert_int_equal(replay("compare", path_of("other.isr"), path_of("right.isr"), "--json"), 1);
    assert_says("\"sequence\":1004,\"in\":\"b\"}],\"state_tick\"");
    perturb("500", "--command", "drop", false);
    assert_says("tick 502 slot 0 sequence 1004 SET_CONTROL dropped");
    assert_int_equal(replay("dump", path_of("other.isr"), "--from", "502", "--to", "502"), 0);
    assert_says("perturbed: slot 0 sequence 1004 SET_CONTROL dropped");
}

static void test_compare_tells_a_person_what_differs(void **state) {
    (void)state;
    make_right();
    perturb("502", "--command", "drop", false);
    assert_int_equal(replay("compare", path_of("right.isr"), path_of("other.isr")), 1);
    assert_says("different from tick 502 on; 501 ticks before it are equal");
    assert_says("slot 0 sequence 1004 SET_CONTROL");
    assert_says("no such command");
    assert_says("slots[0].last_sequence");
    perturb("437", "--flip", "bodies[3].position[1]:32", false);
    assert_int_equal(replay("compare", path_of("right.isr"), path_of("other.isr")), 1);
    assert_says("bodies[3].position[1]");
    assert_says(" m (");
    assert_says("1 field: 1 of bodies");
    assert_int_equal(replay("compare", path_of("right.isr")), 0);
    assert_says("equal: 700 ticks");
}

static void test_compare_finds_the_tick_between_roots_that_are_rare(void **state) {
    (void)state;
    e2e_recording rare = {.root_every = 50, .root_lag = 3};
    e2e_recording_make(&rare, path_of("right.isr"), 700);
    perturb("437", "--flip", "bodies[3].position[1]:12", false);
    assert_int_equal(compare(), 1);
    assert_int_equal(number_after("\"first_bad_tick\":"), 437);
    perturb("442", "--command", "change", false);
    assert_int_equal(compare(), 1);
    assert_int_equal(number_after("\"first_bad_tick\":"), 442);
}

static void test_compare_with_the_simulation_finds_what_was_recorded_wrong(void **state) {
    (void)state;
    e2e_recording root = {.lie_root_at = 123};
    e2e_recording_make(&root, path_of("lie.isr"), 310);
    assert_int_equal(replay("compare", path_of("lie.isr"), "--json"), 1);
    assert_int_equal(number_after("\"first_bad_tick\":"), 123);
    assert_int_equal(number_after("\"difference_count\":"), 0);
    assert_int_equal(replay("compare", path_of("lie.isr")), 1);
    assert_says("one of the roots is not of its recording");
    e2e_recording keyframe = {.lie_keyframe_at = 300};
    e2e_recording_make(&keyframe, path_of("lie.isr"), 310);
    assert_int_equal(replay("compare", path_of("lie.isr"), "--json"), 1);
    assert_int_equal(number_after("\"first_bad_tick\":"), 300);
    assert_says("\"section\":\"bodies\"");
    // verify names the field, too, in its unit.
    assert_int_equal(replay("verify", path_of("lie.isr")), 1);
    assert_says("position[0]: recorded ");
    assert_says(" m (");
    // A command was changed and the roots were not: what was recorded is known again from the next keyframe on.
    make_right();
    perturb("502", "--command", "change", true);
    assert_int_equal(replay("compare", path_of("other.isr"), "--json"), 1);
    assert_int_equal(number_after("\"first_bad_tick\":"), 502);
    assert_int_equal(number_after("\"state_tick\":"), 600);
    assert_true(number_after("\"difference_count\":") > 0);
}

/// One line, whatever differs.
static void test_bisect_names_where_two_recordings_part(void **state) {
    (void)state;
    make_right();
    perturb("437", "--flip", "bodies[3].position[1]:12", false);
    assert_int_equal(replay("bisect", path_of("right.isr"), path_of("other.isr")), 1);
    assert_int_equal(strncmp(tool_output, "tick 437 bodies[3].position[1]: A ", 34), 0);
    assert_says(" m (");
    assert_ptr_equal(strchr(tool_output, '\n'), tool_output + strlen(tool_output) - 1);
    assert_int_equal(replay("bisect", path_of("right.isr"), path_of("other.isr"), "--json"), 1);
    assert_int_equal(number_after("\"first_bad_tick\":"), 437);
    assert_says("\"section\":\"bodies\",\"record\":3,\"field\":\"position\",\"element\":1");
    perturb("502", "--command", "change", true);
    assert_int_equal(replay("bisect", path_of("right.isr"), path_of("other.isr")), 1);
    assert_says("tick 502 slots[0].control[1]: A 192, B 224");
    e2e_recording root = {.lie_root_at = 250};
    e2e_recording_make(&root, path_of("lie.isr"), 310);
    assert_int_equal(replay("bisect", path_of("right.isr"), path_of("lie.isr")), 1);
    assert_says("tick 250 root: A ");
    assert_int_equal(replay("bisect", path_of("right.isr"), path_of("right.isr")), 0);
    assert_string_equal(tool_output, "equal from tick 0 to tick 700\n");
    assert_int_equal(replay("bisect", path_of("right.isr")), 2);
    assert_says("expected two recordings, A and B");
    assert_int_equal(replay("bisect", "--help"), 0);
    assert_int_equal(replay("bisect", path_of("right.isr"), path_of("none.isr")), 3);
}

static void test_equal_recordings_are_equal_over_what_both_have(void **state) {
    (void)state;
    make_right();
    assert_int_equal(replay("compare", path_of("right.isr"), path_of("right.isr"), "--json"), 0);
    assert_says("\"result\":\"equal\"");
    assert_int_equal(number_after("\"ticks\":"), 700);
    assert_int_equal(number_after("\"last_tick\":"), 700);
    assert_says("\"last_hash\":\"");
    e2e_recording longer = {.root_every = 7};
    e2e_recording_make(&longer, path_of("other.isr"), 900);
    assert_int_equal(compare(), 0);
    assert_int_equal(number_after("\"last_tick\":"), 700);
    // Without any tick, and without any in common.
    e2e_recording empty = {0};
    e2e_recording_make(&empty, path_of("other.isr"), 0);
    assert_int_equal(compare(), 0);
    assert_int_equal(number_after("\"ticks\":"), 0);
    assert_int_equal(replay("trim", path_of("right.isr"), "--from", "10", "-o", path_of("late.isr")), 0);
    assert_int_equal(replay("compare", path_of("late.isr"), path_of("other.isr"), "--json"), 1);
    assert_int_equal(replay("compare", path_of("late.isr"), path_of("other.isr")), 1);
    assert_says("no tick in common");
}

static void test_trimmed_recordings_verify_and_are_equal_to_the_whole(void **state) {
    (void)state;
    static const struct {
        const char *from, *to;
    } cases[] = {{"0", "700"}, {"1", "1"}, {"299", "301"}, {"300", "600"}, {"437", "512"}, {"700", "700"}};
    for (uint32_t lag = 0; lag <= 40; lag += 40) {
        e2e_recording w = {.root_lag = lag, .root_every = lag > 0 ? 3 : 1};
        e2e_recording_make(&w, path_of("right.isr"), 700);
        for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
            assert_int_equal(replay("trim", path_of("right.isr"), "--from", cases[i].from, "--to", cases[i].to, "-o",
                                    path_of("other.isr"), "--force"),
                             0);
            const uint64_t from = strtoull(cases[i].from, NULL, 10), to = strtoull(cases[i].to, NULL, 10);
            assert_int_equal(replay("verify", path_of("other.isr"), "--json"), 0);
            assert_int_equal(number_after("\"ticks\":"), to - from);
            assert_int_equal(number_after("\"last_tick\":"), to);
            assert_int_equal(number_after("\"keyframes\":"), 1 + to / 300 - from / 300);
            assert_int_equal(compare(), 0);
            assert_int_equal(number_after("\"ticks\":"), to - from);
        }
    }
    // The root of the last tick is kept although only a later tick carried it.
    assert_int_equal(replay("trim", path_of("right.isr"), "--to", "509", "-o", path_of("other.isr"), "--force"), 0);
    assert_int_equal(replay("info", path_of("other.isr"), "--tick", "509", "--json"), 0);
    const bool carried = (509 + 40) % 3 == 0;
    assert_says(carried ? "\"source\":\"recorded\"" : "\"source\":\"simulated\"");
    assert_true(carried);
}

static void test_trim_never_replaces_what_it_must_not(void **state) {
    (void)state;
    make_right();
    const uint64_t size = e2e_file_copy(path_of("right.isr"), path_of("copy.isr"), 0, -1);
    assert_int_equal(replay("trim", path_of("right.isr"), "-o", path_of("right.isr"), "--force"), 2);
    assert_says("it is the input");
    assert_int_equal(link(path_of("right.isr"), path_of("alias.isr")), 0);
    assert_int_equal(replay("trim", path_of("right.isr"), "-o", path_of("alias.isr"), "--force"), 2);
    assert_int_equal(replay("trim", path_of("right.isr"), "-o", path_of("copy.isr")), 2);
    assert_says("it exists");
    assert_int_equal(
        replay("perturb", path_of("right.isr"), "--tick", "5", "--command", "drop", "-o", path_of("copy.isr")), 2);
    assert_int_equal(replay("perturb", path_of("right.isr"), "--tick", "5", "--command", "drop", "-o",
                            path_of("right.isr"), "--force"),
                     2);
    assert_int_equal(e2e_file_copy(path_of("right.isr"), path_of("copy.isr"), 0, -1), size);
    assert_int_equal(replay("verify", path_of("right.isr")), 0);
    static const char *const wrong[][5] = {
        {"--from", "8", "--to", "7", "--from 8 is above --to 7"},
        {"--from", "0", "--to", "701", "--from 0 --to 701: the recording goes from tick 0 to 700"},
        {"--from", "x", "--to", "7", "--from"},
        {"--from", "701", "--to", "701", "the recording goes from tick 0 to 700"}};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; ++i) {
        assert_int_equal(replay("trim", path_of("right.isr"), wrong[i][0], wrong[i][1], wrong[i][2], wrong[i][3], "-o",
                                path_of("none.isr")),
                         2);
        assert_says(wrong[i][4]);
        assert_int_equal(access(path_of("none.isr"), F_OK), -1);
        assert_int_equal(access(path_of("none.isr.part"), F_OK), -1);
    }
    assert_int_equal(replay("trim", path_of("right.isr"), "-o", path_of("no/such/folder.isr")), 3);
}

/// What is written under OUT.part must be this run's own: a server's recording, another file and what a link leads to
/// have that name, too.
static void test_a_file_under_the_name_of_the_unfinished_recording_is_kept(void **state) {
    (void)state;
    make_right();
    e2e_file_copy(path_of("right.isr"), path_of("live.isr.part"), 0, -1);
    e2e_file_copy(path_of("right.isr"), path_of("foreign.isr.part"), 0, -1);
    e2e_file_copy(path_of("right.isr"), path_of("target.isr"), 0, -1);
    assert_int_equal(symlink("target.isr", path_of("link.isr.part")), 0);
    assert_int_equal(symlink("nowhere.isr", path_of("loose.isr.part")), 0);
    assert_int_equal(replay("trim", path_of("live.isr.part"), "-o", path_of("live.isr"), "--force"), 2);
    assert_says("live.isr.part: it is the input");
    static const char *const names[] = {"live", "foreign", "link", "loose"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i) {
        char out[128], part[160], says[256];
        snprintf(out, sizeof out, "%s/%s.isr", tool_folder, names[i]);
        snprintf(part, sizeof part, "%s.part", out);
        snprintf(says, sizeof says, "%s: it exists, and --force does not replace it", part);
        assert_int_equal(replay("trim", path_of("right.isr"), "-o", out, "--force"), 2);
        assert_says(says);
        assert_says("remove this one if a run that was ended has left it");
        assert_int_equal(
            replay("perturb", path_of("right.isr"), "--tick", "5", "--command", "drop", "-o", out, "--force"), 2);
        assert_says(says);
        assert_int_equal(replay("simulate", "stack", "--ticks", "3", "--record", out), 2);
        assert_says(says);
        assert_int_equal(access(out, F_OK), -1);
        // A link that leads nowhere leads there still.
        const char *const compared[] = {"-s", path_of("right.isr"), part, NULL};
        const int same = e2e_run("/usr/bin/cmp", compared, tool_output, sizeof tool_output);
        assert_int_equal(same, strcmp(names[i], "loose") == 0 ? 2 : 0);
        assert_int_equal(unlink(part), 0);
        assert_int_equal(replay("trim", path_of("right.isr"), "-o", out), 0);
        assert_int_equal(access(part, F_OK), -1);
        assert_int_equal(replay("verify", out), 0);
    }
    assert_int_equal(access(path_of("nowhere.isr"), F_OK), -1);
}

/// The recording would take the place of the device or the FIFO, and whoever uses that would find a file.
static void test_what_is_no_regular_file_is_not_replaced(void **state) {
    (void)state;
    make_right();
    assert_int_equal(mkfifo(path_of("pipe"), 0600), 0);
    assert_int_equal(mkdir(path_of("place"), 0700), 0);
    assert_int_equal(symlink("/dev/null", path_of("nul")), 0);
    assert_int_equal(symlink("gone.isr", path_of("dangling")), 0);
    static const char *const names[][2] = {
        {"pipe", "pipe: it is a FIFO"}, {"place", "place: it is a folder"}, {"nul", "nul: it is a device"}};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i) {
        const char *out = path_of(names[i][0]);
        assert_int_equal(replay("trim", path_of("right.isr"), "-o", out, "--force"), 2);
        assert_says(names[i][1]);
        assert_says("expected a new name or a regular file");
        assert_int_equal(
            replay("perturb", path_of("right.isr"), "--tick", "5", "--command", "drop", "-o", out, "--force"), 2);
        assert_says(names[i][1]);
        assert_int_equal(replay("simulate", "stack", "--ticks", "3", "--record", out), 2);
        assert_says(names[i][1]);
    }
    struct stat there;
    assert_int_equal(stat(path_of("pipe"), &there), 0);
    assert_true(S_ISFIFO(there.st_mode));
    assert_int_equal(lstat(path_of("nul"), &there), 0);
    assert_true(S_ISLNK(there.st_mode));
    assert_int_equal(replay("trim", path_of("right.isr"), "-o", path_of("dangling")), 2);
    assert_says("dangling: it is a link that leads to no file");
    assert_int_equal(replay("trim", path_of("right.isr"), "-o", path_of("dangling"), "--force"), 0);
    assert_int_equal(replay("verify", path_of("dangling")), 0);
}

static void test_trim_refuses_a_start_that_is_not_the_recorded_state(void **state) {
    (void)state;
    make_right();
    perturb("437", "--flip", "bodies[3].position[1]:12", false);
    // A trimmed copy keeps the fault, from before it and from behind it.
    assert_int_equal(replay("trim", path_of("other.isr"), "--from", "400", "--to", "500", "-o", path_of("part.isr")),
                     0);
    assert_int_equal(replay("verify", path_of("part.isr"), "--json"), 1);
    assert_int_equal(number_after("\"first_bad_tick\":"), 437);
    assert_int_equal(replay("trim", path_of("other.isr"), "--from", "438", "-o", path_of("part.isr"), "--force"), 0);
    assert_int_equal(replay("verify", path_of("part.isr")), 0);
    perturb("442", "--command", "change", true);
    assert_int_equal(replay("trim", path_of("other.isr"), "--from", "450", "-o", path_of("part.isr"), "--force"), 1);
    assert_says("the root after tick 450 differs");
}

static void test_damaged_and_torn_files(void **state) {
    (void)state;
    make_right();
    const uint64_t size = e2e_file_copy(path_of("right.isr"), path_of("bad.isr"), 0, 12000);
    assert_int_equal(replay("compare", path_of("right.isr"), path_of("bad.isr"), "--json"), 3);
    assert_says("\"status\":\"CORRUPT\"");
    assert_int_equal(replay("compare", path_of("bad.isr"), path_of("right.isr")), 3);
    assert_int_equal(replay("trim", path_of("bad.isr"), "-o", path_of("part.isr"), "--force"), 3);
    assert_int_equal(
        replay("perturb", path_of("bad.isr"), "--tick", "3", "--command", "drop", "-o", path_of("part.isr"), "--force"),
        3);
    // Salvaged, everything before the damage is a sealed recording again.
    assert_int_equal(replay("trim", path_of("bad.isr"), "--salvage", "-o", path_of("part.isr"), "--force"), 0);
    assert_says("CORRUPT at offset");
    assert_int_equal(replay("compare", path_of("right.isr"), path_of("part.isr")), 0);
    assert_int_equal(replay("verify", path_of("part.isr")), 0);
    e2e_file_copy(path_of("right.isr"), path_of("torn.isr.part"), size - 200, -1);
    assert_int_equal(replay("compare", path_of("right.isr"), path_of("torn.isr.part"), "--json"), 0);
    const uint64_t last = number_after("\"last_tick\":");
    assert_in_range(last, 680, 699);
    assert_int_equal(replay("trim", path_of("torn.isr.part"), "--from", "600", "-o", path_of("part.isr"), "--force"),
                     0);
    assert_int_equal(replay("verify", path_of("part.isr"), "--json"), 0);
    assert_int_equal(number_after("\"last_tick\":"), last);
    assert_int_equal(replay("trim", path_of("right.isr"), "--salvage", "-o", path_of("part.isr"), "--force"), 0);
    assert_int_equal(replay("compare", path_of("no-such.isr"), path_of("right.isr")), 3);
    assert_int_equal(replay("compare", path_of("right.isr"), path_of("no-such.isr")), 3);
}

static void test_recordings_of_another_version_are_named(void **state) {
    (void)state;
    make_right();
    e2e_recording other = {.lies_about_schema = true};
    e2e_recording_make(&other, path_of("other.isr"), 20);
    assert_int_equal(compare(), 3);
    assert_says("\"status\":\"VERSION\"");
    assert_says("other.isr");
    assert_int_equal(replay("trim", path_of("other.isr"), "-o", path_of("part.isr"), "--force"), 3);
    assert_int_equal(replay("perturb", path_of("other.isr"), "--tick", "3", "--command", "drop", "-o",
                            path_of("part.isr"), "--force"),
                     3);
}

static void test_perturb_names_what_cannot_be_done(void **state) {
    (void)state;
    make_right();
    static const struct {
        const char *tick, *option, *change, *text;
    } cases[] = {
        {"5", "--flip", "nothing[3].x:1", "there is no section nothing"},
        {"5", "--flip", "bodies[3].size:1", "no field size"},
        {"5", "--flip", "bodies[9999].angle:1", "records in this tick"},
        {"5", "--flip", "bodies[3].velocity[2]:1", "has 2 elements of 32 bits"},
        {"5", "--flip", "bodies[3].velocity[0]:32", "has 2 elements of 32 bits"},
        {"5", "--flip", "bodies[3].velocity[0]", "expected SECTION"},
        {"5", "--flip", "bodies[3]velocity:1", "expected SECTION"},
        {"5", "--flip", "bodies[x].velocity:1", "expected SECTION"},
        {"5", "--flip", "globals.body_count:3", "no world can have globals[0].body_count[0]"},
        {"5", "--flip", "globals.body_count:3", "choose another field, bit or tick"},
        {"701", "--flip", "bodies[3].angle:1", "expected a tick from 0 to 700"},
        {"0", "--command", "drop", "expected a tick from 1 to 700"},
        {"5", "--command", "drop:0", "tick 5 has 0 commands"},
        {"6", "--command", "drop:1", "tick 6 has 1 command\n"},
        {"6", "--command", "flip:0:3", "cannot be changed so"},
        {"6", "--command", "flip:0:4000", "cannot be changed so"},
        {"6", "--command", "flip:0", "expected drop"},
        {"6", "--command", "twist", "expected drop"},
        {"699", "--command", "drop", "there is no command at or after tick 699"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        assert_int_equal(replay("perturb", path_of("right.isr"), "--tick", cases[i].tick, cases[i].option,
                                cases[i].change, "-o", path_of("none.isr")),
                         2);
        assert_says(cases[i].text);
        assert_int_equal(access(path_of("none.isr"), F_OK), -1);
    }
}

static void test_wrong_usage_is_told(void **state) {
    (void)state;
    assert_int_equal(replay("compare"), 2);
    assert_int_equal(replay("compare", "a", "b", "c"), 2);
    assert_int_equal(replay("compare", "--nothing", "a", "b"), 2);
    assert_int_equal(replay("trim", "a"), 2);
    assert_int_equal(replay("trim", "-o", "b"), 2);
    assert_int_equal(replay("perturb", "a", "-o", "b"), 2);
    assert_int_equal(replay("perturb", "a", "-o", "b", "--tick", "1"), 2);
    assert_int_equal(replay("perturb", "a", "-o", "b", "--tick", "1", "--command", "drop", "--flip", "bodies.x:1"), 2);
    static const char *const subcommands[] = {"compare", "trim", "perturb"};
    for (size_t i = 0; i < sizeof subcommands / sizeof subcommands[0]; ++i) {
        assert_int_equal(replay(subcommands[i], "--help"), 0);
        assert_says("Usage: isostep-replay");
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_compare_finds_a_flipped_bit_in_its_tick_and_field),
        cmocka_unit_test(test_compare_finds_a_changed_or_dropped_command),
        cmocka_unit_test(test_compare_tells_a_person_what_differs),
        cmocka_unit_test(test_compare_finds_the_tick_between_roots_that_are_rare),
        cmocka_unit_test(test_compare_with_the_simulation_finds_what_was_recorded_wrong),
        cmocka_unit_test(test_bisect_names_where_two_recordings_part),
        cmocka_unit_test(test_equal_recordings_are_equal_over_what_both_have),
        cmocka_unit_test(test_trimmed_recordings_verify_and_are_equal_to_the_whole),
        cmocka_unit_test(test_trim_never_replaces_what_it_must_not),
        cmocka_unit_test(test_a_file_under_the_name_of_the_unfinished_recording_is_kept),
        cmocka_unit_test(test_what_is_no_regular_file_is_not_replaced),
        cmocka_unit_test(test_trim_refuses_a_start_that_is_not_the_recorded_state),
        cmocka_unit_test(test_damaged_and_torn_files),
        cmocka_unit_test(test_recordings_of_another_version_are_named),
        cmocka_unit_test(test_perturb_names_what_cannot_be_done),
        cmocka_unit_test(test_wrong_usage_is_told),
    };
    return cmocka_run_group_tests(tests, tool_set_up, tool_tear_down);
}
