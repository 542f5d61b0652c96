/// The bot that builds, in the plane and in space.
#include <string.h>

#include "bot.h"
#include "bot_pick.h"
#include "isostep/games.h"

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

static iso_command builder_spawn(iso__cli_bot *bot, const iso_client *client) {
    iso_command command;
    memset(&command, 0, sizeof(command));
    command.kind = ISO_COMMAND_SPAWN_BODY;
    command.as.spawn_body.body = iso_body_def_default();
    command.as.spawn_body.body.position = iso_vec2_to_wide(builder_place(bot, client));
    command.as.spawn_body.body.velocity = iso_vec2_to_wide((iso_vec2){bot_pick_hundredths(bot, -300, 300), 0});
    command.as.spawn_body.shape = builder_shape(bot);
    return command;
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

static iso_command builder_join(iso__cli_bot *bot) {
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
    return command;
}

/// An impulse at the body's centre when it is known where that is; else the body is thrown.
static iso_command builder_kick(iso__cli_bot *bot, const iso_client *client) {
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
    return command;
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

/// Whether the session's world is one in space. A member that steps none knows it by the schema of its state.
static bool builder_is_in_space(const iso_client *client) {
    const iso_world *world = iso_client_world(client);
    const iso_fingerprint *theirs = &iso_client_welcome(client)->fingerprint;
    iso_world_def def = iso_world_def_default();
    iso_fingerprint in_space;
    def.dimensions = 3;
    iso_fingerprint_make(&def, iso_game_find(theirs->game), &in_space);
    return world != NULL ? iso_world_get_def(world)->dimensions == 3 : theirs->schema == in_space.schema;
}

void iso__cli_builder_act(iso__cli_bot *bot, iso_client *client) {
    bot->body_max = builder_body_max(client);
    const bool in_space = builder_is_in_space(client);
    const int32_t choice = bot_pick(bot, 0, 10);
    const uint32_t taken = bot->compound_bodies; // of what the quota allows
    iso_command command = {.kind = 0};
    if (choice == 10 && in_space) { // where there are no blueprints
        command = bot->body_count >= 2 ? iso__cli_builder3_join(bot) : command;
    } else if (choice == 10 && taken == 0) {
        builder_spawn_compound(bot, client);
    } else if (choice == 10 && !iso_compound_id_is_null(bot->compound)) {
        builder_use_compound(bot, client);
    } else if (choice < 5 && bot->body_count + bot->spawns_out + taken < bot->body_max) {
        command = in_space ? iso__cli_builder3_spawn(bot, client) : builder_spawn(bot, client);
    } else if (choice < 6 && bot->body_count >= 2) {
        command = in_space ? iso__cli_builder3_enlarge(bot) : builder_join(bot);
    } else if (choice < 8 && bot->body_count >= 1) {
        command = in_space ? iso__cli_builder3_kick(bot, client) : builder_kick(bot, client);
    } else if (bot->body_count > 0 && bot->body_count + taken + 1u >= bot->body_max) {
        builder_destroy(bot, client);
    }
    if (command.kind != 0 && iso_client_command(client, &command, NULL) == ISO_OK) {
        bot->spawns_out += iso__cli_bot_is_spawn(command.kind);
    }
}
