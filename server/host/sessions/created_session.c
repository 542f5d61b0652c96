#include "host/sessions/created_session.h"

#include <sodium.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/affinity.h"
#include "base/clock.h"
#include "host/recordings/created_mark.h"
#include "host/sessions/worker_inbox.h"
#include "host/start/exit.h"
#include "host/start/scenes.h"
#include "host/watch/log.h"
#include "isostep/proto/codec.h"
#include "isostep/proto/compression.h"

// [bytes] Minimum that zstd takes while it compresses the first snapshot.
#define COMPRESSION_MEMORY (4u << 20)

_Static_assert(ISO_SESSION_REQUEST_NAME_MAX == ISO_SESSION_NAME_MAX, "a request's name is a session's");
_Static_assert(ISO_SESSION_REQUEST_PASSWORD_MAX == ISO_PASSWORD_MAX, "a request's password is a HELLO's");

static iso__created_session *made_of(iso__job *job) {
    return (iso__created_session *)(void *)((char *)job - offsetof(iso__created_session, job));
}

static const iso__disk *disk_of(const iso__created_session *made) {
    const iso__hosted_config *config = &made->set->config.hosted;
    return config->writer != NULL && !made->hosted.settings.is_unrecorded ? config->disk : NULL;
}

__attribute__((format(printf, 3, 4))) static void refuse(iso__created_session *made, unsigned status,
                                                         const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(made->why, sizeof made->why, format, arguments);
    va_end(arguments);
    made->status = status;
}

// ---- Places -----------------------------------------------------------------------------------------

/// It may have a password.
static void free_body(iso__created_session *made) {
    if (made->body != NULL) {
        sodium_memzero(made->body, made->body_size);
    }
    free(made->body);
    made->body = NULL;
}

static void clear(iso__created_session *made) {
    iso__created_sessions *set = made->set;
    free_body(made);
    iso_session_request_term(&made->request);
    memset(made, 0, sizeof *made);
    made->set = set;
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

iso__hosted *iso__created_session_session(iso__created_session *made) {
    return made->state >= ISO__CREATED_SESSION_STARTING && made->state <= ISO__CREATED_SESSION_FAILED ? &made->hosted
                                                                                                      : NULL;
}

bool iso__created_session_has_failed(const iso__hosted *hosted) {
    ISO_ASSERT(!hosted->is_made || ((const iso__created_session *)(const void *)hosted)->set != NULL);
    return hosted->is_made &&
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

static void answer(iso__created_session *made) {
    if (!made->has_outcome) {
        made->set->config.answer(made->set->config.user, made);
    }
    made->has_outcome = true;
    made->waiter = NULL;
}

static void push(iso__created_session *made, uint8_t state, void (*work)(iso__job *), void (*done)(iso__job *)) {
    made->state = state;
    made->job = (iso__job){.work = work, .done = done};
    iso__job_thread_push(made->set->config.maker, &made->job);
}

static void free_session(iso__created_session *made) {
    const bool is_recorded = made->is_built && made->hosted.is_recorded;
    if (made->is_built) {
        iso__hosted_term(&made->hosted);
    }
    // Of what was not created nothing stays.
    if (is_recorded && !made->has_been_open) {
        iso__recovery_remove_all(disk_of(made), made->hosted.name, made->hosted.uid);
    }
    if (made->has_mark && made->is_over) {
        iso__created_mark_remove(disk_of(made), made->hosted.name);
    }
    made->is_built = made->has_mark = false;
}

static void work_leaving(iso__job *job) {
    free_session(made_of(job));
}

static void done_leaving(iso__job *job) {
    iso__created_session *made = made_of(job);
    clear(made);
    made->set->config.vacated(made->set->config.user);
}

/// Gives the place back, after what it holds is freed.
static void vacate(iso__created_session *made) {
    if (made->is_built || made->has_mark) {
        push(made, ISO__CREATED_SESSION_LEAVING, work_leaving, done_leaving);
    } else {
        done_leaving(&made->job);
    }
}

static void fail(iso__created_session *made) {
    const char *name = made->request.name[0] != '\0' ? made->request.name : NULL;
    iso__log(&(iso__log_about){.level = ISO__LOG_INFO, .session = name}, "a session is not created over HTTP by %s: %s",
             made->who.by, made->why);
    made->is_over = true;
    answer(made);
    vacate(made);
}

// ---- The maker's work -------------------------------------------------------------------------------

static void list_scenes(iso__created_session *made) {
    iso_builtin_scene scene;
    size_t fill;
    // With a quote in it, it goes on into the members behind it, which may be the password.
    refuse(made, 400, "/scene: there is no built-in scene '%s'; they are: ",
           strchr(made->request.scene, '"') == NULL ? made->request.scene : "…");
    for (size_t i = 0; iso__scenes_at(i, &scene); ++i) {
        fill = strlen(made->why);
        snprintf(made->why + fill, sizeof made->why - fill, "%s%s", i > 0 ? ", " : "", scene.name);
    }
}

static void work_reading(iso__job *job) {
    iso__created_session *made = made_of(job);
    iso_scene_error error;
    const iso_status status =
        iso_session_request_parse((const char *)made->body, made->body_size, &made->request, &error);
    free_body(made);
    if (status == ISO_ERR_SCENE_INVALID) {
        made->status = 400;
        iso_scene_error_format(&error, made->why, sizeof made->why);
    } else if (status != ISO_OK) {
        refuse(made, 503, "out of memory");
    } else if (!iso_password_is_valid(made->request.password)) {
        refuse(made, 400, "/password: …, expected " ISO_SESSION_REQUEST_PASSWORD_EXPECTED);
    } else if (made->request.document == NULL && !iso__scenes_find(made->request.scene, &(iso_builtin_scene){0})) {
        list_scenes(made);
    }
}

/// Whether the folder has no recording of this name that a start could continue.
static bool name_is_unused(iso__created_session *made) {
    char file[ISO_RECORDER_NAME_SIZE] = "";
    if (disk_of(made) == NULL) {
        return true;
    }
    if (!iso__recovery_find_left(disk_of(made), made->request.name, file, sizeof file)) {
        made->status = 503;
    } else if (file[0] != '\0') {
        refuse(made, 409,
               "a session '%s' can be continued from the recording %s: start the server with --session %s for that, or "
               "choose another name",
               made->request.name, file, made->request.name);
    }
    return made->status == 0;
}

static bool has_room_for_snapshot(iso__created_session *made) {
    const size_t size = iso_world_image_size_max(made->hosted.setup.world);
    const bool has_room = iso__memory_is_there(size + iso_compress_bound(size) + COMPRESSION_MEMORY);
    if (!has_room) {
        refuse(made, 503, "the system has no memory for snapshots (ulimit -v)");
    }
    return has_room;
}

static bool has_as_many_spectators(iso__created_session *made, const iso__session_settings *settings) {
    const uint32_t most = made->set->config.hosted.options->spectators;
    if (settings->has_spectators && settings->spectators > most) {
        refuse(made, 400, "/spectators: %u, expected an integer from 0 to %u, as --spectators allows",
               settings->spectators, most);
    }
    return made->status == 0;
}

/// Writes what has to be there before the recording begins.
static bool keep_files(iso__created_session *made) {
    if (!iso__settings_write(&made->hosted.settings, disk_of(made), made->hosted.name, made->hosted.uid)) {
        return false;
    }
    made->has_mark = true; // perhaps there even if it could not be synced
    return iso__created_mark_create(disk_of(made), made->hosted.name) == ISO_OK;
}

static void build(iso__created_session *made) {
    iso__hosted_config config = made->set->config.hosted;
    const iso_session_request *request = &made->request;
    const iso__session_settings settings = iso__settings_make(request, config.key);
    sodium_memzero(made->request.password, sizeof made->request.password);
    if (!has_as_many_spectators(made, &settings)) {
        return;
    }
    iso__session_spec spec = {
        .scene = request->document != NULL ? "document" : request->scene,
        .document = request->document,
        .document_size = request->document_size,
        .is_made = true,
        .settings = &settings,
    };
    memcpy(spec.name, request->name, sizeof spec.name);
    config.writer = settings.is_unrecorded ? NULL : config.writer;
    config.now = iso__clock_now();
    config.is_running = true;
    made->is_built = true;
    const int code = iso__hosted_begin(&made->hosted, &spec, &config);
    const iso__memory *memory = &made->hosted.memory;
    const bool is_short = atomic_load(&memory->limit_refused) || atomic_load(&memory->system_refused);
    if (code != ISO__EXIT_DONE) {
        made->status = is_short || code == ISO__EXIT_TROUBLE ? 503 : 400;
        return;
    }
    if (!has_room_for_snapshot(made) || disk_of(made) == NULL) {
        return;
    }
    if (!keep_files(made)) {
        made->status = 503;
    }
}

static void work_building(iso__job *job) {
    iso__created_session *made = made_of(job);
    // What the log would say is the answer.
    iso__log_divert(made->why, sizeof made->why);
    if (name_is_unused(made)) {
        build(made);
    }
    iso__log_divert(NULL, 0);
}

// ---- From a request to an open session --------------------------------------------------------------

/// The worker with the fewest sessions that leave has a place for another.
static struct iso__worker *choose_worker(const iso__created_sessions *set) {
    iso__worker *workers = set->config.workers, *least = &workers[0];
    for (uint32_t i = 1; i < set->config.worker_count; ++i) {
        least = workers[i].made_count < least->made_count ? &workers[i] : least;
    }
    ++least->made_count;
    return least;
}

static void done_building(iso__job *job) {
    iso__created_session *made = made_of(job);
    iso__hosted *hosted = &made->hosted;
    if (made->status == 0 && *made->set->config.is_ending) {
        refuse(made, 503, "the server ends");
    }
    if (made->status != 0) {
        fail(made);
        return;
    }
    made->state = ISO__CREATED_SESSION_STARTING;
    hosted->worker = choose_worker(made->set);
    hosted->awaits_start = true;
    made->set->config.starts(made->set->config.user, hosted);
    iso__hosted_start(hosted, iso__clock_now());
    if (hosted->is_recorded) {
        iso__recording_join(&hosted->recording);
    }
    iso__worker_post(hosted->worker, &(iso__inbound){.kind = ISO__INBOUND_ADD, .hosted = hosted});
}

static bool is_taken(const iso__created_session *made) {
    const iso__created_sessions *set = made->set;
    for (uint32_t i = 0; i < set->count; ++i) {
        const iso__created_session *other = &set->list[i];
        const bool has_name =
            other->state >= ISO__CREATED_SESSION_BUILDING && other->state <= ISO__CREATED_SESSION_FAILED;
        if (has_name && other != made && strcmp(other->request.name, made->request.name) == 0) {
            return true;
        }
    }
    return iso__directory_find(set->config.directory, made->request.name) != NULL;
}

static void done_reading(iso__job *job) {
    iso__created_session *made = made_of(job);
    if (*made->set->config.is_ending) {
        refuse(made, 503, "the server ends");
    } else if (made->status == 0 && is_taken(made)) {
        refuse(made, 409, "there is a session '%s' already", made->request.name);
    }
    if (made->status != 0) {
        fail(made);
    } else {
        push(made, ISO__CREATED_SESSION_BUILDING, work_building, done_building);
    }
}

iso__created_session *iso__created_session_request(iso__created_sessions *set, const uint8_t *body, size_t size,
                                                   void *waiter, const iso__audit_who *who, bool *has_memory) {
    ISO__ASSERT_ON(&set->io);
    iso__created_session *made = find_vacant(set);
    *has_memory = true;
    if (made == NULL) {
        return NULL;
    }
    made->body = malloc(size > 0 ? size : 1);
    *has_memory = made->body != NULL;
    if (made->body == NULL) {
        return NULL;
    }
    if (size > 0) {
        memcpy(made->body, body, size);
    }
    made->body_size = size;
    made->waiter = waiter;
    if (who != NULL) {
        made->who = *who;
    }
    push(made, ISO__CREATED_SESSION_READING, work_reading, done_reading);
    return made;
}

void iso__created_session_forget(iso__created_session *made) {
    ISO__ASSERT_ON(&made->set->io);
    ISO_ASSERT(made->state != ISO__CREATED_SESSION_VACANT);
    made->waiter = NULL;
}

/// Ends a session that is not open yet.
static void give_up(iso__created_session *made) {
    made->state = ISO__CREATED_SESSION_FAILED;
    made->is_over = made->hosted.is_ending = true;
    iso__log_session(INFO, made->hosted.name, "is not created over HTTP by %s: %s", made->who.by, made->why);
    answer(made);
    iso__worker_post(made->hosted.worker,
                     &(iso__inbound){.hosted = &made->hosted,
                                     .event = {.kind = ISO_SESSION_EVENT_SHUTDOWN, .status = ISO_ERR_SESSION_CLOSED}});
}

void iso__created_session_hear_started(iso__created_session *made, iso_status status) {
    ISO__ASSERT_ON(&made->set->io);
    ISO_ASSERT(made->state != ISO__CREATED_SESSION_VACANT && made->state != ISO__CREATED_SESSION_LEAVING);
    if (made->state != ISO__CREATED_SESSION_STARTING) {
        return;
    }
    if (status != ISO_OK) {
        refuse(made, 503, "nothing can be recorded: %s",
               status == ISO_ERR_TIMEOUT ? "the disk does not respond" : iso_status_text(status));
        give_up(made);
        return;
    }
    made->state = ISO__CREATED_SESSION_OPEN;
    made->has_been_open = true;
    made->status = 201;
    iso_session_request_term(&made->request);
    memcpy(made->request.name, made->hosted.name, sizeof made->request.name);
    iso__directory_add(made->set->config.directory, &made->hosted);
    iso__log_session(INFO, made->hosted.name, "is created over HTTP by %s, with the scene '%s'", made->who.by,
                     made->hosted.setup.scene_name);
    answer(made);
}

// ---- Its end ----------------------------------------------------------------------------------------

void iso__created_session_hear_closed(iso__created_session *made, iso_status status) {
    ISO__ASSERT_ON(&made->set->io);
    ISO_ASSERT(iso__created_session_session(made) != NULL && !made->hosted.has_ended);
    made->is_over = made->is_over || status != ISO_ERR_RESTARTING;
    if (made->state == ISO__CREATED_SESSION_STARTING) {
        refuse(made, 503, "it has closed already");
        made->state = ISO__CREATED_SESSION_FAILED;
        answer(made);
    }
    made->hosted.has_ended = true;
    iso__worker_let_go(&made->hosted);
}

void iso__created_session_hear_left(iso__created_session *made) {
    ISO__ASSERT_ON(&made->set->io);
    ISO_ASSERT(made->hosted.has_ended && made->hosted.peer_count == 0 && made->hosted.worker->made_count > 0);
    iso__directory_remove(made->set->config.directory, &made->hosted);
    --made->hosted.worker->made_count;
    made->set->config.leaves(made->set->config.user, &made->hosted);
    push(made, ISO__CREATED_SESSION_LEAVING, work_leaving, done_leaving);
}

void iso__created_session_shut_down(iso__created_sessions *set) {
    ISO__ASSERT_ON(&set->io);
    for (uint32_t i = 0; i < set->count; ++i) {
        iso__created_session *made = &set->list[i];
        if (made->state == ISO__CREATED_SESSION_STARTING) {
            refuse(made, 503, "the server ends");
            give_up(made);
        }
        if ((made->state != ISO__CREATED_SESSION_READING && made->state != ISO__CREATED_SESSION_BUILDING) ||
            made->has_outcome) {
            continue;
        }
        // The maker may be writing into the place's own texts; the name is read by now, or it is not known.
        iso__created_session copy = {
            .set = set, .waiter = made->waiter, .who = made->who, .status = 503, .why = "the server ends"};
        if (made->state == ISO__CREATED_SESSION_BUILDING) {
            memcpy(copy.request.name, made->request.name, sizeof copy.request.name);
        }
        answer(&copy);
        made->has_outcome = true;
        made->waiter = NULL;
    }
}

void iso__created_session_term(iso__created_sessions *set) {
    ISO__ASSERT_ON(&set->io);
    for (uint32_t i = 0; i < set->count; ++i) {
        iso__created_session *made = &set->list[i];
        const bool never_ran = made->state < ISO__CREATED_SESSION_STARTING;
        const bool comes_back = made->is_built && made->hosted.is_recorded && !never_ran &&
                                iso__recording_comes_back(&made->hosted.recording);
        made->is_over = (made->is_over || never_ran) && !comes_back;
        free_session(made);
        clear(made);
    }
    free(set->list);
    *set = (iso__created_sessions){0};
}

// ---- At the start -----------------------------------------------------------------------------------

static int recover_one(iso__created_session *made, const char *name) {
    iso__session_spec spec = {.is_made = true};
    memcpy(spec.name, name, strlen(name) + 1);
    memcpy(made->request.name, spec.name, sizeof spec.name);
    made->state = ISO__CREATED_SESSION_LEAVING; // unless there is something to continue
    made->is_built = made->has_mark = made->has_been_open = true;
    const int code = iso__hosted_init(&made->hosted, &spec, &made->set->config.hosted);
    if (code != ISO__EXIT_DONE || made->hosted.session == NULL) {
        return code;
    }
    made->state = ISO__CREATED_SESSION_OPEN;
    iso__worker_add(choose_worker(made->set), &made->hosted);
    iso__directory_add(made->set->config.directory, &made->hosted);
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
        iso__created_session *made = find_vacant(set);
        if (made != NULL) {
            code = recover_one(made, marks.names[i]);
            continue;
        }
        iso__log_error(
            "--http-sessions: there are more than %u sessions to continue that were created over HTTP; allow "
            "more, or name some of them with --session",
            set->count);
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
        iso__created_session *made = &set->list[i];
        if (made->is_built) {
            iso__hosted_commit(&made->hosted, disk);
        }
        if (made->state != ISO__CREATED_SESSION_LEAVING) {
            continue;
        }
        made->is_over = true;
        free_session(made);
        clear(made);
    }
    // One that --session names is a session like any other from now on.
    if (iso__created_mark_list_read(&marks, disk)) {
        for (uint32_t i = 0; i < marks.count; ++i) {
            const iso__hosted *hosted = iso__directory_find(set->config.directory, marks.names[i]);
            if (hosted != NULL && !hosted->is_made) {
                iso__created_mark_remove(disk, marks.names[i]);
            }
        }
    }
    iso__created_mark_list_term(&marks);
}
