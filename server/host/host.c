#include "host/host.h"
#include "isostep/assert.h"

iso__hosted *iso__host_next(const iso__host *host, uint32_t *index) {
    ISO_ASSERT(*index <= host->session_count + host->created.count);
    if (*index < host->session_count) {
        return &host->sessions[(*index)++];
    }
    iso__hosted *hosted = NULL;
    while (hosted == NULL && *index - host->session_count < host->created.count) {
        hosted = iso__created_session_session(&host->created.list[(*index)++ - host->session_count]);
    }
    return hosted;
}
