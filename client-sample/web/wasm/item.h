/// Draw items as words of 32 bits, for JavaScript.
#ifndef ISO_WEB_ITEM_H
#define ISO_WEB_ITEM_H

#include "isostep/draw.h"

/// The words of one item: four bytes each of kind, role, part, type of the body; joint's kind, number of points, flags
/// (1: asleep, 2: active), 0; then the owner's slot (the generation of whose slot is the next word), body, shape and
/// joint as index and generation, contact, radius, radius_b [m, Q15.16], angle_from, angle_to [rad, Q15.16], and the
/// points, x and y each [m, Q15.16].
enum { ISO__WEB_ITEM_WORDS = 15 + 2 * ISO_POLYGON_VERTICES_MAX };

/// Q31.32 as Q15.16: worlds end at 32,768 m, and a display needs no more than 15 micrometres.
int32_t iso__web_narrow(iso_wide wide);

/// Writes all items of an iteration that was begun.
/// @param words     ISO__WEB_ITEM_WORDS each; points that an item does not have are left as they are
/// @param capacity  [items]
/// @return how many items there are; those beyond the capacity are left out
uint32_t iso__web_write_items(iso_draw *draw, int32_t *words, uint32_t capacity);

#endif
