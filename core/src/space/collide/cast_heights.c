/// See cast_heights.h.
///
/// Against the prisms of those cells whose boxes the shape's bounding ball passes, each from where the ball comes near.
/// What was met before ends the way for all others. A side between two prisms is inside of the ground: who comes to one
/// has met the prism on the other side before.
#include "space/collide/cast_heights.h"

#include "space/collide/cells.h"
#include "space/collide/heights.h"
#include "space/collide/prism.h"

/// [m] Q31.32: so far away from a cell's box the search begins.
#define MARGIN ISO_WIDE_ONE

/// Sine, Q.60: the surface is nowhere as steep as that, which is 2^-12 of being upright.
#define LEVEL (INT64_C(1) << 48)

typedef struct heights_cast {
    const iso__space_collider *moving, *field;
    const iso__space_ray *way;
    iso__space_cells cells;
    iso__space_cast_hit *hit;
    bool is_hit;
} heights_cast;

/// Whether a normal is level, so that it is not one of the surface, and none of the field's border.
static bool hit_is_inner(const iso__space_prism *prism, const int32_t normal[3]) {
    const int64_t up = iso__dot3(normal, prism->piece.normals[ISO__SPACE_PRISM_FLOOR]); // Q.60
    bool is_inner = up > -LEVEL && up < LEVEL && (normal[0] | normal[1] | normal[2]) != 0;
    for (uint32_t i = 0; i < 3; ++i) {
        const bool is_border = (prism->inner >> i & 1u) == 0;
        is_inner =
            is_inner && !(is_border && iso__dot3(normal, prism->piece.normals[ISO__SPACE_PRISM_SIDES + i]) > LEVEL);
    }
    return is_inner;
}

static void cast_try_prism(heights_cast *is, const iso__space_cell *cell, uint32_t half) {
    iso__space_prism prism;
    iso__space_cast_hit hit;
    iso__space_prism_make(is->field, cell->column, cell->row, half, &prism);
    iso__space_cast cast = {
        .moving = is->moving,
        .still = &prism.collider,
        .piece = &prism.piece,
        .way = *is->way,
        .moving_extent = is->cells.reach,
        .still_extent = INT64_MAX / 4, // it is near
    };
    iso__space_ray_point(is->way, cell->from, cast.way.origin);
    iso__space_ops_sub(cast.way.origin, prism.at, cast.way.origin);
    cast.way.reach = is->cells.limit - cell->from;
    if (!iso__space_cast_find(&cast, &hit) || hit_is_inner(&prism, hit.normal)) {
        return;
    }
    hit.s += cell->from;
    if (is->is_hit && hit.s >= is->hit->s) {
        return;
    }
    for (int i = 0; i < 3; ++i) {
        hit.point[i] += prism.at[i];
    }
    *is->hit = hit;
    is->is_hit = true;
    is->cells.limit = hit.s;
}

bool iso__space_cast_find_heights(const iso__space_collider *moving, const iso__space_collider *field,
                                  const iso__space_ray *way, int64_t extent, iso__space_cast_hit *hit) {
    heights_cast is = {.moving = moving, .field = field, .way = way, .hit = hit};
    iso__space_cell cell;
    iso__space_cells_init(&is.cells, field, way, extent + MARGIN);
    while (iso__space_cells_next(&is.cells, &cell)) {
        for (uint32_t half = 0; half < 2 && cell.from <= is.cells.limit; ++half) {
            cast_try_prism(&is, &cell, half);
        }
    }
    return is.is_hit;
}
