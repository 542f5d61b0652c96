/// Queries of points and rays in space. region.c has overlaps and shapes on their way.
#include "isostep/query3.h"

#include "space/collide/closest.h"
#include "space/collide/closest_heights.h"
#include "space/collide/ray.h"
#include "space/collide/ray_heights.h"
#include "space/query/target.h"

// ---- points --------------------------------------------------------------------------------------

/// @param reach  what is farther is of no use. @return false: a field of heights is farther, and was not measured
static bool point_measure(const iso__space_target *target, iso_vec3_wide point, iso_wide reach, iso_point3_hit *hit) {
    int64_t local[3];
    iso__space_piece_point closest;
    iso__space_target_to_local(target, point, local);
    if (target->collider.kind != ISO__SPACE_COLLIDER_HEIGHTS) {
        iso__space_piece_closest(&target->piece, local, &closest);
    } else if (!iso__space_heights_closest(&target->collider, local, reach, &closest)) {
        return false;
    }
    *hit = (iso_point3_hit){
        .shape = target->id,
        .body = target->body,
        .point = iso__space_target_to_world(target, closest.point),
        .normal = {closest.normal[0], closest.normal[1], closest.normal[2]},
        .distance = closest.distance,
    };
    return true;
}

iso_status iso_shape3_get_closest_point(const iso_world *world, iso_shape_id shape, iso_vec3_wide point,
                                        iso_point3_hit *hit) {
    const iso_status status = iso__space_shape_find(world, shape);
    if (status != ISO_OK) {
        return status;
    }
    if (!iso__space_query_is_place(point, ISO__SPACE_QUERY_PLACE_MAX)) {
        return ISO_ERR_RANGE;
    }
    iso__space_target target;
    iso__space_target_make(iso__space_of_const(world), shape.index, &target);
    (void)point_measure(&target, point, INT64_MAX, hit);
    return ISO_OK;
}

/// What is within reach of a point.
typedef struct point_search {
    const iso__space *space;
    iso_vec3_wide point;
    iso_wide reach;
    iso_query_filter filter;
    uint32_t shape; // the next one to look at
} point_search;

static iso_status point_begin(const iso_world *world, iso_vec3_wide point, iso_wide reach, iso_query_filter filter,
                              uint32_t *count, point_search *search) {
    *count = 0;
    if (world->kernel->dimensions != 3) {
        return ISO_ERR_DIMENSION;
    }
    *search = (point_search){iso__space_of_const(world), point, reach, filter, 0};
    return iso__space_query_is_place(point, ISO__SPACE_QUERY_PLACE_MAX) && reach >= 0 &&
                   reach <= ISO__SPACE_QUERY_PLACE_MAX
               ? ISO_OK
               : ISO_ERR_RANGE;
}

/// @return false at the end
static bool point_next(point_search *search, iso_point3_hit *hit) {
    const iso_vec3_wide p = search->point;
    const iso_wide r = search->reach;
    const iso__space_region region = {{p.x - r, p.y - r, p.z - r}, {p.x + r, p.y + r, p.z + r}};
    iso__space_target target;
    while (iso__space_target_next(search->space, &region, search->filter, &search->shape, &target)) {
        if (point_measure(&target, p, r, hit) && hit->distance <= r) {
            return true;
        }
    }
    return false;
}

iso_status iso_query3_point_all(const iso_world *world, iso_vec3_wide point, iso_wide reach, iso_query_filter filter,
                                iso_point3_hit *hits, uint32_t capacity, uint32_t *count) {
    point_search search;
    const iso_status status = point_begin(world, point, reach, filter, count, &search);
    iso_point3_hit hit;
    while (status == ISO_OK && point_next(&search, &hit)) {
        if (*count < capacity) {
            hits[*count] = hit;
        }
        ++*count;
    }
    return status;
}

iso_status iso_query3_point_closest(const iso_world *world, iso_vec3_wide point, iso_wide reach,
                                    iso_query_filter filter, iso_point3_hit *hit, uint32_t *count) {
    point_search search;
    const iso_status status = point_begin(world, point, reach, filter, count, &search);
    iso_point3_hit next;
    while (status == ISO_OK && point_next(&search, &next)) {
        if (*count == 0 || next.distance < hit->distance) {
            *hit = next;
            *count = 1;
            search.reach = iso__max64(next.distance, 0); // what is farther need not be measured
        }
    }
    return status;
}

iso_status iso_query3_nearest(const iso_world *world, iso_vec3_wide point, iso_wide reach, iso_query_filter filter,
                              iso_point3_hit *hits, uint32_t capacity, uint32_t *count) {
    point_search search;
    const iso_status status = point_begin(world, point, reach, filter, count, &search);
    iso_point3_hit hit;
    while (status == ISO_OK && point_next(&search, &hit)) {
        iso__space_hits_insert(hits, sizeof hit, offsetof(iso_point3_hit, distance), capacity, (*count)++, &hit);
    }
    return status;
}

// ---- rays ----------------------------------------------------------------------------------------

static void ray_make_hit(const iso__space_target *target, const iso__space_ray *ray, int64_t s, const int32_t normal[3],
                         iso_ray3_hit *hit) {
    int64_t point[3];
    iso__space_ray_point(ray, s, point);
    *hit = (iso_ray3_hit){
        .shape = target->id,
        .body = target->body,
        .point = iso__space_target_to_world(target, point),
        .normal = {normal[0], normal[1], normal[2]},
        .fraction = s == 0 ? 0 : iso__min64(iso_wide_div(s, ray->reach), ISO_WIDE_ONE),
    };
}

static bool ray_cast(const iso__space_target *target, iso_vec3_wide origin, const iso__space_ray *way,
                     iso_ray3_hit *hit) {
    iso__space_ray ray = *way, near;
    int64_t s = 0, at = 0;
    int32_t normal[3] = {0, 0, 0};
    iso__space_piece_point closest;
    iso__space_target_to_local(target, origin, ray.origin);
    if (target->collider.kind == ISO__SPACE_COLLIDER_HEIGHTS) {
        if (!iso__space_ray_enter_heights(&ray, &target->collider, &s, normal)) {
            return false;
        }
        ray_make_hit(target, &ray, s, normal, hit);
        return true;
    }
    near = ray;
    if (target->piece.vertex_count > 0) {
        s = iso__space_ray_approach(&near, target->extent);
        if (s < 0) {
            return false;
        }
    }
    iso__space_piece_closest(&target->piece, ray.origin, &closest);
    if (closest.distance > 0) {
        if (!iso__space_ray_enter(&near, &target->piece, &at, normal)) {
            return false;
        }
        s += at;
    } else {
        s = 0;
    }
    ray_make_hit(target, &ray, s, normal, hit);
    return true;
}

iso_status iso_query3_ray_all(const iso_world *world, iso_vec3_wide origin, iso_vec3_wide translation,
                              iso_query_filter filter, iso_ray3_hit *hits, uint32_t capacity, uint32_t *count) {
    *count = 0;
    if (world->kernel->dimensions != 3) {
        return ISO_ERR_DIMENSION;
    }
    if (!iso__space_query_is_place(origin, ISO__SPACE_QUERY_PLACE_MAX) ||
        !iso__space_query_is_place(translation, 2 * ISO__SPACE_QUERY_PLACE_MAX)) {
        return ISO_ERR_RANGE;
    }
    const iso_vec3_wide o = origin, t = translation;
    const iso__space_region region = {
        {o.x + iso__min64(t.x, 0), o.y + iso__min64(t.y, 0), o.z + iso__min64(t.z, 0)},
        {o.x + iso__max64(t.x, 0), o.y + iso__max64(t.y, 0), o.z + iso__max64(t.z, 0)},
    };
    const iso__space *space = iso__space_of_const(world);
    iso__space_ray way;
    iso__space_ray_init(&way, t);
    iso__space_target target;
    uint32_t shape = 0;
    while (iso__space_target_next(space, &region, filter, &shape, &target)) {
        iso_ray3_hit hit;
        if (ray_cast(&target, o, &way, &hit)) {
            iso__space_hits_insert(hits, sizeof hit, offsetof(iso_ray3_hit, fraction), capacity, (*count)++, &hit);
        }
    }
    return ISO_OK;
}

iso_status iso_query3_ray_closest(const iso_world *world, iso_vec3_wide origin, iso_vec3_wide translation,
                                  iso_query_filter filter, iso_ray3_hit *hit, uint32_t *count) {
    const iso_status status = iso_query3_ray_all(world, origin, translation, filter, hit, 1, count);
    *count = *count > 1 ? 1 : *count;
    return status;
}
