/// From an option to a session that can run.
#include "host/sessions/hosted.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/affinity.h"
#include "host/recordings/recording_hand_in.h"
#include "host/sessions/settings_find.h"
#include "host/sessions/worker_inbox.h"
#include "host/start/exit.h"
#include "host/start/ignored.h"
#include "host/start/recovery_changes.h"
#include "host/start/recovery_files.h"
#include "host/start/recovery_resume.h"
#include "host/watch/log.h"
#include "isostep/proto/environment.h"
#include "isostep/proto/scene.h"

static bool report_memory(const iso__hosted *hosted, const char *what) {
    char why[64];
    iso__log_session(ERROR, hosted->name, "%s needs more memory than is left: %s", what,
                     iso__memory_why(&hosted->memory, why, sizeof why));
    return false;
}

static bool report_status(const iso__hosted *hosted, const char *what, iso_status status) {
    if (status == ISO_ERR_MEMORY) {
        return report_memory(hosted, what);
    }
    if (status != ISO_OK) {
        iso__log_session(ERROR, hosted->name, "%s cannot be created: %s", what, iso_status_text(status));
    }
    return status == ISO_OK;
}

static bool prepare_recording(iso__hosted *hosted, const iso_session_config *session,
                              const iso__hosted_config *config) {
    const iso__setup *setup = &hosted->setup;
    const iso_world_def *def = iso_world_get_def(setup->world);
    iso__recording_config recording = {
        .header =
            {
                .epoch = session->epoch,
                .run = session->run,
                .first_tick = iso_world_get_tick(setup->world),
                .def = *def,
                .scene = setup->scene_text,
                .scene_size = (uint32_t)setup->scene_size,
            },
        .state_size_max = iso_world_image_size_max(setup->world),
        .roll_size = config->roll_size,
        .roster = hosted->recovery.roster,
        .memory = &hosted->memory,
        .joins = config->is_running,
        .has_mark = hosted->is_created,
        .settings = &hosted->settings,
        .owner = &hosted->affinity,
        .wake = iso__worker_hear_recording,
        .left = iso__worker_hear_retired,
        .wake_user = hosted,
    };
    char program[ISO_PROGRAM_NAME_SIZE];
    iso_version_build(iso_environment_program("isostep-server", program), recording.header.build,
                      sizeof recording.header.build);
    memcpy(recording.header.session, hosted->name, sizeof hosted->name);
    memcpy(recording.header.scene_name, setup->scene_name, sizeof setup->scene_name);
    memcpy(recording.header.uid, session->uid, sizeof recording.header.uid);
    memcpy(recording.part_name, hosted->recovery.part_name, sizeof recording.part_name);
    memcpy(recording.final_name, hosted->recovery.final_name, sizeof recording.final_name);
    iso_fingerprint_make(def, iso_world_get_game(setup->world), &recording.header.fingerprint);
    iso_status status = iso__recording_init(&hosted->recording, config->writer, &recording);
    hosted->is_recorded = status == ISO_OK;
    return report_status(hosted, "the recording", status);
}

/// @return false after a message
static bool get_random(void *bytes, size_t size) {
    if (getrandom(bytes, size, 0) == (ssize_t)size) {
        return true;
    }
    iso__log_error("the system provides no random bytes");
    return false;
}

/// What the options and the session's settings say, and what a session's memory follows from.
static iso_session_config apply_options(const iso__hosted_config *config, const iso__session_settings *settings,
                                        const iso_world_def *def) {
    const iso__options *options = config->options;
    iso_session_config session = iso_session_config_default();
    const uint32_t spectators = iso__settings_spectators(settings, options->spectators);
    session.is_recording = config->writer != NULL;
    // A client without a place in the session waits in the lobby, so a session needs few places beyond its members'.
    session.connection_capacity = def->slot_capacity + spectators + ISO__HOSTED_JOINERS_MAX;
    session.keyframe_interval = options->keyframe_interval;
    session.spectator_capacity = spectators;
    session.player_max = settings->slots;
    session.commands_per_tick = options->commands_per_tick;
    session.bytes_per_second = options->input_bytes;
    session.silence_timeout_ms = options->silence_seconds * 1000;
    session.client_silence_ms = options->client_silence_ms;
    session.late_policy = (uint8_t)options->late_policy;
    session.empty_policy = (uint8_t)options->empty_policy;
    session.desync_policy = (uint8_t)options->desync_policy;
    session.hold_ms = options->hold_seconds * 1000;
    return session;
}

/// @return false when the system provides no random bytes
static bool make_session_config(const iso__hosted *hosted, const iso__hosted_config *config,
                                iso_session_config *session) {
    *session = apply_options(config, &hosted->settings, iso_world_get_def(hosted->setup.world));
    memcpy(session->name, hosted->name, sizeof session->name);
    session->scene_hash = hosted->setup.scene_hash;
    session->names = iso__names_get(&hosted->setup.names);
    session->memory_max = hosted->memory.limit;
    session->secret = iso__key_make_secret;
    session->secret_user = config->key;
    if (!get_random(&session->run, sizeof session->run)) {
        return false;
    }
    session->run = session->run % ISO_SESSION_RUN_MAX + 1;
    if (!hosted->recovery.is_found) {
        return get_random(session->uid, sizeof session->uid);
    }
    const iso_recording_header *before = &hosted->recovery.recording.header;
    memcpy(session->uid, before->uid, sizeof session->uid);
    session->epoch = hosted->recovery.next_epoch;
    session->run_before = before->run;
    return true;
}

/// What the memory of a session follows from, besides its scene.
typedef struct measured {
    const iso__hosted_config *config;
    const iso__session_settings *settings;
} measured;

static uint64_t measure_one(const measured *one, const iso_world_def *def, const iso_game *game, size_t scene_size) {
    const iso__hosted_config *config = one->config;
    const iso_session_config session = apply_options(config, one->settings, def);
    const uint64_t size = iso_session_memory(&session, def, game), world = iso_world_size(def, game);
    if (config->writer == NULL || size == 0 || world > SIZE_MAX / 8) {
        return size;
    }
    // A recording's buffers are there from the beginning, when no image is taken yet. An image is no larger than its
    // world.
    const uint64_t begun =
        size - iso_session_image_memory(def, game) + iso__recording_memory(scene_size, (size_t)world);
    return begun > size ? begun : size;
}

uint64_t iso__hosted_measure(const iso_world_def *def, const iso_game *game, size_t scene_size,
                             const iso__hosted_config *config) {
    return measure_one(&(measured){config, &(iso__session_settings){0}}, def, game, scene_size);
}

/// A setup's view of the above.
static uint64_t measure(void *user, const iso_world_def *def, const iso_game *game, size_t scene_size) {
    return measure_one(user, def, game, scene_size);
}

/// @param user  stays for as long as the request
static iso__setup_request make_request(iso__hosted *hosted, const iso__session_spec *spec,
                                       const iso__hosted_config *config, measured *user) {
    *user = (measured){config, &hosted->settings};
    return (iso__setup_request){
        .session = hosted->name,
        .scene = spec->scene,
        .document = spec->document,
        .document_size = spec->document_size,
        .tick_rate_hz = (uint16_t)config->options->tick_rate_hz,
        .has_seed = config->options->has_seed,
        .seed = config->options->seed,
        .games = config->games,
        .game_count = config->game_count,
        .memory = &hosted->memory,
        .measure = measure,
        .measure_user = user,
    };
}

static bool find_recovery(iso__hosted *hosted, const iso__session_spec *spec, const iso__hosted_config *config) {
    const iso__disk *disk = config->writer != NULL ? config->disk : NULL;
    bool begins_anew = config->options->recover_policy == ISO__RECOVER_ANEW;
    if (spec->resume == NULL) {
        memcpy(hosted->name, spec->name, sizeof spec->name);
        bool is_searched = disk == NULL || iso__recovery_find(&hosted->recovery, disk, hosted->name, begins_anew);
        // Whether a signal has sealed the recording, and not a disk error.
        bool was_ended = is_searched && hosted->recovery.is_found && hosted->recovery.recording.is_sealed &&
                         hosted->recovery.recording.goes_on;
        if (!was_ended || config->options->begins_new == 0 || hosted->recovery.part_name[0] != '\0') {
            return is_searched;
        }
        iso__recovery_release(&hosted->recovery);
        return iso__recovery_ignore(&hosted->recovery);
    }
    if (!iso__recovery_open(&hosted->recovery, disk, spec->resume, spec->goes_back, begins_anew)) {
        return false;
    }
    memcpy(hosted->name, hosted->recovery.recording.header.session, sizeof hosted->name);
    return true;
}

static bool slots_are_there(const iso__hosted *hosted) {
    const uint32_t slots = iso_world_get_def(hosted->setup.world)->slot_capacity;
    if (hosted->settings.slots > slots) {
        iso__log_session(ERROR, hosted->name, "/slots: %u, expected an integer from 1 to %u, the slots of the scene",
                         hosted->settings.slots, slots);
    }
    return hosted->settings.slots <= slots;
}

static bool make_session(iso__hosted *hosted, const iso__hosted_config *config, iso_session_config *session) {
    if (!slots_are_there(hosted) || !make_session_config(hosted, config, session)) {
        return false;
    }
    iso_allocator allocator = iso__memory_allocator(&hosted->memory);
    const iso_world *world = hosted->setup.world;
    const uint64_t needed = iso_session_memory(session, iso_world_get_def(world), iso_world_get_game(world));
    iso_status status = iso_session_create(session, &allocator, hosted->setup.world, config->now, &hosted->session);
    memcpy(hosted->uid, session->uid, sizeof hosted->uid);
    hosted->epoch = session->epoch;
    hosted->dimensions = iso_world_get_def(world)->dimensions;
    if (status == ISO_ERR_MEMORY && needed > hosted->memory.limit) {
        iso__setup_report_need(hosted->name, needed, &hosted->memory);
        return false;
    }
    return report_status(hosted, "the session", status);
}

/// Frees what was created from a recording.
static void unmake(iso__hosted *hosted) {
    if (hosted->session != NULL) {
        iso_session_destroy(hosted->session);
    }
    hosted->session = NULL;
    iso__setup_term(&hosted->setup, &hosted->memory);
    hosted->setup = (iso__setup){0};
}

/// @param way  from the last tick or from the last keyframe
static bool go_on(iso__hosted *hosted, const iso__session_spec *spec, const iso__hosted_config *config,
                  iso__recovery_way way) {
    measured user;
    iso__setup_request request = make_request(hosted, spec, config, &user);
    iso_session_config session;
    hosted->recovery.way = (uint8_t)way;
    return iso__recovery_make_world(&hosted->recovery, &hosted->setup, &request) &&
           make_session(hosted, config, &session) && iso__recovery_replay(&hosted->recovery, hosted->session) &&
           (config->writer == NULL || prepare_recording(hosted, &session, config));
}

/// Continues from the recording that was found, as the options allow. @return an exit code
static int recover(iso__hosted *hosted, const iso__session_spec *spec, const iso__hosted_config *config) {
    const uint32_t policy = config->options->recover_policy;
    bool goes_on = go_on(hosted, spec, config, ISO__RECOVERY_FROM_TICK);
    if (!goes_on) {
        unmake(hosted);
    }
    if (!goes_on && policy == ISO__RECOVER_KEYFRAME) {
        goes_on = go_on(hosted, spec, config, ISO__RECOVERY_FROM_KEYFRAME);
        if (!goes_on) {
            unmake(hosted);
        }
    }
    iso__recovery_release(&hosted->recovery);
    if (goes_on) {
        measured user;
        const iso__setup_request request = make_request(hosted, spec, config, &user);
        iso__ignored_warn(&hosted->recovery.recording.header, spec, &request);
        return ISO__EXIT_DONE;
    }
    if (policy == ISO__RECOVER_ANEW && spec->resume == NULL) {
        return iso__recovery_ignore(&hosted->recovery) ? ISO__EXIT_DONE : ISO__EXIT_RECORDING;
    }
    iso__recovery_advise(&hosted->recovery);
    return ISO__EXIT_RECORDING;
}

/// A name with a hyphen in front would be an option to whoever works with its recordings. What has such a name goes on.
static bool may_be_new(const char *name) {
    if (name[0] == '-') {
        iso__log_session(ERROR, name, "the name of a new session begins with a letter or a digit");
    }
    return name[0] != '-';
}

/// Creates a new session from a scene. @return an exit code
static int begin(iso__hosted *hosted, const iso__session_spec *spec, const iso__hosted_config *config) {
    measured user;
    iso__setup_request request = make_request(hosted, spec, config, &user);
    iso_session_config session;
    if (!may_be_new(hosted->name)) {
        return ISO__EXIT_USAGE;
    }
    bool is_made = iso__setup_world(&hosted->setup, &request) && make_session(hosted, config, &session) &&
                   (config->writer == NULL || prepare_recording(hosted, &session, config));
    if (is_made) {
        return ISO__EXIT_DONE;
    }
    if (atomic_load(&hosted->memory.system_refused)) {
        return ISO__EXIT_TROUBLE;
    }
    return hosted->setup.scene_is_bad ? ISO__EXIT_SCENE : ISO__EXIT_USAGE;
}

static void prepare(iso__hosted *hosted, const iso__session_spec *spec, const iso__hosted_config *config) {
    *hosted = (iso__hosted){.worker = hosted->worker,
                            .place = hosted->place,
                            .memory.limit = (size_t)config->options->memory_mib << 20,
                            .events = config->events,
                            .tells_contacts = config->options->tells_contacts,
                            .is_created = spec->is_created};
    if (spec->settings != NULL) {
        hosted->settings = *spec->settings;
    }
    // Nothing of it is on the disk, so its events are not either.
    if (hosted->settings.is_unrecorded) {
        hosted->events = NULL;
    }
    pthread_mutex_init(&hosted->info_mutex, NULL);
    hosted->is_strict = config->options->late_policy == ISO_LATE_STRICT;
}

int iso__hosted_begin(iso__hosted *hosted, const iso__session_spec *spec, const iso__hosted_config *config) {
    ISO__ASSERT_ON(&hosted->affinity);
    prepare(hosted, spec, config);
    memcpy(hosted->name, spec->name, sizeof spec->name);
    return begin(hosted, spec, config);
}

int iso__hosted_init(iso__hosted *hosted, const iso__session_spec *spec, const iso__hosted_config *config) {
    ISO__ASSERT_ON(&hosted->affinity);
    prepare(hosted, spec, config);
    if (!find_recovery(hosted, spec, config) || !iso__hosted_find_settings(hosted, spec, config)) {
        return ISO__EXIT_RECORDING;
    }
    if (hosted->recovery.is_found) {
        int code = recover(hosted, spec, config);
        if (code != ISO__EXIT_DONE || hosted->recovery.is_found) {
            return code;
        }
    }
    // It is another one from now on.
    hosted->saves_settings = iso__settings_are_own(&hosted->settings);
    return spec->is_created ? ISO__EXIT_DONE : begin(hosted, spec, config);
}

void iso__hosted_commit(iso__hosted *hosted, const iso__disk *disk) {
    ISO__ASSERT_ON(&hosted->affinity);
    // An unsealed recording must not look sealed.
    if (!iso__recovery_commit(&hosted->recovery, disk)) {
        hosted->recording.config.part_name[0] = '\0';
    }
}

void iso__hosted_start(iso__hosted *hosted, uint64_t now) {
    ISO__ASSERT_ON(&hosted->affinity);
    ISO_ASSERT(!atomic_load(&hosted->closed) && hosted->info_ns == 0);
    iso_session_begin_clock(hosted->session, now);
    hosted->told_tick = iso_world_get_tick(hosted->setup.world);
    iso__recovery_report(&hosted->recovery);
    if (hosted->events != NULL) {
        iso__event_log_begin(hosted->events, hosted->name, hosted->uid, hosted->epoch, hosted->told_tick);
    }
    iso__hosted_publish(hosted, now);
}

/// The world's counters are hashed state and continue from a recording; the server's begin at its start.
static void count(iso__hosted *hosted, const iso_session_stats *stats) {
    iso_world_counts now, *old = &hosted->counts;
    iso_world_get_counts(iso_session_get_world(hosted->session), &now);
    iso__counters *counters = hosted->worker->counters;
    if (hosted->info_ns != 0) {
        iso__counters_add(counters, ISO__COUNTER_CLAMPED,
                          now.clamped_velocities - old->clamped_velocities + now.clamped_impulses -
                              old->clamped_impulses + now.clamped_rows - old->clamped_rows);
        iso__counters_add(counters, ISO__COUNTER_DROPPED_CONTACTS, now.dropped_contacts - old->dropped_contacts);
    }
    *old = now;
    iso__counters_add(counters, ISO__COUNTER_SLIPS, stats->slips - hosted->slips);
    iso__counters_add(counters, ISO__COUNTER_MOVED, stats->commands_moved - hosted->moved);
    hosted->slips = stats->slips;
    hosted->moved = stats->commands_moved;
}

void iso__hosted_publish(iso__hosted *hosted, uint64_t now) {
    ISO__ASSERT_ON(&hosted->affinity);
    iso_session_info info;
    iso_session_get_info(hosted->session, &info);
    iso_session_stats stats;
    iso_session_get_stats(hosted->session, &stats);
    count(hosted, &stats);
    hosted->info_ns = now;
    pthread_mutex_lock(&hosted->info_mutex);
    hosted->info = info;
    hosted->pace = (iso__hosted_pace){stats.ticks_sealed, stats.ticks_late, stats.slips};
    pthread_mutex_unlock(&hosted->info_mutex);
}

void iso__hosted_get_info(iso__hosted *hosted, iso_session_info *info) {
    pthread_mutex_lock(&hosted->info_mutex);
    ISO_ASSERT(hosted->info.name[0] != '\0'); // it was published
    *info = hosted->info;
    pthread_mutex_unlock(&hosted->info_mutex);
}

iso__hosted_pace iso__hosted_get_pace(iso__hosted *hosted) {
    pthread_mutex_lock(&hosted->info_mutex);
    const iso__hosted_pace pace = hosted->pace;
    ISO_ASSERT(pace.ticks_late <= pace.ticks_sealed);
    pthread_mutex_unlock(&hosted->info_mutex);
    return pace;
}

bool iso__hosted_end_is_durable(iso__hosted *hosted) {
    return atomic_load(&hosted->closed) && (!hosted->is_recorded || iso__recording_is_over(&hosted->recording));
}

bool iso__hosted_recording_is_whole(const iso__hosted *hosted) {
    ISO__ASSERT_ON(&hosted->affinity);
    const iso__recording_report *report = &hosted->recording.report;
    return !hosted->is_recorded || (report->is_sealed && !report->is_degraded && report->generation == 0);
}

void iso__hosted_term(iso__hosted *hosted) {
    ISO__ASSERT_ON(&hosted->affinity); // its worker has let it go
    if (hosted->is_recorded) {
        iso__recording_term(&hosted->recording);
    }
    if (hosted->session != NULL) {
        iso_session_destroy(hosted->session);
    }
    iso__recovery_term(&hosted->recovery);
    iso__setup_term(&hosted->setup, &hosted->memory);
    pthread_mutex_destroy(&hosted->info_mutex);
}
