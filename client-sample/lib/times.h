/// Times and distances that the client waits for, and what one message has at most.
#ifndef ISO_CLIENT_TIMES_H
#define ISO_CLIENT_TIMES_H

#include <stdint.h>

#define ISO__CLIENT_HELLO_TIMEOUT_NS   UINT64_C(5000000000)
#define ISO__CLIENT_SILENCE_TIMEOUT_NS UINT64_C(30000000000)
#define ISO__CLIENT_NOTICE_TIMEOUT_NS  UINT64_C(5000000000)
#define ISO__CLIENT_LEAVE_TIMEOUT_NS   UINT64_C(2000000000)
/// A host that calls so much later than it was asked to was stopped. The server then has the grace for what it has
/// sent.
#define ISO__CLIENT_STOPPED_NS UINT64_C(1000000000)
#define ISO__CLIENT_GRACE_NS   UINT64_C(2000000000)

#define ISO__CLIENT_PINGS_FIRST 5                  // before activation
#define ISO__CLIENT_PING_GAP_NS UINT64_C(20000000) // between an answer and the next of these
#define ISO__CLIENT_PING_JOIN_NS \
    UINT64_C(250000000) // afterwards, until it is active: a slip must not hide that it has caught up
#define ISO__CLIENT_PING_PERIOD_NS UINT64_C(1000000000) // when it is active
#define ISO__CLIENT_PING_LOST_NS   UINT64_C(2000000000) // a ping without an answer is sent again

/// Without a tick for so long, or for as many ticks as a command may be late, and for three ticks' time, inputs are
/// held.
#define ISO__CLIENT_HOLD_NS              UINT64_C(100000000)
#define ISO__CLIENT_HOLD_TICKS           3
#define ISO__CLIENT_CAUGHT_UP_HELD_TICKS 2 // maximum distance behind what can have arrived, to continue

#define ISO__CLIENT_CONFIRM_PERIOD 16 // ticks
#define ISO__CLIENT_AHEAD_S        60 // a server's clock may be so far beyond what can be
// A join may begin so far behind the server; no server keeps more
#define ISO__CLIENT_BEHIND_TICKS    (UINT64_C(1) << 20)
#define ISO__CLIENT_CAUGHT_UP_TICKS 8    // behind what can have arrived, at most
#define ISO__CLIENT_INPUT_BYTES     3800 // of the commands of one message, at most
#define ISO__CLIENT_LOST_PER_TICK   4    // that are reported; the others with the next ticks

#endif
