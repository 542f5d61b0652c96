/// The rows that joints are made of, in velocity units, scalar and wide.
///
/// A joint has a point row (point.c), an axis (axis.c), or both. A kind is one file: it says which bodies and
/// numbers they work with (`prepare`, once a tick), where they are (`update`, once a substep) and what they did
/// (`measure`). Everything else is shared.
///
/// As in the contact rows, the impulse is stored as j = sigma lambda with sigma = J M^-1 J^T taken without the arms'
/// part, so that mass enters by shares alone and a ratio of 1:10000 keeps its relative precision.
#ifndef ISO_JOINT_ROWS_H
#define ISO_JOINT_ROWS_H

#include "dynamics/step.h"
#include "math/wide128.h"

#define ISO__JOINT_IMPULSE_MAX (INT64_C(1) << 47) // of a point row, [m/s] Q31.32: 2^15 m/s
#define ISO__AXIS_IMPULSE_MAX  (INT64_C(1) << 50) // of a row on an axis, 2^18 m/s or rad/s

// ---- the point row: a point of B on a point of A -------------------------------------------------

/// With sigma = 1/mA + 1/mB, mass shares aA = (1/mA)/sigma, the spin w = omega L and u = r/L its matrix is
///
///   K = 1 + tA [uAy^2, -uAx uAy; -uAx uAy, uAx^2] + tB [ same with uB ],   t = (L^2/(I sigma)) = gyration * share
///
/// which is dimensionless and at least the unit matrix, so it can always be inverted, whatever the mass ratio.
typedef struct iso__joint_point {
    bool is_soft;               // works with its softness in the relax pass, too
    bool is_short;              // no component of an arm is above 1, in this substep
    int64_t share_a, share_b;   // Q2.30
    int64_t turn_a, turn_b;     // t of A and of B, Q9.22
    int64_t error[2];           // [m] Q31.32: C in this substep
    int64_t arm_a[2], arm_b[2]; // u, Q31.32, in this substep
    int64_t impulse[2];         // j [m/s] Q31.32
    int64_t impulse_max;        // [m/s] Q31.32, INT64_MAX: unlimited
    iso__inverse2 inverse;      // of K
    iso__softness soft;
} iso__joint_point;

// ---- the axis: one scalar x of the two bodies ----------------------------------------------------

/// The rows on an axis, in the order they are solved in; the first has the joint's last word.
///   HOLD   keeps x at its rest: rigid or soft; a spring is a soft hold
///   MOTOR  brings dx/dt to a speed, with a largest impulse
///   LOWER  keeps x from falling below a limit, UPPER from rising above one; one-sided
typedef enum iso__axis_row {
    ISO__AXIS_HOLD,
    ISO__AXIS_MOTOR,
    ISO__AXIS_LOWER,
    ISO__AXIS_UPPER,
    ISO__AXIS_ROWS
} iso__axis_row;

/// What one body has of an axis, with the signs of J.
typedef struct iso__axis_term {
    uint32_t body;
    int32_t direction[2]; // of the velocity in dx/dt, Q2.30; 0 for an angle
    int32_t share;        // (1/m)/sigma, Q2.30; 0 for an angle
    int64_t arm;          // p: dx/dt has w p. u x d for a length, 1/L for an angle; Q31.32
    int64_t gain;         // g: an impulse j changes w by g j; Q25.38
} iso__axis_term;

struct iso__joint_axis {
    iso__axis_term a, b;
    int64_t inverse;                 // 1/K, Q1.62
    int64_t position;                // x in this substep, [m] or [rad] Q31.32
    int64_t start;                   // of an angle: x when the step began
    int64_t rest, lower, upper;      // [m] or [rad] Q31.32
    int64_t speed;                   // [m/s] or [rad/s] Q31.32
    int64_t impulse[ISO__AXIS_ROWS]; // j [m/s] or [rad/s] Q31.32
    int64_t hold_max, motor_max;     // of |j|; the hold's is also that of the limits
    iso__softness soft;              // of the hold
    int32_t turn_a, turn_b;          // of a length: t as in the point row, Q9.22
    bool is_soft;                    // the hold works with its softness in the relax pass, too
    uint8_t rows;                    // a bit per row that is present
};

// ---- a joint within a step -----------------------------------------------------------------------

struct iso__joint_work {
    uint32_t joint;          // index of the record
    uint32_t body_a, body_b; // A is def.body_capacity for the world
    uint8_t kind;
    bool has_point, has_axis;
    int8_t exponent_a, exponent_b;
    int32_t local_a[2];   // [m] Q7.24, body frame: the anchors from the centres of mass
    int32_t local_b[2];
    int32_t direction[2]; // Q2.30: a unit vector that a kind remembers
    int64_t start[2];     // [m] Q31.32: from A's centre (or the world's point) to B's when the step began
    iso__joint_point point;
    iso__joint_axis *axis; // in the step's scratch
};

/// What a joint did and where it is.
typedef struct iso__joint_measure {
    iso_vec2_wide force; // [N] on body B
    iso_wide torque;     // [N m] on body B
    iso_wide error;      // [m]
    iso_wide speed;      // [rad/s] or [m/s]
} iso__joint_measure;

/// A kind of joint. The functions are called from joint_step.c and measure.c alone.
typedef struct iso__joint_kind {
    /// Once a tick: sets up the rows from the record.
    void (*prepare)(const iso_world *world, const iso__joint *joint, iso__joint_work *work);
    /// Once a substep: sets up errors and directions from the bodies' places.
    void (*update)(const iso__step_scratch *scratch, iso__joint_work *work);
    /// Between steps, from the stored impulses.
    void (*measure)(const iso_world *world, const iso__joint *joint, iso__joint_measure *measure);
} iso__joint_kind;

/// One file per kind, named after it.
#define ISO__JOINT_KIND_DECLARE(name, number, snake, has) extern const iso__joint_kind iso__joint_##snake;
ISO_JOINT_KIND_LIST(ISO__JOINT_KIND_DECLARE)
#undef ISO__JOINT_KIND_DECLARE

/// The functions of a kind; it must be one.
const iso__joint_kind *iso__joint_kind_of(uint8_t kind);

/// Checks a joint's definition without a world. @return ISO_OK; ISO_ERR_BAD_ENUM; ISO_ERR_RANGE.
iso_status iso__joint_def_check(const iso_joint_def *def);

/// Reads a record as its definition, but for the handles of the bodies.
void iso__joint_read_record(const iso__joint *record, iso_joint_def *def);

// ---- shared parts of kinds -----------------------------------------------------------------------

/// The derived data of a body, or of the world, which has no mass.
const iso__body_derived *iso__joint_body(const iso_world *world, uint32_t body);

/// (1/own) / (1/own + 1/other) as Q2.30; a mass of 0 is infinite. Of angular shares: iso__axis_angular_share.
int32_t iso__joint_share(iso_wide own, iso_wide other);

/// The largest j of a force [N] in a substep of these bodies: sigma F h, rounded up; INT64_MAX for a force of 0.
int64_t iso__joint_impulse_of_force(iso_wide force, const iso__body_derived *a, const iso__body_derived *b, int64_t h);
/// The force [N] of an impulse j: j / (sigma h). 0 when neither body has mass.
iso_wide iso__joint_force_of_impulse(int64_t impulse, const iso__body_derived *a, const iso__body_derived *b, int32_t rate);
/// As above for a torque [N m] and an angular impulse.
int64_t iso__joint_impulse_of_torque(iso_wide torque, const iso__body_derived *a, const iso__body_derived *b, int64_t h);
iso_wide iso__joint_torque_of_impulse(int64_t impulse, const iso__body_derived *a, const iso__body_derived *b, int32_t rate);

/// The joint's own softness, or the world's for rigid joints.
iso__softness iso__joint_softness(const iso__step_params *params, fix16_t hertz, fix16_t damping_ratio);

/// Sets bodies, anchors and start of a joint between two bodies.
void iso__joint_prepare_pair(const iso_world *world, const iso__joint *joint, iso__joint_work *work);

/// The lever r [m] Q31.32 of an anchor of a body in this substep, and the arm u = r / L.
void iso__joint_lever(const iso__step_scratch *scratch, uint32_t body, const int32_t local[2], int8_t exponent,
                      int64_t lever[2], int64_t arm[2]);

/// Prepares masses, softness and impulses of the point row. The kind has set bodies, anchors and start.
void iso__point_prepare(const iso_world *world, const iso__joint *joint, iso__joint_work *work);
/// Computes arms, error and the inverse of K from the bodies' places in this substep.
void iso__point_update(const iso__step_scratch *scratch, iso__joint_work *work);
void iso__point_warm_start(iso__step_scratch *scratch, const iso__joint_work *work);
void iso__point_solve(iso__step_scratch *scratch, iso__joint_work *work, bool is_relax);
/// The force and error of a joint whose impulses 0 and 1 are those of a point row.
void iso__point_measure(const iso_world *world, const iso__joint *joint, iso__joint_measure *measure);

/// Prepares the rows on an axis from the record's switches and numbers; none when no body moves along it.
void iso__axis_prepare_angle(const iso_world *world, const iso__joint *joint, iso__joint_work *work);
void iso__axis_prepare_length(const iso_world *world, const iso__joint *joint, iso__joint_work *work);
/// The angle of B less that of A in this substep.
void iso__axis_update_angle(const iso__step_scratch *scratch, iso__joint_work *work);
/// A length along work->direction, between anchors with these arms.
void iso__axis_update_length(iso__joint_work *work, int64_t length, const int64_t arm_a[2], const int64_t arm_b[2]);
void iso__axis_warm_start(iso__step_scratch *scratch, const iso__joint_axis *axis);
void iso__axis_solve(iso__step_scratch *scratch, iso__joint_axis *axis, bool is_relax);
/// The rows that the record's switches call for, a bit each; the impulses of others are 0.
uint32_t iso__axis_rows(const iso__joint *joint);
/// What an angular impulse j becomes when one of the two bodies changes its inertia: j sigma'/sigma. Saturates.
int64_t iso__axis_rescale(int64_t impulse, const iso__body_derived *before, const iso__body_derived *after,
                          const iso__body_derived *other);
/// The sum of the impulses on a joint's axis.
int64_t iso__axis_impulse(const iso__joint *joint);

/// From the anchor of A (or the world's point) to that of B [m] Q31.32, between steps.
iso_vec2_wide iso__joint_apart(const iso_world *world, const iso__joint *joint);
/// The angle of B less that of A [rad], and its rate [rad/s], between steps.
iso_wide iso__joint_angle(const iso_world *world, const iso__joint *joint);
iso_wide iso__joint_angular_speed(const iso_world *world, const iso__joint *joint);

// ---- the stages of step.c ------------------------------------------------------------------------

/// Wakes the bodies that a joint connects.
void iso__joint_wake(iso_world *world, const iso__joint *joint);

void iso__joints_prepare(iso_world *world);
void iso__joint_warm_start(iso__step_scratch *scratch, iso__joint_work *work);
void iso__joint_solve(iso__step_scratch *scratch, iso__joint_work *work, bool is_relax);
void iso__joints_store(iso_world *world);
/// Ends the joints that bore too much in this step, in ascending order.
void iso__joints_break(iso_world *world);

#endif
