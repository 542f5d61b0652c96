#include "base/stops.h"
#include "isostep/assert.h"

bool iso__stops_give_grace(iso__stops *stops, uint64_t now_ns, uint64_t interval_ns) {
    ISO_ASSERT(now_ns >= stops->called_ns && interval_ns > 0);
    if (stops->called_ns != 0 && now_ns > stops->called_ns + interval_ns + ISO__STOPS_LATE_NS) {
        stops->grace_until_ns = now_ns + ISO__STOPS_GRACE_NS;
    }
    stops->called_ns = now_ns;
    return now_ns < stops->grace_until_ns;
}
