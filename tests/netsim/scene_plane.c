/// Worlds of the plane: a floor, boxes, joints and games of the library.
#include "sim.h"
#include "isostep/games.h"

/// Tells now and then where a member's ball is: of others' balls a prediction is often wrong.
static void sandbox_after_step(iso_world *world, void *state) {
    (void)state;
    const uint64_t tick = iso_world_get_tick(world);
    iso_body_view view;
    const uint32_t slot = (uint32_t)(tick / 4 % ISO_SLOT_COUNT_MAX) % iso_world_get_def(world)->slot_capacity;
    if (tick % 4 == 0 && iso_body_get(world, iso_world_get_player_body(world, slot), &view) == ISO_OK) {
        const int64_t place[2] = {view.position.x, view.position.y};
        (void)iso_world_emit(world, slot, place, sizeof place);
    }
}

static const iso_game *const *plane_games(void) {
    static iso_game sandbox; // which emits events as well
    static const iso_game *const games[] = {&sandbox, &iso_game_walker, &iso_game_cloth};
    sandbox = iso_game_sandbox;
    sandbox.after_step = sandbox_after_step;
    return games;
}

/// One in six plays another game. A walker is a dozen bodies with as many joints.
static void plane_draw(sim *s) {
    const bool other = sim_random_one_in(&s->trouble, 6);
    s->game = plane_games()[other ? 1 + sim_random_below(&s->trouble, 2) : 0];
    s->totals.other_games = other;
    s->def.joint_capacity = s->game == &iso_game_walker ? 256 : 64;
}

/// A joint of a program, with two rows, and one of the game's constraints, which has a state: between the first three
/// boxes.
static iso_status plane_add_custom_joints(iso_world *world, const iso_body_id *boxes) {
    static const char source[] = "body dog, post scalar length constraint { |dog.position - post.position|"
                                 " dog.rotation - post.rotation } limit constraint { (-inf) (-1) } { length 1 }";
    static iso_program_scratch scratch;
    iso_program program;
    iso_joint_id joint;
    iso_joint_def def = iso_joint_def_default();
    def.kind = ISO_JOINT_SYMBOLIC;
    def.body_a = boxes[0];
    def.body_b = boxes[1];
    def.params.scalars[0] = 2 * ISO_WIDE_ONE;
    iso_status status = iso_program_compile(source, sizeof source - 1, &scratch, &program, NULL);
    status = status == ISO_OK ? iso_world_add_program(world, &program, &def.constraint) : status;
    status = status == ISO_OK ? iso_joint_create(world, &def, &joint) : status;
    def = iso_joint_def_default();
    def.kind = ISO_JOINT_USER; // the sandbox's first constraint: a tie that closes and does not open
    def.body_a = boxes[1];
    def.body_b = boxes[2];
    def.params.scalars[0] = ISO_WIDE_ONE / 2; // its shortest length and its teeth
    def.params.scalars[1] = ISO_WIDE_ONE / 16;
    return status == ISO_OK ? iso_joint_create(world, &def, &joint) : status;
}

static iso_status plane_build(sim *s, iso_world *world) {
    iso_body_id body, boxes[9] = {{0, 0}};
    iso_shape_id shape;
    iso_body_def def = iso_body_def_default();
    def.type = ISO_BODY_STATIC;
    const iso_shape_def floor = iso_shape_def_box(40 * ISO_FIX16_ONE, ISO_FIX16_ONE);
    iso_status status = iso_body_create(world, &def, &body);
    status = status == ISO_OK ? iso_shape_create(world, body, &floor, &shape) : status;
    const iso_shape_def box = iso_shape_def_box(ISO_FIX16_ONE / 2, ISO_FIX16_ONE / 2);
    for (int32_t i = 0; i < 9 && status == ISO_OK; ++i) {
        def = iso_body_def_default();
        def.position = iso_vec2_to_wide(
            (iso_vec2){(i % 3) * ISO_FIX16_ONE * 6 / 5, ISO_FIX16_ONE * 2 + (i / 3) * ISO_FIX16_ONE * 6 / 5});
        def.owner.slot = ISO_OWNER_EVERYONE;
        status = iso_body_create(world, &def, &body);
        status = status == ISO_OK ? iso_shape_create(world, body, &box, &shape) : status;
        boxes[i] = body;
    }
    status = status == ISO_OK && s->game == plane_games()[0] ? plane_add_custom_joints(world, boxes) : status;
    // Bodies that cost no time but make the snapshot as large as several chunks.
    for (uint32_t i = 0; i < s->static_bodies && status == ISO_OK; ++i) {
        def = iso_body_def_default();
        def.type = ISO_BODY_STATIC;
        def.position.x = iso_wide_from_fix16((fix16_t)sim_random_below(&s->random, 1u << 26) + (200 << 16));
        def.position.y = iso_wide_from_fix16((fix16_t)sim_random_below(&s->random, 1u << 26));
        def.angle = iso_wide_from_fix16((fix16_t)sim_random_below(&s->random, 400000));
        status = iso_body_create(world, &def, &body);
        status = status == ISO_OK ? iso_shape_create(world, body, &box, &shape) : status;
    }
    return status;
}

static iso_owner plane_owner(const iso_world *world, iso_body_id body) {
    iso_body_view view;
    return iso_body_get(world, body, &view) == ISO_OK ? view.owner : (iso_owner){0, ISO_OWNER_NOBODY};
}

// ---- what bots say ----------------------------------------------------------------------------------

static void plane_spawn(sim *s, iso_command *command) {
    iso_command_spawn_body *spawn = &command->as.spawn_body;
    command->kind = ISO_COMMAND_SPAWN_BODY;
    spawn->body = iso_body_def_default();
    spawn->body.position.x = iso_wide_from_fix16((fix16_t)sim_random_below(&s->random, 20u << 16) - (10 << 16));
    spawn->body.position.y = iso_wide_from_fix16((fix16_t)sim_random_between(&s->random, 4u << 16, 12u << 16));
    spawn->shape = sim_random_one_in(&s->random, 2) ? iso_shape_def_circle(ISO_FIX16_ONE / 3)
                                                    : iso_shape_def_box(ISO_FIX16_ONE / 3, ISO_FIX16_ONE / 4);
}

static void plane_connect(iso_body_id a, iso_body_id b, iso_command *command) {
    iso_joint_def *def = &command->as.create_joint.joint;
    command->kind = ISO_COMMAND_CREATE_JOINT;
    *def = iso_joint_def_default();
    def->body_a = a;
    def->body_b = b;
    def->anchor_a.x = ISO_FIX16_ONE / 2;
    def->anchor_b.x = -ISO_FIX16_ONE / 2;
}

static void plane_push(iso_body_id body, iso_command *command) {
    command->kind = ISO_COMMAND_APPLY_IMPULSE;
    command->as.apply_impulse.body = body;
    command->as.apply_impulse.impulse = (iso_vec2_wide){ISO_WIDE_ONE, 2 * ISO_WIDE_ONE};
}

static void plane_throw_up(iso_body_id body, iso_command *command) {
    command->kind = ISO_COMMAND_SET_VELOCITY;
    command->as.set_velocity.body = body;
    command->as.set_velocity.velocity.y = 3 * ISO_WIDE_ONE;
}

const sim_scene sim_scene_plane = {
    .name = "plane",
    .game_count = 3,
    .games = plane_games,
    .spawn_kind = ISO_COMMAND_SPAWN_BODY,
    .connect_kind = ISO_COMMAND_CREATE_JOINT,
    .draw = plane_draw,
    .build = plane_build,
    .owner = plane_owner,
    .spawn = plane_spawn,
    .connect = plane_connect,
    .push = plane_push,
    .throw_up = plane_throw_up,
};
