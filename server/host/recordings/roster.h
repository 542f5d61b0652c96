/// The members of a session, as its recording's events list them: each file begins with those who are there, so that a
/// server that continues from one file knows the numbers of their secrets.
#ifndef ISO_HOST_ROSTER_H
#define ISO_HOST_ROSTER_H

#include "isostep/proto/recording.h"
#include "isostep/tick.h"

typedef struct iso__roster {
    bool is_there[ISO_SLOT_COUNT_MAX];
    iso_recording_event events[ISO_SLOT_COUNT_MAX]; // the last one about each slot
} iso__roster;

static inline void iso__roster_hear(iso__roster *roster, const iso_recording_event *event) {
    bool is_there = event->kind == ISO_RECORDING_EVENT_MEMBER || event->kind == ISO_RECORDING_EVENT_DROPPED ||
                    event->kind == ISO_RECORDING_EVENT_RESUMED;
    if (event->slot >= ISO_SLOT_COUNT_MAX || (!is_there && event->kind != ISO_RECORDING_EVENT_LEFT)) {
        return;
    }
    roster->is_there[event->slot] = is_there;
    roster->events[event->slot] = *event;
}

#endif
