/// Opening a recording: one pass over the whole file that trusts nothing.
///
/// A frame is good when its head is within bounds and its checksum is right; then its form is checked, then its
/// place: HEADER, first KEYFRAME, then TICKs one after the other with EVENTs, KEYFRAMEs and MARKs between them, at last
/// a FOOTER and the trailer. What is behind the last TICK or whole KEYFRAME is not committed. What the first bad frame
/// means is judged in torn.c.
#include "recording/bytes.h"

/// The state of the pass.
typedef struct scan {
    iso_recording *recording;
    iso_recording_mode mode;
    uint64_t offset;           // of the next frame
    iso_recording_chain chain; // behind the frame before it
    uint32_t chunk_left;       // [bytes] of the KEYFRAME that is not whole yet
    bool has_started;          // the first keyframe is whole
    bool has_footer;
    uint64_t keyframe_end;                                  // where the first one ends
    uint64_t last_keyframe;                                 // its tick
    uint64_t pending_events;                                // not committed yet
    uint64_t tick_ends[ISO_RECORDING_KEYFRAME_LAG_MAX + 1]; // where the frame of tick T ends, at T mod 256
} scan;

static uint64_t *scan_tick_end(scan *s, uint64_t tick) {
    return &s->tick_ends[tick % (ISO_RECORDING_KEYFRAME_LAG_MAX + 1)];
}

static void scan_commit(scan *s) {
    s->recording->event_count += s->pending_events;
    s->pending_events = 0;
    s->recording->size = s->offset;
    s->recording->frames_end = s->offset;
    s->recording->chain = s->chain;
}

static const char *scan_keyframe_done(scan *s) {
    ++s->recording->keyframe_count;
    s->keyframe_end = s->has_started ? s->keyframe_end : s->offset;
    s->has_started = true;
    scan_commit(s);
    return NULL;
}

/// The functions below take a frame with a right checksum, the offset already behind it.
/// @return NULL, or what is wrong with it
static const char *scan_keyframe(scan *s, const iso_recording_frame *frame) {
    iso_recording_keyframe keyframe;
    const uint8_t *part;
    uint32_t part_size;
    if (!iso__recording_read_keyframe_part(frame, &keyframe, &part, &part_size)) {
        return "the keyframe is malformed";
    }
    iso_recording *recording = s->recording;
    if (!s->has_started) {
        if (keyframe.tick != recording->header.first_tick) {
            return "the first keyframe is not of the first tick";
        }
        // No tick stands before the first keyframe, so reading ticks begins at the keyframe itself.
        *scan_tick_end(s, keyframe.tick) = frame->offset;
    } else if (keyframe.tick <= s->last_keyframe || keyframe.tick > recording->last_tick ||
               recording->last_tick - keyframe.tick > ISO_RECORDING_KEYFRAME_LAG_MAX) {
        return "the keyframe is out of order";
    }
    if (keyframe.ticks_offset != *scan_tick_end(s, keyframe.tick)) {
        return "the keyframe names a wrong offset";
    }
    s->last_keyframe = keyframe.tick;
    s->chunk_left = keyframe.stored_size - part_size;
    return s->chunk_left == 0 ? scan_keyframe_done(s) : NULL;
}

static const char *scan_chunk(scan *s, const iso_recording_frame *frame) {
    if (frame->size == 0 || frame->size > s->chunk_left) {
        return "the chunk does not fit its keyframe";
    }
    s->chunk_left -= frame->size;
    return s->chunk_left == 0 ? scan_keyframe_done(s) : NULL;
}

static const char *scan_tick(scan *s, const iso_recording_frame *frame) {
    iso_recording *recording = s->recording;
    iso_recording_tick tick;
    if (!iso__recording_check_tick(frame, &tick)) {
        return "the tick is malformed";
    }
    if (tick.input.tick != recording->last_tick + 1) {
        return "the tick is out of order";
    }
    if (tick.has_root && (tick.hashed_tick < recording->header.first_tick ||
                          (recording->has_root && tick.hashed_tick <= recording->root_tick))) {
        return "the root is of a wrong tick";
    }
    recording->last_tick = tick.input.tick;
    ++recording->tick_count;
    recording->command_count += tick.input.command_count;
    if (tick.has_root) {
        recording->has_root = true;
        recording->root_tick = tick.hashed_tick;
        recording->root = tick.root;
    }
    *scan_tick_end(s, tick.input.tick) = s->offset;
    scan_commit(s);
    return NULL;
}

/// A mark is the file's own, stands where it says, and names the end of a tick that stands before it.
static const char *scan_mark(scan *s, const iso_recording_frame *frame) {
    iso_recording *recording = s->recording;
    iso_recording_mark mark;
    if (iso_recording_read_mark(frame, &mark) != ISO_OK) {
        return "the mark is malformed";
    }
    const uint64_t first = recording->header.first_tick;
    const bool is_known = mark.durable_tick >= first && mark.durable_tick <= recording->last_tick;
    if (mark.salt != recording->header.salt || mark.offset != frame->offset || !is_known ||
        mark.durable_offset < s->keyframe_end || mark.durable_offset <= recording->durable_offset) {
        return "the mark does not fit its file";
    }
    const uint64_t end = mark.durable_tick == first ? s->keyframe_end : *scan_tick_end(s, mark.durable_tick);
    if (recording->last_tick - mark.durable_tick <= ISO_RECORDING_KEYFRAME_LAG_MAX && mark.durable_offset != end) {
        return "the mark names a wrong offset";
    }
    ++recording->mark_count;
    recording->durable_offset = mark.durable_offset;
    recording->durable_tick = mark.durable_tick;
    return NULL;
}

/// Every entry of the index must name a keyframe of this file.
static bool footer_index_is_right(const iso_recording *recording, const iso_recording_footer *footer,
                                  iso__recording_reader entries) {
    iso_recording_index_entry entry = {0};
    uint64_t offset = recording->frames_offset;
    for (uint32_t i = 0; i < footer->entry_count; ++i) {
        const uint64_t before = entry.offset;
        iso__recording_read_entry(&entries, &entry);
        if (entry.offset <= before) {
            return false;
        }
        iso_recording_frame frame = {0};
        while (offset <= entry.offset && iso_recording_next(recording, &offset, &frame)) {
        }
        iso_recording_keyframe keyframe;
        if (frame.offset != entry.offset || iso_recording_read_keyframe(&frame, &keyframe) != ISO_OK ||
            keyframe.tick != entry.tick) {
            return false;
        }
    }
    return true;
}

/// The FOOTER's root is a newer one than the ticks', or the last of these again.
static bool footer_root_fits(const iso_recording *recording, const iso_recording_footer *footer) {
    if (!footer->has_root || !recording->has_root || footer->root_tick > recording->root_tick) {
        return !footer->has_root || footer->root_tick >= recording->header.first_tick;
    }
    return footer->root_tick == recording->root_tick && footer->root == recording->root;
}

/// @param before  the chain before the frame
static const char *scan_footer(scan *s, const iso_recording_frame *frame, iso_recording_chain before) {
    iso_recording *recording = s->recording;
    iso_recording_footer footer;
    iso__recording_reader entries;
    if (!iso__recording_read_footer(frame, &footer, &entries)) {
        return "the footer is malformed";
    }
    if (footer.last_tick != recording->last_tick || !footer_root_fits(recording, &footer)) {
        return "the footer does not fit the ticks";
    }
    // Events behind the last tick are committed by the footer.
    recording->size = frame->offset;
    recording->frames_end = frame->offset;
    recording->chain = before;
    recording->event_count += s->pending_events;
    s->pending_events = 0;
    if (!footer_index_is_right(recording, &footer, entries)) {
        return "the footer's index is wrong";
    }
    if (footer.has_root) {
        recording->has_root = true;
        recording->root_tick = footer.root_tick;
        recording->root = footer.root;
    }
    recording->is_degraded = footer.is_degraded;
    recording->goes_on = footer.goes_on;
    recording->footer_offset = frame->offset;
    s->has_footer = true;
    return NULL;
}

static const char *scan_frame(scan *s, const iso_recording_frame *frame, iso_recording_chain before) {
    if (s->chunk_left > 0 && frame->type != ISO_RECORDING_CHUNK) {
        return "the keyframe before is not whole";
    }
    if (!s->has_started && frame->type != ISO_RECORDING_KEYFRAME && frame->type != ISO_RECORDING_CHUNK) {
        return "the first keyframe is missing";
    }
    iso_recording_event event;
    switch (frame->type) {
    case ISO_RECORDING_KEYFRAME:
        return scan_keyframe(s, frame);
    case ISO_RECORDING_CHUNK:
        return scan_chunk(s, frame);
    case ISO_RECORDING_TICK:
        return scan_tick(s, frame);
    case ISO_RECORDING_EVENT:
        ++s->pending_events;
        return iso_recording_read_event(frame, &event) == ISO_OK ? NULL : "the event is malformed";
    case ISO_RECORDING_FOOTER:
        return scan_footer(s, frame, before);
    case ISO_RECORDING_MARK:
        return scan_mark(s, frame);
    default:
        return "a second header";
    }
}

static iso_status fail(const scan *s, iso_recording_error *error, iso_status status, const char *what) {
    error->status = status;
    error->offset = s->offset;
    error->tick = s->recording->last_tick;
    error->what = what;
    return status;
}

/// What stands at the present offset is not whole: a torn end, or a loss that something behind it proves.
/// @param salt  of the file's marks; NULL: not known
static iso_status fail_torn(const scan *s, iso_recording_error *error, const uint64_t *salt, const char *torn,
                            const char *damaged) {
    if (iso__recording_is_torn(s->recording, s->offset, salt, s->mode, error)) {
        s->recording->torn_offset = s->offset;
        return fail(s, error, ISO_ERR_TRUNCATED, torn);
    }
    return fail(s, error, ISO_ERR_CORRUPT,
                error->durable_offset > 0 ? "it is damaged, and a later mark states that it was durable" : damaged);
}

bool iso_recording_has_magic(const void *bytes, uint64_t size) {
    // What comes behind these four changes when a file is sent as text.
    return size >= 4 && memcmp(bytes, ISO__RECORDING_MAGIC, 4) == 0;
}

/// The file head. A page that was never written leaves zeros, which is a torn end like any other.
static iso_status scan_head(scan *s, iso_recording_error *error) {
    iso_recording *recording = s->recording;
    const uint8_t *bytes = recording->bytes;
    if (recording->file_size < ISO_RECORDING_FILE_HEAD_SIZE) {
        const size_t size = recording->file_size < 8 ? (size_t)recording->file_size : 8;
        const bool begins =
            memcmp(bytes, ISO__RECORDING_MAGIC, size) == 0 || iso__recording_head_is_torn(bytes, recording->file_size);
        return begins ? fail(s, error, ISO_ERR_TRUNCATED, "the file ends within its head")
                      : fail(s, error, ISO_ERR_VERSION, "this is not a recording");
    }
    iso__recording_reader reader = {.bytes = bytes, .size = ISO_RECORDING_FILE_HEAD_SIZE, .offset = 8};
    const uint64_t version = iso__read_uint(&reader, 4);
    const uint32_t checksum = (uint32_t)iso__read_uint(&reader, 4);
    if (checksum == iso_crc32c(0, bytes, 12) && memcmp(bytes, ISO__RECORDING_MAGIC, 8) == 0) {
        recording->version = (uint32_t)version;
        s->chain = (iso_recording_chain){.version = (uint32_t)version, .checksum = checksum};
        s->offset = ISO_RECORDING_FILE_HEAD_SIZE;
        return version >= ISO_RECORDING_VERSION_MIN && version <= ISO_RECORDING_VERSION_MAX
                   ? ISO_OK
                   : fail(s, error, ISO_ERR_VERSION, "the recording has another format version");
    }
    recording->version = ISO_RECORDING_VERSION;
    if (iso__recording_head_is_torn(bytes, recording->file_size)) {
        return fail_torn(s, error, NULL, "the file's head was not written", "the file's head is damaged");
    }
    return memcmp(bytes, ISO__RECORDING_MAGIC, 8) == 0 ? fail(s, error, ISO_ERR_CORRUPT, "the file's head is damaged")
                                                       : fail(s, error, ISO_ERR_VERSION, "this is not a recording");
}

/// File head and HEADER.
static iso_status scan_begin(scan *s, iso_recording_error *error) {
    iso_recording *recording = s->recording;
    const iso_status status = scan_head(s, error);
    if (status != ISO_OK) {
        return status;
    }
    iso_recording_frame frame;
    if (!iso__recording_read_frame(recording->bytes, recording->file_size, s->offset, &s->chain, &frame)) {
        // In format 1 only a HEADER that is not wholly there was torn.
        if (recording->version == 1 &&
            iso__recording_read_frame_head(recording->bytes, recording->file_size, s->offset, 1, &frame)) {
            return fail(s, error, ISO_ERR_CORRUPT, "the header is damaged");
        }
        return fail_torn(s, error, NULL, "the file ends within its header", "the header is damaged");
    }
    if (frame.type != ISO_RECORDING_HEADER ||
        !iso__recording_read_header(&frame, recording->version, &recording->header)) {
        return fail(s, error, ISO_ERR_CORRUPT, "the header is malformed");
    }
    s->offset = iso__recording_frame_end(&frame);
    recording->frames_offset = s->offset;
    recording->frames_end = s->offset;
    recording->size = s->offset;
    recording->chain = s->chain;
    recording->last_tick = recording->header.first_tick;
    return ISO_OK;
}

/// All frames behind the HEADER, until the FOOTER, the end, or the first fault.
static iso_status scan_frames(scan *s, iso_recording_error *error) {
    const iso_recording *recording = s->recording;
    while (s->offset < recording->file_size && !s->has_footer) {
        iso_recording_frame frame;
        const iso_recording_chain before = s->chain;
        if (!iso__recording_read_frame(recording->bytes, recording->file_size, s->offset, &s->chain, &frame)) {
            return fail_torn(s, error, &recording->header.salt, "the file ends within a frame", "the frame is damaged");
        }
        s->offset = iso__recording_frame_end(&frame);
        const char *what = scan_frame(s, &frame, before);
        if (what != NULL) {
            s->offset = frame.offset;
            return fail(s, error, ISO_ERR_CORRUPT, what);
        }
    }
    return s->has_footer ? ISO_OK : fail(s, error, ISO_ERR_TRUNCATED, "the recording was not sealed");
}

/// What is behind the FOOTER: exactly the trailer.
static iso_status scan_trailer(scan *s, iso_recording_error *error) {
    iso_recording *recording = s->recording;
    const uint64_t left = recording->file_size - s->offset;
    if (left < ISO_RECORDING_TRAILER_SIZE) {
        return fail(s, error, ISO_ERR_TRUNCATED, "the file ends within its trailer");
    }
    uint64_t footer_offset;
    const bool is_good = left == ISO_RECORDING_TRAILER_SIZE &&
                         iso__recording_trailer_is_good(recording->bytes, recording->file_size, &footer_offset);
    if (!is_good && recording->version > 1 && s->mode == ISO_RECORDING_TORN) {
        // An end that was never synced is torn like any other; what a cut took away may be back behind it.
        return fail_torn(s, error, &recording->header.salt, "the file ends within its trailer",
                         "the trailer is damaged");
    }
    if (!is_good || footer_offset != recording->footer_offset) {
        return fail(s, error, ISO_ERR_CORRUPT, "the trailer is damaged");
    }
    recording->size = recording->file_size;
    recording->is_sealed = true;
    return ISO_OK;
}

iso_status iso_recording_open(iso_recording *recording, const uint8_t *bytes, uint64_t size, iso_recording_mode mode,
                              iso_recording_error *error) {
    ISO_ASSERT((bytes != NULL || size == 0) && mode <= ISO_RECORDING_SALVAGE);
    memset(recording, 0, sizeof *recording);
    memset(error, 0, sizeof *error);
    recording->bytes = bytes;
    recording->file_size = size;
    scan s = {.recording = recording, .mode = mode};
    iso_status status = scan_begin(&s, error);
    if (status != ISO_OK) {
        return status;
    }
    status = scan_frames(&s, error);
    if (status == ISO_OK) {
        status = scan_trailer(&s, error);
    }
    if (!recording->is_sealed) {
        // A footer without its trailer is no seal; its degradation stays known.
        recording->footer_offset = 0;
    }
    if (status == ISO_OK) {
        *error = (iso_recording_error){.offset = size, .tick = recording->last_tick, .what = "nothing"};
        return ISO_OK;
    }
    const bool kept =
        s.has_started && (mode == ISO_RECORDING_SALVAGE || (mode == ISO_RECORDING_TORN && status == ISO_ERR_TRUNCATED));
    ISO_ASSERT(recording->frames_offset <= recording->frames_end && recording->frames_end <= recording->size &&
               recording->size <= size);
    return kept ? ISO_OK : status;
}

bool iso_recording_next(const iso_recording *recording, uint64_t *offset, iso_recording_frame *frame) {
    ISO_ASSERT(recording->frames_end == 0 || recording->bytes != NULL);
    if (*offset >= recording->frames_end ||
        !iso__recording_read_frame_head(recording->bytes, recording->frames_end, *offset, recording->version, frame)) {
        return false;
    }
    *offset = iso__recording_frame_end(frame);
    ISO_ASSERT(*offset <= recording->frames_end);
    return true;
}

/// The place of the last keyframe at or before `tick` that the FOOTER names, or of the first frame.
static uint64_t find_in_index(const iso_recording *recording, uint64_t tick) {
    uint64_t found = recording->frames_offset;
    iso_recording_frame frame;
    iso_recording_footer footer;
    iso__recording_reader entries;
    if (!recording->is_sealed ||
        !iso__recording_read_frame_head(recording->bytes, recording->size, recording->footer_offset, recording->version,
                                        &frame) ||
        !iso__recording_read_footer(&frame, &footer, &entries)) {
        return found;
    }
    iso_recording_index_entry entry = {0};
    for (uint32_t i = 0; i < footer.entry_count; ++i) {
        iso__recording_read_entry(&entries, &entry);
        if (entry.tick > tick) {
            break;
        }
        found = entry.offset;
    }
    return found;
}

void iso_recording_find_keyframe(const iso_recording *recording, uint64_t tick, iso_recording_keyframe *keyframe) {
    ISO_ASSERT(recording->frames_offset <= recording->frames_end);
    uint64_t offset = find_in_index(recording, tick);
    memset(keyframe, 0, sizeof *keyframe);
    iso_recording_frame frame;
    bool found = false;
    while (iso_recording_next(recording, &offset, &frame)) {
        if (frame.type == ISO_RECORDING_KEYFRAME) {
            iso_recording_keyframe candidate;
            if (iso_recording_read_keyframe(&frame, &candidate) != ISO_OK || (found && candidate.tick > tick)) {
                return;
            }
            *keyframe = candidate;
            found = true;
        } else if (frame.type == ISO_RECORDING_TICK && found) {
            // A keyframe stands at most so many ticks behind its own.
            iso__recording_reader reader = {.bytes = frame.payload, .size = frame.size};
            const uint64_t at = iso__read_varint(&reader, ISO__RECORDING_NUMBER_MAX);
            if (at > tick && at - tick > ISO_RECORDING_KEYFRAME_LAG_MAX) {
                return;
            }
        }
    }
}
