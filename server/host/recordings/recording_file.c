#include "host/recordings/recording_file.h"

#include <sodium.h>

#include "base/clock.h"
#include "isostep/assert.h"

/// A file without a recorder is one that could not be begun.
static bool says_why(const iso__recording_file *file) {
    return file->recorder != NULL || file->status != ISO_OK;
}

iso_status iso__recording_file_handle(iso__recording_file *file, const iso_recorder_event *event) {
    return file->recorder != NULL ? iso_recorder_handle(file->recorder, iso__clock_now(), event) : ISO_OK;
}

iso_recorder_progress iso__recording_file_progress(const iso__recording_file *file) {
    ISO_ASSERT(says_why(file));
    iso_recorder_progress progress = {.is_degraded = true, .is_finished = true, .status = file->status, .name = ""};
    if (file->recorder != NULL) {
        iso_recorder_get_progress(file->recorder, &progress);
    }
    return progress;
}

void iso__recording_file_mark_begin(iso__recording_file *file) {
    ISO_ASSERT(says_why(file));
    iso_recorder_progress progress = iso__recording_file_progress(file);
    file->begin_size = progress.written_size + progress.waiting_size;
}

bool iso__recording_file_is_settled(const iso__recording_file *file) {
    ISO_ASSERT(says_why(file));
    iso_recorder_progress progress = iso__recording_file_progress(file);
    return progress.is_sealed || (file->begin_size > 0 && progress.synced_size >= file->begin_size);
}

void iso__recording_file_close(iso__recording_file *file) {
    ISO_ASSERT(file->recorder != NULL || file->disk.file < 0);
    if (file->recorder != NULL) {
        iso_recorder_destroy(file->recorder);
    }
    if (file->disk.file >= 0) {
        iso__disk_close_file(&file->disk);
    }
    file->recorder = NULL;
    file->is_created = false;
}

iso_status iso__recording_file_open(iso__recording_file *file, const iso_recorder_config *config, int folder,
                                    const iso_recording_header *header) {
    ISO_ASSERT(file->recorder == NULL && folder >= 0);
    *file = (iso__recording_file){.disk = {.folder = folder, .file = -1}, .first_tick = header->first_tick};
    iso_recording_header own = *header;
    randombytes_buf(&own.salt, sizeof own.salt);
    iso_status status = iso_recorder_create(config, &file->recorder);
    if (status == ISO_OK) {
        status = iso__recording_file_handle(file, &(iso_recorder_event){.kind = ISO_RECORDER_OPEN, .header = &own});
    }
    file->status = status;
    if (status != ISO_OK) {
        iso__recording_file_close(file);
    }
    return status;
}
