/// See contact_match.h.
#include "space/world/contact_match.h"

#include <string.h>

#include "math/fixed_ops.h"
#include "space/world/contact.h"

#define PLACE_FRACTION 14 // bits of a place below L

// ---- a pair --------------------------------------------------------------------------------------

bool iso__space_contact_is_round(const iso__space *space, const iso__space_contact *contact) {
    const uint8_t a = space->shapes[contact->shape_a].kind, b = space->shapes[contact->shape_b].kind;
    return a == ISO_SHAPE3_SPHERE || a == ISO_SHAPE3_CAPSULE || b == ISO_SHAPE3_SPHERE || b == ISO_SHAPE3_CAPSULE;
}

/// Which body's frame has the places: the one with the smaller L; A of two alike. A plane's body is never it.
static bool contact_is_b_smaller(const iso__space *space, uint32_t body_a, uint32_t body_b) {
    const iso__space_body_derived *a = &space->body_derived[body_a], *b = &space->body_derived[body_b];
    const bool is_a_dynamic = space->bodies[body_a].type == ISO_BODY_DYNAMIC;
    const bool is_b_dynamic = space->bodies[body_b].type == ISO_BODY_DYNAMIC;
    return is_a_dynamic != is_b_dynamic ? is_b_dynamic : b->radius_exponent < a->radius_exponent;
}

void iso__space_pair_offset(const iso__space *space, const iso__pair *pair, int64_t offset[3]) {
    const int64_t *from = space->bodies[pair->bodies >> 32].position;
    const int64_t *to = space->bodies[(uint32_t)pair->bodies].position;
    for (int axis = 0; axis < 3; ++axis) {
        offset[axis] = iso__round_shift(to[axis] - from[axis], 8);
    }
}

void iso__space_pair_set_places(const iso__space *space, const iso__pair *pair, iso__space_manifold *manifold) {
    if (manifold->count > 0) {
        const uint32_t body_a = (uint32_t)(pair->bodies >> 32), body_b = (uint32_t)pair->bodies;
        const bool is_of_b = contact_is_b_smaller(space, body_a, body_b);
        const iso__space_body_derived *smaller = &space->body_derived[is_of_b ? body_b : body_a];
        iso__space_manifold_set_places(manifold, smaller->rotation, smaller->radius_exponent, is_of_b);
    }
}

void iso__space_contact_make(const iso__pair *pair, const iso__space_manifold *manifold, iso__space_contact *contact) {
    *contact = (iso__space_contact){
        .shape_a = (uint32_t)(pair->shapes >> 32),
        .shape_b = (uint32_t)pair->shapes,
        .point_count = manifold->count,
    };
    for (uint32_t p = 0; p < manifold->count; ++p) {
        memcpy(&contact->place[3 * p], manifold->points[p].place, sizeof manifold->points[p].place);
    }
}

// ---- impulses of the last tick -------------------------------------------------------------------

/// The square of the distance of two places.
static int64_t place_distance(const int16_t *a, const int16_t *b) {
    int64_t sum = 0;
    for (int i = 0; i < 3; ++i) {
        const int64_t difference = (int64_t)a[i] - b[i];
        sum += difference * difference;
    }
    return sum;
}

/// The nearest point of old contacts of a pair that none has taken, within a sixteenth of L, or an eighth where the
/// contact kept its points while its bodies moved by as much; of two as near the one with the lower number. Each
/// contact has four numbers. UINT32_MAX: none. None is nearer than one at the same place, where most of what rests is
/// found.
static uint32_t contact_nearest(const int16_t *place, const iso__space_contact *old, uint32_t old_count,
                                uint32_t taken) {
    const int64_t reach = INT64_C(1) << (PLACE_FRACTION - (iso__space_contact_has_pose(old) ? 3 : 4));
    int64_t nearest = reach * reach + 1;
    uint32_t found = UINT32_MAX;
    for (uint32_t c = 0; c < old_count && nearest > 0; ++c) {
        for (uint32_t p = 0; p < old[c].point_count && nearest > 0; ++p) {
            const uint32_t number = ISO__SPACE_CONTACT_POINTS * c + p;
            const int64_t distance =
                (taken >> number & 1u) != 0 ? INT64_MAX : place_distance(place, &old[c].place[3 * p]);
            if (distance < nearest) {
                nearest = distance;
                found = number;
            }
        }
    }
    return found;
}

static void contact_take_friction(iso__space_contact *contact, const iso__space_contact *old) {
    memcpy(contact->friction_impulse, old->friction_impulse, sizeof contact->friction_impulse);
    contact->twist_impulse = old->twist_impulse;
}

/// Each new point takes the impulse of an old one. Where it touches runs over what rolls: by place alone, a capsule
/// that rolls faster than L/16 per tick would begin each tick with its first end bearing all. So of what is round the
/// points keep their numbers, which go from end to end, where places have moved too far.
static void contact_match(iso__space_contact *contact, const iso__space_contact *old, bool is_round) {
    uint32_t taken = 0;
    for (uint32_t p = 0; p < contact->point_count; ++p) {
        uint32_t found = contact_nearest(&contact->place[3 * p], old, 1, taken);
        if (found == UINT32_MAX && is_round && contact->point_count == old->point_count && (taken >> p & 1u) == 0) {
            found = p;
        }
        if (found != UINT32_MAX) {
            taken |= UINT32_C(1) << found;
            contact->normal_impulse[p] = old->normal_impulse[found];
        }
    }
    contact_take_friction(contact, old);
    contact->flags = old->flags;
}

void iso__space_contacts_match(iso__space_contact *contacts, uint32_t count, const iso__space_contact *old,
                               uint32_t old_count, bool is_round) {
    if (count == 1 && old_count == 1) {
        contact_match(contacts, old, is_round);
        return;
    }
    uint32_t taken = 0, taken_friction = 0;
    for (uint32_t c = 0; c < count; ++c) {
        bool has_friction = false;
        for (uint32_t p = 0; p < contacts[c].point_count; ++p) {
            uint32_t found = contact_nearest(&contacts[c].place[3 * p], old, old_count, taken);
            if (found == UINT32_MAX && is_round && old_count == count &&
                contacts[c].point_count == old[c].point_count &&
                (taken >> (ISO__SPACE_CONTACT_POINTS * c + p) & 1u) == 0) {
                found = ISO__SPACE_CONTACT_POINTS * c + p;
            }
            if (found == UINT32_MAX) {
                continue;
            }
            const uint32_t from = found / ISO__SPACE_CONTACT_POINTS;
            taken |= UINT32_C(1) << found;
            contacts[c].normal_impulse[p] = old[from].normal_impulse[found % ISO__SPACE_CONTACT_POINTS];
            if (!has_friction && (taken_friction >> from & 1u) == 0) {
                taken_friction |= UINT32_C(1) << from;
                contact_take_friction(&contacts[c], &old[from]);
                has_friction = true;
            }
        }
    }
}
