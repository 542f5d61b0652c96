/// Commands of worlds in space: static checks, canonical bytes, and that no world takes one of the other dimension.
#include "unit/command/test_command3_util.h"
#include "unit/command/test_command_util.h"

#include "border/tick_input.h"
#include "world/kernel.h"

static const uint8_t KINDS[] = {
    ISO_COMMAND_SPAWN_BODY3,    ISO_COMMAND_CREATE_SHAPE3,      ISO_COMMAND_APPLY_FORCE3,
    ISO_COMMAND_APPLY_IMPULSE3, ISO_COMMAND_APPLY_TORQUE3,      ISO_COMMAND_APPLY_ANGULAR_IMPULSE3,
    ISO_COMMAND_SET_VELOCITY3,  ISO_COMMAND_SET_GRAVITY3,       ISO_COMMAND_SET_BODY_PARAMS3,
    ISO_COMMAND_SET_BODY_MASS3, ISO_COMMAND_SET_BODY_POSITION3, ISO_COMMAND_CREATE_JOINT3,
    ISO_COMMAND_SET_JOINT3,     ISO_COMMAND_SET_JOINT_AXIS3,    ISO_COMMAND_SET_TARGET3,
};
#define KIND_COUNT (sizeof KINDS / sizeof KINDS[0])

static iso_command random_command3(uint64_t *s, uint8_t kind) {
    iso_command c;
    memset(&c, 0, sizeof c);
    c.kind = kind;
    const iso_body_id body = {(uint32_t)random_u64(s), (uint32_t)random_u64(s)};
    const iso_joint_id joint = {(uint32_t)random_u64(s), (uint32_t)random_u64(s)};
    switch ((iso_command_kind)kind) {
    case ISO_COMMAND_SPAWN_BODY3:
        c.as.spawn_body3 = (iso_command_spawn_body3){random3_body_def(s), random3_shape_def(s)};
        break;
    case ISO_COMMAND_CREATE_SHAPE3:
        c.as.create_shape3 = (iso_command_create_shape3){body, random3_shape_def(s)};
        break;
    case ISO_COMMAND_APPLY_FORCE3:
        c.as.apply_force3 = (iso_command_apply_force3){body, random3_vec_wide(s, ISO_IMPULSE_MAX),
                                                       random3_vec_wide(s, ISO_POSITION_MAX_M)};
        break;
    case ISO_COMMAND_APPLY_IMPULSE3:
        c.as.apply_impulse3 = (iso_command_apply_impulse3){body, random3_vec_wide(s, ISO_IMPULSE_MAX),
                                                           random3_vec_wide(s, ISO_POSITION_MAX_M)};
        break;
    case ISO_COMMAND_APPLY_TORQUE3:
        c.as.apply_torque3 = (iso_command_apply_torque3){body, random3_vec_wide(s, ISO_IMPULSE_MAX)};
        break;
    case ISO_COMMAND_APPLY_ANGULAR_IMPULSE3:
        c.as.apply_angular_impulse3 = (iso_command_apply_angular_impulse3){body, random3_vec_wide(s, ISO_IMPULSE_MAX)};
        break;
    case ISO_COMMAND_SET_VELOCITY3:
        c.as.set_velocity3 =
            (iso_command_set_velocity3){body, random3_vec_wide(s, ISO_SPEED3_MAX_M_S), random3_vec_wide(s, INT32_MAX)};
        break;
    case ISO_COMMAND_SET_GRAVITY3:
        c.as.set_gravity3.gravity = random3_vec(s, 1000 * METRE);
        break;
    case ISO_COMMAND_SET_BODY_PARAMS3:
        c.as.set_body_params3 = (iso_command_set_body_params3){body, random3_body_params(s)};
        break;
    case ISO_COMMAND_SET_BODY_MASS3: {
        const iso_wide mass = random3_within(s, 1 << 16, INT64_C(1) << 49);
        const iso_wide least = random3_within(s, 1, INT64_MAX / 3), middle = random3_within(s, least, 2 * least);
        c.as.set_body_mass3 =
            (iso_command_set_body_mass3){body, mass, {least, middle, random3_within(s, middle, least + middle)}};
        break;
    }
    case ISO_COMMAND_CREATE_JOINT3:
        c.as.create_joint3.joint = random3_joint_def(s);
        break;
    case ISO_COMMAND_SET_JOINT3:
        c.as.set_joint3 = (iso_command_set_joint3){joint, random3_joint_def(s)};
        break;
    case ISO_COMMAND_SET_JOINT_AXIS3:
        c.as.set_joint_axis3 = (iso_command_set_joint_axis3){joint, (uint32_t)(random_u64(s) % ISO_JOINT3_AXES),
                                                             random3_joint_axis(s, ISO_JOINT3_AXIS_ANGLE)};
        break;
    case ISO_COMMAND_SET_TARGET3:
        c.as.set_target3 = (iso_command_set_target3){joint, random3_vec_wide(s, ISO_POSITION_MAX_M)};
        break;
    default:
        c.as.set_body_position3 =
            (iso_command_set_body_position3){body, random3_vec_wide(s, ISO_POSITION_MAX_M), random3_quat(s)};
        break;
    }
    return c;
}

static void test_random_commands_of_space_come_back_from_their_bytes(void **state) {
    (void)state;
    uint64_t s = 11;
    size_t largest = 0;
    for (int round = 0; round < 20000; ++round) {
        const iso_command command = random_command3(&s, KINDS[(size_t)round % KIND_COUNT]);
        assert_int_equal(iso_command_check(&command), ISO_OK);
        uint8_t bytes[ISO_COMMAND_SIZE_MAX], again[ISO_COMMAND_SIZE_MAX];
        const size_t size = iso_command_encode(&command, bytes, sizeof bytes);
        assert_true(size > 0);
        largest = size > largest ? size : largest;
        iso_command back;
        memset(&back, 0xEE, sizeof back);
        assert_int_equal(iso_command_decode(bytes, size, &back), ISO_OK);
        assert_int_equal(iso_command_encode(&back, again, sizeof again), size);
        assert_memory_equal(bytes, again, size);
        if (command.kind == ISO_COMMAND_SPAWN_BODY3) {
            const iso_shape3_def *made = &back.as.spawn_body3.shape, *wanted = &command.as.spawn_body3.shape;
            assert_memory_equal(&back.as.spawn_body3.body, &command.as.spawn_body3.body, offsetof(iso_body3_def, tag));
            assert_memory_equal(&made->rotation, &wanted->rotation, sizeof made->rotation);
            assert_memory_equal(made->points, wanted->points, wanted->point_count * sizeof(iso_vec3));
        }
        if (command.kind == ISO_COMMAND_SET_JOINT3) {
            assert_memory_equal(&back.as.set_joint3, &command.as.set_joint3, sizeof back.as.set_joint3);
        }
        assert_int_equal(iso_command_decode(bytes, size - 1, &back), ISO_ERR_MALFORMED);
    }
    // A joint with the parameters of a constraint; ISO_COMMAND_SIZE_MAX has room.
    assert_int_equal(largest, 1 + 8 + 373 + 4 + 8 * (8 * 3 + 8));
}

static void test_canonical_bytes_of_space_are_as_written_down(void **state) {
    (void)state;
    iso_command c;
    memset(&c, 0, sizeof c);
    c.kind = ISO_COMMAND_SPAWN_BODY3;
    c.as.spawn_body3.body = iso_body3_def_default();
    c.as.spawn_body3.body.position = (iso_vec3_wide){1, -2, 3};
    c.as.spawn_body3.body.velocity = (iso_vec3_wide){4, 5, 6};
    c.as.spawn_body3.body.angular_velocity = (iso_vec3_wide){7, 8, 9};
    c.as.spawn_body3.body.tag = 10;
    c.as.spawn_body3.body.owner = (iso_owner){7, 3};      // does not travel
    c.as.spawn_body3.body.params.linear_damping = -METRE; // nor do these
    c.as.spawn_body3.shape = iso_shape3_def_box(66, 67, 68);
    c.as.spawn_body3.shape.rotation = (iso_quat){1 << 30, 0, 0, 0};
    c.as.spawn_body3.shape.points[0] = (iso_vec3){-1, 0, 1};
    c.as.spawn_body3.shape.tag = 11;
    static const uint8_t
        expected
            [] =
                {
                    64,   3,    1,    0,    0,    0,    0,    0,    0,    0, 0xFE, 0xFF, 0xFF, 0xFF,
                    0xFF, 0xFF, 0xFF, 0xFF, 3,    0,    0,    0,    0,    0, 0,    0, // place
                    0,    0,    0,    0,    0,    0,    0,    0,    0,    0, 0,    0,    0,    0,
                    0,    0x40, // rotation
                    4,    0,    0,    0,    0,    0,    0,    0,    5,    0, 0,    0,    0,    0,
                    0,    0,    6,    0,    0,    0,    0,    0,    0,    0, // velocity
                    7,    0,    0,    0,    0,    0,    0,    0,    8,    0, 0,    0,    0,    0,
                    0,    0,    9,    0,    0,    0,    0,    0,    0,    0, 10,   0,    0,    0, // spin, tag
                    3,    2,    0,    0,    0xE8, 3,    0x9A, 0x99, 0,    0, 0,    0,    0,    0,
                    0,    0,    0,    0,    0,    0,    0,    0, // kind to offset
                    0,    1,    0,    0,    0,    0xFF, 0xFF, 0xFF, 0xFF, 0, 0,    0,    0,    11,
                    0,    0,    0, // sensor, filter, tag
                    0,    0,    0,    0x40, 0,    0,    0,    0,    0,    0, 0,    0,    0,    0,
                    0,    0, // rotation
                    0xFF, 0xFF, 0xFF, 0xFF, 0,    0,    0,    0,    1,    0, 0,    0,    66,   0,
                    0,    0,    67,   0,    0,    0,    68,   0,    0,    0, // points
                };
    uint8_t bytes[ISO_COMMAND_SIZE_MAX];
    assert_int_equal(iso_command_encode(&c, bytes, sizeof bytes), sizeof expected);
    assert_memory_equal(bytes, expected, sizeof expected);
    assert_int_equal(iso_command_decode(bytes, sizeof expected, &c), ISO_OK);
    assert_int_equal(c.as.spawn_body3.body.owner.slot, ISO_OWNER_NOBODY);
    assert_int_equal(c.as.spawn_body3.body.params.linear_damping, 0);
    assert_true(c.as.spawn_body3.body.params.sleep_enabled);
}

/// The parameters are behind all else, and other kinds have none of them.
static void test_canonical_bytes_end_with_the_parameters_of_a_constraint(void **state) {
    (void)state;
    iso_command c, back;
    memset(&c, 0, sizeof c);
    c.kind = ISO_COMMAND_CREATE_JOINT3;
    iso_joint3_def *def = &c.as.create_joint3.joint;
    *def = iso_joint3_def_default(ISO_JOINT3_SYMBOLIC);
    def->tag = 0x01020304;
    def->constraint = 0x0A0B0C0D;
    def->params.vectors3[0][2] = -1;
    def->params.vectors3[7][1] = 2;
    def->params.scalars[0] = INT64_MIN;
    def->params.scalars[7] = 5;
    uint8_t expected[4 + 4 + 8 * 32] = {4, 3, 2, 1, 0x0D, 0x0C, 0x0B, 0x0A};
    memset(&expected[8 + 8 * 2], 0xFF, 8);
    expected[8 + 8 * (3 * 7 + 1)] = 2;
    expected[8 + 8 * 24 + 7] = 0x80;
    expected[8 + 8 * 31] = 5;
    uint8_t bytes[ISO_COMMAND_SIZE_MAX], others[ISO_COMMAND_SIZE_MAX];
    def->params.vectors[0][0] = 6; // of the plane: has no place in the bytes
    assert_int_equal(iso_command_encode(&c, bytes, sizeof bytes), 0);
    def->params.vectors[0][0] = 0;
    const size_t size = iso_command_encode(&c, bytes, sizeof bytes);
    assert_int_equal(size, 1 + 373 + sizeof expected - 4);
    assert_memory_equal(bytes + size - sizeof expected, expected, sizeof expected);
    assert_int_equal(iso_command_decode(bytes, size, &back), ISO_OK);
    def->kind = ISO_JOINT3_BALL;
    assert_int_equal(iso_command_encode(&c, others, sizeof others), 0);
    def->constraint = 0;
    def->params = (iso_program_params){.scalars = {0}};
    assert_int_equal(iso_command_encode(&c, others, sizeof others), 1 + 373);
    bytes[1] = ISO_JOINT3_BALL;
    assert_memory_equal(bytes, others, 1 + 373);
    assert_int_equal(iso_command_decode(bytes, size, &back), ISO_ERR_MALFORMED);
    others[1] = ISO_JOINT3_USER;
    assert_int_equal(iso_command_decode(others, 1 + 373, &back), ISO_ERR_MALFORMED);
}

/// A number of a command of space. A component is as good as another, so each case names one of them.
typedef struct range_case {
    uint8_t kind;
    size_t offset;
    uint32_t width;
    int64_t low, high;
    iso_status status;
} range_case;

#define AT(path) offsetof(iso_command, as.path)
static const range_case RANGES[] = {
    {ISO_COMMAND_SPAWN_BODY3, AT(spawn_body3.body.type), 1, 1, 3, ISO_ERR_BAD_ENUM},
    {ISO_COMMAND_SPAWN_BODY3, AT(spawn_body3.body.position.x), 8, -30000 * ISO_WIDE_ONE, 30000 * ISO_WIDE_ONE,
     ISO_ERR_RANGE},
    {ISO_COMMAND_SPAWN_BODY3, AT(spawn_body3.body.position.z), 8, -30000 * ISO_WIDE_ONE, 30000 * ISO_WIDE_ONE,
     ISO_ERR_RANGE},
    {ISO_COMMAND_SPAWN_BODY3, AT(spawn_body3.body.velocity.y), 8, -400 * ISO_WIDE_ONE, 400 * ISO_WIDE_ONE,
     ISO_ERR_RANGE},
    {ISO_COMMAND_SPAWN_BODY3, AT(spawn_body3.body.velocity.z), 8, -400 * ISO_WIDE_ONE, 400 * ISO_WIDE_ONE,
     ISO_ERR_RANGE},
    // With 240 about x and 0 about y: 240^2 + 320^2 = 400^2.
    {ISO_COMMAND_SPAWN_BODY3, AT(spawn_body3.body.angular_velocity.z), 8, -320 * ISO_WIDE_ONE, 320 * ISO_WIDE_ONE,
     ISO_ERR_RANGE},
    {ISO_COMMAND_SPAWN_BODY3, AT(spawn_body3.shape.density), 4, 0, INT32_MAX, ISO_ERR_RANGE},
    {ISO_COMMAND_SPAWN_BODY3, AT(spawn_body3.shape.friction), 4, 0, 517734, ISO_ERR_RANGE},
    {ISO_COMMAND_CREATE_SHAPE3, AT(create_shape3.shape.restitution), 4, 0, 65536, ISO_ERR_RANGE},
    {ISO_COMMAND_CREATE_SHAPE3, AT(create_shape3.shape.offset), 4, 0, 0, ISO_ERR_RANGE},
    {ISO_COMMAND_APPLY_FORCE3, AT(apply_force3.force.z), 8, -1000000 * ISO_WIDE_ONE, 1000000 * ISO_WIDE_ONE,
     ISO_ERR_RANGE},
    {ISO_COMMAND_APPLY_FORCE3, AT(apply_force3.point.z), 8, -30000 * ISO_WIDE_ONE, 30000 * ISO_WIDE_ONE, ISO_ERR_RANGE},
    {ISO_COMMAND_APPLY_IMPULSE3, AT(apply_impulse3.impulse.x), 8, -1000000 * ISO_WIDE_ONE, 1000000 * ISO_WIDE_ONE,
     ISO_ERR_RANGE},
    {ISO_COMMAND_APPLY_IMPULSE3, AT(apply_impulse3.point.y), 8, -30000 * ISO_WIDE_ONE, 30000 * ISO_WIDE_ONE,
     ISO_ERR_RANGE},
    {ISO_COMMAND_APPLY_TORQUE3, AT(apply_torque3.torque.y), 8, -1000000 * ISO_WIDE_ONE, 1000000 * ISO_WIDE_ONE,
     ISO_ERR_RANGE},
    {ISO_COMMAND_APPLY_ANGULAR_IMPULSE3, AT(apply_angular_impulse3.impulse.z), 8, -1000000 * ISO_WIDE_ONE,
     1000000 * ISO_WIDE_ONE, ISO_ERR_RANGE},
    {ISO_COMMAND_SET_VELOCITY3, AT(set_velocity3.velocity.x), 8, -400 * ISO_WIDE_ONE, 400 * ISO_WIDE_ONE,
     ISO_ERR_RANGE},
    {ISO_COMMAND_SET_VELOCITY3, AT(set_velocity3.velocity.z), 8, -400 * ISO_WIDE_ONE, 400 * ISO_WIDE_ONE,
     ISO_ERR_RANGE},
    {ISO_COMMAND_SET_VELOCITY3, AT(set_velocity3.angular_velocity.x), 8, INT64_MIN, INT64_MAX, ISO_ERR_RANGE},
    {ISO_COMMAND_SET_GRAVITY3, AT(set_gravity3.gravity.x), 4, -1000 * METRE, 1000 * METRE, ISO_ERR_RANGE},
    {ISO_COMMAND_SET_GRAVITY3, AT(set_gravity3.gravity.z), 4, -1000 * METRE, 1000 * METRE, ISO_ERR_RANGE},
    {ISO_COMMAND_SET_BODY_PARAMS3, AT(set_body_params3.params.linear_damping), 4, 0, 1000 * METRE, ISO_ERR_RANGE},
    {ISO_COMMAND_SET_BODY_PARAMS3, AT(set_body_params3.params.angular_damping), 4, 0, 1000 * METRE, ISO_ERR_RANGE},
    {ISO_COMMAND_SET_BODY_PARAMS3, AT(set_body_params3.params.gravity_scale), 4, -100 * METRE, 100 * METRE,
     ISO_ERR_RANGE},
    {ISO_COMMAND_SET_BODY_MASS3, AT(set_body_mass3.mass), 8, 1 << 16, INT64_C(1) << 49, ISO_ERR_RANGE},
    // Between 4 and 10.
    {ISO_COMMAND_SET_BODY_MASS3, AT(set_body_mass3.moments.y), 8, 6, 10, ISO_ERR_RANGE},
    {ISO_COMMAND_SET_BODY_POSITION3, AT(set_body_position3.position.z), 8, -30000 * ISO_WIDE_ONE, 30000 * ISO_WIDE_ONE,
     ISO_ERR_RANGE},
    {ISO_COMMAND_CREATE_JOINT3, AT(create_joint3.joint.kind), 1, 1, ISO_JOINT3_SYMBOLIC, ISO_ERR_BAD_ENUM},
    {ISO_COMMAND_CREATE_JOINT3, AT(create_joint3.joint.frame_b.anchor.z), 4, -60 * METRE, 60 * METRE, ISO_ERR_RANGE},
    {ISO_COMMAND_CREATE_JOINT3, AT(create_joint3.joint.target.y), 8, -30000 * ISO_WIDE_ONE, 30000 * ISO_WIDE_ONE,
     ISO_ERR_RANGE},
    {ISO_COMMAND_CREATE_JOINT3, AT(create_joint3.joint.hertz), 4, 0, 1000 * METRE, ISO_ERR_RANGE},
    {ISO_COMMAND_CREATE_JOINT3, AT(create_joint3.joint.torque_max), 8, 0, INT64_MAX, ISO_ERR_RANGE},
    {ISO_COMMAND_SET_JOINT3, AT(set_joint3.definition.axes[0].upper), 4, 0, 194458, ISO_ERR_RANGE}, // a swing's
    {ISO_COMMAND_SET_JOINT_AXIS3, AT(set_joint_axis3.axis), 4, 0, 2, ISO_ERR_RANGE},
    {ISO_COMMAND_SET_JOINT_AXIS3, AT(set_joint_axis3.definition.lower), 4, -32767 * METRE, 0, ISO_ERR_RANGE},
    {ISO_COMMAND_SET_JOINT_AXIS3, AT(set_joint_axis3.definition.motor_max), 8, 0, INT64_MAX, ISO_ERR_RANGE},
    {ISO_COMMAND_SET_TARGET3, AT(set_target3.target.x), 8, -30000 * ISO_WIDE_ONE, 30000 * ISO_WIDE_ONE, ISO_ERR_RANGE},
};

static iso_status check_with(const range_case *range, int64_t value) {
    iso_command c;
    memset(&c, 0, sizeof c);
    c.kind = range->kind;
    if (range->kind == ISO_COMMAND_SPAWN_BODY3) {
        c.as.spawn_body3.body = iso_body3_def_default();
        c.as.spawn_body3.body.angular_velocity.x = 240 * ISO_WIDE_ONE;
        c.as.spawn_body3.shape = iso_shape3_def_box(METRE, METRE, METRE);
    } else if (range->kind == ISO_COMMAND_CREATE_SHAPE3) {
        c.as.create_shape3.shape = iso_shape3_def_sphere(METRE);
    } else if (range->kind == ISO_COMMAND_SET_BODY_POSITION3) {
        c.as.set_body_position3.rotation = iso_quat_identity();
    } else if (range->kind == ISO_COMMAND_CREATE_JOINT3) {
        c.as.create_joint3.joint = iso_joint3_def_default(ISO_JOINT3_BALL);
    } else if (range->kind == ISO_COMMAND_SET_JOINT3) {
        c.as.set_joint3.definition = iso_joint3_def_default(ISO_JOINT3_BALL);
    } else if (range->kind == ISO_COMMAND_SET_BODY_MASS3) {
        c.as.set_body_mass3.moments = (iso_vec3_wide){4, 10, 10};
    }
    memcpy((uint8_t *)&c + range->offset, &value, range->width); // little endian
    const iso_status status = iso_command_check(&c);
    uint8_t bytes[ISO_COMMAND_SIZE_MAX];
    assert_int_equal(iso_command_encode(&c, bytes, sizeof bytes) > 0, status == ISO_OK);
    return status;
}

static void test_ranges_of_space_are_as_written_down(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof RANGES / sizeof RANGES[0]; ++i) {
        const range_case *range = &RANGES[i];
        const int64_t min = range->width == 8 ? INT64_MIN : range->width == 4 ? INT32_MIN : 0;
        const int64_t max = range->width == 8 ? INT64_MAX : range->width == 4 ? INT32_MAX : 255;
        assert_int_equal(check_with(range, range->low), ISO_OK);
        assert_int_equal(check_with(range, range->high), ISO_OK);
        if (range->low > min) {
            assert_int_equal(check_with(range, range->low - 1), range->status);
            assert_int_equal(check_with(range, min), range->status);
        }
        if (range->high < max) {
            assert_int_equal(check_with(range, range->high + 1), range->status);
            assert_int_equal(check_with(range, max), range->status);
        }
    }
}

static iso_status check_rotation(iso_quat rotation) {
    iso_command c;
    memset(&c, 0, sizeof c);
    c.kind = ISO_COMMAND_SET_BODY_POSITION3;
    c.as.set_body_position3.rotation = rotation;
    const iso_status status = iso_command_check(&c);
    memset(&c, 0, sizeof c);
    c.kind = ISO_COMMAND_SPAWN_BODY3;
    c.as.spawn_body3 = (iso_command_spawn_body3){iso_body3_def_default(), iso_shape3_def_box(METRE, METRE, METRE)};
    c.as.spawn_body3.body.rotation = rotation;
    assert_int_equal(iso_command_check(&c), status);
    c.as.spawn_body3.body.rotation = iso_quat_identity();
    c.as.spawn_body3.shape.rotation = rotation;
    assert_int_equal(iso_command_check(&c), status);
    memset(&c, 0, sizeof c);
    c.kind = ISO_COMMAND_SET_JOINT3;
    c.as.set_joint3.definition = iso_joint3_def_default(ISO_JOINT3_FIXED);
    c.as.set_joint3.definition.frame_a.rotation = rotation;
    assert_int_equal(iso_command_check(&c), status);
    c.as.set_joint3.definition.frame_a.rotation = iso_quat_identity();
    c.as.set_joint3.definition.frame_b.rotation = rotation;
    assert_int_equal(iso_command_check(&c), status);
    return status;
}

static void test_a_rotation_has_one_form(void **state) {
    (void)state;
    const int32_t one = 1 << 30;
    assert_int_equal(check_rotation((iso_quat){0, 0, 0, one}), ISO_OK);
    assert_int_equal(check_rotation((iso_quat){0, 0, 0, -one}), ISO_ERR_RANGE);
    assert_int_equal(check_rotation((iso_quat){-one, 0, 0, 1}), ISO_OK); // w comes first
    assert_int_equal(check_rotation((iso_quat){one, 0, 0, -1}), ISO_ERR_RANGE);
    assert_int_equal(check_rotation((iso_quat){one, 0, 0, 0}), ISO_OK);
    assert_int_equal(check_rotation((iso_quat){-one, 0, 0, 0}), ISO_ERR_RANGE);
    assert_int_equal(check_rotation((iso_quat){1, -one, 0, 0}), ISO_OK);
    assert_int_equal(check_rotation((iso_quat){0, -one, 1, 0}), ISO_ERR_RANGE);
    assert_int_equal(check_rotation((iso_quat){0, 0, one, 0}), ISO_OK);
    assert_int_equal(check_rotation((iso_quat){0, 0, -one, 0}), ISO_ERR_RANGE);
    assert_int_equal(check_rotation((iso_quat){0, 0, 0, 0}), ISO_ERR_RANGE);
    assert_int_equal(check_rotation((iso_quat){INT32_MIN, INT32_MIN, INT32_MIN, INT32_MIN}), ISO_ERR_RANGE);
    assert_int_equal(check_rotation((iso_quat){one, one, 0, 0}), ISO_ERR_RANGE);
    // (2^30 + 4)^2 is 16 above 2^60 + 2^33, (2^30 + 3)^2 is 2^31 - 9 below.
    assert_int_equal(check_rotation((iso_quat){0, 0, 0, one + 4}), ISO_ERR_RANGE);
    assert_int_equal(check_rotation((iso_quat){0, 0, 46340, one + 3}), ISO_OK);
    assert_int_equal(check_rotation((iso_quat){0, 0, 46341, one + 3}), ISO_ERR_RANGE);
    assert_int_equal(check_rotation((iso_quat){0, 0, 0, one - 4}), ISO_OK); // 16 inside the lower bound
    assert_int_equal(check_rotation((iso_quat){0, 0, 0, one - 5}), ISO_ERR_RANGE);
}

static void test_definitions_take_either_sign_of_a_rotation(void **state) {
    (void)state;
    iso_body3_def body = iso_body3_def_default();
    assert_int_equal(iso_body3_def_check(&body), ISO_OK);
    body.rotation.w = -body.rotation.w;
    assert_int_equal(iso_body3_def_check(&body), ISO_OK);
    body.rotation.w = 0; // none
    assert_int_equal(iso_body3_def_check(&body), ISO_OK);
    body.rotation.w = 1;
    assert_int_equal(iso_body3_def_check(&body), ISO_ERR_RANGE);
    body = iso_body3_def_default();
    body.owner = (iso_owner){1, ISO_OWNER_NOBODY};
    assert_int_equal(iso_body3_def_check(&body), ISO_ERR_RANGE);
    body = iso_body3_def_default();
    body.params.gravity_scale = 101 * METRE;
    assert_int_equal(iso_body3_def_check(&body), ISO_ERR_RANGE);
    body = iso_body3_def_default();
    body.type = 0;
    assert_int_equal(iso_body3_def_check(&body), ISO_ERR_BAD_ENUM);
    iso_shape3_def box = iso_shape3_def_box(METRE, METRE, METRE);
    box.rotation.w = -box.rotation.w;
    assert_int_equal(iso_shape3_def_check(&box), ISO_OK);
    box.rotation.w = 0;
    assert_int_equal(iso_shape3_def_check(&box), ISO_ERR_RANGE);
}

static void test_shapes_of_space_are_checked(void **state) {
    (void)state;
    const fix16_t most = 60 * METRE;
    iso_shape3_def def = iso_shape3_def_sphere(16);
    assert_int_equal(iso_shape3_def_check(&def), ISO_OK);
    def.radius = 15;
    assert_int_equal(iso_shape3_def_check(&def), ISO_ERR_GEOMETRY);
    def.radius = -1;
    assert_int_equal(iso_shape3_def_check(&def), ISO_ERR_RANGE);
    def.radius = most;
    assert_int_equal(iso_shape3_def_check(&def), ISO_OK);
    def.points[0].z = 1;
    assert_int_equal(iso_shape3_def_check(&def), ISO_ERR_GEOMETRY);
    def = iso_shape3_def_sphere(10 * METRE);
    def.points[0] = (iso_vec3){30 * METRE, 40 * METRE, 0};
    assert_int_equal(iso_shape3_def_check(&def), ISO_OK);
    def.points[0].x = INT32_MIN;
    assert_int_equal(iso_shape3_def_check(&def), ISO_ERR_GEOMETRY);
    def = iso_shape3_def_sphere(METRE);
    def.rotation = iso_quat_identity(); // which only a box has
    assert_int_equal(iso_shape3_def_check(&def), ISO_ERR_RANGE);

    def = iso_shape3_def_capsule((iso_vec3){0, 0, -8}, (iso_vec3){0, 0, 8}, 16);
    assert_int_equal(iso_shape3_def_check(&def), ISO_OK);
    def.points[1].z = 7;
    assert_int_equal(iso_shape3_def_check(&def), ISO_ERR_GEOMETRY);
    def.points[1].z = most;
    assert_int_equal(iso_shape3_def_check(&def), ISO_ERR_GEOMETRY);

    def = iso_shape3_def_box(16, 16, 16);
    assert_int_equal(iso_shape3_def_check(&def), ISO_OK);
    def.points[1].y = 15;
    assert_int_equal(iso_shape3_def_check(&def), ISO_ERR_GEOMETRY);
    def = iso_shape3_def_box(20 * METRE, 20 * METRE, 10 * METRE); // 30 m from corner to centre
    def.points[0] = (iso_vec3){0, -30 * METRE, 0};
    assert_int_equal(iso_shape3_def_check(&def), ISO_OK);
    def.points[0].y -= 1;
    assert_int_equal(iso_shape3_def_check(&def), ISO_ERR_GEOMETRY);
    def = iso_shape3_def_box(METRE, METRE, METRE);
    def.radius = 66;
    assert_int_equal(iso_shape3_def_check(&def), ISO_ERR_GEOMETRY);

    iso_vec3 corners[ISO_HULL_VERTICES_MAX + 1] = {{0, 0, 0}, {METRE, 0, 0}, {0, METRE, 0}, {0, 0, METRE}};
    for (uint32_t count = 0; count <= ISO_HULL_VERTICES_MAX + 1; ++count) {
        def = iso_shape3_def_hull(corners, count);
        const bool has_count = count >= 4 && count <= ISO_HULL_VERTICES_MAX;
        assert_int_equal(iso_shape3_def_check(&def), has_count ? ISO_OK : ISO_ERR_GEOMETRY);
    }
    corners[3].z = most + 1;
    def = iso_shape3_def_hull(corners, 4);
    assert_int_equal(iso_shape3_def_check(&def), ISO_ERR_GEOMETRY);
    def = iso_shape3_def_hull(corners, 1000);
    assert_int_equal(iso_shape3_def_check(&def), ISO_ERR_GEOMETRY);

    def = iso_shape3_def_plane((iso_vec3){0, 1, 0}, -most);
    assert_int_equal(iso_shape3_def_check(&def), ISO_OK);
    def.offset -= 1;
    assert_int_equal(iso_shape3_def_check(&def), ISO_ERR_GEOMETRY);
    def = iso_shape3_def_plane((iso_vec3){0, 0, 0}, 0);
    assert_int_equal(iso_shape3_def_check(&def), ISO_ERR_GEOMETRY);
    def.kind = 0;
    assert_int_equal(iso_shape3_def_check(&def), ISO_ERR_BAD_ENUM);
    def.kind = 7;
    assert_int_equal(iso_shape3_def_check(&def), ISO_ERR_BAD_ENUM);
}

static void test_moments_fit_each_other(void **state) {
    (void)state;
    iso_command c;
    memset(&c, 0, sizeof c);
    c.kind = ISO_COMMAND_SET_BODY_MASS3;
    static const struct {
        iso_vec3_wide moments;
        bool fits;
    } cases[] = {{{0, 0, 0}, true},
                 {{1, 1, 2}, true},
                 {{1, 1, 3}, false},
                 {{3, 1, 1}, false},
                 {{1, 3, 1}, false},
                 {{-1, -1, -1}, false},
                 {{2, 2, 1}, false},
                 {{1, 3, 2}, false},
                 {{0, 1, 1}, false},
                 {{1, INT64_MAX, INT64_MAX}, true},
                 {{INT64_MIN, INT64_MIN, 0}, false}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        c.as.set_body_mass3.moments = cases[i].moments;
        assert_int_equal(iso_command_check(&c), cases[i].fits ? ISO_OK : ISO_ERR_RANGE);
    }
}

static void test_every_kind_says_its_worlds(void **state) {
    (void)state;
    for (size_t i = 0; i < KIND_COUNT; ++i) {
        assert_int_equal(iso_command_dimensions(KINDS[i]), 8);
    }
    assert_int_equal(iso_command_dimensions(ISO_COMMAND_SPAWN_BODY), 4);
    assert_int_equal(iso_command_dimensions(ISO_COMMAND_SET_JOINT_MOTOR), 4);
    assert_int_equal(iso_command_dimensions(ISO_COMMAND_SET_CONTROL), 12);
    assert_int_equal(iso_command_dimensions(ISO_COMMAND_SET_SHAPE_DENSITY), 12);
    assert_int_equal(iso_command_dimensions(ISO_COMMAND_DESTROY_JOINT), 12);
    assert_int_equal(iso_command_dimensions(0), 0);
    assert_int_equal(iso_command_dimensions(63), 0);
    assert_int_equal(iso_command_dimensions(255), 0);
    assert_true(iso_command_has_dimensions(ISO_COMMAND_SET_GRAVITY3, 3));
    assert_false(iso_command_has_dimensions(ISO_COMMAND_SET_GRAVITY3, 2));
}

static void test_an_input_with_a_command_of_another_dimension_is_refused(void **state) {
    (void)state;
    iso_world *world = util_world_lively(3);
    iso_slot_view member;
    assert_true(iso_world_get_slot(world, 0, &member));
    iso_sealed_command sealed = {.slot = 0, .sequence = member.last_sequence + 1};
    sealed.command.kind = ISO_COMMAND_SET_GRAVITY3;
    const iso_tick_input input = {.tick = iso_world_get_tick(world) + 1, .commands = &sealed, .command_count = 1};
    const uint64_t root = iso_world_root(world);
    assert_int_equal(iso_world_step(world, &input), ISO_ERR_DIMENSION);
    assert_int_equal(iso_world_root(world), root);
    sealed.command.kind = ISO_COMMAND_SET_GRAVITY;
    assert_int_equal(iso__tick_input_check(world, &input), ISO_OK);
    // The check knows no more of a world in space than its kernel's dimension.
    const iso__kernel *plane = world->kernel;
    iso__kernel space = *plane;
    space.dimensions = 3;
    world->kernel = &space;
    assert_int_equal(iso__tick_input_check(world, &input), ISO_ERR_DIMENSION);
    sealed.command.kind = ISO_COMMAND_SET_GRAVITY3;
    assert_int_equal(iso__tick_input_check(world, &input), ISO_OK);
    sealed.command.kind = ISO_COMMAND_CUSTOM;
    assert_int_equal(iso__tick_input_check(world, &input), ISO_OK);
    world->kernel = plane;
    util_world_free(world);
}

static bool takes_joint(uint8_t kind) {
    return kind == ISO_COMMAND_SET_JOINT3 || kind == ISO_COMMAND_SET_JOINT_AXIS3 || kind == ISO_COMMAND_SET_TARGET3;
}

/// Who may command what does not depend on the dimension: the arguments decide.
static void test_ownership_of_commands_of_space(void **state) {
    (void)state;
    iso_world *world = util_world_lively(3);
    const iso_command make = spawn(0, 20 * METRE);
    const iso_body_id body = iso_body_id_unpack(must_give(world, 0, &make));
    const iso_body_id other_body = iso_body_id_unpack(must_give(world, 0, &make));
    const iso_command join = join_bodies(body, other_body);
    const iso_joint_id joint = iso_joint_id_unpack(must_give(world, 0, &join));
    for (size_t i = 0; i < KIND_COUNT; ++i) {
        uint64_t s = i;
        iso_command c = random_command3(&s, KINDS[i]);
        if (c.kind == ISO_COMMAND_CREATE_JOINT3) { // the bodies decide
            c.as.create_joint3.joint.body_a = c.as.create_joint3.joint.body_b = body;
        } else if (takes_joint(c.kind)) {
            memcpy(&c.as, &joint, sizeof joint);
        } else if (c.kind != ISO_COMMAND_SPAWN_BODY3 && c.kind != ISO_COMMAND_SET_GRAVITY3) {
            memcpy(&c.as, &body, sizeof body); // the first argument
        }
        const iso_status own = c.kind == ISO_COMMAND_SET_GRAVITY3 ? ISO_ERR_REFUSED : ISO_OK;
        const iso_status other = c.kind == ISO_COMMAND_SPAWN_BODY3    ? ISO_OK
                                 : c.kind == ISO_COMMAND_SET_GRAVITY3 ? ISO_ERR_REFUSED
                                                                      : ISO_ERR_NOT_OWNER;
        assert_int_equal(iso_game_authorize_owner(world, NULL, 0, &c), own);
        assert_int_equal(iso_game_authorize_owner(world, NULL, 2, &c), other);
    }
    util_world_free(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_commands_of_space_come_back_from_their_bytes),
        cmocka_unit_test(test_canonical_bytes_of_space_are_as_written_down),
        cmocka_unit_test(test_canonical_bytes_end_with_the_parameters_of_a_constraint),
        cmocka_unit_test(test_ranges_of_space_are_as_written_down),
        cmocka_unit_test(test_a_rotation_has_one_form),
        cmocka_unit_test(test_definitions_take_either_sign_of_a_rotation),
        cmocka_unit_test(test_shapes_of_space_are_checked),
        cmocka_unit_test(test_moments_fit_each_other),
        cmocka_unit_test(test_every_kind_says_its_worlds),
        cmocka_unit_test(test_ownership_of_commands_of_space),
        cmocka_unit_test(test_an_input_with_a_command_of_another_dimension_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
