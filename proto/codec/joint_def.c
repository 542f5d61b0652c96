/// Definitions of joints between the plain struct and protobuf-c's.
#include "codec/internal.h"

#define BODY_LIST(X)   X(body_a) X(body_b) X(body_c) X(body_d)
#define VECTOR_LIST(X) X(anchor_a) X(anchor_b) X(anchor_c) X(anchor_d) X(axis)

iso_status iso__codec_joint_pack(iso__codec_arena *arena, const iso_joint_def *def, Isostep__V1__JointDef **packed) {
    ISO_ASSERT(arena->used <= arena->size && *packed == NULL);
    ISO__NEW(arena, JointDef, joint_def, p);
    p->kind = (Isostep__V1__JointKind)def->kind;
#define PACK_BODY(name) p->name = iso_id_pack(def->name.index, def->name.generation);
    BODY_LIST(PACK_BODY)
#undef PACK_BODY
#define PACK_VECTOR(name) p->name##_x = def->name.x, p->name##_y = def->name.y;
    VECTOR_LIST(PACK_VECTOR)
    PACK_VECTOR(target)
#undef PACK_VECTOR
#define PACK_SWITCH(name, bit) p->name = def->name;
    ISO_JOINT_SWITCH_LIST(PACK_SWITCH)
#undef PACK_SWITCH
#define PACK_NUMBER(type, name, low, high) p->name = def->name;
    ISO_JOINT_NUMBER_LIST(PACK_NUMBER)
#undef PACK_NUMBER
    p->tag = def->tag;
    *packed = p;
    if (!iso_joint_kind_is_custom(def->kind)) {
        return ISO_OK;
    }
    p->constraint = def->constraint;
    return iso__codec_params_pack(arena, 2, &def->params, &p->n_params, &p->params);
}

iso_status iso__codec_joint_unpack(const Isostep__V1__JointDef *p, iso_joint_def *def) {
    ISO_ASSERT(p == NULL || p->base.descriptor == &isostep__v1__joint_def__descriptor);
    if (p == NULL) {
        return ISO_ERR_MALFORMED;
    }
    *def = (iso_joint_def){.owner = {.generation = 0, .slot = ISO_OWNER_NOBODY}};
#define UNPACK_BODY(name) def->name = iso_body_id_unpack(p->name);
    BODY_LIST(UNPACK_BODY)
#undef UNPACK_BODY
#define UNPACK_VECTOR(name) def->name = (iso_vec2){p->name##_x, p->name##_y};
    VECTOR_LIST(UNPACK_VECTOR)
#undef UNPACK_VECTOR
    def->target = (iso_vec2_wide){p->target_x, p->target_y};
#define UNPACK_SWITCH(name, bit) def->name = p->name != 0;
    ISO_JOINT_SWITCH_LIST(UNPACK_SWITCH)
#undef UNPACK_SWITCH
#define UNPACK_NUMBER(type, name, low, high) def->name = p->name;
    ISO_JOINT_NUMBER_LIST(UNPACK_NUMBER)
#undef UNPACK_NUMBER
    def->tag = p->tag;
    ISO__TRY(iso__codec_enum_unpack((int)p->kind, &def->kind));
    if (!iso_joint_kind_is_custom(def->kind)) {
        return p->constraint == 0 && p->n_params == 0 ? ISO_OK : ISO_ERR_MALFORMED;
    }
    def->constraint = p->constraint;
    return iso__codec_params_unpack(2, p->params, p->n_params, &def->params);
}
