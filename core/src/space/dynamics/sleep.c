/// See sleep.h. As in the plane (plane/dynamics/sleep.c), with six components in the place of three: x, y, z and the
/// turns about them times L.
#include "space/dynamics/sleep.h"

#include "base/assert.h"
#include "math/fixed_ops.h"
#include "space/dynamics/contact_group.h"
#include "space/dynamics/island.h"
#include "space/dynamics/moving.h"
#include "space/joint/drive.h"
#include "space/world/body_wake.h"
#include "step/sleep.h"
#include "step/wake_islands.h"
#include "step/watch.h"

#define PARTS 6 // x, y, z and the turns about them

// ---- waking --------------------------------------------------------------------------------------

/// The contacts come first, then the slots of joints.
static void wake_read_edges(const iso_world *world, uint32_t first, uint32_t count, iso__edge *edges) {
    const iso__space *space = iso__space_of_const(world);
    const uint32_t contact_count = world->globals->contact_count;
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t n = first + i;
        if (n < contact_count) {
            const iso__space_shape *a = &space->shapes[space->contacts[n].shape_a];
            const iso__space_shape *b = &space->shapes[space->contacts[n].shape_b];
            const bool is_sensor = ((a->flags | b->flags) & ISO__SPACE_SHAPE_SENSOR) != 0;
            edges[i] = (iso__edge){a->body, is_sensor ? a->body : b->body};
            continue;
        }
        const iso__space_joint *joint = &space->joints[n - contact_count];
        const bool connects =
            joint->kind != 0 && (joint->flags & ISO__SPACE_JOINT_ENABLED) != 0 && joint->body_a != ISO__WORLD_BODY;
        edges[i] = connects ? (iso__edge){joint->body_a, joint->body_b} : (iso__edge){0, 0};
    }
}

static bool wake_moves(const iso_world *world, uint32_t body) {
    return iso__space_body_moves(iso__space_of_const(world), body);
}

void iso__space_step_wake_islands(iso__space *space) {
    iso_world *world = &space->world;
    if (world->wakes_islands) {
        iso__step_wake_islands(
            world, &(iso__wake_rules){
                       .edges = {world->globals->contact_count + world->globals->joint_count, wake_read_edges},
                       .woken_sets = space->scratch->woken_sets,
                       .moves = wake_moves,
                       .wake = iso__space_body_wake,
                   });
        ISO_ASSERT(!world->wakes_islands);
    }
}

// ---- falling asleep ------------------------------------------------------------------------------

/// All components of velocity and spin are below the sleep speed.
static bool sleep_is_slow(const iso_world *world, uint32_t body) {
    const iso__space_motion *motion = &iso__space_of_const(world)->scratch->motions[body];
    uint32_t largest = 0;
    for (int axis = 0; axis < 3; ++axis) {
        const uint32_t v = iso__abs_u32(motion->velocity[axis]), w = iso__abs_u32(motion->spin[axis]);
        largest = v > largest ? v : largest;
        largest = w > largest ? w : largest;
    }
    return largest < (int64_t)world->def.sleep_speed * 8; // Q15.16 to Q12.19
}

static bool sleep_all_move(const iso_world *world, const iso__sleep *sleep) {
    return iso__sleep_all_move(world, sleep, sleep_is_slow);
}

/// Marks the islands that contacts carry.
static void sleep_mark_carried(iso__space *space) {
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

static void sleep_mark(iso_world *world) {
    iso__space *space = iso__space_of(world);
    sleep_mark_carried(space);
    iso__space_joints_mark_drives(space);
}

/// What a joint brings to somewhere else, or what gravity brings down or turns against damping, may be slow for long.
static bool sleep_is_pulled(const iso_world *world, uint32_t body) {
    const iso__space *space = iso__space_of_const(world);
    const iso__space_body *record = &space->bodies[body];
    const iso__globals *globals = world->globals;
    const bool has_gravity = (globals->gravity[0] | globals->gravity[1] | globals->gravity_z) != 0;
    return iso__bit_is_set(space->scratch->pulled_bits, body) ||
           ((record->linear_damping | record->angular_damping) != 0 && record->gravity_scale != 0 && has_gravity);
}

/// @return whether it may sleep
static bool sleep_watch_body(iso_world *world, uint32_t i, uint32_t limit, int32_t *gain) {
    iso__space *space = iso__space_of(world);
    iso__space_body *body = &space->bodies[i];
    const iso__space_motion *at = &space->scratch->motions[i];
    const iso__space_drift *drift = &space->scratch->drifts[i];
    const iso__watch watch = {&body->quiet_ticks, body->quiet_moved, &body->quiet_gain};
    iso__watch_motion motion = {
        .is_slow = sleep_is_slow(world, i),
        .is_carried = iso__bit_is_set(space->scratch->carried_sets, world->islands[i]),
    };
    for (int n = 0; n < 3; ++n) {
        motion.moved[n] = drift->moved[n];
        motion.moved[3 + n] = drift->turned[n];
        motion.speeds[n] = at->velocity[n];
        motion.speeds[3 + n] = at->spin[n];
    }
    const bool is_quiet = iso__watch_tick(world, i, &watch, PARTS, &motion, limit, sleep_is_pulled);
    *gain = body->quiet_gain;
    return is_quiet && (body->flags & ISO__SPACE_BODY_SLEEPLESS) == 0;
}

static void sleep_watch_range(iso_world *world, void *data, uint32_t begin, uint32_t end) {
    iso__sleep_watch_range(world, data, begin, end, sleep_watch_body);
}

static bool sleep_is_gone(const iso_world *world, uint32_t body) {
    return iso__space_of_const(world)->scratch->motions[body].is_gone;
}

/// What does not move in the next step reads zeros.
static void sleep_stop(iso_world *world, uint32_t body, bool restarts) {
    iso__space *space = iso__space_of(world);
    space->scratch->motions[body] = (iso__space_motion){0};
    if (restarts) {
        iso__space_body_restart_quiet(&space->bodies[body]);
    }
}

static void sleep_end_range(iso_world *world, void *data, uint32_t begin, uint32_t end) {
    iso__sleep_end_range(world, data, begin, end, sleep_is_gone, sleep_stop);
}

static void sleep_put(iso_world *world, uint32_t body) {
    iso__space_body *record = &iso__space_of(world)->bodies[body];
    sleep_stop(world, body, true);
    for (int axis = 0; axis < 3; ++axis) {
        record->velocity[axis] = 0;
        record->momentum[axis] = 0;
    }
    record->flags |= ISO__SPACE_BODY_ASLEEP;
    iso__space_body_refresh_awake(world, body);
    iso__mark_dirty(world, ISO_SECTION_BODIES, body);
}

void iso__space_step_sleep(iso__space *space) {
    static const iso__sleep_rules rules = {
        .all_move = sleep_all_move,
        .mark = sleep_mark,
        .watch = sleep_watch_range,
        .end = sleep_end_range,
        .edges = iso__space_step_edges,
        .is_gone = sleep_is_gone,
        .put = sleep_put,
    };
    const iso__space_scratch *scratch = space->scratch;
    ISO_ASSERT(scratch->moving_count <= space->world.globals->body_count);
    iso__sleep sleep = {
        .moving = scratch->moving,
        .moving_count = scratch->moving_count,
        .moving_bits = scratch->moving_bits,
        .woken_sets = scratch->woken_sets,
        .carried_sets = scratch->carried_sets,
        .pulled_bits = scratch->pulled_bits,
        .gains = scratch->quiet_gains,
    };
    iso__step_sleep(&space->world, &sleep, &rules);
}
