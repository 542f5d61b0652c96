/// Commands as text.
#include "replay.h"

static void print_fix16(FILE *out, fix16_t value) {
    char text[ISO_FIX16_TEXT_SIZE];
    iso_fix16_to_text(value, text);
    fprintf(out, " %s", text);
}

static void print_wide(FILE *out, iso_wide value) {
    char text[ISO_WIDE_TEXT_SIZE];
    iso_wide_to_text(value, text);
    fprintf(out, " %s", text);
}

static void print_vec2(FILE *out, const char *label, iso_vec2 value) {
    fprintf(out, " %s", label);
    print_fix16(out, value.x);
    print_fix16(out, value.y);
}

static void print_vec2_wide(FILE *out, const char *label, iso_vec2_wide value) {
    fprintf(out, " %s", label);
    print_wide(out, value.x);
    print_wide(out, value.y);
}

static void print_vec3(FILE *out, const char *label, iso_vec3 value) {
    fprintf(out, " %s", label);
    print_fix16(out, value.x);
    print_fix16(out, value.y);
    print_fix16(out, value.z);
}

static void print_vec3_wide(FILE *out, const char *label, iso_vec3_wide value) {
    fprintf(out, " %s", label);
    print_wide(out, value.x);
    print_wide(out, value.y);
    print_wide(out, value.z);
}

/// x, y, z, w; Q2.30 is exact as Q31.32.
static void print_quat(FILE *out, const char *label, iso_quat value) {
    print_vec3_wide(out, label, iso_vec3_wide_from_unit((iso_unit3){value.x, value.y, value.z}));
    print_wide(out, (iso_wide)value.w * 4);
}

static void print_number(FILE *out, const char *label, fix16_t value) {
    fprintf(out, " %s", label);
    print_fix16(out, value);
}

static void print_named_wide(FILE *out, const char *name, iso_wide value) {
    fprintf(out, " %s", name);
    print_wide(out, value);
}

static void print_id(FILE *out, const char *label, uint32_t index, uint32_t generation) {
    fprintf(out, " %s %u/%u", label, index, generation);
}

static void print_bytes(FILE *out, const uint8_t *bytes, size_t size) {
    fputc(' ', out);
    for (size_t i = 0; i < size; ++i) {
        fprintf(out, "%02x", bytes[i]);
    }
}

static void print_filter(FILE *out, const iso_filter *filter) {
    fprintf(out, " filter %08x %08x %d", filter->category, filter->mask, filter->group);
}

static void print_shape(FILE *out, const iso_shape_def *shape) {
    static const char *const names[] = {
#define SHAPE_NAME(name, number) [number] = #name,
        ISO_SHAPE_KIND_LIST(SHAPE_NAME)
#undef SHAPE_NAME
    };
    fprintf(out, " %s", names[shape->kind]);
    print_number(out, "density", shape->density);
    print_number(out, "friction", shape->friction);
    print_number(out, "restitution", shape->restitution);
    print_number(out, "radius", shape->radius);
    if (shape->radius_b != 0) {
        print_number(out, "radius_b", shape->radius_b);
    }
    print_filter(out, &shape->filter);
    if (shape->surface_speed != 0) {
        print_number(out, "surface_speed", shape->surface_speed);
    }
    if (shape->one_way.x != 0 || shape->one_way.y != 0) {
        print_number(out, "one_way", shape->one_way.x);
        print_fix16(out, shape->one_way.y);
    }
    if (shape->tag != 0) {
        fprintf(out, " tag %u", shape->tag);
    }
    fprintf(out, "%s points", shape->is_sensor ? " sensor" : "");
    for (uint32_t i = 0; shape->kind == ISO_SHAPE_SEGMENT && i < 4; ++i) {
        print_wide(out, shape->segment[i].x);
        print_wide(out, shape->segment[i].y);
    }
    for (uint32_t i = 0; i < shape->point_count; ++i) {
        print_fix16(out, shape->points[i].x);
        print_fix16(out, shape->points[i].y);
    }
}

static const char *body_type_name(uint8_t type) {
    static const char *const names[] = {
#define TYPE_NAME(name, number) [number] = #name,
        ISO_BODY_TYPE_LIST(TYPE_NAME)
#undef TYPE_NAME
    };
    return names[type];
}

static void print_body(FILE *out, const iso_body_def *body) {
    fprintf(out, " %s", body_type_name(body->type));
    print_vec2_wide(out, "position", body->position);
    print_named_wide(out, "angle", body->angle);
    print_vec2_wide(out, "velocity", body->velocity);
    print_named_wide(out, "angular_velocity", body->angular_velocity);
    fprintf(out, " tag %u", body->tag);
}

static void print_switch(FILE *out, const char *name, bool is_on) {
    fprintf(out, "%s%s", is_on ? " " : " !", name);
}

/// A constraint and its parameters, in a world of so many dimensions.
static void print_constraint(FILE *out, uint32_t dimensions, uint32_t constraint, const iso_program_params *params) {
    fprintf(out, " constraint=%u", constraint);
    for (uint32_t i = 0; i < ISO_PROGRAM_VECTORS_MAX; ++i) {
        const iso_wide *vector = dimensions == 3 ? params->vectors3[i] : params->vectors[i];
        for (uint32_t k = 0; k < dimensions; ++k) {
            fprintf(out, " vector[%u].%c", i, "xyz"[k]);
            print_wide(out, vector[k]);
        }
    }
    for (uint32_t i = 0; i < ISO_PROGRAM_SCALARS_MAX; ++i) {
        fprintf(out, " scalar[%u]", i);
        print_wide(out, params->scalars[i]);
    }
}

static void print_joint(FILE *out, const iso_joint_def *joint) {
    static const char *const names[] = {
#define JOINT_NAME(name, number, snake, has) [number] = #name,
        ISO_JOINT_KIND_LIST(JOINT_NAME)
#undef JOINT_NAME
    };
    fprintf(out, " %s", names[joint->kind]);
    print_id(out, "a", joint->body_a.index, joint->body_a.generation);
    print_vec2(out, "at", joint->anchor_a);
    print_id(out, "b", joint->body_b.index, joint->body_b.generation);
    print_vec2(out, "at", joint->anchor_b);
    if ((iso_joint_kind_has(joint->kind) & ISO_JOINT_HAS_BODIES_CD) != 0) {
        print_id(out, "c", joint->body_c.index, joint->body_c.generation);
        print_vec2(out, "at", joint->anchor_c);
        print_id(out, "d", joint->body_d.index, joint->body_d.generation);
        print_vec2(out, "at", joint->anchor_d);
    }
    if ((iso_joint_kind_has(joint->kind) & ISO_JOINT_HAS_AXIS) != 0) {
        print_vec2(out, "axis", joint->axis);
    }
    if (iso_joint_kind_is_custom(joint->kind)) {
        print_constraint(out, 2, joint->constraint, &joint->params);
    }
    print_vec2_wide(out, "target", joint->target);
#define PRINT_FIX16(name)                   print_number(out, #name, joint->name)
#define PRINT_WIDE(name)                    print_named_wide(out, #name, joint->name)
#define PRINT_NUMBER(type, name, low, high) PRINT_##type(name);
    ISO_JOINT_NUMBER_LIST(PRINT_NUMBER)
#undef PRINT_NUMBER
#undef PRINT_WIDE
#undef PRINT_FIX16
#define PRINT_SWITCH(name, bit) print_switch(out, #name, joint->name);
    ISO_JOINT_SWITCH_LIST(PRINT_SWITCH)
#undef PRINT_SWITCH
    fprintf(out, " tag=%u", joint->tag);
}

static void print_body_params(FILE *out, const iso_body_params *params) {
#define PRINT_BODY_NUMBER(name, low, high, otherwise) print_number(out, #name, params->name);
#define PRINT_BODY_SWITCH(name, bit, key)             print_switch(out, #name, params->name);
    ISO_BODY_NUMBER_LIST(PRINT_BODY_NUMBER)
    ISO_BODY_SWITCH_LIST(PRINT_BODY_SWITCH)
#undef PRINT_BODY_NUMBER
#undef PRINT_BODY_SWITCH
}

static void print_shape3(FILE *out, const iso_shape3_def *shape) {
    static const char *const names[] = {
#define SHAPE3_NAME(name, number) [number] = #name,
        ISO_SHAPE3_KIND_LIST(SHAPE3_NAME)
#undef SHAPE3_NAME
    };
    fprintf(out, " %s", names[shape->kind]);
    print_number(out, "density", shape->density);
    print_number(out, "friction", shape->friction);
    print_number(out, "restitution", shape->restitution);
    print_number(out, "radius", shape->radius);
    if (shape->kind == ISO_SHAPE3_PLANE) {
        print_number(out, "offset", shape->offset);
    }
    if (shape->kind == ISO_SHAPE3_BOX) {
        print_quat(out, "rotation", shape->rotation);
    }
    print_filter(out, &shape->filter);
    if (shape->tag != 0) {
        fprintf(out, " tag %u", shape->tag);
    }
    fprintf(out, "%s points", shape->is_sensor ? " sensor" : "");
    for (uint32_t i = 0; i < shape->point_count; ++i) {
        print_fix16(out, shape->points[i].x);
        print_fix16(out, shape->points[i].y);
        print_fix16(out, shape->points[i].z);
    }
}

static void print_body3(FILE *out, const iso_body3_def *body) {
    fprintf(out, " %s", body_type_name(body->type));
    print_vec3_wide(out, "position", body->position);
    print_quat(out, "rotation", body->rotation);
    print_vec3_wide(out, "velocity", body->velocity);
    print_vec3_wide(out, "angular_velocity", body->angular_velocity);
    fprintf(out, " tag %u", body->tag);
}

static void print_body3_params(FILE *out, const iso_body3_params *params) {
#define PRINT_BODY_NUMBER(name, low, high, otherwise) print_number(out, #name, params->name);
#define PRINT_BODY_SWITCH(name, bit, key)             print_switch(out, #name, params->name);
    ISO_BODY3_NUMBER_LIST(PRINT_BODY_NUMBER)
    ISO_BODY3_SWITCH_LIST(PRINT_BODY_SWITCH)
#undef PRINT_BODY_NUMBER
#undef PRINT_BODY_SWITCH
}

static void print_joint3_axis(FILE *out, const iso_joint3_axis *of) {
#define PRINT_FIX16(name)                   print_number(out, #name, of->name)
#define PRINT_WIDE(name)                    print_named_wide(out, #name, of->name)
#define PRINT_NUMBER(type, name, low, high) PRINT_##type(name);
#define PRINT_SWITCH(name, bit)             print_switch(out, #name, of->name);
    ISO_JOINT3_AXIS_SWITCH_LIST(PRINT_SWITCH)
    ISO_JOINT3_AXIS_NUMBER_LIST(PRINT_NUMBER)
}

static void print_joint3_frame(FILE *out, const iso_joint3_frame *frame) {
    print_vec3(out, "at", frame->anchor);
    print_quat(out, "rotation", frame->rotation);
}

/// Of its axes those that the kind has.
static void print_joint3(FILE *out, const iso_joint3_def *of) {
    static const char *const names[] = {
#define JOINT3_NAME(name, number, snake, linear, angular, axis0, axis1, axis2, has) [number] = #name,
        ISO_JOINT3_KIND_LIST(JOINT3_NAME) ISO_JOINT3_CUSTOM_LIST(JOINT3_NAME)
#undef JOINT3_NAME
    };
    fprintf(out, " %s", names[of->kind]);
    print_id(out, "a", of->body_a.index, of->body_a.generation);
    print_joint3_frame(out, &of->frame_a);
    print_id(out, "b", of->body_b.index, of->body_b.generation);
    print_joint3_frame(out, &of->frame_b);
    if (iso_joint3_kind_is_custom(of->kind)) {
        print_constraint(out, 3, of->constraint, &of->params);
    }
    print_vec3_wide(out, "target", of->target);
    ISO_JOINT3_NUMBER_LIST(PRINT_NUMBER)
    ISO_JOINT3_SWITCH_LIST(PRINT_SWITCH)
#undef PRINT_SWITCH
#undef PRINT_NUMBER
#undef PRINT_WIDE
#undef PRINT_FIX16
    for (uint32_t n = 0; n < ISO_JOINT3_AXES && iso_joint3_axis_of(of->kind, n) != ISO_JOINT3_AXIS_NONE; ++n) {
        fprintf(out, " axis=%u", n);
        print_joint3_axis(out, &of->axes[n]);
    }
    fprintf(out, " tag=%u", of->tag);
}

// By type of argument.
#define PRINT_ARG_VEC3(name)         print_vec3(out, #name, c->name)
#define PRINT_ARG_VEC3_WIDE(name)    print_vec3_wide(out, #name, c->name)
#define PRINT_ARG_QUAT(name)         print_quat(out, #name, c->name)
#define PRINT_ARG_BODY3_PARAMS(name) print_body3_params(out, &c->name)
#define PRINT_ARG_BODY3_DEF(name)    print_body3(out, &c->name)
#define PRINT_ARG_SHAPE3_DEF(name)   print_shape3(out, &c->name)
#define PRINT_ARG_JOINT3_DEF(name)   print_joint3(out, &c->name)
#define PRINT_ARG_JOINT3_AXIS(name)  print_joint3_axis(out, &c->name)
#define PRINT_ARG_COMPOUND(name)     print_id(out, #name, c->name.index, c->name.generation)
#define PRINT_ARG_BLUEPRINT(name)    fprintf(out, " " #name " %u", c->name)
#define PRINT_ARG_BODY(name)         print_id(out, #name, c->name.index, c->name.generation)
#define PRINT_ARG_SHAPE(name)        print_id(out, #name, c->name.index, c->name.generation)
#define PRINT_ARG_JOINT(name)        print_id(out, #name, c->name.index, c->name.generation)
#define PRINT_ARG_BOOL(name)         print_switch(out, #name, c->name)
#define PRINT_ARG_U32(name)          fprintf(out, " %s=%u", #name, c->name)
#define PRINT_ARG_FIX16(name)        print_number(out, #name, c->name)
#define PRINT_ARG_WIDE(name)         print_named_wide(out, #name, c->name)
#define PRINT_ARG_VEC2(name)         print_vec2(out, #name, c->name)
#define PRINT_ARG_VEC2_WIDE(name)    print_vec2_wide(out, #name, c->name)
#define PRINT_ARG_FILTER(name)       print_filter(out, &c->name)
#define PRINT_ARG_BODY_TYPE(name)    fprintf(out, " %s", body_type_name(c->name))
#define PRINT_ARG_BODY_PARAMS(name)  print_body_params(out, &c->name)
#define PRINT_ARG_BODY_DEF(name)     print_body(out, &c->name)
#define PRINT_ARG_SHAPE_DEF(name)    print_shape(out, &c->name)
#define PRINT_ARG_JOINT_DEF(name)    print_joint(out, &c->name)
#define PRINT_ARG_CONTROL(name)      print_bytes(out, c->name, c->size)
#define PRINT_ARG_PAYLOAD(name)      print_bytes(out, c->name, c->size)

#define PRINT_ARG(type, name, wire, bound, unit) PRINT_ARG_##type(name);
#define PRINT_KIND(NAME, number, snake, worlds)                          \
    static void print_##snake(FILE *out, const iso_command_##snake *c) { \
        ISO_COMMAND_##snake##_ARGS(PRINT_ARG)                            \
    }
ISO_COMMAND_KIND_LIST(PRINT_KIND)
#undef PRINT_KIND

void iso__replay_print_command(FILE *out, const iso_command *command) {
    fprintf(out, "%s", iso_command_kind_name(command->kind));
    switch (command->kind) {
#define PRINT_CASE(name, number, snake, worlds) \
    case ISO_COMMAND_##name:                    \
        print_##snake(out, &command->as.snake); \
        break;
        ISO_COMMAND_KIND_LIST(PRINT_CASE)
#undef PRINT_CASE
    default:
        break;
    }
}
