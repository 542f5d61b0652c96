/// The rules that a snapshot must satisfy to be a possible state of a world.
///
/// Everything is checked in the snapshot's bytes before the world changes. Each rule is named with what relies on it:
/// indices are used without a check, records of dead slots are taken to be zero, solver rows are proven for values
/// within the limits.
#include "plane/snapshot/check.h"

#include <string.h>

#include "base/random.h"
#include "math/fixed_ops.h"
#include "plane/dynamics/sleep.h"
#include "plane/joint/joint.h"
#include "plane/joint/kind.h"
#include "plane/joint/work.h"
#include "plane/snapshot/check_compound.h"
#include "plane/snapshot/check_custom.h"
#include "plane/snapshot/read_shape.h"
#include "plane/world/body.h"
#include "plane/world/body_mass.h"
#include "plane/world/contact.h"
#include "plane/world/joint.h"
#include "plane/world/joint_mass.h"
#include "plane/world/shape.h"
#include "solver/params.h"
#include "state/snapshot_check.h"
#include "state/snapshot_read.h"
#include "world/slots.h"

#define CHECK_SPEED_MAX    (ISO_SPEED_MAX_M_S * ISO__VEL_ONE)
#define CHECK_LATCH_MAX    (INT64_C(1) << 57) // an angle of an axis, and a step beyond it
#define CHECK_POSITION_MAX (ISO_POSITION_MAX_M * ISO_WIDE_ONE)
#define CHECK_OFFSET_MAX   ((2 * ISO_SHAPE_EXTENT_MAX_M + 1) * ISO__LENGTH_ONE)

static bool check_body_params(const iso__plane_body *body) {
    iso_body_params params;
    iso__plane_body_read_params(body, &params);
    return iso_body_params_check(&params) == ISO_OK && iso__plane_body_mass_is_valid(body->mass, body->inertia);
}

/// The watch of a body that may fall asleep, as plane/dynamics/sleep.c leaves it.
static bool check_body_watch(const iso__plane_body *body, uint32_t quiet_max) {
    bool is_still = true, is_within = true;
    for (int n = 0; n < 3; ++n) {
        is_still = is_still && body->quiet_moved[n] == 0;
        is_within = is_within && iso__check_is_within32(body->quiet_moved[n], ISO__SLEEP_SWAY);
    }
    return body->quiet_ticks < 2 * quiet_max && is_within && (body->quiet_ticks % quiet_max != 0 || is_still) &&
           iso__check_is_within32(body->quiet_gain, body->quiet_ticks < quiet_max ? 0 : ISO__SLEEP_GAIN_MAX);
}

/// A sleeping body is dynamic and at rest, and nothing watches it.
static bool check_body_sleep(const iso__plane_body *body, uint32_t quiet_max) {
    const bool is_asleep = (body->flags & ISO__PLANE_BODY_ASLEEP) != 0, is_dynamic = body->type == ISO_BODY_DYNAMIC;
    return check_body_watch(body, quiet_max) && (body->quiet_ticks == 0 || (is_dynamic && !is_asleep)) &&
           (!is_asleep || (is_dynamic && body->velocity[0] == 0 && body->velocity[1] == 0 && body->spin == 0));
}

static bool check_body(const iso__plane_body *body, uint32_t generation, uint32_t quiet_max, uint64_t spawn_count) {
    if (!iso__check_generation(generation, body->type != 0)) {
        return false;
    }
    if (body->type == 0) {
        return iso__check_is_zero(body, sizeof *body);
    }
    if (body->type > ISO_BODY_DYNAMIC || (body->flags & ~(ISO__PLANE_BODY_PARAM_FLAGS | ISO__PLANE_BODY_ASLEEP)) != 0 ||
        body->spawn_number > spawn_count || !check_body_params(body) || !check_body_sleep(body, quiet_max) ||
        !iso__owner_is_valid((iso_owner){body->owner_generation, body->owner_slot}) ||
        !iso__check_is_within64(body->position[0], CHECK_POSITION_MAX) ||
        !iso__check_is_within64(body->position[1], CHECK_POSITION_MAX)) {
        return false;
    }
    iso__plane_body locked = *body;
    iso__plane_body_lock(&locked);
    const int32_t speed_max = body->type == ISO_BODY_STATIC ? 0 : CHECK_SPEED_MAX;
    return memcmp(&locked, body, sizeof locked) == 0 && iso__check_is_within32(body->velocity[0], speed_max) &&
           iso__check_is_within32(body->velocity[1], speed_max) && iso__check_is_within32(body->spin, speed_max);
}

/// The type of a body of the snapshot, 0 when there is none.
static uint8_t check_body_type(const iso__snapshot *snapshot, uint32_t index) {
    if (index >= snapshot->globals.body_count) {
        return 0;
    }
    return snapshot->parts[ISO_SECTION_BODIES][index * sizeof(iso__plane_body) + offsetof(iso__plane_body, type)];
}

/// A shape's numbers come from a definition by shifts, so a record is right when it has the low bits of such
/// shifts and its definition is right.
static bool check_shape(const iso__snapshot *snapshot, const iso__plane_shape *shape, uint32_t generation) {
    if (!iso__check_generation(generation, shape->kind != 0)) {
        return false;
    }
    if (shape->kind == 0) {
        return iso__check_is_zero(shape, sizeof *shape);
    }
    const bool is_tapered = (shape->flags & ISO__PLANE_SHAPE_TAPERED) != 0;
    if (is_tapered && (shape->kind != ISO_SHAPE_CAPSULE || iso__plane_shape_taper(shape) == 0)) {
        return false;
    }
    uint32_t low_bits = ((uint32_t)shape->friction | (uint32_t)shape->restitution) & 0xFFFu;
    low_bits |= (uint32_t)shape->radius & 0xFFu;
    for (uint32_t i = 0; shape->kind != ISO_SHAPE_SEGMENT && i < 2u * ISO_POLYGON_VERTICES_MAX; ++i) {
        low_bits |= (uint32_t)shape->vertices[i] & 0xFFu;
    }
    if (shape->kind == ISO_SHAPE_SEGMENT && shape->vertex_count != 2) {
        return false;
    }
    if (low_bits != 0 || (shape->flags & ~(ISO__PLANE_SHAPE_SENSOR | ISO__PLANE_SHAPE_TAPERED)) != 0 ||
        !iso__owner_is_valid((iso_owner){shape->owner_generation, shape->owner_slot}) ||
        check_body_type(snapshot, shape->body) == 0) {
        return false;
    }
    iso_shape_def def;
    iso__plane_shape_read_record(shape, &def);
    return iso_shape_def_check(&def) == ISO_OK;
}

/// B, and the other bodies, exist; their number is checked with the joint's constraint.
static bool check_custom_bodies(const iso__snapshot *snapshot, const iso__plane_joint *joint) {
    const uint32_t others[] = {joint->body_a, joint->body_c, joint->body_d};
    bool is_right = joint->body_a != joint->body_b && check_body_type(snapshot, joint->body_b) != 0;
    for (uint32_t i = 0; i < 3; ++i) {
        is_right = is_right && (others[i] == ISO__WORLD_BODY || check_body_type(snapshot, others[i]) != 0);
    }
    return is_right;
}

/// The rules for a joint's bodies, see iso_joint_create; their types may have changed since.
static bool check_joint_bodies(const iso__snapshot *snapshot, const iso__plane_joint *joint) {
    const uint8_t type_b = check_body_type(snapshot, joint->body_b);
    const bool has_cd = (iso_joint_kind_has(joint->kind) & ISO_JOINT_HAS_BODIES_CD) != 0;
    if (iso_joint_kind_is_custom(joint->kind)) {
        return check_custom_bodies(snapshot, joint);
    }
    if (has_cd ? joint->body_c == joint->body_d || check_body_type(snapshot, joint->body_c) == 0 ||
                     check_body_type(snapshot, joint->body_d) == 0
               : joint->body_c != ISO__WORLD_BODY || joint->body_d != ISO__WORLD_BODY) {
        return false;
    }
    if ((iso_joint_kind_has(joint->kind) & ISO_JOINT_HAS_BODY_A) == 0) {
        return joint->body_a == ISO__WORLD_BODY && type_b != 0;
    }
    return joint->body_a != joint->body_b && check_body_type(snapshot, joint->body_a) != 0 && type_b != 0;
}

static bool check_unit_or_zero(const int32_t v[2], bool is_unit) {
    if (!is_unit) {
        return (v[0] | v[1]) == 0;
    }
    return iso__check_is_within32(v[0], ISO__UNIT_ONE) && iso__check_is_within32(v[1], ISO__UNIT_ONE) &&
           iso__abs_u64(iso__dot32(v[0], v[1], v[0], v[1]) - (INT64_C(1) << 60)) <= UINT64_C(1) << 33;
}

/// A length's direction is a unit vector, within what rounding it leaves; no other kind has one.
static bool check_joint_direction(const iso__plane_joint *joint) {
    const uint32_t has = iso_joint_kind_has(joint->kind);
    return check_unit_or_zero(joint->direction, (has & ISO_JOINT_HAS_LENGTH) != 0) &&
           check_unit_or_zero(joint->direction_cd, (has & ISO_JOINT_HAS_BODIES_CD) != 0);
}

/// As the rows clamp them; rows that are off, and a joint that is, have none.
static bool check_joint_impulses(const iso__plane_joint *joint) {
    const uint32_t has = iso_joint_kind_has(joint->kind), rows = iso__plane_joint_rows(joint);
    if ((has & ISO_JOINT_IS_CUSTOM) != 0) {
        return true; // iso__plane_snapshot_check_custom knows the rows
    }
    const bool is_on = (joint->flags & ISO__PLANE_JOINT_ENABLED) != 0;
    const bool turns = (has & ISO_JOINT_HAS_REFERENCE) != 0 ||
                       ((has & ISO_JOINT_MOTOR_TURNS) != 0 && (joint->flags & ISO__PLANE_JOINT_MOTOR) != 0);
    const int64_t point = is_on && (has & ISO_JOINT_HAS_POINT) != 0 ? ISO__JOINT_IMPULSE_MAX : 0;
    const int64_t across = is_on && (has & ISO_JOINT_HAS_AXIS) != 0 ? ISO__AXIS_IMPULSE_MAX : point;
    bool is_right = iso__check_is_within64(joint->impulse[ISO__PLANE_JOINT_ACROSS_IMPULSE], across) &&
                    iso__check_is_within64(joint->impulse[ISO__PLANE_JOINT_ANGLE_IMPULSE],
                                           is_on && turns ? ISO__AXIS_IMPULSE_MAX : point);
    for (uint32_t row = 0; row < ISO__AXIS_ROWS; ++row) {
        const int64_t j = joint->impulse[ISO__PLANE_JOINT_AXIS_IMPULSE + row];
        const bool is_one_sided = (row != ISO__AXIS_LOWER || j >= 0) && (row != ISO__AXIS_UPPER || j <= 0);
        is_right =
            is_right && is_one_sided && iso__check_is_within64(j, (rows >> row & 1u) != 0 ? ISO__AXIS_IMPULSE_MAX : 0);
    }
    return is_right;
}

/// A latch is an angle; few kinds have one.
static bool check_joint_latch(const iso__plane_joint *joint) {
    const bool has_latch = iso__plane_joint_kind_of(joint->kind)->start != NULL;
    return iso__check_is_within64(joint->latch, has_latch ? CHECK_LATCH_MAX : 0);
}

/// Anchors are shifted from the definition, as a shape's numbers are.
static bool check_joint_values(const iso__plane_joint *joint) {
    uint64_t low_bits = 0;
    bool is_within = (joint->flags & ~ISO__PLANE_JOINT_FLAGS) == 0 && joint->reserved == 0 &&
                     iso__owner_is_valid((iso_owner){joint->owner_generation, joint->owner_slot});
    for (int axis = 0; axis < 2; ++axis) {
        low_bits |= ((uint32_t)(joint->anchor_a[axis] | joint->anchor_b[axis]) & 0xFFu) |
                    ((uint32_t)(joint->anchor_c[axis] | joint->anchor_d[axis]) & 0xFFu);
        is_within = is_within && iso__check_is_within64(joint->target[axis], CHECK_POSITION_MAX);
    }
    iso_joint_def def;
    iso__plane_joint_read_record(joint, &def);
    return is_within && low_bits == 0 && iso__plane_joint_def_check(&def) == ISO_OK && check_joint_direction(joint) &&
           check_joint_impulses(joint) && check_joint_latch(joint);
}

static bool check_joint(const iso__snapshot *snapshot, const iso__plane_joint *joint, uint32_t generation) {
    if (!iso__check_generation(generation, joint->kind != 0)) {
        return false;
    }
    if (joint->kind == 0) {
        return iso__check_is_zero(joint, sizeof *joint);
    }
    return check_joint_values(joint) && check_joint_bodies(snapshot, joint);
}

// ---- sections ------------------------------------------------------------------------------------

static bool check_bodies(const iso__snapshot *snapshot, uint32_t quiet_max, uint32_t owned[ISO_SLOT_COUNT_MAX],
                         const uint32_t generations[ISO_SLOT_COUNT_MAX]) {
    for (uint32_t i = 0; i < snapshot->globals.body_count; ++i) {
        iso__plane_body body;
        iso__snapshot_read(snapshot, ISO_SECTION_BODIES, i, &body);
        if (!check_body(&body, iso__snapshot_body_generation(snapshot, i), quiet_max, snapshot->globals.spawn_count)) {
            return false;
        }
        if (body.type != 0 && body.owner_slot < ISO_SLOT_COUNT_MAX &&
            body.owner_generation == generations[body.owner_slot]) {
            owned[body.owner_slot] += 1;
        }
    }
    return true;
}

static bool check_shapes(const iso__snapshot *snapshot) {
    size_t at = 0;
    for (uint32_t i = 0; i < snapshot->globals.shape_count; ++i) {
        iso__plane_shape shape;
        const size_t size = iso__plane_snapshot_read_shape(snapshot->parts[ISO_SECTION_SHAPES] + at,
                                                           snapshot->variable_size - at, &shape);
        if (size == 0 || !check_shape(snapshot, &shape, iso__snapshot_shape_generation(snapshot, i))) {
            return false;
        }
        at += size;
    }
    return at == snapshot->variable_size;
}

static bool check_joints(const iso__snapshot *snapshot) {
    for (uint32_t i = 0; i < snapshot->globals.joint_count; ++i) {
        iso__plane_joint joint;
        iso__snapshot_read(snapshot, ISO_SECTION_JOINTS, i, &joint);
        if (!check_joint(snapshot, &joint, iso__snapshot_joint_generation(snapshot, i))) {
            return false;
        }
    }
    return true;
}

iso_status iso__plane_snapshot_check(const iso_world *world, const iso__snapshot *snapshot) {
    uint32_t generations[ISO_SLOT_COUNT_MAX] = {0};
    uint32_t counts[ISO_SLOT_COUNT_MAX] = {0};
    uint32_t owned[ISO_SLOT_COUNT_MAX] = {0};
    if (!iso__check_globals(&snapshot->globals) || !iso__check_slots(world, snapshot, generations, counts) ||
        !check_bodies(snapshot, iso__sleep_ticks(&world->def), owned, generations) || !check_shapes(snapshot) ||
        !check_joints(snapshot) || !iso__plane_snapshot_check_custom(world, snapshot) ||
        !iso__plane_snapshot_check_compounds(snapshot)) {
        return ISO_ERR_CORRUPT;
    }
    for (uint32_t i = 0; i < world->def.slot_capacity; ++i) {
        if (generations[i] != 0 && counts[i] != owned[i]) {
            return ISO_ERR_CORRUPT;
        }
    }
    return ISO_OK;
}

// ---- contacts ------------------------------------------------------------------------------------

static bool check_contact_points(const iso__plane_contact *contact) {
    if (contact->point_count < 1 || contact->point_count > 2 || (contact->flags & ~ISO__PLANE_CONTACT_FLAGS) != 0 ||
        contact->child != 0) {
        return false;
    }
    for (uint32_t i = 0; i < 2; ++i) {
        const int32_t limit = i < contact->point_count ? CHECK_SPEED_MAX : 0;
        if (contact->normal_impulse[i] < 0 || contact->normal_impulse[i] > limit ||
            !iso__check_is_within32(contact->tangent_impulse[i], limit) || (limit == 0 && contact->feature[i] != 0)) {
            return false;
        }
    }
    return true;
}

/// A pose that a contact keeps is one in which the shapes were near each other. Its shapes exist.
static bool check_contact_pose(const iso__plane *plane, const iso__plane_contact *contact) {
    const int32_t limit = iso__plane_contact_has_pose(plane, contact) ? CHECK_OFFSET_MAX : 0;
    return iso__check_is_within32(contact->pose_offset[0], limit) &&
           iso__check_is_within32(contact->pose_offset[1], limit) &&
           (limit != 0 || (contact->pose_angle[0] | contact->pose_angle[1]) == 0);
}

/// The contact's key; false when its shapes do not exist or cannot touch.
static bool check_contact_key(const iso__plane *plane, const iso__snapshot *snapshot, const iso__plane_contact *contact,
                              iso__check_key *key) {
    const uint32_t shape_count = snapshot->globals.shape_count;
    if (contact->shape_a >= shape_count || contact->shape_b >= shape_count ||
        plane->shapes[contact->shape_a].kind == 0 || plane->shapes[contact->shape_b].kind == 0) {
        return false;
    }
    const uint32_t body_a = plane->shapes[contact->shape_a].body;
    const uint32_t body_b = plane->shapes[contact->shape_b].body;
    *key = (iso__check_key){(uint64_t)body_a << 32 | body_b, (uint64_t)contact->shape_a << 32 | contact->shape_b,
                            contact->child};
    return body_a < body_b && (check_body_type(snapshot, body_a) == ISO_BODY_DYNAMIC ||
                               check_body_type(snapshot, body_b) == ISO_BODY_DYNAMIC);
}

iso_status iso__plane_snapshot_check_contacts(const iso__plane *plane, const iso__snapshot *snapshot) {
    iso__check_key last = {0, 0, 0};
    for (uint32_t i = 0; i < snapshot->globals.contact_count; ++i) {
        iso__plane_contact contact;
        iso__snapshot_read(snapshot, ISO_SECTION_CONTACTS, i, &contact);
        iso__check_key key;
        if (!check_contact_points(&contact) || !check_contact_key(plane, snapshot, &contact, &key) ||
            !check_contact_pose(plane, &contact) || (i > 0 && !iso__check_key_less(&last, &key))) {
            return ISO_ERR_CORRUPT;
        }
        last = key;
    }
    return ISO_OK;
}
