/// Commands: their static check and their canonical bytes.
///
/// Canonical bytes are the kind as one byte, then the arguments in the order of ISO_COMMAND_..._ARGS, all little
/// endian. An id is index u32 and generation u32.
///
///   BODY, SHAPE, JOINT     an id
///   BOOL, BODY_TYPE        u8; a BOOL is 0 or 1
///   U32, FIX16, WIDE       u32, i32, i64
///   VEC2, VEC2_WIDE        2 i32, 2 i64
///   VEC3, VEC3_WIDE        3 i32, 3 i64
///   QUAT                   x, y, z, w i32
///   CONTROL, PAYLOAD       size u8, u16, then that many bytes
///   FILTER                 category u32, mask u32, group i32
///   BODY_PARAMS            each of ISO_BODY_NUMBER_LIST i32, each of ISO_BODY_SWITCH_LIST u8 (0 or 1)
///   BODY_DEF               type u8, position 2 i64, angle i64, velocity 2 i64, angular velocity i64, tag u32
///   SHAPE_DEF              kind u8, point count u8, density i32, friction i32, restitution i32, radius i32,
///                          surface speed i32, one way VEC2, sensor u8, FILTER, tag u32, that many points of 2 i32;
///                          of a capsule then radius b i32, of a segment, which has no points, 4 points of 2 i64
///   JOINT_DEF              kind u8, each switch of ISO_JOINT_SWITCH_LIST u8 (0 or 1), body a id, body b id,
///                          anchor a 2 i32, anchor b 2 i32, target 2 i64, body c id, body d id, anchor c 2 i32,
///                          anchor d 2 i32, axis 2 i32, each number of ISO_JOINT_NUMBER_LIST: i32
///                          (FIX16) or i64 (WIDE), tag u32; of USER and SYMBOLIC then constraint u32, 8 vectors of 2
///                          i64, 8 scalars i64
///   BODY3_PARAMS           each of ISO_BODY3_NUMBER_LIST i32, each of ISO_BODY3_SWITCH_LIST u8 (0 or 1)
///   BODY3_DEF              type u8, position 3 i64, rotation QUAT, velocity 3 i64, angular velocity 3 i64, tag u32
///   SHAPE3_DEF             kind u8, point count u8, density i32, friction i32, restitution i32, radius i32, offset
///                          i32, sensor u8, FILTER, tag u32, rotation QUAT, that many points of 3 i32
///   JOINT3_AXIS            each switch of ISO_JOINT3_AXIS_SWITCH_LIST u8 (0 or 1), each number of
///                          ISO_JOINT3_AXIS_NUMBER_LIST: i32 (FIX16) or i64 (WIDE)
///   JOINT3_DEF             kind u8, each switch of ISO_JOINT3_SWITCH_LIST u8 (0 or 1), body a id, body b id, frame a
///                          and frame b, each an anchor of 3 i32 and a rotation QUAT, target 3 i64, each number of
///                          ISO_JOINT3_NUMBER_LIST: i32 or i64, 3 JOINT3_AXIS, tag u32; of USER and SYMBOLIC then
///                          constraint u32, 8 vectors of 3 i64, 8 scalars i64
///
/// A visitor of the arguments serves both directions: it writes, or it reads.
#include "isostep/command.h"

#include <string.h>

#include "base/bytes.h"
#include "math/fixed_ops.h"
#include "math/quat_check.h"
#include "plane/joint/joint.h"
#include "plane/world/body.h"
#include "plane/world/custom.h"
#include "space/world/body_def.h"

// ---- check ---------------------------------------------------------------------------------------

#define COMMAND_GRAVITY_MAX_M_S2 1000

static bool command_is_acceleration(fix16_t value) {
    return iso__abs_u32(value) <= COMMAND_GRAVITY_MAX_M_S2 * (uint32_t)ISO_FIX16_ONE;
}

static bool command_is_gravity(iso_vec2 value) {
    return command_is_acceleration(value.x) && command_is_acceleration(value.y);
}

static bool command_is_gravity3(iso_vec3 value) {
    return command_is_acceleration(value.x) && command_is_acceleration(value.y) && command_is_acceleration(value.z);
}

static bool command_is_within_wide(iso_wide value, uint32_t limit) {
    return iso__abs_u64(value) <= (uint64_t)limit << ISO__WIDE_FRACTION;
}

static bool command_is_vec3_within_wide(iso_vec3_wide value, uint32_t limit) {
    return command_is_within_wide(value.x, limit) && command_is_within_wide(value.y, limit) &&
           command_is_within_wide(value.z, limit);
}

static bool command_is_vec2_within_wide(iso_vec2_wide value, uint32_t limit) {
    return command_is_within_wide(value.x, limit) && command_is_within_wide(value.y, limit);
}

static iso_status command_check_body_type(uint8_t type) {
    return type >= ISO_BODY_STATIC && type <= ISO_BODY_DYNAMIC ? ISO_OK : ISO_ERR_BAD_ENUM;
}

/// As in iso_body_create: a body without a shape counts as one of radius 1 m.
static iso_status command_check_body(const iso_body_def *body) {
    if (command_check_body_type(body->type) != ISO_OK) {
        return ISO_ERR_BAD_ENUM;
    }
    const bool is_within = iso__plane_body_place_is_valid(body->position) &&
                           iso__plane_body_speed_is_valid(body->velocity) &&
                           iso__abs_u64(body->angular_velocity) <= ISO_SPEED_MAX_M_S * (uint64_t)ISO_WIDE_ONE;
    return is_within ? ISO_OK : ISO_ERR_RANGE;
}

/// The definition, and that its rotation has the one form.
static iso_status command_check_body3(const iso_body3_def *body) {
    const iso_status status = iso__space_body_motion_check(body);
    return status == ISO_OK && !iso__rotation_is_state(body->rotation) ? ISO_ERR_RANGE : status;
}

/// Likewise; only a box has a rotation.
static iso_status command_check_shape3(const iso_shape3_def *shape) {
    if (shape->kind == ISO_SHAPE3_HEIGHTS) {
        return ISO_ERR_BAD_ENUM; // its number is not in a command
    }
    const iso_status status = iso_shape3_def_check(shape);
    const bool has_form = shape->kind != ISO_SHAPE3_BOX || iso__rotation_is_state(shape->rotation);
    return status == ISO_OK && !has_form ? ISO_ERR_RANGE : status;
}

/// Whether the canonical bytes have all that a definition says of a constraint: nothing of joints of other kinds, and
/// vectors of the world's own dimensions alone.
static bool command_has_params(uint32_t dimensions, bool is_custom, uint32_t constraint,
                               const iso_program_params *params) {
    const uint32_t vectors = is_custom ? ISO_PROGRAM_VECTORS_MAX : 0, scalars = is_custom ? ISO_PROGRAM_SCALARS_MAX : 0;
    return (is_custom || constraint == 0) && iso__custom_has_only(dimensions, vectors, scalars, params);
}

static iso_status command_check_joint(const iso_joint_def *joint) {
    const iso_status status = iso__plane_joint_def_check(joint);
    const bool is_custom = iso_joint_kind_is_custom(joint->kind);
    const bool has_form = command_has_params(2, is_custom, joint->constraint, &joint->params);
    return status == ISO_OK && !has_form ? ISO_ERR_RANGE : status;
}

/// Likewise, and the rotations of both frames have the one form.
static iso_status command_check_joint3(const iso_joint3_def *joint) {
    const iso_status status = iso_joint3_def_check(joint);
    const bool has_form =
        iso__rotation_is_state(joint->frame_a.rotation) && iso__rotation_is_state(joint->frame_b.rotation) &&
        command_has_params(3, iso_joint3_kind_is_custom(joint->kind), joint->constraint, &joint->params);
    return status == ISO_OK && !has_form ? ISO_ERR_RANGE : status;
}

/// What a command's numbers are collected in that are those of a joint or of a shape: as the definition of a revolute,
/// of a circle has them.
typedef struct command_checker {
    iso_status status;
    bool has_joint, has_shape;
    iso_joint_def joint;
    iso_shape_def shape;
} command_checker;

static void check_add(command_checker *checker, iso_status status) {
    checker->status = checker->status == ISO_OK ? status : checker->status;
}

static iso_joint_def *check_joint(command_checker *checker) {
    if (!checker->has_joint) {
        checker->joint = iso_joint_def_default();
        checker->has_joint = true;
    }
    return &checker->joint;
}

static iso_shape_def *check_shape(command_checker *checker) {
    if (!checker->has_shape) {
        checker->shape = iso_shape_def_circle(ISO_FIX16_ONE);
        checker->has_shape = true;
    }
    return &checker->shape;
}

#define CHECK_WHETHER(condition) check_add(checker, (condition) ? ISO_OK : ISO_ERR_RANGE)

// By type, of those whose bound is their own.
#define CHECK_OWN_CONTROL(name)      check_add(checker, c->size <= ISO_CONTROL_SIZE_MAX ? ISO_OK : ISO_ERR_MALFORMED)
#define CHECK_OWN_PAYLOAD(name)      check_add(checker, c->size <= ISO_CUSTOM_SIZE_MAX ? ISO_OK : ISO_ERR_MALFORMED)
#define CHECK_OWN_BODY_TYPE(name)    check_add(checker, command_check_body_type(c->name))
#define CHECK_OWN_BODY_PARAMS(name)  check_add(checker, iso_body_params_check(&c->name))
#define CHECK_OWN_BODY_DEF(name)     check_add(checker, command_check_body(&c->name))
#define CHECK_OWN_SHAPE_DEF(name)    check_add(checker, iso_shape_def_check(&c->name))
#define CHECK_OWN_JOINT_DEF(name)    check_add(checker, command_check_joint(&c->name))
#define CHECK_OWN_QUAT(name)         CHECK_WHETHER(iso__rotation_is_state(c->name))
#define CHECK_OWN_BODY3_PARAMS(name) check_add(checker, iso_body3_params_check(&c->name))
#define CHECK_OWN_BODY3_DEF(name)    check_add(checker, command_check_body3(&c->name))
#define CHECK_OWN_SHAPE3_DEF(name)   check_add(checker, command_check_shape3(&c->name))
#define CHECK_OWN_JOINT3_DEF(name)   check_add(checker, command_check_joint3(&c->name))
#define CHECK_OWN_JOINT3_AXIS(name)  check_add(checker, iso_joint3_axis_check(&c->name))

// By bound; some apply to a number or a vector, or to vectors of both kinds of worlds.
#define CHECK_ANY(type, name)         (void)c
#define CHECK_OWN(type, name)         CHECK_OWN_##type(name)
#define CHECK_PLACE(type, name)       CHECK_PLACE_##type(name)
#define CHECK_PLACE_VEC2_WIDE(name)   CHECK_WHETHER(iso__plane_body_place_is_valid(c->name))
#define CHECK_PLACE_VEC3_WIDE(name)   CHECK_WHETHER(command_is_vec3_within_wide(c->name, ISO_POSITION_MAX_M))
#define CHECK_SPEED(type, name)       CHECK_SPEED_##type(name)
#define CHECK_SPEED_VEC2_WIDE(name)   CHECK_WHETHER(iso__plane_body_speed_is_valid(c->name))
#define CHECK_SPEED_VEC3_WIDE(name)   CHECK_WHETHER(command_is_vec3_within_wide(c->name, ISO_SPEED3_MAX_M_S))
#define CHECK_SPIN(type, name)        CHECK_WHETHER(command_is_within_wide(c->name, ISO_SPEED_MAX_M_S))
#define CHECK_GRAVITY(type, name)     CHECK_GRAVITY_##type(name)
#define CHECK_GRAVITY_VEC2(name)      CHECK_WHETHER(command_is_gravity(c->name))
#define CHECK_GRAVITY_VEC3(name)      CHECK_WHETHER(command_is_gravity3(c->name))
#define CHECK_PUSH(type, name)        CHECK_PUSH_##type(name)
#define CHECK_PUSH_WIDE(name)         CHECK_WHETHER(command_is_within_wide(c->name, ISO_IMPULSE_MAX))
#define CHECK_PUSH_VEC2_WIDE(name)    CHECK_WHETHER(command_is_vec2_within_wide(c->name, ISO_IMPULSE_MAX))
#define CHECK_PUSH_VEC3_WIDE(name)    CHECK_WHETHER(command_is_vec3_within_wide(c->name, ISO_IMPULSE_MAX))
#define CHECK_MASS(type, name)        CHECK_WHETHER(iso__plane_body_mass_is_valid(c->name, 0))
#define CHECK_INERTIA(type, name)     CHECK_WHETHER(iso__plane_body_mass_is_valid(0, c->name))
#define CHECK_AXIS(type, name)        CHECK_WHETHER(c->name < ISO_JOINT3_AXES)
#define CHECK_MOMENTS(type, name)     CHECK_WHETHER(iso__space_body_moments_are_valid(c->name))
#define CHECK_JOINT(number)           check_joint(checker)->number = CHECK_JOINT_VALUE
#define CHECK_JOINT_VALUE(type, name) c->name
#define CHECK_SHAPE(number)           check_shape(checker)->number = CHECK_SHAPE_VALUE
#define CHECK_SHAPE_VALUE(type, name) c->name

#define CHECK_ARG(type, name, wire, bound, unit) CHECK_##bound(type, name);
#define CHECK_KIND(NAME, number, snake, worlds)                                         \
    static void check_##snake(command_checker *checker, const iso_command_##snake *c) { \
        (void)checker;                                                                  \
        ISO_COMMAND_##snake##_ARGS(CHECK_ARG)                                           \
    }
ISO_COMMAND_KIND_LIST(CHECK_KIND)
#undef CHECK_KIND

// The cases of a switch over kinds. A build without worlds in space has no commands of them either.
#define CASE_PLANE(code) code
#define CASE_BOTH(code)  code
#ifdef ISO_ONLY_PLANE
#define CASE_SPACE(code)
#else
#define CASE_SPACE(code) code
#endif

iso_status iso_command_check(const iso_command *command) {
    command_checker checker = {.status = ISO_OK, .has_joint = false, .has_shape = false};
    switch ((iso_command_kind)command->kind) {
#define CHECK_CASE(NAME, number, snake, worlds) \
    CASE_##worlds(case ISO_COMMAND_##NAME : check_##snake(&checker, &command->as.snake); break;)
        ISO_COMMAND_KIND_LIST(CHECK_CASE)
#undef CHECK_CASE
    default:
        return ISO_ERR_BAD_ENUM;
    }
    if (checker.has_shape) {
        return iso_shape_def_check(&checker.shape);
    }
    return checker.has_joint ? iso__plane_joint_def_check(&checker.joint) : checker.status;
}

const char *iso_command_kind_name(uint8_t kind) {
    switch ((iso_command_kind)kind) {
#define COMMAND_NAME(name, number, snake, worlds) \
    case ISO_COMMAND_##name:                      \
        return #name;
        ISO_COMMAND_KIND_LIST(COMMAND_NAME)
#undef COMMAND_NAME
    }
    return "UNKNOWN";
}

uint32_t iso_command_dimensions(uint8_t kind) {
    switch ((iso_command_kind)kind) {
#define COMMAND_WORLDS(name, number, snake, worlds) \
    case ISO_COMMAND_##name:                        \
        return ISO_COMMAND_IN_##worlds;
        ISO_COMMAND_KIND_LIST(COMMAND_WORLDS)
#undef COMMAND_WORLDS
    }
    return 0;
}

// ---- canonical bytes -----------------------------------------------------------------------------

/// Walks over a command's arguments, writing them to `out` or reading them from `in`.
typedef struct visitor {
    uint8_t *out; // NULL when reading
    const uint8_t *in;
    size_t size; // of the bytes
    size_t at;
    bool has_failed; // beyond the end, or not a canonical form
} visitor;

/// Visits a number of `width` bytes: returns the one that was read, or `value`.
static uint64_t visit_number(visitor *v, uint64_t value, uint32_t width) {
    if (v->has_failed || v->size - v->at < width) {
        v->has_failed = true;
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
    v->has_failed = v->has_failed || number > 1;
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

static void visit_vec3(visitor *v, iso_vec3 *value) {
    visit_i32(v, &value->x);
    visit_i32(v, &value->y);
    visit_i32(v, &value->z);
}

static void visit_vec3_wide(visitor *v, iso_vec3_wide *value) {
    visit_i64(v, &value->x);
    visit_i64(v, &value->y);
    visit_i64(v, &value->z);
}

static void visit_quat(visitor *v, iso_quat *value) {
    visit_i32(v, &value->x);
    visit_i32(v, &value->y);
    visit_i32(v, &value->z);
    visit_i32(v, &value->w);
}

static void visit_block(visitor *v, uint8_t *bytes, size_t size, size_t size_max) {
    if (v->has_failed || size > size_max || v->size - v->at < size) {
        v->has_failed = true;
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
    visit_i32(v, &shape->surface_speed);
    visit_vec2(v, &shape->one_way);
    visit_bool(v, &shape->is_sensor);
    visit_filter(v, &shape->filter);
    visit_u32(v, &shape->tag);
    v->has_failed = v->has_failed || shape->point_count > ISO_POLYGON_VERTICES_MAX ||
                    (shape->kind == ISO_SHAPE_SEGMENT && shape->point_count != 0);
    for (uint32_t i = 0; i < shape->point_count && !v->has_failed; ++i) {
        visit_vec2(v, &shape->points[i]);
    }
    if (shape->kind == ISO_SHAPE_CAPSULE) {
        visit_i32(v, &shape->radius_b);
    }
    for (uint32_t i = 0; i < 4 && shape->kind == ISO_SHAPE_SEGMENT && !v->has_failed; ++i) {
        visit_vec2_wide(v, &shape->segment[i]);
    }
}

static void visit_body(visitor *v, iso_body_def *body) {
    visit_u8(v, &body->type);
    visit_vec2_wide(v, &body->position);
    visit_i64(v, &body->angle);
    visit_vec2_wide(v, &body->velocity);
    visit_i64(v, &body->angular_velocity);
    visit_u32(v, &body->tag);
}

static void visit_body_params(visitor *v, iso_body_params *params) {
#define VISIT_NUMBER(name, low, high, otherwise) visit_i32(v, &params->name);
#define VISIT_SWITCH(name, bit, key)             visit_bool(v, &params->name);
    ISO_BODY_NUMBER_LIST(VISIT_NUMBER)
    ISO_BODY_SWITCH_LIST(VISIT_SWITCH)
#undef VISIT_NUMBER
#undef VISIT_SWITCH
}

/// A constraint's index and parameters, in a world of so many dimensions.
static void visit_constraint(visitor *v, uint32_t dimensions, uint32_t *constraint, iso_program_params *params) {
    visit_u32(v, constraint);
    for (uint32_t i = 0; i < ISO_PROGRAM_VECTORS_MAX; ++i) {
        iso_wide *vector = dimensions == 3 ? params->vectors3[i] : params->vectors[i];
        for (uint32_t k = 0; k < dimensions; ++k) {
            visit_i64(v, &vector[k]);
        }
    }
    for (uint32_t i = 0; i < ISO_PROGRAM_SCALARS_MAX; ++i) {
        visit_i64(v, &params->scalars[i]);
    }
}

#define VISIT_NUMBER_FIX16 visit_i32
#define VISIT_NUMBER_WIDE  visit_i64

static void visit_joint(visitor *v, iso_joint_def *joint) {
    visit_u8(v, &joint->kind);
#define VISIT_SWITCH(name, bit) visit_bool(v, &joint->name);
    ISO_JOINT_SWITCH_LIST(VISIT_SWITCH)
#undef VISIT_SWITCH
    visit_id(v, &joint->body_a.index, &joint->body_a.generation);
    visit_id(v, &joint->body_b.index, &joint->body_b.generation);
    visit_vec2(v, &joint->anchor_a);
    visit_vec2(v, &joint->anchor_b);
    visit_vec2_wide(v, &joint->target);
    visit_id(v, &joint->body_c.index, &joint->body_c.generation);
    visit_id(v, &joint->body_d.index, &joint->body_d.generation);
    visit_vec2(v, &joint->anchor_c);
    visit_vec2(v, &joint->anchor_d);
    visit_vec2(v, &joint->axis);
#define VISIT_NUMBER(type, name, low, high) VISIT_NUMBER_##type(v, &joint->name);
    ISO_JOINT_NUMBER_LIST(VISIT_NUMBER)
#undef VISIT_NUMBER
    visit_u32(v, &joint->tag);
    if (iso_joint_kind_is_custom(joint->kind)) {
        visit_constraint(v, 2, &joint->constraint, &joint->params);
    }
}

static void visit_body3(visitor *v, iso_body3_def *body) {
    visit_u8(v, &body->type);
    visit_vec3_wide(v, &body->position);
    visit_quat(v, &body->rotation);
    visit_vec3_wide(v, &body->velocity);
    visit_vec3_wide(v, &body->angular_velocity);
    visit_u32(v, &body->tag);
}

static void visit_shape3(visitor *v, iso_shape3_def *shape) {
    visit_u8(v, &shape->kind);
    visit_u8(v, &shape->point_count);
    visit_i32(v, &shape->density);
    visit_i32(v, &shape->friction);
    visit_i32(v, &shape->restitution);
    visit_i32(v, &shape->radius);
    visit_i32(v, &shape->offset);
    visit_bool(v, &shape->is_sensor);
    visit_filter(v, &shape->filter);
    visit_u32(v, &shape->tag);
    visit_quat(v, &shape->rotation);
    v->has_failed = v->has_failed || shape->point_count > ISO_HULL_VERTICES_MAX;
    for (uint32_t i = 0; i < shape->point_count && !v->has_failed; ++i) {
        visit_vec3(v, &shape->points[i]);
    }
}

static void visit_body3_params(visitor *v, iso_body3_params *params) {
#define VISIT_NUMBER(name, low, high, otherwise) visit_i32(v, &params->name);
#define VISIT_SWITCH(name, bit, key)             visit_bool(v, &params->name);
    ISO_BODY3_NUMBER_LIST(VISIT_NUMBER)
    ISO_BODY3_SWITCH_LIST(VISIT_SWITCH)
#undef VISIT_NUMBER
#undef VISIT_SWITCH
}

#define VISIT_NUMBER(type, name, low, high) VISIT_NUMBER_##type(v, &of->name);
#define VISIT_SWITCH(name, bit)             visit_bool(v, &of->name);
static void visit_joint3_axis(visitor *v, iso_joint3_axis *of) {
    ISO_JOINT3_AXIS_SWITCH_LIST(VISIT_SWITCH)
    ISO_JOINT3_AXIS_NUMBER_LIST(VISIT_NUMBER)
}

static void visit_joint3(visitor *v, iso_joint3_def *of) {
    visit_u8(v, &of->kind);
    ISO_JOINT3_SWITCH_LIST(VISIT_SWITCH)
    visit_id(v, &of->body_a.index, &of->body_a.generation);
    visit_id(v, &of->body_b.index, &of->body_b.generation);
    visit_vec3(v, &of->frame_a.anchor);
    visit_quat(v, &of->frame_a.rotation);
    visit_vec3(v, &of->frame_b.anchor);
    visit_quat(v, &of->frame_b.rotation);
    visit_vec3_wide(v, &of->target);
    ISO_JOINT3_NUMBER_LIST(VISIT_NUMBER)
    for (uint32_t n = 0; n < ISO_JOINT3_AXES; ++n) {
        visit_joint3_axis(v, &of->axes[n]);
    }
    visit_u32(v, &of->tag);
    if (iso_joint3_kind_is_custom(of->kind)) {
        visit_constraint(v, 3, &of->constraint, &of->params);
    }
}
#undef VISIT_NUMBER
#undef VISIT_SWITCH

// By type of argument.
#define VISIT_BODY(name)         visit_id(v, &c->name.index, &c->name.generation)
#define VISIT_SHAPE(name)        visit_id(v, &c->name.index, &c->name.generation)
#define VISIT_JOINT(name)        visit_id(v, &c->name.index, &c->name.generation)
#define VISIT_COMPOUND(name)     visit_id(v, &c->name.index, &c->name.generation)
#define VISIT_BLUEPRINT(name)    visit_u32(v, &c->name)
#define VISIT_BOOL(name)         visit_bool(v, &c->name)
#define VISIT_U32(name)          visit_u32(v, &c->name)
#define VISIT_FIX16(name)        visit_i32(v, &c->name)
#define VISIT_WIDE(name)         visit_i64(v, &c->name)
#define VISIT_VEC2(name)         visit_vec2(v, &c->name)
#define VISIT_VEC2_WIDE(name)    visit_vec2_wide(v, &c->name)
#define VISIT_FILTER(name)       visit_filter(v, &c->name)
#define VISIT_BODY_TYPE(name)    visit_u8(v, &c->name)
#define VISIT_BODY_PARAMS(name)  visit_body_params(v, &c->name)
#define VISIT_BODY_DEF(name)     visit_body(v, &c->name)
#define VISIT_SHAPE_DEF(name)    visit_shape(v, &c->name)
#define VISIT_JOINT_DEF(name)    visit_joint(v, &c->name)
#define VISIT_VEC3(name)         visit_vec3(v, &c->name)
#define VISIT_VEC3_WIDE(name)    visit_vec3_wide(v, &c->name)
#define VISIT_QUAT(name)         visit_quat(v, &c->name)
#define VISIT_BODY3_PARAMS(name) visit_body3_params(v, &c->name)
#define VISIT_BODY3_DEF(name)    visit_body3(v, &c->name)
#define VISIT_SHAPE3_DEF(name)   visit_shape3(v, &c->name)
#define VISIT_JOINT3_DEF(name)   visit_joint3(v, &c->name)
#define VISIT_JOINT3_AXIS(name)  visit_joint3_axis(v, &c->name)
#define VISIT_CONTROL(name) \
    visit_u8(v, &c->size);  \
    visit_block(v, c->name, c->size, ISO_CONTROL_SIZE_MAX)
#define VISIT_PAYLOAD(name) \
    visit_u16(v, &c->size); \
    visit_block(v, c->name, c->size, ISO_CUSTOM_SIZE_MAX)

#define VISIT_ARG(type, name, wire, bound, unit) VISIT_##type(name);
#define VISIT_KIND(NAME, number, snake, worlds)                     \
    static void visit_##snake(visitor *v, iso_command_##snake *c) { \
        ISO_COMMAND_##snake##_ARGS(VISIT_ARG)                       \
    }
ISO_COMMAND_KIND_LIST(VISIT_KIND)
#undef VISIT_KIND

static void visit_command(visitor *v, iso_command *command) {
    visit_u8(v, &command->kind);
    switch ((iso_command_kind)command->kind) {
#define VISIT_CASE(NAME, number, snake, worlds) \
    CASE_##worlds(case ISO_COMMAND_##NAME : visit_##snake(v, &command->as.snake); return;)
        ISO_COMMAND_KIND_LIST(VISIT_CASE)
#undef VISIT_CASE
    default:
        break;
    }
    v->has_failed = true;
}

size_t iso_command_encode(const iso_command *command, uint8_t *bytes, size_t capacity) {
    return iso_command_check(command) == ISO_OK ? iso_command_encode_checked(command, bytes, capacity) : 0;
}

size_t iso_command_encode_checked(const iso_command *command, uint8_t *bytes, size_t capacity) {
    iso_command copy = *command; // the visitor writes what it visits back
    visitor v = {.out = bytes, .size = capacity};
    visit_command(&v, &copy);
    return v.has_failed ? 0 : v.at;
}

iso_status iso_command_decode(const uint8_t *bytes, size_t size, iso_command *command) {
    memset(command, 0, sizeof *command);
    if (size > 0 && iso_command_dimensions(bytes[0]) == 0) {
        return ISO_ERR_BAD_ENUM;
    }
    visitor v = {.in = bytes, .size = size};
    visit_command(&v, command);
    if (v.has_failed || v.at != size) {
        return ISO_ERR_MALFORMED;
    }
    if (command->kind == ISO_COMMAND_SPAWN_BODY) {
        command->as.spawn_body.body.owner.slot = ISO_OWNER_NOBODY;
        command->as.spawn_body.body.params = iso_body_params_default();
    } else if (command->kind == ISO_COMMAND_SPAWN_BODY3) {
        command->as.spawn_body3.body.owner.slot = ISO_OWNER_NOBODY;
        command->as.spawn_body3.body.params = iso_body3_params_default();
    } else if (command->kind == ISO_COMMAND_CREATE_JOINT) {
        command->as.create_joint.joint.owner.slot = ISO_OWNER_NOBODY;
    } else if (command->kind == ISO_COMMAND_SET_JOINT) {
        command->as.set_joint.definition.owner.slot = ISO_OWNER_NOBODY;
    } else if (command->kind == ISO_COMMAND_CREATE_JOINT3) {
        command->as.create_joint3.joint.owner.slot = ISO_OWNER_NOBODY;
    } else if (command->kind == ISO_COMMAND_SET_JOINT3) {
        command->as.set_joint3.definition.owner.slot = ISO_OWNER_NOBODY;
    }
    return iso_command_check(command);
}
