/// The compressed state of a keyframe, whose parts stand in several frames when it is large. Pure: who has no zstd here
/// decompresses elsewhere what iso_recording_read_stored hands out. keyframe_load.c does both.
#include "recording/bytes.h"

bool iso__recording_next_part(const iso_recording *recording, uint64_t *offset, uint32_t loaded, const uint8_t **part,
                              uint32_t *part_size) {
    ISO_ASSERT(*offset <= recording->frames_end);
    iso_recording_frame frame;
    iso_recording_keyframe head;
    if (!iso_recording_next(recording, offset, &frame)) {
        return false;
    }
    *part = frame.payload;
    *part_size = frame.size;
    return loaded > 0 ? frame.type == ISO_RECORDING_CHUNK
                      : frame.type == ISO_RECORDING_KEYFRAME &&
                            iso__recording_read_keyframe_part(&frame, &head, part, part_size);
}

iso_status iso_recording_read_stored(const iso_recording *recording, const iso_recording_keyframe *keyframe,
                                     uint8_t *stored) {
    ISO_ASSERT(keyframe->offset <= recording->frames_end);
    uint64_t offset = keyframe->offset;
    uint32_t loaded = 0;
    while (loaded < keyframe->stored_size) {
        const uint8_t *part;
        uint32_t part_size;
        if (!iso__recording_next_part(recording, &offset, loaded, &part, &part_size) ||
            part_size > keyframe->stored_size - loaded) {
            return ISO_ERR_CORRUPT;
        }
        memcpy(stored + loaded, part, part_size);
        loaded += part_size;
    }
    return ISO_OK;
}
