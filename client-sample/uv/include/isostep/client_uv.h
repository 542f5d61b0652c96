/// A client's connection to a server, on a libuv loop: what is to be done around isostep/client.h.
///
/// It looks the host up, connects over TCP, cuts what comes into messages and decodes them, encodes and sends, decompresses the
/// snapshot, keeps the client's time, and connects anew when the client asks for that. What is left to you: to be told what
/// happened, to set controls and give commands, and to read or draw the world.
///
///     iso_client_create                       a client, of your own configuration
///     iso_client_uv_start                     begins to connect
///     uv_run                                  your callback hears all actions; the last one is ENDED
///     iso_client_uv_destroy, uv_run, iso_client_destroy
///
/// client-sample/uv/README.md has a complete program.
///
/// All functions belong to the thread of the loop, and the callback is called from there, never within a call of a function below
/// other than iso_client_uv_leave. As long as one is connected, nobody else may call iso_client_handle or iso_client_next_action
/// of its client. The program ignores SIGPIPE: a write to a connection that is gone must not end it.
#ifndef ISOSTEP_CLIENT_UV_H
#define ISOSTEP_CLIENT_UV_H

#include "isostep/client.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct uv_loop_s uv_loop_t; // of uv.h

typedef struct iso_client_uv iso_client_uv;

typedef struct iso_client_uv_config {
    uv_loop_t *loop;    // outlives the connection
    iso_client *client; // not connected yet; the caller's to destroy, after the connection
    const char *host;   // a name or an address, IPv6 without brackets; at most 255 bytes
    const char *port;   // a number or a service's name; at most 31 bytes
    /// To look the host up, and to connect to each of its addresses in turn [ms]; 1 or more.
    uint32_t connect_timeout_ms;
    /// Told of everything that is to be known, in the order of isostep/client.h: all actions but SEND, DECOMPRESS and CLOSE.
    /// RECONNECT is told, too, and is being done. What an action points to is there until the call returns. May call all of
    /// iso_client_… but iso_client_handle, iso_client_next_action and iso_client_destroy, and all functions below.
    void (*action)(void *user, const iso_client_action *action);
    void *user;
} iso_client_uv_config;

/// Port 7790 of 127.0.0.1, 5 s to connect. The caller sets loop, client and action.
iso_client_uv_config iso_client_uv_config_default(void);

/// Begins to connect. Copies the configuration; does not wait.
/// @return ISO_OK; ISO_ERR_RANGE (a value of the configuration); ISO_ERR_MEMORY; ISO_ERR_CONNECTION (libuv does not look the host up).
iso_status iso_client_uv_start(const iso_client_uv_config *config, iso_client_uv **link);

/// The member leaves: the server is told, and ENDED follows, within 2 s and perhaps in this call. Does nothing when it has ended.
void iso_client_uv_leave(iso_client_uv *link);

/// Ends everything at once, without a goodbye, and frees the connection when the loop has closed its handles: run the loop
/// once more before uv_loop_close. The callback is not called any more, and neither client nor `link` is used. To be called once, also
/// after ENDED. NULL is allowed.
void iso_client_uv_destroy(iso_client_uv *link);

/// The time that the client is told, for iso_client_body_pose_at, iso_client_alpha and iso_client_draw_begin: monotonic [ns].
uint64_t iso_client_uv_now(void);

/// Why there is no connection, as libuv says it: of the last try to connect, UV_ETIMEDOUT when its time was over; 0 when
/// that made one. For uv_strerror, in the callback at RECONNECT and ENDED with ISO_ERR_CONNECTION.
int iso_client_uv_error(const iso_client_uv *link);

#ifdef __cplusplus
}
#endif

#endif
