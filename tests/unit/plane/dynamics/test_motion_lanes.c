/// The kernels of motions of each instruction set against motion.c, on worlds of plain, pushed, damped, locked,
/// kinematic and jointed bodies, slow ones and such as are faster than they may be; and rotations of any angle.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "isostep/fixed.h"
#include "isostep/simd.h"
#include "math/fixed_ops.h"
#include "plane/dynamics/kernels.h"
#include "plane/dynamics/motion.h"
#include "plane/world/scratch.h"
#include "world/world.h"

#define BODIES 67u // chunks of the widest set, and some more
#define ROUNDS 4000

static uint64_t random_state = 1;

static uint64_t random_next(void) {
    random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return random_state >> 16;
}

/// Of any length up to the limit, of both signs; sometimes just the limit.
static int64_t random_scaled(int64_t limit) {
    const uint64_t kind = random_next() % 32;
    const int64_t bound = limit >> random_next() % 12;
    const int64_t value = (int64_t)(random_next() % (2 * (uint64_t)bound + 1)) - bound;
    return kind == 0 ? limit : kind == 1 ? -limit : value;
}

/// What the passes read and write.
typedef struct bench {
    iso__plane plane;
    iso__plane_step_scratch scratch;
    iso__globals globals;
    iso__plane_body bodies[BODIES];
    iso__plane_body_derived derived[BODIES];
    iso__plane_motion motions[BODIES];
    iso__plane_drift drifts[BODIES];
    int32_t pushes[BODIES][3];
    uint32_t moving[BODIES];
    iso_rotation rotations[BODIES];
    uint8_t has_joint[BODIES];
} bench;

static void fill_body(bench *on, uint32_t i, bool is_calm) {
    static const int32_t kinds[] = {0, ISO__PLANE_MOTION_PUSHED, ISO__PLANE_MOTION_SPECIAL, ISO__PLANE_MOTION_GONE};
    iso__plane_motion *motion = &on->motions[i];
    const int64_t speed = is_calm ? 400 * ISO__VEL_ONE : 1024 * ISO__VEL_ONE;
    const int64_t spin_max = 1 + (int64_t)(random_next() % (512 * ISO__VEL_ONE));
    const int64_t spin = is_calm ? spin_max : 2 * spin_max;
    *motion = (iso__plane_motion){.velocity = {(int32_t)random_scaled(speed), (int32_t)random_scaled(speed)},
                                  .spin = (int32_t)random_scaled(spin),
                                  .turned = (int32_t)random_scaled(1 << 24),
                                  .moved = {(int32_t)random_scaled(1 << 24), (int32_t)random_scaled(1 << 24)},
                                  .spin_max = (int32_t)spin_max,
                                  .kind = is_calm || random_next() % 8 != 0 ? ISO__PLANE_MOTION_PLAIN
                                                                            : kinds[random_next() % 4]};
    on->drifts[i] = (iso__plane_drift){.moved = {random_scaled(INT64_C(60) << 32), random_scaled(INT64_C(60) << 32)},
                                       .turned = random_scaled(INT64_C(60) << 32)};
    on->bodies[i].angle = (int64_t)(random_next() << 16);
    on->derived[i].radius_exponent = (int8_t)((int)(random_next() % 15) - 8);
    on->has_joint[i] = random_next() % 2 == 0;
    if (motion->kind == ISO__PLANE_MOTION_SPECIAL) {
        on->bodies[i].linear_damping = (fix16_t)(random_next() % 65536);
        on->bodies[i].flags = random_next() % 2 == 0 ? ISO__PLANE_BODY_LOCK_X : ISO__PLANE_BODY_FIXED_ROTATION;
    }
    for (int axis = 0; axis < 3; ++axis) { // plain bodies have none
        on->pushes[i][axis] = motion->kind == ISO__PLANE_MOTION_PLAIN ? 0 : (int32_t)random_scaled(100 * ISO__VEL_ONE);
    }
}

static void bench_fill(bench *on, bool is_calm) {
    memset(on, 0, sizeof *on);
    on->globals.joint_count = 1;
    on->globals.gravity[1] = -10 * ISO_FIX16_ONE;
    on->scratch.params.h = (int32_t)(((INT64_C(1) << 36) + 120) / 240);
    on->scratch.params.substep_rate = 240;
    on->scratch.params.gravity[0] = (int32_t)random_scaled(4 * ISO__VEL_ONE);
    on->scratch.params.gravity[1] = (int32_t)random_scaled(4 * ISO__VEL_ONE);
    for (uint32_t i = 0; i < BODIES; ++i) {
        fill_body(on, i, is_calm);
        if (random_next() % 16 != 0) {
            on->moving[on->scratch.moving_count++] = i;
        }
    }
}

static void bench_connect(bench *on, const iso__plane_kernels *kernels) {
    on->plane.world.def.body_capacity = BODIES;
    on->plane.scratch = &on->scratch;
    on->plane.world.globals = &on->globals;
    on->plane.bodies = on->bodies;
    on->plane.body_derived = on->derived;
    on->scratch.motions = on->motions;
    on->scratch.drifts = on->drifts;
    on->scratch.pushes = on->pushes;
    on->scratch.moving = on->moving;
    on->scratch.rotations = on->rotations;
    on->scratch.has_joint = on->has_joint;
    on->scratch.kernels = kernels;
}

static bool is_same(const bench *a, const bench *b) {
    return memcmp(a->motions, b->motions, sizeof a->motions) == 0 &&
           memcmp(a->drifts, b->drifts, sizeof a->drifts) == 0 &&
           memcmp(a->rotations, b->rotations, sizeof a->rotations) == 0 &&
           a->globals.clamped_velocities == b->globals.clamped_velocities;
}

/// That the fast way is taken where it should be, and left where it must be.
static void check_taken(bench *on, const iso__plane_kernels *kernels, bool is_calm) {
    const uint32_t count = on->scratch.moving_count;
    const uint32_t taken = kernels->motions_advance(&on->scratch, 0, count);
    assert_in_range(taken, is_calm ? count - 7 : 0, count);
}

/// Angles of all kinds, and those at which an octant begins.
static void check_rotations(iso_simd set) {
    const iso__plane_kernels *kernels = iso__plane_kernels_of(set);
    uint32_t turns[16];
    iso_rotation rotations[16];
    for (int n = 0; n < 20 * ROUNDS; ++n) {
        for (uint32_t i = 0; i < 16; ++i) {
            const uint32_t octant = (uint32_t)random_next() << 29;
            turns[i] = n % 4 == 0 ? octant + (uint32_t)(random_next() % 5) - 2 : (uint32_t)random_next();
        }
        const uint32_t count = kernels->rotations_make(turns, rotations, 16);
        for (uint32_t i = 0; i < count; ++i) {
            const iso_rotation expected = iso_rotation_make(turns[i]);
            if (rotations[i].c != expected.c || rotations[i].s != expected.s) {
                fail_msg("%s: the rotation by %08x differs", iso_simd_name(set), (unsigned)turns[i]);
            }
        }
        assert_true(n % 4 == 0 || count == 16);
    }
}

static void check_set(iso_simd set) {
    static bench scalar, vector;
    const iso__plane_kernels *kernels = iso__plane_kernels_of(set);
    if (kernels == NULL || !iso_simd_is_supported(set)) {
        print_message("%s is not here: skipped\n", iso_simd_name(set));
        skip();
    }
    random_state = 5;
    for (int n = 0; n < ROUNDS; ++n) {
        const bool is_calm = n % 3 == 0;
        bench_fill(&scalar, is_calm);
        memcpy(&vector, &scalar, sizeof vector);
        bench_connect(&scalar, NULL);
        bench_connect(&vector, kernels);
        for (int substep = 0; substep < 2; ++substep) {
            iso__plane_motions_accelerate(&scalar.plane);
            iso__plane_motions_accelerate(&vector.plane);
            iso__plane_motions_advance(&scalar.plane);
            iso__plane_motions_advance(&vector.plane);
        }
        if (!is_same(&scalar, &vector)) {
            fail_msg("%s: round %d differs", iso_simd_name(set), n);
        }
        if (is_calm && n % 9 == 0) {
            bench_fill(&vector, true);
            bench_connect(&vector, kernels);
            check_taken(&vector, kernels, true);
        }
    }
    check_rotations(set);
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sse41_agrees),
        cmocka_unit_test(test_avx2_agrees),
        cmocka_unit_test(test_avx512_agrees),
        cmocka_unit_test(test_neon_agrees),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
