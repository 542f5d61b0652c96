#include "transport/proxy_header.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

#include "isostep/assert.h"

#define HEAD_SIZE  16u // of version 2
#define INET_SIZE  12u // two addresses and two ports
#define INET6_SIZE 36u

static const uint8_t signature[12] = {0x0D, 0x0A, 0x0D, 0x0A, 0x00, 0x0D, 0x0A, 0x51, 0x55, 0x49, 0x54, 0x0A};
static const char word[] = "PROXY ";

static void set_address(iso__proxy_header *header, bool is_ipv6, const void *host, uint16_t port) {
    header->address = is_ipv6 ? iso__address_make_ipv6(host, port) : iso__address_make_ipv4(host, port);
    header->has_address = true;
}

// ---- Version 1 ----------------------------------------------------------------------------------------

/// A number of a port: digits, no sign, no zero in front.
static bool read_port(const char *text, uint16_t *port) {
    unsigned value = 0;
    const size_t size = strlen(text);
    if (size == 0 || size > 5 || (size > 1 && text[0] == '0')) {
        return false;
    }
    for (; *text >= '0' && *text <= '9'; ++text) {
        value = value * 10 + (unsigned)(*text - '0');
    }
    *port = (uint16_t)value;
    return *text == '\0' && value <= UINT16_MAX;
}

/// @param line  without its end
static iso__proxy_status read_line(iso__proxy_header *header, char *line) {
    char *fields[6] = {NULL};
    size_t count = 0;
    // One blank between two fields, as the protocol wants it.
    char *at = line;
    for (; at != NULL && count < 6; ++count) {
        fields[count] = at;
        at = strchr(at, ' ');
        if (at != NULL) {
            *at++ = '\0';
        }
        if (count == 1 && strcmp(fields[1], "UNKNOWN") == 0) {
            return ISO__PROXY_DONE;
        }
    }
    uint8_t host[16], to[16];
    uint16_t port = 0, to_port = 0;
    if (count != 6 || at != NULL) {
        return ISO__PROXY_FAILED;
    }
    const int family = strcmp(fields[1], "TCP4") == 0 ? AF_INET : strcmp(fields[1], "TCP6") == 0 ? AF_INET6 : AF_UNSPEC;
    if (family == AF_UNSPEC || inet_pton(family, fields[2], host) != 1 || inet_pton(family, fields[3], to) != 1 ||
        !read_port(fields[4], &port) || !read_port(fields[5], &to_port)) {
        return ISO__PROXY_FAILED;
    }
    set_address(header, family == AF_INET6, host, port);
    return ISO__PROXY_DONE;
}

static iso__proxy_status judge_line(iso__proxy_header *header) {
    const size_t fill = header->fill;
    if (fill <= sizeof word - 1) {
        return memcmp(header->bytes, word, fill) == 0 ? ISO__PROXY_MORE : ISO__PROXY_FAILED;
    }
    if (header->bytes[fill - 1] == '\n') {
        char line[ISO__PROXY_LINE_MAX + 1];
        if (header->bytes[fill - 2] != '\r') {
            return ISO__PROXY_FAILED;
        }
        memcpy(line, header->bytes, fill - 2);
        line[fill - 2] = '\0';
        return strlen(line) == fill - 2 ? read_line(header, line) : ISO__PROXY_FAILED;
    }
    return fill < ISO__PROXY_LINE_MAX ? ISO__PROXY_MORE : ISO__PROXY_FAILED;
}

// ---- Version 2 ----------------------------------------------------------------------------------------

static uint16_t read_16(const uint8_t *bytes) {
    return (uint16_t)(bytes[0] << 8 | bytes[1]);
}

/// Looks at the head: what follows it, and what of that is of interest.
static iso__proxy_status judge_head(iso__proxy_header *header) {
    const uint8_t command = header->bytes[12], family = header->bytes[13];
    const size_t size = read_16(header->bytes + 14);
    const bool is_local = command == 0x20;
    size_t kept = 0;
    if ((!is_local && command != 0x21) || size > ISO__PROXY_EXTRA_MAX) {
        return ISO__PROXY_FAILED;
    }
    if (!is_local && family == 0x11) {
        kept = INET_SIZE;
    } else if (!is_local && family == 0x21) {
        kept = INET6_SIZE;
    } else if (!is_local && family != 0x00 && family != 0x31) {
        return ISO__PROXY_FAILED; // datagrams, or what there is not
    }
    if (size < kept) {
        return ISO__PROXY_FAILED;
    }
    header->kept = HEAD_SIZE + kept;
    header->skip = size - kept;
    return ISO__PROXY_MORE;
}

static iso__proxy_status judge_binary(iso__proxy_header *header) {
    const size_t fill = header->fill;
    if (fill <= sizeof signature) {
        return memcmp(header->bytes, signature, fill) == 0 ? ISO__PROXY_MORE : ISO__PROXY_FAILED;
    }
    if (fill == HEAD_SIZE && judge_head(header) == ISO__PROXY_FAILED) {
        return ISO__PROXY_FAILED;
    }
    if (header->kept == 0 || fill < header->kept) {
        return ISO__PROXY_MORE;
    }
    const uint8_t *at = header->bytes + HEAD_SIZE;
    if (header->kept == HEAD_SIZE + INET_SIZE) {
        set_address(header, false, at, read_16(at + 8));
    } else if (header->kept == HEAD_SIZE + INET6_SIZE) {
        set_address(header, true, at, read_16(at + 32));
    }
    return header->skip > 0 ? ISO__PROXY_MORE : ISO__PROXY_DONE;
}

iso__proxy_status iso__proxy_header_feed(iso__proxy_header *header, const uint8_t *bytes, size_t size,
                                         size_t *consumed) {
    ISO_ASSERT(header->fill <= sizeof header->bytes && (header->kept == 0 || header->fill <= header->kept));
    iso__proxy_status status = ISO__PROXY_MORE;
    *consumed = 0;
    while (status == ISO__PROXY_MORE && *consumed < size) {
        if (header->kept != 0 && header->fill == header->kept) {
            const size_t left = size - *consumed, step = left < header->skip ? left : header->skip;
            header->skip -= step;
            *consumed += step;
            status = header->skip == 0 ? ISO__PROXY_DONE : ISO__PROXY_MORE;
            continue;
        }
        header->bytes[header->fill++] = bytes[(*consumed)++];
        status = header->bytes[0] == signature[0] ? judge_binary(header) : judge_line(header);
    }
    return status;
}
