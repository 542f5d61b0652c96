/// The scenes that come with Isostep: the JSON files of proto/scenes, embedded when the library is built.
#ifndef ISOSTEP_SCENES_H
#define ISOSTEP_SCENES_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct iso_builtin_scene {
    const char *name; // the file's name without ".json", and the scene's own name
    const char *text; // for iso_scene_parse
    size_t size;      // bytes of the text; not including the terminating zero
} iso_builtin_scene;

/// All of them, sorted by name.
const iso_builtin_scene *iso_builtin_scene_list(size_t *count);

/// The scene of this name, or NULL.
const iso_builtin_scene *iso_builtin_scene_find(const char *name);

#ifdef __cplusplus
}
#endif

#endif
