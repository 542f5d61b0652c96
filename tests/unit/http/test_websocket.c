/// WebSocket frames: what a client may send, and what the server sends.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "http/websocket.h"

static iso__websocket *socket_;
static uint8_t message[4096];
static uint8_t sent[1 << 16];
static size_t sent_size, taken;

static int set_up(void **state) {
    (void)state;
    sent_size = taken = 0;
    socket_ = iso__websocket_create(message, sizeof message);
    return socket_ == NULL;
}

static int tear_down(void **state) {
    (void)state;
    iso__websocket_destroy(socket_);
    return 0;
}

/// A frame as a client sends it. @param first  the head's first byte; 0x100: without a mask
static void send_frame(unsigned first, const void *bytes, size_t size) {
    static const uint8_t mask[4] = {0x12, 0xF4, 0x56, 0x78};
    const bool is_masked = (first & 0x100) == 0;
    uint8_t head[ISO__WEBSOCKET_HEAD_MAX];
    const size_t head_size = iso__websocket_head_write(head, ISO__WEBSOCKET_BINARY, size);
    head[0] = (uint8_t)first;
    head[1] |= is_masked ? 0x80 : 0;
    memcpy(sent + sent_size, head, head_size);
    sent_size += head_size;
    if (is_masked) {
        memcpy(sent + sent_size, mask, 4);
        sent_size += 4;
    }
    for (size_t i = 0; i < size; ++i) {
        sent[sent_size++] = ((const uint8_t *)bytes)[i] ^ (is_masked ? mask[i % 4] : 0);
    }
}

static iso__websocket_event feed(void) {
    size_t consumed = 0;
    const iso__websocket_event event = iso__websocket_feed(socket_, sent + taken, sent_size - taken, &consumed);
    taken += consumed;
    return event;
}

static void expect_message(const void *bytes, size_t size) {
    size_t got = 0;
    assert_int_equal(feed(), ISO__WEBSOCKET_MESSAGE);
    const uint8_t *at = iso__websocket_bytes(socket_, &got);
    assert_int_equal(got, size);
    assert_memory_equal(at, bytes, size);
}

static void expect_failure(uint16_t code) {
    assert_int_equal(feed(), ISO__WEBSOCKET_FAILED);
    assert_int_equal(iso__websocket_code(socket_), code);
    assert_int_equal(iso__websocket_status(socket_),
                     code == ISO__WEBSOCKET_TOO_LARGE ? ISO_ERR_FRAME_TOO_LARGE : ISO_ERR_MALFORMED);
    // Nothing more is read.
    send_frame(0x82, "a", 1);
    assert_int_equal(feed(), ISO__WEBSOCKET_MORE);
    tear_down(NULL);
    set_up(NULL);
}

static void test_messages_come_one_by_one(void **state) {
    (void)state;
    uint8_t large[4096];
    memset(large, 7, sizeof large);
    send_frame(0x82, "hello", 5);
    send_frame(0x82, large, 200);
    send_frame(0x82, large, sizeof large);
    expect_message("hello", 5);
    assert_true(iso__websocket_is_inside(socket_)); // the next ones were taken already
    expect_message(large, 200);
    expect_message(large, sizeof large);
    assert_int_equal(feed(), ISO__WEBSOCKET_MORE);
    assert_false(iso__websocket_is_inside(socket_));
    assert_int_equal(taken, sent_size);
}

static void test_fragments_become_one_message(void **state) {
    (void)state;
    send_frame(0x02, "he", 2);
    send_frame(0x00, "", 0);
    send_frame(0x89, "ping", 4); // between fragments
    send_frame(0x00, "ll", 2);
    send_frame(0x80, "o", 1);
    send_frame(0x82, "next", 4);
    size_t size = 0;
    assert_int_equal(feed(), ISO__WEBSOCKET_GOT_PING);
    assert_memory_equal(iso__websocket_bytes(socket_, &size), "ping", 4);
    assert_int_equal(size, 4);
    expect_message("hello", 5);
    expect_message("next", 4);
}

static void test_bytes_may_come_singly(void **state) {
    (void)state;
    send_frame(0x02, "he", 2);
    send_frame(0x80, "llo", 3);
    const size_t all = sent_size;
    for (sent_size = 1; sent_size < all; ++sent_size) {
        assert_int_equal(feed(), ISO__WEBSOCKET_MORE);
        assert_true(iso__websocket_is_inside(socket_));
    }
    expect_message("hello", 5);
    assert_false(iso__websocket_is_inside(socket_));
}

static void test_what_the_standard_forbids_is_a_protocol_error(void **state) {
    (void)state;
    static const unsigned firsts[] = {
        0x182,             // not masked
        0xC2,  0xA2, 0x92, // extensions
        0x83,  0x8B,       // reserved
        0x80,              // nothing to continue
        0x09,  0x08,       // control frames in fragments
    };
    uint8_t bytes[126] = {0};
    for (size_t i = 0; i < sizeof firsts / sizeof firsts[0]; ++i) {
        send_frame(firsts[i], "a", 1);
        expect_failure(ISO__WEBSOCKET_PROTOCOL);
    }
    send_frame(0x89, bytes, 126);
    expect_failure(ISO__WEBSOCKET_PROTOCOL);
    send_frame(0x02, "a", 1);
    send_frame(0x82, "b", 1); // inside a message
    expect_failure(ISO__WEBSOCKET_PROTOCOL);
    // A size that is longer than it needs to be.
    const uint8_t longer[] = {0x82, 0xFE, 0, 1, 0, 0, 0, 0, 'a'};
    memcpy(sent, longer, sizeof longer);
    sent_size = sizeof longer;
    expect_failure(ISO__WEBSOCKET_PROTOCOL);
}

static void test_text_is_not_supported(void **state) {
    (void)state;
    send_frame(0x81, "hello", 5);
    expect_failure(ISO__WEBSOCKET_UNSUPPORTED);
}

static void test_oversize_is_found_before_it_comes(void **state) {
    (void)state;
    uint8_t bytes[1281] = {0};
    iso__websocket_set_max(socket_, 1280);
    send_frame(0x82, bytes, 1280);
    expect_message(bytes, 1280);
    send_frame(0x82, bytes, 1281);
    sent_size -= 1280; // one byte of it
    expect_failure(ISO__WEBSOCKET_TOO_LARGE);
    // In fragments that are small enough each.
    iso__websocket_set_max(socket_, 1280);
    send_frame(0x02, bytes, 1000);
    send_frame(0x80, bytes, 281);
    expect_failure(ISO__WEBSOCKET_TOO_LARGE);
    const uint8_t huge[] = {0x82, 0xFF, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0, 'a'};
    memcpy(sent, huge, sizeof huge);
    sent_size = sizeof huge;
    expect_failure(ISO__WEBSOCKET_TOO_LARGE);
}

/// Empty frames add nothing to a message, so its size does not end them.
static void test_message_has_few_frames(void **state) {
    (void)state;
    for (unsigned frames = ISO__WEBSOCKET_PARTS_MAX; frames <= ISO__WEBSOCKET_PARTS_MAX + 1; ++frames) {
        send_frame(0x02, "a", 1);
        for (unsigned i = 2; i < frames; ++i) {
            send_frame(0x00, "", 0);
        }
        send_frame(0x80, "b", 1);
        if (frames == ISO__WEBSOCKET_PARTS_MAX) {
            expect_message("ab", 2);
        }
    }
    expect_failure(ISO__WEBSOCKET_TOO_LARGE);
}

static void test_nothing_is_no_message(void **state) {
    (void)state;
    send_frame(0x82, "", 0);
    expect_failure(ISO__WEBSOCKET_CODES + 17);
}

static void test_close_has_a_code_or_none(void **state) {
    (void)state;
    send_frame(0x88, "\x03\xE8gone", 6);
    assert_int_equal(feed(), ISO__WEBSOCKET_GOT_CLOSE);
    assert_int_equal(iso__websocket_code(socket_), 1000);
    send_frame(0x82, "a", 1);
    assert_int_equal(feed(), ISO__WEBSOCKET_MORE);
    tear_down(NULL);
    set_up(NULL);
    send_frame(0x88, "", 0);
    assert_int_equal(feed(), ISO__WEBSOCKET_GOT_CLOSE);
    assert_int_equal(iso__websocket_code(socket_), ISO__WEBSOCKET_NO_CODE);
    tear_down(NULL);
    set_up(NULL);
    static const char *const wrong[] = {"\x03", "\x03\xE7", "\x03\xEC", "\x03\xED", "\x03\xF7", "\x0B\xB7", "\x13\x88"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; ++i) {
        send_frame(0x88, wrong[i], strlen(wrong[i]));
        expect_failure(ISO__WEBSOCKET_PROTOCOL);
    }
    static const char *const no_text[] = {"\x03\xE8\xFF", "\x03\xE8\xC0\x80", "\x03\xE8\xED\xA0\x80",
                                          "\x03\xE8\xE2\x82", "\x03\xE8\xF4\x90\x80\x80"};
    for (size_t i = 0; i < sizeof no_text / sizeof no_text[0]; ++i) {
        send_frame(0x88, no_text[i], strlen(no_text[i]));
        expect_failure(ISO__WEBSOCKET_TEXT);
    }
    send_frame(0x88, "\x13\x87Zo\xC3\xAB \xE2\x82\xAC \xF0\x9F\x8E\xB2", 15);
    assert_int_equal(feed(), ISO__WEBSOCKET_GOT_CLOSE);
    assert_int_equal(iso__websocket_code(socket_), 4999);
}

static void test_key_of_the_standard_has_its_answer(void **state) {
    (void)state;
    // RFC 6455, section 1.3.
    char accept[ISO__WEBSOCKET_ACCEPT_SIZE + 1];
    assert_true(iso__websocket_accept("dGhlIHNhbXBsZSBub25jZQ==", accept));
    assert_string_equal(accept, "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
    assert_false(iso__websocket_accept("", accept));
}

static void test_heads_have_the_shortest_size(void **state) {
    (void)state;
    uint8_t head[ISO__WEBSOCKET_HEAD_MAX];
    assert_int_equal(iso__websocket_head_write(head, ISO__WEBSOCKET_BINARY, 125), 2);
    assert_memory_equal(head, "\x82\x7D", 2);
    assert_int_equal(iso__websocket_head_write(head, ISO__WEBSOCKET_BINARY, 126), 4);
    assert_memory_equal(head, "\x82\x7E\x00\x7E", 4);
    assert_int_equal(iso__websocket_head_write(head, ISO__WEBSOCKET_BINARY, 65535), 4);
    assert_int_equal(iso__websocket_head_write(head, ISO__WEBSOCKET_BINARY, 65536), 10);
    assert_memory_equal(head, "\x82\x7F\x00\x00\x00\x00\x00\x01\x00\x00", 10);
}

static void test_codes_to_close_with(void **state) {
    (void)state;
    assert_int_equal(iso__websocket_close_code(ISO_OK), 1000);
    assert_int_equal(iso__websocket_close_code(ISO_ERR_FRAME_TOO_LARGE), 1009);
    assert_int_equal(iso__websocket_close_code(ISO_ERR_SHUTDOWN), 1001);
    assert_int_equal(iso__websocket_close_code(ISO_ERR_RESTARTING), 1012);
    assert_int_equal(iso__websocket_close_code(ISO_ERR_SERVER_FULL), 1013);
    assert_int_equal(iso__websocket_close_code(ISO_ERR_NO_SESSION), 4034);
    assert_int_equal(iso__websocket_close_code(ISO_ERR_SLOW_CONSUMER), 4038);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(test_messages_come_one_by_one),     TEST(test_fragments_become_one_message),
        TEST(test_bytes_may_come_singly),        TEST(test_what_the_standard_forbids_is_a_protocol_error),
        TEST(test_text_is_not_supported),        TEST(test_oversize_is_found_before_it_comes),
        TEST(test_message_has_few_frames),       TEST(test_nothing_is_no_message),
        TEST(test_close_has_a_code_or_none),     TEST(test_key_of_the_standard_has_its_answer),
        TEST(test_heads_have_the_shortest_size), TEST(test_codes_to_close_with),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
