/// Texts of others. See isostep/proto/text.h.
#include "isostep/proto/text.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "isostep/assert.h"
#include "wire/json_text.h"
#include "wire/utf8.h"

bool iso_text_is_printable(uint32_t character) {
    static const struct {
        uint32_t first, last;
    } hidden[] = {
        {0, 0x1F},          // C0
        {0x7F, 0x9F},       // DEL, C1
        {0x61C, 0x61C},     // the Arabic letter mark
        {0x200E, 0x200F},   // marks of direction
        {0x2028, 0x202E},   // separators; embeddings and overrides of direction
        {0x2060, 0x206F},   // invisible operators; isolates of direction
        {0xFEFF, 0xFEFF},   // the byte order mark
        {0xFFF9, 0xFFFB},   // annotations
        {0xE0000, 0xE0001}, // language tags
    };
    for (size_t i = 0; i < sizeof hidden / sizeof hidden[0]; ++i) {
        if (character >= hidden[i].first && character <= hidden[i].last) {
            return false;
        }
    }
    return true;
}

/// @return the size afterwards
static size_t make_printable(char *text, bool with_newlines) {
    const uint8_t *at = (const uint8_t *)text;
    const uint8_t *const end = at + strlen(text);
    char *to = text;
    while (at < end) {
        uint32_t character;
        const size_t size = iso__utf8_read(at, end, &character);
        if (size > 0 && (iso_text_is_printable(character) || (with_newlines && character == '\n'))) {
            memmove(to, at, size);
            to += size;
        } else {
            *to++ = '?';
        }
        at += size > 0 ? size : 1;
    }
    *to = 0;
    return (size_t)(to - text);
}

void iso_text_make_printable(char *text) {
    ISO_ASSERT(text != NULL);
    make_printable(text, false);
}

int iso_print(FILE *file, const char *format, ...) {
    ISO_ASSERT(file != NULL && format != NULL);
    char room[2048];
    char *text = room;
    va_list arguments;
    va_start(arguments, format);
    const int wanted = vsnprintf(room, sizeof room, format, arguments);
    va_end(arguments);
    if (wanted < 0) {
        return wanted;
    }
    if ((size_t)wanted >= sizeof room) {
        char *larger = malloc((size_t)wanted + 1);
        if (larger != NULL) {
            text = larger;
            va_start(arguments, format);
            vsnprintf(text, (size_t)wanted + 1, format, arguments);
            va_end(arguments);
        }
    }
    const size_t size = make_printable(text, true);
    const bool written = fwrite(text, 1, size, file) == size;
    if (text != room) {
        free(text);
    }
    return written ? (int)size : -1;
}

const char *iso_text_plural(uint64_t count) {
    return count == 1 ? "" : "s";
}

bool iso_print_end(const char *program) {
    ISO_ASSERT(program != NULL && program[0] != '\0');
    errno = 0;
    const bool has_failed = ferror(stdout) != 0;
    if ((fflush(stdout) == 0 && !has_failed) || errno == EPIPE) {
        return true; // who reads it may have enough
    }
    // An earlier call has failed, whose reason is gone.
    iso_print(stderr, "%s: standard output cannot be written: %s\n", program,
              errno != 0 ? strerror(errno) : "what came before is not all there");
    return false;
}

void iso_print_json_string(FILE *file, const char *text) {
    ISO_ASSERT(file != NULL && text != NULL);
    const uint8_t *at = (const uint8_t *)text;
    const uint8_t *const end = at + strlen(text);
    fputc('"', file);
    while (at < end) {
        char character[ISO__JSON_CHARACTER_SIZE];
        at += iso__json_character(at, end, character);
        fputs(character, file);
    }
    fputc('"', file);
}
