/// Snapshots of the world: for joiners and for the recording's keyframes.
#ifndef ISO_SESSION_IMAGE_H
#define ISO_SESSION_IMAGE_H

#include "state.h"

/// An image that a joiner can start from: an existing one that is recent enough, else a new one.
/// @return its index, or UINT8_MAX when the joiner has to wait
uint8_t iso__image_find(iso_session *session);
/// Takes a keyframe when one is due and there is room. The first one is due at once.
void iso__image_take_keyframe(iso_session *session);
void iso__image_encoded(iso_session *session, uint64_t tick, const uint8_t *bytes, size_t size);
/// Releases the memory of images that are no longer needed.
void iso__image_let_go(iso_session *session);
void iso__image_release(iso_session *session, iso__image *image);

#endif
