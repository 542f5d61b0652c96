/// Where bodies are shown: smoothing of errors, and interpolation between two ticks.
///
/// When the predicted world is corrected, a body would jump. It is shown at its old pose instead, and this offset
/// shrinks by an eighth with every tick: to a half after five ticks, to a fiftieth after thirty. The same is done when
/// the displayed world is replaced. Errors larger than a few metres, or a quarter of a turn, are not smoothed: the body
/// jumps.
///
/// With config.interpolate the poses that were shown at the last ticks are kept as frames, and displayed poses are
/// interpolated between two of them. Frames have numbers of their own, which only rise: when the displayed world goes
/// back or is replaced, the newest frame is rewritten. This changes only displayed poses, never a world.
///
/// The poses are those of places.c, in space of places3.c; all else is the same for both kinds of worlds.
#include "display.h"

#include "display_clock.h"
#include "places.h"
#include "places3.h"

// ---- memory ---------------------------------------------------------------------------------------

_Static_assert((uint64_t)ISO_BODY_CAPACITY_MAX * sizeof(iso__client_place3) * (ISO__CLIENT_FRAMES_MAX + 2u) <
                       INT32_MAX &&
                   sizeof(iso__client_place) <= sizeof(iso__client_place3),
               "the size of a display would wrap on a machine of 32 bits");

bool iso__client_display_create(iso_client *client) {
    ISO_ASSERT(client->world != 0 && client->display == 0);
    const iso_world_def *def = iso_world_get_def(client->world);
    const bool is_space = def->dimensions == 3;
    const size_t place_size = is_space ? sizeof(iso__client_place3) : sizeof(iso__client_place);
    const size_t places_size = def->body_capacity * place_size;
    const size_t head_size = (sizeof(iso__client_display) + 63u) & ~(size_t)63u;
    const size_t frame_count = client->interpolate ? ISO__CLIENT_FRAMES_MAX : 0;
    const size_t size = head_size + (1u + frame_count) * places_size;
    uint8_t *block = client->allocator.allocate(client->allocator.user, size, 64);
    if (block == 0) {
        return false;
    }
    __builtin_memset(block, 0, size);
    iso__client_display *display = (iso__client_display *)(void *)block;
    display->size = size;
    display->body_capacity = def->body_capacity;
    display->place_size = (uint32_t)place_size;
    display->is_space = is_space;
    display->offsets = block + head_size;
    for (size_t i = 0; i < frame_count; ++i) {
        display->frames[i].places = block + head_size + (i + 1u) * places_size;
    }
    client->display = display;
    return true;
}

void iso__client_display_destroy(iso_client *client) {
    ISO_ASSERT(client->display == 0 || client->display->size > sizeof(iso__client_display));
    if (client->display != 0) {
        client->allocator.release(client->allocator.user, client->display, client->display->size);
        client->display = 0;
    }
}

// ---- errors ---------------------------------------------------------------------------------------

/// Stores the displayed poses of all bodies of either kind of world.
static void display_take(const iso__client_display *display, const iso_world *world, void *places) {
    if (ISO__CLIENT_IN_SPACE(display)) {
        iso__client_places3_take(display, world, places);
    } else {
        iso__client_places_take(display, world, places);
    }
}

void iso__client_display_hold(iso__client_display *display, const iso_world *world) {
    ISO_ASSERT(world != 0 && display->offsets != 0);
    display_take(display, world, display->offsets);
}

void iso__client_display_release(iso__client_display *display, const iso_world *world) {
    ISO_ASSERT(world != 0 && display->offsets != 0);
    display->is_rewritten = true;
    if (ISO__CLIENT_IN_SPACE(display)) {
        iso__client_places3_release(display, world);
    } else {
        iso__client_places_release(display, world);
    }
}

void iso__client_display_fade(iso__client_display *display) {
    ISO_ASSERT(display->offsets != 0);
    if (ISO__CLIENT_IN_SPACE(display)) {
        iso__client_places3_fade(display);
    } else {
        iso__client_places_fade(display);
    }
}

// ---- frames ---------------------------------------------------------------------------------------

bool iso__client_display_has_frames(const iso_client *client) {
    ISO_ASSERT(client->display == 0 || client->display->frame_count <= ISO__CLIENT_FRAMES_MAX);
    return client->display != 0 && client->display->frames[0].places != 0;
}

void iso__client_display_cut(iso_client *client) {
    ISO_ASSERT(client->display == 0 || client->display->frame_count <= ISO__CLIENT_FRAMES_MAX);
    if (iso__client_display_has_frames(client)) {
        client->display->is_cut = true;
    }
}

/// Makes room for a frame: drops the oldest one.
static void frame_push(iso__client_display *display, uint64_t number) {
    if (display->frame_count < ISO__CLIENT_FRAMES_MAX) {
        display->frame_count += 1;
    } else {
        const iso__client_frame oldest = display->frames[0];
        for (uint32_t i = 1; i < ISO__CLIENT_FRAMES_MAX; ++i) {
            display->frames[i - 1] = display->frames[i];
        }
        display->frames[ISO__CLIENT_FRAMES_MAX - 1] = oldest;
    }
    display->frames[display->frame_count - 1].number = number;
}

/// Another world is shown than before, or the same in another state: bodies move smoothly from their last displayed
/// poses.
static void display_switch(iso__client_display *display, const iso_world *world) {
    const void *last = display->frames[display->frame_count - 1].places;
    __builtin_memcpy(display->offsets, last, (size_t)display->body_capacity * display->place_size);
    iso__client_display_release(display, world);
}

void iso__client_display_update(iso_client *client) {
    ISO_ASSERT(client->display == 0 || client->display->frame_count <= ISO__CLIENT_FRAMES_MAX);
    iso__client_display *display = client->display;
    const iso_world *world = iso_client_predicted_world(client);
    if (!iso__client_display_has_frames(client) || world == 0) {
        return;
    }
    const uint64_t tick = iso_world_get_tick(world), number = display->frame_count == 0 ? 0 : display->clock.tick;
    const bool is_confirmed = world == client->world;
    const bool is_other = world != display->world || (display->is_cut && is_confirmed);
    const uint64_t ahead = display->frame_count == 0 ? 1 : is_other || tick <= display->tick ? 0 : tick - display->tick;
    if (display->frame_count > 0 && is_other) {
        display_switch(display, world);
    }
    for (uint64_t i = 0; is_confirmed && i < ahead; ++i) {
        iso__client_display_fade(display); // the prediction does so itself
    }
    if (ahead > 0) {
        iso__client_display_clock_tick(&display->clock, client->now_ns, client->welcome.tick_rate_hz, number + ahead);
        frame_push(display, number + ahead);
    }
    if (ahead > 0 || display->is_rewritten) {
        display_take(display, world, display->frames[display->frame_count - 1].places);
    }
    display->world = world;
    display->tick = tick;
    display->is_cut = display->is_rewritten = false;
}

/// The same as an iso__client_moment, by numbers of frames.
typedef struct moment {
    uint32_t from, to;
    uint32_t fraction_q16;
} moment;

static moment moment_find(const iso__client_display *display, uint32_t behind_q16) {
    const uint32_t newest = display->frame_count - 1u;
    const uint64_t number = display->frames[newest].number;
    uint64_t next = 0; // how far the frame after `i` is behind
    for (uint32_t i = newest;; --i) {
        const uint64_t behind = (number - display->frames[i].number) * ISO__CLIENT_DISPLAY_ONE;
        if (behind == behind_q16) {
            return (moment){i, i, 0};
        }
        if (behind > behind_q16) {
            return (moment){i, i + 1u, (uint32_t)((behind - behind_q16) * ISO__CLIENT_DISPLAY_ONE / (behind - next))};
        }
        if (i == 0) {
            return (moment){0, 0, 0}; // no older one is kept
        }
        next = behind;
    }
}

uint32_t iso_client_alpha(const iso_client *client, uint64_t now_ns, uint64_t *tick) {
    ISO_ASSERT(tick != 0);
    const iso__client_display *display = client->display;
    if (!iso__client_display_has_frames(client) || display->frame_count == 0) {
        *tick = 0;
        return 0;
    }
    const uint32_t behind = iso__client_display_clock_behind(&display->clock, now_ns);
    const uint32_t whole = (behind + ISO__CLIENT_DISPLAY_ONE - 1u) / ISO__CLIENT_DISPLAY_ONE;
    *tick = display->tick > whole ? display->tick - whole : 0;
    return whole * ISO__CLIENT_DISPLAY_ONE - behind;
}

/// Of the body that a frame has at an index; it stands first in a place of either kind.
static uint32_t generation_in(const iso__client_display *display, uint32_t frame, uint32_t index) {
    const uint8_t *place = (const uint8_t *)display->frames[frame].places + (size_t)index * display->place_size;
    uint32_t generation;
    __builtin_memcpy(&generation, place, sizeof(generation));
    return generation;
}

iso_status iso__client_display_find(const iso_client *client, uint64_t now_ns, iso_body_id body,
                                    iso__client_moment *found) {
    const iso__client_display *display = client->display;
    const iso_world *world = iso_client_predicted_world(client);
    if (world == 0 || !iso__client_display_has_frames(client) || display->frame_count == 0) {
        return ISO_ERR_STATE;
    }
    if (!iso_body_is_valid(world, body)) {
        return ISO_ERR_STALE;
    }
    moment at = moment_find(display, iso__client_display_clock_behind(&display->clock, now_ns));
    // A body that does not exist yet is shown at its first pose.
    while (at.to + 1u < display->frame_count && generation_in(display, at.to, body.index) != body.generation) {
        at = (moment){at.to + 1u, at.to + 1u, 0};
    }
    ISO_ASSERT(generation_in(display, at.to, body.index) == body.generation);
    *found = (iso__client_moment){&display->frames[at.from], &display->frames[at.to], at.fraction_q16};
    return ISO_OK;
}

bool iso__client_display_is_plain(const iso_client *client) {
    ISO_ASSERT(client->display == 0 || client->display->frame_count <= ISO__CLIENT_FRAMES_MAX);
    return iso_client_predicted_world(client) == client->world && !iso__client_display_has_frames(client);
}
