/// isostep-replay simulate: a scene without network and members.
#include "simulate.h"

#include "options.h"

static const char help[] =
    "Usage: isostep-replay simulate SCENE|FILE --ticks N [--trace FILE.csv] [--trace-every K] [--record FILE] "
    "[--force]\n"
    "                               [--json]\n"
    "\n"
    "Runs a scene without a network. SCENE is a built-in scene or a JSON file. Of a recording, FILE, the state that "
    "it\n"
    "begins with is simulated, without input; trim --from T writes one that begins at another tick.\n"
    "\n"
    "  --ticks N        how many ticks\n"
    "  --trace FILE     one row per traced tick and body: tick, body, name, x, y, angle, vx, vy, w. Position of the\n"
    "                   body's origin [m], angle [rad], velocity of its centre of mass [m/s], w [rad/s]. In space\n"
    "                   x, y, z, the unit quaternion qx, qy, qz, qw, vx, vy, vz, wx, wy, wz\n"
    "  --trace-every K  trace every Kth tick, those that K divides; 1 by default\n"
    "  --record FILE    write a recording, with the root after each tick\n"
    "  --force          replaces what --trace and --record name when it exists, never FILE.part of --record\n"
    "  --json           one object on standard output: result, ticks, seconds, speed, last_tick, last_hash\n"
    "Exit codes: 0 done; 2 usage, or a file to be written exists; 3 a file is unreadable or cannot be written, or the "
    "scene is invalid.\n";

typedef struct simulation {
    const char *scene_argument;
    const char *trace_path;
    const char *record_path;
    uint64_t ticks;
    uint64_t trace_every;
    bool json, force;

    replay_scene scene;
    replay_trace trace;
    replay_writer record;
    double seconds;
} simulation;

static bool run(simulation *s) {
    iso_world *world = s->scene.world;
    replay_progress progress;
    iso__replay_progress_begin(&progress, "simulate", s->ticks, iso_world_get_def(world)->tick_rate_hz, s->json);
    const double started = iso__replay_clock();
    bool ok = s->trace_path == NULL || iso__replay_trace_write(&s->trace, world, s->scene.scene);
    for (uint64_t i = 0; ok && i < s->ticks; ++i) {
        ok = iso__replay_scene_step(&s->scene);
        if (ok && s->trace_path != NULL) {
            ok = iso__replay_trace_write(&s->trace, world, s->scene.scene);
        }
        if (ok && s->record_path != NULL) {
            ok = iso__replay_record_tick(&s->record, world);
        }
        iso__replay_progress_update(&progress, i + 1);
    }
    s->seconds = iso__replay_clock() - started;
    iso__replay_progress_end(&progress);
    return ok;
}

static void report(const simulation *s) {
    const iso_world_def *def = iso_world_get_def(s->scene.world);
    const double speed = iso__replay_speed(s->ticks, def->tick_rate_hz, s->seconds);
    const uint64_t last_tick = iso_world_get_tick(s->scene.world);
    const uint64_t last_hash = iso_world_root(s->scene.world);
    if (s->json) {
        printf("{\"result\":\"ok\",\"ticks\":%llu,\"seconds\":%.6f,\"speed\":%.1f,\"last_tick\":%llu,"
               "\"last_hash\":\"%016llx\"}\n",
               (unsigned long long)s->ticks, s->seconds, speed, (unsigned long long)last_tick,
               (unsigned long long)last_hash);
        return;
    }
    iso_print(stdout, "%s: %llu tick%s in %.2f s, %.1f times real time\nlast tick %llu, root %016llx\n",
              s->scene.scene->name, (unsigned long long)s->ticks, iso_text_plural(s->ticks), s->seconds, speed,
              (unsigned long long)last_tick, (unsigned long long)last_hash);
}

static bool simulate(simulation *s) {
    if (!iso__replay_scene_load(&s->scene, s->scene_argument)) {
        return false;
    }
    if (s->trace_path != NULL && !iso__replay_trace_open(&s->trace, s->trace_path, s->trace_every)) {
        return false;
    }
    bool ok = s->record_path == NULL || iso__replay_record_open(&s->record, s->record_path, s->scene.world,
                                                                s->scene.scene, s->scene.text, s->scene.text_size);
    ok = ok && run(s);
    if (s->record_path != NULL) {
        ok = iso__replay_writer_close(&s->record, ok) && ok;
    }
    if (s->trace_path != NULL) {
        ok = iso__replay_trace_close(&s->trace) && ok;
    }
    if (ok) {
        report(s);
    }
    return ok;
}

/// Whether the files that are to be written may be, and are two.
static bool check_outputs(const simulation *s) {
    return (s->trace_path == NULL || iso__replay_writer_check_path(s->trace_path, s->scene_argument, s->force)) &&
           (s->record_path == NULL ||
            iso__replay_writer_check_recording(s->record_path, s->scene_argument, s->force)) &&
           (s->trace_path == NULL || s->record_path == NULL ||
            iso__replay_writer_check_other("--trace", s->trace_path, "--record", s->record_path));
}

/// @return as iso__replay_options
static int parse_options(int argc, char **argv, simulation *s) {
    bool has_ticks = false;
    const replay_option options[] = {
        {"--ticks", .number = &s->ticks, .max = 1000000000, .given = &has_ticks},
        {"--trace", .text = &s->trace_path},
        {"--trace-every", .number = &s->trace_every, .min = 1, .max = 1000000000},
        {"--record", .text = &s->record_path},
        {"--force", .flag = &s->force},
        {"--json", .flag = &s->json},
        {0},
    };
    int first;
    int code = iso__replay_options(argc, argv, help, options, &first);
    code = code < 0 ? iso__replay_one(argc, argv, first, "SCENE", "a built-in scene, a file or a recording") : code;
    if (code < 0 && !has_ticks) {
        code = iso__replay_usage(argv, "--ticks N is missing: expected how many ticks to run");
    }
    s->scene_argument = argv[first];
    return code;
}

int iso__replay_simulate(int argc, char **argv) {
    simulation s = {.trace_every = 1};
    const int code = parse_options(argc, argv, &s);
    if (code >= 0) {
        return code;
    }
    if (!check_outputs(&s)) {
        return REPLAY_EXIT_USAGE;
    }
    const bool ok = simulate(&s);
    iso__replay_scene_free(&s.scene);
    return ok ? REPLAY_EXIT_OK : REPLAY_EXIT_UNREADABLE;
}
