/// Where threads wait that were made early, so that what follows cannot fail for want of a thread.
#ifndef ISO_HOST_GATE_H
#define ISO_HOST_GATE_H

#include <pthread.h>
#include <stdbool.h>

typedef enum iso__gate_state {
    ISO__GATE_CLOSED,
    ISO__GATE_OPEN,     // go on
    ISO__GATE_GIVEN_UP, // return at once
} iso__gate_state;

typedef struct iso__gate {
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    iso__gate_state state;
} iso__gate;

void iso__gate_init(iso__gate *gate);
/// Lets all go on, or return; later calls change nothing.
void iso__gate_set(iso__gate *gate, iso__gate_state state);
/// @return whether to go on
bool iso__gate_wait(iso__gate *gate);

#endif
