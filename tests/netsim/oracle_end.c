/// What must hold at the end: nothing was lost, and the recordings give the same session again.
#include <stdlib.h>
#include <string.h>

#include "isostep/proto/recording.h"
#include "sim.h"

/// A command that came while its member was there has been decided: sealed or rejected, once. A refusal that was on its
/// way when the connection broke is not known to anybody.
static void end_check_commands(sim *s) {
    for (uint32_t index = 0; index < s->member_count; ++index) {
        const sim_member *m = &s->members[index];
        if (m->is_forgotten || client_is_wild(&s->clients[m->client])) {
            continue;
        }
        const uint64_t last = m->gone_tick != 0 ? m->gone_tick - 1 : s->last_tick;
        for (uint32_t i = 0; i < m->sent_count; ++i) {
            const sim_sent *sent = &m->sent[i];
            const uint64_t due = sent->handled_tick != UINT64_MAX && sent->handled_tick + 1 > sent->target
                                     ? sent->handled_tick + 1
                                     : sent->target;
            // What does not fit a tick may take some more.
            if (sent->handled_tick == UINT64_MAX || due + 4 > last || !oracle_were_told(s, due, due + 4)) {
                continue;
            }
            SIM_CHECK(s, sent->is_rejected || sent->sealed_tick != 0,
                      "command %llu of client %u, for tick %llu, was lost", (unsigned long long)sent->sequence,
                      m->client, (unsigned long long)sent->target);
        }
    }
}

/// Who came back, and stayed for long enough, has said again what never came.
static void end_check_said_again(sim *s) {
    for (uint32_t index = 0; index < s->member_count; ++index) {
        const sim_member *m = &s->members[index];
        const sim_client *c = &s->clients[m->client];
        if (m->is_forgotten || !c->is_settled || &s->members[c->member] != m || client_is_wild(c)) {
            continue;
        }
        for (uint32_t i = 0; i < m->sent_count; ++i) {
            const sim_sent *sent = &m->sent[i];
            SIM_CHECK(s,
                      sent->link == c->last_link || sent->handled_tick != UINT64_MAX || sent->sealed_tick != 0 ||
                          sent->is_rejected || sent->is_withdrawn,
                      "command %llu of client %u never came, and it was not said again",
                      (unsigned long long)sent->sequence, m->client);
        }
    }
}

/// Whether a client has heard of everything that a server has said of something by now.
static bool end_has_heard(const sim *s, const sim_client *c, const sim_sent *sent) {
    const uint64_t heard_tick = sent->handled_tick > sent->target ? sent->handled_tick : sent->target;
    const uint64_t patience = s->config.future_ticks_max + s->config.late_ticks_max + 4u * s->def.tick_rate_hz;
    const bool reachable =
        c->bytes_per_second == 0 && s->shutdown_ns > c->partition_until_ns + 4 * SIM_SECOND && !c->has_stalled_once;
    return reachable && sent->handled_tick != UINT64_MAX && heard_tick + patience < c->tick;
}

/// Who comes to its last tick as a member knows what became of its commands, or that it will not know.
static void end_check_fates(sim *s) {
    for (uint32_t index = 0; index < s->member_count; ++index) {
        const sim_member *m = &s->members[index];
        const sim_client *c = &s->clients[m->client];
        if (m->is_forgotten || client_is_wild(c) || c->member == SIM_NONE || &s->members[c->member] != m) {
            continue;
        }
        bool passed = false; // the turn of those that were sent before
        for (uint32_t i = m->sent_count; i-- > 0;) {
            const sim_sent *sent = &m->sent[i];
            passed = passed || (sent->is_told && sent->sealed_tick != 0 && sent->sealed_tick + 20 < c->tick);
            SIM_CHECK(s, sent->is_told || sent->is_withdrawn || !(passed || end_has_heard(s, c, sent)),
                      "client %u is never told what became of command %llu, for tick %llu", m->client,
                      (unsigned long long)sent->sequence, (unsigned long long)sent->target);
        }
    }
}

static void end_check_clients(sim *s) {
    for (uint32_t index = 0; index < s->client_count; ++index) {
        const sim_client *c = &s->clients[index];
        SIM_CHECK(s, !c->is_connected || c->has_ended, "client %u has not ended", index);
        const bool flips =
            c->flip_at_tick != 0 && c->active_tick != 0 && c->tick > c->flip_at_tick && c->tick > c->active_tick;
        SIM_CHECK(s, !flips || c->flip_state != SIM_TO_FLIP || c->has_come_back,
                  "client %u flipped a bit at tick %llu and was not found out", index,
                  (unsigned long long)c->flip_at_tick);
    }
    for (uint32_t link = 0; link < s->link_count; ++link) {
        SIM_CHECK(s, !s->links[link].is_open_at_server || s->links[link].is_dead,
                  "connection %u is still open at the server", link);
    }
}

/// Steps the recorded ticks from the recorded first state; every root must be the one that the session had.
static void end_resimulate(sim *s, const iso_recording *recording, bool present) {
    iso_recording_keyframe keyframe;
    iso_recording_find_keyframe(recording, 0, &keyframe);
    uint8_t *state = malloc(keyframe.raw_size);
    const size_t size = iso_world_size(&recording->header.def, s->game);
    void *memory = aligned_alloc(64, size);
    iso_world *world = NULL;
    iso_status status = iso_recording_load_keyframe(recording, &keyframe, state);
    status = status == ISO_OK ? iso_world_create(&recording->header.def, s->game, memory, size, &world) : status;
    status = status == ISO_OK ? iso_snapshot_decode(world, state, keyframe.raw_size) : status;
    SIM_CHECK(s, status == ISO_OK, "the recording's first state cannot be read: %s", iso_status_name(status));
    SIM_CHECK(s, !present || iso_world_root(world) == s->ticks[keyframe.tick].root,
              "the recording's first state is another one");

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
        const uint64_t expected = present ? s->ticks[tick.input.tick].root : tick.root;
        SIM_CHECK(s, root == expected && tick.has_root && tick.root == root,
                  "the recording gives another root after tick %llu", (unsigned long long)tick.input.tick);
        s->totals.roots_verified += 1;
    }
    SIM_CHECK(s, iso_world_get_tick(world) == recording->last_tick, "the recording ends elsewhere than it says");
    free(memory);
    free(state);
}

/// @return the last tick that the file has of the session as it ended; 0: none
static uint64_t end_check_file(sim *s, const sim_file *file, bool degraded) {
    const bool part = strstr(file->name, ".part") != NULL;
    iso_recording recording;
    iso_recording_error error;
    const iso_status status = iso_recording_open(&recording, file->bytes, file->size,
                                                 part ? ISO_RECORDING_TORN : ISO_RECORDING_STRICT, &error);
    if (part && (degraded || s->disk.has_ever_failed) && status == ISO_ERR_TRUNCATED) {
        return 0; // the disk failed before there was anything
    }
    SIM_CHECK(s, status == ISO_OK, "%s cannot be read: %s at %llu: %s", file->name, iso_status_name(status),
              (unsigned long long)error.offset, error.what);
    SIM_CHECK(s, part != recording.is_sealed || degraded || s->disk.has_ever_failed, "%s is%s sealed", file->name,
              part ? "" : " not");
    const bool present = memcmp(recording.header.uid, s->config.uid, sizeof recording.header.uid) == 0;
    end_resimulate(s, &recording, present && !s->is_after_degraded);
    return present ? recording.last_tick : 0;
}

static void end_check_recordings(sim *s) {
    if (!s->config.is_recording) {
        return;
    }
    const bool degraded = !recording_is_safe(s);
    uint64_t last = 0;
    for (uint32_t i = 0; i < s->disk.file_count; ++i) {
        if (disk_has_recording(&s->disk.files[i])) {
            const uint64_t tick = end_check_file(s, &s->disk.files[i], degraded || s->is_after_degraded);
            last = tick > last ? tick : last;
        }
    }
    SIM_CHECK(s, degraded || last == s->last_tick, "the recordings end at tick %llu, the session at %llu",
              (unsigned long long)last, (unsigned long long)s->last_tick);
    SIM_CHECK(s, last >= s->disk_tick, "tick %llu was sent and is not in the recording",
              (unsigned long long)s->disk_tick);
}

void oracle_end(sim *s) {
    end_check_clients(s);
    end_check_commands(s);
    end_check_said_again(s);
    end_check_fates(s);
    end_check_recordings(s);
}
