/// The rows of one contact.
#ifndef ISO_PLANE_DYNAMICS_CONTACT_ROW_H
#define ISO_PLANE_DYNAMICS_CONTACT_ROW_H

#include "plane/world/plane.h"

struct iso__plane_contact_group;

/// The rows of one contact: normal, coefficients and masses of the points that its manifold has, and what is below.
void iso__plane_contact_fill_rows(const iso__plane *plane, struct iso__plane_contact_group *group, uint32_t lane);
/// What may change from tick to tick while a contact keeps its manifold: surface and impulses.
void iso__plane_contact_update_rows(const iso__plane *plane, struct iso__plane_contact_group *group, uint32_t lane);

#endif
