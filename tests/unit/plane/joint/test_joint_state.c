/// Every kind of joint as state: what a snapshot, a restore, lost caches, and changes of mass and type leave of it.
#include "joint_each.h"

#include "world/world.h"
#include "plane/joint/work.h"
#include "plane/world/joint_mass.h"

#define TICKS 240

static uint8_t *snapshot_bytes(const iso_world *world, size_t *size) {
    *size = iso_snapshot_size(world);
    uint8_t *bytes = malloc(*size);
    assert_int_equal(iso_snapshot_encode(world, bytes, *size), *size);
    return bytes;
}

/// At random ticks a world goes on in another one, from a snapshot; or steps, is restored and goes on; or loses its
/// caches: it stays the undisturbed one.
static void test_each_kind_goes_on_as_if_undisturbed(void **state) {
    (void)state;
    rng random = {7};
    each all[EACH_KINDS];
    iso_world *plain = world_make_small(-GRAVITY), *world = world_make_small(-GRAVITY),
              *other = world_make_small(-GRAVITY);
    each_add_all(plain, all);
    each_add_all(world, all);
    for (int t = 0; t < TICKS; ++t) {
        const uint32_t what = rng_below(&random, 6);
        if (what == 0) {
            iso_world_drop_caches(world);
        } else if (what == 1) {
            size_t size;
            uint8_t *bytes = snapshot_bytes(world, &size);
            EXPECT_STATUS(iso_snapshot_decode(other, bytes, size), ISO_OK);
            free(bytes);
            iso_world *last = world;
            world = other;
            other = last;
        } else if (what == 2) {
            const size_t size = iso_world_image_size(world);
            uint8_t *image = malloc(size);
            assert_int_equal(iso_world_save(world, image, size), size);
            world_steps(world, 1 + rng_below(&random, 5));
            EXPECT_STATUS(iso_joint_destroy(world, all[rng_below(&random, EACH_KINDS)].joint), ISO_OK);
            EXPECT_STATUS(iso_world_restore(world, image, size), ISO_OK);
            free(image);
        }
        world_steps(plain, 1);
        world_steps(world, 1);
        assert_int_equal(iso_world_root(world), iso_world_root(plain));
    }
    world_free(plain);
    world_free(world);
    world_free(other);
}

/// A static body moves only when it is put elsewhere. What the last tick knew of it must not outlive that: a world that
/// is decoded from a snapshot does not know it.
static void test_joints_follow_a_static_body_that_was_put_elsewhere(void **state) {
    (void)state;
    for (size_t k = 0; k < EACH_KINDS; ++k) {
        iso_world *world = world_make_small(-GRAVITY), *other = world_make_small(-GRAVITY);
        const each is = each_add(world, each_kind(k), 0, true);
        world_steps(world, 3);
        for (int i = 0; i < 4; i += 2) { // A and C are static
            const iso_body_view view = body_view(world, is.bodies[i]);
            EXPECT_STATUS(iso_body_set_position(world, is.bodies[i], view.position, wide(0.75)), ISO_OK);
        }
        size_t size;
        uint8_t *bytes = snapshot_bytes(world, &size);
        EXPECT_STATUS(iso_snapshot_decode(other, bytes, size), ISO_OK);
        free(bytes);
        world_steps(world, 1);
        world_steps(other, 1);
        EXPECT(iso_world_root(world) == iso_world_root(other), "kind %u", each_kind(k));
        world_free(world);
        world_free(other);
    }
}

/// Every impulse in use, in newtons and newton metres: what is read of each joint.
static void read_loads(const iso_world *world, const each all[EACH_KINDS], double loads[EACH_KINDS][3]) {
    for (size_t k = 0; k < EACH_KINDS; ++k) {
        joint_force(world, all[k].joint, &loads[k][0], &loads[k][1]);
        loads[k][2] = joint_torque(world, all[k].joint);
    }
}

static void expect_loads(double now[EACH_KINDS][3], double before[EACH_KINDS][3], const char *what) {
    double most = 0;
    for (size_t k = 0; k < EACH_KINDS; ++k) {
        for (int i = 0; i < 3; ++i) {
            EXPECT_NEAR(now[k][i], before[k][i], 1e-6 * (1 + fabs(before[k][i])), "%s: kind %u, %d", what, each_kind(k),
                        i);
            most = fmax(most, fabs(before[k][i]));
        }
    }
    EXPECT(most > 1, "%s: no joint bears anything", what);
}

/// What the joints bear stays in newtons when a body gets another mass or becomes static.
static void test_impulses_keep_their_strength(void **state) {
    (void)state;
    for (int i = 0; i < 3; ++i) {
        iso_world *world = world_make_small(-GRAVITY);
        each all[EACH_KINDS];
        double before[EACH_KINDS][3], now[EACH_KINDS][3];
        each_add_all(world, all);
        world_steps(world, 20);
        read_loads(world, all, before);
        for (size_t k = 0; k < EACH_KINDS; ++k) {
            for (int b = 0; b < 4; ++b) {
                const pose at = body_pose(world, all[k].bodies[b]);
                if (i == 0 && at.mass > 0) {
                    EXPECT_STATUS(iso_body_set_mass(world, all[k].bodies[b], wide(at.mass * (b % 2 ? 3 : 0.4)),
                                                    wide(at.inertia * (b % 2 ? 2 : 0.7))),
                                  ISO_OK);
                } else if (i == 1 && at.mass > 0) { // a larger radius beside another mass and centre
                    iso_shape_def more = shape_circle(b % 2 ? 0.7 : 1.2);
                    more.filter.mask = 0;
                    shape_add(world, all[k].bodies[b], &more);
                } else if (i == 2 && b == 0 && (iso_joint_kind_has(each_kind(k)) & ISO_JOINT_IS_ANGULAR) == 0 &&
                           each_kind(k) != ISO_JOINT_TARGET) {
                    EXPECT_STATUS(iso_body_set_type(world, all[k].bodies[0], ISO_BODY_KINEMATIC), ISO_OK);
                }
            }
        }
        read_loads(world, all, now);
        for (size_t k = 0; k < EACH_KINDS && i == 2; ++k) {
            now[k][2] = before[k][2]; // what begins or ends to turn begins anew
        }
        expect_loads(now, before, i == 0 ? "mass" : i == 1 ? "shapes" : "type");
        world_free(world);
    }
}

/// A change between steps is in the root at once, as if all of it were hashed anew.
static void test_roots_follow_every_change(void **state) {
    (void)state;
    for (size_t k = 0; k < EACH_KINDS; ++k) {
        for (int what = 0; what < 6; ++what) {
            iso_world *world = world_make_small(-GRAVITY);
            const each is = each_add(world, each_kind(k), 0, false);
            world_steps(world, 10);
            const uint64_t before = iso_world_root(world);
            iso_joint_def def;
            EXPECT_STATUS(iso_joint_get(world, is.joint, &def), ISO_OK);
            def.damping_ratio = ONE / 2;
            const pose at = body_pose(world, is.bodies[1]);
            switch (what) {
            case 0:
                EXPECT_STATUS(iso_body_set_mass(world, is.bodies[1], wide(3 * at.mass), wide(2 * at.inertia)), ISO_OK);
                break;
            case 1:
                EXPECT_STATUS(iso_joint_enable(world, is.joint, false), ISO_OK);
                break;
            case 2:
                EXPECT_STATUS(iso_joint_set(world, is.joint, &def), ISO_OK);
                break;
            case 3:
                EXPECT_STATUS(iso_joint_destroy(world, is.joint), ISO_OK);
                break;
            case 4:
                EXPECT_STATUS(iso_joint_set_break(world, is.joint, wide(9), 0, 0, 0, true), ISO_OK);
                break;
            default:
                joint_add(world, &def);
                break;
            }
            const uint64_t after = iso_world_root(world);
            EXPECT(after != before, "kind %u: change %d is not in the root", each_kind(k), what);
            EXPECT(after == each_root(world), "kind %u: change %d is not all in the root", each_kind(k), what);
            world_steps(world, 1);
            EXPECT(iso_world_root(world) == each_root(world), "kind %u: the step after change %d", each_kind(k), what);
            world_free(world);
        }
    }
}

/// What is off has no impulses: none is told, none starts the joint when it is on again.
static void test_what_is_off_has_no_impulses(void **state) {
    (void)state;
    for (size_t k = 0; k < EACH_KINDS; ++k) {
        for (int motor = 0; motor < 2; ++motor) {
            iso_world *world = world_make_small(-GRAVITY);
            const each is = each_add(world, each_kind(k), 0, true);
            const uint32_t has = iso_joint_kind_has(each_kind(k));
            world_steps(world, 10);
            const iso__plane_joint before = iso__plane_of(world)->joints[0];
            if (motor && (has & ISO_JOINT_HAS_MOTOR) != 0) {
                EXPECT_STATUS(iso_joint_set_motor(world, is.joint, false, ONE, ISO_WIDE_ONE), ISO_OK);
                const uint32_t n = (has & ISO_JOINT_MOTOR_TURNS) != 0 ? ISO__PLANE_JOINT_ANGLE_IMPULSE
                                                                      : ISO__PLANE_JOINT_AXIS_IMPULSE + ISO__AXIS_MOTOR;
                EXPECT(before.impulse[n] != 0, "kind %u: the motor has done nothing", each_kind(k));
                EXPECT(iso__plane_of(world)->joints[0].impulse[n] == 0, "kind %u: the motor still pushes",
                       each_kind(k));
            } else {
                EXPECT_STATUS(iso_joint_enable(world, is.joint, false), ISO_OK);
                for (uint32_t n = 0; n < ISO__PLANE_JOINT_IMPULSES; ++n) {
                    EXPECT(iso__plane_of(world)->joints[0].impulse[n] == 0, "kind %u keeps impulse %u", each_kind(k),
                           n);
                }
            }
            world_free(world);
        }
    }
}

/// Impulses stay within their format whatever becomes of the masses: snapshots of such a world are taken.
static void test_changes_of_mass_keep_impulses_within_their_format(void **state) {
    (void)state;
    for (size_t k = 0; k < EACH_KINDS; ++k) {
        iso_world *world = world_make_small(-GRAVITY), *other = world_make_small(-GRAVITY);
        const each is = each_add(world, each_kind(k), 0, true);
        EXPECT_STATUS(iso_body_set_mass(world, is.bodies[1], wide(100000), wide(100000)), ISO_OK);
        world_steps(world, 2);
        for (uint32_t n = 0; n < ISO__PLANE_JOINT_IMPULSES; ++n) {
            iso__plane_of(world)->joints[0].impulse[n] *= INT64_C(1) << 20;
            const int64_t most = ISO__JOINT_IMPULSE_MAX, is_now = iso__plane_of(world)->joints[0].impulse[n];
            iso__plane_of(world)->joints[0].impulse[n] = is_now > most ? most : is_now < -most ? -most : is_now;
        }
        EXPECT_STATUS(iso_body_set_mass(world, is.bodies[1], wide(0.001), wide(0.001)), ISO_OK);
        size_t size;
        uint8_t *bytes = snapshot_bytes(world, &size);
        EXPECT(iso_snapshot_decode(other, bytes, size) == ISO_OK, "kind %u: the snapshot is refused", each_kind(k));
        free(bytes);
        world_free(world);
        world_free(other);
    }
}

/// Every body of a joint takes it along when it goes, and wakes what it held.
static void test_joints_end_with_any_of_their_bodies(void **state) {
    (void)state;
    for (size_t k = 0; k < EACH_KINDS; ++k) {
        const uint32_t has = iso_joint_kind_has(each_kind(k));
        for (int b = 0; b < 4; ++b) {
            iso_world *world = world_make_small(-GRAVITY);
            const each is = each_add(world, each_kind(k), 0, true);
            world_steps(world, 10);
            const bool joined =
                b == 1 || (b == 0 && (has & ISO_JOINT_HAS_BODY_A) != 0) || (has & ISO_JOINT_HAS_BODIES_CD) != 0;
            EXPECT_STATUS(iso_body_destroy(world, is.bodies[b]), ISO_OK);
            EXPECT(iso_joint_is_valid(world, is.joint) != joined, "kind %u without body %d", each_kind(k), b);
            assert_int_equal(world_counts(world).joints, joined ? 0 : 1);
            world_steps(world, 10);
            iso_joint_def def;
            iso_wide value;
            iso_vec2_wide force;
            if (joined) {
                EXPECT_STATUS(iso_joint_get(world, is.joint, &def), ISO_ERR_STALE);
                EXPECT_STATUS(iso_joint_get_force(world, is.joint, &force), ISO_ERR_STALE);
                EXPECT_STATUS(iso_joint_get_torque(world, is.joint, &value), ISO_ERR_STALE);
                EXPECT_STATUS(iso_joint_enable(world, is.joint, true), ISO_ERR_STALE);
                EXPECT_STATUS(iso_joint_destroy(world, is.joint), ISO_ERR_STALE);
            }
            world_free(world);
        }
    }
}

/// Two weights in balance fall asleep as one island; who pushes the one wakes the other through the rope.
static void test_pulley_sleeps_and_wakes_as_one(void **state) {
    (void)state;
    iso_world_def world_def = world_def_small(-GRAVITY);
    world_def.sleep_speed = iso_world_def_default().sleep_speed;
    iso_world *world = world_make(&world_def);
    const iso_shape_def disc = shape_circle(0.5);
    iso_body_id bodies[4];
    for (int i = 0; i < 4; ++i) {
        bodies[i] = i % 2 ? body_add_shape(world, ISO_BODY_DYNAMIC, 3 * i, -4, 0, &disc)
                          : body_add(world, ISO_BODY_STATIC, 3 * i + 3, 0, 0);
    }
    iso_joint_def def = each_def(ISO_JOINT_PULLEY, bodies, false);
    def.rest = fix(8);
    joint_add(world, &def);
    world_steps(world, 120);
    assert_int_equal(world_counts(world).awake_bodies, 0);
    EXPECT_STATUS(
        iso_body_apply_impulse(world, bodies[3], (iso_vec2_wide){0, wide(-2)}, body_view(world, bodies[3]).centre),
        ISO_OK);
    world_steps(world, 1);
    assert_int_equal(world_counts(world).awake_bodies, 2);
    EXPECT(body_pose(world, bodies[1]).vy > 0.5, "B rises with %g m/s", body_pose(world, bodies[1]).vy);
    EXPECT(body_pose(world, bodies[3]).vy < -0.5, "D falls with %g m/s", body_pose(world, bodies[3]).vy);
    world_free(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_kind_goes_on_as_if_undisturbed),
        cmocka_unit_test(test_joints_follow_a_static_body_that_was_put_elsewhere),
        cmocka_unit_test(test_impulses_keep_their_strength),
        cmocka_unit_test(test_roots_follow_every_change),
        cmocka_unit_test(test_what_is_off_has_no_impulses),
        cmocka_unit_test(test_changes_of_mass_keep_impulses_within_their_format),
        cmocka_unit_test(test_joints_end_with_any_of_their_bodies),
        cmocka_unit_test(test_pulley_sleeps_and_wakes_as_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
