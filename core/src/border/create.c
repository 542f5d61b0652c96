/// Worlds: their size, their creation, their start.
#include <string.h>

#include "base/random.h"
#include "border/kernels.h"
#include "isostep/simd.h"
#include "isostep/world.h"
#include "world/world.h"

static bool create_game_fits(const iso_world_def *def, const iso_game *game) {
    if (!game) {
        return def->game[0] == 0;
    }
    uint32_t i = 0;
    while (i < ISO_GAME_NAME_MAX && def->game[i] != 0 && def->game[i] == game->name[i]) {
        ++i;
    }
    return def->game[i] == game->name[i];
}

size_t iso_world_size(const iso_world_def *def, const iso_game *game) {
    if (iso_world_def_check(def, NULL) != ISO_OK) {
        return 0;
    }
    iso_world measured = {0};
    const iso__kernel *kernel = iso__kernel_of(def);
    const uint64_t size = kernel != NULL ? kernel->lay_out(&measured, def, game, NULL) : 0;
    return (size_t)size == size ? (size_t)size : SIZE_MAX;
}

iso_status iso_world_create(const iso_world_def *def, const iso_game *game, void *memory, size_t size,
                            iso_world **world) {
    const iso_status status = iso_world_def_check(def, NULL);
    if (status != ISO_OK) {
        return status;
    }
    if (!create_game_fits(def, game)) {
        return ISO_ERR_UNKNOWN_NAME;
    }
    if (iso__kernel_of(def) == NULL || (game != NULL && !iso_game_has_dimensions(game, def->dimensions))) {
        return ISO_ERR_DIMENSION;
    }
    if (game != NULL && iso_game_check(game, NULL, 0) != ISO_OK) {
        return ISO_ERR_RANGE;
    }
    const size_t needed = iso_world_size(def, game);
    if (memory == NULL || size < needed || needed == SIZE_MAX || ((uintptr_t)memory & 63u) != 0) {
        return ISO_ERR_BUFFER;
    }
    memset(memory, 0, needed);
    iso_world *made = memory;
    made->kernel = iso__kernel_of(def);
    made->kernel->lay_out(made, def, game, memory);
    made->def = *def;
    made->game = game;
    made->block_size = needed;
    made->simd = iso_simd_best();
    iso__random_seed(made->globals->random, def->seed);
    made->kernel->begin(made);
    *world = made;
    return ISO_OK;
}

iso_status iso_world_set_simd(iso_world *world, iso_simd set) {
    if ((unsigned)set >= ISO_SIMD_COUNT) {
        return ISO_ERR_BAD_ENUM;
    }
    if (!iso_simd_is_supported(set)) {
        return ISO_ERR_UNSUPPORTED;
    }
    world->simd = set;
    return ISO_OK;
}

iso_simd iso_world_get_simd(const iso_world *world) {
    return world->simd;
}

void iso_world_start(iso_world *world) {
    if (world->game && world->game->start) {
        world->game->start(world, world->game_state);
    }
    iso__mark_section_dirty(world, ISO_SECTION_GLOBALS);
    iso__mark_section_dirty(world, ISO_SECTION_GAME);
}

void iso_world_drop_caches(iso_world *world) {
    world->kernel->drop_caches(world);
}
