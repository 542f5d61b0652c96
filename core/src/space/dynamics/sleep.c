/// See sleep.h.
#include "space/dynamics/sleep.h"

#include "space/dynamics/contact_group.h"
#include "space/dynamics/contact_rules.h"
#include "space/dynamics/moving.h"
#include "space/dynamics/watch.h"
#include "space/joint/joint_step.h"
#include "space/joint/work.h"
#include "space/world/body_wake.h"
#include "step/island.h"
#include "step/wake_islands.h"
#include "world/events.h"

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
        iso__step_wake_islands(world, &(iso__wake_rules){
                                          .edge_count = world->globals->contact_count + world->globals->joint_count,
                                          .woken_sets = space->scratch->woken_sets,
                                          .read_edges = wake_read_edges,
                                          .moves = wake_moves,
                                          .wake = iso__space_body_wake,
                                      });
    }
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
