/// Drawing at other poses than the world's: as a world in which the bodies are there.
#include "test_draw_util.h"

#include "world/world.h"

#define TIME UINT64_C(1234567890123)

static bool pose_from_world(const void *user, uint64_t time, iso_body_id body, iso_vec2_wide *position,
                            iso_wide *angle_turns) {
    iso_body_view view;
    assert_true(time == TIME);
    if (iso_body_get(user, body, &view) != ISO_OK) {
        return false;
    }
    *position = view.position;
    *angle_turns = view.angle_turns;
    return true;
}

/// A world's picture with each body at its pose in another one.
static picture picture_take_as(const iso_world *world, const iso_world *other, uint32_t what) {
    picture is = {.count = 0};
    iso_draw draw;
    iso_draw_begin(&draw, world, what);
    iso_draw_set_poses(&draw, pose_from_world, other, TIME);
    for (const iso_draw_item *item; (item = iso_draw_next(&draw)) != NULL; ++is.count) {
        assert_true(is.count < ITEMS_MAX);
        is.items[is.count] = *item;
    }
    return is;
}

static void expect_same(const picture *is, const picture *wanted) {
    assert_int_equal(is->count, wanted->count);
    for (uint32_t i = 0; i < is->count; ++i) {
        const iso_draw_item *a = &is->items[i], *b = &wanted->items[i];
        assert_true(a->kind == b->kind && a->role == b->role && a->part == b->part);
        assert_int_equal(a->point_count, b->point_count);
        for (uint32_t k = 0; k < a->point_count; ++k) {
            assert_int_equal(a->points[k].x, b->points[k].x);
            assert_int_equal(a->points[k].y, b->points[k].y);
        }
        assert_int_equal(a->radius, b->radius);
        assert_int_equal(a->angle_from, b->angle_from);
        assert_int_equal(a->angle_to, b->angle_to);
    }
}

static void move(iso_world *world, iso_body_id body, double x, double y, double angle) {
    EXPECT_STATUS(iso_body_set_position(world, body, (iso_vec2_wide){wide(x), wide(y)}, wide(angle)), ISO_OK);
}

/// Shapes of each kind on bodies whose centre of mass is not their origin.
static iso_world *shapes_make(iso_body_id bodies[2]) {
    iso_world *world = world_make_small(0);
    const iso_shape_def box = shape_box(0.5, 1), circle = shape_circle(0.75), capsule = shape_capsule(1, 0, 3, 1, 0.25);
    bodies[0] = body_add_shape(world, ISO_BODY_DYNAMIC, 3, 4, 0.7, &capsule);
    shape_add(world, bodies[0], &circle);
    bodies[1] = body_add_shape(world, ISO_BODY_STATIC, -3, 4, 0.1, &box);
    return world;
}

static void test_shapes_and_centres_are_drawn_where_the_poses_say(void **state) {
    (void)state;
    iso_body_id bodies[2];
    iso_world *world = shapes_make(bodies), *moved = shapes_make(bodies);
    move(moved, bodies[0], 13.25, -4, 30.5);
    move(moved, bodies[1], -3, 5, -2);
    const uint32_t what = ISO_DRAW_SHAPES | ISO_DRAW_BODIES;
    const picture before = picture_take(world, what), wanted = picture_take(moved, what);
    const picture is = picture_take_as(world, moved, what);
    assert_int_equal(is.count, 6);
    expect_same(&is, &wanted);
    // Nothing of the world has changed, and the poses that it has give what it is drawn like without.
    const picture after = picture_take(world, what), same = picture_take_as(world, world, what);
    expect_same(&after, &before);
    expect_same(&same, &before);
    world_free(world);
    world_free(moved);
}

static void expect_joint_moved(uint8_t kind) {
    pair world = pair_make(), moved = pair_make();
    pair *const pairs[2] = {&world, &moved};
    for (int i = 0; i < 2; ++i) {
        iso_joint_def def = pair_def(pairs[i], kind);
        iso_joint_id joint;
        if ((iso_joint_kind_has(kind) & ISO_JOINT_HAS_ANCHORS) != 0) {
            def.anchor_a = (iso_vec2){fix(0.5), fix(0.25)};
            def.anchor_b = (iso_vec2){fix(-0.5), fix(0.75)};
        }
        EXPECT_STATUS(iso_joint_create(pairs[i]->world, &def, &joint), ISO_OK);
    }
    move(moved.world, moved.a, 2, 1, -0.4);
    move(moved.world, moved.b, 6, 3, 1.5);
    const picture wanted = picture_take(moved.world, ISO_DRAW_JOINTS);
    const picture is = picture_take_as(world.world, moved.world, ISO_DRAW_JOINTS);
    expect_same(&is, &wanted);
    assert_true(is.count > 0);
    world_free(world.world);
    world_free(moved.world);
}

static void test_joints_of_every_kind_are_drawn_between_the_poses(void **state) {
    (void)state;
#define EXPECT_JOINT_MOVED(name, number, snake, has) \
    if (((has)&ISO_JOINT_IS_CUSTOM) == 0) {          \
        expect_joint_moved(number);                  \
    }
    ISO_JOINT_KIND_LIST(EXPECT_JOINT_MOVED)
#undef EXPECT_JOINT_MOVED
}

static void test_contacts_move_with_a_body_that_moves(void **state) {
    (void)state;
    iso_world *worlds[2];
    iso_body_id body = {0, 0};
    for (int i = 0; i < 2; ++i) {
        const iso_shape_def ground = shape_box(10, 1), box = shape_box(0.5, 0.25);
        worlds[i] = world_make_small(-10);
        body_add_shape(worlds[i], ISO_BODY_STATIC, 0, -1, 0, &ground);
        body = body_add_shape(worlds[i], ISO_BODY_DYNAMIC, 2, 0.25, 0, &box);
        world_steps(worlds[i], 30);
    }
    const double quarter = 1.57079632679;
    move(worlds[1], body, 7, 3, quarter);
    const iso_body_view at = body_view(worlds[0], body);
    const picture before = picture_take(worlds[0], ISO_DRAW_CONTACTS);
    const picture is = picture_take_as(worlds[0], worlds[1], ISO_DRAW_CONTACTS);
    assert_int_equal(is.count, 4);
    for (uint32_t i = 0; i < is.count; ++i) {
        for (uint32_t k = 0; k < is.items[i].point_count; ++k) {
            const double x = from_wide(before.items[i].points[k].x - at.centre.x);
            const double y = from_wide(before.items[i].points[k].y - at.centre.y);
            EXPECT_NEAR(from_wide(is.items[i].points[k].x), 7 - y, 1e-3, "x of a contact's item");
            EXPECT_NEAR(from_wide(is.items[i].points[k].y), 3 + x, 1e-3, "y of a contact's item");
        }
    }
    world_free(worlds[0]);
    world_free(worlds[1]);
}

/// Shows an arc that belongs to the first body, and a point that belongs to none.
static bool game_draw(const iso_world *world, const void *state, uint32_t index, iso_draw *draw) {
    (void)state;
    iso_draw_item item = {.kind = ISO_DRAW_ARC, .point_count = 1, .points = {{wide(5), wide(1)}}, .radius = wide(1)};
    item.angle_to = wide(0.25);
    item.body = index == 0 ? iso_body_next(world, 0) : (iso_body_id){0, 0};
    iso_draw_add(draw, &item);
    return index < 1;
}

static bool pose_beside(const void *user, uint64_t time, iso_body_id body, iso_vec2_wide *position,
                        iso_wide *angle_turns) {
    (void)user, (void)time, (void)body;
    *position = (iso_vec2_wide){wide(10), wide(20)};
    *angle_turns = wide(0.25);
    return true;
}

static void test_marks_of_a_game_move_with_the_body_that_they_name(void **state) {
    (void)state;
    const iso_game game = {.name = "marks", .version = 1, .control_layout = "none", .draw = game_draw};
    iso_world_def def = world_def_small(0);
    strcpy(def.game, "marks");
    const size_t size = iso_world_size(&def, &game);
    void *memory = aligned_alloc(64, size);
    iso_world *world = NULL;
    EXPECT_STATUS(iso_world_create(&def, &game, memory, size, &world), ISO_OK);
    body_add(world, ISO_BODY_DYNAMIC, 4, 1, 0);
    iso_draw draw;
    iso_draw_begin(&draw, world, ISO_DRAW_GAME);
    iso_draw_set_poses(&draw, pose_beside, NULL, 0);
    const iso_draw_item *mark = iso_draw_next(&draw);
    assert_non_null(mark);
    EXPECT_NEAR(from_wide(mark->points[0].x), 10, 1e-8, "a metre ahead of the body, which has turned");
    EXPECT_NEAR(from_wide(mark->points[0].y), 21, 1e-8, "a metre ahead of the body, which has turned");
    // By a quarter of a turn.
    EXPECT_NEAR(from_wide(mark->angle_from), PI / 2, 1e-8, "the arc's begin");
    EXPECT_NEAR(from_wide(mark->angle_to), 0.25 + PI / 2, 1e-8, "the arc's end");
    mark = iso_draw_next(&draw);
    assert_non_null(mark);
    assert_true(mark->points[0].x == wide(5) && mark->points[0].y == wide(1) && mark->angle_from == 0);
    free(memory);
}

static bool pose_nowhere(const void *user, uint64_t time, iso_body_id body, iso_vec2_wide *position,
                         iso_wide *angle_turns) {
    (void)time, (void)body;
    *position = (iso_vec2_wide){INT64_MAX, INT64_MIN};
    *angle_turns = INT64_MIN;
    return user == NULL;
}

static void test_poses_out_of_range_are_drawn_at_its_end(void **state) {
    (void)state;
    const pair is = pair_make();
    const iso_joint_def def = pair_def(&is, ISO_JOINT_PRISMATIC);
    iso_joint_id joint;
    EXPECT_STATUS(iso_joint_create(is.world, &def, &joint), ISO_OK);
    iso_draw draw;
    iso_draw_begin(&draw, is.world, ISO_DRAW_ALL);
    iso_draw_set_poses(&draw, pose_nowhere, NULL, 0);
    for (const iso_draw_item *item; (item = iso_draw_next(&draw)) != NULL;) {
        if (item->role == ISO_DRAW_CENTRE) {
            assert_true(item->points[0].x == wide(32768) && item->points[0].y == -wide(32768));
        }
    }
    // A body of which nothing is said is where it is.
    iso_draw_begin(&draw, is.world, ISO_DRAW_BODIES);
    iso_draw_set_poses(&draw, pose_nowhere, is.world, 0);
    const iso_draw_item *centre = iso_draw_next(&draw);
    assert_true(centre->points[0].x == wide(1) && centre->points[0].y == wide(2));
    world_free(is.world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shapes_and_centres_are_drawn_where_the_poses_say),
        cmocka_unit_test(test_joints_of_every_kind_are_drawn_between_the_poses),
        cmocka_unit_test(test_contacts_move_with_a_body_that_moves),
        cmocka_unit_test(test_marks_of_a_game_move_with_the_body_that_they_name),
        cmocka_unit_test(test_poses_out_of_range_are_drawn_at_its_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
