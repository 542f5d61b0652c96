/// Bodies slide over the seams between the pieces of a floor: see plane/collide/seam.h for what hides what.
///
/// Which contacts are hidden follows from the manifolds of this tick and the impulses of the last. A hidden contact
/// stays a contact, without impulses. Contacts are judged in key order, and what is hidden hides nothing, so two of
/// them never hide each other. Which of them no other contact hides, hidden or not, does not depend on that order, nor
/// do those that a contact hides which cannot be hidden itself, or is judged later: threads share them, body by body,
/// since the contacts of a body ask for the same faces. What remains is judged again in order, and that is little.
#include "plane/dynamics/seam.h"

#include <string.h>

#include "base/assert.h"
#include "math/fixed_ops.h"
#include "plane/collide/seam.h"
#include "plane/world/geometry.h"
#include "plane/world/scratch.h"
#include "solver/parallel.h"

#define SEAM_COSINE_ACROSS (INT64_C(1) << 58) // a quarter, Q.60
// Bodies with more contacts are not looked at as sliders, or one under a heap would cost the square of their number.
#define SEAM_CONTACTS_MAX 64
#define SEAM_NONE         UINT32_MAX
#define SEAM_GRAIN        32u        // bodies of about 4 us: what it takes to hand them to another thread
#define SEAM_HAS_OPEN     (1u << 31) // of a body's count: one of its contacts may be hidden

/// What the contacts of one body say of another contact of it.
#define SEAM_OPEN    0u // none hides it
#define SEAM_MAYBE   1u // some do, but all of those may be hidden themselves
#define SEAM_COVERED 2u // one does that is not hidden, or is judged later

/// A contact as one of its bodies sees it, the slider.
typedef struct seam_view {
    iso__plane_seam_touch touch;
    uint32_t number, side;
    uint32_t slider, piece; // shapes
} seam_view;

/// The contacts of a body: first those that cannot be hidden. Their faces are found when they are asked for.
typedef struct seam_body {
    uint32_t count, long_count;
    uint64_t floors; // a bit per view: those that touch no corner
    uint64_t known_faces, faces_there;
    seam_view views[SEAM_CONTACTS_MAX];
    iso__plane_seam_face faces[SEAM_CONTACTS_MAX];
} seam_body;

static bool seam_may_be_hidden(const iso__plane_step_scratch *scratch, uint32_t number) {
    return scratch->manifolds[number].is_short && scratch->contact_colours[number] != ISO__PLANE_COLOUR_NONE;
}

/// Whether a contact of a shape with a piece is one of those that others may hide. A dynamic piece that has pushed in
/// the last tick was not hidden then, and need not be looked at in a heap.
static bool seam_is_open(const iso__plane *plane, uint32_t number, uint32_t piece) {
    const iso__plane_contact *contact = &plane->contacts[plane->scratch->solved[number]];
    return plane->shapes[piece].kind != ISO_SHAPE_CIRCLE &&
           ((contact->normal_impulse[0] | contact->normal_impulse[1]) == 0 ||
            plane->bodies[plane->shapes[piece].body].type != ISO_BODY_DYNAMIC);
}

static inline void seam_link_side(iso__plane_step_scratch *scratch, uint32_t link, uint32_t body, uint32_t has_open) {
    if (scratch->motions[body].kind != 0) {
        scratch->body_links[link] = scratch->body_heads[body];
        scratch->body_heads[body] = link;
        scratch->body_counts[body] = (scratch->body_counts[body] + 1) | has_open;
    }
}

/// Links and counts the contacts of each dynamic body, each by twice its number, plus one where the body is B. Contacts
/// that do not push are left out: they carry nothing.
static void seam_link(iso__plane *plane) {
    iso__plane_step_scratch *scratch = plane->scratch;
    for (uint32_t m = 0; m < scratch->moving_count; ++m) {
        scratch->body_heads[scratch->moving[m]] = SEAM_NONE;
        scratch->body_counts[scratch->moving[m]] = 0;
    }
    for (uint32_t i = scratch->solved_count; i-- > 0;) {
        if (scratch->contact_colours[i] != ISO__PLANE_COLOUR_NONE) {
            const uint64_t key = scratch->contact_keys[i];
            uint32_t has_open[2] = {0, 0};
            if (scratch->manifolds[i].is_short) {
                const iso__plane_contact *contact = &plane->contacts[scratch->solved[i]];
                has_open[0] = seam_is_open(plane, i, contact->shape_b) ? SEAM_HAS_OPEN : 0;
                has_open[1] = seam_is_open(plane, i, contact->shape_a) ? SEAM_HAS_OPEN : 0;
            }
            seam_link_side(scratch, 2 * i + 1, iso__plane_contact_key_b(key), has_open[1]);
            seam_link_side(scratch, 2 * i, iso__plane_contact_key_a(key), has_open[0]);
        }
    }
}

static void seam_view_of(const iso__plane *plane, uint32_t link, seam_view *view) {
    const iso__plane_step_scratch *scratch = plane->scratch;
    const uint32_t number = link / 2, side = link % 2;
    const iso__plane_contact *contact = &plane->contacts[scratch->solved[number]];
    const iso__plane_manifold *manifold = &scratch->manifolds[number];
    const uint32_t slider = side == 0 ? contact->shape_a : contact->shape_b;
    const int32_t sign = side == 0 ? -1 : 1; // the manifold's normal leads from A to B
    *view = (seam_view){
        .touch = {.manifold = manifold,
                  .normal = {sign * manifold->normal[0], sign * manifold->normal[1]},
                  .is_a = side == 0,
                  .is_corner =
                      iso__plane_seam_is_corner(manifold, side == 0, plane->shapes[slider].kind == ISO_SHAPE_CIRCLE)},
        .number = number,
        .side = side,
        .slider = slider,
        .piece = side == 0 ? contact->shape_b : contact->shape_a,
    };
}

/// The contacts of a dynamic body. @return false when there is none that another could hide
static bool seam_body_of(const iso__plane *plane, uint32_t body, seam_body *is) {
    const iso__plane_step_scratch *scratch = plane->scratch;
    const uint32_t count = scratch->body_counts[body] & ~SEAM_HAS_OPEN;
    if (count < 2 || count > SEAM_CONTACTS_MAX || (scratch->body_counts[body] & SEAM_HAS_OPEN) == 0) {
        return false;
    }
    uint32_t next = 0, end = count;
    is->floors = is->known_faces = is->faces_there = 0;
    for (uint32_t link = scratch->body_heads[body]; link != SEAM_NONE; link = scratch->body_links[link]) {
        const bool is_short = scratch->manifolds[link / 2].is_short;
        const uint32_t v = is_short ? --end : next++;
        seam_view_of(plane, link, &is->views[v]);
        is->floors |= (uint64_t)!is->views[v].touch.is_corner << v;
    }
    ISO_ASSERT(next == end);
    is->count = count;
    is->long_count = next;
    return true;
}

static void seam_contact_of(const iso__plane *plane, const seam_view *view, iso__plane_seam_contact *contact) {
    const int64_t *from = plane->bodies[plane->shapes[view->slider].body].position;
    const int64_t *to = plane->bodies[plane->shapes[view->piece].body].position;
    contact->touch = &view->touch;
    contact->piece = iso__plane_shape_collider(plane, view->piece);
    const iso_vec2_wide origin = iso__plane_shape_origin(plane, view->piece, contact->piece.rotation);
    const int64_t places[2] = {to[0] + origin.x, to[1] + origin.y}; // a far segment has its own
    for (int axis = 0; axis < 2; ++axis) {
        // Shapes that touch are less than 121 m apart.
        contact->origin[axis] = iso__round_shift(places[axis] - from[axis], 8);
    }
}

/// Whether what a contact touches is so high above what a floor touches that it cannot be at its face, which may be
/// turned by ten degrees against the normal. Rounded up throughout.
static bool seam_is_above(const iso__plane_seam_touch *floor, const iso__plane_seam_touch *contact, int64_t slop) {
    const iso__plane_manifold_point *p = &floor->manifold->points[0], *q = &contact->manifold->points[0];
    const int32_t *from = floor->is_a ? p->anchor_a : p->anchor_b, *to = contact->is_a ? q->anchor_a : q->anchor_b;
    const int64_t x = (int64_t)to[0] - from[0], y = (int64_t)to[1] - from[1];
    const int32_t *normal = floor->manifold->normal;
    const int64_t up = (normal[0] * x + normal[1] * y) >> 30;
    const int64_t along = (normal[0] * y - normal[1] * x) >> 30;
    // The anchors are halfway between the borders.
    const uint64_t reach = 2 * (uint64_t)slop + iso__abs_u64(p->separation) + iso__abs_u64(q->separation);
    return (floor->is_a ? -up : up) > (int64_t)(reach + iso__abs_u64(along) * 3 / 16);
}

/// Whether a contact may be the floor that hides another: for most it is not, and this is cheap. What a floor hides
/// pushes along it, or up with a corner; a side that pushes up carries the body, too. What does not push at all carries
/// nothing.
static bool seam_is_floor(const seam_view *floor, const seam_view *hidden, int64_t slop) {
    const int32_t *up = floor->touch.normal, *normal = hidden->touch.normal;
    const int64_t along = iso__dot32(up[0], up[1], normal[0], normal[1]); // Q.60
    return along >= -SEAM_COSINE_ACROSS && (hidden->touch.is_corner || along < ISO__PLANE_SEAM_COSINE_ALONG) &&
           floor->number != hidden->number && floor->slider == hidden->slider &&
           !seam_is_above(&floor->touch, &hidden->touch, slop);
}

/// The face that a contact of the body touches, NULL: none.
static const iso__plane_seam_face *seam_face_of(const iso__plane *plane, seam_body *is, uint32_t floor) {
    const uint64_t bit = UINT64_C(1) << floor;
    if ((is->known_faces & bit) == 0) {
        const seam_view *view = &is->views[floor];
        iso__plane_seam_contact contact;
        is->known_faces |= bit;
        if (plane->shapes[view->piece].kind != ISO_SHAPE_CIRCLE) {
            seam_contact_of(plane, view, &contact);
            const bool is_there =
                iso__plane_seam_take_face(&contact, plane->scratch->params.manifold.slop, &is->faces[floor]);
            is->faces_there |= is_there ? bit : 0;
        }
    }
    return (is->faces_there & bit) != 0 ? &is->faces[floor] : NULL;
}

/// Whether one of the other contacts of the shape hides a contact of the body: SEAM_OPEN, ...
/// @param has_judged  the contacts before it: those that are hidden hide nothing
static uint8_t seam_judge(const iso__plane *plane, seam_body *is, const seam_view *hidden, bool has_judged) {
    const int64_t slop = plane->scratch->params.manifold.slop;
    iso__plane_seam_contact contact = {.touch = NULL};
    uint8_t found = SEAM_OPEN;
    if (is->floors == 0 || !seam_is_open(plane, hidden->number, hidden->piece)) {
        return SEAM_OPEN;
    }
    for (uint64_t left = is->floors; left != 0; left &= left - 1) {
        const uint32_t f = (uint32_t)__builtin_ctzll(left);
        const seam_view *floor = &is->views[f];
        const bool may_change = f >= is->long_count && floor->number < hidden->number;
        if (!seam_is_floor(floor, hidden, slop) || (has_judged && may_change && floor->touch.manifold->is_hidden)) {
            continue;
        }
        const iso__plane_seam_face *face = seam_face_of(plane, is, f);
        if (face == NULL || !iso__plane_seam_is_at_face(face, &hidden->touch)) {
            continue;
        }
        if (contact.touch == NULL) {
            seam_contact_of(plane, hidden, &contact);
        }
        if (iso__plane_seam_face_hides(face, &contact)) {
            if (has_judged || !may_change) {
                return SEAM_COVERED;
            }
            found = SEAM_MAYBE;
        }
    }
    return found;
}

/// Whether a contact is hidden that others would hide if none of them were hidden; those before it are judged.
static bool seam_judge_again(const iso__plane *plane, uint32_t number) {
    const uint64_t key = plane->scratch->contact_keys[number];
    for (uint32_t side = 0; side < 2; ++side) {
        const uint32_t body = side == 0 ? iso__plane_contact_key_a(key) : iso__plane_contact_key_b(key);
        seam_body is;
        seam_view view;
        seam_view_of(plane, 2 * number + side, &view);
        if (plane->scratch->motions[body].kind != 0 && seam_body_of(plane, body, &is) &&
            seam_judge(plane, &is, &view, true) == SEAM_COVERED) {
            return true;
        }
    }
    return false;
}

/// Judges the contacts of the moving bodies from begin on, as if none of the others were hidden. A body does not look
/// at what the other one has covered; when that one has its turn at the same time, both do.
static void seam_mark(iso_world *world, void *data, uint32_t begin, uint32_t end) {
    iso__plane *plane = iso__plane_of(world);
    (void)data;
    iso__plane_step_scratch *scratch = plane->scratch;
    for (uint32_t m = begin; m < end; ++m) {
        const uint32_t body = scratch->moving[m];
        seam_body is;
        if (scratch->motions[body].kind == 0 || !seam_body_of(plane, body, &is)) {
            continue;
        }
        for (uint32_t v = is.long_count; v < is.count; ++v) {
            const seam_view *view = &is.views[v];
            uint8_t *marks = &scratch->seam_marks[2 * (size_t)view->number];
            if (__atomic_load_n(&marks[1 - view->side], __ATOMIC_RELAXED) != SEAM_COVERED) {
                __atomic_store_n(&marks[view->side], seam_judge(plane, &is, view, false), __ATOMIC_RELAXED);
            }
        }
    }
}

#ifdef ISO_VALIDATE
/// Judged one after the other, without marks, it would be the same.
static void seam_validate(const iso__plane *plane) {
    const iso__plane_step_scratch *scratch = plane->scratch;
    for (uint32_t i = 0; i < scratch->solved_count; ++i) {
        ISO_ASSERT(scratch->manifolds[i].is_hidden == (seam_may_be_hidden(scratch, i) && seam_judge_again(plane, i)));
    }
}
#endif

void iso__plane_step_hide_seams(iso__plane *plane) {
    iso__plane_step_scratch *scratch = plane->scratch;
    ISO_ASSERT(scratch->solved_count <= plane->world.globals->contact_count);
    uint32_t first = 0;
    while (first < scratch->solved_count && !seam_may_be_hidden(scratch, first)) {
        ++first;
    }
    if (first == scratch->solved_count) {
        return;
    }
    seam_link(plane);
    memset(scratch->seam_marks, SEAM_OPEN, 2 * (size_t)scratch->solved_count);
    iso__parallel_for(&plane->world, 0, scratch->moving_count, SEAM_GRAIN, seam_mark, NULL);
    for (uint32_t i = first; i < scratch->solved_count; ++i) {
        const uint8_t found = scratch->seam_marks[2 * i] | scratch->seam_marks[2 * i + 1];
        if (found != SEAM_OPEN) {
            scratch->manifolds[i].is_hidden = (found & SEAM_COVERED) != 0 || seam_judge_again(plane, i);
        }
    }
#ifdef ISO_VALIDATE
    seam_validate(plane);
#endif
}
