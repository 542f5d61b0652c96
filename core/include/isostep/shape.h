/// Shapes: the geometry and surface of a body.
/// For threads, and for when a shape of a networked world may be changed, see world.h.
#ifndef ISOSTEP_SHAPE_H
#define ISOSTEP_SHAPE_H

#include "isostep/fixed.h"
#include "isostep/id.h"
#include "isostep/status.h"
#include "isostep/vec2.h"

#ifdef __cplusplus
extern "C" {
#endif

#define ISO_POLYGON_VERTICES_MAX 8

/// Largest distance [m] of any point of a shape, rounding included, from its body's origin, and
/// from its body's centre of mass.
#define ISO_SHAPE_EXTENT_MAX_M 60

/// Largest coordinate [m] of a segment's points on a static body. Its ends are at most ISO_SHAPE_EXTENT_MAX_M from its
/// middle, and on a body that is not static also from the body's centre of mass.
#define ISO_SEGMENT_POINT_MAX_M 1000

/// The kinds of shapes. X(name, number)
#define ISO_SHAPE_KIND_LIST(X) \
    X(CIRCLE, 1)               \
    X(POLYGON, 2)              \
    X(CAPSULE, 3)              \
    X(SEGMENT, 4)

typedef enum iso_shape_kind {
#define ISO_SHAPE_KIND_ENUM(name, number) ISO_SHAPE_##name = (number),
    ISO_SHAPE_KIND_LIST(ISO_SHAPE_KIND_ENUM)
#undef ISO_SHAPE_KIND_ENUM
} iso_shape_kind;

/// Which shapes collide. Two shapes of the same group collide if it is positive and do not if it is negative. Otherwise
/// each shape's mask must contain a bit of the other's category.
typedef struct iso_filter {
    uint32_t category;
    uint32_t mask;
    int32_t group; // 0: no group
} iso_filter;

typedef struct iso_shape_def {
    uint8_t kind;        // iso_shape_kind
    uint8_t point_count; // circle: 1; capsule: 2; polygon: 3 to 8; segment: 0
    fix16_t density;     // [kg/m^2], 0 to 32767; a segment has no mass whatever it is
    fix16_t friction;    // 0 to 7.9
    fix16_t restitution; // 0 to 1
    fix16_t radius;      // [m] circle and capsule: at least 1 mm; polygon: rounding, 0 or more; segment: 0
    fix16_t radius_b;    // [m] capsule: of its second end, at least 1 mm, or 0: as `radius`; another kind: 0
    /// [m/s] -40 to 40: the surface moves around the shape, counter-clockwise when positive, as a conveyor belt does.
    /// The top of a box with a positive speed carries to the left.
    fix16_t surface_speed;
    /// The side from which the shape is solid, as a vector of the body's frame of any length, components within ±1;
    /// zero: from all sides. What first touches it elsewhere passes until it is within the slop of the surface on that
    /// side. "That side" is a contact normal within 75 degrees of the vector.
    iso_vec2 one_way;
    /// Its contacts begin and end, and within a step they wake nobody; nothing is pushed. It sees what overlaps it at
    /// the begin of a tick, not what passes between two: at 60 Hz a body at v m/s is sure to be seen by a sensor that
    /// is, with the body, at least v / 60 m across along its way. For what is faster, cast rays (query.h).
    bool is_sensor;
    iso_filter filter;
    uint32_t tag; // the user's number; kept, hashed, never interpreted
    union {
        iso_vec2
            points[ISO_POLYGON_VERTICES_MAX]; // [m] body frame; a circle's centre; the ends of a capsule's segment;
                                              // a polygon's corners, convex, counter-clockwise
        /// [m] body frame; of a segment alone: the neighbour before it, its two ends, the neighbour behind it. It is
        /// solid from the right of its way from end to end, as the edges of a polygon are, and nothing touches it from
        /// the left. A neighbour that equals the end beside it is none.
        iso_vec2_wide segment[4];
    };
} iso_shape_def;

/// Density 1 kg/m^2, friction 0.6, no restitution, collides with everything.
iso_shape_def iso_shape_def_default(void);

/// A circle of the given radius [m] around the body's origin, other values as by default.
iso_shape_def iso_shape_def_circle(fix16_t radius);

/// A box with the given half extents [m] around the body's origin, other values as by default.
iso_shape_def iso_shape_def_box(fix16_t half_width, fix16_t half_height);

/// A capsule: all points within the given radius [m] of the segment from a to b [m, body frame], which must differ;
/// other values are the defaults.
iso_shape_def iso_shape_def_capsule(iso_vec2 a, iso_vec2 b, fix16_t radius);

/// A tapered capsule: the convex hull of a circle around a and one around b [m, body frame], whose radii [m] may
/// differ. Neither circle may hold the other. Other values are the defaults.
iso_shape_def iso_shape_def_tapered_capsule(iso_vec2 a, iso_vec2 b, fix16_t radius_a, fix16_t radius_b);

/// A segment from a to b [m, body frame] without neighbours: a one-sided line, solid from the right of its way. Other
/// values are the defaults. Segments do not collide with each other, and a body of segments alone has no mass of them.
iso_shape_def iso_shape_def_segment(iso_vec2_wide a, iso_vec2_wide b);

/// An edge of a chain, from points[edge] to the next point, with the edges beside it as neighbours: what slides over
/// the chain does not catch at their joint. A chain whose points run counter-clockwise around an area is that area's
/// border from outside; a floor that carries runs from right to left. Edges of one long line may belong to several
/// bodies: those at the same place give all its points, and each takes some of its edges.
/// @param points   [m] body frame, `count` of them, 2 or more
/// @param is_loop  the last point leads on to the first, so there are `count` edges, else one less
/// @param edge     0 to the number of edges - 1
iso_shape_def iso_shape_def_chain(const iso_vec2_wide *points, uint32_t count, bool is_loop, uint32_t edge);

/// Checks a definition without a world.
/// @return ISO_OK; ISO_ERR_RANGE (a number); ISO_ERR_BAD_ENUM (kind); ISO_ERR_GEOMETRY (a wrong number of points,
///         a polygon that is not convex or not counter-clockwise or has an edge below 1 mm, a capsule without
///         length, one of two radii with sides below 1 mm, as when one end's circle holds the other's; a radius of a
///         circle or capsule below 1 mm, a second radius of another kind, beyond ISO_SHAPE_EXTENT_MAX_M; a segment or
///         an edge beside it below 1 mm, a segment with a radius, beyond its limits).
///         The sides are sqrt(d^2 - (radius - radius_b)^2) long, d the distance of the two points.
iso_status iso_shape_def_check(const iso_shape_def *def);

struct iso_world;

/// Adds a shape to a body. The body's mass, centre and inertia follow; its origin stays in place.
/// @return ISO_OK; ISO_ERR_STALE; ISO_ERR_CAPACITY; what iso_shape_def_check returns;
///         ISO_ERR_RANGE when the body's mass or inertia leaves its range.
///         ISO_ERR_GEOMETRY also when a point is too far from the centre of mass of a body that is not static.
///         On error the world is unchanged.
iso_status iso_shape_create(struct iso_world *world, iso_body_id body, const iso_shape_def *def, iso_shape_id *shape);

/// Removes a shape from its body. @return ISO_OK; ISO_ERR_STALE; ISO_ERR_RANGE as above.
iso_status iso_shape_destroy(struct iso_world *world, iso_shape_id shape);

/// Whether a handle names a shape that is alive in this world. Constant time.
bool iso_shape_is_valid(const struct iso_world *world, iso_shape_id shape);

/// The lowest live shape index at or above `index`, as a handle; null when there is none. Iterates over all shapes of a
/// world by ascending index, as iso_body_next does over its bodies. Cost: the slots that it passes.
iso_shape_id iso_shape_next(const struct iso_world *world, uint32_t index);

/// Changes a shape's filter. @return ISO_OK; ISO_ERR_STALE.
iso_status iso_shape_set_filter(struct iso_world *world, iso_shape_id shape, iso_filter filter);

/// Changes a shape's friction. Existing contacts use the new value from the next step on. Wakes the body and the bodies
/// that touch it.
/// @param friction  0 to 7.9
/// @return ISO_OK; ISO_ERR_STALE; ISO_ERR_RANGE. On error the world is unchanged.
iso_status iso_shape_set_friction(struct iso_world *world, iso_shape_id shape, fix16_t friction);

/// Changes a shape's restitution, likewise. @param restitution  0 to 1
iso_status iso_shape_set_restitution(struct iso_world *world, iso_shape_id shape, fix16_t restitution);

/// Changes the speed of a shape's surface, likewise. @param speed  [m/s] -40 to 40
iso_status iso_shape_set_surface_speed(struct iso_world *world, iso_shape_id shape, fix16_t speed);

/// Changes a shape's density. The body's mass, centre and inertia follow, unless iso_body_set_mass has set its mass;
/// its origin stays in place. Impulses that contacts and joints hold keep their strength in N s.
/// @param density  [kg/m^2] 0 to 32767
/// @return ISO_OK; ISO_ERR_STALE; ISO_ERR_RANGE (also: the body's mass or inertia leaves its range). On error the world
///         is unchanged.
iso_status iso_shape_set_density(struct iso_world *world, iso_shape_id shape, fix16_t density);

/// Changes a shape's tag. Wakes nobody. @return ISO_OK; ISO_ERR_STALE.
iso_status iso_shape_set_tag(struct iso_world *world, iso_shape_id shape, uint32_t tag);

/// Reads a shape back as its definition. @return ISO_OK; ISO_ERR_STALE.
iso_status iso_shape_get(const struct iso_world *world, iso_shape_id shape, iso_shape_def *def, iso_body_id *body);

#ifdef __cplusplus
}
#endif

#endif
