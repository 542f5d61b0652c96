#include "http/files.h"

#include <stdbool.h>
#include <string.h>
#include <strings.h>

#include "isostep/assert.h"

static bool has_path(const iso__http_file *file, const char *path) {
    const size_t size = strlen(path);
    if (size == 0 || path[size - 1] != '/') {
        return strcmp(file->path, path) == 0;
    }
    return strncmp(file->path, path, size) == 0 && strcmp(file->path + size, "index.html") == 0;
}

/// Whether an Accept-Encoding header has this encoding, with any weight but 0.
static bool is_accepted(const char *list, const char *encoding) {
    const size_t size = strlen(encoding);
    while (list != NULL && *list != '\0') {
        list += strspn(list, " \t,");
        const size_t end = strcspn(list, " \t,;");
        const char *weight = list + end + strspn(list + end, " \t;");
        if (end == size && strncasecmp(list, encoding, size) == 0) {
            return strncmp(weight, "q=0", 3) != 0 || strspn(weight + 3, ".0") != strcspn(weight + 3, " \t,");
        }
        list += strcspn(list, ",");
    }
    return false;
}

const iso__http_file *iso__http_file_find(const iso__http_file *files, size_t count, const char *path,
                                          const char *accepted) {
    ISO_ASSERT(count == 0 || files != NULL);
    for (size_t i = 0; i < count; ++i) {
        if (has_path(&files[i], path) && (files[i].encoding == NULL || is_accepted(accepted, files[i].encoding))) {
            return &files[i];
        }
    }
    return NULL;
}
