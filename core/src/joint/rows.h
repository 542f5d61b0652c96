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
#include "math/fixed_ops.h"
#include "math/wide128.h"

#define ISO__JOINT_IMPULSE_MAX (INT64_C(1) << 47) // of a point row, [m/s] Q31.32: 2^15 m/s
#define ISO__AXIS_IMPULSE_MAX  (INT64_C(1) << 50) // of a row on an axis, 2^18 m/s or rad/s

// ---- the point row: a point of B on a point of A -------------------------------------------------

/// With sigma = 1/mA + 1/mB, mass shares aA = (1/mA)/sigma, the spin w = omega L and u = r/L its matrix is
///
///   K = 1 + tA [uAy^2, -uAx uAy; -uAx uAy, uAx^2] + tB [ same with uB ],   t = (L^2/(I sigma)) = gyration * share
///
/// which is dimensionless and at least the unit matrix, so it can always be inverted, whatever the mass ratio.
struct iso__point_row {
    int32_t share_a, share_b;   // Q2.30
    int32_t turn_a, turn_b;     // t of A and of B, Q9.22
    uint32_t body_a, body_b;
    bool is_short;              // no component of an arm is above 1, in this substep
    int64_t arm_a[2], arm_b[2]; // u, Q31.32, in this substep
    int64_t error[2];           // [m] Q31.32: C in this substep
    iso__inverse2 inverse;      // of K
    int64_t impulse[2];         // j [m/s] Q31.32
};

/// The point row of a plain joint, in narrower formats; plain.c.
struct iso__plain_row {
    int32_t arm_a[2], arm_b[2]; // u, Q3.28, where the bodies are
    int32_t inverse[3];         // of K: 11, 12 and 22, Q2.29
    int32_t share_a, share_b;   // Q2.30
    int32_t turn_a, turn_b;     // Q9.22
    uint32_t body_a, body_b;
    int64_t error[2];           // [m] Q31.32: C where the bodies are
    int64_t impulse[2];         // j [m/s] Q31.32
};

/// A point row with what few joints have of their own.
typedef struct iso__joint_point {
    iso__point_row row;
    iso__softness soft;
    bool is_soft;        // works with its softness in the relax pass, too
    int64_t impulse_max; // [m/s] Q31.32, INT64_MAX: unlimited
    int64_t error_max;   // [m] Q31.32: no more of |C| is corrected at once, INT64_MAX: unlimited
} iso__joint_point;

/// The two bodies of a row and their anchors.
struct iso__joint_pair {
    uint32_t body_a, body_b; // A is def.body_capacity for the world
    int32_t local_a[2];      // [m] Q7.24, body frame: the anchors from the centres of mass
    int32_t local_b[2];
    int8_t exponent_a, exponent_b;
    int64_t start[2];        // [m] Q31.32: from A's centre (or the world's point) to B's when the step began
};

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
    int64_t share;        // of a length: (1/m)/sigma, Q2.30
    int64_t turn;         // of a length: t as in the point row, Q9.22
    int64_t direction[2]; // of the velocity in dx/dt, Q31.32; 0 for an angle
    int64_t push[2];      // (1/m)/sigma times the direction, Q31.32: an impulse j changes the velocity by push j
    int64_t arm;          // p: dx/dt has w p. u x d for a length, 1/L for an angle; Q31.32
    int64_t gain;         // g: an impulse j changes w by g j; Q25.38
} iso__axis_term;

#define ISO__AXIS_TERMS 4

struct iso__joint_axis {
    iso__axis_term terms[ISO__AXIS_TERMS];
    uint8_t term_count;
    uint8_t rows;                    // a bit per row that is present
    uint8_t slots[ISO__AXIS_ROWS];   // which of the record's impulses each row's is
    bool is_angle;
    bool is_soft;                    // the hold works with its softness in the relax pass, too
    iso__softness soft;              // of the hold
    int64_t inverse;                 // 1/K, with this many fraction bits: 62, or 50 for a K below 1
    uint8_t fraction;
    int64_t position;                // x in this substep, [m] or [rad] Q31.32
    int64_t start;                   // of an angle: x when the step began
    int64_t ratio;                   // of an angle: x = ratio phiB - phiA, Q31.32
    int64_t rest, lower, upper;      // [m] or [rad] Q31.32
    int64_t speed;                   // [m/s] or [rad/s] Q31.32
    int64_t error_max, limit_error_max; // of |C| of the hold and of the limits: no more is corrected at once
    int64_t impulse[ISO__AXIS_ROWS]; // j [m/s] or [rad/s] Q31.32
    int64_t hold_max, limit_max, motor_max; // of |j|
};

// ---- a joint within a step -----------------------------------------------------------------------

#define ISO__JOINT_AXES  3 // at most of one joint
#define ISO__JOINT_PAIRS 6 // of up to four bodies

/// The second pair of bodies of a joint of four.
typedef struct iso__joint_rope {
    int8_t exponent_c, exponent_d;
    int32_t local_c[2], local_d[2]; // [m] Q7.24, body frame: the anchors from the centres of mass
    int32_t direction[2];           // Q2.30: the last one from C's anchor to D's
    int64_t start[2];               // [m] Q31.32: from C's centre to D's when the step began
} iso__joint_rope;

struct iso__joint_work {
    uint32_t joint;          // index of the record
    uint32_t body_a, body_b; // A is def.body_capacity for the world
    uint32_t body_c, body_d; // of a joint of four bodies, else def.body_capacity
    uint8_t kind;
    uint8_t axis_count;
    bool has_point;
    int8_t exponent_a, exponent_b;
    int32_t local_a[2];   // [m] Q7.24, body frame: the anchors from the centres of mass
    int32_t local_b[2];
    int32_t direction[2]; // Q2.30: of a length, the last one; of a kind with an axis, the axis in A's frame
    iso__joint_rope rope;
    int64_t start[2];     // [m] Q31.32: from A's centre (or the world's point) to B's when the step began
    iso__joint_point point;
    iso__joint_axis *axes; // in the step's scratch, in the order they are solved in
    int64_t latch;         // RATCHET: [rad] Q31.32
    uint32_t custom;       // USER, SYMBOLIC: index among custom_joints
    uint32_t clamps;       // USER, SYMBOLIC: what was cut of what they said in this step
    int64_t arrived[ISO__JOINT_AXES]; // x of the axes and C of the point where the bodies are now: the next substep's
    int64_t point_arrived[2];
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
    /// When the step begins, and once a substep when the bodies have moved: sets up errors and directions from their
    /// places.
    void (*update)(const iso__step_scratch *scratch, iso__joint_work *work);
    /// Between steps, from the stored impulses.
    void (*measure)(const iso_world *world, const iso__joint *joint, iso__joint_measure *measure);
} iso__joint_kind;

/// One file per kind, named after it.
#define ISO__JOINT_KIND_DECLARE(name, number, snake, has) extern const iso__joint_kind iso__kind_##snake;
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
extern const iso__body_derived iso__joint_of_world;
static inline const iso__body_derived *iso__joint_body(const iso_world *world, uint32_t body) {
    return body < world->def.body_capacity ? &world->body_derived[body] : &iso__joint_of_world;
}

/// iso_joint_kind_has of a record's kind, which is none or one of the list.
extern const uint32_t iso__joint_kind_parts[];
static inline uint32_t iso__joint_has(const iso__joint *joint) {
    return iso__joint_kind_parts[joint->kind];
}

/// (1/own) / (1/own + 1/other) as Q2.30; a mass of 0 is infinite. Of angular shares: iso__axis_angular_share.
int32_t iso__joint_share(iso_wide own, iso_wide other);

/// The largest j of a force [N] in a substep of these bodies: sigma F h, rounded up; INT64_MAX for a force of 0.
int64_t iso__joint_impulse_of_force(iso_wide force, const iso__body_derived *a, const iso__body_derived *b, int64_t h);
/// As above for a torque [N m] and an angular impulse of r phiB - phiA; the torque is that on A.
int64_t iso__joint_impulse_of_torque(iso_wide torque, const iso__body_derived *a, const iso__body_derived *b, int64_t ratio,
                                     int64_t h);
iso_wide iso__joint_torque_of_impulse(int64_t impulse, const iso__body_derived *a, const iso__body_derived *b, int64_t ratio,
                                      int32_t rate);

/// The ratio r of a joint's angle, Q31.32; 1 for kinds without one.
int64_t iso__joint_ratio(const iso__joint *joint);

/// The largest |C| [m] or [rad] Q31.32 that corrects no faster than this speed; INT64_MAX for a speed of 0.
int64_t iso__joint_error_max(iso__softness soft, fix16_t correction_max);

/// The joint's own softness, or the world's for rigid joints.
iso__softness iso__joint_softness(const iso__step_params *params, fix16_t hertz, fix16_t damping_ratio);

/// Sets bodies, anchors and start of a pair.
static inline void iso__joint_pair_make(const iso_world *world, const iso__joint *joint, iso__joint_pair *pair) {
    const bool has_a = joint->body_a != ISO__WORLD_BODY;
    const iso__body_derived *a = iso__joint_body(world, joint->body_a), *b = &world->body_derived[joint->body_b];
    pair->body_a = has_a ? joint->body_a : world->def.body_capacity;
    pair->body_b = joint->body_b;
    pair->exponent_a = a->radius_exponent;
    pair->exponent_b = b->radius_exponent;
    for (int axis = 0; axis < 2; ++axis) {
        const int64_t from = has_a ? world->bodies[joint->body_a].position[axis] : joint->target[axis];
        pair->local_a[axis] = has_a ? iso__sub32(joint->anchor_a[axis], a->local_centre[axis]) : 0;
        pair->local_b[axis] = iso__sub32(joint->anchor_b[axis], b->local_centre[axis]);
        pair->start[axis] = world->bodies[joint->body_b].position[axis] - from;
    }
}

/// Sets bodies, anchors and start of a joint between two bodies, or a body and a point of the world.
void iso__joint_prepare_pair(const iso_world *world, const iso__joint *joint, iso__joint_work *work);

/// The lever r [m] Q31.32 of an anchor of a body in this substep, and the arm u = r / L.
void iso__joint_lever(const iso__step_scratch *scratch, uint32_t body, const int32_t local[2], int8_t exponent,
                      int64_t lever[2], int64_t arm[2]);

/// Sets the other two bodies of a joint of four.
void iso__joint_prepare_rope(const iso_world *world, const iso__joint *joint, iso__joint_work *work);

/// 1/sigma [kg] of a joint's lengths; 0 when none of its bodies has mass.
iso_wide iso__joint_reduced_mass(const iso_world *world, const iso__joint *joint);

/// Prepares masses, softness and impulses of the point row. The kind has set bodies, anchors and start.
void iso__point_prepare(const iso_world *world, const iso__joint *joint, iso__joint_work *work);
/// Computes arms, error and the inverse of K from the bodies' places in this substep.
void iso__point_update(const iso__step_scratch *scratch, iso__joint_work *work);
void iso__point_warm_start(iso__step_scratch *scratch, const iso__joint_work *work);
void iso__point_solve(iso__step_scratch *scratch, iso__joint_work *work, bool is_relax);

/// The row alone, without a joint's own softness and maximum; soft NULL: the velocity alone, rigidly.
void iso__point_row_apply(iso__step_scratch *scratch, const iso__point_row *row, int64_t jx, int64_t jy);
void iso__point_row_solve(iso__step_scratch *scratch, iso__point_row *row, const iso__softness *soft);

/// Whether a joint is a plain one: plain.c.
bool iso__joint_is_plain(const iso_world *world, const iso__joint *joint);
/// Makes a joint the i-th plain one, set up where its bodies are.
void iso__plain_prepare(iso_world *world, uint32_t joint, uint32_t i);
/// The passes over the plain joints of a colour.
void iso__plain_warm_start(iso__step_scratch *scratch, const iso__colour *colour);
void iso__plain_solve(iso__step_scratch *scratch, const iso__colour *colour);
void iso__plain_relax(iso__step_scratch *scratch, const iso__colour *colour);
/// The force and error of a joint whose impulses 0 and 1 are those of a point row.
void iso__point_measure(const iso_world *world, const iso__joint *joint, iso__joint_measure *measure);

/// Adds an axis on the bodies' angle. @return NULL when neither body turns
iso__joint_axis *iso__axis_add_angle(const iso_world *world, const iso__joint *joint, iso__joint_work *work);
/// Adds an axis on a length between the anchors.
iso__joint_axis *iso__axis_add_length(const iso_world *world, iso__joint_work *work);
/// Adds a length of all four bodies, whose rate is what iso__axis_update_terms says.
iso__joint_axis *iso__axis_add_terms(const iso_world *world, const iso__joint *joint, iso__joint_work *work);
/// Adds an angle of all four bodies, whose rate is what iso__axis_update_turns says. @return NULL when none turns
iso__joint_axis *iso__axis_add_turns(const iso_world *world, const iso__joint *joint, iso__joint_work *work);
/// Gives an axis the rows that the record's switches call for, with the record's axis impulses.
void iso__axis_main(const iso_world *world, const iso__joint *joint, iso__joint_axis *axis);
/// Gives an axis a hold with the joint's softness, a motor, or limits (a bit per row).
void iso__axis_hold(const iso_world *world, const iso__joint *joint, iso__joint_axis *axis, uint32_t slot, int64_t rest);
void iso__axis_drive(const iso_world *world, const iso__joint *joint, iso__joint_axis *axis, uint32_t slot);
/// Gives it one limit, with an impulse of its own; and the most [N] or [N m] of all its holds and limits.
void iso__axis_bound(const iso_world *world, const iso__joint *joint, iso__joint_axis *axis, iso__axis_row row, uint32_t slot,
                     int64_t bound);
void iso__axis_set_most(const iso_world *world, const iso__joint *joint, iso__joint_axis *axis, iso_wide most);
void iso__axis_limit(const iso_world *world, const iso__joint *joint, iso__joint_axis *axis, uint32_t rows);
/// r times the angle of B less that of A in this substep.
void iso__axis_update_angle(const iso__step_scratch *scratch, const iso__joint_work *work, iso__joint_axis *axis);
/// A length along a direction (Q2.30, a unit vector), between anchors with these arms.
void iso__axis_update_length(iso__joint_axis *axis, const int32_t direction[2], int64_t length, const int64_t arm_a[2],
                             const int64_t arm_b[2]);
/// What a term's body has of dx/dt.
typedef struct iso__axis_part {
    int64_t direction[2]; // Q31.32
    int64_t arm;          // of w, per radius L, Q31.32
    int64_t turn;         // of omega, Q31.32: of an angle alone
} iso__axis_part;

/// A length x whose rate is the sum of parts[i].direction.v + w parts[i].arm over the terms; those of one body are summed.
void iso__axis_update_terms(iso__joint_axis *axis, int64_t x, const iso__axis_part *parts);
/// An angle x whose rate is the sum of omega parts[i].turn = w parts[i].arm.
void iso__axis_update_turns(iso__joint_axis *axis, int64_t x, const iso__axis_part *parts);
/// An arc [m] of a radius 2^k as an angle [rad].
int64_t iso__axis_angle_of(int64_t turned, int8_t exponent);
void iso__axis_warm_start(iso__step_scratch *scratch, const iso__joint_axis *axis);
void iso__axis_solve(iso__step_scratch *scratch, iso__joint_axis *axis, bool is_relax);
/// Brings the impulses back to the record.
void iso__axis_store(const iso__joint_axis *axis, iso__joint *joint);
/// The rows of the main axis that the record's kind and switches call for, a bit each; the impulses of others are 0.
uint32_t iso__axis_rows(const iso__joint *joint);
/// What an angular impulse j becomes when body A or B changes its inertia: j sigma'/sigma. Saturates.
int64_t iso__axis_rescale(int64_t impulse, const iso__joint *joint, bool is_a, const iso__body_derived *before,
                          const iso__body_derived *after, const iso__body_derived *other);
/// The sum of the impulses on a joint's main axis.
int64_t iso__axis_impulse(const iso__joint *joint);

/// From the anchor of A (or the world's point) to that of B [m] Q31.32, between steps.
iso_vec2_wide iso__joint_apart(const iso_world *world, const iso__joint *joint);
/// The velocity of B's anchor less that of A's [m/s], between steps.
iso_vec2_wide iso__joint_velocity(const iso_world *world, const iso__joint *joint);
/// r times the angle of B less that of A [rad], and its rate [rad/s], between steps.
iso_wide iso__joint_angle(const iso_world *world, const iso__joint *joint);
iso_wide iso__joint_angular_speed(const iso_world *world, const iso__joint *joint);
/// The angular velocity [rad/s] of a body, or of the world.
iso_wide iso__joint_omega(const iso_world *world, uint32_t body);
/// The force [N] of an impulse of a row between the bodies' anchors, and the torque [N m] on B of one on their angle.
iso_wide iso__joint_force(const iso_world *world, const iso__joint *joint, int64_t impulse);
iso_wide iso__joint_torque(const iso_world *world, const iso__joint *joint, int64_t impulse);
/// The torque [N m] of an angular impulse on all different bodies of a joint, per radian of J; and their reduced inertia
/// 1/(sum of 1/I) [kg m^2].
iso_wide iso__joint_turn_torque(const iso_world *world, const iso__joint *joint, int64_t impulse);
iso_wide iso__joint_reduced_inertia(const iso_world *world, const iso__joint *joint);
/// How far the main axis is from what is held, or beyond a limit; a spring has no error.
iso_wide iso__axis_error(const iso__joint *joint, iso_wide x);
/// An angle within what axes work with, 2^24 rad.
int64_t iso__axis_clamp_angle(int64_t angle);

/// A unit vector, Q2.30, of a body's frame in the world.
static inline void iso__rotate_unit(iso_rotation q, const int32_t local[2], int32_t world[2]) {
    world[0] = (int32_t)iso__round_shift((int64_t)q.c * local[0] - (int64_t)q.s * local[1], ISO__UNIT_FRACTION);
    world[1] = (int32_t)iso__round_shift((int64_t)q.s * local[0] + (int64_t)q.c * local[1], ISO__UNIT_FRACTION);
}

// ---- families: what several kinds share ----------------------------------------------------------

/// A point and an axis on the angle; point_angle.c.
void iso__point_angle_prepare(const iso_world *world, const iso__joint *joint, iso__joint_work *work);
void iso__point_angle_update(const iso__step_scratch *scratch, iso__joint_work *work);
void iso__point_angle_measure(const iso_world *world, const iso__joint *joint, iso__joint_measure *measure);
/// An axis on the angle alone; angle.c.
void iso__angle_prepare(const iso_world *world, const iso__joint *joint, iso__joint_work *work);
void iso__angle_update(const iso__step_scratch *scratch, iso__joint_work *work);
void iso__angle_measure(const iso_world *world, const iso__joint *joint, iso__joint_measure *measure);
/// Axes 0 along a line of A and 1 across it; line.c.
void iso__line_prepare(const iso_world *world, const iso__joint *joint, iso__joint_work *work);
void iso__line_update(const iso__step_scratch *scratch, iso__joint_work *work);
void iso__line_measure(const iso_world *world, const iso__joint *joint, iso__joint_measure *measure);
/// Where B's anchor is on A's line [m], from A's anchor, between steps.
iso_wide iso__line_position(const iso_world *world, const iso__joint *joint);
/// The latch [rad] of a ratchet that begins here.
int64_t iso__ratchet_start(const iso_world *world, const iso__joint *joint);

// ---- the stages of step.c ------------------------------------------------------------------------

/// Whether a joint is live, on, and of a kind that moves its bodies.
bool iso__joint_connects(const iso__joint *joint);

/// Whether this is one of a joint's bodies.
bool iso__joint_has_body(const iso__joint *joint, uint32_t body);

/// The n-th pair of a joint's bodies, n below ISO__JOINT_PAIRS; the first is A and B, the others are of four bodies.
static inline void iso__joint_pair_of(const uint32_t bodies[4], uint32_t n, uint32_t *a, uint32_t *b) {
    static const uint8_t first[] = {0, 0, 0, 1, 1, 2}, second[] = {1, 2, 3, 2, 3, 3};
    *a = bodies[first[n]];
    *b = bodies[second[n]];
}

/// Wakes the bodies that a joint connects.
void iso__joint_wake(iso_world *world, const iso__joint *joint);

/// Which joints work in this step, and on which bodies; then, in the order of their colours, their rows.
void iso__joints_collect(iso_world *world);
/// Sets up the rows of one joint, with room for ISO__JOINT_AXES axes.
void iso__joint_prepare(const iso_world *world, uint32_t index, iso__joint_work *work, iso__joint_axis *axes);
void iso__joints_prepare(iso_world *world);
void iso__joint_warm_start(iso__step_scratch *scratch, iso__joint_work *work);
void iso__joint_solve(iso__step_scratch *scratch, iso__joint_work *work, bool is_relax);
void iso__joints_store(iso_world *world);
/// Ends the joints that bore too much in this step, in ascending order.
void iso__joints_break(iso_world *world);

#endif
