/// See lane_tables.h.
#include "lane_tables.h"

#if ISO__HAS_X86

#include <immintrin.h>

ISO__TARGET_BEGIN("avx2")

#include "simd/avx2.h"

#include "lane_table.h"

LANE_TABLE(lanes_avx2)

ISO__TARGET_END

#endif
