/// The progress of long work: a bar on standard error when that is a terminal, else nothing.
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "replay.h"

#define BAR_CELLS 30

double iso__replay_clock(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

double iso__replay_speed(uint64_t ticks, uint32_t tick_rate_hz, double seconds) {
    return seconds > 0 && tick_rate_hz > 0 ? (double)ticks / tick_rate_hz / seconds : 0;
}

void iso__replay_progress_begin(replay_progress *progress, const char *label, uint64_t total, uint32_t tick_rate_hz,
                                bool quiet) {
    *progress =
        (replay_progress){.label = label, .total = total, .tick_rate_hz = tick_rate_hz, .started = iso__replay_clock()};
    progress->is_shown = !quiet && total > 0 && isatty(STDERR_FILENO) != 0;
}

/// "3:07", "1:00:05".
static void format_time(double seconds, char *text, size_t size) {
    const uint64_t whole = seconds < 360000 ? (uint64_t)(seconds + 0.5) : 359999;
    const unsigned hours = (unsigned)(whole / 3600), minutes = (unsigned)(whole / 60 % 60);
    if (hours > 0) {
        snprintf(text, size, "%u:%02u:%02u", hours, minutes, (unsigned)(whole % 60));
    } else {
        snprintf(text, size, "%u:%02u", minutes, (unsigned)(whole % 60));
    }
}

void iso__replay_progress_update(replay_progress *progress, uint64_t done) {
    if (!progress->is_shown) {
        return;
    }
    const double now = iso__replay_clock();
    if (progress->drawn > 0 && now - progress->drawn < 0.1) {
        return;
    }
    progress->drawn = now;
    done = done < progress->total ? done : progress->total;
    char bar[BAR_CELLS * 3 + 1] = "";
    for (uint64_t i = 0; i < BAR_CELLS; ++i) {
        strcat(bar, i < done * BAR_CELLS / progress->total ? "█" : "░");
    }
    const double spent = now - progress->started;
    char left[24] = "?";
    if (done > 0) {
        format_time(spent * (double)(progress->total - done) / (double)done, left, sizeof left);
    }
    fprintf(stderr, "\r%s %s %3u %%  %.0f× real time  %s left\x1b[K", progress->label, bar,
            (unsigned)(done * 100 / progress->total), iso__replay_speed(done, progress->tick_rate_hz, spent), left);
    fflush(stderr);
}

void iso__replay_progress_end(replay_progress *progress) {
    if (progress->is_shown && progress->drawn > 0) {
        fprintf(stderr, "\r\x1b[K");
        fflush(stderr);
    }
}
