/// isostep-replay: a scene that is simulated without a network.
#ifndef ISO_REPLAY_SCENE_H
#define ISO_REPLAY_SCENE_H

#include "isostep/proto/nearest.h"
#include "isostep/proto/scene.h"
#include "isostep/scenes.h"
#include "replay.h"

typedef struct replay_scene {
    const char *argument; // a built-in scene's name, or a file's
    const char *text;     // with what it includes
    size_t text_size;
    iso_scene_source *source; // of a file; NULL for a built-in scene, which includes nothing
    replay_file recording;    // that it is the beginning of, else closed
    iso_scene *scene;
    iso_world *world;
    char *file_text;
    void *memory;
} replay_scene;

/// @name Scenes by their names (scene_list.c)
/// @{

/// Those of the program, before any subcommand; they outlive it. @return false, with a line on standard error, when one
/// is wrong
bool iso__replay_scenes_bring(const iso_builtin_scene *scenes, size_t count);
/// One of the program's or of the library's; NULL: there is none of this name.
const iso_builtin_scene *iso__replay_scenes_find(const char *name);
/// Writes which of them is meant by a name that is not there: see iso_nearest_ask.
void iso__replay_scenes_ask(const char *name, char text[ISO_NEAREST_TEXT_SIZE]);
/// Lists the names on standard error.
void iso__replay_scenes_print(void);
/// @}

/// Reads a scene and builds its world, at tick 0; or takes the scene of a recording and the state that it begins with.
/// Says on standard error what is wrong. To be freed either way.
bool iso__replay_scene_load(replay_scene *scene, const char *argument);

/// The parts of it. The text alone; a word on standard error and in *why when it cannot be read:
bool iso__replay_scene_read(replay_scene *scene, const char *argument, const char **why);
/// And what the text says, with what it includes, without a word. @return ISO_OK; ISO_ERR_MEMORY; what
/// iso_scene_source_make, iso_scene_check and iso_scene_create_world return, each error with its place
iso_status iso__replay_scene_make(replay_scene *scene, iso_scene_error *errors, uint32_t capacity, uint32_t *count);
void iso__replay_scene_free(replay_scene *scene);

/// A step without input. @return false, with a line on standard error, when it fails
bool iso__replay_scene_step(replay_scene *scene);

#endif
