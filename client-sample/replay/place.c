/// Places in a state as users write them.
#include "place.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

bool iso__replay_place_index(const char **at, uint32_t *index) {
    *index = 0;
    if (**at != '[') {
        return true;
    }
    char *end;
    const unsigned long long value = strtoull(*at + 1, &end, 10);
    const bool ok = isdigit((unsigned char)(*at)[1]) && *end == ']' && value <= UINT32_MAX;
    *index = (uint32_t)value;
    *at = end + (*end != 0);
    return ok;
}

bool iso__replay_place_section(const char *what, const char **at, iso_section *section) {
    const size_t size = strcspn(*at, "[.:");
    for (uint32_t i = 0; i < ISO_SECTION_COUNT; ++i) {
        const char *name = iso_section_name((iso_section)i);
        if (strlen(name) == size && strncmp(*at, name, size) == 0) {
            *section = (iso_section)i;
            *at += size;
            return true;
        }
    }
    iso_print(stderr, "isostep-replay: %s: there is no section %.*s; there are", what, (int)size, *at);
    for (uint32_t i = 0; i < ISO_SECTION_COUNT; ++i) {
        iso_print(stderr, " %s", iso_section_name((iso_section)i));
    }
    iso_print(stderr, "\n");
    return false;
}
