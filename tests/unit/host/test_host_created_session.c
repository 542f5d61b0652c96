/// Sessions that are created while the server runs: who is answered what and when, and what becomes of places, names
/// and files, whatever happens between two jobs of the session builder.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "host/recordings/created_mark.h"
#include "host/sessions/worker_inbox.h"
#include "host/web/create.h"
#include "host_web_rig.h"

static int set_up(void **state) {
    (void)state;
    web_rig_begin(false, NULL);
    return 0;
}

static int set_up_recorded(void **state) {
    (void)state;
    web_rig_begin(true, NULL);
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    web_rig_end();
    return 0;
}

static void expect_answer(uint32_t stream, unsigned status, const char *text) {
    const web_rig_answer *answer = &the_web.answers[stream];
    if (answer->count != 1 || answer->status != status || strstr(answer->text, text) == NULL) {
        fail_msg("connection %u has %u answers, the last %u %s", stream, answer->count, answer->status,
                 answer->text != NULL ? answer->text : "");
    }
}

static void expect_silence(uint32_t stream) {
    assert_int_equal(the_web.answers[stream].count, 0);
}

static uint32_t vacant(void) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < the_web.created.count; ++i) {
        count += the_web.created.list[i].state == ISO__CREATED_SESSION_VACANT;
    }
    return count;
}

/// Up to where its recording has begun.
static iso__created_session *create_built(uint32_t stream, const char *name) {
    iso__created_session *created = web_rig_create(stream, name, "stack");
    assert_int_equal(created->state, ISO__CREATED_SESSION_READING);
    assert_true(web_rig_make());
    assert_int_equal(created->state, ISO__CREATED_SESSION_BUILDING);
    assert_true(web_rig_make());
    assert_int_equal(created->state, ISO__CREATED_SESSION_STARTING);
    return created;
}

/// How many requests have come to an end, and the last of these.
static void expect_outcome(uint32_t count, const char *last) {
    assert_int_equal(the_web.outcomes, count);
    assert_string_equal(the_web.outcome, last);
}

static iso__created_session *create_open(uint32_t stream, const char *name) {
    iso__created_session *created = create_built(stream, name);
    iso__created_session_hear_started(created, ISO_OK);
    assert_int_equal(created->state, ISO__CREATED_SESSION_OPEN);
    return created;
}

// ---- From a request to an open session ----------------------------------------------------------------

static void test_session_is_found_and_answered_when_it_is_open(void **state) {
    (void)state;
    iso__created_session *created = web_rig_create(0, "arena", "stack");
    assert_null(iso__created_session_session(created));
    assert_true(iso__created_session_is_busy(&the_web.created));
    web_rig_make();
    assert_null(iso__created_session_session(created));
    assert_true(iso__created_session_is_busy(&the_web.created));
    assert_int_equal(the_web.started, 0);
    web_rig_make();
    assert_false(iso__created_session_is_busy(&the_web.created));
    assert_ptr_equal(iso__created_session_session(created), &created->hosted);
    assert_int_equal(the_web.started, 1);
    assert_true(created->hosted.awaits_start);
    expect_silence(0);
    assert_null(iso__directory_find(&the_web.directory, "arena"));
    iso__created_session_hear_started(created, ISO_OK);
    assert_ptr_equal(iso__directory_find(&the_web.directory, "arena"), &created->hosted);
    expect_answer(0, 201, "{\"name\":\"arena\",");
    assert_string_equal(the_web.answers[0].lines, "Location: sessions/arena\r\n");
    assert_null(created->waiter);
    assert_null(the_web.streams[0].user);
    // It is told of once.
    iso__created_session_hear_started(created, ISO_OK);
    expect_answer(0, 201, "arena");
    expect_outcome(1, "anna arena 201 ");
    assert_int_equal(the_web.directory.count, 1);
    assert_false(iso__created_session_has_failed(&created->hosted));
}

static void test_two_of_one_name_at_once_are_one_session(void **state) {
    (void)state;
    iso__created_session *first = web_rig_create(0, "arena", "stack"), *second = web_rig_create(1, "arena", "stack");
    assert_ptr_not_equal(first, second);
    // Both are read before one is built.
    web_rig_make();
    web_rig_make();
    expect_answer(1, 409, "there is a session 'arena' already");
    expect_silence(0);
    web_rig_make_all();
    assert_int_equal(first->state, ISO__CREATED_SESSION_STARTING);
    assert_int_equal(vacant(), WEB_RIG_PLACES - 1);
    // While the first one starts, and when it is open.
    web_rig_create(1, "arena", "stack");
    web_rig_make_all();
    expect_answer(1, 409, "there is a session 'arena' already");
    iso__created_session_hear_started(first, ISO_OK);
    web_rig_create(1, "arena", "stack");
    web_rig_make_all();
    expect_answer(1, 409, "there is a session 'arena' already");
    expect_answer(0, 201, "arena");
    assert_int_equal(the_web.started, 1);
}

static void test_name_is_free_again_when_its_session_has_left(void **state) {
    (void)state;
    iso__created_session *created = create_open(0, "arena");
    iso__created_session_hear_closed(created, ISO_ERR_SESSION_CLOSED);
    web_rig_create(1, "arena", "stack");
    web_rig_make_all();
    expect_answer(1, 409, "already");
    iso__created_session_hear_left(created);
    web_rig_make_all();
    iso__created_session_hear_started(web_rig_create(1, "arena", "stack"), ISO_OK); // not yet: it is read
    expect_silence(1);
    web_rig_make_all();
    iso__created_session_hear_started(&the_web.created.list[0], ISO_OK);
    expect_answer(1, 201, "arena");
    assert_int_equal(the_web.left, 1);
}

static void test_places_are_as_many_as_there_are(void **state) {
    (void)state;
    for (uint32_t i = 0; i < WEB_RIG_PLACES; ++i) {
        assert_non_null(web_rig_create(i, (const char *const[]){"a", "b", "c"}[i], "none"));
    }
    assert_null(web_rig_create(3, "d", "stack"));
    assert_int_equal(web_rig_make_all(), WEB_RIG_PLACES);
    for (uint32_t i = 0; i < WEB_RIG_PLACES; ++i) {
        expect_answer(i, 400, "/scene: there is no built-in scene 'none'; they are: bridge, ");
    }
    assert_int_equal(the_web.vacated, WEB_RIG_PLACES);
    assert_int_equal(vacant(), WEB_RIG_PLACES);
    create_open(3, "d");
    expect_answer(3, 201, "\"d\"");
}

static void test_worker_with_the_fewest_gets_the_next_one(void **state) {
    (void)state;
    iso__created_session *a = create_open(0, "a"), *b = create_open(1, "b");
    assert_ptr_equal(a->hosted.worker, &the_web.workers[0]);
    assert_ptr_equal(b->hosted.worker, &the_web.workers[1]);
    web_rig_remove(a);
    assert_int_equal(the_web.workers[0].created_count, 0);
    assert_int_equal(the_web.workers[1].created_count, 1);
    assert_ptr_equal(create_open(0, "c")->hosted.worker, &the_web.workers[0]);
    assert_ptr_equal(create_open(0, "d")->hosted.worker, &the_web.workers[0]);
}

static void test_scene_that_is_wrong_says_where(void **state) {
    (void)state;
    static const char text[] = "{\"name\":\"a\",\"document\":\"{\\\"format\\\":1,\\\"name\\\":7}\"}";
    bool has_memory = false;
    web_rig_call(0);
    assert_non_null(iso__created_session_request(&the_web.created, (const uint8_t *)text, sizeof text - 1,
                                                 &the_web.streams[0], NULL, &has_memory));
    assert_true(has_memory);
    web_rig_make_all();
    expect_answer(0, 400, "/name: 7, expected ");
    assert_int_equal(vacant(), WEB_RIG_PLACES);
    assert_int_equal(the_web.started, 0);
}

/// Asks with this body.
static void ask(uint32_t stream, const char *body) {
    bool has_memory = false;
    web_rig_call(stream);
    assert_non_null(iso__created_session_request(&the_web.created, (const uint8_t *)body, strlen(body),
                                                 &the_web.streams[stream], NULL, &has_memory));
}

/// A request with a quote too many, so that its password is in the text of another member.
static void test_answer_to_a_slip_of_quotes_has_no_password(void **state) {
    (void)state;
    static const char *const bodies[] = {
        "{\"name\":\"a\",\"scene\":\"s\\\",\\\"password\\\":\\\"hunter7\"}",
        "{\"name\":\"a\",\"document\":\"{}\\\",\\\"password\\\":\\\"hunter7\"}",
        "{\"name\":\"a\",\"document\":\"{\\\"format\\\":1,\\\"password\\\":\\\"hunter7\\\"}\"}",
    };
    for (size_t i = 0; i < sizeof bodies / sizeof bodies[0]; ++i) {
        ask(0, bodies[i]);
        web_rig_make_all();
        expect_answer(0, 400, "");
        if (strstr(the_web.answers[0].text, "hunter") != NULL) {
            fail_msg("%s: %s", bodies[i], the_web.answers[0].text);
        }
    }
}

static void test_settings_are_the_sessions(void **state) {
    (void)state;
    ask(0, "{\"name\":\"a\",\"scene\":\"stack\",\"password\":\"secret\",\"slots\":3,\"spectators\":0}");
    web_rig_make_all();
    const iso__created_session *created = &the_web.created.list[0];
    const iso__session_settings *settings = &created->hosted.settings;
    iso_session_info info;
    iso_session_get_info(created->hosted.session, &info);
    assert_int_equal(info.slots, 3);
    assert_true(settings->has_password && settings->has_spectators);
    assert_true(iso__settings_is_password(settings, &the_web.key, "secret"));
    // Nothing keeps it in the clear.
    assert_string_equal(created->request.password, "");
    assert_null(created->body);
    // What cannot be is refused before a session is there.
    static const struct {
        const char *member, *what;
    } rows[] = {
        {"\"slots\":9", "/slots: 9, expected an integer from 1 to 8, the slots of the scene"},
        {"\"spectators\":65", "/spectators: 65, expected an integer from 0 to 64, as --spectators allows"},
        {"\"password\":\"1234567\\n\"", "/password: …, expected a password: 1 to 63 bytes of UTF-8 without control"},
        {"\"password\":\"1234567\\u0085\"", "/password: …, expected a password"},
        {"\"password\":\"\"", "/password: …, expected a password"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
        char body[200];
        snprintf(body, sizeof body, "{\"name\":\"b\",\"scene\":\"stack\",%s}", rows[i].member);
        ask(1, body);
        web_rig_make_all();
        expect_answer(1, 400, rows[i].what);
        assert_null(strstr(host_rig_log, "1234567"));
    }
    assert_int_equal(vacant(), WEB_RIG_PLACES - 1);
}

static void test_new_name_is_no_option(void **state) {
    (void)state;
    web_rig_create(0, "-x", "stack");
    web_rig_make_all();
    expect_answer(0, 400, "the name of a new session begins with a letter or a digit");
    assert_int_equal(vacant(), WEB_RIG_PLACES);
    assert_int_equal(host_rig_count_files(".http") + host_rig_count_files(".part"), 0);
}

// ---- Who waits ----------------------------------------------------------------------------------------

static void test_connection_that_ends_is_not_answered(void **state) {
    (void)state;
    iso__created_session *created = web_rig_create(0, "arena", "stack");
    iso__web_forget(&the_web.web, &the_web.streams[0]);
    assert_null(created->waiter);
    assert_null(the_web.streams[0].user);
    web_rig_make_all();
    iso__created_session_hear_started(created, ISO_OK);
    expect_silence(0);
    assert_int_equal(created->state, ISO__CREATED_SESSION_OPEN);
    expect_outcome(1, "anna arena 201 "); // which is written down all the same
    // One that waits for a list is no session's.
    the_web.streams[1].user = &the_web.web.scenes;
    iso__web_forget(&the_web.web, &the_web.streams[1]);
    assert_null(the_web.streams[1].user);
    // One that is closing is not written to, but waits no more.
    iso__created_session *other = create_built(2, "other");
    the_web.streams[2].tcp.base.state = ISO__STREAM_CLOSING;
    iso__created_session_hear_started(other, ISO_OK);
    expect_silence(2);
    assert_null(the_web.streams[2].user);
    expect_outcome(2, "anna other 201 ");
}

static void test_end_of_the_server_is_answered_once(void **state) {
    (void)state;
    iso__created_session *starting = create_built(1, "starting");
    web_rig_create(0, "read", "stack");
    expect_silence(0);
    the_web.is_ending = true;
    iso__created_session_shut_down(&the_web.created);
    expect_answer(0, 503, "the server ends");
    expect_answer(1, 503, "the server ends");
    assert_null(starting->waiter);
    assert_true(iso__created_session_has_failed(&starting->hosted));
    assert_true(starting->is_over);
    assert_true(starting->hosted.is_ending);
    assert_int_equal(the_web.outcomes, 2);
    iso__created_session_shut_down(&the_web.created);
    web_rig_make_all();
    expect_answer(0, 503, "the server ends");
    expect_answer(1, 503, "the server ends");
    expect_outcome(2, "anna  503 the server ends"); // of one that was not read yet the name is not known
    assert_int_equal(the_web.started, 1);
}

static void test_request_of_a_server_that_ends_is_refused_between_two_jobs(void **state) {
    (void)state;
    web_rig_create(0, "a", "stack");
    web_rig_create(1, "b", "stack");
    web_rig_make();
    the_web.is_ending = true;
    web_rig_make();
    expect_answer(1, 503, "the server ends");
    web_rig_make_all();
    expect_answer(0, 503, "the server ends");
    assert_int_equal(the_web.started, 0);
    assert_int_equal(vacant(), WEB_RIG_PLACES);
}

// ---- What fails late ----------------------------------------------------------------------------------

static void test_session_whose_recording_cannot_begin_is_never_found(void **state) {
    (void)state;
    iso__created_session *created = create_built(0, "arena");
    iso__created_session_hear_started(created, ISO_ERR_TIMEOUT);
    expect_answer(0, 503, "nothing can be recorded: the disk does not respond");
    assert_true(iso__created_session_has_failed(&created->hosted));
    assert_true(created->hosted.is_ending);
    assert_null(iso__directory_find(&the_web.directory, "arena"));
    // A worker was given it, and told to end it.
    assert_int_equal(web_rig_orders(), 2);
    // Its name is taken until it has left.
    web_rig_create(1, "arena", "stack");
    web_rig_make_all();
    expect_answer(1, 409, "already");
    web_rig_remove(created);
    assert_int_equal(vacant(), WEB_RIG_PLACES);
    create_open(2, "arena");
}

static void test_session_that_closes_before_it_is_open_is_told_of(void **state) {
    (void)state;
    iso__created_session *created = create_built(0, "arena");
    web_rig_orders();
    iso__created_session_hear_closed(created, ISO_ERR_SESSION_CLOSED);
    expect_answer(0, 503, "it has closed already");
    assert_true(iso__created_session_has_failed(&created->hosted));
    assert_true(created->hosted.has_ended);
    assert_int_equal(web_rig_orders(), 1); // LEAVE
    iso__created_session_hear_left(created);
    web_rig_make_all();
    expect_answer(0, 503, "it has closed already");
    assert_int_equal(vacant(), WEB_RIG_PLACES);
}

static void test_session_with_connections_does_not_leave(void **state) {
    (void)state;
    iso__created_session *created = create_open(0, "arena");
    web_rig_orders();
    created->hosted.peer_count = 1;
    iso__created_session_hear_closed(created, ISO_ERR_SESSION_CLOSED);
    assert_int_equal(web_rig_orders(), 0);
    created->hosted.peer_count = 0;
    iso__worker_let_go(&created->hosted);
    assert_int_equal(web_rig_orders(), 1);
}

// ---- Its files ----------------------------------------------------------------------------------------

static void test_mark_stays_until_the_session_is_over(void **state) {
    (void)state;
    iso__created_session *created = create_open(0, "arena");
    assert_int_equal(host_rig_count_files("arena.http"), 1);
    web_rig_remove(created);
    assert_int_equal(host_rig_count_files("arena.http"), 0);
    created = create_open(0, "arena");
    iso__created_session_hear_closed(created, ISO_ERR_RESTARTING);
    iso__created_session_hear_left(created);
    web_rig_make_all();
    assert_int_equal(host_rig_count_files("arena.http"), 1);
}

static void test_recording_of_a_session_that_was_open_stays(void **state) {
    (void)state;
    iso__created_session *created = create_built(0, "arena");
    web_rig_write();
    iso__created_session_hear_started(created, ISO_OK);
    assert_int_equal(host_rig_count_files(".part"), 1);
    web_rig_remove(created);
    assert_int_equal(host_rig_count_files(".part"), 1);
    assert_int_equal(host_rig_count_files(".http"), 0);
}

/// Even if nobody has asked for files: what a place holds is freed by the session builder, not by the I/O thread.
static void test_what_cannot_be_built_is_freed_by_the_session_builder(void **state) {
    (void)state;
    web_rig_create(0, "large", "large-world");
    assert_true(web_rig_make());
    assert_true(web_rig_make());
    expect_answer(0, 503, "the session needs ");
    assert_int_equal(vacant(), WEB_RIG_PLACES - 1);
    assert_true(web_rig_make());
    assert_int_equal(vacant(), WEB_RIG_PLACES);
    assert_false(web_rig_make());
}

/// What has no recording leaves none, and what has one keeps its settings with it.
static void test_only_what_is_recorded_has_settings(void **state) {
    (void)state;
    ask(0, "{\"name\":\"off\",\"scene\":\"stack\",\"password\":\"secret\",\"slots\":2,\"record\":false}");
    web_rig_make_all();
    iso__created_session *created = &the_web.created.list[0];
    iso__created_session_hear_started(created, ISO_OK);
    expect_answer(0, 201, "\"slots\":2,");
    web_rig_write();
    assert_false(created->hosted.is_recorded || created->has_mark);
    assert_int_equal(host_rig_count_files("off"), 0);
    web_rig_remove(created);
    ask(0, "{\"name\":\"on\",\"scene\":\"stack\",\"slots\":2}");
    web_rig_make_all();
    iso__created_session_hear_started(created, ISO_OK);
    assert_int_equal(host_rig_count_files(".settings"), 1);
    web_rig_write();
    web_rig_remove(created);
    assert_int_equal(host_rig_count_files(".settings"), 1);
}

static void test_what_was_not_created_leaves_no_file(void **state) {
    (void)state;
    ask(0, "{\"name\":\"arena\",\"scene\":\"stack\",\"password\":\"secret\"}");
    web_rig_make_all();
    iso__created_session *created = &the_web.created.list[0];
    web_rig_write();
    assert_int_equal(host_rig_count_files(".part"), 1);
    assert_int_equal(host_rig_count_files("arena.http"), 1);
    assert_int_equal(host_rig_count_files(".settings"), 1);
    iso__created_session_hear_started(created, ISO_ERR_IO);
    web_rig_remove(created);
    assert_int_equal(host_rig_count_files(".settings"), 0);
    assert_int_equal(host_rig_count_files(".http"), 0);
    assert_int_equal(host_rig_count_files(".isr"), 0);
    assert_int_equal(host_rig_count_files(".part"), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_session_is_found_and_answered_when_it_is_open, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_two_of_one_name_at_once_are_one_session, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_name_is_free_again_when_its_session_has_left, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_places_are_as_many_as_there_are, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_worker_with_the_fewest_gets_the_next_one, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_scene_that_is_wrong_says_where, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_answer_to_a_slip_of_quotes_has_no_password, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_settings_are_the_sessions, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_new_name_is_no_option, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_connection_that_ends_is_not_answered, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_end_of_the_server_is_answered_once, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_request_of_a_server_that_ends_is_refused_between_two_jobs, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_session_whose_recording_cannot_begin_is_never_found, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_session_that_closes_before_it_is_open_is_told_of, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_session_with_connections_does_not_leave, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_mark_stays_until_the_session_is_over, set_up_recorded, tear_down),
        cmocka_unit_test_setup_teardown(test_recording_of_a_session_that_was_open_stays, set_up_recorded, tear_down),
        cmocka_unit_test_setup_teardown(test_what_cannot_be_built_is_freed_by_the_session_builder, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_only_what_is_recorded_has_settings, set_up_recorded, tear_down),
        cmocka_unit_test_setup_teardown(test_what_was_not_created_leaves_no_file, set_up_recorded, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
