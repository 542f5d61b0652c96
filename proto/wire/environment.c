/// What programs read from their environment (isostep/proto/environment.h).
#ifndef _GNU_SOURCE
#define _GNU_SOURCE // the program's name
#endif
#include "isostep/proto/environment.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isostep/assert.h"

/// @return NULL: none is named
static const char *simd_value(void) {
    const char *value = getenv("ISO_SIMD");
    return value != NULL && value[0] != 0 ? value : NULL;
}

static void append(char text[ISO_ENVIRONMENT_TEXT_SIZE], const char *word) {
    const size_t length = strlen(text);
    snprintf(text + length, ISO_ENVIRONMENT_TEXT_SIZE - length, "%s", word);
}

bool iso_environment_check(char text[ISO_ENVIRONMENT_TEXT_SIZE]) {
    ISO_ASSERT(text != NULL);
    const char *value = simd_value();
    iso_simd set = ISO_SIMD_PORTABLE;
    const bool is_known = value == NULL || iso_simd_find(value, &set);
    text[0] = 0;
    if (is_known && iso_simd_is_supported(set)) {
        return true;
    }
    snprintf(text, ISO_ENVIRONMENT_TEXT_SIZE, "ISO_SIMD=%.32s: %s; here it may be", value,
             is_known ? "this processor or build lacks it" : "there is no such instruction set");
    for (unsigned i = 0; i < ISO_SIMD_COUNT; ++i) {
        if (iso_simd_is_supported((iso_simd)i)) {
            append(text, i == 0 ? " " : ", ");
            append(text, iso_simd_name((iso_simd)i));
        }
    }
    return false;
}

iso_simd iso_environment_simd(void) {
    const char *value = simd_value();
    iso_simd set;
    return value != NULL && iso_simd_find(value, &set) && iso_simd_is_supported(set) ? set : iso_simd_best();
}

const char *iso_environment_program(const char *fallback, char name[ISO_PROGRAM_NAME_SIZE]) {
    static const char allowed[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._+-";
    ISO_ASSERT(fallback != NULL && name != NULL);
#ifdef __linux__
    const char *own = program_invocation_short_name;
#else
    const char *own = NULL;
#endif
    snprintf(name, ISO_PROGRAM_NAME_SIZE, "%s", own != NULL && own[0] != 0 ? own : fallback);
    for (size_t i = strspn(name, allowed); name[i] != 0; i += strspn(name + i, allowed)) {
        name[i] = '_';
    }
    return name;
}
