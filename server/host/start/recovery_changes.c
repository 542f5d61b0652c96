/// Changes to the files that a killed server has left, made when nothing can fail any more: sealed, set aside, ignored.
#include "host/start/recovery_changes.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host/start/recovery_files.h"
#include "host/start/recovery_torn.h"
#include "host/watch/log.h"
#include "isostep/assert.h"

/// Every keyframe, or every second, fourth, … of them.
static uint32_t collect_index(const iso_recording *recording, iso_recording_index_entry *entries) {
    uint32_t count = 0, seen = 0, stride = recording->keyframe_count / ISO_RECORDING_INDEX_MAX + 1;
    uint64_t offset = recording->frames_offset;
    iso_recording_frame frame;
    while (iso_recording_next(recording, &offset, &frame)) {
        iso_recording_keyframe keyframe;
        if (frame.type == ISO_RECORDING_KEYFRAME && seen++ % stride == 0 && count < ISO_RECORDING_INDEX_MAX &&
            iso_recording_read_keyframe(&frame, &keyframe) == ISO_OK) {
            entries[count++] = (iso_recording_index_entry){.tick = keyframe.tick, .offset = frame.offset};
        }
    }
    return count;
}

/// The FOOTER and trailer for a file that has none. @return their size, 0 without memory
static size_t encode_end(const iso_recording *recording, uint8_t **bytes) {
    iso_recording_index_entry *entries = malloc(ISO_RECORDING_INDEX_MAX * sizeof *entries);
    size_t capacity = iso_recording_end_bound(ISO_RECORDING_INDEX_MAX), size = 0;
    *bytes = malloc(capacity);
    if (entries != NULL && *bytes != NULL) {
        iso_recording_footer footer = {
            .last_tick = recording->last_tick,
            .goes_on = true,
            .has_root = recording->has_root,
            .root_tick = recording->root_tick,
            .root = recording->root,
            .entries = entries,
            .entry_count = collect_index(recording, entries),
        };
        iso_recording_chain chain = recording->chain;
        size = iso_recording_encode_end(&footer, recording->size, &chain, *bytes, capacity);
    }
    free(entries);
    return size;
}

static iso_status write_end(const iso__recovery *recovery, iso__disk *disk, const char *name) {
    const iso_recording *recording = &recovery->recording;
    uint8_t *end = NULL;
    size_t size = encode_end(recording, &end), written;
    iso_status status = size > 0 ? iso__recovery_keep_torn(recovery, disk->folder, name) : ISO_ERR_IO;
    if (status == ISO_OK) {
        status = iso__disk_truncate(disk, recording->size);
    }
    if (status == ISO_OK) {
        status = iso__disk_write(disk, end, size, recording->size, &written);
    }
    free(end);
    return status;
}

iso_status iso__recovery_seal(const iso__recovery *recovery, int folder, const char *name) {
    ISO_ASSERT(folder >= 0);
    iso__disk disk = {.folder = folder, .file = openat(folder, name, O_WRONLY | O_CLOEXEC)};
    snprintf(disk.name, sizeof disk.name, "%s", name);
    iso_status status = disk.file >= 0 ? ISO_OK : ISO_ERR_IO;
    if (status == ISO_OK && !recovery->recording.is_sealed) {
        status = write_end(recovery, &disk, name);
    }
    // Also one that has its end: the process before may have died before its sync, or the sync has failed.
    if (status == ISO_OK) {
        status = iso__disk_sync(&disk);
    }
    if (disk.file >= 0) {
        close(disk.file);
    }
    if (status != ISO_OK) {
        iso__log_warning("the recording %s cannot be sealed; it stays as it is", name);
    }
    return status;
}

static void set_aside(const iso__disk *disk, const char *name, const char *why) {
    char aside[ISO_RECORDER_NAME_SIZE + 24];
    if (!iso__recovery_find_free_name(disk->folder, name, strlen(name), ISO__RECORDING_DAMAGED, aside, sizeof aside)) {
        iso__log_warning("the recording %s cannot be continued: %s; it keeps its name, since there are %u damaged "
                         "recordings already, up to %s: move them to another folder",
                         name, why, ISO__RECOVERY_COPIES_MAX, aside);
    } else {
        iso__log_warning("the recording %s cannot be continued: %s; it %s %s", name, why,
                         iso__disk_rename(disk, name, aside) == ISO_OK ? "is renamed to" : "could not be renamed to",
                         aside);
    }
}

static void keep_torn(const iso__disk *disk, const char *name) {
    char aside[ISO_RECORDER_NAME_SIZE + 24];
    if (!iso__recovery_find_free_name(disk->folder, name, strlen(name) - strlen(".part"), ISO__RECORDING_TORN, aside,
                                      sizeof aside)) {
        iso__log_warning("the recording %s, whose beginning is torn, keeps its name: there are %u copies of torn "
                         "ends already, up to %s; move them to another folder",
                         name, ISO__RECOVERY_COPIES_MAX, aside);
    } else if (iso__disk_rename(disk, name, aside) == ISO_OK) {
        iso__log_warning("the beginning of the recording %s is torn, and it cannot be continued; the rest of it is "
                         "kept as %s",
                         name, aside);
    }
}

static void remove_empty(const iso__disk *disk, const char *name) {
    if (iso__disk_remove(disk, name) == ISO_OK) {
        iso__log_info("the recording %s had not begun and is removed", name);
    }
}

static void ignore(const iso__disk *disk, const char *name) {
    char mark[ISO_RECORDER_NAME_SIZE + 16];
    snprintf(mark, sizeof mark, "%s" ISO__RECORDING_IGNORED, name);
    int file = openat(disk->folder, mark, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666);
    if (file < 0 || fsync(file) != 0) {
        iso__log_warning("%s cannot be created: %s; the next start will find %s again", mark, strerror(errno), name);
    } else {
        iso__log_warning("the recording %s is ignored; remove %s to continue from it", name, mark);
    }
    if (file >= 0) {
        close(file);
    }
}

static bool seal(const iso__disk *disk, const iso__recovery_change *change) {
    iso__recovery file = {0};
    iso_recording_error error;
    char final_name[ISO_RECORDER_NAME_SIZE];
    snprintf(final_name, sizeof final_name, "%.*s", (int)(strlen(change->name) - strlen(".part")), change->name);
    iso_status status = iso__recovery_read(&file, disk->folder, change->name, ISO_RECORDING_TORN, &error);
    if (status != ISO_OK) {
        iso__log_warning("the recording %s cannot be sealed: %s", change->name, error.what);
    } else {
        status = iso__recovery_seal(&file, disk->folder, change->name);
    }
    if (status == ISO_OK && change->kind == ISO__RECOVERY_FINISH &&
        iso__disk_rename(disk, change->name, final_name) == ISO_OK) {
        iso__disk_share(disk, final_name);
        iso__log_info("the recording %s is sealed, up to tick %" PRIu64, final_name, file.recording.last_tick);
    }
    iso__recovery_term(&file);
    return status == ISO_OK;
}

bool iso__recovery_commit(iso__recovery *recovery, const iso__disk *disk) {
    ISO_ASSERT(recovery->change_count <= recovery->change_capacity);
    // The file that is continued has to survive a power cut before any other is changed.
    bool is_safe = true;
    for (size_t i = 0; i < recovery->change_count; ++i) {
        if (recovery->changes[i].kind == ISO__RECOVERY_SEAL) {
            is_safe = seal(disk, &recovery->changes[i]) && iso__disk_sync_folder(disk) == ISO_OK;
        }
    }
    for (size_t i = 0; i < recovery->change_count && is_safe; ++i) {
        const iso__recovery_change *change = &recovery->changes[i];
        switch (change->kind) {
        case ISO__RECOVERY_SEAL:
            break;
        case ISO__RECOVERY_FINISH:
            seal(disk, change);
            break;
        case ISO__RECOVERY_REMOVE:
            remove_empty(disk, change->name);
            break;
        case ISO__RECOVERY_KEEP_TORN:
            keep_torn(disk, change->name);
            break;
        case ISO__RECOVERY_PUT_ASIDE:
            set_aside(disk, change->name, change->why);
            break;
        case ISO__RECOVERY_IGNORE:
            ignore(disk, change->name);
            break;
        }
    }
    if (recovery->change_count > 0) {
        iso__disk_sync_folder(disk);
    }
    recovery->change_count = 0;
    return is_safe;
}
