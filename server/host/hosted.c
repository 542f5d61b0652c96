/// From an option to a session that can run.
#include "host/hosted.h"

#include <string.h>
#include <sys/random.h>

#include "host/log.h"
#include "host/worker.h"
#include "isostep/proto/scene.h"

static bool prepare_recording(iso__hosted *hosted, const iso_session_config *session, const iso__hosted_config *config)
{
    const iso__setup *setup = &hosted->setup;
    const iso_world_def *def = iso_world_get_def(setup->world);
    iso__recording_config recording = {
        .header =
            {
                .build = "isostep-server " ISO__VERSION,
                .epoch = 1,
                .first_tick = iso_world_get_tick(setup->world),
                .def = *def,
                .scene = setup->scene_text,
                .scene_size = (uint32_t)setup->scene_size,
            },
        .state_size_max = iso_world_image_size_max(setup->world),
        .roll_size = config->roll_size,
        .memory = &hosted->memory,
        .wake = iso__worker_hear_recording,
        .wake_user = hosted,
    };
    memcpy(recording.header.session, hosted->name, sizeof hosted->name);
    memcpy(recording.header.scene_name, setup->scene_name, sizeof setup->scene_name);
    memcpy(recording.header.uid, session->uid, sizeof recording.header.uid);
    iso_fingerprint_make(def, iso_world_get_game(setup->world), &recording.header.fingerprint);
    iso_status status = iso__recording_init(&hosted->recording, config->writer, &recording);
    hosted->is_recorded = status == ISO_OK;
    if (status == ISO_ERR_MEMORY)
        iso__log("isostep-server: session %s: --memory: the recording needs more than is left of %zu MiB", hosted->name, hosted->memory.limit >> 20);
    else if (status != ISO_OK)
        iso__log("isostep-server: session %s: the recording cannot be made: %s", hosted->name, iso_status_text(status));
    return hosted->is_recorded;
}

static iso_session_config make_session_config(const iso__hosted *hosted, const iso__hosted_config *config)
{
    const iso__options *options = config->options;
    iso_session_config session = iso_session_config_default();
    memcpy(session.name, hosted->name, sizeof session.name);
    session.scene_hash = hosted->setup.scene_hash;
    session.recording = config->writer != NULL;
    // Who has no place in the session waits in the lobby, so a session needs few places beyond its members'.
    session.connection_capacity = iso_world_get_def(hosted->setup.world)->slot_capacity + options->spectators + ISO__HOSTED_JOINERS_MAX;
    session.spectator_capacity = options->spectators;
    session.commands_per_tick = options->commands_per_tick;
    session.bytes_per_second = options->input_bytes;
    session.silence_timeout_ms = options->silence_seconds * 1000;
    return session;
}

bool iso__hosted_init(iso__hosted *hosted, const iso__session_spec *spec, const iso__hosted_config *config)
{
    const iso__options *options = config->options;
    *hosted = (iso__hosted){.memory.limit = (size_t)options->memory_mib << 20};
    memcpy(hosted->name, spec->name, sizeof spec->name);
    return iso__setup_world(&hosted->setup, &(iso__setup_request){
                                                .session = hosted->name,
                                                .scene = spec->scene,
                                                .tick_rate_hz = (uint16_t)options->tick_rate_hz,
                                                .has_seed = options->has_seed,
                                                .seed = options->seed,
                                                .games = config->games,
                                                .game_count = config->game_count,
                                                .memory = &hosted->memory,
                                            });
}

bool iso__hosted_start(iso__hosted *hosted, uint64_t now, const iso__hosted_config *config)
{
    iso_session_config session = make_session_config(hosted, config);
    if (getrandom(session.uid, sizeof session.uid, 0) != (ssize_t)sizeof session.uid) {
        iso__log("isostep-server: the system has no random bytes");
        return false;
    }
    if (config->writer != NULL && !prepare_recording(hosted, &session, config))
        return false;
    iso_allocator allocator = iso__memory_allocator(&hosted->memory);
    iso_status status = iso_session_create(&session, &allocator, hosted->setup.world, now, &hosted->session);
    if (status == ISO_ERR_MEMORY)
        iso__log("isostep-server: session %s: --memory: the session needs more than is left of %zu MiB", hosted->name, hosted->memory.limit >> 20);
    else if (status != ISO_OK)
        iso__log("isostep-server: session %s: it cannot be made: %s", hosted->name, iso_status_text(status));
    return status == ISO_OK;
}

void iso__hosted_term(iso__hosted *hosted)
{
    if (hosted->is_recorded)
        iso__recording_term(&hosted->recording);
    if (hosted->session != NULL)
        iso_session_destroy(hosted->session);
    iso__setup_term(&hosted->setup, &hosted->memory);
}
