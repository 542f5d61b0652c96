/// Joints of a scene: their kinds, bodies and anchors, and what follows from the bodies' places.
#include <stdio.h>
#include <string.h>

#include "scene/internal.h"

static const char anchor_expected[] = "a point within 60 m of both bodies' origins";

static const iso_body_def *joint_body(const iso__scene_reader *reader, uint32_t index) {
    return &reader->scene->bodies[index].def;
}

// ---- places --------------------------------------------------------------------------------------

/// A world point in a body's frame, rounded once to Q15.16; false when it is more than 60 m away.
static bool point_to_body(const iso_body_def *body, iso_vec2 point, iso_vec2 *local) {
    static const int64_t limit = ISO_SHAPE_EXTENT_MAX_M * (int64_t)ISO_FIX16_ONE;
    const iso_vec2 origin = iso_vec2_from_wide(body->position); // exact: places of a scene are Q15.16
    const int64_t dx = (int64_t)point.x - origin.x;
    const int64_t dy = (int64_t)point.y - origin.y;
    const iso_wide turns = iso_turns_from_radians(body->angle);
    const iso_rotation q = iso_rotation_make((uint32_t)(uint64_t)turns);
    const int64_t half = ISO_ROTATION_ONE >> 1;
    // Places are within 30,000 m, so dx and dy are below 2^32 and the sums below 2^63.
    const int64_t x = (dx * q.c + dy * q.s + half) >> 30;
    const int64_t y = (dy * q.c - dx * q.s + half) >> 30;
    if (x < -limit || x > limit || y < -limit || y > limit) {
        return false;
    }
    *local = (iso_vec2){(fix16_t)x, (fix16_t)y};
    return true;
}

/// The place of an anchor in the world.
static iso_vec2_wide joint_anchor_place(const iso_body_def *body, iso_vec2 anchor) {
    const iso_wide turns = iso_turns_from_radians(body->angle);
    const iso_rotation q = iso_rotation_make((uint32_t)(uint64_t)turns);
    // Q2.30 by Q15.16 within 60 m, brought to Q31.32.
    const int64_t x = ((int64_t)q.c * anchor.x - (int64_t)q.s * anchor.y) >> 14;
    const int64_t y = ((int64_t)q.s * anchor.x + (int64_t)q.c * anchor.y) >> 14;
    return (iso_vec2_wide){body->position.x + x, body->position.y + y};
}

static iso_wide joint_apart(const iso__scene_reader *reader, uint32_t body_a, iso_vec2 anchor_a, uint32_t body_b,
                            iso_vec2 anchor_b) {
    const iso_vec2_wide a = joint_anchor_place(joint_body(reader, body_a), anchor_a);
    const iso_vec2_wide b = joint_anchor_place(joint_body(reader, body_b), anchor_b);
    return iso_wide_hypot(b.x - a.x, b.y - a.y);
}

/// The length or angle that the scene's places give a joint.
static fix16_t joint_measure(iso__scene_reader *reader, const iso__scene_node *node, const iso_scene_joint *joint) {
    const iso_joint_def *def = &joint->def;
    const uint32_t has = iso_joint_kind_has(def->kind);
    const iso_wide ratio = (has & ISO_JOINT_HAS_RATIO) != 0 ? iso_wide_from_fix16(def->ratio) : ISO_WIDE_ONE;
    iso_wide x = 0;
    if ((has & ISO_JOINT_HAS_LENGTH) != 0) {
        x = joint_apart(reader, joint->body_a, def->anchor_a, joint->body_b, def->anchor_b);
        if ((has & ISO_JOINT_HAS_BODIES_CD) != 0) {
            const iso_wide other = joint_apart(reader, joint->body_c, def->anchor_c, joint->body_d, def->anchor_d);
            x = iso_wide_add(x, iso_wide_mul(ratio, other));
        }
        if (x < 0 || x > 32767 * ISO_WIDE_ONE) {
            iso__scene_invalid(reader, node, "a \"length\", or bodies whose places give one from 0 to 32767 m");
        }
    } else {
        const iso_wide angle_a = joint_body(reader, joint->body_a)->angle;
        const iso_wide angle_b = joint_body(reader, joint->body_b)->angle;
        x = iso_wide_sub(iso_wide_mul(ratio, angle_b), angle_a);
        if (x < -32767 * ISO_WIDE_ONE || x > 32767 * ISO_WIDE_ONE) {
            iso__scene_invalid(reader, node, "bodies whose angles are at most 32767 rad apart");
        }
    }
    return iso_fix16_from_wide(x);
}

// ---- what the generators use, too ----------------------------------------------------------------

void iso__scene_joint_at(iso__scene_reader *reader, const iso__scene_node *node, iso_vec2 point,
                         iso_scene_joint *joint) {
    if (reader->status == ISO_OK && (!point_to_body(joint_body(reader, joint->body_a), point, &joint->def.anchor_a) ||
                                     !point_to_body(joint_body(reader, joint->body_b), point, &joint->def.anchor_b))) {
        iso__scene_invalid(reader, node, anchor_expected);
    }
}

bool iso__scene_joint_reserve(iso__scene_reader *reader, const iso__scene_node *node) {
    iso_scene *scene = reader->scene;
    if (reader->status != ISO_OK) {
        return false;
    }
    if (scene->joint_count >= scene->def.joint_capacity) {
        char expected[96];
        snprintf(expected, sizeof expected, "at most %u joints in all (/capacities/joints)", scene->def.joint_capacity);
        iso__scene_invalid(reader, node, expected);
        return false;
    }
    if (!iso__scene_work_joint(reader, node)) {
        return false;
    }
    const bool in_space = iso__scene_is_space(reader);
    void **joints = in_space ? (void **)&scene->joints3 : (void **)&scene->joints;
    const size_t size = in_space ? sizeof *scene->joints3 : sizeof *scene->joints;
    return iso__scene_reserve(reader, joints, &reader->joint_capacity, scene->joint_count, 1, size);
}

void iso__scene_joint_append(iso__scene_reader *reader, const iso__scene_node *node,
                             const iso__scene_joint_template *template, iso_scene_joint *joint) {
    iso_scene *scene = reader->scene;
    if (!iso__scene_joint_reserve(reader, node)) {
        return;
    }
    joint->def.rest = template->measures_rest ? joint_measure(reader, node, joint) : joint->def.rest;
    joint->def.reference = template->measures_reference ? joint_measure(reader, node, joint) : joint->def.reference;
    scene->joints[scene->joint_count++] = *joint;
}

/// What other engines and papers call our kinds, with what makes them so here.
static const char *const kind_aliases[][2] = {
    {"pin", "\"distance\", as pins are called here"},
    {"rod", "\"distance\", as rods are called here"},
    {"slide", "\"distance\" with a \"limit\", as slides are called here"},
    {"rope", "\"distance\" with a \"limit\", as ropes are called here"},
    {"damped_spring", "\"distance\" with a \"spring\", as damped springs are called here"},
    {"pivot", "\"revolute\", as pivots are called here"},
    {"hinge", "\"revolute\", as hinges are called here"},
    {"servo", "\"revolute\" or \"angle\" with a \"spring\", as servos are called here"},
    {"groove", "\"line\" with a \"limit\", as grooves are called here"},
    {"slider", "\"prismatic\", as sliders are called here"},
    {"rotary_limit", "\"angle\" with a \"limit\", as rotary limits are called here"},
    {"damped_rotary_spring", "\"angle\" with a \"spring\", as damped rotary springs are called here"},
    {"simple_motor", "\"angle\" with a \"motor\", as simple motors are called here"},
    {"mouse", "\"target\", as mouse joints are called here"},
};

/// The numbers of the kinds in the order of ISO__SCENE_JOINTS.
#define JOINT_NUMBER(name, number, snake, has) number,

uint8_t iso__scene_joint_kind(iso__scene_reader *reader, const iso__scene_node *node) {
    static const uint8_t kinds[] = {ISO_JOINT_KIND_LIST(JOINT_NUMBER)};
    iso__scene_refuse_name(reader, node, kind_aliases, sizeof kind_aliases / sizeof *kind_aliases);
    return kinds[iso__scene_word_of(reader, node, ISO__SCENE_JOINTS, ISO__SCENE_JOINTS3)];
}

// ---- the list ------------------------------------------------------------------------------------

/// A point of the world, moved with the copy that it belongs to.
static iso_vec2 joint_read_point(iso__scene_reader *reader, const iso__scene_node *node) {
    const iso_vec2_wide first = iso__scene_vec2_wide(reader, node, ISO__SCENE_POSITION_RANGE);
    const iso_wide x = iso_wide_add(first.x, reader->copy_offset.x);
    const iso_wide y = iso_wide_add(first.y, reader->copy_offset.y);
    if (!iso__scene_is_coordinate(x) || !iso__scene_is_coordinate(y)) {
        iso__scene_invalid(reader, node, "a point that is within 30000 m of the origin in every copy");
    }
    return (iso_vec2){iso_fix16_from_wide(x), iso_fix16_from_wide(y)};
}

/// Anchors in the bodies' frames, or one point of the world; those of a length are the origins by default.
static void joint_read_anchors(iso__scene_reader *reader, const iso__scene_node *node, iso_scene_joint *joint) {
    const iso_vec2 origin = {0, 0};
    const uint32_t has = iso_joint_kind_has(joint->def.kind);
    const iso__scene_node at = iso__scene_member(node, "at");
    const iso__scene_node anchor_a = iso__scene_member(node, "anchor_a");
    const iso__scene_node anchor_b = iso__scene_member(node, "anchor_b");
    if ((has & ISO_JOINT_HAS_LENGTH) != 0) {
        joint->def.anchor_a = iso__scene_vec2_or(reader, node, "anchor_a", ISO__SCENE_ANCHOR_RANGE, origin);
        joint->def.anchor_b = iso__scene_vec2_or(reader, node, "anchor_b", ISO__SCENE_ANCHOR_RANGE, origin);
        joint->def.anchor_c = iso__scene_vec2_or(reader, node, "anchor_c", ISO__SCENE_ANCHOR_RANGE, origin);
        joint->def.anchor_d = iso__scene_vec2_or(reader, node, "anchor_d", ISO__SCENE_ANCHOR_RANGE, origin);
    } else if (!at.is_present) {
        if (!anchor_a.is_present && !anchor_b.is_present) {
            iso__scene_invalid(reader, &at, "[x, y] of the world where they are joined, or anchor_a and anchor_b");
        }
        joint->def.anchor_a = iso__scene_vec2(reader, &anchor_a, ISO__SCENE_ANCHOR_RANGE);
        joint->def.anchor_b = iso__scene_vec2(reader, &anchor_b, ISO__SCENE_ANCHOR_RANGE);
    } else {
        if (anchor_a.is_present || anchor_b.is_present) {
            iso__scene_invalid(reader, anchor_a.is_present ? &anchor_a : &anchor_b, "nothing beside \"at\"");
        }
        iso__scene_joint_at(reader, &at, joint_read_point(reader, &at), joint);
    }
}

/// Reads two bodies, which must differ.
static void joint_read_pair(iso__scene_reader *reader, const iso__scene_node *node, const char *const keys[2],
                            uint32_t *a, uint32_t *b) {
    const iso__scene_node body_a = iso__scene_member(node, keys[0]);
    const iso__scene_node body_b = iso__scene_member(node, keys[1]);
    *a = iso__scene_read_body_reference(reader, &body_a);
    *b = iso__scene_read_body_reference(reader, &body_b);
    if (reader->status == ISO_OK && *a == *b) {
        char expected[32];
        snprintf(expected, sizeof expected, "another body than %s", keys[0]);
        iso__scene_invalid(reader, &body_b, expected);
    }
}

static void joint_read_bodies(iso__scene_reader *reader, const iso__scene_node *node, iso_scene_joint *joint) {
    static const char *const ab[2] = {"body_a", "body_b"};
    static const char *const cd[2] = {"body_c", "body_d"};
    const uint32_t has = iso_joint_kind_has(joint->def.kind);
    joint_read_pair(reader, node, ab, &joint->body_a, &joint->body_b);
    if ((has & ISO_JOINT_HAS_BODIES_CD) != 0) {
        joint_read_pair(reader, node, cd, &joint->body_c, &joint->body_d);
    }
    if ((has & ISO_JOINT_HAS_ANCHORS) != 0 && reader->status == ISO_OK) {
        joint_read_anchors(reader, node, joint);
    }
}

static void joint_read_target(iso__scene_reader *reader, const iso__scene_node *node, iso_scene_joint *joint) {
    const iso__scene_node body_b = iso__scene_member(node, "body_b");
    const iso__scene_node target = iso__scene_member(node, "target");
    joint->body_a = UINT32_MAX;
    joint->body_b = iso__scene_read_body_reference(reader, &body_b);
    if (reader->status == ISO_OK && joint_body(reader, joint->body_b)->type != ISO_BODY_DYNAMIC) {
        iso__scene_invalid(reader, &body_b, "the name of a dynamic body");
    }
    joint->def.anchor_b = iso__scene_vec2_or(reader, node, "anchor_b", ISO__SCENE_ANCHOR_RANGE, (iso_vec2){0, 0});
    joint->def.target = iso_vec2_to_wide(joint_read_point(reader, &target));
}

/// The keys of a joint that say what it joins.
static const char *joint_place_keys(uint32_t has) {
    if ((has & ISO_JOINT_IS_CUSTOM) != 0) {
        return "kind constraint bodies vectors scalars";
    }
    if ((has & ISO_JOINT_HAS_TARGET) != 0) {
        return "kind body_b anchor_b target";
    }
    if ((has & ISO_JOINT_HAS_BODIES_CD) != 0) {
        return "kind body_a body_b anchor_a anchor_b body_c body_d anchor_c anchor_d";
    }
    if ((has & ISO_JOINT_HAS_LENGTH) != 0) {
        return "kind body_a body_b anchor_a anchor_b";
    }
    return (has & ISO_JOINT_HAS_ANCHORS) != 0 ? "kind body_a body_b anchor_a anchor_b at" : "kind body_a body_b";
}

void iso__scene_read_joint(iso__scene_reader *reader, const iso__scene_node *node, uint32_t element, bool generated) {
    if (!json_object_is_type(node->json, json_type_object)) {
        iso__scene_invalid(reader, node, "an object");
        return;
    }
    const iso__scene_node kind = iso__scene_member(node, "kind");
    iso__scene_joint_template template = {iso_joint_def_default(), false, false};
    template.def.kind = iso__scene_joint_kind(reader, &kind);
    const uint32_t has = iso_joint_kind_has(template.def.kind);
    char parts[ISO__SCENE_JOINT_KEYS];
    char keys[ISO__SCENE_JOINT_KEYS + 80];
    iso__scene_joint_keys(has, parts, sizeof parts);
    snprintf(keys, sizeof keys, "name %s%s", joint_place_keys(has), parts);
    if (!iso__scene_object(reader, node, keys)) {
        return;
    }
    iso_scene_joint joint = {template.def, 0, 0, UINT32_MAX, UINT32_MAX, element, generated, UINT32_MAX};
    joint.name_offset = iso__scene_read_joint_name(reader, node);
    if ((has & ISO_JOINT_HAS_TARGET) != 0) {
        joint_read_target(reader, node, &joint);
    } else if ((has & ISO_JOINT_IS_CUSTOM) != 0) {
        iso__scene_read_custom(reader, node, &joint);
    } else {
        joint_read_bodies(reader, node, &joint);
    }
    template.def = joint.def;
    iso__scene_read_joint_parts(reader, node, &template);
    joint.def = template.def;
    iso__scene_joint_append(reader, node, &template, &joint);
}
