/// What isostep-replay render draws: the ticks of a recording, or of a scene that is simulated for it.
#ifndef ISO_REPLAY_FILM_H
#define ISO_REPLAY_FILM_H

#include "render/picture.h"
#include "replay.h"

typedef struct replay_film_options {
    const char *input;
    uint64_t ticks[RENDER_FRAMES_MAX]; // rising, not strictly
    uint32_t tick_count;               // 0: the last tick of a recording, tick 0 of a scene
    uint32_t what;                     // ISO_DRAW_…
    const char *follow;                // of a world in space: the body that the view follows, by name or index, or NULL
    bool json;                         // what is wrong as JSON on standard output, too, and no progress
} replay_film_options;

/// Simulates up to each of the ticks that are wanted and keeps what is there to draw.
/// Says on standard error what is wrong. @return the exit code. To be freed either way.
int iso__replay_film_make(render_film *film, const replay_film_options *options);
void iso__replay_film_free(render_film *film);

#endif
