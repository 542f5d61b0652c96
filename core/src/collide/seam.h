/// Seams: what the pieces of a floor hide of each other.
///
/// Each manifold knows two shapes. To it the side of a floor's next piece is a wall, and its corner a bump, although a
/// body that stands on the piece before can reach neither.
#ifndef ISO_COLLIDE_SEAM_H
#define ISO_COLLIDE_SEAM_H

#include "collide/manifold.h"

#define ISO__SEAM_COSINE_ALONG (INT64_C(63) << 54) // ten degrees, Q.60

/// A contact as the body sees it that slides: the other piece, and where that is touched. Lengths are [m] Q.24 from
/// the sliding body's centre of mass, in the world's orientation.
typedef struct iso__seam_contact {
    iso__collider piece;
    int64_t origin[2]; // of the piece: the centre of mass of its body, or a segment's middle
    int32_t normal[2]; // Q2.30, from the piece to the sliding body
    const iso__manifold *manifold;
    bool is_a; // the sliding body is A of the manifold
    bool is_corner;
} iso__seam_contact;

/// Whether two corners touch, or a corner of the piece and a circle.
/// @param is_a  the sliding body is A of the manifold
static inline bool iso__seam_is_corner(const iso__manifold *manifold, bool is_a, bool is_slider_circle) {
    const uint32_t a = manifold->points[0].feature >> 8, b = manifold->points[0].feature & 0xFF;
    return (is_a ? b : a) >= 16 && (is_slider_circle || (is_a ? a : b) >= 16);
}

/// Whether a manifold may be one with a hidden side or corner: its points are nearer to each other than eight slops, or it
/// has only one. In stacks most are farther apart, and those cost nothing more.
bool iso__seam_is_short(const iso__manifold *manifold, int64_t slop);

/// Whether the body cannot reach what it touches in `contact` as long as it does not sink into `floor`, a contact of
/// the same shape: the place is within the slop of the floor's face, and no part of the side or of the corner that is
/// touched is higher than the slop above the face.
bool iso__seam_hides(const iso__seam_contact *floor, const iso__seam_contact *contact, int64_t slop);

#endif
