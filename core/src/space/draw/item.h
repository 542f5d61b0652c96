/// Items of a drawing in space: what its files share.
#ifndef ISO_SPACE_DRAW_ITEM_H
#define ISO_SPACE_DRAW_ITEM_H

#include "isostep/draw3.h"
#include "space/world/space.h"

/// The parts of an item that come from its body.
iso_draw3_item iso__space_draw_base(const iso_draw3 *draw, uint8_t part, uint32_t body);

/// Adds an item like `base`, which says what it belongs to. At most ISO_DRAW3_ITEMS_MAX at a time.
iso_draw3_item *iso__space_draw_add(iso_draw3 *draw, const iso_draw3_item *base, iso_draw3_kind kind,
                                    iso_draw_role role);
void iso__space_draw_point(iso_draw3 *draw, const iso_draw3_item *base, iso_draw_role role, iso_vec3_wide at);
/// A line or an arrow.
void iso__space_draw_line(iso_draw3 *draw, const iso_draw3_item *base, iso_draw3_kind kind, iso_draw_role role,
                          iso_vec3_wide from, iso_vec3_wide to);
/// Around a point; its angles [rad] are 0 and the caller's to set.
/// @param normal, side  Q2.30, across each other
iso_draw3_item *iso__space_draw_arc(iso_draw3 *draw, const iso_draw3_item *base, iso_draw_role role, iso_vec3_wide at,
                                    const int32_t normal[3], const int32_t side[3], iso_wide radius);

/// `at` plus a length [m] along a direction, Q2.30. Saturates.
iso_vec3_wide iso__space_draw_along(iso_vec3_wide at, const int32_t direction[3], iso_wide length);

/// [m] The maximum length of a mark beside a body: a part of its bounding radius. A body that does not move: none,
/// INT64_MAX.
iso_wide iso__space_draw_mark_size(const iso_draw3 *draw, uint32_t body);

#endif
