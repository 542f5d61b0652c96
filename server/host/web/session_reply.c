#include "host/web/session_reply.h"

#include <inttypes.h>

#include "host/web/reply.h"
#include "isostep/assert.h"
#include "isostep/proto/codec.h"
#include "isostep/proto/text.h"

void iso__web_print_session(FILE *out, iso__hosted *hosted, const char *more) {
    ISO_ASSERT(hosted->dimensions == 2 || hosted->dimensions == 3);
    iso_session_info info;
    iso__hosted_get_info(hosted, &info);
    fprintf(out,
            "{\"name\":\"%s\",\"state\":\"%s\",\"members\":%" PRIu32 ",\"slots\":%" PRIu32 ",\"spectators\":%" PRIu32
            ",\"tick\":%" PRIu64 ",\"tick_rate_hz\":%u,\"dimensions\":%u,\"game\":",
            info.name, iso_session_state_name(info.state), info.members, info.slots, info.spectators, info.tick,
            info.tick_rate_hz, hosted->dimensions);
    iso_print_json_string(out, info.game);
    fprintf(out, "%s%s%s}", hosted->settings.is_private ? ",\"private\":true" : "",
            hosted->settings.has_password ? ",\"password\":true" : "", more);
}

void iso__web_give_session(const iso__web_call *call, unsigned status, const char *lines, iso__hosted *hosted,
                           const char *more) {
    ISO_ASSERT(status >= 200 && status <= 299);
    iso__web_text text;
    if (iso__web_text_begin(&text)) {
        iso__web_print_session(text.out, hosted, more);
        fputc('\n', text.out);
    }
    iso__web_give_json(call, status, lines, iso__web_text_end(&text));
}
