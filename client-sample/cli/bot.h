/// Bots: members that play by themselves. Each depends only on its seed and on what it sees of the session.
///
///   idle     does nothing
///   wander   drives its body about by the control block, another way every half second
///   walker   goes right for five seconds, left for five, and jumps now and then on the way
///   hound    goes right for four seconds, left for four, and crouches in every fourth
///   pinball  raises the flippers that its ball comes near to, and nudges a ball that lies still
///   rally    drives laps; when its car has stood for three seconds, it asks for a new one
///   builder  spawns boxes, circles and polygons, joins some by a revolute, kicks them, destroys the oldest; and, where
///            the world has blueprints, spawns one compound at a time, lifts it now and then, and destroys it. In space
///            it spawns boxes, spheres, capsules and hulls, sets balls on some of them and joins some by a ball joint
///
///   bot.c           which of them acts, and those that only need the control block
///   bot_builder.c   the builder, and what it says in the plane; bot_builder3.c: in space
///   bot_rally.c     the driver
#ifndef ISO_CLI_BOT_H
#define ISO_CLI_BOT_H

#include "isostep/client.h"
#include "options.h"

#define ISO__CLI_BOT_BODIES_MAX 12

typedef struct iso__cli_bot {
    uint8_t kind;        // iso__cli_bot_kind
    uint64_t random;     // state of the generator
    uint64_t next_tick;  // when it acts again
    uint64_t moved_tick; // when the driver's car moved last; 0: it has not acted yet
    // The builder's own bodies that are known to live, the oldest first.
    iso_body_id bodies[ISO__CLI_BOT_BODIES_MAX];
    uint32_t body_count;
    uint32_t body_max;   // what the game's quota allows, at most ISO__CLI_BOT_BODIES_MAX
    uint32_t spawns_out; // spawned, result not seen yet
    // The builder's compound; null until the result of its spawn is there.
    iso_compound_id compound;
    uint32_t compound_bodies; // of it, or of the one that is spawned; 0: there is none
    uint64_t refused;         // of its commands, before or inside a tick
} iso__cli_bot;

void iso__cli_bot_init(iso__cli_bot *bot, uint8_t kind, uint64_t seed);

/// Acts, when it is time. Called once per tick while the client is active.
void iso__cli_bot_act(iso__cli_bot *bot, iso_client *client, uint64_t tick);

/// What the bot needs and this session does not have, for a sentence: "a session of the game rally". NULL: nothing.
const char *iso__cli_bot_lacks(const iso__cli_bot *bot, const iso_client *client);

/// Passes the result of one of its commands to the bot.
void iso__cli_bot_result(iso__cli_bot *bot, const iso_command *command, const iso_command_result *result);

/// Whether a command of this kind makes a body.
static inline bool iso__cli_bot_is_spawn(uint8_t kind) {
    return kind == ISO_COMMAND_SPAWN_BODY || kind == ISO_COMMAND_SPAWN_BODY3;
}

/// @name bot_builder.c, bot_builder3.c
/// @{
void iso__cli_builder_act(iso__cli_bot *bot, iso_client *client);
/// Commands in space: a new body; a shape for one that it has; a joint of two that it has; a push. It has one for the
/// shape and the push, two for the joint.
iso_command iso__cli_builder3_spawn(iso__cli_bot *bot, const iso_client *client);
iso_command iso__cli_builder3_enlarge(iso__cli_bot *bot);
iso_command iso__cli_builder3_join(iso__cli_bot *bot);
iso_command iso__cli_builder3_kick(iso__cli_bot *bot, const iso_client *client);
/// @}

/// @name bot_rally.c
/// @{
void iso__cli_rally_act(iso__cli_bot *bot, iso_client *client, uint64_t tick);
/// @}

#endif
