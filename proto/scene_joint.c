/// Joints of a scene: those of the generators, then those of the list.
#include <stdio.h>

#include "scene_internal.h"

#define JOINT_POINT_RANGE  ISO__SCENE_RANGE(-ISO_POSITION_MAX_M, ISO_POSITION_MAX_M)
#define JOINT_ANCHOR_RANGE ISO__SCENE_RANGE(-ISO_SHAPE_EXTENT_MAX_M, ISO_SHAPE_EXTENT_MAX_M)

#define JOINT_KEYS_SIZE 160

static const char anchor_expected[] = "a point within 60 m of both bodies' origins";

static const iso_body_def *joint_body(const iso__scene_reader *reader, uint32_t index)
{
    return &reader->scene->bodies[index].def;
}

/// Reads the member "enabled" of a joint or of one of its parts, which is on unless it says otherwise.
static bool joint_is_enabled(iso__scene_reader *reader, const iso__scene_node *node)
{
    const iso__scene_node enabled = iso__scene_member(node, "enabled");
    return !enabled.present || iso__scene_bool(reader, &enabled);
}

static iso_wide joint_wide_or(iso__scene_reader *reader, const iso__scene_node *node, const char *key, iso_wide fallback)
{
    const iso__scene_node member = iso__scene_member(node, key);
    return member.present ? iso__scene_wide(reader, &member, ISO__SCENE_RANGE(0, 2147483647)) : fallback;
}

static void joint_read_limit(iso__scene_reader *reader, const iso__scene_node *node, iso_joint_def *def)
{
    const bool is_length = (iso_joint_kind_has(def->kind) & ISO_JOINT_HAS_LENGTH) != 0;
    const iso__scene_range range = is_length ? ISO__SCENE_RANGE(0, 32767) : ISO__SCENE_RANGE(-32767, 32767);
    if (!iso__scene_object(reader, node, "lower upper enabled")) {
        return;
    }
    const iso__scene_node lower = iso__scene_member(node, "lower");
    const iso__scene_node upper = iso__scene_member(node, "upper");
    def->lower = iso__scene_fix16(reader, &lower, range);
    def->upper = iso__scene_fix16(reader, &upper, range);
    def->limit_enabled = joint_is_enabled(reader, node);
    if (def->lower > def->upper) {
        iso__scene_invalid(reader, &upper, "a number that is not below \"lower\"");
    }
}

static void joint_read_motor(iso__scene_reader *reader, const iso__scene_node *node, iso_joint_def *def)
{
    if (iso__scene_object(reader, node, "speed max enabled")) {
        const iso__scene_node speed = iso__scene_member(node, "speed");
        const iso__scene_node max = iso__scene_member(node, "max");
        def->motor_speed = iso__scene_fix16(reader, &speed, ISO__SCENE_RANGE(-32767, 32767));
        def->motor_max = iso__scene_wide(reader, &max, ISO__SCENE_RANGE(0, 2147483647));
        def->motor_enabled = joint_is_enabled(reader, node);
    }
}

/// The rest of a length is the joint's own "length".
static void joint_read_spring(iso__scene_reader *reader, const iso__scene_node *node, iso_joint_def *def)
{
    const bool is_length = (iso_joint_kind_has(def->kind) & ISO_JOINT_HAS_LENGTH) != 0;
    if (!iso__scene_object(reader, node, is_length ? "hertz damping_ratio enabled" : "hertz damping_ratio rest enabled")) {
        return;
    }
    const iso__scene_node hertz = iso__scene_member(node, "hertz");
    def->spring_hertz = iso__scene_fix16(reader, &hertz, ISO__SCENE_ABOVE(0, 1000));
    def->spring_damping_ratio =
        iso__scene_fix16_or(reader, node, "damping_ratio", ISO__SCENE_RANGE(0, 1000), def->spring_damping_ratio);
    def->rest = is_length ? def->rest : iso__scene_fix16_or(reader, node, "rest", ISO__SCENE_RANGE(-32767, 32767), 0);
    def->spring_enabled = joint_is_enabled(reader, node);
}

static void joint_read_break(iso__scene_reader *reader, const iso__scene_node *node, iso_joint_def *def)
{
    if (iso__scene_object(reader, node, "force torque error remove")) {
        const iso__scene_node remove = iso__scene_member(node, "remove");
        def->break_force = joint_wide_or(reader, node, "force", 0);
        def->break_torque = joint_wide_or(reader, node, "torque", 0);
        def->break_error = joint_wide_or(reader, node, "error", 0);
        def->remove_on_break = remove.present && iso__scene_bool(reader, &remove);
    }
}

/// Reads what does not depend on the bodies: softness, largest force and torque, parts, owner.
static void joint_read_common(iso__scene_reader *reader, const iso__scene_node *node, iso_joint_def *def)
{
    static const struct {
        const char *key;
        void (*read)(iso__scene_reader *reader, const iso__scene_node *node, iso_joint_def *def);
    } parts[] = {
        { "limit", joint_read_limit },
        { "motor", joint_read_motor },
        { "spring", joint_read_spring },
        { "break", joint_read_break },
    };
    const iso__scene_node collide = iso__scene_member(node, "collide_connected");
    def->hertz = iso__scene_fix16_or(reader, node, "hertz", ISO__SCENE_RANGE(0, 1000), def->hertz);
    def->damping_ratio = iso__scene_fix16_or(reader, node, "damping_ratio", ISO__SCENE_RANGE(0, 1000), def->damping_ratio);
    def->force_max = joint_wide_or(reader, node, "force_max", 0);
    def->torque_max = joint_wide_or(reader, node, "torque_max", 0);
    def->enabled = joint_is_enabled(reader, node);
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        const iso__scene_node part = iso__scene_member(node, parts[i].key);
        if (part.present) {
            parts[i].read(reader, &part, def);
        }
    }
    if (collide.present) {
        def->collide_connected = iso__scene_bool(reader, &collide);
    }
    def->owner = iso__scene_owner(reader, node);
}

/// The keys of joint_read_common that a joint with these parts may have, each after a space.
static void joint_common_keys(uint32_t has, char *keys, size_t size)
{
    snprintf(keys, size, " hertz damping_ratio force_max owner enabled break%s%s%s%s%s",
             (has & ISO_JOINT_HAS_BODY_A) != 0 ? " collide_connected" : "", (has & ISO_JOINT_IS_ANGULAR) != 0 ? " torque_max" : "",
             (has & ISO_JOINT_HAS_LIMIT) != 0 ? " limit" : "", (has & ISO_JOINT_HAS_MOTOR) != 0 ? " motor" : "",
             (has & ISO_JOINT_HAS_SPRING) != 0 ? " spring" : "");
}

static void joint_append(iso__scene_reader *reader, const iso__scene_node *node, const iso_scene_joint *joint)
{
    iso_scene *scene = reader->scene;
    if (scene->joint_count >= scene->def.joint_capacity) {
        char expected[96];
        snprintf(expected, sizeof expected, "at most %u joints in all (/capacities/joints)", scene->def.joint_capacity);
        iso__scene_invalid(reader, node, expected);
        return;
    }
    if (iso__scene_reserve(reader, (void **)&scene->joints, &reader->joint_capacity, scene->joint_count, 1, sizeof *joint)) {
        scene->joints[scene->joint_count++] = *joint;
    }
}

/// A world point in a body's frame, rounded once to Q15.16; false when it is more than 60 m away.
static bool point_to_body(const iso_body_def *body, iso_vec2 point, iso_vec2 *local)
{
    static const int64_t limit = ISO_SHAPE_EXTENT_MAX_M * (int64_t)ISO_FIX16_ONE;
    const int64_t dx = (int64_t)point.x - body->position.x;
    const int64_t dy = (int64_t)point.y - body->position.y;
    const iso_wide turns = iso_turns_from_radians(iso_wide_from_fix16(body->angle));
    const iso_rotation q = iso_rotation_make((uint32_t)(uint64_t)turns);
    const int64_t half = ISO_ROTATION_ONE >> 1;
    // Places are within 30,000 m, so dx and dy are below 2^32 and the sums below 2^63.
    const int64_t x = (dx * q.c + dy * q.s + half) >> 30;
    const int64_t y = (dy * q.c - dx * q.s + half) >> 30;
    if (x < -limit || x > limit || y < -limit || y > limit) {
        return false;
    }
    *local = (iso_vec2){ (fix16_t)x, (fix16_t)y };
    return true;
}

/// Sets both anchors of a joint to one point of the world.
static void joint_anchor_at(iso__scene_reader *reader, const iso__scene_node *node, iso_scene_joint *joint, iso_vec2 point)
{
    if (reader->status == ISO_OK && (!point_to_body(joint_body(reader, joint->body_a), point, &joint->def.anchor_a) ||
                                     !point_to_body(joint_body(reader, joint->body_b), point, &joint->def.anchor_b))) {
        iso__scene_invalid(reader, node, anchor_expected);
    }
}

// ---- generated joints ----------------------------------------------------------------------------

/// The point half a step before a body of a generator: half * step away from its position.
/// The body's own, rounded position is taken, so that equal bodies get equal anchors.
static iso_vec2 half_step_before(const iso_body_def *body, iso_wide step_x, iso_wide step_y)
{
    const fix16_t x = iso_fix16_from_wide(step_x / 2);
    const fix16_t y = iso_fix16_from_wide(step_y / 2);
    return (iso_vec2){ iso_fix16_ssub(body->position.x, x), iso_fix16_ssub(body->position.y, y) };
}

/// Appends a joint between two bodies at a point of the world.
static void joint_link(iso__scene_reader *reader, const iso__scene_node *node, const iso__scene_group *group,
                       const iso_joint_def *def, uint32_t body_a, uint32_t body_b, iso_vec2 point)
{
    if (reader->status != ISO_OK) {
        return;
    }
    iso_scene_joint joint = { *def, body_a, body_b, group->element, true };
    joint_anchor_at(reader, node, &joint, point);
    joint_append(reader, node, &joint);
}

static iso_joint_def generated_def(iso__scene_reader *reader, const iso__scene_node *node)
{
    iso_joint_def def = iso_joint_def_default();
    char keys[JOINT_KEYS_SIZE];
    joint_common_keys(iso_joint_kind_has(def.kind), keys, sizeof keys);
    if (node->present && iso__scene_object(reader, node, keys + 1)) {
        joint_read_common(reader, node, &def);
    }
    return def;
}

static void chain_read_joints(iso__scene_reader *reader, const iso__scene_node *node, const iso__scene_group *group)
{
    const iso__scene_node template = iso__scene_member(node, "joint");
    const iso__scene_node from = iso__scene_member(node, "from");
    const iso__scene_node to = iso__scene_member(node, "to");
    const iso__scene_node step_node = iso__scene_member(node, "step");
    const iso_vec2_wide step = iso__scene_vec2_wide(reader, &step_node, JOINT_POINT_RANGE);
    const iso_joint_def def = generated_def(reader, &template);
    const uint32_t last = group->columns - 1;
    if (from.present) {
        const uint32_t body = iso__scene_read_body_reference(reader, &from);
        const uint32_t first = group->first_body;
        const iso_vec2 point = half_step_before(joint_body(reader, first), step.x, step.y);
        joint_link(reader, &from, group, &def, body, first, point);
    }
    for (uint32_t i = 1; i <= last && reader->status == ISO_OK; i++) {
        const uint32_t body = group->first_body + i;
        const iso_vec2 point = half_step_before(joint_body(reader, body), step.x, step.y);
        joint_link(reader, node, group, &def, body - 1, body, point);
    }
    if (to.present) {
        const uint32_t body = iso__scene_read_body_reference(reader, &to);
        const uint32_t end = group->first_body + last;
        const iso_vec2 point = half_step_before(joint_body(reader, end), -step.x, -step.y);
        joint_link(reader, &to, group, &def, end, body, point);
    }
}

static void grid_read_joints(iso__scene_reader *reader, const iso__scene_node *node, const iso__scene_group *group)
{
    const iso__scene_node column_node = iso__scene_member(node, "column_joint");
    const iso__scene_node row_node = iso__scene_member(node, "row_joint");
    const iso__scene_node step_node = iso__scene_member(node, "step");
    const iso_vec2_wide step = iso__scene_vec2_wide(reader, &step_node, JOINT_POINT_RANGE);
    const iso_joint_def column_def = generated_def(reader, &column_node);
    const iso_joint_def row_def = generated_def(reader, &row_node);
    for (uint32_t column = 0; column < group->columns && reader->status == ISO_OK; column++) {
        for (uint32_t row = 0; row < group->rows; row++) {
            const uint32_t body = iso__scene_group_body(group, column, row);
            if (column_node.present && row > 0) {
                const iso_vec2 point = half_step_before(joint_body(reader, body), 0, step.y);
                joint_link(reader, node, group, &column_def, body - 1, body, point);
            }
            if (row_node.present && column > 0) {
                const iso_vec2 point = half_step_before(joint_body(reader, body), step.x, 0);
                joint_link(reader, node, group, &row_def, iso__scene_group_body(group, column - 1, row), body, point);
            }
        }
    }
}

static void generated_read(iso__scene_reader *reader, const iso__scene_node *bodies)
{
    for (uint32_t i = 0; i < reader->group_count && reader->status == ISO_OK; i++) {
        const iso__scene_group *group = &reader->groups[i];
        const iso__scene_node node = iso__scene_item(bodies, group->element);
        if (group->layout == ISO__SCENE_CHAIN) {
            chain_read_joints(reader, &node, group);
        } else if (group->layout == ISO__SCENE_GRID) {
            grid_read_joints(reader, &node, group);
        }
    }
}

// ---- the list ------------------------------------------------------------------------------------

/// Anchors in the bodies' frames, or one point of the world; those of a length are the origins by default.
static void joint_read_anchors(iso__scene_reader *reader, const iso__scene_node *node, iso_scene_joint *joint)
{
    const iso_vec2 origin = { 0, 0 };
    const iso__scene_node at = iso__scene_member(node, "at");
    const iso__scene_node anchor_a = iso__scene_member(node, "anchor_a");
    const iso__scene_node anchor_b = iso__scene_member(node, "anchor_b");
    if ((iso_joint_kind_has(joint->def.kind) & ISO_JOINT_HAS_LENGTH) != 0) {
        joint->def.anchor_a = iso__scene_vec2_or(reader, node, "anchor_a", JOINT_ANCHOR_RANGE, origin);
        joint->def.anchor_b = iso__scene_vec2_or(reader, node, "anchor_b", JOINT_ANCHOR_RANGE, origin);
    } else if (!at.present) {
        joint->def.anchor_a = iso__scene_vec2(reader, &anchor_a, JOINT_ANCHOR_RANGE);
        joint->def.anchor_b = iso__scene_vec2(reader, &anchor_b, JOINT_ANCHOR_RANGE);
    } else {
        if (anchor_a.present || anchor_b.present) {
            iso__scene_invalid(reader, anchor_a.present ? &anchor_a : &anchor_b, "nothing beside \"at\"");
        }
        joint_anchor_at(reader, &at, joint, iso__scene_vec2(reader, &at, JOINT_POINT_RANGE));
    }
}

/// The place of an anchor in the world.
static iso_vec2_wide joint_anchor_place(const iso_body_def *body, iso_vec2 anchor)
{
    const iso_wide turns = iso_turns_from_radians(iso_wide_from_fix16(body->angle));
    const iso_rotation q = iso_rotation_make((uint32_t)(uint64_t)turns);
    // Q2.30 by Q15.16 within 60 m, brought to Q31.32.
    const int64_t x = ((int64_t)q.c * anchor.x - (int64_t)q.s * anchor.y) >> 14;
    const int64_t y = ((int64_t)q.s * anchor.x + (int64_t)q.c * anchor.y) >> 14;
    return (iso_vec2_wide){ iso_wide_from_fix16(body->position.x) + x, iso_wide_from_fix16(body->position.y) + y };
}

/// The length of a joint: by default what the scene's places make it.
static void joint_read_length(iso__scene_reader *reader, const iso__scene_node *node, iso_scene_joint *joint)
{
    const iso__scene_node length = iso__scene_member(node, "length");
    if (reader->status != ISO_OK || length.present) {
        joint->def.rest = iso__scene_fix16(reader, &length, ISO__SCENE_RANGE(0, 32767));
        return;
    }
    const iso_vec2_wide a = joint_anchor_place(joint_body(reader, joint->body_a), joint->def.anchor_a);
    const iso_vec2_wide b = joint_anchor_place(joint_body(reader, joint->body_b), joint->def.anchor_b);
    joint->def.rest = iso_fix16_from_wide(iso_wide_hypot(b.x - a.x, b.y - a.y));
    if (joint->def.rest > 32767 * ISO_FIX16_ONE) {
        iso__scene_invalid(reader, node, "bodies at most 32767 m apart");
    }
}

static void joint_read_pair(iso__scene_reader *reader, const iso__scene_node *node, iso_scene_joint *joint)
{
    const iso__scene_node body_a = iso__scene_member(node, "body_a");
    const iso__scene_node body_b = iso__scene_member(node, "body_b");
    joint->body_a = iso__scene_read_body_reference(reader, &body_a);
    joint->body_b = iso__scene_read_body_reference(reader, &body_b);
    if (reader->status != ISO_OK) {
        return;
    }
    if (joint->body_a == joint->body_b) {
        iso__scene_invalid(reader, &body_b, "another body than body_a");
    }
    joint_read_anchors(reader, node, joint);
    if ((iso_joint_kind_has(joint->def.kind) & ISO_JOINT_HAS_LENGTH) != 0) {
        joint_read_length(reader, node, joint);
    }
}

static void joint_read_target(iso__scene_reader *reader, const iso__scene_node *node, iso_scene_joint *joint)
{
    const iso__scene_node body_b = iso__scene_member(node, "body_b");
    const iso__scene_node target = iso__scene_member(node, "target");
    joint->body_a = UINT32_MAX;
    joint->body_b = iso__scene_read_body_reference(reader, &body_b);
    if (reader->status == ISO_OK && joint_body(reader, joint->body_b)->type != ISO_BODY_DYNAMIC) {
        iso__scene_invalid(reader, &body_b, "the name of a dynamic body");
    }
    joint->def.anchor_b = iso__scene_vec2_or(reader, node, "anchor_b", JOINT_ANCHOR_RANGE, (iso_vec2){ 0, 0 });
    joint->def.target = iso__scene_vec2(reader, &target, JOINT_POINT_RANGE);
}

/// The scene names of the joints' kinds, each followed by a space, and their numbers in the same order.
#define JOINT_WORD(name, number, snake, has) #snake " "
#define JOINT_NUMBER(name, number, snake, has) number,

static void joint_read(iso__scene_reader *reader, const iso__scene_node *node, uint32_t element)
{
    static const char words[] = ISO_JOINT_KIND_LIST(JOINT_WORD);
    static const uint8_t kinds[] = { ISO_JOINT_KIND_LIST(JOINT_NUMBER) };
    if (!json_object_is_type(node->json, json_type_object)) {
        iso__scene_invalid(reader, node, "an object");
        return;
    }
    const iso__scene_node kind = iso__scene_member(node, "kind");
    iso_scene_joint joint = { iso_joint_def_default(), 0, 0, element, false };
    joint.def.kind = kinds[iso__scene_word(reader, &kind, words)];
    const uint32_t has = iso_joint_kind_has(joint.def.kind);
    char common[JOINT_KEYS_SIZE];
    char keys[2 * JOINT_KEYS_SIZE];
    joint_common_keys(has, common, sizeof common);
    snprintf(keys, sizeof keys, "kind%s%s%s", (has & ISO_JOINT_HAS_BODY_A) != 0 ? " body_a body_b anchor_a anchor_b" : " body_b anchor_b",
             (has & ISO_JOINT_HAS_TARGET) != 0   ? " target"
             : (has & ISO_JOINT_HAS_LENGTH) != 0 ? " length"
                                                 : " at",
             common);
    if (!iso__scene_object(reader, node, keys)) {
        return;
    }
    if ((has & ISO_JOINT_HAS_BODY_A) != 0) {
        joint_read_pair(reader, node, &joint);
    } else {
        joint_read_target(reader, node, &joint);
    }
    joint_read_common(reader, node, &joint.def);
    joint_append(reader, node, &joint);
}

void iso__scene_read_joints(iso__scene_reader *reader, const iso__scene_node *bodies, const iso__scene_node *joints)
{
    generated_read(reader, bodies);
    const size_t count = joints->present ? iso__scene_array(reader, joints, 0, SIZE_MAX) : 0;
    for (size_t i = 0; i < count && reader->status == ISO_OK; i++) {
        const iso__scene_node item = iso__scene_item(joints, i);
        joint_read(reader, &item, (uint32_t)i);
    }
}
