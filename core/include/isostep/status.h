/// Status codes: one list for the whole product.
///
/// Every function that can fail because of what a user, a peer or a file gave it returns one of
/// these. The same numbers, negated, are used on the wire and in recordings, so a code is never renumbered; a removed
/// one stays reserved. Texts are constant and always valid. All functions may be called from any thread.
#ifndef ISOSTEP_STATUS_H
#define ISOSTEP_STATUS_H

#ifdef __cplusplus
extern "C" {
#endif

// X(name, number, text)
#define ISO_STATUS_LIST(X)                                                                         \
    X(OK, 0, "ok")                                                                                 \
    /* State-dependent refusals: sealed into a tick, a no-op there, the same status everywhere. */ \
    X(ERR_STALE, -1, "the id refers to no live object")                                            \
    X(ERR_NOT_OWNER, -2, "the sender does not own the body or joint")                              \
    X(ERR_WRONG_TYPE, -3, "the body, shape or joint is of a type that cannot do this")             \
    X(ERR_QUOTA, -4, "the member's quota is used up")                                              \
    X(ERR_CAPACITY, -5, "the world's capacity is used up")                                         \
    X(ERR_GEOMETRY, -6, "the shape is not convex, too thin, too small or too large")               \
    X(ERR_REFUSED, -7, "the game's rules refuse this command")                                     \
    /* Static refusals: told to the sender, never sealed. */                                       \
    X(ERR_RANGE, -16, "a value is out of range")                                                   \
    X(ERR_MALFORMED, -17, "the bytes do not have the form that was expected")                      \
    X(ERR_BAD_ENUM, -18, "an enumerator has an unknown value")                                     \
    X(ERR_RATE, -19, "too many messages or commands")                                              \
    X(ERR_TICK_LATE, -20, "the target tick is already sealed")                                     \
    X(ERR_TICK_FUTURE, -21, "the target tick is too far ahead")                                    \
    X(ERR_REPLAY, -22, "the sequence number was already used")                                     \
    X(ERR_ROLE, -23, "the role does not allow this")                                               \
    X(ERR_UNSUPPORTED, -24, "this kind of message or option is not supported")                     \
    X(ERR_FRAME_TOO_LARGE, -25, "the frame is larger than allowed")                                \
    X(ERR_DECODE_BUDGET, -26, "the message has too many fields or is nested too deeply")           \
    X(ERR_DIMENSION, -27, "the world has another number of dimensions")                            \
    /* Connections and sessions. */                                                                \
    X(ERR_SERVER_FULL, -32, "the server takes no more connections")                                \
    X(ERR_SESSION_FULL, -33, "the session has no free slot")                                       \
    X(ERR_NO_SESSION, -34, "there is no session with this name")                                   \
    X(ERR_PROTOCOL_VERSION, -35, "the protocol versions do not overlap")                           \
    X(ERR_FINGERPRINT, -36, "the core fingerprints differ: this build would not compute the same") \
    X(ERR_TIMEOUT, -37, "the peer was silent or too slow for too long")                            \
    X(ERR_SLOW_CONSUMER, -38, "the peer does not read fast enough")                                \
    X(ERR_JOIN_TIMEOUT, -39, "the join made no progress")                                          \
    X(ERR_TOO_SLOW, -40, "the joining client does not catch up with the session")                  \
    X(ERR_DESYNC, -41, "the state differs from the server's")                                      \
    X(ERR_SHUTDOWN, -42, "the server shuts down")                                                  \
    X(ERR_SESSION_CLOSED, -43, "the session is closed")                                            \
    X(ERR_CONNECTION, -44, "the connection could not be made or broke")                            \
    X(ERR_STATE, -45, "the call or message does not fit the present state")                        \
    X(ERR_TAKEN_OVER, -46, "the member has resumed on another connection")                         \
    X(ERR_NO_RESUME, -47, "the session cannot be resumed with the given data")                     \
    X(ERR_KICKED, -48, "the session has removed the client")                                       \
    X(ERR_SPECTATORS_FULL, -49, "the session takes no more spectators")                            \
    X(ERR_ADDRESS_LIMIT, -50, "too many connections from this address")                            \
    X(ERR_RESTARTING, -51, "the server restarts, and the session continues")                       \
    X(ERR_PASSWORD, -55, "the session needs a password, or another one")                           \
    X(ERR_BANNED, -57, "this address or seat is banned")                                           \
    /* Files, snapshots, scenes, memory. */                                                        \
    X(ERR_CORRUPT, -64, "the data is corrupt")                                                     \
    X(ERR_TRUNCATED, -65, "the data ends too early")                                               \
    X(ERR_VERSION, -66, "the data is of another version")                                          \
    X(ERR_SCHEMA, -67, "the data was written with another state schema")                           \
    X(ERR_SCENE_INVALID, -68, "the scene is invalid")                                              \
    X(ERR_UNKNOWN_NAME, -69, "the name is unknown")                                                \
    X(ERR_BUFFER, -70, "the buffer is too small")                                                  \
    X(ERR_MEMORY, -71, "memory could not be allocated or the limit is reached")                    \
    X(ERR_IO, -72, "reading or writing a file failed")

typedef enum iso_status {
#define ISO_STATUS_ENUM(name, number, text) ISO_##name = (number),
    ISO_STATUS_LIST(ISO_STATUS_ENUM)
#undef ISO_STATUS_ENUM
} iso_status;

/// The name of a status without its prefix ("STALE"), or "UNKNOWN".
const char *iso_status_name(iso_status status);

/// One sentence in English, without a full stop, or "unknown status".
const char *iso_status_text(iso_status status);

#ifdef __cplusplus
}
#endif

#endif
