/// isostep-bench: a scene for Isostep and for its peers.
#ifndef ISO_BENCH_SCENE_H
#define ISO_BENCH_SCENE_H

#include "bench_peer.h"
#include "isostep/proto/scene.h"

/// Reads a built-in scene, or a file.
/// @param may_sleep  false: no body sleeps, whatever the scene says
/// @return NULL, after a line on standard error
iso_scene *bench_scene_read(const char *name, bool may_sleep);

/// @return NULL, after a line on standard error; *memory is to be freed
iso_world *bench_scene_world(const iso_scene *scene, void **memory);

/// The scene in doubles. @return false when memory is missing
bool bench_scene_convert(const iso_scene *scene, bench_scene *out);
void bench_scene_free(bench_scene *scene);

#endif
