/// Continuous collision in space: fast bodies stop where they meet a wall, and the next step's contacts do the rest.
/// The rules are those of the plane, which plane/dynamics/continuous.c gives reasons for.
///
/// A body is fast when in this step a point of it may have moved by more than half of its smallest core's radius; a
/// core is the largest ball about the mean of a shape's vertices that its faces allow. The way of a body goes straight
/// from its place when the step began to its place now, and turns evenly about one axis. The earliest fraction s of it
/// at which a shape of the body has met a static one is the body's limit, and the pose there becomes its pose.
/// Velocities stay, but for what gravity added in the rest of the step. What began deep loses of its way and velocity
/// what leads into the wall.
///
/// Bullets that are fast, in the order of their indices, then do the same with all shapes that are not static. Where
/// two bodies meet is the bullet's new limit, and that of the other if it is dynamic and moves. After BULLET_SWEEPS_MAX
/// sweeps of a tick the rest of the bullets only meet what is static: a heap of them that a member makes must not stop
/// the session.
///
/// Fields of heights are solid far below their surface, so that what gets into them comes out above again; but what is
/// fast could pass a ridge from one side to the other. It meets the prisms below the triangles that its way comes near,
/// as many of them as ISO__SPACE_HEIGHTS_WORK_MAX allows in a tick: what is left then passes.
///
/// What a fast body may meet is found by comparing its way's box with those of all obstacles. The earliest meeting
/// wins, and of equal ones that of the lower shapes.
#include "space/dynamics/continuous.h"

#include <string.h>

#include "base/assert.h"
#include "isostep/body3.h"
#include "math/quat.h"
#include "space/collide/piece.h"
#include "space/dynamics/contact_rules.h"
#include "space/dynamics/pairs.h"
#include "space/dynamics/sweep.h"
#include "space/world/body_mass.h"

#define BULLET_SWEEPS_MAX 2048
#define STOPS_MAX         4 // what of its way is taken from a body that began deep: along two walls, and what turns
#define SPEED_MAX         (ISO_SPEED3_MAX_M_S * ISO__VEL_ONE)
#define POSITION_MAX      (ISO_POSITION_MAX_M * ISO_WIDE_ONE)

static bool body_is_bullet(const iso__space *space, uint32_t body) {
    return (iso__space_body_flags(&space->bodies[body]) & ISO__SPACE_BODY_BULLET) != 0;
}

static bool shape_is_static(const iso__space *space, uint32_t shape) {
    return space->bodies[space->shapes[shape].body].type == ISO_BODY_STATIC;
}

/// Lists what may be met, by ascending index. Static shapes have their boxes of this step's begin.
/// @param has_bullet  whether the others count, too
static void continuous_list_obstacles(iso__space *space, bool has_bullet) {
    iso__space_scratch *scratch = space->scratch;
    scratch->obstacle_count = 0;
    for (uint32_t i = 0; i < space->world.globals->shape_count; ++i) {
        if (space->shapes[i].kind == 0) {
            continue;
        }
        const uint32_t at = scratch->obstacle_count;
        if (shape_is_static(space, i)) {
            scratch->obstacle_boxes[at] = scratch->boxes[i];
        } else if (has_bullet) {
            const iso__space_way is = iso__space_way_of(space, space->shapes[i].body);
            scratch->obstacle_boxes[at] = iso__space_way_box(space, i, &is);
        } else {
            continue;
        }
        scratch->obstacles[at] = i;
        scratch->obstacle_count = at + 1;
    }
}

/// What a shape meets first on its body's way, if it is before `first`: of the static shapes, or of the others.
/// @param passes_deep  what leads into something in which it began deep is none
static void continuous_find(const iso__space *space, uint32_t shape, bool is_static, bool passes_deep,
                            iso__space_way *is, iso__space_meeting *first) {
    const iso__space_scratch *scratch = space->scratch;
    iso__space_box box = iso__space_way_box(space, shape, is);
    for (uint32_t n = 0; n < scratch->obstacle_count; ++n) {
        const uint32_t other = scratch->obstacles[n];
        if (!iso__space_box_overlaps(&box, &scratch->obstacle_boxes[n]) || shape_is_static(space, other) != is_static ||
            !iso__space_pairs_push(space, shape, other) || iso__space_shapes_pass(space, shape, other)) {
            continue;
        }
        const iso__space_way on = iso__space_way_of(space, space->shapes[other].body);
        space->scratch->sweep_count += 1;
        const iso__space_meeting next = iso__space_sweep_meet(space, shape, is, other, &on);
        const bool counts = next.s != ISO__SPACE_MEETING_MISSED && !(passes_deep && next.is_deep);
        if (counts && iso__space_meeting_is_before(&next, first)) {
            *first = next;
            is->limit = is_static ? is->limit : next.s; // what is behind that is out of reach
            box = iso__space_way_box(space, shape, is);
        }
    }
}

static iso__space_meeting continuous_first(const iso__space *space, uint32_t body, bool is_static, bool passes_deep) {
    iso__space_meeting first = {.s = ISO__SPACE_MEETING_MISSED, .shape = UINT32_MAX};
    iso__space_way is = iso__space_way_of(space, body);
    for (uint32_t i = space->body_derived[body].first_shape; i != UINT32_MAX; i = space->shape_derived[i].next_shape) {
        if (space->shape_derived[i].core > 0) {
            continuous_find(space, i, is_static, passes_deep, &is, &first);
        }
    }
    return first;
}

/// The angular velocity stays, as where a body is placed: about other axes the same momentum is another spin, of a thin
/// body one beyond all bounds.
static void body_set_rotation(iso__space *space, uint32_t body, const int32_t q[4]) {
    iso__space_body *record = &space->bodies[body];
    int32_t rotation[4] = {q[0], q[1], q[2], q[3]}, spin[3];
    iso__quat_canonical(rotation);
    if (memcmp(rotation, record->rotation, sizeof rotation) == 0) {
        return;
    }
    iso__space_body_spin(record, &space->body_derived[body], spin);
    memcpy(record->rotation, rotation, sizeof rotation);
    iso__space_body_turn(space, body);
    iso__space_body_momentum(&space->body_derived[body], spin, record->momentum);
}

/// Takes from a body's way what leads into another along an axis, or what turns when nothing does. Its velocity loses
/// the same unless the other is dynamic; its spin stays while it leaves the other.
static void body_stop_along(iso__space *space, uint32_t body, uint32_t other, const int32_t axis[3]) {
    iso__space_body *record = &space->bodies[body];
    const iso__space_body *on = &space->bodies[other];
    const iso__space_way is = iso__space_way_of(space, body), at = iso__space_way_of(space, other);
    int64_t moved[3], along = 0;
    for (int i = 0; i < 3; ++i) {
        moved[i] = is.moved[i] - at.moved[i];
        const int64_t speed = (int64_t)record->velocity[i] - (on->type == ISO_BODY_STATIC ? 0 : on->velocity[i]);
        along += speed * axis[i];
    }
    const int64_t back = iso__space_piece_along(axis, moved);
    along = iso__round_shift(along, ISO__UNIT_FRACTION);
    for (int i = 0; i < 3; ++i) {
        // What a body by the border of the world runs into may push it.
        const int64_t place = record->position[i] - iso__mul_shift(iso__max64(back, 0), axis[i], ISO__UNIT_FRACTION);
        record->position[i] = iso__clamp64(place, -POSITION_MAX, POSITION_MAX);
        if (along > 0 && on->type != ISO_BODY_DYNAMIC) {
            const int64_t rest = record->velocity[i] - iso__round_shift(along * axis[i], ISO__UNIT_FRACTION);
            record->velocity[i] = (int32_t)iso__clamp64(rest, -SPEED_MAX, SPEED_MAX);
        }
    }
    if (back <= 0 && is.turn != 0) { // it turns into it
        body_set_rotation(space, body, is.begin_q);
        for (int i = 0; i < 3 && back > -ISO__SPACE_SWEEP_DEPTH_MIN; ++i) {
            record->momentum[i] = 0;
        }
    }
    iso__space_body_lock(record, &space->body_derived[body]);
}

static void continuous_meet_static(iso__space *space, uint32_t body) {
    iso__space_meeting first = continuous_first(space, body, true, false);
    for (int n = 0; n < STOPS_MAX && first.s < ISO_WIDE_ONE && first.is_deep; ++n) {
        body_stop_along(space, body, space->shapes[first.other].body, first.axis);
        first = continuous_first(space, body, true, false);
    }
    space->scratch->drifts[body].limit = iso__min64(first.s, ISO_WIDE_ONE);
    for (int i = 0; i < 3 && first.s < ISO_WIDE_ONE && first.is_deep; ++i) { // wedged
        space->bodies[body].velocity[i] = 0;
    }
}

/// The boxes of a body's shapes among the obstacles after it got another way. Of those that became shorter, the old
/// ones will do.
static void continuous_list_again(iso__space *space, uint32_t body) {
    const iso__space_way is = iso__space_way_of(space, body);
    for (uint32_t n = 0; n < space->scratch->obstacle_count; ++n) {
        const uint32_t shape = space->scratch->obstacles[n];
        if (space->shapes[shape].body == body) {
            space->scratch->obstacle_boxes[n] = iso__space_way_box(space, shape, &is);
        }
    }
}

static void continuous_meet_moving(iso__space *space, uint32_t body) {
    iso__space_drift *drifts = space->scratch->drifts;
    iso__space_meeting first = continuous_first(space, body, false, false);
    for (int n = 0; n < STOPS_MAX && first.s != ISO__SPACE_MEETING_MISSED && first.is_deep; ++n) {
        body_stop_along(space, body, space->shapes[first.other].body, first.axis);
        drifts[body].limit = ISO_WIDE_ONE;
        continuous_meet_static(space, body); // its way is another
        continuous_list_again(space, body);
        first = continuous_first(space, body, false, n + 1 == STOPS_MAX);
    }
    if (first.s == ISO__SPACE_MEETING_MISSED) {
        return;
    }
    const uint32_t met = space->shapes[first.other].body;
    drifts[body].limit = iso__min64(drifts[body].limit, first.s);
    if (space->bodies[met].type == ISO_BODY_DYNAMIC && iso__bit_is_set(space->scratch->moving_bits, met)) {
        drifts[met].limit = iso__min64(drifts[met].limit, first.s);
    }
}

// ---- the stage -----------------------------------------------------------------------------------

/// Whether a point of a dynamic body may have moved by more than half of its core's radius.
static bool body_is_fast(const iso__space *space, uint32_t body) {
    const iso__space_body_derived *derived = &space->body_derived[body];
    const iso__space_motion *motion = &space->scratch->motions[body];
    uint64_t moved = 0, turned = 0;
    for (int axis = 0; axis < 3; ++axis) {
        moved += iso__abs_u64(motion->moved[axis]);
        turned += iso__abs_u64(motion->turned[axis]);
    }
    if (derived->swing != 0) {
        moved += (turned * (uint64_t)derived->swing) >> (24 + derived->radius_exponent);
    }
    return motion->is_dynamic && derived->core > 0 && 2 * moved > (uint64_t)derived->core;
}

static void continuous_put_back(iso__space *space, uint32_t body) {
    const iso__globals *globals = space->world.globals;
    const int32_t gravity[3] = {globals->gravity[0], globals->gravity[1], globals->gravity_z};
    const iso__space_way is = iso__space_way_of(space, body);
    iso__space_body *record = &space->bodies[body];
    for (int axis = 0; axis < 3; ++axis) {
        // Q15.16 to Q12.19, times a scale in Q15.16; then the share of a second that is left, Q.32.
        const int64_t a_second = iso__round_shift((int64_t)gravity[axis] * 8 * record->gravity_scale, 16);
        const int64_t fall =
            iso__div_round64(iso__mul_shift(a_second, ISO_WIDE_ONE - is.limit, 32), space->world.def.tick_rate_hz);
        record->velocity[axis] = (int32_t)iso__clamp64(record->velocity[axis] - fall, -SPEED_MAX, SPEED_MAX);
    }
    int32_t q[4];
    iso__space_way_place(&is, is.limit, record->position);
    iso__space_way_rotation(&is, is.limit, q);
    body_set_rotation(space, body, q);
    iso__space_body_lock(record, &space->body_derived[body]);
}

void iso__space_step_continuous(iso__space *space) {
    iso__space_scratch *scratch = space->scratch;
    ISO_ASSERT(scratch->moving_count <= space->world.globals->body_count);
    bool has_fast = false, has_bullet = false;
    for (uint32_t m = 0; m < scratch->moving_count; ++m) {
        const uint32_t i = scratch->moving[m];
        const bool is_fast = body_is_fast(space, i);
        scratch->drifts[i].limit = ISO_WIDE_ONE;
        has_fast = has_fast || is_fast;
        has_bullet = has_bullet || (is_fast && body_is_bullet(space, i));
    }
    if (!has_fast) {
        return;
    }
    scratch->heights_work = 0;
    continuous_list_obstacles(space, has_bullet);
    for (uint32_t m = 0; m < scratch->moving_count; ++m) {
        if (body_is_fast(space, scratch->moving[m])) {
            continuous_meet_static(space, scratch->moving[m]);
        }
    }
    scratch->sweep_count = 0;
    for (uint32_t m = 0; m < scratch->moving_count && has_bullet && scratch->sweep_count < BULLET_SWEEPS_MAX; ++m) {
        const uint32_t i = scratch->moving[m];
        if (body_is_bullet(space, i) && body_is_fast(space, i)) {
            continuous_meet_moving(space, i);
        }
    }
    for (uint32_t m = 0; m < scratch->moving_count; ++m) {
        if (scratch->drifts[scratch->moving[m]].limit < ISO_WIDE_ONE) {
            continuous_put_back(space, scratch->moving[m]);
        }
    }
}
