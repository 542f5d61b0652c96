/// Removes old recordings: --keep and --keep-all.
///
/// A file is removed when it is sealed and a limit of its session, or of all together, says so, the oldest first. Never
/// removed are the newest file of a session that is not over, which a later start continues, whatever is not sealed,
/// what was put aside, and a file that is being read (with a shared flock on it).
#ifndef ISO_HOST_RETENTION_H
#define ISO_HOST_RETENTION_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/gate.h"
#include "host/recordings/disk.h"

/// What is kept; 0: any amount.
typedef struct iso__keep_limits {
    uint64_t seconds; // since a file was sealed
    uint64_t files;   // sealed ones
    uint64_t bytes;   // of all files, also those that are not removed
} iso__keep_limits;

typedef struct iso__retention_config {
    iso__keep_limits session, all; // of each session, and of all sessions
    const iso__disk *disk;
} iso__retention_config;

typedef struct iso__retention {
    iso__retention_config config;
    iso__gate *gate;
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    pthread_t thread;
    bool is_stopping, is_running;
} iso__retention;

/// "30d", "1000n" or "20GiB" (also KiB, MiB, TiB). @return false: it is none of these
bool iso__keep_parse(iso__keep_limits *limits, const char *text);

/// Whether any limit is given.
bool iso__keep_has_limits(const iso__keep_limits *limits);

/// Removes what is to be removed. @param now_s  [s] of the system's clock, as of the times of files
/// @return how many files were removed
uint32_t iso__retention_turn(const iso__retention_config *config, int64_t now_s);

/// Starts a thread that does so once a minute. @return 0 or an errno value
int iso__retention_start(iso__retention *retention, const iso__retention_config *config, iso__gate *gate);
void iso__retention_stop(iso__retention *retention);

/// [bytes] of all files in the folder. @return false: it cannot be read
bool iso__retention_measure(const iso__disk *disk, uint64_t *bytes);

#endif
