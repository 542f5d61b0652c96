/// FABRIK: places for the joints of a chain whose end is to reach a target.
///
/// Ranges: joints and target are within 2^16 m when they come in, a chain is at most 15 * 2^10 m long, so no place
/// leaves ±2^18 m and no difference of two ±2^19 m: all sums are far inside of Q31.32. A direction is a Q2.30 unit
/// vector with an error of a quantum in each component, which is where the lengths' error comes from.
#include "isostep/fabrik.h"

#include "math/wide128.h"

#define LENGTH_MIN (ISO_WIDE_ONE / 1024)
#define ASIDE_SHIFT 3 // a straight chain is bent by 2^-3 of each link
#define STRAIGHT_SHIFT 10 // a joint that is off the line by less than 2^-10 of its link is on it

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
    const iso_rotation turned = iso_rotation_mul((iso_rotation){before.x, before.y}, iso_rotation_make((uint32_t)(uint64_t)bound));
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

static void reach_backward(const iso_fabrik_chain *chain, iso_vec2_wide target, fabrik_unit otherwise, iso_vec2_wide *joints) {
    joints[chain->joint_count - 1] = target;
    for (uint32_t i = chain->joint_count - 1; i-- > 0;) {
        const fabrik_unit back = direction(joints[i + 1], joints[i], reverse(otherwise));
        joints[i] = offset(joints[i + 1], back, chain->lengths[i]);
    }
}

/// Whether all inner joints lie on the line from the root along `line`.
static bool is_straight(const iso_fabrik_chain *chain, fabrik_unit line, const iso_vec2_wide *joints) {
    for (uint32_t i = 1; i + 1 < chain->joint_count; ++i) {
        const iso_wide off = iso__dot_shift(joints[i].y - joints[0].y, line.x, joints[0].x - joints[i].x, line.y, ISO__UNIT_FRACTION);
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
    const bool turns_left = chain->limits && chain->joint_count > 2 && chain->limits[1].lower + chain->limits[1].upper > 0;
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
static uint8_t point_at(const iso_fabrik_chain *chain, fabrik_unit line, bool is_far, uint32_t longest, iso_vec2_wide *joints) {
    fabrik_unit along[ISO_FABRIK_JOINTS_MAX];
    for (uint32_t i = 0; i + 1 < chain->joint_count; ++i) {
        along[i] = is_far || i == longest ? line : reverse(line);
    }
    lay(chain, along, joints);
    return is_far ? ISO_FABRIK_TOO_FAR : ISO_FABRIK_TOO_NEAR;
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
    while (distance(joints[end], target) > chain->tolerance) {
        if (*iterations == chain->iteration_max) {
            return ISO_FABRIK_STOPPED;
        }
        reach_backward(chain, target, line, joints);
        joints[0] = root;
        reach_forward(chain, line, joints);
        *iterations += 1;
    }
    return ISO_FABRIK_REACHED;
}

iso_status iso_fabrik_solve(const iso_fabrik_chain *chain, iso_vec2_wide target, iso_vec2_wide *joints, iso_fabrik_result *result) {
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
