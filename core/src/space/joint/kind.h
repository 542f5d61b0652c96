/// The kinds of joints in space: one file each in kinds/, named after it.
#ifndef ISO_SPACE_JOINT_KIND_H
#define ISO_SPACE_JOINT_KIND_H

#include "space/joint/work.h"

typedef struct iso__space_joint_kind {
    /// When the step begins, and once a substep when the bodies have moved: sets the blocks' and axes' directions and
    /// errors from the frames of the joint.
    void (*update)(iso__space_joint_work *work);
    /// Instead, of kinds whose rows are not of blocks and axes: of where the bodies are.
    void (*arrive)(iso__space_joint_work *work, const iso__space_drift *a, const iso__space_drift *b);
} iso__space_joint_kind;

#define ISO__SPACE_JOINT_KIND_DECLARE(name, number, snake, linear, angular, axis0, axis1, axis2, has) \
    extern const iso__space_joint_kind iso__space_joint_kind_##snake;
ISO_JOINT3_KIND_LIST(ISO__SPACE_JOINT_KIND_DECLARE)
ISO_JOINT3_CUSTOM_LIST(ISO__SPACE_JOINT_KIND_DECLARE)
#undef ISO__SPACE_JOINT_KIND_DECLARE

/// The functions of a kind; it must be one.
const iso__space_joint_kind *iso__space_joint_kind_of(uint8_t kind);

/// The rows of a kind's blocks; 0 of what is no kind.
uint8_t iso__space_joint_linear_rows(uint8_t kind);
uint8_t iso__space_joint_angular_rows(uint8_t kind);

#endif
