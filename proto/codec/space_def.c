/// Definitions of bodies and shapes in space between the plain structs and protobuf-c's.
#include "codec/internal.h"

#define BODY_VECTOR_LIST(X) X(velocity) X(angular_velocity)

#define SAME_SHAPE_KIND(name, number) \
    _Static_assert((int)ISOSTEP__V1__SHAPE3_KIND__SHAPE3_KIND_##name == (number), "numbers differ: " #name);
ISO_SHAPE3_KIND_LIST(SAME_SHAPE_KIND)
#undef SAME_SHAPE_KIND

#define PACK_ROTATION(p, q) \
    ((p)->rotation_x = (q).x, (p)->rotation_y = (q).y, (p)->rotation_z = (q).z, (p)->rotation_w = (q).w)
#define UNPACK_ROTATION(p) ((iso_quat){(p)->rotation_x, (p)->rotation_y, (p)->rotation_z, (p)->rotation_w})

iso_status iso__codec_body3_pack(iso__codec_arena *arena, const iso_body3_def *def, Isostep__V1__Body3Def **packed) {
    ISO_ASSERT(arena->used <= arena->size && *packed == NULL);
    ISO__NEW(arena, Body3Def, body3_def, p);
    p->type = (Isostep__V1__BodyType)def->type;
    p->x = def->position.x;
    p->y = def->position.y;
    p->z = def->position.z;
    PACK_ROTATION(p, def->rotation);
#define PACK_VECTOR(name) p->name##_x = def->name.x, p->name##_y = def->name.y, p->name##_z = def->name.z;
    BODY_VECTOR_LIST(PACK_VECTOR)
#undef PACK_VECTOR
    p->tag = def->tag;
    *packed = p;
    return ISO_OK;
}

iso_status iso__codec_body3_unpack(const Isostep__V1__Body3Def *p, iso_body3_def *def) {
    ISO_ASSERT(p == NULL || p->base.descriptor == &isostep__v1__body3_def__descriptor);
    if (p == NULL) {
        return ISO_ERR_MALFORMED;
    }
    *def = (iso_body3_def){
        .position = {p->x, p->y, p->z},
        .rotation = UNPACK_ROTATION(p),
        .tag = p->tag,
        .owner = {.generation = 0, .slot = ISO_OWNER_NOBODY},
        .params = iso_body3_params_default(),
    };
#define UNPACK_VECTOR(name) def->name = (iso_vec3_wide){p->name##_x, p->name##_y, p->name##_z};
    BODY_VECTOR_LIST(UNPACK_VECTOR)
#undef UNPACK_VECTOR
    return iso__codec_enum_unpack((int)p->type, &def->type);
}

iso_status iso__codec_shape3_pack(iso__codec_arena *arena, const iso_shape3_def *def, Isostep__V1__Shape3Def **packed) {
    ISO_ASSERT(arena->used <= arena->size && *packed == NULL && def->point_count <= ISO_HULL_VERTICES_MAX);
    ISO__NEW(arena, Shape3Def, shape3_def, p);
    p->kind = (Isostep__V1__Shape3Kind)def->kind;
    p->density = def->density;
    p->friction = def->friction;
    p->restitution = def->restitution;
    p->radius = def->radius;
    p->offset = def->offset;
    p->sensor = def->is_sensor;
    p->tag = def->tag;
    PACK_ROTATION(p, def->rotation);
    p->n_points = 3 * (size_t)def->point_count;
    p->points = iso__codec_arena_take(arena, p->n_points * sizeof(int32_t));
    if (p->points == NULL) {
        return ISO_ERR_BUFFER;
    }
    for (size_t i = 0; i < def->point_count; ++i) {
        p->points[3 * i] = def->points[i].x;
        p->points[3 * i + 1] = def->points[i].y;
        p->points[3 * i + 2] = def->points[i].z;
    }
    *packed = p;
    return iso__codec_filter_pack(arena, &def->filter, &p->filter);
}

iso_status iso__codec_shape3_unpack(const Isostep__V1__Shape3Def *p, iso_shape3_def *def) {
    ISO_ASSERT(p == NULL || p->base.descriptor == &isostep__v1__shape3_def__descriptor);
    if (p == NULL || p->n_points % 3 != 0 || p->n_points > 3 * ISO_HULL_VERTICES_MAX) {
        return ISO_ERR_MALFORMED;
    }
    *def = (iso_shape3_def){
        .point_count = (uint8_t)(p->n_points / 3),
        .density = p->density,
        .friction = p->friction,
        .restitution = p->restitution,
        .radius = p->radius,
        .offset = p->offset,
        .is_sensor = p->sensor,
        .tag = p->tag,
        .rotation = UNPACK_ROTATION(p),
    };
    for (size_t i = 0; i < def->point_count; ++i) {
        def->points[i] = (iso_vec3){p->points[3 * i], p->points[3 * i + 1], p->points[3 * i + 2]};
    }
    ISO__TRY(iso__codec_enum_unpack((int)p->kind, &def->kind));
    return iso__codec_filter_unpack(p->filter, &def->filter);
}
