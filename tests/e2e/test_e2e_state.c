/// isostep-replay state: the fields of a state by their names.
#include "e2e.h"

#include <stdio.h>
#include <string.h>

#include "e2e_recording.h"
#include "e2e_tool.h"

static unsigned count_lines(void) {
    unsigned count = 0;
    for (const char *at = tool_output; *at != 0; ++at) {
        count += *at == '\n';
    }
    return count;
}

static void make_recording(void) {
    e2e_recording w = {.has_events = true};
    e2e_recording_make(&w, path_of("a.isr"), 330);
}

static void test_a_state_is_written_in_the_names_of_compare(void **state) {
    (void)state;
    make_recording();
    assert_int_equal(replay("simulate", "stack", "--ticks", "30", "--force", "--record", path_of("s.isr")), 0);
    assert_int_equal(replay("perturb", path_of("s.isr"), "--tick", "20", "--flip", "bodies[3].position[1]:12", "-o",
                            path_of("p.isr"), "--force"),
                     0);
    assert_int_equal(replay("bisect", path_of("s.isr"), path_of("p.isr")), 1);
    char a[64], b[64], line[200];
    assert_int_equal(sscanf(tool_output, "tick 20 bodies[3].position[1]: A %63[^,], B %63[^\n]", a, b), 2);
    assert_int_equal(replay("state", path_of("s.isr"), "bodies[3].position[1]", "--tick", "20"), 0);
    snprintf(line, sizeof line, "bodies[3].position[1]: %s\n", a);
    assert_string_equal(tool_output, line);
    assert_int_equal(replay("state", path_of("p.isr"), "bodies[3].position[1]", "--tick", "20"), 0);
    snprintf(line, sizeof line, "bodies[3].position[1]: %s\n", b);
    assert_string_equal(tool_output, line);
}

static void test_a_part_of_a_state_is_chosen(void **state) {
    (void)state;
    assert_int_equal(replay("simulate", "stack", "--ticks", "30", "--force", "--record", path_of("s.isr")), 0);
    assert_int_equal(replay("state", path_of("s.isr"), "bodies[3].position", "--tick", "7"), 0);
    assert_int_equal(count_lines(), 2);
    assert_says("bodies[3].position[0]: ");
    assert_says("bodies[3].position[1]: ");
    assert_int_equal(replay("state", path_of("s.isr"), "bodies.position"), 0);
    assert_int_equal(count_lines(), 2 * 11);
    assert_int_equal(replay("state", path_of("s.isr"), "globals.tick", "--tick", "7"), 0);
    assert_string_equal(tool_output, "globals[0].tick: 7\n");
    assert_int_equal(replay("state", path_of("s.isr"), "globals.tick"), 0);
    assert_string_equal(tool_output, "globals[0].tick: 30\n");
    // Numbers without a sign have none, though some of these have their highest bit set.
    assert_int_equal(replay("state", path_of("s.isr"), "globals.random", "--tick", "7"), 0);
    assert_null(strchr(tool_output, '-'));
    assert_int_equal(replay("state", path_of("s.isr"), "globals.random", "--tick", "7", "--json"), 0);
    assert_null(strchr(tool_output, '-'));
    assert_int_equal(replay("state", path_of("s.isr"), "bodies[3]", "--tick", "7"), 0);
    assert_true(count_lines() > 10);
    assert_says("bodies[3].velocity[1]: ");
    // All of it begins with the definition and is more than one of its sections.
    assert_int_equal(replay("state", path_of("s.isr"), "--tick", "0"), 0);
    assert_true(strncmp(tool_output, "def[0].", 7) == 0);
    assert_says("globals[0].tick: 0\n");
    assert_says("shapes[10].");
}

/// The names are those of the scene in the header; a body has its name for as long as it is there.
static void test_bodies_have_the_names_of_the_scene(void **state) {
    (void)state;
    assert_int_equal(replay("simulate", "stack", "--ticks", "30", "--force", "--record", path_of("s.isr")), 0);
    assert_int_equal(replay("state", path_of("s.isr"), "bodies[3]"), 0);
    assert_says("bodies[3].name: box[2]\n");
    assert_int_equal(replay("state", path_of("s.isr"), "--body", "box[2]"), 0);
    assert_true(strncmp(tool_output, "bodies[3].name: box[2]\n", 23) == 0);
    assert_null(strstr(tool_output, "bodies[2]"));
    // The state has no mass of its own for it, which is no mass of 0.
    assert_int_equal(replay("state", path_of("s.isr"), "bodies.mass"), 0);
    assert_says("bodies[0].mass: 0.0000000000 kg (0)\n");
    assert_says("bodies[3].mass: 0.0000000000 kg (0), so that of its shapes: 1 kg\n");
    assert_int_equal(replay("state", path_of("s.isr"), "bodies.angle", "--body", "box[2]", "--json"), 0);
    assert_says("[{\"section\":\"bodies\",\"record\":3,\"field\":\"angle\"");
    assert_says(",\"name\":\"box[2]\"}]");
    assert_int_equal(replay("state", path_of("s.isr"), "--body", "box[99]"), 2);
    assert_says("--body box[99]: no body of the scene stack has this name");
    assert_int_equal(replay("state", path_of("s.isr"), "bodies[1].angle", "--body", "box[2]"), 2);
    assert_says("with --body, FIELD is a field of bodies without a number");
    assert_int_equal(replay("perturb", path_of("s.isr"), "--tick", "20", "--flip", "bodies[3].position[1]:12", "-o",
                            path_of("p.isr"), "--force"),
                     0);
    assert_int_equal(replay("compare", path_of("s.isr"), path_of("p.isr")), 1);
    assert_says("field     bodies[3].position[1], the body box[2]\n");
    // A member's body is none of the scene's.
    make_recording();
    assert_int_equal(replay("state", path_of("a.isr"), "bodies", "--tick", "200"), 0);
    assert_says("bodies[0].name: ");
    assert_says("bodies[51].");
    assert_null(strstr(tool_output, "bodies[51].name: "));
}

/// As bodies, by their own names.
static void test_joints_have_the_names_of_the_scene(void **state) {
    (void)state;
    assert_int_equal(replay("simulate", "suspension-car", "--ticks", "30", "--force", "--record", path_of("c.isr")), 0);
    assert_int_equal(replay("state", path_of("c.isr"), "--joint", "front"), 0);
    assert_true(strncmp(tool_output, "joints[1].name: front\n", 22) == 0);
    assert_null(strstr(tool_output, "joints[0]"));
    assert_null(strstr(tool_output, "bodies["));
    assert_int_equal(replay("state", path_of("c.isr"), "joints.kind", "--joint", "rear", "--json"), 0);
    assert_says("[{\"section\":\"joints\",\"record\":0,\"field\":\"kind\"");
    assert_says(",\"name\":\"rear\"}]");
    assert_int_equal(replay("state", path_of("c.isr"), "--joint", "chassis"), 2);
    assert_says("--joint chassis: no joint of the scene suspension-car has this name");
    assert_int_equal(replay("state", path_of("c.isr"), "--body", "front"), 2);
    assert_says("--body front: no body of the scene suspension-car has this name");
    assert_int_equal(replay("state", path_of("c.isr"), "--joint", "front", "--body", "chassis"), 2);
    assert_says("--body and --joint: expected one of them");
    assert_int_equal(replay("state", path_of("c.isr"), "bodies.angle", "--joint", "front"), 2);
    assert_says("with --joint, FIELD is a field of joints without a number, as joints.kind");
    assert_int_equal(replay("perturb", path_of("c.isr"), "--tick", "20", "--flip", "joints[1].motor_speed:8", "-o",
                            path_of("p.isr"), "--force"),
                     0);
    assert_int_equal(replay("compare", path_of("c.isr"), path_of("p.isr")), 1);
    assert_says("joints[1].motor_speed, the joint front\n");
}

/// The thread of the built-in scene breaks and is removed.
static void test_a_joint_that_is_gone_has_no_name(void **state) {
    (void)state;
    assert_int_equal(replay("simulate", "everything", "--ticks", "60", "--force", "--record", path_of("e.isr")), 0);
    assert_int_equal(replay("state", path_of("e.isr"), "joints.kind", "--joint", "thread", "--tick", "0", "--json"), 0);
    assert_says(",\"name\":\"thread\"}]");
    assert_int_equal(replay("state", path_of("e.isr"), "--joint", "thread"), 2);
    assert_says("--joint thread: this joint is gone after tick 60");
    assert_int_equal(replay("state", path_of("e.isr"), "joints"), 0);
    assert_says(".name: axle\n");
    assert_null(strstr(tool_output, ".name: thread\n"));
}

/// A later body in its place has not its name.
static void test_a_body_that_is_gone_has_no_name(void **state) {
    (void)state;
    e2e_recording first = {.scene = "everything"};
    e2e_recording_make(&first, path_of("all.isr"), 10);
    assert_int_equal(replay("state", path_of("all.isr"), "bodies.angle", "--body", "brick[0,1]", "--json"), 0);
    const unsigned index = (unsigned)number_after("\"record\":");
    e2e_recording second = {.scene = "everything", .destroys = index};
    e2e_recording_make(&second, path_of("all.isr"), 100);
    char name[64];
    snprintf(name, sizeof name, "bodies[%u].name: ", index);
    assert_int_equal(replay("state", path_of("all.isr"), "--tick", "50"), 0);
    assert_says(name);
    assert_int_equal(replay("state", path_of("all.isr"), "shapes", "--tick", "50"), 0);
    assert_null(strstr(tool_output, ".name: "));
    assert_int_equal(replay("state", path_of("all.isr"), "bodies", "--tick", "51"), 0);
    assert_null(strstr(tool_output, name));
    assert_int_equal(replay("state", path_of("all.isr"), "--body", "brick[0,1]", "--tick", "51"), 2);
    assert_says("--body brick[0,1]: this body is gone after tick 51");
    // By now a member's body has its index.
    assert_int_equal(replay("state", path_of("all.isr"), "bodies", "--tick", "100"), 0);
    assert_null(strstr(tool_output, name));
    snprintf(name, sizeof name, "bodies[%u].type: 3", index);
    assert_says(name);
}

static void test_a_state_is_written_as_json(void **state) {
    (void)state;
    make_recording();
    assert_int_equal(replay("info", path_of("a.isr"), "--tick", "100", "--json"), 0);
    char root[64];
    snprintf(root, sizeof root, "\"tick\":100,\"root\":%.18s,\"fields\":[", strstr(tool_output, "\"hash\":") + 7);
    assert_int_equal(replay("state", path_of("a.isr"), "globals.tick", "--tick", "100", "--json"), 0);
    assert_says(root);
    assert_says("[{\"section\":\"globals\",\"record\":0,\"field\":\"tick\",\"element\":0,\"value\":100,\"unit\":\"");
    assert_int_equal(replay("state", path_of("a.isr"), "bodies[0].position", "--json"), 0);
    assert_says("\"element\":0,");
    assert_says("},{\"section\":\"bodies\",\"record\":0,\"field\":\"position\",\"element\":1,");
}

static void refused(const char *field, const char *tick, const char *says) {
    assert_int_equal(replay("state", path_of("s.isr"), field, "--tick", tick), 2);
    assert_says(says);
}

static void test_what_is_not_there_is_told(void **state) {
    (void)state;
    assert_int_equal(replay("simulate", "stack", "--ticks", "30", "--force", "--record", path_of("s.isr")), 0);
    refused("bodies[3].positon", "7", "there is no field positon in bodies; near it: position\n");
    refused("bodies.velo", "7", "there is no field velo in bodies; near it: velocity");
    refused("bodies[3].qqqqqqqqqq", "7", "there is no field qqqqqqqqqq in bodies; there are ");
    refused("game.score", "7", "there is no field score in game, which has none\n");
    refused("bodys", "7", "there is no section bodys; there are def globals slots bodies ");
    refused("bodies[11]", "7", "bodies has 11 records after this tick, from 0 on\n");
    refused("bodies[0].position[2]", "7", "position has 2 elements, from 0 on\n");
    refused("bodies[x]", "7", "expected SECTION[RECORD].FIELD[ELEMENT]");
    refused("bodies[1", "7", "expected SECTION[RECORD].FIELD[ELEMENT]");
    refused("bodies[1].", "7", "expected SECTION[RECORD].FIELD[ELEMENT]");
    refused("bodies[1].position[0]x", "7", "expected SECTION[RECORD].FIELD[ELEMENT]");
    refused("bodies:3", "7", "expected SECTION[RECORD].FIELD[ELEMENT]");
    refused("bodies", "31", "--tick 31: the recording goes from tick 0 to 30\n");
    assert_int_equal(replay("state"), 2);
    assert_int_equal(replay("state", "a", "b", "c"), 2);
    assert_int_equal(replay("state", path_of("none.isr")), 3);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_state_is_written_in_the_names_of_compare),
        cmocka_unit_test(test_a_part_of_a_state_is_chosen),
        cmocka_unit_test(test_bodies_have_the_names_of_the_scene),
        cmocka_unit_test(test_joints_have_the_names_of_the_scene),
        cmocka_unit_test(test_a_joint_that_is_gone_has_no_name),
        cmocka_unit_test(test_a_body_that_is_gone_has_no_name),
        cmocka_unit_test(test_a_state_is_written_as_json),
        cmocka_unit_test(test_what_is_not_there_is_told),
    };
    return cmocka_run_group_tests(tests, tool_set_up, tool_tear_down);
}
