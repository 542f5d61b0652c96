/// Generators: how many bodies and joints, where, in which order, with which names.
#include "test_scene_util.h"

/// Position in halves of a metre.
static void assert_body(const iso_scene *scene, uint32_t index, const char *name, int32_t x_halves, int32_t y_halves) {
    assert_string_equal(iso_scene_body_name(scene, index), name);
    assert_int_equal(scene->bodies[index].def.position.x, x_halves * ISO_WIDE_HALF);
    assert_int_equal(scene->bodies[index].def.position.y, y_halves * ISO_WIDE_HALF);
    assert_int_equal(iso_scene_body_find(scene, name), index);
}

/// Anchors in halves of a metre.
static void assert_joint(const iso_scene *scene, uint32_t index, const char *body_a, const char *body_b, int32_t ax,
                         int32_t ay, int32_t bx, int32_t by) {
    const iso_scene_joint *joint = &scene->joints[index];
    assert_string_equal(iso_scene_body_name(scene, joint->body_a), body_a);
    assert_string_equal(iso_scene_body_name(scene, joint->body_b), body_b);
    assert_int_equal(joint->def.kind, ISO_JOINT_REVOLUTE);
    assert_int_equal(joint->def.anchor_a.x, ax * 32768);
    assert_int_equal(joint->def.anchor_a.y, ay * 32768);
    assert_int_equal(joint->def.anchor_b.x, bx * 32768);
    assert_int_equal(joint->def.anchor_b.y, by * 32768);
}

static void test_scene_chain_links_step_by_step(void **state) {
    (void)state;
    iso_scene *scene = parse_ok(
        "{\"format\": 1, \"name\": \"t\", \"bodies\": ["
        "{\"name\": \"hook\", \"type\": \"static\", \"position\": [0, 5]},"
        "{\"generator\": \"chain\", \"name\": \"link\", \"count\": 3, \"step\": [0, -1], \"from\": \"hook\", \"to\": "
        "\"load[1]\","
        " \"joint\": {\"hertz\": 5, \"damping_ratio\": 0.5, \"force_max\": 7, \"collide_connected\": true, \"owner\": "
        "\"everyone\"},"
        " \"body\": {\"position\": [0, 4], \"tag\": 9, \"shapes\": [{\"kind\": \"circle\", \"radius\": 0.5}, "
        "{\"kind\": \"circle\", \"radius\": 0.25}]}},"
        "{\"generator\": \"row\", \"name\": \"load\", \"count\": 2, \"step\": [2, 0.5], \"body\": {\"position\": [-2, "
        "0.5]}}],"
        "\"joints\": [{\"kind\": \"revolute\", \"body_a\": \"load[0]\", \"body_b\": \"link[0]\", \"at\": [0, 0]}]}");
    assert_int_equal(scene->body_count, 6);
    assert_int_equal(scene->shape_count, 2);
    assert_int_equal(scene->shape_total, 6);
    assert_body(scene, 0, "hook", 0, 10);
    assert_body(scene, 1, "link[0]", 0, 8);
    assert_body(scene, 2, "link[1]", 0, 6);
    assert_body(scene, 3, "link[2]", 0, 4);
    assert_body(scene, 4, "load[0]", -4, 1);
    assert_body(scene, 5, "load[1]", 0, 2);
    assert_int_equal(scene->bodies[3].def.tag, 9);
    assert_int_equal(scene->bodies[3].element, 1);
    assert_int_equal(scene->bodies[3].shape_first, 0);
    assert_int_equal(scene->bodies[3].shape_count, 2);
    assert_int_equal(scene->bodies[4].shape_count, 0);

    assert_int_equal(scene->joint_count, 5);
    assert_joint(scene, 0, "hook", "link[0]", 0, -1, 0, 1);
    assert_joint(scene, 1, "link[0]", "link[1]", 0, -1, 0, 1);
    assert_joint(scene, 2, "link[1]", "link[2]", 0, -1, 0, 1);
    assert_joint(scene, 3, "link[2]", "load[1]", 0, -1, 0, 1);
    assert_joint(scene, 4, "load[0]", "link[0]", 4, -1, 0, -8);
    for (uint32_t i = 0; i < 4; ++i) {
        const iso_joint_def *def = &scene->joints[i].def;
        assert_true(scene->joints[i].is_generated);
        assert_int_equal(def->hertz, 5 * 65536);
        assert_int_equal(def->damping_ratio, 32768);
        assert_true(def->force_max == 7 * ISO_WIDE_ONE);
        assert_true(def->collide_connected);
        assert_int_equal(def->owner.slot, ISO_OWNER_EVERYONE);
    }
    assert_false(scene->joints[4].def.collide_connected);
    iso_scene_free(scene);
}

static void test_scene_pyramid_goes_row_by_row(void **state) {
    (void)state;
    iso_scene *scene = parse_ok("{\"format\": 1, \"name\": \"t\", \"bodies\": [{\"name\": \"first\"}, {\"generator\": "
                                "\"pyramid\", \"name\": \"box\", \"rows\": 3,"
                                "\"step\": [3, 2], \"body\": {\"position\": [-1, 0.5]}}]}");
    assert_int_equal(scene->body_count, 7);
    assert_body(scene, 1, "box[0,0]", -2, 1);
    assert_body(scene, 2, "box[1,0]", 4, 1);
    assert_body(scene, 3, "box[2,0]", 10, 1);
    assert_body(scene, 4, "box[0,1]", 1, 5);
    assert_body(scene, 5, "box[1,1]", 7, 5);
    assert_body(scene, 6, "box[0,2]", 4, 9);
    assert_int_equal(iso_scene_body_find(scene, "box[1,2]"), UINT32_MAX);
    iso_scene_free(scene);
}

static void test_scene_grid_goes_column_by_column(void **state) {
    (void)state;
    iso_scene *scene = parse_ok("{\"format\": 1, \"name\": \"t\", \"bodies\": [{\"generator\": \"grid\", \"name\": "
                                "\"n\", \"columns\": 3, \"rows\": 2,"
                                "\"step\": [1, -1], \"body\": {\"position\": [0, 2], \"velocity\": [1, 0]}, "
                                "\"column_joint\": {\"hertz\": 3}, \"row_joint\": {},"
                                "\"static\": [{\"columns\": [1, 2], \"rows\": [0, 0]}]}]}");
    assert_int_equal(scene->body_count, 6);
    assert_body(scene, 0, "n[0,0]", 0, 4);
    assert_body(scene, 1, "n[0,1]", 0, 2);
    assert_body(scene, 2, "n[1,0]", 2, 4);
    assert_body(scene, 3, "n[1,1]", 2, 2);
    assert_body(scene, 4, "n[2,0]", 4, 4);
    assert_body(scene, 5, "n[2,1]", 4, 2);
    for (uint32_t i = 0; i < 6; ++i) {
        const bool fixed = i == 2 || i == 4;
        assert_int_equal(scene->bodies[i].def.type, fixed ? ISO_BODY_STATIC : ISO_BODY_DYNAMIC);
        assert_int_equal(scene->bodies[i].def.velocity.x, fixed ? 0 : ISO_WIDE_ONE);
    }
    // Column joints lead down, row joints to the right.
    assert_int_equal(scene->joint_count, 7);
    assert_joint(scene, 0, "n[0,0]", "n[0,1]", 0, -1, 0, 1);
    assert_joint(scene, 1, "n[0,0]", "n[1,0]", 1, 0, -1, 0);
    assert_joint(scene, 2, "n[1,0]", "n[1,1]", 0, -1, 0, 1);
    assert_joint(scene, 3, "n[0,1]", "n[1,1]", 1, 0, -1, 0);
    assert_joint(scene, 4, "n[1,0]", "n[2,0]", 1, 0, -1, 0);
    assert_joint(scene, 5, "n[2,0]", "n[2,1]", 0, -1, 0, 1);
    assert_joint(scene, 6, "n[1,1]", "n[2,1]", 1, 0, -1, 0);
    assert_int_equal(scene->joints[0].def.hertz, 3 * 65536);
    assert_int_equal(scene->joints[1].def.hertz, 0);
    iso_scene_free(scene);

    // Without joints there are none; one alone gives one direction.
    scene = parse_ok(
        "{\"format\": 1, \"name\": \"t\", \"bodies\": [{\"generator\": \"grid\", \"name\": \"n\", \"columns\": 4, "
        "\"rows\": 5,"
        "\"step\": [1, 1], \"body\": {}}, {\"generator\": \"grid\", \"name\": \"m\", \"columns\": 4, \"rows\": 5,"
        "\"step\": [1, 1], \"body\": {}, \"row_joint\": {}}]}");
    assert_int_equal(scene->body_count, 40);
    assert_int_equal(scene->joint_count, 15);
    iso_scene_free(scene);
}

static void test_scene_steps_do_not_add_up_rounding(void **state) {
    (void)state;
    // 1000 steps of 0.1 m end at 100 m; in steps of Q15.16 it would be 6554 * 1000 = 100.0061 m.
    iso_scene *scene = parse_ok(
        "{\"format\": 1, \"name\": \"t\", \"bodies\": [{\"generator\": \"row\", \"name\": \"r\", \"count\": 1001,"
        "\"step\": [0.1, 0], \"body\": {}}]}");
    assert_int_equal(scene->bodies[1].def.position.x, iso_wide_from_fix16(6554));
    assert_int_equal(scene->bodies[1000].def.position.x, 100 * ISO_WIDE_ONE);
    iso_scene_free(scene);
}

static void test_scene_references_are_canonical(void **state) {
    (void)state;
    static const char *const wrong[] = {"n",           "n[0]",  "n[0,2]",  "n[2,0]",  "n[00,0]",
                                        "n[0, 0]",     "n[0,0", "n[0,0]x", "n[-1,0]", "n[4294967296,0]",
                                        "n[0,0][0,0]", "[0,0]", "m[0,0]",  "nn",      ""};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
        char text[512], value[64];
        snprintf(text, sizeof text,
                 "{\"format\": 1, \"name\": \"t\", \"bodies\": [{\"generator\": \"grid\", \"name\": \"n\", "
                 "\"columns\": 2, \"rows\": 2,"
                 "\"step\": [1, 1], \"body\": {}}], \"joints\": [{\"kind\": \"target\", \"body_b\": \"%s\", "
                 "\"target\": [0, 0]}]}",
                 wrong[i]);
        snprintf(value, sizeof value, "\"%s\"", wrong[i]);
        // Of a group that there is it is said which bodies it has.
        const bool is_of_group = wrong[i][0] == 'n' && wrong[i][1] != 'n';
        parse_bad(text, "/joints/0/body_b", value,
                  is_of_group ? "the name of a body, as from n[0,0] to n[1,1]" : "the name of a body");
    }
}

static void test_scene_fills_its_capacities_exactly(void **state) {
    (void)state;
    iso_scene *scene = parse_ok("{\"format\": 1, \"name\": \"t\", \"capacities\": {\"bodies\": 6, \"shapes\": 6, "
                                "\"joints\": 5}, \"bodies\": [{\"generator\": \"chain\","
                                "\"name\": \"c\", \"count\": 6, \"step\": [1, 0], \"body\": {\"shapes\": [{\"kind\": "
                                "\"circle\", \"radius\": 0.5}]}}]}");
    assert_int_equal(scene->body_count, scene->def.body_capacity);
    assert_int_equal(scene->shape_total, scene->def.shape_capacity);
    assert_int_equal(scene->joint_count, scene->def.joint_capacity);
    iso_scene_free(scene);

    // The largest world: names and indices up to 2^20 - 1.
    scene = parse_ok(
        "{\"format\": 1, \"name\": \"t\", \"capacities\": {\"bodies\": 1048576}, \"bodies\": [{\"generator\": \"grid\","
        "\"name\": \"abcdefghijklmnopqrstuvwxyz01234\", \"columns\": 1048576, \"rows\": 1, \"step\": [0.01, 0], "
        "\"body\": {}}]}");
    assert_string_equal(iso_scene_body_name(scene, 1048575), "abcdefghijklmnopqrstuvwxyz01234[1048575,0]");
    iso_scene_free(scene);
}

/// A template may be of any kind between two bodies: points and axes are placed, lengths and angles measured.
static void test_chain_has_joints_of_any_kind(void **state) {
    (void)state;
    static const char *const templates[] = {
        "\"kind\": \"weld\"",
        "\"kind\": \"prismatic\", \"axis\": [0, 1]",
        "\"kind\": \"distance\", \"anchor_b\": [0, 1]",
        "\"kind\": \"gear\", \"ratio\": -1",
        "\"kind\": \"filter\"",
    };
    static const uint8_t kinds[] = {ISO_JOINT_WELD, ISO_JOINT_PRISMATIC, ISO_JOINT_DISTANCE, ISO_JOINT_GEAR,
                                    ISO_JOINT_FILTER};
    static const int32_t rests[] = {0, 0, 382137, -65536, 0}; // sqrt(34), -0.5 - 0.5
    static const iso_vec2 anchors[][2] = {{{3 * 32768, 4 * 32768}, {-3 * 32768, -4 * 32768}},
                                          {{3 * 32768, 4 * 32768}, {-3 * 32768, -4 * 32768}},
                                          {{0, 0}, {0, 65536}},
                                          {{0, 0}, {0, 0}},
                                          {{0, 0}, {0, 0}}};
    for (size_t i = 0; i < sizeof kinds; ++i) {
        char text[512];
        snprintf(
            text, sizeof text,
            "{\"format\": 1, \"name\": \"t\", \"bodies\": [{\"generator\": \"chain\", \"name\": \"c\", \"count\": 3, "
            "\"step\": [3, 4], \"body\": {\"angle\": %s}, \"joint\": {%s}}]}",
            kinds[i] == ISO_JOINT_GEAR ? "0.5" : "0", templates[i]);
        iso_scene *scene = parse_ok(text);
        assert_int_equal(scene->joint_count, 2);
        for (uint32_t j = 0; j < 2; ++j) {
            const iso_joint_def *def = &scene->joints[j].def;
            assert_int_equal(def->kind, kinds[i]);
            assert_int_equal(scene->joints[j].body_a, j);
            assert_int_equal(scene->joints[j].body_b, j + 1);
            assert_memory_equal(&def->anchor_a, &anchors[i][0], sizeof def->anchor_a);
            assert_memory_equal(&def->anchor_b, &anchors[i][1], sizeof def->anchor_b);
            assert_int_equal(def->rest, rests[i]);
        }
        iso_scene_free(scene);
    }
}

/// Two rows of two dolls: members and joints in order, moved by steps that are rounded once, each with its filter
/// group.
static void test_copies_repeat_bodies_with_their_joints(void **state) {
    (void)state;
    iso_scene *scene = parse_ok(
        "{\"format\": 1, \"name\": \"t\", \"bodies\": [{\"name\": \"arm\", \"type\": \"static\"}, {\"generator\": "
        "\"copies\", \"name\": \"doll\","
        "\"columns\": 2, \"rows\": 2, \"step\": [1.5, 0], \"row_step\": [0.5, 2], \"group_step\": -3, \"bodies\": ["
        " {\"name\": \"hip\", \"position\": [0, 1], \"shapes\": [{\"kind\": \"circle\", \"radius\": 0.5, \"filter\": "
        "{\"group\": -1}}]},"
        " {\"name\": \"arm\", \"position\": [0, 2], \"shapes\": [{\"kind\": \"circle\", \"radius\": 0.25}]}], "
        "\"joints\": ["
        " {\"name\": \"shoulder\", \"kind\": \"revolute\", \"body_a\": \"hip\", \"body_b\": \"arm\", \"at\": [0, "
        "1.5]}, {\"kind\": \"target\", "
        "\"body_b\": \"arm\", \"target\": [0, 3]}]}],"
        "\"joints\": [{\"name\": \"shoulder\", \"kind\": \"filter\", \"body_a\": \"arm\", \"body_b\": "
        "\"doll[1,1].arm\"},"
        " {\"kind\": \"target\", \"body_b\": \"doll[1,1].arm\", \"target\": [7, 8]}]}");
    static const char *const names[] = {"arm",           "doll[0,0].hip", "doll[0,0].arm",
                                        "doll[1,0].hip", "doll[1,0].arm", "doll[0,1].hip",
                                        "doll[0,1].arm", "doll[1,1].hip", "doll[1,1].arm"};
    static const int32_t x[] = {0, 0, 0, 3, 3, 1, 1, 4, 4}, y[] = {0, 2, 4, 2, 4, 6, 8, 6, 8}; // in halves
    assert_int_equal(scene->body_count, 9);
    assert_int_equal(scene->shape_total, 8);
    assert_int_equal(scene->joint_count, 10);
    for (uint32_t i = 0; i < 9; ++i) {
        assert_string_equal(iso_scene_body_name(scene, i), names[i]);
        assert_int_equal(scene->bodies[i].def.position.x, x[i] * ISO_WIDE_HALF);
        assert_int_equal(scene->bodies[i].def.position.y, y[i] * ISO_WIDE_HALF);
    }
    for (uint32_t copy = 0; copy < 4; ++copy) {
        const uint32_t hip = 1 + 2 * copy;
        assert_joint(scene, 2 * copy, names[hip], names[hip + 1], 0, 1, 0, -1);
        assert_true(scene->joints[2 * copy].is_generated && scene->joints[2 * copy + 1].is_generated);
        assert_true(scene->joints[2 * copy].element == 1 && scene->joints[2 * copy + 1].element == 1); // the generator
        const iso_joint_def *target = &scene->joints[2 * copy + 1].def;
        assert_int_equal(scene->joints[2 * copy + 1].body_b, hip + 1);
        assert_int_equal(target->target.x, x[hip] * ISO_WIDE_HALF);
        assert_int_equal(target->target.y, (y[hip] + 4) * ISO_WIDE_HALF);
        assert_int_equal(scene->shapes[scene->bodies[hip].shape_first].filter.group, -1 - 3 * (int32_t)copy);
        assert_int_equal(scene->shapes[scene->bodies[hip + 1].shape_first].filter.group, 0);
    }
    // One of the scene may be called as those of the copies are there.
    assert_string_equal(iso_scene_joint_name(scene, 0), "doll[0,0].shoulder");
    assert_string_equal(iso_scene_joint_name(scene, 4), "doll[0,1].shoulder");
    assert_string_equal(iso_scene_joint_name(scene, 5), "");
    assert_int_equal(iso_scene_joint_find(scene, "shoulder"), 8);
    assert_int_equal(iso_scene_joint_find(scene, "doll[1,1].shoulder"), 6);
    assert_int_equal(scene->joints[8].body_a, 0);
    assert_int_equal(scene->joints[8].body_b, 8);
    assert_int_equal(scene->joints[9].def.target.x, 7 * ISO_WIDE_ONE); // what is no copy is not moved like one
    assert_int_equal(scene->joints[9].def.target.y, 8 * ISO_WIDE_ONE);
    assert_int_equal(scene->joints[9].element, 1);
    assert_false(scene->joints[9].is_generated);
    iso_scene_free(scene);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_chain_has_joints_of_any_kind),
        cmocka_unit_test(test_copies_repeat_bodies_with_their_joints),
        cmocka_unit_test(test_scene_chain_links_step_by_step),
        cmocka_unit_test(test_scene_pyramid_goes_row_by_row),
        cmocka_unit_test(test_scene_grid_goes_column_by_column),
        cmocka_unit_test(test_scene_steps_do_not_add_up_rounding),
        cmocka_unit_test(test_scene_references_are_canonical),
        cmocka_unit_test(test_scene_fills_its_capacities_exactly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
