/// The recording of a simulation. It has no members and no session, so its identity comes from what it simulates:
/// the same scene gives the same file.
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "isostep/proto/compression.h"
#include "simulate.h"

static bool fail(const replay_record *record) {
    fprintf(stderr, "isostep-replay: %s: it could not be written: %s\n", record->path, strerror(errno));
    return false;
}

static bool append(replay_record *record, size_t size) {
    if (size == 0) {
        errno = EOVERFLOW;
        return fail(record);
    }
    if (fwrite(record->frame, 1, size, record->out) != size) {
        return fail(record);
    }
    record->offset += size;
    return true;
}

/// Makes room for a state of this size in all buffers; states grow with what is in the world.
static bool reserve(replay_record *record, size_t snapshot_size) {
    if (snapshot_size > record->snapshot_capacity) {
        free(record->snapshot);
        free(record->stored);
        free(record->frame);
        record->snapshot_capacity = snapshot_size + snapshot_size / 4;
        record->stored_capacity = iso_compress_bound(record->snapshot_capacity);
        record->frame_capacity = iso_recording_keyframe_bound(record->stored_capacity) +
                                 iso_recording_head_bound(ISO_RECORDING_SCENE_SIZE_MAX) +
                                 iso_recording_end_bound(ISO_RECORDING_INDEX_MAX) + ISO_RECORDING_TICK_FRAME_MAX;
        record->snapshot = malloc(record->snapshot_capacity);
        record->stored = malloc(record->stored_capacity);
        record->frame = malloc(record->frame_capacity);
    }
    if (record->snapshot == NULL || record->stored == NULL || record->frame == NULL) {
        record->snapshot_capacity = 0;
        errno = ENOMEM;
        return fail(record);
    }
    return true;
}

static bool append_keyframe(replay_record *record, iso_world *world) {
    const size_t capacity = iso_snapshot_size(world);
    if (!reserve(record, capacity)) {
        return false;
    }
    const size_t raw_size = iso_snapshot_encode(world, record->snapshot, capacity);
    const size_t stored_size = iso_compress(record->snapshot, raw_size, record->stored, record->stored_capacity);
    const bool first = record->index_count == 0;
    const iso_recording_keyframe keyframe = {
        .tick = iso_world_get_tick(world),
        .root = iso_world_root(world),
        .raw_size = (uint32_t)raw_size,
        .stored_size = (uint32_t)stored_size,
        .ticks_offset = first ? record->offset : record->tick_end,
    };
    if (record->index_count < ISO_RECORDING_INDEX_MAX) {
        record->index[record->index_count++] =
            (iso_recording_index_entry){.tick = keyframe.tick, .offset = record->offset};
    }
    return append(record,
                  iso_recording_encode_keyframe(&keyframe, record->stored, record->frame, record->frame_capacity));
}

static void make_header(iso_recording_header *header, const iso_world *world, const iso_scene *scene) {
    memset(header, 0, sizeof *header);
    header->def = *iso_world_get_def(world);
    header->epoch = 1;
    strncpy(header->build, "isostep-replay simulate", sizeof header->build - 1);
    strncpy(header->session, "simulate", sizeof header->session - 1);
    strncpy(header->scene_name, scene->name, sizeof header->scene_name - 1);
    for (size_t i = 0; i < 8; i++) {
        header->uid[i] = (uint8_t)(scene->hash >> (8 * i));
        header->uid[8 + i] = (uint8_t)(header->def.seed >> (8 * i));
    }
    iso_fingerprint_make(&header->def, iso_world_get_game(world), &header->fingerprint);
}

bool replay_record_open(replay_record *record, const char *path, iso_world *world, const iso_scene *scene,
                        const char *scene_text, size_t scene_size) {
    memset(record, 0, sizeof *record);
    record->path = path;
    record->part_path = malloc(strlen(path) + sizeof ".part");
    record->index = calloc(ISO_RECORDING_INDEX_MAX, sizeof *record->index);
    if (record->part_path == NULL || record->index == NULL) {
        errno = ENOMEM;
        return fail(record);
    }
    sprintf(record->part_path, "%s.part", path);
    record->out = fopen(record->part_path, "wb");
    if (record->out == NULL) {
        return fail(record);
    }
    iso_recording_header header;
    make_header(&header, world, scene);
    header.scene = scene_text;
    header.scene_size = (uint32_t)scene_size;
    return reserve(record, iso_snapshot_size(world)) &&
           append(record, iso_recording_encode_head(&header, record->frame, record->frame_capacity)) &&
           append_keyframe(record, world);
}

bool replay_record_tick(replay_record *record, iso_world *world) {
    const uint64_t now = iso_world_get_tick(world);
    const iso_recording_tick tick = {
        .input = {.tick = now}, .has_root = true, .hashed_tick = now, .root = iso_world_root(world)};
    if (!append(record, iso_recording_encode_tick(&tick, record->frame, record->frame_capacity))) {
        return false;
    }
    record->tick_end = record->offset;
    return now % ISO_RECORDING_KEYFRAME_INTERVAL != 0 || append_keyframe(record, world);
}

static bool seal(replay_record *record, iso_world *world) {
    const uint64_t last = iso_world_get_tick(world);
    const iso_recording_footer footer = {
        .last_tick = last,
        .has_root = true,
        .root_tick = last,
        .root = iso_world_root(world),
        .entries = record->index,
        .entry_count = record->index_count,
    };
    const size_t size = iso_recording_encode_end(&footer, record->offset, record->frame, record->frame_capacity);
    return append(record, size) && (fflush(record->out) == 0 || fail(record)) &&
           (fsync(fileno(record->out)) == 0 || fail(record));
}

bool replay_record_close(replay_record *record, iso_world *world, bool whole) {
    bool ok = true;
    if (record->out != NULL) {
        ok = whole && seal(record, world);
        const bool closed = fclose(record->out) == 0;
        if (ok && closed) {
            ok = rename(record->part_path, record->path) == 0 || fail(record);
        } else {
            ok = false;
            remove(record->part_path);
        }
    }
    free(record->part_path);
    free(record->index);
    free(record->frame);
    free(record->snapshot);
    free(record->stored);
    return ok;
}
