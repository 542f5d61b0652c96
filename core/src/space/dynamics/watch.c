/// See watch.h. As in the plane (plane/dynamics/sleep.c), with six components in the place of three: x, y, z and the turns about
/// them times L.
///
/// A body is watched for one sleep time after the other. It is quiet while it is slower than def.sleep_speed and within 1 mm
/// of where the watch began, along all axes, and was so in a watch at whose end nothing drove it: what is slow may be turning
/// back, or creep to the rest of a spring. Where contacts carry its island it may sway by 1 cm, as long as the island's kinetic
/// energy does not grow. What moves restarts the watch. The way since the watch began is state.
#include "space/dynamics/watch.h"

#include "base/assert.h"
#include "step/watch.h"
#include "space/dynamics/contact_group.h"
#include "space/joint/drive.h"
#include "math/fixed_ops.h"
#include "space/world/body_wake.h"

#define PARTS 6 // x, y, z and the turns about them

/// Slow: all components of velocity and spin are below the sleep speed.
static bool watch_is_slow(const iso__space_motion *motion, int64_t speed) {
    uint32_t largest = 0;
    for (int axis = 0; axis < 3; ++axis) {
        const uint32_t v = iso__abs_u32(motion->velocity[axis]), w = iso__abs_u32(motion->spin[axis]);
        largest = v > largest ? v : largest;
        largest = w > largest ? w : largest;
    }
    return largest < speed;
}

static bool watch_is_within(const iso__space_body *body, int32_t distance) {
    bool is_within = true;
    for (int n = 0; n < PARTS; ++n) {
        is_within = is_within && body->quiet_moved[n] >= -distance && body->quiet_moved[n] <= distance;
    }
    return is_within;
}

/// Adds the tick's movement. @return whether the body is still near where the watch began
static bool watch_stays(iso__space_body *body, const iso__space_drift *drift, bool is_carried) {
    for (int n = 0; n < PARTS; ++n) {
        // Within a tick a body moves less than 2^9 m.
        const int64_t moved = n < 3 ? drift->moved[n] : drift->turned[n - 3];
        body->quiet_moved[n] = (int32_t)iso__clamp64(body->quiet_moved[n] + moved, INT32_MIN, INT32_MAX);
    }
    return watch_is_within(body, is_carried ? ISO__SLEEP_SWAY : ISO__SLEEP_DISTANCE);
}

/// What a joint brings to somewhere else, or what gravity brings down or turns against damping, may be slow for long.
static bool watch_is_pulled(const iso__space *space, uint32_t i) {
    const iso__space_body *body = &space->bodies[i];
    const iso__globals *globals = space->world.globals;
    const bool has_gravity = (globals->gravity[0] | globals->gravity[1] | globals->gravity_z) != 0;
    return iso__bit_is_set(space->scratch->pulled_bits, i) ||
           ((body->linear_damping | body->angular_damping) != 0 && body->gravity_scale != 0 && has_gravity);
}

/// The end of a watch: whether something drives a body that has stayed near its place. A constant acceleration a makes
/// the speed at the end differ from the mean by a T / 2; that of what swings differs most where it turns back.
static bool watch_is_driven(iso__space *space, uint32_t i, uint32_t limit, bool is_carried) {
    iso__space_body *body = &space->bodies[i];
    const iso__space_motion *motion = &space->scratch->motions[i];
    bool is_driven =
        watch_is_pulled(space, i) && !watch_is_within(body, is_carried ? ISO__SLEEP_DISTANCE : ISO__SLEEP_CREEP);
    int64_t gain = 0;
    for (int n = 0; n < PARTS; ++n) {
        // Q31.32 m to Q12.19 m/s
        const int64_t way = (int64_t)body->quiet_moved[n] * space->world.def.tick_rate_hz;
        const int64_t mean = iso__round_shift(way / (int64_t)limit, 13);
        const int64_t speed = n < 3 ? motion->velocity[n] : motion->spin[n - 3];
        is_driven = is_driven || (!is_carried && iso__abs_u64(speed - mean) > ISO__SLEEP_CHANGE);
        gain += speed * speed - mean * mean;
    }
    gain = watch_is_within(body, ISO__SLEEP_DISTANCE) ? 0 : iso__round_shift(gain, 4);
    body->quiet_gain = (int32_t)iso__clamp64(gain, -ISO__SLEEP_GAIN_MAX, ISO__SLEEP_GAIN_MAX);
    return is_driven;
}

/// Watches a body for a tick. @return whether it is quiet, and has been for the sleep time
static bool watch_body(iso__space *space, uint32_t i, uint32_t limit) {
    iso__space_body *body = &space->bodies[i];
    const iso__space_scratch *scratch = space->scratch;
    const bool is_carried = iso__bit_is_set(scratch->carried_sets, space->world.islands[i]);
    const bool is_quiet =
        watch_is_slow(&scratch->motions[i], (int64_t)space->world.def.sleep_speed * 8) && // Q15.16 to Q12.19
        watch_stays(body, &scratch->drifts[i], is_carried);
    const uint32_t ticks = body->quiet_ticks + 1;
    if (is_quiet && ticks != limit && ticks != 2 * limit) {
        body->quiet_ticks = ticks;
        return ticks > limit;
    }
    const bool is_at_rest = is_quiet && !watch_is_driven(space, i, limit, is_carried);
    const int32_t gain = body->quiet_gain;
    iso__space_body_restart_quiet(body);
    if (is_at_rest) {
        body->quiet_ticks = limit;
        body->quiet_gain = gain;
    }
    return is_at_rest;
}

/// Marks the islands that contacts carry.
static void watch_mark_carried(iso__space *space) {
    const iso__space_scratch *scratch = space->scratch;
    for (uint32_t g = 0; g < scratch->group_count; ++g) {
        const iso__space_contact_group *group = &scratch->groups[g];
        for (uint32_t i = 0; i < group->count; ++i) {
            int32_t pushes = 0;
            for (uint32_t p = 0; p < group->point_count; ++p) {
                pushes |= group->points[p].impulse[i].lo;
            }
            // One of both is dynamic.
            const bool is_a_dynamic = space->bodies[group->body_a[i]].type == ISO_BODY_DYNAMIC;
            if (pushes != 0) {
                iso__bit_set(scratch->carried_sets,
                             space->world.islands[is_a_dynamic ? group->body_a[i] : group->body_b[i]]);
            }
        }
    }
}

void iso__space_step_watch(iso__space *space) {
    iso__space_scratch *scratch = space->scratch;
    const uint32_t limit = iso__sleep_ticks(&space->world.def);
    ISO_ASSERT(limit > 0 && scratch->moving_count <= space->world.globals->body_count);
    for (uint32_t w = 0; w < (space->world.globals->body_count + 63) / 64; ++w) {
        scratch->carried_sets[w] = scratch->pulled_bits[w] = 0;
    }
    watch_mark_carried(space);
    iso__space_joints_mark_drives(space);
    for (uint32_t m = 0; m < scratch->moving_count; ++m) {
        scratch->quiet_gains[scratch->moving[m]] = 0;
    }
    for (uint32_t m = 0; m < scratch->moving_count; ++m) {
        const uint32_t i = scratch->moving[m];
        iso__space_body *body = &space->bodies[i];
        if (body->type != ISO_BODY_DYNAMIC) {
            continue;
        }
        if (!watch_body(space, i, limit) || (body->flags & ISO__SPACE_BODY_SLEEPLESS) != 0) {
            iso__bit_set(scratch->woken_sets, space->world.islands[i]);
        }
        scratch->quiet_gains[space->world.islands[i]] += body->quiet_gain;
    }
    for (uint32_t m = 0; m < scratch->moving_count; ++m) {
        if (scratch->quiet_gains[scratch->moving[m]] > 0) {
            iso__bit_set(scratch->woken_sets, scratch->moving[m]);
        }
    }
}
