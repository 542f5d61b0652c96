/// The part of the world that a picture shows by default.
#include <math.h>
#include <stdlib.h>

#include "isostep/body.h"
#include "render/picture.h"

#define MARGIN           0.08 // of the larger side
#define SIZE_MIN         0.01 // [m]
#define CROWD            8    // from so many bodies on, one that is far away from all others is left out
#define FAR_AWAY         12.0 // times the median distance from the middle of the crowd
#define FALLEN           0.25 // of the crowd's height below all that is fixed
#define FALLEN_MOST      5    // a crowd of which one in so many falls is followed
#define POINT_VIEW       1    // [m] around a point with nothing beside it
#define FLATTEST         0.28 // height by width
#define HIGHEST          0.8
#define HIGHEST_OF_STRIP 1.6

typedef struct box {
    double left, bottom, right, top; // [m]; left > right: empty
} box;

static const box box_empty = {INFINITY, INFINITY, -INFINITY, -INFINITY};

static box box_of(const render_extent *extent) {
    return (box){extent->left, extent->bottom, extent->right, extent->top};
}

static void box_join(box *is, const box *other) {
    is->left = fmin(is->left, other->left);
    is->right = fmax(is->right, other->right);
    is->bottom = fmin(is->bottom, other->bottom);
    is->top = fmax(is->top, other->top);
}

static double box_size(const box *is) {
    return fmax(is->right - is->left, is->top - is->bottom);
}

/// How far two boxes are apart, in x or in y.
static double box_gap(const box *a, const box *b) {
    const double x = fmax(a->left - b->right, b->left - a->right), y = fmax(a->bottom - b->top, b->bottom - a->top);
    return fmax(x, y);
}

static bool is_fixed(const render_extent *extent) {
    return extent->is_shape && extent->is_static;
}

static bool is_moving(const render_extent *extent) {
    return extent->is_shape && !extent->is_static;
}

// ---- the plane -----------------------------------------------------------------------------------

bool iso__replay_render_extents(const render_frame *frame, render_extents *extents) {
    extents->items = malloc((size_t)(frame->count + 1) * sizeof *extents->items);
    if (extents->items == NULL) {
        return false;
    }
    extents->count = frame->count;
    for (uint32_t i = 0; i < frame->count; ++i) {
        const iso_draw_item *item = &frame->items[i];
        const double radius = fmax(render_metres(item->radius), render_metres(item->radius_b));
        render_extent *is = &extents->items[i];
        *is = (render_extent){
            .left = INFINITY,
            .bottom = INFINITY,
            .right = -INFINITY,
            .top = -INFINITY,
            .x = render_metres(item->points[0].x),
            .y = render_metres(item->points[0].y),
            .is_shape = item->role == ISO_DRAW_OUTLINE,
            .is_static = item->body_type == ISO_BODY_STATIC,
            .is_sign = item->role == ISO_DRAW_ANCHOR || item->role == ISO_DRAW_MARK,
        };
        for (uint32_t k = 0; k < item->point_count; ++k) {
            const double x = render_metres(item->points[k].x), y = render_metres(item->points[k].y);
            is->left = fmin(is->left, x - radius);
            is->right = fmax(is->right, x + radius);
            is->bottom = fmin(is->bottom, y - radius);
            is->top = fmax(is->top, y + radius);
        }
    }
    return true;
}

// ---- the crowd -----------------------------------------------------------------------------------

static int compare_numbers(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double take_median(double *numbers, uint32_t count) {
    qsort(numbers, count, sizeof *numbers, compare_numbers);
    return numbers[count / 2];
}

/// Where most of a frame's moving shapes are, so that one that fell off the world does not shrink all others.
typedef struct crowd {
    double x, y, reach; // what is farther than the reach does not count
    double bottom;      // what is lower than this has fallen off and does not count
} crowd;

/// Below all that is fixed, by a part of the height of what is above: what is there falls for ever. When more than few
/// do, they are what there is to see.
static double find_bottom(const render_extents *frame, uint32_t moving) {
    double fixed = INFINITY, high = -INFINITY;
    uint32_t fallen = 0;
    for (uint32_t i = 0; i < frame->count; ++i) {
        const box is = box_of(&frame->items[i]);
        fixed = is_fixed(&frame->items[i]) ? fmin(fixed, is.bottom) : fixed;
    }
    for (uint32_t i = 0; i < frame->count; ++i) {
        const double y = frame->items[i].y;
        if (is_moving(&frame->items[i])) {
            fallen += y < fixed;
            high = fmax(high, y);
        }
    }
    return fallen * FALLEN_MOST <= moving && high > fixed ? fixed - (high - fixed) * FALLEN : -INFINITY;
}

static crowd crowd_of(const render_extents *frame) {
    crowd is = {0, 0, INFINITY, -INFINITY};
    uint32_t count = 0;
    for (uint32_t i = 0; i < frame->count; ++i) {
        count += is_moving(&frame->items[i]);
    }
    double *numbers = count >= CROWD ? malloc(count * sizeof *numbers) : NULL;
    if (numbers == NULL) {
        return is; // without memory everything counts
    }
    for (int what = 0; what < 3; ++what) {
        uint32_t at = 0;
        for (uint32_t i = 0; i < frame->count; ++i) {
            if (is_moving(&frame->items[i])) {
                const double x = frame->items[i].x, y = frame->items[i].y;
                numbers[at++] = what == 0 ? x : what == 1 ? y : fmax(fabs(x - is.x), fabs(y - is.y));
            }
        }
        *(what == 0 ? &is.x : what == 1 ? &is.y : &is.reach) = take_median(numbers, count);
    }
    is.reach *= FAR_AWAY;
    is.bottom = find_bottom(frame, count);
    free(numbers);
    return is;
}

static bool crowd_has(const crowd *is, const render_extent *extent) {
    const double x = extent->x, y = extent->y;
    return fmax(fabs(x - is->x), fabs(y - is->y)) <= is->reach && y >= is->bottom;
}

// ---- the view ------------------------------------------------------------------------------------

/// All that moves, and what joints hold it to; with what does not when that is nothing or a point.
static box view_of_moving(const render_extents *frames, uint32_t count) {
    box moving = box_empty, fixed = box_empty;
    for (uint32_t f = 0; f < count; ++f) {
        const crowd most = crowd_of(&frames[f]);
        for (uint32_t i = 0; i < frames[f].count; ++i) {
            const render_extent *extent = &frames[f].items[i];
            const box is = box_of(extent);
            if ((is_moving(extent) || extent->is_sign) && crowd_has(&most, extent)) {
                box_join(&moving, &is);
            } else if (is_fixed(extent)) {
                box_join(&fixed, &is);
            }
        }
    }
    if (!(box_size(&moving) > 0)) { // a mark or an anchor alone
        box_join(&moving, &fixed);
    }
    return moving;
}

bool iso__replay_render_view_fit(const render_extents *frames, uint32_t count, bool is_strip, render_view *view) {
    box is = view_of_moving(frames, count);
    if (is.left > is.right) {
        return false;
    }
    const box moving = is;
    const double size = box_size(&moving);
    for (uint32_t i = 0; i < frames[0].count; ++i) {
        const box beside = box_of(&frames[0].items[i]);
        if (is_fixed(&frames[0].items[i]) && box_size(&beside) <= size && box_gap(&moving, &beside) <= size / 2) {
            box_join(&is, &beside);
        }
    }
    const double margin = box_size(&is) > 0 ? fmax(box_size(&is) * MARGIN, SIZE_MIN) : POINT_VIEW / 2.0;
    const double high = is.top - is.bottom + 2 * margin, wide = is.right - is.left + 2 * margin;
    view->width = fmax(wide, high / (is_strip ? HIGHEST_OF_STRIP : HIGHEST));
    view->height = fmax(high, wide * FLATTEST);
    view->x = is.left - margin - (view->width - wide) / 2;
    view->y = is.bottom - margin - (view->height - high) / 2;
    return true;
}

double iso__replay_render_view_round(double value) {
    const double power = pow(10, floor(log10(value)));
    const double first = value / power;
    return power * (first >= 5 ? 5 : first >= 2 ? 2 : 1);
}
