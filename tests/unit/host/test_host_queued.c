/// A member that reads too slowly, from its socket to its session and back: the stream's queue tells the session, which
/// ends it with a reason and holds its slot.
#include <netinet/in.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "unit/transport/fake_socket.h"
#include "host/peers/peers.h"
#include "host_rig.h"
#include "isostep/proto/codec.h"
#include "transport/tcp.h"
#include "unit/address_util.h"

static host_rig *rig;
static iso__peers *peers;
static iso__directory directory;
static iso__tcp_listener tcp;
static fake_socket *socket_of_member;
static size_t read_to; // of what was sent
static iso_message_welcome welcome;
static uint64_t last_tick, last_root;
static uint32_t chunks, chunks_heard;
static bool is_active, is_caught_up;
static iso_status bye;

static int set_up(void **state) {
    (void)state;
    const iso__address address = read_address("127.0.0.1", 0);
    rig = host_rig_make();
    fake_sockets_begin();
    peers = calloc(1, sizeof *peers);
    assert_true(host_rig_start(rig));
    assert_true(iso__directory_init(&directory, 1));
    iso__directory_add(&directory, &rig->hosted);
    const iso__peers_config config = {
        .listener = iso__tcp_listener_init(&tcp),
        .directory = &directory,
        .workers = &rig->worker,
        .worker_count = 1,
        .counters = &rig->counters,
        .stream_max = 10,
        .unauthenticated_max = 3,
        .address = {.connections_max = 8, .accepts_per_second = 200},
    };
    assert_int_equal(iso__peers_open(peers, &rig->loop, &address, &config), 0);
    assert_int_equal(iso__peers_listen(peers), 0);
    rig->streams = peers;
    read_to = 0;
    chunks = chunks_heard = 0;
    is_active = is_caught_up = false;
    last_tick = 0;
    bye = ISO_OK;
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    iso__peers_close(peers);
    fake_sockets_end();
    host_rig_end(rig);
    iso__peers_term(peers);
    iso__directory_term(&directory);
    free(peers);
    host_rig_free(rig);
    return 0;
}

static void say(const iso_message *message) {
    static _Alignas(16) uint8_t memory[ISO_ENCODE_MEMORY_SIZE];
    uint8_t frame[2048];
    size_t size = 0;
    assert_int_equal(iso_message_encode(message, memory, sizeof memory, frame + ISO_FRAME_HEADER_SIZE_MAX,
                                        sizeof frame - ISO_FRAME_HEADER_SIZE_MAX, &size),
                     ISO_OK);
    uint8_t head[ISO_FRAME_HEADER_SIZE_MAX];
    const size_t head_size = iso_frame_header_write(head, (uint32_t)size);
    memcpy(frame + ISO_FRAME_HEADER_SIZE_MAX - head_size, head, head_size);
    fake_say(socket_of_member, frame + ISO_FRAME_HEADER_SIZE_MAX - head_size, head_size + size);
}

static void say_hello(void) {
    iso_message message = {.kind = ISO_MESSAGE_HELLO};
    iso_message_hello *hello = &message.as.hello;
    const iso_world *world = iso_session_get_world(rig->hosted.session);
    hello->protocol_min = hello->protocol_max = ISO_PROTOCOL_VERSION;
    hello->role = ISO_ROLE_PLAYER;
    hello->compressions = ISO_COMPRESSION_NONE;
    iso_fingerprint_make(iso_world_get_def(world), iso_world_get_game(world), &hello->fingerprint);
    strcpy(hello->session, "main");
    strcpy(hello->member, "ada");
    say(&message);
}

static void hear(const iso_message *message) {
    iso_message answer = {0};
    switch (message->kind) {
    case ISO_MESSAGE_WELCOME:
        welcome = message->as.welcome;
        break;
    case ISO_MESSAGE_SNAPSHOT_BEGIN:
        chunks = message->as.snapshot_begin.chunk_count;
        last_tick = message->as.snapshot_begin.tick;
        last_root = message->as.snapshot_begin.root;
        break;
    case ISO_MESSAGE_SNAPSHOT_CHUNK:
        ++chunks_heard;
        answer.kind = ISO_MESSAGE_SNAPSHOT_ACK;
        answer.as.snapshot_ack.index = message->as.snapshot_chunk.index;
        say(&answer);
        break;
    case ISO_MESSAGE_TICK:
        assert_int_equal(message->as.tick.tick, last_tick + 1);
        last_tick = message->as.tick.tick;
        last_root = message->as.tick.root;
        break;
    case ISO_MESSAGE_ACTIVATE:
        is_active = true;
        break;
    case ISO_MESSAGE_BYE:
        bye = message->as.bye.code;
        break;
    default:
        break;
    }
    if (!is_caught_up && chunks > 0 && chunks_heard == chunks && last_tick + 2 >= host_rig_tick(rig)) {
        is_caught_up = true;
        answer = (iso_message){.kind = ISO_MESSAGE_CAUGHT_UP};
        answer.as.caught_up.tick = last_tick;
        answer.as.caught_up.root = last_root;
        say(&answer);
    }
}

/// Hears the whole messages that the kernel has taken.
static void hear_all(void) {
    static _Alignas(16) uint8_t memory[ISO_DECODE_MEMORY_FROM_SERVER];
    const iso_decode_limits limits = iso_decode_limits_from_server();
    while (read_to < socket_of_member->sent_size) {
        const uint8_t *at = socket_of_member->sent + read_to;
        size_t size = 0, head = 0;
        do {
            size |= (size_t)(at[head] & 0x7F) << (7 * head);
        } while (at[head++] >= 0x80);
        if (read_to + head + size > socket_of_member->sent_size) {
            return;
        }
        iso_message message;
        assert_int_equal(iso_message_decode(at + head, size, &limits, memory, sizeof memory, &message), ISO_OK);
        read_to += head + size;
        hear(&message);
    }
}

static void run_for(uint64_t ns) {
    for (uint64_t passed = 0; passed < ns; passed += 10 * HOST_RIG_MS) {
        host_rig_run(rig, 10 * HOST_RIG_MS);
        iso__peers_resume(peers);
        iso__listener_flush(peers->listener);
        fake_run_timers();
        hear_all();
    }
}

static void join(void) {
    socket_of_member = fake_connect();
    say_hello();
    run_for(300 * HOST_RIG_MS);
    assert_true(is_active);
    assert_int_equal(host_rig_stats(rig).members, 1);
}

static void test_member_that_reads_is_told_everything(void **state) {
    (void)state;
    join();
    for (unsigned i = 0; i < 20; ++i) {
        iso_message input = {.kind = ISO_MESSAGE_INPUT};
        input.as.input.ack_tick = last_tick;
        say(&input);
        run_for(100 * HOST_RIG_MS);
    }
    assert_true(last_tick + 2 >= host_rig_tick(rig));
    assert_int_equal(bye, ISO_OK);
    assert_int_equal(host_rig_stats(rig).members, 1);
}

static void test_member_that_does_not_read_is_ended_and_its_slot_is_held(void **state) {
    (void)state;
    join();
    socket_of_member->room = 0;
    uint64_t acknowledged = last_tick;
    // It says that it has stepped what it was sent, so that its queue alone gives it away.
    for (unsigned i = 0; i < 400 && host_rig_stats(rig).ended_slow_consumer == 0; ++i) {
        iso_message input = {.kind = ISO_MESSAGE_INPUT};
        input.as.input.ack_tick = acknowledged = host_rig_tick(rig) - 2;
        say(&input);
        run_for(100 * HOST_RIG_MS);
    }
    assert_true(acknowledged > last_tick + 500);
    assert_int_equal(host_rig_stats(rig).ended_slow_consumer, 1);
    assert_int_equal(host_rig_stats(rig).members, 0);
    run_for(50 * HOST_RIG_MS);
    assert_int_equal(host_rig_stats(rig).held, 1);
    // What had begun is whole, and behind it stands why.
    const uint64_t before = last_tick;
    fake_take(socket_of_member, SIZE_MAX / 2);
    hear_all();
    assert_int_equal(bye, ISO_ERR_SLOW_CONSUMER);
    assert_true(last_tick <= before + 1);
    assert_int_equal(read_to, socket_of_member->sent_size);
    assert_true(socket_of_member->is_shut_down);
    run_for(4 * HOST_RIG_SECOND);
    assert_true(socket_of_member->is_closing);
}

static void test_what_waits_is_known_to_the_session(void **state) {
    (void)state;
    join();
    socket_of_member->room = 0;
    iso__buffer *buffer = iso__buffer_create(100 << 10);
    buffer->size = 100 << 10;
    memset(buffer->bytes, 0, buffer->size);
    iso__stream *stream = peers->listener->first;
    iso__stream_send(stream, buffer, false); // as a large snapshot would
    iso__buffer_release(buffer);
    run_for(100 * HOST_RIG_MS);
    assert_int_equal(host_rig_stats(rig).members, 1);
    // It is gone before its queue is full.
    fake_say_end(socket_of_member, UV_ECONNRESET);
    run_for(100 * HOST_RIG_MS);
    assert_int_equal(host_rig_stats(rig).members, 0);
    assert_int_equal(host_rig_stats(rig).held, 1);
    assert_int_equal(host_rig_stats(rig).ended_slow_consumer, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_member_that_reads_is_told_everything, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_member_that_does_not_read_is_ended_and_its_slot_is_held, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_what_waits_is_known_to_the_session, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
