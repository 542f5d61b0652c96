#include "host/sessions/directory.h"

#include <stdlib.h>
#include <string.h>

#include "base/affinity.h"
#include "isostep/assert.h"

bool iso__directory_init(iso__directory *directory, uint32_t capacity) {
    ISO_ASSERT(capacity > 0);
    *directory = (iso__directory){.capacity = capacity};
    iso__affinity_take(&directory->io);
    directory->sessions = calloc(capacity, sizeof directory->sessions[0]);
    directory->by_name = calloc(capacity, sizeof directory->by_name[0]);
    return directory->sessions != NULL && directory->by_name != NULL;
}

void iso__directory_term(iso__directory *directory) {
    ISO__ASSERT_ON(&directory->io);
    free(directory->sessions);
    free(directory->by_name);
    *directory = (iso__directory){0};
}

void iso__directory_add(iso__directory *directory, iso__hosted *hosted) {
    ISO__ASSERT_ON(&directory->io);
    ISO_ASSERT(directory->count < directory->capacity);
    uint32_t place = directory->count;
    for (; place > 0 && strcmp(directory->by_name[place - 1]->name, hosted->name) > 0; --place) {
        directory->by_name[place] = directory->by_name[place - 1];
    }
    directory->by_name[place] = hosted;
    directory->sessions[directory->count++] = hosted;
}

/// @return whether it was there
static bool take_out(iso__hosted **list, uint32_t count, const iso__hosted *hosted) {
    uint32_t at = 0;
    while (at < count && list[at] != hosted) {
        ++at;
    }
    if (at == count) {
        return false;
    }
    memmove(&list[at], &list[at + 1], (count - at - 1) * sizeof list[0]);
    return true;
}

void iso__directory_remove(iso__directory *directory, const iso__hosted *hosted) {
    ISO__ASSERT_ON(&directory->io);
    take_out(directory->by_name, directory->count, hosted);
    if (take_out(directory->sessions, directory->count, hosted)) {
        --directory->count;
    }
}

iso__hosted *iso__directory_find(const iso__directory *directory, const char *name) {
    ISO__ASSERT_ON(&directory->io);
    for (uint32_t i = 0; i < directory->count; ++i) {
        if (strcmp(directory->sessions[i]->name, name) == 0) {
            return directory->sessions[i];
        }
    }
    return NULL;
}
