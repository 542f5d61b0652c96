/// Where and how fast two shapes in space meet.
#ifndef ISO_SPACE_WORLD_CONTACT_POINT_H
#define ISO_SPACE_WORLD_CONTACT_POINT_H

#include "isostep/contact3.h"
#include "space/collide/manifold.h"
#include "space/world/space.h"

/// Whose place a contact point is counted from: A, unless it is static and may be too far away for the format of
/// anchors.
static inline bool iso__space_contact_is_from_b(const iso__space *space, uint32_t body_a) {
    return space->bodies[body_a].type == ISO_BODY_STATIC;
}

/// Where a point of a manifold of these bodies is in the world.
iso_vec3_wide iso__space_contact_place(const iso__space *space, uint32_t body_a, uint32_t body_b,
                                       const iso__space_manifold_point *point);

/// The speed [m/s] Q31.32 at which the shapes of these bodies approach each other at a point along the normal.
iso_wide iso__space_contact_approach(const iso__space *space, uint32_t body_a, uint32_t body_b,
                                     const iso__space_manifold *manifold, uint32_t number);

/// Fills in what is known of a contact record with this manifold: `is_touching` is left out.
void iso__space_contact_read_manifold(const iso__space *space, const iso__space_contact *contact,
                                      const iso__space_manifold *from, iso_contact3_manifold *manifold);

/// Whether the shapes of the contact's pair touch, as in events.
bool iso__space_contact_is_touching(const iso__space *space, uint32_t index);

/// An impulse of a contact of two bodies [m/s] Q12.19 in [N s].
iso_wide iso__space_contact_impulse(iso_wide reduced, int32_t impulse);

/// The manifold of a contact's shapes at their bodies' present poses, and the contact's record with the impulses that
/// its points keep; no points: they are apart.
void iso__space_contact_collide(const iso__space *space, uint32_t index, iso__space_contact *contact,
                                iso__space_manifold *manifold);

#endif
