/// As plane/dynamics/test_wake_near.c, of bodies in space.
#include "unit/space/world/space_util.h"
#include "unit/world/wake_near_util.h"

#include "math/fixed_ops.h"
#include "space/world/body_wake.h"
#include "space/world/shape.h"

#define ROUNDS 400u

static iso_world_def sleepy_def(void) {
    iso_world_def def = space_def();
    def.body_capacity = NEAR_CAPACITY;
    def.shape_capacity = 400;
    def.contact_capacity = 1024;
    def.sleep_speed = fix(1);
    def.sleep_time = fix(0.05);
    return def;
}

/// The rule, said as plainly as it can be: all bodies that there are, one after the other.
static void expect_near(const iso_world *world, uint32_t body, bool *wakes) {
    const iso__space *space = iso__space_of_const(world);
    for (uint32_t i = 0; i < world->def.body_capacity; ++i) {
        wakes[i] = false;
        if (i >= world->globals->body_count || !iso__space_body_is_asleep(world, i) ||
            space->bodies[body].type == ISO_BODY_DYNAMIC) {
            continue;
        }
        const int64_t reach = ((int64_t)space->body_derived[body].extent + space->body_derived[i].extent) *
                                  (INT64_C(1) << (ISO__WIDE_FRACTION - ISO__LENGTH_FRACTION)) +
                              iso_wide_from_fix16(world->def.speculative_distance);
        bool is_near = true;
        for (int axis = 0; axis < 3; ++axis) {
            const int64_t apart = space->bodies[i].position[axis] - space->bodies[body].position[axis];
            is_near = is_near && apart <= reach && -apart <= reach;
        }
        wakes[i] = is_near || iso__space_body_has_ground(space, body);
    }
}

static iso_shape3_def random_shape(rng *random) {
    switch (rng_below(random, 3)) {
    case 0:
        return iso_shape3_def_sphere(fix(rng_range(random, 0.1, 1)));
    case 1:
        return box3(rng_range(random, 0.1, 2), rng_range(random, 0.1, 1), rng_range(random, 0.1, 1));
    default:
        return iso_shape3_def_capsule(fix3(-1, 0, 0), fix3(rng_range(random, 0, 2), 0, 1), fix(0.3));
    }
}

static iso_body_id random_body(iso_world *world, rng *random) {
    const uint32_t kind = rng_below(random, 4);
    const iso_body_type type = kind == 0 ? ISO_BODY_STATIC : kind == 1 ? ISO_BODY_KINEMATIC : ISO_BODY_DYNAMIC;
    const vector at = rng_vector(random, 12);
    const iso_body_id body = body3_add(world, type, wide3(at.x[0], at.x[1], at.x[2]), rng_quat(random));
    for (uint32_t n = rng_below(random, 4); n > 0; --n) { // some have none
        const iso_shape3_def def = random_shape(random);
        shape3_add(world, body, &def);
    }
    return body;
}

/// Changes a body as a game or a command may.
static void change(iso_world *world, rng *random, iso_body_id *body) {
    const vector at = rng_vector(random, 12);
    switch (rng_below(random, 6)) {
    case 0:
        EXPECT_STATUS(iso_body_destroy(world, *body), ISO_OK);
        *body = random_body(world, random);
        return;
    case 1:
        EXPECT_STATUS(iso_body3_set_position(world, *body, wide3(at.x[0], at.x[1], at.x[2]), rng_quat(random)), ISO_OK);
        return;
    case 2:
        (void)iso_body3_set_type(world, *body, (uint8_t)(ISO_BODY_STATIC + rng_below(random, 3)));
        return;
    case 3:
        (void)iso_body3_set_velocity(world, *body, wide3(0, 0, 0), wide3(0, 0, 0));
        return;
    default:
        world_steps(world, 1 + rng_below(random, 8));
    }
}

/// Into a world with another past.
static iso_world *take_over(iso_world *world, rng *random) {
    iso_world *other = world_make(&world->def);
    for (uint32_t i = 0; i < NEAR_BODIES; ++i) {
        random_body(other, random);
    }
    world_steps(other, rng_below(random, 8));
    world_carry(other, world, rng_below(random, 2) == 0);
    world_free(world);
    return other;
}

static void test_a_body_wakes_who_a_walk_over_all_bodies_finds(void **state) {
    (void)state;
    rng random = {7};
    const iso_world_def def = sleepy_def();
    iso_world *world = world_make(&def);
    iso_body_id bodies[NEAR_BODIES];
    near_case is = {.woken = 0};
    for (uint32_t i = 0; i < NEAR_BODIES; ++i) {
        bodies[i] = random_body(world, &random);
    }
    // One with a plane wakes all.
    const iso_body_id ground = body3_add(world, ISO_BODY_STATIC, wide3(0, -60, 0), iso_quat_identity());
    const iso_shape3_def plane = iso_shape3_def_plane(fix3(0, 1, 0), 0);
    shape3_add(world, ground, &plane);
    for (uint32_t round = 0; round < ROUNDS; ++round) {
        change(world, &random, &bodies[rng_below(&random, NEAR_BODIES)]);
        near_expect_bits(world, "after a change");
        if (rng_below(&random, 40) == 0) {
            world = take_over(world, &random);
            near_expect_bits(world, "taken over");
        }
        const uint32_t body = round % 50 == 49 ? ground.index : bodies[rng_below(&random, NEAR_BODIES)].index;
        near_note(world, &is);
        expect_near(world, body, is.wakes);
        iso__space_body_wake_near(iso__space_of(world), body);
        near_expect_woken(world, &is, round);
    }
    EXPECT(is.woken > 50 && is.left > 5000, "%u woke, %u slept on", is.woken, is.left);
    world_free(world);
}

static void test_whoever_has_a_joint_is_known_to_have_one(void **state) {
    (void)state;
    rng random = {11};
    const iso_world_def def = sleepy_def();
    iso_world *world = world_make(&def);
    iso_body_id bodies[NEAR_BODIES];
    uint32_t named = 0, free_bodies = 0;
    for (uint32_t i = 0; i < NEAR_BODIES; ++i) {
        bodies[i] = random_body(world, &random);
    }
    for (uint32_t round = 0; round < 300; ++round) {
        change(world, &random, &bodies[rng_below(&random, NEAR_BODIES)]);
        iso_joint3_def joint = iso_joint3_def_default(ISO_JOINT3_BALL);
        iso_joint_id id;
        joint.body_a = bodies[rng_below(&random, NEAR_BODIES)];
        joint.body_b = bodies[rng_below(&random, NEAR_BODIES)];
        (void)iso_joint3_create(world, &joint, &id); // of one body twice: refused
        world = rng_below(&random, 20) == 0 ? take_over(world, &random) : world;
        named += near_expect_jointed(world, round);
        free_bodies += near_count_free(world, bodies);
    }
    EXPECT(named > 1000 && free_bodies > 1000, "%u named by joints, %u by none", named, free_bodies);
    world_free(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_body_wakes_who_a_walk_over_all_bodies_finds),
        cmocka_unit_test(test_whoever_has_a_joint_is_known_to_have_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
