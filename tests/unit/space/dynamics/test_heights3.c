/// Bodies on fields of heights: against planes, closed forms, and on random terrain.
#include "unit/space/world/space_util.h"

#include "isostep/heights.h"
#include "isostep/snapshot.h"

#define SIDE   33
#define BODIES 24

static iso_world *ground_make(void) {
    iso_world_def def = space_def();
    def.gravity = (iso_vec2){0, fix(-10)};
    def.sleep_speed = fix(0.05);
    return world_make(&def);
}

/// Adds a field to the world, as the ground of a body at the origin.
static iso_body_id ground_add(iso_world *world, const int16_t *samples, double cell, double scale, double friction) {
    const iso_heights_def def = {samples, SIDE, SIDE, fix(cell), fix(scale)};
    uint32_t index = 0;
    EXPECT_STATUS(iso_world_add_heights(world, &def, &index), ISO_OK);
    const iso_body_id ground = body3_add(world, ISO_BODY_STATIC, wide3(0, 0, 0), iso_quat_identity());
    iso_shape3_def shape = iso_shape3_def_heights(index);
    shape.friction = fix(friction);
    shape3_add(world, ground, &shape);
    return ground;
}

static iso_body_id plane_add(iso_world *world, double friction) {
    const iso_body_id ground = body3_add(world, ISO_BODY_STATIC, wide3(0, 0, 0), iso_quat_identity());
    iso_shape3_def shape = iso_shape3_def_plane(fix3(0, 1, 0), 0);
    shape.friction = fix(friction);
    shape3_add(world, ground, &shape);
    return ground;
}

static iso_body_id body_on(iso_world *world, iso_shape3_def shape, double friction, iso_vec3_wide at, vector velocity) {
    shape.friction = fix(friction);
    const iso_body_id body = body3_add(world, ISO_BODY_DYNAMIC, at, iso_quat_identity());
    shape3_add(world, body, &shape);
    body3_set_velocity(world, body, velocity, (vector){{0, 0, 0}});
    return body;
}

static vector centre_of(const iso_world *world, iso_body_id body) {
    return vector_of(view3(world, body).centre);
}

// ---- a plane made of triangles -------------------------------------------------------------------

/// Seams between triangles of one plane are not felt: the same bits as on a plane.
static void test_bodies_move_on_a_flat_field_as_on_a_plane(void **state) {
    (void)state;
    static const int16_t flat[SIDE * SIDE];
    const iso_vec3 corners[6] = {fix3(1, 0, 0),    fix3(-1, 0, 0),  fix3(0, 0.5, 0),
                                 fix3(0, -0.5, 0), fix3(0, 0, 0.8), fix3(0, 0, -0.8)};
    const iso_shape3_def shapes[] = {iso_shape3_def_sphere(fix(0.5)), box3(0.7, 0.5, 0.4),
                                     iso_shape3_def_capsule(fix3(-0.6, 0, 0), fix3(0.6, 0, 0), fix(0.5)),
                                     iso_shape3_def_hull(corners, 6)};
    for (uint32_t i = 0; i < 4; ++i) {
        iso_world *on_field = ground_make(), *on_plane = ground_make();
        ground_add(on_field, flat, 0.4, 0.01, 0.5);
        plane_add(on_plane, 0.5);
        const vector velocity = {{3, 0, 1.7}};
        const iso_body_id a = body_on(on_field, shapes[i], 0.5, wide3(-4.013, 0.497, -1.1), velocity);
        const iso_body_id b = body_on(on_plane, shapes[i], 0.5, wide3(-4.013, 0.497, -1.1), velocity);
        for (int t = 0; t < 120; ++t) {
            world_steps(on_field, 1);
            world_steps(on_plane, 1);
            const iso_body3_view at = view3(on_field, a), is = view3(on_plane, b);
            // What follows the axes has padding.
            EXPECT(memcmp(&at, &is, offsetof(iso_body3_view, tag)) == 0, "shape %u, tick %d: %g m off", i, t,
                   length(sum(vector_of(at.centre), -1, vector_of(is.centre))));
        }
        assert_true(from_wide(view3(on_field, a).centre.x) > -3.5);
        world_free(on_field);
        world_free(on_plane);
    }
}

/// A slope of 0.25: s = (g sin - mu g cos) t^2 / 2 down a field whose seams lie across the way.
static void test_a_box_slides_down_a_slope_of_triangles_by_the_law_of_friction(void **state) {
    (void)state;
    int16_t samples[SIDE * SIDE];
    for (int i = 0; i < SIDE * SIDE; ++i) {
        samples[i] = (int16_t)(-(i % SIDE - SIDE / 2) * 25 + (i / SIDE - SIDE / 2) * 10);
    }
    iso_world *world = ground_make();
    ground_add(world, samples, 1, 0.01, 0.1);
    // The normal is (0.25, 1, -0.1) / length.
    const double size = sqrt(1 + 0.0625 + 0.01), cosine = 1 / size, sine = sqrt(0.0725) / size;
    const double angle = atan(sqrt(0.0725)), half = angle / 2;
    // The axis about which y turns to the normal: y x n, along (-0.1, 0, -0.25).
    const double ax = -0.1 / sqrt(0.0725), az = -0.25 / sqrt(0.0725);
    const iso_quat rotation = iso_quat_normalize((iso_quat){(int32_t)lround(ax * sin(half) * 1073741824.0), 0,
                                                            (int32_t)lround(az * sin(half) * 1073741824.0),
                                                            (int32_t)lround(cos(half) * 1073741823.0)});
    const vector normal = {{0.25 / size, 1 / size, -0.1 / size}};
    const vector start = sum((vector){{-8, 2, 0}}, 0.4, normal);
    const iso_body_id body = body3_add(world, ISO_BODY_DYNAMIC, wide3(start.x[0], start.x[1], start.x[2]), rotation);
    iso_shape3_def box = box3(0.9, 0.4, 0.6);
    box.friction = fix(0.1);
    shape3_add(world, body, &box);
    for (int t = 1; t <= 150; ++t) {
        world_steps(world, 1);
        const vector way = sum(centre_of(world, body), -1, start);
        const double time = t / 60.0, expected = (10 * sine - 0.1 * 10 * cosine) * time * time / 2;
        EXPECT(t < 30 || fabs(length(way) - expected) < 0.02 * expected, "tick %d: %g m instead of %g", t, length(way),
               expected);
        EXPECT(fabs(dot(way, normal)) < 0.01, "tick %d: %g m off the slope", t, dot(way, normal));
    }
    assert_true(length(sum(centre_of(world, body), -1, start)) > 4);
    world_free(world);
}

// ---- random terrain ------------------------------------------------------------------------------

/// Random samples, some times smoothed, with a wall around so that nothing leaves them.
static void terrain_random(rng *random, int height, int smoothing, int16_t field[SIDE * SIDE]) {
    for (int i = 0; i < SIDE * SIDE; ++i) {
        field[i] = (int16_t)rng_range(random, -height, height);
    }
    for (int n = 0; n < smoothing; ++n) {
        for (int i = SIDE + 1; i < SIDE * (SIDE - 1) - 1; ++i) {
            field[i] = (int16_t)((field[i - 1] + field[i + 1] + field[i - SIDE] + field[i + SIDE] + 4 * field[i]) / 8);
        }
    }
    for (int i = 0; i < SIDE * SIDE; ++i) {
        const int x = i % SIDE, z = i / SIDE;
        field[i] = (int16_t)(field[i] + (x < 3 || z < 3 || x > SIDE - 4 || z > SIDE - 4 ? 600 : 0));
    }
}

/// How far a place is over the triangle in its column, along y.
static double height_over(const int16_t *samples, double cell, double scale, vector place) {
    const double x = place.x[0] / cell + (SIDE - 1) / 2.0, z = place.x[2] / cell + (SIDE - 1) / 2.0;
    const int c = (int)floor(x), r = (int)floor(z);
    if (c < 0 || r < 0 || c >= SIDE - 1 || r >= SIDE - 1) {
        return NAN;
    }
    const double u = x - c, v = z - r, s00 = samples[r * SIDE + c], s11 = samples[(r + 1) * SIDE + c + 1];
    const double side = u >= v ? samples[r * SIDE + c + 1] : samples[(r + 1) * SIDE + c];
    const double y = u >= v ? s00 + u * (side - s00) + v * (s11 - side) : s00 + v * (side - s00) + u * (s11 - side);
    return place.x[1] - y * scale;
}

static iso_shape3_def shape_random(rng *random) {
    const double size = rng_range(random, 0.2, 0.8);
    iso_vec3 corners[8];
    switch (rng_next(random) % 4) {
    case 0:
        return iso_shape3_def_sphere(fix(size));
    case 1:
        return iso_shape3_def_capsule(fix3(-size, 0, 0), fix3(size, 0, 0), fix(size / 2));
    case 2:
        return box3(size, rng_range(random, 0.2, 0.8), size / 2);
    default:
        for (int i = 0; i < 8; ++i) {
            const vector corner = rng_vector(random, 0.3);
            corners[i] = fix3(corner.x[0] + ((i & 1) != 0 ? size : -size), corner.x[1] + ((i & 2) != 0 ? size : -size),
                              corner.x[2] + ((i & 4) != 0 ? size : -size));
        }
        return iso_shape3_def_hull(corners, 8);
    }
}

/// Drops bodies and lets them come to rest.
/// @return how many boxes and hulls have not; balls and capsules roll to and fro in hollows as on any smooth ground
static uint32_t terrain_drop(rng *random, const int16_t *field, double cell) {
    iso_world *world = ground_make();
    iso_body_id bodies[BODIES];
    bool is_round[BODIES];
    uint32_t restless = 0;
    ground_add(world, field, cell, 0.01, 0.8);
    for (int i = 0; i < BODIES; ++i) {
        const iso_shape3_def shape = shape_random(random);
        const vector at = rng_vector(random, 9 * cell);
        is_round[i] = shape.kind == ISO_SHAPE3_SPHERE || shape.kind == ISO_SHAPE3_CAPSULE;
        bodies[i] = body3_add(world, ISO_BODY_DYNAMIC, wide3(at.x[0], 2 + i * 0.8, at.x[2]), rng_quat(random));
        shape3_add(world, bodies[i], &shape);
        iso_body3_params params = iso_body3_params_default();
        params.linear_damping = fix(0.2);
        params.angular_damping = fix(1);
        EXPECT_STATUS(iso_body3_set_params(world, bodies[i], &params), ISO_OK);
    }
    for (int t = 0; t < 1800; ++t) {
        world_steps(world, 1);
        for (int i = 0; i < BODIES; ++i) {
            // They fall with up to 20 m/s, a third of a metre in a tick, and come out again.
            const double over = height_over(field, cell, 0.01, centre_of(world, bodies[i]));
            EXPECT(over > (t < 300 ? -0.35 : 0), "tick %d: body %d is %g m below the surface", t, i, -over);
        }
    }
    for (int i = 0; i < BODIES; ++i) {
        const double speed = length(vector_of(view3(world, bodies[i]).velocity));
        restless += !is_round[i] && iso_body_is_awake(world, bodies[i]);
        EXPECT(speed < 0.5, "body %d still has %g m/s", i, speed);
    }
    world_free(world);
    return restless;
}

static void check_random_terrain(uint64_t seed, int height, int smoothing, uint32_t most) {
    rng random = {seed};
    uint32_t restless = 0;
    for (int run = 0; run < 8; ++run) {
        int16_t samples[SIDE * SIDE];
        terrain_random(&random, height, smoothing, samples);
        restless += terrain_drop(&random, samples, run % 2 == 0 ? 1 : 0.5);
    }
    EXPECT(restless <= most, "%u of about %d boxes and hulls do not come to rest", restless, 4 * BODIES);
}

static void test_bodies_on_random_terrain_never_fall_through_and_come_to_rest(void **state) {
    (void)state;
    check_random_terrain(7, 100, 3, 1);
}

/// Slopes of 45 degrees and more, in cells as small as the bodies, between which some rock for long.
static void test_bodies_on_rugged_terrain_never_fall_through(void **state) {
    (void)state;
    check_random_terrain(8, 60, 0, 6);
}

/// A ball over the border of a field falls off; one that is under it, deeper than it is solid, stays there.
static void test_a_field_ends_at_its_border_and_below(void **state) {
    (void)state;
    static const int16_t flat[SIDE * SIDE];
    iso_world *world = ground_make();
    ground_add(world, flat, 1, 0.01, 0.5);
    const vector still = {{0, 0, 0}};
    const iso_body_id inside = body_on(world, iso_shape3_def_sphere(fix(0.5)), 0.5, wide3(15.9, 0.5, 0), still);
    const iso_body_id outside = body_on(world, iso_shape3_def_sphere(fix(0.5)), 0.5, wide3(16.6, 0.5, 0), still);
    const iso_body_id buried = body_on(world, iso_shape3_def_sphere(fix(0.5)), 0.5, wide3(0, -20, 0), still);
    const iso_body_id below = body_on(world, iso_shape3_def_sphere(fix(0.5)), 0.5, wide3(0, -70, 0), still);
    world_steps(world, 60);
    EXPECT_NEAR(centre_of(world, inside).x[1], 0.5, 0.01, "the height inside");
    EXPECT(centre_of(world, outside).x[1] < -3, "outside at %g m", centre_of(world, outside).x[1]);
    EXPECT(centre_of(world, buried).x[1] > -19, "the buried one at %g m", centre_of(world, buried).x[1]);
    EXPECT(centre_of(world, below).x[1] < -74, "below at %g m", centre_of(world, below).x[1]);
    world_free(world);
}

/// Ground that lies askew in the world, 1 km away, is the same ground: a box comes to the same place in the ground's
/// frame.
static void test_a_field_may_lie_anyhow_anywhere(void **state) {
    (void)state;
    int16_t samples[SIDE * SIDE];
    rng random = {9};
    terrain_random(&random, 60, 1, samples);
    vector rests[2];
    for (int i = 0; i < 2; ++i) {
        iso_world *world = ground_make();
        const iso_body_id ground = ground_add(world, samples, 1, 0.01, 0.8);
        const iso_quat turn = i == 0 ? iso_quat_identity() : (iso_quat){0, 759250125, 0, 759250125}; // 90 degrees
        const vector far = {{i * 1000.25, i * -300.5, i * 500}};
        EXPECT_STATUS(iso_body3_set_position(world, ground, wide3(far.x[0], far.x[1], far.x[2]), turn), ISO_OK);
        const matrix R = matrix_of(turn);
        const vector at = sum(far, 1, turned(&R, (vector){{0.3, 2, -0.6}}));
        const iso_body_id body = body3_add(world, ISO_BODY_DYNAMIC, wide3(at.x[0], at.x[1], at.x[2]), turn);
        const iso_shape3_def box = box3(0.4, 0.3, 0.5);
        shape3_add(world, body, &box);
        world_steps(world, 300);
        rests[i] = turned_back(&R, sum(centre_of(world, body), -1, far));
        EXPECT(!iso_body_is_awake(world, body), "run %d: it does not sleep", i);
        world_free(world);
    }
    EXPECT(length(sum(rests[0], -1, rests[1])) < 0.02, "%g m apart", length(sum(rests[0], -1, rests[1])));
}

// ---- events and states ---------------------------------------------------------------------------

/// A pair has up to four contacts, but begins and ends once.
static void test_a_pair_with_several_contacts_begins_and_ends_once(void **state) {
    (void)state;
    int16_t samples[SIDE * SIDE];
    rng random = {4};
    terrain_random(&random, 60, 0, samples);
    iso_world *world = ground_make();
    ground_add(world, samples, 0.5, 0.01, 0.5);
    body_on(world, box3(0.8, 0.3, 0.8), 0.5, wide3(0.2, 2, 0.3), (vector){{1, 0, 0.5}});
    uint32_t begun = 0, ended = 0, most = 0;
    for (int t = 0; t < 300; ++t) {
        world_steps(world, 1);
        iso_events events;
        iso_world_get_events(world, &events);
        begun += events.contact_begin_count;
        ended += events.contact_end_count;
        const uint32_t contacts = iso_section_record_count(world, ISO_SECTION_CONTACTS);
        most = contacts > most ? contacts : most;
        EXPECT(begun == ended || begun == ended + 1, "tick %d: %u begun, %u ended", t, begun, ended);
    }
    EXPECT(most > 1 && most <= 4 && begun == ended + 1, "%u contacts, %u begun, %u ended", most, begun, ended);
    world_free(world);
}

/// Snapshots and images carry the field and go on alike; a sample that differs is found.
static void test_a_field_is_part_of_the_state(void **state) {
    (void)state;
    int16_t samples[SIDE * SIDE];
    rng random = {5};
    terrain_random(&random, 60, 1, samples);
    iso_world *world = ground_make(), *copy = ground_make(), *image_copy = ground_make(), *other = ground_make();
    const uint64_t empty_root = iso_world_root(other);
    ground_add(world, samples, 1, 0.01, 0.5);
    for (int i = 0; i < 12; ++i) {
        body_on(world, shape_random(&random), 0.5, wide3(i - 6, 2 + i * 0.3, i % 3), (vector){{1, 0, 0}});
    }
    world_steps(world, 70);
    const size_t size = iso_snapshot_size(world), image_size = iso_world_image_size(world);
    uint8_t *bytes = malloc(size), *image = malloc(image_size);
    assert_int_equal(iso_snapshot_encode(world, bytes, size), size);
    assert_int_equal(iso_world_save(world, image, image_size), image_size);
    assert_int_equal(iso_snapshot_decode(copy, bytes, size), ISO_OK);
    assert_int_equal(iso_world_restore(image_copy, image, image_size), ISO_OK);
    for (int t = 0; t < 60; ++t) {
        EXPECT(iso_world_root(world) == iso_world_root(copy), "decoded: another root, %d ticks later", t);
        EXPECT(iso_world_root(world) == iso_world_root(image_copy), "restored: another root, %d ticks later", t);
        world_steps(world, 1);
        world_steps(copy, 1);
        world_steps(image_copy, 1);
    }
    // Nothing of it is left where a state without a field comes.
    const size_t empty_size = iso_snapshot_size(other);
    uint8_t *empty = malloc(empty_size);
    assert_int_equal(iso_snapshot_encode(other, empty, empty_size), empty_size);
    assert_int_equal(iso_snapshot_decode(copy, empty, empty_size), ISO_OK);
    assert_true(iso_world_root(copy) == empty_root);
    // A difference in one sample.
    ground_add(copy, samples, 1, 0.01, 0.5);
    samples[3 * 64 + 5] = (int16_t)(samples[3 * 64 + 5] + 1);
    ground_add(other, samples, 1, 0.01, 0.5);
    iso_diff diff;
    assert_true(iso_world_root(copy) != iso_world_root(other));
    assert_int_equal(iso_world_diff(copy, other, &diff, 1), 1);
    assert_true(diff.section == ISO_SECTION_HEIGHT_SAMPLES && diff.record == 3 && diff.element == 5);
    assert_true(diff.value_b - diff.value_a == 1);
    free(bytes);
    free(image);
    free(empty);
    world_free(world);
    world_free(copy);
    world_free(image_copy);
    world_free(other);
}

// ---- bounds --------------------------------------------------------------------------------------

static void test_fields_out_of_range_are_refused(void **state) {
    (void)state;
    static int16_t samples[130 * 130];
    const iso_heights_def good = {samples, 3, 4, fix(1), fix(0.01)};
    assert_int_equal(iso_heights_def_check(&good), ISO_OK);
    iso_heights_def bad[9];
    for (int i = 0; i < 9; ++i) {
        bad[i] = good;
    }
    bad[0].samples = NULL;
    bad[1].columns = 1;
    bad[2].rows = 1;
    bad[3].columns = 130;
    bad[4].rows = 130;
    bad[5].cell = ISO_HEIGHTS_CELL_MIN - 1;
    bad[6].cell = ISO_HEIGHTS_CELL_MAX + 1;
    bad[7].scale = 0;
    bad[8].scale = ISO_HEIGHTS_SCALE_MAX + 1;
    iso_world *world = ground_make();
    uint32_t index = 77;
    const uint64_t root = iso_world_root(world);
    for (int i = 0; i < 9; ++i) {
        EXPECT(iso_world_add_heights(world, &bad[i], &index) == ISO_ERR_RANGE, "%d is taken", i);
    }
    // Neighbours along a row and along a column, 60 m apart and a little more.
    iso_heights_def steep = good;
    steep.scale = ISO_HEIGHTS_SCALE_MAX;
    samples[4] = 960;
    assert_int_equal(iso_heights_def_check(&steep), ISO_OK);
    samples[4] = 961;
    assert_int_equal(iso_world_add_heights(world, &steep, &index), ISO_ERR_GEOMETRY);
    samples[1] = samples[3] = samples[5] = 500;
    assert_int_equal(iso_heights_def_check(&steep), ISO_ERR_GEOMETRY);
    samples[7] = 500;
    assert_int_equal(iso_heights_def_check(&steep), ISO_OK);
    assert_true(iso_world_root(world) == root && index == 77);
    world_free(world);
}

static void test_a_world_takes_as_many_fields_as_it_has_room_for(void **state) {
    (void)state;
    static int16_t samples[129 * 129];
    iso_world *world = ground_make();
    const iso_heights_def large = {samples, 129, 129, fix(1), fix(0.01)}, small = {samples, 2, 2, fix(1), fix(0.01)};
    uint32_t index = 0;
    assert_int_equal(iso_world_add_heights(world, &large, &index), ISO_OK); // 261 records of 512
    assert_int_equal(iso_world_add_heights(world, &large, &index), ISO_ERR_CAPACITY);
    for (uint32_t i = 1; i < ISO_HEIGHTS_MAX; ++i) {
        assert_int_equal(iso_world_add_heights(world, &small, &index), ISO_OK);
        assert_int_equal(index, i);
    }
    assert_int_equal(iso_world_add_heights(world, &small, &index), ISO_ERR_CAPACITY);
    iso_heights_def def;
    assert_int_equal(iso_world_get_heights(world, 0, &def), ISO_OK);
    assert_true(def.columns == 129 && def.rows == 129 && memcmp(def.samples, samples, sizeof samples) == 0);
    assert_int_equal(iso_world_get_heights(world, ISO_HEIGHTS_MAX, &def), ISO_ERR_STALE);
    world_free(world);
    const iso_world_def plane = iso_world_def_default();
    world = world_make(&plane);
    assert_int_equal(iso_world_add_heights(world, &small, &index), ISO_ERR_DIMENSION);
    assert_int_equal(iso_world_get_heights(world, 0, &def), ISO_ERR_DIMENSION);
    world_free(world);
}

static void test_only_static_bodies_have_fields_that_there_are(void **state) {
    (void)state;
    static const int16_t flat[SIDE * SIDE];
    iso_world *world = ground_make();
    const iso_body_id ground = ground_add(world, flat, 1, 0.01, 0.5);
    const iso_body_id moving = body3_add(world, ISO_BODY_DYNAMIC, wide3(0, 5, 0), iso_quat_identity());
    iso_shape3_def def = iso_shape3_def_heights(0);
    iso_shape_id shape;
    assert_int_equal(iso_shape3_create(world, moving, &def, &shape), ISO_ERR_WRONG_TYPE);
    assert_int_equal(iso_body3_set_type(world, ground, ISO_BODY_DYNAMIC), ISO_ERR_WRONG_TYPE);
    def = iso_shape3_def_heights(1);
    assert_int_equal(iso_shape3_create(world, ground, &def, &shape), ISO_ERR_RANGE);
    def = iso_shape3_def_heights(ISO_HEIGHTS_MAX);
    assert_int_equal(iso_shape3_def_check(&def), ISO_ERR_RANGE);
    def = iso_shape3_def_sphere(fix(1));
    def.heights = 1;
    assert_int_equal(iso_shape3_def_check(&def), ISO_ERR_RANGE);
    def = iso_shape3_def_heights(0);
    def.points[0].x = fix(61);
    assert_int_equal(iso_shape3_def_check(&def), ISO_ERR_GEOMETRY);
    // Read back.
    def = iso_shape3_def_heights(0);
    def.points[0] = fix3(1, -2, 3);
    assert_int_equal(iso_shape3_create(world, ground, &def, &shape), ISO_OK);
    iso_shape3_def is;
    iso_body_id body;
    assert_int_equal(iso_shape3_get(world, shape, &is, &body), ISO_OK);
    assert_memory_equal(&is, &def, sizeof is);
    world_free(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bodies_move_on_a_flat_field_as_on_a_plane),
        cmocka_unit_test(test_a_box_slides_down_a_slope_of_triangles_by_the_law_of_friction),
        cmocka_unit_test(test_bodies_on_random_terrain_never_fall_through_and_come_to_rest),
        cmocka_unit_test(test_bodies_on_rugged_terrain_never_fall_through),
        cmocka_unit_test(test_a_field_ends_at_its_border_and_below),
        cmocka_unit_test(test_a_field_may_lie_anyhow_anywhere),
        cmocka_unit_test(test_a_pair_with_several_contacts_begins_and_ends_once),
        cmocka_unit_test(test_a_field_is_part_of_the_state),
        cmocka_unit_test(test_fields_out_of_range_are_refused),
        cmocka_unit_test(test_a_world_takes_as_many_fields_as_it_has_room_for),
        cmocka_unit_test(test_only_static_bodies_have_fields_that_there_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
