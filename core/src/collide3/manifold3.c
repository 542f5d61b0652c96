/// Which file makes the manifold of a pair, and in which order its shapes are.
#include "collide3/manifold3.h"

#include "base/assert.h"
#include "collide3/manifold3_box.h"
#include "collide3/manifold3_box_round.h"
#include "collide3/manifold3_hull.h"
#include "collide3/manifold3_hull_round.h"
#include "collide3/manifold3_plane.h"
#include "collide3/manifold3_round.h"

/// a->kind <= b->kind.
static void manifold3_make_ordered(const iso__manifold3_settings *settings, const iso__collider3 *a,
                                   const iso__collider3 *b, const int64_t offset[3], iso__manifold3 *manifold) {
    const bool is_round = a->kind <= ISO__COLLIDER3_CAPSULE;
    switch ((iso__collider3_kind)b->kind) {
    case ISO__COLLIDER3_SPHERE:
    case ISO__COLLIDER3_CAPSULE:
        iso__manifold3_round(settings, a, b, offset, manifold);
        break;
    case ISO__COLLIDER3_BOX:
        (is_round ? iso__manifold3_box_round : iso__manifold3_box)(settings, a, b, offset, manifold);
        break;
    case ISO__COLLIDER3_HULL:
        (is_round ? iso__manifold3_hull_round : iso__manifold3_hull)(settings, a, b, offset, manifold);
        break;
    case ISO__COLLIDER3_PLANE:
        iso__manifold3_plane(settings, a, b, offset, manifold);
        break;
    case ISO__COLLIDER3_HEIGHTS:
    case ISO__COLLIDER3_KIND_COUNT:
        ISO_ASSERT(false); // several contacts: iso__manifold3_heights
        break;
    }
}

void iso__manifold3_make(const iso__manifold3_settings *settings, const iso__collider3 *a, const iso__collider3 *b,
                         const int64_t offset[3], iso__manifold3 *manifold) {
    *manifold = (iso__manifold3){.count = 0};
    if (a->kind <= b->kind) {
        manifold3_make_ordered(settings, a, b, offset, manifold);
        return;
    }
    const int64_t back[3] = {-offset[0], -offset[1], -offset[2]};
    manifold3_make_ordered(settings, b, a, back, manifold);
    iso__manifold3_swap(manifold);
}

void iso__manifold3_set_places(iso__manifold3 *manifold, const int32_t rotation[9], int exponent, bool is_of_b) {
    const unsigned shift = (unsigned)(ISO__UNIT_FRACTION + 10 + exponent); // Q.54 to 2^-14 2^k
    for (uint32_t i = 0; i < manifold->count; ++i) {
        iso__manifold3_point *point = &manifold->points[i];
        const int32_t *anchor = is_of_b ? point->anchor_b : point->anchor_a;
        for (int k = 0; k < 3; ++k) {
            const int64_t along = iso__mul32(rotation[k], anchor[0]) + iso__mul32(rotation[3 + k], anchor[1]) +
                                  iso__mul32(rotation[6 + k], anchor[2]);
            point->place[k] = (int16_t)iso__clamp64(iso__round_shift(along, shift), INT16_MIN, INT16_MAX);
        }
    }
}
