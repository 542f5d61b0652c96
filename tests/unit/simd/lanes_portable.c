/// See lane_tables.h.
#include "simd/portable.h"

#include "lane_table.h"

LANE_TABLE(lanes_portable)
