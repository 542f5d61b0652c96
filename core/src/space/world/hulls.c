/// See hulls.h.
#include "space/world/hulls.h"

#include "base/assert.h"
#include "base/bits.h"
#include "math/fixed_ops.h"

void iso__space_shape_make_hull(const iso__space_shape *shape, const int32_t centre[3], iso__space_hull *hull) {
    const int32_t by[3] = {iso__neg32(centre[0]), iso__neg32(centre[1]), iso__neg32(centre[2])};
    const iso_status status = iso__space_hull_make((const int32_t(*)[3])shape->vertices, shape->vertex_count, hull);
    ISO_ASSERT(status == ISO_OK);
    iso__space_hull_move(hull, by);
}

void iso__space_hulls_make(iso__space *space, uint32_t shape, const int32_t centre[3]) {
    iso__space_shape_make_hull(&space->shapes[shape], centre, &space->hulls[shape]);
    space->hull_solids[shape].count = space->hull_solids[shape].next = 0;
    iso__bit_clear(space->stale_hulls, shape);
}

void iso__space_hulls_refresh_body(iso__space *space, uint32_t body) {
    const iso__space_body_derived *derived = &space->body_derived[body];
    for (uint32_t i = derived->first_shape; i != UINT32_MAX && space->has_stale_hulls;
         i = space->shape_derived[i].next_shape) {
        if (space->shapes[i].kind == ISO_SHAPE3_HULL && iso__bit_is_set(space->stale_hulls, i)) {
            iso__space_hulls_make(space, i, derived->local_centre);
        }
    }
}

void iso__space_hulls_refresh(iso__space *space) {
    for (uint32_t i = 0; i < space->world.globals->shape_count && space->has_stale_hulls; ++i) {
        if (space->shapes[i].kind == ISO_SHAPE3_HULL && iso__bit_is_set(space->stale_hulls, i)) {
            iso__space_hulls_make(space, i, space->body_derived[space->shapes[i].body].local_centre);
        }
    }
    space->has_stale_hulls = false;
}

void iso__space_hulls_move(iso__space *space, uint32_t first_shape, const int32_t from[3], const int32_t to[3]) {
    const int32_t by[3] = {iso__sub32(from[0], to[0]), iso__sub32(from[1], to[1]), iso__sub32(from[2], to[2])};
    for (uint32_t i = first_shape; i != UINT32_MAX && (by[0] | by[1] | by[2]) != 0;
         i = space->shape_derived[i].next_shape) {
        if (space->shapes[i].kind == ISO_SHAPE3_HULL) {
            iso__space_hull_move(&space->hulls[i], by);
        }
    }
}

const iso__space_solid *iso__space_hulls_solid(const iso__space *space, uint32_t shape, const int32_t about[3],
                                               int8_t exponent) {
    iso__space_hull_solids *cache = &space->hull_solids[shape];
    for (uint32_t i = 0; i < cache->count; ++i) {
        if (cache->exponents[i] == exponent) {
            return &cache->solids[i];
        }
    }
    const uint8_t at = cache->next;
    cache->next = (uint8_t)((at + 1) % ISO__SPACE_HULL_SOLIDS);
    cache->count = cache->count < ISO__SPACE_HULL_SOLIDS ? (uint8_t)(cache->count + 1) : cache->count;
    cache->exponents[at] = exponent;
    iso__space_mass_of_hull(&space->hulls[shape], about, exponent, &cache->solids[at]);
    return &cache->solids[at];
}
