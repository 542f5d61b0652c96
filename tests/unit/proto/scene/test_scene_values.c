/// What a scene's values become: exact decimals, defaults, materials, filters, joints, generators.
#define XXH_INLINE_ALL
#include <math.h>
#include <xxhash.h>

#include "test_scene_util.h"

static iso_scene *parse_body(const char *members) {
    char text[1024];
    snprintf(text, sizeof text, "{\"format\": 1, \"name\": \"t\", \"bodies\": [{\"name\": \"b\"%s}]}", members);
    return parse_ok(text);
}

static void test_scene_decimals_become_the_nearest_fixed_point(void **state) {
    (void)state;
    // The quanta were computed with rational numbers: round(value * 65536).
    static const struct {
        const char *text;
        fix16_t value;
    } cases[] = {
        {"0", 0},
        {"-0", 0},
        {"-0.0", 0},
        {"1", 65536},
        {"0.1", 6554},
        {"-0.1", -6554},
        {"1e-3", 66},
        {"1E+2", 6553600},
        {"12345.678901234", 809086412},
        {"-12345.678901234", -809086412},
        {"0.0000152587890625", 1},
        // Just below half a quantum, which Q31.32, where it is rounded first, cannot tell from half of one.
        {"0.00000762939453124", 1},
        {"0.000007629", 0},
        {"0.0000076298", 1},
        {"29999.99998474121", 1966079999},
        {"0.1000000000000000000000000000000000000000000000001", 6554},
        {"30000", 1966080000},
        {"0.3e5", 1966080000},
        {"1e-30", 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        char members[256];
        snprintf(members, sizeof members, ", \"position\": [%s, 0]", cases[i].text);
        iso_scene *scene = parse_body(members);
        assert_int_equal(scene->bodies[0].def.position.x, iso_wide_from_fix16(cases[i].value));
        iso_scene_free(scene);
    }
}

static void test_scene_wide_numbers_keep_their_fraction(void **state) {
    (void)state;
    iso_scene *scene =
        parse_ok("{\"format\": 1, \"name\": \"t\", \"bodies\": [{\"name\": \"b\"}],"
                 "\"joints\": [{\"kind\": \"target\", \"body_b\": \"b\", \"target\": [1, -2.5], \"force_max\": 0.1},"
                 "{\"kind\": \"target\", \"body_b\": \"b\", \"target\": [0, 0], \"force_max\": 1234567.890625}]}");
    assert_int_equal(scene->joints[0].def.force_max, 429496730); // round(0.1 * 2^32)
    assert_int_equal(scene->joints[1].def.force_max, INT64_C(5302428714926080));
    iso_scene_free(scene);
}

static void test_scene_without_values_has_the_defaults(void **state) {
    (void)state;
    const char *text = "{\"format\": 1, \"name\": \"t\"}";
    iso_scene *scene = parse_ok(text);
    const iso_world_def def = iso_world_def_default();
    assert_int_equal(scene->def.body_capacity, def.body_capacity);
    assert_int_equal(scene->def.contact_capacity, def.contact_capacity);
    assert_int_equal(scene->def.slot_capacity, def.slot_capacity);
    assert_int_equal(scene->def.substep_count, def.substep_count);
    assert_int_equal(scene->def.tick_rate_hz, def.tick_rate_hz);
    assert_true(scene->def.seed == def.seed);
    assert_int_equal(scene->def.gravity.y, def.gravity.y);
    assert_int_equal(scene->def.joint_hertz, def.joint_hertz);
    assert_int_equal(scene->def.speculative_distance, def.speculative_distance);
    assert_string_equal(iso_scene_def(scene)->game, "");
    assert_string_equal(scene->name, "t");
    assert_string_equal(scene->description, "");
    assert_null(scene->game);
    assert_int_equal(scene->body_count, 0);
    assert_int_equal(iso_scene_hash(scene), XXH3_64bits(text, strlen(text)));
    assert_string_equal(iso_scene_body_name(scene, 0), "");
    assert_int_equal(iso_scene_body_find(scene, ""), UINT32_MAX);
    iso_scene_free(scene);
    iso_scene_free(NULL);

    scene = parse_body("");
    const iso_body_def *body = &scene->bodies[0].def;
    assert_int_equal(body->type, ISO_BODY_DYNAMIC);
    assert_int_equal(body->position.x | body->position.y | body->angle | body->velocity.x | body->velocity.y, 0);
    assert_int_equal(body->angular_velocity, 0);
    assert_int_equal(body->tag, 0);
    assert_int_equal(body->owner.slot, ISO_OWNER_NOBODY);
    assert_int_equal(body->owner.generation, 0);
    assert_string_equal(iso_scene_body_name(scene, 0), "b");
    assert_int_equal(iso_scene_body_find(scene, "b"), 0);
    iso_scene_free(scene);
}

static void test_scene_world_takes_every_value(void **state) {
    (void)state;
    iso_scene *scene =
        parse_ok("{\"format\": 1, \"name\": \"all\", \"description\": \"d\", \"seed\": "
                 "18446744073709551615, \"tick_rate_hz\": 120,"
                 "\"substeps\": 8, \"iterations\": 3, \"capacities\": {\"bodies\": 11, \"shapes\": 12, \"joints\": 13, "
                 "\"contacts\": 14, \"slots\": 15},"
                 "\"world\": {\"gravity\": [0.5, -9.81], \"contact_hertz\": 31, "
                 "\"contact_damping_ratio\": 9, \"contact_push_speed\": 4,"
                 "\"restitution_threshold\": 0.75, \"joint_hertz\": 61, \"joint_damping_ratio\": 3, "
                 "\"slop\": 0.01, \"speculative_distance\": 0.04, \"contact_keep_distance\": 0.03, "
                 "\"contact_keep_angle\": 0.125},"
                 "\"game\": {\"name\": \"test-game\", \"params\": {\"goals\": 4.5}}}");
    const iso_world_def *def = iso_scene_def(scene);
    assert_true(def->seed == UINT64_MAX);
    assert_int_equal(def->tick_rate_hz, 120);
    assert_int_equal(def->substep_count, 8);
    assert_int_equal(def->body_capacity, 11);
    assert_int_equal(def->shape_capacity, 12);
    assert_int_equal(def->joint_capacity, 13);
    assert_int_equal(def->contact_capacity, 14);
    assert_int_equal(def->slot_capacity, 15);
    assert_int_equal(def->gravity.x, 32768);
    assert_int_equal(def->gravity.y, -642908);
    assert_int_equal(def->contact_hertz, 31 * 65536);
    assert_int_equal(def->contact_damping_ratio, 9 * 65536);
    assert_int_equal(def->contact_push_speed, 4 * 65536);
    assert_int_equal(def->restitution_threshold, 49152);
    assert_int_equal(def->joint_hertz, 61 * 65536);
    assert_int_equal(def->joint_damping_ratio, 3 * 65536);
    assert_int_equal(def->slop, 655);
    assert_int_equal(def->speculative_distance, 2621);
    assert_int_equal(def->contact_keep_distance, 1966);
    assert_int_equal(def->contact_keep_angle, 8192);
    assert_int_equal(def->iteration_count, 3);
    assert_string_equal(def->game, "test-game");
    assert_ptr_equal(scene->game, &test_game);
    assert_true(def->game_params[0] == 2 * ISO_WIDE_ONE);
    assert_true(def->game_params[1] == 9 * ISO_WIDE_HALF);
    assert_true(def->game_params[2] == 0);
    iso_scene_free(scene);
}

static void test_scene_bodies_take_parameters_and_a_mass_of_their_own(void **state) {
    (void)state;
    iso_scene *scene =
        parse_ok("{\"format\": 1, \"name\": \"t\", \"bodies\": [{\"name\": \"b\", \"linear_damping\": 0.5, "
                 "\"angular_damping\": 2,"
                 "\"gravity_scale\": -1.5, \"fixed_rotation\": false, \"lock_x\": true, \"lock_y\": true, \"bullet\": "
                 "true, \"sleep\": "
                 "false, \"mass\": 3,"
                 "\"inertia\": 0.25, \"shapes\": [{\"kind\": \"circle\", \"radius\": 0.5}]}, {\"name\": \"c\"}]}");
    const iso_body_params plain = iso_body_params_default();
    iso_body_params expected = plain;
    expected.linear_damping = 32768;
    expected.angular_damping = 2 * 65536;
    expected.gravity_scale = -98304;
    expected.lock_x = expected.lock_y = expected.bullet = true;
    expected.sleep_enabled = false;
    const size_t used = offsetof(iso_body_params, bullet) + sizeof expected.bullet; // without the padding
    assert_memory_equal(&scene->bodies[0].def.params, &expected, used);
    assert_memory_equal(&scene->bodies[1].def.params, &plain, used);
    assert_true(scene->bodies[0].mass == 3 * ISO_WIDE_ONE && scene->bodies[0].inertia == ISO_WIDE_ONE / 4);

    const size_t size = iso_world_size(&scene->def, NULL);
    void *memory = aligned_alloc(64, size);
    iso_world *world = NULL;
    assert_int_equal(iso_world_create(&scene->def, NULL, memory, size, &world), ISO_OK);
    assert_int_equal(iso_scene_build(scene, world, NULL), ISO_OK);
    iso_body_view view;
    iso_body_params params;
    assert_int_equal(iso_body_get(world, iso_body_next(world, 0), &view), ISO_OK);
    assert_int_equal(iso_body_get_params(world, iso_body_next(world, 0), &params), ISO_OK);
    assert_true(view.mass == 3 * ISO_WIDE_ONE && view.inertia == ISO_WIDE_ONE / 4);
    assert_memory_equal(&params, &expected, used);
    free(memory);
    iso_scene_free(scene);
}

static void test_scene_shapes_take_material_filter_and_geometry(void **state) {
    (void)state;
    iso_scene *scene =
        parse_ok("{\"format\": 1, \"name\": \"t\", \"materials\": {\"m\": {\"density\": 2, \"friction\": 0.25, "
                 "\"restitution\": 0.5}},"
                 "\"bodies\": [{\"name\": \"b\", \"type\": \"kinematic\", \"angle\": -1, \"velocity\": [1, 2], "
                 "\"angular_velocity\": 3,"
                 "\"owner\": \"everyone\", \"tag\": 4294967295, \"shapes\": ["
                 "{\"kind\": \"circle\", \"radius\": 0.5, \"centre\": [1, 2], \"material\": \"m\", \"filter\": "
                 "{\"category\": 4, \"mask\": 8, \"group\": -3}, \"surface_speed\": -1.5, \"one_way\": [0.5, -1], "
                 "\"sensor\": true, \"tag\": 4294967295},"
                 "{\"kind\": \"box\", \"half_width\": 2, \"half_height\": 1, \"radius\": 0.125},"
                 "{\"kind\": \"box\", \"half_width\": 2, \"half_height\": 1, \"centre\": [10, 20], \"angle\": "
                 "1.5707963267948966},"
                 "{\"kind\": \"polygon\", \"points\": [[0, 0], [1, 0], [0, 1]]},"
                 "{\"kind\": \"capsule\", \"points\": [[0, -1.5], [2, 1]], \"radius\": 0.25, \"radius_b\": 0.5, "
                 "\"material\": \"m\"}]}]}");
    const iso_body_def *body = &scene->bodies[0].def;
    assert_int_equal(body->type, ISO_BODY_KINEMATIC);
    assert_int_equal(body->angle, -ISO_WIDE_ONE);
    assert_int_equal(body->velocity.y, 2 * ISO_WIDE_ONE);
    assert_int_equal(body->angular_velocity, 3 * ISO_WIDE_ONE);
    assert_int_equal(body->owner.slot, ISO_OWNER_EVERYONE);
    assert_true(body->tag == UINT32_MAX);
    assert_int_equal(scene->bodies[0].shape_count, 5);
    assert_int_equal(scene->shape_total, 5);

    const iso_shape_def *capsule = &scene->shapes[4];
    const iso_vec2 ends[2] = {{0, -3 * 32768}, {2 * 65536, 65536}};
    assert_int_equal(capsule->kind, ISO_SHAPE_CAPSULE);
    assert_int_equal(capsule->point_count, 2);
    assert_int_equal(capsule->radius, 16384);
    assert_int_equal(capsule->radius_b, 32768);
    assert_int_equal(capsule->density, 2 * 65536);
    assert_memory_equal(capsule->points, ends, sizeof ends);

    const iso_shape_def *circle = &scene->shapes[0];
    assert_int_equal(circle->kind, ISO_SHAPE_CIRCLE);
    assert_int_equal(circle->radius, 32768);
    assert_int_equal(circle->points[0].y, 2 * 65536);
    assert_int_equal(circle->density, 2 * 65536);
    assert_int_equal(circle->friction, 16384);
    assert_int_equal(circle->restitution, 32768);
    assert_int_equal(circle->filter.category, 4);
    assert_int_equal(circle->filter.mask, 8);
    assert_int_equal(circle->filter.group, -3);
    assert_int_equal(circle->surface_speed, -98304);
    assert_true(circle->one_way.x == 32768 && circle->one_way.y == -65536);
    assert_true(circle->is_sensor && !scene->shapes[1].is_sensor);
    assert_true(circle->tag == UINT32_MAX && scene->shapes[1].tag == 0);

    const iso_shape_def box = iso_shape_def_box(2 * 65536, 65536);
    assert_int_equal(scene->shapes[1].kind, ISO_SHAPE_POLYGON);
    assert_int_equal(scene->shapes[1].point_count, 4);
    assert_int_equal(scene->shapes[1].radius, 8192);
    assert_int_equal(scene->shapes[1].friction, box.friction);
    assert_memory_equal(scene->shapes[1].points, box.points, sizeof box.points);
    // Turned by a quarter: the first corner (-2, -1) goes to (1, -2). The angle is rounded to 2^-16 rad.
    assert_in_range(scene->shapes[2].points[0].x, 11 * 65536 - 1, 11 * 65536 + 1);
    assert_in_range(scene->shapes[2].points[0].y, 18 * 65536 - 1, 18 * 65536 + 1);
    assert_int_equal(scene->shapes[3].point_count, 3);
    assert_int_equal(scene->shapes[3].points[2].y, 65536);
    iso_scene_free(scene);
}

static void test_scene_joints_get_bodies_and_anchors(void **state) {
    (void)state;
    iso_scene *scene =
        parse_ok("{\"format\": 1, \"name\": \"t\", \"bodies\": [{\"name\": \"a\", \"position\": [1, 1]},"
                 "{\"name\": \"b\", \"position\": [3, 1], \"angle\": 1.5707963267948966}],"
                 "\"joints\": [{\"kind\": \"revolute\", \"body_a\": \"b\", \"body_b\": \"a\", \"anchor_a\": [0.5, 0], "
                 "\"anchor_b\": [0, -0.5]},"
                 "{\"kind\": \"revolute\", \"body_a\": \"a\", \"body_b\": \"b\", \"at\": [2, 4], \"hertz\": 2, "
                 "\"damping_ratio\": 0.5,"
                 "\"collide_connected\": true, \"owner\": \"everyone\"},"
                 "{\"kind\": \"target\", \"body_b\": \"a\", \"anchor_b\": [0.25, 0], \"target\": [5, 6]}]}");
    assert_int_equal(scene->joint_count, 3);
    const iso_scene_joint *first = &scene->joints[0];
    assert_int_equal(first->def.kind, ISO_JOINT_REVOLUTE);
    assert_int_equal(first->body_a, 1);
    assert_int_equal(first->body_b, 0);
    assert_int_equal(first->def.anchor_a.x, 32768);
    assert_int_equal(first->def.anchor_b.y, -32768);
    assert_false(first->def.collide_connected);
    assert_false(first->is_generated);
    assert_int_equal(first->def.owner.slot, ISO_OWNER_NOBODY);

    const iso_scene_joint *second = &scene->joints[1];
    assert_int_equal(second->element, 1);
    assert_int_equal(second->def.anchor_a.x, 65536);
    assert_int_equal(second->def.anchor_a.y, 3 * 65536);
    // (-1, 3) seen from a body that is turned by a quarter is (3, 1); the angle is rounded to 2^-16 rad.
    assert_in_range(second->def.anchor_b.x, 3 * 65536 - 1, 3 * 65536 + 1);
    assert_in_range(second->def.anchor_b.y, 65536 - 2, 65536 + 2);
    assert_int_equal(second->def.hertz, 2 * 65536);
    assert_int_equal(second->def.damping_ratio, 32768);
    assert_true(second->def.collide_connected);
    assert_int_equal(second->def.owner.slot, ISO_OWNER_EVERYONE);

    const iso_scene_joint *third = &scene->joints[2];
    assert_int_equal(third->def.kind, ISO_JOINT_TARGET);
    assert_true(third->body_a == UINT32_MAX);
    assert_int_equal(third->body_b, 0);
    assert_int_equal(third->def.anchor_b.x, 16384);
    assert_int_equal(third->def.target.x, 5 * ISO_WIDE_ONE);
    assert_int_equal(third->def.target.y, 6 * ISO_WIDE_ONE);
    iso_scene_free(scene);
}

#define JOINTS_OF_TWO                                                                    \
    "{\"format\": 1, \"name\": \"t\", \"bodies\": [{\"name\": \"a\", \"angle\": 0.25}, " \
    "{\"name\": \"b\", \"position\": [3, 4], \"angle\": 1}, {\"name\": \"c\", \"position\": [0, 6]}], \"joints\": ["
#define BETWEEN "\"body_a\": \"a\", \"body_b\": \"b\""

/// What a joint holds is what the places of its bodies make it, unless the scene says otherwise.
static void test_scene_joints_measure_what_they_hold(void **state) {
    (void)state;
    iso_scene *scene = parse_ok(
        JOINTS_OF_TWO "{\"kind\": \"weld\", " BETWEEN ", \"at\": [0, 0]}, {\"kind\": \"weld\", " BETWEEN
                      ", \"at\": [0, 0], \"rest\": 2},"
                      "{\"kind\": \"gear\", " BETWEEN ", \"ratio\": 3}, {\"kind\": \"gear\", " BETWEEN
                      ", \"ratio\": -2, \"rest\": 0},"
                      "{\"kind\": \"motor\", " BETWEEN ", \"anchor_a\": [1, 0], \"anchor_b\": [0, 0]},"
                      "{\"kind\": \"prismatic\", " BETWEEN ", \"at\": [0, 0]}, {\"kind\": \"prismatic\", " BETWEEN
                      ", \"at\": [0, 0], \"reference\": -1},"
                      "{\"kind\": \"distance\", " BETWEEN "}, {\"kind\": \"distance\", " BETWEEN ", \"length\": 7},"
                      "{\"kind\": \"pulley\", " BETWEEN ", \"body_c\": \"c\", \"body_d\": \"a\", \"ratio\": 2},"
                      "{\"kind\": \"pulley\", " BETWEEN
                      ", \"body_c\": \"c\", \"body_d\": \"a\", \"length\": 1, \"anchor_d\": [0, 1]},"
                      "{\"kind\": \"friction\", " BETWEEN ", \"at\": [0, 0]}, {\"kind\": \"ratchet\", " BETWEEN
                      ", \"ratchet\": -0.5}]}");
    // a at an angle of 0.25, b at 1 and 5 m away, c and a 6 m apart.
    static const struct {
        int32_t rest, reference; // in quarters
    } held[] = {{3, 0},  {8, 0},  {11, 0}, {0, 0}, {3, 0}, {0, 3}, {0, -4},
                {20, 0}, {28, 0}, {68, 0}, {4, 0}, {0, 0}, {0, 0}};
    assert_int_equal(scene->joint_count, sizeof held / sizeof *held);
    for (uint32_t i = 0; i < scene->joint_count; ++i) {
        assert_int_equal(scene->joints[i].def.rest, held[i].rest * 16384);
        assert_int_equal(scene->joints[i].def.reference, held[i].reference * 16384);
        assert_int_equal(scene->joints[i].body_c, i == 9 || i == 10 ? 2 : UINT32_MAX);
        assert_int_equal(scene->joints[i].body_d, i == 9 || i == 10 ? 0 : UINT32_MAX);
    }
    assert_int_equal(scene->joints[2].def.ratio, 3 * 65536);
    assert_int_equal(scene->joints[3].def.ratio, -2 * 65536);
    assert_int_equal(scene->joints[10].def.anchor_d.y, 65536);
    assert_int_equal(scene->joints[12].def.ratchet, -32768);
    iso_scene_free(scene);
}

/// From anchor to anchor of bodies that are turned: 0.25 and 1 rad.
static void test_scene_lengths_are_those_between_anchors(void **state) {
    (void)state;
    iso_scene *scene =
        parse_ok(JOINTS_OF_TWO "{\"kind\": \"distance\", " BETWEEN ", \"anchor_a\": [1, 2], \"anchor_b\": [-1, 0.5]},"
                               "{\"kind\": \"pulley\", " BETWEEN
                               ", \"anchor_a\": [1, 2], \"anchor_b\": [-1, 0.5], \"body_c\": \"c\", \"body_d\": \"a\","
                               " \"anchor_c\": [0.5, 0], \"anchor_d\": [0, -1], \"ratio\": 2}]}");
    const double ax = cos(0.25) - 2 * sin(0.25), ay = sin(0.25) + 2 * cos(0.25);
    const double bx = 3 - cos(1) - 0.5 * sin(1), by = 4 - sin(1) + 0.5 * cos(1);
    const double ab = hypot(bx - ax, by - ay), cd = hypot(sin(0.25) - 0.5, -cos(0.25) - 6);
    assert_true(fabs(scene->joints[0].def.rest / 65536.0 - ab) < 1e-4);
    assert_true(fabs(scene->joints[1].def.rest / 65536.0 - ab - 2 * cd) < 1e-4);
    iso_scene_free(scene);
}

/// A part that is there but off keeps its numbers for the game that switches it on.
static void test_scene_joints_may_have_parts_that_are_off(void **state) {
    (void)state;
    iso_scene *scene = parse_ok(
        JOINTS_OF_TWO "{\"kind\": \"revolute\", " BETWEEN ", \"at\": [0, 0], \"limit\": {\"lower\": -1, \"upper\": 2, "
                      "\"hertz\": 4, \"damping_ratio\": 0.25, \"enabled\": false},"
                      " \"motor\": {\"speed\": 3, \"max\": 4, \"enabled\": false}, \"spring\": {\"hertz\": 5, "
                      "\"damping_ratio\": 0.5, \"enabled\": false},"
                      " \"break\": {\"force\": 6, \"torque\": 7, \"error\": 8, \"angle\": 9, \"remove\": true}},"
                      "{\"kind\": \"revolute\", " BETWEEN
                      ", \"at\": [0, 0], \"tag\": 4294967295, \"break\": {}, \"spring\": {\"stiffness\": 2.5, "
                      "\"damping\": 0.75, \"max\": 3, \"rest\": 1}}, {\"kind\": \"distance\", " BETWEEN
                      ", \"spring\": {\"damping\": 4}, \"anchor_a\": [0, 0], \"anchor_b\": [0, 0]}]}");
    const iso_joint_def *off = &scene->joints[0].def, *none = &scene->joints[1].def;
    assert_false(off->limit_enabled || off->motor_enabled || off->spring_enabled);
    assert_true(off->lower == -65536 && off->upper == 2 * 65536 && off->motor_speed == 3 * 65536 &&
                off->motor_max == 4 * ISO_WIDE_ONE);
    assert_true(off->limit_hertz == 4 * 65536 && off->limit_damping_ratio == 16384);
    assert_true(off->spring_hertz == 5 * 65536 && off->spring_damping_ratio == 32768);
    assert_true(off->break_force == 6 * ISO_WIDE_ONE && off->break_torque == 7 * ISO_WIDE_ONE &&
                off->break_error == 8 * ISO_WIDE_ONE && off->break_angle == 9 * ISO_WIDE_ONE);
    assert_true(off->remove_on_break && off->enabled);
    assert_true(off->tag == 0 && none->tag == UINT32_MAX);
    assert_true(none->spring_stiffness == 5 * ISO_WIDE_HALF && none->spring_damping == 3 * ISO_WIDE_ONE / 4);
    assert_true(none->spring_enabled && none->spring_max == 3 * ISO_WIDE_ONE && none->rest == 65536);
    assert_true(off->spring_stiffness == 0 && off->spring_damping == 0);
    const iso_joint_def *damper = &scene->joints[2].def;
    assert_true(damper->spring_enabled && damper->spring_stiffness == 0 && damper->spring_damping == 4 * ISO_WIDE_ONE);
    assert_true(none->break_force == 0 && none->break_torque == 0 && none->break_error == 0 && none->break_angle == 0 &&
                !none->remove_on_break);
    iso_scene_free(scene);
}

static void test_scene_joints_get_the_numbers_of_their_kind(void **state) {
    (void)state;
    iso_scene *scene = parse_ok(
        JOINTS_OF_TWO "{\"kind\": \"prismatic\", " BETWEEN
                      ", \"at\": [0, 0], \"axis\": [0.5, -2], \"correction_max\": 1.5, \"torque_max\": 6,"
                      " \"spring\": {\"hertz\": 2, \"rest\": -0.5, \"max\": 9}, \"motor\": {\"speed\": -1, \"max\": "
                      "3}, \"limit\": {\"lower\": -1, \"upper\": 2}},"
                      "{\"kind\": \"wheel\", " BETWEEN ", \"at\": [0, 0]}, {\"kind\": \"weld\", " BETWEEN
                      ", \"at\": [0, 0], \"rest\": 0.5, \"spring\": {\"hertz\": 4}},"
                      "{\"kind\": \"ratchet\", " BETWEEN
                      ", \"ratchet\": 0.25, \"rest\": 0.5}, {\"kind\": \"filter\", " BETWEEN ", \"enabled\": false}]}");
    const iso_joint_def *slide = &scene->joints[0].def, *wheel = &scene->joints[1].def, *weld = &scene->joints[2].def;
    const iso_joint_def *ratchet = &scene->joints[3].def, *filter = &scene->joints[4].def;
    assert_true(slide->axis.x == 32768 && slide->axis.y == -2 * 65536 && slide->correction_max == 98304);
    assert_true(slide->torque_max == 6 * ISO_WIDE_ONE && slide->spring_max == 9 * ISO_WIDE_ONE &&
                slide->motor_max == 3 * ISO_WIDE_ONE);
    assert_true(slide->rest == -32768 && slide->lower == -65536 && slide->upper == 2 * 65536 &&
                slide->motor_speed == -65536);
    assert_true(slide->spring_enabled && slide->motor_enabled && slide->limit_enabled);
    assert_true(wheel->axis.x == 65536 && wheel->axis.y == 0 && wheel->ratio == 65536);
    assert_true(weld->rest == 32768 && weld->spring_enabled && weld->spring_hertz == 4 * 65536);
    assert_true(ratchet->ratchet == 16384 && ratchet->rest == 32768);
    assert_true(filter->kind == ISO_JOINT_FILTER && !filter->enabled);
    iso_scene_free(scene);
}

static void test_chains_become_segments(void **state) {
    (void)state;
    iso_scene *scene = parse_ok(
        "{\"format\": 1, \"name\": \"t\", \"bodies\": [{\"name\": \"b\", \"type\": \"static\", \"shapes\": ["
        "{\"kind\": \"segment\", \"points\": [[1, 0], [0, 0.1]], \"behind\": [-5, 7]},"
        "{\"kind\": \"chain\", \"points\": [[900, 0], [901, 0], [901, 1]], \"sensor\": true},"
        "{\"kind\": \"chain\", \"points\": [[0, 0], [1, 0], [0, 1]], \"loop\": true, \"surface_speed\": 2},"
        "{\"kind\": \"chain\", \"points\": [[3, 0], [2, 0], [1, 0]], \"before\": [4, 1], \"behind\": [0, 2]}]}]}");
    assert_int_equal(scene->bodies[0].shape_count, 8);
    const int64_t one = ISO_WIDE_ONE;
    const iso_vec2_wide expected[8][4] = {
        {{one, 0}, {one, 0}, {0, 429496730}, {-5 * one, 7 * one}}, // 0.1 to 2^-32
        {{900 * one, 0}, {900 * one, 0}, {901 * one, 0}, {901 * one, one}},
        {{900 * one, 0}, {901 * one, 0}, {901 * one, one}, {901 * one, one}},
        {{0, one}, {0, 0}, {one, 0}, {0, one}},
        {{0, 0}, {one, 0}, {0, one}, {0, 0}},
        {{one, 0}, {0, one}, {0, 0}, {one, 0}},
        {{4 * one, one}, {3 * one, 0}, {2 * one, 0}, {one, 0}},
        {{3 * one, 0}, {2 * one, 0}, {one, 0}, {0, 2 * one}},
    };
    for (int i = 0; i < 8; ++i) {
        const iso_shape_def *def = &scene->shapes[i];
        assert_int_equal(def->kind, ISO_SHAPE_SEGMENT);
        assert_int_equal(def->point_count, 0);
        assert_memory_equal(def->segment, expected[i], sizeof expected[i]);
        assert_int_equal(def->is_sensor, i == 1 || i == 2);
        assert_int_equal(def->surface_speed, i > 2 && i < 6 ? 2 * 65536 : 0);
    }
    iso_scene_free(scene);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scene_decimals_become_the_nearest_fixed_point),
        cmocka_unit_test(test_scene_wide_numbers_keep_their_fraction),
        cmocka_unit_test(test_scene_without_values_has_the_defaults),
        cmocka_unit_test(test_scene_world_takes_every_value),
        cmocka_unit_test(test_scene_bodies_take_parameters_and_a_mass_of_their_own),
        cmocka_unit_test(test_scene_shapes_take_material_filter_and_geometry),
        cmocka_unit_test(test_chains_become_segments),
        cmocka_unit_test(test_scene_joints_get_bodies_and_anchors),
        cmocka_unit_test(test_scene_joints_measure_what_they_hold),
        cmocka_unit_test(test_scene_lengths_are_those_between_anchors),
        cmocka_unit_test(test_scene_joints_may_have_parts_that_are_off),
        cmocka_unit_test(test_scene_joints_get_the_numbers_of_their_kind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
