/// GET /api/…: the sessions and the recordings, as JSON.
#include "host/web.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "host/log.h"
#include "http/policy.h"
#include "isostep/proto/codec.h"
#include "isostep/proto/text.h"

#define RECORDINGS_MAX 1000u         // that are listed
#define LISTING_NS     ISO__NS_PER_S // for which a list is given again, at least
#define LISTING_REST   50u           // times as long as it took to make

void iso__web_print_session(FILE *out, iso__hosted *hosted) {
    iso_session_info info;
    iso__hosted_get_info(hosted, &info);
    fprintf(out,
            "{\"name\":\"%s\",\"state\":\"%s\",\"members\":%" PRIu32 ",\"slots\":%" PRIu32 ",\"spectators\":%" PRIu32
            ",\"tick\":%" PRIu64 ",\"tick_rate_hz\":%u,\"game\":",
            info.name, iso_session_state_name(info.state), info.members, info.slots, info.spectators, info.tick,
            info.tick_rate_hz);
    iso_print_json_string(out, info.game);
    fputc('}', out);
}

void iso__web_sessions(const iso__web_call *call) {
    iso__web_text text;
    if (iso__web_text_begin(&text)) {
        fputs("{\"sessions\":[", text.out);
        const iso__directory *directory = call->web->config.directory;
        for (uint32_t i = 0; i < directory->count; ++i) {
            fputs(i > 0 ? ",\n" : "\n", text.out);
            iso__web_print_session(text.out, directory->sessions[i]);
        }
        fputs("\n]}\n", text.out);
    }
    iso__web_give(call, ISO__WEB_JSON, iso__web_text_end(&text));
}

void iso__web_end_session(const iso__web_call *call, const char *name) {
    iso__hosted *hosted = iso__directory_find(call->web->config.directory, name);
    if (hosted == NULL) {
        iso__web_say(call, 404, "there is no such session\n");
        return;
    }
    if (hosted->is_ending || atomic_load(&hosted->closed)) {
        iso__web_say(call, 409, "the session has ended, or is about to\n");
        return;
    }
    hosted->is_ending = true;
    iso__log_session(INFO, hosted->name, "is ended over HTTP");
    iso__worker_post(hosted->worker,
                     &(iso__inbound){.hosted = hosted,
                                     .event = {.kind = ISO_SESSION_EVENT_SHUTDOWN, .status = ISO_ERR_SESSION_CLOSED}});
    iso__web_say(call, 202, "the session ends\n");
}

typedef struct recording_entry {
    char name[NAME_MAX + 1];
    uint64_t size;
    time_t modified;
} recording_entry;

/// Opens a sealed recording: a regular file, not through a link. @return -1: there is none
static int open_recording(const iso__disk *disk, const char *name, struct stat *about) {
    if (disk == NULL || !iso__http_is_recording_name(name))
        return -1;
    // A pipe of that name must not be waited for.
    int file = openat(disk->folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (file >= 0 && (fstat(file, about) != 0 || !S_ISREG(about->st_mode))) {
        close(file);
        file = -1;
    }
    return file;
}

static int newest_first(const void *a, const void *b) {
    const recording_entry *left = a, *right = b;
    if (left->modified != right->modified)
        return left->modified < right->modified ? 1 : -1;
    return strcmp(left->name, right->name);
}

/// The newest recordings that were seen.
typedef struct recording_list {
    recording_entry *entries; // RECORDINGS_MAX
    size_t count;
    recording_entry *oldest; // of a full list
} recording_list;

/// Where the next entry goes: behind the others, or, when the list is full, in the place of the oldest.
/// @return NULL: it is no newer than all of these
static recording_entry *place_for(recording_list *list, time_t modified) {
    if (list->count < RECORDINGS_MAX)
        return &list->entries[list->count++];
    if (list->oldest == NULL) {
        list->oldest = &list->entries[0];
        for (size_t i = 1; i < list->count; ++i)
            list->oldest = list->entries[i].modified < list->oldest->modified ? &list->entries[i] : list->oldest;
    }
    recording_entry *to = list->oldest->modified < modified ? list->oldest : NULL;
    if (to != NULL)
        list->oldest = NULL; // to be looked for again
    return to;
}

/// @param entries  room for RECORDINGS_MAX. @return how many
static size_t read_folder(const iso__disk *disk, recording_entry *entries) {
    recording_list list = {.entries = entries};
    const int folder = openat(disk->folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *stream = folder >= 0 ? fdopendir(folder) : NULL;
    if (stream == NULL && folder >= 0)
        close(folder);
    for (const struct dirent *entry; stream != NULL && (entry = readdir(stream)) != NULL;) {
        struct stat about;
        if (!iso__http_is_recording_name(entry->d_name) ||
            fstatat(disk->folder, entry->d_name, &about, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(about.st_mode))
            continue;
        recording_entry *to = place_for(&list, about.st_mtime);
        if (to == NULL)
            continue;
        snprintf(to->name, sizeof to->name, "%s", entry->d_name);
        to->size = (uint64_t)about.st_size;
        to->modified = about.st_mtime;
    }
    if (stream != NULL)
        closedir(stream);
    qsort(entries, list.count, sizeof *entries, newest_first);
    return list.count;
}

static void print_recording(FILE *out, const recording_entry *entry) {
    struct tm utc;
    char modified[32] = "";
    if (gmtime_r(&entry->modified, &utc) != NULL)
        strftime(modified, sizeof modified, "%Y-%m-%dT%H:%M:%SZ", &utc);
    fprintf(out, "\n{\"name\":\"%s\",\"size\":%" PRIu64 ",\"modified\":\"%s\"}", entry->name, entry->size, modified);
}

/// @return NULL: there was no memory
static iso__buffer *make_listing(const iso__disk *disk) {
    iso__web_text text;
    recording_entry *list = malloc(RECORDINGS_MAX * sizeof *list);
    if (list == NULL)
        return NULL;
    if (iso__web_text_begin(&text)) {
        const size_t count = disk != NULL ? read_folder(disk, list) : 0;
        fputs("{\"recordings\":[", text.out);
        for (size_t i = 0; i < count; ++i) {
            fputs(i > 0 ? "," : "", text.out);
            print_recording(text.out, &list[i]);
        }
        fputs("\n]}\n", text.out);
    }
    free(list);
    return iso__web_text_end(&text);
}

/// When the folder has changed last; 0: not known, or so lately that the next change may have the same time.
static struct timespec changed(const iso__disk *disk) {
    struct stat about;
    struct timespec now;
    if (disk == NULL || fstat(disk->folder, &about) != 0 || clock_gettime(CLOCK_REALTIME, &now) != 0 ||
        now.tv_sec - about.st_mtim.tv_sec < 2)
        return (struct timespec){0};
    return about.st_mtim;
}

/// The folder may be large, and who asks for it often must not keep the thread from its connections. A sealed recording
/// never changes, so the listing is right as long as the folder has not changed.
void iso__web_recordings(const iso__web_call *call) {
    iso__web *web = call->web;
    const uint64_t now = iso__clock_now();
    const struct timespec of = changed(web->config.disk);
    const bool is_same = of.tv_sec != 0 && of.tv_sec == web->listing_of.tv_sec && of.tv_nsec == web->listing_of.tv_nsec;
    if (web->listing == NULL || (now > web->listing_until_ns && !is_same)) {
        iso__buffer_release(web->listing);
        web->listing = make_listing(web->config.disk);
        web->listing_of = of;
        const uint64_t ready = iso__clock_now(), rest = LISTING_REST * (ready - now);
        web->listing_until_ns = ready + (rest > LISTING_NS ? rest : LISTING_NS);
    }
    iso__web_share(call, ISO__WEB_JSON, web->listing);
}

void iso__web_recording(const iso__web_call *call, const char *name) {
    struct stat about;
    uint64_t first = 0, last = 0;
    char lines[256], tag[64];
    if (!iso__web_has_file_place(call)) {
        iso__counters_add(call->web->config.counters, ISO__COUNTER_WEB_FULL, 1);
        iso__web_busy(call);
        return;
    }
    const int file = open_recording(call->web->config.disk, name, &about);
    if (file < 0) {
        iso__web_say(call, 404, "there is no such recording\n");
        return;
    }
    const uint64_t size = (uint64_t)about.st_size;
    // A sealed recording is never written to again.
    snprintf(tag, sizeof tag, "\"%" PRIx64 "-%" PRIx64 "\"", size, (uint64_t)about.st_mtime);
    iso__http_head head = {
        .status = 200, .type = "application/octet-stream", .size = size, .cache = "private, max-age=0", .lines = lines};
    iso__web_body body = {.file = file, .is_file = true, .size = size};
    const char *condition = iso__http_find(call->request, "if-range");
    const char *range =
        condition == NULL || strcmp(condition, tag) == 0 ? iso__http_find(call->request, "range") : NULL;
    const iso__http_range_kind kind = iso__http_range(range, size, &first, &last);
    snprintf(lines, sizeof lines, "Accept-Ranges: bytes\r\nETag: %s\r\n", tag);
    if (iso__http_has_tag(iso__http_find(call->request, "if-none-match"), tag)) {
        head.status = 304;
        head.type = NULL;
        body.size = 0;
    } else if (kind == ISO__HTTP_RANGE_WRONG) {
        head = (iso__http_head){.status = 416, .lines = lines};
        body.size = 0;
        snprintf(lines, sizeof lines, "Content-Range: bytes */%" PRIu64 "\r\n", size);
    } else if (kind == ISO__HTTP_RANGE_PART) {
        head.status = 206;
        head.size = body.size = last - first + 1;
        body.offset = first;
        snprintf(lines, sizeof lines,
                 "Accept-Ranges: bytes\r\nETag: %s\r\nContent-Range: bytes %" PRIu64 "-%" PRIu64 "/%" PRIu64 "\r\n",
                 tag, first, last, size);
    }
    // The stream closes the file.
    iso__web_answer(call->stream, &head, &body, call->sends_body);
}
