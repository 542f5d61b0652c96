/// Our joints beside those of Box2D 2.4, which computes in floats. Where its signs or its parameters are other ones,
/// the test says so.
#include "peer_rig.h"

#include <box2d/box2d.h>

#include <cmath>
#include <memory>

namespace {

const double GRAVITY = -10;

// ---- Box2D's side --------------------------------------------------------------------------------

struct Box {
    std::unique_ptr<b2World> world;
    uint32_t count;
    b2Body *bodies[PEER_BODIES];
};

b2Vec2 vec(double x, double y) {
    return b2Vec2(static_cast<float>(x), static_cast<float>(y));
}

float real(double value) {
    return static_cast<float>(value);
}

void box_step(void *world, const double *torques) {
    Box *box = static_cast<Box *>(world);
    for (uint32_t i = 0; i < box->count; ++i) {
        box->bodies[i]->ApplyTorque(real(torques[i]), true);
    }
    box->world->Step(1.0f / PEER_TICK_RATE / PEER_STEPS, 20, 10);
}

peer_pose box_pose(void *world, uint32_t body) {
    const b2Body *is = static_cast<Box *>(world)->bodies[body];
    const b2Vec2 p = is->GetPosition(), v = is->GetLinearVelocity();
    return {p.x, p.y, is->GetAngle(), v.x, v.y, is->GetAngularVelocity()};
}

void box_destroy(void *world) {
    static_cast<Box *>(world)->world.reset();
}

b2Body *add_body(b2World *world, const peer_body &body) {
    b2BodyDef def;
    def.type = body.is_dynamic ? b2_dynamicBody : b2_staticBody;
    def.position = vec(body.x, body.y);
    def.angle = real(body.angle);
    def.linearVelocity = vec(body.vx, body.vy);
    def.angularVelocity = real(body.w);
    b2Body *made = world->CreateBody(&def);
    if (body.is_dynamic) {
        b2MassData mass;
        mass.mass = real(body.mass);
        mass.I = real(body.inertia);
        mass.center.SetZero();
        made->SetMassData(&mass);
    }
    return made;
}

/// Both sides of a machine. It joins the bodies there itself, with the definitions of both.
struct Machine {
    peer_rig rig;
    Box box;

    template <uint32_t count> Machine(double gravity, const peer_body (&bodies)[count]) {
        rig = peer_rig_make(gravity, count, bodies);
        box.world.reset(new b2World(vec(0, gravity)));
        box.world->SetAllowSleeping(false);
        box.count = count;
        for (uint32_t i = 0; i < count; ++i) {
            box.bodies[i] = add_body(box.world.get(), bodies[i]);
        }
    }

    /// @return the joint there, for gears
    template <typename Def> b2Joint *join_theirs(Def &def, uint32_t a, uint32_t b) {
        def.bodyA = box.bodies[a];
        def.bodyB = box.bodies[b];
        return box.world->CreateJoint(&def);
    }

    template <typename Def> void join(const iso_joint_def &ours, Def &theirs) {
        peer_rig_join(&rig, ours, 0, 1);
        join_theirs(theirs, 0, 1);
    }

    void run(double seconds, double (*signal)(const peer_pose *), peer_run *traces, double (*torque)(double) = nullptr,
             uint32_t torque_body = 0) {
        const peer_engine engine = {"Box2D", &box, box_step, box_pose, box_destroy};
        const peer_task task = {seconds, signal, torque, torque_body};
        peer_run_task(&rig, &engine, &task, traces);
    }
};

/// An anchor in both formats.
template <typename Def> void anchors(iso_joint_def &ours, Def &theirs, double ax, double ay, double bx, double by) {
    ours.anchor_a = peer_vec(ax, ay);
    ours.anchor_b = peer_vec(bx, by);
    theirs.localAnchorA = vec(ax, ay);
    theirs.localAnchorB = vec(bx, by);
}

void give_spring(iso_joint_def &ours, const peer_spring &spring) {
    ours.spring_enabled = true;
    ours.spring_hertz = peer_fix(spring.hertz);
    ours.spring_damping_ratio = peer_fix(spring.damping_ratio);
}

// ---- signals -------------------------------------------------------------------------------------

double second_x(const peer_pose *poses) {
    return poses[1].x;
}

double second_y(const peer_pose *poses) {
    return poses[1].y;
}

double second_angle(const peer_pose *poses) {
    return poses[1].angle;
}

double first_angle(const peer_pose *poses) {
    return poses[0].angle;
}

double angle_between(const peer_pose *poses) {
    return poses[1].angle - poses[0].angle;
}

double apart(const peer_pose *poses) {
    return std::hypot(poses[1].x - poses[0].x, poses[1].y - poses[0].y);
}

// ---- revolute ------------------------------------------------------------------------------------

void test_revolute(void **) {
    static peer_run traces;
    const peer_body arm[] = {peer_fixed(0, 0), peer_disc(0.75, 0, 2, 0.5)};
    {
        iso_joint_def ours = peer_joint(ISO_JOINT_REVOLUTE);
        b2RevoluteJointDef theirs;
        anchors(ours, theirs, 0, 0, -0.75, 0);
        Machine machine(GRAVITY, arm);
        machine.join(ours, theirs);
        machine.run(8, second_x, &traces);
        peer_compare("revolute", "pendulum's period [s]", &traces, peer_period, 0.02, 1.4);
    }
    for (int way = 1; way >= -1; way -= 2) {
        iso_joint_def ours = peer_joint(ISO_JOINT_REVOLUTE);
        b2RevoluteJointDef theirs;
        anchors(ours, theirs, 0, 0, -0.75, 0);
        ours.limit_enabled = theirs.enableLimit = true;
        ours.lower = peer_fix(-0.75);
        ours.upper = peer_fix(1.25);
        theirs.lowerAngle = -0.75f;
        theirs.upperAngle = 1.25f;
        Machine machine(way * GRAVITY, arm);
        machine.join(ours, theirs);
        machine.run(3, second_angle, &traces);
        peer_compare("revolute", way > 0 ? "rests at the lower limit" : "rests at the upper limit", &traces, peer_rest,
                     0.01, 0.7);
    }
    for (int strong = 1; strong >= 0; --strong) {
        iso_joint_def ours = peer_joint(ISO_JOINT_REVOLUTE);
        b2RevoluteJointDef theirs;
        anchors(ours, theirs, 0, 0, -0.75, 0);
        ours.motor_enabled = theirs.enableMotor = true;
        ours.motor_speed = peer_fix(3);
        ours.motor_max = peer_wide(strong ? 20 : 9); // the arm weighs 15 N m
        theirs.motorSpeed = 3;
        theirs.maxMotorTorque = strong ? 20.0f : 9.0f;
        Machine machine(GRAVITY, arm);
        machine.join(ours, theirs);
        machine.run(strong ? 2.0 : 0.5, second_angle, &traces);
        if (strong) {
            peer_compare("revolute", "motor's speed [rad/s]", &traces, peer_speed, 0.01, 4);
        } else {
            peer_compare("revolute", "overloaded motor sinks", &traces, peer_end, 0.01, 0.3);
        }
    }
}

// ---- prismatic -----------------------------------------------------------------------------------

struct Slider {
    iso_joint_def ours = peer_joint(ISO_JOINT_PRISMATIC);
    b2PrismaticJointDef theirs;

    Slider() {
        ours.axis = peer_vec(3, 4);
        theirs.localAxisA.Set(0.6f, 0.8f);
        anchors(ours, theirs, 0, 0, 0, 0);
    }
};

double along(const peer_pose *poses) {
    return 0.6 * (poses[1].x - poses[0].x) + 0.8 * (poses[1].y - poses[0].y);
}

void test_prismatic(void **) {
    static peer_run traces;
    const peer_body cart[] = {peer_fixed(0, 0), peer_disc(0, 0, 2, 0.5)};
    {
        Slider is;
        anchors(is.ours, is.theirs, 0, 0.5, 0.25, 0.5); // off the centre: the angle's row has work to do
        const peer_body off[] = {peer_fixed(0, 0), peer_disc(-0.25, 0, 2, 0.5)};
        Machine machine(GRAVITY, off);
        machine.join(is.ours, is.theirs);
        machine.run(0.75, second_x, &traces);
        peer_compare("prismatic", "acceleration [m/s^2]", &traces, peer_acceleration, 0.05, 1);
    }
    for (int way = 1; way >= -1; way -= 2) {
        Slider is;
        is.ours.limit_enabled = is.theirs.enableLimit = true;
        is.ours.lower = peer_fix(-1);
        is.ours.upper = peer_fix(2);
        is.theirs.lowerTranslation = -1;
        is.theirs.upperTranslation = 2;
        Machine machine(way * GRAVITY, cart);
        machine.join(is.ours, is.theirs);
        machine.run(3, along, &traces);
        peer_compare("prismatic", way > 0 ? "rests at the lower limit" : "rests at the upper limit", &traces, peer_rest,
                     0.01, 0.9);
    }
    for (int strong = 1; strong >= 0; --strong) {
        Slider is;
        is.ours.motor_enabled = is.theirs.enableMotor = true;
        is.ours.motor_speed = peer_fix(1.5);
        is.ours.motor_max = peer_wide(strong ? 20 : 10); // the cart weighs 16 N along the line
        is.theirs.motorSpeed = 1.5f;
        is.theirs.maxMotorForce = strong ? 20.0f : 10.0f;
        Machine machine(GRAVITY, cart);
        machine.join(is.ours, is.theirs);
        machine.run(strong ? 3.0 : 1.0, along, &traces);
        if (strong) {
            peer_compare("prismatic", "motor's speed [m/s]", &traces, peer_speed, 0.005, 3);
        } else {
            peer_compare("prismatic", "overloaded motor sinks", &traces, peer_acceleration, 0.05, 1);
        }
    }
}

/// A prismatic joint has no spring there: a soft distance joint along the same line, between centres, is one.
void test_prismatic_spring(void **) {
    static peer_run traces;
    const double stiffness = 90, damping = 1.5;
    peer_body pair[] = {peer_disc(0, 0, 2, 4), peer_disc(1.5, 2, 3, 4)};
    Slider is;
    b2DistanceJointDef spring;
    is.ours.rest = peer_fix(2.25);
    give_spring(is.ours, peer_spring_of(stiffness, damping, peer_reduced_mass(&pair[0], &pair[1])));
    spring.length = 2.25f;
    spring.minLength = 0.1f;
    spring.maxLength = 10;
    spring.stiffness = real(stiffness);
    spring.damping = real(damping);
    Machine machine(0, pair);
    machine.join(is.ours, is.theirs);
    machine.join_theirs(spring, 0, 1);
    machine.run(4, along, &traces);
    peer_compare("prismatic", "spring's period [s]", &traces, peer_period, 0.005, 0.3);
    peer_compare("prismatic", "spring's damping ratio", &traces, peer_damping, 0.01, 0.3);
}

// ---- distance ------------------------------------------------------------------------------------

b2DistanceJointDef distance_def(double length, double lower, double upper) {
    b2DistanceJointDef def;
    def.length = real(length);
    def.minLength = real(lower);
    def.maxLength = real(upper);
    return def;
}

void test_distance(void **) {
    static peer_run traces;
    {
        const peer_body pendulum[] = {peer_fixed(0, 0), peer_disc(1.2, -1.6, 3, 0.5)};
        iso_joint_def ours = peer_joint(ISO_JOINT_DISTANCE);
        ours.rest = peer_fix(2);
        b2DistanceJointDef theirs = distance_def(2, 2, 2);
        Machine machine(GRAVITY, pendulum);
        machine.join(ours, theirs);
        machine.run(8, second_x, &traces);
        peer_compare("distance", "rod pendulum's period [s]", &traces, peer_period, 0.01, 2);
    }
    {
        const double stiffness = 120, damping = 2;
        const peer_body pair[] = {peer_disc(0, 0, 2, 0.3), peer_disc(2, 0, 3, 0.2)};
        iso_joint_def ours = peer_joint(ISO_JOINT_DISTANCE);
        ours.rest = peer_fix(1.5);
        give_spring(ours, peer_spring_of(stiffness, damping, peer_reduced_mass(&pair[0], &pair[1])));
        b2DistanceJointDef theirs = distance_def(1.5, 0.1, 10);
        theirs.stiffness = real(stiffness);
        theirs.damping = real(damping);
        Machine machine(0, pair);
        machine.join(ours, theirs);
        machine.run(4, apart, &traces);
        peer_compare("distance", "spring's period [s]", &traces, peer_period, 0.005, 0.8);
        peer_compare("distance", "spring's damping ratio", &traces, peer_damping, 0.01, 0.8);
    }
    for (int far = 1; far >= 0; --far) {
        peer_body thrown[] = {peer_fixed(0, 0), peer_disc(0, -1, 3, 0.5)};
        iso_joint_def ours = peer_joint(ISO_JOINT_DISTANCE);
        ours.limit_enabled = true;
        ours.lower = peer_fix(0.5);
        ours.upper = peer_fix(2);
        b2DistanceJointDef theirs = distance_def(1, 0.5, 2);
        Machine machine(far ? GRAVITY : -GRAVITY, thrown);
        machine.join(ours, theirs);
        machine.run(2, apart, &traces);
        peer_compare("distance", far ? "rests at the maximum [m]" : "rests at the minimum [m]", &traces, peer_rest,
                     0.01, 0.4);
    }
}

// ---- weld ----------------------------------------------------------------------------------------

void test_weld(void **) {
    static peer_run traces;
    {
        // Two bodies are thrown as one: their centre goes on, they turn about it.
        peer_body pair[] = {peer_disc(0, 0, 2, 0.5), peer_disc(1, 0, 3, 0.25)};
        pair[1].vy = 4;
        iso_joint_def ours = peer_joint(ISO_JOINT_WELD);
        b2WeldJointDef theirs;
        anchors(ours, theirs, 0.5, 0, -0.5, 0);
        Machine spin(0, pair);
        spin.join(ours, theirs);
        spin.run(2, second_angle, &traces);
        peer_compare("weld", "pair's turn [rad]", &traces, peer_end, 0.05, 3);
        Machine hold(0, pair);
        hold.join(ours, theirs);
        hold.run(2, second_x, &traces);
        peer_compare("weld", "nearest x [m]", &traces, peer_lowest, 0.02, 0.5);
    }
    const double stiffness = 60, damping = 1;
    for (int heavy = 0; heavy <= 1; ++heavy) {
        // A soft weld: as a rod that bends at the wall, and between two bodies that turn against each other.
        peer_body beam[] = {peer_fixed(0, 0), peer_disc(1, 0, 1, 0.5)};
        peer_body pair[] = {peer_disc(0, 0, 2, 0.5), peer_disc(0, 0, 3, 1.25)};
        pair[1].w = 4;
        peer_body(&bodies)[2] = heavy ? beam : pair;
        iso_joint_def ours = peer_joint(ISO_JOINT_WELD);
        b2WeldJointDef theirs;
        anchors(ours, theirs, 0, 0, heavy ? -1 : 0, 0);
        const double c = heavy ? 10 * damping : damping;
        give_spring(ours, peer_spring_of(stiffness, c, peer_reduced_inertia(&bodies[0], &bodies[1])));
        theirs.stiffness = real(stiffness);
        theirs.damping = real(c);
        Machine machine(heavy ? GRAVITY : 0, bodies);
        machine.join(ours, theirs);
        machine.run(heavy ? 6 : 3, angle_between, &traces);
        if (heavy) {
            peer_compare("weld, soft", "beam's sag [rad]", &traces, peer_rest, 0.002, 0.15);
        } else {
            // Box2D's implicit spring has more damping by pi hertz h, which shows in crossings of the mean.
            peer_compare("weld, soft", "period [s]", &traces, peer_period, 0.007, 0.4);
            peer_compare("weld, soft", "damping ratio", &traces, peer_damping, 0.015, 0.4);
        }
    }
}

// ---- wheel ---------------------------------------------------------------------------------------

double down(const peer_pose *poses) {
    return poses[0].y - poses[1].y;
}

void test_wheel(void **) {
    static peer_run traces;
    const double stiffness = 300, damping = 3;
    for (int hung = 0; hung <= 1; ++hung) {
        // A free chassis and its wheel swing along the axis; a wheel hangs in its spring.
        const peer_body free_pair[] = {peer_disc(0, 0, 4, 1), peer_disc(0, -1.25, 1, 0.25)};
        const peer_body hung_pair[] = {peer_fixed(0, 0), peer_disc(0, -1, 6, 0.25)};
        const peer_body(&bodies)[2] = hung ? hung_pair : free_pair;
        const double c = hung ? 15 * damping : damping;
        iso_joint_def ours = peer_joint(ISO_JOINT_WHEEL);
        b2WheelJointDef theirs;
        ours.axis = peer_vec(0, -1);
        theirs.localAxisA.Set(0, -1);
        anchors(ours, theirs, 0, -1, 0, 0);
        give_spring(ours, peer_spring_of(stiffness, c, peer_reduced_mass(&bodies[0], &bodies[1])));
        theirs.stiffness = real(stiffness);
        theirs.damping = real(c);
        Machine machine(hung ? GRAVITY : 0, bodies);
        machine.join(ours, theirs);
        machine.run(hung ? 5 : 3, down, &traces);
        if (hung) {
            peer_compare("wheel", "hangs at [m]", &traces, peer_rest, 0.002, 0.15);
        } else {
            peer_compare("wheel", "suspension's period [s]", &traces, peer_period, 0.005, 0.3);
            peer_compare("wheel", "suspension's damping", &traces, peer_damping, 0.02, 0.3);
        }
    }
    const double seconds[] = {0.25, 3}; // it takes 0.5 s to come to speed
    for (int i = 0; i < 2; ++i) {
        const peer_body car[] = {peer_disc(0, 0, 4, 2), peer_disc(0, -1, 1, 0.25)};
        iso_joint_def ours = peer_joint(ISO_JOINT_WHEEL);
        b2WheelJointDef theirs;
        ours.axis = peer_vec(0, -1);
        theirs.localAxisA.Set(0, -1);
        anchors(ours, theirs, 0, -1, 0, 0);
        ours.motor_enabled = theirs.enableMotor = true;
        ours.motor_speed = peer_fix(-9);
        ours.motor_max = peer_wide(4);
        theirs.motorSpeed = -9;
        theirs.maxMotorTorque = 4;
        Machine machine(0, car);
        machine.join(ours, theirs);
        machine.run(seconds[i], angle_between, &traces);
        if (i == 0) {
            peer_compare("wheel", "motor's acceleration", &traces, peer_acceleration, 0.3, 0.4);
        } else {
            peer_compare("wheel", "motor's speed [rad/s]", &traces, peer_speed, 0.01, 20);
        }
    }
}

// ---- pulley and gear -----------------------------------------------------------------------------

double first_height(const peer_pose *poses) {
    return poses[1].y;
}

double second_height(const peer_pose *poses) {
    return poses[2].y;
}

/// Their length is lengthA + ratio lengthB between points of the world and the bodies, ours |B - A| + ratio |D - C| of
/// four bodies, of which A and C are one that stands still.
void test_pulley(void **) {
    static peer_run traces;
    const double ratios[] = {1, 2.5};
    for (double ratio : ratios) {
        const peer_body lift[] = {peer_fixed(0, 0), peer_disc(-1, -2, 3, 0.5), peer_disc(1, -3, 5, 0.5)};
        for (int which = 0; which < 2; ++which) {
            iso_joint_def ours = peer_joint(ISO_JOINT_PULLEY);
            ours.anchor_a = peer_vec(-1, 0);
            ours.anchor_c = peer_vec(1, 0);
            ours.ratio = peer_fix(ratio);
            ours.rest = peer_fix(2 + ratio * 3);
            b2PulleyJointDef theirs;
            theirs.groundAnchorA = vec(-1, 0);
            theirs.groundAnchorB = vec(1, 0);
            theirs.localAnchorA.SetZero();
            theirs.localAnchorB.SetZero();
            theirs.lengthA = 2;
            theirs.lengthB = 3;
            theirs.ratio = real(ratio);
            Machine machine(GRAVITY, lift);
            const uint32_t bodies[4] = {0, 1, 0, 2};
            peer_rig_join_four(&machine.rig, ours, bodies);
            machine.join_theirs(theirs, 1, 2);
            machine.run(0.75, which == 0 ? first_height : second_height, &traces);
            peer_compare(ratio == 1 ? "pulley 1:1" : "pulley 2.5:1",
                         which == 0 ? "first side [m/s^2]" : "second side [m/s^2]", &traces, peer_acceleration, 0.03,
                         0.2);
        }
    }
}

double drive(double time) {
    return time < 1 ? 3 : -1;
}

/// Their gear joins two joints: angle1 + ratio angle2 stays. With both hinged to a body that stands still these are the
/// bodies' angles, and ours, ratio angleB - angleA, is the same with the ratio negated.
void test_gear(void **) {
    static peer_run traces;
    for (int which = 0; which < 2; ++which) {
        const peer_body gears[] = {peer_disc(0, 0, 2, 0.5), peer_disc(2, 0, 3, 1.25), peer_fixed(0, 0)};
        Machine machine(0, gears);
        iso_joint_def ours = peer_joint(ISO_JOINT_GEAR);
        ours.ratio = peer_fix(-1.75);
        peer_rig_join(&machine.rig, ours, 0, 1);
        b2RevoluteJointDef hinge;
        b2GearJointDef theirs;
        theirs.joint1 = machine.join_theirs(hinge, 2, 0);
        hinge.localAnchorA = vec(2, 0);
        theirs.joint2 = machine.join_theirs(hinge, 2, 1);
        theirs.ratio = 1.75f;
        machine.join_theirs(theirs, 0, 1);
        machine.run(3, which == 0 ? first_angle : second_angle, &traces, drive, 0);
        peer_compare("gear", which == 0 ? "driving gear's speed" : "driven gear's speed", &traces, peer_speed, 0.02, 1);
        peer_compare("gear", which == 0 ? "driving gear's turn" : "driven gear's turn", &traces, peer_end, 0.03, 1);
    }
}

// ---- friction and motor --------------------------------------------------------------------------

void test_friction(void **) {
    static peer_run traces;
    double (*const signals[])(const peer_pose *) = {second_x, second_y, second_angle};
    const char *const quantities[] = {"slides [m] in x", "slides [m] in y", "turns [rad]"};
    for (int i = 0; i < 3; ++i) {
        peer_body puck[] = {peer_fixed(0, 0), peer_disc(0, 0, 2, 0.5)};
        puck[1].vx = 3;
        puck[1].vy = 2;
        puck[1].w = 6;
        iso_joint_def ours = peer_joint(ISO_JOINT_FRICTION);
        b2FrictionJointDef theirs;
        anchors(ours, theirs, 0, 0, 0, 0);
        ours.force_max = peer_wide(4);
        ours.torque_max = peer_wide(1.5);
        theirs.maxForce = 4;
        theirs.maxTorque = 1.5f;
        Machine machine(0, puck);
        machine.join(ours, theirs);
        machine.run(3, signals[i], &traces);
        peer_compare("friction", quantities[i], &traces, peer_rest, 0.02, 1);
    }
}

/// Their offset is of the bodies' origins, in A's frame, and the joint drives B there as its correction factor has it.
void test_motor(void **) {
    static peer_run traces;
    const peer_body carried[] = {peer_fixed(0, 0), peer_disc(0, 0, 2, 0.5)};
    struct Drive {
        const char *quantity;
        double gravity, x, y, force, seconds;
        double (*signal)(const peer_pose *);
        peer_reader *read;
        double tolerance, moved;
    };
    const Drive drives[] = {
        {"comes to x [m]", GRAVITY, 1, 0.5, 100, 6, second_x, peer_rest, 0.005, 0.9},
        {"comes to y [m]", GRAVITY, 1, 0.5, 100, 6, second_y, peer_rest, 0.005, 0.4},
        {"comes to the angle [rad]", GRAVITY, 1, 0.5, 100, 6, second_angle, peer_rest, 0.005, 0.7},
        {"too weak, falls [m/s^2]", GRAVITY, 0, 0.5, 12, 1, second_y, peer_acceleration, 0.03, 1.5},
        {"sets out [m/s^2]", 0, 8, 0, 12, 1, second_x, peer_acceleration, 0.03, 2.5},
    };
    for (const Drive &is : drives) {
        iso_joint_def ours = peer_joint(ISO_JOINT_MOTOR);
        b2MotorJointDef theirs;
        ours.anchor_a = peer_vec(is.x, is.y);
        ours.rest = peer_fix(0.75);
        ours.force_max = peer_wide(is.force);
        ours.torque_max = peer_wide(50);
        theirs.linearOffset = vec(is.x, is.y);
        theirs.angularOffset = 0.75f;
        theirs.maxForce = real(is.force);
        theirs.maxTorque = 50;
        theirs.correctionFactor = 0.02f;
        Machine machine(is.gravity, carried);
        machine.join(ours, theirs);
        machine.run(is.seconds, is.signal, &traces);
        peer_compare("motor", is.quantity, &traces, is.read, is.tolerance, is.moved);
    }
}

} // namespace

int main() {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_revolute), cmocka_unit_test(test_prismatic), cmocka_unit_test(test_prismatic_spring),
        cmocka_unit_test(test_distance), cmocka_unit_test(test_weld),      cmocka_unit_test(test_wheel),
        cmocka_unit_test(test_pulley),   cmocka_unit_test(test_gear),      cmocka_unit_test(test_friction),
        cmocka_unit_test(test_motor),
    };
    peer_print_head("Box2D");
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
