/// The queue of events, the scenario that a seed draws, one run.
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "sim.h"

uint64_t sim_random_next(sim_random *random) {
    random->state += UINT64_C(0x9e3779b97f4a7c15);
    uint64_t z = random->state;
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

uint64_t sim_random_below(sim_random *random, uint64_t count) {
    return count == 0 ? 0 : sim_random_next(random) % count;
}

bool sim_random_one_in(sim_random *random, uint64_t count) {
    return sim_random_below(random, count) == 0;
}

uint64_t sim_random_between(sim_random *random, uint64_t min, uint64_t max) {
    return min + sim_random_below(random, max - min + 1);
}

void sim_fail(const sim *s, const char *format, ...) {
    fprintf(stderr, "\nseed %llu failed at %.6f s, tick %llu: ", (unsigned long long)s->seed, (double)s->now_ns / 1e9,
            (unsigned long long)s->last_tick);
    va_list arguments;
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fprintf(stderr, "\nrepeat it: netsim --seed %llu --verbose\n", (unsigned long long)s->seed);
    exit(sim_must_fail ? 0 : 1);
}

void sim_log(const sim *s, const char *format, ...) {
    if (!s->verbose) {
        return;
    }
    fprintf(stderr, "%10.6f  ", (double)s->now_ns / 1e9);
    va_list arguments;
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
}

void sim_trace(sim *s, uint64_t a, uint64_t b) {
    const uint64_t both[3] = {a, b, s->now_ns};
    s->trace = oracle_digest(s->trace, both, sizeof both);
}

static void *sim_allocate(void *user, size_t size, size_t alignment) {
    sim *s = user;
    s->blocks += 1;
    return aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}

static void sim_release(void *user, void *memory, size_t size) {
    sim *s = user;
    (void)size;
    s->blocks -= 1;
    free(memory);
}

iso_allocator sim_allocator(sim *s) {
    return (iso_allocator){sim_allocate, sim_release, s};
}

// ---- the queue: a binary heap by (time, order) ------------------------------------------------------

static bool heap_before(const sim_event *a, const sim_event *b) {
    return a->time_ns != b->time_ns ? a->time_ns < b->time_ns : a->order < b->order;
}

static void heap_swap(sim_event *a, sim_event *b) {
    const sim_event event = *a;
    *a = *b;
    *b = event;
}

void sim_schedule(sim *s, uint64_t time_ns, sim_event event) {
    if (s->heap_count == s->heap_capacity) {
        s->heap_capacity = s->heap_capacity * 2 + 1024;
        s->heap = realloc(s->heap, s->heap_capacity * sizeof *s->heap);
    }
    event.time_ns = time_ns;
    event.order = s->order++;
    size_t i = s->heap_count++;
    s->heap[i] = event;
    while (i > 0 && heap_before(&s->heap[i], &s->heap[(i - 1) / 2])) {
        heap_swap(&s->heap[i], &s->heap[(i - 1) / 2]);
        i = (i - 1) / 2;
    }
}

static sim_event heap_pop(sim *s) {
    const sim_event top = s->heap[0];
    s->heap[0] = s->heap[--s->heap_count];
    for (size_t i = 0;;) {
        size_t least = i;
        for (size_t child = 2 * i + 1; child <= 2 * i + 2; ++child) {
            if (child < s->heap_count && heap_before(&s->heap[child], &s->heap[least])) {
                least = child;
            }
        }
        if (least == i) {
            return top;
        }
        heap_swap(&s->heap[i], &s->heap[least]);
        i = least;
    }
}

// ---- the scenario -----------------------------------------------------------------------------------

uint32_t sim_plan_client(sim *s, uint64_t time_ns) {
    if (s->client_count == SIM_CLIENTS_MAX || time_ns >= s->shutdown_ns) {
        return UINT32_MAX;
    }
    const uint32_t index = s->client_count++;
    sim_client *c = &s->clients[index];
    c->used = true;
    const uint8_t bots[] = {SIM_BOT_IDLE,  SIM_BOT_WANDER, SIM_BOT_WANDER, SIM_BOT_WANDER, SIM_BOT_BUILD,
                            SIM_BOT_BUILD, SIM_BOT_BUILD,  SIM_BOT_WATCH,  SIM_BOT_TAMPER, SIM_BOT_RUDE};
    c->bot = bots[sim_random_below(&s->random, sizeof bots)];
    c->link = c->member = SIM_NONE;
    c->rejoins = sim_random_one_in(&s->random, 3);
    c->predict_frames = sim_random_one_in(&s->random, 3) ? (uint8_t)sim_random_between(&s->random, 1, 8) : 0;
    const uint64_t left_ns = s->shutdown_ns - time_ns;
    sim_schedule(s, time_ns, (sim_event){.kind = SIM_CONNECT, .index = index});
    const uint64_t troubles = sim_random_one_in(&s->random, 3) ? sim_random_below(&s->random, 4) : 0;
    for (uint64_t i = 0; i < troubles; ++i) {
        // Drawn one after the other: the order in which a call's arguments are evaluated is the compiler's choice.
        const uint64_t when_ns = time_ns + sim_random_below(&s->random, left_ns);
        const bool cut = sim_random_one_in(&s->random, 2);
        sim_schedule(s, when_ns, (sim_event){.kind = cut ? SIM_CUT : SIM_LOSE, .index = index});
    }
    if (sim_random_one_in(&s->random, 4)) {
        sim_schedule(s, time_ns + sim_random_below(&s->random, left_ns),
                     (sim_event){.kind = SIM_LEAVE, .index = index});
    }
    if (sim_random_one_in(&s->random, 5)) {
        const uint64_t stall_ns =
            sim_random_below(&s->random, sim_random_one_in(&s->random, 3) ? 8 * SIM_SECOND : SIM_SECOND);
        sim_schedule(s, time_ns + sim_random_below(&s->random, left_ns),
                     (sim_event){.kind = SIM_STALL, .index = index, .count = stall_ns});
    }
    if (sim_random_one_in(&s->random, 3)) {
        const uint64_t when_ns = time_ns + sim_random_below(&s->random, left_ns);
        const uint64_t latency_ns = sim_random_below(&s->random, 400 * SIM_MS);
        sim_schedule(s, when_ns, (sim_event){.kind = SIM_REROUTE, .index = index, .count = latency_ns});
    }
    if (sim_random_one_in(&s->random, 16) && c->bot != SIM_BOT_RUDE && c->bot != SIM_BOT_TAMPER) {
        c->flip_at_tick = (time_ns + sim_random_below(&s->random, left_ns)) * s->def.tick_rate_hz / SIM_SECOND + 1;
        c->flip_state = SIM_TO_FLIP;
    }
    return index;
}

static void sim_draw_world(sim *s) {
    const uint16_t rates[] = {60, 60, 60, 30, 20, 120};
    s->def = iso_world_def_default();
    s->def.tick_rate_hz = rates[sim_random_below(&s->random, 6)];
    s->def.seed = s->seed;
    s->def.slot_capacity = (uint8_t)sim_random_between(&s->random, 2, 8);
    // One in eight has a snapshot of several chunks.
    s->static_bodies = sim_random_one_in(&s->random, 8) ? 2000 : 0;
    s->def.body_capacity = s->def.shape_capacity = 200 + s->static_bodies;
    s->def.joint_capacity = 64;
    s->def.contact_capacity = 1024;
    memcpy(s->def.game, "sandbox", 7);
    for (uint32_t i = 0; i < iso_game_sandbox.param_count; ++i) {
        s->def.game_params[i] = iso_game_sandbox.params[i].value;
    }
}

static void sim_draw_policies(sim *s) {
    const uint8_t late[] = {ISO_LATE_MOVE, ISO_LATE_MOVE, ISO_LATE_DROP, ISO_LATE_STRICT};
    s->config.late_policy = late[sim_random_below(&s->random, 4)];
    const uint8_t empty[] = {ISO_EMPTY_RUN, ISO_EMPTY_PAUSE, ISO_EMPTY_PAUSE};
    s->config.empty_policy = empty[sim_random_below(&s->random, 3)];
    s->config.empty_ms = (uint32_t)sim_random_between(&s->random, 200, 3000);
    const uint8_t desync[] = {ISO_DESYNC_HEAL, ISO_DESYNC_HEAL, ISO_DESYNC_KICK};
    s->config.desync_policy = desync[sim_random_below(&s->random, 3)];
    s->config.hold_ms = (uint32_t)sim_random_between(&s->random, 300, 6000);
}

static void sim_draw_session(sim *s) {
    s->config = iso_session_config_default();
    s->config.recording = !sim_random_one_in(&s->random, 5);
    s->config.keyframe_interval = (uint32_t)sim_random_between(&s->random, 20, 600);
    s->config.ring_ticks = sim_random_one_in(&s->random, 3) ? 512 : 4096;
    s->config.ring_bytes = 1u << 20;
    s->config.connection_capacity = 32;
    for (size_t i = 0; i < sizeof s->config.uid; ++i) {
        s->config.uid[i] = (uint8_t)sim_random_next(&s->random);
    }
    sim_draw_policies(s);
    s->disk.open = -1;
    s->disk.room = sim_random_one_in(&s->random, 12) ? sim_random_between(&s->random, 1000, 200000) : UINT64_MAX;
    s->disk.fails_at_op = sim_random_one_in(&s->random, 6) ? sim_random_below(&s->random, 400) + 1 : UINT64_MAX;
}

/// Deaths of the server. Only a recording lets it come back as the same session.
static void sim_draw_kills(sim *s) {
    const uint64_t kills = s->config.recording && sim_random_one_in(&s->random, 3) ? sim_random_between(&s->random, 1, 3) : 0;
    for (uint64_t i = 0; i < kills; ++i) {
        const bool power_cut = sim_random_one_in(&s->random, 3);
        sim_schedule(s, sim_random_below(&s->random, s->shutdown_ns), (sim_event){.kind = SIM_KILL, .count = power_cut});
    }
}

static void sim_draw(sim *s) {
    sim_draw_world(s);
    sim_draw_session(s);
    s->shutdown_ns = sim_random_between(&s->random, 3, 9) * SIM_SECOND;
    const uint64_t clients = sim_random_between(&s->random, 2, 8);
    for (uint64_t i = 0; i < clients; ++i) {
        const bool at_once = sim_random_one_in(&s->random, 2);
        (void)sim_plan_client(s, at_once ? sim_random_below(&s->random, 50 * SIM_MS)
                                         : sim_random_below(&s->random, s->shutdown_ns));
    }
    if (sim_random_one_in(&s->random, 3)) {
        const uint64_t busy_ns = sim_random_below(&s->random, 400 * SIM_MS);
        sim_schedule(s, sim_random_below(&s->random, s->shutdown_ns),
                     (sim_event){.kind = SIM_SERVER_BUSY, .count = busy_ns});
    }
    sim_draw_kills(s);
    sim_schedule(s, s->shutdown_ns, (sim_event){.kind = SIM_SHUTDOWN});
    for (uint32_t i = 0; i < ISO_SLOT_COUNT_MAX; ++i) {
        s->slot_members[i] = s->promises[i].client = SIM_NONE;
    }
}

// ---- the run ----------------------------------------------------------------------------------------

static void sim_dispatch(sim *s, const sim_event *event) {
    const bool for_server =
        event->kind == SIM_DISK_DONE || event->kind == SIM_ENCODED || event->kind == SIM_SHUTDOWN ||
        ((event->kind == SIM_DELIVER || event->kind == SIM_HANG_UP) && event->direction == SIM_TO_SERVER);
    if (event->kind == SIM_SHUTDOWN && !s->server.up) {
        sim_schedule(s, s->now_ns + 50 * SIM_MS, *event);
        return;
    }
    if (for_server && s->server.up && s->server.busy_until_ns > s->now_ns) {
        sim_schedule(s, s->server.busy_until_ns, *event);
        return;
    }
    switch (event->kind) {
    case SIM_DELIVER:
    case SIM_HANG_UP:
    case SIM_WAKE:
        net_event(s, event);
        return;
    case SIM_DISK_DONE:
    case SIM_ENCODED:
    case SIM_SHUTDOWN:
    case SIM_SERVER_BUSY:
    case SIM_KILL:
    case SIM_RESTART:
        server_event(s, event);
        return;
    default:
        client_event(s, event);
        return;
    }
}

/// Makes the next thing happen. @return false when nothing will ever happen again
static bool sim_advance(sim *s) {
    uint64_t least_ns = s->heap_count > 0 ? s->heap[0].time_ns : UINT64_MAX;
    int32_t who = -2; // the queue
    const uint64_t server_ns = !s->server.up || (s->server.closed && s->server.recorder == NULL) ? UINT64_MAX : server_next_ns(s);
    if (server_ns < least_ns) {
        least_ns = server_ns;
        who = -1;
    }
    for (uint32_t i = 0; i < s->client_count; ++i) {
        const uint64_t client_ns = client_next_ns(s, i);
        if (client_ns < least_ns) {
            least_ns = client_ns;
            who = (int32_t)i;
        }
    }
    if (least_ns == UINT64_MAX) {
        return false;
    }
    SIM_CHECK(s, least_ns < s->shutdown_ns + 60 * SIM_SECOND, "a minute after the shutdown there is still no end");
    s->now_ns = least_ns > s->now_ns ? least_ns : s->now_ns;
    s->totals.events += 1;
    if (who == -2) {
        const sim_event event = heap_pop(s);
        sim_dispatch(s, &event);
    } else if (who == -1) {
        server_time(s);
    } else {
        client_time(s, (uint32_t)who);
    }
    return true;
}

uint64_t sim_run(uint64_t seed, bool verbose, sim_totals *totals) {
    sim *s = calloc(1, sizeof *s);
    s->members = calloc(SIM_MEMBERS_MAX, sizeof *s->members);
    s->seed = seed;
    s->verbose = verbose;
    s->random.state = seed;
    s->epoch = 1;
    s->encode_memory = aligned_alloc(64, ISO_ENCODE_MEMORY_SIZE);
    s->decode_memory = aligned_alloc(64, ISO_DECODE_MEMORY_FROM_SERVER);
    s->frame = malloc(ISO_FRAME_HEADER_SIZE_MAX + ISO_FRAME_MAX_SERVER);
    sim_draw(s);
    server_start(s);
    while (sim_advance(s)) {
    }
    SIM_CHECK(s, s->server.closed, "the session did not close");
    oracle_end(s);
    server_stop(s);
    for (uint32_t i = 0; i < s->client_count; ++i) {
        client_free(s, i);
    }
    SIM_CHECK(s, s->blocks == 0, "%lld blocks of memory were not given back", (long long)s->blocks);
    net_free(s);
    const uint64_t trace = s->trace;
    *totals = s->totals;
    disk_free(s);
    free(s->members);
    free(s->heap);
    free(s->frame);
    free(s->decode_memory);
    free(s->encode_memory);
    free(s);
    return trace;
}
