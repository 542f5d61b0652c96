#include "host/sessions/created_session.h"

#include <sodium.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/affinity.h"
#include "base/clock.h"
#include "host/recordings/created_mark.h"
#include "host/recordings/recording_hand_in.h"
#include "host/sessions/worker_inbox.h"
#include "host/start/exit.h"
#include "host/start/recovery_files.h"
#include "host/start/scenes.h"
#include "host/watch/log.h"
#include "isostep/proto/codec.h"
#include "isostep/proto/compression.h"
#include "isostep/proto/text.h"

// [bytes] Minimum that zstd takes while it compresses the first snapshot.
#define COMPRESSION_MEMORY (4u << 20)

_Static_assert(ISO_SESSION_REQUEST_NAME_MAX == ISO_SESSION_NAME_MAX, "a request's name is a session's");
_Static_assert(ISO_SESSION_REQUEST_PASSWORD_MAX == ISO_PASSWORD_MAX, "a request's password is a HELLO's");

static iso__created_session *created_of(iso__job *job) {
    return (iso__created_session *)(void *)((char *)job - offsetof(iso__created_session, job));
}

static const iso__disk *disk_of(const iso__created_session *created) {
    const iso__hosted_config *config = &created->set->config.hosted;
    return config->writer != NULL && !created->hosted.settings.is_unrecorded ? config->disk : NULL;
}

__attribute__((format(printf, 3, 4))) static void refuse(iso__created_session *created, unsigned status,
                                                         const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(created->why, sizeof created->why, format, arguments);
    va_end(arguments);
    created->status = status;
}

// ---- Places -----------------------------------------------------------------------------------------

/// It may have a password.
static void free_body(iso__created_session *created) {
    if (created->body != NULL) {
        sodium_memzero(created->body, created->body_size);
    }
    free(created->body);
    created->body = NULL;
}

static void clear(iso__created_session *created) {
    iso__created_sessions *set = created->set;
    free_body(created);
    iso_session_request_term(&created->request);
    memset(created, 0, sizeof *created);
    created->set = set;
}

bool iso__created_session_init(iso__created_sessions *set, uint32_t count) {
    ISO_ASSERT(set->list == NULL);
    iso__affinity_take(&set->io);
    set->list = calloc(count > 0 ? count : 1, sizeof set->list[0]);
    set->count = set->list != NULL ? count : 0;
    for (uint32_t i = 0; i < set->count; ++i) {
        set->list[i].set = set;
    }
    return set->list != NULL;
}

static iso__created_session *find_vacant(iso__created_sessions *set) {
    for (uint32_t i = 0; i < set->count; ++i) {
        if (set->list[i].state == ISO__CREATED_SESSION_VACANT) {
            return &set->list[i];
        }
    }
    return NULL;
}

iso__hosted *iso__created_session_session(iso__created_session *created) {
    return created->state >= ISO__CREATED_SESSION_STARTING && created->state <= ISO__CREATED_SESSION_FAILED
               ? &created->hosted
               : NULL;
}

bool iso__created_session_has_failed(const iso__hosted *hosted) {
    ISO_ASSERT(!hosted->is_created || ((const iso__created_session *)(const void *)hosted)->set != NULL);
    return hosted->is_created &&
           ((const iso__created_session *)(const void *)hosted)->state == ISO__CREATED_SESSION_FAILED;
}

bool iso__created_session_is_busy(const iso__created_sessions *set) {
    ISO__ASSERT_ON(&set->io);
    for (uint32_t i = 0; i < set->count; ++i) {
        if (set->list[i].state == ISO__CREATED_SESSION_READING || set->list[i].state == ISO__CREATED_SESSION_BUILDING) {
            return true;
        }
    }
    return false;
}

static void answer(iso__created_session *created) {
    if (!created->has_outcome) {
        created->set->config.answer(created->set->config.user, created);
    }
    created->has_outcome = true;
    created->waiter = NULL;
}

static void push(iso__created_session *created, uint8_t state, void (*work)(iso__job *), void (*done)(iso__job *)) {
    created->state = state;
    created->job = (iso__job){.work = work, .done = done};
    iso__job_thread_push(created->set->config.session_builder, &created->job);
}

static void free_session(iso__created_session *created) {
    const bool is_recorded = created->is_built && created->hosted.is_recorded;
    if (created->is_built) {
        iso__hosted_term(&created->hosted);
    }
    // Of what was not created nothing stays.
    if (is_recorded && !created->has_been_open) {
        iso__recovery_remove_all(disk_of(created), created->hosted.name, created->hosted.uid);
    }
    if (created->has_mark && created->is_over) {
        iso__created_mark_remove(disk_of(created), created->hosted.name);
    }
    created->is_built = created->has_mark = false;
}

static void work_leaving(iso__job *job) {
    free_session(created_of(job));
}

static void done_leaving(iso__job *job) {
    iso__created_session *created = created_of(job);
    clear(created);
    created->set->config.vacated(created->set->config.user);
}

/// Gives the place back, after what it holds is freed.
static void vacate(iso__created_session *created) {
    if (created->is_built || created->has_mark) {
        push(created, ISO__CREATED_SESSION_LEAVING, work_leaving, done_leaving);
    } else {
        done_leaving(&created->job);
    }
}

static void fail(iso__created_session *created) {
    const char *name = created->request.name[0] != '\0' ? created->request.name : NULL;
    iso__log(&(iso__log_about){.level = ISO__LOG_INFO, .session = name}, "a session is not created over HTTP by %s: %s",
             created->who.by, created->why);
    created->is_over = true;
    answer(created);
    vacate(created);
}

// ---- The session builder's work -------------------------------------------------------------------------------

static void list_scenes(iso__created_session *created) {
    iso_builtin_scene scene;
    size_t fill;
    char near[ISO_NEAREST_TEXT_SIZE];
    iso__scenes_ask(created->request.scene, near);
    // With a quote in it, it goes on into the members behind it, which may be the password.
    refuse(created, 400, "/scene: there is no built-in scene '%s'%s; they are: ",
           strchr(created->request.scene, '"') == NULL ? created->request.scene : "…", near);
    for (size_t i = 0; iso__scenes_at(i, &scene); ++i) {
        fill = strlen(created->why);
        snprintf(created->why + fill, sizeof created->why - fill, "%s%s", i > 0 ? ", " : "", scene.name);
    }
}

static void work_reading(iso__job *job) {
    iso__created_session *created = created_of(job);
    iso_scene_error error;
    const iso_status status =
        iso_session_request_parse((const char *)created->body, created->body_size, &created->request, &error);
    free_body(created);
    if (status == ISO_ERR_SCENE_INVALID) {
        created->status = 400;
        iso_scene_error_format(&error, created->why, sizeof created->why);
    } else if (status != ISO_OK) {
        refuse(created, 503, "out of memory");
    } else if (!iso_password_is_valid(created->request.password)) {
        refuse(created, 400, "/password: …, expected " ISO_SESSION_REQUEST_PASSWORD_EXPECTED);
    } else if (created->request.document == NULL &&
               !iso__scenes_find(created->request.scene, &(iso_builtin_scene){0})) {
        list_scenes(created);
    }
}

/// Whether the folder has no recording of this name that a start could continue.
static bool name_is_unused(iso__created_session *created) {
    char file[ISO_RECORDER_NAME_SIZE] = "";
    if (disk_of(created) == NULL) {
        return true;
    }
    if (!iso__recovery_find_left(disk_of(created), created->request.name, file, sizeof file)) {
        created->status = 503;
    } else if (file[0] != '\0') {
        refuse(created, 409,
               "a session '%s' can be continued from the recording %s: start the server with --session %s for that, or "
               "choose another name",
               created->request.name, file, created->request.name);
    }
    return created->status == 0;
}

static bool has_room_for_snapshot(iso__created_session *created) {
    const size_t size = iso_world_image_size_max(created->hosted.setup.world);
    const bool has_room = iso__memory_is_there(size + iso_compress_bound(size) + COMPRESSION_MEMORY);
    if (!has_room) {
        refuse(created, 503, "the system has no memory for snapshots (ulimit -v)");
    }
    return has_room;
}

static bool has_as_many_spectators(iso__created_session *created, const iso__session_settings *settings) {
    const uint32_t most = created->set->config.hosted.options->spectators;
    if (settings->has_spectators && settings->spectators > most) {
        refuse(created, 400, "/spectators: %u, expected an integer from 0 to %u, as --spectators allows",
               settings->spectators, most);
    }
    return created->status == 0;
}

/// Writes what has to be there before the recording begins.
static bool keep_files(iso__created_session *created) {
    if (!iso__settings_write(&created->hosted.settings, disk_of(created), created->hosted.name, created->hosted.uid)) {
        return false;
    }
    created->has_mark = true; // perhaps there even if it could not be synced
    return iso__created_mark_create(disk_of(created), created->hosted.name) == ISO_OK;
}

static void build(iso__created_session *created) {
    iso__hosted_config config = created->set->config.hosted;
    const iso_session_request *request = &created->request;
    const iso__session_settings settings = iso__settings_make(request, config.key);
    sodium_memzero(created->request.password, sizeof created->request.password);
    if (!has_as_many_spectators(created, &settings)) {
        return;
    }
    iso__session_spec spec = {
        .scene = request->document != NULL ? "document" : request->scene,
        .document = request->document,
        .document_size = request->document_size,
        .is_created = true,
        .settings = &settings,
    };
    memcpy(spec.name, request->name, sizeof spec.name);
    config.writer = settings.is_unrecorded ? NULL : config.writer;
    config.now = iso__clock_now();
    config.is_running = true;
    created->is_built = true;
    const int code = iso__hosted_begin(&created->hosted, &spec, &config);
    const iso__memory *memory = &created->hosted.memory;
    const bool is_short = atomic_load(&memory->limit_refused) || atomic_load(&memory->system_refused);
    if (code != ISO__EXIT_DONE) {
        created->status = is_short || code == ISO__EXIT_TROUBLE ? 503 : 400;
        return;
    }
    if (!has_room_for_snapshot(created) || disk_of(created) == NULL) {
        return;
    }
    if (!keep_files(created)) {
        created->status = 503;
    }
}

static void work_building(iso__job *job) {
    iso__created_session *created = created_of(job);
    // What the log would say is the answer.
    iso__log_divert(created->why, sizeof created->why);
    if (name_is_unused(created)) {
        build(created);
    }
    iso__log_divert(NULL, 0);
}

// ---- From a request to an open session --------------------------------------------------------------

/// The worker with the fewest sessions that leave has a place for another.
static struct iso__worker *choose_worker(const iso__created_sessions *set) {
    iso__worker *workers = set->config.workers, *least = &workers[0];
    for (uint32_t i = 1; i < set->config.worker_count; ++i) {
        least = workers[i].created_count < least->created_count ? &workers[i] : least;
    }
    ++least->created_count;
    return least;
}

static void done_building(iso__job *job) {
    iso__created_session *created = created_of(job);
    iso__hosted *hosted = &created->hosted;
    if (created->status == 0 && *created->set->config.is_ending) {
        refuse(created, 503, "the server ends");
    }
    if (created->status != 0) {
        fail(created);
        return;
    }
    created->state = ISO__CREATED_SESSION_STARTING;
    hosted->worker = choose_worker(created->set);
    hosted->awaits_start = true;
    created->set->config.starts(created->set->config.user, hosted);
    iso__hosted_start(hosted, iso__clock_now());
    if (hosted->is_recorded) {
        iso__recording_join(&hosted->recording);
    }
    iso__worker_post(hosted->worker, &(iso__inbound){.kind = ISO__INBOUND_ADD, .hosted = hosted});
}

static bool is_taken(const iso__created_session *created) {
    const iso__created_sessions *set = created->set;
    for (uint32_t i = 0; i < set->count; ++i) {
        const iso__created_session *other = &set->list[i];
        const bool has_name =
            other->state >= ISO__CREATED_SESSION_BUILDING && other->state <= ISO__CREATED_SESSION_FAILED;
        if (has_name && other != created && strcmp(other->request.name, created->request.name) == 0) {
            return true;
        }
    }
    return iso__directory_find(set->config.directory, created->request.name) != NULL;
}

static void done_reading(iso__job *job) {
    iso__created_session *created = created_of(job);
    if (*created->set->config.is_ending) {
        refuse(created, 503, "the server ends");
    } else if (created->status == 0 && is_taken(created)) {
        refuse(created, 409, "there is a session '%s' already", created->request.name);
    }
    if (created->status != 0) {
        fail(created);
    } else {
        push(created, ISO__CREATED_SESSION_BUILDING, work_building, done_building);
    }
}

iso__created_session *iso__created_session_request(iso__created_sessions *set, const uint8_t *body, size_t size,
                                                   void *waiter, const iso__audit_who *who, bool *has_memory) {
    ISO__ASSERT_ON(&set->io);
    iso__created_session *created = find_vacant(set);
    *has_memory = true;
    if (created == NULL) {
        return NULL;
    }
    created->body = malloc(size > 0 ? size : 1);
    *has_memory = created->body != NULL;
    if (created->body == NULL) {
        return NULL;
    }
    if (size > 0) {
        memcpy(created->body, body, size);
    }
    created->body_size = size;
    created->waiter = waiter;
    if (who != NULL) {
        created->who = *who;
    }
    push(created, ISO__CREATED_SESSION_READING, work_reading, done_reading);
    return created;
}

void iso__created_session_forget(iso__created_session *created) {
    ISO__ASSERT_ON(&created->set->io);
    ISO_ASSERT(created->state != ISO__CREATED_SESSION_VACANT);
    created->waiter = NULL;
}

/// Ends a session that is not open yet.
static void give_up(iso__created_session *created) {
    created->state = ISO__CREATED_SESSION_FAILED;
    created->is_over = created->hosted.is_ending = true;
    iso__log_session(INFO, created->hosted.name, "is not created over HTTP by %s: %s", created->who.by, created->why);
    answer(created);
    iso__worker_post(created->hosted.worker,
                     &(iso__inbound){.hosted = &created->hosted,
                                     .event = {.kind = ISO_SESSION_EVENT_SHUTDOWN, .status = ISO_ERR_SESSION_CLOSED}});
}

void iso__created_session_hear_started(iso__created_session *created, iso_status status) {
    ISO__ASSERT_ON(&created->set->io);
    ISO_ASSERT(created->state != ISO__CREATED_SESSION_VACANT && created->state != ISO__CREATED_SESSION_LEAVING);
    if (created->state != ISO__CREATED_SESSION_STARTING) {
        return;
    }
    if (status != ISO_OK) {
        refuse(created, 503, "nothing can be recorded: %s",
               status == ISO_ERR_TIMEOUT ? "the disk does not respond" : iso_status_text(status));
        give_up(created);
        return;
    }
    created->state = ISO__CREATED_SESSION_OPEN;
    created->has_been_open = true;
    created->status = 201;
    iso_session_request_term(&created->request);
    memcpy(created->request.name, created->hosted.name, sizeof created->request.name);
    iso__directory_add(created->set->config.directory, &created->hosted);
    iso__log_session(INFO, created->hosted.name, "is created over HTTP by %s, with the scene '%s'", created->who.by,
                     created->hosted.setup.scene_name);
    answer(created);
}

// ---- Its end ----------------------------------------------------------------------------------------

void iso__created_session_hear_closed(iso__created_session *created, iso_status status) {
    ISO__ASSERT_ON(&created->set->io);
    ISO_ASSERT(iso__created_session_session(created) != NULL && !created->hosted.has_ended);
    created->is_over = created->is_over || status != ISO_ERR_RESTARTING;
    if (created->state == ISO__CREATED_SESSION_STARTING) {
        refuse(created, 503, "it has closed already");
        created->state = ISO__CREATED_SESSION_FAILED;
        answer(created);
    }
    created->hosted.has_ended = true;
    iso__worker_let_go(&created->hosted);
}

void iso__created_session_hear_left(iso__created_session *created) {
    ISO__ASSERT_ON(&created->set->io);
    ISO_ASSERT(created->hosted.has_ended && created->hosted.peer_count == 0 &&
               created->hosted.worker->created_count > 0);
    iso__directory_remove(created->set->config.directory, &created->hosted);
    --created->hosted.worker->created_count;
    created->set->config.leaves(created->set->config.user, &created->hosted);
    push(created, ISO__CREATED_SESSION_LEAVING, work_leaving, done_leaving);
}

void iso__created_session_shut_down(iso__created_sessions *set) {
    ISO__ASSERT_ON(&set->io);
    for (uint32_t i = 0; i < set->count; ++i) {
        iso__created_session *created = &set->list[i];
        if (created->state == ISO__CREATED_SESSION_STARTING) {
            refuse(created, 503, "the server ends");
            give_up(created);
        }
        if ((created->state != ISO__CREATED_SESSION_READING && created->state != ISO__CREATED_SESSION_BUILDING) ||
            created->has_outcome) {
            continue;
        }
        // The session builder may be writing into the place's own texts; the name is read by now, or it is not known.
        iso__created_session copy = {
            .set = set, .waiter = created->waiter, .who = created->who, .status = 503, .why = "the server ends"};
        if (created->state == ISO__CREATED_SESSION_BUILDING) {
            memcpy(copy.request.name, created->request.name, sizeof copy.request.name);
        }
        answer(&copy);
        created->has_outcome = true;
        created->waiter = NULL;
    }
}

void iso__created_session_term(iso__created_sessions *set) {
    ISO__ASSERT_ON(&set->io);
    for (uint32_t i = 0; i < set->count; ++i) {
        iso__created_session *created = &set->list[i];
        const bool never_ran = created->state < ISO__CREATED_SESSION_STARTING;
        const bool comes_back = created->is_built && created->hosted.is_recorded && !never_ran &&
                                iso__recording_comes_back(&created->hosted.recording);
        created->is_over = (created->is_over || never_ran) && !comes_back;
        free_session(created);
        clear(created);
    }
    free(set->list);
    *set = (iso__created_sessions){0};
}

// ---- At the start -----------------------------------------------------------------------------------

static int recover_one(iso__created_session *created, const char *name) {
    iso__session_spec spec = {.is_created = true};
    memcpy(spec.name, name, strlen(name) + 1);
    memcpy(created->request.name, spec.name, sizeof spec.name);
    created->state = ISO__CREATED_SESSION_LEAVING; // unless there is something to continue
    created->is_built = created->has_mark = created->has_been_open = true;
    const int code = iso__hosted_init(&created->hosted, &spec, &created->set->config.hosted);
    if (code != ISO__EXIT_DONE || created->hosted.session == NULL) {
        return code;
    }
    created->state = ISO__CREATED_SESSION_OPEN;
    iso__worker_add(choose_worker(created->set), &created->hosted);
    iso__directory_add(created->set->config.directory, &created->hosted);
    return code;
}

int iso__created_session_recover(iso__created_sessions *set) {
    ISO__ASSERT_ON(&set->io);
    ISO_ASSERT(set->config.hosted.writer != NULL && !set->config.hosted.is_running);
    iso__created_mark_list marks;
    int code = iso__created_mark_list_read(&marks, set->config.hosted.disk) ? ISO__EXIT_DONE : ISO__EXIT_TROUBLE;
    for (uint32_t i = 0; i < marks.count && code == ISO__EXIT_DONE; ++i) {
        if (iso__directory_find(set->config.directory, marks.names[i]) != NULL) {
            continue;
        }
        iso__created_session *created = find_vacant(set);
        if (created != NULL) {
            code = recover_one(created, marks.names[i]);
            continue;
        }
        iso__log_error("--http-sessions: more than %u session%s created over HTTP would continue; allow more, or name "
                       "some of them with --session",
                       set->count, iso_text_plural(set->count));
        code = ISO__EXIT_USAGE;
    }
    iso__created_mark_list_term(&marks);
    return code;
}

void iso__created_session_commit(iso__created_sessions *set) {
    ISO__ASSERT_ON(&set->io);
    ISO_ASSERT(set->config.hosted.writer != NULL && !set->config.hosted.is_running);
    const iso__disk *disk = set->config.hosted.disk;
    iso__created_mark_list marks;
    for (uint32_t i = 0; i < set->count; ++i) {
        iso__created_session *created = &set->list[i];
        if (created->is_built) {
            iso__hosted_commit(&created->hosted, disk);
        }
        if (created->state != ISO__CREATED_SESSION_LEAVING) {
            continue;
        }
        created->is_over = true;
        free_session(created);
        clear(created);
    }
    // One that --session names is a session like any other from now on.
    if (iso__created_mark_list_read(&marks, disk)) {
        for (uint32_t i = 0; i < marks.count; ++i) {
            const iso__hosted *hosted = iso__directory_find(set->config.directory, marks.names[i]);
            if (hosted != NULL && !hosted->is_created) {
                iso__created_mark_remove(disk, marks.names[i]);
            }
        }
    }
    iso__created_mark_list_term(&marks);
}
