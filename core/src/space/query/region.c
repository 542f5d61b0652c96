/// Queries of overlaps and of shapes on their way.
#include "isostep/query3.h"

#include "math/quat.h"
#include "space/collide/cast_heights.h"
#include "space/collide/separate.h"
#include "space/collide/separate_heights.h"
#include "space/query/target.h"
#include "space/world/geometry.h"
#include "space/world/hulls.h"
#include "space/world/mass.h"
#include "space/world/shape.h"

/// What is asked about: a box, or else a definition at a place.
typedef struct asked3 {
    iso__space_region box; // a box around it
    bool is_shape;
    iso__space_collider collider;
    iso__space_hull hull;
    iso_vec3_wide position; // of the shape's frame
    int64_t extent;         // [m] Q31.32: no point of the shape is farther from that
} asked3;

static iso_status asked_set_box(const iso_world *world, asked3 *asked, iso_vec3_wide lower, iso_vec3_wide upper) {
    if (world->kernel->dimensions != 3) {
        return ISO_ERR_DIMENSION;
    }
    asked->box = (iso__space_region){{lower.x, lower.y, lower.z}, {upper.x, upper.y, upper.z}};
    asked->is_shape = false;
    return iso__space_query_is_place(lower, ISO__SPACE_QUERY_PLACE_MAX) &&
                   iso__space_query_is_place(upper, ISO__SPACE_QUERY_PLACE_MAX) && lower.x <= upper.x &&
                   lower.y <= upper.y && lower.z <= upper.z
               ? ISO_OK
               : ISO_ERR_RANGE;
}

static iso_status asked_set_shape(const iso_world *world, asked3 *asked, const iso_shape3_def *def,
                                  iso_vec3_wide position, iso_quat rotation) {
    static const int32_t origin[3] = {0, 0, 0};
    if (world->kernel->dimensions != 3) {
        return ISO_ERR_DIMENSION;
    }
    const iso_status status = iso_shape3_def_check(def);
    if (status != ISO_OK) {
        return status;
    }
    if (iso__space_shape_is_ground(def->kind)) {
        return ISO_ERR_WRONG_TYPE;
    }
    if (!iso__space_query_is_place(position, ISO__SPACE_QUERY_PLACE_MAX)) {
        return ISO_ERR_RANGE;
    }
    const iso_quat unit = iso_quat_normalize(rotation);
    int32_t matrix[9];
    iso__quat_matrix((const int32_t[4]){unit.x, unit.y, unit.z, unit.w}, matrix);
    iso__space_shape record = {0};
    iso__space_shape_write_record(&record, 0, def);
    if (def->kind == ISO_SHAPE3_HULL) {
        iso__space_shape_make_hull(&record, origin, &asked->hull);
    }
    iso__space_shape_collider(&record, origin, matrix, &asked->hull, &asked->collider);
    const int64_t r = asked->extent = iso__shl64(iso__space_shape_extent(&record, origin), 8);
    const iso_vec3_wide p = asked->position = position;
    asked->box = (iso__space_region){{p.x - r, p.y - r, p.z - r}, {p.x + r, p.y + r, p.z + r}};
    asked->is_shape = true;
    return ISO_OK;
}

// ---- overlaps ------------------------------------------------------------------------------------

static int64_t asked_separate(const asked3 *asked, const iso__space_target *target) {
    iso__space_piece piece;
    int32_t axis[3];
    if (asked->is_shape) {
        int64_t at[3];
        iso__space_target_to_local(target, asked->position, at);
        iso__space_piece_make(&asked->collider, at, &piece);
    } else {
        int64_t lower[3], upper[3];
        for (int i = 0; i < 3; ++i) {
            lower[i] = asked->box.lower[i] - target->centre[i];
            upper[i] = asked->box.upper[i] - target->centre[i];
        }
        iso__space_piece_make_box(lower, upper, &piece);
    }
    return target->collider.kind == ISO__SPACE_COLLIDER_HEIGHTS
               ? iso__space_piece_separate_heights(&piece, &target->collider)
               : iso__space_piece_separate(&target->piece, &piece, axis);
}

/// @return false at the end; else the next shape from *shape on is in *hit, and *shape is behind it
static bool overlap_next(const iso__space *space, const asked3 *asked, iso_query_filter filter, uint32_t *shape,
                         iso_overlap3_hit *hit) {
    iso__space_target target;
    while (iso__space_target_next(space, &asked->box, filter, shape, &target)) {
        const int64_t separation = asked_separate(asked, &target);
        if (separation <= 0) {
            *hit = (iso_overlap3_hit){target.id, target.body, separation};
            return true;
        }
    }
    return false;
}

/// @param status  what the question was found to be
static iso_status overlap_all(const iso_world *world, iso_status status, const asked3 *asked, iso_query_filter filter,
                              iso_overlap3_hit *hits, uint32_t capacity, uint32_t *count) {
    iso_overlap3_hit hit;
    uint32_t shape = 0;
    *count = 0;
    while (status == ISO_OK && overlap_next(iso__space_of_const(world), asked, filter, &shape, &hit)) {
        if (*count < capacity) {
            hits[*count] = hit;
        }
        ++*count;
    }
    return status;
}

static iso_status overlap_closest(const iso_world *world, iso_status status, const asked3 *asked,
                                  iso_query_filter filter, iso_overlap3_hit *hit, uint32_t *count) {
    iso_overlap3_hit next;
    uint32_t shape = 0;
    *count = 0;
    while (status == ISO_OK && overlap_next(iso__space_of_const(world), asked, filter, &shape, &next)) {
        if (*count == 0 || next.separation < hit->separation) {
            *hit = next;
            *count = 1;
        }
    }
    return status;
}

iso_status iso_query3_box_all(const iso_world *world, iso_vec3_wide lower, iso_vec3_wide upper, iso_query_filter filter,
                              iso_overlap3_hit *hits, uint32_t capacity, uint32_t *count) {
    asked3 asked;
    const iso_status status = asked_set_box(world, &asked, lower, upper);
    return overlap_all(world, status, &asked, filter, hits, capacity, count);
}

iso_status iso_query3_box_closest(const iso_world *world, iso_vec3_wide lower, iso_vec3_wide upper,
                                  iso_query_filter filter, iso_overlap3_hit *hit, uint32_t *count) {
    asked3 asked;
    const iso_status status = asked_set_box(world, &asked, lower, upper);
    return overlap_closest(world, status, &asked, filter, hit, count);
}

iso_status iso_query3_shape_all(const iso_world *world, const iso_shape3_def *shape, iso_vec3_wide position,
                                iso_quat rotation, iso_query_filter filter, iso_overlap3_hit *hits, uint32_t capacity,
                                uint32_t *count) {
    asked3 asked;
    const iso_status status = asked_set_shape(world, &asked, shape, position, rotation);
    return overlap_all(world, status, &asked, filter, hits, capacity, count);
}

iso_status iso_query3_shape_closest(const iso_world *world, const iso_shape3_def *shape, iso_vec3_wide position,
                                    iso_quat rotation, iso_query_filter filter, iso_overlap3_hit *hit,
                                    uint32_t *count) {
    asked3 asked;
    const iso_status status = asked_set_shape(world, &asked, shape, position, rotation);
    return overlap_closest(world, status, &asked, filter, hit, count);
}

// ---- shapes on their way -------------------------------------------------------------------------

static bool cast_find(const asked3 *asked, const iso__space_target *target, const iso__space_ray *way,
                      iso__space_cast_hit *at) {
    iso__space_cast cast = {
        .moving = &asked->collider,
        .still = &target->collider,
        .piece = &target->piece,
        .way = *way,
        .moving_extent = asked->extent,
        .still_extent = target->extent,
    };
    iso__space_target_to_local(target, asked->position, cast.way.origin);
    if (target->collider.kind == ISO__SPACE_COLLIDER_HEIGHTS) {
        return iso__space_cast_find_heights(&asked->collider, &target->collider, &cast.way, asked->extent, at);
    }
    iso__space_ray near = cast.way;
    const bool is_near =
        target->piece.vertex_count == 0 || iso__space_ray_approach(&near, asked->extent + target->extent) >= 0;
    return is_near && iso__space_cast_find(&cast, at);
}

static bool cast_hits(const asked3 *asked, const iso__space_target *target, const iso__space_ray *way,
                      iso_cast3_hit *hit) {
    iso__space_cast_hit at;
    if (!cast_find(asked, target, way, &at)) {
        return false;
    }
    *hit = (iso_cast3_hit){
        .shape = target->id,
        .body = target->body,
        .point = iso__space_target_to_world(target, at.point),
        .normal = {at.normal[0], at.normal[1], at.normal[2]},
        .fraction = at.s == 0 ? 0 : iso__min64(iso_wide_div(at.s, way->reach), ISO_WIDE_ONE),
    };
    return true;
}

iso_status iso_query3_cast_all(const iso_world *world, const iso_shape3_def *shape, iso_vec3_wide position,
                               iso_quat rotation, iso_vec3_wide translation, iso_query_filter filter,
                               iso_cast3_hit *hits, uint32_t capacity, uint32_t *count) {
    asked3 asked;
    *count = 0;
    const iso_status status = asked_set_shape(world, &asked, shape, position, rotation);
    if (status != ISO_OK || !iso__space_query_is_place(translation, 2 * ISO__SPACE_QUERY_PLACE_MAX)) {
        return status != ISO_OK ? status : ISO_ERR_RANGE;
    }
    const int64_t t[3] = {translation.x, translation.y, translation.z};
    for (int i = 0; i < 3; ++i) {
        asked.box.lower[i] += iso__min64(t[i], 0);
        asked.box.upper[i] += iso__max64(t[i], 0);
    }
    iso__space_ray way;
    iso__space_ray_init(&way, translation);
    iso__space_target target;
    uint32_t index = 0;
    while (iso__space_target_next(iso__space_of_const(world), &asked.box, filter, &index, &target)) {
        iso_cast3_hit hit;
        if (cast_hits(&asked, &target, &way, &hit)) {
            iso__space_hits_insert(hits, sizeof hit, offsetof(iso_cast3_hit, fraction), capacity, (*count)++, &hit);
        }
    }
    return ISO_OK;
}

iso_status iso_query3_cast_closest(const iso_world *world, const iso_shape3_def *shape, iso_vec3_wide position,
                                   iso_quat rotation, iso_vec3_wide translation, iso_query_filter filter,
                                   iso_cast3_hit *hit, uint32_t *count) {
    const iso_status status = iso_query3_cast_all(world, shape, position, rotation, translation, filter, hit, 1, count);
    *count = *count > 1 ? 1 : *count;
    return status;
}
