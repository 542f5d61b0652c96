/// Drawing: joints of every kind, by what the list of kinds says that they have.
///
/// All have anchors, levers and the link between them. A limit, motor or spring of an angular kind is an arc around B's
/// anchor, in the frame that A's angle turns; of the others it lies on the line along which their length is measured.
#include "draw/draw.h"

#include "dynamics/sleep.h"
#include "math/fixed_ops.h"

/// A joint where it is.
typedef struct draw_joint {
    iso_draw_item base;
    iso_joint_def def;
    uint32_t has;
    iso_vec2_wide anchor_a, anchor_b; // [m]
    iso_wide turns_a, turns_b;        // [turns]
    int32_t axis[2];                  // Q2.30, along which a length is measured
    iso_wide size;                    // [m] of arcs and arrows
} draw_joint;

// ---- where it is ---------------------------------------------------------------------------------

/// A body's anchor, angle and what drawing needs besides. The world, a null body, has its point and no angle.
static iso_vec2_wide joint_place(const iso_world *world, iso_body_id body, iso_vec2 anchor, iso_wide *turns) {
    iso_body_view view;
    if (iso_body_get(world, body, &view) != ISO_OK) {
        *turns = 0;
        return (iso_vec2_wide){iso_wide_from_fix16(anchor.x), iso_wide_from_fix16(anchor.y)};
    }
    const iso_vec2_wide along_x =
        iso__draw_along(view.position, view.rotation.c, view.rotation.s, iso_wide_from_fix16(anchor.x));
    *turns = view.angle_turns;
    return iso__draw_along(along_x, iso__neg32(view.rotation.s), view.rotation.c, iso_wide_from_fix16(anchor.y));
}

static uint32_t joint_body_index(iso_body_id body) {
    return body.generation == 0 ? UINT32_MAX : body.index;
}

static bool joint_can_wake(const iso_world *world, iso_body_id body) {
    return body.generation != 0 && world->bodies[body.index].type == ISO_BODY_DYNAMIC &&
           !iso__body_is_asleep(world, body.index);
}

static draw_joint joint_read(const iso_world *world, iso_joint_id id) {
    draw_joint joint = {0};
    const iso_status status = iso_joint_get(world, id, &joint.def);
    ISO_ASSERT(status == ISO_OK);
    const iso_body_id a = joint.def.body_a, b = joint.def.body_b;
    joint.has = iso_joint_kind_has(joint.def.kind);
    joint.anchor_a = joint_place(world, a, a.generation != 0 ? joint.def.anchor_a : joint.def.target, &joint.turns_a);
    joint.anchor_b = joint_place(world, b, joint.def.anchor_b, &joint.turns_b);
    joint.axis[0] = ISO__UNIT_ONE;
    const int64_t x = joint.anchor_b.x - joint.anchor_a.x, y = joint.anchor_b.y - joint.anchor_a.y;
    if (x != 0 || y != 0) {
        iso__normalize(x, y, &joint.axis[0], &joint.axis[1]);
    }
    joint.size =
        iso__min64(iso__draw_mark_size(world, joint_body_index(a)), iso__draw_mark_size(world, joint_body_index(b)));
    if (joint.size == INT64_MAX) {
        joint.size = ISO_WIDE_HALF; // no impulse moves it; it is drawn all the same
    }
    joint.base = (iso_draw_item){
        .part = ISO_DRAW_JOINTS,
        .body_type = world->bodies[b.index].type,
        .joint_kind = joint.def.kind,
        .asleep = !joint_can_wake(world, a) && !joint_can_wake(world, b),
        .active = joint.def.enabled,
        .owner = joint.def.owner,
        .body = b,
        .joint = id,
    };
    return joint;
}

// ---- what every kind has -------------------------------------------------------------------------

/// The anchor of one body, and its lever when it moves. The world has only the place.
static void draw_anchor(iso_draw *draw, const draw_joint *joint, iso_body_id body, iso_vec2_wide anchor) {
    const iso_world *world = draw->world;
    iso_draw_item base = joint->base;
    base.body = body;
    base.body_type = body.generation != 0 ? world->bodies[body.index].type : 0;
    iso__draw_point(draw, &base, ISO_DRAW_ANCHOR, anchor);
    if (base.body_type == ISO_BODY_DYNAMIC || base.body_type == ISO_BODY_KINEMATIC) {
        const int64_t *centre = world->bodies[body.index].position;
        iso__draw_line(draw, &base, ISO_DRAW_LINE, ISO_DRAW_LEVER, (iso_vec2_wide){centre[0], centre[1]}, anchor);
    }
}

static iso_draw_item *draw_arc(iso_draw *draw, const draw_joint *joint, iso_draw_role role, iso_wide from,
                               iso_wide to) {
    iso_draw_item *item = iso__draw_add(draw, &joint->base, ISO_DRAW_ARC, role);
    item->points[0] = joint->anchor_b;
    item->radius = joint->size;
    item->angle_from = from;
    item->angle_to = to;
    return item;
}

static iso_wide joint_turns(fix16_t radians) {
    return iso_turns_from_radians(iso_wide_from_fix16(radians));
}

static int32_t joint_sign(fix16_t value) {
    return (value > 0) - (value < 0);
}

static void draw_angular(iso_draw *draw, const draw_joint *joint) {
    const iso_joint_def *def = &joint->def;
    if (def->limit_enabled) {
        const iso_rotation now = iso_rotation_make((uint32_t)joint->turns_b);
        draw_arc(draw, joint, ISO_DRAW_LIMIT, iso_wide_add(joint->turns_a, joint_turns(def->lower)),
                 iso_wide_add(joint->turns_a, joint_turns(def->upper)));
        iso__draw_line(draw, &joint->base, ISO_DRAW_LINE, ISO_DRAW_ANGLE, joint->anchor_b,
                       iso__draw_along(joint->anchor_b, now.c, now.s, joint->size));
    }
    if (def->spring_enabled) {
        iso_draw_item *item = draw_arc(draw, joint, ISO_DRAW_SPRING,
                                       iso_wide_add(joint->turns_a, joint_turns(def->rest)), joint->turns_b);
        item->radius = joint->size * 3 / 4; // apart from limit and motor
    }
    if (def->motor_enabled) {
        const iso_wide quarter = ISO_WIDE_ONE / 4 * joint_sign(def->motor_speed);
        draw_arc(draw, joint, ISO_DRAW_MOTOR, joint->turns_b, iso_wide_add(joint->turns_b, quarter))->radius =
            joint->size / 2;
    }
}

static void draw_linear(iso_draw *draw, const draw_joint *joint) {
    const iso_joint_def *def = &joint->def;
    const int32_t x = joint->axis[0], y = joint->axis[1];
    if (def->limit_enabled) {
        iso__draw_line(draw, &joint->base, ISO_DRAW_LINE, ISO_DRAW_LIMIT,
                       iso__draw_along(joint->anchor_a, x, y, iso_wide_from_fix16(def->lower)),
                       iso__draw_along(joint->anchor_a, x, y, iso_wide_from_fix16(def->upper)));
    }
    if (def->motor_enabled) {
        iso__draw_line(draw, &joint->base, ISO_DRAW_ARROW, ISO_DRAW_MOTOR, joint->anchor_b,
                       iso__draw_along(joint->anchor_b, x, y, joint->size * joint_sign(def->motor_speed)));
    }
}

void iso__draw_joint(iso_draw *draw, uint32_t index) {
    const iso_world *world = draw->world;
    if (world->joints[index].kind == 0) {
        return;
    }
    const draw_joint joint = joint_read(world, (iso_joint_id){index, world->joint_generations[index]});
    const bool is_angular = (joint.has & ISO_JOINT_IS_ANGULAR) != 0;
    const bool is_spring = joint.def.spring_enabled && !is_angular;
    draw_anchor(draw, &joint, joint.def.body_a, joint.anchor_a);
    draw_anchor(draw, &joint, joint.def.body_b, joint.anchor_b);
    iso__draw_line(draw, &joint.base, ISO_DRAW_LINE, is_spring ? ISO_DRAW_SPRING : ISO_DRAW_LINK, joint.anchor_a,
                   joint.anchor_b);
    if (is_angular) {
        draw_angular(draw, &joint);
    } else {
        draw_linear(draw, &joint);
    }
}
