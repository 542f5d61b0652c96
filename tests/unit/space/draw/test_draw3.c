/// Drawing in space: where shapes, contacts and grids are drawn, against doubles, and what they are told to belong to.
#include "draw3_util.h"

#include "space/collide/hull.h"
#include "space/world/space.h"

static picture is, other;

// ---- solids --------------------------------------------------------------------------------------

/// The area of a face times its normal, by its corners: counterclockwise gives the outward direction.
static vec3 face_area(const iso_draw3_item *face) {
    vec3 sum = {0, 0, 0};
    const vec3 first = from_wide3(face->points[0]);
    for (uint32_t i = 1; i + 1 < face->point_count; ++i) {
        const vec3 a = vec3_sub(from_wide3(face->points[i]), first),
                   b = vec3_sub(from_wide3(face->points[i + 1]), first);
        sum = vec3_add(sum, vec3_scale(vec3_cross(a, b), 0.5));
    }
    return sum;
}

/// That faces are flat, counterclockwise, numbered, and enclose a solid. @return its volume
static double expect_solid(const picture *faces, uint32_t begin, uint32_t end) {
    vec3 sum = {0, 0, 0};
    double volume = 0;
    for (uint32_t i = begin; i < end; ++i) {
        const iso_draw3_item *face = &faces->items[i];
        assert_int_equal(face->kind, ISO_DRAW3_FACE);
        assert_int_equal(face->role, ISO_DRAW_OUTLINE);
        assert_int_equal(face->face, i - begin);
        assert_in_range(face->point_count, 3, ISO_HULL_VERTICES_MAX);
        const vec3 area = face_area(face), normal = from_unit3(face->normal);
        // Faces within 2^-12 m of one plane are one.
        expect_near3(vec3_unit(area), normal, 0.02, "a face's normal");
        for (uint32_t k = 0; k < face->point_count; ++k) {
            const vec3 way = vec3_sub(from_wide3(face->points[k]), from_wide3(face->points[0]));
            EXPECT_NEAR(vec3_dot(way, normal), 0, 1e-3, "a corner of a face in its plane");
        }
        sum = vec3_add(sum, area);
        volume += vec3_dot(area, from_wide3(face->points[0])) / 3;
    }
    expect_near3(sum, (vec3){0, 0, 0}, 1e-5, "the sum of all faces");
    return volume;
}

static void test_a_box_is_drawn_as_its_six_faces(void **state) {
    (void)state;
    rng random = {5};
    for (int round = 0; round < 100; ++round) {
        iso_world *world = space_make(0);
        const vec3 half = {rng_range(&random, 0.1, 2), rng_range(&random, 0.1, 2), rng_range(&random, 0.1, 2)};
        const vec3 at = vec3_random(&random, 10), beside = vec3_random(&random, 2);
        const quat turn = quat_random(&random), own = quat_random(&random);
        iso_shape3_def def = iso_shape3_def_box(fix(half.x), fix(half.y), fix(half.z));
        def.points[0] = fix3(beside);
        def.points[1] = fix3(half);
        def.rotation = quat_to(own);
        const iso_body_id body = body3_add(world, ISO_BODY_DYNAMIC, at, turn);
        body3_shape(world, body, def, 100);
        picture_take(world, ISO_DRAW_SHAPES, &is);
        assert_int_equal(is.count, 6);
        EXPECT_NEAR(expect_solid(&is, 0, 6), 8 * half.x * half.y * half.z, 2e-3, "a box's volume");
        for (int face = 0; face < 6; ++face) {
            const double side = face % 2 == 0 ? -1 : 1;
            vec3 n = {face / 2 == 0 ? side : 0, face / 2 == 1 ? side : 0, face / 2 == 2 ? side : 0};
            const vec3 middle = {n.x * half.x, n.y * half.y, n.z * half.z};
            n = quat_rotate(turn, quat_rotate(own, n));
            expect_near3(from_unit3(is.items[face].normal), n, EXACT, "a box's normal");
            const vec3 wanted = vec3_add(at, quat_rotate(turn, vec3_add(beside, quat_rotate(own, middle))));
            vec3 mean = {0, 0, 0};
            for (int i = 0; i < 4; ++i) {
                mean = vec3_add(mean, vec3_scale(from_wide3(is.items[face].points[i]), 0.25));
            }
            expect_near3(mean, wanted, ROUNDED, "the middle of a box's face");
            assert_true(iso_body_id_equal(is.items[face].body, body));
        }
        world_free(world);
    }
}

/// Points on a ball, of which none is inside the others' hull.
static iso_shape3_def hull_random(rng *random, uint32_t count, double size) {
    iso_vec3 points[ISO_HULL_VERTICES_MAX];
    for (uint32_t i = 0; i < count; ++i) {
        vec3 v;
        do {
            v = vec3_random(random, 1);
        } while (vec3_length(v) < 0.2);
        points[i] = fix3(vec3_scale(vec3_unit(v), size));
    }
    return iso_shape3_def_hull(points, count);
}

static uint32_t count_edge(const picture *of, vec3 from, vec3 to) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < of->count; ++i) {
        const iso_draw3_item *face = &of->items[i];
        for (uint32_t k = 0; k < face->point_count; ++k) {
            const vec3 a = from_wide3(face->points[k]), b = from_wide3(face->points[(k + 1) % face->point_count]);
            count += vec3_length(vec3_sub(a, from)) < 1e-9 && vec3_length(vec3_sub(b, to)) < 1e-9;
        }
    }
    return count;
}

static void test_a_hull_is_drawn_as_faces_that_share_their_edges(void **state) {
    (void)state;
    rng random = {7};
    uint32_t most = 0;
    for (int round = 0; round < 20; ++round) {
        iso_world *world = space_make(0);
        const uint32_t count = round % 2 == 0 ? 32 : 4 + (uint32_t)round;
        const vec3 at = vec3_random(&random, 10);
        const quat turn = quat_random(&random);
        const iso_shape3_def def = hull_random(&random, count, 1);
        const iso_body_id body = body3_add(world, ISO_BODY_DYNAMIC, at, turn);
        body3_shape(world, body, def, 100);
        picture_take(world, ISO_DRAW_SHAPES, &is);
        most = is.count > most ? is.count : most;
        iso_body3_view view;
        EXPECT_STATUS(iso_body3_get(world, body, &view), ISO_OK);
        EXPECT_NEAR(expect_solid(&is, 0, is.count), from_wide(view.mass) / 100, 1e-3, "a hull's volume");
        for (uint32_t i = 0; i < is.count; ++i) {
            const iso_draw3_item *face = &is.items[i];
            for (uint32_t k = 0; k < face->point_count; ++k) {
                const vec3 a = from_wide3(face->points[k]), b = from_wide3(face->points[(k + 1) % face->point_count]);
                EXPECT_NEAR(vec3_length(vec3_sub(a, at)), 1, 2 * ROUNDED, "a corner's distance from the origin");
                EXPECT(count_edge(&is, a, b) == 1 && count_edge(&is, b, a) == 1, "an edge is not that of two faces");
            }
        }
        world_free(world);
    }
    EXPECT(most > 2 * 8, "no hull has more faces than two steps: %u", most);
}

static void test_a_hull_is_the_same_while_its_solid_is_not_there_yet(void **state) {
    (void)state;
    rng random = {9};
    iso_world *world = space_make(0);
    for (int i = 0; i < 2; ++i) {
        const iso_body_id body = body3_add(world, ISO_BODY_DYNAMIC, (vec3){2.5 * i, 0, 0}, quat_random(&random));
        body3_shape(world, body, hull_random(&random, 12, 1), 100);
    }
    picture_take(world, ISO_DRAW_ALL, &is);
    iso__space *space = iso__space_of(world);
    space->has_stale_hulls = true; // as after a restore
    space->stale_hulls[0] = 3;
    memset(space->hulls, 0xA5, 2 * sizeof *space->hulls);
    picture_take(world, ISO_DRAW_ALL, &other);
    assert_int_equal(is.count, other.count);
    assert_memory_equal(is.items, other.items, is.count * sizeof is.items[0]);
    assert_true(space->has_stale_hulls); // drawing changes nothing
    world_free(world);
}

// ---- heights -------------------------------------------------------------------------------------

static void test_heights_are_drawn_as_their_triangles(void **state) {
    (void)state;
    rng random = {6};
    for (int round = 0; round < 20; ++round) {
        iso_world *world = space_make(0);
        const uint32_t columns = 2 + rng_below(&random, 5), rows = 2 + rng_below(&random, 5);
        int16_t samples[6 * 6];
        for (int i = 0; i < 36; ++i) {
            samples[i] = (int16_t)rng_range(&random, -100, 100);
        }
        const iso_heights_def heights = {samples, (uint16_t)columns, (uint16_t)rows, fix(1.5), ISO_FIX16_ONE / 64};
        uint32_t index;
        assert_int_equal(iso_world_add_heights(world, &heights, &index), ISO_OK);
        const vec3 at = vec3_random(&random, 10), beside = vec3_random(&random, 2);
        const quat turn = quat_random(&random);
        iso_shape3_def def = iso_shape3_def_heights(index);
        def.points[0] = fix3(beside);
        const iso_body_id body = body3_add(world, ISO_BODY_STATIC, at, turn);
        body3_shape(world, body, def, 0);
        picture_take(world, ISO_DRAW_SHAPES, &is);
        assert_int_equal(is.count, 2 * (columns - 1) * (rows - 1));
        double flat = 0; // what the triangles cover, seen from above
        for (uint32_t f = 0; f < is.count; ++f) {
            const iso_draw3_item *face = &is.items[f];
            assert_true(face->kind == ISO_DRAW3_FACE && face->face == f && face->point_count == 3);
            const vec3 area = face_area(face), normal = from_unit3(face->normal);
            expect_near3(vec3_unit(area), normal, 1e-6, "a triangle's normal");
            flat += vec3_dot(area, quat_rotate(turn, (vec3){0, 1, 0}));
            const uint32_t c = f / 2 % (columns - 1), r = f / 2 / (columns - 1);
            const vec3 first = {(c - (columns - 1) / 2.0) * 1.5, samples[r * columns + c] / 64.0,
                                (r - (rows - 1) / 2.0) * 1.5};
            expect_place(face->points[0], vec3_add(at, quat_rotate(turn, vec3_add(beside, first))), ROUNDED,
                         "a corner");
        }
        EXPECT_NEAR(flat, 2.25 * (columns - 1) * (rows - 1), 1e-4, "the area from above");
        world_free(world);
    }
}

// ---- round shapes and planes ---------------------------------------------------------------------

static void test_spheres_and_capsules_have_their_radius_and_show_how_they_are_turned(void **state) {
    (void)state;
    rng random = {3};
    iso_world *world = space_make(0);
    const vec3 at = {3, 4, -5}, beside = {0.5, -0.25, 1};
    const quat turn = quat_random(&random);
    iso_shape3_def sphere = iso_shape3_def_sphere(fix(0.5));
    sphere.points[0] = fix3(beside);
    body3_shape(world, body3_add(world, ISO_BODY_DYNAMIC, at, turn), sphere, 100);
    body3_shape(world, body3_add(world, ISO_BODY_KINEMATIC, at, turn),
                iso_shape3_def_capsule(fix3((vec3){0, 1, 0}), fix3(beside), fix(0.25)), 100);
    picture_take(world, ISO_DRAW_SHAPES, &is);
    assert_int_equal(is.count, 4 + 5);
    assert_int_equal(is.items[0].kind, ISO_DRAW3_SPHERE);
    expect_place(is.items[0].points[0], vec3_add(at, quat_rotate(turn, beside)), EXACT, "a sphere's centre");
    EXPECT_NEAR(from_wide(is.items[0].radius), 0.5, 0, "its radius");
    for (int axis = 0; axis < 3; ++axis) {
        const iso_draw3_item *circle = &is.items[1 + axis];
        const vec3 e = {axis == 0, axis == 1, axis == 2};
        assert_int_equal(circle->kind, ISO_DRAW3_ARC);
        assert_int_equal(circle->role, ISO_DRAW_HEADING);
        expect_near3(from_unit3(circle->normal), quat_rotate(turn, e), EXACT, "a great circle's normal");
        EXPECT_NEAR(vec3_dot(from_unit3(circle->normal), from_unit3(circle->side)), 0, EXACT, "its side is across it");
        EXPECT_NEAR(from_wide(circle->angle_to) - from_wide(circle->angle_from), 2 * 3.14159265358979, 1e-8,
                    "its turn");
        EXPECT_NEAR(from_wide(circle->radius), 0.5, 0, "its radius");
    }
    const iso_draw3_item *capsule = &is.items[4];
    const vec3 ends[2] = {vec3_add(at, quat_rotate(turn, (vec3){0, 1, 0})), vec3_add(at, quat_rotate(turn, beside))};
    assert_int_equal(capsule->kind, ISO_DRAW3_CAPSULE);
    assert_int_equal(capsule->body_type, ISO_BODY_KINEMATIC);
    EXPECT_NEAR(from_wide(capsule->radius), 0.25, 0, "a capsule's radius");
    for (int i = 0; i < 2; ++i) {
        expect_place(capsule->points[i], ends[i], EXACT, "a capsule's end");
    }
    for (int i = 5; i < 9; ++i) { // lines on its surface, along it
        const vec3 along = vec3_unit(vec3_sub(ends[1], ends[0]));
        for (int end = 0; end < 2; ++end) {
            const vec3 arm = vec3_sub(from_wide3(is.items[i].points[end]), ends[end]);
            EXPECT_NEAR(vec3_length(arm), 0.25, EXACT, "how far a capsule's line is from its middle");
            EXPECT_NEAR(vec3_dot(arm, along), 0, EXACT, "it is across its axis");
        }
    }
    world_free(world);
}

/// How many lines a grid has; each is checked to be one of it.
static uint32_t expect_grid(const iso_draw3_item *plane, const iso_draw3_region *region) {
    const vec3 n = from_unit3(plane->normal), on = from_wide3(plane->points[0]), centre = from_wide3(region->centre);
    const vec3 sides[2] = {from_unit3(plane->side), vec3_cross(n, from_unit3(plane->side))};
    const double radius = from_wide(region->radius), spacing = from_wide(region->spacing);
    iso_vec3_wide line[2];
    uint32_t count = 0;
    for (; iso_draw3_grid_line(plane, region, count, line); ++count) {
        double place[2][2];
        for (int end = 0; end < 2; ++end) {
            const vec3 at = from_wide3(line[end]);
            EXPECT_NEAR(vec3_dot(vec3_sub(at, on), n), 0, 1e-6, "a line on the plane");
            for (int i = 0; i < 2; ++i) {
                place[end][i] = vec3_dot(at, sides[i]);
                EXPECT_NEAR(fabs(place[end][i] / spacing - round(place[end][i] / spacing)), 0, 1e-6, "a multiple");
                EXPECT(fabs(place[end][i] - vec3_dot(centre, sides[i])) <= radius + 1e-6, "a line outside the region");
            }
        }
        const bool is_first = fabs(place[0][0] - place[1][0]) < 1e-6,
                   is_second = fabs(place[0][1] - place[1][1]) < 1e-6;
        EXPECT(is_first != is_second, "a line along neither or both sides");
    }
    return count;
}

static void test_a_plane_is_drawn_and_its_grid_is_where_the_region_is(void **state) {
    (void)state;
    rng random = {13};
    iso_world *world = space_make(0);
    const quat turn = quat_random(&random);
    const iso_body_id body = body3_add(world, ISO_BODY_STATIC, (vec3){1, 2, 3}, turn);
    body3_shape(world, body, iso_shape3_def_plane(fix3((vec3){0, 2, 1}), fix(1.5)), 0);
    picture_take(world, ISO_DRAW_SHAPES, &is);
    assert_int_equal(is.count, 1);
    const iso_draw3_item plane = is.items[0];
    assert_int_equal(plane.kind, ISO_DRAW3_PLANE);
    const vec3 n = quat_rotate(turn, vec3_unit((vec3){0, 2, 1})), on = vec3_add((vec3){1, 2, 3}, vec3_scale(n, 1.5));
    expect_near3(from_unit3(plane.normal), n, EXACT, "a plane's normal");
    expect_place(plane.points[0], on, EXACT, "a place on it");
    EXPECT_NEAR(vec3_dot(from_unit3(plane.side), n), 0, EXACT, "its side is across its normal");
    for (int round = 0; round < 100; ++round) {
        const vec3 beside = vec3_random(&random, 50);
        const double above = vec3_dot(vec3_sub(beside, on), n);
        const vec3 centre = vec3_sub(beside, vec3_scale(n, above - rng_range(&random, -4, 4))); // 4 m from it at most
        const iso_draw3_region region = {wide3(centre), wide(5), wide(round % 2 == 0 ? 1 : 0.7)};
        // A square of 10 m: 10 or 11 multiples of 1 m, 14 or 15 of 0.7 m, along each of its sides.
        assert_in_range(expect_grid(&plane, &region), round % 2 == 0 ? 20 : 28, round % 2 == 0 ? 22 : 30);
    }
    iso_vec3_wide line[2];
    iso_draw3_region region = {wide3(vec3_add(on, vec3_scale(n, 5.1))), wide(5), wide(1)};
    assert_false(iso_draw3_grid_line(&plane, &region, 0, line)); // too far above
    region.centre = wide3(vec3_sub(on, vec3_scale(n, 5.1)));
    assert_false(iso_draw3_grid_line(&plane, &region, 0, line));
    region = (iso_draw3_region){plane.points[0], wide(20), 0};
    assert_false(iso_draw3_grid_line(&plane, &region, 0, line));
    region.spacing = -1;
    assert_false(iso_draw3_grid_line(&plane, &region, 0, line));
    region = (iso_draw3_region){plane.points[0], wide(5), wide(1)};
    iso_draw3_item face = plane;
    face.kind = ISO_DRAW3_FACE;
    assert_true(iso_draw3_grid_line(&plane, &region, 0, line));
    assert_false(iso_draw3_grid_line(&face, &region, 0, line));
    world_free(world);
}

static void test_the_ground_has_its_grid_at_whole_metres(void **state) {
    (void)state;
    iso_world *world = space_make(0);
    const iso_body_id body = body3_add(world, ISO_BODY_STATIC, (vec3){0.3, 0, 0.4}, (quat){0, 0, 0, 1});
    body3_shape(world, body, iso_shape3_def_plane(fix3((vec3){0, 1, 0}), 0), 0);
    picture_take(world, ISO_DRAW_SHAPES, &is);
    const iso_draw3_region region = {wide3((vec3){0.25, 0.5, -7.75}), wide(1), wide(1)};
    iso_vec3_wide line[2];
    uint32_t count = 0;
    for (; iso_draw3_grid_line(&is.items[0], &region, count, line); ++count) {
        for (int end = 0; end < 2; ++end) {
            assert_true(line[end].x % ISO_WIDE_ONE == 0 && line[end].y == 0 && line[end].z % ISO_WIDE_ONE == 0);
            assert_in_range(-line[end].z / ISO_WIDE_ONE, 7, 8); // from -8.75 to -6.75
            assert_in_range(line[end].x / ISO_WIDE_ONE, 0, 1);
        }
    }
    assert_int_equal(count, 4);
    world_free(world);
}

// ---- what items belong to ------------------------------------------------------------------------

static void test_items_say_whose_they_are_and_who_sleeps(void **state) {
    (void)state;
    iso_world_def def = space_def(-10);
    def.sleep_speed = fix(0.05);
    iso_world *world = world_make(&def);
    const iso_body_id ground = body3_add(world, ISO_BODY_STATIC, (vec3){0, 0, 0}, (quat){0, 0, 0, 1});
    iso_shape_id id;
    iso_shape3_def plane = iso_shape3_def_plane(fix3((vec3){0, 1, 0}), 0);
    EXPECT_STATUS(iso_shape3_create(world, ground, &plane, &id), ISO_OK);
    const iso_body_id gone = body3_add(world, ISO_BODY_DYNAMIC, (vec3){-5, 0.5, 0}, (quat){0, 0, 0, 1});
    const iso_body_id body = body3_add(world, ISO_BODY_DYNAMIC, (vec3){0, 0.5, 0}, (quat){0, 0, 0, 1});
    iso_shape3_def box = iso_shape3_def_box(fix(0.5), fix(0.5), fix(0.5));
    EXPECT_STATUS(iso_shape3_create(world, gone, &box, &id), ISO_OK);
    EXPECT_STATUS(iso_shape3_create(world, body, &box, &id), ISO_OK);
    iso_shape3_def zone = iso_shape3_def_sphere(fix(0.75));
    zone.is_sensor = true;
    zone.density = 0;
    iso_shape_id sensor;
    EXPECT_STATUS(iso_shape3_create(world, body, &zone, &sensor), ISO_OK);
    EXPECT_STATUS(iso_body_set_owner(world, body, (iso_owner){0, ISO_OWNER_EVERYONE}), ISO_OK);
    EXPECT_STATUS(iso_body_destroy(world, gone), ISO_OK);
    picture_take(world, ISO_DRAW_SHAPES | ISO_DRAW_BODIES, &is);
    assert_int_equal(is.count, 1 + 6 + 4 + 2); // a plane, a box, a sphere; two bodies; nothing of the one that is gone
    assert_int_equal(is.items[0].owner.slot, ISO_OWNER_NOBODY);
    assert_int_equal(is.items[0].body_type, ISO_BODY_STATIC);
    assert_int_equal(is.items[1].owner.slot, ISO_OWNER_EVERYONE);
    assert_false(is.items[1].is_sensor);
    assert_true(is.items[7].is_sensor && is.items[7].kind == ISO_DRAW3_SPHERE);
    assert_true(iso_shape_id_equal(is.items[7].shape, sensor));
    const iso_draw3_item *centre = &is.items[12];
    assert_int_equal(centre->part, ISO_DRAW_BODIES);
    assert_int_equal(centre->role, ISO_DRAW_CENTRE);
    assert_true(iso_body_id_equal(centre->body, body));
    assert_int_equal(centre->shape.generation, 0);
    expect_place(centre->points[0], (vec3){0, 0.5, 0}, EXACT, "a body's centre");
    assert_false(centre->is_asleep);
    EXPECT_STATUS(iso_shape_destroy(world, sensor), ISO_OK);
    world_steps(world, 120);
    picture_take(world, ISO_DRAW_ALL, &is);
    assert_int_equal(picture_count(&is, ISO_DRAW_TOUCH), 4);
    for (uint32_t i = 0; i < is.count; ++i) {
        assert_int_equal(is.items[i].is_asleep, is.items[i].body_type == ISO_BODY_DYNAMIC);
    }
    world_free(world);
}

static void test_contacts_are_drawn_where_shapes_touch(void **state) {
    (void)state;
    iso_world *world = space_make(-10);
    // The ground's body is far away, and higher than it.
    const iso_body_id ground = body3_add(world, ISO_BODY_STATIC, (vec3){-900, 40, 0}, (quat){0, 0, 0, 1});
    const iso_body_id body = body3_add(world, ISO_BODY_DYNAMIC, (vec3){2, 0.25, -3}, (quat){0, 0, 0, 1});
    iso_shape_id id;
    iso_shape3_def plane = iso_shape3_def_plane(fix3((vec3){0, 1, 0}), fix(-40));
    iso_shape3_def box = iso_shape3_def_box(fix(0.5), fix(0.25), fix(1));
    EXPECT_STATUS(iso_shape3_create(world, ground, &plane, &id), ISO_OK);
    EXPECT_STATUS(iso_shape3_create(world, body, &box, &id), ISO_OK);
    picture_take(world, ISO_DRAW_CONTACTS, &is);
    assert_int_equal(is.count, 0);
    world_steps(world, 30);
    picture_take(world, ISO_DRAW_CONTACTS, &is);
    assert_int_equal(is.count, 8);
    bool corners[2][2] = {{false}};
    for (uint32_t i = 0; i < 8; i += 2) {
        const iso_draw3_item *point = &is.items[i], *normal = &is.items[i + 1];
        assert_int_equal(point->role, ISO_DRAW_TOUCH);
        assert_int_equal(normal->role, ISO_DRAW_NORMAL);
        assert_int_equal(normal->kind, ISO_DRAW3_ARROW);
        assert_true(iso_body_id_equal(point->body, body));
        assert_true(point->is_active && !point->is_sensor);
        const vec3 at = from_wide3(point->points[0]), to = from_wide3(normal->points[1]);
        corners[at.x > 2][at.z > -3] = true;
        expect_near3(at, (vec3){at.x > 2 ? 2.5 : 1.5, 0, at.z > -3 ? -2 : -4}, 0.01, "a contact point");
        expect_near3(vec3_unit(vec3_sub(to, at)), (vec3){0, 1, 0}, 1e-6, "a normal, from the ground upwards");
        EXPECT(to.y > at.y + 0.05, "a normal to y = %g", to.y);
    }
    assert_true(corners[0][0] && corners[0][1] && corners[1][0] && corners[1][1]);
    world_free(world);
}

/// A ball in a groove has a contact with each of its sides.
static void test_contacts_with_heights_are_drawn_on_their_slopes(void **state) {
    (void)state;
    iso_world *world = space_make(-10);
    const int16_t samples[9] = {64, 0, 64, 64, 0, 64, 64, 0, 64};
    const iso_heights_def heights = {samples, 3, 3, fix(1), ISO_FIX16_ONE / 64};
    uint32_t index;
    EXPECT_STATUS(iso_world_add_heights(world, &heights, &index), ISO_OK);
    const iso_body_id ground = body3_add(world, ISO_BODY_STATIC, (vec3){0, 0, 0}, (quat){0, 0, 0, 1});
    const iso_body_id body = body3_add(world, ISO_BODY_DYNAMIC, (vec3){0, 0.75, 0.3}, (quat){0, 0, 0, 1});
    const iso_shape3_def field = iso_shape3_def_heights(index), ball = iso_shape3_def_sphere(fix(0.5));
    iso_shape_id id;
    EXPECT_STATUS(iso_shape3_create(world, ground, &field, &id), ISO_OK);
    EXPECT_STATUS(iso_shape3_create(world, body, &ball, &id), ISO_OK);
    world_steps(world, 60);
    picture_take(world, ISO_DRAW_CONTACTS, &is);
    assert_int_equal(is.count, 4);
    for (uint32_t i = 0; i < 4; i += 2) {
        const vec3 at = from_wide3(is.items[i].points[0]), to = from_wide3(is.items[i + 1].points[1]);
        EXPECT_NEAR(at.y, fabs(at.x), 0.01, "on a slope");
        EXPECT_NEAR(vec3_unit(vec3_sub(to, at)).x, at.x > 0 ? -sqrt(0.5) : sqrt(0.5), 1e-3, "off it");
    }
    world_free(world);
}

static void test_a_sensor_is_told_of_its_contacts_too(void **state) {
    (void)state;
    iso_world *world = space_make(0);
    for (int i = 0; i < 2; ++i) {
        const iso_body_id body = body3_add(world, ISO_BODY_DYNAMIC, (vec3){0.9 * i, 0, 0}, (quat){0, 0, 0, 1});
        iso_shape3_def ball = iso_shape3_def_sphere(fix(0.5));
        ball.is_sensor = i == 1;
        iso_shape_id id;
        EXPECT_STATUS(iso_shape3_create(world, body, &ball, &id), ISO_OK);
    }
    world_steps(world, 1);
    picture_take(world, ISO_DRAW_CONTACTS, &is);
    assert_int_equal(is.count, 2);
    assert_true(is.items[0].is_sensor && is.items[0].is_active);
    expect_place(is.items[0].points[0], (vec3){0.45, 0, 0}, 1e-6, "halfway between the two surfaces");
    world_free(world);
}

static void test_a_world_of_other_dimensions_has_no_items(void **state) {
    (void)state;
    iso_world *world = world_make_small(0);
    const iso_shape_def ball = shape_circle(1);
    body_add_shape(world, ISO_BODY_DYNAMIC, 0, 0, 0, &ball);
    picture_take(world, ISO_DRAW_ALL, &is);
    assert_int_equal(is.count, 0);
    world_free(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_box_is_drawn_as_its_six_faces),
        cmocka_unit_test(test_heights_are_drawn_as_their_triangles),
        cmocka_unit_test(test_a_hull_is_drawn_as_faces_that_share_their_edges),
        cmocka_unit_test(test_a_hull_is_the_same_while_its_solid_is_not_there_yet),
        cmocka_unit_test(test_spheres_and_capsules_have_their_radius_and_show_how_they_are_turned),
        cmocka_unit_test(test_a_plane_is_drawn_and_its_grid_is_where_the_region_is),
        cmocka_unit_test(test_the_ground_has_its_grid_at_whole_metres),
        cmocka_unit_test(test_items_say_whose_they_are_and_who_sleeps),
        cmocka_unit_test(test_contacts_are_drawn_where_shapes_touch),
        cmocka_unit_test(test_contacts_with_heights_are_drawn_on_their_slopes),
        cmocka_unit_test(test_a_sensor_is_told_of_its_contacts_too),
        cmocka_unit_test(test_a_world_of_other_dimensions_has_no_items),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
