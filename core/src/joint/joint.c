/// Joints: creation, destruction, and the list of kinds.
#include "isostep/joint.h"

#include "dynamics/body.h"
#include "joint/rows.h"
#include "math/fixed_ops.h"
#include "state/slots.h"

#define JOINT_ANCHOR_MAX  (ISO_SHAPE_EXTENT_MAX_M * ISO_FIX16_ONE)
#define JOINT_RATIO_MAX   (1000 * ISO_FIX16_ONE)
#define JOINT_HERTZ_MAX   (1000 * ISO_FIX16_ONE)

iso_joint_def iso_joint_def_default(void) {
    iso_joint_def def = {0};
    def.kind = ISO_JOINT_REVOLUTE;
    def.damping_ratio = ISO_FIX16_ONE;
    def.owner.slot = ISO_OWNER_NOBODY;
    return def;
}

static bool joint_is_anchor(iso_vec2 anchor) {
    return iso__abs_u32(anchor.x) <= JOINT_ANCHOR_MAX && iso__abs_u32(anchor.y) <= JOINT_ANCHOR_MAX;
}

static bool joint_is_place(iso_vec2 place) {
    return iso__abs_u32(place.x) <= ISO_POSITION_MAX_M * (uint32_t)ISO_FIX16_ONE &&
           iso__abs_u32(place.y) <= ISO_POSITION_MAX_M * (uint32_t)ISO_FIX16_ONE;
}

iso_status iso__joint_def_check(const iso_joint_def *def) {
    if (def->kind != ISO_JOINT_REVOLUTE && def->kind != ISO_JOINT_TARGET) {
        return ISO_ERR_BAD_ENUM;
    }
    const bool is_within = joint_is_anchor(def->anchor_a) && joint_is_anchor(def->anchor_b) && joint_is_place(def->target) &&
                           def->hertz >= 0 && def->hertz <= JOINT_HERTZ_MAX && def->damping_ratio >= 0 &&
                           def->damping_ratio <= JOINT_RATIO_MAX && def->force_max >= 0;
    return is_within ? ISO_OK : ISO_ERR_RANGE;
}

static iso_status joint_check_bodies(const iso_world *world, const iso_joint_def *def) {
    if (!iso__body_alive(world, def->body_b) ||
        (def->kind != ISO_JOINT_TARGET && !iso__body_alive(world, def->body_a))) {
        return ISO_ERR_STALE;
    }
    if (def->kind == ISO_JOINT_TARGET) {
        return world->bodies[def->body_b.index].type == ISO_BODY_DYNAMIC ? ISO_OK : ISO_ERR_WRONG_TYPE;
    }
    return def->body_a.index != def->body_b.index ? ISO_OK : ISO_ERR_WRONG_TYPE;
}

static void joint_store_anchor(int32_t to[2], iso_vec2 from) {
    to[0] = from.x * 256; // Q15.16 to Q7.24; within ±60
    to[1] = from.y * 256;
}

iso_status iso_joint_create(iso_world *world, const iso_joint_def *def, iso_joint_id *joint) {
    iso_status status = iso__owner_is_valid(def->owner) ? iso__joint_def_check(def) : ISO_ERR_RANGE;
    if (status == ISO_OK) {
        status = joint_check_bodies(world, def);
    }
    if (status != ISO_OK) {
        return status;
    }
    const uint32_t index = iso__slot_take(&world->joint_map, world->joint_generations, world->def.joint_capacity,
                                          &world->globals->joint_count);
    if (index == UINT32_MAX) {
        return ISO_ERR_CAPACITY;
    }
    iso__joint *record = &world->joints[index];
    *record = (iso__joint){0};
    record->kind = def->kind;
    record->flags = def->collide_connected ? ISO__JOINT_COLLIDE_CONNECTED : 0;
    record->body_a = def->kind == ISO_JOINT_TARGET ? ISO__WORLD_BODY : def->body_a.index;
    record->body_b = def->body_b.index;
    joint_store_anchor(record->anchor_a, def->anchor_a);
    joint_store_anchor(record->anchor_b, def->anchor_b);
    record->hertz = def->hertz;
    record->damping_ratio = def->damping_ratio;
    record->force_max = def->force_max;
    record->target[0] = iso_wide_from_fix16(def->target.x);
    record->target[1] = iso_wide_from_fix16(def->target.y);
    record->owner_generation = def->owner.generation;
    record->owner_slot = def->owner.slot;
    world->scratch->quiet_is_valid = false;
    iso__mark_dirty(world, ISO_SECTION_JOINTS, index);
    iso__mark_section_dirty(world, ISO_SECTION_GENERATIONS);
    *joint = (iso_joint_id){index, world->joint_generations[index]};
    return ISO_OK;
}

iso_status iso_joint_destroy(iso_world *world, iso_joint_id joint) {
    if (!iso__joint_alive(world, joint)) {
        return ISO_ERR_STALE;
    }
    world->joints[joint.index] = (iso__joint){0};
    iso__slot_release(&world->joint_map, world->joint_generations, joint.index);
    world->scratch->quiet_is_valid = false;
    iso__mark_dirty(world, ISO_SECTION_JOINTS, joint.index);
    iso__mark_section_dirty(world, ISO_SECTION_GENERATIONS);
    return ISO_OK;
}

void iso__joints_remove_body(iso_world *world, uint32_t body) {
    for (uint32_t i = 0; i < world->globals->joint_count; ++i) {
        const iso__joint *record = &world->joints[i];
        if (record->kind != 0 && (record->body_a == body || record->body_b == body)) {
            iso_joint_destroy(world, (iso_joint_id){i, world->joint_generations[i]});
        }
    }
}

void iso__joints_rescale(iso_world *world, uint32_t body, iso_wide before, iso_wide after) {
    for (uint32_t i = 0; i < world->globals->joint_count; ++i) {
        iso__joint *joint = &world->joints[i];
        if (joint->kind == 0 || (joint->body_a != body && joint->body_b != body)) {
            continue;
        }
        const uint32_t other_body = joint->body_a == body ? joint->body_b : joint->body_a;
        const iso_wide other = other_body == ISO__WORLD_BODY ? 0 : world->body_derived[other_body].mass;
        const iso_wide from = iso__reduced_mass(before, other), to = iso__reduced_mass(after, other);
        for (int axis = 0; axis < 2; ++axis) {
            const int64_t scaled = to == 0 ? 0 : iso__mul_div(joint->impulse[axis], from, to);
            joint->impulse[axis] = iso__clamp64(scaled, -ISO__JOINT_IMPULSE_MAX, ISO__JOINT_IMPULSE_MAX);
        }
        iso__mark_dirty(world, ISO_SECTION_JOINTS, i);
    }
}

bool iso_joint_is_valid(const iso_world *world, iso_joint_id joint) {
    return iso__joint_alive(world, joint);
}

iso_joint_id iso_joint_next(const iso_world *world, uint32_t index) {
    for (uint32_t i = index; i < world->globals->joint_count; ++i) {
        if (iso__generation_is_alive(world->joint_generations[i])) {
            return (iso_joint_id){i, world->joint_generations[i]};
        }
    }
    return (iso_joint_id){0, 0};
}

static iso_body_id joint_body_id(const iso_world *world, uint32_t body) {
    return body == ISO__WORLD_BODY ? (iso_body_id){0, 0} : (iso_body_id){body, world->body_generations[body]};
}

iso_status iso_joint_get(const iso_world *world, iso_joint_id joint, iso_joint_def *def) {
    if (!iso__joint_alive(world, joint)) {
        return ISO_ERR_STALE;
    }
    const iso__joint *record = &world->joints[joint.index];
    *def = (iso_joint_def){
        .kind = record->kind,
        .collide_connected = (record->flags & ISO__JOINT_COLLIDE_CONNECTED) != 0,
        .body_a = joint_body_id(world, record->body_a),
        .body_b = joint_body_id(world, record->body_b),
        .anchor_a = {record->anchor_a[0] / 256, record->anchor_a[1] / 256},
        .anchor_b = {record->anchor_b[0] / 256, record->anchor_b[1] / 256},
        .hertz = record->hertz,
        .damping_ratio = record->damping_ratio,
        .force_max = record->force_max,
        .target = {iso_fix16_from_wide(record->target[0]), iso_fix16_from_wide(record->target[1])},
        .owner = {record->owner_generation, record->owner_slot},
    };
    return ISO_OK;
}

iso_status iso_joint_set_target(iso_world *world, iso_joint_id joint, iso_vec2 target) {
    if (!iso__joint_alive(world, joint)) {
        return ISO_ERR_STALE;
    }
    iso__joint *record = &world->joints[joint.index];
    if (record->kind != ISO_JOINT_TARGET) {
        return ISO_ERR_WRONG_TYPE;
    }
    if (!joint_is_place(target)) {
        return ISO_ERR_RANGE;
    }
    record->target[0] = iso_wide_from_fix16(target.x);
    record->target[1] = iso_wide_from_fix16(target.y);
    iso__mark_dirty(world, ISO_SECTION_JOINTS, joint.index);
    return ISO_OK;
}

iso_status iso_joint_get_force(const iso_world *world, iso_joint_id joint, iso_vec2_wide *force) {
    if (!iso__joint_alive(world, joint)) {
        return ISO_ERR_STALE;
    }
    const iso__joint *record = &world->joints[joint.index];
    const iso_wide mass_a = record->body_a == ISO__WORLD_BODY ? 0 : world->body_derived[record->body_a].mass;
    // F = j / (sigma h)
    const int64_t sigma = iso__joint_sigma(mass_a, world->body_derived[record->body_b].mass);
    *force = (iso_vec2_wide){0, 0};
    if (sigma == 0) {
        return ISO_OK;
    }
    const int64_t rate = (int64_t)world->def.tick_rate_hz * world->def.substep_count;
    force->x = iso__mul_div(record->impulse[0], rate << 32, sigma);
    force->y = iso__mul_div(record->impulse[1], rate << 32, sigma);
    return ISO_OK;
}

static iso_vec2_wide joint_anchor_place(const iso_world *world, uint32_t body, const int32_t anchor[2]) {
    const iso__body_derived *derived = &world->body_derived[body];
    const iso_vec2_wide offset = iso__rotate_to_wide(derived->rotation, iso__sub32(anchor[0], derived->local_centre[0]),
                                                     iso__sub32(anchor[1], derived->local_centre[1]));
    return (iso_vec2_wide){world->bodies[body].position[0] + offset.x, world->bodies[body].position[1] + offset.y};
}

iso_status iso_joint_get_separation(const iso_world *world, iso_joint_id joint, iso_wide *separation) {
    if (!iso__joint_alive(world, joint)) {
        return ISO_ERR_STALE;
    }
    const iso__joint *record = &world->joints[joint.index];
    const iso_vec2_wide a = record->body_a == ISO__WORLD_BODY ? (iso_vec2_wide){record->target[0], record->target[1]}
                                                              : joint_anchor_place(world, record->body_a, record->anchor_a);
    const iso_vec2_wide b = joint_anchor_place(world, record->body_b, record->anchor_b);
    *separation = iso_wide_hypot(b.x - a.x, b.y - a.y);
    return ISO_OK;
}

// ---- within the step -----------------------------------------------------------------------------

/// A joint between bodies that no impulse moves has no row.
static bool joint_is_inert(const iso_world *world, const iso__joint *joint) {
    const bool is_fixed_a = joint->body_a == ISO__WORLD_BODY || world->bodies[joint->body_a].type != ISO_BODY_DYNAMIC;
    return is_fixed_a && world->bodies[joint->body_b].type != ISO_BODY_DYNAMIC;
}

void iso__joints_prepare(iso_world *world) {
    iso__step_scratch *scratch = world->scratch;
    for (uint32_t i = 0; i < world->globals->body_count; ++i) {
        scratch->has_joint[i] = 0;
    }
    scratch->joint_count = 0;
    for (uint32_t i = 0; i < world->globals->joint_count; ++i) {
        const iso__joint *joint = &world->joints[i];
        if (joint->kind == 0 || joint_is_inert(world, joint)) {
            continue;
        }
        iso__joint_work *work = &scratch->joints[scratch->joint_count++];
        work->joint = i;
        work->impulse[0] = joint->impulse[0];
        work->impulse[1] = joint->impulse[1];
        switch ((iso_joint_kind)joint->kind) {
        case ISO_JOINT_REVOLUTE:
            iso__revolute_prepare(world, joint, work);
            break;
        case ISO_JOINT_TARGET:
            iso__target_prepare(world, joint, work);
            break;
        }
        if (work->body_a < world->def.body_capacity) {
            scratch->has_joint[work->body_a] = 1;
        }
        scratch->has_joint[work->body_b] = 1;
        iso__point_prepare(world, work);
    }
}

void iso__joints_store(iso_world *world) {
    const iso__step_scratch *scratch = world->scratch;
    for (uint32_t i = 0; i < scratch->joint_count; ++i) {
        const iso__joint_work *work = &scratch->joints[i];
        world->joints[work->joint].impulse[0] = work->impulse[0];
        world->joints[work->joint].impulse[1] = work->impulse[1];
        iso__mark_dirty(world, ISO_SECTION_JOINTS, work->joint);
    }
}
