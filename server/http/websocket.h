/// WebSocket (RFC 6455), the server's side: the handshake, received frames into messages, the heads of sent ones.
///
/// Pure: bytes in, events out. wslay reads the frames; putting together what was sent in fragments, and what a client
/// may send at all, is decided here: one message at a time, binary, masked, without extensions.
#ifndef ISO_HTTP_WEBSOCKET_H
#define ISO_HTTP_WEBSOCKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "isostep/status.h"

#define ISO__WEBSOCKET_HEAD_MAX    10u  // [bytes] in front of a sent frame's payload
#define ISO__WEBSOCKET_CONTROL_MAX 125u // [bytes] of a control frame's payload
#define ISO__WEBSOCKET_PARTS_MAX   64u  // frames of a message
#define ISO__WEBSOCKET_KEY_SIZE    24u  // [characters] of Sec-WebSocket-Key
#define ISO__WEBSOCKET_ACCEPT_SIZE 28u  // [characters] of Sec-WebSocket-Accept

/// Close codes.
#define ISO__WEBSOCKET_NORMAL      1000u
#define ISO__WEBSOCKET_GOING_AWAY  1001u
#define ISO__WEBSOCKET_PROTOCOL    1002u // a frame that RFC 6455 does not allow
#define ISO__WEBSOCKET_UNSUPPORTED 1003u // a text message
#define ISO__WEBSOCKET_NO_CODE     1005u // never sent: the peer's Close has none
#define ISO__WEBSOCKET_TEXT        1007u // the reason in a Close is no UTF-8
#define ISO__WEBSOCKET_TOO_LARGE   1009u
#define ISO__WEBSOCKET_RESTART     1012u
#define ISO__WEBSOCKET_TRY_LATER   1013u
#define ISO__WEBSOCKET_CODES       4000u // plus the code of WIRE.md

typedef enum iso__websocket_opcode {
    ISO__WEBSOCKET_BINARY = 2,
    ISO__WEBSOCKET_CLOSE = 8,
    ISO__WEBSOCKET_PING = 9,
    ISO__WEBSOCKET_PONG = 10,
} iso__websocket_opcode;

typedef enum iso__websocket_event {
    ISO__WEBSOCKET_MORE,     // everything was taken
    ISO__WEBSOCKET_MESSAGE,  // `bytes` are a whole one
    ISO__WEBSOCKET_GOT_PING, // `bytes` are to be sent back
    ISO__WEBSOCKET_GOT_PONG,
    ISO__WEBSOCKET_GOT_CLOSE, // the peer ends the connection; nothing may follow
    ISO__WEBSOCKET_FAILED,    // `code` says why; nothing more is read
} iso__websocket_event;

typedef struct iso__websocket iso__websocket;

/// @param message   the caller's memory for one message; it must outlive the socket
/// @param capacity  bytes of it; the largest message that can ever be allowed
/// @return NULL when memory is short
iso__websocket *iso__websocket_create(uint8_t *message, uint32_t capacity);
void iso__websocket_destroy(iso__websocket *socket);

/// Changes the largest message that is allowed [bytes], at most the capacity.
void iso__websocket_set_max(iso__websocket *socket, uint32_t message_max);

/// Takes bytes until something has happened. To be called in a loop, advancing by *consumed, until it returns MORE:
/// some of what was taken may still be inside.
iso__websocket_event iso__websocket_feed(iso__websocket *socket, const uint8_t *bytes, size_t size, size_t *consumed);

/// What came with the last event, until the next call of feed. @param size  [bytes]
const uint8_t *iso__websocket_bytes(const iso__websocket *socket, size_t *size);

/// Of GOT_CLOSE: the peer's code, ISO__WEBSOCKET_NO_CODE without one. Of FAILED: the code to close with.
uint16_t iso__websocket_code(const iso__websocket *socket);

/// The same failure in the words of the protocol: ISO_ERR_FRAME_TOO_LARGE or ISO_ERR_MALFORMED.
iso_status iso__websocket_status(const iso__websocket *socket);

/// Whether a message or a frame has begun and is not whole, so that the time limit of a frame applies.
bool iso__websocket_is_inside(const iso__websocket *socket);

/// The answer to a client's key. @param accept  ISO__WEBSOCKET_ACCEPT_SIZE characters and a zero
/// @return false: the key is not 16 bytes in base64
bool iso__websocket_accept(const char *key, char *accept);

/// Writes what precedes the payload of an unfragmented frame. @return 2, 4 or 10 bytes
size_t iso__websocket_head_write(uint8_t *head, iso__websocket_opcode opcode, uint64_t size);

/// The code to close with, from the code of the protocol with which a connection ends.
uint16_t iso__websocket_close_code(iso_status status);

#endif
