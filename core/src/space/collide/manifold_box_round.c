/// Spheres and capsules against boxes, in the box's frame.
///
/// A capsule's core p(s) = p0 + u s that is outside of the box is nearest to it where the derivative of the squared
/// distance,
///     g(s) = sum of u_i e_i(s),  e_i = p_i - clamp(p_i, -h_i, h_i),
/// is zero. g never falls and is straight between the at most six s at which p crosses the plane of a face: each of
/// these that lies within the interval so far shrinks it, and what is left is straight. A core that is inside, or too
/// near to tell the direction, takes the best of three faces and three edges. Where the normal is that of a face, give
/// or take the angle below which directions are parallel, the core is clipped to the face and touches at both ends.
#include "space/collide/manifold_box_round.h"

#include "math/wide128.h"
#include "space/collide/oriented.h"
#include "space/collide/round.h"

/// cos of the angle whose sin^2 is 2^-12, Q2.30.
#define BOX_ROUND_FACE (ISO__UNIT_ONE - (ISO__UNIT_ONE >> 13))

typedef struct box_round_pair {
    const iso__space_manifold_settings *settings;
    const int64_t *offset;
    iso__space_oriented box;
    int64_t radius;
    iso__space_manifold *manifold;
} box_round_pair;

/// Turns a normal of the box's frame, from the box to the round shape, to that of the manifold.
static void box_round_set_normal(const box_round_pair *pair, const int32_t n[3]) {
    int32_t world[3];
    iso__space_ops_turn_unit(pair->box.rotation, n, world);
    iso__space_manifold_set_normal(world, pair->manifold);
    iso__space_manifold_flip_normal(pair->manifold);
}

/// Adds the point between the box and a point of the round shape's core, whose distance along the normal is given.
static void box_round_add(const box_round_pair *pair, const int64_t local[3], int64_t distance) {
    int64_t world[3];
    iso__space_oriented_to_world(&pair->box, local, world);
    iso__space_round_add_along(pair->settings, pair->manifold->normal, distance, world, pair->radius, 0, pair->offset,
                               pair->manifold);
}

/// What a point of the box's frame has outside of the box.
static void box_round_excess(const iso__space_oriented *box, const int64_t p[3], int64_t excess[3]) {
    for (int i = 0; i < 3; ++i) {
        excess[i] = p[i] - iso__clamp64(p[i], -box->half[i], box->half[i]);
    }
}

/// The face from which a piece of two points, or one, is farthest; the first of equal ones. Its distance is returned.
static int64_t box_round_find_face(const iso__space_oriented *box, const int64_t *p, const int64_t *q, int *axis,
                                   int *sign) {
    int64_t best = INT64_MIN;
    for (int i = 0; i < 3; ++i) {
        const int64_t above = iso__min64(p[i], q[i]), below = -iso__max64(p[i], q[i]);
        const int64_t distance = iso__max64(above, below) - box->half[i];
        if (distance > best) {
            best = distance;
            *axis = i;
            *sign = above >= below ? 1 : -1;
        }
    }
    return best;
}

static void box_round_sphere(const box_round_pair *pair, const iso__space_collider *sphere) {
    int64_t centre[3], p[3], excess[3];
    iso__space_round_make_centre(sphere, NULL, centre);
    iso__space_oriented_to_local(&pair->box, centre, p);
    box_round_excess(&pair->box, p, excess);
    int32_t n[3];
    int64_t distance = iso__space_ops_normalize(excess, n);
    if (distance == 0) {
        int axis = 0, sign = 0;
        distance = box_round_find_face(&pair->box, p, p, &axis, &sign);
        n[axis] = sign * ISO__UNIT_ONE;
    }
    box_round_set_normal(pair, n);
    iso__space_round_add_along(pair->settings, pair->manifold->normal, distance, centre, pair->radius, 0, pair->offset,
                               pair->manifold);
}

// ---- capsules ------------------------------------------------------------------------------------

/// g at a distance s from the segment's first end, Q.54.
static int64_t box_round_slope(const iso__space_oriented *box, const iso__space_segment *core, int64_t s) {
    int64_t p[3], excess[3];
    iso__space_segment_point(core, s, p);
    box_round_excess(box, p, excess);
    return iso__space_ops_dot(core->unit, excess);
}

/// Where on a segment it is nearest to the box.
static int64_t box_round_nearest(const iso__space_oriented *box, const iso__space_segment *core) {
    int64_t low = 0, high = core->length;
    int64_t slope_low = box_round_slope(box, core, low), slope_high = box_round_slope(box, core, high);
    if (slope_low >= 0 || slope_high <= 0) {
        return slope_low >= 0 ? low : high;
    }
    for (int i = 0; i < 6; ++i) {
        const int axis = i >> 1;
        const int64_t to = (i & 1) != 0 ? box->half[axis] : -box->half[axis];
        const int64_t s = iso__div_shift(to - core->ends[0][axis], ISO__UNIT_FRACTION, core->unit[axis]);
        if (s <= low || s >= high) {
            continue;
        }
        const int64_t slope = box_round_slope(box, core, s);
        if (slope < 0) {
            low = s;
            slope_low = slope;
        } else {
            high = s;
            slope_high = slope;
        }
    }
    // A quarter of each, so that the difference fits.
    return low + iso__mul_div(high - low, -(slope_low >> 2), (slope_high >> 2) - (slope_low >> 2));
}

/// Adds both ends of what lies over a face. False when nothing does.
static bool box_round_add_over_face(const box_round_pair *pair, const iso__space_segment *core, int axis, int sign) {
    int64_t range[2] = {0, core->length};
    for (int k = 1; k < 3; ++k) {
        const int side = (axis + k) % 3;
        const int64_t from = core->ends[0][side], to = core->ends[1][side], half = pair->box.half[side];
        if (iso__min64(from, to) > half || iso__max64(from, to) < -half) {
            return false;
        }
        if (core->unit[side] == 0) {
            continue;
        }
        const int64_t first = iso__div_shift(-half - from, ISO__UNIT_FRACTION, core->unit[side]);
        const int64_t second = iso__div_shift(half - from, ISO__UNIT_FRACTION, core->unit[side]);
        range[0] = iso__max64(range[0], iso__min64(first, second));
        range[1] = iso__min64(range[1], iso__max64(first, second));
    }
    if (range[0] > range[1]) {
        return false;
    }
    int32_t n[3] = {0, 0, 0};
    n[axis] = sign * ISO__UNIT_ONE;
    box_round_set_normal(pair, n);
    for (int i = 0; i < (range[0] == range[1] ? 1 : 2); ++i) {
        int64_t p[3];
        iso__space_segment_point(core, range[i], p);
        box_round_add(pair, p, sign * p[axis] - pair->box.half[axis]);
    }
    return true;
}

/// The edges' direction whose cross product with the core separates best. Its distance is returned.
static int64_t box_round_find_edge(const iso__space_oriented *box, const iso__space_segment *core, int *axis,
                                   int32_t normal[3]) {
    int64_t best = INT64_MIN;
    for (int i = 0; i < 3; ++i) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        int64_t across[3] = {0, 0, 0}; // the axis x u
        across[j] = -(int64_t)core->unit[k];
        across[k] = core->unit[j];
        if (across[j] * across[j] + across[k] * across[k] < ISO__SPACE_SEGMENT_PARALLEL) {
            continue;
        }
        int32_t n[3];
        iso__space_ops_normalize(across, n);
        const int64_t along = iso__space_ops_dot(n, core->ends[0]), sign = iso__space_ops_sign(along);
        const int64_t reach = (int64_t)iso__abs_u32(n[j]) * box->half[j] + (int64_t)iso__abs_u32(n[k]) * box->half[k];
        const int64_t distance = iso__round_shift(sign * along - reach, ISO__UNIT_FRACTION);
        if (distance > best) {
            best = distance;
            *axis = i;
            for (int m = 0; m < 3; ++m) {
                normal[m] = (int32_t)sign * n[m];
            }
        }
    }
    return best;
}

/// Adds the point between the core and the edge of the box that is farthest along the normal.
static void box_round_add_edge(const box_round_pair *pair, const iso__space_segment *core, int axis, const int32_t n[3],
                               int64_t distance) {
    iso__space_segment edge = {.length = 2 * pair->box.half[axis]};
    for (int i = 0; i < 3; ++i) {
        const int64_t half = pair->box.half[i];
        edge.ends[0][i] = i == axis ? -half : n[i] >= 0 ? half : -half;
        edge.ends[1][i] = i == axis ? half : edge.ends[0][i];
        edge.unit[i] = i == axis ? ISO__UNIT_ONE : 0;
    }
    int64_t at[2], p[3];
    iso__space_segment_nearest_two(core, &edge, at);
    iso__space_segment_point(core, at[0], p);
    box_round_set_normal(pair, n);
    box_round_add(pair, p, distance);
}

/// A core in the box: the best face, or an edge when that is better by the slop.
static void box_round_capsule_inside(const box_round_pair *pair, const iso__space_segment *core) {
    int axis = 0, sign = 0, edge_axis = 0;
    int32_t n[3] = {0, 0, 0};
    const int64_t face = box_round_find_face(&pair->box, core->ends[0], core->ends[1], &axis, &sign);
    const int64_t edge = box_round_find_edge(&pair->box, core, &edge_axis, n);
    const bool has_edge = edge != INT64_MIN; // a core without length has no direction
    if (!(has_edge && edge > face + pair->settings->slop) && box_round_add_over_face(pair, core, axis, sign)) {
        return;
    }
    if (has_edge) {
        box_round_add_edge(pair, core, edge_axis, n, edge);
        return;
    }
    n[axis] = sign * ISO__UNIT_ONE;
    box_round_set_normal(pair, n);
    box_round_add(pair, core->ends[0], face);
}

static void box_round_capsule(const box_round_pair *pair, const iso__space_collider *capsule) {
    int64_t world[3], p[3], excess[3];
    iso__space_segment core;
    for (int i = 0; i < 2; ++i) {
        iso__space_round_place(capsule, capsule->ends[i], NULL, world);
        iso__space_oriented_to_local(&pair->box, world, core.ends[i]);
    }
    iso__space_segment_complete(&core);
    iso__space_segment_point(&core, box_round_nearest(&pair->box, &core), p);
    box_round_excess(&pair->box, p, excess);
    int32_t n[3];
    const int64_t distance = iso__space_ops_normalize(excess, n);
    if (distance <= pair->settings->slop / 10) {
        box_round_capsule_inside(pair, &core);
        return;
    }
    if (distance - pair->radius > pair->settings->speculative) {
        return;
    }
    for (int i = 0; i < 3; ++i) {
        if (iso__abs_u32(n[i]) >= BOX_ROUND_FACE && box_round_add_over_face(pair, &core, i, n[i] < 0 ? -1 : 1) &&
            iso__space_round_is_flat(pair->manifold, distance, pair->radius)) {
            return;
        }
    }
    pair->manifold->count = 0; // one point has its own normal
    box_round_set_normal(pair, n);
    box_round_add(pair, p, distance);
}

void iso__space_manifold_box_round(const iso__space_manifold_settings *settings, const iso__space_collider *a,
                                   const iso__space_collider *box, const int64_t offset[3],
                                   iso__space_manifold *manifold) {
    box_round_pair pair = {.settings = settings, .offset = offset, .radius = a->radius, .manifold = manifold};
    iso__space_oriented_make(box, offset, &pair.box);
    if (a->kind == ISO__SPACE_COLLIDER_SPHERE) {
        box_round_sphere(&pair, a);
    } else {
        box_round_capsule(&pair, a);
    }
}
