/// What one member can do to a world within its quotas: two attacks on the sandbox, and how near the built-in scenes
/// come to the limit of contact points.
///
///   bench_limits [fill|overlap|scenes]     all of them by default
///
///   fill     joins, spawns what its quota allows, leaves, again for a minute: what stays, and how many newcomers get
///            no body
///   overlap  as many circles of radius 55 m in one place as 1, 16 and 32 members may spawn: ticks per second of the
///            core alone
///   scenes   the most contact points of each built-in scene, with one member in every slot, in 20 s
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../scene_world.h"

#define METRE           ISO_FIX16_ONE
#define SPAWNS_PER_TICK 4u // what the server's rate allows

static uint64_t now_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static iso_world *build(const iso_builtin_scene *builtin) {
    return scene_world_make("bench_limits", builtin, NULL);
}

static void step(iso_world *world, const iso_change *changes, uint32_t change_count, const iso_sealed_command *commands,
                 uint32_t command_count) {
    const iso_tick_input input = {iso_world_get_tick(world) + 1, changes, change_count, commands, command_count};
    if (iso_world_step(world, &input) != ISO_OK) {
        fprintf(stderr, "bench_limits: a tick is refused\n");
        exit(1);
    }
}

static uint32_t contact_points(const iso_world *world) {
    iso_contact_view contact;
    uint32_t points = 0;
    for (uint32_t i = 0; iso_world_get_contact(world, i, &contact); ++i) {
        points += contact.point_count;
    }
    return points;
}

static iso_world_counts counts_of(const iso_world *world) {
    iso_world_counts counts;
    iso_world_get_counts(world, &counts);
    return counts;
}

static iso_sealed_command spawn(uint8_t slot, uint64_t sequence, iso_vec2 position, fix16_t radius) {
    iso_sealed_command sealed = {.slot = slot, .sequence = sequence};
    sealed.command.kind = ISO_COMMAND_SPAWN_BODY;
    sealed.command.as.spawn_body.body = iso_body_def_default();
    sealed.command.as.spawn_body.body.position = iso_vec2_to_wide(position);
    sealed.command.as.spawn_body.shape = iso_shape_def_circle(radius);
    return sealed;
}

/// Each of the first members spawns as fast as the server lets it, on a grid of balls or all in one place.
/// @return how many were made
static uint32_t spawn_some(iso_world *world, uint32_t members, uint64_t *sequence, bool overlap) {
    iso_sealed_command commands[SPAWNS_PER_TICK * ISO_SLOT_COUNT_MAX];
    for (uint32_t i = 0; i < SPAWNS_PER_TICK * members; ++i) {
        const uint32_t slot = i / SPAWNS_PER_TICK;
        const uint64_t number = *sequence + i % SPAWNS_PER_TICK + 1;
        const int32_t n = (int32_t)(number % 64);
        const iso_vec2 grid = {(n % 16 - 8) * 2 * METRE, (20 + n / 16) * METRE},
                       heap = {n * METRE / 16 + (int32_t)slot * 1000, 60 * METRE};
        commands[i] = spawn((uint8_t)slot, number, overlap ? heap : grid, overlap ? 55 * METRE : METRE / 4);
    }
    step(world, NULL, 0, commands, SPAWNS_PER_TICK * members);
    *sequence += SPAWNS_PER_TICK;
    uint32_t count, made = 0;
    const iso_command_result *results = iso_world_get_results(world, &count);
    for (uint32_t i = 0; i < count; ++i) {
        made += results[i].status == ISO_OK;
    }
    return made;
}

/// All slots from `first` on are taken. @return how many got no body
static uint32_t join_all(iso_world *world, uint8_t first) {
    iso_change joins[ISO_SLOT_COUNT_MAX];
    uint32_t count = 0, lonely = 0;
    iso_slot_view view;
    for (uint8_t slot = first; iso_world_get_slot(world, slot, &view); ++slot) {
        joins[count++] = (iso_change){ISO_CHANGE_JOIN, slot, view.generation + 1};
    }
    step(world, joins, count, NULL, 0);
    for (uint8_t slot = first; iso_world_get_slot(world, slot, &view); ++slot) {
        lonely += iso_world_get_player_body(world, slot).generation == 0;
    }
    return lonely;
}

static void fill(const iso_builtin_scene *sandbox) {
    iso_world *world = build(sandbox);
    const uint32_t bodies = counts_of(world).bodies;
    uint32_t rounds = 0;
    while (iso_world_get_tick(world) < 60 * 60) {
        const iso_change join = {ISO_CHANGE_JOIN, 0, ++rounds}, leave = {ISO_CHANGE_LEAVE, 0, rounds};
        uint64_t sequence = 0;
        step(world, &join, 1, NULL, 0);
        for (int t = 0; t < 16; ++t) {
            spawn_some(world, 1, &sequence, false);
        }
        step(world, &leave, 1, NULL, 0);
    }
    const uint32_t after = counts_of(world).bodies;
    printf("fill     %u bodies at first, %u after %u rounds in a minute; then %u of 32 newcomers get no body\n", bodies,
           after, rounds, join_all(world, 0));
    free(world);
}

static void overlap(const iso_builtin_scene *sandbox, uint32_t members) {
    iso_world *world = build(sandbox);
    uint64_t sequence = 0;
    join_all(world, 0);
    for (int second = 0; second < 5; ++second) {
        uint64_t slowest = 0, spent = 0;
        uint32_t made = 0, most = 0;
        for (int t = 0; t < 60; ++t) {
            const uint64_t begin = now_ns();
            made += spawn_some(world, members, &sequence, true);
            const uint64_t took = now_ns() - begin;
            spent += took;
            slowest = took > slowest ? took : slowest;
            const uint32_t points = contact_points(world);
            most = points > most ? points : most;
        }
        printf("overlap  %2u members, second %d: %6.0f ticks/s, slowest tick %5.1f ms, at most %u contact points, %u "
               "spawned, %u bodies\n",
               members, second + 1, 60e9 / (double)spent, (double)slowest * 1e-6, most, made, counts_of(world).bodies);
    }
    free(world);
}

static void scene_peak(const iso_builtin_scene *builtin) {
    iso_world *world = build(builtin);
    uint32_t most = 0;
    for (uint32_t t = 0; t < 1200; ++t) {
        if (t == 0) {
            join_all(world, 0);
        } else {
            step(world, NULL, 0, NULL, 0);
        }
        const uint32_t points = contact_points(world);
        most = points > most ? points : most;
    }
    printf("scenes   %-16s %6u contact points at most\n", builtin->name, most);
    free(world);
}

int main(int argc, char **argv) {
    const char *what = argc > 1 ? argv[1] : "";
    const iso_builtin_scene *sandbox = iso_builtin_scene_find("sandbox");
    if (*what == 0 || strcmp(what, "fill") == 0) {
        fill(sandbox);
    }
    if (*what == 0 || strcmp(what, "overlap") == 0) {
        overlap(sandbox, 1);
        overlap(sandbox, 16);
        overlap(sandbox, 32);
    }
    size_t scene_count;
    const iso_builtin_scene *scenes = iso_builtin_scene_list(&scene_count);
    for (size_t i = 0; i < scene_count && (*what == 0 || strcmp(what, "scenes") == 0); ++i) {
        scene_peak(&scenes[i]);
    }
    return 0;
}
