/// Frames that cannot be trusted: whether one is good, and whether a bad one is a torn end or a loss.
///
/// A power cut leaves any of the pages that were not synced, so good bytes behind a bad frame prove nothing. What
/// proves a loss is a mark: written after a sync, it says up to where the file was durable. Behind a bad frame the
/// chain of checksums is broken, and what stands there may be a member's payload. So a mark has a checksum of its own,
/// and counts there only with the salt of the file, which no member knows, and at the offset that it names.
#include "recording/bytes.h"

static const uint8_t known_flags[] = {
    [ISO_RECORDING_HEADER] = 0,
    [ISO_RECORDING_KEYFRAME] = 0,
    [ISO_RECORDING_CHUNK] = 0,
    [ISO_RECORDING_TICK] = ISO__RECORDING_TICK_ROOT | ISO__RECORDING_TICK_CHANGES | ISO__RECORDING_TICK_COMMANDS,
    [ISO_RECORDING_EVENT] = 0,
    [ISO_RECORDING_FOOTER] =
        ISO__RECORDING_FOOTER_DEGRADED | ISO__RECORDING_FOOTER_ROOT | ISO__RECORDING_FOOTER_GOES_ON,
    [ISO_RECORDING_MARK] = 0,
};

bool iso__recording_read_frame_head(const uint8_t *bytes, uint64_t size, uint64_t offset, uint32_t version,
                                    iso_recording_frame *frame) {
    ISO_ASSERT(version >= ISO_RECORDING_VERSION_MIN);
    if (offset > size || size - offset < ISO_RECORDING_FRAME_EXTRA_SIZE) {
        return false;
    }
    iso__recording_reader reader = {.bytes = bytes + offset, .size = ISO_RECORDING_FRAME_HEAD_SIZE};
    frame->type = (uint8_t)iso__read_uint(&reader, 1);
    frame->flags = (uint8_t)iso__read_uint(&reader, 1);
    frame->size = (uint32_t)iso__read_uint(&reader, 4);
    frame->payload = bytes + offset + ISO_RECORDING_FRAME_HEAD_SIZE;
    frame->offset = offset;
    const uint8_t type_max = version > 1 ? ISO_RECORDING_MARK : ISO_RECORDING_FOOTER;
    if (frame->type < ISO_RECORDING_HEADER || frame->type > type_max ||
        (frame->flags & ~(uint32_t)known_flags[frame->type]) != 0) {
        return false;
    }
    const uint32_t size_max =
        frame->type == ISO_RECORDING_HEADER ? ISO_RECORDING_HEADER_SIZE_MAX : ISO_RECORDING_PAYLOAD_SIZE_MAX;
    const bool fits = frame->size <= size_max && frame->size <= size - offset - ISO_RECORDING_FRAME_EXTRA_SIZE;
    ISO_ASSERT(!fits || iso__recording_frame_end(frame) <= size);
    return fits;
}

bool iso__recording_read_frame(const uint8_t *bytes, uint64_t size, uint64_t offset, iso_recording_chain *chain,
                               iso_recording_frame *frame) {
    ISO_ASSERT(iso__recording_chain_is_known(chain));
    if (!iso__recording_read_frame_head(bytes, size, offset, chain->version, frame)) {
        return false;
    }
    const size_t covered = ISO_RECORDING_FRAME_HEAD_SIZE + frame->size;
    iso__recording_reader reader = {.bytes = bytes + offset + covered, .size = 4};
    const uint32_t checksum = (uint32_t)iso__read_uint(&reader, 4);
    if (checksum != iso__frame_checksum(chain, bytes + offset, covered)) {
        return false;
    }
    chain->checksum = checksum;
    return true;
}

bool iso_recording_find_footer(const uint8_t *trailer, uint64_t file_size, uint64_t *offset) {
    ISO_ASSERT(trailer != NULL && file_size >= ISO_RECORDING_TRAILER_SIZE);
    iso__recording_reader reader = {.bytes = trailer, .size = ISO_RECORDING_TRAILER_SIZE};
    *offset = iso__read_uint(&reader, 8);
    const uint8_t *magic = iso__read_bytes(&reader, 4);
    return memcmp(magic, ISO__RECORDING_TRAILER_MAGIC, 4) == 0 &&
           iso__read_uint(&reader, 4) == iso_crc32c(0, trailer, 12) && *offset < file_size;
}

bool iso_recording_footer_goes_on(const uint8_t *head) {
    ISO_ASSERT(head != NULL);
    return head[0] == ISO_RECORDING_FOOTER &&
           (head[1] & (ISO__RECORDING_FOOTER_GOES_ON | ISO__RECORDING_FOOTER_DEGRADED)) != 0;
}

bool iso__recording_trailer_is_good(const uint8_t *bytes, uint64_t size, uint64_t *footer_offset) {
    ISO_ASSERT(footer_offset != NULL && (bytes != NULL || size == 0));
    return size >= ISO_RECORDING_TRAILER_SIZE &&
           iso_recording_find_footer(bytes + size - ISO_RECORDING_TRAILER_SIZE, size, footer_offset);
}

/// Whether what is there is the head of a file of this format up to some byte, and zeros behind it.
static bool head_is_torn_of(const uint8_t *bytes, uint64_t size, uint32_t version) {
    uint8_t head[ISO_RECORDING_FILE_HEAD_SIZE];
    iso__recording_writer writer = {.bytes = head, .capacity = sizeof head};
    iso__write_bytes(&writer, ISO__RECORDING_MAGIC, 8);
    iso__write_uint(&writer, version, 4);
    iso__write_uint(&writer, iso_crc32c(0, head, 12), 4);
    const size_t there = size < sizeof head ? (size_t)size : sizeof head;
    size_t at = 0;
    while (at < there && bytes[at] == head[at]) {
        ++at;
    }
    while (at < there && bytes[at] == 0) {
        ++at;
    }
    return at == there;
}

bool iso__recording_head_is_torn(const uint8_t *bytes, uint64_t size) {
    ISO_ASSERT(bytes != NULL || size == 0);
    return head_is_torn_of(bytes, size, ISO_RECORDING_VERSION) ||
           head_is_torn_of(bytes, size, ISO_RECORDING_VERSION_SPACE);
}

/// Whether a good frame begins anywhere behind `offset`, as far as what stands before it lets it be judged. The work is
/// bounded, as a file could be made of frame heads; beyond the bound the answer is yes, which keeps what is there.
static bool good_frame_follows(const iso_recording *recording, uint64_t offset) {
    const uint8_t *bytes = recording->bytes;
    const uint64_t size = recording->file_size;
    uint64_t budget = (UINT64_C(64) << 20) + 16 * (size - offset);
    iso_recording_frame frame;
    for (uint64_t at = offset + 1; at < size; ++at) {
        if (bytes[at] <= ISO_RECORDING_HEADER ||
            !iso__recording_read_frame_head(bytes, size, at, recording->version, &frame)) {
            continue;
        }
        iso_recording_chain chain = {.version = recording->version};
        if (chain.version > 1 && at >= 4) {
            // Its last link is what ends the frame before.
            iso__recording_reader before = {.bytes = bytes + at - 4, .size = 4};
            chain.checksum = (uint32_t)iso__read_uint(&before, 4);
        }
        if (frame.size > budget || iso__recording_read_frame(bytes, size, at, &chain, &frame)) {
            return true;
        }
        budget -= frame.size;
    }
    return false;
}

/// Where a frame ends that comes before all ticks and begins there. @return 0: none does
static uint64_t first_frame_end(const iso_recording *recording, uint64_t offset) {
    iso__recording_reader reader = {.bytes = recording->bytes + offset, .size = ISO_RECORDING_FRAME_HEAD_SIZE};
    const uint64_t type = iso__read_uint(&reader, 1);
    const uint64_t flags = iso__read_uint(&reader, 1);
    const uint64_t size = iso__read_uint(&reader, 4);
    const bool is_first = type == ISO_RECORDING_HEADER || type == ISO_RECORDING_KEYFRAME || type == ISO_RECORDING_CHUNK;
    const uint64_t size_max =
        type == ISO_RECORDING_HEADER ? ISO_RECORDING_HEADER_SIZE_MAX : ISO_RECORDING_PAYLOAD_SIZE_MAX;
    return is_first && flags == 0 && size <= size_max ? offset + ISO_RECORDING_FRAME_EXTRA_SIZE + size : 0;
}

bool iso_recording_holds_no_tick(const iso_recording *recording, uint64_t offset) {
    ISO_ASSERT(offset <= recording->file_size);
    uint64_t end = recording->file_size;
    while (end > offset && recording->bytes[end - 1] == 0) {
        --end;
    }
    if (recording->file_size < ISO_RECORDING_FILE_HEAD_SIZE || end - offset < ISO_RECORDING_FRAME_EXTRA_SIZE) {
        return true;
    }
    return end <= first_frame_end(recording, offset) && !good_frame_follows(recording, offset);
}

/// Whether a mark stands at `at`, where the chain is not known.
static bool mark_is_at(const uint8_t *bytes, uint64_t size, uint64_t at, const uint64_t *salt,
                       iso_recording_mark *mark) {
    iso_recording_frame frame;
    return iso__recording_read_frame_head(bytes, size, at, ISO_RECORDING_VERSION, &frame) &&
           frame.size <= ISO_RECORDING_MARK_FRAME_MAX && iso_recording_read_mark(&frame, mark) == ISO_OK &&
           mark->offset == at && (salt == NULL || mark->salt == *salt);
}

/// Searches after `from` for marks stating that more than `from` bytes were durable, and takes the one with the largest
/// number.
static bool find_mark(const iso_recording *recording, uint64_t from, const uint64_t *salt, iso_recording_error *error) {
    const uint8_t *bytes = recording->bytes;
    bool found = false;
    uint64_t at = from;
    while (at < recording->file_size) {
        const uint8_t *next = memchr(bytes + at, ISO_RECORDING_MARK, (size_t)(recording->file_size - at));
        if (next == NULL) {
            break;
        }
        at = (uint64_t)(next - bytes);
        iso_recording_mark mark;
        if (mark_is_at(bytes, recording->file_size, at, salt, &mark) && mark.durable_offset > from &&
            (!found || mark.durable_offset > error->durable_offset)) {
            found = true;
            error->durable_offset = mark.durable_offset;
            error->durable_tick = mark.durable_tick;
        }
        ++at;
    }
    return found;
}

bool iso__recording_is_torn(const iso_recording *recording, uint64_t offset, const uint64_t *salt,
                            iso_recording_mode mode, iso_recording_error *error) {
    ISO_ASSERT(offset <= recording->file_size && mode <= ISO_RECORDING_SALVAGE);
    uint64_t footer_offset;
    const bool has_trailer = iso__recording_trailer_is_good(recording->bytes, recording->file_size, &footer_offset);
    if (recording->version == 1) {
        // It knew no marks: a good frame anywhere behind a bad one was taken for a loss.
        return !has_trailer && !good_frame_follows(recording, offset);
    }
    // The trailer of a .part may be there before the pages in front of it; that of a sealed file was synced with them.
    const bool was_sealed = has_trailer && mode != ISO_RECORDING_TORN;
    return !find_mark(recording, offset, salt, error) && !was_sealed;
}
