/// A whole client in one page: connects, joins, steps the session's world, checks every root and pushes its body to
/// the right. Plain POSIX sockets; any event loop will do. client-sample/lib/README.md walks through it.
///
///     isostep-minimal-client HOST PORT TICKS
#include <netdb.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "isostep/client.h"
#include "isostep/games.h"
#include "isostep/heap.h"
#include "isostep/proto/codec.h"
#include "isostep/proto/compression.h"
#include "isostep/proto/text.h"

static uint64_t now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static int dial(const char *host, const char *port) {
    const struct addrinfo hints = {.ai_socktype = SOCK_STREAM};
    struct addrinfo *list = NULL;
    int stream = -1;
    getaddrinfo(host, port, &hints, &list);
    for (struct addrinfo *a = list; a != NULL && stream < 0; a = a->ai_next) {
        stream = socket(a->ai_family, a->ai_socktype, a->ai_protocol);
        if (stream >= 0 && connect(stream, a->ai_addr, a->ai_addrlen) != 0) {
            close(stream);
            stream = -1;
        }
    }
    freeaddrinfo(list);
    return stream;
}

static uint8_t memory[ISO_DECODE_MEMORY_FROM_SERVER] __attribute__((aligned(16)));
static uint64_t last_tick; // to play to
static bool over, failed;

static void send_message(int stream, const iso_message *message) {
    static uint8_t scratch[ISO_ENCODE_MEMORY_SIZE] __attribute__((aligned(16)));
    uint8_t frame[ISO_FRAME_HEADER_SIZE_MAX + ISO_FRAME_MAX_CLIENT];
    uint8_t body[ISO_FRAME_MAX_CLIENT];
    size_t size = 0;
    if (iso_message_encode(message, scratch, sizeof(scratch), body, sizeof(body), &size) == ISO_OK) {
        const size_t head = iso_frame_header_write(frame, (uint32_t)size);
        for (size_t i = 0; i < size; ++i) {
            frame[head + i] = body[i];
        }
        (void)!send(stream, frame, head + size, MSG_NOSIGNAL);
    }
}

/// Hands an event in and does what the client asks for.
static void handle(iso_client *client, int stream, const iso_client_event *event) {
    static const uint8_t right[8] = {0xFF, 0x7F}; // "axes-buttons-8": x at its largest
    iso_client_action action;
    iso_client_event answer = {0};
    iso_client_handle(client, now_ns(), event);
    while (iso_client_next_action(client, &action)) {
        switch (action.kind) {
        case ISO_CLIENT_ACTION_SEND:
            send_message(stream, action.message);
            break;
        case ISO_CLIENT_ACTION_DECOMPRESS: {
            uint8_t *raw = malloc(action.raw_size);
            answer = (iso_client_event){.kind = ISO_CLIENT_EVENT_DECOMPRESSED, .bytes = raw, .size = action.raw_size};
            answer.status =
                raw != NULL ? iso_decompress(action.bytes, action.size, raw, action.raw_size) : ISO_ERR_MEMORY;
            break;
        }
        case ISO_CLIENT_ACTION_JOINED:
            printf("joined at tick %llu in slot %u\n", (unsigned long long)action.tick, action.slot);
            last_tick += action.tick;
            iso_client_set_control(client, right, sizeof(right));
            break;
        case ISO_CLIENT_ACTION_DESYNC:
            printf("desync after tick %llu\n", (unsigned long long)action.tick);
            break;
        case ISO_CLIENT_ACTION_ENDED:
            iso_print(stdout, "ended: %s\n", action.status == ISO_OK ? "left" : action.text);
            failed = action.status != ISO_OK;
            over = true;
            break;
        default:
            break;
        }
    }
    if (answer.kind != 0) {
        handle(client, stream, &answer);
        free((void *)(uintptr_t)answer.bytes);
    }
}

/// Cuts what has arrived into messages.
static void receive(iso_client *client, int stream, iso_framer *framer) {
    uint8_t bytes[16384];
    const ssize_t count = recv(stream, bytes, sizeof(bytes), 0);
    iso_client_event event = {.kind = ISO_CLIENT_EVENT_DISCONNECTED};
    if (count <= 0) {
        handle(client, stream, &event);
    }
    for (size_t used = 0, consumed; count > 0 && used < (size_t)count && !over; used += consumed) {
        const iso_decode_limits limits = iso_decode_limits_from_server();
        const uint8_t *frame;
        size_t size;
        iso_message message;
        event.status = iso_framer_feed(framer, bytes + used, (size_t)count - used, &consumed, &frame, &size);
        if (event.status == ISO_OK && frame != NULL) {
            event.status = iso_message_decode(frame, size, &limits, memory, sizeof(memory), &message);
            event.kind = event.status == ISO_OK ? ISO_CLIENT_EVENT_MESSAGE : ISO_CLIENT_EVENT_DISCONNECTED;
            event.message = &message;
            if (event.status != ISO_ERR_UNSUPPORTED) { // a kind that came with a later version
                handle(client, stream, &event);
            }
        } else if (event.status != ISO_OK) {
            event.kind = ISO_CLIENT_EVENT_DISCONNECTED;
            handle(client, stream, &event);
        }
    }
}

int main(int argc, char **argv) {
    static uint8_t frame[ISO_FRAME_MAX_SERVER];
    const iso_game *const games[] = {&iso_game_sandbox};
    iso_client_config config = iso_client_config_default();
    iso_client *client = NULL;
    iso_framer framer;
    char *end = argc == 4 ? argv[3] : NULL;
    last_tick = argc == 4 ? strtoull(argv[3], &end, 10) : 0;
    if (argc != 4 || argv[3][0] < '0' || argv[3][0] > '9' || *end != 0) {
        iso_print(stderr, "usage: isostep-minimal-client HOST PORT TICKS\n");
        return 2;
    }
    const int stream = dial(argv[1], argv[2]);
    config.allocator = iso_heap_allocator();
    config.games = games;
    config.game_count = 1;
    config.name = "minimal";
    if (stream < 0 || iso_client_create(&config, &client) != ISO_OK) {
        iso_print(stderr, "isostep-minimal-client: there is no server at %s, port %s\n", argv[1], argv[2]);
        return 4;
    }
    iso_framer_init(&framer, frame, sizeof(frame));
    handle(client, stream, &(iso_client_event){.kind = ISO_CLIENT_EVENT_CONNECTED});
    while (!over) {
        const uint64_t deadline = iso_client_next_deadline(client);
        const uint64_t now = now_ns();
        struct pollfd wait = {.fd = stream, .events = POLLIN};
        if (poll(&wait, 1, deadline > now ? (int)((deadline - now) / 1000000u + 1u) : 0) > 0) {
            receive(client, stream, &framer);
        }
        const bool enough =
            iso_client_get_phase(client) == ISO_CLIENT_PHASE_ACTIVE && iso_client_tick(client) >= last_tick;
        if (!over) {
            handle(client, stream,
                   &(iso_client_event){.kind = enough ? ISO_CLIENT_EVENT_LEAVE : ISO_CLIENT_EVENT_TIME});
        }
    }
    iso_client_stats stats;
    iso_client_get_stats(client, &stats);
    printf("%llu roots checked, %llu desyncs\n", (unsigned long long)stats.roots_checked,
           (unsigned long long)stats.desyncs);
    iso_client_destroy(client);
    close(stream);
    return stats.desyncs > 0 ? 1 : failed ? 4 : 0;
}
