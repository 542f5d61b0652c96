/// The hash tree, as tests see it.
#ifndef ISO_STATE_HASH_H
#define ISO_STATE_HASH_H

#include "isostep/snapshot.h"
#include "world/world.h"

/// The hash of a run of records made through the tables, as machines do it whose memory is not canonical.
uint64_t iso__hash_records_by_field(const iso_world *world, iso_section section, uint32_t first, uint32_t count);

#endif
