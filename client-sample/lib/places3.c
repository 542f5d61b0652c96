/// The places of bodies in space: what places.c does, with rotations.
///
/// What a body's rotation is off by is kept as a rotation vector, the axis times the angle, in the world's frame:
///   shown = exp(turn) q
/// It shrinks by an eighth with every tick, so the body turns about one axis until it is at its pose. Errors of a
/// quarter of a turn and more are not smoothed.
#include "places3.h"

#include "motion.h"

#define SNAP_ANGLE (ISO_WIDE_ONE * 11 / 7) // [rad] a quarter of a turn

static iso_client_pose3 pose_of(const iso_body3_view *view) {
    return (iso_client_pose3){.position = view->position, .rotation = view->rotation};
}

// Positions are within ±30,000 m and offsets within a few metres: nothing here saturates.

/// The rotation vector [rad] that takes one rotation to another, the shorter way.
static iso_vec3_wide turn_between(iso_quat from, iso_quat to) {
    // Of the two signs of this rotation, which are one, w is not negative: the axis is that of the shorter way.
    const iso_quat turn = iso_quat_normalize(iso_quat_mul(to, iso_quat_conjugate(from)));
    const iso_vec3_wide axis = iso_vec3_wide_normalize((iso_vec3_wide){turn.x, turn.y, turn.z});
    return iso_vec3_wide_scale(axis, iso_quat_angle(from, to));
}

/// A rotation after which another one is turned by a rotation vector.
static iso_quat turned(iso_quat rotation, iso_vec3_wide turn) {
    if ((turn.x | turn.y | turn.z) == 0) {
        return rotation;
    }
    const iso_vec3 axis = iso_vec3_from_wide(iso_vec3_wide_normalize(turn));
    const iso_quat by = iso_quat_from_axis_angle(axis, iso_vec3_wide_length(turn));
    return iso_quat_normalize(iso_quat_mul(by, rotation));
}

iso_client_pose3 iso__client_places3_shown(const iso__client_display *display, iso_body_id body,
                                           const iso_body3_view *view) {
    ISO_ASSERT(display == 0 || body.index < display->body_capacity);
    iso_client_pose3 pose = pose_of(view);
    if (display == 0) {
        return pose;
    }
    const iso__client_place3 *offset = (const iso__client_place3 *)display->offsets + body.index;
    if (offset->generation == body.generation) {
        pose.position = iso_vec3_wide_add(pose.position, offset->position);
        pose.rotation = turned(pose.rotation, offset->turn);
    }
    return pose;
}

void iso__client_places3_take(const iso__client_display *display, const iso_world *world, iso__client_place3 *places) {
    iso_body3_view view;
    uint32_t index = 0;
    for (iso_body_id body = iso_body_next(world, 0); body.generation != 0; body = iso_body_next(world, index)) {
        for (; index < body.index; ++index) {
            places[index].generation = 0;
        }
        ISO_ASSERT(index < display->body_capacity);
        (void)iso_body3_get(world, body, &view);
        const iso_client_pose3 pose = iso__client_places3_shown(display, body, &view);
        places[index].generation = body.generation;
        places[index].position = pose.position;
        places[index].rotation = pose.rotation;
        index += 1;
    }
    for (; index < display->body_capacity; ++index) {
        places[index].generation = 0;
    }
}

static bool is_near(const iso__client_place3 *offset) {
    return iso__client_motion_is_near(offset->position.x) && iso__client_motion_is_near(offset->position.y) &&
           iso__client_motion_is_near(offset->position.z) && iso_vec3_wide_length(offset->turn) <= SNAP_ANGLE;
}

void iso__client_places3_release(iso__client_display *display, const iso_world *world) {
    ISO_ASSERT(display->is_space && display->offsets != 0);
    iso_body3_view view;
    for (uint32_t i = 0; i < display->body_capacity; ++i) {
        iso__client_place3 *offset = (iso__client_place3 *)display->offsets + i;
        const iso_body_id body = {i, offset->generation};
        if (offset->generation == 0 || iso_body3_get(world, body, &view) != ISO_OK) {
            offset->generation = 0;
            continue;
        }
        offset->position = iso_vec3_wide_sub(offset->position, view.position);
        offset->turn = turn_between(view.rotation, offset->rotation);
        offset->generation = is_near(offset) ? offset->generation : 0;
    }
}

static iso_vec3_wide faded(iso_vec3_wide value) {
    return (iso_vec3_wide){iso__client_motion_faded(value.x), iso__client_motion_faded(value.y),
                           iso__client_motion_faded(value.z)};
}

void iso__client_places3_fade(iso__client_display *display) {
    ISO_ASSERT(display->is_space && display->offsets != 0);
    iso__client_place3 *offsets = display->offsets;
    for (uint32_t i = 0; i < display->body_capacity; ++i) {
        if (offsets[i].generation != 0) {
            offsets[i].position = faded(offsets[i].position);
            offsets[i].turn = faded(offsets[i].turn);
        }
    }
}

/// A part of the way between two rotations, the shorter one.
static iso_quat rotation_between(iso_quat from, iso_quat to, uint32_t fraction_q16) {
    if (from.x == to.x && from.y == to.y && from.z == to.z && from.w == to.w) {
        return from; // most bodies lie still
    }
    const iso_vec3_wide turn = turn_between(from, to);
    const iso_vec3_wide part = {iso__client_motion_between(0, turn.x, fraction_q16),
                                iso__client_motion_between(0, turn.y, fraction_q16),
                                iso__client_motion_between(0, turn.z, fraction_q16)};
    return turned(from, part);
}

static iso_client_pose3 pose_between(const iso__client_place3 *from, const iso__client_place3 *to, uint64_t ticks,
                                     uint32_t fraction_q16) {
    if (fraction_q16 == 0 || !iso__client_motion_is_way(from->position.x, to->position.x, ticks) ||
        !iso__client_motion_is_way(from->position.y, to->position.y, ticks) ||
        !iso__client_motion_is_way(from->position.z, to->position.z, ticks)) {
        return (iso_client_pose3){from->position, from->rotation};
    }
    return (iso_client_pose3){
        .position = {iso__client_motion_between(from->position.x, to->position.x, fraction_q16),
                     iso__client_motion_between(from->position.y, to->position.y, fraction_q16),
                     iso__client_motion_between(from->position.z, to->position.z, fraction_q16)},
        .rotation = rotation_between(from->rotation, to->rotation, fraction_q16),
    };
}

iso_client_pose3 iso__client_places3_between(const iso__client_moment *at, iso_body_id body) {
    const iso__client_place3 *first = (const iso__client_place3 *)at->from->places + body.index;
    const iso__client_place3 *last = (const iso__client_place3 *)at->to->places + body.index;
    ISO_ASSERT(last->generation == body.generation);
    return first->generation == body.generation
               ? pose_between(first, last, at->to->number - at->from->number, at->fraction_q16)
               : (iso_client_pose3){last->position, last->rotation};
}
