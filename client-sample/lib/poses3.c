/// Poses of bodies in space between two ticks (isostep/client.h).
#include "display.h"
#include "places3.h"

iso_status iso_client_body_pose3_at(const iso_client *client, uint64_t now_ns, iso_body_id body,
                                    iso_client_pose3 *pose) {
    ISO_ASSERT(pose != 0);
    iso__client_moment at;
    const iso_status status = iso__client_display_find(client, now_ns, body, &at);
    if (status != ISO_OK || !client->display->is_space) {
        return status != ISO_OK ? status : ISO_ERR_DIMENSION;
    }
    *pose = iso__client_places3_between(&at, body);
    return ISO_OK;
}

iso_status iso_client_body_pose3(const iso_client *client, iso_body_id body, iso_client_pose3 *pose) {
    ISO_ASSERT(pose != 0);
    const iso_world *world = iso_client_predicted_world(client);
    iso_body3_view view;
    const iso_status status = world != 0 ? iso_body3_get(world, body, &view) : ISO_ERR_STATE;
    if (status == ISO_OK) {
        *pose = iso__client_places3_shown(iso__client_display_is_plain(client) ? 0 : client->display, body, &view);
    }
    return status;
}
