/// Games: the rules of a session as deterministic code.
///
/// A game is bound to a world by name when the world is created. Its functions run inside the step,
/// so they must depend on the world, the game's state and their arguments only: no clock, no
/// address, no floating point, no memory of their own. The game's state is a block inside the world
/// with a list of fixed-width fields; snapshot, hash and diff read that list. isostep/sync_test.h
/// finds what a game keeps elsewhere.
///
/// A game's functions are called by the thread that steps the world, of several worlds by several threads at once: a server
/// has one iso_game for all its sessions. What takes the world as const (`player_body`, `draw`, and `authorize`, which is
/// called within steps) may also be called between steps by who reads, from several threads at once. What a function may call
/// within a step stands at the head of world.h.
#ifndef ISOSTEP_GAME_H
#define ISOSTEP_GAME_H

#include <stddef.h>

#include "isostep/command.h"
#include "isostep/constraint.h"
#include "isostep/event.h"
#include "isostep/field.h"
#include "isostep/tick.h"

#ifdef __cplusplus
extern "C" {
#endif

#define ISO_GAME_NAME_MAX   31 // characters
#define ISO_GAME_PARAMS_MAX 8
#define ISO_GAME_EVENTS_MAX 256

struct iso_draw;
struct iso_world;

typedef struct iso_game_param {
    const char *name;
    iso_wide value; // by default
    iso_wide min, max;
} iso_game_param;

/// An event that the game emits (iso_world_emit of event.h), so that tools can say "goal scorer=1 score=3".
typedef struct iso_game_event {
    const char *name; // [a-z0-9_], beginning with a letter, at most ISO_GAME_NAME_MAX characters, unlike the others'
    uint32_t code;    // unlike the others'
    uint32_t size;    // bytes of each such event, at most ISO_EMIT_SIZE_MAX
    const iso_field *fields; // of the struct that is emitted; cover each byte exactly once; named like events
    uint32_t field_count;
} iso_game_event;

typedef struct iso_game {
    const char *name;           // [a-z0-9-], at most ISO_GAME_NAME_MAX characters
    uint32_t version;           // raised when the rules change
    const char *control_layout; // names the layout of the control block, for clients: "axes-buttons-8"
    uint32_t control_size;      // bytes of the control block that mean something, at most 32

    const iso_game_param *params;
    uint32_t param_count; // at most ISO_GAME_PARAMS_MAX

    const iso_constraint *constraints; // for joints of the kind USER; a change of one raises the version
    uint32_t constraint_count;         // at most 65,535

    size_t state_size;       // bytes; the block is aligned to 8 and zero at start
    const iso_field *fields; // cover every byte of the state exactly once: padding is a field, too
    uint32_t field_count;

    const iso_game_event *events; // those of its own that have a name; what it emits with another code is bytes
    uint32_t event_count;         // at most ISO_GAME_EVENTS_MAX

    /// What a member spawned goes when its slot is freed, its joints with it. True: bodies stay, and go to nobody in ascending
    /// order as long as there is room for kept_body_capacity of the world's definition; the rest goes. Joints stay likewise.
    bool keeps_spawned;

    /// Once, at tick 0, after the scene has been built. May be NULL, as all that follow.
    void (*start)(struct iso_world *world, void *state);
    void (*join)(struct iso_world *world, void *state, uint32_t slot);
    void (*leave)(struct iso_world *world, void *state, uint32_t slot);
    /// The member's connection broke and its slot is held; `resume` or `leave` follows some day.
    void (*drop)(struct iso_world *world, void *state, uint32_t slot);
    void (*resume)(struct iso_world *world, void *state, uint32_t slot);
    /// A CUSTOM command. The status is the command's result.
    iso_status (*command)(struct iso_world *world, void *state, uint32_t slot, const uint8_t *bytes, size_t size);
    void (*before_step)(struct iso_world *world, void *state);
    void (*after_step)(struct iso_world *world, void *state);
    /// Whether the member in `slot` may give this command now. NULL: iso_game_authorize_default.
    iso_status (*authorize)(const struct iso_world *world, const void *state, uint32_t slot,
                            const iso_command *command);
    /// The body that stands for the member, or null.
    iso_body_id (*player_body)(const struct iso_world *world, const void *state, uint32_t slot);
    /// What it has to show beside bodies and joints, for pictures and debugging views: adds the items of number `index`,
    /// from 0 on, by iso_draw_add of draw.h. @return false when there is no such number: that was all
    bool (*draw)(const struct iso_world *world, const void *state, uint32_t index, struct iso_draw *draw);
} iso_game;

/// Whether a world can have this game: each byte of its state and of its events in exactly one field, and all names and
/// numbers within their limits.
/// iso_world_create asks; programs ask first, to tell what is wrong.
/// @param text  where it says what is wrong, which byte, what was expected; `capacity` 0: nowhere
/// @return ISO_OK; ISO_ERR_RANGE.
iso_status iso_game_check(const iso_game *game, char *text, size_t capacity);

/// The named event of this code. @return NULL when there is none, or no game
const iso_game_event *iso_game_find_event(const iso_game *game, uint32_t code);

/// What holds for a game that says nothing, and without a game: SET_CONTROL and CUSTOM, which are the game's own, and no
/// other command. So nobody changes a world in ways of which its game does not know.
/// @return ISO_OK; ISO_ERR_REFUSED.
iso_status iso_game_authorize_default(const struct iso_world *world, const void *state, uint32_t slot,
                                      const iso_command *command);

/// Owner or everyone, the rule of the sandbox, for games whose members may build: a command on a body, shape or joint is
/// allowed to the owner of the body or joint, and to all when its owner is ISO_OWNER_EVERYONE; gravity to nobody; the
/// rest to all. The limits of spawns are then the game's parameters bodies_per_slot, shapes_per_slot and joints_per_slot.
/// @return ISO_OK; ISO_ERR_STALE; ISO_ERR_NOT_OWNER; ISO_ERR_REFUSED.
iso_status iso_game_authorize_owner(const struct iso_world *world, const void *state, uint32_t slot,
                                    const iso_command *command);

#ifdef __cplusplus
}
#endif

#endif
