/// The sandbox's constraints: two that the language of symbolic constraints cannot say, for one has memory and the
/// other is defined by pieces.
///
/// zip   a tie that closes and does not open: |p| <= s, p = (x2 + r2) - (x1 + r1), with s the least of
///       shortest + n tooth that was not below |p| in any tick
///
///           C = |p|,  n = p / |p|,  J = [-n, -r1 x n, n, r2 x n]
///
///       At |p| = 0 the direction is (1, 0). s is state[0]; 0 before the first tick and after a break: nothing holds.
///
/// cam   a follower rests on a disc with a nose: C = |d| - rho(theta) >= 0, d = x2 - x1, theta the angle of d in the
///       frame of the cam, in (-pi, pi]
///
///           rho  = base + lift (1 + cos(pi theta / w)) / 2  for |theta| < w, else base;  rho continues with its slope
///           rho' = -lift pi / (2 w) sin(pi theta / w),  n = d / |d|,  t = [-n_y, n_x] / |d|
///           J    = [-(n - rho' t), rho', n - rho' t, 0]
///
///       At d = 0 t is 0: the follower is pushed out along x.
///
/// Ranges. Anchors are within 60 m and places within 2^16 m, so |p| < 2^17 m [Q31.32: 2^49]; |rho'| <= 1000 * 101 <
/// 2^17. t is as large as 1 / |d| may be: products saturate, and the joint cuts J at 2^18. Written against the public
/// interface only. Test: tests/unit/games/test_game_constraints.c.
#include <stdbool.h>

#include "sandbox.h"

#define ANCHOR_MAX (60 * ISO_WIDE_ONE)
#define LENGTH_MIN (ISO_WIDE_ONE / 1024) // [m] of a zip's tooth and its shortest length
#define LENGTH_MAX (32767 * ISO_WIDE_ONE)
#define CAM_MIN    (ISO_WIDE_ONE / 64) // [m] of a base; [rad] of a width
#define CAM_MAX    (1000 * ISO_WIDE_ONE)
#define CAM_PI     INT64_C(13493037704) // below pi by 0.52 quanta

typedef struct constraint_way {
    iso_wide vector[2];
    iso_wide length;
    iso_wide direction[2];
} constraint_way;

static constraint_way way_make(iso_wide x, iso_wide y) {
    constraint_way way = {.vector = {x, y}, .length = iso_wide_hypot(x, y), .direction = {ISO_WIDE_ONE, 0}};
    if (way.length != 0) {
        way.direction[0] = iso_wide_div(x, way.length);
        way.direction[1] = iso_wide_div(y, way.length);
    }
    return way;
}

/// Q2.30 to Q31.32.
static iso_wide constraint_unit(int32_t component) {
    return (iso_wide)component * 4;
}

// ---- zip -----------------------------------------------------------------------------------------

enum { ZIP_SHORTEST, ZIP_TOOTH, ZIP_SCALARS };

static const char *const ZIP_VECTOR_NAMES[] = {"anchor1", "anchor2"};
static const char *const ZIP_SCALAR_NAMES[ZIP_SCALARS] = {[ZIP_SHORTEST] = "shortest", [ZIP_TOOTH] = "tooth"};

static iso_status zip_check(const iso_program_params *params) {
    bool fits = true;
    for (uint32_t i = 0; i < ZIP_SCALARS; ++i) {
        fits = fits && params->scalars[i] >= LENGTH_MIN && params->scalars[i] <= LENGTH_MAX;
    }
    for (uint32_t i = 0; i < 4; ++i) {
        const iso_wide anchor = params->vectors[i / 2][i % 2];
        fits = fits && anchor >= -ANCHOR_MAX && anchor <= ANCHOR_MAX;
    }
    return fits ? ISO_OK : ISO_ERR_RANGE;
}

/// A body's anchor, from its centre.
static void zip_lever(const iso_constraint_body *body, const iso_wide *anchor, iso_wide lever[2]) {
    const iso_wide c = constraint_unit(body->rotation.c), s = constraint_unit(body->rotation.s);
    lever[0] = iso_wide_sub(iso_wide_mul(c, anchor[0]), iso_wide_mul(s, anchor[1]));
    lever[1] = iso_wide_add(iso_wide_mul(s, anchor[0]), iso_wide_mul(c, anchor[1]));
}

static constraint_way zip_way(const iso_constraint_body *bodies, const iso_program_params *params,
                              iso_wide levers[2][2]) {
    zip_lever(&bodies[0], params->vectors[0], levers[0]);
    zip_lever(&bodies[1], params->vectors[1], levers[1]);
    const iso_wide x = iso_wide_sub(iso_wide_add(bodies[1].position[0], levers[1][0]),
                                    iso_wide_add(bodies[0].position[0], levers[0][0]));
    const iso_wide y = iso_wide_sub(iso_wide_add(bodies[1].position[1], levers[1][1]),
                                    iso_wide_add(bodies[0].position[1], levers[0][1]));
    return way_make(x, y);
}

static void zip_prepare(const iso_constraint_body *bodies, const iso_program_params *params, iso_wide *state) {
    iso_wide levers[2][2];
    const iso_wide shortest = params->scalars[ZIP_SHORTEST], tooth = params->scalars[ZIP_TOOTH];
    const iso_wide beyond = iso_wide_sub(zip_way(bodies, params, levers).length, shortest);
    const iso_wide teeth = beyond <= 0 ? 0 : 1 + (beyond - 1) / tooth; // rounded up
    const iso_wide length = iso_wide_add(shortest, teeth * tooth);
    if (state[0] == 0 || length < state[0]) {
        state[0] = length;
    }
}

static void zip_bounds(const iso_program_params *params, const iso_wide *state, iso_wide *low, iso_wide *high) {
    (void)params;
    low[0] = ISO_WIDE_MIN;
    high[0] = state[0] == 0 ? ISO_WIDE_MAX : state[0];
}

static void zip_rows(const iso_constraint_body *bodies, const iso_program_params *params, const iso_wide *state,
                     iso_constraint_rows *rows) {
    (void)state;
    iso_wide levers[2][2];
    const constraint_way way = zip_way(bodies, params, levers);
    rows->error[0] = way.length;
    for (uint32_t i = 0; i < 2; ++i) {
        const iso_wide sign = i == 0 ? -1 : 1;
        const iso_wide turn =
            iso_wide_sub(iso_wide_mul(levers[i][0], way.direction[1]), iso_wide_mul(levers[i][1], way.direction[0]));
        rows->jacobian[0][i][0] = sign * way.direction[0];
        rows->jacobian[0][i][1] = sign * way.direction[1];
        rows->jacobian[0][i][2] = sign * turn;
    }
}

/// What is joined again afterwards closes anew.
static void zip_broken(const iso_program_params *params, iso_wide *state) {
    (void)params;
    state[0] = 0;
}

// ---- cam -----------------------------------------------------------------------------------------

enum { CAM_BASE, CAM_LIFT, CAM_WIDTH, CAM_SCALARS };

static const char *const CAM_SCALAR_NAMES[CAM_SCALARS] = {
    [CAM_BASE] = "base", [CAM_LIFT] = "lift", [CAM_WIDTH] = "width"};

static iso_status cam_check(const iso_program_params *params) {
    const iso_wide base = params->scalars[CAM_BASE], lift = params->scalars[CAM_LIFT],
                   width = params->scalars[CAM_WIDTH];
    const bool fits =
        base >= CAM_MIN && base <= CAM_MAX && lift >= 0 && lift <= CAM_MAX && width >= CAM_MIN && width <= CAM_PI;
    return fits ? ISO_OK : ISO_ERR_RANGE;
}

static void cam_bounds(const iso_program_params *params, const iso_wide *state, iso_wide *low, iso_wide *high) {
    (void)params, (void)state;
    low[0] = 0;
    high[0] = ISO_WIDE_MAX;
}

/// The cam's radius towards a point of its frame, and how that grows by the angle [m/rad].
static iso_wide cam_radius(const iso_program_params *params, iso_wide x, iso_wide y, iso_wide *slope) {
    const iso_wide lift = params->scalars[CAM_LIFT], width = params->scalars[CAM_WIDTH];
    const iso_wide angle = iso_wide_atan2(y, x), half = iso_turns_from_radians(width);
    *slope = 0;
    if (angle <= -half || angle >= half) {
        return params->scalars[CAM_BASE];
    }
    const iso_rotation turned = iso_rotation_make((uint32_t)iso_wide_div(angle, 2 * half)); // of pi theta / w
    const iso_wide steepest = iso_wide_mul(lift, iso_wide_div(CAM_PI, 2 * width));
    *slope = -iso_wide_mul(steepest, constraint_unit(turned.s));
    return iso_wide_add(params->scalars[CAM_BASE], iso_wide_mul(lift, (ISO_WIDE_ONE + constraint_unit(turned.c)) / 2));
}

static void cam_rows(const iso_constraint_body *bodies, const iso_program_params *params, const iso_wide *state,
                     iso_constraint_rows *rows) {
    (void)state;
    const constraint_way way = way_make(iso_wide_sub(bodies[1].position[0], bodies[0].position[0]),
                                        iso_wide_sub(bodies[1].position[1], bodies[0].position[1]));
    const iso_wide c = constraint_unit(bodies[0].rotation.c), s = constraint_unit(bodies[0].rotation.s);
    const iso_wide x = iso_wide_add(iso_wide_mul(c, way.vector[0]), iso_wide_mul(s, way.vector[1]));
    const iso_wide y = iso_wide_sub(iso_wide_mul(c, way.vector[1]), iso_wide_mul(s, way.vector[0]));
    iso_wide slope;
    rows->error[0] = iso_wide_sub(way.length, cam_radius(params, x, y, &slope));
    const iso_wide by_way = way.length == 0 ? 0 : iso_wide_div(slope, way.length);
    rows->jacobian[0][1][0] = iso_wide_add(way.direction[0], iso_wide_mul(by_way, way.direction[1]));
    rows->jacobian[0][1][1] = iso_wide_sub(way.direction[1], iso_wide_mul(by_way, way.direction[0]));
    rows->jacobian[0][0][0] = iso_wide_sub(0, rows->jacobian[0][1][0]);
    rows->jacobian[0][0][1] = iso_wide_sub(0, rows->jacobian[0][1][1]);
    rows->jacobian[0][0][2] = slope;
}

const iso_constraint iso__sandbox_constraints[SANDBOX_CONSTRAINT_COUNT] = {
    {.name = "zip",
     .body_count = 2,
     .vector_count = 2,
     .scalar_count = ZIP_SCALARS,
     .row_count = 1,
     .vector_names = ZIP_VECTOR_NAMES,
     .scalar_names = ZIP_SCALAR_NAMES,
     .check = zip_check,
     .prepare = zip_prepare,
     .bounds = zip_bounds,
     .rows = zip_rows,
     .broken = zip_broken},
    {.name = "cam",
     .body_count = 2,
     .scalar_count = CAM_SCALARS,
     .row_count = 1,
     .scalar_names = CAM_SCALAR_NAMES,
     .check = cam_check,
     .bounds = cam_bounds,
     .rows = cam_rows},
};
