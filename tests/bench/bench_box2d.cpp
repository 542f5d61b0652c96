/// A scene in Box2D 2.4, which has no rounding of polygons but its own.
#include <box2d/box2d.h>

#include <vector>

#include "bench_peer.h"

namespace {

b2Vec2 vec(double x, double y) {
    return b2Vec2(static_cast<float>(x), static_cast<float>(y));
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
    for (uint32_t i = 0; i < shape.point_count; i++) {
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
    for (uint32_t i = 0; i < body.shape_count; i++) {
        add_shape(made, scene.shapes[body.shape_first + i]);
    }
    return made;
}

void add_revolute(b2World &world, b2Body *a, b2Body *b, const bench_joint &joint) {
    b2RevoluteJointDef def;
    def.bodyA = a;
    def.bodyB = b;
    def.localAnchorA = vec(joint.ax, joint.ay);
    def.localAnchorB = vec(joint.bx, joint.by);
    def.collideConnected = joint.collide_connected;
    def.enableLimit = joint.has_limit;
    def.lowerAngle = static_cast<float>(joint.lower);
    def.upperAngle = static_cast<float>(joint.upper);
    def.enableMotor = joint.has_motor;
    def.motorSpeed = static_cast<float>(joint.motor_speed);
    def.maxMotorTorque = static_cast<float>(joint.motor_max);
    world.CreateJoint(&def);
}

void add_distance(b2World &world, b2Body *a, b2Body *b, const bench_joint &joint) {
    b2DistanceJointDef def;
    def.bodyA = a;
    def.bodyB = b;
    def.localAnchorA = vec(joint.ax, joint.ay);
    def.localAnchorB = vec(joint.bx, joint.by);
    def.collideConnected = joint.collide_connected;
    def.minLength = static_cast<float>(joint.lower);
    def.maxLength = static_cast<float>(joint.upper);
    def.length = def.maxLength;
    world.CreateJoint(&def);
}

void add_joint(b2World &world, b2Body *a, b2Body *b, const bench_joint &joint) {
    if (joint.kind == BENCH_REVOLUTE) {
        add_revolute(world, a, b, joint);
    } else {
        add_distance(world, a, b, joint);
    }
}

void *create(const bench_scene *scene) {
    for (uint32_t i = 0; i < scene->joint_count; i++) {
        if (scene->joints[i].has_spring) {
            return nullptr; // a revolute has none here
        }
    }
    b2World *world = new b2World(vec(scene->gravity_x, scene->gravity_y));
    world->SetAllowSleeping(false);
    std::vector<b2Body *> bodies;
    for (uint32_t i = 0; i < scene->body_count; i++) {
        bodies.push_back(add_body(*world, *scene, scene->bodies[i]));
    }
    for (uint32_t i = 0; i < scene->joint_count; i++) {
        const bench_joint &joint = scene->joints[i];
        add_joint(*world, bodies[joint.body_a], bodies[joint.body_b], joint);
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
