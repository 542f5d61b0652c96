/// Any bytes as what happens to a session: peers that come, say anything, break and come back with what they know of a
/// member, true or false, while time passes and the recorder answers late or never.
///
/// Held against it: it never fails or leaks; ticks are sealed in order, once each; nothing is sent to a connection
/// that has ended; all that is sent can be encoded; and nobody gets a member's place without that member's secret.
///
/// Each step is u8 what (low nibble) and which connection (high nibble), u8 argument; some take more bytes.
#include "fuzz_input.h"
#include "fuzz_world.h"

#include "isostep/games.h"
#include "isostep/proto/codec.h"
#include "session.h"

#define PEERS     6u
#define TICKS_MAX 240u
#define ENCODINGS 8u
#define START_NS  UINT64_C(1000000007)

typedef enum step_kind {
    STEP_OPEN,
    STEP_HELLO,
    STEP_RESUME,   // as the member that was welcomed last at this place; argument: what is false about it
    STEP_CATCH_UP, // takes all chunks and shows the right root
    STEP_INPUT,    // u8 size, the command's bytes
    STEP_CONFIRM,  // the root of the last tick; argument odd: a wrong one
    STEP_RAW,      // u8 size, a message's bytes
    STEP_BREAK,
    STEP_LEAVE,
    STEP_TICKS,    // argument: how many
    STEP_TIME,     // argument: tenths of seconds
    STEP_QUEUED,   // argument: KiB
    STEP_RECORDER, // argument: written, durable, degraded
    STEP_SNAPSHOT, // the encoder answers; argument odd: that it failed
    STEP_REWIND_ANSWER,
    STEP_BAD_FRAME,
} step_kind;

typedef struct peer {
    uint64_t connection; // 0: none
    bool was_sent_close;
    bool knows_place; // `place` came with a WELCOME to a player
    iso_resume place;
    bool guesses; // its HELLO had a RESUME that is false in what proves the member
    iso_message_snapshot_begin begin;
} peer;

typedef struct encoding {
    uint64_t tick;
    const uint8_t *bytes;
    size_t size;
} encoding;

typedef struct fuzz {
    fuzz_input input;
    iso_session *session;
    iso_world *world;
    iso_fingerprint fingerprint;
    uint64_t now_ns, connections, sealed, last_tick, last_root;
    encoding encodings[ENCODINGS]; // what is to be encoded, the oldest first
    uint32_t encoding_count;
    bool is_recording;
    uint64_t allocated;
    peer peers[PEERS];
} fuzz;

static _Alignas(16) uint8_t encode_memory[ISO_ENCODE_MEMORY_SIZE];
static _Alignas(16) uint8_t decode_memory[ISO_DECODE_MEMORY_FROM_CLIENT];
static uint8_t frame[4 * ISO_FRAME_MAX_SERVER];

// ---- what the session does -----------------------------------------------------------------------

static peer *peer_of(fuzz *f, uint64_t connection) {
    for (uint32_t i = 0; i < PEERS; ++i) {
        if (f->peers[i].connection == connection) {
            return &f->peers[i];
        }
    }
    return NULL;
}

static void see_send(peer *p, const iso_message *message) {
    if (message->kind == ISO_MESSAGE_SNAPSHOT_BEGIN) {
        p->begin = message->as.snapshot_begin;
    }
    if (message->kind != ISO_MESSAGE_WELCOME) {
        return;
    }
    const iso_message_welcome *welcome = &message->as.welcome;
    FUZZ_CHECK(!p->guesses);
    p->knows_place = welcome->role == ISO_ROLE_PLAYER;
    p->place =
        (iso_resume){.slot = welcome->slot, .slot_generation = welcome->slot_generation, .epoch = welcome->epoch};
    memcpy(p->place.uid, welcome->uid, sizeof p->place.uid);
    memcpy(p->place.secret, welcome->secret, sizeof p->place.secret);
}

static void drain(fuzz *f) {
    iso_session_action action;
    while (iso_session_next_action(f->session, &action)) {
        if (action.kind == ISO_SESSION_ACTION_SEND) {
            size_t size = 0;
            FUZZ_CHECK(action.connection_count > 0);
            FUZZ_CHECK(iso_message_encode(action.message, encode_memory, sizeof encode_memory, frame, sizeof frame,
                                          &size) == ISO_OK);
            FUZZ_CHECK(size <= ISO_FRAME_MAX_SERVER);
            for (uint32_t i = 0; i < action.connection_count; ++i) {
                peer *p = peer_of(f, action.connections[i]);
                FUZZ_CHECK(p != NULL && !p->was_sent_close);
                see_send(p, action.message);
            }
        } else if (action.kind == ISO_SESSION_ACTION_CLOSE) {
            peer *p = peer_of(f, action.connections[0]);
            FUZZ_CHECK(action.connection_count == 1 && p != NULL && !p->was_sent_close);
            p->was_sent_close = true;
        } else if (action.kind == ISO_SESSION_ACTION_RECORD_TICK) {
            FUZZ_CHECK(f->is_recording && action.tick == f->last_tick + 1 && action.input->tick == action.tick);
            f->last_tick = action.tick;
            f->last_root = action.root;
        } else if (action.kind == ISO_SESSION_ACTION_ENCODE_SNAPSHOT) {
            FUZZ_CHECK(f->encoding_count < ENCODINGS);
            f->encodings[f->encoding_count++] = (encoding){action.tick, action.bytes, action.byte_count};
        }
    }
}

static void happen(fuzz *f, iso_session_event event) {
    iso_session_handle(f->session, f->now_ns, &event);
    drain(f);
    iso_session_stats stats;
    iso_session_get_stats(f->session, &stats);
    FUZZ_CHECK(stats.tick == iso_world_get_tick(f->world) && stats.members + stats.held <= 4);
    for (uint32_t i = 0; i < PEERS; ++i) {
        if (f->peers[i].was_sent_close) {
            f->peers[i].connection = 0;
            f->peers[i].was_sent_close = false;
        }
    }
}

// ---- what happens to it --------------------------------------------------------------------------

/// As the host hands messages in: only what the codec lets through.
static void say_bytes(fuzz *f, const peer *p, const uint8_t *bytes, size_t size) {
    const iso_decode_limits limits = iso_decode_limits_from_client();
    iso_message message;
    if (p->connection != 0 &&
        iso_message_decode(bytes, size, &limits, decode_memory, sizeof decode_memory, &message) == ISO_OK) {
        happen(f, (iso_session_event){.kind = ISO_SESSION_EVENT_MESSAGE,
                                      .connection = p->connection,
                                      .message = &message,
                                      .size = (uint32_t)size});
    }
}

static void say(fuzz *f, const peer *p, const iso_message *message) {
    static uint8_t bytes[ISO_FRAME_MAX_SERVER];
    size_t size = 0;
    if (iso_message_encode(message, encode_memory, sizeof encode_memory, bytes, sizeof bytes, &size) == ISO_OK) {
        say_bytes(f, p, bytes, size);
    }
}

static void say_hello(fuzz *f, peer *p, uint8_t argument, const iso_resume *resume) {
    iso_message message = {.kind = ISO_MESSAGE_HELLO};
    iso_message_hello *hello = &message.as.hello;
    hello->protocol_min = hello->protocol_max = ISO_PROTOCOL_VERSION;
    hello->role = argument & 0x80 ? ISO_ROLE_SPECTATOR : ISO_ROLE_PLAYER;
    hello->compressions = ISO_COMPRESSION_NONE | ISO_COMPRESSION_ZSTD;
    hello->fingerprint = f->fingerprint;
    memcpy(hello->session, "main", 5);
    memcpy(hello->member, "eve", 4);
    hello->has_resume = resume != NULL;
    if (resume != NULL) {
        hello->resume = *resume;
    }
    say(f, p, &message);
}

/// The bits of the argument say what is false. Without what proves the member, no WELCOME may come.
static void say_resume(fuzz *f, peer *p, uint8_t argument) {
    const peer *known = &f->peers[argument % PEERS];
    iso_resume resume = known->place;
    const uint8_t what = fuzz_take(&f->input);
    const uint8_t change = (uint8_t)(fuzz_take(&f->input) | 1);
    if (!known->knows_place) {
        return;
    }
    resume.tick = iso_world_get_tick(f->world) + (what & 32 ? change : 0) - (what & 64 ? change : 0);
    resume.tick &= ISO_TICK_END - 1;
    resume.root = iso_world_root(f->world) ^ (what & 128 ? change : 0);
    resume.secret[change % ISO_SECRET_SIZE] ^= what & 1 ? change : 0;
    resume.uid[change % ISO_SESSION_UID_SIZE] ^= what & 2 ? change : 0;
    resume.slot_generation += what & 4 ? 2u * change : 0;
    resume.slot = (uint8_t)((resume.slot + (what & 8 ? 1 : 0)) % 32);
    resume.epoch += what & 16 ? change : 0;
    p->guesses = (what & 15) != 0 && p->connection != 0;
    say_hello(f, p, argument & 0x7F, &resume);
    p->guesses = false;
}

static void catch_up(fuzz *f, const peer *p) {
    iso_message message = {.kind = ISO_MESSAGE_SNAPSHOT_ACK};
    for (uint32_t i = 0; i < p->begin.chunk_count && i < 64; ++i) {
        message.as.snapshot_ack.index = i;
        say(f, p, &message);
    }
    message = (iso_message){.kind = ISO_MESSAGE_CAUGHT_UP};
    message.as.caught_up.tick = iso_world_get_tick(f->world);
    message.as.caught_up.root = iso_world_root(f->world);
    say(f, p, &message);
}

static void say_input(fuzz *f, const peer *p, uint8_t argument) {
    iso_command command;
    size_t size = fuzz_take(&f->input);
    const uint8_t *bytes = fuzz_take_bytes(&f->input, &size);
    iso_message message = {.kind = ISO_MESSAGE_INPUT};
    message.as.input.target_tick = iso_world_get_tick(f->world) + (argument & 127);
    message.as.input.first_sequence = 1u + argument % 16u;
    message.as.input.ack_tick = iso_world_get_tick(f->world);
    if (iso_command_decode(bytes, size, &command) == ISO_OK) {
        message.as.input.commands = &command;
        message.as.input.command_count = 1;
    }
    say(f, p, &message);
}

static void pass_time(fuzz *f, uint64_t end_ns, uint32_t ticks_max) {
    const uint64_t end_tick = iso_world_get_tick(f->world) + ticks_max;
    while (iso_session_next_deadline(f->session) <= end_ns && iso_world_get_tick(f->world) < end_tick) {
        const uint64_t due = iso_session_next_deadline(f->session);
        f->now_ns = due > f->now_ns ? due : f->now_ns;
        const uint64_t before = iso_world_get_tick(f->world);
        happen(f, (iso_session_event){.kind = ISO_SESSION_EVENT_TIME});
        f->sealed += iso_world_get_tick(f->world) - before;
        FUZZ_CHECK(iso_world_get_tick(f->world) <= before + 1);
        // A deadline that stays where it is would make the host spin.
        FUZZ_CHECK(iso_session_next_deadline(f->session) != due || iso_world_get_tick(f->world) > before);
    }
}

static void say_confirm(fuzz *f, const peer *p, uint8_t argument) {
    iso_message message = {.kind = ISO_MESSAGE_CONFIRM};
    message.as.confirm.tick = iso_world_get_tick(f->world);
    message.as.confirm.root = iso_world_root(f->world) ^ (argument & 1);
    say(f, p, &message);
}

static void answer_recorder(fuzz *f, uint8_t argument) {
    static const uint8_t kinds[] = {ISO_SESSION_EVENT_RECORDER_WRITTEN, ISO_SESSION_EVENT_RECORDER_WRITTEN,
                                    ISO_SESSION_EVENT_RECORDER_DURABLE, ISO_SESSION_EVENT_RECORDER_DEGRADED};
    if (f->is_recording && f->last_tick > 0) {
        happen(f, (iso_session_event){.kind = kinds[argument % 4],
                                      .tick = f->last_tick,
                                      .status = argument % 4 == 3 ? ISO_ERR_IO : ISO_OK});
        f->is_recording = f->is_recording && argument % 4 != 3;
    }
}

static void answer_snapshot(fuzz *f, uint8_t argument) {
    if (f->encoding_count == 0) {
        return;
    }
    const encoding done = f->encodings[0];
    f->encoding_count -= 1;
    memmove(&f->encodings[0], &f->encodings[1], f->encoding_count * sizeof done);
    // "Compressed" bytes are the plain ones: the session does not look into them.
    const bool fails = argument & 1;
    happen(f, (iso_session_event){.kind = ISO_SESSION_EVENT_SNAPSHOT_ENCODED,
                                  .tick = done.tick,
                                  .bytes = fails ? NULL : done.bytes,
                                  .byte_count = fails ? 0 : done.size});
}

static void step(fuzz *f) {
    const uint8_t what = fuzz_take(&f->input), argument = fuzz_take(&f->input);
    peer *p = &f->peers[(what >> 4) % PEERS];
    const uint64_t connection = p->connection;
    switch ((step_kind)(what & 15)) {
    case STEP_OPEN:
        if (connection == 0) {
            p->connection = ++f->connections;
            p->begin.chunk_count = 0;
            happen(f, (iso_session_event){.kind = ISO_SESSION_EVENT_OPENED, .connection = p->connection});
        }
        break;
    case STEP_HELLO:
        say_hello(f, p, argument, NULL);
        break;
    case STEP_RESUME:
        say_resume(f, p, argument);
        break;
    case STEP_CATCH_UP:
        catch_up(f, p);
        break;
    case STEP_INPUT:
        say_input(f, p, argument);
        break;
    case STEP_CONFIRM:
        say_confirm(f, p, argument);
        break;
    case STEP_RAW: {
        size_t size = argument;
        const uint8_t *bytes = fuzz_take_bytes(&f->input, &size);
        say_bytes(f, p, bytes, size);
        break;
    }
    case STEP_BREAK:
        if (connection != 0) {
            p->connection = 0;
            happen(f, (iso_session_event){.kind = ISO_SESSION_EVENT_DISCONNECTED, .connection = connection});
        }
        break;
    case STEP_LEAVE:
        say(f, p, &(iso_message){.kind = ISO_MESSAGE_LEAVE});
        break;
    case STEP_TICKS:
        pass_time(f, UINT64_MAX - 1, argument % 64u);
        break;
    case STEP_TIME:
        pass_time(f, f->now_ns + argument * UINT64_C(100000000), 100);
        break;
    case STEP_QUEUED:
        if (connection != 0) {
            happen(f, (iso_session_event){
                          .kind = ISO_SESSION_EVENT_QUEUED, .connection = connection, .size = argument * 1024u});
        }
        break;
    case STEP_RECORDER:
        answer_recorder(f, argument);
        break;
    case STEP_SNAPSHOT:
        answer_snapshot(f, argument);
        break;
    case STEP_REWIND_ANSWER: {
        iso_message message = {.kind = ISO_MESSAGE_REWIND_ANSWER};
        message.as.rewind_answer.is_restored = argument & 1;
        say(f, p, &message);
        break;
    }
    case STEP_BAD_FRAME:
        if (connection != 0) {
            happen(f, (iso_session_event){.kind = ISO_SESSION_EVENT_BAD_FRAME,
                                          .connection = connection,
                                          .status = argument & 1 ? ISO_ERR_MALFORMED : ISO_ERR_DECODE_BUDGET});
        }
        break;
    }
}

static void begin(fuzz *f) {
    f->world = fuzz_world_light();
    // Made once: its known answers take longer than most inputs.
    static iso_fingerprint fingerprint;
    if (fingerprint.schema == 0) {
        iso_fingerprint_make(fuzz_world_light_def(), fuzz_world_game(), &fingerprint);
    }
    f->fingerprint = fingerprint;
    f->last_tick = iso_world_get_tick(f->world);
    f->now_ns = START_NS;
    const uint8_t settings = fuzz_take(&f->input);
    iso_session_config config = iso_session_config_default();
    f->is_recording = config.is_recording = settings & 1;
    config.late_policy = (uint8_t)(ISO_LATE_MOVE + (settings >> 1) % 3);
    config.desync_policy = (uint8_t)(ISO_DESYNC_HEAL + (settings >> 3) % 4);
    config.empty_policy = (uint8_t)((settings >> 5) % 3);
    config.secret = fuzz_world_secret;
    config.connection_capacity = 8;
    config.ring_ticks = 256;
    config.unacked_ticks_max = 120;
    config.ring_bytes = 1u << 20;
    config.keyframe_interval = 60;
    const iso_allocator allocator = {fuzz_allocate, fuzz_release, &f->allocated};
    FUZZ_CHECK(iso_session_create(&config, &allocator, f->world, f->now_ns, &f->session) == ISO_OK);
    drain(f);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    static fuzz f;
    f = (fuzz){.input = {bytes, size}};
    begin(&f);
    while (f.input.size > 0 && f.sealed < TICKS_MAX) {
        step(&f);
    }
    iso_session_destroy(f.session);
    FUZZ_CHECK(f.allocated == 0);
    free(f.world);
    return 0;
}
