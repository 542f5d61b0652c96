/// From pairs to contacts: which shapes touch in this tick, where, and with which impulses of the last one.
#include "dynamics/body.h"
#include "dynamics/events.h"
#include "dynamics/sleep.h"
#include "dynamics/step.h"
#include "math/fixed_ops.h"
#include "math/wide128.h"

#define CONTACT_IMPULSE_MAX (ISO_SPEED_MAX_M_S * ISO__VEL_ONE)

static iso__pair contact_key(const iso_world *world, const iso__contact *contact) {
    const uint64_t body_a = world->shapes[contact->shape_a].body, body_b = world->shapes[contact->shape_b].body;
    return (iso__pair){body_a << 32 | body_b, (uint64_t)contact->shape_a << 32 | contact->shape_b};
}

/// The pairs of bodies whose shapes a joint keeps from colliding, sorted; built anew when joints changed.
static void contact_update_quiet_pairs(iso_world *world) {
    iso__step_scratch *scratch = world->scratch;
    if (scratch->quiet_is_valid) {
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
            scratch->quiet_pairs[count++] = (iso__pair){a < b ? a << 32 | b : b << 32 | a, 0};
        }
    }
    iso__pairs_sort(scratch->quiet_pairs, count);
    scratch->quiet_count = count;
    scratch->quiet_is_valid = true;
}

/// Carries over what the contact of the last tick knew: the impulses of points with the same feature, and whether it
/// touched.
static void contact_match(iso__contact *contact, const iso__contact *old) {
    contact->flags = old->flags;
    for (uint32_t p = 0; p < contact->point_count; ++p) {
        for (uint32_t q = 0; q < old->point_count; ++q) {
            if (contact->feature[p] == old->feature[q]) {
                contact->normal_impulse[p] = old->normal_impulse[q];
                contact->tangent_impulse[p] = old->tangent_impulse[q];
            }
        }
    }
}

static void contact_make(iso__contact *contact, const iso__pair *pair, const iso__manifold *manifold) {
    *contact = (iso__contact){0};
    contact->shape_a = (uint32_t)(pair->shapes >> 32);
    contact->shape_b = (uint32_t)pair->shapes;
    contact->point_count = (uint8_t)manifold->count;
    for (uint32_t p = 0; p < manifold->count; ++p) {
        contact->feature[p] = manifold->points[p].feature;
    }
}

/// Where a walk stands: in the contacts of the last tick, in the quiet pairs, and in what it makes.
typedef struct collision {
    uint32_t old, quiet, candidates, made;
    uint64_t dropped;
    bool woke; // something that slept was touched: the walk begins anew
} collision;

/// A contact without a moving body stays as it is while one of its bodies sleeps; two bodies that are not dynamic any
/// more do not touch.
static bool contact_is_kept(const iso_world *world, const iso__contact *contact) {
    const uint32_t a = world->shapes[contact->shape_a].body, b = world->shapes[contact->shape_b].body;
    return !iso__body_is_moving(world, a) && !iso__body_is_moving(world, b) &&
           (iso__body_is_asleep(world, a) || iso__body_is_asleep(world, b));
}

static void contact_leave(iso_world *world, const iso__contact *old) {
    if (old->flags & ISO__CONTACT_TOUCHES) {
        iso__event_contact_end(world, old);
    }
}

/// Goes on to the old contacts from `end` on; those before it have no pair that moves. NULL: to the last one.
static void contact_pass_old(iso_world *world, collision *at, const iso__pair *end) {
    for (; at->old < world->globals->contact_count; ++at->old) {
        const iso__contact *old = &world->contacts[at->old];
        if (end != NULL) {
            const iso__pair key = contact_key(world, old);
            if (!iso__pair_less(&key, end)) {
                return;
            }
        }
        const bool is_kept = contact_is_kept(world, old);
        if (!is_kept || at->made == world->def.contact_capacity) {
            at->dropped += is_kept;
            contact_leave(world, old);
            continue;
        }
        if (at->made != at->old) {
            iso__mark_dirty(world, ISO_SECTION_CONTACTS, at->made);
        }
        world->scratch->contacts_next[at->made++] = *old;
    }
}

static bool contact_is_quiet(const iso__step_scratch *scratch, collision *at, uint64_t bodies) {
    while (at->quiet < scratch->quiet_count && scratch->quiet_pairs[at->quiet].bodies < bodies) {
        ++at->quiet;
    }
    return at->quiet < scratch->quiet_count && scratch->quiet_pairs[at->quiet].bodies == bodies;
}

static void contact_wake(iso_world *world, collision *at, uint32_t body) {
    if (iso__body_is_asleep(world, body)) {
        iso__body_wake(world, body);
        iso__bit_set(world->scratch->moving_bits, body);
        at->woke = true;
    }
}

/// One candidate: its manifold, and with points its contact.
static void contact_collide(iso_world *world, collision *at, const iso__pair *pair) {
    iso__step_scratch *scratch = world->scratch;
    iso__manifold *manifold = &scratch->manifolds[scratch->solved_count];
    iso__manifold beyond;
    const bool is_full = at->made == world->def.contact_capacity;
    manifold = is_full ? &beyond : manifold;
    iso__manifold_make(world, &scratch->params.manifold, (uint32_t)(pair->shapes >> 32), (uint32_t)pair->shapes, manifold);
    if (manifold->count == 0) {
        return;
    }
    contact_wake(world, at, (uint32_t)(pair->bodies >> 32));
    contact_wake(world, at, (uint32_t)pair->bodies);
    if (is_full) {
        ++at->dropped;
        return;
    }
    iso__contact *contact = &scratch->contacts_next[at->made];
    contact_make(contact, pair, manifold);
    if (at->old < world->globals->contact_count) {
        const iso__pair key = contact_key(world, &world->contacts[at->old]);
        if (!iso__pair_less(pair, &key)) { // nor the other way round: the old ones before this pair have been passed
            contact_match(contact, &world->contacts[at->old++]);
        }
    }
    scratch->solved[scratch->solved_count++] = at->made++;
}

/// Walks the pairs that move, the old contacts and the quiet pairs together, all in key order.
static collision contact_walk(iso_world *world, iso__pair_list pairs) {
    iso__step_scratch *scratch = world->scratch;
    const iso__box *boxes = world->broad_phase->boxes;
    const uint32_t candidate_max = iso__broad_phase_candidate_max(&world->def);
    collision at = {.dropped = pairs.dropped};
    scratch->solved_count = 0;
    for (uint32_t i = 0; i < pairs.count; ++i) {
        const iso__pair *pair = &pairs.pairs[i];
        if (!iso__body_is_moving(world, (uint32_t)(pair->bodies >> 32)) && !iso__body_is_moving(world, (uint32_t)pair->bodies)) {
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
        if (contact_is_quiet(scratch, &at, pair->bodies)) {
            continue;
        }
        contact_pass_old(world, &at, pair);
        contact_collide(world, &at, pair);
    }
    contact_pass_old(world, &at, NULL);
    return at;
}

void iso__step_collide(iso_world *world, iso__pair_list pairs) {
    iso__step_scratch *scratch = world->scratch;
    const uint32_t ends = world->events.contact_end_count;
    const uint64_t dropped_events = world->globals->dropped_events;
    contact_update_quiet_pairs(world);
    collision at = contact_walk(world, pairs);
    while (at.woke) {
        // The woken islands' pairs count, too. Each round wakes a body, so this ends.
        world->events.contact_end_count = ends;
        world->globals->dropped_events = dropped_events;
        iso__step_wake_islands(world);
        at = contact_walk(world, iso__broad_phase_repeat(world));
    }
    const uint32_t count_before = world->globals->contact_count;
    iso__contact *const contacts = world->contacts;
    world->contacts = scratch->contacts_next;
    scratch->contacts_next = contacts;
    world->globals->contact_count = at.made;
    world->globals->dropped_contacts += at.dropped;
    if (at.made < count_before && at.made > 0) {
        iso__mark_dirty(world, ISO_SECTION_CONTACTS, at.made - 1); // its shard has become shorter
    }
}

static bool contact_has_dynamic(const iso_world *world, const iso__contact *contact) {
    return world->bodies[world->shapes[contact->shape_a].body].type == ISO_BODY_DYNAMIC ||
           world->bodies[world->shapes[contact->shape_b].body].type == ISO_BODY_DYNAMIC;
}

void iso__contacts_remove(iso_world *world, uint32_t shape) {
    uint32_t kept = 0;
    const uint32_t count = world->globals->contact_count;
    for (uint32_t i = 0; i < count; ++i) {
        const iso__contact *contact = &world->contacts[i];
        if (contact->shape_a == shape || contact->shape_b == shape || !contact_has_dynamic(world, contact)) {
            iso__body_wake(world, world->shapes[contact->shape_a].body);
            iso__body_wake(world, world->shapes[contact->shape_b].body);
            contact_leave(world, contact);
        } else {
            world->contacts[kept++] = *contact;
        }
    }
    if (kept != count) {
        world->globals->contact_count = kept;
        iso__mark_section_dirty(world, ISO_SECTION_CONTACTS);
    }
}

static int32_t contact_rescale(int32_t impulse, iso_wide before, iso_wide after) {
    // Two bodies of infinite mass exchange nothing.
    const int64_t scaled = after == 0 ? 0 : iso__mul_div(impulse, before, after);
    return (int32_t)iso__clamp64(scaled, -CONTACT_IMPULSE_MAX, CONTACT_IMPULSE_MAX);
}

void iso__contacts_rescale(iso_world *world, uint32_t body, iso_wide before, iso_wide after) {
    for (uint32_t i = 0; i < world->globals->contact_count; ++i) {
        iso__contact *contact = &world->contacts[i];
        const uint32_t a = world->shapes[contact->shape_a].body, b = world->shapes[contact->shape_b].body;
        if (a != body && b != body) {
            continue;
        }
        // lambda = j / sigma stays, so j' / j = sigma' / sigma: the reduced masses are the sigmas' inverses.
        const iso_wide other = world->body_derived[a == body ? b : a].mass;
        const iso_wide from = iso__reduced_mass(before, other), to = iso__reduced_mass(after, other);
        for (uint32_t p = 0; p < contact->point_count; ++p) {
            contact->normal_impulse[p] = contact_rescale(contact->normal_impulse[p], from, to);
            contact->tangent_impulse[p] = contact_rescale(contact->tangent_impulse[p], from, to);
        }
        iso__mark_dirty(world, ISO_SECTION_CONTACTS, i);
    }
}

bool iso_world_get_contact(const iso_world *world, uint32_t index, iso_contact_view *view) {
    if (index >= world->globals->contact_count) {
        return false;
    }
    const iso__contact *contact = &world->contacts[index];
    const uint32_t body_a = world->shapes[contact->shape_a].body, body_b = world->shapes[contact->shape_b].body;
    *view = (iso_contact_view){
        .shape_a = {contact->shape_a, world->shape_generations[contact->shape_a]},
        .shape_b = {contact->shape_b, world->shape_generations[contact->shape_b]},
        .body_a = {body_a, world->body_generations[body_a]},
        .body_b = {body_b, world->body_generations[body_b]},
        .point_count = contact->point_count,
    };
    // j = sigma lambda, so lambda = j / sigma, with sigma = 1/mA + 1/mB and no share of a body without mass.
    const iso_wide reduced = iso__reduced_mass(world->body_derived[body_a].mass, world->body_derived[body_b].mass);
    for (uint32_t p = 0; p < contact->point_count; ++p) {
        view->normal_impulse[p] = iso_wide_mul(reduced, iso__shl64(contact->normal_impulse[p], 13));
        view->tangent_impulse[p] = iso_wide_mul(reduced, iso__shl64(contact->tangent_impulse[p], 13));
    }
    return true;
}
