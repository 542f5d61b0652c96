/// Commands: static checks and canonical bytes.
#include "unit/state/test_state_util.h"

// A plain argument, by its type: what a kind has whose case below does not say more.
#define PLAIN_BODY(name)      \
    c->name = (iso_body_id) { \
        7, 3                  \
    }
#define PLAIN_SHAPE(name)      \
    c->name = (iso_shape_id) { \
        7, 3                   \
    }
#define PLAIN_JOINT(name)      \
    c->name = (iso_joint_id) { \
        7, 3                   \
    }
#define PLAIN_COMPOUND(name)      \
    c->name = (iso_compound_id) { \
        7, 3                      \
    }
#define PLAIN_BLUEPRINT(name) c->name = 5
#define PLAIN_BOOL(name)      c->name = true
#define PLAIN_U32(name)       c->name = 0xDEADBEEF
#define PLAIN_FIX16(name)     c->name = 2
#define PLAIN_WIDE(name)      c->name = ISO_WIDE_ONE
#define PLAIN_VEC2(name)   \
    c->name = (iso_vec2) { \
        3, -4              \
    }
#define PLAIN_VEC2_WIDE(name)   \
    c->name = (iso_vec2_wide) { \
        5, -6                   \
    }
#define PLAIN_FILTER(name)   \
    c->name = (iso_filter) { \
        1, 2, -3             \
    }
#define PLAIN_BODY_TYPE(name)   c->name = ISO_BODY_KINEMATIC
#define PLAIN_BODY_PARAMS(name) c->name = iso_body_params_default()
#define PLAIN_BODY_DEF(name)    c->name = iso_body_def_default()
#define PLAIN_SHAPE_DEF(name)   c->name = iso_shape_def_circle(METRE)
#define PLAIN_JOINT_DEF(name)   c->name = iso_joint_def_default()
#define PLAIN_VEC3(name)   \
    c->name = (iso_vec3) { \
        3, -4, 5           \
    }
#define PLAIN_VEC3_WIDE(name)   \
    c->name = (iso_vec3_wide) { \
        5, 6, 7                 \
    }
#define PLAIN_QUAT(name)         c->name = iso_quat_identity()
#define PLAIN_BODY3_PARAMS(name) c->name = iso_body3_params_default()
#define PLAIN_BODY3_DEF(name)    c->name = iso_body3_def_default()
#define PLAIN_SHAPE3_DEF(name)   c->name = iso_shape3_def_sphere(METRE)
#define PLAIN_JOINT3_DEF(name)   c->name = iso_joint3_def_default(ISO_JOINT3_BALL)
#define PLAIN_JOINT3_AXIS(name)  c->name = iso_joint3_def_default(ISO_JOINT3_BALL).axes[0]
#define PLAIN_CONTROL(name)      c->size = 1, c->name[0] = 9
#define PLAIN_PAYLOAD(name)      c->size = 1, c->name[0] = 9

#define PLAIN_ARG(type, name, wire, bound, unit) PLAIN_##type(name);
#define PLAIN_KIND(NAME, number, snake, worlds)         \
    static void plain_##snake(iso_command_##snake *c) { \
        ISO_COMMAND_##snake##_ARGS(PLAIN_ARG)           \
    }
ISO_COMMAND_KIND_LIST(PLAIN_KIND)

static void plain_command(iso_command *c) {
    switch ((iso_command_kind)c->kind) {
#define PLAIN_CASE(NAME, number, snake, worlds) \
    case ISO_COMMAND_##NAME:                    \
        plain_##snake(&c->as.snake);            \
        break;
        ISO_COMMAND_KIND_LIST(PLAIN_CASE)
    }
}

/// One valid command of each kind; of those that a case below names with values at their bounds.
static iso_command command_of_kind(uint8_t kind) {
    iso_command c;
    memset(&c, 0, sizeof c);
    c.kind = kind;
    const iso_body_id body = {7, 3};
    plain_command(&c);
    switch (kind) {
    case ISO_COMMAND_SET_CONTROL:
        c.as.set_control.size = 8;
        memcpy(c.as.set_control.bytes, "\1\2\3\4\5\6\7\10", 8);
        break;
    case ISO_COMMAND_SPAWN_BODY:
        c.as.spawn_body.body = iso_body_def_default();
        c.as.spawn_body.body.position = (iso_vec2_wide){-5, 123456789012};
        c.as.spawn_body.body.angle = -70000700007;
        c.as.spawn_body.body.velocity = (iso_vec2_wide){65536, -ISO_WIDE_ONE};
        c.as.spawn_body.body.angular_velocity = 99;
        c.as.spawn_body.body.tag = 0xDEADBEEF;
        c.as.spawn_body.shape = iso_shape_def_box(METRE, 2 * METRE);
        break;
    case ISO_COMMAND_DESTROY_BODY:
        c.as.destroy_body.body = body;
        break;
    case ISO_COMMAND_CREATE_SHAPE:
        c.as.create_shape.body = body;
        c.as.create_shape.shape = iso_shape_def_circle(METRE);
        c.as.create_shape.shape.filter = (iso_filter){0x80000001, 0x7FFFFFFE, -3};
        break;
    case ISO_COMMAND_DESTROY_SHAPE:
        c.as.destroy_shape.shape = (iso_shape_id){UINT32_MAX, UINT32_MAX};
        break;
    case ISO_COMMAND_CREATE_JOINT:
        c.as.create_joint.joint = iso_joint_def_default();
        c.as.create_joint.joint.collide_connected = true;
        c.as.create_joint.joint.body_a = (iso_body_id){1, 5};
        c.as.create_joint.joint.body_b = body;
        c.as.create_joint.joint.anchor_a = (iso_vec2){1, -2};
        c.as.create_joint.joint.anchor_b = (iso_vec2){-3, 4};
        c.as.create_joint.joint.hertz = 5 * METRE;
        c.as.create_joint.joint.force_max = 123 * ISO_WIDE_ONE;
        c.as.create_joint.joint.target = (iso_vec2_wide){-9, 8};
        break;
    case ISO_COMMAND_DESTROY_JOINT:
        c.as.destroy_joint.joint = (iso_joint_id){2, 9};
        break;
    case ISO_COMMAND_APPLY_FORCE:
        c.as.apply_force.body = body;
        c.as.apply_force.force = (iso_vec2_wide){-ISO_IMPULSE_MAX * ISO_WIDE_ONE, ISO_IMPULSE_MAX * ISO_WIDE_ONE};
        c.as.apply_force.point = (iso_vec2_wide){30000 * ISO_WIDE_ONE, -30000 * ISO_WIDE_ONE};
        break;
    case ISO_COMMAND_APPLY_IMPULSE:
        c.as.apply_impulse.body = body;
        c.as.apply_impulse.impulse = (iso_vec2_wide){1, -1};
        c.as.apply_impulse.point = (iso_vec2_wide){2, -2};
        break;
    case ISO_COMMAND_APPLY_TORQUE:
        c.as.apply_torque.body = body;
        c.as.apply_torque.torque = -ISO_WIDE_ONE;
        break;
    case ISO_COMMAND_APPLY_ANGULAR_IMPULSE:
        c.as.apply_angular_impulse.body = body;
        c.as.apply_angular_impulse.impulse = ISO_WIDE_ONE;
        break;
    case ISO_COMMAND_SET_VELOCITY:
        c.as.set_velocity.body = body;
        c.as.set_velocity.velocity = (iso_vec2_wide){512 * ISO_WIDE_ONE, -512 * ISO_WIDE_ONE};
        c.as.set_velocity.angular_velocity = INT64_MIN;
        break;
    case ISO_COMMAND_SET_TARGET:
        c.as.set_target.joint = (iso_joint_id){3, 1};
        c.as.set_target.target = (iso_vec2_wide){-30000 * ISO_WIDE_ONE, 30000 * ISO_WIDE_ONE};
        break;
    case ISO_COMMAND_SET_GRAVITY:
        c.as.set_gravity.gravity = (iso_vec2){-1000 * METRE, 1000 * METRE};
        break;
    case ISO_COMMAND_SET_FILTER:
        c.as.set_filter.shape = (iso_shape_id){4, 7};
        c.as.set_filter.filter = (iso_filter){1, 2, INT32_MIN};
        break;
    case ISO_COMMAND_SET_BODY_TYPE:
        c.as.set_body_type = (iso_command_set_body_type){body, ISO_BODY_KINEMATIC};
        break;
    case ISO_COMMAND_SET_BODY_PARAMS:
        c.as.set_body_params.params.linear_damping = 1000 * METRE;
        c.as.set_body_params.params.angular_damping = 1;
        c.as.set_body_params.params.gravity_scale = -100 * METRE;
        c.as.set_body_params.params.fixed_rotation = c.as.set_body_params.params.lock_y = true;
        c.as.set_body_params.params.sleep_enabled = false;
        break;
    case ISO_COMMAND_SET_BODY_MASS:
        c.as.set_body_mass = (iso_command_set_body_mass){body, ISO_WIDE_ONE << 17, INT64_MAX};
        break;
    case ISO_COMMAND_MOVE_KINEMATIC:
        c.as.move_kinematic =
            (iso_command_move_kinematic){body, {-30000 * ISO_WIDE_ONE, 30000 * ISO_WIDE_ONE}, INT64_MIN};
        break;
    case ISO_COMMAND_SET_BODY_POSITION:
        c.as.set_body_position =
            (iso_command_set_body_position){body, {-30000 * ISO_WIDE_ONE, 30000 * ISO_WIDE_ONE}, INT64_MIN};
        break;
    case ISO_COMMAND_CUSTOM:
        c.as.custom.size = ISO_CUSTOM_SIZE_MAX;
        for (int i = 0; i < ISO_CUSTOM_SIZE_MAX; ++i) {
            c.as.custom.bytes[i] = (uint8_t)(255 - i);
        }
        break;
    case ISO_COMMAND_SET_JOINT_MOTOR:
        c.as.set_joint_motor = (iso_command_set_joint_motor){{3, 1}, true, -5 * METRE, 7 * ISO_WIDE_ONE};
        break;
    case ISO_COMMAND_SET_JOINT_LIMITS:
        c.as.set_joint_limits = (iso_command_set_joint_limits){{3, 1}, true, -METRE, METRE};
        break;
    case ISO_COMMAND_SET_JOINT_SPRING:
        c.as.set_joint_spring = (iso_command_set_joint_spring){{3, 1}, true, 2 * METRE, METRE / 2, -METRE};
        break;
    case ISO_COMMAND_SET_JOINT_BREAK:
        c.as.set_joint_break = (iso_command_set_joint_break){{3, 1}, 9, 8, 7, 6, true};
        break;
    case ISO_COMMAND_ENABLE_JOINT:
        c.as.enable_joint = (iso_command_enable_joint){{3, 1}, true};
        break;
    case ISO_COMMAND_SET_JOINT_AXIS3:
        c.as.set_joint_axis3.axis = 2;
        c.as.set_joint_axis3.definition.lower = -METRE;
        break;
    case ISO_COMMAND_SET_JOINT:
        c.as.set_joint =
            (iso_command_set_joint){{3, 1}, command_of_kind(ISO_COMMAND_CREATE_JOINT).as.create_joint.joint};
        break;
    }
    return c;
}

#define KIND_NUMBER(name, number, snake, worlds) number,
static const uint8_t KINDS[] = {ISO_COMMAND_KIND_LIST(KIND_NUMBER)};
#define KIND_COUNT (sizeof KINDS / sizeof KINDS[0])

static bool kind_is_known(int kind) {
    bool is_known = false;
    for (size_t i = 0; i < KIND_COUNT; ++i) {
        is_known = is_known || KINDS[i] == kind;
    }
    return is_known;
}

// The canonical size of an argument, by its type, as RECORDING.md has it.
#define SIZE_BODY(name)                         8
#define SIZE_SHAPE(name)                        8
#define SIZE_JOINT(name)                        8
#define SIZE_COMPOUND(name)                     8
#define SIZE_BLUEPRINT(name)                    4
#define SIZE_BOOL(name)                         1
#define SIZE_U32(name)                          4
#define SIZE_FIX16(name)                        4
#define SIZE_WIDE(name)                         8
#define SIZE_VEC2(name)                         8
#define SIZE_VEC2_WIDE(name)                    16
#define SIZE_FILTER(name)                       12
#define SIZE_BODY_TYPE(name)                    1
#define SIZE_BODY_PARAMS(name)                  (0 ISO_BODY_NUMBER_LIST(SIZE_NUMBER) ISO_BODY_SWITCH_LIST(SIZE_SWITCH))
#define SIZE_NUMBER(name, low, high, otherwise) +4
#define SIZE_SWITCH(name, bit, key)             +1
#define SIZE_BODY_DEF(name)                     53
#define SIZE_SHAPE_DEF(name)                    (47 + 8 * (size_t)c->name.point_count + (c->name.kind == ISO_SHAPE_SEGMENT ? 64 : 0))
#define SIZE_JOINT_DEF(name) \
    (1 + 32 + 16 + 16 + 24 + 4 ISO_JOINT_SWITCH_LIST(SIZE_JOINT_SWITCH) ISO_JOINT_NUMBER_LIST(SIZE_JOINT_NUMBER))
#define SIZE_JOINT_SWITCH(name, bit)             +1
#define SIZE_JOINT_NUMBER(type, name, low, high) +SIZE_##type(name)
#define SIZE_VEC3(name)                          12
#define SIZE_VEC3_WIDE(name)                     24
#define SIZE_QUAT(name)                          16
#define SIZE_BODY3_PARAMS(name)                  (0 ISO_BODY3_NUMBER_LIST(SIZE_NUMBER) ISO_BODY3_SWITCH_LIST(SIZE_SWITCH))
#define SIZE_BODY3_DEF(name)                     93
#define SIZE_SHAPE3_DEF(name)                    (55 + 12 * (size_t)c->name.point_count)
#define SIZE_JOINT3_AXIS(name) \
    (0 ISO_JOINT3_AXIS_SWITCH_LIST(SIZE_JOINT_SWITCH) ISO_JOINT3_AXIS_NUMBER_LIST(SIZE_JOINT_NUMBER))
#define SIZE_JOINT3_DEF(name)                            \
    (1 + 16 + 2 * 28 + 24 + 3 * SIZE_JOINT3_AXIS(name) + \
     4 ISO_JOINT3_SWITCH_LIST(SIZE_JOINT_SWITCH) ISO_JOINT3_NUMBER_LIST(SIZE_JOINT_NUMBER)) // of no constraint
#define SIZE_CONTROL(name) (1 + (size_t)c->size)
#define SIZE_PAYLOAD(name) (2 + (size_t)c->size)

#define SIZE_ARG(type, name, wire, bound, unit) +SIZE_##type(name)
static size_t size_of_kind(const iso_command *command) {
    switch ((iso_command_kind)command->kind) {
#define SIZE_CASE(NAME, number, snake, worlds)             \
    case ISO_COMMAND_##NAME: {                             \
        const iso_command_##snake *c = &command->as.snake; \
        (void)c;                                           \
        return 1 ISO_COMMAND_##snake##_ARGS(SIZE_ARG);     \
    }
        ISO_COMMAND_KIND_LIST(SIZE_CASE)
    }
    return 0;
}

static void test_every_kind_comes_back_from_its_bytes(void **state) {
    (void)state;
    for (size_t i = 0; i < KIND_COUNT; ++i) {
        const uint8_t kind = KINDS[i];
        const iso_command command = command_of_kind(kind);
        assert_int_equal(iso_command_check(&command), ISO_OK);
        uint8_t bytes[ISO_COMMAND_SIZE_MAX], again[ISO_COMMAND_SIZE_MAX];
        const size_t size = iso_command_encode(&command, bytes, sizeof bytes);
        assert_int_equal(size, size_of_kind(&command));
        assert_int_equal(bytes[0], kind);
        iso_command back;
        memset(&back, 0xEE, sizeof back);
        assert_int_equal(iso_command_decode(bytes, size, &back), ISO_OK);
        assert_int_equal(iso_command_encode(&back, again, sizeof again), size);
        assert_memory_equal(bytes, again, size);
        // Exactly these bytes make the command.
        for (size_t less = 0; less < size; ++less) {
            uint8_t *exact = malloc(less > 0 ? less : 1);
            memcpy(exact, bytes, less);
            assert_int_equal(iso_command_decode(exact, less, &back), ISO_ERR_MALFORMED);
            assert_int_equal(iso_command_encode(&command, exact, less), 0);
            free(exact);
        }
        bytes[size] = 0;
        assert_int_equal(iso_command_decode(bytes, size + 1, &back), ISO_ERR_MALFORMED);
    }
}

static void test_canonical_bytes_are_as_written_down(void **state) {
    (void)state;
    iso_command command = command_of_kind(ISO_COMMAND_CREATE_JOINT);
    command.as.create_joint.joint.rest = -2;
    command.as.create_joint.joint.lower = -3;
    command.as.create_joint.joint.upper = 4;
    command.as.create_joint.joint.motor_speed = 5;
    command.as.create_joint.joint.motor_max = 6;
    iso_joint_def *joint = &command.as.create_joint.joint;
    joint->break_error = 7;
    joint->break_angle = 8;
    joint->body_c = (iso_body_id){11, 1};
    joint->body_d = (iso_body_id){12, 2};
    joint->anchor_c = (iso_vec2){13, 14};
    joint->anchor_d = (iso_vec2){15, 16};
    joint->axis = (iso_vec2){17, 18};
    joint->correction_max = 19;
    joint->spring_max = 20;
    joint->ratio = 21;
    joint->reference = 22;
    joint->ratchet = 23;
    joint->limit_hertz = 24;
    joint->limit_damping_ratio = 25;
    joint->spring_stiffness = 26;
    joint->spring_damping = 27;
    joint->tag = 0xDEADBEEF;
    static const uint8_t expected[] = {
        6,    1,    1,    1,    0,    0,    0,    0,    1,    0,    0,    0,    5,   0, 0, 0, 7,  0, 0, 0,
        3,    0,    0,    0,                                                                  // kind, switches, bodies
        1,    0,    0,    0,    0xFE, 0xFF, 0xFF, 0xFF, 0xFD, 0xFF, 0xFF, 0xFF, 4,   0, 0, 0, // anchors
        0xF7, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 8,    0,    0,    0,    0,   0, 0, 0, // target
        11,   0,    0,    0,    1,    0,    0,    0,    12,   0,    0,    0,    2,   0, 0, 0, // the other bodies
        13,   0,    0,    0,    14,   0,    0,    0,    15,   0,    0,    0,    16,  0, 0, 0, 17, 0, 0, 0,
        18,   0,    0,    0, // anchors, axis
        0,    0,    5,    0,    0,    0,    1,    0,    0,    0,    0,    0,    123, 0, 0, 0, 0,  0, 0, 0,
        0,    0,    0,    0,                                                 // hertz to torque
        0xFE, 0xFF, 0xFF, 0xFF, 0xFD, 0xFF, 0xFF, 0xFF, 4,    0,    0,    0, // rest, limits
        5,    0,    0,    0,    6,    0,    0,    0,    0,    0,    0,    0,    0,   0, 0, 0, 0,  0, 1, 0, // motor
        0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,   0, 0, 0, 7,  0, 0, 0,
        0,    0,    0,    0,                         // break: force, torque, error
        8,    0,    0,    0,    0,    0,    0,    0, // break: angle
        19,   0,    0,    0,    20,   0,    0,    0,    0,    0,    0,    0,    21,  0, 0, 0, 22, 0, 0, 0,
        23,   0,    0,    0,                                                                  // correction to ratchet
        24,   0,    0,    0,    25,   0,    0,    0,                                          // softness of limits
        26,   0,    0,    0,    0,    0,    0,    0,    27,   0,    0,    0,    0,   0, 0, 0, // stiffness, damping
        0xEF, 0xBE, 0xAD, 0xDE};                                                              // tag
    uint8_t bytes[ISO_COMMAND_SIZE_MAX];
    assert_int_equal(iso_command_encode(&command, bytes, sizeof bytes), sizeof expected);
    assert_memory_equal(bytes, expected, sizeof expected);
    bytes[2] = 2; // a truth value that is neither
    assert_int_equal(iso_command_decode(bytes, sizeof expected, &command), ISO_ERR_MALFORMED);
}

static void test_owner_of_what_a_member_makes_does_not_travel(void **state) {
    (void)state;
    iso_command a = command_of_kind(ISO_COMMAND_SPAWN_BODY), b = a;
    b.as.spawn_body.body.owner = (iso_owner){9, 3};
    uint8_t bytes_a[ISO_COMMAND_SIZE_MAX], bytes_b[ISO_COMMAND_SIZE_MAX];
    const size_t size = iso_command_encode(&a, bytes_a, sizeof bytes_a);
    assert_int_equal(iso_command_encode(&b, bytes_b, sizeof bytes_b), size);
    assert_memory_equal(bytes_a, bytes_b, size);
}

typedef struct range_case {
    uint8_t kind;
    size_t offset;  // in iso_command
    uint32_t width; // 4 or 8
    int64_t low, high;
    iso_status status;
} range_case;

#define AT(member) offsetof(iso_command, as.member)
static const range_case RANGES[] = {
    {ISO_COMMAND_SPAWN_BODY, AT(spawn_body.body.position.x), 8, -30000 * ISO_WIDE_ONE, 30000 * ISO_WIDE_ONE,
     ISO_ERR_RANGE},
    {ISO_COMMAND_SPAWN_BODY, AT(spawn_body.body.position.y), 8, -30000 * ISO_WIDE_ONE, 30000 * ISO_WIDE_ONE,
     ISO_ERR_RANGE},
    {ISO_COMMAND_SPAWN_BODY, AT(spawn_body.body.velocity.x), 8, -512 * ISO_WIDE_ONE, 512 * ISO_WIDE_ONE, ISO_ERR_RANGE},
    {ISO_COMMAND_SPAWN_BODY, AT(spawn_body.body.velocity.y), 8, -512 * ISO_WIDE_ONE, 512 * ISO_WIDE_ONE, ISO_ERR_RANGE},
    {ISO_COMMAND_SPAWN_BODY, AT(spawn_body.body.angular_velocity), 8, -512 * ISO_WIDE_ONE, 512 * ISO_WIDE_ONE,
     ISO_ERR_RANGE},
    {ISO_COMMAND_SPAWN_BODY, AT(spawn_body.shape.density), 4, 0, INT32_MAX, ISO_ERR_RANGE},
    {ISO_COMMAND_CREATE_SHAPE, AT(create_shape.shape.restitution), 4, 0, METRE, ISO_ERR_RANGE},
    {ISO_COMMAND_CREATE_SHAPE, AT(create_shape.shape.surface_speed), 4, -40 * METRE, 40 * METRE, ISO_ERR_RANGE},
    {ISO_COMMAND_CREATE_SHAPE, AT(create_shape.shape.one_way.x), 4, -METRE, METRE, ISO_ERR_RANGE},
    {ISO_COMMAND_CREATE_SHAPE, AT(create_shape.shape.one_way.y), 4, -METRE, METRE, ISO_ERR_RANGE},
    {ISO_COMMAND_CREATE_SHAPE, AT(create_shape.shape.points[0].x), 4, -58 * METRE, 58 * METRE, ISO_ERR_GEOMETRY},
    {ISO_COMMAND_CREATE_JOINT, AT(create_joint.joint.anchor_a.x), 4, -60 * METRE, 60 * METRE, ISO_ERR_RANGE},
    {ISO_COMMAND_CREATE_JOINT, AT(create_joint.joint.anchor_b.y), 4, -60 * METRE, 60 * METRE, ISO_ERR_RANGE},
    {ISO_COMMAND_CREATE_JOINT, AT(create_joint.joint.hertz), 4, 0, 1000 * METRE, ISO_ERR_RANGE},
    {ISO_COMMAND_CREATE_JOINT, AT(create_joint.joint.damping_ratio), 4, 0, 1000 * METRE, ISO_ERR_RANGE},
    {ISO_COMMAND_CREATE_JOINT, AT(create_joint.joint.force_max), 8, 0, INT64_MAX, ISO_ERR_RANGE},
    {ISO_COMMAND_CREATE_JOINT, AT(create_joint.joint.target.x), 8, -30000 * ISO_WIDE_ONE, 30000 * ISO_WIDE_ONE,
     ISO_ERR_RANGE},
    {ISO_COMMAND_CREATE_JOINT, AT(create_joint.joint.torque_max), 8, 0, INT64_MAX, ISO_ERR_RANGE},
    {ISO_COMMAND_CREATE_JOINT, AT(create_joint.joint.rest), 4, -32767 * METRE, 32767 * METRE, ISO_ERR_RANGE},
    {ISO_COMMAND_CREATE_JOINT, AT(create_joint.joint.lower), 4, -32767 * METRE, 0, ISO_ERR_RANGE},
    {ISO_COMMAND_CREATE_JOINT, AT(create_joint.joint.upper), 4, 0, 32767 * METRE, ISO_ERR_RANGE},
    {ISO_COMMAND_CREATE_JOINT, AT(create_joint.joint.break_error), 8, 0, INT64_MAX, ISO_ERR_RANGE},
    {ISO_COMMAND_CREATE_JOINT, AT(create_joint.joint.break_angle), 8, 0, INT64_MAX, ISO_ERR_RANGE},
    {ISO_COMMAND_SET_JOINT, AT(set_joint.definition.anchor_a.x), 4, -60 * METRE, 60 * METRE, ISO_ERR_RANGE},
    {ISO_COMMAND_SET_JOINT, AT(set_joint.definition.correction_max), 4, 0, 32767 * METRE, ISO_ERR_RANGE},
    {ISO_COMMAND_SET_JOINT, AT(set_joint.definition.upper), 4, 0, 32767 * METRE, ISO_ERR_RANGE},
    {ISO_COMMAND_SET_JOINT_MOTOR, AT(set_joint_motor.speed), 4, -32767 * METRE, 32767 * METRE, ISO_ERR_RANGE},
    {ISO_COMMAND_SET_JOINT_MOTOR, AT(set_joint_motor.max), 8, 0, INT64_MAX, ISO_ERR_RANGE},
    {ISO_COMMAND_SET_JOINT_LIMITS, AT(set_joint_limits.lower), 4, -32767 * METRE, METRE, ISO_ERR_RANGE},
    {ISO_COMMAND_SET_JOINT_LIMITS, AT(set_joint_limits.upper), 4, -METRE, 32767 * METRE, ISO_ERR_RANGE},
    {ISO_COMMAND_SET_JOINT_SPRING, AT(set_joint_spring.hertz), 4, 0, 1000 * METRE, ISO_ERR_RANGE},
    {ISO_COMMAND_SET_JOINT_SPRING, AT(set_joint_spring.damping_ratio), 4, 0, 1000 * METRE, ISO_ERR_RANGE},
    {ISO_COMMAND_SET_JOINT_SPRING, AT(set_joint_spring.rest), 4, -32767 * METRE, 32767 * METRE, ISO_ERR_RANGE},
    {ISO_COMMAND_SET_JOINT_BREAK, AT(set_joint_break.force), 8, 0, INT64_MAX, ISO_ERR_RANGE},
    {ISO_COMMAND_SET_JOINT_BREAK, AT(set_joint_break.torque), 8, 0, INT64_MAX, ISO_ERR_RANGE},
    {ISO_COMMAND_SET_JOINT_BREAK, AT(set_joint_break.error), 8, 0, INT64_MAX, ISO_ERR_RANGE},
    {ISO_COMMAND_SET_JOINT_BREAK, AT(set_joint_break.angle), 8, 0, INT64_MAX, ISO_ERR_RANGE},
    {ISO_COMMAND_APPLY_FORCE, AT(apply_force.force.x), 8, -1000000 * ISO_WIDE_ONE, 1000000 * ISO_WIDE_ONE,
     ISO_ERR_RANGE},
    {ISO_COMMAND_APPLY_FORCE, AT(apply_force.point.y), 8, -30000 * ISO_WIDE_ONE, 30000 * ISO_WIDE_ONE, ISO_ERR_RANGE},
    {ISO_COMMAND_APPLY_IMPULSE, AT(apply_impulse.impulse.y), 8, -1000000 * ISO_WIDE_ONE, 1000000 * ISO_WIDE_ONE,
     ISO_ERR_RANGE},
    {ISO_COMMAND_APPLY_IMPULSE, AT(apply_impulse.point.x), 8, -30000 * ISO_WIDE_ONE, 30000 * ISO_WIDE_ONE,
     ISO_ERR_RANGE},
    {ISO_COMMAND_APPLY_TORQUE, AT(apply_torque.torque), 8, -1000000 * ISO_WIDE_ONE, 1000000 * ISO_WIDE_ONE,
     ISO_ERR_RANGE},
    {ISO_COMMAND_APPLY_ANGULAR_IMPULSE, AT(apply_angular_impulse.impulse), 8, -1000000 * ISO_WIDE_ONE,
     1000000 * ISO_WIDE_ONE, ISO_ERR_RANGE},
    {ISO_COMMAND_SET_VELOCITY, AT(set_velocity.velocity.x), 8, -512 * ISO_WIDE_ONE, 512 * ISO_WIDE_ONE, ISO_ERR_RANGE},
    {ISO_COMMAND_SET_TARGET, AT(set_target.target.y), 8, -30000 * ISO_WIDE_ONE, 30000 * ISO_WIDE_ONE, ISO_ERR_RANGE},
    {ISO_COMMAND_SET_BODY_PARAMS, AT(set_body_params.params.linear_damping), 4, 0, 1000 * METRE, ISO_ERR_RANGE},
    {ISO_COMMAND_SET_BODY_PARAMS, AT(set_body_params.params.angular_damping), 4, 0, 1000 * METRE, ISO_ERR_RANGE},
    {ISO_COMMAND_SET_BODY_PARAMS, AT(set_body_params.params.gravity_scale), 4, -100 * METRE, 100 * METRE,
     ISO_ERR_RANGE},
    {ISO_COMMAND_SET_BODY_MASS, AT(set_body_mass.mass), 8, 1 << 16, INT64_C(1) << 49, ISO_ERR_RANGE},
    {ISO_COMMAND_SET_BODY_MASS, AT(set_body_mass.inertia), 8, 0, INT64_MAX, ISO_ERR_RANGE},
    {ISO_COMMAND_MOVE_KINEMATIC, AT(move_kinematic.position.y), 8, -30000 * ISO_WIDE_ONE, 30000 * ISO_WIDE_ONE,
     ISO_ERR_RANGE},
    {ISO_COMMAND_SET_BODY_POSITION, AT(set_body_position.position.x), 8, -30000 * ISO_WIDE_ONE, 30000 * ISO_WIDE_ONE,
     ISO_ERR_RANGE},
    {ISO_COMMAND_SET_BODY_POSITION, AT(set_body_position.position.y), 8, -30000 * ISO_WIDE_ONE, 30000 * ISO_WIDE_ONE,
     ISO_ERR_RANGE},
    {ISO_COMMAND_SET_BODY_POSITION, AT(set_body_position.angle), 8, INT64_MIN, INT64_MAX, ISO_ERR_RANGE},
    {ISO_COMMAND_SET_JOINT_STIFFNESS, AT(set_joint_stiffness.stiffness), 8, 0, INT64_MAX, ISO_ERR_RANGE},
    {ISO_COMMAND_SET_JOINT_STIFFNESS, AT(set_joint_stiffness.damping), 8, 0, INT64_MAX, ISO_ERR_RANGE},
    {ISO_COMMAND_SET_JOINT_STIFFNESS, AT(set_joint_stiffness.rest), 4, -32767 * METRE, 32767 * METRE, ISO_ERR_RANGE},
    {ISO_COMMAND_SET_SHAPE_SURFACE_SPEED, AT(set_shape_surface_speed.speed), 4, -40 * METRE, 40 * METRE, ISO_ERR_RANGE},
    {ISO_COMMAND_SET_SHAPE_FRICTION, AT(set_shape_friction.friction), 4, 0, 517734, ISO_ERR_RANGE},
    {ISO_COMMAND_SET_SHAPE_RESTITUTION, AT(set_shape_restitution.restitution), 4, 0, METRE, ISO_ERR_RANGE},
    {ISO_COMMAND_SET_SHAPE_DENSITY, AT(set_shape_density.density), 4, 0, INT32_MAX, ISO_ERR_RANGE},
    {ISO_COMMAND_SPAWN_COMPOUND, AT(spawn_compound.position.y), 8, -30000 * ISO_WIDE_ONE, 30000 * ISO_WIDE_ONE,
     ISO_ERR_RANGE},
    {ISO_COMMAND_SPAWN_COMPOUND, AT(spawn_compound.angle), 8, INT64_MIN, INT64_MAX, ISO_ERR_RANGE},
    {ISO_COMMAND_SPAWN_COMPOUND, AT(spawn_compound.velocity.x), 8, -512 * ISO_WIDE_ONE, 512 * ISO_WIDE_ONE,
     ISO_ERR_RANGE},
    {ISO_COMMAND_SPAWN_COMPOUND, AT(spawn_compound.angular_velocity), 8, -512 * ISO_WIDE_ONE, 512 * ISO_WIDE_ONE,
     ISO_ERR_RANGE},
    {ISO_COMMAND_SET_COMPOUND_POSITION, AT(set_compound_position.position.x), 8, -30000 * ISO_WIDE_ONE,
     30000 * ISO_WIDE_ONE, ISO_ERR_RANGE},
    {ISO_COMMAND_SET_GRAVITY, AT(set_gravity.gravity.x), 4, -1000 * METRE, 1000 * METRE, ISO_ERR_RANGE},
};

static iso_status check_with(const range_case *range, int64_t value) {
    iso_command command = command_of_kind(range->kind);
    if (range->width == 4) {
        const int32_t narrow = (int32_t)value;
        memcpy((uint8_t *)&command + range->offset, &narrow, 4);
    } else {
        memcpy((uint8_t *)&command + range->offset, &value, 8);
    }
    const iso_status status = iso_command_check(&command);
    uint8_t bytes[ISO_COMMAND_SIZE_MAX];
    assert_int_equal(iso_command_encode(&command, bytes, sizeof bytes) > 0, status == ISO_OK);
    return status;
}

static void test_ranges_are_as_written_down(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof RANGES / sizeof RANGES[0]; ++i) {
        const range_case *range = &RANGES[i];
        const int64_t min = range->width == 4 ? INT32_MIN : INT64_MIN;
        const int64_t max = range->width == 4 ? INT32_MAX : INT64_MAX;
        const int64_t step = range->status == ISO_ERR_GEOMETRY ? 2 * METRE : 1; // around an extent, not at it
        assert_int_equal(check_with(range, range->low), ISO_OK);
        assert_int_equal(check_with(range, range->high), ISO_OK);
        if (range->low > min) {
            assert_int_equal(check_with(range, range->low - step), range->status);
            assert_int_equal(check_with(range, min), range->status);
        }
        if (range->high < max) {
            assert_int_equal(check_with(range, range->high + step), range->status);
            assert_int_equal(check_with(range, max), range->status);
        }
    }
}

static void test_forms_are_checked(void **state) {
    (void)state;
    iso_command c = command_of_kind(ISO_COMMAND_SET_CONTROL);
    c.as.set_control.size = 32;
    assert_int_equal(iso_command_check(&c), ISO_OK);
    c.as.set_control.size = 33;
    assert_int_equal(iso_command_check(&c), ISO_ERR_MALFORMED);
    c = command_of_kind(ISO_COMMAND_SET_BODY_TYPE);
    c.as.set_body_type.type = 4;
    assert_int_equal(iso_command_check(&c), ISO_ERR_BAD_ENUM);
    c = command_of_kind(ISO_COMMAND_CUSTOM);
    c.as.custom.size = 257;
    assert_int_equal(iso_command_check(&c), ISO_ERR_MALFORMED);
    c = command_of_kind(ISO_COMMAND_SPAWN_BODY);
    c.as.spawn_body.body.type = 0;
    assert_int_equal(iso_command_check(&c), ISO_ERR_BAD_ENUM);
    c.as.spawn_body.body.type = 4;
    assert_int_equal(iso_command_check(&c), ISO_ERR_BAD_ENUM);
    c = command_of_kind(ISO_COMMAND_SPAWN_BODY);
    c.as.spawn_body.shape.kind = 5;
    assert_int_equal(iso_command_check(&c), ISO_ERR_BAD_ENUM);
    c = command_of_kind(ISO_COMMAND_SPAWN_BODY);
    c.as.spawn_body.shape.points[1] = c.as.spawn_body.shape.points[0];
    assert_int_equal(iso_command_check(&c), ISO_ERR_GEOMETRY);
    c = command_of_kind(ISO_COMMAND_SPAWN_BODY);
    c.as.spawn_body.shape.point_count = 255;
    assert_int_not_equal(iso_command_check(&c), ISO_OK);
    c = command_of_kind(ISO_COMMAND_CREATE_JOINT);
    c.as.create_joint.joint.kind = 0;
    assert_int_equal(iso_command_check(&c), ISO_ERR_BAD_ENUM);
    c.as.create_joint.joint.kind = ISO_JOINT_TARGET;
    c.as.create_joint.joint.limit_enabled = true; // a part that the kind does not have
    assert_int_equal(iso_command_check(&c), ISO_ERR_RANGE);
    c = command_of_kind(ISO_COMMAND_CREATE_JOINT);
    c.as.create_joint.joint.kind = ISO_JOINT_DISTANCE;
    c.as.create_joint.joint.rest = -1; // a length
    assert_int_equal(iso_command_check(&c), ISO_ERR_RANGE);
    for (int kind = 0; kind < 256; ++kind) {
        c = command_of_kind((uint8_t)kind);
        const bool is_known = kind_is_known(kind);
        assert_int_equal(iso_command_check(&c), is_known ? ISO_OK : ISO_ERR_BAD_ENUM);
        assert_int_equal(strcmp(iso_command_kind_name((uint8_t)kind), "UNKNOWN") != 0, is_known);
        if (!is_known) {
            const uint8_t bytes[2] = {(uint8_t)kind, 0};
            assert_int_equal(iso_command_decode(bytes, 2, &c), ISO_ERR_BAD_ENUM);
        }
    }
    assert_string_equal(iso_command_kind_name(ISO_COMMAND_APPLY_ANGULAR_IMPULSE), "APPLY_ANGULAR_IMPULSE");
    assert_int_equal(iso_command_decode((const uint8_t *)"", 0, &c), ISO_ERR_MALFORMED);
}

/// Whatever decodes encodes to the same bytes again: there is one form of each command.
static void test_random_bytes_decode_to_nothing_or_to_themselves(void **state) {
    (void)state;
    uint64_t x = 88172645463325252u;
    uint32_t accepted = 0;
    for (int round = 0; round < 200000; ++round) {
        uint8_t bytes[ISO_COMMAND_SIZE_MAX], again[ISO_COMMAND_SIZE_MAX];
        x ^= x << 13, x ^= x >> 7, x ^= x << 17;
        const iso_command valid = command_of_kind(KINDS[x % KIND_COUNT]);
        size_t size = iso_command_encode(&valid, bytes, sizeof bytes);
        const uint32_t changes = 1 + (uint32_t)(x >> 20) % 3;
        for (uint32_t i = 0; i < changes; ++i) {
            x ^= x << 13, x ^= x >> 7, x ^= x << 17;
            bytes[x % size] = (uint8_t)(x >> 32);
        }
        if (round % 3 == 0) {
            size = x % (size + 1);
        }
        uint8_t *exact = malloc(size > 0 ? size : 1);
        memcpy(exact, bytes, size);
        iso_command command;
        if (iso_command_decode(exact, size, &command) == ISO_OK) {
            ++accepted;
            assert_int_equal(iso_command_encode(&command, again, sizeof again), size);
            assert_memory_equal(exact, again, size);
        }
        free(exact);
    }
    assert_true(accepted > 20000);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_kind_comes_back_from_its_bytes),
        cmocka_unit_test(test_canonical_bytes_are_as_written_down),
        cmocka_unit_test(test_owner_of_what_a_member_makes_does_not_travel),
        cmocka_unit_test(test_ranges_are_as_written_down),
        cmocka_unit_test(test_forms_are_checked),
        cmocka_unit_test(test_random_bytes_decode_to_nothing_or_to_themselves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
