/// The numbers that a step works with.
#ifndef ISO_SOLVER_PARAMS_H
#define ISO_SOLVER_PARAMS_H

#include "isostep/world.h"
#include "solver/manifold_settings.h"
#include "solver/softness.h"

/// The largest friction of a surface: 7.9, below the 8 of Q4.28.
#define ISO__FRICTION_MAX ((fix16_t)517734)

typedef struct iso__step_params {
    uint32_t substep_count;
    int32_t substep_rate;       // n [Hz]; h = 1/n
    int32_t h;                  // [s] Q.36
    int32_t gravity[2];         // velocity in this substep [m/s] Q12.19; set by the step
    int64_t place;              // of the substep within the second, from 0; set by the step
    iso__softness contact_soft; // of two dynamic bodies
    iso__softness static_soft;  // with a static or kinematic one
    iso__softness joint_soft;   // of rigid joints
    int32_t push;               // [m/s] Q12.19
    int32_t deepest;            // [m] Q7.24: a separation at and below which every contact's bias is -push
    int32_t farthest;           // [m] Q7.24: one at and beyond which the bias is the largest speed
    int32_t restitution_threshold;
    iso__manifold_settings manifold;
    int64_t keep_distance; // [m] Q.24: how far shapes that touch may move while their manifold is kept
    uint32_t keep_turn;    // [turns] Q0.32: and how far each of their bodies may turn
} iso__step_params;

/// What follows from the world's definition alone, which never changes: computed once, for its divisions.
void iso__step_params_make(const iso_world_def *def, iso__step_params *params);

/// Sets `deepest` and `farthest` by the other numbers. Between them a bias, before it is clamped, fits 32 bits.
void iso__step_params_limit(iso__step_params *params);

/// The number of ticks that a body must be quiet before it sleeps, and that it is watched for.
uint32_t iso__sleep_ticks(const iso_world_def *def);

#endif
