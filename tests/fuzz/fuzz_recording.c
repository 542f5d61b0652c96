/// Any bytes as a recording, opened in all three ways: what opens can be read to its end, and the ways agree. The last
/// checksum of every frame is made right first, or a mutant would never get beyond it.
#include "fuzz.h"

#include "recording_bytes.h"

/// Walks over frames as far as their sizes lead and writes their checksums, as the head's and the trailer's.
static void repair(uint8_t *bytes, size_t size) {
    if (size < ISO_RECORDING_FILE_HEAD_SIZE) {
        return;
    }
    iso__recording_writer crc = {.bytes = bytes + 12, .capacity = 4};
    iso__write_uint(&crc, iso_crc32c(0, bytes, 12), 4);
    size_t at = ISO_RECORDING_FILE_HEAD_SIZE;
    while (size - at >= ISO_RECORDING_FRAME_EXTRA_SIZE) {
        iso__recording_reader head = {.bytes = bytes + at + 2, .size = 4};
        const uint64_t payload = iso__read_uint(&head, 4);
        if (payload > size - at - ISO_RECORDING_FRAME_EXTRA_SIZE) {
            return;
        }
        const size_t covered = ISO_RECORDING_FRAME_HEAD_SIZE + (size_t)payload;
        crc = (iso__recording_writer){.bytes = bytes + at + covered, .capacity = 4};
        iso__write_uint(&crc, iso_crc32c(0, bytes + at, covered), 4);
        at += covered + 4;
        if (size - at == ISO_RECORDING_TRAILER_SIZE) {
            crc = (iso__recording_writer){.bytes = bytes + size - 4, .capacity = 4};
            iso__write_uint(&crc, iso_crc32c(0, bytes + at, 12), 4);
            return;
        }
    }
}

static void read_keyframe(const iso_recording *recording, const iso_recording_frame *frame) {
    iso_recording_keyframe keyframe;
    FUZZ_CHECK(iso_recording_read_keyframe(frame, &keyframe) == ISO_OK);
    if (keyframe.raw_size > 1u << 20) {
        return; // allowed, but slow to try a million times
    }
    uint8_t *out = malloc(keyframe.raw_size);
    const iso_status status = iso_recording_load_keyframe(recording, &keyframe, out);
    FUZZ_CHECK(status == ISO_OK || status == ISO_ERR_CORRUPT);
    free(out);
}

static void read_all(const iso_recording *recording) {
    static iso_recording_tick_buffer buffer;
    uint64_t ticks = 0, keyframes = 0;
    uint64_t offset = recording->frames_offset;
    iso_recording_frame frame;
    while (iso_recording_next(recording, &offset, &frame)) {
        iso_recording_tick tick;
        if (frame.type == ISO_RECORDING_TICK) {
            FUZZ_CHECK(iso_recording_read_tick(&frame, &buffer, &tick) == ISO_OK);
            FUZZ_CHECK(tick.input.tick == recording->header.first_tick + ++ticks);
        } else if (frame.type == ISO_RECORDING_KEYFRAME) {
            keyframes++;
            read_keyframe(recording, &frame);
        }
    }
    FUZZ_CHECK(offset == recording->frames_end);
    FUZZ_CHECK(ticks == recording->tick_count && keyframes == recording->keyframe_count && keyframes > 0);
    iso_recording_keyframe found;
    iso_recording_find_keyframe(recording, recording->last_tick, &found);
    FUZZ_CHECK(found.tick <= recording->last_tick && found.ticks_offset <= found.offset);
}

static void open_all(const uint8_t *bytes, size_t size) {
    iso_recording strict, torn, salvaged;
    iso_recording_error error;
    const bool strict_opens = iso_recording_open(&strict, bytes, size, ISO_RECORDING_STRICT, &error) == ISO_OK;
    const bool torn_opens = iso_recording_open(&torn, bytes, size, ISO_RECORDING_TORN, &error) == ISO_OK;
    const bool salvage_opens = iso_recording_open(&salvaged, bytes, size, ISO_RECORDING_SALVAGE, &error) == ISO_OK;
    FUZZ_CHECK(torn_opens || !strict_opens);
    FUZZ_CHECK(salvage_opens || !torn_opens);
    FUZZ_CHECK(error.offset <= size);
    FUZZ_CHECK(!strict_opens || (strict.sealed && strict.size == size));
    FUZZ_CHECK(!torn_opens || torn.last_tick == salvaged.last_tick);
    if (salvage_opens) {
        read_all(&salvaged);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    open_all(bytes, size);
    uint8_t *repaired = malloc(size + (size == 0));
    FUZZ_CHECK(repaired != NULL);
    if (size > 0) {
        memcpy(repaired, bytes, size);
    }
    repair(repaired, size);
    open_all(repaired, size);
    free(repaired);
    return 0;
}
