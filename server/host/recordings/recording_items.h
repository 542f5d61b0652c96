/// The blocks of a recording's items: what the worker makes and the writer frees.
#ifndef ISO_HOST_RECORDING_ITEMS_H
#define ISO_HOST_RECORDING_ITEMS_H

#include "host/recordings/recording.h"

/// The block of an OPEN: what the new file begins with.
typedef struct iso__begin_block {
    iso_recording_keyframe keyframe;
    iso__roster roster;
    uint8_t stored[];
} iso__begin_block;

/// A tick's block that waits for the next file.
struct iso__kept_tick {
    iso__kept_tick *next;
    iso_recording_tick tick; // but its changes and commands
    size_t size;
    uint8_t sealed[]; // these
};

static inline iso_recorder_event iso__kept_tick_event(const iso__kept_tick *block) {
    return (iso_recorder_event){
        .kind = ISO_RECORDER_TICK, .tick = &block->tick, .sealed = block->sealed, .sealed_size = block->size};
}

#endif
