/// netsim [--scene plane|space|rally] [--seed N | --seeds A..B]... [--twice] [--verbose] [--counts FILE]
///     Runs a server and clients from each seed, in the plane, in a world in space, or in the rally; every tenth, or
///     with --twice each, is run again and must come to the same. --counts keeps what was seen. Exit code 1: something
///     does not hold.
/// netsim --must-fail TEXT [--scene plane|space|rally] [--seed N | --seeds A..B]...
///     For a planted bug: exit code 0 as soon as two seeds have ended with a failed check that says TEXT; 1 when none
///     or only one does.
/// netsim --floors FILE...
///     Adds up what runs have seen and prints it as a table. Exit code 1: they have not seen enough of something.
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "sim.h"

#define RANGES_MAX  64u
#define SAID_MAX    4096u // characters of what a failing run says
#define FINDERS_MIN 2u    // seeds that must find a planted bug: with one alone, any change might hide it

typedef struct seed_range {
    uint64_t first, last;
} seed_range;

typedef struct netsim_options {
    seed_range ranges[RANGES_MAX];
    uint32_t range_count;
    const sim_scene *scene;
    bool verbose, twice;
    const char *must_fail; // NULL: must not
    const char *counts;    // NULL: not kept
} netsim_options;

static bool parse_number(const char *text, char **end, uint64_t *value) {
    if (*text < '0' || *text > '9') {
        return false;
    }
    *value = strtoull(text, end, 10);
    return true;
}

static bool parse_range(const char *text, seed_range *range) {
    char *end;
    if (!parse_number(text, &end, &range->first)) {
        return false;
    }
    if (*end == 0) {
        range->last = range->first;
        return true;
    }
    return strncmp(end, "..", 2) == 0 && parse_number(end + 2, &end, &range->last) && *end == 0 &&
           range->last >= range->first;
}

static volatile uint64_t running_seed;

/// An assertion of the product has trapped, or worse. Writes with what a signal handler may use.
static void on_crash(int number) {
    char text[] = "\nseed                      crashed; repeat it: netsim --seed N --verbose and its --scene\n";
    size_t at = 25;
    for (uint64_t seed = running_seed; seed > 0 || at == 25; seed /= 10) {
        text[at--] = (char)('0' + seed % 10);
    }
    const ssize_t written = write(STDERR_FILENO, text, sizeof text - 1);
    (void)written;
    signal(number, SIG_DFL);
    raise(number);
}

static int usage(void) {
    fprintf(
        stderr,
        "usage: netsim [--scene plane|space|rally] [--seed N | --seeds A..B]... [--twice] [--verbose] [--counts FILE]\n"
        "       netsim --must-fail TEXT [--scene plane|space|rally] [--seed N | --seeds A..B]...\n"
        "       netsim --floors FILE...\n");
    return 2;
}

static double seconds_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/// @return whether two runs were alike
static bool run_seed(const netsim_options *options, uint64_t seed, bool twice, sim_totals *totals) {
    running_seed = seed;
    const uint64_t trace = sim_run(seed, options->scene, options->verbose, totals);
    sim_totals again_totals;
    const uint64_t again = twice ? sim_run(seed, options->scene, false, &again_totals) : trace;
    if (trace != again) {
        fprintf(stderr,
                "\nseed %llu: two runs differ: %016llx, %016llx\nrepeat it: netsim --scene %s --twice --seed %llu\n",
                (unsigned long long)seed, (unsigned long long)trace, (unsigned long long)again, options->scene->name,
                (unsigned long long)seed);
    } else if (options->verbose) {
        fprintf(stderr, "seed %llu: trace %016llx\n", (unsigned long long)seed, (unsigned long long)trace);
    }
    return trace == again;
}

// ---- a planted bug ----------------------------------------------------------------------------------

/// Runs a seed in a process of its own. @return whether it failed; `said` is what it said then
static bool run_apart(const netsim_options *options, uint64_t seed, char *said) {
    int ends[2];
    if (pipe(ends) != 0) {
        return false;
    }
    const pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], STDERR_FILENO);
        sim_totals totals;
        _exit(run_seed(options, seed, false, &totals) ? 0 : 1);
    }
    close(ends[1]);
    size_t size = 0;
    for (ssize_t part = 1; part > 0; size += (size_t)(part > 0 ? part : 0)) {
        part = read(ends[0], said + size, SAID_MAX - 1 - size);
    }
    said[size] = 0;
    close(ends[0]);
    int status = 0;
    waitpid(child, &status, 0);
    return status != 0;
}

/// Whether a seed belongs to one of the ranges before this one.
static bool was_tried(const netsim_options *options, uint32_t range, uint64_t seed) {
    bool tried = false;
    for (uint32_t i = 0; i < range; ++i) {
        tried = tried || (seed >= options->ranges[i].first && seed <= options->ranges[i].last);
    }
    return tried;
}

/// @return whether enough seeds have found the planted bug, by the check that is meant
static bool find_bug(const netsim_options *options) {
    uint64_t finders[FINDERS_MIN];
    uint32_t found = 0, tried = 0;
    for (uint32_t i = 0; i < options->range_count; ++i) {
        const seed_range *range = &options->ranges[i];
        for (uint64_t seed = range->first; seed <= range->last && found < FINDERS_MIN; ++seed) {
            char said[SAID_MAX];
            if (was_tried(options, i, seed)) {
                continue;
            }
            tried += 1;
            if (!run_apart(options, seed, said)) {
                continue;
            }
            const bool meant = strstr(said, options->must_fail) != NULL;
            printf("%s%s", meant ? "" : "(another check) ", said + strspn(said, "\n"));
            if (meant) {
                finders[found++] = seed;
            }
        }
    }
    printf("found by %u of %u seeds\n", found, tried);
    if (found == FINDERS_MIN && tried > found) {
        printf("name them in tests/netsim/bugs.cmake: %llu %llu\n", (unsigned long long)finders[0],
               (unsigned long long)finders[1]);
    }
    return found >= FINDERS_MIN;
}

// ---- ordinary runs ----------------------------------------------------------------------------------

static bool run_range(const netsim_options *options, const seed_range *range, sim_totals *sum) {
    const bool terminal = isatty(STDERR_FILENO) != 0;
    for (uint64_t seed = range->first; seed <= range->last; ++seed) {
        sim_totals one;
        if (!run_seed(options, seed, options->twice || seed % 10 == 0, &one)) {
            return false;
        }
        totals_add(sum, &one);
        if (terminal) {
            fprintf(stderr, "\rseed %llu of %llu..%llu, %llu ticks", (unsigned long long)seed,
                    (unsigned long long)range->first, (unsigned long long)range->last, (unsigned long long)sum->ticks);
        }
    }
    if (terminal) {
        fputc('\n', stderr);
    }
    return true;
}

static int run_all(const netsim_options *options) {
    const double start = seconds_now();
    sim_totals sum = {0};
    for (uint32_t i = 0; i < options->range_count; ++i) {
        if (!run_range(options, &options->ranges[i], &sum)) {
            return 1;
        }
    }
    totals_print(&sum);
    printf("%llu seeds in %.1f s\n", (unsigned long long)sum.seeds, seconds_now() - start);
    if (options->counts != NULL && !totals_save(&sum, options->counts)) {
        fprintf(stderr, "%s cannot be written\n", options->counts);
        return 1;
    }
    return 0;
}

static int check_floors(int count, char **paths) {
    sim_totals sum = {0};
    for (int i = 0; i < count; ++i) {
        sim_totals one;
        if (!totals_load(&one, paths[i])) {
            fprintf(stderr, "%s cannot be read, or is of another netsim\n", paths[i]);
            return 1;
        }
        totals_add(&sum, &one);
    }
    totals_print(&sum);
    if (!totals_reach_floors(&sum)) {
        fprintf(stderr, "the runs have not seen enough of what they are for\n");
        return 1;
    }
    return 0;
}

static const sim_scene *scene_find(const char *name) {
    const sim_scene *const scenes[] = {&sim_scene_plane, &sim_scene_space, &sim_scene_rally};
    for (size_t i = 0; i < sizeof scenes / sizeof scenes[0]; ++i) {
        if (strcmp(scenes[i]->name, name) == 0) {
            return scenes[i];
        }
    }
    return NULL;
}

static bool parse(int argc, char **argv, netsim_options *options) {
    for (int i = 1; i < argc; ++i) {
        const bool has_value = i + 1 < argc;
        if (strcmp(argv[i], "--verbose") == 0) {
            options->verbose = true;
        } else if (strcmp(argv[i], "--twice") == 0) {
            options->twice = true;
        } else if (strcmp(argv[i], "--scene") == 0 && has_value && scene_find(argv[i + 1]) != NULL) {
            options->scene = scene_find(argv[++i]);
        } else if (strcmp(argv[i], "--must-fail") == 0 && has_value) {
            options->must_fail = argv[++i];
        } else if (strcmp(argv[i], "--counts") == 0 && has_value) {
            options->counts = argv[++i];
        } else if ((strcmp(argv[i], "--seed") == 0 || strcmp(argv[i], "--seeds") == 0) && has_value &&
                   options->range_count < RANGES_MAX &&
                   parse_range(argv[i + 1], &options->ranges[options->range_count])) {
            options->range_count += 1;
            i += 1;
        } else {
            return false;
        }
    }
    if (options->range_count == 0) {
        options->ranges[options->range_count++] = (seed_range){1, 100};
    }
    return true;
}

int main(int argc, char **argv) {
    netsim_options options = {.scene = &sim_scene_plane};
    if (argc > 2 && strcmp(argv[1], "--floors") == 0) {
        return check_floors(argc - 2, argv + 2);
    }
    if (!parse(argc, argv, &options)) {
        return usage();
    }
    signal(SIGILL, on_crash);
    signal(SIGTRAP, on_crash);
    signal(SIGABRT, on_crash);
    signal(SIGSEGV, on_crash);
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (!overlap_make_folder()) {
        fprintf(stderr, "there can be no folder for a lock\n");
        return 1;
    }
    return options.must_fail != NULL ? !find_bug(&options) : run_all(&options);
}
