/// Games: the rules of a session as deterministic code.
///
/// A game is bound to a world by name when the world is created. Its functions run inside the step,
/// so they must depend on the world, the game's state and their arguments only: no clock, no
/// address, no floating point, no memory of their own. The game's state is a block inside the world
/// with a list of fixed-width fields; snapshot, hash and diff read that list. isostep/sync_test.h
/// finds what a game keeps elsewhere.
#ifndef ISOSTEP_GAME_H
#define ISOSTEP_GAME_H

#include <stddef.h>

#include "isostep/command.h"
#include "isostep/constraint.h"
#include "isostep/field.h"
#include "isostep/tick.h"

#ifdef __cplusplus
extern "C" {
#endif

#define ISO_GAME_NAME_MAX    31  // characters
#define ISO_GAME_PARAMS_MAX  8

struct iso_draw;
struct iso_world;

typedef struct iso_game_param {
    const char *name;
    iso_wide value;  // by default
    iso_wide min, max;
} iso_game_param;

typedef struct iso_game {
    const char *name;     // [a-z0-9-], at most ISO_GAME_NAME_MAX characters
    uint32_t version;     // raised when the rules change
    const char *control_layout;  // names the layout of the control block, for clients: "axes-buttons-8"
    uint32_t control_size;       // bytes of the control block that mean something, at most 32

    const iso_game_param *params;
    uint32_t param_count;  // at most ISO_GAME_PARAMS_MAX

    const iso_constraint *constraints;  // for joints of the kind USER; a change of one raises the version
    uint32_t constraint_count;          // at most 65,535

    size_t state_size;         // bytes; the block is aligned to 8 and zero at start
    const iso_field *fields;   // cover every byte of the state exactly once: padding is a field, too
    uint32_t field_count;

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
    iso_status (*authorize)(const struct iso_world *world, const void *state, uint32_t slot, const iso_command *command);
    /// The body that stands for the member, or null.
    iso_body_id (*player_body)(const struct iso_world *world, const void *state, uint32_t slot);
    /// What it has to show beside bodies and joints, for pictures and debugging views: adds the items of number `index`,
    /// from 0 on, by iso_draw_add of draw.h. @return false when there is no such number: that was all
    bool (*draw)(const struct iso_world *world, const void *state, uint32_t index, struct iso_draw *draw);
} iso_game;

/// Whether a world can have this game: each byte of its state in exactly one field, and all numbers within their limits.
/// iso_world_create asks; programs ask first, to tell what is wrong.
/// @param text  where it says what is wrong, which byte, what was expected; `capacity` 0: nowhere
/// @return ISO_OK; ISO_ERR_RANGE.
iso_status iso_game_check(const iso_game *game, char *text, size_t capacity);

/// What holds for a game that says nothing, and without a game: SET_CONTROL and CUSTOM, which are the game's own, and no
/// other command. So nobody changes a world in ways of which its game does not know.
/// @return ISO_OK; ISO_ERR_REFUSED.
iso_status iso_game_authorize_default(const struct iso_world *world, const void *state, uint32_t slot, const iso_command *command);

/// Owner or everyone, the rule of the sandbox, for games whose members may build: a command on a body, shape or joint is
/// allowed to the owner of the body or joint, and to all when its owner is ISO_OWNER_EVERYONE; gravity to nobody; the
/// rest to all. The limits of spawns are then the game's parameters bodies_per_slot, shapes_per_slot and joints_per_slot.
/// @return ISO_OK; ISO_ERR_STALE; ISO_ERR_NOT_OWNER; ISO_ERR_REFUSED.
iso_status iso_game_authorize_owner(const struct iso_world *world, const void *state, uint32_t slot, const iso_command *command);

/// The sandbox: each member drives one body by its control block and may spawn, join and destroy.
///
/// Control block "axes-buttons-8", 8 bytes: int16 little endian x and y axes (-32767 to 32767: share of
/// the largest drive force), uint32 buttons (bit 0: jump).
/// Parameters: drive_force [N], jump_speed [m/s], control_timeout [ticks]; bodies_per_slot, shapes_per_slot and
/// joints_per_slot (quotas). Members command by the rule of iso_game_authorize_owner.
/// CUSTOM command: one byte 1 brings the member's body back to its spawn place, as a new body.
/// Constraints for joints of the kind USER, both of two bodies:
///   zip  a tie that may become shorter and never longer again; vectors anchor1, anchor2 [m, from the centres of mass,
///        within 60]; scalars shortest and tooth [m, 1/1024 to 32767], the lengths at which it holds
///   cam  the second body keeps off the first, a disc of `base` [m, 1/64 to 1000] with a nose along its x axis that is
///        `lift` [m, 0 to 1000] high in the middle and `width` [rad, 1/64 to pi] wide to either side
extern const iso_game iso_game_sandbox;

/// The game of cloth: a curtain of particles, pinned on top, and a soft ring that fall over the scene's shapes and do
/// not push back (isostep/particles.h). The state begins with an iso_particles, for who wants to draw it.
///
/// Control block "axes-buttons-8" as the sandbox's: the axes move the member's cursor; bit 0 holds the particle that was
/// nearest to the cursor, within `reach`, when the button went down; bit 1 cuts the links that the cursor crosses.
/// Parameters: columns, rows, spacing [m], top [m] of the curtain; tear_stretch [rest lengths]; reach [m];
/// cursor_speed [m/s]; control_timeout [ticks].
/// CUSTOM commands, numbers as Q15.16 little endian [m]: one byte 1 makes everything new; 2, x, y, x, y cuts along a
/// line; 3, x, y puts the cursor there.
extern const iso_game iso_game_cloth;

/// The game of walkers: each member drives a ragdoll of capsules with servo joints that walks, jumps and keeps its
/// balance by these servos alone: they act between its parts, and the ground is all that holds it. When it falls it gets
/// up again, on hands and feet and then upright, in four to six seconds. Walkers pass each other.
///
/// Control block "axes-buttons-8" as the sandbox's: x walks left and right, bit 0 jumps; before a jump and before it turns
/// back a walker halts.
/// Parameters: walk_speed [m/s]; balance_torque [N m], the most with which the hips of the legs that carry turn a torso
/// upright; fall_time [ticks], after so long on the ground a walker is made anew where it lies; control_timeout [ticks].
/// Members may push their own walkers by forces and impulses; other commands are refused.
/// CUSTOM command: one byte 1 brings the member's walker back to its spawn place, as new bodies.
extern const iso_game iso_game_walker;

/// The game of that name among those that the library brings, or NULL.
const iso_game *iso_game_find(const char *name);

/// The library's games by number from 0; NULL beyond the last.
const iso_game *iso_game_at(uint32_t number);

#ifdef __cplusplus
}
#endif

#endif
