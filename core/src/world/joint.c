/// See joint.h.
#include "world/joint.h"

#include "world/compound.h"
#include "world/custom.h"
#include "world/wake.h"

const uint32_t iso__joint_kind_parts[] = {
#define JOINT_PARTS(name, number, snake, has) [number] = (has),
    ISO_JOINT_KIND_LIST(JOINT_PARTS)
#undef JOINT_PARTS
};

uint32_t iso_joint_kind_has(uint8_t kind) {
    return kind < sizeof iso__joint_kind_parts / sizeof iso__joint_kind_parts[0] ? iso__joint_kind_parts[kind] : 0;
}

bool iso__joint_connects(const iso__joint *joint) {
    return joint->kind != 0 && (joint->flags & ISO__JOINT_ENABLED) != 0 &&
           (iso__joint_has(joint) & ISO_JOINT_IS_PASSIVE) == 0;
}

iso_status iso_joint_destroy(iso_world *world, iso_joint_id joint) {
    ISO__PLANE_ONLY(world, ISO_ERR_DIMENSION);
    if (!iso__joint_is_alive(world, joint)) {
        return ISO_ERR_STALE;
    }
    iso__joint_wake(world, &world->joints[joint.index]);
    if (iso__joint_is_custom(world->joints[joint.index].kind)) {
        iso__custom_destroy(world, joint.index);
    }
    const uint32_t compound = world->joints[joint.index].compound;
    world->joints[joint.index] = (iso__joint){0};
    iso__compound_lose(world, compound);
    iso__slot_release(&world->joint_map, world->joint_generations, joint.index);
    world->has_changed_joints = world->has_changed_rows = true;
    iso__mark_dirty(world, ISO_SECTION_JOINTS, joint.index);
    iso__mark_section_dirty(world, ISO_SECTION_GENERATIONS);
    return ISO_OK;
}

void iso__joints_remove_body(iso_world *world, uint32_t body) {
    for (uint32_t i = 0; i < world->globals->joint_count; ++i) {
        const iso__joint *record = &world->joints[i];
        if (record->kind != 0 && iso__joint_has_body(record, body)) {
            iso_joint_destroy(world, (iso_joint_id){i, world->joint_generations[i]});
        }
    }
}

iso_joint_id iso_body_next_joint(const iso_world *world, iso_body_id body, uint32_t index) {
    ISO__PLANE_ONLY(world, (iso_joint_id){0, 0});
    if (!iso__body_is_alive(world, body)) {
        return (iso_joint_id){0, 0};
    }
    for (uint32_t i = index; i < world->globals->joint_count; ++i) {
        if (world->joints[i].kind != 0 && iso__joint_has_body(&world->joints[i], body.index)) {
            return (iso_joint_id){i, world->joint_generations[i]};
        }
    }
    return (iso_joint_id){0, 0};
}

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
