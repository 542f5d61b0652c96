#include "http/websocket.h"

#include <stdlib.h>
#include <string.h>

#include <nettle/base64.h>
#include <nettle/sha1.h>
#include <wslay/wslay.h>

#include "isostep/assert.h"

#define KEY_BYTES 16u
// Of RFC 6455, section 1.3.
#define KEY_GUID "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"

struct iso__websocket {
    wslay_frame_context_ptr frames;
    const uint8_t *in; // what feed was given and wslay has not taken
    size_t in_size;
    uint8_t *message;
    uint32_t capacity, message_max;
    size_t message_fill;
    uint32_t parts;     // frames of the message that have begun
    bool is_in_message; // a message was begun and has no final frame yet
    bool is_in_frame;   // of the present frame a part has come
    uint64_t frame_left;
    uint8_t control[ISO__WEBSOCKET_CONTROL_MAX];
    size_t control_fill;
    const uint8_t *bytes; // of the last event
    size_t size;
    uint16_t code;
    iso_status status;
    bool has_ended;        // a Close or an error has come
    uint64_t taken, eaten; // bytes that wslay has taken, and that whole frames have used; see is_inside
};

static ssize_t on_receive(uint8_t *to, size_t capacity, int flags, void *user) {
    iso__websocket *socket = user;
    (void)flags;
    const size_t size = socket->in_size < capacity ? socket->in_size : capacity;
    if (size == 0) {
        return -1;
    }
    memcpy(to, socket->in, size);
    socket->in += size;
    socket->in_size -= size;
    socket->taken += size;
    return (ssize_t)size;
}

/// Frames are sent without wslay: their payload is shared by many connections, and only the head is made for each.
static ssize_t on_send(const uint8_t *bytes, size_t size, int flags, void *user) {
    (void)bytes;
    (void)size;
    (void)flags;
    (void)user;
    return -1;
}

static int on_mask(uint8_t *to, size_t size, void *user) {
    (void)to;
    (void)size;
    (void)user;
    return -1;
}

iso__websocket *iso__websocket_create(uint8_t *message, uint32_t capacity) {
    ISO_ASSERT(capacity > 0);
    static const struct wslay_frame_callbacks callbacks = {on_send, on_receive, on_mask};
    iso__websocket *socket = calloc(1, sizeof *socket);
    if (socket == NULL) {
        return NULL;
    }
    socket->message = message;
    socket->capacity = socket->message_max = capacity;
    if (wslay_frame_context_init(&socket->frames, &callbacks, socket) != 0) {
        free(socket);
        return NULL;
    }
    return socket;
}

void iso__websocket_destroy(iso__websocket *socket) {
    ISO_ASSERT(socket == NULL || socket->message_fill <= socket->capacity);
    if (socket == NULL) {
        return;
    }
    wslay_frame_context_free(socket->frames);
    free(socket);
}

void iso__websocket_set_max(iso__websocket *socket, uint32_t message_max) {
    socket->message_max = message_max < socket->capacity ? message_max : socket->capacity;
}

static iso__websocket_event fail(iso__websocket *socket, uint16_t code) {
    socket->has_ended = true;
    socket->code = code;
    socket->status = code == ISO__WEBSOCKET_TOO_LARGE ? ISO_ERR_FRAME_TOO_LARGE : ISO_ERR_MALFORMED;
    socket->size = 0;
    return ISO__WEBSOCKET_FAILED;
}

/// What a client may not begin. @return the code to close with, 0: it may
static uint16_t check_frame(const iso__websocket *socket, const struct wslay_frame_iocb *frame) {
    if (frame->mask == 0 || frame->rsv != 0) {
        return ISO__WEBSOCKET_PROTOCOL;
    }
    switch (frame->opcode) {
    case WSLAY_CONNECTION_CLOSE:
    case WSLAY_PING:
    case WSLAY_PONG:
        return frame->fin != 0 && frame->payload_length <= ISO__WEBSOCKET_CONTROL_MAX ? 0 : ISO__WEBSOCKET_PROTOCOL;
    case WSLAY_CONTINUATION_FRAME:
        if (!socket->is_in_message) {
            return ISO__WEBSOCKET_PROTOCOL;
        }
        break;
    case WSLAY_BINARY_FRAME:
        if (socket->is_in_message) {
            return ISO__WEBSOCKET_PROTOCOL;
        }
        break;
    case WSLAY_TEXT_FRAME:
        return socket->is_in_message ? ISO__WEBSOCKET_PROTOCOL : ISO__WEBSOCKET_UNSUPPORTED;
    default:
        return ISO__WEBSOCKET_PROTOCOL;
    }
    // Judged by its head, before any of it is kept. Empty frames need no room, but each takes its time.
    if (socket->is_in_message && socket->parts >= ISO__WEBSOCKET_PARTS_MAX) {
        return ISO__WEBSOCKET_TOO_LARGE;
    }
    return frame->payload_length > socket->message_max - socket->message_fill ? ISO__WEBSOCKET_TOO_LARGE : 0;
}

/// Whether the bytes are UTF-8: no overlong form, no surrogate, nothing above U+10FFFF.
static bool is_utf8(const uint8_t *bytes, size_t size) {
    for (size_t i = 0; i < size;) {
        const uint8_t first = bytes[i++];
        if (first < 0x80) {
            continue;
        }
        const unsigned more = first >= 0xF0 ? 3 : first >= 0xE0 ? 2 : 1;
        if (first < 0xC2 || first > 0xF4 || size - i < more) {
            return false;
        }
        uint32_t point = first & (0x3Fu >> more);
        for (unsigned k = 0; k < more; ++k, ++i) {
            if ((bytes[i] & 0xC0) != 0x80) {
                return false;
            }
            point = point << 6 | (bytes[i] & 0x3Fu);
        }
        if ((more == 2 && point < 0x800) || (more == 3 && point < 0x10000) || point > 0x10FFFF ||
            (point >= 0xD800 && point <= 0xDFFF)) {
            return false;
        }
    }
    return true;
}

/// Codes that a peer may send: those of the standard and of its registry, and those of applications.
static bool is_code_allowed(uint16_t code) {
    return (code >= 1000 && code <= 1014 && code != 1004 && code != 1005 && code != 1006) ||
           (code >= 3000 && code <= 4999);
}

static iso__websocket_event take_close(iso__websocket *socket) {
    socket->code = ISO__WEBSOCKET_NO_CODE;
    if (socket->control_fill == 1) {
        return fail(socket, ISO__WEBSOCKET_PROTOCOL);
    }
    if (socket->control_fill >= 2) {
        socket->code = (uint16_t)(socket->control[0] << 8 | socket->control[1]);
        if (!is_code_allowed(socket->code)) {
            return fail(socket, ISO__WEBSOCKET_PROTOCOL);
        }
        if (!is_utf8(socket->control + 2, socket->control_fill - 2)) {
            return fail(socket, ISO__WEBSOCKET_TEXT);
        }
    }
    socket->has_ended = true;
    return ISO__WEBSOCKET_GOT_CLOSE;
}

static iso__websocket_event take_control(iso__websocket *socket, uint8_t opcode) {
    socket->bytes = socket->control;
    socket->size = socket->control_fill;
    if (opcode == WSLAY_CONNECTION_CLOSE) {
        return take_close(socket);
    }
    return opcode == WSLAY_PING ? ISO__WEBSOCKET_GOT_PING : ISO__WEBSOCKET_GOT_PONG;
}

static iso__websocket_event take_message(iso__websocket *socket) {
    socket->is_in_message = false;
    socket->bytes = socket->message;
    socket->size = socket->message_fill;
    // Nothing is no envelope.
    return socket->size > 0 ? ISO__WEBSOCKET_MESSAGE : fail(socket, ISO__WEBSOCKET_CODES + -ISO_ERR_MALFORMED);
}

/// Keeps a piece of a frame. @return the event that the end of the frame is, or MORE
static iso__websocket_event take_piece(iso__websocket *socket, const struct wslay_frame_iocb *frame, size_t size) {
    const bool is_control = wslay_is_ctrl_frame(frame->opcode) != 0;
    if (!socket->is_in_frame) {
        const uint16_t wrong = check_frame(socket, frame);
        if (wrong != 0) {
            return fail(socket, wrong);
        }
        socket->is_in_frame = true;
        socket->frame_left = frame->payload_length;
        if (is_control) {
            socket->control_fill = 0;
        } else {
            socket->parts = socket->is_in_message ? socket->parts + 1 : 1;
            socket->is_in_message = true;
        }
    }
    uint8_t *to = is_control ? socket->control : socket->message;
    size_t *fill = is_control ? &socket->control_fill : &socket->message_fill;
    if (size > 0) {
        memcpy(to + *fill, frame->data, size);
        // It lies in wslay's own buffer, which keeps it for long and could not be overwritten later: it may be a
        // password.
        explicit_bzero((uint8_t *)(uintptr_t)frame->data, size);
    }
    *fill += size;
    socket->frame_left -= size;
    if (socket->frame_left > 0) {
        return ISO__WEBSOCKET_MORE;
    }
    socket->is_in_frame = false;
    // The head of a client's frame has 2, 4 or 10 bytes, and 4 of the mask.
    const uint64_t length = frame->payload_length;
    socket->eaten += length + 4 + (length < 126 ? 2 : length < 65536 ? 4 : 10);
    if (is_control) {
        return take_control(socket, frame->opcode);
    }
    return frame->fin != 0 ? take_message(socket) : ISO__WEBSOCKET_MORE;
}

iso__websocket_event iso__websocket_feed(iso__websocket *socket, const uint8_t *bytes, size_t size, size_t *consumed) {
    ISO_ASSERT(socket->message_fill <= socket->capacity && socket->message_max <= socket->capacity);
    iso__websocket_event event = ISO__WEBSOCKET_MORE;
    socket->in = bytes;
    socket->in_size = size;
    // A message that was handed out gives its room to the next one.
    if (!socket->is_in_message) {
        socket->message_fill = 0;
    }
    while (!socket->has_ended && event == ISO__WEBSOCKET_MORE) {
        struct wslay_frame_iocb frame = {0};
        const ssize_t got = wslay_frame_recv(socket->frames, &frame);
        if (got == WSLAY_ERR_WANT_READ) {
            break;
        }
        event = got < 0 ? fail(socket, ISO__WEBSOCKET_PROTOCOL) : take_piece(socket, &frame, (size_t)got);
    }
    *consumed = socket->has_ended ? size : size - socket->in_size;
    return event;
}

const uint8_t *iso__websocket_bytes(const iso__websocket *socket, size_t *size) {
    ISO_ASSERT(socket->size <= socket->capacity || socket->bytes == socket->control);
    *size = socket->size;
    return socket->bytes;
}

uint16_t iso__websocket_code(const iso__websocket *socket) {
    ISO_ASSERT(socket->has_ended);
    return socket->code;
}

iso_status iso__websocket_status(const iso__websocket *socket) {
    ISO_ASSERT(socket->has_ended);
    return socket->status;
}

bool iso__websocket_is_inside(const iso__websocket *socket) {
    return socket->is_in_message || socket->is_in_frame || socket->taken != socket->eaten;
}

bool iso__websocket_accept(const char *key, char *accept) {
    struct base64_decode_ctx decoder;
    uint8_t bytes[BASE64_DECODE_LENGTH(ISO__WEBSOCKET_KEY_SIZE)];
    size_t size = sizeof bytes;
    base64_decode_init(&decoder);
    if (strlen(key) != ISO__WEBSOCKET_KEY_SIZE ||
        base64_decode_update(&decoder, &size, bytes, ISO__WEBSOCKET_KEY_SIZE, key) != 1 ||
        base64_decode_final(&decoder) != 1 || size != KEY_BYTES) {
        return false;
    }
    struct sha1_ctx hash;
    uint8_t digest[SHA1_DIGEST_SIZE];
    sha1_init(&hash);
    sha1_update(&hash, ISO__WEBSOCKET_KEY_SIZE, (const uint8_t *)key);
    sha1_update(&hash, sizeof KEY_GUID - 1, (const uint8_t *)KEY_GUID);
    sha1_digest(&hash, sizeof digest, digest);
    base64_encode_raw(accept, sizeof digest, digest);
    accept[ISO__WEBSOCKET_ACCEPT_SIZE] = '\0';
    return true;
}

size_t iso__websocket_head_write(uint8_t *head, iso__websocket_opcode opcode, uint64_t size) {
    ISO_ASSERT(opcode == ISO__WEBSOCKET_BINARY || size <= ISO__WEBSOCKET_CONTROL_MAX);
    const unsigned size_bytes = size < 126 ? 0 : size < 65536 ? 2 : 8;
    head[0] = (uint8_t)(0x80u | opcode);
    head[1] = (uint8_t)(size_bytes == 0 ? size : size_bytes == 2 ? 126 : 127);
    for (unsigned i = 0; i < size_bytes; ++i) {
        head[2 + i] = (uint8_t)(size >> (8 * (size_bytes - 1 - i)));
    }
    return 2 + size_bytes;
}

uint16_t iso__websocket_close_code(iso_status status) {
    switch (status) {
    case ISO_OK:
        return ISO__WEBSOCKET_NORMAL;
    case ISO_ERR_FRAME_TOO_LARGE:
        return ISO__WEBSOCKET_TOO_LARGE;
    case ISO_ERR_SHUTDOWN:
        return ISO__WEBSOCKET_GOING_AWAY;
    case ISO_ERR_RESTARTING:
        return ISO__WEBSOCKET_RESTART;
    case ISO_ERR_SERVER_FULL:
        return ISO__WEBSOCKET_TRY_LATER;
    default:
        return (uint16_t)(ISO__WEBSOCKET_CODES + (uint32_t)-status);
    }
}
