/// Who has a place in a session, as its recording's events tell it: so that each file begins with those who
/// are there, and a server that goes on from one file knows the numbers of their secrets.
#ifndef ISO_HOST_ROSTER_H
#define ISO_HOST_ROSTER_H

#include "isostep/proto/recording.h"
#include "isostep/tick.h"

typedef struct iso__roster {
    bool there[ISO_SLOT_COUNT_MAX];
    iso_recording_event events[ISO_SLOT_COUNT_MAX];  // the last about each slot
} iso__roster;

static inline void iso__roster_hear(iso__roster *roster, const iso_recording_event *event)
{
    if (event->slot >= ISO_SLOT_COUNT_MAX || event->kind == ISO_RECORDING_EVENT_DESYNC || event->kind == ISO_RECORDING_EVENT_NOTE)
        return;
    roster->there[event->slot] = event->kind != ISO_RECORDING_EVENT_LEFT;
    roster->events[event->slot] = *event;
}

#endif
