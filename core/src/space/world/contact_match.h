/// From the manifolds of a pair to its contacts, whose points keep the impulses of those that there were.
#ifndef ISO_SPACE_WORLD_CONTACT_MATCH_H
#define ISO_SPACE_WORLD_CONTACT_MATCH_H

#include "space/collide/manifold.h"
#include "space/world/space.h"
#include "step/pair.h"

/// Whether one of the shapes is a sphere or a capsule.
bool iso__space_contact_is_round(const iso__space *space, const iso__space_contact *contact);

/// [m] Q.24: the centre of mass of body B from A's.
void iso__space_pair_offset(const iso__space *space, const iso__pair *pair, int64_t offset[3]);

/// The places of a manifold's points on the smaller body.
void iso__space_pair_set_places(const iso__space *space, const iso__pair *pair, iso__space_manifold *manifold);

/// A contact of a manifold, without impulses.
void iso__space_contact_make(const iso__pair *pair, const iso__space_manifold *manifold, iso__space_contact *contact);

/// Gives the points of a pair's contacts the impulses of its old ones, of which there is at least one. Of several
/// contacts, as pairs with heights have them, all at once, since a point may be in another one than in the last tick;
/// friction is that of the old contact which the first of its points was in, once.
void iso__space_contacts_match(iso__space_contact *contacts, uint32_t count, const iso__space_contact *old,
                               uint32_t old_count, bool is_round);

#endif
