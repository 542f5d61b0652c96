/// Changes and commands as text: one function per kind of command, named after it.
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

static void print_number(FILE *out, const char *label, fix16_t value) {
    fprintf(out, " %s", label);
    print_fix16(out, value);
}

static void print_id(FILE *out, const char *label, uint32_t index, uint32_t generation) {
    fprintf(out, " %s %u/%u", label, index, generation);
}

static void print_bytes(FILE *out, const uint8_t *bytes, size_t size) {
    fputc(' ', out);
    for (size_t i = 0; i < size; i++) {
        fprintf(out, "%02x", bytes[i]);
    }
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
    fprintf(out, " filter %08x %08x %d points", shape->filter.category, shape->filter.mask, shape->filter.group);
    for (uint32_t i = 0; i < shape->point_count; i++) {
        print_fix16(out, shape->points[i].x);
        print_fix16(out, shape->points[i].y);
    }
}

static void print_set_control(FILE *out, const iso_command_set_control *command) {
    print_bytes(out, command->bytes, command->size);
}

static const char *body_type_name(uint8_t type) {
    static const char *const names[] = {
#define TYPE_NAME(name, number) [number] = #name,
        ISO_BODY_TYPE_LIST(TYPE_NAME)
#undef TYPE_NAME
    };
    return names[type];
}

static void print_spawn_body(FILE *out, const iso_command_spawn_body *command) {
    fprintf(out, " %s", body_type_name(command->body.type));
    print_vec2(out, "position", command->body.position);
    print_number(out, "angle", command->body.angle);
    print_vec2(out, "velocity", command->body.velocity);
    print_number(out, "w", command->body.angular_velocity);
    fprintf(out, " tag %u", command->body.tag);
    print_shape(out, &command->shape);
}

static void print_destroy_body(FILE *out, const iso_command_destroy_body *command) {
    print_id(out, "body", command->body.index, command->body.generation);
}

static void print_create_shape(FILE *out, const iso_command_create_shape *command) {
    print_id(out, "body", command->body.index, command->body.generation);
    print_shape(out, &command->shape);
}

static void print_destroy_shape(FILE *out, const iso_command_destroy_shape *command) {
    print_id(out, "shape", command->shape.index, command->shape.generation);
}

static void print_named_wide(FILE *out, const char *name, iso_wide value) {
    fprintf(out, " %s", name);
    print_wide(out, value);
}

static void print_switch(FILE *out, const char *name, bool is_on) {
    fprintf(out, "%s%s", is_on ? " " : " !", name);
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
    if ((iso_joint_kind_has(joint->kind) & ISO_JOINT_IS_CUSTOM) != 0) {
        fprintf(out, " constraint=%u", joint->constraint);
        for (uint32_t i = 0; i < ISO_PROGRAM_VECTORS_MAX; i++) {
            print_named_wide(out, "vector_x", joint->params.vectors[i][0]);
            print_named_wide(out, "vector_y", joint->params.vectors[i][1]);
        }
        for (uint32_t i = 0; i < ISO_PROGRAM_SCALARS_MAX; i++) {
            print_named_wide(out, "scalar", joint->params.scalars[i]);
        }
    }
    print_vec2(out, "target", joint->target);
#define PRINT_FIX16(name) print_number(out, #name, joint->name)
#define PRINT_WIDE(name)  print_named_wide(out, #name, joint->name)
#define PRINT_NUMBER(type, name, low, high) PRINT_##type(name);
    ISO_JOINT_NUMBER_LIST(PRINT_NUMBER)
#undef PRINT_NUMBER
#define PRINT_SWITCH(name, bit) print_switch(out, #name, joint->name);
    ISO_JOINT_SWITCH_LIST(PRINT_SWITCH)
#undef PRINT_SWITCH
}

static void print_create_joint(FILE *out, const iso_command_create_joint *command) {
    print_joint(out, &command->joint);
}

static void print_destroy_joint(FILE *out, const iso_command_destroy_joint *command) {
    print_id(out, "joint", command->joint.index, command->joint.generation);
}

static void print_apply_force(FILE *out, const iso_command_apply_force *command) {
    print_id(out, "body", command->body.index, command->body.generation);
    print_vec2_wide(out, "force", command->force);
    print_vec2(out, "point", command->point);
}

static void print_apply_impulse(FILE *out, const iso_command_apply_impulse *command) {
    print_id(out, "body", command->body.index, command->body.generation);
    print_vec2_wide(out, "impulse", command->impulse);
    print_vec2(out, "point", command->point);
}

static void print_apply_torque(FILE *out, const iso_command_apply_torque *command) {
    print_id(out, "body", command->body.index, command->body.generation);
    fprintf(out, " torque");
    print_wide(out, command->torque);
}

static void print_apply_angular_impulse(FILE *out, const iso_command_apply_angular_impulse *command) {
    print_id(out, "body", command->body.index, command->body.generation);
    fprintf(out, " impulse");
    print_wide(out, command->impulse);
}

static void print_set_velocity(FILE *out, const iso_command_set_velocity *command) {
    print_id(out, "body", command->body.index, command->body.generation);
    print_vec2(out, "velocity", command->velocity);
    print_number(out, "w", command->angular_velocity);
}

static void print_set_target(FILE *out, const iso_command_set_target *command) {
    print_id(out, "joint", command->joint.index, command->joint.generation);
    print_vec2(out, "target", command->target);
}

static void print_set_joint_motor(FILE *out, const iso_command_set_joint_motor *command) {
    print_id(out, "joint", command->joint.index, command->joint.generation);
    print_switch(out, "enabled", command->enabled);
    print_number(out, "speed", command->speed);
    print_named_wide(out, "max", command->max);
}

static void print_set_joint_limits(FILE *out, const iso_command_set_joint_limits *command) {
    print_id(out, "joint", command->joint.index, command->joint.generation);
    print_switch(out, "enabled", command->enabled);
    print_number(out, "lower", command->lower);
    print_number(out, "upper", command->upper);
}

static void print_set_joint_spring(FILE *out, const iso_command_set_joint_spring *command) {
    print_id(out, "joint", command->joint.index, command->joint.generation);
    print_switch(out, "enabled", command->enabled);
    print_number(out, "hertz", command->hertz);
    print_number(out, "damping_ratio", command->damping_ratio);
    print_number(out, "rest", command->rest);
}

static void print_set_joint_break(FILE *out, const iso_command_set_joint_break *command) {
    print_id(out, "joint", command->joint.index, command->joint.generation);
    print_named_wide(out, "force", command->force);
    print_named_wide(out, "torque", command->torque);
    print_named_wide(out, "error", command->error);
    print_switch(out, "remove", command->remove);
}

static void print_enable_joint(FILE *out, const iso_command_enable_joint *command) {
    print_id(out, "joint", command->joint.index, command->joint.generation);
    print_switch(out, "enabled", command->enabled);
}

static void print_set_joint(FILE *out, const iso_command_set_joint *command) {
    print_id(out, "joint", command->joint.index, command->joint.generation);
    print_joint(out, &command->definition);
}

static void print_set_gravity(FILE *out, const iso_command_set_gravity *command) {
    print_vec2(out, "gravity", command->gravity);
}

static void print_set_filter(FILE *out, const iso_command_set_filter *command) {
    print_id(out, "shape", command->shape.index, command->shape.generation);
    fprintf(out, " filter %08x %08x %d", command->filter.category, command->filter.mask, command->filter.group);
}

static void print_set_body_type(FILE *out, const iso_command_set_body_type *command) {
    print_id(out, "body", command->body.index, command->body.generation);
    fprintf(out, " %s", body_type_name(command->type));
}

static void print_set_body_params(FILE *out, const iso_command_set_body_params *command) {
    const iso_body_params *params = &command->params;
    print_id(out, "body", command->body.index, command->body.generation);
    print_number(out, "linear_damping", params->linear_damping);
    print_number(out, "angular_damping", params->angular_damping);
    print_number(out, "gravity_scale", params->gravity_scale);
    fprintf(out, "%s%s%s%s", params->fixed_rotation ? " fixed_rotation" : "", params->lock_x ? " lock_x" : "",
            params->lock_y ? " lock_y" : "", params->sleep_enabled ? "" : " sleepless");
}

static void print_set_body_mass(FILE *out, const iso_command_set_body_mass *command) {
    print_id(out, "body", command->body.index, command->body.generation);
    fprintf(out, " mass");
    print_wide(out, command->mass);
    fprintf(out, " inertia");
    print_wide(out, command->inertia);
}

static void print_move_kinematic(FILE *out, const iso_command_move_kinematic *command) {
    print_id(out, "body", command->body.index, command->body.generation);
    print_vec2(out, "position", command->position);
    print_number(out, "angle", command->angle);
}

static void print_custom(FILE *out, const iso_command_custom *command) {
    print_bytes(out, command->bytes, command->size);
}

const char *iso__replay_change_name(uint8_t kind) {
    switch (kind) {
    case ISO_CHANGE_JOIN:
        return "JOIN";
    case ISO_CHANGE_LEAVE:
        return "LEAVE";
    case ISO_CHANGE_DROP:
        return "DROP";
    case ISO_CHANGE_RESUME:
        return "RESUME";
    default:
        return "UNKNOWN";
    }
}

void iso__replay_print_command(FILE *out, const iso_command *command) {
    fprintf(out, "%s", iso_command_kind_name(command->kind));
    switch (command->kind) {
#define PRINT_CASE(name, number, snake)                                                                                \
    case ISO_COMMAND_##name:                                                                                           \
        print_##snake(out, &command->as.snake);                                                                        \
        break;
        ISO_COMMAND_KIND_LIST(PRINT_CASE)
#undef PRINT_CASE
    default:
        break;
    }
}
