/// Items of a drawing: what its files share.
#ifndef ISO_PLANE_DRAW_ITEM_H
#define ISO_PLANE_DRAW_ITEM_H

#include "isostep/draw.h"
#include "plane/world/plane.h"

/// Adds an item like `base`, which says what it belongs to. At most ISO_DRAW_ITEMS_MAX at a time.
iso_draw_item *iso__plane_draw_add(iso_draw *draw, const iso_draw_item *base, iso_draw_kind kind, iso_draw_role role);
void iso__plane_draw_point(iso_draw *draw, const iso_draw_item *base, iso_draw_role role, iso_vec2_wide at);
/// A line or an arrow.
void iso__plane_draw_line(iso_draw *draw, const iso_draw_item *base, iso_draw_kind kind, iso_draw_role role,
                          iso_vec2_wide from, iso_vec2_wide to);

/// `at` plus a length [m] along a direction, Q2.30.
iso_vec2_wide iso__plane_draw_along(iso_vec2_wide at, int32_t x, int32_t y, iso_wide length);

/// [m] The maximum length of a mark beside a body: a part of its bounding radius. UINT32_MAX or a body that does not
/// move: none, INT64_MAX.
iso_wide iso__plane_draw_mark_size(const iso__plane *plane, uint32_t body);

#endif
