/// See item.h.
#include "space/draw/item.h"

#include "base/assert.h"
#include "math/fixed_ops.h"
#include "math/wide128.h"
#include "space/world/body_wake.h"

iso_draw3_item iso__space_draw_base(const iso_draw3 *draw, uint8_t part, uint32_t body) {
    const iso__space_body *record = &iso__space_of_const(draw->world)->bodies[body];
    return (iso_draw3_item){
        .part = part,
        .body_type = record->type,
        .is_asleep = iso__space_body_is_asleep(draw->world, body),
        .is_active = true,
        .owner = {record->owner_generation, record->owner_slot},
        .body = {body, draw->world->body_generations[body]},
    };
}

iso_draw3_item *iso__space_draw_add(iso_draw3 *draw, const iso_draw3_item *base, iso_draw3_kind kind,
                                    iso_draw_role role) {
    ISO_ASSERT(draw->count < ISO_DRAW3_ITEMS_MAX);
    iso_draw3_item *item = &draw->items[draw->count++];
    *item = *base;
    item->kind = (uint8_t)kind;
    item->role = (uint8_t)role;
    item->point_count = 1;
    return item;
}

iso_draw3_item *iso__space_draw_arc(iso_draw3 *draw, const iso_draw3_item *base, iso_draw_role role, iso_vec3_wide at,
                                    const int32_t normal[3], const int32_t side[3], iso_wide radius) {
    iso_draw3_item *item = iso__space_draw_add(draw, base, ISO_DRAW3_ARC, role);
    item->points[0] = at;
    item->normal = (iso_unit3){normal[0], normal[1], normal[2]};
    item->side = (iso_unit3){side[0], side[1], side[2]};
    item->radius = radius;
    return item;
}

void iso__space_draw_point(iso_draw3 *draw, const iso_draw3_item *base, iso_draw_role role, iso_vec3_wide at) {
    iso__space_draw_add(draw, base, ISO_DRAW3_POINT, role)->points[0] = at;
}

void iso__space_draw_line(iso_draw3 *draw, const iso_draw3_item *base, iso_draw3_kind kind, iso_draw_role role,
                          iso_vec3_wide from, iso_vec3_wide to) {
    iso_draw3_item *item = iso__space_draw_add(draw, base, kind, role);
    item->point_count = 2;
    item->points[0] = from;
    item->points[1] = to;
}

iso_vec3_wide iso__space_draw_along(iso_vec3_wide at, const int32_t direction[3], iso_wide length) {
    return (iso_vec3_wide){iso_wide_add(at.x, iso__mul_shift(length, direction[0], ISO__UNIT_FRACTION)),
                           iso_wide_add(at.y, iso__mul_shift(length, direction[1], ISO__UNIT_FRACTION)),
                           iso_wide_add(at.z, iso__mul_shift(length, direction[2], ISO__UNIT_FRACTION))};
}

iso_wide iso__space_draw_mark_size(const iso_draw3 *draw, uint32_t body) {
    const iso__space *space = iso__space_of_const(draw->world);
    if (space->bodies[body].type != ISO_BODY_DYNAMIC) {
        return INT64_MAX;
    }
    // 3/8 of the radius, which was rounded up to 2^k, k from -8 to 6; that of a body without shapes is no size to go
    // by.
    return iso__max64(ISO_WIDE_ONE * 3 << (space->body_derived[body].radius_exponent + 8) >> 11, ISO_WIDE_ONE / 16);
}
