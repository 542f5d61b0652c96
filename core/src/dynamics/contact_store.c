/// Stores the step's results in the contacts' records, and adds the events that follow from them.
#include "dynamics/contact_store.h"

#include "base/assert.h"
#include "dynamics/contact_group.h"
#include "dynamics/contact_rules.h"
#include "math/fixed_ops.h"
#include "solver/scratch.h"
#include "world/contact_point.h"
#include "world/events.h"

#define CONTACT_CHANGED 128u // of the flags, within the store alone

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

/// Where and how fast the shapes met: of the manifold, which is of the poses before the step, as the records still are.
static iso_contact_event contact_find_impact(const iso_world *world, const iso__contact *contact,
                                             const iso__manifold *manifold) {
    const uint32_t a = world->shapes[contact->shape_a].body, b = world->shapes[contact->shape_b].body;
    iso_contact_event impact = {.normal = {manifold->normal[0], manifold->normal[1]}, .approach_speed = INT64_MIN};
    for (uint32_t p = 0; p < manifold->count; ++p) {
        const iso_contact_point point = iso__contact_point(world, a, b, manifold, p);
        if (point.approach_speed > impact.approach_speed) {
            impact.approach_speed = point.approach_speed;
            impact.point = point.point;
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
            contact->flags &= (uint8_t)~CONTACT_CHANGED;
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

static void contact_set_touching(iso__contact *contact, bool touches) {
    if (touches != ((contact->flags & ISO__CONTACT_TOUCHES) != 0)) {
        contact->flags ^= ISO__CONTACT_TOUCHES | CONTACT_CHANGED;
    }
}

/// Contacts without rows begin to touch when the shapes overlap.
static void contacts_store_free(iso_world *world, int32_t slop) {
    const iso__step_scratch *scratch = world->scratch;
    for (uint32_t k = 0; scratch->free_count > 0 && k < scratch->solved_count; ++k) {
        if (scratch->contact_colours[k] != ISO__COLOUR_NONE) {
            continue;
        }
        iso__contact *contact = &world->contacts[scratch->solved[k]];
        const iso__manifold *manifold = &scratch->manifolds[k];
        const int32_t reach = (contact->flags & ISO__CONTACT_TOUCHES) != 0 ? slop : 0;
        bool touches = false;
        for (uint32_t p = 0; p < manifold->count; ++p) {
            touches = touches || manifold->points[p].separation <= reach;
            contact->normal_impulse[p] = contact->tangent_impulse[p] = 0;
        }
        contact_set_touching(contact, touches);
    }
}

/// Of contacts with rows, for a game that wants to know.
static void contact_note_maxima(iso__step_scratch *scratch, const iso__contact_group *group, uint32_t lane) {
    for (uint32_t p = 0; p < 2; ++p) {
        scratch->impulse_maxima[group->contact[lane]][p] = group->points[p].impulse_max[lane];
    }
}

void iso__contacts_store(iso_world *world) {
    ISO_ASSERT(world->scratch->solved_count <= world->globals->contact_count);
    iso__step_scratch *scratch = world->scratch;
    const int32_t slop = world->def.slop * 256; // Q15.16 to Q7.24, at most half a metre
    const bool is_told = iso__contacts_are_told(world);
    contacts_store_free(world, slop);
    for (uint32_t g = 0; g < scratch->group_count; ++g) {
        const iso__contact_group *group = &scratch->groups[g];
        for (uint32_t i = 0; i < group->count; ++i) {
            iso__contact *contact = &world->contacts[scratch->solved[group->contact[i]]];
            const bool touches = contacts_touch(group, i, contact, slop);
            contact_set_touching(contact, touches);
            if (is_told) {
                contact_note_maxima(scratch, group, i);
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
