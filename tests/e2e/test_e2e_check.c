/// isostep-replay check: what it says of right scenes and of wrong ones.
#include "e2e.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "e2e_tool.h"
#include "isostep/proto/scene.h"
#include "isostep/scenes.h"

static void write_text(const char *name, const char *text) {
    FILE *out = fopen(path_of(name), "wb");
    assert_non_null(out);
    fputs(text, out);
    assert_int_equal(fclose(out), 0);
}

static void assert_says_not(const char *text) {
    if (strstr(tool_output, text) != NULL) {
        fail_msg("%s in: %s", text, tool_output);
    }
}

static void test_every_builtin_scene_is_right(void **state) {
    (void)state;
    size_t count;
    const iso_builtin_scene *list = iso_builtin_scene_list(&count);
    for (size_t i = 0; i < count; ++i) {
        assert_int_equal(replay("check", list[i].name), 0);
        assert_says(list[i].name);
    }
}

static void test_a_right_scene_is_counted(void **state) {
    (void)state;
    write_text("a.json", "{\"format\": 1, \"name\": \"room\", \"capacities\": {\"bodies\": 10, \"joints\": 7},\n"
                         "\"bodies\": [{\"generator\": \"chain\", \"name\": \"c\", \"count\": 4, \"step\": [0, -1],\n"
                         " \"body\": {\"shapes\": [{\"kind\": \"circle\", \"radius\": 0.25}]}},\n"
                         " {\"name\": \"hook\", \"type\": \"static\"}],\n"
                         "\"joints\": [{\"kind\": \"distance\", \"body_a\": \"hook\", \"body_b\": \"c[0]\"}]}");
    assert_int_equal(replay("check", path_of("a.json")), 0);
    assert_says("room: a scene of no game, 60 Hz, 4 substeps\n");
    assert_says("bodies         5 of 10\n");
    assert_says("shapes         4 of 1024\n");
    assert_says("joints         4 of 7: revolute 3, distance 1\n");
    assert_int_equal(replay("check", path_of("a.json"), "--json"), 0);
    assert_says("{\"result\":\"ok\",\"name\":\"room\",\"game\":\"\",\"tick_rate_hz\":60,\"substeps\":4,"
                "\"bodies\":{\"used\":5,\"capacity\":10},\"shapes\":{\"used\":4,\"capacity\":1024},"
                "\"joints\":{\"used\":4,\"capacity\":7},");
    assert_says("\"joint_kinds\":{\"revolute\":3,\"distance\":1}");
    // The hash and the root are those of a recording of it.
    char hash[64], root[64];
    snprintf(hash, sizeof hash, "%.33s", strstr(tool_output, "\"scene_hash\":"));
    snprintf(root, sizeof root, "tick 0 root %.16s", strstr(tool_output, "\"root\":\"") + 8);
    assert_int_equal(replay("simulate", path_of("a.json"), "--ticks", "1", "--force", "--record", path_of("a.isr")), 0);
    assert_int_equal(replay("info", path_of("a.isr"), "--json"), 0);
    assert_says(hash);
    assert_int_equal(replay("info", path_of("a.isr"), "--tick", "0"), 0);
    assert_says(root);
}

static void test_compounds_are_counted(void **state) {
    (void)state;
    write_text(
        "carts.json",
        "{\"format\": 1, \"name\": \"carts\", \"blueprints\": [{\"name\": \"cart\", \"bodies\": [{\"name\": \"a\"},"
        " {\"name\": \"b\"}], \"joints\": [{\"kind\": \"weld\", \"body_a\": \"a\", \"body_b\": \"b\", \"at\": [0, 0]},"
        " {\"kind\": \"filter\", \"body_a\": \"a\", \"body_b\": \"b\"}]},"
        " {\"name\": \"spare\", \"bodies\": [{\"name\": \"a\"}]}],"
        " \"compounds\": [{\"blueprint\": \"cart\"}, {\"blueprint\": \"cart\", \"position\": [5, 0]}]}");
    assert_int_equal(replay("check", path_of("carts.json")), 0);
    assert_says("joints         4 of 1024: weld 2, filter 2\n");
    assert_says("compounds      2 of 2 blueprints: cart 2, spare 0\n");
    assert_int_equal(replay("check", path_of("carts.json"), "--json"), 0);
    assert_says("\"joint_kinds\":{\"weld\":2,\"filter\":2},\"compounds\":2,\"blueprints\":{\"cart\":2,\"spare\":0},");
}

static void test_all_that_is_wrong_is_told_with_its_place(void **state) {
    (void)state;
    write_text("bad.json", "{\"format\": 1, \"name\": \"bad\",\n"
                           " \"world\": {\"slop\": 3},\n"
                           " \"bodies\": [{\"name\": \"a\", \"mas\": 2},\n"
                           "  {\"name\": \"b\", \"type\": \"fixed\"}]}");
    assert_int_equal(replay("check", path_of("bad.json")), 3);
    assert_says("bad.json: line 2, column 20: /world/slop: 3, expected a number from 0 to 0.5\n");
    assert_says("bad.json: line 3, column 34: /bodies/0/mas: 2, expected a known key: ");
    assert_says("bad.json: line 4, column 25: /bodies/1/type: \"fixed\", expected one of static, kinematic, dynamic\n");
    assert_int_equal(replay("check", path_of("bad.json"), "--json"), 3);
    assert_says("{\"result\":\"invalid\",\"errors\":[{\"file\":\"\",\"line\":2,\"column\":20,\"path\":\"/world/"
                "slop\",\"value\":\"3\","
                "\"expected\":\"a number from 0 to 0.5\",\"nearest\":\"\",\"more\":0},{\"file\":\"\",\"line\":3,");
    // What only a world refuses has a place, too.
    write_text("light.json", "{\"format\": 1, \"name\": \"light\",\n"
                             " \"bodies\": [\n"
                             "  {\"name\": \"a\", \"mass\": 100000, \"inertia\": 0.0001,\n"
                             "   \"shapes\": [{\"kind\": \"circle\", \"radius\": 50}]}]}");
    assert_int_equal(replay("check", path_of("light.json")), 3);
    assert_says("light.json: line 3, column 3: /bodies/0: a, expected ");
    // The other subcommands name the first error with its place.
    assert_int_equal(replay("simulate", path_of("bad.json"), "--ticks", "1"), 3);
    assert_says("bad.json: line 2, column 20: /world/slop");
    assert_says_not("/bodies");
}

static void test_a_scene_takes_other_files(void **state) {
    (void)state;
    assert_int_equal(mkdir(path_of("parts"), 0700), 0);
    write_text("whole.json", "{\"format\": 1, \"name\": \"whole\", \"include\": [\"parts/walls.json\"],\n"
                             " \"bodies\": [{\"name\": \"ball\", \"position\": [0, 5],\n"
                             "  \"shapes\": [{\"kind\": \"circle\", \"radius\": 0.5, \"material\": \"ice\"}]}]}");
    write_text("parts/walls.json", "{\"include\": [\"ice.json\"], \"bodies\": [{\"name\": \"wall\", \"type\": "
                                   "\"static\"}]} // walls");
    write_text("parts/ice.json", "{\"materials\": {\"ice\": {\"friction\": 0}}}");
    assert_int_equal(replay("check", path_of("whole.json")), 0);
    assert_says("bodies         2 of 1024\n");
    // The recording needs none of the files.
    assert_int_equal(
        replay("simulate", path_of("whole.json"), "--ticks", "90", "--force", "--record", path_of("whole.isr")), 0);
    assert_int_equal(remove(path_of("parts/ice.json")), 0);
    assert_int_equal(replay("verify", path_of("whole.isr")), 0);
    assert_int_equal(replay("check", path_of("whole.json"), "--json"), 3);
    assert_says(
        "whole.json: in parts/walls.json, line 1, column 14: /include/0: \"ice.json\", expected a file that can "
        "be read (parts/ice.json: No such file or directory)\n");
    assert_says("\"errors\":[{\"file\":\"parts/walls.json\",\"line\":1,\"column\":14,");
    assert_int_equal(mkfifo(path_of("parts/ice.json"), 0600), 0);
    const char *const fifo[] = {"check", path_of("whole.json"), NULL};
    assert_int_equal(e2e_run_within(E2E_REPLAY, fifo, tool_output, sizeof tool_output, 5000), 3);
    assert_says("(parts/ice.json: it is not a regular file)\n");
    assert_int_equal(remove(path_of("parts/ice.json")), 0);
    write_text("parts/ice.json", "{\"materials\": {\n \"ice\": {\"friction\": -1}, \"oil\": {\"friction\": -2}}}");
    assert_int_equal(replay("check", path_of("whole.json")), 3);
    assert_says("whole.json: in parts/ice.json, line 2, column 22: /materials/ice/friction: -1, expected ");
    assert_says("whole.json: in parts/ice.json, line 2, column 47: /materials/oil/friction: -2, expected ");
    assert_int_equal(replay("render", path_of("whole.json"), "--out", path_of("whole.svg")), 3);
    assert_says("whole.json: in parts/ice.json, line 2, column 22: ");
}

static void test_more_errors_than_anybody_mends_are_cut(void **state) {
    (void)state;
    FILE *out = fopen(path_of("many.json"), "wb");
    assert_non_null(out);
    fputs("{\"format\": 1, \"name\": \"many\", \"bodies\": [{}", out);
    for (int i = 0; i < 50; ++i) {
        fputs(",\n {}", out);
    }
    fputs("]}", out);
    assert_int_equal(fclose(out), 0);
    assert_int_equal(replay("check", path_of("many.json")), 3);
    assert_says("/bodies/0/name: nothing, expected ");
    assert_says(" (and 50 more)\n");
    assert_says_not("/bodies/1");
    out = fopen(path_of("kinds.json"), "wb");
    assert_non_null(out);
    fputs("{\"format\": 1, \"name\": \"kinds\", \"bodies\": [{}", out);
    for (int i = 0; i < 50; ++i) {
        fprintf(out, ",\n {\"key%d\": 1}", i);
    }
    fputs("]}", out);
    assert_int_equal(fclose(out), 0);
    assert_int_equal(replay("check", path_of("kinds.json")), 3);
    assert_says("/bodies/31/key30: 1");
    assert_says_not("/bodies/32");
    assert_says("kinds.json: there may be more\n");
}

static void test_a_recording_is_no_scene(void **state) {
    (void)state;
    assert_int_equal(replay("simulate", "stack", "--ticks", "1", "--record", path_of("stack.isr")), 0);
    assert_int_equal(replay("check", path_of("stack.isr"), "--json"), 3);
    assert_says("stack.isr: it is a recording and no scene; isostep-replay verify checks recordings\n");
    assert_says("{\"result\":\"unreadable\",\"error\":\"it is a recording and no scene; ");
    // It may be larger than a scene may be.
    assert_int_equal(truncate(path_of("stack.isr"), (off_t)ISO_SCENE_SIZE_MAX + 1), 0);
    assert_int_equal(replay("check", path_of("stack.isr")), 3);
    assert_says("stack.isr: it is a recording and no scene; ");
    // Its content counts, and not its name.
    write_text("room.isr", "{\"format\": 1, \"name\": \"room\"}");
    assert_int_equal(replay("check", path_of("room.isr")), 0);
}

static void test_a_name_that_is_not_there_is_like_another_one(void **state) {
    (void)state;
    assert_int_equal(replay("check", "stak"), 3);
    assert_says("stak: No such file or directory (did you mean 'stack'?)\nBuilt-in scenes: ");
    assert_int_equal(replay("simulate", "sandbx", "--ticks", "1"), 3);
    assert_says("sandbx: No such file or directory (did you mean 'sandbox', 'sandbox3'?)\n");
    assert_int_equal(replay("check", "nothing-of-the-kind"), 3);
    assert_says_not("did you mean");
}

static void test_what_is_no_file_is_refused(void **state) {
    (void)state;
    assert_int_equal(mkfifo(path_of("fifo"), 0600), 0);
    const char *const fifo[] = {"check", path_of("fifo"), "--json", NULL};
    assert_int_equal(e2e_run_within(E2E_REPLAY, fifo, tool_output, sizeof tool_output, 5000), 3);
    assert_says("fifo: it is not a regular file\n");
    assert_says("{\"result\":\"unreadable\",\"error\":\"it is not a regular file\"}");
    assert_int_equal(replay("check", tool_folder), 3);
    assert_says("Is a directory");
    assert_int_equal(replay("check", path_of("none.json")), 3);
    assert_says("No such file or directory");
    assert_says("Built-in scenes: ");
    assert_int_equal(replay("check"), 2);
    assert_int_equal(replay("check", "stack", "stack"), 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_builtin_scene_is_right),
        cmocka_unit_test(test_a_right_scene_is_counted),
        cmocka_unit_test(test_compounds_are_counted),
        cmocka_unit_test(test_all_that_is_wrong_is_told_with_its_place),
        cmocka_unit_test(test_a_scene_takes_other_files),
        cmocka_unit_test(test_more_errors_than_anybody_mends_are_cut),
        cmocka_unit_test(test_a_recording_is_no_scene),
        cmocka_unit_test(test_a_name_that_is_not_there_is_like_another_one),
        cmocka_unit_test(test_what_is_no_file_is_refused),
    };
    return cmocka_run_group_tests(tests, tool_set_up, tool_tear_down);
}
