#include "http/routes.h"

#include <stdio.h>
#include <string.h>

#include "isostep/assert.h"

#define ROUTE_ROW(handler, method, path, role, listener, body) \
    [ISO__HTTP_ROUTE_##                                        \
        handler] = {#handler, ISO__HTTP_##method, path, ISO__HTTP_ROLE_##role, ISO__HTTP_LISTENER_##listener, body},
const iso__http_route iso__http_routes[ISO__HTTP_ROUTE_COUNT] = {ISO__HTTP_ROUTE_LIST(ROUTE_ROW)};
#undef ROUTE_ROW

const char *iso__http_method_name(iso__http_method method) {
    static const char *const names[] = {
        [ISO__HTTP_GET] = "GET",       [ISO__HTTP_HEAD] = "HEAD", [ISO__HTTP_POST] = "POST",
        [ISO__HTTP_DELETE] = "DELETE", [ISO__HTTP_OTHER] = "",
    };
    return names[method];
}

/// Where the parameters of a path are.
typedef struct places {
    size_t begin[ISO__HTTP_PARAMS_MAX], size[ISO__HTTP_PARAMS_MAX];
    size_t count;
} places;

/// Whether the path is one of the pattern's.
static bool fits(const char *pattern, const char *path, places *found) {
    const char *at = path;
    found->count = 0;
    while (*pattern != '\0') {
        if (*pattern != '{') {
            if (*pattern++ != *at++) {
                return false;
            }
            continue;
        }
        const bool is_rest = strncmp(pattern, "{path}", 6) == 0;
        const size_t size = is_rest ? strlen(at) : strcspn(at, "/");
        if (size == 0 && !is_rest) {
            return false;
        }
        found->begin[found->count] = (size_t)(at - path);
        found->size[found->count++] = size;
        at += size;
        pattern = strchr(pattern, '}') + 1;
    }
    return *at == '\0';
}

static void copy_params(const char *path, const places *found, iso__http_match *match) {
    size_t fill = 0;
    for (size_t i = 0; i < found->count; ++i) {
        match->params[i] = match->text + fill;
        memcpy(match->text + fill, path + found->begin[i], found->size[i]);
        fill += found->size[i];
        match->text[fill++] = '\0';
    }
}

static void add_method(iso__http_match *match, iso__http_method method) {
    const size_t fill = strlen(match->allow);
    snprintf(match->allow + fill, sizeof match->allow - fill, "%s%s", fill > 0 ? ", " : "",
             method == ISO__HTTP_GET ? "GET, HEAD" : iso__http_method_name(method));
}

unsigned iso__http_route_find(iso__http_method method, const char *path, iso__http_match *match) {
    ISO_ASSERT(method <= ISO__HTTP_OTHER && path[0] == '/');
    const char *pattern = NULL;
    places found = {.count = 0};
    match->route = NULL;
    match->allow[0] = '\0';
    memset(match->params, 0, sizeof match->params);
    for (size_t i = 0; i < ISO__HTTP_ROUTE_COUNT; ++i) {
        const iso__http_route *route = &iso__http_routes[i];
        const bool is_same = pattern != NULL && strcmp(pattern, route->path) == 0;
        if (pattern == NULL ? !fits(route->path, path, &found) : !is_same) {
            continue;
        }
        pattern = route->path;
        add_method(match, route->method);
        if (route->method == method || (route->method == ISO__HTTP_GET && method == ISO__HTTP_HEAD)) {
            match->route = route;
        }
    }
    if (pattern == NULL) {
        return 404;
    }
    copy_params(path, &found, match);
    return match->route != NULL ? 200 : 405;
}
