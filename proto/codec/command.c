/// Commands between the plain struct and protobuf-c's.
///
/// iso_message_check runs in both directions and checks commands, too, so that neither side ever sends or accepts a
/// command that could not be sealed.
#include <string.h>

#include "codec/internal.h"

static iso_owner owner_nobody(void) {
    return (iso_owner){.generation = 0, .slot = ISO_OWNER_NOBODY};
}

static iso_status body_def_pack(iso__codec_arena *arena, const iso_body_def *def, Isostep__V1__BodyDef **packed) {
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

static iso_status body_def_unpack(const Isostep__V1__BodyDef *p, iso_body_def *def) {
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

static iso_status shape_def_pack(iso__codec_arena *arena, const iso_shape_def *def, Isostep__V1__ShapeDef **packed) {
    ISO__NEW(arena, ShapeDef, shape_def, p);
    p->kind = (Isostep__V1__ShapeKind)def->kind;
    p->density = def->density;
    p->friction = def->friction;
    p->restitution = def->restitution;
    p->radius = def->radius;
    p->radius_b = def->radius_b;
    p->surface_speed = def->surface_speed;
    p->one_way_x = def->one_way.x;
    p->one_way_y = def->one_way.y;
    p->sensor = def->is_sensor;
    p->tag = def->tag;
    p->n_points = 2 * (size_t)def->point_count;
    p->points = iso__codec_arena_take(arena, p->n_points * sizeof(int32_t));
    if (p->points == NULL) {
        return ISO_ERR_BUFFER;
    }
    for (size_t i = 0; i < def->point_count; ++i) {
        p->points[2 * i] = def->points[i].x;
        p->points[2 * i + 1] = def->points[i].y;
    }
    if (def->kind == ISO_SHAPE_SEGMENT) {
        p->n_segment = 8;
        p->segment = iso__codec_arena_take(arena, p->n_segment * sizeof(int64_t));
        if (p->segment == NULL) {
            return ISO_ERR_BUFFER;
        }
        for (size_t i = 0; i < 4; ++i) {
            p->segment[2 * i] = def->segment[i].x;
            p->segment[2 * i + 1] = def->segment[i].y;
        }
    }
    *packed = p;
    return iso__codec_filter_pack(arena, &def->filter, &p->filter);
}

static iso_status shape_def_unpack(const Isostep__V1__ShapeDef *p, iso_shape_def *def) {
    if (p == NULL || p->n_points % 2 != 0 || p->n_points > 2 * ISO_POLYGON_VERTICES_MAX) {
        return ISO_ERR_MALFORMED;
    }
    *def = (iso_shape_def){
        .point_count = (uint8_t)(p->n_points / 2),
        .density = p->density,
        .friction = p->friction,
        .restitution = p->restitution,
        .radius = p->radius,
        .radius_b = p->radius_b,
        .surface_speed = p->surface_speed,
        .one_way = {p->one_way_x, p->one_way_y},
        .is_sensor = p->sensor,
        .tag = p->tag,
    };
    for (size_t i = 0; i < def->point_count; ++i) {
        def->points[i] = (iso_vec2){p->points[2 * i], p->points[2 * i + 1]};
    }
    ISO__TRY(iso__codec_enum_unpack((int)p->kind, &def->kind));
    const bool is_segment = def->kind == ISO_SHAPE_SEGMENT;
    if (p->n_segment != (is_segment ? 8 : 0) || (is_segment && p->n_points != 0)) {
        return ISO_ERR_MALFORMED;
    }
    for (size_t i = 0; i < p->n_segment / 2; ++i) {
        def->segment[i] = (iso_vec2_wide){p->segment[2 * i], p->segment[2 * i + 1]};
    }
    return iso__codec_filter_unpack(p->filter, &def->filter);
}

static iso_status block_unpack(const ProtobufCBinaryData *p, uint8_t *bytes, size_t size_max) {
    if (p->len > size_max) {
        return ISO_ERR_RANGE;
    }
    if (p->len > 0) {
        memcpy(bytes, p->data, p->len);
    }
    return ISO_OK;
}

/// Packs and unpacks one argument, by its type: p is the generated message, c the plain struct.
#define PACK_ID(name, wire)          p->wire = iso_id_pack(c->name.index, c->name.generation)
#define PACK_BODY(name, wire)        PACK_ID(name, wire)
#define PACK_SHAPE(name, wire)       PACK_ID(name, wire)
#define PACK_JOINT(name, wire)       PACK_ID(name, wire)
#define PACK_COMPOUND(name, wire)    PACK_ID(name, wire)
#define PACK_BLUEPRINT(name, wire)   p->wire = c->name
#define PACK_BOOL(name, wire)        p->wire = c->name
#define PACK_U32(name, wire)         p->wire = c->name
#define PACK_FIX16(name, wire)       p->wire = c->name
#define PACK_WIDE(name, wire)        p->wire = c->name
#define PACK_VEC2(name, wire)        (p->wire##x = c->name.x, p->wire##y = c->name.y)
#define PACK_VEC2_WIDE(name, wire)   PACK_VEC2(name, wire)
#define PACK_FILTER(name, wire)      ISO__TRY(iso__codec_filter_pack(arena, &c->name, &p->wire))
#define PACK_BODY_TYPE(name, wire)   p->wire = (Isostep__V1__BodyType)c->name
#define PACK_BODY_DEF(name, wire)    ISO__TRY(body_def_pack(arena, &c->name, &p->wire))
#define PACK_SHAPE_DEF(name, wire)   ISO__TRY(shape_def_pack(arena, &c->name, &p->wire))
#define PACK_JOINT_DEF(name, wire)   ISO__TRY(iso__codec_joint_pack(arena, &c->name, &p->wire))
#define PACK_VEC3(name, wire)        (PACK_VEC2(name, wire), p->wire##z = c->name.z)
#define PACK_VEC3_WIDE(name, wire)   PACK_VEC3(name, wire)
#define PACK_QUAT(name, wire)        (PACK_VEC3(name, wire), p->wire##w = c->name.w)
#define PACK_BODY3_DEF(name, wire)   ISO__TRY(iso__codec_body3_pack(arena, &c->name, &p->wire))
#define PACK_SHAPE3_DEF(name, wire)  ISO__TRY(iso__codec_shape3_pack(arena, &c->name, &p->wire))
#define PACK_JOINT3_DEF(name, wire)  ISO__TRY(iso__codec_joint3_pack(arena, &c->name, &p->wire))
#define PACK_JOINT3_AXIS(name, wire) ISO__TRY(iso__codec_joint3_axis_pack(arena, &c->name, &p->wire))
#define PACK_CONTROL(name, wire)     (p->wire.len = c->size, p->wire.data = (uint8_t *)(uintptr_t)c->name)
#define PACK_PAYLOAD(name, wire)     PACK_CONTROL(name, wire)
// The message has the parameters themselves.
#define PACK_PARAM_NUMBER(name, low, high, otherwise) p->name = c->params.name;
#define PACK_PARAM_SWITCH(name, bit, key)             p->name = c->params.name;
#define PACK_BODY_PARAMS(name, wire)                  ISO_BODY_NUMBER_LIST(PACK_PARAM_NUMBER) ISO_BODY_SWITCH_LIST(PACK_PARAM_SWITCH)
#define PACK_BODY3_PARAMS(name, wire)                 ISO_BODY3_NUMBER_LIST(PACK_PARAM_NUMBER) ISO_BODY3_SWITCH_LIST(PACK_PARAM_SWITCH)

#define UNPACK_BODY(name, wire)        c->name = iso_body_id_unpack(p->wire)
#define UNPACK_SHAPE(name, wire)       c->name = iso_shape_id_unpack(p->wire)
#define UNPACK_JOINT(name, wire)       c->name = iso_joint_id_unpack(p->wire)
#define UNPACK_COMPOUND(name, wire)    c->name = iso_compound_id_unpack(p->wire)
#define UNPACK_BLUEPRINT(name, wire)   c->name = p->wire
#define UNPACK_BOOL(name, wire)        c->name = p->wire != 0
#define UNPACK_U32(name, wire)         c->name = p->wire
#define UNPACK_FIX16(name, wire)       c->name = p->wire
#define UNPACK_WIDE(name, wire)        c->name = p->wire
#define UNPACK_VEC2(name, wire)        (c->name.x = p->wire##x, c->name.y = p->wire##y)
#define UNPACK_VEC2_WIDE(name, wire)   UNPACK_VEC2(name, wire)
#define UNPACK_FILTER(name, wire)      ISO__TRY(iso__codec_filter_unpack(p->wire, &c->name))
#define UNPACK_BODY_TYPE(name, wire)   ISO__TRY(iso__codec_enum_unpack((int)p->wire, &c->name))
#define UNPACK_BODY_DEF(name, wire)    ISO__TRY(body_def_unpack(p->wire, &c->name))
#define UNPACK_SHAPE_DEF(name, wire)   ISO__TRY(shape_def_unpack(p->wire, &c->name))
#define UNPACK_JOINT_DEF(name, wire)   ISO__TRY(iso__codec_joint_unpack(p->wire, &c->name))
#define UNPACK_VEC3(name, wire)        (UNPACK_VEC2(name, wire), c->name.z = p->wire##z)
#define UNPACK_VEC3_WIDE(name, wire)   UNPACK_VEC3(name, wire)
#define UNPACK_QUAT(name, wire)        (UNPACK_VEC3(name, wire), c->name.w = p->wire##w)
#define UNPACK_BODY3_DEF(name, wire)   ISO__TRY(iso__codec_body3_unpack(p->wire, &c->name))
#define UNPACK_SHAPE3_DEF(name, wire)  ISO__TRY(iso__codec_shape3_unpack(p->wire, &c->name))
#define UNPACK_JOINT3_DEF(name, wire)  ISO__TRY(iso__codec_joint3_unpack(p->wire, &c->name))
#define UNPACK_JOINT3_AXIS(name, wire) ISO__TRY(iso__codec_joint3_axis_unpack(p->wire, &c->name))
#define UNPACK_CONTROL(name, wire)                                   \
    ISO__TRY(block_unpack(&p->wire, c->name, ISO_CONTROL_SIZE_MAX)); \
    c->size = (uint8_t)p->wire.len
#define UNPACK_PAYLOAD(name, wire)                                  \
    ISO__TRY(block_unpack(&p->wire, c->name, ISO_CUSTOM_SIZE_MAX)); \
    c->size = (uint16_t)p->wire.len
#define UNPACK_PARAM_NUMBER(name, low, high, otherwise) c->params.name = p->name;
#define UNPACK_PARAM_SWITCH(name, bit, key)             c->params.name = p->name != 0;
#define UNPACK_BODY_PARAMS(name, wire) \
    ISO_BODY_NUMBER_LIST(UNPACK_PARAM_NUMBER) ISO_BODY_SWITCH_LIST(UNPACK_PARAM_SWITCH)
#define UNPACK_BODY3_PARAMS(name, wire) \
    ISO_BODY3_NUMBER_LIST(UNPACK_PARAM_NUMBER) ISO_BODY3_SWITCH_LIST(UNPACK_PARAM_SWITCH)

/// The generated message of a kind, by its place in Command.
#define MESSAGE(snake)                            __typeof__(*((Isostep__V1__Command *)NULL)->snake)
#define PACK_ARG(type, name, wire, bound, unit)   PACK_##type(name, wire);
#define UNPACK_ARG(type, name, wire, bound, unit) UNPACK_##type(name, wire);
#define PACK_KIND(NAME, number, snake, worlds)                                                                  \
    static iso_status snake##_pack(iso__codec_arena *arena, const iso_command_##snake *c, MESSAGE(snake) * p) { \
        (void)arena;                                                                                            \
        ISO_COMMAND_##snake##_ARGS(PACK_ARG) return ISO_OK;                                                     \
    }                                                                                                           \
    static iso_status snake##_unpack(const MESSAGE(snake) * p, iso_command_##snake * c) {                       \
        *c = (iso_command_##snake){0};                                                                          \
        ISO_COMMAND_##snake##_ARGS(UNPACK_ARG) return ISO_OK;                                                   \
    }
ISO_COMMAND_KIND_LIST(PACK_KIND)
#undef PACK_KIND

/// The field number of a kind's member is its number, and enumerators are the same on the wire.
#define SAME_NUMBER(name, number, snake, worlds) \
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

iso_status iso__codec_command_pack(iso__codec_arena *arena, const iso_command *command, Isostep__V1__Command *packed) {
    ISO_ASSERT(packed->kind_case == ISOSTEP__V1__COMMAND__KIND__NOT_SET);
    switch (command->kind) {
#define PACK_CASE(name, number, snake, worlds)                                  \
    case ISO_COMMAND_##name: {                                                  \
        MESSAGE(snake) *p = iso__codec_arena_take(arena, sizeof *p);            \
        if (p == NULL) {                                                        \
            return ISO_ERR_BUFFER;                                              \
        }                                                                       \
        isostep__v1__##snake##__init(p);                                        \
        packed->kind_case = (Isostep__V1__Command__KindCase)ISO_COMMAND_##name; \
        packed->snake = p;                                                      \
        return snake##_pack(arena, &command->as.snake, p);                      \
    }
        ISO_COMMAND_KIND_LIST(PACK_CASE)
#undef PACK_CASE
    default:
        return ISO_ERR_BAD_ENUM;
    }
}

static iso_status command_unpack_kind(const Isostep__V1__Command *packed, iso_command *command) {
    switch ((int)packed->kind_case) {
#define UNPACK_CASE(name, number, snake, worlds) \
    case ISO_COMMAND_##name:                     \
        command->kind = ISO_COMMAND_##name;      \
        return snake##_unpack(packed->snake, &command->as.snake);
        ISO_COMMAND_KIND_LIST(UNPACK_CASE)
#undef UNPACK_CASE
    default:
        return ISO_ERR_MALFORMED;
    }
}

iso_status iso__codec_command_unpack(const Isostep__V1__Command *packed, iso_command *command) {
    ISO_ASSERT(packed->base.descriptor == &isostep__v1__command__descriptor);
    return command_unpack_kind(packed, command);
}
