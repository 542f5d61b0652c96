#include "base/affinity.h"

void iso__affinity_take(iso__affinity *affinity) {
    ISO__ASSERT_ON(affinity);
    atomic_store_explicit(&affinity->thread, (uintptr_t)pthread_self(), memory_order_relaxed);
}

void iso__affinity_release(iso__affinity *affinity) {
    ISO__ASSERT_ON(affinity);
    atomic_store_explicit(&affinity->thread, 0, memory_order_relaxed);
}
