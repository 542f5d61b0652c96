/// The walker's body: ten capsules, nine servos; built, taken away, felt, moved.
#include "walker.h"
#include "isostep/query.h"

#define GROUND_FROM_M 100 // where the search for ground below a walker begins and ends
#define GROUND_TO_M   (-100)
#define MOTOR_SPEED   (1000 * ISO_FIX16_ONE) // [rad/s]
#define DEGREE        1144                   // [rad] Q15.16, 0.0175

typedef struct part_spec {
    int16_t radius, ax, ay, bx, by, density;
} part_spec;

typedef struct joint_spec {
    uint8_t upper, lower;
    int16_t height, low, high, torque;
} joint_spec;

static const part_spec PARTS[WALKER_PART_COUNT] = {
#define PART_SPEC(name, radius, ax, ay, bx, by, density) {radius, ax, ay, bx, by, density},
    WALKER_PART_LIST(PART_SPEC)
#undef PART_SPEC
};

static const joint_spec JOINTS[WALKER_JOINT_COUNT] = {
#define JOINT_SPEC(name, upper, lower, height, low, high, torque) \
    {WALKER_##upper, WALKER_##lower, height, low, high, torque},
    WALKER_JOINT_LIST(JOINT_SPEC)
#undef JOINT_SPEC
};

iso_body_id iso__walker_body(const walker_state *state, uint32_t slot, uint32_t part) {
    const uint32_t i = slot * WALKER_PART_COUNT + part;
    return (iso_body_id){state->body_index[i], state->body_generation[i]};
}

static iso_joint_id walker_joint(const walker_state *state, uint32_t slot, uint32_t joint) {
    const uint32_t i = slot * WALKER_JOINT_COUNT + joint;
    return (iso_joint_id){state->joint_index[i], state->joint_generation[i]};
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

static bool build_part(iso_world *world, walker_state *state, uint32_t slot, uint32_t part, iso_vec2 origin) {
    const part_spec *spec = &PARTS[part];
    iso_slot_view view;
    iso_world_get_slot(world, slot, &view);
    iso_body_def def = iso_body_def_default();
    def.position = iso_vec2_to_wide(origin);
    def.tag = slot + 1;
    def.owner = (iso_owner){view.generation, (uint16_t)slot};
    def.params.sleep_enabled = false; // servos move it at any time
    iso_shape_def shape =
        iso_shape_def_capsule((iso_vec2){WALKER_CM(spec->ax), WALKER_CM(spec->ay)},
                              (iso_vec2){WALKER_CM(spec->bx), WALKER_CM(spec->by)}, WALKER_CM(spec->radius));
    shape.density = spec->density * ISO_FIX16_ONE;
    shape.friction = ISO_FIX16_ONE;
    shape.filter = (iso_filter){WALKER_CATEGORY, ~WALKER_CATEGORY, 0};
    iso_body_id body;
    iso_shape_id id;
    if (iso_body_create(world, &def, &body) != ISO_OK) {
        return false;
    }
    state->body_index[slot * WALKER_PART_COUNT + part] = body.index;
    state->body_generation[slot * WALKER_PART_COUNT + part] = body.generation;
    return iso_shape_create(world, body, &shape, &id) == ISO_OK;
}

static bool build_joint(iso_world *world, walker_state *state, uint32_t slot, uint32_t joint) {
    const joint_spec *spec = &JOINTS[joint];
    iso_joint_def def = iso_joint_def_default();
    def.body_a = iso__walker_body(state, slot, spec->upper);
    def.body_b = iso__walker_body(state, slot, spec->lower);
    def.anchor_a = (iso_vec2){0, WALKER_CM(spec->height)};
    def.limit_enabled = true;
    def.lower = spec->low * DEGREE;
    def.upper = spec->high * DEGREE;
    def.torque_max = spec->torque * ISO_WIDE_ONE;
    def.owner = (iso_owner){0, ISO_OWNER_NOBODY};
    iso_joint_id id;
    if (iso_joint_create(world, &def, &id) != ISO_OK) {
        return false;
    }
    state->joint_index[slot * WALKER_JOINT_COUNT + joint] = id.index;
    state->joint_generation[slot * WALKER_JOINT_COUNT + joint] = id.generation;
    return true;
}

bool iso__walker_build(iso_world *world, walker_state *state, uint32_t slot, iso_wide x) {
    iso_vec2 origins[WALKER_PART_COUNT];
    origins[WALKER_TORSO] =
        (iso_vec2){iso_fix16_from_wide(x), iso_fix16_from_wide(ground_below(world, x) + WALKER_HIP_STRAIGHT)};
    for (uint32_t joint = 0; joint < WALKER_JOINT_COUNT; ++joint) { // an upper part stands before the lower in the list
        origins[JOINTS[joint].lower] = origins[JOINTS[joint].upper];
        origins[JOINTS[joint].lower].y += WALKER_CM(JOINTS[joint].height);
    }
    bool fits = true;
    for (uint32_t part = 0; part < WALKER_PART_COUNT; ++part) {
        fits = fits && build_part(world, state, slot, part, origins[part]);
    }
    for (uint32_t joint = 0; joint < WALKER_JOINT_COUNT; ++joint) {
        fits = fits && build_joint(world, state, slot, joint);
    }
    if (!fits) {
        iso__walker_remove(world, state, slot);
    }
    return fits;
}

void iso__walker_remove(iso_world *world, walker_state *state, uint32_t slot) {
    for (uint32_t part = 0; part < WALKER_PART_COUNT; ++part) {
        iso_body_destroy(world, iso__walker_body(state, slot, part)); // and its joints
        state->body_index[slot * WALKER_PART_COUNT + part] = 0;
        state->body_generation[slot * WALKER_PART_COUNT + part] = 0;
    }
    for (uint32_t joint = 0; joint < WALKER_JOINT_COUNT; ++joint) {
        state->joint_index[slot * WALKER_JOINT_COUNT + joint] = 0;
        state->joint_generation[slot * WALKER_JOINT_COUNT + joint] = 0;
    }
}

// ---- feeling --------------------------------------------------------------------------

/// Which feet something carried in the last tick.
static void feel_ground(const iso_world *world, const walker_state *state, uint32_t slot, bool *on_ground) {
    iso_contact_view contact;
    for (uint32_t i = 0; iso_world_get_contact(world, i, &contact); ++i) {
        if (contact.normal_impulse[0] <= 0 && contact.normal_impulse[1] <= 0) {
            continue;
        }
        for (uint32_t leg = 0; leg < 2; ++leg) {
            const iso_body_id foot = iso__walker_body(state, slot, WALKER_FOOT_L + leg);
            on_ground[leg] =
                on_ground[leg] || iso_body_id_equal(contact.body_a, foot) || iso_body_id_equal(contact.body_b, foot);
        }
    }
}

/// An angle [turns] without its whole turns.
static iso_wide wrapped(iso_wide turns) {
    return (iso_wide)(int32_t)(uint32_t)(uint64_t)turns;
}

/// The centre of all parts' mass and its velocity.
static bool feel_centre(const iso_world *world, const walker_state *state, uint32_t slot, walker_sense *sense) {
    iso_vec2_wide moment = {0, 0}, momentum = {0, 0};
    iso_wide mass = 0;
    for (uint32_t part = 0; part < WALKER_PART_COUNT; ++part) {
        iso_body_view view;
        if (iso_body_get(world, iso__walker_body(state, slot, part), &view) != ISO_OK) {
            return false;
        }
        mass += view.mass;
        moment.x = iso_wide_add(moment.x, iso_wide_mul(view.centre.x - sense->hip.x, view.mass));
        moment.y = iso_wide_add(moment.y, iso_wide_mul(view.centre.y - sense->hip.y, view.mass));
        momentum.x = iso_wide_add(momentum.x, iso_wide_mul(view.velocity.x, view.mass));
        momentum.y = iso_wide_add(momentum.y, iso_wide_mul(view.velocity.y, view.mass));
    }
    const iso_vec2 gravity = iso_world_get_gravity(world);
    sense->weight = iso_wide_mul(mass, iso_wide_from_fix16(gravity.y < 0 ? -gravity.y : 0));
    sense->centre = (iso_vec2_wide){iso_wide_div(moment.x, mass), iso_wide_div(moment.y, mass)};
    sense->velocity = (iso_vec2_wide){iso_wide_div(momentum.x, mass), iso_wide_div(momentum.y, mass)};
    return true;
}

bool iso__walker_feel(const iso_world *world, const walker_state *state, uint32_t slot, walker_sense *sense) {
    iso_body_view view;
    for (uint32_t joint = 0; joint < WALKER_JOINT_COUNT; ++joint) {
        if (!iso_joint_is_valid(world, walker_joint(state, slot, joint))) {
            return false;
        }
    }
    if (iso_body_get(world, iso__walker_body(state, slot, WALKER_TORSO), &view) != ISO_OK) {
        return false;
    }
    *sense = (walker_sense){.hip = view.position, .turning = view.angular_velocity};
    sense->lean = wrapped(view.angle_turns);
    for (uint32_t leg = 0; leg < 2; ++leg) {
        if (iso_body_get(world, iso__walker_body(state, slot, WALKER_FOOT_L + leg), &view) != ISO_OK) {
            return false;
        }
        sense->tilt[leg] = wrapped(view.angle_turns);
        sense->ankle[leg] = (iso_vec2_wide){view.position.x - sense->hip.x, view.position.y - sense->hip.y};
    }
    feel_ground(world, state, slot, sense->is_on_ground);
    return feel_centre(world, state, slot, sense);
}

// ---- moving --------------------------------------------------------------------------------------

void iso__walker_servo(iso_world *world, const walker_state *state, uint32_t slot, uint32_t joint, iso_wide angle,
                       walker_spring spring) {
    const iso_joint_id id = walker_joint(state, slot, joint);
    const fix16_t radians = iso_fix16_from_wide(iso_radians_from_turns(wrapped(angle)));
    const fix16_t low = JOINTS[joint].low * DEGREE, high = JOINTS[joint].high * DEGREE;
    iso_joint_set_motor(world, id, false, 0, 0);
    iso_joint_set_spring(world, id, true, spring.hertz, spring.ratio,
                         radians < low    ? low
                         : radians > high ? high
                                          : radians);
}

void iso__walker_limp(iso_world *world, const walker_state *state, uint32_t slot, uint32_t joint) {
    const iso_joint_id id = walker_joint(state, slot, joint);
    iso_joint_set_motor(world, id, false, 0, 0);
    iso_joint_set_spring(world, id, false, 0, 0, 0);
}

void iso__walker_torque(iso_world *world, const walker_state *state, uint32_t slot, uint32_t joint, iso_wide torque) {
    const iso_joint_id id = walker_joint(state, slot, joint);
    const iso_wide most = JOINTS[joint].torque * ISO_WIDE_ONE, size = torque < 0 ? -torque : torque;
    // A motor that never gets as fast as it is told to applies its most.
    iso_joint_set_spring(world, id, false, 0, 0, 0);
    iso_joint_set_motor(world, id, true, torque < 0 ? -MOTOR_SPEED : MOTOR_SPEED, size < most ? size : most);
}

iso_wide iso__walker_felt_torque(const iso_world *world, const walker_state *state, uint32_t slot, uint32_t joint) {
    iso_wide torque = 0;
    iso_joint_get_torque(world, walker_joint(state, slot, joint), &torque);
    return torque;
}
