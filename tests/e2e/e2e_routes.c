#include "e2e_routes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "e2e.h"

#define LINE_SIZE 2048

static const char *cell(const char *line, unsigned number, char *text, size_t size) {
    for (unsigned i = 0; i <= number && line != NULL; ++i) {
        line = strchr(line + (i > 0), '|');
    }
    assert_non_null(line);
    line += 1 + strspn(line + 1, " `");
    size_t length = strcspn(line, "|");
    while (length > 0 && strchr(" `", line[length - 1]) != NULL) {
        --length;
    }
    snprintf(text, size, "%.*s", (int)length, line);
    return text;
}

size_t e2e_routes_read(e2e_route routes[E2E_ROUTES_MAX]) {
    char line[LINE_SIZE], number[32];
    bool is_within = false;
    size_t count = 0;
    FILE *document = fopen(E2E_API_DOCUMENT, "r");
    assert_non_null(document);
    while (fgets(line, sizeof line, document) != NULL) {
        const bool is_row = line[0] == '|';
        if (is_within && is_row && strncmp(line, "|---", 4) != 0) {
            assert_true(count < E2E_ROUTES_MAX);
            e2e_route *to = &routes[count++];
            cell(line, 0, to->method, sizeof to->method);
            cell(line, 1, to->path, sizeof to->path);
            cell(line, 2, to->role, sizeof to->role);
            cell(line, 3, to->where, sizeof to->where);
            to->body_max = strtoul(cell(line, 4, number, sizeof number), NULL, 10);
        }
        is_within = (is_within && is_row) || strncmp(line, "| method | path |", 17) == 0;
    }
    fclose(document);
    assert_true(count >= 11);
    return count;
}

void e2e_route_fill_in(const e2e_route *route, const char *parameter, char *path, size_t size) {
    size_t fill = 0;
    for (const char *pattern = route->path; *pattern != '\0'; ++pattern) {
        fill +=
            (size_t)snprintf(path + fill, size - fill, "%s", *pattern == '{' ? parameter : (char[]){*pattern, '\0'});
        if (*pattern == '{') {
            pattern = strchr(pattern, '}');
        }
    }
}
