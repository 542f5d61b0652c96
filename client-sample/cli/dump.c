/// --dump-state: the world of a client that has desynced, as a recording of one keyframe and no ticks, which every tool
/// reads (proto/RECORDING.md, "The state of a client").
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app.h"
#include "isostep/proto/compression.h"
#include "isostep/proto/environment.h"
#include "isostep/proto/recording.h"

/// What is written, in order.
typedef struct dump {
    uint8_t *bytes;
    size_t size, capacity;
} dump;

static void dump_make_header(iso_recording_header *header, iso__cli_app *app, const iso__cli_peer *peer,
                             const iso_world *world) {
    const iso_message_welcome *welcome = iso_client_welcome(peer->client);
    char session[ISO_SESSION_NAME_MAX + 1];
    memset(header, 0, sizeof(*header));
    char program[ISO_PROGRAM_NAME_SIZE];
    iso_version_build(iso_environment_program("isostep-client", program), header->build, sizeof(header->build));
    snprintf(header->session, sizeof(header->session), "%s", iso__cli_swarm_session_name(app, peer->session, session));
    memcpy(header->uid, welcome->uid, sizeof(header->uid));
    header->epoch = welcome->epoch;
    header->first_tick = iso_world_get_tick(world);
    header->def = *iso_world_get_def(world);
    iso_fingerprint_make(&header->def, iso_world_get_game(world), &header->fingerprint);
    header->scene = ""; // the server does not send it
}

static void dump_append(dump *d, size_t size, bool *ok) {
    *ok = *ok && size > 0;
    d->size += *ok ? size : 0;
}

/// The state, and a note about the desync.
static bool dump_encode(dump *d, iso__cli_app *app, const iso__cli_peer *peer, const iso_world *world,
                        const uint8_t *stored, iso_recording_keyframe *keyframe) {
    iso_recording_header header;
    dump_make_header(&header, app, peer, world);
    const iso_recording_event event = {
        .kind = ISO_RECORDING_EVENT_DESYNC,
        .slot = iso_client_slot(peer->client),
        .about_tick = peer->desync_tick,
        .root = peer->desync_theirs,
        .other_root = peer->desync_ours,
    };
    bool ok = true;
    iso_recording_chain chain;
    dump_append(d, iso_recording_encode_head(&header, &chain, d->bytes, d->capacity), &ok);
    const iso_recording_index_entry entry = {.tick = keyframe->tick, .offset = d->size};
    keyframe->ticks_offset = d->size;
    dump_append(d, iso_recording_encode_keyframe(keyframe, stored, &chain, d->bytes + d->size, d->capacity - d->size),
                &ok);
    dump_append(d, iso_recording_encode_event(&event, &chain, d->bytes + d->size, d->capacity - d->size), &ok);
    const iso_recording_footer footer = {.last_tick = keyframe->tick, .entries = &entry, .entry_count = 1};
    dump_append(d, iso_recording_encode_end(&footer, d->size, &chain, d->bytes + d->size, d->capacity - d->size), &ok);
    return ok;
}

/// @return NULL, or what went wrong.
static const char *dump_write(const dump *d, const char *path) {
    char part[4096];
    if ((size_t)snprintf(part, sizeof(part), "%s.part", path) >= sizeof(part)) {
        return strerror(ENAMETOOLONG);
    }
    if (access(path, F_OK) == 0) {
        return strerror(EEXIST);
    }
    FILE *out = fopen(part, "wb");
    if (out == NULL) {
        return strerror(errno);
    }
    bool ok = fwrite(d->bytes, 1, d->size, out) == d->size && fflush(out) == 0 && fsync(fileno(out)) == 0;
    int error = errno;
    if (fclose(out) != 0 && ok) {
        ok = false;
        error = errno;
    }
    if (ok && rename(part, path) == 0) {
        return NULL;
    }
    error = ok ? errno : error;
    remove(part);
    return strerror(error);
}

void iso__cli_dump_state(iso__cli_app *app, const iso__cli_peer *peer) {
    const char *path = app->options.dump_state;
    const iso_world *world = iso_client_world(peer->client);
    if (path == NULL || app->has_dumped || world == NULL) {
        return;
    }
    app->has_dumped = true;
    const size_t raw_size = iso_snapshot_size(world);
    const size_t bound = iso_compress_bound(raw_size);
    dump d = {.capacity = iso_recording_head_bound(0) + iso_recording_keyframe_bound(bound) +
                          ISO_RECORDING_EVENT_FRAME_MAX + iso_recording_end_bound(1)};
    uint8_t *raw = malloc(raw_size);
    uint8_t *stored = malloc(bound);
    d.bytes = malloc(d.capacity);
    const char *fault = strerror(ENOMEM);
    if (raw != NULL && stored != NULL && d.bytes != NULL) {
        const size_t written = iso_snapshot_encode(world, raw, raw_size);
        iso_recording_keyframe keyframe = {
            .tick = iso_world_get_tick(world),
            .root = iso_client_root(peer->client),
            .raw_size = (uint32_t)written,
            .stored_size = (uint32_t)iso_compress(raw, written, stored, bound),
        };
        fault = dump_encode(&d, app, peer, world, stored, &keyframe) ? dump_write(&d, path)
                                                                     : "it is beyond the format's bounds";
    }
    if (fault == NULL) {
        iso__cli_say(
            app, "the own state after tick %llu is in %s; isostep-replay compare RECORDING %s shows where it differs",
            (unsigned long long)iso_world_get_tick(world), path, path);
    } else {
        iso__cli_say(app, "the own state could not be written to %s: %s", path, fault);
    }
    free(raw);
    free(stored);
    free(d.bytes);
}
