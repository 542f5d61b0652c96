#include "e2e_picture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "e2e.h"
#include "e2e_tool.h"

char picture[PICTURE_SIZE];
size_t picture_size;

void read_picture(const char *name) {
    FILE *in = fopen(path_of(name), "rb");
    assert_non_null(in);
    picture_size = fread(picture, 1, sizeof picture - 1, in);
    picture[picture_size] = 0;
    fclose(in);
    assert_in_range(picture_size, 1, sizeof picture - 2);
}

void write_text(const char *name, const char *text) {
    FILE *out = fopen(path_of(name), "wb");
    assert_non_null(out);
    fputs(text, out);
    assert_int_equal(fclose(out), 0);
}

void ignore_leaks_of_fonts(void) {
    write_text("leaks", "leak:libfontconfig\n");
    char options[128];
    snprintf(options, sizeof options, "suppressions=%s:print_suppressions=0", path_of("leaks"));
    setenv("LSAN_OPTIONS", options, 1);
}

static unsigned count_text(const char *begin, const char *end, const char *text) {
    unsigned count = 0;
    for (const char *at = begin; (at = strstr(at, text)) != NULL && at < end; at += strlen(text)) {
        ++count;
    }
    return count;
}

unsigned count_shown(const char *text) {
    return count_text(picture, picture + picture_size, text);
}

unsigned count_drawn(const char *name) {
    char open[64];
    snprintf(open, sizeof open, "<g class=\"%s\"", name);
    unsigned drawn = 0;
    for (const char *at = picture; (at = strstr(at, open)) != NULL; ++at) {
        const char *end = strstr(at, "</g>");
        assert_non_null(end);
        drawn += count_text(at, end, "<path") + count_text(at, end, "<circle");
    }
    return drawn;
}

void assert_shows(const char *text) {
    if (strstr(picture, text) == NULL) {
        fail_msg("no %s in: %.4000s", text, picture);
    }
}

void read_document(const char *name) {
    char path[512];
    snprintf(path, sizeof path, "%s/%s", E2E_PROTO_DIR, name);
    FILE *in = fopen(path, "rb");
    if (in == NULL) {
        fail_msg("%s is not there", path);
        return;
    }
    picture_size = fread(picture, 1, sizeof picture - 1, in);
    picture[picture_size] = 0;
    fclose(in);
}

void assert_well_formed(void) {
    const char *stack[16];
    size_t depth = 0;
    for (const char *at = strchr(picture, '<'); at != NULL; at = strchr(at, '<')) {
        const char *end = strchr(at, '>');
        assert_non_null(end);
        assert_null(memchr(at + 1, '<', (size_t)(end - at - 1)));
        const size_t size = strcspn(at + 1 + (at[1] == '/'), " />");
        if (at[1] == '/') {
            assert_true(depth > 0);
            --depth;
            assert_memory_equal(stack[depth], at + 2, size);
        } else if (end[-1] != '/') {
            assert_true(depth < 16);
            stack[depth++] = at + 1;
        }
        at = end;
    }
    assert_int_equal(depth, 0);
    assert_string_equal(picture + picture_size - 7, "</svg>\n");
}
