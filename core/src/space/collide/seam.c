/// See seam.h.
#include "space/collide/seam.h"

#include <string.h>

#include "math/wide128.h"
#include "space/collide/heights.h"
#include "space/collide/oriented.h"
#include "space/collide/vec_ops.h"

/// Cosine, Q.60, from which on a normal is that of a face: within 0.7 mrad, 0.1 mm beyond the edge for a ball of 0.1 m.
#define SEAM_COSINE_FACE ((INT64_C(1) << 60) - (INT64_C(1) << 38))

// ---- pieces --------------------------------------------------------------------------------------

void iso__space_seam_piece_make(const iso__space_collider *collider, const int64_t body[3],
                                iso__space_seam_piece *piece) {
    piece->collider = collider;
    piece->solid = NULL;
    memcpy(piece->body, body, sizeof piece->body);
    if (collider->kind == ISO__SPACE_COLLIDER_BOX) {
        iso__space_oriented oriented;
        iso__space_oriented_make(collider, body, &oriented);
        piece->solid = iso__space_hull_box();
        memcpy(piece->rotation, oriented.rotation, sizeof piece->rotation);
        memcpy(piece->centre, oriented.centre, sizeof piece->centre);
    } else if (collider->kind == ISO__SPACE_COLLIDER_HULL) {
        piece->solid = collider->hull;
        memcpy(piece->rotation, collider->rotation, sizeof piece->rotation);
        memcpy(piece->centre, body, sizeof piece->centre);
    }
}

static void piece_corner(const iso__space_seam_piece *piece, uint32_t vertex, int64_t corner[3]) {
    int64_t local[3];
    for (uint32_t i = 0; i < 3; ++i) {
        const int64_t half = piece->collider->half[i];
        local[i] = piece->collider->kind == ISO__SPACE_COLLIDER_HULL ? piece->solid->vertices[vertex][i]
                   : (vertex >> i & 1) != 0                          ? half
                                                                     : -half;
    }
    iso__space_ops_turn(piece->rotation, local, corner);
    for (int i = 0; i < 3; ++i) {
        corner[i] += piece->centre[i];
    }
}

/// The face of a solid that looks most along a direction, of equal ones the first.
/// @return the cosine between both, Q.60
static int64_t piece_find_face(const iso__space_seam_piece *piece, const int32_t n[3], uint32_t *face) {
    int32_t local[3];
    int64_t largest = INT64_MIN;
    iso__space_ops_turn_unit_back(piece->rotation, n, local);
    for (uint32_t f = 0; f < piece->solid->face_count; ++f) {
        const int64_t cosine = iso__space_ops_cosine(piece->solid->normals[f], local);
        if (cosine > largest) {
            largest = cosine;
            *face = f;
        }
    }
    return largest;
}

// ---- faces ---------------------------------------------------------------------------------------

static int64_t face_height(const iso__space_seam_face *face, const int64_t place[3]) {
    return face->height + iso__space_ops_along(face->up, place);
}

static void face_of_solid(const iso__space_seam_piece *piece, uint32_t number, iso__space_seam_face *face) {
    const iso__space_hull *solid = piece->solid;
    face->count = 0;
    for (uint32_t i = solid->first[number]; i < solid->first[number + 1]; ++i) {
        piece_corner(piece, solid->ring[i], face->corners[face->count++]);
    }
    iso__space_ops_turn_unit(piece->rotation, solid->normals[number], face->up);
    face->height = -iso__space_ops_along(face->up, face->corners[0]);
}

static void face_of_plane(const iso__space_seam_piece *piece, iso__space_seam_face *face) {
    iso__space_ops_turn_unit(piece->collider->rotation, piece->collider->plane_normal, face->up);
    const int64_t along = iso__dot3_shift(face->up[0], -piece->body[0], face->up[1], -piece->body[1], face->up[2],
                                          -piece->body[2], ISO__UNIT_FRACTION - 8); // as planes collide: Q.32
    face->height = iso__round_shift(along - piece->collider->plane_offset, 8);
    face->count = 0;
}

/// The triangle below or beside a place, which may be beyond the border by no more than the slop.
static bool face_of_heights(const iso__space_seam_piece *piece, const int64_t place[3], int64_t slop,
                            iso__space_seam_face *face) {
    const iso__space_heights *h = &piece->collider->heights;
    int64_t from[3], at[3], corner[3];
    for (int i = 0; i < 3; ++i) {
        from[i] = iso__shl64(place[i] - piece->body[i], 8);
    }
    iso__space_heights_to_field(piece->collider, from, at);
    const int64_t x = at[0] >> 8, z = at[2] >> 8, cell = h->cell;
    if (x < -slop || z < -slop || x > cell * (h->columns - 1) + slop || z > cell * (h->rows - 1) + slop) {
        return false;
    }
    const int64_t column = iso__min64(iso__max64(iso__space_heights_cell_at(h, x), 0), h->columns - 2);
    const int64_t row = iso__min64(iso__max64(iso__space_heights_cell_at(h, z), 0), h->rows - 2);
    int32_t normal[3];
    // No more than 128 m above or below, so that products fit; the places are on another piece.
    if (iso__abs_u64((at[1] >> 8) - iso__space_heights_height(h, column, row)) > UINT64_C(1) << 31) {
        return false;
    }
    iso__space_heights_normal(h, column, row, x - column * cell >= z - row * cell ? 0 : 1, normal);
    iso__space_ops_turn_unit(piece->collider->rotation, normal, face->up);
    const int64_t first[3] = {column * cell * 256, iso__space_heights_height(h, column, row) * 256, row * cell * 256};
    iso__space_heights_to_body(piece->collider, first, corner);
    for (int i = 0; i < 3; ++i) {
        corner[i] = piece->body[i] + iso__round_shift(corner[i], 8);
    }
    face->height = -iso__space_ops_along(face->up, corner);
    face->count = 0;
    return true;
}

/// The face of a piece that looks along a direction within ten degrees, at a place. @return false: there is none
static bool piece_face_along(const iso__space_seam_piece *piece, const int32_t n[3], const int64_t place[3],
                             int64_t slop, iso__space_seam_face *face) {
    uint32_t number = 0;
    switch ((iso__space_collider_kind)piece->collider->kind) {
    case ISO__SPACE_COLLIDER_PLANE:
        face_of_plane(piece, face);
        break;
    case ISO__SPACE_COLLIDER_HEIGHTS:
        if (!face_of_heights(piece, place, slop, face)) {
            return false;
        }
        break;
    case ISO__SPACE_COLLIDER_BOX:
    case ISO__SPACE_COLLIDER_HULL:
        if (piece_find_face(piece, n, &number) < ISO__SPACE_SEAM_COSINE_ALONG) {
            return false;
        }
        face_of_solid(piece, number, face);
        return true;
    case ISO__SPACE_COLLIDER_SPHERE:
    case ISO__SPACE_COLLIDER_CAPSULE:
    case ISO__SPACE_COLLIDER_KIND_COUNT:
        return false;
    }
    return iso__space_ops_cosine(face->up, n) >= ISO__SPACE_SEAM_COSINE_ALONG;
}

/// Whether a place is on a face, or beside it by no more than the slop.
static bool face_is_over(const iso__space_seam_face *face, const int64_t place[3], int64_t slop) {
    for (uint32_t i = 0; i < face->count; ++i) {
        const int64_t *from = face->corners[i], *to = face->corners[i + 1 < face->count ? i + 1 : 0];
        int64_t edge[3], way[3];
        int32_t along[3], out[3];
        iso__space_ops_sub(to, from, edge);
        iso__space_ops_sub(place, from, way);
        iso__space_ops_normalize(edge, along);
        iso__space_ops_cross(along, face->up, out); // rings are counterclockwise from outside
        if (iso__space_ops_along(out, way) > slop) {
            return false;
        }
    }
    return true;
}

// ---- touches -------------------------------------------------------------------------------------

/// Whether a body touches a piece within a face: the cosine of its normal and that of the touch is that large.
static bool touch_is_at_face(const iso__space_seam_piece *piece, const iso__space_seam_touch *touch, int64_t cosine) {
    uint32_t number = 0;
    if (piece->solid != NULL) {
        return piece_find_face(piece, touch->normal, &number) >= cosine;
    }
    iso__space_seam_face face = {.count = 0};
    // It is on the field; on the border rounding may have it beside.
    return piece_face_along(piece, touch->normal, touch->places[0], INT64_C(1) << 24, &face) &&
           iso__space_ops_cosine(face.up, touch->normal) >= cosine;
}

void iso__space_seam_touch_make(const iso__space_manifold *manifold, bool is_a, bool is_round,
                                const iso__space_seam_piece *piece, iso__space_seam_touch *touch) {
    const bool is_ground = piece->solid == NULL; // it may be so far away that anchors from there are cut off
    touch->count = manifold->count;
    for (int i = 0; i < 3; ++i) {
        touch->normal[i] = is_a ? iso__neg32(manifold->normal[i]) : manifold->normal[i];
    }
    for (uint32_t p = 0; p < manifold->count; ++p) {
        const iso__space_manifold_point *point = &manifold->points[p];
        // A manifold that is kept is where it was on the piece. Anchors are halfway between both surfaces.
        const int32_t *anchor = is_a == is_ground ? point->anchor_a : point->anchor_b;
        for (int i = 0; i < 3; ++i) {
            const int64_t half = iso__round_shift((int64_t)touch->normal[i] * point->separation, 31);
            touch->places[p][i] = (is_ground ? 0 : piece->body[i]) + anchor[i] - half;
        }
    }
    touch->is_corner = !touch_is_at_face(piece, touch, is_round ? SEAM_COSINE_FACE : ISO__SPACE_SEAM_COSINE_ALONG);
}

// ---- hiding --------------------------------------------------------------------------------------

/// Whether a piece reaches farther below a face than the slop. One that does not may lie on the floor, as a coin does,
/// instead of being the floor's next piece.
static bool piece_is_deep(const iso__space_seam_piece *piece, const iso__space_seam_face *face, int64_t slop) {
    int64_t corner[3];
    for (uint32_t i = 0; i < piece->solid->vertex_count; ++i) {
        piece_corner(piece, i, corner);
        if (face_height(face, corner) < -slop) {
            return true;
        }
    }
    return false;
}

/// Whether none of the corners of what is touched is higher than the slop over a face: those of the side that looks
/// along the normal; of an edge or a corner all, as for ever a body could come to them.
static bool piece_is_below(const iso__space_seam_piece *piece, const iso__space_seam_touch *touch,
                           const iso__space_seam_face *face, int64_t slop) {
    uint32_t side = 0;
    int64_t corner[3];
    if (piece->solid == NULL) {
        return true; // of a field the triangle that continues the face is all that is touched
    }
    const bool is_side =
        !touch->is_corner && piece_find_face(piece, touch->normal, &side) >= ISO__SPACE_SEAM_COSINE_ALONG;
    const uint32_t first = is_side ? piece->solid->first[side] : 0;
    const uint32_t end = is_side ? piece->solid->first[side + 1] : piece->solid->vertex_count;
    for (uint32_t i = first; i < end; ++i) {
        piece_corner(piece, is_side ? piece->solid->ring[i] : i, corner);
        if (face_height(face, corner) > slop) {
            return false;
        }
    }
    return piece_is_deep(piece, face, slop);
}

bool iso__space_seam_hides(const iso__space_seam_piece *floor, const iso__space_seam_touch *on,
                           const iso__space_seam_piece *piece, const iso__space_seam_touch *touch, int64_t slop) {
    iso__space_seam_face face, next;
    if (on->is_corner || !piece_face_along(floor, on->normal, touch->places[0], slop, &face)) {
        return false;
    }
    for (uint32_t p = 0; p < touch->count; ++p) {
        if (face_height(&face, touch->places[p]) > slop || !face_is_over(&face, touch->places[p], slop)) {
            return false;
        }
    }
    if (!piece_face_along(piece, face.up, touch->places[0], slop, &next)) {
        return false;
    }
    // The piece continues the face where it is touched.
    for (uint32_t p = 0; p < touch->count; ++p) {
        if (face_height(&next, touch->places[p]) < -slop) {
            return false;
        }
    }
    return piece_is_below(piece, touch, &face, slop);
}
