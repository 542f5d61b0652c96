/// The times of the steps as a picture: of each result a bar, below it those of the peers and of earlier results, on a
/// logarithmic scale, so that a ratio has the same length everywhere.
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench_report.h"
#include "isostep/proto/text.h"
#include "render/canvas.h"

#define WIDTH   900
#define LEFT    210.0 // of the bars; the names stand before it
#define RIGHT   80.0  // for the numbers behind them
#define TOP     44.0
#define BAR     11.0
#define BETWEEN 8.0 // results

#define OURS    0x2f6fd0ffu
#define EARLIER 0xa9c4eeffu
#define FIRST   0xd08a2fffu
#define SECOND  0x7a9a3affu
#define INK     0x33404dffu
#define GRID    0xdfe6ecffu

typedef struct plot {
    render_canvas *canvas;
    double low, high; // decades of microseconds
    double y;         // of the next bar
} plot;

static double plot_x(const plot *p, double us) {
    const double share = (log10(us) - p->low) / (p->high - p->low);
    return LEFT + share * (WIDTH - LEFT - RIGHT);
}

static void plot_box(const plot *p, const char *name, uint32_t colour, double x, double y, double width,
                     double height) {
    const canvas_format *format = p->canvas->format;
    format->use(p->canvas, name, (canvas_pen){.fill = colour});
    format->begin(p->canvas);
    format->line_to(p->canvas, x, y);
    format->line_to(p->canvas, x + width, y);
    format->line_to(p->canvas, x + width, y + height);
    format->line_to(p->canvas, x, y + height);
    format->end(p->canvas, true);
}

static void plot_bar(plot *p, const char *name, uint32_t colour, double us) {
    if (us <= 0) {
        return;
    }
    char text[32];
    snprintf(text, sizeof text, us < 1000 ? "%.3g us" : "%.3g ms", us < 1000 ? us : us / 1000);
    plot_box(p, name, colour, LEFT, p->y, plot_x(p, us) - LEFT, BAR - 1);
    p->canvas->format->text(p->canvas, plot_x(p, us) + 4, p->y + BAR - 2, 9, CANVAS_LEFT, INK, text);
    p->y += BAR;
}

/// The decades that all times of results lie between.
static void plot_span(plot *p, const bench_results *results) {
    for (size_t i = 0; i < results->count; ++i) {
        const bench_result *r = &results->list[i];
        const double times[] = {r->step.median, r->peers[0].step, r->peers[1].step};
        for (size_t k = 0; k < sizeof times / sizeof times[0]; ++k) {
            if (times[k] > 0) {
                p->low = fmin(p->low, floor(log10(times[k])));
                p->high = fmax(p->high, ceil(log10(times[k]) + 1e-9));
            }
        }
    }
}

/// That of the same steps, as in the table of ratios.
static const bench_result *plot_earlier(const bench_results *before, const bench_result *like) {
    for (size_t i = 0; before != NULL && i < before->count; ++i) {
        const bench_result *r = &before->list[i];
        if (strcmp(r->scene, like->scene) == 0 && strcmp(r->simd, like->simd) == 0 && r->threads == like->threads &&
            r->steps == like->steps) {
            return r;
        }
    }
    return NULL;
}

static size_t plot_bar_count(const bench_results *now, const bench_results *before) {
    size_t bars = 0;
    for (size_t i = 0; i < now->count; ++i) {
        const bench_result *r = &now->list[i];
        bars += 1u + (r->peers[0].step > 0) + (r->peers[1].step > 0) + (plot_earlier(before, r) != NULL);
    }
    return bars;
}

static void plot_scale(const plot *p, double bottom) {
    for (double decade = p->low; decade <= p->high; ++decade) {
        char text[32];
        const double us = pow(10, decade), x = plot_x(p, us);
        snprintf(text, sizeof text, us < 1000 ? "%g us" : "%g ms", us < 1000 ? us : us / 1000);
        plot_box(p, "grid", GRID, x, TOP - 6, 1, bottom - TOP + 6);
        p->canvas->format->text(p->canvas, x, TOP - 10, 10, CANVAS_MIDDLE, INK, text);
    }
}

static void plot_legend(const plot *p, const bench_results *now, bool has_before) {
    const char *names[] = {"Isostep", has_before ? "earlier" : "", now->count > 0 ? now->list[0].peers[0].name : "",
                           now->count > 0 ? now->list[0].peers[1].name : ""};
    static const uint32_t colours[] = {OURS, EARLIER, FIRST, SECOND};
    double x = LEFT;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i) {
        if (names[i][0] != 0) {
            plot_box(p, "legend", colours[i], x, 8, 10, 10);
            p->canvas->format->text(p->canvas, x + 14, 17, 11, CANVAS_LEFT, INK, names[i]);
            x += 120;
        }
    }
}

static void plot_results(plot *p, const bench_results *now, const bench_results *before) {
    for (size_t i = 0; i < now->count; ++i) {
        const bench_result *r = &now->list[i], *old = plot_earlier(before, r);
        char name[3 * BENCH_NAME_MAX];
        snprintf(name, sizeof name, r->threads > 1 ? "%s, %s, %u threads" : "%s, %s", r->scene, r->simd, r->threads);
        p->canvas->format->text(p->canvas, LEFT - 6, p->y + BAR - 2, 11, CANVAS_RIGHT, INK,
                                strcmp(r->simd, "auto") == 0 && r->threads == 1 ? r->scene : name);
        plot_bar(p, "isostep", OURS, r->step.median);
        plot_bar(p, "earlier", EARLIER, old != NULL ? old->step.median : 0);
        plot_bar(p, "peer", FIRST, r->peers[0].step);
        plot_bar(p, "peer", SECOND, r->peers[1].step);
        p->y += BETWEEN;
    }
}

bool bench_write_plot(const char *path, const bench_results *now, const bench_results *before) {
    const char *fault = NULL;
    const double bottom = TOP + BAR * (double)plot_bar_count(now, before) + BETWEEN * (double)now->count;
    plot p = {.low = 9, .high = -9, .y = TOP};
    plot_span(&p, now);
    plot_span(&p, before != NULL ? before : now);
    p.high = p.high > p.low ? p.high : p.low + 1;
    p.canvas = iso__replay_canvas_open_svg(WIDTH, (int)bottom + 10, "Time of a step by scene", &fault);
    char *bytes = NULL;
    size_t size = 0;
    if (p.canvas != NULL) {
        plot_box(&p, "paper", 0xffffffffu, 0, 0, WIDTH, bottom + 10);
        plot_scale(&p, bottom);
        plot_legend(&p, now, before != NULL);
        plot_results(&p, now, before);
        fault = p.canvas->format->finish(p.canvas, &bytes, &size);
    }
    FILE *out = fault == NULL ? fopen(path, "wb") : NULL;
    if (fault == NULL && (out == NULL || fwrite(bytes, 1, size, out) != size || fflush(out) != 0)) {
        fault = strerror(errno);
    }
    if (out != NULL) {
        fclose(out);
    }
    free(bytes);
    if (fault != NULL) {
        iso_print(stderr, "isostep-bench: %s: %s\n", path, fault);
    }
    return fault == NULL;
}
