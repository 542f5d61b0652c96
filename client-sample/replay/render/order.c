/// The order in which solids are drawn over each other, where there are no pixels that know how far away they are.
///
/// Of two that overlap in the picture, the one that is in front of a plane between them is drawn later. For such a
/// plane the directions of their faces are tried, those between their nearest points and between their middles, and
/// that of the eye: the one along which they are farthest apart, or overlap least, decides. Where this goes round in a
/// circle, as that of three sticks that lie on each other can, depth decides.
#include <math.h>
#include <stdlib.h>

#include "render/space.h"

#define NOTHING 1e-6 // [m]

// ---- two of them ---------------------------------------------------------------------------------

/// From where to where a solid reaches along a direction.
static void span_of(const render_eye *eye, const render_solid *solid, render_vec n, double *low, double *high) {
    const iso_draw3_item *item = solid->item;
    *low = INFINITY;
    *high = -INFINITY;
    for (uint32_t i = 0; i < (solid->face_count > 0 ? solid->face_count : 1); ++i, item = render_item_after(item)) {
        render_vec points[ISO_HULL_VERTICES_MAX];
        const uint32_t count = iso__replay_solid_points(eye, item, points);
        const double radius = render_metres(item->radius);
        for (uint32_t k = 0; k < count; ++k) {
            const double at = render_dot(n, points[k]);
            *low = fmin(*low, at - radius);
            *high = fmax(*high, at + radius);
        }
    }
}

typedef struct parting {
    double gap;   // [m] the largest so far, negative where they overlap
    double front; // above 0: the second is in front
} parting;

static void parting_try(const render_eye *eye, const render_solid *a, const render_solid *b, render_vec n,
                        parting *best) {
    double low_a, high_a, low_b, high_b;
    span_of(eye, a, n, &low_a, &high_a);
    span_of(eye, b, n, &low_b, &high_b);
    if (low_b - high_a > best->gap + NOTHING) {
        *best = (parting){low_b - high_a, n.z};
    }
    if (low_a - high_b > best->gap + NOTHING) {
        *best = (parting){low_a - high_b, -n.z};
    }
}

static void parting_try_faces(const render_eye *eye, const render_solid *of, const render_solid *a,
                              const render_solid *b, parting *best) {
    const iso_draw3_item *item = of->item;
    for (uint32_t i = 0; i < of->face_count; ++i, item = render_item_after(item)) {
        parting_try(eye, a, b, render_seen_unit(eye, item->normal), best);
    }
}

/// The way between the nearest points of two lines, or of points; zero where they meet.
/// Source: Ericson, Real-Time Collision Detection, 5.1.9.
static render_vec way_between(const render_vec a[2], const render_vec b[2]) {
    const render_vec u = {a[1].x - a[0].x, a[1].y - a[0].y, a[1].z - a[0].z};
    const render_vec v = {b[1].x - b[0].x, b[1].y - b[0].y, b[1].z - b[0].z};
    const render_vec w = {a[0].x - b[0].x, a[0].y - b[0].y, a[0].z - b[0].z};
    const double uu = render_dot(u, u), vv = render_dot(v, v), uv = render_dot(u, v);
    const double uw = render_dot(u, w), vw = render_dot(v, w), below = uu * vv - uv * uv;
    double s = below > 1e-12 ? fmin(fmax((uv * vw - uw * vv) / below, 0), 1) : 0;
    double t = vv > 0 ? (uv * s + vw) / vv : 0;
    if (vv <= 0 || t < 0 || t > 1) {
        t = fmin(fmax(t, 0), 1);
        s = uu > 0 ? fmin(fmax((uv * t - uw) / uu, 0), 1) : 0;
    }
    return (render_vec){b[0].x + v.x * t - a[0].x - u.x * s, b[0].y + v.y * t - a[0].y - u.y * s,
                        b[0].z + v.z * t - a[0].z - u.z * s};
}

/// The line that is in the middle of a round solid; the middle of another one.
static void middle_of(const render_eye *eye, const render_solid *solid, render_vec line[2]) {
    const render_vec middle = {(solid->left + solid->right) / 2, (solid->bottom + solid->top) / 2,
                               (solid->far + solid->near) / 2};
    line[0] = line[1] = middle;
    if (solid->face_count == 0) {
        line[0] = render_seen(eye, solid->item->points[0]);
        line[1] = render_seen(eye, solid->item->points[solid->item->point_count - 1]);
    }
}

/// @return above 0: b hides what it covers of a; below 0: a hides it; 0: they cover nothing of each other
static int compare_solids(const render_eye *eye, const render_solid *a, const render_solid *b) {
    if (a->right <= b->left + NOTHING || b->right <= a->left + NOTHING || a->top <= b->bottom + NOTHING ||
        b->top <= a->bottom + NOTHING) {
        return 0;
    }
    parting best = {-INFINITY, 0};
    render_vec lines[2][2];
    parting_try(eye, a, b, (render_vec){0, 0, 1}, &best);
    parting_try_faces(eye, a, a, b, &best);
    parting_try_faces(eye, b, a, b, &best);
    middle_of(eye, a, lines[0]);
    middle_of(eye, b, lines[1]);
    const render_vec way = way_between(lines[0], lines[1]);
    const double length = sqrt(render_dot(way, way));
    if (length > NOTHING) {
        parting_try(eye, a, b, (render_vec){way.x / length, way.y / length, way.z / length}, &best);
    }
    if (fabs(best.front) > 1e-6) {
        return best.front > 0 ? 1 : -1;
    }
    if (best.gap >= 0) {
        return 0;
    }
    const double nearer = (b->far + b->near) - (a->far + a->near);
    return fabs(nearer) <= NOTHING ? 0 : nearer > 0 ? 1 : -1;
}

// ---- all of them ---------------------------------------------------------------------------------

/// One solid hides another: the numbers of both.
typedef struct cover {
    uint32_t below, above;
} cover;

typedef struct covers {
    cover *items;
    uint32_t count, capacity;
} covers;

static bool covers_add(covers *list, uint32_t below, uint32_t above) {
    if (list->count == list->capacity) {
        const uint32_t capacity = list->capacity == 0 ? 256 : 2 * list->capacity;
        cover *more = realloc(list->items, (size_t)capacity * sizeof *more);
        if (more == NULL) {
            return false;
        }
        list->items = more;
        list->capacity = capacity;
    }
    list->items[list->count++] = (cover){below, above};
    return true;
}

static bool covers_find(const render_eye *eye, const render_solids *solids, covers *list) {
    bool ok = true;
    for (uint32_t i = 0; ok && i < solids->count; ++i) {
        for (uint32_t k = i + 1; ok && k < solids->count; ++k) {
            const int order = compare_solids(eye, &solids->items[i], &solids->items[k]);
            ok = order == 0 || covers_add(list, order > 0 ? i : k, order > 0 ? k : i);
        }
    }
    return ok;
}

static int compare_covers(const void *a, const void *b) {
    const cover *x = a, *y = b;
    return x->below != y->below ? (x->below > y->below) - (x->below < y->below)
                                : (x->above > y->above) - (x->above < y->above);
}

/// How near a solid is, in thousandths of a millimetre: what differs by rounding alone is as near.
static int64_t nearness(const render_solid *solid) {
    return llround((solid->far + solid->near) / 2 / NOTHING);
}

/// The next solid to draw: the farthest of those that hide nothing that is left, or of all when each does.
/// @param waits  for how many solids that are left; UINT32_MAX: it is drawn
static uint32_t choose_next(const render_solids *solids, const uint32_t *waits) {
    uint32_t chosen = UINT32_MAX;
    for (uint32_t i = 0; i < solids->count; ++i) {
        if (waits[i] == UINT32_MAX) {
            continue;
        }
        const bool is_free = waits[i] == 0, was_free = chosen != UINT32_MAX && waits[chosen] == 0;
        if (chosen == UINT32_MAX || (is_free && !was_free) ||
            (is_free == was_free && nearness(&solids->items[i]) < nearness(&solids->items[chosen]))) {
            chosen = i;
        }
    }
    return chosen;
}

bool iso__replay_solids_sort(const render_eye *eye, render_solids *solids) {
    covers list = {0};
    render_solid *sorted = malloc((size_t)(solids->count + 1) * sizeof *sorted);
    uint32_t *waits = calloc(2 * (size_t)solids->count + 1, sizeof *waits);
    const bool ok = sorted != NULL && waits != NULL && covers_find(eye, solids, &list);
    if (ok) {
        uint32_t *first = waits + solids->count; // of the covers with this number below
        if (list.count > 0) {
            qsort(list.items, list.count, sizeof *list.items, compare_covers);
        }
        for (uint32_t i = list.count; i-- > 0;) {
            ++waits[list.items[i].above];
            first[list.items[i].below] = i;
        }
        for (uint32_t n = 0; n < solids->count; ++n) {
            const uint32_t next = choose_next(solids, waits);
            sorted[n] = solids->items[next];
            waits[next] = UINT32_MAX;
            for (uint32_t i = first[next]; i < list.count && list.items[i].below == next; ++i) {
                const uint32_t above = list.items[i].above;
                waits[above] -= waits[above] != UINT32_MAX;
            }
        }
        free(solids->items);
        solids->items = sorted;
        sorted = NULL;
    }
    free(sorted);
    free(waits);
    free(list.items);
    return ok;
}
