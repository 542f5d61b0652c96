/// Stores the step's results in the contacts' records, and adds the events that follow from them.
#include "plane/dynamics/contact_store.h"

#include "base/assert.h"
#include "base/inline.h"
#include "math/fixed_ops.h"
#include "plane/dynamics/contact_group.h"
#include "plane/dynamics/contact_rules.h"
#include "plane/world/contact.h"
#include "plane/world/contact_point.h"
#include "plane/world/scratch.h"
#include "solver/parallel.h"
#include "world/events.h"

#define CONTACT_CHANGED 128u // of the flags, within the store alone

#define IMPULSE_MAX (ISO_SPEED_MAX_M_S * ISO__VEL_ONE)
#define GROUP_GRAIN 16u // groups of about 2 us to store: what it takes to hand them to another thread

/// Shapes begin to touch when the contact has an impulse, and cease when they are farther apart than the slop without
/// one: so resting contacts do not flicker.
///
/// A point that the contact does not have, or that is hidden, has neither: no impulse, and a separation of a metre.
static bool contacts_touch(const iso__plane_contact_group *group, uint32_t lane, const iso__plane_contact *contact,
                           int32_t slop) {
    const iso__plane_point_lanes *p = &group->points[0], *q = &group->points[1];
    const bool was_touching = (contact->flags & ISO__PLANE_CONTACT_TOUCHES) != 0;
    if ((p->impulse[lane].lo | q->impulse[lane].lo) != 0 ||
        (was_touching && iso__min32(p->separation[lane], q->separation[lane]) <= slop)) {
        return true;
    }
    // After an impact the last substep may have none: the shapes move on together, or separate. Of other contacts the
    // largest impulse is kept or not, depending on the other lanes of the group.
    return (!was_touching || group->surface[lane].hi > 0) && (p->impulse_max[lane] | q->impulse_max[lane]) != 0;
}

/// Where and how fast the shapes met: of the manifold, which is of the poses before the step, as the records still are.
static iso_contact_event contact_find_impact(const iso__plane *plane, const iso__plane_contact *contact,
                                             const iso__plane_manifold *manifold) {
    const uint32_t a = plane->shapes[contact->shape_a].body, b = plane->shapes[contact->shape_b].body;
    iso_contact_event impact = {.normal = {manifold->normal[0], manifold->normal[1]}, .approach_speed = INT64_MIN};
    for (uint32_t p = 0; p < manifold->count; ++p) {
        const iso_contact_point point = iso__plane_contact_point(plane, a, b, manifold, p);
        if (point.approach_speed > impact.approach_speed) {
            impact.approach_speed = point.approach_speed;
            impact.point = point.point;
        }
    }
    return impact;
}

/// Events in key order, which the groups do not have: contacts that changed were marked.
static void contacts_tell(iso__plane *plane) {
    const iso__plane_step_scratch *scratch = plane->scratch;
    for (uint32_t k = 0; k < scratch->solved_count; ++k) {
        iso__plane_contact *contact = &plane->contacts[scratch->solved[k]];
        if (contact->flags & CONTACT_CHANGED) {
            contact->flags &= (uint8_t)~CONTACT_CHANGED;
            if (contact->flags & ISO__PLANE_CONTACT_TOUCHES) {
                const iso_contact_event impact = contact_find_impact(plane, contact, &scratch->manifolds[k]);
                iso__plane_contact_tell_begin(plane, contact, &impact);
            } else {
                iso__plane_contact_tell_end(plane, contact);
            }
        }
    }
}

static void contacts_mark_dirty(iso__plane *plane) {
    const iso__plane_step_scratch *scratch = plane->scratch;
    if (scratch->solved_count == plane->world.globals->contact_count) {
        for (uint32_t i = 0; i < scratch->solved_count; i += ISO__SHARD_RECORDS) {
            iso__mark_dirty(&plane->world, ISO_SECTION_CONTACTS, i);
        }
        return;
    }
    uint32_t shard = UINT32_MAX;
    for (uint32_t k = 0; k < scratch->solved_count; ++k) {
        if (scratch->solved[k] / ISO__SHARD_RECORDS != shard) {
            shard = scratch->solved[k] / ISO__SHARD_RECORDS;
            iso__mark_dirty(&plane->world, ISO_SECTION_CONTACTS, scratch->solved[k]);
        }
    }
}

/// @return 1 when the contact changed
static uint32_t contact_set_touching(iso__plane_contact *contact, bool touches) {
    const bool changes = touches != ((contact->flags & ISO__PLANE_CONTACT_TOUCHES) != 0);
    contact->flags ^= changes ? ISO__PLANE_CONTACT_TOUCHES | CONTACT_CHANGED : 0;
    return changes;
}

/// Contacts without rows begin to touch when the shapes overlap. @return how many contacts changed
static uint32_t contacts_store_free(iso__plane *plane, int32_t slop) {
    const iso__plane_step_scratch *scratch = plane->scratch;
    uint32_t changes = 0;
    for (uint32_t k = 0; scratch->free_count > 0 && k < scratch->solved_count; ++k) {
        if (scratch->contact_colours[k] != ISO__PLANE_COLOUR_NONE) {
            continue;
        }
        iso__plane_contact *contact = &plane->contacts[scratch->solved[k]];
        const iso__plane_manifold *manifold = &scratch->manifolds[k];
        const int32_t reach = (contact->flags & ISO__PLANE_CONTACT_TOUCHES) != 0 ? slop : 0;
        bool touches = false;
        for (uint32_t p = 0; p < manifold->count; ++p) {
            touches = touches || manifold->points[p].separation <= reach;
            contact->normal_impulse[p] = contact->tangent_impulse[p] = 0;
        }
        changes += contact_set_touching(contact, touches);
    }
    return changes;
}

/// Of contacts with rows, for a game that wants to know.
static void contact_note_maxima(iso__plane_step_scratch *scratch, const iso__plane_contact_group *group,
                                uint32_t lane) {
    for (uint32_t p = 0; p < 2; ++p) {
        scratch->impulse_maxima[group->contact[lane]][p] = group->points[p].impulse_max[lane];
    }
}

/// Asks for the records that the group after the next one will write: they stand anywhere.
ISO__ALWAYS_INLINE void contacts_fetch(const iso__plane *plane, uint32_t number, uint32_t end) {
    const iso__plane_step_scratch *scratch = plane->scratch;
    const iso__plane_contact_group *group = &scratch->groups[number];
    for (uint32_t i = 0; number < end && i < group->count; ++i) {
        __builtin_prefetch(&plane->contacts[scratch->solved[group->contact[i]]], 1);
    }
}

/// @return whether the contact changed
static uint32_t contact_store(iso__plane_contact *contact, const iso__plane_contact_group *group, uint32_t lane,
                              int32_t slop, uint64_t *clamps) {
    for (uint32_t p = 0; p < 2; ++p) { // of a point that it does not have, they are and stay zero
        const iso__pair_lane impulse = group->points[p].impulse[lane];
        ISO_VALIDATE_ASSERT(p < contact->point_count || (impulse.lo | impulse.hi) == 0);
        contact->normal_impulse[p] = impulse.lo;
        contact->tangent_impulse[p] = impulse.hi;
        *clamps += impulse.lo == IMPULSE_MAX;
    }
    return contact_set_touching(contact, contacts_touch(group, lane, contact, slop));
}

typedef struct store_job {
    int32_t slop;     // [m] Q7.24
    uint64_t changes; // contacts that began or ceased to touch
} store_job;

/// The groups from begin on.
static void contacts_store_groups(iso_world *world, void *data, uint32_t begin, uint32_t end) {
    iso__plane *plane = iso__plane_of(world);
    iso__plane_step_scratch *scratch = plane->scratch;
    store_job *job = data;
    const bool is_told = iso__plane_contacts_are_told(world);
    uint64_t clamps = 0, changes = 0;
    for (uint32_t g = begin; g < end; ++g) {
        iso__plane_contact_group *group = &scratch->groups[g];
        uint32_t touching = ISO__PLANE_CONTACT_TOUCHES;
        contacts_fetch(plane, g + 2, end);
        for (uint32_t i = 0; i < group->count; ++i) {
            iso__plane_contact *contact = &plane->contacts[scratch->solved[group->contact[i]]];
            changes += contact_store(contact, group, i, job->slop, &clamps);
            touching &= contact->flags;
            if (is_told) {
                contact_note_maxima(scratch, group, i);
            }
        }
        group->touches = touching != 0;
    }
    iso__count_shared(&world->globals->clamped_impulses, clamps);
    iso__count_shared(&job->changes, changes);
}

void iso__plane_contacts_store(iso__plane *plane) {
    ISO_ASSERT(plane->scratch->solved_count <= plane->world.globals->contact_count);
    store_job job = {.slop = plane->world.def.slop * 256}; // Q15.16 to Q7.24, at most half a metre
    job.changes = contacts_store_free(plane, job.slop);
    iso__parallel_for(&plane->world, 0, plane->scratch->group_count, GROUP_GRAIN, contacts_store_groups, &job);
    if (job.changes > 0) {
        contacts_tell(plane);
    }
    contacts_mark_dirty(plane);
}
