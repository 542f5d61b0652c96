/// User constraints: the rows of a joint as C functions that come with a game.
///
/// A game lists its constraints (iso_game.constraints); a joint of the kind USER names one by its index, a scene by its
/// name. The functions say where the bodies may be; what follows from that (velocity error, effective mass, impulses,
/// softness, largest force, breaking) is the solver's, the same as for every other kind. They are pure: the result is
/// a function of the arguments alone, without floating point, and no argument may be kept. What a constraint has to
/// remember is its `state`, which is saved, hashed, compared and sent with the world.
///
/// Of the Nape document's UserConstraint: __validate is `check`, __prepare is `prepare`, __position is `error` of `rows`;
/// __velocity, __eff_mass and __impulse all follow from `jacobian` of `rows` as V = J v, K = J M^-1 J^T, p = J^T lambda, so
/// that they cannot disagree; __clamp is `bounds` (which side a row may push to) and `strength` (how much); __broken is
/// `broken`. Drawing and copying are the library's. Two examples: core/games/sandbox_constraints.c.
///
/// They are called by the thread that steps the world or measures a joint, for several worlds by several threads at once, and
/// know no world: nothing of world.h may be called from them.
#ifndef ISOSTEP_CONSTRAINT_H
#define ISOSTEP_CONSTRAINT_H

#include "isostep/program.h"

#ifdef __cplusplus
extern "C" {
#endif

#define ISO_CONSTRAINT_ROWS_MAX  3 // of a joint, USER or SYMBOLIC
#define ISO_CONSTRAINT_STATE_MAX 4

/// A body as a constraint sees it.
typedef struct iso_constraint_body {
    iso_wide position[2];  // [m] its centre of mass
    iso_wide angle;        // [rad] unwrapped
    iso_rotation rotation; // of this angle
} iso_constraint_body;

/// C and J at one state. J[row][body]: by x and y [1], or [1/m] for an angle, and by rotation [per rad]. What is beyond
/// 2^18 counts as that much.
typedef struct iso_constraint_rows {
    iso_wide error[ISO_CONSTRAINT_ROWS_MAX]; // [m] or [rad]
    iso_wide jacobian[ISO_CONSTRAINT_ROWS_MAX][ISO_PROGRAM_BODIES_MAX][3];
} iso_constraint_rows;

typedef struct iso_constraint {
    const char *name;     // [a-zA-Z0-9_-], at most 31 characters
    uint8_t body_count;   // 1 to 4: A to D; of one body it is B
    uint8_t vector_count; // to 8: how many parameters it has
    uint8_t scalar_count; // to 8
    uint8_t row_count;    // 1 to 3
    uint8_t angular_rows; // a bit per row whose J has rotations alone: torque_max holds for it, else force_max
    const char *const *vector_names; // vector_count of them, for scenes; [a-zA-Z0-9_]
    const char *const *scalar_names;

    /// Whether parameters may be set. NULL: all may.
    iso_status (*check)(const iso_program_params *params);
    /// Once a tick for a joint that works in it, before all else. May be NULL.
    void (*prepare)(const iso_constraint_body *bodies, const iso_program_params *params, iso_wide *state);
    /// Once a tick: each row is kept from low to high, and held there when they are equal. ISO_WIDE_MIN and ISO_WIDE_MAX
    /// leave a side open. NULL: all are held at 0.
    void (*bounds)(const iso_program_params *params, const iso_wide *state, iso_wide *low, iso_wide *high);
    /// Once a substep.
    void (*rows)(const iso_constraint_body *bodies, const iso_program_params *params, const iso_wide *state,
                 iso_constraint_rows *rows);
    /// Once a tick: the most that each row applies [N] or [N m], 0 for unlimited. It comes with the joint's force_max or
    /// torque_max in it. May be NULL.
    void (*strength)(const iso_program_params *params, const iso_wide *state, iso_wide *most);
    /// The joint broke; it is disabled or destroyed next. May be NULL.
    void (*broken)(const iso_program_params *params, iso_wide *state);
} iso_constraint;

#ifdef __cplusplus
}
#endif

#endif
