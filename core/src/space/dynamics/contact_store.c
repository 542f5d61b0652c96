/// See contact_store.h.
///
/// A pair touches while its shapes overlapped when the step began, pushed in the step before, or have an impulse at the
/// end of this one. All of that is in its records, so that whether it touched a tick ago follows from the state. A hit
/// that is over before the last substep begins and ends in the same step.
#include "space/dynamics/contact_store.h"

#include <string.h>

#include "base/assert.h"
#include "isostep/body3.h"
#include "math/fixed_ops.h"
#include "space/dynamics/contact_group.h"
#include "space/dynamics/contact_rows.h"
#include "space/world/contact.h"
#include "space/world/contact_point.h"
#include "world/events.h"

#define IMPULSE_MAX (ISO_SPEED3_MAX_M_S * ISO__VEL_ONE)

static void contact_store(iso__space *space, const iso__space_contact_group *group, uint32_t i) {
    iso__space_contact *contact = &space->contacts[group->contact[i]];
    for (uint32_t p = 0; p < contact->point_count; ++p) {
        contact->normal_impulse[p] = group->points[p].impulse[i].lo;
        space->world.globals->clamped_impulses += group->points[p].impulse[i].lo == IMPULSE_MAX;
    }
    const int32_t t1[3] = {group->tangents[0][i].lo, group->tangents[0][i].hi, group->tangents[1][i].lo};
    const int32_t t2[3] = {group->tangents[1][i].hi, group->tangents[2][i].lo, group->tangents[2][i].hi};
    for (int axis = 0; axis < 3; ++axis) {
        const int64_t sum =
            (int64_t)t1[axis] * group->friction_impulse[i].lo + (int64_t)t2[axis] * group->friction_impulse[i].hi;
        contact->friction_impulse[axis] = iso__saturate32(iso__round_shift(sum, 30));
    }
    const int64_t twist = iso__round_shift((int64_t)group->twist[i].lo * group->radius[i], ISO__SPACE_TWIST_SHIFT);
    contact->twist_impulse = (int32_t)iso__clamp64(twist, -INT32_MAX, INT32_MAX);
}

/// Notes that a contact had an impulse, and the largest ones for a game that wants to know.
static void contact_note(iso__space *space, const iso__space_contact_group *group, uint32_t i) {
    const uint32_t number = group->contact[i];
    int32_t any = 0;
    for (uint32_t p = 0; p < space->contacts[number].point_count; ++p) {
        const int32_t most = group->points[p].impulse_max[i];
        any |= most;
        if (space->scratch->impulse_maxima != NULL) {
            space->scratch->impulse_maxima[number][p] = most;
        }
    }
    space->contacts[number].flags |= any != 0 ? ISO__SPACE_CONTACT_HIT : 0;
}

// ---- events --------------------------------------------------------------------------------------

/// Where and how fast the shapes of a pair met, of the point that approached faster than the others.
static iso_contact_event pair_find_impact(const iso__space *space, uint32_t first, uint32_t count) {
    const iso__space_contact *contact = &space->contacts[first];
    const uint32_t a = space->shapes[contact->shape_a].body, b = space->shapes[contact->shape_b].body;
    iso_contact_event impact = {.approach_speed = INT64_MIN};
    for (uint32_t c = first; c < first + count; ++c) {
        const iso__space_manifold *manifold = &space->scratch->manifolds[space->scratch->contact_manifolds[c]];
        for (uint32_t p = 0; p < manifold->count; ++p) {
            const iso_wide speed = iso__space_contact_approach(space, a, b, manifold, p);
            if (speed > impact.approach_speed) {
                impact.approach_speed = speed;
                impact.point3 = iso__space_contact_place(space, a, b, &manifold->points[p]);
                impact.normal3 = (iso_unit3){manifold->normal[0], manifold->normal[1], manifold->normal[2]};
            }
        }
    }
    return impact;
}

/// Tells whether a pair began or ended, and takes the marks of the step off its contacts.
static void pair_tell(iso__space *space, uint32_t first, uint32_t count) {
    iso__space_contact *contacts = &space->contacts[first];
    const uint32_t shapes[2] = {contacts[0].shape_a, contacts[0].shape_b};
    const uint32_t bodies[2] = {space->shapes[shapes[0]].body, space->shapes[shapes[1]].body};
    const bool has_touched = (contacts[0].flags & ISO__SPACE_CONTACT_TOUCHED) != 0;
    bool has_hit = false;
    for (uint32_t c = 0; c < count; ++c) {
        has_hit = has_hit || (contacts[c].flags & ISO__SPACE_CONTACT_HIT) != 0;
        contacts[c].flags &= ISO__SPACE_CONTACT_TOUCHES;
    }
    const bool touches = iso__space_contacts_touch(contacts, count);
    if (!has_touched && (touches || has_hit)) {
        const iso_contact_event impact = pair_find_impact(space, first, count);
        iso__event_contact_begin(&space->world, shapes, bodies, &impact);
    }
    if (!touches && (has_touched || has_hit)) {
        iso__event_contact_end(&space->world, shapes, bodies);
    }
}

/// In key order, which the groups do not have.
static void contacts_tell(iso__space *space) {
    const uint32_t *manifolds = space->scratch->contact_manifolds;
    const uint32_t goes_on = ISO__SPACE_CONTACT_TOUCHES | ISO__SPACE_CONTACT_TOUCHED;
    uint32_t count;
    for (uint32_t i = 0; i < space->world.globals->contact_count; i += count) {
        iso__space_contact *contact = &space->contacts[i];
        count = iso__space_contact_pair_count(space, i);
        if (count == 1 && (contact->flags & goes_on) == goes_on) {
            contact->flags = ISO__SPACE_CONTACT_TOUCHES; // as most do
        } else if (manifolds[i] != UINT32_MAX) {
            pair_tell(space, i, count);
        }
    }
}

void iso__space_contacts_store(iso__space *space) {
    const iso__space_scratch *scratch = space->scratch;
    ISO_ASSERT(scratch->group_count <= space->world.globals->contact_count);
    if (scratch->impulse_maxima != NULL) { // of contacts without rows
        memset(scratch->impulse_maxima, 0, space->world.globals->contact_count * sizeof *scratch->impulse_maxima);
    }
    for (uint32_t g = 0; g < scratch->group_count; ++g) {
        const iso__space_contact_group *group = &scratch->groups[g];
        for (uint32_t i = 0; i < group->count; ++i) {
            contact_store(space, group, i);
            if (group->notes) {
                contact_note(space, group, i);
            }
        }
    }
    contacts_tell(space);
}
