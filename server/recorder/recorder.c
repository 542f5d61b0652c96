/// The recorder's state machine. See recorder.h for its rules.
///
/// Frames go into one linear buffer; an APPEND covers everything that waits in it. During an APPEND waiting bytes are
/// not moved, only added to. Ticks are remembered in a ring, at T mod 256, until they are written and no keyframe can
/// refer to them any more.
#include "recorder.h"

#include <string.h>

#include "isostep/assert.h"

#define TICK_RING_SIZE  (ISO_RECORDING_KEYFRAME_LAG_MAX + 1u)
#define BUFFER_SIZE_MIN 65536u

typedef enum recorder_state {
    STATE_IDLE,     // before OPEN
    STATE_CREATING, // the file is being created
    STATE_OPEN,     // waiting bytes are appended
    STATE_CUTTING,  // after an error: the file is to be cut after the last complete tick
    STATE_SYNCING,  // everything is written; the last sync
    STATE_CLOSING,
    STATE_RENAMING,
    STATE_SYNCING_FOLDER,
    STATE_FINISHED,
} recorder_state;

/// What must be known of a tick until its frame is written, and after that for late keyframes.
typedef struct tick_entry {
    uint64_t end; // offset after its frame
    uint32_t checksum;
    bool has_root;
    uint64_t hashed_tick;
    uint64_t root;
} tick_entry;

struct iso_recorder {
    iso_allocator allocator;
    uint64_t sync_interval_ns;
    uint32_t number;
    uint8_t state;    // recorder_state
    bool is_file_out; // an action on the file, other than SYNC, is in progress
    bool is_sync_out;
    bool has_sync_failed; // never sync this file again
    bool has_put_end;     // FOOTER and trailer are in the buffer or in the file
    bool has_end_failed;  // they could not be written even after an error; the file keeps its .part name
    bool is_degraded;
    bool is_sealed;
    bool has_keyframe;
    iso_status status;
    uint8_t action_out; // iso_recorder_action_kind, when file_out

    uint64_t first_tick;
    uint64_t sealed_tick; // the last one that was handed in
    uint64_t written_tick;
    uint64_t durable_tick;
    uint64_t syncing_tick; // what the SYNC in progress covers
    uint64_t last_keyframe;
    uint64_t keyframe_end; // offset after the first keyframe
    uint32_t keyframe_checksum;
    uint64_t skipped_keyframes;

    uint64_t file_size; // written
    uint64_t syncing_size;
    uint64_t syncing_end; // end of the last commit that the SYNC in progress covers
    uint64_t synced_size;
    uint64_t data_end;   // after the last frame other than a MARK: MARKs alone need no sync
    uint64_t marked_end; // what the last MARK states
    uint64_t salt;
    iso_recording_chain chain; // after the last frame
    uint64_t now_ns;
    uint64_t next_sync_ns;

    uint8_t *buffer;
    size_t buffer_size;
    size_t buffer_start;
    size_t buffer_used; // bytes that wait, from buffer_start
    size_t append_size; // of these, what the APPEND in progress covers

    char part_name[ISO_RECORDER_NAME_SIZE];
    char final_name[ISO_RECORDER_NAME_SIZE];

    tick_entry ticks[TICK_RING_SIZE];
    bool has_final_root; // SEAL gave the last root
    bool goes_on;        // SEAL said that the session is not over
    uint64_t final_root_tick;
    uint64_t final_root;

    uint32_t index_count;
    uint32_t index_stride; // every keyframe, or every second, fourth, … of them is in the index
    uint64_t keyframe_count;
    iso_recording_index_entry index[ISO_RECORDING_INDEX_MAX];
};

/// Ticks: durable <= written <= handed in, and all that are not written have their places in the ring; the waiting
/// bytes are within the buffer.
static bool is_ordered(const iso_recorder *recorder) {
    return recorder->state <= STATE_FINISHED && recorder->durable_tick <= recorder->written_tick &&
           recorder->written_tick <= recorder->sealed_tick &&
           recorder->sealed_tick - recorder->written_tick < TICK_RING_SIZE &&
           recorder->syncing_tick <= recorder->written_tick && recorder->buffer_start <= recorder->buffer_size &&
           recorder->buffer_used <= recorder->buffer_size - recorder->buffer_start &&
           recorder->index_count <= ISO_RECORDING_INDEX_MAX;
}

static tick_entry *tick_at(iso_recorder *recorder, uint64_t tick) {
    return &recorder->ticks[tick % TICK_RING_SIZE];
}

/// Where the next frame will be in the file.
static uint64_t next_offset(const iso_recorder *recorder) {
    return recorder->file_size + recorder->buffer_used;
}

static uint8_t *buffer_end(const iso_recorder *recorder) {
    return recorder->buffer + recorder->buffer_start + recorder->buffer_used;
}

static size_t buffer_room(const iso_recorder *recorder) {
    return recorder->buffer_size - recorder->buffer_start - recorder->buffer_used;
}

/// Frames of that size were written to the buffer's end.
static void put_data(iso_recorder *recorder, size_t size) {
    recorder->buffer_used += size;
    recorder->data_end = size > 0 ? next_offset(recorder) : recorder->data_end;
}

/// Frees the first `size` bytes. The rest moves to the front as soon as it fits there without overlap.
static void buffer_drop(iso_recorder *recorder, size_t size) {
    recorder->buffer_start += size;
    recorder->buffer_used -= size;
    if (recorder->buffer_used <= recorder->buffer_start) {
        memcpy(recorder->buffer, recorder->buffer + recorder->buffer_start, recorder->buffer_used);
        recorder->buffer_start = 0;
    }
}

size_t iso_recorder_buffer_size(size_t scene_size, size_t stored_keyframe_size_max) {
    return iso_recording_head_bound(scene_size) + 2 * iso_recording_keyframe_bound(stored_keyframe_size_max) +
           8 * ISO_RECORDING_TICK_FRAME_MAX + iso_recording_end_bound(ISO_RECORDING_INDEX_MAX);
}

size_t iso_recorder_memory(size_t buffer_size) {
    return sizeof(iso_recorder) + buffer_size;
}

iso_status iso_recorder_create(const iso_recorder_config *config, iso_recorder **recorder) {
    ISO_ASSERT(recorder != NULL && config->allocator.allocate != NULL && config->allocator.release != NULL);
    const iso_allocator *allocator = &config->allocator;
    if (config->buffer_size < BUFFER_SIZE_MIN) {
        return ISO_ERR_RANGE;
    }
    iso_recorder *made = allocator->allocate(allocator->user, sizeof *made, 64);
    if (made == NULL) {
        return ISO_ERR_MEMORY;
    }
    memset(made, 0, sizeof *made);
    made->buffer = allocator->allocate(allocator->user, config->buffer_size, 64);
    if (made->buffer == NULL) {
        allocator->release(allocator->user, made, sizeof *made);
        return ISO_ERR_MEMORY;
    }
    made->allocator = *allocator;
    made->buffer_size = config->buffer_size;
    made->sync_interval_ns = config->sync_interval_ns != 0 ? config->sync_interval_ns : ISO_RECORDER_SYNC_INTERVAL_NS;
    made->number = config->number;
    made->index_stride = 1;
    *recorder = made;
    return ISO_OK;
}

void iso_recorder_destroy(iso_recorder *recorder) {
    ISO_ASSERT(is_ordered(recorder));
    const iso_allocator allocator = recorder->allocator;
    allocator.release(allocator.user, recorder->buffer, recorder->buffer_size);
    allocator.release(allocator.user, recorder, sizeof *recorder);
}

static char *name_put(char *at, const char *text) {
    while (*text != 0) {
        *at++ = *text++;
    }
    *at = 0;
    return at;
}

static char *name_put_number(char *at, uint32_t number) {
    char digits[11];
    size_t first = sizeof digits - 1;
    digits[first] = 0;
    do {
        digits[--first] = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0);
    return name_put(at, digits + first);
}

void iso_recorder_make_name(const iso_recording_header *header, uint32_t number, bool part, char *name) {
    char *at = name_put(name, header->session);
    *at++ = '-';
    for (size_t i = 0; i < 4; ++i) {
        *at++ = "0123456789abcdef"[header->uid[i] >> 4];
        *at++ = "0123456789abcdef"[header->uid[i] & 15];
    }
    *at++ = '-';
    at = name_put_number(at, header->epoch);
    if (number > 1) {
        *at++ = '.';
        at = name_put_number(at, number);
    }
    at = name_put(at, part ? ".isr.part" : ".isr");
    ISO_ASSERT((size_t)(at - name) < ISO_RECORDER_NAME_SIZE);
}

// ---- The end of a file ----------------------------------------------------------------------------

/// The last root that the file's complete ticks contain.
static void footer_set_root(iso_recorder *recorder, iso_recording_footer *footer) {
    if (recorder->has_final_root && recorder->final_root_tick <= footer->last_tick) {
        footer->has_root = true;
        footer->root_tick = recorder->final_root_tick;
        footer->root = recorder->final_root;
    } else if (footer->last_tick > recorder->first_tick && tick_at(recorder, footer->last_tick)->has_root) {
        const tick_entry *entry = tick_at(recorder, footer->last_tick);
        footer->has_root = true;
        footer->root_tick = entry->hashed_tick;
        footer->root = entry->root;
    }
}

/// Puts FOOTER and trailer after the waiting bytes. @return false when they do not fit
static bool put_end(iso_recorder *recorder, uint64_t last_tick) {
    iso_recording_footer footer = {
        .last_tick = last_tick,
        .is_degraded = recorder->is_degraded,
        .goes_on = recorder->goes_on,
        .entries = recorder->index,
        .entry_count = recorder->index_count,
    };
    footer_set_root(recorder, &footer);
    const size_t size = iso_recording_encode_end(&footer, next_offset(recorder), &recorder->chain, buffer_end(recorder),
                                                 buffer_room(recorder));
    put_data(recorder, size);
    return size > 0;
}

/// Notes an error; only the first one is reported.
static void note_error(iso_recorder *recorder, iso_status status) {
    recorder->status = recorder->is_degraded ? recorder->status : status;
    recorder->is_degraded = true;
}

/// Ends the recording early. Waiting bytes are dropped, except those that are being written.
static void degrade(iso_recorder *recorder, iso_status status) {
    note_error(recorder, status);
    recorder->has_put_end = false;
    recorder->state = recorder->state == STATE_CREATING ? STATE_FINISHED : STATE_CUTTING;
}

/// End of the last written commit, where a degraded file is cut: after the last complete tick, or after the first
/// keyframe.
static uint64_t commit_end(iso_recorder *recorder) {
    if (recorder->written_tick > recorder->first_tick) {
        return tick_at(recorder, recorder->written_tick)->end;
    }
    return recorder->keyframe_end;
}

static bool is_started(const iso_recorder *recorder) {
    return recorder->has_keyframe && recorder->file_size >= recorder->keyframe_end;
}

/// The file ends after its last complete tick: seal it there, unless that was tried before.
static void seal_cut_file(iso_recorder *recorder) {
    while (recorder->index_count > 0 && recorder->index[recorder->index_count - 1].offset >= recorder->file_size) {
        --recorder->index_count;
    }
    buffer_drop(recorder, recorder->buffer_used);
    recorder->sealed_tick = recorder->written_tick;
    recorder->chain.checksum = recorder->written_tick > recorder->first_tick
                                   ? tick_at(recorder, recorder->written_tick)->checksum
                                   : recorder->keyframe_checksum;
    recorder->has_put_end = !recorder->has_end_failed && put_end(recorder, recorder->written_tick);
    recorder->has_end_failed = !recorder->has_put_end;
    recorder->state = recorder->has_put_end ? STATE_OPEN : STATE_CLOSING;
}

// ---- Events ---------------------------------------------------------------------------------------

static iso_status handle_open(iso_recorder *recorder, const iso_recording_header *header) {
    if (recorder->state != STATE_IDLE) {
        return ISO_ERR_STATE;
    }
    const size_t size = iso_recording_encode_head(header, &recorder->chain, recorder->buffer, recorder->buffer_size);
    if (size == 0) {
        return ISO_ERR_RANGE;
    }
    put_data(recorder, size);
    recorder->salt = header->salt;
    recorder->first_tick = header->first_tick;
    recorder->sealed_tick = header->first_tick;
    recorder->written_tick = header->first_tick;
    recorder->durable_tick = header->first_tick;
    recorder->next_sync_ns = recorder->now_ns + recorder->sync_interval_ns;
    iso_recorder_make_name(header, recorder->number, true, recorder->part_name);
    iso_recorder_make_name(header, recorder->number, false, recorder->final_name);
    recorder->state = STATE_CREATING;
    return ISO_OK;
}

/// Adds a keyframe to the index; when that is full, every second entry goes.
static void index_add(iso_recorder *recorder, uint64_t tick, uint64_t offset) {
    const uint64_t number = recorder->keyframe_count++;
    if (recorder->index_count == ISO_RECORDING_INDEX_MAX) {
        recorder->index_stride *= 2;
        recorder->index_count /= 2;
        for (uint32_t i = 0; i < recorder->index_count; ++i) {
            recorder->index[i] = recorder->index[2 * i];
        }
    }
    if (number % recorder->index_stride == 0) {
        recorder->index[recorder->index_count++] = (iso_recording_index_entry){.tick = tick, .offset = offset};
    }
}

static bool takes_frames(const iso_recorder *recorder) {
    return (recorder->state == STATE_CREATING || recorder->state == STATE_OPEN) && !recorder->has_put_end;
}

static iso_status handle_keyframe(iso_recorder *recorder, const iso_recorder_event *event) {
    iso_recording_keyframe keyframe = *event->keyframe;
    const bool first = !recorder->has_keyframe;
    if (first ? keyframe.tick != recorder->first_tick
              : keyframe.tick <= recorder->last_keyframe || keyframe.tick > recorder->sealed_tick) {
        return ISO_ERR_STATE;
    }
    if (recorder->sealed_tick - keyframe.tick > ISO_RECORDING_KEYFRAME_LAG_MAX) {
        ++recorder->skipped_keyframes;
        return ISO_ERR_BUFFER;
    }
    const uint64_t offset = next_offset(recorder);
    keyframe.ticks_offset = first ? offset : tick_at(recorder, keyframe.tick)->end;
    const size_t size = iso_recording_encode_keyframe(&keyframe, event->stored, &recorder->chain, buffer_end(recorder),
                                                      buffer_room(recorder));
    if (size == 0 && first) {
        degrade(recorder, ISO_ERR_BUFFER);
        return ISO_OK;
    }
    if (size == 0) {
        ++recorder->skipped_keyframes;
        return ISO_ERR_BUFFER;
    }
    put_data(recorder, size);
    recorder->last_keyframe = keyframe.tick;
    if (first) {
        recorder->has_keyframe = true;
        recorder->keyframe_end = next_offset(recorder);
        recorder->keyframe_checksum = recorder->chain.checksum;
    }
    index_add(recorder, keyframe.tick, offset);
    return ISO_OK;
}

/// The frame of a tick at the buffer's end. @return its size; 0: it does not fit, or is out of bounds
static size_t put_tick(iso_recorder *recorder, const iso_recorder_event *event) {
    const size_t room = buffer_room(recorder);
    return event->sealed != NULL ? iso_recording_encode_sealed_tick(event->tick, event->sealed, event->sealed_size,
                                                                    &recorder->chain, buffer_end(recorder), room)
                                 : iso_recording_encode_tick(event->tick, &recorder->chain, buffer_end(recorder), room);
}

static iso_status handle_tick(iso_recorder *recorder, const iso_recorder_event *event) {
    const iso_recording_tick *tick = event->tick;
    if (!recorder->has_keyframe || tick->input.tick != recorder->sealed_tick + 1 ||
        (tick->has_root && tick->hashed_tick < recorder->first_tick)) {
        return ISO_ERR_STATE;
    }
    const size_t room = buffer_room(recorder);
    // A tick that is not written yet must keep its place in the ring.
    const bool ring_full = recorder->sealed_tick - recorder->written_tick >= TICK_RING_SIZE - 1;
    const size_t size = ring_full ? 0 : put_tick(recorder, event);
    if (size == 0) {
        if (!ring_full && room >= ISO_RECORDING_TICK_FRAME_MAX) {
            return ISO_ERR_RANGE;
        }
        degrade(recorder, ISO_ERR_BUFFER);
        return ISO_OK;
    }
    put_data(recorder, size);
    ++recorder->sealed_tick;
    *tick_at(recorder, recorder->sealed_tick) = (tick_entry){
        .end = next_offset(recorder),
        .checksum = recorder->chain.checksum,
        .has_root = tick->has_root,
        .hashed_tick = tick->hashed_tick,
        .root = tick->root,
    };
    return ISO_OK;
}

static iso_status handle_note(iso_recorder *recorder, const iso_recording_event *note) {
    if (!recorder->has_keyframe) {
        return ISO_ERR_STATE;
    }
    const size_t room = buffer_room(recorder);
    const size_t size = iso_recording_encode_event(note, &recorder->chain, buffer_end(recorder), room);
    put_data(recorder, size);
    return size > 0 ? ISO_OK : room < ISO_RECORDING_EVENT_FRAME_MAX ? ISO_ERR_BUFFER : ISO_ERR_RANGE;
}

static iso_status handle_seal(iso_recorder *recorder, const iso_recorder_event *event) {
    if (event->has_root && (event->root_tick > recorder->sealed_tick || event->root_tick < recorder->first_tick)) {
        return ISO_ERR_STATE;
    }
    if (!recorder->has_keyframe) {
        degrade(recorder, ISO_ERR_STATE);
        return ISO_OK;
    }
    recorder->has_final_root = event->has_root;
    recorder->goes_on = event->goes_on;
    recorder->final_root_tick = event->root_tick;
    recorder->final_root = event->root;
    recorder->has_put_end = put_end(recorder, recorder->sealed_tick);
    if (!recorder->has_put_end) {
        degrade(recorder, ISO_ERR_BUFFER);
    }
    return ISO_OK;
}

/// An action in progress on the disk is not cancelled; the file is cut when its result arrives.
static void handle_give_up(iso_recorder *recorder, iso_status status) {
    if ((recorder->state == STATE_CREATING || recorder->state == STATE_OPEN) && !recorder->is_degraded) {
        degrade(recorder, status);
    }
}

// ---- Results of actions ---------------------------------------------------------------------------

static void done_append(iso_recorder *recorder, iso_status status, size_t size) {
    ISO_ASSERT(size <= recorder->append_size && recorder->append_size <= recorder->buffer_used);
    recorder->file_size += size;
    buffer_drop(recorder, size);
    while (recorder->written_tick < recorder->sealed_tick &&
           tick_at(recorder, recorder->written_tick + 1)->end <= recorder->file_size) {
        ++recorder->written_tick;
    }
    // A write that neither fails nor writes would be repeated for ever.
    const iso_status result = status == ISO_OK && size == 0 ? ISO_ERR_IO : status;
    if (result != ISO_OK && recorder->state == STATE_OPEN) {
        recorder->has_end_failed = recorder->is_degraded;
        degrade(recorder, result);
    }
}

/// Writes a MARK into the file when more has become durable than the last one states. A MARK that does not fit is left
/// out; the next one states at least as much.
static void put_mark(iso_recorder *recorder) {
    if (recorder->salt == 0 || recorder->is_degraded || !takes_frames(recorder) ||
        recorder->syncing_end <= recorder->marked_end) {
        return;
    }
    const iso_recording_mark mark = {.salt = recorder->salt,
                                     .offset = next_offset(recorder),
                                     .durable_offset = recorder->syncing_end,
                                     .durable_tick = recorder->syncing_tick};
    const size_t size = iso_recording_encode_mark(&mark, &recorder->chain, buffer_end(recorder), buffer_room(recorder));
    recorder->buffer_used += size;
    recorder->marked_end = size > 0 ? mark.durable_offset : recorder->marked_end;
}

static void done_sync(iso_recorder *recorder, iso_status status) {
    recorder->is_sync_out = false;
    if (status == ISO_OK) {
        recorder->synced_size = recorder->syncing_size;
        recorder->durable_tick = recorder->syncing_tick;
        put_mark(recorder);
    } else {
        recorder->has_sync_failed = true;
        if (recorder->state == STATE_OPEN && !recorder->is_degraded) {
            degrade(recorder, status);
        }
        note_error(recorder, status);
    }
    if (recorder->state == STATE_SYNCING) {
        recorder->state = STATE_CLOSING;
    }
}

static void done_truncate(iso_recorder *recorder, iso_status status) {
    if (status == ISO_OK) {
        recorder->file_size = commit_end(recorder);
        seal_cut_file(recorder);
    } else {
        recorder->has_end_failed = true;
        recorder->state = STATE_CLOSING;
    }
}

static iso_status handle_done(iso_recorder *recorder, const iso_recorder_event *event) {
    if (event->action == ISO_RECORDER_SYNC) {
        if (!recorder->is_sync_out) {
            return ISO_ERR_STATE;
        }
        done_sync(recorder, event->status);
        return ISO_OK;
    }
    if (!recorder->is_file_out || event->action != recorder->action_out ||
        (event->action == ISO_RECORDER_APPEND && event->size > recorder->append_size)) {
        return ISO_ERR_STATE;
    }
    recorder->is_file_out = false;
    const bool ok = event->status == ISO_OK;
    switch (event->action) {
    case ISO_RECORDER_CREATE_FILE:
        if (ok && recorder->state == STATE_CREATING) {
            recorder->state = STATE_OPEN;
        } else if (ok) {
            recorder->state = STATE_CLOSING; // degraded in the meantime
        } else {
            note_error(recorder, event->status);
            recorder->state = STATE_FINISHED;
        }
        break;
    case ISO_RECORDER_APPEND:
        done_append(recorder, event->status, event->size);
        break;
    case ISO_RECORDER_TRUNCATE:
        done_truncate(recorder, event->status);
        break;
    case ISO_RECORDER_CLOSE:
        if (!ok) {
            note_error(recorder, event->status);
        }
        recorder->state = ok && recorder->has_put_end && !recorder->has_sync_failed ? STATE_RENAMING : STATE_FINISHED;
        break;
    case ISO_RECORDER_RENAME:
        recorder->is_sealed = ok;
        recorder->state = ok ? STATE_SYNCING_FOLDER : STATE_FINISHED;
        break;
    default:
        recorder->state = STATE_FINISHED;
        break;
    }
    if (!ok && event->action >= ISO_RECORDER_RENAME) {
        note_error(recorder, event->status);
    }
    return ISO_OK;
}

iso_status iso_recorder_handle(iso_recorder *recorder, uint64_t now_ns, const iso_recorder_event *event) {
    ISO_ASSERT(is_ordered(recorder));
    recorder->now_ns = now_ns > recorder->now_ns ? now_ns : recorder->now_ns;
    switch (event->kind) {
    case ISO_RECORDER_TIME:
        return ISO_OK;
    case ISO_RECORDER_DONE:
        return handle_done(recorder, event);
    case ISO_RECORDER_OPEN:
        return handle_open(recorder, event->header);
    case ISO_RECORDER_GIVE_UP:
        handle_give_up(recorder, event->status);
        return ISO_OK;
    default:
        break;
    }
    if (recorder->is_degraded) {
        return ISO_OK;
    }
    if (!takes_frames(recorder)) {
        return ISO_ERR_STATE;
    }
    switch (event->kind) {
    case ISO_RECORDER_KEYFRAME:
        return handle_keyframe(recorder, event);
    case ISO_RECORDER_TICK:
        return handle_tick(recorder, event);
    case ISO_RECORDER_NOTE:
        return handle_note(recorder, event->note);
    case ISO_RECORDER_SEAL:
        return handle_seal(recorder, event);
    default:
        return ISO_ERR_STATE;
    }
}

// ---- Actions --------------------------------------------------------------------------------------

static bool wants_sync(const iso_recorder *recorder) {
    return recorder->state == STATE_OPEN && !recorder->is_degraded && !recorder->is_sync_out && is_started(recorder) &&
           recorder->file_size > recorder->synced_size && recorder->data_end > recorder->synced_size;
}

static bool give_sync(iso_recorder *recorder, iso_recorder_action *action) {
    recorder->is_sync_out = true;
    recorder->syncing_size = recorder->file_size;
    recorder->syncing_tick = recorder->written_tick;
    recorder->syncing_end = commit_end(recorder);
    recorder->next_sync_ns = recorder->now_ns + recorder->sync_interval_ns;
    *action = (iso_recorder_action){.kind = ISO_RECORDER_SYNC, .name = recorder->part_name};
    return true;
}

static bool give_file_action(iso_recorder *recorder, iso_recorder_action *action, iso_recorder_action_kind kind) {
    recorder->is_file_out = true;
    recorder->action_out = (uint8_t)kind;
    action->kind = (uint8_t)kind;
    action->name = recorder->part_name;
    return true;
}

/// Passes through the states that need no action of their own.
static void settle(iso_recorder *recorder) {
    if (recorder->is_file_out || recorder->is_sync_out) {
        return;
    }
    if (recorder->state == STATE_CUTTING && !is_started(recorder)) {
        recorder->has_end_failed = true; // nothing that could be replayed
        recorder->state = STATE_CLOSING;
    } else if (recorder->state == STATE_CUTTING && recorder->file_size == commit_end(recorder)) {
        seal_cut_file(recorder);
    }
    if (recorder->state == STATE_OPEN && recorder->has_put_end && recorder->buffer_used == 0) {
        recorder->state = recorder->has_sync_failed ? STATE_CLOSING : STATE_SYNCING;
    }
}

bool iso_recorder_next_action(iso_recorder *recorder, iso_recorder_action *action) {
    ISO_ASSERT(is_ordered(recorder));
    memset(action, 0, sizeof *action);
    settle(recorder);
    if (wants_sync(recorder) && recorder->now_ns >= recorder->next_sync_ns) {
        return give_sync(recorder, action);
    }
    if (recorder->is_file_out) {
        return false;
    }
    if (recorder->state == STATE_CREATING) {
        return give_file_action(recorder, action, ISO_RECORDER_CREATE_FILE);
    }
    if (recorder->state == STATE_OPEN && recorder->buffer_used > 0) {
        recorder->append_size = recorder->buffer_used;
        action->bytes = recorder->buffer + recorder->buffer_start;
        action->size = recorder->append_size;
        action->offset = recorder->file_size;
        return give_file_action(recorder, action, ISO_RECORDER_APPEND);
    }
    // The following actions must not run during a SYNC.
    if (recorder->is_sync_out) {
        return false;
    }
    switch (recorder->state) {
    case STATE_CUTTING:
        action->offset = commit_end(recorder);
        return give_file_action(recorder, action, ISO_RECORDER_TRUNCATE);
    case STATE_SYNCING:
        return give_sync(recorder, action);
    case STATE_CLOSING:
        return give_file_action(recorder, action, ISO_RECORDER_CLOSE);
    case STATE_RENAMING:
        action->new_name = recorder->final_name;
        return give_file_action(recorder, action, ISO_RECORDER_RENAME);
    case STATE_SYNCING_FOLDER:
        return give_file_action(recorder, action, ISO_RECORDER_SYNC_FOLDER);
    default:
        return false;
    }
}

uint64_t iso_recorder_next_deadline(const iso_recorder *recorder) {
    ISO_ASSERT(is_ordered(recorder));
    return wants_sync(recorder) ? recorder->next_sync_ns : UINT64_MAX;
}

void iso_recorder_get_progress(const iso_recorder *recorder, iso_recorder_progress *progress) {
    ISO_ASSERT(is_ordered(recorder));
    *progress = (iso_recorder_progress){
        .has_started = is_started(recorder),
        .is_settled = is_started(recorder) && recorder->synced_size >= recorder->keyframe_end,
        .is_degraded = recorder->is_degraded,
        .is_finished = recorder->state == STATE_FINISHED && !recorder->is_file_out && !recorder->is_sync_out,
        .is_sealed = recorder->state == STATE_FINISHED && recorder->is_sealed,
        .status = recorder->status,
        .written_tick = recorder->written_tick,
        .durable_tick = recorder->durable_tick,
        .written_size = recorder->file_size,
        .synced_size = recorder->synced_size,
        .waiting_size = recorder->buffer_used,
        .skipped_keyframes = recorder->skipped_keyframes,
        .name = recorder->is_sealed ? recorder->final_name : recorder->part_name,
    };
}
