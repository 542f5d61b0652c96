/// See custom.h.
#include "space/world/custom.h"

#include <string.h>

#include "base/assert.h"

iso__custom_source iso__space_custom_source(const iso__space *space, uint32_t joint) {
    const iso__space_custom_joint *record = iso__space_custom_of(space, joint);
    ISO_ASSERT(record->joint == joint);
    return iso__custom_find(&space->world, record->kind, record->constraint);
}

iso_program_params iso__space_custom_params(const iso__space_custom_joint *record) {
    iso_program_params params = {.vectors = {{0}}};
    memcpy(params.vectors3, record->vectors, sizeof params.vectors3);
    memcpy(params.scalars, record->scalars, sizeof params.scalars);
    return params;
}

void iso__space_custom_write_params(iso__space_custom_joint *record, const iso_program_params *params) {
    memcpy(record->vectors, params->vectors3, sizeof record->vectors);
    memcpy(record->scalars, params->scalars, sizeof record->scalars);
}

static uint32_t custom_free_record(const iso__space *space) {
    uint32_t i = 0;
    while (i < space->world.globals->custom_joint_count && space->custom_joints[i].kind != 0) {
        ++i;
    }
    return i < space->world.def.custom_joint_capacity ? i : UINT32_MAX;
}

iso_status iso__space_custom_check(const iso_world *world, const iso_joint3_def *def) {
    const iso__custom_source source = iso__custom_find(world, def->kind, def->constraint);
    if (!iso__custom_is_there(source)) {
        return ISO_ERR_UNKNOWN_NAME;
    }
    const bool has_a = def->body_a.generation != 0;
    if (has_a != (iso__custom_shape_of(source).body_count > 1)) {
        return ISO_ERR_WRONG_TYPE;
    }
    const iso_status status = iso__custom_check_params(3, source, &def->params, NULL);
    const bool is_full = custom_free_record(iso__space_of_const(world)) == UINT32_MAX;
    return status == ISO_OK && is_full ? ISO_ERR_CAPACITY : status;
}

void iso__space_custom_create(iso__space *space, uint32_t joint, const iso_joint3_def *def) {
    iso_world *world = &space->world;
    const uint32_t index = custom_free_record(space);
    ISO_ASSERT(index != UINT32_MAX);
    iso__space_custom_joint *record = &space->custom_joints[index];
    if (index == world->globals->custom_joint_count) {
        world->globals->custom_joint_count += 1;
    }
    *record = (iso__space_custom_joint){.joint = joint, .constraint = (uint16_t)def->constraint, .kind = def->kind};
    iso__space_custom_write_params(record, &def->params);
    world->custom_of[joint] = index;
    iso__mark_section_dirty(world, ISO_SECTION_CUSTOM_JOINTS);
}

void iso__space_custom_destroy(iso__space *space, uint32_t joint) {
    *iso__space_custom_of(space, joint) = (iso__space_custom_joint){0};
    iso__mark_dirty(&space->world, ISO_SECTION_CUSTOM_JOINTS, space->world.custom_of[joint]);
}

void iso__space_custom_rebuild_map(iso__space *space) {
    for (uint32_t i = 0; i < space->world.globals->custom_joint_count; ++i) {
        if (space->custom_joints[i].kind != 0) {
            space->world.custom_of[space->custom_joints[i].joint] = i;
        }
    }
}
