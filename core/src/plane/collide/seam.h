/// Seams: what the pieces of a floor hide of each other.
///
/// Each manifold knows two shapes. To it the side of a floor's next piece is a wall, and its corner a bump, although a
/// body that stands on the piece before can reach neither.
#ifndef ISO_PLANE_COLLIDE_SEAM_H
#define ISO_PLANE_COLLIDE_SEAM_H

#include "plane/collide/manifold.h"

#define ISO__PLANE_SEAM_COSINE_ALONG (INT64_C(63) << 54) // ten degrees, Q.60

/// Where a body touches another piece, as the body sees it, which slides.
typedef struct iso__plane_seam_touch {
    const iso__plane_manifold *manifold;
    int32_t normal[2]; // Q2.30, from the piece to the sliding body
    bool is_a;         // the sliding body is A of the manifold
    bool is_corner;
} iso__plane_seam_touch;

/// The same with the other piece. Lengths are [m] Q.24 from the sliding body's centre of mass, in the world's
/// orientation.
typedef struct iso__plane_seam_contact {
    const iso__plane_seam_touch *touch;
    iso__plane_collider piece;
    int64_t origin[2]; // of the piece: the centre of mass of its body, or a segment's middle
} iso__plane_seam_contact;

/// Whether two corners touch, or a corner of the piece and a circle.
/// @param is_a  the sliding body is A of the manifold
static inline bool iso__plane_seam_is_corner(const iso__plane_manifold *manifold, bool is_a, bool is_slider_circle) {
    const uint32_t a = manifold->points[0].feature >> 8, b = manifold->points[0].feature & 0xFF;
    return (is_a ? b : a) >= 16 && (is_slider_circle || (is_a ? a : b) >= 16);
}

/// Whether a manifold may be one with a hidden side or corner: its points are nearer to each other than eight slops, or
/// it has only one. In stacks most are farther apart, and those cost nothing more.
bool iso__plane_seam_is_short(const iso__plane_manifold *manifold, int64_t slop);

/// The face of a piece that a body stands on. Lengths are [m] Q.24, places as in iso__plane_seam_contact.
typedef struct iso__plane_seam_face {
    int32_t up[2], along[2]; // unit vectors, Q2.30: its normal, and from where it begins to where it ends
    int64_t begin[2], width;
    int64_t reach, slop; // the piece's radius plus the slop; the slop
} iso__plane_seam_face;

/// The face that a contact touches, if it is one that can hide other contacts: not a corner.
/// @return false when it touches none
bool iso__plane_seam_take_face(const iso__plane_seam_contact *floor, int64_t slop, iso__plane_seam_face *face);

/// Whether what a body touches is within the slop of a face.
bool iso__plane_seam_is_at_face(const iso__plane_seam_face *face, const iso__plane_seam_touch *touch);

/// Whether the body cannot reach what it touches in `contact` as long as it does not sink into the face, which another
/// contact of the same shape touches: no part of the side or of the corner that is touched is
/// higher than the slop above the face, and the piece continues the face.
/// @param contact  one that is at the face
bool iso__plane_seam_face_hides(const iso__plane_seam_face *face, const iso__plane_seam_contact *contact);

#endif
