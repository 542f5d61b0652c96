#include "base/gate.h"
#include "isostep/assert.h"

void iso__gate_init(iso__gate *gate) {
    pthread_mutex_init(&gate->mutex, NULL);
    pthread_cond_init(&gate->changed, NULL);
    gate->state = ISO__GATE_CLOSED;
}

void iso__gate_set(iso__gate *gate, iso__gate_state state) {
    ISO_ASSERT(state == ISO__GATE_OPEN || state == ISO__GATE_GIVEN_UP); // it does not close again
    pthread_mutex_lock(&gate->mutex);
    if (gate->state == ISO__GATE_CLOSED) {
        gate->state = state;
    }
    pthread_cond_broadcast(&gate->changed);
    pthread_mutex_unlock(&gate->mutex);
}

bool iso__gate_wait(iso__gate *gate) {
    pthread_mutex_lock(&gate->mutex);
    while (gate->state == ISO__GATE_CLOSED) {
        pthread_cond_wait(&gate->changed, &gate->mutex);
    }
    bool goes_on = gate->state == ISO__GATE_OPEN;
    pthread_mutex_unlock(&gate->mutex);
    return goes_on;
}
