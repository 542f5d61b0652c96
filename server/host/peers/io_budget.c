#include "host/peers/io_budget.h"

#include "base/clock.h"
#include "isostep/assert.h"

void iso__io_budget_init(iso__io_budget *budget, uint64_t now, uint32_t bytes_per_second, uint64_t bytes) {
    *budget =
        (iso__io_budget){.left = (uint64_t)bytes_per_second * ISO__IO_BUDGET_PER_BYTE, .at_ns = now, .bytes = bytes};
}

bool iso__io_budget_take(iso__io_budget *budget, uint64_t now, uint32_t bytes_per_second, uint64_t bytes,
                         uint32_t units) {
    ISO_ASSERT(bytes >= budget->bytes);
    const uint64_t full = (uint64_t)bytes_per_second * ISO__IO_BUDGET_PER_BYTE;
    const uint64_t passed = now > budget->at_ns ? now - budget->at_ns : 0;
    const uint64_t gained = passed >= ISO__NS_PER_S ? full : full * (passed / 1000) / (ISO__NS_PER_S / 1000);
    if (gained > 0) {
        budget->left = budget->left + gained < full ? budget->left + gained : full;
        budget->at_ns = now;
    }
    const uint64_t cost = bytes - budget->bytes + units;
    budget->bytes = bytes;
    if (cost > budget->left) {
        budget->left = 0;
        return false;
    }
    budget->left -= cost;
    return true;
}
