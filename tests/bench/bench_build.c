/// Reads and builds scenes that have one kind of thing many times: building.sh counts the instructions.
///
///   bench_build COUNT...    for each kind and count a line: kind, count, root of the world
///
/// Under callgrind a dump "KIND COUNT read" or "KIND COUNT build" has the instructions of each. Every element is
/// written out with a name of its own, as an editor writes a level.
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <valgrind/callgrind.h>

#include "isostep/games.h"
#include "isostep/heap.h"
#include "isostep/proto/scene.h"
#include "isostep/snapshot.h"

#define COUNT_MAX 16000u

/// X(name, dimensions, body, joint): what each body and each joint has; without joints NULL. A compound is four bodies.
#define BUILD_LIST(X)                                                                                             \
    X(static, 2, "\"type\":\"static\",\"shapes\":[{\"kind\":\"circle\",\"radius\":1,\"material\":\"m\"}]", NULL)  \
    X(joints, 2, "\"shapes\":[{\"kind\":\"circle\",\"radius\":1}]", "\"kind\":\"revolute\",\"at\":[0,0]")         \
    X(compounds, 2, NULL, NULL)                                                                                   \
    X(static3, 3, "\"type\":\"static\",\"shapes\":[{\"kind\":\"sphere\",\"radius\":1,\"material\":\"m\"}]", NULL) \
    X(joints3, 3, "\"shapes\":[{\"kind\":\"sphere\",\"radius\":1}]", "\"kind\":\"ball\",\"at\":[0,0,0]")

typedef struct build_kind {
    const char *name;
    int dimensions;
    const char *body, *joint;
} build_kind;

static const build_kind kinds[] = {
#define X(name, dimensions, body, joint) {#name, dimensions, body, joint},
    BUILD_LIST(X)
#undef X
};

typedef struct build_text {
    char *bytes;
    size_t size, capacity;
} build_text;

__attribute__((format(printf, 2, 3))) static void add(build_text *text, const char *format, ...) {
    va_list list;
    va_start(list, format);
    const int size = vsnprintf(text->bytes + text->size, text->capacity - text->size, format, list);
    va_end(list);
    text->size += (size_t)size;
    if (size < 0 || text->size >= text->capacity) {
        fputs("bench_build: no room for the text\n", stderr);
        exit(3);
    }
}

static void add_compounds(build_text *text, unsigned count) {
    static const char circle[] = "\"shapes\":[{\"kind\":\"circle\",\"radius\":1}]";
    add(text, "\"blueprints\":[{\"name\":\"p\",\"bodies\":[");
    for (int i = 0; i < 4; ++i) {
        add(text, "%s{\"name\":\"b%d\",%s%s}", i > 0 ? "," : "", i, i == 0 ? "\"type\":\"static\"," : "", circle);
    }
    add(text, "],\"joints\":[");
    for (int i = 0; i < 4; i += 2) {
        add(text, "%s{\"kind\":\"revolute\",\"body_a\":\"b%d\",\"body_b\":\"b%d\",\"at\":[0,0]}", i > 0 ? "," : "", i,
            i + 1);
    }
    add(text, "]}],\"compounds\":[");
    for (unsigned i = 0; i < count / 4; ++i) {
        add(text, "%s{\"blueprint\":\"p\",\"position\":[%u,0]}", i > 0 ? "," : "", i % 20);
    }
    add(text, "]}");
}

static void add_bodies(build_text *text, const build_kind *kind, unsigned count) {
    add(text, "\"materials\":{\"k\":{},\"l\":{},\"m\":{\"density\":2}},\"bodies\":[");
    for (unsigned i = 0; i < count; ++i) {
        add(text, "%s{\"name\":\"b%u\",\"position\":[%u,0%s],%s}", i > 0 ? "," : "", i, i % 20,
            kind->dimensions == 3 ? ",0" : "", kind->body);
    }
    add(text, "],\"joints\":[");
    for (unsigned i = 1; kind->joint != NULL && i < count; ++i) {
        add(text, "%s{\"name\":\"j%u\",\"body_a\":\"b%u\",\"body_b\":\"b%u\",%s}", i > 1 ? "," : "", i, i - 1, i,
            kind->joint);
    }
    add(text, "]}");
}

static void dump(const build_kind *kind, unsigned count, const char *what) {
    char name[64];
    snprintf(name, sizeof name, "%s %u %s", kind->name, count, what);
    CALLGRIND_DUMP_STATS_AT(name);
}

static bool build(const build_kind *kind, unsigned count, const build_text *text) {
    const iso_allocator allocator = iso_heap_allocator();
    iso_world *world = NULL;
    iso_scene *scene = NULL;
    void *memory = NULL;
    iso_scene_error error = {.expected = ""};
    CALLGRIND_ZERO_STATS;
    iso_status status = iso_scene_parse(text->bytes, text->size, iso_games, ISO_GAME_COUNT, &scene, &error);
    dump(kind, count, "read");
    if (status == ISO_OK) {
        CALLGRIND_ZERO_STATS;
        status = iso_scene_create_world(scene, NULL, &allocator, &memory, &world, &error);
        dump(kind, count, "build");
    }
    if (status == ISO_OK) {
        printf("%s %u %016" PRIx64 "\n", kind->name, count, iso_world_root(world));
    } else {
        fprintf(stderr, "bench_build: %s: %s, expected %s\n", error.path, iso_status_text(status), error.expected);
    }
    free(memory);
    iso_scene_free(scene);
    return status == ISO_OK;
}

int main(int argc, char **argv) {
    bool ok = argc > 1;
    for (int i = 1; i < argc; ++i) {
        const unsigned long count = strtoul(argv[i], NULL, 10);
        ok = ok && count >= 2 && count <= COUNT_MAX;
    }
    if (!ok) {
        fprintf(stderr, "usage: bench_build COUNT..., each from 2 to %u\n", COUNT_MAX);
        return 2;
    }
    build_text text = {.capacity = 1024 + 400u * COUNT_MAX};
    text.bytes = malloc(text.capacity);
    for (int i = 1; i < argc && text.bytes != NULL; ++i) {
        const unsigned count = (unsigned)strtoul(argv[i], NULL, 10);
        for (size_t n = 0; n < sizeof kinds / sizeof *kinds; ++n) {
            text.size = 0;
            add(&text, "{\"format\":1,\"name\":\"a\",\"dimensions\":%d,", kinds[n].dimensions);
            add(&text, "\"capacities\":{\"bodies\":%u,\"shapes\":%u,\"joints\":%u},", count, count, count);
            if (kinds[n].body == NULL) {
                add_compounds(&text, count);
            } else {
                add_bodies(&text, &kinds[n], count);
            }
            ok = build(&kinds[n], count, &text) && ok;
        }
    }
    ok = ok && text.bytes != NULL;
    free(text.bytes);
    return ok ? 0 : 3;
}
