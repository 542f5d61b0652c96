/// A scene in Box2D 2.4, which has no rounding of polygons but its own.
#include <box2d/box2d.h>

#include <vector>

#include "bench_peer.h"

namespace {

b2Vec2 vec(double x, double y) {
    return b2Vec2(static_cast<float>(x), static_cast<float>(y));
}

float real(double value) {
    return static_cast<float>(value);
}

void add_circle(b2Body *body, b2FixtureDef &def, b2Vec2 centre, double radius) {
    b2CircleShape circle;
    circle.m_p = centre;
    circle.m_radius = static_cast<float>(radius);
    def.shape = &circle;
    body->CreateFixture(&def);
}

void add_polygon(b2Body *body, b2FixtureDef &def, const b2Vec2 *points, uint32_t count) {
    b2PolygonShape polygon;
    polygon.Set(points, static_cast<int32>(count));
    def.shape = &polygon;
    body->CreateFixture(&def);
}

/// There is no capsule: a box and a circle at each end, together of the capsule's mass.
void add_capsule(b2Body *body, b2FixtureDef &def, b2Vec2 a, b2Vec2 b, double radius) {
    const double length = b2Distance(a, b);
    const double box = 2 * radius * length, circle = 3.14159265358979 * radius * radius;
    def.density *= static_cast<float>((box + circle) / (box + 2 * circle));
    b2Vec2 normal = b2Cross(1.0f, b - a);
    normal.Normalize();
    const b2Vec2 side = static_cast<float>(radius) * normal;
    const b2Vec2 points[4] = {a - side, b - side, b + side, a + side};
    add_polygon(body, def, points, 4);
    add_circle(body, def, a, radius);
    add_circle(body, def, b, radius);
}

void add_shape(b2Body *body, const bench_shape &shape) {
    b2FixtureDef def;
    def.density = static_cast<float>(shape.density);
    def.friction = static_cast<float>(shape.friction);
    def.restitution = static_cast<float>(shape.restitution);
    def.filter.categoryBits = static_cast<uint16>(shape.category);
    def.filter.maskBits = static_cast<uint16>(shape.mask);
    def.filter.groupIndex = static_cast<int16>(shape.group);
    b2Vec2 points[b2_maxPolygonVertices];
    for (uint32_t i = 0; i < shape.point_count; ++i) {
        points[i] = vec(shape.x[i], shape.y[i]);
    }
    switch (shape.kind) {
    case BENCH_CIRCLE:
        add_circle(body, def, points[0], shape.radius);
        break;
    case BENCH_POLYGON:
        add_polygon(body, def, points, shape.point_count);
        break;
    case BENCH_CAPSULE:
        add_capsule(body, def, points[0], points[1], shape.radius);
        break;
    }
}

b2Body *add_body(b2World &world, const bench_scene &scene, const bench_body &body) {
    b2BodyDef def;
    def.type = body.type == BENCH_STATIC      ? b2_staticBody
               : body.type == BENCH_KINEMATIC ? b2_kinematicBody
                                              : b2_dynamicBody;
    def.position = vec(body.x, body.y);
    def.angle = static_cast<float>(body.angle);
    def.linearVelocity = vec(body.vx, body.vy);
    def.angularVelocity = static_cast<float>(body.w);
    b2Body *made = world.CreateBody(&def);
    for (uint32_t i = 0; i < body.shape_count; ++i) {
        add_shape(made, scene.shapes[body.shape_first + i]);
    }
    return made;
}

/// Anchors and what every joint has.
template <typename Def> void set_pair(Def &def, b2Body *a, b2Body *b, const bench_joint &joint) {
    def.bodyA = a;
    def.bodyB = b;
    def.localAnchorA = vec(joint.ax, joint.ay);
    def.localAnchorB = vec(joint.bx, joint.by);
    def.collideConnected = joint.collide_connected;
}

void add_revolute(b2World &world, b2Body *a, b2Body *b, const bench_joint &joint) {
    b2RevoluteJointDef def;
    set_pair(def, a, b, joint);
    def.enableLimit = joint.has_limit;
    def.lowerAngle = real(joint.lower);
    def.upperAngle = real(joint.upper);
    def.enableMotor = joint.has_motor;
    def.motorSpeed = real(joint.motor_speed);
    def.maxMotorTorque = real(joint.motor_max);
    world.CreateJoint(&def);
}

/// A spring's stiffness and damping, of a length or of an angle.
template <typename Def> void set_spring(Def &def, bool is_angle, const bench_joint &joint) {
    if (joint.has_spring) {
        const float hertz = real(joint.spring_hertz), ratio = real(joint.spring_damping_ratio);
        (is_angle ? b2AngularStiffness : b2LinearStiffness)(def.stiffness, def.damping, hertz, ratio, def.bodyA,
                                                            def.bodyB);
    }
}

void add_distance(b2World &world, b2Body *a, b2Body *b, const bench_joint &joint) {
    b2DistanceJointDef def;
    set_pair(def, a, b, joint);
    if (joint.has_limit) {
        def.minLength = real(joint.lower);
        def.maxLength = real(joint.upper);
    }
    def.length = joint.has_spring ? real(joint.rest) : def.maxLength;
    set_spring(def, false, joint);
    world.CreateJoint(&def);
}

void add_weld(b2World &world, b2Body *a, b2Body *b, const bench_joint &joint) {
    b2WeldJointDef def;
    set_pair(def, a, b, joint);
    def.referenceAngle = real(joint.rest);
    set_spring(def, true, joint);
    world.CreateJoint(&def);
}

/// Limits and the line of a prismatic or wheel joint.
template <typename Def> void set_line(Def &def, b2Body *a, b2Body *b, const bench_joint &joint) {
    set_pair(def, a, b, joint);
    def.localAxisA = vec(joint.axis_x, joint.axis_y);
    def.enableLimit = joint.has_limit;
    def.lowerTranslation = real(joint.lower);
    def.upperTranslation = real(joint.upper);
    def.enableMotor = joint.has_motor;
    def.motorSpeed = real(joint.motor_speed);
}

void add_prismatic(b2World &world, b2Body *a, b2Body *b, const bench_joint &joint) {
    b2PrismaticJointDef def;
    set_line(def, a, b, joint);
    def.referenceAngle = real(joint.reference);
    def.maxMotorForce = real(joint.motor_max);
    world.CreateJoint(&def);
}

/// Its spring rests at 0: one that rests elsewhere begins there.
void add_wheel(b2World &world, b2Body *a, b2Body *b, const bench_joint &joint) {
    b2WheelJointDef def;
    set_line(def, a, b, joint);
    def.localAnchorA += real(joint.rest) * def.localAxisA;
    def.lowerTranslation -= real(joint.rest);
    def.upperTranslation -= real(joint.rest);
    def.maxMotorTorque = real(joint.motor_max);
    set_spring(def, false, joint);
    world.CreateJoint(&def);
}

void add_friction(b2World &world, b2Body *a, b2Body *b, const bench_joint &joint) {
    b2FrictionJointDef def;
    set_pair(def, a, b, joint);
    def.maxForce = joint.force_max > 0 ? real(joint.force_max) : b2_maxFloat;
    def.maxTorque = joint.torque_max > 0 ? real(joint.torque_max) : b2_maxFloat;
    world.CreateJoint(&def);
}

/// Of the bodies' origins: only a joint that holds B's is the same.
bool add_motor(b2World &world, b2Body *a, b2Body *b, const bench_joint &joint) {
    b2MotorJointDef def;
    def.bodyA = a;
    def.bodyB = b;
    def.collideConnected = joint.collide_connected;
    def.linearOffset = vec(joint.ax, joint.ay);
    def.angularOffset = real(joint.rest);
    def.maxForce = joint.force_max > 0 ? real(joint.force_max) : b2_maxFloat;
    def.maxTorque = joint.torque_max > 0 ? real(joint.torque_max) : b2_maxFloat;
    world.CreateJoint(&def);
    return joint.bx == 0 && joint.by == 0;
}

/// A rope over two points of the world.
bool add_pulley(b2World &world, const std::vector<b2Body *> &bodies, const bench_joint &joint) {
    b2Body *a = bodies[joint.body_a], *c = bodies[joint.body_c];
    b2PulleyJointDef def;
    def.bodyA = bodies[joint.body_b];
    def.bodyB = bodies[joint.body_d];
    def.collideConnected = joint.collide_connected;
    def.groundAnchorA = a->GetWorldPoint(vec(joint.ax, joint.ay));
    def.groundAnchorB = c->GetWorldPoint(vec(joint.cx, joint.cy));
    def.localAnchorA = vec(joint.bx, joint.by);
    def.localAnchorB = vec(joint.dx, joint.dy);
    def.ratio = real(joint.ratio);
    def.lengthB = b2Distance(def.groundAnchorB, def.bodyB->GetWorldPoint(def.localAnchorB));
    def.lengthA = real(joint.rest) - def.ratio * def.lengthB;
    const bool is_theirs = a->GetType() == b2_staticBody && c->GetType() == b2_staticBody && !joint.has_limit &&
                           !joint.has_spring && joint.ratio > 0 && def.bodyA != def.bodyB;
    if (is_theirs) {
        world.CreateJoint(&def);
    }
    return is_theirs;
}

/// @return whether there is such a joint
bool add_joint(b2World &world, const std::vector<b2Body *> &bodies, const bench_joint &joint) {
    b2Body *a = bodies[joint.body_a], *b = bodies[joint.body_b];
    switch (joint.kind) {
    case ISO_JOINT_REVOLUTE:
        add_revolute(world, a, b, joint);
        return !joint.has_spring;
    case ISO_JOINT_DISTANCE:
        add_distance(world, a, b, joint);
        return true;
    case ISO_JOINT_WELD:
        add_weld(world, a, b, joint);
        return true;
    case ISO_JOINT_PRISMATIC:
        add_prismatic(world, a, b, joint);
        return !joint.has_spring;
    case ISO_JOINT_WHEEL:
        add_wheel(world, a, b, joint);
        return true;
    case ISO_JOINT_LINE:
        add_wheel(world, a, b, joint); // its motor would turn B
        return !joint.has_motor;
    case ISO_JOINT_FRICTION:
        add_friction(world, a, b, joint);
        return true;
    case ISO_JOINT_MOTOR:
        return add_motor(world, a, b, joint);
    case ISO_JOINT_PULLEY:
        return add_pulley(world, bodies, joint);
    default:
        return false;
    }
}

void *create(const bench_scene *scene) {
    b2World *world = new b2World(vec(scene->gravity_x, scene->gravity_y));
    world->SetAllowSleeping(false);
    std::vector<b2Body *> bodies;
    for (uint32_t i = 0; i < scene->body_count; ++i) {
        bodies.push_back(add_body(*world, *scene, scene->bodies[i]));
    }
    for (uint32_t i = 0; i < scene->joint_count; ++i) {
        if (!add_joint(*world, bodies, scene->joints[i])) {
            delete world;
            return nullptr;
        }
    }
    return world;
}

void step(void *world, double seconds) {
    static_cast<b2World *>(world)->Step(static_cast<float>(seconds), 8, 3);
}

void destroy(void *world) {
    delete static_cast<b2World *>(world);
}

} // namespace

const bench_peer bench_box2d = {"Box2D 2.4", create, step, destroy};
