/// The table of an instruction set (plane/world/kernels.h). Included by one file per set, after its lane operations;
/// KERNEL_TABLE is the table's name.
#ifndef ISO_PLANE_DYNAMICS_KERNEL_TABLE_H
#define ISO_PLANE_DYNAMICS_KERNEL_TABLE_H

#include "plane/dynamics/contact_kernel.h"
#include "plane/dynamics/contact_pose_kernel.h"
#include "plane/dynamics/contact_prepare_kernel.h"
#include "plane/dynamics/motion_kernel.h"
#include "plane/joint/plain_kernel.h"

const iso__plane_kernels KERNEL_TABLE = {
    .contacts_min = 3,
    .motions_accelerate = kernel_motions_accelerate,
    .motions_advance = kernel_motions_advance,
    .rotations_make = kernel_rotations_make,
    .contacts_follow = kernel_contacts_follow,
    .contacts_prepare = kernel_contacts_prepare,
    .contacts_warm_start = kernel_contacts_warm_start,
    .contacts_solve = kernel_contacts_solve,
    .contacts_relax = kernel_contacts_relax,
    .plain_arrive = kernel_plain_arrive,
    .plain_warm_start = kernel_plain_warm_start,
    .plain_solve = kernel_plain_solve,
    .plain_relax = kernel_plain_relax,
};

#endif
