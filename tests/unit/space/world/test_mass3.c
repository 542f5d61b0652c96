/// Mass, centre and moments of bodies in space beside quadrature in double.
#include "unit/space/world/space_util.h"

#include "space/world/records.h"

/// The integrals over a body: mass, mass times position, second moments xx, yy, zz, xy, xz, yz, in its frame.
typedef struct integrals {
    double mass, first[3], second[6];
} integrals;

static const int ROW[6] = {0, 1, 2, 0, 0, 1}, COLUMN[6] = {0, 1, 2, 1, 2, 2};

static void add_point(integrals *to, double mass, vector p) {
    to->mass += mass;
    for (int i = 0; i < 3; ++i) {
        to->first[i] += mass * p.x[i];
    }
    for (int e = 0; e < 6; ++e) {
        to->second[e] += mass * p.x[ROW[e]] * p.x[COLUMN[e]];
    }
}

/// Nodes and weights of Gauss and Legendre on [-1, 1]; exact up to degree nine.
static const double NODES[5] = {-0.906179845938663993, -0.538469310105683091, 0, 0.538469310105683091,
                                0.906179845938663993};
static const double WEIGHTS[5] = {0.236926885056189088, 0.478628670499366468, 0.568888888888888889,
                                  0.478628670499366468, 0.236926885056189088};

static void add_box(integrals *to, double density, vector centre, vector half, const matrix *R) {
    for (int n = 0; n < 125; ++n) {
        const int at[3] = {n % 5, n / 5 % 5, n / 25};
        vector local;
        double weight = density;
        for (int i = 0; i < 3; ++i) {
            local.x[i] = NODES[at[i]] * half.x[i];
            weight *= WEIGHTS[at[i]] * half.x[i];
        }
        add_point(to, weight, sum(centre, 1, turned(R, local)));
    }
}

/// A disc of this radius about a point: rings by Gauss, eight points in each, exact up to degree seven.
static void add_disc(integrals *to, double mass, vector centre, double radius, vector u, vector v) {
    for (int n = 0; n < 40; ++n) {
        const double r = radius * (NODES[n % 5] + 1) / 2, angle = PI / 4 * (n / 5);
        const vector p = sum(sum(centre, r * cos(angle), u), r * sin(angle), v);
        add_point(to, mass * WEIGHTS[n % 5] * (radius / 2) * r * (PI / 4), p);
    }
}

/// Slices across the axis; a sphere is a capsule without a length.
static void add_capsule(integrals *to, double density, vector a, vector b, double radius) {
    const vector way = sum(b, -1, a);
    const double l = length(way);
    const vector w = l > 0 ? sum((vector){{0, 0, 0}}, 1 / l, way) : (vector){{0, 0, 1}};
    const vector e = fabs(w.x[0]) < 0.6 ? (vector){{1, 0, 0}} : (vector){{0, 1, 0}};
    vector u = cross(w, e);
    u = sum((vector){{0, 0, 0}}, 1 / length(u), u);
    const vector v = cross(w, u);
    const double begins[3] = {-radius, 0, l}, ends[3] = {0, l, l + radius};
    for (int part = 0; part < 3; ++part) {
        for (int n = 0; n < 5; ++n) {
            const double half = (ends[part] - begins[part]) / 2, z = begins[part] + half * (1 + NODES[n]);
            const double from_ball = part == 0 ? z : part == 2 ? z - l : 0;
            add_disc(to, density * WEIGHTS[n] * half, sum(a, z, w), sqrt(radius * radius - from_ball * from_ball), u,
                     v);
        }
    }
}

static vector vector_of_fix(iso_vec3 v) {
    return (vector){{from_fix(v.x), from_fix(v.y), from_fix(v.z)}};
}

static void add_shape(integrals *to, const iso_shape3_def *def) {
    const double density = from_fix(def->density), radius = from_fix(def->radius);
    if (def->kind == ISO_SHAPE3_BOX) {
        const matrix R = matrix_of(def->rotation);
        add_box(to, density, vector_of_fix(def->points[0]), vector_of_fix(def->points[1]), &R);
    } else {
        add_capsule(to, density, vector_of_fix(def->points[0]), vector_of_fix(def->points[def->point_count - 1]),
                    radius);
    }
}

/// A view says the same: mass, centre, and by principal moments and axes the tensor about the centre.
static void expect_same(const integrals *is, const iso_body3_view *view, const char *what) {
    const matrix R = matrix_of(view->rotation), frame = matrix_of(view->principal);
    EXPECT_NEAR(from_wide(view->mass), is->mass, is->mass * 1e-8 + QUANTUM_WIDE, "%s: mass", what);
    const vector arm = turned_back(&R, sum(vector_of(view->centre), -1, vector_of(view->position)));
    vector centre;
    for (int i = 0; i < 3; ++i) {
        centre.x[i] = is->first[i] / is->mass;
        EXPECT_NEAR(arm.x[i], centre.x[i], 3 * QUANTUM_LENGTH + 1e-8 * fabs(centre.x[i]), "%s: centre %d", what, i);
    }
    double second[6], J[3][3], trace = 0, least = 1e300;
    for (int e = 0; e < 6; ++e) {
        second[e] = is->second[e] - is->mass * centre.x[ROW[e]] * centre.x[COLUMN[e]];
    }
    for (int i = 0; i < 3; ++i) {
        trace += second[i];
    }
    for (int e = 0; e < 6; ++e) {
        J[ROW[e]][COLUMN[e]] = J[COLUMN[e]][ROW[e]] = (e < 3 ? trace : 0) - second[e];
    }
    for (int k = 0; k < 3; ++k) {
        least = fmin(least, from_wide(view->moments[k]));
        assert_true(k == 0 || view->moments[k] >= view->moments[k - 1]);
    }
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            double made = 0;
            for (int k = 0; k < 3; ++k) {
                made += frame.m[i][k] * from_wide(view->moments[k]) * frame.m[j][k];
            }
            EXPECT_NEAR(made, J[i][j], 2e-8 * trace + 2 * QUANTUM_WIDE, "%s: tensor %d %d", what, i, j);
        }
    }
    // The least moment to its own measure: along its axis the tensor is that moment.
    double along = 0;
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            along += frame.m[i][0] * J[i][j] * frame.m[j][0];
        }
    }
    EXPECT_NEAR(least, along, 1e-6 * along + 2 * QUANTUM_WIDE, "%s: least moment of a trace of %.3g", what, trace);
}

static void check_body(const iso_shape3_def *shapes, uint32_t count, iso_quat rotation, const char *what) {
    iso_world *world = space_make();
    const iso_body_id body = body3_add(world, ISO_BODY_DYNAMIC, wide3(3, -2, 1), rotation);
    integrals is = {0};
    for (uint32_t i = 0; i < count; ++i) {
        shape3_add(world, body, &shapes[i]);
        add_shape(&is, &shapes[i]);
    }
    const iso_body3_view view = view3(world, body);
    expect_same(&is, &view, what);
    const vector from = sum(vector_of(view.position), -1, (vector){{3, -2, 1}});
    EXPECT_NEAR(length(from), 0, 0, "%s: the origin moved", what);
    world_free(world);
}

static iso_shape3_def random_shape(rng *random, double size) {
    iso_shape3_def def;
    const vector a = rng_vector(random, size), b = rng_vector(random, size);
    switch (rng_below(random, 3)) {
    case 0:
        def = iso_shape3_def_sphere(fix(size * rng_range(random, 0.1, 1)));
        def.points[0] = fix3(a.x[0], a.x[1], a.x[2]);
        break;
    case 1:
        def = iso_shape3_def_capsule(fix3(a.x[0], a.x[1], a.x[2]), fix3(b.x[0], b.x[1], b.x[2]),
                                     fix(size * rng_range(random, 0.1, 0.6)));
        break;
    default:
        def =
            box3(size * rng_range(random, 0.1, 1), size * rng_range(random, 0.1, 1), size * rng_range(random, 0.1, 1));
        def.points[0] = fix3(a.x[0], a.x[1], a.x[2]);
        def.rotation = rng_quat(random);
    }
    // The mass is between that of a grain of sand and 100 t.
    def.density = fix(fmin(3000, 2e3 / pow(size, 3)) * pow(10, rng_range(random, -1, 0)));
    return def;
}

static void test_quadrature_knows_the_closed_forms(void **state) {
    (void)state;
    integrals ball = {0}, rod = {0};
    add_capsule(&ball, 3, (vector){{1, 2, 3}}, (vector){{1, 2, 3}}, 0.5);
    EXPECT_NEAR(ball.mass, 3 * 4.0 / 3 * PI * 0.125, 1e-12, "ball: mass");
    EXPECT_NEAR(ball.second[0] - ball.mass, ball.mass * 0.05, 1e-12, "ball: second moment");
    add_capsule(&rod, 1, (vector){{0, 0, -1}}, (vector){{0, 0, 1}}, 0.25);
    EXPECT_NEAR(rod.mass, PI * 0.0625 * 2 + 4.0 / 3 * PI * 0.015625, 1e-12, "capsule: mass");
}

static void test_a_shape_has_the_mass_and_moments_of_its_solid(void **state) {
    (void)state;
    rng random = {1};
    for (int run = 0; run < 400; ++run) {
        const double size = pow(10, rng_range(&random, -1.7, 1));
        const iso_shape3_def shape = random_shape(&random, size);
        char what[80];
        snprintf(what, sizeof what, "run %d, kind %d of size %.3g", run, shape.kind, size);
        check_body(&shape, 1, rng_quat(&random), what);
    }
}

static void test_a_compound_has_those_of_its_shapes_together(void **state) {
    (void)state;
    rng random = {2};
    for (int run = 0; run < 300; ++run) {
        iso_shape3_def shapes[6];
        const double size = pow(10, rng_range(&random, -1.7, 0.7));
        const uint32_t count = 2 + rng_below(&random, 5);
        for (uint32_t i = 0; i < count; ++i) {
            shapes[i] = random_shape(&random, fmax(0.012, size * (i == 0 ? 1 : rng_range(&random, 0.05, 1))));
        }
        char what[80];
        snprintf(what, sizeof what, "run %d, %u shapes of size %.3g", run, count, size);
        check_body(shapes, count, rng_quat(&random), what);
    }
}

/// Planks, plates and needles as thin as the world takes them: the volume is a hundred-thousandth of the ball around
/// them.
static void test_thin_shapes_keep_their_least_moment(void **state) {
    (void)state;
    rng random = {3};
    const double halves[][3] = {{2, 0.05, 0.01}, {2, 0.03, 0.03}, {0.5, 0.01, 0.005},
                                {2, 2, 0.01},    {25, 0.2, 0.15}, {0.02, 0.0015, 0.0012}};
    for (size_t c = 0; c < sizeof halves / sizeof halves[0]; ++c) {
        for (int turn = 0; turn < 5; ++turn) {
            iso_shape3_def shape = box3(halves[c][0], halves[c][1], halves[c][2]);
            shape.rotation = turn == 0 ? iso_quat_identity() : rng_quat(&random);
            shape.points[0] = turn < 2 ? fix3(0, 0, 0) : fix3(halves[c][0] / 2, 0, -halves[c][0] / 3);
            char what[80];
            snprintf(what, sizeof what, "box %zu, turn %d", c, turn);
            check_body(&shape, 1, iso_quat_identity(), what);
        }
    }
    iso_shape3_def needle = iso_shape3_def_capsule(fix3(-1, 0.2, 0), fix3(0.8, -0.3, 1), fix(0.02));
    check_body(&needle, 1, iso_quat_identity(), "needle");
}

static void test_a_body_without_mass_weighs_one_kilogram_and_does_not_turn(void **state) {
    (void)state;
    iso_world *world = space_make();
    iso_shape3_def ball = iso_shape3_def_sphere(ONE);
    ball.density = 0;
    const iso_body_id bodies[3] = {body3_add(world, ISO_BODY_DYNAMIC, wide3(0, 0, 0), iso_quat_identity()),
                                   body3_of(world, &ball),
                                   body3_add(world, ISO_BODY_KINEMATIC, wide3(0, 0, 0), iso_quat_identity())};
    for (int i = 0; i < 3; ++i) {
        const iso_body3_view view = view3(world, bodies[i]);
        assert_int_equal(view.mass, i < 2 ? ISO_WIDE_ONE : 0);
        assert_true((view.moments[0] | view.moments[1] | view.moments[2]) == 0);
    }
    world_free(world);
}

/// Own mass and moments take the place of the shapes'; the frame and the centre stay; nothing of its own is the shapes'
/// again.
static void test_own_mass_and_moments_replace_those_of_the_shapes(void **state) {
    (void)state;
    iso_world *world = space_make();
    rng random = {4};
    iso_shape3_def shape = box3(1, 0.5, 0.25);
    shape.points[0] = fix3(0.5, 0.25, 0);
    shape.rotation = rng_quat(&random);
    const iso_body_id body = body3_of(world, &shape);
    const iso_body3_view before = view3(world, body);
    const uint64_t root = iso_world_root(world);
    const iso_wide none[3] = {0, 0, 0}, own[3] = {wide(3), wide(5), wide(7.5)};
    EXPECT_STATUS(iso_body3_set_mass(world, body, wide(2), none), ISO_OK);
    iso_body3_view view = view3(world, body);
    assert_true(view.mass == wide(2));
    for (int k = 0; k < 3; ++k) {
        EXPECT_NEAR(from_wide(view.moments[k]), from_wide(before.moments[k]) * 2 / from_wide(before.mass), 1e-8,
                    "moment %d in proportion", k);
    }
    EXPECT_STATUS(iso_body3_set_mass(world, body, wide(20), own), ISO_OK);
    view = view3(world, body);
    for (int k = 0; k < 3; ++k) {
        EXPECT_NEAR(from_wide(view.moments[k]), from_wide(own[k]), 1e-8, "own moment %d", k);
    }
    assert_memory_equal(&view.principal, &before.principal, sizeof view.principal);
    assert_memory_equal(&view.centre, &before.centre, sizeof view.centre);
    EXPECT_STATUS(iso_body3_set_mass(world, body, 0, none), ISO_OK);
    assert_true(iso_world_root(world) == root);
    world_free(world);
}

#define OWNERS 20u

/// Bodies of which each but one gets a mass of its own, then some of them go.
static iso_world *owners_make(bool is_forward) {
    iso_world_def def = space_def();
    def.body_capacity = OWNERS;
    iso_world *world = world_make(&def);
    const iso_shape3_def ball = iso_shape3_def_sphere(ONE);
    const iso_wide none[3] = {0, 0, 0};
    iso_body_id bodies[OWNERS];
    for (uint32_t i = 0; i < OWNERS; ++i) {
        bodies[i] = body3_of(world, &ball);
    }
    const size_t size = iso_snapshot_size(world);
    for (uint32_t n = 0; n < OWNERS; ++n) {
        const uint32_t i = is_forward ? n : (7 * n + 3) % OWNERS;
        EXPECT_STATUS(iso_body3_set_mass(world, bodies[i], wide(is_forward ? 100 : 1 + i), none), ISO_OK);
        EXPECT_STATUS(iso_body3_set_mass(world, bodies[i], wide(1 + i), none), ISO_OK);
    }
    assert_int_equal(iso_snapshot_size(world), size + OWNERS * sizeof(iso__space_own_mass));
    static const uint32_t gone[3] = {0, 9, OWNERS - 1};
    for (uint32_t n = 0; n < 3; ++n) {
        EXPECT_STATUS(iso_body_destroy(world, bodies[gone[is_forward ? n : 2 - n]]), ISO_OK);
    }
    EXPECT_STATUS(iso_body3_set_mass(world, bodies[5], 0, none), ISO_OK);
    assert_int_equal(iso_section_record_count(world, ISO_SECTION_OWN_MASSES), OWNERS - 4);
    for (uint32_t i = 1; i < OWNERS - 1; ++i) {
        if (i != 5 && i != 9) {
            assert_true(view3(world, bodies[i]).mass == wide(1 + i));
        }
    }
    return world;
}

/// There is room for one of each body. Which got it first leaves no trace, and a body that takes the place of one that
/// had it has none.
static void test_own_masses_are_there_for_all_in_any_order(void **state) {
    (void)state;
    iso_world *worlds[2] = {owners_make(true), owners_make(false)};
    const iso_shape3_def ball = iso_shape3_def_sphere(ONE);
    assert_true(iso_world_root(worlds[0]) == iso_world_root(worlds[1]));
    for (int w = 0; w < 2; ++w) {
        const iso_body_id body = body3_of(worlds[w], &ball);
        assert_int_equal(body.index, 0);
        assert_true(view3(worlds[w], body).mass == view3(worlds[w], iso_body_next(worlds[w], 5)).mass);
        world_free(worlds[w]);
    }
}

/// A refused one leaves what the body had.
static void test_a_refused_own_mass_changes_nothing(void **state) {
    (void)state;
    iso_world *world = space_make();
    const iso_shape3_def ball = iso_shape3_def_sphere(ONE);
    const iso_wide none[3] = {0, 0, 0}, small[3] = {1, 1, 1};
    for (int run = 0; run < 2; ++run) {
        const iso_body_id body = body3_of(world, &ball);
        EXPECT_STATUS(iso_body3_set_mass(world, body, run == 0 ? 0 : wide(7), none), ISO_OK);
        const uint64_t root = iso_world_root(world);
        EXPECT_STATUS(iso_body3_set_mass(world, body, wide(2), small), ISO_ERR_RANGE);
        assert_true(iso_world_root(world) == root);
        iso_world_drop_caches(world);
        assert_true(iso_world_root(world) == root);
    }
    world_free(world);
}

/// A flat body's largest moment is the sum of the others: in no format of theirs may rounding make it more.
static void test_own_moments_may_be_those_of_a_flat_body(void **state) {
    (void)state;
    rng random = {5};
    iso_world *world = space_make();
    const iso_shape3_def ball = iso_shape3_def_sphere(fix(1.3));
    const iso_body_id body = body3_of(world, &ball);
    for (int run = 0; run < 2000; ++run) {
        const iso_wide a = wide(rng_range(&random, 0.5, 3)), b = a + wide(rng_range(&random, 0, 3));
        const iso_wide moments[3] = {a, b, a + b};
        EXPECT_STATUS(iso_body3_set_mass(world, body, wide(rng_range(&random, 2, 20)), moments), ISO_OK);
    }
    world_free(world);
}

static void test_a_shape_may_reach_as_far_as_its_definition_may(void **state) {
    (void)state;
    iso_world *world = space_make();
    iso_shape3_def ball = iso_shape3_def_sphere(20 * ONE), box = box3(20, 20, 20);
    ball.points[0] = fix3(40, 0, 0);
    EXPECT_STATUS(iso_shape3_def_check(&ball), ISO_OK);
    const iso_body_id fixed = body3_add(world, ISO_BODY_STATIC, wide3(0, 0, 0), iso_quat_identity());
    shape3_add(world, fixed, &ball);
    ball.points[0].x += 1;
    iso_shape_id shape;
    EXPECT_STATUS(iso_shape3_create(world, fixed, &ball, &shape), ISO_ERR_GEOMETRY);
    box.density = ONE;
    shape3_add(world, body3_add(world, ISO_BODY_DYNAMIC, wide3(0, 0, 0), iso_quat_identity()), &box);
    world_free(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_quadrature_knows_the_closed_forms),
        cmocka_unit_test(test_a_shape_has_the_mass_and_moments_of_its_solid),
        cmocka_unit_test(test_a_compound_has_those_of_its_shapes_together),
        cmocka_unit_test(test_thin_shapes_keep_their_least_moment),
        cmocka_unit_test(test_a_body_without_mass_weighs_one_kilogram_and_does_not_turn),
        cmocka_unit_test(test_own_mass_and_moments_replace_those_of_the_shapes),
        cmocka_unit_test(test_own_masses_are_there_for_all_in_any_order),
        cmocka_unit_test(test_a_refused_own_mass_changes_nothing),
        cmocka_unit_test(test_own_moments_may_be_those_of_a_flat_body),
        cmocka_unit_test(test_a_shape_may_reach_as_far_as_its_definition_may),
    };
    return cmocka_run_group_tests_name("mass3", tests, NULL, NULL);
}
