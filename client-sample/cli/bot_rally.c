/// The bot that drives laps in the game of rally.
///
/// It reads the circuit as the game does, from the tags of the scene's sensors (isostep/games.h), and steers along the
/// arc that leads to the next check point.
#include <string.h>

#include "bot.h"
#include "bot_pick.h"
#include "isostep/body3.h"
#include "isostep/shape3.h"

#define CHECKS_MAX 32
#define LOOK_AHEAD (6 * ISO_WIDE_ONE)        // [m] so far before a check point it aims at the one behind it
#define LANE_WIDTH (2 * ISO_WIDE_ONE)        // [m] from the line of one member to that of the next
#define STRAIGHT   (94 * ISO_WIDE_ONE / 100) // cosine of how far the road turns at most where it is fast
#define FAST       (16 * ISO_WIDE_ONE)       // [m/s]
#define SLOW       (10 * ISO_WIDE_ONE)       // [m/s]
#define WHEELBASE  (26 * ISO_WIDE_ONE / 10)  // [m]
#define STEER_FULL (6 * ISO_WIDE_ONE / 10)   // [rad] of a full stick, as long as the car is slow
#define STEER_FAST \
    (208 * ISO_WIDE_ONE / 10) // [m^2/s^2] divided by the square of the speed: of a full stick when it is fast
#define STUCK_S 3             // after so long on the spot it asks for its car anew

typedef struct rally_check {
    iso_vec3_wide middle, ahead, right; // of the box; directions
} rally_check;

/// The circuit's check points by their tags. @return how many there are
static uint32_t rally_find_checks(const iso_world *world, rally_check checks[CHECKS_MAX]) {
    static const iso_vec3_wide x = {ISO_WIDE_ONE, 0, 0}, z = {0, 0, ISO_WIDE_ONE};
    uint32_t found = 0, count = 0;
    for (iso_shape_id s = iso_shape_next(world, 0); s.generation != 0; s = iso_shape_next(world, s.index + 1)) {
        iso_shape3_def def;
        iso_body_id body;
        iso_body3_view view;
        if (iso_shape3_get(world, s, &def, &body) != ISO_OK || iso_body3_get(world, body, &view) != ISO_OK ||
            !def.is_sensor || def.kind != ISO_SHAPE3_BOX || def.tag == 0 || def.tag > CHECKS_MAX) {
            continue;
        }
        const iso_quat turn = iso_quat_mul(view.rotation, def.rotation);
        const iso_vec3_wide arm = iso_quat_rotate(view.rotation, iso_vec3_to_wide(def.points[0]));
        checks[def.tag - 1] =
            (rally_check){iso_vec3_wide_add(view.position, arm), iso_quat_rotate(turn, x), iso_quat_rotate(turn, z)};
        found |= 1u << (def.tag - 1);
    }
    while (count < CHECKS_MAX && (found >> count & 1u) != 0) {
        ++count;
    }
    return count;
}

/// The check point to aim at: the nearest one, or the one behind it when the car is past it or about to be.
static uint32_t rally_aim(const rally_check *checks, uint32_t count, iso_vec3_wide place) {
    uint32_t nearest = 0;
    iso_wide best = ISO_WIDE_MAX;
    for (uint32_t i = 0; i < count; ++i) {
        const iso_wide distance = iso_vec3_wide_distance(place, checks[i].middle);
        nearest = distance < best ? i : nearest;
        best = distance < best ? distance : best;
    }
    const iso_wide before = iso_vec3_wide_dot(iso_vec3_wide_sub(checks[nearest].middle, place), checks[nearest].ahead);
    return before < LOOK_AHEAD ? (nearest + 1) % count : nearest;
}

static uint16_t rally_axis(iso_wide share) {
    const iso_wide within = share > ISO_WIDE_ONE ? ISO_WIDE_ONE : share < -ISO_WIDE_ONE ? -ISO_WIDE_ONE : share;
    return (uint16_t)(int16_t)(within / (ISO_WIDE_ONE / 32767 + 1));
}

/// Steers along the arc that leads to a point, and drives as fast as the road is straight.
static void rally_drive(const iso_body3_view *car, const rally_check *aim, const rally_check *then, iso_wide lane,
                        iso_client *client) {
    static const iso_vec3_wide x = {ISO_WIDE_ONE, 0, 0}, z = {0, 0, ISO_WIDE_ONE};
    const iso_vec3_wide ahead = iso_quat_rotate(car->rotation, x), right = iso_quat_rotate(car->rotation, z);
    const iso_vec3_wide point = iso_vec3_wide_add(aim->middle, iso_vec3_wide_scale(aim->right, lane));
    const iso_vec3_wide way = iso_vec3_wide_sub(point, car->position);
    const iso_wide aside = iso_vec3_wide_dot(way, right), before = iso_vec3_wide_dot(way, ahead);
    const iso_wide square = iso_wide_add(iso_wide_mul(aside, aside), iso_wide_mul(before, before));
    const iso_wide speed = iso_vec3_wide_dot(car->velocity, ahead), speed_square = iso_wide_mul(speed, speed);
    const iso_wide fast_most = iso_wide_div(STEER_FAST, speed_square);
    const iso_wide most = speed_square == 0 || fast_most > STEER_FULL ? STEER_FULL : fast_most;
    const iso_wide angle =
        iso_wide_mul(WHEELBASE, iso_wide_div(2 * aside, square)); // 2 aside / way^2 is the arc's curvature
    const bool is_behind = before < 0;
    const bool is_straight = iso_vec3_wide_dot(ahead, then->ahead) > STRAIGHT;
    const iso_wide wish = is_behind ? SLOW / 3 : is_straight ? FAST : SLOW;
    const uint16_t steer =
        rally_axis(is_behind ? (aside > 0 ? ISO_WIDE_ONE : -ISO_WIDE_ONE) : iso_wide_div(angle, most));
    const uint16_t drive = rally_axis((wish - speed) / 2);
    const uint8_t control[8] = {
        (uint8_t)steer, (uint8_t)(steer >> 8), (uint8_t)drive, (uint8_t)(drive >> 8), 0, 0, 0, 0};
    (void)iso_client_set_control(client, control, sizeof(control));
}

void iso__cli_rally_act(iso__cli_bot *bot, iso_client *client, uint64_t tick) {
    const iso_world *world = iso_client_world(client);
    rally_check checks[CHECKS_MAX];
    iso_body3_view car;
    if (world == NULL || iso_body3_get(world, iso_client_player_body(client), &car) != ISO_OK) {
        return;
    }
    const uint32_t count = rally_find_checks(world, checks);
    if (count == 0) {
        return;
    }
    const uint32_t aim = rally_aim(checks, count, car.position);
    const iso_wide lane = LANE_WIDTH / 2 * ((int32_t)(iso_client_slot(client) % 4u) * 2 - 3);
    rally_drive(&car, &checks[aim], &checks[(aim + 1) % count], lane, client);
    const bool moves = iso_vec3_wide_length(car.velocity) > ISO_WIDE_ONE;
    const bool is_new = bot->moved_tick == 0 || bot->moved_tick > tick; // or the session has gone back
    bot->moved_tick = moves || is_new ? tick : bot->moved_tick;
    if (tick - bot->moved_tick > STUCK_S * (uint64_t)iso_client_welcome(client)->tick_rate_hz) {
        iso_command again;
        memset(&again, 0, sizeof(again));
        again.kind = ISO_COMMAND_CUSTOM;
        again.as.custom.size = 1;
        again.as.custom.bytes[0] = 1;
        (void)iso_client_command(client, &again, NULL);
        bot->moved_tick = tick;
    }
}
