/// Continuing from a recording that is named: --resume, and --rewind, which goes back.
///
/// A server that is started again and again with --resume FILE goes on in its folder, in epochs of the same session. So
/// FILE names a session's history, not a point in it: the newest file that came from FILE is continued. Epochs may be
/// branches, so roots decide which file that is: each begins with a state that a file of an earlier epoch has.
#include "host/start/recovery_resume.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/recordings/recording_names.h"
#include "host/start/recovery_files.h"
#include "host/watch/log.h"
#include "isostep/assert.h"

/// A search for what came from a file.
typedef struct descent {
    const iso__disk *disk;
    const iso__recovery *from;        // the named file
    const iso__recording_name *names; // of its session in the folder, the last one first
    size_t count;
} descent;

static iso_recording_mode mode_of(const iso__recording_name *name) {
    return name->kind == ISO__RECORDING_FILE_PART ? ISO_RECORDING_TORN : ISO_RECORDING_STRICT;
}

static bool is_recording(const iso__recording_name *name) {
    return name->kind == ISO__RECORDING_FILE_PART || name->kind == ISO__RECORDING_FILE_SEALED;
}

/// Whether the file's root of a tick is this one.
static bool has_root(const iso_recording *recording, uint64_t tick, uint64_t root) {
    iso_recording_frame frame;
    iso_recording_tick one;
    iso_recording_keyframe keyframe;
    if (tick < recording->header.first_tick || tick > recording->last_tick) {
        return false;
    }
    if (recording->has_root && recording->root_tick == tick) {
        return recording->root == root;
    }
    for (uint64_t offset = recording->frames_offset; iso_recording_next(recording, &offset, &frame);) {
        if (frame.type == ISO_RECORDING_TICK && iso_recording_read_root(&frame, &one) == ISO_OK && one.has_root &&
            one.hashed_tick == tick) {
            return one.root == root;
        }
        if (frame.type == ISO_RECORDING_KEYFRAME && iso_recording_read_keyframe(&frame, &keyframe) == ISO_OK &&
            keyframe.tick == tick) {
            return keyframe.root == root;
        }
    }
    return false;
}

/// The first state of an epoch. @return false: its first file cannot be read
static bool find_beginning(const descent *d, uint32_t epoch, iso_recording_keyframe *first) {
    const iso__recording_name *name = NULL;
    for (size_t i = 0; i < d->count; ++i) {
        name = d->names[i].epoch == epoch && is_recording(&d->names[i]) ? &d->names[i] : name;
    }
    iso__recovery one = {0};
    iso_recording_error error;
    const bool is_read =
        name != NULL && iso__recovery_read(&one, d->disk->folder, name->text, mode_of(name), &error) == ISO_OK;
    if (is_read) {
        iso_recording_find_keyframe(&one.recording, one.recording.header.first_tick, first);
    }
    iso__recovery_release(&one);
    return is_read;
}

/// The epoch before this one that has its first state, no earlier than the named file's. @return false: none has
static bool find_parent(const descent *d, const iso_recording_keyframe *first, uint32_t *epoch) {
    const iso_recording *from = &d->from->recording;
    for (size_t i = 0; i < d->count; ++i) {
        const iso__recording_name *name = &d->names[i];
        iso__recovery one = {0};
        iso_recording_error error;
        if (!is_recording(name) || name->epoch >= *epoch || name->epoch < from->header.epoch) {
            continue;
        }
        const bool is_parent = iso__recovery_read(&one, d->disk->folder, name->text, mode_of(name), &error) == ISO_OK &&
                               has_root(&one.recording, first->tick, first->root);
        iso__recovery_release(&one);
        if (is_parent) {
            *epoch = name->epoch;
        }
        if (is_parent) {
            return true;
        }
    }
    // The named file may stand elsewhere.
    if (!has_root(from, first->tick, first->root)) {
        return false;
    }
    *epoch = from->header.epoch;
    return true;
}

/// Whether a file's session has come from the named file's last state. @param epoch  of the file
static bool comes_from(const descent *d, uint32_t epoch) {
    const iso_recording *from = &d->from->recording;
    iso_recording_keyframe first;
    while (epoch > from->header.epoch) {
        if (!find_beginning(d, epoch, &first) || first.tick < from->last_tick || !find_parent(d, &first, &epoch)) {
            return false;
        }
    }
    return epoch == from->header.epoch;
}

static bool refuse(const descent *d, const iso__recording_name *name, const char *what) {
    const iso_recording *from = &d->from->recording;
    iso__log_session(
        ERROR, from->header.session,
        "--resume: %s ends at tick %" PRIu64 " of epoch %" PRIu32
        "; %s in the folder of the recordings is newer and of the same session, but %s. Nothing was changed; "
        "name that file with --resume, or go back to this one with --rewind",
        d->from->path, from->last_tick, from->header.epoch, name->text, what);
    return false;
}

/// Whether a file may have what the named one does not have.
static bool is_newer(const descent *d, const iso_recording *one) {
    const iso_recording *from = &d->from->recording;
    return one->header.epoch == from->header.epoch ? one->last_tick > from->last_tick
                                                   : one->header.epoch > from->header.epoch;
}

/// The next recording in the list that can be read. @param one  open when there is one @return false after a message
static bool read_next(const descent *d, size_t *at, iso__recovery *one, const iso__recording_name **found) {
    *found = NULL;
    while (*at < d->count && *found == NULL) {
        const iso__recording_name *name = &d->names[(*at)++];
        // The mark of one that is ignored comes before it.
        const bool is_mark = name->kind == ISO__RECORDING_FILE_IGNORED && *at < d->count && is_recording(&name[1]) &&
                             strncmp(name->text, name[1].text, strlen(name[1].text)) == 0;
        *at += is_mark;
        if (!is_recording(name) || name->epoch < d->from->recording.header.epoch) {
            continue;
        }
        iso_recording_error error;
        const iso_status status = iso__recovery_read(one, d->disk->folder, name->text, mode_of(name), &error);
        // A server that was killed at its start leaves one without a state.
        if (status != ISO_OK && status != ISO_ERR_TRUNCATED) {
            return refuse(d, name, error.what);
        }
        const bool is_same = status == ISO_OK && memcmp(one->recording.header.uid, d->from->recording.header.uid,
                                                        sizeof one->recording.header.uid) == 0;
        *found = is_same ? name : NULL;
        if (!is_same) {
            iso__recovery_release(one);
        }
    }
    return true;
}

/// Finds the newest file. One without ticks that begins where the one before it ends adds nothing to that, which has
/// all members as well. @param newest  open when there is one that is newer than the named one @return false after a
/// message
static bool find_newest(const descent *d, iso__recovery *newest, const iso__recording_name **found) {
    size_t at = 0;
    if (!read_next(d, &at, newest, found)) {
        return false;
    }
    while (*found != NULL && newest->recording.tick_count == 0) {
        iso__recovery before = {0};
        const iso__recording_name *name = NULL;
        if (!read_next(d, &at, &before, &name)) {
            return false;
        }
        if (name == NULL || before.recording.last_tick != newest->recording.header.first_tick) {
            iso__recovery_release(&before);
            break;
        }
        iso__recovery_release(newest);
        *newest = before;
        *found = name;
    }
    if (*found != NULL && !is_newer(d, &newest->recording)) {
        iso__recovery_release(newest);
        *found = NULL;
    }
    return true;
}

/// Takes the newest file that came from the named one instead of that. @return false after a message
static bool go_on(iso__recovery *recovery, const iso__disk *disk, const iso__recording_list *list) {
    char uid[ISO__RECORDING_UID_DIGITS + 1];
    iso__recording_format_uid(recovery->recording.header.uid, uid);
    descent d = {.disk = disk, .from = recovery};
    for (size_t i = 0; i < list->count; ++i) {
        if (strcmp(list->names[i].uid, uid) != 0) {
            continue;
        }
        d.names = d.names == NULL ? &list->names[i] : d.names;
        ++d.count;
    }
    iso__recovery newest = {0};
    const iso__recording_name *name = NULL;
    bool is_right = find_newest(&d, &newest, &name);
    if (is_right && name != NULL && !comes_from(&d, name->epoch)) {
        is_right = refuse(&d, name, "did not come from it");
    }
    if (is_right && name != NULL) {
        iso__log_session(INFO, recovery->recording.header.session,
                         "--resume: %s ends at tick %" PRIu64
                         "; the session has gone on from there in %s, up to tick %" PRIu64 " (--rewind goes back)",
                         recovery->path, recovery->recording.last_tick, name->text, newest.recording.last_tick);
        iso__recovery_choose(recovery, &newest, name);
    } else {
        iso__recovery_release(&newest);
    }
    return is_right;
}

/// Reads the named file. @return false after a message
static bool open_named(iso__recovery *recovery, const char *path, const char *option) {
    size_t size = strlen(path);
    bool is_part = size >= 5 && strcmp(path + size - 5, ".part") == 0;
    iso_recording_error error;
    iso_status status =
        iso__recovery_read(recovery, AT_FDCWD, path, is_part ? ISO_RECORDING_TORN : ISO_RECORDING_STRICT, &error);
    if (status == ISO_ERR_IO || status == ISO_ERR_MEMORY || status == ISO_ERR_RANGE) {
        iso__log_error("%s: '%s' cannot be read: %s", option, path, error.what);
    } else if (status != ISO_OK) {
        iso__log_error("%s: '%s': %s at offset %" PRIu64 ", after tick %" PRIu64 ": %s", option, path,
                       iso_status_name(status), error.offset, error.tick, error.what);
    }
    return status == ISO_OK;
}

bool iso__recovery_open(iso__recovery *recovery, const iso__disk *disk, const char *path, bool goes_back,
                        bool ignores_others) {
    ISO_ASSERT(disk == NULL || disk->folder >= 0);
    *recovery = (iso__recovery){0};
    if (!open_named(recovery, path, goes_back ? "--rewind" : "--resume")) {
        return false;
    }
    recovery->is_found = true;
    iso__recording_list list = {0};
    bool is_right = disk == NULL || iso__recording_list_files(&list, disk, recovery->recording.header.session);
    if (is_right && disk != NULL && !goes_back) {
        is_right = go_on(recovery, disk, &list);
    }
    is_right = is_right && (disk == NULL || iso__recovery_search_others(recovery, disk, &list, ignores_others));
    if (is_right && recovery->part_name[0] != '\0') {
        is_right = iso__recovery_note(recovery, ISO__RECOVERY_SEAL, recovery->part_name, "");
    }
    is_right = is_right && iso__recovery_find_next_epoch(recovery, &list);
    free(list.names);
    return is_right;
}
