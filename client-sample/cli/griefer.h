/// The griefer: a client that attacks the server, and expects for each attack the answer that proto/WIRE.md specifies.
/// Meanwhile a witness plays by the rules in the same session and must not be affected.
///
///   griefer.c          the table, the witness, the verdict
///   griefer_member.c   a member that is driven by hand: the client library for all that has to be right
///   griefer_stream.c   attacks on frames, messages and the handshake
///   griefer_world.c    attacks with commands and roots, as a member
///   griefer_flood.c    attacks by number, size and slowness
#ifndef ISO_CLI_GRIEFER_H
#define ISO_CLI_GRIEFER_H

#include "isostep/client.h"
#include "link.h"

/// A member whose inputs are written by hand.
typedef struct iso__cli_member {
    iso__cli_link *link; // NULL: closed
    iso_client *client;
    bool is_honest;    // the library's own inputs are sent
    uint64_t sequence; // of the last command sent by hand
    uint64_t waited;   // a result of this sequence is an answer
    bool is_answered;
    iso_status answer;  // of the last REJECT, BYE, REFUSAL or result
    uint64_t answer_id; // of what a command has created
    iso_status refusal; // of the first command that was refused inside a tick
    bool has_ended;     // BYE or REFUSAL came, or the stream closed
} iso__cli_member;

typedef struct iso__cli_griefer {
    const iso__cli_options *options;
    iso__cli_links links;
    const iso_game *const *games;
    uint32_t game_count;
    const char *session;
    iso__cli_member witness;
    iso_status game_refusal; // the answer of the session's own rules to the command, unless they are the sandbox's
    iso__cli_link *slow[3];  // that were opened first and have nothing said since
} iso__cli_griefer;

typedef enum iso__cli_slow {
    ISO__CLI_SLOW_SILENT,
    ISO__CLI_SLOW_HALF_FRAME,
    ISO__CLI_SLOW_JOINER,
} iso__cli_slow;

/// One row: the attack, and the answer that is required where members may do what the sandbox allows. Where a game
/// refuses the attack's command, its refusal is right, too. An attack returns the code of the answer.
typedef struct iso__cli_attack {
    const char *name;
    iso_status expected;
    iso_status also; // another right answer, or `expected`
    iso_status (*run)(iso__cli_griefer *griefer);
} iso__cli_attack;

extern const iso__cli_attack iso__cli_attacks_stream[];
extern const iso__cli_attack iso__cli_attacks_world[];
extern const iso__cli_attack iso__cli_attacks_flood[];

/// Runs all attacks and prints the table. @return the exit code.
int iso__cli_griefer_run(const iso__cli_options *options, const iso_game *const *games, uint32_t game_count);

/// @name griefer_member.c
/// @{

/// Waits for a message on a bare connection while the witness plays on. @return false when there is none
bool iso__cli_griefer_read(iso__cli_griefer *griefer, iso__cli_link *link, iso_message *message, uint64_t timeout_ms);
/// The code with which the server ends a bare connection; ISO_ERR_TIMEOUT when it does not.
/// @param rejects_count  whether a Reject is an answer, too
iso_status iso__cli_griefer_end_of(iso__cli_griefer *griefer, iso__cli_link *link, uint64_t timeout_ms,
                                   bool rejects_count);

/// Joins. @return false when that takes too long.
bool iso__cli_member_join(iso__cli_griefer *griefer, iso__cli_member *member, const char *name);
void iso__cli_member_leave(iso__cli_griefer *griefer, iso__cli_member *member);
/// Processes what has arrived, also for the witness, for at most 10 ms.
void iso__cli_member_pump(iso__cli_griefer *griefer, iso__cli_member *member);
/// Waits for an answer. @return its code; ISO_ERR_TIMEOUT for none
iso_status iso__cli_member_wait(iso__cli_griefer *griefer, iso__cli_member *member, uint64_t timeout_ms);
/// The same for the end of the connection.
iso_status iso__cli_member_wait_end(iso__cli_griefer *griefer, iso__cli_member *member, uint64_t timeout_ms);
/// Sends commands with the next sequences, for the coming ticks.
bool iso__cli_member_command(iso__cli_member *member, const iso_command *commands, uint32_t count);
/// Sends a command and waits for its result.
iso_status iso__cli_member_try(iso__cli_griefer *griefer, iso__cli_member *member, const iso_command *command);
/// @}

#endif
