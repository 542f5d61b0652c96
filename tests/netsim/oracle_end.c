/// What must hold at the end: nothing was lost, and the recording gives the same session again.
#include <stdlib.h>
#include <string.h>

#include "isostep/proto/recording.h"
#include "sim.h"

/// A command that came in time while its member was there has been decided: sealed or rejected, once.
static void end_check_commands(sim *s) {
    for (uint32_t index = 0; index < s->client_count; ++index) {
        const sim_client *c = &s->clients[index];
        if (!c->activated) {
            continue;
        }
        const uint64_t last = c->gone_tick != 0 ? c->gone_tick - 1 : s->last_tick;
        for (uint32_t i = 0; i < c->sent_count; ++i) {
            const sim_sent *sent = &c->sent[i];
            const uint64_t due = sent->handled_tick != UINT64_MAX && sent->handled_tick + 1 > sent->target
                                     ? sent->handled_tick + 1
                                     : sent->target;
            // What does not fit a tick may take some more.
            if (sent->handled_tick == UINT64_MAX || due + 4 > last) {
                continue;
            }
            SIM_CHECK(s, sent->rejected || sent->sealed_tick != 0, "command %llu of client %u, for tick %llu, was lost",
                      (unsigned long long)sent->sequence, index, (unsigned long long)sent->target);
        }
    }
}

static void end_check_clients(sim *s) {
    for (uint32_t index = 0; index < s->client_count; ++index) {
        const sim_client *c = &s->clients[index];
        SIM_CHECK(s, !c->connected || c->ended, "client %u has not ended", index);
        const bool flips =
            c->flip_at_tick != 0 && c->active_tick != 0 && c->tick > c->flip_at_tick && c->tick > c->active_tick;
        SIM_CHECK(s, !flips || c->flipped, "client %u flipped a bit at tick %llu and was not found out", index,
                  (unsigned long long)c->flip_at_tick);
        SIM_CHECK(s, !s->links[index].open_at_server, "connection %u is still open at the server", index);
    }
}

/// Steps the recorded ticks from the recorded first state; every root must be the one that the session had.
static void end_resimulate(sim *s, const iso_recording *recording) {
    iso_recording_keyframe keyframe;
    iso_recording_find_keyframe(recording, 0, &keyframe);
    uint8_t *state = malloc(keyframe.raw_size);
    const size_t size = iso_world_size(&recording->header.def, &iso_game_sandbox);
    void *memory = aligned_alloc(64, size);
    iso_world *world = NULL;
    iso_status status = iso_recording_load_keyframe(recording, &keyframe, state);
    status =
        status == ISO_OK ? iso_world_create(&recording->header.def, &iso_game_sandbox, memory, size, &world) : status;
    status = status == ISO_OK ? iso_snapshot_decode(world, state, keyframe.raw_size) : status;
    SIM_CHECK(s, status == ISO_OK, "the recording's first state cannot be read: %s", iso_status_name(status));
    SIM_CHECK(s, iso_world_root(world) == s->ticks[0].root, "the recording's first state is another one");

    static iso_recording_tick_buffer buffer;
    uint64_t offset = keyframe.ticks_offset;
    iso_recording_frame frame;
    while (iso_recording_next(recording, &offset, &frame)) {
        iso_recording_tick tick;
        if (frame.type != ISO_RECORDING_TICK) {
            continue;
        }
        status = iso_recording_read_tick(&frame, &buffer, &tick);
        status = status == ISO_OK ? iso_world_step(world, &tick.input) : status;
        SIM_CHECK(s, status == ISO_OK, "a recorded tick cannot be stepped: %s", iso_status_name(status));
        const uint64_t root = iso_world_root(world);
        SIM_CHECK(s, root == s->ticks[tick.input.tick].root && tick.has_root && tick.root == root,
                  "the recording gives another root after tick %llu", (unsigned long long)tick.input.tick);
        s->totals.roots_verified += 1;
    }
    SIM_CHECK(s, iso_world_get_tick(world) == recording->last_tick, "the recording ends elsewhere than it says");
    free(memory);
    free(state);
}

static void end_check_recording(sim *s) {
    if (!s->config.recording) {
        return;
    }
    iso_recorder_progress progress;
    iso_recorder_get_progress(s->server.recorder, &progress);
    iso_recording recording;
    iso_recording_error error;
    if (!progress.started) {
        SIM_CHECK(s, progress.degraded, "nothing was recorded");
        return; // the disk failed before there was anything
    }
    const iso_recording_mode mode = progress.sealed && !progress.degraded ? ISO_RECORDING_STRICT : ISO_RECORDING_TORN;
    const iso_status status = iso_recording_open(&recording, s->disk.bytes, s->disk.size, mode, &error);
    SIM_CHECK(s, status == ISO_OK, "the recording cannot be read: %s at %llu: %s", iso_status_name(status),
              (unsigned long long)error.offset, error.what);
    SIM_CHECK(s, progress.degraded || (progress.sealed && recording.sealed), "the recording is not sealed");
    SIM_CHECK(s, progress.degraded || recording.last_tick == s->last_tick,
              "the recording ends at tick %llu, the session at %llu", (unsigned long long)recording.last_tick,
              (unsigned long long)s->last_tick);
    SIM_CHECK(s, recording.last_tick >= s->disk_tick, "tick %llu was sent and is not in the recording",
              (unsigned long long)s->disk_tick);
    SIM_CHECK(s, strstr(s->disk.name, ".part") == NULL || progress.degraded, "a sealed recording is called %s",
              s->disk.name);
    end_resimulate(s, &recording);
}

void oracle_end(sim *s) {
    end_check_clients(s);
    end_check_commands(s);
    end_check_recording(s);
}
