/// See cast3_heights.h.
///
/// Against the prisms of those cells whose boxes the shape's bounding sphere passes, column by column in the direction of the
/// way, each from where the sphere comes near. What was met before ends the way for all others. A side between two prisms is
/// inside of the ground: who comes to one has met the prism on the other side before.
#include "collide3/cast3_heights.h"

#include "collide3/heights3.h"
#include "collide3/prism3.h"

/// [m] Q31.32: so far away from a cell's box the search begins.
#define MARGIN ISO_WIDE_ONE

/// Sine, Q.60: the surface is nowhere as steep as that, which is 2^-12 of being upright.
#define LEVEL (INT64_C(1) << 48)

typedef struct heights_cast {
    const iso__collider3 *moving, *field;
    const iso__ray3 *way;
    iso__ray3 local; // the way in the field's frame
    int64_t reach;   // [m] Q31.32: the sphere's radius and the margin
    iso__cast3_hit *hit;
    bool is_hit;
} heights_cast;

/// Whether a normal is level, so that it is not one of the surface, and none of the field's border.
static bool hit_is_inner(const iso__prism3 *prism, const int32_t normal[3]) {
    const int64_t up = iso__dot3(normal, prism->piece.normals[ISO__PRISM3_FLOOR]); // Q.60
    bool is_inner = up > -LEVEL && up < LEVEL && (normal[0] | normal[1] | normal[2]) != 0;
    for (uint32_t i = 0; i < 3; ++i) {
        const bool is_border = (prism->inner >> i & 1u) == 0;
        is_inner = is_inner && !(is_border && iso__dot3(normal, prism->piece.normals[ISO__PRISM3_SIDES + i]) > LEVEL);
    }
    return is_inner;
}

/// @param from  [m] Q31.32 along the way: where the search begins
static void cast_try_prism(heights_cast *is, int64_t column, int64_t row, uint32_t half, int64_t from) {
    iso__prism3 prism;
    iso__cast3_hit hit;
    iso__prism3_make(is->field, column, row, half, &prism);
    iso__cast3 cast = {
        .moving = is->moving,
        .still = &prism.collider,
        .piece = &prism.piece,
        .way = *is->way,
        .moving_extent = is->reach,
        .still_extent = INT64_MAX / 4, // it is near
    };
    iso__ray3_point(is->way, from, cast.way.origin);
    iso__ops3_sub(cast.way.origin, prism.at, cast.way.origin);
    cast.way.reach = (is->is_hit ? is->hit->s : is->way->reach) - from;
    if (!iso__cast3_find(&cast, &hit) || hit_is_inner(&prism, hit.normal)) {
        return;
    }
    hit.s += from;
    if (is->is_hit && hit.s >= is->hit->s) {
        return;
    }
    for (int i = 0; i < 3; ++i) {
        hit.point[i] += prism.at[i];
    }
    *is->hit = hit;
    is->is_hit = true;
}

/// A cell, on a part of the way on which the sphere is over its column.
static void cast_try_cell(heights_cast *is, int64_t column, int64_t row, const int64_t over[2]) {
    const iso__heights3 *h = &is->field->heights;
    const int64_t cell = iso__heights3_wide_cell(h), reach = is->reach;
    int64_t part[2] = {over[0], over[1]}, highest = INT64_MIN;
    for (int i = 0; i < 4; ++i) {
        highest = iso__max64(highest, iso__heights3_height(h, column + (i & 1), row + (i >> 1)) * 256);
    }
    iso__ray3_clip(&is->local, 2, row * cell - reach, (row + 1) * cell + reach, part);
    if (part[0] <= part[1]) {
        iso__ray3_clip(&is->local, 1, iso__heights3_floor(h) * 256 - reach, highest + reach, part);
    }
    for (uint32_t half = 0; half < 2 && part[0] <= part[1]; ++half) {
        if (!is->is_hit || part[0] < is->hit->s) {
            cast_try_prism(is, column, row, half, part[0]);
        }
    }
}

static void cast_try_column(heights_cast *is, int64_t column) {
    const iso__heights3 *h = &is->field->heights;
    const int64_t cell = iso__heights3_wide_cell(h);
    int64_t part[2] = {0, is->is_hit ? is->hit->s : is->way->reach}, begin[3], end[3];
    iso__ray3_clip(&is->local, 0, column * cell - is->reach, (column + 1) * cell + is->reach, part);
    if (part[0] > part[1]) {
        return;
    }
    iso__ray3_point(&is->local, part[0], begin);
    iso__ray3_point(&is->local, part[1], end);
    const int64_t low = iso__min64(begin[2], end[2]) - is->reach, high = iso__max64(begin[2], end[2]) + is->reach;
    const int64_t last = iso__min64(iso__heights3_wide_cell_at(h, high), h->rows - 2);
    for (int64_t row = iso__max64(iso__heights3_wide_cell_at(h, low), 0); row <= last; ++row) {
        cast_try_cell(is, column, row, part);
    }
}

bool iso__cast3_find_heights(const iso__collider3 *moving, const iso__collider3 *field, const iso__ray3 *way,
                             int64_t extent, iso__cast3_hit *hit) {
    heights_cast is = {
        .moving = moving, .field = field, .way = way, .local = *way, .reach = extent + MARGIN, .hit = hit};
    iso__heights3_to_field(field, way->origin, is.local.origin);
    iso__rotate3_wide_inverse(field->rotation, way->direction, is.local.direction);
    const int64_t columns = field->heights.columns - 1;
    for (int64_t i = 0; i < columns; ++i) {
        cast_try_column(&is, is.local.direction[0] < 0 ? columns - 1 - i : i);
    }
    return is.is_hit;
}
