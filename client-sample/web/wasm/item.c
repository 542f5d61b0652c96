/// Draw items as words of 32 bits, for JavaScript.
#include "item.h"

int32_t iso__web_narrow(iso_wide wide) {
    const int64_t value = wide >> 16;
    return value > INT32_MAX ? INT32_MAX : value < INT32_MIN ? INT32_MIN : (int32_t)value;
}

static uint32_t four_bytes(uint8_t a, uint8_t b, uint8_t c, uint8_t d) {
    return (uint32_t)a | (uint32_t)b << 8 | (uint32_t)c << 16 | (uint32_t)d << 24;
}

static void item_write(const iso_draw_item *item, int32_t *words) {
    const uint32_t flags = (item->is_asleep ? 1u : 0u) | (item->is_active ? 2u : 0u);
    const uint32_t heads[] = {
        four_bytes(item->kind, item->role, item->part, item->body_type),
        four_bytes(item->joint_kind, item->point_count, (uint8_t)flags, 0),
        item->owner.slot,
        item->owner.generation,
        item->body.index,
        item->body.generation,
        item->shape.index,
        item->shape.generation,
        item->joint.index,
        item->joint.generation,
        item->contact,
    };
    const iso_wide lengths[] = {item->radius, item->radius_b, item->angle_from, item->angle_to};
    for (uint32_t i = 0; i < 11; ++i) {
        *words++ = (int32_t)heads[i];
    }
    for (uint32_t i = 0; i < 4; ++i) {
        *words++ = iso__web_narrow(lengths[i]);
    }
    for (uint32_t i = 0; i < item->point_count; ++i) {
        *words++ = iso__web_narrow(item->points[i].x);
        *words++ = iso__web_narrow(item->points[i].y);
    }
}

uint32_t iso__web_write_items(iso_draw *draw, int32_t *words, uint32_t capacity) {
    uint32_t count = 0;
    for (const iso_draw_item *item; (item = iso_draw_next(draw)) != NULL; ++count) {
        if (count < capacity) {
            item_write(item, words + (size_t)count * ISO__WEB_ITEM_WORDS);
        }
    }
    return count;
}
