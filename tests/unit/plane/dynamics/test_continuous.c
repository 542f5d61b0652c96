/// Continuous collision: fast bodies do not pass walls, and what passes a wall closely loses nothing.
///
/// test_continuous [--shots N]    N random shots at a wall and as many of polygons, 4,000 by default
#include "unit/world/physics_util.h"

#include "plane/dynamics/way_disc.h"

#define GRAVITY 10.0

static int shot_count = 4000, drop_angles = 20;

// ---- shots at a wall -----------------------------------------------------------------------------

#define BULLETS 30
#define VOLLEY  100 // shots at a time, which do not meet each other

static iso_shape_def shot_shape(rng *random) {
    const double size = rng_range(random, 0.02, 0.4);
    iso_shape_def shape = shape_circle(size);
    switch (rng_below(random, 4)) {
    case 0:
        break;
    case 1:
        shape = shape_box(size, size * rng_range(random, 0.2, 1));
        break;
    case 2:
        shape = shape_capsule(-size / 2, 0, size / 2, 0, size * rng_range(random, 0.2, 1));
        break;
    default:
        shape = shape_capsule(-size / 2, 0, size / 2, 0, size * rng_range(random, 0.2, 0.6));
        shape.radius_b = fix(size * rng_range(random, 0.2, 0.6));
        break;
    }
    shape.filter.group = -1;
    shape.restitution = fix(rng_below(random, 2) ? rng_range(random, 0, 1) : 0);
    shape.friction = fix(rng_range(random, 0, 1));
    return shape;
}

/// A wall of 1 cm through the origin, shot at from the side of its normal. @return the smallest distance of a centre
/// from its middle plane
static double volley_run(rng *random, int number) {
    iso_world *world = world_make_small(0);
    const double angle = rng_range(random, -3, 3), nx = -sin(angle), ny = cos(angle);
    iso_shape_def wall = shape_box(58, 0.005);
    iso_body_id shots[VOLLEY];
    double nearest = 100;
    body_add_shape(world, ISO_BODY_STATIC, 0, 0, angle, &wall);
    for (int i = 0; i < VOLLEY; ++i) {
        const iso_shape_def shape = shot_shape(random);
        const double away = rng_range(random, 0.9, 12), along = rng_range(random, -20, 20);
        const double speed = rng_range(random, 5, 500), turn = rng_range(random, 0.05, PI - 0.05);
        const double c = cos(turn), s = sin(turn);
        shots[i] = body_add_shape(world, ISO_BODY_DYNAMIC, nx * away + ny * along, ny * away - nx * along,
                                  rng_range(random, -3, 3), &shape);
        body_set_velocity(world, shots[i], speed * (c * ny - s * nx), speed * (-c * nx - s * ny),
                          rng_range(random, -150, 150));
    }
    for (int t = 0; t < 40; ++t) {
        world_steps(world, 1);
        for (int i = 0; i < VOLLEY; ++i) {
            // The origin is the middle, of which a tapered capsule's centre of mass is to one side.
            const iso_vec2_wide at = body_view(world, shots[i]).position;
            const double x = from_wide(at.x), y = from_wide(at.y), distance = x * nx + y * ny;
            if (fabs(x * ny - y * nx) < 57) { // not yet beyond an end of the wall
                nearest = fmin(nearest, distance);
                EXPECT(distance > 0, "volley %d, shot %d, tick %d: %g m behind the wall", number, i, t, -distance);
            }
        }
    }
    world_free(world);
    return nearest;
}

static void test_no_shot_passes_a_wall(void **state) {
    (void)state;
    rng random = {7};
    double nearest = 100;
    for (int n = 0; n < (shot_count + VOLLEY - 1) / VOLLEY; ++n) {
        nearest = fmin(nearest, volley_run(&random, n));
    }
    print_message("%d shots, the nearest centre %.4f m from the wall's middle\n", shot_count, nearest);
}

// ---- polygons ------------------------------------------------------------------------------------

#define POLYGON_KINDS 7

/// Convex corners, counter-clockwise, moved so that their mean is the origin.
static iso_shape_def polygon_of(double corners[][2], uint32_t count, double rounding) {
    iso_shape_def def = iso_shape_def_default();
    double mean[2] = {0, 0};
    for (uint32_t i = 0; i < count; ++i) {
        mean[0] += corners[i][0] / count;
        mean[1] += corners[i][1] / count;
    }
    def.kind = ISO_SHAPE_POLYGON;
    def.point_count = (uint8_t)count;
    def.radius = fix(rounding);
    def.filter.group = -1;
    for (uint32_t i = 0; i < count; ++i) {
        def.points[i] = (iso_vec2){fix(corners[i][0] - mean[0]), fix(corners[i][1] - mean[1])};
    }
    return def;
}

/// Triangles, a trapezium, and shapes whose middle is far from half of their height.
static iso_shape_def polygon_of_kind(uint32_t kind, double size, double rounding) {
    switch (kind) {
    case 0: // isosceles
        return polygon_of((double[][2]){{-size, -size}, {size, -size}, {0, size}}, 3, rounding);
    case 1: // equilateral
        return polygon_of((double[][2]){{-size, 0}, {size, 0}, {0, 1.732 * size}}, 3, rounding);
    case 2: // right
        return polygon_of((double[][2]){{0, 0}, {2 * size, 0}, {0, 2 * size}}, 3, rounding);
    case 3: // slim
        return polygon_of((double[][2]){{-2 * size, 0}, {2 * size, 0}, {0, size * 0.5}}, 3, rounding);
    case 4: // a needle, with all of its weight at one end
        return polygon_of((double[][2]){{0, 0}, {3 * size, -size * 0.25}, {3 * size, size * 0.25}}, 3, rounding);
    case 5: // trapezium
        return polygon_of(
            (double[][2]){{-1.5 * size, 0}, {1.5 * size, 0}, {0.3 * size, 2 * size}, {-0.3 * size, 2 * size}}, 4,
            rounding);
    default: // a drop: all corners but one are at one end
        return polygon_of(
            (double[][2]){
                {-2 * size, 0}, {0, -0.4 * size}, {0.3 * size, -0.2 * size}, {0.3 * size, 0.2 * size}, {0, 0.4 * size}},
            5, rounding);
    }
}

/// How often in a row a body has stayed where it was though it has a velocity.
typedef struct stay {
    pose at;
    int ticks, longest;
} stay;

static void stay_note(stay *is, const pose *at) {
    const bool stays = hypot(at->x - is->at.x, at->y - is->at.y) < 1e-5 && hypot(at->vx, at->vy) > 0.5;
    is->ticks = stays ? is->ticks + 1 : 0;
    is->longest = is->ticks > is->longest ? is->ticks : is->longest;
    is->at = *at;
}

/// What is dropped onto a floor through the origin or shot at it, from the side of its normal.
typedef struct fall {
    iso_shape_def shape;
    double x, y, angle, vx, vy, w;
} fall;

/// @param half  [m] of the floor's thickness  @return the smallest distance of a centre from the floor's middle plane
static double falls_run(const fall *falls, int count, double half, double gravity, int ticks, const char *name,
                        int number) {
    iso_world *world = world_make_small(-gravity);
    const iso_shape_def ground = shape_box(58, half);
    iso_body_id bodies[VOLLEY];
    stay stays[VOLLEY] = {0};
    double nearest = 100;
    body_add_shape(world, ISO_BODY_STATIC, 0, 0, 0, &ground);
    for (int i = 0; i < count; ++i) {
        const fall *is = &falls[i];
        bodies[i] = body_add_shape(world, ISO_BODY_DYNAMIC, is->x, is->y, is->angle, &is->shape);
        body_set_velocity(world, bodies[i], is->vx, is->vy, is->w);
        stays[i].at = body_pose(world, bodies[i]);
    }
    for (int t = 0; t < ticks; ++t) {
        world_steps(world, 1);
        for (int i = 0; i < count; ++i) {
            const pose at = body_pose(world, bodies[i]);
            stay_note(&stays[i], &at);
            if (fabs(at.x) < 56) { // not yet beyond an end of the floor
                nearest = fmin(nearest, at.y);
                EXPECT(at.y > 0, "%s %d, body %d, tick %d: %g m behind the floor, angle %g vx %g vy %g w %g", name,
                       number, i, t, -at.y, falls[i].angle, falls[i].vx, falls[i].vy, falls[i].w);
            }
        }
    }
    for (int i = 0; i < count; ++i) {
        EXPECT(stays[i].longest <= 2, "%s %d, body %d: for %d ticks its velocity moves it nowhere", name, number, i,
               stays[i].longest);
    }
    world_free(world);
    return nearest;
}

static void test_no_polygon_falls_through_a_floor(void **state) {
    (void)state;
    const double speeds[] = {0, 2, 4, 6, 10, 14, 20, 30};
    fall falls[VOLLEY];
    int count = 0, number = 0;
    for (uint32_t kind = 0; kind < POLYGON_KINDS; ++kind) {
        for (int i = 0; i < drop_angles * 8; ++i) {
            falls[count] = (fall){.shape = polygon_of_kind(kind, 0.1, 0),
                                  .y = 3,
                                  .angle = 2 * PI * (i / 8) / drop_angles,
                                  .vy = -speeds[i % 8]};
            if (++count == VOLLEY) {
                falls_run(falls, count, 0.005, GRAVITY, 120, "drop", number++);
                count = 0;
            }
        }
    }
    falls_run(falls, count, 0.005, GRAVITY, 120, "drop", number);
}

static fall fall_random(rng *random) {
    const double size = rng_range(random, 0.02, 0.4), rounding = size * rng_range(random, -0.3, 0.3);
    const double speed = 0.5 * exp(rng_range(random, 0, log(1000))), turn = rng_range(random, 0.05, PI - 0.05);
    const double spin = exp(rng_range(random, 0, log(150)));
    fall is = {.shape = polygon_of_kind(rng_below(random, POLYGON_KINDS), size, fmax(rounding, 0)),
               .x = rng_range(random, -20, 20),
               .y = 3.1 * size + rng_range(random, 0.1, 8),
               .angle = rng_range(random, -3, 3),
               .vx = speed * cos(turn),
               .vy = -speed * sin(turn),
               .w = rng_below(random, 2) ? spin : -spin};
    is.shape.restitution = fix(rng_below(random, 2) ? rng_range(random, 0, 1) : 0);
    is.shape.friction = fix(rng_range(random, 0, 1));
    return is;
}

static void test_no_polygon_is_shot_through_a_wall(void **state) {
    (void)state;
    rng random = {29};
    double nearest = 100;
    for (int n = 0; n < (shot_count + VOLLEY - 1) / VOLLEY; ++n) {
        fall falls[VOLLEY];
        for (int i = 0; i < VOLLEY; ++i) {
            falls[i] = fall_random(&random);
        }
        nearest = fmin(nearest, falls_run(falls, VOLLEY, 0.005, n % 2 ? GRAVITY : 0, 60, "volley", n));
    }
    print_message("%d polygons, the nearest centre %.4f m from the wall's middle\n", shot_count, nearest);
}

/// 10 m of fall, a floor of 10 cm.
static void test_falling_box_stops_at_a_thin_floor(void **state) {
    (void)state;
    for (int n = 0; n < 20; ++n) {
        iso_world *world = world_make_small(-GRAVITY);
        const iso_shape_def ground = shape_box(5, 0.05), box = shape_box(0.1, 0.1);
        body_add_shape(world, ISO_BODY_STATIC, 0, -0.05, 0, &ground);
        const iso_body_id body = body_add_shape(world, ISO_BODY_DYNAMIC, 0, 10 + 0.02 * n, 0, &box);
        world_steps(world, 180);
        const pose at = body_pose(world, body);
        EXPECT_NEAR(at.y, 0.1, 2e-3, "box %d", n);
        EXPECT_NEAR(at.vy, 0, 1e-2, "speed of box %d", n);
        world_free(world);
    }
}

// ---- what passes ---------------------------------------------------------------------------------

typedef struct flight {
    iso_shape_def shape;
    double x, y, angle, vx, vy, w;
} flight;

/// The flight with a wall that it does not touch, and without.
static void flight_compare(const flight *is, const iso_shape_def *wall, double wall_y, const char *name, int number) {
    pose ends[2];
    for (int n = 0; n < 2; ++n) {
        iso_world_def def = world_def_small(0);
        def.speculative_distance = 0; // what is only near has no contact
        iso_world *world = world_make(&def);
        if (n == 0) {
            body_add_shape(world, ISO_BODY_STATIC, 0, wall_y, 0, wall);
        }
        const iso_body_id body = body_add_shape(world, ISO_BODY_DYNAMIC, is->x, is->y, is->angle, &is->shape);
        body_set_velocity(world, body, is->vx, is->vy, is->w);
        world_steps(world, 10);
        ends[n] = body_pose(world, body);
        world_free(world);
    }
    EXPECT(memcmp(&ends[0], &ends[1], sizeof ends[0]) == 0, "%s %d: %.9g %.9g instead of %.9g %.9g", name, number,
           ends[0].x, ends[0].y, ends[1].x, ends[1].y);
}

/// Along a wall, in touch with it up to a tenth of a millimetre away, and past its end.
static void test_grazing_passes_lose_nothing(void **state) {
    (void)state;
    rng random = {19};
    for (int n = 0; n < 400; ++n) {
        flight is = {.shape = shot_shape(&random), .x = rng_range(&random, -8, -1), .vx = rng_range(&random, 5, 500)};
        is.shape.radius_b = 0; // one that is tapered turns about a point to the side of its middle
        double reach = from_fix(is.shape.radius);
        for (uint32_t i = 0; i < is.shape.point_count && is.shape.kind != ISO_SHAPE_CIRCLE; ++i) {
            const double corner = hypot(from_fix(is.shape.points[i].x), from_fix(is.shape.points[i].y));
            reach = fmax(reach, corner + from_fix(is.shape.radius));
        }
        const iso_shape_def along = shape_box(50, 0.005), end = shape_box(0.005, 3);
        is.y = reach + 1e-4;
        is.w = is.shape.kind == ISO_SHAPE_CIRCLE ? rng_range(&random, -50, 50) : rng_range(&random, -150, 150);
        is.angle = rng_range(&random, -3, 3);
        flight_compare(&is, &along, -0.005, "along", n);
        flight_compare(&is, &end, -3, "past the end", n);
        is.shape = shape_box(0.1, 0.1);
        is.w = is.angle = 0;
        is.y = 0.1 + QUANTUM_FIX16;
        flight_compare(&is, &along, -0.005, "a box along", n);
    }
}

/// A box that slides fast over a floor of many pieces goes as far as on one.
static void test_sliding_is_no_impact(void **state) {
    (void)state;
    double ways[2];
    for (int pieces = 0; pieces < 2; ++pieces) {
        iso_world *world = world_make_small(-GRAVITY);
        iso_shape_def ground = pieces ? shape_box(2, 0.5) : shape_box(50, 0.5), ball = shape_circle(0.1);
        ground.friction = 0;
        for (int i = 0; i < (pieces ? 25 : 1); ++i) {
            body_add_shape(world, ISO_BODY_STATIC, pieces ? -48 + 4 * i : 0, -0.5, 0, &ground);
        }
        const iso_body_id body = body_add_shape(world, ISO_BODY_DYNAMIC, -45, 0.1, 0, &ball);
        body_set_velocity(world, body, 60, 0, 0);
        world_steps(world, 80);
        ways[pieces] = body_pose(world, body).x + 45;
        world_free(world);
    }
    EXPECT_NEAR(ways[0], 80, 0.01, "one piece");
    EXPECT_NEAR(ways[1], 80, 0.01, "many pieces");
}

/// A pendulum swings through the post that it hangs from: its joint keeps them from colliding.
static void test_joined_bodies_pass(void **state) {
    (void)state;
    iso_world *world = world_make_small(0);
    const iso_shape_def post = shape_box(0.005, 2), ball = shape_circle(0.05);
    const iso_body_id a = body_add_shape(world, ISO_BODY_STATIC, 0, 0, 0, &post);
    const iso_body_id b = body_add_shape(world, ISO_BODY_DYNAMIC, -1, -1, 0, &ball);
    iso_joint_def joint = iso_joint_def_default();
    iso_joint_id id;
    joint.kind = ISO_JOINT_DISTANCE;
    joint.body_a = a;
    joint.body_b = b;
    joint.rest = fix(sqrt(2));
    EXPECT_STATUS(iso_joint_create(world, &joint, &id), ISO_OK);
    body_set_velocity(world, b, 20, -20, 0);
    world_steps(world, 6);
    EXPECT(body_pose(world, b).x > 0.5, "it hangs at %g", body_pose(world, b).x);
    world_free(world);
}

// ---- bullets -------------------------------------------------------------------------------------

typedef struct duel {
    pose bullet, target;
} duel;

/// A ball of 10 cm at 300 m/s, and a plate of 2 cm that stands 10 m away or comes along.
static duel duel_run(bool is_bullet, iso_body_type type, double target_speed, bool target_is_bullet, double start) {
    iso_world *world = world_make_small(0);
    const iso_shape_def ball = shape_circle(0.05), plate = shape_box(0.01, 0.5);
    const iso_body_id a = body_add_shape(world, ISO_BODY_DYNAMIC, -10 + start, 0, 0, &ball);
    const iso_body_id b = body_add_shape(world, type, 0, 0, 0, &plate);
    iso_body_params params = iso_body_params_default();
    params.bullet = is_bullet;
    EXPECT_STATUS(iso_body_set_params(world, a, &params), ISO_OK);
    params.bullet = target_is_bullet;
    EXPECT_STATUS(iso_body_set_params(world, b, &params), ISO_OK);
    body_set_velocity(world, a, 300, 0, 0);
    if (target_speed != 0) {
        body_set_velocity(world, b, target_speed, 0, 0);
    }
    world_steps(world, 6);
    const duel is = {body_pose(world, a), body_pose(world, b)};
    world_free(world);
    return is;
}

static void test_bullets_meet_bodies_of_every_type(void **state) {
    (void)state;
    int passed = 0;
    for (int n = 0; n < 20; ++n) {
        const double start = 0.25 * n;
        const duel dynamic = duel_run(true, ISO_BODY_DYNAMIC, 0, false, start);
        EXPECT(dynamic.target.vx > 50 && dynamic.bullet.x < dynamic.target.x, "start %g: the plate has %g m/s", start,
               dynamic.target.vx);
        const duel kinematic = duel_run(true, ISO_BODY_KINEMATIC, 0, false, start);
        EXPECT(kinematic.bullet.x < 0, "start %g: it passed to %g", start, kinematic.bullet.x);
        const duel opposite = duel_run(true, ISO_BODY_DYNAMIC, -300, true, start);
        EXPECT(opposite.bullet.x < opposite.target.x, "start %g: both passed, %g and %g", start, opposite.bullet.x,
               opposite.target.x);
        passed += duel_run(false, ISO_BODY_DYNAMIC, 0, false, start).target.vx == 0;
    }
    EXPECT(passed > 10, "%d of 20 balls that are no bullets passed", passed);
}

/// What stops early is not met where it would have gone: the sweep alone, which knows only how fast the two come
/// together at most, was not sure of it and took it for a meeting.
static void test_bullets_pass_what_has_stopped(void **state) {
    (void)state;
    iso_world *world = world_make_small(0);
    const iso_shape_def ball = shape_circle(0.02), wall = shape_box(0.005, 0.02);
    body_add_shape(world, ISO_BODY_STATIC, 0.243, 2.827, -PI / 4, &wall);
    const iso_body_id target = body_add_shape(world, ISO_BODY_DYNAMIC, 0.104490, 2.973426, 0, &ball);
    const iso_body_id bullet = body_add_shape(world, ISO_BODY_DYNAMIC, 0.442529, 2.760596, 0, &ball);
    iso_body_params params = iso_body_params_default();
    params.bullet = true;
    EXPECT_STATUS(iso_body_set_params(world, bullet, &params), ISO_OK);
    body_set_velocity(world, target, 4.937884 * 60, -5.204135 * 60, 0);
    body_set_velocity(world, bullet, -0.373558 * 60, 0.029364 * 60, 0);
    world_steps(world, 1);
    const pose stopped = body_pose(world, target), passed = body_pose(world, bullet);
    EXPECT(fabs(stopped.x - 0.2136) < 0.02 && fabs(stopped.y - 2.8584) < 0.02, "the target is at %g, %g", stopped.x,
           stopped.y);
    EXPECT_NEAR(passed.x, 0.442529 - 0.373558, 1e-4, "the bullet's x");
    EXPECT_NEAR(passed.y, 2.760596 + 0.029364, 1e-4, "the bullet's y");
    world_free(world);
}

static iso__plane_way_disc disc_random(rng *random, double size) {
    return (iso__plane_way_disc){{wide(rng_range(random, -size, size)), wide(rng_range(random, -size, size))},
                                 {wide(rng_range(random, -size, size)), wide(rng_range(random, -size, size))},
                                 wide(rng_below(random, 3) == 0 ? 1 : rng_range(random, 0, 1)),
                                 wide(rng_range(random, 0, size / 4))};
}

static double disc_place(const iso__plane_way_disc *disc, int axis, double s) {
    return from_wide(disc->begin[axis]) + from_wide(disc->moved[axis]) * fmin(s, from_wide(disc->limit));
}

/// What is rejected before it is swept does not meet, and most of what does not meet is rejected.
static void test_rejected_ways_do_not_meet(void **state) {
    (void)state;
    static const double sizes[] = {0.001, 0.1, 8, 100};
    rng random = {11};
    int meet = 0, rejected = 0, kept = 0;
    for (int n = 0; n < 20000; ++n) {
        const double size = sizes[n % 4];
        const iso__plane_way_disc a = disc_random(&random, size), b = disc_random(&random, size);
        const iso__plane_box box_a = iso__plane_way_disc_box(&a), box_b = iso__plane_way_disc_box(&b);
        double nearest = 1e9;
        for (int i = 0; i <= 50; ++i) {
            const double s = from_wide(a.limit) * i / 50;
            const double x = disc_place(&b, 0, s) - disc_place(&a, 0, s);
            const double y = disc_place(&b, 1, s) - disc_place(&a, 1, s);
            nearest = fmin(nearest, hypot(x, y) - from_wide(a.reach) - from_wide(b.reach));
        }
        const bool may = iso__plane_box_overlaps(&box_a, &box_b) && iso__plane_way_discs_may_meet(&a, &b);
        EXPECT(may || nearest > 0, "case %d: rejected, and %g m deep", n, -nearest);
        meet += nearest <= 0;
        rejected += !may;
        kept += may && nearest > 0;
    }
    EXPECT(meet > 1000 && kept < rejected / 4, "%d meet, %d are rejected, %d are kept without meeting", meet, rejected,
           kept);
}

/// Bullets among each other and between walls that are not static: what is pressed into another goes on, too.
static void test_no_bullet_stays_with_a_velocity(void **state) {
    (void)state;
    for (int n = 0; n < 4; ++n) {
        rng random = {(uint64_t)(41 + n)};
        iso_world *world = world_make_small(0);
        const iso_shape_def wall = shape_box(6, 0.1);
        iso_body_id bodies[BULLETS];
        stay stays[BULLETS] = {0};
        iso_body_params params = iso_body_params_default();
        params.bullet = true;
        for (int i = 0; i < 4; ++i) {
            body_add_shape(world, ISO_BODY_KINEMATIC, i < 2 ? 6 * i - 3 : 0, i < 2 ? 0 : 6 * i - 15, i < 2 ? PI / 2 : 0,
                           &wall);
        }
        for (int i = 0; i < BULLETS; ++i) {
            iso_shape_def shape = i % 2 ? shot_shape(&random) : fall_random(&random).shape;
            shape.filter.group = 0;
            bodies[i] = body_add_shape(world, ISO_BODY_DYNAMIC, rng_range(&random, -2.5, 2.5),
                                       rng_range(&random, -2.5, 2.5), rng_range(&random, -3, 3), &shape);
            EXPECT_STATUS(iso_body_set_params(world, bodies[i], &params), ISO_OK);
            body_set_velocity(world, bodies[i], rng_range(&random, -100, 100), rng_range(&random, -100, 100),
                              rng_range(&random, -50, 50));
        }
        for (int t = 0; t < 120; ++t) {
            world_steps(world, 1);
            for (int i = 0; i < BULLETS; ++i) {
                const pose at = body_pose(world, bodies[i]);
                stay_note(&stays[i], &at);
            }
        }
        for (int i = 0; i < BULLETS; ++i) {
            EXPECT(stays[i].longest <= 2, "world %d, bullet %d: for %d ticks its velocity moves it nowhere", n, i,
                   stays[i].longest);
        }
        world_free(world);
    }
}

/// What happens to the walls: they are moved, become dynamic and static again, and are destroyed.
static void disturb_walls(iso_world *world, const iso_body_id *walls, int t) {
    const uint8_t types[] = {ISO_BODY_DYNAMIC, ISO_BODY_STATIC};
    for (int i = 0; i < 10; ++i) {
        if (t == 20) {
            const iso_vec2_wide place = {wide(0.5 * i - 3), wide(0.3 * i)};
            EXPECT_STATUS(iso_body_set_position(world, walls[i], place, wide(0.2 * i)), ISO_OK);
            EXPECT_STATUS(iso_body_destroy(world, walls[20 + i]), ISO_OK);
        } else if (t == 10 || t == 35) {
            EXPECT_STATUS(iso_body_set_type(world, walls[10 + i], types[t == 35]), ISO_OK);
        }
    }
}

/// The same ways whatever the order in which the trees were built, and with caches dropped between.
static void test_caches_decide_nothing(void **state) {
    (void)state;
    uint64_t roots[2];
    for (int n = 0; n < 2; ++n) {
        rng random = {23};
        iso_world *world = world_make_small(-GRAVITY);
        const iso_shape_def wall = shape_box(0.3, 0.005);
        iso_body_id walls[60];
        for (int i = 0; i < 60; ++i) {
            walls[i] = body_add_shape(world, ISO_BODY_STATIC, rng_range(&random, -5, 5), rng_range(&random, -5, 5),
                                      rng_range(&random, -3, 3), &wall);
        }
        for (int i = 0; i < 60; ++i) {
            const iso_shape_def shape = shot_shape(&random);
            iso_body_params params = iso_body_params_default();
            params.bullet = i % 2;
            const iso_body_id body = body_add_shape(world, ISO_BODY_DYNAMIC, rng_range(&random, -5, 5),
                                                    rng_range(&random, -5, 5), rng_range(&random, -3, 3), &shape);
            EXPECT_STATUS(iso_body_set_params(world, body, &params), ISO_OK);
            body_set_velocity(world, body, rng_range(&random, -100, 100), rng_range(&random, -100, 100), 0);
        }
        for (int t = 0; t < 60; ++t) {
            if (n == 1) {
                iso_world_drop_caches(world);
            }
            disturb_walls(world, walls, t);
            world_steps(world, 1);
        }
        roots[n] = iso_world_root(world);
        world_free(world);
    }
    assert_true(roots[0] == roots[1]);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_shot_passes_a_wall),
        cmocka_unit_test(test_falling_box_stops_at_a_thin_floor),
        cmocka_unit_test(test_grazing_passes_lose_nothing),
        cmocka_unit_test(test_sliding_is_no_impact),
        cmocka_unit_test(test_joined_bodies_pass),
        cmocka_unit_test(test_bullets_meet_bodies_of_every_type),
        cmocka_unit_test(test_bullets_pass_what_has_stopped),
        cmocka_unit_test(test_rejected_ways_do_not_meet),
        cmocka_unit_test(test_caches_decide_nothing),
        cmocka_unit_test(test_no_polygon_falls_through_a_floor),
        cmocka_unit_test(test_no_polygon_is_shot_through_a_wall),
        cmocka_unit_test(test_no_bullet_stays_with_a_velocity),
    };
    if (argc == 3 && strcmp(argv[1], "--shots") == 0) {
        shot_count = atoi(argv[2]);
        drop_angles = shot_count / 200;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
