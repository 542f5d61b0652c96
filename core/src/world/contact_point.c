/// See contact_point.h.
#include "world/contact_point.h"

#include "base/assert.h"
#include "math/fixed_ops.h"
#include "math/wide128.h"
#include "world/body.h"
#include "world/spin.h"

iso_contact_point iso__contact_point(const iso_world *world, uint32_t body_a, uint32_t body_b,
                                     const iso__manifold *manifold, uint32_t number) {
    ISO_ASSERT(number < manifold->count);
    const iso__manifold_point *from = &manifold->points[number];
    int32_t velocity_a[3], velocity_b[3];
    iso__body_read_velocity(world, body_a, velocity_a);
    iso__body_read_velocity(world, body_b, velocity_b);
    const iso_vec2_wide a = iso__velocity_at(velocity_a, world->body_derived[body_a].radius_exponent, from->anchor_a);
    const iso_vec2_wide b = iso__velocity_at(velocity_b, world->body_derived[body_b].radius_exponent, from->anchor_b);
    return (iso_contact_point){
        .point = {world->bodies[body_a].position[0] + iso__shl64(from->anchor_a[0], 8),
                  world->bodies[body_a].position[1] + iso__shl64(from->anchor_a[1], 8)},
        .separation = iso__shl64(from->separation, 8),
        .approach_speed = iso__dot_shift(iso_wide_sub(a.x, b.x), manifold->normal[0], iso_wide_sub(a.y, b.y),
                                         manifold->normal[1], ISO__UNIT_FRACTION),
    };
}
