/// What the getters say of a joint's place and rate, on random states of every kind, against the source documents' rows
/// in double precision.
#include "joint_rig.h"

#define STATES 40

/// The row whose rate a kind's speed is: what turns, or the length.
static const rig_row *speed_row(const rig *is, rig_row rows[RIG_ROWS]) {
    const uint32_t has = iso_joint_kind_has(is->def.kind), count = rig_rows(is, rows);
    const bool turns = (has & (ISO_JOINT_IS_ANGULAR | ISO_JOINT_HAS_TARGET)) != 0 || is->def.kind == ISO_JOINT_WHEEL;
    if (turns) {
        rig_angle_row(is, 0, &rows[count]);
        return &rows[count];
    }
    return &rows[0];
}

static double beyond(double x, double low, double high) {
    return x < low ? low - x : x > high ? x - high : 0;
}

/// How far a joint's angle is from what it holds.
static double angle_error_of(const rig *is) {
    rig_row row = {0};
    const iso_joint_def *def = &is->def;
    const uint32_t has = iso_joint_kind_has(def->kind);
    rig_angle_row(is, 0, &row);
    if ((has & ISO_JOINT_HAS_REFERENCE) != 0) {
        return fabs(row.x - from_fix(def->reference));
    }
    if ((has & ISO_JOINT_IS_ANGULAR) == 0 || (has & (ISO_JOINT_IS_BRAKE | ISO_JOINT_HAS_RATCHET)) != 0) {
        return 0; // a ratchet has not been turned back
    }
    return def->limit_enabled ? beyond(row.x, from_fix(def->lower), from_fix(def->upper))
           : (has & ISO_JOINT_IS_HELD) == 0 || def->spring_enabled ? 0
                                                                   : fabs(row.x - from_fix(def->rest));
}

/// How far a joint is from what it holds.
static double separation_of(const rig *is) {
    rig_row rows[RIG_ROWS + 1] = {{0}};
    const iso_joint_def *def = &is->def;
    const uint32_t has = iso_joint_kind_has(def->kind);
    const double low = from_fix(def->lower), high = from_fix(def->upper);
    rig_rows(is, rows);
    if ((has & ISO_JOINT_IS_BRAKE) != 0) {
        return 0;
    }
    if ((has & ISO_JOINT_HAS_POINT) != 0) {
        return hypot(rows[0].x, rows[1].x);
    }
    if ((has & ISO_JOINT_HAS_AXIS) != 0) {
        return hypot(rows[1].x, def->limit_enabled ? beyond(rows[0].x, low, high) : 0);
    }
    if ((has & ISO_JOINT_HAS_LENGTH) == 0) {
        return 0;
    }
    return def->limit_enabled    ? beyond(rows[0].x, low, high)
           : def->spring_enabled ? 0
                                 : fabs(rows[0].x - from_fix(def->rest));
}

/// Gives the bodies of the world the velocities that the step's have.
static void rig_store_motion(const rig *is) {
    for (uint32_t i = 0; i < is->world->globals->body_count; ++i) {
        iso__plane_of(is->world)->bodies[i].velocity[0] = is->scratch->motions[i].velocity[0];
        iso__plane_of(is->world)->bodies[i].velocity[1] = is->scratch->motions[i].velocity[1];
        iso__plane_of(is->world)->bodies[i].spin = is->scratch->motions[i].spin;
    }
}

static void expect_measures(rng *random, const iso_joint_def *settings) {
    rig is = rig_make(random, settings);
    rig_row rows[RIG_ROWS + 1] = {{0}};
    const iso_joint_id joint = iso_joint_next(is.world, 0);
    rig_set_random_motion(&is, random);
    rig_store_motion(&is);
    const rig_row *row = speed_row(&is, rows);
    const double speed = rig_speed(&is, row);
    EXPECT_NEAR(joint_speed(is.world, joint), speed, 1e-6 * (1 + fabs(speed)) + 4 * rig_rounding(&is, row),
                "speed of kind %u", is.def.kind);
    const double separation = separation_of(&is);
    EXPECT_NEAR(joint_separation(is.world, joint), separation, 1e-6 * (1 + separation), "separation of kind %u",
                is.def.kind);
    const double error = angle_error_of(&is);
    EXPECT_NEAR(joint_angle_error(is.world, joint), error, 1e-6 * (1 + error), "error of the angle of kind %u",
                is.def.kind);
    world_free(is.world);
}

static void test_speed_and_separation_are_those_of_the_rows(void **state) {
    (void)state;
    rng random = {17};
#define KIND(name, number, snake, has) number,
    static const uint8_t kinds[] = {ISO_JOINT_KIND_LIST(KIND)};
#undef KIND
    for (size_t k = 0; k < sizeof kinds; ++k) {
        const uint32_t has = iso_joint_kind_has(kinds[k]);
        if ((has & (ISO_JOINT_IS_CUSTOM | ISO_JOINT_IS_PASSIVE)) != 0) {
            continue;
        }
        for (int i = 0; i < STATES; ++i) {
            iso_joint_def def = iso_joint_def_default();
            def.kind = kinds[k];
            def.limit_enabled = i % 3 == 1 && (has & ISO_JOINT_HAS_LIMIT) != 0;
            def.spring_enabled = i % 3 == 2 && (has & ISO_JOINT_HAS_SPRING) != 0;
            expect_measures(&random, &def);
        }
    }
}

/// Between anchors that meet a length has no direction, and one beside them would turn with every rounding: below a
/// micrometre the last one stays.
static void test_short_lengths_keep_their_direction(void **state) {
    (void)state;
    for (int i = 0; i < 4; ++i) {
        iso_world *world = world_make_small(0);
        iso_body_id bodies[4];
        iso_shape_def disc = shape_circle(0.5);
        disc.filter.mask = 0;
        for (int b = 0; b < 4; ++b) {
            bodies[b] = body_add_shape(world, b % 2 ? ISO_BODY_DYNAMIC : ISO_BODY_STATIC, b == 3 ? 6 : 5 * (b / 2),
                                       b == 1, 0, &disc);
        }
        iso_joint_def def = joint_def(i / 2 ? ISO_JOINT_PULLEY : ISO_JOINT_DISTANCE, bodies[0], bodies[1]);
        def.body_c = i / 2 ? bodies[2] : (iso_body_id){0, 0};
        def.body_d = i / 2 ? bodies[3] : (iso_body_id){0, 0};
        def.limit_enabled = true;
        def.upper = 5 * ONE;
        joint_add(world, &def);
        world_steps(world, 1);
        const int64_t apart = i % 2 ? 4200 : 4000; // beside A, just above and just below a micrometre: 4295 quanta
        const int32_t *along[2] = {iso__plane_of(world)->joints[0].direction,
                                   iso__plane_of(world)->joints[0].direction_cd};
        for (int b = 1; b < 4; b += 2) { // the first rope was along y and becomes one along x, the second the other way
            int64_t *to = iso__plane_of(world)->bodies[bodies[b].index].position;
            const int64_t *from = iso__plane_of(world)->bodies[bodies[b - 1].index].position;
            to[0] = from[0] + (b == 1 ? apart : 0);
            to[1] = from[1] + (b == 1 ? 0 : apart);
            iso__mark_dirty(world, ISO_SECTION_BODIES, bodies[b].index);
        }
        world_steps(world, 1);
        for (int rope = 0; rope <= i / 2; ++rope) {
            const bool is_x = (i % 2 != 0) == (rope == 0);
            EXPECT_NEAR(along[rope][0] / 1073741824.0, is_x, 1e-6, "case %d, rope %d: x", i, rope);
            EXPECT_NEAR(along[rope][1] / 1073741824.0, !is_x, 1e-6, "case %d, rope %d: y", i, rope);
        }
        world_free(world);
    }
}

/// The torque of an impulse on two bodies, down to the last quantum of light ones.
static void test_torque_of_an_impulse_is_that_of_the_reduced_inertia(void **state) {
    (void)state;
    const iso__plane_body_derived a = {.mass = 4, .gyration = 2 << ISO__GYRO_FRACTION, .radius_exponent = -4};
    const iso__plane_body_derived b = {.mass = 12, .gyration = 3 << ISO__GYRO_FRACTION, .radius_exponent = -4};
    const double of_a = ldexp(4, -32) / 512, of_b = ldexp(12, -32) / 768, reduced = of_a * of_b / (of_a + of_b);
    for (int bits = 0; bits < 50; ++bits) {
        const int64_t impulse = INT64_C(1) << bits;
        const double torque = from_wide(iso__plane_joint_torque_of_impulse(impulse, &a, &b, ISO_WIDE_ONE, 100));
        EXPECT_NEAR(torque, ldexp(100, bits - 32) * reduced, 3 * QUANTUM_WIDE, "an impulse of 2^%d", bits);
    }
}

/// An axis may hold more than a point: after a body of 2^17 kg became one of grams, for instance.
static void test_force_of_the_largest_impulses_is_told(void **state) {
    (void)state;
    iso_world_def world_def = world_def_small(0);
    world_def.tick_rate_hz = 127;
    world_def.substep_count = 16; // the most that there can be
    iso_world *world = world_make(&world_def);
    const iso_shape_def ball = shape_circle(0.5);
    const iso_body_id a = body_add_shape(world, ISO_BODY_DYNAMIC, 0, 0, 0, &ball),
                      b = body_add_shape(world, ISO_BODY_DYNAMIC, 3, 0, 0, &ball);
    iso_joint_def def = joint_def(ISO_JOINT_DISTANCE, a, b);
    def.rest = fix(3);
    const iso_joint_id joint = joint_add(world, &def);
    const double mass = from_wide(iso__plane_of(world)->body_derived[b.index].mass) / 2;
    for (int sign = -1; sign <= 1; sign += 2) {
        for (uint32_t row = 0; row < ISO__AXIS_ROWS; ++row) {
            iso__plane_of(world)->joints[joint.index].impulse[ISO__PLANE_JOINT_AXIS_IMPULSE + row] =
                sign * ISO__AXIS_IMPULSE_MAX;
        }
        double x, y;
        joint_force(world, joint, &x, &y);
        EXPECT_NEAR(x, fmin(fmax(sign * 4 * 262144.0 * 2032 * mass, -2147483648.0), 2147483648.0), 1, "the force");
    }
    world_free(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_speed_and_separation_are_those_of_the_rows),
        cmocka_unit_test(test_short_lengths_keep_their_direction),
        cmocka_unit_test(test_torque_of_an_impulse_is_that_of_the_reduced_inertia),
        cmocka_unit_test(test_force_of_the_largest_impulses_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
