/// isostep-bench: that it runs scenes and says what it measured, that its files come back as they were written, and
/// what it refuses. How fast that was is not tested.
#include "e2e.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isostep/scenes.h"

static char output[1 << 17], folder[64], path_a[128], path_b[128], picture[128];

#define bench(...) e2e_run(E2E_BENCH, (const char *const[]){__VA_ARGS__, NULL}, output, sizeof output)

#define says(text)                                         \
    do {                                                   \
        if (strstr(output, text) == NULL) {                \
            fail_msg("no %s in: %.3000s", (text), output); \
        }                                                  \
    } while (0)

/// The number behind a key, from `at` on.
static double number_of(const char *at, const char *key) {
    char quoted[64];
    snprintf(quoted, sizeof quoted, "\"%s\":", key);
    const char *value = strstr(at, quoted);
    if (value == NULL) {
        fail_msg("no %s in %.2000s", key, at);
    }
    return value != NULL ? strtod(value + strlen(quoted), NULL) : 0;
}

static void read_file(const char *path, char *text, size_t size) {
    FILE *in = fopen(path, "rb");
    assert_non_null(in);
    text[fread(text, 1, size - 1, in)] = 0;
    fclose(in);
}

static void write_file(const char *path, const char *text) {
    FILE *out = fopen(path, "wb");
    assert_non_null(out);
    fputs(text, out);
    assert_int_equal(fclose(out), 0);
}

static const char *const large[] = {"many-pyramids", "spinner",   "rain",        "smash",      "washer",
                                    "junkyard",      "compounds", "large-world", "large-wall3"};

static bool is_one_of(const char *name, const char *const *names, size_t count) {
    bool is = false;
    for (size_t i = 0; i < count; ++i) {
        is = is || strcmp(names[i], name) == 0;
    }
    return is;
}

/// How many of the last stages of its steps take no time: where nothing touches, those of contacts; in space, whose
/// rows have no colours, the graph's.
static size_t idle_stages(const char *name) {
    static const char *const free_ones[] = {"chain3",  "falling3",  "gyro",    "joint-grid3",
                                            "joints3", "symbolic3", "terrain3"};
    static const char *const touching[] = {"domino3",   "everything3", "planks", "pyramid3", "rally",
                                           "ragdolls3", "sandbox3",    "stack3", "wall3"};
    if (is_one_of(name, free_ones, sizeof free_ones / sizeof free_ones[0])) {
        return 4;
    }
    return is_one_of(name, touching, sizeof touching / sizeof touching[0]) ? 1 : 0;
}

static void test_bench_times_every_small_built_in_scene(void **state) {
    (void)state;
    const char *const arguments[] = {"--steps",    "2",        "--runs", "1", "--warm-up", "1",
                                     "--no-peers", "--stages", "--json", "-", NULL};
    assert_int_equal(e2e_run_within(E2E_BENCH, arguments, output, sizeof output, 90000), 0);
    const char *begin = "{\"format\":1,\"results\":[\n{";
    assert_memory_equal(output, begin, strlen(begin));
    size_t count;
    const iso_builtin_scene *scenes = iso_builtin_scene_list(&count);
    const char *at = output;
    for (size_t i = 0; i < count; ++i) {
        char name[64];
        snprintf(name, sizeof name, "{\"scene\":\"%s\"", scenes[i].name);
        if (is_one_of(scenes[i].name, large, sizeof large / sizeof large[0])) {
            assert_null(strstr(output, name));
            continue;
        }
        at = strstr(at, name);
        assert_non_null(at);
        assert_true(number_of(at, "steps") == 2 && number_of(at, "runs") == 1 && number_of(at, "threads") == 1);
        static const char *const times[] = {
            "step_us",     "step_low_us", "step_high_us", "step_slowest_us", "save_us",     "restore_us",
            "rollback_us", "encode_us",   "decode_us",    "hash_us",         "image_bytes", "snapshot_bytes",
            "substeps",    "finish",      "pairs",        "manifolds",       "prepare",     "graph"};
        const size_t time_count = sizeof times / sizeof times[0] - idle_stages(scenes[i].name);
        for (size_t k = 0; k < time_count; ++k) {
            assert_true(number_of(at, times[k]) > 0);
        }
        assert_true(number_of(at, "step_low_us") <= number_of(at, "step_us"));
        assert_true(number_of(at, "step_us") <= number_of(at, "step_high_us"));
        assert_true(number_of(at, "step_high_us") <= number_of(at, "step_slowest_us"));
    }
}

/// A scene that is moved from outside ends in the same way in each run, or the program fails.
static void test_bench_moves_the_junkyard(void **state) {
    (void)state;
    assert_int_equal(bench("--scene", "junkyard", "--steps", "2", "--runs", "2", "--warm-up", "0", "--json", "-"), 0);
    assert_true(number_of(output, "bodies") == 8002 && number_of(output, "runs") == 2);
}

static void test_bench_writes_tables(void **state) {
    (void)state;
    assert_int_equal(bench("--scene", "stack", "--scene", "ragdolls", "--steps", "3", "--threads", "1", "--simd",
                           "auto", "--stages"),
                     0);
    says("\nstack ");
    says("\nragdolls ");
    says("Stages of a step");
    assert_null(strstr(output, "sandbox"));
    assert_int_equal(bench("--scene", "stack", "--steps", "3", "--no-peers"), 0);
    assert_null(strstr(output, "Chipmunk 7"));
    assert_null(strstr(output, "Stages"));
}

static void test_bench_reads_what_it_wrote(void **state) {
    (void)state;
    static char first[1 << 14], second[1 << 14];
    assert_int_equal(bench("--scene", "stack", "--scene", "bridge", "--steps", "3", "--stages", "--json", path_a), 0);
    says("\nbridge ");
    assert_int_equal(bench("--read", path_a, "--json", path_b), 0);
    says("\nbridge ");
    read_file(path_a, first, sizeof first);
    read_file(path_b, second, sizeof second);
    assert_string_equal(first, second);
    assert_int_equal(bench("--read", path_a, "--json", "-"), 0);
    assert_string_equal(output, first);
}

/// One result: its scene, steps, root, and times that are all `us`.
static void write_results(const char *path, const char *scene, unsigned steps, const char *root, double us) {
    static char text[4096];
    static const char *const times[] = {"step", "save", "restore", "rollback", "encode", "decode", "hash"};
    size_t used = (size_t)snprintf(text, sizeof text,
                                   "{\"format\":1,\"results\":[{\"scene\":\"%s\",\"simd\":\"auto\",\"threads\":1,"
                                   "\"steps\":%u,\"runs\":1,\"bodies\":1,\"joints\":0,\"contacts\":0,"
                                   "\"contacts_most\":0,\"root\":\"%s\",",
                                   scene, steps, root);
    for (size_t i = 0; i < sizeof times / sizeof times[0]; ++i) {
        used += (size_t)snprintf(text + used, sizeof text - used, "\"%s_us\":%g,\"%s_low_us\":%g,\"%s_high_us\":%g,",
                                 times[i], us, times[i], us, times[i], us);
    }
    snprintf(text + used, sizeof text - used,
             "\"step_slowest_us\":%g,\"image_bytes\":1,\"snapshot_bytes\":1,\"peers\":[{\"name\":\"other\","
             "\"step_us\":%g}]}]}",
             us, 2 * us);
    write_file(path, text);
}

static void test_bench_compares_with_an_earlier_file(void **state) {
    (void)state;
    write_results(path_a, "stack", 200, "0000000000000001", 30);
    write_results(path_b, "stack", 200, "0000000000000001", 40);
    assert_int_equal(bench("--read", path_a, "--compare", path_b), 0);
    says("stack             auto       1    0.750    0.750    0.750    0.750    0.750    0.750    0.750\n");
    write_results(path_b, "stack", 200, "0000000000000002", 10);
    assert_int_equal(bench("--read", path_a, "--compare", path_b), 0);
    says("    3.000    3.000    3.000    3.000    3.000    3.000    3.000  another root: what is computed has "
         "changed\n");
    write_results(path_b, "stack", 100, "0000000000000001", 10);
    assert_int_equal(bench("--read", path_a, "--compare", path_b), 0);
    says("was stepped 100 times, now 200\n");
    write_results(path_b, "bridge", 200, "0000000000000001", 10);
    assert_int_equal(bench("--read", path_a, "--compare", path_b), 0);
    says("stack             auto       1 not among the earlier results\n");
    says("bridge            auto       1 not measured now\n");
}

static void test_bench_draws(void **state) {
    (void)state;
    static char first[1 << 14], second[1 << 14];
    write_results(path_a, "stack", 200, "0000000000000001", 30);
    write_results(path_b, "stack", 200, "0000000000000001", 4000);
    assert_int_equal(bench("--read", path_a, "--plot", picture), 0);
    read_file(picture, first, sizeof first);
    assert_memory_equal(first, "<svg ", 5);
    assert_string_equal(first + strlen(first) - 7, "</svg>\n");
    assert_non_null(strstr(first, ">stack</text>"));
    assert_non_null(strstr(first, ">30 us</text>"));
    assert_non_null(strstr(first, ">60 us</text>")); // the peer
    assert_null(strstr(first, "earlier"));
    assert_int_equal(bench("--read", path_a, "--compare", path_b, "--plot", picture), 0);
    read_file(picture, second, sizeof second);
    assert_non_null(strstr(second, ">4 ms</text>"));
    assert_non_null(strstr(second, "earlier"));
    write_results(path_b, "stack", 100, "0000000000000001", 4000);
    assert_int_equal(bench("--read", path_a, "--compare", path_b, "--plot", picture), 0);
    read_file(picture, second, sizeof second);
    assert_null(strstr(second, ">4 ms</text>")); // of another number of steps
}

static void test_bench_refuses_what_it_does_not_have(void **state) {
    (void)state;
    static const struct {
        const char *words[6];
        const char *text;
    } wrong[] = {
        {{"--threads", "1,,1"}, "--threads 1,,1: expected 1 to 8 values with commas between them"},
        {{"--threads", "0"}, "--threads 0: expected a whole number from 1 to 64"},
        {{"--simd", "quantum"}, "--simd quantum: expected auto, portable, sse4.1"},
        {{"--simd", "auto,"}, "--simd auto,: expected 1 to 8 values"},
        {{"--steps", "0"}, "from 1 to 100000"},
        {{"--steps", "many"}, "from 1 to 100000"},
        {{"--runs", "102"}, "from 1 to 101"},
        {{"--warm-up", "-1"}, "from 0 to 10000"},
        {{"--table", "--scene", "stack"}, "--table: expected no --scene beside it"},
        {{"--table", "--steps", "3"}, "--table: expected no --steps beside it"},
        {{"--read", "x", "--scene", "stack"}, "--read: expected no scenes beside it"},
        {{"--read", "x", "--steps", "3"}, "--read: expected no option beside it that says how to measure"},
        {{"--read", "x", "--simd", "portable"}, "--read: expected no option beside it that says how to measure"},
        {{"--nothing"}, "--nothing: there is no such option"},
        {{"--json"}, "--json: expected a value"},
        {{"stack"}, "stack: expected options alone"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; ++i) {
        const int code = e2e_run(E2E_BENCH, wrong[i].words, output, sizeof output);
        if (code != 2 || strstr(output, wrong[i].text) == NULL) {
            fail_msg("number %zu: exit code %d: %.500s", i, code, output);
        }
    }
    assert_int_equal(bench("--scene", "no-such-scene", "--json", "-"), 3);
    says("these are");
    assert_null(strstr(output, "{"));
    assert_int_equal(bench("--help"), 0);
    says("Usage: isostep-bench");
}

static void test_bench_refuses_files_that_are_not_its_own(void **state) {
    (void)state;
    static const char *const bad[][2] = {
        {"", "not JSON, or it ends too early"},
        {"{\"format\":1,\"results\":[{\"sce", "not JSON, or it ends too early"},
        {"[]", "\"results\" is missing"},
        {"{\"format\":2,\"results\":[]}", "\"format\" is missing or wrong"},
        {"{\"format\":1,\"results\":[3]}", "is missing or wrong"},
        {"{\"format\":1,\"results\":[{\"scene\":\"x\"}]}", "\"threads\" is missing or wrong"},
        {"{\"format\":1,\"results\":[{\"threads\":1,\"scene\":7}]}", "\"scene\" is missing or wrong"},
        {"{\"format\":1,\"results\":[{\"step_us\":Infinity}]}", "\"step_us\" is missing or wrong"},
        {"{\"format\":1,\"results\":[{\"threads\":-1}]}", "\"threads\" is missing or wrong"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i) {
        write_file(path_b, bad[i][0]);
        const int code = bench("--read", path_b);
        if (code != 3 || strstr(output, bad[i][1]) == NULL) {
            fail_msg("number %zu: exit code %d: %.500s", i, code, output);
        }
    }
    static const double wrong[] = {-1, 1e13};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; ++i) {
        write_results(path_b, "stack", 200, "0000000000000001", wrong[i]);
        assert_int_equal(bench("--read", path_b, "--plot", picture), 3);
        says("_us\" is missing or wrong");
    }
    write_results(path_b, "\\u001b[31mstack", 200, "0000000000000001", 30);
    assert_int_equal(bench("--read", path_b), 3);
    says("\"scene\" is missing or wrong");
    assert_int_equal(bench("--scene", "stack", "--compare", "/no/such/file"), 3);
    says("/no/such/file: cannot be read");
    assert_null(strstr(output, "simd")); // before anything was measured
    assert_int_equal(bench("--scene", "stack", "--json", "/no/such/file"), 3);
    says("/no/such/file: ");
    assert_null(strstr(output, "simd"));
    write_results(path_a, "stack", 200, "0000000000000001", 30);
    assert_int_equal(bench("--read", path_a, "--json", "/no/such/file"), 3);
    assert_int_equal(bench("--read", path_a, "--plot", "/no/such/file"), 3);
    says("/no/such/file: ");
}

static int set_up(void **state) {
    (void)state;
    e2e_limit_seconds(110);
    e2e_folder_make(folder);
    snprintf(path_a, sizeof path_a, "%s/a.json", folder);
    snprintf(path_b, sizeof path_b, "%s/b.json", folder);
    snprintf(picture, sizeof picture, "%s/steps.svg", folder);
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    e2e_folder_remove(folder);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bench_times_every_small_built_in_scene),
        cmocka_unit_test(test_bench_moves_the_junkyard),
        cmocka_unit_test(test_bench_writes_tables),
        cmocka_unit_test(test_bench_reads_what_it_wrote),
        cmocka_unit_test(test_bench_compares_with_an_earlier_file),
        cmocka_unit_test(test_bench_draws),
        cmocka_unit_test(test_bench_refuses_what_it_does_not_have),
        cmocka_unit_test(test_bench_refuses_files_that_are_not_its_own),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
