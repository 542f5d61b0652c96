/// Joints in space: creation and changes. space/world/joint.c destroys them.
#include "space/joint/joint.h"

#include "base/assert.h"
#include "math/fixed_ops.h"
#include "math/quat.h"
#include "space/joint/axis.h"
#include "space/joint/custom.h"
#include "space/world/body_mass.h"
#include "space/world/custom.h"
#include "space/world/joint.h"
#include "step/waking.h"
#include "world/joint_setters.h"
#include "world/slots.h"

// ---- records -------------------------------------------------------------------------------------

static void joint_write_frame(const iso_joint3_frame *frame, int32_t anchor[3], int32_t rotation[4]) {
    const iso_quat q = iso_quat_normalize(frame->rotation);
    anchor[0] = frame->anchor.x * 256; // Q15.16 to Q7.24; within ±60
    anchor[1] = frame->anchor.y * 256;
    anchor[2] = frame->anchor.z * 256;
    rotation[0] = q.x;
    rotation[1] = q.y;
    rotation[2] = q.z;
    rotation[3] = q.w;
}

static iso_joint3_frame joint_read_frame(const int32_t anchor[3], const int32_t rotation[4]) {
    return (iso_joint3_frame){{anchor[0] / 256, anchor[1] / 256, anchor[2] / 256},
                              {rotation[0], rotation[1], rotation[2], rotation[3]}};
}

/// Writes all that a definition has, but for the bodies, into a record.
static void joint_write_record(iso__space_joint *record, const iso_joint3_def *def) {
    ISO_ASSERT(iso_joint3_def_check(def) == ISO_OK);
    record->kind = def->kind;
    record->flags = 0;
#define JOINT_WRITE_SWITCH(name, bit) record->flags = (uint8_t)(record->flags | (def->name ? (bit) : 0));
    ISO_JOINT3_SWITCH_LIST(JOINT_WRITE_SWITCH)
#undef JOINT_WRITE_SWITCH
    joint_write_frame(&def->frame_a, record->anchor_a, record->frame_a);
    joint_write_frame(&def->frame_b, record->anchor_b, record->frame_b);
    record->target[0] = def->target.x;
    record->target[1] = def->target.y;
    record->target[2] = def->target.z;
#define JOINT_WRITE_NUMBER(type, name, low, high) record->name = def->name;
    ISO_JOINT3_NUMBER_LIST(JOINT_WRITE_NUMBER)
#undef JOINT_WRITE_NUMBER
    for (uint32_t n = 0; n < ISO_JOINT3_AXES; ++n) {
        unsigned flags = 0;
#define JOINT_WRITE_SWITCH(name, bit)             flags |= def->axes[n].name ? (bit) : 0u;
#define JOINT_WRITE_NUMBER(type, name, low, high) record->name[n] = def->axes[n].name;
        ISO_JOINT3_AXIS_SWITCH_LIST(JOINT_WRITE_SWITCH)
        ISO_JOINT3_AXIS_NUMBER_LIST(JOINT_WRITE_NUMBER)
#undef JOINT_WRITE_SWITCH
#undef JOINT_WRITE_NUMBER
        record->axis_flags[n] = (uint8_t)flags;
    }
    record->tag = def->tag;
    record->owner_generation = def->owner.generation;
    record->owner_slot = def->owner.slot;
}

void iso__space_joint_read_record(const iso__space_joint *record, iso_joint3_def *def) {
    ISO_ASSERT(record->kind != 0);
    *def = (iso_joint3_def){
        .kind = record->kind,
        .frame_a = joint_read_frame(record->anchor_a, record->frame_a),
        .frame_b = joint_read_frame(record->anchor_b, record->frame_b),
        .target = {record->target[0], record->target[1], record->target[2]},
        .tag = record->tag,
        .owner = {record->owner_generation, record->owner_slot},
    };
#define JOINT_READ_SWITCH(name, bit)             def->name = (record->flags & (bit)) != 0;
#define JOINT_READ_NUMBER(type, name, low, high) def->name = record->name;
    ISO_JOINT3_SWITCH_LIST(JOINT_READ_SWITCH)
    ISO_JOINT3_NUMBER_LIST(JOINT_READ_NUMBER)
#undef JOINT_READ_SWITCH
#undef JOINT_READ_NUMBER
    for (uint32_t n = 0; n < ISO_JOINT3_AXES; ++n) {
#define JOINT_READ_SWITCH(name, bit)             def->axes[n].name = (record->axis_flags[n] & (bit)) != 0;
#define JOINT_READ_NUMBER(type, name, low, high) def->axes[n].name = record->name[n];
        ISO_JOINT3_AXIS_SWITCH_LIST(JOINT_READ_SWITCH)
        ISO_JOINT3_AXIS_NUMBER_LIST(JOINT_READ_NUMBER)
#undef JOINT_READ_SWITCH
#undef JOINT_READ_NUMBER
    }
}

// ---- creation ------------------------------------------------------------------------------------

static iso_status joint_check_bodies(const iso_world *world, const iso_joint3_def *def) {
    if (!iso__body_is_alive(world, def->body_b)) {
        return ISO_ERR_STALE;
    }
    if ((iso_joint3_kind_has(def->kind) & ISO_JOINT3_HAS_BODY_A) == 0) {
        const bool is_dynamic = iso__space_of_const(world)->bodies[def->body_b.index].type == ISO_BODY_DYNAMIC;
        return is_dynamic ? ISO_OK : ISO_ERR_WRONG_TYPE;
    }
    if (iso_joint3_kind_is_custom(def->kind) && def->body_a.generation == 0) {
        return ISO_OK;
    }
    if (!iso__body_is_alive(world, def->body_a)) {
        return ISO_ERR_STALE;
    }
    return def->body_a.index != def->body_b.index ? ISO_OK : ISO_ERR_WRONG_TYPE;
}

iso_status iso_joint3_create(iso_world *world, const iso_joint3_def *def, iso_joint_id *joint) {
    if (world->kernel->dimensions != 3) {
        return ISO_ERR_DIMENSION;
    }
    iso_status status = iso__owner_is_valid(def->owner) ? iso_joint3_def_check(def) : ISO_ERR_RANGE;
    if (status == ISO_OK) {
        status = joint_check_bodies(world, def);
    }
    if (status == ISO_OK && iso_joint3_kind_is_custom(def->kind)) {
        status = iso__space_custom_check(world, def);
    }
    if (status != ISO_OK) {
        return status;
    }
    const uint32_t index = iso__slot_take(&world->joint_map, world->joint_generations, world->def.joint_capacity,
                                          &world->globals->joint_count);
    if (index == UINT32_MAX) {
        return ISO_ERR_CAPACITY;
    }
    iso__space_joint *record = &iso__space_of(world)->joints[index];
    *record = (iso__space_joint){0};
    joint_write_record(record, def);
    const bool has_a = (iso__space_joint_has(record) & ISO_JOINT3_HAS_BODY_A) != 0 && def->body_a.generation != 0;
    record->body_a = has_a ? def->body_a.index : ISO__WORLD_BODY;
    record->body_b = def->body_b.index;
    if (iso_joint3_kind_is_custom(def->kind)) {
        iso__space_custom_create(iso__space_of(world), index, def);
    }
    iso__space_joint_wake(world, record);
    iso__jointed_note(world, (const uint32_t[]){record->body_a, record->body_b}, 2);
    iso__bit_set(world->fresh_joints, index);
    world->has_changed_joints = true;
    iso__mark_dirty(world, ISO_SECTION_JOINTS, index);
    iso__mark_section_dirty(world, ISO_SECTION_GENERATIONS);
    *joint = (iso_joint_id){index, world->joint_generations[index]};
    return ISO_OK;
}

iso_status iso_joint3_get(const iso_world *world, iso_joint_id joint, iso_joint3_def *def) {
    const iso_status status = iso__space_joint_find(world, joint);
    if (status == ISO_OK) {
        const iso__space_joint *record = &iso__space_of_const(world)->joints[joint.index];
        iso__space_joint_read_record(record, def);
        def->body_a = iso__joint_body_id(world, record->body_a);
        def->body_b = iso__joint_body_id(world, record->body_b);
        if (iso_joint3_kind_is_custom(record->kind)) {
            const iso__space_custom_joint *custom = iso__space_custom_of(iso__space_of_const(world), joint.index);
            def->constraint = custom->constraint;
            def->params = iso__space_custom_params(custom);
        }
    }
    return status;
}

// ---- motors --------------------------------------------------------------------------------------

/// The most that a body turns [rad/s].
static iso_wide joint_turn_max(const iso_world *world, iso_body_id body) {
    const iso__space *space = iso__space_of_const(world);
    if (!iso__body_is_alive(world, body) || space->bodies[body.index].type == ISO_BODY_STATIC) {
        return 0;
    }
    const int8_t k = space->body_derived[body.index].radius_exponent;
    return iso__shl64(iso__space_body_spin_max(&world->def, k), (unsigned)(13 - k)); // Q12.19 of w = omega L
}

iso_wide iso__space_joint_speed_max(const iso_world *world, const iso_joint3_def *def, uint32_t n) {
    const iso_joint3_axis_kind kind = iso_joint3_axis_of(def->kind, n);
    ISO_ASSERT(kind != ISO_JOINT3_AXIS_NONE);
    const iso_wide most = iso_wide_add(joint_turn_max(world, def->body_a), joint_turn_max(world, def->body_b));
    return kind == ISO_JOINT3_AXIS_LENGTH || most == 0 ? INT64_MAX : most;
}

iso_status iso__space_joint_motor_check(const iso_world *world, const iso_joint3_def *def) {
    ISO_ASSERT(world->kernel->dimensions == 3);
    bool can_follow = true;
    for (uint32_t n = 0; n < ISO_JOINT3_AXES; ++n) {
        if (def->axes[n].motor_enabled && iso_joint3_axis_of(def->kind, n) != ISO_JOINT3_AXIS_NONE) {
            const iso_wide speed = iso_wide_from_fix16(def->axes[n].motor_speed);
            const iso_wide most = iso__space_joint_speed_max(world, def, n);
            can_follow = can_follow && speed <= most && speed >= -most;
        }
    }
    return can_follow ? ISO_OK : ISO_ERR_RANGE;
}

// ---- changing ------------------------------------------------------------------------------------

/// Rows that are switched off lose their impulses, and what is not computed without rows, as a ball's twist, begins
/// anew.
static void joint_drop(iso__space_joint *record) {
    const bool is_on = (record->flags & ISO__SPACE_JOINT_ENABLED) != 0;
    for (uint32_t i = 0; i < ISO__SPACE_JOINT_IMPULSES && !is_on; ++i) {
        record->impulse[i] = 0;
    }
    if (iso_joint3_kind_is_custom(record->kind)) {
        return;
    }
    const bool is_computed = (iso__space_joint_has(record) & ISO_JOINT3_HAS_FRAMES) != 0;
    for (uint32_t n = 0; n < ISO_JOINT3_AXES; ++n) {
        const uint32_t rows = iso__space_axis_rows(record, n);
        int64_t *impulse = &record->impulse[ISO__SPACE_JOINT_AXIS_IMPULSE + n * ISO__SPACE_AXIS_ROWS];
        for (uint32_t row = 0; row < ISO__SPACE_AXIS_ROWS; ++row) {
            impulse[row] = (rows >> row & 1u) != 0 ? impulse[row] : 0;
        }
        record->turns[n] = is_computed || rows != 0 ? record->turns[n] : 0;
    }
}

/// Changes a joint to `changed`, whose kind, bodies and owner are the joint's own.
static iso_status joint_change(iso_world *world, iso_joint_id joint, const iso_joint3_def *changed) {
    iso_status status = iso_joint3_def_check(changed);
    iso__space *space = iso__space_of(world);
    const bool is_custom = iso_joint3_kind_is_custom(space->joints[joint.index].kind);
    if (status == ISO_OK && is_custom) {
        status = iso__custom_check_params(3, iso__space_custom_source(space, joint.index), &changed->params, NULL);
    }
    if (status != ISO_OK) {
        return status;
    }
    if (is_custom) {
        iso__space_custom_change_params(space, joint.index, &changed->params);
    }
    iso__space_joint *record = &space->joints[joint.index];
    const uint8_t before = record->flags;
    joint_write_record(record, changed);
    if (((record->flags ^ before) & (ISO__SPACE_JOINT_ENABLED | ISO__SPACE_JOINT_COLLIDE_CONNECTED)) != 0) {
        world->has_changed_joints = true;
    }
    joint_drop(record);
    iso__space_joint_wake(world, record);
    iso__mark_dirty(world, ISO_SECTION_JOINTS, joint.index);
    return ISO_OK;
}

static bool joint_is_body(iso_body_id given, iso_body_id own) {
    return given.generation == 0 || (given.index == own.index && given.generation == own.generation);
}

iso_status iso_joint3_set(iso_world *world, iso_joint_id joint, const iso_joint3_def *def) {
    iso_joint3_def own;
    const iso_status status = iso_joint3_get(world, joint, &own);
    if (status != ISO_OK) {
        return status;
    }
    if (def->kind != own.kind || def->constraint != own.constraint || !joint_is_body(def->body_a, own.body_a) ||
        !joint_is_body(def->body_b, own.body_b)) {
        return ISO_ERR_WRONG_TYPE;
    }
    iso_joint3_def changed = *def;
    changed.owner = own.owner;
    return joint_change(world, joint, &changed);
}

// ---- setters of single parts ---------------------------------------------------------------------

/// Reads a joint that must have one of these parts, for changing it.
static iso_status joint_read(const iso_world *world, iso_joint_id joint, uint32_t part, iso_joint3_def *def) {
    const iso_status status = iso_joint3_get(world, joint, def);
    if (status != ISO_OK) {
        return status;
    }
    return (iso_joint3_kind_has(def->kind) & part) != 0 ? ISO_OK : ISO_ERR_WRONG_TYPE;
}

/// Reads a joint that has an axis n, for changing it.
static iso_status joint_read_axis(const iso_world *world, iso_joint_id joint, uint32_t n, iso_joint3_def *def) {
    const iso_status status = iso_joint3_get(world, joint, def);
    if (status != ISO_OK) {
        return status;
    }
    return iso_joint3_axis_of(def->kind, n) != ISO_JOINT3_AXIS_NONE ? ISO_OK : ISO_ERR_WRONG_TYPE;
}

iso_status iso_joint3_set_axis(iso_world *world, iso_joint_id joint, uint32_t axis, const iso_joint3_axis *def) {
    iso_joint3_def changed;
    const iso_status status = joint_read_axis(world, joint, axis, &changed);
    if (status != ISO_OK) {
        return status;
    }
    changed.axes[axis] = *def;
    return joint_change(world, joint, &changed);
}

#define SETTER(name, part, arguments, fields)                                                         \
    iso_status iso_joint3_set_##name(iso_world *world, iso_joint_id joint, uint32_t axis arguments) { \
        ISO__JOINT_SETTER_BODY(iso_joint3_def, joint_read_axis(world, joint, axis, &def), fields,     \
                               joint_change(world, joint, &def))                                      \
    }
#define SETTER_FIELD(field, value) ISO__JOINT_FIELD(axes[axis].field, value)
ISO__JOINT_AXIS_SETTER_LIST(SETTER, ISO__JOINT_ARGUMENT, SETTER_FIELD)
#undef SETTER_FIELD
#undef SETTER

#define SETTER(name, part, arguments, fields)                                                \
    iso_status iso_joint3_set_##name(iso_world *world, iso_joint_id joint arguments) {       \
        ISO__JOINT_SETTER_BODY(iso_joint3_def, joint_read(world, joint, part, &def), fields, \
                               joint_change(world, joint, &def))                             \
    }
SETTER(target, ISO_JOINT3_HAS_TARGET, ISO__JOINT_ARGUMENT(iso_vec3_wide, target), ISO__JOINT_FIELD(target, target))
SETTER(maximum, UINT32_MAX, ISO__JOINT_ARGUMENT(iso_wide, force) ISO__JOINT_ARGUMENT(iso_wide, torque),
       ISO__JOINT_FIELD(force_max, force) ISO__JOINT_FIELD(torque_max, torque))
#undef SETTER

#define SETTER(name, arguments, fields) \
    ISO__JOINT_SETTER_FUNCTION(iso_joint3_def, iso_joint3_get, joint_change, name, fields, arguments)
ISO__JOINT_SETTER_LIST(SETTER, ISO__JOINT_ARGUMENT, ISO__JOINT_FIELD)
#undef SETTER

const iso__joint_setters iso__space_joint_setters = {
    ISO__JOINT_SETTER_LIST(ISO__JOINT_SETTER_ENTRY, ISO__JOINT_ARGUMENT, ISO__JOINT_NO_FIELD)};

iso_status iso_joint3_set_params(iso_world *world, iso_joint_id joint, const iso_program_params *params,
                                 uint32_t *wrong) {
    iso_joint3_def def;
    iso_status status = joint_read(world, joint, ISO_JOINT3_IS_CUSTOM, &def);
    if (status == ISO_OK) {
        const iso__custom_source source = iso__space_custom_source(iso__space_of(world), joint.index);
        status = iso__custom_check_params(3, source, params, wrong);
    }
    if (status != ISO_OK) {
        return status;
    }
    def.params = *params;
    return joint_change(world, joint, &def);
}
