/// The lane operations of every instruction set, for test_lanes.
#ifndef ISO_TEST_LANE_TABLES_H
#define ISO_TEST_LANE_TABLES_H

#include <stdint.h>

#include "simd/target.h"

#define LANE_TEST_COUNT      8u // lanes, as many as the widest set takes at once
#define LANE_OPERATION_COUNT 30u

typedef struct lane_operation {
    const char *name;
    void (*run)(const int64_t *a, const int64_t *b, const int64_t *c, int64_t *out);
    int64_t defined; // the bits of a lane that the result defines
} lane_operation;

extern const lane_operation lanes_portable[LANE_OPERATION_COUNT];
extern const lane_operation lanes_sse41[LANE_OPERATION_COUNT];
extern const lane_operation lanes_avx2[LANE_OPERATION_COUNT];
extern const lane_operation lanes_avx512[LANE_OPERATION_COUNT];
extern const lane_operation lanes_neon[LANE_OPERATION_COUNT];

#endif
