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

void iso_version_text(const char *program, const iso_game *const *games, size_t game_count,
                      char text[ISO_VERSION_TEXT_SIZE]) {
    ISO_ASSERT(program != NULL && (games != NULL || game_count == 0));
    writer w = {text, 0};
    const iso_world_def def = iso_world_def_default();
    iso_fingerprint fingerprint;
    iso_fingerprint_make(&def, NULL, &fingerprint);
    put(&w, "%s " ISO__VERSION "\n", program);
    put(&w, "build        %s, %s, %u bits, %s\n", COMPILER, PROCESSOR, (unsigned)(8 * sizeof(void *)), OPTIMISED);
    put(&w, "simulation   version %" PRIu32 ", schema %016" PRIx64 " without a game, arithmetic %016" PRIx64 "\n",
        fingerprint.simulation_version, fingerprint.schema, fingerprint.arithmetic);
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
