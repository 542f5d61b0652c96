/// Stores the step's results in the contacts' records, and adds the events that follow from them.
#include "dynamics/contact_store.h"

#include "base/assert.h"
#include "dynamics/contact_group.h"
#include "math/fixed_ops.h"
#include "solver/scratch.h"
#include "world/events.h"

#define CONTACT_CHANGED 2u // of the flags, within the store alone

#define IMPULSE_MAX (ISO_SPEED_MAX_M_S * ISO__VEL_ONE)

/// Shapes begin to touch when the contact has an impulse, and cease when they are farther apart than the slop without
/// one: so resting contacts do not flicker.
static bool contacts_touch(const iso__contact_group *group, uint32_t lane, const iso__contact *contact, int32_t slop) {
    bool touches = false;
    for (uint32_t p = 0; p < contact->point_count; ++p) {
        const bool is_near = (contact->flags & ISO__CONTACT_TOUCHES) != 0 && group->points[p].separation[lane] <= slop;
        // The largest impulse is stored for contacts that bounce; others still have one at the end.
        const bool pushes = group->points[p].impulse[lane].lo > 0 || group->points[p].impulse_max[lane] > 0;
        touches = touches || is_near || pushes;
    }
    return touches;
}

/// Events in key order, which the groups do not have: contacts that changed were marked.
static void contacts_tell(iso_world *world) {
    const iso__step_scratch *scratch = world->scratch;
    for (uint32_t k = 0; k < scratch->solved_count; ++k) {
        iso__contact *contact = &world->contacts[scratch->solved[k]];
        if (contact->flags & CONTACT_CHANGED) {
            contact->flags &= ISO__CONTACT_TOUCHES;
            if (contact->flags & ISO__CONTACT_TOUCHES) {
                iso__event_contact_begin(world, contact);
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
