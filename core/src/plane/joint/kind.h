/// The kinds of joints: one file each in kinds/, named after it.
#ifndef ISO_PLANE_JOINT_KIND_H
#define ISO_PLANE_JOINT_KIND_H

#include "plane/joint/work.h"
#include "plane/world/scratch.h"

/// A kind of joint. `prepare`, `update` and `measure` each kind has; of the others it names those that it needs.
typedef struct iso__plane_joint_kind {
    /// Once a tick: sets up the rows from the record.
    void (*prepare)(const iso__plane *plane, const iso__plane_joint *joint, iso__plane_joint_work *work);
    /// When the step begins, and once a substep when the bodies have moved: sets up errors and directions from their
    /// places.
    void (*update)(const iso__plane_step_scratch *scratch, iso__plane_joint_work *work);
    /// Once a tick, after the rows' impulses were written to the record, where these are not the record's. May be NULL.
    void (*store)(const iso__plane *plane, const iso__plane_joint_work *work, iso__plane_joint *joint);
    /// Between steps, from the stored impulses.
    void (*measure)(const iso__plane *plane, const iso__plane_joint *joint, iso__plane_joint_measure *measure);
    /// Checks what only this kind requires of a definition, besides the checks of its parts and the bounds of numbers.
    bool (*check)(const iso_joint_def *def);
    /// The latch [rad] Q31.32 of a new joint or, given its previous record, of a changed one. Kinds without this
    /// function have none: 0.
    int64_t (*start)(const iso__plane *plane, const iso__plane_joint *joint, const iso__plane_joint *before);
    /// The rows of the main axis, a bit each, that the joint has beside those of its switches (iso__plane_axis_rows).
    /// Not for kinds with a point: plane/joint/plain.c asks the switches alone.
    uint32_t (*rows)(const iso__plane_joint *joint);
} iso__plane_joint_kind;

#define ISO__PLANE_JOINT_KIND_DECLARE(name, number, snake, has) \
    extern const iso__plane_joint_kind iso__plane_kind_##snake;
ISO_JOINT_KIND_LIST(ISO__PLANE_JOINT_KIND_DECLARE)
#undef ISO__PLANE_JOINT_KIND_DECLARE

/// The functions of a kind; it must be one.
const iso__plane_joint_kind *iso__plane_joint_kind_of(uint8_t kind);

/// Sets up the rows of one joint, with room for ISO__PLANE_JOINT_AXES axes; a custom joint has its own.
void iso__plane_joint_prepare(const iso__plane *plane, uint32_t index, iso__plane_joint_work *work,
                              iso__plane_axis *axes);

/// The rows that a joint has on its main axis, a bit each; the impulses of others are 0.
uint32_t iso__plane_joint_rows(const iso__plane_joint *joint);

#endif
