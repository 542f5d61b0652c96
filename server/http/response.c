#include "http/response.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "http/policy.h"
#include "http/websocket.h"
#include "isostep/assert.h"

/// "Not Found", and so on.
static const char *reason_of(unsigned status) {
    static const struct {
        unsigned status;
        const char *reason;
    } reasons[] = {
        {101, "Switching Protocols"},
        {200, "OK"},
        {201, "Created"},
        {202, "Accepted"},
        {204, "No Content"},
        {206, "Partial Content"},
        {304, "Not Modified"},
        {400, "Bad Request"},
        {401, "Unauthorized"},
        {403, "Forbidden"},
        {404, "Not Found"},
        {405, "Method Not Allowed"},
        {408, "Request Timeout"},
        {409, "Conflict"},
        {413, "Content Too Large"},
        {414, "URI Too Long"},
        {415, "Unsupported Media Type"},
        {416, "Range Not Satisfiable"},
        {421, "Misdirected Request"},
        {422, "Unprocessable Content"},
        {426, "Upgrade Required"},
        {429, "Too Many Requests"},
        {431, "Request Header Fields Too Large"},
        {500, "Internal Server Error"},
        {503, "Service Unavailable"},
        {505, "HTTP Version Not Supported"},
    };
    for (size_t i = 0; i < sizeof reasons / sizeof reasons[0]; ++i) {
        if (reasons[i].status == status) {
            return reasons[i].reason;
        }
    }
    return "Unknown";
}

size_t iso__http_head_write(const iso__http_head *head, char *bytes) {
    ISO_ASSERT(head->status >= 200 && head->status <= 599 && (head->status != 204 || head->size == 0));
    char type[128] = "", size[48] = "";
    if (head->type != NULL) {
        snprintf(type, sizeof type, "Content-Type: %s\r\n", head->type);
    }
    // 204 and 304 have no body by definition, and no size of it.
    if (head->status != 204 && head->status != 304) {
        snprintf(size, sizeof size, "Content-Length: %" PRIu64 "\r\n", head->size);
    }
    const int written =
        snprintf(bytes, ISO__HTTP_ANSWER_HEAD_MAX,
                 "HTTP/1.1 %u %s\r\n%s%sCache-Control: %s\r\nX-Content-Type-Options: nosniff\r\n%s%s\r\n", head->status,
                 reason_of(head->status), type, size, head->cache != NULL ? head->cache : "no-store",
                 head->lines != NULL ? head->lines : "", head->ends ? "Connection: close\r\n" : "");
    return written > 0 && (size_t)written < ISO__HTTP_ANSWER_HEAD_MAX ? (size_t)written : 0;
}

size_t iso__http_upgrade_write(const char *accept, char *bytes) {
    ISO_ASSERT(strlen(accept) == ISO__WEBSOCKET_ACCEPT_SIZE);
    const int written =
        snprintf(bytes, ISO__HTTP_ANSWER_HEAD_MAX,
                 "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                 "Sec-WebSocket-Accept: %s\r\nSec-WebSocket-Protocol: " ISO__HTTP_SUBPROTOCOL "\r\n\r\n",
                 accept);
    return (size_t)written;
}
