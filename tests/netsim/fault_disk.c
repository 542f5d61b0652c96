/// A disk whose operations come back late, all of them, until it has healed; and syncs that fail again and again.
#include "sim.h"

void disk_hang(sim *s, uint64_t duration_ns) {
    s->disk.hangs_until_ns = s->now_ns + duration_ns;
    s->disk.has_failed = true; // whoever has no room for what waits may give up
    s->totals.disk_hangs += 1;
    sim_log(s, "the disk hangs for %llu ms", (unsigned long long)(duration_ns / SIM_MS));
}

bool disk_hangs(sim *s, const sim_event *event) {
    if (s->disk.hangs_until_ns <= s->now_ns) {
        return false;
    }
    sim_schedule(s, s->disk.hangs_until_ns, *event);
    return true;
}

bool disk_sync_fails(sim *s) {
    if (s->now_ns < s->disk.sync_fails_from_ns || s->now_ns >= s->disk.sync_fails_until_ns) {
        return false;
    }
    s->disk.has_failed = true;
    s->totals.sync_failures += 1;
    return true;
}

void disk_plan(sim *s) {
    s->disk.sync_fails_from_ns = s->disk.sync_fails_until_ns = UINT64_MAX;
    if (!s->config.is_recording) {
        return;
    }
    if (sim_random_one_in(&s->trouble, 6)) {
        const uint64_t duration_ns =
            sim_random_below(&s->trouble, (sim_random_one_in(&s->trouble, 3) ? 4000 : 600) * SIM_MS);
        sim_schedule(s, sim_random_below(&s->trouble, s->shutdown_ns),
                     (sim_event){.kind = SIM_DISK_HANG, .count = duration_ns});
    }
    if (sim_random_one_in(&s->trouble, 12)) {
        s->disk.sync_fails_from_ns = sim_random_below(&s->trouble, s->shutdown_ns);
        s->disk.sync_fails_until_ns = s->disk.sync_fails_from_ns + sim_random_below(&s->trouble, 3 * SIM_SECOND);
    }
}
