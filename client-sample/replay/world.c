/// Worlds of the replay tool: made for a recording, put into its states, compared with them.
#include <stdlib.h>
#include <string.h>

#include "isostep/proto/diff_text.h"
#include "isostep/proto/environment.h"
#include "replay.h"

static iso_status check_fingerprint(const iso_recording_header *header, const iso_game *game) {
    iso_fingerprint own;
    iso_fingerprint_make(&header->def, game, &own);
    if (iso_fingerprint_equal(&own, &header->fingerprint)) {
        return ISO_OK;
    }
    const iso_fingerprint *theirs = &header->fingerprint;
    iso_print(stderr,
              "isostep-replay: the recording is of another version (build %s)\n"
              "  recorded: simulation %u, schema %016llx, arithmetic %016llx, game %s %u\n"
              "  this one: simulation %u, schema %016llx, arithmetic %016llx, game %s %u\n",
              header->build, theirs->simulation_version, (unsigned long long)theirs->schema,
              (unsigned long long)theirs->arithmetic, theirs->game, theirs->game_version, own.simulation_version,
              (unsigned long long)own.schema, (unsigned long long)own.arithmetic, own.game, own.game_version);
    // What else is in a state changes with the simulation's version.
    if (own.schema != theirs->schema && game != NULL && own.simulation_version == theirs->simulation_version) {
        iso_print(stderr, "  the fields of the state of the game '%s' have changed since it was recorded\n",
                  game->name);
    } else if (own.schema == theirs->schema && own.game_version == theirs->game_version &&
               own.game_params != theirs->game_params) {
        iso_print(stderr, "  the parameters of the game '%s' have changed since it was recorded\n", theirs->game);
    }
    return ISO_ERR_VERSION;
}

/// A world by this definition; NULL when it is bad or too large.
static iso_world *make_world(const iso_world_def *def, const iso_game *game, void **memory) {
    const size_t size = iso_world_size(def, game);
    if (size == 0 || size > REPLAY_WORLD_SIZE_MAX) {
        return NULL;
    }
    *memory = aligned_alloc(64, size);
    iso_world *world = NULL;
    if (*memory != NULL && iso_world_create(def, game, *memory, size, &world) != ISO_OK) {
        free(*memory);
        *memory = NULL;
    }
    if (*memory != NULL) {
        (void)iso_world_set_simd(world, iso_environment_simd());
    }
    return *memory != NULL ? world : NULL;
}

iso_status iso__replay_world_make(replay_world *world, const iso_recording *recording) {
    memset(world, 0, sizeof *world);
    const iso_world_def *def = &recording->header.def;
    const char *field = "";
    if (iso_world_def_check(def, &field) != ISO_OK) {
        iso_print(stderr, "isostep-replay: the recording's world definition is out of range: %s\n", field);
        return ISO_ERR_CORRUPT;
    }
    const iso_game *game = def->game[0] != 0 ? iso__replay_game_find(def->game) : NULL;
    if (def->game[0] != 0 && game == NULL) {
        return ISO_ERR_VERSION;
    }
    const iso_status status = check_fingerprint(&recording->header, game);
    if (status != ISO_OK) {
        return status;
    }
    world->world = make_world(def, game, &world->memory);
    if (world->world == NULL) {
        iso_print(stderr,
                  "isostep-replay: a world of this definition could not be made: it needs %zu bytes of memory\n",
                  iso_world_size(def, game));
        return ISO_ERR_MEMORY;
    }
    return ISO_OK;
}

void iso__replay_world_free(replay_world *world) {
    free(world->memory);
    free(world->snapshot);
    memset(world, 0, sizeof *world);
}

/// Makes room for a keyframe's state and for the world's own behind it.
static iso_status reserve(replay_world *world, size_t size) {
    if (size <= world->snapshot_capacity) {
        return ISO_OK;
    }
    uint8_t *bytes = realloc(world->snapshot, size);
    if (bytes == NULL) {
        iso_print(stderr, "isostep-replay: there is no memory for a state of %zu bytes\n", size);
        return ISO_ERR_MEMORY;
    }
    world->snapshot = bytes;
    world->snapshot_capacity = size;
    return ISO_OK;
}

iso_status iso__replay_world_read(replay_world *world, const iso_recording *recording,
                                  const iso_recording_keyframe *keyframe) {
    const iso_status status = reserve(world, keyframe->raw_size);
    return status == ISO_OK ? iso_recording_load_keyframe(recording, keyframe, world->snapshot) : status;
}

iso_status iso__replay_world_load(replay_world *world, const iso_recording *recording,
                                  const iso_recording_keyframe *keyframe) {
    iso_status status = iso__replay_world_read(world, recording, keyframe);
    if (status == ISO_OK) {
        status = iso_snapshot_decode(world->world, world->snapshot, keyframe->raw_size);
    }
    if (status == ISO_OK && iso_world_get_tick(world->world) != keyframe->tick) {
        status = ISO_ERR_CORRUPT;
    }
    return status;
}

iso_status iso__replay_world_compare(replay_world *world, const iso_recording *recording,
                                     const iso_recording_keyframe *keyframe) {
    const size_t own_size = iso_snapshot_size(world->world);
    iso_status status = reserve(world, (size_t)keyframe->raw_size + own_size);
    if (status != ISO_OK) {
        return status;
    }
    status = iso_recording_load_keyframe(recording, keyframe, world->snapshot);
    if (status != ISO_OK) {
        return status;
    }
    uint8_t *own = world->snapshot + keyframe->raw_size;
    const size_t written = iso_snapshot_encode(world->world, own, own_size);
    return written == keyframe->raw_size && memcmp(own, world->snapshot, written) == 0 ? ISO_OK : ISO_ERR_DESYNC;
}

void iso__replay_world_print_diff(iso_world *a, iso_world *b, const char *const names[2]) {
    iso_diff diffs[8];
    const uint32_t count = iso_world_diff(a, b, diffs, sizeof diffs / sizeof diffs[0]);
    for (uint32_t i = 0; i < count; ++i) {
        const iso_diff *diff = &diffs[i];
        char place[ISO_DIFF_TEXT_SIZE], values[2][ISO_DIFF_TEXT_SIZE];
        iso_print(stderr, "  %s: %s %s, %s %s\n", iso_diff_place_text(diff, place), names[0],
                  iso_diff_value_text(diff->field, diff->value_a, values[0]), names[1],
                  iso_diff_value_text(diff->field, diff->value_b, values[1]));
    }
}

void iso__replay_world_explain(replay_world *world, const iso_recording *recording,
                               const iso_recording_keyframe *keyframe) {
    replay_world other = {0};
    const iso_world_def *def = iso_world_get_def(world->world);
    other.world = make_world(def, iso_world_get_game(world->world), &other.memory);
    if (other.world == NULL || iso__replay_world_load(&other, recording, keyframe) != ISO_OK) {
        iso_print(stderr, "  the recorded state cannot be loaded\n");
    } else {
        iso__replay_world_print_diff(other.world, world->world, (const char *const[]){"recorded", "computed"});
    }
    iso__replay_world_free(&other);
}
