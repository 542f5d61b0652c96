/// The masses that joints' impulses are measured in: the change of units between forces, torques and impulses in
/// velocity units, j = sigma lambda, and their conversion when a body's mass changes.
///
///   force   F = j / (sigma h),  sigma = 1/mA + 1/mB, so 1/sigma is the reduced mass
///   torque  M = j / (sigma h),  sigma = 1/IA + 1/IB,  1/I = G / (m L^2)
///
/// Ranges: m up to 2^17 kg [2^49], G from 1 to 500 [2^22 to 2^31], L = 2^k, k from -8 to 6, forces up to 2^31 [2^63].
/// M G 2^(10 - 2k) is below 2^120; j rate below 2^61, and that times m below 2^110. Results saturate.
#ifndef ISO_PLANE_WORLD_JOINT_MASS_H
#define ISO_PLANE_WORLD_JOINT_MASS_H

#include "plane/world/plane.h"
#include "solver/axis.h"
#include "solver/mass.h"

/// The derived data of a body, or of the world, which has no mass.
extern const iso__plane_body_derived iso__plane_joint_of_world;
static inline const iso__plane_body_derived *iso__plane_joint_body(const iso__plane *plane, uint32_t body) {
    return body < plane->world.def.body_capacity ? &plane->body_derived[body] : &iso__plane_joint_of_world;
}

/// The largest j of a force [N] in a substep of these bodies: sigma F h, rounded up; INT64_MAX for a force of 0.
int64_t iso__plane_joint_impulse_of_force(iso_wide force, const iso__plane_body_derived *a,
                                          const iso__plane_body_derived *b, int64_t h);
/// As above for a torque [N m] and an angular impulse of r phiB - phiA; the torque is that on A.
int64_t iso__plane_joint_impulse_of_torque(iso_wide torque, const iso__plane_body_derived *a,
                                           const iso__plane_body_derived *b, int64_t ratio, int64_t h);
iso_wide iso__plane_joint_torque_of_impulse(int64_t impulse, const iso__plane_body_derived *a,
                                            const iso__plane_body_derived *b, int64_t ratio, int32_t rate);

/// The ratio r of a joint's angle, Q31.32; 1 for kinds without one.
int64_t iso__plane_joint_ratio(const iso__plane_joint *joint);

/// 1/sigma [kg] of a joint's lengths; 0 when none of its bodies has mass.
iso_wide iso__plane_joint_reduced_mass(const iso__plane *plane, const iso__plane_joint *joint);

/// A's share (1/IA) / (1/IA + r^2/IB) as Q2.30 with 1/I = G / (m L^2); a body without gyration does not turn.
int64_t iso__plane_joint_angular_share(const iso__plane_body_derived *a, const iso__plane_body_derived *b,
                                       int64_t ratio);

/// The torque [N m] that gives all different bodies of a joint this angular acceleration [rad/s^2] Q31.32 in sum.
iso_wide iso__plane_joint_torque_of_turn(const iso__plane *plane, const iso__plane_joint *joint, int64_t acceleration);

/// Keeps the physical impulses of the joints of a body whose derived data were `before`. In order of their indices;
/// linear in the number of all joints, unless the body has none.
void iso__plane_joints_rescale(iso__plane *plane, uint32_t body, const iso__plane_body_derived *before);

#endif
