#include "host/peers/member_name.h"

#include <string.h>
#include <unictype.h>
#include <uninorm.h>
#include <unistr.h>

#include "isostep/assert.h"

// A character of three bytes becomes 33 in NFKC at most.
#define NORMAL_MAX (ISO_MEMBER_NAME_MAX * 12)
// It is shown as nothing, and is no white space.
#define BRAILLE_BLANK 0x2800u

static bool is_seen(ucs4_t c) {
    return c != BRAILLE_BLANK && !uc_is_property_default_ignorable_code_point(c) &&
           !uc_is_general_category(
               c, uc_general_category_or(UC_OTHER, uc_general_category_or(UC_LINE_SEPARATOR, UC_PARAGRAPH_SEPARATOR)));
}

static void clean(char name[ISO_MEMBER_NAME_MAX + 1]) {
    uint8_t normal[NORMAL_MAX];
    size_t size = sizeof normal, fill = 0;
    bool has_space = false;
    const uint8_t *from = u8_normalize(UNINORM_NFKC, (const uint8_t *)name, strlen(name), normal, &size);
    memset(name, 0, ISO_MEMBER_NAME_MAX + 1);
    // It fits, so it is not from the heap.
    if (from != normal) {
        return;
    }
    for (size_t at = 0; at < size;) {
        ucs4_t c;
        const int bytes = u8_mbtouc(&c, normal + at, size - at);
        const bool is_space = uc_is_property_white_space(c);
        has_space = has_space || is_space;
        if (!is_space && is_seen(c)) {
            const size_t gap = has_space && fill > 0 ? 1 : 0;
            if (fill + gap + (size_t)bytes > ISO_MEMBER_NAME_MAX) {
                return;
            }
            if (gap == 1) {
                name[fill++] = ' ';
            }
            memcpy(name + fill, normal + at, (size_t)bytes);
            fill += (size_t)bytes;
            has_space = false;
        }
        at += (size_t)bytes;
    }
}

/// Whether there is more than marks, which stand on a character before them and are no name by themselves.
static bool has_character(const char *name) {
    const size_t size = strlen(name);
    ucs4_t c;
    for (size_t at = 0; at < size;) {
        at += (size_t)u8_mbtouc(&c, (const uint8_t *)name + at, size - at);
        if (c != ' ' && !uc_is_general_category(c, UC_MARK)) {
            return true;
        }
    }
    return false;
}

void iso__member_name_clean(char name[ISO_MEMBER_NAME_MAX + 1]) {
    ISO_ASSERT(memchr(name, 0, ISO_MEMBER_NAME_MAX + 1) != NULL);
    clean(name);
    // Where something was taken out, two characters that are one in the normal form may have met.
    clean(name);
    if (!has_character(name)) {
        memset(name, 0, ISO_MEMBER_NAME_MAX + 1);
    }
}
