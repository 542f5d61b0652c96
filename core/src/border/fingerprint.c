/// What must be equal in two builds for them to compute the same.
#include "base/hash.h"
#include "border/kernels.h"
#include "isostep/fixed.h"
#include "isostep/snapshot.h"
#include "state/schema.h"

/// Known answers of the arithmetic that the simulation relies on: a build whose compiler, processor or
/// library computes one of them otherwise has another digest and is refused before it desyncs. The arguments
/// are spread over all magnitudes; 64 rounds take about 10 us.
static uint64_t fingerprint_arithmetic(void) {
    iso__hasher hasher;
    iso__hasher_init(&hasher);
    uint64_t x = 1;
    for (uint32_t i = 0; i < 64; ++i) {
        x = x * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        const iso_wide a = (iso_wide)x >> (i % 32u);
        x = x * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        const iso_wide b = (iso_wide)x >> ((i * 7u) % 32u);
        const iso_rotation rotation = iso_rotation_make((uint32_t)(x >> 32));
        iso__hasher_add_number(&hasher, (uint32_t)rotation.c, 4);
        iso__hasher_add_number(&hasher, (uint32_t)rotation.s, 4);
        iso__hasher_add_number(&hasher, (uint64_t)iso_wide_mul(a, b), 8);
        iso__hasher_add_number(&hasher, (uint64_t)iso_wide_div(a, b), 8);
        iso__hasher_add_number(&hasher, (uint64_t)iso_wide_sqrt(a), 8);
        iso__hasher_add_number(&hasher, (uint64_t)iso_wide_hypot(a, b), 8);
        iso__hasher_add_number(&hasher, (uint64_t)iso_wide_atan2(a, b), 8);
        iso__hasher_add_number(&hasher, (uint64_t)iso_wide_exp(a >> 26), 8);
        iso__hasher_add_number(&hasher, (uint32_t)iso_fix16_mul((fix16_t)(a >> 32), (fix16_t)(b >> 40)), 4);
        iso__hasher_add_number(&hasher, (uint32_t)iso_fix16_div((fix16_t)(a >> 32), (fix16_t)(b >> 32)), 4);
        iso__hasher_add_number(&hasher, (uint32_t)iso_fix16_sqrt((fix16_t)(a >> 32)), 4);
    }
    return iso__hasher_get(&hasher);
}

static uint64_t fingerprint_schema(const iso__kernel *kernel, const iso_game *game) {
    iso__hasher hasher;
    iso__hasher_init(&hasher);
    iso__hasher_add_number(&hasher, iso__schema_core(kernel), 8);
    iso__hasher_add_number(&hasher, iso__schema_game(game), 8);
    return iso__hasher_get(&hasher);
}

static uint64_t fingerprint_params(const iso_world_def *def, const iso_game *game) {
    iso__hasher hasher;
    iso__hasher_init(&hasher);
    for (uint32_t i = 0; game != NULL && i < game->param_count && i < ISO_GAME_PARAMS_MAX; ++i) {
        iso__hasher_add_text(&hasher, game->params[i].name);
        iso__hasher_add_number(&hasher, (uint64_t)def->game_params[i], 8);
    }
    return iso__hasher_get(&hasher);
}

void iso_fingerprint_make(const iso_world_def *def, const iso_game *game, iso_fingerprint *fingerprint) {
    const iso__kernel *kernel = iso__kernel_of(def);
    if (kernel == NULL) {
        *fingerprint = (iso_fingerprint){0}; // no build's: what is of other worlds is refused
        return;
    }
    *fingerprint = (iso_fingerprint){
        .simulation_version = kernel->simulation_version,
        .schema = fingerprint_schema(kernel, game),
        .arithmetic = fingerprint_arithmetic(),
        .game_version = game != NULL ? game->version : 0,
        .game_params = fingerprint_params(def, game),
    };
    for (uint32_t i = 0; i < ISO_GAME_NAME_MAX && def->game[i] != 0; ++i) {
        fingerprint->game[i] = def->game[i];
    }
}

bool iso_fingerprint_equal(const iso_fingerprint *a, const iso_fingerprint *b) {
    for (uint32_t i = 0; i <= ISO_GAME_NAME_MAX; ++i) {
        if (a->game[i] != b->game[i]) {
            return false;
        }
        if (a->game[i] == 0) {
            break;
        }
    }
    return a->simulation_version == b->simulation_version && a->schema == b->schema && a->arithmetic == b->arithmetic &&
           a->game_version == b->game_version && a->game_params == b->game_params;
}
