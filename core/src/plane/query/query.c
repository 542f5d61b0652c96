/// Queries: every shape that passes the filter and whose bounding circle is near is tested exactly.
///
/// There is deliberately no tree here: the broad phase's boxes are those of the last step, but a game may query within
/// a step, and about shapes that were created since. Bounding circles are valid at any time.
#include "isostep/query.h"

#include "math/fixed_ops.h"
#include "plane/collide/hull.h"
#include "plane/world/geometry.h"

#define QUERY_PLACE_MAX (ISO_QUERY_PLACE_MAX_M * ISO_WIDE_ONE)

iso_query_filter iso_query_filter_default(void) {
    return (iso_query_filter){UINT32_MAX, UINT32_MAX};
}

static bool query_is_place(iso_vec2_wide place, int64_t largest) {
    return iso__abs_u64(place.x) <= (uint64_t)largest && iso__abs_u64(place.y) <= (uint64_t)largest;
}

static bool query_sees(const iso__plane *plane, uint32_t shape, iso_query_filter filter) {
    const iso__plane_shape *record = &plane->shapes[shape];
    return record->kind != 0 && (filter.mask & record->category) != 0 && (record->mask & filter.category) != 0;
}

/// [m] Q31.32: no point of a shape is farther from its place.
static int64_t query_extent(const iso__plane *plane, uint32_t shape) {
    return iso__shl64(plane->shape_derived[shape].extent, 8);
}

static const int64_t *query_centre(const iso__plane *plane, uint32_t shape) {
    return plane->bodies[plane->shapes[shape].body].position;
}

/// Where a shape's extent counts from.
static iso_vec2_wide query_place(const iso__plane *plane, uint32_t shape) {
    const int64_t *centre = query_centre(plane, shape);
    const iso_vec2_wide origin =
        iso__plane_shape_origin(plane, shape, plane->body_derived[plane->shapes[shape].body].rotation);
    return (iso_vec2_wide){centre[0] + origin.x, centre[1] + origin.y};
}

/// Whether a shape may reach into the box from (x0, y0) to (x1, y1).
static bool query_is_near(const iso__plane *plane, uint32_t shape, int64_t x0, int64_t y0, int64_t x1, int64_t y1) {
    const iso_vec2_wide place = query_place(plane, shape);
    const int64_t extent = query_extent(plane, shape);
    return place.x - extent <= x1 && x0 <= place.x + extent && place.y - extent <= y1 && y0 <= place.y + extent;
}

static iso_shape_id query_shape_id(const iso_world *world, uint32_t shape) {
    return (iso_shape_id){shape, world->shape_generations[shape]};
}

static iso_body_id query_body_id(const iso__plane *plane, uint32_t shape) {
    const uint32_t body = plane->shapes[shape].body;
    return (iso_body_id){body, plane->world.body_generations[body]};
}

// ---- points --------------------------------------------------------------------------------------

static void query_measure_point(const iso__plane *plane, uint32_t shape, iso_vec2_wide point, iso_point_hit *hit) {
    const int64_t *centre = query_centre(plane, shape);
    const int64_t p[2] = {point.x - centre[0], point.y - centre[1]};
    iso__plane_hull hull;
    iso__plane_hull_point closest;
    iso__plane_shape_hull(plane, shape, &hull);
    iso__plane_hull_closest(&hull, p, &closest);
    *hit = (iso_point_hit){
        .shape = query_shape_id(&plane->world, shape),
        .body = query_body_id(plane, shape),
        .point = {centre[0] + closest.point[0], centre[1] + closest.point[1]},
        .normal = {closest.normal[0], closest.normal[1]},
        .distance = closest.distance,
    };
}

iso_status iso_shape_get_closest_point(const iso_world *world, iso_shape_id shape, iso_vec2_wide point,
                                       iso_point_hit *hit) {
    ISO__PLANE_ONLY(world, ISO_ERR_DIMENSION);
    const iso__plane *plane = iso__plane_of_const(world);
    if (!iso__shape_is_alive(world, shape)) {
        return ISO_ERR_STALE;
    }
    if (!query_is_place(point, QUERY_PLACE_MAX)) {
        return ISO_ERR_RANGE;
    }
    query_measure_point(plane, shape.index, point, hit);
    return ISO_OK;
}

/// @return false at the end; else the next shape from *shape on is in *hit, and *shape is behind it
static bool query_next_point(const iso__plane *plane, iso_vec2_wide point, iso_wide reach, iso_query_filter filter,
                             uint32_t *shape, iso_point_hit *hit) {
    while (*shape < plane->world.globals->shape_count) {
        const uint32_t i = (*shape)++;
        if (!query_sees(plane, i, filter) ||
            !query_is_near(plane, i, point.x - reach, point.y - reach, point.x + reach, point.y + reach)) {
            continue;
        }
        query_measure_point(plane, i, point, hit);
        if (hit->distance <= reach) {
            return true;
        }
    }
    return false;
}

static iso_status query_check_point(iso_vec2_wide point, iso_wide reach) {
    return query_is_place(point, QUERY_PLACE_MAX) && reach >= 0 && reach <= QUERY_PLACE_MAX ? ISO_OK : ISO_ERR_RANGE;
}

iso_status iso_query_point_all(const iso_world *world, iso_vec2_wide point, iso_wide reach, iso_query_filter filter,
                               iso_point_hit *hits, uint32_t capacity, uint32_t *count) {
    ISO__PLANE_ONLY(world, ISO_ERR_DIMENSION);
    const iso__plane *plane = iso__plane_of_const(world);
    const iso_status status = query_check_point(point, reach);
    *count = 0;
    if (status != ISO_OK) {
        return status;
    }
    iso_point_hit hit;
    uint32_t shape = 0;
    for (; query_next_point(plane, point, reach, filter, &shape, &hit); ++*count) {
        if (*count < capacity) {
            hits[*count] = hit;
        }
    }
    return ISO_OK;
}

iso_status iso_query_point_closest(const iso_world *world, iso_vec2_wide point, iso_wide reach, iso_query_filter filter,
                                   iso_point_hit *hit, uint32_t *count) {
    ISO__PLANE_ONLY(world, ISO_ERR_DIMENSION);
    const iso__plane *plane = iso__plane_of_const(world);
    const iso_status status = query_check_point(point, reach);
    *count = 0;
    if (status != ISO_OK) {
        return status;
    }
    iso_point_hit next;
    uint32_t shape = 0;
    while (query_next_point(plane, point, reach, filter, &shape, &next)) {
        if (*count == 0 || next.distance < hit->distance) {
            *hit = next;
            *count = 1;
            reach = iso__max64(next.distance, 0); // what is farther need not be measured
        }
    }
    return ISO_OK;
}

// ---- rays ----------------------------------------------------------------------------------------

static bool query_cast(const iso__plane *plane, uint32_t shape, iso_vec2_wide origin, iso__plane_ray *ray,
                       iso_ray_hit *hit) {
    const int64_t *centre = query_centre(plane, shape);
    iso__plane_hull hull;
    iso__plane_hull_point closest;
    const iso_vec2_wide place = query_place(plane, shape);
    ray->origin[0] = origin.x - place.x;
    ray->origin[1] = origin.y - place.y;
    if (!iso__plane_ray_is_near(ray, query_extent(plane, shape))) {
        return false;
    }
    ray->origin[0] = origin.x - centre[0];
    ray->origin[1] = origin.y - centre[1];
    iso__plane_shape_hull(plane, shape, &hull);
    iso__plane_hull_closest(&hull, ray->origin, &closest);
    int64_t s = 0;
    int32_t normal[2] = {0, 0};
    if (closest.distance > 0 && !iso__plane_hull_cast(&hull, ray, &s, normal)) {
        return false;
    }
    int64_t point[2];
    iso__plane_ray_point(ray, s, point);
    *hit = (iso_ray_hit){
        .shape = query_shape_id(&plane->world, shape),
        .body = query_body_id(plane, shape),
        .point = {centre[0] + point[0], centre[1] + point[1]},
        .normal = {normal[0], normal[1]},
        .fraction = s == 0 ? 0 : iso__min64(iso_wide_div(s, ray->reach), ISO_WIDE_ONE),
    };
    return true;
}

/// Puts a hit behind all that are not farther; shapes come by index, so equal ones stay in order. Of a full array the
/// last one goes.
static void query_insert_ray_hit(iso_ray_hit *hits, uint32_t capacity, uint32_t found, const iso_ray_hit *hit) {
    uint32_t at = found < capacity ? found : capacity;
    while (at > 0 && hits[at - 1].fraction > hit->fraction) {
        if (at < capacity) {
            hits[at] = hits[at - 1];
        }
        --at;
    }
    if (at < capacity) {
        hits[at] = *hit;
    }
}

iso_status iso_query_ray_all(const iso_world *world, iso_vec2_wide origin, iso_vec2_wide translation,
                             iso_query_filter filter, iso_ray_hit *hits, uint32_t capacity, uint32_t *count) {
    ISO__PLANE_ONLY(world, ISO_ERR_DIMENSION);
    const iso__plane *plane = iso__plane_of_const(world);
    *count = 0;
    if (!query_is_place(origin, QUERY_PLACE_MAX) || !query_is_place(translation, 2 * QUERY_PLACE_MAX)) {
        return ISO_ERR_RANGE;
    }
    iso__plane_ray ray;
    iso__plane_ray_init(&ray, translation);
    const int64_t x0 = origin.x + iso__min64(translation.x, 0), x1 = origin.x + iso__max64(translation.x, 0);
    const int64_t y0 = origin.y + iso__min64(translation.y, 0), y1 = origin.y + iso__max64(translation.y, 0);
    for (uint32_t i = 0; i < world->globals->shape_count; ++i) {
        iso_ray_hit hit;
        if (query_sees(plane, i, filter) && query_is_near(plane, i, x0, y0, x1, y1) &&
            query_cast(plane, i, origin, &ray, &hit)) {
            query_insert_ray_hit(hits, capacity, (*count)++, &hit);
        }
    }
    return ISO_OK;
}

iso_status iso_query_ray_closest(const iso_world *world, iso_vec2_wide origin, iso_vec2_wide translation,
                                 iso_query_filter filter, iso_ray_hit *hit, uint32_t *count) {
    ISO__PLANE_ONLY(world, ISO_ERR_DIMENSION);
    const iso_status status = iso_query_ray_all(world, origin, translation, filter, hit, 1, count);
    *count = *count > 1 ? 1 : *count;
    return status;
}

// ---- overlaps ------------------------------------------------------------------------------------

/// What is asked about: a box, or else a definition at a place.
typedef struct region {
    int64_t lower[2], upper[2]; // [m] Q31.32, a box around it
    const iso_shape_def *def;   // NULL: the box itself
    iso_vec2_wide position;
    iso_rotation rotation;
} region;

static iso_status region_set_box(region *of, iso_vec2_wide lower, iso_vec2_wide upper) {
    *of = (region){.lower = {lower.x, lower.y}, .upper = {upper.x, upper.y}};
    return query_is_place(lower, QUERY_PLACE_MAX) && query_is_place(upper, QUERY_PLACE_MAX) && lower.x <= upper.x &&
                   lower.y <= upper.y
               ? ISO_OK
               : ISO_ERR_RANGE;
}

static iso_status region_set_shape(region *of, const iso_shape_def *def, iso_vec2_wide position, iso_wide angle) {
    const iso_status status = iso_shape_def_check(def);
    if (status != ISO_OK || !query_is_place(position, QUERY_PLACE_MAX)) {
        return status != ISO_OK ? status : ISO_ERR_RANGE;
    }
    // No point is farther from the frame's origin; a segment's is at most that far along both axes.
    const int64_t most = def->kind == ISO_SHAPE_SEGMENT ? 2 * ISO_SEGMENT_POINT_MAX_M : ISO_SHAPE_EXTENT_MAX_M + 1;
    const int64_t reach = most * ISO_WIDE_ONE;
    *of = (region){.lower = {position.x - reach, position.y - reach},
                   .upper = {position.x + reach, position.y + reach},
                   .def = def,
                   .position = position,
                   .rotation = iso_rotation_make((uint32_t)(uint64_t)iso_turns_from_radians(angle))};
    return ISO_OK;
}

/// @return false at the end; else the next shape from *shape on is in *hit, and *shape is behind it
static bool query_next_overlap(const iso__plane *plane, const region *of, iso_query_filter filter, uint32_t *shape,
                               iso_overlap_hit *hit) {
    while (*shape < plane->world.globals->shape_count) {
        const uint32_t i = (*shape)++;
        if (!query_sees(plane, i, filter) ||
            !query_is_near(plane, i, of->lower[0], of->lower[1], of->upper[0], of->upper[1])) {
            continue;
        }
        const int64_t *centre = query_centre(plane, i);
        iso__plane_hull hull, asked;
        iso__plane_shape_hull(plane, i, &hull);
        if (of->def) {
            iso__plane_hull_of_def(of->def, of->position.x - centre[0], of->position.y - centre[1], of->rotation,
                                   &asked);
        } else {
            const int64_t lower[2] = {of->lower[0] - centre[0], of->lower[1] - centre[1]};
            const int64_t upper[2] = {of->upper[0] - centre[0], of->upper[1] - centre[1]};
            iso__plane_hull_of_box(lower, upper, &asked);
        }
        const int64_t separation = iso__plane_hull_separation(&hull, &asked);
        if (separation <= 0) {
            *hit = (iso_overlap_hit){query_shape_id(&plane->world, i), query_body_id(plane, i), separation};
            return true;
        }
    }
    return false;
}

static void query_overlap_all(const iso__plane *plane, const region *of, iso_query_filter filter, iso_overlap_hit *hits,
                              uint32_t capacity, uint32_t *count) {
    iso_overlap_hit hit;
    uint32_t shape = 0;
    for (; query_next_overlap(plane, of, filter, &shape, &hit); ++*count) {
        if (*count < capacity) {
            hits[*count] = hit;
        }
    }
}

static void query_overlap_closest(const iso__plane *plane, const region *of, iso_query_filter filter,
                                  iso_overlap_hit *hit, uint32_t *count) {
    iso_overlap_hit next;
    uint32_t shape = 0;
    while (query_next_overlap(plane, of, filter, &shape, &next)) {
        if (*count == 0 || next.separation < hit->separation) {
            *hit = next;
            *count = 1;
        }
    }
}

iso_status iso_query_box_all(const iso_world *world, iso_vec2_wide lower, iso_vec2_wide upper, iso_query_filter filter,
                             iso_overlap_hit *hits, uint32_t capacity, uint32_t *count) {
    ISO__PLANE_ONLY(world, ISO_ERR_DIMENSION);
    const iso__plane *plane = iso__plane_of_const(world);
    region of;
    const iso_status status = region_set_box(&of, lower, upper);
    *count = 0;
    if (status == ISO_OK) {
        query_overlap_all(plane, &of, filter, hits, capacity, count);
    }
    return status;
}

iso_status iso_query_box_closest(const iso_world *world, iso_vec2_wide lower, iso_vec2_wide upper,
                                 iso_query_filter filter, iso_overlap_hit *hit, uint32_t *count) {
    ISO__PLANE_ONLY(world, ISO_ERR_DIMENSION);
    const iso__plane *plane = iso__plane_of_const(world);
    region of;
    const iso_status status = region_set_box(&of, lower, upper);
    *count = 0;
    if (status == ISO_OK) {
        query_overlap_closest(plane, &of, filter, hit, count);
    }
    return status;
}

iso_status iso_query_shape_all(const iso_world *world, const iso_shape_def *shape, iso_vec2_wide position,
                               iso_wide angle, iso_query_filter filter, iso_overlap_hit *hits, uint32_t capacity,
                               uint32_t *count) {
    ISO__PLANE_ONLY(world, ISO_ERR_DIMENSION);
    const iso__plane *plane = iso__plane_of_const(world);
    region of;
    const iso_status status = region_set_shape(&of, shape, position, angle);
    *count = 0;
    if (status == ISO_OK) {
        query_overlap_all(plane, &of, filter, hits, capacity, count);
    }
    return status;
}

iso_status iso_query_shape_closest(const iso_world *world, const iso_shape_def *shape, iso_vec2_wide position,
                                   iso_wide angle, iso_query_filter filter, iso_overlap_hit *hit, uint32_t *count) {
    ISO__PLANE_ONLY(world, ISO_ERR_DIMENSION);
    const iso__plane *plane = iso__plane_of_const(world);
    region of;
    const iso_status status = region_set_shape(&of, shape, position, angle);
    *count = 0;
    if (status == ISO_OK) {
        query_overlap_closest(plane, &of, filter, hit, count);
    }
    return status;
}
