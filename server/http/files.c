#include "http/files.h"

#include <stdbool.h>
#include <string.h>

#include "http/request.h"

// Until the web client is built in: what can be asked for here.
static const char index_page[] =
    "<!doctype html>\n<html lang=\"en\"><meta charset=\"utf-8\"><title>Isostep</title>\n"
    "<h1>Isostep</h1>\n<p>This server hosts physics sessions.</p>\n<ul>\n"
    "<li><a href=\"api/sessions\">sessions</a></li>\n<li><a href=\"api/recordings\">recordings</a></li>\n"
    "<li><a href=\"metrics\">metrics</a></li>\n</ul></html>\n";

const iso__http_file iso__http_files[] = {
    {"/index.html", "text/html; charset=utf-8", "\"index-1\"", NULL, "no-cache", (const uint8_t *)index_page,
     sizeof index_page - 1},
};
const size_t iso__http_file_count = sizeof iso__http_files / sizeof iso__http_files[0];

static bool has_path(const iso__http_file *file, const char *path) {
    const size_t size = strlen(path);
    if (size == 0 || path[size - 1] != '/')
        return strcmp(file->path, path) == 0;
    return strncmp(file->path, path, size) == 0 && strcmp(file->path + size, "index.html") == 0;
}

const iso__http_file *iso__http_file_find(const iso__http_file *files, size_t count, const char *path,
                                          const char *accepted) {
    for (size_t i = 0; i < count; ++i) {
        if (has_path(&files[i], path) && (files[i].encoding == NULL || iso__http_has_word(accepted, files[i].encoding)))
            return &files[i];
    }
    return NULL;
}
