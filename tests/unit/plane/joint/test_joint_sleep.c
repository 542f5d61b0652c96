/// Joints fall asleep and wake with their bodies, and the events tell it.
#include "unit/plane/joint/joint_util.h"

static iso_events events_of(const iso_world *world) {
    iso_events events;
    iso_world_get_events(world, &events);
    return events;
}

static iso_body_id disc_add(iso_world *world, double x) {
    const iso_shape_def disc = shape_circle(0.25);
    return body_add_shape(world, ISO_BODY_DYNAMIC, x, 0, 0, &disc);
}

/// What the game of these worlds does before the step of a tick; NULL: nothing.
static void (*act)(iso_world *world);

static void act_before_step(iso_world *world, void *state) {
    (void)state;
    if (act != NULL) {
        act(world);
        act = NULL;
    }
}

static const iso_game actor = {.name = "actor", .version = 1, .before_step = act_before_step};

/// A world without gravity in which bodies sleep.
static iso_world *sleepy_make(uint32_t event_capacity) {
    iso_world_def def = world_def_small(0);
    def.sleep_speed = iso_world_def_default().sleep_speed;
    def.event_capacity = event_capacity;
    strcpy(def.game, actor.name);
    const size_t size = iso_world_size(&def, &actor);
    void *memory = aligned_alloc(64, size);
    assert_non_null(memory);
    memset(memory, 0xA5, size);
    iso_world *world = NULL;
    EXPECT_STATUS(iso_world_create(&def, &actor, memory, size, &world), ISO_OK);
    return world;
}

/// A distance joint as long as its bodies are apart, with a tag.
static iso_joint_id rod_add(iso_world *world, iso_body_id a, iso_body_id b, uint32_t tag, bool enabled) {
    iso_joint_def def = joint_def(ISO_JOINT_DISTANCE, a, b);
    def.rest = fix(body_pose(world, b).x - body_pose(world, a).x);
    def.tag = tag;
    def.enabled = enabled;
    return joint_add(world, &def);
}

static bool is_event(const iso_joint_sleep_event *event, iso_joint_id joint, uint32_t tag) {
    return event->joint.index == joint.index && event->joint.generation == joint.generation && event->tag == tag;
}

/// Steps until a joint falls asleep. @return the tick
static uint64_t steps_until_sleep(iso_world *world) {
    for (int i = 0; i < 120 && events_of(world).joint_sleep_count == 0; ++i) {
        EXPECT(events_of(world).sleep_count == 0, "a body sleeps, and its joint does not");
        world_steps(world, 1);
    }
    return iso_world_get_tick(world);
}

static void push(iso_world *world, iso_body_id body, double vx) {
    body_set_velocity(world, body, vx, 0, 0);
}

static void test_joints_sleep_and_wake_with_their_island(void **state) {
    (void)state;
    iso_world *world = sleepy_make(64);
    iso_body_id chain[4];
    iso_joint_id rods[3];
    for (uint32_t i = 0; i < 4; ++i) {
        chain[i] = disc_add(world, i);
    }
    // Made in another order than they are told.
    const iso_joint_id gone = rod_add(world, chain[0], chain[3], 9, true);
    rods[2] = rod_add(world, chain[2], chain[3], 4000000007u, true);
    EXPECT_STATUS(iso_joint_destroy(world, gone), ISO_OK);
    rods[0] = rod_add(world, chain[0], chain[1], 1, true);
    rods[1] = rod_add(world, chain[1], chain[2], 2, true);
    assert_true(rods[0].index < rods[2].index && rods[2].index < rods[1].index);
    steps_until_sleep(world);
    iso_events events = events_of(world);
    assert_int_equal(events.sleep_count, 4);
    assert_int_equal(events.joint_sleep_count, 3);
    assert_int_equal(events.joint_wake_count, 0);
    assert_true(is_event(&events.joint_sleeps[0], rods[0], 1));
    assert_true(is_event(&events.joint_sleeps[1], rods[2], 4000000007u));
    assert_true(is_event(&events.joint_sleeps[2], rods[1], 2));
    assert_false(iso_joint_is_awake(world, rods[0]) || iso_joint_is_awake(world, gone));
    world_steps(world, 5);
    assert_int_equal(events_of(world).joint_sleep_count, 0);
    // The caller woke body 0, and knows of rod 0; the step wakes the others.
    push(world, chain[0], 0.5);
    assert_true(iso_joint_is_awake(world, rods[0]) && !iso_joint_is_awake(world, rods[1]));
    world_steps(world, 1);
    events = events_of(world);
    assert_int_equal(events.wake_count, 3);
    assert_int_equal(events.joint_wake_count, 2);
    assert_true(is_event(&events.joint_wakes[0], rods[2], 4000000007u));
    assert_true(is_event(&events.joint_wakes[1], rods[1], 2));
    assert_int_equal(events.joint_sleep_count, 0);
    world_steps(world, 1);
    assert_int_equal(events_of(world).joint_wake_count, 0);
    world_free(world);
}

/// One that has no effect connects no island: it sleeps when the last of its bodies does, and wakes with the first.
static void test_a_disabled_joint_sleeps_with_the_last_of_its_bodies(void **state) {
    (void)state;
    iso_world *world = sleepy_make(64);
    const iso_shape_def wall = shape_box(0.1, 5);
    const iso_body_id a = disc_add(world, 0), b = disc_add(world, 20),
                      ground = body_add_shape(world, ISO_BODY_STATIC, 30, 0, 0, &wall);
    const iso_joint_id off = rod_add(world, a, b, 5, false);
    const iso_joint_id still = rod_add(world, ground, body_add(world, ISO_BODY_KINEMATIC, 32, 0, 0), 6, true);
    push(world, b, 1);
    world_steps(world, 60);
    assert_true(!iso_body_is_awake(world, a) && iso_joint_is_awake(world, off));
    assert_false(iso_joint_is_awake(world, still)); // it has no body that could sleep, and is in no event
    push(world, b, 0);
    steps_until_sleep(world);
    assert_int_equal(events_of(world).joint_sleep_count, 1);
    assert_true(is_event(&events_of(world).joint_sleeps[0], off, 5));
    const iso_body_id bullet = disc_add(world, 15);
    push(world, bullet, 60);
    uint32_t wakes = 0;
    for (int i = 0; i < 20; ++i) {
        world_steps(world, 1);
        wakes += events_of(world).joint_wake_count;
        assert_int_equal(events_of(world).joint_wake_count, events_of(world).wake_count);
    }
    assert_int_equal(wakes, 1);
    assert_false(iso_body_is_awake(world, a));
    world_free(world);
}

static iso_body_id act_a, act_b, act_c;
static iso_joint_id act_joint;

static void act_join(iso_world *world) {
    act_joint = rod_add(world, act_a, act_b, 3, true);
}

static void act_join_again(iso_world *world) {
    const uint32_t index = act_joint.index;
    EXPECT_STATUS(iso_joint_destroy(world, act_joint), ISO_OK);
    act_joint = rod_add(world, act_a, act_b, 3, true);
    assert_int_equal(act_joint.index, index);
}

static void act_set_bodies(iso_world *world) {
    const iso_body_id bodies[] = {act_a, act_c, {0, 0}, {0, 0}};
    EXPECT_STATUS(iso_joint_set_bodies(world, act_joint, bodies), ISO_OK);
}

static void act_wake(iso_world *world) {
    EXPECT_STATUS(iso_body_wake(world, act_a), ISO_OK);
}

static void act_free(iso_world *world) {
    EXPECT_STATUS(iso_body_set_type(world, act_b, ISO_BODY_DYNAMIC), ISO_OK);
}

static void act_wake_and_destroy(iso_world *world) {
    act_wake(world);
    EXPECT_STATUS(iso_joint_destroy(world, act_joint), ISO_OK);
}

/// What the game does within a step to a joint that sleeps.
static void test_joints_wake_within_a_step_once_and_not_when_new(void **state) {
    (void)state;
    static const struct {
        void (*act)(iso_world *world);
        const char *name;
        uint8_t type_b;
        bool is_joined;
        uint32_t wakes, body_wakes;
    } cases[] = {
        {act_wake, "a body is woken", ISO_BODY_DYNAMIC, true, 1, 2},
        {act_wake, "with a static body", ISO_BODY_STATIC, true, 1, 1},
        {act_wake, "with a kinematic body", ISO_BODY_KINEMATIC, true, 1, 1},
        {act_free, "a static body becomes dynamic", ISO_BODY_STATIC, true, 1, 1},
        {act_free, "a kinematic body becomes dynamic", ISO_BODY_KINEMATIC, true, 1, 1},
        {act_join, "a new joint", ISO_BODY_DYNAMIC, false, 0, 2},
        {act_join_again, "a new joint in the place of another", ISO_BODY_DYNAMIC, true, 0, 2},
        {act_set_bodies, "other bodies", ISO_BODY_DYNAMIC, true, 0, 3},
        {act_wake_and_destroy, "a joint that ends", ISO_BODY_DYNAMIC, true, 0, 2},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        iso_world *world = sleepy_make(64);
        const iso_shape_def disc = shape_circle(0.25);
        act_a = disc_add(world, 0);
        act_b = body_add_shape(world, cases[i].type_b, 2, 0, 0, &disc);
        act_c = disc_add(world, -2);
        act_joint = cases[i].is_joined ? rod_add(world, act_a, act_b, 3, true) : (iso_joint_id){0, 0};
        world_steps(world, 60);
        assert_false(iso_body_is_awake(world, act_a) || iso_body_is_awake(world, act_c));
        act = cases[i].act;
        world_steps(world, 1);
        const iso_events events = events_of(world);
        EXPECT(events.wake_count == cases[i].body_wakes, "%s: %u bodies wake", cases[i].name, events.wake_count);
        EXPECT(events.joint_wake_count == cases[i].wakes, "%s: %u joints wake", cases[i].name, events.joint_wake_count);
        EXPECT(events.joint_sleep_count == 0, "%s: a joint sleeps", cases[i].name);
        EXPECT(cases[i].wakes == 0 || is_event(&events.joint_wakes[0], act_joint, 3), "%s: another one", cases[i].name);
        world_free(world);
    }
}

/// A body sleeps alone at the border of the world: its joint is awake by the other body.
static void test_a_joint_is_awake_by_one_of_its_bodies(void **state) {
    (void)state;
    iso_world *world = sleepy_make(64);
    iso_body_def def = iso_body_def_default();
    iso_body_id a, b;
    def.position.x = 29999 * ISO_WIDE_ONE;
    def.velocity.x = 30 * ISO_WIDE_ONE;
    EXPECT_STATUS(iso_body_create(world, &def, &a), ISO_OK);
    def.position.x = 29990 * ISO_WIDE_ONE;
    EXPECT_STATUS(iso_body_create(world, &def, &b), ISO_OK);
    iso_joint_def rod = joint_def(ISO_JOINT_DISTANCE, a, b);
    rod.rest = fix(9);
    const iso_joint_id joint = joint_add(world, &rod);
    uint32_t sleeps = 0, wakes = 0;
    for (int i = 0; i < 10; ++i) {
        world_steps(world, 1);
        sleeps += events_of(world).sleep_count;
        wakes += events_of(world).wake_count;
        assert_true(iso_joint_is_awake(world, joint));
        assert_int_equal(events_of(world).joint_sleep_count + events_of(world).joint_wake_count, 0);
    }
    EXPECT(sleeps > 0 && wakes > 0, "%u sleeps, %u wakes of bodies", sleeps, wakes);
    world_free(world);
}

static void test_joint_events_beyond_the_capacity_are_counted(void **state) {
    (void)state;
    for (uint32_t capacity = 0; capacity <= 4; ++capacity) {
        iso_world *world = sleepy_make(capacity);
        const iso_body_id a = disc_add(world, 0), b = disc_add(world, 2);
        for (uint32_t i = 0; i < 3; ++i) {
            rod_add(world, a, b, i, true);
        }
        world_steps(world, 60);
        assert_false(iso_body_is_awake(world, a));
        const uint32_t bodies = capacity < 2 ? 2 - capacity : 0, joints = capacity < 3 ? 3 - capacity : 0;
        assert_int_equal(world_counts(world).dropped_events, bodies + joints);
        world_free(world);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_joints_sleep_and_wake_with_their_island),
        cmocka_unit_test(test_a_disabled_joint_sleeps_with_the_last_of_its_bodies),
        cmocka_unit_test(test_joints_wake_within_a_step_once_and_not_when_new),
        cmocka_unit_test(test_a_joint_is_awake_by_one_of_its_bodies),
        cmocka_unit_test(test_joint_events_beyond_the_capacity_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
