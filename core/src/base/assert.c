/// What a failed assertion says, where nobody has replaced it: isostep/assert.h.
#include "base/assert.h"

#include <stddef.h>

#if defined(__ELF__) && __STDC_HOSTED__
// The solver needs no C library; where the program has one, this is its write(2), and else NULL.
extern long iso__assert_write(int file, const void *bytes, size_t size) __asm__("write") __attribute__((weak));

static size_t text_add(char *text, size_t capacity, size_t size, const char *more) {
    while (*more != 0 && size < capacity) {
        text[size++] = *more++;
    }
    return size;
}

static void assert_say(const char *file, int line, const char *condition) {
    char text[512], digits[12];
    size_t size = text_add(text, sizeof text - 1, 0, file), place = sizeof digits - 1;
    digits[place] = 0;
    for (unsigned number = line > 0 ? (unsigned)line : 0; place > 0 && (number > 0 || digits[place] == 0);
         number /= 10) {
        digits[--place] = (char)('0' + number % 10);
    }
    size = text_add(text, sizeof text - 1, size, ":");
    size = text_add(text, sizeof text - 1, size, &digits[place]);
    size = text_add(text, sizeof text - 1, size, ": assertion failed: ");
    size = text_add(text, sizeof text - 1, size, condition);
    text[size++] = '\n';
    (void)iso__assert_write(2, text, size); // in one piece, so that other threads' lines stay apart
}
#endif

__attribute__((weak)) void iso_assert_failed(const char *file, int line, const char *condition) {
#if defined(__ELF__) && __STDC_HOSTED__
    if (iso__assert_write != NULL) {
        assert_say(file, line, condition);
    }
#else
    (void)file;
    (void)line;
    (void)condition;
#endif
    __builtin_trap();
}
