/// The table of limits. Its rows have the names that the documents use.
#include "host/watch/counters.h"

#include <inttypes.h>
#include <stdbool.h>

#include "host/watch/log.h"
#include "isostep/assert.h"

static void add_answer(iso__counters *counters, iso__answer answer, iso_status status, uint32_t count) {
    int32_t code = -(int32_t)status;
    if (code > 0 && code < (int32_t)ISO__STATUS_END) {
        atomic_fetch_add_explicit(&counters->answers[answer][code], count, memory_order_relaxed);
    }
}

void iso__counters_add_message(iso__counters *counters, const iso_message *message, uint32_t peers) {
    ISO_ASSERT(peers > 0);
    if (message->kind == ISO_MESSAGE_REFUSAL) {
        add_answer(counters, ISO__ANSWER_REFUSAL, message->as.refusal.code, peers);
    } else if (message->kind == ISO_MESSAGE_BYE) {
        add_answer(counters, ISO__ANSWER_BYE, message->as.bye.code, peers);
    } else if (message->kind == ISO_MESSAGE_REJECT) {
        add_answer(counters, ISO__ANSWER_REJECT, message->as.reject.code, peers);
    } else if (message->kind == ISO_MESSAGE_DESYNC_NOTICE) {
        iso__counters_add(counters, ISO__COUNTER_FALSE_HASH, peers);
    }
}

void iso__counters_add_results(iso__counters *counters, const iso_world *world) {
    uint32_t count = 0;
    const iso_command_result *results = iso_world_get_results(world, &count);
    ISO_ASSERT(count == 0 || results != NULL);
    for (uint32_t i = 0; i < count; ++i) {
        add_answer(counters, ISO__ANSWER_RESULT, results[i].status, 1);
    }
}

/// The limit behind a status.
typedef struct status_row {
    iso_status status;
    const char *row;
} status_row;

static const status_row status_rows[] = {
    {ISO_ERR_FRAME_TOO_LARGE, "oversize frame"},
    {ISO_ERR_DECODE_BUDGET, "deep or many-field message"},
    {ISO_ERR_MALFORMED, "garbage"},
    {ISO_ERR_UNSUPPORTED, "garbage"},
    {ISO_ERR_STATE, "unexpected message"},
    {ISO_ERR_RATE, "command flood"},
    {ISO_ERR_SERVER_FULL, "connection flood"},
    {ISO_ERR_ADDRESS_LIMIT, "connection flood"},
    {ISO_ERR_SESSION_FULL, "session full"},
    {ISO_ERR_SPECTATORS_FULL, "spectator fan-out"},
    {ISO_ERR_TIMEOUT, "slow writer, silence"},
    {ISO_ERR_SLOW_CONSUMER, "slow reader"},
    {ISO_ERR_JOIN_TIMEOUT, "slow joiner"},
    {ISO_ERR_TOO_SLOW, "slow joiner"},
    {ISO_ERR_BAD_ENUM, "unknown enum, bad geometry"},
    {ISO_ERR_GEOMETRY, "unknown enum, bad geometry"},
    {ISO_ERR_DIMENSION, "command of another dimension"},
    {ISO_ERR_RANGE, "extreme values"},
    {ISO_ERR_STALE, "stale id"},
    {ISO_ERR_NOT_OWNER, "another member's body"},
    {ISO_ERR_WRONG_TYPE, "wrong type"},
    {ISO_ERR_REFUSED, "against the game's rules"},
    {ISO_ERR_QUOTA, "body, joint, contact bombs"},
    {ISO_ERR_CAPACITY, "body, joint, contact bombs"},
    {ISO_ERR_TICK_LATE, "late input"},
    {ISO_ERR_TICK_FUTURE, "early input"},
    {ISO_ERR_REPLAY, "replayed input"},
    {ISO_ERR_ROLE, "command of a spectator"},
    {ISO_ERR_NO_SESSION, "guessing names"},
    {ISO_ERR_NO_RESUME, "guessing ids and secrets"},
    {ISO_ERR_TAKEN_OVER, "half-open connection"},
    {ISO_ERR_DESYNC, "false hash"},
    {ISO_ERR_KICKED, "kicked"},
    {ISO_ERR_BANNED, "bans"},
    {ISO_ERR_PASSWORD, "guessing passwords"},
    {ISO_ERR_MEMORY, "memory"},
    {ISO_ERR_PROTOCOL_VERSION, "other version"},
    {ISO_ERR_FINGERPRINT, "other version, other arithmetic"},
};

static const char *const answer_names[ISO__ANSWER_COUNT] = {"refused", "ended", "rejected", "no-op"};

void iso__counters_visit(iso__counters *counters, iso__counters_visitor *visit, void *user) {
    static const struct {
        const char *row, *what;
    } named[] = {
#define COUNTER_ROW(name, row, what) {row, what},
        ISO__COUNTER_LIST(COUNTER_ROW)
#undef COUNTER_ROW
    };
    for (unsigned i = 0; i < sizeof status_rows / sizeof status_rows[0]; ++i) {
        ISO_ASSERT(status_rows[i].status < 0 && -(int32_t)status_rows[i].status < (int32_t)ISO__STATUS_END);
        for (unsigned answer = 0; answer < ISO__ANSWER_COUNT; ++answer) {
            uint64_t count = atomic_load(&counters->answers[answer][-(int32_t)status_rows[i].status]);
            if (count > 0) {
                visit(user, status_rows[i].row, "", iso_status_name(status_rows[i].status), answer_names[answer],
                      count);
            }
        }
    }
    for (unsigned i = 0; i < ISO__COUNTER_COUNT; ++i) {
        uint64_t count = atomic_load(&counters->counts[i]);
        if (count > 0) {
            visit(user, named[i].row, named[i].what, NULL, NULL, count);
        }
    }
}

static void print_one(void *user, const char *limit, const char *what, const char *code, const char *answer,
                      uint64_t count) {
    *(bool *)user = true;
    if (code != NULL) {
        iso__log_info("  %-36s %s, %s: %" PRIu64, limit, code, answer, count);
    } else {
        iso__log_info("  %-36s %s: %" PRIu64, limit, what, count);
    }
}

void iso__counters_print(iso__counters *counters) {
    bool any = false;
    iso__log_info("limits reached (limit, answer, count):");
    iso__counters_visit(counters, print_one, &any);
    if (!any) {
        iso__log_info("  none");
    }
}
