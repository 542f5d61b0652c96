/// See collide3.h.
#include "dynamics3/collide3.h"

#include <string.h>

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

/// The nearest old point that none has taken, within a sixteenth of L; of two as near the one with the lower number.
/// UINT32_MAX: none.
static uint32_t contact_nearest(const iso__contact3 *contact, uint32_t point, const iso__contact3 *old,
                                uint32_t taken) {
    const int64_t reach = INT64_C(1) << (PLACE_FRACTION - 4);
    int64_t nearest = reach * reach + 1;
    uint32_t found = UINT32_MAX;
    for (uint32_t o = 0; o < old->point_count; ++o) {
        const int64_t distance = place_distance(&contact->place[3 * point], &old->place[3 * o]);
        if ((taken >> o & 1u) == 0 && distance < nearest) {
            nearest = distance;
            found = o;
        }
    }
    return found;
}

/// Each new point takes the impulse of an old one. Where it touches runs over what rolls: by place alone, a capsule that
/// rolls faster than L/16 per tick would begin each tick with its first end bearing all. So of what is round the points keep
/// their numbers, which go from end to end, where places have moved too far.
static void contact_match(iso__contact3 *contact, const iso__contact3 *old, bool is_round) {
    uint32_t taken = 0;
    for (uint32_t p = 0; p < contact->point_count; ++p) {
        uint32_t found = contact_nearest(contact, p, old, taken);
        if (found == UINT32_MAX && is_round && contact->point_count == old->point_count && (taken >> p & 1u) == 0) {
            found = p;
        }
        if (found != UINT32_MAX) {
            taken |= UINT32_C(1) << found;
            contact->normal_impulse[p] = old->normal_impulse[found];
        }
    }
    memcpy(contact->friction_impulse, old->friction_impulse, sizeof contact->friction_impulse);
    contact->twist_impulse = old->twist_impulse;
    contact->flags = old->flags;
}

// ---- contacts ------------------------------------------------------------------------------------

/// Which body's frame has the places: the one with the smaller L; A of two alike. A plane's body is never it.
static bool contact_is_b_smaller(const iso__space *space, uint32_t body_a, uint32_t body_b) {
    const iso__body3_derived *a = &space->body_derived[body_a], *b = &space->body_derived[body_b];
    const bool is_a_dynamic = space->bodies[body_a].type == ISO_BODY_DYNAMIC;
    const bool is_b_dynamic = space->bodies[body_b].type == ISO_BODY_DYNAMIC;
    return is_a_dynamic != is_b_dynamic ? is_b_dynamic : b->radius_exponent < a->radius_exponent;
}

/// The manifold of a pair; no points: none.
static void pair_collide(const iso__space *space, const iso__pair *pair, iso__manifold3 *manifold) {
    const uint32_t body_a = (uint32_t)(pair->bodies >> 32), body_b = (uint32_t)pair->bodies;
    const iso__step_params *params = &space->scratch->params;
    const iso__manifold3_settings settings = {params->manifold.slop, params->manifold.speculative};
    const int64_t *from = space->bodies[body_a].position, *to = space->bodies[body_b].position;
    int64_t offset[3];
    for (int axis = 0; axis < 3; ++axis) {
        offset[axis] = iso__round_shift(to[axis] - from[axis], 8);
    }
    manifold->count = 0;
    iso__manifold3_make(&settings, &space->scratch->colliders[pair->shapes >> 32],
                        &space->scratch->colliders[(uint32_t)pair->shapes], offset, manifold);
    if (manifold->count > 0) {
        const bool is_of_b = contact_is_b_smaller(space, body_a, body_b);
        const iso__body3_derived *smaller = &space->body_derived[is_of_b ? body_b : body_a];
        iso__manifold3_set_places(manifold, smaller->rotation, smaller->radius_exponent, is_of_b);
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
    for (int side = 0; side < 2 && !contact_is_sensor(space, contact); ++side) {
        if (iso__body3_is_asleep(&space->world, bodies[side])) {
            iso__body3_wake(&space->world, bodies[side]);
            at->has_woken = true;
        }
    }
}

/// Whether the shapes touch now, and events of what begins and ends.
static void collision_touch(iso__space *space, iso__contact3 *contact, const iso__manifold3 *manifold) {
    bool touches = false;
    for (uint32_t p = 0; p < manifold->count; ++p) {
        touches = touches || manifold->points[p].separation <= 0 || contact->normal_impulse[p] > 0;
    }
    const uint32_t shapes[2] = {contact->shape_a, contact->shape_b};
    const uint32_t bodies[2] = {contact_body_a(space, contact), contact_body_b(space, contact)};
    if (touches && (contact->flags & ISO__CONTACT_TOUCHES) == 0) {
        iso__event_contact_begin_of(&space->world, shapes, bodies);
    } else if (!touches && (contact->flags & ISO__CONTACT_TOUCHES) != 0) {
        iso__event_contact_end_of(&space->world, shapes, bodies);
    }
    contact->flags = touches ? ISO__CONTACT_TOUCHES : 0;
}

static void collision_make_manifolds(iso_world *world, void *data, uint32_t begin, uint32_t end) {
    const iso__pair *pairs = data;
    const iso__space *space = iso__space_of(world);
    for (uint32_t i = begin; i < end; ++i) {
        pair_collide(space, &pairs[i], &space->scratch->manifolds[i]);
    }
}

static collision collision_walk(iso__space *space, iso__pair_list pairs) {
    const iso__space_scratch *scratch = space->scratch;
    iso__parallel_for(&space->world, 0, pairs.count, PAIR_GRAIN, collision_make_manifolds, (void *)pairs.pairs);
    collision at = {.dropped = pairs.dropped};
    for (uint32_t i = 0; i < pairs.count; ++i) {
        const iso__pair *pair = &pairs.pairs[i];
        const iso__contact3 *old = NULL;
        collision_pass_old(space, &at, pair);
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
        collision_touch(space, &contact, manifold);
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
