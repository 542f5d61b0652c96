/// Where a piece and a field of heights are near: points, each with a normal of its own, and the manifolds of these.
///
/// Points are put together by their normals, and each group becomes a manifold of at most four of them. Points on the
/// border, which another field may continue (space/collide/seam.h), are never together with others. Of a solid's
/// corners a group keeps those of its lowest face, in ring order, as a plane does (manifold_plane.c).
#ifndef ISO_SPACE_COLLIDE_HEIGHTS_GROUP_H
#define ISO_SPACE_COLLIDE_HEIGHTS_GROUP_H

#include "space/collide/hull.h"
#include "space/collide/manifold.h"

#define ISO__SPACE_FIELD_POINTS 64
#define ISO__SPACE_NO_CORNER    UINT8_MAX

/// In the field's frame, from the piece's centre of mass.
typedef struct iso__space_field_point {
    int64_t place[3];   // [m] Q.24, halfway between the surfaces
    int64_t separation; // [m] Q.24
    int32_t normal[3];  // Q2.30, from the field to the piece
    uint8_t corner;     // of the solid; ISO__SPACE_NO_CORNER: of a round piece, or on a ridge
    bool is_border;     // on the edge of the field, with a normal of no face
} iso__space_field_point;

typedef struct iso__space_field_points {
    const iso__space_manifold_settings *settings;
    const iso__space_hull *solid; // NULL of round pieces
    int32_t rotation[9];          // Q2.30: from the solid's frame to the field's
    bool is_ball;
    uint32_t count;
    iso__space_field_point points[ISO__SPACE_FIELD_POINTS];
} iso__space_field_points;

/// When there is no more room, the shallowest point goes.
void iso__space_field_points_add(iso__space_field_points *points, const iso__space_field_point *point);

/// Makes the manifolds, in the order of their deepest points.
/// @param manifolds  out: room for ISO__SPACE_MANIFOLD_CHILDREN
/// @return how many
uint32_t iso__space_field_points_make(const iso__space_field_points *points, iso__space_manifold *manifolds);

#endif
