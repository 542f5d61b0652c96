/// See sweep.h. What is swept of a shape, and why, is that of the plane: plane/dynamics/sweep.c. First its half, shrunk
/// about its middle, which must not pass; then the shape itself, unless the step had a contact of the two; and when the
/// half began too deep, copies of three, two and one eighths and a ball in the middle.
///
/// Time of impact, by conservative advancement: at s the pieces are g apart along the axis n. Along n they come
/// together by at most c = sum of max(n.d, 0) + |turn| extent in a whole step, so they cannot be `depth` deep before s
/// + (g + depth) / c. The gap of two solids that are apart may be smaller than their distance, which only takes more
/// steps. Every s is rounded down. A sweep that is not sure after SWEEP3_ITERATIONS leaves it to the next piece; the
/// last one stays where it is.
///
/// Ranges: ways are below 2^7 m along each axis, places within 2^15 m; pieces are measured from the other's centre of
/// mass when they are near, and as balls when they are not.
#include "space/dynamics/sweep.h"

#include "base/assert.h"
#include "math/quat.h"
#include "space/collide/cells.h"
#include "space/collide/closest.h"
#include "space/collide/prism.h"
#include "space/collide/separate.h"
#include "space/world/contact.h"
#include "space/world/geometry.h"

#define SWEEP3_ITERATIONS 48
#define SWEEP3_FAR        (64 * ISO_WIDE_ONE) // [m] Q31.32
#define SWEEP3_PRISM      1u                  // the work of a prism that is not near, about a microsecond
#define SWEEP3_PIECES     8u                  // and of the pieces that are swept against one that is
#define SWEEP3_WORK_MAX   2048u               // of a shape and a field
#define SWEEP3_NEAR       (ISO_WIDE_ONE / 16) // [m] Q31.32: what is farther from the bounding ball is not met

/// A shape on its body's way, or a copy of it about its middle that is shrunk to `eighths` of its size.
typedef struct sweeper3 {
    const iso__space_way *way;
    iso__space_collider collider; // turned as the body is where it was looked at last
    int32_t middle[3];            // [m] Q7.24, body frame
    int64_t eighths;              // 8: the shape itself; 0: a ball
    int64_t ball;                 // [m] Q31.32: the radius of the ball
    int64_t extent;               // [m] Q31.32: no vertex is farther from the body's centre
    int64_t reach;                // [m] Q31.32: no point of the border is
    int64_t depth;                // [m] Q31.32: how deep it may enter
} sweeper3;

/// The piece at s, from a place.
static void sweeper_make_piece(sweeper3 *is, int64_t s, const int64_t from[3], iso__space_piece *piece) {
    int64_t at[3], middle[3];
    int32_t q[4];
    iso__space_way_place(is->way, s, at);
    for (int i = 0; i < 3; ++i) {
        at[i] -= from[i];
    }
    if (is->way->turn != 0) {
        iso__space_way_rotation(is->way, s, q);
        iso__quat_matrix(q, is->collider.rotation);
    }
    for (int i = 0; i < 3; ++i) {
        const int64_t along = iso__dot3(is->collider.rotation + 3 * i, is->middle); // Q.54
        middle[i] = at[i] + iso__round_shift(along, ISO__UNIT_FRACTION + ISO__LENGTH_FRACTION - 32);
    }
    if (is->eighths == 0) {
        *piece = (iso__space_piece){.radius = is->ball, .vertex_count = 1};
        for (int i = 0; i < 3; ++i) {
            piece->vertices[0][i] = middle[i];
        }
        return;
    }
    iso__space_piece_make(&is->collider, at, piece);
    if (is->eighths < 8) {
        iso__space_piece_shrink(piece, middle, is->eighths);
    }
}

/// A copy of a shape and how deep it may enter. @param eighths  of its size; 0: a ball
static void sweeper_init(const iso__space *space, uint32_t shape, const iso__space_way *way, int64_t eighths,
                         int64_t ball, sweeper3 *is) {
    const iso__space_shape_derived *derived = &space->shape_derived[shape];
    const int64_t core = iso__shl64(derived->core, 8), radius = iso__shl64(space->shapes[shape].radius, 8);
    const int64_t middle[3] = {derived->middle[0], derived->middle[1], derived->middle[2]};
    const int64_t off = iso__shl64(iso__length3(middle) + 1, 8);
    const int64_t extent = iso__shl64(derived->extent, 8) - radius;
    int32_t q[4], R[9];
    iso__space_way_rotation(way, 0, q);
    iso__quat_matrix(q, R);
    const iso__space_body_derived *body = &space->body_derived[space->shapes[shape].body];
    iso__space_shape_collider(&space->shapes[shape], body->local_centre, R, &space->hulls[shape], &is->collider);
    for (int i = 0; i < 3; ++i) {
        is->middle[i] = derived->middle[i];
    }
    is->way = way;
    is->eighths = eighths;
    is->ball = ball;
    is->extent = off + ((extent - off) * eighths) / 8;
    is->reach = is->extent + (eighths == 0 ? ball : radius * eighths / 8);
    is->depth = eighths == 0 ? ball / 8 : core * eighths / 64;
    if (eighths == 8) {
        const int64_t slop = iso__max64(iso_wide_from_fix16(space->world.def.slop) / 2, ISO__SPACE_SWEEP_DEPTH_MIN);
        is->depth = iso__min64(slop, core / 4);
    }
}

/// B and its way; its piece about its own centre, made once when it neither moves nor turns.
typedef struct obstacle3 {
    sweeper3 of;
    bool is_plane, is_still;
    bool is_swept; // it was near
    iso__space_piece piece;
} obstacle3;

static void obstacle_init(const iso__space *space, uint32_t shape, const iso__space_way *on, obstacle3 *b) {
    sweeper_init(space, shape, on, 8, 0, &b->of);
    b->is_swept = false;
    b->is_plane = space->shapes[shape].kind == ISO_SHAPE3_PLANE;
    b->is_still = (on->moved[0] | on->moved[1] | on->moved[2] | on->turn) == 0;
    sweeper_make_piece(&b->of, 0, on->begin, &b->piece);
}

/// The ground below a triangle of a field of heights, which is static, on a way of its own that begins at the prism.
static void obstacle_init_prism(const iso__space_prism *prism, const iso__space_way *on, iso__space_way *way,
                                obstacle3 *b) {
    *way = *on;
    for (int i = 0; i < 3; ++i) {
        way->begin[i] += prism->at[i];
    }
    *b = (obstacle3){.of = {.way = way, .reach = INT64_MAX / 4}, .is_still = true}; // it is always near
    b->piece = prism->piece;
}

/// How far A and B are apart at s. @param axis  from A to B
static int64_t sweep_gap(sweeper3 *a, obstacle3 *b, int64_t s, int32_t axis[3]) {
    int64_t place_a[3], place_b[3], way[3];
    iso__space_piece piece;
    iso__space_way_place(a->way, s, place_a);
    iso__space_way_place(b->of.way, s, place_b);
    for (int i = 0; i < 3; ++i) {
        way[i] = place_b[i] - place_a[i];
    }
    const int64_t distance = iso__length3(way), reach = a->reach + b->of.reach;
    if (!b->is_plane && distance > reach + SWEEP3_FAR) {
        iso__normalize3(way, axis);
        return distance - reach - (distance >> 28); // what the axis may be off
    }
    sweeper_make_piece(a, s, place_b, &piece);
    if (!b->is_still) {
        sweeper_make_piece(&b->of, s, place_b, &b->piece);
    }
    return iso__space_piece_separate(&piece, &b->piece, axis);
}

/// Whether A's bounding ball comes to B at all, when B is still: along the direction from the nearest point of B.
static bool sweep_is_near(const sweeper3 *a, const obstacle3 *b) {
    if (!b->is_still) {
        return true;
    }
    iso__space_piece_point nearest;
    const int64_t *from = b->of.way->begin, *begin = a->way->begin;
    const int64_t place[3] = {begin[0] - from[0], begin[1] - from[1], begin[2] - from[2]};
    iso__space_piece_closest(&b->piece, place, &nearest);
    const int64_t along = -iso__space_piece_along(nearest.normal, a->way->moved);
    return nearest.distance - a->reach <= iso__max64(along, 0) + 4;
}

/// How far a body comes along an axis in a whole step, at most; either body may have come to its limit.
static int64_t sweep_approach(const sweeper3 *of, const int32_t n[3]) {
    const int64_t along = iso__space_piece_along(n, of->way->moved);
    return iso__max64(along, 0) + iso__mul_shift(of->way->turn, of->extent, 32) + 4;
}

typedef enum sweep_result { SWEEP_HIT, SWEEP_MISS, SWEEP_UNSURE } sweep_result;

/// Advances *s until A is at least half of its depth deep in B, but no more than that.
static sweep_result sweep_advance(sweeper3 *a, obstacle3 *b, int64_t gap, int64_t *s, int32_t axis[3]) {
    for (int n = 0; n < SWEEP3_ITERATIONS; ++n) {
        if (gap <= -a->depth / 2) {
            return SWEEP_HIT;
        }
        const int32_t back[3] = {-axis[0], -axis[1], -axis[2]};
        const int64_t approach = sweep_approach(a, axis) + sweep_approach(&b->of, back);
        const int64_t advance = iso_wide_div(gap + a->depth, approach) - 1;
        if (advance >= a->way->limit - *s) {
            return SWEEP_MISS;
        }
        *s += iso__max64(advance, 0);
        gap = sweep_gap(a, b, *s, axis);
    }
    return SWEEP_UNSURE;
}

/// Sweeps one piece of a shape. @return SWEEP_HIT or SWEEP_MISS; SWEEP_UNSURE also when it begins too deep
static sweep_result sweep_run(sweeper3 *a, obstacle3 *b, iso__space_meeting *is) {
    is->s = 0;
    const int64_t gap = sweep_gap(a, b, 0, is->axis);
    return gap <= -a->depth / 2 ? SWEEP_UNSURE : sweep_advance(a, b, gap, &is->s, is->axis);
}

/// What is left of a shape whose half began too deep.
static sweep_result sweep_deep(const iso__space *space, uint32_t shape, const iso__space_way *way, obstacle3 *b,
                               iso__space_meeting *is) {
    sweep_result result = SWEEP_UNSURE;
    sweeper3 smaller;
    for (int64_t eighths = 3; result == SWEEP_UNSURE && eighths > 0; --eighths) {
        sweeper_init(space, shape, way, eighths, 0, &smaller);
        is->is_deep = eighths < 3;
        result = sweep_run(&smaller, b, is);
    }
    if (result != SWEEP_UNSURE) {
        return result;
    }
    const int64_t core = iso__shl64(space->shape_derived[shape].core, 8);
    sweeper_init(space, shape, way, 0, 0, &smaller);
    const int64_t gap = sweep_gap(&smaller, b, 0, is->axis);
    sweeper_init(space, shape, way, 0, iso__max64(iso__min64(core / 8, gap / 2), 8), &smaller);
    return gap <= 0 ? SWEEP_MISS : sweep_run(&smaller, b, is);
}

static iso__space_meeting sweep_meet(const iso__space *space, const iso__space_meeting *none, const iso__space_way *way,
                                     obstacle3 *b) {
    iso__space_meeting border = *none, middle = *none;
    sweeper3 half, whole;
    sweeper_init(space, none->shape, way, 4, 0, &half);
    if (!sweep_is_near(&half, b)) {
        return *none;
    }
    b->is_swept = true;
    sweep_result result = sweep_run(&half, b, &middle);
    if (result == SWEEP_MISS) {
        return *none;
    }
    // With a contact they begin near each other, and it keeps them apart.
    if (iso__space_contact_find(space, none->shape, none->other) == UINT32_MAX) {
        sweeper_init(space, none->shape, way, 8, 0, &whole);
        if (sweep_run(&whole, b, &border) == SWEEP_HIT) {
            return border;
        }
    }
    if (result == SWEEP_UNSURE) {
        result = sweep_deep(space, none->shape, way, b, &middle);
    }
    return result == SWEEP_MISS ? *none : middle; // the smallest ball stays where nothing is met for sure
}

/// A field of heights: the first of the prisms that the shape's bounding ball comes near. Those that it only comes near
/// behind what was met are left out.
///
/// A large shape over a fine field comes near thousands of them, and may begin deep in as many: 0.3 s for one plate of
/// a member. So the work of a sweep has a bound, and that of a tick; what exceeds it is not met, and what has got into
/// the ground its contacts bring up again.
static iso__space_meeting sweep_meet_heights(const iso__space *space, const iso__space_meeting *none,
                                             const iso__space_way *way, const iso__space_way *on) {
    iso__space_meeting first = *none;
    iso__space_hull room;
    iso__space_collider field;
    iso__space_ray line;
    iso__space_cells cells;
    iso__space_cell cell;
    iso__space_collider_make(space, none->other, &room, &field);
    iso__space_ray_init(&line, (iso_vec3_wide){way->moved[0], way->moved[1], way->moved[2]});
    for (int i = 0; i < 3; ++i) {
        line.origin[i] = way->begin[i] - on->begin[i];
    }
    iso__space_cells_init(&cells, &field, &line, iso__space_way_reach(space, none->shape) + SWEEP3_NEAR);
    iso__space_way shorter = *way;
    const int64_t left = (int64_t)ISO__SPACE_HEIGHTS_WORK_MAX - space->scratch->heights_work;
    const int64_t most = iso__min64(left, SWEEP3_WORK_MAX);
    uint32_t work = 0;
    while (work < most && iso__space_cells_next(&cells, &cell)) {
        for (uint32_t half = 0; half < 2; ++half) {
            iso__space_prism prism;
            iso__space_way still;
            obstacle3 b;
            iso__space_prism_make(&field, cell.column, cell.row, half, &prism);
            obstacle_init_prism(&prism, on, &still, &b);
            const iso__space_meeting next = sweep_meet(space, none, &shorter, &b);
            work += SWEEP3_PRISM + (b.is_swept ? SWEEP3_PIECES : 0);
            if (next.s < first.s) { // in the order of the cells
                first = next;
                shorter.limit = iso__min64(next.s, way->limit);
                cells.limit = iso__min64(cells.limit, iso__mul_shift(line.reach, next.s, 32) + 64);
            }
        }
    }
    space->scratch->heights_work += work;
    return first;
}

iso__space_meeting iso__space_sweep_meet(const iso__space *space, uint32_t shape_a, const iso__space_way *way_a,
                                         uint32_t shape_b, const iso__space_way *way_b) {
    ISO_ASSERT(shape_a < space->world.globals->shape_count && shape_b < space->world.globals->shape_count);
    const iso__space_meeting none = {.s = ISO__SPACE_MEETING_MISSED, .shape = shape_a, .other = shape_b};
    if (space->shapes[shape_b].kind == ISO_SHAPE3_HEIGHTS) {
        return sweep_meet_heights(space, &none, way_a, way_b);
    }
    obstacle3 b;
    obstacle_init(space, shape_b, way_b, &b);
    return sweep_meet(space, &none, way_a, &b);
}

bool iso__space_meeting_is_before(const iso__space_meeting *a, const iso__space_meeting *b) {
    ISO_VALIDATE_ASSERT(a->s >= 0 && b->s >= 0);
    const bool is_lower = a->shape != b->shape ? a->shape < b->shape : a->other < b->other;
    return a->s != b->s ? a->s < b->s : is_lower;
}
