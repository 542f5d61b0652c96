/// The definitions of single kinds: which fields they have, where these arrive, and what is measured between bodies.
#include "isostep/games.h"
#include "isostep/joint_def.h"
#include "joint_util.h"
#include "unit/state/test_state_util.h"

/// When a kind reads a field, by the bits of ISO_JOINT_KIND_LIST. X(field, condition)
#define HAS(bit)        ((has & (ISO_JOINT_##bit)) != 0)
#define HOLDS           ((HAS(HAS_POINT) || HAS(HAS_AXIS) || HAS(HAS_LENGTH) || HAS(IS_HELD) || HAS(IS_CUSTOM)) && !HAS(IS_BRAKE))
#define MEASURES_LENGTH (HAS(IS_CUSTOM) || ((HAS(HAS_POINT) || HAS(HAS_AXIS) || HAS(HAS_LENGTH)) && !HAS(IS_BRAKE)))
#define MEASURES_ANGLE  (HAS(IS_CUSTOM) || ((HAS(IS_ANGULAR) || HAS(HAS_REFERENCE)) && !HAS(IS_BRAKE)))
#define FIELD_LIST(X)                                                                                   \
    X(body_a, HAS(HAS_BODY_A))                                                                          \
    X(body_b, true)                                                                                     \
    X(body_c, HAS(HAS_BODIES_CD) || HAS(IS_CUSTOM))                                                     \
    X(body_d, HAS(HAS_BODIES_CD) || HAS(IS_CUSTOM))                                                     \
    X(anchor_a, HAS(HAS_ANCHORS))                                                                       \
    X(anchor_b, HAS(HAS_ANCHORS) || HAS(HAS_TARGET))                                                    \
    X(anchor_c, HAS(HAS_BODIES_CD))                                                                     \
    X(anchor_d, HAS(HAS_BODIES_CD))                                                                     \
    X(target, HAS(HAS_TARGET))                                                                          \
    X(axis, HAS(HAS_AXIS))                                                                              \
    X(hertz, HOLDS)                                                                                     \
    X(damping_ratio, HOLDS)                                                                             \
    X(force_max, HAS(HAS_ANCHORS) || HAS(HAS_TARGET) || HAS(IS_CUSTOM))                                 \
    X(torque_max, HAS(HAS_TORQUE))                                                                      \
    X(rest, (HAS(HAS_LENGTH) || HAS(HAS_SPRING) || HAS(IS_HELD) || HAS(HAS_RATCHET)) && !HAS(IS_BRAKE)) \
    X(limit_enabled, HAS(HAS_LIMIT))                                                                    \
    X(lower, HAS(HAS_LIMIT))                                                                            \
    X(upper, HAS(HAS_LIMIT))                                                                            \
    X(limit_hertz, HAS(HAS_LIMIT))                                                                      \
    X(tag, true)                                                                                        \
    X(limit_damping_ratio, HAS(HAS_LIMIT))                                                              \
    X(motor_enabled, HAS(HAS_MOTOR))                                                                    \
    X(motor_speed, HAS(HAS_MOTOR))                                                                      \
    X(motor_max, HAS(HAS_MOTOR))                                                                        \
    X(spring_enabled, HAS(HAS_SPRING))                                                                  \
    X(spring_hertz, HAS(HAS_SPRING))                                                                    \
    X(spring_stiffness, HAS(HAS_SPRING))                                                                \
    X(spring_damping, HAS(HAS_SPRING))                                                                  \
    X(spring_damping_ratio, HAS(HAS_SPRING))                                                            \
    X(spring_max, HAS(HAS_SPRING))                                                                      \
    X(break_force, !HAS(IS_PASSIVE))                                                                    \
    X(break_torque, !HAS(IS_PASSIVE))                                                                   \
    X(break_error, MEASURES_LENGTH)                                                                     \
    X(break_angle, MEASURES_ANGLE)                                                                      \
    X(remove_on_break, !HAS(IS_PASSIVE))                                                                \
    X(correction_max, !HAS(IS_PASSIVE) && !HAS(IS_BRAKE))                                               \
    X(ratio, HAS(HAS_RATIO))                                                                            \
    X(reference, HAS(HAS_REFERENCE))                                                                    \
    X(ratchet, HAS(HAS_RATCHET))                                                                        \
    X(constraint, HAS(IS_CUSTOM))                                                                       \
    X(params, HAS(IS_CUSTOM))                                                                           \
    X(collide_connected, HAS(HAS_BODY_A) && !HAS(IS_PASSIVE))                                           \
    X(owner, true)                                                                                      \
    X(enabled, true)

/// The fields of each kind's struct by name, and how large it is.
typedef struct kind_row {
    uint8_t kind;
    const char *name;
    const char *const *fields;
    size_t count, size;
} kind_row;

#define FIELD_NAME(type, name) #name,
#define KIND_FIELDS(NAME, number, snake, has) \
    static const char *const snake##_fields[] = {ISO_JOINT_DEF_##snake##_FIELDS(FIELD_NAME)};
ISO_JOINT_KIND_LIST(KIND_FIELDS)
#define KIND_ROW(NAME, number, snake, has) \
    {(number), #snake, snake##_fields, sizeof snake##_fields / sizeof *snake##_fields, sizeof(iso_##snake##_joint_def)},
static const kind_row KINDS[] = {ISO_JOINT_KIND_LIST(KIND_ROW)};
#define KIND_COUNT (sizeof KINDS / sizeof KINDS[0])

static uint32_t times_among(const kind_row *row, const char *field) {
    uint32_t times = 0;
    for (size_t i = 0; i < row->count; ++i) {
        times += strcmp(row->fields[i], field) == 0;
    }
    return times;
}

static void test_each_kind_has_the_fields_that_it_reads_and_no_others(void **state) {
    (void)state;
    for (size_t i = 0; i < KIND_COUNT; ++i) {
        const kind_row *row = &KINDS[i];
        const uint32_t has = iso_joint_kind_has(row->kind);
        size_t count = 0;
#define COUNT_FIELD(field, condition)                                                                    \
    EXPECT(times_among(row, #field) == ((condition) ? 1u : 0u), "%s has %s %u times", row->name, #field, \
           times_among(row, #field));                                                                    \
    count += times_among(row, #field);
        FIELD_LIST(COUNT_FIELD)
        EXPECT(count == row->count, "%s has a field that is not in the list here", row->name);
        EXPECT(row->size <= (HAS(IS_CUSTOM) ? 520u : 216u), "%s has %zu bytes", row->name, row->size);
    }
}

/// Each field with a value of its own, as far as there are; two bodies, or four.
static iso_joint_def full_def(const iso_body_id bodies[4]) {
    iso_joint_def def = iso_joint_def_default();
    def.body_a = bodies[0], def.body_b = bodies[1], def.body_c = bodies[2], def.body_d = bodies[3];
    def.anchor_a = (iso_vec2){1, 2}, def.anchor_b = (iso_vec2){3, 4};
    def.anchor_c = (iso_vec2){5, 6}, def.anchor_d = (iso_vec2){7, 8};
    def.target = (iso_vec2_wide){9, 10}, def.axis = (iso_vec2){0, -3 * ISO_FIX16_ONE};
    def.collide_connected = def.limit_enabled = def.motor_enabled = def.spring_enabled = def.remove_on_break = true;
    def.enabled = false;
    int32_t n = 100;
#define SET_FIX16(name)                   def.name = ++n
#define SET_WIDE(name)                    def.name = (++n) * ISO_WIDE_ONE
#define SET_NUMBER(type, name, low, high) SET_##type(name);
    ISO_JOINT_NUMBER_LIST(SET_NUMBER)
    def.ratio = -2 * ISO_FIX16_ONE;
    def.ratchet = ISO_FIX16_ONE / 3;
    def.owner.slot = ISO_OWNER_EVERYONE;
    def.constraint = 0;
    def.params.scalars[0] = 2 * ISO_WIDE_ONE, def.params.scalars[1] = ISO_WIDE_ONE / 4;
    return def;
}

/// Gives a kind's definition what `full` has, field by field, and makes it one of all kinds again.
#define FILL_FIELD(type, field) def.field = full->field;
#define KIND_CONVERT(NAME, number, snake, has)                                                            \
    static iso_joint_def convert_##snake(const iso_joint_def *full, iso_world *world, iso_status *status, \
                                         iso_joint_id *joint) {                                           \
        iso_##snake##_joint_def def = iso_##snake##_joint_def_default();                                  \
        if (full != NULL) {                                                                               \
            ISO_JOINT_DEF_##snake##_FIELDS(FILL_FIELD)                                                    \
        }                                                                                                 \
        if (world != NULL) {                                                                              \
            *status = iso_##snake##_joint_create(world, &def, joint);                                     \
        }                                                                                                 \
        return iso_joint_def_from_##snake(&def);                                                          \
    }
ISO_JOINT_KIND_LIST(KIND_CONVERT)

static iso_joint_def convert(uint8_t kind, const iso_joint_def *full, iso_world *world, iso_status *status,
                             iso_joint_id *joint) {
    switch ((iso_joint_kind)kind) {
#define CONVERT_CASE(NAME, number, snake, has) \
    case ISO_JOINT_##NAME:                     \
        return convert_##snake(full, world, status, joint);
        ISO_JOINT_KIND_LIST(CONVERT_CASE)
    }
    fail();
    return iso_joint_def_default();
}

/// Whether *is has what *full has where the kind has a field, else what *other has.
static void expect_fields(const kind_row *row, const iso_joint_def *is, const iso_joint_def *full,
                          const iso_joint_def *other) {
#define EXPECT_FIELD(field, condition)                                                                             \
    EXPECT(memcmp(&is->field, times_among(row, #field) > 0 ? &full->field : &other->field, sizeof is->field) == 0, \
           "%s: %s is another", row->name, #field);
    FIELD_LIST(EXPECT_FIELD)
}

static void test_defaults_are_those_of_the_definition_for_all_kinds(void **state) {
    (void)state;
    for (size_t i = 0; i < KIND_COUNT; ++i) {
        iso_joint_def expected = iso_joint_def_default();
        expected.kind = KINDS[i].kind;
        const iso_joint_def is = convert(KINDS[i].kind, NULL, NULL, NULL, NULL);
        assert_int_equal(is.kind, KINDS[i].kind);
        expect_fields(&KINDS[i], &is, &expected, &expected);
    }
    const iso_revolute_joint_def hinge = iso_revolute_joint_def_default();
    assert_true(hinge.enabled && !hinge.limit_enabled && !hinge.motor_enabled && !hinge.spring_enabled);
    assert_true(hinge.hertz == 0 && hinge.damping_ratio == ISO_FIX16_ONE && hinge.break_force == 0);
    assert_int_equal(hinge.owner.slot, ISO_OWNER_NOBODY);
    const iso_line_joint_def line = iso_line_joint_def_default();
    assert_true(line.axis.x == ISO_FIX16_ONE && line.axis.y == 0);
    assert_int_equal(iso_gear_joint_def_default().ratio, ISO_FIX16_ONE);
}

/// A world with four balls, and a game that has constraints.
static iso_world *balls_make(iso_body_id bodies[4]) {
    const iso_world_def def = util_world_def();
    iso_world *world = util_world_create(&def, &iso_game_sandbox);
    iso_shape_def ball = shape_circle(0.5);
    ball.points[0].x = fix(0.25); // the origin is not the centre of mass
    for (int i = 0; i < 4; ++i) {
        bodies[i] = body_add_shape(world, ISO_BODY_DYNAMIC, 2 * i, 3, 0.5 * i, &ball);
    }
    return world;
}

static void test_every_field_arrives_in_the_joint(void **state) {
    (void)state;
    iso_body_id bodies[4];
    iso_world *world = balls_make(bodies);
    for (size_t i = 0; i < KIND_COUNT; ++i) {
        const kind_row *row = &KINDS[i];
        iso_joint_def full = full_def(bodies), is;
        const iso_joint_def other = iso_joint_def_default();
        if (iso_joint_kind_is_custom(row->kind)) {
            full.body_c = full.body_d = (iso_body_id){0, 0}; // a constraint of two bodies
        }
        iso_joint_id joint;
        iso_status status = ISO_ERR_RANGE;
        is = convert(row->kind, &full, world, &status, &joint);
        expect_fields(row, &is, &full, &other);
        if (row->kind == ISO_JOINT_SYMBOLIC) {
            EXPECT_STATUS(status, ISO_ERR_UNKNOWN_NAME); // the world has no programs
            continue;
        }
        EXPECT_STATUS(status, ISO_OK);
        EXPECT_STATUS(iso_joint_get(world, joint, &is), ISO_OK);
        assert_int_equal(is.kind, row->kind);
        expect_fields(row, &is, &full, &other);
    }
    iso_revolute_joint_def hinge = iso_revolute_joint_def_default();
    iso_joint_id joint;
    EXPECT_STATUS(iso_revolute_joint_create(world, &hinge, &joint), ISO_ERR_STALE);
    hinge.body_a = hinge.body_b = bodies[0];
    EXPECT_STATUS(iso_revolute_joint_create(world, &hinge, &joint), ISO_ERR_WRONG_TYPE);
    hinge.body_b = bodies[1], hinge.hertz = -1;
    EXPECT_STATUS(iso_revolute_joint_create(world, &hinge, &joint), ISO_ERR_RANGE);
    util_world_free(world);
}

// ---- between points of the world -----------------------------------------------------------------

/// Where an anchor of a body is.
static pose place_of(const iso_world *world, iso_body_id body, iso_vec2 anchor) {
    const iso_body_view is = body_view(world, body);
    const double angle = 2 * PI * from_wide(is.angle_turns), x = from_fix(anchor.x), y = from_fix(anchor.y);
    return (pose){.x = from_wide(is.position.x) + cos(angle) * x - sin(angle) * y,
                  .y = from_wide(is.position.y) + sin(angle) * x + cos(angle) * y};
}

#define BETWEEN_KIND(snake)                                                                                         \
    static void expect_between_##snake(const iso_world *world, iso_body_id a, iso_body_id b, iso_vec2_wide point) { \
        iso_##snake##_joint_def def;                                                                                \
        EXPECT_STATUS(iso_##snake##_joint_def_between(world, a, b, point, &def), ISO_OK);                           \
        const pose at_a = place_of(world, a, def.anchor_a), at_b = place_of(world, b, def.anchor_b);                \
        const double most = 0.52 / 65536;                                                                           \
        assert_true(iso_body_id_equal(def.body_a, a) && iso_body_id_equal(def.body_b, b) && def.enabled);           \
        EXPECT(hypot(at_a.x - from_wide(point.x), at_a.y - from_wide(point.y)) < 1.5 * most, #snake " anchor a");   \
        EXPECT(hypot(at_b.x - from_wide(point.x), at_b.y - from_wide(point.y)) < 1.5 * most, #snake " anchor b");   \
        iso_##snake##_joint_def kept;                                                                               \
        memcpy(&kept, &def, sizeof kept);                                                                           \
        EXPECT_STATUS(iso_##snake##_joint_def_between(world, (iso_body_id){99, 1}, b, point, &def), ISO_ERR_STALE); \
        EXPECT_STATUS(iso_##snake##_joint_def_between(world, a, (iso_body_id){0, 0}, point, &def), ISO_ERR_STALE);  \
        point.x += 200 * ISO_WIDE_ONE;                                                                              \
        point.y += 200 * ISO_WIDE_ONE;                                                                              \
        EXPECT_STATUS(iso_##snake##_joint_def_between(world, a, b, point, &def), ISO_ERR_RANGE);                    \
        assert_memory_equal(&def, &kept, sizeof def);                                                               \
    }
ISO_JOINT_AT_POINT_LIST(BETWEEN_KIND)

static void test_anchors_between_bodies_are_the_point(void **state) {
    (void)state;
    iso_body_id bodies[4];
    iso_world *world = balls_make(bodies);
    rng random = {5};
    for (int round = 0; round < 40; ++round) {
        const iso_vec2_wide middle = {wide(rng_range(&random, -29000, 29000)), wide(rng_range(&random, -29000, 29000))};
        for (int i = 0; i < 2; ++i) {
            const iso_vec2_wide at = {middle.x + wide(rng_range(&random, -40, 40)),
                                      middle.y + wide(rng_range(&random, -40, 40))};
            EXPECT_STATUS(iso_body_set_position(world, bodies[i], at, wide(rng_range(&random, -30, 30))), ISO_OK);
        }
#define EXPECT_BETWEEN(snake) expect_between_##snake(world, bodies[0], bodies[1], middle);
        ISO_JOINT_AT_POINT_LIST(EXPECT_BETWEEN)
    }
    util_world_free(world);
}

static void test_angles_and_lengths_between_bodies_are_measured(void **state) {
    (void)state;
    iso_body_id b[4];
    iso_world *world = balls_make(b); // 2 m and half a radian from one to the next
    const iso_vec2_wide at = {wide(1), wide(3)}, other = {wide(6), wide(3.5)};
    iso_weld_joint_def weld;
    iso_motor_joint_def motor;
    iso_prismatic_joint_def slider;
    iso_revolute_joint_def hinge;
    iso_distance_joint_def rod;
    EXPECT_STATUS(iso_weld_joint_def_between(world, b[0], b[2], at, &weld), ISO_OK);
    EXPECT_STATUS(iso_motor_joint_def_between(world, b[2], b[0], at, &motor), ISO_OK);
    EXPECT_STATUS(iso_prismatic_joint_def_between(world, b[0], b[2], at, &slider), ISO_OK);
    EXPECT_STATUS(iso_revolute_joint_def_between(world, b[0], b[2], at, &hinge), ISO_OK);
    EXPECT_STATUS(iso_distance_joint_def_between(world, b[0], b[2], at, other, &rod), ISO_OK);
    EXPECT_NEAR(from_fix(weld.rest), 1, 1.0 / 65536, "the angle of a weld");
    EXPECT_NEAR(from_fix(motor.rest), -1, 1.0 / 65536, "the angle of a motor");
    EXPECT_NEAR(from_fix(slider.reference), 1, 1.0 / 65536, "the angle of a slider");
    assert_true(slider.rest == 0 && hinge.rest == 0);
    EXPECT_NEAR(from_fix(rod.rest), hypot(5, 0.5), 2.0 / 65536, "the length of a rod");
    // What was measured is held: nothing moves.
    iso_joint_id joint;
    EXPECT_STATUS(iso_weld_joint_create(world, &weld, &joint), ISO_OK);
    EXPECT_NEAR(joint_separation(world, joint), 0, 2.0 / 65536, "the separation of a weld");
    EXPECT_STATUS(iso_distance_joint_create(world, &rod, &joint), ISO_OK);
    EXPECT_NEAR(joint_separation(world, joint), 0, 2.0 / 65536, "the separation of a rod");
    // Angles that no definition holds.
    EXPECT_STATUS(iso_body_set_position(world, b[2], (iso_vec2_wide){0, 0}, wide(32769)), ISO_OK);
    EXPECT_STATUS(iso_weld_joint_def_between(world, b[0], b[2], at, &weld), ISO_ERR_RANGE);
    EXPECT_STATUS(iso_prismatic_joint_def_between(world, b[2], b[0], at, &slider), ISO_ERR_RANGE);
    EXPECT_STATUS(iso_revolute_joint_def_between(world, b[0], b[2], at, &hinge), ISO_OK);
    // A length that no definition holds.
    const iso_vec2_wide far_left = {wide(-20000), 0}, far_right = {wide(20000), 0};
    EXPECT_STATUS(iso_body_set_position(world, b[0], far_left, 0), ISO_OK);
    EXPECT_STATUS(iso_body_set_position(world, b[2], far_right, 0), ISO_OK);
    EXPECT_STATUS(iso_distance_joint_def_between(world, b[0], b[2], far_left, far_right, &rod), ISO_ERR_RANGE);
    util_world_free(world);
}

static void test_a_target_holds_a_body_where_it_is(void **state) {
    (void)state;
    iso_body_id b[4];
    iso_world *world = balls_make(b);
    iso_target_joint_def drag;
    EXPECT_STATUS(iso_target_joint_def_at(world, b[1], (iso_vec2_wide){wide(2.25), wide(3.125)}, &drag), ISO_OK);
    assert_true(drag.target.x == wide(2.25) && drag.target.y == wide(3.125));
    const pose at = place_of(world, b[1], drag.anchor_b);
    EXPECT_NEAR(at.x, 2.25, 1.0 / 65536, "x of the anchor");
    EXPECT_NEAR(at.y, 3.125, 1.0 / 65536, "y of the anchor");
    iso_joint_id joint;
    EXPECT_STATUS(iso_target_joint_create(world, &drag, &joint), ISO_OK);
    EXPECT_NEAR(joint_separation(world, joint), 0, 2.0 / 65536, "the separation");
    const iso_vec2_wide far = {wide(102), wide(3)}, out = {wide(30001), 0};
    EXPECT_STATUS(iso_target_joint_def_at(world, b[1], far, &drag), ISO_ERR_RANGE);
    EXPECT_STATUS(iso_target_joint_def_at(world, b[1], out, &drag), ISO_ERR_RANGE);
    EXPECT_STATUS(iso_target_joint_def_at(world, (iso_body_id){0, 0}, far, &drag), ISO_ERR_STALE);
    assert_int_equal(drag.target.x, wide(2.25));
    util_world_free(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_kind_has_the_fields_that_it_reads_and_no_others),
        cmocka_unit_test(test_defaults_are_those_of_the_definition_for_all_kinds),
        cmocka_unit_test(test_every_field_arrives_in_the_joint),
        cmocka_unit_test(test_anchors_between_bodies_are_the_point),
        cmocka_unit_test(test_angles_and_lengths_between_bodies_are_measured),
        cmocka_unit_test(test_a_target_holds_a_body_where_it_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
