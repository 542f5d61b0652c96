/// The input of one tick. The state after the tick depends only on the state before it and on this input.
#ifndef ISOSTEP_TICK_H
#define ISOSTEP_TICK_H

#include "isostep/command.h"

#ifdef __cplusplus
extern "C" {
#endif

#define ISO_SLOT_COUNT_MAX    32
#define ISO_TICK_COMMANDS_MAX 512 // of all members together
#define ISO_TICK_CHANGES_MAX  64

typedef enum iso_change_kind {
    ISO_CHANGE_JOIN = 1,   // a member takes a slot; the slot's generation rises
    ISO_CHANGE_LEAVE = 2,  // a member's slot is freed, held or not; its bodies are destroyed or kept (game.h)
    ISO_CHANGE_DROP = 3,   // a member's connection broke: its slot is held, its bodies stay
    ISO_CHANGE_RESUME = 4, // the member resumed: its held slot has a connection again
} iso_change_kind;

/// A change of the session. Applied before all commands, in the given order.
typedef struct iso_change {
    uint8_t kind;             // iso_change_kind
    uint8_t slot;             // 0 to slot_capacity - 1
    uint32_t slot_generation; // JOIN: the slot's generation from now on (old + 1); else the present one
} iso_change;

/// A command with its position in the tick. Within a tick, commands are sorted by (slot, sequence).
typedef struct iso_sealed_command {
    uint8_t slot;
    uint64_t sequence; // of the member: 1, 2, …, below 2^53
    uint8_t moved;     // ticks by which it was moved beyond its target because it was late; informative
    iso_command command;
} iso_sealed_command;

typedef struct iso_tick_input {
    uint64_t tick; // the world's tick + 1
    const iso_change *changes;
    uint32_t change_count;
    const iso_sealed_command *commands;
    uint32_t command_count;
} iso_tick_input;

/// The result of a command: the same on server, clients and replay.
typedef struct iso_command_result {
    iso_status status; // ISO_OK or a state-dependent refusal
    uint64_t id;       // of what was created (iso_id_pack), else 0
} iso_command_result;

#ifdef __cplusplus
}
#endif

#endif
