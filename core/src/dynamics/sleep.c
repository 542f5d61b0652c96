/// Sleep: bodies that have been slow for long enough are stopped, and cost nothing.
///
/// An island, the dynamic bodies that contacts and joints connect, sleeps when each of its bodies was slower than
/// def.sleep_speed (the larger of |v| and |w L|) for def.sleep_time, none of them must stay awake, and no moving
/// kinematic body touches or pulls it. A sleeping body has no velocity and keeps its contacts with their impulses.
///
/// Waking has no history: a function that changes a body wakes it (iso__body_wake), and at the beginning of a step all
/// bodies that contacts and joints connect with a moving body wake, too. A moving shape that begins to touch a sleeping
/// one wakes its island in the same step (collide.c). So an island is awake or asleep as a whole, except for a body
/// that sleeps at the border of the world.
#include "dynamics/sleep.h"

#include "base/assert.h"
#include "math/fixed_ops.h"
#include "solver/scratch.h"
#include "world/contact.h"
#include "world/events.h"
#include "world/joint.h"
#include "world/wake.h"

uint32_t iso__sleep_ticks(const iso_world_def *def) {
    ISO_ASSERT(def->sleep_time >= 0 && def->tick_rate_hz > 0);
    const int64_t ticks = iso__round_shift((int64_t)def->sleep_time * def->tick_rate_hz, 16);
    return ticks < 1 ? 1 : (uint32_t)ticks;
}

// ---- moving bodies -------------------------------------------------------------------------------

static bool sleep_kinematic_moves(const iso_world *world, uint32_t body) {
    const iso__body *record = &world->bodies[body];
    return record->velocity[0] != 0 || record->velocity[1] != 0 || record->spin != 0 ||
           iso__bit_is_set(world->move_bits, body);
}

void iso__step_find_moving(iso_world *world) {
    ISO_ASSERT(world->globals->body_count <= world->def.body_capacity);
    iso__step_scratch *scratch = world->scratch;
    scratch->has_moving_kinematic = false;
    for (uint32_t w = 0; w < (world->globals->body_count + 63) / 64; ++w) {
        uint64_t moving = world->awake[w];
        for (uint64_t bits = moving; bits != 0; bits &= bits - 1) {
            const uint32_t i = w * 64 + (uint32_t)__builtin_ctzll(bits);
            if (world->bodies[i].type == ISO_BODY_KINEMATIC) {
                const bool moves = sleep_kinematic_moves(world, i);
                scratch->has_moving_kinematic |= moves;
                moving &= moves ? UINT64_MAX : ~(UINT64_C(1) << (i % 64));
            }
        }
        scratch->moving_bits[w] = moving;
    }
}

// ---- waking --------------------------------------------------------------------------------------

static uint32_t sleep_find(uint32_t *parents, uint32_t body) {
    while (parents[body] != body) {
        parents[body] = parents[parents[body]];
        body = parents[body];
    }
    return body;
}

/// The bodies that edge n connects: first come the contacts, then the pairs of joints. @return false when n is not an
/// edge
static bool sleep_edge(const iso_world *world, uint32_t n, uint32_t *a, uint32_t *b) {
    if (n < world->globals->contact_count) {
        *a = world->shapes[world->contacts[n].shape_a].body;
        *b = world->shapes[world->contacts[n].shape_b].body;
        return !iso__contact_is_sensor(world, &world->contacts[n]);
    }
    uint32_t index = n - world->globals->contact_count, pair = 0;
    for (; index >= world->globals->joint_count; index -= world->globals->joint_count) {
        ++pair;
    }
    const iso__joint *joint = &world->joints[index];
    const uint32_t bodies[] = {joint->body_a, joint->body_b, joint->body_c, joint->body_d};
    iso__joint_pair_of(bodies, pair, a, b);
    return iso__joint_connects(joint) && *a != ISO__WORLD_BODY && *b != ISO__WORLD_BODY;
}

/// The number of edges. When any joint has four bodies, which is rare, all joints have as many pairs.
static uint32_t sleep_edge_count(const iso_world *world) {
    uint32_t pairs = 1;
    for (uint32_t i = 0; i < world->globals->joint_count; ++i) {
        const iso__joint *joint = &world->joints[i];
        pairs = joint->kind != 0 && joint->body_c != ISO__WORLD_BODY ? ISO__JOINT_PAIRS : pairs;
    }
    return world->globals->contact_count + pairs * world->globals->joint_count;
}

/// Finds the sets of connected sleeping bodies, in the islands' memory: islands are found after waking.
static void sleep_join_asleep(iso_world *world, uint32_t edge_count) {
    uint32_t a, b;
    for (uint32_t i = 0; i < world->globals->body_count; ++i) {
        world->islands[i] = i;
        iso__bit_clear(world->scratch->woken_sets, i);
    }
    for (uint32_t n = 0; n < edge_count; ++n) {
        if (sleep_edge(world, n, &a, &b) && iso__body_is_asleep(world, a) && iso__body_is_asleep(world, b)) {
            const uint32_t root_a = sleep_find(world->islands, a), root_b = sleep_find(world->islands, b);
            world->islands[root_a > root_b ? root_a : root_b] = root_a > root_b ? root_b : root_a;
        }
    }
}

#ifdef ISO_VALIDATE
/// Unless wakes_islands is set, no sleeping body is connected with a moving one.
static void sleep_validate(const iso_world *world) {
    const uint32_t edge_count = sleep_edge_count(world);
    uint32_t a, b;
    for (uint32_t n = 0; n < edge_count; ++n) {
        ISO_ASSERT(!sleep_edge(world, n, &a, &b) ||
                   !((iso__body_is_moving(world, a) && iso__body_is_asleep(world, b)) ||
                     (iso__body_is_moving(world, b) && iso__body_is_asleep(world, a))));
    }
}
#endif

void iso__step_wake_islands(iso_world *world) {
    iso__step_scratch *scratch = world->scratch;
    if (!world->wakes_islands) {
#ifdef ISO_VALIDATE
        sleep_validate(world);
#endif
        return;
    }
    const uint32_t edge_count = sleep_edge_count(world);
    ISO_ASSERT(edge_count >= world->globals->contact_count);
    uint32_t a, b;
    sleep_join_asleep(world, edge_count);
    for (uint32_t n = 0; n < edge_count; ++n) {
        if (!sleep_edge(world, n, &a, &b)) {
            continue;
        }
        if (iso__body_is_moving(world, a) && iso__body_is_asleep(world, b)) {
            iso__bit_set(scratch->woken_sets, sleep_find(world->islands, b));
        } else if (iso__body_is_moving(world, b) && iso__body_is_asleep(world, a)) {
            iso__bit_set(scratch->woken_sets, sleep_find(world->islands, a));
        }
    }
    for (uint32_t i = 0; i < world->globals->body_count; ++i) {
        if (iso__body_is_asleep(world, i) && iso__bit_is_set(scratch->woken_sets, sleep_find(world->islands, i))) {
            iso__body_wake(world, i);
            iso__bit_set(scratch->moving_bits, i);
        }
    }
    world->wakes_islands = false;
}

// ---- falling asleep ------------------------------------------------------------------------------

static void sleep_put(iso_world *world, uint32_t body) {
    iso__body *record = &world->bodies[body];
    record->velocity[0] = record->velocity[1] = record->spin = 0;
    record->quiet_ticks = 0;
    record->flags |= ISO__BODY_ASLEEP;
    iso__body_refresh_awake(world, body);
    iso__event_sleep(world, body);
}

static bool sleep_is_slow(const iso__body *body, int64_t speed) {
    const int64_t x = body->velocity[0], y = body->velocity[1], w = body->spin;
    return x * x + y * y < speed * speed && w * w < speed * speed;
}

/// Counts the slow ticks of all moving bodies and marks the islands that stay awake.
static void sleep_count_slow_ticks(iso_world *world) {
    iso__step_scratch *scratch = world->scratch;
    const uint32_t limit = iso__sleep_ticks(&world->def);
    const int64_t speed = (int64_t)world->def.sleep_speed * 8; // Q15.16 to Q12.19
    for (uint32_t m = 0; m < scratch->moving_count; ++m) {
        iso__bit_clear(scratch->woken_sets, scratch->moving[m]);
    }
    for (uint32_t m = 0; m < scratch->moving_count; ++m) {
        const uint32_t i = scratch->moving[m];
        iso__body *body = &world->bodies[i];
        if (body->type != ISO_BODY_DYNAMIC) {
            continue;
        }
        const uint32_t slow_ticks = sleep_is_slow(body, speed) ? body->quiet_ticks + 1 : 0;
        body->quiet_ticks = slow_ticks < limit ? slow_ticks : limit;
        if (slow_ticks < limit || (body->flags & ISO__BODY_SLEEPLESS)) {
            iso__bit_set(scratch->woken_sets, world->islands[i]);
        }
    }
}

static void sleep_wake_pair(iso_world *world, uint32_t a, uint32_t b) {
    if (a >= world->def.body_capacity || b >= world->def.body_capacity) {
        return;
    }
    const bool is_dynamic_a = world->bodies[a].type == ISO_BODY_DYNAMIC,
               is_dynamic_b = world->bodies[b].type == ISO_BODY_DYNAMIC;
    if (is_dynamic_a && !is_dynamic_b && iso__body_is_moving(world, b)) {
        iso__bit_set(world->scratch->woken_sets, world->islands[a]);
    } else if (is_dynamic_b && !is_dynamic_a && iso__body_is_moving(world, a)) {
        iso__bit_set(world->scratch->woken_sets, world->islands[b]);
    }
}

/// Bodies that a moving kinematic body touches or pulls stay awake.
static void sleep_wake_carried(iso_world *world) {
    const iso__step_scratch *scratch = world->scratch;
    for (uint32_t k = 0; k < scratch->solved_count; ++k) {
        const iso__contact *contact = &world->contacts[scratch->solved[k]];
        if (!iso__contact_is_sensor(world, contact)) {
            sleep_wake_pair(world, world->shapes[contact->shape_a].body, world->shapes[contact->shape_b].body);
        }
    }
    for (uint32_t j = 0; j < scratch->joint_count; ++j) {
        const uint32_t *bodies = scratch->joints[j].bodies;
        for (uint32_t n = 0; n < (bodies[2] < world->def.body_capacity ? ISO__JOINT_PAIRS : 1); ++n) {
            uint32_t a, b;
            iso__joint_pair_of(bodies, n, &a, &b);
            sleep_wake_pair(world, a, b);
        }
    }
}

void iso__step_sleep(iso_world *world) {
    iso__step_scratch *scratch = world->scratch;
    ISO_ASSERT(scratch->moving_count <= world->globals->body_count);
    sleep_count_slow_ticks(world);
    if (scratch->has_moving_kinematic) {
        sleep_wake_carried(world);
    }
    for (uint32_t m = 0; m < scratch->moving_count; ++m) {
        const uint32_t i = scratch->moving[m];
        if (world->bodies[i].type == ISO_BODY_DYNAMIC && (scratch->motions[i].kind == ISO__MOTION_GONE ||
                                                          !iso__bit_is_set(scratch->woken_sets, world->islands[i]))) {
            // A body that sleeps alone, at the border, is woken by the bodies that it is connected with.
            world->wakes_islands |= scratch->motions[i].kind == ISO__MOTION_GONE;
            sleep_put(world, i);
        }
        scratch->motions[i] = (iso__motion){0}; // bodies that do not move in the next step have none
        scratch->drifts[i] = (iso__drift){{0, 0}, 0};
    }
}
