/// Who may command what where a game has no rules of its own, or asks for ownership.
#include "isostep/game.h"

#include "world/world.h"

static iso_status authorize_owner(const iso_world *world, uint32_t slot, uint16_t owner_slot, uint32_t owner_generation) {
    const bool is_allowed = owner_slot == ISO_OWNER_EVERYONE ||
                            (owner_slot == slot && owner_generation == world->slots[slot].generation);
    return is_allowed ? ISO_OK : ISO_ERR_NOT_OWNER;
}

static iso_status authorize_body(const iso_world *world, uint32_t slot, iso_body_id body) {
    if (!iso__body_alive(world, body)) {
        return ISO_ERR_STALE;
    }
    return authorize_owner(world, slot, world->bodies[body.index].owner_slot, world->bodies[body.index].owner_generation);
}

/// A shape belongs to its body's owner.
static iso_status authorize_shape(const iso_world *world, uint32_t slot, iso_shape_id shape) {
    if (!iso__shape_alive(world, shape)) {
        return ISO_ERR_STALE;
    }
    const uint32_t body = world->shapes[shape.index].body;
    return authorize_body(world, slot, (iso_body_id){body, world->body_generations[body]});
}

static iso_status authorize_joint(const iso_world *world, uint32_t slot, iso_joint_id joint) {
    if (!iso__joint_alive(world, joint)) {
        return ISO_ERR_STALE;
    }
    return authorize_owner(world, slot, world->joints[joint.index].owner_slot, world->joints[joint.index].owner_generation);
}

/// As many bodies as there are.
static iso_status authorize_custom_joint(const iso_world *world, uint32_t slot, const iso_joint_def *joint) {
    const iso_body_id others[] = {joint->body_a, joint->body_c, joint->body_d};
    iso_status status = authorize_body(world, slot, joint->body_b);
    for (uint32_t i = 0; i < 3 && status == ISO_OK; ++i) {
        status = others[i].generation != 0 ? authorize_body(world, slot, others[i]) : ISO_OK;
    }
    return status;
}

/// Whoever joins bodies commands all of them.
static iso_status authorize_create_joint(const iso_world *world, uint32_t slot, const iso_joint_def *joint) {
    if ((iso_joint_kind_has(joint->kind) & ISO_JOINT_IS_CUSTOM) != 0) {
        return authorize_custom_joint(world, slot, joint);
    }
    if ((iso_joint_kind_has(joint->kind) & ISO_JOINT_HAS_BODY_A) != 0) {
        const iso_status status = authorize_body(world, slot, joint->body_a);
        if (status != ISO_OK) {
            return status;
        }
    }
    if ((iso_joint_kind_has(joint->kind) & ISO_JOINT_HAS_BODIES_CD) != 0) {
        iso_status status = authorize_body(world, slot, joint->body_c);
        status = status == ISO_OK ? authorize_body(world, slot, joint->body_d) : status;
        if (status != ISO_OK) {
            return status;
        }
    }
    return authorize_body(world, slot, joint->body_b);
}

iso_status iso_game_authorize_default(const iso_world *world, const void *state, uint32_t slot, const iso_command *command) {
    (void)world;
    (void)state;
    (void)slot;
    return command->kind == ISO_COMMAND_SET_CONTROL || command->kind == ISO_COMMAND_CUSTOM ? ISO_OK : ISO_ERR_REFUSED;
}

iso_status iso_game_authorize_owner(const iso_world *world, const void *state, uint32_t slot, const iso_command *command) {
    (void)state;
    switch ((iso_command_kind)command->kind) {
        case ISO_COMMAND_SET_CONTROL:
        case ISO_COMMAND_SPAWN_BODY:
        case ISO_COMMAND_CUSTOM:
            return ISO_OK;
        case ISO_COMMAND_DESTROY_BODY:
            return authorize_body(world, slot, command->as.destroy_body.body);
        case ISO_COMMAND_CREATE_SHAPE:
            return authorize_body(world, slot, command->as.create_shape.body);
        case ISO_COMMAND_DESTROY_SHAPE:
            return authorize_shape(world, slot, command->as.destroy_shape.shape);
        case ISO_COMMAND_CREATE_JOINT:
            return authorize_create_joint(world, slot, &command->as.create_joint.joint);
        case ISO_COMMAND_DESTROY_JOINT:
            return authorize_joint(world, slot, command->as.destroy_joint.joint);
        case ISO_COMMAND_APPLY_FORCE:
            return authorize_body(world, slot, command->as.apply_force.body);
        case ISO_COMMAND_APPLY_IMPULSE:
            return authorize_body(world, slot, command->as.apply_impulse.body);
        case ISO_COMMAND_APPLY_TORQUE:
            return authorize_body(world, slot, command->as.apply_torque.body);
        case ISO_COMMAND_APPLY_ANGULAR_IMPULSE:
            return authorize_body(world, slot, command->as.apply_angular_impulse.body);
        case ISO_COMMAND_SET_VELOCITY:
            return authorize_body(world, slot, command->as.set_velocity.body);
        case ISO_COMMAND_SET_TARGET:
            return authorize_joint(world, slot, command->as.set_target.joint);
        case ISO_COMMAND_SET_JOINT_MOTOR:
            return authorize_joint(world, slot, command->as.set_joint_motor.joint);
        case ISO_COMMAND_SET_JOINT_LIMITS:
            return authorize_joint(world, slot, command->as.set_joint_limits.joint);
        case ISO_COMMAND_SET_JOINT_SPRING:
            return authorize_joint(world, slot, command->as.set_joint_spring.joint);
        case ISO_COMMAND_SET_JOINT_BREAK:
            return authorize_joint(world, slot, command->as.set_joint_break.joint);
        case ISO_COMMAND_ENABLE_JOINT:
            return authorize_joint(world, slot, command->as.enable_joint.joint);
        case ISO_COMMAND_SET_JOINT:
            return authorize_joint(world, slot, command->as.set_joint.joint);
        case ISO_COMMAND_SET_GRAVITY:
            return ISO_ERR_REFUSED;
        case ISO_COMMAND_SET_FILTER:
            return authorize_shape(world, slot, command->as.set_filter.shape);
        case ISO_COMMAND_SET_BODY_TYPE:
            return authorize_body(world, slot, command->as.set_body_type.body);
        case ISO_COMMAND_SET_BODY_PARAMS:
            return authorize_body(world, slot, command->as.set_body_params.body);
        case ISO_COMMAND_SET_BODY_MASS:
            return authorize_body(world, slot, command->as.set_body_mass.body);
        case ISO_COMMAND_MOVE_KINEMATIC:
            return authorize_body(world, slot, command->as.move_kinematic.body);
    }
    return ISO_ERR_REFUSED;
}
