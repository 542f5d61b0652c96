/// Places of which there are few: for connections that carry no stream, and for recordings that are read.
///
/// A place is taken away from a client that does nothing with it, or that reads so slowly that its answer would keep it
/// for hours.
#include "host/web/places.h"

#include <stdio.h>

#include "base/affinity.h"
#include "base/clock.h"

// Connections of an address without a stream, for each that it may have with one.
#define ADDRESS_FACTOR 2u
// Whoever reads an answer for this long, and less of it in a second than this, gives way to others.
#define SLOW_MS    UINT64_C(5000)
#define SLOW_BYTES (UINT64_C(64) << 10)

static bool is_limited(const iso__web *web, const iso__address *address) {
    return (web->config.options->limit_loopback || !iso__address_is_loopback(address)) &&
           !iso__address_limit_is_trusted(&web->config.peers->address_limit, address);
}

/// Connections without a stream. @param of  NULL: of all addresses
/// @param has_file  only those that read a recording
static uint32_t count(const iso__web *web, const iso__address *of, bool has_file) {
    uint32_t number = 0;
    for (iso__stream *head = iso__web_first(&web->listener); head != NULL; head = head->next) {
        const iso__web_stream *stream = iso__web_of(head);
        // One that is closing gives its place back in this turn of the loop.
        // A proxy's connection is nobody's but for the time of a request.
        number +=
            stream->is_known && head->state != ISO__STREAM_CLOSING && (!has_file || stream->body.is_file) &&
            (of == NULL || ((has_file || !stream->is_of_proxy) && iso__address_is_same(iso__web_address(stream), of)));
    }
    return number;
}

/// The oldest connection that has no answer in progress, or NULL.
static iso__web_stream *find_idle(const iso__web *web) {
    iso__web_stream *oldest = NULL;
    for (iso__stream *head = iso__web_first(&web->listener); head != NULL; head = head->next) {
        iso__web_stream *stream = iso__web_of(head);
        if (stream->is_known && !stream->is_answering && head->state == ISO__STREAM_OPEN) {
            oldest = stream;
        }
    }
    return oldest;
}

/// The connection that reads its answer most slowly, if that is too slow; or NULL. @param of, has_file  as for count
static iso__web_stream *find_slow(const iso__web *web, const iso__address *of, bool has_file) {
    const uint64_t now = iso__clock_now();
    uint64_t least = SLOW_BYTES;
    iso__web_stream *slowest = NULL;
    for (iso__stream *head = iso__web_first(&web->listener); head != NULL; head = head->next) {
        iso__web_stream *stream = iso__web_of(head);
        const uint64_t lasted_ms = (now - stream->answered_ns) / (ISO__NS_PER_S / 1000);
        if (!stream->is_known || !stream->is_answering || head->state != ISO__STREAM_OPEN || lasted_ms < SLOW_MS ||
            (has_file && !stream->body.is_file) ||
            (of != NULL && !iso__address_is_same(iso__web_address(stream), of))) {
            continue;
        }
        const uint64_t rate = (head->bytes_out - stream->answered) * 1000 / lasted_ms;
        if (rate < least) {
            least = rate;
            slowest = stream;
        }
    }
    return slowest;
}

/// @return whether there was one
static bool cut(const iso__web *web, iso__web_stream *stream, iso__counter counter) {
    if (stream == NULL) {
        return false;
    }
    iso__counters_add(web->config.counters, counter, 1);
    iso__stream_cut(iso__web_base(stream));
    return true;
}

bool iso__web_address_may_ask(iso__web *web, const iso__address *name) {
    ISO__ASSERT_ON(iso__web_io(web));
    static const iso__counter counters[] = {
        [ISO__ADDRESS_LIMIT_OUT] = ISO__COUNTER_ADDRESS_OUT,
        [ISO__ADDRESS_LIMIT_ACCEPTS] = ISO__COUNTER_ADDRESS_ACCEPTS,
        [ISO__ADDRESS_LIMIT_CROWDED] = ISO__COUNTER_WEB_FULL,
    };
    iso__address_limit *limit = &web->config.peers->address_limit;
    const uint64_t now = iso__clock_now();
    uint32_t address = 0;
    const iso__address_limit_answer answer = iso__address_limit_enter(limit, name, now, &address);
    if (answer == ISO__ADDRESS_LIMIT_TAKEN) {
        iso__address_limit_leave(limit, address);
    }
    if (answer != ISO__ADDRESS_LIMIT_OUT && answer != ISO__ADDRESS_LIMIT_ACCEPTS &&
        answer != ISO__ADDRESS_LIMIT_CROWDED) {
        return true;
    }
    iso__counters_add(web->config.counters, counters[answer], 1);
    char text[ISO__ADDRESS_LIMIT_TEXT_MAX];
    iso__address_limit_explain(limit, answer, name, now, text);
    snprintf(web->why, sizeof web->why, "%s\n", text);
    return false;
}

/// A connection that carries no stream takes no place among those of its address: a page's files come over six at a
/// time, which stay open for a while. So these have a maximum of their own.
static bool address_has_place(iso__web *web, const iso__address *name) {
    if (!iso__web_address_may_ask(web, name)) {
        return false;
    }
    if (is_limited(web, name) && count(web, name, false) >= ADDRESS_FACTOR * web->config.options->address_connections) {
        iso__counters_add(web->config.counters, ISO__COUNTER_ADDRESS_CONNECTIONS, 1);
        snprintf(web->why, sizeof web->why,
                 "at most %u HTTP connections of one address: twice as many as --address-connections\n",
                 ADDRESS_FACTOR * web->config.options->address_connections);
        return false;
    }
    return true;
}

bool iso__web_has_place(iso__web *web, const iso__address *address) {
    ISO__ASSERT_ON(iso__web_io(web));
    snprintf(web->why, sizeof web->why, "too many connections\n");
    if (!address_has_place(web, address)) {
        return false;
    }
    const bool has_place = count(web, NULL, false) < web->config.options->unauthenticated ||
                           cut(web, find_idle(web), ISO__COUNTER_WEB_DROPPED) ||
                           cut(web, find_slow(web, NULL, false), ISO__COUNTER_WEB_READER);
    if (!has_place) {
        iso__counters_add(web->config.counters, ISO__COUNTER_WEB_FULL, 1);
    }
    return has_place;
}

bool iso__web_has_file_place(const iso__web_call *call) {
    ISO__ASSERT_ON(iso__web_io(call->web));
    const iso__web *web = call->web;
    const iso__address *address = iso__web_address(call->stream);
    if (is_limited(web, address) && count(web, address, true) >= ISO__WEB_FILES_ADDRESS_MAX &&
        !cut(web, find_slow(web, address, true), ISO__COUNTER_WEB_READER)) {
        return false;
    }
    return count(web, NULL, true) < ISO__WEB_FILES_MAX || cut(web, find_slow(web, NULL, true), ISO__COUNTER_WEB_READER);
}
