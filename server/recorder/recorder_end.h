/// How a file ends: with its FOOTER, or, after an error, cut after its last complete tick.
#ifndef ISO_RECORDER_END_H
#define ISO_RECORDER_END_H

#include "recorder_state.h"

/// Puts FOOTER and trailer after the waiting bytes. @return false when they do not fit
bool iso__recorder_put_end(iso_recorder *recorder, uint64_t last_tick);

/// Notes an error; only the first one is reported.
void iso__recorder_note_error(iso_recorder *recorder, iso_status status);

/// Ends the recording early. Waiting bytes are dropped, except those that are being written.
void iso__recorder_degrade(iso_recorder *recorder, iso_status status);

/// Whether header and first keyframe are written.
bool iso__recorder_is_started(const iso_recorder *recorder);

/// End of the last written commit, where a degraded file is cut: after the last complete tick, or after the first
/// keyframe.
uint64_t iso__recorder_commit_end(iso_recorder *recorder);

/// The file ends after its last complete tick: seal it there, unless that was tried before.
void iso__recorder_seal_cut_file(iso_recorder *recorder);

#endif
