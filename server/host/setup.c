/// From options to a world and an address. Runs once, before there is any thread.
#include "host/setup.h"

#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/log.h"
#include "isostep/scenes.h"

static void log_scene_names(const char *wanted)
{
    char names[600] = "";
    size_t count = 0, fill = 0;
    const iso_builtin_scene *list = iso_builtin_scene_list(&count);
    for (size_t i = 0; i < count && fill < sizeof names - 1; i++) {
        int size = snprintf(names + fill, sizeof names - fill, "%s%s", i == 0 ? "" : ", ", list[i].name);
        fill += size > 0 ? (size_t)size : 0;
    }
    iso__log("isostep-server: --scene: there is no scene or file '%s'; the scenes are: %s", wanted, names);
}

/// Reads a whole file, one byte more than a scene may have, so that a larger one is noticed.
static bool read_scene_file(iso__setup *setup, const char *path)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        if (errno == ENOENT)
            log_scene_names(path);
        else
            iso__log("isostep-server: --scene: '%s' cannot be opened: %s", path, strerror(errno));
        return false;
    }
    setup->scene_text = malloc(ISO_SCENE_SIZE_MAX + 1);
    if (setup->scene_text != NULL)
        setup->scene_size = fread(setup->scene_text, 1, ISO_SCENE_SIZE_MAX + 1, file);
    bool is_read = setup->scene_text != NULL && !ferror(file);
    if (!is_read)
        iso__log("isostep-server: --scene: '%s' cannot be read: %s", path, strerror(errno));
    fclose(file);
    return is_read;
}

static bool load_scene_text(iso__setup *setup, const char *name)
{
    const iso_builtin_scene *builtin = iso_builtin_scene_find(name);
    if (builtin == NULL)
        return read_scene_file(setup, name);
    setup->scene_text = malloc(builtin->size + 1);
    if (setup->scene_text == NULL) {
        iso__log("isostep-server: out of memory");
        return false;
    }
    memcpy(setup->scene_text, builtin->text, builtin->size);
    setup->scene_size = builtin->size;
    return true;
}

static bool report_scene_error(const char *name, iso_status status, const iso_scene_error *error)
{
    char text[800];
    if (status == ISO_ERR_SCENE_INVALID)
        iso_scene_error_format(error, text, sizeof text);
    else
        snprintf(text, sizeof text, "%s", iso_status_text(status));
    iso__log("isostep-server: --scene: '%s': %s", name, text);
    return false;
}

static bool report_world_error(const iso__options *options, const iso_world_def *def, iso_status status, const iso__memory *memory)
{
    const char *field = NULL;
    if (status == ISO_ERR_RANGE && iso_world_def_check(def, &field) != ISO_OK)
        iso__log("isostep-server: --scene, --tick-rate: %s is out of range", field != NULL ? field : "a world parameter");
    else if (status == ISO_ERR_MEMORY)
        iso__log("isostep-server: --scene: '%s' needs more than the %zu MiB that a session may have", options->scene, memory->limit >> 20);
    else
        iso__log("isostep-server: --scene: '%s': %s", options->scene, iso_status_text(status));
    return false;
}

bool iso__setup_world(iso__setup *setup, const iso__options *options, const iso_game *const *games, size_t game_count,
                      iso__memory *memory)
{
    if (!load_scene_text(setup, options->scene))
        return false;
    iso_scene_error error;
    iso_status status = iso_scene_parse(setup->scene_text, setup->scene_size, games, (uint32_t)game_count, &setup->scene, &error);
    if (status != ISO_OK)
        return report_scene_error(options->scene, status, &error);

    iso_world_def def = *iso_scene_def(setup->scene);
    if (options->tick_rate_hz != 0)
        def.tick_rate_hz = options->tick_rate_hz;
    if (options->has_seed)
        def.seed = options->seed;
    iso_allocator allocator = iso__memory_allocator(memory);
    setup->world_size = iso_world_size(&def, setup->scene->game);
    status = iso_scene_create_world(setup->scene, &def, &allocator, &setup->world_memory, &setup->world, &error);
    if (status == ISO_ERR_SCENE_INVALID)
        return report_scene_error(options->scene, status, &error);
    return status == ISO_OK || report_world_error(options, &def, status, memory);
}

static bool is_loopback(const struct sockaddr *address)
{
    if (address->sa_family == AF_INET)
        return ntohl(((const struct sockaddr_in *)(const void *)address)->sin_addr.s_addr) >> 24 == 127;
    const struct in6_addr *in6 = &((const struct sockaddr_in6 *)(const void *)address)->sin6_addr;
    return IN6_IS_ADDR_LOOPBACK(in6) || (IN6_IS_ADDR_V4MAPPED(in6) && in6->s6_addr[12] == 127);
}

bool iso__setup_address(iso__setup *setup, const iso__options *options)
{
    char port[8];
    snprintf(port, sizeof port, "%u", options->tcp_port);
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV | AI_PASSIVE};
    struct addrinfo *found = NULL;
    int error = getaddrinfo(options->tcp_host, port, &hints, &found);
    if (error != 0) {
        iso__log("isostep-server: --tcp: '%s' is no address: %s", options->tcp_host, gai_strerror(error));
        return false;
    }
    bool is_allowed = options->allow_plaintext || is_loopback(found->ai_addr);
    if (is_allowed)
        memcpy(&setup->address, found->ai_addr, found->ai_addrlen);
    else
        iso__log("isostep-server: --tcp: '%s' is not a loopback address: others could read and change the traffic; "
                 "add --allow-plaintext if that is meant, or listen on loopback behind a TLS proxy",
                 options->tcp_host);
    freeaddrinfo(found);
    return is_allowed;
}

void iso__setup_term(iso__setup *setup, iso__memory *memory)
{
    iso_allocator allocator = iso__memory_allocator(memory);
    allocator.release(allocator.user, setup->world_memory, setup->world_size);
    iso_scene_free(setup->scene);
    free(setup->scene_text);
}
