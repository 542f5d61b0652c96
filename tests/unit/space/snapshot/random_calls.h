/// Every call of the interface that changes a world in space, with random and extreme values.
#ifndef TEST_RANDOM_CALLS_H
#define TEST_RANDOM_CALLS_H

#include "unit/space/world/space_util.h"

#include "isostep/snapshot.h"

typedef struct rig {
    iso_world *world, *other;
    rng random;
    const char *last; // the call before
} rig;

static inline bool chance(rig *r, uint32_t of) {
    return rng_below(&r->random, of) == 0;
}

/// Mostly near the middle of the world; seldom far beyond every bound.
static inline iso_wide any_wide(rig *r) {
    static const iso_wide extremes[] = {0,
                                        1,
                                        -1,
                                        ISO_WIDE_ONE,
                                        INT64_MAX,
                                        INT64_MIN,
                                        30000 * ISO_WIDE_ONE,
                                        400 * ISO_WIDE_ONE,
                                        -400 * ISO_WIDE_ONE,
                                        1000000 * ISO_WIDE_ONE};
    return chance(r, 6) ? extremes[rng_below(&r->random, sizeof extremes / sizeof extremes[0])]
                        : wide(rng_range(&r->random, -6, 6));
}

static inline fix16_t any_fix(rig *r) {
    static const fix16_t extremes[] = {0, 1, -1, ONE, -ONE, INT32_MAX, INT32_MIN, 1000 * ONE};
    return chance(r, 3) ? extremes[rng_below(&r->random, sizeof extremes / sizeof extremes[0])]
                        : fix(rng_range(&r->random, -2, 2));
}

static inline iso_vec3_wide any_place(rig *r) {
    return (iso_vec3_wide){any_wide(r), any_wide(r), any_wide(r)};
}

/// A spin that a body may have more often than not.
static inline iso_vec3_wide any_spin(rig *r) {
    const double size = chance(r, 4) ? 180 : 5;
    const vector w = rng_vector(&r->random, size);
    return chance(r, 5) ? any_place(r) : wide3(w.x[0], w.x[1], w.x[2]);
}

static inline iso_quat any_quat(rig *r) {
    if (chance(r, 8)) {
        return (iso_quat){(int32_t)rng_next(&r->random), (int32_t)rng_next(&r->random), INT32_MIN, 0};
    }
    return chance(r, 4) ? iso_quat_identity() : rng_quat(&r->random);
}

static inline iso_body_id any_body(rig *r) {
    const iso_body_id body = iso_body_next(r->world, rng_below(&r->random, 24));
    return body.generation != 0 ? body : iso_body_next(r->world, 0);
}

static inline iso_shape_id any_shape(rig *r) {
    const iso_shape_id shape = iso_shape_next(r->world, rng_below(&r->random, 40));
    return shape.generation != 0 ? shape : iso_shape_next(r->world, 0);
}

static inline iso_body3_params any_params(rig *r) {
    iso_body3_params params = iso_body3_params_default();
    params.lock_x = chance(r, 4);
    params.lock_y = chance(r, 4);
    params.lock_z = chance(r, 4);
    params.lock_turn_x = chance(r, 3);
    params.lock_turn_y = chance(r, 3);
    params.lock_turn_z = chance(r, 3);
    params.linear_damping = chance(r, 4) ? any_fix(r) : 0;
    params.angular_damping = chance(r, 4) ? any_fix(r) : 0;
    params.gravity_scale = chance(r, 4) ? any_fix(r) : ONE;
    params.sleep_enabled = !chance(r, 3);
    params.bullet = chance(r, 3);
    return params;
}

static inline iso_body3_def any_body_def(rig *r) {
    iso_body3_def def = iso_body3_def_default();
    def.type = (uint8_t)(chance(r, 3) ? ISO_BODY_STATIC + rng_below(&r->random, 3) : ISO_BODY_DYNAMIC);
    def.params = any_params(r);
    def.position = any_place(r);
    def.rotation = any_quat(r);
    def.velocity = any_place(r);
    def.angular_velocity = any_spin(r);
    def.tag = (uint32_t)rng_next(&r->random);
    return def;
}

/// Mostly away from the body's origin, and of any thinness: the centre of mass moves, moments are far apart.
static inline iso_shape3_def any_shape_def(rig *r) {
    static const double sizes[] = {0.002, 0.1, 0.5, 2, 20};
    const double size = sizes[rng_below(&r->random, 5)];
    const vector a = rng_vector(&r->random, 2), b = rng_vector(&r->random, size);
    iso_shape3_def def = iso_shape3_def_sphere(fix(size));
    def.points[0] = fix3(a.x[0], a.x[1], a.x[2]);
    if (chance(r, 2)) {
        def = box3(size, size * pow(10, rng_range(&r->random, -2, 0)), size * pow(10, rng_range(&r->random, -2, 0)));
        def.points[0] = fix3(a.x[0], a.x[1], a.x[2]);
        def.rotation = any_quat(r);
    } else if (chance(r, 3)) {
        def = iso_shape3_def_capsule(fix3(a.x[0], a.x[1], a.x[2]), fix3(b.x[0], b.x[1], b.x[2]), fix(size * 0.1));
    } else if (chance(r, 4)) {
        iso_vec3 corners[8];
        for (int i = 0; i < 8; ++i) {
            const vector side = rng_vector(&r->random, size / 4);
            corners[i] = fix3(a.x[0] + ((i & 1) != 0 ? size : -size) + side.x[0],
                              a.x[1] + ((i & 2) != 0 ? size : -size) + side.x[1],
                              a.x[2] + ((i & 4) != 0 ? size : -size) + side.x[2]);
        }
        def = iso_shape3_def_hull(corners, 8);
    } else if (chance(r, 6)) {
        def = iso_shape3_def_plane((iso_vec3){any_fix(r), any_fix(r), any_fix(r)}, any_fix(r));
    } else if (chance(r, 6)) {
        const iso_vec3 corners[4] = {{0, 0, 0}, {ONE, 0, 0}, {0, ONE, 0}, fix3(b.x[0], b.x[1], b.x[2])};
        def = iso_shape3_def_hull(corners, 4);
    }
    if (chance(r, 12)) {
        def = iso_shape3_def_heights(rng_below(&r->random, 4));
    }
    def.density = chance(r, 3) ? any_fix(r) : fix(pow(10, rng_range(&r->random, -1, 3)));
    def.friction = chance(r, 6) ? any_fix(r) : def.friction;
    def.restitution = chance(r, 6) ? any_fix(r) : def.restitution;
    def.is_sensor = chance(r, 8);
    return def;
}

static inline void call_add_heights(rig *r, iso_world *w) {
    int16_t samples[11 * 12];
    for (size_t i = 0; i < sizeof samples / sizeof samples[0]; ++i) {
        samples[i] = (int16_t)rng_range(&r->random, -99, 99);
    }
    const iso_heights_def def = {samples, (uint16_t)(2 + rng_below(&r->random, 10)),
                                 (uint16_t)(2 + rng_below(&r->random, 10)), ONE, ONE / 64};
    uint32_t index;
    (void)iso_world_add_heights(w, &def, &index);
}

static inline void call_set_mass(rig *r, iso_world *w) {
    iso_wide a = any_wide(r), b = any_wide(r);
    a = a < 0 ? -(a + 1) : a;
    b = b < 0 ? -(b + 1) : b;
    const iso_wide low = a < b ? a : b, high = a < b ? b : a;
    const iso_wide moments[3] = {low, high, chance(r, 2) ? iso_wide_add(low, high) : high};
    const iso_wide none[3] = {0, 0, 0};
    (void)iso_body3_set_mass(w, any_body(r), chance(r, 2) ? any_wide(r) : 0, chance(r, 2) ? none : moments);
}

static inline void call_gravity(rig *r, iso_world *w) {
    (void)iso_world_set_gravity3(w, (iso_vec3){any_fix(r), any_fix(r), any_fix(r)});
}

/// X(name, statement); whether they are refused does not matter.
#define CALL_LIST(X)                                                                                           \
    X(body_create, iso_body3_def d = any_body_def(r); iso_body_id b; (void)iso_body3_create(w, &d, &b))        \
    X(body_destroy, if (chance(r, 3))(void) iso_body_destroy(w, any_body(r)))                                  \
    X(body_set_params, iso_body3_params p = any_params(r); (void)iso_body3_set_params(w, any_body(r), &p))     \
    X(body_set_mass, call_set_mass(r, w))                                                                      \
    X(body_set_type, (void)iso_body3_set_type(w, any_body(r), (uint8_t)(rng_below(&r->random, 5))))            \
    X(body_set_position, (void)iso_body3_set_position(w, any_body(r), any_place(r), any_quat(r)))              \
    X(body_set_velocity, (void)iso_body3_set_velocity(w, any_body(r), any_place(r), any_spin(r)))              \
    X(body_apply_force, (void)iso_body3_apply_force(w, any_body(r), any_place(r), any_place(r)))               \
    X(body_apply_force_to_centre, (void)iso_body3_apply_force_to_centre(w, any_body(r), any_place(r)))         \
    X(body_apply_torque, (void)iso_body3_apply_torque(w, any_body(r), any_place(r)))                           \
    X(body_apply_impulse, (void)iso_body3_apply_impulse(w, any_body(r), any_place(r), any_place(r)))           \
    X(body_apply_angular_impulse, (void)iso_body3_apply_angular_impulse(w, any_body(r), any_place(r)))         \
    X(body_set_owner,                                                                                          \
      (void)iso_body_set_owner(w, any_body(r), (iso_owner){rng_below(&r->random, 2), (uint16_t)chance(r, 2)})) \
    X(body_set_tag, (void)iso_body_set_tag(w, any_body(r), (uint32_t)rng_next(&r->random)))                    \
    X(body_wake, (void)iso_body_wake(w, any_body(r)))                                                          \
    X(shape_create, iso_shape3_def d = any_shape_def(r); iso_shape_id s;                                       \
      (void)iso_shape3_create(w, any_body(r), &d, &s))                                                         \
    X(add_heights, call_add_heights(r, w))                                                                     \
    X(shape_destroy, (void)iso_shape_destroy(w, any_shape(r)))                                                 \
    X(shape_set_filter, (void)iso_shape_set_filter(w, any_shape(r), (iso_filter){1, chance(r, 2) ? 1 : 2, 0})) \
    X(shape_set_tag, (void)iso_shape_set_tag(w, any_shape(r), (uint32_t)rng_next(&r->random)))                 \
    X(shape_set_friction, (void)iso_shape3_set_friction(w, any_shape(r), any_fix(r)))                          \
    X(shape_set_restitution, (void)iso_shape3_set_restitution(w, any_shape(r), any_fix(r)))                    \
    X(shape_set_density, (void)iso_shape3_set_density(w, any_shape(r), any_fix(r)))                            \
    X(world_set_gravity, call_gravity(r, w))                                                                   \
    X(step, (void)iso_world_step_empty(w))

#define CALL_FUNCTION(name, statement)          \
    static inline void call_of_##name(rig *r) { \
        iso_world *const w = r->world;          \
        statement;                              \
    }
CALL_LIST(CALL_FUNCTION)

static const struct call {
    const char *name;
    void (*run)(rig *r);
} calls[] = {
#define CALL_ENTRY(name, statement) {#name, call_of_##name},
    CALL_LIST(CALL_ENTRY)};

/// One of them, or a step.
static inline void call_any(rig *r, bool is_step) {
    const struct call *call = &calls[rng_below(&r->random, sizeof calls / sizeof calls[0])];
    r->last = is_step ? "step" : call->name;
    (is_step ? call_of_step : call->run)(r);
}

static inline iso_world_def random_calls_def(uint32_t run) {
    iso_world_def def = space_def();
    def.body_capacity = 32;
    def.shape_capacity = 64;
    def.contact_capacity = 256;
    def.slot_capacity = 2;
    def.gravity = (iso_vec2){0, fix(-10)};
    def.gravity_z = fix(1);
    def.sleep_speed = run % 2 == 0 ? def.sleep_speed : iso_world_def_default().sleep_speed;
    def.integrator = run % 3 == 2 ? ISO_INTEGRATOR_RK4 : ISO_INTEGRATOR_SPLIT;
    def.tick_rate_hz = run % 5 == 4 ? 10 : 60;
    def.substep_count = run % 5 == 4 ? 6 : 4;
    return def;
}

static inline void fill_any(rig *r) {
    for (uint32_t n = 0; n < 14; ++n) {
        call_of_body_create(r);
        call_of_shape_create(r);
    }
}

#endif
