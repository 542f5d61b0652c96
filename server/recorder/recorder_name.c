#include "recorder_name.h"

#include "isostep/assert.h"

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
