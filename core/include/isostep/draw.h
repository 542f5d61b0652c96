/// Debug drawing: a world as circles, capsules, polygons, lines, points, arrows and arcs in the world's coordinates.
///
/// Each item says what it belongs to and what it means, so that a program can choose colours and widths and skip items.
/// Lengths that represent no length of the world, such as those of normals, depend on the size of the bodies.
///
/// Drawing reads only the state, and the poses of iso_draw_set_poses. It changes nothing, and gives the same items on
/// every processor, after a restore, a decode or iso_world_drop_caches. A game may draw at any time. Several threads
/// may draw one world at once, each with its own iterator, while nothing changes the world. Coordinates have the errors
/// of query.h.
#ifndef ISOSTEP_DRAW_H
#define ISOSTEP_DRAW_H

#include <stdbool.h>

#include "isostep/id.h"
#include "isostep/shape.h"

#ifdef __cplusplus
extern "C" {
#endif

/// What to draw, as bits; the order of the list is that of the items. X(name, bit)
#define ISO_DRAW_PART_LIST(X) \
    X(SHAPES, 1)              \
    X(BODIES, 2)              \
    X(JOINTS, 4)              \
    X(CONTACTS, 8)            \
    X(GAME, 16)

enum {
#define ISO_DRAW_PART_ENUM(name, bit) ISO_DRAW_##name = (bit),
    ISO_DRAW_PART_LIST(ISO_DRAW_PART_ENUM)
#undef ISO_DRAW_PART_ENUM
        ISO_DRAW_ALL = 31
};

/// The kinds of items. X(name, number)
///   CIRCLE   points[0] is its centre
///   CAPSULE  the convex hull of a circle of `radius` around points[0] and one of `radius_b` around points[1]; when
///            they are equal, all points within the radius of the line between the two
///   POLYGON  all points within `radius` of the polygon of point_count points, counter-clockwise
///   LINE     from points[0] to points[1]
///   POINT    at points[0]
///   ARROW    from points[0] to points[1], where its tip is
///   ARC      around points[0] with `radius`, from angle_from to angle_to: counter-clockwise when that is larger
#define ISO_DRAW_KIND_LIST(X) \
    X(CIRCLE, 1)              \
    X(CAPSULE, 2)             \
    X(POLYGON, 3)             \
    X(LINE, 4)                \
    X(POINT, 5)               \
    X(ARROW, 6)               \
    X(ARC, 7)

typedef enum iso_draw_kind {
#define ISO_DRAW_KIND_ENUM(name, number) ISO_DRAW_##name = (number),
    ISO_DRAW_KIND_LIST(ISO_DRAW_KIND_ENUM)
#undef ISO_DRAW_KIND_ENUM
} iso_draw_kind;

/// What an item means. X(name, number)
///   OUTLINE  a shape
///   HEADING  how far a circle has turned: from its centre to its border, along its body's x axis
///   CENTRE   a body's centre of mass
///   ANCHOR   where a joint holds a body, or the target of a target joint
///   LEVER    from a moving body's centre of mass to its anchor; and between the two ropes of a pulley
///   LINK     what a joint holds: from A's anchor to B's; a pulley has two, a SYMBOLIC or USER joint one from each of
///            its bodies' centres to the next, unless its constraint draws
///   SPRING   a joint's spring: instead of the link, or from its rest angle to the present angle
///   LIMIT    the range that a joint's limits allow: a segment of its line, or an arc
///   ANGLE    the angle of a body that a joint limits or gears
///   MOTOR    the direction in which a joint's motor drives body B, of length 0 when its speed is 0; of a MOTOR joint
///            its target
///   TOUCH    a contact point
///   NORMAL   a contact's normal at a point, from shape A to shape B
///   AXIS     the line that a joint holds B's anchor on
///   MARK     what a game draws, or a constraint of it
#define ISO_DRAW_ROLE_LIST(X) \
    X(OUTLINE, 1)             \
    X(HEADING, 2)             \
    X(CENTRE, 3)              \
    X(ANCHOR, 4)              \
    X(LEVER, 5)               \
    X(LINK, 6)                \
    X(SPRING, 7)              \
    X(LIMIT, 8)               \
    X(ANGLE, 9)               \
    X(MOTOR, 10)              \
    X(TOUCH, 11)              \
    X(NORMAL, 12)             \
    X(AXIS, 13)               \
    X(MARK, 14)

typedef enum iso_draw_role {
#define ISO_DRAW_ROLE_ENUM(name, number) ISO_DRAW_##name = (number),
    ISO_DRAW_ROLE_LIST(ISO_DRAW_ROLE_ENUM)
#undef ISO_DRAW_ROLE_ENUM
} iso_draw_role;

typedef struct iso_draw_item {
    uint8_t kind;        // iso_draw_kind
    uint8_t role;        // iso_draw_role
    uint8_t part;        // ISO_DRAW_SHAPES, …: what it belongs to
    uint8_t body_type;   // iso_body_type of `body`
    uint8_t joint_kind;  // iso_joint_kind; 0 when it belongs to no joint
    uint8_t point_count; // 1, 2 or a polygon's number of corners
    bool is_asleep;      // the body; of a joint or contact: all of its bodies that can sleep
    bool is_active;      // false for a disabled joint, and for a contact whose shapes are near without touching
    iso_owner owner;     // of the body or joint
    iso_body_id body;    // of a joint the anchor's or lever's body, else body B; of a contact body B
    iso_shape_id shape;  // null when it belongs to no shape; of a contact shape B
    iso_joint_id joint;  // null when it belongs to no joint
    uint32_t contact;    // index as in iso_world_get_contact; 0 when it belongs to no contact
    iso_vec2_wide points[ISO_POLYGON_VERTICES_MAX]; // [m]
    iso_wide radius;                                // [m]
    iso_wide radius_b;                              // [m] of a capsule's second end; of other kinds 0
    iso_wide angle_from, angle_to;                  // [rad] of an arc; may be more than one turn apart
} iso_draw_item;

/// The maximum number of items of one shape, body, joint or contact, or of one call of a game's `draw`.
#define ISO_DRAW_ITEMS_MAX 16

struct iso_world;

/// Returns the pose at which a body is shown when it differs from the body's own: between two ticks, or while an error
/// fades.
/// @param user, time   as given to iso_draw_set_poses
/// @param position     [m] of the body's origin; clamped to ±32,768 m
/// @param angle_turns  [turns]
/// @return false: the body is shown at its own pose
typedef bool iso_draw_pose(const void *user, uint64_t time, iso_body_id body, iso_vec2_wide *position,
                           iso_wide *angle_turns);

/// An iterator over the items of a world. The caller provides it, for example on the stack; its members are private.
typedef struct iso_draw {
    const struct iso_world *world;
    uint32_t what;  // bits ISO_DRAW_…
    uint32_t part;  // number of the list being walked
    uint32_t index; // in it
    uint32_t next, count;
    iso_draw_pose *pose; // NULL: all bodies are drawn where they are
    const void *pose_user;
    uint64_t pose_time;
    iso_draw_item items[ISO_DRAW_ITEMS_MAX]; // of the current shape, body, joint, contact or call
} iso_draw;

/// Begins an iteration: shapes, bodies, joints, contacts, each by ascending index; then what the game draws. Of a world
/// in space only this: draw3.h draws its bodies.
/// @param what  ISO_DRAW_SHAPES and others, or ISO_DRAW_ALL; other bits are ignored
void iso_draw_begin(iso_draw *draw, const struct iso_world *world, uint32_t what);

/// Draws bodies, with all that belongs to them, at the poses that `pose` returns. Call it directly after
/// iso_draw_begin. Shapes, centres and joints are drawn as if the bodies were there. A contact's points and normal are
/// computed at the bodies' own poses and moved with body A, or with B when A is static. A game's items move with the
/// body that they name, if any.
/// @param pose  called a few times for each body; NULL: all bodies are drawn where they are
/// @param user  passed to it, as is `time`, the time that is drawn
void iso_draw_set_poses(iso_draw *draw, iso_draw_pose *pose, const void *user, uint64_t time);

/// The next item, valid until the next call; NULL at the end. The world must not change in between.
const iso_draw_item *iso_draw_next(iso_draw *draw);

/// For a game's `draw`: adds an item, a MARK of part GAME. Of `item`, the kind, points, radii, angles and what it
/// belongs to are used; zeros belong to nothing, and a capsule's radius_b of 0 is its radius. For a constraint's `draw`
/// (constraint.h) the item belongs to the joint, and has the role of `item`; a MARK when that is none. Nothing is added
/// beyond ISO_DRAW_ITEMS_MAX in one call, or when the kind or the number of points is not valid.
void iso_draw_add(iso_draw *draw, const iso_draw_item *item);

/// Writes the first `capacity` items and counts all of them, so that the caller can detect an array that is too short.
/// @param items  may be NULL when capacity is 0
/// @param count  above `capacity` when items were left out
void iso_draw_fill(const struct iso_world *world, uint32_t what, iso_draw_item *items, uint32_t capacity,
                   uint32_t *count);

#ifdef __cplusplus
}
#endif

#endif
