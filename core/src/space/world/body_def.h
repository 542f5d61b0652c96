/// Definitions of bodies in space beyond the public interface.
#ifndef ISO_SPACE_WORLD_BODY_DEF_H
#define ISO_SPACE_WORLD_BODY_DEF_H

#include "isostep/body3.h"

/// The part of iso_body3_def_check without owner and parameters: type, pose and velocities.
/// @return ISO_OK; ISO_ERR_RANGE; ISO_ERR_BAD_ENUM.
iso_status iso__space_body_motion_check(const iso_body3_def *def);

/// Whether a body may have these principal moments of inertia [kg m^2] of its own, as far as that follows from them
/// alone: above 0, from the smallest to the largest, that at most the sum of the others, as of any mass. All 0: those
/// of its shapes.
bool iso__space_body_moments_are_valid(iso_vec3_wide moments);

#endif
