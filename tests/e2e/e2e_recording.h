/// Recordings for tests, made without a server, right ones and ones that lie.
#ifndef ISO_TESTS_E2E_RECORDING_H
#define ISO_TESTS_E2E_RECORDING_H

#include "isostep/proto/recording.h"

typedef struct e2e_recording {
    uint8_t *bytes;
    size_t size;
    size_t capacity;
    iso_recording_chain chain;
    iso_recording_index_entry index[16];
    uint32_t index_count;
    uint64_t lie_root_at;     // this tick's root is recorded wrong; 0: none
    uint64_t lie_keyframe_at; // this keyframe's state is recorded wrong; 0: none
    uint32_t root_lag;        // ticks between a tick and the root that its frame carries
    uint32_t root_every;
    bool lies_about_schema;     // the header is of another version
    const char *scene;          // a built-in one; NULL: the sandbox
    uint32_t destroys;          // index of a body of the scene that is destroyed in tick 51; 0: none
    const iso_command *command; // that the member gives in tick 51, and no others; NULL: it steers and builds
    const char *name;           // the member's; NULL: Zoë
    bool has_events; // the member's name, a desync in tick 100, a lost connection in ticks 123 to 125, and its leaving
} e2e_recording;

/// Records `ticks` ticks of the sandbox with one member, who steers and builds. Keyframes stand every 300 ticks.
/// @param w  zeros, but for what is to be otherwise
void e2e_recording_make(e2e_recording *w, const char *path, uint64_t ticks);

/// Copies a file, cut to `size` bytes (0: whole), with one bit flipped at `flip_at` unless that is -1.
/// @return the size of the original
uint64_t e2e_file_copy(const char *from, const char *to, uint64_t size, int64_t flip_at);

#endif
