/// Continuous collision: fast bodies stop where they meet a wall, and the next step's contacts do the rest.
///
/// The core of a shape is the largest disc about the mean of its vertices, its middle, that its faces allow. A body is
/// fast when in this step a point of it may have moved by more than half of its smallest core's radius: slower ones do
/// not pass what their borders have not passed before.
/// The way of a body goes straight from its place when the step began to its place now, and turns evenly; the fraction
/// s of it runs from 0 to 1. The earliest s at which a shape of the body has met a static one is the body's limit, and
/// the pose there becomes its pose. What is swept of a shape: sweep.c.
///
/// The velocity is put back as well, by what gravity added in the rest of the step: otherwise the body would have
/// gained the height for nothing. The contacts of the next step take it. But where a copy of two eighths or less met,
/// they have not held the body. Were it only put back, the next steps would do the same, and it would stay there
/// whatever its velocity is. So what leads into the wall is taken from its way and its velocity, and then what turns
/// into it, and it goes on along the wall. With three eighths, bodies that bounce would lose energy to this.
///
/// Bullets that are fast, in the order of their indices, then do the same with all shapes that are not static. Each of
/// two bodies goes along its way until its limit. Where they meet is the bullet's new limit, and that of the other if
/// it is dynamic and moves; velocities stay. From what began deep in another only its way along the axis is taken,
/// against the other's: both may be pressed together for long.
///
/// Order and history: limits against static shapes depend on one body each. The tree only saves work: of what it finds,
/// the exact boxes decide, the earliest meeting wins, and of equal ones that of the lower shapes.
///
/// Ranges: ways are below 2^7 m along each axis, places within 2^15 m, so all sums stay below 2^50; products have 128
/// bits.
#include "plane/dynamics/continuous.h"

#include "base/assert.h"
#include "math/fixed_ops.h"
#include "math/wide128.h"
#include "plane/dynamics/broad_phase.h"
#include "plane/dynamics/may_meet.h"
#include "plane/dynamics/sweep.h"
#include "plane/dynamics/way.h"
#include "plane/dynamics/way_disc.h"
#include "plane/world/body.h"
#include "plane/world/body_mass.h"
#include "plane/world/scratch.h"
#include "solver/parallel.h"

#define BODY_GRAIN 512u // bodies to look at of about 1 us: what it takes to hand them to another thread
#define STOPS_MAX  4    // what of its way is taken from a body that began deep: along two walls, and what turns
#define SPEED_MAX  (ISO_SPEED_MAX_M_S * ISO__VEL_ONE)

/// What has all of a shape in it on its body's way.
static iso__plane_way_disc disc_of(const iso__plane *plane, uint32_t shape, const iso__plane_way *is) {
    return (iso__plane_way_disc){
        {is->begin[0], is->begin[1]}, {is->moved[0], is->moved[1]}, is->limit, iso__plane_way_reach(plane, shape)};
}

/// The box of all that a shape passes on its body's way. Boxes of static shapes have the same format.
static iso__plane_box way_box(const iso__plane *plane, uint32_t shape, const iso__plane_way *is) {
    const iso__plane_way_disc disc = disc_of(plane, shape, is);
    return iso__plane_way_disc_box(&disc);
}

/// What shape i meets first of all static shapes, if it is before `first`. Static shapes have their boxes of this
/// step's begin.
static void continuous_find_static(const iso__plane *plane, uint32_t i, iso__plane_meeting *first) {
    const iso__plane_broad_phase *phase = plane->broad_phase;
    const iso__plane_shape *shape = &plane->shapes[i];
    const iso__plane_way is = iso__plane_way_of(plane, shape->body);
    const iso__plane_box box = way_box(plane, i, &is);
    iso__plane_tree_query query;
    iso__plane_tree_query_init(&query, &phase->stills, box, shape->group > 0 ? UINT32_MAX : shape->mask);
    uint32_t other;
    while (iso__plane_tree_query_next(&query, &other)) {
        if (!iso__plane_box_overlaps(&box, &phase->boxes[other]) || !iso__plane_shapes_may_meet(plane, i, other)) {
            continue;
        }
        const iso__plane_body *on = &plane->bodies[plane->shapes[other].body];
        const iso__plane_way wall = {
            .begin = {on->position[0], on->position[1]}, .begin_angle = on->angle, .limit = ISO_WIDE_ONE};
        const iso__plane_meeting next = iso__plane_sweep_meet(plane, i, &is, other, &wall);
        if (iso__plane_meeting_is_before(&next, first)) {
            *first = next;
        }
    }
}

/// Takes from a body's way what leads into another along an axis, or what turns when nothing does. Its velocity loses
/// the same unless the other is dynamic; its spin stays while it leaves the other.
static void body_stop_along(iso__plane *plane, uint32_t body, uint32_t other, const int32_t axis[2]) {
    iso__plane_body *record = &plane->bodies[body];
    const iso__plane_body *on = &plane->bodies[other];
    iso__plane_drift *drift = &plane->scratch->drifts[body];
    int64_t moved[2], velocity[2];
    for (int i = 0; i < 2; ++i) {
        const bool is_still = on->type == ISO_BODY_STATIC;
        moved[i] = drift->moved[i] - (is_still ? 0 : plane->scratch->drifts[other].moved[i]);
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
    if (back <= 0 && plane->body_derived[body].swing != 0) { // it turns into it
        record->angle = iso__plane_way_of(plane, body).begin_angle;
        record->spin = back > -ISO__PLANE_SWEEP_DEPTH_MIN ? 0 : record->spin;
        drift->turned = 0;
        iso__plane_body_update_rotation(plane, body);
    }
    iso__plane_body_lock(record);
}

/// What a body's shapes meet first of all static ones.
static iso__plane_meeting continuous_first_static(const iso__plane *plane, uint32_t body) {
    iso__plane_meeting first = {.s = ISO__PLANE_MEETING_MISSED, .shape = UINT32_MAX};
    for (uint32_t i = plane->body_derived[body].first_shape; i != UINT32_MAX; i = plane->shape_derived[i].next_shape) {
        continuous_find_static(plane, i, &first);
    }
    return first;
}

static void continuous_meet_static(iso__plane *plane, uint32_t body) {
    iso__plane_meeting first = continuous_first_static(plane, body);
    for (int n = 0; n < STOPS_MAX && first.s < ISO_WIDE_ONE && first.is_deep; ++n) {
        body_stop_along(plane, body, plane->shapes[first.other].body, first.axis);
        first = continuous_first_static(plane, body);
    }
    plane->scratch->limits[body] = iso__min64(first.s, ISO_WIDE_ONE);
    if (first.s < ISO_WIDE_ONE && first.is_deep) { // wedged
        plane->bodies[body].velocity[0] = plane->bodies[body].velocity[1] = 0;
    }
}

/// Lists the shapes that bullets may meet, by ascending index, with the boxes of their ways: those that are not static.
/// No tree has them where they are now.
static void continuous_list_targets(iso__plane *plane) {
    iso__plane_step_scratch *scratch = plane->scratch;
    scratch->target_count = 0;
    for (uint32_t i = 0; i < plane->world.globals->shape_count; ++i) {
        const uint32_t body = plane->shapes[i].body;
        if (plane->shapes[i].kind != 0 && plane->bodies[body].type != ISO_BODY_STATIC) {
            const iso__plane_way is = iso__plane_way_of(plane, body);
            scratch->targets[scratch->target_count] = i;
            scratch->target_boxes[scratch->target_count++] = way_box(plane, i, &is);
        }
    }
}

/// The boxes of a target's ways after its body got another way.
static void continuous_list_again(iso__plane *plane, uint32_t body) {
    iso__plane_step_scratch *scratch = plane->scratch;
    const iso__plane_way is = iso__plane_way_of(plane, body);
    for (uint32_t i = plane->body_derived[body].first_shape; i != UINT32_MAX; i = plane->shape_derived[i].next_shape) {
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
        scratch->target_boxes[low] = way_box(plane, i, &is);
    }
}

/// A shape of a bullet, on the bullet's way, and what it has met first so far.
typedef struct bullet {
    iso__plane_way is; // its limit is where it met
    uint32_t shape;
    bool has_stopped; // it leads into nothing any more in which it began deep: what still meets is the other's motion
    iso__plane_meeting first; // its s is MISSED: none
    iso__plane_way_disc disc;
    iso__plane_box box;
} bullet;

static bool bullet_is_near(const iso__plane *plane, const bullet *a, uint32_t target, iso__plane_way_disc *disc,
                           iso__plane_way *on) {
    const uint32_t shape = plane->scratch->targets[target];
    if (!iso__plane_box_overlaps(&a->box, &plane->scratch->target_boxes[target])) {
        return false;
    }
    *on = iso__plane_way_of(plane, plane->shapes[shape].body);
    *disc = disc_of(plane, shape, on);
    return iso__plane_way_discs_may_meet(&a->disc, disc);
}

static void bullet_meet(const iso__plane *plane, bullet *a, uint32_t target) {
    const uint32_t other = plane->scratch->targets[target];
    iso__plane_way on;
    iso__plane_way_disc disc;
    if (!bullet_is_near(plane, a, target, &disc, &on)) {
        return;
    }
    const iso__plane_meeting next = iso__plane_sweep_meet(plane, a->shape, &a->is, other, &on);
    if (next.s < a->is.limit && !(a->has_stopped && next.is_deep)) { // of equal ones the first
        a->first = next;
        a->disc.limit = a->is.limit = next.s;
        a->box = iso__plane_way_disc_box(&a->disc);
    }
}

/// Sweeps first what is nearest when the step begins, then the others by ascending index: where it meets the first one
/// most of them are out of reach.
static void bullet_meet_all(const iso__plane *plane, bullet *a) {
    const iso__plane_step_scratch *scratch = plane->scratch;
    uint32_t near_count = 0, nearest = 0;
    int64_t least = INT64_MAX;
    a->disc = disc_of(plane, a->shape, &a->is);
    a->box = iso__plane_way_disc_box(&a->disc);
    for (uint32_t n = 0; n < scratch->target_count; ++n) {
        iso__plane_way on;
        iso__plane_way_disc disc;
        if (bullet_is_near(plane, a, n, &disc, &on) &&
            iso__plane_shapes_may_meet(plane, a->shape, scratch->targets[n])) {
            const uint64_t apart =
                iso__abs_u64(disc.begin[0] - a->disc.begin[0]) + iso__abs_u64(disc.begin[1] - a->disc.begin[1]);
            const int64_t distance = (int64_t)apart - disc.reach;
            nearest = distance < least ? near_count : nearest;
            least = iso__min64(distance, least);
            scratch->near_targets[near_count++] = n;
        }
    }
    if (near_count > 0) {
        bullet_meet(plane, a, scratch->near_targets[nearest]);
    }
    for (uint32_t n = 0; n < near_count; ++n) {
        if (n != nearest) {
            bullet_meet(plane, a, scratch->near_targets[n]);
        }
    }
}

/// What a bullet's shapes meet first, within its limit. The boxes of the targets are those of the ways as far as they
/// went before: those that since are shorter are within.
static iso__plane_meeting continuous_first_moving(const iso__plane *plane, uint32_t body, bool has_stopped) {
    bullet a = {.is = iso__plane_way_of(plane, body),
                .has_stopped = has_stopped,
                .first = {.s = ISO__PLANE_MEETING_MISSED, .shape = UINT32_MAX}};
    for (uint32_t i = plane->body_derived[body].first_shape; i != UINT32_MAX; i = plane->shape_derived[i].next_shape) {
        a.shape = i;
        bullet_meet_all(plane, &a);
    }
    return a.first;
}

static void continuous_meet_moving(iso__plane *plane, uint32_t body) {
    iso__plane_step_scratch *scratch = plane->scratch;
    iso__plane_meeting first = continuous_first_moving(plane, body, false);
    for (int n = 0; n < STOPS_MAX && first.s != ISO__PLANE_MEETING_MISSED && first.is_deep; ++n) {
        body_stop_along(plane, body, plane->shapes[first.other].body, first.axis);
        continuous_meet_static(plane, body); // its way is another
        continuous_list_again(plane, body);
        first = continuous_first_moving(plane, body, n + 1 == STOPS_MAX);
    }
    if (first.s == ISO__PLANE_MEETING_MISSED) {
        return;
    }
    const uint32_t met = plane->shapes[first.other].body;
    scratch->limits[body] = first.s;
    if (plane->bodies[met].type == ISO_BODY_DYNAMIC && iso__plane_body_is_moving(plane, met)) {
        scratch->limits[met] = iso__min64(scratch->limits[met], first.s);
    }
}

// ---- the stage -----------------------------------------------------------------------------------

/// Kinematic bodies have no kind of motion.
static inline bool body_is_fast(const iso__plane *plane, uint32_t body) {
    const iso__plane_body_derived *derived = &plane->body_derived[body];
    const iso__plane_motion *motion = &plane->scratch->motions[body];
    uint64_t moved = iso__abs_u64(motion->moved[0]) + iso__abs_u64(motion->moved[1]);
    if (derived->swing != 0) {
        moved += (iso__abs_u64(motion->turned) * (uint64_t)derived->swing) >> (24 + derived->radius_exponent);
    }
    return 2 * moved > (uint64_t)derived->core && derived->core > 0 && motion->kind != 0 &&
           motion->kind != ISO__PLANE_MOTION_GONE;
}

static void continuous_put_back(iso__plane *plane, uint32_t body) {
    const iso__step_params *params = &plane->scratch->params;
    const iso__plane_way is = iso__plane_way_of(plane, body);
    iso__plane_body *record = &plane->bodies[body];
    for (int axis = 0; axis < 2; ++axis) {
        // Q12.19 of a substep times Q15.16, then times a fraction of Q.32; at most 16 times 1,667 m/s, then clamped.
        const int64_t fall = iso__round_shift((int64_t)params->gravity[axis] * record->gravity_scale, 16);
        const int64_t rest = iso__mul_shift(fall * params->substep_count, ISO_WIDE_ONE - is.limit, 32);
        record->velocity[axis] = (int32_t)iso__clamp64(record->velocity[axis] - rest, -SPEED_MAX, SPEED_MAX);
    }
    iso__plane_body_lock(record);
    iso__plane_way_place(&is, is.limit, record->position);
    record->angle = iso__plane_way_angle(&is, is.limit);
    iso__plane_body_update_rotation(plane, body);
}

/// Lets the moving bodies from begin on go all of their way, and counts the fast ones.
static void continuous_count_fast(iso_world *world, void *data, uint32_t begin, uint32_t end) {
    iso__plane *plane = iso__plane_of(world);
    const iso__plane_step_scratch *scratch = plane->scratch;
    uint64_t count = 0;
    for (uint32_t m = begin; m < end; ++m) {
        scratch->limits[scratch->moving[m]] = ISO_WIDE_ONE;
        count += body_is_fast(plane, scratch->moving[m]);
    }
    iso__count_shared(data, count);
}

void iso__plane_step_continuous(iso__plane *plane) {
    iso__plane_step_scratch *scratch = plane->scratch;
    ISO_ASSERT(scratch->moving_count <= plane->world.globals->body_count);
    const bool has_still = plane->broad_phase->stills.root != ISO__PLANE_TREE_NULL;
    uint64_t fast_count = 0;
    iso__parallel_for(&plane->world, 0, scratch->moving_count, BODY_GRAIN, continuous_count_fast, &fast_count);
    bool has_bullet = false;
    for (uint32_t m = 0; m < scratch->moving_count && fast_count > 0; ++m) {
        const uint32_t i = scratch->moving[m];
        if (body_is_fast(plane, i)) {
            has_bullet = has_bullet || (plane->bodies[i].flags & ISO__PLANE_BODY_BULLET) != 0;
            if (has_still) {
                continuous_meet_static(plane, i);
            }
        }
    }
    if (has_bullet) {
        continuous_list_targets(plane);
    }
    for (uint32_t m = 0; m < scratch->moving_count && has_bullet; ++m) {
        const uint32_t i = scratch->moving[m];
        if ((plane->bodies[i].flags & ISO__PLANE_BODY_BULLET) && body_is_fast(plane, i)) {
            continuous_meet_moving(plane, i);
        }
    }
    for (uint32_t m = 0; m < scratch->moving_count && fast_count > 0; ++m) {
        if (scratch->limits[scratch->moving[m]] < ISO_WIDE_ONE) {
            continuous_put_back(plane, scratch->moving[m]);
        }
    }
}
