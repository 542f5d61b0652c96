/// The recording of a simulation. It has no members and no session, so its identity comes from what it simulates:
/// the same scene gives the same file.
#include <string.h>

#include "isostep/proto/environment.h"
#include "simulate.h"

static void make_header(iso_recording_header *header, const iso_world *world, const iso_scene *scene) {
    memset(header, 0, sizeof *header);
    header->def = *iso_world_get_def(world);
    header->epoch = 1;
    header->first_tick = iso_world_get_tick(world);
    char program[ISO_PROGRAM_NAME_SIZE];
    iso_version_build(iso_environment_program("isostep-replay", program), header->build, sizeof header->build);
    strncpy(header->session, "simulate", sizeof header->session - 1);
    strncpy(header->scene_name, scene->name, sizeof header->scene_name - 1);
    for (size_t i = 0; i < 8; ++i) {
        header->uid[i] = (uint8_t)(scene->hash >> (8 * i));
        header->uid[8 + i] = (uint8_t)(header->def.seed >> (8 * i));
    }
    iso_fingerprint_make(&header->def, iso_world_get_game(world), &header->fingerprint);
}

bool iso__replay_record_open(replay_writer *writer, const char *path, iso_world *world, const iso_scene *scene,
                             const char *scene_text, size_t scene_size) {
    iso_recording_header header;
    make_header(&header, world, scene);
    header.scene = scene_text;
    header.scene_size = (uint32_t)scene_size;
    return iso__replay_writer_open(writer, path, &header) &&
           iso__replay_writer_state(writer, world, iso_world_root(world));
}

bool iso__replay_record_tick(replay_writer *writer, iso_world *world) {
    const uint64_t now = iso_world_get_tick(world);
    const iso_recording_tick tick = {
        .input = {.tick = now}, .has_root = true, .hashed_tick = now, .root = iso_world_root(world)};
    return iso__replay_writer_tick(writer, &tick) &&
           (now % ISO_RECORDING_KEYFRAME_INTERVAL != 0 || iso__replay_writer_state(writer, world, tick.root));
}
