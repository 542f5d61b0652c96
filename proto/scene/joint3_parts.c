/// What joints in space are made of, whichever bodies they join: softness, largest forces, what acts on their axes, and
/// when they break. Which of them a kind takes follows from its line in ISO_JOINT3_KIND_LIST.
#include <stdio.h>

#include "scene/internal.h"

#define AXIS_KEYS " limit motor spring"

/// The keys of the axes of the kinds that have several; a kind with one has those of the axis itself.
static const char *const axis_names[][ISO_JOINT3_AXES] = {
    [ISO_JOINT3_BALL] = {"swing", "twist", NULL},
    [ISO_JOINT3_UNIVERSAL] = {"turn_a", "turn_b", NULL},
    [ISO_JOINT3_HINGE2] = {"suspension", "steering", "rolling"},
    [ISO_JOINT3_CYLINDRICAL] = {"slide", "turn", NULL},
};

/// The key of an axis; NULL: it has none of its own.
static const char *axis_name(uint8_t kind, uint32_t n) {
    return kind < sizeof axis_names / sizeof axis_names[0] && n < ISO_JOINT3_AXES ? axis_names[kind][n] : NULL;
}

/// How many rows of its linear and angular block a kind holds.
static uint32_t kind_rows(uint8_t kind, bool angular_rows) {
    static const uint8_t rows[][2] = {
#define KIND_ROWS(name, number, snake, linear, angular, axis0, axis1, axis2, has) [number] = {linear, angular},
        ISO_JOINT3_KIND_LIST(KIND_ROWS)
#undef KIND_ROWS
    };
    return kind < sizeof rows / sizeof rows[0] ? rows[kind][angular_rows ? 1 : 0] : 0;
}

/// Whether forces, or torques, act on a kind's blocks and axes; the rows of a constraint may be lengths and angles.
static bool kind_is_moved(uint8_t kind, bool by_torques) {
    bool is_moved = iso_joint3_kind_is_custom(kind) || kind_rows(kind, by_torques) > 0;
    for (uint32_t n = 0; n < ISO_JOINT3_AXES; ++n) {
        const iso_joint3_axis_kind axis = iso_joint3_axis_of(kind, n);
        is_moved = is_moved || (axis != ISO_JOINT3_AXIS_NONE && (axis != ISO_JOINT3_AXIS_LENGTH) == by_torques);
    }
    return is_moved;
}

/// Whether a kind has an error of its place, or of its angles, beyond which it can break.
static bool kind_has_error(uint8_t kind, bool of_angles) {
    const uint32_t has = iso_joint3_kind_has(kind);
    const bool is_axis = (iso_joint3_axis_of(kind, 0) != ISO_JOINT3_AXIS_LENGTH) == of_angles;
    const bool is_held = (has & ISO_JOINT3_IS_HELD) != 0 && is_axis;
    return (has & ISO_JOINT3_IS_CUSTOM) != 0 ||
           ((has & ISO_JOINT3_IS_BRAKE) == 0 && (is_held || kind_rows(kind, of_angles) > 0));
}

static bool kind_has_one_axis(uint8_t kind) {
    return iso_joint3_axis_of(kind, 0) != ISO_JOINT3_AXIS_NONE && axis_name(kind, 0) == NULL;
}

// ---- axes ----------------------------------------------------------------------------------------

static void axis_read_limit(iso__scene_reader *reader, const iso__scene_node *node, uint8_t kind, uint32_t n,
                            iso_joint3_axis *axis) {
    static const iso__scene_range swing = {0, 296 * ISO_WIDE_ONE / 100, false, "a number from 0 to 2.96", false};
    const bool is_swing = iso_joint3_axis_of(kind, n) == ISO_JOINT3_AXIS_SWING;
    const bool has_length = (iso_joint3_kind_has(kind) & ISO_JOINT3_HAS_LENGTH) != 0;
    const iso__scene_range range = is_swing ? swing : has_length ? ISO__SCENE_LENGTH_RANGE : ISO__SCENE_VALUE_RANGE;
    if (!iso__scene_object(reader, node, "lower upper hertz damping_ratio enabled")) {
        return;
    }
    const iso__scene_node lower = iso__scene_member(node, "lower");
    const iso__scene_node upper = iso__scene_member(node, "upper");
    axis->lower = is_swing && !lower.is_present ? 0 : iso__scene_fix16(reader, &lower, range);
    axis->upper = iso__scene_fix16(reader, &upper, range);
    axis->limit_hertz = iso__scene_fix16_or(reader, node, "hertz", ISO__SCENE_OR_ZERO(1000), 0);
    axis->limit_damping_ratio =
        iso__scene_fix16_or(reader, node, "damping_ratio", ISO__SCENE_RANGE(0, 1000), axis->limit_damping_ratio);
    axis->limit_enabled = iso__scene_bool_or(reader, node, "enabled", true);
    if (axis->lower > axis->upper) {
        iso__scene_invalid(reader, &upper, "a number that is not below \"lower\"");
    }
}

/// Where a joint has a "length" or a "rest" of its own, its spring rests there.
static void axis_read_spring(iso__scene_reader *reader, const iso__scene_node *node, bool has_rest,
                             iso_joint3_axis *axis) {
    iso__scene_read_spring(reader, node, has_rest, ISO__SCENE_SPRING(axis));
}

/// @param node  the axis of a kind with several, or the joint
static void axis_read(iso__scene_reader *reader, const iso__scene_node *node, uint32_t n, iso_joint3_def *def) {
    const iso__scene_node limit = iso__scene_member(node, "limit");
    const iso__scene_node motor = iso__scene_member(node, "motor");
    const iso__scene_node spring = iso__scene_member(node, "spring");
    if (limit.is_present) {
        axis_read_limit(reader, &limit, def->kind, n, &def->axes[n]);
    }
    if (motor.is_present) {
        iso_joint3_axis *axis = &def->axes[n];
        iso__scene_read_motor(reader, &motor, &axis->motor_speed, &axis->motor_max, &axis->motor_enabled);
    }
    if (spring.is_present) {
        const bool is_held = (iso_joint3_kind_has(def->kind) & ISO_JOINT3_IS_HELD) != 0;
        axis_read_spring(reader, &spring, !is_held, &def->axes[n]);
    }
}

/// A ratio or a radius, and where it is held.
static void parts_read_ratio(iso__scene_reader *reader, const iso__scene_node *node, iso_joint3_def *def) {
    const iso__scene_node ratio = iso__scene_member(node, "ratio");
    const bool is_radius = (iso_joint3_kind_has(def->kind) & ISO_JOINT3_HAS_RADIUS) != 0;
    const fix16_t least = is_radius ? ISO_FIX16_ONE / 1024 : ISO_FIX16_ONE / 64;
    iso__scene_range range = ISO__SCENE_RANGE(-64, 64);
    range.expected = is_radius ? "a number from 1/1024 to 64, or from -64 to -1/1024"
                               : "a number from 1/64 to 64, or from -64 to -1/64";
    def->ratio = iso__scene_fix16(reader, &ratio, range);
    if (reader->status == ISO_OK && def->ratio < least && def->ratio > -least) {
        iso__scene_invalid(reader, &ratio, range.expected);
    }
    def->axes[0].rest = iso__scene_fix16_or(reader, node, "rest", ISO__SCENE_VALUE_RANGE, 0);
}

static void parts_read_axes(iso__scene_reader *reader, const iso__scene_node *node,
                            iso__scene_joint3_template *template) {
    iso_joint3_def *def = &template->def;
    const iso__scene_node length = iso__scene_member(node, "length");
    const uint32_t has = iso_joint3_kind_has(def->kind);
    template->measures_length = (has & ISO_JOINT3_HAS_LENGTH) != 0 && !length.is_present;
    if (length.is_present) {
        def->axes[0].rest = iso__scene_fix16(reader, &length, ISO__SCENE_LENGTH_RANGE);
    }
    if ((has & (ISO_JOINT3_HAS_RATIO | ISO_JOINT3_HAS_RADIUS)) != 0) {
        parts_read_ratio(reader, node, def);
    }
    if (kind_has_one_axis(def->kind)) {
        axis_read(reader, node, 0, def);
        return;
    }
    for (uint32_t n = 0; axis_name(def->kind, n) != NULL; ++n) {
        const iso__scene_node axis = iso__scene_member(node, axis_name(def->kind, n));
        if (axis.is_present && iso__scene_object(reader, &axis, &AXIS_KEYS[1])) {
            axis_read(reader, &axis, n, def);
        }
    }
}

// ---- all of them ---------------------------------------------------------------------------------

void iso__scene_joint3_keys(uint8_t kind, char *keys, size_t size) {
    const uint32_t has = iso_joint3_kind_has(kind);
    const bool has_ratio = (has & (ISO_JOINT3_HAS_RATIO | ISO_JOINT3_HAS_RADIUS)) != 0;
    const bool is_soft = (has & ISO_JOINT3_IS_BRAKE) == 0;
    size_t length =
        (size_t)snprintf(keys, size, " owner tag enabled%s%s%s%s%s%s%s", is_soft ? " hertz damping_ratio" : "",
                         kind_is_moved(kind, false) ? " force_max" : "", kind_is_moved(kind, true) ? " torque_max" : "",
                         is_soft ? " correction_max" : "", (has & ISO_JOINT3_HAS_LENGTH) != 0 ? " length" : "",
                         has_ratio ? " ratio rest" : "", kind_has_one_axis(kind) ? AXIS_KEYS : "");
    for (uint32_t n = 0; axis_name(kind, n) != NULL; ++n) {
        length += (size_t)snprintf(keys + length, size - length, " %s", axis_name(kind, n));
    }
    snprintf(keys + length, size - length, " break%s", (has & ISO_JOINT3_HAS_BODY_A) == 0 ? "" : " collide_connected");
}

void iso__scene_read_joint3_parts(iso__scene_reader *reader, const iso__scene_node *node,
                                  iso__scene_joint3_template *template) {
    iso_joint3_def *def = &template->def;
    def->hertz = iso__scene_fix16_or(reader, node, "hertz", ISO__SCENE_OR_ZERO(1000), def->hertz);
    def->damping_ratio =
        iso__scene_fix16_or(reader, node, "damping_ratio", ISO__SCENE_RANGE(0, 1000), def->damping_ratio);
    def->force_max = iso__scene_wide_or(reader, node, "force_max", ISO__SCENE_MOST_RANGE, 0);
    def->torque_max = iso__scene_wide_or(reader, node, "torque_max", ISO__SCENE_MOST_RANGE, 0);
    def->correction_max = iso__scene_fix16_or(reader, node, "correction_max", ISO__SCENE_OR_ZERO(32767), 0);
    parts_read_axes(reader, node, template);
    const iso__scene_node breaks = iso__scene_member(node, "break");
    if (breaks.is_present) {
        iso__scene_read_break(reader, &breaks, kind_has_error(def->kind, false), kind_has_error(def->kind, true),
                              ISO__SCENE_BREAK(def));
    }
    def->enabled = iso__scene_bool_or(reader, node, "enabled", true);
    def->collide_connected = iso__scene_bool_or(reader, node, "collide_connected", false);
    def->tag = (uint32_t)iso__scene_uint_or(reader, node, "tag", 0, UINT32_MAX, 0);
    def->owner = iso__scene_owner(reader, node);
}
