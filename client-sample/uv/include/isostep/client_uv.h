/// A client's connection to a server, on a libuv loop: the I/O around isostep/client.h.
///
/// It resolves the host, connects over TCP, splits the stream into messages and decodes them, encodes and sends,
/// decompresses the snapshot, sets the client's time, and reconnects when the client asks for it. The program handles
/// actions in its callback, sets controls, gives commands, and reads or draws the world.
///
///     iso_client_create                       a client, of your own configuration
///     iso_client_uv_start                     begins to connect
///     uv_run                                  calls your callback for all actions; the last one is ENDED
///     iso_client_uv_destroy, uv_run, iso_client_destroy
///
/// client-sample/uv/README.md has a complete program.
///
/// Call all functions from the thread of the loop. The callback is called there, never within a call of a function
/// below other than iso_client_uv_leave. While a client is connected, only this library may call iso_client_handle or
/// iso_client_next_action of it. The program must ignore SIGPIPE: a write to a closed connection must not end it.
#ifndef ISOSTEP_CLIENT_UV_H
#define ISOSTEP_CLIENT_UV_H

#include "isostep/client.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct uv_loop_s uv_loop_t; // of uv.h

typedef struct iso_client_uv iso_client_uv;

typedef struct iso_client_uv_config {
    uv_loop_t *loop;    // must outlive the connection
    iso_client *client; // not connected yet; the caller destroys it, after the connection
    const char *host;   // a name or an address, IPv6 without brackets; at most 255 bytes
    const char *port;   // a number or a service's name; at most 31 bytes
    /// Time limit to resolve the host and to connect to each of its addresses in turn [ms]; 1 or more.
    uint32_t connect_timeout_ms;
    /// Called for all actions except SEND, DECOMPRESS and CLOSE, in the order of isostep/client.h. It is called for
    /// RECONNECT, too, which the library does by itself. What an action points to is valid until the call returns. The
    /// callback may call all functions iso_client_… except iso_client_handle, iso_client_next_action and
    /// iso_client_destroy, and all functions below.
    void (*action)(void *user, const iso_client_action *action);
    void *user;
} iso_client_uv_config;

/// Port 7790 of 127.0.0.1, 5 s to connect. The caller sets loop, client and action.
iso_client_uv_config iso_client_uv_config_default(void);

/// Begins to connect. Copies the configuration; does not wait.
/// @return ISO_OK; ISO_ERR_RANGE (a value of the configuration); ISO_ERR_MEMORY; ISO_ERR_CONNECTION (libuv refuses to
///         resolve the host).
iso_status iso_client_uv_start(const iso_client_uv_config *config, iso_client_uv **link);

/// Leaves the session: informs the server, and ENDED follows within 2 s, possibly in this call. Does nothing after
/// ENDED.
void iso_client_uv_leave(iso_client_uv *link);

/// Ends the connection at once, without leaving the session, and frees it when the loop has closed its handles: run the
/// loop once more before uv_loop_close. Afterwards the callback is not called, and neither client nor `link` is used.
/// Call it once, also after ENDED. NULL is allowed.
void iso_client_uv_destroy(iso_client_uv *link);

/// The time that the client uses, for iso_client_body_pose_at, iso_client_alpha and iso_client_draw_begin: monotonic
/// [ns].
uint64_t iso_client_uv_now(void);

/// Why there is no connection, as a libuv error: that of the last attempt to connect, UV_ETIMEDOUT after its time
/// limit; 0 when it succeeded. For uv_strerror, in the callback at RECONNECT and ENDED with ISO_ERR_CONNECTION.
int iso_client_uv_error(const iso_client_uv *link);

#ifdef __cplusplus
}
#endif

#endif
