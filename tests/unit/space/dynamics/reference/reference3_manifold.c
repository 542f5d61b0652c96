/// Two boxes: the best of six faces and nine pairs of edges, clipping, and the choice of four points.
#include "reference3_world.h"

#define PARALLEL (1.0 / 4096) // sin^2
#define CLIP_MAX 8

typedef struct pair {
    const reference3_world *world;
    const reference3_body *a, *b;
    matrix m;      // B's axes in A's frame
    vector t;      // B's centre in A's frame
    vector offset; // in the world
    reference3_manifold *manifold;
} pair;

static double side_of(double value) {
    return value < 0 ? -1 : 1;
}

static matrix transposed(const matrix *a) {
    matrix is;
    for (int i = 0; i < 9; ++i) {
        is.m[i / 3][i % 3] = a->m[i % 3][i / 3];
    }
    return is;
}

/// How far what extends `other` along the columns of m is apart from the face at `ours` of each axis.
static double best_face(const matrix *m, vector t, const double ours[3], const double theirs[3], int *axis) {
    double best = -INFINITY;
    for (int i = 0; i < 3; ++i) {
        const double apart = fabs(t.x[i]) - ours[i] - fabs(m->m[i][0]) * theirs[0] - fabs(m->m[i][1]) * theirs[1] -
                             fabs(m->m[i][2]) * theirs[2];
        if (apart > best) {
            best = apart;
            *axis = i;
        }
    }
    return best;
}

typedef struct edges {
    double apart;
    int i, j;
    vector n; // in A's frame, from A to B
} edges;

static bool best_edges(const pair *of, double least, edges *best) {
    bool is_found = false;
    best->apart = least;
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            vector u = {{0, 0, 0}};
            u.x[i] = 1;
            const vector v = {{of->m.m[0][j], of->m.m[1][j], of->m.m[2][j]}}, L = cross(u, v);
            const double sine = length(L), along = dot(L, of->t);
            if (sine * sine < PARALLEL) {
                continue;
            }
            double apart = fabs(along);
            for (int k = 0; k < 3; ++k) {
                const vector axis = {{of->m.m[0][k], of->m.m[1][k], of->m.m[2][k]}};
                apart -= fabs(L.x[k]) * of->a->half[k] + fabs(dot(L, axis)) * of->b->half[k];
            }
            apart /= sine;
            if (apart > best->apart) {
                *best = (edges){apart, i, j, scaled(side_of(along) / sine, L)};
                is_found = true;
            }
        }
    }
    return is_found;
}

// ---- faces ---------------------------------------------------------------------------------------

/// Two coordinates along the reference face and the height above it.
typedef struct polygon {
    double points[CLIP_MAX][3];
    uint32_t count;
} polygon;

static void clip(const polygon *from, int axis, double sign, double half, polygon *to) {
    to->count = 0;
    for (uint32_t i = 0; i < from->count; ++i) {
        const double *p = from->points[i], *q = from->points[(i + 1) % from->count];
        const double dp = sign * p[axis] - half, dq = sign * q[axis] - half;
        if (dp <= 0 && to->count < CLIP_MAX) {
            memcpy(to->points[to->count++], p, sizeof *to->points);
        }
        if (dp * dq < 0 && to->count < CLIP_MAX) {
            double *cut = to->points[to->count++];
            for (int c = 0; c < 3; ++c) {
                cut[c] = p[c] + (q[c] - p[c]) * dp / (dp - dq);
            }
            cut[axis] = sign * half;
        }
    }
}

static void incident_make(const matrix *m, vector t, const double half[3], int axis, double sign, double height,
                          polygon *incident) {
    int j = 0;
    for (int k = 1; k < 3; ++k) {
        j = fabs(m->m[axis][k]) > fabs(m->m[axis][j]) ? k : j;
    }
    static const int ways[4][2] = {{1, 1}, {-1, 1}, {-1, -1}, {1, -1}};
    const double side = -sign * side_of(m->m[axis][j]);
    const int u = (j + 1) % 3, v = (j + 2) % 3;
    incident->count = 4;
    for (int i = 0; i < 4; ++i) {
        for (int c = 0; c < 3; ++c) {
            const double *row = m->m[(axis + 1 + c) % 3];
            incident->points[i][c] = t.x[(axis + 1 + c) % 3] + side * row[j] * half[j] + ways[i][0] * row[u] * half[u] +
                                     ways[i][1] * row[v] * half[v];
        }
        incident->points[i][2] = sign * incident->points[i][2] - height;
    }
}

// ---- the choice ----------------------------------------------------------------------------------

static bool is_between(const double a[3], const double p[3], const double b[3], double most) {
    const double ex = b[0] - a[0], ey = b[1] - a[1], dx = p[0] - a[0], dy = p[1] - a[1], along = ex * dx + ey * dy;
    return along > 0 && along < ex * ex + ey * ey && fabs(ex * dy - ey * dx) <= most * fmax(fabs(ex), fabs(ey));
}

static uint32_t straighten(double (*points)[3], uint32_t count, double slop) {
    uint32_t left[CLIP_MAX], n = 0;
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t before = n == 0 ? count - 1 : left[n - 1], after = i + 1 < count ? i + 1 : n == 0 ? 0 : left[0];
        if (count <= 4 || !is_between(points[before], points[i], points[after], slop / 10)) {
            left[n++] = i;
        }
    }
    for (uint32_t i = 0; i < n; ++i) {
        memmove(points[i], points[left[i]], sizeof points[i]);
    }
    return n;
}

static uint32_t farthest_of(double (*points)[3], uint32_t count, uint32_t first, double slop, double *way) {
    uint32_t second = first;
    *way = -INFINITY;
    for (uint32_t i = 0; i < count; ++i) {
        const double d = hypot(points[i][0] - points[first][0], points[i][1] - points[first][1]);
        if (i != first && d > *way + slop) {
            *way = d;
            second = i;
        }
    }
    return second;
}

static uint32_t on_side(double (*points)[3], uint32_t count, uint32_t first, uint32_t second, double sign, double least,
                        double better) {
    const double *p = points[first], *q = points[second];
    uint32_t found = UINT32_MAX;
    double best = 0;
    for (uint32_t i = 0; i < count; ++i) {
        const double area = sign * ((q[0] - p[0]) * (points[i][1] - p[1]) - (q[1] - p[1]) * (points[i][0] - p[0]));
        if (i != first && i != second && area > least && (found == UINT32_MAX || area > best + better)) {
            best = area;
            found = i;
        }
    }
    return found;
}

/// Puts the points that are kept in front. @return how many
static uint32_t choose(double (*points)[3], uint32_t count, double slop, bool *leaves_corners) {
    count = straighten(points, count, slop);
    *leaves_corners = count > REFERENCE3_POINTS;
    if (count < 4) {
        return count;
    }
    uint32_t chosen[4] = {0, 0, UINT32_MAX, UINT32_MAX}, kept = 0;
    double best = -INFINITY, way, all[CLIP_MAX][3], deepest = INFINITY;
    for (uint32_t i = 0; i < count; ++i) {
        deepest = fmin(deepest, points[i][2]);
    }
    for (uint32_t i = 0; i < count; ++i) {
        const double score = (-464 * points[i][0] + 912 * points[i][1] - 1024 * points[i][2]) / 1024;
        if (points[i][2] <= deepest + slop / 10 && (best == -INFINITY || score > best + slop)) {
            best = score;
            chosen[0] = i;
        }
    }
    chosen[1] = farthest_of(points, count, chosen[0], slop, &way);
    for (uint32_t i = 0, n = 2; count == 4 && i < 4; ++i) {
        if (i != chosen[0] && i != chosen[1]) {
            chosen[n++] = i;
        }
    }
    for (int side = 0; side < 2 && count > 4; ++side) {
        chosen[2 + side] =
            on_side(points, count, chosen[0], chosen[1], side == 0 ? 1 : -1, slop / 10 * way, slop * way);
    }
    memcpy(all, points, count * sizeof all[0]);
    for (int i = 0; i < 4; ++i) {
        if (chosen[i] != UINT32_MAX) {
            memcpy(points[kept++], all[chosen[i]], sizeof all[0]);
        }
    }
    return kept;
}

// ---- manifolds -----------------------------------------------------------------------------------

static void add_point(const pair *of, vector at, double separation) {
    reference3_point *point = &of->manifold->points[of->manifold->count++];
    const bool is_of_b = of->a->is_dynamic != of->b->is_dynamic ? of->b->is_dynamic : of->b->size < of->a->size;
    *point = (reference3_point){.anchor_a = at, .anchor_b = sum(at, -1, of->offset), .separation = separation};
    point->place = turned_back(is_of_b ? &of->b->rotation : &of->a->rotation, is_of_b ? point->anchor_b : at);
}

static void add_face(const pair *of, bool is_of_b, int axis) {
    const reference3_body *ours = is_of_b ? of->b : of->a, *theirs = is_of_b ? of->a : of->b;
    const matrix m = is_of_b ? transposed(&of->m) : of->m;
    const vector t = is_of_b ? turned_back(&of->b->rotation, scaled(-1, of->offset)) : of->t;
    const double sign = side_of(t.x[axis]);
    const int x = (axis + 1) % 3, y = (axis + 2) % 3;
    polygon first, second;
    incident_make(&m, t, theirs->half, axis, sign, ours->half[axis], &first);
    clip(&first, 0, 1, ours->half[x], &second);
    clip(&second, 0, -1, ours->half[x], &first);
    clip(&first, 1, 1, ours->half[y], &second);
    clip(&second, 1, -1, ours->half[y], &first);
    uint32_t near_count = 0;
    for (uint32_t i = 0; i < first.count; ++i) {
        if (first.points[i][2] <= of->world->speculative) {
            memmove(first.points[near_count++], first.points[i], sizeof *first.points);
        }
    }
    const uint32_t kept = choose(first.points, near_count, of->world->slop, &of->manifold->leaves_corners);
    of->manifold->leaves_corners = of->manifold->leaves_corners || near_count < first.count;
    vector normal = {{0, 0, 0}};
    normal.x[axis] = is_of_b ? -sign : sign;
    of->manifold->normal = turned(&ours->rotation, normal);
    for (uint32_t i = 0; i < kept; ++i) {
        vector local;
        local.x[x] = first.points[i][0];
        local.x[y] = first.points[i][1];
        local.x[axis] = sign * (ours->half[axis] + first.points[i][2] / 2);
        const vector at = turned(&ours->rotation, local);
        add_point(of, is_of_b ? sum(at, 1, of->offset) : at, first.points[i][2]);
    }
}

/// The nearest points of the two edges' lines, cut off at their ends.
static void add_edges(const pair *of, const edges *best) {
    vector p, q = of->t, u = {{0, 0, 0}};
    for (int c = 0; c < 3; ++c) {
        p.x[c] = c == best->i ? 0 : side_of(best->n.x[c]) * of->a->half[c];
        const vector axis = {{of->m.m[0][c], of->m.m[1][c], of->m.m[2][c]}};
        q = c == best->j ? q : sum(q, -side_of(dot(axis, best->n)) * of->b->half[c], axis);
    }
    u.x[best->i] = 1;
    const vector v = {{of->m.m[0][best->j], of->m.m[1][best->j], of->m.m[2][best->j]}}, d = sum(q, -1, p);
    const double c = dot(u, v), most_u = of->a->half[best->i], most_v = of->b->half[best->j];
    double at_u = (dot(d, u) - c * dot(d, v)) / (1 - c * c), at_v;
    at_u = fmax(-most_u, fmin(at_u, most_u));
    at_v = fmax(-most_v, fmin(c * at_u - dot(d, v), most_v));
    at_u = fmax(-most_u, fmin(c * at_v + dot(d, u), most_u));
    const vector middle = scaled(0.5, sum(sum(p, at_u, u), 1, sum(q, at_v, v)));
    of->manifold->normal = turned(&of->a->rotation, best->n);
    add_point(of, turned(&of->a->rotation, middle), best->apart);
}

void reference3_manifold_make(const reference3_world *world, const reference3_body *a, const reference3_body *b,
                              reference3_manifold *manifold) {
    const matrix back = transposed(&a->rotation);
    const vector offset = sum(b->position, -1, a->position);
    pair of = {.world = world, .a = a, .b = b, .offset = offset, .manifold = manifold};
    of.m = product(&back, &b->rotation);
    of.t = turned(&back, offset);
    manifold->count = 0;
    manifold->leaves_corners = false;
    int axis_a = 0, axis_b = 0;
    const matrix other = transposed(&of.m);
    const double face_a = best_face(&of.m, of.t, a->half, b->half, &axis_a);
    const double face_b = best_face(&other, turned_back(&b->rotation, scaled(-1, offset)), b->half, a->half, &axis_b);
    if (fmax(face_a, face_b) > world->speculative) {
        return;
    }
    const bool is_of_b = face_b > face_a + world->slop / 10;
    edges best;
    if (best_edges(&of, (is_of_b ? face_b : face_a) + world->slop, &best)) {
        if (best.apart <= world->speculative) {
            add_edges(&of, &best);
        }
    } else {
        add_face(&of, is_of_b, is_of_b ? axis_b : axis_a);
    }
}
