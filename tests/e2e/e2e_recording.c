/// Recordings for tests of the replay tool: what a session with one member would leave behind.
#include "e2e_recording.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../scene_world.h"
#include "e2e.h"
#include "isostep/games.h"
#include "isostep/proto/compression.h"

static void put_keyframe(e2e_recording *w, iso_world *world) {
    const size_t raw_size = iso_snapshot_size(world);
    uint8_t *raw = malloc(raw_size);
    uint8_t *stored = malloc(iso_compress_bound(raw_size));
    const uint64_t tick = iso_world_get_tick(world);
    const uint64_t root = iso_world_root(world);
    if (w->lie_keyframe_at == tick && tick != 0) {
        // Another state than the simulated one, but a sound one.
        assert_int_equal(iso_world_flip_bit(world), ISO_OK);
        assert_int_equal(iso_snapshot_encode(world, raw, raw_size), raw_size);
        assert_int_equal(iso_world_flip_bit(world), ISO_OK);
    } else {
        assert_int_equal(iso_snapshot_encode(world, raw, raw_size), raw_size);
    }
    const size_t stored_size = iso_compress(raw, raw_size, stored, iso_compress_bound(raw_size));
    const iso_recording_keyframe keyframe = {.tick = tick,
                                             .root = root,
                                             .raw_size = (uint32_t)raw_size,
                                             .stored_size = (uint32_t)stored_size,
                                             .ticks_offset = w->size};
    w->index[w->index_count++] = (iso_recording_index_entry){.tick = tick, .offset = w->size};
    w->size += iso_recording_encode_keyframe(&keyframe, stored, &w->chain, w->bytes + w->size, w->capacity - w->size);
    free(raw);
    free(stored);
}

/// The commands of a member that steers, builds and pushes.
static uint32_t make_commands(const e2e_recording *w, uint64_t tick, iso_sealed_command *commands) {
    uint32_t count = 0;
    memset(commands, 0, 2 * sizeof *commands);
    if (w->command != NULL && tick == 51) {
        commands[0] = (iso_sealed_command){.sequence = 2 * tick, .command = *w->command};
        return 1;
    }
    if (tick < 2 || w->command != NULL) {
        return 0;
    }
    if (tick % 4 == 2) {
        iso_sealed_command *command = &commands[count++];
        command->sequence = 2 * tick;
        command->command.kind = ISO_COMMAND_SET_CONTROL;
        command->command.as.set_control.size = 8;
        command->command.as.set_control.bytes[1] = tick % 200 < 100 ? 0x40 : 0xC0;
        command->command.as.set_control.bytes[4] = tick % 64 == 2;
    }
    if (tick == 51 && w->destroys != 0) {
        iso_sealed_command *command = &commands[count++];
        command->sequence = 2 * tick;
        command->command.kind = ISO_COMMAND_DESTROY_BODY;
        command->command.as.destroy_body.body = (iso_body_id){.index = w->destroys, .generation = 1};
    }
    if (tick % 30 == 7) {
        iso_sealed_command *command = &commands[count++];
        command->sequence = 2 * tick + 1;
        command->command.kind = ISO_COMMAND_SPAWN_BODY;
        command->command.as.spawn_body.body = iso_body_def_default();
        command->command.as.spawn_body.body.position =
            iso_vec2_to_wide((iso_vec2){(int32_t)(tick % 20) * ISO_FIX16_ONE, 8 * ISO_FIX16_ONE});
        command->command.as.spawn_body.shape = iso_shape_def_box(ISO_FIX16_ONE / 3, ISO_FIX16_ONE / 2);
    }
    return count;
}

static void put_event(e2e_recording *w, uint8_t kind, uint64_t tick, const char *name) {
    iso_recording_event event = {
        .kind = kind, .slot = 0, .slot_generation = 1, .about_tick = tick, .root = 0xABCD, .other_root = 0x1234};
    event.status = kind == ISO_RECORDING_EVENT_LEFT ? ISO_ERR_TIMEOUT : ISO_OK;
    strcpy(event.name, name);
    const size_t size = iso_recording_encode_event(&event, &w->chain, w->bytes + w->size, w->capacity - w->size);
    assert_true(size > 0);
    w->size += size;
}

static const char *member_name(const e2e_recording *w) {
    return w->name != NULL ? w->name : "Zo\xC3\xAB";
}

static void put_tick(e2e_recording *w, iso_world *world, uint64_t *roots, bool last) {
    const uint64_t now = iso_world_get_tick(world) + 1;
    if (w->has_events && now == 1) {
        put_event(w, ISO_RECORDING_EVENT_MEMBER, 0, member_name(w));
    } else if (w->has_events && now == 100) {
        put_event(w, ISO_RECORDING_EVENT_DESYNC, 100, "");
        put_event(w, ISO_RECORDING_EVENT_HEALED, 100, member_name(w));
    } else if (w->has_events && (now == 123 || now == 125)) {
        put_event(w, now == 123 ? ISO_RECORDING_EVENT_DROPPED : ISO_RECORDING_EVENT_RESUMED, now, member_name(w));
    } else if (w->has_events && last && now > 1) {
        put_event(w, ISO_RECORDING_EVENT_LEFT, now, "");
    }
    const bool leaves = w->has_events && last && now > 1;
    const uint8_t kind = now == 1                      ? ISO_CHANGE_JOIN
                         : leaves                      ? ISO_CHANGE_LEAVE
                         : w->has_events && now == 123 ? ISO_CHANGE_DROP
                         : w->has_events && now == 125 ? ISO_CHANGE_RESUME
                                                       : 0;
    const iso_change change = {.kind = kind, .slot = 0, .slot_generation = 1};
    iso_sealed_command commands[2];
    iso_recording_tick tick = {
        .input = {.tick = now, .changes = &change, .change_count = kind != 0, .commands = commands}};
    tick.input.command_count = leaves ? 0 : make_commands(w, now, commands);
    assert_int_equal(iso_world_step(world, &tick.input), ISO_OK);
    roots[now] = iso_world_root(world);
    tick.has_root = now > w->root_lag && now % w->root_every == 0;
    tick.hashed_tick = tick.has_root ? now - w->root_lag : 0;
    tick.root = roots[tick.hashed_tick] + (tick.hashed_tick == w->lie_root_at && w->lie_root_at != 0);
    const size_t size = iso_recording_encode_tick(&tick, &w->chain, w->bytes + w->size, w->capacity - w->size);
    assert_true(size > 0);
    w->size += size;
    if (now % 300 == 0) {
        put_keyframe(w, world);
    }
}

void e2e_recording_make(e2e_recording *w, const char *path, uint64_t ticks) {
    const iso_builtin_scene *builtin = iso_builtin_scene_find(w->scene != NULL ? w->scene : "sandbox");
    const iso_allocator allocator = iso_heap_allocator();
    iso_scene *scene = NULL;
    void *memory = NULL;
    iso_world *world = NULL;
    assert_int_equal(iso_scene_parse(builtin->text, builtin->size, iso_games, ISO_GAME_COUNT, &scene, NULL), ISO_OK);
    assert_int_equal(iso_scene_create_world(scene, NULL, &allocator, &memory, &world, NULL), ISO_OK);
    w->capacity = 8 << 20;
    w->bytes = malloc(w->capacity);
    w->root_every = w->root_every == 0 ? 1 : w->root_every;
    iso_recording_header header;
    memset(&header, 0, sizeof header);
    strcpy(header.session, "main");
    strcpy(header.scene_name, "sandbox");
    header.def = *iso_world_get_def(world);
    iso_fingerprint_make(&header.def, iso_world_get_game(world), &header.fingerprint);
    header.fingerprint.schema ^= w->lies_about_schema;
    header.scene = builtin->text;
    header.scene_size = (uint32_t)builtin->size;
    w->size = iso_recording_encode_head(&header, &w->chain, w->bytes, w->capacity);
    uint64_t *roots = calloc(ticks + 1, sizeof *roots);
    roots[0] = iso_world_root(world);
    put_keyframe(w, world);
    while (iso_world_get_tick(world) < ticks) {
        put_tick(w, world, roots, iso_world_get_tick(world) + 1 == ticks);
    }
    const iso_recording_footer footer = {.last_tick = ticks,
                                         .has_root = true,
                                         .root_tick = ticks,
                                         .root = roots[ticks],
                                         .entries = w->index,
                                         .entry_count = w->index_count};
    const size_t size =
        iso_recording_encode_end(&footer, w->size, &w->chain, w->bytes + w->size, w->capacity - w->size);
    FILE *out = fopen(path, "wb");
    assert_non_null(out);
    assert_int_equal(fwrite(w->bytes, 1, w->size + size, out), w->size + size);
    assert_int_equal(fclose(out), 0);
    free(roots);
    free(w->bytes);
    free(memory);
    iso_scene_free(scene);
}

uint64_t e2e_file_copy(const char *from, const char *to, uint64_t size, int64_t flip_at) {
    FILE *in = fopen(from, "rb");
    assert_non_null(in);
    uint8_t *bytes = malloc(8 << 20);
    const size_t whole = fread(bytes, 1, 8 << 20, in);
    fclose(in);
    if (flip_at >= 0) {
        assert_true((uint64_t)flip_at < whole);
        bytes[flip_at] ^= 4;
    }
    FILE *out = fopen(to, "wb");
    assert_non_null(out);
    const size_t wanted = size == 0 || size > whole ? whole : (size_t)size;
    assert_int_equal(fwrite(bytes, 1, wanted, out), wanted);
    fclose(out);
    free(bytes);
    return whole;
}
