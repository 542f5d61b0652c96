/// The life of a stream: accepting, timing out, ending. Reading and writing are in stream_read.c and
/// stream_write.c.
#include "transport/stream_internal.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"

#define LISTEN_BACKLOG 511
#define SWEEP_INTERVAL_MS 100
// Who ended its side may wait for the answer to its last message, which comes with the next tick.
#define ENDED_TIMEOUT_NS (500 * UINT64_C(1000000))

static void on_closed(uv_handle_t *handle)
{
    iso__stream *stream = handle->data;
    iso__stream_server *server = stream->server;
    iso__stream_drop_queue(stream, false);
    if (stream->previous != NULL)
        stream->previous->next = stream->next;
    else
        server->first = stream->next;
    if (stream->next != NULL)
        stream->next->previous = stream->previous;
    server->stream_count--;
    free(stream);
}

void iso__stream_close(iso__stream *stream)
{
    if (stream->state == ISO__STREAM_CLOSING)
        return;
    stream->state = ISO__STREAM_CLOSING;
    if (stream->dirty)
        iso__stream_forget_dirty(stream);
    if (stream->id != 0)
        stream->server->handler.closed(stream->server->handler.user, stream);
    uv_close((uv_handle_t *)&stream->tcp, on_closed);
}

void iso__stream_cut(iso__stream *stream)
{
    if (stream->state == ISO__STREAM_CLOSING)
        return;
    iso__stream_write_some(stream);
    iso__stream_close(stream);
}

void iso__stream_say_once(iso__stream *stream, const iso__buffer *buffer)
{
    uv_buf_t bytes = uv_buf_init((char *)(uintptr_t)buffer->bytes, (unsigned)buffer->size);
    uv_try_write((uv_stream_t *)&stream->tcp, &bytes, 1);
}

/// The options that the kernel needs so that our own cap, not its memory, decides who is slow.
static void set_options(iso__stream *stream)
{
    uv_tcp_nodelay(&stream->tcp, 1);
    int size = ISO__STREAM_SEND_BUFFER_SIZE;
    uv_send_buffer_size((uv_handle_t *)&stream->tcp, &size);
    uv_os_fd_t fd;
    int lowat = ISO__STREAM_NOTSENT_LOWAT;
    if (uv_fileno((uv_handle_t *)&stream->tcp, &fd) == 0)
        setsockopt(fd, IPPROTO_TCP, TCP_NOTSENT_LOWAT, &lowat, sizeof lowat);
}

static void link_in(iso__stream_server *server, iso__stream *stream)
{
    stream->server = server;
    stream->next = server->first;
    if (server->first != NULL)
        server->first->previous = stream;
    server->first = stream;
    server->stream_count++;
}

static void on_connection(uv_stream_t *listener, int status)
{
    iso__stream_server *server = listener->data;
    if (status != 0) {
        server->handler.full(server->handler.user, NULL);
        return;
    }
    // A connection that is not accepted waits, and with it all later ones; libuv stops listening until it is.
    server->accept_pending = !server->handler.admits(server->handler.user);
    if (server->accept_pending)
        return;
    iso__stream *stream = calloc(1, sizeof *stream);
    // Without memory it waits as well; the sweep tries again.
    server->accept_pending = stream == NULL || uv_tcp_init(listener->loop, &stream->tcp) != 0;
    if (server->accept_pending) {
        server->handler.full(server->handler.user, NULL);
        free(stream);
        return;
    }
    stream->tcp.data = stream;
    stream->write.data = stream;
    stream->shutdown.data = stream;
    iso_framer_init(&stream->framer, stream->frame, sizeof stream->frame);
    link_in(server, stream);

    bool is_open = uv_accept(listener, (uv_stream_t *)&stream->tcp) == 0;
    bool has_place = is_open && server->stream_count <= server->stream_max;
    if (!has_place)
        server->handler.full(server->handler.user, is_open ? stream : NULL);
    if (!has_place || !server->handler.opened(server->handler.user, stream)) {
        stream->id = 0;
        iso__stream_close(stream);
        return;
    }
    set_options(stream);
    iso__stream_read_start(stream);
}

void iso__stream_server_accept(iso__stream_server *server)
{
    if (server->accept_pending && server->listening)
        on_connection((uv_stream_t *)&server->listener, 0);
}

static void on_sweep(uv_timer_t *timer)
{
    iso__stream_server *server = timer->data;
    uint64_t now = iso__clock_now();
    iso__stream_server_accept(server);
    for (iso__stream *stream = server->first; stream != NULL; stream = stream->next) {
        if (stream->state == ISO__STREAM_OPEN && !stream->paused && !stream->peer_ended &&
            stream->frame_begun_ns != 0 && now > stream->frame_begun_ns + server->frame_timeout_ns)
            iso__stream_fail(stream, ISO_ERR_TIMEOUT);
        // Perhaps only just now, which is after `now`.
        bool is_finishing = stream->state == ISO__STREAM_FINISHING;
        uint64_t patience = is_finishing || server->finish_timeout_ns < ENDED_TIMEOUT_NS ? server->finish_timeout_ns : ENDED_TIMEOUT_NS;
        if ((is_finishing || stream->peer_ended) && now > stream->finish_begun_ns + patience)
            iso__stream_close(stream);
    }
}

static void format_address(iso__stream_server *server)
{
    struct sockaddr_storage address;
    int size = sizeof address;
    char host[INET6_ADDRSTRLEN] = "";
    uv_tcp_getsockname(&server->listener, (struct sockaddr *)&address, &size);
    if (address.ss_family == AF_INET6) {
        const struct sockaddr_in6 *in6 = (const struct sockaddr_in6 *)&address;
        uv_ip6_name(in6, host, sizeof host);
        snprintf(server->address, sizeof server->address, "[%s]:%u", host, ntohs(in6->sin6_port));
    } else {
        const struct sockaddr_in *in = (const struct sockaddr_in *)&address;
        uv_ip4_name(in, host, sizeof host);
        snprintf(server->address, sizeof server->address, "%s:%u", host, ntohs(in->sin_port));
    }
}

/// libuv's own bind says only at the listening that a port is taken.
static int bind_listener(iso__stream_server *server, const struct sockaddr *address)
{
    const int on = 1;
    const socklen_t size = address->sa_family == AF_INET6 ? sizeof(struct sockaddr_in6) : sizeof(struct sockaddr_in);
    int file = socket(address->sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    int error = 0;
    if (file < 0 || setsockopt(file, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) != 0 || bind(file, address, size) != 0)
        error = uv_translate_sys_error(errno);
    if (error == 0)
        error = uv_tcp_open(&server->listener, file);
    if (error != 0 && file >= 0)
        close(file);
    return error;
}

int iso__stream_server_open(iso__stream_server *server, uv_loop_t *loop, const struct sockaddr *address,
                            uint32_t stream_max, uint64_t frame_timeout_ns, uint64_t finish_timeout_ns,
                            const iso__stream_handler *handler)
{
    *server = (iso__stream_server){
        .handler = *handler,
        .stream_max = stream_max,
        .frame_timeout_ns = frame_timeout_ns,
        .finish_timeout_ns = finish_timeout_ns,
        .opened = true,
        .listening = true,
    };
    uv_timer_init(loop, &server->sweep);
    server->sweep.data = server;
    uv_tcp_init(loop, &server->listener);
    server->listener.data = server;

    int error = bind_listener(server, address);
    if (error == 0)
        format_address(server);
    return error;
}

int iso__stream_server_listen(iso__stream_server *server)
{
    int error = uv_listen((uv_stream_t *)&server->listener, LISTEN_BACKLOG, on_connection);
    return error != 0 ? error : uv_timer_start(&server->sweep, on_sweep, SWEEP_INTERVAL_MS, SWEEP_INTERVAL_MS);
}

void iso__stream_server_stop(iso__stream_server *server)
{
    if (server->listening)
        uv_close((uv_handle_t *)&server->listener, NULL);
    server->listening = false;
}

void iso__stream_server_close(iso__stream_server *server)
{
    if (!server->opened)
        return;
    iso__stream_server_stop(server);
    if (!uv_is_closing((uv_handle_t *)&server->sweep))
        uv_close((uv_handle_t *)&server->sweep, NULL);
    for (iso__stream *stream = server->first; stream != NULL; stream = stream->next)
        iso__stream_close(stream);
}

void iso__stream_finish(iso__stream *stream)
{
    if (stream->state == ISO__STREAM_FINISHING || stream->state == ISO__STREAM_CLOSING)
        return;
    iso__stream_deafen(stream);
    stream->state = ISO__STREAM_FINISHING;
    stream->finish_begun_ns = iso__clock_now();
    iso__stream_mark_dirty(stream);
}

void iso__stream_fail(iso__stream *stream, iso_status status)
{
    if (stream->state != ISO__STREAM_OPEN)
        return;
    iso__stream_deafen(stream);
    stream->server->handler.failed(stream->server->handler.user, stream, status);
}

void iso__stream_deafen(iso__stream *stream)
{
    if (stream->state != ISO__STREAM_OPEN)
        return;
    stream->state = ISO__STREAM_FAILED;
    stream->held = NULL;
    stream->in_begin = stream->in_end = 0;
    stream->frame_begun_ns = 0;
    // Reading goes on: unread bytes would turn our end into a reset, which takes the farewell with it.
    if (stream->paused) {
        stream->paused = false;
        iso__stream_read_start(stream);
    }
}
