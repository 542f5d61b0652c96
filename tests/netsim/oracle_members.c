/// Whether every client knows by name who is in its world.
#include <string.h>

#include "sim.h"

/// Who has this slot with this generation, as the server has told somebody. NULL: nobody, or it never happened
static const sim_member *members_find(const sim *s, uint8_t slot, uint32_t generation) {
    for (uint32_t i = s->member_count; i-- > 0;) {
        const sim_member *m = &s->members[i];
        if (m->slot == slot && m->generation == generation && !m->is_forgotten) {
            return m;
        }
    }
    return NULL;
}

/// Whether the name is the one that was asked for, or that with a number: who came anew while it was still held.
static bool members_is_named(const char *name, const char *asked) {
    const size_t size = strlen(asked);
    return strcmp(name, asked) == 0 || (strncmp(name, asked, size) == 0 && name[size] == ' ' &&
                                        strspn(name + size + 1, "0123456789") == strlen(name + size + 1));
}

/// What the client's list says of a slot of its world. It may be of later than the world, never of earlier.
static void members_check_slot(sim *s, uint32_t index, uint8_t slot, const iso_slot_view *view) {
    const iso_member *entry = iso_client_find_member(s->clients[index].client, slot, view->generation);
    iso_slot_view now;
    const bool still_there = s->server.is_up && iso_world_get_slot(s->server.world, slot, &now) && now.is_occupied &&
                             now.generation == view->generation;
    SIM_CHECK(s, entry != NULL || !still_there, "client %u has no name for slot %u, generation %u", index,
              (unsigned)slot, view->generation);
    const sim_member *m = members_find(s, slot, view->generation);
    if (entry == NULL || m == NULL || client_is_wild(&s->clients[m->client])) {
        return;
    }
    s->totals.names_known += 1;
    // Who joined while nothing was recorded, before a power cut, has no name until it is back (proto/RECORDING.md).
    if (s->is_after_degraded && m->epoch != s->config.epoch && entry->name[0] == '\0') {
        return;
    }
    SIM_CHECK(s, members_is_named(entry->name, s->clients[m->client].hello.member),
              "client %u takes client %u in slot %u for '%s'", index, m->client, (unsigned)slot, entry->name);
}

void oracle_members_known(sim *s, uint32_t index) {
    const sim_client *c = &s->clients[index];
    const iso_world *world = iso_client_world(c->client);
    const bool of_the_dead = c->link != SIM_NONE && s->links[c->link].is_of_dead_peer;
    if (world == NULL || of_the_dead || c->lies == SIM_LIES_MANY || c->flip_state != SIM_NO_FLIP) {
        return;
    }
    for (uint32_t slot = 0; slot < s->def.slot_capacity; ++slot) {
        iso_slot_view view;
        if (iso_world_get_slot(world, slot, &view) && view.is_occupied) {
            members_check_slot(s, index, (uint8_t)slot, &view);
        }
    }
}
