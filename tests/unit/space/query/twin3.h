/// Convex solids in double precision that know nothing of faces' rings, of edges or of the core's cases: all planes
/// through three corners, all ways between two.
#ifndef TEST_TWIN3_H
#define TEST_TWIN3_H

#include "unit/space/world/space_util.h"

#define TWIN_POINTS 14u
#define TWIN_FACES  400u

typedef struct twin_face {
    vector n;
    double offset;
    uint8_t corners[3];
} twin_face;

/// The hull of its points, and all within its radius of it; or a half-space.
typedef struct twin {
    vector points[TWIN_POINTS];
    twin_face faces[TWIN_FACES]; // all triples of corners with nothing above them; of a half-space the first
    uint32_t count, face_count;
    double radius;
} twin;

static inline vector scaled(vector a, double s) {
    return (vector){{s * a.x[0], s * a.x[1], s * a.x[2]}};
}

static inline vector apart(vector a, vector b) {
    return sum(a, -1, b);
}

static inline void twin_add_face(twin *is, uint32_t i, uint32_t j, uint32_t k) {
    const vector n = cross(apart(is->points[j], is->points[i]), apart(is->points[k], is->points[i]));
    if (length(n) < 1e-12) {
        return;
    }
    for (int sign = -1; sign <= 1; sign += 2) {
        const vector out = scaled(n, sign / length(n));
        const double offset = dot(out, is->points[i]);
        bool is_face = true;
        for (uint32_t v = 0; v < is->count; ++v) {
            is_face = is_face && dot(out, is->points[v]) <= offset + 1e-7;
        }
        if (is_face) {
            assert_true(is->face_count < TWIN_FACES);
            is->faces[is->face_count++] = (twin_face){out, offset, {(uint8_t)i, (uint8_t)j, (uint8_t)k}};
        }
    }
}

static inline void twin_complete(twin *is) {
    is->face_count = 0;
    for (uint32_t i = 0; i < is->count; ++i) {
        for (uint32_t j = i + 1; j < is->count; ++j) {
            for (uint32_t k = j + 1; k < is->count; ++k) {
                twin_add_face(is, i, j, k);
            }
        }
    }
}

/// @param at  of the definition's frame
static inline twin twin_of_def(const iso_shape3_def *def, vector at, const matrix *R) {
    twin is = {.radius = from_fix(def->radius)};
    if (def->kind == ISO_SHAPE3_PLANE) {
        const vector n = {{def->points[0].x, def->points[0].y, def->points[0].z}};
        is.faces[0].n = turned(R, scaled(n, 1 / length(n)));
        is.faces[0].offset = from_fix(def->offset) + dot(is.faces[0].n, at);
        is.face_count = 1;
        return is;
    }
    const bool is_box = def->kind == ISO_SHAPE3_BOX;
    const matrix axes = matrix_of(is_box ? def->rotation : iso_quat_identity());
    is.count = is_box ? 8 : def->point_count;
    for (uint32_t i = 0; i < is.count; ++i) {
        const iso_vec3 p = def->points[is_box ? 0 : i], h = def->points[1];
        vector v = {{from_fix(p.x), from_fix(p.y), from_fix(p.z)}};
        if (is_box) {
            const vector half = {
                {(i & 1 ? 1 : -1) * from_fix(h.x), (i & 2 ? 1 : -1) * from_fix(h.y), (i & 4 ? 1 : -1) * from_fix(h.z)}};
            v = sum(v, 1, turned(&axes, half));
        }
        is.points[i] = sum(at, 1, turned(R, v));
    }
    twin_complete(&is);
    return is;
}

static inline twin twin_of_box(vector lower, vector upper) {
    twin is = {.count = 8};
    for (uint32_t i = 0; i < 8; ++i) {
        for (int k = 0; k < 3; ++k) {
            is.points[i].x[k] = (i >> k & 1u) != 0 ? upper.x[k] : lower.x[k];
        }
    }
    // Those of a box without width, too: two triangles of each face.
    for (uint32_t f = 0; f < 12; ++f) {
        const uint32_t axis = f / 4, u = 1u << (axis + 1) % 3, v = 1u << (axis + 2) % 3;
        const uint32_t from = f % 2 != 0 ? 1u << axis : 0;
        const double sign = from != 0 ? 1 : -1;
        is.faces[f].n.x[axis] = sign;
        is.faces[f].offset = sign * (from != 0 ? upper : lower).x[axis];
        is.faces[f].corners[0] = (uint8_t)from;
        is.faces[f].corners[1] = (uint8_t)(from + u + v);
        is.faces[f].corners[2] = (uint8_t)(from + (f % 4 < 2 ? u : v));
    }
    is.face_count = 12;
    return is;
}

static inline double segment_distance(vector p, vector a, vector b) {
    const vector e = apart(b, a), r = apart(p, a);
    const double squared = dot(e, e), t = squared > 0 ? fmin(fmax(dot(r, e) / squared, 0), 1) : 0;
    return length(sum(r, -t, e));
}

/// Whether a point of a triangle's plane is in it.
static inline bool triangle_contains(const twin *is, const twin_face *face, vector p) {
    double least = HUGE_VAL, most = -HUGE_VAL;
    for (int i = 0; i < 3; ++i) {
        const vector a = is->points[face->corners[i]], b = is->points[face->corners[(i + 1) % 3]];
        const double side = dot(face->n, cross(apart(b, a), apart(p, a)));
        least = fmin(least, side);
        most = fmax(most, side);
    }
    return least >= 0 || most <= 0;
}

/// The height over the face that is least far inside; above 0 outside.
static inline double twin_height(const twin *is, vector p) {
    double height = -HUGE_VAL;
    for (uint32_t f = 0; f < is->face_count; ++f) {
        height = fmax(height, dot(is->faces[f].n, p) - is->faces[f].offset);
    }
    return height;
}

/// Of the core: negative inside.
static inline double twin_core_distance(const twin *is, vector p) {
    const double height = twin_height(is, p);
    if (is->count == 0 || (is->face_count > 0 && height <= 0)) {
        return height;
    }
    double distance = length(apart(p, is->points[0]));
    for (uint32_t i = 0; i < is->count; ++i) {
        for (uint32_t j = i + 1; j < is->count; ++j) {
            distance = fmin(distance, segment_distance(p, is->points[i], is->points[j]));
        }
    }
    for (uint32_t f = 0; f < is->face_count; ++f) {
        const double over = dot(is->faces[f].n, p) - is->faces[f].offset;
        if (over > 0 && over < distance && triangle_contains(is, &is->faces[f], sum(p, -over, is->faces[f].n))) {
            distance = over;
        }
    }
    return distance;
}

static inline double twin_distance(const twin *is, vector p) {
    return twin_core_distance(is, p) - is->radius;
}

/// The gap of two cores along a direction.
static inline double twin_gap(const twin *a, const twin *b, vector n) {
    double from = -HUGE_VAL, to = HUGE_VAL;
    for (uint32_t i = 0; i < a->count; ++i) {
        from = fmax(from, dot(n, a->points[i]));
    }
    for (uint32_t i = 0; i < b->count; ++i) {
        to = fmin(to, dot(n, b->points[i]));
    }
    return to - from;
}

static inline double twin_way_gap(const twin *a, const twin *b, double best) {
    for (uint32_t i = 0; i < a->count; ++i) {
        for (uint32_t j = i + 1; j < a->count; ++j) {
            for (uint32_t k = 0; k < b->count; ++k) {
                for (uint32_t l = k + 1; l < b->count; ++l) {
                    const vector n = cross(apart(a->points[j], a->points[i]), apart(b->points[l], b->points[k]));
                    const double size = length(n);
                    if (size > 1e-7) {
                        best =
                            fmax(best, fmax(twin_gap(a, b, scaled(n, 1 / size)), twin_gap(a, b, scaled(n, -1 / size))));
                    }
                }
            }
        }
    }
    return best;
}

/// The largest gap of two cores along normals of faces and across ways between two corners of each.
static inline double twin_axis_gap(const twin *a, const twin *b) {
    double best = -HUGE_VAL;
    for (uint32_t f = 0; f < a->face_count; ++f) {
        best = fmax(best, twin_gap(a, b, a->faces[f].n));
    }
    for (uint32_t f = 0; f < b->face_count; ++f) {
        best = fmax(best, twin_gap(a, b, scaled(b->faces[f].n, -1)));
    }
    return twin_way_gap(a, b, best);
}

/// The distance of b's core from a's, a point or segment, both apart: a convex function along it.
static inline double twin_round_distance(const twin *a, const twin *b) {
    double low = 0, high = 1;
    const vector e = apart(a->points[a->count - 1], a->points[0]);
    for (int i = 0; i < 100 && a->count > 1; ++i) {
        const double third = (high - low) / 3;
        const double left = fmax(twin_core_distance(b, sum(a->points[0], low + third, e)), 0);
        const double right = fmax(twin_core_distance(b, sum(a->points[0], high - third, e)), 0);
        low += right <= left ? third : 0;
        high -= left <= right ? third : 0;
    }
    return twin_core_distance(b, sum(a->points[0], (low + high) / 2, e));
}

/// How far two are apart; of two solids that are, at most as far.
static inline double twin_separation(const twin *a, const twin *b) {
    const double radii = a->radius + b->radius;
    if (a->count == 0 || b->count == 0) {
        const twin *plane = a->count == 0 ? a : b, *other = a->count == 0 ? b : a;
        double height = HUGE_VAL;
        for (uint32_t i = 0; i < other->count; ++i) {
            height = fmin(height, dot(plane->faces[0].n, other->points[i]) - plane->faces[0].offset);
        }
        return height - radii;
    }
    if (a->count <= 2 && b->count <= 2) {
        return twin_round_distance(a, b) - radii;
    }
    const double gap = twin_axis_gap(a, b);
    if (gap > 0 && (a->count <= 2 || b->count <= 2)) {
        return (a->count <= 2 ? twin_round_distance(a, b) : twin_round_distance(b, a)) - radii;
    }
    return gap - radii;
}

#endif
