/// isostep-replay render of worlds in space: what hides what, how faces are lit, views, and the joints of the
/// documents.
#include "e2e.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef E2E_HAS_PNG
#include <cairo.h>
#endif

#include "e2e_picture.h"
#include "e2e_tool.h"

#define ROOM3(bodies) \
    "{\"format\":1,\"name\":\"room\",\"dimensions\":3,\"world\":{\"gravity\":[0,0,0]},\"bodies\":[" bodies "]}"
#define BODY3(name, type, place, shape) \
    "{\"name\":\"" name "\",\"type\":\"" type "\",\"position\":[" place "],\"shapes\":[{" shape "}]}"
#define BOX3(half)     "\"kind\":\"box\",\"half_extents\":[" half "]"
#define SPHERE(radius) "\"kind\":\"sphere\",\"radius\":" radius

/// A fixed box, in front of it, towards z, a ball, and behind it another one that a player moves.
static void write_room(void) {
    write_text("room.json", ROOM3(BODY3("box", "static", "0,0,0", BOX3("1,1,1")) "," BODY3(
                                "front", "dynamic", "0,0,3", SPHERE("0.5")) "," BODY3("back", "kinematic", "0,0,-3",
                                                                                      SPHERE("0.5"))));
}

static void draw(const char *scene, const char *view, const char *span, const char *out) {
    assert_int_equal(replay("render", path_of(scene), "--view", view, "--span", span, "--out", path_of(out), "--json"),
                     0);
}

/// That the first groups of these classes are in this order.
static void assert_order(const char *const *names, size_t many) {
    const char *last = picture;
    for (size_t i = 0; i < many; ++i) {
        char open[64];
        snprintf(open, sizeof open, "<g class=\"%s\"", names[i]);
        const char *at = strstr(picture, open);
        if (at == NULL || at < last) {
            fail_msg("%s is not after what hides it in: %.3000s", names[i], picture);
        }
        last = at;
    }
}
#define ordered(...) \
    assert_order((const char *const[]){__VA_ARGS__}, sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *))

// ---- SVG -----------------------------------------------------------------------------------------

static void test_what_is_in_front_is_drawn_later(void **state) {
    (void)state;
    write_room();
    draw("room.json", "front", "4", "a.svg");
    assert_int_equal(number_after("\"shapes\":"), 3);
    read_picture("a.svg");
    assert_well_formed();
    ordered("kinematic", "static", "dynamic");
    assert_int_equal(count_drawn("static"), 1); // of the box one face is seen
    draw("room.json", "180,0", "4", "a.svg");   // from behind
    read_picture("a.svg");
    ordered("dynamic", "static", "kinematic");
    draw("room.json", "iso", "8", "a.svg");
    read_picture("a.svg");
    ordered("kinematic", "static", "dynamic");
    assert_int_equal(count_drawn("static"), 3);
    // The same bytes again.
    char *first = strdup(picture);
    draw("room.json", "iso", "8", "b.svg");
    read_picture("b.svg");
    assert_string_equal(first, picture);
    free(first);
}

/// The middle of the floor is nearer than the far ball, and farther away than the near one.
static void test_a_large_floor_hides_nothing_that_is_on_it(void **state) {
    (void)state;
    write_text("floor.json", ROOM3(BODY3("far", "dynamic", "-8,0.5,-8", SPHERE("0.5")) "," BODY3(
                                 "floor", "static", "0,-0.5,0",
                                 BOX3("10,0.5,10")) "," BODY3("below", "kinematic", "8,-1.5,8", SPHERE("0.5"))));
    draw("floor.json", "iso", "30", "a.svg");
    read_picture("a.svg");
    ordered("kinematic", "static", "dynamic");
    draw("floor.json", "45,-35", "30", "a.svg"); // from below
    read_picture("a.svg");
    ordered("dynamic", "static", "kinematic");
}

/// The fill of the nth group of a class, 0xRRGGBB.
static unsigned long nth_fill(const char *name, int nth) {
    char open[64];
    snprintf(open, sizeof open, "<g class=\"%s\" fill=\"#", name);
    const char *at = picture;
    for (int i = 0; i <= nth; ++i) {
        at = strstr(i == 0 ? at : at + 1, open);
        if (at == NULL) {
            fail_msg("no %d groups of %s in: %.3000s", nth + 1, name, picture);
            return 0;
        }
    }
    return strtoul(at + strlen(open), NULL, 16);
}

static void test_faces_are_lit_by_their_direction(void **state) {
    (void)state;
    write_text("box.json", ROOM3(BODY3("box", "static", "0,0,0", BOX3("1,1,1"))));
    draw("box.json", "iso", "4", "a.svg");
    read_picture("a.svg");
    // In the order of faces: across x, y and z. The light comes from above, from the left of the eye.
    const unsigned long right = nth_fill("static", 0), top = nth_fill("static", 1), left = nth_fill("static", 2);
    assert_true(top > left && left > right);
    assert_true((right & 0xFF) > 0x60); // and what the light does not fall on is not black
    draw("box.json", "top", "4", "a.svg");
    read_picture("a.svg");
    assert_int_equal(count_drawn("static"), 1);
}

static void test_a_sensor_can_be_looked_through(void **state) {
    (void)state;
    write_text("zone.json", ROOM3(BODY3("box", "dynamic", "0,0,0", BOX3("0.5,0.5,0.5")) "," BODY3(
                                "zone", "static", "0,0,0", SPHERE("1.5") ",\"sensor\":true")));
    draw("zone.json", "front", "4", "a.svg");
    read_picture("a.svg");
    ordered("dynamic", "static");
    assert_int_equal(count_drawn("light"), 0);
    const char *zone = strstr(picture, "<g class=\"static\"");
    assert_non_null(zone);
    assert_non_null(strstr(zone, "fill-opacity=\"0.28\""));
    assert_non_null(strstr(zone, "stroke-dasharray=\"4\""));
}

// ---- views ---------------------------------------------------------------------------------------

/// The middle of the nth circle of a class.
static void circle_of(const char *name, int nth, double at[2]) {
    char open[64];
    snprintf(open, sizeof open, "<g class=\"%s\"", name);
    const char *group = picture;
    for (int i = 0; i <= nth; ++i) {
        group = strstr(i == 0 ? group : group + 1, open);
        assert_non_null(group);
    }
    const char *circle = strstr(group, "<circle cx=\"");
    assert_non_null(circle);
    assert_int_equal(sscanf(circle, "<circle cx=\"%lf\" cy=\"%lf\"", &at[0], &at[1]), 2);
}

/// Where a ball at (1, 2, 3) is in a picture of 4 m, 784 pixels, around the origin.
static void expect_seen(const char *view, double x, double y) {
    double at[2];
    assert_int_equal(replay("render", path_of("place.json"), "--view", view, "--follow", "middle", "--span", "8",
                            "--out", path_of("a.svg")),
                     0);
    read_picture("a.svg");
    circle_of("dynamic", 0, at);
    const double scale = 784 / 8.0, middle[2] = {400, 28 + 784 * 0.75 / 2};
    if (fabs(at[0] - middle[0] - x * scale) > 0.02 || fabs(middle[1] - at[1] - y * scale) > 0.02) {
        fail_msg("--view %s: the ball is at %g, %g m, expected %g, %g", view, (at[0] - middle[0]) / scale,
                 (middle[1] - at[1]) / scale, x, y);
    }
}

static void test_each_view_has_its_directions(void **state) {
    (void)state;
    write_text("place.json", ROOM3(BODY3("ball", "dynamic", "1,2,3",
                                         SPHERE("0.2")) "," BODY3("middle", "static", "0,0,0", BOX3("0.1,0.1,0.1"))));
    expect_seen("front", 1, 2);
    expect_seen("side", -3, 2);
    expect_seen("top", 1, -3);
    expect_seen("0,0", 1, 2);
    expect_seen("-90,0", 3, 2);
    expect_seen("180,0", -1, 2);
    expect_seen("0,-90", 1, 3);
    // x and z go down to the right and to the left, y up, all three as much: 2/3 of a square's length, sqrt.
    expect_seen("iso", (1 - 3) / sqrt(2), (2 * 2 - 1 - 3) / sqrt(6));
}

static void test_the_view_follows_a_body(void **state) {
    (void)state;
    write_text("fall.json",
               "{\"format\":1,\"name\":\"fall\",\"dimensions\":3,\"world\":{\"gravity\":[0,-10,0]},\"bodies\":["
               "{\"name\":\"ball\",\"position\":[0,100,0],\"velocity\":[3,0,0],\"shapes\":[{" SPHERE(
                   "0.5") "}]},"
                          "{\"name\":\"other\",\"type\":\"static\",\"position\":[0,99,0],\"shapes\":[{" BOX3(
                              "0.1,0.1,0.1") "}]}]}");
    const char *const names[] = {"ball", "0"};
    for (size_t i = 0; i < 2; ++i) {
        assert_int_equal(replay("render", path_of("fall.json"), "--strip", "0:60:3", "--follow", names[i], "--out",
                                path_of("a.svg"), "--json"),
                         0);
        assert_says("\"view\":[-2,-1.5,4,3]"); // eight radii
        read_picture("a.svg");
        for (int panel = 0; panel < 3; ++panel) {
            double at[2];
            circle_of("dynamic", panel, at);
            const double wide = (900 - 2 * 8 - 2 * 10) / 3.0;
            assert_true(fabs(at[0] - (8 + panel * (wide + 10) + wide / 2)) < 0.02);
            assert_true(fabs(at[1] - (28 + wide * 0.375)) < 0.02);
        }
        assert_int_equal(count_drawn("static"), 2 * 3); // of the other one, which the last panel does not show
    }
}

static void test_the_view_holds_what_moves(void **state) {
    (void)state;
    static const char *const scenes[] = {"stack3", "wall3", "gyro", "falling3", "chain3", "joints3", "sandbox3"};
    static const unsigned shapes[] = {11, 107, 9, 91, 31, 19, 56};
    for (size_t i = 0; i < sizeof scenes / sizeof scenes[0]; ++i) {
        assert_int_equal(
            replay("render", scenes[i], "--tick", "40", "--contacts", "--centres", "--out", path_of("a.svg"), "--json"),
            0);
        if (number_after("\"shapes\":") != shapes[i]) {
            fail_msg("%s: expected %u shapes in %s", scenes[i], shapes[i], tool_output);
        }
        const unsigned contacts = (unsigned)number_after("\"contact_points\":");
        read_picture("a.svg");
        assert_well_formed();
        assert_int_equal(count_drawn("touch") + count_drawn("near"), contacts);
        assert_true((count_drawn("grid") > 4) == (strchr("swx", scenes[i][0]) != NULL));
    }
    assert_int_equal(replay("render", "joints3", "--out", path_of("a.svg"), "--json"), 0);
    assert_int_equal(number_after("\"joints\":"), 23);
    assert_int_equal(replay("render", "stack3", "--no-grid", "--no-joints", "--out", path_of("a.svg")), 0);
    read_picture("a.svg");
    assert_int_equal(count_drawn("grid"), 0);
    assert_int_equal(count_shown("<g class=\"dynamic\""), 10 * 3);
    assert_int_equal(count_shown("<g class=\"compass\""), 3);
}

static void test_a_recording_in_space_looks_like_what_was_recorded(void **state) {
    (void)state;
    assert_int_equal(replay("simulate", "wall3", "--ticks", "150", "--force", "--record", path_of("a.isr")), 0);
    const char *const choices[][4] = {{"--tick", "130", "--view", "30,20"},
                                      {"--strip", "10:140:4", "--follow", "ball"}};
    for (size_t i = 0; i < 2; ++i) {
        const char *const *with = choices[i];
        assert_int_equal(
            replay("render", path_of("a.isr"), with[0], with[1], with[2], with[3], "--out", path_of("a.svg")), 0);
        assert_int_equal(replay("render", "wall3", with[0], with[1], with[2], with[3], "--out", path_of("b.svg")), 0);
        read_picture("a.svg");
        char *first = strdup(picture);
        read_picture("b.svg");
        assert_string_equal(first, picture);
        free(first);
    }
}

// ---- PNG -----------------------------------------------------------------------------------------

#ifdef E2E_HAS_PNG
static cairo_surface_t *image;

/// A picture of a scene as pixels.
static void open_image(const char *scene, const char *view) {
    ignore_leaks_of_fonts();
    draw(scene, view, "8", "a.png");
    image = cairo_image_surface_create_from_png(path_of("a.png"));
    assert_int_equal(cairo_surface_status(image), CAIRO_STATUS_SUCCESS);
}

static void close_image(void) {
    cairo_surface_destroy(image);
    image = NULL;
}

/// Metres from the middle of a picture of 8 m, 784 pixels: 0xRRGGBB.
static uint32_t pixel_at(double x, double y) {
    const int high = cairo_image_surface_get_height(image) - 36; // without caption and border
    const int column = (int)(400 + x * 98), row = (int)(28 + high / 2.0 - y * 98);
    assert_in_range(column, 0, cairo_image_surface_get_width(image) - 1);
    assert_in_range(row, 0, cairo_image_surface_get_height(image) - 1);
    const unsigned char *rows = cairo_image_surface_get_data(image);
    const size_t at = (size_t)row * (size_t)cairo_image_surface_get_stride(image) + (size_t)column * 4;
    uint32_t pixel;
    memcpy(&pixel, rows + at, sizeof pixel);
    return pixel & 0xFFFFFF;
}

static int red(uint32_t pixel) {
    return (int)(pixel >> 16);
}
static int green(uint32_t pixel) {
    return (int)(pixel >> 8 & 0xFF);
}
static int blue(uint32_t pixel) {
    return (int)(pixel & 0xFF);
}

/// The colours of bodies keep their hue in every light: dynamic is blue, kinematic green, static nearly grey.
static bool is_blue(uint32_t pixel) {
    return blue(pixel) > green(pixel) + 8 && green(pixel) > red(pixel) + 8;
}
static bool is_green(uint32_t pixel) {
    return green(pixel) > red(pixel) + 8 && green(pixel) > blue(pixel) + 4;
}
static bool is_grey(uint32_t pixel) {
    return abs(red(pixel) - blue(pixel)) < 14 && red(pixel) < 0xF0;
}

static bool has_green(void) {
    for (double x = -3; x < 3.9; x += 0.05) { // without what shows the axes, in the left corner
        for (double y = -2.9; y < 2.9; y += 0.05) {
            if (is_green(pixel_at(x, y))) {
                return true;
            }
        }
    }
    return false;
}
#endif

static void test_pixels_show_what_is_nearest(void **state) {
    (void)state;
#ifdef E2E_HAS_PNG
    write_room();
    open_image("room.json", "front");
    assert_true(is_blue(pixel_at(0.15, 0.1))); // the ball, beside the line that shows how it is turned
    assert_true(is_grey(pixel_at(0.8, 0.8)));  // the box beside it
    assert_true(pixel_at(2, 2) == 0xFBFCFD);   // nothing
    assert_false(has_green());                 // the box hides the other ball
    close_image();
    open_image("room.json", "180,0");
    assert_true(is_green(pixel_at(0.15, 0.1)));
    assert_true(is_grey(pixel_at(0.8, 0.8)));
    close_image();
    open_image("room.json", "side");
    assert_true(is_blue(pixel_at(-2.85, 0.1)) && is_grey(pixel_at(0.1, 0.1)) && is_green(pixel_at(3.15, 0.1)));
    close_image();
    // Two that go through each other: each is seen where it is nearer.
    write_text("cross.json", ROOM3(BODY3("a", "dynamic", "-0.5,0,0", SPHERE("1")) "," BODY3("b", "kinematic", "0.5,0,0",
                                                                                            SPHERE("1"))));
    open_image("cross.json", "front");
    assert_true(is_blue(pixel_at(-0.1, 0.15)) && is_green(pixel_at(0.1, 0.15)));
    close_image();
    // Of a board that leans away to the right the left half is in front of one that stands upright.
    write_text(
        "boards.json",
        ROOM3(BODY3("upright", "static", "0,0,0",
                    BOX3("1,1,0.1")) ",{\"name\":\"leaning\",\"position\":"
                                     "[0,0,0],\"rotation\":{\"axis\":[0,1,0],\"angle\":0.785},\"shapes\":[{" BOX3(
                                         "1,0.9,0.1") "}]}"));
    open_image("boards.json", "front");
    assert_true(is_blue(pixel_at(-0.3, 0.2)) && is_grey(pixel_at(0.3, 0.2)));
    close_image();
    open_image("cross.json", "side"); // from +x
    assert_true(is_green(pixel_at(0.2, 0.15)));
    close_image();
#endif
}

static void test_pixels_are_lit_by_their_direction(void **state) {
    (void)state;
#ifdef E2E_HAS_PNG
    write_text("box.json", ROOM3(BODY3("box", "dynamic", "0,0,0", BOX3("1,1,1"))));
    open_image("box.json", "iso");
    const int top = red(pixel_at(0, 0.8)), left = red(pixel_at(-0.7, -0.4)), right = red(pixel_at(0.7, -0.4));
    assert_true(top > left + 8 && left > right + 8);
    assert_int_equal(red(pixel_at(0.3, -0.8)), right); // a face has one colour
    close_image();
    write_text("ball.json", ROOM3(BODY3("ball", "dynamic", "0,0,0", SPHERE("2"))));
    open_image("ball.json", "front");
    assert_true(red(pixel_at(-0.7, 1.4)) > red(pixel_at(0.1, 0.1)));
    assert_true(red(pixel_at(0.1, 0.1)) > red(pixel_at(0.7, -1.6)));
    close_image();
    // A capsule that is seen from its end is a disc, from its side three times as long.
    write_text("rod.json", ROOM3(BODY3("rod", "dynamic", "0,0,0",
                                       "\"kind\":\"capsule\",\"a\":[0,0,-1],\"b\":[0,0,1],"
                                       "\"radius\":0.5")));
    open_image("rod.json", "front");
    assert_true(is_blue(pixel_at(0.3, 0.1)) && pixel_at(0.6, 0) == 0xFBFCFD);
    close_image();
    open_image("rod.json", "side");
    assert_true(is_blue(pixel_at(1.3, 0.1)) && is_blue(pixel_at(0.5, 0.2)) && pixel_at(1.6, 0) == 0xFBFCFD);
    assert_true(red(pixel_at(0.5, 0.35)) > red(pixel_at(0.5, -0.35)));
    assert_true(pixel_at(0.5, 0.6) == 0xFBFCFD);
    close_image();
#endif
}

static void test_pixels_show_what_is_behind_a_sensor(void **state) {
    (void)state;
#ifdef E2E_HAS_PNG
    write_text("zone.json",
               ROOM3(BODY3("box", "kinematic", "0,0,0", BOX3("0.5,0.5,0.5")) "," BODY3(
                   "zone", "dynamic", "0,0,0", SPHERE("1.5") ",\"sensor\":true") "," BODY3("wall", "static", "0,0,2",
                                                                                           BOX3("0.2,2,0.2"))));
    open_image("zone.json", "front");
    const uint32_t zone = pixel_at(1, 0.1), box = pixel_at(0.35, 0.1);
    assert_true(blue(zone) > red(zone) + 8 && red(zone) > 0xD0);         // paler than a body
    assert_true(green(box) > red(box) + 8);                              // the box shines through
    assert_true(is_grey(pixel_at(0, 0.5)) && is_grey(pixel_at(0, 1.8))); // what is in front of it hides it
    close_image();
#endif
}

// ---- bad input -----------------------------------------------------------------------------------

static void assert_refused(const char *says, const char *const *words) {
    const char *line[16] = {"render"};
    size_t used = 1;
    for (; words[used - 1] != NULL; ++used) {
        line[used] = words[used - 1];
    }
    line[used] = "--out";
    line[used + 1] = path_of("bad.svg");
    line[used + 2] = NULL;
    assert_int_equal(e2e_run(E2E_REPLAY, line, tool_output, sizeof tool_output), 2);
    assert_says(says);
    assert_int_not_equal(access(path_of("bad.svg"), F_OK), 0);
}
#define refused(says, ...) assert_refused(says, (const char *const[]){__VA_ARGS__, NULL})

static void test_views_that_are_none_are_refused(void **state) {
    (void)state;
    const char *const views[] = {"isometric", "ISO",   "45",  "45,", "45,91", "361,0",
                                 "45,35,1",   "nan,0", "x,y", "",    "1;2"};
    for (size_t i = 0; i < sizeof views / sizeof views[0]; ++i) {
        refused("of a world in space iso, front, side, top or YAW,PITCH", "gyro", "--view", views[i]);
    }
    const char *const spans[] = {"", "0", "-1", "x", "2,3", "1e9", "nan"};
    for (size_t i = 0; i < sizeof spans / sizeof spans[0]; ++i) {
        refused("expected a number of metres from 0.001 to 200000", "gyro", "--span", spans[i]);
    }
    refused("this one is in space: expected iso, front, side, top or YAW,PITCH", "gyro", "--view", "0,0,3,2");
    refused("this one is in the plane: expected X,Y,W,H", "stack", "--view", "iso");
    refused("this one is in the plane: expected X,Y,W,H", "stack", "--view", "10,20");
    refused("--span is of worlds in space", "stack", "--span", "3");
    refused("--follow box: this is of worlds in space", "stack", "--follow", "box");
    refused("--follow nobody: no body has this name or index at tick 5", "gyro", "--follow", "nobody", "--tick", "5");
    refused("--follow 6: no body has this name or index", "gyro", "--follow", "6");
    refused("no body has this name or index", "gyro", "--follow", "");
    refused("no body has this name or index", "gyro", "--follow", "-1");
    refused("no body has this name or index", "gyro", "--follow", "4294967296");
    write_text("empty.json", ROOM3(""));
    refused("there is nothing to draw at tick 0; --span draws an empty place", path_of("empty.json"));
    assert_int_equal(replay("render", path_of("empty.json"), "--span", "3", "--out", path_of("place.svg")), 0);
    read_picture("place.svg");
    assert_well_formed();
    // A ground alone is something to see.
    write_text("ground.json",
               ROOM3("{\"name\":\"ground\",\"type\":\"static\",\"shapes\":[{\"kind\":\"plane\",\"normal\":[0,1,0]}]}"));
    assert_int_equal(replay("render", path_of("ground.json"), "--out", path_of("place.svg")), 0);
    read_picture("place.svg");
    assert_true(count_drawn("grid") > 4);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_is_in_front_is_drawn_later),
        cmocka_unit_test(test_a_large_floor_hides_nothing_that_is_on_it),
        cmocka_unit_test(test_faces_are_lit_by_their_direction),
        cmocka_unit_test(test_a_sensor_can_be_looked_through),
        cmocka_unit_test(test_each_view_has_its_directions),
        cmocka_unit_test(test_the_view_follows_a_body),
        cmocka_unit_test(test_the_view_holds_what_moves),
        cmocka_unit_test(test_a_recording_in_space_looks_like_what_was_recorded),
        cmocka_unit_test(test_pixels_show_what_is_nearest),
        cmocka_unit_test(test_pixels_are_lit_by_their_direction),
        cmocka_unit_test(test_pixels_show_what_is_behind_a_sensor),
        cmocka_unit_test(test_views_that_are_none_are_refused),
    };
    return cmocka_run_group_tests(tests, tool_set_up, tool_tear_down);
}
