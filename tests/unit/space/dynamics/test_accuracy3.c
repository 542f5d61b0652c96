/// The distance of the step in space from the same algorithm in double precision, scene by scene.
///
/// As test_accuracy in the plane: both worlds are built from the same definitions and stepped side by side, and the
/// twin runs a second time, a nanometre and a nanometre per second off after the first step: where that is within the
/// bound, rounding does not choose the outcome. `--whole` runs each scene for as long as its row of core/NUMERICS.md
/// says; a usual run of the large ones is shorter.
#include "reference/reference3_world.h"

#define DISTURBANCE 1e-9 // [m] and [m/s]

// ---- both worlds ---------------------------------------------------------------------------------

typedef struct pair {
    iso_world *core;
    reference3_world *twin;
    iso_body_id ids[REFERENCE3_BODIES_MAX];
} pair;

/// @param is_fresh  no contact keeps its manifold
static pair pair_make(bool is_fresh) {
    iso_world_def def = iso_world_def_default();
    pair both;
    def.dimensions = 3;
    def.body_capacity = REFERENCE3_BODIES_MAX;
    def.shape_capacity = REFERENCE3_BODIES_MAX;
    def.joint_capacity = REFERENCE3_JOINTS_MAX;
    def.contact_capacity = REFERENCE3_CONTACTS_MAX;
    def.slot_capacity = 0;
    def.gravity = (iso_vec2){0, fix(-10)};
    def.sleep_speed = 0; // the twin never sleeps
    def.contact_keep_distance = is_fresh ? 0 : def.contact_keep_distance;
    both.core = world_make(&def);
    both.twin = malloc(sizeof *both.twin);
    assert_non_null(both.twin);
    reference3_world_init(both.twin, &def);
    return both;
}

/// The core's own mass and moments, about the body's axes; the principal axes are along these.
static void pair_take_mass(pair *both, uint32_t index) {
    const iso_body3_view view = view3(both->core, both->ids[index]);
    const matrix F = matrix_of(view.principal);
    double moments[3] = {0, 0, 0};
    for (int i = 0; i < 9; ++i) {
        const double along = F.m[i / 3][i % 3];
        assert_true(fabs(along) < 1e-8 || fabs(along) > 1 - 1e-8);
        moments[i / 3] += along * along * from_wide(view.moments[i % 3]);
    }
    reference3_body_set_mass(both->twin, index, from_wide(view.mass), moments);
}

/// A box. @param mask  0: it touches nothing
static uint32_t pair_add_box(pair *both, iso_body_type type, vector at, iso_quat rotation, vector half, uint32_t mask,
                             double density, double friction) {
    iso_shape3_def shape = box3(half.x[0], half.x[1], half.x[2]);
    shape.density = fix(density);
    shape.friction = fix(friction);
    shape.filter.mask = mask;
    const iso_body_id id = body3_add(both->core, type, wide3(at.x[0], at.x[1], at.x[2]), rotation);
    shape3_add(both->core, id, &shape);
    const iso_body3_view view = view3(both->core, id);
    const iso_quat r = view.rotation;
    const double q[4] = {r.x * QUANTUM_UNIT, r.y * QUANTUM_UNIT, r.z * QUANTUM_UNIT, r.w * QUANTUM_UNIT},
                 halves[3] = {from_fix(fix(half.x[0])), from_fix(fix(half.x[1])), from_fix(fix(half.x[2]))};
    const bool is_dynamic = type == ISO_BODY_DYNAMIC;
    const uint32_t index =
        reference3_body_create(both->twin, is_dynamic, vector_of(view.centre), q, halves, from_fix(fix(density)));
    reference3_body *body = &both->twin->bodies[index];
    body->touches = mask != 0;
    body->friction = from_fix(fix(friction));
    if (is_dynamic) {
        EXPECT_NEAR(from_wide(view.mass) * body->inverse_mass, 1, 1e-8, "mass of a box");
    }
    both->ids[index] = id;
    return index;
}

static void pair_set_velocity(pair *both, uint32_t index, vector velocity, vector spin) {
    body3_set_velocity(both->core, both->ids[index], velocity, spin);
    reference3_body_set_velocity(both->twin, index, velocity, spin);
}

static void pair_set_mass(pair *both, uint32_t index, double mass, const double moments[3]) {
    const iso_wide of[3] = {wide(moments[0]), wide(moments[1]), wide(moments[2])};
    EXPECT_STATUS(iso_body3_set_mass(both->core, both->ids[index], wide(mass), of), ISO_OK);
    pair_take_mass(both, index);
}

static void pair_add_joint(pair *both, uint8_t kind, uint32_t a, uint32_t b, vector point, vector axis) {
    iso_joint3_def def = iso_joint3_def_default(kind);
    iso_joint_id id;
    EXPECT_STATUS(iso_joint3_def_between(both->core, both->ids[a], both->ids[b],
                                         wide3(point.x[0], point.x[1], point.x[2]),
                                         fix3(axis.x[0], axis.x[1], axis.x[2]), fix3(0, 0, 0), &def),
                  ISO_OK);
    EXPECT_STATUS(iso_joint3_create(both->core, &def, &id), ISO_OK);
    reference3_joint_create(both->twin, a, b, &def);
}

static double pair_distance(const pair *both) {
    double largest = 0;
    for (uint32_t i = 0; i < both->twin->body_count; ++i) {
        const vector at = vector_of(view3(both->core, both->ids[i]).centre);
        largest = fmax(largest, length(sum(at, -1, both->twin->bodies[i].position)));
    }
    return largest;
}

static double pair_turn(const pair *both) {
    double largest = 0;
    for (uint32_t i = 0; i < both->twin->body_count; ++i) {
        const matrix R = matrix_of(view3(both->core, both->ids[i]).rotation),
                     of = matrix_of_doubles(both->twin->bodies[i].q);
        double squared = 0;
        for (int k = 0; k < 9; ++k) {
            squared += pow(R.m[k / 3][k % 3] - of.m[k / 3][k % 3], 2);
        }
        largest = fmax(largest, 2 * asin(fmin(1, sqrt(squared / 8))));
    }
    return largest;
}

// ---- stacks --------------------------------------------------------------------------------------

#define UPRIGHT iso_quat_identity()

static void add_ground(pair *both, double x) {
    pair_add_box(both, ISO_BODY_STATIC, (vector){{x, -1, 0}}, UPRIGHT, (vector){{30, 1, 30}}, UINT32_MAX, 1, 0.6);
}

static uint32_t add_cube(pair *both, double x, double y, double z, double half, double turn) {
    const iso_quat rotation = turn == 0 ? UPRIGHT : iso_quat_from_axis_angle(fix3(0, 1, 0), wide(turn));
    return pair_add_box(both, ISO_BODY_DYNAMIC, (vector){{x, y, z}}, rotation, (vector){{half, half, half}}, UINT32_MAX,
                        100, 0.6);
}

static void build_cubes_at(pair *both, double x) {
    add_ground(both, x);
    for (int i = 0; i < 10; ++i) {
        add_cube(both, x, i + 0.5, 0, 0.5, 0);
    }
}

static void build_cubes(pair *both) {
    build_cubes_at(both, 0);
}

static void build_far_cubes(pair *both) {
    build_cubes_at(both, 16000);
}

static void build_wall(pair *both) {
    add_ground(both, 0);
    for (int row = 0; row < 20; ++row) {
        for (int i = 0; i < 20 - row; ++i) {
            add_cube(both, i + 0.5 * row - 9.5, row + 0.5, 0, 0.5, 0);
        }
    }
}

static void build_pyramid(pair *both) {
    add_ground(both, 0);
    for (int layer = 0; layer < 8; ++layer) {
        const int side = 8 - layer;
        for (int i = 0; i < side * side; ++i) {
            add_cube(both, i % side + 0.5 * layer - 3.5, layer + 0.5, i / side + 0.5 * layer - 3.5, 0.5, 0);
        }
    }
}

static void build_offset_cubes(pair *both) {
    add_ground(both, 0);
    for (int i = 0; i < 5; ++i) {
        add_cube(both, 0.1 * (i % 2), i + 0.5, 0.07 * (i % 3), 0.5, 0.1 * i);
    }
}

/// To the nearest 2^-16 m.
static void build_small_cubes(pair *both) {
    add_ground(both, 0);
    for (int i = 0; i < 5; ++i) {
        const double half = from_fix(fix(0.05));
        add_cube(both, 0, (2 * i + 1) * half, 0, half, 0);
    }
}

static void build_planks(pair *both) {
    add_ground(both, 0);
    for (int i = 0; i < 18; ++i) {
        const double aside = i % 2 == 0 ? -0.8 : 0.8, y = 0.25 * (i / 2) + 0.125;
        const bool is_across = i / 2 % 2 == 1;
        const vector at = is_across ? (vector){{aside, y, 0}} : (vector){{0, y, aside}};
        const vector half = is_across ? (vector){{0.2, 0.125, 1}} : (vector){{1, 0.125, 0.2}};
        pair_add_box(both, ISO_BODY_DYNAMIC, at, UPRIGHT, half, UINT32_MAX, 100, 0.6);
    }
}

// ---- motions -------------------------------------------------------------------------------------

static void build_slide(pair *both) {
    add_ground(both, 0);
    const uint32_t box =
        pair_add_box(both, ISO_BODY_DYNAMIC, (vector){{0, 0.25, 0}}, UPRIGHT, (vector){{0.5, 0.25, 0.5}}, UINT32_MAX,
                     100, 4.0 / 15); // with the ground's 0.6: 0.4
    pair_set_velocity(both, box, (vector){{3.6, 0, 4.8}}, (vector){{0, 0, 0}});
}

static void build_spin(pair *both) {
    add_ground(both, 0);
    const uint32_t box = pair_add_box(both, ISO_BODY_DYNAMIC, (vector){{0, 0.25, 0}}, UPRIGHT,
                                      (vector){{0.5, 0.25, 0.5}}, UINT32_MAX, 100, 4.0 / 15);
    pair_set_velocity(both, box, (vector){{0, 0, 0}}, (vector){{0, 10, 0}});
}

/// On a post that is smaller than it, across its corners: a patch whose points are not all as far from its middle.
static void build_plate(pair *both) {
    const iso_quat turn = iso_quat_from_axis_angle(fix3(0, 1, 0), wide(0.3));
    pair_add_box(both, ISO_BODY_STATIC, (vector){{0, -1, 0}}, turn, (vector){{0.375, 1, 0.125}}, UINT32_MAX, 1, 0.6);
    const uint32_t plate = pair_add_box(both, ISO_BODY_DYNAMIC, (vector){{0.0625, 0.125, 0.03125}}, UPRIGHT,
                                        (vector){{0.25, 0.125, 0.5}}, UINT32_MAX, 100, 4.0 / 15);
    pair_set_velocity(both, plate, (vector){{0, 0, 0}}, (vector){{0, 4, 0}});
}

/// Tilted bricks that fall on each other, edges first.
static void build_heap(pair *both) {
    add_ground(both, 0);
    for (int i = 0; i < 6; ++i) {
        const iso_quat rotation = iso_quat_from_axis_angle(fix3(1, 0.3 * i, 0.7), wide(0.4 + 0.3 * i));
        const uint32_t box = pair_add_box(both, ISO_BODY_DYNAMIC, (vector){{0.2 * i, 0.8 + 1.1 * i, 0.1 * i}}, rotation,
                                          (vector){{0.5, 0.2, 0.35}}, UINT32_MAX, 100, 0.6);
        pair_set_velocity(both, box, (vector){{0, 0, 0}}, (vector){{0.5 * i, 1, -0.25}});
    }
}

/// A brick on a hinge, let go 1.5 rad from where it hangs.
static void build_pendulum(pair *both) {
    const vector pivot = {{0, 3, 0}};
    const iso_quat rotation = iso_quat_from_axis_angle(fix3(0, 0, 1), wide(1.5));
    const uint32_t wall = pair_add_box(both, ISO_BODY_STATIC, pivot, UPRIGHT, (vector){{0.1, 0.1, 0.1}}, 0, 1, 0.6);
    const uint32_t brick = pair_add_box(both, ISO_BODY_DYNAMIC, (vector){{sin(1.5), 3 - cos(1.5), 0}}, rotation,
                                        (vector){{0.125, 1, 0.25}}, 0, 100, 0.6);
    pair_add_joint(both, ISO_JOINT3_HINGE, wall, brick, pivot, (vector){{0, 0, 1}});
}

/// The same on a ball joint, thrown aside.
static void build_ball_pendulum(pair *both) {
    const vector pivot = {{0, 3, 0}};
    const iso_quat rotation = iso_quat_from_axis_angle(fix3(0, 0, 1), wide(1.0));
    const uint32_t wall = pair_add_box(both, ISO_BODY_STATIC, pivot, UPRIGHT, (vector){{0.1, 0.1, 0.1}}, 0, 1, 0.6);
    const uint32_t brick = pair_add_box(both, ISO_BODY_DYNAMIC, (vector){{sin(1), 3 - cos(1), 0}}, rotation,
                                        (vector){{0.125, 1, 0.25}}, 0, 100, 0.6);
    pair_add_joint(both, ISO_JOINT3_BALL, wall, brick, pivot, (vector){{1, 0, 0}});
    pair_set_velocity(both, brick, (vector){{0, 0, 1.5}}, (vector){{1.5 * cos(1), 1.5 * sin(1), 0}});
}

/// 150 rad/s about its own axis, in steady precession.
static void build_top(pair *both) {
    const double d = 0.25, tilt = 0.6, I3 = 0.04, I = 0.03, w3 = 150, a = (I + d * d) * cos(tilt), b = I3 * w3;
    const double W = (b - sqrt(b * b - 4 * a * 10 * d)) / (2 * a), moments[3] = {I, I, I3};
    const vector axis = {{sin(tilt), cos(tilt), 0}}, up = {{0, W, 0}};
    const iso_quat rotation = iso_quat_from_axis_angle(fix3(0, 0, 1), wide(-tilt));
    const uint32_t floor =
        pair_add_box(both, ISO_BODY_STATIC, (vector){{0, 0, 0}}, UPRIGHT, (vector){{0.1, 0.1, 0.1}}, 0, 1, 0.6);
    const uint32_t top =
        pair_add_box(both, ISO_BODY_DYNAMIC, scaled(d, axis), rotation, (vector){{0.125, 0.0625, 0.125}}, 0, 100, 0.6);
    pair_set_mass(both, top, 1, moments);
    pair_set_velocity(both, top, cross(up, scaled(d, axis)), sum(scaled(w3 - W * cos(tilt), axis), 1, up));
    pair_add_joint(both, ISO_JOINT3_BALL, floor, top, (vector){{0, 0, 0}}, (vector){{1, 0, 0}});
}

/// Thirty links and a cube of a hundred times the mass of one, from the horizontal, thrown aside.
static void build_chain(pair *both) {
    uint32_t last =
        pair_add_box(both, ISO_BODY_STATIC, (vector){{0, 0, 0}}, UPRIGHT, (vector){{0.1, 0.1, 0.1}}, 0, 1, 0.6);
    for (int i = 0; i < 30; ++i) {
        const uint32_t link = pair_add_box(both, ISO_BODY_DYNAMIC, (vector){{0.25 * i + 0.125, 0, 0}}, UPRIGHT,
                                           (vector){{0.125, 0.03125, 0.03125}}, 0, 1000, 0.6);
        pair_add_joint(both, ISO_JOINT3_BALL, last, link, (vector){{0.25 * i, 0, 0}}, (vector){{1, 0, 0}});
        last = link;
    }
    const double mass = 100 / both->twin->bodies[last].inverse_mass, r = 0.25;
    const uint32_t ball = pair_add_box(both, ISO_BODY_DYNAMIC, (vector){{7.5 + r, 0, 0}}, UPRIGHT,
                                       (vector){{0.25, 0.25, 0.25}}, 0, 100, 0.6);
    pair_set_mass(both, ball, mass, (double[3]){0.4 * mass * r * r, 0.4 * mass * r * r, 0.4 * mass * r * r});
    pair_set_velocity(both, ball, (vector){{0, 0, 3}}, (vector){{0, 0, 0}});
    pair_add_joint(both, ISO_JOINT3_BALL, last, ball, (vector){{7.5, 0, 0}}, (vector){{1, 0, 0}});
}

// ---- the figures ---------------------------------------------------------------------------------

typedef struct scene {
    const char *name;
    void (*build)(pair *both);
    uint32_t ticks, whole; // of a usual run, of --whole
    double bound;          // [m]
    double turn_bound;     // [rad]
    // Every manifold is made anew: what turns fast leaves its pose in one tick or in the next by rounding.
    bool is_fresh;
} scene;

/// Links turn about their own length as they like, and rounding turns them. In the heap, which corner or edge comes
/// first is soon a matter of nanometres; so is where a brick on a ball joint swings after a minute.
static const scene SCENES[] = {
    {"ten cubes", build_cubes, 600, 600, 2e-4, 5e-5, false},
    {"ten cubes 16 km out", build_far_cubes, 60, 60, 2e-4, 1e-5, false},
    {"wall of twenty rows", build_wall, 60, 600, 3e-3, 3e-3, false},
    {"pyramid of 204", build_pyramid, 40, 600, 5e-4, 5e-4, false},
    {"five offset cubes", build_offset_cubes, 600, 600, 1e-4, 2e-4, false},
    {"five cubes of 10 cm", build_small_cubes, 600, 600, 1e-4, 1e-3, false},
    {"tower of 18 crossed planks", build_planks, 120, 600, 1e-4, 1e-4, false},
    {"slide from 6 m/s", build_slide, 120, 120, 4e-4, 2e-5, false},
    {"spin of 10 rad/s", build_spin, 120, 120, 4e-4, 4e-5, false},
    {"a plate that spins on a post", build_plate, 90, 90, 1e-4, 5e-5, true},
    {"a heap of tilted bricks", build_heap, 30, 30, 1e-3, 3e-4, false},
    {"physical pendulum on a hinge", build_pendulum, 3600, 3600, 1e-3, 5e-5, false},
    {"the same on a ball joint, thrown", build_ball_pendulum, 600, 600, 1e-3, 0.015, false},
    {"heavy top", build_top, 600, 600, 1e-4, 1e-3, false},
    {"thirty links and a ball of a hundred", build_chain, 600, 600, 5e-3, 0.4, false},
};
#define SCENE_COUNT (sizeof SCENES / sizeof SCENES[0])

static bool is_whole = false;

static void disturb(reference3_world *world) {
    for (uint32_t i = 0; i < world->body_count; ++i) {
        reference3_body *body = &world->bodies[i];
        for (int k = 0; k < 3 && body->is_dynamic; ++k) {
            body->position.x[k] += DISTURBANCE * sin(7.0 * i + 2 * k + 1);
            body->velocity.x[k] += DISTURBANCE * sin(3.0 * i + 5 * k + 1);
        }
    }
}

static double twin_distance(const reference3_world *a, const reference3_world *b) {
    double largest = 0;
    for (uint32_t i = 0; i < a->body_count; ++i) {
        largest = fmax(largest, length(sum(a->bodies[i].position, -1, b->bodies[i].position)));
    }
    return largest;
}

static void test_scene_stays_near_its_twin(void **state) {
    const scene *of = *state;
    const uint32_t ticks = is_whole ? of->whole : of->ticks;
    pair both = pair_make(of->is_fresh);
    reference3_world *disturbed = malloc(sizeof *disturbed);
    double worst = 0;
    assert_non_null(disturbed);
    of->build(&both);
    for (uint32_t tick = 1; tick <= ticks; ++tick) {
        world_steps(both.core, 1);
        reference3_world_step(both.twin);
        worst = fmax(worst, pair_distance(&both));
        if (tick > 1) {
            reference3_world_step(disturbed);
        } else {
            *disturbed = *both.twin;
            disturb(disturbed);
        }
    }
    const double distance = pair_distance(&both), turn = pair_turn(&both);
    const double sensitivity = twin_distance(both.twin, disturbed);
    const iso_world_counts counts = world_counts(both.core);
    printf("%-38s %5u %9.2g %9.2g %9.2g %9.2g %9.2g %9.2g\n", of->name, ticks, distance, worst, of->bound, turn,
           of->turn_bound, sensitivity);
    assert_int_equal(counts.clamped_velocities + counts.clamped_impulses + counts.dropped_contacts, 0);
    EXPECT(sensitivity < of->bound, "disturbed by a nanometre the twin is %g m off itself", sensitivity);
    EXPECT(worst < of->bound, "%g m off", worst);
    EXPECT(turn < of->turn_bound, "%g rad off", turn);
    free(disturbed);
    free(both.twin);
    world_free(both.core);
}

int main(int argc, char **argv) {
    struct CMUnitTest tests[SCENE_COUNT];
    is_whole = argc == 2 && strcmp(argv[1], "--whole") == 0;
    for (size_t i = 0; i < SCENE_COUNT; ++i) {
        void *of = (void *)(uintptr_t)&SCENES[i];
        tests[i] = (struct CMUnitTest){SCENES[i].name, test_scene_stays_near_its_twin, NULL, NULL, of};
    }
    printf("%-38s %5s %9s %9s %9s %9s %9s %9s\n", "scene", "ticks", "distance", "at worst", "bound", "turn", "bound",
           "disturbed");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
