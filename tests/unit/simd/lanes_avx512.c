/// See lane_tables.h.
#include "lane_tables.h"

#if ISO__HAS_X86

#include <immintrin.h>

ISO__TARGET_BEGIN("avx512f,avx512dq,avx512bw,avx512vl,avx2")

#include "simd/avx512.h"

#include "lane_table.h"

LANE_TABLE(lanes_avx512)

ISO__TARGET_END

#endif
