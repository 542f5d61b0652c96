/// See snapshot_check.h.
#include "state/snapshot_check.h"

#include <string.h>

#include "base/random.h"
#include "world/slots.h"

#define CHECK_GRAVITY_MAX (1000 * ISO_FIX16_ONE)

bool iso__check_globals(const iso__globals *globals) {
    return globals->tick < ISO__SEQUENCE_END && iso__random_is_valid(globals->random) &&
           iso__check_is_within32(globals->gravity[0], CHECK_GRAVITY_MAX) &&
           iso__check_is_within32(globals->gravity[1], CHECK_GRAVITY_MAX) &&
           iso__check_is_within32(globals->gravity_z, CHECK_GRAVITY_MAX) && globals->spawn_count < ISO__SEQUENCE_END &&
           (globals->tick > 0 || globals->spawn_count == 0);
}

static bool check_slot(const iso__slot *slot, uint64_t tick) {
    if (slot->occupied == 0) {
        iso__slot expected = {.generation = slot->generation};
        return memcmp(&expected, slot, sizeof expected) == 0;
    }
    return slot->occupied <= ISO__SLOT_HELD && slot->generation > 0 && slot->last_sequence < ISO__SEQUENCE_END &&
           slot->control_tick <= tick && slot->control_size <= ISO_CONTROL_SIZE_MAX &&
           iso__check_is_zero(slot->control + slot->control_size, ISO_CONTROL_SIZE_MAX - slot->control_size);
}

bool iso__check_slots(const iso_world *world, const iso__snapshot *snapshot, uint32_t generations[ISO_SLOT_COUNT_MAX],
                      uint32_t counts[ISO_SLOT_COUNT_MAX]) {
    for (uint32_t i = 0; i < world->def.slot_capacity; ++i) {
        iso__slot slot;
        iso__snapshot_read(snapshot, ISO_SECTION_SLOTS, i, &slot);
        if (!check_slot(&slot, snapshot->globals.tick)) {
            return false;
        }
        generations[i] = slot.occupied != 0 ? slot.generation : 0;
        counts[i] = slot.body_count;
    }
    return true;
}
