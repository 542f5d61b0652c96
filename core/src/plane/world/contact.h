/// Contacts as records: their removal, and the effect of a changed mass on their impulses.
#ifndef ISO_PLANE_WORLD_CONTACT_H
#define ISO_PLANE_WORLD_CONTACT_H

#include "plane/world/plane.h"
#include "step/pair.h"
#include "world/kernel.h"

/// Whether one of two shapes is a sensor: then nothing of them is pushed.
static inline bool iso__plane_shapes_have_sensor(const iso__plane *plane, uint32_t shape_a, uint32_t shape_b) {
    return ((plane->shapes[shape_a].flags | plane->shapes[shape_b].flags) & ISO__PLANE_SHAPE_SENSOR) != 0;
}

/// A sensor's contact connects nothing and wakes nobody.
static inline bool iso__plane_contact_is_sensor(const iso__plane *plane, const iso__plane_contact *contact) {
    return iso__plane_shapes_have_sensor(plane, contact->shape_a, contact->shape_b);
}

/// Whether a contact of these shapes with so many points keeps the pose of its manifold: two polygons that touch with
/// an edge, see plane/dynamics/contact_pose.c.
static inline bool iso__plane_contact_has_pose(const iso__plane *plane, const iso__plane_contact *contact) {
    return contact->point_count == 2 && plane->shapes[contact->shape_a].vertex_count > 2 &&
           plane->shapes[contact->shape_b].vertex_count > 2;
}

/// Tells that its shapes touch, and that they do no longer. @param impact  of which point, normal and approach speed
/// are read
void iso__plane_contact_tell_begin(iso__plane *plane, const iso__plane_contact *contact,
                                   const iso_contact_event *impact);
void iso__plane_contact_tell_end(iso__plane *plane, const iso__plane_contact *contact);

/// The index of the first contact that does not come before a pair; the number of contacts when all do.
uint32_t iso__plane_contact_find_first(const iso__plane *plane, const iso__pair *pair);

/// The index of the contact of two shapes; UINT32_MAX: there is none. Contacts stand in key order.
uint32_t iso__plane_contact_find(const iso__plane *plane, uint32_t shape_a, uint32_t shape_b);

/// See iso__kernel.
void iso__plane_contacts_read(const iso_world *world, uint32_t first, uint32_t count, iso__contact_ends *ends);

/// Adds the end event of a contact whose shapes touched; the caller removes the record.
void iso__plane_contact_leave(iso__plane *plane, const iso__plane_contact *contact);

/// Removes every contact of a shape from the state, with its pose and impulses, and those that have lost their last
/// dynamic body. Linear in the number of contacts.
void iso__plane_contacts_remove(iso__plane *plane, uint32_t shape);

/// Whether iso__plane_contacts_remove has something to do for any shape of a body: one with many shapes may have no
/// contact.
bool iso__plane_contacts_have_body(const iso__plane *plane, uint32_t body);

/// Discards the manifolds that are known of a body's contacts (UINT32_MAX: of all): they are made again of the poses
/// that the contacts keep. Linear in the number of contacts.
void iso__plane_contacts_forget(iso__plane *plane, uint32_t body);

/// Keeps the physical impulses of the contacts of a body whose mass was `before` and is `after` now: they are stored as
/// j = sigma lambda. In key order; linear in their number.
void iso__plane_contacts_rescale(iso__plane *plane, uint32_t body, iso_wide before, iso_wide after);

#endif
