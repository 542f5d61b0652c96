/// Requests from the I/O thread to a session, which answers them: who is in it, kicks, notices.
#ifndef ISO_HOST_MEMBER_REQUEST_H
#define ISO_HOST_MEMBER_REQUEST_H

#include "host/sessions/hosted.h"

/// Such requests at a time, of all sessions together.
#define ISO__MEMBER_REQUESTS_MAX 16u

/// Belongs to the I/O thread; the worker's from iso__worker_offer until ISO__OUTBOUND_MEMBER_REQUEST.
typedef struct iso__member_request {
    bool is_list;      // who is there; else whom it is about: by `connection`, or with 0 by `slot`
    bool kicks;        // and remove them, after the answer is on its way
    iso_status status; // with which: ISO_ERR_KICKED or ISO_ERR_BANNED
    uint64_t connection;
    uint32_t slot, generation; // generation: 0: any
    // The answer:
    uint64_t now_ns;
    uint32_t count; // people; 0: nobody
    iso_session_person people[ISO_SLOT_COUNT_MAX + 512];
} iso__member_request;

#endif
