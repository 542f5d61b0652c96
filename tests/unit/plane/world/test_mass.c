/// Mass, centre of mass and inertia against integrals over the boundary in double precision, and the bodies that
/// are refused.
///
/// The core sums triangles, rectangles and sectors; here Green's theorem turns every integral over an area into
/// one along its border, which Gauss' quadrature does to the last digits of a double.
#include "unit/world/physics_util.h"

#include "plane/world/plane.h"

// ---- the second method ---------------------------------------------------------------------------

/// Integrals of 1, x, y and x^2 + y^2 over an area.
typedef struct integrals {
    double area, x, y, second;
} integrals;

/// Adds one point of the border: at (x, y), moving by (dx, dy), with a weight.
static void border_add(integrals *sum, double weight, double x, double y, double dx, double dy) {
    sum->area += weight * (x * dy - y * dx) / 2;
    sum->x += weight * x * x / 2 * dy;
    sum->y -= weight * y * y / 2 * dx;
    sum->second += weight * (x * x * x * dy - y * y * y * dx) / 3;
}

static const double GAUSS_AT[5] = {-0.906179845938664, -0.538469310105683, 0, 0.538469310105683, 0.906179845938664};
static const double GAUSS_WEIGHT[5] = {0.236926885056189, 0.478628670499366, 0.568888888888889, 0.478628670499366,
                                       0.236926885056189};

static void border_add_line(integrals *sum, double x0, double y0, double x1, double y1) {
    for (int g = 0; g < 5; ++g) {
        const double t = (GAUSS_AT[g] + 1) / 2;
        border_add(sum, GAUSS_WEIGHT[g] / 2, x0 + t * (x1 - x0), y0 + t * (y1 - y0), x1 - x0, y1 - y0);
    }
}

static void border_add_arc(integrals *sum, double cx, double cy, double radius, double from, double to) {
    const int panels = 16;
    const double step = (to - from) / panels;
    for (int p = 0; p < panels; ++p) {
        for (int g = 0; g < 5; ++g) {
            const double t = from + step * (p + (GAUSS_AT[g] + 1) / 2);
            border_add(sum, GAUSS_WEIGHT[g] / 2 * step, cx + radius * cos(t), cy + radius * sin(t), -radius * sin(t),
                       radius * cos(t));
        }
    }
}

static integrals shape_integrate(const iso_shape_def *def) {
    integrals sum = {0, 0, 0, 0};
    const double radius = from_fix(def->radius);
    if (def->kind == ISO_SHAPE_CIRCLE) {
        border_add_arc(&sum, from_fix(def->points[0].x), from_fix(def->points[0].y), radius, 0, 2 * PI);
        return sum;
    }
    if (def->kind == ISO_SHAPE_CAPSULE && def->radius_b != 0) {
        // The sides touch both circles: where their normal has the cosine (ra - rb) / d with the way from end to end.
        const double ax = from_fix(def->points[0].x), ay = from_fix(def->points[0].y), ra = radius;
        const double bx = from_fix(def->points[1].x), by = from_fix(def->points[1].y), rb = from_fix(def->radius_b);
        const double along = atan2(by - ay, bx - ax), off = acos((ra - rb) / hypot(bx - ax, by - ay));
        border_add_arc(&sum, bx, by, rb, along - off, along + off);
        border_add_line(&sum, bx + rb * cos(along + off), by + rb * sin(along + off), ax + ra * cos(along + off),
                        ay + ra * sin(along + off));
        border_add_arc(&sum, ax, ay, ra, along + off, along - off + 2 * PI);
        border_add_line(&sum, ax + ra * cos(along - off), ay + ra * sin(along - off), bx + rb * cos(along - off),
                        by + rb * sin(along - off));
        return sum;
    }
    // A capsule is a polygon of two points here: its border goes along one side, around the end and back.
    for (uint32_t i = 0; i < def->point_count; ++i) {
        const iso_vec2 a = def->points[i], b = def->points[(i + 1) % def->point_count];
        const iso_vec2 c = def->points[(i + 2) % def->point_count];
        const double ax = from_fix(a.x), ay = from_fix(a.y), bx = from_fix(b.x), by = from_fix(b.y);
        const double from = atan2(ax - bx, by - ay);
        double to = atan2(bx - from_fix(c.x), from_fix(c.y) - by);
        to += to < from ? 2 * PI : 0;
        border_add_line(&sum, ax + radius * cos(from), ay + radius * sin(from), bx + radius * cos(from),
                        by + radius * sin(from));
        if (radius > 0) {
            border_add_arc(&sum, bx, by, radius, from, to);
        }
    }
    return sum;
}

typedef struct properties {
    double mass, x, y, inertia, extent;
} properties;

static double shape_extent(const iso_shape_def *def, double x, double y) {
    double extent = 0;
    for (uint32_t i = 0; i < def->point_count; ++i) {
        const fix16_t radius = i == 1 && def->radius_b != 0 ? def->radius_b : def->radius;
        extent = fmax(extent, hypot(from_fix(def->points[i].x) - x, from_fix(def->points[i].y) - y) + from_fix(radius));
    }
    return extent;
}

static properties shapes_measure(const iso_shape_def *shapes, uint32_t count) {
    properties is = {0, 0, 0, 0, 0};
    double second = 0;
    for (uint32_t i = 0; i < count; ++i) {
        const integrals sum = shape_integrate(&shapes[i]);
        const double density = from_fix(shapes[i].density);
        is.mass += density * sum.area;
        is.x += density * sum.x;
        is.y += density * sum.y;
        second += density * sum.second;
    }
    is.x /= is.mass;
    is.y /= is.mass;
    is.inertia = second - is.mass * (is.x * is.x + is.y * is.y);
    for (uint32_t i = 0; i < count; ++i) {
        is.extent = fmax(is.extent, shape_extent(&shapes[i], is.x, is.y));
    }
    return is;
}

// ---- bodies that are accepted --------------------------------------------------------------------

/// How far a body may be from its true properties. The sums are made in units of 2^k, the radius about the point in
/// question, so that an area is off by some quanta of Q31.32 times 4^k, and a second moment by some times 16^k; a
/// density multiplies that. The centre is found about the origin, whose k may be larger.
typedef struct bounds {
    double mass, centre, inertia, gyration;
} bounds;

#define ROUNDINGS 32 // of the sums, for eight vertices with rounding

static bounds bounds_make(const properties *is, const iso_shape_def *shapes, uint32_t count, double length) {
    double density = 0, reach = 0;
    for (uint32_t i = 0; i < count; ++i) {
        density += from_fix(shapes[i].density);
        reach = fmax(reach, shape_extent(&shapes[i], 0, 0));
    }
    const double length0 = fmax(ldexp(1, (int)ceil(log2(reach + 4 * QUANTUM_LENGTH))), 1.0 / 256);
    const double unit = ROUNDINGS * density * QUANTUM_WIDE;
    bounds to = {.mass = unit * length * length + QUANTUM_WIDE};
    to.centre = 2 * QUANTUM_LENGTH + unit * pow(length0, 3) / is->mass;
    to.inertia = unit * pow(length, 4) + is->mass * to.centre * to.centre;
    const double gyration = is->mass * length * length / is->inertia;
    to.gyration = gyration * (to.mass / is->mass + to.inertia / is->inertia) + 1 / 4194304.0;
    to.inertia += QUANTUM_WIDE;
    return to;
}

/// The largest share of each bound that was used.
typedef struct worst {
    double mass, centre, inertia, gyration;
} worst;

static void worst_raise(double *worst_so_far, double error, double bound) {
    *worst_so_far = fmax(*worst_so_far, fabs(error) / bound);
}

static void body_check_place(const char *name, const iso_body_view *view, const properties *is, uint32_t count,
                             double bound) {
    // The origin stays where it was put: each shape's shift of the centre rounds by at most a quantum.
    EXPECT_NEAR(from_wide(view->position.x), 12.25, count * QUANTUM_WIDE, "origin of %s", name);
    EXPECT_NEAR(from_wide(view->position.y), -3.5, count * QUANTUM_WIDE, "origin of %s", name);
    const double c = cos(from_fix(fix(0.75))), s = sin(from_fix(fix(0.75)));
    EXPECT_NEAR(from_wide(view->centre.x), 12.25 + c * is->x - s * is->y, 2 * bound, "placed centre of %s", name);
    EXPECT_NEAR(from_wide(view->centre.y), -3.5 + s * is->x + c * is->y, 2 * bound, "placed centre of %s", name);
}

static void body_check(const char *name, const iso_shape_def *shapes, uint32_t count, worst *seen) {
    iso_world *world = world_make_small(0);
    const iso_body_id body = body_add(world, ISO_BODY_DYNAMIC, 12.25, -3.5, 0.75);
    for (uint32_t i = 0; i < count; ++i) {
        shape_add(world, body, &shapes[i]);
    }
    const properties is = shapes_measure(shapes, count);
    const iso_body_view view = body_view(world, body);
    const iso__plane_body_derived *derived = &iso__plane_of(world)->body_derived[body.index];
    const double length = ldexp(1, derived->radius_exponent);
    EXPECT(length >= is.extent && (length / 2 <= is.extent + 4 * QUANTUM_LENGTH || derived->radius_exponent == -8),
           "%s: radius %g for the extent %g", name, length, is.extent);
    const bounds to = bounds_make(&is, shapes, count, length);
    const double gyration = derived->gyration / 4194304.0, true_gyration = is.mass * length * length / is.inertia;
    const double mass = from_wide(view.mass), inertia = from_wide(view.inertia);
    const double cx = derived->local_centre[0] * QUANTUM_LENGTH, cy = derived->local_centre[1] * QUANTUM_LENGTH;
    EXPECT_NEAR(mass, is.mass, to.mass, "mass of %s", name);
    EXPECT_NEAR(cx, is.x, to.centre, "centre x of %s", name);
    EXPECT_NEAR(cy, is.y, to.centre, "centre y of %s", name);
    EXPECT_NEAR(inertia, is.inertia, to.inertia, "inertia of %s", name);
    EXPECT_NEAR(gyration, true_gyration, to.gyration, "gyration of %s", name);
    body_check_place(name, &view, &is, count, to.centre);
    worst_raise(&seen->mass, mass - is.mass, to.mass);
    worst_raise(&seen->centre, hypot(cx - is.x, cy - is.y), to.centre);
    worst_raise(&seen->inertia, inertia - is.inertia, to.inertia);
    worst_raise(&seen->gyration, gyration - true_gyration, to.gyration);
    world_free(world);
}

static void worst_print(const char *name, const worst *seen) {
    print_message("%s use of their bounds: mass %.2f, centre %.2f, inertia %.2f, gyration %.2f\n", name, seen->mass,
                  seen->centre, seen->inertia, seen->gyration);
}

static iso_shape_def circle_at(double radius, double x, double y, double density) {
    iso_shape_def def = shape_circle(radius);
    def.points[0] = (iso_vec2){fix(x), fix(y)};
    def.density = fix(density);
    return def;
}

static iso_shape_def box_at(double half_width, double half_height, double x, double y, double density,
                            double rounding) {
    iso_shape_def def = shape_box(half_width, half_height);
    for (int i = 0; i < 4; ++i) {
        def.points[i].x += fix(x);
        def.points[i].y += fix(y);
    }
    def.density = fix(density);
    def.radius = fix(rounding);
    return def;
}

static void test_single_shapes_have_the_mass_of_their_area(void **state) {
    (void)state;
    const struct {
        const char *name;
        iso_shape_def shape;
    } cases[] = {
        {"circle of 1 cm", circle_at(0.01, 0, 0, 1)},
        {"circle of 1 m", circle_at(1, 0, 0, 1)},
        {"circle of 59.9 m", circle_at(59.9, 0, 0, 1)},
        {"circle off the centre", circle_at(0.5, 3, -2, 2)},
        {"small circle far from the origin", circle_at(0.25, 50, 31, 100)},
        {"pebble of lead", circle_at(0.002, 0, 0, 11340)},
        {"box of 1 cm", box_at(0.005, 0.005, 0, 0, 1, 0)},
        {"box of 1 m", box_at(0.5, 0.5, 0, 0, 1, 0)},
        {"platform", box_at(42, 42, 0, 0, 18, 0)},
        {"plank", box_at(59, 0.02, 0, 0, 7, 0)},
        {"box far from the origin", box_at(0.1, 0.2, -40, 40, 3, 0)},
        {"rounded box", box_at(0.5, 0.25, 0, 0, 1, 0.125)},
        {"rounded box of 1 cm", box_at(0.004, 0.004, 0, 0, 1, 0.001)},
        {"mostly rounding", box_at(0.001, 0.001, 2, 2, 1, 20)},
        {"capsule of 1 m", shape_capsule(-0.5, 0, 0.5, 0, 0.25)},
        {"capsule off the centre", shape_capsule(1, 2, 3, -1, 0.5)},
        {"capsule of 1 cm", shape_capsule(0, -0.004, 0, 0.004, 0.001)},
        {"capsule without much length", shape_capsule(0, 0, QUANTUM_FIX16, 0, 3)},
        {"wire", shape_capsule(-42, -42, 42, 42, 0.0011)},
        {"wire far from the origin", shape_capsule(30, 40, 35, 48, 0.002)},
        {"platform with a thin rim", box_at(40, 40, 0, 0, 1, 0.001)},
    };
    worst seen = {0, 0, 0, 0};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        body_check(cases[i].name, &cases[i].shape, 1, &seen);
    }
    worst_print("single shapes", &seen);
}

static void test_random_polygons_have_the_mass_of_their_area(void **state) {
    (void)state;
    rng random = {1};
    worst seen = {0, 0, 0, 0};
    for (int i = 0; i < 400; ++i) {
        char name[64];
        const uint32_t count = 3 + (uint32_t)i % 6;
        const double size = 0.02 * pow(2000, rng_range(&random, 0, 1)); // 2 cm to 40 m
        iso_shape_def shape = shape_polygon_random(&random, count, size, size * rng_range(&random, 0.2, 1),
                                                   i % 2 ? size * rng_range(&random, 0.01, 0.4) : 0);
        const double place = fmin(8 * size, (59 - 1.4 * size) * 0.7);
        const iso_vec2 shift = {fix(rng_range(&random, -place, place)), fix(rng_range(&random, -place, place))};
        for (uint32_t p = 0; p < count; ++p) {
            shape.points[p].x += shift.x;
            shape.points[p].y += shift.y;
        }
        if (iso_shape_def_check(&shape) != ISO_OK) {
            continue; // two points of a small one came too close
        }
        snprintf(name, sizeof name, "polygon %d of %u points, %.3f m", i, count, size);
        body_check(name, &shape, 1, &seen);
    }
    worst_print("polygons", &seen);
}

static void test_random_capsules_have_the_mass_of_their_area(void **state) {
    (void)state;
    rng random = {2};
    worst seen = {0, 0, 0, 0};
    for (int i = 0; i < 400; ++i) {
        char name[64];
        const double size = 0.02 * pow(2000, rng_range(&random, 0, 1)); // 2 cm to 40 m
        const double radius = fmax(0.0011, size * pow(10, rng_range(&random, -3, -0.4)));
        iso_shape_def shape = shape_capsule_random(&random, size, radius);
        shape.density = size < 0.1 ? 100 * ONE : ONE; // else too light
        snprintf(name, sizeof name, "capsule %d of %.3f m and radius %.4f m", i, size, radius);
        body_check(name, &shape, 1, &seen);
    }
    worst_print("capsules", &seen);
}

static iso_shape_def tapered(double ax, double ay, double bx, double by, double radius_a, double radius_b) {
    return iso_shape_def_tapered_capsule((iso_vec2){fix(ax), fix(ay)}, (iso_vec2){fix(bx), fix(by)}, fix(radius_a),
                                         fix(radius_b));
}

static void test_tapered_capsules_have_the_mass_of_their_area(void **state) {
    (void)state;
    rng random = {21};
    worst seen = {0, 0, 0, 0};
    for (int i = 0; i < 400; ++i) {
        char name[128];
        const double size = 0.02 * pow(1000, rng_range(&random, 0, 1)); // 2 cm to 20 m
        const double a = fmax(0.0011, size * pow(10, rng_range(&random, -3, -0.2)));
        const double b = fmax(0.0011, size * pow(10, rng_range(&random, -3, -0.2)));
        // From nearly one in the other to far apart.
        const double apart = hypot(a - b, 0.0011 + size * pow(10, rng_range(&random, -5, 0)));
        const double turn = rng_range(&random, 0, 2 * PI), x = size * rng_range(&random, -0.2, 0.2);
        iso_shape_def shape = tapered(x, 0, x + apart * cos(turn), apart * sin(turn), a, b);
        shape.density = size < 1 ? 1000 * ONE : ONE; // else too light
        if (shape.radius == shape.radius_b || iso_shape_def_check(&shape) != ISO_OK) {
            continue; // rounded, the sides became too short
        }
        snprintf(name, sizeof name, "tapered capsule %d of %.3f m, radii %.4f and %.4f m", i, apart, a, b);
        body_check(name, &shape, 1, &seen);
    }
    worst_print("tapered capsules", &seen);
}

/// The limits of what has two radii.
static void test_circles_that_hold_each_other_are_refused(void **state) {
    (void)state;
    const struct {
        const char *name;
        iso_shape_def def;
        iso_status status;
    } cases[] = {
        {"a small circle in a large one", tapered(0, 0, 0.3, 0, 0.5, 0.1), ISO_ERR_GEOMETRY},
        {"a large circle around a small one", tapered(0, 0, 0.3, 0, 0.1, 0.5), ISO_ERR_GEOMETRY},
        {"one that touches the other from inside", tapered(0, 0, 0, 0.25, 0.5, 0.25), ISO_ERR_GEOMETRY},
        {"sides of 0.9 mm", tapered(0, 0, 0.0009, 0, 0.5, 0.5 + QUANTUM_FIX16), ISO_ERR_GEOMETRY},
        {"sides of 1.1 mm", tapered(0, 0, 0.0011, 0, 0.5, 0.5 + QUANTUM_FIX16), ISO_OK},
        {"a circle that sticks out", tapered(0, 0, 0.401, 0, 0.5, 0.1), ISO_OK},
        {"equal radii", tapered(0, 0, QUANTUM_FIX16, 0, 0.5, 0.5), ISO_OK},
        {"a second radius below 1 mm", tapered(0, 0, 1, 0, 0.5, 0.0009), ISO_ERR_GEOMETRY},
        {"a negative second radius", tapered(0, 0, 1, 0, 0.5, -0.1), ISO_ERR_RANGE},
        {"a second radius above 60 m", tapered(0, 0, 1, 0, 0.5, 61), ISO_ERR_RANGE},
        {"a second end beyond the extent", tapered(-30, 0, 30, 0, 0.5, 30.1), ISO_ERR_GEOMETRY},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        EXPECT(iso_shape_def_check(&cases[i].def) == cases[i].status, "%s: %s", cases[i].name,
               iso_status_name(iso_shape_def_check(&cases[i].def)));
    }
    iso_shape_def circle = shape_circle(1);
    circle.radius_b = ONE;
    EXPECT_STATUS(iso_shape_def_check(&circle), ISO_ERR_GEOMETRY);
}

/// A definition comes back as it went in; a second radius like the first one is none.
static void test_second_radius_is_read_back(void **state) {
    (void)state;
    iso_world *world = world_make_small(0);
    const iso_body_id body = body_add(world, ISO_BODY_DYNAMIC, 0, 0, 0);
    const iso_shape_def defs[] = {tapered(0, 0, 1, 0, 0.5, 0.25), tapered(0, 0, 1, 0, 0.5, 0.5)};
    for (int i = 0; i < 2; ++i) {
        const iso_shape_id shape = shape_add(world, body, &defs[i]);
        iso_shape_def read;
        iso_body_id of;
        EXPECT_STATUS(iso_shape_get(world, shape, &read, &of), ISO_OK);
        assert_int_equal(read.radius, ONE / 2);
        assert_int_equal(read.radius_b, i == 0 ? ONE / 4 : 0);
        assert_int_equal(read.point_count, 2);
    }
    world_free(world);
}

static void test_shapes_of_one_body_add_up(void **state) {
    (void)state;
    worst seen = {0, 0, 0, 0};
    const iso_shape_def dumbbell[] = {circle_at(0.5, -2, 0, 3), circle_at(0.25, 2, 0.5, 8),
                                      box_at(2, 0.05, 0, 0, 1, 0)};
    const iso_shape_def corner[] = {box_at(1, 0.1, 1, 0.1, 1, 0.01), box_at(0.1, 1, 0.1, 1, 1, 0.01)};
    const iso_shape_def ghost[] = {box_at(1, 1, 0, 0, 2, 0), box_at(5, 0.1, 4, 0, 0, 0)};
    const iso_shape_def heavy_and_light[] = {box_at(0.5, 0.5, 0, 0, 30000, 0), circle_at(0.5, 5, 5, 0.01)};
    const iso_shape_def small[] = {circle_at(0.01, 0.01, 0, 5), circle_at(0.01, -0.01, 0, 5),
                                   circle_at(0.005, 0, 0.02, 5)};
    body_check("dumbbell", dumbbell, 3, &seen);
    body_check("corner of two planks", corner, 2, &seen);
    body_check("box with a shape of no density", ghost, 2, &seen);
    body_check("heavy box and light circle", heavy_and_light, 2, &seen);
    body_check("three pebbles", small, 3, &seen);
    worst_print("several shapes", &seen);
}

static void test_only_dynamic_bodies_with_density_have_their_shapes_mass(void **state) {
    (void)state;
    iso_world *world = world_make_small(0);
    iso_shape_def shape = circle_at(1, 2, 0, 20000);
    const iso_body_view still = body_view(world, body_add_shape(world, ISO_BODY_STATIC, 0, 0, 0, &shape));
    const iso_body_view driven = body_view(world, body_add_shape(world, ISO_BODY_KINEMATIC, 0, 0, 0, &shape));
    shape.density = 0;
    const iso_body_view ghost = body_view(world, body_add_shape(world, ISO_BODY_DYNAMIC, 0, 0, 0, &shape));
    const iso_body_view bare = body_view(world, body_add(world, ISO_BODY_DYNAMIC, 0, 0, 0));
    assert_true(still.mass == 0 && still.inertia == 0 && still.centre.x == 0);
    assert_true(driven.mass == 0 && driven.inertia == 0 && driven.centre.x == 0);
    assert_true(ghost.mass == ISO_WIDE_ONE && ghost.inertia == 0 && ghost.centre.x == 0);
    assert_true(bare.mass == ISO_WIDE_ONE && bare.inertia == 0);
    world_free(world);
}

static void test_new_shapes_keep_the_velocity_of_material_points(void **state) {
    (void)state;
    iso_world *world = world_make_small(0);
    const iso_shape_def first = box_at(0.5, 0.5, 0, 0, 1, 0), second = box_at(2, 0.5, 3, 1, 1, 0);
    const iso_body_id body = body_add_shape(world, ISO_BODY_DYNAMIC, 5, 6, 0.5, &first);
    body_set_velocity(world, body, 2, -1, 3);
    const pose before = body_pose(world, body);
    shape_add(world, body, &second);
    const pose after = body_pose(world, body);
    EXPECT(hypot(after.x - before.x, after.y - before.y) > 1, "the centre did not move");
    EXPECT_NEAR(after.w, before.w, QUANTUM_VELOCITY, "turn");
    EXPECT_NEAR(after.vx, before.vx - before.w * (after.y - before.y), QUANTUM_VELOCITY,
                "velocity x of the new centre");
    EXPECT_NEAR(after.vy, before.vy + before.w * (after.x - before.x), QUANTUM_VELOCITY,
                "velocity y of the new centre");
    world_free(world);
}

// ---- bodies that are refused ---------------------------------------------------------------------

/// The root from the records alone, and everything that counts things.
static uint64_t world_digest(iso_world *world) {
    iso_world_drop_caches(world);
    return iso_world_root(world) * 31 + world_counts(world).shapes;
}

typedef struct refusal {
    const char *name;
    iso_shape_def first, second; // the first is accepted unless its kind is 0
    iso_status status;
} refusal;

static void refusal_check(const refusal *refused) {
    iso_world *world = world_make_small(-10);
    const iso_shape_def ball = circle_at(1, 0, 0, 1);
    const iso_body_id other = body_add_shape(world, ISO_BODY_DYNAMIC, 200, 0, 0, &ball);
    const iso_body_id body = body_add(world, ISO_BODY_DYNAMIC, 1, 2, 0.3);
    body_set_velocity(world, body, 1, 1, 1);
    // A slot that was used before must go back with its generation.
    iso_shape_id used = shape_add(world, other, &ball);
    EXPECT_STATUS(iso_shape_destroy(world, used), ISO_OK);
    if (refused->first.kind != 0) {
        shape_add(world, body, &refused->first);
    }
    world_steps(world, 2);
    const uint64_t before = world_digest(world);
    const iso_body_view view_before = body_view(world, body);
    iso_shape_id shape = {77, 77};
    const iso_status status = iso_shape_create(world, body, &refused->second, &shape);
    EXPECT(status == refused->status, "%s: %s instead of %s", refused->name, iso_status_name(status),
           iso_status_name(refused->status));
    const iso_body_view view_after = body_view(world, body);
    EXPECT(world_digest(world) == before, "%s changed the root", refused->name);
    assert_true(view_before.mass == view_after.mass && view_before.inertia == view_after.inertia &&
                view_before.position.x == view_after.position.x);
    // The next shape gets the handle it would have got without the refusal.
    iso_world *twin = world_make_small(-10);
    void *image = malloc(iso_world_image_size(world));
    const size_t size = iso_world_save(world, image, iso_world_image_size(world));
    EXPECT_STATUS(iso_world_restore(twin, image, size), ISO_OK);
    free(image);
    const iso_shape_id next = shape_add(world, other, &ball), twin_next = shape_add(twin, other, &ball);
    assert_int_equal(iso_id_pack(next.index, next.generation), iso_id_pack(twin_next.index, twin_next.generation));
    world_steps(world, 3);
    world_steps(twin, 3);
    assert_int_equal(world_digest(world), world_digest(twin));
    world_free(twin);
    world_free(world);
}

static void test_absurd_bodies_are_refused_and_change_nothing(void **state) {
    (void)state;
    const iso_shape_def none = {0};
    iso_shape_def feather = circle_at(0.01, 0, 0, 0);
    feather.density = 1;
    iso_shape_def sliver = box_at(1, 1, 0, 0, 1, 0);
    sliver.point_count = 3;
    sliver.points[2] = (iso_vec2){fix(0.5), -ONE + 20};
    iso_shape_def clockwise = box_at(1, 1, 0, 0, 1, 0);
    clockwise.points[1] = (iso_vec2){-ONE, ONE};
    clockwise.points[3] = (iso_vec2){ONE, -ONE};
    iso_shape_def three_points = shape_capsule(0, 0, 1, 0, 0.5), no_kind = three_points;
    three_points.point_count = 3;
    no_kind.kind = ISO_SHAPE_SEGMENT + 1;
    const refusal cases[] = {
        {"too heavy", none, circle_at(60 - 2 * QUANTUM_FIX16, 0, 0, 12), ISO_ERR_RANGE},
        {"too heavy together", circle_at(20, 0, 0, 90), circle_at(20, 0, 0, 90), ISO_ERR_RANGE},
        {"far too heavy", none, circle_at(59, 0, 0, 32767), ISO_ERR_RANGE},
        {"too light", none, feather, ISO_ERR_RANGE},
        {"mass in the middle of a wide body", circle_at(0.5, 0, 0, 100), box_at(50, 0.1, 0, 0, 0, 0), ISO_ERR_RANGE},
        {"too far from the centre of mass", circle_at(1, -57, 0, 1), circle_at(1, 57, 0, 0.01), ISO_ERR_GEOMETRY},
        {"beyond the extent", none, circle_at(1.5, 59, 0, 1), ISO_ERR_GEOMETRY},
        {"an edge below 1 mm", none, box_at(1, 0.0004, 0, 0, 1, 0), ISO_ERR_GEOMETRY},
        {"too thin", none, sliver, ISO_ERR_GEOMETRY},
        {"a capsule without length", none, shape_capsule(1, 2, 1, 2, 0.5), ISO_ERR_GEOMETRY},
        {"a capsule without width", none, shape_capsule(0, 0, 1, 0, 0.0009), ISO_ERR_GEOMETRY},
        {"a capsule beyond the extent", none, shape_capsule(-1, 0, 59, 0, 1.5), ISO_ERR_GEOMETRY},
        {"a capsule of three points", none, three_points, ISO_ERR_GEOMETRY},
        {"a shape of no kind", none, no_kind, ISO_ERR_BAD_ENUM},
        {"clockwise", none, clockwise, ISO_ERR_GEOMETRY},
        {"a negative density", none, circle_at(1, 0, 0, -1), ISO_ERR_RANGE},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        refusal_check(&cases[i]);
    }
}

static void test_heaviest_and_widest_bodies_are_accepted(void **state) {
    (void)state;
    worst seen = {0, 0, 0, 0};
    const iso_shape_def heaviest = box_at(1, 1, 0, 0, 32767, 0); // 131,068 of 131,072 kg
    const iso_shape_def widest = circle_at(60 - 2 * QUANTUM_FIX16, 0, 0, 11.5);
    // m L^2 / I just below 500: L is 16 m, so I/m must be above 0.512; a disc of radius 1.02 has 0.52.
    const iso_shape_def compact[] = {circle_at(1.02, 0, 0, 1), box_at(15, 0.1, 0, 0, 0, 0)};
    body_check("heaviest", &heaviest, 1, &seen);
    body_check("widest", &widest, 1, &seen);
    body_check("most compact", compact, 2, &seen);
}

static void test_shape_that_holds_a_body_together_is_not_destroyed(void **state) {
    (void)state;
    iso_world *world = world_make_small(0);
    const iso_shape_def core = circle_at(0.5, 0, 0, 1), rim = box_at(40, 1, 0, 0, 1, 0),
                        ghost = box_at(50, 0.1, 0, 0, 0, 0);
    const iso_body_id body = body_add(world, ISO_BODY_DYNAMIC, 0, 0, 0);
    const iso_shape_id rim_id = shape_add(world, body, &rim);
    shape_add(world, body, &ghost);
    shape_add(world, body, &core);
    const uint64_t before = world_digest(world);
    EXPECT_STATUS(iso_shape_destroy(world, rim_id), ISO_ERR_RANGE);
    assert_int_equal(world_digest(world), before);
    iso_shape_def read;
    iso_body_id owner;
    EXPECT_STATUS(iso_shape_get(world, rim_id, &read, &owner), ISO_OK);
    // It is still one of the body's shapes, and goes with it.
    EXPECT_STATUS(iso_body_destroy(world, body), ISO_OK);
    assert_int_equal(world_counts(world).shapes, 0);
    world_free(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_single_shapes_have_the_mass_of_their_area),
        cmocka_unit_test(test_random_polygons_have_the_mass_of_their_area),
        cmocka_unit_test(test_random_capsules_have_the_mass_of_their_area),
        cmocka_unit_test(test_tapered_capsules_have_the_mass_of_their_area),
        cmocka_unit_test(test_circles_that_hold_each_other_are_refused),
        cmocka_unit_test(test_second_radius_is_read_back),
        cmocka_unit_test(test_shapes_of_one_body_add_up),
        cmocka_unit_test(test_only_dynamic_bodies_with_density_have_their_shapes_mass),
        cmocka_unit_test(test_new_shapes_keep_the_velocity_of_material_points),
        cmocka_unit_test(test_absurd_bodies_are_refused_and_change_nothing),
        cmocka_unit_test(test_heaviest_and_widest_bodies_are_accepted),
        cmocka_unit_test(test_shape_that_holds_a_body_together_is_not_destroyed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
