/// The point row of the joints at the corners of its inputs: anchors 60 m out on pebbles, bodies 60 km apart, masses
/// from 2^-16 to 2^17 kg, the stiffest and the softest springs.
///
/// Every expression is written once more in 128 bits. The row's results must equal it bit for bit, or saturate where
/// it exceeds 64 bits; impulses and velocities must stay within their limits whatever the inputs. A build with
/// -fsanitize=undefined runs the same corners.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "plane/joint/pair.h"
#include "plane/joint/point.h"
#include "plane/joint/work.h"
#include "plane/world/scratch.h"
#include "solver/softness.h"
#include "world/records.h"
#include "world/world.h"
#include "math/fixed_ops.h"

__extension__ typedef __int128 big;

#define SPEED_MAX   (ISO_SPEED_MAX_M_S * (int64_t)ISO__VEL_ONE)
#define IMPULSE_MAX (INT64_C(1) << 47) // of a component of the accumulated impulse
#define METRE       ((int64_t)ISO__LENGTH_ONE)

// ---- arithmetic ----------------------------------------------------------------------------------

static big clamp(big value, big low, big high) {
    return value < low ? low : value > high ? high : value;
}

static int64_t saturate(big value) {
    return (int64_t)clamp(value, INT64_MIN, INT64_MAX);
}

/// value / 2^shift to nearest, a half up.
static big round_shift(big value, int shift) {
    return (value + ((big)1 << (shift - 1))) >> shift;
}

// ---- a world of two bodies and a joint -----------------------------------------------------------

typedef struct rig {
    iso__plane plane;
    iso__plane_step_scratch scratch;
    iso__plane_body bodies[2];
    iso__plane_body_derived derived[2];
    iso__plane_joint joint;
    iso__plane_motion motions[3];
    iso__plane_drift drifts[3];
    iso_rotation rotations[3];
    iso__plane_joint_work work;
} rig;

static uint64_t random_state = 1;

static uint64_t random_next(void) {
    random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return random_state >> 16;
}

#define PICK(array) ((array)[random_next() % (sizeof(array) / sizeof((array)[0]))])

static const int64_t PLACES[] = {-ISO_POSITION_MAX_M * ISO_WIDE_ONE, -ISO_WIDE_ONE, 0, 1,
                                 ISO_POSITION_MAX_M *ISO_WIDE_ONE};
static const int64_t SPEEDS[] = {-SPEED_MAX, -1, 0, SPEED_MAX};
static const int64_t ANCHORS[] = {-60 * METRE, -METRE / 2, 0, METRE / 100, 60 * METRE};
static const int64_t CENTRES[] = {-60 * METRE, 0, 60 * METRE};
static const int64_t MASSES[] = {0, INT64_C(1) << 16, ISO_WIDE_ONE, 10000 * ISO_WIDE_ONE, INT64_C(1) << 49};
static const int64_t GYRATIONS[] = {INT64_C(1) << 22, INT64_C(7) << 22, INT64_C(500) << 22};
static const int64_t IMPULSES[] = {-IMPULSE_MAX, -1, 0, 1, IMPULSE_MAX};
static const int64_t FORCES[] = {0, 0, 1, 100 * ISO_WIDE_ONE, ISO_IMPULSE_MAX *ISO_WIDE_ONE, INT64_MAX};
static const int8_t EXPONENTS[] = {-8, 0, 6};
static const fix16_t HERTZ[] = {0, 0, 1, 5 * ISO_FIX16_ONE, 1000 * ISO_FIX16_ONE};
static const fix16_t RATIOS[] = {0, ISO_FIX16_ONE, 1000 * ISO_FIX16_ONE};
static const uint16_t RATES[][2] = {{10, 6}, {60, 4}, {127, 16}}; // ticks a second, substeps

static void rig_fill_body(rig *on, uint32_t i, uint16_t tick_rate) {
    const int64_t drift_max = ISO_SPEED_MAX_M_S * ISO_WIDE_ONE / tick_rate;
    const int64_t drifts[] = {-drift_max, 0, drift_max};
    on->derived[i] = (iso__plane_body_derived){.mass = PICK(MASSES),
                                               .local_centre = {(int32_t)PICK(CENTRES), (int32_t)PICK(CENTRES)},
                                               .radius_exponent = PICK(EXPONENTS)};
    on->derived[i].gyration = on->derived[i].mass == 0 ? 0 : (int32_t)PICK(GYRATIONS);
    on->bodies[i].position[0] = PICK(PLACES);
    on->bodies[i].position[1] = PICK(PLACES);
    on->motions[i] = (iso__plane_motion){.velocity = {(int32_t)PICK(SPEEDS), (int32_t)PICK(SPEEDS)},
                                         .spin = (int32_t)PICK(SPEEDS),
                                         .kind = on->derived[i].mass != 0};
    on->drifts[i] = (iso__plane_drift){.moved = {PICK(drifts), PICK(drifts)}};
    on->rotations[i] = iso_rotation_make((uint32_t)(random_next() % 16) << 28);
}

static void rig_fill(rig *on) {
    const uint16_t *rates = PICK(RATES);
    const int32_t rate = rates[0] * rates[1];
    memset(on, 0, sizeof *on);
    on->plane.world.def.body_capacity = 2;
    on->plane.bodies = on->bodies;
    on->plane.body_derived = on->derived;
    on->plane.joints = &on->joint;
    on->plane.scratch = &on->scratch;
    on->scratch.motions = on->motions;
    on->scratch.drifts = on->drifts;
    on->scratch.rotations = on->rotations;
    on->scratch.params.substep_rate = rate;
    on->scratch.params.h = (int32_t)iso__div_round64(INT64_C(1) << ISO__STEP_FRACTION, rate);
    on->scratch.params.joint_soft =
        iso__softness_make(iso_wide_from_int(rate) / 4, iso_wide_from_fix16(PICK(RATIOS)), rate);
    rig_fill_body(on, 0, rates[0]);
    rig_fill_body(on, 1, rates[0]);
    on->derived[1].mass = on->derived[0].mass == 0 && on->derived[1].mass == 0 ? ISO_WIDE_ONE : on->derived[1].mass;
    on->motions[1].kind = on->derived[1].mass != 0;
    on->joint = (iso__plane_joint){.kind = ISO_JOINT_REVOLUTE,
                                   .body_b = 1,
                                   .force_max = PICK(FORCES),
                                   .anchor_a = {(int32_t)PICK(ANCHORS), (int32_t)PICK(ANCHORS)},
                                   .anchor_b = {(int32_t)PICK(ANCHORS), (int32_t)PICK(ANCHORS)},
                                   .hertz = PICK(HERTZ),
                                   .damping_ratio = PICK(RATIOS)};
    on->joint.impulse[0] = PICK(IMPULSES);
    on->joint.impulse[1] = PICK(IMPULSES);
    iso__plane_joint_prepare_pair(&on->plane, &on->joint, &on->work);
    iso__plane_point_prepare(&on->plane, &on->joint, &on->work);
}

// ---- the row in 128 bits -------------------------------------------------------------------------

static void twin_lever(const rig *on, uint32_t body, const int32_t local[2], big lever[2]) {
    const iso_rotation q = on->rotations[body];
    lever[0] = round_shift((big)q.c * local[0] - (big)q.s * local[1], 22);
    lever[1] = round_shift((big)q.s * local[0] + (big)q.c * local[1], 22);
}

static void assert_update_is_exact(const rig *on) {
    const iso__plane_joint_work *work = &on->work;
    big lever_a[2], lever_b[2];
    twin_lever(on, 0, work->local_a, lever_a);
    twin_lever(on, 1, work->local_b, lever_b);
    for (int axis = 0; axis < 2; ++axis) {
        const big start = (big)on->bodies[1].position[axis] - on->bodies[0].position[axis];
        const big drift = (big)on->drifts[1].moved[axis] - on->drifts[0].moved[axis];
        assert_true(work->point.row.error[axis] == start + drift + lever_b[axis] - lever_a[axis]);
        const double arm_a = ldexp((double)lever_a[axis], -work->exponent_a);
        const double arm_b = ldexp((double)lever_b[axis], -work->exponent_b);
        assert_true(fabs((double)work->point.row.arm_a[axis] - arm_a) <= 1 &&
                    fabs((double)work->point.row.arm_b[axis] - arm_b) <= 1);
    }
}

static void twin_push(iso__plane_motion *motion, big share, big turn, const int64_t arm[2], big jx, big jy) {
    if (motion->kind) {
        const big moment = saturate(round_shift(arm[0] * jy - arm[1] * jx, 32));
        motion->velocity[0] = (int32_t)clamp(motion->velocity[0] + round_shift(share * jx, 43), -SPEED_MAX, SPEED_MAX);
        motion->velocity[1] = (int32_t)clamp(motion->velocity[1] + round_shift(share * jy, 43), -SPEED_MAX, SPEED_MAX);
        motion->spin = (int32_t)clamp(motion->spin + round_shift(turn * moment, 35), -SPEED_MAX, SPEED_MAX);
    }
}

static void twin_apply(iso__plane_motion motions[2], const iso__plane_joint_work *work, big jx, big jy) {
    twin_push(&motions[0], work->point.row.share_a, work->point.row.turn_a, work->point.row.arm_a, -jx, -jy);
    twin_push(&motions[1], work->point.row.share_b, work->point.row.turn_b, work->point.row.arm_b, jx, jy);
}

/// The accumulated impulse after one solve, before its limits.
static void twin_solve(const iso__plane_joint_work *work, const iso__plane_motion motions[2], bool is_relax, big j[2]) {
    const iso__plane_motion *a = &motions[0], *b = &motions[1];
    big rhs[2] = {
        ((big)b->velocity[0] - a->velocity[0]) * 8192 +
            round_shift((big)a->spin * work->point.row.arm_a[1] - (big)b->spin * work->point.row.arm_b[1], 19),
        ((big)b->velocity[1] - a->velocity[1]) * 8192 +
            round_shift((big)b->spin * work->point.row.arm_b[0] - (big)a->spin * work->point.row.arm_a[0], 19)};
    big impulse_scale = 0;
    if (!is_relax || work->point.is_soft) {
        for (int axis = 0; axis < 2; ++axis) {
            rhs[axis] = round_shift(rhs[axis] * work->point.soft.mass_scale +
                                        (big)work->point.row.error[axis] * work->point.soft.bias_rate * 1024,
                                    30);
        }
        impulse_scale = (big)work->point.soft.impulse_scale << 32;
    }
    const big i11 = work->point.row.inverse.i11, i12 = work->point.row.inverse.i12, i22 = work->point.row.inverse.i22;
    const big change[2] = {round_shift(i11 * rhs[0] + i12 * rhs[1] + impulse_scale * work->point.row.impulse[0], 62),
                           round_shift(i12 * rhs[0] + i22 * rhs[1] + impulse_scale * work->point.row.impulse[1], 62)};
    for (int axis = 0; axis < 2; ++axis) {
        j[axis] =
            clamp(work->point.row.impulse[axis] - clamp(change[axis], -4 * (big)IMPULSE_MAX, 4 * (big)IMPULSE_MAX),
                  -IMPULSE_MAX, IMPULSE_MAX);
    }
}

static bool motion_equals(const iso__plane_motion *a, const iso__plane_motion *b) {
    return a->velocity[0] == b->velocity[0] && a->velocity[1] == b->velocity[1] && a->spin == b->spin;
}

static void assert_solve_agrees(rig *on, bool is_relax) {
    iso__plane_joint_work *work = &on->work;
    iso__plane_motion expected[2] = {on->motions[0], on->motions[1]};
    const int64_t before[2] = {work->point.row.impulse[0], work->point.row.impulse[1]};
    big j[2];
    twin_solve(work, expected, is_relax, j);
    iso__plane_point_solve(&on->scratch, work, is_relax);
    const double length = hypot((double)work->point.row.impulse[0], (double)work->point.row.impulse[1]);
    if (work->point.impulse_max == INT64_MAX || hypot((double)j[0], (double)j[1]) < (double)work->point.impulse_max) {
        assert_true(work->point.row.impulse[0] == j[0] && work->point.row.impulse[1] == j[1]);
    }
    assert_true(length <= (double)work->point.impulse_max * (1 + 1e-9) + 2);
    twin_apply(expected, work, (big)work->point.row.impulse[0] - before[0],
               (big)work->point.row.impulse[1] - before[1]);
    assert_true(motion_equals(&on->motions[0], &expected[0]) && motion_equals(&on->motions[1], &expected[1]));
}

// ---- the tests -----------------------------------------------------------------------------------

static void test_corners_agree_with_128_bits(void **state) {
    static rig on;
    (void)state;
    random_state = 1;
    for (uint32_t n = 0; n < 200000; ++n) {
        rig_fill(&on);
        iso__plane_point_update(&on.scratch, &on.work);
        assert_update_is_exact(&on);
        iso__plane_motion expected[2] = {on.motions[0], on.motions[1]};
        twin_apply(expected, &on.work, on.work.point.row.impulse[0], on.work.point.row.impulse[1]);
        iso__plane_point_warm_start(&on.scratch, &on.work);
        assert_true(motion_equals(&on.motions[0], &expected[0]) && motion_equals(&on.motions[1], &expected[1]));
        assert_solve_agrees(&on, false);
        assert_solve_agrees(&on, true);
    }
}

/// The largest component of the anchors' relative velocity, in quanta of velocity.
static double rig_anchor_speed(const rig *on) {
    const iso__plane_motion *a = &on->motions[0], *b = &on->motions[1];
    const iso__plane_joint_work *work = &on->work;
    const double scale = (double)ISO_WIDE_ONE;
    const double x = (b->velocity[0] - b->spin * (double)work->point.row.arm_b[1] / scale) -
                     (a->velocity[0] - a->spin * (double)work->point.row.arm_a[1] / scale);
    const double y = (b->velocity[1] + b->spin * (double)work->point.row.arm_b[0] / scale) -
                     (a->velocity[1] + a->spin * (double)work->point.row.arm_a[0] / scale);
    return fmax(fabs(x), fabs(y));
}

/// Anchors within two radii, speeds that reach no clamp: one relaxing solve stops the anchors against each other, but
/// for the rounding of six velocities, whatever the masses and inertias.
static void test_a_solve_stops_the_anchors(void **state) {
    static rig on;
    (void)state;
    random_state = 1;
    for (uint32_t n = 0; n < 100000; ++n) {
        rig_fill(&on);
        double arms = 0;
        on.work.point.is_soft = false;
        on.work.point.impulse_max = INT64_MAX;
        for (int axis = 0; axis < 2; ++axis) {
            on.work.local_a[axis] = (int32_t)ldexp((double)(random_next() % 4000) / 1000 - 2, 24 + on.work.exponent_a);
            on.work.local_b[axis] = (int32_t)ldexp((double)(random_next() % 4000) / 1000 - 2, 24 + on.work.exponent_b);
            on.work.point.row.impulse[axis] = 0;
            on.motions[0].velocity[axis] /= 64;
            on.motions[1].velocity[axis] /= 64;
        }
        on.motions[0].spin /= 64;
        on.motions[1].spin /= 64;
        iso__plane_point_update(&on.scratch, &on.work);
        iso__plane_point_solve(&on.scratch, &on.work, true);
        for (int axis = 0; axis < 2; ++axis) {
            arms += fabs((double)on.work.point.row.arm_a[axis]) + fabs((double)on.work.point.row.arm_b[axis]);
        }
        assert_true(rig_anchor_speed(&on) <= 2 + arms / (double)ISO_WIDE_ONE);
    }
}

/// A joint cannot move what has no mass to move.
static void test_bodies_without_mass_stay_as_they_are(void **state) {
    static rig on;
    (void)state;
    random_state = 1;
    for (uint32_t n = 0; n < 20000; ++n) {
        rig_fill(&on);
        const iso__plane_motion before[2] = {on.motions[0], on.motions[1]};
        iso__plane_point_update(&on.scratch, &on.work);
        iso__plane_point_warm_start(&on.scratch, &on.work);
        iso__plane_point_solve(&on.scratch, &on.work, false);
        for (int i = 0; i < 2; ++i) {
            assert_true(on.derived[i].mass != 0 || motion_equals(&on.motions[i], &before[i]));
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_corners_agree_with_128_bits),
        cmocka_unit_test(test_a_solve_stops_the_anchors),
        cmocka_unit_test(test_bodies_without_mass_stay_as_they_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
