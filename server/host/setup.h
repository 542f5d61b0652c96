/// What has to be there before a server serves: a scene, its world, an address.
#ifndef ISO_HOST_SETUP_H
#define ISO_HOST_SETUP_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>

#include "host/memory.h"
#include "host/options.h"
#include "isostep/proto/scene.h"

typedef struct iso__setup {
    iso_scene *scene;
    char *scene_text;        // from the heap
    size_t scene_size;
    iso_world *world;
    void *world_memory;
    size_t world_size;
    struct sockaddr_storage address;
} iso__setup;

/// Reads the scene, builds the world with the rate and seed of the options.
/// @return false after a message on standard error that names the option.
bool iso__setup_world(iso__setup *setup, const iso__options *options, const iso_game *const *games, size_t game_count,
                      iso__memory *memory);

/// Finds the address to listen on, and refuses one that others can reach without --allow-plaintext.
/// @return as above
bool iso__setup_address(iso__setup *setup, const iso__options *options);

/// Gives the memory back, the world's too.
void iso__setup_term(iso__setup *setup, iso__memory *memory);

#endif
