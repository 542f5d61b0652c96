/// Games: the rules of a session as deterministic code.
///
/// A game is bound to a world by name when the world is created. Its functions run inside the step,
/// so they must depend on the world, the game's state and their arguments only: no clock, no
/// address, no floating point, no memory of their own. The game's state is a block inside the world
/// with a list of fixed-width fields; snapshot, hash and diff read that list. isostep/sync_test.h
/// finds data that a game keeps elsewhere.
///
/// A game's functions are called by the thread that steps the world. A server has one iso_game for all its sessions, so
/// several threads may call them at once for different worlds. Functions that take the world as const (`player_body`,
/// `draw`, and `authorize`, which is called within steps) may also be called between steps, by several reading threads
/// at once. The head of world.h lists what a function may call within a step.
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

/// Names that no game's event may have: in lines of events they stand for the world's own, `code` for one without a
/// name.
#define ISO_EVENT_NAMES_TAKEN \
    "joint_break", "removal", "left_world", "sleep", "wake", "joint_sleep", "joint_wake", "code"

struct iso_contact_rules;
struct iso_contact3_rules;
struct iso_draw;
struct iso_step_contact;
struct iso_step_contact3;
struct iso_world;

/// A number that scenes may set. These names mean the same in every game, since the library itself reads them:
///
///   control_timeout   [ticks] after which a member's control block reads as zeros, counted from the tick that set it;
///                     a client whose controls do not change sends them again before that. Without it
///                     ISO_CONTROL_TIMEOUT_DEFAULT. With 0 a block counts in the tick that sets it and in no other,
///                     and clients do not repeat it
///   bodies_per_slot   how many bodies a member's commands may have in the world at a time. Without it any number
///   shapes_per_slot   the same of shapes: on the member's own bodies, and added by it to others
///   joints_per_slot   the same of joints
///
/// The game lists those that scenes may set, or that it wants another value for; its own may have any other name.
/// Fractions are cut off. What holds for all games without being a parameter: the size of a control block
/// (`control_size`), 64 commands in a message, and what the server's options say of a member (`--commands-per-tick`,
/// `--input-bytes`).
typedef struct iso_game_param {
    const char *name; // [a-zA-Z0-9_-], at most ISO_GAME_NAME_MAX characters, unique
    /// By default, in scenes. A program that makes a definition itself writes it to game_params (world.h).
    iso_wide value;
    iso_wide min, max;
} iso_game_param;

#define ISO_CONTROL_TIMEOUT_DEFAULT 10 // ticks

/// An event that the game emits (iso_world_emit of event.h), so that tools can print "goal scorer=1 score=3".
typedef struct iso_game_event {
    const char *name; // [a-z0-9_], beginning with a letter, at most ISO_GAME_NAME_MAX characters, unique, none of
                      // ISO_EVENT_NAMES_TAKEN
    uint32_t code;    // unique
    uint32_t size;    // bytes of each such event, at most ISO_EMIT_SIZE_MAX
    const iso_field *fields; // of the struct that is emitted; cover each byte exactly once; named like events, unique
    uint32_t field_count;
} iso_game_event;

typedef struct iso_game {
    const char *name; // [a-z0-9-], at most ISO_GAME_NAME_MAX characters
    uint32_t version; // raised when the rules change
    const char
        *control_layout;   // names the layout of the control block, for clients: "axes-buttons-8"; NULL: none, as ""
    uint32_t control_size; // bytes of the control block that the game uses, at most 32
    uint32_t dimensions;   // bits of the worlds that it is for: 4 the plane, 8 space, 12 both; 0: the plane

    const iso_game_param *params;
    uint32_t param_count; // at most ISO_GAME_PARAMS_MAX

    const iso_constraint *constraints; // for joints of the kind USER, names unique; a change of one raises the version
    uint32_t constraint_count;         // at most 65,535

    size_t state_size;       // bytes; the block is aligned to 8 and zero at start
    const iso_field *fields; // cover every byte of the state exactly once: padding is a field, too
    uint32_t field_count;

    const iso_game_event *events; // its named events; an event with another code is shown as bytes
    uint32_t event_count;         // at most ISO_GAME_EVENTS_MAX

    /// False: when a member's slot is freed, the bodies that it spawned are destroyed, with their joints. True: they
    /// stay, without an owner, up to kept_body_capacity of the world's definition; the others are destroyed. First come
    /// compounds, in ascending order, each with all of its bodies or none; then other bodies, in ascending order. The
    /// same applies to the member's joints.
    bool keeps_spawned;

    /// Called once, at tick 0, after the scene has been built. May be NULL, like all functions below.
    void (*start)(struct iso_world *world, void *state);
    void (*join)(struct iso_world *world, void *state, uint32_t slot);
    void (*leave)(struct iso_world *world, void *state, uint32_t slot);
    /// The member's connection broke and its slot is held; `resume` or `leave` follows later.
    void (*drop)(struct iso_world *world, void *state, uint32_t slot);
    void (*resume)(struct iso_world *world, void *state, uint32_t slot);
    /// A CUSTOM command. The status is the command's result.
    iso_status (*command)(struct iso_world *world, void *state, uint32_t slot, const uint8_t *bytes, size_t size);
    /// Before each step, and after it. after_step may read the step's events (iso_world_get_events of event.h), which
    /// are the same on every machine. before_step may not: events are not state, so a world that was just restored has
    /// none of the last step. It, and a rule that must hold even when event_capacity is exceeded, reads what they would
    /// say from the world and compares it with what the game keeps in its own state:
    ///
    /// - A joint that broke: iso_joint_is_valid is false (remove_on_break), or its `enabled` is (iso_joint_get). A user
    ///   constraint is told by its `broken` (constraint.h).
    /// - What is in a sensor, sleeping bodies included, if `gate` is the sensor's body; what was in it a tick ago is
    ///   the game's to remember. In the plane (in space iso_contact3_view of contact3.h says whether the shapes touch):
    ///
    ///     for (uint32_t c = iso_body_next_contact(world, gate, 0); c != UINT32_MAX;
    ///          c = iso_body_next_contact(world, gate, c + 1)) {
    ///         iso_contact_view contact;
    ///         iso_contact_manifold manifold;
    ///         if (iso_world_get_contact(world, c, &contact) && iso_world_get_contact_manifold(world, c, &manifold) &&
    ///             manifold.is_touching) {
    ///             const iso_body_id visitor =
    ///                 iso_body_id_equal(contact.body_a, gate) ? contact.body_b : contact.body_a;
    ///             ...
    ///         }
    ///     }
    void (*before_step)(struct iso_world *world, void *state);
    void (*after_step)(struct iso_world *world, void *state);
    /// Decides about a contact of this tick: see iso_step_contact and iso_contact_rules of contact.h. Called after
    /// before_step, when the step knows what touches. It reads the world and writes the game's state; it must not
    /// create, destroy, move or wake anything. Sleeping contacts are not asked about. A game with this function pays
    /// for it with each contact, others pay nothing. Worlds in space call before_contact3 and after_contact3 instead.
    void (*before_contact)(const struct iso_world *world, void *state, const struct iso_step_contact *contact,
                           struct iso_contact_rules *rules);
    /// Tells the impulses of the same contacts when they are solved. Bodies are then still where they were when
    /// before_contact was called, with the velocities that they had; after_step sees where the step ends.
    void (*after_contact)(const struct iso_world *world, void *state, const struct iso_step_contact *contact);
    /// The same in space: see iso_step_contact3 and iso_contact3_rules of contact3.h. Both are called by the thread
    /// that steps the world, in the order of the contacts, whatever the threads and instruction set of the step.
    void (*before_contact3)(const struct iso_world *world, void *state, const struct iso_step_contact3 *contact,
                            struct iso_contact3_rules *rules);
    void (*after_contact3)(const struct iso_world *world, void *state, const struct iso_step_contact3 *contact);
    /// Whether the member in `slot` may give this command now. NULL: iso_game_authorize_default.
    iso_status (*authorize)(const struct iso_world *world, const void *state, uint32_t slot,
                            const iso_command *command);
    /// The body that the member controls, or null.
    iso_body_id (*player_body)(const struct iso_world *world, const void *state, uint32_t slot);
    /// Draws what the game's state has besides bodies and joints, for pictures and debugging views. Called with `index`
    /// 0, 1, …; adds items with iso_draw_add (draw.h). @return false when there is nothing of this index: the end
    bool (*draw)(const struct iso_world *world, const void *state, uint32_t index, struct iso_draw *draw);
} iso_game;

/// Whether a game is for worlds with so many dimensions, 2 or 3.
static inline bool iso_game_has_dimensions(const iso_game *game, uint32_t dimensions) {
    return ((game->dimensions == 0 ? 4u : game->dimensions) >> dimensions & 1u) != 0;
}

/// Whether a world can have this game: each byte of its state and of its events is in exactly one field, all names and
/// numbers are within their limits, and each constraint is for worlds that the game is for. iso_world_create checks
/// this, too; programs check first in order to report the error. The time grows with the square of the numbers of
/// fields and of constraints.
/// @param game  NULL is no game, which is an error
/// @param text  receives what is wrong, where (at which byte, in which constraint), and what was expected; empty when
///              nothing is; may be NULL when `capacity` is 0
/// @return ISO_OK; ISO_ERR_RANGE.
iso_status iso_game_check(const iso_game *game, char *text, size_t capacity);

/// Whether a program can have these games: each is right by itself, and none has the name of another one.
/// @param games   `count` games; each may be NULL, which is told, and so may the list
/// @param others  `other_count` games that the program has as well: the library's (games.h), which may be among
///                `games`; none of these is looked at but for its name. NULL when there are none
/// @param text, capacity  as above
/// @return ISO_OK; ISO_ERR_RANGE.
iso_status iso_game_check_list(const iso_game *const *games, size_t count, const iso_game *const *others,
                               size_t other_count, char *text, size_t capacity);

/// For how many ticks after the one that set it a control block reads as it was set: the game's parameter
/// control_timeout, rounded down to a whole number not below 0, or ISO_CONTROL_TIMEOUT_DEFAULT.
/// @param game    may be NULL: worlds without one
/// @param values  of the game's parameters: game_params of a world's definition; NULL: those that the game has by
///                default
uint32_t iso_game_control_timeout(const iso_game *game, const iso_wide *values);

/// The named event of this code. @return NULL when there is none, or no game
const iso_game_event *iso_game_find_event(const iso_game *game, uint32_t code);

/// The rule for games without `authorize`, and for worlds without a game: SET_CONTROL and CUSTOM, which the game
/// interprets, are allowed, and no other command. So members cannot change a world in ways that its game does not know.
/// @return ISO_OK; ISO_ERR_REFUSED.
iso_status iso_game_authorize_default(const struct iso_world *world, const void *state, uint32_t slot,
                                      const iso_command *command);

/// The rule of the sandbox, for games whose members may build: a command on a body, shape, joint or compound is allowed
/// to its owner, and to all members when its owner is ISO_OWNER_EVERYONE. Commands on the world (gravity) are refused;
/// all others are allowed. A compound counts with all of its parts. The limits of spawns are then the game's parameters
/// bodies_per_slot, shapes_per_slot and joints_per_slot.
/// @return ISO_OK; ISO_ERR_STALE; ISO_ERR_NOT_OWNER; ISO_ERR_REFUSED.
iso_status iso_game_authorize_owner(const struct iso_world *world, const void *state, uint32_t slot,
                                    const iso_command *command);

#ifdef __cplusplus
}
#endif

#endif
