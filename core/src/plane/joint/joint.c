/// Joints: creation, destruction, and the list of kinds.
#include "plane/joint/joint.h"

#include "base/assert.h"
#include "isostep/joint.h"
#include "math/fixed_ops.h"
#include "plane/joint/custom.h"
#include "plane/joint/kind.h"
#include "plane/joint/work.h"
#include "plane/world/body.h"
#include "plane/world/custom.h"
#include "plane/world/joint.h"
#include "plane/world/spin.h"
#include "plane/world/wake.h"
#include "world/joint_setters.h"
#include "world/slots.h"

#define JOINT_AXIS_MIN   ((uint32_t)ISO_FIX16_ONE / 64)
#define JOINT_AXIS_MAX   (32767u * (uint32_t)ISO_FIX16_ONE)
#define JOINT_RATIO_MIN  ((uint32_t)ISO_FIX16_ONE / 64)
#define JOINT_ANCHOR_MAX (ISO_SHAPE_EXTENT_MAX_M * ISO_FIX16_ONE)

iso_joint_def iso_joint_def_default(void) {
    iso_joint_def def = {0};
    def.kind = ISO_JOINT_REVOLUTE;
    def.enabled = true;
    def.damping_ratio = ISO_FIX16_ONE;
    def.spring_damping_ratio = ISO_FIX16_ONE;
    def.limit_damping_ratio = ISO_FIX16_ONE;
    def.axis.x = ISO_FIX16_ONE;
    def.ratio = ISO_FIX16_ONE;
    def.owner.slot = ISO_OWNER_NOBODY;
    return def;
}

// ---- check ---------------------------------------------------------------------------------------

static bool joint_is_anchor(iso_vec2 anchor) {
    return iso__abs_u32(anchor.x) <= JOINT_ANCHOR_MAX && iso__abs_u32(anchor.y) <= JOINT_ANCHOR_MAX;
}

static bool joint_is_axis(iso_vec2 axis) {
    const uint32_t x = iso__abs_u32(axis.x), y = iso__abs_u32(axis.y);
    return x <= JOINT_AXIS_MAX && y <= JOINT_AXIS_MAX && (x >= JOINT_AXIS_MIN || y >= JOINT_AXIS_MIN);
}

/// The bounds of the list; those of Q31.32 have a whole number's fraction within.
#define JOINT_IN_FIX16(value, low, high) ((value) >= (low)*ISO_FIX16_ONE && (value) <= (high)*ISO_FIX16_ONE)
#define JOINT_IN_WIDE(value, low, high)  ((value) >= (low)*ISO_WIDE_ONE && ((value) >> 32) <= (high))

static bool joint_numbers_are_right(const iso_joint_def *def) {
    bool is_right = joint_is_anchor(def->anchor_a) && joint_is_anchor(def->anchor_b) &&
                    joint_is_anchor(def->anchor_c) && joint_is_anchor(def->anchor_d) &&
                    iso__plane_body_place_is_valid(def->target);
#define JOINT_CHECK(type, name, low, high) is_right = is_right && JOINT_IN_##type(def->name, low, high);
    ISO_JOINT_NUMBER_LIST(JOINT_CHECK)
#undef JOINT_CHECK
    return is_right && def->lower <= def->upper;
}

iso_status iso__plane_joint_def_check(const iso_joint_def *def) {
    const uint32_t has = iso_joint_kind_has(def->kind);
    if (has == 0) {
        return ISO_ERR_BAD_ENUM;
    }
    const bool has_parts = (!def->limit_enabled || (has & ISO_JOINT_HAS_LIMIT) != 0) &&
                           (!def->motor_enabled || (has & ISO_JOINT_HAS_MOTOR) != 0) &&
                           (!def->spring_enabled || (has & ISO_JOINT_HAS_SPRING) != 0);
    const bool has_numbers = ((has & ISO_JOINT_HAS_AXIS) == 0 || joint_is_axis(def->axis)) &&
                             ((has & ISO_JOINT_HAS_RATIO) == 0 || iso__abs_u32(def->ratio) >= JOINT_RATIO_MIN) &&
                             ((has & ISO_JOINT_HAS_LENGTH) == 0 || (def->rest >= 0 && def->lower >= 0));
    const iso__plane_joint_kind *kind = iso__plane_joint_kind_of(def->kind);
    const bool is_right =
        has_parts && has_numbers && joint_numbers_are_right(def) && (kind->check == NULL || kind->check(def));
    return is_right ? ISO_OK : ISO_ERR_RANGE;
}

/// The number of bodies must be right; any two except A and B may be the same.
static iso_status joint_check_custom_bodies(const iso__plane *plane, const iso_joint_def *def) {
    const iso_body_id bodies[] = {def->body_a, def->body_b, def->body_c, def->body_d};
    for (uint32_t i = 0; i < 4; ++i) {
        if ((i == 1 || bodies[i].generation != 0) && !iso__body_is_alive(&plane->world, bodies[i])) {
            return ISO_ERR_STALE;
        }
    }
    const bool is_one = def->body_a.generation != 0 && def->body_a.index == def->body_b.index;
    return is_one ? ISO_ERR_WRONG_TYPE : iso__plane_custom_check(plane, def);
}

static iso_status joint_check_bodies(const iso__plane *plane, const iso_joint_def *def) {
    const bool has_a = (iso_joint_kind_has(def->kind) & ISO_JOINT_HAS_BODY_A) != 0;
    if (iso_joint_kind_is_custom(def->kind)) {
        return joint_check_custom_bodies(plane, def);
    }
    if (!iso__body_is_alive(&plane->world, def->body_b) || (has_a && !iso__body_is_alive(&plane->world, def->body_a))) {
        return ISO_ERR_STALE;
    }
    if (!has_a) {
        return plane->bodies[def->body_b.index].type == ISO_BODY_DYNAMIC ? ISO_OK : ISO_ERR_WRONG_TYPE;
    }
    if ((iso_joint_kind_has(def->kind) & ISO_JOINT_HAS_BODIES_CD) != 0) {
        if (!iso__body_is_alive(&plane->world, def->body_c) || !iso__body_is_alive(&plane->world, def->body_d)) {
            return ISO_ERR_STALE;
        }
        if (def->body_c.index == def->body_d.index) {
            return ISO_ERR_WRONG_TYPE;
        }
    }
    return def->body_a.index != def->body_b.index ? ISO_OK : ISO_ERR_WRONG_TYPE;
}

/// The most that a body's angle changes [rad/s].
static iso_wide joint_turn_max(const iso__plane *plane, iso_body_id body) {
    if (!iso__body_is_alive(&plane->world, body) || plane->bodies[body.index].type == ISO_BODY_STATIC) {
        return 0;
    }
    const int8_t k = plane->body_derived[body.index].radius_exponent;
    return iso__plane_angular_velocity_from_spin(iso__plane_spin_max(&plane->world.def, k), k);
}

iso_wide iso__plane_joint_speed_max(const iso__plane *plane, const iso_joint_def *def) {
    const uint32_t has = iso_joint_kind_has(def->kind);
    ISO_ASSERT(plane->world.def.substep_count > 0);
    if ((has & ISO_JOINT_HAS_MOTOR) == 0 || (has & (ISO_JOINT_IS_ANGULAR | ISO_JOINT_MOTOR_TURNS)) == 0) {
        return INT64_MAX;
    }
    const iso_wide ratio = (has & ISO_JOINT_HAS_RATIO) != 0 ? (iso_wide)iso__abs_u32(def->ratio) << 16 : ISO_WIDE_ONE;
    const iso_wide most =
        iso_wide_add(joint_turn_max(plane, def->body_a), iso_wide_mul(ratio, joint_turn_max(plane, def->body_b)));
    return most == 0 ? INT64_MAX : most;
}

iso_status iso__plane_joint_motor_check(const iso__plane *plane, const iso_joint_def *def) {
    const iso_wide speed = iso_wide_from_fix16(def->motor_speed), most = iso__plane_joint_speed_max(plane, def);
    ISO_ASSERT(most > 0);
    return def->motor_enabled && (speed > most || speed < -most) ? ISO_ERR_RANGE : ISO_OK;
}

// ---- records -------------------------------------------------------------------------------------

static void joint_store_anchor(int32_t to[2], iso_vec2 from) {
    to[0] = from.x * 256; // Q15.16 to Q7.24; within ±60
    to[1] = from.y * 256;
}

void iso__plane_joint_write_record(iso__plane_joint *record, const iso_joint_def *def) {
    const uint32_t has = iso_joint_kind_has(def->kind);
    ISO_ASSERT(has != 0);
    const bool is_custom = (has & ISO_JOINT_IS_CUSTOM) != 0;
    const bool has_a = is_custom ? def->body_a.generation != 0 : (has & ISO_JOINT_HAS_BODY_A) != 0;
    const bool has_c = is_custom ? def->body_c.generation != 0 : (has & ISO_JOINT_HAS_BODIES_CD) != 0;
    const bool has_d = is_custom ? def->body_d.generation != 0 : has_c;
    record->kind = def->kind;
    record->flags = 0;
#define JOINT_WRITE_SWITCH(name, bit) record->flags = (uint8_t)(record->flags | (def->name ? (bit) : 0));
    ISO_JOINT_SWITCH_LIST(JOINT_WRITE_SWITCH)
#undef JOINT_WRITE_SWITCH
    record->body_a = has_a ? def->body_a.index : ISO__WORLD_BODY;
    record->body_b = def->body_b.index;
    joint_store_anchor(record->anchor_a, def->anchor_a);
    joint_store_anchor(record->anchor_b, def->anchor_b);
    record->body_c = has_c ? def->body_c.index : ISO__WORLD_BODY;
    record->body_d = has_d ? def->body_d.index : ISO__WORLD_BODY;
    joint_store_anchor(record->anchor_c, def->anchor_c);
    joint_store_anchor(record->anchor_d, def->anchor_d);
    record->axis[0] = def->axis.x;
    record->axis[1] = def->axis.y;
    record->target[0] = def->target.x;
    record->target[1] = def->target.y;
#define JOINT_WRITE_NUMBER(type, name, low, high) record->name = def->name;
    ISO_JOINT_NUMBER_LIST(JOINT_WRITE_NUMBER)
#undef JOINT_WRITE_NUMBER
    record->tag = def->tag;
    record->owner_generation = def->owner.generation;
    record->owner_slot = def->owner.slot;
}

void iso__plane_joint_read_record(const iso__plane_joint *record, iso_joint_def *def) {
    ISO_ASSERT(record->kind != 0);
    *def = (iso_joint_def){
        .kind = record->kind,
        .anchor_a = {record->anchor_a[0] / 256, record->anchor_a[1] / 256},
        .anchor_b = {record->anchor_b[0] / 256, record->anchor_b[1] / 256},
        .anchor_c = {record->anchor_c[0] / 256, record->anchor_c[1] / 256},
        .anchor_d = {record->anchor_d[0] / 256, record->anchor_d[1] / 256},
        .axis = {record->axis[0], record->axis[1]},
        .target = {record->target[0], record->target[1]},
        .tag = record->tag,
        .owner = {record->owner_generation, record->owner_slot},
    };
#define JOINT_READ_SWITCH(name, bit) def->name = (record->flags & (bit)) != 0;
    ISO_JOINT_SWITCH_LIST(JOINT_READ_SWITCH)
#undef JOINT_READ_SWITCH
#define JOINT_READ_NUMBER(type, name, low, high) def->name = record->name;
    ISO_JOINT_NUMBER_LIST(JOINT_READ_NUMBER)
#undef JOINT_READ_NUMBER
}

// ---- creation ------------------------------------------------------------------------------------

/// @param before  the joint until now; NULL: it is new
static void joint_latch(const iso__plane *plane, iso__plane_joint *record, const iso__plane_joint *before) {
    const iso__plane_joint_kind *kind = iso__plane_joint_kind_of(record->kind);
    if (kind->start != NULL) {
        record->latch = kind->start(plane, record, before);
    }
}

/// What a joint starts with on its bodies.
static void joint_begin(const iso__plane *plane, iso__plane_joint *record) {
    if ((iso_joint_kind_has(record->kind) & ISO_JOINT_HAS_LENGTH) != 0) {
        // Until the anchors have been apart a length has the direction of the x axis.
        record->direction[0] = ISO__UNIT_ONE;
        record->direction_cd[0] = record->body_c != ISO__WORLD_BODY ? ISO__UNIT_ONE : 0;
        record->direction[1] = record->direction_cd[1] = 0;
    }
    joint_latch(plane, record, NULL);
}

iso_status iso_joint_create(iso_world *world, const iso_joint_def *def, iso_joint_id *joint) {
    ISO__PLANE_ONLY(world, ISO_ERR_DIMENSION);
    iso__plane *plane = iso__plane_of(world);
    iso_status status = iso__owner_is_valid(def->owner) ? iso__plane_joint_def_check(def) : ISO_ERR_RANGE;
    if (status == ISO_OK) {
        status = joint_check_bodies(plane, def);
    }
    if (status != ISO_OK) {
        return status;
    }
    const uint32_t index = iso__slot_take(&world->joint_map, world->joint_generations, world->def.joint_capacity,
                                          &world->globals->joint_count);
    if (index == UINT32_MAX) {
        return ISO_ERR_CAPACITY;
    }
    iso__plane_joint *record = &plane->joints[index];
    *record = (iso__plane_joint){0};
    iso__plane_joint_write_record(record, def);
    joint_begin(plane, record);
    if (iso_joint_kind_is_custom(def->kind)) {
        iso__plane_custom_create(plane, index, def);
    }
    iso__plane_joint_wake(world, record);
    iso__plane_joint_note_bodies(world, record);
    iso__bit_set(world->fresh_joints, index);
    world->has_changed_joints = plane->has_changed_rows = true;
    iso__mark_dirty(world, ISO_SECTION_JOINTS, index);
    iso__mark_section_dirty(world, ISO_SECTION_GENERATIONS);
    *joint = (iso_joint_id){index, world->joint_generations[index]};
    return ISO_OK;
}

iso_status iso_joint_get(const iso_world *world, iso_joint_id joint, iso_joint_def *def) {
    ISO__PLANE_ONLY(world, ISO_ERR_DIMENSION);
    const iso__plane *plane = iso__plane_of_const(world);
    if (!iso__joint_is_alive(world, joint)) {
        return ISO_ERR_STALE;
    }
    const iso__plane_joint *record = &plane->joints[joint.index];
    iso__plane_joint_read_record(record, def);
    def->body_a = iso__joint_body_id(world, record->body_a);
    def->body_b = iso__joint_body_id(world, record->body_b);
    def->body_c = iso__joint_body_id(world, record->body_c);
    def->body_d = iso__joint_body_id(world, record->body_d);
    if (iso_joint_kind_is_custom(record->kind)) {
        const iso__plane_custom_joint *custom = iso__plane_custom_of(plane, record);
        def->constraint = custom->constraint;
        def->params = iso__plane_custom_params(custom);
    }
    return ISO_OK;
}

void iso__plane_joint_def_set_bodies(iso_joint_def *def, const iso_body_id bodies[4]) {
    ISO_ASSERT(def != NULL && bodies != NULL);
    def->body_a = bodies[0];
    def->body_b = bodies[1];
    def->body_c = bodies[2];
    def->body_d = bodies[3];
}

iso_status iso_joint_copy(iso_world *world, iso_joint_id joint, const iso_body_id *bodies, iso_joint_id *copy) {
    ISO__PLANE_ONLY(world, ISO_ERR_DIMENSION);
    iso__plane *plane = iso__plane_of(world);
    iso_joint_def def;
    iso_status status = iso_joint_get(world, joint, &def);
    if (status != ISO_OK) {
        return status;
    }
    if (bodies != NULL) {
        iso__plane_joint_def_set_bodies(&def, bodies);
    }
    status = iso_joint_create(world, &def, copy);
    if (status != ISO_OK) {
        return status;
    }
    const iso__plane_joint *from = &plane->joints[joint.index];
    iso__plane_joint *record = &plane->joints[copy->index];
    if (bodies == NULL) {
        record->latch = from->latch;
        for (int axis = 0; axis < 2; ++axis) {
            record->direction[axis] = from->direction[axis];
            record->direction_cd[axis] = from->direction_cd[axis];
        }
    }
    if (iso_joint_kind_is_custom(def.kind)) {
        iso__plane_custom_copy(plane, from, record);
    }
    return ISO_OK;
}

// ---- changing ------------------------------------------------------------------------------------

/// Rows that are switched off lose their impulses.
static void joint_drop_impulses(iso__plane *plane, iso__plane_joint *record) {
    if (iso_joint_kind_is_custom(record->kind)) {
        if ((record->flags & ISO__PLANE_JOINT_ENABLED) == 0) {
            iso__plane_custom_drop_impulses(plane, record);
        }
        return;
    }
    const uint32_t rows = iso__plane_joint_rows(record), turns = ISO__PLANE_JOINT_ENABLED | ISO__PLANE_JOINT_MOTOR;
    for (uint32_t row = 0; row < ISO__AXIS_ROWS; ++row) {
        record->impulse[ISO__PLANE_JOINT_AXIS_IMPULSE + row] *= rows >> row & 1u;
    }
    for (int axis = 0; axis < 2 && (record->flags & ISO__PLANE_JOINT_ENABLED) == 0; ++axis) {
        record->impulse[axis] = 0;
    }
    if ((iso_joint_kind_has(record->kind) & ISO_JOINT_MOTOR_TURNS) != 0 && (record->flags & turns) != turns) {
        record->impulse[ISO__PLANE_JOINT_ANGLE_IMPULSE] = 0;
    }
}

/// Changes a joint to `changed`, whose kind, bodies and owner are the joint's own.
static iso_status joint_change(iso_world *world, iso_joint_id joint, const iso_joint_def *changed) {
    iso__plane *plane = iso__plane_of(world);
    iso__plane_joint *record = &plane->joints[joint.index];
    iso_status status = iso__plane_joint_def_check(changed);
    const bool is_custom = iso_joint_kind_is_custom(record->kind);
    if (status == ISO_OK && is_custom) {
        const iso__custom_source source = iso__plane_custom_source(plane, iso__plane_custom_of(plane, record));
        status = iso__custom_check_params(2, source, &changed->params, NULL);
    }
    if (status != ISO_OK) {
        return status;
    }
    if (is_custom) {
        iso__plane_custom_change_params(plane, record, &changed->params);
    }
    const iso__plane_joint before = *record;
    iso__plane_joint_write_record(record, changed);
    if (((record->flags ^ before.flags) & (ISO__PLANE_JOINT_ENABLED | ISO__PLANE_JOINT_COLLIDE_CONNECTED)) != 0) {
        world->has_changed_joints = true;
    }
    plane->has_changed_rows = true;
    joint_latch(plane, record, &before);
    joint_drop_impulses(plane, record);
    iso__plane_joint_wake(world, record);
    iso__mark_dirty(world, ISO_SECTION_JOINTS, joint.index);
    return ISO_OK;
}

static bool joint_is_body(iso_body_id given, iso_body_id own) {
    return given.generation == 0 || (given.index == own.index && given.generation == own.generation);
}

iso_status iso_joint_set(iso_world *world, iso_joint_id joint, const iso_joint_def *def) {
    ISO__PLANE_ONLY(world, ISO_ERR_DIMENSION);
    iso_joint_def own;
    const iso_status status = iso_joint_get(world, joint, &own);
    if (status != ISO_OK) {
        return status;
    }
    if (def->kind != own.kind || (iso_joint_kind_is_custom(own.kind) && def->constraint != own.constraint) ||
        !joint_is_body(def->body_a, own.body_a) || !joint_is_body(def->body_b, own.body_b) ||
        !joint_is_body(def->body_c, own.body_c) || !joint_is_body(def->body_d, own.body_d)) {
        return ISO_ERR_WRONG_TYPE;
    }
    iso_joint_def changed = *def;
    changed.body_a = own.body_a;
    changed.body_b = own.body_b;
    changed.body_c = own.body_c;
    changed.body_d = own.body_d;
    changed.owner = own.owner;
    return joint_change(world, joint, &changed);
}

iso_status iso_joint_set_bodies(iso_world *world, iso_joint_id joint, const iso_body_id bodies[4]) {
    ISO__PLANE_ONLY(world, ISO_ERR_DIMENSION);
    iso__plane *plane = iso__plane_of(world);
    iso_joint_def def;
    iso_status status = iso_joint_get(world, joint, &def);
    if (status != ISO_OK) {
        return status;
    }
    iso__plane_joint_def_set_bodies(&def, bodies);
    status = joint_check_bodies(plane, &def);
    if (status != ISO_OK && status != ISO_ERR_CAPACITY) { // it has its record of custom_joints
        return status;
    }
    iso__plane_joint *record = &plane->joints[joint.index];
    iso__plane_joint_wake(world, record);
    iso__plane_joint_write_record(record, &def);
    for (uint32_t n = 0; n < ISO__PLANE_JOINT_IMPULSES; ++n) {
        record->impulse[n] = 0;
    }
    if (iso_joint_kind_is_custom(record->kind)) {
        iso__plane_custom_drop_impulses(plane, record);
    }
    joint_begin(plane, record);
    iso__plane_joint_wake(world, record);
    iso__plane_joint_note_bodies(world, record);
    iso__bit_set(world->fresh_joints, joint.index);
    world->has_changed_joints = plane->has_changed_rows = true;
    iso__mark_dirty(world, ISO_SECTION_JOINTS, joint.index);
    return ISO_OK;
}

// ---- setters of single parts ---------------------------------------------------------------------

/// Reads a joint that must have one of these parts, for changing it.
static iso_status joint_read(const iso_world *world, iso_joint_id joint, uint32_t part, iso_joint_def *def) {
    const iso_status status = iso_joint_get(world, joint, def);
    if (status != ISO_OK) {
        return status;
    }
    return (iso_joint_kind_has(def->kind) & part) != 0 ? ISO_OK : ISO_ERR_WRONG_TYPE;
}

#define SETTER(name, part, arguments, fields)                                                               \
    iso_status iso_joint_set_##name(iso_world *world, iso_joint_id joint arguments) {                       \
        ISO__PLANE_ONLY(world, ISO_ERR_DIMENSION);                                                          \
        ISO__JOINT_SETTER_BODY(iso_joint_def, joint_read(world, joint, ISO_JOINT_HAS_##part, &def), fields, \
                               joint_change(world, joint, &def))                                            \
    }
ISO__JOINT_AXIS_SETTER_LIST(SETTER, ISO__JOINT_ARGUMENT, ISO__JOINT_FIELD)
SETTER(target, TARGET, ISO__JOINT_ARGUMENT(iso_vec2_wide, target), ISO__JOINT_FIELD(target, target))
#undef SETTER

#define SETTER(name, arguments, fields) \
    ISO__JOINT_SETTER_FUNCTION(iso_joint_def, iso_joint_get, joint_change, name, fields, arguments)
ISO__JOINT_SETTER_LIST(SETTER, ISO__JOINT_ARGUMENT, ISO__JOINT_FIELD)
#undef SETTER

const iso__joint_setters iso__plane_joint_setters = {
    ISO__JOINT_SETTER_LIST(ISO__JOINT_SETTER_ENTRY, ISO__JOINT_ARGUMENT, ISO__JOINT_NO_FIELD)};

iso_status iso_joint_set_params(iso_world *world, iso_joint_id joint, const iso_program_params *params,
                                uint32_t *wrong) {
    ISO__PLANE_ONLY(world, ISO_ERR_DIMENSION);
    iso__plane *plane = iso__plane_of(world);
    iso_joint_def def;
    iso_status status = joint_read(world, joint, ISO_JOINT_IS_CUSTOM, &def);
    if (status == ISO_OK) {
        const iso__plane_custom_joint *custom = iso__plane_custom_of(plane, &plane->joints[joint.index]);
        status = iso__custom_check_params(2, iso__plane_custom_source(plane, custom), params, wrong);
    }
    if (status != ISO_OK) {
        return status;
    }
    def.params = *params;
    return joint_change(world, joint, &def);
}
