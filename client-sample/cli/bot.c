#include "bot.h"

#include "bot_pick.h"
#include "isostep/games.h"

#include <string.h>

void iso__cli_bot_init(iso__cli_bot *bot, uint8_t kind, uint64_t seed) {
    *bot = (iso__cli_bot){.kind = kind, .random = seed};
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
    } else if (bot->kind == ISO__CLI_BOT_RALLY) {
        bot->next_tick = tick + rate / 20u;
        iso__cli_rally_act(bot, client, tick);
    } else {
        bot->next_tick = tick + rate / 6u;
        iso__cli_builder_act(bot, client);
    }
}

const char *iso__cli_bot_lacks(const iso__cli_bot *bot, const iso_client *client) {
    const char *game = iso_client_welcome(client)->fingerprint.game;
    if (bot->kind == ISO__CLI_BOT_RALLY && strcmp(game, iso_game_rally.name) != 0) {
        return "a session of the game rally";
    }
    if (bot->kind == ISO__CLI_BOT_PINBALL && strcmp(game, iso_game_pinball.name) != 0) {
        return "a session of the game pinball";
    }
    return NULL;
}

void iso__cli_bot_result(iso__cli_bot *bot, const iso_command *command, const iso_command_result *result) {
    bot->refused += result->status != ISO_OK;
    if (command->kind == ISO_COMMAND_SPAWN_COMPOUND) {
        bot->compound = iso_compound_id_unpack(result->id); // null when it was refused
        bot->compound_bodies = result->status == ISO_OK ? bot->compound_bodies : 0;
    }
    if (!iso__cli_bot_is_spawn(command->kind)) {
        return;
    }
    bot->spawns_out -= bot->spawns_out > 0;
    if (result->status == ISO_OK && bot->body_count < ISO__CLI_BOT_BODIES_MAX) {
        bot->bodies[bot->body_count] = iso_body_id_unpack(result->id);
        bot->body_count += 1;
    }
}
