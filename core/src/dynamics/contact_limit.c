/// The limit of contact points: who makes more of them than the world's definition lets a tick have loses bodies, by the
/// order that event.h has. Called by the step between session changes and commands.
///
/// Contacts between bodies that nobody present owns count for the sum alone: the scene's own heaps must fit below the
/// limit, with room for what members do.
#include "dynamics/contact_limit.h"

#include "base/assert.h"
#include "world/events.h"
#include "world/slots.h"

/// What a world's contacts amount to.
typedef struct limit_sum {
    uint32_t total;
    uint32_t points[ISO_SLOT_COUNT_MAX]; // of the members' bodies
    uint32_t newest[ISO_SLOT_COUNT_MAX]; // each member's newest body that a step created, UINT32_MAX: none
} limit_sum;

/// The slot of the member that owns a body; UINT32_MAX: none.
static uint32_t limit_slot_of(const iso_world *world, const iso__body *body) {
    return iso__slot_of(world, (iso_owner){body->owner_generation, body->owner_slot});
}

static void limit_count_points(const iso_world *world, limit_sum *sum) {
    for (uint32_t i = 0; i < world->globals->contact_count; ++i) {
        const iso__contact *contact = &world->contacts[i];
        const uint32_t slot_a = limit_slot_of(world, &world->bodies[world->shapes[contact->shape_a].body]);
        const uint32_t slot_b = limit_slot_of(world, &world->bodies[world->shapes[contact->shape_b].body]);
        sum->total += contact->point_count;
        if (slot_a != UINT32_MAX) {
            sum->points[slot_a] += contact->point_count;
        }
        if (slot_b != UINT32_MAX && slot_b != slot_a) {
            sum->points[slot_b] += contact->point_count;
        }
    }
}

/// A snapshot may give two bodies one number: then the higher index is the newer one.
static void limit_find_newest(const iso_world *world, limit_sum *sum) {
    for (uint32_t slot = 0; slot < ISO_SLOT_COUNT_MAX; ++slot) {
        sum->newest[slot] = UINT32_MAX;
    }
    for (uint32_t i = 0; i < world->globals->body_count; ++i) {
        const iso__body *body = &world->bodies[i];
        const uint32_t slot = body->type != 0 && body->spawn_number != 0 ? limit_slot_of(world, body) : UINT32_MAX;
        if (slot != UINT32_MAX &&
            (sum->newest[slot] == UINT32_MAX || body->spawn_number >= world->bodies[sum->newest[slot]].spawn_number)) {
            sum->newest[slot] = i;
        }
    }
}

static limit_sum limit_add_up(const iso_world *world) {
    limit_sum sum = {0};
    limit_count_points(world, &sum);
    if (sum.total > world->def.contact_point_limit) {
        limit_find_newest(world, &sum);
    }
    return sum;
}

/// The member who loses a body next; UINT32_MAX when none has one to lose.
static uint32_t limit_find_member(const limit_sum *sum) {
    uint32_t found = UINT32_MAX;
    for (uint32_t slot = 0; slot < ISO_SLOT_COUNT_MAX; ++slot) {
        if (sum->newest[slot] != UINT32_MAX && sum->points[slot] > (found == UINT32_MAX ? 0 : sum->points[found])) {
            found = slot;
        }
    }
    return found;
}

/// Those with more than their share, a bit each.
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
    if (limit == 0 || 2 * world->globals->contact_count <= limit) {
        return; // a contact has two points at most
    }
    limit_sum sum = limit_add_up(world);
    if (sum.total > limit) {
        world->events.crowded_slots = limit_find_crowded(world, &sum);
    }
    for (uint32_t n = 0; n < ISO_REMOVALS_PER_TICK && sum.total > limit; ++n) {
        const uint32_t slot = limit_find_member(&sum);
        if (slot == UINT32_MAX) {
            return;
        }
        const uint32_t body = sum.newest[slot];
        ISO_ASSERT(body < world->globals->body_count && world->bodies[body].owner_slot == slot);
        iso__event_removal(world, body);
        iso_body_destroy(world, (iso_body_id){body, world->body_generations[body]});
        world->globals->removed_bodies += 1;
        world->events.crowded_slots |= UINT32_C(1) << slot;
        sum = limit_add_up(world);
    }
}
