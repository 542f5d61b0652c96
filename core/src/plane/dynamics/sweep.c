/// See sweep.h. Of a shape are swept, in this order:
///
///   its half: the shape, shrunk about its middle to half of its size. When it meets nothing, the body may have entered
///   the wall, but on the right side: the next step has a contact of an overlap, as for slow bodies;
///   the shape itself, unless the step had a contact of the two: it is put back to where it has entered by half the
///   slop, so that the next step has a contact, whatever the speculative distance is;
///   else it stays where the half met. When that began too deep, copies of three, two and one eighths and then a disc
///   in the middle, of an eighth of the core or of half of what the middle is away, take its place.
///
/// Why half: a manifold pushes a shape out of a wall to the side where less of it overlaps. With e the way from the
/// middle to the shape's end at the wall and f to the other end, along the wall's normal, and the middle h in front of
/// the wall, that is the right side when e - h < f + h. A disc about the middle keeps h above its radius only, so that
/// the tip of a triangle, with e = 2 f, may be pushed out behind. Half of the shape keeps h above e / 2, which is
/// enough whatever the shape is and however it turns.
///
/// Time of impact, by conservative advancement along an axis: at s the hulls are g apart along the axis n. Along n they
/// come together by at most c = sum of max(n.d, 0) + |turn| extent in a whole step, so they cannot be `depth` deep
/// before s + (g + depth) / c. That is the impact itself along a face, unless something turns. Every s is rounded down.
/// A sweep that is not sure after SWEEP_ITERATIONS leaves it to the next hull; the last one stays where it is.
/// Source: B. Mirtich, Impulse-based Dynamic Simulation of Rigid Body Systems, 1996, on conservative advancement.
///
/// Ranges: ways are below 2^7 m along each axis, places within 2^15 m, so all sums stay below 2^50; products have 128
/// bits.
#include "plane/dynamics/sweep.h"

#include "base/assert.h"
#include "math/fixed_ops.h"
#include "math/rotate.h"
#include "math/wide128.h"
#include "plane/collide/hull.h"
#include "plane/world/contact.h"
#include "plane/world/geometry.h"
#include "plane/world/shape.h"

#define SWEEP_ITERATIONS 48

/// A shape on its body's way, or a copy of it about its middle that is shrunk to `eighths` of its size.
typedef struct sweeper {
    uint32_t shape;
    int64_t eighths; // 8: the shape itself; 0: a disc
    int64_t disc;    // [m] Q31.32: the radius of the disc
    int64_t extent;  // [m] Q31.32: no vertex is farther from the body's centre
    int64_t reach;   // [m] Q31.32: no point of the border is
} sweeper;

static void sweeper_hull(const iso__plane *plane, const sweeper *is, iso_rotation q, const int64_t at[2],
                         iso__plane_hull *hull) {
    iso__plane_shape_hull_turned(plane, is->shape, q, hull);
    if (is->eighths < 8) {
        const int32_t *middle = plane->shape_derived[is->shape].middle;
        const iso_vec2_wide m = iso__rotate_to_wide(q, middle[0], middle[1]);
        hull->count = is->eighths == 0 ? 1 : hull->count;
        hull->is_one_sided = is->eighths != 0 && hull->is_one_sided;
        hull->taper = is->eighths == 0 ? 0 : hull->taper * is->eighths / 8;
        hull->radius = is->eighths == 0 ? is->disc : hull->radius * is->eighths / 8;
        for (uint32_t i = 0; i < hull->count; ++i) {
            hull->vertices[i][0] = m.x + iso__round_shift((hull->vertices[i][0] - m.x) * is->eighths, 3);
            hull->vertices[i][1] = m.y + iso__round_shift((hull->vertices[i][1] - m.y) * is->eighths, 3);
        }
    }
    for (uint32_t i = 0; i < hull->count; ++i) {
        hull->vertices[i][0] += at[0];
        hull->vertices[i][1] += at[1];
    }
}

/// B and its way; its hull about its own centre when it neither moves nor turns.
typedef struct obstacle {
    sweeper of;
    const iso__plane_way *on;
    bool is_still;
    iso__plane_hull hull;
} obstacle;

static void obstacle_init(const iso__plane *plane, uint32_t shape, const iso__plane_way *on, obstacle *b) {
    const int64_t origin[2] = {0, 0};
    const int64_t reach = iso__plane_way_reach(plane, shape);
    b->of = (sweeper){shape, 8, 0, reach, reach};
    b->on = on;
    b->is_still = (on->moved[0] | on->moved[1] | on->angle) == 0;
    sweeper_hull(plane, &b->of, iso__plane_way_rotation(on, 0), origin, &b->hull);
}

/// How far A and B are apart at s. @param axis  from A to B
static int64_t sweep_gap(const iso__plane *plane, const sweeper *a, const iso__plane_way *way_a, obstacle *b, int64_t s,
                         int32_t axis[2]) {
    iso__plane_hull hull;
    int64_t place_a[2], place_b[2];
    const int64_t origin[2] = {0, 0};
    iso__plane_way_place(way_a, s, place_a);
    iso__plane_way_place(b->on, s, place_b);
    place_a[0] -= place_b[0];
    place_a[1] -= place_b[1];
    sweeper_hull(plane, a, iso__plane_way_rotation(way_a, s), place_a, &hull);
    if (!b->is_still) {
        sweeper_hull(plane, &b->of, iso__plane_way_rotation(b->on, s), origin, &b->hull);
    }
    return iso__plane_hull_separate(&hull, &b->hull, axis);
}

/// Whether A's bounding circle comes to B at all, when B is still: along the direction from the nearest point of B.
static bool sweep_is_near(const sweeper *a, const iso__plane_way *way_a, const obstacle *b) {
    if (!b->is_still) {
        return true;
    }
    iso__plane_hull_point nearest;
    const int64_t place[2] = {way_a->begin[0] - b->on->begin[0], way_a->begin[1] - b->on->begin[1]};
    iso__plane_hull_closest(&b->hull, place, &nearest);
    const int64_t along = iso__dot_shift(-(int64_t)nearest.normal[0], way_a->moved[0], -(int64_t)nearest.normal[1],
                                         way_a->moved[1], ISO__UNIT_FRACTION);
    return nearest.distance - a->reach <= iso__max64(along, 0) + 4;
}

/// How far a body comes along an axis in a whole step, at most; either body may have come to its limit.
static int64_t sweep_approach(const iso__plane_way *is, const sweeper *of, int64_t nx, int64_t ny) {
    const int64_t along = iso__dot_shift(nx, is->moved[0], ny, is->moved[1], ISO__UNIT_FRACTION);
    return iso__max64(along, 0) + iso__mul_shift(is->turn, of->extent, 32) + 4;
}

typedef enum sweep_result { SWEEP_HIT, SWEEP_MISS, SWEEP_UNSURE } sweep_result;

/// One of the hulls of a shape to be swept, and how deep it may enter.
typedef struct sweep_level {
    sweeper of;
    int64_t depth;
} sweep_level;

/// Advances *s until A is at least half of its depth deep in B, but no more than that.
static sweep_result sweep_advance(const iso__plane *plane, const sweep_level *a, const iso__plane_way *way_a,
                                  obstacle *b, int64_t gap, int64_t *s, int32_t axis[2]) {
    for (int n = 0; n < SWEEP_ITERATIONS; ++n) {
        if (gap <= -a->depth / 2) {
            return SWEEP_HIT;
        }
        const int64_t approach = sweep_approach(way_a, &a->of, axis[0], axis[1]) +
                                 sweep_approach(b->on, &b->of, -(int64_t)axis[0], -(int64_t)axis[1]);
        const int64_t advance = iso_wide_div(gap + a->depth, approach) - 1;
        if (advance >= way_a->limit - *s) {
            return SWEEP_MISS;
        }
        *s += iso__max64(advance, 0);
        gap = sweep_gap(plane, &a->of, way_a, b, *s, axis);
    }
    return SWEEP_UNSURE;
}

/// A copy of a shape and how deep it may enter. @param eighths  of its size; 0: a disc
static sweep_level level_make(const iso__plane *plane, uint32_t shape, int64_t eighths, int64_t disc) {
    const iso__plane_shape_derived *derived = &plane->shape_derived[shape];
    const int64_t core = iso__shl64(derived->core, 8), x = derived->middle[0], y = derived->middle[1];
    const int64_t off = iso__shl64((int64_t)iso__isqrt64((uint64_t)(x * x) + (uint64_t)(y * y)) + 1, 8);
    const iso__plane_shape *record = &plane->shapes[shape];
    const int64_t radius = iso__shl64(record->radius, 8), taper = iso__shl64(iso__plane_shape_taper(record), 8);
    const int64_t extent = iso__shl64(derived->extent, 8) - (radius + iso__min64(taper, 0));
    sweep_level is = {{shape, eighths, disc, off + ((extent - off) * eighths) / 8, 0}, core * eighths / 64};
    is.of.reach = is.of.extent + (eighths == 0 ? disc : (radius + iso__max64(taper, 0)) * eighths / 8);
    if (eighths == 8) {
        const int64_t slop = iso__max64(iso_wide_from_fix16(plane->world.def.slop) / 2, ISO__PLANE_SWEEP_DEPTH_MIN);
        is.depth = iso__min64(slop, core / 4);
    } else if (eighths == 0) {
        is.depth = disc / 8;
    }
    return is;
}

/// Sweeps one hull of a shape. @return SWEEP_HIT or SWEEP_MISS; SWEEP_UNSURE also when it begins too deep
static sweep_result sweep_run(const iso__plane *plane, const sweep_level *level, const iso__plane_way *way_a,
                              obstacle *b, iso__plane_meeting *is) {
    is->s = 0;
    const int64_t gap = sweep_gap(plane, &level->of, way_a, b, 0, is->axis);
    return gap <= -level->depth / 2 ? SWEEP_UNSURE : sweep_advance(plane, level, way_a, b, gap, &is->s, is->axis);
}

iso__plane_meeting iso__plane_sweep_meet(const iso__plane *plane, uint32_t shape_a, const iso__plane_way *way_a,
                                         uint32_t shape_b, const iso__plane_way *way_b) {
    ISO_ASSERT(shape_a < plane->world.globals->shape_count && shape_b < plane->world.globals->shape_count);
    const iso__plane_meeting none = {.s = ISO__PLANE_MEETING_MISSED, .shape = shape_a, .other = shape_b};
    iso__plane_meeting border = none, middle = none;
    obstacle b;
    obstacle_init(plane, shape_b, way_b, &b);
    const sweep_level half = level_make(plane, shape_a, 4, 0);
    if (!sweep_is_near(&half.of, way_a, &b)) {
        return none;
    }
    sweep_result result = sweep_run(plane, &half, way_a, &b, &middle);
    if (result == SWEEP_MISS) {
        return none;
    }
    // With a contact they begin near each other, and it keeps them apart.
    if (iso__plane_contact_find(plane, shape_a, shape_b) == UINT32_MAX) {
        const sweep_level whole = level_make(plane, shape_a, 8, 0);
        if (sweep_run(plane, &whole, way_a, &b, &border) == SWEEP_HIT) {
            return border;
        }
    }
    for (int64_t eighths = 3; result == SWEEP_UNSURE && eighths > 0; --eighths) {
        const sweep_level smaller = level_make(plane, shape_a, eighths, 0);
        middle.is_deep = eighths < 3;
        result = sweep_run(plane, &smaller, way_a, &b, &middle);
    }
    if (result == SWEEP_UNSURE) {
        const int64_t core = iso__shl64(plane->shape_derived[shape_a].core, 8);
        const sweep_level point = level_make(plane, shape_a, 0, 0);
        const int64_t gap = sweep_gap(plane, &point.of, way_a, &b, 0, middle.axis);
        const sweep_level smallest = level_make(plane, shape_a, 0, iso__max64(iso__min64(core / 8, gap / 2), 8));
        result = gap <= 0 ? SWEEP_MISS : sweep_run(plane, &smallest, way_a, &b, &middle);
    }
    return result == SWEEP_MISS ? none : middle; // the smallest disc stays where nothing is met for sure
}

bool iso__plane_meeting_is_before(const iso__plane_meeting *a, const iso__plane_meeting *b) {
    ISO_VALIDATE_ASSERT(a->s >= 0 && b->s >= 0);
    if (a->s != b->s) {
        return a->s < b->s;
    }
    return a->shape != b->shape ? a->shape < b->shape : a->other < b->other;
}
