/// Queries from inside a step: a game that asks in every one of its functions and acts on the answers goes on the same
/// after a restore, a decode and without caches; and what a game sees at which moment.
#include "unit/state/test_state_util.h"

#include "world/world.h"

#define TICKS    300u
#define MEMBERS  4u
#define EVERYONE ((iso_owner){0, ISO_OWNER_EVERYONE})

// ---- a game that lives by queries ------------------------------------------------------------------

enum { COUNT_PUSHED, COUNT_MADE, COUNT_PULLED, COUNT_SWALLOWED, COUNTS };

typedef struct gun_state {
    uint64_t digest; // of all answers
    uint32_t ball_index[MEMBERS];
    uint32_t ball_generation[MEMBERS];
    uint32_t counts[COUNTS];
} gun_state;

#define GUN_FIELD(name, count, type) \
    { #name, "", (uint32_t)offsetof(gun_state, name), count, type }
static const iso_field gun_fields[] = {
    GUN_FIELD(digest, 1, ISO_FIELD_U64),
    GUN_FIELD(ball_index, MEMBERS, ISO_FIELD_U32),
    GUN_FIELD(ball_generation, MEMBERS, ISO_FIELD_U32),
    GUN_FIELD(counts, COUNTS, ISO_FIELD_U32),
};
_Static_assert(sizeof(gun_state) == 8 + 4 * (2 * MEMBERS + COUNTS), "a field of the gun is not listed");

static void gun_note(gun_state *gun, uint64_t number) {
    gun->digest = (gun->digest ^ number) * UINT64_C(0x9E3779B97F4A7C15);
    gun->digest ^= gun->digest >> 29;
}

static void gun_note_hit(gun_state *gun, iso_shape_id shape, iso_body_id body, int64_t measure) {
    gun_note(gun, (uint64_t)shape.index << 32 | shape.generation);
    gun_note(gun, (uint64_t)body.index << 32 | body.generation);
    gun_note(gun, (uint64_t)measure);
}

static iso_body_id gun_ball(const iso_world *world, const gun_state *gun, uint32_t slot) {
    const iso_body_id ball = {gun->ball_index[slot], gun->ball_generation[slot]};
    return iso_body_is_valid(world, ball) ? ball : (iso_body_id){0, 0};
}

static iso_vec2 gun_point(iso_vec2_wide place) {
    return (iso_vec2){iso_fix16_from_wide(place.x), iso_fix16_from_wide(place.y)};
}

static iso_body_id gun_make(iso_world *world, iso_vec2 place, iso_owner owner, fix16_t radius) {
    iso_body_def def = iso_body_def_default();
    def.position = iso_vec2_to_wide(place);
    def.owner = owner;
    iso_body_id body = {0, 0};
    const iso_shape_def ball = iso_shape_def_circle(radius);
    iso_shape_id shape;
    if (iso_body_create(world, &def, &body) == ISO_OK && iso_shape_create(world, body, &ball, &shape) != ISO_OK) {
        iso_body_destroy(world, body);
        body = (iso_body_id){0, 0};
    }
    return body;
}

static void gun_join(iso_world *world, void *state, uint32_t slot) {
    gun_state *gun = state;
    iso_slot_view view;
    assert_true(iso_world_get_slot(world, slot, &view));
    const iso_vec2 place = {(3 * (int32_t)slot - 5) * METRE, 8 * METRE};
    const iso_body_id ball = gun_make(world, place, (iso_owner){view.generation, (uint16_t)slot}, METRE / 2);
    gun->ball_index[slot] = ball.index;
    gun->ball_generation[slot] = ball.generation;
}

/// What a ray hits first besides the body that it begins in.
static bool gun_aim(const iso_world *world, gun_state *gun, iso_body_id from, iso_vec2_wide centre, iso_vec2_wide ray,
                    iso_ray_hit *hit) {
    iso_ray_hit hits[3];
    uint32_t count;
    assert_int_equal(iso_query_ray_all(world, centre, ray, iso_query_filter_default(), hits, 3, &count), ISO_OK);
    gun_note(gun, count);
    for (uint32_t i = 0; i < count && i < 3; ++i) {
        gun_note_hit(gun, hits[i].shape, hits[i].body, hits[i].fraction);
        if (!iso_body_id_equal(hits[i].body, from)) {
            *hit = hits[i];
            return true;
        }
    }
    return false;
}

/// Two signed bytes: a direction. Pushes what is hit, or leaves a ball at the wall.
static iso_status gun_command(iso_world *world, void *state, uint32_t slot, const uint8_t *bytes, size_t size) {
    gun_state *gun = state;
    const iso_body_id ball = gun_ball(world, gun, slot);
    iso_body_view view, target;
    if (size != 2 || iso_body_get(world, ball, &view) != ISO_OK) {
        return ISO_ERR_REFUSED;
    }
    const iso_vec2_wide way = {(int8_t)bytes[0] * ISO_WIDE_ONE, (int8_t)bytes[1] * ISO_WIDE_ONE};
    iso_ray_hit hit;
    if (!gun_aim(world, gun, ball, view.centre, way, &hit)) {
        return ISO_ERR_REFUSED;
    }
    assert_int_equal(iso_body_get(world, hit.body, &target), ISO_OK);
    if (target.type == ISO_BODY_DYNAMIC) {
        gun->counts[COUNT_PUSHED] += 1;
        return iso_body_apply_impulse(world, hit.body, (iso_vec2_wide){way.x / 32, way.y / 32},
                                      iso_vec2_to_wide(gun_point(hit.point)));
    }
    const iso_vec2_wide out = {hit.point.x + hit.normal.x, hit.point.y + hit.normal.y}; // a quarter of a metre
    gun->counts[COUNT_MADE] += gun_make(world, gun_point(out), EVERYONE, METRE / 5).generation != 0;
    return ISO_OK;
}

/// Pulls what is near a ball, and turns it where the ball's shadow falls on it.
static void gun_pull(iso_world *world, gun_state *gun, iso_body_id ball) {
    iso_body_view view, other;
    if (iso_body_get(world, ball, &view) != ISO_OK) {
        return;
    }
    const iso_wide reach = 2 * ISO_WIDE_ONE;
    const iso_vec2_wide lower = {view.centre.x - reach, view.centre.y - reach};
    const iso_vec2_wide upper = {view.centre.x + reach, view.centre.y + reach};
    iso_overlap_hit hits[6], shadow;
    uint32_t count, shadow_count;
    assert_int_equal(iso_query_box_all(world, lower, upper, iso_query_filter_default(), hits, 6, &count), ISO_OK);
    for (uint32_t i = 0; i < count && i < 6; ++i) {
        gun_note_hit(gun, hits[i].shape, hits[i].body, hits[i].separation);
        assert_int_equal(iso_body_get(world, hits[i].body, &other), ISO_OK);
        const iso_vec2_wide force = {view.centre.x - other.centre.x, view.centre.y - other.centre.y};
        gun->counts[COUNT_PULLED] += !iso_body_id_equal(hits[i].body, ball) &&
                                     iso_body_apply_force_to_centre(world, hits[i].body, force) == ISO_OK;
    }
    const iso_shape_def box = iso_shape_def_box(METRE, METRE / 4);
    const iso_vec2_wide below = {view.centre.x, view.centre.y - reach};
    assert_int_equal(
        iso_query_shape_closest(world, &box, below, view.angle, iso_query_filter_default(), &shadow, &shadow_count),
        ISO_OK);
    if (shadow_count == 1) {
        gun_note_hit(gun, shadow.shape, shadow.body, shadow.separation);
        (void)iso_body_apply_torque(world, shadow.body, shadow.separation);
    }
}

static void gun_before_step(iso_world *world, void *state) {
    for (uint32_t slot = 0; slot < MEMBERS; ++slot) {
        gun_pull(world, state, gun_ball(world, state, slot));
    }
}

/// A hole that swallows the nearest thing which moves and is nobody's, and spits it out somewhere above.
static void gun_after_step(iso_world *world, void *state) {
    gun_state *gun = state;
    const iso_vec2_wide hole = {iso_wide_from_int((int32_t)(iso_world_get_tick(world) % 8) - 4), ISO_WIDE_ONE};
    iso_point_hit hits[4];
    uint32_t count, left;
    const iso_query_filter filter = iso_query_filter_default();
    assert_int_equal(iso_query_point_all(world, hole, ISO_WIDE_ONE / 2, filter, hits, 4, &count), ISO_OK);
    for (uint32_t i = 0; i < count && i < 4; ++i) {
        gun_note_hit(gun, hits[i].shape, hits[i].body, hits[i].distance);
    }
    iso_body_view view;
    if (count == 0 || iso_body_get(world, hits[0].body, &view) != ISO_OK || view.type != ISO_BODY_DYNAMIC ||
        view.owner.slot < MEMBERS || iso_world_get_tick(world) % 3 != 0) {
        return;
    }
    assert_int_equal(iso_body_destroy(world, hits[0].body), ISO_OK);
    // It is not seen any more.
    assert_int_equal(iso_query_point_all(world, hole, ISO_WIDE_ONE / 2, filter, NULL, 0, &left), ISO_OK);
    assert_int_equal(left, count - 1);
    const int32_t x = (int32_t)(iso_world_random(world) % 12u) - 6;
    (void)gun_make(world, (iso_vec2){x * METRE, 9 * METRE}, view.owner, METRE / 3);
    gun->counts[COUNT_SWALLOWED] += 1;
}

static const iso_game gun_game = {
    .name = "gun",
    .version = 1,
    .control_layout = "none",
    .state_size = sizeof(gun_state),
    .fields = gun_fields,
    .field_count = sizeof gun_fields / sizeof gun_fields[0],
    .join = gun_join,
    .command = gun_command,
    .before_step = gun_before_step,
    .after_step = gun_after_step,
    .authorize = iso_game_authorize_owner,
};

static iso_world *gun_world(void) {
    iso_world_def def = util_world_def();
    memset(def.game, 0, sizeof def.game);
    memset(def.game_params, 0, sizeof def.game_params);
    strcpy(def.game, gun_game.name);
    return util_world_create(&def, &gun_game);
}

// ---- the same session in several ways --------------------------------------------------------------

static uint32_t number_at(uint64_t tick, uint32_t what) {
    uint64_t z = (tick * 64 + what) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 31) * UINT64_C(0x94D049BB133111EB);
    return (uint32_t)(z >> 32);
}

/// Everybody shoots and throws things into the way; the input follows from the tick alone.
static void gun_step(iso_world *world, uint32_t variant) {
    const uint64_t tick = iso_world_get_tick(world) + 1;
    const iso_change joins[2] = {{ISO_CHANGE_JOIN, 0, 1}, {ISO_CHANGE_JOIN, 2, 1}};
    iso_sealed_command commands[4] = {{0}};
    for (uint32_t i = 0; i < 4; ++i) {
        commands[i].slot = (uint8_t)(i / 2 * 2);
        commands[i].sequence = 4 * tick + i;
        commands[i].command.kind = ISO_COMMAND_CUSTOM;
        commands[i].command.as.custom.size = 2;
        commands[i].command.as.custom.bytes[0] = (uint8_t)number_at(tick, 2 * i + variant);
        commands[i].command.as.custom.bytes[1] = (uint8_t)number_at(tick, 2 * i + 1 + variant);
    }
    if (tick % 30 == 0) {
        // Before the second shot of the same member, which may hit it.
        iso_command_spawn_body *spawn = &commands[0].command.as.spawn_body;
        commands[0].command.kind = ISO_COMMAND_SPAWN_BODY;
        spawn->body = iso_body_def_default();
        spawn->body.position = iso_vec2_to_wide((iso_vec2){(int32_t)(number_at(tick, 20) % 8) * METRE, 7 * METRE});
        spawn->shape = iso_shape_def_box(METRE / 2, METRE / 3);
    }
    util_step(world, joins, tick == 1 ? 2 : 0, commands, 4);
}

typedef enum play_kind { PLAY_PLAIN, PLAY_RESTORE, PLAY_DECODE, PLAY_DROP, PLAY_KINDS } play_kind;

/// Goes astray for some ticks and comes back.
static void play_restore(iso_world *world) {
    const size_t size = iso_world_image_size(world);
    void *image = malloc(size);
    assert_int_equal(iso_world_save(world, image, size), size);
    for (int i = 0; i < 5; ++i) {
        gun_step(world, 40);
    }
    assert_int_equal(iso_world_restore(world, image, size), ISO_OK);
    free(image);
}

/// Goes on in another world, which knows of this one only what a snapshot holds.
static iso_world *play_decode(iso_world *world) {
    const size_t size = iso_snapshot_size(world);
    uint8_t *bytes = malloc(size);
    assert_int_equal(iso_snapshot_encode(world, bytes, size), size);
    iso_world *next = gun_world();
    assert_int_equal(iso_snapshot_decode(next, bytes, size), ISO_OK);
    util_world_free(world);
    free(bytes);
    return next;
}

static void play(play_kind kind, uint64_t seed, uint64_t roots[TICKS], gun_state *end) {
    iso_world *world = gun_world();
    util_world_fill(world);
    iso_world_start(world);
    for (uint32_t i = 0; i < TICKS; ++i) {
        const bool now = number_at(i, (uint32_t)seed) % 7 == 0;
        if (now && kind == PLAY_RESTORE && i > 0) {
            play_restore(world);
        } else if (now && kind == PLAY_DECODE) {
            world = play_decode(world);
        } else if (now && kind == PLAY_DROP) {
            iso_world_drop_caches(world);
        }
        gun_step(world, 0);
        roots[i] = iso_world_root(world);
    }
    memcpy(end, world->game_state, sizeof *end);
    util_world_free(world);
}

static void test_a_game_may_live_by_queries(void **state) {
    (void)state;
    static uint64_t first[TICKS], again[TICKS];
    gun_state begin, end;
    play(PLAY_PLAIN, 1, first, &begin);
    // Every question was asked often enough, and its answer mattered.
    assert_true(begin.counts[COUNT_PUSHED] > 200 && begin.counts[COUNT_MADE] > 20);
    assert_true(begin.counts[COUNT_PULLED] > 100 && begin.counts[COUNT_SWALLOWED] > 5);
    for (play_kind kind = PLAY_PLAIN; kind < PLAY_KINDS; ++kind) {
        for (uint64_t seed = 50; seed < 53; ++seed) {
            play(kind, seed, again, &end);
            for (uint32_t i = 0; i < TICKS; ++i) {
                if (again[i] != first[i]) {
                    fail_msg("way %d, seed %d: the root after tick %u differs", (int)kind, (int)seed, i + 1);
                }
            }
            assert_memory_equal(&end, &begin, sizeof end);
        }
    }
}

// ---- what is seen when -----------------------------------------------------------------------------

typedef struct sight {
    char moment; // 'c'ommand, 'b'efore or 'a'fter the step
    bool is_found;
    iso_body_id body;
    iso_wide x; // [m] where the ray enters
} sight;

static sight sights[16];
static uint32_t sight_count;

/// Along the line y = 20 m from the left, far above everything else.
static void look(const iso_world *world, char moment) {
    iso_ray_hit hit;
    uint32_t count;
    const iso_vec2_wide from = {-100 * ISO_WIDE_ONE, 20 * ISO_WIDE_ONE}, way = {200 * ISO_WIDE_ONE, 0};
    assert_int_equal(iso_query_ray_closest(world, from, way, iso_query_filter_default(), &hit, &count), ISO_OK);
    assert_true(sight_count < sizeof sights / sizeof sights[0]);
    sights[sight_count++] = count == 1 ? (sight){moment, true, hit.body, hit.point.x} : (sight){.moment = moment};
}

static iso_status look_command(iso_world *world, void *state, uint32_t slot, const uint8_t *bytes, size_t size) {
    (void)state, (void)slot, (void)bytes, (void)size;
    look(world, 'c');
    return ISO_OK;
}

static void look_before(iso_world *world, void *state) {
    (void)state;
    look(world, 'b');
}

static void look_after(iso_world *world, void *state) {
    (void)state;
    look(world, 'a');
}

static const iso_game look_game = {.name = "gun",
                                   .version = 1,
                                   .control_layout = "none",
                                   .command = look_command,
                                   .before_step = look_before,
                                   .after_step = look_after,
                                   .authorize = iso_game_authorize_owner};

static iso_world *look_world(void) {
    iso_world_def def = util_world_def();
    memset(def.game, 0, sizeof def.game);
    memset(def.game_params, 0, sizeof def.game_params);
    strcpy(def.game, look_game.name);
    iso_world *world = util_world_create(&def, &look_game);
    assert_int_equal(iso_world_set_gravity(world, (iso_vec2){0, 0}), ISO_OK);
    iso_world_start(world);
    const iso_change join = {ISO_CHANGE_JOIN, 0, 1};
    util_step(world, &join, 1, NULL, 0);
    return world;
}

/// A tick with this command between two looks, and the sights of it.
static void look_around(iso_world *world, const iso_command *command) {
    iso_sealed_command commands[3] = {{0}};
    for (uint32_t i = 0; i < 3; ++i) {
        commands[i].sequence = 3 * iso_world_get_tick(world) + i + 1;
        commands[i].command.kind = ISO_COMMAND_CUSTOM;
    }
    commands[1].command = *command;
    sight_count = 0;
    util_step(world, NULL, 0, commands, 3);
    uint32_t count;
    assert_int_equal(iso_world_get_results(world, &count)[1].status, ISO_OK);
    assert_int_equal(sight_count, 4);
    assert_true(sights[2].moment == 'b' && sights[3].moment == 'a');
}

static void test_a_game_sees_what_earlier_commands_have_done(void **state) {
    (void)state;
    iso_world *world = look_world();
    iso_command command;
    memset(&command, 0, sizeof command);
    command.kind = ISO_COMMAND_SPAWN_BODY;
    command.as.spawn_body.body = iso_body_def_default();
    command.as.spawn_body.body.position.y = iso_wide_from_fix16(20 * METRE);
    command.as.spawn_body.shape = iso_shape_def_box(METRE, METRE);
    look_around(world, &command);
    assert_true(!sights[0].is_found && sights[1].is_found && sights[2].is_found && sights[3].is_found);
    assert_true(sights[1].x == -ISO_WIDE_ONE && sights[3].x == -ISO_WIDE_ONE);
    const iso_body_id box = sights[1].body;

    // Another piece of it, 5 m to the left, and gone again.
    memset(&command, 0, sizeof command);
    command.kind = ISO_COMMAND_CREATE_SHAPE;
    command.as.create_shape.body = box;
    command.as.create_shape.shape = iso_shape_def_circle(METRE);
    command.as.create_shape.shape.points[0].x = -5 * METRE;
    look_around(world, &command);
    assert_true(sights[0].x == -ISO_WIDE_ONE && iso_body_id_equal(sights[1].body, box));
    assert_true(llabs(sights[1].x + 6 * ISO_WIDE_ONE) <= 4 && sights[2].x == sights[1].x && sights[3].x == sights[1].x);

    memset(&command, 0, sizeof command);
    command.kind = ISO_COMMAND_DESTROY_BODY;
    command.as.destroy_body.body = box;
    look_around(world, &command);
    assert_true(sights[0].is_found && !sights[1].is_found && !sights[2].is_found && !sights[3].is_found);
    util_world_free(world);
}

static void test_poses_are_those_of_the_last_tick_until_the_step_is_over(void **state) {
    (void)state;
    iso_world *world = look_world();
    const iso_shape_def box = iso_shape_def_box(METRE, METRE);
    const iso_body_id body = util_add_body(world, ISO_BODY_DYNAMIC, 0, 20 * METRE, &box);
    assert_int_equal(iso_body_set_owner(world, body, EVERYONE), ISO_OK);

    iso_command command;
    memset(&command, 0, sizeof command);
    command.kind = ISO_COMMAND_SET_VELOCITY;
    command.as.set_velocity.body = body;
    command.as.set_velocity.velocity.x = iso_wide_from_fix16(60 * METRE); // a metre in a tick
    iso_wide x = -ISO_WIDE_ONE;
    for (int i = 0; i < 3; ++i) {
        look_around(world, &command);
        assert_true(sights[0].x == x && sights[1].x == x && sights[2].x == x);
        iso_body_view view;
        assert_int_equal(iso_body_get(world, body, &view), ISO_OK);
        assert_true(sights[3].x == view.position.x - ISO_WIDE_ONE);
        assert_true(llabs(sights[3].x - x - ISO_WIDE_ONE) < ISO_WIDE_ONE / 100);
        x = sights[3].x;
    }
    assert_int_equal(iso_body_destroy(world, body), ISO_OK);

    // A target is nothing to be seen before the body stands there.
    const iso_body_id lift = util_add_body(world, ISO_BODY_KINEMATIC, -3 * METRE, 20 * METRE, &box);
    assert_int_equal(iso_body_set_owner(world, lift, EVERYONE), ISO_OK);
    memset(&command, 0, sizeof command);
    command.kind = ISO_COMMAND_MOVE_KINEMATIC;
    command.as.move_kinematic.body = lift;
    command.as.move_kinematic.position = iso_vec2_to_wide((iso_vec2){-2 * METRE, 20 * METRE});
    look_around(world, &command);
    assert_true(sights[0].x == -4 * ISO_WIDE_ONE && sights[1].x == sights[0].x && sights[2].x == sights[0].x);
    assert_true(sights[3].x == -3 * ISO_WIDE_ONE);
    util_world_free(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_game_may_live_by_queries),
        cmocka_unit_test(test_a_game_sees_what_earlier_commands_have_done),
        cmocka_unit_test(test_poses_are_those_of_the_last_tick_until_the_step_is_over),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
