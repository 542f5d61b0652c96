/// The limit of contact points: when there are more than the world's definition allows in a tick, members lose bodies
/// by the rule in event.h. Called by the step between session changes and commands.
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
#include "dynamics/contact_limit.h"

#include <string.h>

#include "base/assert.h"
#include "solver/scratch.h"
#include "world/events.h"
#include "world/slots.h"

/// The counts of a world's contacts. Counts per body are in the scratch memory.
typedef struct limit_sum {
    uint32_t total;
    uint32_t points[ISO_SLOT_COUNT_MAX]; // charged to each member
} limit_sum;

/// The slot of the member that can lose this body; UINT32_MAX: it is never removed.
static uint32_t limit_slot_of(const iso_world *world, uint32_t body) {
    const iso__body *record = &world->bodies[body];
    return record->spawn_number != 0 ? iso__slot_of(world, (iso_owner){record->owner_generation, record->owner_slot})
                                     : UINT32_MAX;
}

/// A snapshot may contain two bodies with the same number: then the one with the higher index counts as newer.
static bool limit_is_newer(const iso_world *world, uint32_t body, uint32_t than) {
    const uint64_t number = world->bodies[body].spawn_number, other = world->bodies[than].spawn_number;
    return number != other ? number > other : body > than;
}

/// Counts for each body the points of its contacts with other members' removable bodies.
static void limit_count_foreign(iso_world *world) {
    uint32_t *foreign = world->scratch->foreign_points;
    memset(foreign, 0, world->globals->body_count * sizeof *foreign);
    for (uint32_t i = 0; i < world->globals->contact_count; ++i) {
        const iso__contact *contact = &world->contacts[i];
        const uint32_t a = world->shapes[contact->shape_a].body, b = world->shapes[contact->shape_b].body;
        const uint32_t slot_a = limit_slot_of(world, a), slot_b = limit_slot_of(world, b);
        if (slot_a != slot_b && slot_a != UINT32_MAX && slot_b != UINT32_MAX) {
            foreign[a] += contact->point_count;
            foreign[b] += contact->point_count;
        }
    }
}

/// The body to which the contact of two bodies is charged; UINT32_MAX: neither.
static uint32_t limit_find_charged(const iso_world *world, uint32_t a, uint32_t b) {
    const uint32_t slot_a = limit_slot_of(world, a), slot_b = limit_slot_of(world, b);
    if (slot_a == UINT32_MAX || slot_b == UINT32_MAX) {
        return slot_b != UINT32_MAX ? b : slot_a != UINT32_MAX ? a : UINT32_MAX;
    }
    const uint32_t *foreign = world->scratch->foreign_points;
    if (slot_a != slot_b && foreign[a] != foreign[b]) {
        return foreign[a] > foreign[b] ? a : b;
    }
    return limit_is_newer(world, a, b) ? a : b;
}

static limit_sum limit_add_up(iso_world *world) {
    limit_sum sum = {0};
    uint32_t *charged = world->scratch->charged_points;
    memset(charged, 0, world->globals->body_count * sizeof *charged);
    limit_count_foreign(world);
    for (uint32_t i = 0; i < world->globals->contact_count; ++i) {
        const iso__contact *contact = &world->contacts[i];
        const uint32_t body =
            limit_find_charged(world, world->shapes[contact->shape_a].body, world->shapes[contact->shape_b].body);
        sum.total += contact->point_count;
        if (body != UINT32_MAX) {
            charged[body] += contact->point_count;
            sum.points[limit_slot_of(world, body)] += contact->point_count;
        }
    }
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
    const uint32_t *charged = world->scratch->charged_points;
    uint32_t found = UINT32_MAX;
    for (uint32_t i = 0; i < world->globals->body_count; ++i) {
        if (charged[i] == 0 || limit_slot_of(world, i) != slot) {
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
        const uint32_t body = limit_find_body(world, slot);
        ISO_ASSERT(body < world->globals->body_count && world->bodies[body].owner_slot == slot);
        iso__event_removal(world, body);
        iso_body_destroy(world, (iso_body_id){body, world->body_generations[body]});
        world->globals->removed_bodies += 1;
        world->events.crowded_slots |= UINT32_C(1) << slot;
        sum = limit_add_up(world);
    }
}
