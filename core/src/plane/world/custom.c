/// See custom.h.
#include "plane/world/custom.h"

#include <string.h>

#include "base/assert.h"
#include "isostep/joint3.h"
#include "symbolic/program.h"
#include "world/kernel.h"

iso_program_params iso__plane_custom_params(const iso__plane_custom_joint *record) {
    iso_program_params params = {.vectors3 = {{0}}};
    memcpy(params.vectors, record->vectors, sizeof params.vectors);
    memcpy(params.scalars, record->scalars, sizeof params.scalars);
    return params;
}

void iso__plane_custom_write_params(iso__plane_custom_joint *record, const iso_program_params *params) {
    memcpy(record->vectors, params->vectors, sizeof record->vectors);
    memcpy(record->scalars, params->scalars, sizeof record->scalars);
}

iso__plane_custom_bodies iso__plane_custom_bodies_of(const iso__plane_joint *joint, uint32_t count) {
    iso__plane_custom_bodies bodies = {count, {joint->body_a, joint->body_b, joint->body_c, joint->body_d}};
    bodies.index[0] = count == 1 ? joint->body_b : joint->body_a;
    return bodies;
}

/// Whether a definition names as many bodies as its constraint has, and nothing beyond.
static bool custom_has_bodies(const iso_joint_def *def, uint32_t count) {
    const bool has[] = {def->body_a.generation != 0, def->body_c.generation != 0, def->body_d.generation != 0};
    return has[0] == (count > 1) && has[1] == (count > 2) && has[2] == (count > 3);
}

static uint32_t custom_free_record(const iso__plane *plane) {
    uint32_t i = 0;
    while (i < plane->world.globals->custom_joint_count && plane->custom_joints[i].kind != 0) {
        ++i;
    }
    return i < plane->world.def.custom_joint_capacity ? i : UINT32_MAX;
}

iso_status iso__plane_custom_check(const iso__plane *plane, const iso_joint_def *def) {
    const iso__custom_source source = iso__custom_find(&plane->world, def->kind, def->constraint);
    if (!iso__custom_is_there(source)) {
        return ISO_ERR_UNKNOWN_NAME;
    }
    if (!custom_has_bodies(def, iso__custom_shape_of(source).body_count)) {
        return ISO_ERR_WRONG_TYPE;
    }
    const iso_status status = iso__custom_check_params(2, source, &def->params, NULL);
    return status == ISO_OK && custom_free_record(plane) == UINT32_MAX ? ISO_ERR_CAPACITY : status;
}

void iso__plane_custom_create(iso__plane *plane, uint32_t joint, const iso_joint_def *def) {
    const uint32_t index = custom_free_record(plane);
    iso__plane_custom_joint *record = &plane->custom_joints[index];
    if (index == plane->world.globals->custom_joint_count) {
        plane->world.globals->custom_joint_count += 1;
    }
    record->joint = joint;
    record->constraint = (uint16_t)def->constraint;
    record->kind = def->kind;
    iso__plane_custom_write_params(record, &def->params);
    plane->world.custom_of[joint] = index;
    iso__mark_section_dirty(&plane->world, ISO_SECTION_CUSTOM_JOINTS);
}

void iso__plane_custom_copy(iso__plane *plane, const iso__plane_joint *from, const iso__plane_joint *to) {
    const iso__plane_custom_joint *source = iso__plane_custom_of(plane, from);
    iso__plane_custom_joint *record = iso__plane_custom_of(plane, to);
    ISO_ASSERT(source->kind == record->kind && source->constraint == record->constraint);
    const iso_constraint *constraint = iso__plane_custom_source(plane, record).constraint;
    memcpy(record->state, source->state, sizeof record->state);
    if (constraint != NULL && constraint->copy != NULL) {
        const iso_program_params params = iso__plane_custom_params(record);
        constraint->copy(&params, source->state, record->state);
    }
    iso__mark_dirty(&plane->world, ISO_SECTION_CUSTOM_JOINTS, plane->world.custom_of[to - plane->joints]);
}

void iso__plane_custom_drop_impulses(iso__plane *plane, iso__plane_joint *joint) {
    ISO_ASSERT(joint->kind != 0);
    for (uint32_t n = 0; n < 2 * ISO_CONSTRAINT_ROWS_MAX; ++n) {
        iso__plane_custom_set_impulse(joint, iso__plane_custom_of(plane, joint), n, 0);
    }
    iso__mark_dirty(&plane->world, ISO_SECTION_CUSTOM_JOINTS, plane->world.custom_of[joint - plane->joints]);
}

void iso__plane_custom_destroy(iso__plane *plane, uint32_t joint) {
    plane->custom_joints[plane->world.custom_of[joint]] = (iso__plane_custom_joint){0};
    iso__mark_dirty(&plane->world, ISO_SECTION_CUSTOM_JOINTS, plane->world.custom_of[joint]);
}

void iso__plane_custom_rebuild_map(iso__plane *plane) {
    for (uint32_t i = 0; i < plane->world.globals->custom_joint_count; ++i) {
        if (plane->custom_joints[i].kind != 0) {
            plane->world.custom_of[plane->custom_joints[i].joint] = i;
        }
    }
}
