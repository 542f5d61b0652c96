/// What freezes and stalls cost a member: a session and a client library over a link that is held up, in virtual time.
///
/// The link delivers in order, with a latency and a jitter from a seed. While it stalls nothing arrives at either end,
/// and what was under way arrives at the end of the stall. A process that is frozen takes nothing in and does nothing
/// until it goes on. The member gives a command with every tick; what becomes of it and how early its inputs arrive is
/// counted by whether a stall had to do with it.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "isostep/client.h"
#include "isostep/games.h"
#include "isostep/heap.h"
#include "session.h"

#define MS    UINT64_C(1000000)
#define S     UINT64_C(1000000000)
#define NEVER UINT64_MAX

#define STALLS_MAX   64
#define QUEUE_MAX    4096
#define COMMANDS_MAX 16384
#define MARGIN_MIN   (-200) // [ticks]
#define MARGIN_MAX   400
#define THE_PEER     1

typedef struct span {
    uint64_t from_ns, to_ns;
} span;

typedef struct letter {
    uint64_t sent_ns, arrival_ns;
    iso_message message;
    void *copies[2];
} letter;

/// One direction of the link.
typedef struct pipe {
    letter *letters; // a ring of QUEUE_MAX
    uint32_t first, count;
    uint64_t last_arrival_ns;
} pipe;

typedef struct command_fate {
    uint64_t given_ns;
    uint64_t left_ns; // 0: waits
    bool is_refused;
} command_fate;

typedef struct stall_rig {
    uint64_t now_ns;
    uint64_t random;
    uint16_t rate_hz;
    uint64_t latency_ns, jitter_ns;
    span stalls[STALLS_MAX]; // of the link
    uint32_t stall_count;
    span server_frozen, client_frozen;
    pipe to_server, to_client;
    // The server.
    iso_session *session;
    iso_world *world;
    void *world_memory;
    // The client.
    iso_client *client;
    bool has_joined, has_ended;
    uint64_t bot_due_ns;
    // What became of the commands, by sequence.
    command_fate commands[COMMANDS_MAX];
    uint64_t last_sequence;
    // The margins of the inputs in ticks, as they arrived: where nothing was held up, and the last one.
    uint32_t margins[MARGIN_MAX - MARGIN_MIN + 1];
    uint32_t margin_count;
    double margin, margin_low, margin_high; // since rig_watch_margins
} stall_rig;

// ---- the link ---------------------------------------------------------------------------------------

static uint64_t rig_random(stall_rig *r) {
    r->random += UINT64_C(0x9E3779B97F4A7C15);
    uint64_t z = r->random;
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

static uint64_t rig_between(stall_rig *r, uint64_t min, uint64_t max) {
    return min + rig_random(r) % (max - min + 1);
}

static uint64_t span_end_of(const span *spans, uint32_t count, uint64_t ns) {
    for (uint32_t i = 0; i < count; ++i) {
        if (ns >= spans[i].from_ns && ns < spans[i].to_ns) {
            return spans[i].to_ns;
        }
    }
    return ns;
}

static void *copy_of(const void *bytes, size_t size) {
    void *copy = size > 0 ? malloc(size) : NULL;
    if (size > 0) {
        memcpy(copy, bytes, size);
    }
    return copy;
}

static void rig_send(stall_rig *r, pipe *p, const iso_message *message) {
    assert_true(p->count < QUEUE_MAX);
    letter *l = &p->letters[(p->first + p->count++) % QUEUE_MAX];
    *l = (letter){.sent_ns = r->now_ns, .message = *message};
    if (message->kind == ISO_MESSAGE_TICK) {
        iso_message_tick *tick = &l->message.as.tick;
        tick->changes = l->copies[0] = copy_of(tick->changes, tick->change_count * sizeof(*tick->changes));
        tick->commands = l->copies[1] = copy_of(tick->commands, tick->command_count * sizeof(*tick->commands));
    } else if (message->kind == ISO_MESSAGE_SNAPSHOT_CHUNK) {
        iso_message_snapshot_chunk *chunk = &l->message.as.snapshot_chunk;
        chunk->bytes = l->copies[0] = copy_of(chunk->bytes, chunk->size);
    } else if (message->kind == ISO_MESSAGE_INPUT) {
        iso_message_input *input = &l->message.as.input;
        input->commands = l->copies[0] = copy_of(input->commands, input->command_count * sizeof(*input->commands));
    }
    uint64_t arrival = r->now_ns + r->latency_ns + rig_random(r) % (r->jitter_ns + 1);
    arrival = arrival > p->last_arrival_ns ? arrival : p->last_arrival_ns;
    l->arrival_ns = span_end_of(r->stalls, r->stall_count, arrival);
    p->last_arrival_ns = l->arrival_ns;
}

static void pipe_drop(pipe *p) {
    letter *l = &p->letters[p->first];
    free(l->copies[0]);
    free(l->copies[1]);
    p->first = (p->first + 1) % QUEUE_MAX;
    p->count -= 1;
}

// ---- the server -------------------------------------------------------------------------------------

static void server_handle(stall_rig *r, iso_session_event event) {
    iso_session_action action;
    uint8_t *encoded = NULL;
    size_t encoded_size = 0;
    uint64_t encoded_tick = 0;
    iso_session_handle(r->session, r->now_ns, &event);
    while (iso_session_next_action(r->session, &action)) {
        if (action.kind == ISO_SESSION_ACTION_SEND) {
            rig_send(r, &r->to_client, action.message);
        } else if (action.kind == ISO_SESSION_ACTION_ENCODE_SNAPSHOT) {
            encoded = copy_of(action.bytes, action.byte_count);
            encoded_size = action.byte_count;
            encoded_tick = action.tick;
        }
    }
    if (encoded != NULL) {
        // "Compressed" bytes are the plain ones: the session does not look into them.
        server_handle(r, (iso_session_event){.kind = ISO_SESSION_EVENT_SNAPSHOT_ENCODED,
                                             .tick = encoded_tick,
                                             .bytes = encoded,
                                             .byte_count = encoded_size});
        free(encoded);
    }
}

/// How early the input is [ticks].
static double margin_of(const stall_rig *r, uint64_t target) {
    const uint64_t deadline = iso_session_tick_deadline(r->session, target);
    return ((double)deadline - (double)r->now_ns) * r->rate_hz / (double)S;
}

static void server_see_input(stall_rig *r, const letter *l) {
    const iso_message_input *input = &l->message.as.input;
    r->margin = margin_of(r, input->target_tick);
    r->margin_low = r->margin < r->margin_low ? r->margin : r->margin_low;
    r->margin_high = r->margin > r->margin_high ? r->margin : r->margin_high;
    // What was held up on its way says nothing of the clock.
    if (l->arrival_ns <= l->sent_ns + r->latency_ns + r->jitter_ns) {
        int step = (int)r->margin - MARGIN_MIN;
        step = step < 0 ? 0 : step;
        r->margins[step <= MARGIN_MAX - MARGIN_MIN ? step : MARGIN_MAX - MARGIN_MIN] += 1;
        r->margin_count += 1;
    }
}

// ---- the client -------------------------------------------------------------------------------------

static void client_do(stall_rig *r, const iso_client_action *action) {
    switch (action->kind) {
    case ISO_CLIENT_ACTION_SEND:
        if (action->message->kind == ISO_MESSAGE_INPUT) {
            const iso_message_input *input = &action->message->as.input;
            for (uint32_t i = 0; i < input->command_count; ++i) {
                r->commands[input->first_sequence + i].left_ns = r->now_ns;
            }
        }
        rig_send(r, &r->to_server, action->message);
        break;
    case ISO_CLIENT_ACTION_JOINED:
        r->has_joined = true;
        break;
    case ISO_CLIENT_ACTION_REFUSED:
        r->commands[action->sequence].is_refused = true;
        break;
    case ISO_CLIENT_ACTION_ENDED:
        r->has_ended = true;
        break;
    default:
        break;
    }
}

static void client_handle(stall_rig *r, iso_client_event event) {
    iso_client_action action, decompress = {0};
    iso_client_handle(r->client, r->now_ns, &event);
    while (iso_client_next_action(r->client, &action)) {
        if (action.kind == ISO_CLIENT_ACTION_DECOMPRESS) {
            decompress = action;
        } else {
            client_do(r, &action);
        }
    }
    if (decompress.kind != 0) {
        uint8_t *bytes = copy_of(decompress.bytes, decompress.size);
        client_handle(
            r, (iso_client_event){.kind = ISO_CLIENT_EVENT_DECOMPRESSED, .bytes = bytes, .size = decompress.raw_size});
        free(bytes);
    }
}

/// The user gives a command.
static void client_play(stall_rig *r) {
    iso_command command;
    memset(&command, 0, sizeof(command));
    command.kind = ISO_COMMAND_SET_GRAVITY;
    command.as.set_gravity.gravity.y = -(fix16_t)rig_between(r, 1, 10) * ISO_FIX16_ONE;
    uint64_t sequence;
    const iso_status status = iso_client_command(r->client, &command, &sequence);
    if (status == ISO_ERR_RATE) {
        return; // as many wait as may
    }
    assert_int_equal(status, ISO_OK);
    assert_true(sequence < COMMANDS_MAX);
    r->commands[sequence] = (command_fate){.given_ns = r->now_ns};
    r->last_sequence = sequence;
}

// ---- time -------------------------------------------------------------------------------------------

static uint64_t thawed(span frozen, uint64_t ns) {
    return span_end_of(&frozen, 1, ns);
}

static uint64_t min_u64(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

static uint64_t pipe_next(const pipe *p) {
    return p->count > 0 ? p->letters[p->first].arrival_ns : NEVER;
}

/// A host runs what is due by its timers first, as libuv does, then reads.
static void rig_run_until(stall_rig *r, uint64_t until_ns) {
    for (;;) {
        const uint64_t server_timer = thawed(r->server_frozen, iso_session_next_deadline(r->session));
        const uint64_t client_timer = thawed(r->client_frozen, iso_client_next_deadline(r->client));
        const uint64_t server_read = thawed(r->server_frozen, pipe_next(&r->to_server));
        const uint64_t client_read = thawed(r->client_frozen, pipe_next(&r->to_client));
        const uint64_t bot = r->has_joined ? thawed(r->client_frozen, r->bot_due_ns) : NEVER;
        const uint64_t timer = min_u64(server_timer, client_timer);
        const uint64_t read = min_u64(server_read, client_read);
        const uint64_t next = min_u64(min_u64(timer, read), bot);
        if (next > until_ns) {
            r->now_ns = until_ns;
            return;
        }
        r->now_ns = next > r->now_ns ? next : r->now_ns;
        if (timer <= next) {
            if (server_timer <= next) {
                server_handle(r, (iso_session_event){.kind = ISO_SESSION_EVENT_TIME});
            } else {
                client_handle(r, (iso_client_event){.kind = ISO_CLIENT_EVENT_TIME});
            }
        } else if (bot <= next) {
            client_play(r);
            r->bot_due_ns = r->now_ns + S / r->rate_hz;
        } else if (server_read <= next) {
            const letter *l = &r->to_server.letters[r->to_server.first];
            if (l->message.kind == ISO_MESSAGE_INPUT) {
                server_see_input(r, l);
            }
            server_handle(
                r, (iso_session_event){
                       .kind = ISO_SESSION_EVENT_MESSAGE, .connection = THE_PEER, .message = &l->message, .size = 40});
            pipe_drop(&r->to_server);
        } else {
            client_handle(r, (iso_client_event){.kind = ISO_CLIENT_EVENT_MESSAGE,
                                                .message = &r->to_client.letters[r->to_client.first].message});
            pipe_drop(&r->to_client);
        }
        assert_false(r->has_ended);
    }
}

// ---- begin and end ----------------------------------------------------------------------------------

static void rig_create_session(stall_rig *r) {
    iso_world_def def = iso_world_def_default();
    def.body_capacity = 16;
    def.shape_capacity = 16;
    def.joint_capacity = 4;
    def.contact_capacity = 64;
    def.slot_capacity = 4;
    def.tick_rate_hz = r->rate_hz;
    memcpy(def.game, "sandbox", 8);
    for (uint32_t i = 0; i < iso_game_sandbox.param_count; ++i) {
        def.game_params[i] = iso_game_sandbox.params[i].value;
    }
    const size_t size = iso_world_size(&def, &iso_game_sandbox);
    r->world_memory = aligned_alloc(64, size);
    assert_int_equal(iso_world_create(&def, &iso_game_sandbox, r->world_memory, size, &r->world), ISO_OK);
    iso_world_start(r->world);
    const iso_session_config config = iso_session_config_default();
    const iso_allocator allocator = iso_heap_allocator();
    assert_int_equal(iso_session_create(&config, &allocator, r->world, r->now_ns, &r->session), ISO_OK);
}

static void rig_create_client(stall_rig *r) {
    static const iso_game *const games[] = {&iso_game_sandbox};
    iso_client_config config = iso_client_config_default();
    config.allocator = iso_heap_allocator();
    config.games = games;
    config.game_count = 1;
    assert_int_equal(iso_client_create(&config, &r->client), ISO_OK);
}

/// A member that has played for three seconds over a link of that latency in each direction.
static stall_rig *rig_create(uint64_t seed, uint16_t rate_hz, uint64_t latency_ns, uint64_t jitter_ns) {
    stall_rig *r = calloc(1, sizeof(*r));
    *r = (stall_rig){.now_ns = S, .random = seed, .rate_hz = rate_hz, .latency_ns = latency_ns, .jitter_ns = jitter_ns};
    r->server_frozen = r->client_frozen = (span){NEVER, NEVER};
    r->to_server.letters = calloc(QUEUE_MAX, sizeof(letter));
    r->to_client.letters = calloc(QUEUE_MAX, sizeof(letter));
    rig_create_session(r);
    rig_create_client(r);
    server_handle(r, (iso_session_event){.kind = ISO_SESSION_EVENT_OPENED, .connection = THE_PEER});
    client_handle(r, (iso_client_event){.kind = ISO_CLIENT_EVENT_CONNECTED});
    rig_run_until(r, 5 * S);
    assert_true(r->has_joined);
    memset(r->margins, 0, sizeof(r->margins));
    r->margin_count = 0;
    return r;
}

static void rig_destroy(stall_rig *r) {
    while (r->to_server.count > 0) {
        pipe_drop(&r->to_server);
    }
    while (r->to_client.count > 0) {
        pipe_drop(&r->to_client);
    }
    iso_client_destroy(r->client);
    iso_session_destroy(r->session);
    free(r->to_server.letters);
    free(r->to_client.letters);
    free(r->world_memory);
    free(r);
}

/// What became of the commands that were given in a time.
typedef struct tally {
    uint32_t given, refused;
} tally;

static tally rig_tally(const stall_rig *r, uint64_t from_ns, uint64_t to_ns) {
    tally t = {0};
    for (uint64_t i = 1; i <= r->last_sequence; ++i) {
        const command_fate *fate = &r->commands[i];
        if (fate->given_ns >= from_ns && fate->given_ns < to_ns) {
            t.given += 1;
            t.refused += fate->is_refused;
        }
    }
    return t;
}

static int rig_margin_percentile(const stall_rig *r, uint32_t per_mille) {
    uint64_t below = 0;
    for (int i = 0; i <= MARGIN_MAX - MARGIN_MIN; ++i) {
        below += r->margins[i];
        if (below * 1000u >= (uint64_t)r->margin_count * per_mille) {
            return MARGIN_MIN + i;
        }
    }
    return MARGIN_MAX;
}

// ---- freezes ----------------------------------------------------------------------------------------

static void rig_watch_margins(stall_rig *r) {
    r->margin_low = MARGIN_MAX;
    r->margin_high = MARGIN_MIN;
}

/// Two seconds after a freeze the inputs arrive as before it, and nothing is refused any more.
static void check_settles(stall_rig *r, uint64_t thaw_ns, const char *what) {
    rig_run_until(r, thaw_ns + 1 * S);
    const double after_a_second = r->margin;
    rig_run_until(r, thaw_ns + 2 * S);
    rig_watch_margins(r);
    rig_run_until(r, thaw_ns + 12 * S);
    const tally during = rig_tally(r, 5 * S, thaw_ns + 2 * S);
    const tally after = rig_tally(r, thaw_ns + 2 * S, thaw_ns + 11 * S);
    print_message("%s: margin %.1f after 1 s, %.1f to %.1f after 2 s; refused until then %u of %u, after it %u of %u\n",
                  what, after_a_second, r->margin_low, r->margin_high, (unsigned)during.refused, (unsigned)during.given,
                  (unsigned)after.refused, (unsigned)after.given);
    assert_true(r->margin_low >= -1 && r->margin_high <= 6);
    assert_int_equal(after.refused, 0);
    assert_true(after.given > 500);
}

static void test_clock_settles_after_the_server_was_frozen(void **state) {
    (void)state;
    const uint64_t frozen[] = {150 * MS, 700 * MS, 5 * S};
    for (size_t i = 0; i < sizeof(frozen) / sizeof(frozen[0]); ++i) {
        for (uint64_t seed = 1; seed <= 4; ++seed) {
            stall_rig *r = rig_create(seed, 60, 10 * MS, 3 * MS);
            const uint64_t from_ns = r->now_ns + rig_random(r) % S;
            r->server_frozen = (span){from_ns, from_ns + frozen[i]};
            check_settles(r, from_ns + frozen[i], "server frozen");
            rig_destroy(r);
        }
    }
}

static void test_clock_settles_after_the_client_was_frozen(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 4; ++seed) {
        stall_rig *r = rig_create(seed, 60, 10 * MS, 3 * MS);
        const uint64_t from_ns = r->now_ns + rig_random(r) % S;
        // A little less than what makes the server give it up: 300 unacknowledged ticks.
        r->client_frozen = (span){from_ns, from_ns + 4800 * MS};
        check_settles(r, from_ns + 4800 * MS, "client frozen");
        rig_destroy(r);
    }
}

// ---- stalls -----------------------------------------------------------------------------------------

/// Stalls of 0.2 to 1 s for 13 % of two minutes.
static void rig_stall(stall_rig *r) {
    uint64_t at_ns = r->now_ns;
    while (at_ns < r->now_ns + 120 * S) {
        const uint64_t length_ns = rig_between(r, 200 * MS, 1000 * MS);
        const uint64_t pause_ns = length_ns * rig_between(r, 569, 769) / 100; // 87 / 13, a little scattered
        at_ns += pause_ns;
        assert_true(r->stall_count < STALLS_MAX);
        r->stalls[r->stall_count++] = (span){at_ns, at_ns + length_ns};
        at_ns += length_ns;
    }
}

/// Whether a command waited for the end of a stall, or was on its way in one.
static bool met_a_stall(const stall_rig *r, const command_fate *fate) {
    const uint64_t end_ns = (fate->left_ns != 0 ? fate->left_ns : NEVER / 2) + r->latency_ns + r->jitter_ns;
    for (uint32_t i = 0; i < r->stall_count; ++i) {
        if (fate->given_ns < r->stalls[i].to_ns && end_ns >= r->stalls[i].from_ns) {
            return true;
        }
    }
    return false;
}

static void check_stalls(uint16_t rate_hz, uint64_t latency_ns) {
    uint32_t given = 0, refused = 0, given_outside = 0, refused_outside = 0;
    int worst_p99 = MARGIN_MIN;
    for (uint64_t seed = 1; seed <= 6; ++seed) {
        stall_rig *r = rig_create(seed, rate_hz, latency_ns, 5 * MS);
        rig_stall(r);
        rig_run_until(r, r->now_ns + 120 * S);
        for (uint64_t i = 1; i + rate_hz <= r->last_sequence; ++i) {
            const bool outside = !met_a_stall(r, &r->commands[i]);
            given += 1;
            refused += r->commands[i].is_refused;
            given_outside += outside;
            refused_outside += outside && r->commands[i].is_refused;
        }
        const int p99 = rig_margin_percentile(r, 990);
        worst_p99 = p99 > worst_p99 ? p99 : worst_p99;
        rig_destroy(r);
    }
    print_message("stalls at %u Hz, %u ms one way: %u of %u commands refused (%.2f %%), outside of stalls %u of %u "
                  "(%.2f %%), p99 margin there %d ticks\n",
                  (unsigned)rate_hz, (unsigned)(latency_ns / MS), (unsigned)refused, (unsigned)given,
                  100.0 * refused / given, (unsigned)refused_outside, (unsigned)given_outside,
                  100.0 * refused_outside / given_outside, worst_p99);
    assert_true(given > 40000);
    assert_true(refused * 100u <= given * 3u);
    assert_true(refused_outside * 1000u <= given_outside);
    assert_true(worst_p99 < 6); // whole ticks, rounded down
}

static void test_stalls_of_the_link_cost_few_commands(void **state) {
    (void)state;
    check_stalls(60, 15 * MS);
}

static void test_stalls_cost_few_commands_of_a_fast_session_far_away(void **state) {
    (void)state;
    check_stalls(128, 60 * MS);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_clock_settles_after_the_server_was_frozen),
        cmocka_unit_test(test_clock_settles_after_the_client_was_frozen),
        cmocka_unit_test(test_stalls_of_the_link_cost_few_commands),
        cmocka_unit_test(test_stalls_cost_few_commands_of_a_fast_session_far_away),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
