/// Debug drawing of a world in space: spheres, capsules, convex faces, planes, lines, points, arrows and arcs in the
/// world's coordinates.
///
/// As in the plane (draw.h, which has the parts and roles) each item says what it belongs to and what it means, and
/// lengths that represent no length of the world depend on the size of the bodies. Drawing reads only the state, and
/// the poses of iso_draw3_set_poses. It changes nothing, and gives the same items on every processor, after a restore,
/// a decode or iso_world_drop_caches. Several threads may draw one world at once, each with its own iterator, while
/// nothing changes the world. Coordinates are within 1e-8 m and 6e-9 of the distance from their body's centre of mass.
///
/// What a part has here: SHAPES outlines and headings; BODIES centres; JOINTS and CONTACTS as in the plane. There is no
/// GAME and no MARK: what games draw is of the plane.
#ifndef ISOSTEP_DRAW3_H
#define ISOSTEP_DRAW3_H

#include "isostep/draw.h"
#include "isostep/shape3.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The kinds of items. X(name, number)
///   SPHERE   around points[0]
///   CAPSULE  all points within the radius of the line between points[0] and points[1]
///   FACE     of a solid: a flat convex polygon of point_count corners, counterclockwise as seen from outside; `normal`
///            points outwards. The faces of a shape follow each other and enclose it; those of heights are its surface
///            alone
///   PLANE    all points x with normal . (x - points[0]) <= 0: it has no end. iso_draw3_grid_line has lines of its
///            border
///   LINE     from points[0] to points[1]
///   POINT    at points[0]
///   ARROW    from points[0] to points[1], where its tip is
///   ARC      around points[0] with the radius, across `normal`: from angle_from to angle_to, right-handed about
///            `normal`, from the direction `side` on
#define ISO_DRAW3_KIND_LIST(X) \
    X(SPHERE, 1)               \
    X(CAPSULE, 2)              \
    X(FACE, 3)                 \
    X(PLANE, 4)                \
    X(LINE, 5)                 \
    X(POINT, 6)                \
    X(ARROW, 7)                \
    X(ARC, 8)

typedef enum iso_draw3_kind {
#define ISO_DRAW3_KIND_ENUM(name, number) ISO_DRAW3_##name = (number),
    ISO_DRAW3_KIND_LIST(ISO_DRAW3_KIND_ENUM)
#undef ISO_DRAW3_KIND_ENUM
} iso_draw3_kind;

/// The roles are those of draw.h (iso_draw_role), with these additions:
///   HEADING  how a round shape has turned: the great circles of a sphere across its body's axes, lines along a
///            capsule's side
///   AXIS     also the line that a joint lets B turn about, and what it turns towards
///   ANGLE    where B is about an axis: the direction that limits and springs of this axis are measured from
///   LIMIT    of a swing also the cone, a circle and lines from its tip to it
typedef struct iso_draw3_item {
    uint8_t kind;        // iso_draw3_kind
    uint8_t role;        // iso_draw_role
    uint8_t part;        // ISO_DRAW_SHAPES, …: what it belongs to
    uint8_t body_type;   // iso_body_type of `body`
    uint8_t joint_kind;  // iso_joint3_kind; 0 when it belongs to no joint
    uint8_t point_count; // 1, 2 or a face's number of corners
    bool is_asleep;      // the body; of a joint or contact: all of its bodies that can sleep
    bool is_active;      // false for a disabled joint, and for a contact whose shapes are near without touching
    bool is_sensor;      // the shape; of a contact one of the two
    uint16_t face;       // of a FACE its number in the shape; of heights 2 (row (columns - 1) + column) + half
    iso_owner owner;     // of the body or joint
    iso_body_id body;    // of a joint the anchor's or lever's body, else body B; of a contact body B
    iso_shape_id shape;  // null when it belongs to no shape; of a contact shape B
    iso_joint_id joint;  // null when it belongs to no joint
    uint32_t contact;    // its index; 0 when it belongs to no contact
    iso_unit3 normal;    // of FACE, PLANE and ARC
    iso_unit3 side;      // of PLANE and ARC: across the normal
    iso_wide radius;     // [m] of SPHERE, CAPSULE and ARC
    iso_wide angle_from, angle_to;               // [rad] of an ARC; may be more than one turn apart
    iso_vec3_wide points[ISO_HULL_VERTICES_MAX]; // [m]
} iso_draw3_item;

/// The maximum number of items that the iterator keeps at a time.
#define ISO_DRAW3_ITEMS_MAX 12

/// Returns the pose at which a body is shown when it differs from the body's own: between two ticks, or while an error
/// fades.
/// @param user, time   as given to iso_draw3_set_poses
/// @param position     [m] of the body's origin; clamped to ±32,768 m
/// @param rotation     of any length
/// @return false: the body is shown at its own pose
typedef bool iso_draw3_pose(const void *user, uint64_t time, iso_body_id body, iso_vec3_wide *position,
                            iso_quat *rotation);

/// An iterator over the items of a world. The caller provides it, for example on the stack; its members are private.
typedef struct iso_draw3 {
    const struct iso_world *world;
    uint32_t what;  // bits ISO_DRAW_…
    uint32_t part;  // number of the list being walked
    uint32_t index; // in it
    uint32_t step;  // of the object with this index
    bool has_more;  // the object has another step
    uint32_t next, count;
    iso_draw3_pose *pose; // NULL: all bodies are drawn where they are
    const void *pose_user;
    uint64_t pose_time;
    iso_draw3_item items[ISO_DRAW3_ITEMS_MAX]; // of the current step
} iso_draw3;

/// Begins an iteration: shapes, bodies, joints, contacts, each by ascending index. Of a world in the plane there are no
/// items.
/// @param what  ISO_DRAW_SHAPES and others, or ISO_DRAW_ALL; other bits are ignored
void iso_draw3_begin(iso_draw3 *draw, const struct iso_world *world, uint32_t what);

/// Draws bodies, with all that belongs to them, at the poses that `pose` returns, as iso_draw_set_poses does. Call it
/// directly after iso_draw3_begin. The values of a joint's axes stay those of the state.
/// @param pose  called a few times for each body; NULL: all bodies are drawn where they are
/// @param user  passed to it, as is `time`, the time that is drawn
void iso_draw3_set_poses(iso_draw3 *draw, iso_draw3_pose *pose, const void *user, uint64_t time);

/// The next item, valid until the next call; NULL at the end. The world must not change in between.
const iso_draw3_item *iso_draw3_next(iso_draw3 *draw);

/// Where the grid of a plane is wanted.
typedef struct iso_draw3_region {
    iso_vec3_wide centre; // [m] each component within ±32,768
    iso_wide radius;      // [m] 0 to 65,536
    iso_wide spacing;     // [m] of the lines, above 0
} iso_draw3_region;

/// The lines of a plane's grid within a region: those of a square beside the region's centre, of twice its radius, less
/// what is beyond the outermost lines. They are at multiples of the spacing from the foot of the world's origin on the
/// plane, so that the grid of a region that moves stays where it is.
/// @param plane  an item of the kind PLANE
/// @param index  from 0 on
/// @param line   [m] its two ends, within 3e-5 m; in a world of 100 m within 1e-7
/// @return false when there is no such line: there are no more, the plane is farther from the centre than the radius,
///         or the item is another one
bool iso_draw3_grid_line(const iso_draw3_item *plane, const iso_draw3_region *region, uint32_t index,
                         iso_vec3_wide line[2]);

#ifdef __cplusplus
}
#endif

#endif
