/// Compression of snapshots on threads of their own. They are created before the server is ready: if they cannot be
/// created it does not start, instead of failing at its first snapshot.
#ifndef ISO_HOST_COMPRESS_H
#define ISO_HOST_COMPRESS_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/affinity.h"

#define ISO__COMPRESSORS_MAX 4u

struct iso__hosted;

typedef struct iso__compress_job iso__compress_job;

typedef struct iso__compressor {
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    iso__compress_job *first, *last; // jobs that wait
    bool is_stopping;
    iso__affinity io; // who pushes
    pthread_t threads[ISO__COMPRESSORS_MAX];
    uint32_t thread_count;
} iso__compressor;

/// @return 0 or an errno value; iso__compressor_stop must be called then as well
int iso__compressor_start(iso__compressor *compressor, uint32_t thread_count);

/// Compresses `bytes`, which must stay valid until the session's worker has received SNAPSHOT_ENCODED.
void iso__compressor_push(iso__compressor *compressor, struct iso__hosted *hosted, const uint8_t *bytes,
                          size_t byte_count, uint64_t tick);

/// Ends the threads; waiting jobs are dropped. To be called after the workers have ended and before the sessions are
/// freed.
void iso__compressor_stop(iso__compressor *compressor);

#endif
