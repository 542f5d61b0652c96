/// Executes commands in space: checks of the state, effect.
///
/// A refused command leaves the world as it was, but for the count of refused commands. What has no coordinates is that
/// of the plane: step/room.h.
#include "space/command/apply.h"

#include "isostep/body3.h"
#include "isostep/joint3.h"
#include "isostep/shape3.h"
#include "space/joint/joint.h"
#include "space/world/shape.h"
#include "step/apply_handle.h"
#include "step/room.h"
#include "world/kernel.h"
#include "world/slots.h"

static iso_status apply3_add_shape(iso_world *world, uint32_t slot, iso_body_id body, const iso_shape3_def *def,
                                   iso_shape_id *shape) {
    const iso_status status = iso__space_shape_create(world, body, def, shape); // the input's check has accepted it
    if (status == ISO_OK) {
        world->kernel->own_shape(world, shape->index, iso__slot_owner(world, slot));
    }
    return status;
}

static iso_status apply3_spawn_body(iso_world *world, uint32_t slot, const iso_command_spawn_body3 *spawn,
                                    uint64_t *created) {
    iso_status status = iso__command_check_room(world, slot, 1, 1);
    if (status != ISO_OK) {
        return status;
    }
    iso_body3_def def = spawn->body;
    def.owner = iso__slot_owner(world, slot);
    def.params = iso_body3_params_default();
    const uint32_t used_bodies = world->globals->body_count, used_shapes = world->globals->shape_count;
    iso_body_id body;
    status = iso_body3_create(world, &def, &body);
    if (status != ISO_OK) {
        return status;
    }
    iso_shape_id shape;
    status = apply3_add_shape(world, slot, body, &spawn->shape, &shape);
    const bool has_shape = status == ISO_OK;
    if (has_shape && def.type != ISO_BODY_STATIC) {
        // Once more: only now the body has the moments that make a momentum of its angular velocity, and the radius
        // that bounds this.
        status = iso_body3_set_velocity(world, body, def.velocity, def.angular_velocity);
    }
    if (status != ISO_OK) {
        iso__command_undo_body(world, body, used_bodies);
        if (has_shape) {
            iso__command_undo_shape(world, shape, used_shapes);
        }
        return status;
    }
    *created = iso_id_pack(body.index, body.generation);
    return ISO_OK;
}

/// Whether a body may have one more shape by a command: with each its mass is summed anew, and all of its hulls are
/// moved.
static bool apply3_has_room(const iso_world *world, iso_body_id body, uint8_t kind) {
    uint32_t count = kind == ISO_SHAPE3_HULL ? ISO_COMMAND_HULL_SHAPES : 1;
    for (iso_shape_id shape = iso_body_next_shape(world, body, 0); shape.generation != 0;
         shape = iso_body_next_shape(world, body, shape.index + 1)) {
        iso_shape3_def def;
        iso_body_id of;
        const bool is_hull = iso_shape3_get(world, shape, &def, &of) == ISO_OK && def.kind == ISO_SHAPE3_HULL;
        count += is_hull ? ISO_COMMAND_HULL_SHAPES : 1;
    }
    return count <= ISO_COMMAND_BODY3_SHAPES_MAX;
}

/// To a body that the member owns, or that everyone owns.
static iso_status apply3_create_shape(iso_world *world, uint32_t slot, const iso_command_create_shape3 *create,
                                      uint64_t *created) {
    iso_status status = iso__command_check_room(world, slot, 0, 1);
    if (status != ISO_OK) {
        return status;
    }
    if (!apply3_has_room(world, create->body, create->shape.kind)) {
        return ISO_ERR_QUOTA;
    }
    iso_shape_id shape;
    status = apply3_add_shape(world, slot, create->body, &create->shape, &shape);
    if (status == ISO_OK) {
        *created = iso_id_pack(shape.index, shape.generation);
    }
    return status;
}

static iso_status apply3_create_joint(iso_world *world, uint32_t slot, const iso_command_create_joint3 *create,
                                      uint64_t *created) {
    if (!iso__command_has_joint_quota(world, slot, 1)) {
        return ISO_ERR_QUOTA;
    }
    iso_joint3_def def = create->joint;
    def.owner = iso__slot_owner(world, slot);
    iso_joint_id joint;
    iso_status status = iso__space_joint_motor_check(world, &def);
    status = status == ISO_OK ? iso_joint3_create(world, &def, &joint) : status;
    if (status == ISO_OK) {
        *created = iso_id_pack(joint.index, joint.generation);
    }
    return status;
}

static iso_status apply3_set_joint(iso_world *world, const iso_command_set_joint3 *set) {
    iso_joint3_def own, def = set->definition;
    iso_status status = iso_joint3_get(world, set->joint, &own);
    if (status == ISO_OK) {
        def.body_a = own.body_a; // which may be left out
        def.body_b = own.body_b;
        status = def.kind == own.kind ? iso__space_joint_motor_check(world, &def) : ISO_ERR_WRONG_TYPE;
    }
    return status == ISO_OK ? iso_joint3_set(world, set->joint, &set->definition) : status;
}

static iso_status apply3_set_axis(iso_world *world, const iso_command_set_joint_axis3 *set) {
    iso_joint3_def def;
    iso_status status = iso_joint3_get(world, set->joint, &def);
    if (status == ISO_OK) {
        def.axes[set->axis] = set->definition;
        status = iso__space_joint_motor_check(world, &def);
    }
    return status == ISO_OK ? iso_joint3_set_axis(world, set->joint, set->axis, &set->definition) : status;
}

static iso_status apply3_joint_change(iso_world *world, const iso_command *command) {
    switch ((iso_command_kind)command->kind) {
    case ISO_COMMAND_SET_JOINT3:
        return apply3_set_joint(world, &command->as.set_joint3);
    case ISO_COMMAND_SET_JOINT_AXIS3:
        return apply3_set_axis(world, &command->as.set_joint_axis3);
    case ISO_COMMAND_SET_TARGET3:
        return iso_joint3_set_target(world, command->as.set_target3.joint, command->as.set_target3.target);
    default:
        return ISO_ERR_BAD_ENUM;
    }
}

static iso_status apply3_shape_change(iso_world *world, const iso_command *command) {
    switch ((iso_command_kind)command->kind) {
    case ISO_COMMAND_SET_SHAPE_FRICTION:
        return iso_shape3_set_friction(world, command->as.set_shape_friction.shape,
                                       command->as.set_shape_friction.friction);
    case ISO_COMMAND_SET_SHAPE_RESTITUTION:
        return iso_shape3_set_restitution(world, command->as.set_shape_restitution.shape,
                                          command->as.set_shape_restitution.restitution);
    case ISO_COMMAND_SET_SHAPE_DENSITY:
        return iso_shape3_set_density(world, command->as.set_shape_density.shape,
                                      command->as.set_shape_density.density);
    default:
        return ISO_ERR_BAD_ENUM;
    }
}

static iso_status apply3_body_change(iso_world *world, const iso_command *command) {
    switch ((iso_command_kind)command->kind) {
    case ISO_COMMAND_SET_BODY_TYPE:
        return iso_body3_set_type(world, command->as.set_body_type.body, command->as.set_body_type.type);
    case ISO_COMMAND_SET_BODY_PARAMS3:
        return iso_body3_set_params(world, command->as.set_body_params3.body, &command->as.set_body_params3.params);
    case ISO_COMMAND_SET_BODY_MASS3: {
        const iso_command_set_body_mass3 *set = &command->as.set_body_mass3;
        const iso_wide moments[3] = {set->moments.x, set->moments.y, set->moments.z};
        return iso_body3_set_mass(world, set->body, set->mass, moments);
    }
    case ISO_COMMAND_SET_BODY_POSITION3:
        return iso_body3_set_position(world, command->as.set_body_position3.body,
                                      command->as.set_body_position3.position, command->as.set_body_position3.rotation);
    default:
        return ISO_ERR_BAD_ENUM;
    }
}

static iso_status apply3_motion(iso_world *world, const iso_command *command) {
    switch ((iso_command_kind)command->kind) {
    case ISO_COMMAND_APPLY_FORCE3:
        return iso_body3_apply_force(world, command->as.apply_force3.body, command->as.apply_force3.force,
                                     command->as.apply_force3.point);
    case ISO_COMMAND_APPLY_IMPULSE3:
        return iso_body3_apply_impulse(world, command->as.apply_impulse3.body, command->as.apply_impulse3.impulse,
                                       command->as.apply_impulse3.point);
    case ISO_COMMAND_APPLY_TORQUE3:
        return iso_body3_apply_torque(world, command->as.apply_torque3.body, command->as.apply_torque3.torque);
    case ISO_COMMAND_APPLY_ANGULAR_IMPULSE3:
        return iso_body3_apply_angular_impulse(world, command->as.apply_angular_impulse3.body,
                                               command->as.apply_angular_impulse3.impulse);
    case ISO_COMMAND_SET_VELOCITY3:
        return iso_body3_set_velocity(world, command->as.set_velocity3.body, command->as.set_velocity3.velocity,
                                      command->as.set_velocity3.angular_velocity);
    default:
        return ISO_ERR_BAD_ENUM;
    }
}

iso_status iso__space_command_apply(iso_world *world, uint32_t slot, const iso_command *command, uint64_t *created) {
    switch ((iso_command_kind)command->kind) {
    case ISO_COMMAND_SPAWN_BODY3:
        return apply3_spawn_body(world, slot, &command->as.spawn_body3, created);
    case ISO_COMMAND_CREATE_SHAPE3:
        return apply3_create_shape(world, slot, &command->as.create_shape3, created);
    case ISO_COMMAND_CREATE_JOINT3:
        return apply3_create_joint(world, slot, &command->as.create_joint3, created);
    case ISO_COMMAND_SET_JOINT3:
    case ISO_COMMAND_SET_JOINT_AXIS3:
    case ISO_COMMAND_SET_TARGET3:
        return apply3_joint_change(world, command);
    case ISO_COMMAND_APPLY_FORCE3:
    case ISO_COMMAND_APPLY_IMPULSE3:
    case ISO_COMMAND_APPLY_TORQUE3:
    case ISO_COMMAND_APPLY_ANGULAR_IMPULSE3:
    case ISO_COMMAND_SET_VELOCITY3:
        return apply3_motion(world, command);
    case ISO_COMMAND_SET_GRAVITY3:
        return iso_world_set_gravity3(world, command->as.set_gravity3.gravity);
    case ISO_COMMAND_SET_SHAPE_FRICTION:
    case ISO_COMMAND_SET_SHAPE_RESTITUTION:
    case ISO_COMMAND_SET_SHAPE_DENSITY:
        return apply3_shape_change(world, command);
    case ISO_COMMAND_SET_BODY_TYPE:
    case ISO_COMMAND_SET_BODY_PARAMS3:
    case ISO_COMMAND_SET_BODY_MASS3:
    case ISO_COMMAND_SET_BODY_POSITION3:
        return apply3_body_change(world, command);
    ISO__CASES_OF_HANDLES:
        return iso__command_apply_handle(world, command);
    case ISO_COMMAND_SET_CONTROL:
    case ISO_COMMAND_CUSTOM:
        ISO_COMMAND_KIND_LIST(ISO__CASE_UNLESS_SPACE)
        break;
    }
    return ISO_ERR_BAD_ENUM; // the border carries out the first two, and the input's check has refused the others
}
