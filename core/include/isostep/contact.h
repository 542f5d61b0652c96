/// Contacts: what touches, where, and how hard; and how a game decides about them within a step.
///
/// All of it is for worlds in the plane, but for iso_body_next_contact, which works in space, too: contact3.h has what
/// there is of contacts there. The other functions here find none in space.
///
/// For threads, and for what is legal within a step, see world.h.
#ifndef ISOSTEP_CONTACT_H
#define ISOSTEP_CONTACT_H

#include "isostep/body.h"
#include "isostep/shape.h"

#ifdef __cplusplus
extern "C" {
#endif

struct iso_world;

/// A pair of shapes that touch, or are near enough (speculative_distance) to touch within the tick. A non-zero impulse
/// means that they exerted forces on each other; iso_world_get_contact_manifold returns whether they touch now. The
/// impulse of a bounce between bodies that nothing else holds comes before the substeps and is not in it; the event
/// that begins the contact has its speed. `index` from 0 to contacts - 1, in key order.
typedef struct iso_contact_view {
    iso_shape_id shape_a, shape_b;
    iso_body_id body_a, body_b;
    uint8_t point_count;        // 1 or 2
    iso_wide normal_impulse[2]; // [N s] of the last substep
    iso_wide tangent_impulse[2];
} iso_contact_view;

/// @return false when there is no such contact.
bool iso_world_get_contact(const struct iso_world *world, uint32_t index, iso_contact_view *view);

/// The lowest index at or above `index` of a contact of this body, for iso_world_get_contact, in space
/// iso_world_get_contact3; UINT32_MAX when there is none or when the body is stale. Iterates over a body's contacts in
/// key order:
/// `for (c = iso_body_next_contact(w, b, 0); c != UINT32_MAX; c = iso_body_next_contact(w, b, c + 1))`.
/// The indices are valid until the next step, and until the next call that destroys something or changes what may
/// touch. Cost: a loop compares once each contact of the world whose body A has an index up to this body's.
uint32_t iso_body_next_contact(const struct iso_world *world, iso_body_id body, uint32_t index);

/// A point where two shapes touch.
typedef struct iso_contact_point {
    iso_vec2_wide point;     // [m] halfway between the two borders
    iso_wide separation;     // [m] between the borders, negative where they overlap; up to the speculative distance
    iso_wide approach_speed; // [m/s] at this point along the normal, of the present velocities; negative: they separate
    iso_wide
        normal_impulse; // [N s] on B along the normal in the last substep; 0 for a point that the step did not have
    iso_wide tangent_impulse; // [N s] likewise along the normal turned left by 90 degrees: friction
} iso_contact_point;

typedef struct iso_contact_manifold {
    iso_unit2 normal;    // from shape A to shape B; (0, 0) without points
    bool is_touching;    // as in contact events; shapes that are only near do not touch
    uint8_t point_count; // 0 to 2; 0: the step has separated them
    iso_contact_point points[2];
} iso_contact_manifold;

/// Where and how the shapes of a contact touch at their present poses and velocities: what the next step would begin
/// with, unless the contact keeps the manifold of a pose close to it (contact_keep_distance of world.h). The state
/// contains impulses, which features touched and that pose, but no points, normals or speeds of the last step. These
/// are computed from the present state, with the errors of query.h. The speed of an impact before the step resolved it
/// is in the event of the contact that begins (event.h). Reads only; the same on every processor, and after a restore
/// or decode. Cost: one collision of the two shapes, 0.2 to 1 µs.
/// @param index  as in iso_world_get_contact
/// @return false when there is no such contact.
bool iso_world_get_contact_manifold(const struct iso_world *world, uint32_t index, iso_contact_manifold *manifold);

/// A contact within a step, as the functions before_contact and after_contact of a game see it. They are called once a
/// tick for each contact with at least one point and at least one body that moves, in key order: bodies, then shapes.
/// Contacts of sensors are among them, and those at seams, which do not push.
///
/// Points, normal and approach speeds are those of the poses and velocities before the step, after its commands. The
/// impulses are, before, those of the last step; after, those of this one's last substep.
typedef struct iso_step_contact {
    iso_shape_id shape_a, shape_b;
    iso_body_id body_a, body_b;
    iso_contact_manifold manifold;
    /// [N s] after_contact: the largest normal impulse of a substep at each point; a hit may be over before the last
    /// one. 0 in before_contact.
    iso_wide normal_impulse_max[2];
} iso_step_contact;

/// What before_contact may change. It holds for this tick alone and is no state.
typedef struct iso_contact_rules {
    /// False: the shapes pass through each other in this tick. They touch as far as they overlap, so that events begin
    /// and end, and connect their bodies' islands; impulses are zero. False from the start for sensors and for what
    /// passes a one-way shape; then it cannot be set.
    ///
    /// Nor are they stopped for being fast in this tick. But a fast body may meet within a tick what it was not near at
    /// its begin: a contact that the game is not asked about. It is then put back to where they met, with its velocity,
    /// as if they were solid; in the next tick they have a contact, and when it is disabled the body goes on. So it
    /// loses the rest of one tick's way: at 500 m/s and 60 Hz up to 8.3 m. Filters (shape.h) do not have this delay.
    bool is_enabled;
    fix16_t friction;      // at first sqrt(a b) of the shapes'; is clamped to 0 to 7.9
    fix16_t restitution;   // at first the larger one of the shapes'; is clamped to 0 to 1
    fix16_t surface_speed; // [m/s] at first the sum of the shapes'; is clamped to ±80; positive: A's surface carries B
                           // along the normal turned left by 90 degrees
} iso_contact_rules;

#ifdef __cplusplus
}
#endif

#endif
