/// The walker's body: ten capsules, nine servos; built, taken away, felt, moved.
#include "walker.h"
#include "isostep/query.h"

#define GROUND_FROM_M 100 // where the search for ground below a walker begins and ends
#define GROUND_TO_M   (-100)
#define DEGREE        1144 // [rad] Q15.16, 0.0175

static const iso_ragdoll_part PARTS[WALKER_PART_COUNT] = {
#define PART_SPEC(name, radius, ax, ay, bx, by, density) \
    {WALKER_CM(radius), {WALKER_CM(ax), WALKER_CM(ay)}, {WALKER_CM(bx), WALKER_CM(by)}, (density)*ISO_FIX16_ONE},
    WALKER_PART_LIST(PART_SPEC)
#undef PART_SPEC
};

static const iso_ragdoll_joint JOINTS[WALKER_JOINT_COUNT] = {
#define JOINT_SPEC(name, upper, lower, height, low, high, torque) \
    {WALKER_##upper, WALKER_##lower, {0, WALKER_CM(height)}, (low)*DEGREE, (high)*DEGREE, (torque)*ISO_WIDE_ONE},
    WALKER_JOINT_LIST(JOINT_SPEC)
#undef JOINT_SPEC
};

static const iso_ragdoll_plan PLAN = {
    .parts = PARTS,
    .part_count = WALKER_PART_COUNT,
    .joints = JOINTS,
    .joint_count = WALKER_JOINT_COUNT,
    .friction = ISO_FIX16_ONE,
    .filter = {WALKER_CATEGORY, ~WALKER_CATEGORY, 0},
};

/// A member's walker. What only reads a state leaves the handles alone.
static iso_ragdoll walker_doll(const walker_state *state, uint32_t slot) {
    walker_state *own = (walker_state *)(uintptr_t)state;
    return (iso_ragdoll){
        .plan = &PLAN,
        .body_index = own->body_index + (size_t)slot * WALKER_PART_COUNT,
        .body_generation = own->body_generation + (size_t)slot * WALKER_PART_COUNT,
        .joint_index = own->joint_index + (size_t)slot * WALKER_JOINT_COUNT,
        .joint_generation = own->joint_generation + (size_t)slot * WALKER_JOINT_COUNT,
    };
}

iso_body_id iso__walker_body(const walker_state *state, uint32_t slot, uint32_t part) {
    const iso_ragdoll doll = walker_doll(state, slot);
    return iso_ragdoll_body(&doll, part);
}

// ---- building ------------------------------------------------------------------------------------

static iso_wide ground_below(const iso_world *world, iso_wide x) {
    const iso_query_filter filter = {UINT32_MAX, ~WALKER_CATEGORY};
    iso_ray_hit hit;
    uint32_t count = 0;
    iso_query_ray_closest(world, (iso_vec2_wide){x, iso_wide_from_int(GROUND_FROM_M)},
                          (iso_vec2_wide){0, iso_wide_from_int(GROUND_TO_M - GROUND_FROM_M)}, filter, &hit, &count);
    return count == 0 ? 0 : hit.point.y;
}

bool iso__walker_build(iso_world *world, walker_state *state, uint32_t slot, iso_wide x) {
    const iso_ragdoll doll = walker_doll(state, slot);
    const iso_vec2_wide hip = {x, ground_below(world, x) + WALKER_HIP_STRAIGHT};
    iso_slot_view view;
    iso_world_get_slot(world, slot, &view);
    return iso_ragdoll_build(world, &doll, hip, (iso_owner){view.generation, (uint16_t)slot}, slot + 1) == ISO_OK;
}

void iso__walker_remove(iso_world *world, walker_state *state, uint32_t slot) {
    const iso_ragdoll doll = walker_doll(state, slot);
    iso_ragdoll_remove(world, &doll);
}

// ---- feeling --------------------------------------------------------------------------

/// An angle [turns] without its whole turns.
static iso_wide wrapped(iso_wide turns) {
    return (iso_wide)(int32_t)(uint32_t)(uint64_t)turns;
}

bool iso__walker_feel(const iso_world *world, const walker_state *state, uint32_t slot, walker_sense *sense) {
    const iso_ragdoll doll = walker_doll(state, slot);
    iso_body_view view;
    iso_ragdoll_mass mass;
    bool is_touched[WALKER_PART_COUNT];
    if (!iso_ragdoll_is_whole(world, &doll) ||
        iso_body_get(world, iso_ragdoll_body(&doll, WALKER_TORSO), &view) != ISO_OK ||
        !iso_ragdoll_get_mass(world, &doll, view.position, &mass)) {
        return false;
    }
    const iso_vec2 gravity = iso_world_get_gravity(world);
    *sense = (walker_sense){
        .weight = iso_wide_mul(mass.mass, iso_wide_from_fix16(gravity.y < 0 ? -gravity.y : 0)),
        .hip = view.position,
        .centre = mass.centre,
        .velocity = mass.velocity,
        .lean = wrapped(view.angle_turns),
        .turning = view.angular_velocity,
    };
    iso_ragdoll_feel(world, &doll, is_touched);
    for (uint32_t leg = 0; leg < 2; ++leg) {
        (void)iso_body_get(world, iso_ragdoll_body(&doll, WALKER_FOOT_L + leg), &view);
        sense->tilt[leg] = wrapped(view.angle_turns);
        sense->ankle[leg] = (iso_vec2_wide){view.position.x - sense->hip.x, view.position.y - sense->hip.y};
        sense->is_on_ground[leg] = is_touched[WALKER_FOOT_L + leg];
    }
    return true;
}

// ---- moving --------------------------------------------------------------------------------------

void iso__walker_servo(iso_world *world, const walker_state *state, uint32_t slot, uint32_t joint, iso_wide angle,
                       iso_ragdoll_spring spring) {
    const iso_ragdoll doll = walker_doll(state, slot);
    iso_ragdoll_hold(world, &doll, joint, angle, spring);
}

void iso__walker_limp(iso_world *world, const walker_state *state, uint32_t slot, uint32_t joint) {
    const iso_ragdoll doll = walker_doll(state, slot);
    iso_ragdoll_let_go(world, &doll, joint);
}

void iso__walker_torque(iso_world *world, const walker_state *state, uint32_t slot, uint32_t joint, iso_wide torque) {
    const iso_ragdoll doll = walker_doll(state, slot);
    iso_ragdoll_turn(world, &doll, joint, torque);
}

iso_wide iso__walker_felt_torque(const iso_world *world, const walker_state *state, uint32_t slot, uint32_t joint) {
    const iso_ragdoll doll = walker_doll(state, slot);
    return iso_ragdoll_felt_torque(world, &doll, joint);
}
