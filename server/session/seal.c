/// Sealing a tick: from then on its input is fixed, and the world has been stepped with it.
#include "seal.h"

#include "isostep/assert.h"

#include "commands.h"
#include "end.h"
#include "image.h"
#include "member.h"
#include "places.h"
#include "ring.h"

bool iso__seal_is_held(const iso_session *session) {
    ISO_ASSERT(session->written_tick <= session->sealed_tick);
    const uint64_t in_flight = session->sealed_tick - session->written_tick;
    return session->is_recording && in_flight > 0 &&
           (in_flight >= ISO__IN_FLIGHT_MAX || !iso__ring_spares(&session->ring, session->written_tick + 1));
}

/// Keeps what members without a world of their own cannot compute: which commands were not carried out, and what
/// commands created.
static void seal_keep_results(iso_session *session, const iso_tick_input *input) {
    uint32_t count;
    const iso_command_result *results = iso_world_get_results(session->world, &count);
    for (uint32_t i = 0; i < input->command_count && i < count; ++i) {
        if (results[i].status == ISO_OK && results[i].id == 0) {
            continue;
        }
        const iso_sealed_command *sealed = &input->commands[i];
        iso__member *member = &session->members[sealed->slot];
        if (member->result_count == ISO_STATUS_RESULTS_MAX) {
            member->result_first = (member->result_first + 1u) % ISO_STATUS_RESULTS_MAX;
            member->result_count -= 1;
        }
        member->results[(member->result_first + member->result_count++) % ISO_STATUS_RESULTS_MAX] =
            (iso__result){input->tick, {sealed->sequence, results[i].status, results[i].id}};
    }
}

/// Effects of a new tick on each member.
static void seal_visit_connections(iso_session *session) {
    for (uint32_t i = 0; i < session->connection_count; ++i) {
        const uint32_t index = session->open[i];
        iso__connection *connection = &session->connections[index];
        if (connection->phase == ISO__PHASE_CATCH_UP) {
            const uint32_t budget = connection->replay_budget + ISO__REPLAY_PER_TICK;
            connection->replay_budget = budget < ISO__REPLAY_BURST ? budget : ISO__REPLAY_BURST;
            iso__connection_touch(session, connection);
        }
        // Spread over several ticks.
        const bool urgent =
            connection->slot != ISO_SLOT_NONE && session->members[connection->slot].result_count >= ISO__RESULTS_URGENT;
        if (connection->phase == ISO__PHASE_ACTIVE &&
            (urgent || (session->sealed_tick + index) % session->status_ticks == 0)) {
            connection->is_status_due = true;
            iso__connection_touch(session, connection);
        }
        iso__connection_check(session, connection);
    }
}

void iso__seal(iso_session *session) {
    ISO_ASSERT(session->run == ISO__RUN_OPEN && !session->is_paused);
    ISO_ASSERT(iso_world_get_tick(session->world) == session->sealed_tick);
    const uint64_t tick = session->sealed_tick + 1;
    if (session->now_ns > iso_session_tick_deadline(session, tick + 1)) {
        session->stats.ticks_late += 1;
    }
    iso_tick_input input = {.tick = tick, .changes = session->changes, .commands = session->commands};
    input.change_count = iso__member_changes(session, session->changes);
    input.command_count = iso__commands_take(session, tick, session->commands);

    // The session has built the input, so the world cannot refuse it.
    const iso_status status = iso_world_step(session->world, &input);
    ISO_ASSERT(status == ISO_OK);
    seal_keep_results(session, &input);
    iso__ring_append(&session->ring, &input, session->canonical, iso_world_root(session->world));
    session->input = input;
    session->sealed_tick = tick;
    session->stats.ticks_sealed += 1;

    iso__member_apply_changes(session);
    seal_visit_connections(session);
    iso__image_let_go(session);
    iso__image_take_keyframe(session);
}
