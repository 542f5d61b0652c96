/// What the tests of custom joints share: a game with two constraints, and a swing whose second joint is the caller's.
#ifndef TEST_CUSTOM_UTIL_H
#define TEST_CUSTOM_UTIL_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "isostep/draw.h"
#include "isostep/heap.h"
#include "isostep/proto/scene.h"
#include "isostep/snapshot.h"
#include "plane/joint/custom.h"

// ---- the document's pivot and angle as user constraints ------------------------------------------

static inline void user_turn(iso_rotation q, const iso_wide v[2], iso_wide turned[2]) {
    const iso_wide c = (iso_wide)q.c * 4, s = (iso_wide)q.s * 4; // Q2.30 to Q31.32
    turned[0] = iso_wide_sub(iso_wide_mul(c, v[0]), iso_wide_mul(s, v[1]));
    turned[1] = iso_wide_add(iso_wide_mul(s, v[0]), iso_wide_mul(c, v[1]));
}

static inline void pivot_rows(const iso_constraint_body *bodies, const iso_program_params *params,
                              const iso_wide *state, iso_constraint_rows *rows) {
    iso_wide r[2][2];
    (void)state;
    user_turn(bodies[0].rotation, params->vectors[0], r[0]);
    user_turn(bodies[1].rotation, params->vectors[1], r[1]);
    for (int axis = 0; axis < 2; ++axis) {
        rows->error[axis] = bodies[1].position[axis] + r[1][axis] - bodies[0].position[axis] - r[0][axis];
        rows->jacobian[axis][0][axis] = -ISO_WIDE_ONE;
        rows->jacobian[axis][1][axis] = ISO_WIDE_ONE;
    }
    rows->jacobian[0][0][2] = r[0][1];
    rows->jacobian[1][0][2] = -r[0][0];
    rows->jacobian[0][1][2] = -r[1][1];
    rows->jacobian[1][1][2] = r[1][0];
}

/// C = ratio phi2 - phi1 within [min, max]. state[0] counts the ticks in which it worked, state[1] the breaks.
static inline iso_status angle_check(const iso_program_params *params) {
    return params->scalars[1] <= params->scalars[2] ? ISO_OK : ISO_ERR_RANGE;
}

static inline void angle_prepare(const iso_constraint_body *bodies, const iso_program_params *params, iso_wide *state) {
    (void)bodies;
    (void)params;
    state[0] += 1;
}

static inline void angle_bounds(const iso_program_params *params, const iso_wide *state, iso_wide *low,
                                iso_wide *high) {
    (void)state;
    low[0] = params->scalars[1];
    high[0] = params->scalars[2];
}

static inline void angle_rows(const iso_constraint_body *bodies, const iso_program_params *params,
                              const iso_wide *state, iso_constraint_rows *rows) {
    (void)state;
    rows->error[0] = iso_wide_sub(iso_wide_mul(params->scalars[0], bodies[1].angle), bodies[0].angle);
    rows->jacobian[0][0][2] = -ISO_WIDE_ONE;
    rows->jacobian[0][1][2] = params->scalars[0];
}

static inline void angle_broken(const iso_program_params *params, iso_wide *state) {
    (void)params;
    state[1] += 1;
}

/// A copy has worked as long, and is whole.
static inline void angle_copy(const iso_program_params *params, const iso_wide *state, iso_wide *copy) {
    (void)params;
    (void)state;
    copy[1] = 0;
}

/// An arc around body 2 to its angle, and as many points on it as there were breaks.
static inline void angle_draw(const iso_constraint_body *bodies, const iso_program_params *params,
                              const iso_wide *state, iso_draw *draw) {
    const iso_vec2_wide centre = {bodies[1].position[0], bodies[1].position[1]};
    iso_draw_item item = {.kind = ISO_DRAW_ARC,
                          .role = ISO_DRAW_LIMIT,
                          .point_count = 1,
                          .points = {centre},
                          .radius = ISO_WIDE_ONE,
                          .angle_from = params->scalars[1],
                          .angle_to = bodies[1].angle,
                          .body = {1, 1}}; // is not for it to say
    iso_draw_add(draw, &item);
    item = (iso_draw_item){.kind = ISO_DRAW_POINT, .role = 99, .point_count = 1, .points = {centre}};
    for (iso_wide i = 0; i < state[1]; ++i) {
        iso_draw_add(draw, &item);
    }
}

/// Carries body 2 at body 1's height or above, with `most` newtons (0: any), and keeps its angle. state[0] counts the
/// breaks.
static inline void shelf_bounds(const iso_program_params *params, const iso_wide *state, iso_wide *low,
                                iso_wide *high) {
    (void)params;
    (void)state;
    low[0] = low[1] = high[1] = 0;
    high[0] = ISO_WIDE_MAX;
}

static inline void shelf_rows(const iso_constraint_body *bodies, const iso_program_params *params,
                              const iso_wide *state, iso_constraint_rows *rows) {
    (void)params;
    (void)state;
    rows->error[0] = bodies[1].position[1] - bodies[0].position[1];
    rows->jacobian[0][0][1] = -ISO_WIDE_ONE;
    rows->jacobian[0][1][1] = ISO_WIDE_ONE;
    rows->error[1] = bodies[1].angle - bodies[0].angle;
    rows->jacobian[1][0][2] = -ISO_WIDE_ONE;
    rows->jacobian[1][1][2] = ISO_WIDE_ONE;
}

static inline void shelf_strength(const iso_program_params *params, const iso_wide *state, iso_wide *most) {
    (void)state;
    most[0] = params->scalars[0];
}

static inline void shelf_broken(const iso_program_params *params, iso_wide *state) {
    (void)params;
    state[0] += 1;
}

/// Keeps how fast body 2 rises from body 1, in `low` to `high`, and turns it at `rate` against body 1: no position.
static inline void pace_bounds(const iso_program_params *params, const iso_wide *state, iso_wide *low, iso_wide *high) {
    (void)state;
    low[0] = params->scalars[0];
    high[0] = params->scalars[1];
    low[1] = high[1] = 0;
}

static inline void pace_rows(const iso_constraint_body *bodies, const iso_program_params *params, const iso_wide *state,
                             iso_constraint_rows *rows) {
    (void)bodies;
    (void)state;
    rows->jacobian[0][0][1] = -ISO_WIDE_ONE;
    rows->jacobian[0][1][1] = ISO_WIDE_ONE;
    rows->error[1] = iso_wide_sub(0, params->scalars[2]);
    rows->jacobian[1][0][2] = -ISO_WIDE_ONE;
    rows->jacobian[1][1][2] = ISO_WIDE_ONE;
}

static const char *const pace_scalars[] = {"low", "high", "rate"};
static const char *const shelf_scalars[] = {"most"};
static const char *const user_vectors[] = {"anchor1", "anchor2"};
static const char *const user_scalars[] = {"ratio", "jointMin", "jointMax"};
static const iso_constraint user_constraints[] = {
    {.name = "pivot",
     .body_count = 2,
     .vector_count = 2,
     .row_count = 2,
     .vector_names = user_vectors,
     .rows = pivot_rows},
    {.name = "angle",
     .body_count = 2,
     .scalar_count = 3,
     .row_count = 1,
     .angular_rows = 1,
     .scalar_names = user_scalars,
     .check = angle_check,
     .prepare = angle_prepare,
     .bounds = angle_bounds,
     .rows = angle_rows,
     .broken = angle_broken,
     .draw = angle_draw,
     .copy = angle_copy},
    {.name = "shelf",
     .body_count = 2,
     .scalar_count = 1,
     .row_count = 2,
     .angular_rows = 1u << 1,
     .scalar_names = shelf_scalars,
     .bounds = shelf_bounds,
     .rows = shelf_rows,
     .strength = shelf_strength,
     .broken = shelf_broken},
    {.name = "pace",
     .body_count = 2,
     .scalar_count = 3,
     .row_count = 2,
     .angular_rows = 1u << 1,
     .velocity_rows = 3,
     .scalar_names = pace_scalars,
     .bounds = pace_bounds,
     .rows = pace_rows},
};
static const iso_game user_game = {
    .name = "user", .version = 1, .control_layout = "none", .constraints = user_constraints, .constraint_count = 4};
static const iso_game *const user_games[] = {&user_game};

// ---- scenes --------------------------------------------------------------------------------------

#define WELD                                                                                         \
    "'weld': ['body body1, body2', 'vector anchor1, anchor2', 'scalar phase', 'constraint',"         \
    " 'let r1 = relative body1.rotation anchor1 in', 'let r2 = relative body2.rotation anchor2 in'," \
    " '{ (body2.position + r2) - (body1.position + r1)', 'body2.rotation - body1.rotation - phase }']"
#define DISTANCE                                                                                     \
    "'distance': ['body body1, body2', 'vector anchor1, anchor2', 'scalar jointMin, jointMax',"      \
    " 'limit jointMin 0 jointMax # 0 <= jointMin <= jointMax', 'constraint',"                        \
    " 'let r1 = relative body1.rotation anchor1 in', 'let r2 = relative body2.rotation anchor2 in'," \
    " '|(body2.position + r2) - (body1.position + r1)|', 'limit constraint jointMin jointMax']"
#define LINE                                                                                             \
    "'line': ['body body1, body2', 'vector anchor1, anchor2, direction', 'scalar jointMin, jointMax',"   \
    " 'limit jointMin (-inf) jointMax', 'limit |direction| eps inf', 'constraint',"                      \
    " 'let r1 = relative body1.rotation anchor1 in', 'let r2 = relative body2.rotation anchor2 in',"     \
    " 'let dir = unit(relative body1.rotation direction) in',"                                           \
    " 'let del = (body2.position + r2) - (body1.position + r1) in', '{ dir dot del', 'dir cross del }'," \
    " 'limit constraint { jointMin 0 } { jointMax 0 }']"
#define BODIES  "'bodies': {'body1': 'a', 'body2': 'b'}, "
#define ANCHORS "'anchor1': [0.75, 0], 'anchor2': [-0.75, 0]"

/// A box on a hinge, and a second one that hangs on the first by joints of the caller's.
static inline iso_status swing_parse(const char *joints, iso_scene **scene, iso_scene_error *error) {
    static const char form[] = "{'format': 1, 'name': 'swing', 'capacities': {'bodies': 4, 'shapes': 4, 'joints': 6, "
                               "'contacts': 8, 'slots': 1,"
                               " 'programs': 3, 'custom_joints': 4}, 'game': {'name': 'user'}, 'constraints': {" WELD
                               ", " DISTANCE ", " LINE "},"
                               " 'world': {'sleep_speed': 0}, 'bodies': [{'name': 'wall', 'type': 'static'},"
                               " {'name': 'a', 'position': [1, 0], 'shapes': [{'kind': 'box', 'half_width': 0.75, "
                               "'half_height': 0.25, 'filter': {'mask': 0}}]},"
                               " {'name': 'b', 'position': [2.5, 0], 'shapes': [{'kind': 'box', 'half_width': 0.75, "
                               "'half_height': 0.2, 'filter': {'mask': 0}}]}],"
                               " 'joints': [{'kind': 'revolute', 'body_a': 'wall', 'body_b': 'a', 'at': [0.25, 0]}%s]}";
    char text[8192];
    const int size = snprintf(text, sizeof text, form, joints);
    for (int i = 0; i < size; ++i) {
        text[i] = text[i] == '\'' ? '"' : text[i];
    }
    return iso_scene_parse(text, (size_t)size, user_games, 1, scene, error);
}

static inline iso_world *swing_make(const char *joints) {
    const iso_allocator allocator = iso_heap_allocator();
    iso_scene *scene = NULL;
    iso_scene_error error;
    void *memory = NULL;
    iso_world *world = NULL;
    if (swing_parse(joints, &scene, &error) != ISO_OK ||
        iso_scene_create_world(scene, NULL, &allocator, &memory, &world, &error) != ISO_OK) {
        char line[600];
        iso_scene_error_format(&error, line, sizeof line);
        fail_msg("%s", line);
    }
    iso_scene_free(scene);
    return world;
}

static inline void swing_run(iso_world *world, int ticks) {
    for (int i = 0; i < ticks; ++i) {
        assert_int_equal(iso_world_step_empty(world), ISO_OK);
    }
}

static inline iso_joint_id swing_joint(const iso_world *world, uint32_t index) {
    return iso_joint_next(world, index);
}

static inline double to_double(iso_wide value) {
    return (double)value / 4294967296.0;
}

#endif
