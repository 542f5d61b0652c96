/// Whether a process was stopped (SIGSTOP, a paused virtual machine, a sleeping laptop): what is to be done at an
/// interval comes much later than asked for. A loop runs its timers before it reads what has come meanwhile, so that
/// peers would be judged by what they seem not to have said. Sessions have the same rule (iso_session_handle).
#ifndef ISO_BASE_STOPS_H
#define ISO_BASE_STOPS_H

#include <stdbool.h>
#include <stdint.h>

#define ISO__STOPS_LATE_NS  UINT64_C(1000000000) // who comes so much later was stopped
#define ISO__STOPS_GRACE_NS UINT64_C(2000000000)

typedef struct iso__stops {
    uint64_t called_ns; // the last time; 0: never
    uint64_t grace_until_ns;
} iso__stops;

/// Call it each time that limits would be judged. @param interval_ns  how often that is meant to be
/// @return whether no limit of a peer may pass now, because the process was stopped until shortly
bool iso__stops_give_grace(iso__stops *stops, uint64_t now_ns, uint64_t interval_ns);

#endif
