/// State that no snapshot holds, and states of clients that have desynced. A game with a counter outside of its state
/// verifies in one go; from a restored snapshot it does not.
#include "e2e.h"

#include <stdio.h>
#include <string.h>

#include "e2e_tool.h"

static const char scene[] =
    "{\"format\":1,\"name\":\"leaky\",\"seed\":1,\"tick_rate_hz\":60,\"substeps\":4,"
    "\"capacities\":{\"bodies\":16,\"shapes\":16,\"joints\":0,\"contacts\":64,\"slots\":4},"
    "\"world\":{\"gravity\":[0,-10]},\"game\":{\"name\":\"leaky\"},"
    "\"bodies\":[{\"name\":\"ground\",\"type\":\"static\",\"shapes\":[{\"kind\":\"box\",\"half_width\":50,\"half_height\":1}]},"
    "{\"name\":\"ball\",\"type\":\"dynamic\",\"position\":[0,5],\"shapes\":[{\"kind\":\"circle\",\"radius\":0.5}]}]}";

/// The program with the game that is wrong.
#define leaky(...) e2e_run(E2E_LEAKY, (const char *const[]){__VA_ARGS__, NULL}, tool_output, sizeof tool_output)

static void write_scene(const char *path)
{
    FILE *out = fopen(path, "wb");
    assert_non_null(out);
    assert_int_equal(fwrite(scene, 1, sizeof scene - 1, out), sizeof scene - 1);
    assert_int_equal(fclose(out), 0);
}

static int set_up(void **state)
{
    const int result = tool_set_up(state);
    write_scene(path_of("leaky.json"));
    return result;
}

// ---- verify --restore-every ------------------------------------------------------------------------

static void test_restored_worlds_find_a_counter_outside_of_the_state(void **state)
{
    (void)state;
    const char *path = path_of("leaky.isr");
    assert_int_equal(leaky("replay", "simulate", path_of("leaky.json"), "--ticks", "200", "--record", path), 0);
    assert_int_equal(leaky("replay", "verify", path), 0); // in one go it counts as it did
    // From tick 0 on both worlds count: the restored one's 25th step is the 50th.
    assert_int_equal(leaky("replay", "verify", "--restore-every", "60", path), 1);
    assert_says("mismatch at tick 25 ");
    assert_says("a world that went on from the snapshot of tick 0 differs after tick 25");
    assert_says("game[0].kicks[0]: simulated 0, restored 1");
    assert_int_equal(leaky("replay", "verify", "--json", "--restore-every", "7", path), 1);
    assert_says("\"result\":\"mismatch\"");
    assert_int_equal(number_after("\"first_bad_tick\":"), 25);
    assert_int_equal(number_after("\"restored_tick\":"), 21);
}

static void test_restored_worlds_agree_with_a_game_that_is_right(void **state)
{
    (void)state;
    const char *path = path_of("everything.isr");
    assert_int_equal(replay("simulate", "everything", "--ticks", "150", "--record", path), 0);
    assert_int_equal(replay("verify", "--restore-every", "40", path), 0);
    assert_says("4 worlds that went on from snapshots agree");
    assert_int_equal(replay("verify", "--json", "--restore-every", "1", path), 0);
    assert_int_equal(number_after("\"restores\":"), 151);
    assert_int_equal(replay("verify", "--json", "--restore-every", "50", path, path), 0); // of all files
    assert_int_equal(number_after("\"restores\":"), 8);
    assert_int_equal(replay("verify", "--restore-every", "0", path), 2);
    assert_int_equal(replay("verify", "--restore-every", "often", path), 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_restored_worlds_find_a_counter_outside_of_the_state),
        cmocka_unit_test(test_restored_worlds_agree_with_a_game_that_is_right),
    };
    return cmocka_run_group_tests(tests, set_up, tool_tear_down);
}
