/// Poses of bodies in the plane between two ticks, and drawing at them (isostep/client.h).
#include "display.h"
#include "places.h"

iso_status iso_client_body_pose_at(const iso_client *client, uint64_t now_ns, iso_body_id body, iso_client_pose *pose) {
    ISO_ASSERT(pose != 0);
    iso__client_moment at;
    const iso_status status = iso__client_display_find(client, now_ns, body, &at);
    if (status != ISO_OK || ISO__CLIENT_IN_SPACE(client->display)) {
        return status != ISO_OK ? status : ISO_ERR_DIMENSION;
    }
    *pose = iso__client_places_between(&at, body);
    return ISO_OK;
}

iso_status iso_client_body_pose(const iso_client *client, iso_body_id body, iso_client_pose *pose) {
    ISO_ASSERT(pose != 0);
    const iso_world *world = iso_client_predicted_world(client);
    iso_body_view view;
    const iso_status status = world != 0 ? iso_body_get(world, body, &view) : ISO_ERR_STATE;
    if (status == ISO_OK) {
        *pose = iso__client_places_shown(iso__client_display_is_plain(client) ? 0 : client->display, body, &view);
    }
    return status;
}

// ---- drawing --------------------------------------------------------------------------------------

static bool draw_pose(const void *user, uint64_t time, iso_body_id body, iso_vec2_wide *position,
                      iso_wide *angle_turns) {
    const iso_client *client = user;
    iso_client_pose pose;
    const iso_status status = iso__client_display_has_frames(client)
                                  ? iso_client_body_pose_at(client, time, body, &pose)
                                  : iso_client_body_pose(client, body, &pose);
    if (status == ISO_OK) {
        *position = pose.position;
        *angle_turns = pose.angle_turns;
    }
    return status == ISO_OK;
}

iso_status iso_client_draw_begin(const iso_client *client, uint64_t now_ns, uint32_t what, iso_draw *draw) {
    ISO_ASSERT(draw != 0);
    const iso_world *world = iso_client_predicted_world(client);
    if (world == 0) {
        return ISO_ERR_STATE;
    }
    iso_draw_begin(draw, world, what);
    iso_draw_set_poses(draw, draw_pose, client, now_ns);
    return ISO_OK;
}
