/// What the sessions have done: the summary at the end.
#ifndef ISO_HOST_SUMMARY_H
#define ISO_HOST_SUMMARY_H

#include "host/host.h"

/// Adds a session that is about to be freed to what those that have left have done, and logs about its recording. Its
/// threads must not use it any more.
void iso__host_sum_up(iso__host *host, const iso__hosted *hosted);

/// Writes the summary to standard error. To be called after all threads have ended.
void iso__host_summarize(iso__host *host);

#endif
