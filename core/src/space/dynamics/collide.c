/// See collide.h.
#include "space/dynamics/collide.h"

#include "base/assert.h"
#include "math/fixed_ops.h"
#include "solver/parallel.h"
#include "space/collide/manifold_heights.h"
#include "space/dynamics/contact_pose.h"
#include "space/dynamics/moving.h"
#include "space/dynamics/pairs.h"
#include "space/dynamics/sleep.h"
#include "space/world/body_wake.h"
#include "space/world/contact.h"
#include "space/world/contact_match.h"
#include "world/events.h"

#define PAIR_GRAIN 16u

static uint32_t contact_body_a(const iso__space *space, const iso__space_contact *contact) {
    return space->shapes[contact->shape_a].body;
}

static uint32_t contact_body_b(const iso__space *space, const iso__space_contact *contact) {
    return space->shapes[contact->shape_b].body;
}

static iso__pair contact_key(const iso__space *space, const iso__space_contact *contact) {
    return (iso__pair){(uint64_t)contact_body_a(space, contact) << 32 | contact_body_b(space, contact),
                       (uint64_t)contact->shape_a << 32 | contact->shape_b};
}

static bool contact_moves(const iso__space *space, const iso__space_contact *contact) {
    const uint64_t *moving = space->scratch->moving_bits;
    return iso__bit_is_set(moving, contact_body_a(space, contact)) ||
           iso__bit_is_set(moving, contact_body_b(space, contact));
}

// ---- contacts ------------------------------------------------------------------------------------

static iso__space_manifold_settings pair_settings(const iso__space *space) {
    const iso__step_params *params = &space->scratch->params;
    return (iso__space_manifold_settings){params->manifold.slop, params->manifold.speculative};
}

/// The manifold of a pair; no points: none.
static void pair_collide(const iso__space *space, const iso__pair *pair, iso__space_manifold *manifold) {
    const iso__space_manifold_settings settings = pair_settings(space);
    int64_t offset[3];
    iso__space_pair_offset(space, pair, offset);
    manifold->count = 0;
    iso__space_manifold_make(&settings, &space->scratch->colliders[pair->shapes >> 32],
                             &space->scratch->colliders[(uint32_t)pair->shapes], offset, manifold);
    iso__space_pair_set_places(space, pair, manifold);
}

/// The manifolds of a pair with heights: its first one at its place among those of all pairs.
static void pair_collide_heights(const iso__space *space, const iso__pair *pair, uint32_t index) {
    const iso__space_scratch *scratch = space->scratch;
    const iso__space_manifold_settings settings = pair_settings(space);
    const uint32_t children = scratch->pair_children[index];
    int64_t offset[3];
    iso__space_pair_offset(space, pair, offset);
    iso__space_manifold found[ISO__SPACE_MANIFOLD_CHILDREN];
    const uint32_t count = iso__space_manifold_heights(&settings, &scratch->colliders[pair->shapes >> 32],
                                                       &scratch->colliders[(uint32_t)pair->shapes], offset, found);
    for (uint32_t c = 0; c < (children == UINT32_MAX ? 1 : ISO__SPACE_MANIFOLD_CHILDREN); ++c) {
        iso__space_manifold *manifold = &scratch->manifolds[c == 0 ? index : children + c - 1];
        manifold->count = 0;
        if (c < count) {
            *manifold = found[c];
            iso__space_pair_set_places(space, pair, manifold);
        }
    }
}

/// Finds the contacts of the last tick that the pairs had.
static void collision_find_old(const iso__space *space, const iso__pair_list *pairs) {
    const uint32_t count = space->world.globals->contact_count;
    uint32_t old = 0;
    for (uint32_t i = 0; i < pairs->count; ++i) {
        const iso__pair *pair = &pairs->pairs[i];
        space->scratch->pair_contacts[i] = UINT32_MAX;
        for (; old < count; ++old) {
            const iso__pair key = contact_key(space, &space->contacts[old]);
            if (!iso__pair_is_less(&key, pair)) {
                space->scratch->pair_contacts[i] = iso__pair_is_less(pair, &key) ? UINT32_MAX : old;
                break;
            }
        }
    }
}

/// Whether a pair's contact keeps the manifold of an earlier tick, which is then the pair's.
static bool pair_keep(const iso__space *space, uint32_t index) {
    const iso__space_scratch *scratch = space->scratch;
    const uint32_t old = scratch->has_poses ? scratch->pair_contacts[index] : UINT32_MAX;
    return old != UINT32_MAX && iso__space_contact_has_pose(&space->contacts[old]) &&
           iso__space_pose_keep(space, old, &scratch->manifolds[index]);
}

/// The walk over the pairs and the contacts of the last tick, both in the order of their keys.
typedef struct collision {
    uint32_t old;  // the next contact of the last tick
    uint32_t made; // contacts so far
    uint64_t dropped;
    bool has_woken;
} collision;

/// Whether there is no room for one more contact; the one that is dropped ends, if it had begun.
/// @param old  the pair's first contact of the last tick; UINT32_MAX: it had none
static bool collision_drops(iso__space *space, collision *at, uint32_t old) {
    if (at->made < space->world.def.contact_capacity) {
        return false;
    }
    if (old != UINT32_MAX) {
        iso__space_contact_leave(space, old);
    }
    ++at->dropped;
    return true;
}

static void collision_add(iso__space *space, collision *at, const iso__space_contact *contact, uint32_t manifold) {
    space->scratch->contact_manifolds[at->made] = manifold;
    space->scratch->contacts_next[at->made++] = *contact;
}

/// Passes the contacts of the last tick that come before a key: those of moving bodies end, the others stay.
/// @param key  NULL: the end
static void collision_pass_old(iso__space *space, collision *at, const iso__pair *key) {
    for (; at->old < space->world.globals->contact_count; ++at->old) {
        const iso__space_contact *contact = &space->contacts[at->old];
        const iso__pair old_key = contact_key(space, contact);
        if (key != NULL && !iso__pair_is_less(&old_key, key)) {
            return;
        }
        if (contact_moves(space, contact)) {
            iso__space_contact_leave(space, at->old);
        } else if (!collision_drops(space, at, at->old)) {
            collision_add(space, at, contact, UINT32_MAX);
        }
    }
}

/// A contact with what sleeps wakes it.
static void collision_wake(iso__space *space, collision *at, const iso__space_contact *contact) {
    const uint32_t bodies[2] = {contact_body_a(space, contact), contact_body_b(space, contact)};
    for (int side = 0; side < 2; ++side) {
        if (iso__space_body_is_asleep(&space->world, bodies[side]) && !iso__space_contact_is_sensor(space, contact)) {
            iso__space_body_wake(&space->world, bodies[side]);
            at->has_woken = true;
        }
    }
}

static bool contact_touches(const iso__space_contact *contact, const iso__space_manifold *manifold) {
    bool touches = false;
    for (uint32_t p = 0; p < manifold->count; ++p) {
        touches = touches || manifold->points[p].separation <= 0 || contact->normal_impulse[p] > 0;
    }
    return touches;
}

/// Notes of a pair's first contact whether the shapes touch, and whether they did: what begins and ends is told when it
/// is known what the contacts do.
static void collision_touch(iso__space_contact *contact, bool touches, bool has_touched) {
    contact->flags =
        (uint8_t)((touches ? ISO__SPACE_CONTACT_TOUCHES : 0) | (has_touched ? ISO__SPACE_CONTACT_TOUCHED : 0));
}

/// Without heights in the world nothing else is read.
static bool pair_has_heights(const iso__space *space, uint32_t index) {
    return space->world.globals->height_count > 0 && space->scratch->pair_children[index] != 0;
}

/// Finds the pairs with heights and gives each room for its further manifolds, in the order of the pairs.
static void collision_place_children(const iso__space *space, const iso__pair_list *pairs) {
    const iso__space_scratch *scratch = space->scratch;
    const uint32_t most = ISO__SPACE_MANIFOLD_CHILDREN - 1;
    uint32_t used = 0;
    for (uint32_t i = 0; i < pairs->count && space->world.globals->height_count > 0; ++i) {
        const uint64_t shapes = pairs->pairs[i].shapes;
        const bool has_heights = scratch->colliders[shapes >> 32].kind == ISO__SPACE_COLLIDER_HEIGHTS ||
                                 scratch->colliders[(uint32_t)shapes].kind == ISO__SPACE_COLLIDER_HEIGHTS;
        const bool has_room = used + most <= space->world.def.contact_capacity;
        scratch->pair_children[i] = !has_heights ? 0 : has_room ? scratch->pair_capacity + used : UINT32_MAX;
        used += has_heights && has_room ? most : 0;
    }
}

/// The contacts of a pair with heights. The first one says whether the shapes touch.
static void collision_add_heights(iso__space *space, collision *at, const iso__pair *pair, uint32_t index) {
    const iso__space_scratch *scratch = space->scratch;
    const uint32_t first = at->old;
    const iso__space_contact *old = &space->contacts[first];
    uint32_t old_count = 0;
    for (; at->old < space->world.globals->contact_count; ++at->old, ++old_count) {
        const iso__pair key = contact_key(space, &space->contacts[at->old]);
        if (iso__pair_is_less(pair, &key)) {
            break;
        }
    }
    iso__space_contact contacts[ISO__SPACE_MANIFOLD_CHILDREN];
    uint32_t numbers[ISO__SPACE_MANIFOLD_CHILDREN], count = 0, next = index;
    while (count < ISO__SPACE_MANIFOLD_CHILDREN && next != UINT32_MAX && scratch->manifolds[next].count > 0) {
        iso__space_contact_make(pair, &scratch->manifolds[next], &contacts[count]);
        contacts[count].child = (uint16_t)count;
        numbers[count++] = next;
        const uint32_t children = scratch->pair_children[index];
        next = children == UINT32_MAX ? UINT32_MAX : children + count - 1;
    }
    if (count == 0 || collision_drops(space, at, old_count > 0 ? first : UINT32_MAX)) {
        if (count == 0 && old_count > 0) {
            iso__space_contact_leave(space, first);
        }
        return;
    }
    if (scratch->manifolds[index].is_kept) {
        contacts[0] = *old;
    } else {
        // Without room for children there may be more than one, and only the first is known.
        if (count == 1 && scratch->pair_children[index] != UINT32_MAX) {
            iso__space_pose_take(space, &scratch->manifolds[index], contacts);
        }
        if (old_count > 0) {
            iso__space_contacts_match(contacts, count, old, old_count, iso__space_contact_is_round(space, contacts));
        }
    }
    bool touches = false;
    for (uint32_t c = 0; c < count; ++c) {
        touches = touches || contact_touches(&contacts[c], &scratch->manifolds[numbers[c]]);
    }
    collision_wake(space, at, contacts);
    collision_touch(contacts, touches, old_count > 0 && iso__space_contacts_touch(old, old_count));
    for (uint32_t c = 0; c < count; ++c) {
        if (c == 0 || !collision_drops(space, at, UINT32_MAX)) {
            collision_add(space, at, &contacts[c], numbers[c]);
        }
    }
}

static void collision_make_manifolds(iso_world *world, void *data, uint32_t begin, uint32_t end) {
    const iso__pair *pairs = data;
    const iso__space *space = iso__space_of(world);
    for (uint32_t i = begin; i < end; ++i) {
        iso__space_manifold *manifold = &space->scratch->manifolds[i];
        const bool is_kept = pair_keep(space, i);
        if (is_kept) {
            if (pair_has_heights(space, i) && space->scratch->pair_children[i] != UINT32_MAX) {
                space->scratch->manifolds[space->scratch->pair_children[i]].count = 0;
            }
        } else if (pair_has_heights(space, i)) {
            pair_collide_heights(space, &pairs[i], i);
        } else {
            pair_collide(space, &pairs[i], manifold);
        }
        manifold->is_kept = is_kept;
    }
}

static collision collision_walk(iso__space *space, iso__pair_list pairs) {
    const iso__space_scratch *scratch = space->scratch;
    collision_place_children(space, &pairs);
    if (scratch->has_poses) {
        iso__space_poses_begin(space);
        collision_find_old(space, &pairs);
    }
    iso__parallel_for(&space->world, 0, pairs.count, PAIR_GRAIN, collision_make_manifolds, (void *)pairs.pairs);
    collision at = {.dropped = pairs.dropped};
    for (uint32_t i = 0; i < pairs.count; ++i) {
        const iso__pair *pair = &pairs.pairs[i];
        uint32_t old = UINT32_MAX;
        collision_pass_old(space, &at, pair);
        if (pair_has_heights(space, i)) {
            collision_add_heights(space, &at, pair, i);
            continue;
        }
        if (at.old < space->world.globals->contact_count) {
            const iso__pair key = contact_key(space, &space->contacts[at.old]);
            old = iso__pair_is_less(pair, &key) ? UINT32_MAX : at.old++;
        }
        const iso__space_manifold *manifold = &scratch->manifolds[i];
        if (manifold->count == 0) {
            if (old != UINT32_MAX) {
                iso__space_contact_leave(space, old);
            }
            continue;
        }
        if (collision_drops(space, &at, old)) {
            continue;
        }
        iso__space_contact contact;
        if (manifold->is_kept) {
            contact = space->contacts[old];
        } else {
            iso__space_contact_make(pair, manifold, &contact);
            iso__space_pose_take(space, manifold, &contact);
            if (old != UINT32_MAX) {
                iso__space_contacts_match(&contact, 1, &space->contacts[old], 1,
                                          iso__space_contact_is_round(space, &contact));
            }
        }
        collision_wake(space, &at, &contact);
        collision_touch(&contact, contact_touches(&contact, manifold),
                        old != UINT32_MAX && iso__space_contacts_touch(&space->contacts[old], 1));
        collision_add(space, &at, &contact, i);
    }
    collision_pass_old(space, &at, NULL);
    return at;
}

void iso__space_step_collide(iso__space *space, uint64_t *since) {
    iso_world *world = &space->world;
    const uint32_t ends = world->events.contact_end_count;
    const uint64_t dropped_events = world->globals->dropped_events;
    iso__space_pairs_refresh(space);
    const iso__pair_list pairs = iso__space_pairs_find(space);
    iso__profile_stage(world, since, &world->profile.pairs);
    collision at = collision_walk(space, pairs);
    while (at.has_woken) {
        // The woken islands' pairs count, too. Each round wakes a body, so this ends.
        world->events.contact_end_count = ends;
        world->globals->dropped_events = dropped_events;
        iso__space_step_wake_islands(space);
        iso__space_step_find_moving(space);
        at = collision_walk(space, iso__space_pairs_find(space));
    }
    ISO_ASSERT(at.made <= world->def.contact_capacity);
    iso__space_contact *const contacts = space->contacts;
    space->contacts = space->scratch->contacts_next;
    space->scratch->contacts_next = contacts;
    world->globals->contact_count = at.made;
    iso__space_poses_remember(space);
    world->globals->dropped_contacts += at.dropped;
    iso__mark_section_dirty(world, ISO_SECTION_CONTACTS);
}
