/// Islands against connected components by brute force, colours against the rule that they follow.
#include "unit/world/physics_util.h"

#include "plane/dynamics/contact_group.h"
#include "plane/world/scratch.h"
#include "world/records.h"
#include "world/world.h"

// ---- scenes --------------------------------------------------------------------------------------

/// Heaps of discs and boxes, chains and single joints, on a floor, beside a kinematic body; some dead slots.
static iso_world *scene_make(uint64_t seed) {
    rng random = {seed};
    iso_world *world = world_make_small(-10);
    const iso_shape_def ground = shape_box(50, 1), box = shape_box(0.4, 0.4), disc = shape_circle(0.4);
    body_add_shape(world, ISO_BODY_STATIC, 0, -1, 0, &ground);
    body_add_shape(world, ISO_BODY_KINEMATIC, 3, 0.4, 0, &box);
    for (int i = 0; i < 150; ++i) {
        body_add_shape(world, ISO_BODY_DYNAMIC, rng_range(&random, -30, 30), 0.4 + 0.9 * rng_below(&random, 4), 0,
                       rng_below(&random, 2) ? &box : &disc);
    }
    for (int i = 0; i < 40; ++i) {
        iso_joint_def def = iso_joint_def_default();
        def.body_a = iso_body_next(world, rng_below(&random, 150));
        def.body_b = iso_body_next(world, rng_below(&random, 150));
        def.hertz = fix(0.5);
        def.damping_ratio = fix(1);
        def.collide_connected = rng_below(&random, 2);
        if (rng_below(&random, 4) == 0) {
            def.kind = ISO_JOINT_TARGET;
            def.target = iso_vec2_to_wide((iso_vec2){0, fix(5)});
        }
        iso_joint_id joint;
        iso_joint_create(world, &def, &joint); // between one body and itself, or to a static one: refused
    }
    for (uint32_t i = 0; i < 8; ++i) {
        iso_body_destroy(world, iso_body_next(world, 10 + 13 * i));
    }
    return world;
}

static bool body_is_dynamic(const iso_world *world, iso_body_id body) {
    return body.generation != 0 && body_view(world, body).type == ISO_BODY_DYNAMIC;
}

// ---- islands -------------------------------------------------------------------------------------

typedef struct link {
    uint32_t a, b;
} link;

/// What connects two dynamic bodies, by the public interface.
static uint32_t links_find(const iso_world *world, link links[1024]) {
    uint32_t count = 0;
    iso_contact_view contact;
    for (uint32_t i = 0; iso_world_get_contact(world, i, &contact); ++i) {
        if (body_is_dynamic(world, contact.body_a) && body_is_dynamic(world, contact.body_b)) {
            links[count++] = (link){contact.body_a.index, contact.body_b.index};
        }
    }
    for (iso_joint_id j = iso_joint_next(world, 0); j.generation; j = iso_joint_next(world, j.index + 1)) {
        iso_joint_def def;
        EXPECT_STATUS(iso_joint_get(world, j, &def), ISO_OK);
        if (body_is_dynamic(world, def.body_a) && body_is_dynamic(world, def.body_b)) {
            links[count++] = (link){def.body_a.index, def.body_b.index};
        }
    }
    return count;
}

/// The lowest index that each body is connected with: spread until nothing changes.
static void components_find(const iso_world *world, uint32_t lowest[256]) {
    static link links[1024];
    const uint32_t count = links_find(world, links);
    for (uint32_t i = 0; i < 256; ++i) {
        lowest[i] = i;
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t l = 0; l < count; ++l) {
            const uint32_t a = lowest[links[l].a], b = lowest[links[l].b], least = a < b ? a : b;
            changed = changed || a != b;
            lowest[links[l].a] = lowest[links[l].b] = least;
        }
    }
}

static void islands_check(const iso_world *world, const char *when) {
    uint32_t lowest[256], islands = 0;
    components_find(world, lowest);
    for (iso_body_id b = iso_body_next(world, 0); b.generation; b = iso_body_next(world, b.index + 1)) {
        const uint32_t expected = body_is_dynamic(world, b) ? lowest[b.index] : UINT32_MAX;
        EXPECT(iso_body_get_island(world, b) == expected, "%s: body %u is in island %u instead of %u", when, b.index,
               iso_body_get_island(world, b), expected);
        islands += expected == b.index;
    }
    EXPECT(world_counts(world).islands == islands, "%s: %u islands instead of %u", when, world_counts(world).islands,
           islands);
}

static void test_islands_are_the_connected_components(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 5; ++seed) {
        iso_world *world = scene_make(seed);
        uint32_t fewest = UINT32_MAX, most = 0;
        for (int t = 0; t < 90; ++t) {
            char when[64];
            snprintf(when, sizeof when, "scene %llu, tick %d", (unsigned long long)seed, t);
            world_steps(world, 1);
            islands_check(world, when);
            fewest = world_counts(world).islands < fewest ? world_counts(world).islands : fewest;
            most = world_counts(world).islands > most ? world_counts(world).islands : most;
        }
        EXPECT(fewest > 1 && most < 140, "from %u to %u islands", fewest, most);
        world_free(world);
    }
}

/// What does not move connects nothing.
static void test_static_and_kinematic_bodies_do_not_join_islands(void **state) {
    (void)state;
    iso_world *world = world_make_small(-10);
    const iso_shape_def ground = shape_box(50, 1), box = shape_box(0.4, 0.4);
    const iso_body_id fixed = body_add_shape(world, ISO_BODY_STATIC, 0, -1, 0, &ground);
    const iso_body_id a = body_add_shape(world, ISO_BODY_DYNAMIC, -2, 0.4, 0, &box);
    const iso_body_id b = body_add_shape(world, ISO_BODY_DYNAMIC, 2, 0.4, 0, &box);
    const iso_body_id moving = body_add_shape(world, ISO_BODY_KINEMATIC, -1.2, 0.4, 0, &box);
    iso_joint_def def = iso_joint_def_default();
    def.body_a = fixed;
    def.body_b = a;
    def.anchor_a = (iso_vec2){fix(-2), fix(1.4)};
    def.collide_connected = true;
    iso_joint_id joint;
    EXPECT_STATUS(iso_joint_create(world, &def, &joint), ISO_OK);
    world_steps(world, 1);
    assert_int_equal(world_counts(world).contacts, 3);
    assert_int_equal(world_counts(world).islands, 2);
    assert_int_equal(iso_body_get_island(world, a), a.index);
    assert_int_equal(iso_body_get_island(world, b), b.index);
    assert_int_equal(iso_body_get_island(world, fixed), UINT32_MAX);
    assert_int_equal(iso_body_get_island(world, moving), UINT32_MAX);
    assert_int_equal(iso_body_get_island(world, (iso_body_id){b.index, b.generation + 2}), UINT32_MAX);
    world_free(world);
}

// ---- colours -------------------------------------------------------------------------------------

/// Takes the lowest colour of a range that is free at both bodies; a body that is not dynamic is free in all.
static uint32_t colour_take(const iso_world *world, uint32_t masks[257], uint32_t a, uint32_t b, bool is_joint) {
    const bool moves_a = a < world->def.body_capacity && iso__plane_of_const(world)->bodies[a].type == ISO_BODY_DYNAMIC;
    const bool moves_b = iso__plane_of_const(world)->bodies[b].type == ISO_BODY_DYNAMIC;
    const uint32_t first = is_joint || (moves_a && moves_b) ? 0 : ISO__COLOUR_DYNAMIC;
    const uint32_t end = first == 0 ? ISO__COLOUR_DYNAMIC : ISO__COLOURS;
    for (uint32_t colour = first; colour < end; ++colour) {
        const uint32_t bit = UINT32_C(1) << colour;
        if ((!moves_a || !(masks[a] & bit)) && (!moves_b || !(masks[b] & bit))) {
            masks[a < 256 ? a : 256] |= moves_a ? bit : 0;
            masks[b] |= moves_b ? bit : 0;
            return colour;
        }
    }
    return ISO__COLOUR_OVERFLOW;
}

/// @return the number of constraints in the overflow
static uint32_t colours_check(const iso_world *world, const char *when) {
    const iso__plane_step_scratch *scratch = iso__plane_of_const(world)->scratch;
    uint32_t masks[257] = {0}, overflow = 0;
    for (uint32_t i = 0; i < scratch->joint_count; ++i) {
        const iso__plane_joint_ref *work = &scratch->joints[i];
        EXPECT(i == 0 || work->joint > scratch->joints[i - 1].joint, "%s: joint %u is out of order", when, i);
        const uint32_t expected = colour_take(world, masks, work->bodies[0], work->bodies[1], true);
        EXPECT(work->colour == expected, "%s: joint %u has colour %u instead of %u", when, i, work->colour, expected);
        overflow += expected == ISO__COLOUR_OVERFLOW;
    }
    for (uint32_t i = 0; i < world->globals->contact_count; ++i) {
        const iso__plane_contact *contact = &iso__plane_of_const(world)->contacts[i];
        const uint32_t expected = colour_take(world, masks, iso__plane_of_const(world)->shapes[contact->shape_a].body,
                                              iso__plane_of_const(world)->shapes[contact->shape_b].body, false);
        EXPECT(scratch->contact_colours[i] == expected, "%s: contact %u has colour %u instead of %u", when, i,
               scratch->contact_colours[i], expected);
        overflow += expected == ISO__COLOUR_OVERFLOW;
    }
    return overflow;
}

/// Each contact stands in one lane of its colour's groups and each joint once in its colour's range, in order; in one
/// colour no dynamic body stands twice, in the overflow it may.
static void order_check(const iso_world *world, const char *when) {
    const iso__plane_step_scratch *scratch = iso__plane_of_const(world)->scratch;
    uint32_t contacts = 0, joints = 0;
    for (uint32_t c = 0; c <= ISO__COLOURS; ++c) {
        const iso__plane_colour *colour = &scratch->colours[c];
        bool taken[256] = {false};
        uint32_t last = 0;
        // In the order of solving the works of a colour come first, then its hinges, then its plain ones.
        const uint32_t ends[] = {joints + colour->joint_end - colour->joint_begin,
                                 joints + colour->joint_end - colour->joint_begin + colour->hinge_end -
                                     colour->hinge_begin};
        const uint32_t count = ends[1] - joints + colour->plain_end - colour->plain_begin;
        for (uint32_t j = joints; j < joints + count; ++j) {
            const iso__plane_joint_ref *ref = &scratch->joints[scratch->joint_order[j]];
            const bool is_first = j == joints || j == ends[0] || j == ends[1];
            EXPECT(ref->colour == c, "%s: a joint in another colour than its own", when);
            EXPECT(ref->form == (j >= ends[1]   ? ISO__PLANE_JOINT_PLAIN
                                 : j >= ends[0] ? ISO__PLANE_JOINT_HINGE
                                                : ISO__PLANE_JOINT_WORK),
                   "%s: a joint in another form's range", when);
            EXPECT(is_first || scratch->joint_order[j] > last, "%s: joints of a colour out of order", when);
            last = scratch->joint_order[j];
            for (int s = 0; s < 2 && c < ISO__COLOUR_OVERFLOW; ++s) {
                const uint32_t body = ref->bodies[s];
                const bool moves = body < 256 && iso__plane_of_const(world)->bodies[body].type == ISO_BODY_DYNAMIC;
                EXPECT(!moves || !taken[body], "%s: body %u twice in colour %u", when, body, c);
                taken[body < 256 ? body : 0] = taken[body < 256 ? body : 0] || moves;
            }
        }
        joints += count;
        uint32_t next = 0;
        for (uint32_t g = colour->group_begin; g < colour->group_end; ++g) {
            const iso__plane_contact_group *group = &scratch->groups[g];
            EXPECT(group->count == ISO__LANES || (group->count > 0 && g + 1 == colour->group_end),
                   "%s: a gap in colour %u", when, c);
            for (uint32_t lane = 0; lane < group->count; ++lane, ++contacts) {
                const uint32_t bodies[2] = {group->body_a[lane], group->body_b[lane]};
                EXPECT(scratch->contact_colours[group->contact[lane]] == c, "%s: a contact in another colour", when);
                EXPECT(group->contact[lane] >= next, "%s: contacts of a colour out of order", when);
                next = group->contact[lane] + 1;
                for (int s = 0; s < 2 && c < ISO__COLOUR_OVERFLOW; ++s) {
                    const bool moves = iso__plane_of_const(world)->bodies[bodies[s]].type == ISO_BODY_DYNAMIC;
                    EXPECT(!moves || !taken[bodies[s]], "%s: body %u twice in colour %u", when, bodies[s], c);
                    taken[bodies[s]] = taken[bodies[s]] || moves;
                }
            }
        }
    }
    EXPECT(contacts == world->globals->contact_count, "%s: %u contacts in lanes of %u", when, contacts,
           world->globals->contact_count);
    EXPECT(joints == scratch->joint_count, "%s: %u joints in order of %u", when, joints, scratch->joint_count);
}

static void test_colours_are_the_lowest_free_ones_and_hold_no_body_twice(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 5; ++seed) {
        iso_world *world = scene_make(seed);
        for (int t = 0; t < 60; ++t) {
            char when[64];
            snprintf(when, sizeof when, "scene %llu, tick %d", (unsigned long long)seed, t);
            world_steps(world, 1);
            colours_check(world, when);
            order_check(world, when);
        }
        world_free(world);
    }
}

// ---- overflow ------------------------------------------------------------------------------------

/// A plate on the floor carries forty boxes: more contacts than there are colours for two dynamic bodies. All are
/// carried, those of the overflow, too.
static void test_contacts_beyond_the_colours_are_solved_as_well(void **state) {
    (void)state;
    enum { COUNT = 40 };
    iso_world *world = world_make_small(-10);
    const iso_shape_def ground = shape_box(50, 1), box = shape_box(0.4, 0.4);
    iso_shape_def plate = shape_box(24, 0.5);
    plate.density = fix(2);
    body_add_shape(world, ISO_BODY_STATIC, 0, -1, 0, &ground);
    const iso_body_id plate_id = body_add_shape(world, ISO_BODY_DYNAMIC, 0, 0.5, 0, &plate);
    iso_body_id boxes[COUNT];
    for (int i = 0; i < COUNT; ++i) {
        boxes[i] = body_add_shape(world, ISO_BODY_DYNAMIC, 1.1 * (i - COUNT / 2), 1.4, 0, &box);
    }
    for (int t = 0; t < 300; ++t) {
        world_steps(world, 1);
        assert_int_equal(colours_check(world, "plate"), COUNT - (int)ISO__COLOUR_DYNAMIC);
        order_check(world, "plate");
    }
    for (int i = 0; i < COUNT; ++i) {
        const pose at = body_pose(world, boxes[i]);
        EXPECT_NEAR(at.y, 1.4, 0.015, "height of box %d", i);
        EXPECT(hypot(at.vx, at.vy) < 0.01, "box %d moves with %g m/s", i, hypot(at.vx, at.vy));
        EXPECT_NEAR(at.angle, 0, 1e-3, "angle of box %d", i);
    }
    EXPECT_NEAR(body_pose(world, plate_id).y, 0.5, 0.01, "height of the plate");
    // The overflow's contacts carry what all others do.
    iso_contact_view view;
    const double weight = body_pose(world, boxes[0]).mass * 10;
    for (uint32_t i = 0; iso_world_get_contact(world, i, &view); ++i) {
        if (view.body_a.index == plate_id.index) {
            const double carried = from_wide(view.normal_impulse[0] + view.normal_impulse[1]) / world_substep(world);
            EXPECT_NEAR(carried, weight, 0.02 * weight, "weight carried by contact %u of colour %u", i,
                        iso__plane_of(world)->scratch->contact_colours[i]);
        }
    }
    world_free(world);
}

/// A wheel with forty spokes: joints beyond the colours hold, too.
static void test_joints_beyond_the_colours_are_solved_as_well(void **state) {
    (void)state;
    enum { COUNT = 40 };
    iso_world *world = world_make_small(0);
    iso_shape_def hub = shape_circle(2), spoke = shape_circle(0.1);
    hub.filter.mask = spoke.filter.mask = 0;
    const iso_body_id hub_id = body_add_shape(world, ISO_BODY_DYNAMIC, 0, 0, 0, &hub);
    iso_joint_id joints[COUNT];
    for (int i = 0; i < COUNT; ++i) {
        const double angle = 2 * PI * i / COUNT;
        iso_joint_def def = iso_joint_def_default();
        def.body_a = hub_id;
        def.body_b = body_add_shape(world, ISO_BODY_DYNAMIC, 3 * cos(angle), 3 * sin(angle), 0, &spoke);
        def.anchor_a = (iso_vec2){fix(3 * cos(angle)), fix(3 * sin(angle))};
        EXPECT_STATUS(iso_joint_create(world, &def, &joints[i]), ISO_OK);
    }
    body_set_velocity(world, hub_id, 1, 0, 3);
    for (int t = 0; t < 300; ++t) {
        world_steps(world, 1);
        assert_int_equal(colours_check(world, "wheel"), COUNT - (int)ISO__COLOUR_DYNAMIC);
        order_check(world, "wheel");
    }
    for (int i = 0; i < COUNT; ++i) {
        iso_wide separation;
        EXPECT_STATUS(iso_joint_get_separation(world, joints[i], &separation), ISO_OK);
        EXPECT(from_wide(separation) < 0.01, "joint %d is %g m apart", i, from_wide(separation));
    }
    assert_int_equal(world_counts(world).islands, 1);
    world_free(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_islands_are_the_connected_components),
        cmocka_unit_test(test_static_and_kinematic_bodies_do_not_join_islands),
        cmocka_unit_test(test_colours_are_the_lowest_free_ones_and_hold_no_body_twice),
        cmocka_unit_test(test_contacts_beyond_the_colours_are_solved_as_well),
        cmocka_unit_test(test_joints_beyond_the_colours_are_solved_as_well),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
