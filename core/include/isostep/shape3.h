/// Shapes in space: the geometry and surface of a body.
///
/// The functions are those of worlds with three dimensions; in the plane they return ISO_ERR_DIMENSION. Both kinds of
/// worlds share handles, filters and iso_shape_is_valid, iso_shape_next, iso_shape_destroy, iso_shape_set_filter,
/// iso_shape_set_tag. For threads, and for when a shape of a networked world may be changed, see world.h.
#ifndef ISOSTEP_SHAPE3_H
#define ISOSTEP_SHAPE3_H

#include "isostep/shape.h"
#include "isostep/vec3.h"

#ifdef __cplusplus
extern "C" {
#endif

#define ISO_HULL_VERTICES_MAX 32

/// The kinds of shapes. X(name, number)
#define ISO_SHAPE3_KIND_LIST(X) \
    X(SPHERE, 1)                \
    X(CAPSULE, 2)               \
    X(BOX, 3)                   \
    X(HULL, 4)                  \
    X(PLANE, 5)                 \
    X(HEIGHTS, 6)

typedef enum iso_shape3_kind {
#define ISO_SHAPE3_KIND_ENUM(name, number) ISO_SHAPE3_##name = (number),
    ISO_SHAPE3_KIND_LIST(ISO_SHAPE3_KIND_ENUM)
#undef ISO_SHAPE3_KIND_ENUM
} iso_shape3_kind;

/// All points are in the body's frame [m] and at most ISO_SHAPE_EXTENT_MAX_M from its origin.
typedef struct iso_shape3_def {
    uint8_t kind;        // iso_shape3_kind; commands carry no HEIGHTS
    uint8_t point_count; // of the points: sphere 1, capsule 2, box 2, hull 4 to 32, plane 1, heights 1
    fix16_t density;     // [kg/m^3], 0 to 32767; a plane or heights have no mass whatever it is
    fix16_t friction;    // 0 to 7.9
    fix16_t restitution; // 0 to 1
    fix16_t radius;      // [m] sphere and capsule: at least 0.25 mm; another kind: 0
    fix16_t offset;      // [m] plane: n p = offset on it, solid where n p is below that; another kind: 0
    bool is_sensor;      // its contacts begin and end; nothing is pushed
    iso_filter filter;
    uint8_t heights;   // which of the world's fields of heights, see heights.h; another kind: 0
    uint32_t tag;      // the user's number; kept, hashed, never interpreted
    iso_quat rotation; // box: of its axes in the body's frame; another kind: all zero
    /// A sphere's centre; the ends of a capsule's segment; a box's centre and its half extents; a hull's corners in any
    /// order; the direction of a plane's normal, of any length; where the middle of the field of heights is.
    iso_vec3 points[ISO_HULL_VERTICES_MAX];
} iso_shape3_def;

/// Density 1000 kg/m^3, friction 0.6, no restitution, collides with everything.
iso_shape3_def iso_shape3_def_default(void);
/// A sphere of the given radius [m] around the body's origin, other values as by default.
iso_shape3_def iso_shape3_def_sphere(fix16_t radius);
/// A capsule: all points within the given radius [m] of the segment from a to b [m], which must differ.
iso_shape3_def iso_shape3_def_capsule(iso_vec3 a, iso_vec3 b, fix16_t radius);
/// A box with the given half extents [m] around the body's origin.
iso_shape3_def iso_shape3_def_box(fix16_t half_x, fix16_t half_y, fix16_t half_z);
/// The convex hull of points [m]. @param count  4 to 32
iso_shape3_def iso_shape3_def_hull(const iso_vec3 *points, uint32_t count);
/// A half-space: solid where normal p < offset [m]. Only static bodies may have one.
iso_shape3_def iso_shape3_def_plane(iso_vec3 normal, fix16_t offset);

/// Ground of a field of heights, its middle at the body's origin. Only static bodies may have it.
/// @param heights  its number, of iso_world_add_heights
iso_shape3_def iso_shape3_def_heights(uint32_t heights);

/// Checks a definition without a world.
/// @return ISO_OK; ISO_ERR_RANGE (a number, that of heights at most ISO_HEIGHTS_MAX - 1); ISO_ERR_BAD_ENUM (kind);
///         ISO_ERR_GEOMETRY (a wrong number of points, a half extent, radius or capsule's length below 0.25 mm, corners
///         with a volume below 2^-30 m^3 or an edge below 0.25 mm, a normal without length, beyond
///         ISO_SHAPE_EXTENT_MAX_M).
iso_status iso_shape3_def_check(const iso_shape3_def *def);

struct iso_world;

/// Adds a shape to a body. Mass, centre and moments follow; the body's origin stays in place.
/// @return ISO_OK; ISO_ERR_STALE; ISO_ERR_CAPACITY; ISO_ERR_DIMENSION; what iso_shape3_def_check returns;
///         ISO_ERR_WRONG_TYPE (a plane or heights on a body that is not static); ISO_ERR_RANGE (no such heights);
///         ISO_ERR_RANGE when the body's mass or moments leave their range; ISO_ERR_GEOMETRY also when a point is too
///         far from the centre of mass. On error the world is unchanged.
iso_status iso_shape3_create(struct iso_world *world, iso_body_id body, const iso_shape3_def *def, iso_shape_id *shape);

/// Reads a shape back as its definition. @return ISO_OK; ISO_ERR_STALE; ISO_ERR_DIMENSION.
iso_status iso_shape3_get(const struct iso_world *world, iso_shape_id shape, iso_shape3_def *def, iso_body_id *body);

/// Changes a shape's friction (0 to 7.9), restitution (0 to 1), density [kg/m^3] (0 to 32767).
/// @return ISO_OK; ISO_ERR_STALE; ISO_ERR_RANGE; ISO_ERR_DIMENSION. On error the world is unchanged.
iso_status iso_shape3_set_friction(struct iso_world *world, iso_shape_id shape, fix16_t friction);
iso_status iso_shape3_set_restitution(struct iso_world *world, iso_shape_id shape, fix16_t restitution);
iso_status iso_shape3_set_density(struct iso_world *world, iso_shape_id shape, fix16_t density);

#ifdef __cplusplus
}
#endif

#endif
