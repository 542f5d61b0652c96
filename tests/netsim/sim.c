/// The queue of events, one run from begin to end.
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "sim.h"

#include "isostep/heap.h"

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
    fprintf(stderr, "\nrepeat it: netsim --scene %s --seed %llu --verbose\n", s->scene->name,
            (unsigned long long)s->seed);
    exit(1);
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
    return iso_heap_allocate(NULL, size, alignment);
}

static void sim_release(void *user, void *memory, size_t size) {
    sim *s = user;
    s->blocks -= 1;
    iso_heap_release(NULL, memory, size);
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

// ---- the run ----------------------------------------------------------------------------------------

/// What a steady run is spared: it shows where clocks settle that nothing disturbs.
static bool event_disturbs(uint8_t kind) {
    return kind == SIM_CUT || kind == SIM_LOSE || kind == SIM_STALL || kind == SIM_REROUTE || kind == SIM_SERVER_BUSY ||
           kind == SIM_KILL || kind == SIM_PARTITION || kind == SIM_CLOCK_JUMP || kind == SIM_DISK_HANG ||
           kind == SIM_HUSH;
}

static void sim_dispatch(sim *s, const sim_event *event) {
    if (s->is_steady && event_disturbs(event->kind)) {
        return;
    }
    const bool for_server =
        event->kind == SIM_REPORT || event->kind == SIM_ENCODED || event->kind == SIM_SHUTDOWN ||
        ((event->kind == SIM_DELIVER || event->kind == SIM_HANG_UP) && event->direction == SIM_TO_SERVER);
    if (event->kind == SIM_SHUTDOWN && !s->server.is_up) {
        sim_schedule(s, s->now_ns + 50 * SIM_MS, *event);
        return;
    }
    if (for_server && s->server.is_up && s->server.busy_until_ns > s->now_ns) {
        sim_schedule(s, s->server.busy_until_ns, *event);
        return;
    }
    switch (event->kind) {
    case SIM_DELIVER:
    case SIM_HANG_UP:
    case SIM_WAKE:
        net_event(s, event);
        return;
    case SIM_WRITER:
    case SIM_SYNCED:
    case SIM_REPORT:
    case SIM_ENCODED:
    case SIM_SHUTDOWN:
    case SIM_SERVER_BUSY:
    case SIM_KILL:
    case SIM_RESTART:
    case SIM_DISK_HANG:
    case SIM_STEAL:
    case SIM_SECOND_SERVER:
        server_event(s, event);
        return;
    case SIM_PARTITION:
        partition_begin(s, event->index, event->count);
        return;
    case SIM_HUSH:
        silence_begin(s, event->index, event->count);
        return;
    case SIM_HUSHED:
        silence_check(s, event->index, event->count);
        return;
    case SIM_CLOCK_JUMP:
        clock_jump(s, event->index, (int64_t)event->count);
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
    const uint64_t server_ns = !s->server.is_up || s->server.is_closed ? UINT64_MAX : server_next_ns(s);
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
    SIM_CHECK(s, least_ns < s->shutdown_ns + 120 * SIM_SECOND, "two minutes after the shutdown there is still no end");
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

uint64_t sim_run(uint64_t seed, const sim_scene *scene, bool verbose, sim_totals *totals) {
    sim *s = calloc(1, sizeof *s);
    s->members = calloc(SIM_MEMBERS_MAX, sizeof *s->members);
    s->seed = seed;
    s->scene = scene;
    s->verbose = verbose;
    s->random.state = seed;
    s->trouble.state = ~seed;
    s->entry.state = seed ^ UINT64_C(0x5bf03635f0b7a54d);
    s->hush.state = seed ^ UINT64_C(0x8cb92ba72f3d8dd7);
    s->epoch = 1;
    s->encode_memory = aligned_alloc(64, ISO_ENCODE_MEMORY_SIZE);
    s->decode_memory = aligned_alloc(64, ISO_DECODE_MEMORY_FROM_SERVER);
    s->frame = malloc(ISO_FRAME_HEADER_SIZE_MAX + ISO_FRAME_MAX_SERVER);
    recording_bind(s);
    scenario_draw(s);
    server_start(s);
    while (sim_advance(s)) {
    }
    SIM_CHECK(s, s->server.is_closed, "the session did not close");
    oracle_end(s);
    server_stop(s);
    for (uint32_t i = 0; i < s->client_count; ++i) {
        client_free(s, i);
    }
    SIM_CHECK(s, s->blocks == 0, "%lld blocks of memory were not given back", (long long)s->blocks);
    net_free(s);
    const uint64_t trace = s->trace;
    s->totals.seeds = 1;
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
