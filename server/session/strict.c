/// The late policy STRICT: at a tick's deadline the clock waits for the members who have not yet said what they do
/// in it, within bounds for the tick and for each member. While it waits, it stands; nobody has to catch up.
#include "state.h"

/// Whether the member is here, plays, and has not spoken for this tick or a later one.
static bool strict_is_missing(const iso_session *session, const iso__member *member, uint64_t tick) {
    return member->state == ISO__MEMBER_ACTIVE && member->late_policy == ISO_LATE_STRICT && member->waited_for &&
           session->connections[member->connection].phase == ISO__PHASE_ACTIVE && member->last_target < tick;
}

static void strict_charge(iso_session *session, iso__member *member, uint64_t passed_ns) {
    if (session->now_ns - member->wait_since_ns > ISO__STRICT_WINDOW_NS) {
        member->wait_since_ns = session->now_ns;
        member->waited_ns = 0;
    }
    member->waited_ns += passed_ns;
    if (member->waited_ns < ISO__STRICT_MEMBER_NS) {
        return;
    }
    iso__connection *connection = &session->connections[member->connection];
    member->late_policy = ISO_LATE_DROP;
    session->stats.strict_demotions += 1;
    iso__note_about(session, ISO_SESSION_LOG_WARN, "is too late too often and not waited for any more", connection,
                    ISO_ERR_TICK_LATE);
    iso__run_notify(session, connection, ISO_ERR_TICK_LATE);
}

bool iso__strict_waits(iso_session *session) {
    const uint64_t tick = session->sealed_tick + 1;
    if (session->config.late_policy != ISO_LATE_STRICT) {
        return false;
    }
    const bool waited = session->strict_tick == tick;
    const uint64_t passed_ns = waited ? session->now_ns - session->strict_charged_ns : 0;
    bool missing = false;
    for (uint32_t slot = 0; slot < session->slot_count; ++slot) {
        iso__member *member = &session->members[slot];
        if (strict_is_missing(session, member, tick)) {
            strict_charge(session, member, passed_ns);
            missing = missing || member->late_policy == ISO_LATE_STRICT;
        }
    }
    if (!waited && !missing) {
        return false;
    }
    if (!waited) {
        session->strict_tick = tick;
        session->strict_since_ns = session->now_ns;
        session->stats.strict_waits += 1;
    }
    session->strict_charged_ns = session->now_ns;
    if (missing && session->now_ns - session->strict_since_ns < ISO__STRICT_TICK_NS) {
        return true;
    }
    session->stats.strict_waited_ns += session->now_ns - session->strict_since_ns;
    session->strict_tick = 0;
    session->base_tick = tick;
    session->base_ns = session->now_ns;
    return false;
}

uint64_t iso__strict_deadline(const iso_session *session) {
    uint64_t deadline = session->strict_since_ns + ISO__STRICT_TICK_NS;
    for (uint32_t slot = 0; slot < session->slot_count; ++slot) {
        const iso__member *member = &session->members[slot];
        if (strict_is_missing(session, member, session->strict_tick)) {
            const uint64_t left = ISO__STRICT_MEMBER_NS - member->waited_ns;
            const uint64_t end = session->strict_charged_ns + left;
            deadline = end < deadline ? end : deadline;
        }
    }
    return deadline;
}
