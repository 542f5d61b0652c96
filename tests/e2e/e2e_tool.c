#include "e2e_tool.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "e2e.h"

char tool_folder[64];
char tool_output[1u << 16];

int tool_set_up(void **state) {
    (void)state;
    e2e_limit_seconds(110);
    e2e_folder_make(tool_folder);
    return 0;
}

int tool_tear_down(void **state) {
    (void)state;
    e2e_folder_remove(tool_folder);
    return 0;
}

const char *path_of(const char *name) {
    static char paths[16][128];
    static int next;
    char *path = paths[next++ % 16];
    snprintf(path, sizeof paths[0], "%s/%s", tool_folder, name);
    return path;
}

uint64_t number_after(const char *key) {
    const char *at = strstr(tool_output, key);
    if (at == NULL) {
        fail_msg("no %s in: %s", key, tool_output);
        return 0;
    }
    return strtoull(at + strlen(key), NULL, 10);
}

void assert_says(const char *text) {
    if (strstr(tool_output, text) == NULL) {
        fail_msg("no %s in: %s", text, tool_output);
    }
}
