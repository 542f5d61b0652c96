/// Programs and the constraints of a game: what the rows of joints of the kinds USER and SYMBOLIC are made of.
#ifndef ISO_WORLD_CONSTRAINT_H
#define ISO_WORLD_CONSTRAINT_H

#include "isostep/constraint.h"
#include "world/world.h"

/// The source of the rows: one of the two, or neither.
typedef struct iso__custom_source {
    const iso_program *program;
    const iso_constraint *constraint;
} iso__custom_source;

/// How many of each a source has.
typedef struct iso__custom_shape {
    uint32_t body_count, vector_count, scalar_count, row_count;
} iso__custom_shape;

/// The source of this number for a joint of the kind SYMBOLIC, else USER, which have the same numbers in space; both
/// pointers NULL when there is none for this world's dimensions.
iso__custom_source iso__custom_find(const iso_world *world, uint32_t kind, uint32_t constraint);

static inline bool iso__custom_is_there(iso__custom_source source) {
    return source.program != NULL || source.constraint != NULL;
}

iso__custom_shape iso__custom_shape_of(iso__custom_source source);

/// Whether a row depends on a position; otherwise it depends only on rotations.
bool iso__custom_row_is_linear(iso__custom_source source, uint32_t row);

/// Whether a row constrains a velocity alone; one of a program never does.
bool iso__custom_row_is_velocity(iso__custom_source source, uint32_t row);

/// Whether parameters are zero but for so many vectors of the world's dimensions, and so many scalars.
bool iso__custom_has_only(uint32_t dimensions, uint32_t vectors, uint32_t scalars, const iso_program_params *params);

/// Whether a source accepts these parameters: within its limits, and 0 in those that it or these worlds do not have.
/// @param wrong  as iso_program_params_check
iso_status iso__custom_check_params(uint32_t dimensions, iso__custom_source source, const iso_program_params *params,
                                    uint32_t *wrong);

#endif
