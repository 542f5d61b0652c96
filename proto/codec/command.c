/// Commands between the plain struct and protobuf-c's.
///
/// iso_command_check runs in both directions, so that neither side ever sends or accepts a command
/// that could not be sealed.
#include <string.h>

#include "codec/internal.h"

static uint64_t body_id_pack(iso_body_id id)
{
    return iso_id_pack(id.index, id.generation);
}

static iso_body_id body_id_unpack(uint64_t id)
{
    return (iso_body_id){(uint32_t)id, (uint32_t)(id >> 32)};
}

static iso_shape_id shape_id_unpack(uint64_t id)
{
    return (iso_shape_id){(uint32_t)id, (uint32_t)(id >> 32)};
}

static iso_joint_id joint_id_unpack(uint64_t id)
{
    return (iso_joint_id){(uint32_t)id, (uint32_t)(id >> 32)};
}

static iso_owner owner_nobody(void)
{
    return (iso_owner){.generation = 0, .slot = ISO_OWNER_NOBODY};
}

static iso_status body_def_pack(iso__codec_arena *arena, const iso_body_def *def, Isostep__V1__BodyDef **packed)
{
    ISO__NEW(arena, BodyDef, body_def, p);
    p->type = (Isostep__V1__BodyType)def->type;
    p->x = def->position.x;
    p->y = def->position.y;
    p->angle = def->angle;
    p->velocity_x = def->velocity.x;
    p->velocity_y = def->velocity.y;
    p->angular_velocity = def->angular_velocity;
    p->tag = def->tag;
    *packed = p;
    return ISO_OK;
}

static iso_status body_def_unpack(const Isostep__V1__BodyDef *p, iso_body_def *def)
{
    if (p == NULL) {
        return ISO_ERR_MALFORMED;
    }
    *def = (iso_body_def){
        .position = {p->x, p->y},
        .angle = p->angle,
        .velocity = {p->velocity_x, p->velocity_y},
        .angular_velocity = p->angular_velocity,
        .tag = p->tag,
        .owner = owner_nobody(),
        .params = iso_body_params_default(),
    };
    return iso__codec_enum_unpack((int)p->type, &def->type);
}

static iso_status filter_pack(iso__codec_arena *arena, const iso_filter *filter, Isostep__V1__Filter **packed)
{
    ISO__NEW(arena, Filter, filter, p);
    p->category = filter->category;
    p->mask = filter->mask;
    p->group = filter->group;
    *packed = p;
    return ISO_OK;
}

static iso_status filter_unpack(const Isostep__V1__Filter *p, iso_filter *filter)
{
    if (p == NULL) {
        return ISO_ERR_MALFORMED;
    }
    *filter = (iso_filter){.category = p->category, .mask = p->mask, .group = p->group};
    return ISO_OK;
}

static iso_status shape_def_pack(iso__codec_arena *arena, const iso_shape_def *def, Isostep__V1__ShapeDef **packed)
{
    ISO__NEW(arena, ShapeDef, shape_def, p);
    p->kind = (Isostep__V1__ShapeKind)def->kind;
    p->density = def->density;
    p->friction = def->friction;
    p->restitution = def->restitution;
    p->radius = def->radius;
    p->n_points = 2 * (size_t)def->point_count;
    p->points = iso__codec_arena_take(arena, p->n_points * sizeof(int32_t));
    if (p->points == NULL) {
        return ISO_ERR_BUFFER;
    }
    for (size_t i = 0; i < def->point_count; i++) {
        p->points[2 * i] = def->points[i].x;
        p->points[2 * i + 1] = def->points[i].y;
    }
    *packed = p;
    return filter_pack(arena, &def->filter, &p->filter);
}

static iso_status shape_def_unpack(const Isostep__V1__ShapeDef *p, iso_shape_def *def)
{
    if (p == NULL || p->n_points % 2 != 0 || p->n_points > 2 * ISO_POLYGON_VERTICES_MAX) {
        return ISO_ERR_MALFORMED;
    }
    *def = (iso_shape_def){
        .point_count = (uint8_t)(p->n_points / 2),
        .density = p->density,
        .friction = p->friction,
        .restitution = p->restitution,
        .radius = p->radius,
    };
    for (size_t i = 0; i < def->point_count; i++) {
        def->points[i] = (iso_vec2){p->points[2 * i], p->points[2 * i + 1]};
    }
    ISO__TRY(iso__codec_enum_unpack((int)p->kind, &def->kind));
    return filter_unpack(p->filter, &def->filter);
}

/// The shape of every function of the list below.
#define PACK(Type, snake)                                                                             \
    static iso_status snake##_pack(iso__codec_arena *arena, const iso_command_##snake *c,             \
                                   Isostep__V1__##Type *p)
#define UNPACK(Type, snake) \
    static iso_status snake##_unpack(const Isostep__V1__##Type *p, iso_command_##snake *c)

PACK(SetControl, set_control)
{
    (void)arena;
    p->block.len = c->size;
    p->block.data = (uint8_t *)(uintptr_t)c->bytes;
    return ISO_OK;
}

UNPACK(SetControl, set_control)
{
    if (p->block.len > ISO_CONTROL_SIZE_MAX) {
        return ISO_ERR_RANGE;
    }
    *c = (iso_command_set_control){.size = (uint8_t)p->block.len};
    if (p->block.len > 0) {
        memcpy(c->bytes, p->block.data, p->block.len);
    }
    return ISO_OK;
}

PACK(SpawnBody, spawn_body)
{
    ISO__TRY(body_def_pack(arena, &c->body, &p->body));
    return shape_def_pack(arena, &c->shape, &p->shape);
}

UNPACK(SpawnBody, spawn_body)
{
    ISO__TRY(body_def_unpack(p->body, &c->body));
    return shape_def_unpack(p->shape, &c->shape);
}

PACK(DestroyBody, destroy_body)
{
    (void)arena;
    p->body = body_id_pack(c->body);
    return ISO_OK;
}

UNPACK(DestroyBody, destroy_body)
{
    c->body = body_id_unpack(p->body);
    return ISO_OK;
}

PACK(CreateShape, create_shape)
{
    p->body = body_id_pack(c->body);
    return shape_def_pack(arena, &c->shape, &p->shape);
}

UNPACK(CreateShape, create_shape)
{
    c->body = body_id_unpack(p->body);
    return shape_def_unpack(p->shape, &c->shape);
}

PACK(DestroyShape, destroy_shape)
{
    (void)arena;
    p->shape = iso_id_pack(c->shape.index, c->shape.generation);
    return ISO_OK;
}

UNPACK(DestroyShape, destroy_shape)
{
    c->shape = shape_id_unpack(p->shape);
    return ISO_OK;
}

PACK(CreateJoint, create_joint)
{
    return iso__codec_joint_pack(arena, &c->joint, &p->joint);
}

UNPACK(CreateJoint, create_joint)
{
    return iso__codec_joint_unpack(p->joint, &c->joint);
}

PACK(DestroyJoint, destroy_joint)
{
    (void)arena;
    p->joint = iso_id_pack(c->joint.index, c->joint.generation);
    return ISO_OK;
}

UNPACK(DestroyJoint, destroy_joint)
{
    c->joint = joint_id_unpack(p->joint);
    return ISO_OK;
}

PACK(ApplyForce, apply_force)
{
    (void)arena;
    p->body = body_id_pack(c->body);
    p->force_x = c->force.x;
    p->force_y = c->force.y;
    p->point_x = c->point.x;
    p->point_y = c->point.y;
    return ISO_OK;
}

UNPACK(ApplyForce, apply_force)
{
    *c = (iso_command_apply_force){
        .body = body_id_unpack(p->body),
        .force = {p->force_x, p->force_y},
        .point = {p->point_x, p->point_y},
    };
    return ISO_OK;
}

PACK(ApplyImpulse, apply_impulse)
{
    (void)arena;
    p->body = body_id_pack(c->body);
    p->impulse_x = c->impulse.x;
    p->impulse_y = c->impulse.y;
    p->point_x = c->point.x;
    p->point_y = c->point.y;
    return ISO_OK;
}

UNPACK(ApplyImpulse, apply_impulse)
{
    *c = (iso_command_apply_impulse){
        .body = body_id_unpack(p->body),
        .impulse = {p->impulse_x, p->impulse_y},
        .point = {p->point_x, p->point_y},
    };
    return ISO_OK;
}

PACK(ApplyTorque, apply_torque)
{
    (void)arena;
    p->body = body_id_pack(c->body);
    p->torque = c->torque;
    return ISO_OK;
}

UNPACK(ApplyTorque, apply_torque)
{
    *c = (iso_command_apply_torque){.body = body_id_unpack(p->body), .torque = p->torque};
    return ISO_OK;
}

PACK(ApplyAngularImpulse, apply_angular_impulse)
{
    (void)arena;
    p->body = body_id_pack(c->body);
    p->impulse = c->impulse;
    return ISO_OK;
}

UNPACK(ApplyAngularImpulse, apply_angular_impulse)
{
    *c = (iso_command_apply_angular_impulse){.body = body_id_unpack(p->body), .impulse = p->impulse};
    return ISO_OK;
}

PACK(SetVelocity, set_velocity)
{
    (void)arena;
    p->body = body_id_pack(c->body);
    p->velocity_x = c->velocity.x;
    p->velocity_y = c->velocity.y;
    p->angular_velocity = c->angular_velocity;
    return ISO_OK;
}

UNPACK(SetVelocity, set_velocity)
{
    *c = (iso_command_set_velocity){
        .body = body_id_unpack(p->body),
        .velocity = {p->velocity_x, p->velocity_y},
        .angular_velocity = p->angular_velocity,
    };
    return ISO_OK;
}

PACK(SetTarget, set_target)
{
    (void)arena;
    p->joint = iso_id_pack(c->joint.index, c->joint.generation);
    p->target_x = c->target.x;
    p->target_y = c->target.y;
    return ISO_OK;
}

UNPACK(SetTarget, set_target)
{
    *c = (iso_command_set_target){.joint = joint_id_unpack(p->joint), .target = {p->target_x, p->target_y}};
    return ISO_OK;
}

PACK(SetGravity, set_gravity)
{
    (void)arena;
    p->x = c->gravity.x;
    p->y = c->gravity.y;
    return ISO_OK;
}

UNPACK(SetGravity, set_gravity)
{
    c->gravity = (iso_vec2){p->x, p->y};
    return ISO_OK;
}

PACK(SetFilter, set_filter)
{
    p->shape = iso_id_pack(c->shape.index, c->shape.generation);
    return filter_pack(arena, &c->filter, &p->filter);
}

UNPACK(SetFilter, set_filter)
{
    c->shape = shape_id_unpack(p->shape);
    return filter_unpack(p->filter, &c->filter);
}

PACK(Custom, custom)
{
    (void)arena;
    p->payload.len = c->size;
    p->payload.data = (uint8_t *)(uintptr_t)c->bytes;
    return ISO_OK;
}

UNPACK(Custom, custom)
{
    if (p->payload.len > ISO_CUSTOM_SIZE_MAX) {
        return ISO_ERR_RANGE;
    }
    *c = (iso_command_custom){.size = (uint16_t)p->payload.len};
    if (p->payload.len > 0) {
        memcpy(c->bytes, p->payload.data, p->payload.len);
    }
    return ISO_OK;
}

PACK(SetBodyType, set_body_type)
{
    (void)arena;
    p->body = body_id_pack(c->body);
    p->type = (Isostep__V1__BodyType)c->type;
    return ISO_OK;
}

UNPACK(SetBodyType, set_body_type)
{
    c->body = body_id_unpack(p->body);
    return iso__codec_enum_unpack((int)p->type, &c->type);
}

PACK(SetBodyParams, set_body_params)
{
    (void)arena;
    p->body = body_id_pack(c->body);
    p->linear_damping = c->params.linear_damping;
    p->angular_damping = c->params.angular_damping;
    p->gravity_scale = c->params.gravity_scale;
    p->fixed_rotation = c->params.fixed_rotation;
    p->lock_x = c->params.lock_x;
    p->lock_y = c->params.lock_y;
    p->sleep_enabled = c->params.sleep_enabled;
    return ISO_OK;
}

UNPACK(SetBodyParams, set_body_params)
{
    *c = (iso_command_set_body_params){
        .body = body_id_unpack(p->body),
        .params = {
            .linear_damping = p->linear_damping,
            .angular_damping = p->angular_damping,
            .gravity_scale = p->gravity_scale,
            .fixed_rotation = p->fixed_rotation != 0,
            .lock_x = p->lock_x != 0,
            .lock_y = p->lock_y != 0,
            .sleep_enabled = p->sleep_enabled != 0,
        },
    };
    return ISO_OK;
}

PACK(SetBodyMass, set_body_mass)
{
    (void)arena;
    p->body = body_id_pack(c->body);
    p->mass = c->mass;
    p->inertia = c->inertia;
    return ISO_OK;
}

UNPACK(SetBodyMass, set_body_mass)
{
    *c = (iso_command_set_body_mass){.body = body_id_unpack(p->body), .mass = p->mass, .inertia = p->inertia};
    return ISO_OK;
}

PACK(MoveKinematic, move_kinematic)
{
    (void)arena;
    p->body = body_id_pack(c->body);
    p->x = c->position.x;
    p->y = c->position.y;
    p->angle = c->angle;
    return ISO_OK;
}

UNPACK(MoveKinematic, move_kinematic)
{
    *c = (iso_command_move_kinematic){.body = body_id_unpack(p->body), .position = {p->x, p->y}, .angle = p->angle};
    return ISO_OK;
}

PACK(SetJointMotor, set_joint_motor)
{
    (void)arena;
    p->joint = iso_id_pack(c->joint.index, c->joint.generation);
    p->enabled = c->enabled;
    p->speed = c->speed;
    p->max = c->max;
    return ISO_OK;
}

UNPACK(SetJointMotor, set_joint_motor)
{
    *c = (iso_command_set_joint_motor){joint_id_unpack(p->joint), p->enabled != 0, p->speed, p->max};
    return ISO_OK;
}

PACK(SetJointLimits, set_joint_limits)
{
    (void)arena;
    p->joint = iso_id_pack(c->joint.index, c->joint.generation);
    p->enabled = c->enabled;
    p->lower = c->lower;
    p->upper = c->upper;
    return ISO_OK;
}

UNPACK(SetJointLimits, set_joint_limits)
{
    *c = (iso_command_set_joint_limits){joint_id_unpack(p->joint), p->enabled != 0, p->lower, p->upper};
    return ISO_OK;
}

PACK(SetJointSpring, set_joint_spring)
{
    (void)arena;
    p->joint = iso_id_pack(c->joint.index, c->joint.generation);
    p->enabled = c->enabled;
    p->hertz = c->hertz;
    p->damping_ratio = c->damping_ratio;
    p->rest = c->rest;
    return ISO_OK;
}

UNPACK(SetJointSpring, set_joint_spring)
{
    *c = (iso_command_set_joint_spring){joint_id_unpack(p->joint), p->enabled != 0, p->hertz, p->damping_ratio, p->rest};
    return ISO_OK;
}

PACK(SetJointBreak, set_joint_break)
{
    (void)arena;
    p->joint = iso_id_pack(c->joint.index, c->joint.generation);
    p->force = c->force;
    p->torque = c->torque;
    p->error = c->error;
    p->remove = c->remove;
    return ISO_OK;
}

UNPACK(SetJointBreak, set_joint_break)
{
    *c = (iso_command_set_joint_break){joint_id_unpack(p->joint), p->force, p->torque, p->error, p->remove != 0};
    return ISO_OK;
}

PACK(EnableJoint, enable_joint)
{
    (void)arena;
    p->joint = iso_id_pack(c->joint.index, c->joint.generation);
    p->enabled = c->enabled;
    return ISO_OK;
}

UNPACK(EnableJoint, enable_joint)
{
    *c = (iso_command_enable_joint){joint_id_unpack(p->joint), p->enabled != 0};
    return ISO_OK;
}

PACK(SetJoint, set_joint)
{
    p->joint = iso_id_pack(c->joint.index, c->joint.generation);
    return iso__codec_joint_pack(arena, &c->definition, &p->definition);
}

UNPACK(SetJoint, set_joint)
{
    c->joint = joint_id_unpack(p->joint);
    return iso__codec_joint_unpack(p->definition, &c->definition);
}

/// The field number of a kind's member is its number, and enumerators are the same on the wire.
#define SAME_NUMBER(name, number, snake) \
    _Static_assert((int)ISOSTEP__V1__COMMAND__KIND_##name == (number), "numbers differ: " #name);
ISO_COMMAND_KIND_LIST(SAME_NUMBER)
#undef SAME_NUMBER
#define SAME_BODY_TYPE(name, number) \
    _Static_assert((int)ISOSTEP__V1__BODY_TYPE__BODY_TYPE_##name == (number), "numbers differ: " #name);
ISO_BODY_TYPE_LIST(SAME_BODY_TYPE)
#undef SAME_BODY_TYPE
#define SAME_SHAPE_KIND(name, number) \
    _Static_assert((int)ISOSTEP__V1__SHAPE_KIND__SHAPE_KIND_##name == (number), "numbers differ: " #name);
ISO_SHAPE_KIND_LIST(SAME_SHAPE_KIND)
#undef SAME_SHAPE_KIND
#define SAME_JOINT_KIND(name, number, snake, has) \
    _Static_assert((int)ISOSTEP__V1__JOINT_KIND__JOINT_KIND_##name == (number), "numbers differ: " #name);
ISO_JOINT_KIND_LIST(SAME_JOINT_KIND)
#undef SAME_JOINT_KIND

/// The kinds with the generated types' names. X(name, Type, snake)
#define COMMAND_TYPE_LIST(X)                                         \
    X(SET_CONTROL, SetControl, set_control)                          \
    X(SPAWN_BODY, SpawnBody, spawn_body)                             \
    X(DESTROY_BODY, DestroyBody, destroy_body)                       \
    X(CREATE_SHAPE, CreateShape, create_shape)                       \
    X(DESTROY_SHAPE, DestroyShape, destroy_shape)                    \
    X(CREATE_JOINT, CreateJoint, create_joint)                       \
    X(DESTROY_JOINT, DestroyJoint, destroy_joint)                    \
    X(APPLY_FORCE, ApplyForce, apply_force)                          \
    X(APPLY_IMPULSE, ApplyImpulse, apply_impulse)                    \
    X(APPLY_TORQUE, ApplyTorque, apply_torque)                       \
    X(APPLY_ANGULAR_IMPULSE, ApplyAngularImpulse, apply_angular_impulse) \
    X(SET_VELOCITY, SetVelocity, set_velocity)                       \
    X(SET_TARGET, SetTarget, set_target)                             \
    X(SET_GRAVITY, SetGravity, set_gravity)                          \
    X(SET_FILTER, SetFilter, set_filter)                             \
    X(CUSTOM, Custom, custom)                                        \
    X(SET_BODY_TYPE, SetBodyType, set_body_type)                     \
    X(SET_BODY_PARAMS, SetBodyParams, set_body_params)               \
    X(SET_BODY_MASS, SetBodyMass, set_body_mass)                     \
    X(MOVE_KINEMATIC, MoveKinematic, move_kinematic)                 \
    X(SET_JOINT_MOTOR, SetJointMotor, set_joint_motor)               \
    X(SET_JOINT_LIMITS, SetJointLimits, set_joint_limits)            \
    X(SET_JOINT_SPRING, SetJointSpring, set_joint_spring)            \
    X(SET_JOINT_BREAK, SetJointBreak, set_joint_break)               \
    X(ENABLE_JOINT, EnableJoint, enable_joint)                       \
    X(SET_JOINT, SetJoint, set_joint)

#define COUNT_TYPE(name, Type, snake) +1
#define COUNT_KIND(name, number, snake) +1
_Static_assert((0 COMMAND_TYPE_LIST(COUNT_TYPE)) == (0 ISO_COMMAND_KIND_LIST(COUNT_KIND)), "a kind of command is missing");
#undef COUNT_TYPE
#undef COUNT_KIND

iso_status iso__codec_command_pack(iso__codec_arena *arena, const iso_command *command, Isostep__V1__Command *packed)
{
    ISO__TRY(iso_command_check(command));
    switch (command->kind) {
#define PACK_CASE(name, Type, snake)                                                    \
    case ISO_COMMAND_##name: {                                                          \
        ISO__NEW(arena, Type, snake, p);                                                \
        packed->kind_case = (Isostep__V1__Command__KindCase)ISO_COMMAND_##name;         \
        packed->snake = p;                                                              \
        return snake##_pack(arena, &command->as.snake, p);                              \
    }
        COMMAND_TYPE_LIST(PACK_CASE)
#undef PACK_CASE
    default:
        return ISO_ERR_BAD_ENUM;
    }
}

static iso_status command_unpack_kind(const Isostep__V1__Command *packed, iso_command *command)
{
    switch ((int)packed->kind_case) {
#define UNPACK_CASE(name, Type, snake)      \
    case ISO_COMMAND_##name:                \
        command->kind = ISO_COMMAND_##name; \
        return snake##_unpack(packed->snake, &command->as.snake);
        COMMAND_TYPE_LIST(UNPACK_CASE)
#undef UNPACK_CASE
    default:
        return ISO_ERR_MALFORMED;
    }
}

iso_status iso__codec_command_unpack(const Isostep__V1__Command *packed, iso_command *command)
{
    ISO__TRY(command_unpack_kind(packed, command));
    return iso_command_check(command);
}
