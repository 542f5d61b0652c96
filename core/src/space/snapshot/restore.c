/// See restore.h.
#include "space/snapshot/restore.h"

#include "space/world/body_wake.h"
#include "space/world/custom.h"
#include "step/waking.h"
#include "world/events.h"
#include "world/slots.h"

void iso__space_clear(iso_world *world, const iso__globals *next) {
    iso__space *space = iso__space_of(world);
    const iso__globals *globals = world->globals;
    for (uint32_t w = 0; w < (world->def.body_capacity + 63u) / 64u; ++w) {
        for (uint64_t bits = world->forced[w]; bits != 0; bits &= bits - 1) {
            space->forces[w * 64u + (uint32_t)__builtin_ctzll(bits)] = (iso__space_body_force){0};
        }
        world->forced[w] = 0;
    }
    for (uint32_t i = next->body_count; i < globals->body_count; ++i) {
        space->bodies[i] = (iso__space_body){0};
        world->body_generations[i] = 0;
    }
    for (uint32_t i = next->shape_count; i < globals->shape_count; ++i) {
        space->shapes[i] = (iso__space_shape){0};
        world->shape_generations[i] = 0;
    }
    for (uint32_t i = next->joint_count; i < globals->joint_count; ++i) {
        space->joints[i] = (iso__space_joint){0};
        world->joint_generations[i] = 0;
    }
    for (uint32_t i = next->own_mass_count; i < globals->own_mass_count; ++i) {
        space->own_masses[i] = (iso__space_own_mass){0};
    }
    for (uint32_t i = next->height_count; i < globals->height_count; ++i) {
        space->heights[i] = (iso__space_height_field){0};
    }
    for (uint32_t i = next->height_block_count; i < globals->height_block_count; ++i) {
        space->height_blocks[i] = (iso__space_height_block){0};
    }
    for (uint32_t i = next->program_count; i < globals->program_count; ++i) {
        world->programs[i] = (iso_program){.version = 0};
    }
    for (uint32_t i = next->custom_joint_count; i < globals->custom_joint_count; ++i) {
        space->custom_joints[i] = (iso__space_custom_joint){.kind = 0};
    }
}

void iso__space_arrive(iso_world *world) {
    iso__maps_rebuild(world);
    iso__space_of(world)->has_stale_pairs = true;
    iso__space_custom_rebuild_map(iso__space_of(world));
    for (uint32_t w = 0; w < (world->def.body_capacity + 63u) / 64u; ++w) {
        world->awake[w] = world->kinematic[w] = world->asleep[w] = 0; // beyond the used slots all records are zero
        world->jointed[w] = 0;
        world->displaced[w] = UINT64_MAX;
    }
    world->asleep_count = 0;
    for (uint32_t i = 0; i < world->globals->body_count; ++i) {
        iso__space_body_refresh_awake(world, i);
    }
    for (uint32_t i = 0; i < world->globals->joint_count; ++i) {
        const iso__space_joint *joint = &iso__space_of(world)->joints[i];
        if (joint->kind != 0) {
            iso__jointed_note(world, (const uint32_t[]){joint->body_a, joint->body_b}, 2);
        }
    }
    world->result_count = 0;
    iso__events_clear(world);
}
