/// Where threads wait that are created early, so that nothing after their creation can fail for lack of a thread.
#ifndef ISO_BASE_GATE_H
#define ISO_BASE_GATE_H

#include <pthread.h>
#include <stdbool.h>

typedef enum iso__gate_state {
    ISO__GATE_CLOSED,
    ISO__GATE_OPEN,     // continue
    ISO__GATE_GIVEN_UP, // return at once
} iso__gate_state;

typedef struct iso__gate {
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    iso__gate_state state;
} iso__gate;

void iso__gate_init(iso__gate *gate);
/// Lets all threads continue, or return; later calls change nothing.
void iso__gate_set(iso__gate *gate, iso__gate_state state);
/// @return whether to continue
bool iso__gate_wait(iso__gate *gate);

#endif
