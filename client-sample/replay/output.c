/// What the replay tool writes: progress, JSON, commands as text.
#include <errno.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "replay.h"

double replay_clock(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

void replay_progress_begin(replay_progress *progress, const char *label, uint64_t total, bool quiet) {
    *progress = (replay_progress){.label = label, .total = total, .started = replay_clock()};
    progress->shown = !quiet && total > 0 && isatty(STDERR_FILENO) != 0;
}

void replay_progress_update(replay_progress *progress, uint64_t done) {
    if (!progress->shown) {
        return;
    }
    const double now = replay_clock();
    if (now - progress->drawn < 0.1) {
        return;
    }
    progress->drawn = now;
    char bar[41];
    const uint64_t filled = done * 40 / progress->total;
    for (uint64_t i = 0; i < 40; i++) {
        bar[i] = i < filled ? '#' : '.';
    }
    bar[40] = 0;
    const double left = done > 0 ? (now - progress->started) * (double)(progress->total - done) / (double)done : 0;
    fprintf(stderr, "\r%s [%s] %3u %%, %.0f s left \x1b[K", progress->label, bar,
            (unsigned)(done * 100 / progress->total), left);
    fflush(stderr);
}

void replay_progress_end(replay_progress *progress) {
    if (progress->shown && progress->drawn > 0) {
        fprintf(stderr, "\r\x1b[K");
        fflush(stderr);
    }
}

void replay_json_string(FILE *out, const char *text) {
    fputc('"', out);
    for (const unsigned char *at = (const unsigned char *)text; *at != 0; at++) {
        if (*at == '"' || *at == '\\') {
            fprintf(out, "\\%c", *at);
        } else if (*at < 0x20 || *at == 0x7F) {
            fprintf(out, "\\u%04x", *at);
        } else {
            fputc(*at, out);
        }
    }
    fputc('"', out);
}

double replay_speed(uint64_t ticks, uint32_t tick_rate_hz, double seconds) {
    return seconds > 0 ? (double)ticks / tick_rate_hz / seconds : 0;
}

bool replay_parse_number(const char *option, const char *text, uint64_t min, uint64_t max, uint64_t *value) {
    char *end = NULL;
    errno = 0;
    const unsigned long long number = strtoull(text, &end, 10);
    if (text[0] < '0' || text[0] > '9' || *end != 0 || errno != 0 || number < min || number > max) {
        fprintf(stderr, "isostep-replay: %s %s: expected a whole number from %llu to %llu\n", option, text,
                (unsigned long long)min, (unsigned long long)max);
        return false;
    }
    *value = number;
    return true;
}
