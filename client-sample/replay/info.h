/// isostep-replay info: the content of a recording, counted in one pass.
#ifndef ISO_REPLAY_INFO_H
#define ISO_REPLAY_INFO_H

#include "replay.h"

#define INFO_CELLS       60u // of the drawn timeline
#define INFO_MEMBERS_MAX 4096u
#define INFO_DESYNCS_MAX 256u // that are kept; all are counted

/// One member's time in one slot.
typedef struct info_member {
    uint8_t slot;
    uint32_t generation;
    bool is_present; // when the recording ends
    bool is_held;    // present, but its connection broke and it has not resumed
    char name[ISO_RECORDING_TEXT_MAX + 1];
    uint64_t first_tick;
    uint64_t last_tick;
    uint64_t since;      // when it last joined or resumed
    uint64_t drops;      // how often its connection broke
    int32_t left_status; // why it left, when an event says so
    uint64_t commands;
    uint32_t cells[INFO_CELLS]; // commands
    bool is_there[INFO_CELLS];
} info_member;

typedef struct info_summary {
    uint64_t frame_count[ISO_RECORDING_MARK + 1]; // by type
    uint64_t frame_bytes[ISO_RECORDING_MARK + 1];
    uint64_t raw_keyframe_bytes; // before compression
    uint64_t commands[256];      // by kind
    uint64_t commands_moved;
    info_member *members; // in the order of their joining
    uint32_t member_count;
    iso_recording_event desyncs[INFO_DESYNCS_MAX];
    uint64_t desync_count;
    uint64_t heal_count;
    uint64_t note_count;
    uint32_t cells[INFO_CELLS]; // commands of all
    bool has_keyframe_cells[INFO_CELLS];
    bool has_desync_cells[INFO_CELLS];
    uint64_t first_tick; // of the timeline
    uint64_t last_tick;
} info_summary;

/// @return ISO_OK; ISO_ERR_MEMORY; ISO_ERR_CORRUPT
iso_status iso__replay_info_summary_make(info_summary *summary, const iso_recording *recording);
void iso__replay_info_summary_free(info_summary *summary);

/// The summary for people. info_text.c
void iso__replay_info_print(const replay_file *file, const info_summary *summary, const uint64_t *last_root);

#endif
