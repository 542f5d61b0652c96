/// Prerequisites of a server: scenes, their worlds, an address.
#ifndef ISO_HOST_SETUP_H
#define ISO_HOST_SETUP_H

#include <stdbool.h>
#include <stddef.h>

#include "base/memory.h"
#include "host/start/names.h"
#include "host/start/options.h"
#include "isostep/proto/recording.h"
#include "isostep/proto/scene.h"

/// A session's world with what it was created from.
typedef struct iso__setup {
    char *scene_text; // from the heap; written to recordings
    size_t scene_size;
    uint64_t scene_hash;
    char scene_name[ISO_RECORDING_TEXT_MAX + 1];
    iso__names names; // of the scene, if it can be read
    iso_world *world;
    void *world_memory;
    size_t world_size;
    bool scene_is_bad; // why there is no world: the scene is unreadable or cannot be hosted by this program
} iso__setup;

typedef struct iso__setup_request {
    const char *session;   // its name, for messages
    const char *scene;     // a built-in scene's name or a file's path
    const char *document;  // not NULL: the scene's text; `scene` then stands in messages only
    size_t document_size;  // [bytes]
    uint16_t tick_rate_hz; // 0: the scene's own
    bool has_seed;
    uint64_t seed;
    const iso_game *const *games;
    size_t game_count;
    iso__memory *memory; // for the world
    /// [bytes] of `memory` that all of the session takes: no world is built for one that takes too much.
    uint64_t (*measure)(void *user, const iso_world_def *def, const iso_game *game, size_t scene_size);
    void *measure_user;
} iso__setup_request;

/// The size of a session in whole MiB, as --memory counts.
static inline uint64_t iso__setup_mib(uint64_t size) {
    return (size >> 20) + (size % (1u << 20) != 0);
}

/// Says that a session takes more than its memory allows.
void iso__setup_report_need(const char *session, uint64_t size, iso__memory *memory);

/// Reads the scene, builds the world.
/// @return false after a message on standard error that names the session and what is wrong.
bool iso__setup_world(iso__setup *setup, const iso__setup_request *request);

/// Reads the scene and builds no world. @return false, without a message: it cannot be read, or is invalid
bool iso__setup_hash_scene(const iso__setup_request *request, uint64_t *hash);

/// Resolves the address to listen on, and refuses one that other machines can reach without --allow-plaintext.
/// @return as above
bool iso__setup_address(const iso__options *options, iso__address *address);
/// The same of --http, if it is given.
bool iso__setup_http_address(const iso__options *options, iso__address *address);

/// The same of --admin.
bool iso__setup_admin_address(const iso__options *options, iso__address *address);

/// Frees the memory, including the world's.
void iso__setup_term(iso__setup *setup, iso__memory *memory);

#endif
