/// What commands have to go through: see iso_world_weigh_command.
#include "isostep/command.h"

#include "base/assert.h"
#include "isostep/compound.h"
#include "isostep/world.h"
#include "world/kernel.h"
#include "world/slots.h"

/// The body whose shapes a command goes through; null when there is none yet.
/// @param goes_through  whether the kind has one
static iso_body_id weight_body(const iso_world *world, const iso_command *command, bool *goes_through) {
    iso_shape_id shape;
    *goes_through = true;
    switch ((iso_command_kind)command->kind) {
#define WEIGHT_BODY(NAME, snake) \
    case ISO_COMMAND_##NAME:     \
        return command->as.snake.body;
        WEIGHT_BODY(DESTROY_BODY, destroy_body)
        WEIGHT_BODY(CREATE_SHAPE, create_shape)
        WEIGHT_BODY(SET_BODY_TYPE, set_body_type)
        WEIGHT_BODY(SET_BODY_PARAMS, set_body_params)
        WEIGHT_BODY(SET_BODY_MASS, set_body_mass)
        WEIGHT_BODY(MOVE_KINEMATIC, move_kinematic)
        WEIGHT_BODY(SET_BODY_POSITION, set_body_position)
        WEIGHT_BODY(CREATE_SHAPE3, create_shape3)
        WEIGHT_BODY(SET_BODY_PARAMS3, set_body_params3)
        WEIGHT_BODY(SET_BODY_MASS3, set_body_mass3)
        WEIGHT_BODY(SET_BODY_POSITION3, set_body_position3)
#undef WEIGHT_BODY
    case ISO_COMMAND_DESTROY_SHAPE:
        shape = command->as.destroy_shape.shape;
        break;
    case ISO_COMMAND_SET_SHAPE_DENSITY:
        shape = command->as.set_shape_density.shape;
        break;
    default:
        *goes_through = false;
        return (iso_body_id){0, 0};
    }
    if (!iso__shape_is_alive(world, shape)) {
        return (iso_body_id){0, 0};
    }
    const uint32_t body = world->kernel->shape_body(world, shape.index);
    return (iso_body_id){body, world->body_generations[body]};
}

static uint32_t weight_count_parts(const iso_world *world, uint32_t body) {
    uint32_t count = 0;
    for (uint32_t s = world->kernel->next_shape(world, body, 0); s != UINT32_MAX;
         s = world->kernel->next_shape(world, body, s + 1)) {
        count += 1;
    }
    return count;
}

static void weight_add_body(const iso_world *world, iso_body_id body, iso_command_weight *weight) {
    for (uint32_t s = world->kernel->next_shape(world, body.index, 0); s != UINT32_MAX;
         s = world->kernel->next_shape(world, body.index, s + 1)) {
        weight->parts += 1;
        weight->hulls += world->kernel->shape_is_hull(world, s);
    }
    for (iso_joint_id j = iso_body_next_joint(world, body, 0); j.generation != 0;
         j = iso_body_next_joint(world, body, j.index + 1)) {
        weight->ties += 1;
    }
}

/// The body of a member that has the most shapes; null without one.
static iso_body_id weight_dearest(const iso_world *world, uint32_t slot) {
    iso_body_id dearest = {0, 0};
    uint32_t most = 0;
    for (uint32_t i = 0; i < world->globals->body_count; ++i) {
        if (!iso__generation_is_alive(world->body_generations[i])) {
            continue;
        }
        const iso_owner owner = world->kernel->body_owner(world, i);
        const uint32_t count = owner.slot == slot ? weight_count_parts(world, i) : 0;
        if (count > most) {
            most = count;
            dearest = (iso_body_id){i, world->body_generations[i]};
        }
    }
    return dearest;
}

static void weight_add_compound(const iso_world *world, iso_compound_id compound, iso_command_weight *weight) {
    for (iso_body_id b = iso_compound_next_body(world, compound, 0); b.generation != 0;
         b = iso_compound_next_body(world, compound, b.index + 1)) {
        weight_add_body(world, b, weight);
    }
}

static uint32_t weight_corners(const iso_command *command) {
    switch ((iso_command_kind)command->kind) {
    case ISO_COMMAND_SPAWN_BODY:
        return command->as.spawn_body.shape.point_count;
    case ISO_COMMAND_CREATE_SHAPE:
        return command->as.create_shape.shape.point_count;
    case ISO_COMMAND_SPAWN_BODY3:
        return command->as.spawn_body3.shape.point_count;
    case ISO_COMMAND_CREATE_SHAPE3:
        return command->as.create_shape3.shape.point_count;
    default:
        return 0;
    }
}

static void weight_add_subject(const iso_world *world, uint32_t slot, const iso_command *command,
                               iso_command_weight *weight) {
    iso_blueprint_view view;
    bool goes_through;
    const iso_body_id body = weight_body(world, command, &goes_through);
    if (goes_through) {
        const iso_body_id there = iso__body_is_alive(world, body) ? body : weight_dearest(world, slot);
        if (there.generation != 0) {
            weight_add_body(world, there, weight);
        } else {
            weight->parts = 1;
        }
    } else if (command->kind == ISO_COMMAND_DESTROY_COMPOUND) {
        weight_add_compound(world, command->as.destroy_compound.compound, weight);
    } else if (command->kind == ISO_COMMAND_SET_COMPOUND_POSITION) {
        weight_add_compound(world, command->as.set_compound_position.compound, weight);
    } else if (command->kind == ISO_COMMAND_SPAWN_COMPOUND &&
               iso_world_get_blueprint(world, command->as.spawn_compound.blueprint, &view)) {
        weight->parts = view.body_count + view.shape_count;
        weight->ties = view.joint_count;
    }
}

void iso_world_weigh_command(const iso_world *world, uint32_t slot, const iso_command *command,
                             iso_command_weight *weight) {
    ISO_ASSERT(world != NULL && command != NULL);
    *weight = (iso_command_weight){.corners = weight_corners(command)};
    const uint32_t bodies = world->body_map.alive_count, contacts = world->globals->contact_count;
    weight->crowd = bodies + world->shape_map.alive_count + world->joint_map.alive_count + contacts;
    weight_add_subject(world, slot, command, weight);
    weight->pairs = (uint64_t)weight->parts * (bodies + contacts);
}
