/// Resuming: proof of a member's identity, and the state to continue from.
///
/// Secret number n of a member is a keyed hash over the session, the slot, its generation and n. Secrets are not
/// stored, so a server that continues from a recording can compute them again. A joiner gets the first number above the
/// run's that was not promised to its slot and generation before. A member that resumes gets the number after the last
/// used one, however often it resumes before using that. A secret is used with the first message after ACTIVATE under
/// it: then the peer certainly has it, and it is the only valid one. The recording has that number before WELCOME gives
/// the next one away. So a server that is killed at any time, any number of times, knows all valid numbers: the one in
/// its recording, and the next one.
///
/// The run's number is random, because one run knows nothing of another whose recording is lost: both may continue from
/// the same state, in the same epoch, and give the same slot and generation to two clients. The numbers need not be
/// secret: without the key they are useless.
#include "resume.h"

#include <string.h>

#include "isostep/assert.h"
#include "isostep/proto/wipe.h"

#include "end.h"
#include "invariants.h"
#include "member.h"
#include "places.h"
#include "reading.h"
#include "ring.h"
#include "roster.h"
#include "stage.h"

static void resume_secret(const iso_session *session, uint8_t slot, uint32_t generation, uint32_t number,
                          uint8_t *secret) {
    uint8_t bytes[ISO_SESSION_UID_SIZE + 1u + 4u + 4u];
    memcpy(bytes, session->config.uid, ISO_SESSION_UID_SIZE);
    bytes[ISO_SESSION_UID_SIZE] = slot;
    for (uint32_t i = 0; i < 4; ++i) {
        bytes[ISO_SESSION_UID_SIZE + 1u + i] = (uint8_t)(generation >> (8u * i));
        bytes[ISO_SESSION_UID_SIZE + 5u + i] = (uint8_t)(number >> (8u * i));
    }
    session->config.secret(session->config.secret_user, bytes, sizeof bytes, secret);
}

/// @return 0 when equal, in a time that does not depend on where they differ
static uint32_t resume_differ(const uint8_t *a, const uint8_t *b, size_t size) {
    uint32_t difference = 0;
    for (size_t i = 0; i < size; ++i) {
        difference |= (uint32_t)(a[i] ^ b[i]);
    }
    return difference;
}

void iso__resume_make_secret(iso_session *session, iso__connection *connection) {
    ISO_ASSERT(iso__connection_is_seated(session, connection));
    ISO_ASSERT(session->members[connection->slot].secret_used <= session->members[connection->slot].secret_newest);
    iso__member *member = &session->members[connection->slot];
    if (session->config.secret == NULL) {
        return;
    }
    uint32_t generation = member->generation;
    if (member->state == ISO__MEMBER_RESERVED) {
        // The generation that its JOIN will give it. It may have been promised before, to a joiner that gave up.
        generation += 1u;
        member->promises = member->promised_generation == generation ? member->promises + 1u : 1u;
        member->promised_generation = generation;
        member->secret_newest = session->config.run + member->promises;
        member->secret_used = member->secret_newest;
        member->secret_tick = 0;
    } else if (member->secret_newest == member->secret_used) {
        member->secret_newest += 1u;
    }
    connection->secret_number = member->secret_newest;
    resume_secret(session, connection->slot, generation, member->secret_newest, connection->secret);
}

uint8_t iso__resume_find(iso_session *session, const iso_resume *resume, uint32_t *number) {
    if (session->config.secret == NULL) {
        return ISO_SLOT_NONE;
    }
    // The same work for every claim, so that the time reveals nothing.
    const uint8_t slot = resume->slot < session->slot_count ? resume->slot : 0;
    ISO_ASSERT(slot < session->slot_count);
    const iso__member *member = &session->members[slot];
    bool found = false;
    uint8_t secret[ISO_SECRET_SIZE];
    for (uint32_t i = 0; i <= ISO__SECRETS_UNKNOWN; ++i) {
        const uint32_t candidate = member->secret_used + i;
        const bool good = candidate <= member->secret_newest || member->has_unknown_secrets;
        resume_secret(session, slot, resume->slot_generation, candidate, secret);
        const bool equal = resume_differ(secret, resume->secret, sizeof secret) == 0;
        if (equal & good) {
            found = true;
            *number = candidate;
        }
    }
    iso_wipe(secret, sizeof secret);
    found &= resume_differ(resume->uid, session->config.uid, sizeof resume->uid) == 0;
    found &= resume->slot == slot;
    found &= member->state >= ISO__MEMBER_ACTIVE && member->generation == resume->slot_generation;
    return found ? slot : ISO_SLOT_NONE;
}

/// The tick from which the peer and this session can continue, when the tick that it shows is not the session's.
static bool resume_find_branch(const iso_session *session, const iso_resume *resume, uint64_t *tick) {
    const uint64_t open = iso__reading_open_tick(session);
    uint64_t branch = resume->tick < open ? resume->tick : open;
    if (resume->epoch != session->config.epoch) {
        branch = branch < session->epoch_tick ? branch : session->epoch_tick;
    } else if (resume->tick <= open) {
        return false; // of this epoch, with another root: its state is wrong, since an unknown tick
    }
    uint64_t root;
    *tick = branch;
    return branch + 1 >= session->ring.first && iso__ring_root(&session->ring, branch, &root);
}

static void resume_choose(iso_session *session, iso__connection *connection, const iso_resume *resume) {
    uint64_t root;
    const bool has_state = iso__stage_has_state(resume);
    const bool known = has_state && resume->tick <= iso__reading_open_tick(session) &&
                       iso__ring_root(&session->ring, resume->tick, &root) && root == resume->root;
    if (known && resume->tick + 1 >= session->ring.first) {
        session->stats.resumed_ticks += 1;
        connection->resumed = ISO_RESUMED_TICKS;
        iso__stage_catch_up(session, connection, resume->tick);
    } else if (has_state && !known && resume_find_branch(session, resume, &connection->rewind_tick)) {
        session->stats.resumed_rewind += 1;
        connection->resumed = ISO_RESUMED_REWIND;
        connection->is_rewind_due = true;
        iso__connection_enter(session, connection, ISO__PHASE_REWIND);
    } else {
        session->stats.resumed_snapshot += 1;
        connection->resumed = ISO_RESUMED_SNAPSHOT;
        iso__stage_image(session, connection);
    }
}

void iso__resume_begin(iso_session *session, iso__connection *connection, const iso_resume *resume, uint8_t slot,
                       uint32_t number) {
    ISO_ASSERT(slot < session->slot_count && session->members[slot].state >= ISO__MEMBER_ACTIVE);
    ISO_ASSERT(connection->phase == ISO__PHASE_HELLO && connection->slot == ISO_SLOT_NONE);
    iso__member *member = &session->members[slot];
    if (member->connection != ISO__NO_CONNECTION) {
        iso__connection_end(session, &session->connections[member->connection], ISO_ERR_TAKEN_OVER);
    }
    ISO_ASSERT(member->connection == ISO__NO_CONNECTION && number - member->secret_used <= ISO__SECRETS_UNKNOWN);
    member->connection = iso__connection_index(session, connection);
    member->secret_newest = member->secret_newest > number ? member->secret_newest : number;
    memcpy(member->name, connection->name, sizeof member->name);
    iso__roster_change(session, slot);
    member->origin = connection->origin;
    session->has_changed_holds = true;
    connection->slot = slot;
    connection->claim = *resume;
    iso_wipe(connection->claim.secret, sizeof connection->claim.secret);
    session->player_count += 1;
    iso__connection_enter(session, connection, ISO__PHASE_CLAIM);
}

void iso__resume_advance(iso_session *session, iso__connection *connection) {
    ISO_ASSERT(connection->phase == ISO__PHASE_CLAIM && iso__connection_is_seated(session, connection));
    const iso__member *member = &session->members[connection->slot];
    if (session->is_recording && session->written_tick < member->secret_tick) {
        return;
    }
    iso__resume_make_secret(session, connection);
    resume_choose(session, connection, &connection->claim);
    iso__stage_welcome(connection);
}

void iso__resume_rewind_answer(iso_session *session, iso__connection *connection, bool restored) {
    ISO_ASSERT(iso__connection_is_open(session, connection) && connection->phase != ISO__PHASE_ENDING);
    if (connection->phase != ISO__PHASE_REWIND) {
        iso__connection_end(session, connection, ISO_ERR_STATE);
        return;
    }
    connection->progress_ns = session->now_ns;
    if (restored && connection->rewind_tick + 1 >= session->ring.first) {
        session->stats.rewinds_restored += 1;
        iso__stage_catch_up(session, connection, connection->rewind_tick);
    } else if (restored) {
        iso__connection_end(session, connection, ISO_ERR_TOO_SLOW);
    } else {
        iso__stage_image(session, connection);
    }
}

void iso__resume_prove(iso_session *session, iso__connection *connection) {
    ISO_ASSERT(iso__connection_is_open(session, connection));
    ISO_ASSERT(connection->slot == ISO_SLOT_NONE || iso__connection_is_seated(session, connection));
    if (connection->is_proven || !connection->is_activated || connection->is_activation_due ||
        connection->slot == ISO_SLOT_NONE) {
        return;
    }
    connection->is_proven = true;
    iso__member *member = &session->members[connection->slot];
    member->has_unknown_secrets = false;
    if (member->secret_used != connection->secret_number) {
        member->secret_used = connection->secret_number;
        member->secret_tick = session->sealed_tick + 1u; // an event belongs to the tick after it
        iso__member_record(session, connection->slot, ISO_RECORDING_EVENT_RESUMED);
    }
}
