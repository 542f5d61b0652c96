/// Seams in space: what the pieces of a floor hide of each other.
///
/// Each manifold knows two shapes. To it the side of a floor's next piece is a wall, and its edge a bump, although a
/// body that stands on the piece before can reach neither. The rule is that of the plane (plane/collide/seam.h), for
/// boxes, hulls and fields of heights; a plane hides, too, and has no edges.
#ifndef ISO_SPACE_COLLIDE_SEAM_H
#define ISO_SPACE_COLLIDE_SEAM_H

#include "space/collide/hull.h"
#include "space/collide/manifold.h"

#define ISO__SPACE_SEAM_COSINE_ALONG (INT64_C(63) << 54) // ten degrees, Q.60

/// A piece of a floor. Lengths are [m] Q.24 from the sliding body's centre of mass, in the world's orientation.
typedef struct iso__space_seam_piece {
    const iso__space_collider *collider;
    int64_t body[3];              // its body's centre of mass
    const iso__space_hull *solid; // of a box or a hull, else NULL
    int32_t rotation[9];          // Q2.30: from the solid's frame to the world's orientation
    int64_t centre[3];            // where the solid's frame begins
} iso__space_seam_piece;

/// Where a body touches a piece.
typedef struct iso__space_seam_touch {
    int32_t normal[3];                             // Q2.30, from the piece to the sliding body
    int64_t places[ISO__SPACE_MANIFOLD_POINTS][3]; // on the piece's surface
    uint32_t count;
    // At an edge or a corner of the piece: the normal is none of a face's, of a round body by more than rounding, of
    // another one by ten degrees.
    bool is_corner;
} iso__space_seam_touch;

/// The plane of a face that a body stands on, and what is around it.
typedef struct iso__space_seam_face {
    int32_t up[3];  // Q2.30
    int64_t height; // [m] Q.24: of the sliding body's centre of mass over it
    uint32_t count; // of its corners; 0: what is touched was found to be on it
    int64_t corners[ISO__SPACE_HULL_VERTICES][3];
} iso__space_seam_face;

/// Whether a piece can be one of several that make a floor: not what is round.
static inline bool iso__space_seam_is_piece(const iso__space_collider *collider) {
    return collider->kind != ISO__SPACE_COLLIDER_SPHERE && collider->kind != ISO__SPACE_COLLIDER_CAPSULE;
}

/// @param body  [m] Q.24: the centre of mass of the piece's body from the sliding body's
void iso__space_seam_piece_make(const iso__space_collider *collider, const int64_t body[3],
                                iso__space_seam_piece *piece);

/// What a body touches of a piece.
/// @param is_a      the sliding body is A of the manifold
/// @param is_round  it touches with a sphere or a capsule
void iso__space_seam_touch_make(const iso__space_manifold *manifold, bool is_a, bool is_round,
                                const iso__space_seam_piece *piece, iso__space_seam_touch *touch);

/// Whether the body cannot reach what it touches of a piece as long as it does not sink into the floor that it touches,
/// too: all of it is within the slop of a face of the floor, no part of the side or the edge that is touched is higher
/// than the slop above this face, and the piece continues it.
bool iso__space_seam_hides(const iso__space_seam_piece *floor, const iso__space_seam_touch *on,
                           const iso__space_seam_piece *piece, const iso__space_seam_touch *touch, int64_t slop);

#endif
