/// netsim [--seed N | --seeds A..B] [--twice] [--must-fail] [--verbose]\n| --seeds A..B] [--twice] [--must-fail] [--verbose]
///
/// Runs a server and clients from each seed; every tenth, or with --twice each, is run again and must come to the same.
/// Exit code 1: something does not hold. With --must-fail it is the other way round: exit code 0 when it was found that
/// something does not hold, 1 when nothing was found.| --seeds A..B] [--verbose]
///
/// Runs a server and clients from each seed, twice, and compares the two. Exit code 1: something does not hold.
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "sim.h"

static void totals_add(sim_totals *sum, const sim_totals *one) {
    // All members are counters of one type.
    uint64_t *to = (uint64_t *)sum;
    const uint64_t *from = (const uint64_t *)one;
    for (size_t i = 0; i < sizeof *sum / sizeof *to; ++i) {
        to[i] += from[i];
    }
}

static bool parse_number(const char *text, char **end, uint64_t *value) {
    if (*text < '0' || *text > '9') {
        return false;
    }
    *value = strtoull(text, end, 10);
    return true;
}

static bool parse_seeds(const char *text, uint64_t *first, uint64_t *last) {
    char *end;
    if (!parse_number(text, &end, first)) {
        return false;
    }
    if (*end == 0) {
        *last = *first;
        return true;
    }
    return strncmp(end, "..", 2) == 0 && parse_number(end + 2, &end, last) && *end == 0 && *last >= *first;
}

static volatile uint64_t running_seed;
bool sim_must_fail;

/// An assertion of the product has trapped, or worse. Writes with what a signal handler may use.
static void on_crash(int number) {
    char text[] = "\nseed                      crashed; repeat it: netsim --seed N --verbose\n";
    size_t at = 25;
    for (uint64_t seed = running_seed; seed > 0 || at == 25; seed /= 10) {
        text[at--] = (char)('0' + seed % 10);
    }
    const ssize_t written = write(STDERR_FILENO, text, sizeof text - 1);
    (void)written;
    if (sim_must_fail) {
        _exit(0);
    }
    signal(number, SIG_DFL);
    raise(number);
}

static int usage(void) {
    fprintf(stderr, "usage: netsim [--seed N | --seeds A..B] [--verbose]\n");
    return 2;
}

static double seconds_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/// @return whether two runs were alike
static bool run_seed(uint64_t seed, bool twice, bool verbose, sim_totals *totals) {
    const uint64_t trace = sim_run(seed, verbose, totals);
    sim_totals again_totals;
    const uint64_t again = twice ? sim_run(seed, false, &again_totals) : trace;
    if (trace != again) {
        fprintf(stderr, "\nseed %llu: two runs differ: %016llx, %016llx\nrepeat it: netsim --twice --seed %llu\n",
                (unsigned long long)seed, (unsigned long long)trace, (unsigned long long)again,
                (unsigned long long)seed);
    } else if (verbose) {
        fprintf(stderr, "seed %llu: trace %016llx\n", (unsigned long long)seed, (unsigned long long)trace);
    }
    return trace == again;
}

static void print_summary(uint64_t seeds, double seconds, const sim_totals *sum) {
    printf("netsim: %llu seeds in %.1f s:", (unsigned long long)seeds, seconds);
    static const char *const names[] = {
#define SIM_TOTAL_NAME(name, text) text,
        SIM_TOTAL_LIST(SIM_TOTAL_NAME)
#undef SIM_TOTAL_NAME
    };
    const uint64_t *values = (const uint64_t *)sum;
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
        printf("%s %llu %s", i == 0 ? "" : ",", (unsigned long long)values[i], names[i]);
    }
    printf("\n");
}

int main(int argc, char **argv) {
    uint64_t first = 1;
    uint64_t last = 100;
    bool verbose = false;
    bool twice = false;
    for (int i = 1; i < argc; ++i) {
        const bool seeds = strcmp(argv[i], "--seed") == 0 || strcmp(argv[i], "--seeds") == 0;
        if (strcmp(argv[i], "--verbose") == 0) {
            verbose = true;
        } else if (strcmp(argv[i], "--twice") == 0) {
            twice = true;
        } else if (strcmp(argv[i], "--must-fail") == 0) {
            sim_must_fail = true;
        } else if (!seeds || i + 1 == argc || !parse_seeds(argv[++i], &first, &last)) {
            return usage();
        }
    }
    signal(SIGILL, on_crash);
    signal(SIGTRAP, on_crash);
    signal(SIGABRT, on_crash);
    signal(SIGSEGV, on_crash);
    const double start = seconds_now();
    const bool terminal = isatty(STDERR_FILENO) != 0;
    sim_totals sum = {0};
    for (uint64_t seed = first; seed <= last; ++seed) {
        running_seed = seed;
        sim_totals one;
        if (!run_seed(seed, twice || seed % 10 == 0, verbose, &one)) {
            return sim_must_fail ? 0 : 1;
        }
        totals_add(&sum, &one);
        if (terminal) {
            fprintf(stderr, "\rseed %llu of %llu..%llu, %llu ticks", (unsigned long long)seed,
                    (unsigned long long)first, (unsigned long long)last, (unsigned long long)sum.ticks);
        }
    }
    if (terminal) {
        fputc('\n', stderr);
    }
    print_summary(last - first + 1, seconds_now() - start, &sum);
    if (sim_must_fail) {
        fprintf(stderr, "something is wrong on purpose, and these seeds do not find it\n");
    }
    return sim_must_fail ? 1 : 0;
}
