/// What can be done to a body, a shape or a joint in worlds of every kind: the handle is checked here, the rest is the
/// kernel's.
#include "isostep/body.h"
#include "isostep/joint.h"
#include "world/kernel.h"
#include "world/slots.h"
#include "world/world.h"

#define HANDLE_BLOCK 8u // contacts that are read at once

bool iso_body_is_valid(const iso_world *world, iso_body_id body) {
    return iso__body_is_alive(world, body);
}

iso_body_id iso_body_next(const iso_world *world, uint32_t index) {
    for (uint32_t i = index; i < world->globals->body_count; ++i) {
        if (iso__generation_is_alive(world->body_generations[i])) {
            return (iso_body_id){i, world->body_generations[i]};
        }
    }
    return (iso_body_id){0, 0};
}

iso_status iso_body_destroy(iso_world *world, iso_body_id body) {
    return iso__body_is_alive(world, body) ? world->kernel->destroy_body(world, body.index) : ISO_ERR_STALE;
}

iso_status iso_body_set_owner(iso_world *world, iso_body_id body, iso_owner owner) {
    if (!iso__body_is_alive(world, body)) {
        return ISO_ERR_STALE;
    }
    if (!iso__owner_is_valid(owner)) {
        return ISO_ERR_RANGE;
    }
    iso__slot_count_body(world, world->kernel->body_owner(world, body.index), -1);
    iso__slot_count_body(world, owner, 1);
    world->kernel->own_body(world, body.index, owner);
    return ISO_OK;
}

iso_status iso_body_set_tag(iso_world *world, iso_body_id body, uint32_t tag) {
    if (!iso__body_is_alive(world, body)) {
        return ISO_ERR_STALE;
    }
    world->kernel->tag_body(world, body.index, tag);
    return ISO_OK;
}

bool iso_body_is_awake(const iso_world *world, iso_body_id body) {
    return iso__body_is_alive(world, body) && !world->kernel->body_is_asleep(world, body.index);
}

uint32_t iso_body_get_island(const iso_world *world, iso_body_id body) {
    return iso_body_is_awake(world, body) && world->kernel->body_is_dynamic(world, body.index)
               ? world->islands[body.index]
               : UINT32_MAX;
}

iso_status iso_body_wake(iso_world *world, iso_body_id body) {
    if (!iso__body_is_alive(world, body)) {
        return ISO_ERR_STALE;
    }
    world->kernel->wake_body(world, body.index);
    return ISO_OK;
}

uint32_t iso_body_next_contact(const iso_world *world, iso_body_id body, uint32_t index) {
    iso__contact_ends ends[HANDLE_BLOCK];
    const uint32_t count = iso__body_is_alive(world, body) ? world->globals->contact_count : 0;
    for (uint32_t first = index; first < count; first += HANDLE_BLOCK) {
        const uint32_t size = count - first < HANDLE_BLOCK ? count - first : HANDLE_BLOCK;
        world->kernel->read_contacts(world, first, size, ends);
        for (uint32_t i = 0; i < size; ++i) {
            if (ends[i].bodies[0] == body.index || ends[i].bodies[1] == body.index) {
                return first + i;
            }
            if (ends[i].bodies[0] > body.index) {
                return UINT32_MAX; // contacts stand in the order of body A, and B is above it
            }
        }
    }
    return UINT32_MAX;
}

// ---- shapes --------------------------------------------------------------------------------------

bool iso_shape_is_valid(const iso_world *world, iso_shape_id shape) {
    return iso__shape_is_alive(world, shape);
}

iso_shape_id iso_shape_next(const iso_world *world, uint32_t index) {
    for (uint32_t i = index; i < world->globals->shape_count; ++i) {
        if (iso__generation_is_alive(world->shape_generations[i])) {
            return (iso_shape_id){i, world->shape_generations[i]};
        }
    }
    return (iso_shape_id){0, 0};
}

iso_shape_id iso_body_next_shape(const iso_world *world, iso_body_id body, uint32_t index) {
    const uint32_t shape =
        iso__body_is_alive(world, body) ? world->kernel->next_shape(world, body.index, index) : UINT32_MAX;
    return shape == UINT32_MAX ? (iso_shape_id){0, 0} : (iso_shape_id){shape, world->shape_generations[shape]};
}

iso_status iso_shape_destroy(iso_world *world, iso_shape_id shape) {
    return iso__shape_is_alive(world, shape) ? world->kernel->destroy_shape(world, shape.index) : ISO_ERR_STALE;
}

iso_status iso_shape_set_filter(iso_world *world, iso_shape_id shape, iso_filter filter) {
    if (!iso__shape_is_alive(world, shape)) {
        return ISO_ERR_STALE;
    }
    world->kernel->filter_shape(world, shape.index, filter);
    return ISO_OK;
}

iso_status iso_shape_set_tag(iso_world *world, iso_shape_id shape, uint32_t tag) {
    if (!iso__shape_is_alive(world, shape)) {
        return ISO_ERR_STALE;
    }
    world->kernel->tag_shape(world, shape.index, tag);
    return ISO_OK;
}

// ---- joints --------------------------------------------------------------------------------------

bool iso_joint_is_valid(const iso_world *world, iso_joint_id joint) {
    return iso__joint_is_alive(world, joint);
}

iso_joint_id iso_joint_next(const iso_world *world, uint32_t index) {
    for (uint32_t i = index; i < world->globals->joint_count; ++i) {
        if (iso__generation_is_alive(world->joint_generations[i])) {
            return (iso_joint_id){i, world->joint_generations[i]};
        }
    }
    return (iso_joint_id){0, 0};
}

iso_joint_id iso_body_next_joint(const iso_world *world, iso_body_id body, uint32_t index) {
    if (!iso__body_is_alive(world, body)) {
        return (iso_joint_id){0, 0};
    }
    for (uint32_t i = index; i < world->globals->joint_count; ++i) {
        if (!iso__generation_is_alive(world->joint_generations[i])) {
            continue;
        }
        uint32_t bodies[4];
        world->kernel->joint_bodies(world, i, bodies);
        if (bodies[0] == body.index || bodies[1] == body.index || bodies[2] == body.index || bodies[3] == body.index) {
            return (iso_joint_id){i, world->joint_generations[i]};
        }
    }
    return (iso_joint_id){0, 0};
}

bool iso_joint_is_awake(const iso_world *world, iso_joint_id joint) {
    if (!iso__joint_is_alive(world, joint)) {
        return false;
    }
    uint32_t bodies[4];
    world->kernel->joint_bodies(world, joint.index, bodies);
    bool is_awake = false;
    for (uint32_t n = 0; n < 4; ++n) {
        // Of bodies that are awake all but kinematic ones are dynamic.
        is_awake = is_awake || (bodies[n] != ISO__WORLD_BODY && iso__bit_is_set(world->awake, bodies[n]) &&
                                !iso__bit_is_set(world->kinematic, bodies[n]));
    }
    return is_awake;
}

iso_status iso_joint_destroy(iso_world *world, iso_joint_id joint) {
    return iso__joint_is_alive(world, joint) ? world->kernel->destroy_joint(world, joint.index) : ISO_ERR_STALE;
}

iso_status iso_joint_enable(iso_world *world, iso_joint_id joint, bool enabled) {
    return iso__joint_is_alive(world, joint) ? world->kernel->joint_setters->enable(world, joint.index, enabled)
                                             : ISO_ERR_STALE;
}

iso_status iso_joint_set_break(iso_world *world, iso_joint_id joint, iso_wide force, iso_wide torque, iso_wide error,
                               iso_wide angle, bool remove) {
    return iso__joint_is_alive(world, joint)
               ? world->kernel->joint_setters->set_break(world, joint.index, force, torque, error, angle, remove)
               : ISO_ERR_STALE;
}

/// A setter of the list that has no function here is told of by the compiler.
#define HANDLE_SETTER(name, arguments, fields) static_assert(sizeof &iso_joint_##name != 0, "a setter has a function");
ISO__JOINT_SETTER_LIST(HANDLE_SETTER, ISO__JOINT_ARGUMENT, ISO__JOINT_NO_FIELD)
#undef HANDLE_SETTER

iso_status iso_joint_set_tag(iso_world *world, iso_joint_id joint, uint32_t tag) {
    if (!iso__joint_is_alive(world, joint)) {
        return ISO_ERR_STALE;
    }
    world->kernel->tag_joint(world, joint.index, tag);
    return ISO_OK;
}
