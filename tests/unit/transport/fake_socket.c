#include "fake_socket.h"

#include <arpa/inet.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

fake_sockets the_sockets;
uint64_t fake_now_ns;

uint64_t __wrap_iso__clock_now(void);
int __wrap_uv_tcp_init(uv_loop_t *loop, uv_tcp_t *tcp);
int __wrap_uv_tcp_bind(uv_tcp_t *tcp, const struct sockaddr *address, unsigned flags);
int __wrap_uv_tcp_open(uv_tcp_t *tcp, uv_os_sock_t file);
int __wrap_uv_listen(uv_stream_t *stream, int backlog, uv_connection_cb on_connection);
int __wrap_uv_accept(uv_stream_t *listener, uv_stream_t *client);
int __wrap_uv_read_start(uv_stream_t *stream, uv_alloc_cb alloc, uv_read_cb read);
int __wrap_uv_read_stop(uv_stream_t *stream);
int __wrap_uv_try_write(uv_stream_t *stream, const uv_buf_t buffers[], unsigned count);
int __wrap_uv_write(uv_write_t *request, uv_stream_t *stream, const uv_buf_t buffers[], unsigned count,
                    uv_write_cb written);
int __wrap_uv_shutdown(uv_shutdown_t *request, uv_stream_t *stream, uv_shutdown_cb shut_down);
void __wrap_uv_close(uv_handle_t *handle, uv_close_cb on_close);
int __wrap_uv_is_closing(const uv_handle_t *handle);
int __wrap_uv_tcp_nodelay(uv_tcp_t *tcp, int enable);
int __wrap_uv_send_buffer_size(uv_handle_t *handle, int *size);
int __wrap_uv_fileno(const uv_handle_t *handle, uv_os_fd_t *file);
int __wrap_uv_tcp_getsockname(const uv_tcp_t *tcp, struct sockaddr *name, int *size);
int __wrap_uv_tcp_getpeername(const uv_tcp_t *tcp, struct sockaddr *name, int *size);
int __wrap_uv_timer_start(uv_timer_t *timer, uv_timer_cb on_timer, uint64_t timeout, uint64_t repeat);

void __real_uv_close(uv_handle_t *handle, uv_close_cb on_close);
int __real_uv_is_closing(const uv_handle_t *handle);

/// Weak: the host's rig has a clock of its own.
__attribute__((weak)) uint64_t __wrap_iso__clock_now(void) {
    return fake_now_ns;
}

static fake_socket *find(const void *tcp) {
    for (uint32_t i = 0; i < the_sockets.count; ++i) {
        if (the_sockets.list[i].tcp == tcp && !the_sockets.list[i].is_closed) {
            return &the_sockets.list[i];
        }
    }
    return NULL;
}

/// The socket of a stream that is in use.
static fake_socket *live(const void *tcp) {
    fake_socket *socket = find(tcp);
    assert_non_null(socket);
    assert_false(socket->is_closing); // libuv would abort
    return socket;
}

int __wrap_uv_tcp_init(uv_loop_t *loop, uv_tcp_t *tcp) {
    (void)loop;
    if (the_sockets.fails_init != 0) {
        return the_sockets.fails_init;
    }
    assert_true(the_sockets.count < FAKE_SOCKETS_MAX);
    the_sockets.list[the_sockets.count++] = (fake_socket){.tcp = tcp, .room = the_sockets.room};
    return 0;
}

int __wrap_uv_tcp_bind(uv_tcp_t *tcp, const struct sockaddr *address, unsigned flags) {
    (void)address;
    (void)flags;
    live(tcp);
    return 0;
}

int __wrap_uv_tcp_open(uv_tcp_t *tcp, uv_os_sock_t file) {
    live(tcp);
    return close(file);
}

int __wrap_uv_listen(uv_stream_t *stream, int backlog, uv_connection_cb on_connection) {
    assert_true(backlog > 100);
    live(stream);
    the_sockets.listener = (uv_tcp_t *)stream;
    the_sockets.on_connection = on_connection;
    return the_sockets.fails_listen;
}

int __wrap_uv_accept(uv_stream_t *listener, uv_stream_t *client) {
    assert_ptr_equal(listener, the_sockets.listener);
    if (the_sockets.fails_accept != 0) {
        return the_sockets.fails_accept;
    }
    assert_true(the_sockets.waiting > 0);
    --the_sockets.waiting;
    live(client)->is_accepted = true;
    return 0;
}

int __wrap_uv_read_start(uv_stream_t *stream, uv_alloc_cb alloc, uv_read_cb read) {
    fake_socket *socket = live(stream);
    if (socket->is_reading) {
        return UV_EALREADY;
    }
    const int error = socket->fails_read_start;
    socket->is_reading = error == 0;
    socket->alloc = alloc;
    socket->read = read;
    return error;
}

int __wrap_uv_read_stop(uv_stream_t *stream) {
    live(stream)->is_reading = false;
    return 0;
}

static size_t take(fake_socket *socket, const char *bytes, size_t size) {
    const size_t taken = size < socket->room ? size : socket->room;
    if (socket->sent == NULL) {
        socket->sent = malloc(FAKE_SENT_MAX);
    }
    assert_true(socket->sent_size + taken <= FAKE_SENT_MAX);
    memcpy(socket->sent + socket->sent_size, bytes, taken);
    socket->sent_size += taken;
    socket->room -= taken;
    return taken;
}

int __wrap_uv_try_write(uv_stream_t *stream, const uv_buf_t buffers[], unsigned count) {
    fake_socket *socket = live(stream);
    const int error = socket->fails_try_write;
    size_t total = 0;
    assert_null(socket->write); // libuv would refuse
    assert_false(socket->shutdown != NULL || socket->is_shut_down);
    ++socket->write_calls;
    if (error != 0) {
        return error;
    }
    for (unsigned i = 0; i < count; ++i) {
        total += take(socket, buffers[i].base, buffers[i].len);
    }
    return total > 0 ? (int)total : UV_EAGAIN;
}

int __wrap_uv_write(uv_write_t *request, uv_stream_t *stream, const uv_buf_t buffers[], unsigned count,
                    uv_write_cb written) {
    fake_socket *socket = live(stream);
    assert_int_equal(count, 1);
    assert_true(buffers[0].len > 0);
    assert_null(socket->write);
    if (socket->fails_write != 0) {
        return socket->fails_write;
    }
    socket->write = request;
    socket->written = written;
    socket->rest = buffers[0];
    return 0;
}

int __wrap_uv_shutdown(uv_shutdown_t *request, uv_stream_t *stream, uv_shutdown_cb shut_down) {
    fake_socket *socket = live(stream);
    assert_null(socket->write);
    assert_false(socket->shutdown != NULL || socket->is_shut_down);
    if (socket->fails_shutdown != 0) {
        return socket->fails_shutdown;
    }
    socket->shutdown = request;
    socket->shut_down = shut_down;
    return 0;
}

void __wrap_uv_close(uv_handle_t *handle, uv_close_cb on_close) {
    fake_socket *socket = find(handle);
    if (socket == NULL) {
        __real_uv_close(handle, on_close);
        return;
    }
    assert_false(socket->is_closing);
    socket->is_closing = true;
    socket->is_reading = false;
    socket->on_close = on_close;
}

int __wrap_uv_is_closing(const uv_handle_t *handle) {
    const fake_socket *socket = find(handle);
    return socket != NULL ? socket->is_closing : __real_uv_is_closing(handle);
}

int __wrap_uv_tcp_nodelay(uv_tcp_t *tcp, int enable) {
    live(tcp)->no_delay = enable != 0;
    return 0;
}

int __wrap_uv_send_buffer_size(uv_handle_t *handle, int *size) {
    live(handle)->send_buffer = *size;
    return 0;
}

int __wrap_uv_fileno(const uv_handle_t *handle, uv_os_fd_t *file) {
    live(handle);
    (void)file;
    return UV_EBADF;
}

static int fill_name(struct sockaddr *name, int *size, const char *text, uint16_t port) {
    struct sockaddr_in in = {.sin_family = AF_INET, .sin_port = htons(port)};
    struct sockaddr_in6 in6 = {.sin6_family = AF_INET6, .sin6_port = htons(port)};
    if (inet_pton(AF_INET, text, &in.sin_addr) == 1) {
        memcpy(name, &in, sizeof in);
        *size = sizeof in;
    } else {
        assert_int_equal(inet_pton(AF_INET6, text, &in6.sin6_addr), 1);
        memcpy(name, &in6, sizeof in6);
        *size = sizeof in6;
    }
    return 0;
}

int __wrap_uv_tcp_getsockname(const uv_tcp_t *tcp, struct sockaddr *name, int *size) {
    live(tcp);
    return fill_name(name, size, the_sockets.peer_address, 7790);
}

int __wrap_uv_tcp_getpeername(const uv_tcp_t *tcp, struct sockaddr *name, int *size) {
    live(tcp);
    return the_sockets.fails_get_name != 0 ? the_sockets.fails_get_name
                                           : fill_name(name, size, the_sockets.peer_address, 40000);
}

int __wrap_uv_timer_start(uv_timer_t *timer, uv_timer_cb on_timer, uint64_t timeout, uint64_t repeat) {
    assert_true(timeout > 0 && repeat > 0);
    assert_true(the_sockets.timer_count < 8);
    the_sockets.timers[the_sockets.timer_count] = timer;
    the_sockets.timer_repeat_ms[the_sockets.timer_count] = repeat;
    the_sockets.on_timer[the_sockets.timer_count++] = on_timer;
    return 0;
}

void fake_sockets_begin(void) {
    memset(&the_sockets, 0, sizeof the_sockets);
    the_sockets.peer_address = "127.0.0.1";
    the_sockets.room = SIZE_MAX;
    fake_now_ns = 1000 * FAKE_NS_PER_MS;
}

fake_socket *fake_connect(void) {
    const uint32_t before = the_sockets.count;
    ++the_sockets.waiting;
    the_sockets.on_connection((uv_stream_t *)the_sockets.listener, 0);
    return the_sockets.count > before ? &the_sockets.list[before] : NULL;
}

bool fake_say(fake_socket *socket, const void *bytes, size_t size) {
    uv_buf_t buffer;
    const uint8_t *at = bytes;
    for (size_t part; size > 0; size -= part, at += part) {
        if (!socket->is_reading) {
            return false;
        }
        socket->alloc((uv_handle_t *)socket->tcp, 65536, &buffer);
        part = size < buffer.len ? size : buffer.len;
        memcpy(buffer.base, at, part);
        socket->read((uv_stream_t *)socket->tcp, (ssize_t)part, &buffer);
    }
    return true;
}

void fake_say_end(fake_socket *socket, int error) {
    uv_buf_t buffer = {0};
    assert_true(socket->is_reading);
    socket->read((uv_stream_t *)socket->tcp, error, &buffer);
}

void fake_take(fake_socket *socket, size_t bytes) {
    socket->room = socket->room > SIZE_MAX - bytes ? SIZE_MAX : socket->room + bytes;
    while (socket->write != NULL && socket->room > 0 && !socket->is_closing) {
        const size_t taken = take(socket, socket->rest.base, socket->rest.len);
        socket->rest.base += taken;
        socket->rest.len -= taken;
        if (socket->rest.len == 0) {
            uv_write_t *request = socket->write;
            socket->write = NULL;
            socket->written(request, 0);
        }
    }
    if (socket->shutdown != NULL && socket->write == NULL && !socket->is_closing) {
        uv_shutdown_t *request = socket->shutdown;
        socket->shutdown = NULL;
        socket->is_shut_down = true;
        socket->shut_down(request, 0);
    }
}

void fake_fail_write(fake_socket *socket, int error) {
    uv_write_t *request = socket->write;
    assert_non_null(request);
    socket->write = NULL;
    socket->written(request, error);
}

/// As libuv does it: what is out is cancelled first.
static void finish_close(fake_socket *socket) {
    if (socket->write != NULL) {
        fake_fail_write(socket, UV_ECANCELED);
    }
    if (socket->shutdown != NULL) {
        uv_shutdown_t *request = socket->shutdown;
        socket->shutdown = NULL;
        socket->shut_down(request, UV_ECANCELED);
    }
    socket->is_closed = true;
    if (socket->on_close != NULL) {
        socket->on_close((uv_handle_t *)socket->tcp);
    }
}

void fake_run_closes(void) {
    for (uint32_t i = 0; i < the_sockets.count; ++i) {
        if (the_sockets.list[i].is_closing && !the_sockets.list[i].is_closed) {
            finish_close(&the_sockets.list[i]);
        }
    }
}

void fake_run_timers(void) {
    for (uint32_t i = 0; i < the_sockets.timer_count; ++i) {
        if (!__real_uv_is_closing((uv_handle_t *)the_sockets.timers[i])) {
            the_sockets.on_timer[i](the_sockets.timers[i]);
        }
    }
}

void fake_sockets_end(void) {
    fake_run_closes();
    for (uint32_t i = 0; i < the_sockets.count; ++i) {
        assert_true(the_sockets.list[i].is_closed);
        free(the_sockets.list[i].sent);
    }
}
