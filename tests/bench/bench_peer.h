/// isostep-bench: a scene in plain doubles, and the other engines that run it. The engines come from packages; one that
/// is not installed is left out of the build.
#ifndef ISO_BENCH_PEER_H
#define ISO_BENCH_PEER_H

#include <stdbool.h>
#include <stdint.h>

#include "isostep/joint.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum bench_shape_kind { BENCH_CIRCLE, BENCH_POLYGON, BENCH_CAPSULE } bench_shape_kind;

typedef struct bench_shape {
    bench_shape_kind kind;
    double density, friction, restitution, radius;
    uint32_t category, mask;
    int32_t group;
    uint32_t point_count;
    double x[8], y[8]; // body frame; a circle's centre, the ends of a capsule's segment
} bench_shape;

typedef enum bench_body_type { BENCH_STATIC, BENCH_KINEMATIC, BENCH_DYNAMIC } bench_body_type;

typedef struct bench_body {
    bench_body_type type;
    double x, y, angle;
    double vx, vy, w;
    uint32_t shape_first, shape_count;
} bench_body;

typedef struct bench_joint {
    uint8_t kind;                            // iso_joint_kind
    uint32_t body_a, body_b, body_c, body_d; // indices; C and D of a pulley
    double ax, ay, bx, by, cx, cy, dx, dy;   // anchors in the bodies' frames
    double axis_x, axis_y;                   // in A's frame, of length 1
    bool collide_connected;
    bool has_limit;
    double lower, upper; // angle or length; a rod has both equal
    bool has_motor;
    double motor_speed, motor_max;
    bool has_spring;
    double rest, spring_hertz, spring_damping_ratio;
    double ratio, reference, ratchet;
    double force_max, torque_max; // of a friction or motor joint
} bench_joint;

typedef struct bench_scene {
    double gravity_x, gravity_y;
    bench_body *bodies;
    uint32_t body_count;
    bench_shape *shapes;
    bench_joint *joints;
    uint32_t joint_count;
    const char *foreign; // what of the scene none of the peers has, or NULL
} bench_scene;

/// An engine that runs the same scene, with its own default of iterations, nothing asleep, on one thread.
typedef struct bench_peer {
    const char *name;
    void *(*create)(const bench_scene *scene); // NULL: the engine does not have all that is in the scene
    void (*step)(void *world, double seconds);
    void (*destroy)(void *world);
} bench_peer;

extern const bench_peer bench_chipmunk;
extern const bench_peer bench_box2d;

#ifdef __cplusplus
}
#endif

#endif
