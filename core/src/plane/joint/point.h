/// The point row.
#ifndef ISO_PLANE_JOINT_POINT_H
#define ISO_PLANE_JOINT_POINT_H

#include "plane/joint/work.h"
#include "plane/world/scratch.h"
#include "solver/softness.h"

/// Prepares masses, softness and impulses of the point row. The kind has set bodies, anchors and start.
void iso__plane_point_prepare(const iso__plane *plane, const iso__plane_joint *joint, iso__plane_joint_work *work);
/// Computes arms, error and the inverse of K from the bodies' places in this substep.
void iso__plane_point_update(const iso__plane_step_scratch *scratch, iso__plane_joint_work *work);
void iso__plane_point_warm_start(iso__plane_step_scratch *scratch, const iso__plane_joint_work *work);
void iso__plane_point_solve(iso__plane_step_scratch *scratch, iso__plane_joint_work *work, bool is_relax);

/// Computes arms, error and the inverse of K of a row alone, without a bound of the error.
void iso__plane_point_row_update(const iso__plane_step_scratch *scratch, const iso__plane_joint_pair *pair,
                                 iso__plane_point_row *row);
/// The row alone, without a joint's own softness and maximum; soft NULL: the velocity alone, rigidly.
void iso__plane_point_row_apply(iso__plane_step_scratch *scratch, const iso__plane_point_row *row, int64_t jx,
                                int64_t jy);
void iso__plane_point_row_solve(iso__plane_step_scratch *scratch, iso__plane_point_row *row, const iso__softness *soft);

#endif
