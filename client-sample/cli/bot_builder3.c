/// What the bot that builds says in worlds in space.
#include <string.h>

#include "bot.h"
#include "bot_pick.h"
#include "isostep/body3.h"
#include "isostep/joint3.h"
#include "isostep/shape3.h"

static iso_vec3 pick_vector(iso__cli_bot *bot, int32_t size, int32_t low, int32_t high) {
    const fix16_t x = bot_pick_hundredths(bot, -size, size), y = bot_pick_hundredths(bot, low, high);
    return (iso_vec3){x, y, bot_pick_hundredths(bot, -size, size)};
}

static iso_shape3_def builder3_shape(iso__cli_bot *bot) {
    const int32_t kind = bot_pick(bot, 0, 3);
    const fix16_t size = bot_pick_hundredths(bot, 20, 50);
    if (kind == 0) {
        const fix16_t height = bot_pick_hundredths(bot, 20, 50);
        return iso_shape3_def_box(size, height, bot_pick_hundredths(bot, 20, 50));
    }
    if (kind == 1) {
        return iso_shape3_def_sphere(size);
    }
    if (kind == 2) {
        return iso_shape3_def_capsule((iso_vec3){-size, 0, 0}, (iso_vec3){size, 0, 0}, size / 2);
    }
    // A tent: a square, and a ridge above its middle.
    const iso_vec3 points[6] = {{-size, 0, -size}, {size, 0, -size},     {size, 0, size},
                                {-size, 0, size},  {-size / 2, size, 0}, {size / 2, size, 0}};
    return iso_shape3_def_hull(points, 6);
}

/// Near the member's own body, or in the middle when that is not known.
static iso_vec3_wide builder3_place(iso__cli_bot *bot, const iso_client *client) {
    iso_vec3_wide place = iso_vec3_to_wide(pick_vector(bot, 400, 200, 800));
    const iso_world *world = iso_client_world(client);
    iso_body3_view view;
    if (world != NULL && iso_body3_get(world, iso_client_player_body(client), &view) == ISO_OK) {
        const iso_vec3 near = iso_vec3_from_wide(iso_vec3_wide_add(place, view.position));
        const fix16_t edge = (ISO_POSITION_MAX_M - 1) * ISO_FIX16_ONE;
        place = iso_vec3_to_wide((iso_vec3){near.x > edge    ? edge
                                            : near.x < -edge ? -edge
                                                             : near.x,
                                            near.y > edge    ? edge
                                            : near.y < -edge ? -edge
                                                             : near.y,
                                            near.z > edge    ? edge
                                            : near.z < -edge ? -edge
                                                             : near.z});
    }
    return place;
}

iso_command iso__cli_builder3_spawn(iso__cli_bot *bot, const iso_client *client) {
    iso_command command;
    memset(&command, 0, sizeof(command));
    command.kind = ISO_COMMAND_SPAWN_BODY3;
    command.as.spawn_body3.body = iso_body3_def_default();
    command.as.spawn_body3.body.position = builder3_place(bot, client);
    command.as.spawn_body3.body.rotation = iso_quat_from_axis_angle(
        pick_vector(bot, 100, -100, 100), iso_wide_from_fix16(bot_pick_hundredths(bot, 0, 300)));
    command.as.spawn_body3.body.velocity = iso_vec3_to_wide(pick_vector(bot, 300, 0, 100));
    command.as.spawn_body3.shape = builder3_shape(bot);
    command.as.spawn_body3.shape.density = 300 * ISO_FIX16_ONE;
    return command;
}

/// A ball on top of one of its bodies.
iso_command iso__cli_builder3_enlarge(iso__cli_bot *bot) {
    iso_command command;
    memset(&command, 0, sizeof(command));
    command.kind = ISO_COMMAND_CREATE_SHAPE3;
    command.as.create_shape3.body = bot->bodies[bot_pick(bot, 0, (int32_t)bot->body_count - 1)];
    command.as.create_shape3.shape = iso_shape3_def_sphere(bot_pick_hundredths(bot, 10, 30));
    command.as.create_shape3.shape.points[0].y = ISO_FIX16_ONE / 2;
    command.as.create_shape3.shape.density = 300 * ISO_FIX16_ONE;
    return command;
}

/// Two of its bodies that it spawned one after the other, by a ball joint.
iso_command iso__cli_builder3_join(iso__cli_bot *bot) {
    const uint32_t first = (uint32_t)bot_pick(bot, 0, (int32_t)bot->body_count - 2);
    iso_command command;
    memset(&command, 0, sizeof(command));
    command.kind = ISO_COMMAND_CREATE_JOINT3;
    iso_joint3_def *joint = &command.as.create_joint3.joint;
    *joint = iso_joint3_def_default(ISO_JOINT3_BALL);
    joint->body_a = bot->bodies[first];
    joint->body_b = bot->bodies[first + 1];
    joint->frame_a.anchor.x = ISO_FIX16_ONE / 2;
    joint->frame_b.anchor.x = -ISO_FIX16_ONE / 2;
    joint->correction_max = 4 * ISO_FIX16_ONE; // as in the plane
    return command;
}

/// An impulse at the body's centre when it is known where that is; else the body is thrown.
iso_command iso__cli_builder3_kick(iso__cli_bot *bot, const iso_client *client) {
    const iso_body_id body = bot->bodies[bot_pick(bot, 0, (int32_t)bot->body_count - 1)];
    const iso_vec3_wide kick = iso_vec3_to_wide(pick_vector(bot, 300, 0, 500));
    const iso_world *world = iso_client_world(client);
    iso_command command;
    iso_body3_view view;
    memset(&command, 0, sizeof(command));
    if (world != NULL && iso_body3_get(world, body, &view) == ISO_OK) {
        command.kind = ISO_COMMAND_APPLY_IMPULSE3;
        command.as.apply_impulse3.body = body;
        command.as.apply_impulse3.impulse = iso_vec3_wide_scale(kick, view.mass / 4);
        command.as.apply_impulse3.point = iso_vec3_to_wide(iso_vec3_from_wide(view.centre));
    } else {
        command.kind = ISO_COMMAND_SET_VELOCITY3;
        command.as.set_velocity3.body = body;
        command.as.set_velocity3.velocity = kick;
        command.as.set_velocity3.angular_velocity = iso_vec3_to_wide(pick_vector(bot, 300, -300, 300));
    }
    return command;
}
