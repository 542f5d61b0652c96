/// A world takes its own snapshots: after every call of the interface that changes bodies, shapes, joints or compounds,
/// with random and extreme values, the snapshot is decoded by another world and has the same root.
#include "unit/world/physics_util.h"

#include "isostep/snapshot.h"

#define RUNS  60
#define TICKS 40
#define CALLS 6 // between two steps

typedef struct rig {
    iso_world *world, *other;
    rng random;
    const char *last; // the call before
} rig;

static bool chance(rig *r, uint32_t of) {
    return rng_below(&r->random, of) == 0;
}

/// Mostly near the middle of the world; seldom far beyond every bound.
static iso_wide any_wide(rig *r) {
    static const iso_wide extremes[] = {
        0, 1, -1, ISO_WIDE_ONE, INT64_MAX, INT64_MIN, 30000 * ISO_WIDE_ONE, 512 * ISO_WIDE_ONE, -512 * ISO_WIDE_ONE,
    };
    return chance(r, 6) ? extremes[rng_below(&r->random, sizeof extremes / sizeof extremes[0])]
                        : wide(rng_range(&r->random, -6, 6));
}

static fix16_t any_fix(rig *r) {
    static const fix16_t extremes[] = {0, 1, -1, ONE, -ONE, INT32_MAX, INT32_MIN, 1000 * ONE};
    return chance(r, 3) ? extremes[rng_below(&r->random, sizeof extremes / sizeof extremes[0])]
                        : fix(rng_range(&r->random, -2, 2));
}

static iso_vec2_wide any_place(rig *r) {
    return (iso_vec2_wide){any_wide(r), any_wide(r)};
}

static iso_body_id any_body(rig *r) {
    const iso_body_id body = iso_body_next(r->world, rng_below(&r->random, 24));
    return body.generation != 0 ? body : iso_body_next(r->world, 0);
}

static iso_shape_id any_shape(rig *r) {
    const iso_shape_id shape = iso_shape_next(r->world, rng_below(&r->random, 40));
    return shape.generation != 0 ? shape : iso_shape_next(r->world, 0);
}

static iso_joint_id any_joint(rig *r) {
    const iso_joint_id joint = iso_joint_next(r->world, rng_below(&r->random, 16));
    return joint.generation != 0 ? joint : iso_joint_next(r->world, 0);
}

static iso_body_params any_params(rig *r) {
    iso_body_params params = iso_body_params_default();
    params.lock_x = chance(r, 3);
    params.lock_y = chance(r, 3);
    params.fixed_rotation = chance(r, 5);
    params.bullet = chance(r, 3);
    params.linear_damping = chance(r, 4) ? any_fix(r) : 0;
    params.gravity_scale = chance(r, 4) ? any_fix(r) : ONE;
    return params;
}

static iso_body_def any_body_def(rig *r) {
    iso_body_def def = iso_body_def_default();
    def.type = (uint8_t)(chance(r, 3) ? ISO_BODY_STATIC + rng_below(&r->random, 3) : ISO_BODY_DYNAMIC);
    def.params = any_params(r);
    def.position = any_place(r);
    def.angle = any_wide(r);
    def.velocity = (iso_vec2_wide){any_wide(r), any_wide(r)};
    def.angular_velocity = any_wide(r);
    return def;
}

/// Mostly away from the body's origin: the centre of mass moves.
static iso_shape_def any_shape_def(rig *r) {
    static const double sizes[] = {0.002, 0.1, 0.5, 2, 20};
    const double size = sizes[rng_below(&r->random, 5)];
    iso_shape_def def = shape_circle(size);
    if (chance(r, 3)) {
        def = shape_polygon_random(&r->random, 5, 2 * size, size, chance(r, 2) ? 0.05 : 0);
    } else if (chance(r, 3)) {
        def = shape_capsule_random(&r->random, size, 0.3);
    } else if (chance(r, 4)) {
        def = iso_shape_def_segment(any_place(r), any_place(r));
    } else {
        def.points[0] = (iso_vec2){fix(rng_range(&r->random, -3, 3)), fix(rng_range(&r->random, -3, 3))};
    }
    def.density = chance(r, 3) ? any_fix(r) : ONE;
    def.one_way = chance(r, 6) ? (iso_vec2){any_fix(r), any_fix(r)} : (iso_vec2){0, 0};
    def.surface_speed = chance(r, 6) ? any_fix(r) : 0;
    def.is_sensor = chance(r, 8);
    return def;
}

static iso_joint_def any_joint_def(rig *r, uint8_t kind) {
    iso_joint_def def = iso_joint_def_default();
    def.kind = kind;
    const uint32_t has = iso_joint_kind_has(kind);
    def.body_a = (has & ISO_JOINT_HAS_BODY_A) != 0 ? any_body(r) : def.body_a;
    def.body_b = any_body(r);
    if ((has & ISO_JOINT_HAS_BODIES_CD) != 0) {
        def.body_c = any_body(r);
        def.body_d = any_body(r);
    }
    def.target = (has & ISO_JOINT_HAS_TARGET) != 0 ? any_place(r) : def.target;
    def.hertz = chance(r, 3) ? any_fix(r) : def.hertz;
    def.rest = chance(r, 2) ? any_fix(r) : def.rest;
    def.limit_enabled = chance(r, 2);
    def.lower = chance(r, 3) ? any_fix(r) : -ONE;
    def.upper = chance(r, 3) ? any_fix(r) : ONE;
    def.motor_enabled = chance(r, 2);
    def.motor_speed = any_fix(r);
    def.motor_max = any_wide(r);
    def.spring_enabled = chance(r, 2);
    def.spring_hertz = chance(r, 2) ? any_fix(r) : ONE;
    def.break_force = chance(r, 4) ? any_wide(r) : 0;
    def.break_angle = chance(r, 4) ? any_wide(r) : 0;
    def.remove_on_break = chance(r, 2);
    def.ratio = chance(r, 3) ? any_fix(r) : ONE;
    def.ratchet = chance(r, 3) ? any_fix(r) : ONE / 4;
    def.collide_connected = chance(r, 2);
    return def;
}

static uint8_t any_kind(rig *r) {
    for (;;) {
        const uint8_t kind = (uint8_t)(1 + rng_below(&r->random, 16));
        const uint32_t has = iso_joint_kind_has(kind);
        if (has != 0 && (has & ISO_JOINT_IS_CUSTOM) == 0) {
            return kind;
        }
    }
}

// ---- calls: X(name, statement); whether they are refused does not matter -------------------------------

#define CALL_LIST(X)                                                                                                   \
    X(body_create, iso_body_def d = any_body_def(r); iso_body_id b; (void)iso_body_create(w, &d, &b))                  \
    X(body_destroy, if (chance(r, 3))(void) iso_body_destroy(w, any_body(r)))                                          \
    X(body_set_params, iso_body_params p = any_params(r); (void)iso_body_set_params(w, any_body(r), &p))               \
    X(body_set_mass, (void)iso_body_set_mass(w, any_body(r), any_wide(r), chance(r, 2) ? 0 : any_wide(r)))             \
    X(body_set_type, (void)iso_body_set_type(w, any_body(r), (uint8_t)(rng_below(&r->random, 5))))                     \
    X(body_set_position, (void)iso_body_set_position(w, any_body(r), any_place(r), any_wide(r)))                       \
    X(body_move_kinematic, (void)iso_body_move_kinematic(w, any_body(r), any_place(r), any_wide(r)))                   \
    X(body_set_velocity, (void)iso_body_set_velocity(w, any_body(r), any_place(r), any_wide(r)))                       \
    X(body_apply_force, (void)iso_body_apply_force(w, any_body(r), any_place(r), any_place(r)))                        \
    X(body_apply_torque, (void)iso_body_apply_torque(w, any_body(r), any_wide(r)))                                     \
    X(body_apply_impulse, (void)iso_body_apply_impulse(w, any_body(r), any_place(r), any_place(r)))                    \
    X(body_apply_angular_impulse, (void)iso_body_apply_angular_impulse(w, any_body(r), any_wide(r)))                   \
    X(body_wake, (void)iso_body_wake(w, any_body(r)))                                                                  \
    X(shape_create, iso_shape_def d = any_shape_def(r); iso_shape_id s;                                                \
      (void)iso_shape_create(w, any_body(r), &d, &s))                                                                  \
    X(shape_destroy, (void)iso_shape_destroy(w, any_shape(r)))                                                         \
    X(shape_set_filter, (void)iso_shape_set_filter(w, any_shape(r), (iso_filter){1, chance(r, 2) ? 1 : 2, 0}))         \
    X(shape_set_friction, (void)iso_shape_set_friction(w, any_shape(r), any_fix(r)))                                   \
    X(shape_set_restitution, (void)iso_shape_set_restitution(w, any_shape(r), any_fix(r)))                             \
    X(shape_set_surface_speed, (void)iso_shape_set_surface_speed(w, any_shape(r), any_fix(r)))                         \
    X(shape_set_density, (void)iso_shape_set_density(w, any_shape(r), any_fix(r)))                                     \
    X(joint_create, iso_joint_def d = any_joint_def(r, any_kind(r)); iso_joint_id j;                                   \
      (void)iso_joint_create(w, &d, &j))                                                                               \
    X(joint_destroy, if (chance(r, 2))(void) iso_joint_destroy(w, any_joint(r)))                                       \
    X(joint_copy, iso_joint_id j; (void)iso_joint_copy(w, any_joint(r), NULL, &j))                                     \
    X(joint_set, call_joint_set(r, w))                                                                                 \
    X(joint_set_bodies, call_joint_set_bodies(r, w))                                                                   \
    X(joint_set_target, (void)iso_joint_set_target(w, any_joint(r), any_place(r)))                                     \
    X(joint_set_motor, (void)iso_joint_set_motor(w, any_joint(r), chance(r, 2), any_fix(r), any_wide(r)))              \
    X(joint_set_limits, (void)iso_joint_set_limits(w, any_joint(r), chance(r, 2), any_fix(r), any_fix(r)))             \
    X(joint_set_spring, (void)iso_joint_set_spring(w, any_joint(r), chance(r, 2), any_fix(r), any_fix(r), any_fix(r))) \
    X(joint_set_stiffness,                                                                                             \
      (void)iso_joint_set_stiffness(w, any_joint(r), chance(r, 2), any_wide(r), any_wide(r), any_fix(r)))              \
    X(joint_enable, (void)iso_joint_enable(w, any_joint(r), chance(r, 2)))                                             \
    X(compound_create, call_compound_create(r, w))                                                                     \
    X(compound_set_position,                                                                                           \
      (void)iso_compound_set_position(w, iso_compound_next(w, rng_below(&r->random, 4)), any_place(r), any_wide(r)))   \
    X(compound_destroy, if (chance(r, 3))(void) iso_compound_destroy(w, iso_compound_next(w, 0)))                      \
    X(step, (void)iso_world_step_empty(w))

static void call_joint_set(rig *r, iso_world *world) {
    const iso_joint_id joint = any_joint(r);
    iso_joint_def now;
    if (iso_joint_get(world, joint, &now) == ISO_OK) {
        iso_joint_def def = any_joint_def(r, now.kind);
        def.body_a = now.body_a;
        def.body_b = now.body_b;
        def.body_c = now.body_c;
        def.body_d = now.body_d;
        (void)iso_joint_set(world, joint, &def);
    }
}

static void call_joint_set_bodies(rig *r, iso_world *world) {
    const iso_joint_id joint = any_joint(r);
    iso_joint_def now;
    if (iso_joint_get(world, joint, &now) == ISO_OK) {
        const iso_joint_def def = any_joint_def(r, now.kind);
        (void)iso_joint_set_bodies(world, joint, (iso_body_id[4]){def.body_a, def.body_b, def.body_c, def.body_d});
    }
}

static void call_compound_create(rig *r, iso_world *world) {
    iso_compound_def def = iso_compound_def_default();
    iso_compound_id made;
    def.position = any_place(r);
    def.angle = any_wide(r);
    def.velocity = any_place(r);
    def.angular_velocity = any_wide(r);
    (void)iso_compound_create(world, &def, &made);
}

#define CALL_FUNCTION(name, statement)   \
    static void call_of_##name(rig *r) { \
        iso_world *const w = r->world;   \
        statement;                       \
    }
CALL_LIST(CALL_FUNCTION)

static const struct call {
    const char *name;
    void (*run)(rig *r);
} calls[] = {
#define CALL_ENTRY(name, statement) {#name, call_of_##name},
    CALL_LIST(CALL_ENTRY)};

// ---- the property --------------------------------------------------------------------------------------

static void expect_own_snapshot(rig *r, uint32_t run) {
    const size_t size = iso_snapshot_size(r->world);
    uint8_t *bytes = malloc(size);
    assert_int_equal(iso_snapshot_encode(r->world, bytes, size), size);
    const iso_status status = iso_snapshot_decode(r->other, bytes, size);
    free(bytes);
    EXPECT(status == ISO_OK, "run %u: the snapshot after %s is refused: %s", run, r->last, iso_status_name(status));
    EXPECT(iso_world_root(r->world) == iso_world_root(r->other), "run %u: after %s the root differs", run, r->last);
}

/// A blueprint of two bodies that may be locked, with their shapes off their origins.
static void add_blueprint(rig *r) {
    iso_shape_def shapes[2] = {shape_circle(0.3), shape_box(0.5, 0.2)};
    iso_blueprint_body bodies[2];
    shapes[0].points[0] = (iso_vec2){fix(0.6), fix(-0.2)};
    for (uint32_t i = 0; i < 2; ++i) {
        bodies[i] = (iso_blueprint_body){.def = iso_body_def_default(), .shape_first = i, .shape_count = 1};
        bodies[i].def.params.lock_x = chance(r, 2);
        bodies[i].def.params.lock_y = chance(r, 2);
        bodies[i].def.position = (iso_vec2_wide){wide(i), wide(2.0 * i)};
    }
    const iso_blueprint_def def = {"pair", bodies, 2, shapes, 2, NULL, 0};
    uint32_t index;
    EXPECT_STATUS(iso_world_add_blueprint(r->world, &def, &index), ISO_OK);
}

static void test_a_world_takes_its_own_snapshots(void **state) {
    (void)state;
    for (uint32_t run = 0; run < RUNS; ++run) {
        iso_world_def def = world_def_small(-10);
        def.body_capacity = 32;
        def.shape_capacity = 64;
        def.joint_capacity = 24;
        def.contact_capacity = 256;
        def.sleep_speed = run % 2 == 0 ? def.sleep_speed : iso_world_def_default().sleep_speed;
        rig r = {.world = world_make(&def), .other = world_make(&def), .random = {run}};
        add_blueprint(&r);
        iso_world_start(r.world);
        for (uint32_t n = 0; n < 12; ++n) {
            call_of_body_create(&r);
            call_of_shape_create(&r);
        }
        for (uint32_t n = 0; n < TICKS * CALLS; ++n) {
            const struct call *call = &calls[rng_below(&r.random, sizeof calls / sizeof calls[0])];
            r.last = n % CALLS == 0 ? "step" : call->name;
            (n % CALLS == 0 ? call_of_step : call->run)(&r);
            expect_own_snapshot(&r, run);
        }
        world_free(r.world);
        world_free(r.other);
    }
}

/// A body that turns and may not go along y: each call moves its centre of mass along x.
static void test_a_locked_axis_stays_still_when_the_centre_moves(void **state) {
    (void)state;
    iso_world *world = world_make_small(0), *other = world_make_small(0);
    rig r = {.world = world, .other = other};
    iso_shape_def circle = shape_circle(0.5);
    circle.points[0] = (iso_vec2){ONE, 0};
    const iso_body_id body = body_add(world, ISO_BODY_DYNAMIC, 0, 0, 0);
    iso_body_params params = iso_body_params_default();
    params.lock_y = true;
    EXPECT_STATUS(iso_body_set_params(world, body, &params), ISO_OK);
    body_set_velocity(world, body, 0, 0, 2);
    iso_shape_id shapes[2];
    for (int call = 0; call < 4; ++call) {
        static const char *const names[] = {"shape_create", "another shape_create", "shape_set_density",
                                            "shape_destroy"};
        if (call < 2) {
            circle.points[0].x = call == 0 ? ONE : -3 * ONE;
            shapes[call] = shape_add(world, body, &circle);
        } else if (call == 2) {
            EXPECT_STATUS(iso_shape_set_density(world, shapes[0], 5 * ONE), ISO_OK);
        } else {
            EXPECT_STATUS(iso_shape_destroy(world, shapes[0]), ISO_OK);
        }
        const pose now = body_pose(world, body);
        EXPECT(now.vy == 0 && now.w != 0, "%s: vy %g, w %g", names[call], now.vy, now.w);
        r.last = names[call];
        expect_own_snapshot(&r, 0);
    }
    world_free(world);
    world_free(other);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_locked_axis_stays_still_when_the_centre_moves),
        cmocka_unit_test(test_a_world_takes_its_own_snapshots),
    };
    return cmocka_run_group_tests_name("state_own", tests, NULL, NULL);
}
