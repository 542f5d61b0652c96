#include "list.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "app.h"
#include "http_answer.h"
#include "isostep/proto/codec.h"
#include "isostep/proto/text.h"
#include "link.h"

#define ANSWER_TIMEOUT_MS 5000

static void print_session(const iso_session_info *info, bool json, bool first) {
    if (json) {
        printf("%s{\"name\":", first ? "" : ",");
        iso_print_json_string(stdout, info->name);
        printf(",\"state\":\"%s\",\"members\":%u,\"slots\":%u,\"spectators\":%u,\"tick\":%" PRIu64
               ",\"tick_rate\":%u,\"game\":",
               iso_session_state_name(info->state), (unsigned)info->members, (unsigned)info->slots,
               (unsigned)info->spectators, info->tick, (unsigned)info->tick_rate_hz);
        iso_print_json_string(stdout, info->game);
        printf("}");
        return;
    }
    if (first) {
        printf("%-24s %-9s %8s %10s %12s %5s  %s\n", "session", "state", "members", "spectators", "tick", "rate",
               "game");
    }
    iso_print(stdout, "%-24s %-9s %4u/%-3u %10u %12" PRIu64 " %5u  %s\n", info->name,
              iso_session_state_name(info->state), (unsigned)info->members, (unsigned)info->slots,
              (unsigned)info->spectators, info->tick, (unsigned)info->tick_rate_hz, info->game);
}

static int list_print(const iso__cli_options *options, iso__cli_links *links) {
    iso_message message = {.kind = ISO_MESSAGE_LIST};
    uint32_t count = 0;
    bool answered = false;
    iso_status refused = ISO_ERR_TIMEOUT;
    iso__cli_link *link = iso__cli_link_open(links);
    if (link == NULL || !iso__cli_link_send(link, &message)) {
        iso_print(stderr,
                  "isostep-client: connection to %s failed: is a server running there? start one with isostep-server\n",
                  options->address);
        iso__cli_link_close(link);
        return ISO__CLI_EXIT_CONNECTION;
    }
    fputs(options->json ? "{\"sessions\":[" : "", stdout);
    while (iso__cli_link_read(link, &message, ANSWER_TIMEOUT_MS)) {
        refused = message.kind == ISO_MESSAGE_REFUSAL ? message.as.refusal.code : refused;
        refused = message.kind == ISO_MESSAGE_BYE ? message.as.bye.code : refused;
        for (uint32_t i = 0; message.kind == ISO_MESSAGE_SESSION_LIST && i < message.as.session_list.count; ++i) {
            print_session(&message.as.session_list.sessions[i], options->json, count == 0);
            count += 1;
        }
        answered = answered || message.kind == ISO_MESSAGE_SESSION_LIST;
    }
    fputs(options->json ? "]}\n" : "", stdout);
    if (!answered && link->is_http) {
        iso_print(stderr, "isostep-client: " ISO__CLI_HTTP_TEXT "\n", options->address);
    } else if (!answered) {
        iso_print(stderr, "isostep-client: the server gave no list: %s\n", iso_status_text(refused));
    }
    iso__cli_link_close(link);
    return answered ? ISO__CLI_EXIT_OK : ISO__CLI_EXIT_CONNECTION;
}

int iso__cli_list(const iso__cli_options *options) {
    iso__cli_links links;
    iso__cli_links_init(&links, options);
    const int code = list_print(options, &links);
    iso__cli_links_term(&links);
    return code;
}
