/// The kinds of joints in space: one file each in kinds/, named after it.
#ifndef ISO_JOINT3_KIND3_H
#define ISO_JOINT3_KIND3_H

#include "joint3/work3.h"

typedef struct iso__joint3_kind {
    bool is_on_line; // its linear block, or a length, is along a_A; or A is pushed at B's anchor
    bool is_brake;   // its blocks hold speeds at 0, and no place
    /// When the step begins, and once a substep when the bodies have moved: sets the blocks' and axes' directions and
    /// errors from the frames of the joint.
    void (*update)(iso__joint3_work *work);
    /// Instead, of kinds whose rows are not of blocks and axes: of where the bodies are.
    void (*arrive)(iso__joint3_work *work, const iso__drift3 *a, const iso__drift3 *b);
} iso__joint3_kind;

#define ISO__JOINT3_KIND_DECLARE(name, number, snake, linear, angular, axis0, axis1, axis2) \
    extern const iso__joint3_kind iso__joint3_kind_##snake;
ISO_JOINT3_KIND_LIST(ISO__JOINT3_KIND_DECLARE)
ISO_JOINT3_CUSTOM_LIST(ISO__JOINT3_KIND_DECLARE)
#undef ISO__JOINT3_KIND_DECLARE

/// The functions of a kind; it must be one.
const iso__joint3_kind *iso__joint3_kind_of(uint8_t kind);

/// The rows of a kind's blocks; 0 of what is no kind.
uint8_t iso__joint3_linear_rows(uint8_t kind);
uint8_t iso__joint3_angular_rows(uint8_t kind);

#endif
