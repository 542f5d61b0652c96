/// Parameters of a joint's constraint, of both kinds of worlds: vectors of as many numbers as the world has dimensions,
/// then scalars.
#include <string.h>

#include "codec/internal.h"

static size_t params_vectors_size(const iso_program_params *params, uint32_t dimensions) {
    return dimensions == 3 ? sizeof params->vectors3 : sizeof params->vectors;
}

iso_status iso__codec_params_pack(iso__codec_arena *arena, uint32_t dimensions, const iso_program_params *params,
                                  size_t *count, int64_t **packed) {
    ISO_ASSERT(*count == 0 && (dimensions == 2 || dimensions == 3));
    const size_t size = params_vectors_size(params, dimensions);
    uint8_t *numbers = iso__codec_arena_take(arena, size + sizeof params->scalars);
    if (numbers == NULL) {
        return ISO_ERR_BUFFER;
    }
    memcpy(numbers, dimensions == 3 ? (const void *)params->vectors3 : params->vectors, size);
    memcpy(numbers + size, params->scalars, sizeof params->scalars);
    *count = (size + sizeof params->scalars) / sizeof **packed;
    *packed = (int64_t *)(void *)numbers; // the arena aligns to 16
    return ISO_OK;
}

iso_status iso__codec_params_unpack(uint32_t dimensions, const int64_t *packed, size_t count,
                                    iso_program_params *params) {
    ISO_ASSERT(dimensions == 2 || dimensions == 3);
    const size_t size = params_vectors_size(params, dimensions);
    if (count != (size + sizeof params->scalars) / sizeof *packed) {
        return ISO_ERR_MALFORMED;
    }
    memcpy(dimensions == 3 ? (void *)params->vectors3 : params->vectors, packed, size);
    memcpy(params->scalars, packed + size / sizeof *packed, sizeof params->scalars);
    return ISO_OK;
}
