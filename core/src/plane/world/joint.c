/// See joint.h.
#include "plane/world/joint.h"

#include "plane/world/compound.h"
#include "plane/world/custom.h"
#include "plane/world/wake.h"

const uint32_t iso__plane_joint_kind_parts[] = {
#define JOINT_PARTS(name, number, snake, has) [number] = (has),
    ISO_JOINT_KIND_LIST(JOINT_PARTS)
#undef JOINT_PARTS
};

uint32_t iso_joint_kind_has(uint8_t kind) {
    return kind < sizeof iso__plane_joint_kind_parts / sizeof iso__plane_joint_kind_parts[0]
               ? iso__plane_joint_kind_parts[kind]
               : 0;
}

bool iso__plane_joint_connects(const iso__plane_joint *joint) {
    return joint->kind != 0 && (joint->flags & ISO__PLANE_JOINT_ENABLED) != 0 &&
           (iso__plane_joint_has(joint) & ISO_JOINT_IS_PASSIVE) == 0;
}

iso_status iso__plane_joint_destroy(iso_world *world, uint32_t joint) {
    iso__plane *plane = iso__plane_of(world);
    iso__plane_joint_wake(world, &plane->joints[joint]);
    if (iso_joint_kind_is_custom(plane->joints[joint].kind)) {
        iso__plane_custom_destroy(plane, joint);
    }
    const uint32_t compound = plane->joints[joint].compound;
    plane->joints[joint] = (iso__plane_joint){0};
    iso__plane_compound_lose(plane, compound);
    iso__slot_release(&world->joint_map, world->joint_generations, joint);
    world->has_changed_joints = plane->has_changed_rows = true;
    iso__mark_dirty(world, ISO_SECTION_JOINTS, joint);
    iso__mark_section_dirty(world, ISO_SECTION_GENERATIONS);
    return ISO_OK;
}

void iso__plane_joints_remove_body(iso__plane *plane, uint32_t body) {
    for (uint32_t i = 0; i < plane->world.globals->joint_count; ++i) {
        const iso__plane_joint *record = &plane->joints[i];
        if (record->kind != 0 && iso__plane_joint_has_body(record, body)) {
            iso__plane_joint_destroy(&plane->world, i);
        }
    }
}

void iso__plane_joint_note_bodies(iso_world *world, const iso__plane_joint *joint) {
    iso__jointed_note(world, (const uint32_t[]){joint->body_a, joint->body_b, joint->body_c, joint->body_d}, 4);
}

void iso__plane_joint_bodies(const iso_world *world, uint32_t joint, uint32_t bodies[4]) {
    const iso__plane *plane = iso__plane_of_const(world);
    const iso__plane_joint *record = &plane->joints[joint];
    bodies[0] = record->body_a;
    bodies[1] = record->body_b;
    bodies[2] = record->body_c;
    bodies[3] = record->body_d;
}

iso_owner iso__plane_joint_owner(const iso_world *world, uint32_t joint) {
    const iso__plane *plane = iso__plane_of_const(world);
    const iso__plane_joint *record = &plane->joints[joint];
    return (iso_owner){record->owner_generation, record->owner_slot};
}

void iso__plane_joint_set_tag(iso_world *world, uint32_t joint, uint32_t tag) {
    iso__plane *plane = iso__plane_of(world);
    plane->joints[joint].tag = tag;
    iso__mark_dirty(world, ISO_SECTION_JOINTS, joint);
}
