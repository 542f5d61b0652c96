/// The client library against a server that may lie: a real session, whose messages a man in the middle delivers,
/// changes byte by byte, leaves out, doubles, swaps, says again later, or replaces by any bytes, while connections
/// break and time passes.
///
/// Held against the client: it never fails, leaks or asks to be woken without end; all that it sends can be encoded;
/// after its end it does nothing; and it never takes a state for confirmed that is not the one whose root it was told.
///
/// Each step is u8 what (low nibble), u8 argument; some take more bytes.
#include "fuzz_input.h"
#include "fuzz_world.h"

#include "isostep/client.h"
#include "isostep/games.h"
#include "isostep/proto/codec.h"
#include "session.h"

#define TICKS_MAX   240u
#define QUEUE_MAX   64u
#define SAID_MAX    8u
#define START_NS    UINT64_C(1000000007)
#define MS          UINT64_C(1000000)
#define ACTIONS_MAX 4096u // that one event may give
#define WAKES_MAX   64u   // that may fall into one step of time without the clock moving

typedef enum step_kind {
    STEP_CONNECT,
    STEP_DELIVER, // argument: how many messages
    STEP_ALTER,   // u8, u8 where; the argument is XORed there, then the message is delivered
    STEP_SKIP,
    STEP_TWICE,
    STEP_SWAP,
    STEP_SAY_AGAIN, // argument: which of the last delivered ones
    STEP_RAW,       // u8 size, a message's bytes
    STEP_TICKS,     // argument: how many
    STEP_TIME,      // argument: twentieths of seconds
    STEP_BREAK,
    STEP_CONTROL,
    STEP_COMMAND, // u8 size, a command's bytes
    STEP_LEAVE,
    STEP_FLIP,
    STEP_PACKED, // argument: the next snapshot's bytes cannot be unpacked
} step_kind;

typedef struct note {
    uint32_t size;
    uint8_t *bytes;
} note;

typedef struct fuzz {
    fuzz_input input;
    uint64_t now_ns;
    iso_session *session;
    iso_world *world;
    iso_client *client;
    uint64_t connection, connections; // 0: none
    bool client_wants;                // to be connected
    bool has_ended;
    bool unpack_fails;
    note queue[QUEUE_MAX]; // from the server, on its way
    uint32_t queue_count;
    note said[SAID_MAX]; // the last ones that came
    uint32_t said_count;
    // What the message under way says of a tick's root.
    bool has_claim;
    uint64_t claimed_tick, claimed_root;
    bool differs; // the client's state from the claim
    bool is_told; // the client has said that its state differs; until it has another
    uint64_t allocated;
} fuzz;

static _Alignas(16) uint8_t encode_memory[ISO_ENCODE_MEMORY_SIZE];
static _Alignas(16) uint8_t client_memory[ISO_DECODE_MEMORY_FROM_SERVER];
static _Alignas(16) uint8_t session_memory[ISO_DECODE_MEMORY_FROM_CLIENT];
static uint8_t frame[4 * ISO_FRAME_MAX_SERVER];

// ---- the server -----------------------------------------------------------------------------------

static void queue_add(fuzz *f, const uint8_t *bytes, size_t size) {
    if (f->queue_count == QUEUE_MAX) {
        return;
    }
    note *n = &f->queue[f->queue_count++];
    *n = (note){(uint32_t)size, malloc(size + (size == 0))};
    FUZZ_CHECK(n->bytes != NULL);
    memcpy(n->bytes, bytes, size);
}

static void queue_remove(fuzz *f, uint32_t index) {
    free(f->queue[index].bytes);
    f->queue_count -= 1;
    memmove(&f->queue[index], &f->queue[index + 1], (f->queue_count - index) * sizeof f->queue[0]);
}

static void link_end(fuzz *f) {
    f->connection = 0;
    while (f->queue_count > 0) {
        queue_remove(f, 0);
    }
}

static void session_happen(fuzz *f, iso_session_event event);

static void session_do(fuzz *f, const iso_session_action *action) {
    size_t size = 0;
    if (action->kind == ISO_SESSION_ACTION_SEND && f->connection != 0) {
        FUZZ_CHECK(iso_message_encode(action->message, encode_memory, sizeof encode_memory, frame, sizeof frame,
                                      &size) == ISO_OK);
        queue_add(f, frame, size);
    }
    // A closed connection still delivers what was sent; the client hears of its end when that is used up.
    if (action->kind == ISO_SESSION_ACTION_CLOSE) {
        f->connection = f->connection == action->connections[0] ? UINT64_MAX : f->connection;
    }
}

static void session_happen(fuzz *f, iso_session_event event) {
    struct {
        uint64_t tick;
        const uint8_t *bytes;
        size_t size;
    } encodings[8];
    uint32_t count = 0;
    iso_session_action action;
    iso_session_handle(f->session, f->now_ns, &event);
    while (iso_session_next_action(f->session, &action)) {
        session_do(f, &action);
        if (action.kind == ISO_SESSION_ACTION_ENCODE_SNAPSHOT) {
            FUZZ_CHECK(count < 8);
            encodings[count].tick = action.tick;
            encodings[count].bytes = action.bytes;
            encodings[count++].size = action.byte_count;
        }
    }
    // "Compressed" bytes are the plain ones; unpacking gives them back.
    for (uint32_t i = 0; i < count; ++i) {
        session_happen(f, (iso_session_event){.kind = ISO_SESSION_EVENT_SNAPSHOT_ENCODED,
                                              .tick = encodings[i].tick,
                                              .bytes = encodings[i].bytes,
                                              .byte_count = encodings[i].size});
    }
}

// ---- the client -----------------------------------------------------------------------------------

static void client_happen(fuzz *f, iso_client_event event);

static void client_send(fuzz *f, const iso_message *message) {
    const iso_decode_limits limits = iso_decode_limits_from_client();
    static uint8_t bytes[ISO_FRAME_MAX_CLIENT];
    iso_message copy;
    size_t size = 0;
    FUZZ_CHECK(!f->has_ended);
    FUZZ_CHECK(iso_message_encode(message, encode_memory, sizeof encode_memory, bytes, sizeof bytes, &size) == ISO_OK);
    if (f->connection == 0 || f->connection == UINT64_MAX) {
        return;
    }
    FUZZ_CHECK(iso_message_decode(bytes, size, &limits, session_memory, sizeof session_memory, &copy) == ISO_OK);
    session_happen(f, (iso_session_event){.kind = ISO_SESSION_EVENT_MESSAGE,
                                          .connection = f->connection,
                                          .message = &copy,
                                          .size = (uint32_t)size});
}

static void session_break(fuzz *f) {
    const uint64_t connection = f->connection;
    link_end(f);
    if (connection != 0 && connection != UINT64_MAX) {
        session_happen(f, (iso_session_event){.kind = ISO_SESSION_EVENT_DISCONNECTED, .connection = connection});
    }
}

/// A state whose root was told is that state, or the difference is said.
static void check_tick(fuzz *f, const iso_client_action *action) {
    // The root fills caches of the world, nothing else.
    iso_world *world = (iso_world *)(uintptr_t)iso_client_world(f->client);
    FUZZ_CHECK(world != NULL && iso_world_get_tick(world) == action->tick);
    if (f->has_claim && f->claimed_tick == action->tick && iso_world_root(world) != f->claimed_root) {
        f->differs = true;
    }
}

/// A state of another root was not taken in silence. What was said counts until the client tries another connection,
/// which may be in the event that showed the difference once more.
static void check_said(fuzz *f) {
    FUZZ_CHECK(!f->differs || f->is_told || f->has_ended);
    f->differs = false;
}

static void client_do(fuzz *f, const iso_client_action *action) {
    FUZZ_CHECK(!f->has_ended);
    switch ((iso_client_action_kind)action->kind) {
    case ISO_CLIENT_ACTION_SEND:
        client_send(f, action->message);
        break;
    case ISO_CLIENT_ACTION_CLOSE:
        session_break(f);
        break;
    case ISO_CLIENT_ACTION_RECONNECT:
        check_said(f);
        session_break(f);
        f->client_wants = true;
        f->is_told = false;
        break;
    case ISO_CLIENT_ACTION_TICK:
        check_tick(f, action);
        break;
    case ISO_CLIENT_ACTION_DESYNC:
        f->is_told = true;
        break;
    case ISO_CLIENT_ACTION_HEALED:
        f->is_told = false;
        break;
    case ISO_CLIENT_ACTION_ENDED:
        f->has_ended = true;
        break;
    default:
        break;
    }
}

static void client_unpack(fuzz *f, const iso_client_action *action) {
    const bool fits = action->size == action->raw_size && !f->unpack_fails;
    f->unpack_fails = false;
    uint8_t *bytes = malloc(action->raw_size + (action->raw_size == 0));
    FUZZ_CHECK(bytes != NULL);
    memcpy(bytes, action->bytes, fits ? action->size : 0);
    client_happen(f, (iso_client_event){.kind = ISO_CLIENT_EVENT_DECOMPRESSED,
                                        .status = fits ? ISO_OK : ISO_ERR_CORRUPT,
                                        .bytes = bytes,
                                        .size = fits ? action->raw_size : 0});
    free(bytes);
}

static void client_happen(fuzz *f, iso_client_event event) {
    iso_client_action action, packed = {0};
    uint32_t count = 0;
    bool unpacks = false;
    iso_client_handle(f->client, f->now_ns, &event);
    while (iso_client_next_action(f->client, &action)) {
        FUZZ_CHECK(++count < ACTIONS_MAX);
        if (action.kind == ISO_CLIENT_ACTION_DECOMPRESS) {
            packed = action;
            unpacks = true;
        } else {
            client_do(f, &action);
        }
    }
    if (unpacks) {
        client_unpack(f, &packed);
    }
}

/// As a host hands frames in: what cannot be decoded ends the stream, what is not known is left out.
static void client_hear(fuzz *f, const uint8_t *bytes, size_t size) {
    const iso_decode_limits limits = iso_decode_limits_from_server();
    iso_message message;
    const iso_client_phase phase = iso_client_get_phase(f->client);
    if (phase == ISO_CLIENT_PHASE_IDLE || phase == ISO_CLIENT_PHASE_AWAY || f->has_ended) {
        return;
    }
    const iso_status status = iso_message_decode(bytes, size, &limits, client_memory, sizeof client_memory, &message);
    if (status == ISO_ERR_UNSUPPORTED) {
        return;
    }
    if (status != ISO_OK) {
        session_break(f);
        client_happen(f, (iso_client_event){.kind = ISO_CLIENT_EVENT_DISCONNECTED, .status = status});
        return;
    }
    f->has_claim = message.kind == ISO_MESSAGE_TICK;
    f->claimed_tick = f->has_claim ? message.as.tick.hashed_tick : 0;
    f->claimed_root = f->has_claim ? message.as.tick.root : 0;
    client_happen(f, (iso_client_event){.kind = ISO_CLIENT_EVENT_MESSAGE, .message = &message});
    check_said(f);
}

static void deliver(fuzz *f, uint32_t index, bool keep) {
    if (index >= f->queue_count) {
        return;
    }
    const note n = f->queue[index];
    uint8_t *copy = malloc(n.size + (n.size == 0));
    FUZZ_CHECK(copy != NULL);
    memcpy(copy, n.bytes, n.size);
    if (!keep) {
        queue_remove(f, index);
    }
    note *place = &f->said[f->said_count++ % SAID_MAX];
    free(place->bytes);
    *place = (note){n.size, copy};
    client_hear(f, copy, n.size);
    if (f->connection == UINT64_MAX && f->queue_count == 0) {
        f->connection = 0;
        client_happen(f, (iso_client_event){.kind = ISO_CLIENT_EVENT_DISCONNECTED});
    }
}

// ---- what happens ---------------------------------------------------------------------------------

static void step_connect(fuzz *f) {
    if (!f->client_wants || f->has_ended || f->connection != 0) {
        return;
    }
    f->client_wants = false;
    f->connection = ++f->connections;
    session_happen(f, (iso_session_event){.kind = ISO_SESSION_EVENT_OPENED, .connection = f->connection});
    client_happen(f, (iso_client_event){.kind = ISO_CLIENT_EVENT_CONNECTED});
}

/// Lets both sides act at their deadlines. @param ticks_max  ends it as well
static void step_time(fuzz *f, uint64_t end_ns, uint32_t ticks_max) {
    const uint64_t end_tick = iso_world_get_tick(f->world) + ticks_max;
    uint32_t wakes = 0;
    while (iso_world_get_tick(f->world) < end_tick) {
        const uint64_t server = iso_session_next_deadline(f->session);
        const uint64_t client = f->has_ended ? UINT64_MAX : iso_client_next_deadline(f->client);
        const uint64_t due = server < client ? server : client;
        if (due > end_ns) {
            break;
        }
        wakes = due > f->now_ns ? 0 : wakes + 1;
        FUZZ_CHECK(wakes < WAKES_MAX);
        f->now_ns = due > f->now_ns ? due : f->now_ns;
        if (server <= client) {
            session_happen(f, (iso_session_event){.kind = ISO_SESSION_EVENT_TIME});
        } else {
            client_happen(f, (iso_client_event){.kind = ISO_CLIENT_EVENT_TIME});
        }
    }
    f->now_ns = end_ns != UINT64_MAX - 1 && end_ns > f->now_ns ? end_ns : f->now_ns;
}

static void step_alter(fuzz *f, uint8_t change) {
    const uint32_t where = fuzz_take(&f->input) | (uint32_t)fuzz_take(&f->input) << 8;
    if (f->queue_count > 0 && f->queue[0].size > 0) {
        f->queue[0].bytes[where % f->queue[0].size] ^= (uint8_t)(change | (change == 0));
    }
    deliver(f, 0, false);
}

static void step_command(fuzz *f) {
    size_t size = fuzz_take(&f->input);
    iso_command command;
    const uint8_t *bytes = fuzz_take_bytes(&f->input, &size);
    if (iso_command_decode(bytes, size, &command) == ISO_OK) {
        (void)iso_client_command(f->client, &command, NULL);
    }
}

static void step_swap(fuzz *f) {
    if (f->queue_count < 2) {
        return;
    }
    const note first = f->queue[0];
    f->queue[0] = f->queue[1];
    f->queue[1] = first;
}

static void step_message(fuzz *f, step_kind kind, uint8_t argument) {
    size_t size = argument;
    if (kind == STEP_DELIVER) {
        for (uint32_t i = 0; i < argument % 64u; ++i) {
            deliver(f, 0, false);
        }
    } else if (kind == STEP_SKIP && f->queue_count > 0) {
        queue_remove(f, 0);
    } else if (kind == STEP_SAY_AGAIN && f->said[argument % SAID_MAX].bytes != NULL) {
        const note n = f->said[argument % SAID_MAX];
        client_hear(f, n.bytes, n.size);
    } else if (kind == STEP_RAW) {
        const uint8_t *bytes = fuzz_take_bytes(&f->input, &size);
        client_hear(f, bytes, size);
    }
}

static void step(fuzz *f) {
    const step_kind kind = (step_kind)(fuzz_take(&f->input) & 15);
    const uint8_t argument = fuzz_take(&f->input);
    switch (kind) {
    case STEP_CONNECT:
        step_connect(f);
        break;
    case STEP_ALTER:
        step_alter(f, argument);
        break;
    case STEP_TWICE:
        deliver(f, 0, true);
        break;
    case STEP_SWAP:
        step_swap(f);
        break;
    case STEP_TICKS:
        step_time(f, UINT64_MAX - 1, argument % 32u);
        break;
    case STEP_TIME:
        step_time(f, f->now_ns + argument * 50 * MS, 100);
        break;
    case STEP_BREAK:
        if (f->connection != 0) {
            session_break(f);
            client_happen(f, (iso_client_event){.kind = ISO_CLIENT_EVENT_DISCONNECTED});
        }
        break;
    case STEP_CONTROL:
        (void)iso_client_set_control(f->client, &argument, 1);
        break;
    case STEP_COMMAND:
        step_command(f);
        break;
    case STEP_LEAVE:
        client_happen(f, (iso_client_event){.kind = ISO_CLIENT_EVENT_LEAVE});
        break;
    case STEP_FLIP:
        (void)iso_client_flip(f->client);
        break;
    case STEP_PACKED:
        f->unpack_fails = true;
        break;
    default:
        step_message(f, kind, argument);
        break;
    }
}

static void begin_session(fuzz *f, uint8_t settings) {
    const iso_allocator allocator = {fuzz_allocate, fuzz_release, &f->allocated};
    iso_session_config config = iso_session_config_default();
    config.late_policy = (uint8_t)(ISO_LATE_MOVE + settings % 3);
    config.secret = fuzz_world_secret;
    config.connection_capacity = 4;
    config.unacked_ticks_max = 120;
    config.ring_ticks = 256;
    config.ring_bytes = 1u << 20;
    config.keyframe_interval = 60;
    FUZZ_CHECK(iso_session_create(&config, &allocator, f->world, f->now_ns, &f->session) == ISO_OK);
    session_happen(f, (iso_session_event){.kind = ISO_SESSION_EVENT_TIME});
}

static void begin(fuzz *f) {
    static const iso_game *games[1];
    games[0] = fuzz_world_game();
    const uint8_t settings = fuzz_take(&f->input);
    f->now_ns = START_NS;
    f->world = fuzz_world_light();
    begin_session(f, settings);
    iso_client_config config = iso_client_config_default();
    config.allocator = (iso_allocator){fuzz_allocate, fuzz_release, &f->allocated};
    config.games = games;
    config.game_count = 1;
    config.session = "main";
    config.name = "eve";
    config.role = settings & 8 ? ISO_ROLE_SPECTATOR : ISO_ROLE_PLAYER;
    config.predict_frames = settings & 8 ? 0 : (uint8_t)(settings >> 4 & 7);
    config.snapshot_size_max = 1u << 20;
    config.world_size_max = 4u << 20;
    config.image_memory = 1u << 18;
    config.reconnect_ms = settings & 128 ? 0 : 20000;
    FUZZ_CHECK(iso_client_create(&config, &f->client) == ISO_OK);
    f->client_wants = true;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    static fuzz f;
    f = (fuzz){.input = {bytes, size}};
    begin(&f);
    const uint64_t end_tick = iso_world_get_tick(f.world) + TICKS_MAX;
    while (f.input.size > 0 && !f.has_ended && iso_world_get_tick(f.world) < end_tick) {
        step(&f);
    }
    link_end(&f);
    for (uint32_t i = 0; i < SAID_MAX; ++i) {
        free(f.said[i].bytes);
    }
    iso_client_destroy(f.client);
    iso_session_destroy(f.session);
    FUZZ_CHECK(f.allocated == 0);
    free(f.world);
    return 0;
}
