/// The rows that joints in space are made of, in velocity units, scalar and wide.
///
/// A joint has a linear block, an angular block and up to three axes, each of which may be absent. A kind is one file:
/// once a substep it sets directions and errors from the frames of the joint (`update`). Everything else is shared.
///
/// As in the plane the impulse is stored as j = sigma lambda, where sigma is J M^-1 J^T without the arms' part, so that
/// mass enters by shares alone:
///
///   lengths   sigma = 1/mA + 1/mB           j [m/s]     alpha = (1/m)/sigma,  K = 1 + sum alpha (u x d) G (u x d)
///   angles    sigma = 1/IA + 1/IB           j [rad/s]   beta = (1/I)/sigma,   K = sum beta d H d
///
/// with w = omega L, u = r/L, G = m L^2 (inertia tensor)^-1 and, of angles, I the largest moment, H = I (inertia
/// tensor)^-1. G and H are at least the unit matrix where the body turns freely, so K >= 1 in both cases.
///
/// Ranges. G up to 2^16 [Q31.32: 2^48], H up to 2^18, as a largest moment is at most 4 m L^2. |u| up to 2^15 for an
/// anchor 100 m out on the smallest radius of 2^-8 m. alpha G |u|^2 could exceed K's 2^30: there G is halved until it
/// does not (iso__space_joint_place), for rows and impulses alike, so that the joint sees a body that turns less easily
/// and holds it still. Products go through 128 bits, are rounded once and saturate.
#ifndef ISO_SPACE_JOINT_WORK_H
#define ISO_SPACE_JOINT_WORK_H

#include "isostep/joint3.h"
#include "math/solve3.h"
#include "solver/softness.h"
#include "space/world/joint_mass.h"
#include "space/world/scratch.h"

/// One of a joint's two bodies.
typedef struct iso__space_joint_body {
    uint32_t body; // index; def.body_capacity: the world
    int8_t exponent;
    bool is_round;    // all gyrations are one
    int32_t share;    // alpha, Q2.30; 0: no impulse moves it
    int64_t gains[3]; // alpha G along the principal axes, Q31.32; 0: does not turn
    int64_t turns[3]; // beta H likewise
    int64_t local[3]; // [m] Q31.32, from the centre of mass to the anchor, along the principal axes
    int32_t frame[4]; // from the joint's axes to the principal axes, Q2.30
    // In this substep:
    int64_t lever[3];    // [m] Q31.32, r
    int64_t arm[3];      // u, Q31.32; of A of a joint along a line it reaches to B's anchor
    int64_t gain[6];     // alpha G in the world's axes: xx, xy, xz, yy, yz, zz
    int64_t turn[6];     // beta H likewise
    int32_t rotation[4]; // Q2.30, from the joint's axes to the world
    int32_t axes[3][3];  // Q2.30, the joint's axes in the world
    int32_t began[4];    // Q2.30, of what counts turns: the rotation when the step began
    int64_t counted;     // [turns] Q31.32, from there to the rotation that was counted last
} iso__space_joint_body;

/// Up to three directions held at once.
typedef struct iso__space_block {
    uint8_t count;
    bool is_world;           // its directions are the axes of the world
    bool is_soft;            // works with its softness in the relax pass, too
    int32_t direction[3][3]; // Q2.30, orthonormal, unless it is the world's
    int64_t error[3];        // [m] or [rad] Q31.32: C in this substep
    int64_t arrived[3];      // C where the bodies are now: the next substep's
    int64_t impulse[3];      // j [m/s] or [rad/s] Q31.32
    int64_t impulse_max;     // of the length of j, INT64_MAX: unlimited
    int64_t error_max;       // no more of |C| is corrected at once, INT64_MAX: unlimited
    iso__softness soft;
    iso__block_inverse inverse;
} iso__space_block;

/// The rows on an axis, in the order they are solved in.
typedef enum iso__space_axis_row {
    ISO__SPACE_AXIS_HOLD, // a spring; of DISTANCE, GEAR and RACK what they hold
    ISO__SPACE_AXIS_MOTOR,
    ISO__SPACE_AXIS_LOWER,
    ISO__SPACE_AXIS_UPPER,
    ISO__SPACE_AXIS_ROWS,
    ISO__SPACE_AXIS_MEASURED = ISO__SPACE_AXIS_ROWS // no row: the axis is measured between steps
} iso__space_axis_row;

/// The part of one body, with the signs of J.
typedef struct iso__space_axis_term {
    int64_t arm[3];  // Q31.32: dx/dt has arm . w
    int64_t gain[3]; // Q31.32: j changes w by gain j, of an angle omega
} iso__space_axis_term;

/// One scalar x: a length along a direction, or an angle.
typedef struct iso__space_axis {
    uint8_t rows; // a bit per row that is present
    bool is_angle;
    bool is_soft;         // the hold works with its softness in the relax pass, too
    bool is_limit_soft;   // a limit is a spring beyond it
    int32_t direction[3]; // of a length, Q2.30; of an angle 0
    int64_t rate[3];      // of an angle, u, of B if it is not that of A; of a RACK the lever of B's torque [m]; Q31.32
    iso__space_axis_term a, b;
    int64_t inverse;  // 1/K, Q1.62; 0: has no direction now
    int64_t turns;    // of an angle: [turns] Q31.32, unwrapped, where the bodies are now; of a RACK that of B
    int64_t position; // x in this substep, [m] or [rad] Q31.32
    int64_t arrived;  // x where the bodies are now
    int64_t rest, lower, upper, speed;
    int64_t hold_max, motor_max, limit_max; // of |j|
    int64_t error_max, limit_error_max;
    int64_t impulse[ISO__SPACE_AXIS_ROWS];
    iso__softness soft, limit_soft;
} iso__space_axis;

/// A joint within a step.
typedef struct iso__space_joint_work {
    uint32_t joint; // index of the record
    uint8_t kind;
    bool is_on_line; // A's arm reaches to B's anchor: the directions turn with A
    bool has_axes;   // else frames and turning do not matter: a ball joint without rows on its axes
    bool can_break;
    iso__space_joint_body a, b;
    int64_t start[3];    // [m] Q31.32: from A's centre, or the world's point, to B's when the step began
    int64_t apart[3];    // [m] Q31.32: e, from A's anchor to B's in this substep
    int32_t relative[4]; // r, from B's joint axes to A's, Q2.30, w >= 0
    int64_t axes_angle;  // [rad] Q31.32, at which UNIVERSAL and HINGE2 hold a_A and a_B
    int64_t ratio;       // of GEAR, or [m/rad] of RACK, Q31.32
    bool has_begun;      // what counts turns knows where the step began
    int64_t began;       // [turns] Q31.32, what had been turned then
    struct iso__space_custom_work *custom; // space/joint/custom.h: of USER and SYMBOLIC, else NULL
    iso__space_block linear, angular;
    iso__space_axis axis[ISO_JOINT3_AXES];
} iso__space_joint_work;

#endif
