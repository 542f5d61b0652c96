/// See price.h.
#include "price.h"

#include "isostep/assert.h"

iso__price iso__price_of_kind(uint8_t kind) {
    switch ((iso_command_kind)kind) {
#define PRICE_CASE(name, base, corner, shape, hull, joint, pairs) \
    case ISO_COMMAND_##name:                                      \
        return (iso__price){base, corner, shape, hull, joint, pairs};
        ISO__PRICE_LIST(PRICE_CASE)
#undef PRICE_CASE
    }
    return (iso__price){0, 0, 0, 0, 0, 0};
}

uint32_t iso__price_of(const iso_world *world, uint32_t slot, uint32_t made, const iso_command *command) {
    ISO_ASSERT(slot < ISO_SLOT_COUNT_MAX && command->kind != 0);
    const iso__price price = iso__price_of_kind(command->kind);
    if (command->kind == ISO_COMMAND_SET_CONTROL) {
        return price.base;
    }
    iso_command_weight is;
    iso_world_weigh_command(world, slot, command, &is);
    uint64_t units = price.base + (uint64_t)price.corner * is.corners + is.crowd / 32u;
    units += (uint64_t)price.shape * (is.parts + made) + (uint64_t)price.hull * (is.hulls + made);
    units += (uint64_t)price.joint * (is.ties + made) + price.pairs * is.pairs / 128u;
    return units < ISO__MEMBER_UNITS_BURST ? (uint32_t)units : ISO__MEMBER_UNITS_BURST;
}
