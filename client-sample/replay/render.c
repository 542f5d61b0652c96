/// isostep-replay render: pictures of recordings and scenes.
#include <stdlib.h>
#include <string.h>

#include "film.h"
#include "options.h"
#include "render/space.h"

#define ISO_YAW     45.0
#define ISO_PITCH   35.264389682754654 // under which all three axes are as long
#define FOLLOW_SIZE 8.0                // radii of the body that the view follows
#define SPAN_WIDTH  12.0               // [m] of a view of what has no size
#define SPAN_HEIGHT 0.75               // of such a width

/// What --view says: of a world in the plane the part to show, of one in space where it is looked at from.
typedef struct view_option {
    bool is_given, is_camera;
    double yaw, pitch; // [degrees]
} view_option;

typedef struct render_options {
    const char *out;
    replay_film_options film;
    view_option look;
    double span;            // [m] how wide what is shown is, 0: what holds all that moves
    render_picture picture; // a view without width: what holds all that moves; a width of 0: iso__replay_render_width
} render_options;

static const char help[] =
    "Usage: isostep-replay render FILE|SCENE [--tick T | --strip FROM:TO:COUNT] --out PICTURE.svg|PICTURE.png\n"
    "           [--overlay] [--view X,Y,W,H | --view iso|front|side|top|YAW,PITCH] [--follow BODY] [--span METRES]\n"
    "           [--width PIXELS] [--contacts] [--centres] [--no-joints] [--no-grid] [--json]\n"
    "\n"
    "Draws what the world looks like: of a recording, or of a scene that is simulated for it without a network.\n"
    "\n"
    "  --tick T       after tick T; by default the last one of a recording, tick 0 of a scene\n"
    "  --strip F:T:N  N ticks, 2 to 32, evenly from F to T, as panels side by side\n"
    "  --overlay      the ticks of a strip in one panel, the last one on top, the earlier ones fainter below\n"
    "  --out PICTURE  the file to write; its suffix determines the format\n"
    "  --view X,Y,W,H what to show [m]: lower left corner, width, height. By default all that moves\n"
    "  --view V       of a world in space: iso, from a corner above (default); front, along -z; side, along -x; top,\n"
    "                 along -y; or YAW,PITCH [degrees]: turned about y from the front, -360 to 360, then from how far\n"
    "                 above, -90 to 90\n"
    "  --follow BODY  of a world in space: the middle of the picture is this body, by name or index, in each tick\n"
    "  --span M       of a world in space: how wide what is shown is [m], 0.001 to 200000. By default all that moves;\n"
    "                 with --follow 8 times the body's radius\n"
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

/// Reads numbers with commas between them, within bounds. @return whether the text is these and nothing else
static bool read_numbers(const char *text, int count, const double bounds[][2], double *numbers) {
    const char *at = text;
    bool is_right = true;
    for (int i = 0; i < count && is_right; ++i) {
        char *end = NULL;
        numbers[i] = strtod(at, &end);
        is_right =
            end != at && *end == (i + 1 < count ? ',' : 0) && numbers[i] >= bounds[i][0] && numbers[i] <= bounds[i][1];
        at = end + 1;
    }
    return is_right;
}

/// X,Y,W,H in metres; or a name, or YAW,PITCH in degrees.
static bool parse_view(const char *text, void *into) {
    static const struct {
        const char *name;
        double yaw, pitch;
    } names[] = {{"iso", ISO_YAW, ISO_PITCH}, {"front", 0, 0}, {"side", 90, 0}, {"top", 0, 90}};
    static const double places[][2] = {{-100000, 100000}, {-100000, 100000}, {0.001, 200000}, {0.001, 200000}};
    static const double angles[][2] = {{-360, 360}, {-90, 90}};
    render_options *options = into;
    double numbers[4];
    options->look = (view_option){.is_given = true, .is_camera = true};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i) {
        if (strcmp(text, names[i].name) == 0) {
            options->look.yaw = names[i].yaw;
            options->look.pitch = names[i].pitch;
            return true;
        }
    }
    if (read_numbers(text, 2, angles, numbers)) {
        options->look.yaw = numbers[0];
        options->look.pitch = numbers[1];
        return true;
    }
    if (read_numbers(text, 4, places, numbers)) {
        options->look.is_camera = false;
        options->picture.view = (render_view){numbers[0], numbers[1], numbers[2], numbers[3]};
        return true;
    }
    iso_print(stderr,
              "isostep-replay: --view %s: expected X,Y,W,H: a lower left corner within 100000 m, width and height "
              "from 0.001 to 200000 m; or of a world in space iso, front, side, top or YAW,PITCH: -360 to 360 and -90 "
              "to 90 degrees\n",
              text);
    return false;
}

static bool parse_span(const char *text, void *into) {
    static const double bounds[][2] = {{0.001, 200000}};
    if (!read_numbers(text, 1, bounds, into)) {
        iso_print(stderr, "isostep-replay: --span %s: expected a number of metres from 0.001 to 200000\n", text);
        return false;
    }
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
        {"--view", .parse = parse_view, .into = options},
        {"--follow", .text = &options->film.follow},
        {"--span", .parse = parse_span, .into = &options->span},
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

/// What there is in a frame.
typedef struct frame_counts {
    uint32_t shapes, joints, contact_points;
} frame_counts;

/// One of what follows each other and belongs to the same.
static bool is_next(uint64_t id, uint64_t *before) {
    const bool is_other = id != 0 && id != *before;
    *before = id;
    return is_other;
}

static frame_counts count_items(const render_frame *frame) {
    frame_counts counts = {0, 0, 0};
    uint64_t joint = 0, shape = 0;
    for (uint32_t i = 0; i < frame->count; ++i) {
        const iso_draw_item *item = &frame->items[i];
        counts.shapes += item->role == ISO_DRAW_OUTLINE;
        counts.contact_points += item->role == ISO_DRAW_TOUCH;
        counts.joints += is_next(iso_id_pack(item->joint.index, item->joint.generation), &joint);
    }
    const iso_draw3_item *item = render_item_first(frame);
    for (uint32_t i = 0; i < frame->solid_count; ++i, item = render_item_after(item)) {
        counts.shapes += item->part == ISO_DRAW_SHAPES && is_next(iso_id_pack(item->shape.index, 1), &shape);
        counts.contact_points += item->role == ISO_DRAW_TOUCH;
        counts.joints += is_next(iso_id_pack(item->joint.index, item->joint.generation), &joint);
    }
    return counts;
}

static void report(const render_film *film, const render_options *options) {
    const render_picture *picture = &options->picture;
    const render_frame *last = &film->frames[film->count - 1];
    const frame_counts counts = count_items(last);
    if (!options->film.json) {
        iso_print(stdout, "%s: %d x %d pixels, %.4g x %.4g m, %u tick%s of %s\n", options->out, picture->width,
                  picture->height, picture->view.width, picture->view.height, film->count, iso_text_plural(film->count),
                  film->name);
        return;
    }
    printf("{\"result\":\"ok\",\"out\":");
    iso_print_json_string(stdout, options->out);
    printf(",\"width\":%d,\"height\":%d,\"ticks\":[", picture->width, picture->height);
    for (uint32_t i = 0; i < film->count; ++i) {
        printf("%s%llu", i > 0 ? "," : "", (unsigned long long)film->frames[i].tick);
    }
    printf("],\"view\":[%.6g,%.6g,%.6g,%.6g],\"shapes\":%u,\"joints\":%u,\"contact_points\":%u}\n", picture->view.x,
           picture->view.y, picture->view.width, picture->view.height, counts.shapes, counts.joints,
           counts.contact_points);
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

// ---- the view ------------------------------------------------------------------------------------

/// Whether the options are of worlds like this one; says what is wrong.
static bool fits_world(const render_film *film, const render_options *options) {
    const view_option *look = &options->look;
    if (film->is_space && look->is_given && !look->is_camera) {
        return explain(
            "--view X,Y,W,H is of worlds in the plane; this one is in space: expected iso, front, side, top or "
            "YAW,PITCH");
    }
    if (!film->is_space && look->is_camera) {
        return explain("--view iso, front, side, top or YAW,PITCH is of worlds in space; this one is in the plane: "
                       "expected X,Y,W,H");
    }
    return film->is_space || options->span == 0 ||
           explain("--span is of worlds in space; this one is in the plane: --view X,Y,W,H says how wide it is");
}

/// The view that holds all that moves.
/// @param is_empty  there is nothing that could be in it, and it is as it was
/// @return the exit code
static int fit_view(const render_film *film, bool is_strip, const char *input, render_picture *picture,
                    bool *is_empty) {
    render_extents frames[RENDER_FRAMES_MAX] = {{0}};
    uint32_t count = 0;
    while (count < film->count &&
           (film->is_space ? iso__replay_camera_extents(&picture->camera, &film->frames[count], &frames[count])
                           : iso__replay_render_extents(&film->frames[count], &frames[count]))) {
        ++count;
    }
    int code = REPLAY_EXIT_OK;
    if (count == film->count) {
        *is_empty = !iso__replay_render_view_fit(frames, count, is_strip, &picture->view);
    } else {
        iso_print(stderr, "isostep-replay: %s: there is no memory to look at %u ticks\n", input, film->count);
        code = REPLAY_EXIT_UNREADABLE;
    }
    while (count > 0) {
        free(frames[--count].items);
    }
    return code;
}

static int explain_empty(const render_film *film, const char *input) {
    iso_print(stderr, "isostep-replay: %s: there is nothing to draw at tick %llu; %s draws an empty place\n", input,
              (unsigned long long)film->frames[0].tick, film->is_space ? "--span" : "--view");
    return REPLAY_EXIT_USAGE;
}

/// Puts the middle of the views where the bodies are. @return the largest radius of the followed body, 0: none is
static double place_frames(render_film *film, bool is_free) {
    const iso_vec3_wide middle = iso__replay_camera_centre(film);
    double radius = 0;
    for (uint32_t i = 0; i < film->count; ++i) {
        film->frames[i].centre = is_free ? middle : film->frames[i].centre;
        radius = film->frames[i].radius > radius ? film->frames[i].radius : radius;
    }
    return radius;
}

/// Of a world in space: the camera, and a view around the middle of what moves, or around what is followed.
static int space_view(render_film *film, bool is_strip, const render_options *options, render_picture *picture) {
    const view_option *look = &options->look;
    const bool is_free = options->film.follow == NULL;
    const double radius = place_frames(film, is_free);
    bool is_empty = false;
    int code = REPLAY_EXIT_OK;
    picture->camera =
        look->is_given ? iso__replay_camera_make(look->yaw, look->pitch) : iso__replay_camera_make(ISO_YAW, ISO_PITCH);
    // What has no size: a ground alone, a body without a shape.
    const double height = SPAN_WIDTH * SPAN_HEIGHT;
    picture->view = (render_view){-SPAN_WIDTH / 2, -height / 2, SPAN_WIDTH, height};
    if (is_free) {
        code = fit_view(film, is_strip, options->film.input, picture, &is_empty);
    }
    if (is_empty && options->span == 0 && film->frames[0].solid_count == 0) {
        code = explain_empty(film, options->film.input);
    }
    const double width = options->span > 0 ? options->span : FOLLOW_SIZE * radius;
    if (width > 0) { // around the same middle
        render_view *view = &picture->view;
        const double factor = width / view->width;
        *view = (render_view){view->x + view->width * (1 - factor) / 2, view->y + view->height * (1 - factor) / 2,
                              width, view->height * factor};
    }
    return code;
}

/// What to show, after the film is made. @return the exit code
static int choose_view(render_film *film, const render_options *options, render_picture *picture) {
    const bool is_strip = options->film.tick_count > 1 && !picture->overlay;
    bool is_empty = false;
    if (!fits_world(film, options)) {
        return REPLAY_EXIT_USAGE;
    }
    if (film->is_space) {
        return space_view(film, is_strip, options, picture);
    }
    if (picture->view.width > 0) {
        return REPLAY_EXIT_OK;
    }
    const int code = fit_view(film, is_strip, options->film.input, picture, &is_empty);
    return is_empty ? explain_empty(film, options->film.input) : code;
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
    if (code == REPLAY_EXIT_OK) {
        code = choose_view(&film, &options, picture);
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
