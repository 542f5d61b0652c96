#include "host_web_rig.h"

#include <netinet/in.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "host/web/create.h"
#include "isostep/games.h"

web_rig the_web;

static iso__job *first, *last;

void __wrap_iso__job_thread_push(iso__job_thread *session_builder, iso__job *job);
void __wrap_iso__web_answer(iso__web_stream *stream, const iso__http_head *head, const iso__web_body *body,
                            bool sends_body);
void __wrap_iso__web_defer(iso__web_stream *stream, bool sends_body);
void __wrap_iso__log_divert(char *text, size_t size);

void __wrap_iso__job_thread_push(iso__job_thread *session_builder, iso__job *job) {
    assert_ptr_equal(session_builder, &the_web.session_builder);
    job->next = NULL;
    if (first == NULL) {
        first = job;
    } else {
        last->next = job;
    }
    last = job;
}

bool web_rig_make(void) {
    iso__job *job = first;
    if (job == NULL) {
        return false;
    }
    first = job->next;
    job->work(job);
    job->done(job);
    return true;
}

uint32_t web_rig_make_all(void) {
    uint32_t count = 0;
    while (web_rig_make()) {
        ++count;
    }
    return count;
}

// ---- Connections --------------------------------------------------------------------------------------

/// What is said meanwhile becomes the answer, as of the log itself.
void __wrap_iso__log_divert(char *text, size_t size) {
    static char *to;
    static size_t room;
    if (text != NULL) {
        host_rig_clear_log();
    } else if (to != NULL && host_rig_log[0] != '\0') {
        const char *said = strstr(host_rig_log, ": ");
        snprintf(to, room, "%s", strncmp(host_rig_log, "session ", 8) == 0 && said != NULL ? said + 2 : host_rig_log);
    }
    to = text;
    room = size;
}

static uint32_t number_of(const iso__web_stream *stream) {
    assert_true(stream >= the_web.streams && stream < the_web.streams + WEB_RIG_STREAMS);
    return (uint32_t)(stream - the_web.streams);
}

void __wrap_iso__web_answer(iso__web_stream *stream, const iso__http_head *head, const iso__web_body *body,
                            bool sends_body) {
    web_rig_answer *answer = &the_web.answers[number_of(stream)];
    ++answer->count;
    answer->status = head->status;
    answer->sends_body = sends_body;
    answer->size = head->size;
    snprintf(answer->lines, sizeof answer->lines, "%s", head->lines != NULL ? head->lines : "");
    free(answer->text);
    answer->text = NULL;
    if (body != NULL && body->buffer != NULL) {
        answer->text = calloc(1, body->buffer->size + 1);
        memcpy(answer->text, body->buffer->bytes, body->buffer->size);
    } else if (body != NULL && body->memory != NULL) {
        answer->text = calloc(1, body->size + 1);
        memcpy(answer->text, body->memory, body->size);
    }
    answer->offset = body != NULL ? body->offset : 0;
    if (body != NULL && body->is_file) {
        close(body->file);
    }
}

void __wrap_iso__web_defer(iso__web_stream *stream, bool sends_body) {
    stream->sends_body = sends_body;
}

const iso__web_call *web_rig_call(uint32_t stream) {
    free(the_web.answers[stream].text);
    the_web.answers[stream] = (web_rig_answer){0};
    the_web.requests[stream] = (iso__http_request){.method = ISO__HTTP_GET};
    the_web.calls[stream] = (iso__web_call){.web = &the_web.web,
                                            .stream = &the_web.streams[stream],
                                            .request = &the_web.requests[stream],
                                            .path = "/",
                                            .params = the_web.params[stream],
                                            .sends_body = true};
    return &the_web.calls[stream];
}

void web_rig_header(uint32_t stream, const char *name, const char *value) {
    iso__http_request *request = &the_web.requests[stream];
    request->headers[request->header_count++] = (iso__http_header){name, value};
}

static void open_streams(void) {
    iso__stream **link = &the_web.web.listener.tcp.base.first;
    for (uint32_t i = 0; i < WEB_RIG_STREAMS; ++i) {
        iso__web_stream *stream = &the_web.streams[i];
        *stream = (iso__web_stream){.is_known = true, .tcp.base.state = ISO__STREAM_OPEN};
        stream->tcp.base.address = iso__address_make_ipv4((const uint8_t[]){127, 0, 0, 1}, 0);
        *link = &stream->tcp.base;
        link = &stream->tcp.base.next;
    }
}

// ---- The sessions' side -------------------------------------------------------------------------------

static void answer_created(void *user, const iso__created_session *created) {
    (void)user;
    ++the_web.outcomes;
    snprintf(the_web.outcome, sizeof the_web.outcome, "%s %s %u %.120s", created->who.by, created->request.name,
             created->status, created->why);
    iso__web_answer_created(&the_web.web, created);
}

static void hear_starts(void *user, iso__hosted *hosted) {
    (void)user;
    (void)hosted;
    ++the_web.started;
}

static void hear_leaves(void *user, const iso__hosted *hosted) {
    (void)user;
    (void)hosted;
    ++the_web.left;
}

static void hear_vacated(void *user) {
    (void)user;
    ++the_web.vacated;
}

static void open_created(bool is_recorded) {
    web_rig *rig = &the_web;
    rig->key.bytes[0] = 1; // zeros are no key
    rig->created.config = (iso__created_session_config){
        .hosted = {.options = &rig->options,
                   .games = iso_games,
                   .game_count = ISO_GAME_COUNT,
                   .writer = is_recorded ? &rig->writer : NULL,
                   .disk = &rig->disk,
                   .key = &rig->key,
                   .roll_size = UINT64_C(1) << 40},
        .directory = &rig->directory,
        .workers = rig->workers,
        .worker_count = 2,
        .session_builder = &rig->session_builder,
        .is_ending = &rig->is_ending,
        .answer = answer_created,
        .starts = hear_starts,
        .leaves = hear_leaves,
        .vacated = hear_vacated,
    };
    assert_true(iso__created_session_init(&rig->created, WEB_RIG_PLACES));
    assert_true(iso__audit_open(&rig->audit, NULL));
    iso__web_moderation_init(&rig->web.moderation, NULL, &rig->audit);
    rig->web.config = (iso__web_config){.options = &rig->options,
                                        .peers = &rig->peers,
                                        .directory = &rig->directory,
                                        .counters = &rig->counters,
                                        .disk = &rig->disk,
                                        .is_ending = &rig->is_ending,
                                        .created = &rig->created,
                                        .session_builder = &rig->session_builder};
}

void web_rig_begin(bool is_recorded, const char *const *arguments) {
    char *argv[16] = {"isostep-server"}, message[200];
    int count = 1;
    for (; arguments != NULL && *arguments != NULL; ++arguments) {
        argv[count++] = (char *)*arguments;
    }
    first = last = NULL;
    memset(&the_web, 0, sizeof the_web);
    host_disk_begin();
    host_rig_clear_log();
    host_rig_now_ns = 1000;
    assert_true(iso__options_parse(&the_web.options, count, argv, message, sizeof message));
    assert_int_equal(iso__disk_open(&the_web.disk, the_disk.folder), 0);
    uv_loop_init(&the_web.loop);
    uv_async_init(&the_web.loop, &the_web.async, NULL);
    for (uint32_t i = 0; i < 2; ++i) {
        assert_true(iso__worker_init(&the_web.workers[i], 8, &the_web.async, &the_web.counters));
    }
    assert_true(iso__writer_init(&the_web.writer, the_web.disk.folder, 8));
    assert_true(iso__directory_init(&the_web.directory, 8));
    open_created(is_recorded);
    open_streams();
    for (uint32_t i = 0; i < WEB_RIG_STREAMS; ++i) {
        web_rig_call(i);
    }
}

void web_rig_end(void) {
    web_rig_make_all();
    for (uint32_t i = 0; i < WEB_RIG_STREAMS; ++i) {
        free(the_web.answers[i].text);
    }
    iso__web_term(&the_web.web);
    iso__created_session_term(&the_web.created);
    iso__writer_term(&the_web.writer);
    for (uint32_t i = 0; i < 2; ++i) {
        iso__worker_term(&the_web.workers[i]);
    }
    iso__directory_term(&the_web.directory);
    uv_close((uv_handle_t *)&the_web.async, NULL);
    uv_run(&the_web.loop, UV_RUN_DEFAULT);
    uv_loop_close(&the_web.loop);
    iso__disk_close(&the_web.disk);
    host_disk_end();
    host_rig_now_ns = 0;
}

iso__created_session *web_rig_create(uint32_t stream, const char *name, const char *scene) {
    char text[200];
    bool has_memory = false;
    const iso__audit_who who = {.by = "anna", .role = "admin"};
    const int size = snprintf(text, sizeof text, "{\"name\":\"%s\",\"scene\":\"%s\"}", name, scene);
    web_rig_call(stream);
    iso__created_session *created = iso__created_session_request(&the_web.created, (const uint8_t *)text, (size_t)size,
                                                                 &the_web.streams[stream], &who, &has_memory);
    assert_true(has_memory);
    the_web.streams[stream].user = created;
    return created;
}

void web_rig_remove(iso__created_session *created) {
    iso__created_session_hear_closed(created, ISO_ERR_SESSION_CLOSED);
    iso__created_session_hear_left(created);
    web_rig_make_all();
    web_rig_orders();
}

void web_rig_write(void) {
    iso__writer_begin(&the_web.writer);
    for (uint32_t i = 0; i < 10; ++i) {
        iso__writer_turn(&the_web.writer, false);
    }
}

uint32_t web_rig_orders(void) {
    uint32_t count = 0;
    iso__inbound item;
    iso__recording_item order;
    for (uint32_t i = 0; i < 2; ++i) {
        while (iso__queue_pop(&the_web.workers[i].inbound, &item)) {
            ++count;
        }
    }
    while (iso__queue_pop(&the_web.writer.queue, &order)) {
        ++count;
    }
    return count;
}
