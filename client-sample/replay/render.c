/// isostep-replay render: pictures of recordings and scenes.
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "render.h"

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
    "  --out PICTURE  the file to write; its suffix says the format\n"
    "  --view X,Y,W,H what to show [m]: lower left corner, width, height. By default what holds all that moves\n"
    "  --width P      of the picture [pixels], 64 to 16384; the height follows from the view\n"
    "  --contacts     contact points with their normals; hollow where shapes stand near without touching\n"
    "  --centres      bodies' centres of mass\n"
    "  --no-joints    without joints, which are drawn over the bodies by default\n"
    "  --no-grid      without grid lines\n"
    "  --json         one object on standard output: result, out, width, height, ticks, view, shapes, joints,\n"
    "                 contact_points\n"
    "\n"
    "Colours: grey is static, green kinematic, blue dynamic and nobody's; what belongs to a member has its slot's\n"
    "colour; what sleeps is pale. Joints: orange holds, purple is a spring, magenta a limit, green a motor, grey is "
    "off.\n"
    "Exit codes: 0 done; 2 usage; 3 a file is unreadable or the scene is invalid.\n";

static bool ends_with(const char *text, const char *end) {
    const size_t size = strlen(text), end_size = strlen(end);
    return size > end_size && strcmp(text + size - end_size, end) == 0;
}

// ---- options -------------------------------------------------------------------------------------

/// FROM:TO:COUNT.
static bool parse_strip(const char *text, render_options *options) {
    unsigned long long from, to, count;
    int used = 0;
    const bool is_right = text[strspn(text, "0123456789:")] == 0 &&
                          sscanf(text, "%19llu:%19llu:%19llu%n", &from, &to, &count, &used) == 3 && text[used] == 0 &&
                          from <= to && to <= REPLAY_TICK_MAX && count >= 2 && count <= RENDER_FRAMES_MAX;
    if (!is_right) {
        fprintf(stderr,
                "isostep-replay: --strip %s: expected FROM:TO:COUNT, two ticks with FROM not above TO and a number "
                "from 2 to %d\n",
                text, RENDER_FRAMES_MAX);
        return false;
    }
    options->tick_count = (uint32_t)count;
    for (uint64_t i = 0; i < count; i++) {
        // Below 2^53 times 31; the half rounds.
        options->ticks[i] = from + ((to - from) * i + (count - 1) / 2) / (count - 1);
    }
    return true;
}

/// X,Y,W,H in metres.
static bool parse_view(const char *text, render_view *view) {
    double numbers[4];
    const char *at = text;
    bool is_right = true;
    for (int i = 0; i < 4 && is_right; i++) {
        char *end = NULL;
        numbers[i] = strtod(at, &end);
        const double low = i < 2 ? -100000 : 0.001, high = i < 2 ? 100000 : 200000;
        is_right = end != at && *end == (i < 3 ? ',' : 0) && numbers[i] >= low && numbers[i] <= high;
        at = end + 1;
    }
    if (!is_right) {
        fprintf(stderr,
                "isostep-replay: --view %s: expected X,Y,W,H: a lower left corner within 100000 m, width and height "
                "from 0.001 to 200000 m\n",
                text);
        return false;
    }
    *view = (render_view){numbers[0], numbers[1], numbers[2], numbers[3]};
    return true;
}

static bool parse_out(const char *text, render_options *options) {
    options->out = text;
    options->png = ends_with(text, ".png");
    if (!options->png && !ends_with(text, ".svg")) {
        fprintf(stderr, "isostep-replay: --out %s: expected a name that ends in .svg or .png\n", text);
        return false;
    }
    return !options->png || iso__replay_canvas_has_png();
}

static bool parse_width(const char *text, render_options *options) {
    uint64_t width = 0;
    const bool ok = iso__replay_parse_number("--width", text, RENDER_WIDTH_MIN, RENDER_SIZE_MAX, &width);
    options->width = (int)width;
    return ok;
}

static bool parse_option(int option, render_options *options, bool *has_tick, bool *has_strip) {
    switch (option) {
    case 't':
        *has_tick = true;
        options->tick_count = 1;
        return iso__replay_parse_number("--tick", optarg, 0, REPLAY_TICK_MAX, &options->ticks[0]);
    case 's':
        *has_strip = true;
        return parse_strip(optarg, options);
    case 'o':
        return parse_out(optarg, options);
    case 'v':
        return parse_view(optarg, &options->view);
    case 'w':
        return parse_width(optarg, options);
    case 'c':
        options->what |= ISO_DRAW_CONTACTS;
        return true;
    case 'm':
        options->what |= ISO_DRAW_BODIES;
        return true;
    case 'J':
        options->what &= ~(uint32_t)ISO_DRAW_JOINTS;
        return true;
    case 'O':
        options->overlay = true;
        return true;
    case 'G':
        options->no_grid = true;
        return true;
    case 'j':
        options->json = true;
        return true;
    default:
        return false;
    }
}

static bool explain(const char *what) {
    fprintf(stderr, "isostep-replay: render: %s\n", what);
    return false;
}

/// @return REPLAY_EXIT_OK; or another code, after help or a message; -1: go on
static int parse_options(int argc, char **argv, render_options *options) {
    static const struct option list[] = {{"tick", required_argument, NULL, 't'},
                                         {"strip", required_argument, NULL, 's'},
                                         {"out", required_argument, NULL, 'o'},
                                         {"view", required_argument, NULL, 'v'},
                                         {"width", required_argument, NULL, 'w'},
                                         {"contacts", no_argument, NULL, 'c'},
                                         {"centres", no_argument, NULL, 'm'},
                                         {"no-joints", no_argument, NULL, 'J'},
                                         {"overlay", no_argument, NULL, 'O'},
                                         {"no-grid", no_argument, NULL, 'G'},
                                         {"json", no_argument, NULL, 'j'},
                                         {"help", no_argument, NULL, 'h'},
                                         {NULL, 0, NULL, 0}};
    bool ok = true, has_tick = false, has_strip = false;
    int option;
    while (ok && (option = getopt_long(argc, argv, "ho:", list, NULL)) != -1) {
        if (option == 'h') {
            return iso__replay_help(help, true);
        }
        ok = parse_option(option, options, &has_tick, &has_strip);
    }
    if (!ok) {
        fputs("'isostep-replay render --help' tells more.\n", stderr);
        return REPLAY_EXIT_USAGE;
    }
    if (optind + 1 != argc) {
        return iso__replay_usage("render", optind == argc ? "FILE or SCENE is missing: expected a recording or a scene" : "expected one FILE or SCENE");
    }
    if (options->out == NULL) {
        return iso__replay_usage("render", "--out is missing: expected PICTURE.svg or PICTURE.png");
    }
    ok = (!has_tick || !has_strip || explain("--tick and --strip are two answers to one question")) &&
         (!options->overlay || has_strip || explain("--overlay is of a --strip"));
    options->input = argv[optind];
    return ok ? -1 : REPLAY_EXIT_USAGE;
}

// ---- report --------------------------------------------------------------------------------------

static uint32_t count_role(const render_frame *frame, iso_draw_role role) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < frame->count; i++) {
        count += frame->items[i].role == role;
    }
    return count;
}

/// Joints have several items each, which follow each other.
static uint32_t count_joints(const render_frame *frame) {
    uint32_t count = 0;
    uint64_t before = 0;
    for (uint32_t i = 0; i < frame->count; i++) {
        const uint64_t joint = iso_id_pack(frame->items[i].joint.index, frame->items[i].joint.generation);
        count += joint != 0 && joint != before;
        before = joint;
    }
    return count;
}

static void report(const render_film *film, const render_options *options, int height) {
    const render_frame *last = &film->frames[film->count - 1];
    const uint32_t shapes = count_role(last, ISO_DRAW_OUTLINE), contacts = count_role(last, ISO_DRAW_TOUCH);
    if (!options->json) {
        printf("%s: %d x %d pixels, %.4g x %.4g m, %u %s of %s\n", options->out, options->width, height,
               options->view.width, options->view.height, film->count, film->count == 1 ? "tick" : "ticks", film->name);
        return;
    }
    printf("{\"result\":\"ok\",\"out\":");
    iso__replay_json_string(stdout, options->out);
    printf(",\"width\":%d,\"height\":%d,\"ticks\":[", options->width, height);
    for (uint32_t i = 0; i < film->count; i++) {
        printf("%s%llu", i > 0 ? "," : "", (unsigned long long)film->frames[i].tick);
    }
    printf("],\"view\":[%.6g,%.6g,%.6g,%.6g],\"shapes\":%u,\"joints\":%u,\"contact_points\":%u}\n", options->view.x,
           options->view.y, options->view.width, options->view.height, shapes, count_joints(last), contacts);
}

int iso__replay_render(int argc, char **argv) {
    render_options options = {.what = ISO_DRAW_SHAPES | ISO_DRAW_JOINTS | ISO_DRAW_GAME};
    int code = parse_options(argc, argv, &options);
    if (code >= 0) {
        return code;
    }
    render_film film;
    int height = 0;
    code = iso__replay_render_film_make(&film, &options);
    const bool is_strip = options.tick_count > 1 && !options.overlay;
    if (code == REPLAY_EXIT_OK && options.view.width == 0 &&
        !iso__replay_render_view_fit(&film, is_strip, &options.view)) {
        fprintf(stderr, "isostep-replay: %s: there is nothing to draw at tick %llu; --view draws an empty place\n",
                options.input, (unsigned long long)film.frames[0].tick);
        code = REPLAY_EXIT_USAGE;
    }
    if (options.width == 0) {
        options.width = iso__replay_render_width(&film, &options);
    }
    if (code == REPLAY_EXIT_OK) {
        code = iso__replay_render_paint(&film, &options, &height);
    }
    if (code == REPLAY_EXIT_OK) {
        report(&film, &options, height);
    }
    iso__replay_render_film_free(&film);
    return code;
}
