/// HTTP/1 requests from bytes, by llhttp, within fixed limits.
///
/// The parser is pure: it takes the received bytes and returns whole requests, one at a time, so that the next one of a
/// pipeline is not looked at before the one before it is answered. What is wrong with a request becomes the HTTP status
/// to answer it with; after that the connection cannot be used any more.
#ifndef ISO_HTTP_REQUEST_H
#define ISO_HTTP_REQUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ISO__HTTP_TARGET_MAX  2048u      // [bytes] of a request's target
#define ISO__HTTP_HEAD_MAX    8192u      // [bytes] of the target and of all headers, each with an end
#define ISO__HTTP_HEADERS_MAX 64u        // headers of a request
#define ISO__HTTP_BODY_MAX    (1u << 20) // [bytes], as of a scene

typedef enum iso__http_method {
    ISO__HTTP_GET,
    ISO__HTTP_HEAD,
    ISO__HTTP_POST,
    ISO__HTTP_DELETE,
    ISO__HTTP_OTHER,
} iso__http_method;

typedef struct iso__http_header {
    const char *name; // in lower case
    const char *value;
} iso__http_header;

/// Texts have a terminating zero and are valid until the next call.
typedef struct iso__http_request {
    iso__http_method method;
    const char *target; // as it was sent, escapes included
    iso__http_header headers[ISO__HTTP_HEADERS_MAX];
    uint32_t header_count;
    const uint8_t *body;
    size_t body_size;
    bool has_proxy;      // a Forwarded or X-Forwarded-… header is there
    bool is_upgrade;     // the peer wants another protocol on this connection
    bool stays_open;     // the connection may carry another request
    bool is_version_1_1; // else 1.0
} iso__http_request;

typedef enum iso__http_event {
    ISO__HTTP_MORE,    // everything was taken, and no request is whole
    ISO__HTTP_REQUEST, // one is whole
    ISO__HTTP_FAILED,  // what was received is no request that is served
} iso__http_event;

typedef struct iso__http_parser iso__http_parser;

/// @param body_max  [bytes] of a request, at most ISO__HTTP_BODY_MAX; 0: none may have a body
/// @return NULL when memory is short
iso__http_parser *iso__http_parser_create(size_t body_max);
void iso__http_parser_destroy(iso__http_parser *parser);

/// Overwrites the texts and the body of the present request, among which tokens and passwords are: it has been judged,
/// and what an answer needs later was copied.
void iso__http_parser_wipe(iso__http_parser *parser);

#define ISO__HTTP_BODIES_STATUS 503u

/// What the bodies of several connections' requests take together.
typedef struct iso__http_bodies {
    size_t held, max; // [bytes]
} iso__http_bodies;

/// Has the parser count its body with others': one that does not fit is refused with ISO__HTTP_BODIES_STATUS.
/// @param bodies  outlives the parser
void iso__http_parser_share(iso__http_parser *parser, iso__http_bodies *bodies);

/// Lets another decide how large a request's body may be, once its headers are there: it is never larger than that of
/// iso__http_parser_create. @param request  without a body
void iso__http_parser_judge(iso__http_parser *parser, size_t (*body_max)(void *user, const iso__http_request *request),
                            void *user);

/// Takes bytes until one request is whole. To be called in a loop, advancing by *consumed.
///
/// @param consumed  how many bytes were taken; what follows an upgrade is not
iso__http_event iso__http_parser_feed(iso__http_parser *parser, const uint8_t *bytes, size_t size, size_t *consumed);

/// The request that is whole, until the next call of feed.
const iso__http_request *iso__http_parser_request(const iso__http_parser *parser);

/// The HTTP status to answer with after ISO__HTTP_FAILED: 400, 413 (body), 414 (target), 431 (headers), 500 (no
/// memory), 505 (version).
unsigned iso__http_parser_status(const iso__http_parser *parser);

/// [bytes] How large a body the request whose headers are read may have; after 413.
size_t iso__http_parser_body_allowed(const iso__http_parser *parser);

/// Whether a request has begun and is not whole, so that the time limit of a request applies.
bool iso__http_parser_is_inside(const iso__http_parser *parser);

/// The value of a header. @param name  in lower case. @return NULL: it is not there, or more than once (of Origin that
/// is refused as malformed)
const char *iso__http_find(const iso__http_request *request, const char *name);

/// Whether a list of words, separated by commas, has this word, in any case. @param list  NULL: no
bool iso__http_has_word(const char *list, const char *word);

#endif
