/// GET /api/scenes: what POST /api/sessions takes as "scene", and whether the limits have room for it.
///
/// All scenes are read once, at the first request, by the session builder. What a session needs is known from its
/// scene, without its world: the same function refuses one that is asked for.
#include "host/start/scenes.h"
#include "host/web/web.h"

#include <inttypes.h>
#include <string.h>

#include "base/affinity.h"
#include "host/web/document.h"
#include "host/web/reply.h"
#include "isostep/proto/text.h"

#define LARGE_BODIES 1000u
#define TITLE_MAX    160u

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

static void print_scene(FILE *out, const iso__hosted_config *config, const iso_builtin_scene *builtin, bool is_first) {
    iso_scene *scene = NULL;
    char title[TITLE_MAX];
    // One whose game this program lacks cannot be hosted.
    if (iso_scene_parse(builtin->text, builtin->size, config->games, (uint32_t)config->game_count, &scene, NULL) !=
        ISO_OK) {
        return;
    }
    const uint64_t size = iso__hosted_measure(&scene->def, scene->game, builtin->size, config);
    const bool fits = size <= (uint64_t)config->options->memory_mib << 20;
    make_title(scene, title);
    fprintf(out, "%s\n{\"name\":\"%s\",\"title\":", is_first ? "" : ",", builtin->name);
    iso_print_json_string(out, title);
    fprintf(out,
            ",\"bodies\":%" PRIu32 ",\"memory_mib\":%" PRIu64 ",\"dimensions\":%u,\"kind\":\"%s\",\"game\":\"%s\"%s}",
            scene->body_count, iso__setup_mib(size), scene->def.dimensions, kind_of(scene),
            scene->game != NULL ? scene->game->name : "", fits ? "" : ",\"fits\":false");
    iso_scene_free(scene);
}

static iso__buffer *make(const iso__web *web) {
    iso_builtin_scene scene;
    iso__web_text text;
    if (iso__web_text_begin(&text)) {
        fputs("{\"scenes\":[", text.out);
        for (size_t i = 0; iso__scenes_at(i, &scene); ++i) {
            print_scene(text.out, &web->config.created->config.hosted, &scene, i == 0);
        }
        fputs("\n]}\n", text.out);
    }
    return iso__web_text_end(&text);
}

void iso__web_scenes(const iso__web_call *call) {
    ISO__ASSERT_ON(iso__web_io(call->web));
    iso__web_document *scenes = &call->web->scenes;
    // Without memory it is tried again.
    if (scenes->buffer != NULL) {
        iso__web_document_give(call, scenes);
    } else if (*call->web->config.is_ending) {
        iso__web_busy(call);
    } else {
        iso__web_document_make(call, scenes, make);
    }
}
