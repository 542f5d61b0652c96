/// What manifolds are made by.
#ifndef ISO_SOLVER_MANIFOLD_SETTINGS_H
#define ISO_SOLVER_MANIFOLD_SETTINGS_H

#include <stdint.h>

/// @param slop         [m] Q7.24: below this, distances count as equal when features are chosen
/// @param speculative  [m] Q7.24: points that are farther apart are left out
typedef struct iso__manifold_settings {
    int64_t slop;
    int64_t speculative;
} iso__manifold_settings;

#endif
