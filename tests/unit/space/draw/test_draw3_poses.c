/// Drawing in space at other poses than the world's: as a world in which the bodies are there.
#include "draw3_util.h"

#define TIME UINT64_C(1234567890123)

static picture is, wanted;

static bool pose_from_world(const void *user, uint64_t time, iso_body_id body, iso_vec3_wide *position,
                            iso_quat *rotation) {
    iso_body3_view view;
    assert_true(time == TIME);
    if (iso_body3_get(user, body, &view) != ISO_OK) {
        return false;
    }
    *position = view.position;
    *rotation = view.rotation;
    return true;
}

static void expect_same(const picture *a, const picture *b) {
    assert_int_equal(a->count, b->count);
    for (uint32_t i = 0; i < a->count; ++i) {
        const iso_draw3_item *x = &a->items[i], *y = &b->items[i];
        assert_true(x->kind == y->kind && x->role == y->role && x->part == y->part);
        assert_int_equal(x->point_count, y->point_count);
        for (uint32_t k = 0; k < x->point_count; ++k) {
            expect_place(x->points[k], from_wide3(y->points[k]), 2e-9, "a place");
        }
        expect_near3(from_unit3(x->normal), from_unit3(y->normal), 1e-8, "a normal");
        expect_near3(from_unit3(x->side), from_unit3(y->side), 1e-8, "a side");
        assert_int_equal(x->radius, y->radius);
    }
}

static void move(iso_world *world, iso_body_id body, vec3 to, quat turn) {
    EXPECT_STATUS(iso_body3_set_position(world, body, wide3(to), quat_to(turn)), ISO_OK);
}

/// A body of each kind of shape, whose centre of mass is not its origin.
static iso_world *shapes_make(iso_body_id *body, iso_body_id *ground) {
    iso_world *world = space_make(0);
    const iso_vec3 points[4] = {fix3((vec3){0, 0, 0}), fix3((vec3){1, 0, 0}), fix3((vec3){0, 1, 0}),
                                fix3((vec3){0, 0, 1})};
    *body = body3_add(world, ISO_BODY_DYNAMIC, (vec3){3, 4, 5}, quat_of((vec3){0.2, 0.7, 0}));
    body3_shape(world, *body, iso_shape3_def_capsule(fix3((vec3){1, 0, 0}), fix3((vec3){3, 1, 0}), fix(0.25)), 100);
    body3_shape(world, *body, iso_shape3_def_sphere(fix(0.5)), 100);
    body3_shape(world, *body, iso_shape3_def_hull(points, 4), 100);
    body3_shape(world, *body, iso_shape3_def_box(fix(0.5), fix(0.75), fix(1)), 100);
    *ground = body3_add(world, ISO_BODY_STATIC, (vec3){0, 0, 0}, quat_of((vec3){0, 0, 0.1}));
    body3_shape(world, *ground, iso_shape3_def_plane(fix3((vec3){0, 1, 0}), fix(1)), 0);
    return world;
}

static void test_shapes_and_centres_are_drawn_where_the_poses_say(void **state) {
    (void)state;
    iso_body_id body, ground;
    iso_world *world = shapes_make(&body, &ground), *moved = shapes_make(&body, &ground);
    move(moved, body, (vec3){13.25, -4, 1}, quat_of((vec3){2, -1, 0.5}));
    move(moved, ground, (vec3){0, -1, 0}, quat_of((vec3){0.3, 0, 0}));
    const uint32_t what = ISO_DRAW_SHAPES | ISO_DRAW_BODIES;
    picture_take(moved, what, &wanted);
    picture_take_at(world, what, pose_from_world, moved, TIME, &is);
    assert_int_equal(is.count, 5 + 4 + 4 + 6 + 1 + 2);
    expect_same(&is, &wanted);
    // Nothing of the world has changed, and the poses that it has give what it is drawn like without.
    picture_take(world, what, &wanted);
    picture_take_at(world, what, pose_from_world, world, TIME, &is);
    expect_same(&is, &wanted);
    world_free(world);
    world_free(moved);
}

static void test_joints_are_drawn_where_the_poses_say(void **state) {
    (void)state;
    for (uint8_t kind = ISO_JOINT3_BALL; kind <= ISO_JOINT3_TARGET; ++kind) {
        const pair bodies = pair_make(), moved = pair_make();
        const pair *const both[2] = {&bodies, &moved};
        for (int i = 0; i < 2; ++i) {
            iso_joint3_def def = pair_def(both[i], kind);
            def.frame_b.anchor = fix3((vec3){0.25, 0.5, -0.25});
            iso_joint_id joint;
            EXPECT_STATUS(iso_joint3_create(both[i]->world, &def, &joint), ISO_OK);
        }
        move(moved.world, moved.b, (vec3){5, 1, 2}, quat_of((vec3){0.2, 1.5, -0.4}));
        picture_take(moved.world, ISO_DRAW_JOINTS, &wanted);
        picture_take_at(bodies.world, ISO_DRAW_JOINTS, pose_from_world, moved.world, TIME, &is);
        expect_same(&is, &wanted);
        world_free(bodies.world);
        world_free(moved.world);
    }
}

/// Moves what moves by 10 m, and turns it by a quarter about z.
static bool pose_shifted(const void *user, uint64_t time, iso_body_id body, iso_vec3_wide *position,
                         iso_quat *rotation) {
    iso_body3_view view;
    EXPECT_STATUS(iso_body3_get(user, body, &view), ISO_OK);
    position->x = view.position.x + 10 * ISO_WIDE_ONE;
    position->y = view.position.y;
    position->z = view.position.z;
    *rotation = quat_to(quat_of((vec3){0, 0, 1.5707963267948966}));
    return time == TIME && view.type == ISO_BODY_DYNAMIC;
}

static void test_contacts_move_with_what_moves(void **state) {
    (void)state;
    iso_world *world = space_make(-10);
    const iso_body_id body = body3_add(world, ISO_BODY_DYNAMIC, (vec3){2, 0.5, -3}, (quat){0, 0, 0, 1});
    const iso_body_id ground = body3_add(world, ISO_BODY_STATIC, (vec3){0, 0, 0}, (quat){0, 0, 0, 1});
    iso_shape_id id;
    iso_shape3_def plane = iso_shape3_def_plane(fix3((vec3){0, 1, 0}), 0), ball = iso_shape3_def_sphere(fix(0.5));
    EXPECT_STATUS(iso_shape3_create(world, ground, &plane, &id), ISO_OK);
    EXPECT_STATUS(iso_shape3_create(world, body, &ball, &id), ISO_OK);
    world_steps(world, 10);
    picture_take(world, ISO_DRAW_CONTACTS, &wanted);
    picture_take_at(world, ISO_DRAW_CONTACTS, pose_shifted, world, TIME, &is);
    assert_int_equal(wanted.count, 2);
    assert_int_equal(is.count, 2);
    // Below its middle, and then to the right of it; the normal likewise.
    expect_place(wanted.items[0].points[0], (vec3){2, 0, -3}, 0.01, "where it touches");
    const vec3 at = from_wide3(is.items[0].points[0]), tip = from_wide3(is.items[1].points[1]);
    expect_near3(at, (vec3){12.5, 0.5, -3}, 0.01, "where that is shown");
    expect_near3(vec3_unit(vec3_sub(tip, at)), (vec3){1, 0, 0}, 1e-6, "the normal, from the body to the ground");
    world_free(world);
}

static bool pose_far_away(const void *user, uint64_t time, iso_body_id body, iso_vec3_wide *position,
                          iso_quat *rotation) {
    (void)user, (void)time, (void)body;
    *position = (iso_vec3_wide){INT64_MAX, INT64_MIN, 0};
    *rotation = (iso_quat){INT32_MIN, INT32_MIN, INT32_MIN, INT32_MIN};
    return true;
}

static void test_poses_far_out_are_clamped(void **state) {
    (void)state;
    iso_body_id body, ground;
    iso_world *world = shapes_make(&body, &ground);
    picture_take_at(world, ISO_DRAW_ALL, pose_far_away, NULL, TIME, &is);
    for (uint32_t i = 0; i < is.count; ++i) {
        const vec3 at = from_wide3(is.items[i].points[0]);
        EXPECT_NEAR(at.x, 32768, 10, "x at the border");
        EXPECT_NEAR(at.y, -32768, 10, "y at the border");
    }
    world_free(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shapes_and_centres_are_drawn_where_the_poses_say),
        cmocka_unit_test(test_joints_are_drawn_where_the_poses_say),
        cmocka_unit_test(test_contacts_move_with_what_moves),
        cmocka_unit_test(test_poses_far_out_are_clamped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
