/// Rate limits: how often a connection or member may do something.
#ifndef ISO_SESSION_BUCKET_H
#define ISO_SESSION_BUCKET_H

#include "state.h"

/// Takes `cost` tokens from a bucket of `burst` tokens that gains `per_second` a second.
/// @return false when there are fewer; nothing is taken then
bool iso__bucket_take(iso__bucket *bucket, uint64_t now_ns, uint32_t per_second, uint32_t burst, uint32_t cost);
iso__bucket iso__bucket_full(uint64_t now_ns, uint32_t per_second, uint32_t burst);
/// Counts one more. @return false when the limit is reached
bool iso__strikes_add(iso__strikes *strikes, uint64_t now_ns);

#endif
