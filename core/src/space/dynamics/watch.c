/// See watch.h. As in the plane (plane/dynamics/sleep.c), with six components in the place of three: x, y, z and the
/// turns about them times L.
///
/// A body is watched for one sleep time after the other. It is quiet while it is slower than def.sleep_speed and within
/// 1 mm of where the watch began, along all axes, and was so in a watch at whose end nothing drove it: what is slow may
/// be turning back, or creep to the rest of a spring. Where contacts carry its island it may sway by 1 cm, as long as
/// the island's kinetic energy does not grow. What moves restarts the watch. The way since the watch began is state.
#include "space/dynamics/watch.h"

#include "base/assert.h"
#include "math/fixed_ops.h"
#include "space/dynamics/contact_group.h"
#include "space/joint/drive.h"
#include "space/world/body_wake.h"
#include "step/watch.h"

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

/// What a joint brings to somewhere else, or what gravity brings down or turns against damping, may be slow for long.
static bool watch_is_pulled(const iso__space *space, uint32_t i) {
    const iso__space_body *body = &space->bodies[i];
    const iso__globals *globals = space->world.globals;
    const bool has_gravity = (globals->gravity[0] | globals->gravity[1] | globals->gravity_z) != 0;
    return iso__bit_is_set(space->scratch->pulled_bits, i) ||
           ((body->linear_damping | body->angular_damping) != 0 && body->gravity_scale != 0 && has_gravity);
}

/// Watches a body for a tick. @return whether it is quiet, and has been for the sleep time
static bool watch_body(iso__space *space, uint32_t i, uint32_t limit) {
    iso__space_body *body = &space->bodies[i];
    const iso__space_motion *motion = &space->scratch->motions[i];
    const iso__space_drift *drift = &space->scratch->drifts[i];
    const iso__watch watch = {&body->quiet_ticks, body->quiet_moved, &body->quiet_gain};
    const bool is_carried = iso__bit_is_set(space->scratch->carried_sets, space->world.islands[i]);
    int64_t moved[PARTS], speeds[PARTS];
    for (int n = 0; n < 3; ++n) {
        moved[n] = drift->moved[n];
        moved[3 + n] = drift->turned[n];
        speeds[n] = motion->velocity[n];
        speeds[3 + n] = motion->spin[n];
    }
    const bool is_quiet = watch_is_slow(motion, (int64_t)space->world.def.sleep_speed * 8) && // Q15.16 to Q12.19
                          iso__watch_stays(&watch, PARTS, moved, is_carried);
    const iso__watch_state state = iso__watch_count(&watch, limit, is_quiet);
    if (state == ISO__WATCH_RUNS) {
        return body->quiet_ticks > limit;
    }
    const bool is_at_rest =
        state == ISO__WATCH_ENDS && !iso__watch_is_driven(&watch, PARTS, speeds, space->world.def.tick_rate_hz, limit,
                                                          is_carried, watch_is_pulled(space, i));
    iso__watch_begin(&watch, PARTS, limit, is_at_rest);
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
