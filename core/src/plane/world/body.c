/// Bodies: creation, velocities, forces. body_mass.c has what derives from shapes.
#include "plane/world/body.h"

#include "base/assert.h"
#include "math/fixed_ops.h"
#include "math/rotate.h"
#include "math/wide128.h"
#include "plane/world/body_mass.h"
#include "plane/world/compound.h"
#include "plane/world/contact.h"
#include "plane/world/joint.h"
#include "plane/world/shape.h"
#include "plane/world/spin.h"
#include "plane/world/wake.h"
#include "world/slots.h"

#define BODY_SPEED_MAX    (ISO_SPEED_MAX_M_S * ISO__VEL_ONE)
#define BODY_POSITION_MAX (ISO_POSITION_MAX_M * ISO_WIDE_ONE)

iso_body_params iso_body_params_default(void) {
    iso_body_params params = {.sleep_enabled = true};
#define BODY_DEFAULT(name, low, high, otherwise) params.name = (otherwise)*ISO_FIX16_ONE;
    ISO_BODY_NUMBER_LIST(BODY_DEFAULT)
#undef BODY_DEFAULT
    return params;
}

iso_body_def iso_body_def_default(void) {
    iso_body_def def = {0};
    def.params = iso_body_params_default();
    def.type = ISO_BODY_DYNAMIC;
    def.owner.slot = ISO_OWNER_NOBODY;
    return def;
}

/// Velocities in the units of the state. @param def  whose cap on spins holds; NULL: that of the format
/// @return false, and nothing is written, when one is too fast.
static bool body_store_velocity(const iso_world_def *def, iso__plane_body *record, iso_vec2_wide velocity,
                                iso_wide angular_velocity, int8_t radius_exponent) {
    const int64_t spin = iso__plane_spin_from_angular_velocity(angular_velocity, radius_exponent);
    const int32_t most = def != NULL ? iso__plane_spin_max(def, radius_exponent) : ISO_SPEED_MAX_M_S * ISO__VEL_ONE;
    if (!iso__plane_body_speed_is_valid(velocity) || spin > most || spin < -most) {
        return false;
    }
    record->velocity[0] = (int32_t)iso__round_shift(velocity.x, 13); // Q31.32 to Q12.19; within ±512
    record->velocity[1] = (int32_t)iso__round_shift(velocity.y, 13);
    record->spin = (int32_t)spin;
    return true;
}

bool iso__plane_body_place_is_valid(iso_vec2_wide place) {
    return iso__abs_u64(place.x) <= BODY_POSITION_MAX && iso__abs_u64(place.y) <= BODY_POSITION_MAX;
}

bool iso__plane_body_speed_is_valid(iso_vec2_wide velocity) {
    const uint64_t most = ISO_SPEED_MAX_M_S * (uint64_t)ISO_WIDE_ONE;
    return iso__abs_u64(velocity.x) <= most && iso__abs_u64(velocity.y) <= most;
}

/// Into a record, leaving what is no parameter.
static void body_write_params(iso__plane_body *record, const iso_body_params *params) {
    unsigned switches = 0;
#define BODY_WRITE_NUMBER(name, low, high, otherwise) record->name = params->name;
#define BODY_WRITE_SWITCH(name, bit, key)             switches |= params->name ? (unsigned)(bit) : 0u;
    ISO_BODY_NUMBER_LIST(BODY_WRITE_NUMBER)
    ISO_BODY_SWITCH_LIST(BODY_WRITE_SWITCH)
#undef BODY_WRITE_NUMBER
#undef BODY_WRITE_SWITCH
    record->flags = (uint8_t)((record->flags & ~ISO__PLANE_BODY_PARAM_FLAGS) | (switches ^ ISO__PLANE_BODY_SLEEPLESS));
}

iso_status iso__plane_body_make_record(const iso_world_def *world_def, const iso_body_def *def,
                                       iso__plane_body *record) {
    if (def->type < ISO_BODY_STATIC || def->type > ISO_BODY_DYNAMIC) {
        return ISO_ERR_BAD_ENUM;
    }
    if (!iso__owner_is_valid(def->owner)) {
        return ISO_ERR_RANGE;
    }
    iso__plane_body made = {0};
    if (!iso__plane_body_place_is_valid(def->position) ||
        !body_store_velocity(world_def, &made, def->velocity, def->angular_velocity, 0) ||
        iso_body_params_check(&def->params) != ISO_OK) {
        return ISO_ERR_RANGE;
    }
    if (def->type == ISO_BODY_STATIC) {
        made = (iso__plane_body){0};
    }
    made.position[0] = def->position.x;
    made.position[1] = def->position.y;
    made.angle = iso_turns_from_radians(def->angle);
    made.owner_generation = def->owner.generation;
    made.owner_slot = def->owner.slot;
    made.tag = def->tag;
    made.type = def->type;
    body_write_params(&made, &def->params);
    iso__plane_body_lock(&made);
    *record = made;
    return ISO_OK;
}

iso_status iso_body_create(iso_world *world, const iso_body_def *def, iso_body_id *body) {
    ISO__PLANE_ONLY(world, ISO_ERR_DIMENSION);
    iso__plane *plane = iso__plane_of(world);
    iso__plane_body made;
    iso_status status = iso__plane_body_make_record(&world->def, def, &made);
    if (status != ISO_OK) {
        return status;
    }
    const uint32_t index = iso__slot_take(&world->body_map, world->body_generations, world->def.body_capacity,
                                          &world->globals->body_count);
    if (index == UINT32_MAX) {
        return ISO_ERR_CAPACITY;
    }
    iso__plane_body *record = &plane->bodies[index];
    *record = made;
    record->spawn_number = world->globals->tick == 0 ? 0 : ++world->globals->spawn_count;
    plane->body_derived[index] = (iso__plane_body_derived){.first_shape = UINT32_MAX};
    status = iso__plane_body_update_mass(plane, index, false);
    ISO_ASSERT(status == ISO_OK); // a body without shapes always has a mass
    iso__plane_body_update_rotation(plane, index);
    iso__slot_count_body(world, def->owner, 1);
    iso__plane_body_refresh_awake(plane, index);
    iso__bit_set(world->displaced, index);
    iso__mark_dirty(world, ISO_SECTION_BODIES, index);
    iso__mark_section_dirty(world, ISO_SECTION_GENERATIONS);
    *body = (iso_body_id){index, world->body_generations[index]};
    return ISO_OK;
}

iso_status iso__plane_body_destroy(iso_world *world, uint32_t index) {
    iso__plane *plane = iso__plane_of(world);
    const iso_body_id body = {index, world->body_generations[index]};
    iso__slot_count_body(world, iso__plane_body_owner(&plane->bodies[index]), -1);
    iso__plane_joints_remove_body(plane, index);
    uint32_t shape = plane->body_derived[body.index].first_shape;
    while (shape != UINT32_MAX) {
        const uint32_t next = plane->shape_derived[shape].next_shape;
        iso__plane_shape_release(plane, shape);
        shape = next;
    }
    const uint32_t compound = plane->bodies[body.index].compound;
    plane->bodies[body.index] = (iso__plane_body){0};
    iso__plane_compound_lose(plane, compound);
    plane->body_derived[body.index] = (iso__plane_body_derived){.first_shape = UINT32_MAX};
    iso__plane_body_clear_forces(plane, body.index);
    iso__plane_body_refresh_awake(plane, body.index);
    iso__bit_clear(world->woken, body.index);
    iso__bit_clear(world->jointed, body.index);
    iso__slot_release(&world->body_map, world->body_generations, body.index);
    iso__mark_dirty(world, ISO_SECTION_BODIES, body.index);
    iso__mark_section_dirty(world, ISO_SECTION_GENERATIONS);
    return ISO_OK;
}

iso_vec2_wide iso__plane_body_origin(const iso__plane *plane, uint32_t body) {
    ISO_ASSERT(body < plane->world.globals->body_count);
    const int64_t *centre = plane->bodies[body].position;
    const iso__plane_body_derived *derived = &plane->body_derived[body];
    const iso_vec2_wide offset =
        iso__rotate_to_wide(derived->rotation, derived->local_centre[0], derived->local_centre[1]);
    return (iso_vec2_wide){centre[0] - offset.x, centre[1] - offset.y};
}

iso_status iso_body_get(const iso_world *world, iso_body_id body, iso_body_view *view) {
    ISO__PLANE_ONLY(world, ISO_ERR_DIMENSION);
    const iso__plane *plane = iso__plane_of_const(world);
    if (!iso__body_is_alive(world, body)) {
        return ISO_ERR_STALE;
    }
    const iso__plane_body *record = &plane->bodies[body.index];
    const iso__plane_body_derived *derived = &plane->body_derived[body.index];
    *view = (iso_body_view){
        .position = iso__plane_body_origin(plane, body.index),
        .centre = {record->position[0], record->position[1]},
        .angle = iso_radians_from_turns(record->angle),
        .angle_turns = record->angle,
        .rotation = derived->rotation,
        .velocity = {iso__shl64(record->velocity[0], 13), iso__shl64(record->velocity[1], 13)},
        .angular_velocity = iso__plane_angular_velocity_from_spin(record->spin, derived->radius_exponent),
        .mass = derived->mass,
        .inertia = derived->inertia,
        .tag = record->tag,
        .type = record->type,
        .owner = {record->owner_generation, record->owner_slot},
        .spawn_number = record->spawn_number,
        .compound = iso__plane_compound_id_of(world, record->compound),
        .part = record->part,
    };
    return ISO_OK;
}

// ---- parameters, mass and type ---------------------------------------------------------------------

iso_status iso_body_params_check(const iso_body_params *params) {
    bool is_within = true;
#define BODY_CHECK(name, low, high, otherwise) \
    is_within = is_within && params->name >= (low)*ISO_FIX16_ONE && params->name <= (high)*ISO_FIX16_ONE;
    ISO_BODY_NUMBER_LIST(BODY_CHECK)
#undef BODY_CHECK
    return is_within ? ISO_OK : ISO_ERR_RANGE;
}

void iso__plane_body_read_params(const iso__plane_body *record, iso_body_params *params) {
    const unsigned switches = record->flags ^ ISO__PLANE_BODY_SLEEPLESS;
#define BODY_READ_NUMBER(name, low, high, otherwise) params->name = record->name;
#define BODY_READ_SWITCH(name, bit, key)             params->name = (switches & (bit)) != 0;
    ISO_BODY_NUMBER_LIST(BODY_READ_NUMBER)
    ISO_BODY_SWITCH_LIST(BODY_READ_SWITCH)
#undef BODY_READ_NUMBER
#undef BODY_READ_SWITCH
}

iso_status iso_body_get_params(const iso_world *world, iso_body_id body, iso_body_params *params) {
    ISO__PLANE_ONLY(world, ISO_ERR_DIMENSION);
    const iso__plane *plane = iso__plane_of_const(world);
    if (!iso__body_is_alive(world, body)) {
        return ISO_ERR_STALE;
    }
    iso__plane_body_read_params(&plane->bodies[body.index], params);
    return ISO_OK;
}

iso_status iso_body_set_params(iso_world *world, iso_body_id body, const iso_body_params *params) {
    ISO__PLANE_ONLY(world, ISO_ERR_DIMENSION);
    iso__plane *plane = iso__plane_of(world);
    if (!iso__body_is_alive(world, body)) {
        return ISO_ERR_STALE;
    }
    if (iso_body_params_check(params) != ISO_OK) {
        return ISO_ERR_RANGE;
    }
    iso__plane_body *record = &plane->bodies[body.index];
    const uint8_t flags_before = record->flags;
    body_write_params(record, params);
    iso__plane_body_lock(record);
    if ((record->flags ^ flags_before) & ISO__PLANE_BODY_FIXED_ROTATION) {
        const iso_status status = iso__plane_body_update_mass(plane, body.index, true);
        ISO_ASSERT(status == ISO_OK); // mass and inertia are checked whether the body turns or not
    }
    iso__plane_body_wake(world, body.index);
    iso__mark_dirty(world, ISO_SECTION_BODIES, body.index);
    return ISO_OK;
}

bool iso__plane_body_mass_is_valid(iso_wide mass, iso_wide inertia) {
    return (mass == 0 || (mass >= ISO__BODY_MASS_MIN && mass <= ISO__BODY_MASS_MAX)) && inertia >= 0;
}

iso_status iso_body_set_mass(iso_world *world, iso_body_id body, iso_wide mass, iso_wide inertia) {
    ISO__PLANE_ONLY(world, ISO_ERR_DIMENSION);
    iso__plane *plane = iso__plane_of(world);
    if (!iso__body_is_alive(world, body)) {
        return ISO_ERR_STALE;
    }
    if (!iso__plane_body_mass_is_valid(mass, inertia)) {
        return ISO_ERR_RANGE;
    }
    iso__plane_body *record = &plane->bodies[body.index];
    const iso__plane_body before = *record;
    record->mass = mass;
    record->inertia = inertia;
    const iso_status status = iso__plane_body_update_mass(plane, body.index, true);
    if (status != ISO_OK) {
        *record = before;
        return ISO_ERR_RANGE;
    }
    iso__plane_body_wake(world, body.index);
    iso__mark_dirty(world, ISO_SECTION_BODIES, body.index);
    return ISO_OK;
}

iso_status iso_body_get_own_mass(const iso_world *world, iso_body_id body, iso_wide *mass, iso_wide *inertia) {
    ISO__PLANE_ONLY(world, ISO_ERR_DIMENSION);
    const iso__plane *plane = iso__plane_of_const(world);
    if (!iso__body_is_alive(world, body)) {
        return ISO_ERR_STALE;
    }
    *mass = plane->bodies[body.index].mass;
    *inertia = plane->bodies[body.index].inertia;
    return ISO_OK;
}

iso_status iso_body_set_type(iso_world *world, iso_body_id body, uint8_t type) {
    ISO__PLANE_ONLY(world, ISO_ERR_DIMENSION);
    iso__plane *plane = iso__plane_of(world);
    if (!iso__body_is_alive(world, body)) {
        return ISO_ERR_STALE;
    }
    if (type < ISO_BODY_STATIC || type > ISO_BODY_DYNAMIC) {
        return ISO_ERR_BAD_ENUM;
    }
    iso__plane_body *record = &plane->bodies[body.index];
    if (record->type == type) {
        return ISO_OK;
    }
    const uint8_t before = record->type;
    record->type = type;
    if (iso__plane_body_update_mass(plane, body.index, true) != ISO_OK) {
        record->type = before;
        return ISO_ERR_RANGE;
    }
    if (before != ISO_BODY_DYNAMIC) {
        iso__bit_clear(world->was_awake, body.index); // no joint was awake by this body
    }
    iso__plane_body_wake(world, body.index);
    iso__plane_body_wake_neighbours(plane, body.index);
    const bool has_contacts = iso__plane_contacts_have_body(plane, body.index);
    for (uint32_t i = plane->body_derived[body.index].first_shape; i != UINT32_MAX && has_contacts;
         i = plane->shape_derived[i].next_shape) {
        iso__plane_contacts_remove(plane, i); // with their poses and impulses, as when it is moved
    }
    iso__plane_body_restart_quiet(record);
    iso__plane_body_refresh_awake(plane, body.index);
    if (type == ISO_BODY_STATIC) {
        record->velocity[0] = record->velocity[1] = record->spin = 0;
    }
    iso__plane_body_lock(record);
    iso__plane_body_clear_forces(plane, body.index);
    // Which shapes may touch follows from the types of their bodies.
    for (uint32_t i = plane->body_derived[body.index].first_shape; i != UINT32_MAX;
         i = plane->shape_derived[i].next_shape) {
        iso__plane_shape_touch(plane, i);
    }
    iso__mark_dirty(world, ISO_SECTION_BODIES, body.index);
    return ISO_OK;
}

void iso__plane_body_clear_forces(iso__plane *plane, uint32_t body) {
    const uint64_t bit = UINT64_C(1) << (body % 64);
    plane->forces[body] = (iso__plane_body_force){0};
    plane->world.forced[body / 64] &= ~bit;
    plane->move_bits[body / 64] &= ~bit;
}

// ---- velocities and forces -----------------------------------------------------------------------

iso_status iso_body_set_velocity(iso_world *world, iso_body_id body, iso_vec2_wide velocity,
                                 iso_wide angular_velocity) {
    ISO__PLANE_ONLY(world, ISO_ERR_DIMENSION);
    iso__plane *plane = iso__plane_of(world);
    if (!iso__body_is_alive(world, body)) {
        return ISO_ERR_STALE;
    }
    iso__plane_body *record = &plane->bodies[body.index];
    if (record->type == ISO_BODY_STATIC) {
        return ISO_ERR_WRONG_TYPE;
    }
    if (!body_store_velocity(&world->def, record, velocity, angular_velocity,
                             plane->body_derived[body.index].radius_exponent)) {
        return ISO_ERR_RANGE;
    }
    iso__plane_body_lock(record);
    iso__plane_body_wake(world, body.index);
    iso__mark_dirty(world, ISO_SECTION_BODIES, body.index);
    return ISO_OK;
}

iso_status iso_body_move_kinematic(iso_world *world, iso_body_id body, iso_vec2_wide position, iso_wide angle) {
    ISO__PLANE_ONLY(world, ISO_ERR_DIMENSION);
    iso__plane *plane = iso__plane_of(world);
    if (!iso__body_is_alive(world, body)) {
        return ISO_ERR_STALE;
    }
    const iso__plane_body *record = &plane->bodies[body.index];
    if (record->type != ISO_BODY_KINEMATIC) {
        return ISO_ERR_WRONG_TYPE;
    }
    // The centre of a kinematic body is its origin. The low half of the difference of angles is the shorter way.
    const uint32_t turn = (uint32_t)(uint64_t)iso_turns_from_radians(angle) - (uint32_t)(uint64_t)record->angle;
    const iso__plane_body_move move = {{position.x, position.y}, iso__add64(record->angle, (int32_t)turn)};
    int32_t velocity[3];
    if (!iso__plane_body_place_is_valid(position) ||
        !iso__plane_body_move_velocity(plane, body.index, &move, velocity)) {
        return ISO_ERR_RANGE;
    }
    plane->moves[body.index] = move;
    iso__bit_set(plane->move_bits, body.index);
    iso__plane_body_wake(world, body.index);
    return ISO_OK;
}

iso_status iso_body_set_position(iso_world *world, iso_body_id body, iso_vec2_wide position, iso_wide angle) {
    ISO__PLANE_ONLY(world, ISO_ERR_DIMENSION);
    iso__plane *plane = iso__plane_of(world);
    if (!iso__body_is_alive(world, body)) {
        return ISO_ERR_STALE;
    }
    if (iso__abs_u64(position.x) > BODY_POSITION_MAX || iso__abs_u64(position.y) > BODY_POSITION_MAX) {
        return ISO_ERR_RANGE;
    }
    const iso__plane_body_derived *derived = &plane->body_derived[body.index];
    const int64_t turns = iso_turns_from_radians(angle);
    const iso_vec2_wide offset = iso__rotate_to_wide(iso_rotation_make((uint32_t)(uint64_t)turns),
                                                     derived->local_centre[0], derived->local_centre[1]);
    const int64_t centre[2] = {position.x + offset.x, position.y + offset.y};
    if (iso__abs_u64(centre[0]) > BODY_POSITION_MAX || iso__abs_u64(centre[1]) > BODY_POSITION_MAX) {
        return ISO_ERR_RANGE;
    }
    iso__plane_body_teleport(plane, body.index, centre, turns);
    return ISO_OK;
}

void iso__plane_body_teleport(iso__plane *plane, uint32_t body, const int64_t centre[2], int64_t turns) {
    iso__plane_body *record = &plane->bodies[body];
    iso__plane_body_wake(&plane->world, body);
    iso__plane_body_wake_neighbours(plane, body); // bodies that rested on it, and those connected by joints
    record->position[0] = centre[0];
    record->position[1] = centre[1];
    record->angle = turns;
    iso__bit_clear(plane->move_bits, body);
    iso__plane_body_update_rotation(plane, body);
    const bool has_contacts = iso__plane_contacts_have_body(plane, body);
    for (uint32_t i = plane->body_derived[body].first_shape; i != UINT32_MAX; i = plane->shape_derived[i].next_shape) {
        if (has_contacts) {
            iso__plane_contacts_remove(plane, i);
        }
        iso__plane_shape_wake_near(plane, i);
    }
    iso__bit_set(plane->world.displaced, body);
    iso__mark_dirty(&plane->world, ISO_SECTION_BODIES, body);
}

bool iso__plane_body_move_velocity(const iso__plane *plane, uint32_t body, const iso__plane_body_move *move,
                                   int32_t velocity[3]) {
    const iso__plane_body *record = &plane->bodies[body];
    const int64_t rate = plane->world.def.tick_rate_hz;
    const iso_wide omega =
        iso__mul_shift(iso__sub64(move->angle, record->angle) * rate, ISO_WIDE_TWO_PI, ISO__WIDE_FRACTION);
    const int64_t wanted[3] = {
        iso__round_shift((move->position[0] - record->position[0]) * rate, 13), // Q31.32 to Q12.19; below 60,000 * 128
        iso__round_shift((move->position[1] - record->position[1]) * rate, 13),
        iso__plane_spin_from_angular_velocity(omega, plane->body_derived[body].radius_exponent),
    };
    bool is_within = true;
    for (int i = 0; i < 3; ++i) {
        is_within = is_within && iso__abs_u64(wanted[i]) <= BODY_SPEED_MAX;
        velocity[i] = (int32_t)iso__clamp64(wanted[i], -BODY_SPEED_MAX, BODY_SPEED_MAX);
    }
    return is_within;
}

void iso__plane_body_read_velocity(const iso__plane *plane, uint32_t body, int32_t velocity[3]) {
    const iso__plane_body *record = &plane->bodies[body];
    if (iso__bit_is_set(plane->move_bits, body)) {
        iso__plane_body_move_velocity(plane, body, &plane->moves[body], velocity);
        return;
    }
    velocity[0] = record->velocity[0];
    velocity[1] = record->velocity[1];
    velocity[2] = record->spin;
}

static bool body_is_within(iso_wide value) {
    return iso__abs_u64(value) <= ISO_IMPULSE_MAX * (uint64_t)ISO_WIDE_ONE;
}

static iso_status body_check_push(const iso__plane *plane, iso_body_id body, iso_wide x, iso_wide y) {
    if (!iso__body_is_alive(&plane->world, body)) {
        return ISO_ERR_STALE;
    }
    if (plane->bodies[body.index].type != ISO_BODY_DYNAMIC) {
        return ISO_ERR_WRONG_TYPE;
    }
    return body_is_within(x) && body_is_within(y) ? ISO_OK : ISO_ERR_RANGE;
}

/// (point - centre of mass) x vector, Q31.32, saturating, the lever likewise.
static iso_wide body_moment(const iso__plane *plane, iso_body_id body, iso_vec2_wide point, iso_vec2_wide vector) {
    const iso__plane_body *record = &plane->bodies[body.index];
    const iso_wide rx = iso_wide_sub(point.x, record->position[0]);
    const iso_wide minus_ry = iso_wide_sub(record->position[1], point.y);
    return iso__dot_shift(rx, vector.y, minus_ry, vector.x, 32);
}

static void body_add_force(iso__plane *plane, uint32_t body, iso_vec2_wide force, iso_wide torque) {
    iso__plane_body_force *sum = &plane->forces[body];
    iso__plane_body_wake(&plane->world, body);
    sum->force[0] = iso_wide_add(sum->force[0], force.x);
    sum->force[1] = iso_wide_add(sum->force[1], force.y);
    sum->torque = iso_wide_add(sum->torque, torque);
    plane->world.forced[body / 64] |= UINT64_C(1) << (body % 64);
}

iso_status iso_body_apply_force(iso_world *world, iso_body_id body, iso_vec2_wide force, iso_vec2_wide point) {
    ISO__PLANE_ONLY(world, ISO_ERR_DIMENSION);
    iso__plane *plane = iso__plane_of(world);
    const iso_status status = body_check_push(plane, body, force.x, force.y);
    if (status == ISO_OK) {
        body_add_force(plane, body.index, force, body_moment(plane, body, point, force));
    }
    return status;
}

iso_status iso_body_apply_force_to_centre(iso_world *world, iso_body_id body, iso_vec2_wide force) {
    ISO__PLANE_ONLY(world, ISO_ERR_DIMENSION);
    iso__plane *plane = iso__plane_of(world);
    const iso_status status = body_check_push(plane, body, force.x, force.y);
    if (status == ISO_OK) {
        body_add_force(plane, body.index, force, 0);
    }
    return status;
}

iso_status iso_body_apply_torque(iso_world *world, iso_body_id body, iso_wide torque) {
    ISO__PLANE_ONLY(world, ISO_ERR_DIMENSION);
    iso__plane *plane = iso__plane_of(world);
    const iso_status status = body_check_push(plane, body, torque, 0);
    if (status == ISO_OK) {
        body_add_force(plane, body.index, (iso_vec2_wide){0, 0}, torque);
    }
    return status;
}

static void body_add_impulse(iso__plane *plane, uint32_t body, iso_vec2_wide impulse, iso_wide angular_impulse) {
    iso__plane_body *record = &plane->bodies[body];
    const iso__plane_body_derived *derived = &plane->body_derived[body];
    const int32_t change[3] = {iso__plane_body_velocity_change(derived, impulse.x),
                               iso__plane_body_velocity_change(derived, impulse.y),
                               iso__plane_body_spin_change(derived, angular_impulse)};
    int32_t *const parts[3] = {&record->velocity[0], &record->velocity[1], &record->spin};
    for (int i = 0; i < 3; ++i) {
        const int32_t sum = *parts[i] + change[i]; // 512 + 1024 is far below the format's 4096
        *parts[i] = iso__clamp32(sum, -BODY_SPEED_MAX, BODY_SPEED_MAX);
        plane->world.globals->clamped_velocities += *parts[i] != sum;
    }
    iso__plane_body_lock(record);
    iso__plane_body_wake(&plane->world, body);
    iso__mark_dirty(&plane->world, ISO_SECTION_BODIES, body);
}

iso_status iso_body_apply_impulse(iso_world *world, iso_body_id body, iso_vec2_wide impulse, iso_vec2_wide point) {
    ISO__PLANE_ONLY(world, ISO_ERR_DIMENSION);
    iso__plane *plane = iso__plane_of(world);
    const iso_status status = body_check_push(plane, body, impulse.x, impulse.y);
    if (status == ISO_OK) {
        body_add_impulse(plane, body.index, impulse, body_moment(plane, body, point, impulse));
    }
    return status;
}

iso_status iso_body_apply_angular_impulse(iso_world *world, iso_body_id body, iso_wide impulse) {
    ISO__PLANE_ONLY(world, ISO_ERR_DIMENSION);
    iso__plane *plane = iso__plane_of(world);
    const iso_status status = body_check_push(plane, body, impulse, 0);
    if (status == ISO_OK) {
        body_add_impulse(plane, body.index, (iso_vec2_wide){0, 0}, impulse);
    }
    return status;
}
