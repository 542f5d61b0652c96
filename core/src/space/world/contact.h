/// The list of contacts of a world in space, outside of a step.
#ifndef ISO_SPACE_WORLD_CONTACT_H
#define ISO_SPACE_WORLD_CONTACT_H

#include "space/world/scratch.h"

/// Bits of a contact's flags within a step alone, of the first of a pair: the shapes touched when it began.
#define ISO__SPACE_CONTACT_TOUCHED 128u
/// Of any: the contact had an impulse in one of the substeps.
#define ISO__SPACE_CONTACT_HIT 64u

/// A sensor's contact connects nothing and wakes nobody.
static inline bool iso__space_contact_is_sensor(const iso__space *space, const iso__space_contact *contact) {
    return ((space->shapes[contact->shape_a].flags | space->shapes[contact->shape_b].flags) &
            ISO__SPACE_SHAPE_SENSOR) != 0;
}

/// Whether a contact has stored the pose at which its manifold was made; it is the only one of its pair.
static inline bool iso__space_contact_has_pose(const iso__space_contact *contact) {
    const int32_t *q = contact->pose_rotation_a;
    return (q[0] | q[1] | q[2] | q[3]) != 0;
}

/// To be called when something changes that the manifolds of poses follow from: contacts have other numbers, a body
/// another centre of mass, or the state is another one.
static inline void iso__space_manifolds_forget(iso__space *space) {
    space->scratch->knows_manifolds = false;
    space->scratch->has_poses = true; // what there is will be looked at
}

/// How many contacts the pair has whose first one is given.
static inline uint32_t iso__space_contact_pair_count(const iso__space *space, uint32_t first) {
    uint32_t count = 1;
    while (first + count < space->world.globals->contact_count && space->contacts[first + count].child > 0) {
        ++count;
    }
    return count;
}

static inline bool iso__space_contact_pushes(const iso__space_contact *contact) {
    const int32_t *j = contact->normal_impulse;
    return (j[0] | j[1] | j[2] | j[3]) != 0;
}

/// Whether the shapes of a pair with these contacts touch: they overlapped when the last step began or pushed in the
/// one before, or have pushed in the last one.
static inline bool iso__space_contacts_touch(const iso__space_contact *contacts, uint32_t count) {
    bool touches = (contacts[0].flags & ISO__SPACE_CONTACT_TOUCHES) != 0;
    for (uint32_t c = 0; c < count && !touches; ++c) {
        touches = iso__space_contact_pushes(&contacts[c]);
    }
    return touches;
}

/// Tells of the end of a pair whose shapes touched, when the contact is its first.
void iso__space_contact_leave(iso__space *space, uint32_t index);

/// See iso__kernel.
void iso__space_contacts_read(const iso_world *world, uint32_t first, uint32_t count, iso__contact_ends *ends);

/// Removes the contacts of a shape, and those of a body, and wakes what they touched.
void iso__space_contacts_remove_shape(iso__space *space, uint32_t shape);
void iso__space_contacts_remove_body(iso__space *space, uint32_t body);

/// Wakes the bodies that a body has contacts with.
void iso__space_contacts_wake_neighbours(iso__space *space, uint32_t body);

/// The number of the contact of two shapes in either order; UINT32_MAX: there is none.
uint32_t iso__space_contact_find(const iso__space *space, uint32_t shape_a, uint32_t shape_b);

#endif
