/// Definitions of shapes in space: constructors and static checks. Commands, scenes and iso_shape3_create call them.
#include "isostep/shape3.h"

#include "isostep/heights.h"
#include "math/fixed_ops.h"
#include "math/quat_check.h"
#include "solver/params.h"
#include "space/collide/hull.h"
#include "space/world/shape.h"

#define SHAPE3_SIZE_MIN   16 // 0.25 mm in Q15.16, rounded: 2^-12 m
#define SHAPE3_EXTENT_MAX (ISO_SHAPE_EXTENT_MAX_M * ISO_FIX16_ONE)

iso_shape3_def iso_shape3_def_default(void) {
    iso_shape3_def def = {0};
    def.kind = ISO_SHAPE3_SPHERE;
    def.point_count = 1;
    def.density = 1000 * ISO_FIX16_ONE;
    def.friction = 39322; // 0.6
    def.filter = (iso_filter){.category = 1, .mask = UINT32_MAX, .group = 0};
    return def;
}

iso_shape3_def iso_shape3_def_sphere(fix16_t radius) {
    iso_shape3_def def = iso_shape3_def_default();
    def.radius = radius;
    return def;
}

iso_shape3_def iso_shape3_def_capsule(iso_vec3 a, iso_vec3 b, fix16_t radius) {
    iso_shape3_def def = iso_shape3_def_default();
    def.kind = ISO_SHAPE3_CAPSULE;
    def.point_count = 2;
    def.points[0] = a;
    def.points[1] = b;
    def.radius = radius;
    return def;
}

iso_shape3_def iso_shape3_def_box(fix16_t half_x, fix16_t half_y, fix16_t half_z) {
    iso_shape3_def def = iso_shape3_def_default();
    def.kind = ISO_SHAPE3_BOX;
    def.point_count = 2;
    def.points[1] = (iso_vec3){half_x, half_y, half_z};
    def.rotation = iso_quat_identity();
    return def;
}

iso_shape3_def iso_shape3_def_hull(const iso_vec3 *points, uint32_t count) {
    iso_shape3_def def = iso_shape3_def_default();
    def.kind = ISO_SHAPE3_HULL;
    // More than fit keep their wrong count for iso_shape3_def_check, as fewer do.
    def.point_count = (uint8_t)(count < UINT8_MAX ? count : UINT8_MAX);
    for (uint32_t i = 0; i < count && i < ISO_HULL_VERTICES_MAX; ++i) {
        def.points[i] = points[i];
    }
    return def;
}

iso_shape3_def iso_shape3_def_plane(iso_vec3 normal, fix16_t offset) {
    iso_shape3_def def = iso_shape3_def_default();
    def.kind = ISO_SHAPE3_PLANE;
    def.points[0] = normal;
    def.offset = offset;
    return def;
}

iso_shape3_def iso_shape3_def_heights(uint32_t heights) {
    iso_shape3_def def = iso_shape3_def_default();
    def.kind = ISO_SHAPE3_HEIGHTS;
    // One beyond all keeps a wrong number for iso_shape3_def_check.
    def.heights = (uint8_t)(heights < ISO_HEIGHTS_MAX ? heights : ISO_HEIGHTS_MAX);
    return def;
}

/// The length's square, Q.32; of components within 120 m it is below 2^48.
static uint64_t shape3_square(int64_t x, int64_t y, int64_t z) {
    return (uint64_t)(x * x) + (uint64_t)(y * y) + (uint64_t)(z * z);
}

/// Whether a ball of this radius [m] Q15.16 about a point lies within the extent; exact.
static bool shape3_is_near(iso_vec3 point, uint32_t radius) {
    const uint32_t most = SHAPE3_EXTENT_MAX;
    if (radius > most || iso__abs_u32(point.x) > most || iso__abs_u32(point.y) > most || iso__abs_u32(point.z) > most) {
        return false;
    }
    const uint64_t rest = most - radius;
    return shape3_square(point.x, point.y, point.z) <= rest * rest;
}

static iso_status shape3_check_capsule(const iso_shape3_def *def) {
    const iso_vec3 a = def->points[0], b = def->points[1];
    if (!shape3_is_near(a, (uint32_t)def->radius) || !shape3_is_near(b, (uint32_t)def->radius)) {
        return ISO_ERR_GEOMETRY;
    }
    const uint64_t length = shape3_square((int64_t)b.x - a.x, (int64_t)b.y - a.y, (int64_t)b.z - a.z);
    return length >= SHAPE3_SIZE_MIN * SHAPE3_SIZE_MIN ? ISO_OK : ISO_ERR_GEOMETRY;
}

/// The ball through the corners must lie within the extent, so that it does not matter how the box is turned.
static iso_status shape3_check_box(const iso_shape3_def *def) {
    const iso_vec3 half = def->points[1];
    if (half.x < SHAPE3_SIZE_MIN || half.y < SHAPE3_SIZE_MIN || half.z < SHAPE3_SIZE_MIN || !shape3_is_near(half, 0)) {
        return ISO_ERR_GEOMETRY;
    }
    const uint64_t square = shape3_square(half.x, half.y, half.z);
    const uint32_t root = iso__isqrt64(square);
    const uint32_t radius = root + ((uint64_t)root * root < square);
    return shape3_is_near(def->points[0], radius) ? ISO_OK : ISO_ERR_GEOMETRY;
}

/// The corners make a solid.
static iso_status shape3_check_hull(const iso_shape3_def *def) {
    int32_t corners[ISO_HULL_VERTICES_MAX][3];
    for (uint32_t i = 0; i < def->point_count; ++i) {
        if (!shape3_is_near(def->points[i], 0)) {
            return ISO_ERR_GEOMETRY;
        }
        corners[i][0] = (int32_t)((uint32_t)def->points[i].x << 8);
        corners[i][1] = (int32_t)((uint32_t)def->points[i].y << 8);
        corners[i][2] = (int32_t)((uint32_t)def->points[i].z << 8);
    }
#ifdef ISO_ONLY_PLANE
    (void)corners; // no world has it
    return ISO_OK;
#else
    iso__space_hull hull;
    return iso__space_hull_make((const int32_t(*)[3])corners, def->point_count, &hull);
#endif
}

static iso_status shape3_check_plane(const iso_shape3_def *def) {
    const iso_vec3 normal = def->points[0];
    const bool has_normal = (normal.x | normal.y | normal.z) != 0;
    return has_normal && iso__abs_u32(def->offset) <= SHAPE3_EXTENT_MAX ? ISO_OK : ISO_ERR_GEOMETRY;
}

/// The numbers that every kind has, and that those of other kinds are zero.
iso_status iso__space_shape_check_values(const iso_shape3_def *def) {
    const iso_quat q = def->rotation;
    const bool is_turned = (q.x | q.y | q.z | q.w) != 0;
    if (def->density < 0 || def->friction < 0 || def->friction > ISO__FRICTION_MAX || def->restitution < 0 ||
        def->restitution > ISO_FIX16_ONE || def->radius < 0 || def->radius > SHAPE3_EXTENT_MAX) {
        return ISO_ERR_RANGE;
    }
    const bool is_round = def->kind == ISO_SHAPE3_SPHERE || def->kind == ISO_SHAPE3_CAPSULE;
    const bool has_rotation = def->kind == ISO_SHAPE3_BOX ? iso__rotation_is_unit(q) : !is_turned;
    if (!has_rotation || (def->kind != ISO_SHAPE3_PLANE && def->offset != 0) ||
        def->heights >= (def->kind == ISO_SHAPE3_HEIGHTS ? ISO_HEIGHTS_MAX : 1)) {
        return ISO_ERR_RANGE;
    }
    return (is_round ? def->radius >= SHAPE3_SIZE_MIN : def->radius == 0) ? ISO_OK : ISO_ERR_GEOMETRY;
}

iso_status iso_shape3_def_check(const iso_shape3_def *def) {
    static const uint8_t points_min[] = {0, 1, 2, 2, 4, 1, 1}, points_max[] = {0, 1, 2, 2, ISO_HULL_VERTICES_MAX, 1, 1};
    if (def->kind == 0 || def->kind >= sizeof points_min) {
        return ISO_ERR_BAD_ENUM;
    }
    const iso_status status = iso__space_shape_check_values(def);
    if (status != ISO_OK) {
        return status;
    }
    if (def->point_count < points_min[def->kind] || def->point_count > points_max[def->kind]) {
        return ISO_ERR_GEOMETRY;
    }
    switch ((iso_shape3_kind)def->kind) {
    case ISO_SHAPE3_SPHERE:
        return shape3_is_near(def->points[0], (uint32_t)def->radius) ? ISO_OK : ISO_ERR_GEOMETRY;
    case ISO_SHAPE3_CAPSULE:
        return shape3_check_capsule(def);
    case ISO_SHAPE3_BOX:
        return shape3_check_box(def);
    case ISO_SHAPE3_HULL:
        return shape3_check_hull(def);
    case ISO_SHAPE3_PLANE:
        return shape3_check_plane(def);
    case ISO_SHAPE3_HEIGHTS:
        return shape3_is_near(def->points[0], 0) ? ISO_OK : ISO_ERR_GEOMETRY;
    }
    return ISO_ERR_BAD_ENUM;
}
