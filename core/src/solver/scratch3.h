/// What the stages of one step in space share.
#ifndef ISO_SOLVER_SCRATCH3_H
#define ISO_SOLVER_SCRATCH3_H

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
} iso__drift3;

struct iso__space_scratch {
    iso__step_params params;
    int32_t gravity_z;     // what params.gravity has of x and y
    iso__motion3 *motions; // per body, and one of the world itself
    iso__drift3 *drifts;
    uint32_t *moving; // indices of the moving bodies, ascending
    uint32_t moving_count;
    uint64_t *moving_bits;
    struct iso__joint3_work *joints; // joint3/work3.h: those with rows, in ascending order of their records
    uint32_t joint_count;
    uint64_t joint_clamps; // of velocities, in this step
};

#endif
