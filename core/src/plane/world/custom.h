/// Data of joints of the kinds USER and SYMBOLIC besides their record: a constraint of the game or a program, and its
/// parameters. plane/joint/custom.c solves them.
#ifndef ISO_PLANE_WORLD_CUSTOM_H
#define ISO_PLANE_WORLD_CUSTOM_H

#include "isostep/constraint.h"
#include "plane/world/plane.h"
#include "world/constraint.h"

/// A joint's bodies, in the order of the source's declaration: A to D, or B alone.
typedef struct iso__plane_custom_bodies {
    uint32_t count;
    uint32_t index[ISO_PROGRAM_BODIES_MAX];
} iso__plane_custom_bodies;

iso_program_params iso__plane_custom_params(const iso__plane_custom_joint *record);
void iso__plane_custom_write_params(iso__plane_custom_joint *record, const iso_program_params *params);
/// The bodies of a joint whose source has `count`.
iso__plane_custom_bodies iso__plane_custom_bodies_of(const iso__plane_joint *joint, uint32_t count);
/// The record of a joint of these kinds.
static inline iso__plane_custom_joint *iso__plane_custom_of(const iso__plane *plane, const iso__plane_joint *joint) {
    return &plane->custom_joints[plane->world.custom_of[joint - plane->joints]];
}

/// What the rows of a joint of these kinds are made of.
static inline iso__custom_source iso__plane_custom_source(const iso__plane *plane,
                                                          const iso__plane_custom_joint *record) {
    return iso__custom_find(&plane->world, record->kind, record->constraint);
}

/// The n-th impulse of a joint of these kinds, two per row: the first are in the joint's record, the others in its own.
static inline int64_t iso__plane_custom_impulse(const iso__plane_joint *joint, const iso__plane_custom_joint *record,
                                                uint32_t n) {
    return n < ISO__PLANE_JOINT_IMPULSES ? joint->impulse[n] : record->impulse[n - ISO__PLANE_JOINT_IMPULSES];
}

static inline void iso__plane_custom_set_impulse(iso__plane_joint *joint, iso__plane_custom_joint *record, uint32_t n,
                                                 int64_t impulse) {
    int64_t *at = n < ISO__PLANE_JOINT_IMPULSES ? &joint->impulse[n] : &record->impulse[n - ISO__PLANE_JOINT_IMPULSES];
    *at = impulse;
}

/// Whether a joint of this definition could be created, apart from its bodies' handles.
/// @return ISO_OK; ISO_ERR_UNKNOWN_NAME; ISO_ERR_WRONG_TYPE (bodies); ISO_ERR_RANGE (parameters); ISO_ERR_CAPACITY
iso_status iso__plane_custom_check(const iso__plane *plane, const iso_joint_def *def);
/// Takes the lowest free record for a joint; iso__plane_custom_check has found one.
void iso__plane_custom_create(iso__plane *plane, uint32_t joint, const iso_joint_def *def);
/// Gives a new joint the state of another one of the same constraint, as its `copy` makes it.
void iso__plane_custom_copy(iso__plane *plane, const iso__plane_joint *from, const iso__plane_joint *to);
/// Takes the impulses of all rows of a joint of these kinds.
void iso__plane_custom_drop_impulses(iso__plane *plane, iso__plane_joint *joint);
void iso__plane_custom_destroy(iso__plane *plane, uint32_t joint);
/// Rebuilds the map from joints to their records.
void iso__plane_custom_rebuild_map(iso__plane *plane);

#endif
