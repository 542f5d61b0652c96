/// isostep-replay: the files of one session, each continuing the previous one: after a file has become large, or in a
/// new epoch.
#ifndef ISO_REPLAY_CHAIN_H
#define ISO_REPLAY_CHAIN_H

#include "replay.h"

typedef struct replay_chain {
    char **paths;
    uint32_t count;
} replay_chain;

/// The given files in the order in which they were written, whatever the order of the arguments: by epoch and first
/// tick, from their headers, with unreadable ones first, so that they are reported at once. With `follow` also those of
/// the last one's session that come after it in its folder, by their names: NAME-UIDPREFIX-EPOCH[.NUMBER].isr or
/// .isr.part. @return false when memory is missing
bool iso__replay_chain_make(replay_chain *chain, char *const *paths, int count, bool follow);
void iso__replay_chain_free(replay_chain *chain);

/// How a recording stands to one before it.
typedef enum replay_link {
    REPLAY_LINK_GOES_ON, // its first state is one of the other's
    REPLAY_LINK_STATE,   // it begins with another state, or before the other
    REPLAY_LINK_GAP,     // no file has the ticks between them
    REPLAY_LINK_VERSION, // it is of another version, which computes other states
    REPLAY_LINK_SESSION, // it is of another session, or of an earlier epoch
} replay_link;

/// Whether a recording continues another one: the same session and world, no earlier epoch, and its first state is one
/// of the other's.
/// @return ISO_OK, with `link`; or why that cannot be determined
iso_status iso__replay_chain_check(const replay_file *before, const replay_file *next, replay_link *link);

/// Prints on standard error the epochs between two files that follow each other without a file. Which of the files
/// before a file continues does not matter to that.
void iso__replay_chain_report_missing(const iso_recording_header *before, const iso_recording_header *next);

/// Prints on standard error what is between the two.
void iso__replay_chain_report(const replay_file *before, const replay_file *next, replay_link link);

/// How many ticks of a file are no part of the one that continues it, since its session went back to an earlier tick.
uint64_t iso__replay_chain_overlap(const replay_file *before, const replay_file *next);

/// The one of two files that the next one of the session can continue: the earlier one if both are of one epoch and it
/// has later ticks, as when a server was killed just after it began the second.
bool iso__replay_chain_is_ahead(const replay_file *before, const replay_file *next);

/// The number of epochs between the two without a file.
uint32_t iso__replay_chain_missing(const iso_recording_header *before, const iso_recording_header *next);

#endif
