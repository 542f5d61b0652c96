/// The ticks of a recording, or of a scene that is simulated for it, as what there is to draw.
#include "film.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "isostep/body3.h"
#include "names.h"
#include "render/space.h"
#include "scene.h"
#include "walk.h"

// ---- frames --------------------------------------------------------------------------------------

static bool capture_plane(render_frame *frame, const iso_world *world, uint32_t what) {
    iso_draw_fill(world, what, NULL, 0, &frame->count);
    frame->items = malloc((size_t)(frame->count + 1) * sizeof *frame->items);
    if (frame->items == NULL) {
        iso_print(stderr, "isostep-replay: there is no memory for the %u things to draw of tick %llu\n", frame->count,
                  (unsigned long long)frame->tick);
        return false;
    }
    iso_draw_fill(world, what, frame->items, frame->count, &frame->count);
    return true;
}

/// Each item takes as much room as its points need: first all are counted, then kept.
static bool capture_space(render_frame *frame, const iso_world *world, uint32_t what) {
    iso_draw3 draw;
    const iso_draw3_item *item;
    iso_draw3_begin(&draw, world, what);
    while ((item = iso_draw3_next(&draw)) != NULL) {
        frame->solid_size += render_item_size(item);
        ++frame->solid_count;
    }
    frame->solid = malloc(frame->solid_size + 1);
    if (frame->solid == NULL) {
        iso_print(stderr, "isostep-replay: there is no memory for the %u things to draw of tick %llu\n",
                  frame->solid_count, (unsigned long long)frame->tick);
        return false;
    }
    iso_draw3_begin(&draw, world, what);
    for (size_t at = 0; (item = iso_draw3_next(&draw)) != NULL; at += render_item_size(item)) {
        memcpy(frame->solid + at, item, render_item_size(item));
    }
    return true;
}

/// The body of this name in the scene, else the one with this index, in the present state.
static bool find_followed(const iso_world *world, const iso_scene *scene, const char *name, iso_body_id *body) {
    *body = (iso_body_id){UINT32_MAX, 1}; // those of the scene have the generation 1
    if (scene != NULL) {
        body->index = iso_scene_body_find(scene, name);
    }
    if (body->index == UINT32_MAX && name[0] != 0 && strlen(name) < 10 && name[strspn(name, "0123456789")] == 0) {
        const iso_body_id there = iso_body_next(world, (uint32_t)strtoul(name, NULL, 10));
        *body = there.index == (uint32_t)strtoul(name, NULL, 10) ? there : *body;
    }
    if (body->index == UINT32_MAX) {
        iso_print(stderr, "isostep-replay: --follow %s: no body has this name or index at tick %llu\n", name,
                  (unsigned long long)iso_world_get_tick(world));
    }
    return body->index != UINT32_MAX;
}

/// The largest distance [m] of a point of a body's shapes from the middle of the view.
static double radius_of(const render_frame *frame, iso_body_id body) {
    const iso_draw3_item *item = render_item_first(frame);
    double radius = 0;
    for (uint32_t i = 0; i < frame->solid_count; ++i, item = render_item_after(item)) {
        const bool is_own = item->part == ISO_DRAW_SHAPES && iso_body_id_equal(item->body, body);
        for (uint32_t k = 0; is_own && item->kind != ISO_DRAW3_PLANE && k < item->point_count; ++k) {
            const iso_wide reach = iso_wide_add(iso_vec3_wide_distance(item->points[k], frame->centre), item->radius);
            radius = fmax(radius, render_metres(reach));
        }
    }
    return radius;
}

/// Puts the middle of the view where the body is.
static bool film_follow(render_frame *frame, const iso_world *world, const iso_scene *scene, const char *name) {
    iso_body_id body;
    iso_body3_view view;
    if (!find_followed(world, scene, name, &body)) {
        return false;
    }
    if (iso_body3_get(world, body, &view) != ISO_OK) {
        iso_print(stderr, "isostep-replay: --follow %s: this body is gone after tick %llu\n", name,
                  (unsigned long long)frame->tick);
        return false;
    }
    frame->centre = view.centre;
    frame->radius = radius_of(frame, body);
    return true;
}

/// @return the exit code
static int film_capture(render_film *film, const iso_world *world, const iso_scene *scene,
                        const replay_film_options *options) {
    render_frame *frame = &film->frames[film->count];
    frame->tick = iso_world_get_tick(world);
    film->is_space = iso_world_get_def(world)->dimensions == 3;
    if (options->follow != NULL && !film->is_space) {
        iso_print(
            stderr,
            "isostep-replay: --follow %s: this is of worlds in space; this one is in the plane, where --view says "
            "what to show\n",
            options->follow);
        return REPLAY_EXIT_USAGE;
    }
    if (!(film->is_space ? capture_space(frame, world, options->what) : capture_plane(frame, world, options->what))) {
        return REPLAY_EXIT_UNREADABLE;
    }
    ++film->count;
    return options->follow == NULL || film_follow(frame, world, scene, options->follow) ? REPLAY_EXIT_OK
                                                                                        : REPLAY_EXIT_USAGE;
}

// ---- scenes --------------------------------------------------------------------------------------

static int film_of_scene(render_film *film, const replay_film_options *options) {
    replay_scene scene;
    int code = iso__replay_scene_load(&scene, options->input) ? REPLAY_EXIT_OK : REPLAY_EXIT_UNREADABLE;
    if (code == REPLAY_EXIT_OK) {
        static const uint64_t first[] = {0};
        const uint64_t *ticks = options->tick_count > 0 ? options->ticks : first;
        const uint32_t count = options->tick_count > 0 ? options->tick_count : 1;
        snprintf(film->name, sizeof film->name, "%s", scene.scene->name);
        film->tick_rate_hz = iso_world_get_def(scene.world)->tick_rate_hz;
        replay_progress progress;
        iso__replay_progress_begin(&progress, "render", ticks[count - 1], film->tick_rate_hz, options->json);
        for (uint32_t i = 0; code == REPLAY_EXIT_OK && i < count; ++i) {
            while (code == REPLAY_EXIT_OK && iso_world_get_tick(scene.world) < ticks[i]) {
                code = iso__replay_scene_step(&scene) ? REPLAY_EXIT_OK : REPLAY_EXIT_UNREADABLE;
                iso__replay_progress_update(&progress, iso_world_get_tick(scene.world));
            }
            code = code != REPLAY_EXIT_OK ? code : film_capture(film, scene.world, scene.scene, options);
        }
        iso__replay_progress_end(&progress);
    }
    iso__replay_scene_free(&scene);
    return code;
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

/// @return the exit code
static int film_walk(render_film *film, const iso_recording *recording, const uint64_t *ticks, uint32_t count,
                     const replay_film_options *options) {
    replay_walk walk;
    replay_names names = {NULL};
    int code = iso__replay_walk_make(&walk, recording) == ISO_OK ? REPLAY_EXIT_OK : REPLAY_EXIT_UNREADABLE;
    if (code == REPLAY_EXIT_OK && options->follow != NULL) {
        iso__replay_names_make(&names, recording);
    }
    if (code == REPLAY_EXIT_OK) {
        uint64_t total = 0, done = 0;
        for (uint32_t i = 0; i < count; ++i) {
            total += ticks_between(recording, i > 0 ? ticks[i - 1] : 0, ticks[i]);
        }
        replay_progress progress;
        iso__replay_progress_begin(&progress, "render", total, film->tick_rate_hz, options->json);
        for (uint32_t i = 0; code == REPLAY_EXIT_OK && i < count; ++i) {
            code = film_seek(&walk, i > 0, ticks[i], &progress, &done) == ISO_OK
                       ? film_capture(film, walk.world.world, names.scene, options)
                       : REPLAY_EXIT_UNREADABLE;
        }
        iso__replay_progress_end(&progress);
    }
    iso__replay_names_free(&names);
    iso__replay_walk_free(&walk);
    return code;
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
        code = film_walk(film, recording, ticks, count, options);
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
        free(film->frames[i].solid);
    }
    *film = (render_film){0};
}
