/// Streams on sockets that take as many bytes as a test likes, fail and end at any moment: writing and ending.
#include "stream_rig.h"

// ---- Writing ----------------------------------------------------------------------------------------------

static void test_everything_arrives_in_order_however_little_is_taken(void **state) {
    (void)state;
    static const size_t rooms[] = {0, 1, 7, 1000, 4095, 4096, 4097, 33000, 100000};
    size_t offered = 0, taken = 0;
    peer->room = 0;
    for (unsigned round = 0; round < 200; ++round) {
        const size_t size = 1 + round * 37 % 5000;
        send_bytes(offered, size, false);
        offered += size;
        if (round % 3 == 0) {
            flush();
        }
        fake_take(peer, rooms[round % 9]);
        assert_false(tcp->has_overflowed);
        assert_true(tcp->queued <= ISO__STREAM_QUEUED_MAX);
    }
    flush();
    fake_take(peer, SIZE_MAX / 2);
    taken = peer->sent_size;
    assert_int_equal(taken, offered);
    expect_sent(0, offered, 0);
    assert_int_equal(stream->bytes_out, offered);
    assert_int_equal(tcp->queued, 0);
    assert_int_equal(tcp->out_count, 0);
}

static void test_buffers_are_gathered_and_not_too_many_at_once(void **state) {
    (void)state;
    for (unsigned i = 0; i < 10; ++i) {
        send_bytes(10 * i, 10, false);
    }
    assert_int_equal(peer->write_calls, 0); // not before the flush
    flush();
    assert_int_equal(peer->write_calls, 1);
    flush();
    assert_int_equal(peer->write_calls, 1);
    expect_sent(0, 100, 0);
    for (unsigned i = 0; i < 6; ++i) {
        send_bytes(0, ISO__TCP_WRITE_SIZE_MAX / 2, false);
    }
    flush();
    assert_int_equal(peer->write_calls, 4);
    for (unsigned i = 0; i < 65; ++i) {
        send_bytes(0, 1, false);
    }
    flush();
    assert_int_equal(peer->write_calls, 6);
}

static void test_host_is_told_when_a_quarter_is_crossed(void **state) {
    (void)state;
    peer->room = 0;
    send_bytes(0, QUARTER - 1, false);
    flush();
    assert_int_equal(queued_count, 0);
    send_bytes(0, 1, false);
    assert_int_equal(queued_count, 1);
    assert_int_equal(queued[0], QUARTER);
    send_bytes(0, QUARTER, false);
    assert_int_equal(queued_count, 2);
    assert_int_equal(queued[1], 2 * QUARTER);
    send_bytes(0, QUARTER - 1, false);
    assert_int_equal(queued_count, 2);
    fake_take(peer, QUARTER - 1);
    assert_int_equal(queued_count, 2);
    fake_take(peer, 1);
    assert_int_equal(queued_count, 3);
    assert_int_equal(queued[2], 2 * QUARTER - 1);
    // What was handed to libuv and not taken still counts.
    fake_take(peer, 1000);
    assert_int_equal(tcp->queued, 2 * QUARTER - 1);
    fake_take(peer, SIZE_MAX / 2);
    assert_true(queued[queued_count - 1] < QUARTER);
    assert_int_equal(tcp->queued, 0);
}

static void test_overflow_is_told_once_and_only_a_farewell_is_taken(void **state) {
    (void)state;
    peer->room = 100;
    send_bytes(0, 1000, false); // begun, so it stays
    flush();
    assert_int_equal(peer->sent_size, 100);
    send_bytes(1000, ISO__STREAM_QUEUED_MAX - 900, false);
    assert_false(tcp->has_overflowed);
    assert_int_equal(tcp->queued, ISO__STREAM_QUEUED_MAX);
    const uint32_t told = queued_count;
    send_bytes(0, 1, false);
    assert_true(tcp->has_overflowed);
    assert_int_equal(queued_count, told + 1);
    assert_int_equal(queued[told], ISO__STREAM_QUEUED_MAX + 1);
    send_bytes(0, 1, false);
    assert_int_equal(queued_count, told + 1);
    assert_int_equal(tcp->queued, ISO__STREAM_QUEUED_MAX);
    send_bytes(5000, 10, true);
    assert_int_equal(tcp->queued, 910);
    iso__stream_finish(stream);
    flush();
    fake_take(peer, SIZE_MAX / 2);
    assert_int_equal(peer->sent_size, 1010);
    expect_sent(0, 1000, 0);
    expect_sent(5000, 5010, 1000);
    assert_true(peer->is_shut_down);
    assert_int_equal(queued_count, told + 1);
}

static void test_farewell_takes_the_place_of_what_was_not_begun(void **state) {
    (void)state;
    peer->room = 0;
    for (unsigned i = 0; i < ISO__STREAM_QUEUED_COUNT_MAX - 1; ++i) {
        send_bytes(0, 1, false);
    }
    assert_false(tcp->has_overflowed);
    assert_int_equal(tcp->out_count, ISO__STREAM_QUEUED_COUNT_MAX - 1);
    send_bytes(0, 1, false);
    assert_true(tcp->has_overflowed);
    send_bytes(7, 3, true);
    assert_int_equal(tcp->out_count, 1);
    assert_int_equal(tcp->queued, 3);
    peer->room = 50;
    flush();
    expect_sent(7, 10, 0);
    assert_int_equal(peer->sent_size, 3);
}

static void test_write_that_fails_closes(void **state) {
    (void)state;
    for (unsigned how = 0; how < 3; ++how) {
        peer = fake_connect();
        peer->room = 0;
        peer->fails_try_write = how == 0 ? UV_EPIPE : 0;
        peer->fails_write = how == 1 ? UV_ENOMEM : 0;
        send_bytes(0, 10, false);
        flush();
        if (how == 2) {
            fake_fail_write(peer, UV_ECONNRESET);
        }
        assert_true(peer->is_closing);
        assert_int_equal(closed_count, how + 1);
        send_bytes(0, 10, true); // to nobody
        flush();
        iso__stream_finish(stream);
        iso__stream_cut(stream);
        iso__stream_resume(stream);
        fake_run_closes();
    }
    assert_int_equal(listener->stream_count, 1);
}

static void test_stream_is_closed_while_a_write_is_out(void **state) {
    (void)state;
    peer->room = 3;
    send_bytes(0, 10, false);
    flush();
    send_bytes(10, 10, false);
    assert_non_null(peer->write);
    iso__stream_cut(stream);
    assert_int_equal(closed_count, 1);
    assert_null(server.dirty);
    flush();
    fake_run_closes(); // cancels the write, then frees
    assert_int_equal(closed_count, 1);
    assert_int_equal(peer->sent_size, 3);
    assert_int_equal(listener->stream_count, 0);
}

static void test_server_closes_while_writes_are_out(void **state) {
    (void)state;
    fake_socket *first = peer;
    first->room = 1;
    send_bytes(0, 10, false);
    fake_socket *second = fake_connect();
    second->room = 0;
    send_bytes(0, 10, false);
    flush();
    iso__stream_finish(stream);
    iso__listener_close(listener);
    assert_true(first->is_closing && second->is_closing);
    assert_int_equal(closed_count, 2);
    fake_run_closes();
    assert_int_equal(listener->stream_count, 0);
}

// ---- Ending -----------------------------------------------------------------------------------------------

static void test_finished_stream_sends_what_waits_then_its_end(void **state) {
    (void)state;
    peer->room = 5;
    send_bytes(0, 10, false);
    iso__stream_finish(stream);
    iso__stream_finish(stream);
    flush();
    assert_null(peer->shutdown);
    send_bytes(0, 10, true); // too late
    fake_take(peer, 100);
    assert_int_equal(peer->sent_size, 10);
    assert_true(peer->is_shut_down);
    assert_false(peer->is_closing);
    fake_say(peer,
             "\x01"
             "a",
             2);
    assert_int_equal(heard_frames, 0);
    fake_say_end(peer, UV_EOF);
    assert_true(peer->is_closing);
    assert_int_equal(ended_count, 0);
    assert_int_equal(closed_count, 1);
}

static void test_peer_that_ends_first_is_waited_for_until_our_end_is_out(void **state) {
    (void)state;
    peer->room = 0;
    send_bytes(0, 10, false);
    flush();
    iso__stream_finish(stream);
    flush();
    fake_say_end(peer, UV_EOF);
    assert_false(peer->is_closing || peer->is_reading);
    fake_take(peer, 100);
    assert_int_equal(peer->sent_size, 10);
    assert_true(peer->is_closing);
    assert_int_equal(ended_count, 0);
}

static void test_peer_that_does_not_end_is_closed_after_a_while(void **state) {
    (void)state;
    fake_now_ns += 5 * FINISH_TIMEOUT_NS;
    iso__stream_finish(stream);
    flush();
    fake_take(peer, 0);
    assert_true(peer->is_shut_down);
    pass(FINISH_TIMEOUT_NS);
    assert_false(peer->is_closing);
    pass(1);
    assert_true(peer->is_closing);
}

static void test_peer_that_has_ended_gets_its_answer(void **state) {
    (void)state;
    fake_say_end(peer, UV_EOF);
    assert_int_equal(ended_count, 1);
    assert_false(peer->is_closing || peer->is_reading);
    send_bytes(0, 10, true);
    flush();
    expect_sent(0, 10, 0);
    pass(ENDED_TIMEOUT_NS);
    assert_false(peer->is_closing);
    iso__stream_finish(stream); // its time begins anew, and is longer
    pass(FINISH_TIMEOUT_NS - 1);
    pass(1);
    assert_false(peer->is_closing);
    flush();
    fake_take(peer, 0);
    assert_true(peer->is_closing);
}

static void test_peer_that_has_ended_and_gets_no_answer_is_closed(void **state) {
    (void)state;
    fake_say_end(peer, UV_EOF);
    pass(ENDED_TIMEOUT_NS + 1);
    assert_true(peer->is_closing);
    assert_int_equal(failed_count, 0);
    peer = fake_connect();
    waits_for_answer = false;
    fake_say_end(peer, UV_EOF);
    assert_true(peer->is_closing);
    assert_int_equal(closed_count, 2);
    peer = fake_connect();
    fake_say_end(peer, UV_ECONNRESET);
    assert_true(peer->is_closing);
    assert_int_equal(ended_count, 2);
}

static void test_frame_that_the_peers_end_has_cut_off_is_nobodys_fault(void **state) {
    (void)state;
    fake_say(peer,
             "\x05"
             "a",
             2);
    fake_say_end(peer, UV_EOF);
    pass(FINISH_TIMEOUT_NS);
    assert_int_equal(failed_count, 0);
}

static void test_shutdown_that_fails_closes(void **state) {
    (void)state;
    peer->fails_shutdown = UV_ENOTCONN;
    iso__stream_finish(stream);
    flush();
    assert_true(peer->is_closing);
    peer = fake_connect();
    iso__stream_finish(stream);
    flush();
    uv_shutdown_t *request = peer->shutdown;
    peer->shutdown = NULL;
    peer->shut_down(request, UV_ETIMEDOUT);
    assert_true(peer->is_closing);
}

static void test_cut_stream_gives_what_is_taken_at_once(void **state) {
    (void)state;
    peer->room = 15;
    send_bytes(0, 10, false);
    send_bytes(10, 10, false);
    iso__stream_cut(stream);
    expect_sent(0, 15, 0);
    assert_true(peer->is_closing);
    assert_int_equal(closed_count, 1);
    iso__stream_cut(stream);
    assert_int_equal(closed_count, 1);
}

static void test_streams_in_the_middle_of_all_lists_can_go(void **state) {
    (void)state;
    iso__stream *all[3] = {stream};
    for (unsigned i = 1; i < 3; ++i) {
        fake_connect();
        all[i] = stream;
    }
    for (unsigned i = 0; i < 3; ++i) {
        stream = all[i];
        send_bytes(0, 10, false);
    }
    the_sockets.list[2].room = 0;
    iso__stream_cut(all[1]);
    fake_run_closes();
    assert_int_equal(listener->stream_count, 2);
    assert_ptr_equal(listener->first, all[2]);
    assert_ptr_equal(all[2]->next, all[0]);
    assert_ptr_equal(all[0]->previous, all[2]);
    flush();
    assert_int_equal(the_sockets.list[1].sent_size, 10);
    assert_int_equal(the_sockets.list[3].sent_size, 10);
}

int main(void) {
#define STREAM_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        STREAM_TEST(test_everything_arrives_in_order_however_little_is_taken),
        STREAM_TEST(test_buffers_are_gathered_and_not_too_many_at_once),
        STREAM_TEST(test_host_is_told_when_a_quarter_is_crossed),
        STREAM_TEST(test_overflow_is_told_once_and_only_a_farewell_is_taken),
        STREAM_TEST(test_farewell_takes_the_place_of_what_was_not_begun),
        STREAM_TEST(test_write_that_fails_closes),
        STREAM_TEST(test_stream_is_closed_while_a_write_is_out),
        STREAM_TEST(test_server_closes_while_writes_are_out),
        STREAM_TEST(test_finished_stream_sends_what_waits_then_its_end),
        STREAM_TEST(test_peer_that_ends_first_is_waited_for_until_our_end_is_out),
        STREAM_TEST(test_peer_that_does_not_end_is_closed_after_a_while),
        STREAM_TEST(test_peer_that_has_ended_gets_its_answer),
        STREAM_TEST(test_peer_that_has_ended_and_gets_no_answer_is_closed),
        STREAM_TEST(test_frame_that_the_peers_end_has_cut_off_is_nobodys_fault),
        STREAM_TEST(test_shutdown_that_fails_closes),
        STREAM_TEST(test_cut_stream_gives_what_is_taken_at_once),
        STREAM_TEST(test_streams_in_the_middle_of_all_lists_can_go),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
