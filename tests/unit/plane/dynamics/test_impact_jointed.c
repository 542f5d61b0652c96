/// Impacts of bodies that hang on joints: a cradle passes a blow on, pairs gain no energy, and a joint that opposes an
/// impact leaves it to the end of the step.
#include "isostep/snapshot.h"
#include "unit/plane/joint/joint_util.h"
#include "unit/world/physics_util.h"

#define BALLS 5

// ---- a cradle ------------------------------------------------------------------------------------

typedef enum cradle_kind { RODS, REVOLUTES, ROPES, SPRINGS, KINDS } cradle_kind;

static const char *const cradle_names[KINDS] = {"rods", "revolutes", "ropes", "springs"};

static void cradle_hang(iso_world *world, cradle_kind kind, iso_body_id ceiling, iso_body_id ball, double x) {
    iso_joint_def def = joint_def(kind == REVOLUTES ? ISO_JOINT_REVOLUTE : ISO_JOINT_DISTANCE, ceiling, ball);
    def.anchor_a.x = fix(x);
    def.rest = fix(4);
    if (kind == REVOLUTES) {
        def.rest = 0;
        def.anchor_b.y = fix(4);
    } else if (kind == ROPES) {
        def.limit_enabled = true;
        def.upper = fix(4);
    } else if (kind == SPRINGS) {
        def.spring_enabled = true;
        def.spring_hertz = fix(5);
    }
    joint_add(world, &def);
}

/// Balls that touch hang 4 m below their joints; the first one swings in from 0.5 rad.
static iso_world *cradle_make(cradle_kind kind, bool is_reversed, iso_body_id balls[BALLS]) {
    iso_world *world = world_make_small(-GRAVITY);
    const iso_shape_def nothing = shape_circle(0.01);
    const iso_body_id ceiling = body_add_shape(world, ISO_BODY_STATIC, 0, 0, 0, &nothing);
    iso_shape_def shape = shape_circle(0.5);
    shape.restitution = ONE;
    shape.friction = 0;
    for (int i = 0; i < BALLS; ++i) {
        const int place = is_reversed ? BALLS - 1 - i : i;
        const double angle = place == 0 ? -0.5 : 0;
        balls[place] = body_add_shape(world, ISO_BODY_DYNAMIC, place + 4 * sin(angle), -4 * cos(angle),
                                      kind == REVOLUTES ? angle : 0, &shape);
        cradle_hang(world, kind, ceiling, balls[place], place);
    }
    return world;
}

/// @return the greatest speed of the last one within two seconds, as a share of that of the first one; and that of the
///         others
static double cradle_swing(cradle_kind kind, bool is_reversed, double *others) {
    iso_body_id balls[BALLS];
    iso_world *world = cradle_make(kind, is_reversed, balls);
    double most[BALLS] = {0};
    for (int t = 0; t < 120; ++t) {
        world_steps(world, 1);
        for (int i = 0; i < BALLS; ++i) {
            most[i] = fmax(most[i], fabs(body_pose(world, balls[i]).vx));
        }
    }
    world_free(world);
    *others = fmax(fmax(most[1], most[2]), most[3]) / most[0];
    return most[BALLS - 1] / most[0];
}

static void test_cradle_passes_a_blow_on(void **state) {
    (void)state;
    for (int kind = 0; kind < KINDS; ++kind) {
        for (int is_reversed = 0; is_reversed < 2; ++is_reversed) {
            double others;
            const double last = cradle_swing((cradle_kind)kind, is_reversed, &others);
            EXPECT(last > 0.98 && others < 0.06, "%s, reversed %d: the last one has %g, another %g", cradle_names[kind],
                   is_reversed, last, others);
        }
    }
}

/// A cradle that is saved in a tick before the blow, and in it, goes on alike: what holds a ball is state.
static void test_snapshots_keep_a_cradle(void **state) {
    (void)state;
    static uint8_t bytes[1 << 18], again[1 << 18];
    for (int kind = 0; kind < KINDS; ++kind) {
        iso_body_id balls[BALLS];
        iso_world *world = cradle_make((cradle_kind)kind, false, balls), *other = world_make_small(-GRAVITY);
        for (int t = 0; t < 90; ++t) {
            size_t size = iso_snapshot_encode(world, bytes, sizeof bytes);
            EXPECT_STATUS(iso_snapshot_decode(other, bytes, size), ISO_OK);
            world_steps(world, 1);
            world_steps(other, 1);
            size = iso_snapshot_encode(world, bytes, sizeof bytes);
            assert_int_equal(iso_snapshot_encode(other, again, sizeof again), size);
            assert_memory_equal(bytes, again, size);
        }
        world_free(world);
        world_free(other);
    }
}

// ---- a joint that opposes ------------------------------------------------------------------------

/// Two balls on a rod fall upright onto an elastic floor: the lower one cannot fly on, so the floor first bears both,
/// and then gives the lower one its speed, which the rod shares out. As if it were free, nothing would be left.
static void test_rod_along_the_impact_leaves_it_to_the_end(void **state) {
    (void)state;
    for (int kind = 0; kind < 2; ++kind) {
        iso_world *world = world_make_small(0);
        iso_shape_def floor = shape_box(5, 1), ball = shape_circle(0.3);
        floor.restitution = ball.restitution = ONE;
        body_add_shape(world, ISO_BODY_STATIC, 0, -1, 0, &floor);
        const iso_body_id low = body_add_shape(world, ISO_BODY_DYNAMIC, 0, 1, 0, &ball);
        const iso_body_id high = body_add_shape(world, ISO_BODY_DYNAMIC, 0, 2, 0, &ball);
        iso_joint_def def = joint_def(kind == 0 ? ISO_JOINT_DISTANCE : ISO_JOINT_WELD, low, high);
        def.rest = kind == 0 ? ONE : 0;
        def.anchor_a.y = kind == 0 ? 0 : ONE;
        joint_add(world, &def);
        body_set_velocity(world, low, 0, -4, 0);
        body_set_velocity(world, high, 0, -4, 0);
        world_steps(world, 60);
        const double mean = (body_pose(world, low).vy + body_pose(world, high).vy) / 2;
        EXPECT(mean > 1.8, "kind %d: it bounces at %g of 4 m/s", kind, mean);
        world_free(world);
    }
}

// ---- energy --------------------------------------------------------------------------------------

static double energy_of(const iso_world *world) {
    double sum = 0;
    for (iso_body_id b = iso_body_next(world, 0); b.generation; b = iso_body_next(world, b.index + 1)) {
        if (body_view(world, b).type == ISO_BODY_DYNAMIC) {
            const pose p = body_pose(world, b);
            sum += p.mass * (p.vx * p.vx + p.vy * p.vy) / 2 + p.inertia * p.w * p.w / 2;
        }
    }
    return sum;
}

/// Limbs in a row, each jointed to the one before.
static void limbs_add(iso_world *world, rng *random, iso_joint_kind kind, int count, double x, double y, double speed) {
    iso_shape_def shape = shape_box(0.3, 0.15);
    shape.restitution = ONE;
    shape.friction = 0;
    const double vx = rng_range(random, -speed, speed), vy = rng_range(random, -speed, speed);
    iso_body_id last = {0, 0};
    for (int i = 0; i < count; ++i) {
        const iso_body_id limb = body_add_shape(world, ISO_BODY_DYNAMIC, x + 0.8 * i, y, 0, &shape);
        body_set_velocity(world, limb, vx, vy, 0);
        if (i > 0) {
            iso_joint_def def = joint_def(kind, last, limb);
            def.anchor_a.x = kind == ISO_JOINT_DISTANCE ? 0 : fix(0.4);
            def.anchor_b.x = kind == ISO_JOINT_DISTANCE ? 0 : fix(-0.4);
            def.rest = kind == ISO_JOINT_DISTANCE ? fix(0.8) : 0;
            joint_add(world, &def);
        }
        last = limb;
    }
}

/// Pairs and ragdolls of four limbs that bounce about between elastic walls: never more energy than at the beginning,
/// and after a second no less than half of it.
static void test_jointed_bodies_gain_no_energy(void **state) {
    (void)state;
    const iso_joint_kind kinds[] = {ISO_JOINT_DISTANCE, ISO_JOINT_REVOLUTE, ISO_JOINT_WELD};
    for (int n = 0; n < 18; ++n) {
        rng random = {(uint64_t)n + 1};
        iso_world *world = world_make_small(0);
        for (int i = 0; i < 4; ++i) {
            iso_shape_def wall = i < 2 ? shape_box(7, 1) : shape_box(1, 7);
            wall.restitution = ONE;
            wall.friction = 0;
            body_add_shape(world, ISO_BODY_STATIC, i < 2 ? 0 : 12 * i - 30, i < 2 ? 12 * i - 6 : 0, 0, &wall);
        }
        for (int i = 0; i < 8; ++i) {
            limbs_add(world, &random, kinds[n % 3], n / 3 % 2 ? 4 : 2, -4 + 4.5 * (i % 2), -4 + 2.5 * (i / 2), 5);
        }
        const double start = energy_of(world);
        double most = 0, second = 0;
        for (int t = 0; t < 600; ++t) {
            world_steps(world, 1);
            most = fmax(most, energy_of(world) / start);
            second = t == 59 ? energy_of(world) / start : second;
        }
        EXPECT(most < 1.002 && second > 0.4, "case %d: %g of the energy at most, %g after a second", n, most, second);
        world_free(world);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cradle_passes_a_blow_on),
        cmocka_unit_test(test_snapshots_keep_a_cradle),
        cmocka_unit_test(test_rod_along_the_impact_leaves_it_to_the_end),
        cmocka_unit_test(test_jointed_bodies_gain_no_energy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
