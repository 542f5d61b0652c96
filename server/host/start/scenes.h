/// The scenes that are known by a name: those that the program brings (iso_server_main_with_scenes), and the built-in
/// ones.
#ifndef ISO_HOST_SCENES_H
#define ISO_HOST_SCENES_H

#include <stdbool.h>

#include "isostep/proto/nearest.h"
#include "isostep/scenes.h"
#include "isostep/server/server.h"

/// Sets those of the program, which must outlive the server. To be called before any thread runs.
/// @return false after a message: a name is not right, or is there twice
bool iso__scenes_bring(const iso_server_scene *scenes, size_t count);

/// That of sessions without one of their own: the program's first, else the sandbox.
const char *iso__scenes_default(void);

/// @param index  from 0, the program's first. @return false: there are no more
bool iso__scenes_at(size_t index, iso_builtin_scene *scene);

/// @return false: none has this name
bool iso__scenes_find(const char *name, iso_builtin_scene *scene);

/// Writes which of them is meant by a name that is not there: see iso_nearest_ask.
void iso__scenes_ask(const char *name, char text[ISO_NEAREST_TEXT_SIZE]);

#endif
