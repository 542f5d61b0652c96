/// The games that come with Isostep: a library of its own, built on the solver's public interface.
#ifndef ISOSTEP_GAMES_H
#define ISOSTEP_GAMES_H

#include <stddef.h>

#include "isostep/game.h"

#ifdef __cplusplus
extern "C" {
#endif

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
/// Control block "axes-buttons-8" as the sandbox's: the axes move the member's cursor; bit 0 holds the particle that
/// was nearest to the cursor, within `reach`, when the button went down; bit 1 cuts the links that the cursor crosses.
/// Parameters: columns, rows, spacing [m], top [m] of the curtain; tear_stretch [rest lengths]; reach [m];
/// cursor_speed [m/s]; control_timeout [ticks].
/// CUSTOM commands, numbers as Q15.16 little endian [m]: one byte 1 makes everything new; 2, x, y, x, y cuts along a
/// line; 3, x, y puts the cursor there.
extern const iso_game iso_game_cloth;

/// The game of walkers: each member drives a ragdoll of capsules with servo joints that walks, jumps and keeps its
/// balance by these servos alone: they act between its parts, and the ground is all that holds it. When it falls it
/// gets up again, on hands and feet and then upright, in four to six seconds. Walkers pass each other.
///
/// Control block "axes-buttons-8" as the sandbox's: x walks left and right, bit 0 jumps; before a jump and before it
/// turns round a walker halts. It faces the side to which it walks.
/// Parameters: walk_speed [m/s]; balance_torque [N m], the most with which the hips of the legs that carry turn a torso
/// upright; fall_time [ticks], after so long on the ground a walker is made anew where it lies; control_timeout
/// [ticks]. Members may push their own walkers by forces and impulses; other commands are refused.
/// CUSTOM command: one byte 1 brings the member's walker back to its spawn place, as new bodies.
extern const iso_game iso_game_walker;

/// The game of hounds: each member drives a ragdoll on four legs that trots to either side; two legs, one in front and
/// one behind, carry it at any time. Hounds pass each other.
///
/// Control block "axes-buttons-8" as the sandbox's: x trots left and right, y downwards crouches.
/// Parameters: walk_speed [m/s]; fall_time [ticks], after so long on its back a hound is made anew where it lies;
/// control_timeout [ticks]. Members may push their own hounds by forces and impulses; other commands are refused.
/// CUSTOM command: one byte 1 brings the member's hound back to its spawn place, as new bodies.
extern const iso_game iso_game_hound;

/// The game of pinball: each member has a ball on one table, and the buttons of all of them raise its flippers. A ball
/// comes up a lane, scores by hitting bumpers, and is served anew when it hits the drain; the member's score begins
/// again then, and the best one is kept. The scene has the table. Tags say what its parts do:
///   shapes  1 bumper: kicks a ball away as fast as the hit was, at least 2 m/s, and scores 10 points for each whole
///           m/s of the kick
///           2 gate: lets balls out of the lane and not back in; a ball is in play when it has passed
///           3 saver: as a bumper for a ball that has been in play for less than save_time, and open for others
///           4 drain: ends a ball that hits it; the floor of the lane should be one, too
///   joints  1 left flipper, a revolute whose body B turns counter-clockwise to rise; 2 right flipper, clockwise. At
///           most 16, which exist when the world starts; they keep the torque of their motors
///
/// Control block "axes-buttons-8" as the sandbox's: x nudges the member's ball; bit 0 raises left flippers, bit 1 right
/// ones. They fall when nobody holds the button.
/// Parameters: lane_x, lane_y [m], where balls are served; launch_speed [m/s], up to an eighth more by chance;
/// kick_speed [m/s], the most of a kick; flipper_speed [rad/s]; nudge_force [N]; save_time [ticks]; control_timeout
/// [ticks]. CUSTOM command: one byte 1 serves the member's ball anew. Other commands are refused.
/// Events: hit, drained, each with the slot and the points of the hit or of the ball.
extern const iso_game iso_game_pinball;

/// The sandbox in space: each member drives a ball over the scene, and may spawn and destroy bodies.
///
/// Control block "axes-buttons-8" as the sandbox's: x pushes along the world's x axis, y along -z; bit 0 jumps, when
/// something carries the ball.
/// Parameters: drive_force [N], jump_speed [m/s], control_timeout [ticks]; bodies_per_slot, shapes_per_slot and
/// joints_per_slot (quotas).
/// Members command by the rule of iso_game_authorize_owner.
/// CUSTOM command: one byte 1 brings the member's ball back to its spawn place, as a new body.
extern const iso_game iso_game_sandbox3;

/// The rally: each member drives a car round a circuit, whose laps are counted. The cars are built of bodies and joints
/// alone: a chassis on four balls, each on a hinge2 joint with a spring, and motors that drive and brake all four. The
/// scene has the circuit. Tags say what its parts do, each from 1 on without a gap:
///   shapes  sensors that are boxes: the check points in their order, 1 is the line; cars pass along the box's x axis.
///           At most 32. A filter with the mask 2 lets them touch chassis alone, which matters to events of contacts
///           only
///   bodies  static ones: the places of the grid on the ground, cars look along their x axes. Member n has place n
///           modulo their number
///
/// Control block "axes-buttons-8" as the sandbox's: x steers, right if positive, less the faster the car is; y drives,
/// and negative brakes, then reverses; bit 0 is the handbrake.
/// Parameters: drive_torque and brake_torque [N m] of each wheel; top_speed [m/s]; steer_angle [rad]; flip_time
/// [ticks], after so long on its side or roof a car is brought back; range [m], and when it is farther from the world's
/// origin along an axis; control_timeout [ticks].
/// CUSTOM command: one byte 1 brings the member's car back to the check point that it passed last, as new bodies. Other
/// commands are refused.
/// Events: check_point with slot, number and ticks since the line; lap with slot, number, ticks and the best lap's
/// ticks; respawn with slot and reason: 1 asked for, 2 upside down, 3 out of range.
extern const iso_game iso_game_rally;

/// All of them. A build for the plane alone has none for space.
#ifdef ISO_ONLY_PLANE
#define ISO_GAME_COUNT 5
#else
#define ISO_GAME_COUNT 7
#endif
extern const iso_game *const iso_games[ISO_GAME_COUNT];

/// The one of that name, or NULL.
const iso_game *iso_game_find(const char *name);

/// The games that a program knows: those that it was given, then these, but for those whose names it was given. Server,
/// client and replay tool refuse other games under these names first (iso_game_check_list).
/// @param given  `count` games, NULL when there are none
/// @param games  room for count + ISO_GAME_COUNT
/// @return how many there are
size_t iso_games_add(const iso_game *const *given, size_t count, const iso_game **games);

#ifdef __cplusplus
}
#endif

#endif
