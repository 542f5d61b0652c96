/// The places of all bodies as they are shown, in the plane.
#ifndef ISO_CLIENT_PLACES_H
#define ISO_CLIENT_PLACES_H

#include "isostep/body.h"

#include "state.h"

// A build without worlds in space has none of their places either.
#ifdef ISO_ONLY_PLANE
#define ISO__CLIENT_IN_SPACE(display) false
#else
#define ISO__CLIENT_IN_SPACE(display) ((display)->is_space)
#endif

/// Where a body is shown. @param display  NULL: where it is
iso_client_pose iso__client_places_shown(const iso__client_display *display, iso_body_id body,
                                         const iso_body_view *view);
/// Stores the displayed poses of all bodies of a world. @param places  may be the offsets themselves
void iso__client_places_take(const iso__client_display *display, const iso_world *world, iso__client_place *places);
/// The offsets hold where bodies were shown: makes them what the bodies are off by now.
void iso__client_places_release(iso__client_display *display, const iso_world *world);
/// What is left of the errors fades by a tick.
void iso__client_places_fade(iso__client_display *display);
/// A body's pose at a moment. @param at  of iso__client_display_find for this body
iso_client_pose iso__client_places_between(const iso__client_moment *at, iso_body_id body);

#endif
