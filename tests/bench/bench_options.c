/// The command line of isostep-bench.
#include "bench_options.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isostep/parallel.h"
#include "isostep/games.h"
#include "isostep/proto/text.h"
#include "isostep/proto/version.h"

static const char help[] =
    "Usage: isostep-bench [--scene NAME]... [--table] [--steps N] [--runs N] [--warm-up N] [--threads LIST]\n"
    "           [--simd LIST] [--stages] [--sleep] [--no-peers] [--json FILE] [--compare FILE] [--plot FILE]\n"
    "           [--read FILE]\n"
    "\n"
    "Times the step of scenes, and save, restore, rollback, encode, decode and hash of the worlds behind them, and "
    "the\n"
    "step of the same scenes in the other engines that were installed when this was built. Build with the release "
    "preset\n"
    "and run on a quiet machine.\n"
    "\n"
    "  --scene NAME    a scene, built-in or a file; several; all small built-in ones by default\n"
    "  --table         the large scenes that engines are compared by, each with its own number of steps\n"
    "  --steps N       how many steps of each scene, 1 to 100000; 200 by default\n"
    "  --runs N        how often each scene is stepped from its beginning, 1 to 101; 3 by default\n"
    "  --warm-up N     how many steps before the first run, 0 to 10000; 10 by default\n"
    "  --threads LIST  numbers of threads that share a step, such as 1,2,4; 1 by default\n"
    "  --simd LIST     instruction sets: auto (the fastest, or what ISO_SIMD names), portable, sse4.1,\n"
    "                  avx2, avx512, neon; auto by default\n"
    "  --stages        one more run that times the stages of the step\n"
    "  --sleep         bodies may sleep as the scene says; by default none does, as in the peers\n"
    "  --no-peers      Isostep alone\n"
    "  --json FILE     writes the results as one object; - is standard output, without tables\n"
    "  --compare FILE  prints the ratios to results that --json has written before\n"
    "  --plot FILE     draws the times of the steps as SVG, with those of --compare\n"
    "  --read FILE     takes the results from such a file instead of measuring\n"
    "  --version       what this was built from\n"
    "ISO_SIMD in the environment names the instruction set: portable, sse4.1, avx2, avx512 or neon; else the fastest.\n"
    "Exit codes: 0 done; 2 usage; 3 a file is unreadable or cannot be written, or a scene is wrong.\n";

/// @return false, after a line on standard error
static bool parse_number(const char *option, const char *text, unsigned min, unsigned max, unsigned *value) {
    char *end;
    const unsigned long number = strtoul(text, &end, 10);
    if (text[0] < '0' || text[0] > '9' || *end != 0 || number < min || number > max) {
        iso_print(stderr, "isostep-bench: %s %s: expected a whole number from %u to %u\n", option, text, min, max);
        return false;
    }
    *value = (unsigned)number;
    return true;
}

/// Cuts a list at its commas. @return false, after a line on standard error
static bool parse_list(const char *option, char *text, const char **parts, unsigned capacity, unsigned *count) {
    unsigned commas = 0;
    bool ok = *text != 0 && *text != ',';
    for (const char *at = text; *at != 0; ++at) {
        commas += *at == ',';
        ok = ok && !(*at == ',' && (at[1] == ',' || at[1] == 0));
    }
    if (!ok || commas >= capacity) {
        iso_print(stderr, "isostep-bench: %s %s: expected 1 to %u values with commas between them\n", option, text,
                  capacity);
        return false;
    }
    *count = 0;
    for (char *at = text; at != NULL;) {
        char *comma = strchr(at, ',');
        parts[(*count)++] = at;
        at = comma != NULL ? comma + 1 : NULL;
        if (comma != NULL) {
            *comma = 0;
        }
    }
    return true;
}

static bool parse_threads(char *text, bench_options *options) {
    const char *parts[BENCH_THREADS_MAX];
    if (!parse_list("--threads", text, parts, BENCH_THREADS_MAX, &options->thread_count)) {
        return false;
    }
    for (unsigned i = 0; i < options->thread_count; ++i) {
        if (!parse_number("--threads", parts[i], 1, ISO_THREADS_MAX, &options->threads[i])) {
            return false;
        }
    }
    return true;
}

static bool parse_scene(const char *name, bench_options *options) {
    if (options->scene_count == BENCH_SCENES_MAX) {
        iso_print(stderr, "isostep-bench: --scene %s: expected at most %u scenes\n", name, BENCH_SCENES_MAX);
        return false;
    }
    options->scenes[options->scene_count++] = name;
    return true;
}

static const struct option list[] = {{"scene", required_argument, NULL, 's'},
                                     {"table", no_argument, NULL, 'T'},
                                     {"steps", required_argument, NULL, 'n'},
                                     {"runs", required_argument, NULL, 'r'},
                                     {"warm-up", required_argument, NULL, 'w'},
                                     {"threads", required_argument, NULL, 't'},
                                     {"simd", required_argument, NULL, 'i'},
                                     {"stages", no_argument, NULL, 'g'},
                                     {"sleep", no_argument, NULL, 'z'},
                                     {"no-peers", no_argument, NULL, 'P'},
                                     {"json", required_argument, NULL, 'j'},
                                     {"compare", required_argument, NULL, 'c'},
                                     {"plot", required_argument, NULL, 'p'},
                                     {"read", required_argument, NULL, 'R'},
                                     {"help", no_argument, NULL, 'h'},
                                     {"version", no_argument, NULL, 'v'},
                                     {NULL, 0, NULL, 0}};

/// One option that is not --help or --version. @return false, after a line on standard error
static bool parse_option(int option, const char *given, bench_options *o) {
    o->is_measured_so = o->is_measured_so || strchr("nrwtigz", option) != NULL;
    switch (option) {
    case 's':
        return parse_scene(optarg, o);
    case 'n':
        return parse_number("--steps", optarg, 1, 100000, &o->steps);
    case 'r':
        return parse_number("--runs", optarg, 1, 101, &o->runs);
    case 'w':
        return parse_number("--warm-up", optarg, 0, 10000, &o->warm_up);
    case 't':
        return parse_threads(optarg, o);
    case 'i':
        return parse_list("--simd", optarg, o->sets, BENCH_SETS_MAX, &o->set_count);
    case 'T':
        return o->is_table = true;
    case 'g':
        return o->has_stages = true;
    case 'z':
        return o->may_sleep = true;
    case 'P':
        o->has_peers = false;
        return true;
    case 'j':
        o->json = optarg;
        return true;
    case 'c':
        o->compare = optarg;
        return true;
    case 'p':
        o->plot = optarg;
        return true;
    case 'R':
        o->read = optarg;
        return true;
    default:
        iso_print(stderr, "isostep-bench: %s: %s\n", given,
                  option == ':' ? "expected a value" : "there is no such option");
        return false;
    }
}

/// What does not go together. @return false, after a line on standard error
static bool check(const bench_options *o) {
    const char *wrong =
        o->is_table && o->scene_count > 0                        ? "--table: expected no --scene beside it"
        : o->is_table && o->steps > 0                            ? "--table: expected no --steps beside it"
        : o->read != NULL && (o->is_table || o->scene_count > 0) ? "--read: expected no scenes beside it"
        : o->read != NULL && o->is_measured_so ? "--read: expected no option beside it that says how to measure"
                                               : NULL;
    if (wrong != NULL) {
        iso_print(stderr, "isostep-bench: %s\n", wrong);
    }
    return wrong == NULL;
}

bool bench_options_parse(int argc, char **argv, bench_options *options, int *exit_code) {
    static char program[] = "isostep-bench", version[ISO_VERSION_TEXT_SIZE];
    *options = (bench_options){.runs = 3,
                               .warm_up = 10,
                               .threads = {1},
                               .thread_count = 1,
                               .sets = {"auto"},
                               .set_count = 1,
                               .has_peers = true};
    opterr = 0; // its own messages would hold the argument as it is
    bool ok = true;
    int option;
    while (ok && (option = getopt_long(argc, argv, ":h", list, NULL)) != -1) {
        if (option == 'h' || option == 'v') {
            iso_version_text(program, iso_games, ISO_GAME_COUNT, version);
            fputs(option == 'h' ? help : version, stdout);
            *exit_code = 0;
            return false;
        }
        ok = parse_option(option, argv[optind - 1], options);
    }
    if (ok && optind != argc) {
        iso_print(stderr, "isostep-bench: %s: expected options alone\n", argv[optind]);
        ok = false;
    }
    if (!ok || !check(options)) {
        fputs("run isostep-bench --help for the options\n", stderr);
        *exit_code = 2;
        return false;
    }
    return true;
}
