/// See sleep.h.
#include "space/dynamics/sleep.h"

#include "space/dynamics/contact_group.h"
#include "space/dynamics/contact_rules.h"
#include "space/dynamics/moving.h"
#include "space/dynamics/watch.h"
#include "space/joint/joint_step.h"
#include "space/joint/work.h"
#include "world/events.h"
#include "step/island.h"
#include "space/world/body_wake.h"

static void island_join(iso__space *space, uint32_t a, uint32_t b) {
    if (space->bodies[a].type != ISO_BODY_DYNAMIC || space->bodies[b].type != ISO_BODY_DYNAMIC) {
        return;
    }
    iso__island_join(space->world.islands, a, b);
}

static void island_link(void *user, uint32_t body_a, uint32_t body_b) {
    iso__space *space = user;
    const uint64_t *moving = space->scratch->moving_bits;
    if (iso__bit_is_set(moving, body_a) && iso__bit_is_set(moving, body_b)) {
        island_join(space, body_a, body_b);
    }
}

typedef void edge_fn(iso__space *space, uint32_t body_a, uint32_t body_b);

/// Calls a function with the bodies of each contact that moves: those with rows, and those that the game has disabled.
static void islands_each_contact(iso__space *space, edge_fn *call) {
    const iso__space_scratch *scratch = space->scratch;
    for (uint32_t g = 0; g < scratch->group_count; ++g) {
        for (uint32_t i = 0; i < scratch->groups[g].count; ++i) {
            call(space, scratch->groups[g].body_a[i], scratch->groups[g].body_b[i]);
        }
    }
    const uint32_t count = scratch->rules == NULL ? 0 : space->world.globals->contact_count;
    for (uint32_t i = 0; i < count; ++i) {
        if (iso__space_contact_is_disabled(space, i)) {
            const iso__space_contact *contact = &space->contacts[i];
            call(space, space->shapes[contact->shape_a].body, space->shapes[contact->shape_b].body);
        }
    }
}

void iso__space_step_find_islands(iso__space *space) {
    iso_world *world = &space->world;
    const iso__space_scratch *scratch = space->scratch;
    for (uint32_t m = 0; m < scratch->moving_count; ++m) {
        world->islands[scratch->moving[m]] = scratch->moving[m];
    }
    islands_each_contact(space, island_join);
    iso__space_joints_link(space, island_link, space);
    world->island_count = 0;
    for (uint32_t m = 0; m < scratch->moving_count; ++m) {
        const uint32_t i = scratch->moving[m];
        world->islands[i] = iso__island_find(world->islands, i);
        world->island_count += world->islands[i] == i && space->bodies[i].type == ISO_BODY_DYNAMIC;
    }
}

// ---- waking --------------------------------------------------------------------------------------

/// The number of contacts and of slots of joints: what may connect two bodies.
static uint32_t wake_edge_count(const iso__space *space) {
    return space->world.globals->contact_count + space->world.globals->joint_count;
}

/// The bodies that contact or joint `n` connects; false: none.
static bool wake_edge(const iso__space *space, uint32_t n, uint32_t bodies[2]) {
    const uint32_t contact_count = space->world.globals->contact_count;
    if (n < contact_count) {
        const iso__space_shape *a = &space->shapes[space->contacts[n].shape_a];
        const iso__space_shape *b = &space->shapes[space->contacts[n].shape_b];
        bodies[0] = a->body;
        bodies[1] = b->body;
        return ((a->flags | b->flags) & ISO__SPACE_SHAPE_SENSOR) == 0;
    }
    const iso__space_joint *joint = &space->joints[n - contact_count];
    bodies[0] = joint->body_a;
    bodies[1] = joint->body_b;
    return joint->kind != 0 && (joint->flags & ISO__SPACE_JOINT_ENABLED) != 0 && joint->body_a != ISO__WORLD_BODY;
}

/// Joins the sleeping bodies that are connected with each other.
static void wake_join_asleep(iso__space *space) {
    iso_world *world = &space->world;
    uint32_t bodies[2];
    for (uint32_t i = 0; i < world->globals->body_count; ++i) {
        world->islands[i] = i;
        iso__bit_clear(space->scratch->woken_sets, i);
    }
    for (uint32_t n = 0; n < wake_edge_count(space); ++n) {
        if (wake_edge(space, n, bodies) && iso__space_body_is_asleep(world, bodies[0]) &&
            iso__space_body_is_asleep(world, bodies[1])) {
            island_join(space, bodies[0], bodies[1]);
        }
    }
}

void iso__space_step_wake_islands(iso__space *space) {
    iso_world *world = &space->world;
    uint64_t *woken_sets = space->scratch->woken_sets;
    uint32_t bodies[2];
    if (!world->wakes_islands) {
        return;
    }
    wake_join_asleep(space);
    for (uint32_t n = 0; n < wake_edge_count(space); ++n) {
        for (int side = 0; side < 2 && wake_edge(space, n, bodies); ++side) {
            const uint32_t other = bodies[1 - side];
            if (iso__space_body_is_asleep(world, other) && iso__space_body_moves(space, bodies[side])) {
                iso__bit_set(woken_sets, iso__island_find(world->islands, other));
            }
        }
    }
    for (uint32_t i = 0; i < world->globals->body_count; ++i) {
        if (iso__space_body_is_asleep(world, i) && iso__bit_is_set(woken_sets, iso__island_find(world->islands, i))) {
            iso__space_body_wake(world, i);
        }
    }
    world->wakes_islands = false;
}

// ---- sleep ---------------------------------------------------------------------------------------

static void sleep_fall(iso__space *space, uint32_t body) {
    iso__space_body *record = &space->bodies[body];
    for (int axis = 0; axis < 3; ++axis) {
        record->velocity[axis] = 0;
        record->momentum[axis] = 0;
    }
    iso__space_body_restart_quiet(record);
    record->flags |= ISO__SPACE_BODY_ASLEEP;
    iso__space_body_refresh_awake(&space->world, body);
    iso__bit_set(space->world.slept, body);
    iso__event_sleep(&space->world, body);
    iso__mark_dirty(&space->world, ISO_SECTION_BODIES, body);
}

static void sleep_mark_pair(iso__space *space, uint32_t kinematic, uint32_t body) {
    const iso__space_scratch *scratch = space->scratch;
    if (kinematic < space->world.def.body_capacity && body < space->world.def.body_capacity &&
        space->bodies[kinematic].type == ISO_BODY_KINEMATIC && iso__bit_is_set(scratch->moving_bits, kinematic) &&
        space->bodies[body].type == ISO_BODY_DYNAMIC) {
        iso__bit_set(scratch->woken_sets, space->world.islands[body]);
    }
}

static void sleep_mark_both(iso__space *space, uint32_t body_a, uint32_t body_b) {
    sleep_mark_pair(space, body_a, body_b);
    sleep_mark_pair(space, body_b, body_a);
}

/// An island that a moving kinematic body touches or pulls is driven.
static void sleep_mark_driven(iso__space *space) {
    const iso__space_scratch *scratch = space->scratch;
    islands_each_contact(space, sleep_mark_both);
    for (uint32_t i = 0; i < scratch->joint_count; ++i) {
        // The record may be gone: the joint may have broken.
        sleep_mark_both(space, scratch->joints[i].a.body, scratch->joints[i].b.body);
    }
}

void iso__space_step_sleep(iso__space *space) {
    iso_world *world = &space->world;
    iso__space_scratch *scratch = space->scratch;
    for (uint32_t w = 0; w < (world->def.body_capacity + 64) / 64; ++w) {
        scratch->woken_sets[w] = 0;
    }
    iso__space_step_watch(space);
    sleep_mark_driven(space);
    for (uint32_t m = 0; m < scratch->moving_count; ++m) {
        const uint32_t i = scratch->moving[m];
        const bool is_gone = scratch->motions[i].is_gone;
        if (space->bodies[i].type == ISO_BODY_DYNAMIC &&
            (is_gone || !iso__bit_is_set(scratch->woken_sets, world->islands[i]))) {
            // One that sleeps alone, at the border, is woken by the bodies that it is connected with.
            world->wakes_islands = world->wakes_islands || is_gone;
            sleep_fall(space, i);
        }
        scratch->motions[i] = (iso__space_motion){0}; // what does not move in the next step reads zeros
    }
}
