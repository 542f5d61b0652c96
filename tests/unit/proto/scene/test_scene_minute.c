/// Built-in scenes of joints over a minute: nothing comes apart, and each does what it shows.
#include "unit/world/physics_util.h"

#include "isostep/games.h"
#include "isostep/heap.h"
#include "isostep/proto/scene.h"
#include "isostep/scenes.h"
#include "unit/many.h"

#if ISO_TEST_STEP == 1
#define SECONDS 60
#else
#define SECONDS 20 // unit/many.h
#endif

typedef struct minute {
    iso_scene *scene;
    iso_world *world;
    double worst; // the largest separation of any joint, once a second
    double late;  // likewise in the second half
} minute;

static minute minute_begin(const char *name) {
    const iso_allocator allocator = iso_heap_allocator();
    const iso_builtin_scene *builtin = iso_builtin_scene_find(name);
    minute is = {0};
    void *memory;
    assert_non_null(builtin);
    EXPECT_STATUS(iso_scene_parse(builtin->text, builtin->size, iso_games, ISO_GAME_COUNT, &is.scene, NULL), ISO_OK);
    EXPECT_STATUS(iso_scene_create_world(is.scene, NULL, &allocator, &memory, &is.world, NULL), ISO_OK);
    return is;
}

static double largest_separation(const iso_world *world) {
    double largest = 0;
    for (iso_joint_id id = iso_joint_next(world, 0); id.generation; id = iso_joint_next(world, id.index + 1)) {
        iso_wide separation = 0;
        EXPECT_STATUS(iso_joint_get_separation(world, id, &separation), ISO_OK);
        largest = fmax(largest, from_wide(separation));
    }
    return largest;
}

/// Lets a minute pass. Every joint stays, and none is ever further apart than `worst`, nor in the second half than
/// `late`.
static minute minute_pass(const char *name, double worst, double late) {
    minute is = minute_begin(name);
    const iso_world_counts before = world_counts(is.world);
    for (int second = 0; second < SECONDS; ++second) {
        world_steps(is.world, 60);
        const double separation = largest_separation(is.world);
        is.worst = fmax(is.worst, separation);
        is.late = second >= SECONDS / 2 ? fmax(is.late, separation) : 0;
    }
    const iso_world_counts after = world_counts(is.world);
    print_message("%s: at most %.4f m apart, %.4f m in the second half\n", name, is.worst, is.late);
    EXPECT(is.worst < worst && is.late < late, "%s came %g m apart, late %g m", name, is.worst, is.late);
    assert_int_equal(after.joints, before.joints);
    assert_int_equal(after.dropped_contacts, 0);
    return is;
}

static void minute_end(minute *is) {
    iso_scene_free(is->scene);
    world_free(is->world);
}

static pose pose_of(const minute *is, const char *name) {
    const uint32_t index = iso_scene_body_find(is->scene, name);
    assert_int_not_equal(index, UINT32_MAX);
    return body_pose(is->world, iso_body_next(is->world, index));
}

static void test_long_chain_hangs(void **state) {
    (void)state;
    minute is = minute_pass("long-chain", 0.1, 0.05);
    const pose last = pose_of(&is, "link[99]");
    print_message("long-chain: the last link is at (%.2f, %.2f)\n", last.x, last.y);
    EXPECT(hypot(last.x, last.y - 30) < 24.875 + 0.5, "the chain is %g m long", hypot(last.x, last.y - 30));
    minute_end(&is);
}

static void test_bridge_bears_its_load(void **state) {
    (void)state;
    minute is = minute_pass("bridge", 0.1, 0.05);
    const pose middle = pose_of(&is, "plank[25]"), drum = pose_of(&is, "drum");
    print_message("bridge: the middle is at %.2f m, the drum of %.0f kg at %.2f m\n", middle.y, drum.mass, drum.y);
    EXPECT_NEAR(drum.mass, 1000, 50, "the drum's mass");
    EXPECT(middle.y > -5 && drum.y > middle.y, "the drum at %g m fell through the bridge at %g m", drum.y, middle.y);
    minute_end(&is);
}

static void test_ragdoll_pile_comes_to_rest(void **state) {
    (void)state;
    minute is = minute_pass("ragdoll-pile", 0.1, 0.1);
    double fastest = 0, lowest = 0;
    for (iso_body_id id = iso_body_next(is.world, 1); id.generation; id = iso_body_next(is.world, id.index + 1)) {
        const pose at = body_pose(is.world, id);
        fastest = fmax(fastest, hypot(at.vx, at.vy));
        lowest = fmin(lowest, at.y);
    }
    print_message("ragdoll-pile: %.3f m/s at the end\n", fastest);
    EXPECT(lowest > -0.05 && fastest < 0.5, "a limb is at %g m or moves with %g m/s", lowest, fastest);
    minute_end(&is);
}

static void test_pulley_lift_reaches_the_top(void **state) {
    (void)state;
    minute is = minute_pass("pulley-lift", 0.02, 0.02);
    const pose cabin = pose_of(&is, "cabin"), weight = pose_of(&is, "counterweight"),
               crate = pose_of(&is, "crate[0,1]");
    print_message("pulley-lift: cabin at %.2f m, counterweight at %.2f m\n", cabin.y, weight.y);
    // The cabin's centre of mass is 0.2125 m below its origin.
    EXPECT_NEAR(cabin.y, 9 - 0.2125, 0.01, "the cabin");
    EXPECT_NEAR(cabin.y + weight.y, 12 - 0.2125, 0.01, "cabin and counterweight");
    EXPECT(crate.y > cabin.y - 1, "a crate fell out of the cabin");
    minute_end(&is);
}

/// The wheels turn alike, in turns one way and the other.
static void test_gear_train_turns_together(void **state) {
    (void)state;
    minute is = minute_pass("gear-train", 0.01, 0.01);
    const double first = pose_of(&is, "wheel[0]").angle;
    EXPECT_NEAR(first, 3 * SECONDS, 1, "the driven wheel");
    for (int i = 1; i < 10; ++i) {
        char name[32];
        snprintf(name, sizeof name, "wheel[%d]", i);
        EXPECT_NEAR(pose_of(&is, name).angle, i % 2 != 0 ? -first : first, 0.05, "%s", name);
    }
    minute_end(&is);
}

static void test_ratchet_winch_keeps_what_it_has_won(void **state) {
    (void)state;
    minute is = minute_pass("ratchet-winch", 0.05, 0.05);
    const pose drum = pose_of(&is, "drum"), weight = pose_of(&is, "weight");
    print_message("ratchet-winch: the drum turned by %.2f, the weight is at %.2f m\n", drum.angle, weight.y);
    EXPECT(drum.angle > 5.5, "the drum turned by %g only", drum.angle);
    EXPECT(weight.y > 3.5 + 3.5, "the weight is at %g m", weight.y);
    // Without the motor the ratchet alone bears the weight.
    const iso_joint_id motor = iso_joint_next(is.world, is.scene->joint_count - 2);
    EXPECT_STATUS(iso_joint_set_motor(is.world, motor, false, 0, 0), ISO_OK);
    world_steps(is.world, 600);
    EXPECT(pose_of(&is, "drum").angle > drum.angle - 0.26, "the drum ran back to %g", pose_of(&is, "drum").angle);
    minute_end(&is);
}

static void test_suspension_car_drives_over_the_bumps(void **state) {
    (void)state;
    minute is = minute_pass("suspension-car", 0.1, 0.1);
    const pose car = pose_of(&is, "chassis");
    print_message("suspension-car: it is at (%.2f, %.2f), turned by %.3f\n", car.x, car.y, car.angle);
    EXPECT(car.x > SECONDS, "it drove %g m only", car.x);
    EXPECT(fabs(car.angle) < 0.5 && car.y > 0.3, "it lies on its side");
    minute_end(&is);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_long_chain_hangs),
        cmocka_unit_test(test_bridge_bears_its_load),
        cmocka_unit_test(test_ragdoll_pile_comes_to_rest),
        cmocka_unit_test(test_pulley_lift_reaches_the_top),
        cmocka_unit_test(test_gear_train_turns_together),
        cmocka_unit_test(test_ratchet_winch_keeps_what_it_has_won),
        cmocka_unit_test(test_suspension_car_drives_over_the_bumps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
