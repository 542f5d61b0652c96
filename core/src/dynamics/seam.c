/// Bodies slide over the seams between the pieces of a floor: see collide/seam.h for what hides what.
///
/// Which contacts are hidden follows from the manifolds of this tick and the impulses of the last. A hidden contact stays
/// a contact, without impulses. Contacts are judged in key order, and what is hidden hides nothing, so two of them never
/// hide each other. Which of them no other contact hides, hidden or not, does not depend on that order: threads share it.
#include "dynamics/seam.h"

#include "base/assert.h"
#include "collide/seam.h"
#include "math/fixed_ops.h"
#include "solver/parallel.h"
#include "solver/scratch.h"
#include "world/geometry.h"

#define SEAM_COSINE_ACROSS (INT64_C(1) << 58) // a quarter, Q.60
// Bodies with more contacts are not looked at as sliders, or one under a heap would cost the square of their number.
#define SEAM_CONTACTS_MAX 64
#define SEAM_NONE         UINT32_MAX
#define SEAM_GRAIN        64u // contacts of about 2 us: what it takes to hand them to another thread

/// A contact that may be hidden, from the side of the body that slides.
typedef struct hidden_contact {
    const int32_t *normal; // of its manifold
    uint32_t number, side;
    uint32_t slider; // the shape
    bool is_corner;
    bool has_judged; // the contacts before this one: those that are hidden hide nothing
} hidden_contact;

static uint32_t seam_shape(const iso_world *world, uint32_t number, uint32_t side) {
    const iso__contact *contact = &world->contacts[world->scratch->solved[number]];
    return side == 0 ? contact->shape_a : contact->shape_b;
}

/// Links and counts the contacts of each dynamic body, each by twice its number, plus one where the body is B.
static void seam_link(iso_world *world) {
    iso__step_scratch *scratch = world->scratch;
    for (uint32_t m = 0; m < scratch->moving_count; ++m) {
        scratch->body_heads[scratch->moving[m]] = SEAM_NONE;
        scratch->body_counts[scratch->moving[m]] = 0;
    }
    for (uint32_t link = 2 * scratch->solved_count; link-- > 0;) {
        const uint64_t key = scratch->contact_keys[link / 2];
        const uint32_t body = link % 2 == 0 ? iso__contact_key_a(key) : iso__contact_key_b(key);
        if (scratch->contact_colours[link / 2] != ISO__COLOUR_NONE && world->bodies[body].type == ISO_BODY_DYNAMIC) {
            scratch->body_links[link] = scratch->body_heads[body];
            scratch->body_heads[body] = link;
            ++scratch->body_counts[body];
        }
    }
}

static bool seam_is_corner(const iso_world *world, uint32_t number, uint32_t side) {
    const bool is_circle = world->shapes[seam_shape(world, number, side)].kind == ISO_SHAPE_CIRCLE;
    return iso__seam_is_corner(&world->scratch->manifolds[number], side == 0, is_circle);
}

static void seam_contact_of(const iso_world *world, uint32_t number, uint32_t side, iso__seam_contact *contact) {
    const uint32_t slider = seam_shape(world, number, side), piece = seam_shape(world, number, 1 - side);
    const int64_t *from = world->bodies[world->shapes[slider].body].position;
    const int64_t *to = world->bodies[world->shapes[piece].body].position;
    const iso_vec2_wide origin =
        iso__shape_origin(world, piece, world->body_derived[world->shapes[piece].body].rotation);
    const int64_t places[2] = {to[0] + origin.x, to[1] + origin.y}; // a far segment has its own
    const int32_t sign = side == 0 ? -1 : 1;                        // the manifold's normal leads from A to B
    contact->piece = iso__shape_collider(world, piece);
    contact->manifold = &world->scratch->manifolds[number];
    contact->is_a = side == 0;
    contact->is_corner = seam_is_corner(world, number, side);
    for (int axis = 0; axis < 2; ++axis) {
        // Shapes that touch are less than 121 m apart.
        contact->origin[axis] = iso__round_shift(places[axis] - from[axis], 8);
        contact->normal[axis] = sign * contact->manifold->normal[axis];
    }
}

/// Whether what a contact touches is so high above what a floor touches that it cannot be at its face, which may be
/// turned by ten degrees against the normal. Rounded up throughout.
static bool seam_is_above(const iso__manifold *floor, bool is_floor_a, const iso__manifold *contact, bool is_contact_a,
                          int64_t slop) {
    const iso__manifold_point *p = &floor->points[0], *q = &contact->points[0];
    const int32_t *from = is_floor_a ? p->anchor_a : p->anchor_b, *to = is_contact_a ? q->anchor_a : q->anchor_b;
    const int64_t x = (int64_t)to[0] - from[0], y = (int64_t)to[1] - from[1];
    const int64_t up = (floor->normal[0] * x + floor->normal[1] * y) >> 30;
    const int64_t along = (floor->normal[0] * y - floor->normal[1] * x) >> 30;
    // The anchors are halfway between the borders.
    const uint64_t reach = 2 * (uint64_t)slop + iso__abs_u64(p->separation) + iso__abs_u64(q->separation);
    return (is_floor_a ? -up : up) > (int64_t)(reach + iso__abs_u64(along) * 3 / 16);
}

/// Whether a contact may be the floor that hides another: for most it is not, and this is cheap. What a floor hides
/// pushes along it, or up with a corner; a side that pushes up carries the body, too. What does not push at all carries
/// nothing.
static bool seam_is_floor(const iso_world *world, uint32_t number, uint32_t side, const hidden_contact *hidden) {
    const iso__manifold *manifold = &world->scratch->manifolds[number];
    const int64_t cosine = iso__dot32(manifold->normal[0], manifold->normal[1], hidden->normal[0], hidden->normal[1]);
    const int64_t along = side == hidden->side ? cosine : -cosine; // Q.60
    return along >= -SEAM_COSINE_ACROSS && (hidden->is_corner || along < ISO__SEAM_COSINE_ALONG) &&
           number != hidden->number && !(hidden->has_judged && number < hidden->number && manifold->is_hidden) &&
           world->scratch->contact_colours[number] != ISO__COLOUR_NONE && // what does not push carries nothing
           seam_shape(world, number, side) == hidden->slider &&
           world->shapes[seam_shape(world, number, 1 - side)].kind != ISO_SHAPE_CIRCLE &&
           !seam_is_corner(world, number, side) &&
           !seam_is_above(manifold, side == 0, &world->scratch->manifolds[hidden->number], hidden->side == 0,
                          world->scratch->params.manifold.slop);
}

/// Whether a dynamic piece has pushed in the last tick. Then it was not hidden, and need not be looked at in a heap.
static bool seam_is_held(const iso_world *world, uint32_t number, uint32_t piece) {
    const iso__contact *contact = &world->contacts[world->scratch->solved[number]];
    return (contact->normal_impulse[0] | contact->normal_impulse[1]) != 0 &&
           world->bodies[world->shapes[piece].body].type == ISO_BODY_DYNAMIC;
}

/// Whether one of the other contacts of a side's shape hides this one.
/// @param has_judged  those before it, else none
static bool seam_is_hidden_at(const iso_world *world, uint32_t number, uint32_t side, bool has_judged) {
    const iso__step_scratch *scratch = world->scratch;
    const uint64_t key = scratch->contact_keys[number];
    const uint32_t body = side == 0 ? iso__contact_key_a(key) : iso__contact_key_b(key);
    if (world->bodies[body].type != ISO_BODY_DYNAMIC || scratch->body_counts[body] < 2 ||
        scratch->body_counts[body] > SEAM_CONTACTS_MAX) {
        return false;
    }
    const uint32_t slider = seam_shape(world, number, side), piece = seam_shape(world, number, 1 - side);
    if (world->shapes[piece].kind == ISO_SHAPE_CIRCLE || seam_is_held(world, number, piece)) {
        return false;
    }
    const hidden_contact hidden = {.normal = scratch->manifolds[number].normal,
                                   .number = number,
                                   .side = side,
                                   .slider = slider,
                                   .is_corner = seam_is_corner(world, number, side),
                                   .has_judged = has_judged};
    iso__seam_contact contact, floor;
    bool is_made = false;
    for (uint32_t link = scratch->body_heads[body]; link != SEAM_NONE; link = scratch->body_links[link]) {
        if (!seam_is_floor(world, link / 2, link % 2, &hidden)) {
            continue;
        }
        if (!is_made) {
            seam_contact_of(world, number, side, &contact);
            is_made = true;
        }
        seam_contact_of(world, link / 2, link % 2, &floor);
        if (iso__seam_hides(&floor, &contact, scratch->params.manifold.slop)) {
            return true;
        }
    }
    return false;
}

static bool seam_is_hidden(const iso_world *world, uint32_t number, bool has_judged) {
    return seam_is_hidden_at(world, number, 0, has_judged) || seam_is_hidden_at(world, number, 1, has_judged);
}

/// Marks those of the contacts from begin on that would be hidden if none of the others were: few, and no other is.
static void seam_mark(iso_world *world, void *data, uint32_t begin, uint32_t end) {
    (void)data;
    iso__step_scratch *scratch = world->scratch;
    for (uint32_t i = begin; i < end; ++i) {
        if (scratch->manifolds[i].is_short && scratch->contact_colours[i] != ISO__COLOUR_NONE) {
            scratch->manifolds[i].is_hidden = seam_is_hidden(world, i, false);
        }
    }
}

#ifdef ISO_VALIDATE
/// Judged one after the other, without marks, it would be the same.
static void seam_validate(const iso_world *world) {
    const iso__step_scratch *scratch = world->scratch;
    for (uint32_t i = 0; i < scratch->solved_count; ++i) {
        const bool may_hide = scratch->manifolds[i].is_short && scratch->contact_colours[i] != ISO__COLOUR_NONE;
        ISO_ASSERT(scratch->manifolds[i].is_hidden == (may_hide && seam_is_hidden(world, i, true)));
    }
}
#endif

void iso__step_hide_seams(iso_world *world) {
    iso__step_scratch *scratch = world->scratch;
    ISO_ASSERT(scratch->solved_count <= world->globals->contact_count);
    uint32_t first = 0;
    while (first < scratch->solved_count &&
           (!scratch->manifolds[first].is_short || scratch->contact_colours[first] == ISO__COLOUR_NONE)) {
        ++first;
    }
    if (first == scratch->solved_count) {
        return;
    }
    seam_link(world);
    iso__parallel_for(world, first, scratch->solved_count, SEAM_GRAIN, seam_mark, NULL);
    // A later contact's mark is not read: it has not been judged yet.
    for (uint32_t i = first; i < scratch->solved_count; ++i) {
        scratch->manifolds[i].is_hidden = scratch->manifolds[i].is_hidden && seam_is_hidden(world, i, true);
    }
#ifdef ISO_VALIDATE
    seam_validate(world);
#endif
}
