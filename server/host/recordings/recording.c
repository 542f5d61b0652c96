/// How the writer's thread writes a recording. What the worker hands in: recording_hand_in.c.
#include "host/recordings/recording.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/affinity.h"
#include "base/clock.h"
#include "host/watch/log.h"
#include "host/recordings/created_mark.h"
#include "host/recordings/recording_items.h"
#include "host/recordings/recording_names.h"
#include "host/recordings/settings.h"
#include "host/recordings/writer_queue.h"
#include "isostep/proto/compression.h"

// More kept ticks than a keyframe's interval and its delay: then the session takes no keyframes.
#define KEPT_MAX 1024u
// A keyframe that is later than this does not begin a file: its ticks might not fit the recorder.
#define ROLL_LAG_MAX 200u
// Delay between attempts to create the file that says that a session is over.
#define OVER_WAIT_MIN_NS UINT64_C(500000000)
#define OVER_WAIT_MAX_NS UINT64_C(32000000000)

static iso__recording_file *present_file(iso__recording *recording) {
    return &recording->files[recording->present];
}

static iso__recording_file *ending_file(iso__recording *recording) {
    return &recording->files[1 - recording->present];
}

// ---- The writer's side: files -----------------------------------------------------------------------

static iso_status open_file(iso__recording *recording, iso__recording_file *file, const iso_recording_header *header,
                            uint32_t number) {
    iso_recorder_config config = {
        .allocator = iso__memory_allocator(recording->config.memory),
        .buffer_size = recording->buffer_size,
        .number = number,
    };
    return iso__recording_file_open(file, &config, recording->writer->folder, header);
}

static size_t buffer_size_for(size_t scene_size, size_t state_size_max) {
    if (state_size_max > ISO_RECORDING_SNAPSHOT_SIZE_MAX) {
        state_size_max = ISO_RECORDING_SNAPSHOT_SIZE_MAX;
    }
    return iso_recorder_buffer_size(scene_size, iso_compress_bound(state_size_max));
}

size_t iso__recording_memory(size_t scene_size, size_t state_size_max) {
    return iso_recorder_memory(buffer_size_for(scene_size, state_size_max));
}

iso_status iso__recording_init(iso__recording *recording, iso__writer *writer, const iso__recording_config *config) {
    // One that joins is taken by the writer itself.
    ISO_ASSERT(config->joins ||
               (iso__affinity_is_here(&writer->affinity) && writer->recording_count < writer->recording_max));
    *recording = (iso__recording){.config = *config,
                                  .writer = writer,
                                  .number = 1,
                                  .first_number = 1,
                                  .roster = config->roster,
                                  .is_roster_due = true};
    recording->files[1].disk.file = -1;
    // Before its settings and its mark are written: a folder that is followed meanwhile gets them again.
    recording->folder_moves = writer->home != NULL ? atomic_load(&writer->home->moves) : 0;
    pthread_mutex_init(&recording->mutex, NULL);
    recording->buffer_size = buffer_size_for(config->header.scene_size, config->state_size_max);
    iso_status status = open_file(recording, &recording->files[0], &config->header, 1);
    if (status == ISO_OK && !config->joins) {
        writer->recordings[writer->recording_count++] = recording;
    }
    return status;
}

static void drop_kept(iso__recording *recording, uint64_t up_to) {
    while (recording->kept != NULL && recording->kept->tick.input.tick <= up_to) {
        iso__kept_tick *tick = recording->kept;
        recording->kept = tick->next;
        --recording->kept_count;
        free(tick);
    }
    recording->is_keeping = recording->is_keeping && up_to != UINT64_MAX;
}

void iso__recording_term(iso__recording *recording) {
    ISO__ASSERT_ON(&recording->affinity); // the writer has let it go
    drop_kept(recording, UINT64_MAX);
    iso__recording_file_close(&recording->files[0]);
    iso__recording_file_close(&recording->files[1]);
    pthread_mutex_destroy(&recording->mutex);
}

// ---- The writer's side: the disk --------------------------------------------------------------------

/// Puts what belongs to the session beside its files into another folder than the one that it was put into, which the
/// writer has followed meanwhile. Without its settings nothing is recorded there: the next start would let everybody
/// in.
static bool bring_settings(iso__recording *recording) {
    const iso__folder *home = recording->writer->home;
    const iso__recording_config *config = &recording->config;
    const uint32_t moves = home != NULL ? atomic_load(&home->moves) : recording->folder_moves;
    if (recording->folder_moves == moves) {
        return true;
    }
    recording->config.part_name[0] = '\0'; // it stays where it is
    const iso__disk disk = {.folder = home->file, .file = -1};
    if (config->settings != NULL &&
        !iso__settings_write(config->settings, &disk, config->header.session, config->header.uid)) {
        return false;
    }
    if (config->has_mark && iso__created_mark_create(&disk, config->header.session) != ISO_OK) {
        return false;
    }
    recording->folder_moves = moves;
    return true;
}

/// Carries out one action. @return false for a SYNC, whose answer comes later.
static bool carry_out(iso__recording *recording, uint8_t index, const iso_recorder_action *action,
                      iso_recorder_event *done) {
    iso__disk *disk = &recording->files[index].disk;
    *done = (iso_recorder_event){.kind = ISO_RECORDER_DONE, .action = action->kind};
    switch ((iso_recorder_action_kind)action->kind) {
    case ISO_RECORDER_CREATE_FILE:
        done->status = bring_settings(recording) ? iso__disk_create_file(disk, action->name) : ISO_ERR_IO;
        recording->files[index].is_created = done->status == ISO_OK;
        return true;
    case ISO_RECORDER_APPEND:
        done->status = iso__disk_write(disk, action->bytes, action->size, action->offset, &done->size);
        return true;
    case ISO_RECORDER_SYNC:
        ++recording->syncs;
        iso__writer_push_sync(recording->writer, &(iso__recording_item){.recording = recording, .file = index});
        return false;
    case ISO_RECORDER_TRUNCATE:
        done->status = iso__disk_truncate(disk, action->offset);
        return true;
    case ISO_RECORDER_CLOSE:
        done->status = iso__disk_close_file(disk);
        return true;
    case ISO_RECORDER_RENAME:
        done->status = iso__disk_rename(disk, action->name, action->new_name);
        if (done->status == ISO_OK) {
            iso__disk_share(disk, action->new_name);
        }
        return true;
    case ISO_RECORDER_SYNC_FOLDER:
        done->status = iso__disk_sync_folder(disk);
        return true;
    }
    abort();
}

/// Carries out what a recorder asks for.
static void run_file(iso__recording *recording, uint8_t index) {
    iso__recording_file *file = &recording->files[index];
    iso_recorder_action action;
    while (file->recorder != NULL && iso_recorder_next_action(file->recorder, &action)) {
        iso_recorder_event done;
        if (carry_out(recording, index, &action, &done)) {
            iso__recording_file_handle(file, &done);
        }
    }
}

// ---- The writer's side: from one file to the next -----------------------------------------------------

/// Writes into a file which members were there when it began.
static void write_roster(iso__recording *recording, iso__recording_file *file) {
    recording->is_roster_due = false;
    for (uint32_t slot = 0; slot < ISO_SLOT_COUNT_MAX; ++slot) {
        if (recording->roster.is_there[slot]) {
            iso__recording_file_handle(
                file, &(iso_recorder_event){.kind = ISO_RECORDER_NOTE, .note = &recording->roster.events[slot]});
        }
    }
}

/// Writes the keyframe and the ticks after it into a new file. @return whether it has accepted all of them
static bool fill_next(iso__recording *recording, iso__recording_file *next, const iso_recorder_event *keyframe) {
    iso_status status = iso__recording_file_handle(next, keyframe);
    write_roster(recording, next);
    for (iso__kept_tick *tick = recording->kept; tick != NULL && status == ISO_OK; tick = tick->next) {
        const iso_recorder_event event = iso__kept_tick_event(tick);
        status = iso__recording_file_handle(next, &event);
    }
    return status == ISO_OK && !iso__recording_file_progress(next).is_degraded;
}

/// Ends a file when its successor can be continued after a power cut: until then it is the one to continue from. When
/// the successor ends before that, this one remains the one to continue from, and ends early as well.
static void seal_ending(iso__recording *recording) {
    const iso__recording_file *present = present_file(recording);
    if (!recording->is_seal_due) {
        return;
    }
    iso_recorder_progress progress = iso__recording_file_progress(present);
    bool is_settled = iso__recording_file_is_settled(present);
    if (!is_settled && !progress.is_finished) {
        return;
    }
    recording->is_seal_due = false;
    iso_recorder_event end = {
        .kind = is_settled ? ISO_RECORDER_SEAL : ISO_RECORDER_GIVE_UP, .goes_on = true, .status = progress.status};
    iso_status status = iso__recording_file_handle(ending_file(recording), &end);
    if (status != ISO_OK) {
        iso__log_session(ERROR, recording->config.header.session, "recording: a file was not sealed: %s",
                         iso_status_text(status));
    }
}

/// Writes what a new file begins with at once, while the present file can still go on instead of it.
/// @return false: the disk does not take it
static bool write_beginning(iso__recording *recording, uint8_t index) {
    iso__recording_file *next = &recording->files[index];
    const uint32_t syncs = recording->syncs;
    run_file(recording, index);
    if (!iso__recording_file_progress(next).is_degraded || recording->syncs != syncs) {
        return true;
    }
    iso__log_session(WARNING, recording->config.header.session,
                     "recording: the next file cannot be made, so %s goes on beyond its size",
                     iso__recording_file_progress(present_file(recording)).name);
    if (next->is_created) {
        iso__disk_remove(&next->disk, iso__recording_file_progress(next).name);
    }
    return false;
}

/// Begins another file with this keyframe, after which the present one is sealed.
/// @return false when that is not possible now; the keyframe then belongs to the present file
static bool roll(iso__recording *recording, const iso_recorder_event *keyframe) {
    uint64_t tick = keyframe->keyframe->tick;
    iso__recording_file *next = ending_file(recording);
    if (!recording->is_keeping || next->recorder != NULL || tick + 1 < recording->kept_first ||
        !iso__recording_file_is_settled(present_file(recording)) ||
        iso__recording_file_progress(present_file(recording)).is_degraded) {
        return false;
    }
    drop_kept(recording, tick);
    if (recording->kept_count > ROLL_LAG_MAX) {
        return false;
    }
    iso_recording_header header = recording->config.header;
    header.first_tick = tick;
    if (open_file(recording, next, &header, recording->number + 1) != ISO_OK) {
        return false;
    }
    if (!fill_next(recording, next, keyframe) || !write_beginning(recording, (uint8_t)(1 - recording->present))) {
        iso__recording_file_close(next);
        return false;
    }
    iso__recording_file_mark_begin(next);
    drop_kept(recording, UINT64_MAX);
    recording->present = 1 - recording->present;
    ++recording->number;
    recording->is_seal_due = true;
    return true;
}

/// Begins the recording again after it has ended early.
static void begin_again(iso__recording *recording, const iso__begin_block *block) {
    iso__recording_file *file = present_file(recording);
    ++recording->generation;
    recording->first_number = ++recording->number;
    recording->ended_size += iso__recording_file_progress(file).written_size;
    recording->roster = block->roster;
    recording->is_roster_due = false;
    drop_kept(recording, UINT64_MAX);
    iso__recording_file_close(file);
    // What lies where the folder's path leads: it may have been moved away and made again.
    if (recording->writer->home != NULL) {
        iso__folder_follow(recording->writer->home);
    }
    iso_recording_header header = recording->config.header;
    header.first_tick = block->keyframe.tick;
    iso_status status = open_file(recording, file, &header, recording->number);
    if (status == ISO_OK) {
        status = iso__recording_file_handle(file, &(iso_recorder_event){.kind = ISO_RECORDER_KEYFRAME,
                                                                        .keyframe = &block->keyframe,
                                                                        .stored = block->stored});
    }
    write_roster(recording, file);
    iso__recording_file_mark_begin(file);
    if (status != ISO_OK) {
        iso__log_session(ERROR, recording->config.header.session, "recording: it cannot begin again: %s",
                         iso_status_text(status));
    }
}

/// Keeps a tick's block when the present file is about to end. @return whether the block was kept
static bool keep(iso__recording *recording, iso__kept_tick *block) {
    if (recording->kept_count == KEPT_MAX) {
        drop_kept(recording, UINT64_MAX);
    }
    if (!recording->is_keeping) {
        recording->is_keeping =
            iso__recording_file_progress(present_file(recording)).written_size >= recording->config.roll_size &&
            ending_file(recording)->recorder == NULL;
        recording->kept_first = block->tick.input.tick;
    }
    if (!recording->is_keeping) {
        return false;
    }
    block->next = NULL;
    *(recording->kept != NULL ? &recording->kept_last->next : &recording->kept) = block;
    recording->kept_last = block;
    ++recording->kept_count;
    return true;
}

void iso__recording_take(iso__recording *recording, iso__recording_item *item) {
    ISO__ASSERT_ON(&recording->affinity);
    const iso_recorder_event *event = &item->event;
    if (event->kind == ISO_RECORDER_DONE) {
        --recording->syncs;
        iso__recording_file_handle(&recording->files[item->file], event);
        return;
    }
    if (event->kind == 0) {
        return; // the session is over, which iso__recording_act handles
    }
    bool is_data = event->kind != ISO_RECORDER_SEAL && event->kind != ISO_RECORDER_GIVE_UP;
    atomic_fetch_sub(&recording->waiting, is_data);
    if (event->kind == ISO_RECORDER_OPEN) {
        begin_again(recording, item->block);
        free(item->block);
        return;
    }
    bool rolled = event->kind == ISO_RECORDER_KEYFRAME && roll(recording, event);
    // The last file is sealed last: while one is unsealed, it is the one to continue from.
    bool waits = event->kind == ISO_RECORDER_SEAL && ending_file(recording)->recorder != NULL;
    if (waits) {
        recording->is_end_due = true;
        recording->end = *event;
    }
    iso_status status = rolled || waits ? ISO_OK : iso__recording_file_handle(present_file(recording), event);
    // A keyframe that does not fit is counted by the recorder.
    if (status != ISO_OK && status != ISO_ERR_BUFFER) {
        iso__log_session(ERROR, recording->config.header.session, "recording: the recorder refused event %u: %s",
                         event->kind, iso_status_text(status));
    }
    if (event->kind == ISO_RECORDER_NOTE) {
        iso__roster_hear(&recording->roster, event->note);
    }
    if (event->kind == ISO_RECORDER_KEYFRAME && recording->is_roster_due && status == ISO_OK) {
        write_roster(recording, present_file(recording));
        iso__recording_file_mark_begin(present_file(recording));
    }
    if (event->kind != ISO_RECORDER_TICK || !keep(recording, item->block)) {
        free(item->block);
    }
}

// ---- The writer's side: what it reports, and the ends ------------------------------------------------

/// What has changed since the last report? Combines the numbers of both files: the one that is being sealed has all
/// ticks up to some after the first one of the present file.
static iso__recording_report make_report(iso__recording *recording) {
    iso_recorder_progress present = iso__recording_file_progress(present_file(recording));
    iso__recording_report report = {
        // Before the file has begun it reports its first tick, which is not written yet.
        .written_tick = present.has_started ? present.written_tick : 0,
        .durable_tick = iso__recording_file_is_settled(present_file(recording)) ? present.durable_tick : 0,
        .has_started = present.has_started || recording->number > recording->first_number,
        .is_degraded = present.is_degraded,
        .is_finished = present.is_finished,
        .is_idle = present.is_finished && ending_file(recording)->recorder == NULL,
        .generation = recording->generation,
        .is_sealed = present.is_sealed && !recording->has_ended_badly,
        .status = present.status,
        .written_size = recording->ended_size + present.written_size,
        .skipped_keyframes = present.skipped_keyframes,
        .file_count = recording->number,
    };
    memcpy(report.name, present.name, strnlen(present.name, sizeof report.name - 1));
    const iso__recording_file *ending = ending_file(recording);
    if (ending->recorder != NULL) {
        iso_recorder_progress old = iso__recording_file_progress(ending);
        report.written_size += old.written_size;
        report.is_finished = report.is_finished && old.is_finished;
        if (old.written_tick > report.written_tick) {
            report.written_tick = old.written_tick;
        }
        if (old.durable_tick < present_file(recording)->first_tick || old.durable_tick > report.durable_tick) {
            report.durable_tick = old.durable_tick;
        }
    }
    return report;
}

static void publish(iso__recording *recording) {
    iso__recording_report report = make_report(recording);
    pthread_mutex_lock(&recording->mutex);
    const iso__recording_report *old = &recording->report;
    bool is_new = report.written_tick != old->written_tick || report.durable_tick != old->durable_tick ||
                  report.has_started != old->has_started || report.is_degraded != old->is_degraded ||
                  report.is_finished != old->is_finished || report.is_idle != old->is_idle ||
                  report.generation != old->generation;
    recording->report = report;
    pthread_mutex_unlock(&recording->mutex);
    // One wake until the worker has read the report, so the worker's queue cannot fill up with them.
    if (is_new && !atomic_exchange(&recording->report_is_new, true)) {
        recording->config.wake(recording->config.wake_user);
    }
}

/// Finishes the file that this recording continues from, which was needed until now.
static void finish_predecessor(iso__recording *recording) {
    iso__recording_config *config = &recording->config;
    // After a power cut one of the two files must be there to continue from.
    if (config->part_name[0] == '\0' || !iso__recording_file_is_settled(present_file(recording))) {
        return;
    }
    iso__disk *disk = &present_file(recording)->disk;
    if (iso__disk_rename(disk, config->part_name, config->final_name) == ISO_OK) {
        iso__disk_share(disk, config->final_name);
        iso__disk_sync_folder(disk);
    }
    config->part_name[0] = '\0';
}

/// After an early end: removes a file that cannot be continued. One that could not be sealed keeps its name.
static void finish_present(iso__recording *recording) {
    iso__recording_file *file = present_file(recording);
    iso_recorder_progress progress = iso__recording_file_progress(file);
    if (file->recorder == NULL || file->is_retired || !progress.is_finished) {
        return;
    }
    file->is_retired = true;
    recording->has_ended_badly = recording->has_ended_badly || !progress.is_sealed;
    if (!progress.has_started && file->is_created) {
        iso__disk_remove(&file->disk, progress.name);
    }
}

/// A file is finished when its successor can be continued. One that could not be sealed stays as it is.
static void finish_ending(iso__recording *recording) {
    iso__recording_file *file = ending_file(recording);
    if (file->recorder == NULL || !iso__recording_file_progress(file).is_finished) {
        return;
    }
    iso_recorder_progress progress = iso__recording_file_progress(file);
    recording->ended_size += progress.written_size;
    if (!progress.is_sealed) {
        recording->has_ended_badly = true;
        iso__log_session(ERROR, recording->config.header.session, "recording: %s was not sealed: %s", progress.name,
                         iso_status_text(progress.status));
    }
    iso__recording_file_close(file);
    recording->is_seal_due = false; // it may have ended by itself, after a disk error
    if (recording->is_end_due) {
        recording->is_end_due = false;
        iso__recording_file_handle(present_file(recording), &recording->end);
    }
}

/// Whether both files have ended, sealed or not.
static bool has_ended(const iso__recording *recording) {
    const iso__recording_file *files = recording->files;
    return files[1 - recording->present].recorder == NULL &&
           iso__recording_file_progress(&files[recording->present]).is_finished;
}

bool iso__recording_is_done(const iso__recording *recording) {
    ISO__ASSERT_ON(&recording->affinity);
    return has_ended(recording) && recording->syncs == 0 && !atomic_load(&recording->over_due);
}

/// Creates a file beside the last one that says that the session is over: see iso__recovery_find.
static iso_status ignore_last(iso__recording *recording) {
    const iso__recording_file *present = present_file(recording);
    iso_recorder_progress progress = iso__recording_file_progress(present);
    char name[ISO_RECORDER_NAME_SIZE], mark[ISO_RECORDER_NAME_SIZE + sizeof ISO__RECORDING_IGNORED];
    iso_recorder_make_name(&recording->config.header, recording->number, false, name);
    snprintf(mark, sizeof mark, "%s" ISO__RECORDING_IGNORED, progress.name[0] != '\0' ? progress.name : name);
    iso__disk disk = {.folder = present->disk.folder, .file = -1};
    if (!recording->is_created_over && iso__disk_create_file(&disk, mark) != ISO_OK) {
        return ISO_ERR_IO;
    }
    recording->is_created_over = true;
    if (disk.file >= 0) {
        iso__disk_close_file(&disk);
    }
    iso_status status = iso__disk_sync_folder(&disk);
    if (status == ISO_OK) {
        iso__log_session(WARNING, recording->config.header.session,
                         "recording: it could not be sealed when the session was closed; the file %s says that "
                         "the session is over",
                         mark);
    }
    return status;
}

/// Makes sure that the next start does not continue a session that is over.
static void say_over(iso__recording *recording, bool is_last) {
    uint64_t now = iso__clock_now();
    if (!atomic_load(&recording->over_due) || (!is_last && (!has_ended(recording) || now < recording->over_at_ns))) {
        return;
    }
    iso_recorder_progress progress = iso__recording_file_progress(present_file(recording));
    if ((progress.is_sealed && !progress.is_degraded) || ignore_last(recording) == ISO_OK) {
        atomic_store(&recording->over_due, false);
        return;
    }
    uint64_t longer = 2 * recording->over_wait_ns;
    recording->over_wait_ns = longer == 0 ? OVER_WAIT_MIN_NS : longer < OVER_WAIT_MAX_NS ? longer : OVER_WAIT_MAX_NS;
    recording->over_at_ns = now + recording->over_wait_ns;
}

void iso__recording_finish(iso__recording *recording) {
    ISO__ASSERT_ON(&recording->affinity);
    say_over(recording, true);
}

void iso__recording_act(iso__recording *recording) {
    ISO__ASSERT_ON(&recording->affinity);
    // Twice: the result for one file decides what to do with the other.
    for (int i = 0; i < 2; ++i) {
        seal_ending(recording);
        run_file(recording, 0);
        run_file(recording, 1);
        finish_ending(recording);
    }
    finish_predecessor(recording);
    finish_present(recording);
    say_over(recording, false);
    publish(recording);
}

void iso__recording_pass_time(iso__recording *recording, uint64_t now) {
    ISO__ASSERT_ON(&recording->affinity);
    for (uint32_t i = 0; i < 2; ++i) {
        if (recording->files[i].recorder != NULL) {
            iso_recorder_handle(recording->files[i].recorder, now, &(iso_recorder_event){.kind = ISO_RECORDER_TIME});
        }
    }
}

uint64_t iso__recording_next_deadline(const iso__recording *recording) {
    ISO__ASSERT_ON(&recording->affinity);
    uint64_t deadline = atomic_load(&recording->over_due) && has_ended(recording) ? recording->over_at_ns : UINT64_MAX;
    for (uint32_t i = 0; i < 2; ++i) {
        const iso_recorder *recorder = recording->files[i].recorder;
        uint64_t one = recorder != NULL ? iso_recorder_next_deadline(recorder) : UINT64_MAX;
        deadline = one < deadline ? one : deadline;
    }
    return deadline;
}

iso_status iso__recording_sync(iso__recording *recording, uint8_t index) {
    ISO_ASSERT(index < 2);
    iso__recording_file *file = &recording->files[index];
    iso_status status = iso__disk_sync(&file->disk);
    const iso__folder *home = recording->writer->home;
    if (status == ISO_OK && home != NULL && iso__folder_is_replaced(home)) {
        iso__log_error("recording: %s is no longer in the folder '%s': that was moved away, and another one made",
                       file->disk.name, home->path);
        return ISO_ERR_IO;
    }
    // Data on the disk is lost as long as its name is not there as well.
    if (status == ISO_OK && !file->name_is_durable) {
        status = iso__disk_sync_folder(&file->disk);
        file->name_is_durable = status == ISO_OK;
    }
    return status;
}
