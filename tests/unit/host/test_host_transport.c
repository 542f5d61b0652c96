/// The peers over a transport that is none of ours: what they ask of streams and listeners is in stream.h, and no
/// socket is there.
#include <netinet/in.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "host/peers/peers.h"
#include "isostep/proto/codec.h"
#include "isostep/proto/framing.h"

#define SENT_MAX 8u

/// A stream that notes what it is asked to do.
typedef struct own_stream {
    iso__stream base;
    iso__buffer *sent[SENT_MAX];
    unsigned sent_count, farewell_count, resume_count;
    bool is_finished, was_cut;
} own_stream;

static uv_loop_t loop;
static uv_async_t outbound_filled;
static iso__worker worker;
static iso__counters counters;
static iso__hosted hosted;
static iso__directory directory;
static iso__peers peers;
static iso__listener listener;
static own_stream streams[4];
static char calls[64]; // of the listener, a letter each

static void note(char call) {
    const size_t size = strlen(calls);
    if (size < sizeof calls - 1) {
        calls[size] = call;
    }
}

static own_stream *own(iso__stream *stream) {
    return (own_stream *)stream;
}

static void own_send(iso__stream *stream, iso__buffer *buffer, bool farewell) {
    assert_true(own(stream)->sent_count < SENT_MAX);
    own(stream)->sent[own(stream)->sent_count++] = iso__buffer_share(buffer);
    own(stream)->farewell_count += farewell;
}

static void own_finish(iso__stream *stream) {
    own(stream)->is_finished = true;
    stream->state = ISO__STREAM_FINISHING;
}

static void own_cut(iso__stream *stream) {
    own(stream)->was_cut = true;
    if (stream->state != ISO__STREAM_CLOSING && stream->id != 0) {
        listener.config.handler.closed(listener.config.handler.user, stream);
    }
    stream->state = ISO__STREAM_CLOSING;
}

static void own_resume(iso__stream *stream) {
    own(stream)->resume_count++;
}

static int own_open(iso__listener *is, uv_loop_t *on, const iso__address *address) {
    assert_ptr_equal(is, &listener);
    assert_ptr_equal(on, &loop);
    assert_null(address);
    note('o');
    return 0;
}

static int own_listen(iso__listener *is) {
    (void)is;
    note('l');
    return 0;
}

static void own_accept(iso__listener *is) {
    (void)is;
    note('a');
}

static void own_flush(iso__listener *is) {
    (void)is;
    note('f');
}

static void own_stop(iso__listener *is) {
    (void)is;
    note('s');
}

static void own_fail(iso__stream *stream, iso_status status) {
    listener.config.handler.failed(listener.config.handler.user, stream, status);
}

static void own_forget(iso__stream *stream) {
    (void)stream;
    note('g');
}

static void own_close(iso__listener *is) {
    note('c');
    for (iso__stream *stream = is->first; stream != NULL; stream = stream->next) {
        own_cut(stream);
    }
}

/// A peer comes from an address. @return NULL when it is turned away
static own_stream *connect_peer(unsigned index) {
    static const iso__stream_functions functions = {own_send, own_finish, own_cut, own_resume, own_fail, own_forget};
    const iso__stream_handler *handler = &listener.config.handler;
    iso__stream *stream = &streams[index].base;
    *stream = (iso__stream){.functions = &functions, .listener = &listener, .frame_max = 1, .next = listener.first};
    stream->address = iso__address_make_ipv4((const uint8_t[]){192, 0, 2, (uint8_t)(1 + index)}, 0);
    if (!handler->admits(handler->user) || !handler->opened(handler->user, stream)) {
        return NULL;
    }
    listener.first = stream;
    ++listener.stream_count;
    return &streams[index];
}

/// What the peer says reaches the handler without its size. @return whether it was taken
static bool say(own_stream *stream, const iso_message *message) {
    static _Alignas(16) uint8_t memory[ISO_ENCODE_MEMORY_SIZE];
    uint8_t bytes[1024];
    size_t size = 0;
    assert_int_equal(iso_message_encode(message, memory, sizeof memory, bytes, sizeof bytes, &size), ISO_OK);
    return listener.config.handler.frame(listener.config.handler.user, &stream->base, bytes, size);
}

static bool say_hello(own_stream *stream, const char *session) {
    iso_message message = {.kind = ISO_MESSAGE_HELLO,
                           .as.hello = {.protocol_min = ISO_PROTOCOL_VERSION,
                                        .protocol_max = ISO_PROTOCOL_VERSION,
                                        .role = ISO_ROLE_PLAYER,
                                        .compressions = 1}};
    strcpy(message.as.hello.session, session);
    return say(stream, &message);
}

/// The next thing that the session was told. @return its kind; 0: nothing
static int hear(void) {
    iso__inbound item;
    if (!iso__queue_pop(&worker.inbound, &item)) {
        return 0;
    }
    if (item.is_counted) {
        atomic_fetch_sub(&hosted.waiting, 1);
    }
    free(item.block);
    return item.event.kind;
}

static int set_up(void **state) {
    static const iso__listener_functions functions = {own_open, own_listen, own_accept, own_flush, own_stop, own_close};
    (void)state;
    memset(&counters, 0, sizeof counters);
    memset(streams, 0, sizeof streams);
    memset(calls, 0, sizeof calls);
    hosted = (iso__hosted){.name = "main"};
    listener = (iso__listener){.functions = &functions};
    assert_int_equal(uv_loop_init(&loop), 0);
    assert_int_equal(uv_async_init(&loop, &outbound_filled, NULL), 0);
    assert_true(iso__worker_init(&worker, 1, &outbound_filled, &counters));
    iso__worker_add(&worker, &hosted);
    assert_true(iso__directory_init(&directory, 1));
    iso__directory_add(&directory, &hosted);
    const iso__peers_config config = {
        .listener = &listener,
        .directory = &directory,
        .workers = &worker,
        .worker_count = 1,
        .counters = &counters,
        .stream_max = 40,
        .unauthenticated_max = 3,
        .address = {.connections_max = 9, .accepts_per_second = 30},
    };
    assert_int_equal(iso__peers_open(&peers, &loop, NULL, &config), 0);
    assert_int_equal(listener.config.stream_max, 40);
    return iso__peers_listen(&peers);
}

static int tear_down(void **state) {
    (void)state;
    iso__peers_close(&peers);
    while (hear() != 0) {
    }
    for (size_t i = 0; i < sizeof streams / sizeof streams[0]; ++i) {
        for (unsigned k = 0; k < streams[i].sent_count; ++k) {
            iso__buffer_release(streams[i].sent[k]);
        }
    }
    uv_close((uv_handle_t *)&outbound_filled, NULL);
    uv_run(&loop, UV_RUN_DEFAULT);
    iso__peers_term(&peers);
    iso__directory_term(&directory);
    iso__worker_term(&worker);
    return uv_loop_close(&loop);
}

static void test_listener_is_opened_served_each_turn_and_closed(void **state) {
    (void)state;
    assert_string_equal(calls, "ol");
    uv_run(&loop, UV_RUN_NOWAIT);
    assert_string_equal(calls, "olfaf"); // before the loop sleeps; what has come; and what that has queued
    iso__peers_finish(&peers);
    assert_string_equal(calls, "olfafs");
    iso__peers_close(&peers);
    assert_string_equal(calls, "olfafsc");
}

static void test_session_hears_of_a_stream_and_answers_on_it(void **state) {
    (void)state;
    own_stream *stream = connect_peer(0);
    assert_non_null(stream);
    assert_int_equal(stream->base.frame_max, ISO_FRAME_MAX_HELLO);
    assert_true(say_hello(stream, "main"));
    assert_int_equal(hear(), ISO_SESSION_EVENT_OPENED);
    assert_int_equal(hear(), ISO_SESSION_EVENT_MESSAGE);
    iso__buffer *buffer = iso__buffer_create(1);
    buffer->size = 1;
    iso__outbound item = {.kind = ISO__OUTBOUND_SEND,
                          .connection = stream->base.id,
                          .connection_count = 1,
                          .welcomes = true,
                          .buffer = iso__buffer_share(buffer)};
    assert_true(iso__peers_deliver(&peers, &item));
    assert_int_equal(stream->sent_count, 1);
    assert_ptr_equal(stream->sent[0], buffer);
    assert_int_equal(stream->farewell_count, 0);
    assert_int_equal(stream->base.frame_max, ISO_FRAME_MAX_CLIENT);
    iso__buffer_release(buffer);
    assert_true(
        iso__peers_deliver(&peers, &(iso__outbound){.kind = ISO__OUTBOUND_CLOSE, .connection = stream->base.id}));
    assert_true(stream->is_finished && !stream->was_cut);
    stream->base.bytes_in = 5;
    iso__stream_cut(&stream->base);
    assert_int_equal(peers.totals.bytes_in, 5);
    assert_int_equal(hear(), ISO_SESSION_EVENT_DISCONNECTED);
}

static void test_frame_that_is_not_taken_is_resumed(void **state) {
    (void)state;
    own_stream *stream = connect_peer(0);
    assert_true(say_hello(stream, "main"));
    while (hear() != 0) {
    }
    atomic_store(&hosted.waiting, ISO__HOSTED_MESSAGES_MAX);
    assert_false(say(stream, &(iso_message){.kind = ISO_MESSAGE_PING}));
    iso__peers_resume(&peers);
    assert_int_equal(stream->resume_count, 1);
    atomic_store(&hosted.waiting, 0);
}

static void test_refusal_is_a_farewell(void **state) {
    (void)state;
    own_stream *stream = connect_peer(0);
    assert_true(say_hello(stream, "nobody"));
    assert_int_equal(stream->farewell_count, 1);
    assert_true(stream->is_finished);
    // Who has no place is told so, and the transport cuts it.
    listener.config.handler.full(listener.config.handler.user, connect_peer(1) == NULL ? NULL : &streams[1].base);
    assert_int_equal(streams[1].farewell_count, 1);
    assert_int_equal(atomic_load(&counters.counts[ISO__COUNTER_TURNED_AWAY]), 1);
}

static void test_oldest_that_said_nothing_is_told_and_cut_for_a_newcomer(void **state) {
    (void)state;
    for (unsigned i = 0; i < 3; ++i) {
        assert_non_null(connect_peer(i));
    }
    for (uint32_t i = 0; i < peers.peer_max; ++i) {
        peers.list[i].opened_ns = 0; // long ago
    }
    uv_run(&loop, UV_RUN_NOWAIT);
    uv_run(&loop, UV_RUN_NOWAIT);
    assert_non_null(connect_peer(3));
    assert_true(streams[0].was_cut && !streams[0].is_finished);
    assert_int_equal(streams[0].farewell_count, 1);
    assert_false(streams[1].was_cut);
}

int main(void) {
#define TRANSPORT_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TRANSPORT_TEST(test_listener_is_opened_served_each_turn_and_closed),
        TRANSPORT_TEST(test_session_hears_of_a_stream_and_answers_on_it),
        TRANSPORT_TEST(test_frame_that_is_not_taken_is_resumed),
        TRANSPORT_TEST(test_refusal_is_a_farewell),
        TRANSPORT_TEST(test_oldest_that_said_nothing_is_told_and_cut_for_a_newcomer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
