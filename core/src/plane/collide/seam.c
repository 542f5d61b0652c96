/// See seam.h.
#include "plane/collide/seam.h"

#include "math/fixed_ops.h"
#include "math/rotate.h"

#define SEAM_NEIGHBOURS 2 // of a segment's normals, those of its neighbours
#define SEAM_PATCH_MAX  8 // slops: what touches along more than this is no corner or side at a seam

bool iso__plane_seam_is_short(const iso__plane_manifold *manifold, int64_t slop) {
    if (manifold->count < 2) {
        return manifold->count == 1;
    }
    const int64_t x = (int64_t)manifold->points[1].anchor_a[0] - manifold->points[0].anchor_a[0];
    const int64_t y = (int64_t)manifold->points[1].anchor_a[1] - manifold->points[0].anchor_a[1];
    const int64_t most = SEAM_PATCH_MAX * slop;
    return x <= most && -x <= most && y <= most && -y <= most;
}

static int64_t seam_radius(const iso__plane_seam_contact *contact, uint32_t vertex) {
    return contact->piece.radius + iso__plane_taper_at(contact->piece.taper, vertex);
}

/// A corner of the piece.
static void seam_corner(const iso__plane_seam_contact *contact, uint32_t vertex, int64_t corner[2]) {
    const iso_rotation q = contact->piece.rotation;
    const int64_t x = contact->piece.vertices[vertex][0], y = contact->piece.vertices[vertex][1];
    corner[0] = contact->origin[0] + iso__round_shift(q.c * x - q.s * y, 30);
    corner[1] = contact->origin[1] + iso__round_shift(q.s * x + q.c * y, 30);
}

/// How many faces a body can touch: a segment's back is none.
static uint32_t seam_face_count(const iso__plane_seam_contact *contact) {
    return contact->piece.is_segment ? 1 : contact->piece.count;
}

/// The face of the piece that looks most along a unit vector. @return the cosine between the two, Q.60
static int64_t seam_find_face(const iso__plane_seam_contact *contact, const int32_t n[2], uint32_t *face) {
    const iso_rotation q = contact->piece.rotation;
    const int32_t local[2] = {(int32_t)iso__round_shift(iso__dot32(q.c, q.s, n[0], n[1]), 30),
                              (int32_t)iso__round_shift(iso__cross32(q.c, q.s, n[0], n[1]), 30)};
    int64_t largest = INT64_MIN;
    for (uint32_t i = 0; i < seam_face_count(contact); ++i) {
        const int32_t *normal = contact->piece.normals[i];
        const int64_t cosine = iso__dot32(normal[0], normal[1], local[0], local[1]);
        if (cosine > largest) {
            largest = cosine;
            *face = i;
        }
    }
    return largest;
}

static uint32_t seam_next(const iso__plane_seam_contact *contact, uint32_t vertex) {
    return vertex + 1 < contact->piece.count ? vertex + 1 : 0;
}

/// How far a place is along a unit vector from another, [m] Q.24.
static int64_t seam_along(const int32_t normal[2], const int64_t place[2], const int64_t from[2]) {
    return iso__round_shift(normal[0] * (place[0] - from[0]) + normal[1] * (place[1] - from[1]), 30);
}

/// How high the corners of a piece are above the floor's face, which `up` looks from and `end` lies on.
static void seam_find_heights(const iso__plane_seam_contact *contact, const int32_t up[2], const int64_t end[2],
                              int64_t heights[ISO_POLYGON_VERTICES_MAX]) {
    for (uint32_t i = 0; i < contact->piece.count; ++i) {
        int64_t corner[2];
        seam_corner(contact, i, corner);
        heights[i] = seam_along(up, corner, end) + seam_radius(contact, i);
    }
}

/// Whether none of the ends of a segment that are touched is higher than `reach`.
static bool seam_are_ends_below(const iso__plane_seam_contact *contact, const int64_t *heights, int64_t reach) {
    for (uint32_t p = 0; p < contact->touch->manifold->count; ++p) {
        const uint32_t feature = contact->touch->manifold->points[p].feature;
        const uint32_t end = (contact->touch->is_a ? feature : feature >> 8) & 0xFF; // from 16 on a vertex
        if (heights[end % 2] > reach || (end < 16 && heights[1 - end % 2] > reach)) {
            return false;
        }
    }
    return true;
}

/// Whether none of the corners that are touched is higher than `reach`: the two of the side that looks along the
/// contact's normal, or all, when the piece is touched at one. A segment that is not touched at its face is at its
/// ends.
static bool seam_is_below(const iso__plane_seam_contact *contact, const int64_t *heights, int64_t reach) {
    uint32_t face = 0, count = contact->piece.count;
    if (!contact->touch->is_corner &&
        seam_find_face(contact, contact->touch->normal, &face) >= ISO__PLANE_SEAM_COSINE_ALONG) {
        count = 2;
    } else if (contact->piece.is_segment) {
        return seam_are_ends_below(contact, heights, reach);
    }
    for (uint32_t i = 0; i < count; ++i, face = seam_next(contact, face)) {
        if (heights[face] > reach) {
            return false;
        }
    }
    return true;
}

/// Whether the neighbour at a segment's end looks up, where that is above `least`.
static bool seam_neighbour_goes_on(const iso__plane_seam_contact *contact, const int32_t up[2], uint32_t end,
                                   int64_t height, int64_t least) {
    int32_t normal[2];
    iso__rotate_unit(contact->piece.rotation, contact->piece.normals[SEAM_NEIGHBOURS + end], normal);
    return height >= least && iso__dot32(normal[0], normal[1], up[0], up[1]) >= ISO__PLANE_SEAM_COSINE_ALONG;
}

/// Whether a face of the piece continues the floor: it looks up as well, and its higher end is above `least`. A
/// segment's neighbours are faces of the same border.
static bool seam_goes_on(const iso__plane_seam_contact *contact, const int32_t up[2], const int64_t *heights,
                         int64_t least) {
    uint32_t face = 0;
    if (contact->piece.is_segment && (seam_neighbour_goes_on(contact, up, 0, heights[0], least) ||
                                      seam_neighbour_goes_on(contact, up, 1, heights[1], least))) {
        return true;
    }
    if (seam_find_face(contact, up, &face) < ISO__PLANE_SEAM_COSINE_ALONG) {
        return false;
    }
    return heights[face] >= least || heights[seam_next(contact, face)] >= least;
}

bool iso__plane_seam_take_face(const iso__plane_seam_contact *floor, int64_t slop, iso__plane_seam_face *face) {
    uint32_t number = 0;
    if (floor->touch->is_corner ||
        seam_find_face(floor, floor->touch->normal, &number) < ISO__PLANE_SEAM_COSINE_ALONG) {
        return false;
    }
    int64_t end[2];
    iso__rotate_unit(floor->piece.rotation, floor->piece.normals[number], face->up);
    seam_corner(floor, number, face->begin);
    seam_corner(floor, seam_next(floor, number), end);
    face->along[0] = iso__neg32(face->up[1]);
    face->along[1] = face->up[0];
    face->width = seam_along(face->along, end, face->begin);
    face->slop = slop;
    face->reach = seam_radius(floor, number) + slop;
    return true;
}

bool iso__plane_seam_is_at_face(const iso__plane_seam_face *face, const iso__plane_seam_touch *touch) {
    for (uint32_t p = 0; p < touch->manifold->count; ++p) {
        const iso__plane_manifold_point *point = &touch->manifold->points[p];
        const int32_t *anchor = touch->is_a ? point->anchor_a : point->anchor_b;
        int64_t place[2]; // on the border of the piece; the anchors are halfway between the two borders
        for (int axis = 0; axis < 2; ++axis) {
            place[axis] = anchor[axis] - iso__round_shift((int64_t)touch->normal[axis] * point->separation, 31);
        }
        const int64_t at = seam_along(face->along, place, face->begin);
        if (at < -face->reach || at > face->width + face->reach ||
            seam_along(face->up, place, face->begin) > face->reach) {
            return false;
        }
    }
    return true;
}

bool iso__plane_seam_face_hides(const iso__plane_seam_face *face, const iso__plane_seam_contact *contact) {
    int64_t heights[ISO_POLYGON_VERTICES_MAX];
    seam_find_heights(contact, face->up, face->begin, heights);
    return seam_is_below(contact, heights, face->reach) &&
           seam_goes_on(contact, face->up, heights, face->reach - 2 * face->slop);
}
