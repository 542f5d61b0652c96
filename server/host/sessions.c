/// The sessions of a server, from their creation to their end.
#include "host/sessions.h"

#include <inttypes.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#include "base/affinity.h"
#include "base/clock.h"
#include "host/ends.h"
#include "host/recordings/recording_hand_in.h"
#include "host/recordings/recording_names.h"
#include "host/sessions/settings_find.h"
#include "host/sessions/worker_inbox.h"
#include "host/start/exit.h"
#include "host/start/recovery_files.h"
#include "host/summary.h"
#include "host/watch/log.h"
#ifdef ISO__HTTP
#include "host/web/create.h"
#endif
#include "isostep/proto/compression.h"

#define SHARED_BODIES_MIN 1000u // of a world whose steps several threads may share
// [bytes] Minimum that zstd takes while it compresses.
#define COMPRESSION_MEMORY (4u << 20)
// Sessions of a worker are due at different moments of a tick, in this many groups, so that their ticks do not all wait
// for one another and one wake-up still serves many.
#define PHASES 4u

// ---- The start --------------------------------------------------------------------------------------

/// The name of a session that continues from a file is read from the file.
static bool name_is_free(const iso__host *host, const iso__hosted *hosted) {
    const bool is_free = iso__directory_find(&host->directory, hosted->name) == NULL;
    if (!is_free) {
        iso__log_error("--resume: there are two sessions named '%s'", hosted->name);
    }
    return is_free;
}

/// Reads and builds everything that takes long. Nothing is changed yet. @return the exit code
static int make_sessions(iso__host *host, const iso__hosted_config *config) {
    for (uint32_t i = 0; i < host->session_count; ++i) {
        int code = iso__hosted_init(&host->sessions[i], &host->options.sessions[i], config);
        if (code != ISO__EXIT_DONE) {
            return code;
        }
        if (!name_is_free(host, &host->sessions[i])) {
            return ISO__EXIT_USAGE;
        }
        iso__directory_add(&host->directory, &host->sessions[i]);
    }
    // The others of the folder, if they are this server's to create.
    return host->is_recorded && host->created.count > 0 ? iso__created_session_recover(&host->created) : ISO__EXIT_DONE;
}

static bool is_hosted(const void *user, const char *session) {
    const iso__host *host = user;
    return iso__directory_find(&host->directory, session) != NULL;
}

static bool is_hosted_uid(const void *user, const char *session, const char *uid) {
    const iso__host *host = user;
    const iso__hosted *hosted = iso__directory_find(&host->directory, session);
    char digits[ISO__RECORDING_UID_DIGITS + 1] = "";
    if (hosted != NULL) {
        iso__recording_format_uid(hosted->uid, digits);
    }
    return strcmp(digits, uid) == 0;
}

/// @return false after a message: the command line names no session of this name
static bool hide_session(iso__host *host, const char *name) {
    iso__hosted *hosted = NULL;
    for (uint32_t i = 0; i < host->session_count && hosted == NULL; ++i) {
        hosted = strcmp(host->sessions[i].name, name) == 0 ? &host->sessions[i] : NULL;
    }
    if (hosted == NULL) {
        iso__log_error("--private: there is no --session '%.*s'", ISO_SESSION_NAME_MAX, name);
        return false;
    }
    hosted->saves_settings = hosted->saves_settings || !hosted->settings.is_private;
    hosted->settings.is_private = true;
    return true;
}

/// Gives the sessions of the command line the password of --password-file, and warns of those whose own nobody can
/// give.
static void check_passwords(iso__host *host) {
    for (uint32_t i = 0; i < host->session_count && host->password[0] != '\0'; ++i) {
        iso__hosted *hosted = &host->sessions[i];
        if (iso__settings_is_password(&hosted->settings, &host->key, host->password)) {
            continue;
        }
        iso__settings_set_password(&hosted->settings, &host->key, host->password);
        hosted->saves_settings = true;
    }
    sodium_memzero(host->password, sizeof host->password);
    uint32_t index = 0;
    for (const iso__hosted *hosted; (hosted = iso__host_next(host, &index)) != NULL;) {
        if (iso__settings_have_other_key(&hosted->settings, &host->key)) {
            iso__log_session(WARNING, hosted->name,
                             "its password was kept under another " ISO__KEY_NAME
                             ", so none is right, and only members "
                             "can come in; put that key back, or give --session %s another with --password-file",
                             hosted->name);
        }
    }
}

/// Small worlds would only wait for other threads.
static void share_steps(iso__host *host, iso__hosted *hosted) {
    iso_world *world = hosted->setup.world;
    if (host->threads == NULL || iso_world_get_def(world)->body_capacity < SHARED_BODIES_MIN) {
        return;
    }
    const iso_parallel parallel = iso_threads_parallel(host->threads);
    iso_world_set_parallel(world, &parallel);
    iso__log_session(INFO, hosted->name, "steps are shared by %u threads", parallel.thread_count);
}

void iso__host_start_sessions(iso__host *host) {
    ISO__ASSERT_ON(&host->io);
    ISO_ASSERT(host->open_count == 0 && host->started_ns == 0);
    host->started_ns = iso__clock_now();
    uint32_t number = 0, index = 0;
    for (iso__hosted *hosted; (hosted = iso__host_next(host, &index)) != NULL; ++number) {
        uint64_t interval = ISO__NS_PER_S / iso_world_get_def(hosted->setup.world)->tick_rate_hz;
        uint64_t phase = number / host->worker_count % PHASES;
        share_steps(host, hosted);
        ++host->open_count;
        iso__hosted_start(hosted, host->started_ns + phase * interval / PHASES);
    }
}

/// Whether there is memory for the first snapshot: its bytes, the compressed bytes, the compressor's own.
static bool has_room_for_snapshots(const iso__host *host) {
    size_t largest = 0;
    uint32_t index = 0;
    for (const iso__hosted *hosted; (hosted = iso__host_next(host, &index)) != NULL;) {
        size_t size = iso_world_image_size_max(hosted->setup.world);
        largest = size > largest ? size : largest;
    }
    const bool has_room = iso__memory_is_there(largest + iso_compress_bound(largest) + COMPRESSION_MEMORY);
    if (!has_room) {
        iso__log_error("the system has no memory for snapshots (ulimit -v)");
    }
    return has_room;
}

int iso__host_prepare(iso__host *host, const iso__hosted_config *config) {
    ISO__ASSERT_ON(&host->io);
    ISO_ASSERT(host->open_count == 0 && host->started_ns == 0);
    int code = make_sessions(host, config);
    if (code != ISO__EXIT_DONE) {
        return code;
    }
    for (uint32_t i = 0; i < host->options.private_count; ++i) {
        if (!hide_session(host, host->options.private_names[i])) {
            return ISO__EXIT_USAGE;
        }
    }
    if (!has_room_for_snapshots(host)) {
        return ISO__EXIT_TROUBLE;
    }
    if (!iso__key_load(&host->key, host->disk.folder, host->options.record_dir)) {
        return ISO__EXIT_USAGE;
    }
    if (host->is_recorded) {
        iso__recovery_warn_of_unhosted(config->disk, is_hosted, host);
    }
    check_passwords(host);
    for (uint32_t i = 0; i < host->session_count && host->is_recorded; ++i) {
        if (!iso__hosted_save_settings(&host->sessions[i], config->disk)) {
            return ISO__EXIT_TROUBLE;
        }
    }
    for (uint32_t i = 0; i < host->session_count; ++i) {
        iso__hosted_commit(&host->sessions[i], config->disk);
    }
    if (host->is_recorded && host->created.count > 0) {
        iso__created_session_commit(&host->created);
    }
    if (host->is_recorded) {
        iso__hosted_remove_left_settings(config->disk, is_hosted_uid, host);
    }
    return ISO__EXIT_DONE;
}

// ---- While it runs ----------------------------------------------------------------------------------

/// A session that was created over HTTP is about to start.
static void on_starts(void *user, iso__hosted *hosted) {
    iso__host *host = user;
    share_steps(host, hosted);
    ++host->open_count;
}

static void on_leaves(void *user, const iso__hosted *hosted) {
    if (!iso__created_session_has_failed(hosted)) {
        iso__host_sum_up(user, hosted);
    }
}

static void on_answer(void *user, const iso__created_session *created) {
#ifdef ISO__HTTP
    iso__host *host = user;
    iso__web_stream *waiter = created->waiter;
    const bool is_admin =
        waiter != NULL && iso__web_base(waiter)->listener == iso__web_listener_base(&host->admin.listener);
    iso__web_answer_created(is_admin ? &host->admin : &host->web, created);
#else
    (void)user;
    (void)created;
#endif
}

/// Ends the workers when all sessions have closed and none is being created, if the server ends or --exit-when-empty
/// says so.
static void end_if_over(iso__host *host) {
    if (host->is_stopping || host->open_count > 0 ||
        (!host->is_ending && iso__created_session_is_busy(&host->created))) {
        return;
    }
    if (!host->is_ending && !host->options.ends_when_empty) {
        return;
    }
    host->is_stopping = host->is_ending = true;
    iso__host_answer_ends(host, NULL, true);
    iso__created_session_shut_down(&host->created);
    for (uint32_t i = 0; i < host->worker_count; ++i) {
        iso__worker_post(&host->workers[i], &(iso__inbound){.kind = ISO__INBOUND_STOP});
    }
}

static void on_vacated(void *user) {
    end_if_over(user);
}

void iso__host_plan_created(iso__host *host, const iso__hosted_config *config) {
    ISO_ASSERT(host->created.list == NULL);
    host->created.config = (iso__created_session_config){
        .hosted = *config,
        .directory = &host->directory,
        .workers = host->workers,
        .session_builder = &host->session_builder,
        .is_ending = &host->is_ending,
        .answer = on_answer,
        .starts = on_starts,
        .leaves = on_leaves,
        .vacated = on_vacated,
        .user = host,
    };
}

bool iso__host_hear(iso__host *host, const iso__outbound *item) {
    ISO__ASSERT_ON(&host->io);
    if (item->kind == ISO__OUTBOUND_MEMBER_REQUEST) {
#ifdef ISO__HTTP
        iso__web_answer_member_request(item->request);
#endif
        return true;
    }
    iso__created_session *created =
        item->hosted != NULL && item->hosted->is_created ? (iso__created_session *)(void *)item->hosted : NULL;
    if (item->kind == ISO__OUTBOUND_STARTED) {
        iso__created_session_hear_started(created, item->status);
    } else if (item->kind == ISO__OUTBOUND_LEFT) {
        iso__host_answer_ends(host, item->hosted, false);
        iso__created_session_hear_left(created);
    } else if (item->kind == ISO__OUTBOUND_CLOSED) {
        --host->open_count;
        iso__host_answer_ends(host, NULL, false);
        if (created != NULL) {
            iso__created_session_hear_closed(created, item->status);
        }
        end_if_over(host);
    } else {
        return false;
    }
    return true;
}

// ---- The end ----------------------------------------------------------------------------------------

void iso__host_shut_down(iso__host *host, iso_status status) {
    ISO__ASSERT_ON(&host->io);
    ISO_ASSERT(status == ISO_OK || status == ISO_ERR_RESTARTING);
    if (host->is_ending) {
        return;
    }
    host->is_ending = true;
    iso__listener_stop(host->peers.listener);
    iso__created_session_shut_down(&host->created);
    uint32_t index = 0;
    for (iso__hosted *hosted; (hosted = iso__host_next(host, &index)) != NULL;) {
        iso__worker_post(
            hosted->worker,
            &(iso__inbound){.hosted = hosted, .event = {.kind = ISO_SESSION_EVENT_SHUTDOWN, .status = status}});
    }
    end_if_over(host);
}

bool iso__host_recordings_are_whole(const iso__host *host) {
    ISO__ASSERT_ON(&host->io);
    bool whole = !host->left.has_gap;
    uint32_t index = 0;
    for (const iso__hosted *hosted; (hosted = iso__host_next(host, &index)) != NULL;) {
        whole = whole && (iso__created_session_has_failed(hosted) || iso__hosted_recording_is_whole(hosted));
    }
    return whole;
}

bool iso__host_closed_are_over(iso__host *host) {
    ISO__ASSERT_ON(&host->io);
    bool all = true;
    uint32_t index = 0;
    for (iso__hosted *hosted; (hosted = iso__host_next(host, &index)) != NULL;) {
        bool comes_back = hosted->is_recorded && iso__recording_comes_back(&hosted->recording);
        if (comes_back) {
            iso__log_session(
                ERROR, hosted->name,
                "it was closed, but the disk did not accept that: the next start with %s continues it, unless its "
                "recordings are moved to another folder or --recover anew is given",
                host->options.record_dir);
        }
        all = all && !comes_back;
    }
    return all;
}
