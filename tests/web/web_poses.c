/// What a server sends of a world of known motions: web_poses DIMENSIONS TICKS FILE
///
/// WELCOME, SNAPSHOT_BEGIN, its chunks, an ACTIVATE for a spectator, then TICKs. FILE has each envelope behind its size
/// in 4 bytes, little endian. The bodies, all of them kinematic, so that nothing but their velocities moves them:
///   1  flies on a straight line, and turns about an axis
///   2  is at rest
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isostep/body3.h"
#include "isostep/games.h"
#include "isostep/isostep.h"
#include "isostep/proto/codec.h"
#include "isostep/snapshot.h"

#define CHUNK_SIZE 4096u
#define METRE      ISO_WIDE_ONE

static _Alignas(16) uint8_t scratch[ISO_ENCODE_MEMORY_SIZE];

static bool put(FILE *file, const iso_message *message) {
    static uint8_t bytes[ISO_FRAME_MAX_SERVER];
    size_t size = 0;
    const iso_status status = iso_message_encode(message, scratch, sizeof scratch, bytes, sizeof bytes, &size);
    if (status != ISO_OK) {
        fprintf(stderr, "message %u: status %d\n", message->kind, (int)status);
        return false;
    }
    const uint8_t head[4] = {(uint8_t)size, (uint8_t)(size >> 8), (uint8_t)(size >> 16), 0};
    return fwrite(head, 1, 4, file) == 4 && fwrite(bytes, 1, size, file) == size;
}

static bool fill_plane(iso_world *world) {
    iso_body_id id;
    iso_body_def def = iso_body_def_default();
    def.type = ISO_BODY_KINEMATIC;
    def.position = (iso_vec2_wide){-10 * METRE, 2 * METRE};
    def.velocity = (iso_vec2_wide){15 * METRE / 4, -15 * METRE / 8};
    def.angle = METRE / 2;
    def.angular_velocity = 3 * METRE;
    const bool made = iso_body_create(world, &def, &id) == ISO_OK;
    def = iso_body_def_default();
    def.type = ISO_BODY_KINEMATIC;
    def.position = (iso_vec2_wide){5 * METRE, 5 * METRE};
    return made && iso_body_create(world, &def, &id) == ISO_OK;
}

static bool fill_space(iso_world *world) {
    iso_body_id id;
    iso_body3_def def = iso_body3_def_default();
    def.type = ISO_BODY_KINEMATIC;
    def.position = (iso_vec3_wide){-10 * METRE, 2 * METRE, 3 * METRE};
    def.velocity = (iso_vec3_wide){15 * METRE / 4, -15 * METRE / 8, 15 * METRE / 2};
    def.angular_velocity = (iso_vec3_wide){2 * METRE, -1 * METRE, 2 * METRE}; // 3 rad/s
    const bool made = iso_body3_create(world, &def, &id) == ISO_OK;
    def = iso_body3_def_default();
    def.type = ISO_BODY_KINEMATIC;
    def.position = (iso_vec3_wide){5 * METRE, 5 * METRE, 5 * METRE};
    return made && iso_body3_create(world, &def, &id) == ISO_OK;
}

static iso_message welcome_to(const iso_world *world, const iso_game *game) {
    iso_message m = {.kind = ISO_MESSAGE_WELCOME};
    iso_message_welcome *w = &m.as.welcome;
    w->protocol = ISO_PROTOCOL_VERSION;
    memcpy(w->session, "main", 5);
    memset(w->uid, 0x55, sizeof(w->uid));
    w->epoch = 1;
    w->hold_ms = 45000;
    w->late_policy = ISO_LATE_MOVE;
    w->state = ISO_SESSION_RUNNING;
    w->resumed = ISO_RESUMED_NEW;
    w->role = ISO_ROLE_SPECTATOR;
    w->slot = ISO_SLOT_NONE;
    w->tick = iso_world_get_tick(world);
    w->tick_rate_hz = iso_world_get_def(world)->tick_rate_hz;
    w->limits = (iso_member_limits){4, 32, 120, 8, 16384};
    iso_fingerprint_make(iso_world_get_def(world), game, &w->fingerprint);
    return m;
}

static bool put_snapshot(FILE *file, iso_world *world) {
    const uint32_t size = (uint32_t)iso_snapshot_size(world);
    uint8_t *bytes = malloc(size);
    bool done = bytes != NULL && iso_snapshot_encode(world, bytes, size) == size;
    iso_message m = {.kind = ISO_MESSAGE_SNAPSHOT_BEGIN};
    m.as.snapshot_begin = (iso_message_snapshot_begin){.tick = iso_world_get_tick(world),
                                                       .epoch = 1,
                                                       .raw_size = size,
                                                       .size = size,
                                                       .compression = ISO_COMPRESSION_NONE,
                                                       .chunk_count = (size + CHUNK_SIZE - 1) / CHUNK_SIZE,
                                                       .chunk_size = CHUNK_SIZE,
                                                       .root = iso_world_root(world)};
    done = done && put(file, &m);
    for (uint32_t at = 0, index = 0; done && at < size; at += CHUNK_SIZE, ++index) {
        m = (iso_message){.kind = ISO_MESSAGE_SNAPSHOT_CHUNK};
        m.as.snapshot_chunk.index = index;
        m.as.snapshot_chunk.bytes = bytes + at;
        m.as.snapshot_chunk.size = size - at < CHUNK_SIZE ? size - at : CHUNK_SIZE;
        done = put(file, &m);
    }
    free(bytes);
    return done;
}

static bool put_ticks(FILE *file, iso_world *world, uint32_t count) {
    iso_message m = {.kind = ISO_MESSAGE_ACTIVATE};
    m.as.activate = (iso_message_activate){.slot = ISO_SLOT_NONE, .join_tick = iso_world_get_tick(world)};
    bool done = put(file, &m);
    for (uint32_t i = 0; done && i < count; ++i) {
        done = iso_world_step_empty(world) == ISO_OK;
        m = (iso_message){.kind = ISO_MESSAGE_TICK};
        m.as.tick.epoch = 1;
        m.as.tick.tick = m.as.tick.hashed_tick = iso_world_get_tick(world);
        m.as.tick.root = iso_world_root(world);
        done = done && put(file, &m);
    }
    return done;
}

int main(int argc, char **argv) {
    if (argc != 4) {
        fprintf(stderr, "usage: web_poses DIMENSIONS TICKS FILE\n");
        return 2;
    }
    iso_world_def def = iso_world_def_default();
    def.dimensions = (uint16_t)atoi(argv[1]);
    const iso_game *game = def.dimensions == 3 ? &iso_game_sandbox3 : &iso_game_sandbox;
    memcpy(def.game, game->name, strlen(game->name));
    for (uint32_t i = 0; i < game->param_count; ++i) {
        def.game_params[i] = game->params[i].value;
    }
    const size_t size = iso_world_size(&def, game);
    void *memory = aligned_alloc(64, size);
    iso_world *world = NULL;
    FILE *file = fopen(argv[3], "wb");
    bool done = file != NULL && memory != NULL && iso_world_create(&def, game, memory, size, &world) == ISO_OK &&
                (def.dimensions == 3 ? fill_space : fill_plane)(world);
    if (done) {
        iso_world_start(world);
        const iso_message welcome = welcome_to(world, game);
        done = put(file, &welcome) && put_snapshot(file, world) && put_ticks(file, world, (uint32_t)atoi(argv[2]));
    }
    done = file != NULL && fclose(file) == 0 && done;
    free(memory);
    return done ? 0 : 1;
}
