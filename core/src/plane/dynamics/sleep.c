/// Sleep: bodies that have been slow for long enough are stopped, and cost nothing.
///
/// Which bodies sleep, step/sleep.h says; how they are watched, step/watch.h. A sleeping body has no velocity and keeps
/// its contacts with their impulses. The way since a watch began is state.
///
/// Waking has no history: a function that changes a body wakes it (iso__plane_body_wake), and at the beginning of a
/// step all bodies that contacts and joints connect with a moving body wake, too. A moving shape that begins to touch a
/// sleeping one wakes its island in the same step (collide.c). So an island is awake or asleep as a whole, except for a
/// body that sleeps at the border of the world.
#include "plane/dynamics/sleep.h"

#include "base/assert.h"
#include "math/fixed_ops.h"
#include "plane/dynamics/island.h"
#include "plane/joint/drive.h"
#include "plane/world/contact.h"
#include "plane/world/joint.h"
#include "plane/world/scratch.h"
#include "plane/world/wake.h"
#include "solver/parallel.h"
#include "step/moving.h"
#include "step/sleep.h"
#include "step/wake_islands.h"

#define CONTACT_GRAIN 512u // contacts of some us to look at: what it takes to hand them to another thread

// ---- moving bodies -------------------------------------------------------------------------------

static bool sleep_kinematic_moves(const iso_world *world, uint32_t body) {
    const iso__plane *plane = iso__plane_of_const(world);
    const iso__plane_body *record = &plane->bodies[body];
    return record->velocity[0] != 0 || record->velocity[1] != 0 || record->spin != 0 ||
           iso__bit_is_set(plane->move_bits, body);
}

void iso__plane_step_find_moving(iso__plane *plane) {
    ISO_ASSERT(plane->world.globals->body_count <= plane->world.def.body_capacity);
    iso__plane_step_scratch *scratch = plane->scratch;
    scratch->has_moving_kinematic = iso__step_find_moving(&plane->world, sleep_kinematic_moves, scratch->moving_bits);
}

// ---- waking --------------------------------------------------------------------------------------

/// The bodies that edge n connects: first come the contacts, then the pairs of joints. @return false when n is not an
/// edge
static bool sleep_edge(const iso__plane *plane, uint32_t n, uint32_t *a, uint32_t *b) {
    if (n < plane->world.globals->contact_count) {
        *a = plane->shapes[plane->contacts[n].shape_a].body;
        *b = plane->shapes[plane->contacts[n].shape_b].body;
        return !iso__plane_contact_is_sensor(plane, &plane->contacts[n]);
    }
    uint32_t index = n - plane->world.globals->contact_count, pair = 0;
    for (; index >= plane->world.globals->joint_count; index -= plane->world.globals->joint_count) {
        ++pair;
    }
    const iso__plane_joint *joint = &plane->joints[index];
    const uint32_t bodies[] = {joint->body_a, joint->body_b, joint->body_c, joint->body_d};
    iso__plane_joint_pair_of(bodies, pair, a, b);
    return iso__plane_joint_connects(joint) && *a != ISO__WORLD_BODY && *b != ISO__WORLD_BODY;
}

/// The number of edges. When any joint has four bodies, which is rare, all joints have as many pairs.
static uint32_t sleep_edge_count(const iso__plane *plane) {
    uint32_t pairs = 1;
    for (uint32_t i = 0; i < plane->world.globals->joint_count; ++i) {
        const iso__plane_joint *joint = &plane->joints[i];
        pairs = joint->kind != 0 && joint->body_c != ISO__WORLD_BODY ? ISO__PLANE_JOINT_PAIRS : pairs;
    }
    return plane->world.globals->contact_count + pairs * plane->world.globals->joint_count;
}

#ifdef ISO_VALIDATE
/// Unless wakes_islands is set, no sleeping body is connected with a moving one.
static void sleep_validate(const iso__plane *plane) {
    const uint32_t edge_count = sleep_edge_count(plane);
    uint32_t a, b;
    for (uint32_t n = 0; n < edge_count; ++n) {
        ISO_ASSERT(!sleep_edge(plane, n, &a, &b) ||
                   !((iso__plane_body_is_moving(plane, a) && iso__plane_body_is_asleep(plane, b)) ||
                     (iso__plane_body_is_moving(plane, b) && iso__plane_body_is_asleep(plane, a))));
    }
}
#endif

static void sleep_read_edges(const iso_world *world, uint32_t first, uint32_t count, iso__edge *edges) {
    const iso__plane *plane = iso__plane_of_const(world);
    for (uint32_t i = 0; i < count; ++i) {
        if (!sleep_edge(plane, first + i, &edges[i].a, &edges[i].b)) {
            edges[i] = (iso__edge){0, 0};
        }
    }
}

static bool sleep_moves(const iso_world *world, uint32_t body) {
    return iso__plane_body_is_moving(iso__plane_of_const(world), body);
}

/// In the plane bodies wake after those that move were found, in space before: both orders stay until roots change.
static void sleep_wake(iso_world *world, uint32_t body) {
    iso__plane_body_wake(world, body);
    iso__bit_set(iso__plane_of(world)->scratch->moving_bits, body);
}

void iso__plane_step_wake_islands(iso__plane *plane) {
    iso_world *world = &plane->world;
    if (!world->wakes_islands) {
#ifdef ISO_VALIDATE
        sleep_validate(plane);
#endif
        return;
    }
    plane->scratch->has_islands = false;
    iso__step_wake_islands(world, &(iso__wake_rules){
                                      .edges = {sleep_edge_count(plane), sleep_read_edges},
                                      .woken_sets = plane->scratch->woken_sets,
                                      .moves = sleep_moves,
                                      .wake = sleep_wake,
                                  });
    ISO_ASSERT(!world->wakes_islands);
}

// ---- falling asleep ------------------------------------------------------------------------------

/// The larger of |v| and |w L| is below the sleep speed.
static bool sleep_is_slow(const iso_world *world, uint32_t body) {
    const iso__plane_body *record = &iso__plane_of_const(world)->bodies[body];
    const int64_t x = record->velocity[0], y = record->velocity[1], w = record->spin;
    const int64_t speed = (int64_t)world->def.sleep_speed * 8; // Q15.16 to Q12.19
    return x * x + y * y < speed * speed && w * w < speed * speed;
}

static bool sleep_all_move(const iso_world *world, const iso__sleep *sleep) {
    return iso__sleep_all_move(world, sleep, sleep_is_slow);
}

/// Marks the islands that contacts carry: the solved contacts from begin on.
static void sleep_mark_carried(iso_world *world, void *data, uint32_t begin, uint32_t end) {
    iso__plane *plane = iso__plane_of(world);
    iso__plane_step_scratch *scratch = plane->scratch;
    (void)data;
    for (uint32_t k = begin; k < end; ++k) {
        // A dynamic body of a contact with an impulse is awake, so it has a motion.
        const uint32_t a = iso__plane_contact_key_a(scratch->contact_keys[k]);
        const uint32_t b = iso__plane_contact_key_b(scratch->contact_keys[k]);
        const uint32_t island = world->islands[scratch->motions[a].kind != 0 ? a : b];
        if (!iso__bit_is_set_shared(scratch->carried_sets, island)) { // mostly it is
            const iso__plane_contact *contact = &plane->contacts[scratch->solved[k]];
            if ((contact->normal_impulse[0] | contact->normal_impulse[1]) != 0) {
                iso__bit_set_shared(scratch->carried_sets, island);
            }
        }
    }
}

static void sleep_mark(iso_world *world) {
    iso__plane *plane = iso__plane_of(world);
    iso__parallel_for(world, 0, plane->scratch->solved_count, CONTACT_GRAIN, sleep_mark_carried, NULL);
    iso__plane_joints_mark_drives(plane);
}

/// What a joint brings to somewhere else, or what gravity brings down or turns against damping, may be slow for long.
static bool sleep_is_pulled(const iso_world *world, uint32_t body) {
    const iso__plane *plane = iso__plane_of_const(world);
    const iso__plane_body *record = &plane->bodies[body];
    const int32_t *gravity = world->globals->gravity;
    const bool is_damped = record->linear_damping != 0 || record->angular_damping != 0;
    return iso__bit_is_set(plane->scratch->pulled_bits, body) ||
           (is_damped && record->gravity_scale != 0 && (gravity[0] | gravity[1]) != 0);
}

/// @return whether it may sleep
static bool sleep_watch_body(iso_world *world, uint32_t i, uint32_t limit, int32_t *gain) {
    iso__plane *plane = iso__plane_of(world);
    iso__plane_body *body = &plane->bodies[i];
    const iso__plane_drift *drift = &plane->scratch->drifts[i];
    const iso__watch watch = {&body->quiet_ticks, body->quiet_moved, &body->quiet_gain};
    const iso__watch_motion motion = {
        .moved = {drift->moved[0], drift->moved[1], drift->turned},
        .speeds = {body->velocity[0], body->velocity[1], body->spin},
        .is_slow = sleep_is_slow(world, i),
        .is_carried = iso__bit_is_set(plane->scratch->carried_sets, world->islands[i]),
    };
    const bool is_quiet = iso__watch_tick(world, i, &watch, 3, &motion, limit, sleep_is_pulled);
    *gain = body->quiet_gain;
    return is_quiet && (body->flags & ISO__PLANE_BODY_SLEEPLESS) == 0;
}

static void sleep_watch_range(iso_world *world, void *data, uint32_t begin, uint32_t end) {
    iso__sleep_watch_range(world, data, begin, end, sleep_watch_body);
}

static bool sleep_is_gone(const iso_world *world, uint32_t body) {
    return iso__plane_of_const(world)->scratch->motions[body].kind == ISO__PLANE_MOTION_GONE;
}

/// What does not move in the next step has no motion.
static void sleep_stop(iso_world *world, uint32_t body, bool restarts) {
    iso__plane *plane = iso__plane_of(world);
    plane->scratch->drifts[body] = (iso__plane_drift){0};
    plane->scratch->motions[body] = (iso__plane_motion){0};
    if (restarts) {
        iso__plane_body_restart_quiet(&plane->bodies[body]);
    }
}

static void sleep_end_range(iso_world *world, void *data, uint32_t begin, uint32_t end) {
    iso__sleep_end_range(world, data, begin, end, sleep_is_gone, sleep_stop);
}

static void sleep_put(iso_world *world, uint32_t body) {
    iso__plane *plane = iso__plane_of(world);
    iso__plane_body *record = &plane->bodies[body];
    sleep_stop(world, body, true);
    record->velocity[0] = record->velocity[1] = record->spin = 0;
    record->flags |= ISO__PLANE_BODY_ASLEEP;
    iso__plane_body_refresh_awake(plane, body);
}

void iso__plane_step_sleep(iso__plane *plane) {
    static const iso__sleep_rules rules = {
        .all_move = sleep_all_move,
        .mark = sleep_mark,
        .watch = sleep_watch_range,
        .end = sleep_end_range,
        .edges = iso__plane_step_edges,
        .is_gone = sleep_is_gone,
        .put = sleep_put,
    };
    const iso__plane_step_scratch *scratch = plane->scratch;
    ISO_ASSERT(scratch->moving_count <= plane->world.globals->body_count);
    iso__sleep sleep = {
        .moving = scratch->moving,
        .moving_count = scratch->moving_count,
        .moving_bits = scratch->moving_bits,
        .woken_sets = scratch->woken_sets,
        .carried_sets = scratch->carried_sets,
        .pulled_bits = scratch->pulled_bits,
        .gains = scratch->gains,
    };
    iso__step_sleep(&plane->world, &sleep, &rules);
}
