/// What the tests of joints share that act on angles alone: a pair of discs that turn.
#ifndef TEST_JOINT_TURNING_PAIR_H
#define TEST_JOINT_TURNING_PAIR_H

#include "unit/plane/joint/joint_util.h"

/// Two discs side by side that only turn, of different inertias.
typedef struct pair {
    iso_world *world;
    iso_body_id a, b;
    iso_joint_def def;
    double ia, ib;
} pair;

static inline pair pair_make(iso_joint_kind kind, double ratio) {
    pair is = {.world = world_make_small(0)};
    const iso_shape_def small = shape_circle(0.4), large = shape_circle(0.7);
    is.a = body_add_shape(is.world, ISO_BODY_DYNAMIC, -2, 0, 0, &small);
    is.b = body_add_shape(is.world, ISO_BODY_DYNAMIC, 2, 0, 0, &large);
    is.def = joint_def(kind, is.a, is.b);
    is.def.ratio = fix(ratio);
    is.ia = body_pose(is.world, is.a).inertia;
    is.ib = body_pose(is.world, is.b).inertia;
    return is;
}

static inline void turn(iso_world *world, iso_body_id body, double w) {
    body_set_velocity(world, body, 0, 0, w);
}

/// The angle r φB - φA from the bodies.
static inline double pair_angle(const pair *is, double ratio) {
    return ratio * body_pose(is->world, is->b).angle - body_pose(is->world, is->a).angle;
}

static inline void step_with_torque(iso_world *world, iso_body_id body, double torque, int ticks) {
    for (int t = 0; t < ticks; ++t) {
        EXPECT_STATUS(iso_body_apply_torque(world, body, wide(torque)), ISO_OK);
        world_steps(world, 1);
    }
}

static const double ratios[] = {1, 0.25, -3, 40};

#endif
