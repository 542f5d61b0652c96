/// A world has no memory beside its state: whatever its past, in every tick it does what a world does that has just
/// been decoded from its snapshot. Between ticks joints, bodies and shapes change, older states come back, and both
/// worlds take other instruction sets and other pieces.
///
/// test_state_history [--rounds N]    N times as many ticks, each time with other seeds
#include "unit/world/physics_util.h"

#include "isostep/simd.h"
#include "scene_world.h"
#include "plane/dynamics/broad_phase.h"
#include "plane/world/scratch.h"
#include "world/world.h"

static uint32_t round_count = 1;

/// Ticks in which there was something to go wrong.
static struct { uint32_t kept_hinges, kept_contacts, joints_beyond, contacts_beyond, dropped, overfull; } seen;

typedef struct history {
    iso_world *world, *fresh;
    void *world_memory, *fresh_memory;
    uint8_t *snapshot, *image;
    size_t snapshot_capacity, image_size;
    rng random;
} history;

static bool chance(rng *random, uint32_t of) {
    return rng_below(random, of) == 0;
}

// ---- what happens to a world ---------------------------------------------------------------------

static iso_body_id any_body(const iso_world *world, rng *random) {
    const iso_body_id body = iso_body_next(world, rng_below(random, world_counts(world).bodies + 4));
    return body.generation != 0 ? body : iso_body_next(world, 0);
}

static iso_shape_id any_shape(const iso_world *world, rng *random) {
    const iso_shape_id shape = iso_shape_next(world, rng_below(random, world_counts(world).shapes + 4));
    return shape.generation != 0 ? shape : iso_shape_next(world, 0);
}

static iso_joint_id any_joint(const iso_world *world, rng *random) {
    const iso_joint_id joint = iso_joint_next(world, rng_below(random, world_counts(world).joints + 4));
    return joint.generation != 0 ? joint : iso_joint_next(world, 0);
}

static iso_vec2_wide any_vector(rng *random, double most) {
    const double x = rng_range(random, -most, most);
    return (iso_vec2_wide){wide(x), wide(rng_range(random, -most, most))};
}

/// Changes some of a joint's numbers and switches: it may become plain, a hinge, or neither.
static void change_joint(iso_world *world, rng *random) {
    const iso_joint_id joint = any_joint(world, random);
    iso_joint_def def;
    if (iso_joint_get(world, joint, &def) != ISO_OK) {
        return;
    }
    for (uint32_t n = 1 + rng_below(random, 3); n > 0; --n) {
        switch (rng_below(random, 10)) {
        case 0:
            def.hertz = chance(random, 2) ? 0 : fix(rng_range(random, 0.5, 8));
            break;
        case 1:
            def.limit_enabled = !def.limit_enabled;
            def.lower = fix(rng_range(random, -1, 0));
            def.upper = fix(rng_range(random, 0, 1));
            break;
        case 2:
            def.limit_hertz = chance(random, 2) ? 0 : fix(rng_range(random, 0.5, 8));
            break;
        case 3:
            def.motor_enabled = !def.motor_enabled;
            def.motor_speed = fix(rng_range(random, -3, 3));
            def.motor_max = wide(rng_range(random, 0, 50));
            break;
        case 4:
            def.spring_enabled = !def.spring_enabled;
            def.spring_hertz = fix(rng_range(random, 0.2, 8));
            def.spring_damping_ratio = fix(rng_range(random, 0, 1));
            def.spring_stiffness = def.spring_damping = 0;
            break;
        case 5:
            def.spring_enabled = true;
            def.spring_hertz = def.spring_damping_ratio = 0;
            def.spring_stiffness = wide(rng_range(random, 1, 200));
            def.spring_damping = wide(rng_range(random, 0, 5));
            break;
        case 6:
            def.rest = fix(rng_range(random, -1, 1));
            break;
        case 7:
            def.force_max = chance(random, 2) ? 0 : wide(rng_range(random, 1, 500));
            break;
        case 8:
            def.collide_connected = !def.collide_connected;
            break;
        default:
            def.enabled = !def.enabled;
            break;
        }
    }
    (void)iso_joint_set(world, joint, &def);
}

static void change_params(iso_world *world, rng *random) {
    const iso_body_id body = any_body(world, random);
    iso_body_params params;
    if (iso_body_get_params(world, body, &params) == ISO_OK) {
        params.fixed_rotation = chance(random, 4);
        params.lock_x = chance(random, 6);
        params.linear_damping = chance(random, 2) ? 0 : fix(0.5);
        params.gravity_scale = chance(random, 2) ? ONE : fix(rng_range(random, -1, 2));
        params.bullet = chance(random, 4);
        (void)iso_body_set_params(world, body, &params);
    }
}

static void add_shape(iso_world *world, rng *random) {
    const bool is_circle = chance(random, 2);
    iso_shape_def def = is_circle ? shape_circle(0.2) : shape_box(0.3, 0.1);
    iso_shape_id shape;
    if (is_circle) {
        def.points[0] = (iso_vec2){fix(rng_range(random, -0.5, 0.5)), fix(rng_range(random, -0.5, 0.5))};
    }
    def.density = chance(random, 3) ? 0 : fix(rng_range(random, 0.1, 5));
    def.is_sensor = chance(random, 6);
    (void)iso_shape_create(world, any_body(world, random), &def, &shape);
}

static void add_joint(iso_world *world, rng *random) {
    iso_joint_id copy;
    if (chance(random, 2)) {
        (void)iso_joint_copy(world, any_joint(world, random), NULL, &copy);
        return;
    }
    iso_joint_def def = iso_joint_def_default();
    def.kind = ISO_JOINT_REVOLUTE;
    def.body_a = any_body(world, random);
    def.body_b = any_body(world, random);
    def.limit_enabled = chance(random, 2);
    def.lower = -ONE;
    def.upper = ONE;
    (void)iso_joint_create(world, &def, &copy);
}

#define CHANGE_LIST(X)                                                                                                \
    X(change_joint(w, r))                                                                                             \
    X(change_joint(w, r))                                                                                             \
    X(change_joint(w, r))                                                                                             \
    X(add_joint(w, r))                                                                                                \
    X(chance(r, 3) ? (void)iso_joint_destroy(w, any_joint(w, r)) : (void)0)                                           \
    X((void)iso_joint_set_bodies(w, any_joint(w, r), (iso_body_id[4]){any_body(w, r), any_body(w, r)}))               \
    X((void)iso_joint_set_target(w, any_joint(w, r), any_vector(r, 5)))                                               \
    X((void)iso_joint_set_motor(w, any_joint(w, r), true, fix(rng_range(r, -3, 3)), wide(20)))                        \
    X((void)iso_joint_set_limits(w, any_joint(w, r), true, fix(rng_range(r, -1, 0)), ONE / 2))                        \
    X((void)iso_joint_set_spring(w, any_joint(w, r), true, fix(rng_range(r, 0, 6)), ONE / 4, 0))                      \
    X(change_params(w, r))                                                                                            \
    X((void)iso_body_set_mass(w, any_body(w, r), wide(rng_range(r, 0, 9)), chance(r, 2) ? 0 : wide(0.5)))             \
    X((void)iso_body_set_type(w, any_body(w, r), (uint8_t)(1 + rng_below(r, 3))))                                     \
    X((void)iso_body_set_type(w, any_body(w, r), ISO_BODY_DYNAMIC))                                                   \
    X((void)iso_body_set_position(w, any_body(w, r), any_vector(r, 6), wide(rng_range(r, -2, 2))))                    \
    X((void)iso_body_set_velocity(w, any_body(w, r), any_vector(r, 10), wide(rng_range(r, -5, 5))))                   \
    X((void)iso_body_wake(w, any_body(w, r)))                                                                         \
    X(chance(r, 4) ? (void)iso_body_destroy(w, any_body(w, r)) : (void)0)                                             \
    X(add_shape(w, r))                                                                                                \
    X(chance(r, 4) ? (void)iso_shape_destroy(w, any_shape(w, r)) : (void)0)                                           \
    X((void)iso_shape_set_filter(                                                                                     \
        w, any_shape(w, r), (iso_filter){1u << rng_below(r, 3), ~(1u << rng_below(r, 3)), (int)rng_below(r, 3) - 1})) \
    X((void)iso_shape_set_restitution(w, any_shape(w, r), chance(r, 2) ? 0 : fix(0.7)))                               \
    X((void)iso_shape_set_friction(w, any_shape(w, r), fix(rng_range(r, 0, 1))))                                      \
    X((void)iso_shape_set_surface_speed(w, any_shape(w, r), fix(rng_range(r, -2, 2))))                                \
    X((void)iso_shape_set_density(w, any_shape(w, r), fix(rng_range(r, 0, 5))))                                       \
    X((void)iso_world_set_gravity(w, (iso_vec2){0, fix(rng_range(r, -12, -8))}))

/// Some changes are refused; a joint, body or shape may be gone.
static void change(iso_world *w, rng *r) {
    enum {
#define CHANGE_COUNT(statement) +1
        CHANGE_KINDS = 0 CHANGE_LIST(CHANGE_COUNT)
    };
    uint32_t left = rng_below(r, CHANGE_KINDS);
#define CHANGE_DO(statement) \
    if (left-- == 0) {       \
        statement;           \
    }
    CHANGE_LIST(CHANGE_DO)
}

/// What acts for one tick and is not in snapshots.
static void push(iso_world *world, uint64_t seed) {
    rng random = {seed};
    (void)iso_body_apply_force_to_centre(world, any_body(world, &random), any_vector(&random, 500));
    (void)iso_body_apply_torque(world, any_body(world, &random), wide(rng_range(&random, -50, 50)));
    for (int n = 0; n < 4; ++n) { // until one is kinematic
        (void)iso_body_move_kinematic(world, any_body(world, &random), any_vector(&random, 6), 0);
    }
}

// ---- how a world steps ---------------------------------------------------------------------------

/// The pieces one after the other, from the last or from the first.
static void run_pieces(void *context, uint32_t count, iso_parallel_task *task, void *data) {
    rng *random = context;
    const bool is_backwards = chance(random, 2);
    for (uint32_t i = 0; i < count; ++i) {
        task(data, is_backwards ? count - 1 - i : i);
    }
}

static void choose_way(iso_world *world, rng *random) {
    const iso_parallel parallel = {.thread_count = 1 + rng_below(random, 6), .run = run_pieces, .context = random};
    EXPECT_STATUS(iso_world_set_parallel(world, chance(random, 3) ? NULL : &parallel), ISO_OK);
    const iso_simd set = (iso_simd)rng_below(random, ISO_SIMD_COUNT);
    if (iso_simd_is_supported(set)) {
        EXPECT_STATUS(iso_world_set_simd(world, set), ISO_OK);
    }
}

static void see(const iso_world *world, uint64_t dropped_before) {
    const iso__plane_step_scratch *scratch = iso__plane_of_const(world)->scratch;
    const iso__plane_colour *beyond = &scratch->colours[ISO__COLOUR_OVERFLOW];
    seen.kept_hinges += scratch->has_same_joints && scratch->hinge_count > 0;
    seen.kept_contacts += scratch->has_same_joints && scratch->has_same_contacts && scratch->group_count > 0;
    seen.joints_beyond += beyond->joint_begin != beyond->joint_end;
    seen.contacts_beyond += beyond->group_begin != beyond->group_end;
    seen.dropped += world->globals->dropped_contacts != dropped_before;
    seen.overfull += iso__plane_of_const(world)->broad_phase->is_overfull;
}

// ---- the property --------------------------------------------------------------------------------

/// A plank that bodies lie on, with hinges to some of them: more contacts and joints of one body than there are
/// colours.
static void add_hub(iso_world *world, rng *random) {
    const iso_shape_def plank = shape_box(6, 0.2);
    iso_joint_def def = iso_joint_def_default();
    iso_joint_id joint;
    def.kind = ISO_JOINT_REVOLUTE;
    def.body_a = body_add_shape(world, ISO_BODY_DYNAMIC, 0, 1, 0, &plank);
    def.limit_enabled = true;
    def.lower = -ONE;
    def.upper = ONE;
    for (uint32_t n = 0; n < 40; ++n) {
        def.body_b = any_body(world, random);
        (void)iso_joint_create(world, &def, &joint);
    }
}

/// Bodies that overlap, with room for few contacts: contacts and candidates are dropped, and pairs do not fit.
static iso_world *crowd_make(uint64_t seed) {
    rng random = {seed};
    iso_world_def def = world_def_small(-10);
    def.contact_capacity = 2 + rng_below(&random, chance(&random, 2) ? 30 : 400);
    def.event_capacity = 1 + rng_below(&random, 64);
    def.sleep_speed = chance(&random, 2) ? 0 : fix(0.4);
    def.sleep_time = fix(0.1);
    def.substep_count = (uint8_t)(1 + rng_below(&random, 4));
    iso_world *world = world_make(&def);
    const double size = rng_range(&random, 1, 10);
    iso_shape_def ground = shape_box(30, 1), plate = shape_box(size / 2, 0.1);
    plate.one_way = (iso_vec2){0, fix(1)};
    body_add_shape(world, ISO_BODY_STATIC, 0, -1, 0, &ground);
    body_add_shape(world, ISO_BODY_STATIC, 0, 2, 0, &plate);
    for (uint32_t n = 40 + rng_below(&random, 200); n > 0; --n) {
        iso_shape_def shape = chance(&random, 2) ? shape_circle(0.3) : shape_box(0.3, 0.2);
        shape.restitution = chance(&random, 3) ? fix(0.6) : 0;
        shape.is_sensor = chance(&random, 20);
        const uint8_t type = chance(&random, 30) ? ISO_BODY_KINEMATIC : ISO_BODY_DYNAMIC;
        body_add_shape(world, type, rng_range(&random, -size, size), rng_range(&random, 0, size), 0, &shape);
    }
    for (uint32_t n = 0; n < 20; ++n) {
        add_joint(world, &random);
    }
    if (chance(&random, 2)) {
        add_hub(world, &random);
    }
    return world;
}

/// @param scene  NULL: a crowd
static iso_world *history_make(const char *scene, uint64_t seed, void **memory) {
    if (scene != NULL) {
        return scene_world_build("test_state_history", iso_builtin_scene_find(scene), NULL, memory);
    }
    iso_world *world = crowd_make(seed);
    *memory = world;
    return world;
}

static void history_init(history *h, const char *scene, uint64_t seed) {
    memset(h, 0, sizeof *h);
    h->world = history_make(scene, seed, &h->world_memory);
    h->fresh = history_make(scene, seed, &h->fresh_memory);
    h->random = (rng){seed};
    h->image = malloc(iso_world_image_size_max(h->world));
    assert_non_null(h->image);
}

static void history_term(history *h) {
    free(h->world_memory);
    free(h->fresh_memory);
    free(h->snapshot);
    free(h->image);
}

static void history_decode(history *h) {
    const size_t size = iso_snapshot_size(h->world);
    if (size > h->snapshot_capacity) {
        free(h->snapshot);
        h->snapshot = malloc(size);
        assert_non_null(h->snapshot);
        h->snapshot_capacity = size;
    }
    assert_int_equal(iso_snapshot_encode(h->world, h->snapshot, size), size);
    EXPECT_STATUS(iso_snapshot_decode(h->fresh, h->snapshot, size), ISO_OK);
}

/// Both go through one tick. The decoded world has no past, but for what its caches may wrongly keep.
static void history_compare(history *h, const char *scene, uint64_t seed, uint32_t tick) {
    history_decode(h);
    iso_world_drop_caches(h->fresh);
    if (chance(&h->random, 4)) {
        const uint64_t seed_of_pushes = rng_next(&h->random);
        push(h->world, seed_of_pushes);
        push(h->fresh, seed_of_pushes);
    }
    choose_way(h->world, &h->random);
    choose_way(h->fresh, &h->random);
    const uint64_t dropped = h->world->globals->dropped_contacts;
    world_steps(h->world, 1);
    world_steps(h->fresh, 1);
    see(h->world, dropped);
    EXPECT(iso_world_root(h->world) == iso_world_root(h->fresh), "%s, seed %llu, tick %u: the roots differ",
           scene ? scene : "crowd", (unsigned long long)seed, tick);
    iso_events a, b;
    iso_world_get_events(h->world, &a);
    iso_world_get_events(h->fresh, &b);
    EXPECT(a.contact_begin_count == b.contact_begin_count && a.contact_end_count == b.contact_end_count &&
               a.joint_break_count == b.joint_break_count && a.wake_count == b.wake_count &&
               a.sleep_count == b.sleep_count,
           "%s, seed %llu, tick %u: other events", scene ? scene : "crowd", (unsigned long long)seed, tick);
}

/// @param scene  NULL: a crowd
static void history_run(const char *scene, uint32_t tick_count, uint64_t seed) {
    history h;
    history_init(&h, scene, seed);
    for (uint32_t tick = 0; tick < tick_count; ++tick) {
        // Mostly nothing changes, so that much is kept; and at times much does.
        for (uint32_t n = chance(&h.random, 3) ? 1 + rng_below(&h.random, 3) : 0; n > 0; --n) {
            change(h.world, &h.random);
        }
        if (chance(&h.random, 10)) {
            h.image_size = iso_world_save(h.world, h.image, iso_world_image_size_max(h.world));
        } else if (chance(&h.random, 20) && h.image_size != 0) {
            EXPECT_STATUS(iso_world_restore(h.world, h.image, h.image_size), ISO_OK);
        } else if (chance(&h.random, 20)) {
            change(h.world, &h.random);
            iso_world_drop_caches(h.world);
        }
        history_compare(&h, scene, seed, tick);
    }
    history_term(&h);
}

static void test_every_tick_is_that_of_a_decoded_world(void **state) {
    (void)state;
    static const struct {
        const char *scene;
        uint32_t ticks;
    } runs[] = {{"ragdolls", 150}, {"everything", 150},     {"walker", 150},     {"compounds", 80},
                {"bridge", 80},    {"suspension-car", 100}, {"gear-train", 80},  {"ratchet-winch", 80},
                {"shapes", 100},   {"pulley-lift", 60},     {"ragdoll-pile", 8}, {"stack", 150},
                {"washer", 2}};
    for (uint32_t round = 0; round < round_count; ++round) {
        for (size_t i = 0; i < sizeof runs / sizeof runs[0]; ++i) {
            history_run(runs[i].scene, runs[i].ticks, 1 + round * 100 + i);
        }
    }
    EXPECT(seen.kept_hinges > 200 && seen.kept_contacts > 200, "ticks that kept hinges, contacts: %u, %u",
           seen.kept_hinges, seen.kept_contacts);
}

static void test_every_tick_of_a_crowd_is_that_of_a_decoded_world(void **state) {
    (void)state;
    for (uint32_t round = 0; round < 8 * round_count; ++round) {
        history_run(NULL, 30, 1 + round);
    }
    EXPECT(seen.joints_beyond > 10 && seen.contacts_beyond > 10 && seen.dropped > 10 && seen.overfull > 5,
           "ticks with joints and contacts beyond the colours %u, %u; with dropped contacts, without a list of pairs "
           "%u, %u",
           seen.joints_beyond, seen.contacts_beyond, seen.dropped, seen.overfull);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_tick_of_a_crowd_is_that_of_a_decoded_world),
        cmocka_unit_test(test_every_tick_is_that_of_a_decoded_world),
    };
    if (argc == 3 && strcmp(argv[1], "--rounds") == 0) {
        round_count = (uint32_t)atoi(argv[2]);
    }
    return cmocka_run_group_tests_name("state_history", tests, NULL, NULL);
}
