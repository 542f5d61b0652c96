/// See seam.h, and space/collide/seam.h for what hides what.
///
/// As in the plane (plane/dynamics/seam.c): which contacts are hidden follows from the manifolds of this tick and the
/// impulses of the last. A hidden contact stays a contact, without impulses. Contacts are judged in key order, and what
/// is hidden hides nothing, so two of them never hide each other.
#include "space/dynamics/seam.h"

#include "base/assert.h"
#include "math/fixed_ops.h"
#include "space/collide/seam.h"
#include "space/collide/vec_ops.h"
#include "space/dynamics/contact_pose.h"
#include "space/dynamics/contact_rules.h"
#include "space/world/contact.h"
#include "space/world/contact_match.h"

#define SEAM_COSINE_ACROSS (INT64_C(1) << 58) // a quarter, Q.60
// Bodies with more contacts are not looked at as sliders, or one under a heap would cost the square of their number.
#define SEAM_CONTACTS_MAX 32
#define SEAM_NONE         UINT32_MAX
#define SEAM_APPROACH     (INT64_C(1) << (ISO__VEL_FRACTION - 4)) // [m/s] Q12.19: a sixteenth

/// A contact as one of its bodies sees it, the slider.
typedef struct seam_view {
    uint32_t slider, piece; // shapes
    iso__space_seam_piece of;
    iso__space_seam_touch touch;
} seam_view;

static iso__space_manifold *seam_manifold(const iso__space *space, uint32_t contact) {
    return &space->scratch->manifolds[space->scratch->contact_manifolds[contact]];
}

static uint32_t seam_shape(const iso__space *space, uint32_t contact, uint32_t side) {
    return side == 0 ? space->contacts[contact].shape_a : space->contacts[contact].shape_b;
}

static uint32_t seam_body(const iso__space *space, uint32_t contact, uint32_t side) {
    return space->shapes[seam_shape(space, contact, side)].body;
}

/// The normal of a contact from the piece to the slider.
static void seam_normal(const iso__space_manifold *manifold, uint32_t side, int32_t normal[3]) {
    for (int i = 0; i < 3; ++i) {
        normal[i] = side == 0 ? iso__neg32(manifold->normal[i]) : manifold->normal[i];
    }
}

static void seam_view_of(const iso__space *space, uint32_t contact, uint32_t side, seam_view *view) {
    const iso__space_contact *record = &space->contacts[contact];
    const iso__pair pair = {(uint64_t)seam_body(space, contact, 0) << 32 | seam_body(space, contact, 1),
                            (uint64_t)record->shape_a << 32 | record->shape_b};
    int64_t offset[3];
    iso__space_pair_offset(space, &pair, offset);
    for (int i = 0; i < 3; ++i) {
        offset[i] = side == 0 ? offset[i] : -offset[i];
    }
    view->slider = seam_shape(space, contact, side);
    view->piece = seam_shape(space, contact, 1 - side);
    const iso__space_collider *slider = &space->scratch->colliders[view->slider];
    iso__space_seam_piece_make(&space->scratch->colliders[view->piece], offset, &view->of);
    iso__space_seam_touch_make(seam_manifold(space, contact), side == 0, !iso__space_seam_is_piece(slider), &view->of,
                               &view->touch);
}

/// Whether a body comes to another one against a normal faster than what rests does.
static bool seam_approaches(const iso__space_body *slider, const iso__space_body *piece, const int32_t normal[3]) {
    int64_t along = 0; // Q.49
    for (int i = 0; i < 3; ++i) {
        along += (int64_t)normal[i] * ((int64_t)slider->velocity[i] - piece->velocity[i]);
    }
    return along < -(SEAM_APPROACH << ISO__UNIT_FRACTION);
}

/// Whether a contact may be one that others of its shape hide: the piece has edges, and does not carry the body. A
/// dynamic piece does not when it did not push in the last tick, and the body comes to it: nothing in a stack.
static bool seam_is_open(const iso__space *space, uint32_t contact, uint32_t side) {
    const iso__space_collider *piece = &space->scratch->colliders[seam_shape(space, contact, 1 - side)];
    const uint32_t body = seam_body(space, contact, side);
    if (!iso__bit_is_set(space->scratch->moving_bits, body) || space->bodies[body].type != ISO_BODY_DYNAMIC ||
        !iso__space_seam_is_piece(piece) || piece->kind == ISO__SPACE_COLLIDER_PLANE) {
        return false;
    }
    const iso__space_body *other = &space->bodies[seam_body(space, contact, 1 - side)];
    int32_t normal[3];
    seam_normal(seam_manifold(space, contact), side, normal);
    return other->type != ISO_BODY_DYNAMIC || (!iso__space_contact_pushes(&space->contacts[contact]) &&
                                               seam_approaches(&space->bodies[body], other, normal));
}

/// Links the contacts of each moving body, by twice their number, plus one where the body is B. Those that do not push
/// are left out: they carry nothing.
/// @return the first contact that may be hidden; SEAM_NONE: there is none
static uint32_t seam_link(const iso__space *space) {
    const iso__space_scratch *scratch = space->scratch;
    uint32_t first = SEAM_NONE;
    for (uint32_t w = 0; w < (space->world.globals->body_count + 63) / 64; ++w) {
        for (uint64_t bits = scratch->moving_bits[w]; bits != 0; bits &= bits - 1) {
            scratch->body_heads[w * 64 + (uint32_t)__builtin_ctzll(bits)] = SEAM_NONE;
        }
    }
    for (uint32_t i = space->world.globals->contact_count; i-- > 0;) {
        if (scratch->contact_manifolds[i] == UINT32_MAX) {
            continue;
        }
        seam_manifold(space, i)->is_hidden = false;
        if (!iso__space_contact_has_rows(space, i)) {
            continue;
        }
        for (uint32_t side = 2; side-- > 0;) {
            const uint32_t body = seam_body(space, i, side);
            if (iso__bit_is_set(scratch->moving_bits, body)) {
                scratch->body_links[2 * i + side] = scratch->body_heads[body];
                scratch->body_heads[body] = 2 * i + side;
                first = seam_is_open(space, i, side) ? i : first;
            }
        }
    }
    return first;
}

/// Whether a contact may be the floor that hides another: for most it is not, and this is cheap. What a floor hides
/// pushes along it, or up with an edge; a side that pushes up carries the body, too.
static bool seam_may_be_floor(const iso__space *space, uint32_t floor, uint32_t side, const seam_view *view) {
    const iso__space_manifold *manifold = seam_manifold(space, floor);
    int32_t up[3];
    const uint32_t piece = seam_shape(space, floor, 1 - side);
    if (piece == view->piece || seam_shape(space, floor, side) != view->slider || manifold->is_hidden ||
        !iso__space_seam_is_piece(&space->scratch->colliders[piece])) {
        return false;
    }
    seam_normal(manifold, side, up);
    const int64_t along = iso__space_ops_cosine(up, view->touch.normal);
    return along >= -SEAM_COSINE_ACROSS && (view->touch.is_corner || along < ISO__SPACE_SEAM_COSINE_ALONG);
}

/// Whether another contact of the same shape hides a contact, as this side sees it.
static bool seam_judge(const iso__space *space, uint32_t contact, uint32_t side) {
    const iso__space_scratch *scratch = space->scratch;
    const uint32_t first = scratch->body_heads[seam_body(space, contact, side)];
    uint32_t count = 0;
    for (uint32_t link = first; link != SEAM_NONE && count <= SEAM_CONTACTS_MAX; link = scratch->body_links[link]) {
        ++count;
    }
    if (count < 2 || count > SEAM_CONTACTS_MAX) {
        return false;
    }
    seam_view view;
    seam_view_of(space, contact, side, &view);
    for (uint32_t link = first; link != SEAM_NONE; link = scratch->body_links[link]) {
        if (seam_may_be_floor(space, link / 2, link % 2, &view)) {
            seam_view floor;
            seam_view_of(space, link / 2, link % 2, &floor);
            if (iso__space_seam_hides(&floor.of, &floor.touch, &view.of, &view.touch, scratch->params.manifold.slop)) {
                return true;
            }
        }
    }
    return false;
}

void iso__space_step_hide_seams(iso__space *space) {
    const uint32_t count = space->world.globals->contact_count;
    ISO_ASSERT(count <= space->world.def.contact_capacity);
    for (uint32_t i = seam_link(space); i != SEAM_NONE && i < count; ++i) {
        if (!iso__space_contact_has_rows(space, i)) {
            continue;
        }
        for (uint32_t side = 0; side < 2; ++side) {
            if (seam_is_open(space, i, side) && seam_judge(space, i, side)) {
                seam_manifold(space, i)->is_hidden = true;
                iso__space_contact_clear(&space->contacts[i]);
                // Nothing holds the body there, so where it is must be known well when the seam no longer hides it.
                iso__space_pose_drop(&space->contacts[i]);
                break;
            }
        }
    }
}
