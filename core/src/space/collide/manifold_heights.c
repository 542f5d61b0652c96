/// Pieces on fields of heights.
///
/// Everything is calculated in the field's frame about the piece's centre of mass, so that a field may be larger than a
/// piece. What is found are points, each with a normal of its own:
///   - of the piece's points (a ball's centre, a capsule's ends, corners): against the triangles whose face it is over;
///   below
///     the surface against the one in its column, however deep it is, and those across valleys. The normal is the
///     face's, so nothing ever pushes a piece downwards.
///   - of the field's ridges (edges whose second difference is positive, exactly): against the piece as a segment.
///   Normals
///     that are not between those of both faces are left out: the faces have these points, and so a piece that slides
///     or rolls over edges between triangles of one plane, of which none is a ridge, does not meet them at all.
/// heights_group.c makes manifolds of them.
#include "space/collide/manifold_heights.h"

#include <string.h>

#include "math/vec3.h"
#include "space/collide/box.h"
#include "space/collide/heights.h"
#include "space/collide/heights_group.h"
#include "space/collide/hull.h"
#include "space/collide/oriented.h"
#include "space/collide/round.h"

/// [m] Q.24: beyond 128 m along y lengths are cut off, so that products fit; nothing that is so deep is near anything
/// else.
#define FIELD_DEPTH_MAX (INT64_C(1) << 31)

/// sin of the angle outside of a ridge's cone at which a normal counts no more, Q2.30: of a ball what rounding does; of
/// other pieces 11 degrees, over which the point fades away. Without that, points come and go at their full depth while
/// a body rests askew on a few of them, and keep it trembling. On the border of a field it is as for balls: another
/// field may continue it, and what fades would push a body back that comes to the seam.
#define CONE_FADE_BALL (1 << 18)
#define CONE_FADE      (3 << 26)

/// A contact on an edge counts as one at its end within [m] Q.24, 1 mm.
#define EDGE_END 16384

typedef struct field_pair {
    const iso__space_manifold_settings *settings;
    const iso__space_heights *heights;
    iso__space_collider piece; // turned into the field's frame
    int64_t at[3];             // [m] Q.24: the piece's centre of mass in the field's frame
    int64_t low[3], high[3];   // [m] Q.24: the piece's box about its centre of mass, and the speculative distance
    int64_t cells[4];          // first and last column, first and last row of samples whose edges may be near
    uint8_t corner;            // that is added
    iso__space_field_points found;
} field_pair;

/// A sample's corner from the piece's centre of mass.
static void field_corner(const field_pair *pair, int64_t column, int64_t row, int64_t corner[3]) {
    corner[0] = column * pair->heights->cell - pair->at[0];
    corner[1] = iso__space_heights_height(pair->heights, column, row) - pair->at[1];
    corner[2] = row * pair->heights->cell - pair->at[2];
}

// ---- faces ---------------------------------------------------------------------------------------

/// A triangle: its first corner and its normal.
typedef struct field_face {
    int64_t column, row; // of its cell
    uint32_t half;
    int64_t corner[3];
    int32_t normal[3];
} field_face;

static void face_make(const field_pair *pair, int64_t column, int64_t row, uint32_t half, field_face *face) {
    *face = (field_face){.column = column, .row = row, .half = half};
    field_corner(pair, column, row, face->corner);
    iso__space_heights_normal(pair->heights, column, row, half, face->normal);
}

/// How far a place is over a face's plane.
static int64_t face_height(const field_face *face, const int64_t place[3]) {
    int64_t d[3];
    iso__space_ops_sub(place, face->corner, d);
    d[1] = iso__clamp64(d[1], -FIELD_DEPTH_MAX, FIELD_DEPTH_MAX);
    return iso__space_ops_along(face->normal, d);
}

/// Whether the foot of a place on a face's plane is on the face. Of its sides those to lower columns and rows belong to
/// it, so that of faces in one plane exactly one has the foot.
static bool face_has_foot(const field_pair *pair, const field_face *face, const int64_t place[3], int64_t height) {
    const int64_t cell = pair->heights->cell;
    int64_t foot[3];
    iso__space_ops_advance(place, face->normal, -height, foot);
    const int64_t x = foot[0] - face->corner[0], z = foot[2] - face->corner[2];
    return x >= 0 && x < cell && z >= 0 && z < cell && (face->half == 0) == (x >= z);
}

/// A point of the piece over a face.
static void face_add(field_pair *pair, const field_face *face, const int64_t place[3], int64_t height, int64_t radius) {
    iso__space_field_point point = {.separation = height - radius, .corner = pair->corner};
    if (point.separation > pair->settings->speculative) {
        return;
    }
    // Halfway between the lowest point and the surface.
    iso__space_ops_advance(place, face->normal, -((radius + height) >> 1), point.place);
    memcpy(point.normal, face->normal, sizeof point.normal);
    iso__space_field_points_add(&pair->found, &point);
}

/// The faces across the valleys around one that a place is below: it must come out of these, too.
static void face_add_across(field_pair *pair, const field_face *face, const int64_t place[3], int64_t radius) {
    const int64_t c = face->column, r = face->row;
    const bool is_first = face->half == 0;
    const struct {
        iso__space_heights_edge edge;
        int64_t column, row; // where the edge begins
        int64_t to_column, to_row;
    } across[3] = {
        {ISO__SPACE_HEIGHTS_DIAGONAL, c, r, c, r},
        {ISO__SPACE_HEIGHTS_ALONG_X, c, is_first ? r : r + 1, c, is_first ? r - 1 : r + 1},
        {ISO__SPACE_HEIGHTS_ALONG_Z, is_first ? c + 1 : c, r, is_first ? c + 1 : c - 1, r},
    };
    for (int i = 0; i < 3; ++i) {
        if (iso__space_heights_bend(pair->heights, across[i].column, across[i].row, across[i].edge) < 0) {
            field_face other;
            face_make(pair, across[i].to_column, across[i].to_row, 1 - face->half, &other);
            const int64_t height = face_height(&other, place);
            if (face_has_foot(pair, &other, place, height)) {
                face_add(pair, &other, place, height, radius);
            }
        }
    }
}

/// Both faces of a cell that a place is over, no farther than `reach`.
static void face_add_over(field_pair *pair, int64_t column, int64_t row, const int64_t place[3], int64_t radius) {
    const int64_t reach = radius + pair->settings->speculative;
    int64_t highest = INT64_MIN;
    for (int64_t i = 0; i < 4; ++i) {
        highest = iso__max64(highest, iso__space_heights_height(pair->heights, column + (i & 1), row + (i >> 1)));
    }
    if (highest - pair->at[1] < place[1] - reach) {
        return;
    }
    for (uint32_t half = 0; half < 2; ++half) {
        field_face face;
        face_make(pair, column, row, half, &face);
        const int64_t height = face_height(&face, place);
        if (height >= 0 && height <= reach && face_has_foot(pair, &face, place, height)) {
            face_add(pair, &face, place, height, radius);
        }
    }
}

/// A point of the piece, or the middle of a ball, against the faces.
static void field_add_place(field_pair *pair, const int64_t place[3], int64_t radius) {
    const iso__space_heights *h = pair->heights;
    const int64_t x = place[0] + pair->at[0], z = place[2] + pair->at[2];
    const int64_t column = iso__space_heights_cell_at(h, x), row = iso__space_heights_cell_at(h, z);
    if (iso__space_heights_has_cell(h, column, row)) {
        field_face face;
        face_make(pair, column, row, x - column * h->cell >= z - row * h->cell ? 0 : 1, &face);
        const int64_t height = face_height(&face, place);
        if (height < 0) {
            face_add(pair, &face, place, height, radius);
            face_add_across(pair, &face, place, radius);
            return;
        }
    }
    const int64_t reach = radius + pair->settings->speculative;
    const int64_t first = iso__max64(iso__space_heights_cell_at(h, x - reach), 0);
    const int64_t last = iso__min64(iso__space_heights_cell_at(h, x + reach), h->columns - 2);
    const int64_t last_row = iso__min64(iso__space_heights_cell_at(h, z + reach), h->rows - 2);
    for (int64_t r = iso__max64(iso__space_heights_cell_at(h, z - reach), 0); r <= last_row; ++r) {
        for (int64_t c = first; c <= last; ++c) {
            face_add_over(pair, c, r, place, radius);
        }
    }
}

static void field_add_box(field_pair *pair) {
    iso__space_oriented box;
    iso__space_oriented_make(&pair->piece, NULL, &box);
    memcpy(pair->found.rotation, box.rotation, sizeof pair->found.rotation);
    pair->found.solid = iso__space_hull_box();
    for (uint32_t i = 0; i < 8; ++i) {
        const int64_t local[3] = {(i & 1) != 0 ? box.half[0] : -box.half[0], (i & 2) != 0 ? box.half[1] : -box.half[1],
                                  (i & 4) != 0 ? box.half[2] : -box.half[2]};
        int64_t place[3];
        iso__space_oriented_to_world(&box, local, place);
        pair->corner = (uint8_t)i;
        field_add_place(pair, place, 0);
    }
}

static void field_add_hull(field_pair *pair) {
    const iso__space_collider *piece = &pair->piece;
    memcpy(pair->found.rotation, piece->rotation, sizeof pair->found.rotation);
    pair->found.solid = piece->hull;
    for (uint32_t i = 0; i < piece->hull->vertex_count; ++i) {
        int64_t place[3];
        iso__space_round_place(piece, piece->hull->vertices[i], NULL, place);
        pair->corner = (uint8_t)i;
        field_add_place(pair, place, 0);
    }
}

static void field_add_places(field_pair *pair) {
    const iso__space_collider *piece = &pair->piece;
    int64_t place[3];
    pair->found.solid = NULL;
    pair->corner = ISO__SPACE_NO_CORNER;
    switch ((iso__space_collider_kind)piece->kind) {
    case ISO__SPACE_COLLIDER_SPHERE:
        iso__space_round_make_centre(piece, NULL, place);
        field_add_place(pair, place, piece->radius);
        break;
    case ISO__SPACE_COLLIDER_CAPSULE:
        for (int i = 0; i < 2; ++i) {
            iso__space_round_place(piece, piece->ends[i], NULL, place);
            field_add_place(pair, place, piece->radius);
        }
        break;
    case ISO__SPACE_COLLIDER_BOX:
        field_add_box(pair);
        break;
    case ISO__SPACE_COLLIDER_HULL:
        field_add_hull(pair);
        break;
    case ISO__SPACE_COLLIDER_PLANE:
    case ISO__SPACE_COLLIDER_HEIGHTS:
    case ISO__SPACE_COLLIDER_KIND_COUNT:
        break;
    }
}

// ---- ridges --------------------------------------------------------------------------------------

/// An edge, from one sample to another one, and its ends from the piece's centre of mass.
typedef struct field_edge {
    int64_t column, row;
    iso__space_heights_edge kind;
    int64_t ends[2][3];
} field_edge;

/// How far a direction from the surface leans towards another place of the surface, Q2.30; 0: not at all.
static int32_t cone_lean_to(const int32_t normal[3], const int64_t way[3]) {
    int32_t unit[3];
    iso__space_ops_normalize(way, unit);
    return iso__max32(iso__round_shift32(iso__space_ops_cosine(unit, normal), ISO__UNIT_FRACTION), 0);
}

/// At an end: towards any edge there.
static int32_t cone_lean_at(const field_pair *pair, const int32_t normal[3], int64_t column, int64_t row) {
    static const int8_t neighbours[6][2] = {{1, 0}, {-1, 0}, {0, 1}, {0, -1}, {1, 1}, {-1, -1}};
    int64_t from[3];
    field_corner(pair, column, row, from);
    int32_t lean = 0;
    for (int i = 0; i < 6; ++i) {
        const int64_t c = column + neighbours[i][0], r = row + neighbours[i][1];
        if (iso__space_heights_has_sample(pair->heights, c, r)) {
            int64_t to[3], way[3];
            field_corner(pair, c, r, to);
            iso__space_ops_sub(to, from, way);
            lean = iso__max32(lean, cone_lean_to(normal, way));
        }
    }
    return lean;
}

/// Between the ends: towards either face, across the edge.
static int32_t cone_lean_along(const field_pair *pair, const int32_t normal[3], const field_edge *edge,
                               const iso__space_segment *segment) {
    const iso__space_heights_edge kind = edge->kind;
    const int64_t corners[2][2] = {
        {edge->column + 1, edge->row + (kind != ISO__SPACE_HEIGHTS_DIAGONAL)},
        {edge->column - (kind == ISO__SPACE_HEIGHTS_ALONG_Z),
         kind == ISO__SPACE_HEIGHTS_DIAGONAL ? edge->row + 1 : edge->row - (kind == ISO__SPACE_HEIGHTS_ALONG_X)},
    };
    int32_t lean = 0;
    for (int i = 0; i < 2; ++i) {
        if (iso__space_heights_has_sample(pair->heights, corners[i][0], corners[i][1])) {
            int64_t corner[3], way[3];
            field_corner(pair, corners[i][0], corners[i][1], corner);
            iso__space_ops_sub(corner, segment->ends[0], way);
            iso__space_ops_advance(way, segment->unit, -iso__space_ops_along(segment->unit, way), way);
            lean = iso__max32(lean, cone_lean_to(normal, way));
        }
    }
    return lean;
}

/// Whether a place of an edge is on the border of the field.
/// @param column, row  of the edge's begin, or of the end at which the place is
static bool edge_is_border(const iso__space_heights *heights, iso__space_heights_edge kind, int64_t column, int64_t row,
                           bool is_end) {
    const bool is_side = column == 0 || column == heights->columns - 1, is_front = row == 0 || row == heights->rows - 1;
    return is_end ? is_side || is_front
                  : (kind == ISO__SPACE_HEIGHTS_ALONG_Z && is_side) || (kind == ISO__SPACE_HEIGHTS_ALONG_X && is_front);
}

static void edge_add(field_pair *pair, const field_edge *edge, const iso__space_manifold *manifold) {
    const int32_t fade = pair->piece.kind == ISO__SPACE_COLLIDER_SPHERE ? CONE_FADE_BALL : CONE_FADE;
    iso__space_segment segment;
    memcpy(segment.ends, edge->ends, sizeof segment.ends);
    iso__space_segment_complete(&segment);
    for (uint32_t i = 0; i < manifold->count; ++i) {
        const iso__space_manifold_point *found = &manifold->points[i];
        iso__space_field_point point = {{found->anchor_b[0], found->anchor_b[1], found->anchor_b[2]},
                                        found->separation,
                                        {manifold->normal[0], manifold->normal[1], manifold->normal[2]},
                                        ISO__SPACE_NO_CORNER,
                                        false};
        const int64_t along = iso__space_segment_nearest(&segment, point.place);
        const bool is_at_first = along <= EDGE_END, is_at_last = along >= segment.length - EDGE_END;
        const int64_t c = edge->column + (is_at_last && edge->kind != ISO__SPACE_HEIGHTS_ALONG_Z);
        const int64_t r = edge->row + (is_at_last && edge->kind != ISO__SPACE_HEIGHTS_ALONG_X);
        const int32_t lean = is_at_first || is_at_last ? cone_lean_at(pair, point.normal, c, r)
                                                       : cone_lean_along(pair, point.normal, edge, &segment);
        point.is_border = edge_is_border(pair->heights, edge->kind, c, r, is_at_first || is_at_last);
        const int32_t most = point.is_border ? CONE_FADE_BALL : fade;
        if (lean < most) {
            const int64_t rest = pair->settings->speculative - point.separation, more = rest * lean / most;
            point.separation += more;
            if (point.is_border) { // the place on the field stays where it is: space/collide/seam.h
                iso__space_ops_advance(point.place, point.normal, more >> 1, point.place);
            }
            iso__space_field_points_add(&pair->found, &point);
        }
    }
}

static bool edge_is_near(const field_pair *pair, const field_edge *edge) {
    bool is_near = true;
    for (int i = 0; i < 3; ++i) {
        is_near = is_near && iso__min64(edge->ends[0][i], edge->ends[1][i]) <= pair->high[i] &&
                  iso__max64(edge->ends[0][i], edge->ends[1][i]) >= pair->low[i];
    }
    return is_near;
}

static void field_add_edge(field_pair *pair, int64_t column, int64_t row, iso__space_heights_edge kind) {
    static const int64_t none[3] = {0, 0, 0};
    field_edge edge = {.column = column, .row = row, .kind = kind};
    field_corner(pair, column, row, edge.ends[0]);
    field_corner(pair, column + (kind != ISO__SPACE_HEIGHTS_ALONG_Z), row + (kind != ISO__SPACE_HEIGHTS_ALONG_X),
                 edge.ends[1]);
    if (iso__space_heights_bend(pair->heights, column, row, kind) <= 0 || !edge_is_near(pair, &edge)) {
        return;
    }
    iso__space_collider thread = {.kind = ISO__SPACE_COLLIDER_CAPSULE,
                                  .rotation = {ISO__UNIT_ONE, 0, 0, 0, ISO__UNIT_ONE, 0, 0, 0, ISO__UNIT_ONE}};
    for (int i = 0; i < 6; ++i) {
        // A piece reaches 60 m, and an edge no more than that beyond it.
        thread.ends[i / 3][i % 3] = iso__saturate32(edge.ends[i / 3][i % 3]);
    }
    iso__space_manifold manifold;
    iso__space_manifold_make(pair->settings, &thread, &pair->piece, none, &manifold);
    if (manifold.count > 0 && manifold.normal[1] >= 0) {
        edge_add(pair, &edge, &manifold);
    }
}

static void field_add_edges(field_pair *pair) {
    for (int64_t row = pair->cells[2]; row <= pair->cells[3]; ++row) {
        for (int64_t column = pair->cells[0]; column <= pair->cells[1]; ++column) {
            const bool has_next = column < pair->heights->columns - 1, has_below = row < pair->heights->rows - 1;
            if (has_next) {
                field_add_edge(pair, column, row, ISO__SPACE_HEIGHTS_ALONG_X);
            }
            if (has_below) {
                field_add_edge(pair, column, row, ISO__SPACE_HEIGHTS_ALONG_Z);
            }
            if (has_next && has_below) {
                field_add_edge(pair, column, row, ISO__SPACE_HEIGHTS_DIAGONAL);
            }
        }
    }
}

// ---- manifolds -----------------------------------------------------------------------------------

/// From the field's frame about the piece's centre of mass to the world's orientation, from both centres of mass.
static void manifold_turn(const int32_t rotation[9], const int64_t offset[3], iso__space_manifold *manifold) {
    iso__space_ops_turn_unit(rotation, manifold->normal, manifold->normal);
    for (uint32_t i = 0; i < manifold->count; ++i) {
        iso__space_manifold_point *point = &manifold->points[i];
        int64_t place[3];
        iso__space_ops_turn32(rotation, point->anchor_b, place);
        for (int k = 0; k < 3; ++k) {
            point->anchor_b[k] = iso__saturate32(place[k]);
            point->anchor_a[k] = iso__saturate32(place[k] + offset[k]);
        }
    }
}

/// @return false when the piece is nowhere near the field
static bool field_pair_make(const iso__space_manifold_settings *settings, const iso__space_collider *field,
                            const iso__space_collider *piece, const int64_t offset[3], field_pair *pair) {
    static const int64_t origin[3] = {0, 0, 0};
    const iso__space_heights *heights = &field->heights;
    pair->settings = settings;
    pair->heights = heights;
    pair->piece = *piece;
    pair->found.count = 0;
    pair->found.is_ball = piece->kind == ISO__SPACE_COLLIDER_SPHERE;
    pair->found.settings = settings;
    iso__space_ops_product_back(field->rotation, piece->rotation, pair->piece.rotation);
    iso__rotate3_wide_inverse(field->rotation, offset, pair->at);
    const int64_t half[3] = {(int64_t)heights->cell * (heights->columns - 1) / 2, 0,
                             (int64_t)heights->cell * (heights->rows - 1) / 2};
    iso__space_box box;
    iso__space_collider_box(&pair->piece, origin, &box);
    const int32_t low[3] = {box.min_x, box.min_y, box.min_z}, high[3] = {box.max_x, box.max_y, box.max_z};
    for (int i = 0; i < 3; ++i) {
        pair->at[i] += half[i] - field->centre[i];
        pair->low[i] = iso__shl64(low[i], 8) - settings->speculative;
        pair->high[i] = iso__shl64(high[i], 8) + settings->speculative;
    }
    for (int i = 0; i < 2; ++i) {
        const int64_t last = i == 0 ? heights->columns - 1 : heights->rows - 1;
        pair->cells[2 * i] = iso__max64(iso__space_heights_cell_at(heights, pair->at[2 * i] + pair->low[2 * i]), 0);
        pair->cells[2 * i + 1] =
            iso__min64(iso__space_heights_cell_at(heights, pair->at[2 * i] + pair->high[2 * i]) + 1, last);
    }
    return pair->cells[0] <= pair->cells[1] && pair->cells[2] <= pair->cells[3];
}

uint32_t iso__space_manifold_heights(const iso__space_manifold_settings *settings, const iso__space_collider *a,
                                     const iso__space_collider *b, const int64_t offset[3],
                                     iso__space_manifold *manifolds) {
    const bool is_a_field = a->kind == ISO__SPACE_COLLIDER_HEIGHTS;
    const iso__space_collider *field = is_a_field ? a : b;
    const int64_t from_field[3] = {is_a_field ? offset[0] : -offset[0], is_a_field ? offset[1] : -offset[1],
                                   is_a_field ? offset[2] : -offset[2]};
    field_pair pair;
    if (!field_pair_make(settings, field, is_a_field ? b : a, from_field, &pair)) {
        return 0;
    }
    field_add_places(&pair);
    field_add_edges(&pair);
    const uint32_t count = iso__space_field_points_make(&pair.found, manifolds);
    for (uint32_t g = 0; g < count; ++g) {
        manifold_turn(field->rotation, from_field, &manifolds[g]);
        if (!is_a_field) {
            iso__space_manifold_swap(&manifolds[g]);
        }
    }
    return count;
}
