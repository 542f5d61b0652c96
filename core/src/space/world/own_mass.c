/// See own_mass.h.
#include "space/world/own_mass.h"

#include <string.h>

#include "base/assert.h"

/// The first record that is not of a lower body.
static uint32_t own_mass_place(const iso__space *space, uint32_t body) {
    uint32_t low = 0, high = space->world.globals->own_mass_count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (space->own_masses[middle].body < body) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static bool own_mass_is_of(const iso__space *space, uint32_t place, uint32_t body) {
    return place < space->world.globals->own_mass_count && space->own_masses[place].body == body;
}

iso__space_own_mass iso__space_own_mass_of(const iso__space *space, uint32_t body) {
    const uint32_t place = own_mass_place(space, body);
    return own_mass_is_of(space, place, body) ? space->own_masses[place] : (iso__space_own_mass){.body = body};
}

void iso__space_own_mass_set(iso__space *space, const iso__space_own_mass *own) {
    uint32_t *count = &space->world.globals->own_mass_count;
    const uint32_t place = own_mass_place(space, own->body);
    const bool is_there = own_mass_is_of(space, place, own->body), is_some = iso__space_own_mass_is_some(own);
    if (!is_there && !is_some) {
        return;
    }
    iso__space_own_mass *record = &space->own_masses[place];
    if (is_there && !is_some) {
        *count -= 1;
        memmove(record, record + 1, (*count - place) * sizeof *record);
        space->own_masses[*count] = (iso__space_own_mass){0};
    } else {
        if (!is_there) {
            ISO_ASSERT(*count < iso__own_mass_capacity(&space->world.def));
            memmove(record + 1, record, (*count - place) * sizeof *record);
            *count += 1;
        }
        *record = *own;
    }
    iso__mark_section_dirty(&space->world, ISO_SECTION_OWN_MASSES);
    iso__mark_section_dirty(&space->world, ISO_SECTION_GLOBALS);
}
