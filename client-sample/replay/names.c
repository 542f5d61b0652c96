/// The names of a scene's bodies, by the recording's header.
#include "names.h"

void iso__replay_names_make(replay_names *names, const iso_recording *recording) {
    uint32_t game_count;
    const iso_game *const *games = iso__replay_games(&game_count);
    const iso_recording_header *header = &recording->header;
    names->scene = NULL;
    const iso_status status = header->scene_size > 0 ? iso_scene_parse(header->scene, header->scene_size, games,
                                                                       game_count, &names->scene, NULL)
                                                     : ISO_ERR_SCENE_INVALID;
    names->scene = status == ISO_OK ? names->scene : NULL;
}

void iso__replay_names_free(replay_names *names) {
    iso_scene_free(names->scene);
    names->scene = NULL;
}

/// The one that the scene has made there.
static iso_body_id first_body(uint32_t index) {
    return (iso_body_id){.index = index, .generation = 1};
}

const char *iso__replay_names_body(const replay_names *names, const iso_world *world, uint32_t index) {
    if (names->scene == NULL || world == NULL || !iso_body_is_valid(world, first_body(index))) {
        return "";
    }
    return iso_scene_body_name(names->scene, index);
}

bool iso__replay_names_find(const replay_names *names, const iso_world *world, const char *name, uint32_t *index) {
    *index = names->scene != NULL ? iso_scene_body_find(names->scene, name) : UINT32_MAX;
    if (names->scene == NULL) {
        iso_print(stderr, "isostep-replay: --body %s: the recording has no scene that this build can read\n", name);
    } else if (*index == UINT32_MAX) {
        iso_print(stderr, "isostep-replay: --body %s: no body of the scene %s has this name\n", name,
                  names->scene->name);
    } else if (!iso_body_is_valid(world, first_body(*index))) {
        iso_print(stderr, "isostep-replay: --body %s: this body is gone after tick %llu\n", name,
                  (unsigned long long)iso_world_get_tick(world));
        return false;
    }
    return *index != UINT32_MAX;
}
