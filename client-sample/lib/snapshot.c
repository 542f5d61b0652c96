#include "snapshot.h"

#include "actions.h"
#include "display.h"
#include "end.h"
#include "games.h"
#include "images.h"
#include "invariants.h"
#include "predict.h"
#include "ticks.h"

void iso__client_snapshot_release(iso_client *client) {
    ISO_ASSERT((client->snapshot.bytes == 0) == (client->snapshot.size == 0));
    iso__client_snapshot *snapshot = &client->snapshot;
    if (snapshot->bytes != 0) {
        client->allocator.release(client->allocator.user, snapshot->bytes, snapshot->size);
    }
    *snapshot = (iso__client_snapshot){0};
}

void iso__client_world_drop(iso_client *client) {
    ISO_ASSERT(client->world == 0 || client->world_memory != 0);
    iso__client_predict_destroy(client);
    iso__client_display_destroy(client);
    iso_sync_test_term(&client->sync_test);
    iso__client_images_term(&client->images, &client->allocator);
    if (client->world_memory != 0) {
        client->allocator.release(client->allocator.user, client->world_memory, client->world_size);
    }
    client->world_memory = 0;
    client->world = 0;
}

/// This message is not trusted yet: all its numbers come from the peer.
static bool begin_is_consistent(const iso_message_snapshot_begin *begin) {
    if (begin->size == 0 || begin->raw_size == 0 || begin->chunk_size == 0 ||
        begin->chunk_size > ISO_SNAPSHOT_CHUNK_SIZE) {
        return false;
    }
    if (begin->compression == ISO_COMPRESSION_NONE && begin->size != begin->raw_size) {
        return false;
    }
    const uint64_t chunks = ((uint64_t)begin->size + begin->chunk_size - 1u) / begin->chunk_size;
    return begin->chunk_count == chunks && begin->tick < ISO_TICK_END;
}

void iso__client_snapshot_begin(iso_client *client, const iso_message_snapshot_begin *begin) {
    ISO_ASSERT(iso__client_fits(client));
    const bool expected = client->is_healing || (client->phase == ISO_CLIENT_PHASE_SNAPSHOT && !client->is_rewinding);
    if (!expected || client->snapshot.is_active) {
        iso__client_fail(client, ISO_ERR_STATE, "the server began a snapshot that was not expected now");
        return;
    }
    if (begin->compression != ISO_COMPRESSION_NONE && begin->compression != ISO_COMPRESSION_ZSTD) {
        iso__client_fail(client, ISO_ERR_BAD_ENUM, "the snapshot's compression is unknown");
        return;
    }
    if (!begin_is_consistent(begin) || begin->epoch != client->welcome.epoch) {
        iso__client_fail(client, ISO_ERR_MALFORMED, "the snapshot's sizes contradict each other");
        return;
    }
    iso__client_snapshot *snapshot = &client->snapshot;
    if (client->verify) {
        if (begin->size > client->snapshot_size_max || begin->raw_size > client->snapshot_size_max) {
            iso__client_fail(client, ISO_ERR_MEMORY, "the snapshot is larger than this client allows");
            return;
        }
        snapshot->bytes = client->allocator.allocate(client->allocator.user, begin->size, 16);
        if (snapshot->bytes == 0) {
            iso__client_fail(client, ISO_ERR_MEMORY, "there is no memory for the snapshot");
            return;
        }
        snapshot->size = begin->size;
    }
    snapshot->is_active = true;
    snapshot->begin = *begin;
}

/// Creates a world for the state that the snapshot's head describes.
static iso_status world_make(iso_client *client, const iso_world_def *def, const char **text) {
    client->game = def->game[0] != 0 ? iso__client_games_find(client, def->game) : 0;
    if (def->game[0] != 0 && client->game == 0) {
        *text = iso__client_games_unknown(client, def->game);
        return ISO_ERR_UNKNOWN_NAME;
    }
    iso_fingerprint own;
    iso_fingerprint_make(def, client->game, &own);
    if (!iso_fingerprint_equal(&own, &client->welcome.fingerprint)) {
        *text = "this program would not compute what the session computes";
        return ISO_ERR_FINGERPRINT;
    }
    const size_t world_size = iso_world_size(def, client->game);
    *text = "the session's world is larger than this client allows, or there is no memory for it";
    if (world_size == 0 || world_size == SIZE_MAX || world_size > client->world_size_max) {
        return ISO_ERR_MEMORY;
    }
    client->world_memory = client->allocator.allocate(client->allocator.user, world_size, 64);
    if (client->world_memory == 0) {
        return ISO_ERR_MEMORY;
    }
    client->world_size = world_size;
    iso_status status = iso_world_create(def, client->game, client->world_memory, world_size, &client->world);
    if (status == ISO_OK) {
        status = iso_world_set_simd(client->world, client->simd);
    }
    if (status != ISO_OK) {
        *text = "the snapshot's definition of the world is refused";
        return status;
    }
    const bool predicts = client->predict_frames > 0;
    if (!iso__client_images_init(&client->images, &client->allocator, client->world, client->image_memory, predicts) ||
        (predicts && !iso__client_predict_create(client)) ||
        ((predicts || client->interpolate) && !iso__client_display_create(client))) {
        *text = "there is no memory for images of the world, its prediction or its display";
        return ISO_ERR_MEMORY;
    }
    return ISO_OK;
}

/// Brings the world into the snapshot's state; there is none yet when the client joins.
static iso_status world_set(iso_client *client, const uint8_t *bytes, size_t size, const char **text) {
    const iso_message_snapshot_begin *begin = &client->snapshot.begin;
    iso_world_def def;
    uint64_t tick;
    iso_status status = iso_snapshot_read_def(bytes, size, &def, &tick);
    *text = "the snapshot's head could not be read";
    if (status != ISO_OK) {
        return status;
    }
    if (tick != begin->tick || def.tick_rate_hz != client->welcome.tick_rate_hz) {
        *text = "the snapshot is not the one that was announced";
        return ISO_ERR_CORRUPT;
    }
    if (client->world == 0) {
        status = world_make(client, &def, text);
        if (status != ISO_OK) {
            iso__client_world_drop(client);
            return status;
        }
    }
    status = iso_snapshot_decode(client->world, bytes, size);
    if (status != ISO_OK) {
        *text = "the snapshot could not be decoded";
    } else if (iso_world_root(client->world) != begin->root) {
        *text = "the snapshot's root is not the one that was announced";
        status = ISO_ERR_CORRUPT;
    }
    if (status != ISO_OK) {
        iso__client_world_drop(client); // it must not be mistaken for the session's
        return status;
    }
    iso__client_display_cut(client);
    // Older images belong to a history that may be another one.
    iso__client_images_drop_all(&client->images);
    iso__client_images_save(&client->images, client->world, tick, begin->root);
    return ISO_OK;
}

/// The state is there: ticks may come.
static void snapshot_finish(iso_client *client, const uint8_t *bytes, size_t size) {
    const uint64_t tick = client->snapshot.begin.tick;
    const uint64_t root = client->snapshot.begin.root;
    if (client->verify) {
        const char *text = 0;
        const iso_status status = world_set(client, bytes, size, &text);
        if (status != ISO_OK) {
            iso__client_fail(client, status, text);
            return;
        }
    }
    iso__client_snapshot_release(client);
    client->tick_epoch = client->welcome.epoch;
    const bool healed = client->is_healing;
    if (healed) {
        iso__client_ticks_heal(client, tick, root);
    }
    // A member stays one; a joiner is not where it was.
    if (!healed || client->phase != ISO_CLIENT_PHASE_ACTIVE) {
        iso__client_ticks_begin(client, tick, root);
    }
}

void iso__client_snapshot_chunk(iso_client *client, const iso_message_snapshot_chunk *chunk) {
    ISO_ASSERT(client->snapshot.fill <= client->snapshot.begin.size);
    ISO_ASSERT(client->snapshot.next_chunk <= client->snapshot.begin.chunk_count);
    iso__client_snapshot *snapshot = &client->snapshot;
    if (!snapshot->is_active || snapshot->is_decompressing) {
        iso__client_fail(client, ISO_ERR_STATE, "a piece of a snapshot came without a snapshot");
        return;
    }
    const iso_message_snapshot_begin *begin = &snapshot->begin;
    const bool last = snapshot->next_chunk + 1u == begin->chunk_count;
    const size_t expected = last ? begin->size - snapshot->fill : begin->chunk_size;
    if (chunk->index != snapshot->next_chunk || chunk->size != expected) {
        iso__client_fail(client, ISO_ERR_MALFORMED, "a piece of the snapshot has another index or size than expected");
        return;
    }
    if (snapshot->bytes != 0) {
        __builtin_memcpy(snapshot->bytes + snapshot->fill, chunk->bytes, chunk->size);
    }
    snapshot->fill += chunk->size;
    snapshot->next_chunk += 1;
    iso__client_action_push_message(client, ISO_MESSAGE_SNAPSHOT_ACK)->as.snapshot_ack.index = chunk->index;
    if (!last) {
        return;
    }
    if (!client->verify || begin->compression == ISO_COMPRESSION_NONE) {
        snapshot_finish(client, snapshot->bytes, snapshot->fill);
        return;
    }
    snapshot->is_decompressing = true;
    iso_client_action *action = iso__client_action_push(client, ISO_CLIENT_ACTION_DECOMPRESS);
    action->bytes = snapshot->bytes;
    action->size = snapshot->fill;
    action->raw_size = begin->raw_size;
}

void iso__client_snapshot_decompressed(iso_client *client, iso_status status, const uint8_t *bytes, size_t size) {
    // Asked for once, answered once: anything else is the caller's mistake.
    ISO_ASSERT(client->snapshot.is_decompressing);
    if (status == ISO_ERR_MEMORY) {
        iso__client_fail(client, ISO_ERR_MEMORY, "there is no memory to decompress the snapshot");
        return;
    }
    if (status != ISO_OK || size != client->snapshot.begin.raw_size) {
        iso__client_fail(client, ISO_ERR_CORRUPT, "the snapshot could not be decompressed to the announced size");
        return;
    }
    snapshot_finish(client, bytes, size);
}
