#include "places.h"

#include "motion.h"

#define SNAP_ANGLE     (ISO_WIDE_ONE / 4) // [turns]
#define TELEPORT_ANGLE (ISO_WIDE_ONE / 2) // [turns]

static iso_client_pose pose_of(const iso_body_view *view) {
    return (iso_client_pose){.position = view->position, .angle_turns = view->angle_turns};
}

iso_client_pose iso__client_places_shown(const iso__client_display *display, iso_body_id body,
                                         const iso_body_view *view) {
    ISO_ASSERT(display == 0 || body.index < display->body_capacity);
    iso_client_pose pose = pose_of(view);
    if (display == 0) {
        return pose;
    }
    const iso__client_place *offset = (const iso__client_place *)display->offsets + body.index;
    if (offset->generation == body.generation) {
        pose.position.x = iso__client_motion_sum(pose.position.x, offset->pose.position.x);
        pose.position.y = iso__client_motion_sum(pose.position.y, offset->pose.position.y);
        pose.angle_turns = iso__client_motion_sum(pose.angle_turns, offset->pose.angle_turns);
    }
    return pose;
}

void iso__client_places_take(const iso__client_display *display, const iso_world *world, iso__client_place *places) {
    ISO_ASSERT(!display->is_space && places != 0);
    iso_body_view view;
    uint32_t index = 0;
    for (iso_body_id body = iso_body_next(world, 0); body.generation != 0; body = iso_body_next(world, index)) {
        for (; index < body.index; ++index) {
            places[index].generation = 0;
        }
        ISO_ASSERT(index < display->body_capacity);
        (void)iso_body_get(world, body, &view);
        places[index] = (iso__client_place){body.generation, iso__client_places_shown(display, body, &view)};
        index += 1;
    }
    for (; index < display->body_capacity; ++index) {
        places[index].generation = 0;
    }
}

void iso__client_places_release(iso__client_display *display, const iso_world *world) {
    ISO_ASSERT(!display->is_space && display->offsets != 0);
    iso_body_view view;
    for (uint32_t i = 0; i < display->body_capacity; ++i) {
        iso__client_place *offset = (iso__client_place *)display->offsets + i;
        const iso_body_id body = {i, offset->generation};
        if (offset->generation == 0 || iso_body_get(world, body, &view) != ISO_OK) {
            offset->generation = 0;
            continue;
        }
        const iso_client_pose pose = pose_of(&view);
        offset->pose.position.x = iso__client_motion_difference(offset->pose.position.x, pose.position.x);
        offset->pose.position.y = iso__client_motion_difference(offset->pose.position.y, pose.position.y);
        offset->pose.angle_turns = iso__client_motion_difference(offset->pose.angle_turns, pose.angle_turns);
        const bool near = iso__client_motion_is_near(offset->pose.position.x) &&
                          iso__client_motion_is_near(offset->pose.position.y) &&
                          iso__client_motion_is_within(offset->pose.angle_turns, SNAP_ANGLE);
        offset->generation = near ? offset->generation : 0;
    }
}

void iso__client_places_fade(iso__client_display *display) {
    ISO_ASSERT(!display->is_space && display->offsets != 0);
    iso__client_place *offsets = display->offsets;
    for (uint32_t i = 0; i < display->body_capacity; ++i) {
        iso_client_pose *pose = &offsets[i].pose;
        if (offsets[i].generation != 0) {
            pose->position.x = iso__client_motion_faded(pose->position.x);
            pose->position.y = iso__client_motion_faded(pose->position.y);
            pose->angle_turns = iso__client_motion_faded(pose->angle_turns);
        }
    }
}

static iso_client_pose pose_between(const iso_client_pose *from, const iso_client_pose *to, uint64_t ticks,
                                    uint32_t fraction_q16) {
    if (!iso__client_motion_is_way(from->position.x, to->position.x, ticks) ||
        !iso__client_motion_is_way(from->position.y, to->position.y, ticks) ||
        !iso__client_motion_is_within(iso__client_motion_difference(to->angle_turns, from->angle_turns),
                                      TELEPORT_ANGLE * iso__client_motion_most_in(ticks))) {
        return *from;
    }
    return (iso_client_pose){
        .position = {iso__client_motion_between(from->position.x, to->position.x, fraction_q16),
                     iso__client_motion_between(from->position.y, to->position.y, fraction_q16)},
        .angle_turns = iso__client_motion_between(from->angle_turns, to->angle_turns, fraction_q16),
    };
}

iso_client_pose iso__client_places_between(const iso__client_moment *at, iso_body_id body) {
    const iso__client_place *first = (const iso__client_place *)at->from->places + body.index;
    const iso__client_place *last = (const iso__client_place *)at->to->places + body.index;
    ISO_ASSERT(last->generation == body.generation);
    return first->generation == body.generation
               ? pose_between(&first->pose, &last->pose, at->to->number - at->from->number, at->fraction_q16)
               : last->pose;
}
