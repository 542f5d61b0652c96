/// Filters of shapes between the plain struct and protobuf-c's.
#include "codec/internal.h"

iso_status iso__codec_filter_pack(iso__codec_arena *arena, const iso_filter *filter, Isostep__V1__Filter **packed) {
    ISO_ASSERT(arena->used <= arena->size && *packed == NULL);
    ISO__NEW(arena, Filter, filter, p);
    p->category = filter->category;
    p->mask = filter->mask;
    p->group = filter->group;
    *packed = p;
    return ISO_OK;
}

iso_status iso__codec_filter_unpack(const Isostep__V1__Filter *p, iso_filter *filter) {
    ISO_ASSERT(p == NULL || p->base.descriptor == &isostep__v1__filter__descriptor);
    if (p == NULL) {
        return ISO_ERR_MALFORMED;
    }
    *filter = (iso_filter){.category = p->category, .mask = p->mask, .group = p->group};
    return ISO_OK;
}
