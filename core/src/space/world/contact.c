/// See contact.h.
#include "space/world/contact.h"

#include "isostep/body3.h"

#include "space/world/body_wake.h"
#include "step/pair.h"
#include "world/events.h"

static uint32_t contact_body(const iso__space *space, uint32_t shape) {
    return space->shapes[shape].body;
}

void iso__space_contact_leave(iso__space *space, uint32_t index) {
    const iso__space_contact *contact = &space->contacts[index];
    if (contact->child == 0 && iso__space_contacts_touch(contact, iso__space_contact_pair_count(space, index))) {
        const uint32_t shapes[2] = {contact->shape_a, contact->shape_b};
        const uint32_t bodies[2] = {contact_body(space, contact->shape_a), contact_body(space, contact->shape_b)};
        iso__event_contact_end(&space->world, shapes, bodies);
    }
}

void iso__space_contacts_read(const iso_world *world, uint32_t first, uint32_t count, iso__contact_ends *ends) {
    const iso__space *space = iso__space_of_const(world);
    for (uint32_t i = 0; i < count; ++i) {
        const iso__space_contact *contact = &space->contacts[first + i];
        ends[i] = (iso__contact_ends){{contact_body(space, contact->shape_a), contact_body(space, contact->shape_b)},
                                      contact->point_count};
    }
}

static void contacts_remove(iso__space *space, uint32_t shape, uint32_t body) {
    iso_world *world = &space->world;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < world->globals->contact_count; ++i) {
        const iso__space_contact *contact = &space->contacts[i];
        const uint32_t a = contact_body(space, contact->shape_a), b = contact_body(space, contact->shape_b);
        if (contact->shape_a == shape || contact->shape_b == shape || a == body || b == body) {
            iso__space_body_wake(world, a);
            iso__space_body_wake(world, b);
            iso__space_contact_leave(space, i);
        } else {
            space->contacts[kept++] = *contact;
        }
    }
    if (kept != world->globals->contact_count) {
        world->globals->contact_count = kept;
        iso__space_manifolds_forget(space);
        iso__mark_section_dirty(world, ISO_SECTION_CONTACTS);
    }
}

void iso__space_contacts_remove_shape(iso__space *space, uint32_t shape) {
    contacts_remove(space, shape, UINT32_MAX);
}

void iso__space_contacts_remove_body(iso__space *space, uint32_t body) {
    contacts_remove(space, UINT32_MAX, body);
}

bool iso_body3_is_pushed(const iso_world *world, iso_body_id body) {
    if (iso__space_body_find(world, body) != ISO_OK) {
        return false;
    }
    const iso__space *space = iso__space_of_const(world);
    uint32_t next = iso_body_next_contact(world, body, 0);
    while (next != UINT32_MAX && !iso__space_contact_pushes(&space->contacts[next])) {
        next = iso_body_next_contact(world, body, next + 1);
    }
    return next != UINT32_MAX;
}

void iso__space_contacts_wake_neighbours(iso__space *space, uint32_t body) {
    for (uint32_t i = 0; i < space->world.globals->contact_count; ++i) {
        const uint32_t a = contact_body(space, space->contacts[i].shape_a);
        const uint32_t b = contact_body(space, space->contacts[i].shape_b);
        if (a == body || b == body) {
            iso__space_body_wake(&space->world, a == body ? b : a);
        }
    }
}

uint32_t iso__space_contact_find(const iso__space *space, uint32_t shape_a, uint32_t shape_b) {
    const bool is_swapped = contact_body(space, shape_a) > contact_body(space, shape_b);
    const uint64_t a = is_swapped ? shape_b : shape_a, b = is_swapped ? shape_a : shape_b;
    const iso__pair key = {(uint64_t)contact_body(space, (uint32_t)a) << 32 | contact_body(space, (uint32_t)b),
                           a << 32 | b};
    uint32_t low = 0, high = space->world.globals->contact_count;
    while (low < high) {
        const uint32_t at = low + (high - low) / 2;
        const uint32_t of_a = space->contacts[at].shape_a, of_b = space->contacts[at].shape_b;
        const iso__pair pair = {(uint64_t)contact_body(space, of_a) << 32 | contact_body(space, of_b),
                                (uint64_t)of_a << 32 | of_b};
        low = iso__pair_is_less(&pair, &key) ? at + 1 : low;
        high = iso__pair_is_less(&pair, &key) ? high : at;
    }
    const bool is_found = low < space->world.globals->contact_count && space->contacts[low].shape_a == a &&
                          space->contacts[low].shape_b == b;
    return is_found ? low : UINT32_MAX;
}
