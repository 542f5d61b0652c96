/// Which sleepers a shape wakes that has come near them, compared with a walk over all shapes; and what is known of
/// bodies so that neither sleepers nor joints are looked for in vain.
#include "unit/world/wake_near_util.h"

#include "plane/world/geometry.h"
#include "plane/world/wake.h"

#define ROUNDS 2000u

static iso_world_def sleepy_def(void) {
    iso_world_def def = world_def_small(0);
    def.body_capacity = NEAR_CAPACITY;
    def.sleep_speed = fix(1);
    def.sleep_time = fix(0.05);
    return def;
}

/// The rule, said as plainly as it can be: all shapes that there are, one after the other.
static void expect_near(const iso_world *world, uint32_t shape, bool *wakes) {
    const int32_t growth = iso__plane_box_growth(&world->def);
    const iso__plane_box box = iso__plane_shape_box(iso__plane_of_const(world), shape, growth);
    memset(wakes, 0, sizeof(bool) * world->def.body_capacity);
    for (uint32_t i = 0; i < world->globals->shape_count; ++i) {
        if (iso__plane_of_const(world)->shapes[i].kind != 0 &&
            iso__plane_body_is_asleep(iso__plane_of_const(world), iso__plane_of_const(world)->shapes[i].body)) {
            const iso__plane_box other = iso__plane_shape_box(iso__plane_of_const(world), i, growth);
            wakes[iso__plane_of_const(world)->shapes[i].body] =
                wakes[iso__plane_of_const(world)->shapes[i].body] || iso__plane_box_overlaps(&box, &other);
        }
    }
    if (iso__plane_of_const(world)->bodies[iso__plane_of_const(world)->shapes[shape].body].type == ISO_BODY_DYNAMIC) {
        memset(wakes, 0, sizeof(bool) * world->def.body_capacity);
    }
}

static iso_shape_def random_shape(rng *random, bool is_static) {
    switch (rng_below(random, is_static ? 4 : 3)) {
    case 0:
        return shape_circle(rng_range(random, 0.1, 2));
    case 1:
        return shape_box(rng_range(random, 0.1, 3), rng_range(random, 0.1, 1));
    case 2:
        return shape_capsule_random(random, 2, 0.2);
    default:
        return iso_shape_def_segment((iso_vec2_wide){wide(rng_range(random, -9, 0)), 0},
                                     (iso_vec2_wide){wide(rng_range(random, 1, 9)), wide(1)});
    }
}

static iso_body_id random_body(iso_world *world, rng *random) {
    const uint32_t kind = rng_below(random, 4);
    const iso_body_type type = kind == 0 ? ISO_BODY_STATIC : kind == 1 ? ISO_BODY_KINEMATIC : ISO_BODY_DYNAMIC;
    const iso_body_id body =
        body_add(world, type, rng_range(random, -16, 16), rng_range(random, -16, 16), rng_range(random, -3, 3));
    for (uint32_t n = rng_below(random, 4); n > 0; --n) { // some have none
        const iso_shape_def def = random_shape(random, type == ISO_BODY_STATIC);
        shape_add(world, body, &def);
    }
    return body;
}

/// Changes a body as a game or a command may.
static void change(iso_world *world, rng *random, iso_body_id *body) {
    const iso_vec2_wide place = {wide(rng_range(random, -16, 16)), wide(rng_range(random, -16, 16))};
    switch (rng_below(random, 5)) {
    case 0:
        EXPECT_STATUS(iso_body_destroy(world, *body), ISO_OK);
        *body = random_body(world, random);
        return;
    case 1:
        EXPECT_STATUS(iso_body_set_position(world, *body, place, 0), ISO_OK);
        return;
    case 2:
        (void)iso_body_set_type(world, *body, (uint8_t)(ISO_BODY_STATIC + rng_below(random, 3)));
        return;
    case 3:
        (void)iso_body_set_velocity(world, *body, (iso_vec2_wide){0, 0}, 0);
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

static void test_a_shape_wakes_who_a_walk_over_all_shapes_finds(void **state) {
    (void)state;
    rng random = {7};
    const iso_world_def def = sleepy_def();
    iso_world *world = world_make(&def);
    iso_body_id bodies[NEAR_BODIES];
    near_case is = {.woken = 0};
    for (uint32_t i = 0; i < NEAR_BODIES; ++i) {
        bodies[i] = random_body(world, &random);
    }
    for (uint32_t round = 0; round < ROUNDS; ++round) {
        change(world, &random, &bodies[rng_below(&random, NEAR_BODIES)]);
        near_expect_bits(world, "after a change");
        if (rng_below(&random, 40) == 0) {
            world = take_over(world, &random);
            near_expect_bits(world, "taken over");
        }
        const uint32_t shape = rng_below(&random, world->globals->shape_count);
        if (iso__plane_of(world)->shapes[shape].kind == 0) {
            continue;
        }
        near_note(world, &is);
        expect_near(world, shape, is.wakes);
        iso__plane_shape_wake_near(iso__plane_of(world), shape);
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
        iso_joint_def joint = iso_joint_def_default();
        joint.kind = ISO_JOINT_REVOLUTE;
        iso_joint_id id;
        joint.body_a = bodies[rng_below(&random, NEAR_BODIES)];
        joint.body_b = bodies[rng_below(&random, NEAR_BODIES)];
        const uint32_t there = rng_below(&random, world->def.joint_capacity);
        if (rng_below(&random, 3) == 0 && there < world->globals->joint_count) { // another joint gets these bodies
            const iso_body_id others[4] = {joint.body_a, joint.body_b, {0, 0}, {0, 0}};
            (void)iso_joint_set_bodies(world, (iso_joint_id){there, world->joint_generations[there]}, others);
        } else {
            (void)iso_joint_create(world, &joint, &id); // of one body twice: refused
        }
        world = rng_below(&random, 20) == 0 ? take_over(world, &random) : world;
        named += near_expect_jointed(world, round);
        free_bodies += near_count_free(world, bodies);
    }
    EXPECT(named > 1000 && free_bodies > 1000, "%u named by joints, %u by none", named, free_bodies);
    world_free(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_shape_wakes_who_a_walk_over_all_shapes_finds),
        cmocka_unit_test(test_whoever_has_a_joint_is_known_to_have_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
