/// isostep-bench: that it runs every scene and says what it measured. How fast that was is not tested.
#include "e2e.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isostep/scenes.h"

static char output[1 << 16];

#define bench(...) e2e_run(E2E_BENCH, (const char *const[]){__VA_ARGS__, NULL}, output, sizeof output)

static void test_bench_times_every_built_in_scene(void **state) {
    (void)state;
    assert_int_equal(bench("--steps", "2", "--json"), 0);
    const char *begin = "{\"steps\":2,\"threads\":1,\"scenes\":[{";
    assert_memory_equal(output, begin, strlen(begin));
    size_t count;
    const iso_builtin_scene *scenes = iso_builtin_scene_list(&count);
    const char *at = output;
    for (size_t i = 0; i < count; ++i) {
        char name[64];
        snprintf(name, sizeof name, "{\"scene\":\"%s\"", scenes[i].name);
        at = strstr(at, name);
        assert_non_null(at);
        static const char *const times[] = {
            "\"step_us\":", "\"save_us\":", "\"restore_us\":", "\"encode_us\":", "\"hash_us\":", "\"snapshot_bytes\":"};
        for (size_t k = 0; k < sizeof times / sizeof times[0]; ++k) {
            const char *value = strstr(at, times[k]);
            assert_non_null(value);
            assert_true(strtod(value + strlen(times[k]), NULL) > 0);
        }
    }
    assert_string_equal(output + strlen(output) - 4, "}]}\n");
}

static void test_bench_writes_a_table(void **state) {
    (void)state;
    assert_int_equal(bench("--scene", "stack", "--steps", "3", "--threads", "1"), 0);
    assert_non_null(strstr(output, "\nstack "));
    assert_null(strstr(output, "sandbox"));
}

static void test_bench_refuses_what_it_does_not_have(void **state) {
    (void)state;
    assert_int_equal(bench("--threads", "2"), 2);
    assert_non_null(strstr(output, "the solver has no threads"));
    assert_int_equal(bench("--steps", "0"), 2);
    assert_int_equal(bench("--steps", "many"), 2);
    assert_int_equal(bench("--nothing"), 2);
    assert_int_equal(bench("stack"), 2);
    assert_int_equal(bench("--scene", "no-such-scene", "--json"), 3);
    assert_non_null(strstr(output, "these are"));
    assert_null(strstr(output, "{"));
    assert_int_equal(bench("--help"), 0);
    assert_non_null(strstr(output, "Usage: isostep-bench"));
}

static int set_up(void **state) {
    (void)state;
    e2e_limit_seconds(110);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bench_times_every_built_in_scene),
        cmocka_unit_test(test_bench_writes_a_table),
        cmocka_unit_test(test_bench_refuses_what_it_does_not_have),
    };
    return cmocka_run_group_tests(tests, set_up, NULL);
}
