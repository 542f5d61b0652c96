/// FABRIK against the same passes in double, and what must hold of every solution.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "isostep/fabrik.h"

#define ONE    ISO_WIDE_ONE
#define MAX    ISO_FABRIK_JOINTS_MAX
#define TRIALS 2000

static uint64_t seed;

static double random_between(double low, double high) {
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return low + (high - low) * (double)(seed >> 40) / 16777216.0;
}

static iso_wide to_wide(double value) {
    return (iso_wide)llround(value * 4294967296.0);
}

static double to_double(iso_wide value) {
    return (double)value / 4294967296.0;
}

static double apart(iso_vec2_wide a, iso_vec2_wide b) {
    return hypot(to_double(b.x - a.x), to_double(b.y - a.y));
}

/// A chain of random links on a bent pose around a random root.
typedef struct rig {
    iso_fabrik_chain chain;
    iso_wide lengths[MAX];
    iso_vec2_wide joints[MAX];
    double total;
} rig;

static void rig_make(rig *to, uint32_t joint_count) {
    memset(to, 0, sizeof *to);
    to->chain = (iso_fabrik_chain){
        .joint_count = joint_count, .iteration_max = 200, .tolerance = ONE / 1000, .lengths = to->lengths};
    to->joints[0] = (iso_vec2_wide){to_wide(random_between(-100, 100)), to_wide(random_between(-100, 100))};
    double angle = random_between(-3, 3);
    for (uint32_t i = 0; i + 1 < joint_count; ++i) {
        const double length = random_between(0.2, 2);
        angle += random_between(-1, 1);
        to->lengths[i] = to_wide(length);
        to->total += to_double(to->lengths[i]);
        to->joints[i + 1] = (iso_vec2_wide){to->joints[i].x + to_wide(length * cos(angle)),
                                            to->joints[i].y + to_wide(length * sin(angle))};
    }
}

static double rig_inner(const rig *of) {
    double longest = 0;
    for (uint32_t i = 0; i + 1 < of->chain.joint_count; ++i) {
        longest = fmax(longest, to_double(of->lengths[i]));
    }
    return fmax(0, 2 * longest - of->total);
}

static iso_vec2_wide rig_target(const rig *of, double distance) {
    const double angle = random_between(-3.2, 3.2);
    return (iso_vec2_wide){of->joints[0].x + to_wide(distance * cos(angle)),
                           of->joints[0].y + to_wide(distance * sin(angle))};
}

static void assert_lengths_kept(const rig *of) {
    for (uint32_t i = 0; i + 1 < of->chain.joint_count; ++i) {
        const double length = to_double(of->lengths[i]);
        assert_true(fabs(apart(of->joints[i], of->joints[i + 1]) - length) <= length * 0x1p-29 + 0x1p-31);
    }
}

static void test_reaches_what_can_be_reached(void **state) {
    (void)state;
    seed = 1;
    uint32_t stopped = 0;
    for (int trial = 0; trial < TRIALS; ++trial) {
        rig r;
        rig_make(&r, 3 + (uint32_t)trial % (MAX - 2));
        const double inner = rig_inner(&r);
        const iso_vec2_wide root = r.joints[0];
        const iso_vec2_wide target =
            rig_target(&r, random_between(inner + 0.05 * (r.total - inner), r.total - 0.05 * (r.total - inner)));
        iso_fabrik_result result;
        assert_int_equal(iso_fabrik_solve(&r.chain, target, r.joints, &result), ISO_OK);
        // Passes that fold a chain into itself may take longer than any bound: one in a thousand, still on its way.
        stopped += result.end != ISO_FABRIK_REACHED;
        assert_true(result.end == ISO_FABRIK_REACHED ? result.distance <= r.chain.tolerance
                                                     : result.end == ISO_FABRIK_STOPPED);
        assert_true(fabs(apart(r.joints[r.chain.joint_count - 1], target) - to_double(result.distance)) < 1e-9);
        assert_true(result.distance < ONE / 50);
        assert_memory_equal(&r.joints[0], &root, sizeof root);
        assert_lengths_kept(&r);
    }
    assert_true(stopped <= TRIALS / 1000);
}

static void test_straight_when_the_target_is_too_far(void **state) {
    (void)state;
    seed = 2;
    for (int trial = 0; trial < TRIALS; ++trial) {
        rig r;
        rig_make(&r, 2 + (uint32_t)trial % (MAX - 1));
        const double distance = r.total * random_between(1.01, 50);
        const iso_vec2_wide target = rig_target(&r, distance);
        iso_fabrik_result result;
        assert_int_equal(iso_fabrik_solve(&r.chain, target, r.joints, &result), ISO_OK);
        assert_int_equal(result.end, ISO_FABRIK_TOO_FAR);
        assert_int_equal(result.iterations, 0);
        assert_true(fabs(to_double(result.distance) - (apart(r.joints[0], target) - r.total)) < 1e-6);
        assert_true(fabs(apart(r.joints[0], r.joints[r.chain.joint_count - 1]) - r.total) < 1e-7);
        assert_lengths_kept(&r);
    }
}

static void test_folds_when_the_target_is_too_near(void **state) {
    (void)state;
    const iso_wide lengths[3] = {ONE / 2, 3 * ONE, ONE};
    const iso_fabrik_chain chain = {.joint_count = 4, .iteration_max = 10, .tolerance = ONE / 1000, .lengths = lengths};
    iso_vec2_wide joints[4] = {{0, 0}, {ONE / 2, 0}, {ONE, 3 * ONE}, {0, 2 * ONE}};
    iso_fabrik_result result;
    assert_int_equal(iso_fabrik_solve(&chain, (iso_vec2_wide){0, ONE}, joints, &result), ISO_OK);
    assert_int_equal(result.end, ISO_FABRIK_TOO_NEAR);
    assert_true(labs((long)(joints[3].y - 3 * ONE / 2)) < 8); // -1/2 + 3 - 1
    assert_true(labs((long)(result.distance - ONE / 2)) < 8);
}

/// The same passes in double.
static void reference_pass(const rig *of, iso_vec2_wide target, double *x, double *y) {
    const uint32_t end = of->chain.joint_count - 1;
    const double root_x = x[0], root_y = y[0];
    x[end] = to_double(target.x);
    y[end] = to_double(target.y);
    for (uint32_t i = end; i-- > 0;) {
        const double share = to_double(of->lengths[i]) / hypot(x[i] - x[i + 1], y[i] - y[i + 1]);
        x[i] = x[i + 1] + share * (x[i] - x[i + 1]);
        y[i] = y[i + 1] + share * (y[i] - y[i + 1]);
    }
    x[0] = root_x;
    y[0] = root_y;
    for (uint32_t i = 0; i < end; ++i) {
        const double share = to_double(of->lengths[i]) / hypot(x[i + 1] - x[i], y[i + 1] - y[i]);
        x[i + 1] = x[i] + share * (x[i + 1] - x[i]);
        y[i + 1] = y[i] + share * (y[i + 1] - y[i]);
    }
}

static void test_goes_as_the_passes_in_double(void **state) {
    (void)state;
    seed = 3;
    for (int trial = 0; trial < TRIALS; ++trial) {
        rig r;
        rig_make(&r, 3 + (uint32_t)trial % (MAX - 2));
        const double inner = rig_inner(&r);
        const iso_vec2_wide target =
            rig_target(&r, random_between(inner + 0.1 * (r.total - inner), 0.9 * r.total + 0.1 * inner));
        double x[MAX], y[MAX];
        for (uint32_t i = 0; i < r.chain.joint_count; ++i) {
            x[i] = to_double(r.joints[i].x);
            y[i] = to_double(r.joints[i].y);
        }
        iso_fabrik_result result;
        r.chain.tolerance = ONE / 100000;
        assert_int_equal(iso_fabrik_solve(&r.chain, target, r.joints, &result), ISO_OK);
        for (uint32_t i = 0; i < result.iterations; ++i) {
            reference_pass(&r, target, x, y);
        }
        for (uint32_t i = 0; i < r.chain.joint_count; ++i) {
            assert_true(fabs(x[i] - to_double(r.joints[i].x)) < 1e-5 && fabs(y[i] - to_double(r.joints[i].y)) < 1e-5);
        }
    }
}

static void test_knee_agrees_with_the_law_of_cosines(void **state) {
    (void)state;
    const iso_wide lengths[2] = {2 * ONE / 5, 2 * ONE / 5};
    const iso_fabrik_limit limits[2] = {{-ISO_WIDE_HALF, ISO_WIDE_HALF}, {-ISO_WIDE_HALF, 0}};
    const iso_fabrik_chain chain = {3, 64, ONE / 100000, lengths, limits};
    for (int side = -1; side <= 1; side += 2) {
        // From both sides the knee comes out where the limit lets it be.
        iso_vec2_wide joints[3] = {{0, 0}, {side * ONE / 10, -ONE / 3}, {0, -2 * ONE / 3}};
        iso_fabrik_result result;
        assert_int_equal(iso_fabrik_solve(&chain, (iso_vec2_wide){ONE / 10, -3 * ONE / 5}, joints, &result), ISO_OK);
        assert_int_equal(result.end, ISO_FABRIK_REACHED);
        const double far = hypot(0.1, 0.6), bow = acos(far / 2 / 0.4), down = atan2(-0.6, 0.1);
        assert_true(fabs(to_double(joints[1].x) - 0.4 * cos(down + bow)) < 1e-4);
        assert_true(fabs(to_double(joints[1].y) - 0.4 * sin(down + bow)) < 1e-4);
    }
}

static void assert_limits_kept(const rig *of) {
    double before = 0;
    for (uint32_t i = 0; i + 1 < of->chain.joint_count; ++i) {
        const iso_vec2_wide a = of->joints[i], b = of->joints[i + 1];
        const double angle = atan2(to_double(b.y - a.y), to_double(b.x - a.x)) / (2 * acos(-1));
        const double turned = remainder(angle - before, 1);
        const double low = to_double(of->chain.limits[i].lower), high = to_double(of->chain.limits[i].upper);
        assert_true(fabs(fabs(turned) - 0.5) < 1e-8 || (turned >= low - 1e-8 && turned <= high + 1e-8));
        before = angle;
    }
}

/// Limits of random width around random angles, none of them a whole turn.
static void random_limits(iso_fabrik_limit *limits) {
    for (uint32_t i = 0; i < MAX; ++i) {
        const double low = random_between(-0.3, 0.1);
        limits[i] = (iso_fabrik_limit){to_wide(low), to_wide(low + random_between(0, 0.4))};
    }
}

static void test_limits_hold_in_every_result(void **state) {
    (void)state;
    seed = 4;
    uint32_t reached = 0;
    for (int trial = 0; trial < TRIALS; ++trial) {
        rig r;
        rig_make(&r, 3 + (uint32_t)trial % (MAX - 2));
        iso_fabrik_limit limits[MAX];
        random_limits(limits);
        r.chain.limits = limits;
        r.chain.iteration_max = 20; // most targets are out of reach, and each costs all tries
        iso_fabrik_result result;
        assert_int_equal(
            iso_fabrik_solve(&r.chain, rig_target(&r, random_between(0, 1.2 * r.total)), r.joints, &result), ISO_OK);
        reached += result.end == ISO_FABRIK_REACHED;
        assert_lengths_kept(&r);
        assert_limits_kept(&r);
    }
    assert_true(reached >= 50 && reached < TRIALS); // targets all around, limits wherever they fall
}

/// Lays a chain anywhere within its limits.
static void rig_lay(rig *to) {
    double angle = 0;
    for (uint32_t i = 0; i + 1 < to->chain.joint_count; ++i) {
        angle +=
            2 * acos(-1) * random_between(to_double(to->chain.limits[i].lower), to_double(to->chain.limits[i].upper));
        const double length = to_double(to->lengths[i]);
        to->joints[i + 1] = (iso_vec2_wide){to->joints[i].x + to_wide(length * cos(angle)),
                                            to->joints[i].y + to_wide(length * sin(angle))};
    }
}

/// Every target is the end of a pose within the limits, the chain begins in another one.
static void test_reaches_what_limits_let_be_reached(void **state) {
    (void)state;
    static const uint32_t passes[] = {16, 64};
    for (size_t k = 0; k < sizeof passes / sizeof passes[0]; ++k) {
        seed = 5;
        uint32_t reached = 0, most = 0;
        for (int trial = 0; trial < 1000; ++trial) {
            rig r;
            rig_make(&r, 3 + (uint32_t)trial % (MAX - 2));
            iso_fabrik_limit limits[MAX];
            random_limits(limits);
            r.chain.limits = limits;
            r.chain.iteration_max = passes[k];
            rig_lay(&r);
            const iso_vec2_wide target = r.joints[r.chain.joint_count - 1];
            rig_lay(&r);
            iso_fabrik_result result;
            assert_int_equal(iso_fabrik_solve(&r.chain, target, r.joints, &result), ISO_OK);
            assert_true(fabs(apart(r.joints[r.chain.joint_count - 1], target) - to_double(result.distance)) < 1e-9);
            assert_true(result.end == ISO_FABRIK_REACHED ? result.distance <= r.chain.tolerance
                                                         : result.end == ISO_FABRIK_STOPPED);
            assert_lengths_kept(&r);
            assert_limits_kept(&r);
            reached += result.end == ISO_FABRIK_REACHED;
            most = result.iterations > most ? result.iterations : most;
        }
        print_message("%u passes a try: %u of 1000 targets within limits reached\n", passes[k], reached);
        assert_true(reached >= 990);
        assert_true(most <= 2 * passes[k] * (1 + ISO_FABRIK_BEGINNINGS));
    }
}

static void test_straight_and_coincident_chains_bend(void **state) {
    (void)state;
    const iso_wide lengths[3] = {ONE, ONE, ONE};
    const iso_fabrik_chain chain = {
        .joint_count = 4, .iteration_max = 100, .tolerance = ONE / 1000, .lengths = lengths};
    for (iso_wide step = 0; step <= 1; ++step) { // all joints at the root, and all on the line to the target
        for (iso_wide far = 0; far <= 2; ++far) {
            iso_vec2_wide joints[4] = {{0, 0}, {step * ONE, 0}, {2 * step * ONE, 0}, {3 * step * ONE, 0}};
            iso_fabrik_result result;
            assert_int_equal(iso_fabrik_solve(&chain, (iso_vec2_wide){far * ONE, 0}, joints, &result), ISO_OK);
            assert_int_equal(result.end, ISO_FABRIK_REACHED);
        }
    }
}

static void test_refuses_what_is_out_of_range(void **state) {
    (void)state;
    iso_wide lengths[2] = {ONE, ONE};
    iso_fabrik_limit limits[2] = {{0, 0}, {0, 0}};
    const iso_fabrik_chain good = {3, 10, 0, lengths, limits};
    const iso_vec2_wide pose[3] = {{0, 0}, {ONE, 0}, {2 * ONE, 0}};
    const iso_vec2_wide target = {ONE, ONE};
    iso_vec2_wide joints[MAX + 1] = {{0, 0}};
#define REFUSES(change, back)                                                            \
    do {                                                                                 \
        iso_fabrik_chain chain = good;                                                   \
        memcpy(joints, pose, sizeof pose);                                               \
        change;                                                                          \
        const iso_vec2_wide before = joints[2];                                          \
        assert_int_equal(iso_fabrik_solve(&chain, target, joints, NULL), ISO_ERR_RANGE); \
        assert_memory_equal(&joints[2], &before, sizeof before);                         \
        back;                                                                            \
    } while (0)
    REFUSES(chain.joint_count = 1, );
    REFUSES(chain.joint_count = MAX + 1, );
    REFUSES(chain.iteration_max = 0, );
    REFUSES(chain.iteration_max = ISO_FABRIK_ITERATIONS_MAX + 1, );
    REFUSES(chain.tolerance = -1, );
    REFUSES(lengths[1] = ONE / 1024 - 1, lengths[1] = ONE);
    REFUSES(lengths[0] = 1024 * ONE + 1, lengths[0] = ONE);
    REFUSES(limits[1].lower = 1, limits[1].lower = 0);
    REFUSES(limits[0].lower = -ONE / 2 - 1, limits[0].lower = 0);
    REFUSES(limits[0].upper = ONE / 2 + 1, limits[0].upper = 0);
    REFUSES(joints[2].y = -65536 * ONE - 1, );
    REFUSES(joints[0].x = ISO_WIDE_MIN, );
#undef REFUSES
    const iso_vec2_wide outside = {0, 65536 * ONE + 1};
    assert_int_equal(iso_fabrik_solve(&good, outside, joints, NULL), ISO_ERR_RANGE);
}

static void test_corners_of_the_range_are_defined(void **state) {
    (void)state;
    iso_wide lengths[MAX - 1];
    iso_vec2_wide joints[MAX];
    const iso_wide corner = 65536 * ONE;
    for (uint32_t i = 0; i < MAX; ++i) {
        lengths[i < MAX - 1 ? i : 0] = i % 2 ? 1024 * ONE : ONE / 1024;
        joints[i] = (iso_vec2_wide){i % 2 ? corner : -corner, i % 3 ? corner : -corner};
    }
    const iso_fabrik_chain chain = {.joint_count = MAX, .iteration_max = 256, .tolerance = 0, .lengths = lengths};
    iso_fabrik_result result;
    assert_int_equal(iso_fabrik_solve(&chain, (iso_vec2_wide){corner, corner}, joints, &result), ISO_OK);
    assert_int_equal(result.end, ISO_FABRIK_TOO_FAR);
    assert_int_equal(iso_fabrik_solve(&chain, (iso_vec2_wide){-corner, -corner + ONE}, joints, &result), ISO_OK);
    assert_true(result.end == ISO_FABRIK_REACHED || result.iterations == 256);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reaches_what_can_be_reached),
        cmocka_unit_test(test_straight_when_the_target_is_too_far),
        cmocka_unit_test(test_folds_when_the_target_is_too_near),
        cmocka_unit_test(test_goes_as_the_passes_in_double),
        cmocka_unit_test(test_knee_agrees_with_the_law_of_cosines),
        cmocka_unit_test(test_limits_hold_in_every_result),
        cmocka_unit_test(test_reaches_what_limits_let_be_reached),
        cmocka_unit_test(test_straight_and_coincident_chains_bend),
        cmocka_unit_test(test_refuses_what_is_out_of_range),
        cmocka_unit_test(test_corners_of_the_range_are_defined),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
