/// The profile of a step: in worlds of both kinds, each stage that has something to do takes time.
#include "isostep/body3.h"
#include "unit/world/physics_util.h"

#define STEPS 30

/// A clock that goes on by one each time it is read: so a stage's time is how often it was left, whatever the machine
/// does.
static uint64_t count_reads(void *user) {
    uint64_t *reads = user;
    return ++*reads;
}

static void expect_stages(iso_world *world) {
    uint64_t reads = 0;
    iso_world_set_profile_clock(world, count_reads, &reads);
    world_steps(world, STEPS);
    const iso_profile profile = iso_world_take_profile(world);
    uint64_t sum = 0;
#define EXPECT_STAGE(name, text)                                           \
    print_message("%-10s %3u  " text "\n", #name, (unsigned)profile.name); \
    assert_true(profile.name >= STEPS);                                    \
    sum += profile.name;
    ISO_PROFILE_STAGE_LIST(EXPECT_STAGE)
#undef EXPECT_STAGE
    // Nothing is counted twice: between the first and the last time that a step reads the clock all time is some
    // stage's.
    assert_int_equal(sum, reads - STEPS);
    const iso_profile none = iso_world_take_profile(world);
    assert_int_equal(none.pairs | none.substeps, 0);
}

static void test_stages_of_the_plane(void **unused) {
    (void)unused;
    iso_world *world = world_make_small(-10);
    const iso_body_id body = body_add(world, ISO_BODY_DYNAMIC, 0, 1, 0);
    const iso_shape_def box = shape_box(1, 1);
    shape_add(world, body, &box);
    expect_stages(world);
    world_free(world);
}

static void test_stages_of_space(void **unused) {
    (void)unused;
    iso_world_def def = iso_world_def_default();
    def.dimensions = 3;
    iso_world *world = world_make(&def);
    iso_body3_def ball = iso_body3_def_default();
    ball.type = ISO_BODY_DYNAMIC;
    iso_body_id body;
    assert_int_equal(iso_body3_create(world, &ball, &body), ISO_OK);
    expect_stages(world);
    world_free(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stages_of_the_plane),
        cmocka_unit_test(test_stages_of_space),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
