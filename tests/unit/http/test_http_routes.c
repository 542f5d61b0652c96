/// The routes: how a request finds its own, and that server/API.md and server/openapi.json say the same of each.
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <cmocka.h>
#include <json-c/json.h>

#include "http/routes.h"

#define LINE_SIZE 2048

static void test_requests_find_their_route(void **state) {
    (void)state;
    static const struct {
        iso__http_method method;
        const char *path;
        unsigned status;
        const char *handler, *param;
    } cases[] = {
        {ISO__HTTP_GET, "/healthz", 200, "health", NULL},
        {ISO__HTTP_HEAD, "/healthz", 200, "health", NULL},
        {ISO__HTTP_GET, "/healthz/", 200, "page", "healthz/"},
        {ISO__HTTP_POST, "/healthz", 405, NULL, NULL},
        {ISO__HTTP_GET, "/", 200, "page", ""},
        {ISO__HTTP_GET, "/assets/a.js", 200, "page", "assets/a.js"},
        {ISO__HTTP_DELETE, "/assets/a.js", 405, NULL, NULL},
        {ISO__HTTP_GET, "/api/sessions", 200, "sessions", NULL},
        {ISO__HTTP_POST, "/api/sessions", 200, "create_session", NULL},
        {ISO__HTTP_OTHER, "/api/sessions", 405, NULL, NULL},
        {ISO__HTTP_DELETE, "/api/sessions/main", 200, "end_session", "main"},
        {ISO__HTTP_GET, "/api/sessions/main", 405, NULL, NULL},
        {ISO__HTTP_DELETE, "/api/sessions/", 405, NULL, NULL},
        {ISO__HTTP_DELETE, "/api/sessions/a/b", 405, NULL, NULL},
        {ISO__HTTP_GET, "/api/recordings/a.isr", 200, "recording", "a.isr"},
    };
    iso__http_match match;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        const unsigned status = iso__http_route_find(cases[i].method, cases[i].path, &match);
        if (status != cases[i].status) {
            fail_msg("%s: %u", cases[i].path, status);
        }
        if (status != 200) {
            continue;
        }
        assert_string_equal(match.route->handler, cases[i].handler);
        if (cases[i].param == NULL) {
            assert_null(match.params[0]);
        } else {
            assert_string_equal(match.params[0], cases[i].param);
        }
        assert_null(match.params[1]);
    }
    assert_int_equal(iso__http_route_find(ISO__HTTP_OTHER, "/api/sessions", &match), 405);
    assert_string_equal(match.allow, "GET, HEAD, POST");
    assert_int_equal(iso__http_route_find(ISO__HTTP_GET, "/api/sessions/a", &match), 405);
    assert_string_equal(match.allow, "DELETE");
}

static void test_every_change_needs_a_role_and_is_the_admins_address_only(void **state) {
    (void)state;
    for (size_t i = 0; i < ISO__HTTP_ROUTE_COUNT; ++i) {
        const iso__http_route *route = &iso__http_routes[i];
        if (route->method == ISO__HTTP_GET) {
            continue;
        }
        if (route->role < ISO__HTTP_ROLE_MODERATE || route->listener != ISO__HTTP_LISTENER_ADMIN) {
            fail_msg("%s", route->handler);
        }
    }
}

/// A cell of a table's row, without the blanks and quotes around it.
static const char *cell(const char *line, unsigned number, char *text) {
    for (unsigned i = 0; i <= number && line != NULL; ++i) {
        line = strchr(line + (i > 0), '|');
    }
    assert_non_null(line);
    line += 1 + strspn(line + 1, " `");
    size_t size = strcspn(line, "|");
    while (size > 0 && strchr(" `", line[size - 1]) != NULL) {
        --size;
    }
    snprintf(text, LINE_SIZE, "%.*s", (int)size, line);
    return text;
}

static const char *where_of(const iso__http_route *route) {
    return route->listener == ISO__HTTP_LISTENER_ADMIN ? "admin" : "all";
}

static void expect_row(const char *line, const iso__http_route *route) {
    char text[LINE_SIZE], path[LINE_SIZE];
    const char *method = iso__http_method_name(route->method);
    if (strcmp(cell(line, 0, text), method) != 0 || strcmp(cell(line, 1, path), route->path) != 0) {
        fail_msg("server/API.md: the row of %s %s stands where routes.h has %s %s", text, path, method, route->path);
    }
    assert_string_equal(cell(line, 2, text), iso__http_role_name(route->role));
    assert_string_equal(cell(line, 3, text), where_of(route));
    assert_int_equal(strtoul(cell(line, 4, text), NULL, 10), route->body_max);
    assert_true(strlen(cell(line, 5, text)) > 10);
}

static void test_document_has_the_routes(void **state) {
    (void)state;
    char line[LINE_SIZE];
    size_t count = 0;
    bool is_within = false;
    FILE *file = fopen(API_DOCUMENT, "r");
    assert_non_null(file);
    while (fgets(line, sizeof line, file) != NULL) {
        assert_non_null(strchr(line, '\n'));
        const bool is_row = line[0] == '|';
        if (is_within && is_row && strncmp(line, "|---", 4) != 0) {
            if (count == ISO__HTTP_ROUTE_COUNT) {
                fail_msg("server/API.md: a row beyond the routes of routes.h: %s", line);
            }
            expect_row(line, &iso__http_routes[count++]);
        }
        is_within = (is_within && is_row) || strncmp(line, "| method | path |", 17) == 0;
    }
    fclose(file);
    if (count < ISO__HTTP_ROUTE_COUNT) {
        fail_msg("server/API.md: no row of %s", iso__http_routes[count].path);
    }
}

static const char *text_of(json_object *object, const char *key) {
    json_object *value = NULL;
    return json_object_object_get_ex(object, key, &value) ? json_object_get_string(value) : "";
}

/// The parameters of the path are those of the operation.
static void expect_params(json_object *operation, const char *path) {
    size_t count = 0;
    json_object *list = NULL;
    json_object_object_get_ex(operation, "parameters", &list);
    for (const char *at = path; (at = strchr(at, '{')) != NULL; ++at, ++count) {
        char name[64];
        snprintf(name, sizeof name, "%.*s", (int)(strchr(at, '}') - at - 1), at + 1);
        assert_true(list != NULL && count < json_object_array_length(list));
        assert_string_equal(text_of(json_object_array_get_idx(list, count), "name"), name);
    }
    assert_int_equal(list != NULL ? json_object_array_length(list) : 0, count);
}

static void expect_operation(json_object *operation, const iso__http_route *route) {
    json_object *value = NULL;
    assert_string_equal(text_of(operation, "operationId"), route->handler);
    assert_string_equal(text_of(operation, "x-role"), iso__http_role_name(route->role));
    assert_string_equal(text_of(operation, "x-where"), where_of(route));
    assert_true(strlen(text_of(operation, "summary")) > 5);
    assert_int_equal(strtoul(text_of(operation, "x-body-max"), NULL, 10), route->body_max);
    assert_int_equal(json_object_object_get_ex(operation, "requestBody", &value), route->body_max > 0);
    assert_int_equal(json_object_object_get_ex(operation, "security", &value), route->role != ISO__HTTP_ROLE_NONE);
    assert_true(json_object_object_get_ex(operation, "responses", &value) && json_object_object_length(value) > 0);
    assert_int_equal(json_object_object_get_ex(value, "401", NULL), route->role != ISO__HTTP_ROLE_NONE);
    assert_int_equal(json_object_object_get_ex(value, "403", NULL),
                     route->role != ISO__HTTP_ROLE_NONE || strcmp(route->handler, "socket") == 0);
    expect_params(operation, route->path);
}

/// Every "$ref" leads to a schema.
static void expect_references(json_object *at, json_object *schemas) {
    if (json_object_is_type(at, json_type_array)) {
        for (size_t i = 0; i < json_object_array_length(at); ++i) {
            expect_references(json_object_array_get_idx(at, i), schemas);
        }
    } else if (json_object_is_type(at, json_type_object)) {
        const char *reference = text_of(at, "$ref");
        if (reference[0] != '\0' && !json_object_object_get_ex(schemas, strrchr(reference, '/') + 1, NULL)) {
            fail_msg("%s", reference);
        }
        json_object_object_foreach(at, key, value) {
            (void)key;
            expect_references(value, schemas);
        }
    }
}

static void test_openapi_has_the_routes(void **state) {
    (void)state;
    json_object *document = json_object_from_file(OPENAPI_DOCUMENT), *paths = NULL, *components = NULL, *schemas = NULL;
    assert_non_null(document);
    assert_string_equal(text_of(document, "openapi"), "3.1.0");
    assert_true(json_object_object_get_ex(document, "paths", &paths));
    assert_true(json_object_object_get_ex(document, "components", &components));
    assert_true(json_object_object_get_ex(components, "schemas", &schemas));
    size_t count = 0;
    json_object_object_foreach(paths, path, methods) {
        (void)path;
        count += (size_t)json_object_object_length(methods);
    }
    for (size_t i = 0; i < ISO__HTTP_ROUTE_COUNT; ++i) {
        char method[16];
        json_object *methods_of_path = NULL, *operation = NULL;
        snprintf(method, sizeof method, "%s", iso__http_method_name(iso__http_routes[i].method));
        for (char *c = method; *c != '\0'; ++c) {
            *c = (char)(*c - 'A' + 'a');
        }
        if (!json_object_object_get_ex(paths, iso__http_routes[i].path, &methods_of_path) ||
            !json_object_object_get_ex(methods_of_path, method, &operation)) {
            fail_msg("server/openapi.json: %s %s is missing", method, iso__http_routes[i].path);
        }
        expect_operation(operation, &iso__http_routes[i]);
    }
    // Each route is there: there is nothing else.
    assert_int_equal(count, ISO__HTTP_ROUTE_COUNT);
    expect_references(document, schemas);
    json_object_put(document);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_requests_find_their_route),
        cmocka_unit_test(test_every_change_needs_a_role_and_is_the_admins_address_only),
        cmocka_unit_test(test_document_has_the_routes),
        cmocka_unit_test(test_openapi_has_the_routes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
