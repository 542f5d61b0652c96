/// Joints in space whose rows are defined by programs (SYMBOLIC) or by functions of the game (USER).
#ifndef ISO_SPACE_JOINT_CUSTOM_H
#define ISO_SPACE_JOINT_CUSTOM_H

#include "isostep/constraint.h"
#include "solver/axis.h"
#include "space/joint/measure.h"
#include "space/joint/work.h"
#include "space/world/custom.h"

/// The part of one body in a row, with the signs of J.
typedef struct iso__space_custom_term {
    int64_t direction[3]; // of the velocity in dC/dt, Q31.32; 0 for an angle
    int64_t push[3];      // alpha times the direction, Q31.32: an impulse j changes the velocity by push j
    int64_t arm[3];       // dC/dt has arm . w, Q31.32
    int64_t gain[3];      // an impulse j changes w by gain j, of an angle omega; Q31.32
} iso__space_custom_term;

/// A row: what it is and does are those of an axis of the plane, whose terms are not used.
typedef struct iso__space_custom_row {
    iso__joint_axis axis;
    iso__space_custom_term terms[ISO_CONSTRAINT3_BODIES]; // of A and B
    int64_t arrived;                                      // C where the bodies are now: the next substep's
} iso__space_custom_row;

/// A joint of these kinds within a step.
typedef struct iso__space_custom_work {
    iso__custom_source source;
    uint8_t body_count; // 1: B alone
    uint8_t row_count;
    uint32_t cuts;                            // what was cut of the rows in this step
    int64_t start[ISO_CONSTRAINT3_BODIES][3]; // [m] Q31.32: centres of mass when the step began
    iso_program_params params;
    iso_wide state[ISO_CONSTRAINT_STATE_MAX];
    iso__space_custom_row rows[ISO_CONSTRAINT_ROWS_MAX];
} iso__space_custom_work;

/// Takes a joint's rows, parameters and impulses from its records, and its bodies' masses. @param custom  room for them
void iso__space_custom_begin(const iso__space *space, const iso__space_joint *joint, iso__space_joint_work *work,
                             iso__space_custom_work *custom);
/// See iso__space_joint_kind.
void iso__space_custom_arrive(iso__space_joint_work *work, const iso__space_drift *a, const iso__space_drift *b);

void iso__space_custom_warm_start(iso__space_scratch *scratch, iso__space_joint_work *work);
void iso__space_custom_solve(iso__space_scratch *scratch, iso__space_joint_work *work, bool is_relax);
/// Writes impulses into the joint's record, and the state that its `prepare` has changed. @return clamped impulses
uint64_t iso__space_custom_store(iso__space *space, const iso__space_joint_work *work);
/// Tells a constraint that its joint broke.
void iso__space_custom_broken(iso__space *space, uint32_t joint);

/// What a joint did and where it is. @param work  begun, and arrived where the bodies are
void iso__space_custom_measure(const iso__space *space, const iso__space_joint_work *work,
                               iso__space_joint_measure *measure);

/// Replaces a joint's parameters, which its constraint takes: rows that become of another kind begin without an
/// impulse.
void iso__space_custom_change_params(iso__space *space, uint32_t joint, const iso_program_params *params);

#endif
