/// The rally's circuit: what the scene says of it by tags, listed in games.h.
///
/// A check point is a sensor, a box. The game asks whether the middle of a car is in it, which needs no contact: a car
/// that goes 0.5 m in a tick is seen by a box of a metre, and no wheel or wall counts.
#include "rally.h"

static iso_shape_id track_check(const rally_state *state, uint32_t check) {
    return (iso_shape_id){state->check_index[check], state->check_generation[check]};
}

static uint32_t track_check_count(const rally_state *state) {
    return state->check_count[0] < RALLY_CHECKS_MAX ? state->check_count[0] : RALLY_CHECKS_MAX;
}

/// @return null when no sensor that is a box has this tag
static iso_shape_id track_find_check(const iso_world *world, uint32_t tag) {
    iso_shape3_def def;
    iso_body_id body;
    for (iso_shape_id s = iso_shape_next(world, 0); s.generation != 0; s = iso_shape_next(world, s.index + 1)) {
        if (iso_shape3_get(world, s, &def, &body) == ISO_OK && def.tag == tag && def.is_sensor &&
            def.kind == ISO_SHAPE3_BOX) {
            return s;
        }
    }
    return (iso_shape_id){0, 0};
}

static iso_body_id track_find_place(const iso_world *world, uint32_t tag) {
    iso_body3_view view;
    for (iso_body_id b = iso_body_next(world, 0); b.generation != 0; b = iso_body_next(world, b.index + 1)) {
        if (iso_body3_get(world, b, &view) == ISO_OK && view.tag == tag && view.type == ISO_BODY_STATIC) {
            return b;
        }
    }
    return (iso_body_id){0, 0};
}

void iso__rally_find_track(const iso_world *world, rally_state *state) {
    uint32_t count = 0;
    for (iso_shape_id s; count < RALLY_CHECKS_MAX && (s = track_find_check(world, count + 1)).generation != 0;
         ++count) {
        state->check_index[count] = s.index;
        state->check_generation[count] = s.generation;
    }
    state->check_count[0] = count;
    count = 0;
    for (iso_body_id b; count < RALLY_PLACES_MAX && (b = track_find_place(world, count + 1)).generation != 0; ++count) {
        state->place_index[count] = b.index;
        state->place_generation[count] = b.generation;
    }
    state->place_count[0] = count;
}

/// The box of a check point: where its middle is, how it is turned, and half of its extents.
static bool track_get_check(const iso_world *world, const rally_state *state, uint32_t check, rally_pose *pose,
                            iso_vec3_wide *half) {
    iso_shape3_def def;
    iso_body_id body;
    iso_body3_view view;
    if (check >= track_check_count(state) || iso_shape3_get(world, track_check(state, check), &def, &body) != ISO_OK ||
        def.kind != ISO_SHAPE3_BOX || iso_body3_get(world, body, &view) != ISO_OK) {
        return false;
    }
    const iso_vec3_wide centre = iso_quat_rotate(view.rotation, iso_vec3_to_wide(def.points[0]));
    pose->position = iso_vec3_wide_add(view.position, centre);
    pose->rotation = iso_quat_mul(view.rotation, def.rotation);
    *half = iso_vec3_to_wide(def.points[1]);
    return true;
}

bool iso__rally_is_in_check(const iso_world *world, const rally_state *state, uint32_t check, iso_vec3_wide point) {
    rally_pose pose;
    iso_vec3_wide half;
    if (!track_get_check(world, state, check, &pose, &half)) {
        return false;
    }
    const iso_vec3_wide p = iso_quat_rotate_inverse(pose.rotation, iso_vec3_wide_sub(point, pose.position));
    return rally_size(p.x) <= half.x && rally_size(p.y) <= half.y && rally_size(p.z) <= half.z;
}

/// On the grid. More members than places stand above one another.
static rally_pose track_grid(const iso_world *world, const rally_state *state, uint32_t slot) {
    const uint32_t count = state->place_count[0] < RALLY_PLACES_MAX ? state->place_count[0] : RALLY_PLACES_MAX;
    const uint32_t place = count > 0 ? slot % count : 0, level = count > 0 ? slot / count : slot;
    const iso_body_id body = {state->place_index[place], state->place_generation[place]};
    rally_pose pose = {.rotation = iso_quat_identity()};
    iso_body3_view view;
    if (iso_body3_get(world, body, &view) == ISO_OK) {
        pose = (rally_pose){view.position, view.rotation};
    }
    pose.position.y = iso_wide_add(pose.position.y, (iso_wide)(2 * level) * ISO_WIDE_ONE);
    return pose;
}

/// On the floor of the check point passed last, four beside each other, so that no two members have the same place.
rally_pose iso__rally_place(const iso_world *world, const rally_state *state, uint32_t slot) {
    const uint32_t count = track_check_count(state);
    rally_pose pose;
    iso_vec3_wide half;
    const uint32_t last = count > 0 ? (state->next[slot] % count + count - 1) % count : 0;
    if (state->passed[slot] == 0 || !track_get_check(world, state, last, &pose, &half)) {
        return track_grid(world, state, slot);
    }
    const int32_t column = (int32_t)(slot % 4) * 2 - 3, row = (int32_t)(slot / 4);
    const iso_vec3_wide place = {iso_wide_from_int(-5 * row), -half.y, half.z / 4 * column};
    pose.position = iso_vec3_wide_add(pose.position, iso_quat_rotate(pose.rotation, place));
    return pose;
}
