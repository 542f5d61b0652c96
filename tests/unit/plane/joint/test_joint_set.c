/// iso_joint_set and its command: everything about a live joint is replaced but its kind, bodies and owner.
#include "joint_util.h"

#include "plane/world/plane.h"

typedef struct four {
    iso_world *world;
    iso_body_id bodies[4];
} four;

static four four_make(void) {
    four is = {.world = world_make_small(0)};
    iso_shape_def disc = shape_circle(0.5);
    disc.filter.mask = 0;
    for (int i = 0; i < 4; ++i) {
        is.bodies[i] = body_add_shape(is.world, ISO_BODY_DYNAMIC, 3 * i, 0, 0, &disc);
    }
    return is;
}

/// A definition of a kind in which every number that may be set is another for another `n`.
static iso_joint_def def_of(const four *is, uint8_t kind, int32_t n) {
    const uint32_t has = iso_joint_kind_has(kind);
    iso_joint_def def = joint_def(
        (iso_joint_kind)kind, (has & ISO_JOINT_HAS_BODY_A) != 0 ? is->bodies[0] : (iso_body_id){0, 0}, is->bodies[1]);
    if ((has & ISO_JOINT_HAS_BODIES_CD) != 0) {
        def.body_c = is->bodies[2];
        def.body_d = is->bodies[3];
    }
#define SET_FIX16(name)                   def.name = (++n) * 1024
#define SET_WIDE(name)                    def.name = (++n) * ISO_WIDE_ONE
#define SET_NUMBER(type, name, low, high) SET_##type(name);
    ISO_JOINT_NUMBER_LIST(SET_NUMBER)
#undef SET_NUMBER
    iso_vec2 *const points[] = {&def.anchor_a, &def.anchor_b, &def.anchor_c, &def.anchor_d, &def.axis};
    for (size_t i = 0; i < sizeof points / sizeof *points; ++i) {
        points[i]->x = ++n * 1024;
        points[i]->y = ++n * 1024;
    }
    def.target.x = ++n;
    def.target.y = ++n * ISO_WIDE_ONE + 1;
    def.collide_connected = (has & ISO_JOINT_IS_PASSIVE) == 0 && n % 2 != 0;
    def.limit_enabled = (has & ISO_JOINT_HAS_LIMIT) != 0 && n % 2 == 0;
    def.motor_enabled = (has & ISO_JOINT_HAS_MOTOR) != 0 && n % 2 != 0;
    def.spring_enabled = (has & ISO_JOINT_HAS_SPRING) != 0 && n % 2 == 0;
    def.remove_on_break = n % 2 != 0;
    def.enabled = n % 2 == 0;
    def.owner.slot = 3;
    return def;
}

static void expect_same(const iso_joint_def *is, const iso_joint_def *should, const char *kind) {
#define SAME(field)                        EXPECT(memcmp(&is->field, &should->field, sizeof is->field) == 0, "%s: " #field " differs", kind)
#define SAME_NUMBER(type, name, low, high) SAME(name);
    ISO_JOINT_NUMBER_LIST(SAME_NUMBER)
#undef SAME_NUMBER
#define SAME_SWITCH(name, bit) SAME(name);
    ISO_JOINT_SWITCH_LIST(SAME_SWITCH)
#undef SAME_SWITCH
    SAME(kind);
    SAME(body_a);
    SAME(body_b);
    SAME(body_c);
    SAME(body_d);
    SAME(anchor_a);
    SAME(anchor_b);
    SAME(anchor_c);
    SAME(anchor_d);
    SAME(axis);
    SAME(target);
    SAME(owner);
#undef SAME
}

static void expect_replaced(uint8_t kind, const char *name) {
    const four is = four_make();
    const iso_joint_def first = def_of(&is, kind, 0);
    iso_joint_def second = def_of(&is, kind, 101), now;
    const iso_joint_id joint = joint_add(is.world, &first);
    second.owner.slot = 5;
    EXPECT_STATUS(iso_joint_set(is.world, joint, &second), ISO_OK);
    EXPECT_STATUS(iso_joint_get(is.world, joint, &now), ISO_OK);
    second.owner = first.owner;
    expect_same(&now, &second, name);
    // Null bodies stand for the joint's own.
    iso_joint_def nameless = first;
    nameless.body_a = nameless.body_b = nameless.body_c = nameless.body_d = (iso_body_id){0, 0};
    EXPECT_STATUS(iso_joint_set(is.world, joint, &nameless), ISO_OK);
    EXPECT_STATUS(iso_joint_get(is.world, joint, &now), ISO_OK);
    expect_same(&now, &first, name);
    world_steps(is.world, 10);
    world_free(is.world);
}

static void test_set_replaces_everything_of_every_kind(void **state) {
    (void)state;
#define EXPECT_KIND(name, number, snake, has)                         \
    if (((has)&ISO_JOINT_IS_CUSTOM) == 0) { /* test_custom_joint.c */ \
        expect_replaced(number, #snake);                              \
    }
    ISO_JOINT_KIND_LIST(EXPECT_KIND)
#undef EXPECT_KIND
}

static void test_set_refuses_what_it_must_not_change(void **state) {
    (void)state;
    const four is = four_make();
    const iso_joint_def own = def_of(&is, ISO_JOINT_PULLEY, 0);
    const iso_joint_id joint = joint_add(is.world, &own);
    world_steps(is.world, 1);
    const uint64_t root = iso_world_root(is.world);
    iso_joint_def other = own;
    other.kind = ISO_JOINT_DISTANCE;
    EXPECT_STATUS(iso_joint_set(is.world, joint, &other), ISO_ERR_WRONG_TYPE);
    other.kind = 0;
    EXPECT_STATUS(iso_joint_set(is.world, joint, &other), ISO_ERR_WRONG_TYPE);
    iso_body_id *const bodies[] = {&other.body_a, &other.body_b, &other.body_c, &other.body_d};
    for (int i = 0; i < 4; ++i) {
        other = own;
        *bodies[i] = is.bodies[(i + 1) % 4];
        EXPECT_STATUS(iso_joint_set(is.world, joint, &other), ISO_ERR_WRONG_TYPE);
        *bodies[i] = is.bodies[i];
        bodies[i]->generation += 1;
        EXPECT_STATUS(iso_joint_set(is.world, joint, &other), ISO_ERR_WRONG_TYPE);
    }
    other = own;
    other.lower = other.upper + 1;
    EXPECT_STATUS(iso_joint_set(is.world, joint, &other), ISO_ERR_RANGE);
    other = own;
    other.ratio = 0;
    EXPECT_STATUS(iso_joint_set(is.world, joint, &other), ISO_ERR_RANGE);
    EXPECT_STATUS(iso_joint_set(is.world, (iso_joint_id){joint.index, joint.generation + 1}, &own), ISO_ERR_STALE);
    assert_true(iso_world_root(is.world) == root);
    world_free(is.world);
}

/// On other bodies a joint is as one that is destroyed and made anew there, but for its handle.
static void expect_moved(uint8_t kind, const char *name) {
    const four is = four_make(), anew = four_make();
    const uint32_t has = iso_joint_kind_has(kind);
    iso_joint_def def = def_of(&is, kind, 1), now;
    def.enabled = true;
    def.break_force = def.break_torque = def.break_error = def.break_angle = 0;
    iso_joint_id joint = joint_add(is.world, &def), other = joint_add(anew.world, &def);
    world_steps(is.world, 10);
    world_steps(anew.world, 10);
    const iso_body_id none = {0, 0};
    const bool has_cd = (has & ISO_JOINT_HAS_BODIES_CD) != 0;
    const iso_body_id bodies[] = {(has & ISO_JOINT_HAS_BODY_A) != 0 ? is.bodies[3] : none, is.bodies[2],
                                  has_cd ? is.bodies[1] : none, has_cd ? is.bodies[0] : none};
    EXPECT_STATUS(iso_joint_set_bodies(is.world, joint, bodies), ISO_OK);
    EXPECT_STATUS(iso_joint_get(is.world, joint, &now), ISO_OK);
    def.body_a = bodies[0];
    def.body_b = bodies[1];
    def.body_c = bodies[2];
    def.body_d = bodies[3];
    expect_same(&now, &def, name);
    const uint64_t root = iso_world_root(is.world);
    iso_world_drop_caches(is.world);
    EXPECT(iso_world_root(is.world) == root, "%s: a root that is remembered", name);
    EXPECT_STATUS(iso_joint_destroy(anew.world, other), ISO_OK);
    other = joint_add(anew.world, &def);
    for (int i = 0; i < 20; ++i) {
        const size_t size = is.world->globals->body_count * sizeof *iso__plane_of(is.world)->bodies;
        EXPECT(memcmp(iso__plane_of(is.world)->bodies, iso__plane_of(anew.world)->bodies, size) == 0,
               "%s: differs after %d ticks", name, i);
        EXPECT(memcmp(iso__plane_of(is.world)->joints, iso__plane_of(anew.world)->joints,
                      sizeof *iso__plane_of(is.world)->joints) == 0,
               "%s: record", name);
        world_steps(is.world, 1);
        world_steps(anew.world, 1);
    }
    world_free(is.world);
    world_free(anew.world);
}

static void test_bodies_are_changed_of_every_kind(void **state) {
    (void)state;
#define EXPECT_KIND(name, number, snake, has)                        \
    if (((has)&ISO_JOINT_IS_CUSTOM) == 0) { /* test_custom_rows.c */ \
        expect_moved(number, #snake);                                \
    }
    ISO_JOINT_KIND_LIST(EXPECT_KIND)
#undef EXPECT_KIND
}

static void test_bodies_that_a_joint_may_not_have_are_refused(void **state) {
    (void)state;
    const four is = four_make();
    const iso_joint_def def = def_of(&is, ISO_JOINT_PULLEY, 0);
    const iso_joint_id joint = joint_add(is.world, &def);
    world_steps(is.world, 1);
    const uint64_t root = iso_world_root(is.world);
    const iso_body_id stale = {is.bodies[1].index, is.bodies[1].generation + 1};
    const iso_body_id one[] = {is.bodies[0], is.bodies[0], is.bodies[2], is.bodies[3]};
    const iso_body_id twice[] = {is.bodies[0], is.bodies[1], is.bodies[2], is.bodies[2]};
    const iso_body_id gone[] = {is.bodies[0], stale, is.bodies[2], is.bodies[3]};
    EXPECT_STATUS(iso_joint_set_bodies(is.world, joint, one), ISO_ERR_WRONG_TYPE);
    EXPECT_STATUS(iso_joint_set_bodies(is.world, joint, twice), ISO_ERR_WRONG_TYPE);
    EXPECT_STATUS(iso_joint_set_bodies(is.world, joint, gone), ISO_ERR_STALE);
    EXPECT_STATUS(iso_joint_set_bodies(is.world, (iso_joint_id){joint.index, joint.generation + 1}, is.bodies),
                  ISO_ERR_STALE);
    assert_true(iso_world_root(is.world) == root);
    world_free(is.world);
}

/// A motor that is taken away pushes no more, and the snapshot of such a joint is taken back.
static void test_set_drops_the_impulses_of_what_goes_off(void **state) {
    (void)state;
    wheel is = wheel_make(0.5, -GRAVITY);
    iso_joint_def def = joint_def(ISO_JOINT_REVOLUTE, is.fixed, is.disc);
    def.motor_enabled = true;
    def.motor_speed = fix(100);
    def.motor_max = wide(2);
    const iso_joint_id joint = joint_add(is.world, &def);
    iso_wide torque;
    world_steps(is.world, 5);
    EXPECT_STATUS(iso_joint_get_torque(is.world, joint, &torque), ISO_OK);
    EXPECT_NEAR(from_wide(torque), 2, 0.01, "torque of the motor");
    def.motor_enabled = false;
    EXPECT_STATUS(iso_joint_set(is.world, joint, &def), ISO_OK);
    EXPECT_STATUS(iso_joint_get_torque(is.world, joint, &torque), ISO_OK);
    assert_true(torque == 0);
    iso_vec2_wide force;
    EXPECT_STATUS(iso_joint_get_force(is.world, joint, &force), ISO_OK);
    EXPECT(from_wide(force.y) > 1, "what still holds has lost its impulse");
    world_free(is.world);
}

/// A ratchet whose way is turned round holds from where it is.
static void test_set_latches_a_ratchet_anew(void **state) {
    (void)state;
    wheel is = wheel_make(0.5, 0);
    iso_joint_def def = joint_def(ISO_JOINT_RATCHET, is.fixed, is.disc);
    def.ratchet = fix(0.5);
    const iso_joint_id joint = joint_add(is.world, &def);
    body_set_velocity(is.world, is.disc, 0, 0, 2);
    world_steps(is.world, 60);
    const double turned = body_pose(is.world, is.disc).angle;
    EXPECT_NEAR(turned, 2, 0.05, "the angle after a second");
    def.ratchet = fix(-0.5);
    EXPECT_STATUS(iso_joint_set(is.world, joint, &def), ISO_OK);
    body_set_velocity(is.world, is.disc, 0, 0, -2);
    world_steps(is.world, 60);
    EXPECT_NEAR(body_pose(is.world, is.disc).angle, turned - 2, 0.1, "it turns back");
    body_set_velocity(is.world, is.disc, 0, 0, 2);
    world_steps(is.world, 60);
    EXPECT(body_pose(is.world, is.disc).angle < turned - 1.4, "and not on any more: %g",
           body_pose(is.world, is.disc).angle);
    world_free(is.world);
}

/// One whose steps are laid elsewhere, too: it holds at the step that it has passed of the new ones.
static void test_set_latches_a_ratchet_at_its_new_rest(void **state) {
    (void)state;
    wheel is = wheel_make(0.5, 0);
    iso_joint_def def = joint_def(ISO_JOINT_RATCHET, is.fixed, is.disc);
    def.ratchet = ONE;
    const iso_joint_id joint = joint_add(is.world, &def);
    body_set_velocity(is.world, is.disc, 0, 0, 1.2);
    world_steps(is.world, 60);
    def.rest = -ONE / 2; // steps at 0.5, 1.5 in the place of 0, 1, 2
    EXPECT_STATUS(iso_joint_set(is.world, joint, &def), ISO_OK);
    body_set_velocity(is.world, is.disc, 0, 0, -1);
    world_steps(is.world, 120);
    EXPECT_NEAR(body_pose(is.world, is.disc).angle, 0.5, 0.01, "where it holds");
    world_free(is.world);
}

/// A tag is for the game: it is kept and read, changes with the definition or alone, and wakes nobody.
static void test_tags_are_kept_and_wake_nobody(void **state) {
    (void)state;
    iso_world_def world_def = world_def_small(0);
    world_def.sleep_speed = iso_world_def_default().sleep_speed;
    iso_world *world = world_make(&world_def);
    iso_shape_def ball = shape_circle(0.5), shape;
    ball.tag = 7;
    const iso_body_id a = body_add_shape(world, ISO_BODY_DYNAMIC, 0, 0, 0, &ball);
    const iso_body_id b = body_add_shape(world, ISO_BODY_DYNAMIC, 3, 0, 0, &ball);
    iso_joint_def def = joint_def(ISO_JOINT_ANGLE, a, b);
    def.tag = 8;
    const iso_joint_id joint = joint_add(world, &def);
    const iso_shape_id of_a = iso_body_next_shape(world, a, 0);
    world_steps(world, 120);
    assert_false(iso_body_is_awake(world, a));
    iso_body_id body;
    EXPECT_STATUS(iso_shape_get(world, of_a, &shape, &body), ISO_OK);
    EXPECT_STATUS(iso_joint_get(world, joint, &def), ISO_OK);
    assert_true(shape.tag == 7 && def.tag == 8);
    EXPECT_STATUS(iso_shape_set_tag(world, of_a, UINT32_MAX), ISO_OK);
    EXPECT_STATUS(iso_joint_set_tag(world, joint, UINT32_MAX - 1), ISO_OK);
    world_steps(world, 1);
    assert_false(iso_body_is_awake(world, a) || iso_body_is_awake(world, b));
    EXPECT_STATUS(iso_shape_get(world, of_a, &shape, &body), ISO_OK);
    EXPECT_STATUS(iso_joint_get(world, joint, &def), ISO_OK);
    assert_true(shape.tag == UINT32_MAX && def.tag == UINT32_MAX - 1);
    def.tag = 9;
    EXPECT_STATUS(iso_joint_set(world, joint, &def), ISO_OK);
    EXPECT_STATUS(iso_joint_enable(world, joint, false), ISO_OK);
    EXPECT_STATUS(iso_joint_get(world, joint, &def), ISO_OK);
    assert_true(def.tag == 9);
    EXPECT_STATUS(iso_joint_destroy(world, joint), ISO_OK);
    EXPECT_STATUS(iso_shape_destroy(world, of_a), ISO_OK);
    EXPECT_STATUS(iso_joint_set_tag(world, joint, 1), ISO_ERR_STALE);
    EXPECT_STATUS(iso_shape_set_tag(world, of_a, 1), ISO_ERR_STALE);
    world_free(world);
}

/// Whether joined bodies collide takes effect, also when they sleep.
static void test_set_lets_joined_bodies_collide(void **state) {
    (void)state;
    iso_world *world = world_make_small(0);
    const iso_shape_def box = shape_box(0.5, 0.5);
    const iso_body_id a = body_add_shape(world, ISO_BODY_DYNAMIC, 0, 0, 0, &box);
    const iso_body_id b = body_add_shape(world, ISO_BODY_DYNAMIC, 0.9, 0, 0, &box);
    iso_joint_def def = joint_def(ISO_JOINT_ANGLE, a, b);
    const iso_joint_id joint = joint_add(world, &def);
    world_steps(world, 120);
    assert_int_equal(world_counts(world).contacts, 0);
    def.collide_connected = true;
    EXPECT_STATUS(iso_joint_set(world, joint, &def), ISO_OK);
    world_steps(world, 1);
    assert_int_equal(world_counts(world).contacts, 1);
    def.collide_connected = false;
    EXPECT_STATUS(iso_joint_set(world, joint, &def), ISO_OK);
    world_steps(world, 1);
    assert_int_equal(world_counts(world).contacts, 0);
    world_free(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tags_are_kept_and_wake_nobody),
        cmocka_unit_test(test_set_replaces_everything_of_every_kind),
        cmocka_unit_test(test_set_refuses_what_it_must_not_change),
        cmocka_unit_test(test_bodies_are_changed_of_every_kind),
        cmocka_unit_test(test_bodies_that_a_joint_may_not_have_are_refused),
        cmocka_unit_test(test_set_drops_the_impulses_of_what_goes_off),
        cmocka_unit_test(test_set_latches_a_ratchet_anew),
        cmocka_unit_test(test_set_latches_a_ratchet_at_its_new_rest),
        cmocka_unit_test(test_set_lets_joined_bodies_collide),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
