/// Joints whose rows are defined by programs (SYMBOLIC) or by functions of the game (USER).
#ifndef ISO_PLANE_JOINT_CUSTOM_H
#define ISO_PLANE_JOINT_CUSTOM_H

#include "isostep/constraint.h"
#include "plane/joint/work.h"
#include "plane/world/custom.h"
#include "plane/world/scratch.h"
#include "solver/custom_bounds.h"

/// A custom joint within a step.
struct iso__plane_custom_work {
    iso__custom_source source;
    iso__plane_custom_bodies bodies;
    iso_constraint_body start[ISO_PROGRAM_BODIES_MAX]; // when the step began
    int8_t exponents[ISO_PROGRAM_BODIES_MAX];
    iso_program_params params;
    iso_wide state[ISO_CONSTRAINT_STATE_MAX];
    uint8_t row_of[ISO__PLANE_JOINT_AXES_MAX]; // by axis
    iso__plane_axis axes[ISO__PLANE_JOINT_AXES_MAX];
};

/// Stores the state that a joint's prepare has changed, and the impulses that its own record has.
void iso__plane_custom_store(iso__plane *plane, const iso__plane_joint_work *work);
void iso__plane_custom_broken(iso__plane *plane, const iso__plane_joint *joint);
/// Replaces a joint's parameters, which its constraint takes: rows that become of another kind begin without an
/// impulse.
void iso__plane_custom_change_params(iso__plane *plane, iso__plane_joint *joint, const iso_program_params *params);

/// The functions of both kinds.
void iso__plane_custom_prepare(const iso__plane *plane, const iso__plane_joint *joint, iso__plane_joint_work *work);
void iso__plane_custom_update(const iso__plane_step_scratch *scratch, iso__plane_joint_work *work);
void iso__plane_custom_measure(const iso__plane *plane, const iso__plane_joint *joint,
                               iso__plane_joint_measure *measure);
/// As it is on this body, instead of on B.
void iso__plane_custom_measure_on(const iso__plane *plane, const iso__plane_joint *joint, uint32_t body,
                                  iso__plane_joint_measure *measure);

#endif
