/// See body3_wake.h.
#include "world3/body3_wake.h"

void iso__body3_refresh_awake(iso_world *world, uint32_t body) {
    const iso__body3 *record = &iso__space_of(world)->bodies[body];
    const bool is_kinematic = record->type == ISO_BODY_KINEMATIC;
    const bool is_awake =
        is_kinematic || (record->type == ISO_BODY_DYNAMIC && (record->flags & ISO__BODY3_ASLEEP) == 0);
    (is_awake ? iso__bit_set : iso__bit_clear)(world->awake, body);
    (is_kinematic ? iso__bit_set : iso__bit_clear)(world->kinematic, body);
}

bool iso__body3_is_asleep(const iso_world *world, uint32_t body) {
    return (iso__space_of_const(world)->bodies[body].flags & ISO__BODY3_ASLEEP) != 0;
}

void iso__body3_wake(iso_world *world, uint32_t body) {
    iso__body3 *record = &iso__space_of(world)->bodies[body];
    const bool is_asleep = (record->flags & ISO__BODY3_ASLEEP) != 0;
    world->wakes_islands = world->wakes_islands || is_asleep || record->type != ISO_BODY_DYNAMIC;
    if (is_asleep) {
        record->flags &= (uint8_t)~ISO__BODY3_ASLEEP;
        iso__body3_refresh_awake(world, body);
        iso__bit_set(world->woken, body);
    }
    if (is_asleep || record->quiet_ticks != 0) {
        record->quiet_ticks = 0;
        iso__mark_dirty(world, ISO_SECTION_BODIES, body);
    }
}
