/// What a server writes with --events is what the recordings of its sessions say: real processes, walkers that are
/// pushed and fall, and joints that break.
#include "e2e_tool.h"
#include "e2e.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char *lines; // the file of events

static const char *file_read(const char *path) {
    free(lines);
    lines = calloc(1, 1u << 20);
    assert_non_null(lines);
    FILE *in = fopen(path, "rb");
    assert_non_null(in);
    assert_true(fread(lines, 1, (1u << 20) - 1, in) < (1u << 20) - 1);
    fclose(in);
    return lines;
}

static unsigned count_of(const char *text, const char *part) {
    unsigned count = 0;
    for (const char *at = text; (at = strstr(at, part)) != NULL; at += strlen(part)) {
        ++count;
    }
    return count;
}

/// The lines of one session without those that begin it.
static void select_lines(const char *from, const char *session, char *to) {
    char head[96];
    const int size = snprintf(head, sizeof head, "{\"session\":\"%s\",", session);
    *to = '\0';
    for (const char *at = from; *at != '\0';) {
        const char *end = strchr(at, '\n');
        assert_non_null(end); // every line is whole
        const size_t length = (size_t)(end + 1 - at);
        const char *begin = strstr(at, "\"begin\":");
        if (strncmp(at, head, (size_t)size) == 0 && (begin == NULL || begin > end)) {
            strncat(to, at, length);
        }
        at += length;
    }
}

/// Fails unless the file says of the session what its recording in the folder says.
static void expect_as_recorded(const char *session, const char *recording) {
    char *said = calloc(1, strlen(lines) + 1);
    assert_non_null(said);
    select_lines(lines, session, said);
    assert_int_equal(replay("dump", "--events", "--json", recording), 0);
    assert_string_equal(said, tool_output);
    free(said);
}

static void find(const char *folder, const char *begin, char *path, size_t capacity) {
    char end[64];
    e2e_image *image = e2e_folder_read(folder);
    path[0] = '\0';
    for (size_t i = 0; i < image->count; ++i) {
        const char *name = image->files[i].name;
        snprintf(end, sizeof end, ".isr");
        if (strncmp(name, begin, strlen(begin)) == 0 && strlen(name) > 4 && strcmp(name + strlen(name) - 4, end) == 0) {
            snprintf(path, capacity, "%s/%s", folder, name);
        }
    }
    e2e_image_free(image);
    assert_true(path[0] != '\0');
}

static void expect_begins(unsigned count) {
    assert_int_equal(count_of(lines, "\"begin\":{\"uid\":\""), count);
}

/// Gives commands to the walker's game until it has fallen.
static bool push_until_it_falls(e2e_player *player, const char *path) {
    for (int i = 0; i < 200 && strstr(file_read(path), "\"event\":\"fell\"") == NULL; ++i) {
        iso_command command = {.kind = ISO_COMMAND_APPLY_IMPULSE};
        command.as.apply_impulse.body = iso_client_player_body(player->client);
        command.as.apply_impulse.impulse.x = 300 * ISO_WIDE_ONE;
        iso_body_view view;
        if (iso_body_get(iso_client_world(player->client), command.as.apply_impulse.body, &view) == ISO_OK) {
            command.as.apply_impulse.point = view.centre;
            (void)iso_client_command(player->client, &command, NULL);
        }
        e2e_players_run_for(&player, 1, 100);
    }
    return strstr(lines, "\"event\":\"fell\"") != NULL;
}

static void test_lines_are_those_of_the_recordings(void **state) {
    (void)state;
    char folder[64], events[96], path[384];
    e2e_folder_make(folder);
    snprintf(events, sizeof events, "%s", path_of("events"));
    // What is there stays, and half a line does not spoil the next one.
    FILE *out = fopen(events, "wb");
    assert_non_null(out);
    fputs("{\"kept\":1}\n{\"half", out);
    fclose(out);
    e2e_server server;
    const char *const arguments[] = {"--session", "walk=walker", "--session", "all=everything", "--empty", "run",
                                     "--record",  folder,        "--events",  events,           NULL};
    e2e_server_start(&server, arguments);
    e2e_player *player = e2e_player_start_in(server.port, "walk", 0);
    assert_true(e2e_players_run(&player, 1, e2e_all_joined, 30000));
    e2e_players_run_for(&player, 1, 1000);
    assert_true(push_until_it_falls(player, events));
    e2e_player_destroy(player);
    E2E_WAIT(strstr(file_read(events), "\"event\":\"joint_break\"") != NULL, e2e_sleep_ms(50));
    assert_int_equal(e2e_server_stop(&server, SIGTERM), 0);
    file_read(events);
    assert_int_equal(strncmp(lines, "{\"kept\":1}\n{\"session\":\"walk\",\"tick\":0,\"begin\":", 44), 0);
    expect_begins(2);
    find(folder, "walk-", path, sizeof path);
    expect_as_recorded("walk", path);
    find(folder, "all-", path, sizeof path);
    expect_as_recorded("all", path);
    assert_null(strstr(lines, "\"dropped\""));

    // Started again it goes on from the recordings, and writes none of their ticks once more.
    const unsigned falls = count_of(lines, "\"event\":\"fell\""), breaks = count_of(lines, "\"event\":\"joint_break\"");
    e2e_server_start(&server, arguments);
    e2e_sleep_ms(300);
    assert_int_equal(e2e_server_stop(&server, SIGTERM), 0);
    file_read(events);
    expect_begins(4);
    assert_non_null(strstr(lines, "\"epoch\":2"));
    assert_int_equal(count_of(lines, "\"event\":\"fell\""), falls);
    assert_int_equal(count_of(lines, "\"event\":\"joint_break\""), breaks);
    e2e_folder_remove(folder);
}

static void test_a_file_that_cannot_be_written_stops_nothing(void **state) {
    (void)state;
    char log[8192];
    e2e_server server;
    e2e_server_start(&server,
                     (const char *const[]){"--scene", "everything", "--empty", "run", "--events", "/dev/full", NULL});
    E2E_WAIT(e2e_server_has_logged(&server, "--events: '/dev/full' cannot be written: No space left on device"),
             e2e_sleep_ms(50));
    e2e_player *player = e2e_player_start(server.port, 0);
    assert_true(e2e_players_run(&player, 1, e2e_all_joined, 30000));
    e2e_players_run_for(&player, 1, 1500);
    assert_true(player->ticks > 30);
    assert_int_equal(e2e_server_count_logged(&server, "cannot be written"), 1);
    e2e_player_destroy(player);
    assert_int_equal(e2e_server_stop_and_read(&server, SIGTERM, log, sizeof log), 0);
    assert_non_null(strstr(log, "lines are missing"));
}

static void test_a_file_of_another_kind_is_refused(void **state) {
    (void)state;
    char text[96];
    assert_int_equal(mkfifo(path_of("fifo"), 0600), 0);
    assert_int_equal(replay("simulate", "everything", "--ticks", "1", "--force", "--record", path_of("kept.isr")), 0);
    const char *const paths[][2] = {{path_of("fifo"), "is no regular file"},
                                    {path_of("none/there"), "cannot be opened: No such file"},
                                    {tool_folder, "cannot be opened: Is a directory"},
                                    {path_of("kept.isr"), "is a file of another kind: its first byte is not '{'"}};
    for (size_t i = 0; i < 4; ++i) {
        snprintf(text, sizeof text, "%s", paths[i][1]);
        assert_int_equal(
            e2e_run(E2E_SERVER,
                    (const char *const[]){"--tcp", "127.0.0.1:0", "--events", paths[i][0], "--for", "1", NULL},
                    tool_output, sizeof tool_output),
            2);
        assert_says(text);
    }
    assert_int_equal(replay("verify", path_of("kept.isr")), 0);
}

/// The line `ready` comes first on standard output.
static void test_standard_output_has_lines_after_ready(void **state) {
    (void)state;
    assert_int_equal(e2e_run(E2E_SERVER,
                             (const char *const[]){"--tcp", "127.0.0.1:0", "--events", "-", "--for", "1", NULL},
                             tool_output, sizeof tool_output),
                     0);
    const char *ready = strstr(tool_output, "ready tcp=127.0.0.1:");
    const char *begin = strstr(tool_output, "{\"session\":\"main\",\"tick\":0,\"begin\":{\"uid\":\"");
    assert_non_null(ready);
    assert_non_null(begin);
    assert_true(ready < begin);
}

static void test_events_of_a_part_as_text(void **state) {
    (void)state;
    assert_int_equal(replay("simulate", "everything", "--ticks", "600", "--force", "--record", path_of("all.isr")), 0);
    assert_int_equal(replay("dump", "--events", path_of("all.isr")), 0);
    const uint64_t tick = number_after("tick ");
    assert_says(" joint_break joint=");
    assert_says(" torque=");
    char from[24], to[24], head[32];
    snprintf(from, sizeof from, "%llu", (unsigned long long)tick);
    snprintf(to, sizeof to, "%llu", (unsigned long long)tick - 1);
    snprintf(head, sizeof head, "tick %s ", from);
    assert_int_equal(replay("dump", "--events", path_of("all.isr"), "--from", from, "--to", from), 0);
    assert_int_equal(strncmp(tool_output, head, strlen(head)), 0);
    assert_int_equal(replay("dump", "--events", path_of("all.isr"), "--to", to), 0);
    assert_string_equal(tool_output, "");
    assert_int_equal(replay("dump", "--json", path_of("all.isr")), 2);
    assert_says("--json: expected --events, too");
    assert_int_equal(replay("dump", "--sleep", path_of("all.isr")), 2);
    assert_says("--sleep: expected --events, too");
    // What slept comes only when it is asked for.
    assert_int_equal(replay("dump", "--events", path_of("all.isr")), 0);
    assert_null(strstr(tool_output, " sleep body="));
    assert_int_equal(replay("dump", "--events", "--sleep", path_of("all.isr")), 0);
    assert_says(" sleep body=");
    assert_says(" joint_sleep joint=");
    // A world that was changed on the way does not come to the recorded root.
    assert_int_equal(replay("perturb", path_of("all.isr"), "--flip", "globals.gravity[1]:18", "--tick", "0",
                            "--keep-roots", "-o", path_of("wrong.isr")),
                     0);
    assert_int_equal(replay("dump", "--events", path_of("wrong.isr")), 1);
    assert_says("the simulation differs from the recording");
}

/// A ball on a rope that breaks falls through a sensor: which contacts, by the names of the scene, from a server and
/// from its recording.
static void test_contacts_and_names_are_told_when_asked_for(void **state) {
    (void)state;
    static const char scene[] =
        "{\"format\": 1, \"name\": \"gate\", \"bodies\": [{\"name\": \"ground\", \"type\": \"static\", \"shapes\": [{"
        "\"kind\": \"box\", \"half_width\": 5, \"half_height\": 0.5}]}, {\"name\": \"gate\", \"type\": \"static\", "
        "\"position\": [0, 2], \"shapes\": [{\"kind\": \"box\", \"half_width\": 1, \"half_height\": 0.2, \"sensor\": "
        "true}]},"
        " {\"name\": \"ball\", \"position\": [0, 3], \"shapes\": [{\"kind\": \"circle\", \"radius\": 0.3}]}, "
        "{\"name\": "
        "\"hook\", \"type\": \"static\", \"position\": [0, 4]}], \"joints\": [{\"kind\": \"revolute\", \"name\": "
        "\"rope\", "
        "\"body_a\": \"hook\", \"body_b\": \"ball\", \"at\": [0, 4], \"break\": {\"force\": 0.1}}]}";
    char folder[64], path[384], events[96], file[96];
    e2e_folder_make(folder);
    snprintf(file, sizeof file, "%s", path_of("gate.json"));
    snprintf(events, sizeof events, "%s", path_of("contacts"));
    FILE *out = fopen(file, "wb");
    assert_non_null(out);
    fputs(scene, out);
    fclose(out);
    e2e_server server;
    e2e_server_start(&server, (const char *const[]){"--scene", file, "--empty", "run", "--record", folder, "--events",
                                                    events, "--contacts", NULL});
    E2E_WAIT(strstr(file_read(events), "\"name\":\"ground\"") != NULL, e2e_sleep_ms(50));
    assert_int_equal(e2e_server_stop(&server, SIGTERM), 0);
    file_read(events);
    char *said = calloc(1, strlen(lines) + 1);
    select_lines(lines, "main", said);
    find(folder, "main-", path, sizeof path);
    assert_int_equal(replay("dump", "--events", "--contacts", "--json", path), 0);
    assert_string_equal(said, tool_output);
    free(said);
    assert_int_equal(count_of(tool_output,
                              "\"event\":\"contact_begin\",\"body_a\":{\"index\":1,\"generation\":1,\"name\":"
                              "\"gate\"}"),
                     1);
    assert_int_equal(count_of(tool_output, "\"sensor\":true"), 1);
    assert_int_equal(count_of(tool_output, "\"event\":\"contact_end\""), 1);
    assert_int_equal(replay("dump", "--events", path), 0);
    assert_says(" joint_break joint=0/1(rope) tag=0 body_a=3/1(hook) body_b=2/1(ball) force=");
    assert_null(strstr(tool_output, "contact_"));
    assert_int_equal(replay("dump", "--contacts", path), 2);
    assert_says("--contacts: expected --events, too");
    e2e_folder_remove(folder);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_contacts_and_names_are_told_when_asked_for),
        cmocka_unit_test(test_lines_are_those_of_the_recordings),
        cmocka_unit_test(test_a_file_that_cannot_be_written_stops_nothing),
        cmocka_unit_test(test_a_file_of_another_kind_is_refused),
        cmocka_unit_test(test_standard_output_has_lines_after_ready),
        cmocka_unit_test(test_events_of_a_part_as_text),
    };
    return cmocka_run_group_tests(tests, tool_set_up, tool_tear_down);
}
