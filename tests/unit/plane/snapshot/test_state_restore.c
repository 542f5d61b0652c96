/// Caches kept over restores: after any history a world is its image, and goes on as a new world from the same
/// snapshot.
///
/// test_state_restore [--rounds N]    restores and new worlds that are compared, 1,000 in a full run
#include "unit/world/physics_util.h"

#include "scene_world.h"
#include "plane/dynamics/broad_phase.h"
#include "world/world.h"

#define KEPT 8u // states that may come back

static uint32_t round_count = 120;

typedef struct kept_state {
    uint8_t *image, *snapshot;
    size_t image_size, snapshot_size;
    uint64_t root;
} kept_state;

typedef struct stage {
    iso_world *world;
    kept_state kept[KEPT];
    uint32_t kept_count; // ever
    rng random;
} stage;

static void stage_init(stage *s, const char *scene, uint64_t seed) {
    memset(s, 0, sizeof *s);
    s->world = scene_world_make("test_state_restore", iso_builtin_scene_find(scene), NULL);
    s->random = (rng){seed};
    for (uint32_t i = 0; i < KEPT; ++i) {
        s->kept[i].image = malloc(iso_world_image_size_max(s->world));
        assert_non_null(s->kept[i].image);
    }
}

static void stage_term(stage *s) {
    for (uint32_t i = 0; i < KEPT; ++i) {
        free(s->kept[i].image);
        free(s->kept[i].snapshot);
    }
    free(s->world);
}

static void stage_keep(stage *s) {
    kept_state *to = &s->kept[s->kept_count++ % KEPT];
    to->image_size = iso_world_save(s->world, to->image, iso_world_image_size_max(s->world));
    assert_int_equal(to->image_size, iso_world_image_size(s->world));
    to->snapshot_size = iso_snapshot_size(s->world);
    free(to->snapshot);
    to->snapshot = malloc(to->snapshot_size);
    assert_int_equal(iso_snapshot_encode(s->world, to->snapshot, to->snapshot_size), to->snapshot_size);
    to->root = iso_world_root(s->world);
}

// ---- what happens to a world ---------------------------------------------------------------------

/// [m], within 6 m.
static iso_wide rng_wide(rng *random) {
    return iso_wide_from_fix16(fix(rng_range(random, -6, 6)));
}

static iso_body_id pick_body(const iso_world *world, rng *random) {
    const iso_body_id body = iso_body_next(world, rng_below(random, world->globals->body_count));
    return body.generation != 0 ? body : iso_body_next(world, 0);
}

static iso_shape_id pick_shape(const iso_world *world, rng *random) {
    const uint32_t shape = rng_below(random, world->globals->shape_count);
    return (iso_shape_id){shape, world->shape_generations[shape]};
}

static iso_joint_id pick_joint(const iso_world *world, rng *random) {
    return iso_joint_next(world, rng_below(random, world->globals->joint_count + 1));
}

static void toggle_joint(iso_world *world, iso_joint_id joint) {
    iso_joint_def def;
    if (iso_joint_get(world, joint, &def) == ISO_OK) {
        def.enabled = !def.enabled;
        (void)iso_joint_set(world, joint, &def);
    }
}

/// A change from outside between two ticks; not all are possible, which is none of ours.
static void disturb(iso_world *world, rng *random) {
    const iso_shape_def box = iso_shape_def_box(ONE / 4, ONE / 3);
    iso_shape_id shape;
    switch (rng_below(random, 11)) {
    case 0:
        (void)iso_body_destroy(world, pick_body(world, random));
        break;
    case 1:
        (void)iso_shape_create(world, pick_body(world, random), &box, &shape);
        break;
    case 2:
        (void)iso_shape_destroy(world, pick_shape(world, random));
        break;
    case 3:
        (void)iso_joint_destroy(world, pick_joint(world, random));
        break;
    case 4: {
        const iso_filter filter = {1u << rng_below(random, 3), ~(1u << rng_below(random, 3)),
                                   (int32_t)rng_below(random, 3) - 1};
        (void)iso_shape_set_filter(world, pick_shape(world, random), filter);
        break;
    }
    case 5:
        (void)iso_body_set_type(world, pick_body(world, random), (uint8_t)(1 + rng_below(random, 3)));
        break;
    case 6:
        (void)iso_body_set_mass(world, pick_body(world, random), (1 + rng_below(random, 5)) * ISO_WIDE_ONE, 0);
        break;
    case 7:
        toggle_joint(world, pick_joint(world, random));
        break;
    case 8: {
        const iso_vec2_wide place = {rng_wide(random), ISO_WIDE_ONE + rng_wide(random)};
        (void)iso_body_set_position(world, pick_body(world, random), place, 0);
        break;
    }
    case 9:
        (void)iso_body_wake(world, pick_body(world, random));
        break;
    default:
        iso_world_drop_caches(world);
        break;
    }
}

/// A tick in which some members steer, shoot or spawn.
typedef struct tick {
    iso_sealed_command commands[8];
    uint32_t count;
} tick;

static void tick_fill(tick *made, const iso_world *world, rng *random) {
    made->count = 0;
    for (uint32_t slot = 0; slot < iso_world_get_def(world)->slot_capacity; ++slot) {
        iso_slot_view view;
        if (!iso_world_get_slot(world, slot, &view) || !view.is_occupied || rng_below(random, 3) != 0) {
            continue;
        }
        iso_sealed_command *sealed = &made->commands[made->count++];
        memset(sealed, 0, sizeof *sealed);
        sealed->slot = (uint8_t)slot;
        sealed->sequence = view.last_sequence + 1;
        if (rng_below(random, 4) != 0) {
            sealed->command.kind = ISO_COMMAND_SET_CONTROL;
            sealed->command.as.set_control.size = 8;
            for (int i = 0; i < 8; ++i) {
                sealed->command.as.set_control.bytes[i] = (uint8_t)rng_below(random, 256);
            }
        } else if (rng_below(random, 2) != 0) {
            sealed->command.kind = ISO_COMMAND_DESTROY_BODY;
            sealed->command.as.destroy_body.body = pick_body(world, random);
        } else {
            sealed->command.kind = ISO_COMMAND_SPAWN_BODY;
            sealed->command.as.spawn_body.body = iso_body_def_default();
            sealed->command.as.spawn_body.body.position =
                (iso_vec2_wide){rng_wide(random), ISO_WIDE_ONE + rng_wide(random)};
            sealed->command.as.spawn_body.shape = iso_shape_def_circle(ONE / 4);
        }
    }
}

static void step(iso_world *world, const tick *inputs) {
    const iso_tick_input input = {iso_world_get_tick(world) + 1, NULL, 0, inputs->commands, inputs->count};
    EXPECT_STATUS(iso_world_step(world, &input), ISO_OK);
}

static void join(iso_world *world) {
    iso_change joins[4];
    for (uint8_t slot = 0; slot < 4; ++slot) {
        joins[slot] = (iso_change){ISO_CHANGE_JOIN, slot, 1};
    }
    const uint32_t count = iso_world_get_def(world)->slot_capacity < 4 ? 0 : 4;
    const iso_tick_input input = {iso_world_get_tick(world) + 1, joins, count, NULL, 0};
    EXPECT_STATUS(iso_world_step(world, &input), ISO_OK);
}

// ---- the comparison ------------------------------------------------------------------------------

static iso_world *world_from(const iso_world *like, const kept_state *from) {
    const iso_world_def *def = iso_world_get_def(like);
    const iso_game *game = iso_world_get_game(like);
    const size_t size = iso_world_size(def, game);
    void *memory = aligned_alloc(64, size);
    iso_world *world = NULL;
    assert_non_null(memory);
    EXPECT_STATUS(iso_world_create(def, game, memory, size, &world), ISO_OK);
    EXPECT_STATUS(iso_snapshot_decode(world, from->snapshot, from->snapshot_size), ISO_OK);
    return world;
}

static void expect_same_bodies(const iso_world *world, const iso_world *fresh, const char *when, uint32_t round) {
    for (uint32_t i = 0; i < world->globals->body_count; ++i) {
        const iso__plane_body_derived *a = &iso__plane_of_const(world)->body_derived[i],
                                      *b = &iso__plane_of_const(fresh)->body_derived[i];
        const bool is_same = a->mass == b->mass && a->inertia == b->inertia &&
                             a->local_centre[0] == b->local_centre[0] && a->local_centre[1] == b->local_centre[1] &&
                             a->rotation.c == b->rotation.c && a->rotation.s == b->rotation.s &&
                             a->gyration == b->gyration && a->radius_exponent == b->radius_exponent &&
                             a->first_shape == b->first_shape && a->core == b->core && a->swing == b->swing;
        EXPECT(is_same || iso__plane_of_const(world)->bodies[i].type == 0,
               "round %u, %s: derived data of body %u differ", round, when, i);
        EXPECT(iso__bit_is_set(world->awake, i) == iso__bit_is_set(fresh->awake, i),
               "round %u, %s: body %u is awake in one world", round, when, i);
    }
}

static void expect_same_shapes(const iso_world *world, const iso_world *fresh, const char *when, uint32_t round) {
    for (uint32_t i = 0; i < world->globals->shape_count; ++i) {
        const iso__plane_shape_derived *a = &iso__plane_of_const(world)->shape_derived[i],
                                       *b = &iso__plane_of_const(fresh)->shape_derived[i];
        const size_t used = iso__plane_of_const(world)->shapes[i].vertex_count * sizeof a->vertices[0];
        const bool has_normals = iso__plane_of_const(world)->shapes[i].vertex_count > 1;
        const bool is_same = memcmp(a->vertices, b->vertices, used) == 0 &&
                             (!has_normals || memcmp(a->normals, b->normals, used) == 0) &&
                             a->next_shape == b->next_shape && a->extent == b->extent && a->middle[0] == b->middle[0] &&
                             a->middle[1] == b->middle[1] && a->core == b->core && a->origin[0] == b->origin[0] &&
                             a->origin[1] == b->origin[1];
        EXPECT(is_same || iso__plane_of_const(world)->shapes[i].kind == 0,
               "round %u, %s: derived data of shape %u differ", round, when, i);
    }
}

/// Both worlds' roots, state and derived data are the same.
static void expect_same(iso_world *world, iso_world *fresh, const char *when, uint32_t round) {
    const uint64_t root = iso_world_root(world);
    EXPECT(root == iso_world_root(fresh), "round %u, %s: the roots differ", round, when);
    const size_t size = iso_snapshot_size(world);
    assert_int_equal(iso_snapshot_size(fresh), size);
    uint8_t *bytes = malloc(2 * size);
    assert_int_equal(iso_snapshot_encode(world, bytes, size), size);
    assert_int_equal(iso_snapshot_encode(fresh, bytes + size, size), size);
    EXPECT(memcmp(bytes, bytes + size, size) == 0, "round %u, %s: the states differ", round, when);
    free(bytes);
    expect_same_bodies(world, fresh, when, round);
    expect_same_shapes(world, fresh, when, round);
}

/// An older state comes back, and both go on for some ticks.
static void round_run(stage *s, uint32_t round) {
    const uint32_t known = s->kept_count < KEPT ? s->kept_count : KEPT;
    const kept_state *from = &s->kept[rng_below(&s->random, known)];
    EXPECT_STATUS(iso_world_restore(s->world, from->image, from->image_size), ISO_OK);
    iso_world *fresh = world_from(s->world, from);
    EXPECT(iso_world_root(s->world) == from->root, "round %u: the root is not that of the save", round);
    expect_same(s->world, fresh, "restored", round);
    for (uint32_t ticks = 1 + rng_below(&s->random, 4); ticks > 0; --ticks) {
        tick inputs;
        tick_fill(&inputs, s->world, &s->random);
        step(s->world, &inputs);
        step(fresh, &inputs);
        expect_same(s->world, fresh, "a step later", round);
    }
    free(fresh);
}

static void stage_go_on(stage *s) {
    for (uint32_t ticks = rng_below(&s->random, 12); ticks > 0; --ticks) {
        tick inputs;
        tick_fill(&inputs, s->world, &s->random);
        if (rng_below(&s->random, 6) == 0) {
            disturb(s->world, &s->random);
        }
        if (rng_below(&s->random, 4) == 0) {
            stage_keep(s);
        }
        step(s->world, &inputs);
    }
    if (rng_below(&s->random, 3) == 0) {
        disturb(s->world, &s->random); // and no step before the restore
    }
}

static void run_scene(const char *scene, uint32_t rounds, uint32_t warm_up) {
    for (uint32_t first = 0; first < rounds; first += 50) {
        stage s;
        stage_init(&s, scene, 1 + first);
        stage_keep(&s);
        join(s.world);
        world_steps(s.world, rng_below(&s.random, warm_up));
        stage_keep(&s);
        for (uint32_t round = first; round < rounds && round < first + 50; ++round) {
            stage_go_on(&s);
            round_run(&s, round);
        }
        stage_term(&s);
    }
}

static void test_any_history_of_restores_goes_on_as_a_new_world(void **state) {
    (void)state;
    run_scene("everything", round_count, 200);
}

static void test_stack_that_falls_asleep_goes_on_as_a_new_world(void **state) {
    (void)state;
    run_scene("stack", round_count / 4, 120);
}

// ---- one cache each ------------------------------------------------------------------------------

/// A box that lies on the ground without weight, so that its contact has the same pose in each tick; a second shape of
/// the box, beside the ground, that moves the centre of mass by millimetres if it has mass; one box more on top.
typedef struct pile {
    stage s;
    iso_body_id box;
    iso_shape_id side;
} pile;

static void pile_init(pile *p, fix16_t side_density, bool sleeps) {
    memset(p, 0, sizeof *p);
    iso_world_def def = world_def_small(0);
    def.sleep_speed = sleeps ? ONE / 20 : 0;
    p->s.world = world_make(&def);
    const iso_shape_def ground = iso_shape_def_box(2 * ONE, ONE), box = iso_shape_def_box(ONE / 2, ONE),
                        top = iso_shape_def_box(ONE, ONE);
    iso_shape_def side = iso_shape_def_circle(ONE / 2);
    side.points[0].x = 4 * ONE;
    side.density = side_density;
    body_add_shape(p->s.world, ISO_BODY_STATIC, 0, -1, 0, &ground);
    p->box = body_add_shape(p->s.world, ISO_BODY_DYNAMIC, 0, 1, 0, &box);
    body_add_shape(p->s.world, ISO_BODY_DYNAMIC, 0, 3, 0, &top);
    p->side = shape_add(p->s.world, p->box, &side);
    for (uint32_t i = 0; i < KEPT; ++i) {
        p->s.kept[i].image = malloc(iso_world_image_size_max(p->s.world));
        assert_non_null(p->s.kept[i].image);
    }
    world_steps(p->s.world, 3);
    assert_int_equal(p->s.world->globals->contact_count, 2);
    stage_keep(&p->s);
}

/// The kept state comes back to a world that has gone another way, and goes on as in a new world when it is pushed.
static void pile_goes_on(pile *p) {
    iso_world *world = p->s.world;
    EXPECT_STATUS(iso_world_restore(world, p->s.kept[0].image, p->s.kept[0].image_size), ISO_OK);
    iso_world *fresh = world_from(world, &p->s.kept[0]);
    iso_world *const both[] = {world, fresh};
    for (int i = 0; i < 2; ++i) {
        const iso_vec2_wide push = {0, -ISO_WIDE_ONE / 10}, at = {ISO_WIDE_ONE / 2, ISO_WIDE_ONE};
        EXPECT_STATUS(iso_body_apply_impulse(both[i], p->box, push, at), ISO_OK);
    }
    for (uint32_t i = 0; i < 5; ++i) {
        world_steps(world, 1);
        world_steps(fresh, 1);
        expect_same(world, fresh, "pushed", i);
    }
    free(fresh);
    stage_term(&p->s);
}

static void test_manifold_of_another_shape_does_not_come_back(void **state) {
    (void)state;
    pile p;
    pile_init(&p, 0, false);
    const uint32_t contact_count = p.s.world->globals->contact_count;
    const iso_shape_def wide = iso_shape_def_box(ONE, ONE);
    const iso_shape_id shape = iso_body_next_shape(p.s.world, p.box, 0);
    EXPECT_STATUS(iso_shape_destroy(p.s.world, shape), ISO_OK);
    assert_int_equal(shape_add(p.s.world, p.box, &wide).index, shape.index);
    world_steps(p.s.world, 3);
    assert_int_equal(p.s.world->globals->contact_count, contact_count);
    pile_goes_on(&p);
}

static void test_manifold_about_another_centre_does_not_come_back(void **state) {
    (void)state;
    pile p;
    pile_init(&p, ONE / 1000, false);
    EXPECT_STATUS(iso_shape_destroy(p.s.world, p.side), ISO_OK);
    world_steps(p.s.world, 3);
    pile_goes_on(&p);
    pile_init(&p, ONE / 1000, false);
    iso_shape_def other_side = iso_shape_def_circle(ONE / 2);
    other_side.points[0].x = -4 * ONE;
    other_side.density = ONE / 1000;
    shape_add(p.s.world, p.box, &other_side);
    world_steps(p.s.world, 3);
    pile_goes_on(&p);
    pile_init(&p, ONE / 1000, false);
    EXPECT_STATUS(iso_body_set_type(p.s.world, p.box, ISO_BODY_STATIC), ISO_OK);
    world_steps(p.s.world, 3);
    pile_goes_on(&p);
}

static void test_joint_that_came_later_keeps_nobody_apart(void **state) {
    (void)state;
    pile p;
    pile_init(&p, 0, false);
    iso_joint_def joint = iso_joint_def_default();
    joint.body_a = iso_body_next(p.s.world, 0);
    joint.body_b = p.box;
    iso_joint_id id;
    EXPECT_STATUS(iso_joint_create(p.s.world, &joint, &id), ISO_OK);
    world_steps(p.s.world, 2);
    pile_goes_on(&p);
}

/// A state in which bodies are to wake in the next step says so: a joint alone connects them.
static void test_island_wakes_again_after_a_restore(void **state) {
    (void)state;
    pile p;
    pile_init(&p, 0, true);
    EXPECT_STATUS(iso_body_destroy(p.s.world, iso_body_next(p.s.world, p.box.index + 1)), ISO_OK); // it would wake all
    const iso_shape_def ball = shape_circle(0.5);
    const iso_body_id far = body_add_shape(p.s.world, ISO_BODY_DYNAMIC, 40, 3, 0, &ball);
    iso_joint_def joint = iso_joint_def_default();
    joint.kind = ISO_JOINT_DISTANCE;
    joint.body_a = p.box;
    joint.body_b = far;
    joint.rest = 40 * ONE;
    iso_joint_id id;
    EXPECT_STATUS(iso_joint_create(p.s.world, &joint, &id), ISO_OK);
    world_steps(p.s.world, 100);
    assert_false(iso_body_is_awake(p.s.world, far));
    EXPECT_STATUS(iso_body_wake(p.s.world, p.box), ISO_OK);
    p.s.kept_count = 0;
    stage_keep(&p.s);
    world_steps(p.s.world, 1);
    assert_true(iso_body_is_awake(p.s.world, far));
    EXPECT_STATUS(iso_world_restore(p.s.world, p.s.kept[0].image, p.s.kept[0].image_size), ISO_OK);
    assert_false(iso_body_is_awake(p.s.world, far));
    world_steps(p.s.world, 1);
    assert_true(iso_body_is_awake(p.s.world, far));
    stage_term(&p.s);
}

/// What is the same in both states costs nothing in the next step.
static void test_restore_keeps_what_does_not_differ(void **state) {
    (void)state;
    pile p;
    pile_init(&p, 0, false);
    iso_world *world = p.s.world;
    world_steps(world, 3);
    EXPECT_STATUS(iso_world_restore(world, p.s.kept[0].image, p.s.kept[0].image_size), ISO_OK);
    assert_true(iso__plane_of(world)->contact_manifolds[0] != 0 && iso__plane_of(world)->contact_manifolds[1] != 0);
    assert_int_equal(iso__plane_of(world)->reshaped[0], 0);
    assert_false(world->wakes_islands);
    assert_false(world->has_changed_joints);
    assert_true(iso__plane_of(world)->broad_phase->pair_count >= 2);
    // A body that has moved alone is compared again, and its contacts.
    const iso_vec2_wide away = {0, 4 * ISO_WIDE_ONE};
    EXPECT_STATUS(iso_body_set_position(world, iso_body_next(world, p.box.index + 1), away, 0), ISO_OK);
    world_steps(world, 1);
    EXPECT_STATUS(iso_world_restore(world, p.s.kept[0].image, p.s.kept[0].image_size), ISO_OK);
    assert_true(iso__plane_of(world)->contact_manifolds[0] != 0 && iso__plane_of(world)->contact_manifolds[1] == 0);
    pile_goes_on(&p);
}

/// Nothing looks for the boxes of a sleeping world; what wakes it finds them.
static void test_sleeping_world_needs_no_boxes(void **state) {
    (void)state;
    pile p;
    pile_init(&p, 0, true);
    iso_world *world = p.s.world;
    world_steps(world, 100);
    assert_int_equal(world_counts(world).awake_bodies, 0);
    iso_world_drop_caches(world);
    world_steps(world, 1);
    assert_int_equal(iso__plane_of(world)->broad_phase->tree.root, ISO__PLANE_TREE_NULL);
    p.s.kept_count = 0;
    stage_keep(&p.s);
    pile_goes_on(&p);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_any_history_of_restores_goes_on_as_a_new_world),
        cmocka_unit_test(test_stack_that_falls_asleep_goes_on_as_a_new_world),
        cmocka_unit_test(test_manifold_of_another_shape_does_not_come_back),
        cmocka_unit_test(test_manifold_about_another_centre_does_not_come_back),
        cmocka_unit_test(test_joint_that_came_later_keeps_nobody_apart),
        cmocka_unit_test(test_island_wakes_again_after_a_restore),
        cmocka_unit_test(test_restore_keeps_what_does_not_differ),
        cmocka_unit_test(test_sleeping_world_needs_no_boxes),
    };
    if (argc == 3 && strcmp(argv[1], "--rounds") == 0) {
        round_count = (uint32_t)atoi(argv[2]);
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
