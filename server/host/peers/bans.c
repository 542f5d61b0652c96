#include "host/peers/bans.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/affinity.h"
#include "base/file.h"
#include "base/text_time.h"
#include "base/whole_file.h"
#include "host/watch/log.h"
#include "isostep/proto/text.h"

#define FILE_MAX    (ISO__BANS_MAX * 512u) // [bytes]
#define V4_BITS     96u                    // in front of an IPv4 address in its mapped form
#define V4_BITS_MIN 8u
#define V6_BITS_MIN 16u
#define V6_BITS     64u // of an address by itself: one machine has all addresses below

static const char head[] =
    "# Who may not come: NETWORK or SEAT, UNTIL (a time in UTC, or never), BY (a token's name, or -), and why.\n"
    "# Read again at SIGHUP.\n";

// ---- What is banned ---------------------------------------------------------------------------------

/// Whether it says whom it is about.
static bool is_sound(const iso__ban *ban) {
    return ban->is_seat ? ban->slot < ISO_SLOT_COUNT_MAX
                        : ban->network.bits <= 128 &&
                              (ban->network.bits >= V4_BITS || !iso__address_is_mapped(ban->network.bytes));
}

static void cut(uint8_t address[16], unsigned bits) {
    for (unsigned i = 0; i < 16; ++i) {
        const unsigned kept = bits > i * 8 ? bits - i * 8 : 0;
        if (kept < 8) {
            address[i] = (uint8_t)(address[i] & (0xFF00u >> kept));
        }
    }
}

void iso__ban_set_address(iso__ban *ban, const iso__address *address) {
    ISO_ASSERT(address->family != ISO__ADDRESS_NONE);
    ban->is_seat = false;
    memcpy(ban->network.bytes, address->bytes, sizeof ban->network.bytes);
    ban->network.bits = iso__address_is_mapped(ban->network.bytes) ? 128 : V6_BITS;
    cut(ban->network.bytes, ban->network.bits);
}

static bool read_network(iso__ban *ban, const char *what) {
    char host[INET6_ADDRSTRLEN] = "";
    const size_t size = strcspn(what, "/");
    unsigned bits = 0;
    char more = '\0';
    if (size >= sizeof host) {
        return false;
    }
    memcpy(host, what, size);
    const bool has_bits = what[size] == '/';
    if (has_bits && (strspn(what + size + 1, "0123456789") != strlen(what + size + 1) ||
                     sscanf(what + size + 1, "%3u%c", &bits, &more) != 1)) {
        return false;
    }
    uint8_t v4[4];
    if (inet_pton(AF_INET, host, v4) == 1) {
        iso__address_map(v4, ban->network.bytes);
        bits = has_bits ? bits + V4_BITS : 128;
    } else if (inet_pton(AF_INET6, host, ban->network.bytes) != 1) {
        return false;
    } else if (!has_bits) {
        bits = iso__address_is_mapped(ban->network.bytes) ? 128 : V6_BITS;
    }
    if (bits > 128 || bits < (iso__address_is_mapped(ban->network.bytes) ? V4_BITS + V4_BITS_MIN : V6_BITS_MIN)) {
        return false;
    }
    ban->network.bits = (uint8_t)bits;
    cut(ban->network.bytes, bits);
    return true;
}

static bool read_seat(iso__ban *ban, const char *what) {
    char uid[33];
    size_t size = 0;
    int end = 0;
    ban->is_seat = true;
    return sscanf(what, "seat:%32[0-9a-f]:%2" SCNu32 ":%10" SCNu32 "%n", uid, &ban->slot, &ban->generation, &end) ==
               3 &&
           what[end] == '\0' && strlen(uid) == 32 && ban->slot < ISO_SLOT_COUNT_MAX &&
           sodium_hex2bin(ban->uid, sizeof ban->uid, uid, 32, NULL, &size, NULL) == 0 && size == sizeof ban->uid;
}

bool iso__ban_read(iso__ban *ban, const char *what) {
    *ban = (iso__ban){0};
    return strncmp(what, "seat:", 5) == 0 ? read_seat(ban, what) : read_network(ban, what);
}

void iso__ban_write(const iso__ban *ban, char what[ISO__BAN_WHAT_SIZE]) {
    ISO_ASSERT(is_sound(ban));
    char text[INET6_ADDRSTRLEN] = "", uid[33];
    if (ban->is_seat) {
        sodium_bin2hex(uid, sizeof uid, ban->uid, sizeof ban->uid);
        snprintf(what, ISO__BAN_WHAT_SIZE, "seat:%s:%" PRIu32 ":%" PRIu32, uid, ban->slot, ban->generation);
        return;
    }
    const bool v4 = iso__address_is_mapped(ban->network.bytes);
    inet_ntop(v4 ? AF_INET : AF_INET6, v4 ? ban->network.bytes + 12 : ban->network.bytes, text, sizeof text);
    snprintf(what, ISO__BAN_WHAT_SIZE, "%s/%u", text, v4 ? ban->network.bits - V4_BITS : ban->network.bits);
}

void iso__ban_id(const iso__ban *ban, char id[ISO__BAN_ID_SIZE]) {
    ISO_ASSERT(is_sound(ban));
    char what[ISO__BAN_WHAT_SIZE];
    uint8_t hash[crypto_generichash_BYTES_MIN];
    iso__ban_write(ban, what);
    crypto_generichash(hash, sizeof hash, (const uint8_t *)what, strlen(what), NULL, 0);
    sodium_bin2hex(id, ISO__BAN_ID_SIZE, hash, ISO__BAN_ID_SIZE / 2);
}

static bool is_same(const iso__ban *a, const iso__ban *b) {
    if (a->is_seat != b->is_seat) {
        return false;
    }
    return a->is_seat
               ? memcmp(a->uid, b->uid, sizeof a->uid) == 0 && a->slot == b->slot && a->generation == b->generation
               : memcmp(a->network.bytes, b->network.bytes, sizeof a->network.bytes) == 0 &&
                     a->network.bits == b->network.bits;
}

// ---- The file ---------------------------------------------------------------------------------------

static bool refuse(const iso__bans *bans, unsigned line, const char *why) {
    iso__log_error("the bans in '%s', line %u: %s", bans->shown, line, why);
    return false;
}

static bool read_line(const iso__bans *bans, unsigned number, char *line, iso__ban *ban) {
    char what[ISO__BAN_WHAT_SIZE] = "", until[32] = "", by[ISO__BAN_BY_MAX + 1] = "";
    int end = 0;
    if (sscanf(line, "%79s %31s %63s %n", what, until, by, &end) != 3) {
        return refuse(bans, number, "expected NETWORK or SEAT, UNTIL, BY and why");
    }
    if (!iso__ban_read(ban, what)) {
        return refuse(bans, number, "expected a network as 192.0.2.0/24, or a seat");
    }
    if (strcmp(until, "never") != 0 && !iso__text_time_read(until, &ban->until_s)) {
        return refuse(bans, number, "expected never, or a time as 2026-12-01T00:00:00Z");
    }
    memcpy(ban->by, by, sizeof by);
    snprintf(ban->reason, sizeof ban->reason, "%s", line + end);
    return true;
}

/// @return false after a message
static bool read_text(const iso__bans *bans, char *text, iso__ban *list, uint32_t *count) {
    unsigned number = 0;
    for (char *line = text, *next = text; next != NULL; line = next) {
        ++number;
        next = strchr(line, '\n');
        if (next != NULL) {
            *next++ = '\0';
        }
        line += strspn(line, " \t\r");
        if (*line == '\0' || *line == '#') {
            continue;
        }
        if (*count == ISO__BANS_MAX) {
            return refuse(bans, number, "there are more than 1024");
        }
        if (!read_line(bans, number, line, &list[*count])) {
            return false;
        }
        ++*count;
    }
    return true;
}

bool iso__bans_reload(iso__bans *bans) {
    ISO__ASSERT_ON(&bans->io);
    uint8_t *bytes = NULL;
    size_t size = 0;
    const char *what = NULL;
    uint32_t count = 0;
    if (bans->name == NULL) {
        return true;
    }
    if (faccessat(bans->folder, bans->name, F_OK, 0) != 0 && errno == ENOENT) {
        bans->count = 0;
        return true;
    }
    if (iso__file_read_own(bans->folder, bans->name, FILE_MAX, &bytes, &size, &what) != ISO_OK) {
        iso__log_error("the bans in '%s' cannot be read: %s", bans->shown, what);
        return false;
    }
    iso__ban *list = calloc(ISO__BANS_MAX, sizeof *list);
    const bool is_read = list != NULL && read_text(bans, (char *)bytes, list, &count);
    free(bytes);
    if (list == NULL) {
        iso__log_error("out of memory");
    }
    if (!is_read) {
        free(list);
        return false;
    }
    free(bans->list);
    bans->list = list;
    bans->count = count;
    return true;
}

bool iso__bans_open(iso__bans *bans, int folder, const char *name, const char *shown) {
    ISO_ASSERT(name == NULL || (shown != NULL && (folder >= 0 || folder == AT_FDCWD)));
    *bans = (iso__bans){.folder = folder, .name = name, .shown = shown};
    iso__affinity_take(&bans->io);
    bans->list = calloc(ISO__BANS_MAX, sizeof *bans->list);
    if (bans->list == NULL) {
        iso__log_error("out of memory");
    }
    return bans->list != NULL && sodium_init() >= 0 && iso__bans_reload(bans);
}

void iso__bans_term(iso__bans *bans) {
    ISO__ASSERT_ON(&bans->io);
    free(bans->list);
    *bans = (iso__bans){0};
}

static bool is_over(const iso__ban *ban, int64_t now_s) {
    return ban->until_s != 0 && ban->until_s <= now_s;
}

static void print(FILE *out, const iso__ban *ban) {
    char what[ISO__BAN_WHAT_SIZE], until[ISO__TEXT_TIME_SIZE];
    iso__ban_write(ban, what);
    iso__text_time_write(ban->until_s, until);
    fprintf(out, "%s %s %s %s\n", what, ban->until_s == 0 ? "never" : until, ban->by[0] != '\0' ? ban->by : "-",
            ban->reason);
}

/// What is over is left out. @return false after a message
static bool keep(const iso__bans *bans) {
    char *text = NULL;
    size_t size = 0;
    if (bans->name == NULL) {
        return true;
    }
    FILE *out = open_memstream(&text, &size);
    bool is_kept = out != NULL;
    if (out != NULL) {
        fputs(head, out);
        for (uint32_t i = 0; i < bans->count; ++i) {
            print(out, &bans->list[i]);
        }
        is_kept = fclose(out) == 0 && iso__whole_file_write(bans->folder, bans->name, text, size) == ISO_OK;
    }
    if (!is_kept) {
        iso__log_error("the bans cannot be kept in '%s': %s", bans->shown, strerror(errno));
    }
    free(text);
    return is_kept;
}

static void drop_over(iso__bans *bans, int64_t now_s) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < bans->count; ++i) {
        if (!is_over(&bans->list[i], now_s)) {
            bans->list[count++] = bans->list[i];
        }
    }
    bans->count = count;
}

bool iso__bans_add(iso__bans *bans, const iso__ban *ban, int64_t now_s) {
    ISO__ASSERT_ON(&bans->io);
    ISO_ASSERT(is_sound(ban) && bans->count <= ISO__BANS_MAX);
    uint32_t at = 0;
    drop_over(bans, now_s);
    while (at < bans->count && !is_same(&bans->list[at], ban)) {
        ++at;
    }
    if (at == ISO__BANS_MAX) {
        iso__log_error("there are %u bans already", ISO__BANS_MAX);
        return false;
    }
    const iso__ban before = bans->list[at];
    const uint32_t count = bans->count;
    bans->list[at] = *ban;
    // A reason must not look like another line.
    iso_text_make_printable(bans->list[at].reason);
    bans->count = at == count ? count + 1 : count;
    if (keep(bans)) {
        return true;
    }
    bans->list[at] = before;
    bans->count = count;
    return false;
}

int iso__bans_remove(iso__bans *bans, const char *id, int64_t now_s) {
    ISO__ASSERT_ON(&bans->io);
    ISO_ASSERT(bans->count <= ISO__BANS_MAX);
    char own[ISO__BAN_ID_SIZE];
    drop_over(bans, now_s);
    for (uint32_t i = 0; i < bans->count; ++i) {
        iso__ban_id(&bans->list[i], own);
        if (strcmp(own, id) != 0) {
            continue;
        }
        const iso__ban gone = bans->list[i];
        bans->list[i] = bans->list[--bans->count];
        if (keep(bans)) {
            return 1;
        }
        bans->list[bans->count++] = bans->list[i];
        bans->list[i] = gone;
        return -1;
    }
    return 0;
}

// ---- Who is banned ----------------------------------------------------------------------------------

bool iso__ban_is_of(const iso__ban *ban, const iso__address *address) {
    ISO_ASSERT(is_sound(ban));
    return !ban->is_seat && address->family != ISO__ADDRESS_NONE && iso__address_range_has(&ban->network, address);
}

const iso__ban *iso__bans_find_address(const iso__bans *bans, const iso__address *address, int64_t now_s) {
    ISO__ASSERT_ON(&bans->io);
    for (uint32_t i = 0; i < bans->count; ++i) {
        if (iso__ban_is_of(&bans->list[i], address) && !is_over(&bans->list[i], now_s)) {
            return &bans->list[i];
        }
    }
    return NULL;
}

const iso__ban *iso__bans_find_seat(const iso__bans *bans, const iso_resume *resume, int64_t now_s) {
    ISO__ASSERT_ON(&bans->io);
    for (uint32_t i = 0; i < bans->count; ++i) {
        const iso__ban *ban = &bans->list[i];
        if (ban->is_seat && memcmp(ban->uid, resume->uid, sizeof ban->uid) == 0 && ban->slot == resume->slot &&
            ban->generation == resume->slot_generation && !is_over(ban, now_s)) {
            return ban;
        }
    }
    return NULL;
}
