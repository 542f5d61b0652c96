/// See joint.h.
#include "space/world/joint.h"

#include "space/world/body_wake.h"
#include "space/world/custom.h"
#include "world/slots.h"

const uint32_t iso__space_joint_kind_parts[] = {
#define JOINT_PARTS(name, number, snake, linear, angular, axis0, axis1, axis2, has) [number] = (has),
    ISO_JOINT3_KIND_LIST(JOINT_PARTS) ISO_JOINT3_CUSTOM_LIST(JOINT_PARTS)
#undef JOINT_PARTS
};

uint32_t iso_joint3_kind_has(uint8_t kind) {
    return kind < sizeof iso__space_joint_kind_parts / sizeof iso__space_joint_kind_parts[0]
               ? iso__space_joint_kind_parts[kind]
               : 0;
}

iso_joint3_axis_kind iso_joint3_axis_of(uint8_t kind, uint32_t n) {
    static const uint8_t axes[][ISO_JOINT3_AXES] = {
#define JOINT_AXES(name, number, snake, linear, angular, axis0, axis1, axis2, has) \
    [number] = {ISO_JOINT3_AXIS_##axis0, ISO_JOINT3_AXIS_##axis1, ISO_JOINT3_AXIS_##axis2},
        ISO_JOINT3_KIND_LIST(JOINT_AXES)
#undef JOINT_AXES
    };
    return kind < sizeof axes / sizeof axes[0] && n < ISO_JOINT3_AXES ? (iso_joint3_axis_kind)axes[kind][n]
                                                                      : ISO_JOINT3_AXIS_NONE;
}

void iso__space_joint_wake(iso_world *world, const iso__space_joint *joint) {
    if (joint->body_a != ISO__WORLD_BODY) {
        iso__space_body_wake(world, joint->body_a);
    }
    iso__space_body_wake(world, joint->body_b);
}

iso_status iso__space_joint_destroy(iso_world *world, uint32_t joint) {
    iso__space *space = iso__space_of(world);
    iso__space_joint_wake(world, &space->joints[joint]);
    if (iso_joint3_kind_is_custom(space->joints[joint].kind)) {
        iso__space_custom_destroy(space, joint);
    }
    space->joints[joint] = (iso__space_joint){0};
    iso__slot_release(&world->joint_map, world->joint_generations, joint);
    world->has_changed_joints = true;
    iso__mark_dirty(world, ISO_SECTION_JOINTS, joint);
    iso__mark_section_dirty(world, ISO_SECTION_GENERATIONS);
    return ISO_OK;
}

static bool joint_has_body(const iso__space_joint *joint, uint32_t body) {
    return joint->kind != 0 && (joint->body_a == body || joint->body_b == body);
}

void iso__space_joints_remove_body(iso__space *space, uint32_t body) {
    for (uint32_t i = 0; i < space->world.globals->joint_count; ++i) {
        if (joint_has_body(&space->joints[i], body)) {
            iso__space_joint_destroy(&space->world, i);
        }
    }
}

void iso__space_joints_wake_neighbours(iso__space *space, uint32_t body) {
    for (uint32_t i = 0; i < space->world.globals->joint_count; ++i) {
        if (joint_has_body(&space->joints[i], body)) {
            iso__space_joint_wake(&space->world, &space->joints[i]);
        }
    }
}

void iso__space_joint_bodies(const iso_world *world, uint32_t joint, uint32_t bodies[4]) {
    const iso__space_joint *record = &iso__space_of_const(world)->joints[joint];
    bodies[0] = record->body_a;
    bodies[1] = record->body_b;
    bodies[2] = bodies[3] = ISO__WORLD_BODY;
}

iso_owner iso__space_joint_owner(const iso_world *world, uint32_t joint) {
    const iso__space_joint *record = &iso__space_of_const(world)->joints[joint];
    return (iso_owner){record->owner_generation, record->owner_slot};
}

void iso__space_joint_set_owner(iso_world *world, uint32_t joint, iso_owner owner) {
    iso__space_joint *record = &iso__space_of(world)->joints[joint];
    record->owner_generation = owner.generation;
    record->owner_slot = owner.slot;
    iso__mark_dirty(world, ISO_SECTION_JOINTS, joint);
}

void iso__space_joint_set_tag(iso_world *world, uint32_t joint, uint32_t tag) {
    iso__space_of(world)->joints[joint].tag = tag;
    iso__mark_dirty(world, ISO_SECTION_JOINTS, joint);
}
