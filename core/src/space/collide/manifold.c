/// Which file makes the manifold of a pair, and in which order its shapes are.
#include "space/collide/manifold.h"

#include "base/assert.h"
#include "space/collide/manifold_box.h"
#include "space/collide/manifold_box_round.h"
#include "space/collide/manifold_hull.h"
#include "space/collide/manifold_hull_round.h"
#include "space/collide/manifold_plane.h"
#include "space/collide/manifold_round.h"

/// a->kind <= b->kind.
static void manifold3_make_ordered(const iso__space_manifold_settings *settings, const iso__space_collider *a,
                                   const iso__space_collider *b, const int64_t offset[3],
                                   iso__space_manifold *manifold) {
    const bool is_round = a->kind <= ISO__SPACE_COLLIDER_CAPSULE;
    switch ((iso__space_collider_kind)b->kind) {
    case ISO__SPACE_COLLIDER_SPHERE:
    case ISO__SPACE_COLLIDER_CAPSULE:
        iso__space_manifold_round(settings, a, b, offset, manifold);
        break;
    case ISO__SPACE_COLLIDER_BOX:
        (is_round ? iso__space_manifold_box_round : iso__space_manifold_box)(settings, a, b, offset, manifold);
        break;
    case ISO__SPACE_COLLIDER_HULL:
        (is_round ? iso__space_manifold_hull_round : iso__space_manifold_hull)(settings, a, b, offset, manifold);
        break;
    case ISO__SPACE_COLLIDER_PLANE:
        iso__space_manifold_plane(settings, a, b, offset, manifold);
        break;
    case ISO__SPACE_COLLIDER_HEIGHTS:
    case ISO__SPACE_COLLIDER_KIND_COUNT:
        ISO_ASSERT(false); // several contacts: iso__space_manifold_heights
        break;
    }
}

void iso__space_manifold_make(const iso__space_manifold_settings *settings, const iso__space_collider *a,
                              const iso__space_collider *b, const int64_t offset[3], iso__space_manifold *manifold) {
    *manifold = (iso__space_manifold){.count = 0};
    if (a->kind <= b->kind) {
        manifold3_make_ordered(settings, a, b, offset, manifold);
        return;
    }
    const int64_t back[3] = {-offset[0], -offset[1], -offset[2]};
    manifold3_make_ordered(settings, b, a, back, manifold);
    iso__space_manifold_swap(manifold);
}

void iso__space_manifold_set_places(iso__space_manifold *manifold, const int32_t rotation[9], int exponent,
                                    bool is_of_b) {
    const unsigned shift = (unsigned)(ISO__UNIT_FRACTION + 10 + exponent); // Q.54 to 2^-14 2^k
    for (uint32_t i = 0; i < manifold->count; ++i) {
        iso__space_manifold_point *point = &manifold->points[i];
        const int32_t *anchor = is_of_b ? point->anchor_b : point->anchor_a;
        for (int k = 0; k < 3; ++k) {
            const int64_t along = iso__mul32(rotation[k], anchor[0]) + iso__mul32(rotation[3 + k], anchor[1]) +
                                  iso__mul32(rotation[6 + k], anchor[2]);
            point->place[k] = (int16_t)iso__clamp64(iso__round_shift(along, shift), INT16_MIN, INT16_MAX);
        }
    }
}
