/// The public functions that compute more of a contact than its record contains.
#include "isostep/world.h"

#include "math/fixed_ops.h"
#include "math/wide128.h"
#include "plane/world/contact_point.h"
#include "plane/world/geometry.h"
#include "plane/world/mass.h"
#include "plane/world/plane.h"

/// The impulses of a point are those of the record's point with its feature.
static void contact_read_impulses(const iso__plane_contact *contact, uint32_t feature, iso_wide reduced,
                                  iso_contact_point *point) {
    for (uint32_t p = 0; p < contact->point_count; ++p) {
        if (contact->feature[p] == feature) {
            point->normal_impulse = iso_wide_mul(reduced, iso__shl64(contact->normal_impulse[p], 13));
            point->tangent_impulse = iso_wide_mul(reduced, iso__shl64(contact->tangent_impulse[p], 13));
        }
    }
}

bool iso_world_get_contact_manifold(const iso_world *world, uint32_t index, iso_contact_manifold *manifold) {
    ISO__PLANE_ONLY(world, false);
    const iso__plane *plane = iso__plane_of_const(world);
    if (index >= world->globals->contact_count) {
        return false;
    }
    const iso__plane_contact *contact = &plane->contacts[index];
    iso__plane_manifold is;
    iso__plane_contact_collide(plane, contact, &is);
    *manifold = (iso_contact_manifold){
        .is_touching = (contact->flags & ISO__PLANE_CONTACT_TOUCHES) != 0,
        .point_count = (uint8_t)is.count,
    };
    const uint32_t a = plane->shapes[contact->shape_a].body, b = plane->shapes[contact->shape_b].body;
    const iso_wide reduced = iso__reduced_mass(plane->body_derived[a].mass, plane->body_derived[b].mass);
    for (uint32_t p = 0; p < is.count; ++p) {
        iso_contact_point *point = &manifold->points[p];
        *point = iso__plane_contact_point(plane, a, b, &is, p);
        contact_read_impulses(contact, is.points[p].feature, reduced, point);
        manifold->normal = (iso_unit2){is.normal[0], is.normal[1]};
    }
    return true;
}
