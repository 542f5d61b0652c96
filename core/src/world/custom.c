/// See custom.h.
#include "world/custom.h"

#include <string.h>

#include "base/assert.h"
#include "isostep/joint3.h"
#include "symbolic/program.h"
#include "world/kernel.h"

static_assert((uint32_t)ISO_JOINT_USER == ISO_JOINT3_USER && (uint32_t)ISO_JOINT_SYMBOLIC == ISO_JOINT3_SYMBOLIC,
              "a kind of joint has one number in the plane and in space");

iso__custom_source iso__custom_find(const iso_world *world, uint32_t kind, uint32_t constraint) {
    iso__custom_source source = {NULL, NULL};
    if (kind == ISO_JOINT_SYMBOLIC && constraint < world->globals->program_count) {
        source.program = &world->programs[constraint];
    } else if (kind == ISO_JOINT_USER && world->game != NULL && constraint < world->game->constraint_count) {
        const iso_constraint *found = &world->game->constraints[constraint];
        source.constraint = iso__constraint_is_for(found, world->kernel->dimensions) ? found : NULL;
    }
    return source;
}

iso__custom_shape iso__custom_shape_of(iso__custom_source source) {
    const iso_program *program = source.program;
    const iso_constraint *constraint = source.constraint;
    return program != NULL ? (iso__custom_shape){program->body_count, program->vector_count, program->scalar_count,
                                                 program->row_count}
                           : (iso__custom_shape){constraint->body_count, constraint->vector_count,
                                                 constraint->scalar_count, constraint->row_count};
}

bool iso__custom_row_is_linear(iso__custom_source source, uint32_t row) {
    return source.program != NULL
               ? (source.program->rows[ISO_PROGRAM_ROW_SIZE * row + ISO__ROW_FLAGS] & ISO_PROGRAM_LINEAR) != 0
               : ((uint32_t)source.constraint->angular_rows >> row & 1u) == 0;
}

bool iso__custom_row_is_velocity(iso__custom_source source, uint32_t row) {
    return source.constraint != NULL && ((uint32_t)source.constraint->velocity_rows >> row & 1u) != 0;
}

bool iso__constraint_is_for(const iso_constraint *constraint, uint32_t dimensions) {
    return dimensions == 3 ? constraint->rows3 != NULL : constraint->rows != NULL;
}

bool iso__custom_has_only(uint32_t dimensions, uint32_t vectors, uint32_t scalars, const iso_program_params *params) {
    iso_wide rest = 0;
    for (uint32_t i = 0; i < ISO_PROGRAM_VECTORS_MAX; ++i) {
        const iso_wide *flat = params->vectors[i], *deep = params->vectors3[i];
        rest |= i < vectors && dimensions != 3 ? 0 : flat[0] | flat[1];
        rest |= i < vectors && dimensions == 3 ? 0 : deep[0] | deep[1] | deep[2];
    }
    for (uint32_t i = scalars; i < ISO_PROGRAM_SCALARS_MAX; ++i) {
        rest |= params->scalars[i];
    }
    return rest == 0;
}

iso_status iso__custom_check_params(uint32_t dimensions, iso__custom_source source, const iso_program_params *params,
                                    uint32_t *wrong) {
    const iso__custom_shape shape = iso__custom_shape_of(source);
    if (!iso__custom_has_only(dimensions, shape.vector_count, shape.scalar_count, params)) {
        return ISO_ERR_RANGE;
    }
    if (source.program != NULL) {
        return iso_program_params_check(source.program, params, wrong);
    }
    return source.constraint->check != NULL ? source.constraint->check(params) : ISO_OK;
}

iso_program_params iso__custom_params(const iso__custom_joint *record) {
    iso_program_params params = {.vectors3 = {{0}}};
    memcpy(params.vectors, record->vectors, sizeof params.vectors);
    memcpy(params.scalars, record->scalars, sizeof params.scalars);
    return params;
}

void iso__custom_write_params(iso__custom_joint *record, const iso_program_params *params) {
    memcpy(record->vectors, params->vectors, sizeof record->vectors);
    memcpy(record->scalars, params->scalars, sizeof record->scalars);
}

iso__custom_bodies iso__custom_bodies_of(const iso__joint *joint, uint32_t count) {
    iso__custom_bodies bodies = {count, {joint->body_a, joint->body_b, joint->body_c, joint->body_d}};
    bodies.index[0] = count == 1 ? joint->body_b : joint->body_a;
    return bodies;
}

/// Whether a definition names as many bodies as its constraint has, and nothing beyond.
static bool custom_has_bodies(const iso_joint_def *def, uint32_t count) {
    const bool has[] = {def->body_a.generation != 0, def->body_c.generation != 0, def->body_d.generation != 0};
    return has[0] == (count > 1) && has[1] == (count > 2) && has[2] == (count > 3);
}

static uint32_t custom_free_record(const iso_world *world) {
    uint32_t i = 0;
    while (i < world->globals->custom_joint_count && world->custom_joints[i].kind != 0) {
        ++i;
    }
    return i < world->def.custom_joint_capacity ? i : UINT32_MAX;
}

iso_status iso__custom_check(const iso_world *world, const iso_joint_def *def) {
    const iso__custom_source source = iso__custom_find(world, def->kind, def->constraint);
    if (!iso__custom_is_there(source)) {
        return ISO_ERR_UNKNOWN_NAME;
    }
    if (!custom_has_bodies(def, iso__custom_shape_of(source).body_count)) {
        return ISO_ERR_WRONG_TYPE;
    }
    const iso_status status = iso__custom_check_params(2, source, &def->params, NULL);
    return status == ISO_OK && custom_free_record(world) == UINT32_MAX ? ISO_ERR_CAPACITY : status;
}

void iso__custom_create(iso_world *world, uint32_t joint, const iso_joint_def *def) {
    const uint32_t index = custom_free_record(world);
    iso__custom_joint *record = &world->custom_joints[index];
    if (index == world->globals->custom_joint_count) {
        world->globals->custom_joint_count += 1;
    }
    record->joint = joint;
    record->constraint = (uint16_t)def->constraint;
    record->kind = def->kind;
    iso__custom_write_params(record, &def->params);
    world->custom_of[joint] = index;
    iso__mark_section_dirty(world, ISO_SECTION_CUSTOM_JOINTS);
}

void iso__custom_copy(iso_world *world, const iso__joint *from, const iso__joint *to) {
    const iso__custom_joint *source = iso__custom_of(world, from);
    iso__custom_joint *record = iso__custom_of(world, to);
    ISO_ASSERT(source->kind == record->kind && source->constraint == record->constraint);
    const iso_constraint *constraint = iso__custom_find(world, record->kind, record->constraint).constraint;
    memcpy(record->state, source->state, sizeof record->state);
    if (constraint != NULL && constraint->copy != NULL) {
        const iso_program_params params = iso__custom_params(record);
        constraint->copy(&params, source->state, record->state);
    }
    iso__mark_dirty(world, ISO_SECTION_CUSTOM_JOINTS, world->custom_of[to - world->joints]);
}

void iso__custom_drop_impulses(iso_world *world, iso__joint *joint) {
    ISO_ASSERT(joint->kind != 0);
    for (uint32_t n = 0; n < 2 * ISO_CONSTRAINT_ROWS_MAX; ++n) {
        iso__custom_set_impulse(joint, iso__custom_of(world, joint), n, 0);
    }
    iso__mark_dirty(world, ISO_SECTION_CUSTOM_JOINTS, world->custom_of[joint - world->joints]);
}

void iso__custom_destroy(iso_world *world, uint32_t joint) {
    world->custom_joints[world->custom_of[joint]] = (iso__custom_joint){0};
    iso__mark_dirty(world, ISO_SECTION_CUSTOM_JOINTS, world->custom_of[joint]);
}

void iso__custom_rebuild_map(iso_world *world) {
    for (uint32_t i = 0; i < world->globals->custom_joint_count; ++i) {
        if (world->custom_joints[i].kind != 0) {
            world->custom_of[world->custom_joints[i].joint] = i;
        }
    }
}

iso_status iso_world_add_program(iso_world *world, const iso_program *program, uint32_t *index) {
    if (iso_program_dimensions(program) != world->kernel->dimensions) {
        return ISO_ERR_DIMENSION;
    }
    const iso_status status = iso_program_check(program);
    if (status != ISO_OK) {
        return status;
    }
    if (world->globals->program_count >= world->def.program_capacity) {
        return ISO_ERR_CAPACITY;
    }
    *index = world->globals->program_count++;
    world->programs[*index] = *program;
    iso__mark_dirty(world, ISO_SECTION_PROGRAMS, *index);
    iso__mark_section_dirty(world, ISO_SECTION_GLOBALS);
    return ISO_OK;
}

const iso_program *iso_world_get_program(const iso_world *world, uint32_t index) {
    return index < world->globals->program_count ? &world->programs[index] : NULL;
}
