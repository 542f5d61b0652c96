/// The same in space: places with a rotation.
#ifndef ISO_CLIENT_PLACES3_H
#define ISO_CLIENT_PLACES3_H

#include "isostep/body3.h"

#include "state.h"

/// As those of places.h.
iso_client_pose3 iso__client_places3_shown(const iso__client_display *display, iso_body_id body,
                                           const iso_body3_view *view);
void iso__client_places3_take(const iso__client_display *display, const iso_world *world, iso__client_place3 *places);
void iso__client_places3_release(iso__client_display *display, const iso_world *world);
void iso__client_places3_fade(iso__client_display *display);
iso_client_pose3 iso__client_places3_between(const iso__client_moment *at, iso_body_id body);

#endif
