/// Commands: their static check and their canonical bytes.
///
/// Canonical bytes are the kind as one byte, then the arguments, all little endian. (x, y) is two numbers, an
/// id is index u32 and generation u32.
///
///   SET_CONTROL            size u8, that many bytes
///   SPAWN_BODY             type u8, position 2 i32, angle i32, velocity 2 i32, angular velocity i32, tag u32, SHAPE
///   DESTROY_BODY           body id
///   CREATE_SHAPE           body id, SHAPE
///   DESTROY_SHAPE          shape id
///   CREATE_JOINT           kind u8, each switch of ISO_JOINT_SWITCH_LIST u8 (0 or 1), body a id, body b id,
///                          anchor a 2 i32, anchor b 2 i32, target 2 i32, body c id, body d id, anchor c 2 i32,
///                          anchor d 2 i32, axis 2 i32, each number of ISO_JOINT_NUMBER_LIST: i32
///                          (FIX16) or i64 (WIDE); of USER and SYMBOLIC then constraint u32, PARAMS
///   DESTROY_JOINT          joint id
///   APPLY_FORCE            body id, force 2 i64, point 2 i32
///   APPLY_IMPULSE          body id, impulse 2 i64, point 2 i32
///   APPLY_TORQUE           body id, torque i64
///   APPLY_ANGULAR_IMPULSE  body id, impulse i64
///   SET_VELOCITY           body id, velocity 2 i32, angular velocity i32
///   SET_TARGET             joint id, target 2 i32
///   SET_GRAVITY            gravity 2 i32
///   SET_FILTER             shape id, category u32, mask u32, group i32
///   CUSTOM                 size u16, that many bytes
///   SET_BODY_TYPE          body id, type u8
///   SET_BODY_PARAMS        body id, linear damping i32, angular damping i32, gravity scale i32, fixed rotation u8,
///                          lock x u8, lock y u8, sleep enabled u8 (each 0 or 1)
///   SET_BODY_MASS          body id, mass i64, inertia i64
///   MOVE_KINEMATIC         body id, position 2 i32, angle i32
///   SET_JOINT_MOTOR        joint id, enabled u8 (0 or 1), speed i32, max i64
///   SET_JOINT_LIMITS       joint id, enabled u8, lower i32, upper i32
///   SET_JOINT_SPRING       joint id, enabled u8, hertz i32, damping ratio i32, rest i32
///   SET_JOINT_BREAK        joint id, force i64, torque i64, error i64, remove u8
///   ENABLE_JOINT           joint id, enabled u8
///   SET_JOINT              joint id, then as CREATE_JOINT
///
///   PARAMS                 8 vectors of 2 i64, 8 scalars i64
///   SHAPE                  kind u8, point count u8, density i32, friction i32, restitution i32, radius i32,
///                          category u32, mask u32, group i32, that many points of 2 i32
///
/// One list of arguments per kind serves both directions: a visitor that writes, or one that reads.
#include "isostep/command.h"

#include <string.h>

#include "base/bytes.h"
#include "joint/joint.h"
#include "math/fixed_ops.h"
#include "world/body.h"

// ---- check ---------------------------------------------------------------------------------------

#define COMMAND_GRAVITY_MAX_M_S2 1000

static bool command_is_within(iso_vec2 value, int32_t limit) {
    const uint32_t bound = (uint32_t)limit * (uint32_t)ISO_FIX16_ONE;
    return iso__abs_u32(value.x) <= bound && iso__abs_u32(value.y) <= bound;
}

static bool command_is_within_wide(iso_wide value) {
    return iso__abs_u64(value) <= (uint64_t)ISO_IMPULSE_MAX << ISO__WIDE_FRACTION;
}

static iso_status command_check_body_type(uint8_t type) {
    return type >= ISO_BODY_STATIC && type <= ISO_BODY_DYNAMIC ? ISO_OK : ISO_ERR_BAD_ENUM;
}

static iso_status command_check_spawn(const iso_command_spawn_body *spawn) {
    if (command_check_body_type(spawn->body.type) != ISO_OK) {
        return ISO_ERR_BAD_ENUM;
    }
    // As iso_body_create has it: a body without a shape counts as one of radius 1 m.
    if (!command_is_within(spawn->body.position, ISO_POSITION_MAX_M) || !command_is_within(spawn->body.velocity, ISO_SPEED_MAX_M_S) ||
        iso__abs_u32(spawn->body.angular_velocity) > ISO_SPEED_MAX_M_S * (uint32_t)ISO_FIX16_ONE) {
        return ISO_ERR_RANGE;
    }
    return iso_shape_def_check(&spawn->shape);
}

static iso_status command_check_push(iso_vec2_wide push, iso_vec2 point) {
    const bool is_right = command_is_within_wide(push.x) && command_is_within_wide(push.y) &&
                          command_is_within(point, ISO_POSITION_MAX_M);
    return is_right ? ISO_OK : ISO_ERR_RANGE;
}

/// What can be said of a change to a joint whatever its kind: as the definition of a revolute has it.
static iso_status command_check_joint_change(const iso_command *command) {
    iso_joint_def def = iso_joint_def_default();
    if (command->kind == ISO_COMMAND_SET_JOINT_MOTOR) {
        def.motor_speed = command->as.set_joint_motor.speed;
        def.motor_max = command->as.set_joint_motor.max;
    } else if (command->kind == ISO_COMMAND_SET_JOINT_LIMITS) {
        def.lower = command->as.set_joint_limits.lower;
        def.upper = command->as.set_joint_limits.upper;
    } else if (command->kind == ISO_COMMAND_SET_JOINT_SPRING) {
        def.spring_hertz = command->as.set_joint_spring.hertz;
        def.spring_damping_ratio = command->as.set_joint_spring.damping_ratio;
        def.rest = command->as.set_joint_spring.rest;
    } else if (command->kind == ISO_COMMAND_SET_JOINT_BREAK) {
        def.break_force = command->as.set_joint_break.force;
        def.break_torque = command->as.set_joint_break.torque;
        def.break_error = command->as.set_joint_break.error;
    }
    return iso__joint_def_check(&def);
}

iso_status iso_command_check(const iso_command *command) {
    switch ((iso_command_kind)command->kind) {
        case ISO_COMMAND_SET_CONTROL:
            return command->as.set_control.size <= ISO_CONTROL_SIZE_MAX ? ISO_OK : ISO_ERR_MALFORMED;
        case ISO_COMMAND_SPAWN_BODY:
            return command_check_spawn(&command->as.spawn_body);
        case ISO_COMMAND_CREATE_SHAPE:
            return iso_shape_def_check(&command->as.create_shape.shape);
        case ISO_COMMAND_CREATE_JOINT:
            return iso__joint_def_check(&command->as.create_joint.joint);
        case ISO_COMMAND_SET_JOINT:
            return iso__joint_def_check(&command->as.set_joint.definition);
        case ISO_COMMAND_APPLY_FORCE:
            return command_check_push(command->as.apply_force.force, command->as.apply_force.point);
        case ISO_COMMAND_APPLY_IMPULSE:
            return command_check_push(command->as.apply_impulse.impulse, command->as.apply_impulse.point);
        case ISO_COMMAND_APPLY_TORQUE:
            return command_is_within_wide(command->as.apply_torque.torque) ? ISO_OK : ISO_ERR_RANGE;
        case ISO_COMMAND_APPLY_ANGULAR_IMPULSE:
            return command_is_within_wide(command->as.apply_angular_impulse.impulse) ? ISO_OK : ISO_ERR_RANGE;
        case ISO_COMMAND_SET_VELOCITY:
            return command_is_within(command->as.set_velocity.velocity, ISO_SPEED_MAX_M_S) ? ISO_OK : ISO_ERR_RANGE;
        case ISO_COMMAND_SET_TARGET:
            return command_is_within(command->as.set_target.target, ISO_POSITION_MAX_M) ? ISO_OK : ISO_ERR_RANGE;
        case ISO_COMMAND_SET_GRAVITY:
            return command_is_within(command->as.set_gravity.gravity, COMMAND_GRAVITY_MAX_M_S2) ? ISO_OK : ISO_ERR_RANGE;
        case ISO_COMMAND_CUSTOM:
            return command->as.custom.size <= ISO_CUSTOM_SIZE_MAX ? ISO_OK : ISO_ERR_MALFORMED;
        case ISO_COMMAND_SET_BODY_TYPE:
            return command_check_body_type(command->as.set_body_type.type);
        case ISO_COMMAND_SET_BODY_PARAMS:
            return iso_body_params_check(&command->as.set_body_params.params);
        case ISO_COMMAND_SET_BODY_MASS:
            return iso__body_mass_is_valid(command->as.set_body_mass.mass, command->as.set_body_mass.inertia) ? ISO_OK : ISO_ERR_RANGE;
        case ISO_COMMAND_MOVE_KINEMATIC:
            return command_is_within(command->as.move_kinematic.position, ISO_POSITION_MAX_M) ? ISO_OK : ISO_ERR_RANGE;
        case ISO_COMMAND_SET_JOINT_MOTOR:
        case ISO_COMMAND_SET_JOINT_LIMITS:
        case ISO_COMMAND_SET_JOINT_SPRING:
        case ISO_COMMAND_SET_JOINT_BREAK:
            return command_check_joint_change(command);
        case ISO_COMMAND_DESTROY_BODY:
        case ISO_COMMAND_DESTROY_SHAPE:
        case ISO_COMMAND_DESTROY_JOINT:
        case ISO_COMMAND_SET_FILTER:
        case ISO_COMMAND_ENABLE_JOINT:
            return ISO_OK;
    }
    return ISO_ERR_BAD_ENUM;
}

const char *iso_command_kind_name(uint8_t kind) {
    switch ((iso_command_kind)kind) {
#define COMMAND_NAME(name, number, snake) \
    case ISO_COMMAND_##name:              \
        return #name;
        ISO_COMMAND_KIND_LIST(COMMAND_NAME)
#undef COMMAND_NAME
    }
    return "UNKNOWN";
}

static bool command_kind_is_known(uint8_t kind) {
    switch ((iso_command_kind)kind) {
#define COMMAND_KNOWN(name, number, snake) case ISO_COMMAND_##name:
        ISO_COMMAND_KIND_LIST(COMMAND_KNOWN)
#undef COMMAND_KNOWN
        return true;
    }
    return false;
}

// ---- canonical bytes -----------------------------------------------------------------------------

/// Walks over a command's arguments, writing them to `out` or reading them from `in`.
typedef struct visitor {
    uint8_t *out;       // NULL when reading
    const uint8_t *in;
    size_t size;        // of the bytes
    size_t at;
    bool failed;        // beyond the end, or not a canonical form
} visitor;

/// Visits a number of `width` bytes: returns the one that was read, or `value`.
static uint64_t visit_number(visitor *v, uint64_t value, uint32_t width) {
    if (v->failed || v->size - v->at < width) {
        v->failed = true;
        return 0;
    }
    if (v->out != NULL) {
        iso__write_le(v->out + v->at, value, width);
    } else {
        value = iso__read_le(v->in + v->at, width);
    }
    v->at += width;
    return value;
}

static void visit_u8(visitor *v, uint8_t *value) {
    *value = (uint8_t)visit_number(v, *value, 1);
}

static void visit_u16(visitor *v, uint16_t *value) {
    *value = (uint16_t)visit_number(v, *value, 2);
}

static void visit_u32(visitor *v, uint32_t *value) {
    *value = (uint32_t)visit_number(v, *value, 4);
}

static void visit_i32(visitor *v, int32_t *value) {
    *value = (int32_t)(uint32_t)visit_number(v, (uint32_t)*value, 4);
}

static void visit_i64(visitor *v, int64_t *value) {
    *value = (int64_t)visit_number(v, (uint64_t)*value, 8);
}

static void visit_bool(visitor *v, bool *value) {
    const uint64_t number = visit_number(v, *value ? 1 : 0, 1);
    v->failed = v->failed || number > 1;
    *value = number == 1;
}

static void visit_id(visitor *v, uint32_t *index, uint32_t *generation) {
    visit_u32(v, index);
    visit_u32(v, generation);
}

static void visit_vec2(visitor *v, iso_vec2 *value) {
    visit_i32(v, &value->x);
    visit_i32(v, &value->y);
}

static void visit_vec2_wide(visitor *v, iso_vec2_wide *value) {
    visit_i64(v, &value->x);
    visit_i64(v, &value->y);
}

static void visit_block(visitor *v, uint8_t *bytes, size_t size, size_t size_max) {
    if (v->failed || size > size_max || v->size - v->at < size) {
        v->failed = true;
        return;
    }
    if (size > 0 && v->out != NULL) {
        memcpy(v->out + v->at, bytes, size);
    } else if (size > 0) {
        memcpy(bytes, v->in + v->at, size);
    }
    v->at += size;
}

static void visit_filter(visitor *v, iso_filter *filter) {
    visit_u32(v, &filter->category);
    visit_u32(v, &filter->mask);
    visit_i32(v, &filter->group);
}

static void visit_shape(visitor *v, iso_shape_def *shape) {
    visit_u8(v, &shape->kind);
    visit_u8(v, &shape->point_count);
    visit_i32(v, &shape->density);
    visit_i32(v, &shape->friction);
    visit_i32(v, &shape->restitution);
    visit_i32(v, &shape->radius);
    visit_filter(v, &shape->filter);
    v->failed = v->failed || shape->point_count > ISO_POLYGON_VERTICES_MAX;
    for (uint32_t i = 0; i < shape->point_count && !v->failed; ++i) {
        visit_vec2(v, &shape->points[i]);
    }
}

static void visit_body(visitor *v, iso_body_def *body) {
    visit_u8(v, &body->type);
    visit_vec2(v, &body->position);
    visit_i32(v, &body->angle);
    visit_vec2(v, &body->velocity);
    visit_i32(v, &body->angular_velocity);
    visit_u32(v, &body->tag);
}

static void visit_params(visitor *v, iso_body_params *params) {
    visit_i32(v, &params->linear_damping);
    visit_i32(v, &params->angular_damping);
    visit_i32(v, &params->gravity_scale);
    visit_bool(v, &params->fixed_rotation);
    visit_bool(v, &params->lock_x);
    visit_bool(v, &params->lock_y);
    visit_bool(v, &params->sleep_enabled);
}

static void visit_joint_params(visitor *v, iso_program_params *params) {
    for (uint32_t i = 0; i < ISO_PROGRAM_VECTORS_MAX; ++i) {
        visit_i64(v, &params->vectors[i][0]);
        visit_i64(v, &params->vectors[i][1]);
    }
    for (uint32_t i = 0; i < ISO_PROGRAM_SCALARS_MAX; ++i) {
        visit_i64(v, &params->scalars[i]);
    }
}

static void visit_joint(visitor *v, iso_joint_def *joint) {
    visit_u8(v, &joint->kind);
#define VISIT_SWITCH(name, bit) visit_bool(v, &joint->name);
    ISO_JOINT_SWITCH_LIST(VISIT_SWITCH)
#undef VISIT_SWITCH
    visit_id(v, &joint->body_a.index, &joint->body_a.generation);
    visit_id(v, &joint->body_b.index, &joint->body_b.generation);
    visit_vec2(v, &joint->anchor_a);
    visit_vec2(v, &joint->anchor_b);
    visit_vec2(v, &joint->target);
    visit_id(v, &joint->body_c.index, &joint->body_c.generation);
    visit_id(v, &joint->body_d.index, &joint->body_d.generation);
    visit_vec2(v, &joint->anchor_c);
    visit_vec2(v, &joint->anchor_d);
    visit_vec2(v, &joint->axis);
#define VISIT_FIX16 visit_i32
#define VISIT_WIDE  visit_i64
#define VISIT_NUMBER(type, name, low, high) VISIT_##type(v, &joint->name);
    ISO_JOINT_NUMBER_LIST(VISIT_NUMBER)
#undef VISIT_NUMBER
    if ((iso_joint_kind_has(joint->kind) & ISO_JOINT_IS_CUSTOM) != 0) {
        visit_u32(v, &joint->constraint);
        visit_joint_params(v, &joint->params);
    }
}

/// Visits the arguments of the commands that change a joint.
static void visit_joint_change(visitor *v, iso_command *command) {
    // All of them begin with the joint.
    iso_joint_id *joint = &command->as.set_joint_motor.joint;
    visit_id(v, &joint->index, &joint->generation);
    switch ((iso_command_kind)command->kind) {
        case ISO_COMMAND_SET_TARGET:
            visit_vec2(v, &command->as.set_target.target);
            break;
        case ISO_COMMAND_SET_JOINT_MOTOR:
            visit_bool(v, &command->as.set_joint_motor.enabled);
            visit_i32(v, &command->as.set_joint_motor.speed);
            visit_i64(v, &command->as.set_joint_motor.max);
            break;
        case ISO_COMMAND_SET_JOINT_LIMITS:
            visit_bool(v, &command->as.set_joint_limits.enabled);
            visit_i32(v, &command->as.set_joint_limits.lower);
            visit_i32(v, &command->as.set_joint_limits.upper);
            break;
        case ISO_COMMAND_SET_JOINT_SPRING:
            visit_bool(v, &command->as.set_joint_spring.enabled);
            visit_i32(v, &command->as.set_joint_spring.hertz);
            visit_i32(v, &command->as.set_joint_spring.damping_ratio);
            visit_i32(v, &command->as.set_joint_spring.rest);
            break;
        case ISO_COMMAND_SET_JOINT_BREAK:
            visit_i64(v, &command->as.set_joint_break.force);
            visit_i64(v, &command->as.set_joint_break.torque);
            visit_i64(v, &command->as.set_joint_break.error);
            visit_bool(v, &command->as.set_joint_break.remove);
            break;
        case ISO_COMMAND_SET_JOINT:
            visit_joint(v, &command->as.set_joint.definition);
            break;
        default:
            visit_bool(v, &command->as.enable_joint.enabled);
            break;
    }
}

/// Visits the arguments of the commands that act on one body.
static void visit_push(visitor *v, iso_command *command) {
    switch ((iso_command_kind)command->kind) {
        case ISO_COMMAND_APPLY_FORCE:
            visit_id(v, &command->as.apply_force.body.index, &command->as.apply_force.body.generation);
            visit_vec2_wide(v, &command->as.apply_force.force);
            visit_vec2(v, &command->as.apply_force.point);
            break;
        case ISO_COMMAND_APPLY_IMPULSE:
            visit_id(v, &command->as.apply_impulse.body.index, &command->as.apply_impulse.body.generation);
            visit_vec2_wide(v, &command->as.apply_impulse.impulse);
            visit_vec2(v, &command->as.apply_impulse.point);
            break;
        case ISO_COMMAND_APPLY_TORQUE:
            visit_id(v, &command->as.apply_torque.body.index, &command->as.apply_torque.body.generation);
            visit_i64(v, &command->as.apply_torque.torque);
            break;
        case ISO_COMMAND_APPLY_ANGULAR_IMPULSE:
            visit_id(v, &command->as.apply_angular_impulse.body.index, &command->as.apply_angular_impulse.body.generation);
            visit_i64(v, &command->as.apply_angular_impulse.impulse);
            break;
        default:
            visit_id(v, &command->as.set_velocity.body.index, &command->as.set_velocity.body.generation);
            visit_vec2(v, &command->as.set_velocity.velocity);
            visit_i32(v, &command->as.set_velocity.angular_velocity);
            break;
    }
}

/// Visits the arguments of the commands that say what a body is, and where.
static void visit_body_change(visitor *v, iso_command *command) {
    switch ((iso_command_kind)command->kind) {
        case ISO_COMMAND_SET_BODY_TYPE:
            visit_id(v, &command->as.set_body_type.body.index, &command->as.set_body_type.body.generation);
            visit_u8(v, &command->as.set_body_type.type);
            break;
        case ISO_COMMAND_SET_BODY_PARAMS:
            visit_id(v, &command->as.set_body_params.body.index, &command->as.set_body_params.body.generation);
            visit_params(v, &command->as.set_body_params.params);
            break;
        case ISO_COMMAND_SET_BODY_MASS:
            visit_id(v, &command->as.set_body_mass.body.index, &command->as.set_body_mass.body.generation);
            visit_i64(v, &command->as.set_body_mass.mass);
            visit_i64(v, &command->as.set_body_mass.inertia);
            break;
        default:
            visit_id(v, &command->as.move_kinematic.body.index, &command->as.move_kinematic.body.generation);
            visit_vec2(v, &command->as.move_kinematic.position);
            visit_i32(v, &command->as.move_kinematic.angle);
            break;
    }
}

/// Visits the arguments of the commands that make or end something.
static void visit_create(visitor *v, iso_command *command) {
    switch ((iso_command_kind)command->kind) {
        case ISO_COMMAND_SPAWN_BODY:
            visit_body(v, &command->as.spawn_body.body);
            visit_shape(v, &command->as.spawn_body.shape);
            break;
        case ISO_COMMAND_DESTROY_BODY:
            visit_id(v, &command->as.destroy_body.body.index, &command->as.destroy_body.body.generation);
            break;
        case ISO_COMMAND_CREATE_SHAPE:
            visit_id(v, &command->as.create_shape.body.index, &command->as.create_shape.body.generation);
            visit_shape(v, &command->as.create_shape.shape);
            break;
        case ISO_COMMAND_DESTROY_SHAPE:
            visit_id(v, &command->as.destroy_shape.shape.index, &command->as.destroy_shape.shape.generation);
            break;
        case ISO_COMMAND_CREATE_JOINT:
            visit_joint(v, &command->as.create_joint.joint);
            break;
        default:
            visit_id(v, &command->as.destroy_joint.joint.index, &command->as.destroy_joint.joint.generation);
            break;
    }
}

static void visit_command(visitor *v, iso_command *command) {
    visit_u8(v, &command->kind);
    switch ((iso_command_kind)command->kind) {
        case ISO_COMMAND_SET_CONTROL:
            visit_u8(v, &command->as.set_control.size);
            visit_block(v, command->as.set_control.bytes, command->as.set_control.size, ISO_CONTROL_SIZE_MAX);
            return;
        case ISO_COMMAND_SPAWN_BODY:
        case ISO_COMMAND_DESTROY_BODY:
        case ISO_COMMAND_CREATE_SHAPE:
        case ISO_COMMAND_DESTROY_SHAPE:
        case ISO_COMMAND_CREATE_JOINT:
        case ISO_COMMAND_DESTROY_JOINT:
            visit_create(v, command);
            return;
        case ISO_COMMAND_APPLY_FORCE:
        case ISO_COMMAND_APPLY_IMPULSE:
        case ISO_COMMAND_APPLY_TORQUE:
        case ISO_COMMAND_APPLY_ANGULAR_IMPULSE:
        case ISO_COMMAND_SET_VELOCITY:
            visit_push(v, command);
            return;
        case ISO_COMMAND_SET_TARGET:
        case ISO_COMMAND_SET_JOINT_MOTOR:
        case ISO_COMMAND_SET_JOINT_LIMITS:
        case ISO_COMMAND_SET_JOINT_SPRING:
        case ISO_COMMAND_SET_JOINT_BREAK:
        case ISO_COMMAND_ENABLE_JOINT:
        case ISO_COMMAND_SET_JOINT:
            visit_joint_change(v, command);
            return;
        case ISO_COMMAND_SET_GRAVITY:
            visit_vec2(v, &command->as.set_gravity.gravity);
            return;
        case ISO_COMMAND_SET_FILTER:
            visit_id(v, &command->as.set_filter.shape.index, &command->as.set_filter.shape.generation);
            visit_filter(v, &command->as.set_filter.filter);
            return;
        case ISO_COMMAND_CUSTOM:
            visit_u16(v, &command->as.custom.size);
            visit_block(v, command->as.custom.bytes, command->as.custom.size, ISO_CUSTOM_SIZE_MAX);
            return;
        case ISO_COMMAND_SET_BODY_TYPE:
        case ISO_COMMAND_SET_BODY_PARAMS:
        case ISO_COMMAND_SET_BODY_MASS:
        case ISO_COMMAND_MOVE_KINEMATIC:
            visit_body_change(v, command);
            return;
    }
    v->failed = true;
}

size_t iso_command_encode(const iso_command *command, uint8_t *bytes, size_t capacity) {
    if (iso_command_check(command) != ISO_OK) {
        return 0;
    }
    iso_command copy = *command; // the visitor writes what it visits back
    visitor v = {.out = bytes, .size = capacity};
    visit_command(&v, &copy);
    return v.failed ? 0 : v.at;
}

iso_status iso_command_decode(const uint8_t *bytes, size_t size, iso_command *command) {
    memset(command, 0, sizeof *command);
    if (size > 0 && !command_kind_is_known(bytes[0])) {
        return ISO_ERR_BAD_ENUM;
    }
    visitor v = {.in = bytes, .size = size};
    visit_command(&v, command);
    if (v.failed || v.at != size) {
        return ISO_ERR_MALFORMED;
    }
    if (command->kind == ISO_COMMAND_SPAWN_BODY) {
        command->as.spawn_body.body.owner.slot = ISO_OWNER_NOBODY;
        command->as.spawn_body.body.params = iso_body_params_default();
    } else if (command->kind == ISO_COMMAND_CREATE_JOINT) {
        command->as.create_joint.joint.owner.slot = ISO_OWNER_NOBODY;
    } else if (command->kind == ISO_COMMAND_SET_JOINT) {
        command->as.set_joint.definition.owner.slot = ISO_OWNER_NOBODY;
    }
    return iso_command_check(command);
}
