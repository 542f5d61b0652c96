/// The names of a scene's bodies and joints, by the recording's header.
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

/// Whether the one that the scene has made there is still there.
static bool first_is_there(const iso_world *world, iso_section section, uint32_t index) {
    return section == ISO_SECTION_BODIES ? iso_body_is_valid(world, (iso_body_id){.index = index, .generation = 1})
                                         : iso_joint_is_valid(world, (iso_joint_id){.index = index, .generation = 1});
}

const char *iso__replay_names_of_id(const replay_names *names, bool is_joint, uint32_t index, uint32_t generation) {
    const iso_scene *scene = names->scene;
    if (scene == NULL || generation != 1 || index >= (is_joint ? scene->joint_count : scene->body_count)) {
        return NULL;
    }
    return is_joint ? iso_scene_joint_name(scene, index) : iso_scene_body_name(scene, index);
}

const char *iso__replay_names_noun(iso_section section) {
    return section == ISO_SECTION_BODIES ? "body" : section == ISO_SECTION_JOINTS ? "joint" : NULL;
}

const char *iso__replay_names_of(const replay_names *names, const iso_world *world, iso_section section,
                                 uint32_t index) {
    if (names->scene == NULL || world == NULL || iso__replay_names_noun(section) == NULL ||
        !first_is_there(world, section, index)) {
        return "";
    }
    return section == ISO_SECTION_BODIES ? iso_scene_body_name(names->scene, index)
                                         : iso_scene_joint_name(names->scene, index);
}

bool iso__replay_names_find(const replay_names *names, const iso_world *world, iso_section section, const char *name,
                            uint32_t *index) {
    const char *noun = iso__replay_names_noun(section);
    if (names->scene == NULL) {
        iso_print(stderr, "isostep-replay: --%s %s: the recording has no scene that this build can read\n", noun, name);
        return false;
    }
    *index = section == ISO_SECTION_BODIES ? iso_scene_body_find(names->scene, name)
                                           : iso_scene_joint_find(names->scene, name);
    if (*index == UINT32_MAX) {
        iso_print(stderr, "isostep-replay: --%s %s: no %s of the scene %s has this name\n", noun, name, noun,
                  names->scene->name);
        return false;
    }
    if (!first_is_there(world, section, *index)) {
        iso_print(stderr, "isostep-replay: --%s %s: this %s is gone after tick %llu\n", noun, name, noun,
                  (unsigned long long)iso_world_get_tick(world));
        return false;
    }
    return true;
}
