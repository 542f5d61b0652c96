/// The rally's car: a chassis of two boxes on four wheels.
///
/// A wheel is a ball on a HINGE2: its strut is along the car's y, with the spring of the suspension; its axle is across
/// the car, with the motor that drives and brakes it. Steering is a limit from an angle to the same angle: it holds the
/// wheel there, and the angle moves a little each tick. A ball touches the ground in one point, wherever the car leans.
///
/// Signs: the axle is along -z, so a positive motor speed drives forward; a positive steering angle is to the left.
#include "control.h"
#include "rally.h"

#define CAR_CATEGORY       2u // of a chassis: what the check points see
#define WHEEL_CATEGORY     4u
#define STEER_RATE         (3 * ISO_FIX16_ONE) // [rad/s]
#define STEER_ACCELERATION (8 * ISO_WIDE_ONE)  // [m/s^2] across, the most that steering asks for
#define ROLLING_TORQUE     (20 * ISO_WIDE_ONE) // [N m] of a wheel that is neither driven nor braked
#define REVERSE_BELOW      (ISO_WIDE_ONE)      // [m/s] slower than that, braking becomes reversing
#define REVERSE_SHARE      4                   // of the top speed
#define BUTTON_HANDBRAKE   1u
#define SPRING_HERTZ       (5 * ISO_FIX16_ONE)     // of a wheel's mass: 1.6 Hz of the car's on its springs
#define SPRING_DAMPING     (3 * ISO_FIX16_ONE / 2) // likewise of a wheel's

static iso_vec3 car_part_place(uint32_t part) {
    static const int16_t places[RALLY_PART_COUNT][3] = {
#define CAR_PLACE(name, x, y, z) {x, y, z},
        RALLY_PART_LIST(CAR_PLACE)
#undef CAR_PLACE
    };
    return (iso_vec3){RALLY_CM(places[part][0]), RALLY_CM(places[part][1]), RALLY_CM(places[part][2])};
}

static iso_body_id car_part(const rally_state *state, uint32_t slot, uint32_t part) {
    const uint32_t at = slot * RALLY_PART_COUNT + part;
    return (iso_body_id){state->body_index[at], state->body_generation[at]};
}

/// A member may lose a part to the world's limit of contact points (event.h); then it has no car.
iso_body_id iso__rally_chassis(const iso_world *world, const rally_state *state, uint32_t slot) {
    for (uint32_t part = 0; part < RALLY_PART_COUNT; ++part) {
        if (!iso_body_is_valid(world, car_part(state, slot, part))) {
            return (iso_body_id){0, 0};
        }
    }
    return car_part(state, slot, RALLY_CHASSIS);
}

// ---- building ------------------------------------------------------------------------------------

/// A low heavy box, and a light cabin behind the middle.
static iso_status car_add_chassis(iso_world *world, iso_body_id body) {
    iso_shape_id made;
    iso_shape3_def floor = iso_shape3_def_box(RALLY_CM(170), RALLY_CM(18), RALLY_CM(75));
    floor.density = 400 * ISO_FIX16_ONE;
    floor.friction = ISO_FIX16_ONE / 5; // it slides along walls
    floor.filter.category = CAR_CATEGORY;
    iso_shape3_def cabin = iso_shape3_def_box(RALLY_CM(80), RALLY_CM(20), RALLY_CM(60));
    cabin.points[0] = (iso_vec3){RALLY_CM(-30), RALLY_CM(38), 0};
    cabin.density = 50 * ISO_FIX16_ONE;
    cabin.friction = floor.friction;
    cabin.filter.category = CAR_CATEGORY;
    const iso_status status = iso_shape3_create(world, body, &floor, &made);
    return status != ISO_OK ? status : iso_shape3_create(world, body, &cabin, &made);
}

static iso_status car_add_wheel(iso_world *world, iso_body_id body) {
    iso_shape_id made;
    iso_shape3_def wheel = iso_shape3_def_sphere(RALLY_CM(RALLY_WHEEL_RADIUS));
    wheel.density = 130 * ISO_FIX16_ONE;
    wheel.friction = 3 * ISO_FIX16_ONE / 2;
    wheel.filter.category = WHEEL_CATEGORY;
    return iso_shape3_create(world, body, &wheel, &made);
}

static iso_status car_add_body(iso_world *world, rally_state *state, uint32_t slot, uint32_t part, rally_pose car) {
    iso_slot_view view;
    if (!iso_world_get_slot(world, slot, &view)) {
        return ISO_ERR_RANGE;
    }
    iso_body3_def def = iso_body3_def_default();
    const iso_vec3_wide arm = iso_quat_rotate(car.rotation, iso_vec3_to_wide(car_part_place(part)));
    def.position = iso_vec3_wide_add(car.position, arm);
    def.rotation = car.rotation;
    def.owner = (iso_owner){view.generation, (uint16_t)slot};
    def.tag = slot + 1;
    iso_body_id body;
    iso_status status = iso_body3_create(world, &def, &body);
    if (status != ISO_OK) {
        return status;
    }
    state->body_index[slot * RALLY_PART_COUNT + part] = body.index;
    state->body_generation[slot * RALLY_PART_COUNT + part] = body.generation;
    return part == RALLY_CHASSIS ? car_add_chassis(world, body) : car_add_wheel(world, body);
}

/// The frames are those of a car at the origin, so they are the same for each car.
static iso_status car_add_joint(iso_world *world, rally_state *state, uint32_t slot, uint32_t wheel) {
    static const iso_vec3 strut = {0, ISO_FIX16_ONE, 0}, axle = {0, 0, -ISO_FIX16_ONE};
    const iso_body3_def chassis_plan = iso_body3_def_default();
    iso_body3_def wheel_plan = iso_body3_def_default();
    wheel_plan.position = iso_vec3_to_wide(car_part_place(wheel + 1));
    iso_joint3_def def = iso_joint3_def_default(ISO_JOINT3_HINGE2);
    iso_status status = iso_joint3_def_at(&chassis_plan, &wheel_plan, wheel_plan.position, strut, axle, &def);
    if (status != ISO_OK) {
        return status;
    }
    def.body_a = car_part(state, slot, RALLY_CHASSIS);
    def.body_b = car_part(state, slot, wheel + 1);
    iso_joint3_axis *suspension = &def.axes[0], *steering = &def.axes[1], *rolling = &def.axes[2];
    suspension->limit_enabled = suspension->spring_enabled = true;
    suspension->lower = RALLY_CM(-15);
    suspension->upper = RALLY_CM(12);
    suspension->spring_hertz = SPRING_HERTZ;
    suspension->spring_damping_ratio = SPRING_DAMPING;
    suspension->rest = RALLY_CM(-9); // so that the weight brings it to about 0
    steering->limit_enabled = true;
    rolling->motor_enabled = true;
    rolling->motor_max = ROLLING_TORQUE;
    iso_joint_id joint;
    status = iso_joint3_create(world, &def, &joint);
    if (status == ISO_OK) {
        state->joint_index[slot * RALLY_WHEEL_COUNT + wheel] = joint.index;
        state->joint_generation[slot * RALLY_WHEEL_COUNT + wheel] = joint.generation;
    }
    return status;
}

iso_status iso__rally_build(iso_world *world, rally_state *state, uint32_t slot, rally_pose ground) {
    const iso_vec3_wide ride = {0, RALLY_WIDE_CM(RALLY_RIDE), 0};
    const rally_pose car = {iso_vec3_wide_add(ground.position, iso_quat_rotate(ground.rotation, ride)),
                            ground.rotation};
    iso__rally_remove(world, state, slot);
    iso_status status = ISO_OK;
    for (uint32_t part = 0; part < RALLY_PART_COUNT && status == ISO_OK; ++part) {
        status = car_add_body(world, state, slot, part, car);
    }
    for (uint32_t wheel = 0; wheel < RALLY_WHEEL_COUNT && status == ISO_OK; ++wheel) {
        status = car_add_joint(world, state, slot, wheel);
    }
    if (status != ISO_OK) {
        iso__rally_remove(world, state, slot);
    }
    return status;
}

void iso__rally_remove(iso_world *world, rally_state *state, uint32_t slot) {
    for (uint32_t part = 0; part < RALLY_PART_COUNT; ++part) {
        const iso_body_id body = car_part(state, slot, part);
        if (iso_body_is_valid(world, body)) {
            iso_body_destroy(world, body); // with its joints
        }
        state->body_index[slot * RALLY_PART_COUNT + part] = 0;
        state->body_generation[slot * RALLY_PART_COUNT + part] = 0;
    }
    for (uint32_t wheel = 0; wheel < RALLY_WHEEL_COUNT; ++wheel) {
        state->joint_index[slot * RALLY_WHEEL_COUNT + wheel] = 0;
        state->joint_generation[slot * RALLY_WHEEL_COUNT + wheel] = 0;
    }
    state->steer[slot] = 0;
    state->motor[slot] = 0;
}

// ---- driving -------------------------------------------------------------------------------------

static iso_joint_id car_joint(const rally_state *state, uint32_t slot, uint32_t wheel) {
    const uint32_t at = slot * RALLY_WHEEL_COUNT + wheel;
    return (iso_joint_id){state->joint_index[at], state->joint_generation[at]};
}

/// The largest angle at a speed: the radius of the curve is wheelbase / angle, and v^2 / radius the acceleration
/// across.
static iso_wide car_steer_max(const iso_world *world, iso_wide speed) {
    const iso_wide full = rally_param(world, RALLY_STEER_ANGLE), square = iso_wide_mul(speed, speed);
    const iso_wide most = iso_wide_mul(STEER_ACCELERATION, RALLY_WIDE_CM(RALLY_WHEELBASE));
    return iso_wide_mul(square, full) <= most ? full : iso_wide_div(most, square);
}

/// Turns the front wheels towards where the stick points, no faster than STEER_RATE.
static void car_steer(iso_world *world, rally_state *state, uint32_t slot, int32_t axis, iso_wide speed) {
    const fix16_t step = STEER_RATE / (fix16_t)iso_world_get_def(world)->tick_rate_hz;
    const fix16_t wish = iso_fix16_from_wide(-iso__control_share(car_steer_max(world, speed), axis));
    const fix16_t is = state->steer[slot];
    const int64_t way = (int64_t)wish - is;
    if (way == 0) {
        return; // nothing wakes it
    }
    const fix16_t next = (fix16_t)(way > step ? is + (int64_t)step : way < -step ? is - (int64_t)step : wish);
    state->steer[slot] = next;
    for (uint32_t wheel = 0; wheel < 2; ++wheel) {
        iso_joint3_set_limits(world, car_joint(state, slot, wheel), 1, true, next, next);
    }
}

/// Sets the motors of two wheels on one axle.
static void car_set_motors(iso_world *world, const rally_state *state, uint32_t slot, uint32_t first, iso_wide speed,
                           iso_wide torque) {
    const fix16_t spin = iso_fix16_from_wide(iso_wide_div(speed, RALLY_WIDE_CM(RALLY_WHEEL_RADIUS)));
    for (uint32_t wheel = first; wheel < first + 2; ++wheel) {
        iso_joint3_set_motor(world, car_joint(state, slot, wheel), 2, true, spin, torque);
    }
}

/// Drives, brakes, or lets the car roll. `motor` of the state is what was set last: a motor that is set wakes the car.
static void car_power(iso_world *world, rally_state *state, uint32_t slot, int32_t axis, bool has_handbrake,
                      iso_wide forward) {
    const iso_wide top = rally_param(world, RALLY_TOP_SPEED), brake = rally_param(world, RALLY_BRAKE_TORQUE);
    const bool brakes = axis < 0 && forward > REVERSE_BELOW;
    const uint32_t motor = (uint32_t)(axis + ISO__CONTROL_AXIS_MAX + 1) << 2 | (uint32_t)has_handbrake << 1 | brakes;
    if (motor == state->motor[slot]) {
        return;
    }
    state->motor[slot] = motor;
    iso_wide speed = 0, torque = ROLLING_TORQUE;
    if (brakes) {
        torque = -iso__control_share(brake, axis);
    } else if (axis != 0) {
        speed = axis > 0 ? top : -top / REVERSE_SHARE;
        torque = rally_size(iso__control_share(rally_param(world, RALLY_DRIVE_TORQUE), axis));
    }
    car_set_motors(world, state, slot, 0, speed, torque);
    car_set_motors(world, state, slot, 2, has_handbrake ? 0 : speed, has_handbrake ? brake : torque);
}

void iso__rally_drive(iso_world *world, rally_state *state, uint32_t slot, const uint8_t *control) {
    static const iso_vec3_wide ahead = {ISO_WIDE_ONE, 0, 0};
    iso_body3_view chassis;
    if (iso_body3_get(world, iso__rally_chassis(world, state, slot), &chassis) != ISO_OK) {
        return;
    }
    const iso_wide forward = iso_vec3_wide_dot(chassis.velocity, iso_quat_rotate(chassis.rotation, ahead));
    car_steer(world, state, slot, iso__control_axis(control, 0), forward);
    car_power(world, state, slot, iso__control_axis(control, 1),
              (iso__control_buttons(control) & BUTTON_HANDBRAKE) != 0, forward);
}
