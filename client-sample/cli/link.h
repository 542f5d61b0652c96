/// A bare connection to the server: messages and bytes, one after the other, never waiting without a limit. For what
/// the client library would not do.
#ifndef ISO_CLI_LINK_H
#define ISO_CLI_LINK_H

#include "isostep/proto/codec.h"
#include "options.h"

typedef struct iso__cli_link {
    int fd;      // -1: not connected
    bool closed; // the server has closed, or the stream cannot be read
    iso_framer framer;
    uint8_t frame[ISO_FRAME_MAX_SERVER];
    uint8_t in[16384];
    size_t begin, end;
    void *memory; // of the last message
} iso__cli_link;

/// Monotonic time [ns].
uint64_t iso__cli_now_ns(void);

/// @return NULL when there is no connection or no memory.
iso__cli_link *iso__cli_link_open(const iso__cli_options *options);
void iso__cli_link_close(iso__cli_link *link);

/// Writes all, for at most three seconds. @return false when the stream does not take it.
bool iso__cli_link_write(iso__cli_link *link, const void *bytes, size_t size);

/// @return the frame's bytes, its size in front; 0 when the message cannot be encoded.
size_t iso__cli_frame_make(const iso_message *message, uint8_t *frame, size_t capacity);
bool iso__cli_link_send(iso__cli_link *link, const iso_message *message);

/// Waits for a message. It lives until the next call.
/// @return false when there is none within the time or ever.
bool iso__cli_link_read(iso__cli_link *link, iso_message *message, uint64_t timeout_ms);

/// A HELLO into a session, of a client that does not simulate.
iso_message iso__cli_link_hello(const char *session, uint8_t role);

#endif
