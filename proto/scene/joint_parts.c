/// What joints are made of, whichever bodies they join: softness, largest forces, limit, motor, spring, break, and the
/// numbers that only some kinds have. Which of them a kind takes follows from its bits ISO_JOINT_HAS_….
#include <stdio.h>

#include "scene/internal.h"

#define SMALLEST (ISO_FIX16_ONE / 64) // of an axis, a ratio and a ratchet's step

/// Whether a kind holds a place, which may be soft; a brake holds a speed.
static bool kind_holds(uint32_t has) {
    return (has & (ISO_JOINT_HAS_POINT | ISO_JOINT_HAS_AXIS | ISO_JOINT_HAS_LENGTH | ISO_JOINT_IS_HELD |
                   ISO_JOINT_IS_CUSTOM)) != 0 &&
           (has & ISO_JOINT_IS_BRAKE) == 0;
}

/// Whether "rest" is a key of the joint itself: the angle that it holds, or where a ratchet's steps begin.
static bool kind_has_rest(uint32_t has) {
    return (has & (ISO_JOINT_IS_HELD | ISO_JOINT_HAS_RATCHET)) != 0 && (has & ISO_JOINT_IS_BRAKE) == 0;
}

// ---- parts ---------------------------------------------------------------------------------------

static void joint_read_limit(iso__scene_reader *reader, const iso__scene_node *node, iso_joint_def *def) {
    const bool is_length = (iso_joint_kind_has(def->kind) & ISO_JOINT_HAS_LENGTH) != 0;
    const iso__scene_range range = is_length ? ISO__SCENE_LENGTH_RANGE : ISO__SCENE_VALUE_RANGE;
    if (!iso__scene_object(reader, node, "lower upper hertz damping_ratio enabled")) {
        return;
    }
    const iso__scene_node lower = iso__scene_member(node, "lower");
    const iso__scene_node upper = iso__scene_member(node, "upper");
    def->lower = iso__scene_fix16(reader, &lower, range);
    def->upper = iso__scene_fix16(reader, &upper, range);
    def->limit_hertz = iso__scene_fix16_or(reader, node, "hertz", ISO__SCENE_OR_ZERO(1000), 0);
    def->limit_damping_ratio =
        iso__scene_fix16_or(reader, node, "damping_ratio", ISO__SCENE_RANGE(0, 1000), def->limit_damping_ratio);
    def->limit_enabled = iso__scene_bool_or(reader, node, "enabled", true);
    if (def->lower > def->upper) {
        iso__scene_invalid(reader, &upper, "a number that is not below \"lower\"");
    }
}

void iso__scene_read_motor(iso__scene_reader *reader, const iso__scene_node *node, fix16_t *speed, iso_wide *max,
                           bool *enabled) {
    if (iso__scene_object(reader, node, "speed max enabled")) {
        const iso__scene_node speed_node = iso__scene_member(node, "speed");
        const iso__scene_node max_node = iso__scene_member(node, "max");
        *speed = iso__scene_fix16(reader, &speed_node, ISO__SCENE_VALUE_RANGE);
        *max = iso__scene_wide(reader, &max_node, ISO__SCENE_RANGE(0, 2147483647));
        *enabled = iso__scene_bool_or(reader, node, "enabled", true);
    }
}

static void joint_read_motor(iso__scene_reader *reader, const iso__scene_node *node, iso_joint_def *def) {
    iso__scene_read_motor(reader, node, &def->motor_speed, &def->motor_max, &def->motor_enabled);
}

/// A spring by its stiffness and damping, of which one may be 0.
static void read_stiffness(iso__scene_reader *reader, const iso__scene_node *node, const iso__scene_spring *out) {
    const iso__scene_node stiffness = iso__scene_member(node, "stiffness");
    *out->stiffness = iso__scene_wide_or(reader, node, "stiffness", ISO__SCENE_MOST_RANGE, 0);
    *out->damping = iso__scene_wide_or(reader, node, "damping", ISO__SCENE_MOST_RANGE, 0);
    if (reader->status == ISO_OK && (*out->stiffness | *out->damping) == 0) {
        iso__scene_invalid(reader, &stiffness, "a stiffness or a damping above 0");
    }
}

void iso__scene_read_spring(iso__scene_reader *reader, const iso__scene_node *node, bool has_rest,
                            iso__scene_spring *out) {
    const bool is_stiff =
        json_object_is_type(node->json, json_type_object) &&
        (iso__scene_member(node, "stiffness").is_present || iso__scene_member(node, "damping").is_present);
    char keys[64];
    snprintf(keys, sizeof keys, "%s max%s enabled", is_stiff ? "stiffness damping" : "hertz damping_ratio",
             has_rest ? " rest" : "");
    if (!iso__scene_object(reader, node, keys)) {
        return;
    }
    if (is_stiff) {
        read_stiffness(reader, node, out);
    } else {
        const iso__scene_node hertz = iso__scene_member(node, "hertz");
        iso__scene_range range = ISO__SCENE_ABOVE(0, 1000);
        if (!hertz.is_present) {
            range.expected =
                "a number above 0 (rounded to 2^-16), at most 1000, or \"stiffness\" or \"damping\" instead";
        }
        *out->hertz = iso__scene_fix16(reader, &hertz, range);
        *out->damping_ratio =
            iso__scene_fix16_or(reader, node, "damping_ratio", ISO__SCENE_RANGE(0, 1000), *out->damping_ratio);
    }
    *out->max = iso__scene_wide_or(reader, node, "max", ISO__SCENE_MOST_RANGE, 0);
    *out->rest = has_rest ? iso__scene_fix16_or(reader, node, "rest", ISO__SCENE_VALUE_RANGE, 0) : *out->rest;
    *out->enabled = iso__scene_bool_or(reader, node, "enabled", true);
}

/// Where a joint has a "length" or a "rest" of its own, its spring rests there.
static void joint_read_spring(iso__scene_reader *reader, const iso__scene_node *node, iso_joint_def *def) {
    const uint32_t has = iso_joint_kind_has(def->kind);
    const bool has_rest = (has & ISO_JOINT_HAS_LENGTH) == 0 && !kind_has_rest(has);
    iso__scene_read_spring(reader, node, has_rest, ISO__SCENE_SPRING(def));
}

void iso__scene_read_break(iso__scene_reader *reader, const iso__scene_node *node, bool has_error, bool has_angle,
                           iso__scene_break *out) {
    char keys[40];
    snprintf(keys, sizeof keys, "force torque%s%s remove", has_error ? " error" : "", has_angle ? " angle" : "");
    if (iso__scene_object(reader, node, keys)) {
        *out->force = iso__scene_wide_or(reader, node, "force", ISO__SCENE_MOST_RANGE, 0);
        *out->torque = iso__scene_wide_or(reader, node, "torque", ISO__SCENE_MOST_RANGE, 0);
        *out->error = iso__scene_wide_or(reader, node, "error", ISO__SCENE_MOST_RANGE, 0);
        *out->angle = iso__scene_wide_or(reader, node, "angle", ISO__SCENE_MOST_RANGE, 0);
        *out->removes = iso__scene_bool_or(reader, node, "remove", false);
    }
}

static void joint_read_break(iso__scene_reader *reader, const iso__scene_node *node, iso_joint_def *def) {
    const uint32_t has = iso_joint_kind_has(def->kind);
    const bool is_custom = (has & ISO_JOINT_IS_CUSTOM) != 0, is_brake = (has & ISO_JOINT_IS_BRAKE) != 0;
    const bool has_error =
        is_custom || (!is_brake && (has & (ISO_JOINT_HAS_POINT | ISO_JOINT_HAS_AXIS | ISO_JOINT_HAS_LENGTH)) != 0);
    const bool has_angle = is_custom || (!is_brake && (has & (ISO_JOINT_IS_ANGULAR | ISO_JOINT_HAS_REFERENCE)) != 0);
    iso__scene_read_break(reader, node, has_error, has_angle, ISO__SCENE_BREAK(def));
}

// ---- numbers of some kinds -----------------------------------------------------------------------

static bool is_small(fix16_t value) {
    return value > -SMALLEST && value < SMALLEST;
}

static void joint_read_axis(iso__scene_reader *reader, const iso__scene_node *node, iso_joint_def *def) {
    const iso__scene_node axis = iso__scene_member(node, "axis");
    if (axis.is_present) {
        def->axis = iso__scene_vec2(reader, &axis, ISO__SCENE_VALUE_RANGE);
        if (is_small(def->axis.x) && is_small(def->axis.y)) {
            iso__scene_invalid(reader, &axis, "a direction with a component of at least 1/64");
        }
    }
}

static void joint_read_ratio(iso__scene_reader *reader, const iso__scene_node *node, iso_joint_def *def) {
    const iso__scene_node ratio = iso__scene_member(node, "ratio");
    if (ratio.is_present) {
        iso__scene_range range = ISO__SCENE_RANGE(-64, 64);
        range.expected = "a number from 1/64 to 64 or from -64 to -1/64";
        def->ratio = iso__scene_fix16(reader, &ratio, range);
        if (is_small(def->ratio)) {
            iso__scene_invalid(reader, &ratio, range.expected);
        }
    }
}

static void joint_read_ratchet(iso__scene_reader *reader, const iso__scene_node *node, iso_joint_def *def) {
    const iso__scene_node ratchet = iso__scene_member(node, "ratchet");
    def->ratchet = iso__scene_fix16(reader, &ratchet, ISO__SCENE_VALUE_RANGE);
    if (is_small(def->ratchet)) {
        iso__scene_invalid(reader, &ratchet, "a number from 1/64 to 32767 or from -32767 to -1/64");
    }
}

static void joint_read_own(iso__scene_reader *reader, const iso__scene_node *node,
                           iso__scene_joint_template *template) {
    iso_joint_def *def = &template->def;
    const uint32_t has = iso_joint_kind_has(def->kind);
    const bool has_length = (has & ISO_JOINT_HAS_LENGTH) != 0;
    const iso__scene_node rest = iso__scene_member(node, has_length ? "length" : "rest");
    if ((has & ISO_JOINT_HAS_AXIS) != 0) {
        joint_read_axis(reader, node, def);
    }
    if ((has & ISO_JOINT_HAS_RATIO) != 0) {
        joint_read_ratio(reader, node, def);
    }
    if ((has & ISO_JOINT_HAS_RATCHET) != 0) {
        joint_read_ratchet(reader, node, def);
    }
    if (rest.is_present) {
        def->rest = iso__scene_fix16(reader, &rest, has_length ? ISO__SCENE_LENGTH_RANGE : ISO__SCENE_VALUE_RANGE);
    }
    def->reference = iso__scene_fix16_or(reader, node, "reference", ISO__SCENE_VALUE_RANGE, 0);
    template->measures_rest =
        (has_length || (kind_has_rest(has) && (has & ISO_JOINT_HAS_RATCHET) == 0)) && !rest.is_present;
    template->measures_reference =
        (has & ISO_JOINT_HAS_REFERENCE) != 0 && !iso__scene_member(node, "reference").is_present;
}

// ---- all of them ---------------------------------------------------------------------------------

void iso__scene_joint_keys(uint32_t has, char *keys, size_t size) {
    const struct {
        bool is_key;
        const char *keys;
    } parts[] = {
        {(has & ISO_JOINT_HAS_AXIS) != 0, " axis"},
        {(has & ISO_JOINT_HAS_RATIO) != 0, " ratio"},
        {(has & ISO_JOINT_HAS_RATCHET) != 0, " ratchet"},
        {(has & ISO_JOINT_HAS_LENGTH) != 0, " length"},
        {kind_has_rest(has), " rest"},
        {(has & ISO_JOINT_HAS_REFERENCE) != 0, " reference"},
        {kind_holds(has), " hertz damping_ratio"},
        {(has & (ISO_JOINT_HAS_ANCHORS | ISO_JOINT_HAS_TARGET | ISO_JOINT_IS_CUSTOM)) != 0, " force_max"},
        {(has & ISO_JOINT_HAS_TORQUE) != 0, " torque_max"},
        {(has & (ISO_JOINT_IS_PASSIVE | ISO_JOINT_IS_BRAKE)) == 0, " correction_max"},
        {(has & ISO_JOINT_HAS_LIMIT) != 0, " limit"},
        {(has & ISO_JOINT_HAS_MOTOR) != 0, " motor"},
        {(has & ISO_JOINT_HAS_SPRING) != 0, " spring"},
        {(has & ISO_JOINT_IS_PASSIVE) == 0, " break"},
        {(has & ISO_JOINT_HAS_BODY_A) != 0 && (has & ISO_JOINT_IS_PASSIVE) == 0, " collide_connected"},
    };
    size_t length = (size_t)snprintf(keys, size, " owner tag enabled");
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; ++i) {
        length += (size_t)snprintf(keys + length, size - length, "%s", parts[i].is_key ? parts[i].keys : "");
    }
}

void iso__scene_read_joint_parts(iso__scene_reader *reader, const iso__scene_node *node,
                                 iso__scene_joint_template *template) {
    static const struct {
        const char *key;
        void (*read)(iso__scene_reader *reader, const iso__scene_node *node, iso_joint_def *def);
    } parts[] = {
        {"limit", joint_read_limit},
        {"motor", joint_read_motor},
        {"spring", joint_read_spring},
        {"break", joint_read_break},
    };
    iso_joint_def *def = &template->def;
    joint_read_own(reader, node, template);
    def->hertz = iso__scene_fix16_or(reader, node, "hertz", ISO__SCENE_OR_ZERO(1000), def->hertz);
    def->damping_ratio =
        iso__scene_fix16_or(reader, node, "damping_ratio", ISO__SCENE_RANGE(0, 1000), def->damping_ratio);
    def->force_max = iso__scene_wide_or(reader, node, "force_max", ISO__SCENE_MOST_RANGE, 0);
    def->torque_max = iso__scene_wide_or(reader, node, "torque_max", ISO__SCENE_MOST_RANGE, 0);
    def->correction_max = iso__scene_fix16_or(reader, node, "correction_max", ISO__SCENE_OR_ZERO(32767), 0);
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; ++i) {
        const iso__scene_node part = iso__scene_member(node, parts[i].key);
        if (part.is_present) {
            parts[i].read(reader, &part, def);
        }
    }
    def->enabled = iso__scene_bool_or(reader, node, "enabled", true);
    def->collide_connected = iso__scene_bool_or(reader, node, "collide_connected", false);
    def->tag = (uint32_t)iso__scene_uint_or(reader, node, "tag", 0, UINT32_MAX, 0);
    def->owner = iso__scene_owner(reader, node);
}
