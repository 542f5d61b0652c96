/// isostep-replay: the subcommands.
#include <stdlib.h>
#include <string.h>

#include "isostep/games.h"
#include "isostep/proto/environment.h"
#include "isostep/proto/version.h"
#include "isostep/replay_main.h"
#include "replay.h"
#include "scene.h"

static const char help[] =
    "Usage: isostep-replay <subcommand> [arguments]\n"
    "\n"
    "  verify FILE... [--chain] [--restore-every N] [--threads N] [--trace FILE.csv] [--trace-every K] [--force] "
    "[--json]\n"
    "      re-simulates a recording and checks every root and keyframe\n"
    "  info FILE... [--chain] [--tick T] [--json]\n"
    "      describes a recording, or prints the root hash after a tick\n"
    "  dump FILE [--from T] [--to T] [--events [--sleep] [--json]]\n"
    "      writes ticks, commands and events as text\n"
    "  compare A [B] [--json]\n"
    "      names the first difference of two recordings, or of one and its simulation: tick, section, record, field\n"
    "  bisect A B [--json]\n"
    "      names the first difference of two recordings in one line: tick, section, record, field, both values\n"
    "  trim FILE [--from T] [--to T] -o OUT [--salvage] [--force]\n"
    "      writes a part of a recording as a recording of its own\n"
    "  perturb FILE --tick T (--flip FIELD:BIT | --command CHANGE) [--keep-roots] -o OUT [--force]\n"
    "      writes a copy that differs in one thing, for drills\n"
    "  simulate SCENE|FILE --ticks N [--trace FILE.csv] [--trace-every K] [--record FILE] [--force] [--json]\n"
    "      runs a scene, or the first state of a recording, without a network\n"
    "  render FILE|SCENE [--tick T | --strip FROM:TO:COUNT] --out PICTURE.svg|PICTURE.png [options]\n"
    "      draws a recording or a scene\n"
    "  state FILE [FIELD] [--tick T] [--json]\n"
    "      writes the fields of the state after a tick\n"
    "  check SCENE [--json]\n"
    "      prints the errors of a scene, or its content\n"
    "\n"
    "  --version\n"
    "      prints what this program was built from and is compatible with\n"
    "\n"
    "'isostep-replay <subcommand> --help' describes a subcommand.\n"
    "ISO_SIMD in the environment names the instruction set: portable, sse4.1, avx2, avx512 or neon; else the fastest.\n"
    "Exit codes: 0 done; 1 a mismatch was found; 2 usage; 3 the file is unreadable, corrupt or of another version.\n";

typedef struct subcommand {
    const char *name;
    int (*run)(int argc, char **argv);
} subcommand;

static const subcommand subcommands[] = {
    {"verify", iso__replay_verify},   {"info", iso__replay_info},         {"dump", iso__replay_dump},
    {"compare", iso__replay_compare}, {"bisect", iso__replay_bisect},     {"trim", iso__replay_trim},
    {"perturb", iso__replay_perturb}, {"simulate", iso__replay_simulate}, {"render", iso__replay_render},
    {"check", iso__replay_check},     {"state", iso__replay_state},
};

static int replay_run(int argc, char **argv, const iso_game *const *games, size_t count) {
    char wrong[ISO_ENVIRONMENT_TEXT_SIZE];
    if (!iso_environment_check(wrong)) {
        iso_print(stderr, "isostep-replay: %s\n", wrong);
        return REPLAY_EXIT_USAGE;
    }
    iso__replay_games_set(games, count);
    if (argc < 2) {
        fputs(help, stderr);
        return REPLAY_EXIT_USAGE;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        fputs(help, stdout);
        return REPLAY_EXIT_OK;
    }
    if (strcmp(argv[1], "--version") == 0) {
        char text[ISO_VERSION_TEXT_SIZE], program[ISO_PROGRAM_NAME_SIZE];
        iso_version_text(iso_environment_program("isostep-replay", program), games, count, text);
        fputs(text, stdout);
        return REPLAY_EXIT_OK;
    }
    for (size_t i = 0; i < sizeof subcommands / sizeof subcommands[0]; ++i) {
        if (strcmp(argv[1], subcommands[i].name) == 0) {
            // getopt's own messages begin with this.
            static char program[32];
            snprintf(program, sizeof program, "isostep-replay %s", subcommands[i].name);
            argv[1] = program;
            return subcommands[i].run(argc - 1, argv + 1);
        }
    }
    iso_print(stderr, "isostep-replay: %s: there is no such %s; run isostep-replay --help\n", argv[1],
              argv[1][0] == '-' ? "option before a subcommand" : "subcommand");
    return REPLAY_EXIT_USAGE;
}

int iso_replay_main(int argc, char **argv, const iso_game *const *games, size_t count) {
    return iso_replay_main_with_scenes(argc, argv, games, count, NULL, 0);
}

int iso_replay_main_with_scenes(int argc, char **argv, const iso_game *const *games, size_t count,
                                const iso_builtin_scene *scenes, size_t scene_count) {
    char text[512];
    if (iso_game_check_list(games, count, iso_games, ISO_GAME_COUNT, text, sizeof text) != ISO_OK) {
        iso_print(stderr, "isostep-replay: %s\n", text);
        return REPLAY_EXIT_USAGE;
    }
    if (!iso__replay_scenes_bring(scenes, scene_count)) {
        return REPLAY_EXIT_USAGE;
    }
    const iso_game **known = calloc(count + ISO_GAME_COUNT, sizeof *known);
    if (known == NULL) {
        iso_print(stderr, "isostep-replay: out of memory\n");
        return REPLAY_EXIT_USAGE;
    }
    const int code = replay_run(argc, argv, known, iso_games_add(games, count, known));
    free(known);
    return iso_print_end("isostep-replay") || code != REPLAY_EXIT_OK ? code : REPLAY_EXIT_UNREADABLE;
}
