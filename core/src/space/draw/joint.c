/// Drawing in space: joints of every kind, from their parts in the list of kinds.
///
/// The first step has what a joint holds: anchors, levers, and between the anchors a link, or where B's anchor stays on
/// a line that line; of a direction that is held the line along it. Then there is a step for each of its axes: limit,
/// present value, spring and motor, on the line of a length, or as arcs around B's anchor. An arc's `side` is where B
/// is now, and its angles count from there, so that only the present value is needed to place what the axis is measured
/// from.
#include "space/draw/joint.h"

#include "base/assert.h"
#include "math/fixed_ops.h"
#include "math/quat.h"
#include "math/vec3.h"
#include "math/wide128.h"
#include "space/draw/item.h"
#include "space/draw/place.h"
#include "space/joint/kind.h"
#include "space/world/custom.h"

/// A joint at its pose.
typedef struct draw3_joint {
    iso_draw3_item base;
    iso_joint3_def def;
    iso_body_id bodies[2];
    iso_vec3_wide anchors[2]; // [m]
    iso_vec3_wide centres[2]; // [m] of the bodies' masses
    int32_t axes[2][3][3];    // Q2.30: of A and of B, x, y and z of the joint's frame in the world
    int64_t apart[3];         // [m] Q31.32, from A's anchor to B's
    iso_wide size;            // [m] of arcs and arrows
} draw3_joint;

// ---- reading -------------------------------------------------------------------------------------

static void joint_place(const iso_draw3 *draw, draw3_joint *joint, uint32_t which, const iso_joint3_frame *frame) {
    const iso_body_id body = joint->bodies[which];
    int32_t q[4] = {frame->rotation.x, frame->rotation.y, frame->rotation.z, frame->rotation.w}, R[9];
    joint->anchors[which] = joint->def.target; // of the world
    if (body.generation != 0) {
        iso__space_draw_place place;
        iso__space_draw_place_of(draw, body.index, &place);
        // Within ±60 m: Q7.24 has room.
        const int32_t anchor[3] = {frame->anchor.x * 256, frame->anchor.y * 256, frame->anchor.z * 256};
        joint->anchors[which] = iso__space_draw_beside(place.position, place.rotation, anchor);
        joint->centres[which] = place.centre;
        iso__quat_mul(place.quat, q, q);
        iso__quat_renormalise(q);
    }
    iso__quat_matrix(q, R);
    for (int i = 0; i < 9; ++i) {
        joint->axes[which][i % 3][i / 3] = R[i];
    }
}

static void joint_read(const iso_draw3 *draw, iso_joint_id id, draw3_joint *joint) {
    const iso_world *world = draw->world;
    const iso_status status = iso_joint3_get(world, id, &joint->def);
    ISO_ASSERT(status == ISO_OK);
    const iso_joint3_def *def = &joint->def;
    joint->bodies[0] = def->body_a;
    joint->bodies[1] = def->body_b;
    joint_place(draw, joint, 0, &def->frame_a);
    joint_place(draw, joint, 1, &def->frame_b);
    joint->base = iso__space_draw_base(draw, ISO_DRAW_JOINTS, def->body_b.index);
    joint->base.joint_kind = def->kind;
    joint->base.is_active = def->enabled;
    joint->base.owner = def->owner;
    joint->base.joint = id;
    joint->base.is_asleep = true;
    joint->size = INT64_MAX;
    for (uint32_t i = 0; i < 2; ++i) {
        if (joint->bodies[i].generation != 0) {
            const iso_draw3_item body = iso__space_draw_base(draw, ISO_DRAW_JOINTS, joint->bodies[i].index);
            joint->base.is_asleep &= body.is_asleep || body.body_type != ISO_BODY_DYNAMIC;
            joint->size = iso__min64(joint->size, iso__space_draw_mark_size(draw, joint->bodies[i].index));
        }
    }
    if (joint->size == INT64_MAX) {
        joint->size = ISO_WIDE_HALF; // no impulse moves it; it is drawn all the same
        joint->base.is_asleep = false;
    }
    const iso_vec3_wide *a = &joint->anchors[0], *b = &joint->anchors[1];
    joint->apart[0] = b->x - a->x;
    joint->apart[1] = b->y - a->y;
    joint->apart[2] = b->z - a->z;
}

static bool joint_has(const draw3_joint *joint, uint32_t parts) {
    return (iso_joint3_kind_has(joint->def.kind) & parts) != 0;
}

/// Whether the joint has to do with where its anchors are: of rows of one's own they are the bodies' origins.
static bool joint_has_points(const draw3_joint *joint) {
    const bool is_of_two = iso_joint3_kind_is_custom(joint->def.kind) && joint->bodies[0].generation != 0;
    return is_of_two || joint_has(joint, ISO_JOINT3_HAS_POINT | ISO_JOINT3_HAS_LENGTH | ISO_JOINT3_HAS_TARGET |
                                             ISO_JOINT3_HAS_SECOND);
}

static int32_t joint_sign(fix16_t value) {
    return (value > 0) - (value < 0);
}

// ---- what is held --------------------------------------------------------------------------------

/// The anchor of one body, and its lever when it moves.
static void draw_anchor(iso_draw3 *draw, const draw3_joint *joint, uint32_t which) {
    iso_draw3_item base = joint->base;
    base.body = joint->bodies[which];
    base.body_type = 0;
    if (base.body.generation != 0) {
        base.body_type = iso__space_of_const(draw->world)->bodies[base.body.index].type;
    }
    iso__space_draw_point(draw, &base, ISO_DRAW_ANCHOR, joint->anchors[which]);
    if (base.body_type == ISO_BODY_DYNAMIC || base.body_type == ISO_BODY_KINEMATIC) {
        iso__space_draw_line(draw, &base, ISO_DRAW3_LINE, ISO_DRAW_LEVER, joint->centres[which], joint->anchors[which]);
    }
}

/// A line through a point, from one length along it to another.
static void draw_axis(iso_draw3 *draw, const draw3_joint *joint, iso_draw_role role, iso_vec3_wide at,
                      const int32_t direction[3], iso_wide from, iso_wide to) {
    iso__space_draw_line(draw, &joint->base, ISO_DRAW3_LINE, role, iso__space_draw_along(at, direction, from),
                         iso__space_draw_along(at, direction, to));
}

/// The lines that B is on, along, or turns about.
static void draw_axes(iso_draw3 *draw, const draw3_joint *joint) {
    const int32_t *line = joint->axes[0][0];
    const iso_wide size = joint->size;
    if (joint_has(joint, ISO_JOINT3_HAS_LINE)) { // beyond both of what lies on it
        const int64_t *e = joint->apart;
        const iso_wide x = iso__dot3_shift(e[0], line[0], e[1], line[1], e[2], line[2], ISO__UNIT_FRACTION);
        draw_axis(draw, joint, ISO_DRAW_AXIS, joint->anchors[0], line, iso__min64(x, 0) - size,
                  iso__max64(x, 0) + size);
    } else if (joint_has(joint, ISO_JOINT3_HAS_AXIS)) {
        draw_axis(draw, joint, ISO_DRAW_AXIS, joint->anchors[joint_has_points(joint) ? 0 : 1], line, -size, size);
    }
    if (joint_has(joint, ISO_JOINT3_HAS_SECOND)) {
        draw_axis(draw, joint, ISO_DRAW_AXIS, joint->anchors[1], joint->axes[1][0], -size, size);
    }
}

static void draw_held(iso_draw3 *draw, const draw3_joint *joint) {
    const bool has_points = joint_has_points(joint);
    const bool is_spring = joint_has(joint, ISO_JOINT3_HAS_LENGTH) && joint->def.axes[0].spring_enabled;
    if (has_points) {
        draw_anchor(draw, joint, 0);
    }
    draw_anchor(draw, joint, 1);
    const bool is_linked = has_points && !joint_has(joint, ISO_JOINT3_HAS_LINE | ISO_JOINT3_HAS_RATIO);
    if (is_linked && !is_spring) { // a spring is drawn with its axis
        iso__space_draw_line(draw, &joint->base, ISO_DRAW3_LINE, ISO_DRAW_LINK, joint->anchors[0], joint->anchors[1]);
    }
    draw_axes(draw, joint);
    if (joint->def.kind == ISO_JOINT3_MOTOR) { // from where B is to where it is driven
        iso__space_draw_line(draw, &joint->base, ISO_DRAW3_ARROW, ISO_DRAW_MOTOR, joint->anchors[1], joint->anchors[0]);
        draw_axis(draw, joint, ISO_DRAW_AXIS, joint->anchors[0], joint->axes[0][0], 0, joint->size);
        draw_axis(draw, joint, ISO_DRAW_ANGLE, joint->anchors[1], joint->axes[1][0], 0, joint->size);
    }
}

// ---- axes ----------------------------------------------------------------------------------------

static void draw_length(iso_draw3 *draw, const draw3_joint *joint, const iso_joint3_axis *axis) {
    int32_t direction[3];
    if (!joint_has(joint, ISO_JOINT3_HAS_LENGTH) ||
        iso__normalize3(joint->apart, direction) == 0) { // anchors that meet are apart along a_A
        for (int i = 0; i < 3; ++i) {
            direction[i] = joint->axes[0][0][i];
        }
    }
    if (axis->limit_enabled) {
        draw_axis(draw, joint, ISO_DRAW_LIMIT, joint->anchors[0], direction, iso_wide_from_fix16(axis->lower),
                  iso_wide_from_fix16(axis->upper));
    }
    if (axis->spring_enabled) {
        iso__space_draw_line(draw, &joint->base, ISO_DRAW3_LINE, ISO_DRAW_SPRING, joint->anchors[0], joint->anchors[1]);
    }
    if (axis->motor_enabled) {
        const iso_vec3_wide tip =
            iso__space_draw_along(joint->anchors[1], direction, joint->size * joint_sign(axis->motor_speed));
        iso__space_draw_line(draw, &joint->base, ISO_DRAW3_ARROW, ISO_DRAW_MOTOR, joint->anchors[1], tip);
    }
}

/// Around B's anchor, in the plane of an axis. @param from, to  [rad] from where B is
static void draw_arc(iso_draw3 *draw, const draw3_joint *joint, iso_draw_role role, const int32_t normal[3],
                     const int32_t side[3], iso_wide radius, iso_wide from, iso_wide to) {
    iso_draw3_item *arc = iso__space_draw_arc(draw, &joint->base, role, joint->anchors[1], normal, side, radius);
    arc->angle_from = from;
    arc->angle_to = to;
}

/// What turns B about an axis, which is at `now` [rad]: a spring from where it rests, and a motor a quarter turn ahead.
/// Their arcs are smaller than those of limits, so as to be told from them.
static void draw_drives(iso_draw3 *draw, const draw3_joint *joint, const iso_joint3_axis *axis, const int32_t normal[3],
                        const int32_t side[3], iso_wide now) {
    if (axis->spring_enabled) {
        draw_arc(draw, joint, ISO_DRAW_SPRING, normal, side, joint->size * 3 / 4,
                 iso_wide_sub(iso_wide_from_fix16(axis->rest), now), 0);
    }
    if (axis->motor_enabled) {
        draw_arc(draw, joint, ISO_DRAW_MOTOR, normal, side, joint->size / 2, 0,
                 iso_radians_from_turns(ISO_WIDE_ONE / 4 * joint_sign(axis->motor_speed)));
    }
}

/// About a_A the marked direction of B is that of a_B, about a_B that of b_B.
static void draw_turning(iso_draw3 *draw, const draw3_joint *joint, const iso_joint3_axis *axis, bool is_about_a,
                         iso_wide now) {
    const int32_t *normal = joint->axes[is_about_a ? 0 : 1][0];
    int32_t side[3];
    for (int i = 0; i < 3; ++i) {
        side[i] = joint->axes[1][is_about_a ? 0 : 1][i];
    }
    if (is_about_a) {
        const int64_t along = iso__round_shift(iso__dot3(normal, side), ISO__UNIT_FRACTION);
        int64_t across[3];
        for (int i = 0; i < 3; ++i) {
            across[i] = side[i] - iso__round_shift(along * normal[i], ISO__UNIT_FRACTION);
        }
        iso__normalize3(across, side);
    }
    if (axis->limit_enabled) {
        draw_arc(draw, joint, ISO_DRAW_LIMIT, normal, side, joint->size,
                 iso_wide_sub(iso_wide_from_fix16(axis->lower), now),
                 iso_wide_sub(iso_wide_from_fix16(axis->upper), now));
        draw_axis(draw, joint, ISO_DRAW_ANGLE, joint->anchors[1], side, 0, joint->size);
    }
    draw_drives(draw, joint, axis, normal, side, now);
}

/// The circle that a_B passes along at an angle [rad] from a_A, its radius and its middle.
static void draw_cone(iso_draw3 *draw, const draw3_joint *joint, fix16_t angle) {
    const iso_rotation at = iso_rotation_make((uint32_t)iso_turns_from_radians(iso_wide_from_fix16(angle)));
    const int32_t(*axes)[3] = joint->axes[0];
    const iso_wide ahead = iso__mul_shift(joint->size, at.c, ISO__UNIT_FRACTION);
    const iso_wide radius = iso__mul_shift(joint->size, at.s, ISO__UNIT_FRACTION);
    const iso_vec3_wide middle = iso__space_draw_along(joint->anchors[1], axes[0], ahead);
    iso_draw3_item *circle = iso__space_draw_arc(draw, &joint->base, ISO_DRAW_LIMIT, middle, axes[0], axes[1], radius);
    circle->angle_to = iso_radians_from_turns(ISO_WIDE_ONE);
    for (int i = 0; i < 4; ++i) {
        const iso_vec3_wide rim = iso__space_draw_along(middle, axes[1 + i / 2], i % 2 == 0 ? radius : -radius);
        iso__space_draw_line(draw, &joint->base, ISO_DRAW3_LINE, ISO_DRAW_LIMIT, joint->anchors[1], rim);
    }
}

static void draw_swing(iso_draw3 *draw, const draw3_joint *joint, const iso_joint3_axis *axis, iso_wide now) {
    const int32_t *side = joint->axes[1][0];
    int64_t product[3];
    int32_t normal[3];
    iso__cross3(joint->axes[0][0], side, product);
    if (iso__normalize3(product, normal) == 0) { // parallel: it may swing any way
        for (int i = 0; i < 3; ++i) {
            normal[i] = joint->axes[0][2][i];
        }
    }
    if (axis->limit_enabled) {
        draw_cone(draw, joint, axis->upper);
        draw_axis(draw, joint, ISO_DRAW_ANGLE, joint->anchors[1], side, 0, joint->size);
    }
    draw_drives(draw, joint, axis, normal, side, now);
}

static void draw_joint_axis(iso_draw3 *draw, const draw3_joint *joint, uint32_t n) {
    const iso_joint3_axis_kind kind = iso_joint3_axis_of(joint->def.kind, n);
    const iso_joint3_axis *axis = &joint->def.axes[n];
    iso_wide now = 0;
    if (kind == ISO_JOINT3_AXIS_NONE) {
        return;
    }
    const iso_status status = iso_joint3_get_axis(draw->world, joint->base.joint, n, &now);
    ISO_ASSERT(status == ISO_OK);
    if (kind == ISO_JOINT3_AXIS_LENGTH) {
        draw_length(draw, joint, axis);
    } else if (kind == ISO_JOINT3_AXIS_SWING) {
        draw_swing(draw, joint, axis, now);
    } else {
        // The first angle of two that are held at an angle to each other.
        const bool is_about_a = joint_has(joint, ISO_JOINT3_HAS_AXES_ANGLE) &&
                                (n == 0 || iso_joint3_axis_of(joint->def.kind, n - 1) == ISO_JOINT3_AXIS_LENGTH);
        draw_turning(draw, joint, axis, is_about_a, now);
    }
}

void iso__space_draw_joint(iso_draw3 *draw, uint32_t index) {
    const iso__space *space = iso__space_of_const(draw->world);
    if (space->joints[index].kind == 0) {
        return;
    }
    draw3_joint joint = {0};
    joint_read(draw, (iso_joint_id){index, draw->world->joint_generations[index]}, &joint);
    if (draw->step == 0) {
        draw_held(draw, &joint);
    } else {
        draw_joint_axis(draw, &joint, draw->step - 1);
    }
    draw->has_more = draw->step < ISO_JOINT3_AXES;
}
