/// isostep-replay render: pictures of recordings and scenes.
#include <stdlib.h>
#include <string.h>

#include "film.h"
#include "options.h"

typedef struct render_options {
    const char *out;
    replay_film_options film;
    render_picture picture; // a view without width: what holds all that moves; a width of 0: iso__replay_render_width
} render_options;

static const char help[] =
    "Usage: isostep-replay render FILE|SCENE [--tick T | --strip FROM:TO:COUNT] --out PICTURE.svg|PICTURE.png\n"
    "           [--overlay] [--view X,Y,W,H] [--width PIXELS] [--contacts] [--centres] [--no-joints] [--no-grid]\n"
    "           [--json]\n"
    "\n"
    "Draws what the world looks like: of a recording, or of a scene that is simulated for it without a network.\n"
    "\n"
    "  --tick T       after tick T; by default the last one of a recording, tick 0 of a scene\n"
    "  --strip F:T:N  N ticks, 2 to 32, evenly from F to T, as panels side by side\n"
    "  --overlay      the ticks of a strip in one panel, the last one on top, the earlier ones fainter below\n"
    "  --out PICTURE  the file to write; its suffix determines the format\n"
    "  --view X,Y,W,H what to show [m]: lower left corner, width, height. By default all that moves\n"
    "  --width P      of the picture [pixels], 64 to 16384; the height follows from the view\n"
    "  --contacts     contact points with their normals; hollow where shapes are near without touching\n"
    "  --centres      bodies' centres of mass\n"
    "  --no-joints    without joints, which are drawn over the bodies by default\n"
    "  --no-grid      without grid lines\n"
    "  --json         one object on standard output: result, out, width, height, ticks, view, shapes, joints,\n"
    "                 contact_points\n"
    "\n"
    "Colours: grey is static, green kinematic, blue dynamic without an owner; what a member owns has its slot's\n"
    "colour; sleeping bodies are pale. Joints: orange holds, purple is a spring, magenta a limit, green a motor, grey "
    "is "
    "off.\n"
    "Exit codes: 0 done; 2 usage; 3 a file is unreadable or cannot be written, or the scene is invalid.\n";

static bool ends_with(const char *text, const char *end) {
    const size_t size = strlen(text), end_size = strlen(end);
    return size > end_size && strcmp(text + size - end_size, end) == 0;
}

// ---- options -------------------------------------------------------------------------------------

/// FROM:TO:COUNT.
static bool parse_strip(const char *text, void *into) {
    replay_film_options *options = into;
    unsigned long long from, to, count;
    int used = 0;
    const bool is_right = text[strspn(text, "0123456789:")] == 0 &&
                          sscanf(text, "%19llu:%19llu:%19llu%n", &from, &to, &count, &used) == 3 && text[used] == 0 &&
                          from <= to && to <= REPLAY_TICK_MAX && count >= 2 && count <= RENDER_FRAMES_MAX;
    if (!is_right) {
        iso_print(stderr,
                  "isostep-replay: --strip %s: expected FROM:TO:COUNT, two ticks with FROM not above TO and a number "
                  "from 2 to %d\n",
                  text, RENDER_FRAMES_MAX);
        return false;
    }
    options->tick_count = (uint32_t)count;
    for (uint64_t i = 0; i < count; ++i) {
        // Below 2^53 times 31; the half rounds.
        options->ticks[i] = from + ((to - from) * i + (count - 1) / 2) / (count - 1);
    }
    return true;
}

/// X,Y,W,H in metres.
static bool parse_view(const char *text, void *into) {
    render_view *view = into;
    double numbers[4];
    const char *at = text;
    bool is_right = true;
    for (int i = 0; i < 4 && is_right; ++i) {
        char *end = NULL;
        numbers[i] = strtod(at, &end);
        const double low = i < 2 ? -100000 : 0.001, high = i < 2 ? 100000 : 200000;
        is_right = end != at && *end == (i < 3 ? ',' : 0) && numbers[i] >= low && numbers[i] <= high;
        at = end + 1;
    }
    if (!is_right) {
        iso_print(stderr,
                  "isostep-replay: --view %s: expected X,Y,W,H: a lower left corner within 100000 m, width and height "
                  "from 0.001 to 200000 m\n",
                  text);
        return false;
    }
    *view = (render_view){numbers[0], numbers[1], numbers[2], numbers[3]};
    return true;
}

static bool parse_out(const char *text, void *into) {
    render_options *options = into;
    options->out = text;
    options->picture.png = ends_with(text, ".png");
    if (!options->picture.png && !ends_with(text, ".svg")) {
        iso_print(stderr, "isostep-replay: --out %s: expected a name that ends in .svg or .png\n", text);
        return false;
    }
    return !options->picture.png || iso__replay_canvas_has_png();
}

static bool explain(const char *what) {
    iso_print(stderr, "isostep-replay: render: %s\n", what);
    return false;
}

/// @return as iso__replay_options
static int parse_options(int argc, char **argv, render_options *options) {
    bool has_tick = false, has_strip = false, contacts = false, centres = false, no_joints = false;
    uint64_t tick = 0, width = 0;
    const replay_option list[] = {
        {"--tick", .number = &tick, .max = REPLAY_TICK_MAX, .given = &has_tick},
        {"--strip", .parse = parse_strip, .into = &options->film, .given = &has_strip},
        {"--out", .letter = 'o', .parse = parse_out, .into = options},
        {"--view", .parse = parse_view, .into = &options->picture.view},
        {"--width", .number = &width, .min = RENDER_WIDTH_MIN, .max = RENDER_SIZE_MAX},
        {"--contacts", .flag = &contacts},
        {"--centres", .flag = &centres},
        {"--no-joints", .flag = &no_joints},
        {"--overlay", .flag = &options->picture.overlay},
        {"--no-grid", .flag = &options->picture.no_grid},
        {"--json", .flag = &options->film.json},
        {0},
    };
    int first;
    int code = iso__replay_options(argc, argv, help, list, &first);
    code = code < 0 ? iso__replay_one(argc, argv, first, "FILE or SCENE", "a recording or a scene") : code;
    if (code < 0 && options->out == NULL) {
        code = iso__replay_usage(argv, "--out is missing: expected PICTURE.svg or PICTURE.png");
    }
    if (code >= 0) {
        return code;
    }
    const bool ok = (!has_tick || !has_strip || explain("--tick and --strip are two answers to one question")) &&
                    (!options->picture.overlay || has_strip || explain("--overlay is of a --strip"));
    if (has_tick) {
        options->film.ticks[0] = tick;
        options->film.tick_count = 1;
    }
    options->picture.width = (int)width;
    options->film.what |= (contacts ? ISO_DRAW_CONTACTS : 0u) | (centres ? ISO_DRAW_BODIES : 0u);
    options->film.what &= ~(no_joints ? (uint32_t)ISO_DRAW_JOINTS : 0u);
    options->film.input = argv[first];
    return ok ? -1 : REPLAY_EXIT_USAGE;
}

// ---- report --------------------------------------------------------------------------------------

static uint32_t count_role(const render_frame *frame, iso_draw_role role) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < frame->count; ++i) {
        count += frame->items[i].role == role;
    }
    return count;
}

/// Joints have several items each, which follow each other.
static uint32_t count_joints(const render_frame *frame) {
    uint32_t count = 0;
    uint64_t before = 0;
    for (uint32_t i = 0; i < frame->count; ++i) {
        const uint64_t joint = iso_id_pack(frame->items[i].joint.index, frame->items[i].joint.generation);
        count += joint != 0 && joint != before;
        before = joint;
    }
    return count;
}

static void report(const render_film *film, const render_options *options) {
    const render_picture *picture = &options->picture;
    const render_frame *last = &film->frames[film->count - 1];
    const uint32_t shapes = count_role(last, ISO_DRAW_OUTLINE), contacts = count_role(last, ISO_DRAW_TOUCH);
    if (!options->film.json) {
        iso_print(stdout, "%s: %d x %d pixels, %.4g x %.4g m, %u %s of %s\n", options->out, picture->width,
                  picture->height, picture->view.width, picture->view.height, film->count,
                  film->count == 1 ? "tick" : "ticks", film->name);
        return;
    }
    printf("{\"result\":\"ok\",\"out\":");
    iso_print_json_string(stdout, options->out);
    printf(",\"width\":%d,\"height\":%d,\"ticks\":[", picture->width, picture->height);
    for (uint32_t i = 0; i < film->count; ++i) {
        printf("%s%llu", i > 0 ? "," : "", (unsigned long long)film->frames[i].tick);
    }
    printf("],\"view\":[%.6g,%.6g,%.6g,%.6g],\"shapes\":%u,\"joints\":%u,\"contact_points\":%u}\n", picture->view.x,
           picture->view.y, picture->view.width, picture->view.height, shapes, count_joints(last), contacts);
}

/// Draws the picture and writes it. @return the exit code
static int make_picture(const render_film *film, render_options *options) {
    render_picture *picture = &options->picture;
    const render_result result = iso__replay_render_paint(film, picture);
    if (result == RENDER_NO_ROOM) {
        return REPLAY_EXIT_USAGE;
    }
    if (result == RENDER_NOT_DRAWN) {
        iso_print(stderr, "isostep-replay: %s: it could not be drawn: %s\n", options->out, picture->fault);
        return REPLAY_EXIT_UNREADABLE;
    }
    const bool written = iso__replay_write_whole(options->out, picture->bytes, picture->size);
    free(picture->bytes);
    return written ? REPLAY_EXIT_OK : REPLAY_EXIT_UNREADABLE;
}

int iso__replay_render(int argc, char **argv) {
    render_options options = {.film.what = ISO_DRAW_SHAPES | ISO_DRAW_JOINTS | ISO_DRAW_GAME};
    int code = parse_options(argc, argv, &options);
    if (code >= 0) {
        return code;
    }
    render_film film;
    render_picture *picture = &options.picture;
    code = iso__replay_film_make(&film, &options.film);
    const bool is_strip = options.film.tick_count > 1 && !picture->overlay;
    if (code == REPLAY_EXIT_OK && picture->view.width == 0 &&
        !iso__replay_render_view_fit(&film, is_strip, &picture->view)) {
        iso_print(stderr, "isostep-replay: %s: there is nothing to draw at tick %llu; --view draws an empty place\n",
                  options.film.input, (unsigned long long)film.frames[0].tick);
        code = REPLAY_EXIT_USAGE;
    }
    if (picture->width == 0) {
        picture->width = iso__replay_render_width(&film, picture->overlay);
    }
    if (code == REPLAY_EXIT_OK) {
        code = make_picture(&film, &options);
    }
    if (code == REPLAY_EXIT_OK) {
        report(&film, &options);
    }
    iso__replay_film_free(&film);
    return code;
}
