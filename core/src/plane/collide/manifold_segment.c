/// One-sided segments against rounded convex pieces.
///
/// A segment collides as a polygon of two vertices, with what is in front of it: the mean of whose vertices is. Of the
/// normals that this gives only those are right that a body can feel which slides over the whole chain. Along the face
/// that is the face's own. At an end with a neighbour it is the fan between the two faces' normals if they make a
/// corner that sticks out, and nothing otherwise, since no body gets between them. At an end without a neighbour it is
/// all that looks to the front.
///
/// A piece whose normal is not right at an end that is flat or a hollow meets the face instead, with what of it lies
/// over the segment; there the overlap is as deep along the face's normal as it looks on the neighbour. So the end of a
/// segment that goes on straight is no wall, however little of the piece has passed it. Beside a corner that sticks
/// out, what is beyond the fan is the neighbour's.
#include "plane/collide/manifold_segment.h"

#include "math/fixed_ops.h"
#include "plane/collide/manifold_circle.h"
#include "plane/collide/manifold_polygon.h"

#define SEGMENT_BEFORE 2
#define SEGMENT_BEHIND 3
#define SEGMENT_NOISE  (INT64_C(1) << 40) // a millionth, Q.60: what rounding may do to a sine
#define SEGMENT_TIP    (INT64_C(1) << 50) // a thousandth: a piece that meets the tip from the side counts as in front

typedef enum segment_side { SEGMENT_TAKES, SEGMENT_CLIPS, SEGMENT_LEAVES } segment_side;

/// Whether a normal is that of the segment (takes), of its face instead (clips), or the neighbour's (leaves).
static segment_side segment_judge(const iso__plane_convex *a, const int32_t n[2]) {
    const int32_t *face = a->normals[0];
    const int64_t sine = iso__cross32(face[0], face[1], n[0], n[1]), cosine = iso__dot32(face[0], face[1], n[0], n[1]);
    if (sine <= SEGMENT_NOISE && sine >= -SEGMENT_NOISE) {
        return cosine > 0 ? SEGMENT_TAKES : SEGMENT_CLIPS;
    }
    // The face's normal is to the right of its way, so a positive sine leads on along the segment.
    const int32_t *next = a->normals[sine > 0 ? SEGMENT_BEHIND : SEGMENT_BEFORE];
    if ((next[0] | next[1]) == 0) {
        return cosine >= -SEGMENT_TIP ? SEGMENT_TAKES : SEGMENT_CLIPS;
    }
    const int64_t turn = iso__cross32(face[0], face[1], next[0], next[1]);
    if (sine > 0 ? turn <= SEGMENT_NOISE : turn >= -SEGMENT_NOISE) {
        return SEGMENT_CLIPS;
    }
    const int64_t left = iso__cross32(n[0], n[1], next[0], next[1]);
    return (sine > 0 ? left >= -SEGMENT_NOISE : left <= SEGMENT_NOISE) ? SEGMENT_TAKES : SEGMENT_LEAVES;
}

/// How far the mean of b's vertices is in front, times their number; Q.54.
static bool segment_is_in_front(const iso__plane_convex *a, const iso__plane_convex *b) {
    int64_t sum = 0;
    for (uint32_t i = 0; i < b->count; ++i) {
        sum += (a->normals[0][0] * (b->vertices[i][0] - a->vertices[0][0]) +
                a->normals[0][1] * (b->vertices[i][1] - a->vertices[0][1])) >>
               4;
    }
    return sum > 0;
}

void iso__plane_manifold_segment(const iso__manifold_settings *settings, const iso__plane_convex *a,
                                 const iso__plane_convex *b, iso__plane_manifold *manifold) {
    if (!segment_is_in_front(a, b)) {
        return;
    }
    if (b->count == 1) {
        iso__plane_manifold_polygon_circle(settings, a, b, manifold);
    } else {
        iso__plane_manifold_polygon_polygon(settings, a, b, manifold);
    }
    const segment_side side = manifold->count == 0 ? SEGMENT_TAKES : segment_judge(a, manifold->normal);
    if (side == SEGMENT_TAKES) {
        return;
    }
    manifold->count = 0;
    if (side == SEGMENT_CLIPS && b->count > 1) {
        iso__plane_manifold_polygon_over_face(settings, a, 0, b, manifold);
    }
}
