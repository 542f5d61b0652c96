/// Which bodies are awake and which move, from their kinds and from what the test says of them.
#include "step/moving.h"
#include "step/waking.h"
#include "unit/world/physics_util.h"

#define BODIES 150u
#define ROUNDS 200

static bool has_velocity[BODIES];
static uint32_t question_count;

static bool moves(const iso_world *world, uint32_t body) {
    assert_true(iso__bit_is_set(world->kinematic, body)); // nobody else is looked at
    ++question_count;
    return has_velocity[body];
}

static void test_bodies_of_any_kind(void **unused) {
    (void)unused;
    static const iso_body_type types[] = {ISO_BODY_STATIC, ISO_BODY_KINEMATIC, ISO_BODY_DYNAMIC};
    rng random = {.state = 3};
    iso_world *world = world_make_small(0);
    for (uint32_t i = 0; i < BODIES; ++i) {
        body_add(world, ISO_BODY_STATIC, (double)i, 0, 0);
    }
    for (int round = 0; round < ROUNDS; ++round) {
        iso_body_type type[BODIES];
        bool is_asleep[BODIES], has_kinematic = false;
        uint64_t bits[(BODIES + 63) / 64];
        uint32_t kinematic_count = 0, asleep_count = 0;
        memset(bits, 0xA5, sizeof bits); // what was there does not matter
        for (uint32_t i = 0; i < BODIES; ++i) {
            type[i] = types[round == 0 ? 0 : rng_below(&random, round == 1 ? 1 : 3)];
            is_asleep[i] = type[i] == ISO_BODY_DYNAMIC && rng_below(&random, 2) == 0;
            has_velocity[i] = rng_below(&random, 40) == 0;
            kinematic_count += type[i] == ISO_BODY_KINEMATIC;
            asleep_count += is_asleep[i];
            has_kinematic = has_kinematic || (type[i] == ISO_BODY_KINEMATIC && has_velocity[i]);
            iso__awake_note(world, i, type[i], is_asleep[i]);
        }
        assert_int_equal(world->asleep_count, asleep_count);
        question_count = 0;
        assert_int_equal(iso__step_find_moving(world, moves, bits), has_kinematic);
        assert_int_equal(question_count, kinematic_count);
        for (uint32_t i = 0; i < BODIES; ++i) {
            const bool is_dynamic = type[i] == ISO_BODY_DYNAMIC, is_kinematic = type[i] == ISO_BODY_KINEMATIC;
            assert_int_equal(iso__bit_is_set(world->awake, i), is_kinematic || (is_dynamic && !is_asleep[i]));
            assert_int_equal(iso__bit_is_set(bits, i),
                             (is_dynamic && !is_asleep[i]) || (is_kinematic && has_velocity[i]));
        }
    }
    world_free(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bodies_of_any_kind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
