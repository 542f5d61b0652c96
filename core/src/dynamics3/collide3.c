/// See collide3.h.
#include "dynamics3/collide3.h"

#include <string.h>

#include "collide3/manifold3_heights.h"
#include "dynamics3/moving3.h"
#include "dynamics3/pairs3.h"
#include "dynamics3/sleep3.h"
#include "math/fixed_ops.h"
#include "solver/parallel.h"
#include "world/events.h"
#include "world3/body3_wake.h"
#include "world3/contact3.h"

#define PLACE_FRACTION 14 // bits of a place below L
#define PAIR_GRAIN     16u

static uint32_t contact_body_a(const iso__space *space, const iso__contact3 *contact) {
    return space->shapes[contact->shape_a].body;
}

static uint32_t contact_body_b(const iso__space *space, const iso__contact3 *contact) {
    return space->shapes[contact->shape_b].body;
}

static iso__pair contact_key(const iso__space *space, const iso__contact3 *contact) {
    return (iso__pair){(uint64_t)contact_body_a(space, contact) << 32 | contact_body_b(space, contact),
                       (uint64_t)contact->shape_a << 32 | contact->shape_b};
}

static bool contact_is_sensor(const iso__space *space, const iso__contact3 *contact) {
    return ((space->shapes[contact->shape_a].flags | space->shapes[contact->shape_b].flags) & ISO__SHAPE3_SENSOR) != 0;
}

/// Whether one of the shapes is a sphere or a capsule.
static bool contact_is_round(const iso__space *space, const iso__contact3 *contact) {
    const uint8_t a = space->shapes[contact->shape_a].kind, b = space->shapes[contact->shape_b].kind;
    return a == ISO_SHAPE3_SPHERE || a == ISO_SHAPE3_CAPSULE || b == ISO_SHAPE3_SPHERE || b == ISO_SHAPE3_CAPSULE;
}

static bool contact_moves(const iso__space *space, const iso__contact3 *contact) {
    const uint64_t *moving = space->scratch->moving_bits;
    return iso__bit_is_set(moving, contact_body_a(space, contact)) ||
           iso__bit_is_set(moving, contact_body_b(space, contact));
}

// ---- impulses of the last tick -------------------------------------------------------------------

/// The square of the distance of two places.
static int64_t place_distance(const int16_t *a, const int16_t *b) {
    int64_t sum = 0;
    for (int i = 0; i < 3; ++i) {
        const int64_t difference = (int64_t)a[i] - b[i];
        sum += difference * difference;
    }
    return sum;
}

/// The nearest point of old contacts of a pair that none has taken, within a sixteenth of L; of two as near the one with the
/// lower number. Each contact has four numbers. UINT32_MAX: none. None is nearer than one at the same place, where most of
/// what rests is found.
static uint32_t contact_nearest(const int16_t *place, const iso__contact3 *old, uint32_t old_count, uint32_t taken) {
    const int64_t reach = INT64_C(1) << (PLACE_FRACTION - 4);
    int64_t nearest = reach * reach + 1;
    uint32_t found = UINT32_MAX;
    for (uint32_t c = 0; c < old_count && nearest > 0; ++c) {
        for (uint32_t p = 0; p < old[c].point_count && nearest > 0; ++p) {
            const uint32_t number = ISO__CONTACT3_POINTS * c + p;
            const int64_t distance =
                (taken >> number & 1u) != 0 ? INT64_MAX : place_distance(place, &old[c].place[3 * p]);
            if (distance < nearest) {
                nearest = distance;
                found = number;
            }
        }
    }
    return found;
}

static void contact_take_friction(iso__contact3 *contact, const iso__contact3 *old) {
    memcpy(contact->friction_impulse, old->friction_impulse, sizeof contact->friction_impulse);
    contact->twist_impulse = old->twist_impulse;
}

/// Each new point takes the impulse of an old one. Where it touches runs over what rolls: by place alone, a capsule that
/// rolls faster than L/16 per tick would begin each tick with its first end bearing all. So of what is round the points keep
/// their numbers, which go from end to end, where places have moved too far.
static void contact_match(iso__contact3 *contact, const iso__contact3 *old, bool is_round) {
    uint32_t taken = 0;
    for (uint32_t p = 0; p < contact->point_count; ++p) {
        uint32_t found = contact_nearest(&contact->place[3 * p], old, 1, taken);
        if (found == UINT32_MAX && is_round && contact->point_count == old->point_count && (taken >> p & 1u) == 0) {
            found = p;
        }
        if (found != UINT32_MAX) {
            taken |= UINT32_C(1) << found;
            contact->normal_impulse[p] = old->normal_impulse[found];
        }
    }
    contact_take_friction(contact, old);
    contact->flags = old->flags;
}

/// The same for all contacts of a pair with heights at once, since a point may be in another one than in the last tick.
/// Friction is that of the old contact which the first of its points was in, once.
static void children_match(iso__contact3 *contacts, uint32_t count, const iso__contact3 *old, uint32_t old_count,
                           bool is_round) {
    if (count == 1 && old_count == 1) {
        contact_match(contacts, old, is_round);
        return;
    }
    uint32_t taken = 0, taken_friction = 0;
    for (uint32_t c = 0; c < count; ++c) {
        bool has_friction = false;
        for (uint32_t p = 0; p < contacts[c].point_count; ++p) {
            uint32_t found = contact_nearest(&contacts[c].place[3 * p], old, old_count, taken);
            if (found == UINT32_MAX && is_round && old_count == count &&
                contacts[c].point_count == old[c].point_count && (taken >> (ISO__CONTACT3_POINTS * c + p) & 1u) == 0) {
                found = ISO__CONTACT3_POINTS * c + p;
            }
            if (found == UINT32_MAX) {
                continue;
            }
            const uint32_t from = found / ISO__CONTACT3_POINTS;
            taken |= UINT32_C(1) << found;
            contacts[c].normal_impulse[p] = old[from].normal_impulse[found % ISO__CONTACT3_POINTS];
            if (!has_friction && (taken_friction >> from & 1u) == 0) {
                taken_friction |= UINT32_C(1) << from;
                contact_take_friction(&contacts[c], &old[from]);
                has_friction = true;
            }
        }
    }
}

// ---- contacts ------------------------------------------------------------------------------------

/// Which body's frame has the places: the one with the smaller L; A of two alike. A plane's body is never it.
static bool contact_is_b_smaller(const iso__space *space, uint32_t body_a, uint32_t body_b) {
    const iso__body3_derived *a = &space->body_derived[body_a], *b = &space->body_derived[body_b];
    const bool is_a_dynamic = space->bodies[body_a].type == ISO_BODY_DYNAMIC;
    const bool is_b_dynamic = space->bodies[body_b].type == ISO_BODY_DYNAMIC;
    return is_a_dynamic != is_b_dynamic ? is_b_dynamic : b->radius_exponent < a->radius_exponent;
}

static iso__manifold3_settings pair_settings(const iso__space *space) {
    const iso__step_params *params = &space->scratch->params;
    return (iso__manifold3_settings){params->manifold.slop, params->manifold.speculative};
}

static void pair_find_offset(const iso__space *space, const iso__pair *pair, int64_t offset[3]) {
    const int64_t *from = space->bodies[pair->bodies >> 32].position;
    const int64_t *to = space->bodies[(uint32_t)pair->bodies].position;
    for (int axis = 0; axis < 3; ++axis) {
        offset[axis] = iso__round_shift(to[axis] - from[axis], 8);
    }
}

static void pair_set_places(const iso__space *space, const iso__pair *pair, iso__manifold3 *manifold) {
    if (manifold->count > 0) {
        const uint32_t body_a = (uint32_t)(pair->bodies >> 32), body_b = (uint32_t)pair->bodies;
        const bool is_of_b = contact_is_b_smaller(space, body_a, body_b);
        const iso__body3_derived *smaller = &space->body_derived[is_of_b ? body_b : body_a];
        iso__manifold3_set_places(manifold, smaller->rotation, smaller->radius_exponent, is_of_b);
    }
}

/// The manifold of a pair; no points: none.
static void pair_collide(const iso__space *space, const iso__pair *pair, iso__manifold3 *manifold) {
    const iso__manifold3_settings settings = pair_settings(space);
    int64_t offset[3];
    pair_find_offset(space, pair, offset);
    manifold->count = 0;
    iso__manifold3_make(&settings, &space->scratch->colliders[pair->shapes >> 32],
                        &space->scratch->colliders[(uint32_t)pair->shapes], offset, manifold);
    pair_set_places(space, pair, manifold);
}

/// The manifolds of a pair with heights: its first one at its place among those of all pairs.
static void pair_collide_heights(const iso__space *space, const iso__pair *pair, uint32_t index) {
    const iso__space_scratch *scratch = space->scratch;
    const iso__manifold3_settings settings = pair_settings(space);
    const uint32_t children = scratch->pair_children[index];
    int64_t offset[3];
    pair_find_offset(space, pair, offset);
    iso__manifold3 found[ISO__MANIFOLD3_CHILDREN];
    const uint32_t count = iso__manifold3_heights(&settings, &scratch->colliders[pair->shapes >> 32],
                                                  &scratch->colliders[(uint32_t)pair->shapes], offset, found);
    for (uint32_t c = 0; c < (children == UINT32_MAX ? 1 : ISO__MANIFOLD3_CHILDREN); ++c) {
        iso__manifold3 *manifold = &scratch->manifolds[c == 0 ? index : children + c - 1];
        manifold->count = 0;
        if (c < count) {
            *manifold = found[c];
            pair_set_places(space, pair, manifold);
        }
    }
}

static void contact_make(const iso__pair *pair, const iso__manifold3 *manifold, iso__contact3 *contact) {
    *contact = (iso__contact3){
        .shape_a = (uint32_t)(pair->shapes >> 32),
        .shape_b = (uint32_t)pair->shapes,
        .point_count = manifold->count,
    };
    for (uint32_t p = 0; p < manifold->count; ++p) {
        memcpy(&contact->place[3 * p], manifold->points[p].place, sizeof manifold->points[p].place);
    }
}

/// The walk over the pairs and the contacts of the last tick, both in the order of their keys.
typedef struct collision {
    uint32_t old;  // the next contact of the last tick
    uint32_t made; // contacts so far
    uint64_t dropped;
    bool has_woken;
} collision;

/// Whether there is no room for one more contact; the one that is dropped ends, if it had begun.
static bool collision_drops(iso__space *space, collision *at, const iso__contact3 *old) {
    if (at->made < space->world.def.contact_capacity) {
        return false;
    }
    if (old != NULL) {
        iso__contact3_leave(space, old);
    }
    ++at->dropped;
    return true;
}

static void collision_add(iso__space *space, collision *at, const iso__contact3 *contact, uint32_t manifold) {
    space->scratch->contact_manifolds[at->made] = manifold;
    space->scratch->contacts_next[at->made++] = *contact;
}

/// Passes the contacts of the last tick that come before a key: those of moving bodies end, the others stay.
/// @param key  NULL: the end
static void collision_pass_old(iso__space *space, collision *at, const iso__pair *key) {
    for (; at->old < space->world.globals->contact_count; ++at->old) {
        const iso__contact3 *contact = &space->contacts[at->old];
        const iso__pair old_key = contact_key(space, contact);
        if (key != NULL && !iso__pair_is_less(&old_key, key)) {
            return;
        }
        if (contact_moves(space, contact)) {
            iso__contact3_leave(space, contact);
        } else if (!collision_drops(space, at, contact)) {
            collision_add(space, at, contact, UINT32_MAX);
        }
    }
}

/// A contact with what sleeps wakes it.
static void collision_wake(iso__space *space, collision *at, const iso__contact3 *contact) {
    const uint32_t bodies[2] = {contact_body_a(space, contact), contact_body_b(space, contact)};
    for (int side = 0; side < 2; ++side) {
        if (iso__body3_is_asleep(&space->world, bodies[side]) && !contact_is_sensor(space, contact)) {
            iso__body3_wake(&space->world, bodies[side]);
            at->has_woken = true;
        }
    }
}

static bool contact_touches(const iso__contact3 *contact, const iso__manifold3 *manifold) {
    bool touches = false;
    for (uint32_t p = 0; p < manifold->count; ++p) {
        touches = touches || manifold->points[p].separation <= 0 || contact->normal_impulse[p] > 0;
    }
    return touches;
}

/// Whether the shapes touch now, and events of what begins and ends.
static void collision_touch(iso__space *space, iso__contact3 *contact, bool touches) {
    const uint32_t shapes[2] = {contact->shape_a, contact->shape_b};
    const uint32_t bodies[2] = {contact_body_a(space, contact), contact_body_b(space, contact)};
    if (touches && (contact->flags & ISO__CONTACT_TOUCHES) == 0) {
        iso__event_contact_begin_of(&space->world, shapes, bodies);
    } else if (!touches && (contact->flags & ISO__CONTACT_TOUCHES) != 0) {
        iso__event_contact_end_of(&space->world, shapes, bodies);
    }
    contact->flags = touches ? ISO__CONTACT_TOUCHES : 0;
}

/// Without heights in the world nothing else is read.
static bool pair_has_heights(const iso__space *space, uint32_t index) {
    return space->world.globals->height_count > 0 && space->scratch->pair_children[index] != 0;
}

/// Finds the pairs with heights and gives each room for its further manifolds, in the order of the pairs.
static void collision_place_children(const iso__space *space, const iso__pair_list *pairs) {
    const iso__space_scratch *scratch = space->scratch;
    const uint32_t most = ISO__MANIFOLD3_CHILDREN - 1;
    uint32_t used = 0;
    for (uint32_t i = 0; i < pairs->count && space->world.globals->height_count > 0; ++i) {
        const uint64_t shapes = pairs->pairs[i].shapes;
        const bool has_heights = scratch->colliders[shapes >> 32].kind == ISO__COLLIDER3_HEIGHTS ||
                                 scratch->colliders[(uint32_t)shapes].kind == ISO__COLLIDER3_HEIGHTS;
        const bool has_room = used + most <= space->world.def.contact_capacity;
        scratch->pair_children[i] = !has_heights ? 0 : has_room ? scratch->pair_capacity + used : UINT32_MAX;
        used += has_heights && has_room ? most : 0;
    }
}

/// The contacts of a pair with heights. The first one says whether the shapes touch.
static void collision_add_heights(iso__space *space, collision *at, const iso__pair *pair, uint32_t index) {
    const iso__space_scratch *scratch = space->scratch;
    const iso__contact3 *old = &space->contacts[at->old];
    uint32_t old_count = 0;
    for (; at->old < space->world.globals->contact_count; ++at->old, ++old_count) {
        const iso__pair key = contact_key(space, &space->contacts[at->old]);
        if (iso__pair_is_less(pair, &key)) {
            break;
        }
    }
    iso__contact3 contacts[ISO__MANIFOLD3_CHILDREN];
    uint32_t numbers[ISO__MANIFOLD3_CHILDREN], count = 0, next = index;
    while (count < ISO__MANIFOLD3_CHILDREN && next != UINT32_MAX && scratch->manifolds[next].count > 0) {
        contact_make(pair, &scratch->manifolds[next], &contacts[count]);
        contacts[count].child = (uint16_t)count;
        numbers[count++] = next;
        const uint32_t children = scratch->pair_children[index];
        next = children == UINT32_MAX ? UINT32_MAX : children + count - 1;
    }
    if (count == 0 || collision_drops(space, at, old_count > 0 ? old : NULL)) {
        if (count == 0 && old_count > 0) {
            iso__contact3_leave(space, old);
        }
        return;
    }
    children_match(contacts, count, old, old_count, contact_is_round(space, contacts));
    contacts[0].flags = old_count > 0 ? old->flags : 0;
    bool touches = false;
    for (uint32_t c = 0; c < count; ++c) {
        touches = touches || contact_touches(&contacts[c], &scratch->manifolds[numbers[c]]);
    }
    collision_wake(space, at, contacts);
    collision_touch(space, contacts, touches);
    for (uint32_t c = 0; c < count; ++c) {
        if (c == 0 || !collision_drops(space, at, NULL)) {
            collision_add(space, at, &contacts[c], numbers[c]);
        }
    }
}

static void collision_make_manifolds(iso_world *world, void *data, uint32_t begin, uint32_t end) {
    const iso__pair *pairs = data;
    const iso__space *space = iso__space_of(world);
    for (uint32_t i = begin; i < end; ++i) {
        if (pair_has_heights(space, i)) {
            pair_collide_heights(space, &pairs[i], i);
        } else {
            pair_collide(space, &pairs[i], &space->scratch->manifolds[i]);
        }
    }
}

static collision collision_walk(iso__space *space, iso__pair_list pairs) {
    const iso__space_scratch *scratch = space->scratch;
    collision_place_children(space, &pairs);
    iso__parallel_for(&space->world, 0, pairs.count, PAIR_GRAIN, collision_make_manifolds, (void *)pairs.pairs);
    collision at = {.dropped = pairs.dropped};
    for (uint32_t i = 0; i < pairs.count; ++i) {
        const iso__pair *pair = &pairs.pairs[i];
        const iso__contact3 *old = NULL;
        collision_pass_old(space, &at, pair);
        if (pair_has_heights(space, i)) {
            collision_add_heights(space, &at, pair, i);
            continue;
        }
        if (at.old < space->world.globals->contact_count) {
            const iso__pair key = contact_key(space, &space->contacts[at.old]);
            old = iso__pair_is_less(pair, &key) ? NULL : &space->contacts[at.old++];
        }
        const iso__manifold3 *manifold = &scratch->manifolds[i];
        if (manifold->count == 0) {
            if (old != NULL) {
                iso__contact3_leave(space, old);
            }
            continue;
        }
        if (collision_drops(space, &at, old)) {
            continue;
        }
        iso__contact3 contact;
        contact_make(pair, manifold, &contact);
        if (old != NULL) {
            contact_match(&contact, old, contact_is_round(space, &contact));
        }
        collision_wake(space, &at, &contact);
        collision_touch(space, &contact, contact_touches(&contact, manifold));
        collision_add(space, &at, &contact, i);
    }
    collision_pass_old(space, &at, NULL);
    return at;
}

void iso__step3_collide(iso__space *space) {
    iso_world *world = &space->world;
    const uint32_t begins = world->events.contact_begin_count, ends = world->events.contact_end_count;
    const uint64_t dropped_events = world->globals->dropped_events;
    iso__pairs3_refresh(space);
    collision at = collision_walk(space, iso__pairs3_find(space));
    while (at.has_woken) {
        // The woken islands' pairs count, too. Each round wakes a body, so this ends.
        world->events.contact_begin_count = begins;
        world->events.contact_end_count = ends;
        world->globals->dropped_events = dropped_events;
        iso__step3_wake_islands(space);
        iso__step3_find_moving(space);
        at = collision_walk(space, iso__pairs3_find(space));
    }
    iso__contact3 *const contacts = space->contacts;
    space->contacts = space->scratch->contacts_next;
    space->scratch->contacts_next = contacts;
    world->globals->contact_count = at.made;
    world->globals->dropped_contacts += at.dropped;
    iso__mark_section_dirty(world, ISO_SECTION_CONTACTS);
}
