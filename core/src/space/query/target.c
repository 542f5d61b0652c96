/// See target.h. There is no list of near shapes here, as there is none in the plane: a game may ask within a step,
/// about shapes that were created since the last one. Bounding spheres are valid at any time.
#include "space/query/target.h"

#include <string.h>

#include "math/fixed_ops.h"
#include "space/world/geometry.h"
#include "space/world/shape.h"

bool iso__space_query_is_place(iso_vec3_wide place, int64_t largest) {
    return iso__abs_u64(place.x) <= (uint64_t)largest && iso__abs_u64(place.y) <= (uint64_t)largest &&
           iso__abs_u64(place.z) <= (uint64_t)largest;
}

static bool target_is_seen(const iso__space_shape *record, iso_query_filter filter) {
    return record->kind != 0 && (filter.mask & record->category) != 0 && (record->mask & filter.category) != 0;
}

/// [m] Q31.32: no point of a shape is farther from its body's centre of mass.
static int64_t target_extent(const iso__space *space, uint32_t shape) {
    return iso__shl64(space->shape_derived[shape].extent, 8);
}

static bool target_is_near(const iso__space *space, uint32_t shape, const iso__space_region *region) {
    const int64_t *centre = space->bodies[space->shapes[shape].body].position;
    const int64_t extent = target_extent(space, shape);
    bool is_near = true;
    for (int i = 0; i < 3; ++i) {
        is_near = is_near && centre[i] - extent <= region->upper[i] && region->lower[i] <= centre[i] + extent;
    }
    return is_near || iso__space_shape_is_ground(space->shapes[shape].kind);
}

void iso__space_target_make(const iso__space *space, uint32_t shape, iso__space_target *target) {
    static const int64_t origin[3] = {0, 0, 0};
    const uint32_t body = space->shapes[shape].body;
    target->shape = shape;
    target->id = (iso_shape_id){shape, space->world.shape_generations[shape]};
    target->body = (iso_body_id){body, space->world.body_generations[body]};
    target->centre = space->bodies[body].position;
    target->extent = target_extent(space, shape);
    iso__space_collider_make(space, shape, &target->room, &target->collider);
    if (target->collider.kind != ISO__SPACE_COLLIDER_HEIGHTS) {
        iso__space_piece_make(&target->collider, origin, &target->piece);
    }
}

bool iso__space_target_next(const iso__space *space, const iso__space_region *region, iso_query_filter filter,
                            uint32_t *shape, iso__space_target *target) {
    while (*shape < space->world.globals->shape_count) {
        const uint32_t i = (*shape)++;
        if (target_is_seen(&space->shapes[i], filter) && target_is_near(space, i, region)) {
            iso__space_target_make(space, i, target);
            return true;
        }
    }
    return false;
}

void iso__space_target_to_local(const iso__space_target *target, iso_vec3_wide place, int64_t local[3]) {
    local[0] = place.x - target->centre[0];
    local[1] = place.y - target->centre[1];
    local[2] = place.z - target->centre[2];
}

iso_vec3_wide iso__space_target_to_world(const iso__space_target *target, const int64_t local[3]) {
    return (iso_vec3_wide){target->centre[0] + local[0], target->centre[1] + local[1], target->centre[2] + local[2]};
}

static int64_t hit_key(const void *hits, size_t size, size_t key, uint32_t at) {
    int64_t value;
    memcpy(&value, (const char *)hits + at * size + key, sizeof value);
    return value;
}

void iso__space_hits_insert(void *hits, size_t size, size_t key, uint32_t capacity, uint32_t found, const void *hit) {
    const uint32_t used = found < capacity ? found : capacity;
    const int64_t of_hit = hit_key(hit, size, key, 0);
    uint32_t at = used;
    while (at > 0 && hit_key(hits, size, key, at - 1) > of_hit) {
        --at;
    }
    if (at < capacity) {
        char *place = (char *)hits + at * size;
        const uint32_t behind = used < capacity ? used - at : used - at - 1;
        memmove(place + size, place, behind * size);
        memcpy(place, hit, size);
    }
}
