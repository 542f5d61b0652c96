/// WebSocket streams on fake sockets: what the peer reads and when, and what the handler of streams is told.
#include "web_rig.h"

static void test_messages_go_both_ways(void **state) {
    (void)state;
    upgrade();
    send_message("hello", 5);
    assert_memory_equal(heard, "hello", 5);
    send_shared(125, 1, false);
    send_shared(126, 2, false);
    send_shared(300, 3, false);
    send_shared(65535, 4, false);
    send_shared(65536, 5, false);
    flush();
    size_t at = expect_frame(0, 0x82, 125, 1);
    at = expect_frame(at, 0x82, 126, 2);
    at = expect_frame(at, 0x82, 300, 3);
    at = expect_frame(at, 0x82, 65535, 4);
    assert_int_equal(expect_frame(at, 0x82, 65536, 5), peer->sent_size);
    assert_int_equal(web->tcp.queued, 0);
    assert_int_equal(stream->bytes_out, upgrade_size + peer->sent_size);
}

static void test_frames_are_whole_however_they_are_written(void **state) {
    (void)state;
    upgrade();
    peer->room = 0;
    for (uint8_t i = 1; i <= 5; ++i) {
        send_shared(i == 3 ? 200 : i, i, false);
    }
    flush();
    for (int i = 0; i < 400; ++i) {
        fake_take(peer, 1);
    }
    size_t at = 0;
    for (uint8_t i = 1; i <= 5; ++i) {
        at = expect_frame(at, 0x82, i == 3 ? 200 : i, i);
    }
    assert_int_equal(at, peer->sent_size);
    assert_int_equal(web->tcp.queued, 0);
}

static void test_message_that_is_not_taken_now_is_offered_again(void **state) {
    (void)state;
    upgrade();
    refusals = 2;
    uint8_t frames[22];
    for (int i = 0; i < 2; ++i) {
        memcpy(frames + 11 * i, i == 0 ? "\x82\x85\0\0\0\0hello" : "\x82\x85\0\0\0\0world", 11);
    }
    fake_say(peer, frames, sizeof frames);
    assert_int_equal(heard_size, 0);
    assert_false(peer->is_reading);
    iso__stream_resume(stream);
    assert_int_equal(heard_size, 0);
    iso__stream_resume(stream);
    assert_int_equal(heard_size, 10);
    assert_memory_equal(heard, "helloworld", 10);
    assert_true(peer->is_reading);
}

static void test_handler_may_end_the_stream_within_a_message_that_was_held(void **state) {
    (void)state;
    upgrade();
    refusals = 1;
    uint8_t frames[22];
    for (int i = 0; i < 2; ++i) {
        memcpy(frames + 11 * i, i == 0 ? "\x82\x85\0\0\0\0hello" : "\x82\x85\0\0\0\0world", 11);
    }
    fake_say(peer, frames, sizeof frames);
    finishes_on_frame = true;
    iso__stream_resume(stream);
    assert_int_equal(heard_size, 5);
    assert_memory_equal(heard, "hello", 5);
    flush();
    finishes_on_frame = false;
}

static void test_slow_reader_gets_the_last_message_and_close(void **state) {
    (void)state;
    upgrade();
    peer->room = 1;
    for (int i = 0; i < 10; ++i) {
        send_shared(60000, (uint8_t)i, false);
        flush();
    }
    assert_int_equal(queued_over, 1);
    send_shared(10, 99, true);
    stream->end_status = ISO_ERR_SLOW_CONSUMER;
    iso__stream_finish(stream);
    flush();
    fake_take(peer, SIZE_MAX / 2);
    // The frame that was begun is whole; those behind it are gone.
    size_t at = expect_frame(0, 0x82, 60000, 0);
    at = expect_frame(at, 0x82, 10, 99);
    at = expect_close(at, 4038, "SLOW_CONSUMER");
    assert_int_equal(at, peer->sent_size);
    assert_true(peer->is_shut_down);
}

static void test_finish_closes_with_the_users_status(void **state) {
    (void)state;
    upgrade();
    send_shared(3, 7, true);
    iso__stream_finish(stream);
    flush();
    const size_t at = expect_frame(0, 0x82, 3, 7);
    assert_int_equal(expect_close(at, 1000, ""), peer->sent_size);
    assert_non_null(peer->shutdown);
    assert_int_equal(closed, 0);
    fake_take(peer, 0);
    fake_say_end(peer, UV_EOF);
    fake_run_closes();
    assert_int_equal(closed, 1);
}

static void test_cut_says_why(void **state) {
    (void)state;
    upgrade();
    stream->end_status = ISO_ERR_SERVER_FULL;
    iso__stream_cut(stream);
    assert_int_equal(expect_close(0, 1013, "SERVER_FULL"), peer->sent_size);
    assert_true(peer->is_closing);
}

static void test_stream_that_is_not_opened_is_cut(void **state) {
    (void)state;
    opens = false;
    say(UPGRADE);
    assert_int_equal(opened, 1);
    assert_true(was_sent(0, "HTTP/1.1 101 "));
    assert_true(peer->is_closing);
    fake_run_closes();
    assert_int_equal(closed, 0);
}

static void test_close_of_the_peer_is_answered(void **state) {
    (void)state;
    upgrade();
    fake_say(peer, "\x88\x82\0\0\0\0\x03\xE8", 8);
    send_shared(3, 7, false); // too late
    flush();
    assert_int_equal(expect_close(0, 1000, ""), peer->sent_size);
    assert_int_equal(failed, 0);
    assert_non_null(peer->shutdown);
}

static void test_nothing_that_waits_goes_behind_the_peers_close(void **state) {
    (void)state;
    upgrade();
    peer->room = 1;
    for (uint8_t i = 1; i <= 3; ++i) {
        send_shared(100, i, false);
    }
    flush();
    fake_say(peer, "\x88\x80\0\0\0\0", 6);
    flush();
    fake_take(peer, SIZE_MAX / 2);
    // One was begun; the answer to a Close without a code has none.
    assert_int_equal(expect_frame(expect_frame(0, 0x82, 100, 1), 0x88, 0, 0), peer->sent_size);
}

static void test_wrong_frame_is_a_failure(void **state) {
    (void)state;
    upgrade();
    fake_say(peer, "\x82\x05hello", 7); // no mask
    assert_int_equal(failed, 1);
    assert_int_equal(failed_with, ISO_ERR_MALFORMED);
    flush();
    expect_close(0, 1002, "MALFORMED");
    // What it says from now on is read and thrown away.
    assert_true(peer->is_reading);
    send_message("hello", 5);
    assert_int_equal(heard_size, 0);
}

static void test_message_limit_is_the_users(void **state) {
    (void)state;
    static uint8_t bytes[101];
    upgrade();
    stream->frame_max = 100;
    send_message(bytes, 100);
    assert_int_equal(heard_size, 100);
    send_message(bytes, 101);
    assert_int_equal(failed_with, ISO_ERR_FRAME_TOO_LARGE);
    flush();
    expect_close(0, 1009, "FRAME_TOO_LARGE");
}

static void test_message_that_does_not_end_is_a_timeout(void **state) {
    (void)state;
    upgrade();
    send_message("hello", 5);
    pass(6000 * MS);
    assert_int_equal(failed, 0);
    fake_say(peer, "\x82", 1);
    pass(4999 * MS);
    assert_int_equal(failed, 0);
    fake_say(peer, "\x85", 1);
    pass(2 * MS);
    assert_int_equal(failed_with, ISO_ERR_TIMEOUT);
}

static void test_silent_peer_is_pinged(void **state) {
    (void)state;
    upgrade();
    pass(ISO__WEB_PING_NS - 1 * MS);
    flush();
    assert_int_equal(peer->sent_size, 0);
    pass(1 * MS);
    flush();
    assert_int_equal(expect_frame(0, 0x89, 0, 0), peer->sent_size);
    pass(ISO__WEB_PING_NS - 1 * MS);
    flush();
    assert_int_equal(peer->sent_size, 2);
    fake_say(peer, "\x8A\x80\0\0\0\0", 6);
    pass(2 * MS);
    flush();
    assert_int_equal(peer->sent_size, 2);
}

static void test_pings_are_answered_up_to_a_limit(void **state) {
    (void)state;
    upgrade();
    for (unsigned i = 0; i < ISO__WEB_CONTROLS_MAX; ++i) {
        fake_say(peer, "\x89\x81\0\0\0\0x", 7);
    }
    flush();
    assert_int_equal(peer->sent_size, ISO__WEB_CONTROLS_MAX * 3);
    assert_int_equal(failed, 0);
    fake_now_ns += 1000 * MS;
    for (unsigned i = 0; i <= ISO__WEB_CONTROLS_MAX; ++i) {
        fake_say(peer, "\x89\x81\0\0\0\0x", 7);
    }
    assert_int_equal(failed_with, ISO_ERR_RATE);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(test_messages_go_both_ways),
        TEST(test_frames_are_whole_however_they_are_written),
        TEST(test_message_that_is_not_taken_now_is_offered_again),
        TEST(test_handler_may_end_the_stream_within_a_message_that_was_held),
        TEST(test_slow_reader_gets_the_last_message_and_close),
        TEST(test_finish_closes_with_the_users_status),
        TEST(test_cut_says_why),
        TEST(test_stream_that_is_not_opened_is_cut),
        TEST(test_close_of_the_peer_is_answered),
        TEST(test_nothing_that_waits_goes_behind_the_peers_close),
        TEST(test_wrong_frame_is_a_failure),
        TEST(test_message_limit_is_the_users),
        TEST(test_message_that_does_not_end_is_a_timeout),
        TEST(test_silent_peer_is_pinged),
        TEST(test_pings_are_answered_up_to_a_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
