/// Definitions of joints between the plain struct and protobuf-c's.
#include <string.h>

#include "codec/internal.h"

static uint64_t body_id_pack(iso_body_id id)
{
    return iso_id_pack(id.index, id.generation);
}

static iso_body_id body_id_unpack(uint64_t id)
{
    return (iso_body_id){(uint32_t)id, (uint32_t)(id >> 32)};
}

enum { PARAM_COUNT = 2 * ISO_PROGRAM_VECTORS_MAX + ISO_PROGRAM_SCALARS_MAX };

static bool joint_has_params(uint8_t kind)
{
    return (iso_joint_kind_has(kind) & ISO_JOINT_IS_CUSTOM) != 0;
}

static iso_status params_pack(iso__codec_arena *arena, const iso_program_params *params, size_t *count, int64_t **packed)
{
    int64_t *numbers = iso__codec_arena_take(arena, PARAM_COUNT * sizeof *numbers);
    if (numbers == NULL) {
        return ISO_ERR_BUFFER;
    }
    memcpy(numbers, params->vectors, sizeof params->vectors);
    memcpy(numbers + 2 * ISO_PROGRAM_VECTORS_MAX, params->scalars, sizeof params->scalars);
    *count = PARAM_COUNT;
    *packed = numbers;
    return ISO_OK;
}

static iso_status params_unpack(const int64_t *packed, size_t count, iso_program_params *params)
{
    if (count != PARAM_COUNT) {
        return ISO_ERR_MALFORMED;
    }
    memcpy(params->vectors, packed, sizeof params->vectors);
    memcpy(params->scalars, packed + 2 * ISO_PROGRAM_VECTORS_MAX, sizeof params->scalars);
    return ISO_OK;
}

iso_status iso__codec_joint_pack(iso__codec_arena *arena, const iso_joint_def *def, Isostep__V1__JointDef **packed)
{
    ISO__NEW(arena, JointDef, joint_def, p);
    p->kind = (Isostep__V1__JointKind)def->kind;
    p->body_a = body_id_pack(def->body_a);
    p->body_b = body_id_pack(def->body_b);
    p->anchor_a_x = def->anchor_a.x;
    p->anchor_a_y = def->anchor_a.y;
    p->anchor_b_x = def->anchor_b.x;
    p->anchor_b_y = def->anchor_b.y;
    p->body_c = body_id_pack(def->body_c);
    p->body_d = body_id_pack(def->body_d);
    p->anchor_c_x = def->anchor_c.x;
    p->anchor_c_y = def->anchor_c.y;
    p->anchor_d_x = def->anchor_d.x;
    p->anchor_d_y = def->anchor_d.y;
    p->axis_x = def->axis.x;
    p->axis_y = def->axis.y;
#define PACK_SWITCH(name, bit) p->name = def->name;
    ISO_JOINT_SWITCH_LIST(PACK_SWITCH)
#undef PACK_SWITCH
#define PACK_NUMBER(type, name, low, high) p->name = def->name;
    ISO_JOINT_NUMBER_LIST(PACK_NUMBER)
#undef PACK_NUMBER
    p->target_x = def->target.x;
    p->target_y = def->target.y;
    *packed = p;
    if (!joint_has_params(def->kind)) {
        return ISO_OK;
    }
    p->constraint = def->constraint;
    return params_pack(arena, &def->params, &p->n_params, &p->params);
}

iso_status iso__codec_joint_unpack(const Isostep__V1__JointDef *p, iso_joint_def *def)
{
    if (p == NULL) {
        return ISO_ERR_MALFORMED;
    }
    *def = (iso_joint_def){
        .body_a = body_id_unpack(p->body_a),
        .body_b = body_id_unpack(p->body_b),
        .anchor_a = {p->anchor_a_x, p->anchor_a_y},
        .anchor_b = {p->anchor_b_x, p->anchor_b_y},
        .body_c = body_id_unpack(p->body_c),
        .body_d = body_id_unpack(p->body_d),
        .anchor_c = {p->anchor_c_x, p->anchor_c_y},
        .anchor_d = {p->anchor_d_x, p->anchor_d_y},
        .axis = {p->axis_x, p->axis_y},
        .target = {p->target_x, p->target_y},
        .owner = {.generation = 0, .slot = ISO_OWNER_NOBODY},
    };
#define UNPACK_SWITCH(name, bit) def->name = p->name != 0;
    ISO_JOINT_SWITCH_LIST(UNPACK_SWITCH)
#undef UNPACK_SWITCH
#define UNPACK_NUMBER(type, name, low, high) def->name = p->name;
    ISO_JOINT_NUMBER_LIST(UNPACK_NUMBER)
#undef UNPACK_NUMBER
    ISO__TRY(iso__codec_enum_unpack((int)p->kind, &def->kind));
    if (!joint_has_params(def->kind)) {
        return p->constraint == 0 && p->n_params == 0 ? ISO_OK : ISO_ERR_MALFORMED;
    }
    def->constraint = p->constraint;
    return params_unpack(p->params, p->n_params, &def->params);
}
