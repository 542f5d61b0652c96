#include "http/forwarded.h"

#include <arpa/inet.h>
#include <string.h>
#include <strings.h>

#include "isostep/assert.h"

#define HOST_MAX INET6_ADDRSTRLEN

/// A piece of a header.
typedef struct piece {
    const char *begin; // NULL: it is not what it should be
    size_t size;
} piece;

/// The last ones of a list.
typedef struct hops {
    piece list[ISO__HTTP_HOPS_MAX];
    size_t count; // of all there were
} hops;

static void add(hops *to, const char *begin, size_t size) {
    to->list[to->count++ % ISO__HTTP_HOPS_MAX] = (piece){begin, size};
}

static piece trim(const char *begin, size_t size) {
    while (size > 0 && (*begin == ' ' || *begin == '\t')) {
        ++begin;
        --size;
    }
    while (size > 0 && (begin[size - 1] == ' ' || begin[size - 1] == '\t')) {
        --size;
    }
    return (piece){begin, size};
}

static void add_list(hops *to, const char *value) {
    for (;;) {
        const size_t size = strcspn(value, ",");
        const piece hop = trim(value, size);
        if (hop.size > 0) {
            add(to, hop.begin, hop.size);
        }
        if (value[size] == '\0') {
            return;
        }
        value += size + 1;
    }
}

/// Where a part of a Forwarded header ends: at one of these characters, unless it is quoted.
/// @param is_open  NULL: that does not matter; receives whether what was quoted has no end
static size_t part_size(const char *value, const char *ends, bool *is_open) {
    bool is_quoted = false;
    size_t size = 0;
    for (; value[size] != '\0' && (is_quoted || strchr(ends, value[size]) == NULL); ++size) {
        if (value[size] == '"') {
            is_quoted = !is_quoted;
        } else if (is_quoted && value[size] == '\\' && value[size + 1] != '\0') {
            ++size;
        }
    }
    if (is_open != NULL) {
        *is_open = is_quoted;
    }
    return size;
}

/// The value of for= in an element; no such value: nothing.
static piece find_for(const char *element, size_t size) {
    for (size_t at = 0; at < size;) {
        size_t length = part_size(element + at, ";,", NULL);
        length = length < size - at ? length : size - at;
        piece pair = trim(element + at, length);
        if (pair.size > 4 && strncasecmp(pair.begin, "for=", 4) == 0) {
            pair = (piece){pair.begin + 4, pair.size - 4};
            if (pair.size >= 2 && pair.begin[0] == '"' && pair.begin[pair.size - 1] == '"') {
                pair = (piece){pair.begin + 1, pair.size - 2};
            }
            return pair;
        }
        at += length + 1;
    }
    return (piece){0};
}

static void add_elements(hops *to, const char *value) {
    for (;;) {
        bool is_open;
        const size_t size = part_size(value, ",", &is_open);
        const piece element = trim(value, size);
        // A client may have begun it, so that what a proxy has added behind is in the quotes.
        if (is_open) {
            add(to, NULL, 0);
            return;
        }
        const piece hop = find_for(element.begin, element.size);
        if (element.size > 0) {
            add(to, hop.begin, hop.size);
        }
        if (value[size] == '\0') {
            return;
        }
        value += size + 1;
    }
}

static bool is_port(const char *text, size_t size) {
    for (size_t i = 0; i < size; ++i) {
        if (text[i] < '0' || text[i] > '9') {
            return false;
        }
    }
    return size > 0 && size <= 5;
}

static bool set_address(bool is_ipv6, const char *host, iso__address *address) {
    uint8_t bytes[16];
    if (inet_pton(is_ipv6 ? AF_INET6 : AF_INET, host, bytes) != 1) {
        return false;
    }
    *address = is_ipv6 ? iso__address_make_ipv6(bytes, 0) : iso__address_make_ipv4(bytes, 0);
    return true;
}

/// 192.0.2.1, 192.0.2.1:80, [2001:db8::1], [2001:db8::1]:80, 2001:db8::1
static bool read_address(piece hop, iso__address *address) {
    char host[HOST_MAX];
    if (hop.begin == NULL || hop.size == 0) {
        return false;
    }
    const bool has_brackets = hop.begin[0] == '[';
    const char *end = has_brackets ? memchr(hop.begin, ']', hop.size) : memchr(hop.begin, ':', hop.size);
    const bool is_ipv6 =
        has_brackets || (end != NULL && memchr(end + 1, ':', hop.size - (size_t)(end + 1 - hop.begin)) != NULL);
    if (has_brackets && end == NULL) {
        return false;
    }
    const char *begin = hop.begin + has_brackets;
    const size_t size = end == NULL || (is_ipv6 && !has_brackets) ? hop.size : (size_t)(end - begin);
    if (size >= sizeof host || memchr(begin, '\0', size) != NULL) {
        return false;
    }
    memcpy(host, begin, size);
    host[size] = '\0';
    const char *rest = begin + size + has_brackets;
    const size_t left = hop.size - (size_t)(rest - hop.begin);
    if (left > 0 && (rest[0] != ':' || !is_port(rest + 1, left - 1))) {
        return false;
    }
    return set_address(is_ipv6, host, address);
}

static iso__http_forwarded judge(const hops *of, bool (*is_trusted)(const void *user, const iso__address *address),
                                 const void *user, iso__address *address) {
    for (size_t i = of->count; i > 0; --i) {
        if (of->count - i == ISO__HTTP_HOPS_MAX || !read_address(of->list[(i - 1) % ISO__HTTP_HOPS_MAX], address)) {
            return ISO__HTTP_FORWARDED_WRONG;
        }
        if (!is_trusted(user, address)) {
            return ISO__HTTP_FORWARDED_FOUND;
        }
    }
    // All of them are proxies: the first one asks for itself.
    return of->count > 0 ? ISO__HTTP_FORWARDED_FOUND : ISO__HTTP_FORWARDED_NONE;
}

iso__http_forwarded iso__http_forwarded_find(const iso__http_request *request,
                                             bool (*is_trusted)(const void *user, const iso__address *address),
                                             const void *user, iso__address *address) {
    ISO_ASSERT(request->header_count <= ISO__HTTP_HEADERS_MAX);
    hops old = {.count = 0}, standard = {.count = 0};
    iso__address other;
    bool has_old = false, has_standard = false;
    for (uint32_t i = 0; i < request->header_count; ++i) {
        if (strcmp(request->headers[i].name, "x-forwarded-for") == 0) {
            has_old = true;
            add_list(&old, request->headers[i].value);
        } else if (strcmp(request->headers[i].name, "forwarded") == 0) {
            has_standard = true;
            add_elements(&standard, request->headers[i].value);
        }
    }
    if (!has_old && !has_standard) {
        return ISO__HTTP_FORWARDED_NONE;
    }
    const iso__http_forwarded first = judge(has_old ? &old : &standard, is_trusted, user, address);
    if (first != ISO__HTTP_FORWARDED_FOUND) {
        return ISO__HTTP_FORWARDED_WRONG;
    }
    if (!has_old || !has_standard) {
        return first;
    }
    return judge(&standard, is_trusted, user, &other) == ISO__HTTP_FORWARDED_FOUND &&
                   memcmp(other.bytes, address->bytes, sizeof other.bytes) == 0
               ? first
               : ISO__HTTP_FORWARDED_DISAGREE;
}
