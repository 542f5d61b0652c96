/// The life of a TCP stream: accepting, timing out, ending. Each of its parts has a file of its own: what it reads
/// (tcp_read.c, tcp_proxy.c), what it sends (tcp_queue.c, tcp_write.c), its end (tcp_close.c).
#include "transport/tcp_internal.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/affinity.h"
#include "base/clock.h"
#include "transport/tcp_close.h"
#include "transport/tcp_proxy.h"
#include "transport/tcp_queue.h"
#include "transport/tcp_read.h"
#include "transport/tcp_write.h"

#define LISTEN_BACKLOG    511
#define SWEEP_INTERVAL_MS 100
// A peer that ended its side may wait for the answer to its last message, which comes with the next tick.
#define ENDED_TIMEOUT_NS (500 * UINT64_C(1000000))
// A proxy sends its header at once.
#define PROXY_TIMEOUT_NS UINT64_C(3000000000)

/// The socket options with which our own limit, not the kernel's memory, decides which peer is slow.
static void set_options(iso__tcp_stream *stream) {
    uv_tcp_nodelay(&stream->tcp, 1);
    int size = ISO__TCP_SEND_BUFFER_SIZE;
    uv_send_buffer_size((uv_handle_t *)&stream->tcp, &size);
    uv_os_fd_t fd;
    int lowat = ISO__TCP_NOTSENT_LOWAT;
    if (uv_fileno((uv_handle_t *)&stream->tcp, &fd) == 0) {
        setsockopt(fd, IPPROTO_TCP, TCP_NOTSENT_LOWAT, &lowat, sizeof lowat);
    }
}

static void tcp_finish(iso__stream *head) {
    iso__tcp_stream *stream = iso__tcp_of(head);
    if (head->state == ISO__STREAM_FINISHING || head->state == ISO__STREAM_CLOSING) {
        return;
    }
    iso__tcp_deafen(stream);
    if (iso__tcp_protocol_of(stream)->finish != NULL) {
        iso__tcp_protocol_of(stream)->finish(stream);
    }
    if (head->state == ISO__STREAM_CLOSING) {
        return;
    }
    head->state = ISO__STREAM_FINISHING;
    stream->finish_begun_ns = iso__clock_now();
    iso__tcp_mark_dirty(stream);
}

static void tcp_fail(iso__stream *head, iso_status status) {
    iso__tcp_fail(iso__tcp_of(head), status);
}

/// Neither what follows the frame, nor the beginning of another one.
static void tcp_forget(iso__stream *head) {
    iso__tcp_stream *stream = iso__tcp_of(head);
    explicit_bzero(stream->in, stream->in_begin);
    explicit_bzero(stream->in + stream->in_end, sizeof stream->in - stream->in_end);
    explicit_bzero(stream->frame, sizeof stream->frame);
}

static const iso__stream_functions stream_functions = {iso__tcp_send,   tcp_finish, iso__tcp_cut,
                                                       iso__tcp_resume, tcp_fail,   tcp_forget};

static void link_in(iso__listener *listener, iso__tcp_stream *stream) {
    stream->base.functions = &stream_functions;
    stream->base.listener = listener;
    stream->base.frame_max = sizeof stream->frame;
    stream->base.next = listener->first;
    if (listener->first != NULL) {
        listener->first->previous = &stream->base;
    }
    listener->first = &stream->base;
    ++listener->stream_count;
    if (listener->config.stream_total != NULL) {
        ++*listener->config.stream_total;
    }
}

static bool is_over(const iso__listener *listener) {
    const uint32_t *total = listener->config.stream_total;
    return (total != NULL ? *total : listener->stream_count) > listener->config.stream_max;
}

/// Finds who has connected. @return false: the connection is closed already
static bool find_peer(iso__tcp_stream *stream) {
    struct sockaddr_storage name = {0};
    int size = sizeof name;
    if (uv_tcp_getpeername(&stream->tcp, (struct sockaddr *)&name, &size) != 0) {
        return false;
    }
    stream->base.address = iso__address_from_kernel((const struct sockaddr *)&name);
    return true;
}

/// @return whether it was accepted.
static bool offer_to_protocol(iso__tcp_listener *listener, iso__tcp_stream *stream, bool is_open) {
    if (!is_open || is_over(&listener->base)) {
        listener->protocol->full(listener, is_open ? stream : NULL);
        return false;
    }
    if (!find_peer(stream)) {
        return false;
    }
    const iso__stream_handler *handler = &listener->base.config.handler;
    if (!listener->protocol->takes_proxy || handler->is_proxy == NULL ||
        !handler->is_proxy(handler->user, &stream->base.address)) {
        return listener->protocol->begin(stream);
    }
    stream->accepted_ns = iso__clock_now();
    stream->proxy = calloc(1, sizeof *stream->proxy);
    return stream->proxy != NULL;
}

static void on_connection(uv_stream_t *tcp, int status) {
    iso__tcp_listener *listener = tcp->data;
    const iso__tcp_protocol *protocol = listener->protocol;
    if (status != 0) {
        protocol->full(listener, NULL);
        return;
    }
    // A connection that is not accepted waits, and with it all later ones; libuv stops listening until it is.
    listener->is_accept_pending = !protocol->admits(listener);
    if (listener->is_accept_pending) {
        return;
    }
    iso__tcp_stream *stream = calloc(1, protocol->stream_size);
    // Without memory it waits as well; the sweep tries again.
    listener->is_accept_pending = stream == NULL || uv_tcp_init(tcp->loop, &stream->tcp) != 0;
    if (listener->is_accept_pending) {
        protocol->full(listener, NULL);
        free(stream);
        return;
    }
    stream->tcp.data = stream;
    stream->write.data = stream;
    stream->shutdown.data = stream;
    iso_framer_init(&stream->framer, stream->frame, sizeof stream->frame);
    link_in(&listener->base, stream);

    bool is_open = uv_accept(tcp, (uv_stream_t *)&stream->tcp) == 0;
    if (!offer_to_protocol(listener, stream, is_open)) {
        iso__tcp_cut(&stream->base);
        return;
    }
    set_options(stream);
    iso__tcp_read_start(stream);
}

static void tcp_accept(iso__listener *head) {
    iso__tcp_listener *listener = (iso__tcp_listener *)head;
    if (listener->is_accept_pending && head->is_listening) {
        on_connection(&listener->stream, 0);
    }
}

/// Ends a stream whose frame or last message has taken too long.
static void check_times(iso__tcp_stream *stream, uint64_t now) {
    const iso__listener_config *config = &stream->base.listener->config;
    if (stream->proxy != NULL && stream->base.state == ISO__STREAM_OPEN &&
        now > stream->accepted_ns + PROXY_TIMEOUT_NS) {
        iso__tcp_refuse_unproxied(stream);
    }
    if (iso__tcp_protocol_of(stream)->sweep != NULL) {
        iso__tcp_protocol_of(stream)->sweep(stream, now);
    }
    if (stream->base.state == ISO__STREAM_OPEN && !stream->is_paused && !stream->has_peer_ended &&
        stream->frame_begun_ns != 0 && now > stream->frame_begun_ns + config->frame_timeout_ns) {
        iso__tcp_fail(stream, ISO_ERR_TIMEOUT);
    }
    // Perhaps it began only just now, after `now`.
    bool is_finishing = stream->base.state == ISO__STREAM_FINISHING;
    uint64_t patience =
        is_finishing || config->finish_timeout_ns < ENDED_TIMEOUT_NS ? config->finish_timeout_ns : ENDED_TIMEOUT_NS;
    if ((is_finishing || stream->has_peer_ended) && now > stream->finish_begun_ns + patience) {
        iso__tcp_close(stream);
    }
}

static void on_sweep(uv_timer_t *timer) {
    iso__listener *listener = timer->data;
    uint64_t now = iso__clock_now();
    tcp_accept(listener);
    if (iso__stops_give_grace(&((iso__tcp_listener *)listener)->stops, now, SWEEP_INTERVAL_MS * ISO__NS_PER_MS)) {
        return;
    }
    for (iso__stream *stream = listener->first; stream != NULL; stream = stream->next) {
        check_times(iso__tcp_of(stream), now);
    }
}

static void format_address(iso__tcp_listener *listener) {
    struct sockaddr_storage address;
    int size = sizeof address;
    if (listener->stream.type == UV_NAMED_PIPE) {
        return; // by who has bound it
    }
    char host[INET6_ADDRSTRLEN] = "";
    uv_tcp_getsockname(&listener->tcp, (struct sockaddr *)&address, &size);
    if (address.ss_family == AF_INET6) {
        const struct sockaddr_in6 *in6 = (const struct sockaddr_in6 *)&address;
        uv_ip6_name(in6, host, sizeof host);
        snprintf(listener->base.address, sizeof listener->base.address, "[%s]:%u", host, ntohs(in6->sin6_port));
    } else {
        const struct sockaddr_in *in = (const struct sockaddr_in *)&address;
        uv_ip4_name(in, host, sizeof host);
        snprintf(listener->base.address, sizeof listener->base.address, "%s:%u", host, ntohs(in->sin_port));
    }
}

/// Binds a socket in the file system, for its user alone. One that is left there by a server that has ended is
/// replaced.
static int bind_local(iso__tcp_listener *listener, const iso__address *address) {
    struct sockaddr_storage name;
    const socklen_t size = iso__address_to_kernel(address, &name);
    const char *path = address->path;
    int error = 0;
    int file = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    struct stat about;
    if (file >= 0 && lstat(path, &about) == 0 && S_ISSOCK(about.st_mode) &&
        connect(file, (const struct sockaddr *)&name, size) != 0 && errno == ECONNREFUSED) {
        unlink(path);
    }
    // Nobody can connect before it listens.
    if (file < 0 || bind(file, (const struct sockaddr *)&name, size) != 0 || chmod(path, S_IRUSR | S_IWUSR) != 0) {
        error = uv_translate_sys_error(errno);
    }
    if (error == 0 && lstat(path, &about) == 0) {
        listener->local_inode = about.st_ino;
    }
    if (error == 0) {
        error = uv_pipe_open(&listener->local, file);
    }
    if (error != 0 && file >= 0) {
        close(file);
    }
    snprintf(listener->base.address, sizeof listener->base.address, "unix:%s", path);
    return error;
}

/// libuv's own bind reports only when listening that a port is in use.
static int bind_listener(iso__tcp_listener *listener, const iso__address *address) {
    const int on = 1;
    struct sockaddr_storage name;
    const socklen_t size = iso__address_to_kernel(address, &name);
    int file = socket(name.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    int error = 0;
    if (file < 0 || setsockopt(file, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) != 0 ||
        bind(file, (const struct sockaddr *)&name, size) != 0) {
        error = uv_translate_sys_error(errno);
    }
    if (error == 0) {
        error = uv_tcp_open(&listener->tcp, file);
    }
    if (error != 0 && file >= 0) {
        close(file);
    }
    return error;
}

static int tcp_open(iso__listener *head, uv_loop_t *loop, const iso__address *address) {
    iso__tcp_listener *listener = (iso__tcp_listener *)head;
    listener->is_open = true;
    head->is_listening = true;
    uv_timer_init(loop, &listener->sweep);
    uv_idle_init(loop, &listener->again);
    listener->sweep.data = listener;
    const bool is_local = address->family == ISO__ADDRESS_LOCAL;
    if (is_local) {
        uv_pipe_init(loop, &listener->local, 0);
    } else {
        uv_tcp_init(loop, &listener->tcp);
    }
    listener->stream.data = listener;

    int error = is_local ? bind_local(listener, address) : bind_listener(listener, address);
    if (error == 0) {
        format_address(listener);
    }
    return error;
}

static int tcp_listen(iso__listener *head) {
    iso__tcp_listener *listener = (iso__tcp_listener *)head;
    int error = uv_listen(&listener->stream, LISTEN_BACKLOG, on_connection);
    return error != 0 ? error : uv_timer_start(&listener->sweep, on_sweep, SWEEP_INTERVAL_MS, SWEEP_INTERVAL_MS);
}

/// Removes the socket in the file system, unless another server has put its own there.
static void remove_local(iso__tcp_listener *listener) {
    struct stat about;
    const char *path = listener->base.address + strlen("unix:");
    if (listener->local_inode != 0 && lstat(path, &about) == 0 && S_ISSOCK(about.st_mode) &&
        about.st_ino == listener->local_inode) {
        unlink(path);
    }
    listener->local_inode = 0;
}

static void tcp_stop(iso__listener *head) {
    iso__tcp_listener *listener = (iso__tcp_listener *)head;
    remove_local(listener);
    if (head->is_listening) {
        uv_close((uv_handle_t *)&listener->stream, NULL);
    }
    head->is_listening = false;
}

static void tcp_close(iso__listener *head) {
    iso__tcp_listener *listener = (iso__tcp_listener *)head;
    if (!listener->is_open) {
        return;
    }
    tcp_stop(head);
    if (!uv_is_closing((uv_handle_t *)&listener->sweep)) {
        uv_close((uv_handle_t *)&listener->sweep, NULL);
    }
    if (!uv_is_closing((uv_handle_t *)&listener->again)) {
        uv_close((uv_handle_t *)&listener->again, NULL);
    }
    for (iso__stream *stream = head->first; stream != NULL; stream = stream->next) {
        iso__tcp_close(iso__tcp_of(stream));
    }
}

static bool frames_admit(iso__tcp_listener *listener) {
    return listener->base.config.handler.admits(listener->base.config.handler.user);
}

static void frames_full(iso__tcp_listener *listener, iso__tcp_stream *stream) {
    listener->base.config.handler.full(listener->base.config.handler.user, stream != NULL ? &stream->base : NULL);
}

static bool frames_begin(iso__tcp_stream *stream) {
    stream->is_taken = iso__tcp_handler(stream)->opened(iso__tcp_handler(stream)->user, &stream->base);
    return stream->is_taken;
}

static bool frames_ended(iso__tcp_stream *stream) {
    return iso__tcp_handler(stream)->ended(iso__tcp_handler(stream)->user, &stream->base);
}

iso__listener *iso__tcp_listener_init(iso__tcp_listener *listener) {
    static const iso__tcp_protocol frames = {
        .stream_size = sizeof(iso__tcp_stream),
        .takes_proxy = true,
        .admits = frames_admit,
        .full = frames_full,
        .begin = frames_begin,
        .consume = iso__tcp_consume_frames,
        .ended = frames_ended,
    };
    return iso__tcp_listener_init_for(listener, &frames);
}

iso__listener *iso__tcp_listener_init_for(iso__tcp_listener *listener, const iso__tcp_protocol *protocol) {
    ISO_ASSERT(protocol->stream_size >= sizeof(iso__tcp_stream));
    static const iso__listener_functions functions = {tcp_open,       tcp_listen, tcp_accept,
                                                      iso__tcp_flush, tcp_stop,   tcp_close};
    *listener = (iso__tcp_listener){.base.functions = &functions, .protocol = protocol};
    return &listener->base;
}
