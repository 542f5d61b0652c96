/// Where and how fast two shapes meet.
#ifndef ISO_PLANE_WORLD_CONTACT_POINT_H
#define ISO_PLANE_WORLD_CONTACT_POINT_H

#include "isostep/contact.h"
#include "plane/collide/manifold.h"
#include "plane/world/plane.h"

/// A point of a manifold of these bodies at their present poses: place, separation and approach speed; impulses are 0.
iso_contact_point iso__plane_contact_point(const iso__plane *plane, uint32_t body_a, uint32_t body_b,
                                           const iso__plane_manifold *manifold, uint32_t number);

/// Where a point of a manifold is in the world, [m] Q31.32.
iso_vec2_wide iso__plane_contact_place(const iso__plane *plane, uint32_t body_a, uint32_t body_b,
                                       const iso__plane_manifold_point *point);

#endif
