/// The files that a killed server leaves: found, read, checked.
#include "host/start/recovery_files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "host/recordings/footer.h"
#include "host/recordings/recording_names.h"
#include "host/watch/log.h"
#include "isostep/assert.h"

// ---- One file ---------------------------------------------------------------------------------------

iso_status iso__recovery_read(iso__recovery *recovery, int folder, const char *name, iso_recording_mode mode,
                              iso_recording_error *error) {
    ISO_ASSERT(recovery->bytes == NULL);
    *error = (iso_recording_error){0};
    snprintf(recovery->path, sizeof recovery->path, "%s", name);
    size_t size_max = ISO__RECOVERY_SIZE_MAX < SIZE_MAX ? (size_t)ISO__RECOVERY_SIZE_MAX : SIZE_MAX - 1;
    error->status = iso__file_read(folder, name, size_max, &recovery->bytes, &recovery->size, &error->what);
    if (error->status == ISO_ERR_RANGE) {
        error->what = "it is larger than 2 GiB, the maximum that can be continued";
    }
    if (error->status != ISO_OK) {
        return error->status;
    }
    return iso_recording_open(&recovery->recording, recovery->bytes, recovery->size, mode, error);
}

void iso__recovery_release(iso__recovery *recovery) {
    ISO_ASSERT(recovery->bytes != NULL || recovery->recording.bytes == NULL);
    free(recovery->bytes);
    recovery->bytes = NULL;
    recovery->recording.bytes = NULL;
    recovery->recording.header.scene = NULL;
}

void iso__recovery_term(iso__recovery *recovery) {
    ISO_ASSERT(recovery->change_count <= recovery->change_capacity);
    iso__recovery_release(recovery);
    free(recovery->changes);
    recovery->changes = NULL;
    recovery->change_count = recovery->change_capacity = 0;
}

bool iso__recovery_note(iso__recovery *recovery, iso__recovery_change_kind kind, const char *name, const char *why) {
    ISO_ASSERT(kind <= ISO__RECOVERY_IGNORE && name[0] != '\0' && recovery->change_count <= recovery->change_capacity);
    if (recovery->change_count == recovery->change_capacity) {
        size_t capacity = recovery->change_capacity + 8;
        iso__recovery_change *changes = realloc(recovery->changes, capacity * sizeof *changes);
        if (changes == NULL) {
            iso__log_error("out of memory for the changes to %s", name);
            return false;
        }
        recovery->changes = changes;
        recovery->change_capacity = capacity;
    }
    iso__recovery_change *change = &recovery->changes[recovery->change_count++];
    change->kind = kind;
    snprintf(change->name, sizeof change->name, "%s", name);
    snprintf(change->why, sizeof change->why, "%s", why);
    return true;
}

// ---- Which file -------------------------------------------------------------------------------------

/// A search for the recordings of one session's name.
typedef struct search {
    iso__recovery *recovery; // what was found, and the changes to make
    const iso__disk *disk;
    const char *session;
    bool ignores_others;
    iso__recovery candidate; // of the uid that is examined
    bool is_lost;            // one of its files is damaged
    bool has_ignored_all;    // several could be continued, and none is
} search;

bool iso__recovery_find_next_epoch(iso__recovery *recovery, const iso__recording_list *list) {
    ISO_ASSERT(recovery->is_found);
    const iso_recording_header *header = &recovery->recording.header;
    char uid[ISO__RECORDING_UID_DIGITS + 1];
    iso__recording_format_uid(header->uid, uid);
    uint32_t epoch = header->epoch;
    const char *where = recovery->path;
    for (size_t i = 0; i < list->count; ++i) {
        const iso__recording_name *name = &list->names[i];
        if (memcmp(name->uid, uid, ISO__RECORDING_UID_DIGITS) != 0 || name->epoch <= epoch) {
            continue;
        }
        epoch = name->epoch;
        where = name->text;
    }
    recovery->next_epoch = epoch + 1;
    if (recovery->next_epoch == 0) {
        iso__log_session(ERROR, header->session,
                         "it cannot be continued from %s: %s has the last possible epoch, %" PRIu32 ", and none is "
                         "after it. Nothing was changed; move that file to another folder",
                         recovery->path, where, epoch);
    }
    return recovery->next_epoch != 0;
}

/// A file that is undamaged and cannot be continued.
static bool refuse(search *s, const char *name, const char *what, const iso_recording_header *header) {
    bool is_known = header->build[0] != '\0';
    if (s->ignores_others) {
        return iso__recovery_note(s->recovery, ISO__RECOVERY_IGNORE, name, what);
    }
    iso__log_session(
        ERROR, s->session,
        "it cannot be continued from %s: %s%s%s%s. Nothing was changed; --recover anew begins a new session and "
        "leaves the file as it is",
        name, what, is_known ? "; it was recorded by '" : "", header->build, is_known ? "'" : "");
    return false;
}

/// The content must match the file's name: the file may have been renamed.
static bool has_its_name(const iso_recording_header *header, const iso__recording_name *name) {
    char expected[ISO_RECORDER_NAME_SIZE];
    iso_recorder_make_name(header, name->number, name->kind == ISO__RECORDING_FILE_PART, expected);
    return strcmp(expected, name->text) == 0;
}

/// Whether the session of a sealed file continues. Only its end is read, since there may be very many files.
/// @return false after a message: the server must not start
static bool peek(search *s, const iso__recording_name *name, bool *goes_on) {
    int file = openat(s->disk->folder, name->text, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    bool is_read = file >= 0 && iso__footer_read(file, goes_on);
    int error = errno;
    if (file >= 0) {
        close(file);
    }
    return is_read || refuse(s, name->text, strerror(error), &(iso_recording_header){0});
}

/// Examines one file. @param usable  whether its session can be continued; the file is open then
/// @return false after a message: the server must not start
static bool judge(search *s, const iso__recording_name *name, iso__recovery *one, bool *usable) {
    iso_recording_error error;
    const iso_recording_header *header = &one->recording.header;
    *usable = false;
    const bool is_part = name->kind == ISO__RECORDING_FILE_PART;
    iso_status status = iso__recovery_read(one, s->disk->folder, name->text,
                                           is_part ? ISO_RECORDING_TORN : ISO_RECORDING_STRICT, &error);
    if (status == ISO_ERR_TRUNCATED && is_part) {
        return iso__recovery_note(s->recovery,
                                  iso_recording_holds_no_tick(&one->recording, error.offset) ? ISO__RECOVERY_REMOVE
                                                                                             : ISO__RECOVERY_KEEP_TORN,
                                  name->text, "");
    }
    if (status == ISO_ERR_CORRUPT && is_part) {
        char why[200];
        int size = snprintf(why, sizeof why, "%s at offset %" PRIu64 ", after tick %" PRIu64 " (%s)",
                            iso_status_name(status), error.offset, error.tick, error.what);
        if (error.durable_offset > 0 && size > 0 && (size_t)size < sizeof why) {
            snprintf(why + size, sizeof why - (size_t)size, "; durable were tick %" PRIu64 " and %" PRIu64 " bytes",
                     error.durable_tick, error.durable_offset);
        }
        s->is_lost = true;
        return iso__recovery_note(s->recovery, ISO__RECOVERY_PUT_ASIDE, name->text, why);
    }
    if (status != ISO_OK) {
        return refuse(s, name->text, error.what, header);
    }
    if (!has_its_name(header, name)) {
        return refuse(s, name->text, "it is of another session or epoch than its name says", header);
    }
    one->is_over = !is_part && !one->recording.is_degraded && !one->recording.goes_on;
    *usable = true;
    if (one->recording.is_degraded) {
        iso__log_warning("the recording %s ended at tick %" PRIu64
                         " because of a disk error; what its session did after that "
                         "is lost",
                         name->text, one->recording.last_tick);
    }
    return true;
}

/// Whether an earlier file of the session has all ticks of a later one, and its roster as well. Within an epoch ticks
/// may be in two files; a later epoch begins with the last state of an earlier one, and may be another branch after it.
static bool has_all_of(const iso__recovery *earlier, const iso__recovery *later) {
    const iso_recording *a = &later->recording, *b = &earlier->recording;
    if (a->header.epoch == b->header.epoch) {
        return b->last_tick >= a->last_tick;
    }
    return a->tick_count == 0 && b->last_tick == a->header.first_tick;
}

/// Notes which members were there at the end of a file.
static void hear_all(const iso__recovery *file, iso__roster *roster) {
    uint64_t offset = file->recording.frames_offset;
    iso_recording_frame frame;
    while (iso_recording_next(&file->recording, &offset, &frame)) {
        iso_recording_event event;
        if (frame.type == ISO_RECORDING_EVENT && iso_recording_read_event(&frame, &event) == ISO_OK) {
            iso__roster_hear(roster, &event);
        }
    }
}

void iso__recovery_choose(iso__recovery *recovery, const iso__recovery *one, const iso__recording_name *name) {
    ISO_ASSERT(one->bytes != NULL && one->bytes != recovery->bytes);
    iso__recovery_release(recovery);
    *recovery = *one;
    recovery->is_found = true;
    snprintf(recovery->name, sizeof recovery->name, "%s", name->text);
    if (name->kind != ISO__RECORDING_FILE_PART) {
        return;
    }
    snprintf(recovery->part_name, sizeof recovery->part_name, "%s", name->text);
    snprintf(recovery->final_name, sizeof recovery->final_name, "%.*s", (int)(strlen(name->text) - strlen(".part")),
             name->text);
}

/// Examines a file of a session whose later files have been examined.
static bool consider(search *s, const iso__recording_name *name) {
    iso__recovery one = {0}, *candidate = &s->candidate;
    bool usable, goes_on = judge(s, name, &one, &usable);
    if (!goes_on || !usable) {
        iso__recovery_release(&one);
        return goes_on;
    }
    bool replaces = !candidate->is_found || has_all_of(&one, candidate);
    const char *finished = replaces ? candidate->part_name : name->kind == ISO__RECORDING_FILE_PART ? name->text : "";
    if (finished[0] != '\0') {
        goes_on = iso__recovery_note(s->recovery, ISO__RECOVERY_FINISH, finished, "");
    }
    // It had begun with a keyframe, but its roster may not be complete yet.
    if (goes_on && !replaces && candidate->recording.tick_count == 0 && !candidate->has_before) {
        candidate->has_before = true;
        hear_all(&one, &candidate->before);
    }
    if (goes_on && replaces) {
        iso__recovery_choose(&s->candidate, &one, name);
    } else {
        iso__recovery_release(&one);
    }
    return goes_on;
}

/// Whether older files of the session are not continued. A damaged file had ticks that were reported to clients as
/// durable; to continue from an older one would take them back silently, at this start or at a later one.
static bool ends_search(const iso__recording_name *name) {
    return name->kind == ISO__RECORDING_FILE_IGNORED || name->kind == ISO__RECORDING_FILE_DAMAGED;
}

/// Whether one of these files is unfinished.
static bool has_part(const iso__recording_name *names, size_t count) {
    for (size_t i = 0; i < count && !ends_search(&names[i]); ++i) {
        if (names[i].kind == ISO__RECORDING_FILE_PART) {
            return true;
        }
    }
    return false;
}

/// Examines the files of one uid, the last one first. The file to continue from is then the candidate.
static bool search_session(search *s, const iso__recording_name *names, size_t count) {
    s->candidate = (iso__recovery){0};
    s->is_lost = false;
    bool saw_sealed = false;
    for (size_t i = 0; i < count && !ends_search(&names[i]) && !s->is_lost; ++i) {
        // Of the sealed files the last one says whether the session is over; it is read only when it could not be.
        bool matters = names[i].kind == ISO__RECORDING_FILE_SEALED && !saw_sealed;
        if (matters && !has_part(&names[i + 1], count - i - 1) && !peek(s, &names[i], &matters)) {
            return false;
        }
        saw_sealed = saw_sealed || names[i].kind == ISO__RECORDING_FILE_SEALED;
        if ((names[i].kind == ISO__RECORDING_FILE_PART || matters) && !consider(s, &names[i])) {
            return false;
        }
    }
    if (s->candidate.is_over) {
        iso__recovery_release(&s->candidate);
        s->candidate = (iso__recovery){0};
    }
    return true;
}

static bool note_ignored(search *s, iso__recovery *file) {
    bool is_noted = iso__recovery_note(s->recovery, ISO__RECOVERY_IGNORE, file->name, "");
    iso__recovery_release(file);
    file->is_found = false;
    file->name[0] = file->part_name[0] = file->final_name[0] = '\0';
    return is_noted;
}

/// Takes the candidate, unless there is another one: it is then unknown which of them the server ran last.
static bool take_candidate(search *s) {
    iso__recovery *recovery = s->recovery;
    if (recovery->is_found && !s->ignores_others) {
        iso__log_session(ERROR, s->session,
                         "two sessions of this name can be continued: %s and %s. Nothing was changed; move one of them "
                         "to another folder, or use --recover anew to begin a new session and ignore both",
                         recovery->path, s->candidate.path);
        iso__recovery_release(&s->candidate);
        return false;
    }
    if (recovery->is_found || s->has_ignored_all) {
        s->has_ignored_all = true;
        return (!recovery->is_found || note_ignored(s, recovery)) && note_ignored(s, &s->candidate);
    }
    s->candidate.changes = recovery->changes;
    s->candidate.change_count = recovery->change_count;
    s->candidate.change_capacity = recovery->change_capacity;
    *recovery = s->candidate;
    return true;
}

/// @param uid  of a session whose files are skipped, or ""
static bool search_list(search *s, const iso__recording_list *list, const char *uid) {
    for (size_t i = 0, count; i < list->count; i += count) {
        const iso__recording_name *names = &list->names[i];
        for (count = 1;
             i + count < list->count && memcmp(names[count].uid, names[0].uid, ISO__RECORDING_UID_DIGITS) == 0;) {
            ++count;
        }
        if (strcmp(names[0].uid, uid) == 0) {
            continue;
        }
        bool is_searched = search_session(s, names, count);
        if (!is_searched) {
            iso__recovery_release(&s->candidate);
        }
        if (!is_searched || (s->candidate.is_found && !take_candidate(s))) {
            return false;
        }
    }
    return true;
}

bool iso__recovery_find(iso__recovery *recovery, const iso__disk *disk, const char *session, bool ignores_others) {
    ISO_ASSERT(disk->folder >= 0);
    *recovery = (iso__recovery){0};
    iso__recording_list list = {0};
    search s = {.recovery = recovery, .disk = disk, .session = session, .ignores_others = ignores_others};
    bool is_searched = iso__recording_list_files(&list, disk, session) && search_list(&s, &list, "");
    if (is_searched && recovery->part_name[0] != '\0') {
        is_searched = iso__recovery_note(recovery, ISO__RECOVERY_SEAL, recovery->part_name, "");
    }
    if (is_searched && recovery->is_found) {
        is_searched = iso__recovery_find_next_epoch(recovery, &list);
    }
    free(list.names);
    return is_searched;
}

bool iso__recovery_ignore(iso__recovery *recovery) {
    ISO_ASSERT(recovery->name[0] != '\0');
    char name[ISO_RECORDER_NAME_SIZE];
    memcpy(name, recovery->name, sizeof name);
    // It stays as it is, since it is unsealed as well.
    size_t kept = 0;
    for (size_t i = 0; i < recovery->change_count; ++i) {
        if (strcmp(recovery->changes[i].name, name) != 0) {
            recovery->changes[kept++] = recovery->changes[i];
        }
    }
    recovery->change_count = kept;
    recovery->is_found = false;
    recovery->name[0] = recovery->part_name[0] = recovery->final_name[0] = '\0';
    recovery->roster = (iso__roster){0};
    return iso__recovery_note(recovery, ISO__RECOVERY_IGNORE, name, "");
}

bool iso__recovery_search_others(iso__recovery *recovery, const iso__disk *disk, const iso__recording_list *list,
                                 bool ignores_others) {
    ISO_ASSERT(recovery->is_found && disk->folder >= 0);
    const iso_recording_header *header = &recovery->recording.header;
    iso__recovery others = {0};
    search s = {.recovery = &others, .disk = disk, .session = header->session, .ignores_others = ignores_others};
    char uid[ISO__RECORDING_UID_DIGITS + 1];
    iso__recording_format_uid(header->uid, uid);
    bool goes_on = search_list(&s, list, uid);
    if (goes_on && others.is_found && !ignores_others) {
        iso__log_session(ERROR, header->session,
                         "--resume: %s is of another session of this name, which can be continued; move it to another "
                         "folder, or use --recover anew to ignore it",
                         others.path);
    }
    goes_on = goes_on && (!others.is_found || (ignores_others && note_ignored(&s, &others)));
    iso__recovery_release(&others);
    recovery->changes = others.changes;
    recovery->change_count = others.change_count;
    recovery->change_capacity = others.change_capacity;
    return goes_on;
}

// ---- Sessions that are not hosted ---------------------------------------------------------------------

/// The file that a start which hosts the session would continue from, as far as names and the end of the last sealed
/// file show. @return NULL: its session is over
static const iso__recording_name *find_left(const iso__disk *disk, const iso__recording_name *names, size_t count) {
    for (size_t i = 0; i < count && !ends_search(&names[i]); ++i) {
        if (names[i].kind == ISO__RECORDING_FILE_PART) {
            return &names[i];
        }
        if (names[i].kind != ISO__RECORDING_FILE_SEALED) {
            continue;
        }
        bool goes_on = false;
        int file = openat(disk->folder, names[i].text, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
        bool is_read = file >= 0 && iso__footer_read(file, &goes_on);
        if (file >= 0) {
            close(file);
        }
        return is_read && goes_on ? &names[i] : NULL;
    }
    return NULL;
}

void iso__recovery_warn_of_unhosted(const iso__disk *disk, bool (*is_hosted)(const void *user, const char *session),
                                    const void *user) {
    ISO_ASSERT(disk->folder >= 0);
    iso__recording_list list = {0};
    size_t count = iso__recording_list_files(&list, disk, NULL) ? list.count : 0;
    for (size_t i = 0, end; i < count; i = end) {
        const iso__recording_name *first = &list.names[i];
        for (end = i + 1; end < count && strcmp(list.names[end].session, first->session) == 0 &&
                          strcmp(list.names[end].uid, first->uid) == 0;) {
            ++end;
        }
        const iso__recording_name *left = is_hosted(user, first->session) ? NULL : find_left(disk, first, end - i);
        if (left != NULL) {
            iso__log_session(WARNING, left->session,
                             "it is not hosted by this start, and its recording %s could be continued: --session %s "
                             "does so",
                             left->text, left->session);
        }
    }
    free(list.names);
}

bool iso__recovery_find_left(const iso__disk *disk, const char *session, char *name, size_t size) {
    ISO_ASSERT(disk->folder >= 0 && size > 0);
    iso__recording_list list = {0};
    const bool is_read = iso__recording_list_files(&list, disk, session);
    name[0] = '\0';
    for (size_t i = 0, end; is_read && i < list.count; i = end) {
        for (end = i + 1; end < list.count && strcmp(list.names[end].uid, list.names[i].uid) == 0;) {
            ++end;
        }
        const iso__recording_name *left = find_left(disk, &list.names[i], end - i);
        if (left != NULL) {
            snprintf(name, size, "%s", left->text);
        }
    }
    free(list.names);
    return is_read;
}

void iso__recovery_remove_all(const iso__disk *disk, const char *session, const uint8_t *uid) {
    ISO_ASSERT(disk->folder >= 0);
    iso__recording_list list = {0};
    char text[ISO__RECORDING_UID_DIGITS + 1];
    iso__recording_format_uid(uid, text);
    const bool is_read = iso__recording_list_files(&list, disk, session);
    for (size_t i = 0; is_read && i < list.count; ++i) {
        if (strcmp(list.names[i].uid, text) == 0) {
            iso__disk_remove(disk, list.names[i].text);
        }
    }
    free(list.names);
}
