/// A client's connection on a loop, against a server that the test holds in its hands; with a whole server it is played
/// in tests/e2e by isostep-minimal-client.
#include <arpa/inet.h>
#include <fcntl.h>
#include <netdb.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>
#include <uv.h>

#include <cmocka.h>

#include "isostep/client_uv.h"
#include "isostep/heap.h"
#include "isostep/proto/codec.h"
#include "state.h"

#define S_NS UINT64_C(1000000000)

typedef enum reaction { NOTHING, LEAVES, DESTROYS } reaction;

typedef struct rig {
    uv_loop_t loop;
    iso_client *client;
    iso_client_uv *link;
    int server;
    char port[16];
    uint32_t told[32]; // actions by kind
    iso_status end;
    int error; // libuv's, with the last action
    reaction on_reconnect, on_ended;
} rig;

// ---- addresses ------------------------------------------------------------------------------------

int __real_uv_getaddrinfo(uv_loop_t *loop, uv_getaddrinfo_t *request, uv_getaddrinfo_cb done, const char *host,
                          const char *service, const struct addrinfo *hints);
int __wrap_uv_getaddrinfo(uv_loop_t *loop, uv_getaddrinfo_t *request, uv_getaddrinfo_cb done, const char *host,
                          const char *service, const struct addrinfo *hints);

static uv_getaddrinfo_cb listed_done;
static uint16_t silent_port; // of the first address of the host "listed", and of all of IPv6 of the host "mixed"
static char mixed_service[16];

static void on_listed(uv_getaddrinfo_t *request, int status, struct addrinfo *addresses) {
    assert_true(status == 0 && addresses->ai_next != NULL);
    ((struct sockaddr_in *)(void *)addresses->ai_addr)->sin_port = htons(silent_port);
    listed_done(request, status, addresses);
}

/// All of IPv6 first, as a system with both families may answer.
static void on_mixed(uv_getaddrinfo_t *request, int status, struct addrinfo *addresses) {
    struct addrinfo *last = addresses, *more;
    assert_int_equal(status, 0);
    assert_int_equal(getaddrinfo("127.0.0.1", mixed_service, NULL, &more), 0);
    for (struct addrinfo *at = addresses; at != NULL; at = at->ai_next) {
        assert_int_equal(at->ai_family, AF_INET6);
        ((struct sockaddr_in6 *)(void *)at->ai_addr)->sin6_port = htons(silent_port);
        last = at;
    }
    last->ai_next = more;
    listed_done(request, status, addresses);
}

int __wrap_uv_getaddrinfo(uv_loop_t *loop, uv_getaddrinfo_t *request, uv_getaddrinfo_cb done, const char *host,
                          const char *service, const struct addrinfo *hints) {
    if (strcmp(host, "mixed") == 0) {
        listed_done = done;
        snprintf(mixed_service, sizeof(mixed_service), "%s", service);
        return __real_uv_getaddrinfo(loop, request, on_mixed, "::1", service, NULL);
    }
    if (strcmp(host, "listed") != 0) {
        return __real_uv_getaddrinfo(loop, request, done, host, service, hints);
    }
    listed_done = done;
    return __real_uv_getaddrinfo(loop, request, on_listed, "127.0.0.1", service, NULL); // once per type of socket
}

/// Fills the queue of a listening socket: the system drops what else comes, and a connection is neither made nor
/// refused.
static void silence(uint16_t port, int others[8]) {
    const struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK), .sin_port = htons(port)};
    for (int i = 0; i < 8; ++i) {
        others[i] = socket(AF_INET, SOCK_STREAM, 0);
        fcntl(others[i], F_SETFL, O_NONBLOCK);
        (void)!connect(others[i], (const struct sockaddr *)&address, sizeof(address));
    }
}

// ---- the client -----------------------------------------------------------------------------------

static void on_action(void *user, const iso_client_action *action) {
    rig *r = user;
    assert_int_equal(r->told[ISO_CLIENT_ACTION_ENDED], 0); // it is the last one
    r->told[action->kind] += 1;
    r->error = iso_client_uv_error(r->link);
    reaction does = NOTHING;
    if (action->kind == ISO_CLIENT_ACTION_RECONNECT) {
        does = r->on_reconnect;
    } else if (action->kind == ISO_CLIENT_ACTION_ENDED) {
        r->end = action->status;
        does = r->on_ended;
    }
    if (does == LEAVES) {
        iso_client_uv_leave(r->link);
        iso_client_uv_leave(r->link);
    } else if (does == DESTROYS) {
        iso_client_uv_destroy(r->link);
        r->link = NULL;
    }
}

static void rig_listen(rig *r, int backlog) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof(address);
    r->server = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(bind(r->server, (struct sockaddr *)&address, size), 0);
    assert_int_equal(backlog < 0 ? 0 : listen(r->server, backlog), 0);
    assert_int_equal(getsockname(r->server, (struct sockaddr *)&address, &size), 0);
    snprintf(r->port, sizeof(r->port), "%u", ntohs(address.sin_port));
}

static iso_client_uv_config rig_config(rig *r) {
    iso_client_uv_config config = iso_client_uv_config_default();
    config.loop = &r->loop;
    config.client = r->client;
    config.port = r->port;
    config.action = on_action;
    config.user = r;
    return config;
}

/// @param backlog  of the server's socket; below 0: it does not listen
static void rig_init(rig *r, int backlog, uint32_t reconnect_ms) {
    memset(r, 0, sizeof(*r));
    signal(SIGPIPE, SIG_IGN);
    r->end = ISO_ERR_STATE; // not told yet
    assert_int_equal(uv_loop_init(&r->loop), 0);
    iso_client_config config = iso_client_config_default();
    config.allocator = iso_heap_allocator();
    config.reconnect_ms = reconnect_ms;
    assert_int_equal(iso_client_create(&config, &r->client), ISO_OK);
    rig_listen(r, backlog);
}

static void rig_start(rig *r) {
    const iso_client_uv_config config = rig_config(r);
    assert_int_equal(iso_client_uv_start(&config, &r->link), ISO_OK);
}

static void rig_term(rig *r) {
    iso_client_uv_destroy(r->link);
    uv_run(&r->loop, UV_RUN_DEFAULT);
    assert_int_equal(uv_loop_close(&r->loop), 0); // nothing is left in it
    iso_client_destroy(r->client);
    close(r->server);
}

static void nap(void) {
    nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
}

/// Takes the next connection. @return its socket
static int rig_accept(rig *r) {
    int peer = -1;
    fcntl(r->server, F_SETFL, O_NONBLOCK);
    for (int i = 0; i < 5000 && peer < 0; ++i) {
        uv_run(&r->loop, UV_RUN_NOWAIT);
        peer = accept(r->server, NULL, NULL);
        nap();
    }
    assert_true(peer >= 0);
    return peer;
}

/// Waits for a message that the client sends first: its HELLO.
static void expect_hello(rig *r, int peer) {
    static uint8_t memory[ISO_DECODE_MEMORY_FROM_CLIENT] __attribute__((aligned(16)));
    static uint8_t held[ISO_FRAME_MAX_CLIENT];
    uint8_t bytes[512];
    iso_framer framer;
    iso_framer_init(&framer, held, sizeof(held));
    for (int i = 0; i < 5000; ++i) {
        uv_run(&r->loop, UV_RUN_NOWAIT);
        const ssize_t count = recv(peer, bytes, sizeof(bytes), MSG_DONTWAIT);
        const uint8_t *frame = NULL;
        size_t consumed, size;
        if (count > 0) {
            assert_int_equal(iso_framer_feed(&framer, bytes, (size_t)count, &consumed, &frame, &size), ISO_OK);
        }
        if (frame != NULL) {
            const iso_decode_limits limits = iso_decode_limits_from_client();
            iso_message message;
            assert_int_equal(iso_message_decode(frame, size, &limits, memory, sizeof(memory), &message), ISO_OK);
            assert_int_equal(message.kind, ISO_MESSAGE_HELLO);
            return;
        }
        nap();
    }
    fail_msg("there was no HELLO");
}

static void test_server_that_is_not_there_ends_the_client(void **state) {
    (void)state;
    rig r;
    rig_init(&r, -1, 0);
    rig_start(&r);
    assert_int_equal(r.told[ISO_CLIENT_ACTION_ENDED], 0); // nothing is told within the call
    assert_int_equal(uv_run(&r.loop, UV_RUN_DEFAULT), 0); // and the loop is left without being asked to
    assert_int_equal(r.told[ISO_CLIENT_ACTION_ENDED], 1);
    assert_int_equal(r.end, ISO_ERR_CONNECTION);
    assert_int_equal(r.error, UV_ECONNREFUSED);
    rig_term(&r);
}

static void test_unknown_host_ends_the_client(void **state) {
    (void)state;
    rig r;
    rig_init(&r, 8, 0);
    snprintf(r.port, sizeof(r.port), "no-such-port");
    rig_start(&r);
    uv_run(&r.loop, UV_RUN_DEFAULT);
    assert_int_equal(r.end, ISO_ERR_CONNECTION);
    assert_true(r.error == UV_EAI_SERVICE || r.error == UV_EAI_NONAME);
    rig_term(&r);
}

static void test_connecting_takes_no_longer_than_it_may(void **state) {
    (void)state;
    rig r;
    rig_init(&r, 0, 0);
    int others[8];
    silence((uint16_t)atoi(r.port), others);
    iso_client_uv_config config = rig_config(&r);
    config.connect_timeout_ms = 100;
    const uint64_t begin_ns = iso_client_uv_now();
    assert_int_equal(iso_client_uv_start(&config, &r.link), ISO_OK);
    uv_run(&r.loop, UV_RUN_DEFAULT);
    const uint64_t took_ns = iso_client_uv_now() - begin_ns;
    assert_int_equal(r.end, ISO_ERR_CONNECTION);
    assert_int_equal(r.error, UV_ETIMEDOUT);
    assert_true(took_ns >= S_NS / 10 && took_ns < 5 * S_NS);
    for (int i = 0; i < 8; ++i) {
        close(others[i]);
    }
    rig_term(&r);
}

static void test_address_that_does_not_answer_is_followed_by_the_next_one(void **state) {
    (void)state;
    rig silent, r;
    int others[8];
    rig_init(&silent, 0, 0);
    silent_port = (uint16_t)atoi(silent.port);
    silence(silent_port, others);
    rig_init(&r, 8, 0);
    iso_client_uv_config config = rig_config(&r);
    config.host = "listed";
    config.connect_timeout_ms = 100;
    assert_int_equal(iso_client_uv_start(&config, &r.link), ISO_OK);
    const int peer = rig_accept(&r);
    expect_hello(&r, peer);
    close(peer);
    for (int i = 0; i < 8; ++i) {
        close(others[i]);
    }
    rig_term(&r);
    rig_term(&silent);
}

/// Nobody waits for an address that does not answer until it is given up: the next one is tried beside it.
static void test_addresses_race(void **state) {
    (void)state;
    rig silent, r;
    int others[8];
    rig_init(&silent, 0, 0);
    silent_port = (uint16_t)atoi(silent.port);
    silence(silent_port, others);
    rig_init(&r, 8, 0);
    iso_client_uv_config config = rig_config(&r);
    config.host = "listed";
    config.connect_timeout_ms = 60000;
    assert_int_equal(iso_client_uv_start(&config, &r.link), ISO_OK);
    const int peer = rig_accept(&r);
    expect_hello(&r, peer);
    close(peer);
    for (int i = 0; i < 8; ++i) {
        close(others[i]);
    }
    rig_term(&r);
    rig_term(&silent);
}

/// A broken IPv6 is the most common address that does not answer; its addresses come first, and there are several.
static void test_families_take_turns(void **state) {
    (void)state;
    struct sockaddr_in6 address = {.sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT};
    socklen_t size = sizeof(address);
    const int listener = socket(AF_INET6, SOCK_STREAM, 0);
    if (listener < 0 || bind(listener, (struct sockaddr *)&address, size) != 0) {
        if (listener >= 0) {
            close(listener);
        }
        skip(); // this machine has no IPv6
    }
    assert_int_equal(listen(listener, 0), 0);
    assert_int_equal(getsockname(listener, (struct sockaddr *)&address, &size), 0);
    silent_port = ntohs(address.sin6_port);
    int others[8];
    for (int i = 0; i < 8; ++i) {
        others[i] = socket(AF_INET6, SOCK_STREAM, 0);
        fcntl(others[i], F_SETFL, O_NONBLOCK);
        (void)!connect(others[i], (const struct sockaddr *)&address, size);
    }
    rig r;
    rig_init(&r, 8, 0);
    iso_client_uv_config config = rig_config(&r);
    config.host = "mixed";
    const uint64_t begin_ns = iso_client_uv_now();
    assert_int_equal(iso_client_uv_start(&config, &r.link), ISO_OK);
    const int peer = rig_accept(&r);
    expect_hello(&r, peer);
    assert_true(iso_client_uv_now() - begin_ns < 5 * S_NS); // not after the time of any of IPv6
    close(peer);
    for (int i = 0; i < 8; ++i) {
        close(others[i]);
    }
    close(listener);
    rig_term(&r);
}

static void test_connection_is_made_again_when_it_breaks(void **state) {
    (void)state;
    rig r;
    rig_init(&r, 8, 60000);
    rig_start(&r);
    for (uint32_t round = 0; round < 2; ++round) {
        const int peer = rig_accept(&r);
        expect_hello(&r, peer);
        assert_int_equal(iso_client_uv_error(r.link), 0);
        close(peer);
        for (int i = 0; i < 5000 && r.told[ISO_CLIENT_ACTION_RECONNECT] == round; ++i) {
            uv_run(&r.loop, UV_RUN_NOWAIT);
            nap();
        }
        assert_int_equal(r.told[ISO_CLIENT_ACTION_RECONNECT], round + 1);
    }
    assert_int_equal(r.told[ISO_CLIENT_ACTION_ENDED], 0);
    iso_client_uv_leave(r.link);
    assert_int_equal(r.end, ISO_OK);
    iso_client_uv_leave(r.link); // has ended
    uv_run(&r.loop, UV_RUN_DEFAULT);
    rig_term(&r);
}

static void test_frame_that_is_none_ends_the_client(void **state) {
    (void)state;
    rig r;
    rig_init(&r, 8, 60000);
    rig_start(&r);
    const int peer = rig_accept(&r);
    expect_hello(&r, peer);
    assert_int_equal(send(peer, "\x03\xff\xff\xff", 4, MSG_NOSIGNAL), 4);
    uv_run(&r.loop, UV_RUN_DEFAULT);
    assert_int_equal(r.end, ISO_ERR_MALFORMED);
    close(peer);
    rig_term(&r);
}

/// It would not be better on another connection, and the connection is not to blame.
static void test_message_that_cannot_be_encoded_ends_the_client(void **state) {
    (void)state;
    rig r;
    rig_init(&r, 8, 60000);
    r.on_reconnect = LEAVES;
    r.client->name[0] = '\n'; // iso_client_create would have refused it
    rig_start(&r);
    uv_run(&r.loop, UV_RUN_DEFAULT);
    assert_int_equal(r.told[ISO_CLIENT_ACTION_RECONNECT], 0);
    assert_int_equal(r.told[ISO_CLIENT_ACTION_ENDED], 1);
    assert_int_equal(r.end, ISO_ERR_MALFORMED);
    rig_term(&r);
}

static void test_member_leaves_in_every_state(void **state) {
    (void)state;
    for (int when = 0; when < 3; ++when) {
        rig r;
        int peer = -1;
        rig_init(&r, 8, when == 2 ? 60000 : 0);
        r.on_reconnect = LEAVES;
        rig_start(&r);
        if (when > 0) {
            peer = rig_accept(&r);
            expect_hello(&r, peer);
        }
        if (when == 2) {
            close(peer); // within the callback of RECONNECT
        } else {
            iso_client_uv_leave(r.link);
        }
        assert_int_equal(uv_run(&r.loop, UV_RUN_DEFAULT), 0);
        assert_int_equal(r.told[ISO_CLIENT_ACTION_ENDED], 1);
        assert_int_equal(r.end, ISO_OK);
        if (when == 1) {
            close(peer);
        }
        rig_term(&r);
    }
}

static void test_connection_is_destroyed_in_every_state(void **state) {
    (void)state;
    for (int when = 0; when < 5; ++when) {
        rig r;
        int peer = -1;
        rig_init(&r, when == 3 ? -1 : 8, when == 4 ? 60000 : 0);
        r.on_ended = DESTROYS;
        r.on_reconnect = DESTROYS;
        rig_start(&r);
        if (when == 1) {
            uv_run(&r.loop, UV_RUN_NOWAIT); // looking the host up, or connecting
        } else if (when == 2 || when == 4) {
            peer = rig_accept(&r);
            expect_hello(&r, peer);
            close(peer);
        }
        if (when >= 3) {
            assert_int_equal(uv_run(&r.loop, UV_RUN_DEFAULT), 0); // within the callback
            assert_null(r.link);
        }
        rig_term(&r); // destroys what is left
    }
}

static void test_configuration_out_of_range_is_refused(void **state) {
    (void)state;
    rig r;
    char long_name[300];
    memset(long_name, 'a', sizeof(long_name) - 1);
    long_name[sizeof(long_name) - 1] = 0;
    rig_init(&r, 8, 0);
    const iso_client_uv_config right = rig_config(&r);
    for (int i = 0; i < 6; ++i) {
        iso_client_uv_config config = right;
        config.loop = i == 0 ? NULL : config.loop;
        config.client = i == 1 ? NULL : config.client;
        config.action = i == 2 ? NULL : config.action;
        config.host = i == 3 ? long_name : config.host;
        config.port = i == 4 ? long_name : config.port;
        config.connect_timeout_ms = i == 5 ? 0 : config.connect_timeout_ms;
        assert_int_equal(iso_client_uv_start(&config, &r.link), ISO_ERR_RANGE);
    }
    rig_term(&r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_server_that_is_not_there_ends_the_client),
        cmocka_unit_test(test_unknown_host_ends_the_client),
        cmocka_unit_test(test_connecting_takes_no_longer_than_it_may),
        cmocka_unit_test(test_address_that_does_not_answer_is_followed_by_the_next_one),
        cmocka_unit_test(test_addresses_race),
        cmocka_unit_test(test_families_take_turns),
        cmocka_unit_test(test_connection_is_made_again_when_it_breaks),
        cmocka_unit_test(test_frame_that_is_none_ends_the_client),
        cmocka_unit_test(test_message_that_cannot_be_encoded_ends_the_client),
        cmocka_unit_test(test_member_leaves_in_every_state),
        cmocka_unit_test(test_connection_is_destroyed_in_every_state),
        cmocka_unit_test(test_configuration_out_of_range_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
