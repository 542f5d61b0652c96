/// Continuous collision: fast bodies stop where they meet a wall, and the next step's contacts do the rest.
///
/// The core of a shape is the largest disc about the mean of its vertices, its middle, that its faces allow. A body is
/// fast when in this step a point of it may have moved by more than half of its smallest core's radius: slower ones do not
/// pass what their borders have not passed before.
/// The way of a body goes straight from its place when the step began to its place now, and turns evenly; the fraction
/// s of it runs from 0 to 1. The earliest s at which a shape of the body has met a static one is the body's limit, and the
/// pose there becomes its pose. Of a shape are swept, in this order:
///
///   its half: the shape, shrunk about its middle to half of its size. When it meets nothing, the body may have entered
///   the wall, but on the right side: the next step has a contact of an overlap, as for slow bodies;
///   the shape itself, unless the step had a contact of the two: it is put back to where it has entered by half the
///   slop, so that the next step has a contact, whatever the speculative distance is;
///   else it stays where the half met. When that began too deep, copies of three, two and one eighths and then a disc in
///   the middle, of an eighth of the core or of half of what the middle is away, take its place.
///
/// Why half: a manifold pushes a shape out of a wall to the side where less of it overlaps. With e the way from the middle
/// to the shape's end at the wall and f to the other end, along the wall's normal, and the middle h in front of the wall,
/// that is the right side when e - h < f + h. A disc about the middle keeps h above its radius only, so that the tip of a
/// triangle, with e = 2 f, may be pushed out behind. Half of the shape keeps h above e / 2, which is enough whatever the
/// shape is and however it turns.
///
/// The velocity is put back as well, by what gravity added in the rest of the step: otherwise the body would have gained
/// the height for nothing. The contacts of the next step take it. But where a copy of two eighths or less met, they have
/// not held the body. Were it only put back, the next steps would do the same, and it would stay there whatever its
/// velocity is. So what leads into the wall is taken from its way and its velocity, and then what turns into it, and it
/// goes on along the wall. With three eighths, bodies that bounce would lose energy to this.
///
/// Bullets that are fast, in the order of their indices, then do the same with all shapes that are not static. Each of
/// two bodies goes along its way until its limit. Where they meet is the bullet's new limit, and that of the other if it is
/// dynamic and moves; velocities stay. From what began deep in another only its way along the axis is taken, against the
/// other's: both may be pressed together for long.
///
/// Time of impact, by conservative advancement along an axis: at s the hulls are g apart along the axis n. Along n they
/// come together by at most c = sum of max(n.d, 0) + |turn| extent in a whole step, so they cannot be `depth` deep before
/// s + (g + depth) / c. That is the impact itself along a face, unless something turns. Every s is rounded down. A sweep
/// that is not sure after SWEEP_ITERATIONS leaves it to the next hull; the last one stays where it is.
/// Source: B. Mirtich, Impulse-based Dynamic Simulation of Rigid Body Systems, 1996, on conservative advancement.
///
/// Order and history: limits against static shapes depend on one body each. The tree only saves work: of what it finds,
/// the exact boxes decide, the earliest meeting wins, and of equal ones that of the lower shapes.
///
/// Ranges: ways are below 2^7 m along each axis, places within 2^15 m, so all sums stay below 2^50; products have 128 bits.
#include "dynamics/continuous.h"

#include "base/assert.h"
#include "collide/hull.h"
#include "dynamics/broad_phase.h"
#include "dynamics/way_disc.h"
#include "math/fixed_ops.h"
#include "math/rotate.h"
#include "math/wide128.h"
#include "solver/scratch.h"
#include "world/body.h"
#include "world/body_mass.h"
#include "world/contact.h"
#include "world/geometry.h"
#include "world/shape.h"
#include "world/spin.h"

#define SWEEP_ITERATIONS 48
#define STOPS_MAX        4 // what of its way is taken from a body that began deep: along two walls, and what turns
#define DEPTH_MIN        2097152 // [m] Q31.32: 0.5 mm, when the slop is smaller
#define MISSED           INT64_MAX
#define SPEED_MAX        (ISO_SPEED_MAX_M_S * ISO__VEL_ONE)

// ---- ways ----------------------------------------------------------------------------------------

/// The way of a body in this step.
typedef struct way {
    int64_t begin[2];    // [m] Q31.32
    int64_t begin_angle; // [turns] Q31.32
    int64_t moved[2];    // [m]
    int64_t angle;       // [turns]
    int64_t turn;        // |angle| [rad] Q31.32, rounded up
    int64_t limit;       // fraction Q.32
} way;

static way way_of(const iso_world *world, uint32_t body) {
    const iso__body *record = &world->bodies[body];
    const iso__drift *drift = &world->scratch->drifts[body];
    const int8_t k = world->body_derived[body].radius_exponent;
    way is = {.moved = {drift->moved[0], drift->moved[1]},
              .angle = iso__turns_from_arc(drift->turned, k),
              .limit = iso__body_is_moving(world, body) ? world->scratch->limits[body] : ISO_WIDE_ONE};
    is.begin[0] = record->position[0] - is.moved[0];
    is.begin[1] = record->position[1] - is.moved[1];
    is.begin_angle = iso__sub64(record->angle, is.angle);
    const int64_t arc = (int64_t)iso__abs_u64(drift->turned);
    is.turn = (k >= 0 ? arc >> k : iso__shl64(arc, (unsigned)-k)) + 2;
    return is;
}

static void way_place(const way *is, int64_t s, int64_t place[2]) {
    s = iso__min64(s, is->limit);
    place[0] = is->begin[0] + iso__mul_shift(is->moved[0], s, 32);
    place[1] = is->begin[1] + iso__mul_shift(is->moved[1], s, 32);
}

static int64_t way_angle(const way *is, int64_t s) {
    return iso__add64(is->begin_angle, iso__mul_shift(is->angle, iso__min64(s, is->limit), 32));
}

static iso_rotation way_rotation(const way *is, int64_t s) {
    return iso_rotation_make((uint32_t)(uint64_t)way_angle(is, s));
}

// ---- the time of impact --------------------------------------------------------------------------

/// A shape on its body's way, or a copy of it about its middle that is shrunk to `eighths` of its size.
typedef struct sweeper {
    uint32_t shape;
    int64_t eighths; // 8: the shape itself; 0: a disc
    int64_t disc;    // [m] Q31.32: the radius of the disc
    int64_t extent;  // [m] Q31.32: no vertex is farther from the body's centre
    int64_t reach;   // [m] Q31.32: no point of the border is
} sweeper;

static void sweeper_hull(const iso_world *world, const sweeper *is, iso_rotation q, const int64_t at[2],
                         iso__hull *hull) {
    iso__shape_hull_turned(world, is->shape, q, hull);
    if (is->eighths < 8) {
        const int32_t *middle = world->shape_derived[is->shape].middle;
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
    const way *on;
    bool is_still;
    iso__hull hull;
} obstacle;

/// No point of a shape is farther from its body's centre of mass, [m] Q31.32.
static int64_t shape_reach(const iso_world *world, uint32_t shape) {
    const iso__shape_derived *derived = &world->shape_derived[shape];
    const int64_t *origin = derived->origin;
    const int64_t off = (origin[0] | origin[1]) == 0 ? 0 : iso_wide_hypot(origin[0], origin[1]) + 1;
    return iso__shl64(derived->extent, 8) + off;
}

static void obstacle_init(const iso_world *world, uint32_t shape, const way *on, obstacle *b) {
    const int64_t origin[2] = {0, 0};
    const int64_t reach = shape_reach(world, shape);
    b->of = (sweeper){shape, 8, 0, reach, reach};
    b->on = on;
    b->is_still = (on->moved[0] | on->moved[1] | on->angle) == 0;
    sweeper_hull(world, &b->of, way_rotation(on, 0), origin, &b->hull);
}

/// How far A and B are apart at s. @param axis  from A to B
static int64_t sweep_gap(const iso_world *world, const sweeper *a, const way *way_a, obstacle *b, int64_t s,
                         int32_t axis[2]) {
    iso__hull hull;
    int64_t place_a[2], place_b[2];
    const int64_t origin[2] = {0, 0};
    way_place(way_a, s, place_a);
    way_place(b->on, s, place_b);
    place_a[0] -= place_b[0];
    place_a[1] -= place_b[1];
    sweeper_hull(world, a, way_rotation(way_a, s), place_a, &hull);
    if (!b->is_still) {
        sweeper_hull(world, &b->of, way_rotation(b->on, s), origin, &b->hull);
    }
    return iso__hull_separate(&hull, &b->hull, axis);
}

/// Whether A's bounding circle comes to B at all, when B is still: along the direction from the nearest point of B.
static bool sweep_is_near(const sweeper *a, const way *way_a, const obstacle *b) {
    if (!b->is_still) {
        return true;
    }
    iso__hull_point nearest;
    const int64_t place[2] = {way_a->begin[0] - b->on->begin[0], way_a->begin[1] - b->on->begin[1]};
    iso__hull_closest(&b->hull, place, &nearest);
    const int64_t along = iso__dot_shift(-(int64_t)nearest.normal[0], way_a->moved[0], -(int64_t)nearest.normal[1],
                                         way_a->moved[1], ISO__UNIT_FRACTION);
    return nearest.distance - a->reach <= iso__max64(along, 0) + 4;
}

/// How far a body comes along an axis in a whole step, at most; either body may have come to its limit.
static int64_t sweep_approach(const way *is, const sweeper *of, int64_t nx, int64_t ny) {
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
static sweep_result sweep_advance(const iso_world *world, const sweep_level *a, const way *way_a, obstacle *b,
                                  int64_t gap, int64_t *s, int32_t axis[2]) {
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
        gap = sweep_gap(world, &a->of, way_a, b, *s, axis);
    }
    return SWEEP_UNSURE;
}

/// Where and how a shape has met another.
typedef struct meeting {
    int64_t s;       // fraction of the way, Q.32; MISSED: not at all
    int32_t axis[2]; // Q2.30, towards the other
    uint32_t shape, other;
    bool is_deep; // it began with so little before the border of the other that it cannot only be put back
} meeting;

/// A copy of a shape and how deep it may enter. @param eighths  of its size; 0: a disc
static sweep_level level_make(const iso_world *world, uint32_t shape, int64_t eighths, int64_t disc) {
    const iso__shape_derived *derived = &world->shape_derived[shape];
    const int64_t core = iso__shl64(derived->core, 8), x = derived->middle[0], y = derived->middle[1];
    const int64_t off = iso__shl64((int64_t)iso__isqrt64((uint64_t)(x * x) + (uint64_t)(y * y)) + 1, 8);
    const iso__shape *record = &world->shapes[shape];
    const int64_t radius = iso__shl64(record->radius, 8), taper = iso__shl64(iso__shape_taper(record), 8);
    const int64_t extent = iso__shl64(derived->extent, 8) - (radius + iso__min64(taper, 0));
    sweep_level is = {{shape, eighths, disc, off + ((extent - off) * eighths) / 8, 0}, core * eighths / 64};
    is.of.reach = is.of.extent + (eighths == 0 ? disc : (radius + iso__max64(taper, 0)) * eighths / 8);
    if (eighths == 8) {
        const int64_t slop = iso__max64(iso_wide_from_fix16(world->def.slop) / 2, DEPTH_MIN);
        is.depth = iso__min64(slop, core / 4);
    } else if (eighths == 0) {
        is.depth = disc / 8;
    }
    return is;
}

/// The index of the step's contact of two shapes; UINT32_MAX: there is none.
static uint32_t pair_find_contact(const iso_world *world, uint32_t shape_a, uint32_t shape_b) {
    const uint64_t body_a = world->shapes[shape_a].body, body_b = world->shapes[shape_b].body;
    const iso__pair pair = body_a < body_b ? (iso__pair){body_a << 32 | body_b, (uint64_t)shape_a << 32 | shape_b}
                                           : (iso__pair){body_b << 32 | body_a, (uint64_t)shape_b << 32 | shape_a};
    uint32_t low = 0, high = world->globals->contact_count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        const iso__contact *contact = &world->contacts[middle];
        const uint64_t a = world->shapes[contact->shape_a].body, b = world->shapes[contact->shape_b].body;
        const iso__pair key = {a << 32 | b, (uint64_t)contact->shape_a << 32 | contact->shape_b};
        if (iso__pair_is_less(&key, &pair)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    const bool is_found = low < world->globals->contact_count &&
                          (uint64_t)world->contacts[low].shape_a << 32 == (pair.shapes & ~(uint64_t)UINT32_MAX) &&
                          world->contacts[low].shape_b == (uint32_t)pair.shapes;
    return is_found ? low : UINT32_MAX;
}

/// Sweeps one hull of a shape. @return SWEEP_HIT or SWEEP_MISS; SWEEP_UNSURE also when it begins too deep
static sweep_result sweep_run(const iso_world *world, const sweep_level *level, const way *way_a, obstacle *b,
                              meeting *is) {
    is->s = 0;
    const int64_t gap = sweep_gap(world, &level->of, way_a, b, 0, is->axis);
    return gap <= -level->depth / 2 ? SWEEP_UNSURE : sweep_advance(world, level, way_a, b, gap, &is->s, is->axis);
}

/// Shape a, on its way, and shape b.
static meeting sweep_meet(const iso_world *world, uint32_t shape_a, const way *way_a, uint32_t shape_b,
                          const way *way_b) {
    const meeting none = {.s = MISSED, .shape = shape_a, .other = shape_b};
    meeting border = none, middle = none;
    obstacle b;
    obstacle_init(world, shape_b, way_b, &b);
    const sweep_level half = level_make(world, shape_a, 4, 0);
    if (!sweep_is_near(&half.of, way_a, &b)) {
        return none;
    }
    sweep_result result = sweep_run(world, &half, way_a, &b, &middle);
    if (result == SWEEP_MISS) {
        return none;
    }
    // With a contact they begin near each other, and it keeps them apart.
    if (pair_find_contact(world, shape_a, shape_b) == UINT32_MAX) {
        const sweep_level whole = level_make(world, shape_a, 8, 0);
        if (sweep_run(world, &whole, way_a, &b, &border) == SWEEP_HIT) {
            return border;
        }
    }
    for (int64_t eighths = 3; result == SWEEP_UNSURE && eighths > 0; --eighths) {
        const sweep_level smaller = level_make(world, shape_a, eighths, 0);
        middle.is_deep = eighths < 3;
        result = sweep_run(world, &smaller, way_a, &b, &middle);
    }
    if (result == SWEEP_UNSURE) {
        const int64_t core = iso__shl64(world->shape_derived[shape_a].core, 8);
        const sweep_level point = level_make(world, shape_a, 0, 0);
        const int64_t gap = sweep_gap(world, &point.of, way_a, &b, 0, middle.axis);
        const sweep_level smallest = level_make(world, shape_a, 0, iso__max64(iso__min64(core / 8, gap / 2), 8));
        result = gap <= 0 ? SWEEP_MISS : sweep_run(world, &smallest, way_a, &b, &middle);
    }
    return result == SWEEP_MISS ? none : middle; // the smallest disc stays where nothing is met for sure
}

/// Which of two meetings comes first. Equal times are decided by the shapes.
static bool meeting_is_before(const meeting *a, const meeting *b) {
    if (a->s != b->s) {
        return a->s < b->s;
    }
    return a->shape != b->shape ? a->shape < b->shape : a->other < b->other;
}

// ---- what a body may meet ------------------------------------------------------------------------

/// Whether a joint keeps the shapes of two bodies from colliding.
static bool pair_is_excluded(const iso__step_scratch *scratch, uint32_t a, uint32_t b) {
    const uint64_t bodies = a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a;
    uint32_t low = 0, high = scratch->excluded_count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (scratch->excluded_pairs[middle].bodies < bodies) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < scratch->excluded_count && scratch->excluded_pairs[low].bodies == bodies;
}

/// Whether the middle of b began in front of a segment a.
static bool pair_begins_in_front(const iso_world *world, uint32_t a, uint32_t b) {
    const uint32_t body = world->shapes[a].body;
    const iso__body *record = &world->bodies[body];
    way way_a = {.begin = {record->position[0], record->position[1]}, .begin_angle = record->angle};
    if (record->type != ISO_BODY_STATIC) {
        way_a = way_of(world, body);
    }
    const way way_b = way_of(world, world->shapes[b].body);
    const int32_t *middle = world->shape_derived[b].middle;
    const iso_vec2_wide v = iso__rotate_to_wide(way_rotation(&way_b, 0), middle[0], middle[1]);
    iso__hull hull;
    iso__shape_hull_turned(world, a, way_rotation(&way_a, 0), &hull);
    return iso__dot_shift(hull.normals[0][0], way_b.begin[0] + v.x - way_a.begin[0] - hull.vertices[0][0],
                          hull.normals[0][1], way_b.begin[1] + v.y - way_a.begin[1] - hull.vertices[0][1],
                          ISO__UNIT_FRACTION) > 0;
}

/// Whether b comes to a one-way shape or a segment a from its solid side.
static bool pair_meets_solid_side(const iso_world *world, uint32_t a, uint32_t b) {
    const iso__shape *shape = &world->shapes[a];
    if (shape->kind == ISO_SHAPE_SEGMENT && !pair_begins_in_front(world, a, b)) {
        return false;
    }
    int64_t solid[2];
    if (!iso__shape_one_way(world, a, solid)) {
        return true;
    }
    const int64_t *on_a = world->scratch->drifts[shape->body].moved;
    const int64_t *on_b = world->scratch->drifts[world->shapes[b].body].moved;
    return iso__dot_shift(solid[0], on_b[0] - on_a[0], solid[1], on_b[1] - on_a[1], ISO__UNIT_FRACTION) < 0;
}

/// Whether the step had a contact of them that does not push: what passes a one-way shape, or what the game let pass.
static bool pair_passes(const iso_world *world, uint32_t a, uint32_t b) {
    const iso__step_scratch *scratch = world->scratch;
    const uint32_t contact = scratch->free_count > 0 ? pair_find_contact(world, a, b) : UINT32_MAX;
    uint32_t low = 0, high = contact == UINT32_MAX ? 0 : scratch->solved_count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (scratch->solved[middle] < contact) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return contact != UINT32_MAX && low < scratch->solved_count && scratch->solved[low] == contact &&
           scratch->contact_colours[low] == ISO__COLOUR_NONE;
}

/// Whether a, which is swept, may meet b. A segment is not swept.
static bool pair_may_meet(const iso_world *world, uint32_t a, uint32_t b) {
    return world->shapes[a].kind != ISO_SHAPE_SEGMENT && iso__broad_phase_allows(world, a, b) &&
           !pair_is_excluded(world->scratch, world->shapes[a].body, world->shapes[b].body) &&
           !iso__shapes_have_sensor(world, a, b) && pair_meets_solid_side(world, a, b) &&
           pair_meets_solid_side(world, b, a) && !pair_passes(world, a, b);
}

/// What has all of a shape in it on its body's way.
static iso__way_disc disc_of(const iso_world *world, uint32_t shape, const way *is) {
    return (iso__way_disc){
        {is->begin[0], is->begin[1]}, {is->moved[0], is->moved[1]}, is->limit, shape_reach(world, shape)};
}

/// The box of all that a shape passes on its body's way. Boxes of static shapes have the same format.
static iso__box way_box(const iso_world *world, uint32_t shape, const way *is) {
    const iso__way_disc disc = disc_of(world, shape, is);
    return iso__way_disc_box(&disc);
}

/// What shape i meets first of all static shapes, if it is before `first`. Static shapes have their boxes of this step's
/// begin.
static void continuous_find_static(const iso_world *world, uint32_t i, meeting *first) {
    const iso__broad_phase *phase = world->broad_phase;
    const iso__shape *shape = &world->shapes[i];
    const way is = way_of(world, shape->body);
    const iso__box box = way_box(world, i, &is);
    iso__tree_query query;
    iso__tree_query_init(&query, &phase->stills, box, shape->group > 0 ? UINT32_MAX : shape->mask);
    uint32_t other;
    while (iso__tree_query_next(&query, &other)) {
        if (!iso__box_overlaps(&box, &phase->boxes[other]) || !pair_may_meet(world, i, other)) {
            continue;
        }
        const iso__body *on = &world->bodies[world->shapes[other].body];
        const way wall = {.begin = {on->position[0], on->position[1]}, .begin_angle = on->angle, .limit = ISO_WIDE_ONE};
        const meeting next = sweep_meet(world, i, &is, other, &wall);
        if (meeting_is_before(&next, first)) {
            *first = next;
        }
    }
}

/// Takes from a body's way what leads into another along an axis, or what turns when nothing does. Its velocity loses the
/// same unless the other is dynamic; its spin stays while it leaves the other.
static void body_stop_along(iso_world *world, uint32_t body, uint32_t other, const int32_t axis[2]) {
    iso__body *record = &world->bodies[body];
    const iso__body *on = &world->bodies[other];
    iso__drift *drift = &world->scratch->drifts[body];
    int64_t moved[2], velocity[2];
    for (int i = 0; i < 2; ++i) {
        const bool is_still = on->type == ISO_BODY_STATIC;
        moved[i] = drift->moved[i] - (is_still ? 0 : world->scratch->drifts[other].moved[i]);
        velocity[i] = (int64_t)record->velocity[i] - (is_still ? 0 : on->velocity[i]);
    }
    const int64_t back = iso__dot_shift(axis[0], moved[0], axis[1], moved[1], ISO__UNIT_FRACTION);
    const int64_t along = iso__round_shift(velocity[0] * axis[0] + velocity[1] * axis[1], ISO__UNIT_FRACTION);
    for (int i = 0; i < 2; ++i) {
        const int64_t by = iso__mul_shift(iso__max64(back, 0), axis[i], ISO__UNIT_FRACTION);
        drift->moved[i] -= by;
        record->position[i] -= by;
        if (along > 0 && on->type != ISO_BODY_DYNAMIC) {
            const int64_t rest = record->velocity[i] - iso__round_shift(along * axis[i], ISO__UNIT_FRACTION);
            record->velocity[i] = (int32_t)iso__clamp64(rest, -SPEED_MAX, SPEED_MAX);
        }
    }
    if (back <= 0 && world->body_derived[body].swing != 0) { // it turns into it
        record->angle = way_of(world, body).begin_angle;
        record->spin = back > -DEPTH_MIN ? 0 : record->spin;
        drift->turned = 0;
        iso__body_update_rotation(world, body);
    }
    iso__body_lock(record);
}

/// What a body's shapes meet first of all static ones.
static meeting continuous_first_static(const iso_world *world, uint32_t body) {
    meeting first = {.s = MISSED, .shape = UINT32_MAX};
    for (uint32_t i = world->body_derived[body].first_shape; i != UINT32_MAX; i = world->shape_derived[i].next_shape) {
        continuous_find_static(world, i, &first);
    }
    return first;
}

static void continuous_meet_static(iso_world *world, uint32_t body) {
    meeting first = continuous_first_static(world, body);
    for (int n = 0; n < STOPS_MAX && first.s < ISO_WIDE_ONE && first.is_deep; ++n) {
        body_stop_along(world, body, world->shapes[first.other].body, first.axis);
        first = continuous_first_static(world, body);
    }
    world->scratch->limits[body] = iso__min64(first.s, ISO_WIDE_ONE);
    if (first.s < ISO_WIDE_ONE && first.is_deep) { // wedged
        world->bodies[body].velocity[0] = world->bodies[body].velocity[1] = 0;
    }
}

/// Lists the shapes that bullets may meet, by ascending index, with the boxes of their ways: those that are not static.
/// No tree has them where they are now.
static void continuous_list_targets(iso_world *world) {
    iso__step_scratch *scratch = world->scratch;
    scratch->target_count = 0;
    for (uint32_t i = 0; i < world->globals->shape_count; ++i) {
        const uint32_t body = world->shapes[i].body;
        if (world->shapes[i].kind != 0 && world->bodies[body].type != ISO_BODY_STATIC) {
            const way is = way_of(world, body);
            scratch->targets[scratch->target_count] = i;
            scratch->target_boxes[scratch->target_count++] = way_box(world, i, &is);
        }
    }
}

/// The boxes of a target's ways after its body got another way.
static void continuous_list_again(iso_world *world, uint32_t body) {
    iso__step_scratch *scratch = world->scratch;
    const way is = way_of(world, body);
    for (uint32_t i = world->body_derived[body].first_shape; i != UINT32_MAX; i = world->shape_derived[i].next_shape) {
        uint32_t low = 0, high = scratch->target_count;
        while (low < high) {
            const uint32_t middle = low + (high - low) / 2;
            if (scratch->targets[middle] < i) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        ISO_ASSERT(low < scratch->target_count && scratch->targets[low] == i);
        scratch->target_boxes[low] = way_box(world, i, &is);
    }
}

/// A shape of a bullet, on the bullet's way, and what it has met first so far.
typedef struct bullet {
    way is; // its limit is where it met
    uint32_t shape;
    bool has_stopped; // it leads into nothing any more in which it began deep: what still meets is the other's motion
    meeting first;    // its s is MISSED: none
    iso__way_disc disc;
    iso__box box;
} bullet;

static bool bullet_is_near(const iso_world *world, const bullet *a, uint32_t target, iso__way_disc *disc, way *on) {
    const uint32_t shape = world->scratch->targets[target];
    if (!iso__box_overlaps(&a->box, &world->scratch->target_boxes[target])) {
        return false;
    }
    *on = way_of(world, world->shapes[shape].body);
    *disc = disc_of(world, shape, on);
    return iso__way_discs_may_meet(&a->disc, disc);
}

static void bullet_meet(const iso_world *world, bullet *a, uint32_t target) {
    const uint32_t other = world->scratch->targets[target];
    way on;
    iso__way_disc disc;
    if (!bullet_is_near(world, a, target, &disc, &on)) {
        return;
    }
    const meeting next = sweep_meet(world, a->shape, &a->is, other, &on);
    if (next.s < a->is.limit && !(a->has_stopped && next.is_deep)) { // of equal ones the first
        a->first = next;
        a->disc.limit = a->is.limit = next.s;
        a->box = iso__way_disc_box(&a->disc);
    }
}

/// Sweeps first what is nearest when the step begins, then the others by ascending index: where it meets the first one
/// most of them are out of reach.
static void bullet_meet_all(const iso_world *world, bullet *a) {
    const iso__step_scratch *scratch = world->scratch;
    uint32_t near_count = 0, nearest = 0;
    int64_t least = INT64_MAX;
    a->disc = disc_of(world, a->shape, &a->is);
    a->box = iso__way_disc_box(&a->disc);
    for (uint32_t n = 0; n < scratch->target_count; ++n) {
        way on;
        iso__way_disc disc;
        if (bullet_is_near(world, a, n, &disc, &on) && pair_may_meet(world, a->shape, scratch->targets[n])) {
            const uint64_t apart =
                iso__abs_u64(disc.begin[0] - a->disc.begin[0]) + iso__abs_u64(disc.begin[1] - a->disc.begin[1]);
            const int64_t distance = (int64_t)apart - disc.reach;
            nearest = distance < least ? near_count : nearest;
            least = iso__min64(distance, least);
            scratch->near_targets[near_count++] = n;
        }
    }
    if (near_count > 0) {
        bullet_meet(world, a, scratch->near_targets[nearest]);
    }
    for (uint32_t n = 0; n < near_count; ++n) {
        if (n != nearest) {
            bullet_meet(world, a, scratch->near_targets[n]);
        }
    }
}

/// What a bullet's shapes meet first, within its limit. The boxes of the targets are those of the ways as far as they went
/// before: those that since are shorter are within.
static meeting continuous_first_moving(const iso_world *world, uint32_t body, bool has_stopped) {
    bullet a = {.is = way_of(world, body), .has_stopped = has_stopped, .first = {.s = MISSED, .shape = UINT32_MAX}};
    for (uint32_t i = world->body_derived[body].first_shape; i != UINT32_MAX; i = world->shape_derived[i].next_shape) {
        a.shape = i;
        bullet_meet_all(world, &a);
    }
    return a.first;
}

static void continuous_meet_moving(iso_world *world, uint32_t body) {
    iso__step_scratch *scratch = world->scratch;
    meeting first = continuous_first_moving(world, body, false);
    for (int n = 0; n < STOPS_MAX && first.s != MISSED && first.is_deep; ++n) {
        body_stop_along(world, body, world->shapes[first.other].body, first.axis);
        continuous_meet_static(world, body); // its way is another
        continuous_list_again(world, body);
        first = continuous_first_moving(world, body, n + 1 == STOPS_MAX);
    }
    if (first.s == MISSED) {
        return;
    }
    const uint32_t met = world->shapes[first.other].body;
    scratch->limits[body] = first.s;
    if (world->bodies[met].type == ISO_BODY_DYNAMIC && iso__body_is_moving(world, met)) {
        scratch->limits[met] = iso__min64(scratch->limits[met], first.s);
    }
}

// ---- the stage -----------------------------------------------------------------------------------

/// Kinematic bodies have no kind of motion.
static inline bool body_is_fast(const iso_world *world, uint32_t body) {
    const iso__body_derived *derived = &world->body_derived[body];
    const iso__motion *motion = &world->scratch->motions[body];
    uint64_t moved = iso__abs_u64(motion->moved[0]) + iso__abs_u64(motion->moved[1]);
    if (derived->swing != 0) {
        moved += (iso__abs_u64(motion->turned) * (uint64_t)derived->swing) >> (24 + derived->radius_exponent);
    }
    return 2 * moved > (uint64_t)derived->core && derived->core > 0 && motion->kind != 0 &&
           motion->kind != ISO__MOTION_GONE;
}

static void continuous_put_back(iso_world *world, uint32_t body) {
    const iso__step_params *params = &world->scratch->params;
    const way is = way_of(world, body);
    iso__body *record = &world->bodies[body];
    for (int axis = 0; axis < 2; ++axis) {
        // Q12.19 of a substep times Q15.16, then times a fraction of Q.32; at most 16 times 1,667 m/s, then clamped.
        const int64_t fall = iso__round_shift((int64_t)params->gravity[axis] * record->gravity_scale, 16);
        const int64_t rest = iso__mul_shift(fall * params->substep_count, ISO_WIDE_ONE - is.limit, 32);
        record->velocity[axis] = (int32_t)iso__clamp64(record->velocity[axis] - rest, -SPEED_MAX, SPEED_MAX);
    }
    iso__body_lock(record);
    way_place(&is, is.limit, record->position);
    record->angle = way_angle(&is, is.limit);
    iso__body_update_rotation(world, body);
}

void iso__step_continuous(iso_world *world) {
    iso__step_scratch *scratch = world->scratch;
    ISO_ASSERT(scratch->moving_count <= world->globals->body_count);
    const bool has_still = world->broad_phase->stills.root != ISO__TREE_NULL;
    bool has_fast = false, has_bullet = false;
    for (uint32_t m = 0; m < scratch->moving_count; ++m) {
        const uint32_t i = scratch->moving[m];
        scratch->limits[i] = ISO_WIDE_ONE;
        if (body_is_fast(world, i)) {
            has_fast = true;
            has_bullet = has_bullet || (world->bodies[i].flags & ISO__BODY_BULLET) != 0;
            if (has_still) {
                continuous_meet_static(world, i);
            }
        }
    }
    if (has_bullet) {
        continuous_list_targets(world);
    }
    for (uint32_t m = 0; m < scratch->moving_count && has_bullet; ++m) {
        const uint32_t i = scratch->moving[m];
        if ((world->bodies[i].flags & ISO__BODY_BULLET) && body_is_fast(world, i)) {
            continuous_meet_moving(world, i);
        }
    }
    for (uint32_t m = 0; m < scratch->moving_count && has_fast; ++m) {
        if (scratch->limits[scratch->moving[m]] < ISO_WIDE_ONE) {
            continuous_put_back(world, scratch->moving[m]);
        }
    }
}
