/// A body's frame and the world: points, vectors, the velocity of a point; and the kinetic energy.
#include "base/assert.h"
#include "math/fixed_ops.h"
#include "math/wide128.h"
#include "plane/world/body.h"
#include "plane/world/spin.h"

static iso_rotation frame_back(iso_rotation q) {
    return (iso_rotation){q.c, iso__neg32(q.s)};
}

iso_status iso_body_get_world_point(const iso_world *world, iso_body_id body, iso_vec2_wide local,
                                    iso_vec2_wide *point) {
    ISO__PLANE_ONLY(world, ISO_ERR_DIMENSION);
    const iso__plane *plane = iso__plane_of_const(world);
    if (!iso__body_is_alive(world, body)) {
        return ISO_ERR_STALE;
    }
    const iso_vec2_wide arm = iso_vec2_wide_rotate(local, plane->body_derived[body.index].rotation);
    *point = iso_vec2_wide_add(iso__plane_body_origin(plane, body.index), arm);
    return ISO_OK;
}

iso_status iso_body_get_local_point(const iso_world *world, iso_body_id body, iso_vec2_wide point,
                                    iso_vec2_wide *local) {
    ISO__PLANE_ONLY(world, ISO_ERR_DIMENSION);
    const iso__plane *plane = iso__plane_of_const(world);
    if (!iso__body_is_alive(world, body)) {
        return ISO_ERR_STALE;
    }
    const iso_vec2_wide arm = iso_vec2_wide_sub(point, iso__plane_body_origin(plane, body.index));
    *local = iso_vec2_wide_rotate(arm, frame_back(plane->body_derived[body.index].rotation));
    return ISO_OK;
}

iso_status iso_body_get_world_vector(const iso_world *world, iso_body_id body, iso_vec2_wide local,
                                     iso_vec2_wide *vector) {
    ISO__PLANE_ONLY(world, ISO_ERR_DIMENSION);
    const iso__plane *plane = iso__plane_of_const(world);
    if (!iso__body_is_alive(world, body)) {
        return ISO_ERR_STALE;
    }
    *vector = iso_vec2_wide_rotate(local, plane->body_derived[body.index].rotation);
    return ISO_OK;
}

iso_status iso_body_get_local_vector(const iso_world *world, iso_body_id body, iso_vec2_wide vector,
                                     iso_vec2_wide *local) {
    ISO__PLANE_ONLY(world, ISO_ERR_DIMENSION);
    const iso__plane *plane = iso__plane_of_const(world);
    if (!iso__body_is_alive(world, body)) {
        return ISO_ERR_STALE;
    }
    *local = iso_vec2_wide_rotate(vector, frame_back(plane->body_derived[body.index].rotation));
    return ISO_OK;
}

/// @param arm  [m] from the centre of mass, world orientation
static iso_vec2_wide frame_velocity(const iso__plane *plane, uint32_t body, iso_vec2_wide arm) {
    const iso__plane_body *record = &plane->bodies[body];
    const iso_wide w = iso__plane_angular_velocity_from_spin(record->spin, plane->body_derived[body].radius_exponent);
    // Once rounded, of Q.64.
    return (iso_vec2_wide){
        iso__dot_shift(iso__shl64(record->velocity[0], 13), ISO_WIDE_ONE, iso__neg64(w), arm.y, ISO__WIDE_FRACTION),
        iso__dot_shift(iso__shl64(record->velocity[1], 13), ISO_WIDE_ONE, w, arm.x, ISO__WIDE_FRACTION),
    };
}

iso_status iso_body_get_point_velocity(const iso_world *world, iso_body_id body, iso_vec2_wide point,
                                       iso_vec2_wide *velocity) {
    ISO__PLANE_ONLY(world, ISO_ERR_DIMENSION);
    const iso__plane *plane = iso__plane_of_const(world);
    if (!iso__body_is_alive(world, body)) {
        return ISO_ERR_STALE;
    }
    const int64_t *centre = plane->bodies[body.index].position;
    const iso_vec2_wide arm = iso_vec2_wide_sub(point, (iso_vec2_wide){centre[0], centre[1]});
    *velocity = frame_velocity(plane, body.index, arm);
    return ISO_OK;
}

iso_status iso_body_get_local_point_velocity(const iso_world *world, iso_body_id body, iso_vec2_wide local,
                                             iso_vec2_wide *velocity) {
    ISO__PLANE_ONLY(world, ISO_ERR_DIMENSION);
    const iso__plane *plane = iso__plane_of_const(world);
    if (!iso__body_is_alive(world, body)) {
        return ISO_ERR_STALE;
    }
    const iso__plane_body_derived *derived = &plane->body_derived[body.index];
    const iso_vec2_wide centre = {iso__shl64(derived->local_centre[0], 8), iso__shl64(derived->local_centre[1], 8)};
    const iso_vec2_wide arm = iso_vec2_wide_rotate(iso_vec2_wide_sub(local, centre), derived->rotation);
    *velocity = frame_velocity(plane, body.index, arm);
    return ISO_OK;
}

iso_status iso_body_get_kinetic_energy(const iso_world *world, iso_body_id body, iso_wide *energy) {
    ISO__PLANE_ONLY(world, ISO_ERR_DIMENSION);
    const iso__plane *plane = iso__plane_of_const(world);
    if (!iso__body_is_alive(world, body)) {
        return ISO_ERR_STALE;
    }
    const iso__plane_body *record = &plane->bodies[body.index];
    const iso__plane_body_derived *derived = &plane->body_derived[body.index];
    const int64_t x = record->velocity[0], y = record->velocity[1], spin = record->spin;
    // Q31.32 * Q.38, halved. The spin is w L with L = 2^k, k from -8 to 6.
    const unsigned to_wide = 2 * ISO__VEL_FRACTION + 1;
    ISO_ASSERT(derived->radius_exponent >= -8 && derived->radius_exponent <= 6);
    *energy = iso_wide_add(
        iso__mul_shift(derived->mass, x * x + y * y, to_wide),
        iso__mul_shift(derived->inertia, spin * spin, (unsigned)((int)to_wide + 2 * derived->radius_exponent)));
    return ISO_OK;
}
