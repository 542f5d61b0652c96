/// Requests and answers on fake sockets: what the peer reads and when.
#include "web_rig.h"

static void test_requests_are_answered_one_after_the_other(void **state) {
    (void)state;
    peer->room = 10;
    say(GET("/1") GET("/2"));
    assert_int_equal(requests, 1);
    assert_false(peer->is_reading); // the second waits behind the first answer
    fake_take(peer, 1000);
    flush();
    assert_int_equal(requests, 2);
    fake_take(peer, 1000);
    assert_true(peer->is_reading);
    assert_int_equal(known, 1);
}

static void test_large_bodies_come_in_pieces(void **state) {
    (void)state;
    enum { SIZE = 700000 };
    uint8_t *large = malloc(SIZE);
    for (size_t i = 0; i < SIZE; ++i) {
        large[i] = (uint8_t)(i * 2654435761u >> 24);
    }
    body = (iso__web_body){.memory = large, .size = SIZE};
    body_size = SIZE;
    peer->room = 0;
    say(GET("/"));
    size_t most = 0;
    for (int i = 0; i < 2000 && web->is_answering; ++i) {
        most = web->tcp.queued > most ? web->tcp.queued : most;
        fake_take(peer, 1000);
        flush();
    }
    assert_true(most <= ISO__WEB_BODY_PIECE + ISO__HTTP_ANSWER_HEAD_MAX);
    assert_memory_equal(peer->sent + peer->sent_size - SIZE, large, SIZE);
    assert_true(peer->is_reading);
    free(large);
}

/// Whoever reads as fast as it is written to has one piece in a turn of the loop.
static void test_fast_reader_keeps_nobody_waiting(void **state) {
    (void)state;
    enum { PIECES = 10 };
    uint8_t *large = calloc(PIECES, ISO__WEB_BODY_PIECE);
    body = (iso__web_body){.memory = large, .size = PIECES * ISO__WEB_BODY_PIECE};
    body_size = body.size;
    fake_socket *other = fake_connect();
    fake_say(peer, GET("/"), sizeof GET("/") - 1);
    fake_say(other, GET("/"), sizeof GET("/") - 1);
    for (size_t turn = 1; turn <= PIECES; ++turn) {
        flush();
        assert_true(peer->sent_size <= turn * ISO__WEB_BODY_PIECE + ISO__HTTP_ANSWER_HEAD_MAX);
        assert_int_equal(other->sent_size, peer->sent_size);
        // The loop comes back at once while something is left.
        assert_int_equal(uv_is_active((uv_handle_t *)&server.tcp.again), turn < PIECES);
        uv_run(&loop, UV_RUN_NOWAIT);
        assert_false(uv_is_active((uv_handle_t *)&server.tcp.again));
    }
    assert_true(peer->sent_size > PIECES * ISO__WEB_BODY_PIECE);
    free(large);
}

static void test_files_are_read_from_their_offset_and_closed(void **state) {
    (void)state;
    char path[] = "/tmp/test_web_XXXXXX";
    const int file = mkstemp(path);
    assert_true(file >= 0);
    unlink(path);
    assert_int_equal(write(file, "0123456789", 10), 10);
    body = (iso__web_body){.file = file, .is_file = true, .offset = 3, .size = 4};
    body_size = 4;
    say(GET("/"));
    assert_memory_equal(peer->sent + peer->sent_size - 8, "\r\n\r\n3456", 8);
    assert_int_equal(fcntl(file, F_GETFD), -1);
}

static void test_file_that_ends_early_cuts_the_connection(void **state) {
    (void)state;
    char path[] = "/tmp/test_web_XXXXXX";
    const int file = mkstemp(path);
    assert_true(file >= 0);
    unlink(path);
    body = (iso__web_body){.file = file, .is_file = true, .size = 4};
    body_size = 4;
    say(GET("/"));
    assert_true(peer->is_closing);
    fake_run_closes();
    assert_int_equal(fcntl(file, F_GETFD), -1);
}

static void test_answer_may_come_later(void **state) {
    (void)state;
    say(GET("/later") GET("/2"));
    pass(ISO__WEB_STALL_TIMEOUT_NS + ISO__WEB_IDLE_TIMEOUT_NS);
    flush();
    assert_int_equal(requests, 1);
    assert_int_equal(peer->sent_size, 0);
    assert_false(peer->is_closing);
    const iso__http_head head = {.status = 201, .size = body_size};
    iso__web_answer(web, &head, &body, true);
    flush();
    assert_true(was_sent(0, "HTTP/1.1 201 "));
    flush();                                   // in the next turn of the loop
    assert_true(was_sent(0, "HTTP/1.1 200 ")); // to the second
    assert_int_equal(requests, 2);
    assert_true(peer->is_reading);
    // One that ends meanwhile is told to the handler, and is waited for no more.
    say(GET("/later"));
    iso__stream_cut(&web->tcp.base);
    fake_run_closes();
    assert_int_equal(known, 0);
}

static void test_head_has_the_size_and_no_body(void **state) {
    (void)state;
    say("HEAD / HTTP/1.1\r\nHost: a\r\n\r\n");
    assert_true(was_sent(0, "Content-Length: 3\r\n"));
    assert_false(was_sent(0, "ok\n"));
}

static void test_last_answer_ends_the_connection(void **state) {
    (void)state;
    say("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n" GET("/2"));
    assert_int_equal(requests, 1);
    assert_true(was_sent(0, "Connection: close\r\n"));
    assert_non_null(peer->shutdown);
    fake_take(peer, 0);
    fake_say_end(peer, UV_EOF);
    fake_run_closes();
    assert_true(peer->is_closed);
    assert_int_equal(known, 0);
}

/// What had come while the process was stopped is read before a request is found too slow.
static void test_request_has_a_grace_after_a_stop(void **state) {
    (void)state;
    say("GET / HTTP/1.1\r\n");
    pass(1 * MS);
    fake_now_ns += 10 * ISO__WEB_REQUEST_TIMEOUT_NS;
    fake_run_timers();
    assert_int_equal(refused[ISO__WEB_REFUSED_TIME], 0);
    say("Host: a\r\n\r\nGET / HTT");
    assert_int_equal(requests, 1);

    fake_now_ns += 10 * ISO__WEB_REQUEST_TIMEOUT_NS;
    fake_run_timers();
    pass(ISO__STOPS_GRACE_NS + 1 * MS);
    flush();
    assert_int_equal(refused[ISO__WEB_REFUSED_TIME], 1);
}

static void test_time_limits(void **state) {
    (void)state;
    pass(ISO__WEB_REQUEST_TIMEOUT_NS - 1 * MS);
    assert_int_equal(refused[ISO__WEB_REFUSED_TIME], 0);
    say("GET / HTTP/1.1\r\n"); // no new time for that
    pass(2 * MS);
    flush();
    assert_int_equal(refused[ISO__WEB_REFUSED_TIME], 1);
    assert_true(was_sent(0, "HTTP/1.1 408 "));
    assert_non_null(peer->shutdown);

    // Between requests there is more, and nothing is said; a request that has begun has its own time.
    peer = fake_connect();
    say(GET("/"));
    pass(ISO__WEB_IDLE_TIMEOUT_NS - 1 * MS);
    say("GET / HTT");
    pass(ISO__WEB_REQUEST_TIMEOUT_NS - 1 * MS);
    assert_null(peer->shutdown);
    pass(2 * MS);
    flush();
    assert_true(was_sent(0, "HTTP/1.1 408 "));

    peer = fake_connect();
    say(GET("/"));
    pass(ISO__WEB_IDLE_TIMEOUT_NS + 1 * MS);
    flush();
    assert_non_null(peer->shutdown);
    assert_false(was_sent(0, "408"));
}

static void test_empty_lines_are_no_request(void **state) {
    (void)state;
    say(GET("/"));
    for (unsigned i = 0; i < 4; ++i) {
        pass(ISO__WEB_IDLE_TIMEOUT_NS / 4 - 1 * MS);
        say("\r\n");
    }
    pass(5 * MS);
    flush();
    assert_non_null(peer->shutdown);
    assert_false(was_sent(0, "408"));
}

static void test_answer_that_is_not_read_is_given_up(void **state) {
    (void)state;
    peer->room = 10;
    say(GET("/"));
    pass(100 * MS);
    pass(ISO__WEB_STALL_TIMEOUT_NS - 1 * MS);
    assert_false(peer->is_closing);
    pass(2 * MS);
    assert_true(peer->is_closing);
}

static void test_flood_of_requests_is_ended(void **state) {
    (void)state;
    for (unsigned round = 0; round < 2; ++round) {
        for (unsigned i = 0; i < ISO__WEB_REQUESTS_MAX; ++i) {
            say(GET("/"));
        }
        assert_int_equal(requests, (round + 1) * ISO__WEB_REQUESTS_MAX);
        fake_now_ns += round == 0 ? 1000 * MS : 0;
    }
    say(GET("/"));
    assert_int_equal(requests, 2 * ISO__WEB_REQUESTS_MAX);
    assert_int_equal(refused[ISO__WEB_REFUSED_RATE], 1);
    assert_true(was_sent(0, "HTTP/1.1 429 "));
    assert_non_null(peer->shutdown);
}

static void test_garbage_is_answered_and_ended(void **state) {
    (void)state;
    say("hello\r\n\r\n");
    assert_int_equal(refused[ISO__WEB_REFUSED_FORM], 1);
    assert_true(was_sent(0, "HTTP/1.1 400 Bad Request\r\n"));
    assert_non_null(peer->shutdown);
}

static void test_connections_without_a_place_are_told(void **state) {
    (void)state;
    opens_web = false;
    fake_socket *other = fake_connect();
    assert_true(other->is_closing);
    assert_true(memmem(other->sent, other->sent_size, "HTTP/1.1 503 ", 13) != NULL);
    fake_run_closes();
    opens_web = true;
    fake_connect();
    fake_connect();
    assert_int_equal(refused[ISO__WEB_REFUSED_PLACE], 0);
    other = fake_connect();
    assert_int_equal(refused[ISO__WEB_REFUSED_PLACE], 1);
    assert_true(other->is_closing);
    assert_true(memmem(other->sent, other->sent_size, "HTTP/1.1 503 ", 13) != NULL);
}

static void test_busy_lobby_is_503(void **state) {
    (void)state;
    admits = false;
    say(UPGRADE);
    assert_int_equal(opened, 0);
    assert_true(was_sent(0, "HTTP/1.1 503 "));
    assert_true(was_sent(0, "Retry-After: 1\r\n"));
    assert_non_null(peer->shutdown);
}

static void say_if(fake_socket *socket, const void *bytes, size_t size) {
    if (socket != NULL && socket->is_reading) {
        fake_say(socket, bytes, size);
    }
    flush();
}

static void test_every_allocation_may_fail(void **state) {
    (void)state;
    unsigned counted = 0;
    fake_now_ns += 1;
    for (unsigned n = 0; n <= counted; ++n) {
        allocations = 0;
        fail_at = n; // the first round counts
        fake_socket *socket = fake_connect();
        say_if(socket, GET("/"), sizeof GET("/") - 1);
        say_if(socket, UPGRADE, sizeof UPGRADE - 1);
        say_if(socket, "\x89\x81\0\0\0\0x", 7);
        say_if(socket, "\x88\x80\0\0\0\0", 6);
        fail_at = 0;
        counted = n == 0 ? allocations : counted;
        // One that had to wait for memory is taken now.
        fake_run_timers();
        pass(ISO__WEB_REQUEST_TIMEOUT_NS + 1);
        for (iso__stream *s = listener->first; s != NULL; s = s->next) {
            iso__stream_cut(s);
        }
        fake_run_closes();
        assert_int_equal(listener->stream_count, 0);
        assert_int_equal(known, 0);
    }
    assert_true(counted > 6);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(test_requests_are_answered_one_after_the_other),
        TEST(test_large_bodies_come_in_pieces),
        TEST(test_fast_reader_keeps_nobody_waiting),
        TEST(test_files_are_read_from_their_offset_and_closed),
        TEST(test_file_that_ends_early_cuts_the_connection),
        TEST(test_answer_may_come_later),
        TEST(test_head_has_the_size_and_no_body),
        TEST(test_last_answer_ends_the_connection),
        TEST(test_time_limits),
        TEST(test_request_has_a_grace_after_a_stop),
        TEST(test_empty_lines_are_no_request),
        TEST(test_answer_that_is_not_read_is_given_up),
        TEST(test_flood_of_requests_is_ended),
        TEST(test_garbage_is_answered_and_ended),
        TEST(test_connections_without_a_place_are_told),
        TEST(test_busy_lobby_is_503),
        TEST(test_every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
