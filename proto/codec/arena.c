/// Memory for one message and the small parts that all kinds share.
#include <stddef.h>
#include <string.h>

#include "codec/internal.h"
#include "wire/utf8.h"

void iso__codec_arena_init(iso__codec_arena *arena, void *memory, size_t size) {
    ISO_ASSERT((uintptr_t)memory % _Alignof(max_align_t) == 0 && (memory != NULL || size == 0));
    *arena = (iso__codec_arena){.memory = memory, .size = size, .used = 0, .is_exhausted = false};
}

void *iso__codec_arena_take(iso__codec_arena *arena, size_t size) {
    ISO_ASSERT(arena->used <= arena->size && arena->used % 16u == 0);
    size_t left = arena->size - arena->used;
    size_t rounded = (size + 15) & ~(size_t)15;
    if (rounded < size || rounded > left) {
        arena->is_exhausted = true;
        return NULL;
    }
    void *taken = arena->memory + arena->used;
    arena->used += rounded;
    return taken;
}

static void *arena_alloc(void *data, size_t size) {
    return iso__codec_arena_take(data, size);
}

static void arena_free(void *data, void *pointer) {
    (void)data;
    (void)pointer;
}

ProtobufCAllocator iso__codec_arena_allocator(iso__codec_arena *arena) {
    ISO_ASSERT(arena->used <= arena->size && !arena->is_exhausted);
    return (ProtobufCAllocator){.alloc = arena_alloc, .free = arena_free, .allocator_data = arena};
}

iso_status iso__codec_text_pack(const char *text, size_t capacity, char **packed) {
    ISO_ASSERT(capacity > 0 && packed != NULL);
    const char *end = memchr(text, 0, capacity);
    if (end == NULL) {
        return ISO_ERR_RANGE;
    }
    if (!iso__utf8_is_text((const uint8_t *)text, (size_t)(end - text))) {
        return ISO_ERR_MALFORMED;
    }
    *packed = (char *)(uintptr_t)text; // protobuf-c only reads it
    return ISO_OK;
}

iso_status iso__codec_text_unpack(const char *packed, char *text, size_t capacity) {
    ISO_ASSERT(capacity > 0 && packed != NULL);
    size_t length = strlen(packed);
    if (length >= capacity) {
        return ISO_ERR_RANGE;
    }
    memset(text, 0, capacity);
    memcpy(text, packed, length);
    return ISO_OK;
}

// Codes that this version does not know are let through: they only inform.
#define CODE_MAX 4095

iso_status iso__codec_code_pack(iso_status code, uint32_t *packed) {
    ISO_ASSERT(packed != NULL);
    int number = -(int)code;
    if (number < 0 || number > CODE_MAX) {
        return ISO_ERR_RANGE;
    }
    *packed = (uint32_t)number;
    return ISO_OK;
}

iso_status iso__codec_code_unpack(uint32_t packed, iso_status *code) {
    ISO_ASSERT(code != NULL);
    if (packed > CODE_MAX) {
        return ISO_ERR_RANGE;
    }
    *code = (iso_status)(-(int)packed);
    return ISO_OK;
}

iso_status iso__codec_enum_unpack(int value, uint8_t *result) {
    ISO_ASSERT(result != NULL);
    if (value < 0 || value > UINT8_MAX) {
        return ISO_ERR_BAD_ENUM;
    }
    *result = (uint8_t)value;
    return ISO_OK;
}
