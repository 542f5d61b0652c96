/// Pictures as PNG, in a tool that was built without cairo.
#include <stdio.h>

#include "render_canvas.h"

bool iso__replay_canvas_has_png(void) {
    fprintf(stderr, "isostep-replay: this tool was built without cairo and draws SVG only; for PNG build it where "
                    "libcairo2-dev is installed, with -DISO_PNG=ON\n");
    return false;
}

render_canvas *iso__replay_canvas_open_png(const char *path, int width, int height, const char *title) {
    (void)path, (void)width, (void)height, (void)title;
    return NULL;
}
