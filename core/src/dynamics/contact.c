/// From pairs to contacts: which shapes touch in this tick, where, and with which impulses of the last one.
#include "dynamics/body.h"
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
        const uint64_t a = joint->body_a, b = joint->body_b;
        scratch->quiet_pairs[count++] = (iso__pair){a < b ? a << 32 | b : b << 32 | a, 0};
    }
    iso__pairs_sort(scratch->quiet_pairs, count);
    scratch->quiet_count = count;
    scratch->quiet_is_valid = true;
}

/// Carries the impulses over from the point of the last tick that has the same feature.
static void contact_match(iso__contact *contact, const iso__contact *old) {
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

/// Walks the pairs, the old contacts and the quiet pairs together, all in key order.
void iso__step_collide(iso_world *world, iso__pair_list pairs) {
    iso__step_scratch *scratch = world->scratch;
    const iso__box *boxes = world->broad_phase->boxes;
    const uint32_t candidate_max = iso__broad_phase_candidate_max(&world->def);
    uint32_t old = 0, quiet = 0, candidates = 0, made = 0;
    uint64_t dropped = pairs.dropped;
    contact_update_quiet_pairs(world);
    for (uint32_t i = 0; i < pairs.count; ++i) {
        const iso__pair *pair = &pairs.pairs[i];
        const uint32_t shape_a = (uint32_t)(pair->shapes >> 32), shape_b = (uint32_t)pair->shapes;
        if (!iso__box_overlaps(&boxes[shape_a], &boxes[shape_b])) {
            continue;
        }
        if (candidates == candidate_max) {
            ++dropped;
            continue;
        }
        ++candidates;
        while (quiet < scratch->quiet_count && scratch->quiet_pairs[quiet].bodies < pair->bodies) {
            ++quiet;
        }
        if (quiet < scratch->quiet_count && scratch->quiet_pairs[quiet].bodies == pair->bodies) {
            continue;
        }
        iso__manifold manifold;
        iso__manifold_make(world, &scratch->params.manifold, shape_a, shape_b, &manifold);
        if (manifold.count == 0) {
            continue;
        }
        if (made == world->def.contact_capacity) {
            ++dropped;
            continue;
        }
        iso__contact *contact = &scratch->contacts_next[made];
        contact_make(contact, pair, &manifold);
        scratch->manifolds[made++] = manifold;
        for (; old < world->globals->contact_count; ++old) {
            const iso__pair key = contact_key(world, &world->contacts[old]);
            if (!iso__pair_less(&key, pair)) {
                if (!iso__pair_less(pair, &key)) {
                    contact_match(contact, &world->contacts[old]);
                }
                break;
            }
        }
    }
    iso__contact *const contacts = world->contacts;
    world->contacts = scratch->contacts_next;
    scratch->contacts_next = contacts;
    world->globals->contact_count = made;
    world->globals->dropped_contacts += dropped;
}

void iso__contacts_remove_shape(iso_world *world, uint32_t shape) {
    uint32_t kept = 0;
    const uint32_t count = world->globals->contact_count;
    for (uint32_t i = 0; i < count; ++i) {
        if (world->contacts[i].shape_a != shape && world->contacts[i].shape_b != shape) {
            if (kept != i) {
                world->contacts[kept] = world->contacts[i];
            }
            ++kept;
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
