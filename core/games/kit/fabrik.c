/// FABRIK: places for the joints of a chain whose end is to reach a target.
///
/// Ranges: joints and target are within 2^16 m when they come in, a chain is at most 15 * 2^10 m long, so no place
/// leaves ±2^18 m and no difference of two ±2^19 m: all sums are far inside of Q31.32. A direction is a Q2.30 unit
/// vector with an error of a quantum in each component, which is where the lengths' error comes from.
///
/// Passes know no limit on their way back, so they stop wherever the limits undo on the way forward what they have won.
/// What is done then works on the links' angles, within their limits all the time: a damped Gauss-Newton step on all
/// links that are free to turn (S. Buss, "Introduction to inverse kinematics", 2004), or cyclic coordinate descent
/// (L. Wang, C. Chen, "A combined optimization method for solving the inverse kinematics problem", 1991) where that
/// step brings nothing. Both go down into the nearest valley; hence the new beginnings.
#include "isostep/fabrik.h"

#include <string.h>

#include "math/fixed_ops.h"
#include "math/wide128.h"

#define LENGTH_MIN     (ISO_WIDE_ONE / 1024)
#define ASIDE_SHIFT    3  // a straight chain is bent by 2^-3 of each link
#define STRAIGHT_SHIFT 10 // a joint that is off the line by less than 2^-10 of its link is on it

#define SCALED_BITS 37                   // of a chain's length in a step of all links: below 2^5 m
#define DAMPING     (ISO_WIDE_ONE >> 10) // of that step [m^2]
#define TURN_MAX    (ISO_WIDE_ONE / 8)   // [turns] of a link in it
#define HELD_ROUNDS 3                    // how often it looks for links that would leave their limits
#define GAIN_SHIFT  4                    // it must bring the end nearer by 2^-4 of the distance

typedef struct fabrik_unit {
    int32_t x, y; // Q2.30
} fabrik_unit;

static bool place_is_valid(iso_vec2_wide place) {
    const iso_wide limit = ISO_FABRIK_PLACE_MAX_M * ISO_WIDE_ONE;
    return place.x >= -limit && place.x <= limit && place.y >= -limit && place.y <= limit;
}

static bool limit_is_valid(iso_fabrik_limit limit) {
    return limit.lower >= -ISO_WIDE_HALF && limit.lower <= limit.upper && limit.upper <= ISO_WIDE_HALF;
}

static bool chain_is_valid(const iso_fabrik_chain *chain, const iso_vec2_wide *joints) {
    if (chain->joint_count < 2 || chain->joint_count > ISO_FABRIK_JOINTS_MAX || chain->iteration_max < 1 ||
        chain->iteration_max > ISO_FABRIK_ITERATIONS_MAX || chain->tolerance < 0) {
        return false;
    }
    for (uint32_t i = 0; i + 1 < chain->joint_count; ++i) {
        if (chain->lengths[i] < LENGTH_MIN || chain->lengths[i] > ISO_FABRIK_LENGTH_MAX_M * ISO_WIDE_ONE ||
            (chain->limits && !limit_is_valid(chain->limits[i]))) {
            return false;
        }
    }
    for (uint32_t i = 0; i < chain->joint_count; ++i) {
        if (!place_is_valid(joints[i])) {
            return false;
        }
    }
    return true;
}

/// The direction from a to b, or `otherwise` where they coincide.
static fabrik_unit direction(iso_vec2_wide a, iso_vec2_wide b, fabrik_unit otherwise) {
    fabrik_unit unit;
    return iso__normalize(b.x - a.x, b.y - a.y, &unit.x, &unit.y) == 0 ? otherwise : unit;
}

static fabrik_unit reverse(fabrik_unit unit) {
    return (fabrik_unit){-unit.x, -unit.y};
}

static iso_vec2_wide offset(iso_vec2_wide from, fabrik_unit along, iso_wide length) {
    return (iso_vec2_wide){from.x + iso__mul_shift(length, along.x, ISO__UNIT_FRACTION),
                           from.y + iso__mul_shift(length, along.y, ISO__UNIT_FRACTION)};
}

/// The direction nearest to `wanted` that a link may have behind one of direction `before`.
static fabrik_unit limited(fabrik_unit wanted, fabrik_unit before, iso_fabrik_limit limit) {
    const int64_t cross = iso__cross32(before.x, before.y, wanted.x, wanted.y);
    const int64_t dot = iso__dot32(before.x, before.y, wanted.x, wanted.y);
    const iso_wide angle = iso_wide_atan2(cross, dot);
    if (angle >= limit.lower && angle <= limit.upper) {
        return wanted;
    }
    // Both ways round to the range: up to `lower` and down to `upper`, as parts of a turn.
    const uint32_t up = (uint32_t)(uint64_t)(limit.lower - angle);
    const uint32_t down = (uint32_t)(uint64_t)(angle - limit.upper);
    const iso_wide bound = up <= down ? limit.lower : limit.upper;
    const iso_rotation turned =
        iso_rotation_mul((iso_rotation){before.x, before.y}, iso_rotation_make((uint32_t)(uint64_t)bound));
    iso__normalize(turned.c, turned.s, &wanted.x, &wanted.y); // or fifteen roundings would add up in the lengths
    return wanted;
}

/// Lays the links from the root on, each along the direction it is given, as far as its limits allow.
static void lay(const iso_fabrik_chain *chain, const fabrik_unit *along, iso_vec2_wide *joints) {
    fabrik_unit before = {ISO__UNIT_ONE, 0};
    for (uint32_t i = 0; i + 1 < chain->joint_count; ++i) {
        before = chain->limits ? limited(along[i], before, chain->limits[i]) : along[i];
        joints[i + 1] = offset(joints[i], before, chain->lengths[i]);
    }
}

static void reach_forward(const iso_fabrik_chain *chain, fabrik_unit otherwise, iso_vec2_wide *joints) {
    fabrik_unit before = {ISO__UNIT_ONE, 0};
    for (uint32_t i = 0; i + 1 < chain->joint_count; ++i) {
        const fabrik_unit wanted = direction(joints[i], joints[i + 1], otherwise);
        before = chain->limits ? limited(wanted, before, chain->limits[i]) : wanted;
        joints[i + 1] = offset(joints[i], before, chain->lengths[i]);
    }
}

static void reach_backward(const iso_fabrik_chain *chain, iso_vec2_wide target, fabrik_unit otherwise,
                           iso_vec2_wide *joints) {
    joints[chain->joint_count - 1] = target;
    for (uint32_t i = chain->joint_count - 1; i-- > 0;) {
        const fabrik_unit back = direction(joints[i + 1], joints[i], reverse(otherwise));
        joints[i] = offset(joints[i + 1], back, chain->lengths[i]);
    }
}

/// Whether all inner joints lie on the line from the root along `line`.
static bool is_straight(const iso_fabrik_chain *chain, fabrik_unit line, const iso_vec2_wide *joints) {
    for (uint32_t i = 1; i + 1 < chain->joint_count; ++i) {
        const iso_wide off =
            iso__dot_shift(joints[i].y - joints[0].y, line.x, joints[0].x - joints[i].x, line.y, ISO__UNIT_FRACTION);
        if (iso__abs_u64(off) > (uint64_t)(chain->lengths[i - 1] >> STRAIGHT_SHIFT)) {
            return false;
        }
    }
    return true;
}

/// Lays a straight chain at the target and bends it: passes would fold a chain that points at its target without ever
/// bending it, and limits would keep straight what they have straightened.
static void bend(const iso_fabrik_chain *chain, fabrik_unit line, iso_vec2_wide *joints) {
    const fabrik_unit own = chain->limits ? direction(joints[0], joints[1], line) : line;
    if (!is_straight(chain, own, joints)) {
        return;
    }
    // An inner joint that is moved to the left makes the link behind it turn right.
    const bool turns_left =
        chain->limits && chain->joint_count > 2 && chain->limits[1].lower + chain->limits[1].upper > 0;
    const fabrik_unit aside = turns_left ? (fabrik_unit){line.y, -line.x} : (fabrik_unit){-line.y, line.x};
    for (uint32_t i = 1; i < chain->joint_count; ++i) {
        joints[i] = offset(joints[i - 1], line, chain->lengths[i - 1]);
    }
    for (uint32_t i = 1; i + 1 < chain->joint_count; ++i) {
        joints[i] = offset(joints[i], aside, chain->lengths[i - 1] >> ASIDE_SHIFT);
    }
}

static iso_wide distance(iso_vec2_wide a, iso_vec2_wide b) {
    return iso_wide_hypot(b.x - a.x, b.y - a.y);
}

/// The pose for a target that no pose reaches: all links at it, or the longest at it and the others back.
static uint8_t point_at(const iso_fabrik_chain *chain, fabrik_unit line, bool is_far, uint32_t longest,
                        iso_vec2_wide *joints) {
    fabrik_unit along[ISO_FABRIK_JOINTS_MAX];
    for (uint32_t i = 0; i + 1 < chain->joint_count; ++i) {
        along[i] = is_far || i == longest ? line : reverse(line);
    }
    lay(chain, along, joints);
    return is_far ? ISO_FABRIK_TOO_FAR : ISO_FABRIK_TOO_NEAR;
}

/// Passes backward and forward from the pose in `joints` until its end is near enough.
static bool make_passes(const iso_fabrik_chain *chain, iso_vec2_wide target, fabrik_unit line, iso_vec2_wide *joints,
                        uint32_t *iterations) {
    const uint32_t end = chain->joint_count - 1;
    const iso_vec2_wide root = joints[0];
    for (uint32_t pass = 0; distance(joints[end], target) > chain->tolerance; ++pass) {
        if (pass == chain->iteration_max) {
            return false;
        }
        reach_backward(chain, target, line, joints);
        joints[0] = root;
        reach_forward(chain, line, joints);
        *iterations += 1;
    }
    return true;
}

// ---- when limits are in the way ------------------------------------------------------------------

/// An angle without its whole turns, in (-1/2, 1/2].
static iso_wide wrapped(iso_wide turns) {
    return (iso_wide)(int32_t)(uint32_t)(uint64_t)turns;
}

/// The angle in the range nearest to `wanted`, both ways round.
static iso_wide nearest_angle(iso_wide wanted, iso_fabrik_limit limit) {
    const iso_wide angle = wrapped(wanted);
    if (angle >= limit.lower && angle <= limit.upper) {
        return angle;
    }
    const uint32_t up = (uint32_t)(uint64_t)(limit.lower - angle);
    const uint32_t down = (uint32_t)(uint64_t)(angle - limit.upper);
    return up <= down ? limit.lower : limit.upper;
}

/// The angles of the links, each against the one before, brought within their limits.
static void angles_of(const iso_fabrik_chain *chain, const iso_vec2_wide *joints, iso_wide *angles) {
    iso_wide before = 0;
    for (uint32_t i = 0; i + 1 < chain->joint_count; ++i) {
        const iso_wide own = iso_wide_atan2(joints[i + 1].y - joints[i].y, joints[i + 1].x - joints[i].x);
        angles[i] = nearest_angle(own - before, chain->limits[i]);
        before += angles[i];
    }
}

static void lay_angles(const iso_fabrik_chain *chain, const iso_wide *angles, iso_vec2_wide *joints) {
    iso_wide sum = 0;
    for (uint32_t i = 0; i + 1 < chain->joint_count; ++i) {
        sum += angles[i];
        const iso_rotation turned = iso_rotation_make((uint32_t)(uint64_t)sum);
        fabrik_unit along;
        iso__normalize(turned.c, turned.s, &along.x, &along.y);
        joints[i + 1] = offset(joints[i], along, chain->lengths[i]);
    }
}

/// One link after the other, from the last on, turns as near to the target as its limits let the end come. No turn
/// takes the end away from the target.
/// @return whether a link has turned
static bool turn_links(const iso_fabrik_chain *chain, iso_vec2_wide target, iso_wide *angles, iso_vec2_wide *joints) {
    iso_vec2_wide end = joints[chain->joint_count - 1];
    bool has_turned = false;
    for (uint32_t i = chain->joint_count - 1; i-- > 0;) {
        const iso_vec2_wide arm = {end.x - joints[i].x, end.y - joints[i].y};
        const iso_vec2_wide aim = {target.x - joints[i].x, target.y - joints[i].y};
        if ((arm.x == 0 && arm.y == 0) || (aim.x == 0 && aim.y == 0)) {
            continue;
        }
        const iso_wide wanted = angles[i] + iso_wide_atan2(aim.y, aim.x) - iso_wide_atan2(arm.y, arm.x);
        const iso_wide angle = nearest_angle(wanted, chain->limits[i]);
        const iso_rotation by = iso_rotation_make((uint32_t)(uint64_t)(angle - angles[i]));
        end.x = joints[i].x + iso__dot_shift(arm.x, by.c, -arm.y, by.s, ISO__UNIT_FRACTION);
        end.y = joints[i].y + iso__dot_shift(arm.x, by.s, arm.y, by.c, ISO__UNIT_FRACTION);
        has_turned = has_turned || angle != angles[i];
        angles[i] = angle;
    }
    lay_angles(chain, angles, joints);
    return has_turned;
}

static iso_vec2_wide scaled(iso_vec2_wide v, int shift) {
    return shift >= 0 ? (iso_vec2_wide){v.x * (INT64_C(1) << shift), v.y * (INT64_C(1) << shift)}
                      : (iso_vec2_wide){v.x >> -shift, v.y >> -shift};
}

static iso_wide bounded(iso_wide value, iso_wide low, iso_wide high) {
    return value < low ? low : value > high ? high : value;
}

/// The move of the end that `error` is, as an impulse on the links that are not held: (J J^T + d)^-1 error.
/// All lengths are below 2^5 m, so the sums of up to 15 products stay below 2^14 and the determinant below 2^28.
static bool divide_error(const iso_fabrik_chain *chain, const iso_vec2_wide *columns, uint32_t held,
                         iso_vec2_wide error, iso_vec2_wide *to) {
    iso_wide xx = DAMPING, xy = 0, yy = DAMPING;
    for (uint32_t i = 0; i + 1 < chain->joint_count; ++i) {
        if ((held >> i & 1u) == 0) {
            xx += iso_wide_mul(columns[i].x, columns[i].x);
            xy += iso_wide_mul(columns[i].x, columns[i].y);
            yy += iso_wide_mul(columns[i].y, columns[i].y);
        }
    }
    const iso_wide det = iso_wide_mul(xx, yy) - iso_wide_mul(xy, xy);
    if (det <= 0) {
        return false; // rounded away: DAMPING^2 is 2^-20 m^4
    }
    to->x = iso_wide_div(iso_wide_mul(yy, error.x) - iso_wide_mul(xy, error.y), det);
    to->y = iso_wide_div(iso_wide_mul(xx, error.y) - iso_wide_mul(xy, error.x), det);
    return true;
}

/// Turns all links at once by a damped Gauss-Newton step, but those that would leave their limits.
static void turn_together(const iso_fabrik_chain *chain, iso_vec2_wide target, int shift, iso_wide *angles,
                          iso_vec2_wide *joints) {
    const uint32_t links = chain->joint_count - 1;
    const iso_vec2_wide end = joints[links];
    const iso_vec2_wide error = scaled((iso_vec2_wide){target.x - end.x, target.y - end.y}, shift);
    iso_vec2_wide columns[ISO_FABRIK_JOINTS_MAX], by;
    iso_wide turns[ISO_FABRIK_JOINTS_MAX] = {0};
    uint32_t held = 0;
    for (uint32_t i = 0; i < links; ++i) { // how the end moves per radian: at right angles to the arm
        columns[i] = scaled((iso_vec2_wide){joints[i].y - end.y, end.x - joints[i].x}, shift);
    }
    for (uint32_t round = 0; round < HELD_ROUNDS && divide_error(chain, columns, held, error, &by); ++round) {
        const uint32_t before = held;
        for (uint32_t i = 0; i < links; ++i) {
            const iso_wide radians = iso_wide_add(iso_wide_mul(columns[i].x, by.x), iso_wide_mul(columns[i].y, by.y));
            turns[i] = (held >> i & 1u) != 0 ? 0 : bounded(iso_turns_from_radians(radians), -TURN_MAX, TURN_MAX);
            const bool leaves = (turns[i] < 0 && angles[i] == chain->limits[i].lower) ||
                                (turns[i] > 0 && angles[i] == chain->limits[i].upper);
            held |= leaves ? 1u << i : 0;
        }
        if (held == before) {
            break;
        }
    }
    for (uint32_t i = 0; i < links; ++i) {
        angles[i] = bounded(angles[i] + turns[i], chain->limits[i].lower, chain->limits[i].upper);
    }
    lay_angles(chain, angles, joints);
}

/// Turns links until the end is near enough: all at once where that brings it nearer, else one after the other, which
/// always does unless the pose is a corner from which no single link comes nearer.
static bool polish(const iso_fabrik_chain *chain, iso_vec2_wide target, iso_vec2_wide *joints, uint32_t *iterations) {
    const uint32_t end = chain->joint_count - 1;
    iso_wide angles[ISO_FABRIK_JOINTS_MAX], tried[ISO_FABRIK_JOINTS_MAX];
    iso_vec2_wide places[ISO_FABRIK_JOINTS_MAX];
    iso_wide total = 0;
    for (uint32_t i = 0; i < end; ++i) {
        total += chain->lengths[i];
    }
    const int shift = (int)iso__clz64((uint64_t)total) - (64 - SCALED_BITS);
    angles_of(chain, joints, angles);
    lay_angles(chain, angles, joints);
    for (uint32_t sweep = 0; distance(joints[end], target) > chain->tolerance; ++sweep) {
        if (sweep == chain->iteration_max) {
            return false;
        }
        memcpy(tried, angles, sizeof angles);
        memcpy(places, joints, sizeof *joints * chain->joint_count);
        turn_together(chain, target, shift, tried, places);
        const iso_wide left = distance(joints[end], target);
        if (distance(places[end], target) < left - (left >> GAIN_SHIFT)) {
            memcpy(angles, tried, sizeof angles);
            memcpy(joints, places, sizeof *joints * chain->joint_count);
        } else if (!turn_links(chain, target, angles, joints)) {
            return false;
        }
        *iterations += 1;
    }
    return true;
}

/// The pose of the n-th new beginning: the middle of all limits, then poses anywhere within them.
static void begin_anew(const iso_fabrik_chain *chain, uint32_t n, iso_vec2_wide *joints) {
    iso_wide angles[ISO_FABRIK_JOINTS_MAX];
    uint32_t random = n * 0x9E3779B9u;
    for (uint32_t i = 0; i + 1 < chain->joint_count; ++i) {
        random = random * 1664525u + 1013904223u; // Numerical Recipes, 1992
        const iso_wide share = n == 0 ? ISO_WIDE_HALF : (iso_wide)random;
        angles[i] = chain->limits[i].lower + iso_wide_mul(share, chain->limits[i].upper - chain->limits[i].lower);
    }
    lay_angles(chain, angles, joints);
}

/// Looks for a way within the limits where passes have found none. Leaves the nearest pose in `joints`.
static bool search(const iso_fabrik_chain *chain, iso_vec2_wide target, fabrik_unit line, iso_vec2_wide *joints,
                   uint32_t *iterations) {
    const uint32_t end = chain->joint_count - 1;
    iso_vec2_wide tried[ISO_FABRIK_JOINTS_MAX];
    memcpy(tried, joints, sizeof *joints * chain->joint_count);
    bool is_there = polish(chain, target, tried, iterations);
    for (uint32_t n = 0;; ++n) {
        if (distance(tried[end], target) < distance(joints[end], target)) {
            memcpy(joints, tried, sizeof *joints * chain->joint_count);
        }
        if (is_there || n == ISO_FABRIK_BEGINNINGS) {
            return is_there;
        }
        begin_anew(chain, n, tried);
        is_there = make_passes(chain, target, line, tried, iterations) || polish(chain, target, tried, iterations);
    }
}

/// Goes from the pose in `joints` to that of the result, and says how it ended.
static uint8_t solve(const iso_fabrik_chain *chain, iso_vec2_wide target, iso_vec2_wide *joints, uint32_t *iterations) {
    const uint32_t end = chain->joint_count - 1;
    const iso_vec2_wide root = joints[0];
    iso_wide total = 0;
    uint32_t longest = 0;
    for (uint32_t i = 0; i < end; ++i) {
        total += chain->lengths[i];
        longest = chain->lengths[i] > chain->lengths[longest] ? i : longest;
    }
    const fabrik_unit line = direction(root, target, (fabrik_unit){ISO__UNIT_ONE, 0});
    const iso_wide far = distance(root, target);
    const iso_wide nearest = 2 * chain->lengths[longest] - total;
    if (far >= total || far <= nearest) {
        const uint8_t why = point_at(chain, line, far >= total, longest, joints);
        return distance(joints[end], target) <= chain->tolerance ? ISO_FABRIK_REACHED : why;
    }
    if (chain->limits) {
        reach_forward(chain, line, joints); // which may straighten a chain that was bent where it must not
    }
    bend(chain, line, joints);
    reach_forward(chain, line, joints);
    const bool is_there = make_passes(chain, target, line, joints, iterations) ||
                          (chain->limits && search(chain, target, line, joints, iterations));
    return is_there ? ISO_FABRIK_REACHED : ISO_FABRIK_STOPPED;
}

iso_status iso_fabrik_solve(const iso_fabrik_chain *chain, iso_vec2_wide target, iso_vec2_wide *joints,
                            iso_fabrik_result *result) {
    if (!place_is_valid(target) || !chain_is_valid(chain, joints)) {
        return ISO_ERR_RANGE;
    }
    uint32_t iterations = 0;
    const uint8_t end = solve(chain, target, joints, &iterations);
    if (result) {
        *result = (iso_fabrik_result){end, iterations, distance(joints[chain->joint_count - 1], target)};
    }
    return ISO_OK;
}
