/// Continuous collision in space: fast bodies do not pass walls, and what passes a wall closely loses nothing.
///
/// test_continuous3 [--shots N]    N random shots at a wall, 1,000 by default
#include "unit/space/world/space_util.h"

#include "isostep/joint3.h"
#include "space/world/scratch.h"
#include "space/world/space.h"

#define GRAVITY 10.0
#define VOLLEY  50 // shots at a time, which do not meet each other
#define BULLETS 24

static int shot_count = 1000;

static const iso__space *space_of(const iso_world *world) {
    return (const iso__space *)world;
}

/// The middle of a body's first shape: the mean of its vertices.
static vector body_middle(const iso_world *world, iso_body_id body) {
    const iso__space *space = space_of(world);
    const iso__space_body_derived *derived = &space->body_derived[body.index];
    const int32_t *middle = space->shape_derived[derived->first_shape].middle;
    const iso_body3_view view = view3(world, body);
    const matrix R = matrix_of(view.rotation);
    return sum(vector_of(view.centre), 1,
               turned(&R, (vector){{ldexp(middle[0], -24), ldexp(middle[1], -24), ldexp(middle[2], -24)}}));
}

static vector rng_unit(rng *random) {
    vector v;
    do {
        v = rng_vector(random, 1);
    } while (length(v) > 1 || length(v) < 0.1);
    return sum((vector){{0, 0, 0}}, 1 / length(v), v);
}

static iso_shape3_def tetrahedron(double size, double height) {
    const iso_vec3 points[4] = {fix3(size, 0, -size), fix3(-size, 0, -size), fix3(0, 0, size), fix3(0, height, 0)};
    return iso_shape3_def_hull(points, 4);
}

/// Spheres, boxes, capsules, clouds of points, and tetrahedra from flat ones to needles.
static iso_shape3_def shot_shape(rng *random) {
    const double size = rng_range(random, 0.02, 0.4);
    iso_shape3_def shape;
    do {
        shape = iso_shape3_def_sphere(fix(size));
        switch (rng_below(random, 5)) {
        case 0:
            break;
        case 1:
            shape = box3(size, size * rng_range(random, 0.2, 1), size * rng_range(random, 0.2, 1));
            shape.rotation = rng_quat(random);
            break;
        case 2:
            shape = iso_shape3_def_capsule(fix3(-size / 2, 0, 0), fix3(size / 2, 0, 0),
                                           fix(size * rng_range(random, 0.2, 1)));
            break;
        case 3:
            shape = tetrahedron(size, size * rng_range(random, 0.3, 5));
            break;
        default: {
            iso_vec3 points[12];
            const uint32_t count = 4 + rng_below(random, 9);
            for (uint32_t i = 0; i < count; ++i) {
                const vector v = rng_unit(random);
                points[i] = fix3(size * v.x[0], size * v.x[1], size * v.x[2]);
            }
            shape = iso_shape3_def_hull(points, count);
        }
        }
    } while (iso_shape3_def_check(&shape) != ISO_OK);
    shape.filter.group = -1;
    shape.restitution = fix(rng_below(random, 2) ? rng_range(random, 0, 1) : 0);
    shape.friction = fix(rng_range(random, 0, 1));
    return shape;
}

/// How often in a row a body has stayed where it was though it has a velocity.
typedef struct stay {
    vector at;
    int ticks, longest;
} stay;

static void stay_note(stay *is, const iso_world *world, iso_body_id body) {
    const iso_body3_view view = view3(world, body);
    const vector at = vector_of(view.centre);
    const bool stays = length(sum(at, -1, is->at)) < 1e-5 && length(vector_of(view.velocity)) > 0.5;
    is->ticks = stays ? is->ticks + 1 : 0;
    is->longest = is->ticks > is->longest ? is->ticks : is->longest;
    is->at = at;
}

/// A body as fast as its spin may be: which is bounded by its size.
static void body_shoot(iso_world *world, iso_body_id body, vector velocity, vector spin) {
    const double longest = PI / 4 * 60 * 4, reach = ldexp(1, space_of(world)->body_derived[body.index].radius_exponent);
    const double most = fmin(longest, 400 / reach) * 0.999;
    const double scale = fmin(1, most / fmax(length(spin), 1e-9));
    body3_set_velocity(world, body, velocity, sum((vector){{0, 0, 0}}, scale, spin));
}

// ---- shots at a wall -----------------------------------------------------------------------------

/// A wall of 1 cm, or a half-space, through the origin, shot at from the side of its normal. @return the smallest
/// distance of a middle from its middle plane
static double volley_run(rng *random, int number, double gravity) {
    iso_world_def def = space_def();
    def.gravity = (iso_vec2){0, fix(-gravity)};
    iso_world *world = world_make(&def);
    const iso_shape3_def wall = number % 8 == 7 ? iso_shape3_def_plane(fix3(0, 1, 0), 0) : box3(40, 0.005, 40);
    const iso_quat turn = rng_quat(random);
    const matrix R = matrix_of(turn);
    const vector n = {{R.m[0][1], R.m[1][1], R.m[2][1]}};
    iso_body_id shots[VOLLEY];
    stay stays[VOLLEY] = {0};
    double nearest = 100;
    shape3_add(world, body3_add(world, ISO_BODY_STATIC, wide3(0, 0, 0), turn), &wall);
    for (int i = 0; i < VOLLEY; ++i) {
        const iso_shape3_def shape = shot_shape(random);
        const vector at =
            turned(&R, (vector){{rng_range(random, -12, 12), rng_range(random, 2.5, 14), rng_range(random, -12, 12)}});
        const double speed = rng_below(random, 3) == 0 ? rng_range(random, 1, 30) : rng_range(random, 5, 400);
        vector way = rng_unit(random);
        way = dot(way, n) > 0 ? sum((vector){{0, 0, 0}}, -1, way) : way; // at the wall
        way = sum(way, -0.1, n);
        way = sum((vector){{0, 0, 0}},
                  fmin(speed / length(way), 399 / fmax(fabs(way.x[0]), fmax(fabs(way.x[1]), fabs(way.x[2])))), way);
        shots[i] = body3_add(world, ISO_BODY_DYNAMIC, wide3(at.x[0], at.x[1], at.x[2]), rng_quat(random));
        shape3_add(world, shots[i], &shape);
        body_shoot(world, shots[i], way, rng_vector(random, 150));
    }
    for (int t = 0; t < 40; ++t) {
        world_steps(world, 1);
        for (int i = 0; i < VOLLEY; ++i) {
            const vector at = body_middle(world, shots[i]), local = turned_back(&R, at);
            stay_note(&stays[i], world, shots[i]);
            if (fmax(fabs(local.x[0]), fabs(local.x[2])) < 38) { // not yet beyond an end of the wall
                nearest = fmin(nearest, local.x[1]);
                EXPECT(local.x[1] > 0, "volley %d, shot %d, tick %d: %g m behind the wall", number, i, t, -local.x[1]);
            }
        }
    }
    for (int i = 0; i < VOLLEY; ++i) {
        EXPECT(stays[i].longest <= 2, "volley %d, shot %d: for %d ticks its velocity moves it nowhere", number, i,
               stays[i].longest);
    }
    world_free(world);
    return nearest;
}

static void test_no_shot_passes_a_wall(void **state) {
    (void)state;
    rng random = {7};
    double nearest = 100;
    for (int n = 0; n < (shot_count + VOLLEY - 1) / VOLLEY; ++n) {
        nearest = fmin(nearest, volley_run(&random, n, n % 2 ? GRAVITY : 0));
    }
    print_message("%d shots, the nearest middle %.4f m from the wall's middle\n", shot_count, nearest);
}

/// 10 m of fall, a floor of 10 cm.
static void test_falling_box_stops_at_a_thin_floor(void **state) {
    (void)state;
    for (int n = 0; n < 20; ++n) {
        iso_world_def def = space_def();
        def.gravity = (iso_vec2){0, fix(-GRAVITY)};
        iso_world *world = world_make(&def);
        const iso_shape3_def ground = box3(5, 0.05, 5), box = box3(0.1, 0.1, 0.1);
        shape3_add(world, body3_add(world, ISO_BODY_STATIC, wide3(0, -0.05, 0), iso_quat_identity()), &ground);
        const iso_body_id body = body3_add(world, ISO_BODY_DYNAMIC, wide3(0, 10 + 0.02 * n, 0), iso_quat_identity());
        shape3_add(world, body, &box);
        world_steps(world, 180);
        EXPECT_NEAR(from_wide(view3(world, body).position.y), 0.1, 2e-3, "box %d", n);
        EXPECT_NEAR(from_wide(view3(world, body).velocity.y), 0, 1e-2, "speed of box %d", n);
        world_free(world);
    }
}

/// Where a ball of 10 cm at 300 m/s ends its first tick at a wall: half the slop deep, with its velocity, less what
/// gravity gave it in the rest of the tick.
static void test_what_meets_a_wall_keeps_its_velocity_for_a_tick(void **state) {
    (void)state;
    iso_world_def def = space_def();
    def.gravity_z = fix(-GRAVITY);
    iso_world *world = world_make(&def);
    const iso_shape3_def wall = box3(0.005, 5, 5), ball = iso_shape3_def_sphere(fix(0.1));
    shape3_add(world, body3_add(world, ISO_BODY_STATIC, wide3(3, 0, 0), iso_quat_identity()), &wall);
    const iso_body_id body = body3_of(world, &ball);
    body3_set_velocity(world, body, (vector){{300, 0, 0}}, (vector){{3, 2, 1}});
    world_steps(world, 1);
    const iso_body3_view view = view3(world, body);
    const double depth = from_wide(view.position.x) + 0.1 - 2.995, share = from_wide(view.position.x) / 5;
    EXPECT(depth > 0 && depth < 0.5 * from_fix(def.slop) + 1e-6, "%g m deep", depth);
    EXPECT_NEAR(from_wide(view.velocity.x), 300, 1e-3, "velocity");
    EXPECT_NEAR(from_wide(view.velocity.z), -GRAVITY / 60 * share, 1e-5, "fall");
    EXPECT_NEAR(from_wide(view.angular_velocity.y), 2, 1e-5, "spin");
    const matrix R = matrix_of(view.rotation);
    EXPECT_NEAR(acos((R.m[0][0] + R.m[1][1] + R.m[2][2] - 1) / 2), sqrt(14) / 60 * share, 1e-6, "turned");
    world_steps(world, 2);
    EXPECT(from_wide(view3(world, body).velocity.x) < 1, "it goes on");
    world_free(world);
}

/// A rod of 1 m that turns by 1 rad in a tick, 15 cm above a floor, and does not move else: it stops where its tip
/// meets.
static void test_what_turns_into_a_wall_stops(void **state) {
    (void)state;
    for (int axis = 0; axis < 3; ++axis) {
        iso_world *world = space_make();
        const int up = (axis + 1) % 3, along = (axis + 2) % 3;
        vector end = {{0, 0, 0}}, at = {{0, 0, 0}}, spin = {{0, 0, 0}}, size = {{3, 3, 3}};
        end.x[along] = 0.5;
        at.x[up] = 0.15;
        spin.x[axis] = 60;
        size.x[up] = 0.005;
        const iso_shape3_def rod = iso_shape3_def_capsule(fix3(-end.x[0], -end.x[1], -end.x[2]),
                                                          fix3(end.x[0], end.x[1], end.x[2]), fix(0.02));
        const iso_shape3_def floor = box3(size.x[0], size.x[1], size.x[2]);
        const vector below = {{up == 0 ? -0.005 : 0, up == 1 ? -0.005 : 0, up == 2 ? -0.005 : 0}};
        shape3_add(world,
                   body3_add(world, ISO_BODY_STATIC, wide3(below.x[0], below.x[1], below.x[2]), iso_quat_identity()),
                   &floor);
        const iso_body_id body =
            body3_add(world, ISO_BODY_DYNAMIC, wide3(at.x[0], at.x[1], at.x[2]), iso_quat_identity());
        shape3_add(world, body, &rod);
        body3_set_velocity(world, body, (vector){{0, 0, 0}}, spin);
        world_steps(world, 1);
        const matrix R = matrix_of(view3(world, body).rotation);
        const double angle = acos((R.m[0][0] + R.m[1][1] + R.m[2][2] - 1) / 2), meets = asin(0.13 / 0.5);
        EXPECT(angle > meets - 1e-4 && angle < meets + 6e-3, "axis %d: it turns by %g, its tip meets at %g", axis,
               angle, meets);
        EXPECT_NEAR(length(vector_of(view3(world, body).angular_velocity)), 60, 1e-3, "its spin stays");
        world_free(world);
    }
}

/// What begins deep in a wall and is faster than the most that a contact takes, 400 m/s, keeps its middle before the
/// wall and goes on along it.
static void test_what_begins_deep_in_a_wall_goes_along_it(void **state) {
    (void)state;
    iso_world *world = space_make();
    iso_shape3_def wall = box3(30, 0.005, 30), ball = iso_shape3_def_sphere(fix(0.1));
    wall.friction = ball.friction = 0;
    const double c = sqrt((1 + 1 / sqrt(3)) / 2), s = sqrt(1 - c * c) / sqrt(2); // takes y to (1, 1, 1)
    const iso_quat turn = iso_quat_normalize(
        (iso_quat){(int32_t)lround(ldexp(s, 29)), 0, (int32_t)lround(ldexp(-s, 29)), (int32_t)lround(ldexp(c, 29))});
    const vector n = {{1 / sqrt(3), 1 / sqrt(3), 1 / sqrt(3)}}, along = {{sqrt(0.5), -sqrt(0.5), 0}};
    shape3_add(world, body3_add(world, ISO_BODY_STATIC, wide3(0, 0, 0), turn), &wall);
    const vector at = sum((vector){{0, 0, 0}}, 0.02, n);
    const iso_body_id body = body3_add(world, ISO_BODY_DYNAMIC, wide3(at.x[0], at.x[1], at.x[2]), iso_quat_identity());
    shape3_add(world, body, &ball);
    body3_set_velocity(world, body, sum(sum((vector){{0, 0, 0}}, -650, n), 30, along), (vector){{0, 0, 0}});
    world_steps(world, 1);
    const iso_body3_view view = view3(world, body);
    const vector place = vector_of(view.position), velocity = vector_of(view.velocity);
    EXPECT(dot(place, n) > 0.005, "it is %g m from the wall's middle", dot(place, n));
    EXPECT_NEAR(dot(place, along), 0.5, 1e-3, "way along the wall");
    EXPECT_NEAR(dot(velocity, along), 30, 1e-3, "velocity along the wall");
    EXPECT_NEAR(dot(velocity, n), 0, 1e-3, "velocity into the wall");
    world_free(world);
}

// ---- what passes ---------------------------------------------------------------------------------

typedef struct flight {
    iso_shape3_def shape;
    vector at, velocity, spin;
    iso_quat turn;
} flight;

/// The flight with a wall that it does not touch, and without.
static void flight_compare(const flight *is, const iso_shape3_def *wall, double wall_y, const char *name, int number) {
    iso_body3_view ends[2];
    for (int n = 0; n < 2; ++n) {
        iso_world_def def = space_def();
        def.speculative_distance = 0; // what is only near has no contact
        iso_world *world = world_make(&def);
        const iso_body_id body =
            body3_add(world, ISO_BODY_DYNAMIC, wide3(is->at.x[0], is->at.x[1], is->at.x[2]), is->turn);
        shape3_add(world, body, &is->shape);
        body_shoot(world, body, is->velocity, is->spin);
        if (n == 0) {
            shape3_add(world, body3_add(world, ISO_BODY_STATIC, wide3(0, wall_y, 0), iso_quat_identity()), wall);
        }
        world_steps(world, 10);
        memset(&ends[n], 0, sizeof ends[n]);
        ends[n].position = view3(world, body).position;
        ends[n].velocity = view3(world, body).velocity;
        ends[n].rotation = view3(world, body).rotation;
        ends[n].angular_momentum = view3(world, body).angular_momentum;
        world_free(world);
    }
    EXPECT(memcmp(&ends[0], &ends[1], sizeof ends[0]) == 0, "%s %d: x %.9g instead of %.9g", name, number,
           from_wide(ends[0].position.x), from_wide(ends[1].position.x));
}

/// Along a wall, a tenth of a millimetre away, and past its end.
static void test_grazing_passes_lose_nothing(void **state) {
    (void)state;
    rng random = {19};
    for (int n = 0; n < 200; ++n) {
        flight is = {.shape = shot_shape(&random), .turn = rng_quat(&random), .spin = rng_vector(&random, 100)};
        iso_world *world = space_make();
        const iso_body_id body = body3_of(world, &is.shape);
        const iso__space *space = space_of(world);
        const double extent = ldexp(space->body_derived[body.index].extent, -24);
        const vector off = vector_of(view3(world, body).centre); // the origin turns about it
        world_free(world);
        is.at = (vector){{rng_range(&random, -8, -1), extent + length(off) + 1e-4, 0}};
        is.velocity = (vector){{rng_range(&random, 5, 399), 0, rng_range(&random, -20, 20)}};
        const iso_shape3_def along = box3(40, 0.005, 40), end = box3(0.005, 3, 40);
        const iso_shape3_def floor = iso_shape3_def_plane(fix3(0, 1, 0), 0);
        if (length(off) > 0) { // where the centre of mass is, whatever the origin does
            is.at.x[1] += length(off);
        }
        flight_compare(&is, &along, -0.005, "along", n);
        flight_compare(&is, &floor, 0, "over a half-space", n);
        flight_compare(&is, &end, -3, "past the end", n);
        is.shape = box3(0.1, 0.1, 0.1);
        is.spin = (vector){{0, 0, 0}};
        is.turn = iso_quat_identity();
        is.at.x[1] = 0.1 + 2.0 / 65536;
        flight_compare(&is, &along, -0.005, "a box along", n);
    }
}

/// A ball that slides fast over a floor of many pieces goes as far as on one.
static void test_sliding_is_no_impact(void **state) {
    (void)state;
    double ways[2];
    for (int pieces = 0; pieces < 2; ++pieces) {
        iso_world_def def = space_def();
        def.gravity = (iso_vec2){0, fix(-GRAVITY)};
        iso_world *world = world_make(&def);
        iso_shape3_def ground = box3(pieces ? 2 : 50, 0.5, 2), ball = iso_shape3_def_sphere(fix(0.1));
        ground.friction = 0;
        for (int i = 0; i < (pieces ? 25 : 1); ++i) {
            shape3_add(world,
                       body3_add(world, ISO_BODY_STATIC, wide3(pieces ? -48 + 4 * i : 0, -0.5, 0), iso_quat_identity()),
                       &ground);
        }
        const iso_body_id body = body3_add(world, ISO_BODY_DYNAMIC, wide3(-45, 0.1, 0), iso_quat_identity());
        shape3_add(world, body, &ball);
        body3_set_velocity(world, body, (vector){{60, 0, 0}}, (vector){{0, 0, 0}});
        world_steps(world, 80);
        ways[pieces] = from_wide(view3(world, body).position.x) + 45;
        world_free(world);
    }
    EXPECT_NEAR(ways[0], 80, 0.01, "one piece");
    EXPECT_NEAR(ways[1], 80, 0.01, "many pieces");
}

/// A ball swings through the post that it hangs from: its joint keeps them from colliding.
static void test_joined_bodies_pass(void **state) {
    (void)state;
    iso_world *world = space_make();
    const iso_shape3_def post = box3(0.005, 2, 2), ball = iso_shape3_def_sphere(fix(0.05));
    const iso_body_id a = body3_add(world, ISO_BODY_STATIC, wide3(0, 0, 0), iso_quat_identity());
    const iso_body_id b = body3_add(world, ISO_BODY_DYNAMIC, wide3(-1, -1, 0), iso_quat_identity());
    shape3_add(world, a, &post);
    shape3_add(world, b, &ball);
    iso_joint3_def joint = iso_joint3_def_default(ISO_JOINT3_BALL);
    iso_joint_id id;
    joint.body_a = a;
    joint.body_b = b;
    joint.frame_b.anchor = fix3(1, 1, 0);
    EXPECT_STATUS(iso_joint3_create(world, &joint, &id), ISO_OK);
    body3_set_velocity(world, b, (vector){{20, -20, 0}}, (vector){{0, 0, 20}});
    world_steps(world, 6);
    EXPECT(from_wide(view3(world, b).centre.x) > 0.5, "it hangs at %g", from_wide(view3(world, b).centre.x));
    world_free(world);
}

// ---- bullets -------------------------------------------------------------------------------------

typedef struct duel {
    iso_body3_view bullet, target;
} duel;

static iso_body3_params params_of(bool is_bullet) {
    iso_body3_params params = iso_body3_params_default();
    params.bullet = is_bullet;
    return params;
}

/// A ball of 10 cm at 300 m/s, and a plate of 2 cm that stands 10 m away or comes along.
static duel duel_run(bool is_bullet, iso_body_type type, double target_speed, bool target_is_bullet, double start) {
    iso_world *world = space_make();
    const iso_shape3_def ball = iso_shape3_def_sphere(fix(0.05)), plate = box3(0.01, 0.5, 0.5);
    const iso_body_id a = body3_add(world, ISO_BODY_DYNAMIC, wide3(-10 + start, 0, 0), iso_quat_identity());
    const iso_body_id b = body3_add(world, type, wide3(0, 0, 0), iso_quat_identity());
    const iso_body3_params of_a = params_of(is_bullet), of_b = params_of(target_is_bullet);
    shape3_add(world, a, &ball);
    shape3_add(world, b, &plate);
    EXPECT_STATUS(iso_body3_set_params(world, a, &of_a), ISO_OK);
    EXPECT_STATUS(iso_body3_set_params(world, b, &of_b), ISO_OK);
    body3_set_velocity(world, a, (vector){{300, 0, 0}}, (vector){{0, 0, 0}});
    if (target_speed != 0) {
        body3_set_velocity(world, b, (vector){{target_speed, 0, 0}}, (vector){{0, 0, 0}});
    }
    world_steps(world, 6);
    const duel is = {view3(world, a), view3(world, b)};
    world_free(world);
    return is;
}

static void test_bullets_meet_bodies_of_every_type(void **state) {
    (void)state;
    int passed = 0;
    for (int n = 0; n < 20; ++n) {
        const double start = 0.25 * n;
        const duel dynamic = duel_run(true, ISO_BODY_DYNAMIC, 0, false, start);
        EXPECT(from_wide(dynamic.target.velocity.x) > 5 && dynamic.bullet.position.x < dynamic.target.position.x,
               "start %g: the plate has %g m/s", start, from_wide(dynamic.target.velocity.x));
        const duel kinematic = duel_run(true, ISO_BODY_KINEMATIC, 0, false, start);
        EXPECT(kinematic.bullet.position.x < 0, "start %g: it passed to %g", start,
               from_wide(kinematic.bullet.position.x));
        const duel opposite = duel_run(true, ISO_BODY_DYNAMIC, -300, true, start);
        EXPECT(opposite.bullet.position.x < opposite.target.position.x, "start %g: both passed", start);
        passed += duel_run(false, ISO_BODY_DYNAMIC, 0, false, start).target.velocity.x == 0;
    }
    EXPECT(passed > 10, "%d of 20 balls that are no bullets passed", passed);
}

/// A body that a bullet meets on its own way stops there, too: at 300 m/s from -3 m, and at -100 m/s from 0.
static void test_bullets_stop_what_they_meet(void **state) {
    (void)state;
    iso_world *world = space_make();
    const iso_shape3_def ball = iso_shape3_def_sphere(fix(0.05)), plate = box3(0.01, 0.5, 0.5);
    const iso_body_id a = body3_add(world, ISO_BODY_DYNAMIC, wide3(-3, 0, 0), iso_quat_identity());
    const iso_body_id b = body3_of(world, &plate);
    const iso_body3_params params = params_of(true);
    shape3_add(world, a, &ball);
    EXPECT_STATUS(iso_body3_set_params(world, a, &params), ISO_OK);
    body3_set_velocity(world, a, (vector){{300, 0, 0}}, (vector){{0, 0, 0}});
    body3_set_velocity(world, b, (vector){{-100, 0, 0}}, (vector){{0, 0, 0}});
    world_steps(world, 1);
    const double share = 2.94 / (400.0 / 60), x = from_wide(view3(world, a).position.x);
    EXPECT_NEAR(x, -3 + 5 * share, 5e-3, "the bullet");
    EXPECT_NEAR(from_wide(view3(world, b).position.x), -100.0 / 60 * share, 5e-3, "the plate");
    EXPECT(from_wide(view3(world, b).position.x) - x < 0.06, "%g apart", from_wide(view3(world, b).position.x) - x);
    world_free(world);
}

/// What sleeps is met, too, and wakes.
static void test_bullets_wake_what_they_meet(void **state) {
    (void)state;
    iso_world_def def = space_def();
    def.sleep_speed = fix(0.05);
    iso_world *world = world_make(&def);
    const iso_shape3_def ball = iso_shape3_def_sphere(fix(0.05)), plate = box3(0.01, 0.5, 0.5);
    const iso_body_id target = body3_of(world, &plate);
    world_steps(world, 120);
    assert_false(iso_body_is_awake(world, target));
    const iso_body_id bullet = body3_add(world, ISO_BODY_DYNAMIC, wide3(-9, 0, 0), iso_quat_identity());
    const iso_body3_params params = params_of(true);
    shape3_add(world, bullet, &ball);
    EXPECT_STATUS(iso_body3_set_params(world, bullet, &params), ISO_OK);
    body3_set_velocity(world, bullet, (vector){{300, 0, 0}}, (vector){{0, 0, 0}});
    world_steps(world, 4);
    EXPECT(iso_body_is_awake(world, target) && from_wide(view3(world, target).velocity.x) > 5, "it sleeps on");
    world_free(world);
}

/// Bullets among each other and between walls that are not static: what is pressed into another goes on, too.
static void test_no_bullet_stays_with_a_velocity(void **state) {
    (void)state;
    for (int n = 0; n < 3; ++n) {
        rng random = {(uint64_t)(41 + n)};
        iso_world *world = space_make();
        iso_body_id bodies[BULLETS];
        stay stays[BULLETS] = {0};
        const iso_body3_params params = params_of(true);
        for (int i = 0; i < 6; ++i) {
            const double side = i % 2 ? 3.1 : -3.1;
            const iso_shape3_def wall = box3(i / 2 == 0 ? 0.1 : 4, i / 2 == 1 ? 0.1 : 4, i / 2 == 2 ? 0.1 : 4);
            shape3_add(world,
                       body3_add(world, ISO_BODY_KINEMATIC,
                                 wide3(i / 2 == 0 ? side : 0, i / 2 == 1 ? side : 0, i / 2 == 2 ? side : 0),
                                 iso_quat_identity()),
                       &wall);
        }
        for (int i = 0; i < BULLETS; ++i) {
            iso_shape3_def shape = shot_shape(&random);
            shape.filter.group = 0;
            const vector at = rng_vector(&random, 2.3);
            bodies[i] = body3_add(world, ISO_BODY_DYNAMIC, wide3(at.x[0], at.x[1], at.x[2]), rng_quat(&random));
            shape3_add(world, bodies[i], &shape);
            EXPECT_STATUS(iso_body3_set_params(world, bodies[i], &params), ISO_OK);
            body_shoot(world, bodies[i], rng_vector(&random, 100), rng_vector(&random, 50));
        }
        for (int t = 0; t < 120; ++t) {
            world_steps(world, 1);
            for (int i = 0; i < BULLETS; ++i) {
                stay_note(&stays[i], world, bodies[i]);
            }
        }
        for (int i = 0; i < BULLETS; ++i) {
            EXPECT(stays[i].longest <= 2, "world %d, bullet %d: for %d ticks its velocity moves it nowhere", n, i,
                   stays[i].longest);
        }
        world_free(world);
    }
}

/// The same ways with caches dropped between, and after an image and a snapshot.
static void test_caches_decide_nothing(void **state) {
    (void)state;
    uint64_t roots[3];
    for (int n = 0; n < 3; ++n) {
        rng random = {23};
        iso_world_def def = space_def();
        def.gravity = (iso_vec2){0, fix(-GRAVITY)};
        iso_world *world = world_make(&def), *other = world_make(&def);
        const iso_shape3_def wall = box3(0.6, 0.005, 0.6);
        for (int i = 0; i < 60; ++i) {
            const vector at = rng_vector(&random, 3);
            const bool is_wall = i < 30;
            const iso_body_id body = body3_add(world, is_wall ? ISO_BODY_STATIC : ISO_BODY_DYNAMIC,
                                               wide3(at.x[0], at.x[1], at.x[2]), rng_quat(&random));
            const iso_shape3_def shape = shot_shape(&random);
            const iso_body3_params params = params_of(i % 2);
            shape3_add(world, body, is_wall ? &wall : &shape);
            EXPECT_STATUS(iso_body3_set_params(world, body, &params), ISO_OK);
            if (!is_wall) {
                body_shoot(world, body, rng_vector(&random, 100), rng_vector(&random, 30));
            }
        }
        for (int t = 0; t < 60; ++t) {
            if (n == 1) {
                iso_world_drop_caches(world);
            } else if (n == 2 && t % 7 == 3) {
                const size_t size = t % 2 ? iso_world_image_size(world) : iso_snapshot_size(world);
                uint8_t *bytes = malloc(size);
                if (t % 2) {
                    assert_int_equal(iso_world_save(world, bytes, size), size);
                    EXPECT_STATUS(iso_world_restore(other, bytes, size), ISO_OK);
                } else {
                    assert_int_equal(iso_snapshot_encode(world, bytes, size), size);
                    EXPECT_STATUS(iso_snapshot_decode(other, bytes, size), ISO_OK);
                }
                iso_world *const swap = world;
                world = other;
                other = swap;
                free(bytes);
            }
            world_steps(world, 1);
        }
        roots[n] = iso_world_root(world);
        world_free(world);
        world_free(other);
    }
    assert_true(roots[0] == roots[1] && roots[0] == roots[2]);
}

/// A snapshot of it is read.
static void expect_possible(const iso_world *world, iso_world *other, int tick) {
    const size_t size = iso_snapshot_size(world);
    uint8_t *bytes = malloc(size);
    assert_int_equal(iso_snapshot_encode(world, bytes, size), size);
    const iso_status status = iso_snapshot_decode(other, bytes, size);
    EXPECT(status == ISO_OK, "tick %d: %s", tick, iso_status_name(status));
    free(bytes);
}

/// Thin rods that spin in all directions meet a wall: put back on their way, they spin no faster than a body may.
static void test_thin_rods_keep_their_spin(void **state) {
    (void)state;
    for (int n = 0; n < 4; ++n) {
        rng random = {(uint64_t)(71 + n)};
        iso_world *world = space_make(), *other = space_make();
        const iso_shape3_def wall = box3(0.05, 20, 20), rod = box3(0.4, 0.01, 0.015);
        shape3_add(world, body3_add(world, ISO_BODY_STATIC, wide3(0, 0, 0), iso_quat_identity()), &wall);
        for (int i = 0; i < 20; ++i) {
            const iso_body_id body = body3_add(world, ISO_BODY_DYNAMIC, wide3(-1.5, i - 10, 0), iso_quat_identity());
            shape3_add(world, body, &rod);
            body_shoot(world, body, (vector){{25 + 15 * rng_range(&random, -1, 1), 0, 0}}, rng_vector(&random, 10));
        }
        for (int t = 0; t < 30; ++t) {
            world_steps(world, 1);
            expect_possible(world, other, t);
        }
        world_free(world);
        world_free(other);
    }
}

/// A heap of fast bullets in one place ends its sweeps in time; the last bullet that began may finish.
static void test_a_heap_of_bullets_is_swept_within_bounds(void **state) {
    (void)state;
    rng random = {91};
    iso_world_def def = space_def();
    def.body_capacity = def.shape_capacity = 256;
    iso_world *world = world_make(&def);
    const iso_shape3_def ball = iso_shape3_def_sphere(fix(0.1));
    const iso_body3_params params = params_of(true);
    for (int i = 0; i < 200; ++i) {
        const vector at = rng_vector(&random, 0.5);
        const iso_body_id body =
            body3_add(world, ISO_BODY_DYNAMIC, wide3(at.x[0], at.x[1], at.x[2]), rng_quat(&random));
        shape3_add(world, body, &ball);
        EXPECT_STATUS(iso_body3_set_params(world, body, &params), ISO_OK);
        body_shoot(world, body, rng_vector(&random, 100), (vector){{0, 0, 0}});
    }
    world_steps(world, 1);
    const uint32_t sweeps = iso__space_of(world)->scratch->sweep_count;
    EXPECT(sweeps > 2000 && sweeps < 2048 + 5 * 200, "%u sweeps", sweeps);
    world_free(world);
}

/// By the border of the world what moves pushes bullets, not out of it.
static void test_bullets_stay_in_the_world(void **state) {
    (void)state;
    rng random = {83};
    for (int n = 0; n < 300; ++n) {
        iso_world *world = space_make(), *other = space_make();
        const iso_shape3_def block = box3(1, 1, 1), ball = iso_shape3_def_sphere(fix(0.2));
        const iso_body3_params params = params_of(true);
        const double edge = ISO_POSITION_MAX_M;
        const iso_body_id push = body3_add(world, n % 2 ? ISO_BODY_KINEMATIC : ISO_BODY_DYNAMIC,
                                           wide3(edge - 10 * rng_range(&random, 0, 1), 0, 0), iso_quat_identity());
        shape3_add(world, push, &block);
        body3_set_velocity(world, push, (vector){{400 * rng_range(&random, 0, 1), 0, 0}}, (vector){{0, 0, 0}});
        const iso_body_id bullet =
            body3_add(world, ISO_BODY_DYNAMIC,
                      wide3(edge - 10 * rng_range(&random, 0, 1), rng_range(&random, -1, 1), 0), iso_quat_identity());
        shape3_add(world, bullet, &ball);
        EXPECT_STATUS(iso_body3_set_params(world, bullet, &params), ISO_OK);
        body3_set_velocity(world, bullet, rng_vector(&random, 400), (vector){{0, 0, 0}});
        for (int t = 0; t < 6; ++t) {
            world_steps(world, 1);
            expect_possible(world, other, t);
        }
        world_free(world);
        world_free(other);
    }
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_shot_passes_a_wall),
        cmocka_unit_test(test_falling_box_stops_at_a_thin_floor),
        cmocka_unit_test(test_what_meets_a_wall_keeps_its_velocity_for_a_tick),
        cmocka_unit_test(test_what_turns_into_a_wall_stops),
        cmocka_unit_test(test_what_begins_deep_in_a_wall_goes_along_it),
        cmocka_unit_test(test_grazing_passes_lose_nothing),
        cmocka_unit_test(test_sliding_is_no_impact),
        cmocka_unit_test(test_joined_bodies_pass),
        cmocka_unit_test(test_bullets_meet_bodies_of_every_type),
        cmocka_unit_test(test_bullets_stop_what_they_meet),
        cmocka_unit_test(test_bullets_wake_what_they_meet),
        cmocka_unit_test(test_no_bullet_stays_with_a_velocity),
        cmocka_unit_test(test_caches_decide_nothing),
        cmocka_unit_test(test_thin_rods_keep_their_spin),
        cmocka_unit_test(test_a_heap_of_bullets_is_swept_within_bounds),
        cmocka_unit_test(test_bullets_stay_in_the_world),
    };
    if (argc == 3 && strcmp(argv[1], "--shots") == 0) {
        shot_count = atoi(argv[2]);
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
