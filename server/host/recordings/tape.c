#include "host/recordings/tape.h"

#include <sodium.h>

#include "base/clock.h"
#include "isostep/assert.h"

/// A file without a recorder is one that could not be begun.
static bool says_why(const iso__tape *tape) {
    return tape->recorder != NULL || tape->status != ISO_OK;
}

iso_status iso__tape_handle(iso__tape *tape, const iso_recorder_event *event) {
    return tape->recorder != NULL ? iso_recorder_handle(tape->recorder, iso__clock_now(), event) : ISO_OK;
}

iso_recorder_progress iso__tape_progress(const iso__tape *tape) {
    ISO_ASSERT(says_why(tape));
    iso_recorder_progress progress = {.is_degraded = true, .is_finished = true, .status = tape->status, .name = ""};
    if (tape->recorder != NULL) {
        iso_recorder_get_progress(tape->recorder, &progress);
    }
    return progress;
}

void iso__tape_mark_begin(iso__tape *tape) {
    ISO_ASSERT(says_why(tape));
    iso_recorder_progress progress = iso__tape_progress(tape);
    tape->begin_size = progress.written_size + progress.waiting_size;
}

bool iso__tape_is_settled(const iso__tape *tape) {
    ISO_ASSERT(says_why(tape));
    iso_recorder_progress progress = iso__tape_progress(tape);
    return progress.is_sealed || (tape->begin_size > 0 && progress.synced_size >= tape->begin_size);
}

void iso__tape_close(iso__tape *tape) {
    ISO_ASSERT(tape->recorder != NULL || tape->disk.file < 0);
    if (tape->recorder != NULL) {
        iso_recorder_destroy(tape->recorder);
    }
    if (tape->disk.file >= 0) {
        iso__disk_close_file(&tape->disk);
    }
    tape->recorder = NULL;
    tape->is_created = false;
}

iso_status iso__tape_open(iso__tape *tape, const iso_recorder_config *config, int folder,
                          const iso_recording_header *header) {
    ISO_ASSERT(tape->recorder == NULL && folder >= 0);
    *tape = (iso__tape){.disk = {.folder = folder, .file = -1}, .first_tick = header->first_tick};
    iso_recording_header own = *header;
    randombytes_buf(&own.salt, sizeof own.salt);
    iso_status status = iso_recorder_create(config, &tape->recorder);
    if (status == ISO_OK) {
        status = iso__tape_handle(tape, &(iso_recorder_event){.kind = ISO_RECORDER_OPEN, .header = &own});
    }
    tape->status = status;
    if (status != ISO_OK) {
        iso__tape_close(tape);
    }
    return status;
}
