/// The names that members and spectators have in the session: those that they gave themselves, made unique.
///
/// A name that another has becomes "NAME 2", the lowest number that is free; a blank one "client". A client that comes
/// back and asks for the same name keeps the name that it was given, so that names do not change while others come and
/// go. The host has removed before what would make two names look equal.
#include "name.h"

#include <string.h>

#include "isostep/assert.h"

#include "invariants.h"
#include "text.h"

// More than can be there at a time: there is always a free number.
#define NAME_NUMBER_MAX 1152u

static const char name_of_nobody[] = "client";

static uint32_t name_size(const char *name) {
    uint32_t size = 0;
    while (size < ISO_MEMBER_NAME_MAX && name[size] != 0) {
        ++size;
    }
    return size;
}

static bool name_is_blank(const char *name) {
    while (*name == ' ') {
        ++name;
    }
    return *name == 0;
}

static bool name_equal(const char *a, const char *b) {
    while (*a != 0 && *a == *b) {
        ++a;
        ++b;
    }
    return *a == *b;
}

/// "NAME 2"; number 1 is the name itself. What has no room is cut off, whole characters of UTF-8.
static void name_make(const char *name, uint32_t number, char *to) {
    char end[12] = "";
    if (number > 1) {
        iso__text_append(end, sizeof end, " ");
        iso__text_append_number(end, sizeof end, number);
    }
    const uint32_t room = ISO_MEMBER_NAME_MAX - name_size(end);
    uint32_t size = name_size(name);
    size = size < room ? size : room;
    while (size > 0 && (((uint8_t)name[size] & 0xC0u) == 0x80u || (number > 1 && name[size - 1] == ' '))) {
        --size;
    }
    memset(to, 0, ISO_MEMBER_NAME_MAX + 1);
    memcpy(to, name, size);
    iso__text_append(to, ISO_MEMBER_NAME_MAX + 1, end);
}

/// The number at the end of "NAME 2". @return 1: there is none
static uint32_t name_number(const char *name) {
    uint32_t size = name_size(name), at = size, number = 0, unit = 1;
    while (at > 0 && name[at - 1] >= '0' && name[at - 1] <= '9' && size - at < 4) {
        --at;
        number += (uint32_t)(name[at] - '0') * unit;
        unit *= 10;
    }
    const bool good = at > 0 && at < size && name[at - 1] == ' ' && name[at] != '0' && number > 1;
    return good && number <= NAME_NUMBER_MAX ? number : 1;
}

/// Whether `given` is the name with its own number at the end.
static bool name_is_numbered(const char *given, const char *name) {
    char made[ISO_MEMBER_NAME_MAX + 1];
    name_make(name, name_number(given), made);
    return name_equal(given, made);
}

typedef struct name_numbers {
    uint32_t bits[NAME_NUMBER_MAX / 32 + 1];
} name_numbers;

static void name_mark(name_numbers *taken, const char *other, const char *name) {
    // A name that was cut may be both.
    if (name_equal(other, name)) {
        taken->bits[0] |= 2u;
    }
    if (name_is_numbered(other, name)) {
        taken->bits[name_number(other) / 32] |= UINT32_C(1) << name_number(other) % 32;
    }
}

static bool name_is_taken(const name_numbers *taken, uint32_t number) {
    return (taken->bits[number / 32] >> number % 32 & 1u) != 0;
}

void iso__name_give(const iso_session *session, iso__connection *connection, uint8_t slot) {
    ISO_ASSERT(iso__connection_is_open(session, connection));
    ISO_ASSERT(session->connection_count + session->slot_count < NAME_NUMBER_MAX);
    char wanted[ISO_MEMBER_NAME_MAX + 1];
    iso__text_copy(wanted, sizeof wanted, name_is_blank(connection->name) ? name_of_nobody : connection->name);
    name_numbers taken = {{0}};
    for (uint32_t i = iso__slot_used_from(session, 0); i < session->slot_count;
         i = iso__slot_used_from(session, i + 1)) {
        if (i != slot && session->members[i].state != ISO__MEMBER_FREE) {
            name_mark(&taken, session->members[i].name, wanted);
        }
    }
    for (uint32_t i = 0; i < session->connection_count; ++i) {
        const iso__connection *other = &session->connections[session->open[i]];
        if (other != connection && other->has_hello && other->role == ISO_ROLE_SPECTATOR &&
            other->phase != ISO__PHASE_ENDING) {
            name_mark(&taken, other->name, wanted);
        }
    }
    uint32_t number = 1;
    if (slot != ISO_SLOT_NONE && name_is_numbered(session->members[slot].name, wanted)) {
        number = name_number(session->members[slot].name);
    }
    for (number = name_is_taken(&taken, number) ? 1 : number; name_is_taken(&taken, number);) {
        ++number;
    }
    name_make(wanted, number, connection->name);
}
