/// The rows that joints are made of, in velocity units, scalar and wide.
///
/// A joint has a point row (point.c), an axis (axis.c), or both. A kind is one file: it sets up their bodies and
/// numbers (`prepare`, once a tick), computes directions and errors (`update`, once a substep) and measures the result
/// (`measure`). Everything else is shared.
///
/// As in the contact rows, the impulse is stored as j = sigma lambda with sigma = J M^-1 J^T taken without the arms'
/// part, so that mass enters by shares alone and a ratio of 1:10000 keeps its relative precision.
#ifndef ISO_PLANE_JOINT_WORK_H
#define ISO_PLANE_JOINT_WORK_H

#include "math/fixed_ops.h"
#include "math/wide128.h"
#include "plane/world/scratch.h"
#include "solver/axis.h"
#include "solver/softness.h"

// ---- the point row: a point of B on a point of A -------------------------------------------------

/// With sigma = 1/mA + 1/mB, mass shares aA = (1/mA)/sigma, the spin w = omega L and u = r/L its matrix is
///
///   K = 1 + tA [uAy^2, -uAx uAy; -uAx uAy, uAx^2] + tB [ same with uB ],   t = (L^2/(I sigma)) = gyration * share
///
/// which is dimensionless and at least the unit matrix, so it can always be inverted, whatever the mass ratio.
struct iso__plane_point_row {
    int32_t share_a, share_b; // Q2.30
    int32_t turn_a, turn_b;   // t of A and of B, Q9.22
    uint32_t body_a, body_b;
    bool is_short;              // no component of an arm is above 1, in this substep
    int64_t arm_a[2], arm_b[2]; // u, Q31.32, in this substep
    int64_t error[2];           // [m] Q31.32: C in this substep
    iso__inverse2 inverse;      // of K
    int64_t impulse[2];         // j [m/s] Q31.32
};

/// The point row of a plain joint, in narrower formats; plain.c.
struct iso__plane_plain_row {
    int32_t arm_a[2], arm_b[2]; // u, Q3.28, where the bodies are
    int32_t inverse[3];         // of K: 11, 12 and 22, Q2.29
    int32_t unused;
    int32_t share_a, share_b; // Q2.30
    int32_t turn_a, turn_b;   // Q9.22
    int64_t error[2];         // [m] Q31.32: C where the bodies are
    int64_t impulse[2];       // j [m/s] Q31.32
    uint32_t body_a, body_b;
    uint32_t moves_a, moves_b; // 1: the solver moves the body
};

/// A hinge: a point row and an axis on the angle; hinge.c. All numbers are those of the rows of point.c and axis.c.
struct iso__plane_hinge_row {
    iso__plane_point_row point;
    int64_t impulse[4];                     // of the axis: hold, motor, lower, upper
    int64_t position, arrived;              // x in this substep, and where the bodies are now: the next one's
    int64_t start;                          // x when the step began
    int64_t rest, lower, upper, speed;      // [rad], [rad/s] Q31.32
    int64_t hold_max, motor_max, limit_max; // of |j|
    iso__softness soft, spring;             // of the hold, and before spring_sum.c took of it
    int64_t gain_a, gain_b;                 // g, A's negative, Q25.38
    int32_t scale_a, scale_b;               // from spins to rad/s: 2^13 / L
    int8_t exponent_a, exponent_b;
    uint8_t rows; // a bit per row that is present
};

// ---- axes ----------------------------------------------------------------------------------------

/// The part of one body in an axis, with the signs of J.
typedef struct iso__plane_axis_term {
    uint32_t body;
    int64_t share;        // of a length: (1/m)/sigma, Q2.30
    int64_t turn;         // of a length: t as in the point row, Q9.22
    int64_t direction[2]; // of the velocity in dx/dt, Q31.32; 0 for an angle
    int64_t push[2];      // (1/m)/sigma times the direction, Q31.32: an impulse j changes the velocity by push j
    int64_t arm;          // p: dx/dt has w p. u x d for a length, 1/L for an angle; Q31.32
    int64_t gain;         // g: an impulse j changes w by g j; Q25.38
} iso__plane_axis_term;

#define ISO__PLANE_AXIS_TERMS 4

/// An axis of up to four bodies; axis.c.
struct iso__plane_axis {
    iso__joint_axis base;
    iso__plane_axis_term terms[ISO__PLANE_AXIS_TERMS];
    uint8_t term_count;
    uint8_t slots[ISO__AXIS_ROWS]; // which of the record's impulses each row's is
    int64_t start;                 // of an angle: x when the step began
    int64_t ratio;                 // of an angle: x = ratio phiB - phiA, Q31.32
};

// ---- joints --------------------------------------------------------------------------------------

/// A point row with the values that only few joints have.
typedef struct iso__plane_joint_point {
    iso__plane_point_row row;
    iso__softness soft;
    bool is_soft;        // works with its softness in the relax pass, too
    int64_t impulse_max; // [m/s] Q31.32, INT64_MAX: unlimited
    int64_t error_max;   // [m] Q31.32: no more of |C| is corrected at once, INT64_MAX: unlimited
} iso__plane_joint_point;

/// The two bodies of a row and their anchors.
struct iso__plane_joint_pair {
    uint32_t body_a, body_b; // A is def.body_capacity for the world
    int32_t local_a[2];      // [m] Q7.24, body frame: the anchors from the centres of mass
    int32_t local_b[2];
    int8_t exponent_a, exponent_b;
    int64_t start[2]; // [m] Q31.32: from A's centre (or the world's point) to B's when the step began
};

// ---- the axis: one scalar x of the two bodies ----------------------------------------------------

// ---- a joint within a step -----------------------------------------------------------------------

#define ISO__PLANE_JOINT_AXES     3 // at most of one joint of a native kind
#define ISO__PLANE_JOINT_AXES_MAX 6 // of any kind: those of a custom joint are apart

/// The second pair of bodies of a joint of four.
typedef struct iso__plane_joint_rope {
    int8_t exponent_c, exponent_d;
    int32_t local_c[2], local_d[2]; // [m] Q7.24, body frame: the anchors from the centres of mass
    int32_t direction[2];           // Q2.30: the last one from C's anchor to D's
    int64_t start[2];               // [m] Q31.32: from C's centre to D's when the step began
} iso__plane_joint_rope;

struct iso__plane_joint_work {
    uint32_t joint;          // index of the record
    uint32_t body_a, body_b; // A is def.body_capacity for the world
    uint32_t body_c, body_d; // of a joint of four bodies, else def.body_capacity
    uint8_t kind;
    uint8_t axis_count;
    bool has_point;
    bool is_moved; // WELD: its bodies are held at another point than the anchors
    int8_t exponent_a, exponent_b;
    int32_t local_a[2]; // [m] Q7.24, body frame: the anchors from the centres of mass
    int32_t local_b[2];
    int32_t direction[2]; // Q2.30: of a length, the last one; of a kind with an axis, the axis in A's frame
    iso__plane_joint_rope rope;
    int64_t start[2]; // [m] Q31.32: from A's centre (or the world's point) to B's when the step began
    iso__plane_joint_point point;
    iso__plane_axis *axes; // in the step's scratch, in the order they are solved in
    int32_t moved[2];      // [m] Q7.24, B's frame: from that point to the anchors
    int64_t latch;         // RATCHET: [rad] Q31.32
    uint32_t custom;       // USER, SYMBOLIC: index among custom_joints
    uint32_t clamps;       // rows of any gradient: what was cut of them in this step
    int64_t arrived
        [ISO__PLANE_JOINT_AXES_MAX]; // x of the axes and C of the point where the bodies are now: the next substep's
    int64_t point_arrived[2];
};

/// What a joint did and where it is.
typedef struct iso__plane_joint_measure {
    iso_vec2_wide force; // [N] on body B
    iso_wide torque;     // [N m] on body B
    iso_wide error;      // [m]
    iso_wide turned;     // [rad] the error of the angle
    iso_wide speed;      // [rad/s] or [m/s]
} iso__plane_joint_measure;

#endif
