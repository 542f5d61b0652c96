/// From a recording to the state in which its session ended.
#include "host/start/recovery.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/watch/log.h"
#include "isostep/assert.h"
#include "isostep/proto/environment.h"

static bool fail(const iso__recovery *recovery, const char *what) {
    iso__log_session(ERROR, recovery->recording.header.session, "it cannot be continued from %s: %s", recovery->path,
                     what);
    return false;
}

void iso__recovery_advise(const iso__recovery *recovery) {
    ISO_ASSERT(recovery->is_found);
    const iso_recording_header *header = &recovery->recording.header;
    iso__log_session(
        ERROR, header->session,
        "not started, and %s is unchanged; it was recorded by '%s'. --recover keyframe continues from its last "
        "keyframe if that can be read, --recover anew begins a new session and leaves the file as it is",
        recovery->path, header->build);
}

static const iso_game *find_game(const iso__setup_request *request, const char *name) {
    for (size_t i = 0; i < request->game_count; ++i) {
        if (strcmp(request->games[i]->name, name) == 0) {
            return request->games[i];
        }
    }
    return NULL;
}

/// Whether this build can read the recording's states and, if ticks have to be stepped, computes the same results.
static bool fits_this_build(const iso__recovery *recovery, const iso_game *game) {
    const iso_recording_header *header = &recovery->recording.header;
    const iso_fingerprint *theirs = &header->fingerprint;
    iso_fingerprint own;
    char what[400];
    const char *field = NULL;
    if (header->def.game[0] != '\0' && game == NULL) {
        snprintf(what, sizeof what, "this server does not have its game '%s'; start '%s', which has it",
                 header->def.game, header->build);
        return fail(recovery, what);
    }
    iso_fingerprint_make(&header->def, game, &own);
    // What else is in a state changes with the simulation's version.
    if (own.schema != theirs->schema && game != NULL && own.simulation_version == theirs->simulation_version) {
        snprintf(
            what, sizeof what,
            "the fields of the state of its game '%s' are others here (schema %016" PRIx64
            ", its states have %016" PRIx64
            "), so they cannot be read: the game has changed since '%s' recorded it; start the program with the game "
            "as of then",
            header->def.game, own.schema, theirs->schema, header->build);
        return fail(recovery, what);
    }
    if (own.schema != theirs->schema) {
        snprintf(
            what, sizeof what,
            "its states have another schema, which '%s' can read; start that, or one with its simulation version %u",
            header->build, theirs->simulation_version);
        return fail(recovery, what);
    }
    if (iso_world_def_check(&header->def, &field) != ISO_OK) {
        snprintf(what, sizeof what, "its world definition is out of this server's range: %s",
                 field != NULL ? field : "a parameter");
        return fail(recovery, what);
    }
    if (recovery->way == ISO__RECOVERY_FROM_KEYFRAME || iso_fingerprint_equal(&own, theirs)) {
        return true;
    }
    if (own.simulation_version == theirs->simulation_version && own.game_version == theirs->game_version &&
        own.game_params != theirs->game_params) {
        snprintf(what, sizeof what,
                 "the parameters of its game '%s' are others here: the game has changed since '%s' recorded it, "
                 "without a new version; start the program with the game as of then",
                 header->def.game, header->build);
        return fail(recovery, what);
    }
    snprintf(
        what, sizeof what,
        "'%s' computes differently: its simulation version is %u and its game's %u, here they are %u and %u; start "
        "that, or one with its versions",
        header->build, theirs->simulation_version, theirs->game_version, own.simulation_version, own.game_version);
    return fail(recovery, what);
}

/// The last keyframe with enough ticks after it; else the last one.
static iso_recording_keyframe find_keyframe(const iso__recovery *recovery) {
    const iso_recording *recording = &recovery->recording;
    const uint64_t first = recording->header.first_tick, last = recording->last_tick;
    const uint64_t behind = recovery->way == ISO__RECOVERY_FROM_KEYFRAME ? 0 : ISO__RECOVERY_TICKS;
    iso_recording_keyframe keyframe;
    iso_recording_find_keyframe(recording, last > first + behind ? last - behind : first, &keyframe);
    return keyframe;
}

/// Versions, schema and arithmetic are the same, and yet the states are others.
static bool fail_desync(const iso__recovery *recovery, uint64_t tick) {
    const iso_recording_header *header = &recovery->recording.header;
    char what[400];
    if (header->def.game[0] != '\0') {
        snprintf(
            what, sizeof what,
            "the state after tick %" PRIu64
            " is another one than was recorded, although all versions are the same; probably the rules of the game "
            "'%s' changed without a new version of it: start '%s'",
            tick, header->def.game, header->build);
    } else {
        snprintf(what, sizeof what,
                 "the state after tick %" PRIu64
                 " is another one than was recorded, although all versions are the same: start '%s'",
                 tick, header->build);
    }
    return fail(recovery, what);
}

static bool load_world(const iso__recovery *recovery, iso_world *world, bool computes_the_same) {
    iso_recording_keyframe keyframe = find_keyframe(recovery);
    uint8_t *bytes = malloc(keyframe.raw_size);
    iso_status status =
        bytes != NULL ? iso_recording_load_keyframe(&recovery->recording, &keyframe, bytes) : ISO_ERR_MEMORY;
    if (status == ISO_OK) {
        status = iso_snapshot_decode(world, bytes, keyframe.raw_size);
    }
    free(bytes);
    // Another version may also hash differently; the snapshot has its own checksum.
    if (status == ISO_OK &&
        (iso_world_get_tick(world) != keyframe.tick || (computes_the_same && iso_world_root(world) != keyframe.root))) {
        status = ISO_ERR_DESYNC;
    }
    if (status == ISO_ERR_DESYNC) {
        return fail_desync(recovery, keyframe.tick);
    }
    return status == ISO_OK || fail(recovery, iso_status_text(status));
}

/// The recording's world needs no scene; one that this build cannot read has no names.
static bool read_names(iso__setup *setup, const iso__setup_request *request) {
    iso_scene *scene = NULL;
    iso_status status = iso_scene_parse(setup->scene_text, setup->scene_size, request->games,
                                        (uint32_t)request->game_count, &scene, NULL);
    if (status == ISO_OK) {
        status = iso__names_init(&setup->names, scene);
    }
    iso_scene_free(scene);
    return status != ISO_ERR_MEMORY;
}

bool iso__recovery_make_world(const iso__recovery *recovery, iso__setup *setup, const iso__setup_request *request) {
    ISO_ASSERT(recovery->is_found && setup->world == NULL);
    const iso_recording_header *header = &recovery->recording.header;
    const iso_game *game = find_game(request, header->def.game);
    if (!fits_this_build(recovery, game)) {
        return false;
    }
    char why[64];
    iso_allocator allocator = iso__memory_world_allocator(request->memory);
    setup->scene_hash = header->scene_hash;
    setup->scene_size = header->scene_size;
    memcpy(setup->scene_name, header->scene_name, sizeof setup->scene_name);
    setup->scene_text = malloc(header->scene_size + 1u);
    setup->world_size = iso_world_size(&header->def, game);
    setup->world_memory = allocator.allocate(allocator.user, setup->world_size, 64);
    if (setup->scene_text == NULL || setup->world_memory == NULL) {
        return fail(recovery, iso__memory_why(request->memory, why, sizeof why));
    }
    memcpy(setup->scene_text, header->scene, header->scene_size);
    if (!read_names(setup, request)) {
        return fail(recovery, iso__memory_why(request->memory, why, sizeof why));
    }
    iso_status status = iso_world_create(&header->def, game, setup->world_memory, setup->world_size, &setup->world);
    if (status == ISO_OK) {
        status = iso_world_set_simd(setup->world, iso_environment_simd());
    }
    iso_fingerprint own;
    iso_fingerprint_make(&header->def, game, &own);
    return status == ISO_OK ? load_world(recovery, setup->world, iso_fingerprint_equal(&own, &header->fingerprint))
                            : fail(recovery, iso_status_text(status));
}

static iso_status replay_tick(const iso_recording_frame *frame, iso_recording_tick_buffer *buffer, iso_session *session,
                              uint64_t after) {
    iso_recording_tick tick;
    iso_status status = iso_recording_read_tick(frame, buffer, &tick);
    if (status != ISO_OK || tick.input.tick <= after) {
        return status;
    }
    bool has_own_root = tick.has_root && tick.hashed_tick == tick.input.tick;
    return iso_session_replay(session, &tick.input, has_own_root ? &tick.root : NULL);
}

/// Gives the session the ticks after its world's.
static iso_status replay_ticks(const iso__recovery *recovery, iso_session *session) {
    if (recovery->way == ISO__RECOVERY_FROM_KEYFRAME) {
        return ISO_OK;
    }
    iso_recording_tick_buffer *buffer = malloc(sizeof *buffer);
    if (buffer == NULL) {
        return ISO_ERR_MEMORY;
    }
    const uint64_t after = iso_world_get_tick(iso_session_get_world(session));
    uint64_t offset = find_keyframe(recovery).ticks_offset;
    iso_status status = ISO_OK;
    iso_recording_frame frame;
    while (status == ISO_OK && iso_recording_next(&recovery->recording, &offset, &frame)) {
        if (frame.type == ISO_RECORDING_TICK) {
            status = replay_tick(&frame, buffer, session, after);
        }
    }
    free(buffer);
    return status;
}

/// Applies an event about a member of the state that the session continues from, whenever it happened. A file begins
/// with the last event of each member, which may be of a later tick than its keyframe, and by then the slot may have
/// belonged to another member.
static void hear_of_member(iso__recovery *recovery, iso_session *session, const iso_recording_event *event) {
    iso_slot_view view;
    bool is_there = iso_world_get_slot(iso_session_get_world(session), event->slot, &view) && view.is_occupied;
    if (!is_there || view.generation != event->slot_generation || event->kind == ISO_RECORDING_EVENT_LEFT) {
        return;
    }
    iso__roster_hear(&recovery->roster, event);
    iso_session_replay_event(session, event);
}

/// From the file's beginning: a member may have joined long before the keyframe.
static void replay_events(iso__recovery *recovery, iso_session *session) {
    for (uint32_t slot = 0; slot < ISO_SLOT_COUNT_MAX; ++slot) {
        if (recovery->before.is_there[slot]) {
            hear_of_member(recovery, session, &recovery->before.events[slot]);
        }
    }
    uint64_t offset = recovery->recording.frames_offset;
    iso_recording_frame frame;
    while (iso_recording_next(&recovery->recording, &offset, &frame)) {
        iso_recording_event event;
        if (frame.type == ISO_RECORDING_EVENT && iso_recording_read_event(&frame, &event) == ISO_OK) {
            hear_of_member(recovery, session, &event);
        }
    }
}

bool iso__recovery_replay(iso__recovery *recovery, iso_session *session) {
    ISO_ASSERT(recovery->is_found);
    recovery->continued_tick = find_keyframe(recovery).tick;
    recovery->roster = (iso__roster){0};
    iso_status status = replay_ticks(recovery, session);
    if (status == ISO_ERR_DESYNC) {
        return fail_desync(recovery, iso_world_get_tick(iso_session_get_world(session)));
    }
    if (status != ISO_OK) {
        return fail(recovery, iso_status_text(status));
    }
    replay_events(recovery, session);
    return true;
}

void iso__recovery_report(const iso__recovery *recovery) {
    ISO_ASSERT(!recovery->is_found || recovery->bytes == NULL); // they were released
    const iso_recording *recording = &recovery->recording;
    if (!recovery->is_found) {
        return;
    }
    if (recovery->way == ISO__RECOVERY_FROM_KEYFRAME) {
        iso__log_session(WARNING, recording->header.session,
                         "continued from the keyframe of tick %" PRIu64 ", in epoch %u; the %" PRIu64
                         " ticks after it, up to tick %" PRIu64 ", stay in the old recording",
                         recovery->continued_tick, recovery->next_epoch,
                         recording->last_tick - recovery->continued_tick, recording->last_tick);
    } else {
        iso__log_session(INFO, recording->header.session,
                         "continued from its recording at tick %" PRIu64 ", in epoch %u, with its scene '%s'",
                         recording->last_tick, recovery->next_epoch, recording->header.scene_name);
    }
}
