/// Bodies in space: creation, velocities, forces.
#include "space/world/body.h"

#include "base/assert.h"
#include "math/fixed_ops.h"
#include "math/quat.h"
#include "math/vec3.h"
#include "math/wide128.h"
#include "solver/mass.h"
#include "space/world/body_def.h"
#include "space/world/body_mass.h"
#include "space/world/body_wake.h"
#include "space/world/contact.h"
#include "space/world/joint.h"
#include "space/world/own_mass.h"
#include "space/world/shape.h"
#include "world/slots.h"

#define BODY_SPEED_MAX    (ISO_SPEED3_MAX_M_S * ISO__VEL_ONE)
#define BODY_POSITION_MAX (ISO_POSITION_MAX_M * ISO_WIDE_ONE)
#define BODY_SPEED_CHANGE (2 * (int64_t)BODY_SPEED_MAX)

void iso__space_body_read_params(const iso__space_body *record, iso_body3_params *params) {
    const unsigned switches = iso__space_body_flags(record) ^ ISO__SPACE_BODY_SLEEPLESS;
#define BODY_READ_NUMBER(name, low, high, otherwise) params->name = record->name;
#define BODY_READ_SWITCH(name, bit, key)             params->name = (switches & (bit)) != 0;
    ISO_BODY3_NUMBER_LIST(BODY_READ_NUMBER)
    ISO_BODY3_SWITCH_LIST(BODY_READ_SWITCH)
#undef BODY_READ_NUMBER
#undef BODY_READ_SWITCH
}

/// Into a record, leaving what is no parameter.
static void body_write_params(iso__space_body *record, const iso_body3_params *params) {
    unsigned switches = 0;
#define BODY_WRITE_NUMBER(name, low, high, otherwise) record->name = params->name;
#define BODY_WRITE_SWITCH(name, bit, key)             switches |= params->name ? (unsigned)(bit) : 0u;
    ISO_BODY3_NUMBER_LIST(BODY_WRITE_NUMBER)
    ISO_BODY3_SWITCH_LIST(BODY_WRITE_SWITCH)
#undef BODY_WRITE_NUMBER
#undef BODY_WRITE_SWITCH
    const unsigned kept = iso__space_body_flags(record) & ~ISO__SPACE_BODY_PARAM_FLAGS;
    const unsigned flags = kept | (switches ^ ISO__SPACE_BODY_SLEEPLESS);
    record->flags = (uint8_t)flags;
    record->more_flags = (uint8_t)(flags >> 8);
}

static bool body_place_is_valid(iso_vec3_wide place) {
    return iso__abs_u64(place.x) <= BODY_POSITION_MAX && iso__abs_u64(place.y) <= BODY_POSITION_MAX &&
           iso__abs_u64(place.z) <= BODY_POSITION_MAX;
}

/// Velocities in the units of the state. @return false, and nothing is written, when one is too fast
static bool body_store_velocity(const iso_world_def *def, iso__space_body *record,
                                const iso__space_body_derived *derived, iso_vec3_wide velocity,
                                iso_vec3_wide angular_velocity) {
    const int64_t v[3] = {velocity.x, velocity.y, velocity.z};
    const int64_t omega[3] = {angular_velocity.x, angular_velocity.y, angular_velocity.z};
    int64_t w[3];
    int32_t spin[3];
    for (int axis = 0; axis < 3; ++axis) {
        if (iso__abs_u64(v[axis]) > ISO_SPEED3_MAX_M_S * (uint64_t)ISO_WIDE_ONE) {
            return false;
        }
        w[axis] = iso__round_shift(iso__clamp64(omega[axis], -(INT64_C(1) << 62), INT64_C(1) << 62),
                                   (unsigned)(13 - derived->radius_exponent));
    }
    const int32_t most = iso__space_body_spin_max(def, derived->radius_exponent);
    // What a view has told is a quantum off in each component.
    if (iso__length3(w) > (int64_t)most + 2) {
        return false;
    }
    for (int axis = 0; axis < 3; ++axis) {
        record->velocity[axis] = (int32_t)iso__round_shift(v[axis], 13);
        spin[axis] = (int32_t)w[axis];
    }
    iso__space_body_lock_spin(record, spin);
    iso__space_body_momentum(derived, spin, record->momentum);
    return true;
}

static void body_store_rotation(iso__space_body *record, iso_quat rotation) {
    const iso_quat q = iso_quat_normalize(rotation);
    record->rotation[0] = q.x;
    record->rotation[1] = q.y;
    record->rotation[2] = q.z;
    record->rotation[3] = q.w;
}

static void body_make_record(const iso_body3_def *def, iso__space_body *record) {
    *record = (iso__space_body){
        .position = {def->position.x, def->position.y, def->position.z},
        .owner_generation = def->owner.generation,
        .owner_slot = def->owner.slot,
        .tag = def->tag,
        .type = def->type,
    };
    body_store_rotation(record, def->rotation);
    body_write_params(record, &def->params);
}

iso_status iso_body3_create(iso_world *world, const iso_body3_def *def, iso_body_id *body) {
    if (world->kernel->dimensions != 3) {
        return ISO_ERR_DIMENSION;
    }
    const iso_status status = iso_body3_def_check(def);
    if (status != ISO_OK || !iso__owner_is_valid(def->owner)) {
        return status != ISO_OK ? status : ISO_ERR_RANGE;
    }
    iso__space *space = iso__space_of(world);
    iso__space_body made;
    body_make_record(def, &made);
    iso__space_body_derived derived = {.first_shape = UINT32_MAX};
    iso__space_body_derive(space, &made, &(iso__space_own_mass){.mass = 0}, derived.local_centre, &derived);
    iso__quat_matrix(made.rotation, derived.rotation);
    if (made.type != ISO_BODY_STATIC &&
        !body_store_velocity(&world->def, &made, &derived, def->velocity, def->angular_velocity)) {
        return ISO_ERR_RANGE;
    }
    const uint32_t index = iso__slot_take(&world->body_map, world->body_generations, world->def.body_capacity,
                                          &world->globals->body_count);
    if (index == UINT32_MAX) {
        return ISO_ERR_CAPACITY;
    }
    made.spawn_number = world->globals->tick == 0 ? 0 : ++world->globals->spawn_count;
    space->bodies[index] = made;
    space->body_derived[index] = derived;
    iso__space_body_lock(&space->bodies[index], &derived);
    iso__slot_count_body(world, def->owner, 1);
    iso__space_body_refresh_awake(world, index);
    iso__bit_set(world->displaced, index);
    iso__mark_dirty(world, ISO_SECTION_BODIES, index);
    iso__mark_section_dirty(world, ISO_SECTION_GENERATIONS);
    *body = (iso_body_id){index, world->body_generations[index]};
    return ISO_OK;
}

iso_status iso__space_body_destroy(iso_world *world, uint32_t body) {
    iso__space *space = iso__space_of(world);
    iso__slot_count_body(world, iso__space_body_owner(world, body), -1);
    iso__space_joints_remove_body(space, body);
    uint32_t shape = space->body_derived[body].first_shape;
    while (shape != UINT32_MAX) {
        const uint32_t next = space->shape_derived[shape].next_shape;
        iso__space_shape_release(space, shape);
        shape = next;
    }
    space->bodies[body] = (iso__space_body){0};
    iso__space_own_mass_set(space, &(iso__space_own_mass){.body = body});
    space->body_derived[body] = (iso__space_body_derived){.first_shape = UINT32_MAX};
    iso__space_body_clear_forces(space, body);
    iso__space_body_refresh_awake(world, body);
    iso__bit_clear(world->woken, body);
    iso__bit_clear(world->jointed, body);
    iso__slot_release(&world->body_map, world->body_generations, body);
    iso__mark_dirty(world, ISO_SECTION_BODIES, body);
    iso__mark_section_dirty(world, ISO_SECTION_GENERATIONS);
    return ISO_OK;
}

iso_status iso_body3_get(const iso_world *world, iso_body_id body, iso_body3_view *view) {
    const iso_status status = iso__space_body_find(world, body);
    if (status != ISO_OK) {
        return status;
    }
    const iso__space *space = iso__space_of_const(world);
    const iso__space_body *record = &space->bodies[body.index];
    const iso__space_body_derived *derived = &space->body_derived[body.index];
    int32_t offset[3], spin[3];
    iso__rotate3(derived->rotation, derived->local_centre, offset);
    iso__space_body_spin(record, derived, spin);
    const int k = derived->radius_exponent;
    *view = (iso_body3_view){
        .centre = {record->position[0], record->position[1], record->position[2]},
        .position = {record->position[0] - iso__shl64(offset[0], 8), record->position[1] - iso__shl64(offset[1], 8),
                     record->position[2] - iso__shl64(offset[2], 8)},
        .rotation = {record->rotation[0], record->rotation[1], record->rotation[2], record->rotation[3]},
        .velocity = {iso__shl64(record->velocity[0], 13), iso__shl64(record->velocity[1], 13),
                     iso__shl64(record->velocity[2], 13)},
        .angular_velocity = {iso__shl64(spin[0], (unsigned)(13 - k)), iso__shl64(spin[1], (unsigned)(13 - k)),
                             iso__shl64(spin[2], (unsigned)(13 - k))},
        .mass = derived->mass,
        .principal = {derived->frame[0], derived->frame[1], derived->frame[2], derived->frame[3]},
        .tag = record->tag,
        .type = record->type,
        .owner = {record->owner_generation, record->owner_slot},
        .spawn_number = record->spawn_number,
    };
    if (derived->gyrations[0] != 0) {
        // m L times Q.40 to Q.32; m L^2 times Q.46 to Q.32.
        view->angular_momentum = (iso_vec3_wide){
            iso__mul_shift(derived->mass, record->momentum[0], (unsigned)(40 - k)),
            iso__mul_shift(derived->mass, record->momentum[1], (unsigned)(40 - k)),
            iso__mul_shift(derived->mass, record->momentum[2], (unsigned)(40 - k)),
        };
        for (int axis = 0; axis < 3; ++axis) {
            view->moments[axis] = iso__mul_shift(derived->mass, derived->moments[axis], (unsigned)(46 - 2 * k));
        }
    }
    return ISO_OK;
}

// ---- what every kind of world has ----------------------------------------------------------------

iso_owner iso__space_body_owner(const iso_world *world, uint32_t body) {
    const iso__space_body *record = &iso__space_of_const(world)->bodies[body];
    return (iso_owner){record->owner_generation, record->owner_slot};
}

uint64_t iso__space_body_spawn_number(const iso_world *world, uint32_t body) {
    return iso__space_of_const(world)->bodies[body].spawn_number;
}

void iso__space_body_set_owner(iso_world *world, uint32_t body, iso_owner owner) {
    iso__space_body *record = &iso__space_of(world)->bodies[body];
    record->owner_generation = owner.generation;
    record->owner_slot = owner.slot;
    iso__mark_dirty(world, ISO_SECTION_BODIES, body);
}

void iso__space_body_set_tag(iso_world *world, uint32_t body, uint32_t tag) {
    iso__space_of(world)->bodies[body].tag = tag;
    iso__mark_dirty(world, ISO_SECTION_BODIES, body);
}

void iso__space_body_clear_forces(iso__space *space, uint32_t body) {
    space->forces[body] = (iso__space_body_force){0};
    iso__bit_clear(space->world.forced, body);
}

// ---- parameters, mass and type -------------------------------------------------------------------

iso_status iso_body3_get_params(const iso_world *world, iso_body_id body, iso_body3_params *params) {
    const iso_status status = iso__space_body_find(world, body);
    if (status == ISO_OK) {
        iso__space_body_read_params(&iso__space_of_const(world)->bodies[body.index], params);
    }
    return status;
}

iso_status iso_body3_set_params(iso_world *world, iso_body_id body, const iso_body3_params *params) {
    iso_status status = iso__space_body_find(world, body);
    if (status != ISO_OK || iso_body3_params_check(params) != ISO_OK) {
        return status != ISO_OK ? status : ISO_ERR_RANGE;
    }
    iso__space *space = iso__space_of(world);
    iso__space_body *record = &space->bodies[body.index];
    const unsigned locks = iso__space_body_turn_locks(record);
    int32_t spin[3];
    iso__space_body_spin(record, &space->body_derived[body.index], spin);
    body_write_params(record, params);
    if (record->type == ISO_BODY_DYNAMIC && (iso__space_body_turn_locks(record) & ~locks) != 0) {
        iso__space_body_lock_spin(record, spin);
        iso__space_body_momentum(&space->body_derived[body.index], spin, record->momentum);
    }
    status = iso__space_body_update_mass(space, body.index);
    ISO_ASSERT(status == ISO_OK); // mass and moments are checked whether the body turns or not
    iso__space_body_wake(world, body.index);
    return ISO_OK;
}

bool iso__space_body_mass_is_valid(iso_wide mass, const iso_wide moments[3]) {
    const bool has_mass = mass == 0 || (mass >= ISO__BODY_MASS_MIN && mass <= ISO__BODY_MASS_MAX);
    return has_mass && iso__space_body_moments_are_valid((iso_vec3_wide){moments[0], moments[1], moments[2]});
}

iso_status iso_body3_set_mass(iso_world *world, iso_body_id body, iso_wide mass, const iso_wide moments[3]) {
    iso_status status = iso__space_body_find(world, body);
    if (status != ISO_OK || !iso__space_body_mass_is_valid(mass, moments)) {
        return status != ISO_OK ? status : ISO_ERR_RANGE;
    }
    iso__space *space = iso__space_of(world);
    const iso__space_own_mass before = iso__space_own_mass_of(space, body.index);
    iso__space_own_mass_set(space, &(iso__space_own_mass){mass, {moments[0], moments[1], moments[2]}, body.index, 0});
    status = iso__space_body_update_mass(space, body.index);
    if (status != ISO_OK) {
        iso__space_own_mass_set(space, &before);
        return ISO_ERR_RANGE;
    }
    iso__space_body_wake(world, body.index);
    return ISO_OK;
}

iso_status iso_body3_get_own_mass(const iso_world *world, iso_body_id body, iso_wide *mass, iso_wide moments[3]) {
    const iso_status status = iso__space_body_find(world, body);
    if (status == ISO_OK) {
        const iso__space_own_mass own = iso__space_own_mass_of(iso__space_of_const(world), body.index);
        *mass = own.mass;
        for (int i = 0; i < 3; ++i) {
            moments[i] = own.moments[i];
        }
    }
    return status;
}

iso_status iso_body3_set_type(iso_world *world, iso_body_id body, uint8_t type) {
    iso_status status = iso__space_body_find(world, body);
    if (status != ISO_OK || type < ISO_BODY_STATIC || type > ISO_BODY_DYNAMIC) {
        return status != ISO_OK ? status : ISO_ERR_BAD_ENUM;
    }
    iso__space *space = iso__space_of(world);
    iso__space_body *record = &space->bodies[body.index];
    const uint8_t before = record->type;
    if (before == type) {
        return ISO_OK;
    }
    if (type != ISO_BODY_STATIC && iso__space_body_has_ground(space, body.index)) {
        return ISO_ERR_WRONG_TYPE;
    }
    record->type = type;
    status = iso__space_body_update_mass(space, body.index);
    if (status != ISO_OK) {
        record->type = before;
        return ISO_ERR_RANGE;
    }
    if (type == ISO_BODY_STATIC) {
        for (int axis = 0; axis < 3; ++axis) {
            record->velocity[axis] = 0;
            record->momentum[axis] = 0;
        }
    }
    iso__space_body_wake(world, body.index);
    iso__space_contacts_remove_body(space, body.index);
    iso__space_joints_wake_neighbours(space, body.index);
    iso__space_body_restart_quiet(record);
    space->has_stale_pairs = true;
    iso__space_body_refresh_awake(world, body.index);
    iso__space_body_clear_forces(space, body.index);
    return ISO_OK;
}

iso_status iso_body3_set_position(iso_world *world, iso_body_id body, iso_vec3_wide position, iso_quat rotation) {
    const iso_status status = iso__space_body_find(world, body);
    if (status != ISO_OK || !body_place_is_valid(position)) {
        return status != ISO_OK ? status : ISO_ERR_RANGE;
    }
    iso__space *space = iso__space_of(world);
    iso__space_body turned = space->bodies[body.index];
    body_store_rotation(&turned, rotation);
    int32_t R[9], offset[3], spin[3];
    iso__quat_matrix(turned.rotation, R);
    iso__rotate3(R, space->body_derived[body.index].local_centre, offset);
    const iso_vec3_wide centre = {position.x + iso__shl64(offset[0], 8), position.y + iso__shl64(offset[1], 8),
                                  position.z + iso__shl64(offset[2], 8)};
    if (!body_place_is_valid(centre)) {
        return ISO_ERR_RANGE;
    }
    turned.position[0] = centre.x;
    turned.position[1] = centre.y;
    turned.position[2] = centre.z;
    // The angular velocity stays, in the world's frame, so the momentum changes with the axes.
    iso__space_body_spin(&space->bodies[body.index], &space->body_derived[body.index], spin);
    iso__space_body_wake(world, body.index);
    iso__space_contacts_remove_body(space, body.index);
    iso__space_joints_wake_neighbours(space, body.index);
    const uint8_t flags = space->bodies[body.index].flags;
    space->bodies[body.index] = turned;
    space->bodies[body.index].flags = flags;
    iso__space_body_restart_quiet(&space->bodies[body.index]);
    iso__space_body_turn(space, body.index);
    iso__space_body_momentum(&space->body_derived[body.index], spin, space->bodies[body.index].momentum);
    iso__space_body_wake_near(space, body.index);
    iso__bit_set(world->displaced, body.index);
    iso__mark_dirty(world, ISO_SECTION_BODIES, body.index);
    return ISO_OK;
}

// ---- velocities and forces -----------------------------------------------------------------------

iso_status iso_body3_set_velocity(iso_world *world, iso_body_id body, iso_vec3_wide velocity,
                                  iso_vec3_wide angular_velocity) {
    const iso_status status = iso__space_body_find(world, body);
    if (status != ISO_OK) {
        return status;
    }
    iso__space *space = iso__space_of(world);
    iso__space_body *record = &space->bodies[body.index];
    if (record->type == ISO_BODY_STATIC) {
        return ISO_ERR_WRONG_TYPE;
    }
    if (!body_store_velocity(&world->def, record, &space->body_derived[body.index], velocity, angular_velocity)) {
        return ISO_ERR_RANGE;
    }
    iso__space_body_lock(record, &space->body_derived[body.index]);
    iso__space_body_wake(world, body.index);
    iso__mark_dirty(world, ISO_SECTION_BODIES, body.index);
    return ISO_OK;
}

static bool body_is_push(iso_vec3_wide v) {
    const uint64_t most = ISO_IMPULSE_MAX * (uint64_t)ISO_WIDE_ONE;
    return iso__abs_u64(v.x) <= most && iso__abs_u64(v.y) <= most && iso__abs_u64(v.z) <= most;
}

static iso_status body_check_push(const iso_world *world, iso_body_id body, iso_vec3_wide push) {
    const iso_status status = iso__space_body_find(world, body);
    if (status != ISO_OK) {
        return status;
    }
    if (iso__space_of_const(world)->bodies[body.index].type != ISO_BODY_DYNAMIC) {
        return ISO_ERR_WRONG_TYPE;
    }
    return body_is_push(push) ? ISO_OK : ISO_ERR_RANGE;
}

/// (point - centre of mass) x push, Q31.32, saturating.
static iso_vec3_wide body_moment(const iso_world *world, iso_body_id body, iso_vec3_wide push, iso_vec3_wide point) {
    const int64_t *centre = iso__space_of_const(world)->bodies[body.index].position;
    return iso_vec3_wide_cross(iso_vec3_wide_sub(point, (iso_vec3_wide){centre[0], centre[1], centre[2]}), push);
}

static void body_add_force(iso_world *world, uint32_t body, iso_vec3_wide force, iso_vec3_wide torque) {
    iso__space_body_force *sum = &iso__space_of(world)->forces[body];
    const iso_wide forces[3] = {force.x, force.y, force.z}, torques[3] = {torque.x, torque.y, torque.z};
    for (int axis = 0; axis < 3; ++axis) {
        sum->force[axis] = iso_wide_add(sum->force[axis], forces[axis]);
        sum->torque[axis] = iso_wide_add(sum->torque[axis], torques[axis]);
    }
    iso__bit_set(world->forced, body);
    iso__space_body_wake(world, body);
}

iso_status iso_body3_apply_force(iso_world *world, iso_body_id body, iso_vec3_wide force, iso_vec3_wide point) {
    const iso_status status = body_check_push(world, body, force);
    if (status == ISO_OK && !body_place_is_valid(point)) {
        return ISO_ERR_RANGE;
    }
    if (status == ISO_OK) {
        body_add_force(world, body.index, force, body_moment(world, body, force, point));
    }
    return status;
}

iso_status iso_body3_apply_force_to_centre(iso_world *world, iso_body_id body, iso_vec3_wide force) {
    const iso_status status = body_check_push(world, body, force);
    if (status == ISO_OK) {
        body_add_force(world, body.index, force, (iso_vec3_wide){0, 0, 0});
    }
    return status;
}

iso_status iso_body3_apply_torque(iso_world *world, iso_body_id body, iso_vec3_wide torque) {
    const iso_status status = body_check_push(world, body, torque);
    if (status == ISO_OK) {
        body_add_force(world, body.index, (iso_vec3_wide){0, 0, 0}, torque);
    }
    return status;
}

int32_t iso__space_body_velocity_change(const iso__space_body_derived *derived, iso_wide impulse) {
    const int64_t change = iso__div_shift(impulse, ISO__VEL_FRACTION, derived->mass);
    return (int32_t)iso__clamp64(change, -BODY_SPEED_CHANGE, BODY_SPEED_CHANGE);
}

int64_t iso__space_body_momentum_change(const iso__space_body_derived *derived, iso_wide angular_impulse) {
    // l / (m L), Q.32 over Q.32 to Q.40.
    const int64_t change = iso__div_shift(angular_impulse, (unsigned)(40 - derived->radius_exponent), derived->mass);
    const int64_t most = INT64_C(1) << 52; // 4,096 m/s: the spins are clamped to less
    return derived->gyrations[0] == 0 ? 0 : iso__clamp64(change, -most, most);
}

/// Adds to velocity and momentum, within their ranges.
static void body_add_impulse(iso_world *world, uint32_t body, iso_vec3_wide impulse, iso_vec3_wide angular) {
    iso__space *space = iso__space_of(world);
    iso__space_body *record = &space->bodies[body];
    const iso__space_body_derived *derived = &space->body_derived[body];
    const iso_wide linear[3] = {impulse.x, impulse.y, impulse.z}, turning[3] = {angular.x, angular.y, angular.z};
    for (int axis = 0; axis < 3; ++axis) {
        const int64_t speed = (int64_t)record->velocity[axis] + iso__space_body_velocity_change(derived, linear[axis]);
        record->velocity[axis] = (int32_t)iso__clamp64(speed, -BODY_SPEED_MAX, BODY_SPEED_MAX);
        record->momentum[axis] += iso__space_body_momentum_change(derived, turning[axis]);
    }
    iso__space_body_limit_spin(iso__space_body_spin_max(&world->def, derived->radius_exponent), record, derived);
    iso__space_body_lock(record, derived);
    iso__space_body_wake(world, body);
    iso__mark_dirty(world, ISO_SECTION_BODIES, body);
}

iso_status iso_body3_apply_impulse(iso_world *world, iso_body_id body, iso_vec3_wide impulse, iso_vec3_wide point) {
    const iso_status status = body_check_push(world, body, impulse);
    if (status == ISO_OK && !body_place_is_valid(point)) {
        return ISO_ERR_RANGE;
    }
    if (status == ISO_OK) {
        body_add_impulse(world, body.index, impulse, body_moment(world, body, impulse, point));
    }
    return status;
}

iso_status iso_body3_apply_angular_impulse(iso_world *world, iso_body_id body, iso_vec3_wide impulse) {
    const iso_status status = body_check_push(world, body, impulse);
    if (status == ISO_OK) {
        body_add_impulse(world, body.index, (iso_vec3_wide){0, 0, 0}, impulse);
    }
    return status;
}

iso_status iso_body3_get_kinetic_energy(const iso_world *world, iso_body_id body, iso_wide *energy) {
    const iso_status status = iso__space_body_find(world, body);
    if (status != ISO_OK) {
        return status;
    }
    const iso__space *space = iso__space_of_const(world);
    const iso__space_body *record = &space->bodies[body.index];
    const iso__space_body_derived *derived = &space->body_derived[body.index];
    int32_t spin[3];
    int64_t sum = 0; // Q.38: v v + w l, at most 6 times 400^2
    iso__space_body_spin(record, derived, spin);
    for (int axis = 0; axis < 3; ++axis) {
        sum += (int64_t)record->velocity[axis] * record->velocity[axis];
        sum += derived->gyrations[0] != 0 ? iso__mul_shift(spin[axis], record->momentum[axis], 21) : 0;
    }
    *energy = record->type == ISO_BODY_DYNAMIC ? iso__mul_shift(derived->mass, sum, 39) : 0;
    return ISO_OK;
}

// ---- gravity -------------------------------------------------------------------------------------

iso_vec3 iso_world_get_gravity3(const iso_world *world) {
    return (iso_vec3){world->globals->gravity[0], world->globals->gravity[1], world->globals->gravity_z};
}

iso_status iso_world_set_gravity3(iso_world *world, iso_vec3 gravity) {
    if (world->kernel->dimensions != 3) {
        return ISO_ERR_DIMENSION;
    }
    const uint32_t most = 1000 * (uint32_t)ISO_FIX16_ONE;
    if (iso__abs_u32(gravity.x) > most || iso__abs_u32(gravity.y) > most || iso__abs_u32(gravity.z) > most) {
        return ISO_ERR_RANGE;
    }
    const bool is_other = gravity.x != world->globals->gravity[0] || gravity.y != world->globals->gravity[1] ||
                          gravity.z != world->globals->gravity_z;
    world->globals->gravity[0] = gravity.x;
    world->globals->gravity[1] = gravity.y;
    world->globals->gravity_z = gravity.z;
    iso__mark_section_dirty(world, ISO_SECTION_GLOBALS);
    for (uint32_t i = 0; i < world->globals->body_count && is_other; ++i) {
        if (iso__space_of(world)->bodies[i].type == ISO_BODY_DYNAMIC) {
            iso__space_body_wake(world, i);
        }
    }
    return ISO_OK;
}
