/// The list of members between plain structs and protobuf-c's.
#include "codec/internal.h"

/// The list has a place for it.
static iso_status member_pack(iso__codec_arena *arena, const iso_member *member, Isostep__V1__Member **packed) {
    ISO__NEW(arena, Member, member, p);
    p->role = (Isostep__V1__Role)member->role;
    p->slot = member->slot;
    p->slot_generation = member->slot_generation;
    p->presence = (Isostep__V1__Presence)member->presence;
    *packed = p;
    return iso__codec_text_pack(member->name, sizeof(member->name), &p->name);
}

static iso_status member_unpack(const Isostep__V1__Member *p, iso_member *member) {
    *member = (iso_member){.slot_generation = p->slot_generation};
    ISO__TRY(iso__codec_enum_unpack((int)p->role, &member->role));
    ISO__TRY(iso__codec_enum_unpack((int)p->presence, &member->presence));
    ISO__TRY(iso__codec_slot_fits(p->slot));
    member->slot = (uint8_t)p->slot;
    return iso__codec_text_unpack(p->name, member->name, sizeof(member->name));
}

iso_status iso__codec_members_pack(iso__codec_arena *arena, const iso_message_members *m,
                                   Isostep__V1__Envelope *envelope) {
    ISO__ASSERT_KIND(envelope, MEMBERS);
    ISO__NEW(arena, Members, members, p);
    p->complete = m->is_complete;
    p->spectators = m->spectators;
    p->members = iso__codec_arena_take(arena, m->count * sizeof(*p->members));
    if (p->members == NULL) {
        return ISO_ERR_BUFFER;
    }
    p->n_members = m->count;
    for (uint32_t i = 0; i < m->count; ++i) {
        ISO__TRY(member_pack(arena, &m->members[i], &p->members[i]));
    }
    envelope->members = p;
    return ISO_OK;
}

iso_status iso__codec_members_unpack(iso__codec_arena *arena, const Isostep__V1__Envelope *envelope,
                                     iso_message_members *m) {
    ISO__ASSERT_KIND(envelope, MEMBERS);
    const Isostep__V1__Members *p = envelope->members;
    if (p->n_members > ISO_MEMBERS_MAX) {
        return ISO_ERR_RANGE;
    }
    iso_member *members = iso__codec_arena_take(arena, p->n_members * sizeof(*members));
    if (members == NULL) {
        return ISO_ERR_BUFFER;
    }
    for (size_t i = 0; i < p->n_members; ++i) {
        ISO__TRY(member_unpack(p->members[i], &members[i]));
    }
    *m = (iso_message_members){
        .is_complete = p->complete != 0,
        .spectators = p->spectators,
        .members = members,
        .count = (uint32_t)p->n_members,
    };
    return ISO_OK;
}
