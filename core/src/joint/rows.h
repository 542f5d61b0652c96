/// The rows that joints are made of, in velocity units, scalar and wide.
///
/// As in the contact rows, the impulse is stored as j = sigma lambda [m/s] with sigma = 1/mA + 1/mB, mass shares
/// aA = (1/mA)/sigma, and the spin w = omega L. With u = r/L the matrix of the point row is
///
///   K = 1 + tA [uAy^2, -uAx uAy; -uAx uAy, uAx^2] + tB [ same with uB ],   t = (L^2/(I sigma)) = gyration * share
///
/// which is dimensionless and at least the unit matrix, so it can always be inverted, whatever the mass ratio.
#ifndef ISO_JOINT_ROWS_H
#define ISO_JOINT_ROWS_H

#include "dynamics/step.h"
#include "math/wide128.h"

#define ISO__JOINT_IMPULSE_MAX (INT64_C(1) << 47) // [m/s] Q31.32: 2^15 m/s

/// A joint within a step: one two-dimensional point row between a point of A and a point of B.
struct iso__joint_work {
    uint32_t joint;          // index of the record
    uint32_t body_a, body_b; // A is def.body_capacity for the world
    int32_t local_a[2];      // [m] Q7.24, body frame, from the centre of mass
    int32_t local_b[2];
    int8_t exponent_a, exponent_b;
    bool is_soft;            // works with its softness in the relax pass, too
    int64_t share_a, share_b; // Q2.30
    int64_t turn_a, turn_b;   // t of A and of B, Q9.22
    int64_t start[2];         // [m] Q31.32: from A's centre (or the world's point) to B's when the step began
    int64_t error[2];         // [m] Q31.32: C in this substep
    int64_t arm_a[2], arm_b[2]; // u, Q31.32, in this substep
    int64_t impulse[2];       // j [m/s] Q31.32
    int64_t impulse_max;      // [m/s] Q31.32, INT64_MAX: unlimited
    iso__inverse2 inverse;    // of K
    iso__softness soft;
};

/// Checks a joint's definition without a world. @return ISO_OK; ISO_ERR_BAD_ENUM; ISO_ERR_RANGE.
iso_status iso__joint_def_check(const iso_joint_def *def);

/// sigma of two masses [kg] in [1/kg] Q31.32; a mass of 0 is infinite.
int64_t iso__joint_sigma(iso_wide mass_a, iso_wide mass_b);

/// Prepares the masses and softness that all kinds share. The kind has set bodies, anchors and start.
void iso__point_prepare(const iso_world *world, iso__joint_work *work);
/// Computes arms, error and the inverse of K from the bodies' places in this substep.
void iso__point_update(const iso__step_scratch *scratch, iso__joint_work *work);
void iso__point_warm_start(iso__step_scratch *scratch, const iso__joint_work *work);
void iso__point_solve(iso__step_scratch *scratch, iso__joint_work *work, bool is_relax);

/// One file per kind: sets bodies, anchors and start from the record.
void iso__revolute_prepare(const iso_world *world, const iso__joint *joint, iso__joint_work *work);
void iso__target_prepare(const iso_world *world, const iso__joint *joint, iso__joint_work *work);

/// The stages of step.c.
void iso__joints_prepare(iso_world *world);
void iso__joints_store(iso_world *world);

#endif
