/// Streams on sockets of which nothing is as one likes: how connections come, and what is read.
#include "transport/tcp_read.h"

#include "stream_rig.h"
#include "unit/address_util.h"

// ---- Coming -----------------------------------------------------------------------------------------------

static void test_connection_is_set_up(void **state) {
    (void)state;
    assert_true(peer->is_accepted && peer->is_reading && peer->no_delay);
    assert_int_equal(peer->send_buffer, ISO__TCP_SEND_BUFFER_SIZE);
    assert_int_equal(listener->stream_count, 1);
    assert_int_equal(opened_count, 1);
    assert_int_equal(the_sockets.timer_repeat_ms[0], 100);
}

static void test_connections_beyond_the_limit_are_told_and_closed(void **state) {
    (void)state;
    fake_connect();
    fake_connect();
    assert_int_equal(full_count, 0);
    fake_socket *fourth = fake_connect();
    assert_int_equal(full_count, 1);
    assert_int_equal(opened_count, 3);
    assert_true(fourth->is_closing);
    assert_memory_equal(fourth->sent, "full", 4);
    assert_int_equal(closed_count, 0); // nobody knew it
    fake_run_closes();
    assert_int_equal(listener->stream_count, 3);
    iso__stream_cut(stream);
    fake_run_closes();
    assert_false(fake_connect()->is_closing);
    assert_int_equal(opened_count, 4);
}

static void test_connection_that_the_host_does_not_want_is_closed_in_silence(void **state) {
    (void)state;
    opens = false;
    fake_socket *second = fake_connect();
    assert_true(second->is_closing && !second->is_reading);
    assert_int_equal(closed_count, 0);
    assert_int_equal(full_count, 0);
}

/// As a listener on [::] sees it.
static void test_peer_of_ipv4_in_the_form_of_ipv6_is_one_of_ipv4(void **state) {
    (void)state;
    const iso__address address = read_address("192.0.2.7", 40000);
    the_sockets.peer_address = "::ffff:192.0.2.7";
    fake_connect();
    assert_int_equal(opened_count, 2);
    assert_int_equal(stream->address.family, ISO__ADDRESS_IPV4);
    assert_memory_equal(stream->address.bytes, address.bytes, 16);
    assert_int_equal(stream->address.port, 40000);
    the_sockets.peer_address = "fe80::1";
    fake_connect();
    assert_int_equal(stream->address.family, ISO__ADDRESS_IPV6);
}

static void test_connection_that_cannot_be_accepted_is_counted(void **state) {
    (void)state;
    the_sockets.fails_accept = UV_EMFILE;
    fake_connect();
    assert_int_equal(full_count, 1);
    assert_int_equal(opened_count, 1);
    fake_run_closes();
    assert_int_equal(listener->stream_count, 1);
    the_sockets.fails_accept = 0;
    the_sockets.on_connection((uv_stream_t *)the_sockets.listener, UV_EMFILE);
    assert_int_equal(full_count, 2);
}

static void test_connection_waits_for_memory(void **state) {
    (void)state;
    the_sockets.fails_init = UV_ENOMEM;
    assert_null(fake_connect());
    assert_int_equal(full_count, 1);
    assert_true(server.is_accept_pending);
    pass(1);
    assert_int_equal(opened_count, 1);
    the_sockets.fails_init = 0;
    pass(1);
    assert_int_equal(opened_count, 2);
    assert_false(server.is_accept_pending);
    pass(1);
    assert_int_equal(opened_count, 2);
    the_sockets.fails_init = UV_ENOMEM;
    fake_connect();
    the_sockets.fails_init = 0;
    iso__listener_stop(listener);
    pass(1); // nobody is taken any more
    assert_int_equal(opened_count, 2);
}

static void test_connection_that_is_not_admitted_waits(void **state) {
    (void)state;
    admits = false;
    assert_null(fake_connect());
    assert_true(server.is_accept_pending);
    pass(1);
    iso__listener_accept(listener);
    assert_int_equal(opened_count, 1);
    assert_int_equal(full_count, 0);
    admits = true;
    iso__listener_accept(listener);
    assert_int_equal(opened_count, 2);
    iso__listener_accept(listener); // nobody waits
    assert_int_equal(opened_count, 2);
}

static void test_connection_that_cannot_be_read_is_closed(void **state) {
    (void)state;
    refusals = 1;
    fake_say(peer, "\x01x", 2);
    peer->fails_read_start = UV_ENOTCONN;
    iso__stream_resume(stream);
    assert_true(peer->is_closing);
    assert_int_equal(closed_count, 1);
}

// ---- Reading ----------------------------------------------------------------------------------------------

static void test_frames_are_found_in_any_pieces(void **state) {
    (void)state;
    static const uint8_t bytes[] = "\x03"
                                   "abc"
                                   "\x01"
                                   "d"
                                   "\x05"
                                   "efghi"
                                   "\x02"
                                   "jk";
    for (size_t piece = 1; piece < sizeof bytes; ++piece) {
        heard_size = heard_frames = 0;
        for (size_t at = 0; at < sizeof bytes - 1; at += piece) {
            assert_true(fake_say(peer, bytes + at, at + piece < sizeof bytes ? piece : sizeof bytes - 1 - at));
        }
        assert_int_equal(heard_frames, 4);
        assert_int_equal(heard_size, 11);
        assert_memory_equal(heard, "abcdefghijk", 11);
    }
    assert_int_equal(stream->bytes_in, (sizeof bytes - 1) * (sizeof bytes - 1));
}

static void test_frame_that_is_not_taken_now_holds_back_what_follows(void **state) {
    (void)state;
    refusals = 2;
    fake_say(peer,
             "\x01"
             "a"
             "\x01"
             "b"
             "\x02"
             "c",
             6);
    assert_false(peer->is_reading);
    assert_int_equal(heard_frames, 0);
    iso__stream_resume(stream);
    assert_int_equal(heard_frames, 0);
    assert_false(peer->is_reading);
    pass(2 * FRAME_TIMEOUT_NS); // the peer is not to blame
    assert_int_equal(failed_count, 0);
    iso__stream_resume(stream);
    assert_int_equal(heard_frames, 2);
    assert_true(peer->is_reading);
    iso__stream_resume(stream); // nothing is held
    assert_int_equal(heard_frames, 2);
    fake_say(peer, "d", 1);
    assert_memory_equal(heard, "abcd", 4);
}

/// What had come while the process was stopped is read before a frame is found too slow.
static void test_frame_has_a_grace_after_a_stop(void **state) {
    (void)state;
    const char begun[] = "\x03"
                         "a";
    for (int is_rest_said = 0; is_rest_said < 2; ++is_rest_said) {
        fake_say(peer, begun, 2);
        pass(1);
        fake_now_ns += 10 * FRAME_TIMEOUT_NS;
        fake_run_timers();
        assert_int_equal(failed_count, 0);
        if (is_rest_said == 0) {
            fake_say(peer, "bc", 2);
        }
        pass(UINT64_C(2100) * FAKE_NS_PER_MS);
        assert_int_equal(failed_count, is_rest_said);
    }
}

static void test_frame_has_its_time_and_the_next_one_its_own(void **state) {
    (void)state;
    fake_say(peer,
             "\x03"
             "a",
             2);
    pass(FRAME_TIMEOUT_NS);
    assert_int_equal(failed_count, 0);
    fake_say(peer,
             "bc"
             "\x03"
             "a",
             4);
    pass(FRAME_TIMEOUT_NS);
    assert_int_equal(failed_count, 0);
    fake_say(peer, "b", 1); // goes on, and does not begin anew
    pass(1);
    assert_int_equal(failed_count, 1);
    assert_int_equal(failed_with, ISO_ERR_TIMEOUT);
    pass(FRAME_TIMEOUT_NS);
    assert_int_equal(failed_count, 1);
    // Who says nothing at all is not slow.
    fake_connect();
    pass(3 * FRAME_TIMEOUT_NS);
    assert_int_equal(failed_count, 1);
}

static void test_bad_frame_is_told_once_and_the_rest_thrown_away(void **state) {
    (void)state;
    stream->frame_max = 10;
    fake_say(peer,
             "\x01"
             "a"
             "\x0b"
             "bbbbbbbbbbbb",
             15);
    assert_int_equal(heard_frames, 1);
    assert_int_equal(failed_count, 1);
    assert_int_equal(failed_with, ISO_ERR_FRAME_TOO_LARGE);
    assert_int_equal(stream->state, ISO__STREAM_FAILED);
    assert_true(fake_say(peer,
                         "\x01"
                         "a",
                         2));
    assert_int_equal(heard_frames, 1);
    assert_int_equal(stream->bytes_in, 17);
    send_bytes(0, 20, true);
    iso__stream_finish(stream);
    flush();
    expect_sent(0, 20, 0);
    assert_non_null(peer->shutdown);
    assert_int_equal(failed_count, 1);
}

static void test_deaf_stream_reads_on_and_hears_nothing(void **state) {
    (void)state;
    refusals = 1;
    fake_say(peer,
             "\x01"
             "a"
             "\x01"
             "b"
             "\x01",
             5);
    assert_false(peer->is_reading);
    iso__tcp_deafen(tcp);
    assert_true(peer->is_reading);
    fake_say(peer,
             "\x01"
             "c",
             2);
    iso__stream_resume(stream);
    iso__tcp_deafen(tcp);
    pass(2 * FRAME_TIMEOUT_NS);
    assert_int_equal(heard_frames, 0);
    assert_int_equal(failed_count, 0);
}

static void test_handler_may_end_the_stream_within_a_frame(void **state) {
    (void)state;
    finishes_on_frame = true;
    fake_say(peer,
             "\x01"
             "a"
             "\x01"
             "b",
             4);
    assert_int_equal(heard_frames, 1);
    flush();
    assert_non_null(peer->shutdown);
}

/// As a member does that sends more than its share.
static void test_handler_may_end_the_stream_within_a_frame_that_was_held(void **state) {
    (void)state;
    refusals = 1;
    fake_say(peer,
             "\x01"
             "a"
             "\x01"
             "b",
             4);
    assert_int_equal(heard_frames, 0);
    finishes_on_frame = true;
    iso__stream_resume(stream);
    assert_int_equal(heard_frames, 1);
    iso__stream_resume(stream);
    flush();
    assert_non_null(peer->shutdown);
    fake_say(peer, "\x01", 1);
    assert_int_equal(heard_frames, 1);
}

static void test_read_of_nothing_means_nothing(void **state) {
    (void)state;
    uv_buf_t buffer = {0};
    peer->read((uv_stream_t *)peer->tcp, 0, &buffer);
    assert_int_equal(ended_count, 0);
    assert_false(peer->is_closing);
}

static void test_address_of_the_other_family_is_written_in_brackets(void **state) {
    (void)state;
    static iso__tcp_listener other;
    const iso__address address = read_address("::1", 0);
    the_sockets.peer_address = "::1";
    assert_int_equal(iso__listener_open(iso__tcp_listener_init(&other), &loop, &address, &listener_config), 0);
    assert_string_equal(other.base.address, "[::1]:7790");
    iso__listener_close(&other.base);
}

static void test_server_that_cannot_listen_says_so(void **state) {
    (void)state;
    static iso__tcp_listener other, never;
    const iso__address address = read_address("127.0.0.1", 0);
    the_sockets.fails_listen = UV_EADDRINUSE;
    assert_int_equal(iso__listener_open(iso__tcp_listener_init(&other), &loop, &address, &listener_config), 0);
    assert_int_equal(iso__listener_listen(&other.base), UV_EADDRINUSE);
    iso__listener_close(&other.base);
    iso__listener_close(iso__tcp_listener_init(&never));
}

int main(void) {
#define STREAM_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        STREAM_TEST(test_connection_is_set_up),
        STREAM_TEST(test_connections_beyond_the_limit_are_told_and_closed),
        STREAM_TEST(test_connection_that_the_host_does_not_want_is_closed_in_silence),
        STREAM_TEST(test_peer_of_ipv4_in_the_form_of_ipv6_is_one_of_ipv4),
        STREAM_TEST(test_connection_that_cannot_be_accepted_is_counted),
        STREAM_TEST(test_connection_waits_for_memory),
        STREAM_TEST(test_connection_that_is_not_admitted_waits),
        STREAM_TEST(test_connection_that_cannot_be_read_is_closed),
        STREAM_TEST(test_frames_are_found_in_any_pieces),
        STREAM_TEST(test_frame_that_is_not_taken_now_holds_back_what_follows),
        STREAM_TEST(test_frame_has_its_time_and_the_next_one_its_own),
        STREAM_TEST(test_frame_has_a_grace_after_a_stop),
        STREAM_TEST(test_bad_frame_is_told_once_and_the_rest_thrown_away),
        STREAM_TEST(test_deaf_stream_reads_on_and_hears_nothing),
        STREAM_TEST(test_handler_may_end_the_stream_within_a_frame),
        STREAM_TEST(test_handler_may_end_the_stream_within_a_frame_that_was_held),
        STREAM_TEST(test_read_of_nothing_means_nothing),
        STREAM_TEST(test_address_of_the_other_family_is_written_in_brackets),
        STREAM_TEST(test_server_that_cannot_listen_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
