/// The files of the web client, in memory: a table that embed.cmake makes at build time from the folder ISO_HTTP_SITE.
#ifndef ISO_HTTP_FILES_H
#define ISO_HTTP_FILES_H

#include <stddef.h>
#include <stdint.h>

/// The policy of every page: scripts, workers and connections of the server's own origin only.
#define ISO__HTTP_CONTENT_POLICY                                                                         \
    "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'; worker-src 'self'; "  \
    "style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; object-src 'none'; base-uri 'none'; " \
    "frame-ancestors 'none'; form-action 'none'"

/// A file as it is sent. Of one path there may be several, one for each encoding; the one without comes last.
typedef struct iso__http_file {
    const char *path;     // "/index.html"
    const char *type;     // "text/html; charset=utf-8"
    const char *tag;      // its ETag, with the quotes
    const char *encoding; // "br", "gzip"; NULL: as it is
    const char *cache;    // Cache-Control
    const uint8_t *bytes;
    size_t size;
} iso__http_file;

/// All of them, and how many there are.
extern const iso__http_file iso__http_files[];
extern const size_t iso__http_file_count;

/// The file of a path that a peer can read. A path that ends with a slash is that of its index.html.
///
/// @param accepted  the Accept-Encoding header; NULL: none
/// @return NULL: there is none
const iso__http_file *iso__http_file_find(const iso__http_file *files, size_t count, const char *path,
                                          const char *accepted);

#endif
