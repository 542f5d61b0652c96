/// GET /api/recordings…: the list of the recordings as JSON, and their bytes.
#include "host/web/web.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/affinity.h"
#include "base/clock.h"
#include "host/recordings/restricted.h"
#include "host/web/document.h"
#include "host/web/places.h"
#include "host/web/reply.h"
#include "http/policy.h"

#define RECORDINGS_MAX 1000u         // that are listed
#define LISTING_NS     ISO__NS_PER_S // for which a list is given again, at least
#define LISTING_REST   50u           // times as long as it took to make

typedef struct recording_entry {
    char name[NAME_MAX + 1];
    uint64_t size;
    time_t modified;
} recording_entry;

/// Opens a sealed recording: a regular file, not through a link. @return -1: there is none
static int open_recording(const iso__disk *disk, const char *name, struct stat *about) {
    if (disk == NULL || !iso__http_is_recording_name(name)) {
        return -1;
    }
    // A pipe of that name must not be waited for.
    int file = openat(disk->folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (file >= 0 && (fstat(file, about) != 0 || !S_ISREG(about->st_mode))) {
        close(file);
        file = -1;
    }
    // --keep leaves alone what is being read.
    if (file >= 0) {
        (void)flock(file, LOCK_SH | LOCK_NB);
    }
    return file;
}

static int newest_first(const void *a, const void *b) {
    const recording_entry *left = a, *right = b;
    if (left->modified != right->modified) {
        return left->modified < right->modified ? 1 : -1;
    }
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
    if (list->count < RECORDINGS_MAX) {
        return &list->entries[list->count++];
    }
    if (list->oldest == NULL) {
        list->oldest = &list->entries[0];
        for (size_t i = 1; i < list->count; ++i) {
            list->oldest = list->entries[i].modified < list->oldest->modified ? &list->entries[i] : list->oldest;
        }
    }
    recording_entry *to = list->oldest->modified < modified ? list->oldest : NULL;
    if (to != NULL) {
        list->oldest = NULL; // to be looked for again
    }
    return to;
}

/// @param entries     room for RECORDINGS_MAX
/// @param restricted  are left out
/// @return how many
static size_t read_folder(const iso__disk *disk, const iso__restricted *restricted, recording_entry *entries) {
    recording_list list = {.entries = entries};
    const int folder = openat(disk->folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *stream = folder >= 0 ? fdopendir(folder) : NULL;
    if (stream == NULL && folder >= 0) {
        close(folder);
    }
    for (const struct dirent *entry; stream != NULL && (entry = readdir(stream)) != NULL;) {
        struct stat about;
        if (!iso__http_is_recording_name(entry->d_name) || iso__restricted_has(restricted, entry->d_name) ||
            fstatat(disk->folder, entry->d_name, &about, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(about.st_mode)) {
            continue;
        }
        recording_entry *to = place_for(&list, about.st_mtime);
        if (to == NULL) {
            continue;
        }
        snprintf(to->name, sizeof to->name, "%s", entry->d_name);
        to->size = (uint64_t)about.st_size;
        to->modified = about.st_mtime;
    }
    if (stream != NULL) {
        closedir(stream);
    }
    qsort(entries, list.count, sizeof *entries, newest_first);
    return list.count;
}

static void print_recording(FILE *out, const recording_entry *entry) {
    struct tm utc;
    char modified[32] = "";
    if (gmtime_r(&entry->modified, &utc) != NULL) {
        strftime(modified, sizeof modified, "%Y-%m-%dT%H:%M:%SZ", &utc);
    }
    fprintf(out, "\n{\"name\":\"%s\",\"size\":%" PRIu64 ",\"modified\":\"%s\"}", entry->name, entry->size, modified);
}

/// On the session builder's thread: the folder may be large, or its disk slow.
static iso__buffer *make_listing(const iso__web *web, const iso__restricted *restricted) {
    const iso__disk *disk = web->config.disk;
    iso__web_text text;
    recording_entry *list = malloc(RECORDINGS_MAX * sizeof *list);
    if (list == NULL) {
        return NULL;
    }
    if (iso__web_text_begin(&text)) {
        const size_t count = disk != NULL ? read_folder(disk, restricted, list) : 0;
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

static iso__buffer *make_whole_listing(const iso__web *web) {
    return make_listing(web, &(iso__restricted){0});
}

/// What is not known not to be private is left out, so without a list of the private ones there is none.
static iso__buffer *make_public_listing(const iso__web *web) {
    iso__restricted restricted = {0};
    const bool is_read = web->config.disk == NULL || iso__restricted_read(&restricted, web->config.disk);
    iso__buffer *listing = is_read ? make_listing(web, &restricted) : NULL;
    iso__restricted_term(&restricted);
    return listing;
}

/// When the folder has changed last; 0: not known, or so lately that the next change may have the same time.
static struct timespec changed(const iso__disk *disk) {
    struct stat about;
    struct timespec now;
    if (disk == NULL || fstat(disk->folder, &about) != 0 || clock_gettime(CLOCK_REALTIME, &now) != 0 ||
        now.tv_sec - about.st_mtim.tv_sec < 2) {
        return (struct timespec){0};
    }
    return about.st_mtim;
}

/// A sealed recording never changes, so the list is right as long as the folder has not changed. One that is not is
/// given nevertheless as long as who asks often would keep the session builder from its other work.
/// @param of  when the folder has changed last, as now known
static bool may_give_again(const iso__web_list *list, struct timespec of) {
    const iso__web_document *last = &list->document;
    const struct timespec then = list->of;
    // The session builder writes to what it is asked for.
    if (last->is_asked || last->buffer == NULL) {
        return false;
    }
    const uint64_t rest = LISTING_REST * (last->ready_ns - last->begun_ns);
    const bool is_same = of.tv_sec != 0 && of.tv_sec == then.tv_sec && of.tv_nsec == then.tv_nsec;
    return is_same || iso__clock_now() <= last->ready_ns + (rest > LISTING_NS ? rest : LISTING_NS);
}

void iso__web_recordings(const iso__web_call *call) {
    ISO__ASSERT_ON(iso__web_io(call->web));
    iso__web *web = call->web;
    const bool sees_all = call->role >= ISO__HTTP_ROLE_READ;
    iso__web_list *list = &web->recordings[sees_all];
    const struct timespec of = changed(web->config.disk);
    if (may_give_again(list, of)) {
        iso__web_document_give(call, &list->document);
    } else if (*web->config.is_ending) {
        iso__web_busy(call);
    } else if (iso__web_document_make(call, &list->document, sees_all ? make_whole_listing : make_public_listing)) {
        list->of = of;
    }
}

void iso__web_recording(const iso__web_call *call) {
    ISO__ASSERT_ON(iso__web_io(call->web));
    struct stat about;
    uint64_t first = 0, last = 0;
    char lines[256], tag[64];
    if (!iso__web_has_file_place(call)) {
        iso__counters_add(call->web->config.counters, ISO__COUNTER_WEB_FULL, 1);
        iso__web_busy(call);
        return;
    }
    const iso__disk *disk = call->web->config.disk;
    const char *name = call->params[0];
    // One that is restricted is not looked for: it must not take longer than one that is not there.
    const bool is_restricted = call->role < ISO__HTTP_ROLE_READ && disk != NULL && iso__http_is_recording_name(name) &&
                               iso__restricted_is(disk, name);
    const int file = is_restricted ? -1 : open_recording(disk, name, &about);
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
