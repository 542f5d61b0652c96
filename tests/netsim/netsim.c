/// netsim [--seed N | --seeds A..B] [--verbose]
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

/// An assertion of the product has trapped, or worse. Writes with what a signal handler may use.
static void on_crash(int number) {
    char text[] = "\nseed                      crashed; repeat it: netsim --seed N --verbose\n";
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
    fprintf(stderr, "usage: netsim [--seed N | --seeds A..B] [--verbose]\n");
    return 2;
}

static double seconds_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

int main(int argc, char **argv) {
    uint64_t first = 1;
    uint64_t last = 100;
    bool verbose = false;
    for (int i = 1; i < argc; ++i) {
        const bool seeds = strcmp(argv[i], "--seed") == 0 || strcmp(argv[i], "--seeds") == 0;
        if (strcmp(argv[i], "--verbose") == 0) {
            verbose = true;
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
        sim_totals two;
        const uint64_t trace = sim_run(seed, verbose, &one);
        const uint64_t again = sim_run(seed, false, &two);
        if (trace != again) {
            fprintf(stderr, "\nseed %llu: two runs differ: %016llx, %016llx\nrepeat it: netsim --seed %llu\n",
                    (unsigned long long)seed, (unsigned long long)trace, (unsigned long long)again,
                    (unsigned long long)seed);
            return 1;
        }
        totals_add(&sum, &one);
        if (verbose) {
            fprintf(stderr, "seed %llu: trace %016llx\n", (unsigned long long)seed, (unsigned long long)trace);
        }
        if (terminal) {
            fprintf(stderr, "\rseed %llu of %llu..%llu, %llu ticks", (unsigned long long)seed,
                    (unsigned long long)first, (unsigned long long)last, (unsigned long long)sum.ticks);
        }
    }
    if (terminal) {
        fputc('\n', stderr);
    }
    printf("netsim: %llu seeds, each twice alike, in %.1f s: %llu events, %llu ticks of servers, %llu of clients, %llu "
           "commands sealed, %llu rejected, "
           "%llu joins, %llu cuts, %llu stalls, %llu slips, %llu degraded recordings, %llu desyncs found, %llu "
           "refused, %llu bytes, %llu recorded roots verified\n",
           (unsigned long long)(last - first + 1), seconds_now() - start, (unsigned long long)sum.events,
           (unsigned long long)sum.ticks, (unsigned long long)sum.client_ticks, (unsigned long long)sum.commands,
           (unsigned long long)sum.rejects, (unsigned long long)sum.joins, (unsigned long long)sum.cuts,
           (unsigned long long)sum.stalls, (unsigned long long)sum.slips, (unsigned long long)sum.degraded,
           (unsigned long long)sum.desyncs, (unsigned long long)sum.refused, (unsigned long long)sum.bytes,
           (unsigned long long)sum.roots_verified);
    return 0;
}
