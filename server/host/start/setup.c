/// From options to worlds and an address. Runs on the main thread; the others wait at the gate meanwhile.
#include "host/start/setup.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/address.h"
#include "base/file.h"
#include "host/start/scenes.h"
#include "host/watch/log.h"
#include "isostep/assert.h"
#include "isostep/proto/environment.h"

// Maximum substeps of a world per tick.
#define SUBSTEPS_MAX 16u

static void log_scene_names(const iso__setup_request *request) {
    char names[600] = "", near[ISO_NEAREST_TEXT_SIZE];
    iso_builtin_scene scene;
    size_t fill = 0;
    for (size_t i = 0; fill < sizeof names - 1 && iso__scenes_at(i, &scene); ++i) {
        int size = snprintf(names + fill, sizeof names - fill, "%s%s", i == 0 ? "" : ", ", scene.name);
        fill += size > 0 ? (size_t)size : 0;
    }
    iso__scenes_ask(request->scene, near);
    iso__log_session(ERROR, request->session, "there is no scene or file '%s'%s; the scenes are: %s", request->scene,
                     near, names);
}

static bool read_scene_file(iso__setup *setup, const iso__setup_request *request) {
    const char *what = NULL;
    uint8_t *bytes = NULL;
    iso_status status = iso__file_read(AT_FDCWD, request->scene, ISO_SCENE_SIZE_MAX, &bytes, &setup->scene_size, &what);
    setup->scene_text = (char *)bytes;
    if (status == ISO_ERR_IO && access(request->scene, F_OK) != 0 && errno == ENOENT) {
        log_scene_names(request);
    } else if (status != ISO_OK) {
        iso__log_session(ERROR, request->session, "the scene '%s' cannot be read: %s%s", request->scene, what,
                         status == ISO_ERR_RANGE ? "; if it is a recording, --resume hosts it again" : "");
    } else if (iso_recording_has_magic(bytes, setup->scene_size)) {
        iso__log_session(ERROR, request->session, "the scene '%s' is a recording; --resume hosts one again",
                         request->scene);
        status = ISO_ERR_SCENE_INVALID;
    }
    return status == ISO_OK;
}

static bool is_file(const iso__setup_request *request) {
    return request->document == NULL && !iso__scenes_find(request->scene, &(iso_builtin_scene){0});
}

static bool load_scene_text(iso__setup *setup, const iso__setup_request *request) {
    if (is_file(request)) {
        return read_scene_file(setup, request);
    }
    iso_builtin_scene scene;
    const bool is_named = request->document == NULL && iso__scenes_find(request->scene, &scene);
    const size_t size = is_named ? scene.size : request->document_size;
    setup->scene_text = malloc(size + 1);
    if (setup->scene_text == NULL) {
        iso__log_error("out of memory");
        return false;
    }
    memcpy(setup->scene_text, is_named ? scene.text : request->document, size);
    setup->scene_size = size;
    return true;
}

/// Whether members of a request for a session, which may have a password, have got into its document: by a quote too
/// many.
static bool has_password(const iso__setup_request *request) {
    static const char key[] = "\"password\"";
    return request->document != NULL && memmem(request->document, request->document_size, key, sizeof key - 1) != NULL;
}

static bool report_scene_error(const iso__setup_request *request, iso_status status, const iso_scene_error *error) {
    static const char hidden[] = "…";
    char text[1200];
    iso_scene_error shown = *error;
    if (has_password(request)) {
        memcpy(shown.value, hidden, sizeof hidden);
    }
    if (status == ISO_ERR_SCENE_INVALID) {
        iso_scene_error_format(&shown, text, sizeof text);
    } else {
        snprintf(text, sizeof text, "%s", iso_status_text(status));
    }
    iso__log_session(ERROR, request->session, "the scene '%s': %s", request->scene, text);
    return false;
}

static bool report_world_error(const iso__setup_request *request, const iso_world_def *def, iso_status status) {
    const char *field = NULL;
    char why[64];
    if (status == ISO_ERR_RANGE && iso_world_def_check(def, &field) != ISO_OK) {
        iso__log_session(ERROR, request->session, "--scene, --tick-rate: %s is out of range%s",
                         field != NULL ? field : "a world parameter",
                         field != NULL && strcmp(field, "substep_count") == 0
                             ? ": tick rate times substeps must be from 60 to 2047"
                             : "");
    } else if (status == ISO_ERR_MEMORY) {
        iso__log_session(ERROR, request->session, "the scene '%s' needs more memory: %s", request->scene,
                         iso__memory_why(request->memory, why, sizeof why));
    } else {
        iso__log_session(ERROR, request->session, "the scene '%s': %s", request->scene, iso_status_text(status));
    }
    return false;
}

/// Of a scene that was sent the world alone is too large: what else the session would take is not known yet.
static bool report_world_size(const iso__setup_request *request, uint64_t size) {
    char why[64];
    iso__log_session(ERROR, request->session,
                     "the world of the scene '%s' alone needs %llu MiB (a larger --memory, or smaller capacities): %s",
                     request->scene, (unsigned long long)iso__setup_mib(size),
                     iso__memory_why(request->memory, why, sizeof why));
    return false;
}

/// A low tick rate takes more substeps, so that a substep is not longer than a world allows.
static void set_tick_rate(iso_world_def *def, const iso__setup_request *request) {
    const uint8_t substeps = def->substep_count;
    const char *field = NULL;
    def->tick_rate_hz = request->tick_rate_hz;
    while (def->substep_count < SUBSTEPS_MAX && iso_world_def_check(def, &field) != ISO_OK &&
           strcmp(field, "substep_count") == 0) {
        ++def->substep_count;
    }
    if (def->substep_count != substeps) {
        iso__log_session(INFO, request->session, "--tick-rate: %u Hz take %u substeps a tick instead of the scene's %u",
                         request->tick_rate_hz, def->substep_count, substeps);
    }
}

void iso__setup_report_need(const char *session, uint64_t size, iso__memory *memory) {
    ISO_ASSERT(size > memory->limit);
    char why[64];
    atomic_store(&memory->limit_refused, true);
    iso__log_session(ERROR, session,
                     "the session needs %llu MiB (--memory %llu, or smaller capacities of the scene): %s",
                     (unsigned long long)iso__setup_mib(size), (unsigned long long)iso__setup_mib(size),
                     iso__memory_why(memory, why, sizeof why));
}

/// Whether all that the session will take fits, which is known before its world is built.
static bool fits(const iso__setup_request *request, const iso_world_def *def, const iso_game *game, size_t scene_size) {
    const uint64_t size = request->measure != NULL ? request->measure(request->measure_user, def, game, scene_size) : 0;
    if (size > request->memory->limit) {
        iso__setup_report_need(request->session, size, request->memory);
    }
    return size <= request->memory->limit;
}

/// Makes the world that the scene describes.
static bool build_world(iso__setup *setup, const iso__setup_request *request, const iso_scene *scene,
                        const iso_scene_source *source) {
    iso_world_def def = *iso_scene_def(scene);
    if (request->tick_rate_hz != 0) {
        set_tick_rate(&def, request);
    }
    if (request->has_seed) {
        def.seed = request->seed;
    }
    iso_scene_error error;
    iso_allocator allocator = iso__memory_world_allocator(request->memory);
    setup->world_size = iso_world_size(&def, scene->game);
    setup->scene_hash = iso_scene_hash(scene);
    memcpy(setup->scene_name, scene->name, sizeof scene->name);
    if (!fits(request, &def, scene->game, setup->scene_size)) {
        setup->scene_is_bad = false;
        return false;
    }
    iso_status status = iso_scene_create_world(scene, &def, &allocator, &setup->world_memory, &setup->world, &error);
    if (status == ISO_ERR_SCENE_INVALID) {
        iso_scene_error_locate(&error, setup->scene_text, setup->scene_size);
        if (source != NULL) {
            iso_scene_source_locate(source, &error);
        }
        return report_scene_error(request, status, &error);
    }
    setup->scene_is_bad = false;
    if (status == ISO_OK) {
        status = iso_world_set_simd(setup->world, iso_environment_simd());
    }
    return status == ISO_OK || report_world_error(request, &def, status);
}

/// Reads a file that the scene includes.
static bool read_included(void *user, const char *path, char **text, size_t *size, const char **why) {
    const iso__setup_request *request = user;
    const char *slash = strrchr(request->scene, '/');
    size_t folder = slash != NULL ? (size_t)(slash + 1 - request->scene) : 0;
    char *whole = malloc(folder + strlen(path) + 1);
    uint8_t *bytes = NULL;
    *why = iso_status_text(ISO_ERR_MEMORY);
    if (whole == NULL) {
        return false;
    }
    memcpy(whole, request->scene, folder);
    memcpy(whole + folder, path, strlen(path) + 1);
    bool is_read = iso__file_read(AT_FDCWD, whole, ISO_SCENE_SIZE_MAX, &bytes, size, why) == ISO_OK;
    *text = is_read ? (char *)bytes : NULL;
    if (!is_read) {
        free(bytes);
    }
    free(whole);
    return is_read;
}

/// Replaces the text by one that contains its includes: recordings have no folder.
static iso_status include_files(iso__setup *setup, const iso__setup_request *request, iso_scene_source **source,
                                iso_scene_error *error) {
    const char *slash = strrchr(request->scene, '/');
    iso__setup_request copy = *request;
    const iso_scene_files files = {slash != NULL ? slash + 1 : request->scene, &copy, read_included};
    iso_status status = iso_scene_source_make(setup->scene_text, setup->scene_size, &files, source, error);
    if (status != ISO_OK) {
        return status;
    }
    size_t size;
    const char *text = iso_scene_source_text(*source, &size);
    char *whole = malloc(size + 1);
    if (whole == NULL) {
        return ISO_ERR_MEMORY;
    }
    memcpy(whole, text, size);
    free(setup->scene_text);
    whole[size] = 0;
    setup->scene_text = whole;
    setup->scene_size = size;
    return ISO_OK;
}

/// Reads the scene with its includes. @param source  NULL: no includes
static bool read_scene(iso__setup *setup, const iso__setup_request *request, iso_scene_source **source,
                       iso_scene **scene) {
    iso_scene_error error = {0};
    iso_status status = ISO_OK;
    if (is_file(request)) {
        status = include_files(setup, request, source, &error);
        if (status != ISO_OK) {
            return report_scene_error(request, status, &error);
        }
    }
    const uint32_t game_count = (uint32_t)request->game_count;
    // What comes over HTTP must not take much more than it may, even for a while.
    if (request->document != NULL) {
        status = iso_scene_parse_within(setup->scene_text, setup->scene_size, request->games, game_count,
                                        request->memory->limit, scene, &error);
    } else {
        status = iso_scene_parse(setup->scene_text, setup->scene_size, request->games, game_count, scene, &error);
    }
    if (status == ISO_ERR_CAPACITY) {
        atomic_store(&request->memory->limit_refused, true);
        setup->scene_is_bad = false;
        return report_world_size(request, strtoull(error.value, NULL, 10));
    }
    if (status != ISO_OK && *source != NULL) {
        iso_scene_source_locate(*source, &error);
    }
    return status == ISO_OK || report_scene_error(request, status, &error);
}

static bool make_world(iso__setup *setup, const iso__setup_request *request, iso_scene_source **source) {
    iso_scene *scene = NULL;
    if (!read_scene(setup, request, source, &scene)) {
        return false;
    }
    bool is_built = build_world(setup, request, scene, *source);
    if (is_built && iso__names_init(&setup->names, scene) != ISO_OK) {
        iso__log_session(ERROR, request->session, "there is no memory for the names of the scene '%s'", request->scene);
        is_built = false;
    }
    iso_scene_free(scene);
    return is_built;
}

bool iso__setup_world(iso__setup *setup, const iso__setup_request *request) {
    ISO_ASSERT(setup->world == NULL && setup->world_memory == NULL);
    // What fails below is the scene's fault, until only memory or the options can be the reason (build_world).
    setup->scene_is_bad = true;
    if (!load_scene_text(setup, request)) {
        return false;
    }
    iso_scene_source *source = NULL;
    bool is_made = make_world(setup, request, &source);
    iso_scene_source_free(source);
    return is_made;
}

bool iso__setup_hash_scene(const iso__setup_request *request, uint64_t *hash) {
    ISO_ASSERT(request->game_count == 0 || request->games != NULL);
    iso__setup setup = {0};
    iso_scene_source *source = NULL;
    iso_scene *scene = NULL;
    char why[2] = "";
    iso__log_divert(why, sizeof why);
    const bool is_read = load_scene_text(&setup, request) && read_scene(&setup, request, &source, &scene);
    iso__log_divert(NULL, 0);
    *hash = is_read ? iso_scene_hash(scene) : 0;
    iso_scene_free(scene);
    iso_scene_source_free(source);
    free(setup.scene_text);
    return is_read;
}

static bool resolve(const iso__options *options, const char *option, const char *host, uint16_t number,
                    iso__address *address) {
    char port[8];
    snprintf(port, sizeof port, "%u", number);
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV | AI_PASSIVE};
    struct addrinfo *found = NULL;
    int error = getaddrinfo(host, port, &hints, &found);
    if (error != 0) {
        iso__log_error("%s: '%s' is no address: %s", option, host, gai_strerror(error));
        return false;
    }
    iso__address first = iso__address_from_kernel(found->ai_addr);
    first.binds_mapped = found->ai_family == AF_INET6 && first.family == ISO__ADDRESS_IPV4;
    bool is_allowed = options->allow_plaintext || iso__address_is_loopback(&first);
    if (is_allowed) {
        *address = first;
    } else {
        iso__log_error("%s: '%s' is not a loopback address: others could read and change the traffic; "
                       "add --allow-plaintext to allow it, or listen on loopback behind a TLS proxy",
                       option, host);
    }
    freeaddrinfo(found);
    return is_allowed;
}

bool iso__setup_address(const iso__options *options, iso__address *address) {
    return resolve(options, "--tcp", options->tcp_host, options->tcp_port, address);
}

bool iso__setup_http_address(const iso__options *options, iso__address *address) {
    return !options->has_http || resolve(options, "--http", options->http_host, options->http_port, address);
}

bool iso__setup_admin_address(const iso__options *options, iso__address *address) {
    ISO_ASSERT(options->admin_path == NULL || strlen(options->admin_path) < ISO__SOCKET_PATH_MAX);
    if (!options->has_admin) {
        return true;
    }
    if (options->admin_path == NULL) {
        return resolve(options, "--admin", options->admin_host, options->admin_port, address);
    }
    *address = (iso__address){.family = ISO__ADDRESS_LOCAL, .path = options->admin_path};
    return true;
}

void iso__setup_term(iso__setup *setup, iso__memory *memory) {
    ISO_ASSERT(setup->world_memory != NULL || setup->world == NULL);
    iso_allocator allocator = iso__memory_world_allocator(memory);
    allocator.release(allocator.user, setup->world_memory, setup->world_size);
    iso__names_term(&setup->names);
    free(setup->scene_text);
}
