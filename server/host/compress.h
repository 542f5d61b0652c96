/// Compression of snapshots on threads of their own, which are made before the server is ready: without room for them it
/// does not start, rather than end at its first snapshot.
#ifndef ISO_HOST_COMPRESS_H
#define ISO_HOST_COMPRESS_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ISO__COMPRESSORS_MAX 4u

struct iso__hosted;

typedef struct iso__compress_job iso__compress_job;

typedef struct iso__compressor {
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    iso__compress_job *first, *last; // what waits
    bool is_stopping;
    pthread_t threads[ISO__COMPRESSORS_MAX];
    uint32_t thread_count;
} iso__compressor;

/// @return 0 or an errno value; iso__compressor_stop is due then as well
int iso__compressor_start(iso__compressor *compressor, uint32_t thread_count);

/// Compresses `bytes`, which must stay until then; the session's worker gets SNAPSHOT_ENCODED.
void iso__compressor_push(iso__compressor *compressor, struct iso__hosted *hosted, const uint8_t *bytes,
                          size_t byte_count, uint64_t tick);

/// Ends the threads; what waits is left out. After the workers' end, and before the sessions'.
void iso__compressor_stop(iso__compressor *compressor);

#endif
