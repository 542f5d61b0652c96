/// Real processes on loopback: starts servers, speaks to them through bare sockets or through the
/// client library, and never waits without a limit.
#ifndef ISO_TESTS_E2E_H
#define ISO_TESTS_E2E_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <cmocka.h>

#include "isostep/client.h"
#include "isostep/proto/codec.h"

#define E2E_S  UINT64_C(1000000000)
#define E2E_MS UINT64_C(1000000)

uint64_t e2e_now_ns(void);
void e2e_sleep_ms(uint64_t ms);

/// Does `step` until the condition holds, for as long as a busy machine may take, then fails.
#define E2E_WAIT(condition, step)                                                                           \
    do {                                                                                                    \
        for (uint64_t e2e_end_ns = e2e_now_ns() + 30 * E2E_S; !(condition) && e2e_now_ns() < e2e_end_ns;) { \
            step;                                                                                           \
        }                                                                                                   \
        assert_true(condition);                                                                             \
    } while (0)

/// Ends the whole test when it takes longer: a test that hangs has failed.
void e2e_limit_seconds(unsigned seconds);

/// @name Processes
/// @{

typedef struct e2e_server {
    pid_t pid;
    uint16_t port;
    char ready[1024];  // the line, without its newline
    char log_path[64]; // standard error
    int ready_fd;      // where the line comes from; -1: it has come
} e2e_server;

/// Starts isostep-server with the scene floor.json on a free port of loopback and waits until it is ready.
/// @param arguments  further ones, ended by NULL; or NULL
void e2e_server_start(e2e_server *server, const char *const *arguments);

/// The same after a shell command: "ulimit -f 8".
void e2e_server_start_within(e2e_server *server, const char *shell, const char *const *arguments);

/// Starts another build's program in the same way, and does not wait.
void e2e_server_spawn(e2e_server *server, const char *program, const char *const *arguments);

/// Waits until a server that was spawned is ready. @return false: it is not yet; fails the test when it has ended
bool e2e_server_is_ready(e2e_server *server, uint64_t timeout_us);

/// Sends a signal and waits. @return the exit code, or -1 when it ended by a signal
int e2e_server_stop(e2e_server *server, int signal);

/// Whether the log has this text, now.
bool e2e_server_has_logged(const e2e_server *server, const char *text);

/// How often the log has this text, now.
unsigned e2e_server_count_logged(const e2e_server *server, const char *text);

/// The same as e2e_server_stop. @param log  what the server has logged to its end, cut
int e2e_server_stop_and_read(e2e_server *server, int signal, char *log, size_t capacity);

/// Ends a test that looks for something in a process's memory where that cannot be. Called before the test holds
/// anything.
void e2e_skip_without_memory(void);

/// Looks for a text in all that the process can write to. The test is skipped where another process's memory cannot be
/// read.
/// @return how often it is there
unsigned e2e_server_count_in_memory(const e2e_server *server, const char *text);
/// The same of bytes.
unsigned e2e_server_count_bytes(const e2e_server *server, const void *what, size_t size);

/// Runs a program to its end. @param output  what it wrote to standard output and error, cut
/// @return the exit code, or -1
int e2e_run(const char *program, const char *const *arguments, char *output, size_t capacity);
/// The same with another patience than 30 seconds.
int e2e_run_within(const char *program, const char *const *arguments, char *output, size_t capacity,
                   uint64_t timeout_ms);

/// A port of loopback that nobody listens on and nobody else is given while the test's process lives; a server may bind
/// it.
uint16_t e2e_port_reserve(void);

/// Makes an empty folder. @param path  at least 64 bytes
void e2e_folder_make(char *path);
/// The only file in the folder whose name ends so. @return whether there is exactly one
bool e2e_folder_find(const char *folder, const char *end, char *path, size_t capacity);
/// Whether there is a file whose name begins so.
bool e2e_folder_has(const char *folder, const char *begin);
void e2e_folder_remove(const char *folder);
/// Whether a recording can be gone on from by now. @param durable_size  [bytes] as its last mark says, 0: it has none;
/// or NULL
bool e2e_recording_has_begun(const char *path, uint64_t *durable_size);

#define E2E_FILES_MAX 64

typedef struct e2e_file {
    char name[256];
    uint8_t *bytes;
    size_t size;
    uint64_t modified_ns;
} e2e_file;

/// What a folder holds, by name; without server.lock.
typedef struct e2e_image {
    e2e_file files[E2E_FILES_MAX];
    size_t count;
} e2e_image;

e2e_image *e2e_folder_read(const char *folder);
void e2e_image_free(e2e_image *image);
/// Fails unless every name, byte and time of modification is as it was. Frees the image.
void e2e_folder_expect(const char *folder, e2e_image *expected);
/// @}

/// @name A bare connection
/// @{

typedef struct e2e_link {
    int fd;
    iso_framer framer;
    uint8_t frame[ISO_FRAME_MAX_SERVER];
    uint8_t in[16384];
    size_t in_begin, in_end;
    bool has_ended; // the server closed
} e2e_link;

/// @param receive_buffer  [bytes] of the kernel, or 0 for its own choice
e2e_link *e2e_link_open(uint16_t port, int receive_buffer);
/// The same. @return NULL when nobody listens
e2e_link *e2e_link_try(uint16_t port, int receive_buffer);
void e2e_link_close(e2e_link *link);

/// Writes all, waiting as long as it takes.
void e2e_link_write(e2e_link *link, const void *bytes, size_t size);

/// Encodes a message with its size in front. @return its bytes
size_t e2e_encode(const iso_message *message, uint8_t *bytes, size_t capacity);

/// A HELLO that the session of `server` accepts. The fingerprint names no game, as clients do that know all.
iso_message e2e_hello(void);

/// Waits for a whole message. @return false when the server closed or the time is over
bool e2e_link_read(e2e_link *link, iso_message *message, uint64_t timeout_ms);

/// Reads until a message of this kind comes; the others are thrown away.
bool e2e_link_read_kind(e2e_link *link, uint8_t kind, iso_message *message, uint64_t timeout_ms);

/// Waits until the server has closed. @return false when the time is over
bool e2e_link_wait_end(e2e_link *link, uint64_t timeout_ms);
/// @}

/// @name Players
/// The client library on a socket.
/// @{

#define E2E_SPAWNS_MAX 10

typedef struct e2e_player {
    e2e_link *link; // NULL: not connected any more, or not yet again
    uint16_t port;
    uint64_t reconnect_ns; // when to connect again; 0: not
    iso_client *client;
    uint8_t out[65536];
    size_t out_size;
    bool byte_at_a_time;  // each write carries one byte
    bool is_stalled;      // reads nothing
    uint32_t build_every; // spawns a box every so many ticks, E2E_SPAWNS_MAX in all; 0: never
    bool has_joined, has_ended;
    iso_status end_status;
    uint64_t join_tick, ticks, spawned;
    unsigned joins, resumes, rewinds;
    uint64_t *roots; // by tick: where the roots of the world are put; NULL: nowhere. Several players may share it
    uint64_t roots_capacity, newest_root;
    unsigned roots_changed; // ticks that came again with another root than stood there
    uint64_t last_tick_ns;
    uint64_t gap_max_ns; // longest time between two ticks since it joined
} e2e_player;

/// Connects; the handshake happens in e2e_players_run.
e2e_player *e2e_player_start(uint16_t port, int receive_buffer);

/// The same in another session. @param reconnect_ms  how long it tries to come back when its connection breaks
e2e_player *e2e_player_start_in(uint16_t port, const char *session, uint32_t reconnect_ms);

/// What those that start from now on say that the session's password is; NULL: nothing.
extern const char *e2e_player_password;

/// Closes the socket, if it is open, and frees.
void e2e_player_destroy(e2e_player *player);

/// Asks to leave; e2e_players_run then sees it through.
void e2e_player_leave(e2e_player *player);

/// Runs all players until `done` says so. @return false when the time is over first
bool e2e_players_run(e2e_player *const *players, size_t count, bool (*done)(e2e_player *const *players, size_t count),
                     uint64_t timeout_ms);

/// Runs them for this time.
void e2e_players_run_for(e2e_player *const *players, size_t count, uint64_t ms);

bool e2e_all_joined(e2e_player *const *players, size_t count);
bool e2e_all_ended(e2e_player *const *players, size_t count);
iso_client_stats e2e_player_stats(const e2e_player *player);
/// @}

#endif
