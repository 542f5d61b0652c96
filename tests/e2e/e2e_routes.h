/// The routes of the server's HTTP, as the table of server/API.md has them.
#ifndef ISO_TESTS_E2E_ROUTES_H
#define ISO_TESTS_E2E_ROUTES_H

#include <stddef.h>

#define E2E_ROUTES_MAX 64

typedef struct e2e_route {
    char method[16], path[128], role[16], where[16];
    unsigned long body_max;
} e2e_route;

/// @return how many there are
size_t e2e_routes_read(e2e_route routes[E2E_ROUTES_MAX]);

/// The path of a route with this for each of its parameters.
void e2e_route_fill_in(const e2e_route *route, const char *parameter, char *path, size_t size);

#endif
