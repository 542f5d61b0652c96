/// Worlds in space: a floor, boxes, a joint and the library's sandbox; and its rally on a small circuit.
#include "sim.h"
#include "isostep/games.h"

/// Tells now and then where a member's ball is: of others' balls a prediction is often wrong.
static void sandbox3_after_step(iso_world *world, void *state) {
    (void)state;
    const uint64_t tick = iso_world_get_tick(world);
    iso_body3_view view;
    const uint32_t slot = (uint32_t)(tick / 4 % ISO_SLOT_COUNT_MAX) % iso_world_get_def(world)->slot_capacity;
    if (tick % 4 == 0 && iso_body3_get(world, iso_world_get_player_body(world, slot), &view) == ISO_OK) {
        const int64_t place[3] = {view.position.x, view.position.y, view.position.z};
        (void)iso_world_emit(world, slot, place, sizeof place);
    }
}

static const iso_game *const *space_games(void) {
    static iso_game sandbox3; // which emits events as well
    static const iso_game *const games[] = {&sandbox3};
    sandbox3 = iso_game_sandbox3;
    sandbox3.after_step = sandbox3_after_step;
    return games;
}

static void space_draw(sim *s) {
    s->game = space_games()[0];
    s->def.dimensions = 3;
    s->def.joint_capacity = 64;
}

static iso_status space_add(iso_world *world, const iso_body3_def *def, const iso_shape3_def *shape,
                            iso_body_id *body) {
    iso_shape_id id;
    const iso_status status = iso_body3_create(world, def, body);
    return status == ISO_OK ? iso_shape3_create(world, *body, shape, &id) : status;
}

static iso_status space_connect_bodies(iso_world *world, iso_body_id a, iso_body_id b) {
    iso_joint_id joint;
    iso_joint3_def def = iso_joint3_def_default(ISO_JOINT3_BALL);
    def.body_a = a;
    def.body_b = b;
    def.frame_a.anchor.x = ISO_FIX16_ONE * 3 / 5;
    def.frame_b.anchor.x = -ISO_FIX16_ONE * 3 / 5;
    return iso_joint3_create(world, &def, &joint);
}

/// A program that a member's joints may have: a leash of two bodies.
static iso_status space_add_program(iso_world *world) {
    static const char source[] = "body dog, post scalar length limit length eps inf"
                                 " constraint |dog.position - post.position| limit constraint (-inf) length";
    static iso_program_scratch scratch;
    iso_program program;
    uint32_t index;
    const iso_status status = iso_program3_compile(source, sizeof source - 1, &scratch, &program, NULL);
    return status == ISO_OK ? iso_world_add_program(world, &program, &index) : status;
}

static iso_status space_build(sim *s, iso_world *world) {
    iso_body_id body, boxes[9] = {{0, 0}};
    iso_body3_def def = iso_body3_def_default();
    def.type = ISO_BODY_STATIC;
    const iso_shape3_def floor = iso_shape3_def_plane((iso_vec3){0, ISO_FIX16_ONE, 0}, ISO_FIX16_ONE);
    const iso_shape3_def box = iso_shape3_def_box(ISO_FIX16_ONE / 2, ISO_FIX16_ONE / 2, ISO_FIX16_ONE / 2);
    iso_status status = space_add(world, &def, &floor, &body);
    for (int32_t i = 0; i < 9 && status == ISO_OK; ++i) {
        def = iso_body3_def_default();
        def.position = iso_vec3_to_wide(
            (iso_vec3){(i % 3) * ISO_FIX16_ONE * 6 / 5, ISO_FIX16_ONE * 2 + (i / 3) * ISO_FIX16_ONE * 6 / 5, 0});
        def.owner.slot = ISO_OWNER_EVERYONE;
        status = space_add(world, &def, &box, &boxes[i]);
    }
    status = status == ISO_OK ? space_connect_bodies(world, boxes[0], boxes[1]) : status;
    status = status == ISO_OK ? space_add_program(world) : status;
    // Bodies that cost no time but make the snapshot as large as several chunks.
    for (uint32_t i = 0; i < s->static_bodies && status == ISO_OK; ++i) {
        def = iso_body3_def_default();
        def.type = ISO_BODY_STATIC;
        def.position.x = iso_wide_from_fix16((fix16_t)sim_random_below(&s->random, 1u << 26) + (200 << 16));
        def.position.y = iso_wide_from_fix16((fix16_t)sim_random_below(&s->random, 1u << 26) + (20 << 16));
        def.position.z = iso_wide_from_fix16((fix16_t)sim_random_below(&s->random, 1u << 26));
        status = space_add(world, &def, &box, &body);
    }
    return status;
}

/// Four check points round a square of walls, and a grid of four places, so that cars meet.
static iso_status rally_build(sim *s, iso_world *world) {
    (void)s;
    iso_body_id body;
    iso_body3_def def = iso_body3_def_default();
    def.type = ISO_BODY_STATIC;
    const iso_shape3_def floor = iso_shape3_def_plane((iso_vec3){0, ISO_FIX16_ONE, 0}, 0);
    iso_shape3_def box = iso_shape3_def_box(ISO_FIX16_ONE, 2 * ISO_FIX16_ONE, 6 * ISO_FIX16_ONE);
    iso_status status = space_add(world, &def, &floor, &body);
    box.is_sensor = true;
    for (int32_t i = 0; i < 4 && status == ISO_OK; ++i) {
        def.rotation = iso_quat_from_axis_angle((iso_vec3){0, ISO_FIX16_ONE, 0}, i * (ISO_WIDE_PI / 2));
        def.position = iso_quat_rotate(def.rotation, (iso_vec3_wide){0, 2 * ISO_WIDE_ONE, 12 * ISO_WIDE_ONE});
        box.tag = (uint32_t)i + 1;
        status = space_add(world, &def, &box, &body);
    }
    const iso_shape3_def wall = iso_shape3_def_box(12 * ISO_FIX16_ONE, ISO_FIX16_ONE, ISO_FIX16_ONE);
    for (int32_t i = 0; i < 4 && status == ISO_OK; ++i) {
        def.rotation = iso_quat_from_axis_angle((iso_vec3){0, ISO_FIX16_ONE, 0}, i * (ISO_WIDE_PI / 2));
        def.position = iso_quat_rotate(def.rotation, (iso_vec3_wide){0, 0, 19 * ISO_WIDE_ONE});
        status = space_add(world, &def, &wall, &body);
    }
    for (int32_t i = 0; i < 4 && status == ISO_OK; ++i) {
        def = iso_body3_def_default();
        def.type = ISO_BODY_STATIC;
        def.position = (iso_vec3_wide){(-3 - 5 * (i / 2)) * ISO_WIDE_ONE, 0, (10 + 4 * (i % 2)) * ISO_WIDE_ONE};
        def.tag = (uint32_t)i + 1;
        status = iso_body3_create(world, &def, &body);
    }
    return status;
}

static const iso_game *const *rally_games(void) {
    static const iso_game *const games[] = {&iso_game_rally};
    return games;
}

static void rally_draw(sim *s) {
    s->game = &iso_game_rally;
    s->def.dimensions = 3;
    s->def.joint_capacity = 128;
}

static iso_owner space_owner(const iso_world *world, iso_body_id body) {
    iso_body3_view view;
    return iso_body3_get(world, body, &view) == ISO_OK ? view.owner : (iso_owner){0, ISO_OWNER_NOBODY};
}

// ---- what bots say ----------------------------------------------------------------------------------

static void space_spawn(sim *s, iso_command *command) {
    iso_command_spawn_body3 *spawn = &command->as.spawn_body3;
    command->kind = ISO_COMMAND_SPAWN_BODY3;
    spawn->body = iso_body3_def_default();
    spawn->body.position.x = iso_wide_from_fix16((fix16_t)sim_random_below(&s->random, 20u << 16) - (10 << 16));
    spawn->body.position.y = iso_wide_from_fix16((fix16_t)sim_random_between(&s->random, 4u << 16, 12u << 16));
    spawn->body.position.z = iso_wide_from_fix16((fix16_t)sim_random_below(&s->random, 8u << 16) - (4 << 16));
    spawn->body.angular_velocity.z = ISO_WIDE_ONE;
    spawn->shape = sim_random_one_in(&s->random, 2)
                       ? iso_shape3_def_sphere(ISO_FIX16_ONE / 3)
                       : iso_shape3_def_box(ISO_FIX16_ONE / 3, ISO_FIX16_ONE / 4, ISO_FIX16_ONE / 5);
}

/// Every other joint is a leash. A body alone gets another shape.
static void space_connect(iso_body_id a, iso_body_id b, iso_command *command) {
    if (a.index != b.index) {
        iso_joint3_def *def = &command->as.create_joint3.joint;
        command->kind = ISO_COMMAND_CREATE_JOINT3;
        const bool is_leash = (a.index + b.index) % 2 == 0;
        *def = iso_joint3_def_default(is_leash ? ISO_JOINT3_SYMBOLIC : ISO_JOINT3_BALL);
        def->params.scalars[0] = is_leash ? 2 * ISO_WIDE_ONE : 0;
        def->body_a = a;
        def->body_b = b;
        def->frame_a.anchor.x = ISO_FIX16_ONE / 2;
        def->frame_b.anchor.x = -ISO_FIX16_ONE / 2;
        return;
    }
    command->kind = ISO_COMMAND_CREATE_SHAPE3;
    command->as.create_shape3.body = a;
    command->as.create_shape3.shape =
        iso_shape3_def_capsule((iso_vec3){0, 0, 0}, (iso_vec3){0, ISO_FIX16_ONE, 0}, ISO_FIX16_ONE / 4);
}

static void space_push(iso_body_id body, iso_command *command) {
    command->kind = ISO_COMMAND_APPLY_IMPULSE3;
    command->as.apply_impulse3.body = body;
    command->as.apply_impulse3.impulse = (iso_vec3_wide){ISO_WIDE_ONE, 2 * ISO_WIDE_ONE, ISO_WIDE_ONE / 2};
}

static void space_throw_up(iso_body_id body, iso_command *command) {
    command->kind = ISO_COMMAND_SET_VELOCITY3;
    command->as.set_velocity3.body = body;
    command->as.set_velocity3.velocity.y = 3 * ISO_WIDE_ONE;
}

const sim_scene sim_scene_space = {
    .name = "space",
    .game_count = 1,
    .games = space_games,
    .spawn_kind = ISO_COMMAND_SPAWN_BODY3,
    .connect_kind = ISO_COMMAND_CREATE_JOINT3,
    .draw = space_draw,
    .build = space_build,
    .owner = space_owner,
    .spawn = space_spawn,
    .connect = space_connect,
    .push = space_push,
    .throw_up = space_throw_up,
};

/// Members may not spawn here: what builders say is sealed and refused inside of ticks.
const sim_scene sim_scene_rally = {
    .name = "rally",
    .game_count = 1,
    .games = rally_games,
    .spawn_kind = ISO_COMMAND_SPAWN_BODY3,
    .draw = rally_draw,
    .build = rally_build,
    .owner = space_owner,
    .spawn = space_spawn,
    .connect = space_connect,
    .push = space_push,
    .throw_up = space_throw_up,
};
