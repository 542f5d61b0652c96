/// Errors of the prediction, hidden from the eye: when the predicted world is put right, a body would jump. It is shown
/// where it was instead, and what it is off by shrinks by an eighth with every tick: half is gone after five ticks, all
/// but a fiftieth after thirty. Only what is shown is touched, never a world. Larger errors than a few metres, or a
/// quarter of a turn, are no small mistakes but another course of events: the body jumps.
#include "state.h"

#define FADE_DIVISOR  8
#define SNAP_DISTANCE (4 * ISO_WIDE_ONE) // [m] in one direction
#define SNAP_ANGLE    (ISO_WIDE_ONE / 4) // [turns]

static iso_client_pose pose_of(const iso_body_view *view) {
    return (iso_client_pose){.position = view->position, .angle_turns = view->angle_turns};
}

/// Positions are within ±30,000 m and offsets within SNAP_DISTANCE, so their sums stay in range; angles are unwrapped and
/// may not, so these are taken modulo 2^64.
static iso_wide sum(iso_wide a, iso_wide b) {
    return (iso_wide)((uint64_t)a + (uint64_t)b);
}

static iso_wide difference(iso_wide a, iso_wide b) {
    return (iso_wide)((uint64_t)a - (uint64_t)b);
}

static bool is_within(iso_wide value, iso_wide bound) {
    return value >= -bound && value <= bound;
}

static iso_wide faded(iso_wide value) {
    // The last bits would never go by a division.
    return value > -FADE_DIVISOR && value < FADE_DIVISOR ? 0 : value - value / FADE_DIVISOR;
}

/// Where a body is shown.
static iso_client_pose shown(const iso__client_predict *predict, iso_body_id body, const iso_body_view *view) {
    const iso__client_offset *offset = &predict->offsets[body.index];
    iso_client_pose pose = pose_of(view);
    if (offset->generation == body.generation) {
        pose.position.x = sum(pose.position.x, offset->pose.position.x);
        pose.position.y = sum(pose.position.y, offset->pose.position.y);
        pose.angle_turns = sum(pose.angle_turns, offset->pose.angle_turns);
    }
    return pose;
}

void iso__client_display_hold(iso__client_predict *predict) {
    ISO_ASSERT(predict->world != 0 && predict->offsets != 0);
    const uint32_t capacity = iso_world_get_def(predict->world)->body_capacity;
    iso_body_view view;
    uint32_t index = 0;
    for (iso_body_id body = iso_body_next(predict->world, 0); body.generation != 0;
         body = iso_body_next(predict->world, index)) {
        for (; index < body.index; ++index) {
            predict->offsets[index].generation = 0;
        }
        ISO_ASSERT(index < capacity);
        (void)iso_body_get(predict->world, body, &view);
        predict->offsets[index] = (iso__client_offset){body.generation, shown(predict, body, &view)};
        index += 1;
    }
    for (; index < capacity; ++index) {
        predict->offsets[index].generation = 0;
    }
}

void iso__client_display_release(iso__client_predict *predict) {
    ISO_ASSERT(predict->world != 0 && predict->offsets != 0);
    const uint32_t capacity = iso_world_get_def(predict->world)->body_capacity;
    iso_body_view view;
    for (uint32_t i = 0; i < capacity; ++i) {
        iso__client_offset *offset = &predict->offsets[i];
        const iso_body_id body = {i, offset->generation};
        if (offset->generation == 0 || iso_body_get(predict->world, body, &view) != ISO_OK) {
            offset->generation = 0;
            continue;
        }
        const iso_client_pose pose = pose_of(&view);
        offset->pose.position.x = difference(offset->pose.position.x, pose.position.x);
        offset->pose.position.y = difference(offset->pose.position.y, pose.position.y);
        offset->pose.angle_turns = difference(offset->pose.angle_turns, pose.angle_turns);
        const bool near = is_within(offset->pose.position.x, SNAP_DISTANCE) &&
                          is_within(offset->pose.position.y, SNAP_DISTANCE) &&
                          is_within(offset->pose.angle_turns, SNAP_ANGLE);
        offset->generation = near ? offset->generation : 0;
    }
}

void iso__client_display_fade(iso__client_predict *predict) {
    ISO_ASSERT(predict->world != 0 && predict->offsets != 0);
    const uint32_t capacity = iso_world_get_def(predict->world)->body_capacity;
    for (uint32_t i = 0; i < capacity; ++i) {
        iso_client_pose *pose = &predict->offsets[i].pose;
        if (predict->offsets[i].generation != 0) {
            pose->position.x = faded(pose->position.x);
            pose->position.y = faded(pose->position.y);
            pose->angle_turns = faded(pose->angle_turns);
        }
    }
}

iso_status iso_client_body_pose(const iso_client *client, iso_body_id body, iso_client_pose *pose) {
    ISO_ASSERT(pose != 0);
    const iso_world *world = iso_client_predicted_world(client);
    iso_body_view view;
    const iso_status status = world != 0 ? iso_body_get(world, body, &view) : ISO_ERR_STATE;
    if (status == ISO_OK) {
        *pose = world == client->world ? pose_of(&view) : shown(client->predict, body, &view);
    }
    return status;
}
