/// Drawing: joints of every kind, from their parts in the list of kinds.
///
/// All have anchors, levers and a link, which is an axis for the kinds that hold a body on a line. A limit, motor or
/// spring of an angle is an arc around B's anchor, in the frame that A's angle turns; of a length it lies on the line
/// along which that is measured. A kind that shows more does so in draw_kind. What a custom joint measures is known
/// only to its constraint: that draws it, or it is drawn as its bodies and a link from each to the next, in the
/// constraint's order.
#include "plane/draw/joint.h"

#include "base/assert.h"
#include "math/fixed_ops.h"
#include "math/wide128.h"
#include "plane/draw/item.h"
#include "plane/draw/place.h"
#include "plane/world/custom.h"
#include "plane/world/wake.h"

#define JOINT_BODIES 4u

/// A joint at its pose. For most kinds the bodies C and D are null.
typedef struct draw_joint {
    iso_draw_item base;
    iso_joint_def def;
    uint32_t has;
    iso_body_id bodies[JOINT_BODIES];
    iso_vec2_wide anchors[JOINT_BODIES]; // [m]
    iso_wide turns[JOINT_BODIES];
    int32_t axis[2]; // Q2.30, along which a length is measured, from A's anchor
    iso_wide length; // [m] the present one
    iso_wide beside; // [m] what a pulley's other rope adds to it
    iso_wide size;   // [m] of arcs and arrows
} draw_joint;

// ---- poses ---------------------------------------------------------------------------------------

/// A body's anchor, or its centre when the kind has none; and its angle. The world, a null body, has `target`.
static void joint_place(const iso_draw *draw, draw_joint *joint, uint32_t which, iso_vec2 anchor) {
    const iso_body_id body = joint->bodies[which];
    iso_vec2_wide *at = &joint->anchors[which];
    if (body.generation == 0) {
        *at = joint->def.target;
        return;
    }
    const iso__plane_draw_place place = iso__plane_draw_place_of(draw, body.index);
    joint->turns[which] = place.turns;
    if ((joint->has & (ISO_JOINT_HAS_ANCHORS | ISO_JOINT_HAS_TARGET)) == 0) {
        *at = place.centre;
        return;
    }
    *at = iso__plane_draw_along(place.position, place.rotation.c, place.rotation.s, iso_wide_from_fix16(anchor.x));
    *at = iso__plane_draw_along(*at, iso__neg32(place.rotation.s), place.rotation.c, iso_wide_from_fix16(anchor.y));
}

/// The vector between two anchors: its direction, which is along x when they meet, and its length.
static iso_wide joint_apart(const draw_joint *joint, uint32_t from, uint32_t to, int32_t direction[2]) {
    const iso_vec2_wide a = joint->anchors[from], b = joint->anchors[to];
    const iso_wide length = iso__normalize(b.x - a.x, b.y - a.y, &direction[0], &direction[1]);
    if (length == 0) {
        direction[0] = ISO__UNIT_ONE;
    }
    return length;
}

/// The line along which a length is measured: the one that A carries, else that between the anchors.
static void joint_measure(const iso_draw *draw, draw_joint *joint) {
    if ((joint->has & ISO_JOINT_HAS_AXIS) != 0) {
        const iso_rotation q = iso__plane_draw_place_of(draw, joint->bodies[0].index).rotation;
        const iso_vec2_wide apart = {joint->anchors[1].x - joint->anchors[0].x,
                                     joint->anchors[1].y - joint->anchors[0].y};
        const int64_t x = joint->def.axis.x, y = joint->def.axis.y;
        iso__normalize(q.c * x - q.s * y, q.s * x + q.c * y, &joint->axis[0], &joint->axis[1]);
        joint->length = iso__dot_shift(apart.x, joint->axis[0], apart.y, joint->axis[1], ISO__UNIT_FRACTION);
        return;
    }
    joint->length = joint_apart(joint, 0, 1, joint->axis);
    if ((joint->has & ISO_JOINT_HAS_BODIES_CD) != 0) {
        int32_t direction[2];
        joint->beside = iso_wide_mul(iso_wide_from_fix16(joint->def.ratio), joint_apart(joint, 2, 3, direction));
    }
}

static draw_joint joint_read(const iso_draw *draw, iso_joint_id id) {
    const iso__plane *plane = iso__plane_of_const(draw->world);
    draw_joint joint = {0};
    const iso_status status = iso_joint_get(&plane->world, id, &joint.def);
    ISO_ASSERT(status == ISO_OK);
    const iso_joint_def *def = &joint.def;
    const iso_body_id bodies[JOINT_BODIES] = {def->body_a, def->body_b, def->body_c, def->body_d};
    const iso_vec2 anchors[JOINT_BODIES] = {def->anchor_a, def->anchor_b, def->anchor_c, def->anchor_d};
    joint.has = iso_joint_kind_has(def->kind);
    joint.size = INT64_MAX;
    bool asleep = true;
    for (uint32_t i = 0; i < JOINT_BODIES; ++i) {
        joint.bodies[i] = bodies[i];
        joint_place(draw, &joint, i, anchors[i]);
        if (bodies[i].generation != 0 && plane->bodies[bodies[i].index].type == ISO_BODY_DYNAMIC) {
            joint.size = iso__min64(joint.size, iso__plane_draw_mark_size(plane, bodies[i].index));
            asleep = asleep && iso__plane_body_is_asleep(plane, bodies[i].index);
        }
    }
    if (joint.size == INT64_MAX) {
        joint.size = ISO_WIDE_HALF; // no impulse moves it; it is drawn all the same
    }
    joint_measure(draw, &joint);
    joint.base = (iso_draw_item){
        .part = ISO_DRAW_JOINTS,
        .body_type = plane->bodies[def->body_b.index].type,
        .joint_kind = def->kind,
        .is_asleep = asleep,
        .is_active = def->enabled,
        .owner = def->owner,
        .body = def->body_b,
        .joint = id,
    };
    return joint;
}

/// The angle of B [turns] at which the joint's angle is `radians`.
static iso_wide joint_turns(const draw_joint *joint, iso_wide radians) {
    const iso_wide sum = iso_wide_add(joint->turns[0], iso_turns_from_radians(radians));
    const bool has_ratio = (joint->has & ISO_JOINT_HAS_RATIO) != 0;
    return has_ratio ? iso_wide_div(sum, iso_wide_from_fix16(joint->def.ratio)) : sum;
}

static int32_t joint_sign(fix16_t value) {
    return (value > 0) - (value < 0);
}

// ---- common to all kinds -------------------------------------------------------------------------

/// The parts of an item that come from one of the joint's bodies; a point of the world has no type.
static iso_draw_item draw_base(const iso__plane *plane, const draw_joint *joint, uint32_t which) {
    iso_draw_item base = joint->base;
    base.body = joint->bodies[which];
    base.body_type = base.body.generation != 0 ? plane->bodies[base.body.index].type : 0;
    return base;
}

/// The anchor of one body, and its lever when it moves.
static void draw_anchor(iso_draw *draw, const draw_joint *joint, uint32_t which) {
    const iso_draw_item base = draw_base(iso__plane_of_const(draw->world), joint, which);
    const iso_vec2_wide anchor = joint->anchors[which];
    iso__plane_draw_point(draw, &base, ISO_DRAW_ANCHOR, anchor);
    if (base.body_type == ISO_BODY_DYNAMIC || base.body_type == ISO_BODY_KINEMATIC) {
        const iso_vec2_wide centre = iso__plane_draw_place_of(draw, base.body.index).centre;
        iso__plane_draw_line(draw, &base, ISO_DRAW_LINE, ISO_DRAW_LEVER, centre, anchor);
    }
}

/// @param from, to  [turns]
static iso_draw_item *draw_arc(iso_draw *draw, const draw_joint *joint, iso_draw_role role, iso_wide from,
                               iso_wide to) {
    iso_draw_item *item = iso__plane_draw_add(draw, &joint->base, ISO_DRAW_ARC, role);
    item->points[0] = joint->anchors[1];
    item->radius = joint->size;
    item->angle_from = iso_radians_from_turns(from);
    item->angle_to = iso_radians_from_turns(to);
    return item;
}

/// Where the angle of one of the bodies is.
static void draw_angle(iso_draw *draw, const draw_joint *joint, uint32_t which) {
    const iso_draw_item base = draw_base(iso__plane_of_const(draw->world), joint, which);
    const iso_rotation now = iso_rotation_make((uint32_t)joint->turns[which]);
    const iso_vec2_wide at = joint->anchors[which];
    iso__plane_draw_line(draw, &base, ISO_DRAW_LINE, ISO_DRAW_ANGLE, at,
                         iso__plane_draw_along(at, now.c, now.s, joint->size));
}

static void draw_turning_motor(iso_draw *draw, const draw_joint *joint) {
    const iso_wide now = joint->turns[1], quarter = ISO_WIDE_ONE / 4 * joint_sign(joint->def.motor_speed);
    draw_arc(draw, joint, ISO_DRAW_MOTOR, now, iso_wide_add(now, quarter))->radius = joint->size / 2;
}

static void draw_angular(iso_draw *draw, const draw_joint *joint) {
    const iso_joint_def *def = &joint->def;
    if (def->limit_enabled) {
        draw_arc(draw, joint, ISO_DRAW_LIMIT, joint_turns(joint, iso_wide_from_fix16(def->lower)),
                 joint_turns(joint, iso_wide_from_fix16(def->upper)));
        draw_angle(draw, joint, 1);
    }
    if (def->spring_enabled) {
        const iso_wide rest = joint_turns(joint, iso_wide_from_fix16(def->rest));
        draw_arc(draw, joint, ISO_DRAW_SPRING, rest, joint->turns[1])->radius =
            joint->size * 3 / 4; // apart from others
    }
    if (def->motor_enabled) {
        draw_turning_motor(draw, joint);
    }
}

/// The point of the line at a length.
static iso_vec2_wide joint_along(const draw_joint *joint, iso_wide length) {
    return iso__plane_draw_along(joint->anchors[0], joint->axis[0], joint->axis[1], length);
}

static void draw_linear(iso_draw *draw, const draw_joint *joint) {
    const iso_joint_def *def = &joint->def;
    if (def->limit_enabled) {
        iso_wide lower = iso_wide_from_fix16(def->lower) - joint->beside;
        iso_wide upper = iso_wide_from_fix16(def->upper) - joint->beside;
        if ((joint->has & ISO_JOINT_HAS_LENGTH) != 0) { // what a pulley's other rope needs may be more than there is
            lower = iso__max64(lower, 0);
            upper = iso__max64(upper, 0);
        }
        iso__plane_draw_line(draw, &joint->base, ISO_DRAW_LINE, ISO_DRAW_LIMIT, joint_along(joint, lower),
                             joint_along(joint, upper));
    }
    if (def->motor_enabled && (joint->has & ISO_JOINT_MOTOR_TURNS) != 0) {
        draw_turning_motor(draw, joint);
    } else if (def->motor_enabled) {
        const iso_vec2_wide at = joint->anchors[1];
        iso__plane_draw_line(
            draw, &joint->base, ISO_DRAW_ARROW, ISO_DRAW_MOTOR, at,
            iso__plane_draw_along(at, joint->axis[0], joint->axis[1], joint->size * joint_sign(def->motor_speed)));
    }
}

/// The connection of two anchors: a spring, a line that one of them stays on, or a link.
static void draw_link(iso_draw *draw, const draw_joint *joint, uint32_t from, uint32_t to) {
    const bool has_axis = (joint->has & ISO_JOINT_HAS_AXIS) != 0;
    if (has_axis) { // beyond both of what lies on it
        iso__plane_draw_line(draw, &joint->base, ISO_DRAW_LINE, ISO_DRAW_AXIS,
                             joint_along(joint, iso__min64(joint->length, 0) - joint->size),
                             joint_along(joint, iso__max64(joint->length, 0) + joint->size));
    }
    const bool is_spring = joint->def.spring_enabled && (joint->has & ISO_JOINT_IS_ANGULAR) == 0;
    if (is_spring || !has_axis) {
        iso__plane_draw_line(draw, &joint->base, ISO_DRAW_LINE, is_spring ? ISO_DRAW_SPRING : ISO_DRAW_LINK,
                             joint->anchors[from], joint->anchors[to]);
    }
}

// ---- kinds ---------------------------------------------------------------------------------------

/// The two ropes share their length where A's anchor is near C's.
static void draw_pulley(iso_draw *draw, const draw_joint *joint) {
    draw_anchor(draw, joint, 2);
    draw_anchor(draw, joint, 3);
    draw_link(draw, joint, 2, 3);
    iso__plane_draw_line(draw, &joint->base, ISO_DRAW_LINE, ISO_DRAW_LEVER, joint->anchors[0], joint->anchors[2]);
}

/// From the tooth that holds to the next one that may be passed.
static void draw_ratchet(iso_draw *draw, const draw_joint *joint) {
    const iso_wide latch = iso__plane_of_const(draw->world)->joints[joint->base.joint.index].latch;
    draw_arc(draw, joint, ISO_DRAW_LIMIT, joint_turns(joint, latch),
             joint_turns(joint, iso_wide_add(latch, iso_wide_from_fix16(joint->def.ratchet))));
    draw_angle(draw, joint, 1);
}

/// From where B is to where it is driven.
static void draw_offsets(iso_draw *draw, const draw_joint *joint) {
    iso__plane_draw_line(draw, &joint->base, ISO_DRAW_ARROW, ISO_DRAW_MOTOR, joint->anchors[1], joint->anchors[0]);
    draw_arc(draw, joint, ISO_DRAW_MOTOR, joint->turns[1], joint_turns(joint, iso_wide_from_fix16(joint->def.rest)));
}

/// The items of one kind only.
static void draw_kind(iso_draw *draw, const draw_joint *joint) {
    switch ((iso_joint_kind)joint->def.kind) {
    case ISO_JOINT_PULLEY:
        draw_pulley(draw, joint);
        break;
    case ISO_JOINT_RATCHET:
        draw_ratchet(draw, joint);
        break;
    case ISO_JOINT_MOTOR:
        draw_offsets(draw, joint);
        break;
    case ISO_JOINT_GEAR:
        draw_angle(draw, joint, 0);
        draw_angle(draw, joint, 1);
        break;
    default:
        break;
    }
}

/// Lets a constraint of the game draw. @return false: it does not
static bool draw_user(iso_draw *draw, const draw_joint *joint) {
    const iso__plane *plane = iso__plane_of_const(draw->world);
    const iso__plane_joint *record = &plane->joints[joint->base.joint.index];
    const iso__plane_custom_joint *custom = iso__plane_custom_of(plane, record);
    const iso__custom_source source = iso__plane_custom_source(plane, custom);
    if (source.constraint == NULL || source.constraint->draw == NULL) {
        return false;
    }
    const iso__plane_custom_bodies of = iso__plane_custom_bodies_of(record, source.constraint->body_count);
    iso_constraint_body bodies[ISO_PROGRAM_BODIES_MAX];
    for (uint32_t i = 0; i < of.count; ++i) {
        const iso__plane_draw_place place = iso__plane_draw_place_of(draw, of.index[i]);
        bodies[i] = (iso_constraint_body){
            {place.centre.x, place.centre.y}, iso_radians_from_turns(place.turns), place.rotation};
    }
    ISO_ASSERT(draw->count == 0);
    source.constraint->draw(bodies, &joint->def.params, custom->state, draw);
    for (uint32_t i = 0; i < draw->count; ++i) {
        iso_draw_item *item = &draw->items[i];
        const iso_draw_item own = *item;
        *item = joint->base;
        item->kind = own.kind;
        item->role = own.role;
        item->point_count = own.point_count;
        item->radius = own.radius;
        item->radius_b = own.radius_b;
        item->angle_from = own.angle_from;
        item->angle_to = own.angle_to;
        for (uint32_t n = 0; n < own.point_count; ++n) {
            item->points[n] = own.points[n];
        }
    }
    return true;
}

/// The bodies that a custom joint has, two to four from A on or B alone, and what links each to the next.
static void draw_custom(iso_draw *draw, const draw_joint *joint) {
    if (draw_user(draw, joint)) {
        return;
    }
    for (uint32_t i = 0; i < JOINT_BODIES; ++i) {
        if (joint->bodies[i].generation != 0) {
            draw_anchor(draw, joint, i);
        }
        if (i > 0 && joint->bodies[i - 1].generation != 0 && joint->bodies[i].generation != 0) {
            draw_link(draw, joint, i - 1, i);
        }
    }
}

void iso__plane_draw_joint(iso_draw *draw, uint32_t index) {
    const iso__plane *plane = iso__plane_of_const(draw->world);
    if (plane->joints[index].kind == 0) {
        return;
    }
    const draw_joint joint = joint_read(draw, (iso_joint_id){index, plane->world.joint_generations[index]});
    if ((joint.has & ISO_JOINT_IS_CUSTOM) != 0) {
        draw_custom(draw, &joint);
        return;
    }
    draw_anchor(draw, &joint, 0);
    draw_anchor(draw, &joint, 1);
    draw_link(draw, &joint, 0, 1);
    draw_kind(draw, &joint);
    if ((joint.has & ISO_JOINT_IS_ANGULAR) != 0) {
        draw_angular(draw, &joint);
    } else {
        draw_linear(draw, &joint);
    }
}
