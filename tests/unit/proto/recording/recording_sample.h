/// A recording in memory for tests: its states are arbitrary bytes, so it needs no world.
#ifndef ISO_TESTS_RECORDING_SAMPLE_H
#define ISO_TESTS_RECORDING_SAMPLE_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "isostep/proto/compression.h"
#include "isostep/proto/recording.h"

#define SAMPLE_CAPACITY (8u << 20)
#define SAMPLE_SCENE    "{\"format\":1}"
#define SAMPLE_SALT     UINT64_C(0x5A17C0FFEE5A17ED)
#define SAMPLE_RUN      0x1234567u

typedef struct sample {
    uint8_t *bytes;
    uint64_t size;
    uint64_t tick; // the last one
    uint64_t first_tick;
    uint64_t tick_end[4096];
    uint64_t frame_at[8192]; // where each frame begins, the file head at 0 included, the trailer at last
    uint32_t frame_count;
    iso_recording_index_entry index[64];
    uint32_t index_count;
    iso_recording_chain chain;
} sample;

static inline uint64_t sample_root(uint64_t tick) {
    return (tick + 1) * UINT64_C(0x9E3779B97F4A7C15);
}

static inline uint8_t sample_state_byte(uint64_t tick, size_t i) {
    return (uint8_t)((tick + i) * UINT64_C(0xD1B54A32D192ED03) >> 56);
}

static inline void sample_took(sample *s, size_t size) {
    if (size == 0) {
        abort();
    }
    s->frame_at[s->frame_count++] = s->size;
    s->size += size;
}

static inline iso_recording_header sample_header(void) {
    iso_recording_header header;
    memset(&header, 0, sizeof header);
    strcpy(header.build, "test 1");
    strcpy(header.session, "main");
    strcpy(header.scene_name, "sample");
    for (uint8_t i = 0; i < ISO_RECORDING_UID_SIZE; ++i) {
        header.uid[i] = (uint8_t)(0xA0 + i);
    }
    header.epoch = 3;
    header.salt = SAMPLE_SALT;
    header.run = SAMPLE_RUN;
    header.fingerprint = (iso_fingerprint){.simulation_version = 7,
                                           .schema = 0x1122334455667788,
                                           .arithmetic = 0x99AABBCCDDEEFF00,
                                           .game = "sandbox",
                                           .game_version = 2,
                                           .game_params = 5};
    header.def.dimensions = 2;
    header.def.body_capacity = 10;
    header.def.shape_capacity = 11;
    header.def.joint_capacity = 12;
    header.def.contact_capacity = 13;
    header.def.event_capacity = 15;
    header.def.program_capacity = 16;
    header.def.custom_joint_capacity = 17;
    header.def.slot_capacity = 14;
    header.def.substep_count = 4;
    header.def.tick_rate_hz = 60;
    header.def.seed = 0xFEDCBA9876543210;
    header.def.gravity = (iso_vec2){-1, -655360};
    header.def.contact_hertz = 21;
    header.def.contact_damping_ratio = 22;
    header.def.contact_push_speed = 23;
    header.def.restitution_threshold = 24;
    header.def.joint_hertz = 25;
    header.def.joint_damping_ratio = 26;
    header.def.slop = 27;
    header.def.speculative_distance = -28;
    header.def.sleep_speed = 29;
    header.def.sleep_time = -30;
    strcpy(header.def.game, "sandbox");
    for (int i = 0; i < ISO_GAME_PARAMS_MAX; ++i) {
        header.def.game_params[i] = -1000000000000 - i;
    }
    header.def.contact_point_limit = 31;
    header.def.kept_body_capacity = 32;
    header.def.contact_keep_distance = 33;
    header.def.contact_keep_angle = -34;
    header.def.iteration_count = 35;
    header.scene = SAMPLE_SCENE;
    header.scene_size = sizeof SAMPLE_SCENE - 1;
    return header;
}

static inline void sample_begin(sample *s, uint64_t first_tick) {
    memset(s, 0, sizeof *s);
    s->bytes = malloc(SAMPLE_CAPACITY);
    s->first_tick = first_tick;
    s->tick = first_tick;
    iso_recording_header header = sample_header();
    header.first_tick = first_tick;
    const size_t size = iso_recording_encode_head(&header, &s->chain, s->bytes, SAMPLE_CAPACITY);
    sample_took(s, size);
    s->frame_at[s->frame_count++] = ISO_RECORDING_FILE_HEAD_SIZE; // the HEADER
}

/// A keyframe of a tick at or before the last one.
static inline void sample_keyframe(sample *s, uint64_t tick, size_t raw_size) {
    uint8_t *raw = malloc(raw_size);
    uint8_t *stored = malloc(iso_compress_bound(raw_size));
    for (size_t i = 0; i < raw_size; ++i) {
        raw[i] = sample_state_byte(tick, i * i);
    }
    const size_t stored_size = iso_compress(raw, raw_size, stored, iso_compress_bound(raw_size));
    const iso_recording_keyframe keyframe = {
        .tick = tick,
        .root = sample_root(tick),
        .raw_size = (uint32_t)raw_size,
        .stored_size = (uint32_t)stored_size,
        .ticks_offset = s->index_count == 0 ? s->size : s->tick_end[tick % 4096],
    };
    s->index[s->index_count++] = (iso_recording_index_entry){.tick = tick, .offset = s->size};
    sample_took(
        s, iso_recording_encode_keyframe(&keyframe, stored, &s->chain, s->bytes + s->size, SAMPLE_CAPACITY - s->size));
    free(raw);
    free(stored);
}

/// The next tick, with `command_count` commands of slot 5.
static inline void sample_tick(sample *s, uint32_t command_count, uint32_t change_count) {
    static iso_sealed_command commands[ISO_TICK_COMMANDS_MAX];
    static iso_change changes[ISO_TICK_CHANGES_MAX];
    ++s->tick;
    for (uint32_t i = 0; i < command_count; ++i) {
        memset(&commands[i], 0, sizeof commands[i]);
        commands[i].slot = 5;
        commands[i].sequence = s->tick * 1000 + i;
        commands[i].moved = (uint8_t)(i % 3);
        commands[i].command.kind = ISO_COMMAND_SET_CONTROL;
        commands[i].command.as.set_control.size = 8;
        commands[i].command.as.set_control.bytes[0] = (uint8_t)s->tick;
        commands[i].command.as.set_control.bytes[7] = (uint8_t)i;
    }
    for (uint32_t i = 0; i < change_count; ++i) {
        changes[i] = (iso_change){
            .kind = (uint8_t)(ISO_CHANGE_RESUME - i % 4), .slot = (uint8_t)(i % 32), .slot_generation = 1000 + i};
    }
    const iso_recording_tick tick = {
        .input = {.tick = s->tick,
                  .changes = changes,
                  .change_count = change_count,
                  .commands = commands,
                  .command_count = command_count},
        .has_root = true,
        .hashed_tick = s->tick,
        .root = sample_root(s->tick),
    };
    sample_took(s, iso_recording_encode_tick(&tick, &s->chain, s->bytes + s->size, SAMPLE_CAPACITY - s->size));
    s->tick_end[s->tick % 4096] = s->size;
}

/// The next tick, with one command.
static inline void sample_command(sample *s, const iso_sealed_command *command) {
    ++s->tick;
    const iso_recording_tick tick = {.input = {.tick = s->tick, .commands = command, .command_count = 1},
                                     .has_root = true,
                                     .hashed_tick = s->tick,
                                     .root = sample_root(s->tick)};
    sample_took(s, iso_recording_encode_tick(&tick, &s->chain, s->bytes + s->size, SAMPLE_CAPACITY - s->size));
    s->tick_end[s->tick % 4096] = s->size;
}

/// A tick's changes and commands as iso_recording_encode_sealed_tick takes them, cut out of its frame. @return the size
static inline size_t sample_input_bytes(const iso_tick_input *input, uint8_t *sealed, size_t capacity) {
    static uint8_t frame[ISO_RECORDING_TICK_FRAME_MAX];
    iso_recording_chain chain = {.version = ISO_RECORDING_VERSION};
    const iso_recording_tick tick = {.input = *input};
    const size_t end = iso_recording_encode_tick(&tick, &chain, frame, sizeof frame) - 4;
    size_t begin = ISO_RECORDING_FRAME_HEAD_SIZE;
    while (frame[begin++] >= 0x80) {
    }
    if (end - begin + 1 > capacity) {
        abort();
    }
    sealed[0] = frame[1];
    memcpy(sealed + 1, frame + begin, end - begin);
    return end - begin + 1;
}

static inline iso_recording_event sample_event_value(uint64_t tick) {
    iso_recording_event event;
    memset(&event, 0, sizeof event);
    event.kind = ISO_RECORDING_EVENT_MEMBER;
    event.slot = 5;
    event.slot_generation = 77;
    event.status = ISO_ERR_TIMEOUT;
    event.about_tick = tick;
    event.root = 1;
    event.other_root = UINT64_MAX;
    strcpy(event.name, "Z\xC3\xBC");
    return event;
}

static inline void sample_event(sample *s) {
    const iso_recording_event event = sample_event_value(s->tick);
    sample_took(s, iso_recording_encode_event(&event, &s->chain, s->bytes + s->size, SAMPLE_CAPACITY - s->size));
}

/// A mark that all up to that tick is durable.
static inline void sample_mark(sample *s, uint64_t durable_tick) {
    const iso_recording_mark mark = {.salt = SAMPLE_SALT,
                                     .offset = s->size,
                                     .durable_offset = s->tick_end[durable_tick % 4096],
                                     .durable_tick = durable_tick};
    sample_took(s, iso_recording_encode_mark(&mark, &s->chain, s->bytes + s->size, SAMPLE_CAPACITY - s->size));
}

static inline void sample_seal(sample *s) {
    const iso_recording_footer footer = {
        .last_tick = s->tick,
        .has_root = true,
        .root_tick = s->tick,
        .root = sample_root(s->tick),
        .entries = s->index,
        .entry_count = s->index_count,
    };
    const size_t size =
        iso_recording_encode_end(&footer, s->size, &s->chain, s->bytes + s->size, SAMPLE_CAPACITY - s->size);
    sample_took(s, size);
    s->frame_at[s->frame_count++] = s->size - ISO_RECORDING_TRAILER_SIZE;
}

/// 40 ticks with everything in them: commands, changes, events, a late keyframe.
static inline void sample_make(sample *s) {
    sample_begin(s, 100);
    sample_keyframe(s, 100, 700);
    for (uint32_t i = 0; i < 40; ++i) {
        if (i == 3 || i == 30) {
            sample_event(s);
        }
        sample_tick(s, i % 5 == 0 ? i / 5 : 0, i == 4 ? 3 : 0);
        if (i == 25) {
            sample_keyframe(s, 120, 900);
        }
    }
}

/// Opens a copy of exactly that size, so that a sanitizer sees every byte that is read beyond it.
static inline iso_status open_copy(const uint8_t *bytes, uint64_t size, iso_recording_mode mode,
                                   iso_recording *recording, iso_recording_error *error) {
    uint8_t *copy = malloc(size > 0 ? size : 1);
    memcpy(copy, bytes, size);
    const iso_status status = iso_recording_open(recording, copy, size, mode, error);
    free(copy);
    return status;
}

/// The last tick whose frame ends at or before `size`.
static inline uint64_t last_whole_tick(const sample *s, uint64_t size) {
    uint64_t tick = s->first_tick;
    while (tick < s->tick && s->tick_end[(tick + 1) % 4096] <= size) {
        ++tick;
    }
    return tick;
}

/// Where the frame begins that a byte stands in.
static inline uint64_t frame_of(const sample *s, uint64_t at) {
    uint64_t found = 0;
    for (uint32_t i = 0; i < s->frame_count && s->frame_at[i] <= at; ++i) {
        found = s->frame_at[i];
    }
    return found;
}

static inline void sample_free(sample *s) {
    free(s->bytes);
}

#endif
