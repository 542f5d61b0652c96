#include "host/start/option_sessions.h"

#include <stdio.h>
#include <string.h>

#include "host/start/option_values.h"
#include "isostep/assert.h"
#include "isostep/proto/session_request.h"

/// @param scene  NULL: the one of --scene
static void append(iso__options *options, const char *name, size_t size, const char *scene) {
    ISO_ASSERT(options->session_count < ISO__SESSIONS_MAX && size <= ISO_SESSION_NAME_MAX);
    iso__session_spec *spec = &options->sessions[options->session_count++];
    *spec = (iso__session_spec){.scene = scene, .has_scene = scene != NULL};
    memcpy(spec->name, name, size);
}

/// @param scene  as above
static bool add_session(iso__options *options, const iso__option *option, const char *name, size_t size,
                        const char *scene, const iso__option_report *report) {
    if (!iso_session_name_is_valid(name, size)) {
        return iso__option_fail(report, "%s: '%.*s' is not a session's name: 1 to %d of a to z, 0 to 9 and -",
                                option->name, (int)(size < 80 ? size : 80), name, ISO_SESSION_NAME_MAX);
    }
    if (options->session_count == ISO__SESSIONS_MAX) {
        return iso__option_fail(report, "%s: there are more than %u sessions", option->name, ISO__SESSIONS_MAX);
    }
    for (uint32_t i = 0; i < options->session_count; ++i) {
        if (strlen(options->sessions[i].name) == size && memcmp(options->sessions[i].name, name, size) == 0) {
            return iso__option_fail(report, "%s: there are two sessions named '%.*s'", option->name, (int)size, name);
        }
    }
    append(options, name, size, scene);
    return true;
}

bool iso__option_set_session(iso__options *options, const iso__option *option, const char *value,
                             const iso__option_report *report) {
    ISO_ASSERT(option->set == iso__option_set_session);
    size_t size = strcspn(value, "=");
    const char *scene = value[size] == '=' ? value + size + 1 : NULL;
    if (scene != NULL && *scene == '\0') {
        return iso__option_fail(report, "%s: '%s': a scene's name or a file is missing after the equals sign",
                                option->name, value);
    }
    return add_session(options, option, value, size, scene, report);
}

bool iso__option_set_sessions(iso__options *options, const iso__option *option, const char *value,
                              const iso__option_report *report) {
    ISO_ASSERT(option->max <= ISO__SESSIONS_MAX);
    uint64_t count = 0;
    if (!iso__option_parse_number(option, value, &count, report)) {
        return false;
    }
    for (uint64_t i = 0; i < count; ++i) {
        char name[24];
        int size = snprintf(name, sizeof name, "s%u", (unsigned)i);
        if (!add_session(options, option, name, (size_t)size, NULL, report)) {
            return false;
        }
    }
    return true;
}

bool iso__option_set_scene(iso__options *options, const iso__option *option, const char *value,
                           const iso__option_report *report) {
    ISO_ASSERT(option->set == iso__option_set_scene);
    options->scene = value;
    options->has_scene = true;
    return *value != '\0' || iso__option_fail(report, "%s: a scene's name or a file is missing", option->name);
}

/// A session whose name is read from the file.
bool iso__option_set_resume(iso__options *options, const iso__option *option, const char *value,
                            const iso__option_report *report) {
    ISO_ASSERT(option->set == iso__option_set_resume);
    if (*value == '\0') {
        return iso__option_fail(report, "%s: a recording is missing", option->name);
    }
    if (options->session_count == ISO__SESSIONS_MAX) {
        return iso__option_fail(report, "%s: there are more than %u sessions", option->name, ISO__SESSIONS_MAX);
    }
    options->sessions[options->session_count++] =
        (iso__session_spec){.resume = value, .goes_back = strcmp(option->name, "--rewind") == 0};
    return true;
}

/// Whether there is such a session is known when those of --resume are read.
bool iso__option_set_private(iso__options *options, const iso__option *option, const char *value,
                             const iso__option_report *report) {
    ISO_ASSERT(options->private_count <= ISO__SESSIONS_MAX);
    if (options->private_count == ISO__SESSIONS_MAX) {
        return iso__option_fail(report, "%s: there are more than %u sessions", option->name, ISO__SESSIONS_MAX);
    }
    options->private_names[options->private_count++] = value;
    return true;
}

void iso__option_complete_sessions(iso__options *options) {
    ISO_ASSERT(options->session_count <= ISO__SESSIONS_MAX);
    if (options->session_count == 0) {
        append(options, "main", 4, NULL);
    }
    for (uint32_t i = 0; i < options->session_count; ++i) {
        iso__session_spec *spec = &options->sessions[i];
        if (spec->scene != NULL || spec->resume != NULL) {
            continue;
        }
        spec->scene = options->scene;
        spec->has_scene = options->has_scene;
    }
}
