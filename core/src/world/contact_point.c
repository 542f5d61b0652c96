/// See contact_point.h.
#include "world/contact_point.h"

#include "base/assert.h"
#include "base/bits.h"
#include "math/fixed_ops.h"
#include "math/wide128.h"
#include "world/body.h"
#include "world/spin.h"

/// The velocity of a body now: what its contacts approach with. A kinematic body with a target has that of its way there.
/// @param velocity  receives x, y and the spin [m/s] Q12.19
static void point_read_velocity(const iso_world *world, uint32_t body, int32_t velocity[3]) {
    const iso__body *record = &world->bodies[body];
    if (iso__bit_is_set(world->move_bits, body)) {
        iso__body_move_velocity(world, body, &world->moves[body], velocity);
        return;
    }
    velocity[0] = record->velocity[0];
    velocity[1] = record->velocity[1];
    velocity[2] = record->spin;
}

iso_contact_point iso__contact_point(const iso_world *world, uint32_t body_a, uint32_t body_b,
                                     const iso__manifold *manifold, uint32_t number) {
    ISO_ASSERT(number < manifold->count);
    const iso__manifold_point *from = &manifold->points[number];
    int32_t velocity_a[3], velocity_b[3];
    point_read_velocity(world, body_a, velocity_a);
    point_read_velocity(world, body_b, velocity_b);
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
