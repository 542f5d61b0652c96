#include "host_rig.h"

#include "isostep/games.h"

#include "host/sessions/worker_inbox.h"
#include "host/start/exit.h"
#include "host/watch/log.h"

#include <dirent.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#include <cmocka.h>

#include "isostep/proto/codec.h"
#include "isostep/proto/compression.h"
#include "isostep/proto/framing.h"

#define SYNC_NS (5u * HOST_RIG_MS)

uint64_t host_rig_now_ns;
uint32_t host_rig_random;
char host_rig_log[HOST_RIG_LOG_SIZE];
static size_t log_used;
static pthread_mutex_t log_mutex = PTHREAD_MUTEX_INITIALIZER; // workers and writer write when a whole server runs
static bool verbose;

uint64_t __real_iso__clock_now(void);
uint64_t __wrap_iso__clock_now(void);
ssize_t __wrap_getrandom(void *bytes, size_t size, unsigned flags);
void __wrap_iso__log(const iso__log_about *about, const char *format, ...) __attribute__((format(printf, 2, 3)));

uint64_t __wrap_iso__clock_now(void) {
    return host_rig_now_ns != 0 ? host_rig_now_ns : __real_iso__clock_now();
}

/// Another uid for each session, but one whose keyframes are due at the same ticks.
ssize_t __wrap_getrandom(void *bytes, size_t size, unsigned flags) {
    static uint16_t number;
    (void)flags;
    memset(bytes, 0x11, size);
    number += 1;
    ((uint8_t *)bytes)[2] = (uint8_t)(0x11 + (number >> 8));
    ((uint8_t *)bytes)[size - 1] = ((uint8_t *)bytes)[3] = (uint8_t)number;
    if (size == sizeof host_rig_random && host_rig_random != 0) {
        memcpy(bytes, &host_rig_random, size);
    }
    return (ssize_t)size;
}

int __real_pthread_mutex_lock(pthread_mutex_t *mutex);
int __real_pthread_mutex_unlock(pthread_mutex_t *mutex);
int __real_pthread_mutex_init(pthread_mutex_t *mutex, const pthread_mutexattr_t *attributes);
int __wrap_pthread_mutex_lock(pthread_mutex_t *mutex);
int __wrap_pthread_mutex_unlock(pthread_mutex_t *mutex);
int __wrap_pthread_mutex_init(pthread_mutex_t *mutex, const pthread_mutexattr_t *attributes);

/// Mutexes know their owner, so that a lock that is missing is seen without a second thread.
int __wrap_pthread_mutex_init(pthread_mutex_t *mutex, const pthread_mutexattr_t *attributes) {
    pthread_mutexattr_t own;
    (void)attributes;
    pthread_mutexattr_init(&own);
    pthread_mutexattr_settype(&own, PTHREAD_MUTEX_ERRORCHECK);
    const int error = __real_pthread_mutex_init(mutex, &own);
    pthread_mutexattr_destroy(&own);
    return error;
}

int __wrap_pthread_mutex_lock(pthread_mutex_t *mutex) {
    if (__real_pthread_mutex_lock(mutex) != 0) {
        abort();
    }
    return 0;
}

int __wrap_pthread_mutex_unlock(pthread_mutex_t *mutex) {
    if (__real_pthread_mutex_unlock(mutex) != 0) {
        abort();
    }
    return 0;
}

void __wrap_iso__log(const iso__log_about *about, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    pthread_mutex_lock(&log_mutex);
    if (log_used > sizeof host_rig_log / 2) {
        log_used = 0;
    }
    if (about->session != NULL) {
        log_used += (size_t)snprintf(host_rig_log + log_used, 128, "session %.64s: ", about->session);
    }
    const int size = vsnprintf(host_rig_log + log_used, sizeof host_rig_log - log_used - 2, format, arguments);
    va_end(arguments);
    log_used += size > 0 ? (size_t)size : 0;
    strcpy(host_rig_log + log_used++, "\n");
    if (verbose) {
        fprintf(stderr, "%8.3f %s", (double)host_rig_now_ns / 1e9, strrchr(host_rig_log, 0) - size - 1);
    }
    pthread_mutex_unlock(&log_mutex);
}

void host_rig_clear_log(void) {
    log_used = 0;
    host_rig_log[0] = '\0';
}

bool host_rig_has_logged(const char *text) {
    return strstr(host_rig_log, text) != NULL;
}

uint32_t host_rig_count_files(const char *end) {
    uint32_t count = 0;
    DIR *dir = opendir(the_disk.folder);
    for (struct dirent *entry = readdir(dir); entry != NULL; entry = readdir(dir)) {
        const size_t size = strlen(entry->d_name), end_size = strlen(end);
        count += size >= end_size && strcmp(entry->d_name + size - end_size, end) == 0;
    }
    closedir(dir);
    return count;
}

const char *host_rig_path_of(const char *end) {
    static char path[400];
    DIR *dir = opendir(the_disk.folder);
    path[0] = '\0';
    for (struct dirent *entry = readdir(dir); entry != NULL; entry = readdir(dir)) {
        const size_t size = strlen(entry->d_name), end_size = strlen(end);
        if (size < end_size || strcmp(entry->d_name + size - end_size, end) != 0) {
            continue;
        }
        assert_int_equal(path[0], 0);
        snprintf(path, sizeof path, "%s/%s", the_disk.folder, entry->d_name);
    }
    closedir(dir);
    if (path[0] == '\0') {
        fail_msg("there is no file that ends in %s: %s", end, host_rig_log);
    }
    return path;
}

// ---- The member -----------------------------------------------------------------------------------------

void host_rig_post(host_rig *rig, iso_session_event event) {
    iso_message *copy = NULL;
    if (event.message != NULL) {
        copy = malloc(sizeof *copy);
        *copy = *event.message;
        event.message = copy;
        event.size = 40;
    }
    iso__worker_post(&rig->worker, &(iso__inbound){.hosted = &rig->hosted, .event = event, .block = copy});
}

static void say(host_rig *rig, uint32_t peer, const iso_message *message) {
    host_rig_post(rig,
                  (iso_session_event){.kind = ISO_SESSION_EVENT_MESSAGE, .connection = peer + 1, .message = message});
}

static iso_message make_hello(const host_rig *rig) {
    iso_message message = {.kind = ISO_MESSAGE_HELLO};
    iso_message_hello *hello = &message.as.hello;
    const iso_world *world = iso_session_get_world(rig->hosted.session);
    hello->protocol_min = hello->protocol_max = ISO_PROTOCOL_VERSION;
    hello->role = ISO_ROLE_PLAYER;
    hello->compressions = ISO_COMPRESSION_NONE | ISO_COMPRESSION_ZSTD;
    iso_fingerprint_make(iso_world_get_def(world), iso_world_get_game(world), &hello->fingerprint);
    strcpy(hello->session, rig->hosted.name);
    strcpy(hello->member, "ada");
    return message;
}

void host_rig_join(host_rig *rig, uint32_t peer) {
    rig->peers[peer] = (host_rig_peer){.is_here = true};
    host_rig_post(rig, (iso_session_event){.kind = ISO_SESSION_EVENT_OPENED, .connection = peer + 1, .origin = 77});
    const iso_message hello = make_hello(rig);
    say(rig, peer, &hello);
}

void host_rig_resume(host_rig *rig, uint32_t peer, const iso_message_welcome *welcome, uint64_t tick, uint64_t root) {
    rig->peers[peer] = (host_rig_peer){.is_here = true};
    host_rig_post(rig, (iso_session_event){.kind = ISO_SESSION_EVENT_OPENED, .connection = peer + 1, .origin = 77});
    iso_message message = make_hello(rig);
    iso_message_hello *hello = &message.as.hello;
    hello->has_resume = true;
    memcpy(hello->resume.uid, welcome->uid, sizeof welcome->uid);
    memcpy(hello->resume.secret, welcome->secret, sizeof welcome->secret);
    hello->resume.slot = welcome->slot;
    hello->resume.slot_generation = welcome->slot_generation;
    hello->resume.epoch = welcome->epoch;
    hello->resume.tick = tick;
    hello->resume.root = root;
    say(rig, peer, &message);
}

void host_rig_cut(host_rig *rig, uint32_t peer) {
    rig->peers[peer].is_here = false;
    host_rig_post(rig, (iso_session_event){.kind = ISO_SESSION_EVENT_DISCONNECTED, .connection = peer + 1});
}

static void say_caught_up(host_rig *rig, uint32_t peer) {
    host_rig_peer *p = &rig->peers[peer];
    if (p->has_caught_up || p->chunks_acked < p->chunks || p->tick + 2 < rig->shown_tick) {
        return;
    }
    p->has_caught_up = true;
    iso_message message = {.kind = ISO_MESSAGE_CAUGHT_UP};
    message.as.caught_up.tick = rig->peers[peer].tick;
    message.as.caught_up.root = rig->peers[peer].root;
    say(rig, peer, &message);
}

static void hear_tick(host_rig *rig, uint32_t peer, const iso_message_tick *tick) {
    host_rig_peer *p = &rig->peers[peer];
    assert_true(tick->tick < HOST_RIG_TICKS_MAX && tick->hashed_tick == tick->tick);
    assert_true(p->tick == 0 || tick->tick == p->tick + 1);
    assert_true(!rig->is_known[tick->tick] || rig->roots[tick->tick] == tick->root);
    rig->is_known[tick->tick] = true;
    rig->roots[tick->tick] = tick->root;
    p->tick = tick->tick;
    p->root = tick->root;
    if (tick->tick > rig->shown_tick) {
        rig->shown_tick = tick->tick;
    }
    if (p->is_active && tick->tick % 30 == 0) {
        iso_message ack = {.kind = ISO_MESSAGE_INPUT};
        ack.as.input.ack_tick = tick->tick;
        ack.as.input.target_tick = tick->tick + 4;
        say(rig, peer, &ack);
    }
}

static void hear(host_rig *rig, uint32_t peer, const iso_message *message) {
    host_rig_peer *p = &rig->peers[peer];
    switch (message->kind) {
    case ISO_MESSAGE_WELCOME:
        p->is_welcomed = true;
        p->welcome = message->as.welcome;
        if (message->as.welcome.resumed == ISO_RESUMED_TICKS) {
            p->chunks = 0;
        }
        break;
    case ISO_MESSAGE_REWIND:
        p->is_rewind = true;
        p->rewind_tick = message->as.rewind.tick;
        p->tick = message->as.rewind.tick;
        p->root = message->as.rewind.root;
        say(rig, peer, &(iso_message){.kind = ISO_MESSAGE_REWIND_ANSWER, .as.rewind_answer.is_restored = true});
        break;
    case ISO_MESSAGE_SNAPSHOT_BEGIN:
        p->chunks = message->as.snapshot_begin.chunk_count;
        p->tick = message->as.snapshot_begin.tick;
        p->root = message->as.snapshot_begin.root;
        break;
    case ISO_MESSAGE_SNAPSHOT_CHUNK: {
        iso_message ack = {.kind = ISO_MESSAGE_SNAPSHOT_ACK};
        ack.as.snapshot_ack.index = message->as.snapshot_chunk.index;
        say(rig, peer, &ack);
        ++p->chunks_acked;
        say_caught_up(rig, peer);
        break;
    }
    case ISO_MESSAGE_TICK:
        hear_tick(rig, peer, &message->as.tick);
        say_caught_up(rig, peer);
        break;
    case ISO_MESSAGE_ACTIVATE:
        p->is_active = true;
        p->join_tick = message->as.activate.join_tick;
        break;
    case ISO_MESSAGE_STATUS:
        p->status = message->as.status;
        ++p->status_count;
        if (p->status.durable_tick > rig->durable_tick) {
            rig->durable_tick = p->status.durable_tick;
        }
        break;
    case ISO_MESSAGE_BYE:
        p->ended = message->as.bye.code;
        break;
    case ISO_MESSAGE_REFUSAL:
        p->ended = message->as.refusal.code;
        break;
    default:
        break;
    }
}

// ---- What the other threads do ----------------------------------------------------------------------------

static void deliver(host_rig *rig, const iso__outbound *item) {
    static uint8_t memory[1 << 20];
    const iso_decode_limits limits = iso_decode_limits_from_server();
    iso_message message;
    uint32_t body_size;
    size_t header_size = 0;
    // The size stands in front, in groups of seven bits.
    for (body_size = 0; item->buffer->bytes[header_size] >= 0x80; ++header_size) {
        ;
    }
    ++header_size;
    body_size = (uint32_t)(item->buffer->size - header_size);
    assert_int_equal(
        iso_message_decode(item->buffer->bytes + header_size, body_size, &limits, memory, sizeof memory, &message),
        ISO_OK);
    for (uint32_t i = 0; i < item->connection_count; ++i) {
        const uint64_t connection = item->connection_count > 1 ? item->connections[i] : item->connection;
        if (rig->peers[connection - 1].is_here) {
            hear(rig, (uint32_t)connection - 1, &message);
        }
    }
}

static void compress(host_rig *rig, const iso__outbound *item) {
    const size_t capacity = iso_compress_bound(item->byte_count);
    uint8_t *bytes = malloc(capacity);
    const size_t size = rig->compression_fails ? 0 : iso_compress(item->bytes, item->byte_count, bytes, capacity);
    assert_null(rig->compressed.block);
    rig->compressed_ns = host_rig_now_ns + rig->compression_takes_ns;
    rig->compressed = (iso__inbound){
        .hosted = &rig->hosted,
        .event = {.kind = ISO_SESSION_EVENT_SNAPSHOT_ENCODED,
                  .tick = item->tick,
                  .bytes = size > 0 ? bytes : NULL,
                  .byte_count = size},
        .block = bytes,
    };
}

static void turn_compression(host_rig *rig) {
    if (rig->compressed.block == NULL || rig->compressed_ns > host_rig_now_ns) {
        return;
    }
    iso__worker_post(&rig->worker, &rig->compressed);
    rig->compressed.block = NULL;
}

static void take_outbound(host_rig *rig) {
    iso__outbound item;
    while (iso__queue_pop(&rig->worker.outbound, &item)) {
        if (rig->streams != NULL && iso__peers_deliver(rig->streams, &item)) {
            continue;
        }
        if (item.kind == ISO__OUTBOUND_SEND) {
            deliver(rig, &item);
        } else if (item.kind == ISO__OUTBOUND_COMPRESS) {
            compress(rig, &item);
        } else if (item.kind == ISO__OUTBOUND_HOLD) {
            rig->holds += item.is_held ? 1 : -1;
        } else if (item.kind == ISO__OUTBOUND_CLOSE) {
            rig->peers[item.connection - 1].is_here = false;
        }
        iso__buffer_release(item.buffer);
        free(item.connections);
    }
}

static void see_truth(host_rig *rig) {
    iso_world *world = rig->hosted.setup.world;
    const uint64_t tick = iso_world_get_tick(world);
    assert_true(tick < HOST_RIG_TICKS_MAX);
    assert_true(!rig->is_known[tick] || rig->roots[tick] == iso_world_root(world));
    rig->is_known[tick] = true;
    rig->roots[tick] = iso_world_root(world);
    // What was or may be said to clients.
    const iso_session_stats stats = host_rig_stats(rig);
    rig->shown_tick = stats.written_tick > rig->shown_tick ? stats.written_tick : rig->shown_tick;
    rig->durable_tick = stats.durable_tick > rig->durable_tick ? stats.durable_tick : rig->durable_tick;
    rig->is_degraded = stats.degraded != 0;
    rig->was_degraded = rig->was_degraded || rig->is_degraded;
}

static void turn_worker(host_rig *rig) {
    if (rig->worker.open_count == 0) {
        return;
    }
    turn_compression(rig);
    iso__worker_turn(&rig->worker, false);
    iso__worker_turn(&rig->worker, false); // flushes what the first one has left
    see_truth(rig);
    take_outbound(rig);
    turn_compression(rig);
}

static uint64_t next_compressed(const host_rig *rig) {
    return rig->compressed.block != NULL && rig->worker.open_count > 0 ? rig->compressed_ns : UINT64_MAX;
}

static bool is_busy(host_rig *rig) {
    const uint64_t now = host_rig_now_ns;
    const bool is_open = rig->worker.open_count > 0;
    return next_compressed(rig) <= now || (is_open && (rig->worker.inbound.count > 0 || rig->worker.out_count > 0)) ||
           iso__worker_next_deadline(&rig->worker) <= now || rig->writer.queue.count > 0 || rig->writer.dirty != NULL ||
           iso__writer_next_deadline(&rig->writer) <= now || rig->sync_due_ns <= now;
}

static void turn_sync(host_rig *rig) {
    if (rig->sync_due_ns == UINT64_MAX && rig->writer.syncs.count > 0) {
        rig->sync_due_ns = host_rig_now_ns + SYNC_NS;
    }
    if (rig->sync_due_ns <= host_rig_now_ns) {
        rig->sync_due_ns = UINT64_MAX;
        iso__writer_sync(&rig->writer, false);
    }
}

static uint64_t earlier(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

/// Does what can be done at this moment.
static void settle(host_rig *rig) {
    turn_sync(rig);
    for (unsigned i = 0; is_busy(rig) && !the_disk.is_dead; ++i) {
        if (i == 1000) {
            fail_msg("at %llu ns: the host does not come to rest", (unsigned long long)host_rig_now_ns);
        }
        turn_worker(rig);
        iso__writer_turn(&rig->writer, false);
        turn_sync(rig);
    }
}

static uint64_t next_moment(const host_rig *rig) {
    const uint64_t others = earlier(rig->sync_due_ns, next_compressed(rig));
    return earlier(earlier(iso__worker_next_deadline(&rig->worker), iso__writer_next_deadline(&rig->writer)), others);
}

void host_rig_run(host_rig *rig, uint64_t ns) {
    const uint64_t end = host_rig_now_ns + ns;
    for (settle(rig); !the_disk.is_dead && next_moment(rig) <= end; settle(rig)) {
        host_rig_now_ns = next_moment(rig) > host_rig_now_ns ? next_moment(rig) : host_rig_now_ns;
    }
    host_rig_now_ns = end > host_rig_now_ns ? end : host_rig_now_ns;
}

/// The disk does not answer for a while; the session goes on.
static void hang(void *user, uint64_t ns) {
    host_rig *rig = user;
    const uint64_t end = host_rig_now_ns + ns;
    while (host_rig_now_ns < end) {
        turn_worker(rig);
        const uint64_t next = earlier(iso__worker_next_deadline(&rig->worker), end);
        host_rig_now_ns = next > host_rig_now_ns ? next : host_rig_now_ns;
    }
}

// ---- Its life -------------------------------------------------------------------------------------------

bool host_rig_start(host_rig *rig) {
    char *argv[] = {"isostep-server", "--scene", HOST_RIG_SCENE, "--record", the_disk.folder,
                    "--keyframes",    "30",      "--empty",      "run",      NULL};
    char message[200];
    host_rig_clear_log();
    verbose = getenv("HOST_RIG_VERBOSE") != NULL;
    if (rig->config.options == NULL) {
        assert_true(iso__options_parse(&rig->options, 9, argv, message, sizeof message));
        rig->config.options = &rig->options;
        rig->config.roll_size = UINT64_C(1) << 40;
    }
    the_disk.hang = hang;
    the_disk.user = rig;
    assert_int_equal(iso__disk_open(&rig->disk, the_disk.folder), 0);
    if (rig->config.games == NULL) {
        rig->config.games = iso_games;
        rig->config.game_count = ISO_GAME_COUNT;
    }
    rig->config.writer = &rig->writer;
    rig->config.disk = &rig->disk;
    rig->key.bytes[0] = 1; // zeros are no key
    rig->config.key = &rig->key;
    rig->config.now = host_rig_now_ns;
    rig->has_begun = rig->has_writer = rig->has_worker = false;
    rig->sync_due_ns = UINT64_MAX;
    uv_loop_init(&rig->loop);
    uv_async_init(&rig->loop, &rig->async, NULL);
    rig->has_worker = iso__worker_init(&rig->worker, 1, &rig->async, &rig->counters);
    rig->has_writer = iso__writer_init(&rig->writer, rig->disk.folder, 1);
    assert_true(rig->has_worker && rig->has_writer);
    iso__worker_add(&rig->worker, &rig->hosted);
    if (rig->fails_after != NULL) {
        *rig->fails_after = rig->allocations;
    }
    const int code = iso__hosted_init(&rig->hosted, &rig->options.sessions[0], &rig->config);
    if (rig->fails_after != NULL) {
        *rig->fails_after = UINT32_MAX;
    }
    if (code != ISO__EXIT_DONE) {
        return false;
    }
    iso__hosted_commit(&rig->hosted, &rig->disk);
    iso__hosted_start(&rig->hosted, host_rig_now_ns);
    rig->has_begun = true;
    see_truth(rig);
    iso__worker_begin(&rig->worker);
    iso__writer_begin(&rig->writer);
    return true;
}

void host_rig_shut_down(host_rig *rig) {
    rig->is_ending = !the_disk.is_dead;
    host_rig_post(rig, (iso_session_event){.kind = ISO_SESSION_EVENT_SHUTDOWN});
    for (unsigned i = 0; i < 1000 && rig->worker.open_count > 0 && !the_disk.is_dead; ++i) {
        host_rig_run(rig, 10 * HOST_RIG_MS);
    }
}

void host_rig_end(host_rig *rig) {
    if (rig->has_ended) {
        return;
    }
    rig->has_ended = true;
    the_disk.is_dead = true;
    free(rig->compressed.block);
    iso__hosted_term(&rig->hosted);
    if (rig->has_writer) {
        iso__writer_term(&rig->writer);
    }
    if (rig->has_worker) {
        iso__worker_term(&rig->worker);
        uv_close((uv_handle_t *)&rig->async, NULL);
        uv_run(&rig->loop, UV_RUN_DEFAULT);
        uv_loop_close(&rig->loop);
    }
    iso__disk_close(&rig->disk);
}

host_rig *host_rig_make(void) {
    host_disk_begin();
    host_rig_now_ns = 1000;
    host_rig_random = 0;
    return calloc(1, sizeof(host_rig));
}

void host_rig_free(host_rig *rig) {
    host_rig_end(rig);
    free(rig);
    host_disk_end();
    host_rig_random = 0;
}

host_rig *host_rig_next(host_rig *rig, uint64_t later_ns, const iso__options *options) {
    host_rig *next = calloc(1, sizeof *next);
    host_rig_end(rig);
    if (options != NULL) {
        next->options = *options; // they may be the rig's
        next->config.options = &next->options;
        next->config.roll_size = UINT64_C(1) << 40;
    }
    free(rig);
    host_disk_restart();
    host_rig_now_ns += later_ns;
    return next;
}

iso_session_stats host_rig_stats(const host_rig *rig) {
    iso_session_stats stats;
    iso_session_get_stats(rig->hosted.session, &stats);
    return stats;
}

uint64_t host_rig_tick(const host_rig *rig) {
    return iso_world_get_tick(iso_session_get_world(rig->hosted.session));
}
