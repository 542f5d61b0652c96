/// See isostep/ragdoll.h.
#include "isostep/ragdoll.h"

#include "isostep/assert.h"

// A motor that never gets as fast as it is told to applies its most; no limb is as fast.
#define MOTOR_SPEED (1000 * ISO_FIX16_ONE) // [rad/s]

iso_body_id iso_ragdoll_body(const iso_ragdoll *doll, uint32_t part) {
    ISO_ASSERT(part < doll->plan->part_count);
    return (iso_body_id){doll->body_index[part], doll->body_generation[part]};
}

static iso_joint_id ragdoll_joint(const iso_ragdoll *doll, uint32_t joint) {
    ISO_ASSERT(joint < doll->plan->joint_count);
    return (iso_joint_id){doll->joint_index[joint], doll->joint_generation[joint]};
}

// ---- building ------------------------------------------------------------------------------------

/// Where a part's frame stands in the creature's, all angles being zero.
static iso_vec2 ragdoll_origin(const iso_ragdoll_plan *plan, uint32_t part) {
    iso_vec2 origin = {0, 0};
    for (uint32_t joint = plan->joint_count; joint > 0; --joint) { // the upper part's joint stands before
        const iso_ragdoll_joint *spec = &plan->joints[joint - 1];
        if (spec->lower == part) {
            origin.x += spec->place.x;
            origin.y += spec->place.y;
            part = spec->upper;
        }
    }
    return origin;
}

/// Whether each part but the first hangs by one joint on a part before it.
static bool ragdoll_plan_is_right(const iso_ragdoll_plan *plan) {
    uint64_t hangs[4] = {1, 0, 0, 0}; // a bit per part, of which there are at most 256
    bool is_right = plan->part_count >= 1 && plan->part_count <= 256 && plan->joint_count == plan->part_count - 1;
    for (uint32_t joint = 0; is_right && joint < plan->joint_count; ++joint) {
        const uint32_t upper = plan->joints[joint].upper, lower = plan->joints[joint].lower;
        is_right = lower < plan->part_count && (hangs[upper / 64] >> upper % 64 & 1) != 0 &&
                   (hangs[lower / 64] >> lower % 64 & 1) == 0;
        hangs[lower / 64] |= UINT64_C(1) << lower % 64;
    }
    return is_right;
}

static iso_status ragdoll_build_part(iso_world *world, const iso_ragdoll *doll, uint32_t part, iso_body_def *def,
                                     iso_vec2_wide origin) {
    const iso_ragdoll_part *spec = &doll->plan->parts[part];
    const iso_vec2 place = ragdoll_origin(doll->plan, part);
    def->position.x = iso_wide_add(origin.x, iso_wide_from_fix16(place.x));
    def->position.y = iso_wide_add(origin.y, iso_wide_from_fix16(place.y));
    iso_shape_def shape = iso_shape_def_capsule(spec->from, spec->to, spec->radius);
    shape.density = spec->density;
    shape.friction = doll->plan->friction;
    shape.filter = doll->plan->filter;
    iso_body_id body;
    iso_shape_id id;
    const iso_status status = iso_body_create(world, def, &body);
    if (status != ISO_OK) {
        return status;
    }
    doll->body_index[part] = body.index;
    doll->body_generation[part] = body.generation;
    return iso_shape_create(world, body, &shape, &id);
}

static iso_status ragdoll_build_joint(iso_world *world, const iso_ragdoll *doll, uint32_t joint) {
    const iso_ragdoll_joint *spec = &doll->plan->joints[joint];
    iso_joint_def def = iso_joint_def_default();
    def.body_a = iso_ragdoll_body(doll, spec->upper);
    def.body_b = iso_ragdoll_body(doll, spec->lower);
    def.anchor_a = spec->place;
    def.limit_enabled = true;
    def.lower = spec->low;
    def.upper = spec->high;
    def.torque_max = spec->torque;
    iso_joint_id id;
    const iso_status status = iso_joint_create(world, &def, &id);
    if (status == ISO_OK) {
        doll->joint_index[joint] = id.index;
        doll->joint_generation[joint] = id.generation;
    }
    return status;
}

iso_status iso_ragdoll_build(iso_world *world, const iso_ragdoll *doll, iso_vec2_wide origin, iso_owner owner,
                             uint32_t tag) {
    const iso_ragdoll_plan *plan = doll->plan;
    if (!ragdoll_plan_is_right(plan)) {
        return ISO_ERR_RANGE;
    }
    iso_body_def def = iso_body_def_default();
    def.tag = tag;
    def.owner = owner;
    def.params.sleep_enabled = false;
    iso_status status = ISO_OK;
    for (uint32_t part = 0; part < plan->part_count && status == ISO_OK; ++part) {
        status = ragdoll_build_part(world, doll, part, &def, origin);
    }
    for (uint32_t joint = 0; joint < plan->joint_count && status == ISO_OK; ++joint) {
        status = ragdoll_build_joint(world, doll, joint);
    }
    if (status != ISO_OK) {
        iso_ragdoll_remove(world, doll);
    }
    return status;
}

void iso_ragdoll_remove(iso_world *world, const iso_ragdoll *doll) {
    ISO_ASSERT(doll->plan->part_count > 0);
    for (uint32_t part = 0; part < doll->plan->part_count; ++part) {
        iso_body_destroy(world, iso_ragdoll_body(doll, part)); // and its joints
        doll->body_index[part] = doll->body_generation[part] = 0;
    }
    for (uint32_t joint = 0; joint < doll->plan->joint_count; ++joint) {
        doll->joint_index[joint] = doll->joint_generation[joint] = 0;
    }
}

// ---- feeling -------------------------------------------------------------------------------------

bool iso_ragdoll_is_whole(const iso_world *world, const iso_ragdoll *doll) {
    ISO_ASSERT(doll->plan->part_count > 0);
    bool is_whole = true;
    for (uint32_t part = 0; part < doll->plan->part_count; ++part) {
        is_whole = is_whole && iso_body_is_valid(world, iso_ragdoll_body(doll, part));
    }
    for (uint32_t joint = 0; joint < doll->plan->joint_count; ++joint) {
        is_whole = is_whole && iso_joint_is_valid(world, ragdoll_joint(doll, joint));
    }
    return is_whole;
}

bool iso_ragdoll_get_mass(const iso_world *world, const iso_ragdoll *doll, iso_vec2_wide from, iso_ragdoll_mass *mass) {
    ISO_ASSERT(doll->plan->part_count > 0);
    iso_vec2_wide moment = {0, 0}, momentum = {0, 0};
    iso_wide sum = 0;
    for (uint32_t part = 0; part < doll->plan->part_count; ++part) {
        iso_body_view view;
        if (iso_body_get(world, iso_ragdoll_body(doll, part), &view) != ISO_OK) {
            return false;
        }
        sum += view.mass;
        moment.x = iso_wide_add(moment.x, iso_wide_mul(view.centre.x - from.x, view.mass));
        moment.y = iso_wide_add(moment.y, iso_wide_mul(view.centre.y - from.y, view.mass));
        momentum.x = iso_wide_add(momentum.x, iso_wide_mul(view.velocity.x, view.mass));
        momentum.y = iso_wide_add(momentum.y, iso_wide_mul(view.velocity.y, view.mass));
    }
    mass->mass = sum;
    mass->centre = (iso_vec2_wide){iso_wide_div(moment.x, sum), iso_wide_div(moment.y, sum)};
    mass->velocity = (iso_vec2_wide){iso_wide_div(momentum.x, sum), iso_wide_div(momentum.y, sum)};
    return true;
}

void iso_ragdoll_feel(const iso_world *world, const iso_ragdoll *doll, bool *is_touched) {
    ISO_ASSERT(doll->plan->part_count > 0);
    for (uint32_t part = 0; part < doll->plan->part_count; ++part) {
        is_touched[part] = false;
    }
    iso_contact_view contact;
    for (uint32_t i = 0; iso_world_get_contact(world, i, &contact); ++i) {
        if (contact.normal_impulse[0] <= 0 && contact.normal_impulse[1] <= 0) {
            continue;
        }
        for (uint32_t part = 0; part < doll->plan->part_count; ++part) {
            const iso_body_id body = iso_ragdoll_body(doll, part);
            is_touched[part] =
                is_touched[part] || iso_body_id_equal(contact.body_a, body) || iso_body_id_equal(contact.body_b, body);
        }
    }
}

iso_wide iso_ragdoll_felt_torque(const iso_world *world, const iso_ragdoll *doll, uint32_t joint) {
    ISO_ASSERT(joint < doll->plan->joint_count);
    iso_wide torque = 0;
    iso_joint_get_torque(world, ragdoll_joint(doll, joint), &torque);
    return torque;
}

// ---- moving --------------------------------------------------------------------------------------

void iso_ragdoll_hold(iso_world *world, const iso_ragdoll *doll, uint32_t joint, iso_wide angle,
                      iso_ragdoll_spring spring) {
    ISO_ASSERT(joint < doll->plan->joint_count);
    const iso_ragdoll_joint *spec = &doll->plan->joints[joint];
    const iso_joint_id id = ragdoll_joint(doll, joint);
    const iso_wide part_of_turn = (iso_wide)(int32_t)(uint32_t)(uint64_t)angle; // without its whole turns
    const fix16_t radians = iso_fix16_from_wide(iso_radians_from_turns(part_of_turn));
    iso_joint_set_motor(world, id, false, 0, 0);
    iso_joint_set_spring(world, id, true, spring.hertz, spring.ratio,
                         radians < spec->low    ? spec->low
                         : radians > spec->high ? spec->high
                                                : radians);
}

void iso_ragdoll_turn(iso_world *world, const iso_ragdoll *doll, uint32_t joint, iso_wide torque) {
    ISO_ASSERT(joint < doll->plan->joint_count);
    const iso_wide most = doll->plan->joints[joint].torque, size = torque < 0 ? -torque : torque;
    const iso_joint_id id = ragdoll_joint(doll, joint);
    iso_joint_set_spring(world, id, false, 0, 0, 0);
    iso_joint_set_motor(world, id, true, torque < 0 ? -MOTOR_SPEED : MOTOR_SPEED, size < most ? size : most);
}

void iso_ragdoll_let_go(iso_world *world, const iso_ragdoll *doll, uint32_t joint) {
    ISO_ASSERT(joint < doll->plan->joint_count);
    const iso_joint_id id = ragdoll_joint(doll, joint);
    iso_joint_set_motor(world, id, false, 0, 0);
    iso_joint_set_spring(world, id, false, 0, 0, 0);
}

void iso_ragdoll_reach(iso_vec2_wide end, iso_wide length, bool bends_to_left, iso_wide angles[2]) {
    ISO_ASSERT(length > 0);
    const iso_wide way = iso_wide_hypot(end.x, end.y), half = way / 2 < length ? way / 2 : length;
    const iso_wide down = iso_wide_atan2(end.x, -end.y); // of the line from the root to the end
    // The two links and that line are an isosceles triangle; the middle is off the line by its height.
    const iso_wide off = iso_wide_atan2(iso_wide_sqrt(iso_wide_mul(length, length) - iso_wide_mul(half, half)), half);
    angles[0] = bends_to_left ? down + off : down - off;
    angles[1] = bends_to_left ? down - off : down + off;
}
