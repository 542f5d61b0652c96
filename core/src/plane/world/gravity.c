/// Gravity; a change of it wakes all bodies.
#include "isostep/world.h"
#include "math/fixed_ops.h"
#include "plane/world/plane.h"
#include "plane/world/wake.h"

iso_vec2 iso_world_get_gravity(const iso_world *world) {
    return (iso_vec2){world->globals->gravity[0], world->globals->gravity[1]};
}

iso_status iso_world_set_gravity(iso_world *world, iso_vec2 gravity) {
    ISO__PLANE_ONLY(world, ISO_ERR_DIMENSION);
    iso__plane *plane = iso__plane_of(world);
    if (iso__abs_u32(gravity.x) > 1000 * (uint32_t)ISO_FIX16_ONE ||
        iso__abs_u32(gravity.y) > 1000 * (uint32_t)ISO_FIX16_ONE) {
        return ISO_ERR_RANGE;
    }
    if (gravity.x == world->globals->gravity[0] && gravity.y == world->globals->gravity[1]) {
        return ISO_OK;
    }
    world->globals->gravity[0] = gravity.x;
    world->globals->gravity[1] = gravity.y;
    for (uint32_t i = 0; i < world->globals->body_count; ++i) {
        if (plane->bodies[i].type == ISO_BODY_DYNAMIC) {
            iso__plane_body_wake(world, i);
        }
    }
    iso__mark_section_dirty(world, ISO_SECTION_GLOBALS);
    return ISO_OK;
}
