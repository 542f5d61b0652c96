/// The ticks of a recording, or of a scene that is simulated for it, as what there is to draw.
#include "film.h"

#include <stdlib.h>
#include <string.h>

#include "scene.h"
#include "walk.h"

static bool film_capture(render_film *film, const iso_world *world, uint32_t what) {
    render_frame *frame = &film->frames[film->count];
    frame->tick = iso_world_get_tick(world);
    iso_draw_fill(world, what, NULL, 0, &frame->count);
    frame->items = malloc((size_t)(frame->count + 1) * sizeof *frame->items);
    if (frame->items == NULL) {
        iso_print(stderr, "isostep-replay: there is no memory for the %u things to draw of tick %llu\n", frame->count,
                  (unsigned long long)frame->tick);
        return false;
    }
    ++film->count;
    iso_draw_fill(world, what, frame->items, frame->count, &frame->count);
    return true;
}

// ---- scenes --------------------------------------------------------------------------------------

static int film_of_scene(render_film *film, const replay_film_options *options) {
    replay_scene scene;
    bool ok = iso__replay_scene_load(&scene, options->input);
    if (ok) {
        static const uint64_t first[] = {0};
        const uint64_t *ticks = options->tick_count > 0 ? options->ticks : first;
        const uint32_t count = options->tick_count > 0 ? options->tick_count : 1;
        snprintf(film->name, sizeof film->name, "%s", scene.scene->name);
        film->tick_rate_hz = iso_world_get_def(scene.world)->tick_rate_hz;
        replay_progress progress;
        iso__replay_progress_begin(&progress, "render", ticks[count - 1], film->tick_rate_hz, options->json);
        for (uint32_t i = 0; ok && i < count; ++i) {
            while (ok && iso_world_get_tick(scene.world) < ticks[i]) {
                ok = iso__replay_scene_step(&scene);
                iso__replay_progress_update(&progress, iso_world_get_tick(scene.world));
            }
            ok = ok && film_capture(film, scene.world, options->what);
        }
        iso__replay_progress_end(&progress);
    }
    iso__replay_scene_free(&scene);
    return ok ? REPLAY_EXIT_OK : REPLAY_EXIT_UNREADABLE;
}

// ---- recordings ----------------------------------------------------------------------------------

static uint64_t ticks_between(const iso_recording *recording, uint64_t from, uint64_t to) {
    iso_recording_keyframe keyframe;
    iso_recording_find_keyframe(recording, to, &keyframe);
    return to - (keyframe.tick > from ? keyframe.tick : from);
}

/// Brings the world to a tick that is not before its own, by a keyframe when one lies between.
static iso_status film_seek(replay_walk *walk, bool has_state, uint64_t tick, replay_progress *progress,
                            uint64_t *done) {
    iso_recording_keyframe keyframe;
    iso_recording_find_keyframe(walk->recording, tick, &keyframe);
    iso_status status = ISO_OK;
    if (!has_state || keyframe.tick > replay_walk_tick(walk)) {
        status = iso__replay_walk_load(walk, &keyframe);
    }
    while (status == ISO_OK && replay_walk_tick(walk) < tick) {
        status = iso__replay_walk_step(walk);
        iso__replay_progress_update(progress, ++*done);
    }
    return status;
}

static bool film_walk(render_film *film, const iso_recording *recording, const uint64_t *ticks, uint32_t count,
                      const replay_film_options *options) {
    replay_walk walk;
    bool ok = iso__replay_walk_make(&walk, recording) == ISO_OK;
    if (ok) {
        uint64_t total = 0, done = 0;
        for (uint32_t i = 0; i < count; ++i) {
            total += ticks_between(recording, i > 0 ? ticks[i - 1] : 0, ticks[i]);
        }
        replay_progress progress;
        iso__replay_progress_begin(&progress, "render", total, film->tick_rate_hz, options->json);
        for (uint32_t i = 0; ok && i < count; ++i) {
            ok = film_seek(&walk, i > 0, ticks[i], &progress, &done) == ISO_OK &&
                 film_capture(film, walk.world.world, options->what);
        }
        iso__replay_progress_end(&progress);
    }
    iso__replay_walk_free(&walk);
    return ok;
}

static int film_of_recording(render_film *film, const replay_film_options *options) {
    replay_file file;
    if (iso__replay_file_open(&file, options->input, options->json) != ISO_OK) {
        return REPLAY_EXIT_UNREADABLE;
    }
    const iso_recording *recording = &file.recording;
    const uint64_t *ticks = options->tick_count > 0 ? options->ticks : &recording->last_tick;
    const uint32_t count = options->tick_count > 0 ? options->tick_count : 1;
    int code = REPLAY_EXIT_USAGE;
    if (ticks[0] < recording->header.first_tick || ticks[count - 1] > recording->last_tick) {
        iso_print(stderr, "isostep-replay: tick %llu: the recording goes from tick %llu to %llu\n",
                  (unsigned long long)(ticks[0] < recording->header.first_tick ? ticks[0] : ticks[count - 1]),
                  (unsigned long long)recording->header.first_tick, (unsigned long long)recording->last_tick);
    } else if (recording->header.def.tick_rate_hz == 0) {
        iso_print(stderr, "isostep-replay: %s: the tick rate is 0\n", file.path);
        code = REPLAY_EXIT_UNREADABLE;
    } else {
        snprintf(film->name, sizeof film->name, "%s", recording->header.scene_name);
        film->tick_rate_hz = recording->header.def.tick_rate_hz;
        code = film_walk(film, recording, ticks, count, options) ? REPLAY_EXIT_OK : REPLAY_EXIT_UNREADABLE;
    }
    iso__replay_file_close(&file);
    return code;
}

int iso__replay_film_make(render_film *film, const replay_film_options *options) {
    *film = (render_film){0};
    return iso__replay_file_is_recording(options->input) ? film_of_recording(film, options)
                                                         : film_of_scene(film, options);
}

void iso__replay_film_free(render_film *film) {
    for (uint32_t i = 0; i < film->count; ++i) {
        free(film->frames[i].items);
    }
    *film = (render_film){0};
}
