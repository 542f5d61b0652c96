/// From options to worlds and an address: which scene is taken, what the options change of it, and what is said of one
/// that cannot be hosted.
#include <arpa/inet.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "host/start/setup.h"
#include "host_rig.h"
#include "isostep/games.h"
#include "isostep/scenes.h"

static iso__memory memory;
static iso__setup setup;
static iso__setup_request request;
static char path[200];

static int set_up(void **state) {
    (void)state;
    host_disk_begin();
    host_rig_clear_log();
    memory = (iso__memory){.limit = 64u << 20};
    setup = (iso__setup){0};
    request = (iso__setup_request){
        .session = "main", .scene = path, .games = iso_games, .game_count = ISO_GAME_COUNT, .memory = &memory};
    snprintf(path, sizeof path, "%s/scene.json", the_disk.folder);
    return 0;
}

/// @return -1 when memory is left
static int tear_down(void **state) {
    (void)state;
    iso__setup_term(&setup, &memory);
    host_disk_end();
    return memory.used == 0 ? 0 : -1;
}

static bool make(void) {
    iso__setup_term(&setup, &memory);
    assert_int_equal(memory.used, 0);
    setup = (iso__setup){0};
    host_rig_clear_log();
    return iso__setup_world(&setup, &request);
}

static void write_scene(const char *text) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static const char floor_scene[] =
    "{\"format\": 1, \"name\": \"small-floor\", \"seed\": 7, \"tick_rate_hz\": 60, \"substeps\": 4,"
    " \"capacities\": {\"bodies\": 16, \"shapes\": 16, \"joints\": 4, \"contacts\": 64, \"slots\": 4}, \"game\": "
    "{\"name\": \"sandbox\"},"
    " \"bodies\": [{\"name\": \"ground\", \"type\": \"static\", \"shapes\": [{\"kind\": \"box\", \"half_width\": 5, "
    "\"half_height\": 1}]}]}";

static void expect_said(const char *text) {
    if (!host_rig_has_logged(text)) {
        fail_msg("'%s' is not said: %s", text, host_rig_log);
    }
}

static void test_a_scene_comes_from_a_file_with_all_that_a_recording_needs(void **state) {
    (void)state;
    write_scene(floor_scene);
    assert_true(make());
    assert_string_equal(setup.scene_name, "small-floor");
    assert_int_equal(setup.scene_size, strlen(floor_scene));
    assert_memory_equal(setup.scene_text, floor_scene, setup.scene_size);
    assert_int_not_equal(setup.scene_hash, 0);
    assert_false(setup.scene_is_bad);
    const iso_world_def *def = iso_world_get_def(setup.world);
    assert_int_equal(def->seed, 7);
    assert_int_equal(def->tick_rate_hz, 60);
    assert_int_equal(def->substep_count, 4);
    assert_int_equal(setup.world_size, memory.used);
    assert_string_equal(host_rig_log, "");
}

static void test_a_name_is_that_of_a_built_in_scene_first(void **state) {
    (void)state;
    size_t count;
    const iso_builtin_scene *list = iso_builtin_scene_list(&count);
    request.scene = list[count - 1].name;
    assert_true(make());
    assert_int_equal(setup.scene_size, list[count - 1].size);
    assert_memory_equal(setup.scene_text, list[count - 1].text, setup.scene_size);
}

static void test_options_go_before_what_the_scene_says(void **state) {
    (void)state;
    write_scene(floor_scene);
    request.tick_rate_hz = 100;
    request.has_seed = true;
    request.seed = 99;
    assert_true(make());
    assert_int_equal(iso_world_get_def(setup.world)->tick_rate_hz, 100);
    assert_int_equal(iso_world_get_def(setup.world)->substep_count, 4);
    assert_int_equal(iso_world_get_def(setup.world)->seed, 99);
    assert_string_equal(host_rig_log, "");
    request.has_seed = false;
    // A slow rate takes more substeps: tick rate times substeps is at least 60.
    request.tick_rate_hz = 10;
    assert_true(make());
    assert_int_equal(iso_world_get_def(setup.world)->tick_rate_hz, 10);
    assert_int_equal(iso_world_get_def(setup.world)->substep_count, 6);
    assert_int_equal(iso_world_get_def(setup.world)->seed, 7);
    expect_said("session main: --tick-rate: 10 Hz take 6 substeps a tick instead of the scene's 4");
}

static void test_a_rate_out_of_range_is_the_options_fault(void **state) {
    (void)state;
    write_scene(floor_scene);
    request.tick_rate_hz = 1000;
    assert_false(make());
    assert_false(setup.scene_is_bad);
    expect_said("session main: --scene, --tick-rate: ");
    expect_said("is out of range");
}

static void test_a_scene_that_is_not_there_names_those_that_are(void **state) {
    (void)state;
    size_t count;
    char names[100];
    const iso_builtin_scene *list = iso_builtin_scene_list(&count);
    assert_false(make());
    assert_true(setup.scene_is_bad);
    expect_said("there is no scene or file '");
    snprintf(names, sizeof names, "the scenes are: %s, %s", list[0].name, list[1].name);
    expect_said(names);
    expect_said(list[count - 1].name);
    assert_false(host_rig_has_logged("did you mean"));
    request.scene = "stak";
    assert_false(make());
    expect_said("there is no scene or file 'stak' (did you mean 'stack'?); the scenes are: ");
    // It is there, and no file.
    request.scene = the_disk.folder;
    assert_false(make());
    assert_true(setup.scene_is_bad);
    expect_said("cannot be read");
    assert_false(host_rig_has_logged("the scenes are"));
}

static void test_a_recording_is_no_scene(void **state) {
    (void)state;
    write_scene("\x89ISR\r\n\x1a\n");
    assert_false(make());
    assert_true(setup.scene_is_bad);
    expect_said("is a recording; --resume hosts one again");
}

static void test_a_wrong_scene_is_told_with_its_path(void **state) {
    (void)state;
    write_scene("{\"format\": 1, \"name\": \"x\", \"tick_rate_hz\": \"fast\"}");
    assert_false(make());
    assert_true(setup.scene_is_bad);
    expect_said("the scene '");
    expect_said("tick_rate_hz");
    write_scene("{");
    assert_false(make());
    assert_true(setup.scene_is_bad);
}

static void test_a_scene_takes_other_files_into_its_text(void **state) {
    (void)state;
    char whole[sizeof path];
    memcpy(whole, path, sizeof path);
    write_scene("{\"format\": 1, \"name\": \"whole\", \"include\": [\"part.json\"]}");
    assert_false(make());
    assert_true(setup.scene_is_bad);
    expect_said("/include/0: \"part.json\", expected a file that can be read (part.json: ");
    snprintf(path, sizeof path, "%s/part.json", the_disk.folder);
    write_scene("{\"bodies\": [{\"name\": \"hook\", \"type\": \"static\"}]}");
    memcpy(path, whole, sizeof path);
    assert_true(make());
    assert_non_null(strstr(setup.scene_text, "hook"));
    assert_int_equal(setup.scene_size, strlen(setup.scene_text));
    iso_world_counts counts;
    iso_world_get_counts(setup.world, &counts);
    assert_int_equal(counts.bodies, 1);
    snprintf(path, sizeof path, "%s/part.json", the_disk.folder);
    write_scene("{\"bodies\": [\n{\"name\": \"hook\", \"type\": \"fixed\"}]}");
    memcpy(path, whole, sizeof path);
    assert_false(make());
    expect_said("in part.json, line 2, column 26: /bodies/0/type: \"fixed\", expected one of static");
}

static void test_a_scene_that_needs_too_much_memory_is_not_a_bad_one(void **state) {
    (void)state;
    write_scene(floor_scene);
    memory.limit = 2000;
    assert_false(make());
    assert_false(setup.scene_is_bad);
    expect_said("needs more memory: --memory allows 0 MiB");
    memory.limit = 64u << 20;
    assert_true(make());
}

// ---- Addresses --------------------------------------------------------------------------------------------

static bool find_address(const char *host, uint16_t port, bool allow_plaintext, iso__address *address) {
    static iso__options options;
    memset(&options, 0, sizeof options);
    memset(address, 0, sizeof *address);
    snprintf(options.tcp_host, sizeof options.tcp_host, "%s", host);
    options.tcp_port = port;
    options.allow_plaintext = allow_plaintext;
    host_rig_clear_log();
    return iso__setup_address(&options, address);
}

static void test_others_reach_the_server_only_if_that_is_meant(void **state) {
    (void)state;
    iso__address address;
    assert_true(find_address("127.0.0.1", 7790, false, &address));
    assert_int_equal(address.family, ISO__ADDRESS_IPV4);
    assert_int_equal(address.port, 7790);
    assert_memory_equal(address.bytes + 12, ((const uint8_t[]){127, 0, 0, 1}), 4);
    assert_true(find_address("::1", 65535, false, &address));
    assert_int_equal(address.family, ISO__ADDRESS_IPV6);
    assert_int_equal(address.port, 65535);
    assert_false(address.binds_mapped);
    assert_true(find_address("::ffff:127.0.0.1", 7790, false, &address));
    assert_int_equal(address.family, ISO__ADDRESS_IPV4);
    assert_true(address.binds_mapped);
    assert_false(find_address("::ffff:192.0.2.1", 7790, false, &address));
    assert_false(find_address("0.0.0.0", 7790, false, &address));
    expect_said("'0.0.0.0' is not a loopback address");
    expect_said("--allow-plaintext");
    assert_int_equal(address.family, ISO__ADDRESS_NONE);
    assert_true(find_address("0.0.0.0", 7790, true, &address));
    assert_memory_equal(address.bytes + 12, ((const uint8_t[]){0, 0, 0, 0}), 4);
    assert_false(find_address("192.0.2.1", 0, false, &address));
    assert_false(find_address("300.1.2.x y", 7790, true, &address));
    expect_said("'300.1.2.x y' is no address");
}

int main(void) {
#define SETUP_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        SETUP_TEST(test_a_scene_comes_from_a_file_with_all_that_a_recording_needs),
        SETUP_TEST(test_a_name_is_that_of_a_built_in_scene_first),
        SETUP_TEST(test_options_go_before_what_the_scene_says),
        SETUP_TEST(test_a_rate_out_of_range_is_the_options_fault),
        SETUP_TEST(test_a_scene_that_is_not_there_names_those_that_are),
        SETUP_TEST(test_a_recording_is_no_scene),
        SETUP_TEST(test_a_wrong_scene_is_told_with_its_path),
        SETUP_TEST(test_a_scene_takes_other_files_into_its_text),
        SETUP_TEST(test_a_scene_that_needs_too_much_memory_is_not_a_bad_one),
        SETUP_TEST(test_others_reach_the_server_only_if_that_is_meant),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
