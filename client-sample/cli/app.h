/// The program isostep-client: one loop, one or many connections.
///
///   program.c  the main of a few lines; everything else is a library
///   main.c     start, signals, progress, the end
///   peer.c     one connection: stream, messages, the client library
///   news.c     the libraries' notifications, and what follows from them
///   bot.c      bots that play
///   swarm.c    many members: which of them verify, how early their inputs arrive
///   dump.c     the state of a client that has desynced, as a file
///   summary.c  the summary at the end
///   options.c  the command line
///   say.c      lines for people
///   ../uv/transport/  streams over any transport; main.c and link.c choose it, and nothing else knows TCP
///   list.c     --list, and griefer*.c --bot griefer: programs of their own, over link.c
///
/// The files call one way, as tests/tidy holds: main.c, peer.c, news.c, then the others. News that concern main.c and
/// the connections are stored in the app, which main.c checks once per iteration of the loop.
#ifndef ISO_CLI_APP_H
#define ISO_CLI_APP_H

#include <uv.h>

#include "bot.h"
#include "isostep/client.h"
#include "isostep/proto/codec.h"
#include "options.h"
#include "transport/stream.h"

#define ISO__CLI_EXIT_OK         0
#define ISO__CLI_EXIT_DESYNC     1
#define ISO__CLI_EXIT_USAGE      2
#define ISO__CLI_EXIT_CONNECTION 4

typedef struct iso__cli_app iso__cli_app;

/// One connection with its member.
typedef struct iso__cli_peer {
    iso__cli_app *app;
    uint32_t index;
    iso__uv_stream *stream; // NULL: there is none
    iso__uv_stream *spare;  // that is tried beside a silent one; NULL: there is none
    bool has_spare_failed;  // it could not be begun, which is told after the actions
    uv_timer_t timer;
    uv_timer_t retry;  // until the next connection is made
    int connect_error; // libuv's, of the last try to connect; 0: it came to be
    uint32_t session;  // index of its session
    iso_client *client;
    iso__cli_bot bot;
    uint64_t bytes_in, bytes_out; // of streams that are closed
    bool has_joined, is_done, has_ended;
    bool is_http; // what answers speaks HTTP
    bool is_away; // the connection is lost and not yet replaced
    uint64_t desync_tick, desync_ours, desync_theirs;
    bool has_desynced;
    uint64_t sync_test_tick; // the first tick in which a restored world differed; 0: none
    bool is_unverified;      // the server leaves its world wrong
    uint64_t healed_tick;    // 0: not yet
    uint64_t margin_tick;    // when the margin was last looked at
} iso__cli_peer;

/// How early the inputs of all members arrived, in steps of an eighth of a tick.
#define ISO__CLI_MARGIN_MIN_TICKS (-64)
#define ISO__CLI_MARGIN_MAX_TICKS 64
#define ISO__CLI_MARGIN_STEPS     ((ISO__CLI_MARGIN_MAX_TICKS - ISO__CLI_MARGIN_MIN_TICKS) * 8 + 1)

struct iso__cli_app {
    iso__cli_options options;
    uv_loop_t loop;
    uv_signal_t signals[2];
    uv_timer_t progress;
    iso__uv_dialer *dialer;
    const iso_game **games; // whose rules this program has
    uint32_t game_count;
    iso__cli_peer *peers;
    uint32_t peer_count;
    bool has_seat;         // of the options' file
    iso_resume seat;       // which the first member takes again
    uint32_t ended_count;  // when all have, the program is over
    uint64_t signalled_ns; // when the first signal came; 0: none has
    int signal_number;     // of that one
    bool is_leaving;       // all members are to leave in this turn of the loop
    bool has_left;         // LEAVE was handed in
    bool has_dumped;       // --dump-state is done
    bool has_failed;       // a connection failed, was refused or ended early
    bool is_refused;       // the bot cannot play in a session that was joined
    bool is_terminal;      // standard error is one
    bool has_told_full;    // that members of a swarm wait for free slots
    char failure[512];     // the last one that was printed
    uint32_t failure_repeats;
    uint64_t start_ns;
    uint64_t margins[ISO__CLI_MARGIN_STEPS]; // how often each was seen
    uv_prepare_t turn;
    // Scratch that all peers share: nothing in it outlives one message.
    void *decode_memory; // ISO_DECODE_MEMORY_FROM_SERVER bytes
    void *encode_memory; // ISO_ENCODE_MEMORY_SIZE bytes
    uint8_t *out;        // a message to the server, ISO_FRAME_MAX_CLIENT bytes
};

/// @name peer.c
/// @{

/// Creates a peer and begins to connect. @return whether there was memory.
bool iso__cli_peer_start(iso__cli_app *app, uint32_t index);
void iso__cli_peer_leave(iso__cli_peer *peer);
/// After the loop has ended.
void iso__cli_peer_term(iso__cli_peer *peer);
/// @}

/// @name news.c
/// Each handles an action: it prints lines, lets bots play, and updates the app's `is_leaving` and `ended_count`.
/// @{

/// A tick was stepped by a peer.
void iso__cli_news_tick(iso__cli_app *app, iso__cli_peer *peer, const iso_client_action *action);
void iso__cli_news_joined(iso__cli_app *app, iso__cli_peer *peer, const iso_client_action *action);
void iso__cli_news_desync(iso__cli_app *app, iso__cli_peer *peer, const iso_client_action *action);
void iso__cli_news_desync_answer(iso__cli_app *app, iso__cli_peer *peer, const iso_client_action *action);
void iso__cli_news_healed(iso__cli_app *app, iso__cli_peer *peer, const iso_client_action *action);
/// What whoever runs the server says.
void iso__cli_news_notice(iso__cli_app *app, const iso__cli_peer *peer, const iso_client_action *action);
/// One line for what happened to the verifying member's connection or session.
void iso__cli_news_session(iso__cli_app *app, iso__cli_peer *peer, const iso_client_action *action);
/// One line for members that joined or left, by name. A program of many members does not report its own.
void iso__cli_news_members(iso__cli_app *app, const iso__cli_peer *peer, const iso_client_action *action);
/// A world continued from the peer's own snapshot differs.
void iso__cli_news_sync_test(iso__cli_app *app, iso__cli_peer *peer, const iso_client_action *action);
/// A peer has ended; `failure` is NULL when it left on request.
void iso__cli_news_ended(iso__cli_app *app, iso__cli_peer *peer, const char *failure);
/// @}

/// @name say.c
/// @{

/// One line on standard error; the progress line is wiped first.
void iso__cli_say(const iso__cli_app *app, const char *format, ...) __attribute__((format(printf, 2, 3)));
/// @}

/// @name dump.c
/// @{

/// Writes the peer's world, which is no longer the session's, to the file of --dump-state; once. Prints a line.
void iso__cli_dump_state(iso__cli_app *app, const iso__cli_peer *peer);
/// @}

/// @name swarm.c
/// @{

/// The first member of each session verifies, or of the first --verify sessions; the others send inputs and
/// acknowledge.
bool iso__cli_swarm_verifies(const iso__cli_app *app, uint32_t index);
/// Of the verifying members that are away the first says so for all of them.
bool iso__cli_swarm_speaks(const iso__cli_app *app, uint32_t index);
/// A member tries again. Says once what a swarm lacks that does not fit into its sessions.
void iso__cli_swarm_reconnects(iso__cli_app *app, const iso_client_action *action);
uint32_t iso__cli_swarm_session(const iso__cli_app *app, uint32_t index);
const char *iso__cli_swarm_session_name(const iso__cli_app *app, uint32_t session, char name[ISO_SESSION_NAME_MAX + 1]);
/// Looks at a member's margin, twice a second.
void iso__cli_swarm_watch(iso__cli_app *app, iso__cli_peer *peer, uint64_t tick);
/// The margin [ticks] that `per_mille` of what was seen is at or below. @return false when nothing was seen.
bool iso__cli_swarm_margin(const iso__cli_app *app, uint32_t per_mille, double *margin);
/// @}

/// @name summary.c
/// @{
void iso__cli_summary_print(const iso__cli_app *app);
void iso__cli_progress_print(const iso__cli_app *app);
/// @}

#endif
