/// What a contact does besides pushing: moving surfaces, sensors, one-way shapes, and the functions of a game.
#include "unit/world/physics_util.h"

static iso_body_view view_of(const iso_world *world, iso_body_id body) {
    iso_body_view view;
    EXPECT_STATUS(iso_body_get(world, body, &view), ISO_OK);
    return view;
}

static iso_events events_of(const iso_world *world) {
    iso_events events;
    iso_world_get_events(world, &events);
    return events;
}

static void recode(iso_world *from, iso_world *to) {
    const size_t size = iso_snapshot_size(from);
    uint8_t *bytes = malloc(size);
    assert_int_equal(iso_snapshot_encode(from, bytes, size), size);
    EXPECT_STATUS(iso_snapshot_decode(to, bytes, size), ISO_OK);
    free(bytes);
}

/// A world decoded from a snapshot goes on as the one that it was taken of.
static void expect_goes_on(iso_world *world, uint32_t ticks) {
    iso_world *a = world_make(iso_world_get_def(world)), *b = world_make(iso_world_get_def(world));
    recode(world, a);
    recode(world, b);
    for (uint32_t t = 0; t < ticks; ++t) {
        world_steps(a, 1);
        world_steps(b, 1);
        recode(b, b);
        assert_true(iso_world_root(a) == iso_world_root(b));
    }
    world_free(a);
    world_free(b);
}

// ---- moving surfaces -----------------------------------------------------------------------------

/// A box on a belt, which is the contact's body A or B.
static void test_belt_carries_at_its_speed(void **state) {
    (void)state;
    for (int belt_is_b = 0; belt_is_b < 2; ++belt_is_b) {
        for (int way = -1; way <= 1; way += 2) {
            iso_world *world = world_make_small(-10);
            const iso_shape_def box = shape_box(0.5, 0.5);
            iso_shape_def belt = shape_box(40, 1);
            belt.surface_speed = fix(way * 2);
            iso_body_id body = {0, 0};
            if (belt_is_b) {
                body = body_add_shape(world, ISO_BODY_DYNAMIC, 0, 0.5, 0, &box);
            }
            body_add_shape(world, ISO_BODY_STATIC, 0, -1, 0, &belt);
            if (!belt_is_b) {
                body = body_add_shape(world, ISO_BODY_DYNAMIC, 0, 0.5, 0, &box);
            }
            // mu g = 6 m/s^2, counter-clockwise is to the left on the top.
            world_steps(world, 12);
            EXPECT_NEAR(from_wide(view_of(world, body).velocity.x), -way * 6 * 0.2, 0.02, "while it slips");
            world_steps(world, 60);
            EXPECT_NEAR(from_wide(view_of(world, body).velocity.x), -way * 2, 1e-3, "the belt's speed");
            EXPECT_NEAR(from_wide(view_of(world, body).angular_velocity), 0, 1e-3, "upright");
            iso_contact_view contact;
            assert_true(iso_world_get_contact(world, 0, &contact));
            // The belt is stopped: the setter wakes and brakes.
            const iso_shape_id shape = belt_is_b ? contact.shape_b : contact.shape_a;
            EXPECT_STATUS(iso_shape_set_surface_speed(world, shape, 41 * ONE), ISO_ERR_RANGE);
            EXPECT_STATUS(iso_shape_set_surface_speed(world, shape, 0), ISO_OK);
            world_steps(world, 30);
            EXPECT_NEAR(from_wide(view_of(world, body).velocity.x), 0, 1e-3, "the belt stands");
            world_free(world);
        }
    }
}

/// A box that lies still keeps its manifold, and what was mixed of its surfaces; a change of these counts at once.
static void test_resting_box_feels_another_surface(void **state) {
    (void)state;
    iso_world *world = world_make_small(-10);
    const iso_shape_def box = shape_box(0.5, 0.5), floor = shape_box(40, 1);
    body_add_shape(world, ISO_BODY_STATIC, 0, -1, 0, &floor);
    const iso_body_id body = body_add_shape(world, ISO_BODY_DYNAMIC, 0, 0.5, 0, &box);
    world_steps(world, 20);
    iso_contact_view contact;
    assert_true(iso_world_get_contact(world, 0, &contact));
    assert_true(contact.shape_a.index == 0);
    EXPECT_STATUS(iso_shape_set_surface_speed(world, contact.shape_a, 2 * ONE), ISO_OK);
    world_steps(world, 6);
    EXPECT_NEAR(from_wide(view_of(world, body).velocity.x), -0.6, 0.02, "mu g for a tenth of a second");
    world_free(world);
}

/// Two wheels' surfaces that mesh: each drives the other's against its own.
static void test_speeds_of_both_surfaces_add_up(void **state) {
    (void)state;
    iso_world *world = world_make_small(-10);
    iso_shape_def floor = shape_box(40, 1), box = shape_box(0.5, 0.5);
    floor.surface_speed = fix(-1.5);
    box.surface_speed = fix(-0.5);
    body_add_shape(world, ISO_BODY_STATIC, 0, -1, 0, &floor);
    const iso_body_id body = body_add_shape(world, ISO_BODY_DYNAMIC, 0, 0.5, 0, &box);
    world_steps(world, 90);
    EXPECT_NEAR(from_wide(view_of(world, body).velocity.x), 2, 1e-3, "the sum");
    world_free(world);
}

// ---- sensors -------------------------------------------------------------------------------------

static void test_sensor_notes_and_does_not_push(void **state) {
    (void)state;
    iso_world *worlds[2];
    iso_body_id body = {0, 0};
    uint32_t begins = 0, ends = 0;
    double entered = 0, left = 0;
    for (int has_sensor = 0; has_sensor < 2; ++has_sensor) {
        iso_world *world = worlds[has_sensor] = world_make_small(-10);
        const iso_shape_def ball = shape_circle(0.25);
        iso_shape_def gate = shape_box(2, 0.5);
        gate.is_sensor = true;
        body = body_add_shape(world, ISO_BODY_DYNAMIC, 0, 4, 0, &ball);
        if (has_sensor) {
            body_add_shape(world, ISO_BODY_STATIC, 0, 0, 0, &gate);
        }
        for (int t = 0; t < 90; ++t) {
            world_steps(world, 1);
            const iso_events events = events_of(world);
            entered = events.contact_begin_count > 0 ? from_wide(view_of(world, body).centre.y) : entered;
            left = events.contact_end_count > 0 ? from_wide(view_of(world, body).centre.y) : left;
            begins += events.contact_begin_count;
            ends += events.contact_end_count;
        }
    }
    assert_int_equal(begins, 1);
    assert_int_equal(ends, 1);
    // At 8 to 10 m/s a tick is 0.17 m; a sensor knows of the poses before the step.
    assert_true(entered < 0.75 && entered > 0.75 - 2 * 0.17);
    assert_true(left < -0.75 && left > -0.75 - 2 * 0.19);
    const iso_body_view a = view_of(worlds[0], body), b = view_of(worlds[1], body);
    assert_memory_equal(&a.position, &b.position, sizeof a.position);
    assert_memory_equal(&a.velocity, &b.velocity, sizeof a.velocity);
    world_free(worlds[0]);
    world_free(worlds[1]);
}

static void test_sensor_wakes_nobody(void **state) {
    (void)state;
    iso_world_def def = world_def_small(-10);
    def.sleep_speed = fix(0.05);
    iso_world *world = world_make(&def);
    const iso_shape_def floor = shape_box(20, 1), box = shape_box(0.5, 0.5);
    iso_shape_def beam = shape_box(0.25, 0.25);
    beam.is_sensor = true;
    body_add_shape(world, ISO_BODY_STATIC, 0, -1, 0, &floor);
    const iso_body_id sleeper = body_add_shape(world, ISO_BODY_DYNAMIC, 0, 0.5, 0, &box);
    world_steps(world, 60);
    assert_false(iso_body_is_awake(world, sleeper));
    const iso_body_id scanner = body_add_shape(world, ISO_BODY_KINEMATIC, -2, 0.5, 0, &beam);
    body_set_velocity(world, scanner, 2, 0, 0);
    uint32_t begins = 0, ends = 0;
    for (int t = 0; t < 150; ++t) {
        world_steps(world, 1);
        begins += events_of(world).contact_begin_count;
        ends += events_of(world).contact_end_count;
        assert_false(iso_body_is_awake(world, sleeper));
        if (t == 60) {
            assert_true(begins == 1 && ends == 0);
            expect_goes_on(world, 20);
        }
    }
    assert_int_equal(begins, 1);
    assert_int_equal(ends, 1);
    world_free(world);
}

/// A sleeping body has the sensor; what slides through it has other contacts, too.
static void test_sensor_of_a_sleeping_body_is_passed(void **state) {
    (void)state;
    iso_world_def def = world_def_small(-10);
    def.sleep_speed = fix(0.05);
    iso_world *world = world_make(&def);
    const iso_shape_def floor = shape_box(20, 1), box = shape_box(0.5, 0.5);
    iso_shape_def aura = shape_circle(4), slider = shape_box(0.3, 0.3);
    aura.is_sensor = true;
    aura.density = 0;
    slider.friction = 0;
    body_add_shape(world, ISO_BODY_STATIC, 0, -1, 0, &floor);
    const iso_body_id sleeper = body_add_shape(world, ISO_BODY_DYNAMIC, 0, 0.5, 0, &box);
    iso_shape_id shape;
    EXPECT_STATUS(iso_shape_create(world, sleeper, &aura, &shape), ISO_OK);
    world_steps(world, 200);
    assert_false(iso_body_is_awake(world, sleeper));
    const iso_body_id body = body_add_shape(world, ISO_BODY_DYNAMIC, -9, 0.3, 0, &slider);
    body_set_velocity(world, body, 2, 0, 0);
    uint32_t begins = 0;
    for (int t = 0; t < 220; ++t) {
        world_steps(world, 1);
        begins += events_of(world).contact_begin_count;
        assert_false(iso_body_is_awake(world, sleeper));
    }
    assert_int_equal(begins, 2); // on the floor, in the sensor
    expect_goes_on(world, 30);
    world_free(world);
}

/// A body that turns for ever has a sensor around another one: that one falls asleep, and stays so when others wake.
static void test_sensor_does_not_keep_awake(void **state) {
    (void)state;
    iso_world_def def = world_def_small(-10);
    def.sleep_speed = fix(0.05);
    iso_world *world = world_make(&def);
    const iso_shape_def floor = shape_box(20, 1), box = shape_box(0.5, 0.5);
    iso_shape_def aura = shape_circle(4);
    aura.is_sensor = true;
    aura.density = 0;
    body_add_shape(world, ISO_BODY_STATIC, 0, -1, 0, &floor);
    const iso_body_id sleeper = body_add_shape(world, ISO_BODY_DYNAMIC, 0, 0.5, 0, &box);
    const iso_body_id other = body_add_shape(world, ISO_BODY_DYNAMIC, 15, 0.5, 0, &box);
    const iso_body_id turning = body_add_shape(world, ISO_BODY_DYNAMIC, 0, 3, 0, &box);
    iso_body_params params = iso_body_params_default();
    params.gravity_scale = 0;
    EXPECT_STATUS(iso_body_set_params(world, turning, &params), ISO_OK);
    iso_shape_id shape;
    EXPECT_STATUS(iso_shape_create(world, turning, &aura, &shape), ISO_OK);
    body_set_velocity(world, turning, 0, 0, 3);
    world_steps(world, 120);
    assert_true(iso_body_is_awake(world, turning));
    assert_false(iso_body_is_awake(world, sleeper));
    EXPECT_STATUS(iso_body_wake(world, other), ISO_OK);
    world_steps(world, 1);
    assert_true(iso_body_is_awake(world, other));
    assert_false(iso_body_is_awake(world, sleeper));
    world_free(world);
}

// ---- one-way shapes ------------------------------------------------------------------------------

static iso_shape_def platform(void) {
    iso_shape_def def = shape_box(1, 0.25);
    def.one_way = (iso_vec2){0, ONE};
    return def;
}

static void test_one_way_shape_lets_through_from_below_and_holds_from_above(void **state) {
    (void)state;
    const iso_shape_def shapes[] = {shape_circle(0.25), shape_box(0.25, 0.25), shape_capsule(0, -0.2, 0, 0.2, 0.2)};
    const double half[] = {0.25, 0.25, 0.4};
    for (int order = 0; order < 2; ++order) {
        for (uint32_t s = 0; s < 3; ++s) {
            iso_world *world = world_make_small(-10);
            const iso_shape_def plate = platform();
            iso_body_id body = {0, 0};
            if (order == 0) {
                body_add_shape(world, ISO_BODY_STATIC, 0, 0, 0, &plate);
            }
            body = body_add_shape(world, ISO_BODY_DYNAMIC, 0, -2, 0, &shapes[s]);
            if (order == 1) {
                body_add_shape(world, ISO_BODY_STATIC, 0, 0, 0, &plate);
            }
            body_set_velocity(world, body, 0, 9, 0);
            double top = 0;
            for (int t = 0; t < 180; ++t) {
                world_steps(world, 1);
                const double y = from_wide(view_of(world, body).centre.y);
                top = y > top ? y : top;
                if (t % 9 == 0) {
                    expect_goes_on(world, 3);
                }
            }
            // 9^2 / 20 above the start, as if there were nothing; it has come to rest on the plate.
            EXPECT_NEAR(top, -2 + 81.0 / 20, 0.1, "shape %u, order %d: the top of the flight", s, order);
            EXPECT_NEAR(from_wide(view_of(world, body).centre.y), 0.25 + half[s], 0.01, "shape %u rests", s);
            world_free(world);
        }
    }
}

/// What does not come all the way up falls down again, and is not caught in the middle.
static void test_one_way_shape_keeps_nothing_inside(void **state) {
    (void)state;
    const iso_shape_def box = shape_box(0.25, 0.25);
    for (double speed = 5.6; speed < 7.4; speed += 0.1) {
        iso_world *world = world_make_small(-10);
        const iso_shape_def plate = platform();
        body_add_shape(world, ISO_BODY_STATIC, 0, 0, 0, &plate);
        const iso_body_id body = body_add_shape(world, ISO_BODY_DYNAMIC, 0, -2, 0, &box);
        body_set_velocity(world, body, 0, speed, 0);
        const double top = -2 + speed * speed / 20;
        world_steps(world, 180);
        const double y = from_wide(view_of(world, body).centre.y);
        if (top < 0.45) {
            assert_true(y < -5);
        } else if (top > 0.55) {
            EXPECT_NEAR(y, 0.5, 0.01, "speed %.1f rests", speed);
        }
        world_free(world);
    }
}

/// From plate to plate, and from the side into the middle of one.
static void test_one_way_shapes_in_a_row_carry_and_do_not_block(void **state) {
    (void)state;
    iso_world *world = world_make_small(-10);
    const iso_shape_def plate = platform(), ball = shape_circle(0.25);
    iso_shape_def box = shape_box(0.25, 0.25);
    box.friction = 0;
    for (int i = 0; i < 12; ++i) {
        body_add_shape(world, ISO_BODY_STATIC, 2 * i, 0, 0, &plate);
    }
    const iso_body_id above = body_add_shape(world, ISO_BODY_DYNAMIC, 0, 0.5, 0, &box);
    const iso_body_id within = body_add_shape(world, ISO_BODY_DYNAMIC, -4, 0, 0, &ball);
    iso_body_params params;
    EXPECT_STATUS(iso_body_get_params(world, within, &params), ISO_OK);
    params.gravity_scale = 0;
    EXPECT_STATUS(iso_body_set_params(world, within, &params), ISO_OK);
    body_set_velocity(world, above, 5, 0, 0);
    body_set_velocity(world, within, 5, 0, 0);
    world_steps(world, 180);
    assert_true(from_wide(view_of(world, above).centre.x) > 13);
    EXPECT_NEAR(from_wide(view_of(world, above).centre.y), 0.5, 0.01, "on the plates");
    EXPECT_NEAR(from_wide(view_of(world, within).centre.x), 11, 1e-3, "through the plates");
    world_free(world);
}

/// What is fast enough to be swept passes sensors and open sides, and stops on a solid one.
static void test_fast_bodies_pass_what_does_not_push(void **state) {
    (void)state;
    for (int way = -1; way <= 1; way += 2) {
        iso_world *world = world_make_small(0);
        const iso_shape_def ball = shape_circle(0.1);
        iso_shape_def plate = shape_box(1, 0.02), gate = shape_box(1, 0.02);
        plate.one_way = (iso_vec2){0, ONE};
        gate.is_sensor = true;
        body_add_shape(world, ISO_BODY_STATIC, 0, 0, 0, &plate);
        const iso_body_id gates[] = {body_add_shape(world, ISO_BODY_STATIC, 0, 3, 0, &gate),
                                     body_add_shape(world, ISO_BODY_STATIC, 0, -3, 0, &gate)};
        uint32_t gate_events = 0;
        const iso_body_id body = body_add_shape(world, ISO_BODY_DYNAMIC, 0, -way * 9, 0, &ball);
        body_set_velocity(world, body, 0, way * 300, 0);
        for (int t = 0; t < 12; ++t) {
            world_steps(world, 1);
            for (uint32_t i = 0; i < events_of(world).contact_begin_count; ++i) {
                const uint32_t a = events_of(world).contact_begins[i].body_a.index;
                gate_events += a == gates[0].index || a == gates[1].index;
            }
        }
        const double y = from_wide(view_of(world, body).centre.y);
        assert_int_equal(gate_events, 0); // it was beside a gate at the end of every tick
        if (way > 0) {
            EXPECT_NEAR(y, -9 + 12 * 5, 1e-3, "through the open side");
        } else {
            EXPECT_NEAR(y, 0.12, 0.02, "on the solid side");
        }
        world_free(world);
    }
}

// ---- a game --------------------------------------------------------------------------------------

typedef struct judge_state {
    uint64_t asked, told, impulse_max, touching;
} judge_state;

static const iso_field judge_fields[] = {
    {"asked", "", offsetof(judge_state, asked), 1, ISO_FIELD_U64},
    {"told", "", offsetof(judge_state, told), 1, ISO_FIELD_U64},
    {"impulse_max", "N s Q31.32", offsetof(judge_state, impulse_max), 1, ISO_FIELD_U64},
    {"touching", "", offsetof(judge_state, touching), 1, ISO_FIELD_U64},
};

enum { TAG_GHOST = 1, TAG_ICE = 2, TAG_RUBBER = 3, TAG_RUNNER = 4 };

#define ASKED_MAX 16

static iso_step_contact asked[ASKED_MAX];
static uint32_t asked_in_tick, told_in_tick;

static void judge_before_step(iso_world *world, void *state) {
    (void)world;
    (void)state;
    asked_in_tick = told_in_tick = 0;
}

static void judge_before_contact(const iso_world *world, void *state, const iso_step_contact *contact,
                                 iso_contact_rules *rules) {
    judge_state *judge = state;
    judge->asked += 1;
    assert_true(asked_in_tick < ASKED_MAX);
    if (asked_in_tick > 0) { // in key order
        const iso_step_contact *last = &asked[asked_in_tick - 1];
        assert_true(contact->body_a.index > last->body_a.index ||
                    (contact->body_a.index == last->body_a.index && contact->body_b.index > last->body_b.index));
    }
    asked[asked_in_tick++] = *contact;
    assert_true(contact->manifold.point_count > 0);
    assert_true(rules->is_enabled);
    assert_int_equal(rules->friction, fix(0.6));
    switch (view_of(world, contact->body_b).tag) {
    case TAG_GHOST:
        rules->is_enabled = false;
        break;
    case TAG_ICE:
        rules->friction = 0;
        break;
    case TAG_RUBBER:
        rules->restitution = 100 * ONE;
        break; // clamped to 1
    case TAG_RUNNER:
        rules->surface_speed = fix(-3);
        break;
    default:
        break;
    }
}

static void judge_after_contact(const iso_world *world, void *state, const iso_step_contact *contact) {
    judge_state *judge = state;
    (void)world;
    // The same contacts in the same order, with the bodies where they were.
    const iso_step_contact *before = &asked[told_in_tick++];
    assert_true(told_in_tick <= asked_in_tick);
    assert_true(before->shape_a.index == contact->shape_a.index && before->shape_b.index == contact->shape_b.index);
    assert_true(before->manifold.points[0].point.x == contact->manifold.points[0].point.x &&
                before->manifold.points[0].point.y == contact->manifold.points[0].point.y &&
                before->manifold.points[0].approach_speed == contact->manifold.points[0].approach_speed);
    judge->told += 1;
    judge->touching += contact->manifold.is_touching;
    for (uint32_t p = 0; p < contact->manifold.point_count; ++p) {
        const uint64_t impulse = (uint64_t)contact->normal_impulse_max[p];
        assert_true(contact->normal_impulse_max[p] >= contact->manifold.points[p].normal_impulse);
        judge->impulse_max = impulse > judge->impulse_max ? impulse : judge->impulse_max;
    }
}

static iso_game judge_game(void) {
    return (iso_game){
        .name = "judge",
        .version = 1,
        .state_size = sizeof(judge_state),
        .fields = judge_fields,
        .field_count = 4,
        .before_step = judge_before_step,
        .before_contact = judge_before_contact,
        .after_contact = judge_after_contact,
    };
}

static iso_world *judge_world(const iso_game *game, bool sleeps) {
    iso_world_def def = world_def_small(-10);
    strcpy(def.game, "judge");
    def.sleep_speed = sleeps ? fix(0.05) : 0;
    const size_t size = iso_world_size(&def, game);
    void *memory = aligned_alloc(64, size);
    iso_world *world = NULL;
    EXPECT_STATUS(iso_world_create(&def, game, memory, size, &world), ISO_OK);
    iso_world_start(world);
    return world;
}

static judge_state judge_of(const iso_world *world) {
    judge_state state;
    memcpy(&state, iso_world_get_game_state(world), sizeof state);
    return state;
}

static iso_body_id add_tagged(iso_world *world, double x, double y, uint32_t tag) {
    const iso_shape_def box = shape_box(0.5, 0.5);
    const iso_body_id body = body_add_shape(world, ISO_BODY_DYNAMIC, x, y, 0, &box);
    EXPECT_STATUS(iso_body_set_tag(world, body, tag), ISO_OK);
    return body;
}

static void test_game_decides_about_contacts(void **state) {
    (void)state;
    const iso_game game = judge_game();
    iso_world *world = judge_world(&game, false);
    const iso_shape_def floor = shape_box(50, 1);
    body_add_shape(world, ISO_BODY_STATIC, 0, -1, 0, &floor);
    const iso_body_id plain = add_tagged(world, -20, 0.5, 0);
    const iso_body_id ghost = add_tagged(world, -10, 3, TAG_GHOST);
    const iso_body_id ice = add_tagged(world, 0, 0.5, TAG_ICE);
    const iso_body_id rubber = add_tagged(world, 10, 2.5, TAG_RUBBER);
    const iso_body_id runner = add_tagged(world, 20, 0.5, TAG_RUNNER);
    body_set_velocity(world, plain, 3, 0, 0);
    body_set_velocity(world, ice, 3, 0, 0);
    uint32_t begins = 0, ends = 0;
    double top = 0;
    bool has_hit = false;
    for (int t = 0; t < 90; ++t) {
        const judge_state before = judge_of(world);
        world_steps(world, 1);
        const judge_state now = judge_of(world);
        assert_true(now.asked - before.asked == now.told - before.told); // of the same contacts
        for (uint32_t i = 0; i < events_of(world).contact_begin_count; ++i) {
            begins += events_of(world).contact_begins[i].body_b.index == ghost.index;
        }
        for (uint32_t i = 0; i < events_of(world).contact_end_count; ++i) {
            ends += events_of(world).contact_ends[i].body_b.index == ghost.index;
        }
        const iso_body_view bouncing = view_of(world, rubber);
        has_hit = has_hit || bouncing.velocity.y > 0;
        top = has_hit && from_wide(bouncing.centre.y) > top ? from_wide(bouncing.centre.y) : top;
    }
    EXPECT_NEAR(from_wide(view_of(world, plain).velocity.x), 0, 1e-3, "friction as ever");
    EXPECT_NEAR(from_wide(view_of(world, ice).velocity.x), 3, 1e-3, "no friction");
    EXPECT_NEAR(from_wide(view_of(world, runner).velocity.x), 3, 1e-2, "carried");
    assert_true(top > 1.8 && top < 3);                           // it bounces
    assert_true(from_wide(view_of(world, ghost).centre.y) < -5); // through the floor
    assert_int_equal(begins, 1);
    assert_int_equal(ends, 1);
    world_free(world);
}

/// What the game lets pass is not stopped for being fast: not at all where the step has a contact, which the game is
/// asked about; else it is put back to where it met, for the rest of that tick alone, and keeps its velocity.
static void test_fast_bodies_pass_what_the_game_disables(void **state) {
    (void)state;
    const iso_game game = judge_game();
    const double speed = 480, way = speed / 60;
    for (int is_near = 0; is_near < 2; ++is_near) {
        for (int is_bullet = 0; is_bullet < 2; ++is_bullet) {
            iso_world *world = judge_world(&game, false);
            const iso_shape_def plate = shape_box(3, 0.05);
            iso_body_params params = iso_body_params_default();
            params.gravity_scale = 0;
            body_add_shape(world, ISO_BODY_STATIC, 0, 0, 0, &plate);
            const iso_body_id ghost = add_tagged(world, 0, is_near ? 0.56 : 3.05, TAG_GHOST);
            params.bullet = is_bullet;
            EXPECT_STATUS(iso_body_set_params(world, ghost, &params), ISO_OK);
            body_set_velocity(world, ghost, 0, -speed, 0);
            const double from = from_wide(view_of(world, ghost).centre.y);
            world_steps(world, 1);
            EXPECT_NEAR(from_wide(view_of(world, ghost).centre.y), is_near ? from - way : 0.55, 0.01, "near %d: a tick",
                        is_near);
            assert_int_equal(judge_of(world).asked, is_near);
            world_steps(world, 2);
            EXPECT_NEAR(from_wide(view_of(world, ghost).centre.y), (is_near ? from - way : 0.55) - 2 * way, 0.01,
                        "near %d: two more", is_near);
            assert_int_equal(judge_of(world).asked, 1);
            EXPECT_NEAR(from_wide(view_of(world, ghost).velocity.y), -speed, 0, "near %d: its speed", is_near);
            world_free(world);
        }
    }
}

/// A hit of m v, seen as the largest impulse although the box has bounced away by the end of the tick.
static void test_game_is_told_impulses(void **state) {
    (void)state;
    const iso_game game = judge_game();
    iso_world *world = judge_world(&game, false);
    const iso_shape_def floor = shape_box(50, 1);
    body_add_shape(world, ISO_BODY_STATIC, 0, -1, 0, &floor);
    const iso_body_id box = add_tagged(world, 0, 0.5, 0);
    world_steps(world, 60);
    const judge_state resting = judge_of(world);
    assert_true(resting.touching >= 58);
    // 1 kg: 10 N over a substep of 1/240 s, on two points.
    EXPECT_NEAR(from_wide((iso_wide)resting.impulse_max), 10.0 / 240 / 2, 2e-3, "at rest");
    EXPECT_STATUS(iso_body_set_position(world, box, (iso_vec2_wide){0, wide(1.1)}, 0), ISO_OK);
    body_set_velocity(world, box, 0, -8, 0);
    world_steps(world, 10);
    assert_true(from_wide((iso_wide)judge_of(world).impulse_max) > 2);
    world_free(world);
}

/// A ball that bounces off a crate on the floor gets its impulse after the substeps; the largest one contains it.
static void test_game_is_told_the_impulse_of_a_bounce(void **state) {
    (void)state;
    const iso_game game = judge_game();
    iso_world *world = judge_world(&game, false);
    const iso_shape_def floor = shape_box(50, 1);
    iso_shape_def ball = shape_circle(0.25);
    ball.restitution = ONE;
    body_add_shape(world, ISO_BODY_STATIC, 0, -1, 0, &floor);
    add_tagged(world, 0, 0.5, 0);
    world_steps(world, 60);
    const iso_body_id body = body_add_shape(world, ISO_BODY_DYNAMIC, 0, 3, 0, &ball);
    const double mass = from_wide(view_of(world, body).mass);
    const judge_state before = judge_of(world);
    world_steps(world, 40); // judge_after_contact compares each impulse with the largest one
    EXPECT_NEAR(from_wide((iso_wide)before.impulse_max), 10.0 / 240 / 2, 2e-3, "at rest");
    const double speed = sqrt(2 * 10 * (3 - 1.25));
    EXPECT(from_wide((iso_wide)judge_of(world).impulse_max) > 0.9 * mass * speed, "the ball has bounced");
    world_free(world);
}

/// At 1.1 m/s a ball needs a tick for the way within which contacts are found, so that it hits the crate in any of the
/// tick's substeps. In the last one it is stopped with m v and then thrown back with as much, both by the same point.
static void test_game_is_told_the_impulse_of_a_bounce_in_the_last_substep(void **state) {
    (void)state;
    double most = 0;
    for (int i = 0; i < 16; ++i) {
        const iso_game game = judge_game();
        iso_world *world = judge_world(&game, false);
        const iso_shape_def floor = shape_box(50, 1);
        iso_shape_def ball = shape_circle(0.25);
        ball.restitution = ONE;
        body_add_shape(world, ISO_BODY_STATIC, 0, -1, 0, &floor);
        add_tagged(world, 0, 0.5, 0);
        world_steps(world, 60);
        const iso_body_id body = body_add_shape(world, ISO_BODY_DYNAMIC, 0, 1.25 + i * 0.02 / 16, 0, &ball);
        body_set_velocity(world, body, 0, -1.1, 0);
        world_steps(world, 1); // judge_after_contact compares each impulse with the largest one
        const double impulse = from_wide((iso_wide)judge_of(world).impulse_max);
        const double share = impulse / (from_wide(view_of(world, body).mass) * 1.1);
        EXPECT(share > 0.85, "hit number %d: %.2f m v", i, share);
        most = share > most ? share : most;
        world_free(world);
    }
    print_message("at most %.2f m v\n", most);
    EXPECT(most > 1.7, "both impulses");
}

static void test_sleeping_contacts_are_not_asked_about(void **state) {
    (void)state;
    const iso_game game = judge_game();
    iso_world *world = judge_world(&game, true);
    const iso_shape_def floor = shape_box(50, 1);
    body_add_shape(world, ISO_BODY_STATIC, 0, -1, 0, &floor);
    const iso_body_id box = add_tagged(world, 0, 0.5, 0);
    world_steps(world, 90);
    assert_false(iso_body_is_awake(world, box));
    const judge_state asleep = judge_of(world);
    world_steps(world, 10);
    assert_true(judge_of(world).asked == asleep.asked && judge_of(world).told == asleep.told);
    world_free(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_belt_carries_at_its_speed),
        cmocka_unit_test(test_resting_box_feels_another_surface),
        cmocka_unit_test(test_speeds_of_both_surfaces_add_up),
        cmocka_unit_test(test_sensor_notes_and_does_not_push),
        cmocka_unit_test(test_sensor_wakes_nobody),
        cmocka_unit_test(test_sensor_of_a_sleeping_body_is_passed),
        cmocka_unit_test(test_sensor_does_not_keep_awake),
        cmocka_unit_test(test_one_way_shape_lets_through_from_below_and_holds_from_above),
        cmocka_unit_test(test_one_way_shape_keeps_nothing_inside),
        cmocka_unit_test(test_one_way_shapes_in_a_row_carry_and_do_not_block),
        cmocka_unit_test(test_fast_bodies_pass_what_does_not_push),
        cmocka_unit_test(test_game_decides_about_contacts),
        cmocka_unit_test(test_fast_bodies_pass_what_the_game_disables),
        cmocka_unit_test(test_game_is_told_impulses),
        cmocka_unit_test(test_game_is_told_the_impulse_of_a_bounce),
        cmocka_unit_test(test_game_is_told_the_impulse_of_a_bounce_in_the_last_substep),
        cmocka_unit_test(test_sleeping_contacts_are_not_asked_about),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
