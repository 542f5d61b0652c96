/// The late policy STRICT: at a tick's deadline the clock waits for members whose INPUT for it has not arrived, within
/// limits for the tick, for each origin and for the session. While it waits it is stopped, so that no tick has to be
/// caught up.
///
/// An allowance belongs to an origin, which the host knows, and not to a member or its connection: cutting the
/// connection or joining again does not renew it. The total waiting time of a session in a minute is limited as well. A
/// smaller limit applies to all newcomers together, so that a client that joins from ever new origins delays the
/// session little and takes nothing from the other members.
#include "strict.h"

#include "isostep/assert.h"

#include "note.h"
#include "run.h"

/// Members whose origin has used up its allowance. Members of one origin share it.
static uint64_t strict_key(const iso_session *session, const iso__member *member) {
    return member->origin != 0 ? member->origin : (uint64_t)(member - session->members) + 1u;
}

/// Whether the member is present, plays, and has sent no INPUT for this tick or a later one.
static bool strict_is_missing(const iso_session *session, const iso__member *member, uint64_t tick) {
    return member->state == ISO__MEMBER_ACTIVE && member->late_policy == ISO_LATE_STRICT && member->is_waited_for &&
           session->connections[member->connection].phase == ISO__PHASE_ACTIVE && member->last_target < tick;
}

static bool strict_is_newcomer(const iso_session *session, const iso__member *member) {
    return session->now_ns < member->newcomer_until_ns;
}

/// The rest of an allowance in its minute [ns].
static uint64_t strict_left(const iso_session *session, const iso__allowance *allowance, uint64_t whole_ns) {
    const bool over = session->now_ns - allowance->since_ns > ISO__STRICT_WINDOW_NS;
    return over ? whole_ns : whole_ns - (allowance->used_ns < whole_ns ? allowance->used_ns : whole_ns);
}

static void strict_use(const iso_session *session, iso__allowance *allowance, uint64_t passed_ns) {
    if (session->now_ns - allowance->since_ns > ISO__STRICT_WINDOW_NS) {
        allowance->since_ns = session->now_ns;
        allowance->used_ns = 0;
    }
    allowance->used_ns += passed_ns;
}

/// The allowance of an origin. @return NULL when there is no place for it: too many others have used theirs
static iso__allowance *strict_find(iso_session *session, uint64_t key) {
    iso__allowance *oldest = NULL;
    for (uint32_t i = 0; i < ISO__STRICT_ORIGINS; ++i) {
        iso__allowance *allowance = &session->strict_origins[i];
        if (allowance->key == key) {
            return allowance;
        }
        if (strict_left(session, allowance, ISO__STRICT_ORIGIN_NS) == ISO__STRICT_ORIGIN_NS &&
            (oldest == NULL || allowance->since_ns < oldest->since_ns)) {
            oldest = allowance;
        }
    }
    if (oldest != NULL) {
        *oldest = (iso__allowance){.key = key, .since_ns = session->now_ns};
    }
    return oldest;
}

static void strict_demote(iso_session *session, iso__member *member) {
    iso__connection *connection = &session->connections[member->connection];
    member->late_policy = ISO_LATE_DROP;
    session->stats.strict_demotions += 1;
    iso__note_about(session, ISO_SESSION_LOG_WARN, "was too late too often, the clock no longer waits for it",
                    connection, ISO_ERR_TICK_LATE);
    iso__run_notify(session, connection, ISO_ERR_TICK_LATE);
}

/// Charges the time since the last check to all members that the clock has waited for, including those that have left
/// meanwhile.
static void strict_charge(iso_session *session) {
    const uint64_t passed_ns = session->now_ns - session->strict_charged_ns;
    for (uint32_t i = 0; i < session->strict_key_count; ++i) {
        iso__allowance *allowance = strict_find(session, session->strict_keys[i]);
        if (allowance != NULL) {
            strict_use(session, allowance, passed_ns);
        }
    }
    strict_use(session, &session->strict_all, passed_ns);
    if (session->is_strict_for_newcomers_only) {
        strict_use(session, &session->strict_newcomers, passed_ns);
    }
}

static void strict_remember(iso_session *session, const iso__member *member, uint64_t left_ns) {
    const uint64_t key = strict_key(session, member);
    bool known = false;
    for (uint32_t i = 0; i < session->strict_key_count; ++i) {
        known = known || session->strict_keys[i] == key;
    }
    if (!known) {
        session->strict_keys[session->strict_key_count++] = key;
    }
    session->is_strict_for_newcomers_only =
        session->is_strict_for_newcomers_only && strict_is_newcomer(session, member);
    const uint64_t end_ns = session->now_ns + left_ns;
    session->strict_end_ns = end_ns < session->strict_end_ns ? end_ns : session->strict_end_ns;
}

/// Determines the missing members for which the clock may still wait. A member whose origin has used up its allowance
/// is informed.
static void strict_look(iso_session *session, uint64_t tick) {
    const uint64_t all = strict_left(session, &session->strict_all, ISO__STRICT_SESSION_NS);
    const uint64_t newcomers = strict_left(session, &session->strict_newcomers, ISO__STRICT_NEWCOMERS_NS);
    session->strict_key_count = 0;
    session->is_strict_for_newcomers_only = true;
    session->strict_end_ns = UINT64_MAX;
    for (uint32_t slot = 0; slot < session->slot_count; ++slot) {
        iso__member *member = &session->members[slot];
        if (!strict_is_missing(session, member, tick)) {
            continue;
        }
        const iso__allowance *allowance = strict_find(session, strict_key(session, member));
        uint64_t left = allowance != NULL ? strict_left(session, allowance, ISO__STRICT_ORIGIN_NS) : 0;
        if (allowance != NULL && left == 0) {
            strict_demote(session, member);
            continue;
        }
        left = all < left ? all : left;
        left = strict_is_newcomer(session, member) && newcomers < left ? newcomers : left;
        if (left > 0) {
            strict_remember(session, member, left);
        }
    }
}

bool iso__strict_waits(iso_session *session) {
    ISO_ASSERT(session->strict_tick == 0 || session->strict_tick == session->sealed_tick + 1u);
    const uint64_t tick = session->sealed_tick + 1;
    if (session->config.late_policy != ISO_LATE_STRICT) {
        return false;
    }
    const bool waited = session->strict_tick == tick;
    if (waited) {
        strict_charge(session);
    }
    strict_look(session, tick);
    const bool missing = session->strict_key_count > 0;
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
    ISO_ASSERT(session->strict_tick == session->sealed_tick + 1u);
    const uint64_t deadline = session->strict_since_ns + ISO__STRICT_TICK_NS;
    return session->strict_end_ns < deadline ? session->strict_end_ns : deadline;
}
