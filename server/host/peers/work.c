#include "host/peers/work.h"

#include "base/clock.h"
#include "isostep/assert.h"

void iso__work_init(iso__work *work, uint64_t now, uint32_t bytes_per_second, uint64_t bytes) {
    *work = (iso__work){.left = (uint64_t)bytes_per_second * ISO__WORK_PER_BYTE, .at_ns = now, .bytes = bytes};
}

bool iso__work_take(iso__work *work, uint64_t now, uint32_t bytes_per_second, uint64_t bytes, uint32_t units) {
    ISO_ASSERT(bytes >= work->bytes);
    const uint64_t full = (uint64_t)bytes_per_second * ISO__WORK_PER_BYTE;
    const uint64_t passed = now > work->at_ns ? now - work->at_ns : 0;
    const uint64_t gained = passed >= ISO__NS_PER_S ? full : full * (passed / 1000) / (ISO__NS_PER_S / 1000);
    if (gained > 0) {
        work->left = work->left + gained < full ? work->left + gained : full;
        work->at_ns = now;
    }
    const uint64_t cost = bytes - work->bytes + units;
    work->bytes = bytes;
    if (cost > work->left) {
        work->left = 0;
        return false;
    }
    work->left -= cost;
    return true;
}
