/// The limit of contact points: when there are more than the world's definition allows in a tick, members lose bodies
/// by the rule in event.h. Called by the step between session changes and commands, in worlds of every kind: contacts
/// are read through the kernel, so many at a time that the calls do not count.
///
/// The state does not contain which member brought two bodies together, and their age does not help: an old body can be
/// driven or teleported onto new ones. So a contact is charged to the side on which one body touches many, because that
/// removes fewer bodies. A body on another member's heap is charged with all contacts there, and is the only one
/// removed. Small bodies on a large one cause the loss of the large one, but of nothing else. To cause the loss of
/// single bodies, a member needs about as many of its own. If both sides were charged, one body could cause the loss of
/// a whole heap, since a heap has points of its own, too.
///
/// Contacts between bodies that cannot be removed only count for the sum: the scene's own heaps must stay below the
/// limit, with room for the members' bodies. If one of two bodies can be removed, it is charged, so that there is a
/// body to remove as long as there are too many points.
#include "step/contact_limit.h"

#include <string.h>

#include "base/assert.h"
#include "world/events.h"
#include "world/kernel.h"
#include "world/slots.h"

#define LIMIT_BLOCK 64u // contacts that are read at once
#define LIMIT_NONE  UINT8_MAX

/// The counts of a world's contacts. Counts per body are in the world's memory.
typedef struct limit_sum {
    uint32_t total;
    uint32_t points[ISO_SLOT_COUNT_MAX]; // charged to each member
} limit_sum;

typedef void limit_fn(iso_world *world, const iso__contact_ends *ends, limit_sum *sum);

/// Calls a function with each contact, in their order.
static void limit_each_contact(iso_world *world, limit_fn *call, limit_sum *sum) {
    iso__contact_ends ends[LIMIT_BLOCK];
    const uint32_t count = world->globals->contact_count;
    for (uint32_t first = 0; first < count; first += LIMIT_BLOCK) {
        const uint32_t size = count - first < LIMIT_BLOCK ? count - first : LIMIT_BLOCK;
        world->kernel->read_contacts(world, first, size, ends);
        for (uint32_t i = 0; i < size; ++i) {
            call(world, &ends[i], sum);
        }
    }
}

static void limit_add_points(iso_world *world, const iso__contact_ends *ends, limit_sum *sum) {
    (void)world;
    sum->total += ends->point_count;
}

static uint32_t limit_count_points(iso_world *world) {
    limit_sum sum = {0};
    limit_each_contact(world, limit_add_points, &sum);
    return sum.total;
}

/// The member that can lose each body, LIMIT_NONE: it is never removed. @return whether there is any
static bool limit_find_losers(iso_world *world) {
    const iso__kernel *kernel = world->kernel;
    bool has_any = false;
    for (uint32_t i = 0; i < world->globals->body_count; ++i) {
        const bool can_go = iso__generation_is_alive(world->body_generations[i]) && kernel->spawn_number(world, i) != 0;
        const uint32_t slot = can_go ? iso__slot_of(world, kernel->body_owner(world, i)) : UINT32_MAX;
        world->loser_slots[i] = slot < ISO_SLOT_COUNT_MAX ? (uint8_t)slot : LIMIT_NONE;
        has_any = has_any || slot < ISO_SLOT_COUNT_MAX;
    }
    return has_any;
}

/// A snapshot may contain two bodies with the same number: then the one with the higher index counts as newer.
static bool limit_is_newer(const iso_world *world, uint32_t body, uint32_t than) {
    const uint64_t number = world->kernel->spawn_number(world, body), other = world->kernel->spawn_number(world, than);
    return number != other ? number > other : body > than;
}

/// Counts for both bodies the points of a contact with another member's removable body.
static void limit_add_foreign(iso_world *world, const iso__contact_ends *ends, limit_sum *sum) {
    (void)sum;
    const uint32_t a = ends->bodies[0], b = ends->bodies[1];
    const uint8_t slot_a = world->loser_slots[a], slot_b = world->loser_slots[b];
    if (slot_a != slot_b && slot_a != LIMIT_NONE && slot_b != LIMIT_NONE) {
        world->foreign_points[a] += ends->point_count;
        world->foreign_points[b] += ends->point_count;
    }
}

/// The body to which the contact of two bodies is charged; UINT32_MAX: neither.
static uint32_t limit_find_charged(const iso_world *world, uint32_t a, uint32_t b) {
    const uint8_t slot_a = world->loser_slots[a], slot_b = world->loser_slots[b];
    if (slot_a == LIMIT_NONE || slot_b == LIMIT_NONE) {
        return slot_b != LIMIT_NONE ? b : slot_a != LIMIT_NONE ? a : UINT32_MAX;
    }
    const uint32_t *foreign = world->foreign_points;
    if (slot_a != slot_b && foreign[a] != foreign[b]) {
        return foreign[a] > foreign[b] ? a : b;
    }
    return limit_is_newer(world, a, b) ? a : b;
}

static void limit_charge(iso_world *world, const iso__contact_ends *ends, limit_sum *sum) {
    const uint32_t body = limit_find_charged(world, ends->bodies[0], ends->bodies[1]);
    sum->total += ends->point_count;
    if (body != UINT32_MAX) {
        world->charged_points[body] += ends->point_count;
        sum->points[world->loser_slots[body]] += ends->point_count;
    }
}

static limit_sum limit_add_up(iso_world *world) {
    limit_sum sum = {0};
    memset(world->foreign_points, 0, world->globals->body_count * sizeof *world->foreign_points);
    memset(world->charged_points, 0, world->globals->body_count * sizeof *world->charged_points);
    limit_each_contact(world, limit_add_foreign, &sum);
    limit_each_contact(world, limit_charge, &sum);
    return sum;
}

/// The member that loses a body next; UINT32_MAX when no member is charged.
static uint32_t limit_find_member(const limit_sum *sum) {
    uint32_t found = UINT32_MAX;
    for (uint32_t slot = 0; slot < ISO_SLOT_COUNT_MAX; ++slot) {
        if (sum->points[slot] > (found == UINT32_MAX ? 0 : sum->points[found])) {
            found = slot;
        }
    }
    return found;
}

/// The member's body with the most charged points; if several have as many, the newest. There is one, since the member
/// is charged.
static uint32_t limit_find_body(const iso_world *world, uint32_t slot) {
    const uint32_t *charged = world->charged_points;
    uint32_t found = UINT32_MAX;
    for (uint32_t i = 0; i < world->globals->body_count; ++i) {
        if (charged[i] == 0 || world->loser_slots[i] != slot) {
            continue;
        }
        if (found == UINT32_MAX || charged[i] > charged[found] ||
            (charged[i] == charged[found] && limit_is_newer(world, i, found))) {
            found = i;
        }
    }
    return found;
}

/// The slots charged with more than their share, a bit each.
static uint32_t limit_find_crowded(const iso_world *world, const limit_sum *sum) {
    uint32_t members = 0, crowded = 0;
    for (uint32_t slot = 0; slot < world->def.slot_capacity; ++slot) {
        members += world->slots[slot].occupied != ISO__SLOT_FREE;
    }
    for (uint32_t slot = 0; slot < world->def.slot_capacity; ++slot) {
        crowded |= (uint32_t)((uint64_t)sum->points[slot] * members > world->def.contact_point_limit) << slot;
    }
    return crowded;
}

void iso__contact_limit_apply(iso_world *world) {
    const uint32_t limit = world->def.contact_point_limit;
    ISO_ASSERT(world->globals->contact_count <= world->def.contact_capacity);
    if (limit == 0 || limit_count_points(world) <= limit || !limit_find_losers(world)) {
        return;
    }
    limit_sum sum = limit_add_up(world);
    world->events.crowded_slots = limit_find_crowded(world, &sum);
    for (uint32_t n = 0; n < ISO_REMOVALS_PER_TICK && sum.total > limit; ++n) {
        const uint32_t slot = limit_find_member(&sum);
        if (slot == UINT32_MAX) {
            return;
        }
        const uint32_t body = limit_find_body(world, slot);
        ISO_ASSERT(body < world->globals->body_count && world->kernel->body_owner(world, body).slot == slot);
        iso__event_removal(world, body);
        iso_body_destroy(world, (iso_body_id){body, world->body_generations[body]});
        world->loser_slots[body] = LIMIT_NONE;
        world->globals->removed_bodies += 1;
        world->events.crowded_slots |= UINT32_C(1) << slot;
        sum = limit_add_up(world);
    }
}
