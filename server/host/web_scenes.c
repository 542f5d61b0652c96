/// GET /api/scenes: what POST /api/sessions takes as "scene", and whether the limits have room for it.
///
/// What a session needs is known when its world is there. So the maker builds all of them once, at the first request.
#include "host/web.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "isostep/proto/text.h"
#include "isostep/scenes.h"

#define LARGE_BODIES 1000u
#define TITLE_MAX    160u

static iso__web *web_of(iso__maker_job *job) {
    return (iso__web *)(void *)((char *)job - offsetof(iso__web, scenes.job));
}

/// The first sentences of its description, as many as fit, without the last full stop.
static void make_title(const iso_scene *scene, char title[TITLE_MAX]) {
    const char *text = scene->description;
    size_t size = strcspn(text, ".");
    for (const char *next = text + size; next[0] != '\0'; next += 1 + strcspn(next + 1, ".")) {
        const bool ends = next[1] == ' ' || next[1] == '\0';
        size = ends && next - text < (ptrdiff_t)TITLE_MAX ? (size_t)(next - text) : size;
    }
    snprintf(title, TITLE_MAX, "%.*s", (int)size, text);
}

static const char *kind_of(const iso_scene *scene) {
    return scene->game != NULL ? "game" : scene->body_count >= LARGE_BODIES ? "large" : "scene";
}

static void *allocate(void *user, size_t size, size_t alignment) {
    void *block = NULL;
    (void)user;
    return posix_memalign(&block, alignment, size) == 0 ? block : NULL;
}

static void release(void *user, void *block, size_t size) {
    (void)user;
    (void)size;
    free(block);
}

/// [bytes] A world that alone is above the limit is not built.
static uint64_t measure(const iso__hosted_config *config, const iso_scene *scene, size_t text_size) {
    const iso_allocator allocator = {allocate, release, NULL};
    const uint64_t world_size = iso_world_size(&scene->def, scene->game);
    iso_world *world = NULL;
    void *memory = NULL;
    uint64_t size = world_size;
    if (world_size <= (uint64_t)config->options->memory_mib << 20 &&
        iso_scene_create_world(scene, NULL, &allocator, &memory, &world, NULL) == ISO_OK)
        size = iso__hosted_measure(world, text_size, config);
    free(memory);
    return size;
}

static void print_scene(FILE *out, const iso__hosted_config *config, const iso_builtin_scene *builtin, bool is_first) {
    iso_scene *scene = NULL;
    char title[TITLE_MAX];
    // One whose game this program lacks cannot be hosted.
    if (iso_scene_parse(builtin->text, builtin->size, config->games, (uint32_t)config->game_count, &scene, NULL) !=
        ISO_OK)
        return;
    const uint64_t size = measure(config, scene, builtin->size);
    const bool fits = size <= (uint64_t)config->options->memory_mib << 20;
    make_title(scene, title);
    fprintf(out, "%s\n{\"name\":\"%s\",\"title\":", is_first ? "" : ",", builtin->name);
    iso_print_json_string(out, title);
    fprintf(out, ",\"bodies\":%" PRIu32 ",\"memory_mib\":%" PRIu64 ",\"kind\":\"%s\"%s}", scene->body_count,
            (size + (1u << 20) - 1) >> 20, kind_of(scene), fits ? "" : ",\"fits\":false");
    iso_scene_free(scene);
}

static void work(iso__maker_job *job) {
    iso__web *web = web_of(job);
    size_t count = 0;
    const iso_builtin_scene *list = iso_builtin_scene_list(&count);
    iso__web_text text;
    if (iso__web_text_begin(&text)) {
        fputs("{\"scenes\":[", text.out);
        for (size_t i = 0; i < count; ++i)
            print_scene(text.out, &web->config.made->config.hosted, &list[i], i == 0);
        fputs("\n]}\n", text.out);
    }
    web->scenes.list = iso__web_text_end(&text);
}

static void give(iso__web *web, iso__web_stream *stream, bool sends_body) {
    const iso__web_call call = {.web = web, .stream = stream, .sends_body = sends_body};
    iso__web_share(&call, ISO__WEB_JSON, web->scenes.list);
}

/// Answers all who have waited.
static void done(iso__maker_job *job) {
    iso__web *web = web_of(job);
    web->scenes.is_ready = web->scenes.list != NULL;
    web->scenes.is_asked = web->scenes.is_ready; // else it is tried again
    for (iso__stream *head = web->listener.tcp.base.first; head != NULL; head = head->next) {
        iso__web_stream *stream = iso__web_of(head);
        if (stream->has_upgraded || stream->user != &web->scenes)
            continue;
        stream->user = NULL;
        if (head->state == ISO__STREAM_OPEN)
            give(web, stream, true);
    }
}

void iso__web_scenes(const iso__web_call *call) {
    iso__web *web = call->web;
    if (web->scenes.is_ready || *web->config.is_ending || call->request->method == ISO__HTTP_HEAD) {
        // To HEAD the size of what is not there yet is not told.
        if (web->scenes.is_ready)
            give(web, call->stream, call->sends_body);
        else
            iso__web_busy(call);
        return;
    }
    call->stream->user = &web->scenes;
    iso__web_defer(call->stream);
    if (web->scenes.is_asked)
        return;
    web->scenes.is_asked = true;
    web->scenes.job = (iso__maker_job){.work = work, .done = done};
    iso__maker_push(web->config.maker, &web->scenes.job);
}
