/// A bare connection to the server: messages and bytes, one after the other, always with a time limit. For what the
/// client library does not do.
#ifndef ISO_CLI_LINK_H
#define ISO_CLI_LINK_H

#include "isostep/proto/codec.h"
#include "options.h"
#include "transport/stream.h"

/// What the links of a program share: one loop, which runs only while one of them waits.
typedef struct iso__cli_links {
    uv_loop_t loop;
    uv_timer_t timer;
    iso__uv_dialer *dialer; // NULL: the server's host is unknown, or there is no memory
    bool has_loop;
} iso__cli_links;

typedef struct iso__cli_link {
    iso__cli_links *links;
    iso__uv_stream *stream; // NULL: it is closed
    bool is_closed;         // the server has closed, or the stream cannot be read
    bool is_http;           // what answers speaks HTTP
    iso_message *wanted;    // where the next message goes; NULL: none is waited for
    void *memory;           // of the last message
} iso__cli_link;

/// Monotonic time [ns].
uint64_t iso__cli_now_ns(void);

/// Looks the server up. When that fails, there is no link to be opened.
void iso__cli_links_init(iso__cli_links *links, const iso__cli_options *options);
/// When all links are closed.
void iso__cli_links_term(iso__cli_links *links);

/// @return NULL when there is no connection or no memory.
iso__cli_link *iso__cli_link_open(iso__cli_links *links);
void iso__cli_link_close(iso__cli_link *link);

/// Writes bytes as they are, all of them, for at most three seconds. @return false when the stream does not take it.
bool iso__cli_link_write(iso__cli_link *link, const void *bytes, size_t size);

/// A frame as it lies in a stream of bytes, for iso__cli_link_write.
/// @return how many bytes, the size in front among them; 0 when the message cannot be encoded.
size_t iso__cli_frame_make(const iso_message *message, uint8_t *frame, size_t capacity);
bool iso__cli_link_send(iso__cli_link *link, const iso_message *message);

/// Waits for a message. It lives until the next call.
/// @return false when there is none within the time or ever.
bool iso__cli_link_read(iso__cli_link *link, iso_message *message, uint64_t timeout_ms);

/// A HELLO into a session, of a client that does not simulate.
iso_message iso__cli_link_hello(const char *session, uint8_t role);

#endif
