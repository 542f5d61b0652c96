/// From pairs to contacts: which shapes touch in this tick, where, and with which impulses of the last one.
#include "dynamics/collide.h"

#include <string.h>

#include "base/assert.h"
#include "collide/manifold.h"
#include "dynamics/broad_phase.h"
#include "dynamics/contact_pose.h"
#include "dynamics/contact_rules.h"
#include "dynamics/sleep.h"
#include "solver/scratch.h"
#include "world/contact.h"
#include "world/geometry.h"
#include "world/wake.h"

static iso__pair contact_key(const iso_world *world, const iso__contact *contact) {
    const uint64_t body_a = world->shapes[contact->shape_a].body, body_b = world->shapes[contact->shape_b].body;
    return (iso__pair){body_a << 32 | body_b, (uint64_t)contact->shape_a << 32 | contact->shape_b};
}

/// The pairs of bodies whose shapes a joint keeps from colliding, sorted; listed again when joints changed.
static void contact_update_excluded_pairs(iso_world *world) {
    iso__step_scratch *scratch = world->scratch;
    if (!world->has_changed_joints) {
        return;
    }
    uint32_t count = 0;
    for (uint32_t i = 0; i < world->globals->joint_count; ++i) {
        const iso__joint *joint = &world->joints[i];
        const uint32_t keeps_apart = joint->flags & (ISO__JOINT_ENABLED | ISO__JOINT_COLLIDE_CONNECTED);
        if (joint->kind == 0 || joint->body_a == ISO__WORLD_BODY || keeps_apart != ISO__JOINT_ENABLED) {
            continue;
        }
        const uint64_t bodies[] = {joint->body_a, joint->body_b, joint->body_c, joint->body_d};
        for (uint32_t n = 0; n < 4 && bodies[n] != ISO__WORLD_BODY; n += 2) {
            const uint64_t a = bodies[n], b = bodies[n + 1];
            scratch->excluded_pairs[count++] = (iso__pair){a < b ? a << 32 | b : b << 32 | a, 0};
        }
    }
    iso__pairs_sort(scratch->excluded_pairs, count);
    scratch->excluded_count = count;
    world->has_changed_joints = false;
}

/// Copies from the contact of the last tick, if there was one, whether it touched and the impulses of points with the same
/// feature. All others have none.
static void contact_match(iso__contact *contact, const iso__contact *old) {
    contact->flags = old == NULL ? 0 : old->flags;
    for (uint32_t p = 0; p < 2; ++p) {
        contact->normal_impulse[p] = contact->tangent_impulse[p] = 0;
        for (uint32_t q = 0; old != NULL && p < contact->point_count && q < old->point_count; ++q) {
            if (contact->feature[p] == old->feature[q]) {
                contact->normal_impulse[p] = old->normal_impulse[q];
                contact->tangent_impulse[p] = old->tangent_impulse[q];
            }
        }
    }
}

static void contact_set_points(iso__contact *contact, const iso__manifold *manifold) {
    contact->point_count = (uint8_t)manifold->count;
    for (uint32_t p = 0; p < manifold->count; ++p) {
        contact->feature[p] = manifold->points[p].feature;
    }
}

/// The state of a pass: indices into the contacts of the last tick, the excluded pairs and the new contacts.
typedef struct collision {
    iso__pair old_key; // of the contact `old`; above all others at the end
    uint32_t old, excluded, candidates, made;
    uint64_t dropped;
    bool has_woken; // a sleeping body was touched: the pass is repeated
} collision;

static void contact_read_key(const iso_world *world, collision *at) {
    at->old_key = at->old < world->globals->contact_count ? contact_key(world, &world->contacts[at->old])
                                                          : (iso__pair){UINT64_MAX, UINT64_MAX};
}

/// A contact without a moving body stays as it is while one of its bodies sleeps; two bodies that are no longer dynamic
/// do not touch.
static bool contact_is_kept(const iso_world *world, const iso__contact *contact) {
    const uint32_t a = world->shapes[contact->shape_a].body, b = world->shapes[contact->shape_b].body;
    return !iso__body_is_moving(world, a) && !iso__body_is_moving(world, b) &&
           (iso__body_is_asleep(world, a) || iso__body_is_asleep(world, b));
}

/// Passes an old contact that has no moving pair.
static void contact_pass_one(iso_world *world, collision *at) {
    const iso__contact *old = &world->contacts[at->old];
    const bool is_kept = contact_is_kept(world, old);
    if (!is_kept || at->made == world->def.contact_capacity) {
        at->dropped += is_kept;
        iso__contact_leave(world, old);
        return;
    }
    if (at->made != at->old) {
        iso__mark_dirty(world, ISO_SECTION_CONTACTS, at->made);
    }
    world->scratch->contact_manifolds_next[at->made] = 0; // when it wakes it is made again
    world->scratch->contacts_next[at->made++] = *old;
}

/// Passes the old contacts before `end`. NULL: all that are left.
static inline void contact_pass_old(iso_world *world, collision *at, const iso__pair *end) {
    while (at->old < world->globals->contact_count && (end == NULL || iso__pair_is_less(&at->old_key, end))) {
        contact_pass_one(world, at);
        ++at->old;
        contact_read_key(world, at);
    }
}

static bool contact_is_excluded(const iso__step_scratch *scratch, collision *at, uint64_t bodies) {
    while (at->excluded < scratch->excluded_count && scratch->excluded_pairs[at->excluded].bodies < bodies) {
        ++at->excluded;
    }
    return at->excluded < scratch->excluded_count && scratch->excluded_pairs[at->excluded].bodies == bodies;
}

static void contact_wake(iso_world *world, collision *at, uint32_t body) {
    if (iso__body_is_asleep(world, body)) {
        iso__body_wake(world, body);
        iso__bit_set(world->scratch->moving_bits, body);
        at->has_woken = true;
    }
}

/// The contact of the last tick of this pair, or NULL. Those before it have been passed.
static const iso__contact *contact_find_old(const iso_world *world, const collision *at, const iso__pair *pair) {
    const bool is_found = at->old_key.bodies == pair->bodies && at->old_key.shapes == pair->shapes;
    return is_found ? &world->contacts[at->old] : NULL;
}

/// The manifold that is known of a contact of the last tick, or NULL.
static const iso__manifold *contact_find_manifold(const iso_world *world, const iso__contact *old) {
    const uint32_t number = world->contact_manifolds[old - world->contacts];
    return number == 0 ? NULL : &world->scratch->manifolds_last[number - 1];
}

/// Finds the manifold of a candidate, and what its contact has besides flags, if there are points.
static void contact_make(iso_world *world, const iso__pair *pair, const iso__contact *old, iso__contact *contact,
                         iso__manifold *manifold) {
    const iso__manifold *known = old == NULL ? NULL : contact_find_manifold(world, old);
    if (old != NULL && iso__contact_keep_pose(world, old, known, manifold)) {
        *contact = *old;
        if (known != NULL) {
            ISO_VALIDATE_ASSERT(contact->feature[0] == manifold->points[0].feature &&
                                contact->feature[1] == manifold->points[1].feature);
            return; // the same points with the same impulses
        }
    } else {
        *contact = (iso__contact){.shape_a = (uint32_t)(pair->shapes >> 32), .shape_b = (uint32_t)pair->shapes};
        iso__contact_take_pose(world, contact, manifold);
    }
    if (manifold->count > 0) {
        contact_set_points(contact, manifold);
        contact_match(contact, old);
    }
}

/// Computes the manifold of a candidate, and creates its contact if there are points.
static void contact_collide(iso_world *world, collision *at, const iso__pair *pair) {
    iso__step_scratch *scratch = world->scratch;
    const bool is_full = at->made == world->def.contact_capacity;
    iso__manifold beyond;
    iso__contact contact_beyond;
    iso__manifold *manifold = is_full ? &beyond : &scratch->manifolds[scratch->solved_count];
    iso__contact *contact = is_full ? &contact_beyond : &scratch->contacts_next[at->made];
    const iso__contact *old = contact_find_old(world, at, pair);
    contact_make(world, pair, old, contact, manifold);
    if (manifold->count == 0) {
        return;
    }
    if (!iso__contact_is_sensor(world, contact)) {
        contact_wake(world, at, (uint32_t)(pair->bodies >> 32));
        contact_wake(world, at, (uint32_t)pair->bodies);
    }
    if (is_full) {
        ++at->dropped;
        return;
    }
    if (old != NULL) {
        ++at->old;
        contact_read_key(world, at);
    }
    iso__contact_update_passing(world, contact, manifold, old == NULL);
    scratch->contact_manifolds_next[at->made] = iso__contact_has_pose(world, contact) ? scratch->solved_count + 1 : 0;
    scratch->solved[scratch->solved_count++] = at->made++;
}

/// Merges the moving pairs, the old contacts and the excluded pairs, all in key order.
static collision contact_walk(iso_world *world, iso__pair_list pairs) {
    iso__step_scratch *scratch = world->scratch;
    const iso__box *boxes = world->broad_phase->boxes;
    const uint32_t candidate_max = iso__broad_phase_candidate_max(&world->def);
    collision at = {.dropped = pairs.dropped};
    scratch->solved_count = 0;
    contact_read_key(world, &at);
    for (uint32_t i = 0; i < pairs.count; ++i) {
        const iso__pair *pair = &pairs.pairs[i];
        if (!iso__body_is_moving(world, (uint32_t)(pair->bodies >> 32)) &&
            !iso__body_is_moving(world, (uint32_t)pair->bodies)) {
            continue;
        }
        if (!iso__box_overlaps(&boxes[(uint32_t)(pair->shapes >> 32)], &boxes[(uint32_t)pair->shapes])) {
            continue;
        }
        if (at.candidates == candidate_max) {
            ++at.dropped;
            continue;
        }
        ++at.candidates;
        if (contact_is_excluded(scratch, &at, pair->bodies)) {
            continue;
        }
        contact_pass_old(world, &at, pair);
        contact_collide(world, &at, pair);
    }
    contact_pass_old(world, &at, NULL);
    return at;
}

void iso__step_collide(iso_world *world, iso__pair_list pairs) {
    ISO_ASSERT(pairs.count <= world->broad_phase->pair_capacity);
    iso__step_scratch *scratch = world->scratch;
    const uint32_t ends = world->events.contact_end_count;
    const uint64_t dropped_events = world->globals->dropped_events;
    contact_update_excluded_pairs(world);
    iso__manifold *const manifolds = scratch->manifolds;
    scratch->manifolds = scratch->manifolds_last;
    scratch->manifolds_last = manifolds;
    collision at = contact_walk(world, pairs);
    while (at.has_woken) {
        // The woken islands' pairs count, too. Each round wakes a body, so this ends.
        world->events.contact_end_count = ends;
        world->globals->dropped_events = dropped_events;
        iso__step_wake_islands(world);
        at = contact_walk(world, iso__broad_phase_repeat(world));
    }
    const uint32_t count_before = world->globals->contact_count;
    ISO_ASSERT(at.made <= world->def.contact_capacity && scratch->solved_count <= at.made);
    iso__contact *const contacts = world->contacts;
    world->contacts = scratch->contacts_next;
    scratch->contacts_next = contacts;
    uint32_t *const numbers = world->contact_manifolds;
    world->contact_manifolds = scratch->contact_manifolds_next;
    scratch->contact_manifolds_next = numbers;
    world->globals->contact_count = at.made;
    world->globals->dropped_contacts += at.dropped;
    if (at.made < count_before && at.made > 0) {
        iso__mark_dirty(world, ISO_SECTION_CONTACTS, at.made - 1); // its shard has become shorter
    }
}
