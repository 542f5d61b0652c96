/// Several solving passes in each substep: uneven masses pull joints less apart; one pass is the default.
#include "unit/world/physics_util.h"

#define LINKS 20

/// The mean distance of the anchors of a chain's joints while it swings with a heavy ball at its end. [m]
static double chain_gap(uint32_t iterations) {
    iso_world_def def = world_def_small(-10);
    def.iteration_count = iterations;
    iso_world *world = world_make(&def);
    iso_body_id last = body_add(world, ISO_BODY_STATIC, 0, 0, 0);
    iso_joint_id joints[LINKS + 1];
    for (int i = 0; i <= LINKS; ++i) {
        const iso_shape_def link = i == LINKS ? shape_circle(2) : shape_box(0.5, 0.125);
        const iso_body_id body = body_add_shape(world, ISO_BODY_DYNAMIC, i == LINKS ? i + 2 : i + 0.5, 0, 0, &link);
        if (i == LINKS) {
            EXPECT_STATUS(iso_body_set_mass(world, body, 250 * ISO_WIDE_ONE, 0), ISO_OK);
        }
        iso_joint_def joint = iso_joint_def_default();
        joint.kind = ISO_JOINT_REVOLUTE;
        joint.body_a = last;
        joint.body_b = body;
        joint.anchor_a.x = i == 0 ? 0 : ONE / 2;
        joint.anchor_b.x = i == LINKS ? -2 * ONE : -ONE / 2;
        EXPECT_STATUS(iso_joint_create(world, &joint, &joints[i]), ISO_OK);
        last = body;
    }
    double sum = 0;
    for (int t = 0; t < 300; ++t) {
        world_steps(world, 1);
        for (int i = 0; i <= LINKS; ++i) {
            iso_wide gap;
            EXPECT_STATUS(iso_joint_get_separation(world, joints[i], &gap), ISO_OK);
            sum += from_wide(gap) / (300 * (LINKS + 1));
        }
    }
    world_free(world);
    return sum;
}

static void test_iterations_hold_uneven_masses_better(void **state) {
    (void)state;
    assert_int_equal(iso_world_def_default().iteration_count, 1);
    const double gaps[] = {chain_gap(1), chain_gap(2), chain_gap(4), chain_gap(8)};
    for (int i = 1; i < 3; ++i) { // eight are no better than four
        EXPECT(gaps[i] < gaps[i - 1], "%d: %g, before %g", 1 << i, gaps[i], gaps[i - 1]);
    }
    EXPECT(gaps[3] < 0.95 * gaps[0], "%g with eight, %g with one", gaps[3], gaps[0]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_iterations_hold_uneven_masses_better),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
