/// What the stages of one step in space share.
#ifndef ISO_SOLVER_SCRATCH3_H
#define ISO_SOLVER_SCRATCH3_H

#include "collide/pair.h"
#include "collide3/box3.h"
#include "collide3/manifold3.h"
#include "solver/params.h"
#include "world3/world3.h"

/// A body within the step. Of what nothing moves within the step all is zero.
typedef struct iso__motion3 {
    int32_t velocity[3]; // [m/s] Q12.19
    int32_t spin[3];     // [m/s] Q12.19, the angular velocity times L
    int32_t moved[3];    // [m] Q7.24 since the step began
    int32_t turned[3];   // [m] Q7.24, the sum of the spins' ways since the step began
    int32_t spin_max;    // [m/s] Q12.19, of the spin's length
    bool is_dynamic;
    bool is_gone; // came to the border of the world in this step
} iso__motion3;

/// Where the motion accumulates without loss.
typedef struct iso__drift3 {
    int64_t moved[3];    // [m] Q31.32
    int64_t turned[3];   // [m] Q31.32
    int64_t momentum[3]; // as in the record
    int32_t q[4];        // from the principal axes to the world, Q2.30
    int32_t axes[9];     // its matrix
    int32_t before[3];   // the spin that the momentum was last the momentum of
    int32_t push[3];     // [m/s] Q12.19: the velocity that this tick's forces add in each substep
    int64_t torque[3];   // [m/s] Q23.40: the momentum that this tick's torques add in each substep
    bool has_turned;     // q is not what the record's rotation was
    bool is_free;        // it neither touches nor is joined to anything in this tick
    int32_t began[3];    // [m/s] Q12.19: the velocity before the present substep
} iso__drift3;

/// One row of a contact's rows for both bodies: the arm rn = (r x n)/L [Q2.30] and g = aG rn [Q9.22].
typedef struct iso__row3_side {
    int32_t arm[3];
    int32_t g[3];
} iso__row3_side;

typedef struct iso__point3_row {
    iso__row3_side a, b;
    int32_t mass;       // 1/K Q2.30
    int32_t impulse;    // [m/s] Q12.19
    int32_t separation; // [m] Q7.24, when the step began
    int32_t approach;   // [m/s] Q12.19, the normal velocity before the step
    int32_t impulse_max;
} iso__point3_row;

/// A contact with rows.
typedef struct iso__contact3_row {
    uint32_t contact;                 // its number among the world's
    uint32_t body_a, body_b;          // indices of motions
    int32_t normal[3], tangent[2][3]; // Q2.30
    int32_t share_a, share_b;         // Q2.30
    int32_t friction, restitution;    // Q4.28
    int8_t exponent_a, exponent_b;    // k of both L
    uint8_t point_count;
    uint8_t colour;
    bool is_static; // one of the bodies is not dynamic
    iso__point3_row points[ISO__MANIFOLD3_POINTS];
    iso__row3_side friction_a[2], friction_b[2]; // at the middle of the points
    int64_t friction_mass[3];                    // the inverse of the 2x2 K: 11, 12, 22, Q31.32
    int32_t friction_impulse[2];                 // [m/s] Q12.19
    iso__row3_side twist_a, twist_b;             // with the arm n rho / L
    int64_t twist_mass;                          // 1/K Q31.32; 0: one point, no twist
    int32_t twist_impulse;                       // [m/s] Q12.19
    int32_t radius;                              // rho [m] Q7.24: of the point that is farthest from the middle
    int32_t levers[ISO__MANIFOLD3_POINTS];       // rho_p / rho Q2.30
} iso__contact3_row;

/// What the rows of a contact need of a body, once per tick.
typedef struct iso__gain3 {
    int32_t tensor[6]; // m L^2 I^-1 in the world's frame: xx, xy, xz, yy, yz, zz, value 2^-shift
    uint32_t shift;
} iso__gain3;

struct iso__space_scratch {
    iso__step_params params;
    int32_t gravity_z;     // what params.gravity has of x and y
    iso__motion3 *motions; // per body, and one of the world itself
    iso__drift3 *drifts;
    uint32_t *moving; // indices of the moving bodies, ascending
    uint32_t moving_count;
    uint64_t *moving_bits;

    // Caches: functions of shapes and poses.
    iso__collider3 *colliders; // per shape
    iso__box3 *boxes;          // likewise, grown by half the speculative distance

    // One tick's.
    uint64_t *order, *order_room;       // of shapes, by where their boxes begin
    uint64_t *excluded, *excluded_room; // pairs of bodies that joints keep from colliding
    uint32_t excluded_count;
    iso__pair *pairs;
    uint32_t pair_count, pair_capacity;
    uint64_t pairs_dropped;
    iso__contact3 *contacts_next;
    iso__manifold3 *manifolds;   // of the contacts that have been found in this tick, by their number
    uint32_t *contact_manifolds; // per contact: the number of its manifold, UINT32_MAX: it sleeps
    uint32_t manifold_count;
    iso__contact3_row *rows; // by colour
    uint32_t row_count;
    uint32_t *row_order;
    iso__gain3 *gains;               // per body
    uint32_t *colour_masks;          // per body
    uint64_t *woken_sets;            // a bit per body: an island that must not sleep
    struct iso__joint3_work *joints; // joint3/work3.h: those with rows, in ascending order of their records
    uint32_t joint_count;
    uint64_t joint_clamps; // of velocities, in this step
};

#endif
