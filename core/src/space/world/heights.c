/// Fields of heights of a world.
#include "space/world/heights.h"

#include <string.h>

const int16_t *iso__space_heights_samples(const iso__space *space, const iso__space_height_field *heights) {
    // Records of samples have nothing else, so those of a field lie behind one another.
    return (const int16_t *)(const void *)(space->height_blocks + heights->first_block);
}

iso_status iso_world_add_heights(iso_world *world, const iso_heights_def *def, uint32_t *index) {
    if (world->kernel->dimensions != 3) {
        return ISO_ERR_DIMENSION;
    }
    const iso_status status = iso_heights_def_check(def);
    if (status != ISO_OK) {
        return status;
    }
    iso__space *space = iso__space_of(world);
    iso__globals *globals = world->globals;
    const uint32_t blocks = iso__space_heights_block_count(def->columns, def->rows),
                   first = globals->height_block_count;
    if (globals->height_count >= iso__heights_capacity(&world->def) ||
        first + blocks > iso__height_block_capacity(&world->def)) {
        return ISO_ERR_CAPACITY;
    }
    *index = globals->height_count++;
    globals->height_block_count = first + blocks;
    space->heights[*index] = (iso__space_height_field){
        .cell = def->cell,
        .scale = def->scale,
        .first_block = first,
        .columns = def->columns,
        .rows = def->rows,
    };
    // Records that were never used are zero, and so is what the last one has left.
    memcpy(space->height_blocks + first, def->samples, sizeof(int16_t) * def->columns * def->rows);
    iso__mark_section_dirty(world, ISO_SECTION_HEIGHTS);
    iso__mark_section_dirty(world, ISO_SECTION_HEIGHT_SAMPLES);
    iso__mark_section_dirty(world, ISO_SECTION_GLOBALS);
    return ISO_OK;
}

iso_status iso_world_get_heights(const iso_world *world, uint32_t index, iso_heights_def *def) {
    if (world->kernel->dimensions != 3) {
        return ISO_ERR_DIMENSION;
    }
    if (index >= world->globals->height_count) {
        return ISO_ERR_STALE;
    }
    const iso__space *space = iso__space_of_const(world);
    const iso__space_height_field *heights = &space->heights[index];
    *def = (iso_heights_def){iso__space_heights_samples(space, heights), heights->columns, heights->rows, heights->cell,
                             heights->scale};
    return ISO_OK;
}
