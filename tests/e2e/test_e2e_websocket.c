/// The server's WebSocket against RFC 6455, section by section: which frames it takes, and with which code it closes on
/// the others. A case is a connection of its own. test_e2e_web.c has the peers that are hostile within the rules.
#include "e2e_web.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIN = 0x80, RSV1 = 0x40, RSV2 = 0x20, RSV3 = 0x10 };
enum { CONTINUATION = 0, TEXT = 1, BINARY = 2, CLOSE = 8, PING = 9, PONG = 10 };
enum { PROTOCOL = 1002, NO_TEXT = 1003, NO_CODE = 1005, BAD_TEXT = 1007, TOO_LARGE = 1009 };

typedef enum length { SHORTEST, BITS_16, BITS_64 } length;

static e2e_server server;

static int start(void **state) {
    (void)state;
    e2e_server_start(&server, (const char *const[]){"--http", "127.0.0.1:0", NULL});
    return 0;
}

static int stop(void **state) {
    (void)state;
    return e2e_server_stop(&server, SIGTERM);
}

static e2e_web *opened(void) {
    return e2e_web_open_socket(&server, 0);
}

/// Writes a frame's head with a length in any form, and its masked payload.
static void send_as(e2e_web *web, unsigned first, length form, const void *bytes, size_t size) {
    static const uint8_t mask[4] = {0, 0xFF, 0x31, 0x80};
    uint8_t frame[14 + 256];
    size_t at = 2;
    assert_true(size <= 256);
    frame[0] = (uint8_t)first;
    frame[1] = (uint8_t)(0x80 | (form == SHORTEST && size < 126 ? size : form == BITS_64 ? 127 : 126));
    for (unsigned i = (frame[1] & 0x7F) < 126 ? 0 : form == BITS_64 ? 8 : 2; i > 0; --i) {
        frame[at++] = (uint8_t)((uint64_t)size >> (8 * (i - 1)));
    }
    memcpy(frame + at, mask, 4);
    for (size_t i = 0; i < size; ++i) {
        frame[at + 4 + i] = ((const uint8_t *)bytes)[i] ^ mask[i % 4];
    }
    e2e_link_write(web->link, frame, at + 4 + size);
}

static void expect_close(e2e_web *web, unsigned code, const char *what) {
    const unsigned found = e2e_web_receive_close(web, 5000);
    if (found != code) {
        fail_msg("%s: closed with %u, not %u", what, found, code);
    }
    e2e_web_close(web);
}

static void expect_pong(e2e_web *web, const void *bytes, size_t size) {
    const uint8_t *found = NULL;
    size_t found_size = 0;
    assert_int_equal(e2e_web_receive(web, &found, &found_size, 5000), FIN | PONG);
    assert_int_equal(found_size, size);
    if (size > 0) {
        assert_memory_equal(found, bytes, size);
    }
}

/// The smallest message: it asks for the list of sessions, which is answered before the connection is closed in order.
static const uint8_t list[] = {0xEA, 0x01, 0x00};

static void expect_list(e2e_web *web) {
    iso_message message;
    assert_true(e2e_web_receive_kind(web, ISO_MESSAGE_SESSION_LIST, &message, 5000));
    expect_close(web, 1000, "a list");
}

// ---- 4.2: the handshake -------------------------------------------------------------------------------

static unsigned ask(const char *text, e2e_answer *answer) {
    e2e_web *web = e2e_web_open(&server, 0);
    e2e_web_say(web, text);
    assert_true(e2e_web_read(web, answer, false, 5000));
    e2e_web_close(web);
    return answer->status;
}

#define GET       "GET /v1/socket HTTP/1.1\r\nHost: localhost\r\n"
#define UPGRADE   "Upgrade: websocket\r\nConnection: Upgrade\r\n"
#define VERSION   "Sec-WebSocket-Version: 13\r\n"
#define KEY       "Sec-WebSocket-Key: AQIDBAUGBwgJCgsMDQ4PEA==\r\n"
#define PROTOCOLS "Sec-WebSocket-Protocol: isostep.v1\r\n"

static void test_4_2_handshake(void **state) {
    (void)state;
    static const struct {
        unsigned status;
        const char *text;
    } cases[] = {
        {101, GET UPGRADE VERSION KEY PROTOCOLS "\r\n"},
        {101, GET "Upgrade: WebSocket\r\nConnection: keep-alive, upgrade\r\n" VERSION KEY PROTOCOLS "\r\n"},
        {101, GET UPGRADE VERSION KEY "Sec-WebSocket-Protocol: chat, isostep.v1\r\n\r\n"},
        {101, GET UPGRADE VERSION KEY PROTOCOLS
         "Sec-WebSocket-Extensions: permessage-deflate; client_max_window_bits\r\n\r\n"},
        {426, GET "Connection: Upgrade\r\n" VERSION KEY PROTOCOLS "\r\n"},
        {426, GET "Upgrade: websocket\r\n" VERSION KEY PROTOCOLS "\r\n"},
        {426, GET "Upgrade: h2c\r\nConnection: Upgrade\r\n" VERSION KEY PROTOCOLS "\r\n"},
        {426, GET UPGRADE "Sec-WebSocket-Version: 8\r\n" KEY PROTOCOLS "\r\n"},
        {426, GET UPGRADE KEY PROTOCOLS "\r\n"},
        {400, GET UPGRADE VERSION PROTOCOLS "\r\n"},
        {400, GET UPGRADE VERSION "Sec-WebSocket-Key: AQIDBAUGBwgJCgsMDQ4P\r\n" PROTOCOLS "\r\n"}, // of 15 bytes
        {400, GET UPGRADE VERSION "Sec-WebSocket-Key: AQIDBAUGBwgJCgsMDQ4P!A==\r\n" PROTOCOLS "\r\n"},
        {400, GET UPGRADE VERSION KEY "\r\n"},
        {400, GET UPGRADE VERSION KEY "Sec-WebSocket-Protocol: chat\r\n\r\n"},
        {400, "GET /v1/socket HTTP/1.1\r\n" UPGRADE VERSION KEY PROTOCOLS "\r\n"},
    };
    static e2e_answer answer;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        const unsigned status = ask(cases[i].text, &answer);
        if (status != cases[i].status) {
            fail_msg("%s is answered with %u, not %u", cases[i].text, status, cases[i].status);
        }
        if (status == 426) {
            assert_non_null(strstr(answer.head, "Sec-WebSocket-Version: 13\r\n"));
        }
        if (status == 101) {
            assert_non_null(strstr(answer.head, "Sec-WebSocket-Accept: C/0nmHhBztSRGR1CwL6Tf4ZjwpY=\r\n"));
            assert_non_null(strstr(answer.head, "Sec-WebSocket-Protocol: isostep.v1\r\n"));
            assert_null(strstr(answer.head, "Extensions"));
        }
    }
}

// ---- 5.1, 5.2: frames ---------------------------------------------------------------------------------

static void test_5_1_frames_of_a_client_are_masked(void **state) {
    (void)state;
    static const uint8_t heads[] = {FIN | BINARY, BINARY, FIN | TEXT, FIN | PING, FIN | PONG, FIN | CLOSE};
    for (size_t i = 0; i < sizeof heads; ++i) {
        const uint8_t frame[] = {heads[i], 3, 0xEA, 0x01, 0x00};
        e2e_web *web = opened();
        e2e_link_write(web->link, frame, sizeof frame);
        expect_close(web, PROTOCOL, "a frame without a mask");
    }
    const uint8_t zeros[] = {FIN | BINARY, 0x83, 0, 0, 0, 0, 0xEA, 0x01, 0x00}; // is a mask as well
    e2e_web *web = opened();
    e2e_link_write(web->link, zeros, sizeof zeros);
    expect_list(web);
}

static void test_5_2_reserved_bits_are_zero(void **state) {
    (void)state;
    static const uint8_t opcodes[] = {BINARY, TEXT, PING, PONG, CLOSE};
    for (unsigned bits = RSV3; bits <= (RSV1 | RSV2 | RSV3); bits += RSV3) {
        e2e_web *web = opened();
        send_as(web, FIN | bits | opcodes[bits / RSV3 % sizeof opcodes], SHORTEST, list, sizeof list);
        expect_close(web, PROTOCOL, "a reserved bit");
    }
    e2e_web *web = opened();
    send_as(web, BINARY, SHORTEST, list, 1);
    send_as(web, FIN | RSV1 | CONTINUATION, SHORTEST, list + 1, 2); // what would be compressed
    expect_close(web, PROTOCOL, "a reserved bit in a continuation");
}

static void test_5_2_reserved_opcodes_are_refused(void **state) {
    (void)state;
    for (unsigned opcode = 3; opcode < 16; opcode = opcode == 7 ? 11 : opcode + 1) {
        e2e_web *web = opened();
        send_as(web, FIN | opcode, SHORTEST, list, opcode % 2 == 0 ? 0 : sizeof list);
        expect_close(web, PROTOCOL, "a reserved opcode");
    }
}

static void test_5_2_lengths_have_their_shortest_form(void **state) {
    (void)state;
    static const uint8_t bytes[256] = {0};
    static const size_t short_sizes[] = {0, 1, 3, 125};
    for (size_t i = 0; i < sizeof short_sizes / sizeof short_sizes[0]; ++i) {
        for (length form = BITS_16; form <= BITS_64; ++form) {
            e2e_web *web = opened();
            send_as(web, FIN | (i % 2 == 0 ? BINARY : PING), form, bytes, short_sizes[i]);
            expect_close(web, PROTOCOL, "a length that is too long");
        }
    }
    for (size_t size = 126; size <= 256; size += 130) {
        e2e_web *web = opened();
        send_as(web, FIN | BINARY, BITS_64, bytes, size);
        expect_close(web, PROTOCOL, "a length of 64 bits for a short message");
    }
    const uint8_t last_of_16[] = {FIN | BINARY, 0xFF, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 1, 2, 3, 4};
    e2e_web *web = opened();
    e2e_link_write(web->link, last_of_16, sizeof last_of_16);
    expect_close(web, PROTOCOL, "a length of 64 bits for 65,535");
    const uint8_t negative[] = {FIN | BINARY, 0xFF, 0x80, 0, 0, 0, 0, 0, 0, 3, 1, 2, 3, 4};
    web = opened();
    e2e_link_write(web->link, negative, sizeof negative);
    expect_close(web, PROTOCOL, "a length with its highest bit");
    // Those in the right form are judged by what they announce, when the first byte of it comes.
    const uint8_t large[] = {FIN | BINARY, 0xFF, 0, 0, 0, 0, 0, 1, 0, 0, 1, 2, 3, 4, 5};
    web = opened();
    e2e_link_write(web->link, large, sizeof large);
    expect_close(web, TOO_LARGE, "65,536 bytes");
    const uint8_t largest[] = {FIN | BINARY, 0xFF, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 1, 2, 3, 4, 5};
    web = opened();
    e2e_link_write(web->link, largest, sizeof largest);
    expect_close(web, TOO_LARGE, "2^63 - 1 bytes");
}

static void test_5_2_bytes_may_come_singly(void **state) {
    (void)state;
    const uint8_t frames[] = {BINARY, 0x81, 9,       8,   7,    6, 0xEA ^ 9, FIN | PING, 0x81, 1,    1,
                              1,      1,    'a' ^ 1, FIN, 0x82, 0, 1,        0,          1,    0x01, 0x01};
    e2e_web *web = opened();
    for (size_t i = 0; i < sizeof frames; ++i) {
        e2e_link_write(web->link, frames + i, 1);
        e2e_sleep_ms(i % 4 == 0 ? 2 : 0);
    }
    expect_pong(web, "a", 1);
    expect_list(web);
}

// ---- 5.4: fragments -----------------------------------------------------------------------------------

static void test_5_4_fragments(void **state) {
    (void)state;
    e2e_web *web = opened(); // also empty ones
    send_as(web, BINARY, SHORTEST, "", 0);
    send_as(web, CONTINUATION, SHORTEST, list, 1);
    send_as(web, FIN | PING, SHORTEST, "1", 1);
    send_as(web, CONTINUATION, SHORTEST, "", 0);
    send_as(web, FIN | PONG, SHORTEST, "unasked", 7);
    send_as(web, FIN | PING, SHORTEST, "2", 1);
    send_as(web, CONTINUATION, SHORTEST, list + 1, 2);
    send_as(web, FIN | CONTINUATION, SHORTEST, "", 0);
    expect_pong(web, "1", 1); // in the middle of the message
    expect_pong(web, "2", 1);
    expect_list(web);
    // What does not continue.
    static const struct {
        size_t count;
        unsigned frames[3];
        unsigned code;
        const char *what;
    } cases[] = {
        {1, {FIN | CONTINUATION}, PROTOCOL, "the end of nothing"},
        {1, {CONTINUATION}, PROTOCOL, "the continuation of nothing"},
        {2, {FIN | PING, FIN | CONTINUATION}, PROTOCOL, "the continuation of a ping"},
        {2, {BINARY, FIN | BINARY}, PROTOCOL, "a message in a message"},
        {2, {BINARY, BINARY}, PROTOCOL, "a message that begins twice"},
        {2, {BINARY, FIN | TEXT}, PROTOCOL, "a text in a message"},
        {3, {BINARY, CONTINUATION, BINARY}, PROTOCOL, "a message after a fragment"},
        {2, {BINARY, PING}, PROTOCOL, "a ping in fragments"},
        {3, {BINARY, FIN | CONTINUATION, FIN | CONTINUATION}, 4017, "more after a message that is none"},
        {1, {PING}, PROTOCOL, "the beginning of a ping"},
        {1, {CLOSE}, PROTOCOL, "the beginning of a close"},
        {1, {PONG}, PROTOCOL, "the beginning of a pong"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        web = opened();
        for (size_t k = 0; k < cases[i].count; ++k) {
            send_as(web, cases[i].frames[k], SHORTEST, "\xFF\xFF", 2);
        }
        const uint8_t *bytes = NULL;
        size_t size = 0;
        if (cases[i].frames[0] == (FIN | PING)) {
            assert_int_equal(e2e_web_receive(web, &bytes, &size, 3000), FIN | PONG);
        }
        expect_close(web, cases[i].code, cases[i].what);
    }
    // Their sum counts.
    static const uint8_t piece[256] = {0};
    web = opened();
    send_as(web, BINARY, SHORTEST, piece, sizeof piece);
    for (size_t sum = sizeof piece; sum <= ISO_FRAME_MAX_HELLO; sum += sizeof piece) {
        send_as(web, CONTINUATION, SHORTEST, piece, sizeof piece);
    }
    expect_close(web, TOO_LARGE, "fragments without end");
}

// ---- 5.5: control frames ------------------------------------------------------------------------------

static void test_5_5_control_frames_are_short(void **state) {
    (void)state;
    uint8_t bytes[126];
    memset(bytes, 'p', sizeof bytes);
    e2e_web *web = opened();
    send_as(web, FIN | PING, SHORTEST, bytes, 125);
    expect_pong(web, bytes, 125);
    send_as(web, FIN | PING, SHORTEST, "", 0);
    expect_pong(web, "", 0);
    send_as(web, FIN | PONG, SHORTEST, bytes, 125);
    send_as(web, FIN | BINARY, SHORTEST, list, sizeof list);
    expect_list(web);
    for (unsigned opcode = CLOSE; opcode <= PONG; ++opcode) {
        web = opened();
        send_as(web, FIN | opcode, SHORTEST, bytes, 126);
        expect_close(web, PROTOCOL, "a control frame of 126 bytes");
    }
}

static void close_with(unsigned code, const void *reason, size_t size, unsigned answer) {
    char what[64];
    uint8_t bytes[126] = {(uint8_t)(code >> 8), (uint8_t)code};
    e2e_web *web = opened();
    memcpy(bytes + 2, reason, size);
    send_as(web, FIN | CLOSE, SHORTEST, bytes, 2 + size);
    snprintf(what, sizeof what, "a close with %u and %zu bytes", code, size);
    expect_close(web, answer, what);
}

static void test_5_5_1_close(void **state) {
    (void)state;
    static const unsigned right[] = {1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 3000, 3999, 4000, 4999};
    static const unsigned wrong[] = {0, 1, 999, 1004, 1005, 1006, 1015, 1016, 1100, 2000, 2999, 5000, 65535};
    for (size_t i = 0; i < sizeof right / sizeof right[0]; ++i) {
        close_with(right[i], "bye", i % 4, right[i]);
    }
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; ++i) {
        close_with(wrong[i], "bye", i % 4, PROTOCOL);
    }
    e2e_web *web = opened();
    send_as(web, FIN | CLOSE, SHORTEST, "", 0);
    expect_close(web, NO_CODE, "a close without a code");
    web = opened();
    send_as(web, FIN | CLOSE, SHORTEST, "\x03", 1);
    expect_close(web, PROTOCOL, "a close with half a code");
    // In the middle of a message, and nothing after it is answered.
    web = opened();
    send_as(web, BINARY, SHORTEST, list, 1);
    send_as(web, FIN | CLOSE, SHORTEST, "\x03\xE8", 2);
    send_as(web, FIN | PING, SHORTEST, "late", 4);
    const uint8_t *bytes = NULL;
    size_t size = 0;
    assert_int_equal(e2e_web_receive(web, &bytes, &size, 5000), FIN | CLOSE);
    assert_memory_equal(bytes, "\x03\xE8", 2);
    assert_int_equal(e2e_web_receive(web, &bytes, &size, 5000), 0);
    assert_true(web->has_ended); // 7.1.1: it is the server that closes
    e2e_web_close(web);
}

static void test_5_5_1_reason_of_a_close_is_utf8(void **state) {
    (void)state;
    static const char *const right[] = {
        "\xCE\xBA\xE1\xBD\xB9\xCF\x83\xCE\xBC\xCE\xB5", // Greek
        "\xEF\xBF\xBF",                                 // U+FFFF
        "\xF4\x8F\xBF\xBF",                             // U+10FFFF
        "\xED\x9F\xBF\xEE\x80\x80",                     // around the surrogates
        "\xC2\x80\xE0\xA0\x80\xF0\x90\x80\x80",         // the first ones of each length
        "\x01\x7F",
    };
    static const char *const wrong[] = {
        "\x80",                 // a continuation of nothing
        "\xCE",                 // cut off
        "\xE1\xBD",             // the same
        "\xF0\x90\x80",         // the same
        "\xC0\xAF",             // longer than need be
        "\xC1\xBF",             // the same
        "\xE0\x9F\xBF",         // the same
        "\xF0\x8F\xBF\xBF",     // the same
        "\xED\xA0\x80",         // a surrogate
        "\xED\xBF\xBF",         // the same
        "\xF4\x90\x80\x80",     // above U+10FFFF
        "\xF8\x88\x80\x80\x80", // of five bytes
        "\xFE",                 //
        "\xFF",                 //
        "a\xE1\x62z",           // not continued
    };
    for (size_t i = 0; i < sizeof right / sizeof right[0]; ++i) {
        close_with(1000, right[i], strlen(right[i]), 1000);
    }
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; ++i) {
        close_with(1000, wrong[i], strlen(wrong[i]), BAD_TEXT);
    }
    char longest[123];
    memset(longest, 'r', sizeof longest);
    close_with(4000, longest, sizeof longest, 4000);
}

// ---- 5.6: data ----------------------------------------------------------------------------------------

static void test_5_6_texts_are_not_taken(void **state) {
    (void)state;
    static const unsigned heads[] = {FIN | TEXT, TEXT};
    for (size_t i = 0; i < 2; ++i) {
        e2e_web *web = opened();
        send_as(web, heads[i], SHORTEST, "text", 4);
        expect_close(web, NO_TEXT, "a text");
        web = opened();
        send_as(web, heads[i], SHORTEST, "\xFF\xFE", 2); // whatever is in it
        expect_close(web, NO_TEXT, "a text that is none");
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_4_2_handshake),
        cmocka_unit_test(test_5_1_frames_of_a_client_are_masked),
        cmocka_unit_test(test_5_2_reserved_bits_are_zero),
        cmocka_unit_test(test_5_2_reserved_opcodes_are_refused),
        cmocka_unit_test(test_5_2_lengths_have_their_shortest_form),
        cmocka_unit_test(test_5_2_bytes_may_come_singly),
        cmocka_unit_test(test_5_4_fragments),
        cmocka_unit_test(test_5_5_control_frames_are_short),
        cmocka_unit_test(test_5_5_1_close),
        cmocka_unit_test(test_5_5_1_reason_of_a_close_is_utf8),
        cmocka_unit_test(test_5_6_texts_are_not_taken),
    };
    e2e_limit_seconds(60);
    return cmocka_run_group_tests(tests, start, stop);
}
