/// Joints whose rows the core does not know: programs (SYMBOLIC) and functions of the game (USER). custom.c
#ifndef ISO_JOINT_CUSTOM_H
#define ISO_JOINT_CUSTOM_H

#include "isostep/constraint.h"
#include "joint/rows.h"

/// What says where the bodies may be: one of the two, or neither.
typedef struct iso__custom_source {
    const iso_program *program;
    const iso_constraint *constraint;
} iso__custom_source;

/// How many of each a source has.
typedef struct iso__custom_shape {
    uint32_t body_count, vector_count, scalar_count, row_count;
} iso__custom_shape;

/// What each row keeps: a bit of iso__axis_row per row of an axis (a hold, or limits, or nothing), and its bounds.
typedef struct iso__custom_bounds {
    uint32_t rows[ISO_CONSTRAINT_ROWS_MAX];
    bool is_linear[ISO_CONSTRAINT_ROWS_MAX];
    iso_wide low[ISO_CONSTRAINT_ROWS_MAX], high[ISO_CONSTRAINT_ROWS_MAX];
} iso__custom_bounds;

/// A joint's bodies, in the order of the source's declaration: A to D, or B alone.
typedef struct iso__custom_bodies {
    uint32_t count;
    uint32_t index[ISO_PROGRAM_BODIES_MAX];
} iso__custom_bodies;

/// A custom joint within a step.
struct iso__custom_work {
    iso__custom_source source;
    iso__custom_bodies bodies;
    iso_constraint_body start[ISO_PROGRAM_BODIES_MAX]; // when the step began
    int8_t exponents[ISO_PROGRAM_BODIES_MAX];
    iso_program_params params;
    iso_wide state[ISO_CONSTRAINT_STATE_MAX];
    uint8_t row_of[ISO__JOINT_AXES]; // by axis
};

static inline bool iso__joint_is_custom(uint8_t kind) {
    return (iso_joint_kind_has(kind) & ISO_JOINT_IS_CUSTOM) != 0;
}

/// The source of this number; both pointers NULL when there is none.
iso__custom_source iso__custom_find(const iso_world *world, uint32_t kind, uint32_t constraint);
static inline bool iso__custom_is_there(iso__custom_source source) {
    return source.program != NULL || source.constraint != NULL;
}
/// Whether a game's constraints have counts within their bounds, and rows.
bool iso__custom_fits(const iso_game *game);
iso__custom_shape iso__custom_shape_of(iso__custom_source source);

/// Whether a source takes these parameters: limits, and 0 in those that it does not have.
/// @param wrong  as iso_program_params_check
iso_status iso__custom_check_params(iso__custom_source source, const iso_program_params *params, uint32_t *wrong);
iso__custom_bounds iso__custom_bounds_of(iso__custom_source source, const iso_program_params *params, const iso_wide *state);

iso_program_params iso__custom_params(const iso__custom_joint *record);
/// The bodies of a joint whose source has `count`.
iso__custom_bodies iso__custom_bodies_of(const iso__joint *joint, uint32_t count);
/// The record of a joint of these kinds.
static inline iso__custom_joint *iso__custom_of(const iso_world *world, const iso__joint *joint) {
    return &world->custom_joints[world->custom_of[joint - world->joints]];
}

/// Whether a joint of this definition could be made, but for its bodies' handles.
/// @return ISO_OK; ISO_ERR_UNKNOWN_NAME; ISO_ERR_WRONG_TYPE (bodies); ISO_ERR_RANGE (parameters); ISO_ERR_CAPACITY
iso_status iso__custom_check(const iso_world *world, const iso_joint_def *def);
/// Takes the lowest free record for a joint; iso__custom_check has found one.
void iso__custom_create(iso_world *world, uint32_t joint, const iso_joint_def *def);
/// Brings a joint's impulses to other masses of its bodies, from its reduced mass and inertia before.
void iso__custom_rescale(const iso_world *world, iso__joint *joint, iso_wide mass, iso_wide inertia);
void iso__custom_destroy(iso_world *world, uint32_t joint);
/// Finds the records of the joints anew.
void iso__custom_rebuild_map(iso_world *world);

/// Keeps the state that a joint's prepare has changed.
void iso__custom_store(iso_world *world, const iso__joint_work *work);
void iso__custom_broken(iso_world *world, const iso__joint *joint);

/// The functions of both kinds.
void iso__custom_prepare(const iso_world *world, const iso__joint *joint, iso__joint_work *work);
void iso__custom_update(const iso__step_scratch *scratch, iso__joint_work *work);
void iso__custom_measure(const iso_world *world, const iso__joint *joint, iso__joint_measure *measure);

#endif
