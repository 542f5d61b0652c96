/// Executes commands: authorisation, checks of the state, effect.
///
/// A refused command leaves the world as it was, but for the count of refused commands.
#include "plane/command/apply.h"

#include "plane/joint/joint.h"
#include "plane/world/spin.h"
#include "step/apply_handle.h"
#include "step/room.h"
#include "world/kernel.h"
#include "world/slots.h"

static iso_status apply_add_shape(iso_world *world, uint32_t slot, iso_body_id body, const iso_shape_def *def,
                                  iso_shape_id *shape) {
    const iso_status status = iso_shape_create(world, body, def, shape);
    if (status == ISO_OK) {
        world->kernel->own_shape(world, shape->index, iso__slot_owner(world, slot));
    }
    return status;
}

static iso_status apply_spawn_body(iso__plane *plane, uint32_t slot, const iso_command_spawn_body *spawn,
                                   uint64_t *created_id) {
    iso_status status = iso__command_check_room(&plane->world, slot, 1, 1);
    if (status != ISO_OK) {
        return status;
    }
    iso_body_def def = spawn->body;
    def.owner = iso__slot_owner(&plane->world, slot);
    def.params = iso_body_params_default();
    const uint32_t used = plane->world.globals->body_count;
    iso_body_id body;
    status = iso_body_create(&plane->world, &def, &body);
    if (status != ISO_OK) {
        return status;
    }
    iso_shape_id shape;
    status = apply_add_shape(&plane->world, slot, body, &spawn->shape, &shape);
    if (status == ISO_OK && !iso__plane_body_can_turn(plane, body.index, def.angular_velocity)) {
        status = ISO_ERR_RANGE;
    }
    if (status != ISO_OK) {
        iso__command_undo_body(&plane->world, body, used);
        return status;
    }
    *created_id = iso_id_pack(body.index, body.generation);
    return ISO_OK;
}

/// To a body that the member owns, or that everyone owns.
static iso_status apply_create_shape(iso_world *world, uint32_t slot, const iso_command_create_shape *create,
                                     uint64_t *created_id) {
    iso_status status = iso__command_check_room(world, slot, 0, 1);
    if (status != ISO_OK) {
        return status;
    }
    iso_shape_id shape;
    status = apply_add_shape(world, slot, create->body, &create->shape, &shape);
    if (status == ISO_OK) {
        *created_id = iso_id_pack(shape.index, shape.generation);
    }
    return status;
}

/// Whether the bodies of a joint can follow its motor, which is to change; what else is wrong with that is answered by
/// the change itself.
static iso_status apply_check_set_motor(const iso__plane *plane, iso_joint_id joint, bool enabled, fix16_t speed) {
    iso_joint_def def;
    if (iso_joint_get(&plane->world, joint, &def) != ISO_OK) {
        return ISO_OK;
    }
    def.motor_enabled = enabled;
    def.motor_speed = speed;
    return iso__plane_joint_motor_check(plane, &def);
}

/// The joint keeps everything else, so its motor must suit the new bodies, too.
static iso_status apply_set_joint_bodies(iso__plane *plane, const iso_command_set_joint_bodies *set) {
    const iso_body_id bodies[4] = {set->body_a, set->body_b, set->body_c, set->body_d};
    iso_joint_def def;
    iso_status status = iso_joint_get(&plane->world, set->joint, &def);
    if (status == ISO_OK) {
        iso__plane_joint_def_set_bodies(&def, bodies);
        status = iso__plane_joint_motor_check(plane, &def);
    }
    return status == ISO_OK ? iso_joint_set_bodies(&plane->world, set->joint, bodies) : status;
}

static iso_status apply_create_joint(iso__plane *plane, uint32_t slot, const iso_command_create_joint *create,
                                     uint64_t *created_id) {
    if (!iso__command_has_joint_quota(&plane->world, slot, 1)) {
        return ISO_ERR_QUOTA;
    }
    iso_joint_def def = create->joint;
    def.owner = iso__slot_owner(&plane->world, slot);
    iso_joint_id joint;
    iso_status status = iso__plane_joint_motor_check(plane, &def);
    status = status == ISO_OK ? iso_joint_create(&plane->world, &def, &joint) : status;
    if (status == ISO_OK) {
        *created_id = iso_id_pack(joint.index, joint.generation);
    }
    return status;
}

/// All bodies, shapes and joints of a compound count, whether or not the world has room for them.
static iso_status apply_spawn_compound(iso_world *world, uint32_t slot, const iso_command_spawn_compound *spawn,
                                       uint64_t *created_id) {
    iso_blueprint_view view;
    if (!iso_world_get_blueprint(world, spawn->blueprint, &view)) {
        return ISO_ERR_STALE;
    }
    if (!iso__command_has_joint_quota(world, slot, view.joint_count)) {
        return ISO_ERR_QUOTA;
    }
    iso_status status = iso__command_check_room(world, slot, view.body_count, view.shape_count);
    if (status != ISO_OK) {
        return status;
    }
    const iso_compound_def def = {
        .blueprint = spawn->blueprint,
        .position = spawn->position,
        .angle = spawn->angle,
        .velocity = spawn->velocity,
        .angular_velocity = spawn->angular_velocity,
        .tag = spawn->tag,
        .owner = iso__slot_owner(world, slot),
    };
    iso_compound_id compound;
    status = iso_compound_create(world, &def, &compound);
    if (status == ISO_OK) {
        *created_id = iso_compound_id_pack(compound);
    }
    return status;
}

static iso_status apply_shape_change(iso_world *world, const iso_command *command) {
    switch ((iso_command_kind)command->kind) {
    case ISO_COMMAND_SET_SHAPE_FRICTION:
        return iso_shape_set_friction(world, command->as.set_shape_friction.shape,
                                      command->as.set_shape_friction.friction);
    case ISO_COMMAND_SET_SHAPE_RESTITUTION:
        return iso_shape_set_restitution(world, command->as.set_shape_restitution.shape,
                                         command->as.set_shape_restitution.restitution);
    case ISO_COMMAND_SET_SHAPE_DENSITY:
        return iso_shape_set_density(world, command->as.set_shape_density.shape, command->as.set_shape_density.density);
    default:
        return iso_shape_set_surface_speed(world, command->as.set_shape_surface_speed.shape,
                                           command->as.set_shape_surface_speed.speed);
    }
}

static iso_status apply_body_change(iso_world *world, const iso_command *command) {
    switch ((iso_command_kind)command->kind) {
    case ISO_COMMAND_SET_BODY_TYPE:
        return iso_body_set_type(world, command->as.set_body_type.body, command->as.set_body_type.type);
    case ISO_COMMAND_SET_BODY_PARAMS:
        return iso_body_set_params(world, command->as.set_body_params.body, &command->as.set_body_params.params);
    case ISO_COMMAND_SET_BODY_MASS:
        return iso_body_set_mass(world, command->as.set_body_mass.body, command->as.set_body_mass.mass,
                                 command->as.set_body_mass.inertia);
    case ISO_COMMAND_SET_BODY_POSITION:
        return iso_body_set_position(world, command->as.set_body_position.body, command->as.set_body_position.position,
                                     command->as.set_body_position.angle);
    default:
        return iso_body_move_kinematic(world, command->as.move_kinematic.body, command->as.move_kinematic.position,
                                       command->as.move_kinematic.angle);
    }
}

/// A command whose arguments are those of a function, in its order.
#define APPLY_ARGUMENT(type, name, wire, bound, unit) , c->name
#define APPLY_SETTER(NAME, snake, function)                                        \
    case ISO_COMMAND_##NAME: {                                                     \
        const iso_command_##snake *c = &command->as.snake;                         \
        return function(&plane->world ISO_COMMAND_##snake##_ARGS(APPLY_ARGUMENT)); \
    }

static iso_status apply_joint_change(iso__plane *plane, const iso_command *command) {
    switch ((iso_command_kind)command->kind) {
    case ISO_COMMAND_SET_JOINT_MOTOR: {
        const iso_command_set_joint_motor *motor = &command->as.set_joint_motor;
        const iso_status status = apply_check_set_motor(plane, motor->joint, motor->enabled, motor->speed);
        return status == ISO_OK
                   ? iso_joint_set_motor(&plane->world, motor->joint, motor->enabled, motor->speed, motor->max)
                   : status;
    }
        APPLY_SETTER(SET_JOINT_LIMITS, set_joint_limits, iso_joint_set_limits)
        APPLY_SETTER(SET_JOINT_SPRING, set_joint_spring, iso_joint_set_spring)
        APPLY_SETTER(SET_JOINT_STIFFNESS, set_joint_stiffness, iso_joint_set_stiffness)
    case ISO_COMMAND_SET_JOINT: {
        const iso_joint_def *def = &command->as.set_joint.definition;
        const iso_joint_id joint = command->as.set_joint.joint;
        const iso_status status = apply_check_set_motor(plane, joint, def->motor_enabled, def->motor_speed);
        return status == ISO_OK ? iso_joint_set(&plane->world, joint, def) : status;
    }
    case ISO_COMMAND_SET_JOINT_BODIES:
        return apply_set_joint_bodies(plane, &command->as.set_joint_bodies);
    default:
        return ISO_ERR_BAD_ENUM;
    }
}
#undef APPLY_SETTER
#undef APPLY_ARGUMENT

iso_status iso__plane_command_apply(iso_world *world, uint32_t slot, const iso_command *command, uint64_t *created_id) {
    iso__plane *plane = iso__plane_of(world);
    switch ((iso_command_kind)command->kind) {
    case ISO_COMMAND_SET_CONTROL:
    case ISO_COMMAND_CUSTOM:
        break;
    case ISO_COMMAND_SPAWN_BODY:
        return apply_spawn_body(plane, slot, &command->as.spawn_body, created_id);
    case ISO_COMMAND_CREATE_SHAPE:
        return apply_create_shape(world, slot, &command->as.create_shape, created_id);
    case ISO_COMMAND_CREATE_JOINT:
        return apply_create_joint(plane, slot, &command->as.create_joint, created_id);
    case ISO_COMMAND_SPAWN_COMPOUND:
        return apply_spawn_compound(world, slot, &command->as.spawn_compound, created_id);
    case ISO_COMMAND_DESTROY_COMPOUND:
        return iso_compound_destroy(world, command->as.destroy_compound.compound);
    case ISO_COMMAND_SET_COMPOUND_POSITION:
        return iso_compound_set_position(world, command->as.set_compound_position.compound,
                                         command->as.set_compound_position.position,
                                         command->as.set_compound_position.angle);
    case ISO_COMMAND_APPLY_FORCE:
        return iso_body_apply_force(world, command->as.apply_force.body, command->as.apply_force.force,
                                    command->as.apply_force.point);
    case ISO_COMMAND_APPLY_IMPULSE:
        return iso_body_apply_impulse(world, command->as.apply_impulse.body, command->as.apply_impulse.impulse,
                                      command->as.apply_impulse.point);
    case ISO_COMMAND_APPLY_TORQUE:
        return iso_body_apply_torque(world, command->as.apply_torque.body, command->as.apply_torque.torque);
    case ISO_COMMAND_APPLY_ANGULAR_IMPULSE:
        return iso_body_apply_angular_impulse(world, command->as.apply_angular_impulse.body,
                                              command->as.apply_angular_impulse.impulse);
    case ISO_COMMAND_SET_VELOCITY:
        return iso_body_set_velocity(world, command->as.set_velocity.body, command->as.set_velocity.velocity,
                                     command->as.set_velocity.angular_velocity);
    case ISO_COMMAND_SET_TARGET:
        return iso_joint_set_target(world, command->as.set_target.joint, command->as.set_target.target);
    case ISO_COMMAND_SET_JOINT_MOTOR:
    case ISO_COMMAND_SET_JOINT_LIMITS:
    case ISO_COMMAND_SET_JOINT_SPRING:
    case ISO_COMMAND_SET_JOINT:
    case ISO_COMMAND_SET_JOINT_BODIES:
    case ISO_COMMAND_SET_JOINT_STIFFNESS:
        return apply_joint_change(plane, command);
    case ISO_COMMAND_SET_GRAVITY:
        return iso_world_set_gravity(world, command->as.set_gravity.gravity);
    case ISO_COMMAND_SET_SHAPE_FRICTION:
    case ISO_COMMAND_SET_SHAPE_RESTITUTION:
    case ISO_COMMAND_SET_SHAPE_DENSITY:
    case ISO_COMMAND_SET_SHAPE_SURFACE_SPEED:
        return apply_shape_change(world, command);
    case ISO_COMMAND_SET_BODY_TYPE:
    case ISO_COMMAND_SET_BODY_PARAMS:
    case ISO_COMMAND_SET_BODY_MASS:
    case ISO_COMMAND_MOVE_KINEMATIC:
    case ISO_COMMAND_SET_BODY_POSITION:
        return apply_body_change(world, command);
    ISO__CASES_OF_HANDLES:
        return iso__command_apply_handle(world, command);
        ISO_COMMAND_KIND_LIST(ISO__CASE_UNLESS_PLANE)
        break;
    }
    return ISO_ERR_BAD_ENUM; // the border carries out those two, and the input's check has refused what is of space
}
