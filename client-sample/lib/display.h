/// Where bodies are shown: between two ticks, and while an error of the prediction fades.
#ifndef ISO_CLIENT_DISPLAY_H
#define ISO_CLIENT_DISPLAY_H

#include "state.h"

/// Made with the world, once. @return whether there was memory.
bool iso__client_display_create(iso_client *client);
void iso__client_display_destroy(iso_client *client);
/// Remembers where the bodies are shown. The predicted world is about to be put right.
void iso__client_display_hold(iso__client_display *display, const iso_world *world);
/// What the bodies are off by now is where they were shown less where they are.
void iso__client_display_release(iso__client_display *display, const iso_world *world);
/// The predicted world has moved on by a tick: what is left of the errors fades.
void iso__client_display_fade(iso__client_display *display);
/// The confirmed world was brought into another state than that of its next tick.
void iso__client_display_cut(iso_client *client);
/// At the end of each event: keeps what is shown now, if the displayed world has changed.
void iso__client_display_update(iso_client *client);
/// Whether bodies are shown where they are in the confirmed world.
bool iso__client_display_is_plain(const iso_client *client);
/// Finds what a body's pose at a time lies between.
/// @param found  receives the moment, whose `to` has the body
/// @return ISO_OK; ISO_ERR_STATE; ISO_ERR_STALE
iso_status iso__client_display_find(const iso_client *client, uint64_t now_ns, iso_body_id body,
                                    iso__client_moment *found);
/// Whether the last displayed poses are kept.
bool iso__client_display_has_frames(const iso_client *client);

#endif
