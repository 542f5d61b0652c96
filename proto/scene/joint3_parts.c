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
#define KIND_ROWS(name, number, snake, linear, angular, axis0, axis1, axis2) [number] = {linear, angular},
        ISO_JOINT3_KIND_LIST(KIND_ROWS)
#undef KIND_ROWS
    };
    return kind < sizeof rows / sizeof rows[0] ? rows[kind][angular_rows ? 1 : 0] : 0;
}

/// The rows of a constraint may be lengths and angles.
static bool kind_has(uint8_t kind, bool angles) {
    bool has = iso_joint3_kind_is_custom(kind);
    for (uint32_t n = 0; n < ISO_JOINT3_AXES; ++n) {
        const iso_joint3_axis_kind axis = iso_joint3_axis_of(kind, n);
        has = has || (axis != ISO_JOINT3_AXIS_NONE && (axis != ISO_JOINT3_AXIS_LENGTH) == angles);
    }
    return has;
}

/// What has a "rest" of its own, at which its axis is held without a spring.
static bool kind_has_rest(uint8_t kind) {
    return kind == ISO_JOINT3_GEAR || kind == ISO_JOINT3_RACK;
}

static bool kind_is_brake(uint8_t kind) {
    return kind == ISO_JOINT3_FRICTION;
}

static bool kind_has_one_axis(uint8_t kind) {
    return iso_joint3_axis_of(kind, 0) != ISO_JOINT3_AXIS_NONE && axis_name(kind, 0) == NULL;
}

// ---- axes ----------------------------------------------------------------------------------------

static void axis_read_limit(iso__scene_reader *reader, const iso__scene_node *node, uint8_t kind, uint32_t n,
                            iso_joint3_axis *axis) {
    static const iso__scene_range swing = {0, 296 * ISO_WIDE_ONE / 100, false, "a number from 0 to 2.96", false};
    const bool is_swing = iso_joint3_axis_of(kind, n) == ISO_JOINT3_AXIS_SWING;
    const iso__scene_range range = is_swing                      ? swing
                                   : kind == ISO_JOINT3_DISTANCE ? ISO__SCENE_LENGTH_RANGE
                                                                 : ISO__SCENE_VALUE_RANGE;
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
        axis_read_spring(reader, &spring, def->kind != ISO_JOINT3_DISTANCE && !kind_has_rest(def->kind), &def->axes[n]);
    }
}

/// Of a gear and a rack.
static void parts_read_ratio(iso__scene_reader *reader, const iso__scene_node *node, iso_joint3_def *def) {
    const iso__scene_node ratio = iso__scene_member(node, "ratio");
    const fix16_t least = def->kind == ISO_JOINT3_GEAR ? ISO_FIX16_ONE / 64 : ISO_FIX16_ONE / 1024;
    iso__scene_range range = ISO__SCENE_RANGE(-64, 64);
    range.expected = def->kind == ISO_JOINT3_GEAR ? "a number from 1/64 to 64, or from -64 to -1/64"
                                                  : "a number from 1/1024 to 64, or from -64 to -1/1024";
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
    template->measures_length = def->kind == ISO_JOINT3_DISTANCE && !length.is_present;
    if (length.is_present) {
        def->axes[0].rest = iso__scene_fix16(reader, &length, ISO__SCENE_LENGTH_RANGE);
    }
    if (kind_has_rest(def->kind)) {
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
    const bool has_force = kind_rows(kind, false) > 0 || kind_has(kind, false);
    const bool has_torque = kind_rows(kind, true) > 0 || kind_has(kind, true);
    const bool is_soft = !kind_is_brake(kind);
    size_t length =
        (size_t)snprintf(keys, size, " owner tag enabled%s%s%s%s%s%s%s", is_soft ? " hertz damping_ratio" : "",
                         has_force ? " force_max" : "", has_torque ? " torque_max" : "",
                         is_soft ? " correction_max" : "", kind == ISO_JOINT3_DISTANCE ? " length" : "",
                         kind_has_rest(kind) ? " ratio rest" : "", kind_has_one_axis(kind) ? AXIS_KEYS : "");
    for (uint32_t n = 0; axis_name(kind, n) != NULL; ++n) {
        length += (size_t)snprintf(keys + length, size - length, " %s", axis_name(kind, n));
    }
    snprintf(keys + length, size - length, " break%s", kind == ISO_JOINT3_TARGET ? "" : " collide_connected");
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
        const bool is_custom = iso_joint3_kind_is_custom(def->kind), is_brake = kind_is_brake(def->kind);
        const bool has_error =
            is_custom || (!is_brake && (kind_rows(def->kind, false) > 0 || def->kind == ISO_JOINT3_DISTANCE ||
                                        def->kind == ISO_JOINT3_RACK));
        const bool has_angle =
            is_custom || (!is_brake && (kind_rows(def->kind, true) > 0 || def->kind == ISO_JOINT3_GEAR));
        iso__scene_read_break(reader, &breaks, has_error, has_angle, ISO__SCENE_BREAK(def));
    }
    def->enabled = iso__scene_bool_or(reader, node, "enabled", true);
    def->collide_connected = iso__scene_bool_or(reader, node, "collide_connected", false);
    def->tag = (uint32_t)iso__scene_uint_or(reader, node, "tag", 0, UINT32_MAX, 0);
    def->owner = iso__scene_owner(reader, node);
}
