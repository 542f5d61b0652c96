/// See lane_tables.h.
#include "lane_tables.h"

#if ISO__HAS_NEON

#include "simd/neon.h"

#include "lane_table.h"

LANE_TABLE(lanes_neon)

#endif
