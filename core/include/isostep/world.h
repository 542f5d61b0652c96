/// The world: a deterministic simulation of rigid bodies in the plane or in space, in fixed point.
///
/// A world lives in one block of memory that the caller provides; nothing is allocated after
/// iso_world_create. The state after a step is a function of the state before it and of the tick's
/// input, the same on every processor, with every compiler.
///
/// Threads, unless a header says otherwise. The library has no threads, locks or variables of its own. A function
/// without a world depends only on its arguments and may be called from any thread. Different threads may use different
/// worlds at the same time, as far as their games and allocators allow it. One world may be used by one thread at a
/// time, but functions that take it as const only read it: several threads may call them at once, as long as no thread
/// calls a function that takes the world without const.
///
/// What is legal when:
///   - While a world is built, from iso_world_create to the first step, every call is legal. All programs that share
///     the world must build it in the same way or take a snapshot of it.
///   - Within a step only the game's functions (game.h) run, and what they call. They may read and change everything,
///     but may not call iso_world_start, a step, iso_world_add_program, iso_world_add_blueprint, iso_world_add_heights,
///     iso_world_drop_caches, iso_world_set_simd, iso_world_set_parallel, the profile's functions, iso_world_get_events
///     (except in after_step) and iso_world_get_results, or any function of snapshot.h: a tick cannot be interrupted.
///   - Between the ticks of a networked world, which other programs compute, too (a session's, a client's, a
///     recording's), only functions that read are legal, and those that change only caches: hashes and differences,
///     iso_world_drop_caches, the profile, instruction set and threads. Any other change, such as a force, a new body,
///     another gravity or a random number, makes this world differ from the others, and the next comparison of roots
///     reports ISO_ERR_DESYNC. Changes from outside must be commands in a tick's input (tick.h). Only the session or
///     the client library steps, restores and decodes. iso_client_world therefore returns its world as const.
///   - A world that is not shared may be changed between any two steps. Snapshots contain such a change, recordings of
///     inputs do not.
/// Indices of contacts are valid until the world's next change. A handle becomes stale when its object is destroyed. A
/// returned pointer is valid as long as the world, unless the function's description says otherwise.
#ifndef ISOSTEP_WORLD_H
#define ISOSTEP_WORLD_H

#include <stddef.h>

#include "isostep/body.h"
#include "isostep/compound.h"
#include "isostep/contact.h"
#include "isostep/contact3.h"
#include "isostep/event.h"
#include "isostep/game.h"
#include "isostep/joint.h"
#include "isostep/shape.h"
#include "isostep/tick.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Bounds of the definition's values.
#define ISO_BODY_CAPACITY_MAX         (1u << 20)
#define ISO_CONTACT_CAPACITY_MAX      (1u << 22)
#define ISO_PROGRAM_CAPACITY_MAX      64u
#define ISO_CUSTOM_JOINT_CAPACITY_MAX 4096u

/// The first members of a world's definition in the order of their canonical bytes. Defaults, bounds, sections, headers
/// of recordings and scenes are generated from ISO_WORLD_DEF_LIST.
///   COUNT(type, name, low, high, otherwise, object, key, unit)  a whole number; object and key locate it in a scene
///   NUMBER(name, low, high, otherwise, unit)  Q15.16; low, high and otherwise as such; in a scene's "world"
///   OTHER(name)  handled separately
#define ISO_WORLD_DEF_FIRST_LIST(COUNT, NUMBER, OTHER)                                                            \
    COUNT(U32, body_capacity, 1, ISO_BODY_CAPACITY_MAX, 1024, capacities, bodies, "")                             \
    COUNT(U32, shape_capacity, 1, ISO_BODY_CAPACITY_MAX, 1024, capacities, shapes, "")                            \
    COUNT(U32, joint_capacity, 0, ISO_BODY_CAPACITY_MAX, 1024, capacities, joints, "")                            \
    COUNT(U32, contact_capacity, 0, ISO_CONTACT_CAPACITY_MAX, 8192, capacities, contacts, "")                     \
    COUNT(U32, event_capacity, 0, ISO_BODY_CAPACITY_MAX, 1024, capacities, events, "")                            \
    COUNT(U32, program_capacity, 0, ISO_PROGRAM_CAPACITY_MAX, 8, capacities, programs, "")                        \
    COUNT(U32, custom_joint_capacity, 0, ISO_CUSTOM_JOINT_CAPACITY_MAX, 64, capacities, custom_joints, "")        \
    COUNT(U8, slot_capacity, 0, ISO_SLOT_COUNT_MAX, ISO_SLOT_COUNT_MAX, capacities, slots, "")                    \
    COUNT(U8, substep_count, 1, 16, 4, root, substeps, "")                                                        \
    COUNT(U16, tick_rate_hz, 10, 128, 60, root, tick_rate_hz, "Hz")                                               \
    COUNT(U64, seed, 0, UINT64_MAX, 1, root, seed, "")                                                            \
    OTHER(gravity)                                                                                                \
    NUMBER(contact_hertz, ISO_FIX16_ONE / 100, 1000 * ISO_FIX16_ONE, 30 * ISO_FIX16_ONE, "Hz Q15.16")             \
    NUMBER(contact_damping_ratio, 0, 1000 * ISO_FIX16_ONE, 10 * ISO_FIX16_ONE, "Q15.16")                          \
    NUMBER(contact_push_speed, 0, 500 * ISO_FIX16_ONE, 3 * ISO_FIX16_ONE, "m/s Q15.16")                           \
    NUMBER(restitution_threshold, 0, 500 * ISO_FIX16_ONE, ISO_FIX16_ONE, "m/s Q15.16")                            \
    NUMBER(joint_hertz, ISO_FIX16_ONE / 100, 1000 * ISO_FIX16_ONE, 240 * ISO_FIX16_ONE, "Hz Q15.16")              \
    NUMBER(joint_damping_ratio, 0, 1000 * ISO_FIX16_ONE, 2 * ISO_FIX16_ONE, "Q15.16")                             \
    NUMBER(slop, 0, ISO_FIX16_ONE / 2, 328, "m Q15.16")                                                           \
    NUMBER(speculative_distance, 0, ISO_FIX16_ONE / 2, 1311, "m Q15.16")                                          \
    NUMBER(sleep_speed, 0, 500 * ISO_FIX16_ONE, 3277, "m/s Q15.16")                                               \
    NUMBER(sleep_time, 0, 500 * ISO_FIX16_ONE, ISO_FIX16_ONE / 2, "s Q15.16")                                     \
    OTHER(game)                                                                                                   \
    OTHER(game_params)                                                                                            \
    COUNT(U32, contact_point_limit, 0, 2 * ISO_CONTACT_CAPACITY_MAX, 6144, capacities, contact_points, "0: none") \
    COUNT(U32, kept_body_capacity, 0, ISO_BODY_CAPACITY_MAX, 256, capacities, kept_bodies, "")

/// Those that recordings of the first builds did not have; a new one goes to a list of its own behind the last one. The
/// bytes of each list are a multiple of eight, so that the definition has no padding.
#define ISO_WORLD_DEF_LATER_LIST(COUNT, NUMBER, OTHER)                                 \
    NUMBER(contact_keep_distance, 0, ISO_FIX16_ONE / 2, 1311, "m Q15.16")              \
    NUMBER(contact_keep_angle, 0, ISO_FIX16_ONE / 8, ISO_FIX16_ONE / 16, "rad Q15.16") \
    COUNT(U64, iteration_count, 1, 8, 1, root, iterations, "")

/// What only a world in space has. Hashes, snapshots and recordings of the plane leave these members out.
#define ISO_WORLD_DEF_SPACE_LIST(COUNT, NUMBER, OTHER)    \
    COUNT(U16, dimensions, 2, 3, 2, root, dimensions, "") \
    OTHER(integrator)                                     \
    OTHER(gravity_z)

/// The members of a world's definition in the plane, and in space.
#define ISO_WORLD_DEF_PLANE_LIST(COUNT, NUMBER, OTHER) \
    ISO_WORLD_DEF_FIRST_LIST(COUNT, NUMBER, OTHER)     \
    ISO_WORLD_DEF_LATER_LIST(COUNT, NUMBER, OTHER)
#define ISO_WORLD_DEF_LIST(COUNT, NUMBER, OTHER)   \
    ISO_WORLD_DEF_PLANE_LIST(COUNT, NUMBER, OTHER) \
    ISO_WORLD_DEF_SPACE_LIST(COUNT, NUMBER, OTHER)

/// How bodies in space turn that neither touch nor are joined to anything in a tick. X(NAME, number, name)
///   SPLIT  exact rotations about the principal axes, one after the other: the angular momentum is kept to the bit, and
///          the energy stays within a bound for ever
///   RK4    the classic Runge-Kutta method of order four, which costs half as much again; what is so thin and spins so
///          fast that a substep is too long for it, and what may not turn about each axis, turns as by SPLIT
#define ISO_INTEGRATOR_LIST(X) \
    X(SPLIT, 0, split)         \
    X(RK4, 1, rk4)

typedef enum iso_integrator {
#define ISO_INTEGRATOR_ENUM(NAME, number, name) ISO_INTEGRATOR_##NAME = (number),
    ISO_INTEGRATOR_LIST(ISO_INTEGRATOR_ENUM)
#undef ISO_INTEGRATOR_ENUM
} iso_integrator;

/// The properties of a world that never change during its lifetime. Hashed, and part of every snapshot.
typedef struct iso_world_def {
    uint32_t body_capacity;  // 1 to 2^20
    uint32_t shape_capacity; // 1 to 2^20
    uint32_t joint_capacity; // 0 to 2^20
    uint32_t
        contact_capacity; // 0 to 2^22; of touching pairs; beyond it those with the highest keys are dropped and counted
    uint32_t event_capacity;        // 0 to 2^20; of each list of events, see event.h
    uint32_t program_capacity;      // 0 to 64 compiled constraints
    uint32_t custom_joint_capacity; // 0 to 4,096 joints of the kinds USER and SYMBOLIC, included in joint_capacity
    uint8_t slot_capacity;          // 0 to 32 members
    uint8_t substep_count;          // 1 to 16; 60 <= rate * substeps <= 2047
    uint16_t tick_rate_hz;          // 10 to 128
    uint64_t seed;                  // of the world's random numbers
    iso_vec2 gravity;               // [m/s^2] at tick 0, components within ±1000
    fix16_t contact_hertz;          // stiffness of contacts; capped at 0.25/h; twice that against static bodies
    fix16_t contact_damping_ratio;
    fix16_t contact_push_speed;    // [m/s] largest speed at which overlap is corrected
    fix16_t restitution_threshold; // [m/s] slower impacts do not bounce
    fix16_t joint_hertz;           // of rigid joints; capped at 0.25/h
    fix16_t joint_damping_ratio;
    fix16_t slop;                 // [m] a tenth of it decides between faces of nearly equal separation
    fix16_t speculative_distance; // [m] contacts are created within this distance
    fix16_t
        sleep_speed; // [m/s] 0 to 500; 0: nothing sleeps. A body is slow when |v| and |w| times its radius are below
                     // it, in space when each of their components is
    fix16_t
        sleep_time; // [s] 0 to 500; an island whose bodies are all slow, near their places and undriven for this long
                    // sleeps
    char game[ISO_GAME_NAME_MAX + 1]; // zero-padded; empty: no game
    /// The values of the game's parameters, in its order. Who makes the definition fills them, by iso_game_param.value
    /// unless others are wanted: iso_world_def_default does not know the game, and iso_world_create takes what is there
    /// without comparing it with `min` and `max`. What is not filled is 0, which may be out of the parameter's range
    /// (no thrust, no bodies for a member). Scenes fill and check them.
    iso_wide game_params[ISO_GAME_PARAMS_MAX];
    uint32_t
        contact_point_limit; // 0 to 2^23 contact points in a tick, 0: none; beyond it members lose bodies, see event.h
    uint32_t kept_body_capacity;   // 0 to 2^20 bodies of members that have left, in games that keep them (game.h)
    fix16_t contact_keep_distance; // [m] 0 to 0.5; 0: no contact keeps its manifold
    fix16_t contact_keep_angle;    // [rad] 0 to 1/8; a contact with two points, in space with three or four, keeps its
                                   // manifold while its bodies have moved less than that distance, and an eighth of the
                                   // smaller shape's extent, against each other, and neither has turned farther than
                                   // this angle
    /// 1 to 8 solving passes over all joints and contacts in each substep. More of them help uneven masses a little,
    /// more substeps help much more and cost about as much (core/NUMERICS.md).
    uint64_t iteration_count;
    uint16_t dimensions; // 2: the plane, 3: space; chosen once, a world has the functions of one of them (body3.h)
    uint16_t integrator; // iso_integrator; in the plane SPLIT
    fix16_t gravity_z;   // [m/s^2] at tick 0, within ±1000; in the plane 0
} iso_world_def;

typedef struct iso_world iso_world;

/// 60 Hz, 4 substeps, gravity (0, -10), 1,024 bodies and shapes, 1,024 joints, 8,192 contacts, 8 programs,
/// 64 custom joints, 1,024 events of each list, 6,144 contact points, 256 kept bodies, 32 slots, no game.
iso_world_def iso_world_def_default(void);

/// Checks every value but game_params. @return ISO_OK; ISO_ERR_RANGE; *field then names the first bad one when not
/// NULL.
iso_status iso_world_def_check(const iso_world_def *def, const char **field);

/// Bytes that a world of this definition needs, a multiple of 64; 0 when the definition is bad; SIZE_MAX when it needs
/// more than a size_t holds: on machines of 32 bits the largest capacities do.
/// @param game  the game that def->game names, or NULL when that is empty
size_t iso_world_size(const iso_world_def *def, const iso_game *game);

/// Creates an empty world at tick 0 in the caller's memory.
/// @param memory  aligned to 64, at least iso_world_size bytes; it belongs to the world until the caller reuses it; a
///                world needs no destruction
/// @return ISO_OK; ISO_ERR_RANGE (also of the game: iso_game_check); ISO_ERR_BUFFER (memory); ISO_ERR_UNKNOWN_NAME
///         (game does not fit def->game).
iso_status iso_world_create(const iso_world_def *def, const iso_game *game, void *memory, size_t size,
                            iso_world **world);

/// Calls the game's start function. Once, after the scene has been built, before the first step.
void iso_world_start(iso_world *world);

const iso_world_def *iso_world_get_def(const iso_world *world);
const iso_game *iso_world_get_game(const iso_world *world);

/// The game's state block, read-only, for example for drawing; NULL without a game. Only the game changes it.
const void *iso_world_get_game_state(const iso_world *world);

/// The number of steps since the initial state.
uint64_t iso_world_get_tick(const iso_world *world);

/// Turns state T-1 into state T: session changes, commands, then the physics of one tick.
/// @param input  input->tick must be iso_world_get_tick + 1
/// @return ISO_OK; ISO_ERR_STATE (another tick, or a change that does not fit its slot);
///         ISO_ERR_MALFORMED (commands out of order, more than the maxima, or one that fails
///         iso_command_check); ISO_ERR_DIMENSION (a command for worlds of another dimension). On error the world is
///         unchanged.
iso_status iso_world_step(iso_world *world, const iso_tick_input *input);

/// A step without any input.
iso_status iso_world_step_empty(iso_world *world);

/// The results of the commands of the last step, in their order. Valid until the next step; not within one.
const iso_command_result *iso_world_get_results(const iso_world *world, uint32_t *count);

/// The state of one slot.
typedef struct iso_slot_view {
    bool is_occupied; // by a connected or held member
    bool is_held;     // its connection broke; the member may resume
    bool is_crowded;  // may spawn nothing in this tick, see event.h; false before commands and after a restore
    uint32_t generation;
    uint64_t last_sequence; // of the last command that was sealed for it
    uint64_t control_tick;  // when its control block was set
    uint8_t control_size;
    uint8_t control[ISO_CONTROL_SIZE_MAX];
} iso_slot_view;

/// @return false when there is no such slot.
bool iso_world_get_slot(const iso_world *world, uint32_t slot, iso_slot_view *view);

/// The member's control block as the game sees it: its bytes, or zeros when it is older than the
/// game's control_timeout or was never set. `size` bytes are written.
void iso_world_read_control(const iso_world *world, uint32_t slot, uint8_t *bytes, size_t size);

/// The body that the member controls, or null.
iso_body_id iso_world_get_player_body(const iso_world *world, uint32_t slot);

/// The next random number of the world, uniform over 2^32 values. The generator (PCG) is part of the state. For games:
/// drawing a number outside of a step makes a networked world differ from the others.
uint32_t iso_world_random(iso_world *world);

/// A random number from 0 to bound - 1, exactly uniform: numbers that would cause a bias are rejected and drawn again,
/// fewer than two draws on average. Draws at least one of the world's random numbers. Legal where iso_world_random is.
/// @param bound  any; 0 gives 0 and draws nothing
/// Source: Lemire, Fast Random Integer Generation in an Interval, 2019.
uint32_t iso_world_random_below(iso_world *world, uint32_t bound);

/// Adds a compiled constraint for joints of the kind SYMBOLIC; between steps. It cannot be removed.
/// @param index  its number, ascending from 0
/// @return ISO_OK; ISO_ERR_VERSION, ISO_ERR_MALFORMED (iso_program_check); ISO_ERR_DIMENSION (of worlds of another
///         kind); ISO_ERR_CAPACITY.
iso_status iso_world_add_program(iso_world *world, const iso_program *program, uint32_t *index);

/// The program with this index, or NULL when there is none. Indices are valid from 0 to that of the last program added.
const iso_program *iso_world_get_program(const iso_world *world, uint32_t index);

iso_vec2 iso_world_get_gravity(const iso_world *world);
iso_status iso_world_set_gravity(iso_world *world, iso_vec2 gravity);

/// Sizes and counters. The counters are hashed state.
typedef struct iso_world_counts {
    uint32_t bodies, shapes, joints, contacts, compounds; // alive now
    uint32_t islands;                                     // of the last step
    uint64_t commands_applied, commands_refused;
    uint64_t clamped_velocities; // a body's velocity, turn or position was clamped
    uint64_t clamped_impulses;   // a contact's or a joint's impulse was clamped
    uint64_t clamped_rows;       // a value from a program or a game's function was outside the range of a joint's rows,
                                 // or a row's gradient was too small to solve it
    uint64_t dropped_contacts;   // contact_capacity was exceeded
    uint64_t dropped_events;     // event_capacity was exceeded
    uint64_t removed_bodies;     // of members, by the limit of contact points
    uint32_t awake_bodies;       // dynamic ones that do not sleep, and kinematic ones
} iso_world_counts;

void iso_world_get_counts(const iso_world *world, iso_world_counts *counts);

/// Discards everything that is not state (trees, pairs, colours, islands, cached hashes). It is rebuilt when needed; no
/// bit of a later state changes. For tests, and for finding a bad cache.
void iso_world_drop_caches(iso_world *world);

/// Time per stage of the last steps [ns], when the caller provides a clock for profiling. The simulation's results
/// never depend on the clock.
typedef uint64_t iso_clock_fn(void *user);

/// The stages of a step, in their order, in worlds of every kind. X(name, what it is)
#define ISO_PROFILE_STAGE_LIST(X)                                \
    X(commands, "changes of the session and commands")           \
    X(pairs, "waking, moving bodies, boxes and pairs of shapes") \
    X(manifolds, "manifolds, contacts and their rules")          \
    X(graph, "joints that work, islands and colours")            \
    X(prepare, "rows of contacts; in space of joints, too")      \
    X(substeps, "impacts, substeps and restitution")             \
    X(finish, "storing, breaking, continuous collision, sleep, events")

typedef struct iso_profile {
#define ISO_PROFILE_FIELD(name, text) uint64_t name;
    ISO_PROFILE_STAGE_LIST(ISO_PROFILE_FIELD)
#undef ISO_PROFILE_FIELD
} iso_profile;
void iso_world_set_profile_clock(iso_world *world, iso_clock_fn *clock, void *user);
iso_profile iso_world_take_profile(iso_world *world);

#ifdef __cplusplus
}
#endif

#endif
