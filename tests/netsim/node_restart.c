/// The server's death, and its return from what the disk has, as server/host does it: the newest unsealed recording is
/// cut after its last whole tick and sealed there; its session goes on in the next epoch, in a new file.
#include <stdlib.h>
#include <string.h>

#include "isostep/proto/recording.h"
#include "sim.h"

void server_kill(sim *s, bool power_cut) {
    sim_server *server = &s->server;
    if (!server->up || server->shutting_down || server->closed) {
        return;
    }
    sim_log(s, power_cut ? "the power is cut" : "the server is killed");
    s->totals.kills += !power_cut;
    s->totals.power_cuts += power_cut;
    server->up = false;
    server->power_was_cut = power_cut;
    server->had_degraded = server->tape.degraded_told;
    s->after_degraded = s->after_degraded || server->had_degraded;
    recording_die(s);
    disk_crash(s, power_cut);
    server_stop(s);
    for (uint32_t i = 0; i < SIM_IMAGES_MAX; ++i) {
        server->images[i].out = false;
    }
    for (uint32_t i = 0; i < s->link_count; ++i) {
        if (s->links[i].open_at_server) {
            net_lose_server(s, i);
        }
        s->links[i].of_the_dead = true; // what it has said may be on its way for long
    }
    const uint64_t back_ns = s->now_ns + sim_random_between(&s->random, 1, 1500) * SIM_MS;
    sim_schedule(s, back_ns, (sim_event){.kind = SIM_RESTART});
    if (sim_random_one_in(&s->trouble, 3)) {
        // While clients come back.
        s->totals.second_kills += 1;
        sim_schedule(s, back_ns + sim_random_below(&s->trouble, 800 * SIM_MS),
                     (sim_event){.kind = SIM_KILL, .count = sim_random_one_in(&s->trouble, 2)});
    }
}

/// Puts the end of a sealed recording behind the last whole tick.
static void restart_seal(sim *s, sim_file *file, const iso_recording *recording) {
    static iso_recording_index_entry entries[ISO_RECORDING_INDEX_MAX];
    if (recording->sealed) {
        return; // a recording whose disk had failed ends in order, but was not renamed
    }
    iso_recording_footer footer = {.last_tick = recording->last_tick,
                                   .has_root = recording->has_root,
                                   .root_tick = recording->root_tick,
                                   .root = recording->root,
                                   .entries = entries};
    uint64_t offset = recording->frames_offset;
    iso_recording_frame frame;
    while (iso_recording_next(recording, &offset, &frame)) {
        iso_recording_keyframe keyframe;
        if (frame.type == ISO_RECORDING_KEYFRAME && footer.entry_count < ISO_RECORDING_INDEX_MAX) {
            const iso_status status = iso_recording_read_keyframe(&frame, &keyframe);
            SIM_CHECK(s, status == ISO_OK, "a recorded keyframe cannot be read");
            entries[footer.entry_count++] = (iso_recording_index_entry){keyframe.tick, frame.offset};
        }
    }
    const size_t size = (size_t)recording->size;
    const size_t room = iso_recording_end_bound(footer.entry_count);
    iso_recording_chain chain = recording->chain;
    file->bytes = realloc(file->bytes, size + room);
    file->capacity = size + room;
    file->size = size + iso_recording_encode_end(&footer, size, &chain, file->bytes + size, room);
    file->durable_size = file->size;
}

/// Whether a file had only just begun: what it goes on from has all that it has, and who is there as well.
static bool restart_is_empty_successor(const iso_recording *later, const iso_recording *earlier) {
    return later->tick_count == 0 && memcmp(later->header.uid, earlier->header.uid, sizeof later->header.uid) == 0 &&
           earlier->last_tick == later->header.first_tick;
}

/// The newest recording that can be gone on from. All unsealed ones are sealed as they are; that one keeps its name
/// until the next one has settled, so that after any further death one of the two is there.
static sim_file *restart_find(sim *s, iso_recording *recording) {
    sim_file *found = NULL;
    for (uint32_t i = s->disk.file_count; i-- > 0;) {
        sim_file *file = &s->disk.files[i];
        char *part = strstr(file->name, ".part");
        iso_recording one;
        iso_recording_error error;
        if (part == NULL) {
            continue;
        }
        const iso_status status = iso_recording_open(&one, file->bytes, file->size, ISO_RECORDING_TORN, &error);
        SIM_CHECK(s, status == ISO_OK || status == ISO_ERR_TRUNCATED, "%s is %s at offset %llu, after tick %llu: %s",
                  file->name, iso_status_name(status), (unsigned long long)error.offset, (unsigned long long)error.tick,
                  error.what);
        if (status != ISO_OK) {
            snprintf(file->name, sizeof file->name, "broken-%u-%u", s->server.incarnation, i);
            continue;
        }
        restart_seal(s, file, &one);
        if (found != NULL && !restart_is_empty_successor(recording, &one)) {
            *part = 0;
            continue;
        }
        if (found != NULL) {
            *strstr(found->name, ".part") = 0;
        }
        found = file;
        (void)iso_recording_open(recording, file->bytes, file->size, ISO_RECORDING_STRICT, &error);
    }
    return found;
}

static void restart_replay(sim *s, const iso_recording *recording, const iso_recording_keyframe *keyframe, iso__roster *roster) {
    static iso_recording_tick_buffer buffer;
    uint64_t offset = recording->frames_offset;
    iso_recording_frame frame;
    while (iso_recording_next(recording, &offset, &frame)) {
        iso_recording_tick tick;
        iso_recording_event event;
        if (frame.type == ISO_RECORDING_EVENT) {
            const iso_status status = iso_recording_read_event(&frame, &event);
            SIM_CHECK(s, status == ISO_OK, "a recorded event cannot be read");
            iso__roster_hear(roster, &event);
            iso_session_replay_event(s->server.session, &event);
        } else if (frame.type == ISO_RECORDING_TICK && frame.offset >= keyframe->ticks_offset) {
            iso_status status = iso_recording_read_tick(&frame, &buffer, &tick);
            status = status == ISO_OK ? iso_session_replay(s->server.session, &tick.input, &tick.root) : status;
            SIM_CHECK(s, status == ISO_OK, "a recorded tick cannot be stepped: %s", iso_status_name(status));
        }
    }
}

/// The world of the last keyframe, with a session around it that has seen everything since.
static void restart_session(sim *s, const iso_recording *recording, iso__roster *roster) {
    iso_recording_keyframe keyframe;
    iso_recording_find_keyframe(recording, UINT64_MAX, &keyframe);
    uint8_t *state = malloc(keyframe.raw_size);
    const size_t size = iso_world_size(&recording->header.def, s->game);
    s->server.world_memory = aligned_alloc(64, size);
    iso_status status = iso_recording_load_keyframe(recording, &keyframe, state);
    status = status == ISO_OK ? iso_world_create(&recording->header.def, s->game, s->server.world_memory, size,
                                                 &s->server.world)
                              : status;
    status = status == ISO_OK ? iso_snapshot_decode(s->server.world, state, keyframe.raw_size) : status;
    SIM_CHECK(s, status == ISO_OK, "the last keyframe cannot be read: %s", iso_status_name(status));
    free(state);
    s->config.epoch = s->epoch += 1; // one more than any that the folder has seen
    server_create_session(s);
    restart_replay(s, recording, &keyframe, roster);
}

/// Everybody who was shown a tick finds it again, unless the power was cut or the disk had failed before.
static void restart_check(sim *s, const iso_recording *recording) {
    const uint64_t tick = recording->last_tick;
    if (s->server.had_degraded) {
        return;
    }
    SIM_CHECK(s, s->server.power_was_cut || tick >= s->shown_tick, "tick %llu was shown, the disk has only %llu",
              (unsigned long long)s->shown_tick, (unsigned long long)tick);
    SIM_CHECK(s, tick >= s->durable_tick, "tick %llu was said to be safe, the disk has only %llu",
              (unsigned long long)s->durable_tick, (unsigned long long)tick);
}

/// There is nothing to go on from: another session under the same name.
static void restart_anew(sim *s) {
    SIM_CHECK(s, s->durable_tick == 0 || s->server.had_degraded, "tick %llu was said to be safe, and all is gone",
              (unsigned long long)s->durable_tick);
    SIM_CHECK(s, s->shown_tick == 0 || s->server.had_degraded || s->server.power_was_cut,
              "tick %llu was shown, and all is gone", (unsigned long long)s->shown_tick);
    for (size_t i = 0; i < sizeof s->config.uid; ++i) {
        s->config.uid[i] = (uint8_t)sim_random_next(&s->random);
    }
    s->config.epoch = s->epoch = 1;
    s->totals.anews += 1;
    server_build_world(s);
    server_create_session(s);
    s->ticks[0] = (sim_tick){.root = iso_world_root(s->server.world)};
}

void server_restart(sim *s) {
    sim_server *server = &s->server;
    server->up = true;
    server->incarnation += 1;
    server->busy_until_ns = s->now_ns;
    server->deadline_ns = server->due_ns = 0;
    s->disk.failed = s->disk.hangs_until_ns > s->now_ns;
    s->totals.restarts += 1;
    for (uint32_t i = 0; i < s->client_count; ++i) {
        s->clients[i].gone_ns = s->now_ns;
    }
    overlap_lock(s);
    iso_recording recording;
    iso__roster roster = {0};
    sim_file *file = restart_find(s, &recording);
    if (file != NULL) {
        restart_check(s, &recording);
        restart_session(s, &recording, &roster);
    } else {
        restart_anew(s);
    }
    const uint64_t tick = iso_world_get_tick(server->world);
    sim_log(s, "the server is back at tick %llu in epoch %u%s", (unsigned long long)tick, (unsigned)s->epoch,
            file != NULL ? "" : ", anew");
    oracle_restarted(s, tick);
    recording_start(s, tick, file, &roster);
    server_drain(s);
}
