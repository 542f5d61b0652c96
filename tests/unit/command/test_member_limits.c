/// What a member can do to a world for others: what becomes of its things when it is gone, the places that are kept for
/// newcomers, and the limit of contact points.
#include "test_command_util.h"
#include "isostep/games.h"

static iso_world_counts counts_of(const iso_world *world) {
    iso_world_counts counts;
    iso_world_get_counts(world, &counts);
    return counts;
}

static void change(iso_world *world, iso_change_kind kind, uint8_t slot) {
    iso_slot_view view;
    assert_true(iso_world_get_slot(world, slot, &view));
    const iso_change one = {(uint8_t)kind, slot, view.generation + (kind == ISO_CHANGE_JOIN)};
    util_step(world, &one, 1, NULL, 0);
}

static uint64_t must_give(iso_world *world, uint8_t slot, const iso_command *command) {
    uint64_t id = 0;
    assert_int_equal(give(world, slot, command, &id), ISO_OK);
    return id;
}

static iso_command add_shape(iso_body_id body) {
    iso_command c;
    memset(&c, 0, sizeof c);
    c.kind = ISO_COMMAND_CREATE_SHAPE;
    c.as.create_shape.body = body;
    c.as.create_shape.shape = iso_shape_def_circle(METRE / 8);
    return c;
}

static iso_command drag(iso_body_id body) {
    iso_command c = join_bodies((iso_body_id){0, 0}, body);
    c.as.create_joint.joint.kind = ISO_JOINT_TARGET;
    return c;
}

/// Bodies of the scene: everyone's, nobody's, one for the first member of slot 2.
typedef struct heritage {
    iso_world *world;
    iso_body_id common, promised;          // of the scene
    uint64_t spawned, others;              // of slots 2 and 0
    uint64_t on_common, on_own, on_others; // joints of slot 2, 2 and 0
    uint64_t shape;                        // of slot 2 on the common body
} heritage;

static heritage heritage_make(const iso_game *game) {
    iso_world_def def = util_world_def();
    heritage h = {.world = util_world_create(&def, game)};
    util_world_fill(h.world);
    h.common = iso_body_next(h.world, 2);
    h.promised = iso_body_next(h.world, 3);
    assert_int_equal(iso_body_set_owner(h.world, h.common, (iso_owner){0, ISO_OWNER_EVERYONE}), ISO_OK);
    assert_int_equal(iso_body_set_owner(h.world, h.promised, (iso_owner){1, 2}), ISO_OK);
    iso_world_start(h.world);
    change(h.world, ISO_CHANGE_JOIN, 0);
    change(h.world, ISO_CHANGE_JOIN, 2);
    const iso_command first = spawn(0, 20 * METRE), second = spawn(4 * METRE, 20 * METRE);
    h.spawned = must_give(h.world, 2, &first);
    h.others = must_give(h.world, 0, &second);
    const iso_command drags[] = {drag(h.common), drag(iso_body_id_unpack(h.spawned)),
                                 drag(iso_body_id_unpack(h.others))};
    h.on_common = must_give(h.world, 2, &drags[0]);
    h.on_own = must_give(h.world, 2, &drags[1]);
    h.on_others = must_give(h.world, 0, &drags[2]);
    const iso_command shape = add_shape(h.common);
    h.shape = must_give(h.world, 2, &shape);
    return h;
}

static bool joint_lives(const iso_world *world, uint64_t id) {
    return iso_joint_is_valid(world, iso_joint_id_unpack(id));
}

static bool shape_lives(const iso_world *world, uint64_t id) {
    iso_shape_def def;
    iso_body_id body;
    return iso_shape_get(world, iso_shape_id_unpack(id), &def, &body) == ISO_OK;
}

static iso_owner owner_of(const iso_world *world, iso_body_id body) {
    iso_body_view view;
    assert_int_equal(iso_body_get(world, body, &view), ISO_OK);
    return view.owner;
}

static void test_what_a_member_spawned_goes_with_it(void **state) {
    (void)state;
    const heritage h = heritage_make(&iso_game_sandbox);
    // Held, everything is as it was; so it is when it comes back.
    const iso_world_counts before = counts_of(h.world);
    change(h.world, ISO_CHANGE_DROP, 2);
    change(h.world, ISO_CHANGE_RESUME, 2);
    change(h.world, ISO_CHANGE_DROP, 2);
    const iso_world_counts held = counts_of(h.world);
    assert_true(held.bodies == before.bodies && held.shapes == before.shapes && held.joints == before.joints);
    change(h.world, ISO_CHANGE_LEAVE, 2);
    assert_false(iso_body_is_valid(h.world, iso_body_id_unpack(h.spawned)));
    assert_false(joint_lives(h.world, h.on_common));
    assert_false(joint_lives(h.world, h.on_own));
    assert_false(shape_lives(h.world, h.shape));
    // What others have, and what the scene made, stays.
    assert_true(iso_body_is_valid(h.world, iso_body_id_unpack(h.others)));
    assert_true(joint_lives(h.world, h.on_others));
    assert_int_equal(owner_of(h.world, h.common).slot, ISO_OWNER_EVERYONE);
    assert_int_equal(owner_of(h.world, h.promised).slot, ISO_OWNER_NOBODY);
    assert_int_equal(owner_of(h.world, h.promised).generation, 0);
    assert_int_equal(iso_world_root(h.world), util_fresh_root(h.world));
    util_world_free(h.world);
}

/// The sandbox, with all that members spawned.
static iso_game keeper(void) {
    iso_game game = iso_game_sandbox;
    game.keeps_spawned = true;
    return game;
}

static void test_a_game_keeps_what_members_spawned_up_to_a_quota(void **state) {
    (void)state;
    const iso_game game = keeper();
    const heritage h = heritage_make(&game);
    h.world->def.kept_body_capacity = 2;
    iso_world_drop_caches(h.world); // the definition is hashed
    const iso_command more = spawn(-4 * METRE, 20 * METRE), last = spawn(-8 * METRE, 20 * METRE);
    const uint64_t second = must_give(h.world, 2, &more), third = must_give(h.world, 2, &last);
    change(h.world, ISO_CHANGE_LEAVE, 2);
    assert_int_equal(owner_of(h.world, iso_body_id_unpack(h.spawned)).slot, ISO_OWNER_NOBODY);
    assert_int_equal(owner_of(h.world, iso_body_id_unpack(second)).slot, ISO_OWNER_NOBODY);
    assert_false(iso_body_is_valid(h.world, iso_body_id_unpack(third)));
    assert_true(joint_lives(h.world, h.on_common) && joint_lives(h.world, h.on_own) && shape_lives(h.world, h.shape));
    assert_int_equal(h.world->joints[(uint32_t)h.on_common].owner_slot, ISO_OWNER_NOBODY);
    assert_int_equal(h.world->shapes[(uint32_t)h.shape].owner_slot, ISO_OWNER_NOBODY);
    // The quota is full: what the other one spawned goes, but not what the scene made.
    change(h.world, ISO_CHANGE_LEAVE, 0);
    assert_false(iso_body_is_valid(h.world, iso_body_id_unpack(h.others)));
    assert_int_equal(owner_of(h.world, h.promised).slot, ISO_OWNER_NOBODY);
    assert_int_equal(iso_world_root(h.world), util_fresh_root(h.world));
    util_world_free(h.world);
}

static void test_nobody_fills_the_world_by_joining_again_and_again(void **state) {
    (void)state;
    const heritage h = heritage_make(&iso_game_sandbox);
    iso_world *world = h.world;
    const iso_world_counts before = counts_of(world);
    for (uint32_t round = 0; round < 20; ++round) {
        change(world, ISO_CHANGE_JOIN, 1);
        const iso_command bodies = spawn((int32_t)round * METRE, 30 * METRE), shape = add_shape(h.common),
                          joint = drag(h.common);
        for (int i = 0; i < 12; ++i) {
            must_give(world, 1, &bodies);
            must_give(world, 1, &shape);
        }
        for (int i = 0; i < 12; ++i) {
            must_give(world, 1, &joint);
        }
        change(world, ISO_CHANGE_LEAVE, 1);
    }
    const iso_world_counts after = counts_of(world);
    assert_int_equal(after.bodies, before.bodies);
    assert_int_equal(after.shapes, before.shapes);
    assert_int_equal(after.joints, before.joints);
    util_world_free(world);
}

static void test_shapes_on_bodies_of_others_count(void **state) {
    (void)state;
    const heritage h = heritage_make(&iso_game_sandbox);
    h.world->def.game_params[4] =
        5 * ISO_WIDE_ONE; // shapes_per_slot: of the ball, the box, the promised body, on the common one
    const iso_command shape = add_shape(h.common), body = spawn(8 * METRE, 20 * METRE);
    must_give(h.world, 2, &shape);
    assert_refused(h.world, 2, &shape, ISO_ERR_QUOTA);
    assert_refused(h.world, 2, &body, ISO_ERR_QUOTA);
    must_give(h.world, 0, &shape); // another's count is its own
    util_world_free(h.world);
}

/// However much members spawn, and whatever they lost, each who comes or comes back gets a body.
static void test_places_are_kept_for_members_who_have_no_body(void **state) {
    (void)state;
    static const struct { uint32_t bodies, shapes; } capacities[] = {{12, 40}, {40, 12}};
    for (size_t i = 0; i < 2; ++i) {
        iso_world_def def = util_world_def();
        def.body_capacity = capacities[i].bodies;
        def.shape_capacity = capacities[i].shapes;
        iso_world *world = util_world_create(&def, &iso_game_sandbox);
        change(world, ISO_CHANGE_JOIN, 0);
        change(world, ISO_CHANGE_JOIN, 1);
        iso_command end;
        memset(&end, 0, sizeof end);
        end.kind = ISO_COMMAND_DESTROY_BODY;
        end.as.destroy_body.body = iso_world_get_player_body(world, 1);
        must_give(world, 1, &end); // its ball, which it may ask for again
        const iso_command more = spawn(0, 10 * METRE);
        for (uint32_t n = 0; n < 12 - 1 - 3; ++n) {
            must_give(world, 0, &more);
        }
        assert_refused(world, 0, &more, ISO_ERR_CAPACITY);
        assert_refused(world, 1, &more, ISO_ERR_CAPACITY);
        const iso_command shape = add_shape(iso_world_get_player_body(world, 0));
        assert_int_equal(give(world, 0, &shape, NULL), i == 0 ? ISO_OK : ISO_ERR_CAPACITY);
        change(world, ISO_CHANGE_JOIN, 2);
        change(world, ISO_CHANGE_JOIN, 3);
        iso_command again;
        memset(&again, 0, sizeof again);
        again.kind = ISO_COMMAND_CUSTOM;
        again.as.custom.size = 1;
        again.as.custom.bytes[0] = 1;
        must_give(world, 1, &again);
        for (uint32_t slot = 0; slot < 4; ++slot) {
            assert_true(iso_world_get_player_body(world, slot).generation != 0);
        }
        util_world_free(world);
    }
}

static void test_spawn_numbers_rise_with_each_body_that_a_step_makes(void **state) {
    (void)state;
    const heritage h = heritage_make(&iso_game_sandbox);
    iso_body_view view;
    for (iso_body_id b = iso_body_next(h.world, 0); b.generation != 0; b = iso_body_next(h.world, b.index + 1)) {
        assert_int_equal(iso_body_get(h.world, b, &view), ISO_OK);
        const bool is_members = view.owner.slot == 0 || (view.owner.slot == 2 && !iso_body_id_equal(b, h.promised));
        assert_int_equal(view.spawn_number != 0, is_members);
    }
    assert_int_equal(iso_body_get(h.world, iso_body_id_unpack(h.others), &view), ISO_OK);
    assert_int_equal(view.spawn_number, 4); // two balls, then the two boxes
    iso_command bad = spawn(0, 30 * METRE);
    bad.as.spawn_body.shape = iso_shape_def_circle(METRE / 500);
    bad.as.spawn_body.shape.density = 1;
    assert_refused(h.world, 0, &bad, ISO_ERR_RANGE);
    const iso_command more = spawn(0, 30 * METRE);
    assert_int_equal(iso_body_get(h.world, iso_body_id_unpack(must_give(h.world, 2, &more)), &view), ISO_OK);
    assert_int_equal(view.spawn_number, 5);
    util_world_free(h.world);
}

// ---- contact points ------------------------------------------------------------------------------

/// Who must lose what, found out by the public interface, the slow way.
typedef struct expectation {
    iso_body_id removed[ISO_REMOVALS_PER_TICK];
    uint32_t count;
    uint32_t left; // contact points afterwards
} expectation;

static bool is_among(const expectation *e, iso_body_id body) {
    for (uint32_t i = 0; i < e->count; ++i) {
        if (iso_body_id_equal(e->removed[i], body)) {
            return true;
        }
    }
    return false;
}

static uint32_t member_of(const iso_world *world, iso_body_id body) {
    const iso_owner owner = owner_of(world, body);
    iso_slot_view slot;
    return iso_world_get_slot(world, owner.slot, &slot) && slot.occupied && slot.generation == owner.generation
               ? owner.slot
               : 99;
}

static uint32_t points_of(const iso_world *world, const expectation *e, uint32_t member) {
    iso_contact_view contact;
    uint32_t points = 0;
    for (uint32_t i = 0; iso_world_get_contact(world, i, &contact); ++i) {
        const bool is_there = !is_among(e, contact.body_a) && !is_among(e, contact.body_b);
        const bool counts =
            member == 100 || member_of(world, contact.body_a) == member || member_of(world, contact.body_b) == member;
        points += is_there && counts ? contact.point_count : 0;
    }
    return points;
}

static iso_body_id newest_of(const iso_world *world, const expectation *e, uint32_t member) {
    iso_body_id newest = {0, 0};
    uint64_t number = 0;
    iso_body_view view;
    for (iso_body_id b = iso_body_next(world, 0); b.generation != 0; b = iso_body_next(world, b.index + 1)) {
        assert_int_equal(iso_body_get(world, b, &view), ISO_OK);
        if (!is_among(e, b) && member_of(world, b) == member && view.spawn_number > number) {
            number = view.spawn_number;
            newest = b;
        }
    }
    return newest;
}

static expectation expect_removals(const iso_world *world) {
    const uint32_t limit = iso_world_get_def(world)->contact_point_limit;
    expectation e = {.left = 0};
    e.left = points_of(world, &e, 100);
    while (limit != 0 && e.left > limit && e.count < ISO_REMOVALS_PER_TICK) {
        iso_body_id loses = {0, 0};
        uint32_t most = 0;
        for (uint32_t slot = 0; slot < 4; ++slot) {
            const iso_body_id newest = newest_of(world, &e, slot);
            const uint32_t points = points_of(world, &e, slot);
            if (newest.generation != 0 && points > most) {
                most = points;
                loses = newest;
            }
        }
        if (loses.generation == 0) {
            break;
        }
        e.removed[e.count++] = loses;
        e.left = points_of(world, &e, 100);
    }
    return e;
}

static iso_command disc(fix16_t x, fix16_t y, fix16_t radius) {
    iso_command c = spawn(x, y);
    c.as.spawn_body.shape = iso_shape_def_circle(radius);
    return c;
}

/// Three members who spawn overlapping discs, one after the other and at random, in a world that lets them have
/// `limit` points.
static iso_world *crowd_make(uint32_t limit) {
    iso_world_def def = util_world_def();
    def.contact_point_limit = limit;
    iso_world *world = util_world_create(&def, &iso_game_sandbox);
    util_world_fill(world);
    iso_world_start(world);
    for (uint8_t slot = 0; slot < 3; ++slot) {
        change(world, ISO_CHANGE_JOIN, slot);
    }
    return world;
}

static void crowd_spawn(iso_world *world, uint64_t *random, iso_sealed_command *commands, uint32_t *count) {
    *count = 0;
    for (uint8_t slot = 0; slot < 3; ++slot) {
        iso_slot_view view;
        assert_true(iso_world_get_slot(world, slot, &view));
        *random = *random * UINT64_C(6364136223846793005) + 1;
        for (uint32_t n = (*random >> 60) % 4; n > 0; --n) {
            *random = *random * UINT64_C(6364136223846793005) + 1;
            const fix16_t x = (fix16_t)(*random >> 33) % (6 * METRE),
                          y = 30 * METRE + (fix16_t)(*random >> 45) % (4 * METRE);
            commands[(*count)++] = (iso_sealed_command){slot, ++view.last_sequence, 0, disc(x, y, 2 * METRE)};
        }
    }
}

static void assert_removals(const iso_world *world, const expectation *e) {
    iso_events events;
    iso_world_get_events(world, &events);
    assert_int_equal(events.removal_count, e->count);
    for (uint32_t i = 0; i < e->count; ++i) {
        assert_true(iso_body_id_equal(events.removals[i].body, e->removed[i]));
        assert_false(iso_body_is_valid(world, e->removed[i]));
    }
}

static void test_members_with_most_contact_points_lose_their_newest_bodies(void **state) {
    (void)state;
    iso_world *world = crowd_make(160), *other = crowd_make(160);
    uint64_t random = 7, removed = 0, full_ticks = 0, scene = 0;
    for (int t = 0; t < 400; ++t) {
        const expectation e = expect_removals(world);
        const uint64_t before = counts_of(world).removed_bodies;
        iso_sealed_command commands[16];
        uint32_t count;
        crowd_spawn(world, &random, commands, &count);
        // A world that was decoded from the state goes the same way.
        const size_t size = iso_snapshot_size(world);
        uint8_t *bytes = malloc(size);
        assert_int_equal(iso_snapshot_encode(world, bytes, size), size);
        assert_int_equal(iso_snapshot_decode(other, bytes, size), ISO_OK);
        free(bytes);
        util_step(world, NULL, 0, commands, count);
        util_step(other, NULL, 0, commands, count);
        assert_int_equal(iso_world_root(world), iso_world_root(other));
        assert_removals(world, &e);
        assert_int_equal(counts_of(world).removed_bodies - before, e.count);
        removed += e.count;
        full_ticks += e.count == ISO_REMOVALS_PER_TICK;
    }
    for (iso_body_id b = iso_body_next(world, 0); b.generation != 0; b = iso_body_next(world, b.index + 1)) {
        iso_body_view view;
        assert_int_equal(iso_body_get(world, b, &view), ISO_OK);
        scene += view.spawn_number == 0;
    }
    print_message("%llu removals, %llu ticks with the most that there can be\n", (unsigned long long)removed,
                  (unsigned long long)full_ticks);
    assert_true(removed > 200);
    assert_int_equal(scene, 42); // all of them
    util_world_free(other);
    util_world_free(world);
}

/// Twenty discs of one member over each other, spawned at once: removed 16 a tick at most, the newest first.
static iso_world *heap_make(uint32_t limit, uint32_t count) {
    iso_world *world = crowd_make(limit);
    iso_sealed_command commands[64];
    for (uint32_t i = 0; i < count; ++i) {
        commands[i] = (iso_sealed_command){1, i + 1, 0, disc((fix16_t)i * METRE / 8, 40 * METRE, 3 * METRE)};
    }
    util_step(world, NULL, 0, commands, count);
    return world;
}

static void test_at_most_sixteen_bodies_go_in_a_tick_and_spawns_wait(void **state) {
    (void)state;
    iso_world *world = heap_make(120, 30);
    const uint32_t first = counts_of(world).bodies;
    const iso_command more = disc(0, 60 * METRE, METRE / 4), small = disc(-20 * METRE, 60 * METRE, METRE / 4);
    iso_slot_view view;
    assert_true(iso_world_get_slot(world, 1, &view) && !view.is_crowded);
    assert_refused(world, 1, &more, ISO_ERR_QUOTA);
    iso_events events;
    iso_world_get_events(world, &events);
    assert_int_equal(events.removal_count, 16);
    assert_true(iso_world_get_slot(world, 1, &view) && view.is_crowded);
    assert_int_equal(counts_of(world).bodies, first - 16);
    assert_true(points_of(world, &(expectation){.left = 0}, 100) > 120);
    const iso_command shape = add_shape(iso_world_get_player_body(world, 1));
    assert_refused(world, 1, &shape, ISO_ERR_QUOTA);
    must_give(world, 0, &small); // who has no part in it
    while (events.removal_count > 0) {
        util_steps(world, 1);
        iso_world_get_events(world, &events);
    }
    assert_true(points_of(world, &(expectation){.left = 0}, 100) <= 120);
    must_give(world, 1, &more);
    util_world_free(world);
}

static void test_limit_takes_nothing_at_the_limit_and_nothing_without_one(void **state) {
    (void)state;
    iso_world *world = heap_make(0, 30);
    const expectation none = {.count = 0};
    const uint32_t points = points_of(world, &none, 100);
    const uint32_t limits[] = {0, points, points - 1};
    for (size_t i = 0; i < 3; ++i) {
        world->def.contact_point_limit = limits[i];
        const size_t size = iso_world_image_size(world);
        uint8_t *image = malloc(size);
        assert_int_equal(iso_world_save(world, image, size), size);
        util_steps(world, 1);
        iso_events events;
        iso_world_get_events(world, &events);
        assert_int_equal(events.removal_count, i == 2 ? 1 : 0);
        assert_int_equal(iso_world_restore(world, image, size), ISO_OK);
        iso_world_get_events(world, &events);
        assert_int_equal(events.removal_count, 0);
        free(image);
    }
    util_world_free(world);
}

static void test_of_equal_members_the_lower_slot_loses(void **state) {
    (void)state;
    iso_world_def def = util_world_def();
    def.contact_point_limit = 2;
    iso_world *world = util_world_create(&def, &iso_game_sandbox);
    for (uint8_t slot = 0; slot < 3; ++slot) {
        change(world, ISO_CHANGE_JOIN, slot);
    }
    // Two pairs of discs, of slots 2 and 1, far from each other; and one of both, which counts for both.
    iso_sealed_command commands[] = {
        {1, 1, 0, disc(0, 60 * METRE, METRE)},          {1, 2, 0, disc(METRE, 60 * METRE, METRE)},
        {1, 3, 0, disc(90 * METRE, 60 * METRE, METRE)}, {2, 1, 0, disc(30 * METRE, 60 * METRE, METRE)},
        {2, 2, 0, disc(31 * METRE, 60 * METRE, METRE)}, {2, 3, 0, disc(91 * METRE, 60 * METRE, METRE)},
    };
    util_step(world, NULL, 0, commands, 6);
    const expectation none = {.count = 0};
    assert_int_equal(points_of(world, &none, 1), 2);
    assert_int_equal(points_of(world, &none, 2), 2);
    assert_int_equal(points_of(world, &none, 100), 3);
    change(world, ISO_CHANGE_DROP, 1); // a held member is one as before
    iso_events events;
    iso_world_get_events(world, &events);
    assert_int_equal(events.removal_count, 1);
    assert_int_equal(events.removals[0].owner.slot, 1);
    assert_int_equal(events.removals[0].body.index, 5); // three balls, then its first two discs
    util_world_free(world);
}

/// Ten discs over each other that were there at tick 0, of the first member of slot 3 or of nobody, and a ball for each of
/// two members.
static iso_world *scene_heap_make(uint32_t limit, bool is_members) {
    iso_world_def def = util_world_def();
    def.contact_point_limit = limit;
    iso_world *world = util_world_create(&def, &iso_game_sandbox);
    const iso_shape_def shape = iso_shape_def_circle(3 * METRE);
    for (int32_t i = 0; i < 10; ++i) {
        const iso_body_id body = util_add_body(world, ISO_BODY_DYNAMIC, i * METRE / 8, 60 * METRE, &shape);
        assert_int_equal(
            iso_body_set_owner(world, body, is_members ? (iso_owner){1, 3} : (iso_owner){0, ISO_OWNER_NOBODY}), ISO_OK);
    }
    iso_world_start(world);
    change(world, ISO_CHANGE_JOIN, 3);
    return world;
}

static void test_what_was_there_at_first_is_never_taken(void **state) {
    (void)state;
    iso_world *world = scene_heap_make(5, true);
    for (uint32_t tick = 0; tick < 3; ++tick) {
        util_steps(world, 1);
        iso_events events;
        iso_world_get_events(world, &events);
        assert_int_equal(events.removal_count, tick == 0 ? 1 : 0); // its ball, then there is nothing to lose
    }
    assert_true(points_of(world, &(expectation){.left = 0}, 3) > 5);
    for (uint32_t i = 0; i < 10; ++i) {
        assert_int_equal(iso_body_next(world, i).index, i);
    }
    util_world_free(world);
}

/// Where the scene makes nearly all of the points, a member who loses a body has less than its share.
static void test_who_lost_a_body_may_not_spawn(void **state) {
    (void)state;
    iso_world *world = scene_heap_make(45, false);
    const iso_command touching = disc(METRE * 9 / 8 + 5 * METRE, 60 * METRE, METRE * 9 / 4),
                      more = disc(-20 * METRE, 60 * METRE, METRE);
    const iso_body_id made = iso_body_id_unpack(must_give(world, 3, &touching));
    const uint32_t points = points_of(world, &(expectation){.left = 0}, 3);
    assert_true(points >= 1 && points < 45);
    assert_refused(world, 3, &more, ISO_ERR_QUOTA);
    assert_false(iso_body_is_valid(world, made));
    assert_true(iso_world_get_player_body(world, 3).generation != 0);
    must_give(world, 3, &more);
    util_world_free(world);
}

static void test_who_has_more_than_its_share_may_not_spawn(void **state) {
    (void)state;
    iso_world *world = heap_make(60, 30);
    world->def.contact_point_limit = 0;
    iso_sealed_command others[10];
    for (uint32_t i = 0; i < 10; ++i) {
        others[i] = (iso_sealed_command){2, i + 1, 0, disc(30 * METRE + (fix16_t)i * METRE / 8, 40 * METRE, 3 * METRE)};
    }
    util_step(world, NULL, 0, others, 10);
    world->def.contact_point_limit = 60;
    const iso_command more = disc(-20 * METRE, 60 * METRE, METRE / 4), apart = disc(-25 * METRE, 60 * METRE, METRE / 4);
    assert_refused(world, 2, &more, ISO_ERR_QUOTA);
    iso_events events;
    iso_world_get_events(world, &events);
    for (uint32_t i = 0; i < events.removal_count; ++i) {
        assert_int_equal(events.removals[i].owner.slot, 1); // 2 has lost nothing
    }
    assert_int_equal(events.removal_count, ISO_REMOVALS_PER_TICK);
    must_give(world, 0, &apart);
    util_world_free(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_a_member_spawned_goes_with_it),
        cmocka_unit_test(test_a_game_keeps_what_members_spawned_up_to_a_quota),
        cmocka_unit_test(test_nobody_fills_the_world_by_joining_again_and_again),
        cmocka_unit_test(test_shapes_on_bodies_of_others_count),
        cmocka_unit_test(test_places_are_kept_for_members_who_have_no_body),
        cmocka_unit_test(test_spawn_numbers_rise_with_each_body_that_a_step_makes),
        cmocka_unit_test(test_members_with_most_contact_points_lose_their_newest_bodies),
        cmocka_unit_test(test_at_most_sixteen_bodies_go_in_a_tick_and_spawns_wait),
        cmocka_unit_test(test_limit_takes_nothing_at_the_limit_and_nothing_without_one),
        cmocka_unit_test(test_of_equal_members_the_lower_slot_loses),
        cmocka_unit_test(test_what_was_there_at_first_is_never_taken),
        cmocka_unit_test(test_who_lost_a_body_may_not_spawn),
        cmocka_unit_test(test_who_has_more_than_its_share_may_not_spawn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
