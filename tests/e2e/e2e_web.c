/// A bare connection to a server's HTTP: requests, answers and WebSocket frames.
#include "e2e_web.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

uint16_t e2e_web_port(const e2e_server *server) {
    const char *at = strstr(server->ready, " http=");
    assert_non_null(at);
    at = strchr(at, ':');
    assert_non_null(at);
    return (uint16_t)strtoul(at + 1, NULL, 10);
}

e2e_web *e2e_web_open(const e2e_server *server, int receive_buffer) {
    e2e_web *web = calloc(1, sizeof *web);
    assert_non_null(web);
    web->in = malloc(E2E_WEB_IN_MAX);
    assert_non_null(web->in);
    web->link = e2e_link_open(e2e_web_port(server), receive_buffer);
    return web;
}

void e2e_web_close(e2e_web *web) {
    e2e_link_close(web->link);
    free(web->in);
    free(web);
}

void e2e_web_say(e2e_web *web, const char *text) {
    e2e_link_write(web->link, text, strlen(text));
}

/// Waits for more bytes. @return false when the server closed or the time is over
static bool receive(e2e_web *web, uint64_t deadline) {
    for (uint64_t now = e2e_now_ns(); !web->has_ended && now < deadline; now = e2e_now_ns()) {
        if (web->begin > 0) {
            memmove(web->in, web->in + web->begin, web->end - web->begin);
            web->end -= web->begin;
            web->begin = 0;
        }
        assert_true(web->end < E2E_WEB_IN_MAX);
        const ssize_t size = recv(web->link->fd, web->in + web->end, E2E_WEB_IN_MAX - web->end, 0);
        if (size > 0) {
            web->end += (size_t)size;
            return true;
        }
        if (size == 0 || errno != EAGAIN) {
            web->has_ended = true;
            return false;
        }
        struct pollfd wait = {.fd = web->link->fd, .events = POLLIN};
        poll(&wait, 1, (int)((deadline - now) / E2E_MS) + 1);
    }
    return false;
}

static size_t body_size(const char *head, bool to_head, unsigned status) {
    const char *length = strcasestr(head, "Content-Length: ") /* as proxies write it, too */;
    if (to_head || status == 304 || status == 204 || status == 101) {
        return 0;
    }
    assert_non_null(length);
    return strtoul(length + 16, NULL, 10);
}

bool e2e_web_read(e2e_web *web, e2e_answer *answer, bool to_head, uint64_t timeout_ms) {
    const uint64_t deadline = e2e_now_ns() + timeout_ms * E2E_MS;
    for (;;) {
        const uint8_t *at = web->in + web->begin;
        const size_t size = web->end - web->begin;
        const uint8_t *end = size > 0 ? memmem(at, size, "\r\n\r\n", 4) : NULL;
        if (end != NULL) {
            const size_t head = (size_t)(end - at) + 4;
            assert_true(head < sizeof answer->head);
            memcpy(answer->head, at, head);
            answer->head[head] = '\0';
            assert_int_equal(sscanf(answer->head, "HTTP/1.1 %u ", &answer->status), 1);
            answer->size = body_size(answer->head, to_head, answer->status);
            if (size >= head + answer->size) {
                answer->body = at + head;
                web->begin += head + answer->size;
                return true;
            }
        }
        if (!receive(web, deadline)) {
            return false;
        }
    }
}

unsigned e2e_web_get(const e2e_server *server, const char *path, const char *lines, e2e_answer *answer, char *body,
                     size_t capacity) {
    char request[1024];
    e2e_web *web = e2e_web_open(server, 0);
    snprintf(request, sizeof request, "GET %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n%s\r\n", path, lines);
    e2e_web_say(web, request);
    assert_true(e2e_web_read(web, answer, false, 5000));
    assert_true(answer->size < capacity);
    memcpy(body, answer->body, answer->size);
    body[answer->size] = '\0';
    assert_true(e2e_web_wait_end(web, 3000));
    e2e_web_close(web);
    return answer->status;
}

bool e2e_web_wait_end(e2e_web *web, uint64_t timeout_ms) {
    const uint64_t deadline = e2e_now_ns() + timeout_ms * E2E_MS;
    while (receive(web, deadline)) {
        web->begin = web->end = 0;
    }
    return web->has_ended;
}

const char *e2e_web_upgrade(void) {
    return "GET /v1/socket HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
           "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
           "Sec-WebSocket-Protocol: isostep.v1\r\n";
}

e2e_web *e2e_web_open_socket(const e2e_server *server, int receive_buffer) {
    e2e_web *web = e2e_web_open(server, receive_buffer);
    e2e_answer answer;
    e2e_web_say(web, e2e_web_upgrade());
    e2e_web_say(web, "\r\n");
    assert_true(e2e_web_read(web, &answer, false, 3000));
    assert_int_equal(answer.status, 101);
    assert_non_null(strstr(answer.head, "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n"));
    assert_non_null(strstr(answer.head, "Sec-WebSocket-Protocol: isostep.v1\r\n"));
    assert_null(strstr(answer.head, "Extensions"));
    return web;
}

void e2e_web_send(e2e_web *web, uint8_t first, const void *bytes, size_t size) {
    static const uint8_t mask[4] = {0x12, 0xF4, 0x56, 0x78};
    uint8_t *frame = malloc(size + 14);
    size_t at = 2;
    assert_non_null(frame);
    frame[0] = first;
    frame[1] = (uint8_t)(0x80 | (size < 126 ? size : size < 65536 ? 126 : 127));
    for (unsigned i = size < 126 ? 0 : size < 65536 ? 2 : 8; i > 0; --i) {
        frame[at++] = (uint8_t)(size >> (8 * (i - 1)));
    }
    memcpy(frame + at, mask, 4);
    at += 4;
    for (size_t i = 0; i < size; ++i) {
        frame[at++] = ((const uint8_t *)bytes)[i] ^ mask[i % 4];
    }
    e2e_link_write(web->link, frame, at);
    free(frame);
}

void e2e_web_send_message(e2e_web *web, const iso_message *message) {
    static uint8_t bytes[ISO_FRAME_MAX_SERVER];
    const size_t size = e2e_encode(message, bytes, sizeof bytes);
    size_t in_front = 1;
    while ((bytes[in_front - 1] & 0x80) != 0) {
        ++in_front;
    }
    e2e_web_send(web, 0x82, bytes + in_front, size - in_front);
}

uint8_t e2e_web_receive(e2e_web *web, const uint8_t **bytes, size_t *size, uint64_t timeout_ms) {
    const uint64_t deadline = e2e_now_ns() + timeout_ms * E2E_MS;
    for (;;) {
        const uint8_t *at = web->in + web->begin;
        const size_t there = web->end - web->begin;
        if (there >= 2) {
            assert_int_equal(at[1] & 0x80, 0); // a server masks nothing
            const size_t more = at[1] < 126 ? 0 : at[1] == 126 ? 2 : 8;
            *size = more == 0 ? at[1] : 0;
            for (size_t i = 0; i < more && there >= 2 + more; ++i) {
                *size = *size << 8 | at[2 + i];
            }
            if (there >= 2 + more && there >= 2 + more + *size) {
                *bytes = at + 2 + more;
                web->begin += 2 + more + *size;
                return at[0];
            }
        }
        if (!receive(web, deadline)) {
            return 0;
        }
    }
}

bool e2e_web_receive_kind(e2e_web *web, uint8_t kind, iso_message *message, uint64_t timeout_ms) {
    static _Alignas(16) uint8_t memory[ISO_DECODE_MEMORY_FROM_SERVER];
    const iso_decode_limits limits = iso_decode_limits_from_server();
    const uint64_t deadline = e2e_now_ns() + timeout_ms * E2E_MS;
    for (uint64_t now = e2e_now_ns(); now < deadline; now = e2e_now_ns()) {
        const uint8_t *bytes = NULL;
        size_t size = 0;
        const uint8_t first = e2e_web_receive(web, &bytes, &size, (deadline - now) / E2E_MS + 1);
        if (first == 0 || first == 0x88) {
            return false;
        }
        if (first == 0x89) {
            continue; // a ping
        }
        assert_int_equal(first, 0x82);
        assert_int_equal(iso_message_decode(bytes, size, &limits, memory, sizeof memory, message), ISO_OK);
        if (message->kind == kind) {
            return true;
        }
    }
    return false;
}

unsigned e2e_web_receive_close(e2e_web *web, uint64_t timeout_ms) {
    const uint64_t deadline = e2e_now_ns() + timeout_ms * E2E_MS;
    for (uint64_t now = e2e_now_ns(); now < deadline; now = e2e_now_ns()) {
        const uint8_t *bytes = NULL;
        size_t size = 0;
        const uint8_t first = e2e_web_receive(web, &bytes, &size, (deadline - now) / E2E_MS + 1);
        if (first == 0) {
            return 0;
        }
        if (first == 0x88) {
            return size >= 2 ? (unsigned)bytes[0] << 8 | bytes[1] : 1005;
        }
    }
    return 0;
}
