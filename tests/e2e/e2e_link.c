/// A bare socket to a server that speaks the protocol by hand.
#include "e2e.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

e2e_link *e2e_link_try(uint16_t port, int receive_buffer) {
    e2e_link *link = calloc(1, sizeof *link);
    assert_non_null(link);
    iso_framer_init(&link->framer, link->frame, sizeof link->frame);
    link->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(link->fd >= 0);
    if (receive_buffer != 0) {
        setsockopt(link->fd, SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof receive_buffer);
    }
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    if (connect(link->fd, (struct sockaddr *)&address, sizeof address) != 0) {
        e2e_link_close(link);
        return NULL;
    }
    int one = 1;
    setsockopt(link->fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    fcntl(link->fd, F_SETFL, O_NONBLOCK);
    return link;
}

e2e_link *e2e_link_open(uint16_t port, int receive_buffer) {
    e2e_link *link = e2e_link_try(port, receive_buffer);
    if (link == NULL) {
        fail_msg("no connection to port %u: %s", port, strerror(errno));
    }
    return link;
}

void e2e_link_close(e2e_link *link) {
    close(link->fd);
    free(link);
}

void e2e_link_write(e2e_link *link, const void *bytes, size_t size) {
    const uint8_t *next = bytes;
    while (size > 0) {
        ssize_t written = send(link->fd, next, size, MSG_NOSIGNAL);
        if (written < 0 && errno != EAGAIN) {
            return; // the server has closed, which the test sees when it reads
        }
        if (written < 0) {
            struct pollfd wait = {.fd = link->fd, .events = POLLOUT};
            poll(&wait, 1, 1000);
            continue;
        }
        next += written;
        size -= (size_t)written;
    }
}

size_t e2e_encode(const iso_message *message, uint8_t *bytes, size_t capacity) {
    static _Alignas(16) uint8_t memory[ISO_ENCODE_MEMORY_SIZE];
    size_t size = 0;
    assert_true(capacity > ISO_FRAME_HEADER_SIZE_MAX);
    iso_status status = iso_message_encode(message, memory, sizeof memory, bytes + ISO_FRAME_HEADER_SIZE_MAX,
                                           capacity - ISO_FRAME_HEADER_SIZE_MAX, &size);
    assert_int_equal(status, ISO_OK);
    uint8_t header[ISO_FRAME_HEADER_SIZE_MAX];
    size_t header_size = iso_frame_header_write(header, (uint32_t)size);
    memmove(bytes + header_size, bytes + ISO_FRAME_HEADER_SIZE_MAX, size);
    memcpy(bytes, header, header_size);
    return header_size + size;
}

iso_message e2e_hello(void) {
    iso_message message = {
        .kind = ISO_MESSAGE_HELLO,
        .as.hello =
            {
                .protocol_min = ISO_PROTOCOL_VERSION,
                .protocol_max = ISO_PROTOCOL_VERSION,
                .role = ISO_ROLE_PLAYER,
                .compressions = ISO_COMPRESSION_NONE | ISO_COMPRESSION_ZSTD,
                .session = "main",
                .member = "e2e",
            },
    };
    iso_world_def def = iso_world_def_default();
    iso_fingerprint_make(&def, NULL, &message.as.hello.fingerprint);
    return message;
}

/// @return whether a frame was there
static bool next_frame(e2e_link *link, iso_message *message) {
    static _Alignas(16) uint8_t memory[ISO_DECODE_MEMORY_FROM_SERVER];
    iso_decode_limits limits = iso_decode_limits_from_server();
    while (link->in_begin < link->in_end) {
        size_t consumed = 0, size = 0;
        const uint8_t *frame = NULL;
        assert_int_equal(iso_framer_feed(&link->framer, link->in + link->in_begin, link->in_end - link->in_begin,
                                         &consumed, &frame, &size),
                         ISO_OK);
        link->in_begin += consumed;
        if (frame == NULL) {
            return false;
        }
        assert_int_equal(iso_message_decode(frame, size, &limits, memory, sizeof memory, message), ISO_OK);
        return true;
    }
    return false;
}

/// Reads what is there. @return whether there was something
static bool receive(e2e_link *link) {
    ssize_t size = recv(link->fd, link->in, sizeof link->in, 0);
    if (size == 0 || (size < 0 && errno != EAGAIN)) {
        link->has_ended = true;
    }
    link->in_begin = 0;
    link->in_end = size > 0 ? (size_t)size : 0;
    return size > 0;
}

bool e2e_link_read(e2e_link *link, iso_message *message, uint64_t timeout_ms) {
    uint64_t deadline = e2e_now_ns() + timeout_ms * E2E_MS;
    while (!next_frame(link, message)) {
        if (link->has_ended) {
            return false;
        }
        if (receive(link)) {
            continue;
        }
        uint64_t now = e2e_now_ns();
        if (link->has_ended || now >= deadline) {
            return false;
        }
        struct pollfd wait = {.fd = link->fd, .events = POLLIN};
        poll(&wait, 1, (int)((deadline - now) / E2E_MS) + 1);
    }
    return true;
}

bool e2e_link_read_kind(e2e_link *link, uint8_t kind, iso_message *message, uint64_t timeout_ms) {
    uint64_t deadline = e2e_now_ns() + timeout_ms * E2E_MS;
    for (uint64_t now = e2e_now_ns(); now < deadline; now = e2e_now_ns()) {
        if (!e2e_link_read(link, message, (deadline - now) / E2E_MS + 1)) {
            return false;
        }
        if (message->kind == kind) {
            return true;
        }
    }
    return false;
}

bool e2e_link_wait_end(e2e_link *link, uint64_t timeout_ms) {
    uint64_t deadline = e2e_now_ns() + timeout_ms * E2E_MS;
    iso_message message;
    while (!link->has_ended && e2e_now_ns() < deadline) {
        e2e_link_read(link, &message, 100);
    }
    return link->has_ended;
}
