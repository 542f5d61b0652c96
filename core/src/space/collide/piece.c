/// See piece.h.
#include "space/collide/piece.h"

#include "space/collide/vec_ops.h"

#define PIECE3_SHIFT (ISO__UNIT_FRACTION + ISO__LENGTH_FRACTION - 32) // from Q.54 to Q31.32

/// R v of a point of the body, which is within 128 m: the rows of R are no longer than one.
static void piece_turn(const int32_t r[9], const int32_t v[3], const int64_t at[3], int64_t out[3]) {
    for (int i = 0; i < 3; ++i) {
        out[i] = at[i] + iso__round_shift(iso__dot3(r + 3 * i, v), PIECE3_SHIFT);
    }
}

static void piece_set_offsets(iso__space_piece *piece) {
    const iso__space_hull *solid = piece->solid;
    for (uint32_t f = 0; f < solid->face_count; ++f) {
        piece->offsets[f] = INT64_MIN;
        for (uint32_t i = solid->first[f]; i < solid->first[f + 1]; ++i) {
            const int64_t along = iso__space_piece_along(piece->normals[f], piece->vertices[solid->ring[i]]);
            piece->offsets[f] = iso__max64(piece->offsets[f], along);
        }
    }
}

/// Directions of faces and edges, turned.
static void piece_turn_solid(const int32_t r[9], const iso__space_hull *solid, iso__space_piece *piece) {
    piece->solid = solid;
    piece->vertex_count = solid->vertex_count;
    for (uint32_t f = 0; f < solid->face_count; ++f) {
        iso__space_ops_turn_unit(r, solid->normals[f], piece->normals[f]);
    }
    for (uint32_t e = 0; e < solid->edge_count; ++e) {
        iso__space_ops_turn_unit(r, solid->directions[e], piece->directions[e]);
    }
}

/// A corner of a box: the bits of its number say on which side of each axis it is. The sum is below 180 m, Q.54.
static void piece_make_corner(const iso__space_collider *box, const int32_t axes[9], const int64_t at[3],
                              uint32_t corner, int64_t out[3]) {
    for (int i = 0; i < 3; ++i) {
        int64_t sum = iso__dot3(box->rotation + 3 * i, box->centre);
        for (uint32_t k = 0; k < 3; ++k) {
            const int64_t part = iso__mul32(axes[3 * i + (int)k], box->half[k]);
            sum += (corner >> k & 1u) != 0 ? part : -part;
        }
        out[i] = at[i] + iso__round_shift(sum, PIECE3_SHIFT);
    }
}

static void piece_make_plane(const iso__space_collider *plane, const int64_t at[3], iso__space_piece *piece) {
    iso__space_ops_turn_unit(plane->rotation, plane->plane_normal, piece->normals[0]);
    piece->offsets[0] = plane->plane_offset + iso__space_piece_along(piece->normals[0], at);
    piece->vertex_count = 0;
}

void iso__space_piece_make(const iso__space_collider *collider, const int64_t at[3], iso__space_piece *piece) {
    int32_t axes[9];
    piece->solid = NULL;
    piece->radius = 0;
    switch ((iso__space_collider_kind)collider->kind) {
    case ISO__SPACE_COLLIDER_SPHERE:
    case ISO__SPACE_COLLIDER_CAPSULE:
        piece->vertex_count = collider->kind == ISO__SPACE_COLLIDER_SPHERE ? 1 : 2;
        piece->radius = iso__shl64(collider->radius, 8);
        for (uint32_t i = 0; i < piece->vertex_count; ++i) {
            const bool is_sphere = piece->vertex_count == 1;
            piece_turn(collider->rotation, is_sphere ? collider->centre : collider->ends[i], at, piece->vertices[i]);
        }
        break;
    case ISO__SPACE_COLLIDER_BOX:
        iso__space_ops_product(collider->rotation, collider->frame, axes);
        piece_turn_solid(axes, iso__space_hull_box(), piece);
        for (uint32_t i = 0; i < piece->vertex_count; ++i) {
            piece_make_corner(collider, axes, at, i, piece->vertices[i]);
        }
        piece_set_offsets(piece);
        break;
    case ISO__SPACE_COLLIDER_HULL:
        piece_turn_solid(collider->rotation, collider->hull, piece);
        for (uint32_t i = 0; i < piece->vertex_count; ++i) {
            piece_turn(collider->rotation, collider->hull->vertices[i], at, piece->vertices[i]);
        }
        piece_set_offsets(piece);
        break;
    default:
        piece_make_plane(collider, at, piece);
        break;
    }
}

void iso__space_piece_make_box(const int64_t lower[3], const int64_t upper[3], iso__space_piece *piece) {
    static const int32_t unit[9] = {ISO__UNIT_ONE, 0, 0, 0, ISO__UNIT_ONE, 0, 0, 0, ISO__UNIT_ONE};
    piece->radius = 0;
    piece_turn_solid(unit, iso__space_hull_box(), piece);
    for (uint32_t i = 0; i < piece->vertex_count; ++i) {
        for (uint32_t k = 0; k < 3; ++k) {
            piece->vertices[i][k] = (i >> k & 1u) != 0 ? upper[k] : lower[k];
        }
    }
    piece_set_offsets(piece);
}

void iso__space_piece_shrink(iso__space_piece *piece, const int64_t about[3], int64_t eighths) {
    piece->radius = piece->radius * eighths / 8;
    for (uint32_t i = 0; i < piece->vertex_count; ++i) {
        for (int k = 0; k < 3; ++k) {
            const int64_t from = piece->vertices[i][k] - about[k];
            piece->vertices[i][k] = about[k] + iso__round_shift(from * eighths, 3);
        }
    }
    if (piece->solid != NULL) {
        piece_set_offsets(piece);
    }
}
