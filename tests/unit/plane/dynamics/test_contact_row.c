/// The contact rows against 128-bit arithmetic.
///
/// Every expression of the kernels is written once more below, in numbers that cannot overflow and are cut to their
/// types afterwards. So the copy knows each intermediate that leaves its type, and what a kernel that wraps must do
/// then; its results equal the kernel's bit for bit, at corners of every input's range and at random places within.
/// As long as no body turns faster than 512 m/s within a contact, nothing may leave its type: that is the proof at
/// the head of contact_solver.c. Beyond, sums may wrap, but stay the same and stay clamped.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

// The kernels themselves, with their static parts.
#include "plane/dynamics/contact_prepare.c"
#include "plane/dynamics/contact_row.c"
#include "plane/dynamics/contact_solver.c"
#include "plane/dynamics/contact_group.h"
#include "plane/dynamics/kernels.h"

__extension__ typedef __int128 big;

#define UNIT ISO__UNIT_ONE

// ---- arithmetic that cannot overflow -------------------------------------------------------------

static const char *escaped; // the first intermediate that left its type, or NULL
static bool turns_fast;     // a row has read a spin beyond the largest speed

/// The value cut to a type of 32 or 64 bits.
static big fit(big value, int bits, const char *name) {
    const big cut = bits == 32 ? (big)(int32_t)(uint32_t)value : (big)(int64_t)(uint64_t)value;
    if (cut != value && !escaped) {
        escaped = name;
    }
    return cut;
}

/// value / 2^shift to nearest, a half up, as a kernel does that adds in 64 bits and keeps 32.
static big round_to_32(big value, int shift, const char *name) {
    const big sum = fit(fit(value, 64, name) + ((big)1 << (shift - 1)), 64, name);
    return fit(sum >> shift, 32, name);
}

/// The same by a share, with a half to the even neighbour.
static big round_share(big value, const char *name) {
    const big floor = value >> 30, rest = value - floor * UNIT;
    return fit(floor + (rest > UNIT / 2 || (rest == UNIT / 2 && floor % 2 != 0)), 32, name);
}

static big clamp(big value, big low, big high) {
    return value < low ? low : value > high ? high : value;
}

// ---- the rows in 128 bits ------------------------------------------------------------------------

typedef struct twin_body {
    big velocity[2], spin, moved[2], turned;
    bool is_dynamic;
} twin_body;

typedef struct twin_side {
    big arm, g;
} twin_side;

typedef struct twin_point {
    twin_side normal_a, normal_b, tangent_a, tangent_b;
    big normal_mass, tangent_mass, normal_impulse, tangent_impulse, impulse_max, separation, approach;
    big separation_now;
} twin_point;

typedef struct twin_lane {
    twin_body a, b;
    big nx, ny, share_a, share_b, friction, restitution, drive;
    twin_point points[2];
    big un, ut, wa, wb;
} twin_lane;

static void twin_gather(twin_lane *lane) {
    const big dx = lane->b.velocity[0] - lane->a.velocity[0], dy = lane->b.velocity[1] - lane->a.velocity[1];
    lane->un = round_to_32(lane->nx * dx + lane->ny * dy, 30, "un");
    lane->ut = round_to_32(lane->nx * dy - lane->ny * dx, 30, "ut");
    lane->wa = lane->a.spin * (1 << 22);
    lane->wb = lane->b.spin * (1 << 22);
}

static void twin_scatter_body(twin_body *body, int sign, big share, big px, big py, big spin) {
    if (body->is_dynamic) {
        const big x = fit(body->velocity[0] + sign * round_share(share * px, "share of px"), 32, "vx");
        const big y = fit(body->velocity[1] + sign * round_share(share * py, "share of py"), 32, "vy");
        body->velocity[0] = clamp(x, -SPEED_MAX, SPEED_MAX);
        body->velocity[1] = clamp(y, -SPEED_MAX, SPEED_MAX);
        body->spin = clamp(fit(spin + (1 << 21), 64, "spin") >> 22, -SPEED_MAX, SPEED_MAX);
    }
}

static void twin_scatter(twin_lane *lane, big jn, big jt) {
    const big px = round_to_32(lane->nx * jn - lane->ny * jt, 30, "px");
    const big py = round_to_32(lane->ny * jn + lane->nx * jt, 30, "py");
    twin_scatter_body(&lane->a, -1, lane->share_a, px, py, lane->wa);
    twin_scatter_body(&lane->b, 1, lane->share_b, px, py, lane->wb);
}

static big twin_velocity(const twin_lane *lane, big u, twin_side a, twin_side b) {
    const big wa = round_to_32(lane->wa, 22, "spin of A"), wb = round_to_32(lane->wb, 22, "spin of B");
    const big fastest = (big)SPEED_MAX << 22;
    turns_fast =
        turns_fast || lane->wa != clamp(lane->wa, -fastest, fastest) || lane->wb != clamp(lane->wb, -fastest, fastest);
    return fit(u + round_to_32(wb * b.arm - wa * a.arm, 30, "turning"), 32, "velocity of a row");
}

static void twin_apply(twin_lane *lane, big *u, twin_side a, twin_side b, big dj) {
    *u = fit(*u + fit(dj, 32, "dj"), 32, "u");
    lane->wa = fit(lane->wa - a.g * dj, 64, "wa");
    lane->wb = fit(lane->wb + b.g * dj, 64, "wb");
}

/// The separation at the bodies' poses.
static big twin_separate(const twin_lane *lane, const twin_point *point) {
    const twin_side a = point->normal_a, b = point->normal_b;
    const big mx = lane->b.moved[0] - lane->a.moved[0], my = lane->b.moved[1] - lane->a.moved[1];
    const big approached = fit(lane->nx * mx + lane->ny * my, 64, "approached");
    const big turned = fit(lane->b.turned * b.arm - lane->a.turned * a.arm, 64, "turned");
    return point->separation + (fit(approached + turned + (1 << 29), 64, "moved") >> 30);
}

static void twin_solve_normal(twin_lane *lane, twin_point *point, big s, const iso__step_params *params,
                              const iso__softness *soft) {
    const twin_side a = point->normal_a, b = point->normal_b;
    s = clamp(s, INT32_MIN, INT32_MAX);
    big bias = 0, mass_scale = UNIT, impulse_scale = 0;
    if (s > 0) {
        bias = clamp(fit(s * params->substep_rate + 16, 64, "s n") >> 5, 0, SPEED_MAX);
    } else if (soft) {
        bias = clamp(fit(s * soft->bias_rate + (1 << 24), 64, "s rate") >> 25, -params->push, 0);
        mass_scale = soft->mass_scale;
        impulse_scale = soft->impulse_scale;
    }
    const big vn = twin_velocity(lane, lane->un, a, b);
    const big wanted = fit(round_to_32(mass_scale * vn, 30, "ms vn") + bias, 32, "wanted");
    const big change = round_to_32(wanted * point->normal_mass + impulse_scale * point->normal_impulse, 30, "change");
    const big j = clamp(fit(point->normal_impulse - change, 32, "j"), 0, IMPULSE_MAX);
    const big dj = j - point->normal_impulse;
    point->normal_impulse = j;
    twin_apply(lane, &lane->un, a, b, dj);
}

static void twin_solve_friction(twin_lane *lane, twin_point *point) {
    const twin_side a = point->tangent_a, b = point->tangent_b;
    const big vt = fit(twin_velocity(lane, lane->ut, a, b) - lane->drive, 32, "v of t");
    const big limit = clamp(fit(lane->friction * point->normal_impulse, 64, "friction") >> 28, 0, IMPULSE_MAX);
    const big change = round_to_32(vt * point->tangent_mass, 30, "change of t");
    const big j = clamp(fit(point->tangent_impulse - change, 32, "j of t"), -limit, limit);
    const big dj = j - point->tangent_impulse;
    point->tangent_impulse = j;
    twin_apply(lane, &lane->ut, a, b, dj);
}

static void twin_warm_start(twin_lane *lane) {
    big jn = 0, jt = 0;
    twin_gather(lane);
    for (int p = 0; p < 2; ++p) {
        const twin_point *point = &lane->points[p];
        twin_apply(lane, &jn, point->normal_a, point->normal_b, point->normal_impulse);
        twin_apply(lane, &jt, point->tangent_a, point->tangent_b, point->tangent_impulse);
    }
    twin_scatter(lane, jn, jt);
}

static void twin_solve(twin_lane *lane, const iso__step_params *params, bool is_relax, bool has_moved) {
    const iso__softness *soft = lane->share_a == 0 || lane->share_b == 0 ? &params->static_soft : &params->contact_soft;
    twin_gather(lane);
    const big un = lane->un, ut = lane->ut;
    for (int p = 0; p < 2; ++p) {
        twin_point *point = &lane->points[p];
        const big s = is_relax ? twin_separate(lane, point) : has_moved ? point->separation_now : point->separation;
        twin_solve_normal(lane, point, s, params, is_relax ? NULL : soft);
        point->separation_now = is_relax ? clamp(s, params->deepest, params->farthest) : point->separation_now;
    }
    for (int p = 0; p < 2 && is_relax; ++p) {
        twin_solve_friction(lane, &lane->points[p]);
    }
    twin_scatter(lane, fit(lane->un - un, 32, "jn"), fit(lane->ut - ut, 32, "jt"));
    for (int p = 0; p < 2; ++p) {
        twin_point *point = &lane->points[p];
        point->impulse_max = point->normal_impulse > point->impulse_max ? point->normal_impulse : point->impulse_max;
    }
}

static void twin_restitute(twin_lane *lane, const iso__step_params *params) {
    twin_gather(lane);
    const big un = lane->un;
    for (int p = 0; p < 2 && lane->restitution > 0; ++p) {
        twin_point *point = &lane->points[p];
        if (point->approach > -params->restitution_threshold || point->impulse_max == 0) {
            continue;
        }
        const big vn = twin_velocity(lane, lane->un, point->normal_a, point->normal_b);
        const big wanted =
            fit(vn + round_to_32(lane->restitution * point->approach, 28, "rebound"), 32, "wanted to rebound");
        const big change = round_to_32(wanted * point->normal_mass, 30, "change to rebound");
        const big j = clamp(fit(point->normal_impulse - change, 32, "j to rebound"), 0, IMPULSE_MAX);
        const big dj = j - point->normal_impulse;
        point->normal_impulse = j;
        twin_apply(lane, &lane->un, point->normal_a, point->normal_b, dj);
    }
    twin_scatter(lane, fit(lane->un - un, 32, "jn"), 0);
}

// ---- eight lanes on the bench --------------------------------------------------------------------

typedef struct bench {
    iso__plane_step_scratch scratch;
    iso__plane_motion motions[2 * ISO__LANES];
    iso__plane_contact_group group;
    iso__plane_colour colour;
    twin_lane twins[ISO__LANES];
} bench;

/// A value's range: its corners in ascending order; random values lie between the first and the last.
typedef struct range {
    int64_t corners[7];
    uint32_t count;
} range;

static uint64_t random_state = 1;

static uint64_t random_next(void) {
    random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return random_state >> 16;
}

static int32_t take(const range *of, bool at_corners) {
    const int64_t low = of->corners[0], high = of->corners[of->count - 1];
    if (at_corners) {
        return (int32_t)of->corners[random_next() % of->count];
    }
    return (int32_t)(low + (int64_t)(random_next() % (uint64_t)(high - low + 1)));
}

/// Velocities, spins and approaches are clamped to ±512 m/s wherever they are written, impulses to 512 m/s.
static const range SPEED = {{-SPEED_MAX, 0, SPEED_MAX}, 3};
static const range DRIVE = {{-80 * (int64_t)ISO__VEL_ONE, 0, 80 * (int64_t)ISO__VEL_ONE}, 3};
static const range NORMAL_IMPULSE = {{0, 1, IMPULSE_MAX / 2, IMPULSE_MAX}, 4};
static const range TANGENT_IMPULSE = {{-IMPULSE_MAX, -1, 0, IMPULSE_MAX}, 4};
/// From two of the largest shapes on top of each other to the largest speculative distance.
static const range SEPARATION = {
    {-121 * (int64_t)ISO__LENGTH_ONE, -83886, -1, 0, 1, 335544, (int64_t)ISO__LENGTH_ONE / 2}, 7};
/// Arms are clamped to ±1. At 1/22 the change of spin per velocity, g/K, is largest for the largest gyration.
static const range ARM = {{-UNIT, -UNIT / 2, -UNIT / 22, 0, UNIT / 22, UNIT / 2, UNIT}, 7};
/// m L^2 / I is at least one by geometry, at most 500 by the check of a body's mass.
static const range GYRATION = {{INT64_C(1) << 22, INT64_C(7) << 22, INT64_C(500) << 22}, 3};
static const range FRICTION = {{0, 161061274, INT64_C(2120638464)}, 3}; // 0, 0.6, 7.9
static const range RESTITUTION = {{0, INT64_C(1) << 27, INT64_C(1) << 28}, 3};
static const range APPROACH = {{-SPEED_MAX, -ISO__VEL_ONE, 0, SPEED_MAX}, 4};
static const int64_t MASSES[] = {0, INT64_C(1) << 16, INT64_C(1) << 32, INT64_C(10000) << 32, INT64_C(1) << 49};
static const int32_t NORMALS[][2] = {{UNIT, 0}, {0, -UNIT}, {759250125, 759250125}, {644245094, -858993459}};
static const uint16_t RATES[][2] = {{10, 6}, {10, 16}, {60, 4}, {127, 16}}; // ticks a second, substeps

#define PICK(array) ((array)[random_next() % (sizeof(array) / sizeof((array)[0]))])

/// @return the farthest that a body moves along an axis in a tick [m] Q7.24
static int64_t bench_fill_params(bench *on) {
    static const int64_t hertz_of[] = {ISO_WIDE_ONE / 100, 30 * ISO_WIDE_ONE, 1000 * ISO_WIDE_ONE};
    static const int64_t ratio_of[] = {0, 10 * ISO_WIDE_ONE, 1000 * ISO_WIDE_ONE};
    static const int32_t speed_of[] = {0, 3 * ISO__VEL_ONE, 500 * ISO__VEL_ONE};
    const uint16_t *rates = PICK(RATES);
    const int32_t rate = rates[0] * rates[1];
    const int64_t hertz = iso__min64(PICK(hertz_of), iso_wide_from_int(rate) / 4), ratio = PICK(ratio_of);
    on->scratch.params = (iso__step_params){.substep_count = rates[1],
                                            .substep_rate = rate,
                                            .contact_soft = iso__softness_make(hertz, ratio, rate),
                                            .static_soft = iso__softness_make(2 * hertz, ratio, rate),
                                            .push = PICK(speed_of),
                                            .restitution_threshold = PICK(speed_of)};
    iso__step_params_limit(&on->scratch.params);
    return ((int64_t)ISO_SPEED_MAX_M_S << ISO__LENGTH_FRACTION) / rates[0];
}

static void bench_fill_body(iso__plane_motion *motion, twin_body *twin, int64_t moved_max, bool is_dynamic,
                            bool at_corners) {
    const range moved = {{-moved_max, 0, moved_max}, 3};
    *motion = (iso__plane_motion){.velocity = {take(&SPEED, at_corners), take(&SPEED, at_corners)},
                                  .spin = take(&SPEED, at_corners),
                                  .moved = {take(&moved, at_corners), take(&moved, at_corners)},
                                  .turned = take(&moved, at_corners),
                                  .kind = is_dynamic};
    *twin = (twin_body){.velocity = {motion->velocity[0], motion->velocity[1]},
                        .spin = motion->spin,
                        .moved = {motion->moved[0], motion->moved[1]},
                        .turned = motion->turned,
                        .is_dynamic = is_dynamic};
}

static iso__pair_lane bench_fill_side(twin_side *twin, int64_t gain, bool at_corners) {
    const iso__pair_lane side = contact_row_side(take(&ARM, at_corners), gain, -1);
    *twin = (twin_side){side.lo, side.hi};
    return side;
}

static void bench_fill_point(iso__plane_point_lanes *point, uint32_t i, twin_point *twin, const int64_t gains[2],
                             bool at_corners) {
    point->normal_a[i] = bench_fill_side(&twin->normal_a, gains[0], at_corners);
    point->normal_b[i] = bench_fill_side(&twin->normal_b, gains[1], at_corners);
    point->tangent_a[i] = bench_fill_side(&twin->tangent_a, gains[0], at_corners);
    point->tangent_b[i] = bench_fill_side(&twin->tangent_b, gains[1], at_corners);
    point->mass[i] = (iso__pair_lane){contact_row_mass(point->normal_a[i], point->normal_b[i]),
                                      contact_row_mass(point->tangent_a[i], point->tangent_b[i])};
    point->impulse[i] = (iso__pair_lane){take(&NORMAL_IMPULSE, at_corners), take(&TANGENT_IMPULSE, at_corners)};
    point->separation[i] = take(&SEPARATION, at_corners);
    point->approach[i] = take(&APPROACH, at_corners);
    point->impulse_max[i] = point->impulse[i].lo;
}

static void bench_copy_point(const iso__plane_point_lanes *point, uint32_t i, twin_point *twin) {
    twin->normal_mass = point->mass[i].lo;
    twin->tangent_mass = point->mass[i].hi;
    twin->normal_impulse = point->impulse[i].lo;
    twin->tangent_impulse = point->impulse[i].hi;
    twin->separation = point->separation[i];
    twin->separation_now = point->separation_now[i];
    twin->approach = point->approach[i];
    twin->impulse_max = point->impulse_max[i];
}

static void bench_fill_lane(bench *on, uint32_t i, int64_t moved_max, bool at_corners) {
    iso__plane_contact_group *group = &on->group;
    twin_lane *twin = &on->twins[i];
    iso__plane_body_derived a = {.mass = PICK(MASSES)}, b = {.mass = PICK(MASSES)};
    b.mass = a.mass == 0 && b.mass == 0 ? ISO_WIDE_ONE : b.mass;
    a.gyration = a.mass == 0 ? 0 : take(&GYRATION, at_corners);
    b.gyration = b.mass == 0 ? 0 : take(&GYRATION, at_corners);
    group->body_a[i] = 2 * i;
    group->body_b[i] = 2 * i + 1;
    bench_fill_body(&on->motions[2 * i], &twin->a, moved_max, a.mass != 0, at_corners);
    bench_fill_body(&on->motions[2 * i + 1], &twin->b, moved_max, b.mass != 0, at_corners);
    const int32_t *normal = PICK(NORMALS);
    group->normal[i] = (iso__pair_lane){normal[0], normal[1]};
    if (!at_corners) {
        iso__normalize(take(&SPEED, false), take(&SPEED, false), &group->normal[i].lo, &group->normal[i].hi);
    }
    const iso__mass_shares share = iso__mass_shares_make(a.mass, b.mass);
    group->share[i] = (iso__pair_lane){share.lo, share.hi};
    group->moves_a |= (uint8_t)((a.mass != 0) << i);
    group->moves_b |= (uint8_t)((b.mass != 0) << i);
    group->surface[i] = (iso__pair_lane){take(&FRICTION, at_corners), take(&RESTITUTION, at_corners)};
    group->drive[i] = (int32_t)take(&DRIVE, at_corners);
    twin->nx = group->normal[i].lo;
    twin->ny = group->normal[i].hi;
    twin->share_a = group->share[i].lo;
    twin->share_b = group->share[i].hi;
    twin->friction = group->surface[i].lo;
    twin->drive = group->drive[i];
    twin->restitution = group->surface[i].hi;
    const int64_t gains[2] = {iso__round_shift((int64_t)a.gyration * group->share[i].lo, 30),
                              iso__round_shift((int64_t)b.gyration * group->share[i].hi, 30)};
    for (uint32_t p = 0; p < 2; ++p) {
        twin->points[p] = (twin_point){0};
        if (p == 0 || random_next() % 4 != 0) {
            bench_fill_point(&group->points[p], i, &twin->points[p], gains, at_corners);
        } else {
            contact_clear_point(&group->points[p], i);
        }
        const range now = {{on->scratch.params.deepest, -1, 0, 1, on->scratch.params.farthest}, 5};
        group->points[p].separation_now[i] = take(&now, at_corners);
        bench_copy_point(&group->points[p], i, &twin->points[p]);
    }
}

static void bench_fill(bench *on, bool at_corners) {
    memset(on, 0, sizeof *on);
    on->scratch.motions = on->motions;
    on->scratch.groups = &on->group;
    on->scratch.has_moved = random_next() % 2 == 0;
    on->scratch.group_count = 1;
    on->colour = (iso__plane_colour){.group_begin = 0, .group_end = 1};
    on->group.count = ISO__LANES;
    on->group.bounces = on->group.notes_impulses = true;
    const int64_t moved_max = bench_fill_params(on);
    for (uint32_t i = 0; i < ISO__LANES; ++i) {
        bench_fill_lane(on, i, moved_max, at_corners);
    }
}

// ---- the tests -----------------------------------------------------------------------------------

enum { WARM_START, SOLVE, RELAX, RESTITUTE, PASS_COUNT };

static void bench_run(bench *on, uint32_t pass) {
    switch (pass) {
    case WARM_START:
        iso__plane_contacts_warm_start(&on->scratch, &on->colour);
        break;
    case SOLVE:
        iso__plane_contacts_solve(&on->scratch, &on->colour);
        break;
    case RELAX:
        iso__plane_contacts_relax(&on->scratch, &on->colour);
        break;
    default:
        iso__plane_contacts_restitute(&on->scratch, &on->colour);
        break;
    }
}

static void bench_run_twin(bench *on, uint32_t i, uint32_t pass) {
    twin_lane *twin = &on->twins[i];
    if (pass == WARM_START) {
        twin_warm_start(twin);
    } else if (pass == RESTITUTE) {
        twin_restitute(twin, &on->scratch.params);
    } else {
        twin_solve(twin, &on->scratch.params, pass == RELAX, on->scratch.has_moved);
    }
}

static bool body_equals(const iso__plane_motion *motion, const twin_body *twin) {
    return motion->velocity[0] == twin->velocity[0] && motion->velocity[1] == twin->velocity[1] &&
           motion->spin == twin->spin;
}

static bool lane_equals(const bench *on, uint32_t i) {
    const twin_lane *twin = &on->twins[i];
    bool equals = body_equals(&on->motions[2 * i], &twin->a) && body_equals(&on->motions[2 * i + 1], &twin->b);
    for (int p = 0; p < 2; ++p) {
        const iso__plane_point_lanes *point = &on->group.points[p];
        equals = equals && point->impulse[i].lo == twin->points[p].normal_impulse &&
                 point->impulse[i].hi == twin->points[p].tangent_impulse &&
                 (point->mass[i].lo == 0 || point->separation_now[i] == twin->points[p].separation_now);
    }
    return equals;
}

/// Runs many groups of lanes through one pass each. @return how many lanes the proof was about
static uint32_t run_lanes(uint32_t count, bool at_corners) {
    static bench on;
    uint32_t proven = 0;
    random_state = 1;
    for (uint32_t n = 0; n < count; ++n) {
        bench_fill(&on, at_corners);
        bench_run(&on, n % PASS_COUNT);
        for (uint32_t i = 0; i < ISO__LANES; ++i) {
            escaped = NULL;
            turns_fast = false;
            bench_run_twin(&on, i, n % PASS_COUNT);
            proven += !turns_fast;
            if ((escaped && !turns_fast) || !lane_equals(&on, i)) {
                fail_msg("pass %u, group %u, lane %u: %s", n % PASS_COUNT, n, i, escaped ? escaped : "differs");
            }
        }
    }
    return proven;
}

static void test_lanes_agree_at_corners(void **state) {
    (void)state;
    assert_in_range(run_lanes(40000, true), 100000, 320000);
}

static void test_random_lanes_agree(void **state) {
    (void)state;
    assert_in_range(run_lanes(40000, false), 100000, 320000);
}

// ---- the kernels of each instruction set ---------------------------------------------------------

static uint32_t group_count = 20000; // --groups

/// The same pass over the same group by the scalar code and by a set's kernel.
static void run_kernel(const bench *start, const iso__plane_kernels *kernels, uint32_t pass, uint32_t number) {
    static bench scalar, vector;
    memcpy(&scalar, start, sizeof scalar);
    memcpy(&vector, start, sizeof vector);
    bench *const both[] = {&scalar, &vector};
    for (int i = 0; i < 2; ++i) {
        both[i]->scratch.motions = both[i]->motions;
        both[i]->scratch.groups = &both[i]->group;
    }
    bench_run(&scalar, pass);
    switch (pass) {
    case WARM_START:
        kernels->contacts_warm_start(&vector.scratch, 0, 1);
        break;
    case SOLVE:
        kernels->contacts_solve(&vector.scratch, 0, 1);
        break;
    default:
        kernels->contacts_relax(&vector.scratch, 0, 1);
        break;
    }
    const size_t count = vector.group.count;
    for (int p = 0; p < 2; ++p) {
        const iso__plane_point_lanes *a = &scalar.group.points[p], *b = &vector.group.points[p];
        if (memcmp(a->impulse, b->impulse, count * sizeof a->impulse[0]) != 0 ||
            memcmp(a->impulse_max, b->impulse_max, count * sizeof a->impulse_max[0]) != 0) {
            fail_msg("pass %u, group %u: impulses differ", pass, number);
        }
    }
    for (uint32_t i = 0; i < 2 * vector.group.count; ++i) {
        const iso__plane_point_lanes *a = &scalar.group.points[i % 2], *b = &vector.group.points[i % 2];
        if (a->mass[i / 2].lo != 0 && a->separation_now[i / 2] != b->separation_now[i / 2]) {
            fail_msg("pass %u, group %u: separations differ", pass, number); // a point without mass has none
        }
    }
    if (memcmp(scalar.motions, vector.motions, sizeof scalar.motions) != 0) {
        fail_msg("pass %u, group %u: motions differ", pass, number);
    }
}

/// Groups of one to eight contacts, half of them of values at corners.
static void run_kernels(iso_simd set) {
    static bench on;
    const iso__plane_kernels *kernels = iso__plane_kernels_of(set);
    if (!kernels || !iso_simd_is_supported(set)) {
        print_message("%s is not here: skipped\n", iso_simd_name(set));
        skip();
    }
    random_state = 2;
    for (uint32_t n = 0; n < group_count; ++n) {
        bench_fill(&on, n % 2 == 0);
        on.group.count = 1 + (uint32_t)(random_next() % ISO__LANES);
        on.group.notes_impulses = random_next() % 2 == 0;
        on.group.moves_a &= (uint8_t)((1u << on.group.count) - 1);
        on.group.moves_b &= (uint8_t)((1u << on.group.count) - 1);
        run_kernel(&on, kernels, (uint32_t)(random_next() % RESTITUTE), n);
    }
}

static void test_sse41_agrees(void **state) {
    (void)state;
    run_kernels(ISO_SIMD_SSE41);
}

static void test_avx2_agrees(void **state) {
    (void)state;
    run_kernels(ISO_SIMD_AVX2);
}

static void test_avx512_agrees(void **state) {
    (void)state;
    run_kernels(ISO_SIMD_AVX512);
}

static void test_neon_agrees(void **state) {
    (void)state;
    run_kernels(ISO_SIMD_NEON);
}

// ---- one row at every corner ---------------------------------------------------------------------

/// The next digit of a number in mixed radix: one of several corners.
static int64_t digit(uint32_t *number, const int64_t *corners, uint32_t count) {
    const int64_t value = corners[*number % count];
    *number /= count;
    return value;
}

#define DIGIT(number, ...) \
    digit(number, (const int64_t[]){__VA_ARGS__}, (uint32_t)(sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t)))

/// One row between two bodies as the kernel and as the copy see it.
typedef struct single {
    iso__plane_motion motions[2];
    iso__plane_point_lanes point;
    iso__plane_lane_state lane;
    twin_lane twin;
} single;

/// Spins at their corners, arms of the row on both sides, and the gains that both bodies have.
static void single_fill(single *row, uint32_t *number, bool is_tangent) {
    *row = (single){0};
    row->motions[0].spin = (int32_t)DIGIT(number, -SPEED_MAX, 0, SPEED_MAX);
    row->motions[1].spin = (int32_t)DIGIT(number, -SPEED_MAX, 0, SPEED_MAX);
    const int32_t arm_a = (int32_t)DIGIT(number, -UNIT, 0, UNIT / 22, UNIT);
    const int32_t arm_b = (int32_t)DIGIT(number, -UNIT, 0, UNIT / 22, UNIT);
    const int64_t gain = DIGIT(number, 0, INT64_C(500) << 22);
    const iso__pair_lane a = contact_row_side(arm_a, gain, -1), b = contact_row_side(arm_b, gain, -1);
    const int32_t mass = contact_row_mass(a, b);
    *(is_tangent ? &row->point.tangent_a[0] : &row->point.normal_a[0]) = a;
    *(is_tangent ? &row->point.tangent_b[0] : &row->point.normal_b[0]) = b;
    row->point.mass[0] = (iso__pair_lane){mass, mass};
    row->lane = (iso__plane_lane_state){.a = &row->motions[0], .b = &row->motions[1], .nx = UNIT};
    row->lane.wa = (int64_t)row->motions[0].spin * (1 << 22);
    row->lane.wb = (int64_t)row->motions[1].spin * (1 << 22);
    row->twin = (twin_lane){.nx = UNIT, .wa = row->lane.wa, .wb = row->lane.wb};
    const twin_side side_a = {a.lo, a.hi}, side_b = {b.lo, b.hi};
    row->twin.points[0] =
        (twin_point){.normal_a = side_a, .normal_b = side_b, .tangent_a = side_a, .tangent_b = side_b};
}

static bool single_agrees(const single *row) {
    return row->lane.un == row->twin.un && row->lane.ut == row->twin.ut && row->lane.wa == row->twin.wa &&
           row->lane.wb == row->twin.wb && row->point.impulse[0].lo == row->twin.points[0].normal_impulse &&
           row->point.impulse[0].hi == row->twin.points[0].tangent_impulse && !escaped;
}

static const int32_t ROW_TICK_RATES[2] = {10, 127}; // with 16 substeps each

/// The relative velocity is at most 1448 m/s, and the row of the other point may have changed it by 512.
static uint32_t run_normal_row(uint32_t number, iso__softness softs[2][3]) {
    single row;
    iso__step_params params = {0};
    single_fill(&row, &number, false);
    row.lane.un = (int32_t)DIGIT(&number, -1961 * (int64_t)ISO__VEL_ONE, 0, 1961 * (int64_t)ISO__VEL_ONE);
    row.point.impulse[0].lo = (int32_t)DIGIT(&number, 0, 1, IMPULSE_MAX);
    row.point.separation[0] = (int32_t)DIGIT(&number, -121 * (int64_t)ISO__LENGTH_ONE, -1, 0, 1, ISO__LENGTH_ONE / 2);
    const uint32_t rate = (uint32_t)DIGIT(&number, 0, 1);
    const int32_t tick_rate = ROW_TICK_RATES[rate];
    row.motions[1].moved[0] = (int32_t)(DIGIT(&number, -1, 0, 1) * ISO_SPEED_MAX_M_S * ISO__LENGTH_ONE / tick_rate);
    row.motions[1].turned = row.motions[1].moved[0];
    params.substep_rate = tick_rate * 16;
    params.push = (int32_t)DIGIT(&number, 0, 500 * (int64_t)ISO__VEL_ONE);
    const uint32_t soft = (uint32_t)DIGIT(&number, 0, 1, 2, 3);
    bench_copy_point(&row.point, 0, &row.twin.points[0]);
    row.twin.un = row.lane.un;
    row.twin.b.moved[0] = row.motions[1].moved[0];
    row.twin.b.turned = row.motions[1].turned;
    const iso__softness *softness = soft < 3 ? &softs[rate][soft] : NULL;
    params.contact_soft = params.static_soft = softness ? *softness : softs[rate][0];
    iso__step_params_limit(&params);
    twin_solve_normal(&row.twin, &row.twin.points[0], twin_separate(&row.twin, &row.twin.points[0]), &params, softness);
    const int64_t approached = (int64_t)UNIT * row.motions[1].moved[0];
    point_solve_normal(&row.lane, &row.point, 0, point_separate(&row.lane, &row.point, 0, approached, &params), &params,
                       softness);
    assert_true(single_agrees(&row));
    return number;
}

static void test_no_corner_of_a_normal_row_wraps(void **state) {
    (void)state;
    iso__softness softs[2][3];
    for (uint32_t i = 0; i < 2; ++i) {
        const int32_t rate = ROW_TICK_RATES[i] * 16;
        const int64_t hertz_max = iso_wide_from_int(rate) / 2; // twice the cap, for contacts with static bodies
        softs[i][0] = iso__softness_make(hertz_max, 0, rate);
        softs[i][1] = iso__softness_make(30 * ISO_WIDE_ONE, 10 * ISO_WIDE_ONE, rate);
        softs[i][2] = iso__softness_make(ISO_WIDE_ONE / 100, 1000 * ISO_WIDE_ONE, rate);
    }
    escaped = NULL;
    uint32_t number = 0;
    while (run_normal_row(number, softs) == 0) {
        ++number;
    }
    assert_int_equal(number, 3 * 3 * 4 * 4 * 2 * 3 * 3 * 5 * 2 * 3 * 2 * 4);
}

/// The relative velocity may have been changed by 1024 m/s by the row of the other point.
static uint32_t run_friction_row(uint32_t number) {
    single row;
    single_fill(&row, &number, true);
    row.lane.ut = (int32_t)DIGIT(&number, -2473 * (int64_t)ISO__VEL_ONE, 0, 2473 * (int64_t)ISO__VEL_ONE);
    row.point.impulse[0].lo = (int32_t)DIGIT(&number, 0, 1, IMPULSE_MAX);
    row.point.impulse[0].hi = (int32_t)DIGIT(&number, -IMPULSE_MAX, 0, IMPULSE_MAX);
    row.twin.friction = DIGIT(&number, 0, 161061274, INT64_C(2120638464));
    row.twin.drive = DIGIT(&number, -80 * (int64_t)ISO__VEL_ONE, 0, 80 * (int64_t)ISO__VEL_ONE);
    bench_copy_point(&row.point, 0, &row.twin.points[0]);
    row.twin.ut = row.lane.ut;
    twin_solve_friction(&row.twin, &row.twin.points[0]);
    point_solve_friction(&row.lane, &row.point, 0, (int32_t)row.twin.friction, (int32_t)row.twin.drive);
    assert_true(single_agrees(&row));
    return number;
}

static void test_no_corner_of_a_friction_row_wraps(void **state) {
    (void)state;
    escaped = NULL;
    uint32_t number = 0;
    while (run_friction_row(number) == 0) {
        ++number;
    }
    assert_int_equal(number, 3 * 3 * 4 * 4 * 2 * 3 * 3 * 3 * 3 * 3);
}

int main(int argc, char **argv) {
    if (argc == 3 && strcmp(argv[1], "--groups") == 0) {
        group_count = (uint32_t)strtoul(argv[2], NULL, 10);
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lanes_agree_at_corners),
        cmocka_unit_test(test_random_lanes_agree),
        cmocka_unit_test(test_sse41_agrees),
        cmocka_unit_test(test_avx2_agrees),
        cmocka_unit_test(test_avx512_agrees),
        cmocka_unit_test(test_neon_agrees),
        cmocka_unit_test(test_no_corner_of_a_normal_row_wraps),
        cmocka_unit_test(test_no_corner_of_a_friction_row_wraps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
