/// What texts may hold. See wire/utf8.h.
#include "wire/utf8.h"

#include "isostep/assert.h"

bool iso__utf8_is_text(const uint8_t *bytes, size_t size) {
    ISO_ASSERT(bytes != NULL || size == 0);
    const uint8_t *const end = bytes + size;
    while (bytes < end) {
        uint32_t character;
        const size_t read = iso__utf8_read(bytes, end, &character);
        if (read == 0 || character < 0x20 || (character >= 0x7F && character < 0xA0)) {
            return false;
        }
        bytes += read;
    }
    return true;
}
