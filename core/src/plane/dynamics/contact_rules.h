/// What a contact does in this tick: whether it pushes, and how its surfaces act. A game may decide about it.
#ifndef ISO_PLANE_DYNAMICS_CONTACT_RULES_H
#define ISO_PLANE_DYNAMICS_CONTACT_RULES_H

#include "plane/collide/manifold.h"
#include "plane/world/plane.h"

/// Of a contact with a one-way shape: see iso__plane_contact_update_passing.
void iso__plane_contact_rule_passing(const iso__plane *plane, iso__plane_contact *contact,
                                     const iso__plane_manifold *manifold, bool is_new);

/// Decides whether what touches a one-way shape passes it, from the manifold of this tick; sets the contact's flag.
/// @param is_new  the contact did not exist in the last tick
static inline void iso__plane_contact_update_passing(const iso__plane *plane, iso__plane_contact *contact,
                                                     const iso__plane_manifold *manifold, bool is_new) {
    const iso__plane_shape *a = &plane->shapes[contact->shape_a], *b = &plane->shapes[contact->shape_b];
    if ((a->one_way[0] | a->one_way[1] | b->one_way[0] | b->one_way[1]) == 0) {
        contact->flags &= (uint8_t)~ISO__PLANE_CONTACT_PASSES;
    } else {
        iso__plane_contact_rule_passing(plane, contact, manifold, is_new);
    }
}

/// Of all solved contacts: mixes the surfaces, gives contacts without rows their colour, asks the game.
void iso__plane_contacts_rule(iso__plane *plane);

/// Whether the game is told of contacts after the step.
static inline bool iso__plane_contacts_are_told(const iso_world *world) {
    return world->game != NULL && world->game->after_contact != NULL;
}

/// Tells the game the impulses of the solved contacts: after they are stored, while the bodies are where they were.
void iso__plane_contacts_tell_game(iso__plane *plane);

#endif
