/// What a program says of itself. See isostep/proto/version.h.
#include "isostep/proto/version.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "isostep/assert.h"
#include "isostep/isostep.h"

#if defined __clang__
#define COMPILER "clang " __clang_version__
#elif defined __GNUC__
#define COMPILER "gcc " __VERSION__
#else
#define COMPILER "an unknown compiler"
#endif

#if defined __x86_64__
#define PROCESSOR "x86-64"
#elif defined __aarch64__
#define PROCESSOR "aarch64"
#elif defined __arm__
#define PROCESSOR "arm"
#elif defined __riscv
#define PROCESSOR "riscv"
#elif defined __s390x__
#define PROCESSOR "s390x"
#elif defined __wasm__
#define PROCESSOR "wasm"
#else
#define PROCESSOR "an unknown processor"
#endif

#ifdef __OPTIMIZE__
#define OPTIMISED "optimised"
#else
#define OPTIMISED "not optimised"
#endif

typedef struct writer {
    char *text;
    size_t fill;
} writer;

__attribute__((format(printf, 2, 3))) static void put(writer *w, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const int size = vsnprintf(w->text + w->fill, ISO_VERSION_TEXT_SIZE - w->fill, format, arguments);
    va_end(arguments);
    w->fill += size > 0 ? (size_t)size : 0;
    w->fill = w->fill < ISO_VERSION_TEXT_SIZE ? w->fill : ISO_VERSION_TEXT_SIZE - 1;
}

/// The schema is that of a world with this game: a recording of one names the same.
static void put_game(writer *w, const iso_game *game) {
    const iso_world_def def = iso_world_def_default();
    iso_fingerprint fingerprint;
    iso_fingerprint_make(&def, game, &fingerprint);
    put(w, " %s %" PRIu32 " (schema %016" PRIx64 "),", game->name, game->version, fingerprint.schema);
}

// Of the program: see proto/commit.cmake.
extern const char iso__commit[] __attribute__((weak));

const char *iso_version_commit(void) {
    return iso__commit != NULL ? iso__commit : "";
}

/// The fingerprint of a world without a game.
static iso_fingerprint make_fingerprint(uint16_t dimensions) {
    iso_world_def def = iso_world_def_default();
    iso_fingerprint fingerprint;
    def.dimensions = dimensions;
    iso_fingerprint_make(&def, NULL, &fingerprint);
    return fingerprint;
}

void iso_version_build(const char *program, char *text, size_t capacity) {
    ISO_ASSERT(program != NULL && capacity > 0);
    const char *commit = iso_version_commit();
    snprintf(text, capacity, "%s " ISO__VERSION " (%s%s%" PRIu32 "/%" PRIu32 ")", program, commit,
             commit[0] != '\0' ? ", " : "", make_fingerprint(2).simulation_version,
             make_fingerprint(3).simulation_version);
}

static void put_simulation(writer *w, const char *where, uint16_t dimensions) {
    const iso_fingerprint fingerprint = make_fingerprint(dimensions);
    put(w, "%s version %" PRIu32 ", schema %016" PRIx64 " without a game, arithmetic %016" PRIx64 "\n", where,
        fingerprint.simulation_version, fingerprint.schema, fingerprint.arithmetic);
}

void iso_version_text(const char *program, const iso_game *const *games, size_t game_count,
                      char text[ISO_VERSION_TEXT_SIZE]) {
    ISO_ASSERT(program != NULL && (games != NULL || game_count == 0));
    writer w = {text, 0};
    put(&w, "%s " ISO__VERSION "\n", program);
    if (iso_version_commit()[0] != '\0') {
        put(&w, "commit       %s\n", iso_version_commit());
    }
    put(&w, "build        %s, %s, %u bits, %s\n", COMPILER, PROCESSOR, (unsigned)(8 * sizeof(void *)), OPTIMISED);
    put_simulation(&w, "simulation  ", 2);
    put_simulation(&w, "in space    ", 3);
    put(&w, "protocol     %d\n", ISO_PROTOCOL_VERSION);
    put(&w, "recordings   writes format %u, in space %u, reads %u to %u\n", (unsigned)ISO_RECORDING_VERSION,
        (unsigned)ISO_RECORDING_VERSION_SPACE, (unsigned)ISO_RECORDING_VERSION_MIN,
        (unsigned)ISO_RECORDING_VERSION_MAX);
    put(&w, "games       ");
    for (size_t i = 0; i < game_count; ++i) {
        put_game(&w, games[i]);
    }
    ISO_ASSERT(w.fill > 0 && w.fill < ISO_VERSION_TEXT_SIZE);
    w.text[w.fill - 1] = '\n';
}
