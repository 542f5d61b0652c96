/// What a seed draws: the world, the policies, the clients and what happens to them.
#include <string.h>

#include "sim.h"

/// A client whose connections last a second or so.
static void scenario_plan_flaky(sim *s, uint32_t client, uint64_t from_ns) {
    if (!sim_random_one_in(&s->trouble, s->is_flaky ? 2 : 24)) {
        return;
    }
    for (uint64_t when_ns = from_ns; when_ns < s->shutdown_ns;) {
        when_ns += sim_random_between(&s->trouble, 20, s->is_flaky ? 500 : 1500) * SIM_MS;
        const bool cut = sim_random_one_in(&s->trouble, 2);
        sim_schedule(s, when_ns, (sim_event){.kind = cut ? SIM_CUT : SIM_LOSE, .index = client});
    }
}

uint32_t scenario_plan_client(sim *s, uint64_t time_ns) {
    if (s->client_count == SIM_CLIENTS_MAX || time_ns >= s->shutdown_ns) {
        return UINT32_MAX;
    }
    const uint32_t index = s->client_count++;
    sim_client *c = &s->clients[index];
    c->is_used = true;
    const uint8_t bots[] = {SIM_BOT_IDLE,  SIM_BOT_WANDER, SIM_BOT_WANDER, SIM_BOT_WANDER, SIM_BOT_BUILD,
                            SIM_BOT_BUILD, SIM_BOT_BUILD,  SIM_BOT_WATCH,  SIM_BOT_TAMPER, SIM_BOT_RUDE};
    c->bot = bots[sim_random_below(&s->random, sizeof bots)];
    c->link = c->spare = c->member = c->seat = SIM_NONE;
    c->bytes_per_second = sim_random_one_in(&s->trouble, 12) ? sim_random_between(&s->trouble, 4096, 65536) : 0;
    c->address = s->has_addresses ? (uint8_t)sim_random_between(&s->trouble, 1, SIM_ADDRESSES_MAX) : 0;
    c->rejoins = sim_random_one_in(&s->random, 3);
    c->predict_frames =
        sim_random_one_in(&s->random, 3) ? (uint8_t)sim_random_between(&s->random, 1, ISO_CLIENT_PREDICT_MAX) : 0;
    const uint64_t left_ns = s->shutdown_ns - time_ns;
    sim_schedule(s, time_ns, (sim_event){.kind = SIM_CONNECT, .index = index});
    const uint64_t troubles = sim_random_one_in(&s->random, 3) ? sim_random_below(&s->random, 4) : 0;
    for (uint64_t i = 0; i < troubles; ++i) {
        // Drawn one after the other: the order in which a call's arguments are evaluated is the compiler's choice.
        const uint64_t when_ns = time_ns + sim_random_below(&s->random, left_ns);
        const bool cut = sim_random_one_in(&s->random, 2);
        sim_schedule(s, when_ns, (sim_event){.kind = cut ? SIM_CUT : SIM_LOSE, .index = index});
    }
    if (sim_random_one_in(&s->random, 4)) {
        sim_schedule(s, time_ns + sim_random_below(&s->random, left_ns),
                     (sim_event){.kind = SIM_LEAVE, .index = index});
    }
    if (sim_random_one_in(&s->random, 5)) {
        const uint64_t stall_ns =
            sim_random_below(&s->random, sim_random_one_in(&s->random, 3) ? 8 * SIM_SECOND : SIM_SECOND);
        sim_schedule(s, time_ns + sim_random_below(&s->random, left_ns),
                     (sim_event){.kind = SIM_STALL, .index = index, .count = stall_ns});
    }
    if (sim_random_one_in(&s->random, 3)) {
        const uint64_t when_ns = time_ns + sim_random_below(&s->random, left_ns);
        const uint64_t latency_ns = sim_random_below(&s->random, 400 * SIM_MS);
        sim_schedule(s, when_ns, (sim_event){.kind = SIM_REROUTE, .index = index, .count = latency_ns});
    }
    if (sim_random_one_in(&s->random, 16) && c->bot != SIM_BOT_RUDE && c->bot != SIM_BOT_TAMPER) {
        c->flip_at_tick = (time_ns + sim_random_below(&s->random, left_ns)) * s->def.tick_rate_hz / SIM_SECOND + 1;
        c->flip_state = SIM_TO_FLIP;
    }
    partition_plan(s, index, time_ns);
    silence_plan(s, index, time_ns);
    lies_plan(s, index, time_ns);
    scenario_plan_flaky(s, index, time_ns);
    return index;
}

static void scenario_draw_world(sim *s) {
    const uint16_t rates[] = {60, 60, 60, 30, 20, 120};
    s->def = iso_world_def_default();
    s->def.tick_rate_hz = rates[sim_random_below(&s->random, 6)];
    s->def.seed = s->seed;
    s->def.slot_capacity = (uint8_t)sim_random_between(&s->random, 2, 8);
    // One in eight has a snapshot of several chunks.
    s->static_bodies = sim_random_one_in(&s->random, 8) ? 2000 : 0;
    s->def.body_capacity = s->def.shape_capacity = 200 + s->static_bodies;
    s->def.contact_capacity = 1024;
    s->scene->draw(s);
    memcpy(s->def.game, s->game->name, strlen(s->game->name));
    for (uint32_t i = 0; i < s->game->param_count; ++i) {
        s->def.game_params[i] = s->game->params[i].value;
    }
}

/// Timeouts that ordinary trouble is long enough for.
static void scenario_draw_timeouts(sim *s) {
    s->is_impatient = sim_random_one_in(&s->trouble, 5);
    if (s->is_impatient) {
        s->config.hello_timeout_ms = (uint32_t)sim_random_between(&s->trouble, 200, 2000);
        s->config.silence_timeout_ms = (uint32_t)sim_random_between(&s->trouble, 1200, 4000);
        s->config.join_timeout_ms = (uint32_t)sim_random_between(&s->trouble, 500, 4000);
    }
}

static void scenario_draw_policies(sim *s) {
    const uint8_t late[] = {ISO_LATE_MOVE, ISO_LATE_MOVE, ISO_LATE_DROP, ISO_LATE_STRICT};
    s->config.late_policy = late[sim_random_below(&s->random, 4)];
    const uint8_t empty[] = {ISO_EMPTY_RUN, ISO_EMPTY_PAUSE, ISO_EMPTY_PAUSE};
    s->config.empty_policy = empty[sim_random_below(&s->random, 3)];
    s->config.empty_policy = sim_random_one_in(&s->trouble, 10) ? ISO_EMPTY_CLOSE : s->config.empty_policy;
    s->config.empty_ms = (uint32_t)sim_random_between(&s->random, 200, 3000);
    const uint8_t desync[] = {ISO_DESYNC_HEAL, ISO_DESYNC_HEAL,   ISO_DESYNC_HEAL,
                              ISO_DESYNC_KICK, ISO_DESYNC_IGNORE, ISO_DESYNC_PAUSE};
    s->config.desync_policy = desync[sim_random_below(&s->random, 6)];
    s->config.hold_ms = (uint32_t)sim_random_between(&s->random, 300, 6000);
    scenario_draw_timeouts(s);
}

static void scenario_draw_session(sim *s) {
    s->config = iso_session_config_default();
    s->config.is_recording = !sim_random_one_in(&s->random, 5);
    s->config.keyframe_interval = (uint32_t)sim_random_between(&s->random, 20, 600);
    s->config.ring_ticks = sim_random_one_in(&s->random, 3) ? 512 : 4096;
    s->config.ring_bytes = 1u << 20;
    s->config.connection_capacity = 32;
    s->config.memory_max = UINT64_C(128) << 20; // with every queue at its longest a world in space needs about 70 MiB
    for (size_t i = 0; i < sizeof s->config.uid; ++i) {
        s->config.uid[i] = (uint8_t)sim_random_next(&s->random);
    }
    scenario_draw_policies(s);
    s->disk.ops_left = UINT64_MAX;
    s->roll_size = sim_random_one_in(&s->trouble, 3) ? UINT64_MAX : sim_random_between(&s->trouble, 1000, 20000);
    if (s->roll_size != UINT64_MAX) {
        s->config.keyframe_interval = (uint32_t)sim_random_between(&s->trouble, 10, 120); // a file ends at one
    }
    s->disk.room = sim_random_one_in(&s->random, 12) ? sim_random_between(&s->random, 1000, 200000) : UINT64_MAX;
    s->disk.room_until_ns =
        sim_random_one_in(&s->trouble, 3) ? UINT64_MAX : sim_random_below(&s->trouble, 9 * SIM_SECOND);
    s->disk.fails_at_op = sim_random_one_in(&s->random, 6) ? sim_random_below(&s->random, 400) + 1 : UINT64_MAX;
}

/// Deaths of the server. Only a recording lets it come back as the same session.
static void scenario_draw_kills(sim *s) {
    const uint64_t kills =
        s->config.is_recording && sim_random_one_in(&s->random, 3) ? sim_random_between(&s->random, 1, 3) : 0;
    for (uint64_t i = 0; i < kills; ++i) {
        const bool power_cut = sim_random_one_in(&s->random, 3);
        sim_schedule(s, sim_random_below(&s->random, s->shutdown_ns),
                     (sim_event){.kind = SIM_KILL, .count = power_cut});
    }
}

void scenario_draw(sim *s) {
    scenario_draw_world(s);
    scenario_draw_session(s);
    s->shutdown_ns = sim_random_between(&s->random, 3, 9) * SIM_SECOND;
    s->is_flaky = sim_random_one_in(&s->trouble, 20);
    s->has_addresses = sim_random_one_in(&s->trouble, 2);
    s->shutdown_ns *= s->is_flaky ? 2 : 1;
    s->is_steady = sim_random_one_in(&s->hush, 30) && !s->is_flaky;
    if (s->is_steady) {
        s->shutdown_ns = 14 * SIM_SECOND;
        s->config.is_recording = false; // ticks wait for a slow disk
    }
    const uint32_t silences_ms[] = {3000, 3000, 1500, 500};
    s->config.client_silence_ms = silences_ms[sim_random_below(&s->hush, 4)];
    addresses_plan(s);
    const uint64_t clients = sim_random_between(&s->random, 2, 8);
    for (uint64_t i = 0; i < clients; ++i) {
        const bool at_once = sim_random_one_in(&s->random, 2);
        (void)scenario_plan_client(s, at_once ? sim_random_below(&s->random, 50 * SIM_MS)
                                              : sim_random_below(&s->random, s->shutdown_ns));
    }
    if (sim_random_one_in(&s->random, 3)) {
        const uint64_t busy_ns = sim_random_below(&s->random, 400 * SIM_MS);
        sim_schedule(s, sim_random_below(&s->random, s->shutdown_ns),
                     (sim_event){.kind = SIM_SERVER_BUSY, .count = busy_ns});
    }
    scenario_draw_kills(s);
    clock_plan(s);
    disk_plan(s);
    secrets_plan(s);
    overlap_plan(s);
    sim_schedule(s, s->shutdown_ns, (sim_event){.kind = SIM_SHUTDOWN});
    for (uint32_t i = 0; i < ISO_SLOT_COUNT_MAX; ++i) {
        s->slot_members[i] = s->promises[i].client = SIM_NONE;
    }
}
