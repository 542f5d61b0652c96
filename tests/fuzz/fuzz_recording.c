/// Any bytes as a recording, opened in all three ways: what opens can be read to its end, and the ways agree. Then the
/// same with right checksums, or a mutant would never get beyond them.
#include "fuzz.h"

#include "../recording_repair.h"

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
    uint64_t ticks = 0, keyframes = 0, events = 0, marks = 0;
    uint64_t offset = recording->frames_offset;
    iso_recording_frame frame;
    while (iso_recording_next(recording, &offset, &frame)) {
        iso_recording_tick tick;
        iso_recording_event event;
        iso_recording_mark mark;
        if (frame.type == ISO_RECORDING_TICK) {
            FUZZ_CHECK(iso_recording_read_tick(&frame, &buffer, &tick) == ISO_OK);
            FUZZ_CHECK(tick.input.tick == recording->header.first_tick + ++ticks);
        } else if (frame.type == ISO_RECORDING_KEYFRAME) {
            ++keyframes;
            read_keyframe(recording, &frame);
        } else if (frame.type == ISO_RECORDING_EVENT) {
            ++events;
            FUZZ_CHECK(iso_recording_read_event(&frame, &event) == ISO_OK);
            FUZZ_CHECK(event.name[sizeof event.name - 1] == 0 && event.kind <= ISO_RECORDING_EVENT_HEALED);
        } else if (frame.type == ISO_RECORDING_MARK) {
            ++marks;
            FUZZ_CHECK(recording->version > 1 && iso_recording_read_mark(&frame, &mark) == ISO_OK);
            FUZZ_CHECK(mark.durable_offset <= frame.offset && mark.durable_tick <= recording->last_tick);
        }
    }
    FUZZ_CHECK(offset == recording->frames_end);
    FUZZ_CHECK(ticks == recording->tick_count && keyframes == recording->keyframe_count && keyframes > 0);
    FUZZ_CHECK(events == recording->event_count && marks <= recording->mark_count);
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
    FUZZ_CHECK(error.offset <= size && error.durable_offset <= size);
    FUZZ_CHECK(error.durable_offset == 0 || error.durable_offset > error.offset);
    FUZZ_CHECK(!strict_opens || (strict.is_sealed && strict.size == size));
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
    recording_repair(repaired, size);
    open_all(repaired, size);
    free(repaired);
    return 0;
}
