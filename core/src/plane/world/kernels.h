/// What a step does in lanes: a table of functions for each instruction set that has any. plane/dynamics/kernels.h has
/// the tables.
#ifndef ISO_PLANE_WORLD_KERNELS_H
#define ISO_PLANE_WORLD_KERNELS_H

#include "plane/world/scratch.h"

/// Each does what the scalar code of the same name does, bit for bit.
typedef struct iso__plane_kernels {
    uint32_t contacts_min; // groups of fewer contacts are faster one by one
    /// @name Motions of the moving bodies from begin to end (plane/dynamics/motion_kernel.h). @return before which one
    /// it stopped
    /// @{
    uint32_t (*motions_accelerate)(iso__plane_step_scratch *scratch, uint32_t begin, uint32_t end);
    uint32_t (*motions_advance)(iso__plane_step_scratch *scratch, uint32_t begin, uint32_t end);
    /// @}
    /// iso_rotation_make of each. @return before which one it stopped
    uint32_t (*rotations_make)(const uint32_t *turns, iso_rotation *rotations, uint32_t count);
    /// Follows the poses of a group's contacts (plane/dynamics/contact_pose_kernel.h), as
    /// iso__plane_contact_follow_pose does.
    void (*contacts_follow)(const iso__plane *plane, iso__plane_pose_group *group);
    /// Fills the rows of a group (plane/dynamics/contact_prepare_kernel.h), as iso__plane_contact_fill_rows does.
    /// @param same  a bit per contact whose coefficients stand there: as iso__plane_contact_update_rows
    void (*contacts_prepare)(const iso__plane *plane, iso__plane_contact_group *group, uint32_t same);
    /// @name Contact rows (plane/dynamics/contact_kernel.h), of groups from begin to end, no two of which share a body
    /// that moves
    /// @{
    void (*contacts_warm_start)(iso__plane_step_scratch *scratch, uint32_t begin, uint32_t end);
    void (*contacts_solve)(iso__plane_step_scratch *scratch, uint32_t begin, uint32_t end);
    void (*contacts_relax)(iso__plane_step_scratch *scratch, uint32_t begin, uint32_t end);
    /// @}
    /// @name Rows of plain joints (plane/joint/plain_kernel.h), likewise. @return before which row it stopped
    /// @{
    uint32_t (*plain_arrive)(iso__plane_step_scratch *scratch, uint32_t begin, uint32_t end);
    uint32_t (*plain_warm_start)(iso__plane_step_scratch *scratch, uint32_t begin, uint32_t end);
    uint32_t (*plain_solve)(iso__plane_step_scratch *scratch, uint32_t begin, uint32_t end);
    uint32_t (*plain_relax)(iso__plane_step_scratch *scratch, uint32_t begin, uint32_t end);
    /// @}
} iso__plane_kernels;

#endif
