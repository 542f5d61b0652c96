/// Pictures as PNG, in a tool that was built without cairo.
#include <stdio.h>

#include "isostep/proto/text.h"
#include "render/canvas.h"

bool iso__replay_canvas_has_png(void) {
    iso_print(stderr, "isostep-replay: this tool was built without cairo and draws SVG only; for PNG build it where "
                      "libcairo2-dev is installed, with -DISO_PNG=ON\n");
    return false;
}

render_canvas *iso__replay_canvas_open_png(int width, int height, const char *title, const char **fault) {
    (void)width, (void)height, (void)title;
    *fault = "this tool was built without cairo";
    return NULL;
}
