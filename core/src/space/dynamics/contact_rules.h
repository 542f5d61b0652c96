/// What a contact in space does in this tick: whether it pushes, and how its surfaces act. A game may decide about it.
#ifndef ISO_SPACE_DYNAMICS_CONTACT_RULES_H
#define ISO_SPACE_DYNAMICS_CONTACT_RULES_H

#include <string.h>

#include "math/fixed_ops.h"
#include "space/world/contact.h"
#include "space/world/scratch.h"

/// sqrt(f f') for friction, the larger restitution, as in the plane.
static inline iso__space_contact_rule iso__space_contact_mix(const iso__space_shape *a, const iso__space_shape *b) {
    const int32_t friction =
        a->friction == b->friction ? a->friction : (int32_t)iso__isqrt64((uint64_t)a->friction * (uint64_t)b->friction);
    return (iso__space_contact_rule){.friction = friction,
                                     .restitution = iso__max32(a->restitution, b->restitution),
                                     .is_enabled = ((a->flags | b->flags) & ISO__SPACE_SHAPE_SENSOR) == 0};
}

/// Asks the game about each contact of the tick, if it has a function for that.
void iso__space_contacts_rule(iso__space *space);

/// What does not push has no impulses.
static inline void iso__space_contact_clear(iso__space_contact *contact) {
    memset(contact->normal_impulse, 0, sizeof contact->normal_impulse);
    memset(contact->friction_impulse, 0, sizeof contact->friction_impulse);
    contact->twist_impulse = 0;
}

/// Whether a contact has rows: not what sleeps, sensors, what the game has disabled in this tick, and what a seam
/// hides.
static inline bool iso__space_contact_has_rows(const iso__space *space, uint32_t number) {
    const iso__space_scratch *scratch = space->scratch;
    const uint32_t manifold = scratch->contact_manifolds[number];
    return manifold != UINT32_MAX && !scratch->manifolds[manifold].is_hidden &&
           (scratch->rules == NULL ? !iso__space_contact_is_sensor(space, &space->contacts[number])
                                   : scratch->rules[number].is_enabled);
}

/// Whether the game has disabled a contact of this tick that would have rows. Such a contact connects bodies all the
/// same, so that sleep does not depend on what a game decides in a tick.
static inline bool iso__space_contact_is_disabled(const iso__space *space, uint32_t number) {
    const iso__space_scratch *scratch = space->scratch;
    return scratch->rules != NULL && scratch->contact_manifolds[number] != UINT32_MAX &&
           !scratch->rules[number].is_enabled && !iso__space_contact_is_sensor(space, &space->contacts[number]);
}

/// Whether the step has a contact of two shapes that the game has disabled.
bool iso__space_shapes_pass(const iso__space *space, uint32_t shape_a, uint32_t shape_b);

/// Tells the game the impulses of the tick's contacts: after they are stored, while the bodies are where they were.
void iso__space_contacts_tell_game(iso__space *space);

#endif
