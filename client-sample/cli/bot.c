#include "bot.h"
#include "isostep/games.h"

#include <string.h>

void iso__cli_bot_init(iso__cli_bot *bot, uint8_t kind, uint64_t seed) {
    *bot = (iso__cli_bot){.kind = kind, .random = seed};
}

/// SplitMix64. Source: Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014.
static uint64_t bot_random(iso__cli_bot *bot) {
    bot->random += UINT64_C(0x9E3779B97F4A7C15);
    uint64_t z = bot->random;
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

/// A number in [low, high].
static int32_t bot_pick(iso__cli_bot *bot, int32_t low, int32_t high) {
    const uint64_t span = (uint64_t)((int64_t)high - low) + 1u;
    return (int32_t)(low + (int64_t)(bot_random(bot) % span));
}

/// A length in [low, high] hundredths of a unit, as Q15.16.
static fix16_t bot_pick_hundredths(iso__cli_bot *bot, int32_t low, int32_t high) {
    return (fix16_t)((int64_t)bot_pick(bot, low, high) * ISO_FIX16_ONE / 100);
}

/// Drives somewhere, sometimes with a jump, sometimes not at all.
static void wander_act(iso__cli_bot *bot, iso_client *client) {
    static const int16_t axis[] = {-32767, -16384, 0, 16384, 32767};
    const uint16_t x = (uint16_t)axis[bot_pick(bot, 0, 4)];
    const uint16_t y = (uint16_t)axis[bot_pick(bot, 0, 4)];
    const uint8_t jump = bot_pick(bot, 0, 3) == 0;
    const uint8_t control[8] = {(uint8_t)x, (uint8_t)(x >> 8), (uint8_t)y, (uint8_t)(y >> 8), jump, 0, 0, 0};
    (void)iso_client_set_control(client, control, sizeof(control));
}

/// Right and left by turns, with a jump on the way.
static void walker_act(iso__cli_bot *bot, iso_client *client, uint64_t tick) {
    const uint64_t second = tick / iso_client_welcome(client)->tick_rate_hz;
    const uint16_t x = (uint16_t)(second / 5u % 2u == 0 ? 32767 : -32767);
    const uint8_t jump = second % 5u == 2u && bot_pick(bot, 0, 1) == 0;
    const uint8_t control[8] = {(uint8_t)x, (uint8_t)(x >> 8), 0, 0, jump, 0, 0, 0};
    (void)iso_client_set_control(client, control, sizeof(control));
}

/// Right and left by turns, low in the last second of each way.
static void hound_act(iso_client *client, uint64_t tick) {
    const uint64_t second = tick / iso_client_welcome(client)->tick_rate_hz;
    const uint16_t x = (uint16_t)(second / 4u % 2u == 0 ? 32767 : -32767);
    const uint16_t y = (uint16_t)(second % 4u == 3u ? -32767 : 0);
    const uint8_t control[8] = {(uint8_t)x, (uint8_t)(x >> 8), (uint8_t)y, (uint8_t)(y >> 8), 0, 0, 0, 0};
    (void)iso_client_set_control(client, control, sizeof(control));
}

/// The flippers of that side rise, and fall again before the next time, when the ball comes down near to them.
static void pinball_act(iso__cli_bot *bot, iso_client *client) {
    const iso_world *world = iso_client_world(client);
    iso_body_view ball;
    if (world == NULL || iso_body_get(world, iso_client_player_body(client), &ball) != ISO_OK) {
        return;
    }
    const bool is_near = ball.position.y < 4 * ISO_WIDE_ONE && ball.velocity.y < ISO_WIDE_ONE;
    const uint8_t side = ball.position.x < 0 ? 1 : 2;
    const bool is_still = ball.velocity.x / 4 == 0 && ball.velocity.y / 4 == 0;
    const uint16_t x = !is_still ? 0 : (uint16_t)(bot_pick(bot, 0, 1) == 0 ? 32767 : -32767);
    const uint8_t buttons = is_near && bot_pick(bot, 0, 3) != 0 ? side : 0;
    const uint8_t control[8] = {(uint8_t)x, (uint8_t)(x >> 8), 0, 0, buttons, 0, 0, 0};
    (void)iso_client_set_control(client, control, sizeof(control));
}

static iso_shape_def builder_shape(iso__cli_bot *bot) {
    const int32_t kind = bot_pick(bot, 0, 2);
    if (kind == 0) {
        const fix16_t width = bot_pick_hundredths(bot, 20, 50);
        return iso_shape_def_box(width, bot_pick_hundredths(bot, 20, 50));
    }
    if (kind == 1) {
        return iso_shape_def_circle(bot_pick_hundredths(bot, 20, 50));
    }
    // A house: five corners, counter-clockwise.
    const fix16_t s = bot_pick_hundredths(bot, 25, 45);
    iso_shape_def shape = iso_shape_def_default();
    shape.kind = ISO_SHAPE_POLYGON;
    shape.point_count = 5;
    shape.radius = 0;
    memset(shape.points, 0, sizeof(shape.points));
    const iso_vec2 points[5] = {{-s, -s}, {s, -s}, {s, s / 2}, {0, s}, {-s, s / 2}};
    memcpy(shape.points, points, sizeof(points));
    return shape;
}

/// Near the member's own body, or in the middle when that is not known.
static iso_vec2 builder_place(iso__cli_bot *bot, const iso_client *client) {
    iso_vec2 place = {bot_pick_hundredths(bot, -600, 600), bot_pick_hundredths(bot, 200, 800)};
    const iso_world *world = iso_client_world(client);
    iso_body_view view;
    if (world != NULL && iso_body_get(world, iso_client_player_body(client), &view) == ISO_OK) {
        place.x += iso_fix16_from_wide(view.position.x);
        place.y += iso_fix16_from_wide(view.position.y);
    }
    return place;
}

static void builder_spawn(iso__cli_bot *bot, iso_client *client) {
    iso_command command;
    memset(&command, 0, sizeof(command));
    command.kind = ISO_COMMAND_SPAWN_BODY;
    command.as.spawn_body.body = iso_body_def_default();
    command.as.spawn_body.body.position = iso_vec2_to_wide(builder_place(bot, client));
    command.as.spawn_body.body.velocity = iso_vec2_to_wide((iso_vec2){bot_pick_hundredths(bot, -300, 300), 0});
    command.as.spawn_body.shape = builder_shape(bot);
    if (iso_client_command(client, &command, NULL) == ISO_OK) {
        bot->spawns_out += 1;
    }
}

static void builder_destroy(iso__cli_bot *bot, iso_client *client) {
    iso_command command;
    memset(&command, 0, sizeof(command));
    command.kind = ISO_COMMAND_DESTROY_BODY;
    command.as.destroy_body.body = bot->bodies[0];
    if (iso_client_command(client, &command, NULL) == ISO_OK) {
        bot->body_count -= 1;
        memmove(&bot->bodies[0], &bot->bodies[1], bot->body_count * sizeof(bot->bodies[0]));
    }
}

static void builder_join(iso__cli_bot *bot, iso_client *client) {
    const uint32_t first = (uint32_t)bot_pick(bot, 0, (int32_t)bot->body_count - 2);
    iso_command command;
    memset(&command, 0, sizeof(command));
    command.kind = ISO_COMMAND_CREATE_JOINT;
    iso_joint_def *joint = &command.as.create_joint.joint;
    *joint = iso_joint_def_default();
    joint->body_a = bot->bodies[first];
    joint->body_b = bot->bodies[first + 1];
    joint->anchor_a = (iso_vec2){ISO_FIX16_ONE / 2, 0};
    joint->anchor_b = (iso_vec2){-ISO_FIX16_ONE / 2, 0};
    joint->correction_max = 4 * ISO_FIX16_ONE; // the bodies may lie metres apart: they are drawn together, not shot
    (void)iso_client_command(client, &command, NULL);
}

/// An impulse at the body's centre when it is known where that is; else the body is thrown.
static void builder_kick(iso__cli_bot *bot, iso_client *client) {
    const iso_body_id body = bot->bodies[bot_pick(bot, 0, (int32_t)bot->body_count - 1)];
    const iso_vec2 kick = {bot_pick_hundredths(bot, -300, 300), bot_pick_hundredths(bot, 0, 500)};
    const iso_world *world = iso_client_world(client);
    iso_command command;
    iso_body_view view;
    memset(&command, 0, sizeof(command));
    if (world != NULL && iso_body_get(world, body, &view) == ISO_OK) {
        command.kind = ISO_COMMAND_APPLY_IMPULSE;
        iso_command_apply_impulse *apply = &command.as.apply_impulse;
        apply->body = body;
        apply->impulse = (iso_vec2_wide){iso_wide_from_fix16(kick.x), iso_wide_from_fix16(kick.y)};
        apply->point = iso_vec2_to_wide(iso_vec2_from_wide(view.centre));
    } else {
        command.kind = ISO_COMMAND_SET_VELOCITY;
        command.as.set_velocity.body = body;
        command.as.set_velocity.velocity = iso_vec2_to_wide(kick);
        command.as.set_velocity.angular_velocity = iso_wide_from_fix16(bot_pick_hundredths(bot, -300, 300));
    }
    (void)iso_client_command(client, &command, NULL);
}

/// A compound of one of the world's blueprints, if its bodies find room below the quota.
static void builder_spawn_compound(iso__cli_bot *bot, iso_client *client) {
    const iso_world *world = iso_client_world(client);
    uint32_t count = 0;
    iso_blueprint_view view;
    while (world != NULL && iso_world_get_blueprint(world, count, &view)) {
        ++count;
    }
    const uint32_t blueprint = count > 0 ? (uint32_t)bot_pick(bot, 0, (int32_t)count - 1) : 0;
    if (count == 0 || !iso_world_get_blueprint(world, blueprint, &view) ||
        bot->body_count + bot->spawns_out + view.body_count > bot->body_max) {
        return;
    }
    iso_command command;
    memset(&command, 0, sizeof(command));
    command.kind = ISO_COMMAND_SPAWN_COMPOUND;
    command.as.spawn_compound.blueprint = blueprint;
    command.as.spawn_compound.position = iso_vec2_to_wide(builder_place(bot, client));
    command.as.spawn_compound.velocity.x = iso_wide_from_fix16(bot_pick_hundredths(bot, -300, 300));
    if (iso_client_command(client, &command, NULL) == ISO_OK) {
        bot->compound_bodies = view.body_count;
    }
}

/// Lifts the compound and sets it down elsewhere, turned; or destroys it.
static void builder_use_compound(iso__cli_bot *bot, iso_client *client) {
    iso_command command;
    memset(&command, 0, sizeof(command));
    if (bot_pick(bot, 0, 2) == 0) {
        command.kind = ISO_COMMAND_DESTROY_COMPOUND;
        command.as.destroy_compound.compound = bot->compound;
    } else {
        command.kind = ISO_COMMAND_SET_COMPOUND_POSITION;
        command.as.set_compound_position.compound = bot->compound;
        command.as.set_compound_position.position = iso_vec2_to_wide(builder_place(bot, client));
        command.as.set_compound_position.angle = iso_wide_from_fix16(bot_pick_hundredths(bot, -50, 50));
    }
    if (iso_client_command(client, &command, NULL) == ISO_OK && command.kind == ISO_COMMAND_DESTROY_COMPOUND) {
        bot->compound = (iso_compound_id){0, 0};
        bot->compound_bodies = 0;
    }
}

/// Room for the member's own body and for one that is being destroyed stays free below the quota.
static uint32_t builder_body_max(const iso_client *client) {
    const iso_world *world = iso_client_world(client);
    const iso_game *game =
        world != NULL ? iso_world_get_game(world) : iso_game_find(iso_client_welcome(client)->fingerprint.game);
    for (uint32_t i = 0; game != NULL && i < game->param_count; ++i) {
        if (strcmp(game->params[i].name, "bodies_per_slot") == 0) {
            const iso_wide quota =
                (world != NULL ? iso_world_get_def(world)->game_params[i] : game->params[i].value) / ISO_WIDE_ONE;
            return quota < 3                             ? 0
                   : quota - 2 < ISO__CLI_BOT_BODIES_MAX ? (uint32_t)(quota - 2)
                                                         : ISO__CLI_BOT_BODIES_MAX;
        }
    }
    return ISO__CLI_BOT_BODIES_MAX;
}

static void builder_act(iso__cli_bot *bot, iso_client *client) {
    bot->body_max = builder_body_max(client);
    const int32_t choice = bot_pick(bot, 0, 10);
    const uint32_t taken = bot->compound_bodies; // of what the quota allows
    if (choice == 10 && taken == 0) {
        builder_spawn_compound(bot, client);
    } else if (choice == 10 && !iso_compound_id_is_null(bot->compound)) {
        builder_use_compound(bot, client);
    } else if (choice < 5 && bot->body_count + bot->spawns_out + taken < bot->body_max) {
        builder_spawn(bot, client);
    } else if (choice < 6 && bot->body_count >= 2) {
        builder_join(bot, client);
    } else if (choice < 8 && bot->body_count >= 1) {
        builder_kick(bot, client);
    } else if (bot->body_count > 0 && bot->body_count + taken + 1u >= bot->body_max) {
        builder_destroy(bot, client);
    }
}

void iso__cli_bot_act(iso__cli_bot *bot, iso_client *client, uint64_t tick) {
    if (bot->kind == ISO__CLI_BOT_IDLE || tick < bot->next_tick) {
        return;
    }
    const uint64_t rate = iso_client_welcome(client)->tick_rate_hz;
    if (bot->kind == ISO__CLI_BOT_WANDER) {
        bot->next_tick = tick + rate / 2u;
        wander_act(bot, client);
    } else if (bot->kind == ISO__CLI_BOT_WALKER) {
        bot->next_tick = tick + rate / 2u;
        walker_act(bot, client, tick);
    } else if (bot->kind == ISO__CLI_BOT_HOUND) {
        bot->next_tick = tick + rate / 4u;
        hound_act(client, tick);
    } else if (bot->kind == ISO__CLI_BOT_PINBALL) {
        bot->next_tick = tick + rate / 15u;
        pinball_act(bot, client);
    } else {
        bot->next_tick = tick + rate / 6u;
        builder_act(bot, client);
    }
}

void iso__cli_bot_result(iso__cli_bot *bot, const iso_command *command, const iso_command_result *result) {
    bot->refused += result->status != ISO_OK;
    if (command->kind == ISO_COMMAND_SPAWN_COMPOUND) {
        bot->compound = iso_compound_id_unpack(result->id); // null when it was refused
        bot->compound_bodies = result->status == ISO_OK ? bot->compound_bodies : 0;
    }
    if (command->kind != ISO_COMMAND_SPAWN_BODY) {
        return;
    }
    bot->spawns_out -= bot->spawns_out > 0;
    if (result->status == ISO_OK && bot->body_count < ISO__CLI_BOT_BODIES_MAX) {
        bot->bodies[bot->body_count] = iso_body_id_unpack(result->id);
        bot->body_count += 1;
    }
}
