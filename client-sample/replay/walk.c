/// A world that is stepped over a recording.
#include "walk.h"

#include <stdlib.h>
#include <string.h>

iso_status iso__replay_keyframes_make(replay_keyframes *keyframes, const iso_recording *recording) {
    keyframes->count = 0;
    keyframes->list = calloc((size_t)recording->keyframe_count + 1, sizeof *keyframes->list);
    if (keyframes->list == NULL) {
        iso_print(stderr, "isostep-replay: there is no memory for a list of %llu keyframes\n",
                  (unsigned long long)recording->keyframe_count);
        return ISO_ERR_MEMORY;
    }
    iso__replay_keyframes_read(keyframes, recording);
    return ISO_OK;
}

void iso__replay_keyframes_free(replay_keyframes *keyframes) {
    free(keyframes->list);
    *keyframes = (replay_keyframes){0};
}

iso_status iso__replay_walk_make(replay_walk *walk, const iso_recording *recording) {
    memset(walk, 0, sizeof *walk);
    walk->recording = recording;
    const iso_status status = iso__replay_world_make(&walk->world, recording);
    if (status != ISO_OK) {
        return status;
    }
    walk->buffer = malloc(sizeof *walk->buffer);
    if (walk->buffer == NULL) {
        iso_print(stderr, "isostep-replay: there is no memory for a tick's commands\n");
        return ISO_ERR_MEMORY;
    }
    return ISO_OK;
}

void iso__replay_walk_free(replay_walk *walk) {
    iso__replay_world_free(&walk->world);
    free(walk->buffer);
    memset(walk, 0, sizeof *walk);
}

void iso__replay_walk_say(const iso_recording_keyframe *keyframe, iso_status status) {
    iso_print(stderr, "isostep-replay: the keyframe of tick %llu at offset %llu: %s\n",
              (unsigned long long)keyframe->tick, (unsigned long long)keyframe->offset, iso_status_text(status));
}

iso_status iso__replay_walk_load(replay_walk *walk, const iso_recording_keyframe *keyframe) {
    const iso_status status = iso__replay_world_load(&walk->world, walk->recording, keyframe);
    if (status != ISO_OK) {
        iso__replay_walk_say(keyframe, status);
    }
    walk->cursor = keyframe->ticks_offset;
    return status;
}

iso_status iso__replay_walk_step(replay_walk *walk) {
    iso_status status;
    if (!iso__replay_next_tick(walk->recording, &walk->cursor, walk->buffer, &walk->tick, &walk->offset, &status) &&
        status == ISO_OK) {
        return ISO_ERR_TRUNCATED;
    }
    if (status == ISO_OK) {
        status = iso_world_step(walk->world.world, &walk->tick.input);
    }
    if (status != ISO_OK) {
        iso_print(stderr, "isostep-replay: tick %llu at offset %llu: %s\n", (unsigned long long)walk->tick.input.tick,
                  (unsigned long long)walk->offset, iso_status_text(status));
        return status == ISO_ERR_TRUNCATED ? ISO_ERR_CORRUPT : status;
    }
    return ISO_OK;
}

iso_status iso__replay_walk_seek(replay_walk *walk, uint64_t tick) {
    iso_recording_keyframe keyframe;
    iso_recording_find_keyframe(walk->recording, tick, &keyframe);
    iso_status status = iso__replay_walk_load(walk, &keyframe);
    while (status == ISO_OK && replay_walk_tick(walk) < tick) {
        status = iso__replay_walk_step(walk);
    }
    return status;
}
