#include "host/start/ignored.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "host/watch/log.h"
#include "isostep/assert.h"

typedef struct list {
    char text[1024];
    size_t fill;
} list;

__attribute__((format(printf, 2, 3))) static void put(list *l, const char *format, ...) {
    va_list arguments;
    if (l->fill > 0) {
        l->fill += (size_t)snprintf(l->text + l->fill, sizeof l->text - l->fill, ", ");
    }
    va_start(arguments, format);
    const int size = vsnprintf(l->text + l->fill, sizeof l->text - l->fill, format, arguments);
    va_end(arguments);
    l->fill += size > 0 ? (size_t)size : 0;
    if (l->fill > sizeof l->text - 4) {
        l->fill = sizeof l->text - 4;
    }
}

/// A scene that nobody names is compared with itself only: it may have been changed in the program.
static void put_scene(list *l, const iso_recording_header *before, const iso__session_spec *spec,
                      const iso__setup_request *request) {
    uint64_t hash = 0;
    if (spec->scene == NULL || (!spec->has_scene && strcmp(spec->scene, before->scene_name) != 0)) {
        return;
    }
    const bool is_read = iso__setup_hash_scene(request, &hash);
    if (!is_read && spec->has_scene) {
        put(l, "the scene '%.400s' that is given (it cannot be read)", spec->scene);
    } else if (is_read && hash != before->scene_hash) {
        put(l, "the scene '%.400s' %s (another one)", spec->scene,
            spec->has_scene ? "that is given" : "of this program");
    }
}

void iso__ignored_warn(const iso_recording_header *before, const iso__session_spec *spec,
                       const iso__setup_request *request) {
    ISO_ASSERT(before->session[0] != '\0');
    list l = {0};
    // The options are those of new sessions, and what was created over HTTP is none of the command line's.
    if (spec->is_created) {
        return;
    }
    put_scene(&l, before, spec, request);
    if (request->tick_rate_hz != 0 && request->tick_rate_hz != before->def.tick_rate_hz) {
        put(&l, "--tick-rate %u (it has %u)", request->tick_rate_hz, before->def.tick_rate_hz);
    }
    if (request->has_seed && request->seed != before->def.seed) {
        put(&l, "--seed %" PRIu64 " (it has %" PRIu64 ")", request->seed, before->def.seed);
    }
    if (l.fill > 0) {
        iso__log_session(
            WARNING, before->session,
            "it continues with the scene '%s' in its recording, and not used are: %s. To begin it anew, %s",
            before->scene_name, l.text,
            spec->resume != NULL ? "start without the option that names the recording"
                                 : "end the server by a signal and start it once with --on-restart new");
    }
}
