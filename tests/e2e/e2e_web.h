/// A bare HTTP or WebSocket connection to a real server.
#ifndef ISO_TESTS_E2E_WEB_H
#define ISO_TESTS_E2E_WEB_H

#include "e2e.h"

#define E2E_WEB_IN_MAX (4u << 20)

/// A token that allows everything: what gives it to a server, and the header that carries it.
#define E2E_WEB_TOKEN "0123456789abcdef"
#define E2E_WEB_ADMIN "--http-token", E2E_WEB_TOKEN
#define E2E_WEB_RIGHT "Authorization: Bearer " E2E_WEB_TOKEN "\r\n"

typedef struct e2e_web {
    e2e_link *link; // its socket alone is used
    uint8_t *in;    // E2E_WEB_IN_MAX bytes
    size_t begin, end;
    bool has_ended;
} e2e_web;

/// The port of the server's HTTP address, as its ready line says.
uint16_t e2e_web_port(const e2e_server *server);

e2e_web *e2e_web_open(const e2e_server *server, int receive_buffer);
void e2e_web_close(e2e_web *web);

void e2e_web_say(e2e_web *web, const char *text);

typedef struct e2e_answer {
    unsigned status;
    char head[4096];
    const uint8_t *body; // until the next call
    size_t size;
} e2e_answer;

/// Waits for a whole answer. @param to_head  the request was HEAD
/// @return false when the server closed or the time is over
bool e2e_web_read(e2e_web *web, e2e_answer *answer, bool to_head, uint64_t timeout_ms);

/// Asks for a path on a connection of its own. @param lines  further headers, each ended by CR LF
unsigned e2e_web_get(const e2e_server *server, const char *path, const char *lines, e2e_answer *answer, char *body,
                     size_t capacity);

/// Waits until the server has closed. @return false when the time is over
bool e2e_web_wait_end(e2e_web *web, uint64_t timeout_ms);

/// The right request to go on as WebSocket, without the empty line at its end.
const char *e2e_web_upgrade(void);

/// Opens a connection that has gone on as WebSocket.
e2e_web *e2e_web_open_socket(const e2e_server *server, int receive_buffer);

/// @param first  the first byte of the head: 0x82 is a whole binary message
void e2e_web_send(e2e_web *web, uint8_t first, const void *bytes, size_t size);
void e2e_web_send_message(e2e_web *web, const iso_message *message);

/// Waits for a frame. @return its first byte, 0: none came
uint8_t e2e_web_receive(e2e_web *web, const uint8_t **bytes, size_t *size, uint64_t timeout_ms);

/// Reads until a message of this kind comes. @return false when the server closes or the time is over
bool e2e_web_receive_kind(e2e_web *web, uint8_t kind, iso_message *message, uint64_t timeout_ms);

/// Reads until a Close frame comes. @return its code, 0: none came
unsigned e2e_web_receive_close(e2e_web *web, uint64_t timeout_ms);

#endif
