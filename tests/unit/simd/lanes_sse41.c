/// See lane_tables.h.
#include "lane_tables.h"

#if ISO__HAS_X86

#include <immintrin.h>

ISO__TARGET_BEGIN("sse4.1")

#include "simd/sse41.h"

#include "lane_table.h"

LANE_TABLE(lanes_sse41)

ISO__TARGET_END

#endif
