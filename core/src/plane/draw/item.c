/// See item.h.
#include "plane/draw/item.h"

#include "base/assert.h"
#include "math/fixed_ops.h"
#include "math/wide128.h"

iso_draw_item *iso__plane_draw_add(iso_draw *draw, const iso_draw_item *base, iso_draw_kind kind, iso_draw_role role) {
    ISO_ASSERT(draw->count < ISO_DRAW_ITEMS_MAX);
    iso_draw_item *item = &draw->items[draw->count++];
    *item = *base;
    item->kind = (uint8_t)kind;
    item->role = (uint8_t)role;
    item->point_count = 1;
    return item;
}

void iso__plane_draw_point(iso_draw *draw, const iso_draw_item *base, iso_draw_role role, iso_vec2_wide at) {
    iso__plane_draw_add(draw, base, ISO_DRAW_POINT, role)->points[0] = at;
}

void iso__plane_draw_line(iso_draw *draw, const iso_draw_item *base, iso_draw_kind kind, iso_draw_role role,
                          iso_vec2_wide from, iso_vec2_wide to) {
    iso_draw_item *item = iso__plane_draw_add(draw, base, kind, role);
    item->point_count = 2;
    item->points[0] = from;
    item->points[1] = to;
}

iso_vec2_wide iso__plane_draw_along(iso_vec2_wide at, int32_t x, int32_t y, iso_wide length) {
    return (iso_vec2_wide){iso_wide_add(at.x, iso__mul_shift(length, x, ISO__UNIT_FRACTION)),
                           iso_wide_add(at.y, iso__mul_shift(length, y, ISO__UNIT_FRACTION))};
}

iso_wide iso__plane_draw_mark_size(const iso__plane *plane, uint32_t body) {
    if (body == UINT32_MAX || plane->bodies[body].type != ISO_BODY_DYNAMIC) {
        return INT64_MAX;
    }
    // 3/8 of the radius, which was rounded up to 2^k; that of a body without shapes is no size to go by.
    return iso__max64(ISO_WIDE_ONE * 3 << (plane->body_derived[body].radius_exponent + 8) >> 11, ISO_WIDE_ONE / 16);
}
