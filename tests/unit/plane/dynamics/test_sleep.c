/// Sleep: who falls asleep and when, what it costs and keeps, and everything that wakes.
#include "unit/world/physics_util.h"

#include "plane/dynamics/sleep.h"

static iso_world *world_make_sleepy(void) {
    iso_world_def def = world_def_small(-10);
    def.sleep_speed = iso_world_def_default().sleep_speed;
    return world_make(&def);
}

static iso_body_id box_add(iso_world *world, double x, double y) {
    const iso_shape_def box = shape_box(0.5, 0.5);
    return body_add_shape(world, ISO_BODY_DYNAMIC, x, y, 0, &box);
}

static iso_body_id ground_add(iso_world *world) {
    const iso_shape_def ground = shape_box(40, 0.5);
    return body_add_shape(world, ISO_BODY_STATIC, 0, -0.5, 0, &ground);
}

static iso_events events_of(const iso_world *world) {
    iso_events events;
    iso_world_get_events(world, &events);
    return events;
}

static bool list_has(const iso_body_id *list, uint32_t count, iso_body_id body) {
    for (uint32_t i = 0; i < count; ++i) {
        if (iso_body_id_equal(list[i], body)) {
            return true;
        }
    }
    return false;
}

static void expect_awake(const iso_world *world, const iso_body_id *bodies, uint32_t count, bool awake,
                         const char *when) {
    for (uint32_t i = 0; i < count; ++i) {
        EXPECT(iso_body_is_awake(world, bodies[i]) == awake, "%s: body %u is %s", when, bodies[i].index,
               awake ? "asleep" : "awake");
    }
}

// ---- falling asleep ------------------------------------------------------------------------------

static void test_a_quiet_body_sleeps_after_exactly_the_time(void **state) {
    (void)state;
    iso_world_def def = world_def_small(0);
    def.sleep_speed = fix(0.05);
    iso_world *world = world_make(&def);
    const iso_body_id still = box_add(world, 0, 0), slow = box_add(world, 5, 0), fast = box_add(world, 10, 0),
                      turns = box_add(world, 15, 0);
    // 1 mm in 0.5 s
    body_set_velocity(world, slow, 0.00199, 0, 0);
    body_set_velocity(world, fast, 0.00201, 0, 0);
    body_set_velocity(world, turns, 0, 0, 0.00201); // its radius is 1 m: rounded up to a power of two
    world_steps(world, 29);
    assert_true(iso_body_is_awake(world, still) && iso_body_is_awake(world, slow));
    assert_int_equal(events_of(world).sleep_count, 0);
    world_steps(world, 1);
    const iso_events events = events_of(world);
    assert_int_equal(events.sleep_count, 2);
    assert_true(iso_body_id_equal(events.sleeps[0], still) && iso_body_id_equal(events.sleeps[1], slow));
    assert_true(!iso_body_is_awake(world, still) && !iso_body_is_awake(world, slow));
    const pose rests = body_pose(world, slow);
    EXPECT(rests.vx == 0, "what sleeps stands still");
    world_steps(world, 100);
    EXPECT(body_pose(world, slow).x == rests.x, "what sleeps stays where it is");
    assert_true(iso_body_is_awake(world, fast) && iso_body_is_awake(world, turns));
    assert_int_equal(world_counts(world).awake_bodies, 2);
    world_free(world);
}

static void test_an_island_sleeps_as_a_whole_or_not_at_all(void **state) {
    (void)state;
    iso_world *world = world_make_sleepy();
    ground_add(world);
    iso_body_id tower[4], other[2];
    for (int i = 0; i < 4; ++i) {
        tower[i] = box_add(world, 0, 0.5 + i);
    }
    other[0] = box_add(world, 8, 0.5);
    other[1] = box_add(world, 8, 1.5);
    iso_body_params params = iso_body_params_default();
    params.sleep_enabled = false;
    EXPECT_STATUS(iso_body_set_params(world, other[1], &params), ISO_OK);
    world_steps(world, 200);
    expect_awake(world, tower, 4, false, "tower");
    expect_awake(world, other, 2, true, "beside a body that never sleeps");
    params.sleep_enabled = true;
    EXPECT_STATUS(iso_body_set_params(world, other[1], &params), ISO_OK);
    world_steps(world, 60);
    expect_awake(world, other, 2, false, "allowed to");
    world_free(world);
}

/// Contacts and their impulses stand in the state of a world that sleeps, and nothing of it changes any more.
static void test_a_sleeping_world_changes_nothing_but_its_tick(void **state) {
    (void)state;
    iso_world *world = world_make_sleepy();
    ground_add(world);
    for (int i = 0; i < 12; ++i) {
        box_add(world, 3 * (i % 4), 0.5 + i / 4);
    }
    world_steps(world, 200);
    assert_int_equal(world_counts(world).awake_bodies, 0);
    assert_int_equal(world_counts(world).contacts, 12);
    iso_contact_view view;
    assert_true(iso_world_get_contact(world, 0, &view) && view.normal_impulse[0] > 0);
    iso_world_root(world);
    uint64_t hashes[ISO_SECTION_COUNT];
    for (uint32_t s = 0; s < ISO_SECTION_COUNT; ++s) {
        hashes[s] = iso_world_section_hash(world, (iso_section)s);
    }
    world_steps(world, 5);
    for (uint32_t s = ISO_SECTION_BODIES; s <= ISO_SECTION_CONTACTS; ++s) {
        EXPECT(iso_section_record_count(world, (iso_section)s) == 0 || (world->shards[s].dirty[0] & 1) == 0,
               "%s is hashed anew", iso_section_name((iso_section)s));
    }
    iso_world_drop_caches(world);
    world_steps(world, 5);
    for (uint32_t s = 0; s < ISO_SECTION_COUNT; ++s) {
        assert_true(s == ISO_SECTION_GLOBALS || hashes[s] == iso_world_section_hash(world, (iso_section)s));
    }
    world_free(world);
}

// ---- waking --------------------------------------------------------------------------------------

/// Two towers of three, asleep, on one ground; joined tops when wanted.
typedef struct towers {
    iso_world *world;
    iso_body_id ground, left[3], right[3];
    iso_joint_id joint;
} towers;

static towers towers_make(bool joined) {
    towers is = {.world = world_make_sleepy()};
    is.ground = ground_add(is.world);
    for (int i = 0; i < 3; ++i) {
        is.left[i] = box_add(is.world, 0, 0.5 + i);
        is.right[i] = box_add(is.world, 4, 0.5 + i);
    }
    if (joined) {
        iso_joint_def def = iso_joint_def_default();
        def.body_a = is.left[2];
        def.body_b = is.right[2];
        def.anchor_a = (iso_vec2){fix(2), 0};
        def.anchor_b = (iso_vec2){fix(-2), 0};
        EXPECT_STATUS(iso_joint_create(is.world, &def, &is.joint), ISO_OK);
    }
    world_steps(is.world, 240);
    expect_awake(is.world, is.left, 3, false, "before");
    expect_awake(is.world, is.right, 3, false, "before");
    return is;
}

/// Steps once and says which towers are awake now.
static void towers_expect(towers *is, bool left, bool right, const char *cause) {
    bool was_awake[3]; // by a call before the step: the caller knows, so the step does not tell
    for (int i = 0; i < 3; ++i) {
        was_awake[i] = iso_body_is_awake(is->world, is->left[i]);
    }
    world_steps(is->world, 1);
    const iso_events events = events_of(is->world);
    for (int i = 0; i < 3; ++i) {
        EXPECT(iso_body_is_awake(is->world, is->left[i]) == left, "%s: left %d", cause, i);
        EXPECT(iso_body_is_awake(is->world, is->right[i]) == right, "%s: right %d", cause, i);
        EXPECT(list_has(events.wakes, events.wake_count, is->left[i]) == (left && !was_awake[i]),
               "%s: event of left %d", cause, i);
    }
    for (uint32_t i = 1; i < events.wake_count; ++i) {
        assert_true(events.wakes[i - 1].index < events.wakes[i].index);
    }
    world_free(is->world);
}

static void test_calls_wake_the_island_and_no_other(void **state) {
    (void)state;
    towers is = towers_make(false);
    EXPECT_STATUS(iso_body_apply_force_to_centre(is.world, is.left[2], (iso_vec2_wide){1, 0}), ISO_OK);
    towers_expect(&is, true, false, "force");
    is = towers_make(false);
    EXPECT_STATUS(iso_body_apply_impulse(is.world, is.left[0], (iso_vec2_wide){1, 0}, (iso_vec2_wide){0, 0}), ISO_OK);
    towers_expect(&is, true, false, "impulse");
    is = towers_make(false);
    body_set_velocity(is.world, is.left[1], 0.01, 0, 0);
    towers_expect(&is, true, false, "velocity");
    is = towers_make(false);
    EXPECT_STATUS(iso_body_set_mass(is.world, is.left[1], wide(2), 0), ISO_OK);
    towers_expect(&is, true, false, "mass");
    is = towers_make(false);
    EXPECT_STATUS(iso_body_wake(is.world, is.left[1]), ISO_OK);
    towers_expect(&is, true, false, "wake");
    is = towers_make(false);
    EXPECT_STATUS(iso_world_set_gravity(is.world, (iso_vec2){0, fix(-9)}), ISO_OK);
    towers_expect(&is, true, true, "gravity");
    is = towers_make(false);
    EXPECT_STATUS(iso_world_set_gravity(is.world, iso_world_get_gravity(is.world)), ISO_OK);
    towers_expect(&is, false, false, "the same gravity");
}

static void test_joints_wake_what_they_connect(void **state) {
    (void)state;
    towers is = towers_make(true);
    EXPECT_STATUS(iso_body_wake(is.world, is.left[0]), ISO_OK);
    towers_expect(&is, true, true, "over contacts and the joint");
    is = towers_make(true);
    EXPECT_STATUS(iso_joint_destroy(is.world, is.joint), ISO_OK);
    towers_expect(&is, true, true, "a joint ends");
    is = towers_make(false);
    iso_joint_def def = iso_joint_def_default();
    def.body_a = is.left[0];
    def.body_b = is.left[1];
    EXPECT_STATUS(iso_joint_create(is.world, &def, &is.joint), ISO_OK);
    towers_expect(&is, true, false, "a joint begins");
}

/// A wide plate under one tower, asleep with it.
static void test_what_loses_its_support_falls(void **state) {
    (void)state;
    for (int how = 0; how < 5; ++how) {
        iso_world *world = world_make_sleepy();
        const iso_shape_def plate = shape_box(3, 0.25);
        const iso_body_id support =
            body_add_shape(world, how == 4 ? ISO_BODY_KINEMATIC : ISO_BODY_STATIC, 0, 3, 0, &plate);
        const iso_body_id boxes[2] = {box_add(world, 0, 3.75), box_add(world, 0, 4.75)};
        world_steps(world, 120);
        expect_awake(world, boxes, 2, false, "on the plate");
        const double y = body_pose(world, boxes[1]).y;
        const iso_shape_id shape = {support.index, 1};
        switch (how) {
        case 0:
            EXPECT_STATUS(iso_body_destroy(world, support), ISO_OK);
            break;
        case 1:
            EXPECT_STATUS(iso_shape_destroy(world, shape), ISO_OK);
            break;
        case 2:
            EXPECT_STATUS(iso_shape_set_filter(world, shape, (iso_filter){1, 0, 0}), ISO_OK);
            break;
        case 3:
            EXPECT_STATUS(iso_body_set_type(world, support, ISO_BODY_DYNAMIC), ISO_OK);
            break;
        default:
            body_set_velocity(world, support, 0, -3, 0);
            break;
        }
        world_steps(world, 30);
        expect_awake(world, boxes, 2, true, "without support");
        EXPECT(body_pose(world, boxes[1]).y < y - 0.8, "case %d: it hangs in the air", how);
        world_free(world);
    }
}

static void test_a_touch_wakes_in_the_same_tick(void **state) {
    (void)state;
    towers is = towers_make(false);
    const iso_shape_def ball = shape_circle(0.25);
    const iso_body_id bullet = body_add_shape(is.world, ISO_BODY_DYNAMIC, -3, 1.5, 0, &ball);
    body_set_velocity(is.world, bullet, 20, 0, 0);
    for (int tick = 0; tick < 60 && events_of(is.world).wake_count == 0; ++tick) {
        expect_awake(is.world, is.left, 3, false, "not yet hit");
        world_steps(is.world, 1);
        bool touches = false;
        iso_contact_view view;
        for (uint32_t i = 0; iso_world_get_contact(is.world, i, &view); ++i) {
            touches = touches || iso_body_id_equal(view.body_b, bullet);
        }
        assert_int_equal(touches, events_of(is.world).wake_count > 0);
    }
    expect_awake(is.world, is.left, 3, true, "hit");
    expect_awake(is.world, is.right, 3, false, "not hit");
    world_free(is.world);
}

static void test_a_new_shape_wakes_what_it_comes_to_stand_in(void **state) {
    (void)state;
    towers is = towers_make(false);
    const iso_shape_def wedge = shape_box(0.2, 0.2);
    body_add_shape(is.world, ISO_BODY_STATIC, 0.5, 1.0, 0, &wedge);
    towers_expect(&is, true, false, "a static shape within the tower");
}

/// A kinematic body that moves keeps what it carries awake, and lets it sleep once it rests.
static void test_kinematic_motion_keeps_awake(void **state) {
    (void)state;
    iso_world *world = world_make_sleepy();
    const iso_shape_def plate = shape_box(3, 0.25);
    const iso_body_id lift = body_add_shape(world, ISO_BODY_KINEMATIC, 0, 0, 0, &plate);
    const iso_body_id load = box_add(world, 0, 0.75);
    body_set_velocity(world, lift, 0, 0.01, 0);
    world_steps(world, 200);
    assert_true(iso_body_is_awake(world, load));
    body_set_velocity(world, lift, 0, 0, 0);
    world_steps(world, 60);
    assert_true(!iso_body_is_awake(world, load));
    EXPECT_STATUS(iso_body_move_kinematic(world, lift, iso_vec2_to_wide((iso_vec2){0, fix(2.1)}), 0), ISO_OK);
    world_steps(world, 1);
    assert_true(iso_body_is_awake(world, load));
    world_free(world);
}

// ---- state, not history --------------------------------------------------------------------------

typedef struct recorded {
    uint64_t root;
    uint32_t counts[8]; // the last is 0: no padding
    uint64_t events;    // a hash of what they say
} recorded;

static uint64_t events_mix(uint64_t hash, const void *bytes, size_t size) {
    for (size_t i = 0; i < size; ++i) {
        hash = (hash ^ ((const uint8_t *)bytes)[i]) * UINT64_C(1099511628211);
    }
    return hash;
}

static recorded record(iso_world *world) {
    const iso_events e = events_of(world);
    uint64_t hash = UINT64_C(14695981039346656037);
    hash = events_mix(hash, e.contact_begins, e.contact_begin_count * sizeof *e.contact_begins);
    hash = events_mix(hash, e.contact_ends, e.contact_end_count * sizeof *e.contact_ends);
    hash = events_mix(hash, e.sleeps, e.sleep_count * sizeof *e.sleeps);
    hash = events_mix(hash, e.wakes, e.wake_count * sizeof *e.wakes);
    hash = events_mix(hash, e.left_world, e.left_world_count * sizeof *e.left_world);
    hash = events_mix(hash, e.joint_sleeps, e.joint_sleep_count * sizeof *e.joint_sleeps);
    hash = events_mix(hash, e.joint_wakes, e.joint_wake_count * sizeof *e.joint_wakes);
    return (recorded){iso_world_root(world),
                      {e.contact_begin_count, e.contact_end_count, e.sleep_count, e.wake_count, e.left_world_count,
                       e.joint_sleep_count, e.joint_wake_count},
                      hash};
}

/// A world where everything happens: towers that sleep, a hail that wakes them, a plate that comes and goes.
static void drama_act(iso_world *world, uint32_t tick, rng *random) {
    if (tick % 50 == 49) {
        const iso_shape_def ball = shape_circle(0.3);
        const iso_body_id body = body_add_shape(world, ISO_BODY_DYNAMIC, rng_range(random, -6, 18), 7, 0, &ball);
        body_set_velocity(world, body, rng_range(random, -3, 3), -5, 0);
    }
    if (tick % 130 == 129) {
        const iso_body_id body = iso_body_next(world, 1 + rng_below(random, 20));
        EXPECT_STATUS(iso_body_destroy(world, body), ISO_OK);
    }
    if (tick % 170 == 169) {
        const iso_body_id body = iso_body_next(world, 1 + rng_below(random, 20));
        EXPECT_STATUS(iso_body_set_type(world, body, tick % 340 == 169 ? ISO_BODY_STATIC : ISO_BODY_DYNAMIC), ISO_OK);
    }
}

static iso_world *drama_make(void) {
    iso_world *world = world_make_sleepy();
    ground_add(world);
    for (int i = 0; i < 24; ++i) {
        box_add(world, 2.5 * (i % 6), 0.5 + i / 6);
    }
    for (uint32_t i = 0; i < 6; ++i) { // the lowest box of each tower with the one on it
        iso_joint_def def = iso_joint_def_default();
        def.body_a = iso_body_next(world, 1 + i);
        def.body_b = iso_body_next(world, 7 + i);
        def.anchor_a = (iso_vec2){0, ONE / 2};
        def.anchor_b = (iso_vec2){0, -ONE / 2};
        def.tag = 100 + i;
        iso_joint_id joint;
        EXPECT_STATUS(iso_joint_create(world, &def, &joint), ISO_OK);
    }
    return world;
}

/// Dropped caches, restored images, decoded snapshots: neither a root nor an event changes.
static void test_sleep_and_events_depend_on_the_state_alone(void **state) {
    (void)state;
    enum { TICKS = 700 };
    static recorded expected[TICKS];
    uint32_t totals[7] = {0};
    iso_world *world = drama_make();
    rng random = {7};
    for (uint32_t t = 0; t < TICKS; ++t) {
        drama_act(world, t, &random);
        world_steps(world, 1);
        expected[t] = record(world);
        for (int i = 0; i < 7; ++i) {
            totals[i] += expected[t].counts[i];
        }
    }
    print_message("%u begins, %u ends, %u sleeps, %u wakes, of joints %u and %u\n", totals[0], totals[1], totals[2],
                  totals[3], totals[5], totals[6]);
    assert_true(totals[0] > 40 && totals[1] > 20 && totals[2] > 50 && totals[3] > 30 && totals[5] > 10 &&
                totals[6] > 5);
    world_free(world);
    for (int how = 0; how < 4; ++how) {
        world = drama_make();
        random = (rng){7};
        const size_t capacity = iso_world_image_size_max(world);
        uint8_t *image = malloc(capacity);
        for (uint32_t t = 0; t < TICKS; ++t) {
            drama_act(world, t, &random);
            if (how == 0 || (how == 3 && t % 3 == 0)) {
                iso_world_drop_caches(world);
            } else if (how == 1) {
                const size_t size = iso_world_save(world, image, capacity);
                iso_world_step_empty(world);
                if (t % 7 == 0) {
                    world_steps(world, 8);
                }
                EXPECT_STATUS(iso_world_restore(world, image, size), ISO_OK);
            } else if (how == 2) {
                const size_t size = iso_snapshot_size(world);
                uint8_t *bytes = malloc(size);
                assert_int_equal(iso_snapshot_encode(world, bytes, size), size);
                EXPECT_STATUS(iso_snapshot_decode(world, bytes, size), ISO_OK);
                free(bytes);
            }
            world_steps(world, 1);
            const recorded is = record(world);
            EXPECT(is.root == expected[t].root, "way %d: another root at tick %u", how, t);
            // What the calls between two steps have ended is no longer told after a restore or decode.
            if (how == 0 || how == 3 || (t % 130 != 129 && t % 170 != 169)) {
                EXPECT(memcmp(&is, &expected[t], sizeof is) == 0, "way %d: other events at tick %u", how, t);
            }
        }
        free(image);
        world_free(world);
    }
}

// ---- contact events and their capacity -----------------------------------------------------------

static void test_contacts_begin_once_and_end_once(void **state) {
    (void)state;
    iso_world *world = world_make_sleepy();
    const iso_body_id ground = ground_add(world);
    const iso_body_id box = box_add(world, 0, 1);
    uint32_t begins = 0, ends = 0;
    for (int tick = 0; tick < 300; ++tick) {
        world_steps(world, 1);
        begins += events_of(world).contact_begin_count;
        ends += events_of(world).contact_end_count;
    }
    EXPECT(begins == 1 && ends == 0, "%u begins, %u ends of a box that falls and rests", begins, ends);
    body_set_velocity(world, box, 0, 3, 0);
    world_steps(world, 4);
    assert_int_equal(events_of(world).contact_end_count, 0);
    for (int tick = 0; tick < 10; ++tick) {
        ends += events_of(world).contact_end_count;
        if (events_of(world).contact_end_count == 1) {
            assert_true(iso_body_id_equal(events_of(world).contact_ends[0].body_a, ground));
            assert_true(iso_body_id_equal(events_of(world).contact_ends[0].body_b, box));
        }
        world_steps(world, 1);
    }
    world_free(world);
}

static void test_a_destroyed_shape_ends_its_contacts_by_its_own_name(void **state) {
    (void)state;
    iso_world *world = world_make_sleepy();
    ground_add(world);
    const iso_body_id box = box_add(world, 0, 0.5);
    world_steps(world, 20);
    EXPECT_STATUS(iso_body_destroy(world, box), ISO_OK);
    const iso_events events = events_of(world);
    assert_int_equal(events.contact_end_count, 1);
    assert_true(iso_body_id_equal(events.contact_ends[0].body_b, box));
    world_steps(world, 1);
    assert_int_equal(events_of(world).contact_end_count, 0);
    world_free(world);
}

static void test_events_beyond_the_capacity_are_counted(void **state) {
    (void)state;
    for (uint32_t capacity = 0; capacity <= 6; ++capacity) {
        iso_world_def def = world_def_small(-10);
        def.event_capacity = capacity;
        iso_world *world = world_make(&def);
        ground_add(world);
        for (int i = 0; i < 5; ++i) {
            box_add(world, 3 * i, 0.499);
        }
        world_steps(world, 1);
        const iso_events events = events_of(world);
        const uint32_t kept = capacity < 5 ? capacity : 5;
        assert_int_equal(events.contact_begin_count, kept);
        assert_int_equal(world_counts(world).dropped_events, 5 - kept);
        for (uint32_t i = 0; i < kept; ++i) {
            assert_int_equal(events.contact_begins[i].body_b.index, 1 + i); // the lowest keys stay
        }
        world_free(world);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_quiet_body_sleeps_after_exactly_the_time),
        cmocka_unit_test(test_an_island_sleeps_as_a_whole_or_not_at_all),
        cmocka_unit_test(test_a_sleeping_world_changes_nothing_but_its_tick),
        cmocka_unit_test(test_calls_wake_the_island_and_no_other),
        cmocka_unit_test(test_joints_wake_what_they_connect),
        cmocka_unit_test(test_what_loses_its_support_falls),
        cmocka_unit_test(test_a_touch_wakes_in_the_same_tick),
        cmocka_unit_test(test_a_new_shape_wakes_what_it_comes_to_stand_in),
        cmocka_unit_test(test_kinematic_motion_keeps_awake),
        cmocka_unit_test(test_sleep_and_events_depend_on_the_state_alone),
        cmocka_unit_test(test_contacts_begin_once_and_end_once),
        cmocka_unit_test(test_a_destroyed_shape_ends_its_contacts_by_its_own_name),
        cmocka_unit_test(test_events_beyond_the_capacity_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
