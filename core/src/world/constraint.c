/// See constraint.h.
#include "world/constraint.h"

#include "isostep/joint.h"
#include "isostep/joint3.h"
#include "symbolic/program.h"
#include "world/kernel.h"

static_assert((uint32_t)ISO_JOINT_USER == ISO_JOINT3_USER && (uint32_t)ISO_JOINT_SYMBOLIC == ISO_JOINT3_SYMBOLIC,
              "a kind of joint has one number in the plane and in space");

/// Whether a game's constraint is one for worlds of these dimensions.
static bool constraint_is_for(const iso_constraint *constraint, uint32_t dimensions) {
    return dimensions == 3 ? constraint->rows3 != NULL : constraint->rows != NULL;
}

iso__custom_source iso__custom_find(const iso_world *world, uint32_t kind, uint32_t constraint) {
    iso__custom_source source = {NULL, NULL};
    if (kind == ISO_JOINT_SYMBOLIC && constraint < world->globals->program_count) {
        source.program = &world->programs[constraint];
    } else if (kind == ISO_JOINT_USER && world->game != NULL && constraint < world->game->constraint_count) {
        const iso_constraint *found = &world->game->constraints[constraint];
        source.constraint = constraint_is_for(found, world->kernel->dimensions) ? found : NULL;
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
