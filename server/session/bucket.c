/// Rate limits: how often a connection or member may do something.
#include "bucket.h"

#include "isostep/assert.h"

iso__bucket iso__bucket_full(uint64_t now_ns, uint32_t per_second, uint32_t burst) {
    return (iso__bucket){ISO__NS_PER_SECOND / per_second * burst, now_ns};
}

bool iso__bucket_take(iso__bucket *bucket, uint64_t now_ns, uint32_t per_second, uint32_t burst, uint32_t cost) {
    const uint64_t token_ns = ISO__NS_PER_SECOND / per_second;
    ISO_ASSERT(bucket->filled_ns <= now_ns && bucket->level_ns <= token_ns * burst);
    const uint64_t level_ns = bucket->level_ns + (now_ns - bucket->filled_ns);
    bucket->level_ns = level_ns < token_ns * burst ? level_ns : token_ns * burst;
    bucket->filled_ns = now_ns;
    const uint64_t cost_ns = token_ns * cost;
    if (bucket->level_ns < cost_ns) {
        return false;
    }
    bucket->level_ns -= cost_ns;
    return true;
}

bool iso__strikes_add(iso__strikes *strikes, uint64_t now_ns) {
    ISO_ASSERT(strikes->since_ns <= now_ns);
    if (now_ns - strikes->since_ns > ISO__STRIKES_NS) {
        strikes->count = 0;
        strikes->since_ns = now_ns;
    }
    strikes->count += 1;
    return strikes->count < ISO__STRIKES_MAX;
}
