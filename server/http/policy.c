#include "http/policy.h"

#include <string.h>
#include <strings.h>

#include "http/websocket.h"
#include "isostep/assert.h"

static int hex_of(char c) {
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    if (c >= 'a' && c <= 'f') {
        return c - 'a' + 10;
    }
    if (c >= 'A' && c <= 'F') {
        return c - 'A' + 10;
    }
    return -1;
}

/// Decodes escapes. @return false: one is wrong, or stands for what a path must not have
static bool decode(const char *from, size_t size, char *to) {
    for (size_t i = 0; i < size; ++i) {
        int c = (unsigned char)from[i];
        if (c == '%') {
            const int high = i + 1 < size ? hex_of(from[i + 1]) : -1;
            const int low = high >= 0 && i + 2 < size ? hex_of(from[i + 2]) : -1;
            if (low < 0) {
                return false;
            }
            c = high << 4 | low;
            i += 2;
            // A slash that was not one when the path was routed by a proxy.
            if (c == '/') {
                return false;
            }
        }
        if (c < 0x20 || c == 0x7F || c == '\\') {
            return false;
        }
        *to++ = (char)c;
    }
    *to = '\0';
    return true;
}

static bool has_dots(const char *path) {
    for (const char *at = strchr(path, '/'); at != NULL; at = strchr(at, '/')) {
        ++at;
        const size_t size = strcspn(at, "/");
        if ((size == 1 && at[0] == '.') || (size == 2 && at[0] == '.' && at[1] == '.')) {
            return true;
        }
    }
    return false;
}

unsigned iso__http_path(const char *target, const char *prefix, char *path) {
    ISO_ASSERT(prefix[0] == '\0' || (prefix[0] == '/' && prefix[strlen(prefix) - 1] != '/'));
    if (target[0] != '/') {
        const char *scheme = strstr(target, "://");
        target = scheme != NULL ? strchr(scheme + 3, '/') : NULL;
        if (target == NULL) {
            return 400;
        }
    }
    if (!decode(target, strcspn(target, "?#"), path) || has_dots(path)) {
        return 400;
    }
    const size_t size = strlen(prefix);
    if (strncmp(path, prefix, size) != 0 || (path[size] != '/' && path[size] != '\0')) {
        return 404;
    }
    memmove(path, path + size, strlen(path + size) + 1);
    return path[0] == '/' ? 200 : 404;
}

/// A host with its port, as in a Host header.
typedef struct authority {
    const char *host;
    size_t size;
    unsigned port;
} authority;

/// @return false: it is none
static bool read_authority(const char *text, unsigned default_port, authority *to) {
    const char *end = text[0] == '[' ? strchr(text, ']') : text + strcspn(text, ":");
    if (end == NULL) {
        return false;
    }
    end += *end == ']';
    *to = (authority){.host = text, .size = (size_t)(end - text), .port = default_port};
    if (to->size == 0 || memchr(text, '/', to->size) != NULL || memchr(text, '@', to->size) != NULL) {
        return false;
    }
    if (*end == '\0') {
        return true;
    }
    unsigned port = 0;
    const char *digit = end + 1;
    if (*end != ':' || *digit == '\0') {
        return false;
    }
    for (; *digit >= '0' && *digit <= '9' && port <= 65535; ++digit) {
        port = port * 10 + (unsigned)(*digit - '0');
    }
    to->port = port;
    return *digit == '\0' && port <= 65535;
}

static bool read_origin(const char *text, unsigned *default_port, authority *to) {
    size_t scheme = 0;
    if (strncasecmp(text, "http://", 7) == 0) {
        scheme = 7;
    } else if (strncasecmp(text, "https://", 8) == 0) {
        scheme = 8;
    }
    *default_port = scheme == 7 ? 80 : 443;
    return scheme != 0 && read_authority(text + scheme, *default_port, to);
}

bool iso__http_is_origin(const char *text) {
    authority host;
    unsigned port;
    return read_origin(text, &port, &host);
}

static bool is_same(const authority *a, const authority *b) {
    return a->size == b->size && a->port == b->port && strncasecmp(a->host, b->host, a->size) == 0;
}

bool iso__http_origin_is_allowed(const char *origin, const char *host, const char *const *allowed, size_t count) {
    if (origin == NULL) {
        return true;
    }
    authority from, to;
    unsigned default_port;
    // "null", as of a file or a sandboxed frame, is nobody in particular.
    if (!read_origin(origin, &default_port, &from)) {
        return false;
    }
    if (host != NULL && read_authority(host, default_port, &to) && is_same(&from, &to)) {
        return true;
    }
    for (size_t i = 0; i < count; ++i) {
        unsigned port;
        // The scheme counts here, and decides about the port that is left out.
        if (read_origin(allowed[i], &port, &to) && port == default_port && is_same(&from, &to)) {
            return true;
        }
    }
    return false;
}

bool iso__http_host_is_loopback(const char *host) {
    authority name;
    if (host == NULL || !read_authority(host, 80, &name)) {
        return false;
    }
    if (name.size == 9 && strncasecmp(name.host, "localhost", 9) == 0) {
        return true;
    }
    if (name.size == 5 && memcmp(name.host, "[::1]", 5) == 0) {
        return true;
    }
    // 127.a.b.c, in digits: a name may begin so as well.
    size_t digits = 0;
    unsigned dots = 0;
    for (size_t i = 0; i < name.size; ++i) {
        const char c = name.host[i];
        if (c == '.' ? digits == 0 : c < '0' || c > '9' || digits == 3) {
            return false;
        }
        dots += c == '.';
        digits = c == '.' ? 0 : digits + 1;
    }
    return dots == 3 && digits > 0 && memcmp(name.host, "127.", 4) == 0;
}

static bool may_connect(const iso__http_request *request, const iso__http_origins *origins) {
    const char *host = iso__http_find(request, "host");
    const bool is_renamed = origins->is_loopback && !request->has_proxy && !iso__http_host_is_loopback(host);
    return iso__http_origin_is_allowed(iso__http_find(request, "origin"), is_renamed ? NULL : host, origins->allowed,
                                       origins->count);
}

unsigned iso__http_upgrade_status(const iso__http_request *request, const iso__http_origins *origins) {
    ISO_ASSERT(origins->count == 0 || origins->allowed != NULL);
    const char *version = iso__http_find(request, "sec-websocket-version");
    const char *key = iso__http_find(request, "sec-websocket-key");
    char accept[ISO__WEBSOCKET_ACCEPT_SIZE + 1];
    if (request->method != ISO__HTTP_GET) {
        return 405;
    }
    if (!request->is_upgrade || !request->is_version_1_1 ||
        !iso__http_has_word(iso__http_find(request, "upgrade"), "websocket")) {
        return 426;
    }
    if (!may_connect(request, origins)) {
        return 403;
    }
    if (version == NULL || strcmp(version, "13") != 0) {
        return 426;
    }
    if (key == NULL || !iso__websocket_accept(key, accept)) {
        return 400;
    }
    return iso__http_has_word(iso__http_find(request, "sec-websocket-protocol"), ISO__HTTP_SUBPROTOCOL) ? 101 : 400;
}

unsigned iso__http_read_status(const iso__http_request *request, const iso__http_origins *origins, unsigned port) {
    ISO_ASSERT(request->header_count <= ISO__HTTP_HEADERS_MAX && port <= UINT16_MAX);
    const char *host = iso__http_find(request, "host");
    authority name, allowed;
    // Without a Host it is no browser.
    if (!origins->is_loopback || host == NULL || iso__http_host_is_loopback(host)) {
        return 200;
    }
    for (size_t i = 0; i < origins->count; ++i) {
        unsigned default_port;
        if (read_origin(origins->allowed[i], &default_port, &allowed) && read_authority(host, default_port, &name) &&
            is_same(&name, &allowed)) {
            return 200;
        }
    }
    return request->has_proxy && read_authority(host, 80, &name) && name.port != port ? 200 : 421;
}

unsigned iso__http_change_status(const iso__http_request *request, const iso__http_origins *origins,
                                 const iso__http_tokens *tokens, iso__http_role needed, int64_t now,
                                 const iso__http_token **by) {
    ISO_ASSERT(request->header_count <= ISO__HTTP_HEADERS_MAX && needed <= ISO__HTTP_ROLE_ADMIN);
    *by = tokens != NULL ? iso__http_tokens_find(tokens, iso__http_find(request, "authorization"), now) : NULL;
    if (needed == ISO__HTTP_ROLE_NONE) {
        return 200;
    }
    if (tokens == NULL || !may_connect(request, origins)) {
        return 403;
    }
    if (*by == NULL) {
        return 401;
    }
    return (*by)->role >= needed ? 200 : 403;
}

/// Decimal digits, at least one. @return where they end; NULL: none, or too large a number
static const char *read_number(const char *text, uint64_t *number) {
    const char *at = text;
    for (*number = 0; *at >= '0' && *at <= '9'; ++at) {
        if (*number > UINT64_MAX / 10 - 1) {
            return NULL;
        }
        *number = *number * 10 + (uint64_t)(*at - '0');
    }
    return at > text ? at : NULL;
}

iso__http_range_kind iso__http_range(const char *value, uint64_t size, uint64_t *first, uint64_t *last) {
    uint64_t from = 0, to = 0;
    if (value == NULL || strncmp(value, "bytes=", 6) != 0 || strchr(value, ',') != NULL) {
        return ISO__HTTP_RANGE_NONE;
    }
    value += 6;
    if (*value == '-') {
        // The last bytes, as many as this.
        const char *end = read_number(value + 1, &to);
        if (end == NULL || *end != '\0') {
            return ISO__HTTP_RANGE_NONE;
        }
        if (to == 0 || size == 0) {
            return ISO__HTTP_RANGE_WRONG;
        }
        *first = to < size ? size - to : 0;
        *last = size - 1;
        return ISO__HTTP_RANGE_PART;
    }
    const char *end = read_number(value, &from);
    if (end == NULL || *end != '-') {
        return ISO__HTTP_RANGE_NONE;
    }
    if (end[1] == '\0') {
        to = UINT64_MAX;
    } else {
        end = read_number(end + 1, &to);
        if (end == NULL || *end != '\0' || to < from) {
            return ISO__HTTP_RANGE_NONE;
        }
    }
    if (from >= size) {
        return ISO__HTTP_RANGE_WRONG;
    }
    *first = from;
    *last = to < size ? to : size - 1;
    return ISO__HTTP_RANGE_PART;
}

bool iso__http_is_recording_name(const char *name) {
    const size_t size = strlen(name);
    if (size <= 4 || size > 255 || strcmp(name + size - 4, ".isr") != 0 || name[0] == '-') {
        return false;
    }
    const size_t stem = strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-");
    if (stem == size - 4) {
        return true;
    }
    // The files of an epoch after its first have a number, from 2 on.
    const size_t digits = name[stem] == '.' ? strspn(name + stem + 1, "0123456789") : 0;
    return stem > 0 && digits > 0 && name[stem + 1] != '0' && stem + 1 + digits == size - 4;
}

bool iso__http_has_tag(const char *value, const char *tag) {
    const size_t size = strlen(tag);
    while (value != NULL && *value != '\0') {
        value += strspn(value, " \t,");
        if (*value == '*') {
            return true;
        }
        // A weak tag is as good as the tag itself: what is compared was sent by us.
        value += strncmp(value, "W/", 2) == 0 ? 2 : 0;
        if (strncmp(value, tag, size) == 0 && strchr(" \t,", value[size]) != NULL) {
            return true;
        }
        value += strcspn(value, ",");
    }
    return false;
}
