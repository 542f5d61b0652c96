/// Snapshots of the world, taken between two ticks: for joiners and for the recording's keyframes.
///
/// There are two at most. A recent one serves all joiners within a second; keyframes and joiners share images where
/// they can. The host compresses an image on another thread while the world continues. Its memory is released when it
/// has no user and is no longer recent.
#include "image.h"

#include <string.h>

#include "isostep/assert.h"

#include "note.h"
#include "ring.h"

static uint8_t image_newest(const iso_session *session) {
    uint8_t newest = UINT8_MAX;
    for (uint8_t i = 0; i < ISO__IMAGES; ++i) {
        const iso__image *image = &session->images[i];
        if (image->state != ISO__IMAGE_FREE && (newest == UINT8_MAX || image->tick > session->images[newest].tick)) {
            newest = i;
        }
    }
    return newest;
}

static bool image_is_needed(const iso__image *image) {
    return image->state == ISO__IMAGE_TAKEN || image->state == ISO__IMAGE_ENCODING || image->users > 0 ||
           image->is_keyframe;
}

/// The oldest image without a user.
static uint8_t image_idle(const iso_session *session) {
    uint8_t idle = UINT8_MAX;
    for (uint8_t i = 0; i < ISO__IMAGES; ++i) {
        const iso__image *image = &session->images[i];
        if (image->state == ISO__IMAGE_FREE) {
            return i;
        }
        if (!image_is_needed(image) && (idle == UINT8_MAX || image->tick < session->images[idle].tick)) {
            idle = i;
        }
    }
    return idle;
}

static uint8_t *image_allocate(iso_session *session, size_t size) {
    return session->allocator.allocate(session->allocator.user, size, 64);
}

void iso__image_release(iso_session *session, iso__image *image) {
    ISO_ASSERT((size_t)(image - session->images) < ISO__IMAGES && image->state <= ISO__IMAGE_READY);
    if (image->plain != NULL) {
        session->allocator.release(session->allocator.user, image->plain, image->plain_size);
    }
    if (image->packed != NULL) {
        session->allocator.release(session->allocator.user, image->packed, image->packed_size);
    }
    *image = (iso__image){.state = ISO__IMAGE_FREE};
}

void iso__image_let_go(iso_session *session) {
    for (uint32_t i = 0; i < ISO__IMAGES; ++i) {
        iso__image *image = &session->images[i];
        ISO_ASSERT(image->tick <= session->sealed_tick);
        const bool young = session->sealed_tick - image->tick <= session->rate_hz;
        if (image->state != ISO__IMAGE_FREE && !image_is_needed(image) && !young) {
            iso__image_release(session, image);
        }
    }
}

/// @return false when memory is short
static bool image_take(iso_session *session, uint8_t index) {
    iso__image *image = &session->images[index];
    ISO_ASSERT(index < ISO__IMAGES && !image_is_needed(image));
    iso__image_release(session, image);
    image->plain_size = iso_snapshot_size(session->world);
    image->plain = image_allocate(session, image->plain_size);
    if (image->plain == NULL) {
        *image = (iso__image){.state = ISO__IMAGE_FREE};
        return false;
    }
    const size_t size = iso_snapshot_encode(session->world, image->plain, image->plain_size);
    ISO_ASSERT(size == image->plain_size);
    image->state = ISO__IMAGE_TAKEN;
    image->tick = session->sealed_tick;
    const bool known = iso__ring_root(&session->ring, image->tick, &image->root);
    ISO_ASSERT(known);
    session->stats.snapshots += 1;
    return true;
}

uint8_t iso__image_find(iso_session *session) {
    const uint8_t newest = image_newest(session);
    if (newest != UINT8_MAX && session->sealed_tick - session->images[newest].tick <= session->rate_hz) {
        return newest;
    }
    const uint8_t idle = image_idle(session);
    if (idle != UINT8_MAX) {
        return image_take(session, idle) ? idle : UINT8_MAX;
    }
    // Both are in use. A joiner may start from the newer one while the ring leaves it enough time.
    const bool useful = newest != UINT8_MAX && session->images[newest].tick >= session->ring.first &&
                        session->sealed_tick - session->images[newest].tick <= session->config.ring_ticks / 2u;
    ISO_ASSERT(!useful || newest < ISO__IMAGES);
    return useful ? newest : UINT8_MAX;
}

void iso__image_take_keyframe(iso_session *session) {
    ISO_ASSERT(session->keyframe_tick <= session->sealed_tick);
    const uint32_t interval = session->config.keyframe_interval;
    // Spread, so that sessions that began together do not all take theirs in one tick.
    const uint32_t phase = (session->config.uid[0] + 256u * session->config.uid[1]) % interval;
    const bool passed = (session->sealed_tick + phase) / interval > (session->keyframe_tick + phase) / interval;
    // Not before the first keyframe was handed out: a recording begins with it.
    const bool due = !session->is_record_begun || (session->is_record_open && passed);
    if (!iso_session_records(session) || !due) {
        return;
    }
    uint8_t index = image_newest(session);
    if (index == UINT8_MAX || session->images[index].tick != session->sealed_tick) {
        index = image_idle(session);
        if (index == UINT8_MAX || !image_take(session, index)) {
            return; // tried again after the next tick
        }
    }
    session->images[index].is_keyframe = true;
    session->is_record_begun = true;
    session->keyframe_tick = session->sealed_tick;
}

void iso__image_encoded(iso_session *session, uint64_t tick, const uint8_t *bytes, size_t size) {
    ISO_ASSERT(tick <= session->sealed_tick);
    for (uint32_t i = 0; i < ISO__IMAGES; ++i) {
        iso__image *image = &session->images[i];
        if (image->state != ISO__IMAGE_ENCODING || image->tick != tick) {
            continue;
        }
        ISO_ASSERT(image->plain != NULL && image->packed == NULL);
        image->state = ISO__IMAGE_READY;
        image->packed = bytes == NULL || size == 0 ? NULL : image_allocate(session, size);
        image->has_packing_failed = image->packed == NULL;
        if (image->has_packing_failed) {
            // Joiners get the plain bytes; a keyframe is left out.
            image->is_keyframe = false;
            iso__note(session, ISO_SESSION_LOG_ERROR, "a snapshot could not be compressed")->status = ISO_ERR_MEMORY;
            continue;
        }
        memcpy(image->packed, bytes, size);
        image->packed_size = size;
    }
}
