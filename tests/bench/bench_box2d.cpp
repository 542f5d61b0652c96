/// A scene in Box2D 2.4, which has no rounding of polygons but its own.
#include <box2d/box2d.h>

#include <vector>

#include "bench_peer.h"

namespace {

b2Vec2 vec(double x, double y) {
    return b2Vec2(static_cast<float>(x), static_cast<float>(y));
}

void add_shape(b2Body *body, const bench_shape &shape) {
    b2FixtureDef def;
    def.density = static_cast<float>(shape.density);
    def.friction = static_cast<float>(shape.friction);
    def.restitution = static_cast<float>(shape.restitution);
    def.filter.categoryBits = static_cast<uint16>(shape.category);
    def.filter.maskBits = static_cast<uint16>(shape.mask);
    def.filter.groupIndex = static_cast<int16>(shape.group);
    b2CircleShape circle;
    b2PolygonShape polygon;
    if (shape.kind == BENCH_CIRCLE) {
        circle.m_p = vec(shape.x[0], shape.y[0]);
        circle.m_radius = static_cast<float>(shape.radius);
        def.shape = &circle;
    } else {
        b2Vec2 points[b2_maxPolygonVertices];
        for (uint32_t i = 0; i < shape.point_count; i++) {
            points[i] = vec(shape.x[i], shape.y[i]);
        }
        polygon.Set(points, static_cast<int32>(shape.point_count));
        def.shape = &polygon;
    }
    body->CreateFixture(&def);
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

void *create(const bench_scene *scene) {
    b2World *world = new b2World(vec(scene->gravity_x, scene->gravity_y));
    world->SetAllowSleeping(false);
    std::vector<b2Body *> bodies;
    for (uint32_t i = 0; i < scene->body_count; i++) {
        bodies.push_back(add_body(*world, *scene, scene->bodies[i]));
    }
    for (uint32_t i = 0; i < scene->joint_count; i++) {
        const bench_joint &joint = scene->joints[i];
        b2RevoluteJointDef def;
        def.bodyA = bodies[joint.body_a];
        def.bodyB = bodies[joint.body_b];
        def.localAnchorA = vec(joint.ax, joint.ay);
        def.localAnchorB = vec(joint.bx, joint.by);
        def.collideConnected = joint.collide_connected;
        world->CreateJoint(&def);
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
