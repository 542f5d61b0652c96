/// Definitions of joints in space between the plain structs and protobuf-c's.
#include "codec/internal.h"

#define SAME_KIND(name, number, snake, linear, angular, axis0, axis1, axis2, has) \
    _Static_assert((int)ISOSTEP__V1__JOINT3_KIND__JOINT3_KIND_##name == (number), "numbers differ: " #name);
ISO_JOINT3_KIND_LIST(SAME_KIND)
ISO_JOINT3_CUSTOM_LIST(SAME_KIND)
#undef SAME_KIND

#define PACK_SWITCH(name, bit)               p->name = def->name;
#define PACK_NUMBER(type, name, low, high)   p->name = def->name;
#define UNPACK_SWITCH(name, bit)             def->name = p->name != 0;
#define UNPACK_NUMBER(type, name, low, high) def->name = p->name;

iso_status iso__codec_joint3_axis_pack(iso__codec_arena *arena, const iso_joint3_axis *def,
                                       Isostep__V1__Joint3Axis **packed) {
    ISO_ASSERT(arena->used <= arena->size && *packed == NULL);
    ISO__NEW(arena, Joint3Axis, joint3_axis, p);
    ISO_JOINT3_AXIS_SWITCH_LIST(PACK_SWITCH)
    ISO_JOINT3_AXIS_NUMBER_LIST(PACK_NUMBER)
    *packed = p;
    return ISO_OK;
}

iso_status iso__codec_joint3_axis_unpack(const Isostep__V1__Joint3Axis *p, iso_joint3_axis *def) {
    ISO_ASSERT(p == NULL || p->base.descriptor == &isostep__v1__joint3_axis__descriptor);
    if (p == NULL) {
        return ISO_ERR_MALFORMED;
    }
    ISO_JOINT3_AXIS_SWITCH_LIST(UNPACK_SWITCH)
    ISO_JOINT3_AXIS_NUMBER_LIST(UNPACK_NUMBER)
    return ISO_OK;
}

static iso_status frame_pack(iso__codec_arena *arena, const iso_joint3_frame *frame,
                             Isostep__V1__Joint3Frame **packed) {
    ISO__NEW(arena, Joint3Frame, joint3_frame, p);
    p->anchor_x = frame->anchor.x;
    p->anchor_y = frame->anchor.y;
    p->anchor_z = frame->anchor.z;
    p->rotation_x = frame->rotation.x;
    p->rotation_y = frame->rotation.y;
    p->rotation_z = frame->rotation.z;
    p->rotation_w = frame->rotation.w;
    *packed = p;
    return ISO_OK;
}

static iso_status frame_unpack(const Isostep__V1__Joint3Frame *p, iso_joint3_frame *frame) {
    if (p == NULL) {
        return ISO_ERR_MALFORMED;
    }
    frame->anchor = (iso_vec3){p->anchor_x, p->anchor_y, p->anchor_z};
    frame->rotation = (iso_quat){p->rotation_x, p->rotation_y, p->rotation_z, p->rotation_w};
    return ISO_OK;
}

iso_status iso__codec_joint3_pack(iso__codec_arena *arena, const iso_joint3_def *def, Isostep__V1__Joint3Def **packed) {
    ISO_ASSERT(arena->used <= arena->size && *packed == NULL);
    ISO__NEW(arena, Joint3Def, joint3_def, p);
    p->kind = (Isostep__V1__Joint3Kind)def->kind;
    p->body_a = iso_id_pack(def->body_a.index, def->body_a.generation);
    p->body_b = iso_id_pack(def->body_b.index, def->body_b.generation);
    p->target_x = def->target.x;
    p->target_y = def->target.y;
    p->target_z = def->target.z;
    p->tag = def->tag;
    ISO_JOINT3_SWITCH_LIST(PACK_SWITCH)
    ISO_JOINT3_NUMBER_LIST(PACK_NUMBER)
    *packed = p;
    ISO__TRY(frame_pack(arena, &def->frame_a, &p->frame_a));
    ISO__TRY(frame_pack(arena, &def->frame_b, &p->frame_b));
    ISO__TRY(iso__codec_joint3_axis_pack(arena, &def->axes[0], &p->axis_0));
    ISO__TRY(iso__codec_joint3_axis_pack(arena, &def->axes[1], &p->axis_1));
    ISO__TRY(iso__codec_joint3_axis_pack(arena, &def->axes[2], &p->axis_2));
    if (!iso_joint3_kind_is_custom(def->kind)) {
        return ISO_OK;
    }
    p->constraint = def->constraint;
    return iso__codec_params_pack(arena, 3, &def->params, &p->n_params, &p->params);
}

iso_status iso__codec_joint3_unpack(const Isostep__V1__Joint3Def *p, iso_joint3_def *def) {
    ISO_ASSERT(p == NULL || p->base.descriptor == &isostep__v1__joint3_def__descriptor);
    if (p == NULL) {
        return ISO_ERR_MALFORMED;
    }
    *def = (iso_joint3_def){
        .body_a = iso_body_id_unpack(p->body_a),
        .body_b = iso_body_id_unpack(p->body_b),
        .target = {p->target_x, p->target_y, p->target_z},
        .tag = p->tag,
        .owner = {.generation = 0, .slot = ISO_OWNER_NOBODY},
    };
    ISO_JOINT3_SWITCH_LIST(UNPACK_SWITCH)
    ISO_JOINT3_NUMBER_LIST(UNPACK_NUMBER)
    ISO__TRY(frame_unpack(p->frame_a, &def->frame_a));
    ISO__TRY(frame_unpack(p->frame_b, &def->frame_b));
    ISO__TRY(iso__codec_joint3_axis_unpack(p->axis_0, &def->axes[0]));
    ISO__TRY(iso__codec_joint3_axis_unpack(p->axis_1, &def->axes[1]));
    ISO__TRY(iso__codec_joint3_axis_unpack(p->axis_2, &def->axes[2]));
    ISO__TRY(iso__codec_enum_unpack((int)p->kind, &def->kind));
    if (!iso_joint3_kind_is_custom(def->kind)) {
        return p->constraint == 0 && p->n_params == 0 ? ISO_OK : ISO_ERR_MALFORMED;
    }
    def->constraint = p->constraint;
    return iso__codec_params_unpack(3, p->params, p->n_params, &def->params);
}
