/// The heads of answers.
#ifndef ISO_HTTP_RESPONSE_H
#define ISO_HTTP_RESPONSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ISO__HTTP_ANSWER_HEAD_MAX 2048u // [bytes]

/// What precedes a body.
typedef struct iso__http_head {
    unsigned status;
    const char *type;  // of the body; NULL: there is none
    uint64_t size;     // [bytes] of the body
    const char *cache; // Cache-Control; NULL: no-store
    const char *lines; // further headers, each ended by CR LF; NULL: none
    bool ends;         // the connection ends with this answer
} iso__http_head;

/// @param bytes  at least ISO__HTTP_ANSWER_HEAD_MAX
/// @return its size [bytes]; 0: it does not fit, which further headers of more than 1 KiB cause
size_t iso__http_head_write(const iso__http_head *head, char *bytes);

/// The answer to a request to go on as WebSocket. @param accept  as iso__websocket_accept gives it
size_t iso__http_upgrade_write(const char *accept, char *bytes);

#endif
