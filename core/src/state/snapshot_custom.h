/// The rules of a snapshot that are about programs and custom joints of worlds of every kind.
#ifndef ISO_STATE_SNAPSHOT_CUSTOM_H
#define ISO_STATE_SNAPSHOT_CUSTOM_H

#include "solver/custom_bounds.h"
#include "state/snapshot_read.h"

/// Whether the snapshot's programs are ones of worlds of these dimensions.
bool iso__snapshot_check_programs(const iso__snapshot *snapshot, uint32_t dimensions);

/// What a record's rows are made of: in the snapshot, or among the game's; both pointers NULL when it is nowhere.
/// @param program  room for it
iso__custom_source iso__snapshot_custom_source(const iso_world *world, const iso__snapshot *snapshot, uint32_t kind,
                                               uint32_t constraint, iso_program *program);

/// Whether the two impulses of a row are as its rows clamp them.
bool iso__snapshot_check_row(const iso__custom_bounds *bounds, uint32_t r, bool is_on, int64_t first, int64_t second);

/// The joint of a custom record of the snapshot; UINT32_MAX: the record is free.
typedef uint32_t iso__custom_joint_fn(const iso__snapshot *snapshot, uint32_t record);

/// Whether no two records are of the same joint; each names one that there is.
bool iso__snapshot_customs_differ(const iso__snapshot *snapshot, iso__custom_joint_fn *joint_of);

#endif
