/// One tick of any world: the input, the game, the movement. core/ARCHITECTURE.md walks through it.
#include "border/tick_input.h"
#include "isostep/world.h"
#include "world/kernel.h"
#include "world/world.h"

iso_status iso_world_step(iso_world *world, const iso_tick_input *input) {
    const iso_status status = iso__tick_input_check(world, input);
    if (status != ISO_OK) {
        return status;
    }
    uint64_t since = world->profile_clock ? world->profile_clock(world->profile_user) : 0;
    ++world->globals->tick;
    world->is_stepping = true;
    world->kernel->begin_step(world);
    iso__world_apply_changes(world, input);
    world->kernel->limit(world);
    iso__world_apply_commands(world, input);
    if (world->game && world->game->before_step) {
        world->game->before_step(world, world->game_state);
    }
    iso__profile_stage(world, &since, &world->profile.commands);
    world->kernel->simulate(world, &since);
    if (world->game && world->game->after_step) {
        world->game->after_step(world, world->game_state);
    }
    world->is_stepping = false;
    iso__mark_section_dirty(world, ISO_SECTION_GLOBALS);
    iso__mark_section_dirty(world, ISO_SECTION_GAME);
    iso__profile_stage(world, &since, &world->profile.finish);
    return ISO_OK;
}

iso_status iso_world_step_empty(iso_world *world) {
    const iso_tick_input input = {.tick = world->globals->tick + 1};
    return iso_world_step(world, &input);
}
