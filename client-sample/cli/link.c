#include "link.h"

#include <netdb.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define WRITE_TIMEOUT_MS 3000

uint64_t iso__cli_now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static int link_dial(const iso__cli_options *options) {
    const struct addrinfo hints = {.ai_socktype = SOCK_STREAM};
    struct addrinfo *list = NULL;
    int fd = -1;
    if (getaddrinfo(options->host, options->port, &hints, &list) != 0) {
        return -1;
    }
    for (struct addrinfo *a = list; a != NULL && fd < 0; a = a->ai_next) {
        fd = socket(a->ai_family, a->ai_socktype, a->ai_protocol);
        if (fd >= 0 && connect(fd, a->ai_addr, a->ai_addrlen) != 0) {
            close(fd);
            fd = -1;
        }
    }
    freeaddrinfo(list);
    return fd;
}

iso__cli_link *iso__cli_link_open(const iso__cli_options *options) {
    iso__cli_link *link = calloc(1, sizeof(*link));
    if (link == NULL) {
        return NULL;
    }
    link->memory = malloc(ISO_DECODE_MEMORY_FROM_SERVER);
    link->fd = link_dial(options);
    iso_framer_init(&link->framer, link->frame, sizeof(link->frame));
    if (link->memory == NULL || link->fd < 0) {
        iso__cli_link_close(link);
        return NULL;
    }
    return link;
}

void iso__cli_link_close(iso__cli_link *link) {
    if (link != NULL) {
        if (link->fd >= 0) {
            close(link->fd);
        }
        free(link->memory);
        free(link);
    }
}

bool iso__cli_link_write(iso__cli_link *link, const void *bytes, size_t size) {
    const uint8_t *at = bytes;
    while (size > 0) {
        struct pollfd wait = {.fd = link->fd, .events = POLLOUT};
        if (poll(&wait, 1, WRITE_TIMEOUT_MS) <= 0) {
            return false;
        }
        const ssize_t sent = send(link->fd, at, size, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent < 0) {
            return false;
        }
        at += sent;
        size -= (size_t)sent;
    }
    return true;
}

size_t iso__cli_frame_make(const iso_message *message, uint8_t *frame, size_t capacity) {
    static uint8_t body[ISO_FRAME_MAX_CLIENT];
    void *memory = malloc(ISO_ENCODE_MEMORY_SIZE);
    size_t size = 0;
    iso_status status = ISO_ERR_MEMORY;
    if (memory != NULL) {
        status = iso_message_encode(message, memory, ISO_ENCODE_MEMORY_SIZE, body, sizeof(body), &size);
    }
    free(memory);
    if (status != ISO_OK || size + ISO_FRAME_HEADER_SIZE_MAX > capacity) {
        return 0;
    }
    const size_t header_size = iso_frame_header_write(frame, (uint32_t)size);
    memcpy(frame + header_size, body, size);
    return header_size + size;
}

bool iso__cli_link_send(iso__cli_link *link, const iso_message *message) {
    uint8_t frame[ISO_FRAME_HEADER_SIZE_MAX + ISO_FRAME_MAX_CLIENT];
    const size_t size = iso__cli_frame_make(message, frame, sizeof(frame));
    return size > 0 && iso__cli_link_write(link, frame, size);
}

/// Takes one message out of what has arrived. @return false when there is no whole one.
static bool link_take(iso__cli_link *link, iso_message *message) {
    const iso_decode_limits limits = iso_decode_limits_from_server();
    while (link->begin < link->end && !link->closed) {
        const uint8_t *frame;
        size_t size, consumed;
        if (iso_framer_feed(&link->framer, link->in + link->begin, link->end - link->begin, &consumed, &frame, &size) !=
            ISO_OK) {
            link->closed = true;
            return false;
        }
        link->begin += consumed;
        if (frame != NULL) {
            const iso_status status =
                iso_message_decode(frame, size, &limits, link->memory, ISO_DECODE_MEMORY_FROM_SERVER, message);
            if (status == ISO_OK) {
                return true;
            }
            link->closed = status != ISO_ERR_UNSUPPORTED;
        }
    }
    return false;
}

bool iso__cli_link_read(iso__cli_link *link, iso_message *message, uint64_t timeout_ms) {
    const uint64_t end_ns = iso__cli_now_ns() + timeout_ms * 1000000u;
    while (!link_take(link, message)) {
        const uint64_t now = iso__cli_now_ns();
        struct pollfd wait = {.fd = link->fd, .events = POLLIN};
        const int left_ms = now < end_ns ? (int)((end_ns - now + 999999u) / 1000000u) : 0;
        if (link->closed || poll(&wait, 1, left_ms) <= 0) {
            return false;
        }
        const ssize_t count = recv(link->fd, link->in, sizeof(link->in), 0);
        link->closed = count <= 0;
        link->begin = 0;
        link->end = count > 0 ? (size_t)count : 0;
    }
    return true;
}

iso_message iso__cli_link_hello(const char *session, uint8_t role) {
    iso_message message = {.kind = ISO_MESSAGE_HELLO};
    iso_message_hello *hello = &message.as.hello;
    hello->protocol_min = ISO_PROTOCOL_VERSION;
    hello->protocol_max = ISO_PROTOCOL_VERSION;
    hello->role = role;
    hello->compressions = ISO_COMPRESSION_NONE;
    strncpy(hello->session, session, ISO_SESSION_NAME_MAX);
    strcpy(hello->member, "griefer");
    return message;
}
