/// The point row.
#ifndef ISO_JOINT_POINT_H
#define ISO_JOINT_POINT_H

#include "joint/work.h"
#include "solver/scratch.h"
#include "solver/softness.h"

/// Prepares masses, softness and impulses of the point row. The kind has set bodies, anchors and start.
void iso__point_prepare(const iso_world *world, const iso__joint *joint, iso__joint_work *work);
/// Computes arms, error and the inverse of K from the bodies' places in this substep.
void iso__point_update(const iso__step_scratch *scratch, iso__joint_work *work);
void iso__point_warm_start(iso__step_scratch *scratch, const iso__joint_work *work);
void iso__point_solve(iso__step_scratch *scratch, iso__joint_work *work, bool is_relax);

/// Computes arms, error and the inverse of K of a row alone, without a bound of the error.
void iso__point_row_update(const iso__step_scratch *scratch, const iso__joint_pair *pair, iso__point_row *row);
/// The row alone, without a joint's own softness and maximum; soft NULL: the velocity alone, rigidly.
void iso__point_row_apply(iso__step_scratch *scratch, const iso__point_row *row, int64_t jx, int64_t jy);
void iso__point_row_solve(iso__step_scratch *scratch, iso__point_row *row, const iso__softness *soft);

#endif
