/// What a tick and its commands cost the server: members whose INPUT messages are decoded, sealed, recorded and
/// encoded for all, as a server does it, but for the sockets and the disk. session.sh counts the instructions.
///
///   bench_session COMMANDS
///
/// COMMANDS of each member in each tick, 0 to 4. Under callgrind only the 300 ticks after the members have joined are
/// collected. Prints how many commands were sealed, the size of the recording and of what was sent, and the last root.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <valgrind/callgrind.h>

#include "isostep/games.h"
#include "isostep/heap.h"
#include "isostep/isostep.h"
#include "isostep/proto/codec.h"
#include "recorder.h"
#include "session.h"

#define MEMBERS 4u
#define TICKS   300u

typedef struct bench {
    iso_session *session;
    iso_recorder *recorder;
    iso_world *world;
    uint64_t now_ns;
    uint64_t written_tick;
    uint64_t sent_tick, sent_root;   // of the last TICK
    uint32_t chunks[MEMBERS];        // of the member's snapshot
    uint64_t begin_tick, begin_root; // of it
    uint64_t sent_size, recorded_size;
    const uint8_t *snapshot;
    size_t snapshot_size;
    uint64_t snapshot_tick;
    iso_message decoded;
    _Alignas(max_align_t) uint8_t decode_memory[ISO_DECODE_MEMORY_FROM_CLIENT];
    _Alignas(max_align_t) uint8_t encode_memory[ISO_ENCODE_MEMORY_SIZE];
    uint8_t frame[ISO_FRAME_MAX_SERVER];
} bench;

static void need(bool good, const char *what) {
    if (!good) {
        fprintf(stderr, "bench_session: %s\n", what);
        exit(1);
    }
}

static void drain(bench *b);

static void happen(bench *b, iso_session_event event) {
    iso_session_handle(b->session, b->now_ns, &event);
    drain(b);
}

// ---- the recorder ----------------------------------------------------------------------------------------

static void record(bench *b, iso_recorder_event event) {
    need(iso_recorder_handle(b->recorder, b->now_ns, &event) == ISO_OK, "the recorder refuses an event");
    iso_recorder_action action;
    while (iso_recorder_next_action(b->recorder, &action)) {
        event = (iso_recorder_event){.kind = ISO_RECORDER_DONE, .action = action.kind, .size = action.size};
        b->recorded_size += action.kind == ISO_RECORDER_APPEND ? action.size : 0;
        need(iso_recorder_handle(b->recorder, b->now_ns, &event) == ISO_OK, "the recorder refuses an answer");
    }
}

static void record_keyframe(bench *b, const iso_session_action *action) {
    const iso_recording_keyframe keyframe = {.tick = action->tick,
                                             .root = action->root,
                                             .raw_size = (uint32_t)action->plain_size,
                                             .stored_size = (uint32_t)action->byte_count};
    record(b, (iso_recorder_event){.kind = ISO_RECORDER_KEYFRAME, .keyframe = &keyframe, .stored = action->bytes});
}

static void record_tick(bench *b, const iso_session_action *action) {
    const iso_recording_tick tick = {
        .input = {.tick = action->tick}, .has_root = true, .hashed_tick = action->tick, .root = action->root};
    record(b,
           (iso_recorder_event){
               .kind = ISO_RECORDER_TICK, .tick = &tick, .sealed = action->bytes, .sealed_size = action->byte_count});
    b->written_tick = action->tick;
}

// ---- the session -----------------------------------------------------------------------------------------

static void send(bench *b, const iso_session_action *action) {
    const iso_message *message = action->message;
    size_t size = 0;
    need(iso_message_encode(message, b->encode_memory, sizeof b->encode_memory, b->frame, sizeof b->frame, &size) ==
             ISO_OK,
         "a message cannot be encoded");
    b->sent_size += size;
    if (message->kind == ISO_MESSAGE_TICK) {
        b->sent_tick = message->as.tick.tick;
        b->sent_root = message->as.tick.root;
    } else if (message->kind == ISO_MESSAGE_SNAPSHOT_BEGIN) {
        b->chunks[action->connections[0] - 1] = message->as.snapshot_begin.chunk_count;
        b->begin_tick = message->as.snapshot_begin.tick;
        b->begin_root = message->as.snapshot_begin.root;
    }
}

static void drain(bench *b) {
    iso_session_action action;
    while (iso_session_next_action(b->session, &action)) {
        switch (action.kind) {
        case ISO_SESSION_ACTION_SEND:
            send(b, &action);
            break;
        case ISO_SESSION_ACTION_RECORD_TICK:
            record_tick(b, &action);
            break;
        case ISO_SESSION_ACTION_RECORD_KEYFRAME:
            record_keyframe(b, &action);
            break;
        case ISO_SESSION_ACTION_RECORD_EVENT:
            record(b, (iso_recorder_event){.kind = ISO_RECORDER_NOTE, .note = action.event});
            break;
        case ISO_SESSION_ACTION_ENCODE_SNAPSHOT:
            b->snapshot = action.bytes;
            b->snapshot_size = action.byte_count;
            b->snapshot_tick = action.tick;
            break;
        case ISO_SESSION_ACTION_CLOSE:
            need(false, "a member was ended");
            break;
        default:
            break;
        }
    }
    if (b->snapshot != NULL) {
        // As if it could not be made smaller.
        const iso_session_event event = {.kind = ISO_SESSION_EVENT_SNAPSHOT_ENCODED,
                                         .tick = b->snapshot_tick,
                                         .bytes = b->snapshot,
                                         .byte_count = b->snapshot_size};
        b->snapshot = NULL;
        happen(b, event);
    }
    if (b->written_tick != 0) {
        const iso_session_event event = {.kind = ISO_SESSION_EVENT_RECORDER_WRITTEN, .tick = b->written_tick};
        b->written_tick = 0;
        happen(b, event);
    }
}

static void say(bench *b, uint32_t member, const uint8_t *bytes, size_t size) {
    const iso_decode_limits limits = iso_decode_limits_from_client();
    need(iso_message_decode(bytes, size, &limits, b->decode_memory, sizeof b->decode_memory, &b->decoded) == ISO_OK,
         "a message cannot be decoded");
    happen(b, (iso_session_event){.kind = ISO_SESSION_EVENT_MESSAGE,
                                  .connection = member + 1u,
                                  .message = &b->decoded,
                                  .size = (uint32_t)size});
}

static size_t encode(bench *b, const iso_message *message, uint8_t *bytes) {
    size_t size = 0;
    need(iso_message_encode(message, b->encode_memory, sizeof b->encode_memory, bytes, ISO_FRAME_MAX_CLIENT, &size) ==
             ISO_OK,
         "a client's message cannot be encoded");
    return size;
}

static void tell(bench *b, uint32_t member, const iso_message *message) {
    uint8_t bytes[ISO_FRAME_MAX_CLIENT];
    say(b, member, bytes, encode(b, message, bytes));
}

static void tick(bench *b) {
    iso_session_stats stats;
    iso_session_get_stats(b->session, &stats);
    b->now_ns = iso_session_tick_deadline(b->session, stats.tick + 1);
    happen(b, (iso_session_event){.kind = ISO_SESSION_EVENT_TIME});
}

// ---- the members -----------------------------------------------------------------------------------------

static void join(bench *b, uint32_t member) {
    happen(b, (iso_session_event){.kind = ISO_SESSION_EVENT_OPENED, .connection = member + 1u});
    iso_message message = {.kind = ISO_MESSAGE_HELLO};
    message.as.hello.protocol_min = message.as.hello.protocol_max = ISO_PROTOCOL_VERSION;
    message.as.hello.role = ISO_ROLE_PLAYER;
    message.as.hello.compressions = ISO_COMPRESSION_NONE;
    snprintf(message.as.hello.session, sizeof message.as.hello.session, "main");
    snprintf(message.as.hello.member, sizeof message.as.hello.member, "member %u", member);
    tell(b, member, &message);
    need(b->chunks[member] > 0, "a member gets no snapshot");
    for (uint32_t i = 0; i < b->chunks[member]; ++i) {
        message = (iso_message){.kind = ISO_MESSAGE_SNAPSHOT_ACK};
        message.as.snapshot_ack.index = i;
        tell(b, member, &message);
    }
    message = (iso_message){.kind = ISO_MESSAGE_CAUGHT_UP};
    message.as.caught_up.tick = b->begin_tick;
    message.as.caught_up.root = b->begin_root;
    tell(b, member, &message);
    tick(b);
}

/// Impulses on the box and blocks of controls by turns.
static void commands_make(iso_command *commands, uint32_t count, uint32_t seed) {
    for (uint32_t i = 0; i < count; ++i) {
        memset(&commands[i], 0, sizeof commands[i]);
        if (i % 2 == 0) {
            commands[i].kind = ISO_COMMAND_APPLY_IMPULSE;
            commands[i].as.apply_impulse.body = (iso_body_id){1, 1};
            commands[i].as.apply_impulse.impulse.x = (fix16_t)(seed % 7u) - 3;
        } else {
            commands[i].kind = ISO_COMMAND_SET_CONTROL;
            commands[i].as.set_control.size = 8;
            commands[i].as.set_control.bytes[0] = (uint8_t)seed;
        }
    }
}

static void play(bench *b, uint32_t count) {
    for (uint32_t i = 0; i < TICKS; ++i) {
        for (uint32_t member = 0; member < MEMBERS; ++member) {
            iso_command commands[4];
            commands_make(commands, count, i + member);
            iso_message message = {.kind = ISO_MESSAGE_INPUT};
            message.as.input = (iso_message_input){.target_tick = b->sent_tick + 1,
                                                   .first_sequence = i * count + 1u,
                                                   .ack_tick = b->sent_tick,
                                                   .commands = commands,
                                                   .command_count = count};
            uint8_t bytes[ISO_FRAME_MAX_CLIENT];
            const size_t size = encode(b, &message, bytes);
            CALLGRIND_TOGGLE_COLLECT;
            say(b, member, bytes, size);
            CALLGRIND_TOGGLE_COLLECT;
        }
        CALLGRIND_TOGGLE_COLLECT;
        tick(b);
        CALLGRIND_TOGGLE_COLLECT;
    }
}

static void world_make(bench *b) {
    iso_world_def def = iso_world_def_default();
    def.body_capacity = def.shape_capacity = 64;
    def.slot_capacity = MEMBERS;
    memcpy(def.game, "sandbox", sizeof "sandbox");
    for (uint32_t i = 0; i < iso_game_sandbox.param_count; ++i) {
        def.game_params[i] = iso_game_sandbox.params[i].value;
    }
    const size_t size = iso_world_size(&def, &iso_game_sandbox);
    need(iso_world_create(&def, &iso_game_sandbox, iso_heap_allocate(NULL, size, 64), size, &b->world) == ISO_OK,
         "there is no world");
    iso_body_def body = iso_body_def_default();
    const iso_shape_def floor = iso_shape_def_box(20 * ISO_FIX16_ONE, ISO_FIX16_ONE);
    const iso_shape_def box = iso_shape_def_box(ISO_FIX16_ONE / 2, ISO_FIX16_ONE / 2);
    iso_body_id id;
    iso_shape_id shape;
    body.type = ISO_BODY_STATIC;
    need(iso_body_create(b->world, &body, &id) == ISO_OK && iso_shape_create(b->world, id, &floor, &shape) == ISO_OK,
         "there is no ground");
    body = iso_body_def_default();
    body.position.y = 4 * ISO_WIDE_ONE;
    body.owner.slot = ISO_OWNER_EVERYONE;
    need(iso_body_create(b->world, &body, &id) == ISO_OK && iso_shape_create(b->world, id, &box, &shape) == ISO_OK &&
             id.index == 1,
         "there is no box");
    iso_world_start(b->world);
}

static void recorder_make(bench *b, const iso_session_config *config) {
    const iso_recorder_config options = {.allocator = iso_heap_allocator(),
                                         .buffer_size = iso_recorder_buffer_size(0, 1u << 20)};
    need(iso_recorder_create(&options, &b->recorder) == ISO_OK, "there is no recorder");
    static iso_recording_header header = {.session = "main", .scene_name = "bench", .epoch = 1};
    header.def = *iso_world_get_def(b->world);
    memcpy(header.uid, config->uid, sizeof header.uid);
    iso_fingerprint_make(&header.def, &iso_game_sandbox, &header.fingerprint);
    record(b, (iso_recorder_event){.kind = ISO_RECORDER_OPEN, .header = &header});
}

int main(int argc, char **argv) {
    const unsigned long count = argc == 2 ? strtoul(argv[1], NULL, 10) : 5;
    if (count > 4) {
        fputs("usage: bench_session COMMANDS (0 to 4)\n", stderr);
        return 2;
    }
    static bench b = {.now_ns = 1000000007};
    world_make(&b);
    iso_session_config config = iso_session_config_default();
    config.is_recording = true;
    config.bytes_per_second = 1u << 20;
    recorder_make(&b, &config);
    const iso_allocator allocator = iso_heap_allocator();
    need(iso_session_create(&config, &allocator, b.world, b.now_ns, &b.session) == ISO_OK, "there is no session");
    drain(&b);
    for (uint32_t member = 0; member < MEMBERS; ++member) {
        join(&b, member);
    }
    for (uint32_t i = 0; i < 20; ++i) {
        tick(&b);
    }
    play(&b, (uint32_t)count);
    iso_session_stats stats;
    iso_session_get_stats(b.session, &stats);
    need(stats.members == MEMBERS && stats.commands_sealed == MEMBERS * TICKS * count && stats.commands_rejected == 0,
         "a command was not sealed");
    printf("%" PRIu64 " commands, %" PRIu64 " bytes recorded, %" PRIu64 " bytes sent, root %016" PRIx64 "\n",
           stats.commands_sealed, b.recorded_size, b.sent_size, b.sent_root);
    return 0;
}
