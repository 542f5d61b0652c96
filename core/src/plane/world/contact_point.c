/// See contact_point.h.
#include "plane/world/contact_point.h"

#include "base/assert.h"
#include "math/fixed_ops.h"
#include "math/wide128.h"
#include "plane/world/body.h"
#include "plane/world/spin.h"

iso_vec2_wide iso__plane_contact_place(const iso__plane *plane, uint32_t body_a, uint32_t body_b,
                                       const iso__plane_manifold_point *point) {
    // The anchor of a static body may be about a segment.
    const bool is_of_b = plane->bodies[body_a].type == ISO_BODY_STATIC;
    const int64_t *centre = plane->bodies[is_of_b ? body_b : body_a].position;
    const int32_t *anchor = is_of_b ? point->anchor_b : point->anchor_a;
    return (iso_vec2_wide){centre[0] + iso__shl64(anchor[0], 8), centre[1] + iso__shl64(anchor[1], 8)};
}

iso_contact_point iso__plane_contact_point(const iso__plane *plane, uint32_t body_a, uint32_t body_b,
                                           const iso__plane_manifold *manifold, uint32_t number) {
    ISO_ASSERT(number < manifold->count);
    const iso__plane_manifold_point *from = &manifold->points[number];
    int32_t velocity_a[3], velocity_b[3];
    iso__plane_body_read_velocity(plane, body_a, velocity_a);
    iso__plane_body_read_velocity(plane, body_b, velocity_b);
    const iso_vec2_wide a =
        iso__plane_velocity_at(velocity_a, plane->body_derived[body_a].radius_exponent, from->anchor_a);
    const iso_vec2_wide b =
        iso__plane_velocity_at(velocity_b, plane->body_derived[body_b].radius_exponent, from->anchor_b);
    return (iso_contact_point){
        .point = iso__plane_contact_place(plane, body_a, body_b, from),
        .separation = iso__shl64(from->separation, 8),
        .approach_speed = iso__dot_shift(iso_wide_sub(a.x, b.x), manifold->normal[0], iso_wide_sub(a.y, b.y),
                                         manifold->normal[1], ISO__UNIT_FRACTION),
    };
}
