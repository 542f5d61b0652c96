/// Sockets for the streams' tests: what the streams ask libuv for, without a kernel. A test says how many bytes each
/// connection takes, what comes from it, and which call fails; it runs the callbacks and the timers itself.
///
/// Bound in by the linker (--wrap); handles that are no TCP connections stay libuv's.
#ifndef ISO_TESTS_FAKE_SOCKET_H
#define ISO_TESTS_FAKE_SOCKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <uv.h>

#define FAKE_SOCKETS_MAX 64u
#define FAKE_SENT_MAX    (2u << 20)
#define FAKE_NS_PER_MS   UINT64_C(1000000)

typedef struct fake_socket {
    uv_tcp_t *tcp;    // NULL: free
    bool is_accepted; // by the server
    bool is_reading;
    bool is_closing, is_closed;
    bool no_delay;
    int send_buffer; // [bytes] as asked for; 0: not
    uv_alloc_cb alloc;
    uv_read_cb read;
    uint8_t *sent; // what the kernel took
    size_t sent_size;
    size_t room; // bytes that it takes
    uv_write_t *write;
    uv_write_cb written;
    uv_buf_t rest; // of that write
    uv_shutdown_t *shutdown;
    uv_shutdown_cb shut_down;
    bool is_shut_down; // and the peer has seen our end
    uv_close_cb on_close;
    unsigned write_calls;
    int fails_try_write, fails_write, fails_shutdown, fails_read_start; // 0 or libuv's error, for the next call
} fake_socket;

typedef struct fake_sockets {
    fake_socket list[FAKE_SOCKETS_MAX];
    uint32_t count;
    uv_tcp_t *listener;
    uv_connection_cb on_connection;
    uint32_t waiting; // connections that are not accepted
    size_t room;      // of the connections that come
    int fails_accept, fails_init, fails_listen, fails_get_name;
    const char *peer_address;
    uv_timer_t *timers[8];
    uv_timer_cb on_timer[8];
    uint64_t timer_repeat_ms[8];
    uint32_t timer_count;
} fake_sockets;

extern fake_sockets the_sockets;
extern uint64_t fake_now_ns;

void fake_sockets_begin(void);
/// Runs the callbacks of closed handles and frees everything.
void fake_sockets_end(void);
/// A peer connects. @return its socket, or NULL when it was not accepted
fake_socket *fake_connect(void);
/// What the peer says. @return false when nobody reads
bool fake_say(fake_socket *socket, const void *bytes, size_t size);
/// The peer ends its side, or its connection breaks: UV_EOF, or an error.
void fake_say_end(fake_socket *socket, int error);
/// The kernel takes more; the write and the shutdown that are out go on.
void fake_take(fake_socket *socket, size_t bytes);
/// The write that is out fails.
void fake_fail_write(fake_socket *socket, int error);
/// All closed handles are told so.
void fake_run_closes(void);
/// All timers fire.
void fake_run_timers(void);

#endif
