/// What the step keeps from tick to tick (pairs, manifolds, the list of joints, colours, islands) follows from the
/// state: a world that loses it at random, or comes back from a saved image, goes on as one that keeps it, whatever is
/// changed in between.
#include "unit/world/physics_util.h"

#include <stdlib.h>

#include "plane/world/scratch.h"
#include "world/world.h"

#define BODIES 40
#define JOINTS 16
#define TICKS  400

static iso_joint_def joint_any(rng *random, const iso_world *world) {
    iso_joint_def def = iso_joint_def_default();
    def.body_a = iso_body_next(world, rng_below(random, BODIES));
    def.body_b = iso_body_next(world, rng_below(random, BODIES));
    def.hertz = rng_below(random, 4) == 0 ? fix(0.5) : 0;
    def.damping_ratio = fix(1);
    def.collide_connected = rng_below(random, 2);
    return def;
}

static iso_world *scene_make(uint64_t seed) {
    rng random = {seed};
    iso_world_def def = world_def_small(-10);
    def.sleep_speed = fix(0.05);
    def.sleep_time = fix(0.2);
    iso_world *world = world_make(&def);
    const iso_shape_def ground = shape_box(50, 1), box = shape_box(0.4, 0.4), disc = shape_circle(0.4);
    iso_shape_def plate = shape_box(3, 0.1);
    plate.one_way = (iso_vec2){0, fix(1)};
    body_add_shape(world, ISO_BODY_STATIC, 0, -1, 0, &ground);
    body_add_shape(world, ISO_BODY_STATIC, 0, 1.3, 0, &plate);
    body_add_shape(world, ISO_BODY_KINEMATIC, 3, 0.4, 0, &box);
    for (int i = 0; i < BODIES; ++i) {
        body_add_shape(world, ISO_BODY_DYNAMIC, rng_range(&random, -20, 20), 0.4 + 0.9 * rng_below(&random, 4), 0,
                       rng_below(&random, 3) ? &box : &disc);
    }
    for (int i = 0; i < JOINTS; ++i) {
        const iso_joint_def of = joint_any(&random, world);
        iso_joint_id joint;
        iso_joint_create(world, &of, &joint); // between one body and itself, or two that do not move: refused
    }
    return world;
}

/// Changes something that rows, colours, islands or pairs depend on. Some changes are refused, in both worlds.
static void world_change(iso_world *world, uint64_t seed) {
    rng random = {seed};
    const iso_body_id body = iso_body_next(world, 1 + rng_below(&random, BODIES));
    const iso_joint_id joint = iso_joint_next(world, rng_below(&random, JOINTS));
    const iso_shape_id shape = iso_body_next_shape(world, body, 0);
    iso_joint_def def = joint_any(&random, world);
    iso_joint_id made_joint;
    const iso_body_id bodies[4] = {def.body_a, def.body_b};
    const iso_filter filter = {1 + rng_below(&random, 3), 1 + rng_below(&random, 3),
                               (int32_t)rng_below(&random, 3) - 1};
    const iso_shape_def disc = shape_circle(0.3);
    switch (rng_below(&random, 12)) {
    case 0:
        iso_body_set_type(world, body, (uint8_t)(1 + rng_below(&random, 3)));
        break;
    case 1:
        iso_body_set_type(world, body, ISO_BODY_DYNAMIC);
        break;
    case 2:
        iso_joint_enable(world, joint, rng_below(&random, 2));
        break;
    case 3:
        iso_joint_create(world, &def, &made_joint);
        break;
    case 4:
        iso_joint_destroy(world, joint);
        break;
    case 5:
        iso_joint_set_bodies(world, joint, bodies);
        break;
    case 6:
        def.body_a = def.body_b = (iso_body_id){0, 0};
        iso_joint_set(world, joint, &def);
        break;
    case 7:
        iso_body_destroy(world, body);
        break;
    case 8:
        body_add_shape(world, ISO_BODY_DYNAMIC, rng_range(&random, -6, 6), 4, 0, &disc);
        break;
    case 9:
        iso_body_set_mass(world, body, wide(rng_range(&random, 1, 9)), 0);
        break;
    case 10:
        iso_shape_set_filter(world, shape, filter);
        break;
    default:
        iso_body_wake(world, body);
        break;
    }
}

static void colours_compare(const iso_world *a, const iso_world *b, const char *when) {
    const iso__plane_step_scratch *x = iso__plane_of_const(a)->scratch, *y = iso__plane_of_const(b)->scratch;
    EXPECT(x->joint_count == y->joint_count && x->solved_count == y->solved_count, "%s: other constraints", when);
    for (uint32_t i = 0; i < x->joint_count; ++i) {
        EXPECT(x->joints[i].joint == y->joints[i].joint && x->joints[i].colour == y->joints[i].colour &&
                   x->joints[i].form == y->joints[i].form,
               "%s: joint %u", when, i);
    }
    for (uint32_t i = 0; i < x->solved_count; ++i) {
        EXPECT(x->contact_colours[i] == y->contact_colours[i], "%s: colour of contact %u", when, i);
    }
    for (iso_body_id i = iso_body_next(a, 0); i.generation; i = iso_body_next(a, i.index + 1)) {
        EXPECT(iso_body_get_island(a, i) == iso_body_get_island(b, i), "%s: island of body %u", when, i.index);
    }
}

static void test_lost_caches_leave_no_trace(void **state) {
    (void)state;
    uint32_t kept_count = 0, slept_count = 0;
    for (uint64_t seed = 1; seed <= 20; ++seed) {
        iso_world *keeper = scene_make(seed), *loser = scene_make(seed);
        rng random = {seed + 1000};
        const size_t capacity = iso_world_image_size_max(keeper);
        void *image = malloc(capacity);
        assert_non_null(image);
        for (uint32_t t = 0; t < TICKS; ++t) {
            char when[64];
            snprintf(when, sizeof when, "scene %llu, tick %u", (unsigned long long)seed, t);
            if (rng_below(&random, seed % 2 == 0 ? 100 : 8) == 0) { // seldom enough to fall asleep
                const uint64_t change = rng_next(&random);
                world_change(keeper, change);
                world_change(loser, change);
            }
            const size_t size = iso_world_save(keeper, image, capacity);
            if (rng_below(&random, 16) == 0) { // to elsewhere, and back
                world_change(keeper, rng_next(&random));
                world_steps(keeper, 1 + rng_below(&random, 3));
                EXPECT_STATUS(iso_world_restore(keeper, image, size), ISO_OK);
            }
            if (rng_below(&random, 2) == 0) {
                iso_world_drop_caches(loser);
            }
            world_steps(keeper, 1);
            world_steps(loser, 1);
            EXPECT(iso_world_root(keeper) == iso_world_root(loser), "%s: roots differ", when);
            colours_compare(keeper, loser, when);
            slept_count += keeper->events.sleep_count;
            kept_count +=
                iso__plane_of(keeper)->scratch->has_same_joints && iso__plane_of(keeper)->scratch->has_same_contacts;
        }
        free(image);
        world_free(keeper);
        world_free(loser);
    }
    EXPECT(kept_count > 1000, "colours were kept in %u ticks", kept_count);
    EXPECT(slept_count > 50, "%u bodies fell asleep", slept_count);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lost_caches_leave_no_trace),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
