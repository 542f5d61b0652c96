/// From a recording to the state that its session ended in.
#include "host/recovery.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/log.h"

static bool fail(const iso__recovery *recovery, const char *what)
{
    iso__log("isostep-server: session %s: its recording cannot be gone on from: %s", recovery->recording.header.session, what);
    return false;
}

static const iso_game *find_game(const iso__setup_request *request, const char *name)
{
    for (size_t i = 0; i < request->game_count; i++) {
        if (strcmp(request->games[i]->name, name) == 0)
            return request->games[i];
    }
    return iso_game_find(name);
}

static bool fits_this_build(const iso__recovery *recovery, const iso_game *game)
{
    const iso_recording_header *header = &recovery->recording.header;
    iso_fingerprint own;
    const char *field = NULL;
    if (iso_world_def_check(&header->def, &field) != ISO_OK)
        return fail(recovery, "its world definition is out of range");
    if (header->def.game[0] != '\0' && game == NULL)
        return fail(recovery, "this build does not have its game");
    iso_fingerprint_make(&header->def, game, &own);
    return iso_fingerprint_equal(&own, &header->fingerprint) || fail(recovery, "it is of a build that computes differently");
}

/// The last keyframe with enough ticks behind it.
static iso_recording_keyframe find_keyframe(const iso_recording *recording)
{
    uint64_t first = recording->header.first_tick, last = recording->last_tick;
    iso_recording_keyframe keyframe;
    iso_recording_find_keyframe(recording, last > first + ISO__RECOVERY_TICKS ? last - ISO__RECOVERY_TICKS : first, &keyframe);
    return keyframe;
}

static bool load_world(const iso__recovery *recovery, iso_world *world)
{
    iso_recording_keyframe keyframe = find_keyframe(&recovery->recording);
    uint8_t *bytes = malloc(keyframe.raw_size);
    iso_status status = bytes != NULL ? iso_recording_load_keyframe(&recovery->recording, &keyframe, bytes) : ISO_ERR_MEMORY;
    if (status == ISO_OK)
        status = iso_snapshot_decode(world, bytes, keyframe.raw_size);
    free(bytes);
    if (status == ISO_OK && (iso_world_get_tick(world) != keyframe.tick || iso_world_root(world) != keyframe.root))
        status = ISO_ERR_CORRUPT;
    return status == ISO_OK || fail(recovery, iso_status_text(status));
}

bool iso__recovery_make_world(const iso__recovery *recovery, iso__setup *setup, const iso__setup_request *request)
{
    const iso_recording_header *header = &recovery->recording.header;
    const iso_game *game = find_game(request, header->def.game);
    if (!fits_this_build(recovery, game))
        return false;
    iso_allocator allocator = iso__memory_allocator(request->memory);
    setup->scene_hash = header->scene_hash;
    setup->scene_size = header->scene_size;
    memcpy(setup->scene_name, header->scene_name, sizeof setup->scene_name);
    setup->scene_text = malloc(header->scene_size + 1u);
    setup->world_size = iso_world_size(&header->def, game);
    setup->world_memory = allocator.allocate(allocator.user, setup->world_size, 64);
    if (setup->scene_text == NULL || setup->world_memory == NULL)
        return fail(recovery, "its world needs more than --memory allows");
    memcpy(setup->scene_text, header->scene, header->scene_size);
    iso_status status = iso_world_create(&header->def, game, setup->world_memory, setup->world_size, &setup->world);
    return status == ISO_OK ? load_world(recovery, setup->world) : fail(recovery, iso_status_text(status));
}

static iso_status replay_tick(const iso_recording_frame *frame, iso_recording_tick_buffer *buffer, iso_session *session, uint64_t after)
{
    iso_recording_tick tick;
    iso_status status = iso_recording_read_tick(frame, buffer, &tick);
    if (status != ISO_OK || tick.input.tick <= after)
        return status;
    bool has_own_root = tick.has_root && tick.hashed_tick == tick.input.tick;
    return iso_session_replay(session, &tick.input, has_own_root ? &tick.root : NULL);
}

bool iso__recovery_replay(iso__recovery *recovery, iso_session *session)
{
    const iso_recording *recording = &recovery->recording;
    uint64_t after = iso_world_get_tick(iso_session_get_world(session)), offset = recording->frames_offset;
    uint64_t ticks_offset = find_keyframe(recording).ticks_offset;
    iso_recording_tick_buffer *buffer = malloc(sizeof *buffer);
    iso_status status = buffer != NULL ? ISO_OK : ISO_ERR_MEMORY;
    iso_recording_frame frame;
    // Events from the beginning: who is there may have come long before the keyframe.
    while (status == ISO_OK && iso_recording_next(recording, &offset, &frame)) {
        iso_recording_event event;
        if (frame.type == ISO_RECORDING_TICK && frame.offset >= ticks_offset) {
            status = replay_tick(&frame, buffer, session, after);
        } else if (frame.type == ISO_RECORDING_EVENT && iso_recording_read_event(&frame, &event) == ISO_OK) {
            iso__roster_hear(&recovery->roster, &event);
            iso_session_replay_event(session, &event);
        }
    }
    free(buffer);
    if (status != ISO_OK)
        return fail(recovery, iso_status_text(status));
    iso__log("isostep-server: info: session %s: goes on from its recording at tick %" PRIu64 ", in epoch %u", recording->header.session,
             recording->last_tick, recovery->next_epoch);
    return true;
}
