/// The server's death, and its return from what the disk has: which file it goes on from, and what becomes of the
/// others, is the host's own doing (server/host/start/recovery.c). It may die on its way as well, once or more.
#include <stdlib.h>
#include <string.h>

#include "host/start/recovery_changes.h"
#include "host/start/recovery_files.h"
#include "sim.h"

#define STARTING_DEATHS_MAX 3u

void server_kill(sim *s, bool power_cut) {
    sim_server *server = &s->server;
    if (!server->is_up || server->is_shutting_down || server->is_closed) {
        return;
    }
    sim_log(s, power_cut ? "the power is cut" : "the server is killed");
    s->totals.kills += !power_cut;
    s->totals.power_cuts += power_cut;
    server->is_up = false;
    server->power_was_cut = power_cut;
    server->deaths = 0;
    const iso__hosted *hosted = &server->recording.hosted;
    server->is_killed_again = server->incarnation > 1 && hosted->report.durable_tick == 0;
    s->is_after_degraded = s->is_after_degraded || hosted->is_lost || hosted->report.generation > 0;
    s->totals.begun_again_restarts += hosted->report.generation > 0 && recording_is_safe(s);
    recording_die(s);
    disk_crash(s, power_cut);
    server_stop(s);
    for (uint32_t i = 0; i < SIM_IMAGES_MAX; ++i) {
        server->images[i].is_out = false;
    }
    for (uint32_t i = 0; i < s->link_count; ++i) {
        if (s->links[i].is_open_at_server) {
            net_lose_server(s, i);
        }
        s->links[i].is_of_dead_peer = true; // what it has said may be on its way for long
    }
    const uint64_t back_ns = s->now_ns + sim_random_between(&s->random, 1, 1500) * SIM_MS;
    sim_schedule(s, back_ns, (sim_event){.kind = SIM_RESTART});
    if (sim_random_one_in(&s->trouble, 3)) {
        // While clients come back.
        const bool is_cut_again = sim_random_one_in(&s->trouble, 2);
        s->totals.second_kills += 1;
        sim_schedule(s, back_ns + sim_random_below(&s->trouble, 800 * SIM_MS),
                     (sim_event){.kind = SIM_KILL, .count = is_cut_again});
    }
}

// ---- its return --------------------------------------------------------------------------------------

/// Everybody who was shown a tick while it was recorded finds it again, unless the power was cut; what was said to be
/// safe is found in any case.
static void restart_check(sim *s, uint64_t tick) {
    SIM_CHECK(s, s->server.power_was_cut || tick >= s->shown_tick, "tick %llu was shown, the disk has only %llu",
              (unsigned long long)s->shown_tick, (unsigned long long)tick);
    SIM_CHECK(s, tick >= s->durable_tick, "tick %llu was said to be safe, the disk has only %llu",
              (unsigned long long)s->durable_tick, (unsigned long long)tick);
}

/// The world of a keyframe, with a session around it that has seen everything since.
static void restart_session(sim *s, iso__recovery *recovery) {
    iso__memory memory = {.limit = SIZE_MAX};
    iso__setup setup = {0};
    const iso__setup_request request = {
        .session = s->config.name, .games = s->scene->games(), .game_count = s->scene->game_count, .memory = &memory};
    bool made = iso__recovery_make_world(recovery, &setup, &request);
    SIM_CHECK(s, made, "the server does not start: %s", recording_last_log());
    s->server.world = setup.world;
    s->server.world_memory = setup.world_memory;
    free(setup.scene_text);
    iso__names_term(&setup.names); // its clients have no use for them
    s->config.epoch = recovery->next_epoch;
    s->config.run_before = recovery->recording.header.run;
    server_create_session(s);
    made = iso__recovery_replay(recovery, s->server.session);
    SIM_CHECK(s, made, "the server does not start: %s", recording_last_log());
}

/// There is nothing to go on from: another session under the same name.
static void restart_anew(sim *s) {
    const char *how = s->server.is_killed_again ? ": the server was killed again while it came back" : "";
    SIM_CHECK(s, s->durable_tick == 0, "tick %llu was said to be safe, and all is gone%s",
              (unsigned long long)s->durable_tick, how);
    SIM_CHECK(s, s->shown_tick == 0 || s->server.power_was_cut, "tick %llu was shown, and all is gone%s",
              (unsigned long long)s->shown_tick, how);
    for (size_t i = 0; i < sizeof s->config.uid; ++i) {
        s->config.uid[i] = (uint8_t)sim_random_next(&s->random);
    }
    s->config.epoch = 1;
    s->config.run_before = 0;
    s->totals.anews += 1;
    server_build_world(s);
    server_create_session(s);
    s->ticks[0] = (sim_tick){.root = iso_world_root(s->server.world)};
}

/// It dies before it is ready: what it has done with the files stands, or some of it.
static void restart_die(sim *s, iso__recovery *recovery) {
    sim_server *server = &s->server;
    const bool power_cut = sim_random_one_in(&s->trouble, 3);
    sim_log(s, power_cut ? "the power is cut while the server starts" : "the server is killed while it starts");
    s->totals.starting_kills += 1;
    server->deaths += 1;
    server->is_killed_again = true;
    server->power_was_cut = server->power_was_cut || power_cut;
    server->incarnation += 1;
    iso__recovery_term(recovery);
    overlap_unlock(s);
    disk_crash(s, power_cut);
    sim_schedule(s, s->now_ns + sim_random_between(&s->trouble, 1, 300) * SIM_MS, (sim_event){.kind = SIM_RESTART});
}

/// What is there to go on from. The folder is put in order as a server does it, when nothing can fail any more.
/// @return false: the server has died meanwhile
static bool restart_recover(sim *s, iso__recovery *recovery) {
    const iso__disk disk = {.folder = folder_show(s), .file = -1};
    const bool dies = s->server.deaths < STARTING_DEATHS_MAX && sim_random_one_in(&s->trouble, 5);
    folder_begin(s, dies ? sim_random_below(&s->trouble, 8) : UINT64_MAX);
    const bool found = iso__recovery_find(recovery, &disk, s->config.name, false);
    SIM_CHECK(s, found, "the server does not start: %s", recording_last_log());
    if (sim_random_one_in(&s->trouble, 4)) {
        overlap_try(s);
    }
    if (!dies && recovery->is_found) {
        restart_check(s, recovery->recording.last_tick);
        s->totals.degraded_restarts += recovery->recording.is_degraded;
        restart_session(s, recovery);
    }
    if (!iso__recovery_commit(recovery, &disk)) {
        recovery->part_name[0] = 0; // it is not sealed, and keeps its name
    }
    folder_end(s);
    if (dies) {
        restart_die(s, recovery);
    }
    return !dies;
}

void server_restart(sim *s) {
    sim_server *server = &s->server;
    iso__recovery recovery;
    s->disk.has_failed = s->disk.hangs_until_ns > s->now_ns;
    s->config.run += SIM_RUN_NUMBERS;
    addresses_begin(s);
    oracle_strict_begin(s);
    overlap_lock(s);
    if (!restart_recover(s, &recovery)) {
        return;
    }
    server->is_up = true;
    server->incarnation += 1;
    server->busy_until_ns = s->now_ns;
    server->deadline_ns = server->due_ns = 0;
    s->totals.restarts += 1;
    for (uint32_t i = 0; i < s->client_count; ++i) {
        s->clients[i].gone_ns = s->now_ns;
    }
    if (!recovery.is_found) {
        restart_anew(s);
    }
    s->epoch = s->config.epoch;
    const uint64_t tick = iso_world_get_tick(server->world);
    sim_log(s, "the server is back at tick %llu in epoch %u%s", (unsigned long long)tick, (unsigned)s->epoch,
            recovery.is_found ? "" : ", anew");
    oracle_restarted(s, tick);
    recording_start(s, tick, &recovery);
    iso__recovery_term(&recovery);
    server_drain(s);
}
