/// HTTP requests that wait until a session's end is on the disk.
#include "host/ends.h"

#include "base/affinity.h"
#include "base/clock.h"
#ifdef ISO__HTTP
#include "host/web/sessions.h"
#endif

#define ENDS_STEP_MS 10u // how often is looked whether it is

void iso__host_answer_ends(iso__host *host, const iso__hosted *leaves, bool is_last) {
    ISO__ASSERT_ON(&host->io);
#ifdef ISO__HTTP
    const uint64_t now = iso__clock_now();
    const bool some_wait = iso__web_answer_ends(&host->web, now, leaves, is_last);
    if (!iso__web_answer_ends(&host->admin, now, leaves, is_last) && !some_wait) {
        uv_timer_stop(&host->ends);
    }
#else
    (void)host;
    (void)leaves;
    (void)is_last;
#endif
}

static void on_ends(uv_timer_t *timer) {
    iso__host_answer_ends(timer->data, NULL, false);
}

void iso__host_await_ends(iso__host *host) {
    ISO__ASSERT_ON(&host->io);
    uv_timer_start(&host->ends, on_ends, ENDS_STEP_MS, ENDS_STEP_MS);
}
