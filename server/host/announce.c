/// The first words of a server that serves: which build it is and what it hosts.
#include "host/announce.h"

#include <stdio.h>

#include "base/affinity.h"
#include "host/watch/log.h"
#include "isostep/proto/environment.h"
#include "isostep/proto/text.h"
#include "isostep/proto/version.h"

#define NAMED_SIZE 600u // [bytes] for the names; a server can have a thousand sessions

void iso__host_announce(const iso__host *host) {
    ISO__ASSERT_ON(&host->io);
    char program[ISO_PROGRAM_NAME_SIZE], build[ISO_RECORDING_TEXT_MAX + 1], names[NAMED_SIZE] = "", rest[32] = "";
    size_t fill = 0;
    uint32_t named = 0;
    const uint32_t count = host->directory.count;
    iso_version_build(iso_environment_program("isostep-server", program), build, sizeof build);
    for (; named < count && fill + 2 * (ISO_RECORDING_TEXT_MAX + 4) < sizeof names; ++named) {
        const iso__hosted *hosted = host->directory.sessions[named];
        fill += (size_t)snprintf(names + fill, sizeof names - fill, "%s%s '%s'", named > 0 ? ", " : ": ", hosted->name,
                                 hosted->setup.scene_name);
    }
    if (named < count) {
        snprintf(rest, sizeof rest, ", and %u more", count - named);
    }
    iso__log_info("%s: %u session%s with %s%s%s; %s%.200s%s", build, count, iso_text_plural(count),
                  count == 1 ? "its scene" : "their scenes", names, rest,
                  host->is_recorded ? "recorded in '" : "not recorded",
                  host->is_recorded ? host->options.record_dir : "", host->is_recorded ? "'" : "");
}
