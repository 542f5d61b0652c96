/// The impulse on each of a joint's bodies, of every kind: with one substep and nothing else that acts, it is the
/// change of the body's momentum.
#include "joint_util.h"

#include "plane/world/plane.h"

#define BODIES 4

typedef struct motion {
    double velocity[2], omega;
} motion;

static motion motion_of(const iso_world *world, iso_body_id body) {
    iso_body_view view;
    EXPECT_STATUS(iso_body_get(world, body, &view), ISO_OK);
    return (motion){{from_wide(view.velocity.x), from_wide(view.velocity.y)}, from_wide(view.angular_velocity)};
}

/// Anchors that are apart where the kind allows it, and something that pulls on each row.
static iso_joint_def acting_def(iso_joint_kind kind, const iso_body_id *bodies) {
    const uint32_t has = iso_joint_kind_has((uint8_t)kind);
    iso_joint_def def = joint_def(kind, (has & ISO_JOINT_HAS_BODY_A) != 0 ? bodies[0] : (iso_body_id){0, 0}, bodies[1]);
    const bool has_length = (has & ISO_JOINT_HAS_LENGTH) != 0, has_axis = (has & ISO_JOINT_HAS_AXIS) != 0;
    def.anchor_a = (iso_vec2){fix(has_length || has_axis ? 0.25 : 0.75), fix(0.5)};
    def.anchor_b = (iso_vec2){fix(-0.5), fix(0.25)};
    if ((has & ISO_JOINT_HAS_BODIES_CD) != 0) {
        def.body_c = bodies[2];
        def.body_d = bodies[3];
        def.anchor_c = (iso_vec2){fix(0.25), fix(-0.25)};
        def.anchor_d = (iso_vec2){fix(-0.25), fix(0.5)};
        def.ratio = fix(1.5);
    }
    def.rest = fix(!has_length ? 0 : (has & ISO_JOINT_HAS_BODIES_CD) == 0 ? 0.5 : 2.9012); // as they are
    if (kind == ISO_JOINT_ANGLE || kind == ISO_JOINT_GEAR) {
        def.ratio = fix(-2);
    }
    if ((has & ISO_JOINT_HAS_MOTOR) != 0) {
        def.motor_enabled = true;
        def.motor_speed = fix(0.125);
        def.motor_max = wide(1);
    }
    def.ratchet = fix(0.5);
    def.target = (iso_vec2_wide){wide(0.75), wide(0.5)};
    return def;
}

static void expect_momentum(iso_joint_kind kind, const char *name) {
    iso_world_def world_def = world_def_small(0);
    world_def.tick_rate_hz = 120;
    world_def.substep_count = 1;
    iso_world *world = world_make(&world_def);
    iso_body_id bodies[BODIES];
    const double places[BODIES][2] = {{0, 0}, {1.25, 0.25}, {0, 3}, {1.5, 3.5}};
    for (int i = 0; i < BODIES; ++i) {
        iso_shape_def disc = shape_circle(0.5 + 0.125 * i);
        disc.filter.mask = 0;
        bodies[i] = body_add_shape(world, ISO_BODY_DYNAMIC, places[i][0], places[i][1], 0, &disc);
        body_set_velocity(world, bodies[i], 0.1 * i - 0.1, 0.05 - 0.02 * i, 0.2 - 0.15 * i);
    }
    const iso_joint_def def = acting_def(kind, bodies);
    const iso_joint_id joint = joint_add(world, &def);
    const uint32_t has = iso_joint_kind_has((uint8_t)kind);
    const bool is_of[BODIES] = {(has & ISO_JOINT_HAS_BODY_A) != 0, true, (has & ISO_JOINT_HAS_BODIES_CD) != 0,
                                (has & ISO_JOINT_HAS_BODIES_CD) != 0};
    double most = 0;
    for (int t = 0; t < 3; ++t) {
        motion before[BODIES];
        for (int i = 0; i < BODIES; ++i) {
            before[i] = motion_of(world, bodies[i]);
        }
        world_steps(world, 1);
        for (int i = 0; i < BODIES; ++i) {
            iso_vec2_wide impulse;
            iso_wide turn;
            const iso_status status = iso_joint_get_body_impulse(world, joint, bodies[i], &impulse, &turn);
            EXPECT_STATUS(status, is_of[i] ? ISO_OK : ISO_ERR_WRONG_TYPE);
            if (!is_of[i]) {
                continue;
            }
            const motion after = motion_of(world, bodies[i]);
            const double m = from_wide(iso__plane_of(world)->body_derived[i].mass),
                         inertia = from_wide(iso__plane_of(world)->body_derived[i].inertia);
            const double x = m * (after.velocity[0] - before[i].velocity[0]);
            const double y = m * (after.velocity[1] - before[i].velocity[1]);
            const double w = inertia * (after.omega - before[i].omega);
            const double bound = 0.01 * (fabs(x) + fabs(y) + fabs(w)) + 2e-5;
            EXPECT_NEAR(from_wide(impulse.x), x, bound, "%s: impulse along x on body %d, tick %d", name, i, t);
            EXPECT_NEAR(from_wide(impulse.y), y, bound, "%s: impulse along y on body %d, tick %d", name, i, t);
            EXPECT_NEAR(from_wide(turn), w, bound, "%s: angular impulse on body %d, tick %d", name, i, t);
            most = fmax(most, fabs(x) + fabs(y) + fabs(w));
        }
    }
    EXPECT(most > 1e-3 || (has & ISO_JOINT_IS_PASSIVE) != 0, "%s does nothing", name);
    world_free(world);
}

static void test_it_is_the_change_of_momentum(void **state) {
    (void)state;
#define EXPECT_KIND(name, number, snake, has)                           \
    if (((has)&ISO_JOINT_IS_CUSTOM) == 0) { /* test_custom_measure.c */ \
        expect_momentum(number, #snake);                                \
    }
    ISO_JOINT_KIND_LIST(EXPECT_KIND)
#undef EXPECT_KIND
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_it_is_the_change_of_momentum),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
