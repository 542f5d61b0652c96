/// The kernels of plain joints of each instruction set against plain.c, on random joints: in the middle of the kernels'
/// ranges, about their ends, and far beyond, where joints are solved one by one.
///
///   test_plain_lanes [--chunks N]   20,000 by default
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "isostep/simd.h"
#include "math/fixed_ops.h"
#include "plane/dynamics/kernels.h"
#include "plane/joint/plain.h"
#include "plane/joint/work.h"

#define ROWS   19u // two chunks of the widest set and some more
#define BODIES (2 * ROWS)

static uint32_t chunk_count = 20000;

/// What the passes read and write.
typedef struct bench {
    iso__plane_step_scratch scratch;
    iso__plane_colour colour;
    iso__plane_motion motions[BODIES];
    iso__plane_drift drifts[BODIES];
    iso_rotation rotations[BODIES];
    iso__plane_joint_pair pairs[ROWS];
    iso__plane_plain_row rows[ROWS];
} bench;

static uint64_t random_state = 1;

static uint64_t random_next(void) {
    random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return random_state >> 16;
}

/// Within ±limit.
static int64_t random_within(int64_t limit) {
    return (int64_t)(random_next() % (2 * (uint64_t)limit + 1)) - limit;
}

/// Of any length up to the limit, or at it.
static int64_t random_scaled(int64_t limit) {
    const uint64_t kind = random_next() % 16;
    const int64_t bound = limit >> random_next() % 12;
    return kind == 0 ? limit : kind == 1 ? -limit : random_within(bound > 0 ? bound : 1);
}

static void fill_body(bench *on, uint32_t i, bool moves, int64_t speed) {
    on->motions[i] = (iso__plane_motion){0};
    on->drifts[i] = (iso__plane_drift){0};
    on->rotations[i] = (iso_rotation){ISO_ROTATION_ONE, 0};
    if (moves) {
        on->motions[i] = (iso__plane_motion){.velocity = {(int32_t)random_scaled(speed), (int32_t)random_scaled(speed)},
                                             .spin = (int32_t)random_scaled(speed),
                                             .turned = (int32_t)random_scaled(INT32_MAX),
                                             .moved = {(int32_t)random_scaled(INT32_MAX), 5},
                                             .kind = ISO__PLANE_MOTION_PLAIN};
        on->drifts[i] = (iso__plane_drift){.moved = {random_scaled(INT64_C(3) << 32), random_scaled(INT64_C(3) << 32)}};
        on->rotations[i] = iso_rotation_make((uint32_t)random_next());
    }
}

/// An anchor and a gain such as a plain joint may have: |u| <= 2, t u^2 <= 16.
static int32_t fill_anchor(int32_t local[2], int8_t exponent, bool moves) {
    const int64_t reach = random_scaled(0x16a09e6); // sqrt(2) in Q.24 of L
    local[0] = (int32_t)iso__clamp64(reach * (INT64_C(1) << (8 + exponent)) >> 8, -INT32_MAX, INT32_MAX);
    local[1] =
        (int32_t)iso__clamp64(random_scaled(0x16a09e6) * (INT64_C(1) << (8 + exponent)) >> 8, -INT32_MAX, INT32_MAX);
    const int64_t x = (int64_t)local[0] * 256 >> (8 + exponent), y = (int64_t)local[1] * 256 >> (8 + exponent);
    const int64_t u2 = (x * x + y * y) >> 24; // Q.24
    const int64_t most = iso__min64(INT64_C(500) << 22, (INT64_C(16) << 46) / (u2 + 1));
    return moves ? (int32_t)(most >> random_next() % 8) : 0;
}

static void fill_row(bench *on, uint32_t i, int64_t speed, int64_t impulse) {
    iso__plane_plain_row *row = &on->rows[i];
    iso__plane_joint_pair *pair = &on->pairs[i];
    const bool moves_a = random_next() % 5 != 0, moves_b = !moves_a || random_next() % 8 != 0;
    fill_body(on, 2 * i, moves_a, speed);
    fill_body(on, 2 * i + 1, moves_b, speed);
    *row = (iso__plane_plain_row){.body_a = 2 * i, .body_b = 2 * i + 1, .moves_a = moves_a, .moves_b = moves_b};
    *pair = (iso__plane_joint_pair){.body_a = 2 * i,
                                    .body_b = 2 * i + 1,
                                    .exponent_a = (int8_t)(random_next() % 15 - 8),
                                    .exponent_b = (int8_t)(random_next() % 15 - 8),
                                    .start = {random_scaled(INT64_C(40) << 32), random_scaled(INT64_C(40) << 32)}};
    row->turn_a = fill_anchor(pair->local_a, pair->exponent_a, moves_a);
    row->turn_b = fill_anchor(pair->local_b, pair->exponent_b, moves_b);
    row->share_a = !moves_a ? 0 : !moves_b ? ISO__UNIT_ONE : (int32_t)(random_next() % ISO__UNIT_ONE);
    row->share_b = ISO__UNIT_ONE - row->share_a;
    // So that the error is near the kernels' bound, on this side or the other.
    for (int axis = 0; axis < 2; ++axis) {
        const int64_t lever_a = (int64_t)pair->local_a[axis] * 256, lever_b = (int64_t)pair->local_b[axis] * 256;
        on->rotations[2 * i] = on->rotations[2 * i + 1] = (iso_rotation){ISO_ROTATION_ONE, 0};
        pair->start[axis] = lever_a - lever_b + on->drifts[2 * i].moved[axis] - on->drifts[2 * i + 1].moved[axis] +
                            random_scaled(speed << 7);
        row->impulse[axis] = random_scaled(impulse);
    }
    if (random_next() % 2 == 0) {
        on->rotations[2 * i] = iso_rotation_make((uint32_t)random_next());
    }
}

/// @param exponent  of the speeds [m/s], from far within the kernels' ranges to far beyond
static void bench_fill(bench *on, unsigned exponent) {
    static const iso__softness softs[] = {
        {1 << 27, 1 << 29, 1 << 29, 0}, {INT32_MAX, ISO__UNIT_ONE, 0, 0}, {0, 0, 1 << 30, 0}};
    const int64_t speed = iso__min64(INT64_C(1) << (15 + exponent), INT64_C(1) << 28);
    const int64_t impulse = INT64_C(1) << (28 + exponent);
    memset(on, 0, sizeof *on);
    on->scratch.params.joint_soft = softs[random_next() % 3];
    on->scratch.plain_count = ROWS;
    on->colour.plain_end = 1 + (uint32_t)(random_next() % ROWS);
    for (uint32_t i = 0; i < ROWS; ++i) {
        fill_row(on, i, speed, impulse);
    }
}

static void bench_connect(bench *on, const iso__plane_kernels *kernels) {
    on->scratch.motions = on->motions;
    on->scratch.drifts = on->drifts;
    on->scratch.rotations = on->rotations;
    on->scratch.plain_pairs = on->pairs;
    on->scratch.plain_rows = on->rows;
    on->scratch.kernels = kernels;
}

/// A substep: the arms and errors that it relaxes with are those of the next one's other passes.
static void bench_run(bench *on) {
    iso__plane_plain_relax(&on->scratch, &on->colour);
    iso__plane_plain_warm_start(&on->scratch, &on->colour);
    iso__plane_plain_solve(&on->scratch, &on->colour);
}

/// How many of the rows that the set can take at once it takes.
static uint32_t rows_taken(bench *on, const iso__plane_kernels *kernels) {
    return kernels->plain_arrive(&on->scratch, 0, 16) + kernels->plain_warm_start(&on->scratch, 0, 16) +
           kernels->plain_solve(&on->scratch, 0, 16) + kernels->plain_relax(&on->scratch, 0, 16);
}

static void check_set(iso_simd set) {
    static bench scalar, vector;
    const iso__plane_kernels *kernels = iso__plane_kernels_of(set);
    if (!kernels || !iso_simd_is_supported(set)) {
        print_message("%s is not here: skipped\n", iso_simd_name(set));
        skip();
    }
    random_state = 3;
    uint32_t taken[16] = {0}, filled[16] = {0}, tails = 0;
    for (uint32_t n = 0; n < chunk_count; ++n) {
        const unsigned exponent = n % 16;
        bench_fill(&scalar, exponent);
        memcpy(&vector, &scalar, sizeof vector);
        bench_connect(&scalar, NULL);
        bench_connect(&vector, kernels);
        bench_run(&scalar);
        bench_run(&vector);
        if (memcmp(scalar.rows, vector.rows, sizeof scalar.rows) != 0 ||
            memcmp(scalar.motions, vector.motions, sizeof scalar.motions) != 0 ||
            scalar.scratch.joint_clamps != vector.scratch.joint_clamps) {
            fail_msg("%s: chunk %u of speeds of 2^%d m/s differs", iso_simd_name(set), n, (int)exponent - 4);
        }
        filled[exponent] += 4 * 16;
        taken[exponent] += rows_taken(&vector, kernels);
        tails += kernels->plain_relax(&vector.scratch, 0, 15) == 15; // the last ones do not fill a chunk of any set
    }
    assert_in_range(taken[0], filled[0] / 4, filled[0]);
    assert_in_range(tails, chunk_count / 16, chunk_count);
    assert_in_range(taken[15], 0, filled[15] / 2);
}

static void test_sse41_agrees(void **state) {
    (void)state;
    check_set(ISO_SIMD_SSE41);
}

static void test_avx2_agrees(void **state) {
    (void)state;
    check_set(ISO_SIMD_AVX2);
}

static void test_avx512_agrees(void **state) {
    (void)state;
    check_set(ISO_SIMD_AVX512);
}

static void test_neon_agrees(void **state) {
    (void)state;
    check_set(ISO_SIMD_NEON);
}

int main(int argc, char **argv) {
    if (argc == 3 && strcmp(argv[1], "--chunks") == 0) {
        chunk_count = (uint32_t)strtoul(argv[2], NULL, 10);
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sse41_agrees),
        cmocka_unit_test(test_avx2_agrees),
        cmocka_unit_test(test_avx512_agrees),
        cmocka_unit_test(test_neon_agrees),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
