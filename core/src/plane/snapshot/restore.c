/// See restore.h.
#include "plane/snapshot/restore.h"

#include "plane/world/custom.h"
#include "plane/world/joint.h"
#include "plane/world/wake.h"
#include "world/events.h"
#include "world/slots.h"

static void restore_clear_forces(iso__plane *plane) {
    for (uint32_t w = 0; w < (plane->world.def.body_capacity + 63u) / 64u; ++w) {
        for (uint64_t bits = plane->world.forced[w]; bits != 0; bits &= bits - 1) {
            plane->forces[w * 64u + (uint32_t)__builtin_ctzll(bits)] = (iso__plane_body_force){0};
        }
        plane->world.forced[w] = 0;
        plane->move_bits[w] = 0;
    }
}

static void restore_clear_blueprints(iso__plane *plane, const iso__globals *next) {
    const iso__globals *globals = plane->world.globals;
    for (uint32_t i = next->blueprint_count; i < globals->blueprint_count; ++i) {
        plane->blueprints[i] = (iso__plane_blueprint){0};
    }
    for (uint32_t i = next->blueprint_body_count; i < globals->blueprint_body_count; ++i) {
        plane->blueprint_bodies[i] = (iso__plane_body){0};
    }
    for (uint32_t i = next->blueprint_shape_count; i < globals->blueprint_shape_count; ++i) {
        plane->blueprint_shapes[i] = (iso__plane_shape){0};
    }
    for (uint32_t i = next->blueprint_joint_count; i < globals->blueprint_joint_count; ++i) {
        plane->blueprint_joints[i] = (iso__plane_blueprint_joint){0};
    }
}

void iso__plane_world_clear(iso_world *world, const iso__globals *next) {
    iso__plane *plane = iso__plane_of(world);
    restore_clear_forces(plane);
    const iso__globals *globals = world->globals;
    for (uint32_t i = next->body_count; i < globals->body_count; ++i) {
        plane->bodies[i] = (iso__plane_body){0};
        world->body_generations[i] = 0;
    }
    for (uint32_t i = next->shape_count; i < globals->shape_count; ++i) {
        plane->shapes[i] = (iso__plane_shape){0};
        world->shape_generations[i] = 0;
    }
    for (uint32_t i = next->joint_count; i < globals->joint_count; ++i) {
        plane->joints[i] = (iso__plane_joint){0};
        world->joint_generations[i] = 0;
    }
    for (uint32_t i = next->compound_count; i < globals->compound_count; ++i) {
        plane->compounds[i] = (iso__plane_compound){0};
        world->compound_generations[i] = 0;
    }
    restore_clear_blueprints(plane, next);
    for (uint32_t i = next->program_count; i < globals->program_count; ++i) {
        world->programs[i] = (iso_program){0};
    }
    for (uint32_t i = next->custom_joint_count; i < globals->custom_joint_count; ++i) {
        plane->custom_joints[i] = (iso__plane_custom_joint){0};
    }
}

void iso__plane_world_arrive(iso_world *world) {
    iso__plane *plane = iso__plane_of(world);
    iso__maps_rebuild(world);
    iso__plane_custom_rebuild_map(plane);
    for (uint32_t w = 0; w < (world->def.body_capacity + 63u) / 64u; ++w) {
        world->awake[w] = world->kinematic[w] = world->asleep[w] = 0; // beyond the used slots all records are zero
        world->jointed[w] = 0;
    }
    world->asleep_count = 0;
    for (uint32_t i = 0; i < world->globals->body_count; ++i) {
        iso__plane_body_refresh_awake(plane, i);
    }
    for (uint32_t i = 0; i < world->globals->joint_count; ++i) {
        if (plane->joints[i].kind != 0) {
            iso__plane_joint_note_bodies(world, &plane->joints[i]);
        }
    }
    plane->has_changed_rows = true; // the joints' list and colours are made again
    plane->has_changed_surfaces = true;
    world->result_count = 0;
    iso__events_clear(world);
}
