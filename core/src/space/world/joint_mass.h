/// The masses that joints' impulses in space are measured in: see space/joint/work.h, and plane/world/joint_mass.h for
/// the plane.
///
///   force   F = j / (sigma h),  sigma = 1/mA + 1/mB
///   torque  M = j / (sigma h),  sigma = 1/IA + r^2/IB,  1/I = G_min / (m L^2) of the largest moment
///
/// r is the ratio of a GEAR, else 1: Q31.32, positive, from 1/64 to 64; M is then that on A, and r M that on B.
///
/// Ranges: m from 2^-16 to 2^17 kg, G from 1/4 to 2^16, L = 2^k with k from -8 to 6, forces up to 2^31. Products go
/// through 128 bits, are rounded once and saturate.
#ifndef ISO_SPACE_WORLD_JOINT_MASS_H
#define ISO_SPACE_WORLD_JOINT_MASS_H

#include "math/fixed_ops.h"
#include "space/world/joint.h"
#include "space/world/space.h"

#define ISO__SPACE_BLOCK_IMPULSE_MAX (INT64_C(1) << 47) // of a component, [m/s] or [rad/s] Q31.32: 2^15
#define ISO__SPACE_AXIS_IMPULSE_MAX  (INT64_C(1) << 50) // of a row of an axis: 2^18

/// What the world itself has: no mass, it does not turn.
extern const iso__space_body_derived iso__space_joint_of_world;

static inline const iso__space_body_derived *iso__space_joint_body_of(const iso__space *space, uint32_t body) {
    return body < space->world.def.body_capacity ? &space->body_derived[body] : &iso__space_joint_of_world;
}

/// The r of a joint.
static inline iso_wide iso__space_joint_ratio(const iso__space_joint *joint) {
    return (iso__space_joint_has(joint) & ISO_JOINT3_HAS_RATIO) != 0 ? (iso_wide)iso__abs_u32(joint->ratio) << 16
                                                                     : ISO_WIDE_ONE;
}

/// A's share (1/IA) / (1/IA + r^2/IB), Q2.30; a body without gyration does not turn.
int32_t iso__space_joint_turn_share(const iso__space_body_derived *a, const iso__space_body_derived *b, iso_wide ratio);

/// The largest j of a force [N], or a torque [N m], in a substep h [s] Q.36, rounded up; INT64_MAX for 0.
int64_t iso__space_joint_impulse_of_force(iso_wide force, const iso__space_body_derived *a,
                                          const iso__space_body_derived *b, int64_t h);
int64_t iso__space_joint_impulse_of_torque(iso_wide torque, const iso__space_body_derived *a,
                                           const iso__space_body_derived *b, iso_wide ratio, int64_t h);

/// The force [N] and the torque [N m] of an impulse at so many substeps a second.
iso_wide iso__space_joint_force_of(int64_t impulse, const iso__space_body_derived *a, const iso__space_body_derived *b,
                                   int32_t rate);
iso_wide iso__space_joint_torque_of(int64_t impulse, const iso__space_body_derived *a, const iso__space_body_derived *b,
                                    iso_wide ratio, int32_t rate);

/// Keeps the physical impulses of the joints of a body whose derived data were `before`. In order of their indices;
/// linear in the number of all joints, unless the body has none.
void iso__space_joints_rescale(iso__space *space, uint32_t body, const iso__space_body_derived *before);

#endif
