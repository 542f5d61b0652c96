/// The rules for blueprints and compounds of a snapshot.
///
/// A blueprint's parts are what its definition would be written as. Whether its bodies have a mass and its custom
/// joints a constraint is found when a compound is made of it, which then fails. Each live compound names a blueprint
/// and has a body or joint; each of these names a live compound and a part of its blueprint.
#include "plane/snapshot/check_compound.h"

#include <string.h>

#include "plane/compound/blueprint.h"
#include "world/slots.h"

#define CHECK_GENERATION_MAX UINT32_C(0xFFFFFFFE) // as for bodies

/// Whether the shapes and joints of a blueprint are its own, and its bodies bodies.
static bool check_parts(const iso__snapshot *snapshot, const iso__plane_blueprint *blueprint, uint32_t index) {
    bool is_right = true;
    for (uint32_t i = 0; i < blueprint->body_count && is_right; ++i) {
        iso__plane_body body;
        iso__snapshot_read(snapshot, ISO_SECTION_BLUEPRINT_BODIES, blueprint->body_first + i, &body);
        is_right = iso__plane_blueprint_body_is_valid(&body);
    }
    for (uint32_t i = 0; i < blueprint->shape_count && is_right; ++i) {
        iso__plane_shape shape;
        iso__snapshot_read(snapshot, ISO_SECTION_BLUEPRINT_SHAPES, blueprint->shape_first + i, &shape);
        is_right = iso__plane_blueprint_shape_is_valid(blueprint, &shape);
    }
    for (uint32_t i = 0; i < blueprint->joint_count && is_right; ++i) {
        iso__plane_blueprint_joint joint;
        iso__snapshot_read(snapshot, ISO_SECTION_BLUEPRINT_JOINTS, blueprint->joint_first + i, &joint);
        is_right = iso__plane_blueprint_joint_is_valid(blueprint, index, &joint);
    }
    return is_right;
}

/// Whether an earlier blueprint has the same name.
static bool check_is_second(const iso__snapshot *snapshot, uint32_t index, const uint8_t *name) {
    const uint8_t *first = snapshot->parts[ISO_SECTION_BLUEPRINTS] + offsetof(iso__plane_blueprint, name);
    bool is_second = false;
    for (uint32_t i = 0; i < index && !is_second; ++i) {
        is_second = memcmp(first + i * sizeof(iso__plane_blueprint), name, ISO_BLUEPRINT_NAME_MAX + 1) == 0;
    }
    return is_second;
}

/// Blueprints follow one another without gaps, and all parts are of one of them.
static bool check_blueprints(const iso__snapshot *snapshot) {
    uint32_t bodies = 0, shapes = 0, joints = 0;
    const iso__globals *globals = &snapshot->globals;
    for (uint32_t i = 0; i < globals->blueprint_count; ++i) {
        iso__plane_blueprint blueprint;
        iso__snapshot_read(snapshot, ISO_SECTION_BLUEPRINTS, i, &blueprint);
        if (blueprint.body_first != bodies || blueprint.shape_first != shapes || blueprint.joint_first != joints ||
            blueprint.body_count == 0 || blueprint.body_count > ISO_BLUEPRINT_PARTS_MAX ||
            blueprint.shape_count > ISO_BLUEPRINT_PARTS_MAX || blueprint.joint_count > ISO_BLUEPRINT_PARTS_MAX ||
            blueprint.body_count > globals->blueprint_body_count - bodies ||
            blueprint.shape_count > globals->blueprint_shape_count - shapes ||
            blueprint.joint_count > globals->blueprint_joint_count - joints ||
            !iso__plane_blueprint_name_is_valid(blueprint.name) || check_is_second(snapshot, i, blueprint.name) ||
            !check_parts(snapshot, &blueprint, i)) {
            return false;
        }
        bodies += blueprint.body_count;
        shapes += blueprint.shape_count;
        joints += blueprint.joint_count;
    }
    return bodies == globals->blueprint_body_count && shapes == globals->blueprint_shape_count &&
           joints == globals->blueprint_joint_count;
}

static bool check_compound(const iso__snapshot *snapshot, uint32_t index) {
    static const iso__plane_compound none = {.blueprint = 0};
    iso__plane_compound compound;
    iso__snapshot_read(snapshot, ISO_SECTION_COMPOUNDS, index, &compound);
    const uint32_t generation = iso__snapshot_compound_generation(snapshot, index);
    if (generation == 0 || generation > CHECK_GENERATION_MAX ||
        iso__generation_is_alive(generation) != (compound.blueprint != 0)) {
        return false;
    }
    if (compound.blueprint == 0) {
        return memcmp(&compound, &none, sizeof none) == 0;
    }
    return compound.blueprint <= snapshot->globals.blueprint_count && compound.owner_slot <= UINT16_MAX &&
           iso__owner_is_valid((iso_owner){compound.owner_generation, (uint16_t)compound.owner_slot});
}

/// Whether a body or joint names a live compound and one of its parts, or none; marks the compound.
static bool check_member(const iso__snapshot *snapshot, uint32_t compound, uint32_t part, bool is_body,
                         uint64_t marks[ISO_COMPOUND_CAPACITY_MAX / 64]) {
    if (compound == 0) {
        return part == 0;
    }
    iso__plane_compound record;
    iso__plane_blueprint blueprint;
    if (compound > snapshot->globals.compound_count) {
        return false;
    }
    iso__snapshot_read(snapshot, ISO_SECTION_COMPOUNDS, compound - 1, &record);
    if (record.blueprint == 0) {
        return false;
    }
    iso__snapshot_read(snapshot, ISO_SECTION_BLUEPRINTS, record.blueprint - 1, &blueprint);
    iso__bit_set(marks, compound - 1);
    return part < (is_body ? blueprint.body_count : blueprint.joint_count);
}

bool iso__plane_snapshot_check_compounds(const iso__snapshot *snapshot) {
    uint64_t marks[ISO_COMPOUND_CAPACITY_MAX / 64] = {0};
    bool is_right = check_blueprints(snapshot);
    for (uint32_t i = 0; i < snapshot->globals.compound_count && is_right; ++i) {
        is_right = check_compound(snapshot, i);
    }
    for (uint32_t i = 0; i < snapshot->globals.body_count && is_right; ++i) {
        const uint8_t *body = snapshot->parts[ISO_SECTION_BODIES] + i * sizeof(iso__plane_body);
        is_right = check_member(snapshot, iso__read_u32(body + offsetof(iso__plane_body, compound)),
                                iso__read_u32(body + offsetof(iso__plane_body, part)), true, marks);
    }
    for (uint32_t i = 0; i < snapshot->globals.joint_count && is_right; ++i) {
        const uint8_t *joint = snapshot->parts[ISO_SECTION_JOINTS] + i * sizeof(iso__plane_joint);
        is_right = check_member(snapshot, iso__read_u32(joint + offsetof(iso__plane_joint, compound)),
                                iso__read_u32(joint + offsetof(iso__plane_joint, part)), false, marks);
    }
    for (uint32_t i = 0; i < snapshot->globals.compound_count && is_right; ++i) {
        is_right =
            iso__bit_is_set(marks, i) == iso__generation_is_alive(iso__snapshot_compound_generation(snapshot, i));
    }
    return is_right;
}
