/// Stores the step's results in the contacts' records, and adds the events that follow from them.
#include "dynamics/contact_store.h"

#include "base/assert.h"
#include "dynamics/contact_group.h"
#include "base/bits.h"
#include "math/fixed_ops.h"
#include "math/wide128.h"
#include "solver/scratch.h"
#include "world/body.h"
#include "world/events.h"
#include "world/spin.h"

#define CONTACT_CHANGED 2u // of the flags, within the store alone

#define IMPULSE_MAX (ISO_SPEED_MAX_M_S * ISO__VEL_ONE)

/// Shapes begin to touch when the contact has an impulse, and cease when they are farther apart than the slop without
/// one: so resting contacts do not flicker.
static bool contacts_touch(const iso__contact_group *group, uint32_t lane, const iso__contact *contact, int32_t slop) {
    const bool was_touching = (contact->flags & ISO__CONTACT_TOUCHES) != 0;
    // Of other contacts it is kept or not, depending on the other lanes of the group.
    const bool has_impulse_max = !was_touching || group->surface[lane].hi > 0;
    bool touches = false;
    for (uint32_t p = 0; p < contact->point_count; ++p) {
        const bool is_near = was_touching && group->points[p].separation[lane] <= slop;
        // After an impact the last substep may have none: the shapes move on together, or separate.
        const bool pushes =
            group->points[p].impulse[lane].lo > 0 || (has_impulse_max && group->points[p].impulse_max[lane] > 0);
        touches = touches || is_near || pushes;
    }
    return touches;
}

/// The velocity of a body before the step; a kinematic body with a target has that of its way there.
static void contact_read_velocity(const iso_world *world, uint32_t body, int32_t velocity[3]) {
    const iso__body *record = &world->bodies[body];
    if (iso__bit_is_set(world->move_bits, body)) {
        iso__body_move_velocity(world, body, &world->moves[body], velocity);
        return;
    }
    velocity[0] = record->velocity[0];
    velocity[1] = record->velocity[1];
    velocity[2] = record->spin;
}

/// Where and how fast the shapes met: of the manifold, which is of the poses before the step, as the records still are.
static iso_contact_event contact_find_impact(const iso_world *world, const iso__contact *contact,
                                             const iso__manifold *manifold) {
    const uint32_t a = world->shapes[contact->shape_a].body, b = world->shapes[contact->shape_b].body;
    int32_t velocity_a[3], velocity_b[3];
    contact_read_velocity(world, a, velocity_a);
    contact_read_velocity(world, b, velocity_b);
    iso_contact_event impact = {.normal = {manifold->normal[0], manifold->normal[1]}, .approach_speed = INT64_MIN};
    for (uint32_t p = 0; p < manifold->count; ++p) {
        const iso__manifold_point *from = &manifold->points[p];
        const iso_vec2_wide va = iso__velocity_at(velocity_a, world->body_derived[a].radius_exponent, from->anchor_a);
        const iso_vec2_wide vb = iso__velocity_at(velocity_b, world->body_derived[b].radius_exponent, from->anchor_b);
        const iso_wide speed = iso__dot_shift(iso_wide_sub(va.x, vb.x), manifold->normal[0], iso_wide_sub(va.y, vb.y),
                                              manifold->normal[1], ISO__UNIT_FRACTION);
        if (speed > impact.approach_speed) {
            impact.approach_speed = speed;
            impact.point.x = world->bodies[a].position[0] + iso__shl64(from->anchor_a[0], 8);
            impact.point.y = world->bodies[a].position[1] + iso__shl64(from->anchor_a[1], 8);
        }
    }
    return impact;
}

/// Events in key order, which the groups do not have: contacts that changed were marked.
static void contacts_tell(iso_world *world) {
    const iso__step_scratch *scratch = world->scratch;
    for (uint32_t k = 0; k < scratch->solved_count; ++k) {
        iso__contact *contact = &world->contacts[scratch->solved[k]];
        if (contact->flags & CONTACT_CHANGED) {
            contact->flags &= ISO__CONTACT_TOUCHES;
            if (contact->flags & ISO__CONTACT_TOUCHES) {
                const iso_contact_event impact = contact_find_impact(world, contact, &scratch->manifolds[k]);
                iso__event_contact_begin(world, contact, &impact);
            } else {
                iso__event_contact_end(world, contact);
            }
        }
        iso__mark_dirty(world, ISO_SECTION_CONTACTS, scratch->solved[k]);
    }
}

void iso__contacts_store(iso_world *world) {
    ISO_ASSERT(world->scratch->solved_count <= world->globals->contact_count);
    const iso__step_scratch *scratch = world->scratch;
    const int32_t slop = world->def.slop * 256; // Q15.16 to Q7.24, at most half a metre
    for (uint32_t g = 0; g < scratch->group_count; ++g) {
        const iso__contact_group *group = &scratch->groups[g];
        for (uint32_t i = 0; i < group->count; ++i) {
            iso__contact *contact = &world->contacts[scratch->solved[group->contact[i]]];
            const bool touches = contacts_touch(group, i, contact, slop);
            if (touches != ((contact->flags & ISO__CONTACT_TOUCHES) != 0)) {
                contact->flags = (uint8_t)((touches ? ISO__CONTACT_TOUCHES : 0) | CONTACT_CHANGED);
            }
            for (uint32_t p = 0; p < contact->point_count; ++p) {
                contact->normal_impulse[p] = group->points[p].impulse[i].lo;
                contact->tangent_impulse[p] = group->points[p].impulse[i].hi;
                world->globals->clamped_impulses += contact->normal_impulse[p] == IMPULSE_MAX;
            }
        }
    }
    contacts_tell(world);
}
