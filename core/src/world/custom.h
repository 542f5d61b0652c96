/// Data of joints of the kinds USER and SYMBOLIC besides their record: a constraint of the game or a program, and its
/// parameters. joint/custom.c solves them.
#ifndef ISO_WORLD_CUSTOM_H
#define ISO_WORLD_CUSTOM_H

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

/// A joint's bodies, in the order of the source's declaration: A to D, or B alone.
typedef struct iso__custom_bodies {
    uint32_t count;
    uint32_t index[ISO_PROGRAM_BODIES_MAX];
} iso__custom_bodies;

/// The source of this number for a joint of the kind SYMBOLIC, else USER, which have the same numbers in space; both pointers
/// NULL when there is none for this world's dimensions.
iso__custom_source iso__custom_find(const iso_world *world, uint32_t kind, uint32_t constraint);
/// Whether a game's constraint is one for worlds of these dimensions.
bool iso__constraint_is_for(const iso_constraint *constraint, uint32_t dimensions);
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

iso_program_params iso__custom_params(const iso__custom_joint *record);
void iso__custom_write_params(iso__custom_joint *record, const iso_program_params *params);
/// The bodies of a joint whose source has `count`.
iso__custom_bodies iso__custom_bodies_of(const iso__joint *joint, uint32_t count);
/// The record of a joint of these kinds.
static inline iso__custom_joint *iso__custom_of(const iso_world *world, const iso__joint *joint) {
    return &world->custom_joints[world->custom_of[joint - world->joints]];
}

/// The n-th impulse of a joint of these kinds, two per row: the first are in the joint's record, the others in its own.
static inline int64_t iso__custom_impulse(const iso__joint *joint, const iso__custom_joint *record, uint32_t n) {
    return n < ISO__JOINT_IMPULSES ? joint->impulse[n] : record->impulse[n - ISO__JOINT_IMPULSES];
}

static inline void iso__custom_set_impulse(iso__joint *joint, iso__custom_joint *record, uint32_t n, int64_t impulse) {
    int64_t *at = n < ISO__JOINT_IMPULSES ? &joint->impulse[n] : &record->impulse[n - ISO__JOINT_IMPULSES];
    *at = impulse;
}

/// Whether a joint of this definition could be created, apart from its bodies' handles.
/// @return ISO_OK; ISO_ERR_UNKNOWN_NAME; ISO_ERR_WRONG_TYPE (bodies); ISO_ERR_RANGE (parameters); ISO_ERR_CAPACITY
iso_status iso__custom_check(const iso_world *world, const iso_joint_def *def);
/// Takes the lowest free record for a joint; iso__custom_check has found one.
void iso__custom_create(iso_world *world, uint32_t joint, const iso_joint_def *def);
/// Gives a new joint the state of another one of the same constraint, as its `copy` makes it.
void iso__custom_copy(iso_world *world, const iso__joint *from, const iso__joint *to);
/// Takes the impulses of all rows of a joint of these kinds.
void iso__custom_drop_impulses(iso_world *world, iso__joint *joint);
void iso__custom_destroy(iso_world *world, uint32_t joint);
/// Rebuilds the map from joints to their records.
void iso__custom_rebuild_map(iso_world *world);

#endif
