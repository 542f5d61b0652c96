/// Sleep: bodies that have been slow for long enough are stopped, and cost nothing.
///
/// An island, the dynamic bodies that contacts and joints connect, sleeps when each of its bodies has been quiet for
/// def.sleep_time, none of them must stay awake, no motor drives one and no moving kinematic body touches or pulls it.
/// A sleeping body has no velocity and keeps its contacts with their impulses.
///
/// A body is watched for one sleep time after the other. It is quiet while it is slower than def.sleep_speed (the
/// larger of |v| and |w L|) and within 1 mm of where the watch began, and was so in a watch at whose end nothing drove
/// it (sleep_is_driven): what is slow may be turning back, or creep to the rest of a spring. Where contacts carry the
/// island it may sway by 1 cm, as long as the island's kinetic energy does not grow. What moves restarts the watch.
/// The way since the watch began is state.
///
/// Waking has no history: a function that changes a body wakes it (iso__plane_body_wake), and at the beginning of a
/// step all bodies that contacts and joints connect with a moving body wake, too. A moving shape that begins to touch a
/// sleeping one wakes its island in the same step (collide.c). So an island is awake or asleep as a whole, except for a
/// body that sleeps at the border of the world.
#include "plane/dynamics/sleep.h"

#include "base/assert.h"
#include "math/fixed_ops.h"
#include "plane/joint/drive.h"
#include "plane/world/contact.h"
#include "plane/world/joint.h"
#include "plane/world/scratch.h"
#include "plane/world/wake.h"
#include "solver/parallel.h"
#include "step/moving.h"
#include "step/wake_islands.h"
#include "world/events.h"

#define BODY_GRAIN    256u // bodies or contacts of some us to look at: what it takes to hand them to another thread
#define CONTACT_GRAIN 512u

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
                                      .edge_count = sleep_edge_count(plane),
                                      .woken_sets = plane->scratch->woken_sets,
                                      .read_edges = sleep_read_edges,
                                      .moves = sleep_moves,
                                      .wake = sleep_wake,
                                  });
    ISO_ASSERT(!world->wakes_islands);
}

// ---- falling asleep ------------------------------------------------------------------------------

static void sleep_put(iso__plane *plane, uint32_t body) {
    iso__plane_body *record = &plane->bodies[body];
    record->velocity[0] = record->velocity[1] = record->spin = 0;
    iso__plane_body_restart_quiet(record);
    record->flags |= ISO__PLANE_BODY_ASLEEP;
    iso__plane_body_refresh_awake(plane, body);
    iso__bit_set(plane->world.slept, body);
    iso__event_sleep(&plane->world, body);
}

static bool sleep_is_slow(const iso__plane_body *body, int64_t speed) {
    const int64_t x = body->velocity[0], y = body->velocity[1], w = body->spin;
    return x * x + y * y < speed * speed && w * w < speed * speed;
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

/// What a joint brings to somewhere else, or what gravity brings down or turns against damping, may be slow for long.
static bool sleep_is_pulled(const iso__plane *plane, uint32_t i) {
    const iso__plane_body *body = &plane->bodies[i];
    const int32_t *gravity = plane->world.globals->gravity;
    const bool is_damped = body->linear_damping != 0 || body->angular_damping != 0;
    return iso__bit_is_set(plane->scratch->pulled_bits, i) ||
           (is_damped && body->gravity_scale != 0 && (gravity[0] | gravity[1]) != 0);
}

/// Watches a body for a tick. @return whether it is quiet, and has been for the sleep time
static bool sleep_watch(iso__plane *plane, uint32_t i, uint32_t limit) {
    iso__plane_body *body = &plane->bodies[i];
    const iso__plane_drift *drift = &plane->scratch->drifts[i];
    const iso__watch watch = {&body->quiet_ticks, body->quiet_moved, &body->quiet_gain};
    const int64_t moved[3] = {drift->moved[0], drift->moved[1], drift->turned};
    const bool is_carried = iso__bit_is_set(plane->scratch->carried_sets, plane->world.islands[i]);
    const bool is_quiet = sleep_is_slow(body, (int64_t)plane->world.def.sleep_speed * 8) && // Q15.16 to Q12.19
                          iso__watch_stays(&watch, 3, moved, is_carried);
    const iso__watch_state state = iso__watch_count(&watch, limit, is_quiet);
    if (state == ISO__WATCH_RUNS) {
        return body->quiet_ticks > limit;
    }
    const int64_t speeds[3] = {body->velocity[0], body->velocity[1], body->spin};
    const bool is_at_rest =
        state == ISO__WATCH_ENDS && !iso__watch_is_driven(&watch, 3, speeds, plane->world.def.tick_rate_hz, limit,
                                                          is_carried, sleep_is_pulled(plane, i));
    iso__watch_begin(&watch, 3, limit, is_at_rest);
    return is_at_rest;
}

/// Whether all bodies are fast: then none sleeps, whatever carries or drives them, and all watches begin anew.
static bool sleep_all_move(const iso__plane *plane) {
    const iso__plane_step_scratch *scratch = plane->scratch;
    const int64_t speed = (int64_t)plane->world.def.sleep_speed * 8; // Q15.16 to Q12.19
    for (uint32_t m = 0; m < scratch->moving_count && speed > 0; ++m) {
        const iso__plane_body *body = &plane->bodies[scratch->moving[m]];
        if (body->type == ISO_BODY_DYNAMIC && sleep_is_slow(body, speed)) {
            return false;
        }
    }
    return true;
}

/// The moving bodies from begin on.
static void sleep_watch_range(iso_world *world, void *data, uint32_t begin, uint32_t end) {
    iso__plane *plane = iso__plane_of(world);
    iso__plane_step_scratch *scratch = plane->scratch;
    const uint32_t limit = iso__sleep_ticks(&world->def);
    (void)data;
    for (uint32_t m = begin; m < end; ++m) {
        const uint32_t i = scratch->moving[m];
        const iso__plane_body *body = &plane->bodies[i];
        if (body->type != ISO_BODY_DYNAMIC) {
            continue;
        }
        if (!sleep_watch(plane, i, limit) || (body->flags & ISO__PLANE_BODY_SLEEPLESS) != 0) {
            iso__bit_set_shared(scratch->woken_sets, world->islands[i]);
        }
        if (body->quiet_gain != 0) {
            __atomic_fetch_add(&scratch->gains[world->islands[i]], body->quiet_gain, __ATOMIC_RELAXED);
        }
    }
}

/// Watches all moving bodies and marks the islands that stay awake.
static void sleep_watch_bodies(iso__plane *plane) {
    iso__plane_step_scratch *scratch = plane->scratch;
    for (uint32_t w = 0; w < (plane->world.globals->body_count + 63) / 64; ++w) {
        scratch->woken_sets[w] = scratch->carried_sets[w] = scratch->pulled_bits[w] = 0;
    }
    for (uint32_t i = 0; i < plane->world.globals->body_count; ++i) {
        scratch->gains[i] = 0;
    }
    iso__parallel_for(&plane->world, 0, scratch->solved_count, CONTACT_GRAIN, sleep_mark_carried, NULL);
    iso__plane_joints_mark_drives(plane);
    iso__parallel_for(&plane->world, 0, scratch->moving_count, BODY_GRAIN, sleep_watch_range, NULL);
    for (uint32_t m = 0; m < scratch->moving_count; ++m) {
        if (scratch->gains[scratch->moving[m]] > 0) {
            iso__bit_set(scratch->woken_sets, scratch->moving[m]);
        }
    }
}

static void sleep_wake_pair(iso__plane *plane, uint32_t a, uint32_t b) {
    if (a >= plane->world.def.body_capacity || b >= plane->world.def.body_capacity) {
        return;
    }
    const bool is_dynamic_a = plane->bodies[a].type == ISO_BODY_DYNAMIC,
               is_dynamic_b = plane->bodies[b].type == ISO_BODY_DYNAMIC;
    if (is_dynamic_a && !is_dynamic_b && iso__plane_body_is_moving(plane, b)) {
        iso__bit_set(plane->scratch->woken_sets, plane->world.islands[a]);
    } else if (is_dynamic_b && !is_dynamic_a && iso__plane_body_is_moving(plane, a)) {
        iso__bit_set(plane->scratch->woken_sets, plane->world.islands[b]);
    }
}

/// Bodies that a moving kinematic body touches or pulls stay awake.
static void sleep_wake_carried(iso__plane *plane) {
    const iso__plane_step_scratch *scratch = plane->scratch;
    for (uint32_t k = 0; k < scratch->solved_count; ++k) {
        const iso__plane_contact *contact = &plane->contacts[scratch->solved[k]];
        if (!iso__plane_contact_is_sensor(plane, contact)) {
            sleep_wake_pair(plane, plane->shapes[contact->shape_a].body, plane->shapes[contact->shape_b].body);
        }
    }
    for (uint32_t j = 0; j < scratch->joint_count; ++j) {
        const uint32_t *bodies = scratch->joints[j].bodies;
        for (uint32_t n = 0; n < (bodies[2] < plane->world.def.body_capacity ? ISO__PLANE_JOINT_PAIRS : 1); ++n) {
            uint32_t a, b;
            iso__plane_joint_pair_of(bodies, n, &a, &b);
            sleep_wake_pair(plane, a, b);
        }
    }
}

/// Whether a moving body sleeps from now on: the motions still say who came to the border.
static bool sleep_falls_asleep(const iso__plane *plane, uint32_t i, bool has_all_moving) {
    const iso__plane_step_scratch *scratch = plane->scratch;
    return plane->bodies[i].type == ISO_BODY_DYNAMIC &&
           (scratch->motions[i].kind == ISO__PLANE_MOTION_GONE ||
            (!has_all_moving && !iso__bit_is_set(scratch->woken_sets, plane->world.islands[i])));
}

typedef struct sleep_job {
    bool has_all_moving;
    uint64_t sleeper_count;
} sleep_job;

/// The moving bodies from begin on. Those that do not move in the next step have no motion; the ones that fall asleep
/// keep theirs for now.
static void sleep_end_range(iso_world *world, void *data, uint32_t begin, uint32_t end) {
    iso__plane *plane = iso__plane_of(world);
    iso__plane_step_scratch *scratch = plane->scratch;
    sleep_job *job = data;
    uint64_t sleepers = 0;
    for (uint32_t m = begin; m < end; ++m) {
        const uint32_t i = scratch->moving[m];
        scratch->drifts[i] = (iso__plane_drift){0};
        if (sleep_falls_asleep(plane, i, job->has_all_moving)) {
            ++sleepers;
            continue;
        }
        if (job->has_all_moving && plane->bodies[i].type == ISO_BODY_DYNAMIC) {
            iso__plane_body_restart_quiet(&plane->bodies[i]);
        }
        scratch->motions[i] = (iso__plane_motion){0};
    }
    iso__count_shared(&job->sleeper_count, sleepers);
}

void iso__plane_step_sleep(iso__plane *plane) {
    iso__plane_step_scratch *scratch = plane->scratch;
    ISO_ASSERT(scratch->moving_count <= plane->world.globals->body_count);
    const bool has_all_moving = sleep_all_move(plane);
    if (!has_all_moving) {
        sleep_watch_bodies(plane);
        if (scratch->has_moving_kinematic) {
            sleep_wake_carried(plane);
        }
    }
    sleep_job job = {.has_all_moving = has_all_moving};
    iso__parallel_for(&plane->world, 0, scratch->moving_count, BODY_GRAIN, sleep_end_range, &job);
    // The order of the events: by the bodies' indices.
    for (uint32_t m = 0; job.sleeper_count > 0 && m < scratch->moving_count; ++m) {
        if (sleep_falls_asleep(plane, scratch->moving[m], has_all_moving)) {
            // A body that sleeps alone, at the border, is woken by the bodies that it is connected with.
            plane->world.wakes_islands |= scratch->motions[scratch->moving[m]].kind == ISO__PLANE_MOTION_GONE;
            sleep_put(plane, scratch->moving[m]);
            scratch->motions[scratch->moving[m]] = (iso__plane_motion){0};
        }
    }
}
