/// Boxes against boxes: six faces and nine pairs of edges.
///
/// In the frame of box A, with B's centre at t and B's axes in the columns of M, the boxes are apart along
///     A's axis i:             |t_i| - hA_i - sum of |M_ij| hB_j
///     B's axis j:             |t . b_j| - hB_j - sum of |M_ij| hA_i
///     L = e_i x b_j:          (|t . L| - hA_k |M_lj| - hA_l |M_kj| - hB_m |M_in| - hB_n |M_im|) / |L|
/// with k, l the axes of A that follow i, m, n those of B that follow j. All but the division by |L| is exact. As |L|
/// <= 1, a pair of edges whose undivided distance is below both 0 and the best so far cannot be better and takes no
/// root.
///
/// A face of B has to be better than A's by a tenth of the slop, a pair of edges better than the face by the whole
/// slop: what is equally good else changes with the noise, and towers of planks never come to rest.
///
/// Of the face that is most against the reference face, what lies over it touches (Sutherland and Hodgman); of edges
/// the points where they are nearest.
#include "space/collide/manifold_box.h"

#include <string.h>

#include "base/inline.h"
#include "math/wide128.h"
#include "space/collide/manifold_reduce.h"
#include "space/collide/oriented.h"
#include "space/collide/segment.h"

/// Four corners, and one more for each side that cuts.
#define BOX_POINTS 8

typedef struct box_pair {
    const iso__space_manifold_settings *settings;
    const int64_t *offset;
    iso__space_oriented a, b;
    int32_t m[9];         // Q2.30: B's frame to A's
    int64_t magnitude[9]; // |m|
    int64_t t[3];         // [m] Q.24: B's centre in A's frame
    iso__space_manifold *manifold;
} box_pair;

typedef struct box_axis {
    int64_t separation; // [m] Q.24 of edges, Q.54 of faces
    int i, j;           // the axis of A, of B
    int32_t n[3];       // of edges, Q2.30 in A's frame, from A to B
} box_axis;

// ---- axes ----------------------------------------------------------------------------------------

static box_axis box_find_face_a(const box_pair *pair) {
    box_axis best = {.separation = INT64_MIN};
    const int64_t *half = pair->b.half;
    for (int i = 0; i < 3; ++i) {
        const int64_t *row = pair->magnitude + 3 * i;
        int64_t separation = iso__shl64((int64_t)iso__abs_u64(pair->t[i]) - pair->a.half[i], ISO__UNIT_FRACTION);
        for (int j = 0; j < 3; ++j) {
            separation -= row[j] * half[j];
        }
        if (separation > best.separation) {
            best.separation = separation;
            best.i = i;
        }
    }
    return best;
}

static box_axis box_find_face_b(const box_pair *pair) {
    box_axis best = {.separation = INT64_MIN};
    const int64_t *half = pair->a.half, *t = pair->t;
    for (int j = 0; j < 3; ++j) {
        const int32_t *m = pair->m + j;
        const int64_t along = m[0] * t[0] + m[3] * t[1] + m[6] * t[2];
        int64_t separation = (int64_t)iso__abs_u64(along) - iso__shl64(pair->b.half[j], ISO__UNIT_FRACTION);
        for (int i = 0; i < 3; ++i) {
            separation -= pair->magnitude[3 * i + j] * half[i];
        }
        if (separation > best.separation) {
            best.separation = separation;
            best.j = j;
        }
    }
    return best;
}

/// How far the boxes are apart along L = e_i x b_j, times |L|, Q.54. @param along  t . L
ISO__ALWAYS_INLINE int64_t box_measure_edges(const box_pair *pair, int i, int j, int64_t *along) {
    const int k = (i + 1) % 3, l = (i + 2) % 3, m = (j + 1) % 3, n = (j + 2) % 3;
    const int64_t *magnitude = pair->magnitude;
    *along = pair->m[3 * k + j] * pair->t[l] - pair->m[3 * l + j] * pair->t[k];
    const int64_t reach_a = magnitude[3 * l + j] * pair->a.half[k] + magnitude[3 * k + j] * pair->a.half[l];
    const int64_t reach_b = magnitude[3 * i + n] * pair->b.half[m] + magnitude[3 * i + m] * pair->b.half[n];
    return (int64_t)iso__abs_u64(*along) - reach_a - reach_b;
}

/// Whether any pair of edges is farther apart than that, Q.54. Of most boxes that touch none is, which nine measures
/// with their axes known to the compiler say faster than the search does.
static bool box_edges_exceed(const box_pair *pair, int64_t least) {
    int64_t along, most = box_measure_edges(pair, 0, 0, &along);
    most = iso__max64(most, box_measure_edges(pair, 0, 1, &along));
    most = iso__max64(most, box_measure_edges(pair, 0, 2, &along));
    most = iso__max64(most, box_measure_edges(pair, 1, 0, &along));
    most = iso__max64(most, box_measure_edges(pair, 1, 1, &along));
    most = iso__max64(most, box_measure_edges(pair, 1, 2, &along));
    most = iso__max64(most, box_measure_edges(pair, 2, 0, &along));
    most = iso__max64(most, box_measure_edges(pair, 2, 1, &along));
    most = iso__max64(most, box_measure_edges(pair, 2, 2, &along));
    return most > least;
}

/// The pair of edges that separates best, if better than `least` [m] Q.24; the first of equal ones.
static bool box_find_edges(const box_pair *pair, int64_t least, box_axis *best) {
    bool is_found = false;
    best->separation = least;
    // What the search compares with only grows.
    if (!box_edges_exceed(pair, iso__shl64(iso__min64(least, 0), ISO__UNIT_FRACTION))) {
        return false;
    }
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            int64_t along;
            const int64_t scaled = box_measure_edges(pair, i, j, &along);
            if (scaled <= iso__shl64(iso__min64(best->separation, 0), ISO__UNIT_FRACTION)) {
                continue;
            }
            const int k = (i + 1) % 3, l = (i + 2) % 3;
            const int64_t mk = pair->m[3 * k + j], ml = pair->m[3 * l + j];
            const int64_t sine_squared = mk * mk + ml * ml;
            if (sine_squared < ISO__SPACE_SEGMENT_PARALLEL) {
                continue;
            }
            const int64_t sine = iso__isqrt64((uint64_t)sine_squared);
            if (scaled > best->separation * sine) {
                const int64_t across[3] = {0, -ml * iso__space_ops_sign(along), mk * iso__space_ops_sign(along)};
                const int64_t turned[3] = {across[(3 - i) % 3], across[(4 - i) % 3], across[(5 - i) % 3]};
                *best = (box_axis){.separation = iso__div_round64(scaled, sine), .i = i, .j = j};
                iso__space_ops_normalize(turned, best->n);
                is_found = true;
            }
        }
    }
    return is_found;
}

// ---- faces ---------------------------------------------------------------------------------------

/// A polygon over a reference face: two coordinates along it and the height above it, [m] Q.24.
typedef struct box_polygon {
    int64_t points[BOX_POINTS][3];
    uint32_t count;
} box_polygon;

/// Cuts off what is beyond +half or -half in one coordinate.
/// @param beyond  per point how far it is beyond, negative within
static void box_cut(const box_polygon *from, int axis, int64_t side, const int64_t beyond[BOX_POINTS],
                    box_polygon *to) {
    to->count = 0;
    for (uint32_t i = 0; i < from->count; ++i) {
        const uint32_t next = i + 1 < from->count ? i + 1 : 0;
        const int64_t *p = from->points[i], *q = from->points[next];
        const int64_t dp = beyond[i], dq = beyond[next];
        if (dp <= 0 && to->count < BOX_POINTS) {
            int64_t *kept = to->points[to->count++];
            kept[0] = p[0];
            kept[1] = p[1];
            kept[2] = p[2];
        }
        if (((dp < 0 && dq > 0) || (dp > 0 && dq < 0)) && to->count < BOX_POINTS) {
            int64_t *cut = to->points[to->count++];
            cut[axis] = side;
            cut[1 - axis] = p[1 - axis] + iso__mul_div(q[1 - axis] - p[1 - axis], dp, dp - dq);
            cut[2] = p[2] + iso__mul_div(q[2] - p[2], dp, dp - dq);
        }
    }
}

/// Cuts off what is beyond +half or -half, if anything is.
/// @param polygons  the polygon first, and room; the result is first again
static void box_clip(box_polygon *polygons[2], int axis, int64_t sign, int64_t half) {
    const box_polygon *from = polygons[0];
    int64_t beyond[BOX_POINTS], most = INT64_MIN;
    for (uint32_t i = 0; i < from->count; ++i) {
        beyond[i] = sign * from->points[i][axis] - half;
        most = iso__max64(most, beyond[i]);
    }
    if (most > 0) {
        box_cut(from, axis, sign * half, beyond, polygons[1]);
        box_polygon *const cut = polygons[1];
        polygons[1] = polygons[0];
        polygons[0] = cut;
    }
}

/// The side of a pair whose face the other one is clipped to.
typedef struct box_reference {
    const iso__space_oriented *ours, *theirs;
    int32_t m[9]; // Q2.30: their frame to ours
    int64_t t[3]; // [m] Q.24: their centre in our frame
    int axis;
    int64_t sign; // the face is at sign * half of the axis
} box_reference;

/// The corners of their face that is most against our face, in turn.
static void box_make_incident(const box_reference *reference, box_polygon *incident) {
    const int32_t *row = reference->m + 3 * reference->axis;
    int j = 0;
    for (int k = 1; k < 3; ++k) {
        j = iso__abs_u32(row[k]) > iso__abs_u32(row[j]) ? k : j;
    }
    const int64_t side = -reference->sign * iso__space_ops_sign(row[j]);
    const int u = (j + 1) % 3, v = (j + 2) % 3;
    const int64_t *half = reference->theirs->half;
    incident->count = 4;
    for (int c = 0; c < 3; ++c) {
        const int axis = (reference->axis + 1 + c) % 3; // the normal comes last
        const int32_t *m = reference->m + 3 * axis;
        // Q.54: t below 2^62, the half extents together below 2^61.
        const int64_t middle = iso__shl64(reference->t[axis], ISO__UNIT_FRACTION) + side * m[j] * half[j];
        const int64_t to_u = m[u] * half[u], to_v = m[v] * half[v];
        const int64_t corners[4] = {middle + to_u + to_v, middle - to_u + to_v, middle - to_u - to_v,
                                    middle + to_u - to_v};
        for (int i = 0; i < 4; ++i) {
            const int64_t at = iso__round_shift(corners[i], ISO__UNIT_FRACTION);
            incident->points[i][c] = c < 2 ? at : reference->sign * at - reference->ours->half[axis];
        }
    }
}

/// Leaves out the points that are farther above the face. @return how many are left
static uint32_t box_keep_near(box_polygon *polygon, int64_t speculative) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < polygon->count; ++i) {
        if (polygon->points[i][2] <= speculative) {
            if (count != i) {
                memcpy(polygon->points[count], polygon->points[i], sizeof polygon->points[i]);
            }
            count += 1;
        }
    }
    return count;
}

static void box_add_face(const box_pair *pair, const box_reference *reference) {
    const iso__space_oriented *ours = reference->ours;
    const int axis = reference->axis, x = (axis + 1) % 3, y = (axis + 2) % 3;
    const int64_t half_x = ours->half[x], half_y = ours->half[y];
    box_polygon first, second, *polygons[2] = {&first, &second};
    box_make_incident(reference, &first);
    box_clip(polygons, 0, 1, half_x);
    box_clip(polygons, 0, -1, half_x);
    box_clip(polygons, 1, 1, half_y);
    box_clip(polygons, 1, -1, half_y);
    const uint32_t all_count = polygons[0]->count, near_count = box_keep_near(polygons[0], pair->settings->speculative);
    int64_t(*const points)[3] = polygons[0]->points;
    const bool is_flipped = reference->ours == &pair->b;
    for (int c = 0; c < 3; ++c) {
        const int32_t n = ours->rotation[3 * c + axis];
        pair->manifold->normal[c] = (reference->sign < 0) != is_flipped ? iso__neg32(n) : n;
    }
    uint8_t kept[ISO__SPACE_MANIFOLD_POINTS];
    const uint32_t kept_count = iso__space_manifold_reduce(
        (const int64_t(*)[3])points, near_count, pair->settings->slop, true, kept, &pair->manifold->leaves_corners);
    pair->manifold->leaves_corners |= near_count < all_count;
    for (uint32_t i = 0; i < kept_count; ++i) {
        const int64_t *p = points[kept[i]];
        int64_t local[3], world[3];
        local[x] = p[0];
        local[y] = p[1];
        local[axis] = reference->sign * (ours->half[axis] + (p[2] >> 1));
        iso__space_oriented_to_world(ours, local, world);
        iso__space_manifold_add_point(pair->settings, world, p[2], pair->offset, pair->manifold);
    }
}

static void box_add_face_a(const box_pair *pair, int axis) {
    box_reference reference = {.ours = &pair->a, .theirs = &pair->b, .axis = axis};
    for (int k = 0; k < 9; ++k) {
        reference.m[k] = pair->m[k];
        reference.t[k % 3] = pair->t[k % 3];
    }
    reference.sign = iso__space_ops_sign(pair->t[axis]);
    box_add_face(pair, &reference);
}

static void box_add_face_b(const box_pair *pair, int axis) {
    box_reference reference = {.ours = &pair->b, .theirs = &pair->a, .axis = axis};
    for (int k = 0; k < 9; ++k) {
        reference.m[k] = pair->m[k % 3 * 3 + k / 3];
    }
    iso__space_oriented_to_local(&pair->b, pair->a.centre, reference.t);
    reference.sign = iso__space_ops_sign(reference.t[axis]);
    box_add_face(pair, &reference);
}

// ---- edges ---------------------------------------------------------------------------------------

/// The edges of both boxes that are nearest along the normal, in A's frame.
static void box_make_edges(const box_pair *pair, const box_axis *axis, iso__space_segment *of_a,
                           iso__space_segment *of_b) {
    const int i = axis->i, j = axis->j, u = (j + 1) % 3, v = (j + 2) % 3;
    const int32_t *m = pair->m;
    const int64_t *half = pair->b.half;
    const int64_t along_u =
        (int64_t)m[u] * axis->n[0] + (int64_t)m[3 + u] * axis->n[1] + (int64_t)m[6 + u] * axis->n[2];
    const int64_t along_v =
        (int64_t)m[v] * axis->n[0] + (int64_t)m[3 + v] * axis->n[1] + (int64_t)m[6 + v] * axis->n[2];
    const int64_t to_u = -iso__space_ops_sign(along_u) * half[u], to_v = -iso__space_ops_sign(along_v) * half[v];
    for (int c = 0; c < 3; ++c) {
        const int64_t side = iso__space_ops_sign(axis->n[c]) * pair->a.half[c];
        of_a->ends[0][c] = c == i ? -pair->a.half[c] : side;
        of_a->ends[1][c] = c == i ? pair->a.half[c] : side;
        of_a->unit[c] = c == i ? ISO__UNIT_ONE : 0;
        const int64_t middle = iso__shl64(pair->t[c], ISO__UNIT_FRACTION) + m[3 * c + u] * to_u + m[3 * c + v] * to_v;
        const int64_t to_end = m[3 * c + j] * half[j];
        of_b->ends[0][c] = iso__round_shift(middle - to_end, ISO__UNIT_FRACTION);
        of_b->ends[1][c] = iso__round_shift(middle + to_end, ISO__UNIT_FRACTION);
        of_b->unit[c] = m[3 * c + j];
    }
    of_a->length = 2 * pair->a.half[i];
    of_b->length = 2 * half[j];
}

static void box_add_edges(const box_pair *pair, const box_axis *axis) {
    iso__space_segment of_a, of_b;
    box_make_edges(pair, axis, &of_a, &of_b);
    int64_t at[2], p[3], q[3];
    iso__space_segment_nearest_two(&of_a, &of_b, at);
    iso__space_segment_point(&of_a, at[0], p);
    iso__space_segment_point(&of_b, at[1], q);
    for (int c = 0; c < 3; ++c) {
        p[c] = (p[c] + q[c]) >> 1;
    }
    iso__space_oriented_to_world(&pair->a, p, q);
    iso__space_ops_turn_unit(pair->a.rotation, axis->n, pair->manifold->normal);
    iso__space_manifold_add_point(pair->settings, q, axis->separation, pair->offset, pair->manifold);
}

void iso__space_manifold_box(const iso__space_manifold_settings *settings, const iso__space_collider *a,
                             const iso__space_collider *b, const int64_t offset[3], iso__space_manifold *manifold) {
    box_pair pair; // whole after its magnitudes
    pair.settings = settings;
    pair.offset = offset;
    pair.manifold = manifold;
    iso__space_oriented_make(a, NULL, &pair.a);
    iso__space_oriented_make(b, offset, &pair.b);
    iso__space_oriented_to_local(&pair.a, pair.b.centre, pair.t);
    iso__space_ops_product_back(pair.a.rotation, pair.b.rotation, pair.m);
    for (int k = 0; k < 9; ++k) {
        pair.magnitude[k] = iso__abs_u32(pair.m[k]);
    }
    const int64_t reach = iso__shl64(settings->speculative, ISO__UNIT_FRACTION);
    const box_axis face_a = box_find_face_a(&pair);
    if (face_a.separation > reach) {
        return;
    }
    const box_axis face_b = box_find_face_b(&pair);
    if (face_b.separation > reach) {
        return;
    }
    const bool is_of_b = face_b.separation > face_a.separation + iso__shl64(settings->slop / 10, ISO__UNIT_FRACTION);
    const int64_t face = iso__round_shift(is_of_b ? face_b.separation : face_a.separation, ISO__UNIT_FRACTION);
    box_axis edges = {0};
    if (box_find_edges(&pair, face + settings->slop, &edges)) {
        box_add_edges(&pair, &edges);
    } else if (is_of_b) {
        box_add_face_b(&pair, face_b.j);
    } else {
        box_add_face_a(&pair, face_a.i);
    }
}
