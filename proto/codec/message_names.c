/// The names of a scene's bodies and joints between plain structs and protobuf-c's.
#include <string.h>

#include "codec/internal.h"

static iso_status name_pack(iso__codec_arena *arena, const iso_name *name, Isostep__V1__Name **packed) {
    ISO__NEW(arena, Name, name, p);
    p->of = (Isostep__V1__Named)name->of;
    p->index = name->index;
    *packed = p;
    return iso__codec_text_pack(name->name, ISO_NAME_MAX + 1, &p->name);
}

iso_status iso__codec_names_pack(iso__codec_arena *arena, const iso_message_names *m, Isostep__V1__Envelope *envelope) {
    ISO__ASSERT_KIND(envelope, NAMES);
    ISO__NEW(arena, Names, names, p);
    p->left_out = m->left_out;
    p->names = iso__codec_arena_take(arena, m->count * sizeof(*p->names));
    if (p->names == NULL) {
        return ISO_ERR_BUFFER;
    }
    p->n_names = m->count;
    for (uint32_t i = 0; i < m->count; ++i) {
        ISO__TRY(name_pack(arena, &m->names[i], &p->names[i]));
    }
    envelope->names = p;
    return ISO_OK;
}

iso_status iso__codec_names_unpack(iso__codec_arena *arena, const Isostep__V1__Envelope *envelope,
                                   iso_message_names *m) {
    ISO__ASSERT_KIND(envelope, NAMES);
    const Isostep__V1__Names *p = envelope->names;
    if (p->n_names > ISO_NAMES_MAX) {
        return ISO_ERR_RANGE;
    }
    iso_name *names = iso__codec_arena_take(arena, p->n_names * sizeof(*names));
    if (names == NULL) {
        return ISO_ERR_BUFFER;
    }
    for (size_t i = 0; i < p->n_names; ++i) {
        names[i] = (iso_name){.index = p->names[i]->index, .name = p->names[i]->name};
        ISO__TRY(iso__codec_enum_unpack((int)p->names[i]->of, &names[i].of));
    }
    *m = (iso_message_names){.names = names, .count = (uint32_t)p->n_names, .left_out = p->left_out};
    return ISO_OK;
}
