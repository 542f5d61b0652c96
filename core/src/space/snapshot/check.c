/// The rules that a snapshot must satisfy to be a possible state of a world in space: see plane/snapshot/check.c.
#include "space/snapshot/check.h"

#include <string.h>

#include "isostep/body3.h"
#include "math/quat.h"
#include "solver/params.h"
#include "space/snapshot/check_custom.h"
#include "space/snapshot/check_joint.h"
#include "space/world/body.h"
#include "space/world/body_mass.h"
#include "space/world/contact.h"
#include "space/world/contact_match.h"
#include "space/world/own_mass.h"
#include "space/world/sections.h"
#include "space/world/shape.h"
#include "state/snapshot_check.h"
#include "step/watch.h"
#include "world/slots.h"

#define CHECK_SPEED_MAX    (ISO_SPEED3_MAX_M_S * ISO__VEL_ONE)
#define CHECK_POSITION_MAX (ISO_POSITION_MAX_M * ISO_WIDE_ONE)
#define CHECK_MOMENTUM_MAX (INT64_C(1) << 52) // 4,096 m/s, Q23.40
#define CHECK_LOW_BITS     0xFFu              // of lengths: a definition has 16 fraction bits

size_t iso__space_snapshot_read_shape(const uint8_t *bytes, size_t size, iso__space_shape *shape) {
    *shape = (iso__space_shape){0};
    if (size < ISO__SPACE_SHAPE_FIXED_SIZE) {
        return 0;
    }
    // The vertices are the last field.
#if ISO__LITTLE_ENDIAN
    memcpy(shape, bytes, ISO__SPACE_SHAPE_FIXED_SIZE);
#else
    const iso__section_table *table = &iso__space_sections[ISO_SECTION_SHAPES];
    iso__record_decode(table->fields, table->field_count - 1, bytes, shape);
#endif
    const uint32_t words = shape->vertex_count > ISO_HULL_VERTICES_MAX ? UINT32_MAX : iso__space_shape_words(shape);
    if (words > ISO__SPACE_SHAPE_WORDS_MAX || size < ISO__SPACE_SHAPE_FIXED_SIZE + 4u * (size_t)words) {
        return 0;
    }
    for (uint32_t i = 0; i < words; ++i) {
        shape->vertices[i] = (int32_t)iso__read_u32(bytes + ISO__SPACE_SHAPE_FIXED_SIZE + 4u * i);
    }
    return ISO__SPACE_SHAPE_FIXED_SIZE + 4u * (size_t)words;
}

static bool check_body_params(const iso__space_body *body) {
    iso_body3_params params;
    iso__space_body_read_params(body, &params);
    return iso_body3_params_check(&params) == ISO_OK;
}

/// What is counted of a body that is watched: as check_body_watch in the plane.
static bool check_body_watch(const iso__space_body *body, uint32_t quiet_max) {
    const bool begins = body->quiet_ticks % quiet_max == 0;
    bool is_right = body->quiet_ticks < 2 * quiet_max;
    for (int n = 0; n < 6; ++n) {
        is_right = is_right && iso__check_is_within32(body->quiet_moved[n], begins ? 0 : ISO__SLEEP_SWAY);
    }
    return is_right &&
           iso__check_is_within32(body->quiet_gain, body->quiet_ticks < quiet_max ? 0 : ISO__SLEEP_GAIN_MAX);
}

/// A sleeping body is dynamic and at rest.
static bool check_body_motion(const iso__space_body *body) {
    const bool is_asleep = (body->flags & ISO__SPACE_BODY_ASLEEP) != 0, is_dynamic = body->type == ISO_BODY_DYNAMIC;
    const bool is_still = is_asleep || body->type == ISO_BODY_STATIC;
    if ((is_asleep && !is_dynamic) || (body->quiet_ticks != 0 && (!is_dynamic || is_asleep))) {
        return false;
    }
    for (int axis = 0; axis < 3; ++axis) {
        const bool is_locked = is_dynamic && (body->flags & ISO__SPACE_BODY_LOCK_X << axis) != 0;
        if (!iso__check_is_within64(body->position[axis], CHECK_POSITION_MAX) ||
            !iso__check_is_within32(body->velocity[axis], is_still || is_locked ? 0 : CHECK_SPEED_MAX) ||
            !iso__check_is_within64(body->momentum[axis], is_still ? 0 : CHECK_MOMENTUM_MAX)) {
            return false;
        }
    }
    return iso__quat_is_state(body->rotation);
}

static bool check_body_spare(const iso__space_body *body) {
    return (body->more_flags & ~(ISO__SPACE_BODY_PARAM_FLAGS >> 8)) == 0 &&
           (body->reserved[0] | body->reserved[1] | body->reserved[2]) == 0;
}

static bool check_body(const iso__space_body *body, uint32_t generation, uint64_t spawn_count, uint32_t quiet_max) {
    if (!iso__check_generation(generation, body->type != 0)) {
        return false;
    }
    if (body->type == 0) {
        return iso__check_is_zero(body, sizeof *body);
    }
    return body->type <= ISO_BODY_DYNAMIC && check_body_spare(body) && body->spawn_number <= spawn_count &&
           check_body_watch(body, quiet_max) && check_body_params(body) && check_body_motion(body) &&
           iso__owner_is_valid((iso_owner){body->owner_generation, body->owner_slot});
}

static bool check_bodies(const iso__snapshot *snapshot, uint32_t quiet_max, uint32_t owned[ISO_SLOT_COUNT_MAX],
                         const uint32_t generations[ISO_SLOT_COUNT_MAX]) {
    for (uint32_t i = 0; i < snapshot->globals.body_count; ++i) {
        iso__space_body body;
        iso__snapshot_read(snapshot, ISO_SECTION_BODIES, i, &body);
        if (!check_body(&body, iso__snapshot_body_generation(snapshot, i), snapshot->globals.spawn_count, quiet_max)) {
            return false;
        }
        if (body.type != 0 && body.owner_slot < ISO_SLOT_COUNT_MAX &&
            body.owner_generation == generations[body.owner_slot]) {
            owned[body.owner_slot] += 1;
        }
    }
    return true;
}

/// One record of each body that has something of its own, in the order of the bodies.
static bool check_own_masses(const iso__snapshot *snapshot) {
    iso__space_own_mass own, last = {.body = 0};
    for (uint32_t i = 0; i < snapshot->globals.own_mass_count; ++i, last = own) {
        iso__snapshot_read(snapshot, ISO_SECTION_OWN_MASSES, i, &own);
        if ((i > 0 && own.body <= last.body) || iso__space_snapshot_body_type(snapshot, own.body) == 0 ||
            own.reserved != 0 || !iso__space_own_mass_is_some(&own) ||
            !iso__space_body_mass_is_valid(own.mass, own.moments)) {
            return false;
        }
    }
    return true;
}

/// The words of a kind that are no lengths of a definition: a box's quaternion, a plane's unit normal and offset.
static bool check_shape_words(const iso__space_shape *shape) {
    const uint32_t lengths = shape->kind == ISO_SHAPE3_BOX     ? 6
                             : shape->kind == ISO_SHAPE3_PLANE ? 0
                                                               : 3u * shape->vertex_count;
    uint32_t low_bits = (uint32_t)shape->radius & CHECK_LOW_BITS;
    for (uint32_t i = 0; i < lengths; ++i) {
        low_bits |= (uint32_t)shape->vertices[i] & CHECK_LOW_BITS;
    }
    low_bits |= ((uint32_t)shape->friction | (uint32_t)shape->restitution) & 0xFFFu;
    if (shape->kind == ISO_SHAPE3_PLANE) {
        const int32_t *n = shape->vertices;
        low_bits |= (uint32_t)iso__space_shape_plane_offset(shape) & 0xFFFFu;
        if (!iso__check_is_within32(n[0], ISO__UNIT_ONE) || !iso__check_is_within32(n[1], ISO__UNIT_ONE) ||
            !iso__check_is_within32(n[2], ISO__UNIT_ONE)) {
            return false;
        }
        const int64_t squared = (int64_t)n[0] * n[0] + (int64_t)n[1] * n[1] + (int64_t)n[2] * n[2];
        if (iso__abs_u64(squared - (INT64_C(1) << 60)) > UINT64_C(1) << 33) {
            return false;
        }
    }
    return low_bits == 0 && (shape->kind != ISO_SHAPE3_BOX || iso__quat_is_state(&shape->vertices[6]));
}

/// A shape's numbers come from a definition by shifts, so a record is right when it has the low bits of such shifts and
/// its definition is right.
static bool check_shape(const iso__snapshot *snapshot, const iso__space_shape *shape, uint32_t generation) {
    if (!iso__check_generation(generation, shape->kind != 0)) {
        return false;
    }
    if (shape->kind == 0) {
        return iso__check_is_zero(shape, sizeof *shape);
    }
    const uint8_t type = iso__space_snapshot_body_type(snapshot, shape->body);
    if (type == 0 || (iso__space_shape_is_ground(shape->kind) && type != ISO_BODY_STATIC) ||
        (shape->kind == ISO_SHAPE3_HEIGHTS && (uint32_t)shape->vertices[3] >= snapshot->globals.height_count) ||
        (shape->flags & ~ISO__SPACE_SHAPE_SENSOR) != 0 || !check_shape_words(shape) ||
        !iso__owner_is_valid((iso_owner){shape->owner_generation, shape->owner_slot})) {
        return false;
    }
    iso_shape3_def def;
    iso__space_shape_read_record(shape, &def);
    return iso_shape3_def_check(&def) == ISO_OK;
}

static bool check_shapes(const iso__snapshot *snapshot) {
    size_t at = 0;
    for (uint32_t i = 0; i < snapshot->globals.shape_count; ++i) {
        iso__space_shape shape;
        const size_t size = iso__space_snapshot_read_shape(snapshot->parts[ISO_SECTION_SHAPES] + at,
                                                           snapshot->variable_size - at, &shape);
        if (size == 0 || !check_shape(snapshot, &shape, iso__snapshot_shape_generation(snapshot, i))) {
            return false;
        }
        at += size;
    }
    return at == snapshot->variable_size;
}

/// The samples of fields follow one another, each as its definition may be.
static bool check_heights(const iso__snapshot *snapshot) {
    uint32_t next = 0;
    for (uint32_t i = 0; i < snapshot->globals.height_count; ++i) {
        iso__space_height_field heights;
        iso__snapshot_read(snapshot, ISO_SECTION_HEIGHTS, i, &heights);
        if (heights.first_block != next || heights.columns > ISO_HEIGHTS_SIDE_MAX ||
            heights.rows > ISO_HEIGHTS_SIDE_MAX) {
            return false;
        }
        const uint32_t used = (uint32_t)heights.columns * heights.rows;
        int16_t samples[ISO_HEIGHTS_SIDE_MAX * ISO_HEIGHTS_SIDE_MAX + ISO__HEIGHT_BLOCK_SAMPLES];
        uint32_t count = 0;
        for (; count < used; count += ISO__HEIGHT_BLOCK_SAMPLES, ++next) {
            iso__space_height_block block;
            if (next >= snapshot->globals.height_block_count) {
                return false;
            }
            iso__snapshot_read(snapshot, ISO_SECTION_HEIGHT_SAMPLES, next, &block);
            memcpy(samples + count, block.samples, sizeof block.samples);
        }
        const iso_heights_def def = {samples, heights.columns, heights.rows, heights.cell, heights.scale};
        if (iso_heights_def_check(&def) != ISO_OK ||
            !iso__check_is_zero(samples + used, sizeof(int16_t) * (count - used))) {
            return false;
        }
    }
    return next == snapshot->globals.height_block_count;
}

static bool check_absent(const iso__globals *globals) {
    return globals->blueprint_count == 0 && globals->blueprint_body_count == 0 && globals->blueprint_shape_count == 0 &&
           globals->blueprint_joint_count == 0 && globals->compound_count == 0;
}

iso_status iso__space_snapshot_check(const iso_world *world, const iso__snapshot *snapshot) {
    uint32_t generations[ISO_SLOT_COUNT_MAX] = {0}, counts[ISO_SLOT_COUNT_MAX] = {0}, owned[ISO_SLOT_COUNT_MAX] = {0};
    if (!iso__check_globals(&snapshot->globals) || !check_absent(&snapshot->globals) ||
        !iso__check_slots(world, snapshot, generations, counts) ||
        !check_bodies(snapshot, iso__sleep_ticks(&world->def), owned, generations) || !check_own_masses(snapshot) ||
        !check_heights(snapshot) || !check_shapes(snapshot) || !iso__space_snapshot_check_joints(snapshot) ||
        !iso__space_snapshot_check_custom(world, snapshot)) {
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

static bool check_contact_points(const iso__space_contact *contact) {
    if (contact->point_count < 1 || contact->point_count > ISO__SPACE_CONTACT_POINTS ||
        contact->flags > (contact->child == 0 ? 1 : 0)) {
        return false;
    }
    for (uint32_t i = 0; i < ISO__SPACE_CONTACT_POINTS; ++i) {
        const bool is_used = i < contact->point_count;
        const int16_t *place = &contact->place[3 * i];
        if (contact->normal_impulse[i] < 0 || contact->normal_impulse[i] > (is_used ? CHECK_SPEED_MAX : 0) ||
            (!is_used && (place[0] | place[1] | place[2]) != 0)) {
            return false;
        }
    }
    bool is_within = iso__check_is_within32(contact->twist_impulse, INT32_MAX);
    for (int axis = 0; axis < 3; ++axis) {
        is_within = is_within && iso__check_is_within32(contact->friction_impulse[axis], 8 * CHECK_SPEED_MAX);
    }
    return is_within;
}

/// A pose that a contact keeps is one of at least three points of solids; all of what has none is 0.
static bool check_contact_pose(const iso__space *space, const iso__space_contact *contact) {
    const int32_t *o = contact->pose_offset, *b = contact->pose_rotation_b;
    if (!iso__space_contact_has_pose(contact)) {
        return (o[0] | o[1] | o[2] | b[0] | b[1] | b[2] | b[3]) == 0;
    }
    return contact->point_count >= 3 && contact->child == 0 && !iso__space_contact_is_round(space, contact) &&
           iso__quat_is_state(contact->pose_rotation_a) && iso__quat_is_state(b);
}

/// The contacts of a pair count from 0; only heights have several, and these no pose.
static bool check_child(const iso__space *space, const iso__space_contact *contact, const iso__space_contact *last) {
    if (contact->child == 0) {
        return true;
    }
    const bool has_heights = space->shapes[contact->shape_a].kind == ISO_SHAPE3_HEIGHTS ||
                             space->shapes[contact->shape_b].kind == ISO_SHAPE3_HEIGHTS;
    return has_heights && contact->child < ISO__SPACE_CONTACT_CHILDREN && !iso__space_contact_has_pose(last) &&
           last->shape_a == contact->shape_a && last->shape_b == contact->shape_b && last->child + 1 == contact->child;
}

iso_status iso__space_snapshot_check_contacts(const iso__space *space, const iso__snapshot *snapshot) {
    iso__check_key last = {0, 0, 0};
    iso__space_contact last_contact = {0};
    for (uint32_t i = 0; i < snapshot->globals.contact_count; ++i) {
        iso__space_contact contact;
        iso__snapshot_read(snapshot, ISO_SECTION_CONTACTS, i, &contact);
        const uint32_t a = contact.shape_a, b = contact.shape_b, shape_count = snapshot->globals.shape_count;
        if (!check_contact_points(&contact) || a >= shape_count || b >= shape_count || space->shapes[a].kind == 0 ||
            space->shapes[b].kind == 0 || (i == 0 && contact.child != 0) ||
            !check_child(space, &contact, &last_contact) || !check_contact_pose(space, &contact)) {
            return ISO_ERR_CORRUPT;
        }
        const uint32_t body_a = space->shapes[a].body, body_b = space->shapes[b].body;
        const iso__check_key key = {(uint64_t)body_a << 32 | body_b, (uint64_t)a << 32 | b, contact.child};
        if (body_a >= body_b || (i > 0 && !iso__check_key_less(&last, &key)) ||
            (iso__space_snapshot_body_type(snapshot, body_a) != ISO_BODY_DYNAMIC &&
             iso__space_snapshot_body_type(snapshot, body_b) != ISO_BODY_DYNAMIC)) {
            return ISO_ERR_CORRUPT;
        }
        last = key;
        last_contact = contact;
    }
    return ISO_OK;
}
