/// Inverse kinematics: how a chain of links must stand so that its end reaches a place.
///
/// FABRIK, forward and backward reaching: the chain is laid from its target back to its root and from its root forward
/// again, each link along the direction in which the last pass left it, until the end is near enough. There is no
/// matrix, and a chain that bends stays bent on its side. A pure function in fixed point, for games: the same bits
/// everywhere. It knows nothing of a world.
#ifndef ISOSTEP_FABRIK_H
#define ISOSTEP_FABRIK_H

#include "isostep/shape.h"

#ifdef __cplusplus
extern "C" {
#endif

#define ISO_FABRIK_JOINTS_MAX     16
#define ISO_FABRIK_ITERATIONS_MAX 256
#define ISO_FABRIK_BEGINNINGS     8     // how often a chain with limits that has not reached its target is laid anew
#define ISO_FABRIK_PLACE_MAX_M    65536 // |x|, |y| of root, joints and target
#define ISO_FABRIK_LENGTH_MAX_M   1024  // of a link; at least 1/1024

/// How far a link may turn against the link before it, the first link against the x axis.
typedef struct iso_fabrik_limit {
    iso_wide lower, upper; // [turns] -1/2 <= lower <= upper <= 1/2, positive counter-clockwise
} iso_fabrik_limit;

typedef struct iso_fabrik_chain {
    uint32_t joint_count;           // 2 to ISO_FABRIK_JOINTS_MAX; there is a link less
    uint32_t iteration_max;         // 1 to ISO_FABRIK_ITERATIONS_MAX, each a pass backward and a pass forward;
                                    // with limits of each try, see iso_fabrik_solve
    iso_wide tolerance;             // [m] 0 or more: the end is this near when the chain has reached its target
    const iso_wide *lengths;        // [m] of the joint_count - 1 links, 1/1024 to ISO_FABRIK_LENGTH_MAX_M
    const iso_fabrik_limit *limits; // of each link, or NULL
} iso_fabrik_chain;

/// How a solution ended. X(name, number)
///   REACHED   the end is within the tolerance
///   TOO_FAR   the target is farther than all links together: the chain points at it, straight as far as limits allow
///   TOO_NEAR  the longest link is longer than the others and the distance together: it points at the target, the
///             others back, as far as limits allow
///   STOPPED   after iteration_max passes (with limits, after all tries) the end is not there yet; limits may make that
///             so for ever
#define ISO_FABRIK_END_LIST(X) \
    X(REACHED, 1)              \
    X(TOO_FAR, 2)              \
    X(TOO_NEAR, 3)             \
    X(STOPPED, 4)

typedef enum iso_fabrik_end {
#define ISO_FABRIK_END_ENUM(name, number) ISO_FABRIK_##name = (number),
    ISO_FABRIK_END_LIST(ISO_FABRIK_END_ENUM)
#undef ISO_FABRIK_END_ENUM
} iso_fabrik_end;

typedef struct iso_fabrik_result {
    uint8_t end;         // iso_fabrik_end
    uint32_t iterations; // passes and sweeps made
    iso_wide distance;   // [m] from the chain's end to the target
} iso_fabrik_result;

/// Moves a chain's joints so that its end comes to the target.
///
/// The root stays, bit for bit. Each link keeps its length within 2^-29 of itself and 2 quanta. The pose it is given
/// decides on which side the chain bends; links whose ends coincide point at the target at first. A chain that lies on
/// the line through its root and the target cannot bend by itself, nor can one that its limits have straightened: it is
/// first laid at the target, its inner joints an eighth of their link aside, on the side that the second link's limits
/// prefer, else counter-clockwise.
///
/// Passes come nearer by a share of the distance that is left, a small share when links differ much in length or the
/// target is at the rim of what can be reached.
///
/// Limits hold in the result, but for the rounding of directions (2^-30) and places (a quantum). Passes keep them on
/// their way forward only and often stop short of a target for that. Then sweeps go on from where they stopped: the
/// links turn within their limits, all at once or one after the other, so that the end comes nearer with each sweep.
/// When that ends short of the target too, passes and sweeps begin anew from the middle of all limits, and from
/// ISO_FABRIK_BEGINNINGS - 1 other poses within them, always the same ones; the nearest pose of all is the result. Each
/// of these tries makes at most iteration_max passes and as many sweeps. With 16 passes and chains of 3 to 16 joints
/// 99.7 % of the targets are reached that some pose within the limits reaches, 17 % by the passes alone
/// (test_fabrik.c); none of the poses is promised to be found.
///
/// @param target  [m] each component within ±ISO_FABRIK_PLACE_MAX_M
/// @param joints  [m] chain->joint_count places, likewise; the first is the root. Written on success.
/// @param result  may be NULL
/// @return ISO_OK, whether the target was reached or not; ISO_ERR_RANGE (anything outside of the ranges above): then
///         nothing is written. At most joint_count * (2 * iteration_max + 2) normalisations; with limits,
///         ISO_FABRIK_BEGINNINGS + 1 times that, and as many sweeps of two rotations and two arc tangents a link.
/// Source: A. Aristidou, J. Lasenby, "FABRIK: A fast, iterative solver for the inverse kinematics problem", 2011; the
/// sweeps are ours and named in fabrik.c.
iso_status iso_fabrik_solve(const iso_fabrik_chain *chain, iso_vec2_wide target, iso_vec2_wide *joints,
                            iso_fabrik_result *result);

#ifdef __cplusplus
}
#endif

#endif
