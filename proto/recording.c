/// Opening a recording: one pass over the whole file that believes nothing.
///
/// A frame is good when its head is within bounds and its checksum is right; then its form is checked, then its
/// place: HEADER, first KEYFRAME, then TICKs one after the other with EVENTs and KEYFRAMEs between them, at last a
/// FOOTER and the trailer. What is behind the last TICK or whole KEYFRAME is not committed.
#include "recording_bytes.h"

static const uint8_t known_flags[] = {
    [ISO_RECORDING_HEADER] = 0,
    [ISO_RECORDING_KEYFRAME] = 0,
    [ISO_RECORDING_CHUNK] = 0,
    [ISO_RECORDING_TICK] = ISO__RECORDING_TICK_ROOT | ISO__RECORDING_TICK_CHANGES | ISO__RECORDING_TICK_COMMANDS,
    [ISO_RECORDING_EVENT] = 0,
    [ISO_RECORDING_FOOTER] = ISO__RECORDING_FOOTER_DEGRADED | ISO__RECORDING_FOOTER_ROOT,
};

/// What is known on the way through the file.
typedef struct scan {
    iso_recording *recording;
    uint64_t offset;     // of the next frame
    uint32_t chunk_left; // [bytes] of the KEYFRAME that is not whole yet
    bool started;        // the first keyframe is whole
    bool footer_seen;
    uint64_t last_keyframe;                                 // its tick
    uint64_t pending_events;                                // not committed yet
    uint64_t tick_ends[ISO_RECORDING_KEYFRAME_LAG_MAX + 1]; // where the frame of tick T ends, at T mod 256
} scan;

static uint64_t *scan_tick_end(scan *s, uint64_t tick) {
    return &s->tick_ends[tick % (ISO_RECORDING_KEYFRAME_LAG_MAX + 1)];
}

/// Reads the head of what may be a frame. @return false when it is out of bounds or not wholly there.
static bool frame_read_head(const uint8_t *bytes, uint64_t size, uint64_t offset, iso_recording_frame *frame) {
    if (offset > size || size - offset < ISO_RECORDING_FRAME_EXTRA_SIZE) {
        return false;
    }
    iso__recording_reader reader = {.bytes = bytes + offset, .size = ISO_RECORDING_FRAME_HEAD_SIZE};
    frame->type = (uint8_t)iso__read_uint(&reader, 1);
    frame->flags = (uint8_t)iso__read_uint(&reader, 1);
    frame->size = (uint32_t)iso__read_uint(&reader, 4);
    frame->payload = bytes + offset + ISO_RECORDING_FRAME_HEAD_SIZE;
    frame->offset = offset;
    if (frame->type < ISO_RECORDING_HEADER || frame->type > ISO_RECORDING_FOOTER ||
        (frame->flags & ~(uint32_t)known_flags[frame->type]) != 0) {
        return false;
    }
    const uint32_t size_max =
        frame->type == ISO_RECORDING_HEADER ? ISO_RECORDING_HEADER_SIZE_MAX : ISO_RECORDING_PAYLOAD_SIZE_MAX;
    return frame->size <= size_max && frame->size <= size - offset - ISO_RECORDING_FRAME_EXTRA_SIZE;
}

static bool frame_is_good(const uint8_t *bytes, uint64_t size, uint64_t offset, iso_recording_frame *frame) {
    if (!frame_read_head(bytes, size, offset, frame)) {
        return false;
    }
    const size_t covered = ISO_RECORDING_FRAME_HEAD_SIZE + frame->size;
    iso__recording_reader reader = {.bytes = bytes + offset + covered, .size = 4};
    return iso__read_uint(&reader, 4) == iso_crc32c(0, bytes + offset, covered);
}

static uint64_t frame_end(const iso_recording_frame *frame) {
    return frame->offset + ISO_RECORDING_FRAME_EXTRA_SIZE + frame->size;
}

/// Whether a good frame begins anywhere behind `offset`. A crash tears off an end; it leaves nothing good behind a
/// bad place. The work is bounded, as a file could be made of frame heads; beyond the bound the answer is yes, which
/// refuses the file rather than cutting it.
static bool good_frame_follows(const uint8_t *bytes, uint64_t size, uint64_t offset) {
    uint64_t budget = (UINT64_C(64) << 20) + 16 * (size - offset);
    iso_recording_frame frame;
    for (uint64_t at = offset + 1; at < size; at++) {
        if (bytes[at] <= ISO_RECORDING_HEADER || bytes[at] > ISO_RECORDING_FOOTER ||
            !frame_read_head(bytes, size, at, &frame)) {
            continue;
        }
        if (frame.size > budget || frame_is_good(bytes, size, at, &frame)) {
            return true;
        }
        budget -= frame.size;
    }
    return false;
}

static bool trailer_is_good(const uint8_t *bytes, uint64_t size, uint64_t *footer_offset) {
    if (size < ISO_RECORDING_TRAILER_SIZE) {
        return false;
    }
    const uint8_t *trailer = bytes + size - ISO_RECORDING_TRAILER_SIZE;
    iso__recording_reader reader = {.bytes = trailer, .size = ISO_RECORDING_TRAILER_SIZE};
    *footer_offset = iso__read_uint(&reader, 8);
    const uint8_t *magic = iso__read_bytes(&reader, 4);
    return memcmp(magic, ISO__RECORDING_TRAILER_MAGIC, 4) == 0 &&
           iso__read_uint(&reader, 4) == iso_crc32c(0, trailer, 12);
}

static void scan_commit(scan *s) {
    s->recording->event_count += s->pending_events;
    s->pending_events = 0;
    s->recording->size = s->offset;
    s->recording->frames_end = s->offset;
}

static const char *scan_keyframe_done(scan *s) {
    s->recording->keyframe_count++;
    s->started = true;
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
    if (!s->started) {
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
    recording->tick_count++;
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

/// Every entry of the index must name a keyframe of this file.
static bool footer_index_is_right(const iso_recording *recording, const iso_recording_footer *footer,
                                  iso__recording_reader entries) {
    iso_recording_index_entry entry = {0};
    uint64_t offset = recording->frames_offset;
    for (uint32_t i = 0; i < footer->entry_count; i++) {
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

static const char *scan_footer(scan *s, const iso_recording_frame *frame) {
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
    recording->degraded = footer.degraded;
    recording->footer_offset = frame->offset;
    s->footer_seen = true;
    return NULL;
}

static const char *scan_frame(scan *s, const iso_recording_frame *frame) {
    if (s->chunk_left > 0 && frame->type != ISO_RECORDING_CHUNK) {
        return "the keyframe before is not whole";
    }
    if (!s->started && frame->type != ISO_RECORDING_KEYFRAME && frame->type != ISO_RECORDING_CHUNK) {
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
        s->pending_events++;
        return iso_recording_read_event(frame, &event) == ISO_OK ? NULL : "the event is malformed";
    case ISO_RECORDING_FOOTER:
        return scan_footer(s, frame);
    default:
        return "a second header";
    }
}

static iso_status fail(const scan *s, iso_recording_error *error, iso_status status, const char *what) {
    *error =
        (iso_recording_error){.status = status, .offset = s->offset, .tick = s->recording->last_tick, .what = what};
    return status;
}

/// File head and HEADER.
static iso_status scan_begin(scan *s, iso_recording_error *error) {
    iso_recording *recording = s->recording;
    const uint8_t *bytes = recording->bytes;
    if (recording->file_size < ISO_RECORDING_FILE_HEAD_SIZE) {
        const size_t size = recording->file_size < 8 ? (size_t)recording->file_size : 8;
        const bool begins = memcmp(bytes, ISO__RECORDING_MAGIC, size) == 0;
        return begins ? fail(s, error, ISO_ERR_TRUNCATED, "the file ends within its head")
                      : fail(s, error, ISO_ERR_VERSION, "this is not a recording");
    }
    if (memcmp(bytes, ISO__RECORDING_MAGIC, 8) != 0) {
        return fail(s, error, ISO_ERR_VERSION, "this is not a recording");
    }
    iso__recording_reader reader = {.bytes = bytes, .size = ISO_RECORDING_FILE_HEAD_SIZE, .offset = 8};
    const uint64_t version = iso__read_uint(&reader, 4);
    if (iso__read_uint(&reader, 4) != iso_crc32c(0, bytes, 12)) {
        return fail(s, error, ISO_ERR_CORRUPT, "the file's head is damaged");
    }
    if (version != ISO_RECORDING_VERSION) {
        return fail(s, error, ISO_ERR_VERSION, "the recording has another format version");
    }
    s->offset = ISO_RECORDING_FILE_HEAD_SIZE;
    iso_recording_frame frame;
    if (!frame_is_good(bytes, recording->file_size, s->offset, &frame)) {
        const bool torn = !frame_read_head(bytes, recording->file_size, s->offset, &frame) &&
                          !good_frame_follows(bytes, recording->file_size, s->offset);
        return torn ? fail(s, error, ISO_ERR_TRUNCATED, "the file ends within its header")
                    : fail(s, error, ISO_ERR_CORRUPT, "the header is damaged");
    }
    if (frame.type != ISO_RECORDING_HEADER || !iso__recording_read_header(&frame, &recording->header)) {
        return fail(s, error, ISO_ERR_CORRUPT, "the header is malformed");
    }
    s->offset = frame_end(&frame);
    recording->frames_offset = s->offset;
    recording->frames_end = s->offset;
    recording->size = s->offset;
    recording->last_tick = recording->header.first_tick;
    return ISO_OK;
}

/// All frames behind the HEADER, until the FOOTER, the end, or the first fault.
static iso_status scan_frames(scan *s, iso_recording_error *error) {
    const iso_recording *recording = s->recording;
    while (s->offset < recording->file_size && !s->footer_seen) {
        iso_recording_frame frame;
        if (!frame_is_good(recording->bytes, recording->file_size, s->offset, &frame)) {
            uint64_t footer_offset;
            const bool corrupt = trailer_is_good(recording->bytes, recording->file_size, &footer_offset) ||
                                 good_frame_follows(recording->bytes, recording->file_size, s->offset);
            return corrupt ? fail(s, error, ISO_ERR_CORRUPT, "the frame is damaged")
                           : fail(s, error, ISO_ERR_TRUNCATED, "the file ends within a frame");
        }
        s->offset = frame_end(&frame);
        const char *what = scan_frame(s, &frame);
        if (what != NULL) {
            s->offset = frame.offset;
            return fail(s, error, ISO_ERR_CORRUPT, what);
        }
    }
    return s->footer_seen ? ISO_OK : fail(s, error, ISO_ERR_TRUNCATED, "the recording was not sealed");
}

/// What is behind the FOOTER: exactly the trailer.
static iso_status scan_trailer(scan *s, iso_recording_error *error) {
    iso_recording *recording = s->recording;
    const uint64_t left = recording->file_size - s->offset;
    if (left < ISO_RECORDING_TRAILER_SIZE) {
        return fail(s, error, ISO_ERR_TRUNCATED, "the file ends within its trailer");
    }
    uint64_t footer_offset;
    if (left > ISO_RECORDING_TRAILER_SIZE || !trailer_is_good(recording->bytes, recording->file_size, &footer_offset) ||
        footer_offset != recording->footer_offset) {
        return fail(s, error, ISO_ERR_CORRUPT, "the trailer is damaged");
    }
    recording->size = recording->file_size;
    recording->sealed = true;
    return ISO_OK;
}

iso_status iso_recording_open(iso_recording *recording, const uint8_t *bytes, uint64_t size, iso_recording_mode mode,
                              iso_recording_error *error) {
    memset(recording, 0, sizeof *recording);
    recording->bytes = bytes;
    recording->file_size = size;
    scan s = {.recording = recording};
    iso_status status = scan_begin(&s, error);
    if (status != ISO_OK) {
        return status;
    }
    status = scan_frames(&s, error);
    if (status == ISO_OK) {
        status = scan_trailer(&s, error);
    }
    if (!recording->sealed) {
        // A footer without its trailer is no seal; the degradation it tells of stays known.
        recording->footer_offset = 0;
    }
    if (status == ISO_OK) {
        *error = (iso_recording_error){.offset = size, .tick = recording->last_tick, .what = "nothing"};
        return ISO_OK;
    }
    const bool kept =
        s.started && (mode == ISO_RECORDING_SALVAGE || (mode == ISO_RECORDING_TORN && status == ISO_ERR_TRUNCATED));
    return kept ? ISO_OK : status;
}

bool iso_recording_next(const iso_recording *recording, uint64_t *offset, iso_recording_frame *frame) {
    if (*offset >= recording->frames_end || !frame_read_head(recording->bytes, recording->frames_end, *offset, frame)) {
        return false;
    }
    *offset = frame_end(frame);
    return true;
}

/// The place of the last keyframe at or before `tick` that the FOOTER names, or of the first frame.
static uint64_t find_in_index(const iso_recording *recording, uint64_t tick) {
    uint64_t found = recording->frames_offset;
    iso_recording_frame frame;
    iso_recording_footer footer;
    iso__recording_reader entries;
    if (!recording->sealed || !frame_read_head(recording->bytes, recording->size, recording->footer_offset, &frame) ||
        !iso__recording_read_footer(&frame, &footer, &entries)) {
        return found;
    }
    iso_recording_index_entry entry = {0};
    for (uint32_t i = 0; i < footer.entry_count; i++) {
        iso__recording_read_entry(&entries, &entry);
        if (entry.tick > tick) {
            break;
        }
        found = entry.offset;
    }
    return found;
}

void iso_recording_find_keyframe(const iso_recording *recording, uint64_t tick, iso_recording_keyframe *keyframe) {
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
