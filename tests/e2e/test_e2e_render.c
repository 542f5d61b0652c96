/// isostep-replay render: pictures are read as text, down to the pixels of a corner.
#include "e2e.h"

#include <errno.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "e2e_picture.h"
#include "e2e_recording.h"
#include "e2e_tool.h"

// ---- what is in a picture ------------------------------------------------------------------------

static void test_a_scene_is_drawn_with_all_its_shapes(void **state) {
    (void)state;
    assert_int_equal(replay("render", "stack", "--out", path_of("a.svg"), "--json"), 0);
    assert_says("\"result\":\"ok\"");
    assert_says("\"ticks\":[0]");
    assert_int_equal(number_after("\"shapes\":"), 11);
    assert_int_equal(number_after("\"joints\":"), 0);
    const uint64_t width = number_after("\"width\":"), height = number_after("\"height\":");
    read_picture("a.svg");
    assert_well_formed();
    assert_int_equal(count_drawn("dynamic"), 10);
    assert_int_equal(count_drawn("static"), 1);
    assert_shows("<title>stack at tick 0</title>");
    assert_shows(">tick 0 \u00B7 0.00 s</text>");
    assert_shows(" m</text>");
    char size[64];
    snprintf(size, sizeof size, "width=\"%u\" height=\"%u\"", (unsigned)width, (unsigned)height);
    assert_shows(size);
    // The ground is 100 m wide; what moves is not.
    assert_in_range(strtoull(strchr(strchr(strstr(tool_output, "\"view\":["), ',') + 1, ',') + 1, NULL, 10), 5, 20);
    // The same bytes again.
    assert_int_equal(replay("render", "stack", "--out", path_of("b.svg")), 0);
    char *first = strdup(picture);
    read_picture("b.svg");
    assert_string_equal(first, picture);
    free(first);
}

#define ROOM(bodies, joints) \
    "{\"format\":1,\"name\":\"room\",\"world\":{\"gravity\":[0,0]},\"bodies\":[" bodies "],\"joints\":[" joints "]}"
#define BOX(name, type, x, y)                                                  \
    "{\"name\":\"" name "\",\"type\":\"" type "\",\"position\":[" x "," y "]," \
    "\"shapes\":[{\"kind\":\"box\",\"half_width\":0.5,\"half_height\":0.5}]}"

static void test_places_are_those_of_the_view(void **state) {
    (void)state;
    write_text("room.json",
               ROOM(BOX("a", "dynamic", "1", "1") "," BOX(
                        "far", "dynamic", "100",
                        "1") ","
                             "{\"name\":\"c\",\"position\":[3,1],\"angle\":1.5707963,\"shapes\":[{\"kind\":\"circle\","
                             "\"radius\":0.25}]},"
                             "{\"name\":\"d\",\"type\":\"kinematic\",\"position\":[2,0.5],"
                             "\"shapes\":[{\"kind\":\"capsule\",\"points\":[[-0.5,0],[0.5,0]],\"radius\":0.125}]}",
                    ""));
    assert_int_equal(replay("render", path_of("room.json"), "--view", "0,0,4,2", "--width", "416", "--out",
                            path_of("a.svg"), "--json"),
                     0);
    // 100 pixels are a metre; the panel begins at (8, 28).
    assert_int_equal(number_after("\"height\":"), 236);
    read_picture("a.svg");
    assert_well_formed();
    assert_shows("<path d=\"M58 178L158 178L158 78L58 78Z\"/>");
    assert_shows("<circle cx=\"308\" cy=\"128\" r=\"25\"/>");
    assert_shows("<path d=\"M308 128L308 103\"/>"); // its x axis points up
    assert_int_equal(count_drawn("heading"), 1);
    assert_int_equal(count_drawn("kinematic"), 1);
    // A capsule is round on the outside: around (158, 178) from its upper to its lower side.
    assert_shows("M158 165.5A12.5 12.5 0 0 0");
    assert_int_equal(count_drawn("dynamic"), 2); // what is out of view is left out
    assert_int_equal(replay("render", path_of("room.json"), "--no-grid", "--out", path_of("a.svg")), 0);
    read_picture("a.svg");
    assert_int_equal(count_drawn("grid"), 0);
    assert_int_equal(count_drawn("dynamic"), 3);
}

/// Radii of 0.7 and 0.1 m, 1 m apart: the sides' normals have the cosine 0.6 with the way from end to end.
static void test_a_tapered_capsule_has_leaning_sides(void **state) {
    (void)state;
    write_text("taper.json", ROOM("{\"name\":\"t\",\"position\":[2,1],\"shapes\":[{\"kind\":\"capsule\","
                                  "\"points\":[[-0.5,0],[0.5,0]],\"radius\":0.7,\"radius_b\":0.1}]}",
                                  ""));
    assert_int_equal(
        replay("render", path_of("taper.json"), "--view", "0,0,4,2", "--width", "416", "--out", path_of("a.svg")), 0);
    read_picture("a.svg");
    assert_well_formed();
    assert_shows("<path d=\"M200 72A70 70 0 0 0 88 128A70 70 0 0 0 200 184L264 136A10 10 0 0 0 264 120Z\"/>");
}

static void test_one_body_far_away_does_not_shrink_the_others(void **state) {
    (void)state;
    write_text("crowd.json",
               ROOM("{\"generator\":\"row\",\"name\":\"r\",\"count\":12,\"step\":[1.5,0],\"body\":{\"position\":[0,0],"
                    "\"shapes\":[{\"kind\":\"circle\",\"radius\":0.5}]}}," BOX("lost", "dynamic", "0", "-9000"),
                    ""));
    assert_int_equal(replay("render", path_of("crowd.json"), "--out", path_of("a.svg"), "--json"), 0);
    const char *height = strrchr(strtok(strstr(tool_output, "\"view\":["), "]"), ',');
    assert_in_range(strtoull(height + 1, NULL, 10), 1, 40);
}

/// The four numbers of "view":[…] in the tool's output: x, y, width, height.
static void read_view(double view[4]) {
    const char *at = strstr(tool_output, "\"view\":[");
    assert_non_null(at);
    assert_int_equal(sscanf(at, "\"view\":[%lf,%lf,%lf,%lf]", &view[0], &view[1], &view[2], &view[3]), 4);
}

static bool view_holds(const double view[4], double x, double y) {
    return x >= view[0] && y >= view[1] && x <= view[0] + view[2] && y <= view[1] + view[3];
}

/// A game's mark of a point at (2, 1) is no view of its own: what is fixed belongs to it.
static void test_a_mark_without_extent_is_shown_with_what_is_beside_it(void **state) {
    (void)state;
    double view[4];
    write_text("point.json", "{\"format\":1,\"name\":\"point\",\"game\":{\"name\":\"leaky\"},\"bodies\":[" BOX(
                                 "wall", "static", "6", "3") "]}");
    write_text("alone.json", "{\"format\":1,\"name\":\"alone\",\"game\":{\"name\":\"leaky\"},\"bodies\":[]}");
    const char *const both[] = {"replay", "render", path_of("point.json"), "--out", path_of("a.svg"), "--json", NULL};
    assert_int_equal(e2e_run(E2E_LEAKY, both, tool_output, sizeof tool_output), 0);
    read_view(view);
    assert_true(view_holds(view, 2, 1) && view_holds(view, 5.5, 2.5) && view_holds(view, 6.5, 3.5));
    assert_true(view[2] < 20 && view[3] < 20);
    const char *const alone[] = {"replay", "render", path_of("alone.json"), "--out", path_of("a.svg"), "--json", NULL};
    assert_int_equal(e2e_run(E2E_LEAKY, alone, tool_output, sizeof tool_output), 0);
    read_view(view);
    assert_true(view_holds(view, 2, 1));
    assert_true(view[2] >= 1 && view[3] >= 1 && view[2] <= 4);
}

/// Two bodies of the scene hang on nothing: after four seconds they are 68 m below the ground.
static void test_what_falls_off_the_world_is_not_followed(void **state) {
    (void)state;
    double view[4];
    static const char *const ticks[] = {"160", "240", "600"};
    for (int i = 0; i < 3; ++i) {
        assert_int_equal(replay("render", "everything", "--tick", ticks[i], "--out", path_of("a.svg"), "--json"), 0);
        read_view(view);
        assert_true(view_holds(view, -20, 0) && view_holds(view, 20, 0) && view_holds(view, 0, 12));
        assert_true(view[1] > -12 && view[3] < 40);
    }
    // When all fall, the fall is what there is to see.
    write_text(
        "rain.json",
        "{\"format\":1,\"name\":\"rain\",\"bodies\":[" BOX(
            "ledge", "static", "0",
            "0") ","
                 "{\"generator\":\"row\",\"name\":\"r\",\"count\":12,\"step\":[1.5,0],\"body\":{\"position\":[2,5],"
                 "\"shapes\":[{\"kind\":\"circle\",\"radius\":0.5}]}}]}");
    assert_int_equal(replay("render", path_of("rain.json"), "--tick", "240", "--out", path_of("a.svg"), "--json"), 0);
    read_view(view);
    assert_true(view[1] < -60);
}

/// The largest radius of an arc in the groups of this class [pixels].
static double largest_arc(const char *name) {
    char open[64];
    double largest = 0;
    snprintf(open, sizeof open, "<g class=\"%s\"", name);
    for (const char *at = picture; (at = strstr(at, open)) != NULL; ++at) {
        const char *end = strstr(at, "</g>");
        for (const char *arc = at; (arc = strpbrk(arc + 1, "A")) != NULL && arc < end;) {
            const double radius = strtod(arc + 1, NULL);
            largest = radius > largest ? radius : largest;
        }
    }
    return largest;
}

static void test_limits_of_ragdolls_do_not_hide_them(void **state) {
    (void)state;
    assert_int_equal(replay("render", "ragdolls", "--tick", "120", "--width", "900", "--out", path_of("a.svg")), 0);
    read_picture("a.svg");
    assert_true(count_drawn("limit") >= 60); // all are there
    assert_true(largest_arc("limit") > 1);
    assert_true(largest_arc("limit") <= largest_arc("dynamic")); // but no larger than the limbs are thick
    const char *limit = strstr(picture, "<g class=\"limit\"");
    assert_int_equal(strncmp(limit + strlen("<g class=\"limit\""), " fill=\"none\"", 12), 0);
    // One limit is what its picture is about.
    read_document("joints/revolute.svg");
    assert_true(largest_arc("limit") >= 9);
}

static void test_joints_and_contacts_are_drawn_when_wanted(void **state) {
    (void)state;
    assert_int_equal(replay("render", "ragdolls", "--tick", "100", "--out", path_of("a.svg"), "--json"), 0);
    assert_int_equal(number_after("\"joints\":"), 200);
    assert_int_equal(number_after("\"contact_points\":"), 0);
    read_picture("a.svg");
    assert_well_formed();
    assert_int_equal(count_drawn("anchor"), 400);
    assert_int_equal(count_drawn("limit"), 200);
    assert_int_equal(count_drawn("angle"), 200);
    assert_int_equal(count_drawn("touch") + count_drawn("near"), 0);
    assert_int_equal(replay("render", "ragdolls", "--tick", "100", "--no-joints", "--contacts", "--centres", "--out",
                            path_of("a.svg"), "--json"),
                     0);
    read_picture("a.svg");
    assert_well_formed();
    assert_int_equal(count_drawn("anchor") + count_drawn("limit") + count_drawn("link"), 0);
    const uint64_t contacts = number_after("\"contact_points\":");
    assert_true(contacts > 50);
    assert_int_equal(count_drawn("touch") + count_drawn("near"), contacts);
    assert_int_equal(count_drawn("normal"), 2 * contacts); // a line and a head
    assert_int_equal(count_drawn("centre"), 2 * 221);
}

static void test_what_sleeps_and_what_is_off_is_pale(void **state) {
    (void)state;
    assert_int_equal(replay("render", "stack", "--tick", "300", "--out", path_of("a.svg")), 0);
    read_picture("a.svg");
    assert_int_equal(count_drawn("asleep"), 10);
    assert_shows("fill=\"#d1dfee\"");
    assert_int_equal(count_drawn("dynamic"), 0);
    write_text("off.json", ROOM(BOX("a", "dynamic", "0", "0") "," BOX("b", "dynamic", "3", "0"),
                                "{\"kind\":\"distance\",\"body_a\":\"a\",\"body_b\":\"b\",\"enabled\":false}"));
    assert_int_equal(replay("render", path_of("off.json"), "--out", path_of("a.svg")), 0);
    read_picture("a.svg");
    assert_shows("<g class=\"link\" fill=\"none\" stroke=\"#a0aec0\" stroke-width=\"1.6\" stroke-dasharray=\"3\">");
}

// ---- strips --------------------------------------------------------------------------------------

static void test_a_strip_has_a_panel_for_each_of_its_ticks(void **state) {
    (void)state;
    assert_int_equal(replay("render", "heavy-chain", "--strip", "0:60:4", "--out", path_of("a.svg"), "--json"), 0);
    assert_says("\"ticks\":[0,20,40,60]");
    assert_int_equal(number_after("\"width\":"), 1200);
    read_picture("a.svg");
    assert_well_formed();
    assert_int_equal(count_shown("<clipPath "), 4);
    assert_shows(">tick 0 \u00B7 0.00 s<");
    assert_shows(">tick 20 \u00B7 0.33 s<");
    assert_shows(">tick 60 \u00B7 1.00 s<");
    assert_int_equal(count_drawn("scale"), 1);
    assert_int_equal(count_drawn("dynamic"), 4 * 31);
    assert_int_equal(
        replay("render", "heavy-chain", "--strip", "0:60:4", "--overlay", "--out", path_of("a.svg"), "--json"), 0);
    assert_int_equal(number_after("\"width\":"), 800);
    read_picture("a.svg");
    assert_int_equal(count_shown("<clipPath "), 1);
    assert_shows(">ticks 0 to 60 \u00B7 0.00 s to 1.00 s<");
    assert_int_equal(count_drawn("dynamic"), 4 * 31);
    assert_int_equal(replay("render", "stack", "--strip", "0:3:3", "--out", path_of("a.svg"), "--json"), 0);
    assert_says("\"ticks\":[0,2,3]");
}

// ---- recordings ----------------------------------------------------------------------------------

static void test_a_recording_looks_like_what_was_recorded(void **state) {
    (void)state;
    assert_int_equal(replay("simulate", "heavy-chain", "--ticks", "700", "--force", "--record", path_of("a.isr")), 0);
    const char *const choices[][2] = {{"--tick", "650"}, {"--strip", "10:640:4"}};
    for (size_t i = 0; i < 2; ++i) {
        assert_int_equal(replay("render", path_of("a.isr"), choices[i][0], choices[i][1], "--out", path_of("a.svg")),
                         0);
        assert_int_equal(replay("render", "heavy-chain", choices[i][0], choices[i][1], "--out", path_of("b.svg")), 0);
        read_picture("a.svg");
        char *first = strdup(picture);
        read_picture("b.svg");
        assert_string_equal(first, picture);
        free(first);
    }
    assert_int_equal(replay("render", path_of("a.isr"), "--out", path_of("a.svg"), "--json"), 0);
    assert_says("\"ticks\":[700]");
}

static void test_members_bodies_have_colours_of_their_own(void **state) {
    (void)state;
    e2e_recording w = {0};
    e2e_recording_make(&w, path_of("members.isr"), 330);
    assert_int_equal(replay("render", path_of("members.isr"), "--tick", "330", "--out", path_of("a.svg")), 0);
    read_picture("a.svg");
    assert_well_formed();
    assert_shows("fill=\"#fbd9b0\""); // slot 0
}

// ---- what cannot be written ----------------------------------------------------------------------

/// The picture could not be made or written, and the program says why.
static void refused_file(const char *name, const char *done, int error) {
    char says[300];
    snprintf(says, sizeof says, "%s: it could not be %s: %s", path_of(name), done, strerror(error));
    assert_int_equal(replay("render", "stack", "--out", path_of(name)), 3);
    assert_says(says);
}

static void test_a_picture_that_cannot_be_written_is_told_with_the_reason(void **state) {
    (void)state;
    refused_file("no/folder.svg", "made", ENOENT);
    assert_int_equal(symlink("/dev/full", path_of("full.svg")), 0);
    refused_file("full.svg", "written", ENOSPC);
}

// ---- PNG -----------------------------------------------------------------------------------------

static void test_png_has_the_size_that_was_told(void **state) {
    (void)state;
#ifdef E2E_HAS_PNG
    ignore_leaks_of_fonts();
    assert_int_equal(replay("render", "everything", "--strip", "0:60:3", "--contacts", "--centres", "--width", "700",
                            "--out", path_of("a.png"), "--json"),
                     0);
    const uint64_t height = number_after("\"height\":");
    assert_int_equal(number_after("\"width\":"), 700);
    read_picture("a.png");
    assert_memory_equal(picture, "\x89PNG\r\n\x1a\n\0\0\0\rIHDR", 16);
    const uint8_t *at = (const uint8_t *)picture + 16;
    assert_int_equal(at[0] << 24 | at[1] << 16 | at[2] << 8 | at[3], 700);
    assert_int_equal((uint64_t)(at[4] << 24 | at[5] << 16 | at[6] << 8 | at[7]), height);
    assert_true(picture_size > 4000); // not an empty sheet
    refused_file("no/folder.png", "made", ENOENT);
    assert_int_equal(symlink("/dev/full", path_of("full.png")), 0);
    refused_file("full.png", "written", ENOSPC);
#else
    assert_int_equal(replay("render", "stack", "--out", path_of("a.png")), 2);
    assert_says("built without cairo");
    assert_int_not_equal(access(path_of("a.png"), F_OK), 0);
#endif
}

// ---- the documents' pictures ---------------------------------------------------------------------

/// The joints of a document: each scene of a folder runs, is drawn, and stands in the section of its kind.
/// @param option, value  of a picture that holds all that may be there
static void assert_joints_are_drawn(const char *folder, const char *document, const char *option, const char *value,
                                    size_t least) {
    char pattern[512];
    glob_t scenes;
    snprintf(pattern, sizeof pattern, "%s/%s/*.json", E2E_PROTO_DIR, folder);
    assert_int_equal(glob(pattern, 0, NULL, &scenes), 0);
    assert_true(scenes.gl_pathc >= least);
    for (size_t i = 0; i < scenes.gl_pathc; ++i) {
        char name[64], drawn[96];
        snprintf(name, sizeof name, "%s", strrchr(scenes.gl_pathv[i], '/') + 1);
        *strchr(name, '.') = 0;
        assert_int_equal(replay("simulate", scenes.gl_pathv[i], "--ticks", "600", "--json"), 0);
        assert_int_equal(replay("render", scenes.gl_pathv[i], "--tick", "600", "--contacts", "--centres", option, value,
                                "--out", path_of("a.svg"), "--json"),
                         0);
        assert_true(number_after("\"joints\":") >= 1);
        snprintf(drawn, sizeof drawn, "%s/%s.svg", folder, name);
        read_picture(drawn); // by pictures.sh
        assert_well_formed();
        assert_true(count_drawn("anchor") >= 2);
        read_document(document);
        char text[192];
        snprintf(text, sizeof text, "](%s/%s.svg)\n", folder, name);
        assert_shows(text);
        const char *section = strstr(picture, text);
        snprintf(text, sizeof text, "[%s/%s.json](%s/%s.json)", folder, name, folder, name);
        assert_shows(text);
        snprintf(text, sizeof text, "\n## %s\n", name);
        assert_shows(text);
        const char *heading = strstr(picture, text);
        assert_true(heading < section && strstr(heading + 1, "\n## ") == strstr(section, "\n## "));
    }
    globfree(&scenes);
}

static void test_every_joint_of_the_documents_runs_and_is_drawn(void **state) {
    (void)state;
    char script[512];
    snprintf(script, sizeof script, "%s/pictures.sh", E2E_PROTO_DIR);
    const char *const words[] = {script, E2E_REPLAY, tool_folder, NULL};
    if (e2e_run("/bin/sh", words, tool_output, sizeof tool_output) != 0) {
        fail_msg("pictures.sh: %s", tool_output);
    }
    assert_joints_are_drawn("joints", "JOINTS.md", "--view", "-20,-20,40,40", 16);
    assert_joints_are_drawn("joints3", "JOINTS3.md", "--span", "40", 11);
}

/// Pictures are what this build draws: scenes, solver and drawing have no others.
static void test_pictures_of_the_documents_are_current(void **state) {
    (void)state;
    static const char *const folders[] = {"joints", "joints3", "pictures"};
    for (int i = 0; i < 3; ++i) {
        char pattern[512];
        glob_t drawn;
        snprintf(pattern, sizeof pattern, "%s/%s/*.svg", tool_folder, folders[i]); // by pictures.sh, in the test before
        assert_int_equal(glob(pattern, 0, NULL, &drawn), 0);
        assert_true(drawn.gl_pathc >= 5);
        for (size_t k = 0; k < drawn.gl_pathc; ++k) {
            char name[96];
            static char expected[sizeof picture];
            snprintf(name, sizeof name, "%s/%s", folders[i], strrchr(drawn.gl_pathv[k], '/') + 1);
            read_document(name); // as committed
            memcpy(expected, picture, sizeof picture);
            read_picture(name);
            if (strcmp(picture, expected) != 0) {
                fail_msg(
                    "proto/%s is another picture now. Look at it, then: cmake --build build/release --target pictures",
                    name);
            }
        }
        globfree(&drawn);
    }
}

// ---- bad input -----------------------------------------------------------------------------------

static void assert_refused(int code, const char *says, const char *const *words) {
    const char *line[16] = {"render"};
    for (size_t i = 0; words[i] != NULL; ++i) {
        line[i + 1] = words[i];
        line[i + 2] = NULL;
    }
    assert_int_equal(e2e_run(E2E_REPLAY, line, tool_output, sizeof tool_output), code);
    assert_says(says);
    assert_int_not_equal(access(path_of("bad.svg"), F_OK), 0);
}
#define refused(code, says, ...) assert_refused(code, says, (const char *const[]){__VA_ARGS__, NULL})

static void test_bad_words_are_refused_by_name(void **state) {
    (void)state;
    char out[128]; // path_of's is valid for so long only
    snprintf(out, sizeof out, "%s", path_of("bad.svg"));
    refused(2, "expected a name that ends in .svg or .png", "stack", "--out", path_of("a.jpg"));
    refused(2, "expected a name that ends in .svg or .png", "stack", "--out", ".svg");
    refused(2, "--out is missing", "stack");
    refused(2, "is missing", "--out", out);
    refused(2, "--tick x: expected a whole number", "stack", "--tick", "x", "--out", out);
    const char *const strips[] = {"",        "5",      "0:10",    "10:0:3",  "0:10:1", "0:10:33",
                                  "0:10:3:", "a:10:3", "0:10:3x", "-1:10:3", "0::3",   "0:99999999999999999999:3"};
    for (size_t i = 0; i < sizeof strips / sizeof strips[0]; ++i) {
        refused(2, "expected FROM:TO:COUNT", "stack", "--strip", strips[i], "--out", out);
    }
    const char *const views[] = {"",        "1,2,3",   "1,2,3,0",   "1,2,-3,4",  "1,2,3,4,5",
                                 "1,2,3,x", "1;2;3;4", "nan,0,1,1", "1,2,inf,1", "1e9,0,1,1"};
    for (size_t i = 0; i < sizeof views / sizeof views[0]; ++i) {
        refused(2, "expected X,Y,W,H", "stack", "--view", views[i], "--out", out);
    }
    refused(2, "from 64 to 16384", "stack", "--width", "63", "--out", out);
    refused(2, "two answers", "stack", "--tick", "1", "--strip", "0:10:3", "--out", out);
    refused(2, "--overlay is of a --strip", "stack", "--tick", "1", "--overlay", "--out", out);
    refused(2, "choose another --width or --view", "stack", "--view", "0,0,1,1000", "--out", out);
    refused(2, "choose another --width or --view", "stack", "--strip", "0:31:32", "--width", "400", "--out", out);
}

static void test_bad_files_are_refused_by_name(void **state) {
    (void)state;
    char out[128]; // path_of's is valid for so long only
    snprintf(out, sizeof out, "%s", path_of("bad.svg"));
    refused(3, "Built-in scenes: ", "no-such-scene", "--out", out);
    refused(3, "No such file or directory", path_of("none.isr"), "--out", out);
    write_text("broken.json", "{\"format\":1,");
    refused(3, "broken.json: line 1", path_of("broken.json"), "--out", out);
    write_text("empty.json", ROOM("", ""));
    refused(2, "there is nothing to draw at tick 5", path_of("empty.json"), "--tick", "5", "--out", out);
    e2e_recording w = {0};
    e2e_recording_make(&w, path_of("a.isr"), 50);
    refused(2, "tick 51: the recording goes from tick 0 to 50", path_of("a.isr"), "--tick", "51", "--out", out);
    refused(2, "tick 60: the recording goes from tick 0 to 50", path_of("a.isr"), "--strip", "0:60:3", "--out", out);
    const uint64_t size = e2e_file_copy(path_of("a.isr"), path_of("cut.isr"), 0, -1);
    e2e_file_copy(path_of("a.isr"), path_of("cut.isr"), size - 20, -1);
    refused(3, "cut.isr: ", path_of("cut.isr"), "--tick", "10", "--out", out);
    // An empty world is an empty place, when somebody says where.
    assert_int_equal(replay("render", path_of("empty.json"), "--view", "0,0,3,2", "--out", path_of("place.svg")), 0);
    read_picture("place.svg");
    assert_well_formed();
    assert_shows("<g class=\"grid\"");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_scene_is_drawn_with_all_its_shapes),
        cmocka_unit_test(test_places_are_those_of_the_view),
        cmocka_unit_test(test_a_tapered_capsule_has_leaning_sides),
        cmocka_unit_test(test_one_body_far_away_does_not_shrink_the_others),
        cmocka_unit_test(test_a_mark_without_extent_is_shown_with_what_is_beside_it),
        cmocka_unit_test(test_what_falls_off_the_world_is_not_followed),
        cmocka_unit_test(test_limits_of_ragdolls_do_not_hide_them),
        cmocka_unit_test(test_joints_and_contacts_are_drawn_when_wanted),
        cmocka_unit_test(test_what_sleeps_and_what_is_off_is_pale),
        cmocka_unit_test(test_a_strip_has_a_panel_for_each_of_its_ticks),
        cmocka_unit_test(test_a_recording_looks_like_what_was_recorded),
        cmocka_unit_test(test_members_bodies_have_colours_of_their_own),
        cmocka_unit_test(test_a_picture_that_cannot_be_written_is_told_with_the_reason),
        cmocka_unit_test(test_png_has_the_size_that_was_told),
        cmocka_unit_test(test_every_joint_of_the_documents_runs_and_is_drawn),
        cmocka_unit_test(test_pictures_of_the_documents_are_current),
        cmocka_unit_test(test_bad_words_are_refused_by_name),
        cmocka_unit_test(test_bad_files_are_refused_by_name),
    };
    return cmocka_run_group_tests(tests, tool_set_up, tool_tear_down);
}
