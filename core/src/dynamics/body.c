/// Bodies: creation, velocities, forces. body_mass.c has what derives from shapes.
#include "dynamics/body.h"

#include "math/fixed_ops.h"
#include "math/wide128.h"
#include "state/slots.h"

#define BODY_SPEED_MAX    (ISO_SPEED_MAX_M_S * ISO__VEL_ONE)
#define BODY_POSITION_MAX (ISO_POSITION_MAX_M * ISO_WIDE_ONE)

iso_body_def iso_body_def_default(void) {
    iso_body_def def = {0};
    def.type = ISO_BODY_DYNAMIC;
    def.owner.slot = ISO_OWNER_NOBODY;
    return def;
}

int64_t iso__spin_from_angular_velocity(iso_wide angular_velocity, int8_t radius_exponent) {
    // Q.32 to Q.19 is a shift by 13; L = 2^k takes k of it back. k is at most 6.
    return iso__round_shift(iso__clamp64(angular_velocity, -(INT64_C(1) << 62), INT64_C(1) << 62),
                            (unsigned)(13 - radius_exponent));
}

iso_wide iso__angular_velocity_from_spin(int32_t spin, int8_t radius_exponent) {
    return iso__shl64(spin, (unsigned)(13 - radius_exponent));
}

static iso_status body_check_velocity(iso_vec2 velocity, fix16_t angular_velocity, int8_t radius_exponent) {
    const int64_t spin = iso__spin_from_angular_velocity(iso_wide_from_fix16(angular_velocity), radius_exponent);
    const bool is_within = iso__abs_u32(velocity.x) <= ISO_SPEED_MAX_M_S * ISO_FIX16_ONE &&
                           iso__abs_u32(velocity.y) <= ISO_SPEED_MAX_M_S * ISO_FIX16_ONE &&
                           iso__abs_u64(spin) <= BODY_SPEED_MAX;
    return is_within ? ISO_OK : ISO_ERR_RANGE;
}

iso_status iso_body_create(iso_world *world, const iso_body_def *def, iso_body_id *body) {
    if (def->type < ISO_BODY_STATIC || def->type > ISO_BODY_DYNAMIC) {
        return ISO_ERR_BAD_ENUM;
    }
    if (!iso__owner_is_valid(def->owner)) {
        return ISO_ERR_RANGE;
    }
    if (iso__abs_u32(def->position.x) > ISO_POSITION_MAX_M * (uint32_t)ISO_FIX16_ONE ||
        iso__abs_u32(def->position.y) > ISO_POSITION_MAX_M * (uint32_t)ISO_FIX16_ONE ||
        body_check_velocity(def->velocity, def->angular_velocity, 0) != ISO_OK) {
        return ISO_ERR_RANGE;
    }
    const uint32_t index = iso__slot_take(&world->body_map, world->body_generations, world->def.body_capacity,
                                          &world->globals->body_count);
    if (index == UINT32_MAX) {
        return ISO_ERR_CAPACITY;
    }
    iso__body *record = &world->bodies[index];
    *record = (iso__body){0};
    record->position[0] = iso_wide_from_fix16(def->position.x);
    record->position[1] = iso_wide_from_fix16(def->position.y);
    record->angle = iso_turns_from_radians(iso_wide_from_fix16(def->angle));
    if (def->type != ISO_BODY_STATIC) {
        record->velocity[0] = def->velocity.x * 8; // Q15.16 to Q12.19; within ±512
        record->velocity[1] = def->velocity.y * 8;
        record->spin = (int32_t)iso__spin_from_angular_velocity(iso_wide_from_fix16(def->angular_velocity), 0);
    }
    record->owner_generation = def->owner.generation;
    record->owner_slot = def->owner.slot;
    record->tag = def->tag;
    record->type = def->type;
    world->body_derived[index] = (iso__body_derived){.first_shape = UINT32_MAX};
    const iso_status status = iso__body_update_mass(world, index, true);
    ISO_ASSERT(status == ISO_OK); // a body without shapes always has a mass
    iso__body_update_rotation(world, index);
    iso__slot_count_body(world, def->owner, 1);
    iso__mark_dirty(world, ISO_SECTION_BODIES, index);
    iso__mark_section_dirty(world, ISO_SECTION_GENERATIONS);
    *body = (iso_body_id){index, world->body_generations[index]};
    return ISO_OK;
}

iso_status iso_body_destroy(iso_world *world, iso_body_id body) {
    if (!iso__body_alive(world, body)) {
        return ISO_ERR_STALE;
    }
    iso__slot_count_body(world, iso__body_owner(&world->bodies[body.index]), -1);
    iso__joints_remove_body(world, body.index);
    uint32_t shape = world->body_derived[body.index].first_shape;
    while (shape != UINT32_MAX) {
        const uint32_t next = world->shape_derived[shape].next_shape;
        iso__shape_release(world, shape);
        shape = next;
    }
    world->bodies[body.index] = (iso__body){0};
    world->body_derived[body.index] = (iso__body_derived){.first_shape = UINT32_MAX};
    world->forces[body.index] = (iso__body_force){0};
    world->forced[body.index / 64] &= ~(UINT64_C(1) << (body.index % 64));
    iso__slot_release(&world->body_map, world->body_generations, body.index);
    iso__mark_dirty(world, ISO_SECTION_BODIES, body.index);
    iso__mark_section_dirty(world, ISO_SECTION_GENERATIONS);
    return ISO_OK;
}

bool iso_body_is_valid(const iso_world *world, iso_body_id body) {
    return iso__body_alive(world, body);
}

iso_body_id iso_body_next(const iso_world *world, uint32_t index) {
    for (uint32_t i = index; i < world->globals->body_count; ++i) {
        if (iso__generation_is_alive(world->body_generations[i])) {
            return (iso_body_id){i, world->body_generations[i]};
        }
    }
    return (iso_body_id){0, 0};
}

iso_status iso_body_get(const iso_world *world, iso_body_id body, iso_body_view *view) {
    if (!iso__body_alive(world, body)) {
        return ISO_ERR_STALE;
    }
    const iso__body *record = &world->bodies[body.index];
    const iso__body_derived *derived = &world->body_derived[body.index];
    const iso_vec2_wide offset =
        iso__rotate_to_wide(derived->rotation, derived->local_centre[0], derived->local_centre[1]);
    *view = (iso_body_view){
        .position = {record->position[0] - offset.x, record->position[1] - offset.y},
        .centre = {record->position[0], record->position[1]},
        .angle_turns = record->angle,
        .rotation = derived->rotation,
        .velocity = {iso__shl64(record->velocity[0], 13), iso__shl64(record->velocity[1], 13)},
        .angular_velocity = iso__angular_velocity_from_spin(record->spin, derived->radius_exponent),
        .mass = derived->mass,
        .inertia = derived->inertia,
        .tag = record->tag,
        .type = record->type,
        .owner = {record->owner_generation, record->owner_slot},
    };
    return ISO_OK;
}

// ---- velocities and forces -----------------------------------------------------------------------

iso_status iso_body_set_velocity(iso_world *world, iso_body_id body, iso_vec2 velocity, fix16_t angular_velocity) {
    if (!iso__body_alive(world, body)) {
        return ISO_ERR_STALE;
    }
    iso__body *record = &world->bodies[body.index];
    if (record->type == ISO_BODY_STATIC) {
        return ISO_ERR_WRONG_TYPE;
    }
    const int8_t k = world->body_derived[body.index].radius_exponent;
    const iso_status status = body_check_velocity(velocity, angular_velocity, k);
    if (status != ISO_OK) {
        return status;
    }
    record->velocity[0] = velocity.x * 8;
    record->velocity[1] = velocity.y * 8;
    record->spin = (int32_t)iso__spin_from_angular_velocity(iso_wide_from_fix16(angular_velocity), k);
    iso__mark_dirty(world, ISO_SECTION_BODIES, body.index);
    return ISO_OK;
}

static bool body_is_within(iso_wide value) {
    return iso__abs_u64(value) <= ISO_IMPULSE_MAX * (uint64_t)ISO_WIDE_ONE;
}

static iso_status body_check_push(const iso_world *world, iso_body_id body, iso_wide x, iso_wide y) {
    if (!iso__body_alive(world, body)) {
        return ISO_ERR_STALE;
    }
    if (world->bodies[body.index].type != ISO_BODY_DYNAMIC) {
        return ISO_ERR_WRONG_TYPE;
    }
    return body_is_within(x) && body_is_within(y) ? ISO_OK : ISO_ERR_RANGE;
}

/// (point - centre of mass) x vector, Q31.32, saturating.
static iso_wide body_moment(const iso_world *world, iso_body_id body, iso_vec2 point, iso_vec2_wide vector) {
    const iso__body *record = &world->bodies[body.index];
    const iso_wide rx = iso_wide_from_fix16(point.x) - record->position[0];
    const iso_wide ry = iso_wide_from_fix16(point.y) - record->position[1];
    return iso__dot_shift(rx, vector.y, -ry, vector.x, 32);
}

static void body_add_force(iso_world *world, uint32_t body, iso_vec2_wide force, iso_wide torque) {
    iso__body_force *sum = &world->forces[body];
    sum->force[0] = iso_wide_add(sum->force[0], force.x);
    sum->force[1] = iso_wide_add(sum->force[1], force.y);
    sum->torque = iso_wide_add(sum->torque, torque);
    world->forced[body / 64] |= UINT64_C(1) << (body % 64);
}

iso_status iso_body_apply_force(iso_world *world, iso_body_id body, iso_vec2_wide force, iso_vec2 point) {
    const iso_status status = body_check_push(world, body, force.x, force.y);
    if (status == ISO_OK) {
        body_add_force(world, body.index, force, body_moment(world, body, point, force));
    }
    return status;
}

iso_status iso_body_apply_force_to_centre(iso_world *world, iso_body_id body, iso_vec2_wide force) {
    const iso_status status = body_check_push(world, body, force.x, force.y);
    if (status == ISO_OK) {
        body_add_force(world, body.index, force, 0);
    }
    return status;
}

iso_status iso_body_apply_torque(iso_world *world, iso_body_id body, iso_wide torque) {
    const iso_status status = body_check_push(world, body, torque, 0);
    if (status == ISO_OK) {
        body_add_force(world, body.index, (iso_vec2_wide){0, 0}, torque);
    }
    return status;
}

int32_t iso__body_spin_change(const iso__body_derived *derived, iso_wide angular_impulse) {
    // dw L = M L / I = M G / (m L), with G = m L^2 / I in Q9.22.
    const int64_t change = iso__mul_div(angular_impulse, derived->gyration, derived->mass); // Q.22, times L
    const int8_t k = derived->radius_exponent;
    const int64_t spin = k > -3 ? iso__round_shift(iso__clamp64(change, -(INT64_C(1) << 62), INT64_C(1) << 62),
                                                   (unsigned)(3 + k))
                                : iso__mul_shift(change, INT64_C(1) << (-3 - k), 0);
    return (int32_t)iso__clamp64(spin, -2 * (int64_t)BODY_SPEED_MAX, 2 * (int64_t)BODY_SPEED_MAX);
}

int32_t iso__body_velocity_change(const iso__body_derived *derived, iso_wide impulse) {
    const int64_t change = iso__div_shift(impulse, ISO__VEL_FRACTION, derived->mass);
    return (int32_t)iso__clamp64(change, -2 * (int64_t)BODY_SPEED_MAX, 2 * (int64_t)BODY_SPEED_MAX);
}

static void body_add_impulse(iso_world *world, uint32_t body, iso_vec2_wide impulse, iso_wide angular_impulse) {
    iso__body *record = &world->bodies[body];
    const iso__body_derived *derived = &world->body_derived[body];
    const int32_t change[3] = {iso__body_velocity_change(derived, impulse.x), iso__body_velocity_change(derived, impulse.y),
                               iso__body_spin_change(derived, angular_impulse)};
    int32_t *const parts[3] = {&record->velocity[0], &record->velocity[1], &record->spin};
    for (int i = 0; i < 3; ++i) {
        const int32_t sum = *parts[i] + change[i]; // 512 + 1024 is far below the format's 4096
        *parts[i] = iso__clamp32(sum, -BODY_SPEED_MAX, BODY_SPEED_MAX);
        world->globals->clamped_velocities += *parts[i] != sum;
    }
    iso__mark_dirty(world, ISO_SECTION_BODIES, body);
}

iso_status iso_body_apply_impulse(iso_world *world, iso_body_id body, iso_vec2_wide impulse, iso_vec2 point) {
    const iso_status status = body_check_push(world, body, impulse.x, impulse.y);
    if (status == ISO_OK) {
        body_add_impulse(world, body.index, impulse, body_moment(world, body, point, impulse));
    }
    return status;
}

iso_status iso_body_apply_angular_impulse(iso_world *world, iso_body_id body, iso_wide impulse) {
    const iso_status status = body_check_push(world, body, impulse, 0);
    if (status == ISO_OK) {
        body_add_impulse(world, body.index, (iso_vec2_wide){0, 0}, impulse);
    }
    return status;
}

iso_status iso_body_set_owner(iso_world *world, iso_body_id body, iso_owner owner) {
    if (!iso__body_alive(world, body)) {
        return ISO_ERR_STALE;
    }
    if (!iso__owner_is_valid(owner)) {
        return ISO_ERR_RANGE;
    }
    iso__slot_count_body(world, iso__body_owner(&world->bodies[body.index]), -1);
    iso__slot_count_body(world, owner, 1);
    world->bodies[body.index].owner_generation = owner.generation;
    world->bodies[body.index].owner_slot = owner.slot;
    iso__mark_dirty(world, ISO_SECTION_BODIES, body.index);
    return ISO_OK;
}

uint32_t iso_body_get_island(const iso_world *world, iso_body_id body) {
    return iso__body_alive(world, body) && world->bodies[body.index].type == ISO_BODY_DYNAMIC
               ? world->islands[body.index]
               : UINT32_MAX;
}
