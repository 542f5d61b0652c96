/// User constraints: the rows of a joint as C functions that come with a game.
///
/// A game lists its constraints (iso_game.constraints); a joint of the kind USER names one by its index, a scene by its
/// name. The functions define the allowed positions or velocities of the bodies. The solver does the rest (velocity
/// error, effective mass, impulses, softness, largest force, breaking) as for every other kind. The functions must be
/// pure: the result depends only on the arguments, without floating point, and no pointer may be kept. Data that a
/// constraint has to keep belongs in its `state`, which is saved, hashed, compared and sent with the world.
///
/// Correspondence to UserConstraint of the Nape document: __validate is `check`, __prepare is `prepare`, __position is
/// `error` of `rows`, its flag of velocity-only constraints is `velocity_rows`, a bit a row; __velocity, __eff_mass and
/// __impulse all follow from `jacobian` of `rows` as V = J v, K = J M^-1 J^T, p = J^T lambda, so that they cannot
/// disagree; __clamp is `bounds` (in which direction a row may act) and `strength` (how strongly); __broken is
/// `broken`, __draw is `draw`, __copy is `copy`. Two examples: core/games/sandbox_constraints.c.
///
/// They are called by the thread that steps the world or measures, draws or copies a joint; several threads may call
/// them at once, for different worlds or to read one. They have no world: they may not call any function of world.h.
#ifndef ISOSTEP_CONSTRAINT_H
#define ISOSTEP_CONSTRAINT_H

#include "isostep/program.h"

struct iso_draw;

#ifdef __cplusplus
extern "C" {
#endif

#define ISO_CONSTRAINT_ROWS_MAX  6 // of a joint, USER or SYMBOLIC
#define ISO_CONSTRAINT_STATE_MAX 4
#define ISO_CONSTRAINT3_BODIES   2 // of a joint in space

/// A body as a constraint sees it.
typedef struct iso_constraint_body {
    iso_wide position[2];  // [m] its centre of mass
    iso_wide angle;        // [rad] unwrapped
    iso_rotation rotation; // of this angle
} iso_constraint_body;

/// C and J at one state. J[row][body]: by x and y [1], or [1/m] for an angle, and by rotation [per rad]. Values are
/// clamped to ±2^18. A row whose gradient is below about 2^-10 for all bodies that can move (K < 2^-20) rests in this
/// substep; both are counted (iso_world_counts, clamped_rows). Of a row of velocity_rows `error` is its e: V = J v + e.
typedef struct iso_constraint_rows {
    iso_wide error[ISO_CONSTRAINT_ROWS_MAX]; // [m] or [rad]; of velocity_rows [m/s] or [rad/s]
    iso_wide jacobian[ISO_CONSTRAINT_ROWS_MAX][ISO_PROGRAM_BODIES_MAX][3];
} iso_constraint_rows;

/// A body in space as a constraint sees it.
typedef struct iso_constraint3_body {
    iso_wide position[3]; // [m] its centre of mass
    int32_t axes[3][3];   // Q2.30 where the x, y and z axis of the body's frame are in the world
} iso_constraint3_body;

/// C and J of a joint in space, as iso_constraint_rows. J[row][body]: by x, y, z [1], or [1/m] for an angle, then by a
/// turning about the axes x, y, z of the world [per rad]: V = J (v, omega).
typedef struct iso_constraint3_rows {
    iso_wide error[ISO_CONSTRAINT_ROWS_MAX];
    iso_wide jacobian[ISO_CONSTRAINT_ROWS_MAX][ISO_CONSTRAINT3_BODIES][6];
} iso_constraint3_rows;

/// A constraint is for worlds in the plane (`rows`), for worlds in space (`rows3`), or for both; the game must be for
/// one of them (iso_game.dimensions). iso_game_check checks counts, names and functions.
typedef struct iso_constraint {
    const char *name;     // [a-zA-Z0-9_-], 1 to 31 characters, unique in the game
    uint8_t body_count;   // 1 to 4: A to D, body1 to body4 in scenes; a single body is B, and body1. In space 1 or 2
    uint8_t vector_count; // 0 to 8 parameters that are vectors: of iso_program_params in space `vectors3`
    uint8_t scalar_count; // 0 to 8 parameters that are scalars
    uint8_t row_count;    // 1 to 6
    uint8_t angular_rows; // a bit for each row whose J has only rotations: torque_max limits it, not force_max
    /// A bit for each row that constrains a velocity alone, V = J v + e with e from `rows`: `bounds` are those of V, in
    /// m/s or rad/s, and no position is corrected. Such a row is rigid (the joint's hertz and correction_max do not
    /// concern it) and counts in no separation or angle error. It drives its bodies as a motor does: they do not fall
    /// asleep while it demands a speed other than 0.
    uint8_t velocity_rows;
    /// For scenes, vector_count of them: [a-zA-Z0-9_], 1 to 31 characters, unique; may be NULL when there are none.
    const char *const *vector_names;
    const char *const *scalar_names; // likewise, scalar_count of them

    /// Whether these parameters are allowed. NULL: all are, of any 64 bits: in a session they come from members'
    /// commands.
    iso_status (*check)(const iso_program_params *params);
    /// Called once a tick for a joint that is solved in it, before the other functions. May be NULL.
    void (*prepare)(const iso_constraint_body *bodies, const iso_program_params *params, iso_wide *state);
    /// Called once a tick. Each row's C (or V) is kept between low and high, and held there when they are equal.
    /// ISO_WIDE_MIN and ISO_WIDE_MAX mean no bound. NULL: all are held at 0.
    void (*bounds)(const iso_program_params *params, const iso_wide *state, iso_wide *low, iso_wide *high);
    /// Called once a substep. *rows is all zero at first: only what is not 0 has to be written. NULL: it is not for the
    /// plane.
    void (*rows)(const iso_constraint_body *bodies, const iso_program_params *params, const iso_wide *state,
                 iso_constraint_rows *rows);
    /// Called once a tick: the maximum that each row applies [N] or [N m], 0 for unlimited. It is initialised with the
    /// joint's force_max or torque_max. May be NULL.
    void (*strength)(const iso_program_params *params, const iso_wide *state, iso_wide *most);
    /// The joint broke; it is disabled or destroyed afterwards. May be NULL.
    void (*broken)(const iso_program_params *params, iso_wide *state);
    /// Draws a joint instead of its bodies and the lines between them: adds items with iso_draw_add (draw.h), at most
    /// ISO_DRAW_ITEMS_MAX. They belong to the joint. `bodies` are where they are shown. NULL: bodies and lines.
    void (*draw)(const iso_constraint_body *bodies, const iso_program_params *params, const iso_wide *state,
                 struct iso_draw *draw);
    /// The state of a copy of a joint (iso_joint_copy). `copy` is initialised with `state`. NULL: that is all.
    void (*copy)(const iso_program_params *params, const iso_wide *state, iso_wide *copy);
    /// `prepare` and `rows` in space. Their other functions serve both; `draw` and `copy` are of the plane alone.
    void (*prepare3)(const iso_constraint3_body *bodies, const iso_program_params *params, iso_wide *state);
    void (*rows3)(const iso_constraint3_body *bodies, const iso_program_params *params, const iso_wide *state,
                  iso_constraint3_rows *rows);
} iso_constraint;

#ifdef __cplusplus
}
#endif

#endif
