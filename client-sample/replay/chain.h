/// isostep-replay: the files of one session, each continuing the previous one: after a file has become large, or in a
/// new epoch.
#ifndef ISO_REPLAY_CHAIN_H
#define ISO_REPLAY_CHAIN_H

#include "replay.h"

typedef struct replay_chain {
    char **paths;
    uint32_t count;
} replay_chain;

/// The given files in the order in which they were written, whatever the order of the arguments: by epoch and first tick,
/// from their headers, with unreadable ones first, so that they are reported at once. With `follow` also those of
/// the last one's session that come after it in its folder, by their names: NAME-UIDPREFIX-EPOCH[.NUMBER].isr or
/// .isr.part. @return false when memory is missing
bool iso__replay_chain_make(replay_chain *chain, char *const *paths, int count, bool follow);
void iso__replay_chain_free(replay_chain *chain);

/// Whether a recording continues another one: the same session and world, no earlier epoch, and its first state is one
/// of the other's. Prints on standard error what is not so, and the epochs between them without a file.
/// @return ISO_OK; ISO_ERR_DESYNC (it does not); or why that cannot be determined
iso_status iso__replay_chain_check(const replay_file *before, const replay_file *next);

/// The one of two files that the next one of the session can continue: the earlier one if both are of one epoch and it
/// has later ticks, as when a server was killed just after it began the second.
bool iso__replay_chain_is_ahead(const replay_file *before, const replay_file *next);

/// The number of epochs between the two without a file.
uint32_t iso__replay_chain_missing(const iso_recording_header *before, const iso_recording_header *next);

#endif
